// Sessions for tests: made by the functions of the interface, and aged by SQL where time must have passed.
import type { Sql } from "postgres";
import type { TestDatabase } from "../../support/database.ts";
import { age, newUser, pricedLot, signedIn } from "../../support/rows.ts";

export { age, pricedLot };

export interface Session {
  readonly id: string;
  readonly user_id: string | null;
  readonly parking_lot_id: string;
  readonly parking_lot_name: string;
  readonly status: string;
  readonly vehicle_type: string | null;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly total_amount_minor: number | null;
  readonly currency: string | null;
  readonly memo: string | null;
  readonly personal_rating: string | null;
  readonly start_lat: number | null;
  readonly start_lng: number | null;
}

export interface Finalized {
  readonly session_id: string;
  readonly total_amount: number | null;
  readonly currency: string;
  readonly breakdown: {
    readonly lines?: { amount: number }[];
    readonly notes?: string[];
    readonly refusal?: { reason: string };
  };
}

type Argument = string | number | null;

/** Calls a function of the interface as a user, arguments by name. */
export async function callAs<Reply>(
  db: TestDatabase,
  user: string,
  name: string,
  args: Record<string, Argument> = {},
): Promise<Reply> {
  const named = Object.keys(args).map((key, n) => `p_${key} => $${n + 1}`).join(", ");
  const [{ schema } = { schema: "api" }] = await db.sql<{ schema: string }[]>`
    select case when private.is_command(${name}) then 'commands' else 'api' end as schema`;
  const [row] = await db.as(
    signedIn(user),
    (sql) => sql.unsafe<{ reply: Reply }[]>(`select ${schema}.${name}(${named}) as reply`, Object.values(args)),
  );
  return row!.reply;
}

/** Starts a session of `user` at `lot`; its id. */
export async function start(
  db: TestDatabase,
  user: string,
  lot: string,
  args: Record<string, Argument> = {},
): Promise<string> {
  const reply = await callAs<{ session_id: string }>(db, user, "start_parking_session", {
    parking_lot_id: lot,
    ...args,
  });
  return reply.session_id;
}

/** A user with a session that began so many minutes ago (negative: in the future) at a lot with a price. */
export async function parked(db: TestDatabase, minutes = 0): Promise<{ user: string; lot: string; id: string }> {
  const [user, lot] = [await newUser(db.sql), await pricedLot(db.sql)];
  const id = await start(db, user, lot);
  if (minutes !== 0) await age(db.sql, id, minutes);
  return { user, lot, id };
}

/** Has the job that reminds look at these running sessions, and at no other. */
export async function lookAt(sql: Sql, ...ids: string[]): Promise<void> {
  await makeDue(sql, ...ids);
  await remind(sql);
}

/** Makes these running sessions, and no other, due for the job. It writes every row, so no job may run meanwhile. */
export async function makeDue(sql: Sql, ...ids: string[]): Promise<void> {
  await sql`
    update private.session_reminders set look_at = now() + case when session_id = any (${ids}::uuid[])
      then interval '0' else interval '1 hour' end`;
}

/** Runs the job until nothing is due. */
export async function remind(sql: Sql): Promise<void> {
  for (let n = 0; n < 10; n++) {
    const [row] = await sql<{ looked: boolean }[]>`select private.next_reminder_batch() as looked`;
    if (!row!.looked) return;
  }
  throw new Error("the job finds no end");
}

export async function activityOf(sql: Sql, session: string): Promise<string[]> {
  const rows = await sql<{ activity_type: string }[]>`
    select activity_type from public.user_activity_logs where subject_id = ${session} order by created_at, id`;
  return rows.map(({ activity_type }) => activity_type);
}

/** So many minutes from now, as a client writes it. */
export function inMinutes(minutes: number): string {
  return new Date(Date.now() + minutes * 60_000).toISOString();
}
