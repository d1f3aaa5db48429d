// A request that is sent again: one effect and one answer for a key.
import assert from "node:assert/strict";
import type { Sql, TransactionSql } from "postgres";
import { database } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { eraseWithdrawn } from "../support/forgotten.ts";
import { errorOf, sqlstate } from "../support/database_errors.ts";
import { newLot, newUser, purge, signedIn } from "../support/rows.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

/** Functions of each kind of result, made for these tests. */
await db.sql.unsafe(`
  create type public.probe_pair as (name text, size integer);
  create function commands.probe_void() returns void language sql set search_path = '' as $$ select $$;
  create function commands.probe_null() returns jsonb language sql set search_path = '' as $$ select null::jsonb $$;
  create function commands.probe_boolean() returns boolean language sql set search_path = '' as $$ select true $$;
  create function commands.probe_integer() returns integer language sql set search_path = '' as $$ select 7 $$;
  create function commands.probe_text() returns text language sql set search_path = '' as $$ select 'a "b"'::text $$;
  create function commands.probe_json() returns json language sql set search_path = '' as $$ select '{"b": 1, "a": [1.50]}'::json $$;
  create function commands.probe_pair() returns public.probe_pair language sql set search_path = '' as $$ select row('a', 1) $$;
  create function commands.probe_pairs() returns setof public.probe_pair language sql set search_path = ''
    as $$ values ('a', 1), ('b', 2) $$;
  create function commands.probe_table() returns table (id integer, name text) language sql set search_path = ''
    as $$ values (1, 'a'), (2, null) $$;
  create function commands.probe_integers() returns setof integer language sql set search_path = '' as $$ values (1), (2) $$;
  create function commands.probe_nothing() returns setof integer language sql set search_path = '' as $$ select 1 where false $$;
  create function commands.probe_arguments(
    p_text text, p_number double precision, p_at timestamptz, p_list text[], p_json jsonb, p_id uuid default null,
    p_limit integer default 20
  ) returns jsonb language sql set search_path = ''
    as $$ select jsonb_build_array(p_text, p_number, p_at at time zone 'UTC', p_list, p_json, p_id, p_limit) $$;
  create function commands.probe_end() returns jsonb language sql security definer set search_path = ''
    as $$ delete from auth.users where id = auth.uid(); select '{"gone": true}'::jsonb $$;
  create function commands.probe_leave() returns jsonb language sql security definer set search_path = ''
    as $$ select private.empty_account(auth.uid()); select '{"gone": true}'::jsonb $$;
`);
await db.sql`
  do $$ declare v_name text; begin
    for v_name in select oid::regprocedure::text from pg_proc where proname like 'probe\\_%' loop
      execute format('grant execute on function %s to authenticated', v_name);
    end loop;
  end $$`;

const PRINT = "0".repeat(64);
const OTHER_PRINT = "1".repeat(64);

interface Call {
  readonly key?: string;
  readonly print?: string;
  readonly function: string;
  readonly arguments?: Record<string, unknown>;
  readonly nth?: number;
}

interface Kept {
  readonly replayed: boolean;
  readonly reply: unknown;
}

async function once(sql: TransactionSql | Sql, call: Call): Promise<Kept> {
  const { key = "a-key", print = PRINT, nth = 1 } = call;
  const given = JSON.stringify(call.arguments ?? {});
  const [row] = await sql<{ kept: Kept }[]>`
    select private.run_once(${key}, ${print}, ${call.function}, ${given}::text::jsonb, ${nth}) as kept`;
  return row!.kept;
}

const onceAs = (user: string, call: Call) => db.as(signedIn(user), (sql) => once(sql, call));
const review = (lot: string, rating = 5) => ({
  function: "post_review",
  arguments: { p_parking_lot_id: lot, p_rating: rating },
});

async function reviewsOf(user: string): Promise<number> {
  const [row] = await db.sql<{ n: number }[]>`select count(*)::int as n from public.reviews where user_id = ${user}`;
  return row!.n;
}

Deno.test("idempotency: the same request with the same key has one effect and one reply", async () => {
  const [user, lot] = [await newUser(db.sql), await newLot(db.sql)];
  const first = await onceAs(user, review(lot));
  const again = await onceAs(user, review(lot));
  assert.deepEqual([first.replayed, again.replayed], [false, true]);
  assert.deepEqual(again.reply, first.reply);
  assert.equal(await reviewsOf(user), 1);
});

