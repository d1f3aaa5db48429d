// Lots with prices, stored and priced by the hundred.
import assert from "node:assert/strict";
import type { Sql, TransactionSql } from "postgres";
import type { Rule } from "../../oracles/fees.ts";
import type { OverrideHours, Window } from "../../oracles/hours.ts";

export interface PricedLot {
  readonly time_zone?: string;
  readonly rules?: readonly Partial<Rule>[];
  readonly date_overrides?: readonly {
    override_date: string;
    pricing: readonly object[] | null;
    hours?: OverrideHours | null;
  }[];
  readonly price_fixed_at_entry?: boolean;
  /** Of the default group, which the lot then has. */
  readonly free_while_closed?: boolean;
  readonly windows?: readonly Window[];
}

export interface Line {
  readonly kind: string;
  readonly rule_id: string | null;
  readonly override_date: string | null;
  readonly from: string;
  readonly to: string;
  readonly units?: number;
  readonly unit_minutes?: number | null;
  readonly unit_price?: number;
  readonly amount: number;
}

export interface CapWindow {
  readonly rule_id: string | null;
  readonly cap_type: string;
  readonly from: string;
  readonly to: string;
  readonly cap: number;
  readonly charged: number;
  readonly reached_at: string | null;
}

export interface Surprise {
  readonly kind: string;
  readonly at: string;
  readonly amount_minor: number;
  readonly message: { readonly ja: string; readonly en: string };
  readonly message_key: string;
  readonly leave_by: string | null;
  readonly saves: number | null;
}

export interface FeeAnswer {
  readonly total_amount?: number;
  readonly currency?: string;
  readonly breakdown?: {
    readonly time_zone: string;
    readonly vehicle_type: string;
    readonly lines: readonly Line[];
    readonly caps: readonly CapWindow[];
    readonly not_applied: readonly { rule_id: string; reason: string }[];
    readonly notes: readonly string[];
  };
  readonly surprises?: readonly Surprise[];
  readonly refusal?: {
    readonly code: string;
    readonly reason: string;
    readonly from?: string;
    readonly until?: string;
    readonly at_least?: number;
    readonly at_most?: number;
    readonly currency?: string;
  };
}

export interface Question {
  readonly lot: string;
  readonly entry_at: string;
  readonly exit_at: string;
  readonly vehicle_type?: string;
}

