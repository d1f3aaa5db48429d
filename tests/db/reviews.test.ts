// Reviews: their states, who reads which, and what lots keep of them.
import assert from "node:assert/strict";
import type { PendingQuery, Row } from "postgres";
import { createPeople } from "../policies/people.ts";
import { database } from "../support/database.ts";
import { eraseWithdrawn } from "../support/forgotten.ts";
import { chance } from "../support/random.ts";
import { errorOf, sqlstate } from "../support/database_errors.ts";
import { newLot, newUser, signedIn } from "../support/rows.ts";

const db = await database();
const appUsers = await createPeople(db.sql);
Deno.test.afterAll(() => db.close());

const anonymous = { role: "anon" } as const;

interface Review {
  readonly id: string;
  readonly user_id: string | null;
  readonly rating: number;
  readonly comment: string | null;
  readonly status: string;
  readonly user_name?: string;
}

interface Page {
  readonly items: Review[];
  readonly next_cursor: string | null;
  readonly rating_histogram: Record<string, number>;
  readonly total?: number;
}

async function post(user: string, lot: string, rating: number | null, comment: string | null = null): Promise<Review> {
  const [row] = await db.as(
    signedIn(user),
    (sql) => sql<{ review: Review }[]>`select commands.post_review(${lot}, ${rating}, ${comment}) as review`,
  );
  return row!.review;
}

async function edit(user: string, id: string, rating: number | null, comment: string | null = null): Promise<Review> {
  const [row] = await db.as(
    signedIn(user),
    (sql) => sql<{ review: Review }[]>`select commands.update_my_review(${id}, ${rating}, ${comment}) as review`,
  );
  return row!.review;
}

/** Decides as an administrator, on the current version of the review unless a time is given. */
async function move(id: string, status: string, seen?: string | null, sub = appUsers.administrator): Promise<void> {
  const [row] = await db.sql<
    { updated_at: string }[]
  >`select to_jsonb(updated_at) #>> '{}' as updated_at from public.reviews where id = ${id}`;
  const at = seen === undefined ? row?.updated_at ?? "2026-09-01" : seen;
  await db.as(
    { role: "service_role" },
    (sql) => sql`select api.admin_decide_review(${sub}, ${id}, ${status}, null, ${at}::text::timestamptz)`,
  );
}

async function list(lot: string, limit = 20, cursor: string | null = null, include: string[] = []): Promise<Page> {
  const [row] = await db.as(
    anonymous,
    (sql) =>
      sql<{ page: Page }[]>`select api.list_parking_lot_reviews(${lot}, ${limit}, ${cursor}, ${include}) as page`,
  );
  return row!.page;
}

/** Brings a pending review into a state, by the moves that lead there. */
async function become(id: string, status: string): Promise<void> {
  const path = { approved: ["approved"], rejected: ["rejected"], hidden: ["approved", "hidden"] }[status] ?? [];
  for (const next of path) await db.sql`update public.reviews set status = ${next} where id = ${id}`;
}

async function statusOf(id: string): Promise<string> {
  const [row] = await db.sql<{ status: string }[]>`select status from public.reviews where id = ${id}`;
  return row!.status;
}

async function kept(lot: string): Promise<{ avg_rating: string; review_count: number }> {
  const [row] = await db.sql<{ avg_rating: string; review_count: number }[]>`
    select avg_rating, review_count from public.parking_lots where id = ${lot}`;
  return { ...row! };
}

async function approved(lot: string, rating = 4): Promise<{ id: string; user: string }> {
  const user = await newUser(db.sql);
  const [row] = await db.sql<{ id: string }[]>`
    insert into public.reviews (parking_lot_id, user_id, rating, status)
    values (${lot}, ${user}, ${rating}, 'approved') returning id`;
  return { id: row!.id, user };
}

/** Lots whose kept figures differ from a recount. */
async function miscounted(): Promise<unknown[]> {
  return [
    ...await db.sql`
    select l.id, l.avg_rating, l.review_count, c.average, c.count
    from public.parking_lots l
    cross join lateral (
      select coalesce(round(avg(r.rating), 2), 0) as average, count(*)::integer as count
      from public.reviews r where r.parking_lot_id = l.id and r.status = 'approved'
    ) c
    where (l.avg_rating, l.review_count) is distinct from (c.average, c.count)`,
    ...await db.sql`
    select * from (
      select parking_lot_id, rating, count from private.review_counts where count > 0
    ) k full join (
      select parking_lot_id, rating, count(*) from public.reviews where status = 'approved' group by 1, 2
    ) c using (parking_lot_id, rating) where k.count is distinct from c.count`,
  ];
}

