// Many administrators at once over HTTP: the log is exactly what has happened, with any failures, aborted requests and requests sent
// again on the way. Who wins at a queue is in admin_queue.test.ts.
import assert from "node:assert/strict";
import { type Administrator, anAdministrator, sending } from "../api/administrators.ts";
import { inDatabase } from "../api/lots.ts";
import { chance } from "../support/random.ts";
import { newLot, newUser } from "../support/rows.ts";
import { volume } from "../support/sizes.ts";

const ADMINISTRATORS = 20;
const ACTS = volume("ADMIN_ACTS", 400, 2_000);
const AT_ONCE = 16;

const AREAS = ["content", "reviews", "search_presets"];
const administrators = await Promise.all(Array.from({ length: ADMINISTRATORS }, () => anAdministrator(...AREAS)));
const newcomer = await anAdministrator();

/** Pending reviews of one lot, by users of their own. */
async function newReviews(count: number): Promise<string[]> {
  return await inDatabase(async (sql) => {
    const lot = await newLot(sql);
    const users: string[] = [];
    for (let n = 0; n < count; n++) users.push(await newUser(sql));
    const reviews = await sql<{ id: string }[]>`
      insert into public.reviews (parking_lot_id, user_id, rating) select ${lot}, u, 4 from unnest(${users}::uuid[]) as u
      returning id`;
    return reviews.map(({ id }) => id);
  });
}

interface Act {
  readonly target_id: string;
  readonly action: string;
  readonly changes: Record<string, { old: string; new: string } | undefined>;
}

const recorded = (ids: readonly string[]) =>
  inDatabase((sql) =>
    sql<Act[]>`
      select target_id, action, changes from public.admin_activity_logs where target_id = any (${ids as string[]})`
  );

/** Sends a request until it is answered; some break off at any moment, and are sent again as they were. */
async function insisting(
  { ask }: Administrator,
  path: string,
  init: RequestInit,
  breaks: () => number,
): Promise<Response> {
  for (;;) {
    const after = breaks();
    try {
      const response = await ask(path, after > 0 ? { ...init, signal: AbortSignal.timeout(after) } : init);
      const text = await response.text();
      assert.ok(response.status < 500, text);
      return new Response(response.status === 204 ? null : text, { status: response.status });
    } catch (error) {
      if (!(error instanceof DOMException) && !(error instanceof TypeError)) throw error;
    }
  }
}

