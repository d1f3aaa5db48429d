// Holds what the rules parser makes of the sentences against what is expected of them.
import { isDeepStrictEqual } from "node:util";
import { parseText } from "../../supabase/functions/_shared/ai_search/rules/parse.ts";
import { settlePlace } from "../../supabase/functions/_shared/ai_search/rules/settle.ts";
import type {
  Locale,
  ParsedSearch,
  ParseOptions,
  Query,
} from "../../supabase/functions/_shared/ai_search/rules/types.ts";

/** A line of a file of sentences. A field that `expected` leaves out is expected to be null or empty. */
export interface Sentence {
  readonly id: string;
  readonly text: string;
  readonly locale: Locale;
  readonly now: string;
  readonly time_zone: string;
  readonly context?: Query;
  readonly expected: {
    readonly status?: "unparseable";
    readonly place?: string;
    readonly own_position?: true;
    readonly entry_at?: string;
    readonly exit_at?: string;
    readonly max_price?: number;
    readonly filters?: readonly string[];
    readonly vehicle?: Readonly<Record<string, string | number>>;
    readonly radius_m?: number;
    readonly sort?: string;
    /** The fields that must be left open, all of them. */
    readonly unresolved?: readonly string[];
    /** Compared only where it is given, as the next one. */
    readonly query?: Query;
    /** Fields of which the answer must say that it assumed them. */
    readonly assumed?: readonly string[];
  };
  /** Why this is expected. */
  readonly why: string;
}

export interface Outcome {
  readonly sentence: Sentence;
  readonly answer: ParsedSearch;
  /** Names of the compared fields, and those of them that are wrong with what was expected and what came. */
  readonly compared: readonly string[];
  readonly wrong: readonly { readonly field: string; readonly expected: unknown; readonly actual: unknown }[];
  readonly ms: number;
}

export const FIELDS = [
  "place",
  "own_position",
  "entry_at",
  "exit_at",
  "max_price",
  "filters",
  "vehicle",
  "radius_m",
  "sort",
  "unresolved",
] as const;

/** Numbers, times and prices: a wrong one must never be presented as certain. */
export const NUMBERS: readonly string[] = ["entry_at", "exit_at", "max_price", "vehicle", "radius_m"];
export const CERTAIN = 0.8;

/** A bare name is a file of this folder; anything with a slash is a path. */
export function readSentences(path: string): Sentence[] {
  if (path === PLACE_NAMES) return placeNames();
  const file = path.includes("/") ? path : new URL(path, import.meta.url);
  return Deno.readTextFileSync(file).split("\n").filter((line) => line.trim() !== "").map((line) => JSON.parse(line));
}

export const PLACE_NAMES = "places";

const COVERAGE = new URL("../cases/places_coverage.csv", import.meta.url);

/** Each name of tests/cases/places_coverage.csv in kanji and in Latin letters: alone, and in a sentence. */
function placeNames(): Sentence[] {
  const rows = Deno.readTextFileSync(COVERAGE).trim().split("\n").slice(1).map((line) => line.split(","));
  return rows.flatMap(([kanji, romaji]) => [
    nameAlone("ja", kanji!, kanji!),
    nameAlone("en", romaji!, romaji!),
    nameInSentence("ja", kanji!, `${kanji}の近くで明日10時から12時まで`),
    nameInSentence("en", romaji!, `parking near ${romaji} tomorrow 10:00 to 12:00`),
  ]);
}

const AT = { now: "2026-11-18T09:00:00+09:00", time_zone: "Asia/Tokyo" } as const;

const nameAlone = (locale: Locale, place: string, text: string): Sentence => ({
  id: `name-${locale}-${place}`,
  text,
  locale,
  ...AT,
  expected: { place },
  why: "a name alone is a place",
});

const nameInSentence = (locale: Locale, place: string, text: string): Sentence => ({
  ...nameAlone(locale, place, text),
  id: `named-${locale}-${place}`,
  expected: { place, entry_at: "2026-11-19T10:00:00+09:00", exit_at: "2026-11-19T12:00:00+09:00" },
  why: "a name in a sentence is its place",
});

export function optionsOf({ locale, now, time_zone: timeZone, context }: Sentence): ParseOptions {
  return { locale, now: new Date(now), timeZone, context };
}

