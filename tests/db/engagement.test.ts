// Engagement of lots: daily counts equal the activity, also under concurrency, and reports of a period show their sums.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { errorOf, sqlstate } from "../support/database_errors.ts";
import { newLot, newUser, purge, runJob, signedIn } from "../support/rows.ts";

const db = await database();
Deno.test.afterAll(() => db.close());
const { sql } = db;

interface Row {
  readonly parking_lot_id: string;
  readonly name: string | null;
  readonly saves: number;
  readonly sessions: number;
  readonly searches: number;
}

interface Page {
  readonly from: string;
  readonly to: string;
  readonly items: Row[];
  readonly next_cursor: string | null;
  readonly total?: number;
}

const admin = await newAdmin(["lots"]);

async function newAdmin(areas: string[]): Promise<string> {
  const id = crypto.randomUUID();
  await sql`
    insert into auth.users (id, email, raw_app_meta_data)
    values (${id}, ${`${id}@example.test`}, ${sql.json({ admin: { areas } })})`;
  return id;
}

async function report(
  options: {
    from?: string;
    to?: string;
    sort?: string | null;
    include?: string[];
    cursor?: string | null;
    limit?: number;
  } = {},
) {
  const { from = null, to = null, sort = null, include = [], cursor = null, limit = 100 } = options;
  const [row] = await db.as({ role: "service_role" }, (sql) =>
    sql<{ page: Page }[]>`
      select api.admin_list_lot_engagement(${admin}, ${from}, ${to}, ${sort}, ${include}, ${cursor}, ${limit}) as page`);
  return row!.page;
}

async function stats(...args: (string | number | null)[]): Promise<Row[]> {
  const [row] = await db.as(
    { role: "service_role" },
    (sql) =>
      sql<{ rows: Row[] }[]>`select api.parking_lot_engagement_stats(${args[0] ?? null}, ${args[1] ?? null}) as rows`,
  );
  return row!.rows;
}

async function activity(user: string, type: string, lot: string, at = new Date().toISOString()): Promise<void> {
  await sql`
    select private.record_activity(${user}, ${type}, ${lot}, gen_random_uuid(), p_created_at => ${at})`;
}

const search = (counts: Record<string, unknown> | null) =>
  db.as({ role: "service_role" }, (sql) => sql`select api.add_search_counts(${sql.json(counts as never)})`);

async function countsOf(lot: string): Promise<Omit<Row, "name" | "parking_lot_id"> | null> {
  const [row] = await sql<Omit<Row, "name" | "parking_lot_id">[]>`
    select sum(saves)::integer as saves, sum(sessions)::integer as sessions, sum(searches)::integer as searches
    from private.parking_lot_daily_counts where parking_lot_id = ${lot} having count(*) > 0`;
  return row ?? null;
}

Deno.test("engagement: saving and parking count once the job has run, and each once", async () => {
  const [lot, user] = [await newLot(sql), await newUser(sql)];
  await db.as(signedIn(user), async (sql) => {
    await sql`select commands.save_parking_lot(${lot})`;
    await sql`select commands.unsave_parking_lot(${lot})`;
    await sql`select commands.save_parking_lot(${lot})`;
    await sql`select commands.start_parking_session(${lot}, 'standard', 35.68, 139.76, gen_random_uuid())`;
  });
  assert.equal(await countsOf(lot), null);
  await runJob(sql, "fold_lot_counts");
  await runJob(sql, "fold_lot_counts");
  assert.deepEqual(await countsOf(lot), { saves: 1, sessions: 1, searches: 0 });
  const [pending] = await sql`select count(*)::integer from private.pending_lot_counts`;
  assert.equal(pending!["count"], 0);
});

Deno.test("engagement: an activity that is rolled back or of another kind is not counted", async () => {
  const [lot, user] = [await newLot(sql), await newUser(sql)];
  const undo = new Error("undo");
  await assert.rejects(
    db.as(signedIn(user), async (sql) => {
      await sql`select commands.save_parking_lot(${lot})`;
      throw undo;
    }),
    undo,
  );
  await activity(user, "review_post", lot);
  await activity(user, "session_end", lot);
  await runJob(sql, "fold_lot_counts");
  assert.equal(await countsOf(lot), null);
});

