// Filters that the feed judges by itself: as Postgres would.
import assert from "node:assert/strict";
import postgres from "postgres";
import { type AdmittedFilter, judgeOf, not, type Verdict } from "../../local/realtime/conditions.ts";
import { readBinding } from "../../local/realtime/asked.ts";
import { arrayLiteral } from "../../local/realtime/values.ts";
import { SUPERUSER } from "../../local/postgres/server.ts";
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
const ORDERED = ["eq", "neq", "lt", "lte", "gt", "gte", "isdistinct"];

Deno.test("every filter that is judged without Postgres has its verdict", async () => {
  const db = await database();
  const url = new URL(db.url);
  url.username = SUPERUSER;
  const sql = postgres(url.href, { max: 1, connection: { TimeZone: "UTC" } });
  let judged = 0;
  try {
    for (const [type, samples] of Object.entries(SAMPLES)) {
      const [row] = await sql<{ oid: number; texts: string[] }[]>`
        select ${type}::text::regtype::oid::integer as oid,
          array(select _realtime.canonical(${type}::text::regtype, v) from unnest(${samples}::text[]) as v) as texts`;
      const texts = [...row!.texts, null];
      const filters: AdmittedFilter[] = [
        ...ORDERED.flatMap((operator) =>
          samples.map((value, index) => ({ operator, value, values: [row!.texts[index]!] }))
        ),
        ...[[0], [0, 1], [], [1, -1], [-1]].map((picks) => {
          const literal = (list: string[]) =>
            arrayLiteral(picks.map((at) => list.at(at === -1 ? list.length : at) ?? null));
          const values = picks.map((at) => at === -1 ? null : row!.texts[at]!);
          return { operator: "in", value: literal(samples), values };
        }),
      ].map((filter) => ({ ...filter, column: "c", type: row!.oid, negated: false }));
      for (const filter of filters) {
        const judge = judgeOf(filter);
        if (judge === undefined) continue;
        const [said] = await sql<{ verdicts: Verdict[] }[]>`
          select _realtime.compare(${filter.type}, ${filter.operator}, ${filter.value}, ${
          arrayLiteral(texts)
        }::text::text[]) as verdicts`;
        assert.deepEqual(texts.map(judge), said!.verdicts, JSON.stringify(filter));
        const negated = judgeOf({ ...filter, negated: true })!;
        assert.deepEqual(texts.map(negated), said!.verdicts.map(not));
        judged += texts.length;
      }
    }
  } finally {
    await sql.end();
    await db.close();
  }
  assert.ok(judged > 1_000, `${judged} verdicts`);
});

Deno.test("commas, quotes and parentheses of a filter are cut as the hosted service cuts them", () => {
  const cut = (filter: string) =>
    readBinding({ schema: "s", table: "t", filter }).filters.map(({ column, operator, value, negated }) =>
      `${column} ${negated ? "not " : ""}${operator} ${value}`
    );
  const cases: [string, string[]][] = [
    ["a=eq.1,b=gt.2", ["a eq 1", "b gt 2"]],
    [" a=eq.1 , b=gt.2 ", ["a eq 1", "b gt 2"]],
    ["a=eq.x=y.z", ["a eq x=y.z"]],
    ['a=eq."x,y",b=eq.1', ["a eq x,y", "b eq 1"]],
    ['a=eq."x\\"y\\\\"', ['a eq x"y\\']],
    ['a=eq."open', ['a eq "open']],
    ['a=eq.in"side,b=eq.1', ['a eq in"side', "b eq 1"]],
    ['a=in.(1,"x,)",3),b=not.in.(4)', ['a in {1,"x,)",3}', "b not in {4}"]],
    ["a=eq.f(x,y),b=eq.)1", ["a eq f(x,y)", "b eq )1"]],
    ["a=not.is.null", ["a not is null"]],
    ["not=eq.not.1", ["not eq not.1"]],
    ["a=like.%x_", ["a like %x_"]],
    ["=eq.1", [" eq 1"]],
    ["", []],
  ];
  for (const [filter, expected] of cases) assert.deepEqual(cut(filter), expected, filter);
  assert.deepEqual(readBinding({ table: "t", event: "insert", select: ["b", 7, "a", "b"] }), {
    event: "INSERT",
    schema: "public",
    table: "t",
    filters: [],
    select: ["a", "b"],
  });
  assert.deepEqual(readBinding({ schema: "s", event: 7, filter: null }), {
    event: "*",
    schema: "s",
    table: "*",
    filters: [],
    select: undefined,
  });
});
