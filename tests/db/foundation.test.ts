import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { fingerprintFile } from "../../tools/release/fingerprints.ts";
import { Instant } from "../../supabase/functions/_shared/schema/values.ts";
import { database } from "../support/database.ts";
import { errorOf, sqlstate } from "../support/database_errors.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

const CLIENTS = ["anon", "authenticated"] as const;

Deno.test("foundation: an error has code, status, message, param and details", async () => {
  const error = await errorOf(
    db.sql`select private.raise_error('conflict', 409, 'Not now', 'exit_at', ${db.sql.json({ reason: "ended" })})`,
  );
  assert.deepEqual(error, {
    code: "conflict",
    status: 409,
    message: "Not now",
    param: "exit_at",
    details: { reason: "ended" },
  });
});

Deno.test("foundation: the database and the router read the same texts as times, and as the same time", async () => {
  const dates = ["2026-11-23", "2026-02-30", "0001-01-02", "26-11-23", "2026-1-1", ""];
  const clocks = [
    "00:00:00",
    "23:59:59.5",
    "23:59:60",
    "23:59:60.0",
    "24:00:01",
    "23:60:00",
    "10:00:61",
    "10:00",
    "10",
    "",
  ];
  const texts = ["now", "infinity", "tomorrow", "Monday", "5"];
  for (const date of dates) {
    for (const clock of clocks) {
      for (const separator of ["T", "t", " "]) {
        for (const offset of ["Z", "z", "+09:00", "-15:30", "+20:00", "+0900", "+09", " Asia/Tokyo", ""]) {
          texts.push(date + separator + clock + offset);
        }
      }
    }
  }
  const rows = await db.as({ role: "anon" }, (sql) =>
    sql<{ text: string; at: string | null }[]>`
      select o.text, case when private.is_moment(to_jsonb(o.text)) then
        to_char(o.text::timestamptz at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') end as at
      from unnest(${texts}::text[]) with ordinality as o (text, n) order by o.n`);
  assert.equal(rows.length, texts.length);
  for (const { text, at } of rows) {
    const read = Instant.safeParse(text);
    assert.equal(at, read.success ? new Date(read.data).toISOString() : null, text);
  }
  assert.ok(rows.filter(({ at }) => at !== null).length > 50);
  const [others] = await db.sql`
    select bool_or(private.is_moment(o)) as some from jsonb_array_elements('[5, null, true, ["2026-11-23T00:00:00Z"], {}]') o`;
  assert.equal(others!["some"], false);
});

Deno.test("foundation: an error needs neither param nor details", async () => {
  const error = await errorOf(db.sql`select private.raise_error('forbidden', 403, 'No')`);
  assert.deepEqual(error, { code: "forbidden", status: 403, message: "No", param: null, details: null });
});

Deno.test("foundation: a new table is not accessible to clients until a migration grants it", async () => {
  await db.sql`create table public.later (id integer primary key)`;
  for (const role of CLIENTS) {
    for (
      const statement of [
        "select from public.later",
        "insert into public.later values (1)",
        "update public.later set id = 2",
        "delete from public.later",
        "truncate public.later",
      ]
    ) {
      assert.equal(await sqlstate(db.as({ role }, (sql) => sql.unsafe(statement))), "42501", `${role}: ${statement}`);
    }
  }
  await db.as({ role: "service_role" }, (sql) => sql`insert into public.later values (1)`);
});

Deno.test("foundation: a new function is not executable by clients until a migration grants it", async () => {
  for (const schema of ["public", "api", "private"]) {
    await db.sql.unsafe(`create function ${schema}.later() returns integer language sql as 'select 1'`);
    for (const role of CLIENTS) {
      assert.equal(
        await sqlstate(db.as({ role }, (sql) => sql.unsafe(`select ${schema}.later()`))),
        "42501",
        `${role} on ${schema}`,
      );
    }
  }
});

Deno.test("foundation: a client cannot create objects in any schema", async () => {
  for (const role of CLIENTS) {
    for (const schema of ["public", "api", "private", "extensions", "auth"]) {
      const attempt = db.as({ role }, (sql) => sql.unsafe(`create table ${schema}.mine (id integer)`));
      assert.equal(await sqlstate(attempt), "42501", `${role} in ${schema}`);
    }
  }
});

Deno.test("foundation: readiness returns the newest migration and the release's fingerprints to every client", async () => {
  const [newest] = await db.sql`select max(version) as version from supabase_migrations.schema_migrations`;
  const migrations = JSON.parse(await fingerprintFile());
  for (const role of ["anon", "authenticated", "service_role"] as const) {
    const [row] = await db.as({ role }, (sql) => sql`select api.service_readiness() as readiness`);
    assert.deepEqual(row?.readiness, { database: "ok", migration: newest?.version, migrations });
  }
});

Deno.test("foundation: the fingerprint of a migration changes with a letter of its statements, not with blanks at their ends", async () => {
  const fingerprint = async (statements: string[]) => {
    const [row] = await db.sql`
      with changed as (
        update supabase_migrations.schema_migrations set statements = ${statements} where version = '20260901000100' returning 1
      ) select from changed`.then(() => db.sql`select private.applied_migrations() ->> '20260901000100_types' as md5`);
    return row!["md5"];
  };
  const before = await fingerprint(["select 1", "select 'é'"]);
  assert.equal(before, createHash("md5").update("select1select'é'").digest("hex"));
  assert.equal(await fingerprint(["select 1;\r\n", "\tselect 'é' ;"]), before);
  assert.notEqual(await fingerprint(["select 2", "select 'é'"]), before);
  assert.notEqual(await fingerprint(["select 1"]), before);
});
