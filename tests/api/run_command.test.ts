// Through `run_command` every function of the interface gives the reply it gives by itself, and with an idempotency key the
// same again. Reads are compared with their own reply, commands with the reply to another user without a key.
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { type Person, signUp } from "../support/people.ts";
import { stack } from "../support/stack.ts";
import { aLot, inDatabase } from "./lots.ts";

interface ApiFunction {
  readonly name: string;
  readonly isCommand: boolean;
  readonly mine: boolean;
  readonly args: readonly { readonly name: string; readonly type: string; readonly required: boolean }[];
}

const functions = await inDatabase((sql) =>
  sql<ApiFunction[]>`
    select p.proname as name, p.pronamespace = 'commands'::regnamespace as "isCommand", has_function_privilege('authenticated', p.oid, 'execute') as mine,
      coalesce((
        select jsonb_agg(jsonb_build_object('name', a.name, 'type', a.type::regtype, 'required', a.at <= p.pronargs - p.pronargdefaults))
        from unnest(p.proargnames[1:p.pronargs], p.proargtypes::oid[]) with ordinality as a (name, type, at)
      ), '[]') as args
    from pg_proc p
    where p.pronamespace in ('api'::regnamespace, 'commands'::regnamespace) and p.proname not in ('run_command', 'read_counted', 'take_request')
      and p.proname not like 'test\\_%' -- made and dropped by other tests meanwhile
    order by p.proname`
);
const [one, other] = [await signUp(), await signUp()];
/** Reads with a key are counted as well, so many that one user's quota does not suffice. */
const readers = [await signUp(), await signUp(), await signUp()];
const lot = await aLot();

/** What arguments of these names are given; the others get something of their type, when they must be given. */
const byName: Record<string, unknown> = {
  p_parking_lot_id: lot,
  p_lot_id: lot,
  p_id: lot,
  p_lat: 35.68,
  p_lng: 139.76,
  p_lang: "ja",
  p_rating: 5,
  p_value: "good",
  p_vote: "confirm",
  p_state: "full",
  p_status: "available",
  p_vehicle_type: "standard",
  p_entry_at: "2026-09-01T10:00:00Z",
  p_exit_at: "2026-09-01T12:00:00Z",
  p_limit: 5,
};
const byType: Record<string, unknown> = {
  uuid: "00000000-0000-4000-8000-000000000001",
  text: "a text",
  "text[]": ["a"],
  "uuid[]": [lot],
  integer: 1,
  smallint: 1,
  bigint: 1,
  "bigint[]": [1],
  boolean: true,
  numeric: 1.5,
  "double precision": 1.5,
  jsonb: {},
  json: {},
  "timestamp with time zone": "2026-09-01T10:00:00Z",
  date: "2026-09-01",
};

function argumentsOf({ name, args }: ApiFunction): Record<string, unknown> {
  return Object.fromEntries(
    args.filter(({ name, required }) => required || name in byName).map((argument) => {
      const value = byName[argument.name] ?? byType[argument.type];
      assert.notEqual(value, undefined, `${name} needs an example of ${argument.name} ${argument.type}`);
      return [argument.name, value];
    }),
  );
}

interface Outcome {
  readonly status: number;
  readonly data: unknown;
}

async function rpc(user: Person, name: string, args: unknown): Promise<Outcome> {
  const answer = await fetch(`${stack().restUrl}/rpc/${name}`, {
    method: "POST",
    headers: {
      apikey: stack().publishableKey,
      authorization: `Bearer ${user.token}`,
      "content-profile": "api",
      "content-type": "application/json",
    },
    body: JSON.stringify(args),
  });
  const text = await answer.text();
  return { status: answer.ok ? 200 : answer.status, data: text === "" ? null : JSON.parse(text) };
}

interface Ran {
  readonly replayed: boolean;
  readonly reply: unknown;
  readonly rate_limit: unknown;
}

/** With a key the call is made twice, and the second reply is the first. */
async function run(user: Person, name: string, args: unknown, key?: string): Promise<Outcome> {
  const call = {
    p_command: name,
    p_arguments: args,
    ...(key !== undefined && { p_key: key, p_fingerprint: "0".repeat(64) }),
  };
  const first = await rpc(user, "run_command", call);
  if (first.status !== 200) return first;
  const { reply, replayed } = first.data as Ran;
  assert.equal(replayed, false, name);
  if (key !== undefined) {
    const again = (await rpc(user, "run_command", call)).data as Ran;
    assert.deepEqual([again.replayed, again.reply], [true, reply], `${name}: the replay differs`);
  }
  return { status: 200, data: reply };
}

/** What a read replies by itself and with a key meanwhile; again when others changed what it reads. */
async function readBothWays(user: Person, name: string, args: unknown): Promise<{ direct: Outcome; kept: Outcome }> {
  for (let attempt = 1;; attempt++) {
    const direct = await rpc(user, name, args);
    const kept = await run(user, name, args, `read-${name}-${attempt}`);
    const after = await rpc(user, name, args);
    if (attempt === 20 || isDeepStrictEqual(direct, after)) return { direct, kept };
  }
}

