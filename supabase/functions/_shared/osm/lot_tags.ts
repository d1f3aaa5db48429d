// A lot as tags of OpenStreetMap (amenity=parking), and back: capacity, height, longest stay, hours and prices.
import type { BusinessWindow } from "../import/window.ts";
import type { PricingRule } from "../import/pricing.ts";
import { durationOf, rulesOfTags, type Tags, tagsOfRules } from "./charges.ts";
import { hoursOfWindows, windowsOfHours } from "./opening_hours.ts";
import { UnreadTag } from "./week.ts";

export interface LotOfTags {
  readonly total_spaces: number | null;
  readonly max_height_m: number | null;
  readonly max_parking_duration_min: number | null;
  readonly windows: readonly BusinessWindow[] | null;
  readonly rules: readonly PricingRule[] | null;
  readonly currency: string | null;
  /** Tags that are there and are not read. */
  readonly problems: readonly { readonly tag: string; readonly reason: string }[];
}

/** `2.1`, `2.1 m`, `6'8"`; null for texts that state no limit. */
function heightOf(text: string): number | null {
  if (/^(none|default|below_default|no_sign|no_indications|unsigned)$/.test(text)) return null;
  const feet = /^(\d{1,2})'(?:(\d{1,2})")?$/.exec(text);
  if (feet !== null) return Math.round((Number(feet[1]) * 12 + Number(feet[2] ?? 0)) * 2.54) / 100;
  const metres = /^(\d{1,2}(?:\.\d+)?)(?: ?m)?$/.exec(text);
  if (metres === null || Number(metres[1]) === 0) throw new UnreadTag(`${JSON.stringify(text)} is not a height`);
  return Number(metres[1]);
}

function maxstayOf(text: string): number | null {
  if (/^(no|none|unlimited)$/.test(text)) return null;
  const days = /^(\d{1,3}) days?$/.exec(text);
  return days === null ? durationOf(text) : Number(days[1]) * 1440;
}

function capacityOf(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new UnreadTag(`${JSON.stringify(text)} is not a number of spaces`);
  return Number(text);
}

/** What tags say of a lot. A tag that is not read is a problem, and what it would say is null. */
export function lotOfTags(tags: Tags): LotOfTags {
  const problems: { tag: string; reason: string }[] = [];
  const read = <Value>(tag: string, of: (text: string) => Value): Value | null => {
    const text = tags[tag]?.trim();
    if (text === undefined || text === "") return null;
    try {
      return of(text);
    } catch (error) {
      if (!(error instanceof UnreadTag)) throw error;
      problems.push({ tag, reason: error.message });
      return null;
    }
  };
  if (tags["maxstay:conditional"] !== undefined) {
    problems.push({ tag: "maxstay:conditional", reason: "a longest stay at some hours only" });
  }
  const priceTag = ["charge:conditional", "charge", "fee:conditional", "fee"].find((tag) => tags[tag] !== undefined);
  const charges = priceTag === undefined ? null : read(priceTag, () => rulesOfTags(tags));
  return {
    total_spaces: read("capacity", capacityOf),
    max_height_m: read("maxheight", heightOf),
    max_parking_duration_min: tags["maxstay:conditional"] === undefined ? read("maxstay", maxstayOf) : null,
    windows: read("opening_hours", windowsOfHours),
    rules: charges?.rules ?? null,
    currency: charges?.currency ?? null,
    problems,
  };
}

/** What tags are made of. Absent or null: nobody has said. */
export interface TaggedLot {
  readonly name?: string | null;
  readonly operator?: string | null;
  readonly structure?: string | null;
  readonly total_spaces?: number | null;
  readonly max_height_m?: number | null;
  readonly max_parking_duration_min?: number | null;
  readonly website?: string | null;
  readonly phone?: string | null;
  readonly currency: string;
  /** By slug: true, false, or absent. */
  readonly tags?: Readonly<Record<string, boolean>>;
  /** Business windows without dates. */
  readonly windows?: readonly BusinessWindow[];
  /** Rules of the standard price list. */
  readonly rules?: readonly PricingRule[];
}

/** Values of the tag `parking` by the code of the structure. */
export const STRUCTURES: Readonly<Record<string, string>> = {
  surface: "surface",
  multi_storey: "multi-storey",
  rooftop: "rooftop",
  underground: "underground",
  on_street: "street_side",
};

function stayText(minutes: number): string {
  const [number, unit] = minutes % 1440 === 0
    ? [minutes / 1440, "day"]
    : minutes % 60 === 0
    ? [minutes / 60, "hour"]
    : [minutes, "minute"];
  return `${number} ${unit}${number === 1 ? "" : "s"}`;
}

export interface TagsOfLot {
  readonly tags: Tags;
  /** What the tags do not carry, in words. */
  readonly lost: readonly string[];
}

/** The tags of a lot. What they cannot carry is left out and listed; a charge that would be wrong is not written. */
export function tagsOfLot(lot: TaggedLot): TagsOfLot {
  const lost: string[] = [];
  const tags: Record<string, string> = { amenity: "parking", access: "yes" };
  const put = (tag: string, value: string | number | null | undefined) => {
    if (value !== null && value !== undefined && value !== "") tags[tag] = String(value);
  };
  const has = (slug: string) => lot.tags?.[slug] === undefined ? undefined : lot.tags[slug] ? "yes" : "no";
  put("name", lot.name);
  put("operator", lot.operator);
  put("capacity", lot.total_spaces);
  put("capacity:disabled", has("wheelchair_accessible"));
  put("capacity:charging", has("ev_charging"));
  put("maxheight", lot.max_height_m);
  put("website", lot.website);
  put("phone", lot.phone);
  if (lot.structure !== null && lot.structure !== undefined) {
    put("parking", STRUCTURES[lot.structure]);
    if (STRUCTURES[lot.structure] === undefined) lost.push(`the structure ${lot.structure}`);
  }
  if (lot.max_parking_duration_min) put("maxstay", stayText(lot.max_parking_duration_min));
  if (lot.windows !== undefined && lot.windows.length > 0) {
    const hours = hoursOfWindows(lot.windows);
    if (hours === undefined) lost.push("hours of an eve, or after midnight before other hours");
    put("opening_hours", hours);
  }
  const charges = tagsOfRules(lot.rules ?? [], lot.currency);
  return { tags: { ...tags, ...charges.tags }, lost: [...lost, ...charges.lost] };
}
