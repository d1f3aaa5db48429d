// Sponsors: the nearest ones against sorting all of them, check-ins, and opening hours.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { errorOf, sqlstate } from "../support/database_errors.ts";
import { newUser, signedIn } from "../support/rows.ts";
import { nearest, type Query } from "./support/brute_force.ts";
import { lots, queries } from "./support/lots_of_the_world.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

/** The places that lots are tested at, the hard ones too; a sponsor is shown where a lot is active. */
const world = lots(6_000);
await db.sql`delete from public.sponsors`;
await db.sql`
  insert into public.sponsors (id, name, lat, lng, is_active)
  select id, 'Sponsor', lat, lng, status = 'active'
  from unnest(
    ${world.map(({ id }) => id)}::uuid[], ${world.map(({ lat }) => lat)}::float8[],
    ${world.map(({ lng }) => lng)}::float8[], ${world.map(({ status }) => status)}::text[]
  ) as s (id, lat, lng, status)`;
await db.sql`analyze public.sponsors`;

interface Near {
  readonly id: string;
  readonly distance_m: number;
}

async function near({ lat, lng, radius_m, limit }: Omit<Query, "filters">): Promise<Near[]> {
  const [row] = await db.as(
    { role: "anon" },
    (sql) => sql<{ near: Near[] }[]>`select api.nearby_sponsors(${lat}, ${lng}, ${radius_m}, ${limit}) as near`,
  );
  return row!.near;
}

async function newSponsor(columns: Record<string, string | number | boolean> = {}): Promise<string> {
  const [row] = await db.sql<{ id: string }[]>`
    insert into public.sponsors ${db.sql({ name: "Cafe", lat: 43.06, lng: 141.35, ...columns })} returning id`;
  return row!.id;
}

async function checkIn(user: string, sponsor: string, lat = 43.06, lng = 141.35, accuracy = 10) {
  const [row] = await db.as(
    signedIn(user),
    (sql) =>
      sql<{ taken: { id: string; counted: boolean; local_date: string; distance_m: number } }[]>`
        select commands.check_in_at_sponsor(${sponsor}, ${lat}, ${lng}, ${accuracy}) as taken`,
  );
  return row!.taken;
}

Deno.test("sponsors: the nearest sponsors are those of a full sort: anywhere, also at the poles and the antimeridian", async () => {
  let total = 0;
  for (const query of queries(250, {})) {
    const args = { ...query, radius_m: Math.max(1, Math.round(query.radius_m)), limit: Math.min(query.limit, 100) };
    const [found, expected] = [await near(args), nearest(world, args)];
    assert.deepEqual(found.map(({ id }) => id), expected.map(({ id }) => id), JSON.stringify(args));
    for (const [n, { distance_m }] of found.entries()) {
      assert.ok(Math.abs(distance_m - expected[n]!.distance_m) < 0.0051, JSON.stringify(args));
    }
    total += found.length;
  }
  assert.ok(total > 1_000, `${total} sponsors`);
});

Deno.test("sponsors: a search of few sponsors reads the index, not the table", async () => {
  const [plan] = await db.sql<{ "QUERY PLAN": unknown }[]>`
    explain (format json) select s.id from private.search_boxes(35.6812, 139.7671, 300) as around
    cross join lateral unnest(around.boxes) as b (area) join public.sponsors s on s.mercator <@ b.area where s.is_active`;
  assert.match(JSON.stringify(plan), /sponsors_mercator_idx/);
});

Deno.test("sponsors: an invalid parameter is rejected by name", async () => {
  const good = { lat: 35, lng: 139, radius_m: 500, limit: 10 };
  for (const [param, value] of [["lat", 91], ["lng", 181], ["radius_m", 50_001], ["limit", 101]] as const) {
    const error = await errorOf(near({ ...good, [param]: value }));
    assert.deepEqual([error.code, error.param], ["validation_error", param]);
  }
});

Deno.test("sponsors: sponsors outside of their period are not listed, and check-ins there are rejected", async () => {
  const user = await newUser(db.sql);
  const place = { lat: -41.3, lng: 174.8 };
  const visible = await newSponsor(place);
  const hidden = [
    await newSponsor({ ...place, is_active: false }),
    await newSponsor({ ...place, starts_at: "2099-01-01T00:00:00Z" }),
    await newSponsor({ ...place, starts_at: "2020-01-01T00:00:00Z", ends_at: "2021-01-01T00:00:00Z" }),
  ];
  assert.deepEqual((await near({ ...place, radius_m: 100, limit: 10 })).map(({ id }) => id), [visible]);
  for (const id of [...hidden, crypto.randomUUID()]) {
    const { code, param } = await errorOf(checkIn(user, id, place.lat, place.lng));
    assert.deepEqual([code, param], ["not_found", "id"]);
  }
});

