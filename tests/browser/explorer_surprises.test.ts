/// <reference lib="dom" />
// The explorer: surprises of a fee on a phone, and the exit that avoids one, by touch.
import assert from "node:assert/strict";
import type { Page } from "puppeteer-core";
import { inDatabase } from "../api/lots.ts";
import { aPricedLot } from "../api/sessions.ts";
import { hasBrowser } from "../support/browser.ts";
import { signUp } from "../support/people.ts";
import { inExplorer } from "./explorer.ts";

const ignore = !hasBrowser;
const PHONE = { width: 360, height: 740, isPhone: true };
const HOUR_MS = 3_600_000;

/** 200 for each 30 minutes, at most 300 for the first two hours. */
async function aLotWithTrap(columns: Parameters<typeof aPricedLot>[0] = {}): Promise<string> {
  const lot = await aPricedLot(columns);
  await inDatabase((sql) =>
    sql`
      insert into public.pricing_rules (parking_lot_id, category, rule_order, cap_type, cap_duration_hours, cap_price_minor)
      values (${lot}, 'cap', 2, 'duration', 2, 300)`
  );
  return lot;
}

/** Touches the button that offers an earlier exit, which a finger can hit and the screen shows whole. */
async function leaveEarlier(page: Page, text: RegExp, within = ""): Promise<void> {
  const button = (await page.waitForSelector(`${within} .surprises-leave`, { visible: true }))!;
  assert.match(await button.evaluate(({ textContent }) => textContent ?? ""), text);
  await button.scrollIntoView();
  const { x, width, height } = (await button.boundingBox())!;
  assert.ok(height >= 44 && x >= 0 && x + width <= PHONE.width, JSON.stringify({ x, width, height }));
  await button.tap();
}

const queryOf = (page: Page) =>
  page.evaluate(() => Object.fromEntries(new URLSearchParams(location.hash.split("?")[1])));

Deno.test({
  name: "explorer: a lot names where the bill rises, in a sentence and in the curve, and a touch changes the stay",
  ignore,
}, async () => {
  const lot = await aLotWithTrap();
  const stay = { entry_at: "2030-05-15T10:00:00+09:00", exit_at: "2030-05-15T16:00:00+09:00" };
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await explorer.open(`/lots/${lot}?${new URLSearchParams(stay)}`);
    await explorer.sees("¥1,900");
    await explorer.sees("After 15 May 12:00 this adds ¥1,600.");
    await page.waitForSelector(".curve-surprise");
    await leaveEarlier(page, /^Leave by 12:00 and save ¥1,600$/, ".lot-my");
    await page.waitForFunction(() => document.querySelector<HTMLElement>(".lot-fee")?.innerText.trim() === "¥300");
    assert.equal((await queryOf(page))["exit_at"], "2030-05-15T12:00:00+09:00");
    await page.waitForFunction(() => document.querySelector(".surprises-leave, .curve-surprise, .lot-leave") === null);
  }, PHONE);
});

Deno.test({
  name: "explorer: the sheet that starts a session, and then its meter, offer the exit that avoids the rise",
  ignore,
}, async () => {
  const person = await signUp();
  const lot = await aLotWithTrap();
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await explorer.open("/session");
    await explorer.signIn(person);
    const entry = Math.ceil(Date.now() / 300_000) * 300_000;
    const at = (hours: number) => new Date(entry + hours * HOUR_MS).toISOString();
    await explorer.open(`/lots/${lot}?${new URLSearchParams({ entry_at: at(0), exit_at: at(6) })}`);
    await explorer.click("Start");
    const exit = "dialog input[name=exit_at]";
    await page.waitForSelector(exit);
    const planned = () => page.$eval(exit, (input) => (input as HTMLInputElement).value);
    const before = await planned();
    await leaveEarlier(page, /^Leave by .+ and save ¥1,600$/, "dialog");
    await page.waitForFunction(
      (selector, before) => document.querySelector<HTMLInputElement>(selector)?.value !== before,
      {},
      exit,
      before,
    );
    assert.equal(Date.parse(`${before}Z`) - Date.parse(`${await planned()}Z`), 4 * HOUR_MS);
    // The driver stays with the first plan, and changes it at the meter.
    await page.locator(exit).fill(before);
    await page.locator("dialog button[type=submit]").click();
    await page.waitForFunction(() => location.hash === "#/session");
    await page.waitForSelector(".meter .curve-surprise");
    const row = () =>
      page.waitForFunction(() =>
        [...document.querySelectorAll(".session-rows dt")].map(({ textContent }) => textContent!)
          .find((text) => text.startsWith("As planned"))
      ).then((found) => found.jsonValue());
    const first = await row();
    await leaveEarlier(page, /^Leave by .+ and save ¥1,[68]00$/, ".session");
    await page.waitForFunction(() => document.querySelector(".surprises-leave") === null);
    assert.notEqual(await row(), first);
  }, PHONE);
});

Deno.test({
  name: "explorer: the list marks lots with a surprise, and the condition leaves those without",
  ignore,
}, async () => {
  const place = { lat: -25 - Math.random(), lng: -150 - Math.random() };
  await aLotWithTrap({ lat: place.lat, lng: place.lng, name: "Trap" });
  await aPricedLot({ lat: place.lat + 0.001, lng: place.lng, name: "Plain" });
  const day = new Date(Date.now() + 2 * 24 * HOUR_MS).toISOString().slice(0, 10);
  const search = { lat: String(place.lat), lng: String(place.lng), entry: `${day}T10:00`, exit: `${day}T16:00` };
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    await explorer.open(`/?${new URLSearchParams(search)}`);
    await explorer.sees("2 lots");
    const marked = () =>
      page.$$eval(".result", (list) =>
        list.map((lot) => [
          lot.querySelector("h3")!.textContent,
          lot.querySelector(".result-surprise") !== null,
        ]));
    assert.deepEqual(Object.fromEntries(await marked()), { Trap: true, Plain: false });
    await page.locator(".chips button:last-child").click();
    await explorer.click("No surprises on the bill");
    await page.locator(".find-filters .primary, dialog .primary").click();
    await page.waitForFunction(() => location.hash.includes("without_surprises=true"));
    await page.waitForFunction(() => document.querySelectorAll(".result").length === 1);
    assert.deepEqual(await marked(), [["Plain", false]]);
    await page.waitForSelector("::-p-text(No surprises)");
  }, PHONE);
});
