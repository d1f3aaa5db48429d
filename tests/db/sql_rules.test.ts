import assert from "node:assert/strict";
import { groups } from "../../supabase/functions/openapi/contract.ts";
import {
  allSql,
  conditionalRecords,
  otherMoments,
  raisingImmutables,
  schema,
  sqlAdvice,
  sqlFindings,
  uncalled,
  unlockedCommands,
  unread,
} from "../../tools/lint_sql/rules.ts";

const NAME = "supabase/schemas/samples/sample.sql";
const STORY = "-- Sample: a file that keeps the rules.\n-- Interface: none.\n\n";

function findings(statements: string, name = NAME): string[] {
  return sqlFindings({ name, text: `${STORY}${statements}` }).map((finding) => finding.replace(`${name}:`, ""));
}

Deno.test("sql rules: the schema and the migrations written by hand keep the project's rules", () => {
  assert.ok(schema().length > 200);
  assert.deepEqual(allSql().flatMap(sqlFindings), []);
});

Deno.test("sql rules: no two migrations have the same version", () => {
  const names = [...Deno.readDirSync(new URL("../../supabase/migrations/", import.meta.url))].map(({ name }) => name);
  assert.ok(names.length > 0);
  assert.equal(new Set(names.map((name) => name.slice(0, 14))).size, names.length);
});

Deno.test("sql rules: a file of the schema that a comment names exists", () => {
  const names = new Set(schema().map(({ name }) => name.replace("supabase/schemas/", "")));
  const named = schema().flatMap(({ name, text }) =>
    [...text.matchAll(/^ *--.*$/gm)].flatMap(([line]) =>
      [...line.matchAll(/(?<![\w./])(?!supabase\/|local\/)([a-z_]+\/[a-z_]+\.sql)\b/g)].map(([, path]) => ({
        name,
        path: path!,
      }))
    )
  );
  assert.ok(named.length > 100);
  assert.deepEqual(named.filter(({ path }) => !names.has(path)), []);
});

Deno.test("sql rules: every function of private is called", () => {
  assert.deepEqual(uncalled(schema().map(({ text }) => text).join("\n")), []);
  const f = "create function private.f() returns int\nlanguage sql\nreturn private.f();";
  assert.deepEqual(uncalled(`${f}\n\ncomment on function private.f() is 'F.';\n`), ["f"]);
  assert.deepEqual(uncalled(`${f}\n\nselect private.f();\n`), []);
});

Deno.test("sql rules: a file that keeps the rules has no findings", () => {
  assert.deepEqual(findings("select 'SELECT', \"Upper\" from t; -- NOT code\n/* NOR this */\n"), []);
  assert.deepEqual(findings("create function f() returns text\nsecurity definer -- because\nas $$ select 1 $$;\n"), []);
  assert.deepEqual(findings("-- One.\ncreate function private.f() returns int\nlanguage sql\nreturn 1;\n"), []);
  assert.deepEqual(
    findings("create function f() returns int\nlanguage sql\nset search_path = ''\nreturn (select 1);\n"),
    [],
  );
});

Deno.test("sql rules: a finding names file, line and what is wrong", () => {
  assert.deepEqual(sqlFindings({ name: NAME, text: `${STORY}SELECT 1;\n` }), [`${NAME}:4 writes SELECT in upper case`]);
});

