/// <reference lib="dom" />
// `<parking-map>` on the example page of client/examples/map, from another origin and under its strict policy.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { ElementHandle, Page } from "puppeteer-core";
import { build } from "../../client/scripts/build.ts";
import { inDatabase } from "../api/lots.ts";
import { aPricedLot } from "../api/sessions.ts";
import { hasBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { newLot } from "../support/rows.ts";
import { stack } from "../support/stack.ts";
import { findings } from "./axe.ts";
import { tabIn, withContext } from "./shared_browser.ts";
import type { Explorer } from "./explorer.ts";
import { emptyPlace } from "./map.ts";

const ignore = !hasBrowser;

const EXAMPLE = fileURLToPath(new URL("../../client/examples/map/", import.meta.url));
const MAPLIBRE = ["maplibre-gl-csp.js", "maplibre-gl-csp-worker.js"];
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; " +
  `connect-src 'self' ${stack().apiUrl}; img-src 'self' data: blob:; worker-src 'self'`;
/** No text becomes markup or a script. MapLibre writes its attribution as markup, so this is for pages without it. */
const TRUSTED_TYPES = "; require-trusted-types-for 'script'; trusted-types 'none'";
/** In place of the tiles of the example, which are on another machine. */
const STYLE = {
  version: 8,
  sources: {
    test: { type: "geojson", data: { type: "FeatureCollection", features: [] }, attribution: "Map of the test" },
  },
  layers: [
    { id: "ground", type: "background", paint: { "background-color": "#eef0ec" } },
    { id: "test", type: "circle", source: "test" },
  ],
};
const STAY = { entry: "2026-12-02T10:00", hours: "2" };

/** The type of a file by its name. */
const TYPES: Readonly<Record<string, string>> = { css: "text/css", html: "text/html", js: "text/javascript" };

interface Visit {
  readonly page: Page;
  readonly requests: URL[];
  /** Errors and warnings of the console, errors of scripts, breaches of the policy, cookies. */
  readonly problems: string[];
}

interface VisitOptions {
  /** Attributes of the element. Null removes one of the example. */
  readonly attributes: Readonly<Record<string, string | null>>;
  readonly width?: number;
  readonly isMapless?: boolean;
  /** Before the page is opened. */
  readonly prepare?: (page: Page) => Promise<void>;
}

let built: Promise<string> | undefined;
Deno.test.afterAll(async () => {
  if (built) await Deno.remove(await built, { recursive: true });
});

async function buildOnce(): Promise<string> {
  const folder = await Deno.makeTempDir();
  await build(pathToFileURL(`${folder}/dist/`));
  return folder;
}

/** The example page with other attributes of its element. */
async function examplePage(attributes: VisitOptions["attributes"]): Promise<string> {
  let html = await Deno.readTextFile(join(EXAMPLE, "index.html"));
  html = html.replaceAll("http://127.0.0.1:54321", stack().apiUrl);
  for (const [name, value] of Object.entries(attributes)) {
    html = html.replace(new RegExp(`\n *${name}="[^"]*"(?=[^<]*></parking-map>)`), "");
    if (value !== null) html = html.replace("<parking-map", `<parking-map\n ${name}="${value}"`);
  }
  return html;
}

async function inPage(
  { attributes, width = 1280, isMapless = false, prepare }: VisitOptions,
  run: (visit: Visit) => Promise<void>,
): Promise<void> {
  const folder = await (built ??= buildOnce());
  const names = isMapless ? { "maplibre": null, "maplibre-worker": null, "map-style": null } : {};
  const html = await examplePage({ ...names, ...attributes });
  const read = async (name: string) => {
    if (name === "") return html;
    if (name === "style.json") return JSON.stringify(STYLE);
    if (name === "parking-map.min.js") return await Deno.readFile(join(folder, "dist", name));
    if (MAPLIBRE.includes(name)) {
      return await Deno.readFile(fileURLToPath(import.meta.resolve(`maplibre-gl/dist/${name}`)));
    }
    return await Deno.readFile(join(EXAMPLE, name));
  };
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const name = new URL(request.url).pathname.slice(1);
    const type = TYPES[name.split(".").at(-1) || "html"] ?? "application/json";
    const policy = POLICY + (isMapless ? TRUSTED_TYPES : "");
    return new Response(await read(name), { headers: { "content-type": type, "content-security-policy": policy } });
  });
  const origin = `http://127.0.0.1:${server.addr.port}`;
  await withContext(async (context) => {
    const page = await tabIn(context);
    await page.setViewport({ width, height: 900, isMobile: width < 600, hasTouch: width < 600 });
    const [requests, problems]: [URL[], string[]] = [[], []];
    page.on("pageerror", (error) => problems.push(`error: ${error}`));
    page.on("console", (message) => {
      // The browser of the tests, which has no graphics card, reads each picture of the map back.
      if (/GPU stall due to ReadPixels/.test(message.text())) return;
      if (["error", "warn"].includes(message.type())) problems.push(`${message.type()}: ${message.text()}`);
    });
    page.on("request", (request) => {
      if (!/^(blob|data):/.test(request.url())) requests.push(new URL(request.url()));
      if (request.headers()["cookie"]) problems.push(`cookie: ${request.url()}`);
    });
    await page.evaluateOnNewDocument(() => {
      document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => {
        console.error(`policy: ${violatedDirective} ${blockedURI}`);
      });
      document.addEventListener("parking-lot-chosen", (event) => {
        Object.assign(globalThis, { chosen: (event as CustomEvent).detail });
      });
    });
    await prepare?.(page);
    await page.goto(`${origin}/`);
    await run({ page, requests, problems });
    const stored = await page.evaluate(async () => [
      document.cookie,
      ...Object.keys(localStorage),
      ...Object.keys(sessionStorage),
      ...(await indexedDB.databases()).map(({ name }) => name),
      ...await caches.keys(),
      ...(await navigator.serviceWorker.getRegistrations()).map(({ scope }) => scope),
    ]);
    assert.deepEqual(stored, [""], "the browser keeps something");
    assert.deepEqual(await context.cookies(), []);
    const origins = new Set(requests.map(({ origin }) => origin));
    assert.deepEqual([...origins].sort(), [origin, stack().apiUrl].sort());
  }, { hasMaps: !isMapless });
}

