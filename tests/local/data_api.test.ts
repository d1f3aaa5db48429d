// /rest/v1: roles, keys, tokens and errors, as PostgREST and its gateway have them.
// Runs alone: it takes all connections of the Data API of the shared platform.
import { strict as assert } from "node:assert";
import postgres from "postgres";
import { sign } from "../../local/gateway/tokens.ts";
import { signUp } from "../support/people.ts";
import { codeOf, rpc, withFunction } from "../support/rest.ts";
import { STATEMENT_TIMEOUTS } from "../support/platform.ts";
import { stack } from "../support/stack.ts";

async function grants(): Promise<readonly unknown[]> {
  const sql = postgres(stack().dbUrl, { max: 1 });
  try {
    return await sql`
      select n.nspname, c.relname, c.relacl::text, n.nspacl::text,
        (select array_agg(a.attname || a.attacl::text order by a.attnum)
         from pg_attribute a where a.attrelid = c.oid and a.attacl is not null) as columns,
        (select array_agg(p.proname || p.proacl::text order by p.oid)
         from pg_proc p where p.pronamespace = n.oid and p.proname not like 'test\\_%') as functions
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('public', 'api', 'private', 'auth')
      order by n.nspname, c.relname`;
  } finally {
    await sql.end();
  }
}

Deno.test("data api: requests do not change the grants of the migrations", async () => {
  const before = await grants();
  assert.ok(before.length > 10);
  const { token } = await signUp();
  for (const headers of [{}, { authorization: `Bearer ${token}` }, { apikey: stack().secretKey }]) {
    await (await rpc("list_codes", { p_lang: "en" }, headers)).body?.cancel();
    const table = await fetch(`${stack().restUrl}/app_users`, {
      headers: { apikey: stack().publishableKey, "accept-profile": "public", ...headers },
    });
    await table.body?.cancel();
  }
  assert.deepEqual(await grants(), before);
});

Deno.test("data api: no key and no token reaches a table, in any schema", async () => {
  const { token } = await signUp();
  for (const headers of [{}, { authorization: `Bearer ${token}` }, { apikey: stack().secretKey }]) {
    for (const [method, profile] of [["GET", "accept-profile"], ["POST", "content-profile"]] as const) {
      for (const schema of ["public", "auth", "private"]) {
        const answer = await fetch(`${stack().restUrl}/app_users`, {
          method,
          headers: {
            apikey: stack().publishableKey,
            "content-type": "application/json",
            ...headers,
            [profile]: schema,
          },
          body: method === "POST" ? "{}" : null,
        });
        assert.deepEqual(await codeOf(answer), [406, "PGRST106"]);
      }
      const answer = await fetch(`${stack().restUrl}/app_users`, {
        method,
        headers: { apikey: stack().publishableKey, "content-type": "application/json", ...headers },
        body: method === "POST" ? "{}" : null,
      });
      assert.deepEqual(await codeOf(answer), [404, "PGRST205"]);
    }
  }
});

Deno.test("data api: a value of the wrong type is 400, and the connection serves the next request", async () => {
  const { token } = await signUp();
  const headers = { authorization: `Bearer ${token}` };
  const takesTime = `(p timestamptz) returns timestamptz language sql stable as $$ select p $$`;
  for (const value of [1e308, 5, true, [], [1], {}, { a: 1 }]) {
    const list = await rpc("list_my_parking_sessions", { p_from: value, p_include: value }, headers);
    await list.body?.cancel();
    assert.ok(list.status < 500, `p_from: ${JSON.stringify(value)} answered ${list.status}`);
  }
  await withFunction(takesTime, async (name) => {
    for (const value of [1e308, 5, true, [], [1], {}, { a: 1 }]) {
      const [status, code] = await codeOf(await rpc(name, { p: value }, headers));
      assert.deepEqual([status, code.slice(0, 2)], [400, "22"], JSON.stringify(value));
    }
  });
  assert.deepEqual(await codeOf(await rpc("list_my_notifications", { p_unread: "perhaps" }, headers)), [400, "22P02"]);
  for (const written of ["yes", true]) {
    const answer = await rpc("list_my_notifications", { p_unread: written }, headers);
    assert.equal((await answer.json()).items.length, 0);
  }
});

