/// <reference lib="dom" />
// What the map of the explorer shows. Its element has the map.
import type { Page } from "puppeteer-core";
import { eventually } from "../support/eventually.ts";

export interface ShownPin {
  readonly lot?: string;
  /** best, usable, unknown, unusable, group, cluster or chosen. */
  readonly state: string;
  /** What its picture has: a kind and texts, such as `["best", "¥800"]`. */
  readonly image: readonly string[];
}

// deno-lint-ignore no-explicit-any
type Canvas = Element & { map: any };

/**
 * A place on the sea so far from any other that their lots are on no map together, and about as far from the equator as
 * Japan: nearer to a pole a map of the same zoom shows fewer metres.
 */
export function emptyPlace(): { lat: number; lng: number } {
  const within = (degrees: number) => Math.floor(Math.random() * degrees * 1000) / 1000;
  return { lat: -15 - within(25), lng: -90 - within(75) };
}

/** Waits until the map has drawn everything: also its texts, whose places are found after the tiles. */
export async function mapAtRest(page: Page): Promise<void> {
  await page.waitForFunction(() => (document.querySelector(".map-canvas") as Canvas | null)?.map);
  await page.evaluate(() => {
    const { map } = document.querySelector(".map-canvas") as unknown as Canvas;
    return new Promise<void>((resolve) => {
      map.once("idle", () => resolve());
      map.triggerRepaint();
    });
  });
}

/** The pins that are drawn. */
export function pinsOf(page: Page): Promise<ShownPin[]> {
  return page.evaluate(() => {
    const { map } = document.querySelector(".map-canvas") as unknown as Canvas;
    const layers = ["pins", "chosen"].filter((id) => map.getLayer(id));
    const drawn = map.queryRenderedFeatures({ layers });
    // deno-lint-ignore no-explicit-any
    const chosen = drawn.find(({ layer }: any) => layer.id === "chosen")?.properties.lot;
    // deno-lint-ignore no-explicit-any
    return drawn.map(({ layer, properties }: any) => ({
      layer: layer.id,
      ...properties,
    }))
      // The chosen lot covers its own pin.
      // deno-lint-ignore no-explicit-any
      .filter(({ layer, lot }: any) => layer === "chosen" || chosen === undefined || lot !== chosen)
      // deno-lint-ignore no-explicit-any
      .map(({ lot, state, image }: any) => ({ lot, state, image: JSON.parse(image.replace(/^pin:/, "")) }));
  });
}

/** Waits until a pin is drawn for the lot, and returns it. */
export async function pinOf(page: Page, lot: string, state?: string): Promise<ShownPin> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline;) {
    const pin = (await pinsOf(page).catch(() => [])).find((pin) =>
      pin.lot === lot && (state === undefined || pin.state === state)
    );
    if (pin) return pin;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`No pin ${state ?? ""} of ${lot}: ${JSON.stringify(await pinsOf(page))}`);
}

/** The middle of a pin is so far above its place. A cross stands on its place. */
const PIN_MIDDLE_PX = 15;
/** So long a card may take to open before the click is taken for one that met a map in motion. */
const CARD_MS = 5_000;

/** Clicks the pin of the lot at the place until the card of a lot is open. */
export async function clickPin(page: Page, lot: string, place: { lat: number; lng: number }): Promise<void> {
  await eventually(async () => {
    const { image } = await pinOf(page, lot);
    await mapAtRest(page);
    const { x, y } = await pointOf(page, place);
    await page.mouse.click(x, image[0] === "cross" ? y : y - PIN_MIDDLE_PX);
    return await page.waitForSelector(".map-picked h3", { timeout: CARD_MS }).catch(() => undefined) ?? undefined;
  });
}

/** Where a place is on the page. */
export function pointOf(page: Page, { lat, lng }: { lat: number; lng: number }): Promise<{ x: number; y: number }> {
  return page.evaluate(
    (lat, lng) => {
      const canvas = document.querySelector(".map-canvas") as unknown as Canvas;
      const { left, top } = canvas.getBoundingClientRect();
      const { x, y } = canvas.map.project([lng, lat]);
      return { x: left + x, y: top + y };
    },
    lat,
    lng,
  );
}

/** The texts of a layer that are drawn, in the reader's language. */
export function namesOf(page: Page, layer: string): Promise<Record<string, string>[]> {
  return page.evaluate((layer) => {
    const { map } = document.querySelector(".map-canvas") as unknown as Canvas;
    // deno-lint-ignore no-explicit-any
    return map.queryRenderedFeatures({ layers: [layer] }).map(({ properties: { name, name_en }, layer }: any) => {
      const text = layer.layout["text-field"];
      // deno-lint-ignore no-explicit-any
      return { name, name_en, text: text.sections?.map((section: any) => section.text).join("") ?? String(text) };
    });
  }, layer);
}
