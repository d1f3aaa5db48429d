// Rows that tests of several domains begin with.
import type { ParameterOrJSON, Sql, TransactionSql } from "postgres";

type Columns = Record<string, ParameterOrJSON<never>>;

/** A lot, active unless the columns say otherwise; its id. */
export async function newLot(sql: Sql | TransactionSql, columns: Columns = {}): Promise<string> {
  const lot = { name: "Lot", address: "1-1", lat: 35.68, lng: 139.76, status: "active", ...columns };
  const [row] = await sql<{ id: string }[]>`insert into public.parking_lots ${sql(lot)} returning id`;
  return row!.id;
}

/** An app user as the auth server creates one; the id. */
export async function newUser(sql: Sql | TransactionSql, displayName?: string): Promise<string> {
  const id = crypto.randomUUID();
  const data = displayName === undefined ? {} : { display_name: displayName };
  await sql`
    insert into auth.users (id, email, raw_user_meta_data) values (${id}, ${`${id}@example.test`}, ${sql.json(data)})`;
  return id;
}

/** Makes people somebody whose votes on field values count: confirmed for longer than private.vote_delay. */
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

/** A signed-in caller, for `database().as`. */
export function signedIn(sub: string): { role: "authenticated"; sub: string } {
  return { role: "authenticated", sub };
}
