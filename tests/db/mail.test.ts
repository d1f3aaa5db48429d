// Mail: who is mailed, what becomes of each mail, and consumers that are killed, against a mail service of their own.
import assert from "node:assert/strict";
import { startProviders } from "../../local/standins/providers.ts";
import type { ReceivedMail } from "../../local/standins/mail.ts";
import type { Config } from "../../supabase/functions/_shared/config.ts";
import type { AnyDatabase } from "../../supabase/functions/_shared/db/client.ts";
import { mailSender } from "../../supabase/functions/_shared/providers/mail.ts";
import { readProviderSettings } from "../../supabase/functions/_shared/provider_settings.ts";
import { dispatch } from "../../supabase/functions/mail-dispatch/dispatch.ts";
import { database } from "../support/database.ts";
import { errorOf } from "../support/database_errors.ts";
import { newUser, purge, runJob, signedIn } from "../support/rows.ts";

const db = await database();
const service = await startProviders();
Deno.test.afterAll(async () => {
  await service.stop();
  await db.close();
});

const configured = (environment: Readonly<Record<string, string>>) => {
  const providers = readProviderSettings((name) => environment[name]);
  return mailSender(() => ({ providers }) as Config);
};
const sender = configured(service.environment);
const OPTIONS = { concurrency: 5, budgetMs: 20_000, lingerMs: 0 };

const rpc: AnyDatabase = {
  rpc: <T>(name: string, args: Record<string, unknown> = {}) =>
    db.as({ role: "service_role" }, async (sql) => {
      const names = Object.keys(args);
      const values = Object.values(args).map((value) =>
        Array.isArray(value) && value[0] instanceof Object ? sql.json(value) : value
      );
      const list = names.map((key, n) => `p_${key} => $${n + 1}`).join(", ");
      const [row] = await sql.unsafe(`select api.${name}(${list}) as reply`, values as never[]);
      return row!["reply"] as T;
    }),
};

const consume = () => dispatch(rpc, sender, OPTIONS);
const messages = async () => (await db.sql`select from pgmq.q_mail`).length;
/** What waits to be tried again is tried at once. */
const hurry = () => db.sql`update pgmq.q_mail set vt = clock_timestamp()`;
const emptyQueue = async () => {
  await db.sql`delete from pgmq.q_mail`;
  await db
    .sql`update private.outages set paused_until = '-infinity', failures = 0, failing_since = null, reason = null, alerted_at = null where queue = 'mail'`;
};

async function script(rules: readonly Record<string, unknown>[]): Promise<void> {
  const response = await fetch(`${service.url}/control/mail`, { method: "POST", body: JSON.stringify({ rules }) });
  assert.equal(response.status, 204, await response.text());
}

async function received(address: string): Promise<readonly ReceivedMail[]> {
  return (await (await fetch(`${service.url}/control/mail?to=${address}`)).json()).mails;
}

interface Addressee {
  readonly id: string;
  readonly address: string;
}

/** A user with a confirmed address. */
async function addressee(prefix = "user"): Promise<Addressee> {
  const id = await newUser(db.sql);
  const address = `${prefix}-${id}@example.test`;
  await db.sql`update auth.users set email = ${address}, email_confirmed_at = now() where id = ${id}`;
  return { id, address };
}

const notify = async (user: string, type = "support_reply", title = "Title", body = "Body"): Promise<string> =>
  (await db.sql<{ id: string }[]>`select private.notify_user(${user}, ${type}, ${title}, ${body}) as id`)[0]!.id;

const prefer = (user: string, type: string, email: boolean) =>
  db.sql`
    insert into public.notification_preferences (user_id, notif_type, push_enabled, in_app_enabled, email_enabled)
    values (${user}, ${type}, true, true, ${email})`;

const outcomes = async (notification: string) =>
  (await db.sql<{ outcome: string | null }[]>`
    select outcome from private.mail_deliveries where notification_id = ${notification}`).map(({ outcome }) => outcome);

