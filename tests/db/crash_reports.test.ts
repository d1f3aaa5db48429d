// Crash reports: counted by kind, without anybody in them, and gone in time.
import assert from "node:assert/strict";
import postgres from "postgres";
import { database } from "../support/database.ts";
import { refusal, sqlstate } from "../support/refusal.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

const report = (stack: string, device = "Pixel 9", version = "1.0") =>
  db.as({ role: "service_role" }, (sql) => sql`select api.report_crash(${stack}, ${device}, ${version}) as reply`);
const rows = (device: string) =>
  db.sql<{ stack: string; report_count: number; fingerprint: string }[]>`
    select stack, report_count, fingerprint from public.client_crash_reports where device = ${device} order by created_at`;

Deno.test("crashes of one kind, version, device and day are one row; numbers and deep frames make no other kind", async () => {
  const stack = (line: number, deep: string) =>
    [
      `Error: lot ${line} 0x7f${line}`,
      ...[1, 2, 3, 4, 5].map((n) => `  at frame${"abcde"[n - 1]} (app.js:${line}:${n})`),
      deep,
    ]
      .join("\n");
  const [first] = await report(stack(12, "at a"), "kinds");
  assert.deepEqual(first!["reply"], { ok: true });
  await report(stack(345, "at b").replaceAll("\n", "\r\n"), "kinds");
  await report(stack(12, "at a").replace("framea", "frameb"), "kinds");
  await report(stack(12, "at a"), "kinds", "1.1");
  const found = await rows("kinds");
  assert.deepEqual(found.map(({ report_count }) => report_count), [2, 1, 1]);
  assert.equal(found[0]!.stack, stack(12, "at a"));
  assert.equal(new Set(found.map(({ fingerprint }) => fingerprint)).size, 2);
});

Deno.test("what looks like a person is not stored", async () => {
  await report(
    [
      "Error: no session for taro.yamada+app@mail.example.co.jp",
      "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
      "at /Users/taro/app/main.dart:1:2 and /home/hanako/x.js and C:\\Users\\jiro\\app.exe",
      "GET /me?mail=taro%40example.com in c:\\\\users\\\\jiro\\\\app.exe",
    ].join("\n"),
    "people",
  );
  const [{ stack } = { stack: "" }] = await rows("people");
  assert.equal(
    stack,
    "Error: no session for (mail)\nBearer (token)\nat /Users/(name)/app/main.dart:1:2 and /home/(name)/x.js and C:\\Users\\(name)\\app.exe\n" +
      "GET /me?mail=(mail) in c:\\\\users\\\\(name)\\\\app.exe",
  );
  const columns = await db.sql`
    select column_name from information_schema.columns
    where table_name = 'client_crash_reports' and column_name ~ 'user|ip|address|token'`;
  assert.equal(columns.length, 0);
});

Deno.test("forty reports of one crash at once are one row that counts forty", async () => {
  const connections = Array.from({ length: 8 }, () => postgres(db.url, { max: 1, onnotice: () => {} }));
  try {
    await Promise.all(
      Array.from(
        { length: 40 },
        (_, n) => connections[n % 8]!`select api.report_crash('Error: storm', 'storm', '1.0')`,
      ),
    );
  } finally {
    await Promise.all(connections.map((connection) => connection.end()));
  }
  assert.deepEqual((await rows("storm")).map(({ report_count }) => report_count), [40]);
});

Deno.test("sizes are bounded in bytes and characters, and a large stack is dealt with at once", async () => {
  const large = "a".repeat(65_536);
  const before = performance.now();
  await report(large, "large");
  await report("a@a.b ".repeat(10_922), "grown");
  await report(`${"/Users/a ".repeat(7000)}`, "grown too");
  assert.ok(performance.now() - before < 5000);
  assert.equal((await rows("large"))[0]!.stack, large);
  for (const device of ["grown", "grown too"]) {
    const [row] = await rows(device);
    assert.ok(row!.stack.length > 60_000 && new TextEncoder().encode(row!.stack).length <= 65_536, device);
  }
  const named = async (statement: PromiseLike<unknown>) => (await refusal(statement)).param;
  assert.equal(await named(report(`${large}a`)), "stack");
  assert.equal(await named(report("駐".repeat(21_846))), "stack");
  assert.equal(await named(report(" \n ")), "stack");
  assert.equal(await named(report("Error", " ")), "device");
  assert.equal(await named(report("Error", "d".repeat(201))), "device");
  assert.equal(await named(report("Error", "d", "")), "app_version");
  assert.equal(await named(report("Error", "d", "1".repeat(51))), "app_version");
});

Deno.test("nobody but the service reports, so that no one reports around the limit of an address", async () => {
  for (const role of ["anon", "authenticated"] as const) {
    assert.equal(await sqlstate(db.as({ role }, (sql) => sql`select api.report_crash('Error', 'd', '1')`)), "42501");
  }
});

Deno.test("a day keeps 2,000 rows; known kinds go on being counted", async () => {
  await db.sql`
    insert into public.client_crash_reports (fingerprint, stack, device, app_version)
    select lpad(n::text, 64, '0'), 'Error', 'flood', '1.0' from generate_series(1, 2000) as n`;
  await report("Error: known", "Pixel 9");
  assert.equal((await db.sql`select from public.client_crash_reports where stack = 'Error: known'`).length, 0);
  await report("Error: storm", "storm");
  assert.deepEqual((await rows("storm")).map(({ report_count }) => report_count), [41]);
});

Deno.test("reports are gone after 90 days, by a job of every night", async () => {
  await db.sql`
    insert into public.client_crash_reports (fingerprint, stack, device, app_version, reported_on)
    select repeat('f', 64), 'Error', 'aged', '1.0', (now() at time zone 'UTC')::date - n from unnest(array[89, 90, 91, 400]) as n`;
  const [job] = await db.sql<{ command: string }[]>`select command from cron.job where jobname = 'purge_crash_reports'`;
  await db.sql.unsafe(job!.command);
  const [left] = await db.sql`
    select array_agg((now() at time zone 'UTC')::date - reported_on order by reported_on desc) as ages
    from public.client_crash_reports where device = 'aged'`;
  assert.deepEqual(left!["ages"], [89, 90]);
});
