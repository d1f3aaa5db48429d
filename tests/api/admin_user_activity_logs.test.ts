// The list of what users did: filters, order and pages at equal times, its 90 days, and who reads it.
import assert from "node:assert/strict";
import type { z } from "zod";
import { listUserActivities } from "../../supabase/functions/admin/user_activity_logs.ts";
import { UserActivities, UserActivity } from "../../supabase/functions/admin/user_activity_logs.schema.ts";
import { assertError } from "../support/api_errors.ts";
import { asAnonymous, asUser, signUp } from "../support/people.ts";
import { anAdministrator } from "./administrators.ts";
import { query, replyOf } from "./client.ts";
import { inDatabase } from "./lots.ts";

const PATH = "/admin/user-activity-logs";
type Activity = z.output<typeof UserActivity>;

const { ask } = await anAdministrator("users");

const read = async (params: Record<string, unknown>) =>
  await replyOf(listUserActivities, await ask(`${PATH}${query(params)}`), UserActivities);

/** All pages of a list. */
async function readAll(params: Record<string, unknown>, limit: number): Promise<Activity[]> {
  const found: Activity[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await read({ ...params, limit, ...(cursor && { cursor }) });
    assert.ok(page.items.length === limit || page.next_cursor === null, "only the last page is short");
    found.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return found;
}

const TYPES = ["session_start", "session_end", "lot_save", "sponsor_checkin"];

/** Four activities of these types at each of so many minutes, the newest `ago` days ago. Returns the rows as they are stored. */
async function write(user: string, { minutes = 1, ago = 0 }: { minutes?: number; ago?: number } = {}) {
  return await inDatabase(async (sql) => {
    const [row] = await sql<{ rows: Activity[] }[]>`
      with written as (
        insert into public.user_activity_logs (user_id, activity_type, parking_lot_id, subject_id, metadata, is_rewarded, created_at)
        select ${user}, t, gen_random_uuid(), gen_random_uuid(), jsonb_build_object('minutes', n), n > 1,
          now() - ${ago} * interval '1 day' - n * interval '1 minute'
        from unnest(${TYPES}::text[]) as t cross join generate_series(1, ${minutes}::integer) as n
        returning *
      )
      select jsonb_agg(to_jsonb(w) order by w.created_at desc, w.id desc) as rows from written w`;
    return row!.rows;
  });
}

Deno.test("user activities: the list has the rows of all users, newest first, each once over pages that cut equal times", async () => {
  const [first, second] = [await signUp(), await signUp()];
  const rows = [await write(first.id, { minutes: 6 }), await write(second.id, { minutes: 6 })];
  for (const [n, user] of [first, second].entries()) {
    assert.deepEqual(await readAll({ user_id: user.id }, 5), rows[n]);
    for (const activity_type of TYPES) {
      const expected = rows[n]!.filter((row) => row.activity_type === activity_type);
      assert.deepEqual(await readAll({ user_id: user.id, activity_type }, 4), expected);
      const { total } = await read({ user_id: user.id, activity_type, include: "total", limit: 1 });
      assert.equal(total, 6);
    }
    assert.equal((await read({ user_id: user.id, include: "total" })).total, 24);
  }
  const ids = new Set(rows.flat().map(({ id }) => id));
  for (const params of [{}, { activity_type: "lot_save" }]) {
    const all = await readAll(params, 7);
    const expected = rows.flat().filter(({ activity_type }) =>
      activity_type === (params.activity_type ?? activity_type)
    );
    const order = (list: readonly Activity[]) => list.map(({ created_at, id }) => `${created_at} ${id}`);
    assert.deepEqual(
      order(all.filter(({ id }) => ids.has(id))),
      order(expected).sort().reverse(),
      JSON.stringify(params),
    );
    assert.ok(all.every(({ activity_type }) => activity_type === (params.activity_type ?? activity_type)));
    assert.equal(new Set(all.map(({ id }) => id)).size, all.length, "none twice");
    const { total } = await read({ ...params, include: "total", limit: 1 });
    assert.ok(total! >= all.length);
  }
});

Deno.test("user activities: the list has the last 90 days, also of the types that are not archived", async () => {
  const { id: user_id } = await signUp();
  const rows = await write(user_id, { ago: 89 });
  await write(user_id, { ago: 90 });
  for (const params of [{ user_id }, { user_id, activity_type: "lot_save" }]) {
    const { items, total } = await read({ ...params, include: "total" });
    const expected = rows.filter(({ activity_type }) => activity_type === (params.activity_type ?? activity_type));
    assert.deepEqual([items, total], [expected, expected.length]);
  }
  const old = (await readAll({ activity_type: "lot_save" }, 100)).filter((row) => row.user_id === user_id);
  assert.deepEqual(old, rows.filter(({ activity_type }) => activity_type === "lot_save"));
});

Deno.test("user activities: a cursor of other filters and an unknown type are rejected; others than administrators get 403 and 401", async () => {
  const user = await signUp();
  await write(user.id);
  const { next_cursor: cursor } = await read({ user_id: user.id, limit: 1 });
  assert.ok(cursor);
  const invalid = { code: "validation_error", param: "cursor" } as const;
  await assertError(await ask(`${PATH}${query({ cursor })}`), invalid);
  await assertError(await ask(`${PATH}${query({ user_id: user.id, activity_type: "lot_save", cursor })}`), invalid);
  await assertError(await ask(`${PATH}?activity_type=unknown`), { code: "validation_error", param: "activity_type" });
  const suspended = await anAdministrator("users");
  await inDatabase((sql) =>
    sql`
      update auth.users set raw_app_meta_data = '{"admin": {"areas": [], "status": "suspended"}}' where id = ${suspended.id}`
  );
  for (const params of [{}, { user_id: user.id }, { user_id: user.id, cursor }]) {
    await assertError(await asUser(user)(`${PATH}${query(params)}`), { code: "forbidden" });
    await assertError(await suspended.ask(`${PATH}${query(params)}`), { code: "forbidden" });
    await assertError(await asAnonymous()(`${PATH}${query(params)}`), { code: "unauthorized" });
  }
});
