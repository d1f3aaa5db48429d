// Crash reports: counted by kind, without personal data, and deleted in time.
import assert from "node:assert/strict";
import postgres from "postgres";
import { database } from "../support/database.ts";
import { chance } from "../support/random.ts";
import { purge } from "../support/rows.ts";
import { errorOf, sqlstate } from "../support/database_errors.ts";
import { seed } from "../support/sizes.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

const report = (stack: string, device = "Pixel 9", version = "1.0", network: string = crypto.randomUUID()) =>
  db.as(
    { role: "service_role" },
    async (sql) => {
      // A pattern whose work grows with the square of a stack exceeds this deadline.
      await sql`set local statement_timeout = '5s'`;
      return await sql`select api.report_crash(${stack}, ${device}, ${version}, ${network}) as reply`;
    },
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

Deno.test("crash reports: the first 8 KiB of a stack are kept, cut between characters, also of a stack that is as large as allowed", async () => {
  const large = "a".repeat(65_536);
  await report(large, "large");
  await report("駐".repeat(21_845), "wide");
  await report("a@a.b ".repeat(10_922), "grown");
  await report(`${"/Users/a ".repeat(7000)}`, "grown too");
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

/** Sums that differ from a recount of the rows: none. */
const wrongSums = async () => [
  ...await db.sql`
    select 'day' as what, d.reported_on, d.bytes, coalesce(c.bytes, 0) as counted from private.crash_report_days d
    full join (
      select reported_on, sum(size_bytes) as bytes from public.client_crash_reports group by 1
    ) c using (reported_on)
    where coalesce(d.bytes, 0) <> coalesce(c.bytes, 0)`,
  ...await db.sql`
    select 'network' as what, network, n.bytes, n.row_count, c.bytes as counted from private.crash_report_networks n
    full join (
      select reported_on, network, sum(size_bytes) as bytes, count(*) as row_count
      from public.client_crash_reports group by 1, 2
    ) c using (reported_on, network)
    where (n.bytes, n.row_count) is distinct from (c.bytes, c.row_count)`,
  ...await db.sql`
    select 'row' as what, c.id, c.network_count from public.client_crash_reports c
    where c.network_count <> (select count(*) from private.crash_report_sources s where s.report_id = c.id)`,
];

Deno.test("crash reports: a network is the first 24 bits of an IPv4 address and the first 48 of an IPv6 address, as a keyed hash", async () => {
  const hash = async (address: string | null) =>
    (await db.sql<{ network: string }[]>`select private.crash_network(${address}) as network`)[0]!.network;
  const same: [string, string][] = [
    ["203.0.113.1", "203.0.113.254"],
    ["2001:db8:1::1", "2001:db8:1:ffff::2"],
    ["::ffff:203.0.113.1", "::ffff:203.0.113.9"],
  ];
  const different: [string, string][] = [
    ["203.0.113.1", "203.0.114.1"],
    ["2001:db8:1::1", "2001:db8:2::1"],
    ["::ffff:203.0.113.1", "::ffff:203.0.114.1"],
  ];
  for (const [one, other] of same) assert.equal(await hash(one), await hash(other), `${one} and ${other}`);
  for (const [one, other] of different) assert.notEqual(await hash(one), await hash(other), `${one} and ${other}`);
  for (const address of ["203.0.113.1", "somewhere", "", null]) assert.match(await hash(address), /^[0-9a-f]{32}$/);
});

Deno.test("crash reports: one network adds 100 rows a day; beyond them a new kind replaces one that fewest networks reported", async () => {
  const others = (await today()).count;
  for (let n = 0; n < NETWORK_ROWS; n++) await report(`Error: ${kindOf(n)}`, "flat", "1.0", "one");
  await report(`Error: ${kindOf(0)}`, "flat", "1.0", "two");
  for (let n = 0; n < 3; n++) await report(`Error: ${kindOf(1)}`, "flat", "1.0", "one");
  await report("Error: elsewhere", "flat", "1.0", "other");
  await report("Error: fresh", "flat", "1.0", "one");
  const stacks = (await rows("flat")).map(({ stack }) => stack);
  assert.equal(stacks.length, NETWORK_ROWS + 1);
  assert.equal((await today()).count, others + NETWORK_ROWS + 1);
  for (const kept of [`Error: ${kindOf(0)}`, "Error: fresh", "Error: elsewhere"]) {
    assert.ok(stacks.includes(kept), kept);
  }
  assert.ok(!stacks.includes(`Error: ${kindOf(1)}`), "repeated reports of one network do not keep a row");
  assert.deepEqual(await wrongSums(), []);
});

Deno.test("crash reports: a row counts each of its first 50 networks once", async () => {
  for (let n = 0; n < 60; n++) {
    for (let nth = 0; nth < 2; nth++) await report("Error: everywhere", "counted", "1.0", `10.0.${n}.${nth}`);
  }
  const [row] = await db.sql`
    select id, report_count, network_count from public.client_crash_reports where device = 'counted'`;
  assert.deepEqual([row!["report_count"], row!["network_count"]], [120, 50]);
  assert.deepEqual(await wrongSums(), []);
  assert.equal(
    await sqlstate(db.sql`
      insert into private.crash_report_sources (report_id, network, reported_on) values (${
      row!["id"]
    }, 'more', now())`),
    "23514",
  );
});

/** As many kinds of 7 KB from each network as it may add; in each round the same ones. */
async function flood(networks: readonly string[], rounds: number): Promise<void> {
  const noise = "x".repeat(7000);
  const connections = Array.from({ length: 8 }, () => postgres(db.url, { max: 1, onnotice: () => {} }));
  try {
    for (let round = 0; round < rounds; round++) {
      await Promise.all(
        Array.from({ length: NETWORK_ROWS * networks.length }, (_, n) =>
          connections[n % 8]!`
            select api.report_crash(${kindOf(n) + noise}, 'noise', '1.0', ${networks[n % networks.length]!})`),
      );
    }
  } finally {
    await Promise.all(connections.map((connection) => connection.end()));
  }
}

for (
  const [who, networks] of [
    ["six /64 of one /48", Array.from({ length: 6 }, (_, n) => `2001:db8:7:${n}::1`)],
    ["seven networks", Array.from({ length: 7 }, (_, n) => `2001:db8:${100 + n}::1`)],
  ] as const
) {
  Deno.test(`crash reports: noise from ${who} that is sent twice displaces itself, and the crashes of six phones stay`, async () => {
    await db.sql`truncate public.client_crash_reports cascade`;
    const phones = Array.from({ length: 6 }, (_, n) => `198.51.${n}.1`);
    const kept = async () => (await rows("phone")).length;
    await report("Error: phone a", "phone", "1.0", phones[0]);
    await flood(networks, 2);
    assert.equal(await kept(), 1);
    for (const [n, phone] of phones.entries()) {
      await report(`Error: phone ${kindOf(n)}`, "phone", "1.0", phone);
      assert.equal(await kept(), n + 1);
    }
    await flood(networks, 1);
    for (let n = 0; n < 20; n++) await report(`Error: more ${kindOf(n)}`, "noise", "1.0", networks[0]!);
    assert.equal(await kept(), phones.length);
    const day = await today();
    assert.ok(day.sum <= DAY_BYTES, `${day.sum} bytes`);
    assert.deepEqual(await wrongSums(), []);
  });
}

const CRASH_SEED = seed("CRASH_SEED", 20261128);

Deno.test(`crash reports: after random reports, changes and nights every sum equals a recount (CRASH_SEED=${CRASH_SEED})`, async () => {
  const { below, pick } = chance(CRASH_SEED);
  await db.sql`truncate public.client_crash_reports cascade`;
  const anyRow = async () =>
    (await db.sql<{ id: string }[]>`
      select id from public.client_crash_reports order by fingerprint offset ${below(50)} limit 1`)[0]?.id ?? null;
  const steps: Record<string, () => Promise<unknown>> = {
    report: () => report(kindOf(below(300)) + "x".repeat(below(8000)), "any", "1.0", `10.0.${below(8)}.1`),
    insert: () =>
      db.sql`
        insert into public.client_crash_reports (fingerprint, stack, device, app_version)
        values (${crypto.randomUUID().replaceAll("-", "").repeat(2)}, ${"y".repeat(1 + below(8000))}, 'sql', '1.0')`,
    change: async () =>
      await db.sql`
        update public.client_crash_reports set stack = ${"z".repeat(1 + below(8000))} where id = ${await anyRow()}`,
    remove: async () => await db.sql`delete from public.client_crash_reports where id = ${await anyRow()}`,
  };
  for (let n = 0; n < 600; n++) {
    const step = pick([...Object.keys(steps), "report", "report", "report", "report"]);
    await steps[step]!();
    if (n % 50 === 0) assert.deepEqual(await wrongSums(), [], `after step ${n}, ${step}`);
  }
  assert.deepEqual(await wrongSums(), []);
  const day = await today();
  assert.ok(day.sum <= DAY_BYTES, `${day.sum} bytes`);
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

Deno.test("crash reports: the hashes of networks are deleted the following night", async () => {
  await db.sql`truncate public.client_crash_reports cascade`;
  await report("Error: yesterday", "yesterday", "1.0", "somewhere");
  for (const table of ["public.client_crash_reports", "private.crash_report_sources"]) {
    await db.sql`update ${db.sql(table)} set reported_on = reported_on - 1`;
  }
  await purge(db.sql);
  assert.equal((await db.sql`select from private.crash_report_sources`).length, 0);
  const named = await db.sql`select from public.client_crash_reports where network <> ''
    union all select from private.crash_report_networks where network <> ''`;
  assert.equal(named.length, 0);
  const [left] = await db.sql`select network_count from public.client_crash_reports where device = 'yesterday'`;
  assert.equal(left!["network_count"], 1);
});

Deno.test("crash reports: no client reads the network of a row", async () => {
  for (const role of ["anon", "authenticated"] as const) {
    assert.equal(
      await sqlstate(db.as({ role }, (sql) => sql`select network from public.client_crash_reports`)),
      "42501",
    );
  }
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
