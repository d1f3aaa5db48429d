// Occupancy: what reports say, for how long, and what becomes of them.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { chance } from "../support/random.ts";
import { errorOf, sqlstate } from "../support/database_errors.ts";
import { newLot, newUser, purge, signedIn } from "../support/rows.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

interface Current {
  readonly state: string;
  readonly free_spaces: number | null;
  readonly trust: number;
  readonly source: string;
}

interface Said {
  readonly state?: string | null;
  readonly free_spaces?: number | null;
  readonly occupancy_ratio?: number | null;
}

interface Hour {
  readonly day_of_week: number;
  readonly hour: number;
  readonly sample_size: number;
  readonly full_share: number;
  readonly crowded_share: number;
  readonly occupancy_ratio: number | null;
}

async function report(user: string, lot: string, said: Said): Promise<Record<string, unknown>> {
  const { state = null, free_spaces = null, occupancy_ratio = null } = said;
  const [row] = await db.as(signedIn(user), (sql) =>
    sql<{ report: Record<string, unknown> }[]>`
      select commands.report_occupancy(${lot}, ${state}, ${free_spaces}, ${occupancy_ratio}) as report`);
  return row!.report;
}

/** The state of a report after some minutes. */
async function reported(lot: string, source: string, state: string, minutesAgo: number, user: string | null = null) {
  await db.sql`
    insert into public.occupancy_reports (parking_lot_id, source, user_id, state, reported_at)
    values (${lot}, ${source}, ${user}, ${state}, now() - ${minutesAgo} * interval '1 minute')`;
}

async function current(lot: string): Promise<Current | undefined> {
  const [row] = await db.as({ role: "anon" }, (sql) =>
    sql<(Omit<Current, "trust"> & { trust: string })[]>`
      select state, free_spaces, trust, source from private.occupancy_of(${[lot]})`);
  return row && { ...row, trust: Number(row.trust) };
}

async function forecast(lot: string): Promise<Hour[]> {
  const [row] = await db.as(
    { role: "anon" },
    (sql) => sql<{ hours: Hour[] }[]>`select private.occupancy_forecast(${lot}) as hours`,
  );
  return row!.hours;
}

async function feed(source: string, reports: unknown): Promise<{ accepted: number; unknown: string[] }> {
  const [row] = await db.as(
    { role: "service_role" },
    (sql) =>
      sql<{ taken: { accepted: number; unknown: string[] } }[]>`
      select api.feed_occupancy(${source}, ${sql.json(reports as never)}) as taken`,
  );
  return row!.taken;
}

Deno.test("occupancy: absent fields of a report are derived from the others", async () => {
  const lot = await newLot(db.sql, { total_spaces: 40 });
  const cases: [Said, Said][] = [
    [{ state: "full" }, { state: "full", free_spaces: 0, occupancy_ratio: 1 }],
    [{ state: "crowded" }, { state: "crowded", free_spaces: null, occupancy_ratio: null }],
    [{ free_spaces: 0 }, { state: "full", free_spaces: 0, occupancy_ratio: 1 }],
    [{ free_spaces: 4 }, { state: "crowded", free_spaces: 4, occupancy_ratio: 0.9 }],
    [{ free_spaces: 5 }, { state: "available", free_spaces: 5, occupancy_ratio: 0.875 }],
    [{ free_spaces: 50 }, { state: "available", free_spaces: 50, occupancy_ratio: 0 }],
    [{ occupancy_ratio: 0.95 }, { state: "crowded", free_spaces: null, occupancy_ratio: 0.95 }],
    [{ occupancy_ratio: 1 }, { state: "full", free_spaces: 0, occupancy_ratio: 1 }],
    [{ state: "crowded", free_spaces: 20 }, { state: "crowded", free_spaces: 20, occupancy_ratio: 0.5 }],
  ];
  for (const [said, expected] of cases) {
    const { state, free_spaces, occupancy_ratio } = await report(await newUser(db.sql), lot, said);
    assert.deepEqual({ state, free_spaces, occupancy_ratio }, expected, JSON.stringify(said));
  }
});

