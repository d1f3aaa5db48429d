// Administrators at the same queues at once: each entry is decided once, and the record has a row for each effect.
import assert from "node:assert/strict";
import postgres from "postgres";
import { database } from "../support/database.ts";
import { call, newAdministrator } from "../support/activities.ts";
import { type Chance, chance } from "../support/random.ts";
import { newLot, newUser } from "../support/rows.ts";
import { volume } from "../support/sizes.ts";

const ADMINISTRATORS = 20;
const ENTRIES = 12;
const ACTS = volume("ADMIN_QUEUE_ACTS", 400, 2_000);
const WORKERS = 10;
const SEEN_BEFORE = "2026-09-01T00:00:00Z";

const db = await database();
/** The service, as the function `admin` and the back office call it. */
const service = postgres(db.url, { max: ADMINISTRATORS, onnotice: () => {}, connection: { role: "service_role" } });
Deno.test.afterAll(async () => {
  await service.end();
  await db.close();
});

async function administrators(many: number, areas = ["lots", "reviews", "support"]): Promise<string[]> {
  const ids = await Promise.all(Array.from({ length: many }, () => newAdministrator(db.sql)));
  await db.sql`update public.admins set areas = ${areas} where id = any (${ids}::uuid[])`;
  return ids;
}

type Arguments = Record<string, unknown>;
type Reply = Record<string, unknown>;

interface Ran {
  readonly replayed?: boolean;
  /** Undefined when the request was rejected. */
  readonly reply?: Reply;
  readonly code?: string;
  readonly details?: string;
}

/** Runs a command on behalf of an administrator. An error without a code of the interface, for example a deadlock, fails the test. */
async function run(admin: string, command: string, args: Arguments, key: string | null = null): Promise<Ran> {
  const fingerprint = key === null ? null : key.replaceAll("-", "").repeat(2);
  const [row] = await service<{ ran: Ran }[]>`
    select api.run_admin_command(${admin}, ${command}, ${service.json(args as never)}, ${key}, ${fingerprint}) as ran`;
  return row!.ran;
}

const reasonOf = ({ details }: Ran) => JSON.parse(details ?? "{}").details?.reason as string | undefined;

interface Entry {
  readonly id: string;
  readonly seen: string;
}

async function newReviews(many: number, users: readonly string[]): Promise<Entry[]> {
  const lot = await newLot(db.sql);
  return [
    ...await db.sql<Entry[]>`
      insert into public.reviews (parking_lot_id, user_id, rating)
      select ${lot}, u.id, 3 from unnest(${users.slice(0, many)}::uuid[]) as u (id)
      returning id, to_jsonb(updated_at) #>> '{}' as seen`,
  ];
}

async function newReports(many: number, users: readonly string[]): Promise<Entry[]> {
  const lot = await newLot(db.sql);
  return [
    ...await db.sql<Entry[]>`
      insert into public.error_reports (parking_lot_id, parking_lot_name, report_type, description, user_id)
      select ${lot}, 'Lot', 'price', 'Dearer', u.id from unnest(${users.slice(0, many)}::uuid[]) as u (id)
      returning id, to_jsonb(updated_at) #>> '{}' as seen`,
  ];
}

async function newTickets(many: number, users: readonly string[]): Promise<Entry[]> {
  const tickets: Entry[] = [];
  for (const user of users.slice(0, many)) {
    const words = { category: "other", subject: "Subject", message: "Message" };
    const ticket = await call(db.sql, user, "commands.create_support_ticket", words);
    tickets.push({ id: String(ticket!["id"]), seen: String(ticket!["updated_at"]) });
  }
  return tickets;
}

async function newUsers(many: number): Promise<string[]> {
  const users = [];
  for (let n = 0; n < many; n++) users.push(await newUser(db.sql));
  return users;
}

function shuffled<Item>(items: readonly Item[], random: Chance): Item[] {
  return items.map((item) => [random.next(), item] as const).sort(([a], [b]) => a - b).map(([, item]) => item);
}