Deno.test("engagement: a withdrawal keeps the counts, also pending ones", async () => {
  const [lot, user] = [await newLot(sql), await newUser(sql)];
  await activity(user, "lot_save", lot);
  await sql`delete from auth.users where id = ${user}`;
  await runJob(sql, "fold_lot_counts");
  assert.deepEqual(await countsOf(lot), { saves: 1, sessions: 0, searches: 0 });
});

Deno.test("engagement: concurrent batches, activities and searches lose and double no count", async () => {
  const lots = await Promise.all(Array.from({ length: 5 }, () => newLot(sql)));
  const user = await newUser(sql);
  let isDone = false;
  const workers = [1, 2].map(async () => {
    while (!isDone) await sql`select private.fold_lot_counts(7)`;
  });
  await Promise.all(Array.from({ length: 200 }, async (_, nth) => {
    await activity(user, "session_start", lots[nth % 5]!);
    if (nth % 4 === 0) await search(Object.fromEntries(lots.toReversed().map((lot) => [lot, 1])));
  }));
  isDone = true;
  await Promise.all(workers);
  await runJob(sql, "fold_lot_counts");
  for (const lot of lots) assert.deepEqual(await countsOf(lot), { saves: 0, sessions: 40, searches: 50 });
});

Deno.test("engagement: a batch that is rolled back is counted by the next one", async () => {
  const [lot, user] = [await newLot(sql), await newUser(sql)];
  await activity(user, "session_start", lot);
  const undo = new Error("undo");
  await assert.rejects(
    sql.begin(async (sql) => {
      await sql`select private.fold_lot_counts()`;
      throw undo;
    }),
    undo,
  );
  assert.equal(await countsOf(lot), null);
  await runJob(sql, "fold_lot_counts");
  assert.deepEqual(await countsOf(lot), { saves: 0, sessions: 1, searches: 0 });
});

Deno.test("engagement: a day is a date in Asia/Tokyo", async () => {
  const [lot, user] = [await newLot(sql), await newUser(sql)];
  await activity(user, "session_start", lot, "2026-03-01T14:59:59Z");
  await activity(user, "session_start", lot, "2026-03-01T15:00:00Z");
  await runJob(sql, "fold_lot_counts");
  const sessions = async (from: string, to: string) =>
    (await report({ from, to })).items.find((item) => item.parking_lot_id === lot)?.sessions;
  assert.equal(await sessions("2026-03-01", "2026-03-02"), 1);
  assert.equal(await sessions("2026-03-02", "2026-03-03"), 1);
  assert.equal(await sessions("2026-03-01", "2026-03-03"), 2);
  assert.equal(await sessions("2026-03-03", "2026-03-04"), undefined);
});

Deno.test("engagement: add_search_counts rejects invalid counts and stores none of them", async () => {
  const lot = await newLot(sql);
  const wrong: unknown[] = [
    [],
    "text",
    { [lot]: 0 },
    { [lot]: -1 },
    { [lot]: 1.5 },
    { [lot]: "1" },
    { [lot]: 1_000_000 },
    { [lot]: 1, no_id: 1 },
    Object.fromEntries(Array.from({ length: 10_001 }, () => [crypto.randomUUID(), 1])),
  ];
  for (const counts of wrong) {
    const { code, param } = await errorOf(search(counts as never));
    assert.deepEqual([code, param], ["validation_error", "counts"], JSON.stringify(counts).slice(0, 100));
  }
  assert.equal(await countsOf(lot), null);
  await search({});
  await search({ [lot]: 2, [lot.toUpperCase()]: 3 });
  assert.deepEqual(await countsOf(lot), { saves: 0, sessions: 0, searches: 5 });
});

