// What one account can make the database keep, write and do: bytes in a day, write-ahead log in a call, and calls of a function
// in a call are below constants.
//
// Every function that a client may call is taken from the catalogue. Each command has a unit of use below: calls with valid ids,
// again and again. Texts, lists and objects are generated: the largest that the command accepts. A command without a unit fails
// the test. A day is extrapolated: what the last calls of a unit kept, times the calls that the quotas of a day allow.
import assert from "node:assert/strict";
import postgres, { type Sql, type TransactionSql } from "postgres";
import { asSuperuser, database } from "../support/database.ts";
import { chance } from "../support/random.ts";
import { newLot, newUser, signedIn } from "../support/rows.ts";
import { seed } from "../support/sizes.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

// Only a superuser has Postgres count the calls of functions, here of all connections that follow.
const superuser = postgres(asSuperuser(db.url), { max: 1, onnotice: () => {} });
await superuser`alter database ${superuser(new URL(db.url).pathname.slice(1))} set track_functions = 'all'`;
await superuser.end();

/** What the rows of one account may grow in a day by one unit of use. */
const MAX_KEPT_BYTES = 128 * 1024 * 1024;
/** What one call may write to the write-ahead log, also the last one of a day. */
const MAX_WAL_BYTES = 1024 * 1024;
/** How often a use with the largest texts may call one function: a number that does not grow with the texts. */
const MAX_CALLS = 40;
/** So many uses of a unit are measured, twice. */
const USES = 12;
const LOTS = 80;
const DAY_SECONDS = 86_400;

const SEED = seed("KEPT_BYTES_SEED", 20261123);
console.log(`KEPT_BYTES_SEED=${SEED}`);
const random = chance(SEED);

/** Characters of three bytes that compress badly. */
const text = (length: number) =>
  Array.from({ length }, () => String.fromCharCode(0x4e00 + random.below(0x5000))).join("");

const ascii = (length: number) => Array.from({ length }, () => String.fromCharCode(0x21 + random.below(94))).join("");

/** Replaced by the longest text that the command accepts, a new one for each call; ASCII by one without spaces. */
const TEXT = "<text>";
const ASCII = "<ascii>";
const SIZES = [100_000, 20_000, 10_000, 5000, 4000, 2000, 1000, 500, 300, 200, 100, 50, 20, 10, 1];

type Call = readonly [command: string, args: Record<string, unknown>];

interface World {
  readonly user: string;
  readonly lots: readonly string[];
  readonly values: readonly { readonly id: string; readonly lot: string }[];
  readonly sponsors: readonly string[];
  readonly theme: string;
}

/** Own rows by name: what the commands of the preparation returned. */
type Own = Record<string, string>;

interface Unit {
  /** The calls of the nth use; `last` has the reply of the call before it in the same use. */
  readonly calls: (n: number, world: World, own: Own) => readonly (Call | ((last: Record<string, unknown>) => Call))[];
  /** What the user has before the first use, not measured. */
  readonly prepare?: (world: World) => Promise<Own>;
  /** Why no call of it can succeed here. */
  readonly cannotSucceed?: string;
}

const noOwn = {};
const run = async (user: string, [command, args]: Call): Promise<Record<string, unknown>> => {
  const reply = await db.as(signedIn(user), (sql) => called(sql, [command, args]));
  if ("code" in reply) throw new Error(`${command}: ${JSON.stringify(reply)}`);
  return Object(reply["reply"]);
};

async function called(sql: TransactionSql, [command, args]: Call) {
  const [row] = await sql<{ reply: Record<string, unknown> }[]>`
    select api.run_command(${command}, ${sql.json(args as never)}) as reply`;
  return row!.reply;
}

const PRINT = "a".repeat(64);
const preset = { p_name: TEXT, p_query_json: { keywords: [TEXT, TEXT, TEXT, TEXT, TEXT] } };
const vehicle = { vehicle_type: "standard", nickname: TEXT, plate_number: TEXT };
const upload = { p_file_size: 1000, p_mime_type: "image/png", p_category: "session_photo" };

async function uploaded({ user }: World, category: string): Promise<string> {
  const { asset_id } = await run(user, ["create_upload", { ...upload, p_category: category }]);
  await db.sql`update public.assets set status = 'placed', etag = 'e' where id = ${String(asset_id)}`;
  return String(asset_id);
}

