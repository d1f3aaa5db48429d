/// <reference lib="dom" />
/** Draws lots and groups on the map: each time the map has come to rest they get their room again. */
import { useEffect, useRef } from "preact/hooks";
import type { Map as MapLibre } from "maplibre-gl";
import { money } from "../../format.ts";
import { language } from "../../language.ts";
import { setFeatures } from "./drawing.ts";
import { type Feature, point } from "./geometry.ts";
import { highlighted } from "./highlight.ts";
import type { BoxContents, Cluster, Lot } from "./lots.ts";
import { imageId, type PinImage, pinWidth } from "./map_images.ts";
import {
  type Box,
  cheapest,
  CHOSEN,
  isCut,
  PIN,
  type Pin,
  type Placed,
  placePins,
  Room,
  stateOf,
  usabilityOf,
} from "./pins.ts";
import type { Padding, UsedMap } from "./use_map.ts";

export interface PinTexts {
  /** From this price of the stay on. */
  readonly from: (price: string) => string;
  /** From this price of an hour on. */
  readonly fromHourly: (price: string) => string;
  /** Why a lot cannot be used, by the codes of the service. */
  readonly reasons: Readonly<Record<string, string>>;
  /** For other codes. */
  readonly unusable: string;
}

interface PinOptions {
  readonly used: UsedMap;
  /** The lots of the list; the cheapest one is marked. */
  readonly lots: readonly Lot[];
  readonly contents: BoxContents | undefined;
  readonly chosen: string | undefined;
  readonly padding: Padding;
  readonly texts: PinTexts;
}

/** Prices are placed again when the zoom has changed by so much. */
const ZOOM_STEP = 0.4;
/** Of what is drawn at one place, higher numbers are above. */
const SORT = { dot: 0, cross: 1, group: 2, usable: 3, unknown: 3, best: 4 } as const;

/** All lots that the page knows in this part: those of the list first. */
export function lotsOf(lots: readonly Lot[], contents: BoxContents | undefined): Lot[] {
  const listed = new Set(lots.map(({ id }) => id));
  return [...lots, ...contents?.lots.filter(({ id }) => !listed.has(id)) ?? []];
}

export function usePins({ used, lots, contents, chosen, padding, texts }: PinOptions): void {
  const { map, isReady, groups } = used;
  const newest = useRef(chosen);
  newest.current = chosen;
  const { top, right, bottom, left } = padding;

  useEffect(() => {
    const made = map.current;
    if (!made || !isReady) return;
    const best = cheapest(lots);
    const pins = lotsOf(lots, contents).map((lot): Pin => ({
      lot,
      state: stateOf(lot, best),
      label: lot.estimated_fee === null ? "?" : money(lot.estimated_fee, lot.currency),
    }));
    let zoom = NaN;
    const place = () => {
      zoom = made.getZoom();
      const { clientWidth, clientHeight } = made.getContainer();
      const box = { left, top, right: clientWidth - right, bottom: clientHeight - bottom };
      const placed = placePins(pins, {
        project: ({ lng, lat }) => made.project([lng, lat]),
        box,
        widthOf: (label, count) => pinWidth(label, count?.toString()),
        groupLabel: ({ label }) => texts.from(label),
        chosen: highlighted.peek() ?? newest.current,
      });
      groups.current = placed.flatMap(({ mark }) => mark.kind === "group" ? [mark.pins.map(({ lot }) => lot)] : []);
      setFeatures(made, "pins", [
        ...pinFeatures(placed, texts),
        ...clusterFeatures(made, contents?.clusters ?? [], box, texts),
      ]);
    };
    const zoomed = () => {
      if (Math.abs(made.getZoom() - zoom) > ZOOM_STEP) place();
    };
    place();
    made.on("moveend", place);
    made.on("resize", place);
    made.on("zoom", zoomed);
    return () => {
      made.off("moveend", place);
      made.off("resize", place);
      made.off("zoom", zoomed);
    };
  }, [isReady, lots, contents, top, right, bottom, left]);

  useEffect(() => {
    const made = map.current;
    if (!made || !isReady) return;
    let shown: string | undefined;
    const show = () => {
      const id = highlighted.value ?? chosen;
      const lot = lotsOf(lots, contents).find((lot) => lot.id === id);
      setFeatures(made, "chosen", lot === undefined ? [] : [chosenFeature(lot, texts)]);
      if (shown !== undefined) made.setFeatureState({ source: "pins", id: shown }, { chosen: false });
      if (lot !== undefined) made.setFeatureState({ source: "pins", id: lot.id }, { chosen: true });
      shown = lot?.id;
    };
    return highlighted.subscribe(show);
  }, [isReady, lots, contents, chosen]);
}