Deno.test("engagement: the report equals sums over the counts, for each order, page by page", async () => {
  await sql`truncate private.parking_lot_daily_counts`;
  const lots = await sql<{ id: string; name: string }[]>`
    insert into public.parking_lots (name, lat, lng, status)
    select 'Report ' || n % 7 || case when n % 2 = 0 then '場' else 'a' end, 35, 139, 'active'
    from generate_series(1, 30) n returning id, name`;
  await sql`
    insert into private.parking_lot_daily_counts
    select l.id, date '2026-01-01' + d, (random() * 2)::integer, (random() * 2)::integer, (random() * 2)::integer
    from public.parking_lots l cross join generate_series(0, 39) d
    where l.name like 'Report%' and random() < 0.4`;
  const [from, to] = ["2026-01-05", "2026-01-20"];
  const expected = await sql<Row[]>`
    select l.id as parking_lot_id, l.name, coalesce(sum(c.saves), 0)::integer as saves, coalesce(sum(c.sessions), 0)::integer as sessions,
      coalesce(sum(c.searches), 0)::integer as searches
    from public.parking_lots l
    left join private.parking_lot_daily_counts c on c.parking_lot_id = l.id and c.day >= ${from} and c.day < ${to}
    group by l.id order by l.name collate "C", l.id`;
  assert.ok(expected.length > lots.length);
  const keysOf = {
    saves: ["saves"],
    sessions: ["sessions"],
    searches: ["searches"],
    "": ["sessions", "saves", "searches"],
  } as const;
  for (const sort of ["", "saves", "sessions", "searches", "name"] as const) {
    const seen: Row[] = [];
    let cursor: string | null = null;
    do {
      const page: Page = await report({ from, to, sort: sort || null, cursor, limit: 7 });
      assert.deepEqual([page.from, page.to], [from, to]);
      assert.ok(page.items.length > 0 && page.items.length <= 7);
      seen.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor !== null);
    const wanted = sort === "name"
      ? [...expected]
      : expected.filter((row) => keysOf[sort].some((key) => row[key] > 0)).sort((a, b) =>
        keysOf[sort].map((key) => b[key] - a[key]).find((difference) => difference !== 0) ||
        (a.parking_lot_id < b.parking_lot_id ? 1 : -1)
      );
    assert.deepEqual(seen, wanted, sort);
    const { total } = await report({ from, to, sort: sort || null, limit: 1, include: ["total"] });
    assert.equal(total, wanted.length, sort);
    const [row] = await db.as({ role: "service_role" }, (sql) =>
      sql<{ rows: Row[] }[]>`
        select api.parking_lot_engagement_stats(${from}, ${to}, ${sort || null}) as rows`);
    assert.deepEqual(row!.rows, wanted, sort);
  }
});

Deno.test("engagement: without dates the report is of the last 30 days, today included, and its pages of the same period", async () => {
  await sql`truncate private.parking_lot_daily_counts`;
  const [oldest, before, today] = [await newLot(sql), await newLot(sql), await newLot(sql)];
  await sql`
    insert into private.parking_lot_daily_counts (parking_lot_id, day, sessions) values
      (${oldest}, private.day_of(now()) - 29, 3), (${before}, private.day_of(now()) - 30, 9), (${today}, private.day_of(now()), 2)`;
  const saved = await newLot(sql);
  await search({ [saved]: 1 });
  assert.deepEqual((await stats()).map((row) => row.parking_lot_id), [oldest, today, saved]);
  await sql`delete from private.parking_lot_daily_counts where parking_lot_id = ${saved}`;
  const first = await report({ limit: 1 });
  assert.deepEqual(first.items.map((item) => item.parking_lot_id), [oldest]);
  const second = await report({ limit: 1, cursor: first.next_cursor });
  assert.deepEqual([second.from, second.to, second.next_cursor], [first.from, first.to, null]);
  assert.deepEqual(second.items.map((item) => item.parking_lot_id), [today]);
  assert.deepEqual((await stats()).map((row) => row.parking_lot_id), [oldest, today]);
  await sql`
    create or replace function private.day_of(p_at timestamptz) returns date language plpgsql stable set search_path = ''
    as $$ begin return (p_at at time zone 'Asia/Tokyo')::date + 1; end $$`;
  const tomorrow = await report({ limit: 1, cursor: first.next_cursor });
  assert.deepEqual(tomorrow, second);
  assert.notEqual((await report({ limit: 1 })).from, first.from);
  await sql`
    create or replace function private.day_of(p_at timestamptz) returns date language plpgsql stable set search_path = ''
    as $$ begin return (p_at at time zone 'Asia/Tokyo')::date; end $$`;
  const { from, to } = await report({ from: "2026-01-01" });
  assert.deepEqual([from, to], ["2026-01-01", "2026-01-31"]);
  const other = await errorOf(report({ cursor: first.next_cursor, sort: "saves" }));
  assert.deepEqual([other.code, other.param], ["validation_error", "cursor"]);
});

