// Rate limits: a policy's quota in a window that opens with the first request.
import assert from "node:assert/strict";
import type { TransactionSql } from "postgres";
import { database } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { errorOf, sqlstate } from "../support/database_errors.ts";
import { newUser, purge, signedIn } from "../support/rows.ts";

const db = await database();
Deno.test.afterAll(() => db.close());
await db.sql`
  insert into private.rate_limit_policies (name, quota, window_seconds, comment)
  values ('small', 3, 60, 'For these tests'), ('other', 3, 60, 'For these tests')`;
await db.sql`update private.rate_limit_policies set commands = '{update_my_account}' where name = 'small'`;

interface RateLimit {
  readonly allowed: boolean;
  readonly policy: string;
  readonly quota: number;
  readonly window_seconds: number;
  readonly remaining: number;
  readonly reset_seconds: number;
}

/** A count, or the error beyond the quota, which holds the count. */
type Counted = RateLimit | { readonly code: "rate_limited"; readonly rate_limit: RateLimit } | null;

function counted(reply: Counted): RateLimit | null {
  return reply !== null && "rate_limit" in reply ? reply.rate_limit : reply;
}

async function take(user: string, policy = "small"): Promise<RateLimit | null> {
  return await db.as(signedIn(user), async (sql) => {
    const [row] = await sql<{ taken: Counted }[]>`select api.take_request(${policy}) as taken`;
    return counted(row!.taken);
  });
}

async function visit(address: string): Promise<RateLimit | null> {
  return await db.as({ role: "service_role" }, async (sql) => {
    const [row] = await sql<{ taken: Counted }[]>`select api.take_anonymous_request('small', ${address}) as taken`;
    return counted(row!.taken);
  });
}

const allowed = async (times: number, next: () => Promise<RateLimit | null>): Promise<boolean[]> => {
  const answers: boolean[] = [];
  for (let time = 0; time < times; time++) answers.push((await next())!.allowed);
  return answers;
};

const age = (user: string, seconds: number) =>
  db.sql`update private.rate_limit_windows set started_at = now() - make_interval(secs => ${seconds}) where subject = ${user}`;

Deno.test("rate limits: requests within the quota pass, and none beyond it until the window closes", async () => {
  const user = await newUser(db.sql);
  assert.deepEqual(await take(user), {
    allowed: true,
    policy: "small",
    quota: 3,
    window_seconds: 60,
    remaining: 2,
    reset_seconds: 60,
  });
  assert.deepEqual(await allowed(6, () => take(user)), [true, true, false, false, false, false]);
  await age(user, 59);
  const late = (await take(user))!;
  assert.deepEqual([late.allowed, late.remaining, late.reset_seconds], [false, 0, 1]);
  await age(user, 60);
  assert.deepEqual(await allowed(4, () => take(user)), [true, true, true, false]);
});

Deno.test("rate limits: every caller and every policy has a separate count", async () => {
  const [one, other] = [await newUser(db.sql), await newUser(db.sql)];
  await allowed(4, () => take(one));
  assert.deepEqual(await allowed(4, () => take(other)), [true, true, true, false]);
  assert.deepEqual(await allowed(4, () => take(one, "other")), [true, true, true, false]);
});

Deno.test("rate limits: a changed policy applies at once", async () => {
  const user = await newUser(db.sql);
  await allowed(4, () => take(user, "other"));
  await db.sql`update private.rate_limit_policies set quota = 5 where name = 'other'`;
  const next = (await take(user, "other"))!;
  assert.deepEqual([next.allowed, next.quota, next.remaining], [true, 5, 0]);
  await db.sql`update private.rate_limit_policies set quota = 3 where name = 'other'`;
  assert.equal((await take(user, "other"))!.allowed, false);
});

