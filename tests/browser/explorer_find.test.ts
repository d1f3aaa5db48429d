/// <reference lib="dom" />
// The explorer: finding a lot on a phone and on a wide screen: one line, sentences, the sheet, usable lots first, errors.
import assert from "node:assert/strict";
import type { HTTPRequest, Page } from "puppeteer-core";
import { inDatabase } from "../api/lots.ts";
import { aPricedLot } from "../api/sessions.ts";
import { asUser, signUp } from "../support/people.ts";
import { hasBrowser } from "../support/browser.ts";
import { type Explorer, inExplorer } from "./explorer.ts";
import { emptyPlace } from "./map.ts";

const ignore = !hasBrowser;
const PHONE = { width: 360, height: 740, isPhone: true };

interface Place {
  readonly lat: number;
  readonly lng: number;
}

const address = (place: Place, more: Record<string, string> = {}): string =>
  `/?${new URLSearchParams({ lat: String(place.lat), lng: String(place.lng), ...more })}`;

const valuesOf = (page: Page): Promise<Record<string, string>> =>
  page.evaluate(() => Object.fromEntries(new URLSearchParams(location.hash.split("?")[1])));

/** Waits until the address of the page has the values. */
async function hasValues(page: Page, expected: Record<string, string | undefined>): Promise<void> {
  const relevant = async () => {
    const values = await valuesOf(page);
    return Object.fromEntries(Object.keys(expected).map((name) => [name, values[name]]));
  };
  for (const deadline = Date.now() + 30_000; Date.now() < deadline;) {
    if (JSON.stringify(await relevant()) === JSON.stringify(expected)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.deepEqual(await relevant(), expected);
}

const LINE = "[role=combobox]";
const named = (name: string) => `::-p-aria([name=${JSON.stringify(name)}])`;

/** The text of the list without the folded lots. */
const listed = (page: Page): Promise<string[]> =>
  page.$$eval(".map-results > div > .results h3", (heads) => heads.map((head) => head.textContent ?? ""));

Deno.test({
  name: "explorer: a van of 2.1 m, tomorrow over midnight: six touches from the first screen to a started session",
  ignore,
}, async () => {
  const person = await signUp();
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await explorer.open("/account");
    await explorer.signIn(person);
    await explorer.open("/");
    await page.waitForSelector(".results h3");
    let touches = 0;
    const touch = async (selector: string) => {
      touches++;
      await page.locator(selector).click();
    };
    await touch(LINE);
    // Tonight at 22:30 would be in the past from then until midnight.
    await page.keyboard.type("van 2.1 m high in Chiyoda-ku tomorrow 22:30 to 1:30");
    await touch(".line-options [role=option]:last-child");
    await page.waitForFunction(() => location.hash.includes("height_m=2.1"));
    const { entry = "", exit = "", place } = await valuesOf(page);
    assert.deepEqual([entry.slice(11), exit.slice(11), place], ["22:30", "01:30", "Chiyoda-ku"]);
    assert.ok(exit.slice(0, 10) > entry.slice(0, 10), "over midnight");
    await page.waitForFunction(() => document.querySelector(".chips")?.textContent?.includes("2.1 m"));
    await page.waitForFunction(() => document.querySelector("[aria-busy=true]") === null);
    await touch(".results > li:first-child h3 a");
    await page.waitForFunction(() => location.hash.startsWith("#/lots/"));
    const { vehicle, entry_at } = await valuesOf(page);
    assert.deepEqual(JSON.parse(vehicle!), { height_m: 2.1 });
    assert.equal(new Date(entry_at!).getTime(), Date.parse(`${entry}+09:00`));
    await touch(`${named("Start")}`);
    await touch("dialog[open] button[type=submit]");
    await page.waitForFunction(() => location.hash === "#/session");
    assert.ok(touches <= 6, `${touches} touches`);
    console.log(`${touches} touches`);
  }, PHONE);
  const { items } = await (await asUser(person)("/me/parking-sessions")).json();
  assert.deepEqual(items.map(({ status }: { status: string }) => status), ["parking"]);
});

