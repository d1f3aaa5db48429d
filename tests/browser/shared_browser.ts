/// <reference lib="dom" />
// The browsers that the tests of a file share: to start one takes more than most visits.
import type { Browser, BrowserContext, Page } from "puppeteer-core";
import { type BrowserOptions, close, startBrowser } from "./chromium.ts";

/** By their options. */
const browsers = new Map<string, Promise<Browser>>();

Deno.test.afterAll(async () => {
  for (const browser of browsers.values()) await close(await browser);
});

/**
 * Runs in a context with no storage, cache or cookie of another, and closes it. Where `run` fails, its browser is closed
 * too: the next context is in a new one.
 */
export async function withContext<Result>(
  run: (context: BrowserContext) => Promise<Result>,
  options: BrowserOptions = {},
): Promise<Result> {
  const key = JSON.stringify(options);
  const starting = browsers.get(key) ?? startBrowser(options);
  browsers.set(key, starting);
  const browser = await starting;
  try {
    const context = await browser.createBrowserContext();
    const result = await run(context);
    await context.close();
    return result;
  } catch (error) {
    browsers.delete(key);
    await close(browser);
    throw error;
  }
}

const TIMEOUT_MS = 60_000;
/** Between two looks at a condition. By default there is one at each frame, which takes the time of what it waits for. */
const LOOK_MS = 50;

/** The pixels of a map for one of the page, in each direction: what it shows has the same places as with more. */
const MAP_PIXEL_RATIO = 0.25;

/** A new tab. */
export async function tabIn(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  // The time of WebGL in software grows with the pixels.
  await page.evaluateOnNewDocument((ratio) => globalThis.devicePixelRatio = ratio, MAP_PIXEL_RATIO);
  const waitForFunction = page.waitForFunction.bind(page);
  page.waitForFunction = (condition, options, ...values) =>
    waitForFunction(condition, { polling: LOOK_MS, ...options }, ...values);
  return page;
}