Deno.test("rate limits: the quota of a day holds over windows; what a window rejects is not counted for the day", async () => {
  const user = await newUser(db.sql);
  await db.sql`
    insert into private.rate_limit_policies (name, quota, window_seconds, daily_quota, comment) values ('daily', 3, 60, 5, 'For tests')`;
  assert.deepEqual(await allowed(6, () => take(user, "daily")), [true, true, true, false, false, false]);
  await age(user, 61);
  const [last] = [await take(user, "daily"), await take(user, "daily")].slice(-1);
  assert.deepEqual([last!.allowed, last!.remaining], [true, 0]);
  const over = (await take(user, "daily"))!;
  assert.deepEqual([over.allowed, over.quota, over.window_seconds, over.remaining], [false, 5, 86_400, 0]);
  assert.ok(over.reset_seconds > 86_000);
  await age(user, 61);
  assert.equal((await take(user, "daily"))!.allowed, false);
  await purge(db.sql);
  assert.equal((await take(user, "daily"))!.allowed, false, "the purge keeps the count of the day");
  await db
    .sql`update private.rate_limit_windows set day_started_at = now() - interval '24 hours' where subject = ${user}`;
  assert.equal((await take(user, "daily"))!.allowed, true);
});

Deno.test("rate limits: a request that is counted later under a policy is rejected now when that quota is used up", async () => {
  const user = await newUser(db.sql);
  const prepare = () =>
    db.as(signedIn(user), async (sql) => {
      const [row] = await sql<{ taken: Counted }[]>`select api.take_request('other', 'small') as taken`;
      return counted(row!.taken)!;
    });
  assert.equal((await prepare()).policy, "other");
  await allowed(3, () => take(user));
  const over = await prepare();
  assert.deepEqual([over.policy, over.allowed], ["small", false]);
  await age(user, 61);
  assert.equal((await prepare()).policy, "other");
});

Deno.test("rate limits: an unknown policy is an error and counts nothing", async () => {
  assert.equal(await take(await newUser(db.sql), "nothing"), null);
});

Deno.test("rate limits: an anonymous user is counted by address, by the service alone", async () => {
  assert.deepEqual(await allowed(4, () => visit("a")), [true, true, true, false]);
  assert.equal((await visit("b"))!.allowed, true);
  for (const caller of [signedIn(await newUser(db.sql)), { role: "anon" } as const]) {
    assert.equal(await sqlstate(db.as(caller, (sql) => sql`select api.take_anonymous_request('small', 'c')`)), "42501");
    assert.equal(
      await sqlstate(db.as(caller, (sql) => sql`select api.take_request_instead('small', 'other')`)),
      "42501",
    );
  }
  assert.equal(await sqlstate(db.as({ role: "anon" }, (sql) => sql`select api.take_request('small')`)), "42501");
  const unauthenticated = db.as({ role: "authenticated" }, (sql) => sql`select api.take_request('small')`);
  assert.equal((await errorOf(unauthenticated)).code, "unauthorized");
});

Deno.test("rate limits: no client reaches keys, policies or windows", async () => {
  const user = await newUser(db.sql);
  for (const table of ["idempotency_replies", "idempotency_days", "rate_limit_policies", "rate_limit_windows"]) {
    for (const caller of [signedIn(user), { role: "anon" } as const]) {
      const reading = db.as(caller, (sql) => sql`select * from ${sql(`private.${table}`)}`);
      assert.equal(await sqlstate(reading), "42501", `${table}: ${caller.role}`);
    }
  }
});

Deno.test("rate limits: the purge deletes closed windows and keeps open ones", async () => {
  const [closed, open] = [await newUser(db.sql), await newUser(db.sql)];
  await take(closed);
  await take(open);
  await age(closed, 61);
  await purge(db.sql);
  const left = await db.sql`select subject from private.rate_limit_windows where subject in ${db.sql([closed, open])}`;
  assert.deepEqual(left.map(({ subject }) => subject), [open]);
});

Deno.test("rate limits: the values of a policy are bounded", async () => {
  for (const [name, quota, seconds] of [["Big", 1, 60], ["big", 0, 60], ["big", 1, 0], ["big", 1, 86_401]] as const) {
    const insert = db.sql`
      insert into private.rate_limit_policies (name, quota, window_seconds, comment)
      values (${name}, ${quota}, ${seconds}, '')`;
    assert.equal(await sqlstate(insert), "23514", `${name} ${quota} ${seconds}`);
  }
});