Deno.test("mail: an event is mailed once, as text and as HTML, to the address at the time of sending", async () => {
  const user = await addressee("before");
  const id = await notify(user.id, "support_reply", "A <b>title</b>", "One & two\n<script>three</script>");
  const address = `after-${user.id}@example.test`;
  await db.sql`update auth.users set email = ${address} where id = ${user.id}`;
  await consume();
  await consume();
  assert.deepEqual(await received(user.address), []);
  const [mail, ...others] = await received(address);
  assert.deepEqual([others.length, mail!.times, mail!.idempotency_key], [0, 1, `${id}/${user.id}`]);
  assert.deepEqual([mail!.subject, mail!.from], ["A <b>title</b>", service.environment["MAIL_FROM"]]);
  assert.ok(mail!.text.startsWith("A <b>title</b>\n\nOne & two\n<script>three</script>\n"), mail!.text);
  assert.ok(mail!.html.includes("A &lt;b&gt;title&lt;/b&gt;"), mail!.html);
  assert.ok(
    mail!.html.includes("One &amp; two<br>&lt;script&gt;three&lt;/script&gt;") && !mail!.html.includes("<script"),
  );
  assert.deepEqual([await outcomes(id), await messages()], [["sent"], 0]);
});

Deno.test("mail: users and types without mail get no delivery row", async () => {
  const [plain, unconfirmed, suspended, off, urgent] = [
    await addressee(),
    await newUser(db.sql),
    await addressee(),
    await addressee(),
    await addressee(),
  ];
  await db.sql`update public.app_users set status = 'suspended' where id = ${suspended.id}`;
  await prefer(off.id, "support_reply", false);
  await prefer(urgent.id, "fee_increase", true); // no client can write this
  for (
    const [user, type] of [
      [plain.id, "announcement"], // off unless the user turns it on
      [unconfirmed, "support_reply"],
      [suspended.id, "support_reply"],
      [off.id, "support_reply"],
      [urgent.id, "fee_increase"],
    ] as const
  ) assert.deepEqual(await outcomes(await notify(user, type)), [], type);
  await prefer(plain.id, "announcement", true);
  assert.deepEqual(await outcomes(await notify(plain.id, "announcement")), [null]);
  await consume();
});

for (
  const [change, run] of [
    ["turned mail of the type off", ({ id }: Addressee) => prefer(id, "support_reply", false)],
    ["was suspended", ({ id }: Addressee) => db.sql`update public.app_users set status = 'suspended' where id = ${id}`],
    ["withdrew", ({ id }: Addressee) => db.sql`select private.empty_account(${id})`],
    ["lost the address", ({ id }: Addressee) => db.sql`update auth.users set email = null where id = ${id}`],
    ["was deleted", ({ id }: Addressee) => db.sql`delete from auth.users where id = ${id}`],
  ] as const
) {
  Deno.test(`mail: a user who ${change} before it is sent gets none`, async () => {
    const user = await addressee();
    const id = await notify(user.id);
    await run(user);
    await consume();
    assert.deepEqual([await received(user.address), await outcomes(id), await messages()], [[], ["gone"], 0]);
  });
}