const started = async ({ user, lots }: World) => ({
  session: String((await run(user, ["start_parking_session", { p_parking_lot_id: lots[0] }]))["session_id"]),
});

const units: Record<string, Unit> = {
  update_my_account: { calls: () => [["update_my_account", { p_display_name: TEXT }]] },
  post_review: {
    calls: (n, { lots }) => [["post_review", { p_parking_lot_id: lots[n], p_rating: 5, p_comment: TEXT }]],
  },
  update_my_review: {
    prepare: async ({ user, lots }) => ({
      id: String((await run(user, ["post_review", { p_parking_lot_id: lots[0], p_rating: 5 }]))["id"]),
    }),
    calls: (n, _, { id }) => [["update_my_review", { p_id: id, p_rating: 1 + n % 5, p_comment: TEXT }]],
  },
  "post_review, delete_my_review": {
    calls: (_, { lots }) => [
      ["post_review", { p_parking_lot_id: lots[0], p_rating: 5, p_comment: TEXT }],
      ({ id }) => ["delete_my_review", { p_id: id }],
    ],
  },
  rate_parking_lot: { calls: (n, { lots }) => [["rate_parking_lot", { p_parking_lot_id: lots[n], p_value: "good" }]] },
  "rate_parking_lot, unrate_parking_lot": {
    calls: (n, { lots }) => [
      ["rate_parking_lot", { p_parking_lot_id: lots[n], p_value: "bad" }],
      ["unrate_parking_lot", { p_parking_lot_id: lots[n] }],
    ],
  },
  vote_on_field_value: {
    calls: (n, { values }) => [["vote_on_field_value", {
      p_parking_lot_id: values[n]!.lot,
      p_field_value_id: values[n]!.id,
      p_vote: "confirm",
    }]],
  },
  report_occupancy: { calls: (n, { lots }) => [["report_occupancy", { p_parking_lot_id: lots[n], p_state: "full" }]] },
  add_my_vehicle: { calls: () => [["add_my_vehicle", { p_vehicle: vehicle }]] },
  update_my_vehicle: {
    prepare: async ({ user }) => ({
      id: String((await run(user, ["add_my_vehicle", { p_vehicle: { vehicle_type: "kei" } }]))["id"]),
    }),
    calls: (_, __, { id }) => [["update_my_vehicle", { p_id: id, p_changes: { nickname: TEXT, plate_number: TEXT } }]],
  },
  "add_my_vehicle, delete_my_vehicle": {
    calls: () => [["add_my_vehicle", { p_vehicle: vehicle }], ({ id }) => ["delete_my_vehicle", { p_id: id }]],
  },
  create_my_search_preset: { calls: () => [["create_my_search_preset", preset]] },
  update_my_search_preset: {
    prepare: async ({ user }) => ({
      id: String((await run(user, ["create_my_search_preset", { p_name: "a", p_query_json: {} }]))["id"]),
    }),
    calls: (
      _,
      __,
      { id },
    ) => [["update_my_search_preset", { p_id: id, ...preset }], ["set_default_search_preset", { p_id: id }]],
  },
  "create_my_search_preset, delete_my_search_preset": {
    calls: () => [["create_my_search_preset", preset], ({ id }) => ["delete_my_search_preset", { p_id: id }]],
  },
  save_parking_lot: { calls: (n, { lots }) => [["save_parking_lot", { p_parking_lot_id: lots[n] }]] },
  "save_parking_lot, unsave_parking_lot": {
    calls: (n, { lots }) => [
      ["save_parking_lot", { p_parking_lot_id: lots[n] }],
      ["unsave_parking_lot", { p_parking_lot_id: lots[n] }],
    ],
  },
  set_my_search_preferences: {
    prepare: async ({ user }) => {
      await db.sql`update public.app_users set premium_ends_at = now() + interval '1 day' where id = ${user}`;
      return noOwn;
    },
    calls: (n) => [["set_my_search_preferences", { p_yen_per_walk_minute: 10 + n }]],
  },
  "start_parking_session, finalize_parking_session": {
    calls: (n, { lots }) => [
      ["start_parking_session", {
        p_parking_lot_id: lots[n],
        p_start_lat: 35,
        p_start_lng: 139,
        p_client_request_id: crypto.randomUUID(),
      }],
      ({ session_id }) => ["finalize_parking_session", {
        p_id: session_id,
        p_exit_at: new Date(Date.now() + 60_000).toISOString(),
        p_client_request_id: crypto.randomUUID(),
      }],
    ],
  },
  "start_parking_session, cancel_parking_session": {
    calls: (n, { lots }) => [
      ["start_parking_session", { p_parking_lot_id: lots[n] }],
      ({ session_id }) => ["cancel_parking_session", { p_id: session_id }],
    ],
  },
  update_my_parking_session: {
    prepare: started,
    calls: (
      _,
      __,
      { session },
    ) => [["update_my_parking_session", { p_id: session, p_memo: TEXT, p_personal_rating: TEXT }]],
  },
  put_my_session_photo: {
    prepare: async (world) => ({ ...await started(world), asset: await uploaded(world, "session_photo") }),
    calls: (_, __, { session, asset }) => [
      ["put_my_session_photo", { p_id: session, p_phase: "during", p_slot: 1, p_asset_id: asset }],
    ],
  },
  delete_my_session_photo: {
    prepare: async (world) => {
      const own = { ...await started(world), asset: await uploaded(world, "session_photo") };
      await run(world.user, ["put_my_session_photo", {
        p_id: own.session,
        p_phase: "during",
        p_slot: 1,
        p_asset_id: own.asset,
      }]);
      return own;
    },
    calls: (_, __, { session }) => [["delete_my_session_photo", { p_id: session, p_phase: "during", p_slot: 1 }]],
  },
  mark_my_notifications_read: {
    calls: () => [["mark_my_notifications_read", { p_before: new Date().toISOString() }]],
  },
  put_my_push_token: { calls: () => [["put_my_push_token", { p_fcm_token: ASCII, p_device_type: "ios" }]] },
  "put_my_push_token, delete_my_push_token": {
    calls: () => [
      ["put_my_push_token", { p_fcm_token: ASCII, p_device_type: "ios" }],
      ({ id }) => ["delete_my_push_token", { p_id: id }],
    ],
  },
  set_my_notification_preferences: {
    calls: (n) => [["set_my_notification_preferences", {
      p_items: [{ notif_type: "announcement", push_enabled: n % 2 === 0, in_app_enabled: true, email_enabled: false }],
      p_quiet_hours: { from: "22:00", to: `07:${10 + n}`, time_zone: "Asia/Tokyo" },
    }]],
  },
  create_upload: {
    calls: () => [["create_upload", { ...upload, p_entity_type: "user", p_entity_id: crypto.randomUUID() }]],
  },
  post_error_report: {
    calls: (
      n,
      { lots },
    ) => [["post_error_report", { p_report_type: "price", p_description: TEXT, p_parking_lot_id: lots[n] }]],
  },
  create_support_ticket: {
    calls: () => [["create_support_ticket", { p_category: "other", p_subject: TEXT, p_message: TEXT }]],
  },
  reply_to_support_ticket: {
    prepare: async ({ user }) => ({
      id: String(
        (await run(user, ["create_support_ticket", { p_category: "other", p_subject: "s", p_message: "m" }]))["id"],
      ),
    }),
    calls: (_, __, { id }) => [["reply_to_support_ticket", { p_id: id, p_message: TEXT }]],
  },
  withdraw_my_account: { calls: () => [["withdraw_my_account", {}]] },
  apply_my_theme: {
    prepare: async ({ user, theme }) => {
      await db.sql`select private.grant_theme(${user}, ${theme}, 'gift')`;
      return noOwn;
    },
    calls: (_, { theme }) => [["apply_my_theme", { p_id: theme }]],
  },
  check_in_at_sponsor: {
    calls: (
      n,
      { sponsors },
    ) => [["check_in_at_sponsor", { p_id: sponsors[n], p_lat: 43.06, p_lng: 141.35, p_accuracy_m: 10 }]],
  },
  claim_subscription: {
    calls: () => [["claim_subscription", { p_subscription_id: crypto.randomUUID() }]],
    cannotSucceed: "The service must have verified the purchase in the last hour.",
  },
  register_ai_key: { calls: () => [["register_ai_key", { p_provider_id: "openai", p_api_key: ASCII }]] },
  "register_ai_key, delete_ai_key": {
    calls: () => [
      ["register_ai_key", { p_provider_id: "openai", p_api_key: ASCII }],
      ["delete_ai_key", { p_provider_id: "openai" }],
    ],
  },
};