interface Ran {
  readonly rate_limit: RateLimit;
  readonly reply?: { readonly app_user: { readonly display_name: string } };
  readonly code?: string;
  readonly details?: string;
}

/** What api.run_command replies, with the status it sets. */
async function rename(user: string, name: unknown): Promise<Ran & { readonly status: string }> {
  return await db.as(signedIn(user), async (sql) => {
    const [ran] = await sql<{ ran: Ran }[]>`
      select api.run_command('update_my_account', ${sql.json({ p_display_name: name as string })}) as ran`;
    const [status] = await sql<{ status: string }[]>`select current_setting('response.status', true) as status`;
    return { ...ran!.ran, status: status!.status };
  });
}

const nameOf = async (user: string) =>
  (await db.sql`select display_name from public.app_users where id = ${user}`)[0]!["display_name"];

Deno.test("run_command: an error rolls back the command and keeps the count; beyond the quota no command runs", async () => {
  const user = await newUser(db.sql);
  const first = await rename(user, "one");
  assert.deepEqual([first.rate_limit.remaining, first.reply?.app_user.display_name], [2, "one"]);
  const error = await rename(user, "");
  assert.deepEqual([error.rate_limit.remaining, error.code, error.status], [1, "validation_error", "422"]);
  assert.equal(JSON.parse(error.details!).param, "display_name");
  assert.equal((await rename(user, "three")).rate_limit.remaining, 0);
  const beyond = await rename(user, "four");
  assert.deepEqual([beyond.code, beyond.status, beyond.rate_limit.allowed], ["rate_limited", "429", false]);
  assert.equal(await nameOf(user), "three");
});

Deno.test("run_command: an error of Postgres itself is counted too", async () => {
  const user = await newUser(db.sql);
  const wrong = await db.as(signedIn(user), async (sql) => {
    const [row] = await sql<{ ran: Ran }[]>`select api.run_command('rate_parking_lot', '{}') as ran`;
    return row!.ran;
  });
  assert.deepEqual([wrong.code, wrong.rate_limit.remaining], ["42883", 119]);
});

Deno.test("run_command: of forty at once the quota takes effect and nothing beyond it", async () => {
  const user = await newUser(db.sql);
  const replies = await Promise.all(Array.from({ length: 40 }, (_, n) => rename(user, `name ${n}`)));
  const effective = replies.filter(({ reply }) => reply !== undefined);
  assert.equal(effective.length, 3);
  const names = effective.map(({ reply }) => reply!.app_user.display_name);
  assert.ok(names.includes(await nameOf(user)));
  assert.equal(replies.filter(({ code }) => code === "rate_limited").length, 37);
});

Deno.test("rate limits: a request whose transaction fails is not counted", async () => {
  const user = await newUser(db.sql);
  await assert.rejects(
    db.as(signedIn(user), (sql) => sql`select api.run_command('update_my_account', '{"p_display_name": "a"}') / 1`),
  );
  assert.equal((await take(user))!.remaining, 2);
});

Deno.test("rate limits: a window that began in the future is closed, so that a clock set back blocks no caller", async () => {
  const user = await newUser(db.sql);
  await allowed(4, () => take(user));
  await age(user, -7_200);
  assert.deepEqual(await allowed(4, () => take(user)), [true, true, true, false]);
  const beyond = await rename(user, "a");
  assert.ok(beyond.rate_limit.reset_seconds <= 60, `${beyond.rate_limit.reset_seconds} s`);
});

