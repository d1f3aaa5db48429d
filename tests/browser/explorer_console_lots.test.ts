/// <reference lib="dom" />
// The editors of a lot in the console: what is painted, dragged and chosen there, and what the service has afterwards.
import assert from "node:assert/strict";
import { type Administrator, anAdministrator, sending } from "../api/administrators.ts";
import { aLot } from "../api/lots.ts";
import { hasBrowser } from "../support/browser.ts";
import { picture } from "../support/files.ts";
import type { Person } from "../support/people.ts";
import { findings } from "./axe.ts";
import { type Explorer, inExplorer } from "./explorer.ts";
import { mapAtRest } from "./map.ts";

async function lotOf(id: string, administrator: Administrator) {
  const response = await administrator.ask(`/admin/parking-lots/${id}`);
  assert.equal(response.status, 200);
  return await response.json();
}

async function put(id: string, set: string, items: unknown[], administrator: Administrator): Promise<void> {
  const body = { [set.replaceAll("-", "_")]: items };
  const response = await administrator.ask(`/admin/parking-lots/${id}/${set}`, sending("PUT", body));
  assert.equal(response.status, 200, await response.text());
}

async function openPart(explorer: Explorer, administrator: Person, path: string, ready: string): Promise<void> {
  await explorer.open(path);
  await explorer.signIn(administrator);
  await explorer.page.waitForSelector(ready);
}

/** Drags from a point to others. */
async function drag({ page }: Explorer, points: readonly (readonly [x: number, y: number])[]): Promise<void> {
  const [[x, y], ...rest] = points as [readonly [number, number], ...(readonly [number, number])[]];
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (const [x, y] of rest) await page.mouse.move(x, y, { steps: 4 });
  await page.mouse.up();
}

/** Enters a value into the field with this name; the end of a painted bar has the same name. */
async function enter({ page }: Explorer, name: string, value: string): Promise<void> {
  await page.locator(`input[aria-label=${JSON.stringify(name)}]`).fill(value);
  await page.keyboard.press("Tab");
}

interface Row {
  readonly window_type: string;
  readonly day_type: string | null;
  readonly day_of_week: number | null;
  readonly open_time: string | null;
  readonly close_time: string | null;
  readonly is_closed: boolean | null;
}

const hoursOf = (windows: readonly Row[]) =>
  windows.map(({ window_type, day_type, day_of_week, open_time, close_time, is_closed }) =>
    [window_type, day_type ?? day_of_week, is_closed ? "closed" : `${open_time}-${close_time}`].join(" ")
  ).toSorted();

Deno.test({
  name: "console: hours are painted over several days, moved by keys, typed to the minute and saved at once",
  ignore: !hasBrowser,
}, async () => {
  const administrator = await anAdministrator("lots");
  const lot = await aLot({ name: "Painted" });
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await openPart(explorer, administrator, `/console/parking-lots/${lot}/windows`, ".hours-week");
    const track = async (day: string) => (await (await page.$(`.hours-track[data-day="${day}"]`))!.boundingBox())!;
    await page.$eval(".hours-week", (week) => week.scrollIntoView({ block: "center" }));
    const at = async (day: string, hour: number): Promise<[number, number]> => {
      const { x, y, width, height } = await track(day);
      return [x + (hour + 0.2) / 30 * width, y + height / 2];
    };
    await drag(explorer, [await at("1", 8), await at("1", 19.5), await at("5", 19.5)]);
    await drag(explorer, [await at("6", 9), await at("6", 25.5)]);
    await page.focus("[role=slider][aria-label='Saturday, closes, hours 1']");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.down("Shift");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.up("Shift");
    // An hour at noon is taken out of Wednesday.
    await explorer.click("Erase");
    await drag(explorer, [await at("3", 12), await at("3", 12.5)]);
    await enter(explorer, "Wednesday, closes, hours 2", "20:15");
    // The ends of hours are narrow, and the fields of the day do the same.
    const isEnd = (finding: string) => finding.startsWith('target-size: <span class="hours-end');
    assert.deepEqual((await findings(explorer)).filter((finding) => !isEnd(finding)), []);
    await explorer.click("Save");
    await explorer.sees("Saved.");
    assert.deepEqual(hoursOf((await lotOf(lot, administrator)).windows), [
      "business 3 08:00-12:00",
      "business 3 13:00-20:15",
      "business saturday 09:00-01:35",
      "business sunday closed",
      "business weekday 08:00-20:00",
    ]);
    await page.waitForFunction(() => document.querySelector<HTMLButtonElement>(".lot-save .primary")?.disabled);
  });
});

