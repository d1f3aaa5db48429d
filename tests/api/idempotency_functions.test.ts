// Through `once` every function of the interface answers what it answers when it is called by itself: for each of them
// both ways are asked for the same, by the same caller when it only reads and by two alike when it writes.
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { type Person, signUp } from "../support/people.ts";
import { stack } from "../support/stack.ts";
import { aLot, inDatabase } from "./lots.ts";

interface ApiFunction {
  readonly name: string;
  readonly reads: boolean;
  readonly mine: boolean;
  readonly args: readonly { readonly name: string; readonly type: string; readonly required: boolean }[];
}

const functions = await inDatabase((sql) =>
  sql<ApiFunction[]>`
    select p.proname as name, p.provolatile <> 'v' as reads, has_function_privilege('authenticated', p.oid, 'execute') as mine,
      coalesce((
        select jsonb_agg(jsonb_build_object('name', a.name, 'type', a.type::regtype, 'required', a.at <= p.pronargs - p.pronargdefaults))
        from unnest(p.proargnames[1:p.pronargs], p.proargtypes::oid[]) with ordinality as a (name, type, at)
      ), '[]') as args
    from pg_proc p where p.pronamespace = 'api'::regnamespace and p.proname not in ('once', 'counted', 'take_request')
    order by p.proname`
);
const [one, other] = [await signUp(), await signUp()];
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

async function rpc(person: Person, name: string, args: unknown): Promise<Outcome> {
  const answer = await fetch(`${stack().restUrl}/rpc/${name}`, {
    method: "POST",
    headers: {
      apikey: stack().publishableKey,
      authorization: `Bearer ${person.token}`,
      "content-profile": "api",
      "content-type": "application/json",
    },
    body: JSON.stringify(args),
  });
  const text = await answer.text();
  return { status: answer.ok ? 200 : answer.status, data: text === "" ? null : JSON.parse(text) };
}

async function throughOnce(person: Person, name: string, args: unknown, attempt = 1): Promise<Outcome> {
  const call = {
    p_key: `compare-${name}-${attempt}`,
    p_fingerprint: "0".repeat(64),
    p_function: name,
    p_arguments: args,
  };
  const first = await rpc(person, "once", call);
  if (first.status !== 200) return first;
  const again = await rpc(person, "once", call);
  const [kept, replay] = [first.data, again.data] as { replayed: boolean; reply: unknown }[];
  assert.deepEqual(replay, { ...kept, replayed: true }, `${name}: the replay differs`);
  return { status: 200, data: kept!.reply };
}

/** What a function that reads answers by itself, and through `once` meanwhile; asked anew when others change what it reads. */
async function readBothWays(person: Person, name: string, args: unknown): Promise<{ direct: Outcome; kept: Outcome }> {
  for (let attempt = 1;; attempt++) {
    const direct = await rpc(person, name, args);
    const kept = await throughOnce(person, name, args, attempt);
    const after = await rpc(person, name, args);
    if (attempt === 20 || isDeepStrictEqual(direct, after)) return { direct, kept };
  }
}

async function writeBothWays(name: string, args: unknown): Promise<{ direct: Outcome; kept: Outcome }> {
  return { direct: await rpc(one, name, args), kept: await throughOnce(other, name, args) };
}

/** The form of a value: what two callers' answers have in common whose ids and times differ. */
function form(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(form);
  if (typeof value !== "object" || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, form(inner)]));
}

let succeeded = 0;
for (const each of functions.filter(({ mine }) => mine)) {
  Deno.test(`api.${each.name} answers through once as by itself`, async () => {
    const args = argumentsOf(each);
    const { direct, kept } = each.reads
      ? await readBothWays(one, each.name, args)
      : await writeBothWays(each.name, args);
    if (direct.status === 200) succeeded++;
    if (each.reads) assert.deepEqual(kept, direct);
    else assert.deepEqual(form(kept), form(direct));
    assert.equal(kept.status, direct.status);
  });
}

Deno.test("these comparisons are of answers, not of refusals alone", () => {
  assert.ok(succeeded >= 10, `${succeeded} answers`);
});

Deno.test("a function that a caller may not execute is refused through once too", async () => {
  for (const each of functions.filter(({ mine }) => !mine)) {
    assert.equal((await throughOnce(one, each.name, argumentsOf(each))).status, 403, each.name);
  }
});