Deno.test("rate limits: no volatile function that signed-in clients may execute through the Data API escapes its quota", async () => {
  const names = await db.sql<{ name: string }[]>`
    select p.proname as name from pg_proc p
    where p.pronamespace = 'api'::regnamespace and p.provolatile = 'v'
      and (has_function_privilege('authenticated', p.oid, 'execute') or has_function_privilege('anon', p.oid, 'execute'))`;
  assert.deepEqual(names.map(({ name }) => name).toSorted(), ["read_counted", "run_command", "take_request"]);
  const commands = await db.sql<{ name: string; quota: number }[]>`
    select p.proname as name, l.quota from pg_proc p
    left join private.rate_limit_policies own on p.proname = any (own.commands)
    join private.rate_limit_policies l on l.name = coalesce(own.name, 'write')
    where p.pronamespace = 'commands'::regnamespace`;
  assert.ok(commands.length >= 30, `${commands.length} commands`);
  for (const { name, quota } of commands) {
    const user = await newUser(db.sql);
    const codes = await db.as(signedIn(user), async (sql) => {
      const rows = await sql<{ code: string | null }[]>`
        select api.run_command(${name}, '{"p_unknown": 1}') ->> 'code' as code from generate_series(1, ${quota + 2})`;
      return rows.map(({ code }) => code);
    });
    assert.deepEqual(codes.slice(quota), ["rate_limited", "rate_limited"], name);
    assert.ok(codes.slice(0, quota).every((code) => code !== "rate_limited"), name);
  }
});

/** Reads that are run as commands, so that their requests are counted. */
const COUNTED_READS = ["list_my_ai_keys"];

Deno.test("rate limits: every policy of a command is of a command that exists", async () => {
  const named = await db.sql<{ command: string; known: boolean }[]>`
    select command, private.is_command(command) or command = any (${COUNTED_READS}) as known
    from private.rate_limit_policies, unnest(commands) as command`;
  assert.deepEqual(named.filter(({ known }) => !known), []);
  assert.equal(new Set(named.map(({ command }) => command)).size, named.length, "a command has one policy");
});

Deno.test("rate limits: a network is an IPv4 address or the first half of an IPv6 address", async () => {
  const subject = async (address: string) =>
    (await db.sql<{ subject: string }[]>`select private.network_hash(${address}) as subject`)[0]!.subject;
  const same = async (one: string, other: string) => await subject(one) === await subject(other);
  assert.match(await subject("203.0.113.7"), /^[0-9a-f]{32}$/);
  assert.ok(!await same("203.0.113.7", "203.0.113.8"));
  assert.ok(await same("2001:db8:1:2:3:4:5:6", "2001:DB8:1:2::9"));
  assert.ok(!await same("2001:db8:1:2::", "2001:db8:1:3::"));
  assert.ok(!await same("::ffff:203.0.113.7", "::ffff:203.0.113.8"));
  assert.match(await subject("not an address"), /^[0-9a-f]{32}$/);
});

await db.sql.unsafe(`
  create function api.probe_expensive(p_at text default null) returns jsonb language plpgsql stable set search_path = '' as $$
  begin perform private.require_counted_read(); return jsonb_build_array(current_user, p_at::timestamptz); end $$;
  grant execute on function api.probe_expensive(text) to anon, authenticated`);

interface Read {
  readonly reply?: [role: string, at: string | null];
  readonly code?: string;
  readonly rate_limit: RateLimit;
}

/** A read through the Data API that is counted. */
async function readExpensive(
  caller: Parameters<typeof db.as>[0],
  headers: Record<string, string> = {},
  { address = null, at = null }: { address?: string | null; at?: string | null } = {},
): Promise<Read> {
  return await db.as(caller, async (sql) => {
    await sql`select set_config('request.headers', ${JSON.stringify({ a: "b", ...headers })}, true)`;
    const [row] = await sql<{ read: Read }[]>`
      select api.read_counted('probe_expensive', ${sql.json({ p_at: at })}, ${address}) as read`;
    return row!.read;
  });
}

