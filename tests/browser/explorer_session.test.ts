/// <reference lib="dom" />
// The explorer: the running session and its meter, a second tab that follows, the receipt, the inbox and an earned badge.
import assert from "node:assert/strict";
import { jsonBody } from "../api/client.ts";
import { inDatabase } from "../api/lots.ts";
import { age, aPricedLot, post } from "../api/sessions.ts";
import { asUser, signUp } from "../support/people.ts";
import { hasBrowser } from "../support/browser.ts";
import { choosePhoto, inExplorer, moveClock } from "./explorer.ts";

const ignore = !hasBrowser;

Deno.test({
  name: "explorer: the meter runs in two tabs, the exit in one ends it in both, and the receipt has the charged fee",
  ignore,
}, async () => {
  const person = await signUp();
  const lot = await aPricedLot({ name: "Lot <b>of</b> the meter" });
  await inExplorer(async (explorer) => {
    await explorer.open("/session");
    await explorer.sees("Sign in to see this page.");
    await explorer.signIn(person);
    await explorer.sees("You are not parked.");
    assert.equal(await explorer.page.$(".tabs-dot"), null);

    // The session starts elsewhere: the page follows without a reload.
    const { session_id } = await (await post("", person.token, { parking_lot_id: lot })).json();
    await explorer.sees("Lot <b>of</b> the meter");
    await explorer.sees("¥200");
    await explorer.sees("¥400 from");
    await age(session_id, 40);
    await explorer.sees("¥600 from");

    // The tab has a dot on every page, with words.
    const parkedTab = "nav.tabs a[href='#/session']";
    assert.match(await explorer.page.$eval(parkedTab, (tab) => tab.textContent!), /^Parked a session runs$/);

    const second = await explorer.secondTab("/session");
    await second.sees("¥600 from");
    await explorer.click("End parking");
    await explorer.sees("Nothing is paid here. You pay at the machine.");
    await explorer.click("End and keep the receipt");
    await explorer.sees("Receipt");
    await explorer.page.waitForFunction(() => document.querySelector(".receipt .figure")?.textContent === "¥400");
    assert.ok(!(await explorer.page.$eval("main", (main) => main.textContent!)).includes("Paid"));
    await second.sees("You are not parked.");
    await second.page.waitForSelector(".tabs-dot", { hidden: true });
    // The first end of a session earns a badge, whatever page is open.
    await second.sees("You earned a badge");
    await explorer.sees("2 × 30 min × ¥200");

    await explorer.fill("Memo", "Near the <i>gate</i>");
    await explorer.click("Save");
    await explorer.sees("Saved.");
    const session = await (await asUser(person)(`/me/parking-sessions/${session_id}`)).json();
    assert.deepEqual([session.status, session.total_amount_minor, session.memo], [
      "ended",
      400,
      "Near the <i>gate</i>",
    ]);

    await explorer.open("/rewards");
    await explorer.sees("First parking");
    await explorer.open("/inbox");
    await explorer.sees("unread");
    await explorer.click("Mark all as read");
    await explorer.sees("Everything is read.");
    await second.open("/inbox");
    await second.sees("Everything is read.");
  });
});

for (const minutes of [-12, 12]) {
  Deno.test({
    name: `explorer: with a clock that is ${Math.abs(minutes)} minutes ${
      minutes < 0 ? "slow" : "fast"
    } a session ends now`,
    ignore,
  }, async () => {
    const person = await signUp();
    const { session_id } = await (await post("", person.token, { parking_lot_id: await aPricedLot() })).json();
    await age(session_id, 2);
    await inExplorer(async (explorer) => {
      await moveClock(explorer.page, minutes);
      await explorer.open("/session");
      await explorer.signIn(person);
      await explorer.sees("¥200");
      await explorer.click("End parking");
      await explorer.click("End and keep the receipt");
      await explorer.sees("Receipt");
    });
    const { status, total_amount_minor, started_at, ended_at } =
      await (await asUser(person)(`/me/parking-sessions/${session_id}`)).json();
    assert.deepEqual([status, total_amount_minor], ["ended", 200]);
    const stayed = (Date.parse(ended_at) - Date.parse(started_at)) / 60_000;
    // A response has the time of the service in whole seconds, so that the end may be a second early, and what the response took.
    assert.ok(stayed > 2 - 2 / 60 && stayed < 4, `${stayed} minutes`);
  });
}

Deno.test({ name: "explorer: a session that just began is cancelled without a fee", ignore }, async () => {
  const person = await signUp();
  const { session_id } = await (await post("", person.token, { parking_lot_id: await aPricedLot() })).json();
  await inExplorer(async (explorer) => {
    await explorer.open("/session");
    await explorer.signIn(person);
    await explorer.click("Cancel");
    await explorer.sees("You are not parked.");
    const session = await (await asUser(person)(`/me/parking-sessions/${session_id}`)).json();
    assert.equal(session.status, "cancelled");
  }, { width: 360 });
});

