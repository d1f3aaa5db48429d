/** Builds the search from the findings, based on the query that they refine. */
import type { Attribute } from "./attributes.ts";
import type { Distance } from "./distances.ts";
import type { Measure } from "./measures.ts";
import type { Finding, Reason } from "./notes.ts";
import type { OtherMoney, Price } from "./prices.ts";
import type { Scanner, Span } from "./scanner.ts";
import type { AttributeName, Field, Measures, Query } from "./types.ts";
import type { VehicleKind } from "./vehicles.ts";
import type { Wish } from "./wishes.ts";

const MAX_PRICE = 100_000;
export const MAX_RADIUS_M = 50_000;
const DAY_MS = 86_400_000;

export interface ConditionTokens {
  readonly prices: readonly (Price | OtherMoney)[];
  readonly distances: readonly Distance[];
  readonly measures: readonly Measure[];
  readonly attributes: readonly Attribute[];
  readonly vehicles: readonly VehicleKind[];
  readonly wishes: readonly Wish[];
}

export interface Conditions {
  maxPrice: number | null;
  priceMin: number | null;
  priceMax: number | null;
  wanted: AttributeName[];
  dropped: AttributeName[];
  measures: Measures;
  vehicleType: string | null;
  radius: number | null;
  sort: NonNullable<Query["sort"]> | null;
  refine: "price" | "distance" | "area" | null;
  anyPrice: boolean;
  easy: boolean;
  keywords: string[];
  street: boolean | null;
  reset: boolean;
  assumptions: Finding[];
  unresolved: Finding[];
}

/** The conditions of the tokens, without place and stay. `stayMs` is the length of the stay, if known. */
export function readConditions(
  scanner: Scanner,
  tokens: ConditionTokens,
  stayMs: number | null,
  context?: Query,
): Conditions {
  const conditions: Conditions = {
    maxPrice: null,
    priceMin: null,
    priceMax: null,
    wanted: [],
    dropped: [],
    measures: {},
    vehicleType: null,
    radius: null,
    sort: null,
    refine: null,
    anyPrice: false,
    easy: false,
    keywords: [],
    street: null,
    reset: false,
    assumptions: [],
    unresolved: [],
  };
  const text = (span: Span) => scanner.slice(span);
  const assume = (span: Span, field: Field, reason: Reason, value: string | number | null) =>
    conditions.assumptions.push({ text: text(span), field, value, reason });
  const leave = (span: Span, field: Field, reason: Reason, value: string | number | null = null) =>
    conditions.unresolved.push({ text: text(span), field, value, reason });
  const want = (name: AttributeName) => {
    if (!conditions.wanted.includes(name)) conditions.wanted.push(name);
  };

  const isMonthly = tokens.attributes.some(({ name, polarity }) =>
    name === "monthly_available" && polarity === "wanted"
  );
  for (const price of tokens.prices) readPrice(price);
  // Without a stay, lots are compared by the price of one hour.
  const isHourly = tokens.prices.some((price) =>
    price.kind === "price" && price.unit.of === "rate" && price.unit.minutes === 60
  );
  if (isHourly && stayMs === null) conditions.maxPrice ??= conditions.priceMax;
  // A limit of a whole stay says nothing about an hour of it.
  if (stayMs === null) conditions.priceMax ??= conditions.maxPrice;
  for (const distance of tokens.distances) {
    if (distance.metres === null) leave(distance, "radius_m", "by_vehicle");
    else if (distance.metres < 1 || distance.metres > MAX_RADIUS_M) {
      leave(distance, "radius_m", "out_of_range", distance.metres);
    } else if (conditions.radius !== null && conditions.radius !== distance.metres) {
      leave(distance, "radius_m", "several", distance.metres);
    } else {
      conditions.radius = distance.metres;
      if (distance.assumed) assume(distance, "radius_m", "walk_unsaid", distance.metres);
    }
  }
  for (const measure of tokens.measures) {
    if (measure.value === null) leave(measure, "vehicle", "out_of_range");
    else if (conditions.measures[measure.name] !== undefined) leave(measure, "vehicle", "several", measure.value);
    else {
      conditions.measures[measure.name] = measure.value;
      if (measure.assumed) assume(measure, "vehicle", "measure_unit", measure.value);
    }
  }
  const attributes = tokens.attributes.toSorted((a, b) => a.start - b.start);
  for (const [index, { name, polarity, assumed, ...span }] of attributes.entries()) {
    // EVだけど充電は不要: the last words on an attribute count.
    if (attributes.slice(index + 1).some((later) => later.name === name)) continue;
    // "no roof" after a search with a roof removes the condition.
    if (polarity === "excluded" && !context?.attributes?.includes(name)) leave(span, "filters", "excluded", name);
    else if (polarity !== "wanted") conditions.dropped.push(name);
    else {
      want(name);
      if (assumed) assume(span, "filters", "meaning", name);
    }
  }
  readVehicles();
  readWishes();
  return conditions;

  function readPrice(price: Price | OtherMoney): void {
    if (price.kind === "other_money") {
      return price.why === "currency"
        ? void leave(price, "max_price", "currency")
        : void leave(price, "filters", "no_condition");
    }
    const { most, least, unit, vague } = price;
    if ((most ?? 0) > MAX_PRICE || (least ?? 0) > MAX_PRICE) {
      return void leave(price, "max_price", "out_of_range", most ?? least);
    }
    // An amount for a month limits neither a stay nor an hour of it.
    if (unit.of === "period" || isMonthly && unit.of !== "rate") {
      return void leave(price, "max_price", "no_condition", most ?? least);
    }
    if (price.cap) want("has_max_fee");
    // Of a whole stay it says nothing about an hour, as the limit.
    const isOfStay = stayMs !== null && unit.of !== "rate";
    if (least !== null && !isOfStay) conditions.priceMin = perHour(least, unit);
    else if (least !== null && most === null) leave(price, "price_min", "no_condition", least);
    if (most === null) return;
    if (unit.of === "rate") {
      const hourly = perHour(most, unit);
      if (conditions.priceMax !== null || hourly > MAX_PRICE) {
        return void leave(price, "price_max", "more_prices", most);
      }
      conditions.priceMax = hourly;
      if (unit.minutes !== 60) assume(price, "price_max", "rate", hourly);
      else assume(price, "price_max", "price_of_hour", hourly);
      return;
    }
    if (unit.of === "day" && stayMs !== null && stayMs > DAY_MS) {
      return void leave(price, "max_price", "price_for_day", most);
    }
    if (conditions.maxPrice !== null && conditions.maxPrice !== most) {
      return void leave(price, "max_price", "more_prices", most);
    }
    conditions.maxPrice = most;
    if (price.coin && stayMs === null) want("coin_500_or_less");
    if (vague) assume(price, "max_price", "about_price", most);
    else if (unit.of === "day" && !price.coin) assume(price, "max_price", "price_of_day", most);
  }

  function readVehicles(): void {
    for (const vehicle of tokens.vehicles) {
      if (vehicle.needs !== null) want(vehicle.needs);
      if (conditions.vehicleType !== null) {
        // "my van is an SUV": the first name is used. No note is needed if the kinds agree.
        if (conditions.vehicleType !== vehicle.type) leave(vehicle, "vehicle", "not_understood", vehicle.type);
        continue;
      }
      conditions.vehicleType = vehicle.type;
      if (vehicle.assumed) assume(vehicle, "vehicle", "vehicle_kind", vehicle.type);
      if (vehicle.type === "high_roof" && conditions.measures.height_m === undefined) {
        assume(vehicle, "vehicle", "no_height", vehicle.type);
      }
    }
    if (conditions.vehicleType === null && conditions.wanted.includes("oversized_ok")) conditions.vehicleType = "large";
    if (conditions.vehicleType === null && conditions.wanted.includes("motorcycle_ok")) {
      conditions.vehicleType = "motorcycle";
    }
  }

  function readWishes(): void {
    for (const wish of tokens.wishes) {
      switch (wish.kind) {
        case "sort":
          if (wish.polarity === "wanted") conditions.sort ??= wish.sort;
          break;
        case "refine":
          conditions.refine ??= wish.by;
          break;
        case "easy":
          if (wish.polarity === "wanted") {
            if (wish.assumed && !conditions.easy) assume(wish, "filters", "meaning", "easy");
            conditions.easy = true;
          }
          break;
        case "operator":
          if (wish.polarity === "wanted") conditions.keywords.push(wish.keyword);
          else if (wish.polarity === "excluded") leave(wish, "filters", "excluded");
          break;
        case "street":
          conditions.street = wish.polarity !== "excluded";
          break;
        case "unsupported":
          if (wish.polarity !== "indifferent") leave(wish, "filters", "no_condition");
          break;
        case "any_price":
          conditions.anyPrice = true;
          break;
        case "reset":
          conditions.reset = true;
      }
    }
  }
}