Deno.test("reviews: a new review is pending, trimmed, and readable by its author only", async () => {
  const [lot, author] = [await newLot(db.sql), appUsers.owner];
  const review = await post(author, lot, 5, " \u3000広い\n駐車場 \u00a0\n");
  assert.equal(review.comment, "広い\n駐車場");
  assert.equal(review.status, "pending");
  assert.deepEqual((await list(lot)).items, []);
  const seen = (sub: string) =>
    db.as(signedIn(sub), (sql) => sql`select id from public.reviews where id = ${review.id}`);
  assert.deepEqual([(await seen(author)).length, (await seen(appUsers.stranger)).length], [1, 0]);
});

Deno.test("reviews: a comment of white space is null, and one of 2001 characters is rejected", async () => {
  const user = await newUser(db.sql);
  assert.equal((await post(user, await newLot(db.sql), 3, " \t\u3000")).comment, null);
  assert.equal((await post(user, await newLot(db.sql), 3, "🚗".repeat(2000))).comment, "🚗".repeat(2000));
  assert.equal(await sqlstate(post(user, await newLot(db.sql), 3, "a".repeat(2001))), "23514");
});

Deno.test("reviews: a rating is 1 to 5", async () => {
  const lot = await newLot(db.sql);
  for (const rating of [0, 6, -1]) assert.equal(await sqlstate(post(appUsers.owner, lot, rating)), "23514");
  assert.equal(await sqlstate(post(appUsers.owner, lot, null)), "23502");
});

Deno.test("reviews: a user reviews a lot once, also by concurrent requests", async () => {
  const [lot, user] = [await newLot(db.sql), await newUser(db.sql)];
  const results = await Promise.allSettled([1, 2, 3, 4].map((rating) => post(user, lot, rating)));
  assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
  const { code, status, details } = await errorOf(post(user, lot, 5));
  assert.deepEqual({ code, status, details }, {
    code: "conflict",
    status: 409,
    details: { reason: "already_reviewed" },
  });
});

Deno.test("reviews: only app users review, and only public lots", async () => {
  for (const status of ["draft", "suspended", "closed"]) {
    assert.equal((await errorOf(post(appUsers.owner, await newLot(db.sql, { status }), 5))).code, "lot_not_found");
  }
  const lot = await newLot(db.sql);
  assert.equal((await errorOf(post(crypto.randomUUID(), lot, 5))).code, "forbidden");
  assert.equal((await errorOf(post(appUsers.suspended, lot, 5))).code, "forbidden");
  assert.equal((await errorOf(post(appUsers.administrator, lot, 5))).code, "forbidden");
});

Deno.test("reviews: only the listed status transitions succeed", async () => {
  const reachable: Record<string, string[]> = {
    pending: ["approved", "rejected"],
    approved: ["hidden"],
    rejected: [],
    hidden: ["approved"],
  };
  for (const [from, goals] of Object.entries(reachable)) {
    for (const to of ["approved", "rejected", "hidden"]) {
      const [row] = await db.sql<{ id: string }[]>`
        insert into public.reviews (parking_lot_id, user_id, rating, status)
        values (${await newLot(db.sql)}, ${appUsers.owner}, 4, ${from}) returning id`;
      if (goals.includes(to)) {
        await move(row!.id, to);
        assert.equal(await statusOf(row!.id), to);
      } else {
        const { code, status, details } = await errorOf(move(row!.id, to));
        assert.deepEqual({ code, status }, { code: "conflict", status: 409 }, `${from} to ${to}`);
        const allowed = [...goals, ...(from === "pending" ? [] : ["pending"])].sort();
        assert.deepEqual(details, { reason: "status_not_reachable", status: from, allowed });
        assert.equal(await statusOf(row!.id), from);
      }
    }
  }
});