Deno.test(`admin queues: of ${ADMINISTRATORS} administrators who act on the same entries, one does and the others get 409`, async () => {
  const [admins, users] = [await administrators(ADMINISTRATORS), await newUsers(ENTRIES)];
  const entries = [
    ...(await newReviews(ENTRIES, users)).map(({ id, seen }) => ({
      id,
      command: "admin_decide_review",
      args: { p_id: id, p_status: "approved", p_seen_updated_at: seen },
    })),
    ...(await newReports(ENTRIES, users)).map(({ id, seen }) => ({
      id,
      command: "admin_update_error_report",
      args: { p_id: id, p_changes: { status: "in_review", seen_updated_at: seen } },
    })),
    ...(await newTickets(ENTRIES, users)).map(({ id, seen }) => ({
      id,
      command: "admin_answer_support_ticket",
      args: { p_id: id, p_message: "Answer", p_seen_updated_at: seen },
    })),
  ];
  const decided: string[] = [];
  const rejection = new Set<string>();
  await Promise.all(admins.map(async (admin, nth) => {
    for (const { id, command, args } of shuffled(entries, chance(nth))) {
      const ran = await run(admin, command, args);
      if (ran.reply) decided.push(id);
      else rejection.add(`${ran.code} ${reasonOf(ran)}`);
    }
  }));
  assert.deepEqual(decided.sort(), entries.map(({ id }) => id).sort());
  assert.deepEqual([...rejection], ["conflict changed_meanwhile"]);
  const [logged] = await db.sql`
    select count(*)::integer as acts, count(distinct target_id)::integer as targets from public.admin_activity_logs
    where target_id = any (${entries.map(({ id }) => id)})`;
  assert.deepEqual({ ...logged }, { acts: entries.length, targets: entries.length });
});

Deno.test(`POST /admin/reviews/decisions: ${ADMINISTRATORS} requests at once with the same reviews in any order decide each once`, async () => {
  const [admins, users] = [await administrators(ADMINISTRATORS), await newUsers(40)];
  const reviews = await newReviews(users.length, users);
  const decided: unknown[] = [];
  await Promise.all(admins.map(async (admin, nth) => {
    const decisions = shuffled(reviews, chance(nth)).map(({ id, seen }) => ({
      id,
      status: nth % 2 === 0 ? "approved" : "rejected",
      seen_updated_at: seen,
    }));
    const { reply } = await run(admin, "admin_decide_reviews", { p_decisions: decisions });
    const items = reply!["items"] as { id: string; outcome: string; error?: { details: Reply } }[];
    assert.equal(items.length, reviews.length);
    for (const { id, outcome, error } of items) {
      if (outcome === "decided") decided.push(id);
      else assert.equal(error!.details["reason"], "changed_meanwhile");
    }
  }));
  assert.deepEqual(decided.sort(), reviews.map(({ id }) => id).sort());
});

/** Notes every change that the service makes, by transaction, apart from the record. */
async function watchEffects(): Promise<void> {
  await db.sql.unsafe(`
    create table public.effects (target text not null, tx xid8 not null default pg_current_xact_id(), unique (target, tx));
    create function private.tg_note_effect() returns trigger language plpgsql as $$
    begin
      if current_user = 'service_role' then
        insert into public.effects (target) values (case tg_argv[0] when 'ticket_id' then to_jsonb(new) ->> 'ticket_id' else new.id::text end)
        on conflict do nothing;
      end if;
      return null;
    end $$;
    create trigger note_effect after update of status on public.reviews
      for each row when (new.status <> old.status) execute function private.tg_note_effect('id');
    create trigger note_effect after update on public.error_reports for each row execute function private.tg_note_effect('id');
    create trigger note_effect after update of status on public.support_tickets
      for each row when (new.status <> old.status) execute function private.tg_note_effect('id');
    create trigger note_effect after insert on public.support_messages
      for each row execute function private.tg_note_effect('ticket_id');
    create trigger note_effect after update on public.parking_lots for each row execute function private.tg_note_effect('id')`);
}

