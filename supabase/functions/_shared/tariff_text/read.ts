/** Reads the text of a sign as pricing rules. A grammar without a model: docs/domains/tariff_text.md. */
import { type Clause, divide } from "./clauses.ts";
import { rulesOf } from "./rules.ts";
import { tokens } from "./tokens.ts";
import { MAX_TEXT, type Stretch, type TariffReading, type Unread } from "./types.ts";

/** A text of more than MAX_TEXT characters is the caller's error. */
export function readTariff(text: string, { currency = "JPY" }: { readonly currency?: string } = {}): TariffReading {
  if (text.length > MAX_TEXT && [...text].length > MAX_TEXT) {
    throw new RangeError(`A text has at most ${MAX_TEXT} characters.`);
  }
  const { clauses, faults } = divide(tokens(text, currency));
  const { made, faults: more, limit } = rulesOf(clauses, text);
  const unread = sorted([...faults, ...more]);
  // One clause may have many rules.
  const clausesRead = [...new Set(made.map(({ clause }) => clause))];
  const stretches = new Map(clausesRead.map((clause) => [clause, stretchesOf(clause)]));
  return {
    rules: made.map(({ rule }) => rule),
    parts: made.flatMap(({ clause }, rule) => stretches.get(clause)!.map((stretch) => ({ rule, ...stretch }))),
    unread,
    max_parking_duration_min: limit,
    is_accepted: unread.length === 0,
  };
}

function sorted(faults: readonly Unread[]): Unread[] {
  const seen = new Set<string>();
  return faults.toSorted((a, b) => a.from - b.from || b.to - a.to).filter(({ from, to, reason }) => {
    const key = `${from} ${to} ${reason}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** The tokens of a clause, neighbours joined. */
function stretchesOf(clause: Clause): Stretch[] {
  const joined: { from: number; to: number }[] = [];
  for (const { from, to } of clause.tokens.toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last !== undefined && from - last.to <= 2) last.to = Math.max(last.to, to);
    else joined.push({ from, to });
  }
  return joined;
}
