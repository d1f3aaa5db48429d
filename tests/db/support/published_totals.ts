// Lists of published totals of which some points are hidden: what the service then says of the hidden stays.
import type { Sql } from "postgres";
import { seedLots } from "./fees.ts";

export interface Point {
  readonly minutes: number;
  readonly amount_minor: number;
}

export interface Outcome {
  /** Stays whose published total is known. */
  readonly shown: number;
  readonly hidden: number;
  /** Shown stays with another fee, and hidden ones outside of the bounds or with another exact fee. */
  readonly wrong: readonly string[];
  /** Hidden stays between two shown ones, which have both bounds. */
  readonly bounded: number;
}

export const isMonotone = (points: readonly Point[]): boolean =>
  points.every(({ minutes, amount_minor }) =>
    points.every((other) => other.minutes > minutes || other.amount_minor <= amount_minor)
  );

/** Stores each list without its points of odd or even places, and asks for all of them. */
export async function askHidden(
  sql: Sql,
  lists: readonly (readonly Point[])[],
  isOddHidden: boolean,
): Promise<Outcome> {
  const isHidden = (place: number) => (place % 2 === 1) === isOddHidden;
  const lots = await seedLots(
    sql,
    lists.map((points) => ({
      rules: points.flatMap(({ minutes, amount_minor }, place) =>
        isHidden(place)
          ? []
          : [{ category: "published_total" as const, per_minutes: minutes, price_minor: amount_minor }]
      ),
    })),
  );
  const asked = lists.flatMap((points, n) =>
    points.map((point, place) => ({ ...point, lot: lots[n]!, is_hidden: isHidden(place) }))
  );
  const rows = await sql<{ amount: string | null; at_least: string | null; at_most: string | null; refusal: string }[]>`
    select f.amount, f.at_least, f.at_most, f.refusal
    from rows from (jsonb_to_recordset(${JSON.stringify(asked)}::text::jsonb) as (lot uuid, minutes integer))
      with ordinality as q (lot, minutes, place)
    cross join lateral (select timestamptz '2026-09-16 10:00+09' as entry_at) e
    cross join lateral private.stay_fees(array[q.lot], 'standard', e.entry_at, e.entry_at + make_interval(mins => q.minutes)) f
    order by q.place`;
  const wrong: string[] = [];
  let bounded = 0;
  for (const [n, { amount, at_least, at_most, refusal }] of rows.entries()) {
    const { lot, minutes, amount_minor, is_hidden } = asked[n]!;
    // A list of which every point is hidden has no rules.
    if (is_hidden && refusal === "no_rules") continue;
    const least = Number(amount ?? at_least), most = amount ?? at_most;
    const isWithin = refusal === null || refusal === "only_totals"
      ? least <= amount_minor && (most === null || amount_minor <= Number(most))
      : false;
    if (is_hidden ? !isWithin : Number(amount) !== amount_minor || amount === null) {
      wrong.push(`${lot}: ${minutes} min ${amount_minor}: ${amount ?? `${at_least} to ${at_most} ${refusal}`}`);
    }
    if (is_hidden && refusal === "only_totals" && at_most !== null) bounded++;
  }
  const hidden = asked.filter(({ is_hidden }) => is_hidden).length;
  await sql`delete from public.parking_lots where id = any (${lots})`;
  return { shown: asked.length - hidden, hidden, wrong, bounded };
}