Deno.test({
  name:
    "console: two administrators change the hours of a lot: both versions are shown, what was painted stays, nothing is lost",
  ignore: !hasBrowser,
}, async () => {
  const [administrator, other] = [await anAdministrator("lots"), await anAdministrator("lots")];
  const lot = await aLot({ name: "Two painters" });
  const every = (open_time: string, window_type = "business") => ({
    window_type,
    day_type: "all",
    open_time,
    close_time: "20:00",
  });
  await put(lot, "windows", [every("08:00")], administrator);
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await openPart(explorer, administrator, `/console/parking-lots/${lot}/windows`, ".hours-week");
    await enter(explorer, "Monday, closes, hours 1", "21:00");
    await put(lot, "windows", [every("09:00"), every("07:00", "exit")], other);
    await explorer.click("Save");
    await explorer.sees("Changed meanwhile");
    await explorer.sees("Mon–Sun 08:00–20:00");
    await explorer.sees("Mon–Sun 09:00–20:00");
    await explorer.sees("Mon–Sun 07:00–20:00");
    assert.deepEqual(hoursOf((await lotOf(lot, administrator)).windows), [
      "business all 09:00-20:00",
      "exit all 07:00-20:00",
    ], "nothing was overwritten");
    const typed = await page.$eval("input[aria-label='Monday, closes, hours 1']", ({ value }) => value);
    assert.equal(typed, "21:00", "what was entered stays");
    await explorer.click("Save mine over it");
    await explorer.sees("Saved.");
    assert.deepEqual(hoursOf((await lotOf(lot, administrator)).windows), [
      "business 1 08:00-21:00",
      "business saturday 08:00-20:00",
      "business sunday 08:00-20:00",
      "business weekday 08:00-20:00",
      "exit all 07:00-20:00",
    ], "hours that were not painted stay as the other administrator saved them");
  });
});

