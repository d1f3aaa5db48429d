/// <reference lib="dom" />
// How soon the map page of the explorer shows something, and how it moves with all lots in its box.
// deno run -A tests/bench/explorer.ts   (needs API_URL; `deno task bench` sets it)
// The browser draws in software, which a person's browser does not: the time of scripts says what the page itself costs.
import type { Page } from "puppeteer-core";
import { withBrowser } from "../browser/chromium.ts";
import { ms, percentile, table } from "./measure.ts";

const { API_URL, BENCH_NETWORK = "" } = Deno.env.toObject();
if (!API_URL) throw new Error("No platform is named: run `deno task bench`");

const VISITS = 5;
const TIMEOUT_MS = 120_000;
const CENTRE = { lat: 35.6812, lng: 139.7671 };
const VIEWS = [["the country", 5], ["a region", 9], ["a city", 12], ["a quarter", 14]] as const;
const DRAGS = 10;
const STEPS = 20;

/** Networks of phones, each with a processor that takes as many times as long. */
const NETWORKS: Readonly<Record<string, { bits: number; latency: number; slowdown: number }>> = {
  "slow-4g": { bits: 1_600_000, latency: 150, slowdown: 4 },
  "slow-3g": { bits: 400_000, latency: 400, slowdown: 4 },
};
const network = NETWORKS[BENCH_NETWORK];
if (BENCH_NETWORK !== "" && network === undefined) {
  throw new Error(`There is no network ${BENCH_NETWORK}; there are ${Object.keys(NETWORKS).join(", ")}`);
}

type Times = { times: number[] };

async function newPage(open: () => Promise<Page>): Promise<Page> {
  const page = await open();
  page.setDefaultTimeout(TIMEOUT_MS);
  await page.setViewport({ width: 1200, height: 900 });
  return page;
}

const drawn = () => /\d/.test(document.querySelector(".map-foot p")?.textContent ?? "");

/** The first paint, and when list and map have lots, in milliseconds from the start of the visit. */
async function visit(): Promise<number[]> {
  // A browser of its own: nothing is cached.
  return await withBrowser(async (browser) => {
    const page = await newPage(() => browser.newPage());
    if (network) {
      const bytes = network.bits / 8;
      await page.emulateNetworkConditions({ download: bytes, upload: bytes, latency: network.latency });
      await page.emulateCPUThrottling(network.slowdown);
    }
    await page.goto(`${API_URL}/explore/`);
    const at = async (isThere: () => boolean) => {
      await page.waitForFunction(isThere, { polling: "raf" });
      return await page.evaluate(() => performance.now());
    };
    const [list, map] = await Promise.all([
      at(() => document.querySelector(".map-results .result") !== null),
      at(drawn),
    ]);
    const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]!.startTime);
    return [paint, list, map];
  }, { hasMaps: true });
}

/** Drags and zooms the map. */
async function move(page: Page): Promise<{ pan: number[]; zoom: number[] }> {
  await page.evaluate(() => {
    const store = globalThis as unknown as Times;
    store.times = [];
    let last = performance.now();
    const next = (now: number) => {
      store.times.push(now - last);
      last = now;
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });
  const taken = () => page.evaluate(() => (globalThis as unknown as Times).times.splice(0));
  const [x, y] = [820, 450];
  await taken();
  for (let drag = 0; drag < DRAGS; drag++) {
    await page.mouse.move(x, y);
    await page.mouse.down();
    for (let step = 1; step <= STEPS; step++) await page.mouse.move(x + (drag % 2 ? 12 : -12) * step, y + 4 * step);
    await page.mouse.up();
  }
  const pan = await taken();
  for (let turn = 0; turn < DRAGS; turn++) await page.mouse.wheel({ deltaY: turn % 2 ? 120 : -120 });
  return { pan, zoom: await taken() };
}

/** How long the list of a place to which the map was moved takes, from the press of "Search here" to the drawn list. */
async function listAfterMove(page: Page): Promise<number> {
  await page.waitForSelector(".map-here");
  return await page.evaluate(async () => {
    const list = document.querySelector(".map-results")!;
    const start = performance.now();
    const isRead = new Promise<void>((done) => {
      let wasBusy = false;
      // Reading may begin and end between two frames.
      new MutationObserver(() => {
        const isBusy = list.getAttribute("aria-busy") === "true";
        if (wasBusy && !isBusy) done();
        wasBusy ||= isBusy;
      }).observe(list, { attributeFilter: ["aria-busy"] });
    });
    document.querySelector<HTMLButtonElement>(".map-here")!.click();
    await isRead;
    await new Promise(requestAnimationFrame);
    return performance.now() - start;
  });
}

// The build is not a part of a visit.
await (await fetch(`${API_URL}/explore/`)).body?.cancel();
const visits: number[][] = [];
for (let n = 0; n < VISITS; n++) visits.push(await visit());
console.log(`${VISITS} first visits${network ? ` by ${BENCH_NETWORK}` : ""}, milliseconds: median (slowest)\n`);
console.log(table(
  ["", "median", "slowest"],
  ["first paint", "the list has lots", "the map has lots"].map((name, column) => {
    const times = visits.map((visit) => visit[column]!);
    return [name, ms(percentile(times, 0.5)), ms(Math.max(...times))];
  }),
));

// The movements are those of a person's machine.
if (network) Deno.exit(0);

const rows: string[][] = [];
await withBrowser(async (browser) => {
  for (const [name, zoom] of VIEWS) {
    const page = await newPage(() => browser.newPage());
    let reads = 0;
    page.on("request", (request) => {
      if (request.method() === "GET" && request.url().includes("/v1/parking-lots")) reads++;
    });
    const { lat, lng } = CENTRE;
    await page.goto(`${API_URL}/explore/#/?lat=${lat}&lng=${lng}&radius=20000&view=${lng},${lat},${zoom}`);
    await page.waitForFunction(drawn);
    await page.waitForNetworkIdle();
    const shown = await page.$eval(".map-foot p", (element) => element.textContent ?? "");
    const before = [reads, (await page.metrics()).ScriptDuration!] as const;
    const { pan, zoom: zoomed } = await move(page);
    await page.waitForNetworkIdle();
    const scripts = (await page.metrics()).ScriptDuration! - before[1];
    const readsOfMoves = reads - before[0];
    const frames = pan.length + zoomed.length;
    const list = await listAfterMove(page);
    rows.push([
      name,
      shown,
      ms(percentile(pan, 0.5)),
      ms(percentile(pan, 0.95)),
      ms(percentile(zoomed, 0.5)),
      ms(percentile(zoomed, 0.95)),
      ms(scripts * 1000 / frames),
      String(readsOfMoves),
      ms(list),
    ]);
    await page.close();
  }
}, { hasMaps: true });
console.log(`\n${DRAGS} drags of ${STEPS} steps and ${DRAGS} turns of the wheel, milliseconds of a frame\n`);
console.log(table(["", "shown", "pan p50", "p95", "zoom p50", "p95", "scripts", "reads", "list after"], rows));
