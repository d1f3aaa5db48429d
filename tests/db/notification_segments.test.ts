// The segment by plan: preview, the figures of sending and the fan-out mean the same users.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { errorOf } from "../support/database_errors.ts";
import { newUser } from "../support/rows.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

const administrator = crypto.randomUUID();
await db.sql`
  insert into auth.users (id, email, raw_app_meta_data)
  values (${administrator}, ${`${administrator}@example.test`}, '{"admin": {"name": "Nobody", "areas": ["notifications"]}}')`;

interface Reply {
  readonly id: string;
  readonly people: number;
  readonly enqueued: number;
}

const asService = async (call: string, ...values: unknown[]): Promise<Reply> =>
  await db.as({ role: "service_role" }, async (sql) => {
    const [row] = await sql.unsafe(`select api.${call} as reply`, [administrator, ...values] as never[]);
    return row!["reply"];
  });

const ofPlan = (plan: unknown) => ({
  type: "announcement",
  title: "題名",
  body: "本文",
  segment: { plan },
});
const preview = (plan: unknown) => asService("admin_preview_user_notification($1, $2)", ofPlan(plan));

async function aPlan(code: string): Promise<string> {
  const [row] = await db.sql<{ id: string }[]>`
    insert into public.subscription_plans (code, name, description, price_minor, billing_period)
    values (${code}, ${code}, '', 100, 'month') returning id`;
  return row!.id;
}

const subscribe = (user: string | null, plan: string, access: string | null) =>
  db.sql`
    insert into public.user_subscriptions (
      user_id, plan_id, platform, environment, subscription_key, status, started_at, auto_renewing, is_trial_period,
      original_purchase_date, access_ends_at
    ) values (
      ${user}, ${plan}, 'ios', 'Production', gen_random_uuid()::text, 'active', now(), true, false, now(),
      now() + ${access}::interval
    )`;

Deno.test("segment by plan: users with a subscription to it that gives access now, each once, in preview, figures and fan-out", async () => {
  const [plan, other] = [await aPlan("segment.plan"), await aPlan("segment.other")];
  const users: string[] = [];
  for (let n = 0; n < 7; n++) users.push(await newUser(db.sql));
  const [one, twice, ended, none, elsewhere, suspended, both] = users as [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  await subscribe(one, plan, "1 day");
  for (let n = 0; n < 2; n++) await subscribe(twice, plan, "1 hour");
  await subscribe(ended, plan, "-1 second");
  await subscribe(none, plan, null);
  await subscribe(elsewhere, other, "1 day");
  await subscribe(suspended, plan, "1 day");
  await db.sql`update public.app_users set status = 'suspended' where id = ${suspended}`;
  await subscribe(both, plan, "-1 day");
  await subscribe(both, other, "1 day");
  await subscribe(null, plan, "1 day");
  for (const user of users) {
    await db.sql`
      insert into public.user_push_tokens (user_id, fcm_token, device_type) values (${user}, gen_random_uuid()::text, 'ios')`;
  }
  assert.equal((await preview("segment.plan")).people, 2);
  assert.equal((await preview("segment.other")).people, 2);
  const { id } = await asService("admin_create_user_notification($1, $2)", ofPlan("segment.plan"));
  assert.equal((await asService("admin_send_user_notification($1, $2)", id)).enqueued, 2);
  const [row] = await db.sql<{ taken: { batches: { msg_id: number }[] } }[]>`select api.take_push_batches() as taken`;
  for (let isDone = false; !isDone;) {
    const [page] = await db.sql<{ page: { is_done: boolean } }[]>`
      select api.fan_out_notification(${id}, ${row!.taken.batches[0]!.msg_id}) as page`;
    isDone = page!.page.is_done;
  }
  const inboxes = await db.sql<{ user_id: string }[]>`
    select user_id from public.user_notifications where composed_id = ${id}`;
  assert.deepEqual(inboxes.map(({ user_id }) => user_id).sort(), [one, twice].sort());
});

Deno.test("segment by plan: an unknown plan is rejected with its field", async () => {
  for (const plan of ["segment.unknown", "", 7, null, ["segment.plan"]]) {
    const { code, param } = await errorOf(preview(plan));
    assert.deepEqual([code, param], ["validation_error", "segment.plan"], JSON.stringify(plan));
  }
});

Deno.test("segment by plan: subscriptions are found by an index, for any plan", async () => {
  const sql = await db.sql.reserve();
  try {
    await sql`set plan_cache_mode = force_generic_plan`;
    await sql`set enable_seqscan = off`;
    const [{ condition } = { condition: "" }] = await sql<{ condition: string }[]>`
      select private.audience_sql(jsonb_populate_record(null::public.user_notifications,
        '{"target": "all", "segment": {"plan": "x"}}')) as condition`;
    await sql.unsafe(`
      prepare audience (public.user_notifications) as
      select count(*) from (select * from public.app_users a order by a.id limit 5000) u where ${condition}`);
    const plan = await sql.unsafe("explain execute audience (null)");
    const text = plan.map((line) => line["QUERY PLAN"]).join("\n");
    assert.match(text, /user_subscriptions_(plan_id|user_id)_idx/, text);
  } finally {
    sql.release();
  }
});
