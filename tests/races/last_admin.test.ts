// Administrators who take the area admins away from each other, or withdraw, at the same moment: one of them keeps it.
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

/** A holder who has an app account as well, with a telephone number: withdrawals lock the auth users that have one. */
async function anAppUser(): Promise<string> {
  const id = crypto.randomUUID();
  await db.sql`
    insert into auth.users (id, email, phone) values (${id}, ${`${id}@example.test`}, ${
    id.replaceAll("-", "").slice(0, 15)
  })`;
  await db.sql`
    update auth.users set raw_app_meta_data = '{"admin": {"name": "Holder", "areas": ["admins"], "status": "active"}}'
    where id = ${id}`;
  return id;
}

/** Runs a function as a role; the scope that was missing or the reason of the error, undefined when it was carried out. */
async function rejection(claims: { role: string; sub?: string }, statement: string, args: string[]) {
  try {
    await service.begin(async (sql) => {
      await sql`select set_config('role', ${claims.role}, true), set_config('request.jwt.claims', ${
        JSON.stringify(claims)
      }, true)`;
      await sql.unsafe(`select ${statement}`, args);
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof postgres.PostgresError) || error.code !== "PGRST") throw error;
    const { scope, reason } = JSON.parse(JSON.parse(error.message).details).details;
    return (scope ?? reason) as string;
  }
}

const missing = (statement: string, args: string[]) => rejection({ role: "service_role" }, statement, args);
const withdraw = (sub: string) => rejection({ role: "authenticated", sub }, "commands.withdraw_my_account()", []);

async function holders(): Promise<string[]> {
  const rows = await db.sql<{ id: string }[]>`
    select id from public.admins where status = 'active' and 'admins' = any (areas)`;
  return rows.map(({ id }) => id);
}

const WAYS = {
  "takes the area away from": ["api.admin_update_admin($1, $2, '{\"areas\": []}')", "admin:admins"],
  suspends: ["api.admin_suspend_admin($1, $2, 'Race')", "admin"],
} as const;

for (const [way, [statement, scope]] of Object.entries(WAYS)) {
  Deno.test(`admins: of two who each ${way} the other exactly one is carried out, ${ROUNDS} times, without a deadlock`, async () => {
    await db.sql`update public.admins set areas = '{}'`;
    for (let n = 0; n < ROUNDS; n++) {
      const [one, other] = [await aHolder(), await aHolder()];
      const outcomes = await Promise.all([
        missing(statement, [one, other]),
        missing(statement, [other, one]),
      ]);
      assert.deepEqual(outcomes.toSorted(), [scope, undefined]);
      assert.deepEqual(await holders(), [outcomes[0] === undefined ? one : other]);
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

Deno.test(`POST /v1/me/withdraw: of the two last holders of admins exactly one withdraws, ${ROUNDS} times`, async () => {
  await db.sql`update public.admins set areas = '{}'`;
  for (let n = 0; n < ROUNDS; n++) {
    const pair = [await anAppUser(), await anAppUser()] as const;
    const outcomes = await Promise.all(pair.map(withdraw));
    assert.deepEqual(outcomes.toSorted(), ["last_administrator", undefined]);
    assert.deepEqual(await holders(), [pair[outcomes[0] === undefined ? 1 : 0]]);
    await db.sql`update public.admins set areas = '{}' where areas <> '{}'`;
  }
});

for (const [way, [statement]] of Object.entries(WAYS)) {
  Deno.test(`POST /v1/me/withdraw: a holder of admins who at once ${way} the other holder does one of the two, ${ROUNDS} times`, async () => {
    await db.sql`update public.admins set areas = '{}'`;
    for (let n = 0; n < ROUNDS; n++) {
      const [one, other] = [await anAppUser(), await anAppUser()];
      const start = [() => withdraw(one), () => missing(statement, [one, other])];
      const outcomes = n % 2 === 0
        ? await Promise.all(start.map((run) => run()))
        : (await Promise.all(start.toReversed().map((run) => run()))).toReversed();
      // Who has withdrawn is no active administrator.
      assert.ok(
        outcomes[0] === undefined ? outcomes[1] === "admin" : outcomes[0] === "last_administrator" && !outcomes[1],
        String(outcomes),
      );
      assert.deepEqual(await holders(), [outcomes[0] === undefined ? other : one]);
      await db.sql`update public.admins set areas = '{}' where areas <> '{}'`;
    }
  });

  Deno.test(`POST /v1/me/withdraw: a holder of admins withdraws while another ${way} them, ${ROUNDS} times, without a deadlock`, async () => {
    await db.sql`update public.admins set areas = '{}'`;
    for (let n = 0; n < ROUNDS; n++) {
      const [leaving, other] = [await anAppUser(), await aHolder()];
      assert.equal((await Promise.all([withdraw(leaving), missing(statement, [other, leaving])]))[0], undefined);
      assert.deepEqual(await holders(), [other]);
      const [left] = await db.sql<{ status: string; admin: unknown }[]>`
        select a.status, u.raw_app_meta_data -> 'admin' as admin
        from public.app_users a join auth.users u on u.id = a.id where a.id = ${leaving}`;
      assert.deepEqual({ ...left }, { status: "withdrawn", admin: null });
      await db.sql`update public.admins set areas = '{}' where areas <> '{}'`;
    }
  });
}
