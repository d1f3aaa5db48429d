/// <reference lib="dom" />
// The map of the explorer: its own layers without another machine, prices by state, and streets that an operator brings.
// `inExplorer` fails after a request to another machine.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { HTTPRequest, Page } from "puppeteer-core";
import { STATE } from "../../local/settings.ts";
import { pmtilesFile } from "../../tools/basemap/pmtiles_file.ts";
import { tilesOf } from "../../tools/basemap/tiles.ts";
import { aPricedLot } from "../api/sessions.ts";
import { hasBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { stack } from "../support/stack.ts";
import { inExplorer } from "./explorer.ts";
import { clickPin, emptyPlace, mapAtRest, namesOf, pinOf, pinsOf } from "./map.ts";

const ignore = !hasBrowser;

const TOKYO = { lat: 35.6812, lng: 139.7671 };
const STAY = { entry: "2026-12-02T10:00", exit: "2026-12-02T12:00" };

function address({ lat, lng }: { lat: number; lng: number }, view = `${lng},${lat},14`): string {
  return `/?${new URLSearchParams({ lat: String(lat), lng: String(lng), ...STAY, view })}`;
}

/** A colour of the map as it is drawn. */
function paint(page: Page, layer: string, property: string): Promise<string> {
  return page.evaluate(
    (layer, property) => {
      // deno-lint-ignore no-explicit-any
      const { map } = document.querySelector(".map-canvas") as any;
      return map.getPaintProperty(layer, property);
    },
    layer,
    property,
  );
}

for (
  const [language, credit, station] of [["en", "Map: MLIT open data", "Tokyo"], ["ja", "国土数値情報", "東京"]] as const
) {
  Deno.test({
    name: `explorer map: stations have their names (${language}), sources are named, and tiles are parts of one file`,
    ignore,
  }, async () => {
    await inExplorer(async ({ page, open, sees }) => {
      const parts: { status: number; bytes: number }[] = [];
      page.on("response", (response) => {
        if (!/\/japan-[0-9a-f]{8}\.pmtiles$/.test(response.url())) return;
        parts.push({ status: response.status(), bytes: Number(response.headers()["content-length"]) });
      });
      await open(address(TOKYO));
      await mapAtRest(page);
      await sees(credit);
      const stations = await namesOf(page, "stations");
      const tokyo = stations.find(({ name }) => name === "東京");
      assert.equal(tokyo?.["name_en"], "Tokyo");
      assert.equal(tokyo?.["text"], station);
      assert.ok(stations.length > 5, `${stations.length} stations`);
      assert.ok((await namesOf(page, "interchanges")).length > 0);
      assert.ok(parts.length > 0 && parts.every(({ status }) => status === 206), JSON.stringify(parts));
      const bytes = parts.reduce((sum, { bytes }) => sum + bytes, 0);
      assert.ok(bytes < 400_000, `${bytes} bytes of the file`);

      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
      await mapAtRest(page);
      const light = await paint(page, "land", "fill-color");
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
      await page.waitForFunction(
        (light) => {
          // deno-lint-ignore no-explicit-any
          const { map } = document.querySelector(".map-canvas") as any;
          return map.getLayer("land") && map.getPaintProperty("land", "fill-color") !== light;
        },
        { polling: 50 },
        light,
      );
      assert.deepEqual([light, await paint(page, "land", "fill-color")], ["rgb(238, 240, 236)", "rgb(21, 26, 24)"]);
      // The names are drawn again.
      await page.waitForFunction(
        () => {
          // deno-lint-ignore no-explicit-any
          const { map } = document.querySelector(".map-canvas") as any;
          return map.queryRenderedFeatures({ layers: ["stations"] }).length > 5;
        },
        { polling: 50 },
      );
    }, { language, hasMaps: true });
  });
}

/** So many metres to the north and to the east. */
function away({ lat, lng }: { lat: number; lng: number }, north: number, east: number) {
  return { lat: lat + north / 111_195, lng: lng + east / 111_195 / Math.cos(lat * Math.PI / 180) };
}

/** Changes the response of a path. */
async function change(page: Page, path: string, edit: (body: unknown) => unknown): Promise<void> {
  // Requests of the service worker are not seen here.
  await page.setBypassServiceWorker(true);
  await page.setRequestInterception(true);
  page.on("request", async (request: HTTPRequest) => {
    if (!new URL(request.url()).pathname.endsWith(path) || request.method() !== "GET") return await request.continue();
    const response = await fetch(request.url(), { headers: request.headers() });
    const { "content-encoding": _, "content-length": __, ...headers } = Object.fromEntries(response.headers);
    await request.respond({ status: response.status, headers, body: JSON.stringify(edit(await response.json())) });
  });
}

Deno.test({
  name:
    "explorer map: the cheapest usable lot is marked, an unusable one is a cross that gives its reason, an unknown fee is ?",
  ignore,
}, async () => {
  const place = emptyPlace();
  const at = (north: number, east: number) => away(place, north, east);
  const best = await aPricedLot({ ...at(300, 0), name: "Best" });
  const other = await aPricedLot({ ...at(-300, 300), name: "Other" });
  const closed = await aPricedLot({ ...at(0, 500), name: "Closed" });
  const unknown = await aPricedLot({ ...at(0, -500), name: "Unknown" });
  await inExplorer(async ({ page, open }) => {
    const edits: Record<string, Record<string, unknown>> = {
      [best]: { estimated_fee: 300, usable_for_stay: true, unusable_reasons: [] },
      [other]: { estimated_fee: 900, usable_for_stay: true, unusable_reasons: [] },
      [closed]: { estimated_fee: 100, usable_for_stay: false, unusable_reasons: ["closed_at_exit"] },
      [unknown]: { estimated_fee: null, usable_for_stay: null, unusable_reasons: [] },
    };
    await change(
      page,
      "/v1/parking-lots/nearby",
      (lots) => (lots as { id: string }[]).map((lot) => ({ ...lot, ...edits[lot.id] })),
    );
    await open(address(place));
    assert.deepEqual((await pinOf(page, best, "best")).image, ["best", "¥300"]);
    assert.deepEqual((await pinOf(page, other, "usable")).image, ["usable", "¥900"]);
    assert.deepEqual((await pinOf(page, closed, "unusable")).image, ["cross"]);
    assert.deepEqual((await pinOf(page, unknown, "unknown")).image, ["unknown", "?"]);

    await clickPin(page, closed, at(0, 500));
    assert.deepEqual((await pinOf(page, closed, "chosen")).image, ["chosen", "Closed when you leave"]);
    await page.waitForFunction(() => document.querySelector(".map-picked h3")?.textContent === "Closed");

    // From far away they are a group of the service.
    // deno-lint-ignore no-explicit-any
    await page.evaluate(() => (document.querySelector(".map-canvas") as any).map.jumpTo({ zoom: 9 }));
    await eventually(async () =>
      (await pinsOf(page)).some(({ state, image }) => state === "cluster" && image[0] === "group") || undefined
    );
  }, { hasMaps: true });
});

Deno.test({
  name: "explorer map: a file of streets that the settings name is drawn below the names, by range requests",
  ignore,
}, async () => {
  const name = "test_streets-0123abcd.pmtiles";
  const road = (cls: string, north: number) => ({
    type: "line" as const,
    coordinates: [[-0.02, 0, 0.02].map((east) => [TOKYO.lng + east, TOKYO.lat + north] as const)],
    properties: { class: cls },
  });
  const layers = { transportation: [road("primary", 0.001), road("minor", -0.002), road("motorway", 0.004)] };
  const region = { minZoom: 10, maxZoom: 14, box: [139.7, 35.65, 139.85, 35.72] } as const;
  const metadata = {
    name: "Test",
    attribution: "Streets of a test",
    vector_layers: [{ id: "transportation", fields: {} }],
  };
  const bytes = pmtilesFile([...tilesOf(layers, [region], false)], metadata);
  await inExplorer(async ({ page, open, sees }) => {
    const statuses: number[] = [];
    page.on("response", (response) => {
      if (response.url().endsWith(name)) statuses.push(response.status());
    });
    await change(page, "/explore/settings.json", (settings) => (
      { ...settings as Record<string, unknown>, streets: { url: name, attribution: "Streets of a test" } }
    ));
    // The first request builds the folder, in which the file lies then.
    await (await fetch(`${stack().apiUrl}/explore/`)).body?.cancel();
    await Deno.writeFile(join(STATE, "explore", name), bytes);
    try {
      await open(address(TOKYO));
      await mapAtRest(page);
      await sees("Streets of a test");
      for (const layer of ["street-major", "street-minor", "street-motorway"]) {
        const drawn = await page.evaluate((layer) => {
          // deno-lint-ignore no-explicit-any
          const { map } = document.querySelector(".map-canvas") as any;
          return map.queryRenderedFeatures({ layers: [layer] }).length;
        }, layer);
        assert.ok(drawn > 0, layer);
      }
      assert.ok((await namesOf(page, "stations")).length > 0);
      assert.ok(statuses.length > 0 && statuses.every((status) => status === 206), String(statuses));
    } finally {
      await Deno.remove(join(STATE, "explore", name)).catch(() => {});
    }
  }, { hasMaps: true });
});