Deno.test("data api: an expired, future, forged or malformed token is 401", async () => {
  const now = Math.floor(Date.now() / 1000);
  const claims = { sub: crypto.randomUUID(), role: "authenticated", aud: "authenticated" };
  const ask = async (token: string) => codeOf(await rpc("my_account", {}, { authorization: `Bearer ${token}` }));
  assert.deepEqual(await ask(await sign({ ...claims, exp: now - 60 })), [401, "PGRST303"]);
  assert.deepEqual(await ask(await sign({ ...claims, exp: now + 600, nbf: now + 300 })), [401, "PGRST303"]);
  const forged = (await sign({ ...claims, exp: now + 600 })).replace(/[^.]+$/, "AAAA");
  assert.deepEqual(await ask(forged), [401, "PGRST301"]);
  assert.deepEqual(await ask("nonsense"), [401, "PGRST301"]);
});

Deno.test("data api: a token with any role but the three of clients is 403", async () => {
  const token = await sign({ sub: crypto.randomUUID(), role: "postgres", exp: Math.floor(Date.now() / 1000) + 60 });
  const answer = await rpc("list_codes", { p_lang: "en" }, { authorization: `Bearer ${token}` });
  assert.deepEqual(await codeOf(answer), [403, "42501"]);
});

Deno.test("data api: each of the four keys has its role; a missing or wrong key is 401", async () => {
  const definition = `() returns text language sql stable as $$ select current_user::text $$`;
  await withFunction(definition, async (name) => {
    const roleOf = async (headers: Record<string, string>) => await (await rpc(name, {}, headers)).json();
    const { publishableKey, secretKey, anonKey, serviceRoleKey } = stack();
    assert.equal(await roleOf({ apikey: publishableKey }), "anon");
    assert.equal(await roleOf({ apikey: anonKey, authorization: `Bearer ${anonKey}` }), "anon");
    assert.equal(await roleOf({ apikey: publishableKey, authorization: `Bearer ${publishableKey}` }), "anon");
    assert.equal(await roleOf({ apikey: secretKey }), "service_role");
    assert.equal(await roleOf({ apikey: serviceRoleKey }), "service_role");
    assert.equal((await rpc(name, {}, { apikey: "sb_publishable_other" })).status, 401);
    const without = await fetch(`${stack().restUrl}/rpc/${name}`, { method: "POST" });
    assert.equal(without.status, 401);
  });
});

Deno.test("data api: a JSON argument keeps its type, also text", async () => {
  const definition =
    `(p jsonb default 'null') returns text language sql stable as $$ select jsonb_typeof(p) || p::text $$`;
  await withFunction(definition, async (name) => {
    const seen = async (p: unknown) => await (await rpc(name, { p })).json();
    assert.equal(await seen({ a: [1] }), `object{"a": [1]}`);
    assert.equal(await seen("x"), `string"x"`);
    assert.equal(await seen(`{"a":1}`), `string"{\\"a\\":1}"`);
    assert.equal(await seen("5"), `string"5"`);
    assert.equal(await seen(5), "number5");
    assert.equal(await seen(true), "booleantrue");
  });
});

Deno.test("data api: a database error has PostgREST's status and body", async () => {
  const definition = `(p_code text default 'P0001') returns void language plpgsql as $$
    begin raise exception 'words' using errcode = p_code, detail = 'more', hint = 'try'; end $$`;
  const expected: Record<string, number> = {
    P0001: 400,
    "23502": 400,
    "23514": 400,
    "23505": 409,
    "23503": 409,
    "22P02": 400,
    "22023": 400,
    "25006": 405,
    "28000": 403,
    "40001": 500,
    "57014": 500,
    "53100": 503,
    "P0002": 500,
    "XX000": 500,
    PT418: 418,
    "42501": 401,
  };
  await withFunction(definition, async (name) => {
    for (const [code, status] of Object.entries(expected)) {
      const answer = await rpc(name, { p_code: code });
      assert.equal(answer.status, status, code);
      assert.deepEqual(await answer.json(), { code, message: "words", details: "more", hint: "try" });
    }
  });
});

Deno.test("data api: a function can set the status and the headers of its error", async () => {
  const definition = `() returns void language plpgsql as $$
    begin perform private.raise_error('gone_fishing', 410, 'Come back later', 'p_day'); end $$`;
  await withFunction(definition, async (name) => {
    const answer = await rpc(name, {});
    assert.equal(answer.status, 410);
    const { code, message, details } = await answer.json();
    assert.deepEqual([code, message, JSON.parse(details)], ["gone_fishing", "Come back later", { param: "p_day" }]);
  });
});

