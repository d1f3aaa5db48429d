/// <reference lib="dom" />
// The explorer: no serious finding of axe on any page, no page wider than a phone, and a heading and a title for each.
import assert from "node:assert/strict";
import { anAdministrator } from "../api/administrators.ts";
import { ask, bearer, jsonBody } from "../api/client.ts";
import { aLot, inDatabase } from "../api/lots.ts";
import { aPricedLot, post } from "../api/sessions.ts";
import { signUp } from "../support/people.ts";
import { hasBrowser } from "../support/browser.ts";
import { onlyLong } from "../support/sizes.ts";
import { findings } from "./axe.ts";
import { type Explorer, inExplorer, openSignIn } from "./explorer.ts";
import { clickPin } from "./map.ts";

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
  assert.equal(await page.title(), `${headings[0]} – Tomeru`, name);
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

/** Ids and codes that a page shows in place of names. What is set as code is meant as such. */
const rawWords = ({ page }: Explorer): Promise<string[]> =>
  page.evaluate(() => {
    const found = new Set<string>();
    const texts = document.createTreeWalker(document.querySelector("main")!, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      if (text.parentElement!.closest("code, option, textarea")) continue;
      const raw = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}|\b[a-z]+(?:_[a-z]+)+\b/g;
      for (const [word] of text.textContent!.matchAll(raw)) {
        found.add(`${word}: ${text.parentElement!.closest("li, td, p")?.textContent}`);
      }
    }
    return [...found];
  });

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
  "/account/profile",
  "/account/searches",
  "/account/reports",
  "/account/notifications",
  "/account/subscription",
  "/account/articles",
  "/account/sponsors",
  "/account/security",
  "/account/keys",
  "/account/data",
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

const NARROW = { scheme: "dark", width: 320 };
const LOOKS = onlyLong("AXE_WIDE") ? [NARROW, { scheme: "light", width: 1200 }] : [NARROW];

for (const { scheme, width } of LOOKS) {
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
      await openSignIn(explorer.page);
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
      for (const [chip, sheet] of [[1, "the stay"], [2, "the vehicle"], [3, "the filters"]] as const) {
        await explorer.page.locator(`.chips button:nth-of-type(${chip})`).click();
        await explorer.page.waitForSelector("dialog[open]");
        assert.deepEqual(await findings(explorer), [], sheet);
        await explorer.page.keyboard.press("Escape");
        await explorer.page.waitForSelector("dialog", { hidden: true });
      }
      await clickPin(explorer.page, known, { lat, lng });
      await checkPage(explorer, "the map page with a lot chosen on the map");
    }, { width, height: 740, hasMaps: true });
  });

  Deno.test({
    name: `explorer: the pages of lots and their sheets have no serious finding of axe (${scheme}, ${width} px)`,
    ignore: !hasBrowser,
  }, async () => {
    const known = await aPricedLot({ name: "Priced lot", total_spaces: 20, max_height_m: 2.1 });
    // Neither hours nor a price.
    const unknown = await aLot({ name: "Unknown lot" });
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
      const { page } = explorer;
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      await checkPages(explorer, [`/lots/${known}`, `/lots/${unknown}`]);
      await explorer.signIn(await signUp());
      for (const lot of [known, unknown]) {
        await explorer.open(`/lots/${lot}?vehicle={"height_m":2.1,"width_m":1.8}`);
        await explorer.sees("Write a review");
        await unfold(explorer);
        await checkPage(explorer, `the open parts of lot ${lot}`);
      }
      for (const opener of [".lot-my-head button", ".lot-actions .primary", ".lot-actions button:last-child"]) {
        await page.locator(opener).click();
        await page.waitForSelector("dialog[open] :is(button[type=submit], ul a)");
        assert.deepEqual(await findings(explorer), [], opener);
        await page.keyboard.press("Escape");
        await page.waitForSelector("dialog", { hidden: true });
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
          `parking-lots/${lot}/price`,
          `parking-lots/${lot}/windows`,
          `parking-lots/${lot}/date_overrides`,
          `parking-lots/${lot}/position`,
          `parking-lots/${lot}/spots`,
          `parking-lots/${lot}/tags`,
          `parking-lots/${lot}/images`,
          "parking-lots",
          "parking-lots/import",
          "store-sync",
          "reference/codes",
          "reference/sponsors/new",
          "reference/badges/new",
          "admins/new",
          "health",
          "jobs",
          "activity-logs",
        ].map((path) => `/console/${path}`.replace(/\/$/, "")),
      );
    }, { width, height: 740 });
  });
}

