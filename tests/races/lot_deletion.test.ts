// Lots with much data are deleted while users write about them: no deadlock.
import assert from "node:assert/strict";
import postgres, { type Sql } from "postgres";
import { database } from "../support/database.ts";
import { call, decideReview, newAdministrator } from "../support/activities.ts";
import { eventually } from "../support/eventually.ts";
import { eraseWithdrawn } from "../support/forgotten.ts";
import { errorOf } from "../support/database_errors.ts";
import { newLot, newUser, signedIn } from "../support/rows.ts";

const PEOPLE = 18;
const ROUNDS = 3;

const db = await database();
const sql = postgres(db.url, { max: 12, onnotice: () => {} });
Deno.test.afterAll(async () => {
  await sql.end();
  await db.close();
});

/** What the users did at a lot, in this order, and their approved reviews of it; the reviews by user. */
async function visits(lot: string, users: readonly string[]): Promise<Map<string, string>> {
  const reviews = new Map<string, string>();
  for (const user of users) {
    await sql`select private.record_activity(${user}, 'session_end', ${lot}, gen_random_uuid())`;
    const [review] = await sql<{ id: string }[]>`
      insert into public.reviews (parking_lot_id, user_id, rating, status)
      values (${lot}, ${user}, 4, 'approved') returning id`;
    reviews.set(user, review!.id);
  }
  return reviews;
}

async function startedSessions(users: readonly string[]): Promise<Map<string, string>> {
  const lot = await newLot(sql);
  const sessions = new Map<string, string>();
  for (const user of users) {
    const reply = await call(sql, user, "commands.start_parking_session", { parking_lot_id: lot });
    sessions.set(user, String(reply?.["session_id"]));
  }
  return sessions;
}

/** Does what is to do in this order, as many at a time as there are hands. */
async function inTurns(hands: number, tasks: readonly (() => Promise<unknown>)[]): Promise<unknown[]> {
  const results: unknown[] = [];
  const queue = [...tasks.entries()];
  await Promise.all(Array.from({ length: hands }, async () => {
    for (let next = queue.shift(); next; next = queue.shift()) results[next[0]] = await next[1]();
  }));
  return results;
}

const points = (users: readonly string[]) =>
  sql<{ off: number }[]>`
    select count(*)::integer as off from public.app_users u
    where u.id = any (${users}::uuid[]) and u.total_exp <> (
      select coalesce(sum(e.amount), 0) from public.exp_entries e where e.user_id = u.id
    )`;

const deletion = (on: Sql, lot: string) => on`delete from public.parking_lots where id = ${lot}`;

Deno.test("lot deletion: two lots that are deleted at once, while their users end stays and write, and are moderated, are deleted, and every stay ends", async () => {
  const administrator = await newAdministrator(sql);
  await sql`
    insert into public.badges (name, description, icon, category, conditions, threshold)
    values ('Lots', 'For a test', 'icon', 'parking', '{"activity": ["session_end"], "measure": "distinct_lots"}', 2)`;
  for (let round = 0; round < ROUNDS; round++) {
    const users: string[] = [];
    for (let n = 0; n < PEOPLE; n++) users.push(await newUser(sql));
    const [here, there] = [await newLot(sql), await newLot(sql)];
    const reviews = [await visits(here, users), await visits(there, users.toReversed())] as const;
    const sessions = await startedSessions(users);
    const exit_at = new Date().toISOString();
    const [ends] = await Promise.all([
      inTurns(
        3,
        users.map((user) => () =>
          call(sql, user, "commands.finalize_parking_session", { id: sessions.get(user)!, exit_at })
        ),
      ),
      deletion(sql, here),
      deletion(sql, there),
      inTurns(
        1,
        users.map((user) => () =>
          call(sql, user, "commands.update_my_review", { id: reviews[0].get(user)!, rating: 2 })
        ),
      ),
      inTurns(
        1,
        users.map((user) => () => call(sql, user, "commands.delete_my_review", { id: reviews[1].get(user)! })),
      ),
      inTurns(
        2,
        users.map((user, n) => () =>
          decideReview(sql, administrator, { id: reviews[n % 2]!.get(user)!, status: "hidden" })
        ),
      ),
    ]);
    assert.equal(ends.filter((reply) => reply === null).length, 0);
    const [left] = await sql`select count(*)::integer as lots from public.parking_lots where id in ${
      sql([here, there])
    }`;
    assert.equal(left!["lots"], 0);
    assert.deepEqual([...await points(users)], [{ off: 0 }]);
  }
});

/** The rows of users about a lot: each user has one of every kind. */
async function marks(lot: string, users: readonly string[]): Promise<string> {
  const [value] = await sql<{ id: string }[]>`
    select id from private.current_field_values(${lot}) where field_name = 'name'`;
  for (const user of users) {
    await call(sql, user, "commands.rate_parking_lot", { parking_lot_id: lot, value: "good" });
    await call(sql, user, "commands.save_parking_lot", { parking_lot_id: lot });
    await call(sql, user, "commands.report_occupancy", { parking_lot_id: lot, state: "full" });
    await call(sql, user, "commands.vote_on_field_value", {
      parking_lot_id: lot,
      field_value_id: value!.id,
      vote: "deny",
    });
  }
  return value!.id;
}

