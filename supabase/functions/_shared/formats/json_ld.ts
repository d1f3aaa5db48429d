/** JSON-LD of schema.org: a lot as a ParkingFacility, which search engines and assistants read. */
import type { SourceRecord } from "../import/record.ts";
import { type WeekHours, weekOfWindows, windowsOfWeek } from "../osm/opening_hours.ts";
import { DAY_MINUTES, HOLIDAY, type Span } from "../osm/week.ts";
import {
  EVERYTHING,
  type ExportedLot,
  type LotFormat,
  objectsOf,
  present,
  type ReadLot,
  rulesOf,
  rulesOfText,
  tariffText,
  textAt,
  UNREAD_TARIFF,
  windowsOf,
} from "./lot.ts";

const VOCABULARY = "https://schema.org/";
const DAY_NAMES = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "PublicHolidays"];
/** The last minute of a whole day: search engines read 00:00 to 00:00 as closed. */
const LAST_MINUTE = DAY_MINUTES - 1;
/** Unit codes of UN/CEFACT, which schema.org prescribes. */
const METRE = "MTR";

/** Values without a property of their own in schema.org, with their units. */
const PROPERTIES = {
  total_spaces: undefined,
  structure: undefined,
  max_height_m: METRE,
  max_width_m: METRE,
  max_length_m: METRE,
  max_weight_t: "TNE",
  min_clearance_cm: "CMT",
  max_tire_width_mm: "MMT",
  max_parking_duration_min: "MIN",
  entry_method: undefined,
  entry_difficulty: undefined,
  time_zone: undefined,
  holiday_calendar: undefined,
  currency: undefined,
  operator_code: undefined,
  operator_name: undefined,
} as const satisfies Partial<Record<keyof ExportedLot, string | undefined>>;

function clock(minutes: number): string {
  const within = minutes % DAY_MINUTES;
  return `${String(Math.floor(within / 60)).padStart(2, "0")}:${String(within % 60).padStart(2, "0")}`;
}

function opening(days: readonly number[], opens: string, closes: string) {
  return {
    "@type": "OpeningHoursSpecification",
    dayOfWeek: days.map((day) => `${VOCABULARY}${DAY_NAMES[day]!}`),
    opens,
    closes,
  };
}

/** The hours as a week, if schema.org can state them. */
function weekOf(lot: ExportedLot): WeekHours | undefined {
  const week = weekOfWindows(windowsOf(lot) ?? []);
  const isLastMinute = ({ from, to }: Span) => from === 0 && to === LAST_MINUTE;
  return week === undefined || [...week.days, week.holidays ?? []].flat().some(isLastMinute) ? undefined : week;
}

/** One specification for each span of days with the same hours. Days that none names are closed. */
function specificationsOf({ days, holidays }: WeekHours) {
  const all = holidays === null ? days : [...days, holidays];
  const groups = Map.groupBy(all.keys(), (day) => JSON.stringify(all[day]));
  const isNeverOpen = all.every((spans) => spans.length === 0);
  return [...groups.values()].flatMap((named) => {
    const spans = all[named[0]!]!;
    if (spans.length > 0) {
      return spans.map(({ from, to }) =>
        from === 0 && to === DAY_MINUTES ? opening(named, "00:00", "23:59") : opening(named, clock(from), clock(to))
      );
    }
    // A holiday that is not named is a day of the week.
    const closed = isNeverOpen ? named : named.filter((day) => day === HOLIDAY);
    return closed.length === 0 ? [] : [opening(closed, "00:00", "00:00")];
  });
}

function minutesOf(time: unknown): number | undefined {
  const match = /^(\d{2}):(\d{2})(?::00)?$/.exec(String(time));
  const minutes = match === null ? NaN : Number(match[1]) * 60 + Number(match[2]);
  return minutes <= DAY_MINUTES ? minutes : undefined;
}

