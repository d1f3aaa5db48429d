// Attackers whose account was suspended, or who withdrew it, and whose tokens are still valid; and administrators who have no
// area. They may read that they may not, and nothing else.
import assert from "node:assert/strict";
import { groups } from "../../supabase/functions/openapi/contract.ts";
import { inDatabase } from "../api/lots.ts";
import { erased } from "../support/forgotten.ts";
import { type Person, signUp } from "../support/people.ts";
import { newLot } from "../support/rows.ts";
import { stack } from "../support/stack.ts";
import { allFunctions, argumentsFor, codeOf, rpc, run, send } from "./attacker.ts";

const functions = await allFunctions();
const commands = functions.filter(({ schema }) => schema === "commands");
const lot = await inDatabase((sql) => newLot(sql));

const suspended = await signUp();
await inDatabase((sql) => sql`update public.app_users set status = 'suspended' where id = ${suspended.id}`);
const withdrawn = await signUp();
assert.equal((await send(withdrawn, "POST", "/me/withdraw")).status, 204);
await inDatabase((sql) => erased(sql, withdrawn.id)); // the job would change the counts of rows meanwhile

/** How many rows reference a user, over all tables. */
async function rowsOf(user: Person): Promise<Record<string, number>> {
  return await inDatabase(async (sql) => {
    const columns = await sql<{ table: string; column: string }[]>`
      select c.oid::regclass::text as table, a.attname as column
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname in ('user_id', 'id') and a.atttypid = 'uuid'::regtype
      where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace) and c.relkind = 'r'`;
    const counts: Record<string, number> = {};
    for (const { table, column } of columns) {
      if (table === "private.rate_limit_windows") continue;
      const [row] = await sql.unsafe(`select count(*)::integer as n from ${table} where ${column} = '${user.id}'`);
      counts[`${table}.${column}`] = row!["n"];
    }
    return counts;
  });
}

for (const [standing, user] of Object.entries({ suspended, withdrawn })) {
  Deno.test(`${standing} user: every route that knows a caller is 403, except GET /me`, async () => {
    for (const route of groups.flatMap(({ routes }) => routes)) {
      if (route.access !== "user" || route.path === "/me" && route.method === "GET") continue;
      const path = route.path.replace("{phase}/{slot}", "during/1").replaceAll(/\{\w+\}/g, lot);
      const reply = await send(user, route.method, path, route.method === "GET" ? undefined : {});
      assert.ok([403, 422].includes(reply.status), `${route.method} ${route.path}: ${reply.status}`);
    }
  });

  Deno.test(`${standing} user: every command is rejected at the Data API and leaves no row`, async () => {
    const before = await rowsOf(user);
    for (const each of commands) {
      const reply = await run(user, each.name, argumentsFor(each, { p_parking_lot_id: lot, p_value: "good" }));
      assert.ok(
        reply.status >= 400 && reply.status < 500,
        `${each.name}: ${reply.status} ${JSON.stringify(reply.body)}`,
      );
    }
    const keyed = await rpc(user, "run_command", {
      p_command: "rate_parking_lot",
      p_arguments: { p_parking_lot_id: lot, p_value: "good" },
      p_key: "a-key",
      p_fingerprint: "0".repeat(64),
    });
    assert.deepEqual([keyed.status, codeOf(keyed)], [403, "forbidden"]);
    assert.deepEqual(await rowsOf(user), before);
  });

  Deno.test(`${standing} user: reads at the Data API are 403, except of their own account`, async () => {
    const reads = functions.filter(({ name, schema, forAuthenticated }) =>
      schema === "api" && forAuthenticated &&
      /^(list_my|my_|get_parking|get_support|nearby_parking|search|parking_lot_occ|export)/.test(name)
    );
    for (const each of reads) {
      const reply = await rpc(user, each.name, argumentsFor(each, { p_lat: 35.68, p_lng: 139.76 }));
      if (each.name === "my_account") assert.equal(reply.status, 200);
      else assert.ok([403, 404].includes(reply.status), `${each.name}: ${reply.status} ${JSON.stringify(reply.body)}`);
    }
  });
}

Deno.test("withdrawn user: neither the refresh token nor the password nor a mailed link signs in again", async () => {
  const { apiUrl, publishableKey } = stack();
  const auth = async (path: string, body: unknown) => {
    const answer = await fetch(`${apiUrl}/auth/v1${path}`, {
      method: "POST",
      headers: { apikey: publishableKey, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    await answer.body?.cancel();
    return answer.status;
  };
  assert.ok(await auth("/token?grant_type=refresh_token", { refresh_token: withdrawn.refreshToken }) >= 400);
  assert.ok(await auth("/token?grant_type=password", { email: withdrawn.email, password: withdrawn.password }) >= 400);
});

Deno.test("administrator without areas: reads no rows of users and changes nothing", async () => {
  const administrator = await signUp({ appMetadata: { admin: { name: "Nobody", areas: [] } } });
  const victim = await signUp();
  const vehicle = await send(victim, "POST", "/me/vehicles", { vehicle_type: "standard" });
  const id = Object(vehicle.body).id;
  for (const each of functions.filter(({ schema, forAuthenticated }) => schema === "api" && !forAuthenticated)) {
    const { status } = await rpc(administrator, each.name, argumentsFor(each));
    assert.ok([401, 403, 404].includes(status), `${each.name}: ${status}`);
  }
  assert.ok([403, 404].includes((await send(administrator, "DELETE", `/me/vehicles/${id}`)).status));
  assert.equal(Object((await send(victim, "GET", "/me/vehicles")).body).items.length, 1);
  const { body } = await send(administrator, "GET", "/me");
  assert.deepEqual(Object(body).permission_scopes.filter((scope: string) => scope.startsWith("admin:")), []);
});

Deno.test("administrator with an app account: approves neither their own review nor their own report", async () => {
  const user = await signUp();
  await inDatabase((sql) =>
    sql`
      update auth.users set raw_app_meta_data = raw_app_meta_data || '{"admin": {"name": "Both", "areas": ["reviews"]}}'
      where id = ${user.id}`
  );
  const review = await send(user, "POST", `/parking-lots/${lot}/reviews`, { rating: 5 });
  assert.equal(review.status, 201, JSON.stringify(review.body));
  const moved = await send(user, "PATCH", `/admin/reviews/${Object(review.body).id}`, {
    status: "approved",
    seen_updated_at: Object(review.body).updated_at,
  });
  assert.equal(moved.status, 403);
  assert.deepEqual(Object(moved.body).error.details, { reason: "own_entry" });
});
