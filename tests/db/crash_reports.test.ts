// Crash reports: counted by kind, without personal data, and deleted in time.
import assert from "node:assert/strict";
import postgres from "postgres";
import { database } from "../support/database.ts";
import { purge } from "../support/rows.ts";
import { errorOf, sqlstate } from "../support/database_errors.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

const report = (stack: string, device = "Pixel 9", version = "1.0", network: string = crypto.randomUUID()) =>
  db.as(
    { role: "service_role" },
    (sql) => sql`select api.report_crash(${stack}, ${device}, ${version}, ${network}) as reply`,
  );
const rows = (device: string) =>
  db.sql<{ stack: string; report_count: number; fingerprint: string }[]>`
    select stack, report_count, fingerprint from public.client_crash_reports where device = ${device} order by created_at`;

Deno.test("crash reports: crashes of one kind, version, device and day are one row; numbers and deep frames do not change the kind", async () => {
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

Deno.test("crash reports: personal data in a stack is not stored", async () => {
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

Deno.test("crash reports: forty reports of one crash at once are one row with count 40", async () => {
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

Deno.test("crash reports: the first 8 KiB of a stack are kept, cut between characters, and a large stack is processed quickly", async () => {
  const large = "a".repeat(65_536);
  const before = performance.now();
  await report(large, "large");
  await report("駐".repeat(21_845), "wide");
  await report("a@a.b ".repeat(10_922), "grown");
  await report(`${"/Users/a ".repeat(7000)}`, "grown too");
  assert.ok(performance.now() - before < 5000);
  assert.equal((await rows("large"))[0]!.stack, large.slice(0, 8192));
  for (const device of ["wide", "grown", "grown too"]) {
    const bytes = new TextEncoder().encode((await rows(device))[0]!.stack).length;
    assert.ok(bytes > 8100 && bytes <= 8192, `${device}: ${bytes}`);
  }
  const named = async (statement: PromiseLike<unknown>) => (await errorOf(statement)).param;
  assert.equal(await named(report(`${large}a`)), "stack");
  assert.equal(await named(report("駐".repeat(21_846))), "stack");
  assert.equal(await named(report(" \n ")), "stack");
  assert.equal(await named(report("Error", " ")), "device");
  assert.equal(await named(report("Error", "d".repeat(201))), "device");
  assert.equal(await named(report("Error", "d", "")), "app_version");
  assert.equal(await named(report("Error", "d", "1".repeat(51))), "app_version");
});

Deno.test("crash reports: only the service may report, so the limit of an address cannot be bypassed", async () => {
  for (const role of ["anon", "authenticated"] as const) {
    assert.equal(await sqlstate(db.as({ role }, (sql) => sql`select api.report_crash('Error', 'd', '1')`)), "42501");
  }
});

const DAY_BYTES = 4_194_304;
const NETWORK_ROWS = 100;
/** Letters, because numbers make no other kind. */
const kindOf = (n: number) => [...String(n)].map((digit) => "abcdefghij"[Number(digit)]).join("");
const today = async () => {
  const [day] = await db.sql<{ bytes: number; sum: number; count: number }[]>`
    select (select bytes::integer from private.crash_report_days where reported_on = (now() at time zone 'UTC')::date),
      coalesce(sum(size_bytes), 0)::integer as sum, count(*)::integer as count
    from public.client_crash_reports where reported_on = (now() at time zone 'UTC')::date`;
  return day!;
};

Deno.test("crash reports: one network adds 100 rows a day; beyond them a new kind replaces its own rarest and oldest", async () => {
  const others = (await today()).count;
  for (let n = 0; n < NETWORK_ROWS; n++) await report(`Error: ${kindOf(n)}`, "flat", "1.0", "one");
  await report(`Error: ${kindOf(0)}`, "flat", "1.0", "one");
  await report("Error: elsewhere", "flat", "1.0", "other");
  await report("Error: fresh", "flat", "1.0", "one");
  const stacks = (await rows("flat")).map(({ stack }) => stack);
  assert.equal(stacks.length, NETWORK_ROWS + 1);
  assert.equal((await today()).count, others + NETWORK_ROWS + 1);
  for (const kept of [`Error: ${kindOf(0)}`, "Error: fresh", "Error: elsewhere"]) {
    assert.ok(stacks.includes(kept), kept);
  }
  assert.ok(!stacks.includes(`Error: ${kindOf(1)}`), "the oldest kind that was reported once makes room");
});

Deno.test("crash reports: eight connections at once add no row beyond a network's bound, and none twice", async () => {
  const connections = Array.from({ length: 8 }, () => postgres(db.url, { max: 1, onnotice: () => {} }));
  try {
    await Promise.all(
      Array.from(
        { length: 3 * NETWORK_ROWS },
        (_, n) => connections[n % 8]!`select api.report_crash(${`Error: ${kindOf(n)}`}, 'race', '1.0', 'race')`,
      ),
    );
  } finally {
    await Promise.all(connections.map((connection) => connection.end()));
  }
  assert.equal((await rows("race")).length, NETWORK_ROWS);
  const day = await today();
  assert.equal(day.bytes, day.sum);
});

Deno.test("crash reports: a full day keeps every new crash and the most frequent ones, and has at most 4 MiB", async () => {
  await db.sql`delete from public.client_crash_reports`;
  await report("Error: known", "real");
  await report("Error: known", "real");
  const connections = Array.from({ length: 8 }, () => postgres(db.url, { max: 1, onnotice: () => {} }));
  const noise = "x".repeat(8192);
  try {
    await Promise.all(
      Array.from(
        { length: 600 },
        (_, n) =>
          connections[n % 8]!`select api.report_crash(${kindOf(n) + noise}, 'flood', '1.0', ${`network ${n % 40}`})`,
      ),
    );
  } finally {
    await Promise.all(connections.map((connection) => connection.end()));
  }
  const full = await today();
  assert.equal(full.bytes, full.sum);
  assert.ok(full.sum <= DAY_BYTES && full.sum > DAY_BYTES - 12_000, `${full.sum} bytes`);
  await report("Error: new and real", "real");
  const real = await rows("real");
  assert.deepEqual(real.map(({ stack, report_count }) => [stack, report_count]), [
    ["Error: known", 2],
    ["Error: new and real", 1],
  ]);
  assert.ok((await today()).sum <= DAY_BYTES);
});

Deno.test("crash reports: the bytes of a day are bounded for rows that are written by SQL as well", async () => {
  await db.sql`truncate public.client_crash_reports cascade`;
  await db.sql`
    insert into public.client_crash_reports (fingerprint, stack, device, app_version)
    select lpad(n::text, 64, '0'), repeat('y', 8192), 'by hand', '1.0' from generate_series(1, 600) as n`;
  const day = await today();
  assert.ok(day.sum <= DAY_BYTES, `${day.sum} bytes`);
  await db.sql`truncate public.client_crash_reports cascade`;
  for (const error of ["Error: a", "Error: b"]) await report(error, "after");
  assert.equal((await rows("after")).length, 2);
});

Deno.test("crash reports: the hash of a network is deleted the following night", async () => {
  await report("Error: yesterday", "yesterday", "1.0", "somewhere");
  await db.sql`update private.crash_report_sources set reported_on = reported_on - 1`;
  await purge(db.sql);
  assert.equal((await db.sql`select from private.crash_report_sources`).length, 0);
  assert.equal((await rows("yesterday")).length, 1);
});

Deno.test("crash reports: reports are deleted after 90 days", async () => {
  await db.sql`
    insert into public.client_crash_reports (fingerprint, stack, device, app_version, reported_on)
    select repeat('f', 64), 'Error', 'aged', '1.0', (now() at time zone 'UTC')::date - n from unnest(array[89, 90, 91, 400]) as n`;
  await purge(db.sql);
  const [left] = await db.sql`
    select array_agg((now() at time zone 'UTC')::date - reported_on order by reported_on desc) as ages
    from public.client_crash_reports where device = 'aged'`;
  assert.deepEqual(left!["ages"], [89, 90]);
});
