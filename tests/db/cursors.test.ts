// Cursors and limits: what every list of the interface is paged with.
import assert from "node:assert/strict";
import postgres from "postgres";
import { database } from "../support/database.ts";
import { errorOf } from "../support/database_errors.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

type Json = postgres.JSONValue;

async function encode(filters: Json, keys: Json): Promise<string> {
  const [row] = await db.sql<{ cursor: string }[]>`
    select private.cursor_encode(${db.sql.json(filters)}, ${db.sql.json(keys)}) as cursor`;
  return row!.cursor;
}

async function decode(filters: Json, cursor: string | null, types = ["integer", "text"]): Promise<Json> {
  const [row] = await db.sql<{ keys: Json }[]>`
    select private.cursor_decode(${db.sql.json(filters)}, ${cursor}, ${types}) as keys`;
  return row!.keys;
}

Deno.test("cursors: a cursor returns the keys it was made of, for the same filters in any order", async () => {
  const examples: [keys: Json[], types: string[]][] = [
    [["2026-09-01T00:00:00.123456+00:00", crypto.randomUUID()], ["timestamptz", "uuid"]],
    [[-7, 1.5, "駐車場 🚗".repeat(60)], ["integer", "double precision", "text"]],
    [[4294967296], ["bigint"]],
  ];
  for (const [keys, types] of examples) {
    const cursor = await encode({ list: "lots", tags: ["a", "b"] }, keys);
    assert.match(cursor, /^[A-Za-z0-9_-]+$/);
    assert.deepEqual(await decode({ tags: ["a", "b"], list: "lots" }, cursor, types), keys, String(types));
  }
});

Deno.test("cursors: without a cursor there are no keys", async () => {
  assert.equal(await decode({ list: "lots" }, null), null);
});

Deno.test("cursors: a page starts after the keys of its cursor, and without a cursor at the first row", async () => {
  const types = ["timestamptz", "uuid"];
  const start = async (cursor: string | null, order: string) => {
    const [row] = await db.sql<{ keys: Json; before: boolean }[]>`
      select k as keys, ((k ->> 0)::timestamptz, (k ->> 1)::uuid) < (timestamptz '4713-01-01 BC', ${crypto.randomUUID()}::uuid)
        as before
      from private.page_start('{"list": "lots"}', ${cursor}, ${types}, ${order}) as k`;
    return row!;
  };
  const keys = ["2026-09-01T00:00:00.123456+00:00", crypto.randomUUID()];
  assert.deepEqual((await start(await encode({ list: "lots" }, keys), "desc")).keys, keys);
  assert.equal((await start(null, "asc")).before, true);
  assert.equal((await start(null, "desc")).before, false);
});

Deno.test("cursors: a cursor of another list or of other filters is rejected", async () => {
  const cursor = await encode({ list: "lots", tags: [] }, [1, "a"]);
  for (const filters of [{ list: "lots", tags: ["covered"] }, { list: "reviews", tags: [] }, {}]) {
    const { code, status, param } = await errorOf(decode(filters, cursor));
    assert.deepEqual({ code, status, param }, { code: "validation_error", status: 422, param: "cursor" });
  }
});

Deno.test("cursors: a cursor with a changed, added or removed character is rejected", async () => {
  const cursor = await encode({ list: "lots" }, [12, "key"]);
  const changed = [...cursor].map((letter, at) =>
    cursor.slice(0, at) + (letter === "A" ? "B" : String.fromCharCode(letter.charCodeAt(0) - 1)) + cursor.slice(at + 1)
  );
  const shortened = [...cursor].map((_, length) => cursor.slice(0, length));
  for (const wrong of [...changed, ...shortened, `${cursor}A`, `${cursor}=`, ` ${cursor}`, "x".repeat(5000), "駐"]) {
    assert.equal((await errorOf(decode({ list: "lots" }, wrong))).param, "cursor", wrong);
  }
});

Deno.test("cursors: a cursor with changed spare bits in its last character is rejected", async () => {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const cursor = await encode({ list: "lots" }, [12]);
  assert.notEqual(cursor.length % 4, 0, "this cursor has no spare bits");
  const good: string[] = [];
  for (const letter of alphabet) {
    const spelled = cursor.slice(0, -1) + letter;
    const kept = await decode({ list: "lots" }, spelled, ["integer"]).catch((error: unknown) => {
      if (error instanceof postgres.PostgresError && error.code === "PGRST") return null;
      throw error;
    });
    if (kept !== null) good.push(spelled);
  }
  assert.deepEqual(good, [cursor]);
});

Deno.test("cursors: a limit is 1 to 100", async () => {
  const limit = async (value: number | null) => {
    const [row] = await db.sql<{ limit: number }[]>`select private.page_limit(${value}) as limit`;
    return row!.limit;
  };
  assert.deepEqual([await limit(1), await limit(100)], [1, 100]);
  for (const wrong of [0, -1, 101, null]) assert.equal((await errorOf(limit(wrong))).param, "limit");
});

Deno.test("cursors: a page has at most limit items, and a cursor after its last item only when there is more", async () => {
  const page = async (items: unknown, limit: number) =>
    (await db.sql`
      select private.page('{"list": "x"}', ${
      items === null ? null : db.sql.json(items as never)
    }, '{at,id}', ${limit}) as page`)[
      0
    ]!["page"];
  const three = [1, 2, 3].map((id) => ({ id, at: `2026-01-0${id}`, name: "n" }));
  assert.deepEqual(await page(null, 2), { items: [], next_cursor: null });
  assert.deepEqual(await page([], 2), { items: [], next_cursor: null });
  assert.deepEqual(await page(three, 3), { items: three, next_cursor: null });
  const { items, next_cursor } = await page(three, 2);
  assert.deepEqual(items, three.slice(0, 2));
  const [decoded] = await db
    .sql`select private.cursor_decode('{"list": "x"}', ${next_cursor}, '{text,integer}') as keys`;
  assert.deepEqual(decoded!["keys"], ["2026-01-02", 2]);
});
