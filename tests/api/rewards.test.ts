// Points, levels and badges, through HTTP.
import assert from "node:assert/strict";
import { MyBadgeProgressList, MyBadges } from "../../supabase/functions/me/badges.schema.ts";
import { ExpEntries, MyExp } from "../../supabase/functions/me/exp.schema.ts";
import { UserNotifications } from "../../supabase/functions/_shared/schema/notifications.ts";
import { listMyBadgeProgress, listMyBadges } from "../../supabase/functions/me/badges.ts";
import { listMyExpEntries, readMyExp } from "../../supabase/functions/me/exp.ts";
import { listNotifications } from "../../supabase/functions/me/notifications.ts";
import { type Person, signUp } from "../support/people.ts";
import { assertError } from "../support/api_errors.ts";
import { ask, bearer, jsonBody, replyOf } from "./client.ts";
import { aLot, inDatabase } from "./lots.ts";
import { age, inMinutes, post } from "./sessions.ts";

const PATHS = ["/me/exp", "/me/exp/history", "/me/badges", "/me/badge-progress"] as const;
const FIRST_PARKING = "6b000000-0000-4000-8000-000000000001";

const get = ({ token }: Person, path: string) => ask(path, { headers: bearer(token) });
const expOf = async (user: Person) => await replyOf(readMyExp, await get(user, "/me/exp"), MyExp);
const historyOf = async (user: Person, query = "") =>
  await replyOf(listMyExpEntries, await get(user, `/me/exp/history${query}`), ExpEntries);
const badgesOf = async (user: Person, query = "") =>
  await replyOf(listMyBadges, await get(user, `/me/badges${query}`), MyBadges);
const progressOf = async (user: Person, query = "?limit=100") =>
  await replyOf(listMyBadgeProgress, await get(user, `/me/badge-progress${query}`), MyBadgeProgressList);

/** A session of five minutes, which is rewarded; its id. */
async function stay({ token }: Person): Promise<string> {
  const started = await post("", token, { parking_lot_id: await aLot() });
  const { session_id } = await started.json();
  await age(session_id, 5);
  const ended = await post(`/${session_id}/finalize`, token, { exit_at: inMinutes(0) });
  assert.equal(ended.status, 200, await ended.text());
  return session_id;
}

const activities = ({ id }: Person, many: number, type = "occupancy_report") =>
  inDatabase((sql) =>
    sql`
      select private.record_activity(${id}, ${type}, p_subject_id => gen_random_uuid()) from generate_series(1, ${many})`
  );

Deno.test("rewards: an activity counts in the caller's points and progress before its response is sent", async () => {
  const [user, lot] = [await signUp(), await aLot()];
  const args = { method: "POST", ...jsonBody({ state: "full" }, bearer(user.token)) };
  const answer = await ask(`/parking-lots/${lot}/occupancy-reports`, args);
  const { id } = await answer.json();
  assert.deepEqual(await expOf(user), { total_exp: 8, level: 1, next_level_exp: 50, exp_to_next_level: 42 });
  const { items } = await historyOf(user);
  assert.deepEqual(items.map(({ reason, amount }) => [reason, amount]), [["first_of_day", 5], ["occupancy_report", 3]]);
  assert.deepEqual([items[1]?.source_type, items[1]?.source_id], ["occupancy_report", id]);
  assert.equal((await progressOf(user)).items.find(({ badge }) => badge?.category === "streak")?.count, 1);
  assert.deepEqual((await badgesOf(user)).items, []);
});