/** Lots whose recent sums are not those of their daily counts after the position. */
async function wrongSums(): Promise<string[]> {
  const rows = await sql<{ lot: string }[]>`
    select parking_lot_id as lot from (
      select c.parking_lot_id, sum(c.saves) as saves, sum(c.sessions) as sessions, sum(c.searches) as searches
      from private.parking_lot_daily_counts c
      join private.recent_lot_counts_start s on (c.day, c.parking_lot_id) > (s.day, s.parking_lot_id)
      group by 1
    ) d full join private.recent_lot_counts r using (parking_lot_id)
    where (coalesce(d.saves, 0), coalesce(d.sessions, 0), coalesce(d.searches, 0))
      is distinct from (coalesce(r.saves, 0), coalesce(r.sessions, 0), coalesce(r.searches, 0))`;
  return rows.map(({ lot }) => lot);
}

Deno.test("engagement: the sums of the last 30 days equal a recount after any changes, on any day, in the middle of a batch", async () => {
  await sql`truncate private.parking_lot_daily_counts`;
  const today = (offset: number) =>
    sql.unsafe(`
      create or replace function private.day_of(p_at timestamptz) returns date language plpgsql stable set search_path = ''
      as $$ begin return (p_at at time zone 'Asia/Tokyo')::date + ${offset}; end $$`);
  const lots = await Promise.all(Array.from({ length: 20 }, () => newLot(sql)));
  const lot = () => lots[Math.floor(Math.random() * lots.length)]!;
  const days = (count: number) => new Date(Date.now() - 86_400_000 * Math.floor(Math.random() * count)).toISOString();
  const isRecent = async () => {
    const [row] = await sql<{ is: boolean }[]>`
      select private.is_recent_period(private.engagement_period(null, null)) as is`;
    return row!.is;
  };
  const check = async () => {
    assert.deepEqual(await wrongSums(), []);
    for (const sort of [null, "saves", "sessions", "searches"]) {
      const { from, to, items, total } = await report({ sort, include: ["total"] });
      const keys = sort === null ? ["sessions", "saves", "searches"] as const : [sort as "saves"];
      const wanted = await sql<Row[]>`
        select parking_lot_id, sum(saves)::integer as saves, sum(sessions)::integer as sessions, sum(searches)::integer as searches
        from private.parking_lot_daily_counts where day >= ${from} and day < ${to} group by 1`;
      const sorted = wanted.filter((row) => keys.some((key) => row[key] > 0)).sort((a, b) =>
        keys.map((key) => b[key] - a[key]).find((difference) => difference !== 0) ||
        (a.parking_lot_id < b.parking_lot_id ? 1 : -1)
      );
      assert.deepEqual(items.map(({ name: _, ...counts }) => counts), sorted, String(sort));
      assert.equal(total, sorted.length, String(sort));
    }
  };
  try {
    await runJob(sql, "fold_lot_counts");
    assert.equal(await isRecent(), true);
    for (let day = 0; day <= 33; day += 3) {
      await today(day);
      assert.equal(await isRecent(), day === 0);
      for (let nth = 0; nth < 10; nth++) {
        await activity(await newUser(sql), nth % 3 ? "session_start" : "lot_save", lot(), days(40));
      }
      await search({ [lot()]: 1 + day });
      await sql`delete from private.parking_lot_daily_counts where parking_lot_id = ${lot()} and searches = 0`;
      await sql`update private.parking_lot_daily_counts set saves = saves + 2 where parking_lot_id = ${lot()}`;
      await check();
      await sql`select private.next_past_counts_batch(3)`;
      await sql`select private.fold_lot_counts()`;
      await check();
      await runJob(sql, "fold_lot_counts");
      assert.equal(await isRecent(), true);
      await check();
    }
    await today(100);
    await runJob(sql, "fold_lot_counts");
    assert.deepEqual([...await sql`select from private.recent_lot_counts where saves + sessions + searches > 0`], []);
  } finally {
    await today(0);
  }
});

