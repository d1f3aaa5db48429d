// Rows that tests of several domains need.
import type { ParameterOrJSON, Sql, TransactionSql } from "postgres";

type Columns = Record<string, ParameterOrJSON<never>>;

/** A lot, active unless the columns say otherwise; its id. */
export async function newLot(sql: Sql | TransactionSql, columns: Columns = {}): Promise<string> {
  const lot = { name: "Lot", address: "1-1", lat: 35.68, lng: 139.76, status: "active", ...columns };
  const [row] = await sql<{ id: string }[]>`insert into public.parking_lots ${sql(lot)} returning id`;
  return row!.id;
}

/** A lot at which every 30 minutes begun cost 200, at any hour. */
export async function pricedLot(sql: Sql | TransactionSql, columns: Columns = {}): Promise<string> {
  const lot = await newLot(sql, columns);
  await sql`
    insert into public.pricing_rules (parking_lot_id, category, rule_order, per_minutes, price_minor)
    values (${lot}, 'time_band', 1, 30, 200)`;
  return lot;
}

/** Moves the start of a session into the past, or with negative minutes into the future. Its lot had its prices then. */
export async function age(sql: Sql | TransactionSql, id: string, minutes: number): Promise<void> {
  await sql`
    with moved as (
      update public.parking_sessions set started_at = date_trunc('second', now()) - ${minutes} * interval '1 minute'
      where id = ${id}
      returning parking_lot_id, started_at
    )
    update private.tariffs t set compiled_at = least(t.compiled_at, m.started_at)
    from moved m where t.parking_lot_id = m.parking_lot_id`;
}

/** An app user as the auth server creates one; the id. */
export async function newUser(sql: Sql | TransactionSql, displayName?: string): Promise<string> {
  const id = crypto.randomUUID();
  const data = displayName === undefined ? {} : { display_name: displayName };
  await sql`
    insert into auth.users (id, email, raw_user_meta_data) values (${id}, ${`${id}@example.test`}, ${sql.json(data)})`;
  return id;
}

/** Makes users whose votes on field values count: confirmed for longer than private.vote_delay. */
export async function makeVoters(sql: Sql | TransactionSql, ids: readonly string[]): Promise<void> {
  await sql`
    update auth.users set email_confirmed_at = now() - private.vote_delay() - interval '1 minute'
    where id = any (${ids as string[]})`;
}

/** Does what a job of the database does each time. */
export async function runJob(sql: Sql | TransactionSql, name: string): Promise<void> {
  const [job] = await sql<{ command: string }[]>`select command from cron.job where jobname = ${name} and active`;
  if (job === undefined) throw new Error(`There is no job ${name}`);
  await sql.unsafe(job.command);
}

/** Deletes what is kept for a time, as the job does it, now. */
export async function purge(sql: Sql | TransactionSql): Promise<void> {
  await sql`update private.retentions set done_at = '-infinity'`;
  for (let more = true; more;) {
    [{ more }] = await sql`select private.next_purge_batch() as more` as unknown as [{ more: boolean }];
  }
}

/** Recalculates the level of all users, as the service starts it and the job completes it; returns how many sums or levels differed. */
export async function recalculateLevels(sql: Sql): Promise<number> {
  await sql`select api.recalculate_all_user_levels()`;
  for (;;) {
    await sql`select private.next_level_batch()`;
    // A job that runs at the same time may hold the row: then there is no batch for us, and it is not finished.
    const [job] = await sql<{ changed: number; is_finished: boolean }[]>`
      select changed_users as changed, finished_at is not null as is_finished from private.level_recalculation`;
    if (job!.is_finished) return job!.changed;
  }
}

/** A signed-in caller, for `database().as`. */
export function signedIn(sub: string): { role: "authenticated"; sub: string } {
  return { role: "authenticated", sub };
}
