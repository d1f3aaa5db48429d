// Field values: ids without rows, votes, and the states that follow from them.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { chance } from "../support/random.ts";
import { errorOf, sqlstate } from "../support/database_errors.ts";
import { makeVoters, newLot, newUser, runJob, signedIn } from "../support/rows.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

interface FieldValue {
  readonly id: string;
  readonly field_name: string;
  readonly value: unknown;
  readonly state: string;
  readonly source: string | null;
  readonly licence: string | null;
  readonly confirm_count: number;
  readonly deny_count: number;
  readonly last_verified_at: string | null;
  readonly my_vote: string;
  readonly my_vote_counts: boolean;
}

const anonymous = { role: "anon" } as const;

async function ids(lot: string): Promise<Record<string, string>> {
  const [row] = await db.as(
    anonymous,
    (sql) => sql<{ ids: Record<string, string> }[]>`select private.field_value_ids(${lot}) as ids`,
  );
  return row!.ids;
}

async function provenance(lot: string): Promise<Record<string, FieldValue & { field_value_id: string }>> {
  const [row] = await db.as(
    anonymous,
    (sql) =>
      sql<{ found: Record<string, FieldValue & { field_value_id: string }> }[]>`
      select private.field_provenance(${lot}) as found`,
  );
  return row!.found;
}

async function vote(user: string, lot: string, id: string, vote: string): Promise<FieldValue> {
  const [row] = await db.as(
    signedIn(user),
    (sql) => sql<{ value: FieldValue }[]>`select commands.vote_on_field_value(${lot}, ${id}, ${vote}) as value`,
  );
  return row!.value;
}

async function stateOf(id: string): Promise<string> {
  const [row] = await db.sql<{ state: string }[]>`select state from public.field_values where id = ${id}`;
  return row!.state;
}

async function users(count: number): Promise<string[]> {
  const ids = await Promise.all(Array.from({ length: count }, () => newUser(db.sql)));
  await makeVoters(db.sql, ids);
  return ids;
}

Deno.test("field values: every known field of a lot has an id, without a row, and an unknown field has none", async () => {
  const lot = await newLot(db.sql, { max_height_m: "2.10", total_spaces: 12 });
  const found = await ids(lot);
  assert.deepEqual(Object.keys(found).sort(), ["address", "lat", "lng", "max_height_m", "name", "total_spaces"]);
  assert.equal(new Set(Object.values(found)).size, 6);
  for (const id of Object.values(found)) {
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
  }
  assert.deepEqual(await ids(lot), found);
  const [rows] = await db.sql<{ count: number }[]>`
    select count(*)::integer from public.field_values where parking_lot_id = ${lot}`;
  assert.equal(rows!.count, 0);
});

Deno.test("field values: an id depends on lot, field and value: 2.1 and 2.10 are one, another lot has another id", async () => {
  const [lot, other] = [await newLot(db.sql, { max_height_m: "2.1" }), await newLot(db.sql, { max_height_m: "2.1" })];
  const before = (await ids(lot))["max_height_m"];
  await db.sql`update public.parking_lots set max_height_m = 2.10 where id = ${lot}`;
  assert.equal((await ids(lot))["max_height_m"], before);
  assert.notEqual((await ids(other))["max_height_m"], before);
  await db.sql`update public.parking_lots set max_height_m = 2.2 where id = ${lot}`;
  assert.notEqual((await ids(lot))["max_height_m"], before);
});

Deno.test("field values: the first vote stores the value with the lot's source and licence; a second one of the same user replaces it", async () => {
  const lot = await newLot(db.sql, { max_height_m: "2.1", source: "city", licence: "CC BY 4.0" });
  const [user] = await users(1);
  const id = (await ids(lot))["max_height_m"]!;
  const { last_verified_at, ...confirmed } = await vote(user!, lot, id, "confirm");
  assert.deepEqual(confirmed, {
    id,
    parking_lot_id: lot,
    field_name: "max_height_m",
    value: 2.1,
    state: "unverified",
    source: "city",
    licence: "CC BY 4.0",
    confirm_count: 1,
    deny_count: 0,
    my_vote: "confirm",
    my_vote_counts: true,
  });
  assert.notEqual(last_verified_at, null);
  const denied = await vote(user!, lot, id, "deny");
  assert.deepEqual([denied.confirm_count, denied.deny_count, denied.last_verified_at], [0, 1, null]);
  assert.equal((await ids(lot))["max_height_m"], id);
});