interface Taken {
  readonly name: string;
  readonly types: Record<string, string>;
}

/** The functions of a schema that a role may call, with the types of their arguments. */
const functionsFor = (schema: string, role: string) =>
  db.sql<Taken[]>`
    select p.proname as name, (
      select coalesce(jsonb_object_agg(a.name, format_type(a.type, null)), '{}')
      from unnest(p.proargnames[1:p.pronargs], p.proargtypes::oid[]) as a (name, type)
    ) as types
    from pg_proc p
    where p.pronamespace = ${schema}::regnamespace and has_function_privilege(${role}, p.oid, 'execute') order by 1`;

const commands = new Map((await functionsFor("commands", "authenticated")).map((one) => [one.name, one]));

const lots: string[] = [];
for (let n = 0; n < LOTS; n++) lots.push(await newLot(db.sql, { total_spaces: 10 }));
const values = await db.sql<{ id: string; lot: string }[]>`
  select f.id, l.id as lot from unnest(${lots}::uuid[]) with ordinality as l (id, n)
  cross join lateral (select v.id from private.current_field_values(l.id) as v order by v.id limit 1) f order by l.n`;
const sponsors = await db.sql<{ id: string }[]>`
  insert into public.sponsors (name, lat, lng) select 'Cafe', 43.06, 141.35 from generate_series(1, ${LOTS}) returning id`;
