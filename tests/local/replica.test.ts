// Reads by a read replica: every route that only reads works on a hot standby, and a caller sees what it has written.
import { strict as assert } from "node:assert";
import { join } from "node:path";
import postgres from "postgres";
import { identify } from "../../local/postgres/identity.ts";
import { Balancer } from "../../local/rest/balance.ts";
import type { Rest } from "../../local/rest/rest.ts";
import { STATE } from "../../local/settings.ts";
import { isWrite, READ_AFTER_HEADER } from "../../supabase/functions/_shared/http/read_after.ts";
import { instanceOf, type Route } from "../../supabase/functions/_shared/http/route.ts";
import { groups } from "../../supabase/functions/openapi/contract.ts";
import { requestOf } from "../policies/admin_actors.ts";
import { crashPlatform } from "../support/crash_platform.ts";
import { asSuperuser } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { newUser } from "../support/rows.ts";
import { token } from "../support/tokens.ts";

/** The calls of the Data API that functions make, on their way to the gateway. */
/** What functions count is written later, beside whatever request is then under way. */
const COUNTS = new Set(["add_search_counts", "add_request_counts"]);
const calls: { method: string; name: string }[] = [];
let gateway = "";
const proxy = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
  const { pathname, search } = new URL(request.url);
  const name = /^\/rest\/v1\/rpc\/(\w+)$/.exec(pathname)?.[1];
  if (name !== undefined && !COUNTS.has(name)) calls.push({ method: request.method, name });
  return await fetch(gateway + pathname + search, {
    method: request.method,
    headers: request.headers,
    body: request.body,
  });
});
const platform = await crashPlatform({
  replica: { reads: "all" },
  functionSettings: { SUPABASE_URL: `http://127.0.0.1:${proxy.addr.port}` },
});
const { sql, status } = platform;
gateway = status.API_URL;
const replica = postgres(asSuperuser(status.REPLICA_DB_URL!), { max: 1, onnotice: () => {}, backoff: () => 0.1 });
Deno.test.afterAll(async () => {
  await replica.end({ timeout: 1 });
  await platform[Symbol.asyncDispose]();
  await proxy.shutdown();
});

const bearer = (id: string) => ({ authorization: `Bearer ${token(id, { secret: status.JWT_SECRET })}` });
const send = (path: string, init: RequestInit = {}) => fetch(`${status.FUNCTIONS_URL}${path}`, init);
const write = async (caller: Record<string, string>, method: string, path: string, body: unknown) => {
  const headers = { ...caller, "content-type": "application/json" };
  const response = await send(path, { method, headers, body: JSON.stringify(body) });
  const text = await response.text();
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
  return { response, reply: text === "" ? null : JSON.parse(text) };
};

/** Waits until the replica has all that is committed. */
async function caughtUp(): Promise<void> {
  const [{ at }] = await sql<[{ at: string }]>`select pg_current_wal_insert_lsn()::text as at`;
  await eventually(async () => {
    const [row] = await replica<{ isThere: boolean }[]>`select pg_last_wal_replay_lsn() >= ${at} as "isThere"`;
    return row!.isThere || undefined;
  });
}

const admin = crypto.randomUUID();
const [known] = await sql<{ areas: string[] }[]>`select private.admin_areas() as areas`;
await sql`
  insert into auth.users (id, email, raw_app_meta_data)
  values (${admin}, 'admin@example.test', ${sql.json({ admin: { name: "A", areas: known!.areas } })})`;
const person = await newUser(sql);
const [lot] = await sql<
  { id: string }[]
>`select id from public.parking_lots where status = 'active' order by id limit 1`;

/** What lists need to have an item, from which the addresses of single things are made. */
async function leaveSomethingEverywhere(): Promise<void> {
  const mine = bearer(person);
  const { reply: { session_id } } = await write(mine, "POST", "/parking-sessions", { parking_lot_id: lot!.id });
  await write(mine, "POST", `/parking-lots/${lot!.id}/reviews`, { rating: 4 });
  await write(mine, "PUT", `/parking-lots/${lot!.id}/rating`, { value: "good" });
  await write(mine, "POST", "/me/vehicles", { vehicle_type: "standard" });
  await write(mine, "POST", "/me/saved-parking-lots", { parking_lot_id: lot!.id });
  await write(mine, "POST", "/support/tickets", { category: "other", subject: "Subject", message: "Message" });
  await write(mine, "POST", "/error-reports", { parking_lot_id: lot!.id, report_type: "price", description: "Wrong" });
  await write(bearer(admin), "POST", "/admin/user-notifications", {
    type: "campaign",
    title: "T",
    body: "B",
    target: "all",
  });
  await sql`
    insert into public.field_values (parking_lot_id, field_name, value, state)
    values (${lot!.id}, 'total_spaces', '40', 'disputed')`;
  await sql`insert into public.store_sync_runs (store, task) values ('ios_store', 'sales')`;
  await sql`
    with subscription as (insert into public.user_subscriptions (
      user_id, plan_id, platform, environment, subscription_key, status, started_at, auto_renewing, is_trial_period,
      original_purchase_date
    ) select ${person}, id, 'ios', 'Sandbox', 'key', 'expired', now(), false, false, now()
    from public.subscription_plans limit 1 returning id)
    insert into public.store_events (store, event_id, subscription_id, source, occurred_at, confirmed_at, facts)
    select 'ios_store', 'one', id, 'verify', now(), now(), '{"status": "expired"}' from subscription`;
  assert.ok(session_id);
}

