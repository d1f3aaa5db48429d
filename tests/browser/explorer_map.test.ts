/// <reference lib="dom" />
// The explorer: the map with its clusters and lots, the ranked list, conditions, and the search by a sentence.
import assert from "node:assert/strict";
import { fromLocalInput } from "../../apps/web/src/local_time.ts";
import { inDatabase } from "../api/lots.ts";
import { aPricedLot } from "../api/sessions.ts";
import { eventually } from "../support/eventually.ts";
import { asAnonymous, asUser, signUp } from "../support/people.ts";
import { hasBrowser } from "../support/browser.ts";
import { findings } from "./axe.ts";
import { type Explorer, inExplorer as visit } from "./explorer.ts";
import { clickPin, emptyPlace, mapAtRest, pinOf, pointOf } from "./map.ts";

const ignore = !hasBrowser;
const inExplorer = (run: (explorer: Explorer) => Promise<void>) => visit(run, { hasMaps: true });

/** In Japan's time, as the panel has it, and as requests have it. */
const STAY = { entry: "2026-12-02T10:00", exit: "2026-12-02T12:00" };
const TIMES = { entry_at: "2026-12-02T01:00:00.000Z", exit_at: "2026-12-02T03:00:00.000Z" };
const MARKUP = `<img src=x onerror="globalThis.isMarkup = true">`;

interface Place {
  readonly lat: number;
  readonly lng: number;
}

/** So many metres to the north. */
const north = ({ lat, lng }: Place, meters: number): Place => ({ lat: lat + meters / 111_195, lng });

function address(place: Place, more: Record<string, string> = {}): string {
  return `/?${new URLSearchParams({ lat: String(place.lat), lng: String(place.lng), ...STAY, ...more })}`;
}

/** The names in the list, from top to bottom. */
function listed({ page }: Explorer): Promise<string[]> {
  return page.$$eval(".map-results h3", (heads) => heads.map((head) => head.textContent ?? ""));
}

async function lists(explorer: Explorer, names: readonly string[]): Promise<void> {
  await explorer.page.waitForFunction(
    (expected) =>
      JSON.stringify([...document.querySelectorAll(".map-results h3")].map((head) => head.textContent)) === expected,
    {},
    JSON.stringify(names),
  ).catch(async (error) => assert.deepEqual(await listed(explorer), names, String(error)));
}

async function namesOf(path: string): Promise<string[]> {
  const response = await asAnonymous()(path);
  const body = await response.json();
  assert.equal(response.status, 200, JSON.stringify(body));
  return (body.items ?? body).map(({ name }: { name: string }) => name);
}

Deno.test({
  name: "explorer: map and list have the lots of the place with the fees of calc-fee, names stay text",
  ignore,
}, async () => {
  const place = emptyPlace();
  const near = await aPricedLot({ ...north(place, 100), name: MARKUP });
  await aPricedLot({ ...north(place, 300), name: "Second" });
  const outside = north(place, 1_200);
  const outsideLot = await aPricedLot({ ...outside, name: `Outside ${MARKUP}` });
  const search = new URLSearchParams({ lat: String(place.lat), lng: String(place.lng), radius_m: "1000" });
  search.set("sort", "recommended");
  search.set("filters", JSON.stringify(TIMES));
  const expected = await namesOf(`/parking-lots/nearby?${search}`);
  assert.deepEqual(expected, [MARKUP, "Second"]);
  const fee = await (await asAnonymous()(`/parking-lots/${near}/calc-fee`, {
    method: "POST",
    body: JSON.stringify(TIMES),
  })).json();

  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await explorer.open(address(place));
    await lists(explorer, expected);
    await explorer.sees("3 lots in this part of the map");
    /** The middle of the pin at a place. */
    const lotAt = async (place: Place) => {
      const { x, y } = await pointOf(page, place);
      return { x, y: y - 15 };
    };
    assert.equal(fee.total_amount, 800);
    assert.equal(await page.$eval(".map-results .map-price", (price) => price.textContent), "¥800");
    assert.equal((await pinOf(page, near)).image[1], "¥800");

    // The lot outside of the radius is on the map too.
    await clickPin(page, outsideLot, outside);
    await page.waitForFunction(
      (name) => document.querySelector(".map-picked h3")?.textContent === name,
      {},
      `Outside ${MARKUP}`,
    );
    await explorer.click("Close");

    await mapAtRest(page);
    const pin = await lotAt(north(place, 100));
    await page.mouse.move(pin.x, pin.y);
    await page.waitForSelector(`.map-results .map-lit[data-lot="${near}"]`);
    assert.equal(await page.evaluate(() => "isMarkup" in globalThis), false);
    assert.equal(await page.$(".find img"), null);

    // The keyboard alone: from the line to the first lot of the list are the chips and the order.
    await page.focus("[role=combobox]");
    const isAtLot = () => page.evaluate(() => document.activeElement?.closest("h3") !== null);
    for (let tabs = 0; tabs < 10 && !await isAtLot(); tabs++) await page.keyboard.press("Tab");
    await pinOf(page, near, "chosen");
    const stay = new URLSearchParams({ ...TIMES, vehicle_type: "standard" });
    assert.equal(
      await page.evaluate(() => document.activeElement?.getAttribute("href")),
      `#/lots/${near}?${stay}`,
    );
    await page.keyboard.press("Enter");
    await page.waitForFunction((name) => document.querySelector("h1")?.textContent === name, {}, MARKUP);

    // From far away the lots are a group.
    await explorer.open(address(place, { view: `${place.lng},${place.lat},9` }));
    await explorer.sees("3 lots in this part of the map (in groups");
  });
});

