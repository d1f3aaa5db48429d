/// <reference lib="dom" />
// The explorer: the page of a lot, as drivers use it.
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import type { ElementHandle, Page } from "puppeteer-core";
import { jsonBody } from "../api/client.ts";
import { inDatabase } from "../api/lots.ts";
import { aPricedLot } from "../api/sessions.ts";
import { asAnonymous, asUser, type Person, signUp } from "../support/people.ts";
import { makeVoters, newLot } from "../support/rows.ts";
import { hasBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { type Explorer, inExplorer, toTheMiddle } from "./explorer.ts";
import { emptyPlace } from "./map.ts";

const DAY_MS = 86_400_000;
const MARKUP = `<img src="x" onerror="document.title='ran'"><b>bold</b>`;

function test(name: string, run: () => Promise<void>): void {
  Deno.test({ name: `explorer: ${name}`, ignore: !hasBrowser }, run);
}

/** Opens the part of the page that a summary folds. A page that grew meanwhile is clicked again. */
async function unfold({ page }: Explorer, summary: string): Promise<void> {
  await eventually(async () => {
    const found = (await page.waitForSelector(`summary::-p-text(${summary})`))!;
    await toTheMiddle(found);
    await found.asLocator().click();
    return await found.evaluate((found) => found.parentElement!.matches("[open]")) || undefined;
  });
}

/** Waits until the first element of the selector has exactly this text. */
async function reads({ page }: Explorer, selector: string, text: string): Promise<void> {
  await page.waitForFunction(
    (selector, text) => document.querySelector<HTMLElement>(selector)?.innerText.trim() === text,
    { polling: 100 },
    selector,
    text,
  );
}

/** The words about hours under the name of the lot that have or lack the colour of what is good. */
function stateOf({ page }: Explorer, which: ".good" | ":not(.good)"): Promise<string | undefined> {
  return page.evaluate((which) => document.querySelector<HTMLElement>(`.lot-state span${which}`)?.innerText, which);
}

/** What GET of the service returns to the person. */
async function read(path: string, person?: Person): Promise<Record<string, unknown>> {
  const response = await (person ? asUser(person) : asAnonymous())(path);
  assert.equal(response.status, 200, path);
  return await response.json();
}

/** The amounts of the lines of the fee, and the total below them. */
function amountsOf({ page }: Explorer): Promise<number[]> {
  return page.$$eval(
    ".fee-lines :is(tbody, tfoot) td.number",
    (cells) => cells.map((cell) => Number(cell.textContent!.replace(/[^\d-]/g, ""))),
  );
}

/** Opens the form of the stay. */
async function changeStay({ page }: Explorer): Promise<void> {
  await page.locator(".lot-my-head button").click();
  await page.waitForSelector("dialog[open]");
}

test("a reader of English sees how the name of a lot is read, a reader of Japanese does not", async () => {
  const lot = await aPricedLot({ name: "千代田駅前駐車場", name_kana: "チヨダエキマエ チュウシャジョウ" });
  for (const [language, expected] of [["en", ["Chiyodaekimae Chushajo"]], ["ja", []]] as const) {
    await inExplorer(async (explorer) => {
      await explorer.open(`/lots/${lot}`);
      await reads(explorer, "h1", "千代田駅前駐車場");
      const readings = await explorer.page.$$eval(
        ".lot-reading",
        (lines) => lines.map(({ textContent }) => textContent),
      );
      assert.deepEqual(readings, expected);
    }, { language });
  }
});

test("a lot's price list has how many units of a band a price is for", async () => {
  const lot = await aPricedLot();
  await inDatabase((sql) =>
    sql`
      insert into public.pricing_rules
        (parking_lot_id, category, rule_order, per_minutes, price_minor, time_start, time_end, max_units)
      values (${lot}, 'time_band', -2, 60, 120, '08:00', '22:00', 1), (${lot}, 'time_band', -1, 60, 110, '08:00', '22:00', 4)`
  );
  for (
    const [language, rules, one, four] of [
      [
        "en",
        "All rules",
        "¥120 for each 1 h, for at most 1 unit each time these hours come",
        "for at most 4 units each",
      ],
      ["ja", "料金ルールをすべて見る", "（この時間帯ごとに1単位まで）", "（この時間帯ごとに4単位まで）"],
    ] as const
  ) {
    await inExplorer(async (explorer) => {
      await explorer.open(`/lots/${lot}`);
      await unfold(explorer, rules);
      await explorer.sees(one);
      await explorer.sees(four);
    }, { language });
  }
});

test("a lot's page has the fee of the service, whose lines sum to it, for any stay and by keyboard", async () => {
  const lot = await aPricedLot();
  await inDatabase((sql) =>
    sql`
      insert into public.pricing_rules (parking_lot_id, category, rule_order, cap_type, cap_price_minor)
      values (${lot}, 'cap', 2, 'stay', 1500)`
  );
  const stay = {
    entry_at: "2030-05-15T10:00:00+09:00",
    exit_at: "2030-05-15T11:45:00+09:00",
    vehicle_type: "standard",
  };
  const feeOf = async (exit_at: string) => {
    const body = jsonBody({ ...stay, exit_at });
    const response = await asAnonymous()(`/parking-lots/${lot}/calc-fee`, { method: "POST", ...body });
    return (await response.json())["total_amount"] as number;
  };
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await explorer.open(`/lots/${lot}?${new URLSearchParams(stay)}`);
    await reads(explorer, ".lot-fee", `¥${await feeOf(stay.exit_at)}`);
    await unfold(explorer, "All rules");
    assert.deepEqual(await amountsOf(explorer), [800, 800]);
    await explorer.sees("¥200 for each 30 min");
    await explorer.sees("At most ¥1,500 for the whole stay");
    await page.waitForSelector(".curve path.curve-past");

    // Another exit, by keyboard: Enter in a field sends the form.
    await changeStay(explorer);
    await explorer.fill("Exit", "2030-05-15T22:00");
    await (await page.$("input[name=exit_at]"))!.press("Enter");
    await reads(explorer, ".lot-fee", "¥1,500");
    assert.equal(await feeOf("2030-05-15T22:00:00+09:00"), 1500);
    assert.deepEqual(await amountsOf(explorer), [4800, -3300, 1500]);
    const query = new URLSearchParams(page.url().split("?")[1]);
    assert.equal(query.get("exit_at"), "2030-05-15T13:00:00.000Z");

    await changeStay(explorer);
    await explorer.fill("Exit", "2030-05-14T22:00");
    await explorer.click("Show the fee");
    await explorer.sees("The exit must be after the entry");

    const preset = (await page.$("::-p-aria([name='3 h'][role='button'])"))!;
    await preset.press("Enter");
    await reads(explorer, ".lot-fee", "¥1,200");
    // The focus is where the form was opened.
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Change");
  });
});