const [theme] = await db.sql<{ id: string }[]>`insert into public.themes (name) values ('Theme') returning id`;
const worldOf = (user: string): World => ({
  user,
  lots,
  values,
  sponsors: sponsors.map(({ id }) => id),
  theme: theme!.id,
});

// The bytes of all rows: of every table but those of jobs and migrations, and those of places, which no caller writes. The places
// and the start of parallel workers would be most of its time.
const tables = await db.sql<{ name: string }[]>`
  select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and n.nspname in ('public', 'private', 'auth', 'pgmq', 'vault', 'net', 'storage')
    and c.oid not in ('private.places'::regclass, 'private.place_names'::regclass) order by 1`;
await db.sql.unsafe(`
  create function public.kept_bytes() returns float8 language plpgsql set max_parallel_workers_per_gather = 0 as $$
  begin
    return (select sum(bytes) from (
      ${tables.map(({ name }) => `select sum(pg_column_size(t.*)) as bytes from ${name} t`).join(" union all ")}) s);
  end $$`);

async function keptBytes(sql: Sql): Promise<number> {
  const [row] = await sql<{ bytes: number }[]>`select public.kept_bytes() as bytes`;
  return row!.bytes;
}

/** The calls that the quotas allow in a day, by command; the quota of a day is spent on the whole unit. */
async function usesInDay(used: readonly string[]): Promise<number> {
  const policies = await db.sql<
    { name: string; quota: number; seconds: number; daily: number | null; commands: string[] }[]
  >`
    select name, greatest(quota, premium_quota) as quota, window_seconds as seconds, daily_quota as daily, commands
    from private.rate_limit_policies`;
  const policyOf = (command: string) =>
    policies.find(({ commands }) => commands.includes(command)) ?? policies.find(({ name }) => name === "write")!;
  const calls = Map.groupBy(used, (command) => policyOf(command));
  const bounds = [...calls].map(([{ quota, seconds, daily }, { length }]) =>
    (daily ?? quota * Math.ceil(DAY_SECONDS / seconds)) / length
  );
  return Math.min(...bounds);
}

const forgetWindows = () =>
  db.sql`update private.rate_limit_windows set started_at = now() - interval '1 day', day_taken = 0`;

/** Fills each TEXT with a text of its own, by path: the size that `sizes` has, or one character. */
function filled(value: unknown, sizes: ReadonlyMap<string, number>, path: string): unknown {
  if (value === TEXT) return text(sizes.get(path) ?? 1);
  if (value === ASCII) return ascii(sizes.get(path) ?? 20);
  if (Array.isArray(value)) return value.map((one, n) => filled(one, sizes, `${path}.${n}`));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([name]) => sizes.get(`${path}.${name}`) !== 0)
      .map(([name, one]) => [name, filled(one, sizes, `${path}.${name}`)]),
  );
}

const textPaths = (value: unknown, path: string): string[] =>
  value === TEXT || value === ASCII
    ? [path]
    : typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, one]) => textPaths(one, `${path}.${name}`))
    : [];

