// Random activity of users through the functions of the interface, for tests of concurrency.
import postgres, { type Sql } from "postgres";
import type { Chance } from "./random.ts";
import { newLot, newUser } from "./rows.ts";

/** A activity that was committed, as the world outside the database knows it. */
export interface Done {
  readonly user: string;
  /** The activity, and what it was about. */
  readonly kind: string;
  readonly subject: string;
  readonly lot: string | null;
  /** When it was done. */
  readonly at: Date;
  /** Of the end of a stay: it was five minutes or longer. */
  readonly long?: boolean;
}

/** The users and lots of one history, and their state so far. */
export interface World {
  readonly users: readonly string[];
  readonly lots: readonly string[];
  readonly sponsors: readonly string[];
  /** What can be voted on: the values, by lot. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly administrator: string;
  /** `long`: it began more than five minutes ago, and cannot be cancelled. */
  readonly sessions: {
    readonly user: string;
    readonly lot: string;
    readonly id: string;
    readonly end: string;
    readonly long: boolean;
  }[];
  readonly reviews: { readonly user: string; readonly id: string }[];
  readonly reports: { readonly user: string; readonly id: string }[];
  readonly done: Done[];
}

/** One step of a history; what it commits it writes into `done`. */
export type Activity = (sql: Sql, world: World, chance: Chance) => Promise<void>;

export async function newAdministrator(sql: Sql): Promise<string> {
  const id = crypto.randomUUID();
  const metadata = { admin: { name: "Moderator", areas: ["lots", "reviews"] } };
  await sql`
    insert into auth.users (id, email, raw_app_meta_data)
    values (${id}, ${`${id}@example.test`}, ${sql.json(metadata)})`;
  return id;
}

export async function newWorld(sql: Sql, administrator: string, appUsers: number, places: number): Promise<World> {
  const users = [];
  for (let n = 0; n < appUsers; n++) users.push(await newUser(sql));
  const [lots, sponsors, values] = [[] as string[], [] as string[], new Map<string, string[]>()];
  for (let n = 0; n < places; n++) {
    const lot = await newLot(sql, { total_spaces: 10 + n });
    const rows = await sql<{ id: string }[]>`select id from private.current_field_values(${lot}) order by field_name`;
    values.set(lot, rows.slice(0, 3).map(({ id }) => id));
    const [sponsor] = await sql<{ id: string }[]>`
      insert into public.sponsors (name, lat, lng) values ('Cafe', 35.68, 139.76) returning id`;
    lots.push(lot);
    sponsors.push(sponsor!.id);
  }
  return { users, lots, sponsors, values, administrator, sessions: [], reviews: [], reports: [], done: [] };
}

type Argument = string | number | null;
type Reply = Record<string, unknown>;

/** The allowed errors of a step when others were quicker: an error of the interface, or a deleted lot. A deadlock is not allowed. */
const LOST = new Set(["PGRST", "23503", "42501"]);

/** Calls a function as a user, in a separate transaction; null when it was rejected. */
export function call(sql: Sql, user: string, name: string, args: Record<string, Argument>): Promise<Reply | null> {
  return callAs(sql, user, "authenticated", name, args);
}

/** An administrator's decision on a review that was read just before; null when it was rejected. */
export async function decideReview(
  sql: Sql,
  administrator: string,
  { id, status }: { readonly id: string; readonly status: string },
): Promise<Reply | null> {
  const [seen] = await sql<
    { updated_at: string }[]
  >`select to_jsonb(updated_at) #>> '{}' as updated_at from public.reviews where id = ${id}`;
  const args = { admin_id: administrator, id, status, seen_updated_at: seen?.updated_at ?? null };
  return await callAs(sql, administrator, "service_role", "api.admin_decide_review", args);
}

/** The same of an error report. */
export async function decideReport(
  sql: Sql,
  administrator: string,
  { id, status }: { readonly id: string; readonly status: string },
): Promise<Reply | null> {
  const [seen] = await sql<
    { updated_at: string }[]
  >`select to_jsonb(updated_at) #>> '{}' as updated_at from public.error_reports where id = ${id}`;
  const changes = JSON.stringify({ status, seen_updated_at: seen?.updated_at ?? null });
  return await callAs(sql, administrator, "service_role", "api.admin_update_error_report", {
    admin_id: administrator,
    id,
    changes,
  });
}

const READ_FROM_TEXT: Record<string, string> = { seen_updated_at: "::text::timestamptz", changes: "::text::jsonb" };