const routes = groups.flatMap((group) => group.routes);
const reading = routes.filter((route) => instanceOf(route) === "any" && route.calls.length > 0);

function callerOf({ access }: Route): Record<string, string> {
  if (access === "public") return {};
  return { ...bearer(access === "admin" ? admin : person), [READ_AFTER_HEADER]: "0" };
}

/** The address of a thing that exists: of the first item of the list that the path begins with. */
async function addressOf(route: Route, asked: string): Promise<string> {
  const at = route.path.indexOf("/{");
  if (at < 0) return asked;
  const list = route.path.slice(0, at);
  // Places are listed for a word only.
  const text = await (await send(list === "/places" ? "/places?q=shibuya" : list, { headers: callerOf(route) })).text();
  const item = JSON.parse(text).items?.[0] ?? assert.fail(`${list} has no item: ${text}`);
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(item[name])));
  return asked.includes("?") ? `${path}?${asked.split("?")[1]}` : path;
}

Deno.test("reads: each read-only route calls the database by GET only, and works on a hot standby", async () => {
  await leaveSomethingEverywhere();
  await caughtUp();
  assert.ok(reading.length > 80, `${reading.length} routes`);
  const wrong: string[] = [];
  for (const route of reading) {
    const { path, init } = requestOf(route, "good");
    const address = await addressOf(route, path);
    calls.length = 0;
    const response = await send(address, { ...init, headers: { ...Object(init.headers), ...callerOf(route) } });
    const text = await response.text();
    if (!response.ok || calls.length === 0 || calls.some(({ method }) => method !== "GET")) {
      wrong.push(`${route.method} ${address}: ${response.status} ${text.slice(0, 200)} ${JSON.stringify(calls)}`);
    }
  }
  assert.deepEqual(wrong, []);
});

Deno.test("reads: a signed-in request without X-Read-After reads from the primary, an anonymous one does not", async () => {
  const methodOf = async (path: string, headers: Record<string, string>) => {
    calls.length = 0;
    const response = await send(path, { headers });
    assert.equal(response.status, 200, await response.text());
    return calls.map(({ method }) => method).join();
  };
  const mine = bearer(person);
  for (const path of ["/me", `/parking-lots/${lot!.id}`, "/me/vehicles"]) {
    assert.equal(await methodOf(path, mine), "POST", path);
    assert.equal(await methodOf(path, { ...mine, [READ_AFTER_HEADER]: "0" }), "GET", path);
    for (const recent of [String(Date.now()), String(Date.now() - 50_000), "now", "", "-1", "1e3", "9".repeat(15)]) {
      assert.equal(await methodOf(path, { ...mine, [READ_AFTER_HEADER]: recent }), "POST", `${path} after ${recent}`);
    }
    assert.equal(await methodOf(path, { ...mine, [READ_AFTER_HEADER]: String(Date.now() - 70_000) }), "GET", path);
  }
  assert.equal(await methodOf(`/parking-lots/${lot!.id}`, {}), "GET");
});

Deno.test("reads: with a replica that lags, a caller with X-Read-After sees its own writes", async () => {
  const mine = bearer(person);
  const nameAfter = async (headers: Record<string, string>) => {
    const response = await send("/me", { headers: { ...mine, ...headers } });
    return (await response.json()).app_user.display_name;
  };
  await write(mine, "PATCH", "/me", { display_name: "before" });
  await caughtUp();
  await replica`select pg_wal_replay_pause()`;
  try {
    const { response } = await write(mine, "PATCH", "/me", { display_name: "after" });
    const mark = response.headers.get(READ_AFTER_HEADER)!;
    assert.match(mark, /^\d{13}$/);
    assert.equal(await nameAfter({ [READ_AFTER_HEADER]: mark }), "after");
    assert.equal(await nameAfter({}), "after");
    assert.equal(await nameAfter({ [READ_AFTER_HEADER]: "0" }), "before", "the replica did not answer");
  } finally {
    await replica`select pg_wal_replay_resume()`;
  }
  await eventually(async () => await nameAfter({ [READ_AFTER_HEADER]: "0" }) === "after" || undefined);
});