Deno.test("idempotency: a rejected request stores nothing and is executed again when repeated, also with another body", async () => {
  const [user, lot] = [await newUser(db.sql), await newLot(db.sql)];
  assert.equal(await sqlstate(onceAs(user, review(lot, 6))), "23514");
  assert.equal((await onceAs(user, { ...review(lot), print: OTHER_PRINT })).replayed, false);
});

Deno.test("idempotency: the key of another request is rejected with 409, for any function", async () => {
  const [user, lot] = [await newUser(db.sql), await newLot(db.sql)];
  await onceAs(user, review(lot));
  for (const call of [review(lot), { function: "my_account" }]) {
    const error = await errorOf(onceAs(user, { ...call, print: OTHER_PRINT }));
    assert.deepEqual([error.code, error.status, error.param], ["conflict", 409, "Idempotency-Key"]);
    assert.deepEqual(error.details, { reason: "key_reused_with_different_body" });
  }
});

Deno.test("idempotency: a key is valid for 24 hours, and can then be used for another request", async () => {
  const [user, lot] = [await newUser(db.sql), await newLot(db.sql)];
  await onceAs(user, review(lot));
  const age = (by: string) =>
    db.sql`update private.idempotency_replies set created_at = now() - ${by}::interval where user_id = ${user}`;
  await age("23 hours 59 minutes");
  assert.equal((await onceAs(user, review(lot))).replayed, true);
  await age("24 hours 1 minute");
  const other = { function: "my_account", print: OTHER_PRINT };
  assert.equal((await onceAs(user, other)).replayed, false);
  assert.equal((await onceAs(user, other)).replayed, true);
});

Deno.test("idempotency: a key belongs to its user: the same key of another user is independent", async () => {
  const lot = await newLot(db.sql);
  for (const user of [await newUser(db.sql), await newUser(db.sql)]) {
    assert.equal((await onceAs(user, { ...review(lot), print: PRINT })).replayed, false);
    assert.equal(await reviewsOf(user), 1);
  }
});

Deno.test("idempotency: calls of the same function in one request are distinguished", async () => {
  const user = await newUser(db.sql);
  const lots = [await newLot(db.sql), await newLot(db.sql)];
  const send = () => Promise.all(lots.map((lot, at) => onceAs(user, { ...review(lot), nth: at + 1 })));
  const first = await send();
  assert.equal(await reviewsOf(user), 2);
  assert.deepEqual((await send()).map(({ reply }) => reply), first.map(({ reply }) => reply));
});

Deno.test("idempotency: anonymous users and deleted accounts have no keys", async () => {
  assert.equal(await sqlstate(db.as({ role: "anon" }, (sql) => once(sql, { function: "list_codes" }))), "42501");
  assert.equal((await errorOf(onceAs(crypto.randomUUID(), { function: "my_account" }))).code, "unauthorized");
});

Deno.test("idempotency: a key can be used for commands and for reads of the interface, and for nothing else", async () => {
  const user = await newUser(db.sql);
  const unknown = [
    "run_command",
    "take_request",
    "feed_occupancy",
    "active_user",
    "private.active_user",
    "my_account()",
    "pg_sleep",
    "",
  ];
  for (const name of unknown) {
    assert.equal((await errorOf(onceAs(user, { function: name }))).code, "not_found", name);
  }
  const error = await errorOf(onceAs(user, { function: "my_account", arguments: { p_name: 1 } }));
  assert.deepEqual([error.code, error.param], ["not_found", "function"]);
});

Deno.test("idempotency: a reply equals that of the Data API, for every return type", async () => {
  const user = await newUser(db.sql);
  const expected: [name: string, reply: unknown][] = [
    ["probe_void", null],
    ["probe_null", null],
    ["probe_boolean", true],
    ["probe_integer", 7],
    ["probe_text", 'a "b"'],
    ["probe_json", { a: [1.5], b: 1 }],
    ["probe_pair", { name: "a", size: 1 }],
    ["probe_pairs", [{ name: "a", size: 1 }, { name: "b", size: 2 }]],
    ["probe_table", [{ id: 1, name: "a" }, { id: 2, name: null }]],
    ["probe_integers", [1, 2]],
    ["probe_nothing", []],
  ];
  for (const [name, reply] of expected) {
    for (const replayed of [false, true]) {
      assert.deepEqual(await onceAs(user, { key: name, function: name }), { replayed, reply }, name);
    }
  }
});