async function callAs(
  sql: Sql,
  user: string,
  role: string,
  name: string,
  args: Record<string, Argument>,
): Promise<Reply | null> {
  // As text, because the database driver writes times in milliseconds and would lose the microseconds.
  const named = Object.keys(args).map((key, n) => `p_${key} => $${n + 1}${READ_FROM_TEXT[key] ?? ""}`)
    .join(", ");
  const claims = JSON.stringify({ role: "authenticated", sub: user });
  try {
    return await sql.begin(async (transaction) => {
      await transaction`select set_config('role', ${role}, true), set_config('request.jwt.claims', ${claims}, true)`;
      const [row] = await transaction.unsafe<{ reply: Reply | null }[]>(
        `select ${name}(${named}) as reply`,
        Object.values(args),
      );
      return row!.reply || {}; // nothing is an empty text
    });
  } catch (error) {
    if (error instanceof postgres.PostgresError && LOST.has(error.code)) return null;
    throw error;
  }
}

function note(world: World, user: string, kind: string, subject: unknown, lot: string | null, at = new Date()): void {
  world.done.push({ user, kind, subject: String(subject), lot, at });
}

const start: Activity = async (sql, world, chance) => {
  const [user, lot] = [chance.pick(world.users), chance.pick(world.lots)];
  const args = { parking_lot_id: lot, client_request_id: crypto.randomUUID() };
  const reply = await call(sql, user, "commands.start_parking_session", args);
  if (!reply) return;
  const [id, long] = [String(reply["session_id"]), chance.below(4) > 0];
  // No other step knows it yet.
  if (long) {
    await sql`update public.parking_sessions set started_at = started_at - interval '6 minutes' where id = ${id}`;
  }
  world.sessions.push({ user, lot, id, end: crypto.randomUUID(), long });
  note(world, user, "session_start", id, lot);
};

/** Of the latest ones, so that others are at the same one. */
function recent<Item>(items: readonly Item[], chance: Chance): Item | undefined {
  return items.length === 0 ? undefined : chance.pick(items.slice(-4));
}

const finalize: Activity = async (sql, world, chance) => {
  const session = recent(world.sessions, chance);
  if (!session) return await start(sql, world, chance);
  const args = { id: session.id, exit_at: new Date().toISOString(), client_request_id: session.end };
  const reply = await call(sql, session.user, "commands.finalize_parking_session", args);
  if (!reply) return;
  const { user, id, lot, long } = session;
  world.done.push({ user, kind: "session_end", subject: id, lot, at: new Date(), long });
};

/** A stay from beginning to end, so that users have many. */
const stay: Activity = async (sql, world, chance) => {
  await start(sql, world, chance);
  await finalize(sql, world, chance);
};

const cancel: Activity = async (sql, world, chance) => {
  const session = recent(world.sessions, chance);
  if (!session) return;
  const reply = await call(sql, session.user, "commands.cancel_parking_session", { id: session.id });
  if (reply) note(world, session.user, "session_cancel", session.id, session.lot);
};

const review: Activity = async (sql, world, chance) => {
  const [user, lot] = [chance.pick(world.users), chance.pick(world.lots)];
  const args = { parking_lot_id: lot, rating: 1 + chance.below(5) };
  const reply = await call(sql, user, "commands.post_review", args);
  if (!reply) return;
  world.reviews.push({ user, id: String(reply["id"]) });
  note(world, user, "review_post", lot, lot); // once a lot, however often it is deleted and posted again
};

const moderate: Activity = async (sql, world, chance) => {
  const one = recent(world.reviews, chance);
  if (!one) return await review(sql, world, chance);
  const status = chance.pick(["approved", "approved", "approved", "hidden", "hidden", "rejected"]);
  await decideReview(sql, world.administrator, { id: one.id, status });
};

const editReview: Activity = async (sql, world, chance) => {
  const one = recent(world.reviews, chance);
  if (one) await call(sql, one.user, "commands.update_my_review", { id: one.id, rating: 1 + chance.below(5) });
};

const deleteReview: Activity = async (sql, world, chance) => {
  const one = recent(world.reviews, chance);
  if (one) await call(sql, one.user, "commands.delete_my_review", { id: one.id });
};