/** The rules parser on a sentence. The place that the sentence expects is known, and no other. */
export function evaluate(sentence: Sentence): Outcome {
  const started = performance.now();
  const options = optionsOf(sentence);
  const parsed = parseText(sentence.text, options);
  const answer = settlePlace(parsed, parsed.place === sentence.expected.place ? parsed.place : null, options);
  const ms = performance.now() - started;
  const also = (["status", "query", "assumed"] as const).filter((name) => name in sentence.expected);
  return score(sentence, answer, ms, [...FIELDS, ...also]);
}

/** An answer against what is expected of the sentence, in these fields. */
export function score(
  sentence: Sentence,
  answer: ParsedSearch,
  ms: number,
  compared: readonly (typeof FIELDS[number] | "status" | "query" | "assumed")[],
): Outcome {
  const expected = expectedValues(sentence);
  const actual = actualValues(answer);
  const wrong = compared.filter((field) =>
    field === "assumed"
      ? !sentence.expected.assumed!.every((name) => answer.assumptions.some((note) => note.field === name))
      : !isDeepStrictEqual(expected[field], actual[field])
  ).map((field) => ({ field, expected: expected[field], actual: actual[field] }));
  return { sentence, answer, compared, wrong, ms };
}

type Values = Record<string, unknown>;

function expectedValues({ expected }: Sentence): Values {
  return {
    status: expected.status ?? "parsed",
    place: expected.place ?? null,
    own_position: expected.own_position ?? false,
    entry_at: expected.entry_at ?? null,
    exit_at: expected.exit_at ?? null,
    max_price: expected.max_price ?? null,
    filters: [...(expected.filters ?? [])].sort(),
    vehicle: expected.vehicle ?? null,
    radius_m: expected.radius_m ?? null,
    sort: expected.sort ?? null,
    unresolved: [...(expected.status === "unparseable" ? ["place"] : expected.unresolved ?? [])].sort(),
    query: expected.query,
    assumed: expected.assumed,
  };
}

/** What is left open about words that were not understood is not compared: how a sentence is cut is nobody's matter. */
function actualValues(answer: ParsedSearch): Values {
  const open = new Set(answer.unresolved.map((note) => note.field).filter((field) => field !== "text"));
  return {
    status: answer.status,
    place: answer.place,
    own_position: answer.own_position,
    entry_at: answer.entry_at,
    exit_at: answer.exit_at,
    max_price: answer.max_price,
    filters: [...answer.filters].sort(),
    vehicle: answer.vehicle,
    radius_m: answer.radius_m,
    sort: answer.sort,
    unresolved: [...open].sort(),
    query: answer.query,
    assumed: [...new Set(answer.assumptions.map((note) => note.field))],
  };
}

export interface Summary {
  readonly sentences: number;
  readonly exact: number;
  readonly fields: number;
  readonly fieldsRight: number;
  readonly byField: readonly { readonly field: string; readonly compared: number; readonly right: number }[];
  /** Sentences in which a number, a time or a price is wrong: not one that is missing, but one that is false. */
  readonly numbersWrong: readonly string[];
  /** Those of them whose confidence is that of a certain answer. */
  readonly certainAndWrong: readonly string[];
}

export function summarise(outcomes: readonly Outcome[]): Summary {
  const names = [...new Set(outcomes.flatMap(({ compared }) => compared))];
  const byField = names.map((field) => ({
    field,
    compared: outcomes.filter(({ compared }) => compared.includes(field)).length,
    right:
      outcomes.filter(({ compared, wrong }) => compared.includes(field) && !wrong.some((one) => one.field === field))
        .length,
  }));
  const falsified = outcomes.filter(({ wrong }) =>
    wrong.some(({ field, actual }) => NUMBERS.includes(field) && actual !== null)
  );
  return {
    sentences: outcomes.length,
    exact: outcomes.filter(({ wrong }) => wrong.length === 0).length,
    fields: byField.reduce((sum, { compared }) => sum + compared, 0),
    fieldsRight: byField.reduce((sum, { right }) => sum + right, 0),
    byField,
    numbersWrong: falsified.map(({ sentence }) => sentence.id),
    certainAndWrong: falsified.filter(({ answer }) => answer.confidence >= CERTAIN).map(({ sentence }) => sentence.id),
  };
}