Deno.test("sql rules: each breach of the project's rules is found", () => {
  const cases: [statements: string, finding: string][] = [
    ["select 1; \n", "4 ends in white space"],
    ["-- No more.\n", "1 has a story and no statement"],
    [
      `select 1;\n\n-- ${"-".repeat(40)}\n-- Rights\n-- ${"-".repeat(40)}\n`,
      "6 has a heading and no statement below it",
    ],
    [
      `select 1;\n\n-- ${"-".repeat(40)}\n-- Rights\n-- ${"-".repeat(40)}\n\ngrant select on t to anon;\n`,
      "6 has a heading and no statement below it",
    ],
    ["select\t1;\n", "4 has a tab"],
    [
      "create function private.f() returns int\nlanguage sql\nreturn 1;\n",
      "4 has no sentence above private.f that states its purpose",
    ],
    ["comment on function private.f() is 'One.';\n", "4 states the purpose of a rule below it, not above it"],
    ["select 1;", "4 does not end with one line break"],
    ["select 1;\n\n", "6 does not end with one line break"],
    ["as $$ begin exception when others then null; end $$;\n", "4 catches errors that it does not name"],
    ["security definer\n", "4 does not say on its line why it is security definer"],
    ["create function f() returns void\nas $$\ndeclare\n  n int;\nbegin\nend\n$$;\n", "4 has a local n, not v_n"],
    [
      "create function f() returns int\nlanguage sql\nas $$ select 1 $$;\n",
      "4 is a text in sql, which is planned anew for every statement that calls it",
    ],
    [
      "create function f() returns int\nlanguage sql\nreturn (\n  select 1\n);\n",
      "4 has a query in its expression, so no statement contains it: it needs a search path",
    ],
  ];
  for (const [statements, finding] of cases) assert.deepEqual(findings(statements), [finding], finding);
  const misnamed = "1 is neither schemas/<domain>/<idea>.sql nor migrations/YYYYMMDDHHmmss_<change>.sql";
  for (const name of ["accounts.sql", "supabase/schemas/accounts.sql", "supabase/migrations/accounts.sql"]) {
    assert.deepEqual(findings("select 1;\n", name), [misnamed]);
  }
  assert.deepEqual(findings("select 1;\n", "supabase/migrations/20260901000900_sample.sql"), []);
  for (const time of ["20260901176000", "20260901240000", "20260931000000", "20261301000000"]) {
    const found = findings("select 1;\n", `supabase/migrations/${time}_sample.sql`);
    assert.deepEqual(found, ["1 begins with no time that exists"], time);
  }
  assert.deepEqual(sqlFindings({ name: NAME, text: "select 1;\n" }), [`${NAME}:1 does not open with its story`]);
});

Deno.test("sql rules: a long function is advice, not a finding", () => {
  const sample = (lines: number) => ({
    name: NAME,
    text: `${STORY}create function f() returns void\nas $$\n${"  perform 1;\n".repeat(lines - 3)}$$;\n`,
  });
  assert.deepEqual(sqlAdvice(sample(60)), []);
  assert.deepEqual(sqlAdvice(sample(61)), [`${NAME}:4 f has 61 lines`]);
  assert.deepEqual(sqlFindings(sample(61)), []);
});

const ALL = schema().map(({ text }) => text);

Deno.test("sql rules: functions that raise are not immutable, at any depth of calls", () => {
  assert.deepEqual(raisingImmutables(ALL), []);
  const sample =
    "create function private.a() returns void\nlanguage plpgsql immutable\nas $$\nbegin\n  perform private.b();\nend\n$$;\n\n" +
    "create function private.b() returns void\nlanguage plpgsql stable\nas $$\nbegin\n  perform private.raise_error('x', 1, 'y');\nend\n$$;\n";
  assert.deepEqual(raisingImmutables([sample]), ["private.a"]);
});

Deno.test("sql rules: functions read their arguments and variables", () => {
  assert.deepEqual(unread(ALL), []);
  const sample = (statements: string) =>
    "create function private.a(p_a integer) returns void\nlanguage plpgsql\nas $$\ndeclare\n  v_b integer;\n  v_c integer := p_a;\n" +
    `begin\n  -- v_b\n  ${statements}\nend\n$$;\n`;
  for (
    const assigned of [
      "perform 'v_b';",
      "v_b := 1;",
      "if v_c > 0 then\n    v_b = v_c;\n  end if;",
      "v_b[1] := v_c;",
      "select 1, 2 into v_c, v_b;",
      "get diagnostics v_b = row_count;",
      "for v_b in select 1 loop\n    perform 1;\n  end loop;",
    ]
  ) assert.ok(unread([sample(assigned)]).includes("private.a v_b"), assigned);
  for (const read of ["perform v_b + v_c;", "v_b := v_c; return v_b;", "update a.b set c = v_b where d = v_c;"]) {
    assert.deepEqual(unread([sample(read)]), [], read);
  }
  assert.deepEqual(unread([sample("perform v_b + v_c;").replace(":= p_a", ":= 1")]), ["private.a p_a"]);
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
