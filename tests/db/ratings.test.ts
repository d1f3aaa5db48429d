// Ratings, saved lots and preferences: one's own, and the sums of ratings that lots keep.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { chance } from "../support/random.ts";
import { errorOf, sqlstate } from "../support/database_errors.ts";
import { newLot, newUser, signedIn } from "../support/rows.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

async function rate(user: string, lot: string, value: string): Promise<{ id: string; value: string }> {
  const [row] = await db.as(
    signedIn(user),
    (sql) =>
      sql<{ rating: { id: string; value: string } }[]>`select commands.rate_parking_lot(${lot}, ${value}) as rating`,
  );
  return row!.rating;
}

async function unrate(user: string, lot: string): Promise<void> {
  await db.as(signedIn(user), (sql) => sql`select commands.unrate_parking_lot(${lot})`);
}

async function counts(lot: string): Promise<number[]> {
  const [row] = await db.sql<{ good_count: number; bad_count: number }[]>`
    select good_count, bad_count from public.parking_lot_rating_counts where parking_lot_id = ${lot}`;
  return [row!.good_count, row!.bad_count];
}

async function miscounted(): Promise<unknown[]> {
  return [
    ...await db.sql`
    select l.id from public.parking_lots l
    cross join lateral (
      select count(*) filter (where value = 'good') as good, count(*) filter (where value = 'bad') as bad
      from public.parking_lot_ratings r where r.parking_lot_id = l.id
    ) c
    left join public.parking_lot_rating_counts n on n.parking_lot_id = l.id
    where (coalesce(n.good_count, 0), coalesce(n.bad_count, 0)) is distinct from (c.good, c.bad)`,
  ];
}

Deno.test("ratings: a user has one rating per lot; a second one replaces it", async () => {
  const [lot, user] = [await newLot(db.sql), await newUser(db.sql)];
  const first = await rate(user, lot, "good");
  const second = await rate(user, lot, "bad");
  assert.equal(second.id, first.id);
  assert.deepEqual(await counts(lot), [0, 1]);
  await unrate(user, lot);
  await unrate(user, lot);
  assert.deepEqual(await counts(lot), [0, 0]);
});

Deno.test("ratings: a rating changes nothing of the lot that clients synchronise or search", async () => {
  const [lot, user] = [await newLot(db.sql), await newUser(db.sql)];
  /** The lot's row, its queued changes and its search entry; of row and entry the place where they are stored. */
  const rows = async () => {
    const [row] = await db.sql`
      select l.ctid::text as lot, to_jsonb(l) as said, e.ctid::text as entry,
        (select count(*)::integer from private.lot_change_queue q where q.parking_lot_id = l.id) as changes
      from public.parking_lots l join private.search_entries e on e.parking_lot_id = l.id where l.id = ${lot}`;
    return { ...row };
  };
  const before = await rows();
  assert.ok(before["lot"]);
  await rate(user, lot, "good");
  assert.deepEqual(await counts(lot), [1, 0]);
  await rate(user, lot, "bad");
  await unrate(user, lot);
  assert.deepEqual(await rows(), before);
});

Deno.test("ratings: deleting a lot deletes its ratings and their counts", async () => {
  const [lot, user] = [await newLot(db.sql), await newUser(db.sql)];
  await rate(user, lot, "good");
  await db.sql`delete from public.parking_lots where id = ${lot}`;
  assert.equal((await db.sql`select from public.parking_lot_rating_counts where parking_lot_id = ${lot}`).length, 0);
});

Deno.test("ratings: a rating is good or bad, and needs a public lot", async () => {
  const user = await newUser(db.sql);
  assert.equal(await sqlstate(rate(user, await newLot(db.sql), "fine")), "23514");
  const closed = await newLot(db.sql, { status: "closed" });
  assert.equal((await errorOf(rate(user, closed, "good"))).code, "lot_not_found");
  assert.equal((await errorOf(unrate(user, closed))).code, "lot_not_found");
});

Deno.test("ratings: the counts of lots equal a recount, after any concurrent writes", async () => {
  const chances = chance(810);
  const lots = await Promise.all(Array.from({ length: 3 }, () => newLot(db.sql)));
  const users = await Promise.all(Array.from({ length: 15 }, () => newUser(db.sql)));
  await Promise.all(users.map(async (user) => {
    for (let step = 0; step < 8; step++) {
      const lot = chances.pick(lots);
      if (chances.next() < 0.25) await unrate(user, lot);
      else await rate(user, lot, chances.pick(["good", "bad"]));
    }
  }));
  assert.deepEqual(await miscounted(), []);
  await db.sql`delete from auth.users where id = any (${users.slice(0, 5)})`;
  await db.sql`update public.parking_lot_ratings set value = 'good' where parking_lot_id = ${lots[0]!}`;
  assert.deepEqual(await miscounted(), []);
});

Deno.test("ratings: my_ratings_and_saves returns only the caller's saved lots and ratings, and nothing to an anonymous user", async () => {
  const [marked, other] = [await newLot(db.sql), await newLot(db.sql)];
  const [user, stranger] = [await newUser(db.sql), await newUser(db.sql)];
  await rate(user, marked, "good");
  await rate(stranger, other, "bad");
  await db.as(
    signedIn(user),
    (sql) => sql`insert into public.saved_parking_lots (user_id, parking_lot_id) values (${user}, ${marked})`,
  );
  const marks = (caller: Parameters<typeof db.as>[0]) =>
    db.as(
      caller,
      async (sql) =>
        (await sql`select is_saved, my_rating from private.my_ratings_and_saves(${[
          marked,
          other,
        ]}) order by my_rating nulls last`)
          .map((row) => ({ ...row })),
    );
  assert.deepEqual(await marks(signedIn(user)), [
    { is_saved: true, my_rating: "good" },
    { is_saved: false, my_rating: null },
  ]);
  assert.deepEqual(await marks({ role: "anon" }), []);
});

Deno.test("ratings: a minute of walking is worth 20 yen, or the caller's preference", async () => {
  const [user, stranger] = [await newUser(db.sql), await newUser(db.sql)];
  await db.as(
    signedIn(user),
    (sql) => sql`insert into public.search_preferences (user_id, yen_per_walk_minute) values (${user}, 0)`,
  );
  const worth = async (caller: Parameters<typeof db.as>[0]) =>
    (await db.as(caller, (sql) => sql`select private.yen_per_walk_minute() as yen`))[0]!["yen"];
  assert.deepEqual([await worth(signedIn(user)), await worth(signedIn(stranger)), await worth({ role: "anon" })], [
    0,
    20,
    20,
  ]);
  assert.equal(await sqlstate(db.sql`update public.search_preferences set yen_per_walk_minute = 501`), "23514");
});

Deno.test("ratings: a lot is saved once", async () => {
  const [lot, user] = [await newLot(db.sql), await newUser(db.sql)];
  const save = () => db.sql`insert into public.saved_parking_lots (user_id, parking_lot_id) values (${user}, ${lot})`;
  await save();
  assert.equal(await sqlstate(save()), "23505");
});