/** Values for the arguments that a unit does not name, by type. Those that the command does not accept are left out again. */
const GENERATED: Record<string, unknown> = { "text": TEXT, "jsonb": { x: TEXT }, "text[]": Array(100).fill(TEXT) };

function withGenerated([command, args]: Call): Call {
  const { types } = commands.get(command) ?? assert.fail(`There is no command ${command}`);
  const more = Object.entries(types).filter(([name, type]) => !(name in args) && type in GENERATED);
  return [command, { ...Object.fromEntries(more.map(([name, type]) => [name, GENERATED[type]])), ...args }];
}

/** Runs one use of a unit. `send` makes each call; undefined once a call fails. */
async function use(
  { calls }: Unit,
  n: number,
  world: World,
  own: Own,
  sizes: ReadonlyMap<string, number>,
  send: (call: Call) => Promise<Record<string, unknown>>,
): Promise<boolean> {
  let last: Record<string, unknown> = {};
  for (const next of calls(n, world, own)) {
    const [command, args] = withGenerated(typeof next === "function" ? next(last) : next);
    const reply = await send([command, filled(args, sizes, command) as Record<string, unknown>]);
    if ("code" in reply) return false;
    last = Object(reply["reply"]);
  }
  return true;
}

const undo = new Error("undo");

/** The most calls of one function in a use. */
async function mostCalls(unit: Unit, world: World, own: Own, sizes: ReadonlyMap<string, number>) {
  const most = { name: "", calls: 0 };
  await db.as(signedIn(world.user), async (sql) => {
    const count = async () =>
      new Map((await sql<{ name: string; calls: number }[]>`
        select funcname as name, sum(calls)::integer as calls from pg_stat_xact_user_functions group by funcname`)
        .map(({ name, calls }) => [name, calls]));
    const before = await count();
    await use(unit, LOTS - 2, world, own, sizes, (call) => called(sql, call));
    for (const [name, all] of await count()) {
      const calls = all - (before.get(name) ?? 0);
      if (calls > most.calls) Object.assign(most, { name, calls });
    }
    throw undo;
  }).catch((error) => assert.equal(error, undo));
  return most;
}

/** The largest texts that a unit accepts, by path; 0 for a generated argument that it never accepts. */
async function largest(unit: Unit, world: World, own: Own): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  const paths = new Set<string>();
  const succeeds = async (tried: ReadonlyMap<string, number>) => {
    let isDone = false;
    await db.as(signedIn(world.user), async (sql) => {
      isDone = await use(unit, LOTS - 1, world, own, tried, (call) => called(sql, call));
      throw undo;
    }).catch((error) => assert.equal(error, undo));
    return isDone;
  };
  // Arguments that the unit names stay; generated ones begin as absent.
  let last: Record<string, unknown> = {};
  for (const next of unit.calls(LOTS - 1, world, own)) {
    const [command, named] = typeof next === "function" ? next(last) : next;
    last = {};
    const [, all] = withGenerated([command, named]);
    for (const [name, value] of Object.entries(all)) {
      const path = `${command}.${name}`;
      if (!(name in named)) sizes.set(path, 0);
      for (const found of textPaths(value, path)) paths.add(found);
    }
  }
  if (!await succeeds(sizes)) return sizes;
  for (const path of paths) {
    const argument = path.split(".").slice(0, 2).join(".");
    const wasAbsent = sizes.get(argument) === 0;
    for (const size of SIZES) {
      const tried = new Map(sizes);
      if (wasAbsent) tried.delete(argument);
      tried.set(path, size);
      if (await succeeds(tried)) {
        if (wasAbsent) sizes.delete(argument);
        sizes.set(path, size);
        break;
      }
    }
  }
  return sizes;
}

interface Wal {
  readonly "WAL Bytes": number;
  readonly "WAL FPI": number;
}

/** A call with the bytes that it writes to the log, without full pages: those are of the time since the last checkpoint. */
async function measured(user: string, [command, args]: Call, key: string | null, nth: number) {
  return await db.as(signedIn(user), async (sql) => {
    const [row] = await sql.unsafe(
      `explain (analyze, wal, timing off, format json)
       select set_config('kept.reply', api.run_command($1::text, $2::text::jsonb, $3::text, $4::text, $5::integer)::text, true)`,
      [command, JSON.stringify(args), key, PRINT, nth],
    );
    const { Plan } = row!["QUERY PLAN"][0] as { Plan: Wal };
    const [kept] = await sql<
      { reply: Record<string, unknown> }[]
    >`select current_setting('kept.reply')::jsonb as reply`;
    const whole = Plan["WAL Bytes"];
    return { log: Math.max(0, whole - Plan["WAL FPI"] * 8192), whole, reply: kept!.reply };
  });
}