Deno.test("mail: a composed notification is mailed to users who enabled mail for the type, each once, in their language", async () => {
  await emptyQueue();
  await db.sql`
    insert into auth.users (id, email, email_confirmed_at)
    select g.id, 'many-' || g.id || '@example.test', now()
    from (select gen_random_uuid() as id from generate_series(1, 5200)) g`;
  await db.sql`
    insert into public.notification_preferences (user_id, notif_type, push_enabled, in_app_enabled, email_enabled)
    select n.id, 'subscription', true, true, n.row % 2 = 0
    from (select id, row_number() over (order by id) as row from auth.users where email like 'many-%') n where n.row <= 240`;
  await db.sql`update public.app_users u set lang = 'en' from auth.users a where a.id = u.id and a.email like 'many-%'`;
  const id = await db.sql.begin(async (sql) => {
    const [row] = await sql<{ id: string }[]>`
      insert into public.user_notifications (type, title, body, title_en, body_en, target, is_composed, is_in_app)
      values ('subscription', '題名', '本文', 'Title', 'Body', 'all', true, false) returning id`;
    await sql`update public.user_notifications set status = 'scheduled', scheduled_at = now() where id = ${row!.id}`;
    await sql`update public.user_notifications set status = 'sending' where id = ${row!.id}`;
    await sql`select private.start_fan_out(${row!.id})`;
    return row!.id;
  });
  const [fanOut] = (await rpc.rpc<{ batches: { msg_id: number }[] }>("take_push_batches")).batches;
  const page = (sql = db.sql) =>
    sql<{ page: { is_done: boolean } }[]>`select api.fan_out_notification(${id}, ${fanOut!.msg_id}) as page`;
  await assert.rejects(
    db.sql.begin(async (sql) => {
      await page(sql as never);
      throw new Error("the consumer is killed");
    }),
    /killed/,
  );
  while (!(await page())[0]!.page.is_done);
  const batches = await db.sql<{ mails: number }[]>`
    select count(*)::integer as mails from private.mail_deliveries where notification_id = ${id} group by batch order by batch`;
  assert.deepEqual(batches.reduce((sum, { mails }) => sum + mails, 0), 120);
  assert.ok(batches.every(({ mails }) => mails <= 50));
  assert.equal(await messages(), batches.length);
  const done = await Promise.all([consume(), consume(), consume()]);
  assert.equal(done.reduce((sum, { sent }) => sum + sent, 0), 120);
  const mails: ReceivedMail[] = (await (await fetch(`${service.url}/control/mail`)).json()).mails;
  const own = mails.filter(({ to }) => to.startsWith("many-"));
  assert.deepEqual([own.length, new Set(own.map(({ to }) => to)).size, Math.max(...own.map(({ times }) => times))], [
    120,
    120,
    1,
  ]);
  assert.ok(own.every(({ subject, html }) => subject === "Title" && html.includes('lang="en"')));
});

Deno.test("mail: each response of the mail service has its outcome, and after 429 the mail is sent in the same run", async () => {
  await emptyQueue();
  await script([
    { prefix: "wrong-", status: 422, name: "validation_error" },
    { prefix: "slow-", status: 429, name: "rate_limit_exceeded", retry_after: 1, times: 2 },
    { prefix: "shaky-", status: 500, times: 1 },
    { prefix: "proxy-", status: 502, html: true, times: 1 },
    { prefix: "busy-", status: 409, name: "concurrent_idempotent_requests", times: 1 },
    { prefix: "other-", status: 409, name: "invalid_idempotent_request" },
  ]);
  const ids: Record<string, string> = {};
  for (const kind of ["fine", "wrong", "slow", "shaky", "proxy", "busy", "other"]) {
    ids[kind] = await notify((await addressee(kind)).id);
  }
  const all = async () =>
    Object.fromEntries(
      await Promise.all(Object.entries(ids).map(async ([kind, id]) => [kind, (await outcomes(id))[0]])),
    );
  const done = await consume();
  assert.deepEqual([done.sent, done.rejected, done.later], [3, 1, 3]);
  const first = { fine: "sent", wrong: "rejected", slow: "sent", other: "sent" };
  assert.deepEqual(await all(), { ...first, shaky: null, proxy: null, busy: null });
  const waits = await db.sql<
    { seconds: number }[]
  >`select extract(epoch from vt - now())::integer as seconds from pgmq.q_mail`;
  assert.ok(waits.length === 3 && waits.every(({ seconds }) => seconds >= 40 && seconds <= 76), JSON.stringify(waits));
  await hurry();
  await consume();
  assert.deepEqual(await all(), { ...first, shaky: "sent", proxy: "sent", busy: "sent" });
});

