/// <reference lib="dom" />
// The explorer: the page of a lot, as drivers use it.
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import type { ElementHandle } from "puppeteer-core";
import { jsonBody } from "../api/client.ts";
import { inDatabase } from "../api/lots.ts";
import { aPricedLot } from "../api/sessions.ts";
import { asAnonymous, asUser, type Person, signUp } from "../support/people.ts";
import { picture } from "../support/files.ts";
import { makeVoters, newLot } from "../support/rows.ts";
import { hasBrowser } from "../support/browser.ts";
import { type Explorer, inExplorer } from "./explorer.ts";

const DAY_MS = 86_400_000;
const MARKUP = `<img src="x" onerror="document.title='ran'"><b>bold</b>`;

function test(name: string, run: () => Promise<void>): void {
  Deno.test({ name: `explorer: ${name}`, ignore: !hasBrowser }, run);
}

/** Opens the part of the page that a summary folds. */
async function unfold({ page }: Explorer, summary: string): Promise<void> {
  await page.locator(`summary::-p-text(${summary})`).click();
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
    await reads(explorer, ".lot-price strong", `¥${await feeOf(stay.exit_at)}`);
    assert.deepEqual(await amountsOf(explorer), [800, 800]);
    await explorer.sees("¥200 for each 30 min");
    await explorer.sees("At most ¥1,500 for the whole stay");
    await page.waitForSelector(".chart canvas");

    // Another exit, by keyboard: Enter in a field sends the form.
    await explorer.fill("Exit", "2030-05-15T22:00");
    await (await page.$("input[name=exit_at]"))!.press("Enter");
    await reads(explorer, ".lot-price strong", "¥1,500");
    assert.equal(await feeOf("2030-05-15T22:00:00+09:00"), 1500);
    assert.deepEqual(await amountsOf(explorer), [4800, -3300, 1500]);
    const query = new URLSearchParams(page.url().split("?")[1]);
    assert.equal(query.get("exit_at"), "2030-05-15T13:00:00.000Z");

    await explorer.fill("Exit", "2030-05-14T22:00");
    await explorer.click("Calculate the fee");
    await explorer.sees("The exit must be after the entry");

    const preset = (await page.$("::-p-aria([name='3 h'][role='button'])"))!;
    await preset.press("Enter");
    await reads(explorer, ".lot-price strong", "¥1,200");
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), "3 h");
  });
});

test("a fee that the service does not know is a sentence, and no amount", async () => {
  const lot = await inDatabase((sql) => newLot(sql));
  await inExplorer(async (explorer) => {
    await explorer.open(`/lots/${lot}`);
    await explorer.sees("The fee is unknown.");
    await explorer.sees("No rules are known");
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
    const photo = await Deno.makeTempFile({ suffix: ".png" });
    await Deno.writeFile(photo, picture("image/png"));
    await (await page.$("input[name=photo_asset_ids]") as ElementHandle<HTMLInputElement>).uploadFile(photo);
    await explorer.click("Send the review");
    await explorer.sees("Your review");
    await explorer.sees("Pending");
    await Deno.remove(photo);
    await page.waitForSelector("img[alt='Photo 1 of the review']");
    const { items } = await read("/me/reviews", person) as { items: Record<string, unknown>[] };
    assert.deepEqual(
      items.map(({ parking_lot_id, rating, comment, status }) => [parking_lot_id, rating, comment, status]),
      [
        [lot, 4, "Wide spaces.", "pending"],
      ],
    );

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

test("an anonymous driver checks a vehicle, is asked to sign in, and then starts to park", async () => {
  const [person, lot] = [await signUp(), await aPricedLot({ max_height_m: "2.1" })];
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await explorer.open(`/lots/${lot}?vehicle_type=kei`);
    await unfold(explorer, "Check a vehicle");
    await explorer.fill("Height (m)", "2.3");
    await explorer.fill("Width (m)", "1.8");
    await explorer.click("Check");
    await explorer.sees("The vehicle does not fit.");
    const fits = await page.$$eval(
      "[aria-labelledby=lot-vehicle] tbody tr",
      (rows) => rows.slice(0, 2).map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent)),
    );
    assert.deepEqual(fits, [["at most 2.1 m", "2.3 m", "does not fit"], ["unknown", "1.8 m", "unknown"]]);

    await explorer.click("Start parking here");
    await explorer.fill("Mail address", person.email);
    await explorer.fill("Password", person.password);
    await page.locator("dialog button[type=submit]").click();
    await page.waitForSelector("dialog", { hidden: true });
    await explorer.click("Start parking here");
    await page.waitForFunction(() => location.hash === "#/session");
    const { parking_lot_id, vehicle_type } = await read("/me/parking-sessions/current", person);
    assert.deepEqual([parking_lot_id, vehicle_type], [lot, "kei"]);
  });
});

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