Deno.test("engagement: counts that come while past days leave the sums are in both or in neither", async () => {
  await sql`truncate private.parking_lot_daily_counts`;
  await sql`update private.recent_lot_counts_start set day = private.day_of(now()) - 60`;
  const lots = await Promise.all(Array.from({ length: 30 }, () => newLot(sql)));
  const user = await newUser(sql);
  await sql`
    insert into private.parking_lot_daily_counts (parking_lot_id, day, saves)
    select l, private.day_of(now()) - d, 1 from unnest(${lots}::uuid[]) l cross join generate_series(20, 59) d`;
  assert.deepEqual(await wrongSums(), []);
  let isDone = false;
  const folds = [1, 2].map(async () => {
    while (!isDone) await sql`select private.fold_lot_counts(3)`;
  });
  const moves = (async () => {
    for (let isMore = true; isMore;) {
      const [row] = await sql<{ more: boolean }[]>`select private.next_past_counts_batch(5) as more`;
      isMore = row!.more;
    }
  })();
  await Promise.all(Array.from({ length: 300 }, async (_, nth) => {
    await activity(
      user,
      "session_start",
      lots[nth % 30]!,
      new Date(Date.now() - 86_400_000 * (20 + nth % 40)).toISOString(),
    );
  }));
  await moves;
  isDone = true;
  await Promise.all(folds);
  await runJob(sql, "fold_lot_counts");
  assert.deepEqual(await wrongSums(), []);
  const [sums] = await sql`select sum(saves)::integer as saves from private.recent_lot_counts`;
  assert.equal(sums!["saves"], 10 * lots.length);
});

Deno.test("engagement: a lot that was deleted keeps its counts and its name is null", async () => {
  await sql`truncate private.parking_lot_daily_counts`;
  const lot = await newLot(sql);
  await search({ [lot]: 1 });
  await sql`delete from public.parking_lots where id = ${lot}`;
  const { items } = await report({ sort: "searches" });
  assert.deepEqual(items, [{ parking_lot_id: lot, name: null, saves: 0, sessions: 0, searches: 1 }]);
  assert.deepEqual(await stats(), items);
});

Deno.test("engagement: an invalid period or order is rejected with its field", async () => {
  for (
    const [options, param] of [
      [{ from: "2026-01-02", to: "2026-01-02" }, "to"],
      [{ from: "2026-01-02", to: "2026-01-01" }, "to"],
      [{ from: "2025-01-01", to: "2026-01-03" }, "to"],
      [{ sort: "id" }, "sort"],
      [{ limit: 0 }, "limit"],
    ] as const
  ) {
    const { code, param: named } = await errorOf(report(options));
    assert.deepEqual([code, named], ["validation_error", param]);
  }
});

Deno.test("engagement: only the service calls the functions, and only for administrators with the area lots", async () => {
  const user = signedIn(await newUser(sql));
  for (
    const call of [
      "api.parking_lot_engagement_stats()",
      "api.add_search_counts('{}')",
      `api.admin_list_lot_engagement('${admin}')`,
    ]
  ) {
    for (const caller of [user, { role: "anon" } as const, signedIn(admin)]) {
      assert.equal(await sqlstate(db.as(caller, (sql) => sql.unsafe(`select ${call}`))), "42501", call);
    }
  }
  const other = await newAdmin(["support"]);
  const { code, details } = await errorOf(
    db.as(
      { role: "service_role" },
      (sql) => sql`select api.admin_list_lot_engagement(${other}, p_sort => 'no such order')`,
    ),
  );
  assert.deepEqual([code, details], ["forbidden", { scope: "admin:lots" }]);
});

