// /rest/v1/rpc: how arguments arrive and how results leave, as PostgREST has it.
import { strict as assert } from "node:assert";
import postgres from "postgres";
import { queryOf } from "../../supabase/functions/_shared/db/query.ts";
import { eventually } from "../support/eventually.ts";
import { signUp } from "../support/people.ts";
import { codeOf, rpc, withFunction } from "../support/rest.ts";
import { stack } from "../support/stack.ts";

const SINGULAR = { accept: "application/vnd.pgrst.object+json" };

function send(method: string, path: string, headers: Record<string, string> = {}, body: BodyInit | null = null) {
  return fetch(`${stack().restUrl}${path}`, {
    method,
    headers: { apikey: stack().publishableKey, ...headers },
    body,
  });
}

const NUMBERS = `(p_many integer default 3) returns table (n integer, label text) language sql stable as $$
  select i, 'number ' || i from generate_series(1, p_many) i $$`;

Deno.test("scalar results: numbers, nulls and JSON leave as Postgres writes them", async () => {
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

Deno.test("set results: rows are a list, counted on request and cut at max_rows", async () => {
  await withFunction(NUMBERS, async (name) => {
    const answer = await rpc(name, { p_many: 2 });
    assert.deepEqual(await answer.json(), [{ n: 1, label: "number 1" }, { n: 2, label: "number 2" }]);
    assert.equal(answer.headers.get("content-range"), "0-1/*");
    assert.deepEqual(await (await rpc(name, { p_many: 0 })).json(), []);

    const counted = await rpc(name, { p_many: 1500 }, { prefer: "count=exact" });
    assert.deepEqual([counted.status, (await counted.json()).length], [206, 1000]);
    assert.equal(counted.headers.get("content-range"), "0-999/1500");
    assert.equal(counted.headers.get("preference-applied"), "count=exact");
  });
  await withFunction(`() returns setof text language sql stable as $$ values ('a'), ('b') $$`, async (name) => {
    assert.deepEqual(await (await rpc(name, {})).json(), ["a", "b"]);
  });
});

Deno.test("a single object is asked for by Accept: one row comes without its list, any other number is 406", async () => {
  await withFunction(NUMBERS, async (name) => {
    const one = await rpc(name, { p_many: 1 }, SINGULAR);
    assert.deepEqual(await one.json(), { n: 1, label: "number 1" });
    assert.equal(one.headers.get("content-type"), "application/vnd.pgrst.object+json; charset=utf-8");
    for (const many of [0, 2]) {
      const answer = await rpc(name, { p_many: many }, SINGULAR);
      assert.equal(answer.status, 406);
      const { code, details } = await answer.json();
      assert.deepEqual([code, details], ["PGRST116", `The result contains ${many} rows`]);
    }
    assert.deepEqual(await codeOf(await rpc(name, {}, { accept: "text/csv" })), [406, "PGRST107"]);
  });
});

Deno.test("a row result is an object, and a void result is 204 without a body", async () => {
  const row = `(out a integer, out b text) language sql stable as $$ select 1, 'x' $$`;
  await withFunction(row, async (name) => assert.deepEqual(await (await rpc(name, {})).json(), { a: 1, b: "x" }));
  await withFunction(`() returns void language sql as $$ select $$`, async (name) => {
    const answer = await rpc(name, {});
    assert.deepEqual([answer.status, await answer.text()], [204, ""]);
    assert.equal(answer.headers.get("content-type"), null);
  });
});

Deno.test("GET and HEAD take arguments from the query and write nothing", async () => {
  await withFunction(NUMBERS, async (name) => {
    const answer = await send("GET", `/rpc/${name}?p_many=1`);
    assert.deepEqual(await answer.json(), [{ n: 1, label: "number 1" }]);
    const head = await send("HEAD", `/rpc/${name}?p_many=1`);
    assert.deepEqual([head.status, await head.text(), head.headers.get("content-range")], [200, "", "0-0/*"]);
    assert.deepEqual(await codeOf(await send("GET", `/rpc/${name}?p_many=one`)), [400, "22P02"]);
    for (const query of ["select=n", "limit=1", "order=n.desc", "n=gt.1"]) {
      assert.equal((await codeOf(await send("GET", `/rpc/${name}?p_many=2&${query}`)))[0], 501, query);
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

Deno.test("GET takes JSON, lists and every text that is no filter; what would be one is refused", async () => {
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

Deno.test("a write whose reply cannot be given is rolled back", async () => {
  const sql = postgres(stack().dbUrl, { max: 1, onnotice: () => {} });
  const table = `private.test_${crypto.randomUUID().replaceAll("-", "")}`;
  const definition = (last: string) =>
    `() returns setof integer language plpgsql security definer as $$ begin
       insert into ${table} values (1); ${last}; return query values (1), (2); end $$`;
  try {
    await sql.unsafe(`create table ${table} (i integer)`);
    const cases: [string, Record<string, string>, number, string][] = [
      ["perform 1", SINGULAR, 406, "PGRST116"],
      ["perform 1", { prefer: "handling=strict, max-affected=1" }, 400, "PGRST124"],
      ["perform set_config('response.status', 'teapot', true)", {}, 500, "PGRST112"],
      ["perform set_config('response.headers', '{}', true)", {}, 500, "PGRST111"],
    ];
    for (const [last, headers, status, code] of cases) {
      await withFunction(definition(last), async (name) => {
        assert.deepEqual(await codeOf(await rpc(name, {}, headers)), [status, code]);
      });
    }
    assert.equal((await sql.unsafe(`select from ${table}`)).length, 0);
  } finally {
    await sql.unsafe(`drop table ${table}`);
    await sql.end();
  }
});

Deno.test("a function sets the status and the headers of its reply", async () => {
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

Deno.test("a function that does not exist is 404 and says what was searched for; two that fit are 300", async () => {
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

Deno.test("a body that is no JSON is refused, unless the function takes the whole of it", async () => {
  const json = { "content-type": "application/json" };
  for (const body of ["{", "not json", '[{"a": 1}, {"b": 1}]', new Uint8Array([0x22, 0xff, 0x22])]) {
    assert.deepEqual(await codeOf(await send("POST", "/rpc/list_codes", json, body)), [400, "PGRST102"]);
  }
  const pdf = { "content-type": "application/pdf" };
  assert.deepEqual(await codeOf(await send("POST", "/rpc/list_codes", pdf, "x")), [400, "PGRST102"]);
  await withFunction(`(text) returns text language sql stable as $$ select upper($1) $$`, async (name) => {
    assert.equal(await (await send("POST", `/rpc/${name}`, { "content-type": "text/plain" }, "a b")).json(), "A B");
  });
  await withFunction(`(jsonb) returns text language sql stable as $$ select jsonb_typeof($1) $$`, async (name) => {
    assert.equal(await (await send("POST", `/rpc/${name}`, json, "[1, 2]")).json(), "array");
    assert.equal(await (await send("POST", `/rpc/${name}`, json, '{"any": 1}')).json(), "object");
  });
  await withFunction(
    `(a integer, b text[]) returns text language sql stable as $$ select a || b[1] $$`,
    async (name) => {
      const form = { "content-type": "application/x-www-form-urlencoded" };
      assert.equal(await (await send("POST", `/rpc/${name}`, form, "a=1&b={x}")).json(), "1x");
      assert.equal(await (await rpc(name, { a: 1, b: ["y"] })).json(), "1y");
    },
  );
});

Deno.test("a body larger than 6 MiB is 413, also when its length is not told", async () => {
  const large = `{"p": "${"x".repeat(6 * 1024 * 1024)}"}`;
  assert.equal((await codeOf(await send("POST", "/rpc/list_codes", {}, large)))[0], 413);
  const chunk = new TextEncoder().encode("x".repeat(64 * 1024));
  let left = 100;
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => left-- > 0 ? controller.enqueue(chunk) : controller.close(),
  });
  assert.equal((await codeOf(await send("POST", "/rpc/list_codes", {}, stream)))[0], 413);
});

Deno.test("preferences: unknown ones are refused when handling is strict, and ignored otherwise", async () => {
  await withFunction(NUMBERS, async (name) => {
    assert.equal((await rpc(name, {}, { prefer: "params=single-object, return=minimal" })).status, 200);
    const strict = await rpc(name, {}, { prefer: "handling=strict, params=single-object" });
    assert.equal(strict.status, 400);
    const { code, details } = await strict.json();
    assert.deepEqual([code, details], ["PGRST122", "Invalid preferences: params=single-object"]);
  });
});

Deno.test("paths: what cannot be read is 400, what is no function is 404, and the root describes the functions", async () => {
  assert.deepEqual(await codeOf(await send("GET", "/rpc/%zz")), [400, "PGRST125"]);
  assert.deepEqual(await codeOf(await send("GET", "/a/b")), [404, "PGRST125"]);
  assert.equal((await codeOf(await send("GET", "/")))[0], 403);
  const described = await (await send("GET", "/", { apikey: stack().secretKey })).json();
  assert.equal(described.swagger, "2.0");
  const { schema } = described.paths["/rpc/list_codes"].post.parameters[0];
  assert.equal(schema.properties.p_lang.type, "string");
});

Deno.test("a function that runs before each request is called as the request's role, and may refuse it", async () => {
  const definition = `() returns void language plpgsql as $$ begin
    if current_setting('request.headers')::jsonb ->> 'x-refuse' = current_user then
      raise sqlstate 'PGRST' using message = '{"code": "refused", "message": "No"}', detail = '{"status": 402, "headers": {"X-Why": "asked"}}';
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
      assert.deepEqual([answer.status, answer.headers.get("x-why")], [402, "asked"]);
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