/** The week that the specifications state. Undefined if one of them is not understood. */
function weekOfSpecifications(specifications: readonly Readonly<Record<string, unknown>>[]): WeekHours | undefined {
  const spans: Span[][] = DAY_NAMES.map(() => []);
  let namesHolidays = false;
  for (const { dayOfWeek, opens, closes, validFrom, validThrough } of specifications) {
    const from = minutesOf(opens), to = minutesOf(closes);
    const days = [dayOfWeek ?? DAY_NAMES.slice(0, HOLIDAY)].flat().map((day) =>
      DAY_NAMES.indexOf(String(day).replace(/^https?:\/\/schema\.org\//, ""))
    );
    if (from === undefined || to === undefined || days.includes(-1) || (validFrom ?? validThrough) !== undefined) {
      return undefined;
    }
    namesHolidays ||= days.includes(HOLIDAY);
    if (from === to && from === 0) continue;
    const end = from === 0 && to === LAST_MINUTE ? DAY_MINUTES : to > from ? to : to + DAY_MINUTES;
    for (const day of days) spans[day]!.push({ from, to: end });
  }
  for (const day of spans) day.sort((a, b) => a.from - b.from);
  return { days: spans.slice(0, HOLIDAY), holidays: namesHolidays ? spans[HOLIDAY]! : null };
}

function write(lot: ExportedLot) {
  const week = weekOf(lot), tariff = tariffText(lot);
  const property = (propertyID: string, value: unknown, unitCode?: string) =>
    value === null || value === undefined ? [] : [present({ "@type": "PropertyValue", propertyID, value, unitCode })];
  return present({
    "@context": VOCABULARY,
    "@type": "ParkingFacility",
    "@id": `urn:uuid:${lot.id}`,
    identifier: lot.id,
    name: lot.name,
    alternateName: lot.name_kana === null ? null : { "@value": lot.name_kana, "@language": "ja-Hrkt" },
    address: lot.address,
    geo: { "@type": "GeoCoordinates", latitude: lot.lat, longitude: lot.lng },
    telephone: lot.phone,
    url: lot.website,
    publicAccess: true,
    openingHoursSpecification: week === undefined ? null : specificationsOf(week),
    amenityFeature: Object.entries(lot.tags).map(([name, value]) => ({
      "@type": "LocationFeatureSpecification",
      name,
      value,
    })),
    additionalProperty: [
      ...Object.entries(PROPERTIES).flatMap(([name, unit]) => property(name, lot[name as keyof ExportedLot], unit)),
      ...property("tariff", tariff),
    ],
    subjectOf: present({
      "@type": "Dataset",
      name: lot.source,
      identifier: lot.external_id,
      url: lot.source_url,
      license: lot.licence === null ? null : { "@type": "CreativeWork", name: lot.licence },
      creditText: lot.attribution,
      dateModified: lot.updated_at,
    }),
  });
}

function read({ values }: SourceRecord): ReadLot {
  const properties = Object.fromEntries(
    objectsOf(values["additionalProperty"]).map(({ propertyID, value }) => [String(propertyID), value]),
  );
  const [geo = {}] = objectsOf(values["geo"]);
  const [kana = {}] = objectsOf(values["alternateName"]).filter((name) => name["@language"] === "ja-Hrkt");
  const specifications = objectsOf(values["openingHoursSpecification"]);
  const week = specifications.length === 0 ? undefined : weekOfSpecifications(specifications);
  const tariff = textAt(properties, "tariff");
  const rules = tariff === undefined ? null : rulesOfText(tariff, textAt(properties, "currency") ?? "JPY");
  return {
    values: {
      ...Object.fromEntries(Object.keys(PROPERTIES).map((name) => [name, properties[name]])),
      id: values["identifier"] ?? values["@id"],
      name: values["name"],
      name_kana: kana["@value"],
      address: textAt(values, "address"),
      lat: geo["latitude"],
      lng: geo["longitude"],
      phone: textAt(values, "telephone"),
      website: textAt(values, "url"),
    },
    tags: Object.fromEntries(
      objectsOf(values["amenityFeature"]).flatMap(({ name, value }) =>
        typeof name === "string" && typeof value === "boolean" ? [[name, value]] : []
      ),
    ),
    windows: week === undefined ? null : windowsOfWeek(week),
    rules: rules ?? null,
    problems: [
      ...(specifications.length > 0 && week === undefined
        ? [{ field: "hours", reason: "openingHoursSpecification was not understood" }]
        : []),
      ...(rules === undefined ? [UNREAD_TARIFF] : []),
    ],
  };
}

export const jsonLd: LotFormat = {
  title: "schema.org ParkingFacility (JSON-LD)",
  mediaType: "application/ld+json",
  head: {},
  list: "@graph",
  write,
  read,
  carries: {
    ...EVERYTHING,
    area: false,
    windows: {
      words: "a week and its holidays: no hours of an eve or with dates, and no closing at 23:59 after midnight",
      back: (lot) => weekOf(lot) === undefined ? undefined : lot.windows,
    },
    rules: {
      words:
        "as the text of a sign: no published totals, no prices with dates or `max_units`, none that depend on the hours",
      back: (lot) => tariffText(lot) === undefined ? undefined : rulesOf(lot),
    },
  },
};