Deno.test("data api: a function can read the caller and the request, and nothing of the call before", async () => {
  const user = await signUp();
  const definition = `() returns jsonb language sql as $$
    select jsonb_build_object(
      'role', current_user, 'sub', auth.uid(), 'claims', current_setting('request.jwt.claims', true)::jsonb ->> 'sub',
      'method', current_setting('request.method', true), 'path', current_setting('request.path', true),
      'header', current_setting('request.headers', true)::jsonb ->> 'x-note'
    ) $$`;
  await withFunction(definition, async (name) => {
    const call = { method: "POST", path: `/rpc/${name}` };
    for (let round = 0; round < 3; round++) {
      const first = await rpc(name, {}, { authorization: `Bearer ${user.token}`, "x-note": "first" });
      assert.deepEqual(await first.json(), {
        ...call,
        role: "authenticated",
        sub: user.id,
        claims: user.id,
        header: "first",
      });
      const second = await rpc(name, {});
      assert.deepEqual(await second.json(), { ...call, role: "anon", sub: null, claims: null, header: null });
    }
  });
});

Deno.test("data api: the statement timeout is that of the role in the token, and of the authenticator for service_role", async () => {
  const definition = `() returns text language sql stable as $$ select current_setting('statement_timeout') $$`;
  await withFunction(definition, async (name) => {
    const { token } = await signUp();
    const { anon, authenticated, authenticator } = STATEMENT_TIMEOUTS;
    assert.equal(await (await rpc(name, {})).json(), anon);
    assert.equal(await (await rpc(name, {}, { authorization: `Bearer ${token}` })).json(), authenticated);
    assert.equal(await (await rpc(name, {}, { apikey: stack().secretKey })).json(), authenticator);
    assert.equal(await (await rpc(name, {})).json(), anon);
  });
});

Deno.test("data api: a preflight needs no key", async () => {
  const answer = await fetch(`${stack().restUrl}/rpc/my_account`, {
    method: "OPTIONS",
    headers: { origin: "http://example.com", "access-control-request-method": "POST" },
  });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("access-control-allow-origin"), "*");
  assert.match(answer.headers.get("access-control-allow-headers") ?? "", /authorization/i);
});

Deno.test("data api: a failed statement returns its own error, and its connection serves the next request", async () => {
  await withFunction("() returns text language plpgsql as $$ begin return 1 / (random() * 0); end $$", async (name) => {
    const answers = await Promise.all(Array.from({ length: 40 }, async () => codeOf(await rpc(name, {}))));
    assert.deepEqual(new Set(answers.map(String)), new Set(["400,22012"]));
  });
  const codes = await Promise.all(
    Array.from({ length: 40 }, async () => (await rpc("list_codes", { p_lang: "ja" })).status),
  );
  assert.deepEqual(new Set(codes), new Set([200]));
});

Deno.test("data api: a request whose client disconnects while it waits for a connection has no effect", async () => {
  const connections = Math.max(3, navigator.hardwareConcurrency + 1);
  const sequence = `public.test_${crypto.randomUUID().replaceAll("-", "")}`;
  const sql = postgres(stack().dbUrl, { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe(`create sequence ${sequence}`);
    // The sequence is the gate: who holds its lock keeps the statements waiting until all clients have left.
    const gate = `hashtext('${sequence}')`;
    const body = `perform nextval('${sequence}'); perform pg_advisory_xact_lock_shared(${gate});`;
    await withFunction(
      `(p_run boolean default false) returns integer language plpgsql security definer set search_path = '' as $$
         begin if p_run then ${body} end if; return 1; end $$`,
      async (name) => {
        await sql.unsafe(`select pg_advisory_lock(${gate})`);
        const leaving = Array.from({ length: 5 * connections }, () =>
          fetch(`${stack().restUrl}/rpc/${name}`, {
            method: "POST",
            headers: { apikey: stack().publishableKey, "content-type": "application/json" },
            body: '{"p_run": true}',
            signal: AbortSignal.timeout(400),
          }).then((answer) => answer.body?.cancel(), () => {})); // they are all given up
        await Promise.all(leaving);
        await new Promise((wake) => setTimeout(wake, 1_000)); // until the service has seen them leave; a statement may wait three seconds
        await sql.unsafe(`select pg_advisory_unlock(${gate})`);
        const answer = await rpc(name, {});
        assert.deepEqual([answer.status, await answer.json()], [200, 1]);
        const [{ ran }] = await sql.unsafe(`select last_value::integer as ran from ${sequence}`) as [{ ran: number }];
        assert.ok(ran <= connections, `${ran} ran, on ${connections} connections`);
      },
    );
  } finally {
    await sql.unsafe(`drop sequence if exists ${sequence}`);
    await sql.end();
  }
});
