import assert from "node:assert/strict";
import { groups } from "../../supabase/functions/openapi/contract.ts";
import {
  conditionalRecords,
  migrations,
  otherMoments,
  raisingImmutables,
  sqlFindings,
  uncalled,
  unlockedCommands,
} from "./sql_rules.ts";

const NAME = "20260901000900_sample.sql";
const STORY = "-- Sample: a file that keeps the rules.\n-- Interface: none.\n\n";

function findings(statements: string, name = NAME): string[] {
  return sqlFindings(name, `${STORY}${statements}`).map((finding) => finding.replace(`${name}:`, ""));
}

Deno.test("sql rules: the migrations keep the project's rules", () => {
  const all = migrations();
  assert.ok(all.length > 0);
  assert.deepEqual(all.flatMap(({ name, text }) => sqlFindings(name, text)), []);
});

Deno.test("sql rules: no two migrations have the same version", () => {
  const versions = migrations().map(({ name }) => name.slice(0, 14));
  assert.equal(new Set(versions).size, versions.length);
});

Deno.test("sql rules: every function of private is called", () => {
  assert.deepEqual(uncalled(migrations().map(({ text }) => text).join("\n")), []);
  const f = "create function private.f() returns int\nlanguage sql\nreturn private.f();";
  assert.deepEqual(uncalled(`${f}\n\ncomment on function private.f() is 'F.';\n`), ["f"]);
  assert.deepEqual(uncalled(`${f}\n\nselect private.f();\n`), []);
});

Deno.test("sql rules: a file that keeps the rules has no findings", () => {
  assert.deepEqual(findings("select 'SELECT', \"Upper\" from t; -- NOT code\n/* NOR this */\n"), []);
  assert.deepEqual(findings("create function f() returns text\nsecurity definer -- because\nas $$ select 1 $$;\n"), []);
});

Deno.test("sql rules: a finding names file, line and what is wrong", () => {
  assert.deepEqual(sqlFindings(NAME, `${STORY}SELECT 1;\n`), [`${NAME}:4 writes SELECT in upper case`]);
});

Deno.test("sql rules: each breach of the project's rules is found", () => {
  const function61 = `create function f() returns void\nas $$\n${"  perform 1;\n".repeat(58)}$$;\n`;
  const cases: [statements: string, finding: string][] = [
    ["select 1; \n", "4 ends in white space"],
    ["select\t1;\n", "4 has a tab"],
    ["select 1;", "4 does not end with one line break"],
    ["select 1;\n\n", "6 does not end with one line break"],
    ["as $$ begin exception when others then null; end $$;\n", "4 catches errors that it does not name"],
    ["security definer\n", "4 does not say on its line why it is security definer"],
    ["select 1;\n".repeat(498), "501 is longer than 500 lines"],
    ["create function f() returns void\nas $$\ndeclare\n  n int;\nbegin\nend\n$$;\n", "4 has a local n, not v_n"],
    [
      "create function f() returns int\nlanguage sql\nas $$ select 1 $$;\n",
      "4 is a text in sql, which is planned anew for every statement that calls it",
    ],
    [function61, "4 is a function of more than 60 lines (61)"],
    [
      function61.replace("create function", "create or replace function"),
      "4 is a function of more than 60 lines (61)",
    ],
  ];
  for (const [statements, finding] of cases) assert.deepEqual(findings(statements), [finding], finding);
  assert.deepEqual(findings("select 1;\n", "accounts.sql"), ["1 is not named YYYYMMDDHHmmss_<domain>.sql"]);
  assert.deepEqual(sqlFindings(NAME, "select 1;\n"), [`${NAME}:1 does not open with its story`]);
});

Deno.test("sql rules: a function of sixty lines and a file of five hundred pass", () => {
  assert.deepEqual(findings(`create function f() returns void\nas $$\n${"  perform 1;\n".repeat(57)}$$;\n`), []);
  assert.deepEqual(findings("select 1;\n".repeat(497)), []);
});

const ALL = migrations().map(({ text }) => text);

Deno.test("sql rules: functions that raise are not immutable, at any depth of calls", () => {
  assert.deepEqual(raisingImmutables(ALL), []);
  const sample =
    "create function private.a() returns void\nlanguage plpgsql immutable\nas $$\nbegin\n  perform private.b();\nend\n$$;\n\n" +
    "create function private.b() returns void\nlanguage plpgsql stable\nas $$\nbegin\n  perform private.raise_error('x', 1, 'y');\nend\n$$;\n";
  assert.deepEqual(raisingImmutables([sample]), ["private.a"]);
});

Deno.test("sql rules: every command locks the account that it writes for", () => {
  assert.deepEqual(unlockedCommands(ALL), []);
  const sample =
    "create function commands.a() returns void\nlanguage plpgsql\nas $$\nbegin\n  perform private.active_user();\nend\n$$;\n";
  assert.deepEqual(unlockedCommands([sample]), ["commands.a"]);
});

Deno.test("sql rules: texts of requests are read as times by one function", () => {
  assert.deepEqual(otherMoments(ALL), []);
  const sample =
    "create function private.a() returns void\nlanguage plpgsql\nas $$\nbegin\n  return pg_input_is_valid(p_a ->> 'at', 'timestamptz');\nend\n$$;\n";
  assert.deepEqual(otherMoments([sample]), ["private.a"]);
});

Deno.test("sql rules: an act of an administrator is recorded also when it changes nothing", () => {
  const acts = groups.flatMap(({ routes }) => routes).filter(({ method, access }) =>
    method === "POST" && access === "admin"
  )
    .flatMap(({ calls }) => calls.map((name) => `api.${name}`));
  assert.ok(acts.length > 30);
  // A nightly import of a million unchanged lots would be a thousand records a day.
  assert.deepEqual(conditionalRecords(ALL, new Set(acts)), ["api.admin_import_parking_lots"]);
  const sample = (spaces: string) =>
    `create function api.a() returns void\nlanguage plpgsql\nas $$\nbegin\n${spaces}perform private.record_act(a);\nend\n$$;\n`;
  assert.deepEqual(conditionalRecords([sample("    ")], new Set(["api.a"])), ["api.a"]);
  assert.deepEqual(conditionalRecords([sample("  ")], new Set(["api.a"])), []);
});

Deno.test("sql rules: a delete and an update have a where", () => {
  assert.deepEqual(
    findings("delete from a.b where c;\nwith d as (delete from a.b where c returning e) select 1;\n"),
    [],
  );
  assert.deepEqual(
    findings(
      "update a.b c set d = (select 1 from e where f) where g;\ninsert into a.b values (1) on conflict do update set c = 1;\n",
    ),
    [],
  );
  for (
    const [statement, what] of [
      ["delete from a.b;", "delete from a.b"],
      ["with d as (delete from a.b returning e) select 1 where true;", "delete from a.b"],
      ["update a.b c set d = (select 1 from e where f);", "update a.b c set"],
    ]
  ) assert.deepEqual(findings(`${statement}\n`), [`4 writes every row: ${what} needs a where`]);
});