test("a stay that ends while the exit is closed shows the fee of the earliest exit, not one that nobody can pay", async () => {
  const lot = await aPricedLot();
  await inDatabase((sql) =>
    sql`
      insert into public.parking_lot_windows (parking_lot_id, window_type, open_time, close_time)
      values (${lot}, 'business', '08:00', '22:00')`
  );
  await inExplorer(async (explorer) => {
    const stay = { entry_at: "2030-05-15T21:00:00+09:00", exit_at: "2030-05-15T23:00:00+09:00" };
    await explorer.open(`/lots/${lot}?${new URLSearchParams(stay)}`);
    await explorer.sees("You cannot drive out at 23:00. The exit opens at 08:00");
    // Eleven hours until the exit opens.
    await reads(explorer, ".lot-fee", "¥4,400");
    assert.equal(await stateOf(explorer, ".good"), undefined);
  });
});

test("for a later stay the lot is open or not at its times, and the state of this moment is named so", async () => {
  const lot = await aPricedLot();
  await inDatabase(async (sql) => {
    await sql`
      insert into public.parking_lot_windows (parking_lot_id, window_type, open_time, close_time)
      values (${lot}, 'business', '08:00', '22:00')`;
    await sql`
      insert into public.parking_lot_date_overrides (parking_lot_id, override_date, hours)
      select ${lot}, (now() at time zone 'Asia/Tokyo')::date + n, '{"is_closed": true}' from generate_series(-1, 1) n`;
  });
  await inExplorer(async (explorer) => {
    const stay = { entry_at: "2030-05-15T10:00:00+09:00", exit_at: "2030-05-15T12:00:00+09:00" };
    await explorer.open(`/lots/${lot}?${new URLSearchParams(stay)}`);
    await explorer.sees("Open for your stay");
    assert.match(await stateOf(explorer, ":not(.good)") ?? "", /^Now: (No entry until|Closed)/);
  });
});