/** Works off the job of withdrawals, two rows at a time, until it has ended so many accounts. */
async function forgetting(accounts: number): Promise<void> {
  const [before] = await sql`select count(*)::integer as ended from public.app_users where status = 'withdrawn'`;
  await eventually(async () => {
    await eraseWithdrawn(sql, 2);
    const [now] = await sql`
      select count(*)::integer as ended, (select count(*)::integer from private.account_ends) as left
      from public.app_users where status = 'withdrawn'`;
    return now!["ended"] >= before!["ended"] + accounts && now!["left"] === 0 ? true : undefined;
  });
}

Deno.test("lot deletion: two lots that are deleted at once, while users rate, vote, report and withdraw, are deleted, and every withdrawal is done", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const users: string[] = [];
    for (let n = 0; n < PEOPLE; n++) users.push(await newUser(sql));
    const [here, there] = [await newLot(sql), await newLot(sql)];
    const values = new Map([[here, await marks(here, users)], [there, await marks(there, users.toReversed())]]);
    await visits(here, users);
    const leaving = users.slice(0, PEOPLE / 3);
    const each = (name: string, args: (lot: string) => Record<string, string>) =>
      inTurns(
        1,
        users.flatMap((user) =>
          [here, there].map((lot) => () => call(sql, user, name, { parking_lot_id: lot, ...args(lot) }))
        ),
      );
    const [left] = await Promise.all([
      inTurns(2, leaving.map((user) => () => call(sql, user, "commands.withdraw_my_account", {}))),
      forgetting(leaving.length),
      deletion(sql, here),
      each("commands.rate_parking_lot", () => ({ value: "bad" })),
      deletion(sql, there),
      each("commands.vote_on_field_value", (lot) => ({ field_value_id: values.get(lot)!, vote: "confirm" })),
      each("commands.report_occupancy", () => ({ state: "available" })),
      each("commands.unrate_parking_lot", () => ({})),
    ]);
    assert.equal(left.filter((reply) => reply === null).length, 0);
    const [lots] = await sql`select count(*)::integer as left from public.parking_lots where id in ${
      sql([here, there])
    }`;
    assert.equal(lots!["left"], 0);
  }
});

type Args = Record<string, string>;

/** What is written about a lot: a function of the interface, and what it is given. */
const WRITINGS: Record<string, (lot: string) => Args | Promise<Args>> = {
  "commands.post_review": (lot) => ({ parking_lot_id: lot, rating: "4" }),
  "commands.rate_parking_lot": (lot) => ({ parking_lot_id: lot, value: "good" }),
  "commands.unrate_parking_lot": (lot) => ({ parking_lot_id: lot }),
  "commands.save_parking_lot": (lot) => ({ parking_lot_id: lot }),
  "commands.report_occupancy": (lot) => ({ parking_lot_id: lot, state: "full" }),
  "commands.start_parking_session": (lot) => ({ parking_lot_id: lot }),
  "commands.post_error_report": (lot) => ({ parking_lot_id: lot, report_type: "price", description: "Dearer" }),
  "commands.vote_on_field_value": async (lot) => {
    const [value] = await sql<{ id: string }[]>`
      select id from private.current_field_values(${lot}) where field_name = 'name'`;
    return { parking_lot_id: lot, field_value_id: value!.id, vote: "confirm" };
  },
};

const written = (user: string, name: string, args: Args) =>
  db.as(signedIn(user), (on) => {
    const named = Object.keys(args).map((key, n) => `p_${key} => $${n + 1}`).join(", ");
    return on.unsafe(`select ${name}(${named})`, Object.values(args));
  });

async function isWaiting(): Promise<true | undefined> {
  const [row] = await sql<{ waiting: boolean }[]>`
    select exists (
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    ) as waiting`;
  return row!.waiting || undefined;
}

for (const [name, args] of Object.entries(WRITINGS)) {
  Deno.test(`lot deletion: ${name} during the deletion of its lot waits for it, and is rejected with not_found`, async () => {
    const [user, lot] = [await newUser(sql), await newLot(sql)];
    const given = await args(lot);
    const { answer } = await sql.begin(async (deleting) => {
      await deleting`delete from public.parking_lots where id = ${lot}`;
      const answer = Promise.allSettled([errorOf(written(user, name, given))]);
      await eventually(isWaiting);
      return { answer };
    });
    const [error] = await answer;
    if (error.status === "rejected") throw error.reason;
    const { code, status } = error.value;
    assert.deepEqual([code, status], ["lot_not_found", 404]);
  });
}