Deno.test("rate limits: reads that cost more than a page are counted by network, or by account, also when they fail", async () => {
  await db.sql`update private.rate_limit_policies set quota = 2 where name = 'expensive_read'`;
  const anonymous = { role: "anon" } as const;
  const from = { "cf-connecting-ip": "198.51.100.9", "x-forwarded-for": "192.0.2.1" };
  assert.deepEqual((await readExpensive(anonymous, from)).reply, ["anon", null]);
  assert.equal(
    (await readExpensive(anonymous, { ...from, "x-forwarded-for": "192.0.2.2" }, { at: "x" })).code,
    "22007",
  );
  assert.equal((await readExpensive(anonymous, from)).code, "rate_limited");
  assert.equal((await readExpensive(anonymous, { "x-forwarded-for": "198.51.100.10" })).rate_limit.remaining, 1);
  const user = signedIn(await newUser(db.sql));
  assert.deepEqual((await readExpensive(user, from)).reply, ["authenticated", null]);
  await readExpensive(user, from);
  assert.equal((await readExpensive(user, { "cf-connecting-ip": "198.51.100.11" })).code, "rate_limited");
});

Deno.test("rate limits: the service reads for an anonymous client, as that client and counted for its network; no other caller may set one", async () => {
  const service = { role: "service_role" } as const;
  const address = "198.51.100.20";
  assert.deepEqual((await readExpensive(service, {}, { address })).reply, ["anon", null]);
  await readExpensive({ role: "anon" }, { "cf-connecting-ip": address });
  assert.equal((await readExpensive(service, {}, { address })).code, "rate_limited");
  for (const caller of [signedIn(await newUser(db.sql)), { role: "anon" } as const]) {
    const error = await errorOf(readExpensive(caller, {}, { address: "198.51.100.21" }));
    assert.deepEqual([error.code, error.param], ["forbidden", "address"]);
  }
});

Deno.test("rate limits: a read that costs more than a page is rejected past its count, except for jobs and tests", async () => {
  const past = db.as({ role: "anon" }, async (sql) => {
    await sql`select set_config('request.headers', '{"a": "b"}', true)`;
    await sql`select api.probe_expensive()`;
  });
  assert.equal((await errorOf(past)).code, "forbidden");
  await db.sql`select api.probe_expensive()`;
});

Deno.test("rate limits: read_counted runs no command", async () => {
  const user = signedIn(await newUser(db.sql));
  const error = await errorOf(db.as(user, (sql) => sql`select api.read_counted('withdraw_my_account')`));
  assert.equal(error.code, "not_found");
});

Deno.test("rate limits: expensive reads of one network do not wait for each other, and the quota holds for what gets a response", async () => {
  await db.sql`update private.rate_limit_policies set quota = 2 where name = 'expensive_read'`;
  const from = { "cf-connecting-ip": "198.51.100.30" };
  await db.sql.unsafe(`
    create function api.probe_held() returns jsonb language plpgsql stable set search_path = '' as $$
    begin perform pg_advisory_xact_lock_shared(4711); return 'true'; end $$;
    grant execute on function api.probe_held() to anon`);
  const read = (sql: TransactionSql, name: string) =>
    sql<{ read: Read }[]>`
      select set_config('request.headers', ${
      JSON.stringify({ a: "b", ...from })
    }, true), api.read_counted(${name}) as read`;
  const ends: Promise<{ read: { reply?: unknown } }[]>[] = [];
  await db.sql.begin(async (holder) => {
    await holder`select pg_advisory_xact_lock(4711)`; // until this transaction ends
    const held = db.as({ role: "anon" }, (sql) => read(sql, "probe_held"));
    await eventually(async () => {
      const [waiting] = await db.sql`
        select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`;
      return waiting === undefined ? undefined : true;
    });
    const quick = await db.as({ role: "anon" }, async (sql) => {
      await sql`set local lock_timeout = '5s'`; // a read that waits for the other fails here
      return (await read(sql, "probe_expensive"))[0]!.read;
    });
    assert.deepEqual(quick.reply, ["anon", null]);
    ends.push(held);
  });
  assert.equal((await ends[0]!)[0]!.read.reply, true);
  const replies = await Promise.all(Array.from({ length: 8 }, () => readExpensive({ role: "anon" }, from)));
  assert.equal(replies.filter(({ reply }) => reply !== undefined).length, 0);
  assert.equal(replies.filter(({ code }) => code === "rate_limited").length, 8);
});
