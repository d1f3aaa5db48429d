// How filters are parsed.
import assert from "node:assert/strict";
import { readBinding } from "../../local/realtime/request.ts";

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