Deno.test("sponsors: the list has the sponsors of a category in their order, page by page, each once", async () => {
  const ids: string[] = [];
  for (const sort_order of [3, 1, 2, 2, 1]) ids.push(await newSponsor({ sort_order, category: "bakery" }));
  await newSponsor({ sort_order: 1, category: "florist" });
  const seen: { id: string; sort_order: number }[] = [];
  let cursor: string | null = null;
  do {
    const [row] = await db.as(
      { role: "anon" },
      (sql) =>
        sql<{ page: { items: typeof seen; next_cursor: string | null } }[]>`
          select api.list_sponsors('bakery', 2, ${cursor}) as page`,
    );
    seen.push(...row!.page.items);
    cursor = row!.page.next_cursor;
  } while (cursor !== null);
  assert.deepEqual(seen.map(({ id }) => id).sort(), ids.toSorted());
  const inOrder = seen.toSorted((a, b) => a.sort_order - b.sort_order || (a.id < b.id ? -1 : 1));
  assert.deepEqual(seen, inOrder);
});

Deno.test("sponsors: a check-in counts once a day with one row of activity; later ones that day return the first", async () => {
  const [user, sponsor] = [await newUser(db.sql), await newSponsor()];
  const first = await checkIn(user, sponsor);
  const second = await checkIn(user, sponsor);
  assert.deepEqual([first.counted, second.counted, second.id], [true, false, first.id]);
  await db.sql`update public.sponsor_checkins set local_date = local_date - 1 where id = ${first.id}`;
  assert.equal((await checkIn(user, sponsor)).counted, true);
  const activity = await db.sql`
    select activity_type, metadata from public.user_activity_logs where user_id = ${user}`;
  assert.deepEqual(activity.map((row) => ({ ...row })), [
    { activity_type: "sponsor_checkin", metadata: { sponsor_id: sponsor } },
    { activity_type: "sponsor_checkin", metadata: { sponsor_id: sponsor } },
  ]);
});

Deno.test("sponsors: the day of a check-in is the sponsor's own", async () => {
  const user = await newUser(db.sql);
  for (const time_zone of ["Pacific/Kiritimati", "Pacific/Pago_Pago"]) {
    const { local_date } = await checkIn(user, await newSponsor({ time_zone }));
    const [row] = await db.sql`select (now() at time zone ${time_zone})::date::text as day`;
    assert.equal(local_date, row!["day"]);
  }
});

Deno.test("sponsors: a check-in too far away is rejected with its distance, and one within the radius counts", async () => {
  const [user, sponsor] = [await newUser(db.sql), await newSponsor({ checkin_radius_m: 150 })];
  const error = await errorOf(checkIn(user, sponsor, 43.0614));
  assert.deepEqual([error.code, error.status], ["validation_error", 422]);
  const { reason, distance_m, allowed_m } = error.details as Record<string, number | string>;
  assert.deepEqual([reason, allowed_m], ["too_far", 150]);
  assert.ok(Math.abs(Number(distance_m) - 155.67) < 0.05, String(distance_m));
  const { counted, distance_m: near } = await checkIn(user, sponsor, 43.0613);
  assert.ok(counted && near > 140 && near < 150);
});

Deno.test("sponsors: a check-in is rewarded if its user can have come there from every place within a day of it", async () => {
  const rewards = (user: string) =>
    db.sql<{ rewarded: boolean }[]>`
      select is_rewarded as rewarded from public.user_activity_logs
      where user_id = ${user} and activity_type = 'sponsor_checkin' order by created_at, id`;
  const at = async (lat: number, lng: number) => ({ id: await newSponsor({ lat, lng }), lat, lng });
  const [sapporo, near, osaka] = [await at(43.06, 141.35), await at(43.075, 141.35), await at(34.7, 135.5)];
  const visit = (user: string, { id, lat, lng }: typeof osaka) => checkIn(user, id, lat, lng);
  /** 1,060 km of an airliner take 71 minutes. */
  for (const [minutes, expected] of [[0, false], [60, false], [75, true]] as const) {
    const user = await newUser(db.sql);
    await visit(user, sapporo);
    await visit(user, near);
    await db.sql`
      update public.sponsor_checkins set created_at = now() - make_interval(mins => ${minutes}) where user_id = ${user}`;
    assert.equal((await visit(user, osaka)).counted, true);
    assert.deepEqual((await rewards(user)).map(({ rewarded }) => rewarded), [true, true, expected], `${minutes} min`);
  }
  const user = await newUser(db.sql);
  await Promise.all([sapporo, osaka].map((sponsor) => visit(user, sponsor)));
  assert.deepEqual((await rewards(user)).map(({ rewarded }) => rewarded).sort(), [false, true], "at once");
});

