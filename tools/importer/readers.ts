// Readers of what a mapping cannot say in JSON: prices and hours that are texts, and published totals.
import { ImportFailure } from "../../supabase/functions/_shared/import/failure.ts";
import type { Mapping } from "../../supabase/functions/_shared/import/definition.ts";
import { isRoundTheClock } from "../../supabase/functions/_shared/import/hours.ts";
import type { BusinessWindow } from "../../supabase/functions/_shared/import/window.ts";
import { valueAt } from "../../supabase/functions/_shared/import/lookup.ts";
import type { Mapped, Problem } from "../../supabase/functions/_shared/import/lot.ts";
import type { PricingRule } from "../../supabase/functions/_shared/import/pricing.ts";
import type { SourceRecord } from "../../supabase/functions/_shared/import/record.ts";
import { LOT_FORMATS } from "../../supabase/functions/_shared/formats/formats.ts";
import type { LotFormat } from "../../supabase/functions/_shared/formats/lot.ts";
import { lotOfTags } from "../../supabase/functions/_shared/osm/lot_tags.ts";
import { greenPTariff } from "./tariffs/green_p.ts";
import { singaporeTariff } from "./tariffs/singapore.ts";
import { bahnTotals, bnlsTotals, greenPTotals, heidelbergTotals, swissTotals, type Total } from "./tariffs/totals.ts";
import type { Tariff } from "./tariffs/tariff.ts";

/** What a reader finds in a record. Absent: the record says nothing of it. */
export interface Reading {
  /** Further values for the mapping. */
  readonly values?: Readonly<Record<string, unknown>>;
  /** In place of the geometry of the record. */
  readonly geometry?: unknown;
  /** In addition to the tags of the mapping. */
  readonly tags?: Readonly<Record<string, boolean>>;
  readonly windows?: readonly BusinessWindow[];
  readonly rules?: readonly PricingRule[];
  readonly problems: readonly Problem[];
  /** Lines that state prices. */
  readonly lines: number;
  readonly totals: readonly Total[];
}

type Reader = (record: SourceRecord) => Reading;

function ofTariff(tariff: Tariff, totals: readonly Total[] = []): Reading {
  const { lines } = tariff;
  return "rules" in tariff
    ? { rules: tariff.rules, problems: [], lines, totals }
    : { problems: [{ field: "pricing", reason: tariff.problem }], lines, totals };
}

/** Why a list of totals gives no prices. */
function problemOf(totals: readonly Total[], isFree: boolean | undefined): string | undefined {
  if (totals.some(({ entry }) => entry !== undefined)) {
    return "the totals differ by the time of entry, and what a stay over both costs is not stated";
  }
  if (totals.every(({ amount_minor }) => amount_minor === 0)) {
    return isFree ? undefined : "every price is 0: either free or unknown";
  }
  if (isFree) return "the lot is free, and has prices";
  const falling = totals.find(({ minutes, amount_minor }) =>
    totals.some((other) => other.minutes <= minutes && other.amount_minor > amount_minor)
  );
  return falling && `an error of the publisher: ${falling.minutes} minutes cost less than a stay that is not longer`;
}

/** A list of totals: each is a rule for stays of that length. isFree: absent where the list does not say it. */
function ofTotals(totals: readonly Total[], isFree?: boolean): Reading {
  if (totals.length === 0) return { problems: [], lines: 0, totals };
  const problem = problemOf(totals, isFree);
  return {
    ...(problem === undefined
      ? {
        rules: totals.map(({ minutes, amount_minor }, place) => ({
          category: "published_total" as const,
          rule_order: place + 1,
          per_minutes: minutes,
          price_minor: amount_minor,
        })),
      }
      : {}),
    problems: problem === undefined ? [] : [{ field: "pricing", reason: problem }],
    lines: totals.length,
    totals,
  };
}

/** The point of an element as Overpass writes it; a feature has its own. */
function pointOf({ values }: SourceRecord): { readonly lat?: unknown; readonly lng?: unknown } {
  const centre = (values["center"] ?? values) as Readonly<Record<string, unknown>>;
  return { lat: centre["lat"], lng: centre["lon"] };
}