Deno.test({
  name: "explorer: a session starts with vehicle, planned exit, memo and photo of the spot, and shows them",
  ignore,
}, async () => {
  const person = await signUp();
  const lot = await aPricedLot();
  const response = await asUser(person)("/me/vehicles", {
    method: "POST",
    ...jsonBody({ vehicle_type: "high_roof", nickname: "Van", height_m: 2.1, is_default: true }),
  });
  assert.equal(response.status, 201);
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await explorer.open("/session");
    await explorer.signIn(person);
    await explorer.open(`/lots/${lot}`);
    // The own vehicle is in the address, and with it in the fee and in the sheet.
    await page.waitForFunction(() => location.hash.includes("vehicle_type=high_roof"));
    await explorer.click("Start");
    await page.waitForSelector("select[name=vehicle]");
    await page.waitForFunction(() =>
      document.querySelector("select[name=vehicle] :checked")!.textContent!.startsWith("Van")
    );
    await page.locator("dialog summary").click();
    await explorer.fill("Level, bay, landmark", "B2, <b>bay</b> 14");
    await choosePhoto(page, "photo");
    await page.locator("dialog button[type=submit]").click();
    await page.waitForFunction(() => location.hash === "#/session");
    await explorer.sees("B2, <b>bay</b> 14");
    await explorer.sees("As planned, until");
    await page.locator(".session-place summary").click();
    await page.waitForSelector(".session-photos img");
    const current = await (await asUser(person)("/me/parking-sessions/current")).json();
    assert.deepEqual([current.vehicle_type, current.memo], ["high_roof", "B2, <b>bay</b> 14"]);
    assert.notEqual(current.vehicle_id, null);
  }, { width: 360, height: 740 });
});

Deno.test({
  name:
    "explorer: a session ends at an earlier time, and another amount of the machine becomes a report with both sums",
  ignore,
}, async () => {
  const person = await signUp();
  const { session_id } = await (await post("", person.token, { parking_lot_id: await aPricedLot() })).json();
  await age(session_id, 62);
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await explorer.open("/session");
    await explorer.signIn(person);
    await explorer.sees("¥800 from");
    await explorer.click("End parking");
    await explorer.click("−5 min");
    // 57 minutes: two units.
    await page.waitForFunction(() => document.querySelector(".end-fee strong")?.textContent === "¥400");
    await explorer.click("Another amount");
    await explorer.fill("Amount of the machine (JPY)", "1000");
    await explorer.sees("¥600 more than our rules say.");
    await explorer.click("End and keep the receipt");
    await explorer.sees("We reported both amounts.");
    const session = await (await asUser(person)(`/me/parking-sessions/${session_id}`)).json();
    const minutes = (Date.parse(session.ended_at) - Date.parse(session.started_at)) / 60_000;
    assert.ok(minutes > 50 && minutes < 60, String(minutes));
    assert.equal(session.total_amount_minor, 400);
    const { items } = await (await asUser(person)("/me/error-reports")).json();
    assert.equal(items.length, 1);
    assert.equal(items[0].report_type, "price");
    assert.match(items[0].description, /¥1,000.*¥400/);

    // A receipt prints without the frame and the forms.
    await page.emulateMediaType("print");
    const visible = await page.$$eval(
      ".top, .tabs, .session-own, .receipt-print, .receipt",
      (all) => all.filter((element) => (element as HTMLElement).checkVisibility()).map(({ className }) => className),
    );
    assert.deepEqual(visible, ["card receipt"]);
  }, { width: 360, height: 740 });
});

Deno.test({
  name: "explorer: while the exit is closed the meter shows the fee of the earliest exit",
  ignore,
}, async () => {
  const person = await signUp();
  const lot = await aPricedLot();
  // Cars cannot leave for some hours, whatever the hour of the test is.
  const japan = (hours: number) => new Date(Date.now() + (9 + hours) * 3_600_000).toISOString().slice(11, 13);
  await inDatabase((sql) =>
    sql`
      insert into public.parking_lot_windows (parking_lot_id, window_type, open_time, close_time)
      values (${lot}, 'exit', ${`${japan(3)}:00`}, ${`${japan(5)}:00`})`
  );
  await post("", person.token, { parking_lot_id: lot });
  await inExplorer(async (explorer) => {
    await explorer.open("/session");
    await explorer.signIn(person);
    await explorer.sees(`You cannot drive out before ${japan(3)}:00.`);
    const amount = await explorer.page.$eval(".meter-amount", (element) => element.textContent!);
    assert.ok(Number(amount.replace(/\D/g, "")) >= 1000, amount);
    assert.ok(!(await explorer.page.$eval("main", (main) => main.textContent!)).includes("If you leave now"));
  });
});

Deno.test({ name: "explorer: a vehicle is added, and the service's error is shown at its field", ignore }, async () => {
  const person = await signUp();
  await inExplorer(async (explorer) => {
    await explorer.open("/account/vehicles");
    await explorer.signIn(person);
    await explorer.click("Add a vehicle");
    await explorer.fill("Name", "Van");
    await explorer.fill("Height (m)", "2.05");
    await explorer.click("Save");
    await explorer.sees("Height 2.05 m");
    const { items } = await (await asUser(person)("/me/vehicles")).json();
    assert.deepEqual(
      items.map(({ nickname, height_m, is_default }: Record<string, unknown>) => [nickname, height_m, is_default]),
      [
        ["Van", 2.05, true],
      ],
    );

    await explorer.open("/account/support");
    await explorer.fill("Subject", "Gate");
    await explorer.fill("Message", " ");
    await explorer.click("Send");
    await explorer.page.waitForSelector("textarea[aria-invalid]");
  });
});
