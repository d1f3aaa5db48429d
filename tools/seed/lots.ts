import { hoursOf, type Override, overridesOf, type Window } from "./hours.ts";
import type { Area, Place } from "./places.ts";
import { type PriceList, priceList } from "./prices.ts";
import { Random } from "./random.ts";

export interface Spot {
  readonly code: string;
  readonly vehicle_type_max: string | null;
  readonly is_ev_charger: boolean;
  readonly ev_connector_type: string | null;
  readonly accessibility: string | null;
  readonly is_reservable: boolean;
}

export interface Lot extends PriceList {
  readonly external_id: string;
  readonly name: string;
  readonly address: string;
  readonly lat: number;
  readonly lng: number;
  readonly total_spaces: number;
  readonly structure: string;
  readonly entry_method: string;
  readonly entry_difficulty: string | null;
  readonly operator_code: string;
  readonly max_height_m: number | null;
  readonly max_width_m: number | null;
  readonly max_length_m: number | null;
  readonly max_weight_t: number | null;
  readonly min_clearance_cm: number | null;
  readonly max_tire_width_mm: number | null;
  readonly max_parking_duration_min: number | null;
  readonly tags: ReadonlyMap<string, boolean>;
  readonly windows: readonly Window[];
  readonly overrides: readonly Override[];
  readonly spots: readonly Spot[];
}

const OPERATORS = {
  aozora: "あおぞらパーキング",
  ekichika: "駅ちかパーク",
  machikado: "まちかど駐車場",
  minato: "みなとモータープール",
  tsukimi: "月見パーク24",
} as const;

const BUILDINGS = [
  "さくら",
  "けやき",
  "かえで",
  "いちょう",
  "あけぼの",
  "ひかり",
  "みどり",
  "わかば",
  "すずかけ",
  "こだま",
];
const METRES_PER_DEGREE = 111_195;

type Kind = "street" | "building" | "municipal";

interface Body {
  readonly structure: string;
  readonly height: number | null;
  readonly width: number | null;
  readonly length: number | null;
  readonly weight: number | null;
  readonly tire: number | null;
}

function bodyOf(random: Random, kind: Kind): Body {
  if (kind === "street") {
    const limited = random.chance(0.35);
    const [height, width, length, weight] = limited ? [2.1, 1.9, 5, 2] : [null, null, null, null];
    return { structure: "surface", height, width, length, weight, tire: null };
  }
  const structure = kind === "municipal"
    ? "underground"
    : random.pick(["underground", "multi_storey", "multi_storey", "mechanical", "tower", "rooftop"]);
  if (structure === "mechanical" || structure === "tower") {
    const height = random.pick([1.55, 1.55, 2.05]);
    return { structure, height, width: random.pick([1.85, 1.95]), length: 5.05, weight: 2.3, tire: 205 };
  }
  return { structure, height: random.pick([2.1, 2.1, 2.3]), width: 2, length: 5.3, weight: 2.5, tire: null };
}

function distanceM(a: { lat: number; lng: number }, b: { lat: number; lng: number }): number {
  const x = (a.lng - b.lng) * Math.cos(a.lat * Math.PI / 180);
  return Math.hypot(x, a.lat - b.lat) * METRES_PER_DEGREE;
}

/** Evenly spread over a disc around the middle of the neighbourhood. */
function somewhereIn(random: Random, place: Place): { lat: number; lng: number } {
  const distance = Math.sqrt(random.next()) * place.spreadM / METRES_PER_DEGREE;
  const direction = random.next() * 2 * Math.PI;
  const round = (degrees: number) => Number(degrees.toFixed(6));
  return {
    lat: round(place.lat + distance * Math.sin(direction)),
    lng: round(place.lng + distance * Math.cos(direction) / Math.cos(place.lat * Math.PI / 180)),
  };
}

function shortTown(place: Place): string {
  return place.town.replace(/^.*区/u, "");
}

function nameOf(random: Random, kind: Kind, operator: string, place: Place, number: number): string {
  const town = shortTown(place);
  if (kind === "municipal") return `${town.replace(/\d丁目$/u, "")}公共地下駐車場`;
  if (kind === "building") return `${town.replace(/\d丁目$/u, "")}${random.pick(BUILDINGS)}ビル駐車場`;
  return `${operator} ${town}第${number}`;
}

function spotsOf(random: Random, kind: Kind, spaces: number): Spot[] {
  const plain = { vehicle_type_max: "standard", is_ev_charger: false, ev_connector_type: null, accessibility: null };
  if (kind === "street") return [];
  const spots: Spot[] = [];
  if (kind === "municipal" || random.chance(0.5)) {
    for (let index = 1; index <= Math.min(3, Math.ceil(spaces / 60)); index++) {
      spots.push({ ...plain, code: `A-${index}`, accessibility: "wheelchair", is_reservable: false });
    }
    spots.push({ ...plain, code: "P-1", accessibility: "parent_child", is_reservable: false });
  }
  if (random.chance(0.35)) {
    const ev_connector_type = random.pick(["type1", "chademo", "outlet_200v"]);
    for (let index = 1; index <= random.between(1, 3); index++) {
      spots.push({
        ...plain,
        code: `EV-${index}`,
        is_ev_charger: true,
        ev_connector_type,
        is_reservable: random.chance(0.3),
      });
    }
  }
  return spots;
}

