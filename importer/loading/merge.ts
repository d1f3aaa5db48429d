import type { TransactionSql } from "postgres";
import { columnsOf, KEPT_WHEN_SILENT, type Written } from "./stage.ts";

/** Receives how far the writing is. */
export interface MergeProgress {
  lots(written: number, total: number): void;
  step(what: string): void;
}

/** Lots that one statement writes: progress is seen between statements. */
const BATCH = 2_000;

export interface Outcome {
  readonly inserted: number;
  readonly updated: number;
  readonly unchanged: number;
}

/** Writes what is staged into the tables: only rows that differ are touched, so that a second run changes nothing. */
export async function mergeStage(
  sql: TransactionSql,
  written: Written,
  source: string,
  status: string,
  progress: MergeProgress,
): Promise<Outcome> {
  await sql`analyze import_stage`;
  if (written.withOperator) await mergeOperators(sql);
  await mergeLots(sql, columnsOf(written), source, status, progress);
  await sql`analyze import_outcome`;
  progress.step("Writing tags");
  await mergeTags(sql);
  progress.step("Writing hours");
  await mergeWindows(sql);
  progress.step("Writing prices");
  await mergePricing(sql);
  progress.step("Counting");
  const [counts] = await sql<{ staged: number; inserted: number; touched: number }[]>`
    select
      (select count(*) from import_stage)::integer as staged,
      (count(distinct id) filter (where action = 'INSERT'))::integer as inserted,
      count(distinct id)::integer as touched
    from import_outcome`;
  if (counts === undefined) throw new Error("The database counted nothing");
  const { staged, inserted, touched } = counts;
  return { inserted, updated: touched - inserted, unchanged: staged - touched };
}

/** Operators that are not known yet. Those that are keep their name and colour. */
async function mergeOperators(sql: TransactionSql): Promise<void> {
  await sql`
    insert into public.operators (id, name, slug)
    select distinct on (operator_code) operator_code, operator_name, operator_code
    from import_stage
    where operator_code is not null
    order by operator_code, position
    on conflict (id) do nothing`;
}

/** A lot that is there keeps its status: an administrator may have closed it. */
async function mergeLots(
  sql: TransactionSql,
  columns: readonly string[],
  source: string,
  status: string,
  progress: MergeProgress,
): Promise<void> {
  await sql`create temporary table import_outcome (action text, id uuid) on commit drop`;
  // The names are columnsOf's own; nothing of the file is in this text.
  const list = (name: (column: string) => string) => sql.unsafe(columns.map(name).join(", "));
  const stated = (column: string) =>
    KEPT_WHEN_SILENT.includes(column) ? `coalesce(s.${column}, l.${column})` : `s.${column}`;
  const batches = await sql<{ first: number; last: number; count: number }[]>`
    select min(position)::integer as first, max(position)::integer as last, count(*)::integer as count
    from (select position, (row_number() over (order by position) - 1) / ${BATCH} as batch from import_stage) s
    group by batch order by batch`;
  const total = batches.reduce((sum, { count }) => sum + count, 0);
  let done = 0;
  for (const { first, last, count } of batches) {
    progress.lots(done, total);
    await sql`
    with merged as (
      merge into public.parking_lots l
      using (select * from import_stage where position between ${first} and ${last}) s on l.source = ${source} and l.external_id = s.external_id
      when matched and (${list((column) => `l.${column}`)}) is distinct from (${list(stated)}) then
        update set ${list((column) => `${column} = ${stated(column)}`)}
      when not matched then
        insert (source, status, ${list((column) => column)})
        values (${source}, ${status}, ${list((column) => `s.${column}`)})
      returning merge_action() as action, l.id
    )
    insert into import_outcome select action, id from merged`;
    done += count;
  }
  progress.lots(done, total);
  // What the stage's rows are called in the tables that hang on lots.
  await sql`alter table import_stage add column lot_id uuid`;
  await sql`
    update import_stage s set lot_id = l.id
    from public.parking_lots l
    where l.source = ${source} and l.external_id = s.external_id and (s.tags <> '{}' or s.windows is not null or s.pricing is not null)`;
}

/** A tag the file speaks of is as the file says; other tags of the lot stay. */
async function mergeTags(sql: TransactionSql): Promise<void> {
  await sql`
    with merged as (
      merge into public.parking_lot_tags lt
      using (
        select s.lot_id, t.id as tag_id, g.value::boolean as state
        from import_stage s
        cross join jsonb_each_text(s.tags) as g
        join public.tags t on t.slug = g.key
        where s.tags <> '{}'
      ) s on lt.parking_lot_id = s.lot_id and lt.tag_id = s.tag_id
      when matched and lt.state is distinct from s.state then
        update set state = s.state
      when not matched then
        insert (parking_lot_id, tag_id, state) values (s.lot_id, s.tag_id, s.state)
      returning s.lot_id
    )
    insert into import_outcome select distinct 'UPDATE', lot_id from merged`;
}

