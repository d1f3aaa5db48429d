/** GeoJSON with the tags of OpenStreetMap (amenity=parking), one feature a lot. */
import type { SourceRecord } from "../import/record.ts";
import { pointOf } from "../geometry.ts";
import { lotOfTags, STRUCTURES, tagsOfLot } from "../osm/lot_tags.ts";
import {
  EVERYTHING,
  type ExportedLot,
  hoursText,
  type LotFormat,
  NOT_READ,
  OPERATOR_BY_NAME,
  type Part,
  present,
  type ReadLot,
  rulesOf,
  windowsOf,
} from "./lot.ts";

/** The longest value of a tag. */
const MAX_VALUE = 255;
/** Tags of fields that the importer's tags of car parks do not have. */
const TAGS = {
  name_kana: "name:ja_kana",
  address: "addr:full",
  max_width_m: "maxwidth",
  max_length_m: "maxlength",
  max_weight_t: "maxweight",
  covered: "covered",
} as const;
const STRUCTURE_OF = Object.fromEntries(Object.entries(STRUCTURES).map(([code, tag]) => [tag, code]));
const PRICE_TAGS = ["fee", "charge", "fee:conditional", "charge:conditional"];

/** Tags of a lot. A value that is too long is left out, and with a price the whole price. */
function tagsOf(lot: ExportedLot): Readonly<Record<string, string>> {
  const { tags } = tagsOfLot({
    ...lot,
    operator: lot.operator_name,
    windows: windowsOf(lot) ?? [],
    rules: rulesOf(lot),
  });
  const own = present({
    [TAGS.name_kana]: lot.name_kana,
    [TAGS.address]: lot.address,
    [TAGS.max_width_m]: lot.max_width_m,
    [TAGS.max_length_m]: lot.max_length_m,
    [TAGS.max_weight_t]: lot.max_weight_t,
    [TAGS.covered]: lot.tags["covered"] === undefined ? null : lot.tags["covered"] ? "yes" : "no",
    "ref:lot": lot.id,
    source: lot.source,
    "source:ref": lot.external_id,
    "source:url": lot.source_url,
    "source:license": lot.licence,
    attribution: lot.attribution,
    check_date: lot.updated_at.slice(0, 10),
  });
  const all = Object.entries({ ...tags, ...own }).map(([tag, value]) => [tag, String(value)] as const);
  const isLong = (value: string) => value.length > MAX_VALUE;
  const isPriceLong = all.some(([tag, value]) => PRICE_TAGS.includes(tag) && isLong(value));
  return Object.fromEntries(
    all.filter(([tag, value]) => !isLong(value) && !(isPriceLong && PRICE_TAGS.includes(tag) && tag !== "fee")),
  );
}

function read({ values, geometry, id }: SourceRecord): ReadLot {
  const tags: Record<string, string> = {};
  for (const [key, value] of Object.entries(values)) {
    if (typeof value === "string" || typeof value === "number") tags[key] = String(value);
  }
  const { windows, rules, currency, problems, ...read } = lotOfTags(tags);
  const point = pointOf(geometry);
  const known = (slug: string, tag: string) => tags[tag] === undefined ? {} : { [slug]: !/^(no|0)$/.test(tags[tag]) };
  return {
    values: {
      ...read,
      id: tags["ref:lot"] ?? id,
      name: tags["name"],
      name_kana: tags[TAGS.name_kana],
      address: tags[TAGS.address],
      lat: point?.lat,
      lng: point?.lng,
      structure: STRUCTURE_OF[tags["parking"] ?? ""],
      max_width_m: tags[TAGS.max_width_m],
      max_length_m: tags[TAGS.max_length_m],
      max_weight_t: tags[TAGS.max_weight_t],
      phone: tags["phone"],
      website: tags["website"],
      currency: currency ?? undefined,
      operator_name: tags["operator"],
    },
    tags: {
      ...known("wheelchair_accessible", "capacity:disabled"),
      ...known("ev_charging", "capacity:charging"),
      ...known("covered", TAGS.covered),
    },
    windows,
    rules,
    problems: problems.map(({ tag, reason }) => ({
      field: PRICE_TAGS.includes(tag) ? "pricing" : tag === "opening_hours" ? "hours" : tag,
      reason: `${tag}: ${reason}`,
    })),
  };
}

/** Whether the tags state the price. */
function hasPrice(lot: ExportedLot): boolean {
  const tags = tagsOf(lot);
  return tags["fee"] === "no" || tags["charge"] !== undefined || tags["charge:conditional"] !== undefined;
}

const short = (field: "address" | "website"): Part => ({
  words: `up to ${MAX_VALUE} characters`,
  back: (lot) => (lot[field]?.length ?? 0) > MAX_VALUE ? undefined : lot[field],
});

const NOT_READ_IF_SHORT: Part = { ...NOT_READ, words: `up to ${MAX_VALUE} characters, ${NOT_READ.words}` };

export const osm: LotFormat = {
  title: "OpenStreetMap tags (GeoJSON)",
  mediaType: "application/geo+json",
  head: { type: "FeatureCollection" },
  list: "features",
  write: (lot) => ({
    type: "Feature",
    id: lot.id,
    geometry: { type: "Point", coordinates: [lot.lng, lot.lat] },
    properties: tagsOf(lot),
  }),
  read,
  carries: {
    ...EVERYTHING,
    address: short("address"),
    area: false,
    structure: {
      words: `${Object.keys(STRUCTURES).map((code) => `\`${code}\``).join(", ")} only`,
      back: ({ structure }) => structure !== null && structure in STRUCTURES ? structure : undefined,
    },
    min_clearance_cm: false,
    max_tire_width_mm: false,
    entry_method: false,
    entry_difficulty: false,
    website: short("website"),
    time_zone: false,
    holiday_calendar: false,
    currency: {
      words: "with a price that is not free",
      back: (lot) => hasPrice(lot) && tagsOf(lot)["fee"] !== "no" ? lot.currency : undefined,
    },
    ...OPERATOR_BY_NAME,
    tags: {
      words: "`wheelchair_accessible`, `ev_charging` and `covered` only",
      back: ({ tags }) =>
        Object.fromEntries(
          ["wheelchair_accessible", "ev_charging", "covered"].flatMap((slug) =>
            tags[slug] === undefined ? [] : [[slug, tags[slug]]]
          ),
        ),
    },
    windows: {
      words:
        "a week and its holidays: no hours of an eve or with dates, none after midnight before a day with other hours",
      back: (lot) => hoursText(lot, MAX_VALUE) === undefined ? undefined : lot.windows,
    },
    rules: {
      words:
        "prices by the hour and for a stay, by day and time: no maximum, no first minutes, no dates, no `max_units`, none that depend on the hours",
      back: (lot) => hasPrice(lot) ? rulesOf(lot) : undefined,
    },
    source_url: NOT_READ_IF_SHORT,
    attribution: NOT_READ_IF_SHORT,
  },
};