function pinFeatures(placed: readonly Placed[], texts: PinTexts): Feature[] {
  let group = 0;
  return placed.map(({ mark, lot: { id, lng, lat } }) => {
    const feature = (
      image: PinImage,
      anchor: "bottom" | "center",
      sort: number,
      more: Record<string, string | number>,
    ) => point(lng, lat, { id, image: imageId(image), anchor, sort, ...more });
    const { kind, pin } = mark;
    if (kind === "group") {
      const image = ["group", texts.from(pin.label), String(mark.pins.length)] as const;
      return feature(image, "bottom", SORT.group, { group: group++, state: kind });
    }
    if (kind !== "price") return feature([kind], "center", SORT[kind], { lot: id, state: pin.state });
    // Lots that cannot be used have no price on the map.
    const state = pin.state === "unusable" ? "unknown" : pin.state;
    return feature([state, pin.label], "bottom", SORT[state], { lot: id, state });
  });
}

function chosenFeature(lot: Lot, texts: PinTexts): Feature {
  const { usable_for_stay: isUsable, unusable_reasons: [reason = ""] = [] } = usabilityOf(lot);
  const price = lot.estimated_fee === null ? "?" : money(lot.estimated_fee, lot.currency);
  const label = isUsable === false ? texts.reasons[reason] ?? texts.unusable : price;
  return point(lot.lng, lot.lat, {
    id: lot.id,
    lot: lot.id,
    state: "chosen",
    image: imageId(["chosen", label]),
    anchor: "bottom",
    sort: 0,
  });
}

/** Groups of the service, the largest first: where a price has no room there is the count, then nothing but a dot. */
function clusterFeatures(map: MapLibre, clusters: readonly Cluster[], box: Box, texts: PinTexts): Feature[] {
  const short = new Intl.NumberFormat(language.value, { notation: "compact", maximumFractionDigits: 1 });
  const room = new Room();
  return [...clusters.entries()].sort(([, a], [, b]) => b.count - a.count).map(([index, cluster]) => {
    const { lng, lat, count, price_min: price, currency } = cluster;
    const { x, y } = map.project([lng, lat]);
    const label = price === null ? undefined : texts.fromHourly(money(price, currency ?? undefined));
    const counted = short.format(count);
    const feature = (image: PinImage, anchor: "bottom" | "center", sort: number) =>
      point(lng, lat, {
        id: `cluster ${index}`,
        cluster: index,
        state: "cluster",
        image: imageId(image),
        anchor,
        sort,
      });
    if (label !== undefined) {
      const half = pinWidth(label, counted) / 2;
      const shape = { left: x - half, top: y - PIN.height - PIN.tip, right: x + half, bottom: y };
      if (!isCut(shape, box) && room.take(shape)) return feature(["group", label, counted], "bottom", SORT.group);
    }
    const half = CHOSEN.height / 2;
    const shape = { left: x - half, top: y - half, right: x + half, bottom: y + half };
    return !isCut(shape, box) && room.take(shape)
      ? feature(["count", counted], "center", SORT.cross)
      : feature(["dot"], "center", SORT.dot);
  });
}
