/// <reference lib="dom" />
// The explorer: no serious finding of axe on any page, and no page wider than a phone.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { AxeResults } from "axe-core";
import { ROOT } from "../../local/settings.ts";
import { anAdministrator } from "../api/administrators.ts";
import { ask, bearer, jsonBody } from "../api/client.ts";
import { aPricedLot, post } from "../api/sessions.ts";
import { signUp } from "../support/people.ts";
import { hasBrowser } from "./chromium.ts";
import { type Explorer, inExplorer } from "./explorer.ts";

const AXE = join(ROOT, "node_modules/axe-core/axe.min.js");

/** The findings that keep people out, as `rule: element`. */
async function findings({ page }: Explorer): Promise<string[]> {
  // Not by a script element, which the page's policy forbids.
  await page.evaluate(await Deno.readTextFile(AXE));
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run()
  );
  return violations.filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/** Whether the page scrolls sideways. */
function overflow({ page }: Explorer): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

async function checkPages(explorer: Explorer, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await explorer.open(path);
    await explorer.page.waitForSelector("main h1");
    await explorer.page.waitForFunction(() =>
      document.querySelector("[aria-busy=true]") === null && !document.body.innerText.includes("Loading…")
    );
    assert.deepEqual(await findings(explorer), [], path);
    assert.equal(await overflow(explorer), 0, `${path} is wider than the window`);
  }
}

const PERSONAL = [
  "/",
  "/session",
  "/inbox",
  "/rewards",
  "/account",
  "/account/vehicles",
  "/account/saved",
  "/account/reviews",
  "/account/support",
];

const AREAS = [
  "admins",
  "content",
  "lots",
  "notifications",
  "reviews",
  "rewards",
  "search_presets",
  "store_sync",
  "support",
  "users",
];

for (const { scheme, width } of [{ scheme: "light", width: 1200 }, { scheme: "dark", width: 360 }]) {
  Deno.test({
    name: `explorer: a signed-in person's pages have no serious finding of axe (${scheme}, ${width} px)`,
    ignore: !hasBrowser,
  }, async () => {
    const person = await signUp({ displayName: "山田 太郎" });
    const lot = await aPricedLot();
    await post("", person.token, { parking_lot_id: lot });
    await inExplorer(async (explorer) => {
      await explorer.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      await explorer.open("/account");
      await explorer.page.locator("header.top .tools button").click();
      await explorer.page.waitForSelector("dialog[open]");
      assert.deepEqual(await findings(explorer), [], "the sign-in dialog");
      await explorer.page.keyboard.press("Escape");
      await explorer.signIn(person);
      await checkPages(explorer, [...PERSONAL, `/lots/${lot}`]);
    }, { width, height: 740 });
  });

  Deno.test({
    name: `explorer: the screens of the console have no serious finding of axe (${scheme}, ${width} px)`,
    ignore: !hasBrowser,
  }, async () => {
    const administrator = await anAdministrator(...AREAS);
    const person = await signUp({ displayName: "山田 太郎" });
    const lot = await aPricedLot();
    const write = async (path: string, body: unknown): Promise<string> => {
      const response = await ask(path, { method: "POST", ...jsonBody(body, bearer(person.token)) });
      assert.equal(response.status, 201, `${path}: ${await response.clone().text()}`);
      return (await response.json()).id;
    };
    const review = await write(`/parking-lots/${lot}/reviews`, { rating: 3, comment: "Narrow" });
    const ticket = await write("/support/tickets", { category: "other", subject: "Question", message: "How?" });
    const report = await write("/error-reports", { parking_lot_id: lot, report_type: "price", description: "Too low" });
    await inExplorer(async (explorer) => {
      await explorer.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      await explorer.open("/console");
      await explorer.signIn(administrator);
      await checkPages(
        explorer,
        [
          "",
          `reviews/${review}?parking_lot_id=${lot}`,
          `support-tickets/${ticket}`,
          `error-reports/${report}?parking_lot_id=${lot}`,
          "user-notifications/new",
          `users/${person.id}`,
          `user-search-presets/${person.id}`,
          `parking-lots/${lot}`,
          "parking-lots",
          "store-sync",
          "reference/codes",
          "jobs",
          "activity-logs",
        ].map((path) => `/console/${path}`.replace(/\/$/, "")),
      );
    }, { width, height: 740 });
  });
}
