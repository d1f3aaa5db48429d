// Pushes on a separate platform: devices, a notification to all of them, and consumers that only the test calls.
import postgres from "postgres";
import type { CrashPlatform } from "../support/crash_platform.ts";
import { asSuperuser } from "../support/database.ts";

/**
 * Users, of whom each nth has so many devices: one of a hundred has a token that begins with `dead-`, one with `flaky-`.
 * Unless `isAutomatic`, jobs and commits call no consumers any more: only the test does.
 */
export async function loadDevices(
  { status, sql }: Pick<CrashPlatform, "status" | "sql">,
  users: number,
  { nth = 1, each = 1, isAutomatic = false }: { nth?: number; each?: number; isAutomatic?: boolean } = {},
): Promise<void> {
  if (!isAutomatic) await sql`delete from vault.secrets`;
  const owner = postgres(asSuperuser(status.DB_URL), { max: 1, onnotice: () => {} });
  await owner.begin(async (sql) => {
    await sql`set local session_replication_role = replica`; // rows of users are written past their triggers
    await sql`insert into public.app_users (id) select gen_random_uuid() from generate_series(1, ${users}::integer)`;
    await sql`
      insert into public.user_push_tokens (user_id, fcm_token, device_type)
      select u.id, case n % 100 when 7 then 'dead-' when 8 then 'flaky-' else 'good-' end || n, 'ios'
      from (
        select a.id, row_number() over (order by a.id, d) as n
        from (select id, row_number() over (order by id) as n from public.app_users) a
        cross join generate_series(1, ${each}::integer) as d
        where a.n % ${nth}::integer = 0
      ) u`;
  });
  await owner.end();
}

/** A notification to all users, being sent. */
export async function sendToAll({ sql }: Pick<CrashPlatform, "sql">): Promise<string> {
  return await sql.begin(async (sql) => {
    const [row] = await sql<{ id: string }[]>`
      insert into public.user_notifications (type, title, body, target, is_composed, is_in_app)
      values ('announcement', 'Title', 'Body', 'all', true, false) returning id`;
    await sql`update public.user_notifications set status = 'scheduled', scheduled_at = now() where id = ${row!.id}`;
    await sql`update public.user_notifications set status = 'sending' where id = ${row!.id}`;
    await sql`select private.start_fan_out(${row!.id})`;
    return row!.id;
  });
}

/** Calls consumers and waits until all have ended, with any response. */
export async function consume({ status }: CrashPlatform, consumers: number): Promise<void> {
  await Promise.all(Array.from({ length: consumers }, async () => {
    try {
      const response = await fetch(`${status.FUNCTIONS_URL}/push-dispatch`, {
        method: "POST",
        headers: { authorization: `Bearer ${status.SERVICE_ROLE_KEY}` },
      });
      await response.body?.cancel();
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // the connection broke
    }
  }));
}

/** Where no consumer runs: leases and waits are over, as if the time had passed. */
export async function passTime({ sql }: CrashPlatform): Promise<void> {
  await sql`update pgmq."q_push-dispatch" set vt = now() where vt > now()`;
  await sql`delete from private.push_leases`;
  await sql`update private.outages set paused_until = '-infinity', tried_until = '-infinity'`;
}
