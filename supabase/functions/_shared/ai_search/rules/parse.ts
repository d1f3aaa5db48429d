/**
 * Parses a search from a sentence, by rules. It is deterministic for the same text, time and zone, and uses neither
 * network nor database. A decision without enough information becomes an assumption or an open question, and lowers the
 * confidence.
 */
import { takeAroundTheClock, takeAttributes } from "./attributes.ts";
import { takeClocks } from "./clocks.ts";
import { withoutCorrected } from "./corrections.ts";
import { takeDates, takeRepetitions, todayOf } from "./dates.ts";
import { takeDistances } from "./distances.ts";
import { takeLengths, takeWholeDays } from "./durations.ts";
import { tellingWords, timesOfEvents } from "./guards.ts";
import { timestamp, wallTimeOf } from "./local_time.ts";
import { takeMeasures } from "./measures.ts";
import { mentionsOf } from "./mentions.ts";
import type { LocalClock } from "./moments.ts";
import { confidenceOf, type Finding, noteOf } from "./notes.ts";
import { type PlaceReading, readPlace } from "./place.ts";
import { type Position, takePositions } from "./positions.ts";
import { takePrices } from "./prices.ts";
import { buildQuery, type Conditions, type ConditionTokens, MAX_RADIUS_M, readConditions } from "./query.ts";
import { Scanner } from "./scanner.ts";
import { type Stay, StayReader, type StayTokens } from "./stay.ts";
import { normalise } from "./text.ts";
import type { Mention, ParsedSearch, ParseOptions, Query } from "./types.ts";
import { takeVehicles } from "./vehicles.ts";
import { takePriceOrder, takeSavings, takeUnsupported, takeWishes } from "./wishes.ts";

/** In characters of the original text. A longer text is unparseable. The request schema already rejects it. */
export const MAX_TEXT = 500;
/** Normalising the width can expand one character to eighteen. No real sentence does. */
const MAX_NORMALISED = 1000;
/** Limits the notes, for example for a text with 250 prices. The confidence still counts all of them. */
const MAX_NOTES = 20;
const MAX_OTHER_PLACES = 5;

interface Tokens extends StayTokens, ConditionTokens {}

/**
 * The order matters: a recogniser consumes its match, so that a later one cannot read it as something else (2.1m as a
 * distance, 24時間 as a stay).
 */
export function takeTokens(scanner: Scanner, clock: LocalClock): Tokens {
  const aroundTheClock = takeAroundTheClock(scanner);
  const savings = takeSavings(scanner);
  const prices = takePrices(scanner);
  const measures = takeMeasures(scanner);
  const distances = takeDistances(scanner);
  const repetitions = takeRepetitions(scanner);
  const lengths = takeLengths(scanner);
  const dates = takeDates(scanner, clock.today);
  const points = takeClocks(scanner);
  const wholeDays = takeWholeDays(scanner);
  const unsupported = takeUnsupported(scanner);
  const wishes = takeWishes(scanner);
  const attributes = takeAttributes(scanner);
  const vehicles = takeVehicles(scanner);
  return {
    dates: withoutCorrected(scanner, dates),
    points: withoutCorrected(scanner, points),
    lengths: withoutCorrected(scanner, [...lengths, ...wholeDays]),
    repetitions,
    prices: withoutCorrected(scanner, prices),
    measures,
    distances: withoutCorrected(scanner, distances),
    attributes: [...aroundTheClock, ...attributes],
    vehicles,
    wishes: [...savings, ...wishes, ...takePriceOrder(scanner), ...unsupported],
  };
}

export function localClock(options: Pick<ParseOptions, "now" | "timeZone">): LocalClock {
  const now = Math.floor(options.now.getTime() / 60_000) * 60_000;
  return { now, zone: options.timeZone, today: todayOf(wallTimeOf(now, options.timeZone).day) };
}

