-- Import of lots: merges lots of external sources into the tables of lots.
--
-- The importer (importer/) and the console (lots/console_import.sql) write lots in the same way: rows go into a temporary
-- table, the stage, and functions of this file merge it into the tables. The importer copies a file into stages of 1,000
-- lots, each with its own transaction; the console fills one from JSON.
--
-- Invariants: (source, external_id) identifies a lot, so a repeated import changes nothing. Only rows that differ are
-- written. An existing lot keeps its status. Fields that an import does not contain stay.
-- Interface: private.open_import_stage, private.merge_staged_operators, private.merge_staged_lots,
-- private.place_staged_lots, private.merge_staged_tags, private.merge_staged_windows, private.merge_staged_pricing, in
-- this order.

-- Creates the temporary tables of an import: import_stage, with these columns of parking_lots and the data for the other
-- tables of a lot, and import_outcome. external_id must be among the columns.
create function private.open_import_stage(p_columns text[]) returns void
language plpgsql
set search_path = ''
as $$
begin
  execute format(
    'create temporary table import_stage on commit drop as
    select 0 as position, %s, ''''::text as operator_name, ''{}''::jsonb as tags, ''[]''::jsonb as windows, ''[]''::jsonb as pricing
    from public.parking_lots where false', (select string_agg(quote_ident(c.name), ', ' order by c.nth)
      from unnest(p_columns) with ordinality as c (name, nth))
  );
  create temporary table import_outcome (action text, id uuid) on commit drop;
end
$$;

-- Adds the operators of the stage that do not exist. An operator's slug is its code, unless another operator has this slug.
create function private.merge_staged_operators() returns void
language plpgsql
set search_path = ''
as $$
begin
  -- Existing operators keep their name and colour.
  insert into public.operators (id, name, slug)
  select distinct on (s.operator_code) s.operator_code, coalesce(private.shown_name(s.operator_name), s.operator_code),
    s.operator_code || case
      when exists (select from public.operators o where o.slug = s.operator_code) then '-' || left(md5(s.operator_code), 8)
      else '' end
  from pg_temp.import_stage s
  where s.operator_code is not null
  order by s.operator_code, s.position
  on conflict (id) do nothing;
end
$$;

-- Writes the lots of the stage, with p_columns, where they differ. New lots get p_status. The texts that others see are
-- stored as the console stores them.
create function private.merge_staged_lots(p_source text, p_status text, p_columns text[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  -- An absent value of these columns has no meaning: a lot keeps its own.
  c_kept constant text[] := '{licence,attribution,source_url,area}';
  v_shown text;
  v_names text;
  v_stored text;
  v_stated text;
  v_changes text;
  v_staged text;
begin
  select string_agg(c.name, ', '), string_agg('l.' || c.name, ', '), string_agg(c.stated, ', '),
    string_agg(c.name || ' = ' || c.stated, ', '), string_agg('s.' || c.name, ', ')
  into v_names, v_stored, v_stated, v_changes, v_staged
  from (
    select quote_ident(n.name) as name,
      format(case when n.name = any (c_kept) then 'coalesce(s.%1$I, l.%1$I)' else 's.%I' end, n.name) as stated
    from unnest(p_columns) as n (name)
  ) c;
  select string_agg(format('%1$I = coalesce(private.shown_name(%1$I), %1$I)', n.name), ', ') into v_shown
  from unnest(p_columns) as n (name) where n.name = any (private.shown_lot_columns());
  if v_shown is not null then
    execute format('update pg_temp.import_stage set %s', v_shown);
  end if;
  -- Rows that will change are locked first, in one order.
  execute format(
    'select from public.parking_lots l join pg_temp.import_stage s on l.source = $1 and l.external_id = s.external_id
    where (%s) is distinct from (%s) order by l.id for no key update of l', v_stored, v_stated
  ) using p_source;
  execute format(
    'with merged as (
      merge into public.parking_lots l
      using pg_temp.import_stage s on l.source = $1 and l.external_id = s.external_id
      when matched and (%s) is distinct from (%s) then update set %s
      when not matched then insert (source, status, %s) values ($1, $2, %s)
      returning merge_action() as action, l.id
    )
    insert into pg_temp.import_outcome select action, id from merged', v_stored, v_stated, v_changes, v_names, v_staged
  ) using p_source, p_status;
end
$$;

-- Writes the ids of the lots of the stage that have tags, hours or prices into the stage.
create function private.place_staged_lots(p_source text) returns void
language plpgsql
set search_path = ''
as $$
begin
  alter table pg_temp.import_stage add column lot_id uuid;
  update pg_temp.import_stage s set lot_id = l.id
  from public.parking_lots l
  where l.source = p_source and l.external_id = s.external_id and (s.tags <> '{}' or s.windows is not null or s.pricing is not null);
end
$$;

-- Writes the states of tags that the stage has; other tags of the lots stay.
create function private.merge_staged_tags() returns void
language plpgsql
set search_path = ''
as $$
begin
  create temporary table import_tags on commit drop as
  select s.lot_id, t.id as tag_id, g.value::boolean as state
  from pg_temp.import_stage s
  cross join jsonb_each_text(s.tags) as g
  join public.tags t on t.slug = g.key
  where s.tags <> '{}';
  analyze pg_temp.import_tags; -- otherwise the planner expects so many rows that it reads the tags of all lots
  with merged as (
    merge into public.parking_lot_tags lt
    using pg_temp.import_tags s on lt.parking_lot_id = s.lot_id and lt.tag_id = s.tag_id
    when matched and lt.state is distinct from s.state then
      update set state = s.state
    when not matched then
      insert (parking_lot_id, tag_id, state) values (s.lot_id, s.tag_id, s.state)
    returning s.lot_id
  )
  insert into pg_temp.import_outcome select distinct 'UPDATE', lot_id from merged;
end
$$;

-- Replaces the hours of lots whose stage has hours of that kind, where they differ.
create function private.merge_staged_windows() returns void
language plpgsql
set search_path = ''
as $$
begin
  create temporary table import_windows on commit drop as
  select s.lot_id, coalesce(w.window_type, 'business') as window_type, w.day_type, w.day_of_week, w.is_24h, w.is_closed,
    w.open_time, w.close_time, w.effective_from, w.effective_to
  from pg_temp.import_stage s
  cross join jsonb_populate_recordset(null::public.parking_lot_windows, s.windows) w
  where s.windows is not null;
  -- A lot whose stage has hours of a kind gets exactly these of that kind; other kinds stay.
  create temporary table import_other_hours on commit drop as
  select staged.lot_id, staged.window_type
  from (
    select w.lot_id, w.window_type, array_agg(t.terms order by t.terms) as hours
    from pg_temp.import_windows w
    cross join lateral (select row(w.day_type, w.day_of_week, w.is_24h, w.is_closed, w.open_time, w.close_time, w.effective_from,
      w.effective_to)::text as terms) t
    group by w.lot_id, w.window_type
  ) staged
  left join (
    select w.parking_lot_id, w.window_type, array_agg(t.terms order by t.terms) as hours
    from public.parking_lot_windows w
    cross join lateral (select row(w.day_type, w.day_of_week, w.is_24h, w.is_closed, w.open_time, w.close_time, w.effective_from,
      w.effective_to)::text as terms) t
    where w.parking_lot_id in (select i.lot_id from pg_temp.import_windows i)
    group by w.parking_lot_id, w.window_type
  ) stored on stored.parking_lot_id = staged.lot_id and stored.window_type = staged.window_type
  where staged.hours is distinct from stored.hours;
  delete from public.parking_lot_windows w
  using pg_temp.import_other_hours o
  where w.parking_lot_id = o.lot_id and w.window_type = o.window_type;
  insert into public.parking_lot_windows (parking_lot_id, window_type, day_type, day_of_week, is_24h, is_closed, open_time, close_time,
    effective_from, effective_to)
  select w.lot_id, w.window_type, w.day_type, w.day_of_week, w.is_24h, w.is_closed, w.open_time, w.close_time, w.effective_from, w.effective_to
  from pg_temp.import_windows w
  join pg_temp.import_other_hours o on o.lot_id = w.lot_id and o.window_type = w.window_type;
  insert into pg_temp.import_outcome select distinct 'UPDATE', lot_id from pg_temp.import_other_hours;
end
$$;

-- Makes the pricing rules outside of groups exactly those of the stage, for lots whose stage has prices.
create function private.merge_staged_pricing() returns void
language plpgsql
set search_path = ''
as $$
begin
  create temporary table import_rules on commit drop as
  select s.lot_id, row(coalesce(r.rule_order, 0), r.category, r.time_start, r.time_end, r.day_type, r.per_minutes, r.price_minor, r.cap_type,
    r.cap_duration_hours, r.cap_price_minor, r.cap_repeat, r.effective_from, r.effective_to, r.max_units)::text as terms, r.rule_order, r.category, r.time_start, r.time_end, r.day_type,
    r.per_minutes, r.price_minor, r.cap_type, r.cap_duration_hours, r.cap_price_minor, r.cap_repeat, r.effective_from, r.effective_to, r.max_units,
    row_number() over () as nth
  from pg_temp.import_stage s
  cross join jsonb_populate_recordset(null::public.pricing_rules, s.pricing) r
  where s.pricing is not null;
  analyze pg_temp.import_rules;
  -- Rules outside of groups that do not change keep their ids: of equal rules as many as the stage has.
  create temporary table import_kept on commit drop as
  select p.id, i.nth
  from (select lot_id, nth, terms, row_number() over (partition by lot_id, terms order by nth) as copy from pg_temp.import_rules) i
  join (
    select r.id, r.parking_lot_id, t.terms, row_number() over (partition by r.parking_lot_id, t.terms order by r.id) as copy
    from public.pricing_rules r
    cross join lateral (select row(r.rule_order, r.category, r.time_start, r.time_end, r.day_type, r.per_minutes, r.price_minor, r.cap_type,
      r.cap_duration_hours, r.cap_price_minor, r.cap_repeat, r.effective_from, r.effective_to, r.max_units)::text as terms) t
    where r.pricing_group_id is null and r.parking_lot_id in (select lot_id from pg_temp.import_rules)
  ) p on p.parking_lot_id = i.lot_id and p.terms = i.terms and p.copy = i.copy;
  analyze pg_temp.import_kept;
  with gone as (
    delete from public.pricing_rules p
    where p.pricing_group_id is null and p.parking_lot_id in (select i.lot_id from pg_temp.import_rules i)
      and not exists (select from pg_temp.import_kept k where k.id = p.id)
    returning p.parking_lot_id
  )
  insert into pg_temp.import_outcome select distinct 'UPDATE', parking_lot_id from gone;
  with added as (
    insert into public.pricing_rules (parking_lot_id, rule_order, category, time_start, time_end, day_type, per_minutes, price_minor, cap_type,
      cap_duration_hours, cap_price_minor, cap_repeat, effective_from, effective_to, max_units)
    select i.lot_id, coalesce(i.rule_order, 0), i.category, i.time_start, i.time_end, i.day_type, i.per_minutes, i.price_minor, i.cap_type,
      i.cap_duration_hours, i.cap_price_minor, i.cap_repeat, i.effective_from, i.effective_to, i.max_units
    from pg_temp.import_rules i
    where not exists (select from pg_temp.import_kept k where k.nth = i.nth)
    order by i.nth
    returning parking_lot_id
  )
  insert into pg_temp.import_outcome select distinct 'UPDATE', parking_lot_id from added;
end
$$;
