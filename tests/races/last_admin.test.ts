// Administrators who take the area admins away from each other at the same moment: one of them keeps it.
import assert from "node:assert/strict";
import postgres from "postgres";
import { database } from "../support/database.ts";

const db = await database();
const service = postgres(db.url, { max: 2, onnotice: () => {} });
Deno.test.afterAll(async () => {
  await service.end({ timeout: 1 });
  await db.close();
});

const ROUNDS = 50;

async function aHolder(): Promise<string> {
  const id = crypto.randomUUID();
  await db.sql`
    insert into auth.users (id, email, raw_app_meta_data)
    values (${id}, ${`${id}@example.test`}, '{"admin": {"name": "Holder", "areas": ["admins"], "status": "active"}}')`;
  return id;
}

/** Runs a function of the console as the service; the scope that was missing, or undefined when it was carried out. */
async function missing(statement: string, args: string[]): Promise<string | undefined> {
  try {
    await service.begin(async (sql) => {
      await sql`set local role service_role`;
      await sql.unsafe(`select ${statement}`, args);
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof postgres.PostgresError) || error.code !== "PGRST") throw error;
    return JSON.parse(JSON.parse(error.message).details).details.scope;
  }
}

const WAYS = {
  "takes the area away from": ["api.admin_update_admin($1, $2, '{\"areas\": []}')", "admin:admins"],
  suspends: ["api.admin_suspend_admin($1, $2, 'Race')", "admin"],
} as const;

for (const [way, [statement, scope]] of Object.entries(WAYS)) {
  Deno.test(`admins: of two who each ${way} the other exactly one is carried out, ${ROUNDS} times, without waiting in a circle`, async () => {
    await db.sql`update public.admins set areas = '{}'`;
    for (let n = 0; n < ROUNDS; n++) {
      const [one, other] = [await aHolder(), await aHolder()];
      const outcomes = await Promise.all([
        missing(statement, [one, other]),
        missing(statement, [other, one]),
      ]);
      assert.deepEqual(outcomes.toSorted(), [scope, undefined]);
      const holders = await db.sql<{ id: string }[]>`
        select id from public.admins where status = 'active' and 'admins' = any (areas)`;
      assert.deepEqual(holders.map(({ id }) => id), [outcomes[0] === undefined ? one : other]);
      const [agreed] = await db.sql<{ logs: number; differ: number }[]>`
        select (select count(*) from public.admin_activity_logs where target_id in (${one}, ${other}))::integer as logs,
          count(*)::integer as differ
        from public.admins a join auth.users u on u.id = a.id
        where u.raw_app_meta_data -> 'admin' <> jsonb_build_object('name', a.name, 'areas', a.areas, 'status', a.status)`;
      assert.deepEqual({ ...agreed }, { logs: 1, differ: 0 });
      await db.sql`update public.admins set areas = '{}' where areas <> '{}'`;
    }
  });
}
