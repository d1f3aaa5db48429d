/** Input and output of the rules parser. */
import type { z } from "zod";
import type { attributes, SearchQueryV1 } from "../../schema/search.ts";

export type Query = z.infer<typeof SearchQueryV1>;
export type AttributeName = keyof typeof attributes;
export type Measures = NonNullable<Query["vehicle"]>;
export type Locale = "ja" | "en";

export interface ParseOptions {
  readonly locale: Locale;
  readonly now: Date;
  /** IANA name. Throws a RangeError for an unknown name. */
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

/** An assumption of the parser, or an open question (unresolved). */
export interface Note {
  /** The part of the text, in normalised width. Empty if the note is about missing text. */
  readonly text: string;
  readonly field: Field;
  /** The assumed value (assumption), or the value known so far (unresolved). */
  readonly value: string | number | null;
  /** A sentence in the user's language. */
  readonly reason: string;
}

export type MentionKind = "clock" | "date" | "duration" | "price" | "distance" | "measure" | "number";

/** A number, time or price in the text, even if it is not used. */
export interface Mention {
  readonly kind: MentionKind;
  readonly text: string;
  /**
   * Minutes of the day for clock times, minutes for durations, days for dates (YYYY-MM-DD), yen, metres, or the number.
   */
  readonly value: string | number;
  /** Other values of the same words: nine o'clock is 540 or 1260. */
  readonly others: readonly (string | number)[];
}

export interface Vehicle extends Measures {
  /** A code of category `vehicle_type`. */
  readonly type?: string;
}

export interface ParsedSearch {
  readonly status: "parsed" | "unparseable";
  /** Information that is missing in an unparseable text. */
  readonly missing: readonly ("place" | "stay" | "conditions")[];
  readonly place: string | null;
  /** Other words that can name the place, if no one knows a place of the name `place`. */
  readonly other_places: readonly string[];
  /** `place` is only what remained of the text. It is a place if someone knows it. */
  readonly is_place_left_over: boolean;
  /** The text has a condition, a whole stay or a word of parking, and not only words that can be a place or a time. */
  readonly is_about_parking: boolean;
  /** The text has a word of parking. */
  readonly says_parking: boolean;
  /** Coordinates in the text. They are the place, and no one has to know it. */
  readonly position: { readonly lat: number; readonly lng: number } | null;
  /** The text requests lots near the user. */
  readonly own_position: boolean;
  readonly entry_at: string | null;
  readonly exit_at: string | null;
  /** In yen. For the whole stay, or for one hour without a stay. */
  readonly max_price: number | null;
  readonly filters: readonly AttributeName[];
  readonly vehicle: Vehicle | null;
  readonly radius_m: number | null;
  readonly sort: NonNullable<Query["sort"]> | null;
  /** Without a centre it has neither `radius_m` nor `sort` by distance. withCenter adds them. */
  readonly query: Query;
  readonly confidence: number;
  readonly assumptions: readonly Note[];
  readonly unresolved: readonly Note[];
  readonly mentions: readonly Mention[];
}