Deno.test("occupancy: an empty or contradictory report is rejected", async () => {
  const [lot, user] = [await newLot(db.sql), await newUser(db.sql)];
  const cases: [Said, string][] = [
    [{}, "state"],
    [{ state: "empty" }, "state"],
    [{ free_spaces: -1 }, "free_spaces"],
    [{ occupancy_ratio: 1.01 }, "occupancy_ratio"],
    [{ state: "full", free_spaces: 2 }, "free_spaces"],
    [{ state: "available", free_spaces: 0 }, "free_spaces"],
    [{ state: "full", occupancy_ratio: 0.5 }, "occupancy_ratio"],
    [{ free_spaces: 0, occupancy_ratio: 0.5 }, "free_spaces"],
  ];
  for (const [said, param] of cases) {
    const { code, param: named } = await errorOf(report(user, lot, said));
    assert.deepEqual([code, named], ["validation_error", param], JSON.stringify(said));
  }
  const closed = await newLot(db.sql, { status: "closed" });
  assert.equal((await errorOf(report(user, closed, { state: "full" }))).code, "lot_not_found");
});

Deno.test("occupancy: trust falls by half with each half-life of the source, and below 0.1 a report is stale", async () => {
  const sources = [["sensor", 0.95, 10, 32.4], ["operator", 0.9, 30, 95.1], ["driver", 0.6, 15, 38.7]] as const;
  for (const [source, trust, halfLife, stale] of sources) {
    for (const minutes of [0, halfLife, halfLife / 2, stale - 0.2]) {
      const lot = await newLot(db.sql);
      await reported(lot, source, "available", minutes);
      const found = await current(lot);
      assert.equal(found?.source, source);
      assert.ok(Math.abs(found.trust - trust * 0.5 ** (minutes / halfLife)) < 0.006, `${source} after ${minutes}`);
    }
    const lot = await newLot(db.sql);
    await reported(lot, source, "available", stale + 0.2);
    assert.equal(await current(lot), undefined, `${source} after ${stale} minutes`);
  }
});

Deno.test("occupancy: the trust of agreeing reports adds up, and the state with the most trust is the lot's", async () => {
  const lot = await newLot(db.sql);
  await reported(lot, "operator", "available", 45);
  assert.deepEqual([(await current(lot))?.state, (await current(lot))?.trust], ["available", 0.32]);
  await reported(lot, "driver", "full", 5, await newUser(db.sql));
  const one = await current(lot);
  assert.deepEqual([one?.state, one?.source, one?.free_spaces], ["full", "driver", 0]);
  await reported(lot, "driver", "full", 5, await newUser(db.sql));
  const weight = 0.6 * 0.5 ** (5 / 15);
  assert.ok(Math.abs((await current(lot))!.trust - (1 - (1 - weight) ** 2)) < 0.006);
  await reported(lot, "sensor", "available", 0);
  assert.deepEqual([(await current(lot))?.state, (await current(lot))?.source], ["available", "sensor"]);
});

Deno.test("occupancy: only the latest report of each reporter counts; one that came late does not", async () => {
  const lot = await newLot(db.sql);
  await reported(lot, "sensor", "available", 6);
  await reported(lot, "sensor", "full", 3);
  assert.equal((await current(lot))?.state, "full");
  await reported(lot, "sensor", "available", 5);
  assert.equal((await current(lot))?.state, "full");
  assert.ok((await current(lot))!.trust < 0.95 * 0.5 ** (3 / 10) + 0.006);
});

Deno.test("occupancy: a report with a future time is replaced by the next one of its reporter", async () => {
  for (const source of ["driver", "sensor"]) {
    const [lot, user] = [await newLot(db.sql), source === "driver" ? await newUser(db.sql) : null];
    await reported(lot, source, "full", -120, user);
    await reported(lot, source, "available", 0, user);
    assert.equal((await current(lot))?.state, "available", source);
  }
});

Deno.test("occupancy: a correction keeps the id of the report that it replaces, and a later report has a new id", async () => {
  const [lot, user] = [await newLot(db.sql), await newUser(db.sql)];
  const [first, second] = [await report(user, lot, { state: "full" }), await report(user, lot, { state: "crowded" })];
  assert.equal(second["id"], first["id"]);
  assert.equal(second["state"], "crowded");
  await db.sql`
    update public.occupancy_reports set reported_at = now() - interval '11 minutes' where id = ${String(first["id"])}`;
  assert.notEqual((await report(user, lot, { state: "full" }))["id"], first["id"]);
  const given = await db.sql`select from public.exp_entries where user_id = ${user} and reason = 'occupancy_report'`;
  assert.equal(given.length, 2);
});

