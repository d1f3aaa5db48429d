/// <reference lib="dom" />
// The explorer: no serious finding of axe on any page, no page wider than a phone, and a heading and a title for each.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { AxeResults } from "axe-core";
import { ROOT } from "../../local/settings.ts";
import { anAdministrator } from "../api/administrators.ts";
import { ask, bearer, jsonBody } from "../api/client.ts";
import { aLot, inDatabase } from "../api/lots.ts";
import { aPricedLot, post } from "../api/sessions.ts";
import { signUp } from "../support/people.ts";
import { hasBrowser } from "../support/browser.ts";
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

/** Checks the page that is open: `name` is for the report. */
async function checkPage(explorer: Explorer, name: string): Promise<void> {
  const { page } = explorer;
  await page.waitForSelector("main h1");
  await page.waitForFunction(() =>
    document.querySelector("[aria-busy=true]") === null &&
    !document.querySelector("main")!.innerText.includes("Loading…")
  );
  assert.deepEqual(await findings(explorer), [], name);
  assert.equal(await overflow(explorer), 0, `${name} is wider than the window`);
  const headings = await page.$$eval("h1", (headings) => headings.map(({ textContent }) => textContent));
  assert.equal(headings.length, 1, `${name} has one h1: ${headings}`);
  assert.equal(await page.title(), `${headings[0]} – Parking lots`, name);
}

/** Checks pages. Those of different screens have different titles. */
async function checkPages(explorer: Explorer, paths: readonly string[]): Promise<void> {
  const screens = new Map<string, string>();
  for (const path of paths) {
    await explorer.open(path);
    await checkPage(explorer, path);
    const [title, screen] = [await explorer.page.title(), path.split(/[/?]/).slice(0, 3).join("/")];
    assert.equal(screens.get(title) ?? screen, screen, `two pages have the title ${title}`);
    screens.set(title, screen);
  }
}

/** Opens all parts of the page that a person can open. */
function unfold({ page }: Explorer): Promise<void> {
  return page.$$eval("main details:not([open])", (parts) => parts.forEach((part) => part.setAttribute("open", "")));
}

const PERSONAL = [
  "/",
  "/link?type=magiclink&token_hash=1&email=a.very.long.name.of.somebody.else.in.one.word%40example.com",
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
      await explorer.page.locator("header.top .sign-in").click();
      await explorer.page.waitForSelector("dialog[open]");
      assert.deepEqual(await findings(explorer), [], "the sign-in dialog");
      await explorer.page.keyboard.press("Escape");
      await explorer.signIn(person);
      await checkPages(explorer, [...PERSONAL, `/lots/${lot}`]);
    }, { width, height: 740 });
  });

  Deno.test({
    name: `explorer: the map and the pages of lots have no serious finding of axe (${scheme}, ${width} px)`,
    ignore: !hasBrowser,
  }, async () => {
    const [lat, lng] = [-(50 + Math.random()), -(100 + Math.random())];
    const known = await aPricedLot({ lat, lng, name: "Priced lot", total_spaces: 20, max_height_m: 2.1 });
    // Neither hours nor a price.
    const unknown = await aLot({ lat: lat + 0.002, lng, name: "Unknown lot" });
    const person = await signUp();
    await inDatabase(async (sql) => {
      await sql`
        insert into public.parking_lot_windows (parking_lot_id, window_type, day_type, open_time, close_time)
        select ${known}, kind, 'all', '08:00', '22:00' from unnest(array['business', 'entry', 'exit']) as kind`;
      await sql`
        insert into public.reviews (parking_lot_id, user_id, rating, comment, status)
        select id, ${person.id}, 4, 'Narrow', 'approved' from unnest(${[known, unknown]}::uuid[]) as id`;
    });
    await inExplorer(async (explorer) => {
      await explorer.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      await explorer.open(`/?lat=${lat}&lng=${lng}`);
      await explorer.sees("Unknown lot");
      await checkPage(explorer, "the map page");
      await unfold(explorer);
      await checkPage(explorer, "the map page with open conditions");
      await explorer.page.$eval(".map-lot", (marker) => (marker as HTMLElement).click());
      await explorer.page.waitForSelector(".map-picked h3");
      await checkPage(explorer, "the map page with a lot chosen on the map");
      await checkPages(explorer, [`/lots/${known}`, `/lots/${unknown}`]);
      await explorer.signIn(await signUp());
      for (const lot of [known, unknown]) {
        await explorer.open(`/lots/${lot}`);
        await explorer.sees("Write a review");
        await unfold(explorer);
        await checkPage(explorer, `the open parts of lot ${lot}`);
      }
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

Deno.test({
  name:
    "explorer: another page has its title and the focus, begins at its top, and the language is that of the document",
  ignore: !hasBrowser,
}, async () => {
  const lot = await aPricedLot({ name: "Lot with a title" });
  const person = await signUp();
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    const state = () =>
      page.evaluate(() => [document.title, document.activeElement?.id, scrollY, document.documentElement.lang]);
    await explorer.open(`/lots/${lot}`);
    await explorer.signIn(person);
    await page.waitForFunction(() => document.title === "Lot with a title – Parking lots");
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await page.$eval("nav a[href='#/rewards']", (link) => (link as HTMLElement).click());
    await page.waitForFunction(() => document.title === "Rewards – Parking lots");
    assert.deepEqual(await state(), ["Rewards – Parking lots", "content", 0, "en"]);
    await page.select("header.top select", "ja");
    await page.waitForFunction(() => document.title === "特典 – 駐車場");
    assert.equal((await state())[3], "ja");
    await page.goBack();
    await page.waitForFunction(() => document.title === "Lot with a title – 駐車場");
    assert.equal((await state())[1], "content");
  });
});