Deno.test("rewards: the end of a session gives points, a badge, a level and a notification before its response is sent", async () => {
  const user = await signUp();
  const session = await stay(user);
  assert.deepEqual(await expOf(user), { total_exp: 65, level: 2, next_level_exp: 150, exp_to_next_level: 85 });
  const { items } = await historyOf(user);
  assert.deepEqual(items.map(({ reason, source_id }) => [reason, source_id]), [
    ["badge_earned", FIRST_PARKING],
    ["first_of_day", items[1]?.source_id],
    ["session_end", session],
  ]);
  assert.deepEqual((await badgesOf(user)).items.map(({ badge_id }) => badge_id), [FIRST_PARKING]);
  const inbox = await replyOf(listNotifications, await get(user, "/me/notifications"), UserNotifications);
  const notifications = new Map(inbox.items.map(({ type, title }) => [type, title]));
  assert.deepEqual([inbox.items.length, notifications.size], [2, 2]);
  assert.match(notifications.get("badge_earned") ?? "", /はじめての駐車/);
  assert.match(notifications.get("level_up") ?? "", /2/);
});

Deno.test("rewards: a repeated end gives nothing more", async () => {
  const [user, lot, client_request_id] = [await signUp(), await aLot(), crypto.randomUUID()];
  const { session_id } = await (await post("", user.token, { parking_lot_id: lot })).json();
  await age(session_id, 5);
  const end = { exit_at: inMinutes(0), client_request_id };
  for (let n = 0; n < 3; n++) {
    const answer = await post(`/${session_id}/finalize`, user.token, end);
    assert.equal(answer.status, 200, await answer.text());
  }
  const again = await post(`/${session_id}/finalize`, user.token, { ...end, client_request_id: crypto.randomUUID() });
  await assertError(again, { code: "conflict" });
  assert.equal((await historyOf(user)).items.length, 3);
  assert.equal((await expOf(user)).total_exp, 65);
});

Deno.test("rewards: the history comes page by page, newest first, each entry once, with a cursor of its user only", async () => {
  const [user, other] = [await signUp(), await signUp()];
  await activities(user, 6);
  const all = (await historyOf(user, "?limit=100")).items;
  assert.equal(all.length, 7);
  assert.deepEqual(all.toSorted((a, b) => b.created_at.localeCompare(a.created_at)), all);
  const pages = [];
  let cursor: string | null = null;
  do {
    const page: { items: typeof all; next_cursor: string | null } = await historyOf(
      user,
      `?limit=3${cursor ? `&cursor=${cursor}` : ""}`,
    );
    pages.push(page.items);
    const before: string | null = cursor;
    cursor = page.next_cursor;
    assert.notEqual(cursor, before);
    if (cursor) {
      await assertError(await get(other, `/me/exp/history?limit=3&cursor=${cursor}`), {
        code: "validation_error",
        param: "cursor",
      });
    }
  } while (cursor);
  assert.deepEqual(pages.map(({ length }) => length), [3, 3, 1]);
  assert.deepEqual(pages.flat(), all);
});

Deno.test("rewards: badges that can be earned are all listed in their order, also without progress, page by page", async () => {
  const user = await signUp();
  await stay(user);
  const all = (await progressOf(user)).items;
  const order = await inDatabase((sql) =>
    sql<{ id: string; threshold: number }[]>`
      select id, threshold from public.badges where is_active and id::text like '6b000000%' order by sort_order, id`
  );
  const known = all.filter(({ badge_id }) => badge_id.startsWith("6b000000"));
  assert.deepEqual(known.map(({ badge_id, threshold }) => ({ id: badge_id, threshold })), [...order]);
  assert.deepEqual(known.slice(0, 2).map(({ count, percent }) => [count, percent]), [[1, 100], [1, 10]]);
  assert.ok(known.some(({ count, percent }) => count === 0 && percent === 0));
  const first = await progressOf(user, "?limit=2");
  const second = await progressOf(user, `?limit=2&cursor=${first.next_cursor}`);
  assert.deepEqual([...first.items, ...second.items], all.slice(0, 4));
});