Deno.test("field values: states follow from votes: confirmed from 3 at two thirds, disputed from 3 above one third", async () => {
  const expected = (confirms: number, denies: number) =>
    confirms >= 3 && confirms / (confirms + denies) >= 2 / 3 - 1e-9
      ? "confirmed"
      : denies >= 3 && denies / (confirms + denies) > 1 / 3 + 1e-9
      ? "disputed"
      : "unverified";
  for (let confirms = 0; confirms <= 12; confirms++) {
    for (let denies = 0; denies <= 12; denies++) {
      const [row] = await db.sql<{ state: string }[]>`
        select private.field_value_state(${confirms}, ${denies}) as state`;
      assert.equal(row!.state, expected(confirms, denies), `${confirms} confirm, ${denies} deny`);
    }
  }
});

Deno.test("field values: votes change a value's state, in both directions", async () => {
  const lot = await newLot(db.sql);
  const id = (await ids(lot))["name"]!;
  const states: string[] = [];
  for (const [n, user] of (await users(6)).entries()) {
    states.push((await vote(user, lot, id, n < 3 ? "confirm" : "deny")).state);
  }
  assert.deepEqual(states, ["unverified", "unverified", "confirmed", "confirmed", "unverified", "disputed"]);
});

Deno.test("field values: a vote counts once its voter has been confirmed for a day, by e-mail or by telephone; until then it is pending", async () => {
  const lot = await newLot(db.sql);
  const id = (await ids(lot))["name"]!;
  const work = async () =>
    (await db.sql<{ values: number }[]>`select private.count_waiting_votes() as values`)[0]!.values;
  const confirmed = (user: string, column: "email_confirmed_at" | "phone_confirmed_at", ago: string) =>
    db.sql`update auth.users set ${db.sql(column)} = now() - ${ago}::interval where id = ${user}`;
  const voters = await Promise.all(Array.from({ length: 4 }, () => newUser(db.sql)));
  const [never, young, byMail, byPhone] = voters as [string, string, string, string];
  await confirmed(young, "email_confirmed_at", "23 hours 59 minutes");
  await confirmed(byMail, "email_confirmed_at", "24 hours");
  const counts = async (user: string) => {
    const { confirm_count, my_vote_counts, last_verified_at } = await vote(user, lot, id, "confirm");
    return [confirm_count, my_vote_counts, last_verified_at !== null];
  };
  assert.deepEqual(await counts(never), [0, false, false]);
  assert.deepEqual(await counts(young), [0, false, false]);
  assert.deepEqual(await counts(byPhone), [0, false, false]);
  assert.deepEqual(await counts(byMail), [1, true, true]);
  assert.equal(await work(), 0);

  await confirmed(byPhone, "phone_confirmed_at", "2 days");
  await confirmed(young, "email_confirmed_at", "24 hours");
  await runJob(db.sql, "count_waiting_votes");
  assert.equal(await stateOf(id), "confirmed");
  assert.equal(await work(), 0);
  assert.deepEqual(await counts(never), [3, false, true]);
  // A pending vote that is changed is still pending, and is deleted with its user.
  assert.equal((await vote(never, lot, id, "deny")).deny_count, 0);
  await db.sql`delete from auth.users where id = ${never}`;
  assert.equal((await db.sql`select from private.waiting_votes where user_id = ${never}`).length, 0);
});

Deno.test("field values: counts equal a recount when many vote at the same time, on values without votes", async () => {
  const lots = await Promise.all([1, 2, 3].map(() => newLot(db.sql)));
  const chances = chance(820);
  await Promise.all((await users(16)).map(async (user) => {
    for (let step = 0; step < 4; step++) {
      const lot = chances.pick(lots);
      await vote(user, lot, (await ids(lot))[chances.pick(["name", "address"])]!, chances.pick(["confirm", "deny"]));
    }
  }));
  const wrong = await db.sql`
    select v.id from public.field_values v
    cross join lateral (
      select count(*) filter (where o.vote = 'confirm') as confirms, count(*) filter (where o.vote = 'deny') as denies,
        max(o.updated_at) filter (where o.vote = 'confirm') as verified_at
      from public.field_value_votes o where o.field_value_id = v.id
    ) c
    where (v.confirm_count, v.deny_count, v.last_verified_at) is distinct from (c.confirms, c.denies, c.verified_at)
      or v.state <> private.field_value_state(c.confirms, c.denies)`;
  assert.equal(wrong.length, 0);
});