Deno.test("idempotency: arguments have their declared types, and absent ones their defaults", async () => {
  const user = await newUser(db.sql);
  const given = {
    p_text: "5",
    p_number: 1.5,
    p_at: "2026-09-01T10:00:00+09:00",
    p_list: ["a", "b,c", 'd"'],
    p_json: "text",
  };
  const reply = ["5", 1.5, "2026-09-01T01:00:00", ["a", "b,c", 'd"'], "text", null, 20];
  const call = { function: "probe_arguments", arguments: given };
  assert.deepEqual((await onceAs(user, call)).reply, reply);
  const more = { ...given, p_json: { list: [1, null] }, p_id: user, p_limit: null };
  assert.deepEqual(
    (await onceAs(user, { ...call, key: "another", arguments: more })).reply,
    [...reply.slice(0, 4), { list: [1, null] }, user, null],
  );
  const { p_text: _missing, ...rest } = given;
  assert.equal(await sqlstate(onceAs(user, { ...call, key: "third", arguments: rest })), "42883");
});

/** The caller's transaction, left open after its call until `end` says how it ends. */
async function holding(user: string, call: Call) {
  const called = Promise.withResolvers<void>();
  const ending = Promise.withResolvers<void>();
  const done = db.as(signedIn(user), async (sql) => {
    const kept = await once(sql, call);
    called.resolve();
    await ending.promise;
    return kept;
  });
  done.catch(called.reject);
  await called.promise;
  return { commit: ending.resolve, abort: () => ending.reject(new Error("abort")), done };
}

async function someoneWaits(): Promise<true | undefined> {
  const [row] = await db.sql`
    select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%private.run_once%'`;
  return row === undefined ? undefined : true;
}

Deno.test("idempotency: a request with a key in use waits for its reply", async () => {
  const [user, lot] = [await newUser(db.sql), await newLot(db.sql)];
  const first = await holding(user, review(lot));
  const second = onceAs(user, review(lot));
  await eventually(someoneWaits);
  first.commit();
  assert.deepEqual((await second).reply, (await first.done).reply);
  assert.equal((await second).replayed, true);
});

Deno.test("idempotency: a request that waited for a failed one is executed instead", async () => {
  const [user, lot] = [await newUser(db.sql), await newLot(db.sql)];
  const first = await holding(user, review(lot));
  const second = onceAs(user, review(lot));
  await eventually(someoneWaits);
  first.abort();
  await assert.rejects(first.done, /abort/);
  assert.equal((await second).replayed, false);
  assert.equal(await reviewsOf(user), 1);
});

Deno.test("idempotency: a request that waits too long for a key in use is rejected without effect", async () => {
  const [user, lot] = [await newUser(db.sql), await newLot(db.sql)];
  await db.sql`alter function private.claim_key(text, text, text) set lock_timeout = '50ms'`;
  const first = await holding(user, review(lot));
  const error = await errorOf(onceAs(user, review(lot)));
  assert.deepEqual([error.code, error.details], ["conflict", { reason: "key_in_use" }]);
  first.commit();
  await first.done;
  await db.sql`alter function private.claim_key(text, text, text) set lock_timeout = '5s'`;
  assert.equal((await onceAs(user, review(lot))).replayed, true);
});

Deno.test("idempotency: suspended users and administrators receive no stored reply", async () => {
  const [user, lot] = [await newUser(db.sql), await newLot(db.sql)];
  await onceAs(user, review(lot));
  await db.sql`update public.app_users set status = 'suspended' where id = ${user}`;
  assert.equal((await errorOf(onceAs(user, review(lot)))).code, "forbidden");

  const administrator = crypto.randomUUID();
  await db.sql`
    insert into auth.users (id, email, raw_app_meta_data)
    values (${administrator}, ${`${administrator}@example.test`}, '{"admin": {"areas": ["lots"]}}')`;
  assert.equal((await onceAs(administrator, { function: "my_account" })).replayed, false);
  assert.equal((await onceAs(administrator, { function: "my_account" })).replayed, true);
  await db.sql`update public.admins set status = 'suspended' where id = ${administrator}`;
  assert.equal((await errorOf(onceAs(administrator, { function: "my_account" }))).code, "forbidden");
});

