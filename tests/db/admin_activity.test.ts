// The log of administrators' acts: only the owner of the table changes it, and the values leave it with the
// app user whom they are about.
import assert from "node:assert/strict";
import type { TransactionSql } from "postgres";
import { type Caller, database } from "../support/database.ts";
import { errorOf, sqlstate } from "../support/database_errors.ts";
import { newUser } from "../support/rows.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

const AREAS = "lots,notifications,reviews,search_presets,store_sync,support,users,rewards,content,admins".split(",");

async function newAdministrator(...areas: string[]): Promise<string> {
  const id = crypto.randomUUID();
  await db.sql`
    insert into auth.users (id, email, raw_app_meta_data)
    values (${id}, ${`${id}@example.test`}, ${db.sql.json({ admin: { name: "Administrator", areas } })})`;
  return id;
}

const administrator = await newAdministrator(...AREAS);
const user = await newUser(db.sql);

interface Act {
  readonly action?: string;
  readonly user?: string | null;
  readonly changes?: Record<string, unknown>;
}

async function record(sql: TransactionSql, { action, user: about, changes }: Act = {}): Promise<void> {
  await sql`
    select private.record_act(${administrator}, ${action ?? "user.update_search_preset"}, 'search_preset', 'target',
      ${about === undefined ? user : about}, ${sql.json((changes ?? {}) as never)})`;
}

await db.sql.begin((sql) => record(sql, { changes: { name: { old: "Home", new: "Work" } } }));

const rows = () => db.sql`select l.*, l.xmin::text as version from public.admin_activity_logs l order by l.id`;

/** Who is not the owner, with every right that they have elsewhere. */
const CALLERS: Record<string, Caller> = {
  anon: { role: "anon" },
  "an app user": { role: "authenticated", sub: user },
  "an administrator of all areas": { role: "authenticated", sub: administrator },
  "the service": { role: "service_role" },
};

const TABLE = "public.admin_activity_logs";

/** What would change the record, or take away what protects it. */
const ATTEMPTS = [
  `update ${TABLE} set changes = '{}'`,
  `update ${TABLE} set admin_id = user_id where false`,
  `delete from ${TABLE}`,
  `delete from ${TABLE} where false`,
  `truncate ${TABLE}`,
  `insert into ${TABLE} (admin_id, action, target_type) values (gen_random_uuid(), 'user.view_search_presets', 'app_user')`,
  `insert into ${TABLE} select * from ${TABLE} on conflict (id) do update set changes = '{}'`,
  `merge into ${TABLE} l using (values (1)) v on true when matched then delete`,
  `with gone as (delete from ${TABLE} returning *) select * from gone`,
  `copy ${TABLE} (admin_id, action, target_type) from program 'true'`,
  `copy ${TABLE} (admin_id, action, target_type) from stdin`,
  `alter table ${TABLE} disable trigger all`,
  `alter table ${TABLE} disable row level security`,
  `alter table ${TABLE} drop column changes`,
  `alter table ${TABLE} rename to forgotten`,
  `alter table ${TABLE} owner to current_user`,
  `alter table ${TABLE} inherit public.codes`,
  `drop table ${TABLE}`,
  `create trigger forget before insert on ${TABLE} for each row execute function suppress_redundant_updates_trigger()`,
  `create rule forget as on insert to ${TABLE} do instead nothing`,
  `create policy "Anybody writes" on ${TABLE} for update using (true)`,
  `create index on ${TABLE} ((1 / 0))`,
  `create or replace function private.record_act(uuid, text, text, text, uuid, jsonb) returns void language sql as ''`,
  `alter function private.record_act(uuid, text, text, text, uuid, jsonb) security invoker`,
  `alter table public.app_users disable trigger _300_clear_act_values`,
  `set session_replication_role = replica`,
];

for (const [name, caller] of Object.entries(CALLERS)) {
  Deno.test(`admin_activity_logs: ${name} cannot change, add or delete a row, nor disable its protection`, async () => {
    const before = await rows();
    for (const attempt of ATTEMPTS) {
      const state = await sqlstate(db.as(caller, async (sql) => await sql.unsafe(attempt)));
      assert.equal(state, "42501", attempt);
    }
    assert.deepEqual(await rows(), before);
  });
}

Deno.test("admin_activity_logs: the owner may do what clients may not", async () => {
  const undo = new Error("undo");
  const attempt = db.sql.begin(async (sql) => {
    const { count } = await sql`delete from public.admin_activity_logs`;
    assert.ok(count > 0);
    throw undo;
  });
  await assert.rejects(attempt, undo);
});