Deno.test("occupancy: a reporter has one report per lot, updated in place; a user's report is deleted after a day", async () => {
  const [lot, user] = [await newLot(db.sql), await newUser(db.sql)];
  for (const state of ["available", "crowded", "full"]) {
    for (const source of ["sensor", "operator"]) await feed(source, [{ parking_lot_id: lot, state }]);
    await reported(lot, "driver", state, { available: 50, crowded: 25, full: 0 }[state]!, user);
  }
  const rows = () =>
    db.sql`select source, state from public.occupancy_reports where parking_lot_id = ${lot} order by source`;
  assert.deepEqual((await rows()).map(({ source, state }) => [source, state]), [
    ["driver", "full"],
    ["operator", "full"],
    ["sensor", "full"],
  ]);
  await db
    .sql`update public.occupancy_reports set reported_at = now() - interval '23 hours' where parking_lot_id = ${lot}`;
  await purge(db.sql);
  assert.equal((await rows()).length, 3);
  await db
    .sql`update public.occupancy_reports set reported_at = now() - interval '25 hours' where parking_lot_id = ${lot}`;
  await purge(db.sql);
  assert.deepEqual((await rows()).map(({ source }) => source), ["operator", "sensor"]);
});

Deno.test("occupancy: a reporter who reports many times at once, for the first time too, has one report and one sample", async () => {
  for (const source of ["driver", "sensor"]) {
    const [lot, user] = [await newLot(db.sql), await newUser(db.sql)];
    for (const states of [["available", "crowded", "full", "available"], ["full", "available", "crowded", "full"]]) {
      await Promise.all(
        states.map((state) =>
          source === "driver" ? report(user, lot, { state }) : feed(source, [{ parking_lot_id: lot, state }])
        ),
      );
      const rows = await db.sql`select id from public.occupancy_reports where parking_lot_id = ${lot}`;
      assert.equal(rows.length, 1);
    }
    const hours = await forecast(lot);
    assert.equal(hours.reduce((sum, { sample_size }) => sum + sample_size, 0), 1, source);
  }
});

Deno.test("occupancy: the forecast equals a count of its samples, by hour of the lot's own week, with any reports and corrections", async () => {
  const chances = chance(830);
  const lots = await Promise.all(
    ["Asia/Tokyo", "Europe/Zurich", "America/St_Johns"].map((time_zone) =>
      newLot(db.sql, { time_zone, total_spaces: 10 })
    ),
  );
  const users = [await newUser(db.sql), await newUser(db.sql)];
  // Bursts, so that there are corrections, also over the end of an hour.
  const minutes = Array.from({ length: 150 }, () => chances.below(20 * 24 * 60)).sort((a, b) => a - b)
    .flatMap((minute) => Array.from({ length: 4 }, (_, nth) => minute + 7 * nth)).sort((a, b) => a - b);
  interface Report {
    readonly lot: string;
    readonly minute: number;
    readonly free_spaces: number;
  }
  const samples = new Set<Report>();
  const former = new Map<string, { report: Report; hour: string }>();
  for (const minute of minutes) {
    const [lot, source] = [chances.pick(lots), chances.pick(["sensor", "operator", "driver", "driver", "driver"])];
    const user = source === "driver" ? chances.pick(users) : null;
    const occupancyReport = { lot, minute, free_spaces: chances.below(4) };
    const [{ hour }] = await db.sql<[{ hour: string }]>`
      select date_trunc('hour', (timestamptz '2026-03-20' + ${minute} * interval '1 minute') at time zone l.time_zone)::text as hour
      from public.parking_lots l where l.id = ${lot}`;
    await db.sql`
      insert into public.occupancy_reports (parking_lot_id, source, user_id, free_spaces, reported_at)
      values (${lot}, ${source}, ${user}, ${occupancyReport.free_spaces}, timestamptz '2026-03-20' + ${minute} * interval '1 minute')`;
    const before = former.get(`${lot} ${source} ${user}`);
    const corrects = before !== undefined && user !== null && minute < before.report.minute + 10;
    if (before?.hour !== hour || (corrects && samples.has(before.report))) samples.add(occupancyReport);
    if (corrects) samples.delete(before.report);
    former.set(`${lot} ${source} ${user}`, { report: occupancyReport, hour });
  }
  for (const lot of lots) {
    const expected = await db.sql<Hour[]>`
      select extract(dow from t.at)::integer as day_of_week, extract(hour from t.at)::integer as hour,
        count(*)::integer as sample_size, round(avg((r.free_spaces = 0)::integer), 2)::float as full_share,
        round(avg((r.free_spaces = 1)::integer), 2)::float as crowded_share,
        round(avg(1 - r.free_spaces / 10.0), 2)::float as occupancy_ratio
      from jsonb_to_recordset(${
      db.sql.json([...samples] as never)
    }) as r (lot uuid, minute integer, free_spaces integer)
      join public.parking_lots l on l.id = r.lot
      cross join lateral (select (timestamptz '2026-03-20' + r.minute * interval '1 minute') at time zone l.time_zone as at) t
      where r.lot = ${lot}
      group by 1, 2 order by 1, 2`;
    assert.ok(expected.length > 10);
    assert.deepEqual(await forecast(lot), expected.map((hour) => ({ ...hour })));
  }
});