/** So many metres to the north and to the east. */
function away({ lat, lng }: { lat: number; lng: number }, north: number, east: number) {
  return { lat: lat + north / 111_195, lng: lng + east / 111_195 / Math.cos(lat * Math.PI / 180) };
}

/** A lot that is open all day, where 30 minutes cost 200 yen, or other windows. */
async function anOpenLot(columns: Record<string, string | number>): Promise<string> {
  const lot = await aPricedLot(columns);
  await inDatabase((sql) =>
    sql`insert into public.parking_lot_windows (parking_lot_id, window_type, is_24h) values (${lot}, 'business', true)`
  );
  return lot;
}

/** Four lots around a place: open, with unknown hours, closed at the entry although it is cheap, and without a price. */
async function aPlace() {
  const place = emptyPlace();
  const open = await anOpenLot({ ...away(place, 100, -90), name: "Open lot" });
  const vague = await aPricedLot({ ...away(place, -100, 90), name: "Vague lot" });
  const closed = await aPricedLot({ ...away(place, 100, 90), name: "Closed lot" });
  await inDatabase((sql) =>
    sql`
      insert into public.parking_lot_windows (parking_lot_id, window_type, day_type, open_time, close_time)
      values (${closed}, 'business', 'all', '20:00', '23:00')`
  );
  const unpriced = await inDatabase((sql) => newLot(sql, { ...away(place, -100, -90), name: "Unpriced lot" }));
  return { place, open, vague, closed, unpriced };
}

const at = ({ lat, lng }: { lat: number; lng: number }) => ({ lat: String(lat), lng: String(lng) });

/** The texts of the lots in the list, by their ids. */
function listed(page: Page): Promise<Record<string, string>> {
  return page.evaluate(() => {
    const { shadowRoot } = document.querySelector("parking-map")!;
    const items = [...shadowRoot!.querySelectorAll<HTMLElement>(".lot")];
    return Object.fromEntries(items.map((item) => [item.dataset["lot"], item.innerText.replaceAll(/\s+/g, " ")]));
  });
}