Deno.test("sponsors: a position with an accuracy above 100 m does not count", async () => {
  const [user, sponsor] = [await newUser(db.sql), await newSponsor()];
  const error = await errorOf(checkIn(user, sponsor, 43.06, 141.35, 100.5));
  assert.deepEqual([error.code, error.param, error.details], [
    "validation_error",
    "accuracy_m",
    { reason: "too_inaccurate", accuracy_m: 100.5, allowed_m: 100 },
  ]);
  assert.equal((await checkIn(user, sponsor, 43.06, 141.35, 100)).counted, true);
});

Deno.test("sponsors: a check-in during the deletion of its sponsor waits for it, and is rejected with not_found", async () => {
  const [user, sponsor] = [await newUser(db.sql), await newSponsor()];
  const { answer } = await db.sql.begin(async (deleting) => {
    await deleting`delete from public.sponsors where id = ${sponsor}`;
    const answer = Promise.allSettled([errorOf(checkIn(user, sponsor))]);
    await eventually(async () => {
      const waiting = await db.sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return waiting.length > 0 || undefined;
    });
    return { answer };
  });
  const [error] = await answer;
  if (error.status === "rejected") throw error.reason;
  assert.deepEqual([error.value.code, error.value.param], ["not_found", "id"]);
});

Deno.test("sponsors: weekly hours are open from their opening on and no longer at their closing, over midnight and Sunday too", async () => {
  const hours = [
    { weekday: 1, opens: "09:00", closes: "18:00" },
    { weekday: 7, opens: "22:00", closes: "02:00" },
    { weekday: 6, opens: "00:00", closes: "24:00" },
  ];
  // 2026-09-06 is a Sunday.
  const cases: readonly [string, boolean][] = [
    ["2026-09-07T08:59:59+09:00", false],
    ["2026-09-07T09:00:00+09:00", true],
    ["2026-09-07T17:59:59+09:00", true],
    ["2026-09-07T18:00:00+09:00", false],
    ["2026-09-06T21:59:00+09:00", false],
    ["2026-09-06T22:00:00+09:00", true],
    ["2026-09-07T01:59:59+09:00", true],
    ["2026-09-07T02:00:00+09:00", false],
    ["2026-09-06T01:00:00+09:00", false],
    ["2026-09-05T00:00:00+09:00", true],
    ["2026-09-05T23:59:59+09:00", true],
    ["2026-09-06T00:00:00+09:00", false],
  ];
  for (const [at, is_open] of cases) {
    const [row] = await db.sql`
      select private.is_open_at(${db.sql.json(hours)}, 'Asia/Tokyo', ${at}::text::timestamptz) as is_open,
        private.is_open_at(null, 'Asia/Tokyo', ${at}::text::timestamptz) as unknown,
        private.is_open_at('[]', 'Asia/Tokyo', ${at}::text::timestamptz) as never`;
    assert.deepEqual({ ...row }, { is_open, unknown: null, never: false }, at);
  }
});

Deno.test("sponsors: a weekday may be written with a point", async () => {
  const [row] = await db.sql`
    with cafe as (
      insert into public.sponsors (name, lat, lng, opening_hours)
      values ('Cafe', 1, 1, '[{"weekday": 6.0, "opens": "00:00", "closes": "24:00"}]') returning *
    )
    select private.is_open_at(opening_hours, time_zone, '2026-09-05T12:00:00+09:00') as is_open from cafe`;
  assert.equal(row!["is_open"], true);
});

Deno.test("sponsors: hours, times and time zones that are malformed cannot be stored", async () => {
  const wrong = [
    `{}`,
    `[1]`,
    `[{"weekday":0,"opens":"09:00","closes":"18:00"}]`,
    `[{"weekday":1.5,"opens":"09:00","closes":"18:00"}]`,
    `[{"weekday":1,"opens":"9:00","closes":"18:00"}]`,
    `[{"weekday":1,"opens":"09:00","closes":"09:00"}]`,
    `[{"weekday":1,"opens":"24:00","closes":"09:00"}]`,
    `[{"weekday":1,"opens":"09:00"}]`,
    `[{"weekday":1,"opens":"09:00","closes":"18:00","note":"x"}]`,
  ];
  for (const hours of wrong) {
    const insert = db.sql`
      insert into public.sponsors (name, lat, lng, opening_hours) values ('Cafe', 1, 1, ${hours}::text::jsonb)`;
    assert.equal(await sqlstate(insert), "23514", hours);
  }
  for (const times of ["'-infinity', null", "now(), 'infinity'"]) {
    const insert = db.sql`
      insert into public.sponsors (name, lat, lng, starts_at, ends_at) values ('Cafe', 1, 1, ${db.sql.unsafe(times)})`;
    assert.equal(await sqlstate(insert), "23514", times);
  }
  assert.equal(await sqlstate(newSponsor({ time_zone: "tokyo" })), "23514");
  assert.equal(await sqlstate(newSponsor({ time_zone: "Asia/Nowhere" })), "23514");
});