Deno.test("occupancy: a reporter adds at most one sample an hour to the forecast", async () => {
  const lot = await newLot(db.sql);
  for (const minute of ["09:58", "10:01", "10:20", "10:59", "11:00"]) {
    await db.sql`
      insert into public.occupancy_reports (parking_lot_id, source, state, reported_at)
      values (${lot}, 'sensor', 'crowded', ${`2026-09-02 ${minute}+09`})`;
  }
  assert.deepEqual(
    (await forecast(lot)).map(({ day_of_week, hour, sample_size }) => [day_of_week, hour, sample_size]),
    [
      [3, 9, 1],
      [3, 10, 1],
      [3, 11, 1],
    ],
  );
});

Deno.test("occupancy: the hour of a sample is the lot's own, also where clocks differ by half hours", async () => {
  const lot = await newLot(db.sql);
  await db.sql`update public.parking_lots set time_zone = 'Asia/Kathmandu' where id = ${lot}`;
  for (const time of ["16:05", "16:50", "17:00"]) {
    await db.sql`
      insert into public.occupancy_reports (parking_lot_id, source, state, reported_at)
      values (${lot}, 'sensor', 'crowded', ${`2026-09-02 ${time}+05:45`})`;
  }
  assert.deepEqual((await forecast(lot)).map(({ hour, sample_size }) => [hour, sample_size]), [[16, 1], [17, 1]]);
});

Deno.test("occupancy: a feed is stored whole, reports unknown lots, and drops late reports", async () => {
  const [lot, unknown] = [await newLot(db.sql), crypto.randomUUID()];
  const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const taken = await feed("operator", [
    { parking_lot_id: lot, free_spaces: 7 },
    { parking_lot_id: unknown, state: "full" },
    { parking_lot_id: lot, state: "full", reported_at: at(50) },
  ]);
  assert.deepEqual(taken, { accepted: 2, unknown: [unknown] });
  const found = await current(lot);
  assert.deepEqual([found?.state, found?.free_spaces, found?.trust], ["available", 7, 0.9]);
});

Deno.test("occupancy: a feed with one wrong report is rejected as a whole and names it", async () => {
  const lot = await newLot(db.sql);
  const good = { parking_lot_id: lot, state: "full" };
  const future = new Date(Date.now() + 120_000).toISOString();
  const cases: [string, unknown, string][] = [
    ["driver", [good], "source"],
    ["sensor", [], "reports"],
    ["sensor", { ...good }, "reports"],
    ["sensor", Array.from({ length: 501 }, () => good), "reports"],
    ["sensor", [good, { parking_lot_id: lot }], "reports.1.state"],
    ["sensor", [good, { ...good, free_spaces: 3 }], "reports.1.free_spaces"],
    ["sensor", [{ ...good, reported_at: future }], "reports.0.reported_at"],
  ];
  for (const [source, reports, param] of cases) {
    assert.equal((await errorOf(feed(source, reports))).param, param, JSON.stringify(reports).slice(0, 80));
  }
  assert.equal(await current(lot), undefined);
  const asPerson = db.as(signedIn(await newUser(db.sql)), (sql) => sql`select api.feed_occupancy('sensor', '[]')`);
  assert.equal(await sqlstate(asPerson), "42501");
});

Deno.test("occupancy: the reporter is not readable, and the report stays when its user is deleted", async () => {
  const [lot, user] = [await newLot(db.sql), await newUser(db.sql)];
  await report(user, lot, { state: "crowded" });
  const read = (sub: string) =>
    db.as(signedIn(sub), (sql) => sql`select id from public.occupancy_reports where parking_lot_id = ${lot}`);
  assert.deepEqual([(await read(user)).length, (await read(await newUser(db.sql))).length], [1, 0]);
  await db.sql`delete from auth.users where id = ${user}`;
  assert.equal((await current(lot))?.state, "crowded");
});