const listHas = (page: Page, lots: number) =>
  page.waitForFunction(
    (lots) => document.querySelector("parking-map")?.shadowRoot?.querySelectorAll(".lot").length === lots,
    { polling: 100 },
    lots,
  );

/** The parts of the element with this selector. */
const part = (page: Page, selector: string) =>
  page.waitForSelector(`parking-map >>> ${selector}`) as Promise<ElementHandle<HTMLElement>>;

/** The elements that fingers use and that are smaller than 44 px. */
function small(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { shadowRoot } = document.querySelector("parking-map")!;
    return [...shadowRoot!.querySelectorAll<HTMLElement>("button, a[href]")].filter((element) => {
      const { width, height } = element.getBoundingClientRect();
      return element.checkVisibility() && !element.matches(".skip, .dot, .maplibregl-ctrl a") &&
        (width < 44 || height < 44);
    }).map(({ outerHTML }) => outerHTML);
  });
}

for (const width of [1280, 360]) {
  Deno.test({
    name: `parking map: a page of another origin with a strict policy shows pins, prices and links at ${width} px`,
    ignore,
  }, async () => {
    const { place, open, vague, closed, unpriced } = await aPlace();
    await inPage({ attributes: { ...at(place), ...STAY }, width }, async ({ page, requests, problems }) => {
      await listHas(page, 4);
      const lots = await listed(page);
      assert.match(lots[open]!, /^Open lot ¥800 最安 · 徒歩2分$/);
      assert.match(lots[vague]!, /^Vague lot ¥800 徒歩2分 · 営業時間不明$/);
      assert.match(lots[closed]!, /^Closed lot 入庫時刻は入れません.* 徒歩2分$/);
      assert.doesNotMatch(lots[closed]!, /¥|\d{3}/);
      assert.match(lots[unpriced]!, /^Unpriced lot 料金不明 /);
      assert.equal(Object.keys(lots).at(-1), closed);
      const title = await (await part(page, ".title")).evaluate(({ textContent }) => textContent);
      assert.equal(title, "12月2日(水) 10:00 – 12:00 の料金");

      const href = await (await part(page, `[data-lot="${open}"] a.name`)).evaluate((link) =>
        link.getAttribute("href")
      );
      assert.equal(
        href,
        `${stack().apiUrl}/explore/#/lots/${open}?entry_at=2026-12-02T01%3A00%3A00.000Z` +
          `&exit_at=2026-12-02T03%3A00%3A00.000Z&vehicle_type=standard`,
      );

      await part(page, ".pin.best");
      const pins = await page.$$eval(
        "parking-map >>> .pin",
        (pins) =>
          pins.map((
            pin,
          ) => [pin.className.split(" ").filter((name) => !name.startsWith("maplibregl")).join(" "), pin.textContent]),
      );
      assert.deepEqual(pins.toSorted(), [
        ["pin best", "¥800"],
        ["pin unknown", "?"],
        ["pin unusable", "×"],
        ["pin usable", "¥800"],
      ]);
      await page.waitForFunction(
        () => document.querySelector("parking-map")?.shadowRoot?.textContent?.includes("Map of the test"),
        { polling: 100 },
      );

      const sizes = await Promise.all(
        [".maplibregl-canvas", ".map"].map(async (selector) =>
          (await part(page, selector)).evaluate(({ clientWidth, clientHeight }) => [clientWidth, clientHeight])
        ),
      );
      assert.deepEqual(sizes[0], sizes[1]);

      assert.deepEqual(await small(page), []);
      assert.deepEqual(await findings({ page } as Explorer), []);
      const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.equal(await overflow(), 0);

      // By the keyboard: a pin, its card, and the way to the list.
      await (await part(page, ".pin.unusable")).focus();
      await page.keyboard.press("Enter");
      const card = await part(page, ".card:not([hidden])");
      const words = await card.evaluate((card) => card.innerText.replaceAll(/\s+/g, " "));
      assert.match(words, /^Closed lot 入庫時刻は入れません/);
      assert.doesNotMatch(words, /¥/);
      const chosen = await page.evaluate(() => Reflect.get(globalThis, "chosen"));
      assert.deepEqual([chosen.id, chosen.fee, chosen.usable], [closed, null, false]);
      assert.deepEqual(await small(page), []);
      assert.deepEqual(await findings({ page } as Explorer), []);
      assert.equal(await overflow(), 0);
      await (await part(page, ".close")).click();
      await page.waitForFunction(() =>
        document.querySelector("parking-map")?.shadowRoot?.activeElement?.matches(".pin.unusable")
      );
      await (await part(page, ".skip")).focus();
      await page.keyboard.press("Enter");
      assert.ok(
        await page.evaluate(() => document.querySelector("parking-map")!.shadowRoot!.activeElement?.matches(".name")),
      );

      // Moves that follow each other are one request.
      const nearby = () => requests.filter(({ pathname }) => pathname.endsWith("/nearby"));
      const before = nearby().length;
      const zoom = await part(page, ".zoom-out");
      for (let presses = 0; presses < 3; presses++) await zoom.click();
      await eventually(() => nearby().length > before || undefined);
      await page.waitForNetworkIdle({ idleTime: 1_500 });
      assert.ok(nearby().length - before <= 2, `${nearby().length - before} requests`);
      const [first, last] = [nearby().at(0)!, nearby().at(-1)!];
      assert.ok(Number(last.searchParams.get("radius_m")) > Number(first.searchParams.get("radius_m")));
      assert.deepEqual(problems, []);
    });
  });
}