Deno.test("mail: five tries, each after a longer wait, make a dead message; a retried one is sent", async () => {
  await emptyQueue();
  const user = await addressee("down");
  await script([{ to: user.address, status: 500 }]);
  const id = await notify(user.id);
  const waits: number[] = [];
  for (let n = 1; n <= 6; n++) {
    await consume();
    const [waiting] = await db.sql<{ seconds: number }[]>`
      select extract(epoch from vt - now())::integer as seconds from pgmq.q_mail`;
    if (waiting) waits.push(waiting.seconds);
    await hurry();
  }
  assert.equal(waits.length, 5, "the sixth time it is not sent but dead");
  for (const [n, seconds] of [60, 240, 960, 3840].entries()) {
    assert.ok(waits[n]! >= seconds * 0.7 && waits[n]! <= seconds * 1.3, String(waits));
  }
  const [dead] = await db.sql<{ id: string; message: Record<string, unknown> }[]>`
    select id, message from private.dead_messages where queue = 'mail'`;
  assert.deepEqual(dead!.message, { notification_id: id, batch: 0 });
  assert.deepEqual([await outcomes(id), await received(user.address)], [[null], []]);
  await script([]);
  await db.sql`select private.requeue('mail', (private.take_dead_message(${dead!.id})).message)`;
  await consume();
  assert.deepEqual([await outcomes(id), (await received(user.address)).length], [["sent"], 1]);
});

Deno.test("mail: a consumer that is killed between sending and recording: the retry has the same key, and there is one mail", async () => {
  await emptyQueue();
  const user = await addressee();
  const id = await notify(user.id);
  const killed: AnyDatabase = {
    rpc: (name, args) => name === "record_mail_outcomes" ? Promise.reject(new Error("killed")) : rpc.rpc(name, args),
  };
  await assert.rejects(dispatch(killed, sender, OPTIONS), /killed/);
  assert.deepEqual([await outcomes(id), (await consume()).batches], [[null], 0], "the message is hidden for the lease");
  await hurry();
  await consume();
  const mails = await received(user.address);
  assert.deepEqual([mails.length, mails[0]!.times, await outcomes(id)], [1, 2, ["sent"]]);
});

Deno.test("mail: an accepted mail with a lost response is not sent again, and no attempt is counted", async () => {
  await emptyQueue();
  const user = await addressee();
  await script([{ to: user.address, drop: true, times: 1 }]);
  const id = await notify(user.id);
  await consume();
  const [waiting] = await db.sql<{ read_ct: number; reason: string }[]>`
    select q.read_ct, s.reason from pgmq.q_mail q, private.outages s where s.queue = 'mail'`;
  assert.deepEqual({ ...waiting }, { read_ct: 0, reason: "outage" });
  await hurry();
  assert.equal((await consume()).batches, 0, "nothing is taken while mail is paused");
  await db.sql`update private.outages set paused_until = now() where queue = 'mail'`;
  await consume();
  const mails = await received(user.address);
  assert.deepEqual([mails.length, mails[0]!.times, await outcomes(id)], [1, 2, ["sent"]]);
  const [state] = await db.sql`select failures, reason from private.outages where queue = 'mail'`;
  assert.deepEqual({ ...state }, { failures: 0, reason: null });
});

Deno.test("mail: rejected credentials and a used-up quota pause it; administrators are notified once of the credentials", async () => {
  await emptyQueue();
  const alerts = async () =>
    (await db.sql`select from public.admin_notifications where title = 'メールを送信できません'`).length;
  const before = await alerts();
  const user = await addressee();
  const id = await notify(user.id);
  const wrong = configured({ ...service.environment, MAIL_API_KEY: "re_wrong" });
  for (let n = 0; n < 3; n++) {
    assert.equal((await dispatch(rpc, wrong, OPTIONS)).later, 1);
    await hurry();
    await db.sql`update private.outages set paused_until = now() where queue = 'mail'`;
  }
  assert.equal(await alerts(), before + 1);
  await script([{ to: user.address, status: 429, name: "daily_quota_exceeded", retry_after: 3600, times: 1 }]);
  await consume();
  const [state] = await db.sql<{ reason: string; seconds: number }[]>`
    select reason, extract(epoch from paused_until - now())::integer as seconds from private.outages where queue = 'mail'`;
  assert.deepEqual([state!.reason, state!.seconds >= 3590], ["quota", true]);
  await hurry();
  await db.sql`update private.outages set paused_until = now() where queue = 'mail'`;
  await consume();
  assert.deepEqual(await outcomes(id), ["sent"]);
});