for (const [language, name] of [["en", "Chiyoda-ku"], ["ja", "千代田区"]] as const) {
  Deno.test({
    name: `explorer: a place is chosen from the suggestions by keys (${language}), and Escape leaves the old one`,
    ignore,
  }, async () => {
    await inExplorer(async (explorer) => {
      const { page } = explorer;
      await explorer.open("/");
      const line = (await page.waitForSelector(LINE))!;
      const shown = () => line.evaluate((input) => (input as HTMLInputElement).value);
      await line.focus();
      await page.keyboard.type(name);
      await page.waitForFunction(() => document.querySelectorAll(".line-options [role=option]").length > 1);
      await page.keyboard.press("Escape");
      assert.equal(await shown(), "");
      await page.keyboard.type(name);
      await page.waitForFunction(() => document.querySelectorAll(".line-options [role=option]").length > 1);
      await page.keyboard.press("ArrowDown");
      const active = await line.evaluate((input) => input.getAttribute("aria-activedescendant"));
      assert.match(
        await page.$eval(`[id="${active}"]`, ({ textContent, ariaSelected }) => `${ariaSelected} ${textContent}`),
        new RegExp(`^true ${name}`),
      );
      await page.keyboard.press("Enter");
      await hasValues(page, { place: name });
      assert.equal(await shown(), name);
    }, { language });
  });
}

Deno.test({
  name:
    "explorer: a sentence without a place leads to a question for it, keeps nothing of the search before, and waits for the place",
  ignore,
}, async () => {
  const place = emptyPlace();
  await aPricedLot({ ...place, name: "A lot of the search before" });
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await explorer.open(address(place, { entry: "2026-12-02T19:00", exit: "2026-12-02T22:00", max_price: "5000" }));
    await explorer.sees("A lot of the search before");
    await page.locator(LINE).fill("covered, tomorrow 9:00 to 12:00");
    await page.keyboard.press("Enter");
    await explorer.sees("Where is that?");
    assert.deepEqual(await listed(page), [], "nothing is searched");
    // This browser may not tell where it is.
    await page.locator("button.primary::-p-text(Near me)").click();
    await explorer.sees("Your browser may not tell us where you are.");
    await page.locator(LINE).fill("Chiyoda-ku");
    await page.keyboard.press("Enter");
    await hasValues(page, { place: "Chiyoda-ku", attributes: "covered", max_price: undefined });
    const { entry = "", exit = "" } = await valuesOf(page);
    assert.deepEqual([entry.slice(11), exit.slice(11)], ["09:00", "12:00"]);
  });
});

Deno.test({
  name: "explorer: another entry keeps the length of the stay, and the vehicle is remembered for the next visit",
  ignore,
}, async () => {
  const place = emptyPlace();
  await aPricedLot({ ...place, name: "Low lot", max_height_m: 2.1 });
  const stay = { entry: "2026-12-02T19:00", exit: "2026-12-02T22:00" };
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await explorer.open(address(place, stay));
    await explorer.sees("Low lot");
    await page.locator(".chips button:first-of-type").click();
    await page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "Entry: day");
    await page.select("dialog select[aria-label='Entry: time']", "22:30");
    assert.equal(await page.$eval("dialog select[aria-label='Exit: time']", (select) => select.value), "01:30");
    await explorer.click("Show lots");
    await hasValues(page, { entry: "2026-12-02T22:30", exit: "2026-12-03T01:30" });
    await page.waitForFunction(() => document.activeElement === document.querySelector(".chips button"));

    await page.locator(".chips button:nth-of-type(2)").click();
    await page.locator(named("Height (m)")).fill("2.1");
    await explorer.click("Show lots");
    await explorer.sees("Limit 2.1 m: no room to spare");
    await explorer.open(address(place, stay));
    await explorer.sees("Limit 2.1 m: no room to spare");
    await page.locator(".results h3 a").click();
    await page.waitForFunction(() => location.hash.startsWith("#/lots/"));
    assert.deepEqual(JSON.parse((await valuesOf(page))["vehicle"]!), { height_m: 2.1 });
  });
});

