// /rest/v1/rpc: arguments and results, as PostgREST has them.
// Runs alone: it sets another function before each request to the shared platform.
import { strict as assert } from "node:assert";
import postgres from "postgres";
import { queryOf } from "../../supabase/functions/_shared/db/query.ts";
import { eventually } from "../support/eventually.ts";
import { signUp } from "../support/people.ts";
import { codeOf, rpc, withFunction } from "../support/rest.ts";
import { stack } from "../support/stack.ts";

function send(method: string, path: string, headers: Record<string, string> = {}, body: BodyInit | null = null) {
  return fetch(`${stack().restUrl}${path}`, {
    method,
    headers: { apikey: stack().publishableKey, ...headers },
    body,
  });
}

const DOUBLE = `(p_number integer default 3) returns integer language sql stable as $$ select 2 * p_number $$`;

Deno.test("data api: numbers, nulls and JSON are returned as Postgres writes them", async () => {
  const definition = `(p jsonb) returns jsonb language sql stable as $$ select p $$`;
  await withFunction(definition, async (name) => {
    for (const text of ["1.10", "12345678901234567890.123456789", '{"a": 1.0, "b": [1e2]}', "null", '"x"']) {
      const answer = await send("POST", `/rpc/${name}`, { "content-type": "application/json" }, `{"p": ${text}}`);
      assert.equal(await answer.text(), text.replace("1e2", "100"));
      assert.equal(answer.headers.get("content-type"), "application/json; charset=utf-8");
      assert.equal(answer.headers.get("content-range"), "0-0/*");
    }
  });
});

Deno.test("data api: functions that return rows, row filters, counts and other media types are rejected", async () => {
  for (const returns of ["setof text", "table (a text, b text)"]) {
    await withFunction(
      `() returns ${returns} language sql stable as $$ select 'a' ${returns.startsWith("table") ? ", 'b'" : ""} $$`,
      async (name) => assert.deepEqual(await codeOf(await rpc(name, {})), [501, "LOCAL501"]),
    );
  }
  await withFunction(DOUBLE, async (name) => {
    for (const prefer of ["count=exact", "handling=strict, max-affected=1"]) {
      assert.deepEqual(await codeOf(await rpc(name, {}, { prefer })), [501, "LOCAL501"]);
    }
    assert.deepEqual(await codeOf(await rpc(name, {}, { accept: "text/csv" })), [406, "PGRST107"]);
    assert.equal(await (await rpc(name, {}, { prefer: "return=minimal" })).json(), 6);
    assert.deepEqual(await codeOf(await send("POST", `/rpc/${name}?select=n`)), [501, "LOCAL501"]);
  });
});

Deno.test("data api: a void result is 204 without a body", async () => {
  await withFunction(`() returns void language sql as $$ select $$`, async (name) => {
    const answer = await rpc(name, {});
    assert.deepEqual([answer.status, await answer.text()], [204, ""]);
    assert.equal(answer.headers.get("content-type"), null);
  });
});

Deno.test("data api: GET and HEAD read arguments from the query and cannot write", async () => {
  await withFunction(DOUBLE, async (name) => {
    assert.equal(await (await send("GET", `/rpc/${name}?p_number=1`)).json(), 2);
    const head = await send("HEAD", `/rpc/${name}?p_number=1`);
    assert.deepEqual([head.status, await head.text(), head.headers.get("content-range")], [200, "", "0-0/*"]);
    assert.deepEqual(await codeOf(await send("GET", `/rpc/${name}?p_number=one`)), [400, "22P02"]);
    for (const query of ["select=n", "limit=1", "order=n.desc", "n=gt.1"]) {
      assert.equal((await codeOf(await send("GET", `/rpc/${name}?p_number=2&${query}`)))[0], 501, query);
    }
  });
  const sql = postgres(stack().dbUrl, { max: 1, onnotice: () => {} });
  const table = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  try {
    await sql.unsafe(`create table private.${table} (i integer)`);
    const writes = `() returns integer language plpgsql security definer as $$
      begin insert into private.${table} values (1); return 1; end $$`;
    await withFunction(writes, async (name) => {
      assert.deepEqual(await codeOf(await send("GET", `/rpc/${name}`)), [405, "25006"]);
      assert.equal((await rpc(name, {})).status, 200);
      assert.deepEqual(await codeOf(await send("PUT", `/rpc/${name}`)), [405, "PGRST101"]);
    });
    assert.deepEqual((await sql.unsafe(`select i from private.${table}`)).length, 1);
  } finally {
    await sql.unsafe(`drop table private.${table}`);
    await sql.end();
  }
});

