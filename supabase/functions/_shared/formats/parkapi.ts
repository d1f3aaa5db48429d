/** ParkAPI v3: the static data of a parking site, as its converters and its API have them. */
import type { SourceRecord } from "../import/record.ts";
import type { BusinessWindow } from "../import/window.ts";
import { windowsOfHours } from "../osm/opening_hours.ts";
import { UnreadTag } from "../osm/week.ts";
import {
  currencyOfText,
  EVERYTHING,
  type ExportedLot,
  hoursText,
  type LotFormat,
  numberAt,
  OPERATOR_BY_NAME,
  type Part,
  present,
  type ReadLot,
  rulesOf,
  rulesOfText,
  tariffText,
  textAt,
  UNREAD_TARIFF,
} from "./lot.ts";

const MAX_HOURS = 512;
const TYPES: Readonly<Record<string, string>> = {
  surface: "OFF_STREET_PARKING_GROUND",
  multi_storey: "CAR_PARK",
  underground: "UNDERGROUND",
  on_street: "ON_STREET",
};
const STRUCTURE_OF = Object.fromEntries(Object.entries(TYPES).map(([code, type]) => [type, code]));

/** Whole centimetres, rounded down: a car that fits by the rounded height fits. */
function centimetres(metres: number): number {
  return Math.floor(Math.round(metres * 10_000) / 100);
}

const outline = (area: unknown) => Object(area).type === "Point" ? undefined : area;

function write(lot: ExportedLot) {
  const prices = rulesOf(lot).filter(({ category }) => category !== "cap" && category !== "grace");
  return present({
    uid: lot.id,
    purpose: "CAR",
    type: TYPES[lot.structure ?? ""] ?? "OTHER",
    name: lot.name,
    operator_name: lot.operator_name,
    address: lot.address,
    lat: lot.lat,
    lon: lot.lng,
    geojson: outline(lot.area),
    capacity: lot.total_spaces,
    max_height: lot.max_height_m === null ? null : centimetres(lot.max_height_m),
    max_width: lot.max_width_m === null ? null : centimetres(lot.max_width_m),
    max_stay: lot.max_parking_duration_min === null ? null : lot.max_parking_duration_min * 60,
    public_url: lot.website,
    is_covered: lot.tags["covered"],
    has_fee: prices.length === 0 ? null : prices.some(({ price_minor }) => (price_minor ?? 0) > 0),
    fee_description: tariffText(lot),
    opening_hours: hoursText(lot, MAX_HOURS),
    tags: Object.keys(lot.tags).filter((slug) => lot.tags[slug]),
    has_realtime_data: false,
    static_data_updated_at: lot.updated_at,
    source: present({
      name: lot.source,
      external_id: lot.external_id,
      public_url: lot.source_url,
      attribution_license: lot.licence,
      attribution_contributor: lot.attribution,
    }),
  });
}

function windowsOfText(text: string): { windows: readonly BusinessWindow[] | null; problem?: string } {
  try {
    return { windows: windowsOfHours(text) };
  } catch (error) {
    if (!(error instanceof UnreadTag)) throw error;
    return { windows: null, problem: error.message };
  }
}

function read({ values }: SourceRecord): ReadLot {
  const metres = (key: string) => {
    const value = numberAt(values, key);
    return value === undefined ? undefined : value / 100;
  };
  const hours = textAt(values, "opening_hours"), tariff = textAt(values, "fee_description");
  const { windows, problem } = hours === undefined ? { windows: null } : windowsOfText(hours);
  const currency = tariff === undefined ? undefined : currencyOfText(tariff);
  const rules = tariff === undefined ? null : rulesOfText(tariff, currency ?? "JPY");
  const tags = Array.isArray(values["tags"]) ? values["tags"].filter((tag) => typeof tag === "string") : [];
  const maxStay = numberAt(values, "max_stay"), isCovered = values["is_covered"];
  return {
    values: {
      id: values["uid"],
      name: values["name"],
      address: textAt(values, "address"),
      lat: values["lat"],
      lng: values["lon"],
      total_spaces: values["capacity"],
      structure: STRUCTURE_OF[String(values["type"])],
      max_height_m: metres("max_height"),
      max_width_m: metres("max_width"),
      max_parking_duration_min: maxStay === undefined ? undefined : Math.floor(maxStay / 60) || undefined,
      website: textAt(values, "public_url"),
      currency,
      operator_name: textAt(values, "operator_name"),
    },
    area: values["geojson"],
    tags: {
      ...(typeof isCovered === "boolean" ? { covered: isCovered } : {}),
      ...Object.fromEntries(tags.map((slug) => [slug, true])),
    },
    windows,
    rules: rules ?? null,
    problems: [
      ...(problem === undefined ? [] : [{ field: "hours", reason: `opening_hours: ${problem}` }]),
      ...(rules === undefined ? [UNREAD_TARIFF] : []),
    ],
  };
}

const inCentimetres = (field: "max_height_m" | "max_width_m"): Part => ({
  words: "in whole centimetres, rounded down",
  back: (lot) => lot[field] === null ? undefined : centimetres(lot[field]) / 100,
});

export const parkApi: LotFormat = {
  title: "ParkAPI v3 parking sites (JSON)",
  mediaType: "application/json",
  head: {},
  list: "items",
  write,
  read,
  carries: {
    ...EVERYTHING,
    name_kana: false,
    area: { words: "any geometry but a point", back: ({ area }) => outline(area) },
    structure: {
      words: `${Object.keys(TYPES).map((code) => `\`${code}\``).join(", ")} only`,
      back: ({ structure }) => structure !== null && structure in TYPES ? structure : undefined,
    },
    max_height_m: inCentimetres("max_height_m"),
    max_width_m: inCentimetres("max_width_m"),
    max_length_m: false,
    max_weight_t: false,
    min_clearance_cm: false,
    max_tire_width_mm: false,
    entry_method: false,
    entry_difficulty: false,
    phone: false,
    time_zone: false,
    holiday_calendar: false,
    currency: {
      words: "with a price that is not free",
      back: (lot) => currencyOfText(tariffText(lot) ?? "") === undefined ? undefined : lot.currency,
    },
    ...OPERATOR_BY_NAME,
    tags: {
      words: "those that the lot has, and whether it is `covered`",
      back: ({ tags }) =>
        Object.fromEntries(Object.entries(tags).filter(([slug, state]) => state || slug === "covered")),
    },
    windows: {
      words:
        "a week and its holidays: no hours of an eve or with dates, none after midnight before a day with other hours",
      back: (lot) => hoursText(lot, MAX_HOURS) === undefined ? undefined : lot.windows,
    },
    rules: {
      words:
        "as the text of a sign: no published totals, no prices with dates or `max_units`, none that depend on the hours",
      back: (lot) => tariffText(lot) === undefined ? undefined : rulesOf(lot),
    },
  },
};