const report: Activity = async (sql, world, chance) => {
  const [user, lot] = [chance.pick(world.users), chance.pick(world.lots)];
  const args = { report_type: "price", description: "Dearer", parking_lot_id: lot };
  const reply = await call(sql, user, "commands.post_error_report", args);
  if (!reply) return;
  world.reports.push({ user, id: String(reply["id"]) });
  note(world, user, "error_report_post", reply["id"], lot);
};

const judge: Activity = async (sql, world, chance) => {
  const one = recent(world.reports, chance);
  if (!one) return await report(sql, world, chance);
  await decideReport(sql, world.administrator, { id: one.id, status: "in_review" });
  const status = chance.pick(["resolved", "resolved", "rejected"]);
  const reply = await decideReport(sql, world.administrator, { id: one.id, status });
  if (reply && status === "resolved") note(world, one.user, "error_report_resolved", one.id, null);
};

const vote: Activity = async (sql, world, chance) => {
  const [user, lot] = [chance.pick(world.users), chance.pick(world.lots)];
  const [value, said] = [chance.pick(world.values.get(lot)!), chance.pick(["confirm", "deny"])];
  const args = { parking_lot_id: lot, field_value_id: value, vote: said };
  const reply = await call(sql, user, "commands.vote_on_field_value", args);
  if (reply) note(world, user, `field_${said}`, value, lot);
};

const occupancy: Activity = async (sql, world, chance) => {
  const [user, lot] = [chance.pick(world.users), chance.pick(world.lots)];
  const reply = await call(sql, user, "commands.report_occupancy", { parking_lot_id: lot, state: "full" });
  if (reply) note(world, user, "occupancy_report", reply["id"], lot);
};

const checkIn: Activity = async (sql, world, chance) => {
  const user = chance.pick(world.users);
  const args = { id: chance.pick(world.sponsors), lat: 35.68, lng: 139.76, accuracy_m: 10 };
  const reply = await call(sql, user, "commands.check_in_at_sponsor", args);
  if (reply) note(world, user, "sponsor_checkin", reply["id"], null);
};

const save: Activity = async (sql, world, chance) => {
  const [user, lot] = [chance.pick(world.users), chance.pick(world.lots)];
  if (chance.below(3) === 0) {
    await call(sql, user, "commands.unsave_parking_lot", { parking_lot_id: lot });
    return;
  }
  const reply = await call(sql, user, "commands.save_parking_lot", { parking_lot_id: lot });
  if (reply?.["is_new"]) note(world, user, "lot_save", lot, lot);
};

/** Activities of other days that come late, one of them again and again: what is imported, and what was sent twice. */
const late: Activity = async (sql, world, chance) => {
  const [user, lot] = [chance.pick(world.users), chance.pick(world.lots)];
  const at = new Date(Date.now() - chance.below(12) * 86_400_000);
  const subject = chance.below(2) === 0 ? user : crypto.randomUUID();
  try {
    const [row] = await sql<{ is_new: boolean }[]>`
      select private.record_activity(${user}, 'occupancy_report', ${lot}, ${subject}, p_created_at => ${at}) as is_new`;
    if (row!.is_new) note(world, user, "occupancy_report", subject, lot, at);
  } catch (error) {
    // The lot was deleted.
    if (!(error instanceof postgres.PostgresError && error.code === "23503")) throw error;
  }
};

/** Only a lot without sessions can be deleted. */
export const deleteLot: Activity = async (sql, world, chance) => {
  try {
    await sql`delete from public.parking_lots where id = ${chance.pick(world.lots)}`;
  } catch (error) {
    if (!(error instanceof postgres.PostgresError && error.code === "23503")) throw error;
  }
};

/** The next part of a rebuild that runs during the activities, or the start of a new one. */
const rebuild: Activity = async (sql) => {
  const [row] = await sql<{ worked: boolean }[]>`select private.next_badge_batch(40) as worked`;
  if (row!.worked) return;
  await sql`
    select api.backfill_badge_progress(b.id)
    from (select id from public.badges where is_active order by random() limit 1) as b`;
};

/** Each as often as it is listed here. */
const ACTIVITIES: readonly Activity[] = [
  ...[stay, stay, stay, start, finalize, finalize, cancel],
  ...[review, review, review, moderate, moderate, moderate, moderate, editReview, deleteReview],
  ...[report, judge, judge, vote, vote, vote, occupancy, occupancy, checkIn, checkIn, save, save],
  ...[late, late, deleteLot, rebuild],
];

/** A activity by chance. */
export function anyActivity(chance: Chance): Activity {
  return chance.pick(ACTIVITIES);
}