test("a fee that the service does not know is a sentence, and no amount", async () => {
  const lot = await inDatabase((sql) => newLot(sql));
  await inExplorer(async (explorer) => {
    await explorer.open(`/lots/${lot}`);
    await explorer.sees("The fee is unknown.");
    await explorer.sees("No rules are known");
    await unfold(explorer, "All rules");
    await explorer.sees("The service knows no prices of this lot.");
    assert.ok(!(await explorer.page.$eval("main", (main) => main.textContent!)).includes("¥"));
  });
});

/** Days from today on in Japan, as `2030-05-15`. */
function japaneseDays(count: number): string[] {
  const now = Date.now() + 9 * 3_600_000;
  return Array.from({ length: count }, (_, index) => new Date(now + index * DAY_MS).toISOString().slice(0, 10));
}

test("a lot's page draws the hours of seven days with the stay, and has them as text", async () => {
  const days = japaneseDays(7);
  const lot = await inDatabase(async (sql) => {
    const id = await newLot(sql, { holiday_calendar: "QZ" });
    await sql`
      insert into public.parking_lot_windows (parking_lot_id, window_type, open_time, close_time)
      values (${id}, 'business', '08:00', '20:00'), (${id}, 'entry', '09:00', '19:00')`;
    await sql`
      insert into public.parking_lot_date_overrides (parking_lot_id, override_date, label, hours)
      values (${id}, ${days[3]!}, '棚卸し', '{"is_closed": true}')`;
    return id;
  });
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    const stay = { entry_at: `${days[2]}T10:00:00+09:00`, exit_at: `${days[2]}T12:00:00+09:00` };
    await explorer.open(`/lots/${lot}?${new URLSearchParams(stay)}`);
    await page.waitForSelector(".lot-strip");
    const strips = await page.$$eval(".lot-strip", (all) =>
      all.map((strip) => ({
        text: strip.getAttribute("aria-label")!,
        widths: [...strip.querySelectorAll(".lot-is_open, .lot-can_enter, .lot-can_exit")].map((bar) =>
          Number(bar.getAttribute("width"))
        ),
        stay: strip.querySelector(".lot-planned")?.getAttribute("x"),
        hasNow: strip.querySelector(".lot-now") !== null,
      })));
    assert.equal(strips.length, 7);
    assert.match(strips[2]!.text, /Open: 08:00–20:00; Entry: 09:00–19:00; Exit: 08:00–20:00$/);
    assert.deepEqual(strips[2]!.widths, [720, 600, 720]);
    assert.match(
      strips[3]!.text,
      /\(棚卸し, hours of its own\); Open: closed all day; Entry: not possible; Exit: not possible$/,
    );
    assert.deepEqual(strips.map(({ stay }) => stay ?? null), [null, null, "600", null, null, null, null]);
    assert.deepEqual(strips.map(({ hasNow }) => hasNow), [true, ...Array(6).fill(false)]);
    await unfold(explorer, "The hours as text");
    await explorer.sees(strips[2]!.text);
  });
});

test("a lot whose holidays are unknown names that, in the list and on its page, in both languages", async () => {
  const place = emptyPlace();
  const [name, stay] = [`Lot ${crypto.randomUUID()}`, { entry: "2027-05-03T10:00", exit: "2027-05-03T12:00" }];
  const lot = await aPricedLot({ ...place, name, holiday_calendar: "QY" });
  await inDatabase((sql) =>
    sql`
      insert into public.pricing_rules (parking_lot_id, category, day_type, per_minutes, price_minor)
      values (${lot}, 'time_band', 'holiday', 30, 500)`
  );
  const [entry_at, exit_at] = [`${stay.entry}:00+09:00`, `${stay.exit}:00+09:00`];
  const texts = {
    en: ["Public holidays unknown", "On a holiday, fee or hours may differ."],
    ja: ["祝日が不明", "祝日なら料金や"],
  };
  for (const language of ["en", "ja"] as const) {
    await inExplorer(async (explorer) => {
      const [listed, shown] = texts[language];
      await explorer.open(`/?${new URLSearchParams({ lat: `${place.lat}`, lng: `${place.lng}`, ...stay })}`);
      await explorer.page.waitForSelector(`[data-lot="${lot}"] ::-p-text(${listed})`);
      await explorer.open(`/lots/${lot}?${new URLSearchParams({ entry_at, exit_at })}`);
      await explorer.page.waitForSelector(`.lot-my ::-p-text(${shown})`);
    }, { language });
  }
});

