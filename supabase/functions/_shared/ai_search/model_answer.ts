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

/**
 * Null if the model found no search in the text. A number of the text stays as the rules read it, unless they assumed a part
 * of it. A number that only the model has is left out, and noted.
 */
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
  const place = rules.position === null && named !== null && plain(text).includes(plain(named)) ? named : rules.place;
  const ownPosition = place === null && answer.near_me;
  const said = {
    place,
    entry_at: stay?.entry ?? null,
    exit_at: stay?.exit ?? null,
    max_price: within(answer.max_price, 0, MAX_PRICE),
    radius_m: within(answer.radius_m, 1, MAX_RADIUS_M),
    query: { v: 1 as const, vehicle: measuresOf(answer) },
  };
  const { invented, factor } = checkAnswer(rules.mentions, said, options);
  const isOpen = (field: Field) => rules.assumptions.some((note) => note.field === field);
  const choose = <T>(field: Field, ofModel: T | null, ofRules: T | null): T | null =>
    ofModel !== null && (ofRules === null || isOpen(field)) && !invented.some((note) => note.field === field)
      ? ofModel
      : ofRules;
  const start = choose("entry_at", said.entry_at, rules.entry_at);
  // An end can follow from the start, which is not that of the model if the text has another.
  const after = checkAnswer(rules.mentions, { ...said, entry_at: start }, options).invented;
  const isEndOfText = after.every(({ field }) => field !== "exit_at");
  const times = {
    entry_at: start,
    exit_at: isEndOfText ? choose("exit_at", said.exit_at, rules.exit_at) : rules.exit_at,
  };
  const { entry_at, exit_at } = isInOrder(times) ? times : rules;
  const hasStay = entry_at !== null && exit_at !== null;
  const radius = choose("radius_m", said.radius_m, rules.radius_m);
  const measures = {
    ...Object.fromEntries(
      Object.entries(said.query.vehicle).filter(([, value]) => !invented.some((note) => note.value === value)),
    ),
    ...measuresIn(rules),
  };
  const prices = rules.mentions.some(({ kind }) => kind === "price") && !isOpen("max_price")
    ? { maxPrice: rules.max_price, priceMin: rules.query.price_min, priceMax: rules.query.price_max }
    : pricesOf(choose("max_price", said.max_price, rules.max_price), hasStay);
  const vehicle = { ...answer.vehicle_type === null ? {} : { type: answer.vehicle_type }, ...measures };
  const query = buildQuery(
    conditionsOf(answer, { ...prices, radius, measures }),
    // The model received the complete previous query, so its answer replaces the whole query.
    options.context?.center === undefined ? undefined : { center: options.context.center },
    place === null && !ownPosition,
  );
  const read = { place, entry_at, exit_at, max_price: prices.maxPrice, radius_m: radius, query };
  const assumed = rules.assumptions.filter(({ field, value }) =>
    (field === "entry_at" && value === entry_at) || (field === "exit_at" && value === exit_at)
  );
  return {
    ...read,
    status: "parsed",
    missing: [],
    other_places: [rules.place, ...rules.other_places].filter((name) => name !== null && name !== place) as string[],
    is_place_left_over: false,
    is_about_parking: true,
    says_parking: rules.says_parking,
    position: rules.position,
    own_position: ownPosition,
    filters: query.attributes ?? [],
    vehicle: Object.keys(vehicle).length > 0 ? vehicle : null,
    sort: answer.sort,
    confidence: Math.round(Math.min(MAX_CONFIDENCE, Math.max(0, answer.confidence)) * factor * 100) / 100,
    assumptions: [...assumed, ...notesOf(answer, text, options.locale)],
    unresolved: [...invented, ...checkAnswer(rules.mentions, read, options).unresolved],
    mentions: rules.mentions,
  };
}

function isInOrder({ entry_at, exit_at }: Pick<ParsedSearch, "entry_at" | "exit_at">): boolean {
  return entry_at === null || exit_at === null || Date.parse(entry_at) < Date.parse(exit_at);
}

function measuresIn({ vehicle }: ParsedSearch): Measures {
  const { type: _, ...measures } = vehicle ?? {};
  return measures;
}

/** Without a stay, lots are compared by the price of one hour. */
function pricesOf(maxPrice: number | null, hasStay: boolean) {
  return { maxPrice, priceMin: null, priceMax: hasStay ? null : maxPrice };
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

interface Numbers {
  readonly maxPrice: number | null;
  readonly priceMin: number | null | undefined;
  readonly priceMax: number | null | undefined;
  readonly radius: number | null;
  readonly measures: Measures;
}

function conditionsOf(answer: ModelAnswer, { maxPrice, priceMin, priceMax, radius, measures }: Numbers): Conditions {
  return {
    maxPrice,
    priceMin: priceMin ?? null,
    priceMax: priceMax ?? null,
    wanted: [...new Set(answer.attributes)],
    dropped: [],
    measures,
    vehicleType: answer.vehicle_type,
    radius,
    sort: answer.sort,
    refine: null,
    anyPrice: false,
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