/** A lot by the clocks of Zürich: by day 200 for each half hour, at night 50 an hour, open from 6:00 to 23:00. */
async function lotInZurich(place: Place, name: string): Promise<string> {
  const id = await aPricedLot({ ...place, name, time_zone: "Europe/Zurich" });
  await inDatabase(async (sql) => {
    await sql`delete from public.pricing_rules where parking_lot_id = ${id}`;
    await sql`
      insert into public.pricing_rules
        (parking_lot_id, category, per_minutes, price_minor, day_type, time_start, time_end, rule_order)
      values (${id}, 'time_band', 30, 200, 'all', '08:00', '20:00', 1),
        (${id}, 'time_band', 60, 50, 'all', '20:00', '08:00', 2)`;
    await sql`
      insert into public.parking_lot_windows (parking_lot_id, window_type, day_type, open_time, close_time)
      values (${id}, 'business', 'all', '06:00', '23:00')`;
  });
  return id;
}

Deno.test({
  name: "explorer: a reader in Tokyo who looks at Zürich types times of Zürich, and the zone is named",
  ignore,
}, async () => {
  const place = emptyPlace();
  const lot = await lotInZurich(north(place, 100), "Bahnhofquai");
  const inNewYork = emptyPlace();
  await aPricedLot({ ...inNewYork, time_zone: "America/New_York" });
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    const requested: string[][] = [];
    let pages = 0;
    page.on("request", (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname.endsWith(lot)) pages++;
      if (!pathname.endsWith("/parking-lots/nearby")) return;
      const { entry_at, exit_at } = JSON.parse(searchParams.get("filters") ?? "{}");
      requested.push([entry_at, exit_at]);
    });
    const requests = (entry: string, exit: string) =>
      eventually(() => JSON.stringify(requested.at(-1)) === JSON.stringify([entry, exit]) || undefined);
    const timesOf = () =>
      page.evaluate(() => {
        const values = new URLSearchParams(location.hash.split("?")[1]);
        return [values.get("entry") ?? "", values.get("exit") ?? ""] as const;
      });
    const stayChip = ".chips button:first-of-type";

    // 10:00 in Zürich. What costs less at 10:00 in Tokyo is never shown.
    await explorer.open(address(place));
    await page.waitForSelector(".map-results .map-price");
    assert.equal(await page.$eval(".map-results .map-price", (price) => price.textContent), "¥800");
    assert.deepEqual(requested.at(-1), ["2026-12-02T09:00:00.000Z", "2026-12-02T11:00:00.000Z"]);
    assert.match(await page.$eval(stayChip, (chip) => chip.textContent ?? ""), /10:00–12:00 UTC\+1$/);
    assert.equal((await pinOf(page, lot)).image[1], "¥800");

    await page.locator(stayChip).click();
    await explorer.sees("Local times of the place (Central European Time, UTC+1)");
    await page.select("dialog select[aria-label='Entry: time']", "11:00");
    await explorer.click("Show lots");
    await page.waitForFunction(() => location.hash.includes("entry=2026-12-02T11%3A00"));
    await requests("2026-12-02T10:00:00.000Z", "2026-12-02T12:00:00.000Z");

    // The night too, whenever it is tonight.
    await page.locator(stayChip).click();
    await explorer.click("Overnight");
    await page.waitForFunction(() => !location.hash.includes("entry=2026-12-02T11%3A00"));
    const [entry, exit] = await timesOf();
    assert.ok(entry.slice(11) >= "18:00" || entry.slice(0, 10) === exit.slice(0, 10), entry);
    assert.equal(exit.slice(11), "08:00");
    await requests(fromLocalInput(entry, "Europe/Zurich"), fromLocalInput(exit, "Europe/Zurich"));

    // The list has the zone: no page of a lot was read for it.
    assert.equal(pages, 0);

    // The link of a lot's page has the clocks of the lot.
    await explorer.open(`/lots/${lot}?entry_at=2026-12-02T09:00:00Z&exit_at=2026-12-02T11:00:00Z`);
    await explorer.click("Show on the map");
    await page.waitForFunction(() => location.hash.startsWith("#/?"));
    assert.deepEqual(await timesOf(), [STAY.entry, STAY.exit]);
    await page.waitForSelector(".map-results .map-price");
    assert.deepEqual(requested.at(-1), ["2026-12-02T09:00:00.000Z", "2026-12-02T11:00:00.000Z"]);

    // The map is moved to lots by other clocks: what was typed stays.
    await mapAtRest(page);
    await page.evaluate(({ lat, lng }) => {
      // deno-lint-ignore no-explicit-any
      (document.querySelector(".map-canvas") as any).map.jumpTo({ center: [lng, lat] });
    }, inNewYork);
    await requests("2026-12-02T15:00:00.000Z", "2026-12-02T17:00:00.000Z");
    assert.deepEqual(await timesOf(), [STAY.entry, STAY.exit]);
    assert.match(await page.$eval(stayChip, (chip) => chip.textContent ?? ""), /10:00–12:00 UTC-5$/);
  });
});