/** Writes active lots and gives their ids, in order. */
export async function seedLots(sql: Sql | TransactionSql, lots: readonly PricedLot[]): Promise<string[]> {
  const ids = lots.map(() => crypto.randomUUID() as string);
  const hung = <Row>(of: (lot: PricedLot) => readonly Row[] | undefined) =>
    JSON.stringify(lots.flatMap((lot, n) => (of(lot) ?? []).map((row) => ({ ...row, parking_lot_id: ids[n] }))));
  await sql`
    insert into public.parking_lots (id, name, lat, lng, status, time_zone, price_fixed_at_entry)
    select l.id, 'Fees', 35, 139, 'active', coalesce(l.time_zone, 'Asia/Tokyo'), coalesce(l.price_fixed_at_entry, false)
    from jsonb_to_recordset(${
    JSON.stringify(
      lots.map(({ time_zone, price_fixed_at_entry }, n) => ({ id: ids[n], time_zone, price_fixed_at_entry })),
    )
  }::text::jsonb) as l (id uuid, time_zone text, price_fixed_at_entry boolean)`;
  const free = ids.filter((_, n) => lots[n]!.free_while_closed);
  if (free.length > 0) {
    await sql`
      insert into public.pricing_groups (parking_lot_id, code, name, is_default, free_while_closed)
      select id, 'default', 'Default', true, true from unnest(${free}::uuid[]) as id`;
  }
  await sql`
    insert into public.parking_lot_windows (
      parking_lot_id, window_type, day_type, day_of_week, is_24h, is_closed, open_time, close_time, effective_from, effective_to
    )
    select w.parking_lot_id, w.window_type, w.day_type, w.day_of_week, w.is_24h, w.is_closed, w.open_time, w.close_time,
      w.effective_from, w.effective_to
    from jsonb_populate_recordset(null::public.parking_lot_windows, ${hung(({ windows }) => windows)}::text::jsonb) w`;
  await sql`
    insert into public.pricing_rules (
      id, parking_lot_id, pricing_group_id, category, rule_order, time_start, time_end, day_type, per_minutes,
      price_minor, cap_type, cap_duration_hours, cap_price_minor, cap_repeat, effective_from, effective_to, max_units
    )
    select coalesce(r.id, gen_random_uuid()), r.parking_lot_id, r.pricing_group_id, r.category, coalesce(r.rule_order, 0),
      r.time_start, r.time_end, r.day_type, r.per_minutes, r.price_minor, r.cap_type, r.cap_duration_hours,
      r.cap_price_minor, r.cap_repeat, r.effective_from, r.effective_to, r.max_units
    from jsonb_populate_recordset(null::public.pricing_rules, ${hung(({ rules }) => rules)}::text::jsonb) r`;
  await sql`
    insert into public.parking_lot_date_overrides (parking_lot_id, override_date, pricing, hours)
    select o.parking_lot_id, o.override_date, nullif(o.pricing, 'null'), nullif(o.hours, 'null')
    from jsonb_to_recordset(${hung(({ date_overrides }) => date_overrides)}::text::jsonb)
      as o (parking_lot_id uuid, override_date date, pricing jsonb, hours jsonb)`;
  return ids;
}

/** private.fee_answer for each question. */
export async function answers(sql: Sql | TransactionSql, questions: readonly Question[]): Promise<FeeAnswer[]> {
  const rows = await sql<{ answer: FeeAnswer }[]>`
    select private.fee_answer(q.lot, coalesce(q.vehicle_type, 'standard'), q.entry_at, q.exit_at) as answer
    from rows from (jsonb_to_recordset(${JSON.stringify(questions)}::text::jsonb)
      as (lot uuid, entry_at timestamptz, exit_at timestamptz, vehicle_type text)) with ordinality
      as q (lot, entry_at, exit_at, vehicle_type, place)
    order by q.place`;
  return rows.map(({ answer }) => answer);
}

/** private.stay_fees for each question: the amount, or why it is not known. */
export async function stayFees(
  sql: Sql | TransactionSql,
  questions: readonly Question[],
): Promise<(number | string)[]> {
  const rows = await sql<{ amount: string | null; refusal: string | null }[]>`
    select f.amount, f.refusal
    from rows from (jsonb_to_recordset(${JSON.stringify(questions)}::text::jsonb)
      as (lot uuid, entry_at timestamptz, exit_at timestamptz, vehicle_type text)) with ordinality
      as q (lot, entry_at, exit_at, vehicle_type, place)
    cross join lateral private.stay_fees(array[q.lot], coalesce(q.vehicle_type, 'standard'), q.entry_at, q.exit_at) f
    order by q.place`;
  return rows.map(({ amount, refusal: error }) => error ?? Number(amount));
}

/** What an answer comes to: the amount, or why it is not known. */
export function outcomeOf({ total_amount, refusal: error }: FeeAnswer): number | string {
  return error?.reason ?? total_amount!;
}

/** Replaces a part of a private function, which it has once. */
export async function replaceIn(sql: TransactionSql, name: string, from: string, to: string): Promise<void> {
  const [row] = await sql<{ definition: string }[]>`
    select pg_get_functiondef(p.oid) as definition from pg_proc p
    where p.pronamespace = 'private'::regnamespace and p.proname = ${name}`;
  const { definition } = row!;
  assert.equal(definition.split(from).length, 2, `${name} has ${from} once`);
  await sql.unsafe(definition.replace(from, () => to));
}