Deno.test("reviews: only an administrator of reviews decides on a review, and only one that exists", async () => {
  const { id } = await approved(await newLot(db.sql));
  const attempt = (sub: string) => move(id, "hidden", undefined, sub);
  const byHand = db.as(
    signedIn(appUsers.administrator),
    (sql) => sql`select api.admin_decide_review(${appUsers.administrator}, ${id}, 'hidden', null, now())`,
  );
  assert.equal(await sqlstate(byHand), "42501");
  assert.equal((await errorOf(attempt(appUsers.owner))).code, "forbidden");
  await db.sql`update public.admins set areas = '{lots}' where id = ${appUsers.administrator}`;
  assert.equal((await errorOf(attempt(appUsers.administrator))).code, "forbidden");
  await db.sql`update public.admins set areas = '{lots,reviews}' where id = ${appUsers.administrator}`;
  assert.equal((await errorOf(move(crypto.randomUUID(), "hidden"))).code, "not_found");
  assert.equal((await errorOf(move(id, "pending"))).param, "status");
});

Deno.test("reviews: a decision needs the version that was read: a stale or absent one is rejected", async () => {
  const [lot, user] = [await newLot(db.sql), await newUser(db.sql)];
  const { id } = await post(user, lot, 4, "harmless");
  const [seen] = await db.sql<
    { at: string }[]
  >`select to_jsonb(updated_at) #>> '{}' as at from public.reviews where id = ${id}`;
  await edit(user, id, null, "not harmless");
  const { code, status, param, details } = await errorOf(move(id, "approved", seen!.at));
  assert.deepEqual([code, status, param], ["conflict", 409, "seen_updated_at"]);
  assert.equal((details as { reason: string }).reason, "changed_meanwhile");
  assert.equal((await errorOf(move(id, "approved", null))).param, "seen_updated_at");
  assert.equal(await statusOf(id), "pending");
  await move(id, "approved");
  assert.equal(await statusOf(id), "approved");
});

Deno.test("reviews: an administrator does not decide on their own review", async () => {
  const appUser = await newUser(db.sql);
  await db.sql`insert into public.admins (id, areas) values (${appUser}, '{reviews}')`;
  const { id } = await post(appUser, await newLot(db.sql), 5);
  const { code, details } = await errorOf(move(id, "approved", undefined, appUser));
  assert.deepEqual([code, details], ["forbidden", { reason: "own_entry" }]);
  await move(id, "approved");
});

Deno.test("reviews: an edit makes a review of any status pending; an empty edit does not", async () => {
  for (const status of ["pending", "approved", "rejected", "hidden"]) {
    const [lot, user] = [await newLot(db.sql), await newUser(db.sql)];
    const { id } = await post(user, lot, 2, "first");
    await become(id, status);
    assert.equal((await edit(user, id, null)).status, status);
    const { status: after, rating, comment } = await edit(user, id, 5);
    assert.deepEqual({ after, rating, comment }, { after: "pending", rating: 5, comment: "first" });
    assert.equal((await edit(user, id, null, "")).comment, null);
    assert.deepEqual(await kept(lot), { avg_rating: "0.00", review_count: 0 });
  }
});

Deno.test("reviews: another user's review can be neither edited nor deleted, and is not found", async () => {
  const { id } = await approved(await newLot(db.sql));
  const remove = (sub: string) => db.as(signedIn(sub), (sql) => sql`select commands.delete_my_review(${id})`);
  assert.equal((await errorOf(edit(appUsers.stranger, id, 1))).code, "not_found");
  assert.equal((await errorOf(remove(appUsers.stranger))).code, "not_found");
  assert.equal(await statusOf(id), "approved");
});

Deno.test("reviews: a published review stays after its author's account: without a name, still counted", async () => {
  const lot = await newLot(db.sql);
  const [withdrawn, deleted] = [await approved(lot, 5), await approved(lot, 2)];
  await db.sql`select private.empty_account(${withdrawn.user})`;
  await db.sql`delete from auth.users where id = ${deleted.user}`;
  const { items } = await list(lot);
  assert.deepEqual(items.map(({ user_id, user_name }) => [user_id, user_name]), [
    [null, "匿名ユーザー"],
    [null, "匿名ユーザー"],
  ]);
  assert.deepEqual(await kept(lot), { avg_rating: "3.50", review_count: 2 });
});