interface Known {
  readonly random: Random;
  readonly kind: Kind;
  readonly body: Body;
  readonly windows: readonly Window[];
  readonly prices: PriceList;
  readonly spots: readonly Spot[];
  readonly toStationM: number;
  readonly motorcycles: boolean;
  readonly large: boolean;
}

/** The tags of a lot follow from its data where possible; the others are random. */
function tagsOf(
  { random, kind, body, windows, prices, spots, toStationM, motorcycles, large }: Known,
): Map<string, boolean> {
  const tags = new Map<string, boolean>();
  const caps = prices.rules.filter((rule) => rule.cap_price_minor !== undefined);
  const open = windows.some(({ window_type, is_24h }) => window_type === "business" && is_24h);
  const wheelchair = spots.some((spot) => spot.accessibility === "wheelchair");
  const setTag = (slug: string, state: boolean) => state && tags.set(slug, true);
  tags.set("covered", !["surface", "rooftop"].includes(body.structure));
  tags.set("ev_charging", spots.some((spot) => spot.is_ev_charger));
  if (windows.length > 0) tags.set("open_24h", open);
  setTag("entry_24h", open && windows.length === 1);
  setTag("24h", open && windows.length === 1);
  setTag("has_max_fee", caps.length > 0);
  setTag("max_fee", caps.some((rule) => rule.cap_type !== "band"));
  setTag("coin_500_or_less", caps.some((rule) => (rule.cap_price_minor ?? Infinity) <= 500));
  setTag(
    "low_price",
    prices.rules.some((rule) => rule.category === "time_band" && (rule.price_minor ?? 0) / (rule.per_minutes ?? 1) < 5),
  );
  setTag("near_station", toStationM <= 400);
  setTag("wheelchair_accessible", wheelchair);
  setTag("barrier_free", wheelchair && random.chance(0.7));
  setTag("motorcycle_ok", motorcycles);
  setTag("oversized_ok", large);
  setTag("reservable", spots.some((spot) => spot.is_reservable));
  setTag("security_camera", random.chance(0.6));
  setTag("monthly_available", random.chance(0.2));
  setTag("partner_facility", kind === "building" && random.chance(0.4));
  return tags;
}

export function lotOf(area: Area, place: Place, number: number, inPlace: number): Lot {
  const external_id = `${area.id}-${String(number).padStart(3, "0")}`;
  const random = new Random(external_id);
  const kind: Kind = number % 29 === 0 ? "municipal" : random.chance(0.6) ? "street" : "building";
  const operator_code = kind === "municipal"
    ? "municipal"
    : random.pick(Object.keys(OPERATORS) as (keyof typeof OPERATORS)[]);
  const operator = operator_code === "municipal" ? "" : OPERATORS[operator_code];
  const body = bodyOf(random, kind);
  const spaces = kind === "street" ? random.between(3, 28) : random.between(20, kind === "municipal" ? 380 : 160);
  const motorcycles = random.chance(0.12);
  const large = body.structure === "surface" && random.chance(0.08);
  const windows = hoursOf(random, kind);
  const prices = number % 41 === 0
    ? { rules: [], groups: [] }
    : priceList(random, area.level, kind, { motorcycles, large });
  const spots = spotsOf(random, kind, spaces);
  const point = somewhereIn(random, place);
  const toStationM = distanceM(point, area.station);
  const entry_method = kind === "street" ? random.pick(["flap", "flap", "lockless_plate"]) : random.pick(
    body.structure === "mechanical" || body.structure === "tower" ? ["attendant"] : ["gate_ticket", "gate_plate"],
  );
  return {
    ...prices,
    external_id,
    name: nameOf(random, kind, operator, place, inPlace),
    address: `${place.town}${place.town.endsWith("丁目") ? "" : random.between(1, 30) + "番"}${random.between(1, 18)}-${
      random.between(1, 12)
    }`,
    ...point,
    total_spaces: spaces,
    structure: body.structure,
    entry_method,
    entry_difficulty: random.chance(0.15)
      ? null
      : random.pick(kind === "building" ? ["normal", "normal", "hard"] : ["easy", "easy", "normal"]),
    operator_code,
    max_height_m: body.height,
    max_width_m: body.width,
    max_length_m: body.length,
    max_weight_t: body.weight,
    min_clearance_cm: entry_method === "flap" ? 15 : null,
    max_tire_width_mm: body.tire,
    max_parking_duration_min: kind === "street" && random.chance(0.5) ? 2880 : null,
    tags: tagsOf({ random, kind, body, windows, prices, spots, toStationM, motorcycles, large }),
    windows,
    overrides: overridesOf(random, kind),
    spots,
  };
}