Deno.test({
  name: "explorer: lots that cannot be used for the stay are folded below the others, with how many and why",
  ignore,
}, async () => {
  const place = emptyPlace();
  const near = (meters: number) => ({ ...place, lat: place.lat + meters / 111_195 });
  const closed = await aPricedLot({ ...near(10), name: "Closed at night" });
  await aPricedLot({ ...near(20), name: "Too low", max_height_m: 1.5 });
  await aPricedLot({ ...near(500), name: "Unknown hours" });
  await inDatabase((sql) =>
    sql`
      insert into public.parking_lot_windows (parking_lot_id, window_type, day_type, open_time, close_time)
      select ${closed}, kind, 'all', '08:00', '22:00' from unnest(array['business', 'entry', 'exit']) as kind`
  );
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    const search = { entry: "2026-12-02T23:00", exit: "2026-12-03T01:00", height_m: "2.1", sort: "distance" };
    await explorer.open(address(place, search));
    await explorer.sees("Not usable for this stay (2)");
    assert.deepEqual(await listed(page), ["Unknown hours"]);
    await explorer.sees("1 lot for your stay");
    await explorer.sees("1 closed, 1 too small");
    await page.locator(".results-fold summary").click();
    await explorer.sees("Too big: Height ≤ 1.5 m");
    await explorer.click("Why this order?");
    await explorer.sees("Nearest first");
  });
});

Deno.test({
  name: "explorer: the sheet of a phone goes to three heights by touch and by keys, and Back finds the list as it was",
  ignore,
}, async () => {
  const place = emptyPlace();
  for (let lot = 0; lot < 14; lot++) {
    await aPricedLot({ lat: place.lat + lot / 5000, lng: place.lng, name: `Lot ${String(lot).padStart(2, "0")}` });
  }
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await explorer.open(address(place, { sort: "distance" }));
    await explorer.sees("14 lots");
    const level = (name: string) => page.waitForSelector(`.sheet-over.sheet-${name}:not(.sheet-moving)`);
    const settled = () =>
      page.waitForFunction(() => document.querySelector(".sheet-over")!.getAnimations().length === 0);
    await level("low");
    const drag = async (from: number, to: number) => {
      await settled();
      await page.touchscreen.touchStart(180, from);
      for (let step = 1; step <= 6; step++) {
        await page.touchscreen.touchMove(180, from + (to - from) * step / 6);
        await new Promise((resolve) => setTimeout(resolve, 60));
      }
      // The finger is at rest before it leaves. Otherwise it is a flick, where the page is drawn in time.
      await page.touchscreen.touchMove(180, to + Math.sign(to - from));
      await page.touchscreen.touchEnd();
    };
    // On the handle, and on the list while it is not full.
    await drag(490, 320);
    await level("half");
    await drag(500, 220);
    await level("full");
    await page.focus(".sheet-handle");
    await page.keyboard.press("ArrowDown");
    await level("half");
    await page.keyboard.press("ArrowUp");
    await level("full");
    await settled();

    await page.$eval(".sheet-scroll", (list) => list.scrollTo(0, 300));
    const link = (await page.waitForSelector("::-p-text(Lot 07)"))!;
    const before = (await link.boundingBox())!.y;
    await link.click();
    await page.waitForFunction(() => location.hash.startsWith("#/lots/"));
    await page.goBack();
    await level("full");
    await page.waitForFunction(() => document.querySelector(".sheet-scroll")!.scrollTop > 200);
    const again = (await (await page.waitForSelector("::-p-text(Lot 07)"))!.boundingBox())!.y;
    assert.ok(Math.abs(again - before) < 30, `${before} px before, ${again} px after`);
  }, { ...PHONE, hasMaps: true });
});

/** Answers the first request for lots near a place with an error. */
async function failOnce(page: Page, status: number, code: string, headers: Record<string, string>): Promise<void> {
  let failed = 0;
  await page.setRequestInterception(true);
  page.on("request", (request: HTTPRequest) => {
    if (!request.url().includes("/parking-lots/nearby") || failed++ > 0) return void request.continue();
    const error = { code, message: "An English sentence.", message_key: `error.${code}`, request_id: "the-id" };
    void request.respond({
      status,
      headers: { ...headers, "access-control-allow-origin": "*", "access-control-expose-headers": "retry-after" },
      contentType: "application/json",
      body: JSON.stringify({ error: { ...error, param: null, doc_url: null } }),
    });
  });
}