/** How a client may send its keys: none, a new one for each call, one for all calls with any number. */
const KEYS: Record<string, (n: number) => [key: string | null, nth: number]> = {
  "without a key": () => [null, 1],
  "a key a call": () => [crypto.randomUUID().padEnd(255, "k"), 1],
  "one key": (n) => ["one", n + 1],
};

/**
 * How much more log the accepted calls of the second half write than those of the first, by their place in a use. The cheapest
 * are compared: the page of an index splits in up to half of the calls, which adds 8 KiB to these and is no growth.
 */
function growth(first: readonly number[][], second: readonly number[][]): number {
  const least = (logs: readonly number[] | undefined) => Math.min(...logs ?? []);
  const added = first.map((logs, place) => least(second[place]) - least(logs));
  return Math.max(0, ...added.filter(Number.isFinite));
}

for (const [name, unit] of Object.entries(units)) {
  Deno.test(`kept bytes: ${name}: a day of it by one account keeps less than 128 MiB, and a call writes less than 1 MiB of log`, async () => {
    let sizes: ReadonlyMap<string, number> | undefined;
    for (const [way, keyOf] of Object.entries(KEYS)) {
      const world = worldOf(await newUser(db.sql));
      const own = await unit.prepare?.(world) ?? noOwn;
      await forgetWindows();
      if (sizes === undefined) {
        sizes = await largest(unit, world, own);
        const most = await mostCalls(unit, world, own, sizes);
        console.log(`${name}: ${most.name} is called ${most.calls} times`);
        assert.ok(most.calls <= MAX_CALLS, `${most.name} is called ${most.calls} times`);
      }
      const used: string[] = [];
      const logged: number[] = [];
      const accepted: [number[][], number[][]] = [[], []];
      const kept = [await keptBytes(db.sql)];
      let succeeded = 0;
      let sent = 0;
      for (const [half, byPlace] of accepted.entries()) {
        for (let n = half * USES; n < (half + 1) * USES; n++) {
          await forgetWindows();
          let place = 0;
          // The first use finds nothing of an earlier one, and costs less.
          const isDone = await use(unit, n, world, own, sizes, async (call) => {
            used.push(call[0]);
            const [key, nth] = keyOf(sent++);
            const { log, whole, reply } = await measured(world.user, call, key, nth);
            logged.push(log);
            if (n > 0 && !("code" in reply)) (byPlace[place] ??= []).push(whole);
            place++;
            return reply;
          });
          succeeded += Number(isDone);
        }
        kept.push(await keptBytes(db.sql));
      }
      const [start, middle, end] = kept as [number, number, number];
      const calls = unit.calls(0, world, own).length;
      const day = await usesInDay(used.slice(0, calls));
      const bytes = (end - start) + Math.max(0, (end - middle) / USES) * Math.max(0, day - 2 * USES);
      const wal = Math.max(...logged);
      const lastWal = wal + growth(...accepted) / USES * day;
      console.log(
        `${name}, ${way}: ${Math.round(bytes / 1024)} KiB a day, ${wal} bytes of log a call, ${
          Math.round(lastWal / 1024)
        } KiB at last`,
      );
      assert.ok(bytes < MAX_KEPT_BYTES, `${way}: ${Math.round(bytes / 1024 / 1024)} MiB in a day`);
      assert.ok(lastWal < MAX_WAL_BYTES, `${way}: ${lastWal} bytes of log in the last call of a day`);
      assert.ok(succeeded > 0 || unit.cannotSucceed !== undefined, `${way}: no call of it succeeded`);
    }
  });
}