/** OpenStreetMap: tags of a feature, or of an element that has them under `tags`. */
function ofTags(record: SourceRecord): Reading {
  const { values, id } = record;
  const isElement = typeof values["tags"] === "object" && values["tags"] !== null;
  const all = (isElement ? values["tags"] : values) as Readonly<Record<string, unknown>>;
  const tags: Record<string, string> = {};
  for (const [key, value] of Object.entries(all)) {
    if (typeof value === "string" || typeof value === "number") tags[key] = String(value);
  }
  const { windows, rules, currency, problems, ...read } = lotOfTags(tags);
  const isOtherCurrency = currency !== null && currency !== "JPY";
  const reasons = problems.map(({ tag, reason }) => ({
    field: tag.startsWith("charge") || tag.startsWith("fee") ? "pricing" : tag === "opening_hours" ? "hours" : tag,
    reason: `${tag}: ${reason}`,
  }));
  const place = isElement ? pointOf(record) : { lat: valueAt(record, "$lat"), lng: valueAt(record, "$lng") };
  return {
    values: {
      osm: {
        ...tags,
        ...place,
        element: isElement ? `${values["type"]}/${values["id"]}` : tags["@id"] ?? id ?? tags["id"],
        read,
      },
    },
    ...(windows === null ? {} : { windows }),
    ...(rules === null || isOtherCurrency ? {} : { rules }),
    problems: isOtherCurrency ? [...reasons, { field: "pricing", reason: `a charge in ${currency}` }] : reasons,
    lines: Object.keys(tags).filter((key) => /^(fee|charge)(:conditional)?$/.test(key)).length,
    totals: [],
  };
}

/** A format that the service exports: its mapping finds the values under `lot`. */
function ofFormat(format: LotFormat, record: SourceRecord): Reading {
  const { values, area, tags, windows, rules, problems } = format.read(record);
  return {
    values: { lot: values },
    ...(area === undefined ? {} : { geometry: area }),
    tags,
    ...(windows === null ? {} : { windows }),
    ...(rules === null ? {} : { rules }),
    problems,
    lines: rules?.length ?? 0,
    totals: [],
  };
}

const READERS: Readonly<Record<string, Reader>> = {
  ...Object.fromEntries(
    Object.entries(LOT_FORMATS).map(([name, format]) => [`format_${name}`, (record) => ofFormat(format, record)]),
  ),
  bahn: ({ values }) => ofTotals(bahnTotals(values)),
  bnls: ({ values }) => ofTotals(bnlsTotals(values), String(values["gratuit"]) === "1"),
  green_p: ({ values }) => {
    const tariff = greenPTariff(values);
    return ofTariff(tariff, greenPTotals(values, "rules" in tariff ? tariff.rules : []));
  },
  heidelberg: ({ values }) => ofTotals(heidelbergTotals(values)),
  osm: ofTags,
  singapore: ({ values }) => ofTariff(singaporeTariff(values)),
};

/** Totals of lists whose rules the mapping reads. */
const TOTALS: Readonly<Record<string, (values: SourceRecord["values"]) => readonly Total[]>> = {
  swiss_rail_parking: swissTotals,
};

export function readingOf(record: SourceRecord, { name, reader }: Mapping): Reading {
  if (reader === undefined) return { problems: [], lines: 0, totals: TOTALS[name]?.(record.values) ?? [] };
  const read = READERS[reader];
  if (read === undefined) {
    throw new ImportFailure(
      `The mapping ${name} names the reader ${reader}; known are ${Object.keys(READERS).join(", ")}.`,
    );
  }
  return read(record);
}

/** Maps a record with what the mapping's reader finds in it. */
export function withReading(
  record: SourceRecord,
  mapping: Mapping,
  map: (record: SourceRecord, mapping: Mapping) => Mapped,
): Mapped {
  if (mapping.reader === undefined) return map(record, mapping);
  const { values, geometry, tags, windows, rules, problems } = readingOf(record, mapping);
  const mapped = map({
    ...record,
    values: { ...record.values, ...values },
    geometry: geometry ?? record.geometry,
  }, mapping);
  if (!("lot" in mapped)) return mapped;
  const { lot } = mapped;
  return {
    lot: {
      ...lot,
      windows: windows ?? lot.windows,
      tags: { ...lot.tags, ...(windows === undefined ? {} : { open_24h: isRoundTheClock(windows) }), ...tags },
      pricing: rules ?? lot.pricing,
      warnings: [...lot.warnings, ...problems],
    },
  };
}