Deno.test({
  name: "explorer: a browser without a map shows a message, and has the list, a place and the page of a lot",
  ignore,
}, async () => {
  const place = emptyPlace();
  const lot = await aPricedLot({ ...north(place, 100), name: "Without a map" });
  for (const options of [{ width: 1280, height: 900 }, { width: 360, height: 740, isPhone: true }]) {
    await visit(async (explorer) => {
      const { page } = explorer;
      await explorer.open(address(place));
      await lists(explorer, ["Without a map"]);
      await explorer.sees("This browser cannot draw the map");
      const note = (await (await page.$(".no-map"))!.boundingBox())!;
      // Nothing covers the note: neither the chips nor the sheet.
      assert.ok(
        await page.evaluate(({ x, y, width, height }) => {
          const [left, top] = [x + 20, y + height / 2];
          return [left, x + width - 20].every((at) => document.elementFromPoint(at, top)?.matches(".no-map"));
        }, note),
      );
      assert.deepEqual(await findings(explorer), []);
      await page.locator(".results h3 a").click();
      await page.waitForFunction(() => document.querySelector("h1")?.textContent === "Without a map");
      assert.ok(page.url().includes(`/lots/${lot}?`));
    }, options);
  }
});

Deno.test({
  name:
    "explorer: conditions narrow the list as the service does, a reload keeps them, and a lot that is too low is marked",
  ignore,
}, async () => {
  const place = emptyPlace();
  await aPricedLot({ ...north(place, 50), name: "Covered", max_height_m: 2.3, tag_slugs: ["covered"] });
  await aPricedLot({ ...north(place, 150), name: "Low", max_height_m: 1.5, tag_slugs: ["covered"] });
  await aPricedLot({ ...north(place, 250), name: "Open air", max_height_m: 2.3 });
  const matching = (query: Record<string, unknown>) => {
    const all = { ...query, center: place, radius_m: 1000 };
    return namesOf(`/parking-lots?${new URLSearchParams({ query: JSON.stringify(all) })}`);
  };

  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await explorer.open(address(place));
    await lists(explorer, ["Covered", "Low", "Open air"]);
    await explorer.click("Filters");
    await page.locator("dialog ::-p-aria([name='Covered'])").click();
    await explorer.click("Show lots");
    await lists(explorer, await matching({ attributes: ["covered"] }));
    await page.locator(".chips button:nth-of-type(2)").click();
    await page.locator("::-p-aria([name='Height (m)'])").fill("2");
    await explorer.click("Show lots");
    await explorer.sees("1 too small");
    await page.locator(".results-fold summary").click();
    await explorer.sees("Too big: Height ≤ 1.5 m");
    await explorer.click("Filters");
    await explorer.click("Only lots that are known to fit");
    await explorer.click("Show lots");
    const query = { attributes: ["covered"], vehicle: { height_m: 2 } };
    await lists(explorer, await matching(query));
    await explorer.sees("1 lots in this part of the map");

    await page.reload();
    await lists(explorer, ["Covered"]);
    const chips = await page.$$eval(".chips button", (chips) => chips.map((chip) => chip.textContent));
    assert.deepEqual(chips.slice(1), ["Vehicle: 2 m", "Filters: Covered", "Filters: Known to fit", "Filters"]);
  });
});

Deno.test({
  name: "explorer: a guest's sentence fills the conditions, and saved lots have their mark in the list",
  ignore,
}, async () => {
  const person = await signUp();
  const place = emptyPlace();
  const lot = await aPricedLot({ ...north(place, 50), name: "Covered", max_height_m: 2.3, tag_slugs: ["covered"] });
  await aPricedLot({ ...north(place, 150), name: "Open air", max_height_m: 2.3 });
  const saved = await asUser(person)("/me/saved-parking-lots", {
    method: "POST",
    body: JSON.stringify({ parking_lot_id: lot }),
  });
  assert.equal(saved.status, 201, await saved.text());

  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await explorer.open(address(place));
    await lists(explorer, ["Covered", "Open air"]);
    await page.locator("[role=combobox]").fill("near here tomorrow 9 to 18, covered, car 1.9 m high");
    await page.keyboard.press("Enter");
    await lists(explorer, ["Covered"]);
    const values = await page.evaluate(() => Object.fromEntries(new URLSearchParams(location.hash.split("?")[1])));
    assert.equal(values["attributes"], "covered");
    assert.equal(values["height_m"], "1.9");
    assert.deepEqual([values["entry"]?.slice(11), values["exit"]?.slice(11)], ["09:00", "18:00"]);
    await explorer.sees("Tomorrow 09:00–18:00");

    await explorer.signIn(person);
    await page.waitForSelector(".results .result-saved");
  });
});