/** A lot whose hours the file states has exactly these business hours; where the file is silent, they stay. */
async function mergeWindows(sql: TransactionSql): Promise<void> {
  const key = sql`array_agg(row(w.day_type, w.day_of_week, w.is_24h, w.open_time, w.close_time)::text order by
    w.day_type, w.day_of_week, w.open_time, w.close_time, w.is_24h)`;
  await sql`
    create temporary table import_windows on commit drop as
    select s.lot_id, w.day_type, w.day_of_week, w.is_24h, w.open_time, w.close_time
    from import_stage s
    cross join jsonb_populate_recordset(null::public.parking_lot_windows, s.windows) w
    where s.windows is not null`;
  await sql`
    create temporary table import_other_hours on commit drop as
    select staged.lot_id
    from (select w.lot_id, ${key} as hours from import_windows w group by w.lot_id) staged
    left join (
      select w.parking_lot_id, ${key} as hours,
        bool_or(w.is_closed or w.effective_from is not null or w.effective_to is not null) as has_more
      from public.parking_lot_windows w
      where w.window_type = 'business' and w.parking_lot_id in (select i.lot_id from import_windows i)
      group by w.parking_lot_id
    ) stored on stored.parking_lot_id = staged.lot_id
    where staged.hours is distinct from stored.hours or stored.has_more`;
  await sql`
    delete from public.parking_lot_windows w
    using import_other_hours o
    where w.parking_lot_id = o.lot_id and w.window_type = 'business'`;
  await sql`
    insert into public.parking_lot_windows
      (parking_lot_id, window_type, day_type, day_of_week, is_24h, open_time, close_time)
    select w.lot_id, 'business', w.day_type, w.day_of_week, w.is_24h, w.open_time, w.close_time
    from import_windows w
    join import_other_hours o on o.lot_id = w.lot_id`;
  await sql`insert into import_outcome select 'UPDATE', lot_id from import_other_hours`;
}

/** A lot whose price the file states has exactly these rules outside of groups; rules that stay as they are keep their ids. */
async function mergePricing(sql: TransactionSql): Promise<void> {
  await sql`
    create temporary table import_rules on commit drop as
    select s.lot_id, r.rule_order, r.category, r.per_minutes, r.price_minor, r.cap_type, r.cap_price_minor, r.cap_repeat
    from import_stage s
    cross join jsonb_populate_recordset(null::public.pricing_rules, s.pricing) r
    where s.pricing is not null`;
  const terms = (rule: string) =>
    sql.unsafe(
      ["rule_order", "category", "per_minutes", "price_minor", "cap_type", "cap_price_minor", "cap_repeat"]
        .map((column) => `${rule}.${column}`).join(", "),
    );
  await sql`analyze import_rules`;
  // A rule with hours or days is none of these; of rules that are the same, one stays.
  await sql`
    create temporary table import_kept on commit drop as
    select distinct on (i.lot_id, i.rule_order) p.id, i.lot_id, i.rule_order
    from import_rules i
    join public.pricing_rules p on p.parking_lot_id = i.lot_id and p.rule_order = i.rule_order
      and (${terms("p")}) is not distinct from (${terms("i")})
      and (p.pricing_group_id, p.time_start, p.time_end, p.day_type, p.cap_duration_hours)
        is not distinct from (null, null, null, null, null)
    order by i.lot_id, i.rule_order, p.id`;
  await sql`analyze import_kept`;
  await sql`
    with gone as (
      delete from public.pricing_rules p
      where p.pricing_group_id is null and p.parking_lot_id in (select i.lot_id from import_rules i)
        and not exists (select from import_kept k where k.id = p.id)
      returning p.parking_lot_id
    )
    insert into import_outcome select distinct 'UPDATE', parking_lot_id from gone`;
  await sql`
    with added as (
      insert into public.pricing_rules
        (parking_lot_id, rule_order, category, per_minutes, price_minor, cap_type, cap_price_minor, cap_repeat)
      select i.lot_id, ${terms("i")} from import_rules i
      where not exists (select from import_kept k where k.lot_id = i.lot_id and k.rule_order = i.rule_order)
      returning parking_lot_id
    )
    insert into import_outcome select distinct 'UPDATE', parking_lot_id from added`;
}