Deno.test("reads: with a replica that lags five seconds, all writes are visible at once with X-Read-After", async () => {
  await replica`alter system set recovery_min_apply_delay = '5s'`;
  await replica`select pg_reload_conf()`;
  const mine = bearer(person);
  const platesAfter = async (mark: string) => {
    const response = await send("/me/vehicles?limit=100", { headers: { ...mine, [READ_AFTER_HEADER]: mark } });
    const { items } = await response.json();
    return items.map(({ plate_number }: { plate_number: string | null }) => plate_number);
  };
  try {
    let mark = "0";
    for (const plate of ["1", "2", "3"]) {
      const { response } = await write(mine, "POST", "/me/vehicles", { vehicle_type: "standard", plate_number: plate });
      mark = response.headers.get(READ_AFTER_HEADER)!;
      assert.ok((await platesAfter(mark)).includes(plate), plate);
    }
    await eventually(async () => (await platesAfter("0")).includes("3") || undefined);
  } finally {
    await replica`alter system reset recovery_min_apply_delay`;
    await replica`select pg_reload_conf()`;
  }
});

Deno.test("reads: every response to a write has X-Read-After, and no response to a read", async () => {
  const mine = { ...bearer(person), "content-type": "application/json" };
  const markOf = async (method: string, path: string, body?: unknown) => {
    const response = await send(path, { method, headers: mine, ...(body ? { body: JSON.stringify(body) } : {}) });
    await response.body?.cancel();
    return response.headers.has(READ_AFTER_HEADER);
  };
  assert.ok(await markOf("PATCH", "/me", { display_name: "again" }));
  assert.ok(await markOf("PATCH", "/me", { nick: "again" }), "an error may come after an effect");
  assert.ok(!await markOf("GET", "/me"));
  const stay = { entry_at: "2026-09-01T10:00:00Z", exit_at: "2026-09-01T11:00:00Z" };
  assert.ok(!await markOf("POST", `/parking-lots/${lot!.id}/calc-fee`, stay));
  assert.deepEqual(routes.filter((route) => route.method === "GET" && isWrite(route)), []);
});

Deno.test("Data API: the replica serves GET, the primary every other request", async () => {
  await sql.unsafe(`
    create function api.answers() returns boolean language sql stable as 'select pg_is_in_recovery()';
    grant execute on function api.answers() to anon;
    notify pgrst, 'reload schema'`);
  const headers = { apikey: status.PUBLISHABLE_KEY, "content-profile": "api" };
  const isReplica = (method: string) => async () => {
    const response = await fetch(`${status.REST_URL}/rpc/answers`, { method, headers });
    const reply = await response.json();
    return response.ok ? { reply } : undefined;
  };
  assert.deepEqual(await eventually(isReplica("GET")), { reply: true });
  assert.deepEqual(await eventually(isReplica("POST")), { reply: false });
});

Deno.test("Data API: the primary serves reads while the replica is down", async () => {
  const { home } = await identify(STATE);
  const [{ port }] = await replica<[{ port: string }]>`select current_setting('port') as port`;
  const folder = (await replica<[{ folder: string }]>`select current_setting('data_directory') as folder`)[0].folder;
  assert.ok(folder.startsWith(home) && folder.endsWith(join("replica", "data")), folder);
  Deno.kill(Number.parseInt(await Deno.readTextFile(join(folder, "postmaster.pid"))), "SIGKILL");
  await eventually(async () => (await send("/codes?lang=en")).ok || undefined);
  await eventually(async () => {
    const [row] = await replica`select current_setting('port') = ${port} as "isSame"`.catch(() => []);
    return row?.["isSame"] || undefined;
  });
  await eventually(async () => (await send("/codes?lang=en")).ok || undefined);
});

Deno.test("Data API: two databases serve every other GET each", () => {
  const named = (name: string) => ({ handle: () => name }) as unknown as Rest;
  let isUp = true;
  const balancer = new Balancer({
    primary: named("primary"),
    replica: named("replica"),
    isReplicaUp: () => isUp,
    reads: "half",
  });
  const url = new URL("http://127.0.0.1/rest/v1/rpc/list_codes");
  const ask = (method: string): unknown => balancer.handle(new Request(url, { method }), url, "");
  assert.deepEqual(["GET", "GET", "POST", "GET", "HEAD"].map(ask), [
    "replica",
    "primary",
    "primary",
    "replica",
    "primary",
  ]);
  isUp = false;
  assert.deepEqual(["GET", "GET"].map(ask), ["primary", "primary"]);
});
