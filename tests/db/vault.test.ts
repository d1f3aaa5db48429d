// The two functions of the vault: for the service key alone, by every entry point, and no secret in any log.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { signUp } from "../support/people.ts";
import { LOG } from "../support/platform.ts";
import { stack } from "../support/stack.ts";
import { inDatabase } from "../api/lots.ts";

type Row = Record<string, unknown>;

const { apiUrl, publishableKey, secretKey } = stack();

/** Calls a function of the Data API with a key, and a token where there is one. */
async function rpc(
  name: string,
  body: Row,
  key = secretKey,
  token?: string,
): Promise<{ status: number; text: string }> {
  const response = await fetch(`${apiUrl}/rest/v1/rpc/${name}`, {
    method: "POST",
    headers: {
      apikey: key,
      "content-type": "application/json",
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

const newSecret = () => ({ new_secret: `secret ${crypto.randomUUID()}`, new_name: `name ${crypto.randomUUID()}` });

async function inserted(secret = newSecret()): Promise<{ id: string; secret: string; name: string }> {
  const { status, text } = await rpc("vault_insert_secret", secret);
  assert.equal(status, 200, text);
  return { id: JSON.parse(text), secret: secret.new_secret, name: secret.new_name };
}

const read = (id: string) => rpc("vault_read_secret", { secret_id: id });

Deno.test("vault_insert_secret: keeps ciphertext and returns the id, by which vault_read_secret returns the secret", async () => {
  const { id, secret, name } = await inserted();
  const [row] = await inDatabase((sql) =>
    sql<{ name: string; secret: string }[]>`select name, secret from vault.secrets where id = ${id}`
  );
  assert.equal(row!.name, name);
  assert.ok(!row!.secret.includes(secret));
  assert.deepEqual(await read(id), { status: 200, text: JSON.stringify(secret) });
  assert.deepEqual(await read(crypto.randomUUID()), { status: 200, text: "null" });
});

Deno.test("vault_insert_secret: a name that is taken is 409 conflict and the secret of that name stays, also at once", async () => {
  const { id, secret, name } = await inserted();
  const again = await rpc("vault_insert_secret", { new_secret: "another", new_name: name });
  assert.equal(again.status, 409);
  const { code, details } = JSON.parse(again.text);
  assert.deepEqual([code, JSON.parse(details)], ["conflict", { param: "new_name", details: { reason: "exists" } }]);
  assert.equal((await read(id)).text, JSON.stringify(secret));
  const fresh = newSecret();
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => rpc("vault_insert_secret", fresh)));
  assert.deepEqual(outcomes.map(({ status }) => status).sort(), [200, ...Array(9).fill(409)]);
});

Deno.test("vault_insert_secret: an empty secret and an invalid name are 422 and named", async () => {
  for (
    const [wrong, param] of [
      [{ new_secret: "" }, "new_secret"],
      [{ new_secret: null }, "new_secret"],
      [{ new_name: " " }, "new_name"],
      [{ new_name: null }, "new_name"],
      [{ new_name: "x".repeat(256) }, "new_name"],
    ] as const
  ) {
    const { status, text } = await rpc("vault_insert_secret", { ...newSecret(), ...wrong });
    assert.equal(status, 422, text);
    assert.equal(JSON.parse(JSON.parse(text).details).param, param);
  }
});

Deno.test("vault functions: only the service may call them: no anonymous user, user or administrator, by any interface", async () => {
  const { id, secret } = await inserted();
  const user = await signUp();
  const administrator = await signUp({ appMetadata: { admin: { areas: ["admins", "rewards", "users"] } } });
  const fresh = newSecret();
  const calls: [name: string, body: Row][] = [
    ["vault_read_secret", { secret_id: id }],
    ["vault_insert_secret", fresh],
    ["run_command", { p_command: "vault_read_secret", p_arguments: { secret_id: id } }],
    ["run_command", { p_command: "vault_insert_secret", p_arguments: fresh }],
    ["read_counted", { p_function: "vault_read_secret", p_arguments: { secret_id: id } }],
    ["run_admin_command", {
      p_admin_id: administrator.id,
      p_command: "vault_read_secret",
      p_arguments: { secret_id: id },
    }],
  ];
  for (const token of [undefined, user.token, administrator.token]) {
    for (const [name, body] of calls) {
      const { status, text } = await rpc(name, body, publishableKey, token);
      assert.ok([401, 403, 404].includes(status), `${name} ${JSON.stringify(body)}: ${status} ${text}`);
      assert.ok(!text.includes(secret), name);
    }
  }
  // A function that commands run by name is another than the service calls by its own.
  const byService = await rpc("run_admin_command", calls.at(-1)![1]);
  assert.ok(byService.status === 404 && !byService.text.includes(secret), byService.text);
  const stored = await inDatabase((sql) => sql`select from vault.secrets where name = ${fresh.new_name}`);
  assert.equal(stored.length, 0);
  for (const role of ["anon", "authenticated"]) {
    for (const signature of ["api.vault_read_secret(uuid)", "api.vault_insert_secret(text, text)"]) {
      const [row] = await inDatabase((sql) =>
        sql`select has_function_privilege(${role}, ${signature}, 'execute') as may`
      );
      assert.equal(row!["may"], false, `${role} ${signature}`);
    }
  }
});

Deno.test("vault functions: no secret is in a log of the platform, in a statement that runs, or in a reply that is kept", async () => {
  const { id, secret, name } = await inserted();
  await read(id);
  const rejected = newSecret().new_secret;
  assert.equal((await rpc("vault_insert_secret", { new_secret: rejected, new_name: name })).status, 409);
  assert.equal((await rpc("vault_insert_secret", { new_secret: rejected, new_name: "" })).status, 422);
  assert.equal((await rpc("vault_insert_secret", { new_secret: rejected, new_name: name, more: 1 })).status, 404);
  const kept = await inDatabase((sql) =>
    sql<{ text: string }[]>`
      select coalesce(string_agg(text, ' '), '') as text from (
        select query as text from pg_stat_activity where pid <> pg_backend_pid()
        union all select reply::text from private.idempotency_replies
      ) t`
  );
  const [row] = await inDatabase((sql) =>
    sql<{ folder: string }[]>`select current_setting('data_directory') as folder`
  );
  const ofDatabase = await Deno.readTextFile(join(dirname(row!.folder), "postgres.log"));
  assert.ok(ofDatabase.includes("The vault has a secret with this name already"), "the database logs errors");
  for (const text of [await Deno.readTextFile(LOG), ofDatabase, kept[0]!.text]) {
    for (const value of [secret, rejected]) assert.ok(!text.includes(value), value);
  }
});