Deno.test("admin_activity_logs: clients cannot call the function that writes it; the service can, with a known action only", async () => {
  const call = (sql: TransactionSql) => record(sql, { user: null });
  for (const name of ["anon", "an app user", "an administrator of all areas"]) {
    assert.equal(await sqlstate(db.as(CALLERS[name]!, call)), "42501", name);
  }
  const known = await db.sql`select count(*) from public.admin_activity_logs`;
  await db.as(CALLERS["the service"]!, call);
  assert.equal(
    await sqlstate(db.as(CALLERS["the service"]!, (sql) => record(sql, { action: "review.praise" }))),
    "P0001",
  );
  const [{ more }] = await db.sql`
    select count(*) - ${known[0]!["count"]} as more from public.admin_activity_logs` as unknown as [{ more: string }];
  assert.equal(more, "1");
});

Deno.test("admin_activity_logs: an act that is rolled back or fails later has no row", async () => {
  const before = await rows();
  const failing = db.as(CALLERS["the service"]!, async (sql) => {
    await record(sql);
    await sql`select private.raise_error('conflict', 409, 'Too late')`;
  });
  assert.equal((await errorOf(failing)).code, "conflict");
  assert.deepEqual(await rows(), before);
});

Deno.test("admin_activity_logs: active administrators read the rows of their areas; suspended ones, app users and anonymous clients none", async () => {
  const suspended = await newAdministrator("users");
  await db.sql`
    update auth.users set raw_app_meta_data = '{"admin": {"areas": ["users"], "status": "suspended"}}' where id = ${suspended}`;
  const seen = (caller: Caller) => db.as(caller, (sql) => sql`select id from public.admin_activity_logs`);
  const all = (await rows()).length;
  assert.equal((await seen({ role: "authenticated", sub: administrator })).length, all);
  assert.equal((await seen({ role: "authenticated", sub: await newAdministrator() })).length, 0);
  assert.equal((await seen({ role: "authenticated", sub: suspended })).length, 0);
  assert.equal((await seen({ role: "authenticated", sub: user })).length, 0);
  assert.equal(await sqlstate(seen({ role: "anon" })), "42501");
});

Deno.test("admin_activity_logs: a withdrawal deletes the values of the acts about that user; the acts, their fields and other acts stay", async () => {
  const [leaving, staying] = [await newUser(db.sql, "Taro"), await newUser(db.sql, "Hanako")];
  const changes = {
    display_name: { old: "Taro", new: "Jiro" },
    reason: "Called from 090-1234-5678",
    tags: ["a", "b"],
    premium: null,
  };
  await db.sql.begin(async (sql) => {
    await record(sql, { user: leaving, changes });
    await record(sql, { user: leaving });
    await record(sql, { user: staying, changes });
    await record(sql, { user: null, changes });
  });
  const recorded = () =>
    db.sql<{ id: string; user_id: string | null; changes: unknown }[]>`
      select id, admin_id, action, target_type, target_id, user_id, changes, created_at from public.admin_activity_logs
      where user_id in (${leaving}, ${staying}) or user_id is null order by id`;
  const before = await recorded();
  await db.as({ role: "authenticated", sub: leaving }, (sql) => sql`select commands.withdraw_my_account()`);
  const emptied = { display_name: null, reason: null, tags: null, premium: null };
  const expected = before.map((row) => {
    if (row.user_id !== leaving) return row;
    return { ...row, changes: Object.keys(row.changes as object).length > 0 ? emptied : {} };
  });
  assert.equal(expected.filter(({ user_id }) => user_id === leaving).length, 2);
  assert.deepEqual((await recorded()).map((row) => ({ ...row })), expected.map((row) => ({ ...row })));
});

Deno.test("difference: names the fields whose values differ, old and new, and nothing else", async () => {
  const difference = async (before: unknown, after: unknown) => {
    const [row] = await db.sql<{ found: unknown }[]>`
      select private.difference(${db.sql.json(before as never)}, ${db.sql.json(after as never)}) as found`;
    return row!.found;
  };
  const row = { id: 1, name: "a", tags: [1, 2], shape: { x: 1 }, note: null, updated_at: "then", created_at: "then" };
  assert.deepEqual(await difference(row, { ...row, updated_at: "now" }), {});
  assert.deepEqual(await difference(row, { ...row, name: "b", tags: [2, 1], shape: { x: 1 }, note: "n" }), {
    name: { old: "a", new: "b" },
    tags: { old: [1, 2], new: [2, 1] },
    note: { old: null, new: "n" },
  });
  const { note: _, ...withoutNote } = row;
  assert.deepEqual(await difference(row, withoutNote), {}, "an absent field is null");
  assert.deepEqual(await difference({ name: "a" }, { name: null }), { name: { old: "a", new: null } });
});
