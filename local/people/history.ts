// Calls of the service's functions at moments of the past. The rules of the functions hold; only the times are moved.
import type { TransactionSql } from "postgres";

type Arguments = Readonly<Record<string, unknown>>;
type Json = Record<string, unknown>;

/** The time zone of the service's days. */
const OFFSET = "+09:00";
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/**
 * Moves the times that this transaction has written since its last call to p_moment: every timestamp of now, and the days
 * in Japan that follow from one. Triggers are off meanwhile: nothing but the times changes.
 */
const MOVE = `
create function pg_temp.move_times(p_moment timestamptz) returns void language plpgsql as $$
declare
  v_table record;
  -- Full seconds: a session starts at one.
  v_back constant interval := date_trunc('second', now() - p_moment);
begin
  set local session_replication_role = replica;
  for v_table in
    select s.relid::regclass as name,
      string_agg(format(
        '%1$I = case when %1$I between $2 and clock_timestamp() then %1$I - $1 else %1$I end', a.attname
      ), ', ') as assignments,
      string_agg(format('%I between $2 and clock_timestamp()', a.attname), ' or ') as condition
    from pg_stat_xact_user_tables s
    join pg_attribute a on a.attrelid = s.relid
      and a.atttypid = 'timestamptz'::regtype and a.attgenerated = '' and not a.attisdropped
    where s.n_tup_ins + s.n_tup_upd > 0
    group by s.relid
  loop
    execute format('update %s set %s where %s', v_table.name, v_table.assignments, v_table.condition)
    using v_back, now() - interval '1 second';
  end loop;
  update public.exp_entries set given_on = (created_at at time zone 'Asia/Tokyo')::date
  where given_on <> (created_at at time zone 'Asia/Tokyo')::date;
  set local session_replication_role = origin;
end
$$`;

export class History {
  private constructor(readonly sql: TransactionSql, readonly now: Date) {}

  /** `sql`: a transaction of the superuser. Its start is the present. */
  static async begin(sql: TransactionSql): Promise<History> {
    await sql.unsafe(MOVE);
    const [row] = await sql<{ now: Date }[]>`select now()`;
    return new History(sql, row!.now);
  }

  /** A time of day in Japan, so many days ago. */
  daysAgo(days: number, time: string): Date {
    const today = new Date(this.now.getTime() + 9 * 60 * MINUTE_MS).toISOString().slice(0, 10);
    return new Date(Date.parse(`${today}T${time}:00${OFFSET}`) - days * DAY_MS);
  }

  minutesAgo(minutes: number): Date {
    return new Date(this.now.getTime() - minutes * MINUTE_MS);
  }

  /** Runs calls as if it were this moment. */
  async at(moment: Date, calls: () => Promise<unknown>): Promise<void> {
    await calls();
    await this.sql`select pg_temp.move_times(${moment})`;
  }

  /** A call of an app user. */
  async asUser(id: string, name: string, args: Arguments = {}): Promise<Json> {
    return await this.#call("authenticated", id, name, args);
  }

  /** A call of an administrator. */
  async asAdmin(id: string, name: string, args: Arguments = {}): Promise<Json> {
    return await this.#call("service_role", id, name, { p_admin_id: id, ...args });
  }

  async #call(role: string, id: string, name: string, args: Arguments): Promise<Json> {
    const claims = JSON.stringify({ role, sub: id });
    await this.sql`select set_config('role', ${role}, true), set_config('request.jwt.claims', ${claims}, true)`;
    try {
      const [row] = await this.sql<{ reply: Json }[]>`
        select private.call_by_name(${name}, ${this.sql.json(args as never)}) as reply`;
      return row!.reply;
    } catch (error) {
      throw new Error(`${name} ${JSON.stringify(args)}: ${(error as Error).message}`, { cause: error });
    } finally {
      await this.sql`reset role`;
    }
  }
}