Deno.test("idempotency: after a withdrawal only its own reply is kept", async () => {
  const [user, lot] = [await newUser(db.sql), await newLot(db.sql)];
  await onceAs(user, review(lot));
  const leave = { key: "leave", function: "probe_leave", print: OTHER_PRINT };
  assert.deepEqual(await onceAs(user, leave), { replayed: false, reply: { gone: true } });
  assert.deepEqual(await onceAs(user, leave), { replayed: true, reply: { gone: true } });
  const kept = await db.sql`select key from private.idempotency_replies where user_id = ${user}`;
  assert.deepEqual(kept.map(({ key }) => key), ["leave"]);
  assert.equal((await errorOf(onceAs(user, review(lot)))).code, "forbidden");
});

Deno.test("idempotency: a request that ends the account has its effect, and its reply is not kept", async () => {
  const user = await newUser(db.sql);
  assert.deepEqual(await onceAs(user, { function: "probe_end" }), { replayed: false, reply: { gone: true } });
  assert.equal((await errorOf(onceAs(user, { function: "probe_end" }))).code, "unauthorized");
});

Deno.test("idempotency: keys are deleted with their account, and after a day by the purge", async () => {
  const [deleted, old, young] = [await newUser(db.sql), await newUser(db.sql), await newUser(db.sql)];
  for (const user of [deleted, old, young]) await onceAs(user, { function: "my_account" });
  await db.sql`delete from auth.users where id = ${deleted}`;
  await db.sql`update private.idempotency_replies set created_at = now() - interval '25 hours' where user_id = ${old}`;
  await purge(db.sql);
  const left = await db.sql`select user_id from private.idempotency_replies where user_id in ${
    db.sql([deleted, old, young])
  }`;
  assert.deepEqual(left.map(({ user_id }) => user_id), [young]);
});

Deno.test("idempotency: a key has at most 255 visible characters and needs a fingerprint", async () => {
  const user = await newUser(db.sql);
  for (const key of ["", "a b", "a\n", "é", "k".repeat(256)]) {
    const error = await errorOf(onceAs(user, { key, function: "my_account" }));
    assert.deepEqual([error.code, error.param], ["validation_error", "key"], key);
  }
  for (const print of ["", "0".repeat(63), "Z".repeat(64)]) {
    const error = await errorOf(onceAs(user, { print, function: "my_account" }));
    assert.deepEqual([error.code, error.param], ["validation_error", "fingerprint"], print);
  }
  await onceAs(user, { key: "~!".repeat(127), function: "my_account" });
});

Deno.test("idempotency: a withdrawal of a user with a telephone number waits for a request with a key, and both are done", async () => {
  const user = await newUser(db.sql);
  await db.sql`update auth.users set phone = ${user.slice(0, 15)} where id = ${user}`;
  const { promise: claimed, resolve: claim } = Promise.withResolvers<void>();
  await Promise.all([
    db.as(signedIn(user), async (sql) => {
      await sql`select private.claim_key('with-a-phone', ${"0".repeat(64)}, 'add_my_vehicle 1')`;
      claim();
      await eventually(async () => {
        const waiting = await db.sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
        return waiting.length > 0 ? true : undefined;
      });
      await sql`select commands.add_my_vehicle('{"vehicle_type": "kei"}')`;
    }),
    claimed.then(() => db.as(signedIn(user), (sql) => sql`select commands.withdraw_my_account()`)),
  ]);
  await eraseWithdrawn(db.sql);
  const [left] = await db.sql`
    select status, (select count(*)::integer from public.user_vehicles where user_id = ${user}) as vehicles
    from public.app_users where id = ${user}`;
  assert.deepEqual({ ...left }, { status: "withdrawn", vehicles: 0 });
});

