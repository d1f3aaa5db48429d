// What a client can reach when it bypasses the functions and calls the Data API directly.
import assert from "node:assert/strict";
import postgres from "postgres";
import { domains } from "../policies/domains.ts";
import { type Person, signUp } from "../support/people.ts";
import { stack } from "../support/stack.ts";

const { restUrl, dbUrl, publishableKey, secretKey, anonKey, serviceRoleKey } = stack();

const user = await signUp();
const administrator = await signUp({
  appMetadata: { admin: { name: "Administrator", areas: ["lots", "support"] } },
});
const suspended = await signUp();
const sql = postgres(dbUrl, { max: 1, onnotice: () => {} });
await sql`update public.app_users set status = 'suspended' where id = ${suspended.id}`;
await sql.end();

/** What each client may send; the last two are not clients, and find no more than these. */
const callers: Record<string, Record<string, string>> = {
  "the publishable key": { apikey: publishableKey },
  "the anonymous key": { apikey: anonKey, authorization: `Bearer ${anonKey}` },
  "a person": signedIn(user),
  "an administrator": signedIn(administrator),
  "the secret key": { apikey: secretKey },
  "the service role key": { apikey: anonKey, authorization: `Bearer ${serviceRoleKey}` },
};

const requests: [method: string, query: string, body: string | null][] = [
  ["GET", "?select=*", null],
  ["HEAD", "?select=*", null],
  ["POST", "", "{}"],
  ["PATCH", "?id=not.is.null", "{}"],
  ["PUT", "?id=eq.00000000-0000-0000-0000-000000000000", "{}"],
  ["DELETE", "?id=is.null", null],
];

for (const [caller, headers] of Object.entries(callers)) {
  Deno.test(`closed tables: ${caller} cannot access any table through the Data API, in no schema and by no method`, async () => {
    const tables = ["users", ...domains.flatMap((domain) => domain.tables).map(({ table }) => table)];
    for (const profile of [undefined, "api", "public", "private", "auth"]) {
      const named = profile && { "accept-profile": profile, "content-profile": profile };
      // Every table in the schema where tables are; one in the others is as good as all.
      for (const table of profile === "public" ? tables : ["app_users", "users"]) {
        for (const [method, query, body] of requests) {
          const answer = await fetch(`${restUrl}/${table}${query}`, {
            method,
            headers: { ...headers, ...named, "content-type": "application/json" },
            body,
          });
          await answer.body?.cancel();
          const error = [401, 403, 404, 405, 406].includes(answer.status);
          assert.ok(error, `${method} ${table} in ${profile ?? "no schema"}: ${answer.status}`);
        }
      }
    }
  });

  Deno.test(`closed tables: ${caller} calls no function outside of the schema api`, async () => {
    for (
      const [schema, name] of [
        ["private", "active_user"],
        ["private", "latest_migration"],
        ["commands", "withdraw_my_account"],
        ["auth", "uid"],
      ]
    ) {
      const { status, body } = await rpc(name!, headers, schema!);
      assert.ok([401, 403, 404, 406].includes(status), `${schema}.${name}: ${status} ${body}`);
    }
  });
}

Deno.test("closed tables: the Data API does not describe the tables either", async () => {
  const answer = await fetch(`${restUrl}/`, { headers: callers["a person"]! });
  assert.doesNotMatch(await answer.text(), /app_users|parking_lots/);
});

Deno.test("closed tables: an anonymous user cannot call a function that needs a user, also directly at the Data API", async () => {
  for (const [name, given] of [["my_account", {}], ["run_command", { p_command: "withdraw_my_account" }]] as const) {
    const { status, body } = await rpc(name, callers["the publishable key"]!, "api", given);
    assert.ok([401, 403].includes(status), `${name}: ${status} ${body}`);
  }
});

Deno.test("closed tables: a suspended user gets 403 at the Data API as well, and can read only their own account", async () => {
  const place = { p_lat: 35.68, p_lng: 139.76 };
  for (
    const [name, body] of [["run_command", { p_command: "update_my_account", p_arguments: { p_display_name: "x" } }], [
      "nearby_parking_lots",
      place,
    ]] as const
  ) {
    const answer = await rpc(name, signedIn(suspended), "api", body);
    assert.equal(answer.status, 403, `${name}: ${answer.body}`);
    assert.equal(JSON.parse(answer.body).code, "forbidden", name);
  }
  const { status, body } = await rpc("my_account", signedIn(suspended));
  assert.equal(status, 200, body);
  assert.equal(JSON.parse(body).app_user.status, "suspended");
});

function signedIn({ token }: Person): Record<string, string> {
  return { apikey: publishableKey, authorization: `Bearer ${token}` };
}

async function rpc(
  name: string,
  headers: Record<string, string>,
  schema = "api",
  body: unknown = {},
): Promise<{ status: number; body: string }> {
  const answer = await fetch(`${restUrl}/rpc/${name}`, {
    method: "POST",
    headers: { ...headers, "content-profile": schema, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: await answer.text() };
}
