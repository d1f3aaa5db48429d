// Holds what the grammar of tariff texts makes of the texts of tests/cases/tariff_text.json against the rules and the
// fees that were written for them by hand. The fees come from the naive calculation of tests/oracles/fees.ts.
import { isDeepStrictEqual } from "node:util";
import { readTariff } from "../../supabase/functions/_shared/tariff_text/read.ts";
import type { TariffReading, TariffRule } from "../../supabase/functions/_shared/tariff_text/types.ts";
import { naiveFee, type Rule } from "../oracles/fees.ts";

/** A text with the rules that it means, or that must be refused. */
export interface TariffCase {
  readonly id: string;
  /** The form of the text. */
  readonly style: string;
  /** JPY if it is left out. */
  readonly currency?: string;
  readonly text: string;
  /** A field that a rule leaves out is null, `day_type` is `all`. */
  readonly rules?: readonly Partial<TariffRule>[];
  readonly max_parking_duration_min?: number;
  /** The fees of STANDARD_STAYS by these rules. Null: unknown. */
  readonly totals?: readonly (number | null)[];
  /** The text must not be accepted: for this reason among others, or for `any`. */
  readonly refused?: string;
}

/** Eight stays in Tokyo: 10 June 2026 is a Wednesday, 3 November 2026 a public holiday on a Tuesday. */
export const STANDARD_STAYS = [
  ["2026-06-10T10:00:00+09:00", "2026-06-10T11:00:00+09:00"],
  ["2026-06-10T10:00:00+09:00", "2026-06-10T13:00:00+09:00"],
  ["2026-06-10T08:00:00+09:00", "2026-06-10T20:00:00+09:00"],
  ["2026-06-10T20:00:00+09:00", "2026-06-11T08:00:00+09:00"],
  ["2026-06-10T10:00:00+09:00", "2026-06-11T11:30:00+09:00"],
  ["2026-06-13T10:00:00+09:00", "2026-06-13T18:00:00+09:00"],
  ["2026-06-14T21:00:00+09:00", "2026-06-15T18:30:00+09:00"],
  ["2026-11-03T10:00:00+09:00", "2026-11-03T16:00:00+09:00"],
].map(([entry_at, exit_at]) => ({ entry_at: entry_at!, exit_at: exit_at! }));

const CASES = new URL("../cases/", import.meta.url);
const HOLIDAYS: ReadonlySet<string> = new Set(
  Object.keys((JSON.parse(Deno.readTextFileSync(new URL("holidays.json", CASES))) as { JP: object }).JP),
);

export function readCases(file: string): TariffCase[] {
  return JSON.parse(Deno.readTextFileSync(file.includes("/") ? file : new URL(file, CASES)));
}

export type Verdict =
  /** The rules are those of the case, or the text is refused as it must be. */
  | "exact"
  /** Other rules, but the same fee for each stay. */
  | "same_fees"
  /** The text is not accepted, though it has rules. Nobody pays a wrong amount. */
  | "refused"
  /** Accepted with a fee that the case does not have, or accepted although it must be refused. */
  | "wrong";

export interface Judged {
  readonly of: TariffCase;
  readonly reading: TariffReading;
  readonly verdict: Verdict;
  readonly totals: readonly (number | null)[];
  readonly ms: number;
}

export function judge(of: TariffCase): Judged {
  const started = performance.now();
  const reading = readTariff(of.text, { currency: of.currency ?? "JPY" });
  const ms = performance.now() - started;
  const totals = reading.is_accepted ? totalsOf(reading.rules) : [];
  return { of, reading, verdict: verdictOf(of, reading, totals), totals, ms };
}