export function parseText(raw: string, options: ParseOptions): ParsedSearch {
  const text = normalise(raw);
  if ([...raw].length > MAX_TEXT || text.length > MAX_NORMALISED) return unparseable(options, []);
  const clock = localClock(options);
  const scanner = new Scanner(text);
  const positions = takePositions(scanner);
  const tokens = takeTokens(scanner, clock);
  const hasContext = options.context !== undefined;
  const stay = new StayReader(scanner, tokens, clock, hasContext).read();
  const stayMs = stay.entry !== null && stay.exit !== null ? stay.exit - stay.entry : null;
  const conditions = readConditions(scanner, tokens, stayMs, options.context);
  const hasTokens = hasAny(tokens);
  // "the nearest free parking": nearest to the user, unless there is a place or a previous search.
  const wantsNearest = conditions.sort === "distance" && !hasContext;
  const known = { hasMore: hasTokens || positions.length > 0, distances: tokens.distances, wantsNearest, hasContext };
  const telling = [...timesOfEvents(scanner, tokens.points), ...(hasTokens ? tellingWords(scanner) : [])];
  const place = at(scanner, positions, readPlace(scanner, known));
  const mentions = mentionsOf(scanner, tokens);
  const saysParking = PARKING.test(text);
  const hasStart = tokens.points.length > 0 || tokens.lengths.some(({ kind }) => kind === "from_now");
  const isAbout = saysParking || hasCondition(tokens, hasContext) || (stayMs !== null && hasStart);
  const namesPlace = place.place !== null || place.ownPosition ||
    (hasTokens && place.unresolved.some(({ reason }) => reason === "whose_place"));
  // A day or a kind of vehicle alone is not a search. With a previous search they refine it.
  if (!namesPlace && !(hasTokens && (isAbout || hasContext))) return unparseable(options, mentions);
  const unresolved = [
    ...telling.filter(({ text }) => !place.unresolved.some((note) => note.text.includes(text))),
    ...place.unresolved,
  ];
  return answer(options, clock, stay, conditions, { ...place, unresolved, saysParking, isAbout }, mentions);
}

/** Coordinates are the place. A name that the text marks as a place is their name. */
function at(scanner: Scanner, [position, ...others]: readonly Position[], reading: PlaceReading) {
  if (position === undefined) return { ...reading, position: null };
  const { lat, lng } = position;
  const place = reading.isLeftOver || reading.place === null ? `${lat}, ${lng}` : reading.place;
  return {
    ...reading,
    position: { lat, lng },
    place,
    isLeftOver: false,
    ownPosition: false,
    unresolved: [
      ...reading.unresolved,
      ...others.map((other): Finding => ({
        text: scanner.slice(other),
        field: "place",
        value: null,
        reason: "two_places",
      })),
    ],
  };
}

const PARKING =
  /駐車(?!場の?(?:経営|投資|運営|業者|工事|設計|求人|バイト)|禁止|違反)|パーキング(?!の?(?:経営|投資|求人|バイト))|コインパ|車庫|空車|満車|(?:停|止|駐|と)め(?:た|ら|る|れ|や|て)|(?<![\p{L}-])(?:parking|parked|car ?parks?|garages?|park (?:my|our|a|the|it|near|at|in|for|from|by|around|close|overnight)|(?:to|i|we|can|could) park)(?![\p{L}])/iu;

/** Whether the text has a condition of a search. Most kinds of vehicle and "recommended" are also in other texts. */
function hasCondition(
  { prices, measures, distances, attributes, vehicles, wishes }: Tokens,
  hasContext: boolean,
): boolean {
  return [prices, measures, distances, attributes].some((list) => list.length > 0) ||
    vehicles.some(({ needs }) => needs !== null) ||
    wishes.some((wish) =>
      (wish.kind !== "sort" || wish.sort !== "recommended") &&
      ((wish.kind !== "reset" && wish.kind !== "any_price") || hasContext)
    );
}

function hasAny(tokens: Tokens): boolean {
  return Object.values(tokens).some((list: readonly unknown[]) => list.length > 0);
}

