// The list of what administrators did: filters and their combinations, pages, the export, and who reads it.
import assert from "node:assert/strict";
import type { z } from "zod";
import { AdminActivityLog, AdminActivityLogs } from "../../supabase/functions/admin/activity_logs.schema.ts";
import { listActivityLogs } from "../../supabase/functions/admin/activity_logs.ts";
import { asAnonymous, asUser, signUp } from "../support/people.ts";
import { chance } from "../support/random.ts";
import { assertError } from "../support/api_errors.ts";
import { stack } from "../support/stack.ts";
import { anAdministrator, AREAS } from "./administrators.ts";
import { query, replyOf } from "./client.ts";
import { inDatabase } from "./lots.ts";

const PATH = "/admin/activity-logs";
const LINES = { headers: { accept: "application/x-ndjson" } };
type Log = z.output<typeof AdminActivityLog>;
type Act = Pick<Log, "admin_id" | "user_id" | "action" | "target_id" | "created_at">;
type Filters = Partial<Record<"admin_id" | "user_id" | "action" | "target_id" | "from" | "to", string>>;

const { ask } = await anAdministrator(...AREAS);

/** Records are written by acts alone; the owner of the table writes these, so that there are many at known times. */
async function write(acts: readonly Act[]) {
  const rows = acts.map((act) => ({ ...act, target_type: "search_preset" }));
  await inDatabase((sql) => sql`insert into public.admin_activity_logs ${sql(rows)}`);
}

const read = async (params: Filters & Record<string, unknown>) =>
  await replyOf(listActivityLogs, await ask(`${PATH}${query(params)}`), AdminActivityLogs);