Deno.test({
  name:
    "console: days are chosen on the calendar by keys and by pointer, and the days that another administrator saved stay",
  ignore: !hasBrowser,
}, async () => {
  const [administrator, other] = [await anAdministrator("lots", "content"), await anAdministrator("lots")];
  const lot = await aLot({ name: "Days" });
  // A calendar of its own: other tests have none of its days.
  const calendar = "XD";
  const change = await administrator.ask(
    `/admin/parking-lots/${lot}`,
    sending("PATCH", { holiday_calendar: calendar }),
  );
  assert.equal(change.status, 200);
  const holiday = { calendar, holiday_date: "2099-01-01", name: "元日", name_en: "First Day" };
  assert.ok([201, 409].includes((await administrator.ask("/admin/holidays", sending("POST", holiday))).status));
  const pricing = [{ category: "flat", price_minor: 500 }];
  await put(lot, "date-overrides", [{ override_date: "2099-01-01", label: "New Year", pricing }], administrator);
  const overrides = async () =>
    (await lotOf(lot, administrator)).date_overrides.map(
      ({ override_date, label, hours, pricing }: Record<string, unknown>) => [override_date, label, hours, pricing],
    );
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await openPart(explorer, administrator, `/console/parking-lots/${lot}/date_overrides`, ".days-calendar");
    await page.$eval("input[aria-label='From this day']", (input) => {
      input.value = "2098-12-30";
      input.dispatchEvent(new Event("change", { bubbles: true }));
    });
    await page.waitForSelector("[data-date='2098-12-30'][aria-selected='true']");
    // A public holiday of the lot's calendar, here one of the next year.
    await page.waitForSelector("[data-date='2099-01-01'].is-holiday");
    const said = await page.$eval("[data-date='2099-01-01'] .visually-hidden", ({ textContent }) => textContent);
    assert.match(said, /First Day, New Year/);
    await page.focus("[data-date='2098-12-30'][tabindex='0']");
    await page.keyboard.down("Shift");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.up("Shift");
    await page.waitForFunction(() => (document.activeElement as HTMLElement).dataset["date"] === "2099-01-01");
    await explorer.sees("3 days");
    await explorer.click("Closed");
    assert.deepEqual(await findings(explorer), []);
    // By pointer, along a week of January.
    await page.$eval(".days-calendar", (calendar) => calendar.scrollIntoView({ block: "center" }));
    const at = async (date: string): Promise<[number, number]> => {
      const { x, y, width, height } = (await (await page.$(`[data-date="${date}"]`))!.boundingBox())!;
      return [x + width / 2, y + height / 2];
    };
    await drag(explorer, [await at("2099-01-13"), await at("2099-01-14")]);
    await explorer.sees("2 days");
    await explorer.click("Own hours");
    await enter(explorer, "Business hours, closes, hours 1", "2:30");
    await put(lot, "date-overrides", [
      { override_date: "2099-01-01", label: "New Year", pricing },
      { override_date: "2099-05-05", label: "Children's Day", hours: { is_24h: true } },
    ], other);
    await explorer.click("Save");
    await explorer.sees("Changed meanwhile");
    await explorer.sees("Children's Day, Day and night");
    assert.equal((await overrides()).length, 2, "nothing was overwritten");
    await explorer.click("Save mine over it");
    await explorer.sees("Saved.");
    const own = { business: [{ open_time: "08:00", close_time: "02:30" }] };
    assert.deepEqual((await overrides()).map((row: unknown[]) => row.slice(0, 3)), [
      ["2098-12-30", null, { is_closed: true }],
      ["2098-12-31", null, { is_closed: true }],
      ["2099-01-01", "New Year", { is_closed: true }],
      ["2099-01-13", null, own],
      ["2099-01-14", null, own],
      ["2099-05-05", "Children's Day", { is_24h: true }],
    ]);
    assert.equal((await overrides())[2][3].length, 1, "the prices of the day stay");
  });
});

Deno.test({
  name: "console: the position of a lot is moved by keys, by a click on the map and by fields, and saved once",
  ignore: !hasBrowser,
}, async () => {
  const administrator = await anAdministrator("lots");
  const lot = await aLot({ name: "Moved", lat: 35.68, lng: 139.76 });
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await openPart(explorer, administrator, `/console/parking-lots/${lot}/position`, ".pin-mark");
    await mapAtRest(page);
    await page.focus(".pin-mark");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.down("Shift");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.up("Shift");
    await explorer.sees("10 m from where it was.");
    const shown = () => page.$$eval(".position-editor input", (inputs) => inputs.map(({ value }) => Number(value)));
    const [lat, lng] = await shown() as [number, number];
    assert.ok(lat > 35.680008 && lat < 35.68001 && lng > 139.7601 && lng < 139.76012, `${lat}, ${lng}`);
    assert.deepEqual(await findings(explorer), []);
    await page.$eval(".pin-map", (map) => map.scrollIntoView({ block: "center" }));
    const { x, y, width, height } = (await (await page.$(".pin-map"))!.boundingBox())!;
    await page.mouse.click(x + width / 4, y + height / 2);
    await page.waitForFunction(
      (lng) => Number(document.querySelectorAll<HTMLInputElement>(".position-editor input")[1]!.value) < lng,
      {},
      139.76,
    );
    await page.locator(".position-editor label:nth-child(1) input").fill("35.6812");
    await page.keyboard.press("Tab");
    const [, west] = await shown() as [number, number];
    await explorer.click("Save");
    await explorer.sees("Saved.");
    const saved = await lotOf(lot, administrator);
    assert.deepEqual([saved.lat, saved.lng], [35.6812, west]);
  }, { hasMaps: true });
});