/** A value of a type that is large, or odd. */
const LARGE: Record<string, () => unknown> = {
  "text": () => text(20_000),
  "text[]": () => Array.from({ length: 200 }, () => text(100)),
  "uuid": () => crypto.randomUUID(),
  "uuid[]": () => Array.from({ length: 5000 }, () => crypto.randomUUID()),
  "jsonb": () => ({ [text(10)]: text(20_000), list: Array.from({ length: 1000 }, () => text(10)) }),
  "json": () => [text(20_000)],
  "integer": () => 2_147_483_647,
  "bigint": () => 2 ** 52,
  "smallint": () => 32_767,
  "boolean": () => true,
  "numeric": () => 1e30,
  "double precision": () => 1e300,
  "double precision[]": () => [-180, -90, 180, 90],
  "timestamp with time zone": () => "2026-11-01T00:00:00Z",
  "date": () => "2026-11-01",
};

const generated = ({ types }: Taken, without: string[] = []) =>
  Object.fromEntries(
    Object.entries(types).filter(([name]) => !without.includes(name)).map(([name, type]) => {
      const value = LARGE[type] ?? assert.fail(`${name}: the type ${type} has no generator`);
      return [name, value()];
    }),
  );

/** Calls an entry point with the log that it writes; its errors are returned, or thrown as those of Postgres. */
async function entered(role: "authenticated" | "service_role", user: string, call: string, values: unknown[]) {
  return await db.as(role === "authenticated" ? signedIn(user) : { role }, async (sql) => {
    const [row] = await sql.unsafe(`explain (analyze, wal, timing off, format json) select ${call}`, values as never[]);
    const { Plan } = row!["QUERY PLAN"][0] as { Plan: Wal };
    return Math.max(0, Plan["WAL Bytes"] - Plan["WAL FPI"] * 8192);
  });
}

Deno.test("kept bytes: reads keep nothing but a count, with any arguments, for every read of a client", async () => {
  const user = await newUser(db.sql);
  const reads = (await functionsFor("api", "authenticated")).filter(({ name }) => !ENTRY_POINTS.includes(name));
  assert.ok(reads.length > 30, `${reads.length} reads`);
  await entered("authenticated", user, "api.read_counted('my_account')", []);
  const before = await keptBytes(db.sql);
  for (const read of reads) {
    await forgetWindows();
    for (const args of [{}, generated(read)]) {
      const call = "api.read_counted($1::text, $2::text::jsonb)";
      const log = await entered("authenticated", user, call, [read.name, JSON.stringify(args)]);
      assert.ok(log < 8192, `${read.name}: ${log} bytes of log`);
    }
  }
  assert.ok(await keptBytes(db.sql) - before < 1000);
});

Deno.test("kept bytes: an administrator's command with large arguments writes less than 1 MiB of log, for every command and number of the call", async () => {
  const administrator = crypto.randomUUID();
  await db.sql`
    insert into auth.users (id, email, raw_app_meta_data)
    select ${administrator}, ${`${administrator}@example.test`}, jsonb_build_object('admin', jsonb_build_object('areas', private.admin_areas()))`;
  const isCommand = new Set(
    (await db.sql<{ name: string }[]>`
      select proname as name from pg_proc where pronamespace = 'api'::regnamespace and provolatile = 'v'`)
      .map(({ name }) => name),
  );
  const all = (await functionsFor("api", "service_role")).filter(({ name }) =>
    name.startsWith("admin_") && isCommand.has(name)
  );
  assert.ok(all.length > 50, `${all.length} commands`);
  let before = await keptBytes(db.sql);
  for (const one of all) {
    await forgetWindows();
    const args = JSON.stringify(generated(one, ["p_admin_id"]));
    for (const nth of [1, 2, 10, 11, 2_147_483_647]) {
      const call = "api.run_admin_command($1::uuid, $2::text, $3::text::jsonb, $4::text, $5::text, $6::integer)";
      const log = await entered("service_role", administrator, call, [
        administrator,
        one.name,
        args,
        one.name,
        PRINT,
        nth,
      ]);
      assert.ok(log < MAX_WAL_BYTES, `${one.name}: ${log} bytes of log`);
    }
    const after = await keptBytes(db.sql);
    assert.ok(after - before < MAX_WAL_BYTES, one.name);
    before = after;
  }
});

/** The functions of the schema api that count requests; the only ones that clients may call and that write. */
const ENTRY_POINTS = ["run_command", "read_counted", "take_request"];