Deno.test(`admin acts: after ${ACTS} random acts with failures and retries the record has exactly the acts that happened`, async () => {
  const { below, pick } = chance(2_000);
  const breaks = () => below(5) === 0 ? 1 + below(25) : 0;
  const reviews = await newReviews(20);
  const users = await inDatabase((sql) => Promise.all(Array.from({ length: 20 }, () => newUser(sql))));
  const articles: string[] = [];
  const presets: string[] = [];
  const counted = new Map<number, number>();
  const word = () => crypto.randomUUID();
  const keyed = (body: unknown) => sending("POST", body, { "Idempotency-Key": word() });
  const send = async (path: string, init: RequestInit) => {
    // One in ten lacks the area.
    const administrator = below(10) === 0 ? newcomer : pick(administrators);
    const response = await insisting(administrator, path, init, breaks);
    counted.set(response.status, (counted.get(response.status) ?? 0) + 1);
    const text = await response.text();
    assert.equal(administrator === newcomer, response.status === 403, text);
    return response.ok && text !== "" ? JSON.parse(text) : undefined;
  };
  const decision = async () => {
    const id = pick(reviews);
    const seen = await (await pick(administrators).ask(`/admin/reviews/${id}`)).json();
    const status = pick(["approved", "rejected", "hidden"]);
    return { id, status, seen_updated_at: below(4) === 0 ? "2026-01-01T00:00:00Z" : seen.updated_at };
  };
  const article = () => ({ slug: word(), locale: "en", title: word(), body: below(8) === 0 ? "" : "Text" });
  const kinds: (() => Promise<void>)[] = [
    async () => {
      const created = await send("/admin/articles", keyed(article()));
      if (created) articles.push(created.id);
    },
    async () => void await send(`/admin/articles/${pick([...articles, word()])}`, sending("PATCH", { title: word() })),
    async () => {
      const preset = { user_id: pick(users), name: word(), query_json: below(8) === 0 ? [] : {} };
      const created = await send("/admin/user-search-presets", keyed(preset));
      if (created) presets.push(created.id);
    },
    async () => {
      await send(`/admin/user-search-presets/${pick([...presets, word()])}`, sending("PATCH", { name: word() }));
    },
    async () => {
      if (below(3) === 0) await send(`/admin/user-search-presets/${pick([...presets, word()])}`, sending("DELETE"));
    },
    async () => {
      const { id, ...decided } = await decision();
      await send(`/admin/reviews/${id}`, sending("PATCH", decided));
    },
    async () => {
      const decisions = [await decision(), await decision()];
      if (decisions[0]!.id !== decisions[1]!.id) await send("/admin/reviews/decisions", keyed({ decisions }));
    },
  ];
  let acts = 0;
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    while (acts++ < ACTS) await pick(kinds)();
  }));
  for (const status of [200, 201, 204, 403, 404, 409, 422]) assert.ok(counted.get(status)! > 5, `few were ${status}`);

  const stored = await inDatabase((sql) =>
    sql<{ id: string; kind: string; value: string; is_gone: boolean }[]>`
      select id, 'article' as kind, title as value, false as is_gone from public.articles where id = any (${articles})
      union all
      select id, 'preset', name, deleted_at is not null from public.search_presets where user_id = any (${users})
      union all
      select id, 'review', status, false from public.reviews where id = any (${reviews})`
  );
  const byTarget = Map.groupBy(await recorded(stored.map(({ id }) => id)), ({ target_id }) => target_id);
  for (const { id, kind, value, is_gone } of stored) {
    const about = `${kind} ${id}: ${JSON.stringify(byTarget.get(id))}`;
    const acts = byTarget.get(id) ?? [];
    const times = (verb: RegExp) => acts.filter(({ action }) => verb.test(action)).length;
    if (kind !== "review") assert.equal(times(/[._]create/), 1, about);
    assert.equal(times(/[._]delete/), is_gone ? 1 : 0, about);
    if (is_gone) continue; // its name was deleted with it
    const field = { article: "title", preset: "name", review: "status" }[kind]!;
    const moves = acts.filter(({ action }) => !/[._]delete/.test(action)).flatMap(({ changes }) =>
      changes[field] ?? []
    );
    // Each value is left as often as it is entered, but for the first and the last.
    const balance = new Map<string, number>([[kind === "review" ? "pending" : "null", 1], [value, -1]]);
    for (const { old, new: next } of moves) {
      balance.set(String(old), (balance.get(String(old)) ?? 0) - 1);
      balance.set(next, (balance.get(next) ?? 0) + 1);
    }
    if (kind === "review" && value === "pending") balance.set("pending", balance.get("pending")! + 1);
    assert.deepEqual([...balance.values()].filter((left) => left !== 0), [], about);
  }
  const decided = reviews.reduce((sum, id) => sum + (byTarget.get(id)?.length ?? 0), 0);
  const [notifications] = await inDatabase((sql) =>
    sql<{ count: number }[]>`
      select count(*)::integer from public.user_notifications n join public.reviews r using (user_id)
      where r.id = any (${reviews}) and n.type = 'review_result'`
  );
  assert.equal(notifications!.count, decided);
  const orphans = await inDatabase((sql) =>
    sql`
      select action, target_id from public.admin_activity_logs
      where admin_id = any (${administrators.map(({ id }) => id)}) and target_type in ('article', 'search_preset')
        and target_id <> all (${stored.map(({ id }) => id)})`
  );
  assert.deepEqual([...orphans], [], "a record of what is not there");
  const byNewcomer = await inDatabase((sql) =>
    sql`select from public.admin_activity_logs where admin_id = ${newcomer.id}`
  );
  assert.equal(byNewcomer.length, 0);
});