test("a driver votes on a value, rates, saves, reviews and reports, and the service has it", async () => {
  const [person, lot] = [await signUp({ displayName: "山田" }), await aPricedLot({ max_height_m: "2.1" })];
  await inDatabase((sql) => makeVoters(sql, [person.id]));
  const detail = () => read(`/parking-lots/${lot}?include=field_provenance`, person);
  const votes = async () => {
    const { max_height_m } = (await detail())["field_provenance"] as Record<string, Record<string, unknown>>;
    return [max_height_m!["confirm_count"], max_height_m!["deny_count"], max_height_m!["my_vote"]];
  };
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await explorer.open(`/lots/${lot}`);
    await explorer.signIn(person);

    await unfold(explorer, "Is this right?");
    const field = `[role=group][aria-label="Greatest height (m)"]`;
    await page.locator(`${field} button:nth-of-type(1)`).click();
    await reads(explorer, `${field} button[aria-pressed=true]`, "Right 1");
    assert.deepEqual(await votes(), [1, 0, "confirm"]);
    await page.locator(`${field} button:nth-of-type(2)`).click();
    await reads(explorer, `${field} button[aria-pressed=true]`, "Wrong 1");
    assert.deepEqual(await votes(), [0, 1, "deny"]);

    await explorer.click("Good 0");
    await reads(explorer, "[role=group][aria-label='Your rating'] button[aria-pressed=true]", "Good 1");
    await explorer.click("Save");
    await page.waitForSelector("::-p-aria([name='Saved'])");
    const { is_saved, my_rating } = await detail();
    assert.deepEqual([is_saved, my_rating], [true, "good"]);

    await unfold(explorer, "Write a review");
    await page.select("select[name=rating]", "4");
    await explorer.fill("Comment", "Wide spaces.");
    const photo = await Deno.makeTempFile({ suffix: ".jpg" });
    await Deno.writeFile(photo, await photoWithPosition(page));
    await (await page.$("input[name=photo_asset_ids]") as ElementHandle<HTMLInputElement>).uploadFile(photo);
    await page.waitForSelector("img[alt='Chosen photo 1']");
    await explorer.click("Send the review");
    await explorer.sees("Your review");
    await explorer.sees("Pending");
    await Deno.remove(photo);
    const sent = (await page.waitForSelector("img[alt='Photo 1 of the review']"))!;
    const bytes = await (await fetch(await sent.evaluate((image) => (image as HTMLImageElement).src))).bytes();
    assert.ok(!new TextDecoder("latin1").decode(bytes).includes("Exif"), "the position is removed");
    const { items } = await read("/me/reviews", person) as { items: Record<string, unknown>[] };
    assert.deepEqual(
      items.map(({ parking_lot_id, rating, comment, status }) => [parking_lot_id, rating, comment, status]),
      [
        [lot, 4, "Wide spaces.", "pending"],
      ],
    );

    // Editing keeps the photos that are not touched.
    await explorer.click("Edit your review");
    await page.select("dialog select[name=rating]", "2");
    await explorer.click("Save the review");
    await page.waitForSelector("dialog", { hidden: true });
    await page.waitForSelector("img[alt='Photo 1 of the review']");
    const [edited] = (await read("/me/reviews", person) as { items: Record<string, unknown>[] }).items;
    assert.deepEqual([edited!["rating"], (edited!["photo_urls"] as string[]).length], [2, 1]);

    await unfold(explorer, "Report how full it is");
    await page.select("select[name=state]", "crowded");
    await explorer.fill("Free spaces, if you know", "3");
    await explorer.click("Report");
    await explorer.sees("3 spaces free");
    assert.equal(((await detail())["availability"] as { state: string }).state, "crowded");

    await explorer.click("Report an error");
    await page.waitForSelector("dialog[open]");
    await page.select("select[name=report_type]", "vehicle_limits");
    await explorer.fill("What would be right?", "2.0 m by the sign");
    await explorer.click("Send the report");
    await explorer.sees("The decision will be in your inbox.");
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog", { hidden: true });
    const reports = await read("/me/error-reports", person) as { items: Record<string, unknown>[] };
    assert.deepEqual(reports.items.map((report) => [report["report_type"], report["description"]]), [
      ["vehicle_limits", "2.0 m by the sign"],
    ]);
  });
});

