// The cost of a withdrawal: its work grows with the rows of a user, its statements do not.
import assert from "node:assert/strict";
import postgres, { type Sql } from "postgres";
import { asSuperuser, database } from "../support/database.ts";
import { eraseWithdrawn } from "../support/forgotten.ts";
import { errorOf } from "../support/database_errors.ts";
import { newUser, signedIn } from "../support/rows.ts";

const db = await database();
/** Only a superuser has Postgres count the calls of functions. */
const superuser = postgres(asSuperuser(db.url), { max: 1, onnotice: () => {} });
Deno.test.afterAll(async () => {
  await superuser.end();
  await db.close();
});

/** Called for each row, and cheap: they read no table, but set or compute columns of the row itself. */
const ONCE_A_ROW = new Set([
  "tg_touch_updated_at",
  "tg_parking_sessions__remove_user_data",
  "tg_error_reports__erase_texts",
  "tg_assets__delete_with_uploader",
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
    ), counted as (
      insert into public.parking_lot_rating_counts (parking_lot_id, good_count, bad_count) select id, 1, 0 from lot
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

/** How often a call by a user calls each function, with the job that deletes the rest. */
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
    await eraseWithdrawn(sql);
    await count(1);
  });
  return calls;
}

for (const question of ["commands.withdraw_my_account()", "api.export_my_data()"]) {
  Deno.test(`withdrawal: ${question}: no function is called per row, except those that compute the row itself`, async () => {
    await callsOf(await busyUser(superuser, 5), question); // Functions that are run for the first time load others.
    const few = await callsOf(await busyUser(superuser, 10), question);
    const many = await callsOf(await busyUser(superuser, 30), question);
    assert.ok(many.size > 10, [...many.keys()].join());
    const growing = [...many].filter(([name, calls]) => calls !== few.get(name) && !ONCE_A_ROW.has(name));
    assert.deepEqual(growing, []);
  });
}

Deno.test("commands.withdraw_my_account: the files of sessions and unpublished reviews are deleted, in any number, and their objects are queued once", async () => {
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
  await eraseWithdrawn(db.sql, 7);
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
  const { code, status, details } = await errorOf(withdraw(last));
  assert.deepEqual([code, status, details], ["conflict", 409, { reason: "last_administrator" }]);
  const [row] = await db.sql`
    select u.status, a.areas, v.raw_app_meta_data -> 'admin' -> 'areas' as metadata
    from public.app_users u join public.admins a using (id) join auth.users v using (id) where id = ${last}`;
  const areas = ["admins", "lots"];
  assert.deepEqual([row!["status"], row!["areas"], row!["metadata"]], ["active", areas, areas]);
  // A caller with another reason for rejection gets that reason.
  await db.sql`update public.app_users set status = 'suspended' where id = ${last}`;
  assert.equal((await errorOf(withdraw(last))).code, "forbidden");
  await db.sql`update public.app_users set status = 'active' where id = ${last}`;
  // The others can withdraw: without the area, suspended, or with another holder.
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

Deno.test("commands.withdraw_my_account: triggers that were planned for a single row read changed rows once, for any number of rows", async () => {
  const plans: string[] = [];
  const connection = postgres(asSuperuser(db.url), {
    max: 1,
    onnotice: ({ message }) => void plans.push(message ?? ""),
  });
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
        await sql`select commands.withdraw_my_account(), set_config('role', 'none', true)`;
        await eraseWithdrawn(sql);
      });
    }
    const scans = plans.join("\n").match(/Named Tuplestore Scan.*/g) ?? [];
    assert.ok(scans.length > 10, `${plans.length} plans, ${scans.length} scans`);
    assert.deepEqual(scans.filter((scan) => !/loops=1\)|never executed/.test(scan)), []);
  } finally {
    await connection.end();
  }
});

