// What the end of an account costs: its work grows with the rows of a person, its statements do not.
import assert from "node:assert/strict";
import postgres, { type Sql } from "postgres";
import { PASSWORD, SUPERUSER } from "../../local/postgres/server.ts";
import { database } from "../support/database.ts";
import { refusal } from "../support/refusal.ts";
import { newUser, signedIn } from "../support/rows.ts";

const db = await database();
const address = new URL(db.url);
address.username = SUPERUSER;
address.password = PASSWORD;
/** Only a superuser has Postgres count the calls of functions. */
const superuser = postgres(address.href, { max: 1, onnotice: () => {} });
Deno.test.afterAll(async () => {
  await superuser.end();
  await db.close();
});

/** Called for each row, and cheap: they read no table, but set or compute columns of the row itself. */
const ONCE_A_ROW = new Set([
  "tg_touch_updated_at",
  "tg_parking_sessions__forget_person",
  "tg_error_reports__forget_words",
  "tg_assets__leave_with_uploader",
  "field_value_state",
  "field_value_rank",
]);

/** A user with so many lots, and at each a review, a stay with a photo, a rating, a vote, and reports. */
async function busyUser(sql: Sql, rows: number): Promise<string> {
  const user = crypto.randomUUID();
  await sql`insert into auth.users (id, email, email_confirmed_at) values (${user}, ${`${user}@example.test`}, now())`;
  // What triggers do when rows are written is not what is measured.
  await sql`set session_replication_role = replica`;
  await sql`
    with lot as (
      insert into public.parking_lots (name, address, lat, lng, status)
      select 'Lot', '1-1', 35 + n * 0.001, 139, 'active' from generate_series(1, ${rows}::integer) as n returning id
    ), review as (
      insert into public.reviews (parking_lot_id, user_id, rating, status)
      select id, ${user}::uuid, 3, case row_number() over () % 2 when 0 then 'approved' else 'pending' end from lot
    ), rating as (
      insert into public.parking_lot_ratings (user_id, parking_lot_id, value) select ${user}::uuid, id, 'good' from lot
    ), saved as (
      insert into public.saved_parking_lots (user_id, parking_lot_id) select ${user}::uuid, id from lot
    ), activity as (
      insert into public.user_activity_logs (user_id, activity_type, parking_lot_id) select ${user}::uuid, 'session_end', id from lot
    ), report as (
      insert into public.error_reports (user_id, parking_lot_id, parking_lot_name, report_type, description)
      select ${user}::uuid, id, 'Lot', 'price', 'Wrong' from lot
    ), occupancy as (
      insert into public.occupancy_reports (parking_lot_id, source, user_id, state) select id, 'driver', ${user}::uuid, 'crowded' from lot
    ), ticket as (
      insert into public.support_tickets (user_id, category, subject) select ${user}::uuid, 'other', 'Question' from lot
    ), field as (
      insert into public.field_values (parking_lot_id, field_name, value, state, confirm_count)
      select id, 'total_spaces', '40', 'confirmed', 3 from lot returning id
    ), vote as (
      insert into public.field_value_votes (field_value_id, user_id, vote) select id, ${user}::uuid, 'confirm' from field
    ), stay as (
      insert into public.parking_sessions (user_id, parking_lot_id, status, started_at)
      select ${user}::uuid, id, 'cancelled', now() - interval '1 day' from lot returning id
    ), photo as (
      insert into public.assets (storage_key, content_type, category, is_public, entity_type, entity_id, created_by, created_at)
      select 'private/' || id, 'image/jpeg', 'session_photo', false, 'parking_session', id, ${user}::uuid, now() - interval '1 day'
      from stay returning id, entity_id, storage_key
    )
    insert into public.parking_session_photos (session_id, phase, slot, asset_id, storage_key)
    select entity_id, 'during', 1, id, storage_key from photo`;
  await sql`reset session_replication_role`;
  return user;
}

/** How often a question, asked by a user, calls each function. */
async function callsOf(user: string, question: string): Promise<Map<string, number>> {
  const calls = new Map<string, number>();
  await superuser.begin(async (sql) => {
    // What earlier transactions called is counted until Postgres has passed it on.
    const count = async (sign: 1 | -1) => {
      const rows = await sql<{ name: string; calls: number }[]>`
        select funcname as name, sum(calls)::integer as calls from pg_stat_xact_user_functions group by funcname`;
      for (const row of rows) calls.set(row.name, (calls.get(row.name) ?? 0) + sign * row.calls);
    };
    await sql`set local track_functions = 'all'`;
    await count(-1);
    await sql`
      select set_config('role', 'authenticated', true),
        set_config('request.jwt.claims', ${JSON.stringify({ role: "authenticated", sub: user })}, true)`;
    await sql.unsafe(`select ${question}::text`);
    await sql`reset role`;
    await count(1);
  });
  return calls;
}