Deno.test({
  name: "console: a browser without a map shows a message, and the position of a lot is moved by fields",
  ignore: !hasBrowser,
}, async () => {
  const administrator = await anAdministrator("lots");
  const lot = await aLot({ name: "Moved by fields", lat: 35.68, lng: 139.76 });
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await openPart(explorer, administrator, `/console/parking-lots/${lot}/position`, ".no-map");
    await explorer.sees("The fields below move the lot.");
    assert.deepEqual(await findings(explorer), []);
    await page.locator(".position-editor label:nth-child(1) input").fill("35.6812");
    await page.keyboard.press("Tab");
    await explorer.click("Save");
    await explorer.sees("Saved.");
    assert.equal((await lotOf(lot, administrator)).lat, 35.6812);
  });
});

Deno.test({
  name:
    "console: lots are filtered, the filters get a name, columns are chosen, and several lots are suspended up to one that changed",
  ignore: !hasBrowser,
}, async () => {
  const [administrator, other] = [await anAdministrator("lots"), await anAdministrator("lots")];
  const word = `Bulk${crypto.randomUUID().slice(0, 8)}`;
  const lots = [
    await aLot({ name: `${word} 1` }),
    await aLot({ name: `${word} 2` }),
    await aLot({ name: `${word} 3` }),
  ];
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await openPart(explorer, administrator, `/console/parking-lots?q=${word}`, ".console-pick");
    await page.locator(".console-menu:nth-of-type(1) summary ::-p-text(Saved filters)").click();
    await explorer.fill("Name for these filters", "My lots");
    await page.locator(".console-view-save button").click();
    await page.keyboard.press("Escape");
    await page.locator("summary ::-p-text(Columns)").click();
    await page.locator(".console-choice label ::-p-text(Source)").click();
    const heads = () => page.$$eval(".console-table th", (heads) => heads.map(({ textContent }) => textContent));
    await page.waitForFunction(() =>
      ![...document.querySelectorAll("th")].some((head) => head.textContent === "Source")
    );
    await page.keyboard.press("Escape");

    // Both are there after a reload, and the filters by their name. Each administrator has values of their own.
    const owners = await page.evaluate(() =>
      Object.keys(localStorage).flatMap((key) => /^console-(?:views|columns) .*:(.*)$/.exec(key)?.[1] ?? [])
    );
    assert.ok(owners.length === 2 && owners.every((owner) => /^[0-9a-f-]{36}$/.test(owner)), String(owners));
    await explorer.open("/console/parking-lots");
    await page.reload();
    await page.waitForSelector(".console-pick");
    assert.ok(!(await heads()).includes("Source"), String(await heads()));
    await page.locator("summary ::-p-text(Saved filters)").click();
    await page.locator(".console-views a").click();
    await page.waitForFunction((word) => location.hash.includes(word), {}, word);
    await page.waitForFunction(() => document.querySelectorAll(".console-table tbody tr").length === 3);
    const names = () =>
      page.$$eval(".console-table tbody td:nth-child(2)", (cells) => cells.map((cell) => cell.textContent));
    const order = (await names()).map((name) => Number(name.at(-1)));
    const changed = lots[order[1]! - 1]!;
    const change = await other.ask(`/admin/parking-lots/${changed}`, sending("PATCH", { phone: "03-1234-5678" }));
    assert.equal(change.status, 200);

    await explorer.click("Choose all rows");
    await explorer.click("Suspend (3)");
    assert.deepEqual(await findings(explorer), []);
    await page.locator(".console-bulk form button[type=submit]").click();
    await explorer.sees("1 of 3 done.");
    await explorer.sees(`It ended at ${word} ${order[1]}:`);
    await explorer.sees(`Not tried (1): ${word} ${order[2]}`);
    const statuses = await Promise.all(order.map((nth) => lotOf(lots[nth - 1]!, administrator)));
    assert.deepEqual(statuses.map(({ status }) => status), ["suspended", "active", "active"]);
    // The list was read again: the next try has the newer version.
    await page.locator(".console-bulk ::-p-text(Suspend (2))").click();
    await page.locator(".console-bulk form button[type=submit]").click();
    await explorer.sees("2 of 2 done.");
  });
});