/** A text that is not a search. */
export function unparseable(
  options: Pick<ParseOptions, "locale" | "context">,
  mentions: readonly Mention[],
): ParsedSearch {
  return {
    status: "unparseable",
    missing: ["place", "stay", "conditions"],
    place: null,
    other_places: [],
    is_place_left_over: false,
    is_about_parking: false,
    says_parking: false,
    position: null,
    own_position: false,
    entry_at: null,
    exit_at: null,
    max_price: null,
    filters: [],
    vehicle: null,
    radius_m: null,
    sort: null,
    query: options.context ?? { v: 1 },
    confidence: 0,
    assumptions: [],
    unresolved: [noteOf({ text: "", field: "place", value: null, reason: "no_place" }, options.locale)],
    mentions,
  };
}

function answer(
  options: ParseOptions,
  clock: LocalClock,
  stay: Stay,
  conditions: Conditions,
  reading: PlaceReading & Pick<ParsedSearch, "position"> & { readonly saysParking: boolean; readonly isAbout: boolean },
  mentions: readonly Mention[],
): ParsedSearch {
  const context = conditions.reset ? undefined : options.context;
  const { place, ownPosition, position } = reading;
  refine(conditions, context);
  const keepCenter = place === null && !ownPosition;
  const query = buildQuery(conditions, context, keepCenter);
  const assumptions = [...stay.assumptions, ...conditions.assumptions, ...reading.assumptions];
  const unresolved = [...stay.unresolved, ...conditions.unresolved, ...reading.unresolved];
  const hasPlace = place !== null || ownPosition || query.center !== undefined;
  if (!hasPlace && !unresolved.some(({ field }) => field === "place")) {
    unresolved.push({ text: "", field: "place", value: null, reason: "no_place" });
  }
  const moment = (at: number | null) => at === null ? null : timestamp(at, clock.zone);
  const vehicle = {
    ...(conditions.vehicleType === null ? {} : { type: conditions.vehicleType }),
    ...conditions.measures,
  };
  const write = (finding: Finding) => noteOf(finding, options.locale);
  return {
    status: "parsed",
    missing: [],
    place,
    other_places: [...reading.others, ...reading.isAbout ? reading.parts : []].slice(0, MAX_OTHER_PLACES),
    is_place_left_over: reading.isLeftOver,
    is_about_parking: reading.isAbout,
    says_parking: reading.saysParking,
    position,
    own_position: ownPosition,
    entry_at: moment(stay.entry),
    exit_at: moment(stay.exit),
    max_price: conditions.maxPrice,
    filters: query.attributes ?? [],
    vehicle: Object.keys(vehicle).length > 0 ? vehicle : null,
    radius_m: conditions.radius ?? context?.radius_m ?? null,
    sort: conditions.sort ?? context?.sort ?? null,
    query,
    confidence: confidenceOf([...assumptions, ...unresolved]),
    assumptions: assumptions.slice(0, MAX_NOTES).map(write),
    unresolved: unresolved.slice(0, MAX_NOTES).map(write),
    mentions,
  };
}

/** "cheaper", "closer" and "a wider area" change the previous query. The text does not state by how much. */
function refine(conditions: Conditions, context: Query | undefined): void {
  if (conditions.refine === "price") {
    conditions.sort ??= "price";
    if (context !== undefined && conditions.maxPrice === null && conditions.priceMax === null) {
      conditions.unresolved.push({ text: "", field: "max_price", value: null, reason: "how_cheap" });
    }
  } else if (conditions.refine === "distance") {
    conditions.sort ??= "distance";
    if (conditions.radius === null && context?.radius_m !== undefined && context.radius_m > 1) {
      conditions.radius = Math.round(context.radius_m / 2);
      conditions.assumptions.push({ text: "", field: "radius_m", value: conditions.radius, reason: "radius_halved" });
    }
  } else if (conditions.refine === "area" && conditions.radius === null && context?.radius_m !== undefined) {
    conditions.radius = Math.min(2 * context.radius_m, MAX_RADIUS_M);
    conditions.assumptions.push({ text: "", field: "radius_m", value: conditions.radius, reason: "radius_doubled" });
  }
}

/** The query of a parsed text after its place is resolved. */
export function withCenter(parsed: ParsedSearch, center: NonNullable<Query["center"]>): Query {
  return {
    ...parsed.query,
    center,
    ...(parsed.radius_m === null ? {} : { radius_m: parsed.radius_m }),
    ...(parsed.sort === null ? {} : { sort: parsed.sort }),
  };
}
