// Random changes to the five published tables, and a model of what each row is after each change.
import type { Sql, TransactionSql } from "postgres";
import type { Chance } from "../support/random.ts";

export interface Row {
  readonly table: string;
  readonly id: string;
  readonly user: string | null;
  readonly area: string | null;
  /** Whether the policies show it to its person. */
  readonly shown: boolean;
  /** The number of the change that it bears. */
  readonly mark: number;
}

export interface Changed {
  readonly row: Row;
  readonly type: "INSERT" | "UPDATE" | "DELETE";
}

export interface Model {
  readonly chance: Chance;
  readonly users: readonly string[];
  readonly lot: string;
  readonly badges: readonly string[];
  rows: Row[];
  /** Rows that were changed in this round: they are neither shown nor hidden nor deleted any more, because a change is
   * judged by the row as it is when the change is looked at. */
  touched: Set<string>;
  readonly known: Set<string>;
  mark: number;
}

export function startingModel(chance: Chance, users: readonly string[], lot: string, badges: readonly string[]): Model {
  return { chance, users, lot, badges, rows: [], touched: new Set(), known: new Set(), mark: 0 };
}

class TakenBack extends Error {}

/** Makes so many changes in transactions of one to eight; some transactions are taken back and leave nothing. */
export async function change(sql: Sql, model: Model, count: number): Promise<Changed[]> {
  model.touched = new Set();
  const changes: Changed[] = [];
  while (changes.length < count) {
    const before = { rows: [...model.rows], touched: new Set(model.touched) };
    const inOne: Changed[] = [];
    try {
      await sql.begin(async (transaction) => {
        const size = Math.min(1 + model.chance.below(8), count - changes.length);
        for (let n = 0; n < size; n++) inOne.push(await one(transaction, model));
        if (model.chance.below(12) === 0) throw new TakenBack();
      });
      changes.push(...inOne);
    } catch (error) {
      if (!(error instanceof TakenBack)) throw error;
      Object.assign(model, before);
    }
  }
  return changes;
}

function one(sql: TransactionSql, model: Model): Promise<Changed> {
  const { chance } = model;
  model.mark++;
  const free = model.rows.filter(({ id }) => !model.touched.has(id));
  const kind = chance.below(10);
  if (kind < 1 && free.length > 0) return remove(sql, model, chance.pick(free));
  if (kind < 3) {
    const hideable = free.filter(({ table }) => table === "user_notifications");
    if (hideable.length > 0) return turn(sql, model, chance.pick(hideable));
  }
  const changeable = model.rows.filter(({ table }) => table !== "user_activity_logs");
  if (kind < 7 && changeable.length > 0) return update(sql, model, chance.pick(changeable));
  return insert(sql, model);
}

async function insert(sql: TransactionSql, model: Model): Promise<Changed> {
  const row = await INSERTS[model.chance.below(INSERTS.length)]!(sql, model) ?? await insertNotification(sql, model);
  model.rows.push(row);
  model.known.add(row.id);
  model.touched.add(row.id);
  return { row, type: "INSERT" };
}

/** Undefined: there is nothing left to insert there. */
type Insert = (sql: TransactionSql, model: Model) => Promise<Row | undefined>;

function newRow(table: string, { chance, users, mark }: Model) {
  return { table, id: crypto.randomUUID(), user: chance.pick(users), area: null, shown: true, mark };
}

async function insertNotification(sql: TransactionSql, model: Model): Promise<Row> {
  const row = { ...newRow("user_notifications", model), shown: model.chance.below(3) > 0 };
  const status = row.shown || model.chance.below(2) > 0 ? "sent" : "draft";
  await sql`insert into public.user_notifications (id, user_id, type, title, body, status, sent_at, is_in_app)
    values (${row.id}, ${row.user}, 'announcement', ${row.mark}, 'Body', ${status}, now(), ${row.shown})`;
  return row;
}

const INSERTS: readonly Insert[] = [
  insertNotification,
  insertNotification,
  async (sql, model) => {
    const row = {
      ...newRow("admin_notifications", model),
      user: null,
      area: model.chance.pick([null, "lots", "support"]),
    };
    await sql`insert into public.admin_notifications (id, title, area) values (${row.id}, ${row.mark}, ${row.area})`;
    return row;
  },
  async (sql, model) => {
    const row = newRow("parking_sessions", model);
    await sql`insert into public.parking_sessions (id, user_id, parking_lot_id, status, memo)
      values (${row.id}, ${row.user}, ${model.lot}, 'cancelled', ${row.mark})`;
    return row;
  },
  async (sql, model) => {
    const row = newRow("user_activity_logs", model);
    const subject = `00000000-0000-4000-8000-${String(row.mark).padStart(12, "0")}`;
    await sql`insert into public.user_activity_logs (id, user_id, activity_type, subject_id)
      values (${row.id}, ${row.user}, 'support_ticket_post', ${subject})`;
    return row;
  },
  async (sql, model) => {
    const row = newRow("user_badges", model);
    const taken = await sql<
      { badge_id: string }[]
    >`select badge_id from public.user_badges where user_id = ${row.user}`;
    const badge = model.badges.find((each) => !taken.some(({ badge_id }) => badge_id === each));
    if (badge === undefined) return undefined;
    await sql`insert into public.user_badges (id, user_id, badge_id, earned_at)
      values (${row.id}, ${row.user}, ${badge}, to_timestamp(${row.mark}))`;
    return row;
  },
];

async function update(sql: TransactionSql, model: Model, before: Row): Promise<Changed> {
  const { table, id } = before;
  const row = { ...before, mark: model.mark };
  const values = {
    user_notifications: { title: String(row.mark) },
    admin_notifications: { title: String(row.mark) },
    parking_sessions: { memo: String(row.mark) },
    user_badges: { earned_at: new Date(row.mark * 1000) },
  }[table]!;
  await sql`update ${sql(`public.${table}`)} set ${sql(values)} where id = ${id}`;
  return replaced(model, row);
}

/** Shows a notification that was hidden, or hides one that was shown. */
async function turn(sql: TransactionSql, model: Model, before: Row): Promise<Changed> {
  const row = { ...before, shown: !before.shown, mark: model.mark };
  if (row.shown) {
    const [{ status } = {}] = await sql<{ status: string }[]>`
      select status from public.user_notifications where id = ${row.id}`;
    for (const next of status === "draft" ? ["scheduled", "sending"] : []) {
      await sql`update public.user_notifications set status = ${next} where id = ${row.id}`;
    }
  }
  await sql`
    update public.user_notifications
    set status = case when ${row.shown} then 'sent' else status end, is_in_app = ${row.shown}, title = ${row.mark}
    where id = ${row.id}`;
  return replaced(model, row);
}

async function remove(sql: TransactionSql, model: Model, row: Row): Promise<Changed> {
  await sql`delete from ${sql(`public.${row.table}`)} where id = ${row.id}`;
  model.rows = model.rows.filter(({ id }) => id !== row.id);
  return { row, type: "DELETE" };
}

function replaced(model: Model, row: Row): Changed {
  model.rows = model.rows.map((each) => each.id === row.id ? row : each);
  model.touched.add(row.id);
  return { row, type: "UPDATE" };
}