interface World {
  readonly users: readonly string[];
  readonly admins: readonly string[];
  readonly reviews: readonly Entry[];
  readonly reports: Entry[];
  readonly tickets: readonly Entry[];
}

/** What the row says now, or what it said long ago. */
async function seenOf(table: string, id: string, random: Chance): Promise<string> {
  if (random.below(10) === 0) return SEEN_BEFORE;
  const [row] = await db.sql<{ seen: string }[]>`
    select to_jsonb(updated_at) #>> '{}' as seen from ${db.sql(`public.${table}`)} where id = ${id}`;
  return row!.seen;
}

type Act = readonly [command: string, args: Arguments];

async function reviewAct({ reviews }: World, random: Chance): Promise<Act> {
  const decision = async ({ id }: Entry) => ({
    id,
    status: random.pick(["approved", "approved", "rejected", "hidden"]),
    seen_updated_at: await seenOf("reviews", id, random),
  });
  if (random.below(6) === 0) {
    const some = shuffled(reviews, random).slice(0, 4);
    return ["admin_decide_reviews", { p_decisions: await Promise.all(some.map(decision)) }];
  }
  const { id, status, seen_updated_at } = await decision(random.pick(reviews));
  return ["admin_decide_review", { p_id: id, p_status: status, p_seen_updated_at: seen_updated_at }];
}

async function reportAct({ reports, admins }: World, random: Chance): Promise<Act> {
  const { id } = random.pick(reports.slice(-30));
  const seen_updated_at = await seenOf("error_reports", id, random);
  const changes = random.pick([
    { assigned_admin_id: random.pick([...admins, null]) },
    { status: "in_review" },
    { status: random.pick(["resolved", "rejected"]) },
    { status: "resolved", correction: { total_spaces: random.below(50) - 5 } },
    { assigned_admin_id: random.pick(admins), status: "resolved", correction: { phone: `${random.below(9)}` } },
  ]);
  return ["admin_update_error_report", { p_id: id, p_changes: { ...changes, seen_updated_at } }];
}

async function ticketAct({ tickets }: World, random: Chance): Promise<Act> {
  const { id } = random.pick(tickets);
  const p_seen_updated_at = await seenOf("support_tickets", id, random);
  return random.below(3) > 0
    ? ["admin_answer_support_ticket", {
      p_id: id,
      p_message: random.pick(["Answer", "Answer", " "]),
      p_seen_updated_at,
    }]
    : ["admin_update_support_ticket", { p_id: id, p_status: "closed", p_seen_updated_at }];
}

/** Authors edit their reviews, write again and report again, so that there is always something to decide. */
async function authorAct(world: World, random: Chance): Promise<void> {
  const nth = random.below(world.users.length);
  const user = world.users[nth]!;
  const args = random.pick(
    [
      ["commands.update_my_review", { id: world.reviews[nth]!.id, rating: 1 + random.below(5) }],
      ["commands.reply_to_support_ticket", { id: world.tickets[nth]!.id, message: "More" }],
      ["commands.post_error_report", {
        report_type: "price",
        description: "Dearer",
        parking_lot_id: await lotOf(world),
      }],
    ] as const,
  );
  const reply = await call(db.sql, user, args[0], args[1]);
  if (reply && args[0] === "commands.post_error_report") world.reports.push({ id: String(reply["id"]), seen: "" });
}

async function lotOf({ reports }: World): Promise<string> {
  const [row] = await db.sql<{ lot: string }[]>`
    select parking_lot_id as lot from public.error_reports where id = ${reports[0]!.id}`;
  return row!.lot;
}