Deno.test("reviews: an unpublished review is deleted when its author withdraws or is deleted", async () => {
  for (const end of ["withdrawn", "deleted"]) {
    const user = await newUser(db.sql);
    const ids: Record<string, string> = {};
    for (const status of ["pending", "approved", "rejected", "hidden"]) {
      ids[status] = (await post(user, await newLot(db.sql), 3, "words")).id;
      await become(ids[status], status);
    }
    if (end === "withdrawn") await db.sql`select private.empty_account(${user})`;
    else await db.sql`delete from auth.users where id = ${user}`;
    await eraseWithdrawn(db.sql);
    const left = await db.sql`select id, user_id from public.reviews where id = any (${Object.values(ids)})`;
    assert.deepEqual(left.map((row) => ({ ...row })), [{ id: ids["approved"], user_id: null }], end);
  }
});

Deno.test("reviews: a public review has its author's name, and a neutral word for one without or suspended", async () => {
  const lot = await newLot(db.sql);
  const nameless = await approved(lot);
  const [named, suspended] = [await approved(lot), await approved(lot)];
  await db.sql`update public.app_users set display_name = '駐車 太郎' where id = any (${[named.user, suspended.user]})`;
  await db.sql`update public.app_users set status = 'suspended' where id = ${suspended.user}`;
  const names = new Map((await list(lot)).items.map(({ id, user_name }) => [id, user_name]));
  assert.equal(names.get(named.id), "駐車 太郎");
  assert.equal(names.get(nameless.id), "匿名ユーザー");
  assert.equal(names.get(suspended.id), "匿名ユーザー");
});

Deno.test("reviews: the histogram and the total count approved reviews only, on every page", async () => {
  const lot = await newLot(db.sql);
  for (const rating of [5, 5, 3, 1]) await approved(lot, rating);
  await post(appUsers.owner, lot, 4);
  const page = await list(lot, 1, null, ["total"]);
  assert.deepEqual(page.rating_histogram, { "1": 1, "2": 0, "3": 1, "4": 0, "5": 2 });
  assert.equal(page.total, 4);
  assert.equal((await list(lot, 1)).total, undefined);
});

Deno.test("reviews: pages of reviews skip and repeat no unchanged review, while others come and go", async () => {
  const chances = chance(4);
  for (let round = 0; round < 40; round++) {
    const lot = await newLot(db.sql);
    const stays: string[] = [];
    const goes: string[] = [];
    for (let n = 0; n < 12; n++) {
      const { id } = await approved(lot);
      // Some at the very same moment.
      await db.sql`
        update public.reviews set created_at = timestamptz '2026-09-01' + ${chances.below(6)} * interval '1 second'
        where id = ${id}`;
      (chances.next() < 0.6 ? stays : goes).push(id);
    }
    const read: string[] = [];
    for (let cursor: string | null = null, first = true; first || cursor; first = false) {
      const page: Page = await list(lot, 1 + chances.below(4), cursor);
      read.push(...page.items.map(({ id }) => id));
      cursor = page.next_cursor;
      const removed = goes.pop();
      if (removed && chances.next() < 0.5) {
        await db.sql`update public.reviews set status = 'hidden' where id = ${removed}`;
      }
      if (chances.next() < 0.4) await approved(lot);
    }
    assert.equal(new Set(read).size, read.length, "a review came twice");
    assert.deepEqual(stays.filter((id) => !read.includes(id)), [], "a review was skipped");
  }
});

Deno.test("reviews: a cursor of one lot's reviews, or of the caller's own, is rejected in other lists", async () => {
  const [lot, other] = [await newLot(db.sql), await newLot(db.sql)];
  await approved(lot);
  await approved(lot);
  const { next_cursor } = await list(lot, 1);
  assert.equal((await errorOf(list(other, 1, next_cursor))).param, "cursor");
  const mine = db.as(signedIn(appUsers.owner), (sql) => sql`select api.list_my_reviews(20, ${next_cursor})`);
  assert.equal((await errorOf(mine)).param, "cursor");
});