Deno.test("idempotency: a reply over 64 KiB is rejected with its effect, a smaller one is kept", async () => {
  const user = await newUser(db.sql);
  await db.sql.unsafe(`
    create function commands.probe_large(p_size integer) returns text language sql set search_path = ''
      as $$ update public.app_users set display_name = 'large' where id = auth.uid(); select repeat('x', p_size) $$;
    grant execute on function commands.probe_large(integer) to authenticated;
    grant update (display_name) on public.app_users to authenticated`);
  const large = { function: "probe_large", arguments: { p_size: 65_536 } };
  const error = await errorOf(onceAs(user, large));
  assert.deepEqual([error.code, error.details], ["conflict", { reason: "reply_too_large" }]);
  assert.equal((await onceAs(user, { ...large, arguments: { p_size: 65_000 } })).replayed, false);
});

Deno.test("idempotency: the key of a read is kept, its reply is not, and a replay reads again", async () => {
  const user = await newUser(db.sql);
  await onceAs(user, { function: "my_account" });
  const rows = await db.sql`select call, reply from private.idempotency_replies where user_id = ${user}`;
  assert.deepEqual(rows.map((row) => ({ ...row })), [{ call: "my_account 1", reply: null }]);
  await db.sql`update public.app_users set display_name = 'later' where id = ${user}`;
  const again = await onceAs(user, { function: "my_account" });
  assert.equal(again.replayed, true);
  assert.equal((again.reply as { app_user: { display_name: string } }).app_user.display_name, "later");
  const other = await errorOf(onceAs(user, { function: "my_account", print: OTHER_PRINT }));
  assert.equal(other.code, "conflict");
});

const used = async (user: string) =>
  (await db.sql<{ keys: number; bytes: number }[]>`
    select keys, bytes::integer from private.idempotency_days where user_id = ${user}`)[0];

Deno.test("idempotency: a user has at most 1,000 keys in 24 hours", async () => {
  const user = await newUser(db.sql);
  await db.sql`
    insert into private.idempotency_replies (user_id, key, call, fingerprint, reply)
    select ${user}::uuid, 'key-' || n, 'probe_integer 1', ${PRINT}, '7' from generate_series(1, 999) n`;
  assert.equal((await onceAs(user, { function: "probe_integer", key: "the-thousandth" })).replayed, false);
  const error = await errorOf(onceAs(user, { function: "probe_integer", key: "one-more" }));
  assert.deepEqual([error.code, error.param], ["rate_limited", "Idempotency-Key"]);
  assert.equal(Reflect.get(error.details ?? {}, "policy"), "idempotency_keys");
  assert.equal((await onceAs(user, { function: "probe_integer", key: "the-thousandth" })).replayed, true);
  assert.equal((await onceAs(user, { function: "probe_text", key: "the-thousandth" })).replayed, false);
  await db
    .sql`update private.idempotency_days set started_at = now() - interval '24 hours 1 minute' where user_id = ${user}`;
  assert.equal((await onceAs(user, { function: "probe_integer", key: "one-more" })).replayed, false);
  assert.equal((await used(user))!.keys, 1);
});

Deno.test("idempotency: a user stores at most 16 MiB in 24 hours, also with keys that are deleted meanwhile", async () => {
  const user = await newUser(db.sql);
  const store = (n: number) =>
    db.sql`
      insert into private.idempotency_replies (user_id, key, call, fingerprint, reply)
      values (${user}, ${`large-${n}`}, 'probe_text 1', ${PRINT}, to_jsonb(repeat('x', 65000)))`;
  for (let n = 1; n <= 257; n++) await store(n);
  const error = await errorOf(store(258));
  assert.deepEqual([error.code, error.param], ["rate_limited", "Idempotency-Key"]);
  assert.equal((await used(user))!.keys, 257);
  await db.sql`delete from private.idempotency_replies where user_id = ${user}`;
  assert.equal((await errorOf(store(258))).code, "rate_limited");
  const bytes = (await used(user))!.bytes;
  assert.ok(bytes > 16_000_000 && bytes <= 16_777_216, `${bytes} bytes`);
});

