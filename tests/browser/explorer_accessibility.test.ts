/// <reference lib="dom" />
// The explorer: no serious finding of axe on any page, and no page wider than a phone.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { AxeResults } from "axe-core";
import { ROOT } from "../../local/settings.ts";
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
    await explorer.page.waitForFunction(() => document.querySelector("[aria-busy=true]") === null);
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
      await checkPages(explorer, PERSONAL);
    }, { width, height: 740 });
  });
}