async function runBothWays(name: string, args: unknown): Promise<{ direct: Outcome; kept: Outcome }> {
  return { direct: await run(one, name, args), kept: await run(other, name, args, `command-${name}`) };
}

/** The form of a value: what two callers' answers have in common whose ids and times differ. */
function form(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(form);
  if (typeof value !== "object" || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, form(inner)]));
}

/** The body of an error, as it would be without the count. */
const uncounted = ({ status, data }: Outcome): Outcome => {
  const { rate_limit: _, ...error } = Object(data);
  return status === 200 ? { status, data } : { status, data: error };
};

let succeeded = 0;
for (const [at, each] of functions.filter(({ mine }) => mine).entries()) {
  Deno.test(`run_command: ${each.name} replies as when called directly`, async () => {
    const args = argumentsOf(each);
    const { direct, kept } = each.isCommand
      ? await runBothWays(each.name, args)
      : await readBothWays(readers[at % readers.length]!, each.name, args);
    if (direct.status === 200) succeeded++;
    if (each.isCommand) assert.deepEqual(form(uncounted(kept).data), form(uncounted(direct).data));
    else assert.deepEqual(uncounted(kept), uncounted(direct));
    assert.equal(kept.status, direct.status);
  });
}

Deno.test("run_command: the comparisons include replies, not only errors", () => {
  assert.ok(succeeded >= 10, `${succeeded} replies`);
});

Deno.test("run_command: texts are in NFC, of which the length counts the letters, and kanji of names stay", async () => {
  const driver = await signUp();
  const nicknames = [["\u1112\u1161\u11ab", 50, 200], ["\u1112\u1161\u11ab", 51, 422], [
    "\ufa19e\u0301",
    25,
    200,
  ]] as const;
  for (const [part, times, status] of nicknames) {
    const vehicle = { vehicle_type: "standard", nickname: part.repeat(times) };
    const added = await run(driver, "add_my_vehicle", { p_vehicle: vehicle });
    assert.equal(added.status, status, `${times} times`);
    const shown = status === 200
      ? part.replace("e\u0301", "é").replace("\u1112\u1161\u11ab", "한").repeat(times)
      : undefined;
    assert.equal((added.data as { readonly nickname?: string }).nickname, shown);
  }
});

Deno.test("run_command: a function that only the service may execute is not found", async () => {
  let caller = one;
  for (const [n, each] of functions.filter(({ mine }) => !mine).entries()) {
    if (n % 50 === 0) caller = await signUp(); // more functions than one user's quota
    const expected = each.isCommand ? [403] : [403, 404];
    assert.ok(expected.includes((await run(caller, each.name, argumentsOf(each))).status), each.name);
  }
});

Deno.test("run_command: a command called by its own name is not found in any schema", async () => {
  for (const each of functions.filter(({ isCommand }) => isCommand)) {
    assert.equal((await rpc(one, each.name, argumentsOf(each))).status, 404, each.name);
  }
});

Deno.test("run_command: beyond the quota the Data API itself answers 429 with the headers of the limit", async () => {
  const user = await signUp();
  await inDatabase((sql) =>
    sql`insert into private.rate_limit_windows (policy, subject, taken) values ('write', ${user.id}, 120)`
  );
  const answer = await fetch(`${stack().restUrl}/rpc/run_command`, {
    method: "POST",
    headers: {
      apikey: stack().publishableKey,
      authorization: `Bearer ${user.token}`,
      "content-profile": "api",
      "content-type": "application/json",
    },
    body: JSON.stringify({ p_command: "rate_parking_lot", p_arguments: { p_parking_lot_id: lot, p_value: "good" } }),
  });
  assert.equal(answer.status, 429);
  assert.match(answer.headers.get("ratelimit") ?? "", /^"write";r=0;t=\d+$/);
  assert.equal((await answer.json()).code, "rate_limited");
});

Deno.test("run_command: missing arguments and arguments that are not an object are rejected by name; a null command is not found", async () => {
  for (const args of [null, [], "text", 5]) {
    const { status, data } = await run(one, "rate_parking_lot", args);
    assert.equal(status, 422, JSON.stringify(args));
    assert.deepEqual((data as Record<string, unknown>)["code"], "validation_error");
    assert.deepEqual(JSON.parse(String((data as Record<string, unknown>)["details"])), { param: "arguments" });
  }
  for (
    const [entryPoint, call] of [["run_command", { p_command: null }], ["read_counted", { p_function: null }]] as const
  ) {
    const { status, data } = await rpc(one, entryPoint, call);
    assert.deepEqual([status, (data as Record<string, unknown>)["code"]], [404, "not_found"], entryPoint);
  }
});

Deno.test("read_counted: an anonymous client gets the status of the function itself", async () => {
  const ask = async (name: string, args: unknown) => {
    const answer = await fetch(`${stack().restUrl}/rpc/${name}`, {
      method: "POST",
      headers: { apikey: stack().publishableKey, "content-profile": "api", "content-type": "application/json" },
      body: JSON.stringify(args),
    });
    return [answer.status, (await answer.json()).code];
  };
  const direct = await ask("my_account", {});
  assert.deepEqual(direct, [401, "42501"]);
  assert.deepEqual(await ask("read_counted", { p_function: "my_account" }), direct);
});