Deno.test({
  name: "explorer: an error is a Japanese sentence with the button that helps, and a word opens its id",
  ignore,
}, async () => {
  const place = emptyPlace();
  const person = await signUp();
  await aPricedLot({ ...place, name: "The lot" });
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await failOnce(page, 429, "rate_limited", { "retry-after": "61" });
    await explorer.open(address(place));
    await explorer.sees("短い時間に回数が多すぎます。");
    await page.waitForFunction(() =>
      [...document.querySelectorAll("button:disabled")].some(({ textContent }) =>
        /^あと(6[01]|5\d)秒$/.test(textContent!)
      )
    );
    const shown = await page.evaluate(() => document.body.innerText);
    assert.ok(!/An English sentence|rate_limited|the-id/.test(shown), shown);
    await page.locator(".notice.error summary").click();
    await explorer.sees("the-id");
  }, { language: "ja" });
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await failOnce(page, 401, "unauthorized", {});
    await explorer.open(address(place));
    await explorer.sees("You are not signed in any more.");
    await page.locator(".notice.error button").click();
    await page.locator("dialog input[type=email]").fill(person.email);
    await page.locator("dialog input[type=password]").fill(person.password);
    await page.locator("dialog button[type=submit]").click();
    await explorer.sees("The lot");
  });
});

Deno.test({
  name: "explorer: who must sign in for an act goes on with it, and the focus is where the work is",
  ignore,
}, async () => {
  const person = await signUp();
  const lot = await aPricedLot({ name: "Wished lot" });
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await explorer.open(`/lots/${lot}`);
    await page.locator(named("Start")).click();
    await page.waitForSelector("dialog input[type=email]");
    await page.waitForFunction(() => (document.activeElement as HTMLInputElement).type === "email");
    await page.locator("dialog input[type=email]").fill(person.email);
    await page.locator("dialog input[type=password]").fill(person.password);
    await page.locator("dialog button[type=submit]").click();
    await page.waitForSelector("dialog select[name=vehicle]");
    await page.waitForFunction(() => (document.activeElement as HTMLSelectElement).name === "vehicle");
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog", { hidden: true });
    await page.waitForFunction(() => document.activeElement?.textContent === "Start");
  });
});

/** Controls that are smaller than 24 px and not words of a text. */
function smallTargets({ page }: Explorer): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>("main button, main select, main summary, .tabs a, .top button, .top a")]
      .filter((element) => element.checkVisibility({ visibilityProperty: true }))
      .map((element) => ({ element, box: element.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0 && (box.width < 24 || box.height < 24))
      .map(({ element, box }) => `${element.outerHTML.slice(0, 80)} ${box.width} × ${box.height}`)
  );
}

for (const language of ["en", "ja"] as const) {
  Deno.test({
    name: `explorer: the search fits every width from 320 to 1,440 px, with targets of 24 px (${language})`,
    ignore,
  }, async () => {
    const place = emptyPlace();
    await aPricedLot({ ...place, name: "A lot with a name that is much too long for the line of a phone of 320 px" });
    await inExplorer(async (explorer) => {
      const { page } = explorer;
      await explorer.open(address(place, { max_price: "100000", attributes: "", keywords: "lot,name,phone" }));
      await explorer.sees("A lot with a name");
      for (const width of [320, 360, 768, 959, 960, 1280, 1440]) {
        await page.setViewport({ width, height: 740 });
        await page.waitForFunction((width) => innerWidth === width, {}, width);
        assert.equal(
          await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
          0,
          `${width} px`,
        );
        assert.deepEqual(await smallTargets(explorer), [], `${width} px`);
        const height = await page.$eval(".result", (card) => card.getBoundingClientRect().height);
        assert.ok(height <= 96, `a card of ${height} px at ${width} px`);
      }
    }, { language });
  });
}