Deno.test("mail: without settings no mail is sent, and nothing stays in the queue", async () => {
  await emptyQueue();
  const user = await addressee();
  const ids = [await notify(user.id), await notify(user.id)];
  const none = configured({});
  assert.equal(none.isAvailable, false);
  assert.equal((await dispatch(rpc, none, OPTIONS)).not_configured, 2);
  assert.deepEqual([await outcomes(ids[0]!), await outcomes(ids[1]!), await messages()], [
    ["not_configured"],
    ["not_configured"],
    0,
  ]);
  await consume();
  assert.deepEqual(await received(user.address), []);
});

Deno.test("mail: the first outcome of a mail stays", async () => {
  await emptyQueue();
  const user = await addressee();
  const id = await notify(user.id);
  const [batch] = (await rpc.rpc<{ batches: { msg_id: number; batch: number }[] }>("take_mails")).batches;
  for (const outcome of ["rejected", "sent"]) {
    await rpc.rpc("record_mail_outcomes", {
      msg_id: batch!.msg_id,
      notification_id: id,
      batch: batch!.batch,
      outcomes: [{ user_id: user.id, outcome }],
    });
  }
  assert.deepEqual(await outcomes(id), ["rejected"]);
});

Deno.test("mail: a preference that enables mail for a type without mail is rejected with its field, and none is stored", async () => {
  const user = await newUser(db.sql);
  const item = (notif_type: string, email_enabled: boolean) => ({
    notif_type,
    push_enabled: true,
    in_app_enabled: true,
    email_enabled,
  });
  const set = (items: ReturnType<typeof item>[]) =>
    db.as(signedIn(user), (sql) => sql`select commands.set_my_notification_preferences(${sql.json(items)})`);
  const { code, param } = await errorOf(set([item("announcement", true), item("fee_increase", true)]));
  assert.deepEqual([code, param], ["validation_error", "items.1.email_enabled"]);
  assert.equal((await db.sql`select from public.notification_preferences where user_id = ${user}`).length, 0);
  await set([item("announcement", true), item("fee_increase", false)]);
});

Deno.test("mail: outcomes are deleted after 30 days, unsent mails after 100", async () => {
  const age = (id: string, days: number) =>
    db.sql`
      update private.mail_deliveries set created_at = now() - ${days}::integer * interval '1 day',
        recorded_at = case when outcome is not null then now() - ${days}::integer * interval '1 day' end
      where notification_id = ${id}`;
  const user = await addressee();
  const [old, recent] = [await notify(user.id), await notify(user.id)];
  await consume();
  const [never, waiting] = [await notify(user.id), await notify(user.id)];
  for (const [id, days] of [[old, 31], [recent, 29], [never, 101], [waiting, 99]] as const) await age(id, days);
  await purge(db.sql);
  const left = await Promise.all([old, recent, never, waiting].map(async (id) => (await outcomes(id)).length));
  assert.deepEqual(left, [0, 1, 0, 1]);
  await emptyQueue();
});

Deno.test("mail: a message that waits for ten minutes is notified to administrators once, and again when it was over", async () => {
  await emptyQueue();
  await runJob(db.sql, "check_mail_health");
  const alerts = async () =>
    (await db.sql`select from public.admin_notifications where title = 'メールを送信できません'`).length;
  const before = await alerts();
  for (let n = 1; n <= 2; n++) {
    await db.sql`
      insert into pgmq.q_mail (vt, message, read_ct, enqueued_at)
      values (now() - interval '11 minutes', '{}', 0, now() - interval '11 minutes')`;
    for (let times = 0; times < 3; times++) await runJob(db.sql, "check_mail_health");
    assert.equal(await alerts(), before + n);
    await db.sql`delete from pgmq.q_mail`;
    await runJob(db.sql, "check_mail_health");
  }
});