Deno.test("data api: GET accepts JSON, lists and every text that is not a filter; filters are rejected", async () => {
  const definition = `(p_json jsonb default null, p_texts text[] default null, p_ids uuid[] default null,
      p_numbers float8[] default null, p_text text default null, p_at timestamptz default null, p_is boolean default null)
    returns jsonb language sql stable as $$
      select jsonb_strip_nulls(jsonb_build_object('json', p_json, 'texts', p_texts, 'ids', p_ids, 'numbers', p_numbers,
        'text', p_text, 'at', p_at, 'is', p_is)) $$`;
  const texts = [
    "",
    " ",
    "a,b",
    "{}",
    '"',
    "\\",
    "null",
    "NULL",
    "渋谷駅",
    "a b",
    "x&y=z?#%",
    "is",
    "+09:00",
    "'",
    "\n",
  ];
  const given: Record<string, unknown> = {
    p_json: { v: 1, tags: ["covered", "a,b"], "in": { max_price: 300.5 }, text: '"\\ 駅' },
    p_texts: texts,
    p_ids: [crypto.randomUUID(), crypto.randomUUID()],
    p_numbers: [139.7671, -35.5, 1e-7],
    p_text: '{"a": "渋谷 & 駅"}',
    p_at: "2026-09-01T09:30:00+09:00",
    p_is: false,
  };
  await withFunction(definition, async (name) => {
    const sent = async (query: Record<string, string>) => {
      const answer = await send("GET", `/rpc/${name}?${new URLSearchParams(query)}`);
      assert.equal(answer.status, 200, await answer.clone().text());
      return await answer.json();
    };
    const { at, ...reply } = await sent(queryOf(given)!);
    const { p_at: _, ...others } = given;
    assert.deepEqual(reply, Object.fromEntries(Object.entries(others).map(([key, value]) => [key.slice(2), value])));
    assert.equal(Date.parse(at), Date.parse("2026-09-01T09:30:00+09:00"));
    assert.deepEqual(await sent(queryOf({ p_texts: [] })!), { texts: [] });
    const filters = [
      "is",
      "in",
      "eq",
      "like.x",
      "eq.",
      "in.(1,2)",
      "fts(english).a",
      "not.eq.1",
      "is.null",
      "match(any).{a}",
    ];
    for (const value of filters) {
      assert.equal(queryOf({ p_text: value }), undefined, value);
      const answer = await send("GET", `/rpc/${name}?${new URLSearchParams({ p_text: value })}`);
      assert.equal((await codeOf(answer))[0], 501, value);
    }
    for (const value of ["inside", "isle", "not", "35.68", "a.eq.b", "Eq.1", "駅.is"]) {
      assert.deepEqual(await sent(queryOf({ p_text: value })!), { text: value });
    }
  });
});

Deno.test("data api: a function can set the status and the headers of its response", async () => {
  const definition = `() returns integer language plpgsql as $$ begin
    perform set_config('response.status', '418', true);
    perform set_config('response.headers', '[{"X-A": "b"}, {"Set-Cookie": "a=1"}, {"Set-Cookie": "b=2"}]', true);
    return 1; end $$`;
  await withFunction(definition, async (name) => {
    const answer = await rpc(name, {});
    assert.deepEqual([answer.status, answer.headers.get("x-a"), await answer.json()], [418, "b", 1]);
    assert.deepEqual(answer.headers.getSetCookie(), ["a=1", "b=2"]);
  });
});