function verdictOf(of: TariffCase, reading: TariffReading, totals: readonly (number | null)[]): Verdict {
  if (of.rules === undefined) {
    if (reading.is_accepted) return "wrong";
    return of.refused === "any" || reading.unread.some(({ reason }) => reason === of.refused) ? "exact" : "refused";
  }
  if (!reading.is_accepted) return "refused";
  if (!isDeepStrictEqual(totals, of.totals)) return "wrong";
  const limit = of.max_parking_duration_min ?? null;
  return isDeepStrictEqual(canonical(of.rules), canonical(reading.rules)) && limit === reading.max_parking_duration_min
    ? "exact"
    : "same_fees";
}

export function totalsOf(rules: readonly Partial<TariffRule>[]): (number | null)[] {
  const rows = rules.map((rule, index) => ({ ...rule, id: String(index).padStart(4, "0"), rule_order: index + 1 }));
  return STANDARD_STAYS.map((stay) => {
    const fee = naiveFee({
      ...stay,
      time_zone: "Asia/Tokyo",
      rules: rows as Rule[],
      date_overrides: [],
      holidays: HOLIDAYS,
    });
    return "total" in fee ? fee.total : null;
  });
}

/** The rules without their order, except that of the first minutes among themselves. */
export function canonical(rules: readonly Partial<TariffRule>[]): string[] {
  const places = new Map<string, number>();
  return rules.map((rule) => {
    const key = `${rule.category} ${rule.day_type ?? "all"}`;
    places.set(key, (places.get(key) ?? 0) + 1);
    return JSON.stringify([
      rule.category,
      rule.category === "initial" ? places.get(key) : 0,
      rule.day_type ?? "all",
      rule.time_start ?? null,
      rule.time_end ?? null,
      rule.per_minutes ?? null,
      rule.price_minor ?? null,
      rule.cap_type ?? null,
      rule.cap_duration_hours ?? null,
      rule.cap_price_minor ?? null,
      rule.cap_repeat ?? null,
    ]);
  }).sort();
}

const NAMES = {
  exact: "exact",
  same_fees: "other rules, same fees",
  refused: "refused",
  wrong: "WRONG AMOUNT",
} as const;

export function printTariffs(file: string, { failures }: { readonly failures: boolean }): void {
  const cases = readCases(file);
  // Patterns are compiled when they are first used, and the machine has other work: the best of five passes counts.
  const passes = Array.from({ length: 5 }, () => cases.map(judge));
  const judged = passes[0]!.map((one, at) => ({ ...one, ms: Math.min(...passes.map((pass) => pass[at]!.ms)) }));
  const count = (verdict: Verdict) => judged.filter((one) => one.verdict === verdict).length;
  console.log(
    `\n${file}: ${judged.length} texts, ${judged.filter(({ of }) => of.rules !== undefined).length} with rules`,
  );
  for (const verdict of ["exact", "same_fees", "refused", "wrong"] as const) {
    const share = (100 * count(verdict) / judged.length).toFixed(1);
    console.log(`  ${NAMES[verdict].padEnd(24)} ${String(count(verdict)).padStart(4)}  ${share} %`);
  }
  const times = judged.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const at = (part: number) => times[Math.min(times.length - 1, Math.floor(part * times.length))]!.toFixed(2);
  console.log(`  ms a text: p50 ${at(0.5)}, p95 ${at(0.95)}, most ${at(1)}`);
  if (!failures) return;
  for (const { of, reading, verdict, totals } of judged.filter((one) => one.verdict !== "exact")) {
    console.log(`\n  ${of.id} ${NAMES[verdict]}: ${JSON.stringify(of.text)}`);
    for (const { from, to, reason } of reading.unread) console.log(`    ${reason}: ${of.text.slice(from, to)}`);
    if (verdict === "wrong") {
      console.log(`    fees ${totals.join(" ")}, expected ${of.totals?.join(" ") ?? of.refused}`);
    }
    if (of.rules === undefined) continue;
    const [expected, actual] = [canonical(of.rules), canonical(reading.rules)];
    for (const rule of expected.filter((one) => !actual.includes(one))) console.log(`    missing ${rule}`);
    for (const rule of actual.filter((one) => !expected.includes(one))) console.log(`    too much ${rule}`);
  }
}