Deno.test("field values: deleting a user deletes their votes", async () => {
  const lot = await newLot(db.sql);
  const id = (await ids(lot))["name"]!;
  const voters = await users(3);
  for (const user of voters) await vote(user, lot, id, "confirm");
  assert.equal(await stateOf(id), "confirmed");
  await db.sql`delete from auth.users where id = ${voters[0]!}`;
  assert.equal(await stateOf(id), "unverified");
});

Deno.test("field values: a value that the lot no longer has is retired and takes no votes; it returns with its earlier votes", async () => {
  const lot = await newLot(db.sql, { max_height_m: "2.1" });
  const voters = await users(3);
  const id = (await ids(lot))["max_height_m"]!;
  for (const user of voters) await vote(user, lot, id, "confirm");
  await db.sql`update public.parking_lots set max_height_m = 1.9 where id = ${lot}`;
  assert.equal(await stateOf(id), "retired");
  const { code, details } = await errorOf(vote(voters[0]!, lot, id, "deny"));
  assert.deepEqual([code, details], ["conflict", { reason: "retired" }]);
  const next = (await ids(lot))["max_height_m"]!;
  assert.notEqual(next, id);
  await vote(voters[0]!, lot, next, "deny");
  await db.sql`update public.parking_lots set max_height_m = null where id = ${lot}`;
  assert.deepEqual([await stateOf(next), (await ids(lot))["max_height_m"]], ["retired", undefined]);
  await db.sql`update public.parking_lots set max_height_m = 2.10 where id = ${lot}`;
  assert.deepEqual([await stateOf(id), (await ids(lot))["max_height_m"]], ["confirmed", id]);
});

Deno.test("field values: a change of another field does not change a value", async () => {
  const lot = await newLot(db.sql);
  const id = (await ids(lot))["address"]!;
  await vote((await users(1))[0]!, lot, id, "confirm");
  await db.sql`update public.parking_lots set name = 'Other', total_spaces = 4 where id = ${lot}`;
  assert.equal(await stateOf(id), "unverified");
});

Deno.test("field values: a primary value that the service stored goes before the one that follows from the row", async () => {
  const lot = await newLot(db.sql, { max_height_m: "2.1" });
  const [row] = await db.sql<{ id: string }[]>`
    insert into public.field_values (parking_lot_id, field_name, value, source)
    values (${lot}, 'max_height_m', '2.1', 'survey') returning id`;
  assert.equal((await ids(lot))["max_height_m"], row!.id);
  assert.equal((await provenance(lot))["max_height_m"]!.source, "survey");
  assert.equal((await vote((await users(1))[0]!, lot, row!.id, "confirm")).confirm_count, 1);
  const second = db.sql`
    insert into public.field_values (parking_lot_id, field_name, value) values (${lot}, 'max_height_m', '2.2')`;
  assert.equal(await sqlstate(second), "23505");
});

Deno.test("field values: provenance has for each field its value's id, source, licence, state and counts", async () => {
  const lot = await newLot(db.sql, { source: "city", licence: "CC0" });
  const id = (await ids(lot))["name"]!;
  await vote((await users(1))[0]!, lot, id, "confirm");
  const { name, address } = await provenance(lot);
  const { last_verified_at, ...rest } = name!;
  const shared = { source: "city", licence: "CC0", state: "unverified", deny_count: 0, my_vote: null };
  assert.deepEqual(rest, { ...shared, field_value_id: id, confirm_count: 1 });
  assert.match(last_verified_at ?? "", /^\d{4}-/);
  assert.deepEqual(address, {
    ...shared,
    field_value_id: (await ids(lot))["address"],
    confirm_count: 0,
    last_verified_at: null,
  });
});

Deno.test("field values: an id of another lot, of no value or of a lot that is not public is not found", async () => {
  const [user] = await users(1);
  const [lot, other] = [await newLot(db.sql), await newLot(db.sql)];
  const foreign = (await ids(other))["name"]!;
  assert.equal((await errorOf(vote(user!, lot, foreign, "confirm"))).code, "not_found");
  await vote(user!, other, foreign, "confirm");
  assert.equal((await errorOf(vote(user!, lot, foreign, "confirm"))).code, "not_found");
  assert.equal((await errorOf(vote(user!, lot, crypto.randomUUID(), "confirm"))).param, "fieldValueId");
  assert.equal(await sqlstate(vote(user!, other, foreign, "perhaps")), "23514");
  await db.sql`update public.parking_lots set status = 'suspended' where id = ${other}`;
  assert.equal((await errorOf(vote(user!, other, foreign, "deny"))).code, "lot_not_found");
  assert.deepEqual(await ids(other), {});
});