for (const question of ["commands.withdraw_my_account()", "api.export_my_data()"]) {
  Deno.test(`${question}: no function is called once a row, but those that compute the row itself`, async () => {
    await callsOf(await busyUser(superuser, 5), question); // Functions that are run for the first time load others.
    const few = await callsOf(await busyUser(superuser, 10), question);
    const many = await callsOf(await busyUser(superuser, 30), question);
    assert.ok(many.size > 10, [...many.keys()].join());
    const growing = [...many].filter(([name, calls]) => calls !== few.get(name) && !ONCE_A_ROW.has(name));
    assert.deepEqual(growing, []);
  });
}

Deno.test("commands.withdraw_my_account: the files of stays and unpublished reviews go, in whatever number, and their objects are queued once", async () => {
  const user = await busyUser(superuser, 20);
  const count = async () => {
    const [row] = await db.sql<{ objects: number; photos: number; reviews: number; named: number }[]>`
      select (select count(*)::integer from pgmq.q_object_deletion) as objects,
        (select count(*)::integer from public.parking_session_photos) as photos,
        (select count(*)::integer from public.reviews where status <> 'approved') as reviews,
        (select count(*)::integer from public.assets where created_by = ${user}) as named`;
    return row!;
  };
  const before = await count();
  await db.as({ role: "authenticated", sub: user }, (sql) => sql`select commands.withdraw_my_account()`);
  const after = await count();
  assert.deepEqual(
    { ...after },
    { objects: before.objects + 20, photos: before.photos - 20, reviews: before.reviews - 10, named: 0 },
  );
});

Deno.test("commands.withdraw_my_account: the only active administrator with the area admins is conflict, any other withdraws", async () => {
  const anAdministrator = async (areas: string[], status = "active") => {
    const id = await newUser(db.sql);
    const admin = { name: "Both", areas, status };
    await db.sql`update auth.users set raw_app_meta_data = ${db.sql.json({ admin })} where id = ${id}`;
    return id;
  };
  const withdraw = (sub: string) => db.as(signedIn(sub), (sql) => sql`select commands.withdraw_my_account()`);
  const last = await anAdministrator(["admins", "lots"]);
  await anAdministrator(["admins"], "suspended");
  await anAdministrator(["lots"]);
  const { code, status, details } = await refusal(withdraw(last));
  assert.deepEqual([code, status, details], ["conflict", 409, { reason: "last_administrator" }]);
  const [row] = await db.sql`
    select u.status, a.areas, v.raw_app_meta_data -> 'admin' -> 'areas' as metadata
    from public.app_users u join public.admins a using (id) join auth.users v using (id) where id = ${last}`;
  const areas = ["admins", "lots"];
  assert.deepEqual([row!["status"], row!["areas"], row!["metadata"]], ["active", areas, areas]);
  // Who is refused anyway is refused for that.
  await db.sql`update public.app_users set status = 'suspended' where id = ${last}`;
  assert.equal((await refusal(withdraw(last))).code, "forbidden");
  await db.sql`update public.app_users set status = 'active' where id = ${last}`;
  // The others go: without the area, suspended, or beside another holder.
  for (const leaving of [await anAdministrator(["lots"]), await anAdministrator(["admins"], "suspended")]) {
    await withdraw(leaving);
  }
  await anAdministrator(["admins"]);
  await withdraw(last);
});

Deno.test("field_values: every column but counts and times is compared when changes of lots are recorded", async () => {
  const [row] = await db.sql<{ missing: string[] }[]>`
    select coalesce(array_agg(a.attname::text), '{}') as missing
    from pg_attribute a, pg_proc p
    where a.attrelid = 'public.field_values'::regclass and a.attnum > 0 and not a.attisdropped
      and a.attname <> all ('{id,confirm_count,deny_count,decided_at,last_verified_at,created_at,updated_at}')
      and p.oid = 'private.tg_field_values__record_changes'::regproc
      and not (p.prosrc ~ ('\\mb\\.' || a.attname || '\\M') and p.prosrc ~ ('\\mc\\.' || a.attname || '\\M'))`;
  assert.deepEqual(row!.missing, []);
});

Deno.test("commands.withdraw_my_account: triggers that were planned for a single row read changed rows once, however many", async () => {
  const plans: string[] = [];
  const connection = postgres(address.href, { max: 1, onnotice: ({ message }) => void plans.push(message ?? "") });
  try {
    await connection`load 'auto_explain'`;
    await connection.unsafe(`
      set auto_explain.log_min_duration = 0; set auto_explain.log_nested_statements = on; set auto_explain.log_analyze = on;
      set auto_explain.log_timing = off; set plan_cache_mode = force_generic_plan`);
    for (const rows of [1, 30]) {
      const user = await busyUser(superuser, rows);
      plans.length = 0;
      await connection.begin(async (sql) => {
        await sql`
          select set_config('client_min_messages', 'log', true), set_config('role', 'authenticated', true),
            set_config('request.jwt.claims', ${JSON.stringify({ role: "authenticated", sub: user })}, true)`;
        await sql`select commands.withdraw_my_account()`;
      });
    }
    const scans = plans.join("\n").match(/Named Tuplestore Scan.*/g) ?? [];
    assert.ok(scans.length > 10, `${plans.length} plans, ${scans.length} scans`);
    assert.deepEqual(scans.filter((scan) => !/loops=1\)|never executed/.test(scan)), []);
  } finally {
    await connection.end();
  }
});
