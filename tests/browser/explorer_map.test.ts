/// <reference lib="dom" />
// The explorer: the map with its clusters and lots, the ranked list, conditions, and the search by a sentence.
import assert from "node:assert/strict";
import { aPricedLot } from "../api/sessions.ts";
import { asAnonymous, asUser, signUp } from "../support/people.ts";
import { hasBrowser } from "../support/browser.ts";
import { type Explorer, inExplorer } from "./explorer.ts";

const ignore = !hasBrowser;

/** In Japan's time, as the panel has it, and as requests have it. */
const STAY = { entry: "2026-12-02T10:00", exit: "2026-12-02T12:00" };
const TIMES = { entry_at: "2026-12-02T01:00:00.000Z", exit_at: "2026-12-02T03:00:00.000Z" };
const MARKUP = `<img src=x onerror="globalThis.isMarkup = true">`;

interface Place {
  readonly lat: number;
  readonly lng: number;
}

/** A place on the sea, where no other test has lots. */
function emptyPlace(): Place {
  const part = () => Math.floor(Math.random() * 10_000) / 1000;
  return { lat: -30 - part(), lng: -130 - part() };
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
  await aPricedLot({ ...outside, name: `Outside ${MARKUP}` });
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
    assert.equal(fee.total_amount, 800);
    assert.equal(await page.$eval(".map-results .map-price", (price) => price.textContent), "¥800");
    const marker = `.map-canvas [data-lot="${near}"]`;
    assert.equal(await page.$eval(marker, (button) => button.textContent), "¥800");

    // The lot outside of the radius is a circle on the map, at its place in Web Mercator.
    const canvas = (await (await page.$(".map-canvas"))!.boundingBox())!;
    const y = (lat: number) => Math.asinh(Math.tan(lat * Math.PI / 180)) / (2 * Math.PI) * 512 * 2 ** 14;
    const [x, top] = [canvas.x + canvas.width / 2, canvas.y + canvas.height / 2 - (y(outside.lat) - y(place.lat))];
    await page.waitForFunction(
      (x, y) => {
        const options = { bubbles: true, clientX: x, clientY: y };
        document.querySelector(".map-canvas canvas")!.dispatchEvent(new MouseEvent("mousemove", options));
        return getComputedStyle(document.querySelector(".map-canvas canvas")!).cursor === "pointer";
      },
      { polling: 200 },
      x,
      top,
    );
    await page.mouse.click(x, top);
    await page.waitForFunction(
      (name) => document.querySelector(".map-picked h3")?.textContent === name,
      {},
      `Outside ${MARKUP}`,
    );
    await explorer.click("Close");

    await page.hover(marker);
    await page.waitForSelector(`.map-results .map-lit[data-lot="${near}"]`);
    assert.equal(await page.evaluate(() => "isMarkup" in globalThis), false);
    assert.equal(await page.$(".map-page img"), null);

    // The keyboard alone: from the heading to the first lot of the list.
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    const isAtLot = () => page.evaluate(() => document.activeElement?.closest("h3") !== null);
    for (let tabs = 0; tabs < 60 && !await isAtLot(); tabs++) await page.keyboard.press("Tab");
    await page.waitForSelector(`${marker}.map-lit`);
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

Deno.test({
  name:
    "explorer: conditions narrow the list as the service does, a reload keeps them, and a lot that is too low says so",
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
    await page.locator("::-p-text(Conditions)").click();
    await explorer.click("Covered");
    await lists(explorer, await matching({ attributes: ["covered"] }));
    await page.locator("::-p-text(Vehicle dimensions)").click();
    await page.locator("::-p-aria([name='Height (m)'])").fill("2");
    await page.keyboard.press("Tab");
    await explorer.sees("Does not fit: Height ≤ 1.5 m");
    await explorer.click("Only lots that are known to fit");
    const query = { attributes: ["covered"], vehicle: { height_m: 2 } };
    await lists(explorer, await matching(query));
    await explorer.sees("1 lots in this part of the map");

    await page.reload();
    await lists(explorer, ["Covered"]);
    const checked = await page.$$eval("input:checked", (boxes) => boxes.map((box) => box.parentElement!.textContent));
    assert.deepEqual(checked, ["Only lots that are known to fit", "Covered"]);
  });
});

Deno.test({
  name: "explorer: a sentence fills the conditions and shows what was assumed, and a lot is saved from the list",
  ignore,
}, async () => {
  const person = await signUp();
  const place = emptyPlace();
  const lot = await aPricedLot({ ...north(place, 50), name: "Covered", max_height_m: 2.3, tag_slugs: ["covered"] });
  await aPricedLot({ ...north(place, 150), name: "Open air", max_height_m: 2.3 });

  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await explorer.open(address(place));
    await explorer.signIn(person);
    await lists(explorer, ["Covered", "Open air"]);
    await page.type("textarea", "near here tomorrow 9 to 18, covered, car 1.9 m high");
    await explorer.click("Search by sentence");
    await explorer.sees("Understood");
    await explorer.sees("Read by rules");
    await lists(explorer, ["Covered"]);
    const values = await page.evaluate(() => Object.fromEntries(new URLSearchParams(location.hash.split("?")[1])));
    assert.equal(values["attributes"], "covered");
    assert.equal(values["height_m"], "1.9");
    assert.deepEqual([values["entry"]?.slice(11), values["exit"]?.slice(11)], ["09:00", "18:00"]);
    assert.equal(await page.$eval("input[type=datetime-local]", (input) => input.value), values["entry"]);

    await page.locator(".map-results .map-result button").click();
    await explorer.sees("★ Saved");
    const { items } = await (await asUser(person)("/me/saved-parking-lots")).json();
    assert.deepEqual(items.map((item: { parking_lot_id: string }) => item.parking_lot_id), [lot]);
  });
});