Deno.test("idempotency: a key has at most 10 replies, and a stored reply stays as it is", async () => {
  const user = await newUser(db.sql);
  for (let nth = 1; nth <= 10; nth++) await onceAs(user, { function: "probe_integer", nth });
  const versions = () =>
    db.sql`select call, xmin::text, ctid::text from private.idempotency_replies where user_id = ${user} order by call`;
  const before = await versions();
  const error = await errorOf(onceAs(user, { function: "probe_text" }));
  assert.deepEqual([error.code, error.details], ["conflict", { reason: "too_many_replies" }]);
  assert.equal((await onceAs(user, { function: "probe_integer", nth: 10 })).replayed, true);
  assert.deepEqual(await versions(), before);
  assert.deepEqual({ ...await used(user) }.keys, 1);
});

Deno.test("idempotency: requests of a user at once keep the bounds: 20 keys in addition to 990 are 10 replies", async () => {
  const user = await newUser(db.sql);
  await db.sql`
    insert into private.idempotency_replies (user_id, key, call, fingerprint, reply)
    select ${user}::uuid, 'key-' || n, 'probe_integer 1', ${PRINT}, '7' from generate_series(1, 990) n`;
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, (_, n) => onceAs(user, { function: "probe_integer", key: `at-once-${n}` })),
  );
  assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 10);
  assert.equal((await used(user))!.keys, 1000);
});

Deno.test("idempotency: nth is 1 to 10 at every entry point, with and without a key", async () => {
  const user = await newUser(db.sql);
  for (const nth of [null, 0, -1, 11, 2_147_483_647, -2_147_483_648]) {
    for (const key of [null, "a-key"]) {
      const [row] = await db.as(signedIn(user), (sql) =>
        sql`
          select api.run_command('probe_integer', '{}', ${key}, ${PRINT}, ${nth}) as reply,
            current_setting('response.status') as status`);
      const { code, details } = row!["reply"] as { code: string; details: string };
      assert.deepEqual([code, JSON.parse(details).param, row!["status"]], ["validation_error", "nth", "422"], `${nth}`);
      const [admin] = await db.as({ role: "service_role" }, (sql) =>
        sql`
          select api.run_admin_command(${user}, 'admin_delete_tag', '{}', ${key}, ${PRINT}, ${nth}) as reply,
            current_setting('response.status') as status`);
      assert.equal(admin!["status"], "422");
      assert.equal(JSON.parse((admin!["reply"] as { details: string }).details).param, "nth");
    }
  }
  assert.equal(await used(user), undefined);
});

Deno.test("idempotency: an administrator without the area of a command gets no stored reply of it, for every command", async () => {
  const commands = await db.sql<{ name: string; area: string | null }[]>`
    select proname as name, private.area_of(proname) as area from pg_proc
    where pronamespace = 'api'::regnamespace and proname like 'admin\\_%' and provolatile = 'v' order by 1`;
  assert.ok(commands.length > 50, `${commands.length} commands`);
  const administrator = crypto.randomUUID();
  const having = async (areas: string) =>
    await db.sql`update public.admins set areas = ${areas}::text[], status = 'active' where id = ${administrator}`;
  await db.sql`
    insert into auth.users (id, email, raw_app_meta_data)
    values (${administrator}, ${`${administrator}@example.test`}, '{"admin": {"areas": []}}')`;
  await db.sql`
    insert into private.idempotency_replies (user_id, key, call, fingerprint, reply)
    select ${administrator}, name, name || ' 1', ${PRINT}, '"secret"' from unnest(${
    commands.map(({ name }) => name)
  }::text[]) as name`;
  const send = (name: string) =>
    db.as({ role: "service_role" }, async (sql) => {
      const [row] = await sql<{ reply: { reply?: unknown; code?: string; details?: string } }[]>`
        select api.run_admin_command(${administrator}, ${name}, '{}', ${name}, ${PRINT}) as reply`;
      return row!.reply;
    });
  for (const { name, area } of commands) {
    await having(`{${area ?? ""}}`);
    assert.equal((await send(name)).reply, "secret", name);
    if (area === null) continue;
    await db
      .sql`update public.admins set areas = array_remove(private.admin_areas(), ${area}) where id = ${administrator}`;
    const { code, details, reply } = await send(name);
    assert.deepEqual(
      [code, JSON.parse(details!).details, reply],
      ["forbidden", { scope: `admin:${area}` }, undefined],
      name,
    );
  }
  assert.deepEqual(commands.filter(({ area }) => area === null).map(({ name }) => name), [
    "admin_mark_notifications_read",
  ]);
});