function perHour(amount: number, unit: Price["unit"]): number {
  return unit.of === "rate" ? Math.round(amount * 60 / unit.minutes) : amount;
}

/** The query. Without a centre it has no radius and no order by distance, because both require one. */
export function buildQuery(conditions: Conditions, context: Query | undefined, keepCenter: boolean): Query {
  const { center, radius_m, ...before } = context ?? {};
  const query: Query = { ...before, v: 1 };
  if (conditions.anyPrice) {
    delete query.price_min;
    delete query.price_max;
  }
  if (center !== undefined && keepCenter) {
    query.center = center;
    const radius = conditions.radius ?? radius_m;
    if (radius !== undefined) query.radius_m = radius;
  }
  if (conditions.priceMin !== null) query.price_min = conditions.priceMin;
  if (conditions.priceMax !== null) {
    query.price_max = conditions.priceMax;
    if (typeof query.price_min === "number" && query.price_min > conditions.priceMax) delete query.price_min;
  }
  const kept = (context?.attributes ?? []).filter((name) => !conditions.dropped.includes(name));
  const attributes = [...kept, ...conditions.wanted.filter((name) => !kept.includes(name))];
  if (attributes.length > 0) query.attributes = attributes;
  else delete query.attributes;
  if (Object.keys(conditions.measures).length > 0) query.vehicle = { ...context?.vehicle, ...conditions.measures };
  if (conditions.easy) query.difficulty = ["easy"];
  if (conditions.keywords.length > 0) {
    query.keywords = [...new Set([...(context?.keywords ?? []), ...conditions.keywords])].slice(0, 10);
  }
  if (conditions.street !== null) query.meter_ticket_included = conditions.street;
  if (conditions.sort !== null) query.sort = conditions.sort;
  if (query.sort === "distance" && query.center === undefined) delete query.sort;
  return query;
}