Deno.test("engagement: counts of days of more than three years ago are removed", async () => {
  await sql`truncate private.parking_lot_daily_counts`;
  const lot = await newLot(sql);
  await sql`
    insert into private.parking_lot_daily_counts (parking_lot_id, day, saves)
    select ${lot}, (private.day_of(now()) - interval '3 years')::date - d, 1 from generate_series(0, 1) d`;
  await purge(sql);
  assert.deepEqual(await countsOf(lot), { saves: 1, sessions: 0, searches: 0 });
});

/** Daily counts of other lots, one of each kind a row, from a day on. No trigger adds them to the sums of the last 30 days. */
const countDays = (rows: number, perDay: number, from: string) =>
  sql.begin(async (sql) => {
    await sql`alter table private.parking_lot_daily_counts disable trigger user`;
    await sql`
      insert into private.parking_lot_daily_counts (parking_lot_id, day, saves, sessions, searches)
      select md5((n % ${perDay})::text)::uuid, ${from}::date + n / ${perDay}, (n % 2)::integer, 0, 1
      from generate_series(0, ${rows - 1}::integer) as n`;
    await sql`alter table private.parking_lot_daily_counts enable trigger user`;
  });

const reasonOf = async (promise: Promise<unknown>) => (await errorOf(promise)).details as { reason?: string };

Deno.test("engagement: a period is rejected from the first daily count too many: of its order, or of the lots of the page", async () => {
  // 100 counts of ten days, of 10 lots each; half of them have saves.
  await countDays(100, 10, "2023-02-01");
  const check = (sort: string | null, limit: number, most: number, to = "2023-02-11") =>
    sql`select private.check_engagement_size(daterange('2023-02-01', ${to}), ${sort}, ${limit}, ${most})`;
  for (const [sort, counts] of [[null, 100], ["searches", 100], ["saves", 50], ["sessions", 0], ["name", 0]] as const) {
    await check(sort, 1, Math.max(counts, 10));
    if (counts > 0) {
      assert.deepEqual(await reasonOf(check(sort, 1, counts - 1)), { reason: "period_too_large" }, `${sort}`);
    }
  }
  await check(null, 1, 90, "2023-02-10");
  // Ten lots of ten days have 100 counts at most; eleven lots would have more.
  await check("name", 11, 100);
  await check("name", 9, 99);
  assert.deepEqual(await reasonOf(check("name", 10, 99)), { reason: "period_too_large" });
  // The sums of the last 30 days are kept.
  await sql`
    select private.check_engagement_size(private.engagement_period(null, null), null, 1, 0)
    where private.is_recent_period(private.engagement_period(null, null))`;
  await sql`delete from private.parking_lot_daily_counts where day < '2023-03-01'`;
});

Deno.test("engagement: reports of a period with up to 200,000 daily counts are answered, and one with more is rejected with the param to", async () => {
  await countDays(200_001, 20_000, "2023-02-01");
  assert.equal((await report({ from: "2023-02-01", to: "2023-02-11", limit: 1 })).items.length, 1);
  assert.equal((await stats("2023-02-01", "2023-02-11")).length, 1000);
  for (const period of [["2023-02-01", "2023-02-12"], ["2023-01-15", "2023-03-15"]] as const) {
    const [from, to] = period;
    for (const ask of [() => report({ from, to }), () => stats(from, to)]) {
      const { code, param, details } = await errorOf(ask());
      assert.deepEqual([code, param, details], ["validation_error", "to", { reason: "period_too_large" }]);
    }
    assert.ok((await report({ from, to, sort: "saves", limit: 1 })).items[0]!.saves > 0);
    assert.ok((await report({ from, to, sort: "name", limit: 1 })).items.length <= 1);
  }
  assert.equal((await report()).from, (await report({ limit: 1 })).from);
  await sql`delete from private.parking_lot_daily_counts where day < '2023-03-01'`;
});