Deno.test("rewards: earned badges come the latest first, page by page", async () => {
  const user = await signUp();
  await inDatabase((sql) =>
    sql`
      insert into public.user_badges (user_id, badge_id, earned_at)
      select ${user.id}, id, now() - sort_order * interval '1 minute' from public.badges where id::text like '6b000000%'`
  );
  const all = (await badgesOf(user)).items;
  assert.equal(all.length, 7);
  assert.equal(all[0]?.badge_id, FIRST_PARKING);
  assert.deepEqual(all[0]?.badge, {
    id: FIRST_PARKING,
    name: "はじめての駐車",
    description: "はじめて駐車を完了しました",
    icon: "first_parking",
    category: "parking",
  });
  const first = await badgesOf(user, "?limit=5");
  const second = await badgesOf(user, `?limit=5&cursor=${first.next_cursor}`);
  assert.deepEqual([...first.items, ...second.items], all);
  assert.equal(second.next_cursor, null);
});

Deno.test("rewards: names and descriptions of badges are Japanese, and English on request", async () => {
  const user = await signUp();
  await stay(user);
  const japanese = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
  const texts = async (lang: string) => {
    const listed = [...(await badgesOf(user, lang)).items, ...(await progressOf(user, `${lang}&limit=100`)).items];
    return listed.filter(({ badge_id }) => badge_id.startsWith("6b000000"))
      .flatMap(({ badge }) => [badge!.name, badge!.description]);
  };
  const [plain, ja, en] = [await texts("?"), await texts("?lang=ja"), await texts("?lang=en")];
  assert.equal(plain.length, 16);
  assert.deepEqual(plain, ja);
  assert.ok(ja.every((text) => japanese.test(text)));
  assert.ok(en.every((text) => !japanese.test(text)));
  const cursor = (await progressOf(user, "?limit=1")).next_cursor;
  const mixed = await get(user, `/me/badge-progress?limit=1&lang=en&cursor=${cursor}`);
  await assertError(mixed, { code: "validation_error", param: "cursor" });
  for (const path of PATHS.slice(2)) {
    await assertError(await get(user, `${path}?lang=fr`), { code: "validation_error", param: "lang" });
  }
});

Deno.test("rewards: a limit outside 1 to 100 and an invalid cursor are rejected by name", async () => {
  const user = await signUp();
  for (const path of PATHS.slice(1)) {
    for (const limit of ["0", "101", "1.5", "many"]) {
      await assertError(await get(user, `${path}?limit=${limit}`), { code: "validation_error", param: "limit" });
    }
    for (const cursor of ["nonsense", btoa("[]"), btoa(JSON.stringify({ list: "my_badges" }))]) {
      const answer = await get(user, `${path}?cursor=${encodeURIComponent(cursor)}`);
      await assertError(answer, { code: "validation_error", param: "cursor" });
    }
    for (const limit of [1, 100]) assert.equal((await get(user, `${path}?limit=${limit}`)).status, 200);
  }
});

Deno.test("rewards: a user cannot read another user's points and badges", async () => {
  const [busy, idle] = [await signUp(), await signUp()];
  await stay(busy);
  assert.deepEqual(await expOf(idle), { total_exp: 0, level: 1, next_level_exp: 50, exp_to_next_level: 50 });
  assert.deepEqual(await historyOf(idle), { items: [], next_cursor: null });
  assert.deepEqual(await badgesOf(idle), { items: [], next_cursor: null });
  assert.ok((await progressOf(idle)).items.every(({ count }) => count === 0));
  for (const path of PATHS) {
    await assertError(await get(idle, `${path}?user_id=${busy.id}`), { code: "validation_error", param: "user_id" });
  }
});

Deno.test("rewards: anonymous, suspended and withdrawn users are rejected", async () => {
  for (const path of PATHS) await assertError(await ask(path), { code: "unauthorized" });
  for (const status of ["suspended", "withdrawn"]) {
    const user = await signUp();
    await activities(user, 1);
    await inDatabase((sql) => sql`update public.app_users set status = ${status} where id = ${user.id}`);
    for (const path of PATHS) await assertError(await get(user, path), { code: "forbidden" });
  }
});
