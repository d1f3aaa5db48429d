// The history of a user's sessions: its pages and its filters.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { chance } from "../support/random.ts";
import { errorOf } from "../support/database_errors.ts";
import { newLot, newUser } from "../support/rows.ts";
import { callAs, type Session } from "./support/sessions.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

type Filters = Record<string, string | number | null>;

interface Page {
  readonly items: Session[];
  readonly next_cursor: string | null;
}

const page = (user: string, filters: Filters = {}) => callAs<Page>(db, user, "list_my_parking_sessions", filters);

async function all(user: string, filters: Filters = {}, limit = 3): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = null, first = true; first || cursor; first = false) {
    const { items, next_cursor }: Page = await page(user, { ...filters, limit, cursor });
    assert.ok(items.length <= limit);
    ids.push(...items.map(({ id }) => id));
    cursor = next_cursor;
  }
  return ids;
}

/** Past sessions, some begun at the same second; what was stored, newest first. */
async function history(user: string, lots: string[], count: number) {
  const chances = chance(count);
  for (let n = 0; n < count; n++) {
    const hours = 2 + chances.below(count);
    const status = chances.pick(["ended", "cancelled"]);
    await db.sql`
      insert into public.parking_sessions (user_id, parking_lot_id, status, started_at, ended_at, currency, breakdown, price_list_id)
      select ${user}, ${chances.pick(lots)}, ${status}, t.at,
        case ${status} when 'ended' then t.at + interval '1 hour' end, case ${status} when 'ended' then 'JPY' end,
        case ${status} when 'ended' then '{"refusal": {}}'::jsonb end, case ${status} when 'ended' then gen_random_uuid() end
      from (select date_trunc('second', now()) - ${hours} * interval '1 hour' as at) as t`;
  }
  return await db.sql<{ id: string; parking_lot_id: string; status: string; started_at: Date }[]>`
    select id, parking_lot_id, status, started_at from public.parking_sessions
    where user_id = ${user} order by started_at desc, id desc`;
}

const lots = [await newLot(db.sql), await newLot(db.sql)];
const user = await newUser(db.sql);
const rows = await history(user, lots, 40);
await history(await newUser(db.sql), lots, 5);

Deno.test("session history: it has the caller's own sessions, newest first, complete over its pages", async () => {
  assert.deepEqual(await all(user), rows.map(({ id }) => id));
  assert.deepEqual(await all(user, {}, 100), rows.map(({ id }) => id));
});

Deno.test("session history: a filter returns exactly what it names: status, lot, from and to", async () => {
  const [from, to] = [rows[30]!.started_at, rows[8]!.started_at];
  const kept: [Filters, (row: typeof rows[number]) => boolean][] = [
    [{ status: "ended" }, ({ status }) => status === "ended"],
    [{ status: "parking" }, () => false],
    [{ parking_lot_id: lots[1]! }, (row) => row.parking_lot_id === lots[1]],
    [{ from: from.toISOString() }, (row) => row.started_at >= from],
    [{ to: to.toISOString() }, (row) => row.started_at < to],
    [
      { from: from.toISOString(), to: to.toISOString(), status: "cancelled", parking_lot_id: lots[0]! },
      (row) =>
        row.started_at >= from && row.started_at < to && row.status === "cancelled" && row.parking_lot_id === lots[0],
    ],
  ];
  for (const [filters, keeps] of kept) {
    assert.deepEqual(await all(user, filters), rows.filter(keeps).map(({ id }) => id), JSON.stringify(filters));
  }
});

Deno.test("session history: a cursor belongs to its user and its filters", async () => {
  const { next_cursor } = await page(user, { limit: 2, status: "ended" });
  const other = await newUser(db.sql);
  for (
    const [who, filters] of [[user, {}], [user, { status: "cancelled" }], [other, { status: "ended" }]] as const
  ) {
    assert.equal((await errorOf(page(who, { ...filters, cursor: next_cursor }))).param, "cursor");
  }
  await page(user, { status: "ended", cursor: next_cursor });
});

Deno.test("session history: a limit and a status out of bounds are rejected by name", async () => {
  for (const [filters, param] of [[{ limit: 0 }, "limit"], [{ limit: 101 }, "limit"], [{ status: "gone" }, "status"]]) {
    const found = await errorOf(page(user, filters as Filters));
    assert.deepEqual([found.code, found.param], ["validation_error", param]);
  }
});