/** How many entries a reply says were changed. */
function changed(reply: Reply, args: Arguments): number {
  if ("items" in reply) {
    return (reply["items"] as { outcome: string }[]).filter((one) => one.outcome === "decided").length;
  }
  const { updated_at } = (reply["ticket"] ?? reply) as { updated_at: string };
  const seen = args["p_seen_updated_at"] ?? (args["p_changes"] as Arguments | undefined)?.["seen_updated_at"];
  return updated_at === seen ? 0 : 1; // an assignment to its present assignee
}

/** One request, which its client sends once, twice at once, or again after the response; what it changed. */
async function request(world: World, outsider: string, random: Chance): Promise<number> {
  const [command, args] = await random.pick([reviewAct, reportAct, ticketAct])(world, random);
  const admin = random.below(10) === 0 ? outsider : random.pick(world.admins);
  const key = random.below(3) > 0 ? crypto.randomUUID() : null;
  const send = () => run(admin, command, args, key);
  const sent = random.below(5);
  const ran = key === null || sent > 1
    ? [await send()]
    : sent === 1
    ? await Promise.all([send(), send()])
    : [await send(), await send()];
  const done = ran.filter(({ reply }) => reply !== undefined);
  assert.ok(admin !== outsider || done.length === 0);
  if (done.length === 2) {
    assert.deepEqual(done[0]!.reply, done[1]!.reply);
    assert.deepEqual(done.map(({ replayed }) => replayed).sort(), [false, true]);
  }
  return done.some(({ replayed }) => !replayed) ? changed(done[0]!.reply!, args) : 0;
}

Deno.test(`admin acts: after ${ACTS} random ones, with retries and rejected ones among them, the record equals the effects`, async () => {
  const [admins, [outsider], users] = [await administrators(8), await administrators(1, ["users"]), await newUsers(30)];
  const world: World = {
    users,
    admins,
    reviews: await newReviews(users.length, users),
    reports: await newReports(users.length, users),
    tickets: await newTickets(users.length, users),
  };
  await db.sql`delete from private.rate_limit_windows`;
  await watchEffects();
  const [before] = await db.sql<{ at: string }[]>`select clock_timestamp()::text as at`;
  const random = chance(20260901);
  let [left, effects] = [ACTS, 0];
  await Promise.all(Array.from({ length: WORKERS }, async () => {
    while (left-- > 0) {
      const made = await request(world, outsider!, random);
      effects += made;
      if (random.below(3) === 0) await authorAct(world, random);
    }
  }));

  const logs = db.sql`
    select * from public.admin_activity_logs where created_at >= ${
    before!.at
  }::text::timestamptz and admin_id = any (${admins}::uuid[])`;
  const differing = await db.sql`
    select target, l.acts, e.changes from (
      select target_id as target, count(*) as acts from (${logs}) g group by 1
    ) l full join (
      select target, count(*) as changes from public.effects group by 1
    ) e using (target) where l.acts is distinct from e.changes`;
  assert.deepEqual([...differing], []);
  const [counted] = await db.sql<{ acts: number; notified: number; results: number }[]>`
    select count(*) filter (where target_type <> 'parking_lot')::integer as acts,
      count(*) filter (where action ~ '^review|resolve|reject|answer')::integer as notified,
      (select count(*)::integer from public.user_notifications n where n.user_id = any (${users}::uuid[])
        and n.type in ('review_result', 'error_report_result', 'support_reply')) as results
    from (${logs}) g`;
  assert.equal(counted!.acts, effects);
  assert.equal(counted!.results, counted!.notified);
  assert.ok(effects > ACTS / 10, `${effects} effects`);
  const [points] = await db.sql`
    select count(*)::integer as off from public.app_users u
    where u.total_exp <> (select coalesce(sum(e.amount), 0) from public.exp_entries e where e.user_id = u.id)
      or (select count(*) from public.error_reports r where r.user_id = u.id and r.status = 'resolved')
        <> (select count(*) from public.exp_entries e where e.user_id = u.id and e.reason = 'error_report_resolved')`;
  assert.deepEqual({ ...points }, { off: 0 });
});
