// A history in a new database: calls of the service's functions at moments of the past. The functions keep their rules and
// ledgers; afterwards only the times of what they wrote are moved.
import type { TransactionSql } from "postgres";

type Arguments = Readonly<Record<string, unknown>>;
type Json = Record<string, unknown>;

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Days of the service are days in Japan. */
const OFFSET_MS = 9 * 60 * MINUTE_MS;

/**
 * Activities get the moment at once, because badges depend on their days and hours. move_times moves the rest of what this
 * transaction wrote since its last call: timestamps of now and today's dates. Triggers are off meanwhile, so nothing else
 * changes. The first rewarded activity of a user on a day has a unique key: one step has all those of a day.
 */
const TIMES = `
create temporary table written on commit drop as
select c.oid as id, 0::bigint as writes, format('update %s set %s where %s', c.oid::regclass,
  string_agg(format('%1$I = case when ' || k.condition || ' then ' || k.moved || ' else %1$I end', a.attname), ', '),
  string_agg(format(k.condition, a.attname), ' or ')) as statement
from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attgenerated = '' and not a.attisdropped
join (values
  ('timestamptz'::regtype, '%1$I between $1 and clock_timestamp()', '%1$I - $2'),
  ('date', '%1$I = $3', '$4')
) as k (type, condition, moved) on k.type = a.atttypid
where c.relkind = 'r' and c.relnamespace in ('auth'::regnamespace, 'public'::regnamespace, 'private'::regnamespace)
group by c.oid;

create function pg_temp.set_moment() returns trigger language plpgsql as $$
begin
  new.created_at := current_setting('history.moment');
  return new;
end
$$;
create trigger _000_set_moment before insert on public.user_activity_logs
  for each row execute function pg_temp.set_moment();

create function pg_temp.writes(p_id oid) returns bigint language sql
return pg_stat_get_xact_tuples_inserted(p_id) + pg_stat_get_xact_tuples_updated(p_id);

create function pg_temp.move_times() returns void language plpgsql as $$
declare
  v_moment constant timestamptz := current_setting('history.moment');
  v_from constant timestamptz := now() - interval '1 second';
  -- Full seconds: a session starts at one.
  v_back constant interval := date_trunc('second', now() - v_moment);
  v_today constant date := private.day_of(now());
  v_day constant date := private.day_of(v_moment);
  v_table record;
begin
  set local session_replication_role = replica;
  for v_table in select w.* from pg_temp.written w where pg_temp.writes(w.id) > w.writes loop
    execute v_table.statement using v_from, v_back, v_today, v_day;
    update pg_temp.written set writes = pg_temp.writes(id) where id = v_table.id;
  end loop;
  set local session_replication_role = origin;
end
$$`;

export class History {
  readonly #steps: { readonly moment: Date; readonly calls: () => Promise<unknown> }[] = [];

  private constructor(readonly sql: TransactionSql, readonly now: Date) {}

  /** `sql`: a transaction of the superuser. Its start is the present. */
  static async begin(sql: TransactionSql): Promise<History> {
    await sql.unsafe(TIMES);
    const [row] = await sql<{ now: Date }[]>`select now()`;
    return new History(sql, row!.now);
  }

  /** A time of day in Japan ("09:00"), so many days ago. */
  daysAgo(days: number, time: string): Date {
    const today = new Date(this.now.getTime() + OFFSET_MS).toISOString().slice(0, 10);
    return new Date(Date.parse(`${today}T${time}:00+09:00`) - days * DAY_MS);
  }

  minutesAgo(minutes: number): Date {
    return new Date(this.now.getTime() - minutes * MINUTE_MS);
  }

  /** Runs calls, whose writes get the times of the moment. */
  async happen(moment: Date, calls: () => Promise<unknown>): Promise<void> {
    await this.sql`select set_config('history.moment', ${moment.toISOString()}, true)`;
    await calls();
    await this.sql`select pg_temp.move_times()`;
  }

  /** Plans calls for a moment. They can be planned in any order. */
  at(moment: Date, calls: () => Promise<unknown>): void {
    this.#steps.push({ moment, calls });
  }

  /** Runs the planned calls, the earliest first. */
  async run(): Promise<void> {
    for (const { moment, calls } of this.#steps.toSorted((one, other) => +one.moment - +other.moment)) {
      await this.happen(moment, calls);
    }
    await this.sql`drop trigger _000_set_moment on public.user_activity_logs`;
  }

  /** The version of a row that an administrator read: its updated_at, in full. */
  async versionOf(table: string, id: string): Promise<string> {
    const [row] = await this.sql<{ version: string }[]>`
      select to_jsonb(updated_at) #>> '{}' as version from ${this.sql(table)} where id = ${id}`;
    return row!.version;
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
    try {
      const [, [row]] = await Promise.all([
        this.sql`select set_config('role', ${role}, true), set_config('request.jwt.claims', ${claims}, true)`,
        this.sql<{ reply: Json }[]>`select private.call_by_name(${name}, ${this.sql.json(args as never)}) as reply`,
        this.sql`reset role`,
      ]);
      return row!.reply;
    } catch (error) {
      throw new Error(`${name} ${JSON.stringify(args)}: ${(error as Error).message}`, { cause: error });
    }
  }
}