Deno.test({
  name: "console: photos are added, moved by keys and by pointer, and tags are set to present, absent or uncertain",
  ignore: !hasBrowser,
}, async () => {
  const administrator = await anAdministrator("lots", "content");
  const lot = await aLot({ name: "Pictured" });
  const files = await Promise.all([300, 400, 500].map(async (size) => {
    const path = await Deno.makeTempFile({ suffix: ".png" });
    await Deno.writeFile(path, picture("image/png", size));
    return path;
  }));
  const tags = await Promise.all(["Roof", "Night"].map(async (name) => {
    const slug = `t${crypto.randomUUID().slice(0, 8)}`;
    const response = await administrator.ask("/admin/tags", sending("POST", { slug, name: `${name} ${slug}` }));
    assert.equal(response.status, 201);
    return (await response.json()) as { id: string; name: string };
  }));
  try {
    await inExplorer(async (explorer) => {
      const { page } = explorer;
      await openPart(explorer, administrator, `/console/parking-lots/${lot}/images`, ".photos-editor");
      const input = await page.waitForSelector<"input">(".photos-editor input[type=file]" as "input");
      await input!.uploadFile(...files);
      await page.waitForFunction(() => document.querySelectorAll(".photos-order > li").length === 3);
      const shown = () => page.$$eval(".photos-order img", (images) => images.map(({ src }) => src));
      const [a, b, c] = await shown();
      await page.focus("::-p-aria([name='Photo 3 of 3: arrow keys move it'])");
      // The focus goes with the photo, also for keys that come at once.
      await Promise.all(
        ["ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowRight"].map((key) => page.keyboard.press(key as "ArrowLeft")),
      );
      assert.deepEqual(await shown(), [a, c, b]);
      assert.equal(
        await page.evaluate(() => document.activeElement?.getAttribute("aria-label")),
        "Photo 2 of 3: arrow keys move it",
      );
      await page.$eval(".photos-order", (list) => list.scrollIntoView({ block: "center" }));
      const places = await Promise.all((await page.$$(".photos-hold")).map((photo) => photo.boundingBox()));
      const [first, , third] = places.map((box) => [box!.x + box!.width / 2, box!.y + box!.height / 2] as const);
      await drag(explorer, [first!, third!]);
      assert.deepEqual(await shown(), [c, b, a]);
      await page.locator(".photos-order > li:nth-child(2) ::-p-text(Main photo)").click();
      assert.deepEqual(await findings(explorer), []);
      await explorer.click("Save");
      await explorer.sees("Saved.");
      const { images } = await lotOf(lot, administrator);
      assert.deepEqual(
        images.map((image: Record<string, unknown>) => [image["sort_order"], image["is_main"]]),
        [[2, true], [1, false], [3, false]],
        "the service returns the main photo first",
      );

      await explorer.open(`/console/parking-lots/${lot}/tags`);
      const choose = async (name: string, state: string) => {
        const group = `[role=group][aria-label=${JSON.stringify(name)}]`;
        await page.locator(`${group} ::-p-text(${state})`).click();
        await page.waitForSelector(`${group} [aria-pressed=true]::-p-text(${state})`);
      };
      await choose(tags[0]!.name, "Has not");
      await choose(tags[1]!.name, "Uncertain");
      assert.deepEqual(await findings(explorer), []);
      await explorer.click("Save");
      // The sentence of the save before is still there.
      await page.waitForFunction(() => document.querySelector<HTMLButtonElement>(".lot-save .primary")?.disabled);
      const states = (await lotOf(lot, administrator)).tags as { tag_id: string; state: boolean | null }[];
      assert.deepEqual(tags.map(({ id }) => states.find(({ tag_id }) => tag_id === id)?.state), [false, null]);
    });
  } finally {
    await Promise.all(files.map((path) => Deno.remove(path)));
  }
});
