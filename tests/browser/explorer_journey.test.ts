/// <reference lib="dom" />
// The explorer: a person's first visit, from the map to the receipt, by clicks and by the keyboard alone.
import assert from "node:assert/strict";
import type { KeyInput, Page } from "puppeteer-core";
import { aPricedLot } from "../api/sessions.ts";
import { asUser, type Person, signUp } from "../support/people.ts";
import { hasBrowser } from "../support/browser.ts";
import { type Explorer, type ExplorerOptions, inExplorer } from "./explorer.ts";

const WORDS = {
  en: { stay: "Now, 3 h", start: "Start", meter: "If you leave now", end: "End parking", receipt: "Receipt" },
  ja: {
    stay: "今から3時間",
    start: "駐車を始める",
    meter: "いま出庫すると",
    end: "駐車を終える",
    receipt: "駐車の明細",
  },
} as const;

/** A part of the map with two priced lots. */
async function aQuarter(): Promise<string> {
  const [lat, lng] = [-(45 + Math.random()), -(110 + Math.random())];
  await aPricedLot({ lat, lng, name: "Near lot" });
  await aPricedLot({ lat: lat + 0.003, lng, name: "Far lot" });
  return `/?lat=${lat}&lng=${lng}`;
}

/** The text of the first element that the selector finds, when it is there. */
async function textOf(page: Page, selector: string): Promise<string> {
  const element = await page.waitForSelector(selector, { visible: true });
  return await element!.evaluate((element) => (element as HTMLElement).innerText.trim());
}

const FIRST_LOT = ".map-results li:first-child h3 a";

/** Goes on from the map with a stay until the receipt; `press` activates what has the name or is found by the selector. */
async function park({ page, sees }: Explorer, language: "en" | "ja", press: (target: string) => Promise<void>) {
  const words = WORDS[language];
  await page.waitForSelector(FIRST_LOT);
  await press(".chips button");
  await press(`::-p-aria([name="${words.stay}"][role="button"])`);
  // Three hours at 200 for 30 minutes.
  await page.waitForFunction(() => document.querySelector(".map-results .map-price")?.textContent?.endsWith("1,200"));
  const [listed, name] = [await textOf(page, ".map-results .map-price"), await textOf(page, FIRST_LOT)];
  await press(FIRST_LOT);
  assert.equal(await textOf(page, ".lot-fee"), listed, "the page of the lot has the price of the list");
  assert.equal(await textOf(page, "main h1"), name);
  await press(`::-p-aria([name="${words.start}"][role="button"])`);
  await press("dialog[open] button[type=submit]");
  await sees(words.meter);
  assert.match(await textOf(page, ".meter-amount"), /^¥200$/);
  await press(`::-p-aria([name="${words.end}"][role="button"])`);
  await press("dialog[open] button[type=submit]");
  await sees(words.receipt);
  assert.equal(await textOf(page, ".receipt .figure"), "¥200");
}

async function assertEnded(person: Person): Promise<void> {
  const { items } = await (await asUser(person)("/me/parking-sessions")).json();
  assert.deepEqual(
    items.map(({ status, total_amount_minor }: Record<string, unknown>) => [status, total_amount_minor]),
    [["ended", 200]],
  );
}

interface Journey extends ExplorerOptions {
  readonly language: "en" | "ja";
  readonly width: number;
  /** From the map to the receipt. */
  readonly clicks: number;
}

const JOURNEYS: readonly Journey[] = [
  { language: "en", width: 1200, height: 900, clicks: 7, hasMaps: true },
  { language: "ja", width: 360, height: 740, clicks: 7 },
];

for (const options of JOURNEYS) {
  const { language, width } = options;
  Deno.test({
    name:
      `explorer: a person finds a lot for a stay, parks and ends with ${options.clicks} clicks (${language}, ${width} px)`,
    ignore: !hasBrowser,
  }, async () => {
    const [person, quarter] = [await signUp(), await aQuarter()];
    await inExplorer(async (explorer) => {
      await explorer.open(quarter);
      await explorer.signIn(person);
      let clicks = 0;
      await park(explorer, language, async (target) => {
        clicks++;
        await explorer.page.locator(target).click();
      });
      assert.equal(clicks, options.clicks);
    }, options);
    await assertEnded(person);
  });
}

Deno.test({
  name: "explorer: a person signs in, finds a lot, parks and ends with the keyboard alone",
  ignore: !hasBrowser,
}, async () => {
  const [person, quarter] = [await signUp(), await aQuarter()];
  await inExplorer(async (explorer) => {
    const { page } = explorer;
    let keys = 0;
    const type = async (key: KeyInput) => {
      keys++;
      await page.keyboard.press(key);
    };
    /** Moves the focus forward until the element has it, and presses Enter. */
    const press = async (target: string) => {
      const element = (await page.waitForSelector(target, { visible: true }))!;
      for (let steps = 0; !await element.evaluate((element) => element === document.activeElement); steps++) {
        assert.ok(steps < 150, `The keyboard does not reach ${target}`);
        await type("Tab");
      }
      await type("Enter");
    };
    await explorer.open(quarter);
    await page.waitForSelector(FIRST_LOT);
    await press('::-p-aria([name="Sign in"][role="button"])');
    await page.waitForSelector("dialog[open]");
    await type("Escape");
    await page.waitForFunction(() => document.querySelector("dialog") === null);
    // The focus is where it was.
    await type("Enter");
    await page.waitForSelector("dialog[open]");
    for (const [field, value] of [["email", person.email], ["password", person.password]] as const) {
      const input = (await page.waitForSelector(`dialog input[type=${field}]`))!;
      while (!await input.evaluate((input) => input === document.activeElement)) await type("Tab");
      await page.keyboard.type(value);
    }
    await type("Enter");
    await page.waitForSelector("dialog", { hidden: true });
    await park(explorer, "en", press);
    console.log(`the journey by keyboard: ${keys} keys besides the mail address and the password`);
  });
  await assertEnded(person);
});