Deno.test("commands.withdraw_my_account: from its commit on no administrator can read data that the job has yet to delete", async () => {
  const user = await busyUser(superuser, 4);
  const admin = crypto.randomUUID();
  await db.sql`
    insert into auth.users (id, email, raw_app_meta_data) values (
      ${admin}, ${`${admin}@example.test`}, '{"admin": {"areas": ["reviews", "lots", "support", "users"]}}')`;
  const asService = <T>(call: string, args: string[] = []) =>
    db.as<T>({ role: "service_role" }, async (sql) => {
      const [row] = await sql.unsafe(`select api.${call} as reply`, [admin, ...args]);
      return row!["reply"];
    });
  const [{ lot }] = await db.sql`
    select parking_lot_id as lot from public.error_reports where user_id = ${user} limit 1` as unknown as [
    { lot: string },
  ];
  const listed = async () => {
    const lists: Record<string, number> = {};
    for (
      const call of [
        `admin_list_reviews($1, 'pending', p_user_id => '${user}')`,
        `admin_list_reviews($1, 'approved', p_user_id => '${user}')`,
        `admin_list_error_reports($1, p_parking_lot_id => '${lot}')`,
        "admin_list_support_tickets($1, p_limit => 100)",
      ]
    ) {
      const { items } = await asService<{ items: { user_id: string }[] }>(call);
      lists[call.split("(")[0]!] = items.filter(({ user_id }) => user_id === user).length +
        (lists[call.split("(")[0]!] ?? 0);
    }
    return lists;
  };
  assert.deepEqual(await listed(), {
    admin_list_reviews: 4,
    admin_list_error_reports: 1,
    admin_list_support_tickets: 4,
  });
  const [review] = await db.sql`
    select id, to_jsonb(updated_at) #>> '{}' as seen from public.reviews where user_id = ${user} and status = 'pending'`;
  const [report] = await db.sql`select id from public.error_reports where user_id = ${user}`;
  const [ticket] = await db.sql`select id from public.support_tickets where user_id = ${user}`;
  await db.sql`insert into public.user_push_tokens (user_id, fcm_token, device_type) values (${user}, ${user}, 'ios')`;
  await asService("admin_export_user($1, $2)", [user]);
  await db.as(signedIn(user), (sql) => sql`select commands.withdraw_my_account()`);

  assert.deepEqual(await listed(), {
    admin_list_reviews: 0,
    admin_list_error_reports: 0,
    admin_list_support_tickets: 0,
  });
  for (
    const [call, args] of [
      ["admin_get_review($1, $2)", [review!["id"]]],
      ["admin_decide_review($1, $2, 'approved', null, $3)", [review!["id"], review!["seen"]]],
      ["admin_get_error_report($1, $2)", [report!["id"]]],
      ["admin_get_support_ticket($1, $2)", [ticket!["id"]]],
    ] as [string, string[]][]
  ) {
    assert.equal((await errorOf(asService(call, args))).code, "not_found", call);
  }
  const { data } = await asService<{ data: { table: string; rows: unknown[] }[] }>(
    "admin_read_user_export($1, $2)",
    [user],
  );
  assert.deepEqual(data.filter(({ rows }) => rows.length > 0).map(({ table }) => table), ["app_users", "auth.users"]);
  const { figures } = await asService<{ figures: Record<string, number> }>("admin_read_user($1, $2)", [user]);
  assert.deepEqual(Object.values(figures).filter((figure) => figure > 1), []);
  assert.deepEqual([...await db.sql`select from public.user_push_tokens where user_id = ${user}`], []);
  const [left] = await db.sql`select count(*)::integer as reviews from public.reviews where user_id = ${user}`;
  assert.equal(left!["reviews"], 4, "the job has not run");

  await eraseWithdrawn(db.sql);
  const [after] = await db.sql`
    select (select count(*)::integer from public.reviews where user_id = ${user}) as named,
      (select count(*)::integer from private.account_ends) as ends`;
  assert.deepEqual({ ...after }, { named: 0, ends: 0 });
});