Deno.test("reviews: the caller's own reviews are listed in every state, newest first, also of lots that are closed by now", async () => {
  const user = await newUser(db.sql);
  const ids: string[] = [];
  for (const status of ["pending", "approved", "rejected", "hidden"]) {
    const lot = await newLot(db.sql);
    const { id } = await post(user, lot, 3);
    await become(id, status);
    await db.sql`update public.parking_lots set status = 'closed' where id = ${lot}`;
    ids.unshift(id);
  }
  const read: string[] = [];
  for (let cursor: string | null = null, first = true; first || cursor; first = false) {
    const [row]: { page: Page }[] = await db.as(
      signedIn(user),
      (sql) => sql<{ page: Page }[]>`select api.list_my_reviews(3, ${cursor}) as page`,
    );
    read.push(...row!.page.items.map(({ id }) => id));
    cursor = row!.page.next_cursor;
  }
  assert.deepEqual(read, ids);
});

Deno.test("reviews: the counts of lots equal a recount after any writes, also of many rows", async () => {
  const chances = chance(800);
  const lots = await Promise.all(Array.from({ length: 5 }, () => newLot(db.sql)));
  const users = await Promise.all(Array.from({ length: 12 }, () => newUser(db.sql)));
  const statuses = ["pending", "approved", "rejected", "hidden"];
  const [lot, user, status] = [() => chances.pick(lots), () => chances.pick(users), () => chances.pick(statuses)];
  /** Moves all of these rows that can become so. */
  const move = (to: string, which: PendingQuery<Row[]>) =>
    db.sql`
      update public.reviews set status = ${to} where ${which} and status in (
        select from_state from private.allowed_moves where entity = 'review' and to_state = ${to}
      )`;
  const activities = [
    () =>
      db.sql`
      insert into public.reviews (parking_lot_id, user_id, rating, status)
      select ${lot()}, u, 1 + ascii(u::text) % 5, ${status()} from unnest(${users}::uuid[]) as u
      on conflict do nothing`,
    () => move(status(), db.sql`parking_lot_id = ${lot()} and user_id = ${user()}`),
    () => db.sql`update public.reviews set rating = ${1 + chances.below(5)} where user_id = ${user()}`,
    () => move(status(), db.sql`rating = ${1 + chances.below(5)}`),
    () => db.sql`delete from public.reviews where user_id = ${user()} and parking_lot_id = ${lot()}`,
    () =>
      db.sql`
      update public.reviews r set parking_lot_id = ${lot()} where r.user_id = ${user()}
        and not exists (select from public.reviews o where o.user_id = r.user_id and o.id <> r.id)`,
  ];
  for (let step = 0; step < 250; step++) {
    await chances.pick(activities)();
    if (step % 10 === 0) assert.deepEqual(await miscounted(), [], `after step ${step}`);
  }
  assert.deepEqual(await miscounted(), []);
});

Deno.test("reviews: the counts of lots equal a recount after concurrent writes", async () => {
  const lots = await Promise.all(Array.from({ length: 3 }, () => newLot(db.sql)));
  const users = await Promise.all(Array.from({ length: 20 }, () => newUser(db.sql)));
  const chances = chance(2);
  await Promise.all(users.map(async (user) => {
    for (const lot of lots) {
      await db.sql`
        insert into public.reviews (parking_lot_id, user_id, rating, status)
        values (${lot}, ${user}, ${1 + chances.below(5)}, 'approved')`;
      if (chances.next() < 0.3) {
        await db.sql`update public.reviews set status = 'hidden' where parking_lot_id = ${lot} and user_id = ${user}`;
      }
    }
  }));
  assert.deepEqual(await miscounted(), []);
  const [total] = await db.sql<{ sum: string }[]>`
    select sum(review_count) from public.parking_lots where id = any (${lots})`;
  assert.ok(Number(total!.sum) > 30);
});

Deno.test("reviews: a status that is not one, and a rating out of bounds, cannot be stored", async () => {
  const { id } = await approved(await newLot(db.sql));
  assert.equal((await errorOf(db.sql`update public.reviews set status = 'deleted' where id = ${id}`)).code, "conflict");
  const inserted = db.sql`insert into public.reviews (parking_lot_id, rating, status) values (${await newLot(
    db.sql,
  )}, 1, 'deleted')`;
  assert.equal(await sqlstate(inserted), "23514");
  assert.equal(await sqlstate(db.sql`update public.reviews set rating = 6 where id = ${id}`), "23514");
});
