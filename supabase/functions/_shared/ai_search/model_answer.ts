/**
 * Converts a model's answer to a search. Values are clamped to the bounds of the API and checked against the numbers of
 * the text.
 */
import { checkAnswer } from "./rules/check.ts";
import { momentsOf, timestamp } from "./rules/local_time.ts";
import { buildQuery, type Conditions } from "./rules/query.ts";
import type { Field, Measures, Note, ParsedSearch, ParseOptions } from "./rules/types.ts";
import type { ModelAnswer } from "./prompt.ts";

const MAX_STAY_MS = 31 * 86_400_000;
const MAX_PRICE = 100_000;
const MAX_RADIUS_M = 50_000;
const MAX_PLACE = 100; // in characters of the text
const MAX_NOTES = 10;
/** The confidence of a text is always below 1. */
const MAX_CONFIDENCE = 0.98;

/** Null if neither the model nor the rules found a search in the text. */
export function convertModelAnswer(
  answer: ModelAnswer,
  text: string,
  rules: ParsedSearch,
  options: ParseOptions,
): ParsedSearch | null {
  if (!answer.is_parking_search) return null;
  const stay = stayOf(answer, options.timeZone);
  // Ignores a place that the text does not contain.
  const named = answer.place?.trim().slice(0, MAX_PLACE) || null;
  const place = named !== null && plain(text).includes(plain(named)) ? named : rules.place;
  const ownPosition = place === null && answer.near_me;
  const maxPrice = within(answer.max_price, 0, MAX_PRICE);
  const radius = within(answer.radius_m, 1, MAX_RADIUS_M);
  const measures = measuresOf(answer);
  const vehicle = { ...answer.vehicle_type === null ? {} : { type: answer.vehicle_type }, ...measures };
  const query = buildQuery(
    conditionsOf(answer, { maxPrice, radius, measures, hasStay: stay !== null }),
    // The model received the complete previous query, so its answer replaces the whole query.
    options.context?.center === undefined ? undefined : { center: options.context.center },
    place === null && !ownPosition,
  );
  const read = {
    place,
    entry_at: stay?.entry ?? null,
    exit_at: stay?.exit ?? null,
    max_price: maxPrice,
    radius_m: radius,
    query,
  };
  const { unresolved, factor } = checkAnswer(rules.mentions, read, options);
  return {
    ...read,
    status: "parsed",
    missing: [],
    own_position: ownPosition,
    filters: query.attributes ?? [],
    vehicle: Object.keys(vehicle).length > 0 ? vehicle : null,
    sort: answer.sort,
    confidence: Math.round(Math.min(MAX_CONFIDENCE, Math.max(0, answer.confidence)) * factor * 100) / 100,
    assumptions: notesOf(answer, text, options.locale),
    unresolved,
    mentions: rules.mentions,
  };
}

/** Normalised for comparing places and words. */
function plain(text: string): string {
  return text.normalize("NFKC").replace(/\s+/g, "").toLowerCase();
}

/** The stay in the user's time zone. Null unless both ends are valid local times, in order and at most a stay apart. */
function stayOf({ entry_at, exit_at }: ModelAnswer, zone: string): { entry: string; exit: string } | null {
  const [entry, exit] = [momentOf(entry_at, zone), momentOf(exit_at, zone)];
  if (entry === null || exit === null || exit < entry || exit - entry > MAX_STAY_MS) return null;
  return { entry: timestamp(entry, zone), exit: timestamp(exit, zone) };
}

const LOCAL_TIME = /^(20\d\d)-(\d\d)-(\d\d)T(\d\d):(\d\d)/;

function momentOf(local: string | null, zone: string): number | null {
  const [, year, month, day, hour, minute] = (LOCAL_TIME.exec(local ?? "") ?? []).map(Number);
  if (year === undefined || hour! > 24 || minute! > 59) return null;
  const midnight = Date.UTC(year, month! - 1, day);
  if (new Date(midnight).getUTCMonth() !== month! - 1) return null;
  return momentsOf(midnight / 86_400_000, hour! * 60 + minute!, zone)[0] ?? null;
}

function within(value: number | null, min: number, max: number): number | null {
  return value !== null && value >= min && value <= max ? Math.round(value) : null;
}

function measuresOf({ height_m, width_m, length_m, weight_t }: ModelAnswer): Measures {
  const bounds = { height_m: 10, width_m: 5, length_m: 20, weight_t: 50 } as const;
  const measures: Measures = {};
  for (const [name, value] of Object.entries({ height_m, width_m, length_m, weight_t })) {
    const key = name as keyof typeof bounds;
    if (value !== null && value > 0 && value <= bounds[key]) measures[key] = value;
  }
  return measures;
}

interface Bounded {
  readonly maxPrice: number | null;
  readonly radius: number | null;
  readonly measures: Measures;
  readonly hasStay: boolean;
}

function conditionsOf(answer: ModelAnswer, { maxPrice, radius, measures, hasStay }: Bounded): Conditions {
  return {
    maxPrice,
    priceMin: null,
    // Without a known stay, lots are compared by the price of one hour. That price is not a bound for a shorter stay.
    priceMax: hasStay ? null : maxPrice,
    wanted: [...new Set(answer.attributes)],
    dropped: [],
    measures,
    vehicleType: answer.vehicle_type,
    radius,
    sort: answer.sort,
    refine: null,
    easy: false,
    keywords: [],
    street: null,
    reset: false,
    assumptions: [],
    unresolved: [],
  };
}

const FIELDS: readonly Field[] = [
  "place",
  "entry_at",
  "exit_at",
  "max_price",
  "price_min",
  "price_max",
  "filters",
  "vehicle",
  "radius_m",
  "sort",
  "text",
];
const JAPANESE = /[\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Han}]/u;
/** Replaces a reason in another language than the user's. */
const TAKEN = { ja: "AIがこのように読みました。", en: "The model read it like this." } as const;

function notesOf({ assumptions }: ModelAnswer, asked: string, lang: "ja" | "en"): Note[] {
  return assumptions.slice(0, MAX_NOTES).map(({ text, field, reason }) => ({
    text: plain(asked).includes(plain(text)) ? text.slice(0, MAX_PLACE) : "",
    field: FIELDS.find((known) => known === field) ?? "text",
    value: null,
    reason: reason !== "" && JAPANESE.test(reason) === (lang === "ja") ? reason.slice(0, 200) : TAKEN[lang],
  }));
}
