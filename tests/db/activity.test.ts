// Activity: every activity leaves its row, in the same transaction, and nothing else does.
import assert from "node:assert/strict";
import { createPeople } from "../policies/people.ts";
import { database } from "../support/database.ts";
import { errorOf, sqlstate } from "../support/database_errors.ts";
import { newLot, newUser, signedIn } from "../support/rows.ts";

const db = await database();
const users = await createPeople(db.sql);
Deno.test.afterAll(() => db.close());

async function activityOf(user: string) {
  return [
    ...await db.sql<{ activity_type: string; parking_lot_id: string | null; subject_id: string | null }[]>`
      select activity_type, parking_lot_id, subject_id from public.user_activity_logs
      where user_id = ${user} order by created_at, id`,
  ].map((row) => ({ ...row }));
}

Deno.test("activity: a review, a vote and an occupancy report each leave a row of their author, lot and subject", async () => {
  const [lot, user] = [await newLot(db.sql, { max_height_m: 2.1 }), await newUser(db.sql)];
  const as = async (statement: string, values: string[]) => {
    const [row] = await db.as(signedIn(user), (sql) => sql.unsafe<{ reply: { id: string } }[]>(statement, values));
    return row!.reply.id;
  };
  const review = await as("select commands.post_review($1::uuid, 4) as reply", [lot]);
  const [value] = await db.sql<{ id: string }[]>`
    select private.field_value_ids(${lot}) ->> 'max_height_m' as id`;
  await as("select commands.vote_on_field_value($1::uuid, $2::uuid, 'confirm') as reply", [lot, value!.id]);
  await as("select commands.vote_on_field_value($1::uuid, $2::uuid, 'deny') as reply", [lot, value!.id]);
  const report = await as("select commands.report_occupancy($1::uuid, 'full') as reply", [lot]);
  assert.deepEqual(await activityOf(user), [
    { activity_type: "review_post", parking_lot_id: lot, subject_id: review },
    { activity_type: "field_confirm", parking_lot_id: lot, subject_id: value!.id },
    { activity_type: "field_deny", parking_lot_id: lot, subject_id: value!.id },
    { activity_type: "occupancy_report", parking_lot_id: lot, subject_id: report },
  ]);
});

Deno.test("activity: a repeated action adds no row: a saved lot, a review, a corrected report, a vote", async () => {
  const [lot, user] = [await newLot(db.sql), await newUser(db.sql)];
  const as = (statement: string, values: string[]) =>
    db.as(signedIn(user), (sql) => sql.unsafe<{ reply: { id: string } }[]>(statement, values));
  const [value] = await db.sql<{ id: string }[]>`select private.field_value_ids(${lot}) ->> 'name' as id`;
  for (let n = 0; n < 3; n++) {
    await as("select commands.save_parking_lot($1::uuid) as reply", [lot]);
    await as("select commands.unsave_parking_lot($1::uuid)", [lot]);
    const [review] = await as("select commands.post_review($1::uuid, 4) as reply", [lot]);
    await as("select commands.delete_my_review($1::uuid)", [review!.reply.id]);
    await as("select commands.report_occupancy($1::uuid, 'full') as reply", [lot]);
    await as("select commands.vote_on_field_value($1::uuid, $2::uuid, 'confirm') as reply", [lot, value!.id]);
  }
  assert.deepEqual((await activityOf(user)).map(({ activity_type }) => activity_type), [
    "lot_save",
    "review_post",
    "occupancy_report",
    "field_confirm",
  ]);
});

Deno.test("activity: an action that is rejected or rolled back leaves no row", async () => {
  const [lot, user] = [await newLot(db.sql), await newUser(db.sql)];
  const post = () => db.as(signedIn(user), (sql) => sql`select commands.post_review(${lot}, 4)`);
  await post();
  assert.equal((await errorOf(post())).code, "conflict");
  const undo = new Error("undo");
  await assert.rejects(
    db.as(signedIn(user), async (sql) => {
      await sql`select commands.report_occupancy(${lot}, 'full')`;
      throw undo;
    }),
    undo,
  );
  assert.deepEqual((await activityOf(user)).map(({ activity_type }) => activity_type), ["review_post"]);
});

Deno.test("activity: only active users leave activity, and only of a known kind", async () => {
  const log = (sub: string, type: string) =>
    db.as(signedIn(sub), (sql) => sql`select private.log_activity(${type}, null, null)`);
  assert.equal((await errorOf(log(users.suspended, "lot_save"))).code, "forbidden");
  assert.equal((await errorOf(log(users.administrator, "lot_save"))).code, "forbidden");
  assert.equal(await sqlstate(log(users.owner, "nap")), "23514");
  await log(users.owner, "lot_save");
});

Deno.test("activity: activity stays after its lot is deleted, and is deleted with its user", async () => {
  const [lot, user] = [await newLot(db.sql), await newUser(db.sql)];
  await db.as(signedIn(user), (sql) => sql`select commands.report_occupancy(${lot}, 'full')`);
  await db.sql`delete from public.parking_lots where id = ${lot}`;
  assert.deepEqual((await activityOf(user)).map(({ parking_lot_id }) => parking_lot_id), [lot]);
  await db.sql`delete from auth.users where id = ${user}`;
  assert.deepEqual(await activityOf(user), []);
});
