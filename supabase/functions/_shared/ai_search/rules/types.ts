/** What the rules parser takes and returns. */
import type { z } from "zod";
import type { attributes, SearchQueryV1 } from "../../schema/search.ts";

export type Query = z.infer<typeof SearchQueryV1>;
export type AttributeName = keyof typeof attributes;
export type Measures = NonNullable<Query["vehicle"]>;
export type Locale = "ja" | "en";

export interface ParseOptions {
  readonly locale: Locale;
  readonly now: Date;
  /** IANA name. An unknown one is a RangeError. */
  readonly timeZone: string;
  /** The query that the text refines ("cheaper", "and with EV charging"). */
  readonly context?: Query | undefined;
}

export type Field =
  | "place"
  | "entry_at"
  | "exit_at"
  | "max_price"
  | "price_min"
  | "price_max"
  | "filters"
  | "vehicle"
  | "radius_m"
  | "sort"
  | "text";

/** Something that the parser took on itself (assumption), or could not decide (unresolved). */
export interface Note {
  /** The part of the text, in one width; empty when it is about what the text does not say. */
  readonly text: string;
  readonly field: Field;
  /** What was taken (assumption), or what is known so far (unresolved). */
  readonly value: string | number | null;
  /** A sentence in the asker's language. */
  readonly reason: string;
}

export type MentionKind = "clock" | "date" | "duration" | "price" | "distance" | "measure" | "number";

/** A number, a time or a price that the text names, whatever became of it. */
export interface Mention {
  readonly kind: MentionKind;
  readonly text: string;
  /** Minutes of a day for clocks and of time for durations, days for dates (YYYY-MM-DD), yen, metres, or the number. */
  readonly value: string | number;
  /** Other values that the same words can have: nine o'clock is 540 and 1260. */
  readonly others: readonly (string | number)[];
}

export interface Vehicle extends Measures {
  /** A code of category `vehicle_type`. */
  readonly type?: string;
}

export interface ParsedSearch {
  readonly status: "parsed" | "unparseable";
  /** What an unparseable text would have to say. */
  readonly missing: readonly ("place" | "stay" | "conditions")[];
  readonly place: string | null;
  /** The text asks for what is near the asker. */
  readonly own_position: boolean;
  readonly entry_at: string | null;
  readonly exit_at: string | null;
  /** For the whole stay; without a stay for an hour. In yen. */
  readonly max_price: number | null;
  readonly filters: readonly AttributeName[];
  readonly vehicle: Vehicle | null;
  readonly radius_m: number | null;
  readonly sort: NonNullable<Query["sort"]> | null;
  /** Without a centre it has no `radius_m` and no `sort` by distance: withCenter adds them. */
  readonly query: Query;
  readonly confidence: number;
  readonly assumptions: readonly Note[];
  readonly unresolved: readonly Note[];
  readonly mentions: readonly Mention[];
}