Deno.test({
  name: "parking map: without a map library it is a list; a place has a name, and the language is that of the element",
  ignore,
}, async () => {
  const place = emptyPlace();
  const name = `Hall ${crypto.randomUUID().slice(0, 8)}`;
  const lot = await anOpenLot({ ...place, name });
  const attributes = { lat: null, lng: null, place: name, lang: "en", app: null, ...STAY };
  await inPage({ attributes, isMapless: true, width: 360 }, async ({ page, problems }) => {
    await listHas(page, 1);
    assert.match((await listed(page))[lot]!, /^Hall \w+ ¥800 Cheapest · 0 min walk$/);
    const status = await (await part(page, ".status")).evaluate(({ textContent }) => textContent);
    assert.equal(status, "1 parking lot, 1 usable for this stay");
    assert.equal(await page.$("parking-map >>> .pin"), null);
    assert.deepEqual(await findings({ page } as Explorer), []);
    // Without an application the lot is a button.
    await (await part(page, "button.name")).click();
    const chosen = await page.evaluate(() => Reflect.get(globalThis, "chosen"));
    assert.deepEqual([chosen.id, chosen.fee, chosen.usable, chosen.url], [lot, 800, true, null]);
    assert.deepEqual(problems, []);
  });
});

Deno.test({
  name: "parking map: a request that fails has a button that tries again, and a place without lots too",
  ignore,
}, async () => {
  const [place, empty] = [emptyPlace(), emptyPlace()];
  const lot = await anOpenLot({ ...place, name: "Late lot" });
  let failures = 1;
  const prepare = async (page: Page) => {
    await page.setRequestInterception(true);
    page.on("request", (request) => {
      const fails = request.url().includes("/nearby") && request.method() === "GET" && failures-- > 0;
      void (fails ? request.abort() : request.continue());
    });
  };
  await inPage({ attributes: { ...at(place), ...STAY }, isMapless: true, prepare }, async ({ page }) => {
    const message = () =>
      part(page, ".error .message").then((found) => found.evaluate(({ textContent }) => textContent));
    assert.equal(await message(), "接続できませんでした。");
    assert.deepEqual(await small(page), []);
    assert.deepEqual(await findings({ page } as Explorer), []);
    await (await part(page, ".retry")).click();
    await listHas(page, 1);
    assert.ok(lot in await listed(page));

    const set = (attributes: Record<string, string>) =>
      page.evaluate((attributes) => {
        const element = document.querySelector("parking-map")!;
        for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
      }, attributes);
    await set(at(empty));
    await listHas(page, 0);
    assert.equal(await message(), "この範囲に駐車場がありません。");
    await part(page, ".retry");
    await set({ hours: "many" });
    await page.waitForFunction(
      () =>
        document.querySelector("parking-map")!.shadowRoot!.querySelector(".message")?.textContent?.includes("hours"),
      { polling: 100 },
    );
    assert.equal(await page.$("parking-map >>> .retry"), null);
  });
});