Deno.test("kept bytes: 1,000 calls with odd arguments of the router alone are replies or clear errors, and keep the bounds", async () => {
  const user = await newUser(db.sql);
  const texts = [
    null,
    "",
    "a",
    "k".repeat(255),
    "k".repeat(256),
    "a b",
    "é",
    "a\n",
    "'; drop table x; --",
    "%",
    text(20_000),
  ];
  const names = [
    "my_account",
    "update_my_account",
    "save_parking_lot",
    "run_command",
    "private.count_request",
    "admin_delete_tag",
    "take_request",
  ];
  const odd: Record<string, readonly unknown[]> = {
    p_command: [...texts, ...names, ...names, ...names],
    p_function: [...texts, ...names, ...names],
    p_arguments: [
      "{}",
      "{}",
      "{}",
      null,
      "[]",
      '"x"',
      "1",
      '{"p_id": null}',
      '{"p_display_name": "a"}',
      JSON.stringify({ p_display_name: text(20_000) }),
      "[".repeat(500) + "]".repeat(500),
    ],
    p_key: [...texts, "a", "b", "c", "d"],
    p_fingerprint: [PRINT, PRINT, PRINT, "b".repeat(64), "A".repeat(64), ...texts],
    p_nth: [null, 0, -1, 1, 2, 3, 9, 10, 11, 2_147_483_647, -2_147_483_648],
    p_address: [null, null, null, "192.0.2.1", "::1", "x", text(1000)],
    p_policy: [...texts, "write", "report", "verify_iap", "expensive_read", "admin_write"],
    p_next: [...texts, "write", "report", "ai_search"],
  };
  const entries = (await functionsFor("api", "authenticated")).filter(({ name }) => ENTRY_POINTS.includes(name));
  assert.deepEqual(entries.map(({ name }) => name), [...ENTRY_POINTS].sort());
  assert.deepEqual(
    entries.flatMap(({ types }) => Object.keys(types)).filter((name) => !(name in odd)),
    [],
    "an argument without values",
  );
  const before = await keptBytes(db.sql);
  let most = 0;
  for (let n = 0; n < 1000; n++) {
    if (n % 50 === 0) await forgetWindows();
    const { name, types } = random.pick(entries);
    const given = Object.keys(types).filter(() => random.below(5) > 0);
    const values = given.map((arg) => random.pick(odd[arg]!));
    const list = given.map((arg, at) => `${arg} => $${at + 1}::${types[arg] === "jsonb" ? "text::jsonb" : types[arg]}`);
    const said = `KEPT_BYTES_SEED=${SEED}, case ${n}: ${name} ${
      JSON.stringify(Object.fromEntries(given.map((arg, at) => [arg, values[at]]))).slice(0, 500)
    }`;
    try {
      most = Math.max(most, await entered("authenticated", user, `api.${name}(${list.join(", ")})`, values));
    } catch (error) {
      // An argument that is required, not valid for its type, or rejected: the Data API replies 4xx.
      assert.match(String(Object(error).code), /^(PGRST|22|42883|42501)/, `${said}: ${error}`);
    }
  }
  assert.ok(most < 65_536, `${most} bytes of log`);
  const [found] = await db.sql<{ replies: number; calls: number; subjects: number }[]>`
    select (select max(n)::integer from (select count(*) as n from private.idempotency_replies group by user_id, key) k) as replies,
      (select count(*)::integer from private.idempotency_replies where call !~ ' ([1-9]|10)$') as calls,
      (select count(*)::integer from private.rate_limit_windows where subject = ${user}) as subjects`;
  assert.ok(found!.replies <= 10 && found!.calls === 0 && found!.subjects <= 10, JSON.stringify(found));
  assert.ok(await keptBytes(db.sql) - before < 100_000);
});

Deno.test("kept bytes: every command that clients may call has a unit, and no other name has one", async () => {
  const named = new Set(
    Object.values(units).flatMap(({ calls }) => {
      const own = { id: "", session: "", asset: "" };
      return calls(0, worldOf(""), own).map((next) => (typeof next === "function" ? next({}) : next)[0]);
    }),
  );
  assert.deepEqual([...named].sort(), [...commands.keys()].sort());
  await db.sql`
    create function commands.probe_new() returns void language sql set search_path = '' as 'select'`;
  await db.sql`grant execute on function commands.probe_new() to authenticated`;
  const now = await functionsFor("commands", "authenticated");
  assert.deepEqual(now.map(({ name }) => name).filter((name) => !named.has(name)), ["probe_new"]);
  await db.sql`drop function commands.probe_new()`;
});