Deno.test({
  name: "explorer: the console shows names and labels, not ids and codes",
  ignore: !hasBrowser,
}, async () => {
  const administrator = await anAdministrator(...AREAS);
  const token = bearer(administrator.token);
  const write = async (method: string, path: string, body: unknown) => {
    const response = await ask(`/admin${path}`, { method, ...jsonBody(body, token) });
    assert.ok(response.ok, `${path}: ${await response.clone().text()}`);
    return await response.json();
  };
  const { sync_run_ids: [run] } = await write("POST", "/store-sync/trigger", { store: "ios_store", task: "sales" });
  const word = `Word ${Date.now()}`;
  await write("POST", "/ads", { placement: "home_top", title: word, is_active: true, weight: 1 });
  await write("POST", "/articles", { locale: "en", slug: `draft-${Date.now()}`, title: word, body: "Text" });
  await inExplorer(async (explorer) => {
    await explorer.open("/console");
    await explorer.signIn(administrator);
    for (
      const path of [
        `store-sync/${run}`,
        "health",
        "jobs",
        // Only what this test wrote: names that other tests gave may look like ids.
        `activity-logs?admin_id=${administrator.id}`,
        `reference/articles?q=${word}`,
        `reference/ads?q=${word}`,
        "reference/exp_rules",
        "reference/levels",
      ]
    ) {
      await explorer.open(`/console/${path}`);
      await explorer.page.waitForSelector("main :is(table, dl)");
      await explorer.page.waitForFunction(() => document.querySelector("[aria-busy=true]") === null);
      assert.deepEqual(await rawWords(explorer), [], path);
    }
  }, { width: 1280, height: 900 });
});

for (const language of ["en", "ja"] as const) {
  Deno.test({
    name: `explorer: with a zoom of 200 % no page scrolls sideways (${language})`,
    ignore: !hasBrowser,
  }, async () => {
    const person = await signUp({ displayName: "山田 太郎" });
    const lot = await aPricedLot({ name: "東京駅八重洲口地下第二駐車場", max_height_m: 2.1 });
    await post("", person.token, { parking_lot_id: lot });
    await inExplorer(async (explorer) => {
      const { page } = explorer;
      await explorer.open("/account");
      await explorer.signIn(person);
      for (const path of [...PERSONAL, `/lots/${lot}`]) {
        await explorer.open(path);
        await page.waitForSelector("main h1");
        await page.waitForFunction(() => document.querySelector("[aria-busy=true]") === null);
        assert.equal(await overflow(explorer), 0, path);
      }
      // A window of 1,280 × 900 px then has half of them.
    }, { width: 640, height: 450, language });
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
    await page.waitForFunction(() => document.title === "Lot with a title – Tomeru");
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await page.$eval(".tabs a[href='#/inbox']", (link) => (link as HTMLElement).click());
    await page.waitForFunction(() => document.title === "Inbox – Tomeru");
    assert.deepEqual(await state(), ["Inbox – Tomeru", "content", 0, "en"]);
    await page.select(".top-tools select", "ja");
    await page.waitForFunction(() => document.title === "お知らせ – Tomeru");
    assert.equal((await state())[3], "ja");
    await page.goBack();
    await page.waitForFunction(() => document.title === "Lot with a title – Tomeru");
    assert.equal((await state())[1], "content");
  });
});
