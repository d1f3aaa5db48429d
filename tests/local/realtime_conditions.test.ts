// Filters: how they are parsed, and that those which are decided without Postgres are decided as Postgres would.
import assert from "node:assert/strict";
import postgres from "postgres";
import { SUPERUSER } from "../../local/postgres/server.ts";
import { readBinding } from "../../local/realtime/request.ts";
import { Filter, type FilterRow } from "../../local/realtime/subscriptions.ts";
import type { RowChange } from "../../local/realtime/wal.ts";
import { database } from "../support/database.ts";

const SAMPLES: Record<string, string[]> = {
  boolean: ["t", "no", "TRUE"],
  bigint: ["1", " 02", "-9223372036854775808", "9007199254740993", "9007199254740992"],
  smallint: ["1", "+7", "-0"],
  integer: ["0", "2147483647", "0x10"],
  text: ["", "a", "A", "á", "a\u0301", "a ", "NULL", 'q"\\', "日本"],
  "character varying": ["a", "A", "a "],
  oid: ["1", "4294967295"],
  date: ["2026-01-02", "Jan 2 2026", "infinity", "0044-03-15 BC"],
  timestamp: ["2026-01-02 03:04:05", "2026-01-02T03:04:05.000", "-infinity", "24000-01-01 00:00:00"],
  timestamptz: ["2026-01-02 03:04:05Z", "2026-01-02T12:04:05+09", "2026-01-02 03:04:05.000001+00", "infinity"],
  uuid: ["6F9619FF-8B86-D011-B42D-00C04FC964FF", "{6f9619ff8b86d011b42d00c04fc964ff}", crypto.randomUUID()],
};

function insertOf(text: string): RowChange {
  const relation = { table: 1, columns: [{ name: "c", type: 25, identity: true }], positions: new Map([["c", 0]]) };
  return { type: "INSERT", relation, transaction: { xid: 1, time: "" }, row: [text], size: 1 };
}

Deno.test("realtime filters: eq and in are decided without Postgres as Postgres decides them", async () => {
  const db = await database();
  const url = new URL(db.url);
  url.username = SUPERUSER;
  const sql = postgres(url.href, { max: 1, connection: { TimeZone: "UTC" } });
  let decided = 0;
  try {
    for (const [type, samples] of Object.entries(SAMPLES)) {
      await sql.unsafe(`create table public.sample (c ${type}); grant select on public.sample to authenticated`);
      const list = `{${samples.map((text) => JSON.stringify(text)).join()},NULL}`;
      for (const [operator, value] of [...samples.map((text) => ["eq", text]), ["in", list], ["in", "{}"]]) {
        const filter = { column: "c", operator, value };
        const [row] = await sql<{ checked: FilterRow; texts: string[]; passed: boolean[] }[]>`
          with c as (
            select _realtime.check_filter('public.sample'::regclass, 'authenticated', ${
          JSON.stringify(filter)
        }::text::jsonb) as checked
          ), t as (
            select array(select _realtime.check_filter('public.sample'::regclass, 'authenticated',
              jsonb_build_object('column', 'c', 'operator', 'eq', 'value', v)) -> 'values' ->> 0
            from unnest(${samples}::text[]) as v) as texts
          )
          select checked, texts, _realtime.compare((checked ->> 'type')::oid, ${operator!}, ${value!}, to_jsonb(texts)) as passed
          from c, t`;
        const { checked, texts, passed } = row!;
        const local = new Filter(checked);
        assert.deepEqual(
          texts.map((text) => local.passes(insertOf(text))),
          passed.map((result) => result === true),
          `${type} ${operator} ${value}`,
        );
        decided += texts.length;
      }
      await sql`drop table public.sample`;
    }
  } finally {
    await sql.end();
    await db.close();
  }
  assert.ok(decided > 150, `${decided} decisions`);
});

Deno.test("realtime filters: commas, quotes and parentheses are split as the hosted service splits them", () => {
  const cut = (filter: string) =>
    readBinding({ schema: "s", table: "t", filter }).filters.map((one) => `${one.column} ${one.operator} ${one.value}`);
  const cases: [string, string[]][] = [
    ["a=eq.1,b=gt.2", ["a eq 1", "b gt 2"]],
    [" a=eq.1 , b=gt.2 ", ["a eq 1", "b gt 2"]],
    ["a=eq.x=y.z", ["a eq x=y.z"]],
    ['a=eq."x,y",b=eq.1', ["a eq x,y", "b eq 1"]],
    ['a=eq."x\\"y\\\\"', ['a eq x"y\\']],
    ['a=eq."open', ['a eq "open']],
    ['a=eq.in"side,b=eq.1', ['a eq in"side', "b eq 1"]],
    ['a=in.(1,"x,)",3),b=in.(4)', ['a in {1,"x,)",3}', "b in {4}"]],
    ["a=eq.f(x,y),b=eq.)1", ["a eq f(x,y)", "b eq )1"]],
    ["not=eq.not.1", ["not eq not.1"]],
    ["=eq.1", [" eq 1"]],
    ["", []],
  ];
  for (const [filter, expected] of cases) assert.deepEqual(cut(filter), expected, filter);
  assert.deepEqual(readBinding({ table: "t", event: "insert" }), {
    event: "INSERT",
    schema: "public",
    table: "t",
    filters: [],
  });
  assert.deepEqual(readBinding({ schema: "s", event: 7, filter: null }), {
    event: "*",
    schema: "s",
    table: "*",
    filters: [],
  });
});
