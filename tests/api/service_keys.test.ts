// Service keys of both kinds: at an endpoint of the service through the gateway, and in the vault, from which jobs send them.
import assert from "node:assert/strict";
import postgres from "postgres";
import { forEach } from "../../supabase/functions/_shared/queue/pool.ts";
import { eventually } from "../support/eventually.ts";
import { serviceKeyCases, writtenResponse } from "../support/service_keys.ts";
import { stack } from "../support/stack.ts";
import { token } from "../support/tokens.ts";
import { ask } from "./client.ts";

const WORKERS = ["push-dispatch", "mail-dispatch", "storage/sweep", "store-notifications/process", "store-sync"];

Deno.test("service keys: the gateway passes on each combination of headers, and the function decides", async () => {
  const { publishableKey, secretKey, anonKey, serviceRoleKey, jwtSecret } = stack();
  const cases = serviceKeyCases({
    publishable: publishableKey,
    secret: secretKey,
    anon: anonKey,
    service: serviceRoleKey,
    user: token(crypto.randomUUID(), { secret: jwtSecret }),
  });
  // A call that is accepted waits two seconds for mails.
  await forEach(cases, 8, async ({ name, headers, response }) => {
    assert.equal(await writtenResponse(await ask("/mail-dispatch", { method: "POST", headers })), response, name);
  });
});

Deno.test("service keys: with a secret key or a legacy key in the vault every worker accepts the calls of jobs", async () => {
  const { dbUrl, secretKey, serviceRoleKey } = stack();
  assert.match(secretKey, /^sb_secret_/);
  const sql = postgres(dbUrl, { max: 1, onnotice: () => {} });
  const statusOf = async (id: string) => {
    const [row] = await sql<{ status_code: number }[]>`select status_code from net._http_response where id = ${id}`;
    return row?.status_code;
  };
  const [kept] = await sql<{ id: string; key: string }[]>`
    select id, decrypted_secret as key from vault.decrypted_secrets where name = 'service_role_key'`;
  const keep = (key: string) => sql`select vault.update_secret(${kept!.id}, ${key})`;
  // The key in the vault at the time of the call is sent. Both are valid, so other tests are not affected.
  const responses = async (key: string) => {
    await keep(key);
    return await Promise.all(WORKERS.map(async (worker) => {
      const [call] = await sql<{ id: string }[]>`select private.call_function(${worker}) as id`;
      return `${worker} ${await eventually(() => statusOf(call!.id))}`;
    }));
  };
  try {
    for (const key of [secretKey, serviceRoleKey]) {
      assert.deepEqual(await responses(key), WORKERS.map((worker) => `${worker} 200`));
    }
  } finally {
    await keep(kept!.key);
    await sql.end();
  }
});