test("an anonymous driver checks a vehicle, is asked to sign in, and the wish to start is kept", async () => {
  const [person, lot] = [await signUp(), await aPricedLot({ max_height_m: "2.1" })];
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await explorer.open(`/lots/${lot}?vehicle_type=kei`);
    await changeStay(explorer);
    await unfold(explorer, "Size of the vehicle");
    await explorer.fill("Height (m)", "2.3");
    await explorer.fill("Width (m)", "1.8");
    await explorer.click("Show the fee");
    await explorer.sees("Too small for your vehicle");
    await explorer.sees("Height 2.3 m, the limit is 2.1 m: 20 cm too much. The lot gives no limit for: width.");

    await changeStay(explorer);
    await explorer.fill("Height (m)", "2.1");
    await explorer.click("Show the fee");
    await explorer.sees("Height 2.1 m is exactly the limit: nothing to spare.");

    await explorer.click("Start");
    await explorer.fill("Mail address", person.email);
    await explorer.fill("Password", person.password);
    await page.locator("dialog button[type=submit]").click();
    await page.waitForSelector("select[name=vehicle]");
    assert.equal(await page.$eval("select[name=vehicle]", (select) => (select as HTMLSelectElement).value), "type kei");
    await page.locator("dialog button[type=submit]").click();
    await page.waitForFunction(() => location.hash === "#/session");
    const { parking_lot_id, vehicle_type } = await read("/me/parking-sessions/current", person);
    assert.deepEqual([parking_lot_id, vehicle_type], [lot, "kei"]);
  });
});

test("a lot's page begins with the way there: a link for each map application, to the point of the lot", async () => {
  const lot = await aPricedLot({ lat: 35.5, lng: 139.5, name: "A & B" });
  await inExplorer(async (explorer) => {
    await explorer.open(`/lots/${lot}`);
    await explorer.click("Navigate");
    const links = await explorer.page.$$eval("dialog a", (all) => all.map((link) => (link as HTMLAnchorElement).href));
    assert.deepEqual(links.map((link) => link.split(/[?:]/)[0]), ["https", "https", "geo"]);
    assert.ok(links.every((link) => decodeURIComponent(link).includes("35.5,139.5")), links.join(" "));
  });
});

/** A real photo whose JPEG has a block of Exif with a position. */
async function photoWithPosition(page: Page): Promise<Uint8Array> {
  const url = await page.evaluate(() => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [3000, 40];
    canvas.getContext("2d")!.fillRect(0, 0, 1500, 40);
    return canvas.toDataURL("image/jpeg");
  });
  const jpeg = Uint8Array.from(atob(url.split(",")[1]!), (letter) => letter.charCodeAt(0));
  const exif = new TextEncoder().encode("Exif\0\0MM\0*GPS 35.5 139.5");
  const length = exif.length + 2;
  return new Uint8Array([...jpeg.subarray(0, 2), 0xff, 0xe1, length >> 8, length & 255, ...exif, ...jpeg.subarray(2)]);
}

test("markup in names, tags and reviews of a lot is shown as text", async () => {
  const person = await signUp({ displayName: MARKUP });
  const lot = await inDatabase(async (sql) => {
    const id = await newLot(sql, { name: MARKUP, address: MARKUP });
    await addTag(sql, id);
    return id;
  });
  const response = await asUser(person)(`/parking-lots/${lot}/reviews`, {
    method: "POST",
    ...jsonBody({ rating: 2, comment: MARKUP }),
  });
  assert.equal(response.status, 201, await response.text());
  await inDatabase((sql) => sql`update public.reviews set status = 'approved' where parking_lot_id = ${lot}`);
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await explorer.open(`/lots/${lot}`);
    await page.waitForSelector(".lot-comment");
    for (const selector of [".lot h1", ".lot-address", ".lot-tags li", ".lot-comment", ".lot-author"]) {
      assert.ok((await page.$eval(selector, (element) => element.textContent!)).includes(MARKUP), selector);
    }
    assert.equal(await page.$("main :is(img, b)"), null);
    assert.notEqual(await page.title(), "ran");
  });
});

async function addTag(sql: Sql, lot: string): Promise<void> {
  const slug = `t${crypto.randomUUID().replaceAll("-", "")}`;
  const [tag] = await sql<{ id: string }[]>`
    insert into public.tags (name, slug) values (${MARKUP}, ${slug}) returning id`;
  await sql`insert into public.parking_lot_tags (parking_lot_id, tag_id, state) values (${lot}, ${tag!.id}, true)`;
}