Deno.test("private.next_erasure_batch: an auth user that is deleted by hand meanwhile leaves nothing in the identity provider's log", async () => {
  const user = await busyUser(superuser, 3);
  const entry = async (sub: string) => {
    const [row] = await superuser`
      insert into auth.audit_log_entries (id, payload, created_at)
      values (gen_random_uuid(), ${superuser.json({ actor_id: sub })}, now()) returning id`;
    return row!["id"] as string;
  };
  const [own, other] = [await entry(user), await entry(crypto.randomUUID())];
  await db.as(signedIn(user), (sql) => sql`select commands.withdraw_my_account()`);
  await db.sql`select private.next_erasure_batch(2)`;
  await superuser`delete from auth.users where id = ${user}`;
  await eraseWithdrawn(db.sql);
  const left = await superuser`select id from auth.audit_log_entries where id in (${own}, ${other})`;
  assert.deepEqual(left.map(({ id }) => id), [other]);
});

Deno.test("private.next_erasure_batch: a batch locks no more lots than it has rows", async () => {
  const user = await busyUser(superuser, 9);
  await db.as(signedIn(user), (sql) => sql`select commands.withdraw_my_account()`);
  let most = 0;
  for (let more = true; more;) {
    await db.sql.begin(async (sql) => {
      [{ more }] = await sql`select private.next_erasure_batch(2) as more` as unknown as [{ more: boolean }];
      // Lots that another transaction cannot lock now.
      const [locked] = await superuser`
        select count(*)::integer - (
          select count(*)::integer from (select from public.parking_lots for no key update skip locked) free
        ) as lots from public.parking_lots`;
      most = Math.max(most, locked!["lots"]);
    });
  }
  assert.equal(most, 2);
});

/** The document that the pages of the export make, and the number of pages. */
async function exported(user: string) {
  const document: Record<string, unknown[]> = {};
  let cursor: string | null = null;
  let pages = 0;
  do {
    type Page = { data: { table: string; rows: unknown[] }[]; next_cursor: string | null };
    const given: string | null = cursor;
    const page: Page = await db.as(
      signedIn(user),
      async (sql) => (await sql`select api.export_my_data(${given}) as page`)[0]!["page"],
    );
    for (const { table, rows } of page.data) document[table] = [...document[table] ?? [], ...rows];
    cursor = page.next_cursor;
    pages++;
  } while (cursor !== null);
  return { document, pages };
}

Deno.test("api.export_my_data: its pages have every row once, in each table that is longer than a page", async () => {
  const user = await busyUser(superuser, 1_300);
  const tables = {
    reviews: 1_300,
    parking_sessions: 1_300,
    parking_lot_ratings: 1_300,
    field_value_votes: 1_300,
    occupancy_reports: 1_300,
    support_tickets: 1_300,
    assets: 1_300,
  };
  const { document, pages } = await exported(user);
  assert.ok(pages > 9, `${pages} pages`);
  for (const [table, count] of Object.entries(tables)) {
    const rows = document[table] as Record<string, unknown>[];
    const distinct = new Set(rows.map((row) => row["id"] ?? row["field_value_id"]));
    assert.deepEqual([rows.length, distinct.size], [count, count], table);
  }
  const [expected] = await db.sql`
    select json_agg(s.id order by s.started_at, s.id) as sessions from public.parking_sessions s where s.user_id = ${user}`;
  assert.deepEqual((document["parking_sessions"] as { id: string }[]).map(({ id }) => id), expected!["sessions"]);
  assert.ok((document["parking_sessions"] as { photos: unknown[] }[]).every(({ photos }) => photos.length === 1));
});

Deno.test("api.export_my_data: a cursor of another user, of no table or cut short is validation_error", async () => {
  const [user, other] = [await busyUser(superuser, 1_001), await busyUser(superuser, 1_001)];
  const read = (sub: string, cursor: string | null) =>
    db.as(signedIn(sub), async (sql) => (await sql`select api.export_my_data(${cursor}) as page`)[0]!["page"]);
  const { next_cursor: cursor } = await read(user, null);
  const { next_cursor: theirs } = await read(other, null);
  for (const wrong of ["", ".", "reviews.", "no_table.AAAAAAAAAAAAAAAA", theirs, cursor.slice(0, -2), `x${cursor}`]) {
    const { code, param } = await errorOf(read(user, wrong));
    assert.deepEqual([code, param], ["validation_error", "cursor"], wrong);
  }
});
