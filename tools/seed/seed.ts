import { createHash } from "node:crypto";
import { type Lot, lotOf } from "./lots.ts";
import { AREAS } from "./places.ts";
import { referenceSql } from "./reference.ts";
import { sponsorsSql } from "./sponsors.ts";
import { type Cell, insert, insertForLots } from "./sql.ts";
import { themesSql } from "./themes.ts";

const LOTS_PER_AREA = 80;

const HEADER =
  `-- Sample data for development: invented lots at plausible places around Tokyo station, Shibuya and Yokohama, so that a
-- search has something to find. Names, prices and hours are made up; no place here is a real car park.
-- Written by \`deno task seed\` (seed/). Edit that, not this file.
`;

function lots(): Lot[] {
  const namesakes = new Map<string, number>();
  const counted = (lot: Lot): Lot => {
    const count = (namesakes.get(lot.name) ?? 0) + 1;
    namesakes.set(lot.name, count);
    return count === 1 ? lot : { ...lot, name: `${lot.name}${count}` };
  };
  return AREAS.flatMap((area) => {
    const perPlace = new Map<string, number>();
    return Array.from({ length: LOTS_PER_AREA }, (_, index) => {
      const place = area.places[index % area.places.length];
      if (place === undefined) throw new Error(`${area.id} has no places`);
      const inPlace = (perPlace.get(place.town) ?? 0) + 1;
      perPlace.set(place.town, inPlace);
      return counted(lotOf(area, place, index + 1, inPlace));
    });
  });
}

/** The same id on every machine, in the form of a random one. */
function idOf(externalId: string): string {
  const hex = createHash("sha256").update(`seed ${externalId}`).digest("hex");
  const variant = "89ab"[Number.parseInt(hex.charAt(16), 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${
    hex.slice(20, 32)
  }`;
}

const LOT_COLUMNS = [
  "name",
  "address",
  "lat",
  "lng",
  "total_spaces",
  "structure",
  "entry_method",
  "entry_difficulty",
  "operator_code",
  "max_height_m",
  "max_width_m",
  "max_length_m",
  "max_weight_t",
  "min_clearance_cm",
  "max_tire_width_mm",
  "max_parking_duration_min",
] as const;

const WINDOW_TYPES = {
  window_type: "",
  day_type: "",
  day_of_week: "integer",
  is_24h: "boolean",
  is_closed: "boolean",
  open_time: "time",
  close_time: "time",
  effective_from: "date",
  effective_to: "date",
} as const;

const RULE_TYPES = {
  category: "",
  rule_order: "",
  time_start: "time",
  time_end: "time",
  day_type: "",
  per_minutes: "integer",
  price_minor: "integer",
  cap_type: "",
  cap_duration_hours: "numeric",
  cap_price_minor: "integer",
  cap_repeat: "boolean",
} as const;

const SPOT_TYPES = {
  code: "",
  vehicle_type_max: "",
  is_ev_charger: "",
  ev_connector_type: "",
  accessibility: "",
  is_reservable: "",
} as const;

function pick<Row extends object>(row: Row, columns: Readonly<Record<string, string>>): Cell[] {
  return Object.keys(columns).map((column) => (row as Readonly<Record<string, Cell>>)[column]);
}

function insertTags(all: readonly Lot[], state: boolean): string {
  const rows = all.map((
    lot,
  ) => [lot.external_id, [...lot.tags].filter(([, has]) => has === state).map(([slug]) => slug), state]);
  return insertForLots({
    table: "public.parking_lot_tags",
    columns: { slugs: "", state: "" },
    instead: { slugs: { column: "tag_id", value: "t.id" } },
    join: "join public.tags t on t.slug = any (v.slugs::text[])",
  }, rows);
}

/** The whole of supabase/seed.sql. */
export function seedSql(): string {
  const all = lots();
  const ofLots = (rowsOf: (lot: Lot) => readonly Cell[][]): Cell[][] =>
    all.flatMap((lot) => rowsOf(lot).map((row) => [lot.external_id, ...row]));
  const rules = ofLots((lot) =>
    lot.rules.map((rule, index) => [rule.group, ...pick({ ...rule, rule_order: index + 1 }, RULE_TYPES)])
  );
  return [
    HEADER,
    insert(
      "public.parking_lots",
      ["id", "source", "external_id", "licence", "status", ...LOT_COLUMNS],
      all.map((lot) => [
        idOf(lot.external_id),
        "seed",
        lot.external_id,
        "CC0-1.0",
        "active",
        ...LOT_COLUMNS.map((column) => lot[column]),
      ]),
    ),
    "-- What they offer, and what they are known not to offer.",
    insertTags(all, true),
    insertTags(all, false),
    "-- Hours. A lot without any is one whose hours nobody has stated.",
    insertForLots(
      { table: "public.parking_lot_windows", columns: WINDOW_TYPES },
      ofLots((lot) => lot.windows.map((row) => pick(row, WINDOW_TYPES))),
    ),
    insertForLots(
      {
        table: "public.parking_lot_date_overrides",
        columns: { override_date: "date", label: "", hours: "jsonb", pricing: "jsonb", note: "" },
      },
      ofLots((lot) =>
        lot.overrides.map((row) => [row.override_date, row.label, { json: row.hours }, { json: row.pricing }, row.note])
      ),
    ),
    "-- Prices in yen. A lot without any is one whose price nobody has stated.",
    insertForLots(
      {
        table: "public.pricing_groups",
        columns: { code: "", name: "", is_default: "", display_order: "", vehicle_types: "text[]" },
      },
      ofLots((lot) =>
        lot.groups.map((
          { code, name, is_default, vehicle_types },
          index,
        ) => [code, name, is_default, index + 1, vehicle_types])
      ),
    ),
    insertForLots({
      table: "public.pricing_rules",
      columns: { price_list: "", ...RULE_TYPES },
      instead: { price_list: { column: "pricing_group_id", value: "g.id" } },
      join: "left join public.pricing_groups g on g.parking_lot_id = l.id and g.code = v.price_list",
    }, rules),
    "-- Single places worth telling apart.",
    insertForLots(
      { table: "public.parking_lot_spots", columns: SPOT_TYPES },
      ofLots((lot) => lot.spots.map((row) => pick(row, SPOT_TYPES))),
    ),
    referenceSql(),
    themesSql(),
    sponsorsSql(),
  ].join("\n");
}