Deno.test("data api: an unknown function is 404 with what was searched for; two functions that match are 300", async () => {
  const wrong = await rpc("list_codes", { p_lang: "en", p_no: 1 });
  assert.equal(wrong.status, 404);
  const { code, message, details, hint } = await wrong.json();
  assert.equal(code, "PGRST202");
  assert.equal(message, "Could not find the function api.list_codes(p_lang, p_no) in the schema cache");
  assert.match(details, /^Searched for the function api.list_codes with parameters p_lang, p_no or with a single/);
  assert.match(hint, /^Perhaps you meant to call the function api.list_codes\(/);
  assert.deepEqual(await codeOf(await rpc("no_such_function", {})), [404, "PGRST202"]);

  await withFunction(`(a integer default 1) returns integer language sql stable as $$ select a $$`, async (name) => {
    const sql = postgres(stack().dbUrl, { max: 1, onnotice: () => {} });
    try {
      await sql.unsafe(`create function api.${name}(a text) returns integer language sql as $$ select 1 $$;
        notify pgrst, 'reload schema'`);
      await eventually(async () => {
        const answer = await rpc(name, { a: 1 });
        await answer.body?.cancel();
        return answer.status === 300 ? true : undefined;
      });
      assert.deepEqual(await codeOf(await rpc(name, { a: 1 })), [300, "PGRST203"]);
    } finally {
      await sql.unsafe(`drop function api.${name}(integer); drop function api.${name}(text);
        create function api.${name}() returns integer language sql as $$ select 1 $$`);
      await sql.end();
    }
  });
});

Deno.test("data api: a body that is not a JSON object is 400", async () => {
  const json = { "content-type": "application/json" };
  for (const body of ["{", "not json", "[]", "[{}]", '"x"', new Uint8Array([0x22, 0xff, 0x22])]) {
    assert.deepEqual(await codeOf(await send("POST", "/rpc/list_codes", json, body)), [400, "PGRST102"]);
  }
  const pdf = { "content-type": "application/pdf" };
  assert.deepEqual(await codeOf(await send("POST", "/rpc/list_codes", pdf, "x")), [400, "PGRST102"]);
  await withFunction(
    `(a integer, b text[]) returns text language sql stable as $$ select a || b[1] $$`,
    async (name) => assert.equal(await (await rpc(name, { a: 1, b: ["y"] })).json(), "1y"),
  );
});

Deno.test("data api: a body larger than 6 MiB is 413, also without Content-Length", async () => {
  const large = `{"p": "${"x".repeat(6 * 1024 * 1024)}"}`;
  assert.equal((await codeOf(await send("POST", "/rpc/list_codes", {}, large)))[0], 413);
  const chunk = new TextEncoder().encode("x".repeat(64 * 1024));
  let left = 100;
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => left-- > 0 ? controller.enqueue(chunk) : controller.close(),
  });
  assert.equal((await codeOf(await send("POST", "/rpc/list_codes", {}, stream)))[0], 413);
});

Deno.test("data api: a malformed path is 400, and a path that is not a function is 404", async () => {
  assert.deepEqual(await codeOf(await send("GET", "/rpc/%zz")), [400, "PGRST125"]);
  assert.deepEqual(await codeOf(await send("GET", "/a/b")), [404, "PGRST125"]);
  assert.deepEqual(await codeOf(await send("GET", "/", { apikey: stack().secretKey })), [404, "PGRST125"]);
});

Deno.test("data api: db_pre_request runs with the role of the request, and may reject it", async () => {
  const definition = `() returns void language plpgsql as $$ begin
    if current_setting('request.headers')::jsonb ->> 'x-refuse' = current_user then
      raise sqlstate 'PGRST' using message = '{"code": "refused", "message": "No"}', detail = '{"status": 402, "headers": {"X-Why": "reason"}}';
    end if; end $$`;
  const sql = postgres(stack().dbUrl, { max: 1, onnotice: () => {} });
  try {
    await withFunction(definition, async (name) => {
      await sql.unsafe(
        `alter role authenticator set pgrst.db_pre_request = 'api.${name}'; notify pgrst, 'reload schema'`,
      );
      const answer = await eventually(async () => {
        const reply = await rpc("list_codes", { p_lang: "en" }, { "x-refuse": "anon" });
        if (reply.status !== 200) return reply;
        await reply.body?.cancel();
        return undefined;
      });
      assert.deepEqual([answer.status, answer.headers.get("x-why")], [402, "reason"]);
      assert.deepEqual(await answer.json(), { code: "refused", message: "No", details: null, hint: null });
      const { token } = await signUp();
      const other = await rpc("list_codes", { p_lang: "en" }, { "x-refuse": "anon", authorization: `Bearer ${token}` });
      assert.equal(other.status, 200);
      await other.body?.cancel();
    });
  } finally {
    await sql.unsafe(
      `alter role authenticator set pgrst.db_pre_request = 'private.tag_request'; notify pgrst, 'reload schema'`,
    );
    await eventually(async () => {
      const answer = await rpc("list_codes", { p_lang: "en" });
      await answer.body?.cancel();
      return answer.status === 200 ? true : undefined;
    });
    await sql.end();
  }
});