/** All pages of a list. */
async function readAll(params: Filters, limit: number): Promise<Log[]> {
  const found: Log[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await read({ ...params, limit, ...(cursor && { cursor }) });
    assert.ok(page.items.length === limit || page.next_cursor === null, "only the last page is short");
    found.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return found;
}

const at = (second: number) => new Date(Date.UTC(2031, 0, 1, 0, 0, second)).toISOString();

Deno.test("admin activity logs: each filter and each combination returns the matching acts, newest first, over all pages", async () => {
  const { pick, below } = chance(14);
  const two = () => [crypto.randomUUID(), crypto.randomUUID()] as const;
  const [admins, users, targets] = [two(), two(), two()];
  const actions = ["user.view_search_presets", "user.create_search_preset"] as const;
  const acts = Array.from({ length: 120 }, () => ({
    admin_id: pick(admins),
    user_id: pick([...users, null]),
    action: pick(actions),
    target_id: pick([...targets, null]),
    created_at: at(below(20)), // several at the same moment
  }));
  await write(acts);
  for (let n = 0; n < 40; n++) {
    const maybe = <Value>(value: Value, odds = 2) => below(odds) === 0 ? value : undefined;
    const params: Filters = JSON.parse(JSON.stringify({
      admin_id: n % 3 === 0 ? admins[0] : undefined,
      user_id: n % 3 === 1 ? users[0] : maybe(users[1], 4),
      target_id: n % 3 === 2 ? targets[0] : maybe(targets[1], 4),
      action: maybe(pick(actions)),
      from: maybe(at(below(20))),
      to: maybe(at(below(20))),
    }));
    const expected = acts.filter((act) =>
      (["admin_id", "user_id", "action", "target_id"] as const).every((key) =>
        (params[key] ?? act[key]) === act[key]
      ) &&
      (params.from === undefined || act.created_at >= params.from) &&
      (params.to === undefined || act.created_at < params.to)
    );
    const found = await readAll(params, 7);
    const message = JSON.stringify(params);
    assert.equal(found.length, expected.length, message);
    assert.equal(new Set(found.map(({ id }) => id)).size, found.length, `${message}: no act twice`);
    const order = found.map(({ created_at, id }) => `${new Date(created_at).toISOString()} ${id}`);
    assert.deepEqual(order, order.toSorted().reverse(), message);
    const plain = ({ admin_id, user_id, action, target_id, created_at }: Act) =>
      [new Date(created_at).toISOString(), admin_id, user_id, action, target_id].join(" ");
    assert.deepEqual(found.map(plain).sort(), expected.map(plain).sort(), message);
    assert.equal((await read({ ...params, include: "total", limit: 1 })).total, expected.length, message);
  }
});

Deno.test("admin activity logs: from is included, to is not", async () => {
  const admin_id = crypto.randomUUID();
  const act = { admin_id, user_id: null, action: "user.view_search_presets", target_id: null };
  await write([1, 2, 3].map((second) => ({ ...act, created_at: at(second) })));
  const times = async (bounds: Filters) =>
    (await read({ admin_id, ...bounds })).items.map(({ created_at }) => new Date(created_at).getUTCSeconds());
  assert.deepEqual(await times({ from: at(2) }), [3, 2]);
  assert.deepEqual(await times({ to: at(2) }), [1]);
  assert.deepEqual(await times({ from: at(2), to: at(3) }), [2]);
  assert.deepEqual(await times({ from: at(2), to: at(2) }), []);
  assert.deepEqual(await times({ from: "2031-01-01T09:00:02+09:00" }), [3, 2]);
});

Deno.test("admin activity logs: a cursor of other filters is rejected; a user without access gets 403 for every request", async () => {
  const admin_id = crypto.randomUUID();
  const act = { admin_id, user_id: null, action: "user.view_search_presets", target_id: null };
  await write([1, 2].map((second) => ({ ...act, created_at: at(second) })));
  const { next_cursor: cursor } = await read({ admin_id, limit: 1 });
  assert.ok(cursor);
  const invalid = { code: "validation_error", param: "cursor" } as const;
  await assertError(await ask(`${PATH}${query({ cursor })}`), invalid);
  await assertError(await ask(`${PATH}${query({ admin_id, from: at(1), cursor })}`), invalid);
  const user = asUser(await signUp());
  for (const params of [{}, { cursor: "none" }, { limit: 0 }, { admin_id, cursor }]) {
    for (const init of [{}, LINES]) {
      await assertError(await user(`${PATH}${query(params)}`, init), { code: "forbidden" });
      await assertError(await asAnonymous()(`${PATH}${query(params)}`, init), { code: "unauthorized" });
    }
  }
});

/** More than two pages of the export. */
const MANY = 2_500;

Deno.test("admin activity logs: the export has every act that matches once, in order, from the cursor on", async () => {
  const admin_id = crypto.randomUUID();
  await inDatabase((sql) =>
    sql`
      insert into public.admin_activity_logs (admin_id, action, target_type, target_id, created_at)
      select ${admin_id}, 'user.view_search_presets', 'app_user', 'export ' || n, ${
      at(0)
    }::timestamptz + n / 3 * interval '1 s'
      from generate_series(1, ${MANY}::integer) as n`
  );
  const linesOf = async (params: Record<string, unknown>): Promise<unknown[]> => {
    const response = await ask(`${PATH}${query({ admin_id, ...params })}`, LINES);
    assert.equal(response.status, 200);
    assert.match(response.headers.get("content-type")!, /^application\/x-ndjson/);
    const text = await response.text();
    return text.split("\n").slice(0, -1).map((line) => JSON.parse(line));
  };
  const exported = async (params: Record<string, unknown>) =>
    (await linesOf(params)).map((line) => AdminActivityLog.strict().parse(line));
  const all = await exported({});
  assert.equal(all.length, MANY);
  assert.equal(new Set(all.map(({ id }) => id)).size, MANY);
  const order = all.map(({ created_at, id }) => `${new Date(created_at).toISOString()} ${id}`);
  assert.deepEqual(order, order.toSorted().reverse());
  const [end] = (await linesOf({ limit: 2 })).slice(2) as [{ next_cursor: string; has_more: boolean }];
  assert.equal(end.has_more, true);
  assert.deepEqual(await exported({ cursor: end.next_cursor }), all.slice(2));
  const { items, next_cursor: cursor } = await read({ admin_id, limit: 100 });
  assert.deepEqual(items, all.slice(0, 100));
  assert.deepEqual(await exported({ cursor }), all.slice(100));
  assert.deepEqual(
    await exported({ from: at(10), to: at(20) }),
    all.filter(({ target_id }) => {
      const second = Math.floor(Number(target_id!.slice("export ".length)) / 3);
      return second >= 10 && second < 20;
    }),
  );
});

Deno.test("admin activity logs: an export whose administrator is suspended halfway is aborted, never completed", async () => {
  const [admin_id, reader] = [crypto.randomUUID(), await anAdministrator(...AREAS)];
  const padding = "p".repeat(150);
  await inDatabase((sql) =>
    sql`
      insert into public.admin_activity_logs (admin_id, action, target_type, target_id, created_at)
      select ${admin_id}, 'user.view_search_presets', 'app_user', ${padding} || n, ${
      at(0)
    }::timestamptz + n * interval '1 s'
      from generate_series(1, 15000) as n`
  );
  const response = await reader.ask(`${PATH}${query({ admin_id })}`, LINES);
  const body = response.body!.getReader();
  assert.ok((await body.read()).value!.length > 0);
  await inDatabase((sql) =>
    sql`
      update auth.users set raw_app_meta_data = '{"admin": {"areas": [], "status": "suspended"}}' where id = ${reader.id}`
  );
  await assert.rejects(async () => {
    while (!(await body.read()).done);
  });
});

Deno.test("admin activity logs: the service reads them by rpc for an administrator, and the page is at most 1,000", async () => {
  const { id } = await anAdministrator(...AREAS);
  const { restUrl, secretKey } = stack();
  const call = async (args: Record<string, unknown>) =>
    await fetch(`${restUrl}/rpc/admin_list_activity_logs`, {
      method: "POST",
      headers: { apikey: secretKey, "content-type": "application/json" },
      body: JSON.stringify({ p_admin_id: id, ...args }),
    });
  const page = AdminActivityLogs.parse(await (await call({ p_limit: 1 })).json());
  assert.equal(page.items.length, 1);
  const tooMany = await call({ p_limit: 1001 });
  assert.equal(tooMany.status, 422);
  assert.match(await tooMany.text(), /limit must be between 1 and 1000/);
});
