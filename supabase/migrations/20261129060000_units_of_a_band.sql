-- Steps within a band: a pricing rule of the category time_band has max_units. After so many units of one occurrence of its
-- band the next rate applies.
--
-- Invariants: rules and stored tariffs of before have null, which is any number. The definitions are those of
-- supabase/schemas after this change. The way back: the functions as they were, the constraint without max_units, then the
-- column and the attributes are dropped.
-- Step 1 of 2: the column, and its bounds for new rows. Each lock lasts a moment.

set lock_timeout = '2s';
alter type private.pricing_terms add attribute max_units integer;
alter domain private.pricing_rule add constraint max_units_are_few check ((value).max_units between 1 and 1000);
alter domain private.pricing_rule add constraint only_rates_of_bands_have_max_units
  check ((value).max_units is null or ((value).category = 'time_band' and (value).time_start is not null));
comment on constraint only_rates_of_bands_have_max_units on domain private.pricing_rule is
  'max_units must be null unless the category is time_band and the rule has time_start and time_end.';

-- pgls-ignore lint/safety/avoidWideLockWindow: no change of this file reads or writes a row
alter table public.pricing_rules
  add column max_units integer,
  drop constraint pricing_rules_is_a_rule,
  add constraint pricing_rules_is_a_rule check (
    (
      row (
        category, rule_order, time_start, time_end, day_type, per_minutes, price_minor, cap_type, cap_duration_hours,
        cap_price_minor, cap_repeat, max_units
      )::private.pricing_rule
    ) is distinct from null
  ) not valid;
comment on column public.pricing_rules.max_units is
  'How many units of a time_band begin in one occurrence of its band, before the next rate applies. Null: any number.';
grant select (max_units) on public.pricing_rules to anon, authenticated;

-- pgls-ignore lint/safety/avoidWideLockWindow: no change of this file reads or writes a row
alter type private.tariff
  add attribute max_units integer[],
  add attribute next_firsts integer[],
  add attribute next_rates integer[];

-- Whether this is an array of pricing rules, without published totals that fall with time. A rule that violates a constraint
-- of private.pricing_rule raises check_violation.
create or replace function private.is_override_pricing(p_pricing jsonb) returns boolean
language plpgsql immutable
set search_path = ''
as $$
declare
  v_rule jsonb;
begin
  if jsonb_typeof(p_pricing) <> 'array' then
    return false;
  end if;
  for v_rule in select jsonb_array_elements(p_pricing) loop
    -- id and parking_lot_id are keys of the specification's PricingRule; they are ignored here.
    if jsonb_typeof(v_rule) <> 'object' or v_rule - '{id,parking_lot_id,category,rule_order,time_start,time_end,day_type,
      per_minutes,price_minor,cap_type,cap_duration_hours,cap_price_minor,cap_repeat,max_units}'::text[] <> '{}' then
      return false;
    end if;
    -- The constraints of the domain raise check_violation with their names.
    perform jsonb_populate_record(null::private.pricing_terms, v_rule)::private.pricing_rule;
  end loop;
  -- A longer stay does not cost less.
  return not exists (
    select from (
      select t.price_minor, max(t.price_minor) over (
          partition by coalesce(t.day_type, 'all'), t.time_start, t.time_end order by t.per_minutes
        ) as most
      from jsonb_populate_recordset(null::private.pricing_terms, p_pricing) as t
      where t.category = 'published_total'
    ) s
    where s.price_minor < s.most
  );
end
$$;

-- The rules of these lots by pricing group, as arrays without plans and series, with the rows of date overrides from
-- p_from to p_to. A group without rules has a null tariff.
create or replace function private.packed_tariffs(p_lot_ids uuid[], p_from date, p_to date)
returns table (parking_lot_id uuid, place integer, is_default boolean, vehicle_types text[], tariff private.tariff)
language plpgsql stable
set search_path = ''
as $$
begin
  return query
  with lists as (
    -- One tariff for each group that is not the default, and one for the default group and the rules without a group.
    select g.parking_lot_id, g.id as group_id, g.display_order, g.vehicle_types, g.free_while_closed
    from public.pricing_groups g
    where g.parking_lot_id = any (p_lot_ids) and not g.is_default
    union all
    select lot_id, null, coalesce(g.display_order, 0), g.vehicle_types, g.free_while_closed
    from unnest(p_lot_ids) as lot_id
    left join public.pricing_groups g on g.parking_lot_id = lot_id and g.is_default
  ), rules as (
    select r.parking_lot_id, case when not g.is_default then g.id end as group_id, r.id, null::date as set_date, 0 as place,
      r.category, r.rule_order, r.time_start, r.time_end, r.day_type, r.per_minutes, r.price_minor, r.cap_type,
      r.cap_duration_hours, r.cap_price_minor, r.cap_repeat, r.effective_from, r.effective_to, r.max_units
    from public.pricing_rules r
    left join public.pricing_groups g on g.id = r.pricing_group_id
    where r.parking_lot_id = any (p_lot_ids)
    union all
    -- The prices of a date apply to every group.
    select l.parking_lot_id, l.group_id, null, o.override_date, n.place::integer,
      t.category, coalesce(t.rule_order, n.place::integer), t.time_start, t.time_end, t.day_type, t.per_minutes,
      t.price_minor, t.cap_type, t.cap_duration_hours, t.cap_price_minor, t.cap_repeat, null, null, t.max_units
    from lists l
    join public.parking_lot_date_overrides o on o.parking_lot_id = l.parking_lot_id
    cross join jsonb_array_elements(o.pricing) with ordinality as n (rule, place)
    cross join jsonb_populate_record(null::private.pricing_terms, n.rule) as t
    where o.override_date between p_from and p_to
  ), ordered as (
    select r.parking_lot_id, r.group_id, r.id, r.set_date, r.per_minutes, r.price_minor, r.cap_type,
      r.cap_duration_hours, r.cap_price_minor, r.cap_repeat, r.effective_from, r.effective_to, r.max_units, l.free_while_closed,
      private.day_bit(r.day_type) as day_bit,
      case when r.category in ('time_band', 'flat') then 'rate' else r.category end as family,
      date_part('epoch', r.time_start) * 1000000 as start_us,
      case r.time_end when '00:00' then 86400000000 else date_part('epoch', r.time_end) * 1000000 end as end_us
    from rules r
    join lists l on l.parking_lot_id = r.parking_lot_id and l.group_id is not distinct from r.group_id
    order by r.parking_lot_id, r.group_id, day_bit desc, r.rule_order, r.id, r.place
  ), packed as (
    select o.parking_lot_id, o.group_id, row (
      array_agg(o.id), array_agg(o.family), array_agg(o.set_date), array_agg(o.day_bit),
      array_agg(o.start_us::bigint), array_agg(o.end_us::bigint), array_agg(o.per_minutes * bigint '60000000'),
      array_agg(o.price_minor::bigint), array_agg(o.cap_type), array_agg((o.cap_duration_hours * 3600000000)::bigint),
      array_agg(o.cap_price_minor::bigint), array_agg(o.cap_repeat), bool_or(o.family in ('grace', 'initial', 'published_total')),
      null, null, null, null, null, null, null, null, null,
      case when count(o.effective_from) + count(o.effective_to) > 0 then array_agg(o.effective_from) end,
      case when count(o.effective_from) + count(o.effective_to) > 0 then array_agg(o.effective_to) end,
      null, null, nullif(bool_or(o.free_while_closed), false), null, null,
      case when count(o.max_units) > 0 then array_agg(o.max_units) end, null, null
    )::private.tariff as tariff
    from ordered o
    group by o.parking_lot_id, o.group_id
  )
  select l.parking_lot_id,
    row_number() over (partition by l.parking_lot_id order by l.display_order, l.group_id)::integer,
    l.group_id is null, l.vehicle_types, p.tariff
  from lists l
  left join packed p on p.parking_lot_id = l.parking_lot_id and p.group_id is not distinct from l.group_id;
end
$$;

-- The tariff with a plan for each kind of day, and for each period in which the same rates are in effect: which rate is in
-- force from which time of day. The best row comes first, so the first match is taken.
create or replace function private.with_plans(p_tariff private.tariff) returns private.tariff
language plpgsql immutable
set search_path = ''
as $$
declare
  -- A sign has fewer steps. The work of a stay is bounded.
  c_max_next constant integer := 20;
  v_result private.tariff := p_tariff;
  v_bits constant integer[] := p_tariff.day_bits;
  v_starts constant bigint[] := p_tariff.starts;
  v_ends constant bigint[] := p_tariff.ends;
  v_set record;
  v_mask integer;
  v_mark bigint;
  v_rate integer;
  v_rule integer;
  v_last integer;
  v_next integer;
  v_next_firsts integer[] := '{}';
  v_next_rates integer[] := '{}';
  v_sets date[] := '{}';
  v_plan_bits integer[] := '{}';
  v_masks integer[] := '{}';
  v_firsts integer[] := '{}';
  v_edges bigint[] := '{}';
  v_edge_rules integer[] := '{}';
  v_plan_from date[] := '{}';
  v_plan_to date[] := '{}';
begin
  for v_set in
    with starts as (
      -- The dates on which rates begin, and those after their last dates. The first period has no start.
      select null::date as first_date
      union
      select d.first_date
      from unnest(p_tariff.families, p_tariff.from_dates, p_tariff.to_dates) as r (family, from_date, to_date)
      cross join lateral (values (r.from_date), (r.to_date + 1)) as d (first_date)
      where r.family = 'rate'
    ), periods as (
      select s.first_date, lead(s.first_date) over (order by s.first_date nulls first) - 1 as last_date from starts s
    )
    select r.set_date, p.first_date, p.last_date, bit_or(r.bits) as bits, array_agg(r.rule::integer order by r.rule) as rates,
      -- Where a band begins or ends, the rate may change.
      array(select distinct m from unnest(array_agg(r.band_from) || array_agg(r.band_to) || bigint '0') as m
        where m < 86400000000 order by m) as marks
    from unnest(p_tariff.families, p_tariff.sets, v_bits, v_starts, v_ends, p_tariff.from_dates, p_tariff.to_dates)
      with ordinality as r (family, set_date, bits, band_from, band_to, from_date, to_date, rule)
    join periods p on case
      when r.set_date is not null then p.first_date is null
      else coalesce(r.from_date <= p.first_date, r.from_date is null) and coalesce(r.to_date >= p.last_date, r.to_date is null) end
    where r.family = 'rate'
    group by r.set_date, p.first_date, p.last_date
  loop
    -- The day types of a weekday, a Saturday, a Sunday, each also as an eve, and a holiday, as far as rates name them.
    foreach v_mask in array array(select distinct m & v_set.bits from unnest('{3,5,9,19,21,25,33}'::integer[]) as m) loop
      v_sets := v_sets || v_set.set_date;
      v_plan_from := v_plan_from || case when v_set.set_date is null then v_set.first_date end;
      v_plan_to := v_plan_to || case when v_set.set_date is null then v_set.last_date end;
      v_plan_bits := v_plan_bits || v_set.bits;
      v_masks := v_masks || v_mask;
      v_firsts := v_firsts || cardinality(v_edges) + 1;
      v_last := null;
      foreach v_mark in array v_set.marks loop
        v_rule := 0;
        v_next := cardinality(v_next_rates);
        foreach v_rate in array v_set.rates loop
          continue when v_bits[v_rate] & v_mask = 0 or not private.band_holds(v_starts[v_rate], v_ends[v_rate], v_mark);
          if v_rule = 0 then
            v_rule := v_rate;
          else
            v_next_rates := v_next_rates || v_rate;
          end if;
          exit when p_tariff.max_units[v_rate] is null or cardinality(v_next_rates) = v_next + c_max_next;
        end loop;
        -- Where units are counted, a later rate may change, or an occurrence begin, while the first rate stays.
        continue when v_rule = v_last and p_tariff.max_units is null;
        v_edges := v_edges || v_mark;
        v_edge_rules := v_edge_rules || v_rule;
        v_next_firsts := v_next_firsts || v_next + 1;
        v_last := v_rule;
      end loop;
    end loop;
  end loop;
  v_result.plan_from := case when p_tariff.from_dates is not null then v_plan_from end;
  v_result.plan_to := case when p_tariff.from_dates is not null then v_plan_to end;
  v_result.plan_sets := v_sets;
  v_result.plan_bits := v_plan_bits;
  v_result.plan_masks := v_masks;
  v_result.plan_firsts := v_firsts || cardinality(v_edges) + 1;
  v_result.edges := v_edges;
  v_result.edge_rules := v_edge_rules;
  if p_tariff.max_units is not null then
    v_result.next_firsts := v_next_firsts || cardinality(v_next_rates) + 1;
    v_result.next_rates := v_next_rates;
  end if;
  return v_result;
end
$$;

-- The fee of the stay by this tariff. Holidays and overridden dates: from the day before entry to a fortnight after exit.
-- p_detail adds segments, windows and, with a refusal, the next known rate. p_offset: private.steady_offset of the stay,
-- if the caller has it.
create or replace function private.walk_fee(
  p_tariff private.tariff,
  p_time_zone text,
  p_holidays date[],
  p_overridden date[],
  p_entry timestamptz,
  p_exit timestamptz,
  p_detail boolean,
  p_offset bigint default null
) returns private.fee_walk
language plpgsql immutable parallel safe
set search_path = ''
as $$
declare
  c_day constant bigint := 86400000000;
  c_entry constant bigint := extract(epoch from p_entry) * 1000000;
  c_exit constant bigint := extract(epoch from p_exit) * 1000000;
  c_steady constant bigint := coalesce(p_offset, private.steady_offset(p_time_zone, c_entry, c_exit));
  c_starts constant bigint[] := p_tariff.starts;
  c_ends constant bigint[] := p_tariff.ends;
  c_units constant bigint[] := p_tariff.units;
  c_prices constant bigint[] := p_tariff.prices;
  c_cap_types constant text[] := p_tariff.cap_types;
  c_cap_spans constant bigint[] := p_tariff.cap_spans;
  c_cap_prices constant bigint[] := p_tariff.cap_prices;
  c_cap_repeats constant boolean[] := p_tariff.cap_repeats;
  c_plan_sets constant date[] := p_tariff.plan_sets;
  c_plan_bits constant integer[] := p_tariff.plan_bits;
  c_plan_masks constant integer[] := p_tariff.plan_masks;
  c_plan_firsts constant integer[] := p_tariff.plan_firsts;
  c_plan_from constant date[] := p_tariff.plan_from;
  c_plan_to constant date[] := p_tariff.plan_to;
  c_closed_from constant bigint[] := p_tariff.closed_from;
  c_closed_to constant bigint[] := p_tariff.closed_to;
  c_edges constant bigint[] := p_tariff.edges;
  c_edge_rules constant integer[] := p_tariff.edge_rules;
  c_max_units constant integer[] := p_tariff.max_units;
  c_next_firsts constant integer[] := p_tariff.next_firsts;
  c_next_rates constant integer[] := p_tariff.next_rates;
  c_series constant integer[] := p_tariff.series;
  c_series_rates constant integer[] := p_tariff.series_rates;
  c_series_plain constant boolean[] := p_tariff.series_plain;
  c_series_count constant integer := coalesce(cardinality(p_tariff.series), 0);
  v_result private.fee_walk;
  v_now bigint := c_entry;
  v_total bigint := 0;
  -- The part of a day that contains now, without a jump of the wall clock, and the edges of its plan.
  v_piece_end bigint := c_entry;
  v_offset bigint := c_steady;
  v_midnight bigint;
  v_day bigint;
  v_date date;
  v_plan integer;
  v_edge integer;
  v_last_edge integer;
  v_edge_end bigint;
  v_closed integer := 1; -- the closed hours that contain now, or the next ones
  -- Initial rows; those from v_stage on are still to come.
  v_stages integer[] := '{}';
  v_stage integer := 1;
  -- One element per series of caps: the window that contains now.
  v_window_end bigint[] := array_fill(c_entry, array[c_series_count]);
  v_window_start bigint[] := v_window_end;
  v_window_cap integer[] := array_fill(0, array[c_series_count]); -- the row that counts; 0: none
  v_window_room bigint[] := array_fill(null::bigint, array[c_series_count]);
  v_window_saved bigint[] := v_window_room;
  v_window_reached bigint[] := v_window_room;
  v_window record;
  v_first integer;
  v_cap integer;
  -- The rate that begins now.
  v_rule integer;
  v_kind text;
  v_length bigint;
  v_price bigint;
  v_until bigint;
  v_units bigint;
  v_gross bigint;
  v_net bigint;
  v_room bigint;
  v_binding integer;
  -- Of rates with max_units: how many units began in which occurrence of the band, by the day on which it begins.
  v_occurrence bigint;
  v_occurrences bigint[];
  v_begun integer[];
  v_next integer; -- in c_next_rates
  v_left integer; -- of the rate that begins now; null: any number
  -- Detail.
  v_segments private.fee_segment[] := '{}';
  v_line integer := 0;
  v_line_rule integer := 0;
  v_windows private.fee_window[] := '{}';
begin
  if c_exit = c_entry then
    v_result.total := 0;
    return v_result;
  elsif p_tariff.rule_ids is null then
    v_result.refusal := 'no_rules';
    return v_result;
  end if;

  if p_tariff.has_entry_rows then
    v_offset := coalesce(c_steady, private.clock_offset(p_time_zone, c_entry));
    foreach v_rule in array private.rows_at_entry(p_tariff, 'grace', p_holidays, p_overridden, c_entry + v_offset) loop
      if c_exit - c_entry <= c_units[v_rule] then
        v_result.total := 0;
        v_result.segments := array[row (1, 'grace', v_rule, c_entry, 1, c_exit - c_entry, 0, 0, null)::private.fee_segment];
        v_result.windows := v_windows;
        return v_result;
      end if;
    end loop;
    if 'published_total' = any (p_tariff.families) then
      v_stages := private.rows_at_entry(p_tariff, 'published_total', p_holidays, p_overridden, c_entry + v_offset);
      if v_stages <> '{}' then
        return private.walk_of_totals(p_tariff, v_stages, p_time_zone, p_overridden, c_entry, c_exit, c_steady);
      end if;
    end if;
    v_stages := private.rows_at_entry(p_tariff, 'initial', p_holidays, p_overridden, c_entry + v_offset);
  end if;

  -- After a refusal it only looks for the next rate.
  while v_now < c_exit or v_result.refusal is not null loop
    if c_closed_from is not null then
      while v_now >= c_closed_to[v_closed] loop
        v_closed := v_closed + 1;
      end loop;
      -- No unit begins while the lot is closed.
      if v_now >= c_closed_from[v_closed] then
        v_now := c_closed_to[v_closed];
        v_line_rule := 0;
        continue;
      end if;
    end if;

    if v_now >= v_piece_end then
      v_offset := coalesce(c_steady, private.clock_offset(p_time_zone, v_now));
      v_day := private.day_number(v_now + v_offset);
      v_date := date '1970-01-01' + v_day::integer;
      v_midnight := v_day * c_day - v_offset;
      v_piece_end := v_midnight + c_day;
      if c_steady is null and private.clock_offset(p_time_zone, v_piece_end) <> v_offset then
        v_piece_end := private.clock_change(p_time_zone, v_now, v_piece_end);
      end if;
      v_plan := private.plan_of_day(c_plan_sets, c_plan_bits, c_plan_masks,
        case when v_date = any (p_overridden) then v_date end, private.date_bits(v_date, p_holidays),
        c_plan_from, c_plan_to, v_date);
      v_edge := case when v_plan = 0 then 0 else c_plan_firsts[v_plan] - 1 end;
      v_last_edge := case when v_plan = 0 then 0 else c_plan_firsts[v_plan + 1] - 1 end;
      v_edge_end := case when v_plan = 0 then v_piece_end else v_now end;
    end if;

    if v_stage <= cardinality(v_stages) then
      v_rule := v_stages[v_stage];
      v_stage := v_stage + 1;
      v_kind := 'initial';
      v_length := c_units[v_rule];
      v_until := v_now + 1;
    else
      while v_now >= v_edge_end loop
        v_edge := v_edge + 1;
        v_edge_end := case when v_edge < v_last_edge then least(v_midnight + c_edges[v_edge + 1], v_piece_end)
          else v_piece_end end;
      end loop;
      v_until := v_edge_end;
      v_rule := case when v_last_edge = 0 then 0 else c_edge_rules[v_edge] end;
      v_left := null;
      v_next := c_next_firsts[v_edge];
      while c_max_units[v_rule] is not null loop
        v_occurrence := v_day
          - (c_starts[v_rule] >= c_ends[v_rule] and v_now - v_midnight < c_starts[v_rule])::integer;
        v_left := c_max_units[v_rule] - case when v_occurrences[v_rule] = v_occurrence then v_begun[v_rule] else 0 end;
        exit when v_left > 0;
        v_rule := case when v_next < c_next_firsts[v_edge + 1] then c_next_rates[v_next] else 0 end;
        v_next := v_next + 1;
        v_left := null;
      end loop;
      if v_rule = 0 then
        if v_result.refusal is null then
          v_result.refusal := 'no_rate';
          v_result.refused_from := v_now;
          v_result.segments := v_segments;
        end if;
        if not p_detail or v_now > v_result.refused_from + 14 * c_day then
          return v_result;
        end if;
        v_now := v_until;
        continue;
      elsif v_result.refusal is not null then
        v_result.known_from := v_now;
        return v_result;
      end if;
      v_length := c_units[v_rule];
      v_kind := 'rate';
      if v_length is null then
        v_kind := 'flat';
        v_until := v_now + 1;
        if c_starts[v_rule] is null then
          v_length := c_exit - v_now;
        else
          v_length := private.clock_instant(p_time_zone, v_day * c_day + c_ends[v_rule]
            + case when c_starts[v_rule] < c_ends[v_rule] or v_now - v_midnight < c_starts[v_rule] then 0 else c_day end,
            c_steady) - v_now;
        end if;
      end if;
    end if;
    v_price := c_prices[v_rule];
    if c_exit < v_until then v_until := c_exit; end if;
    if c_closed_from[v_closed] < v_until then v_until := c_closed_from[v_closed]; end if;

    -- The windows that contain now, and the smallest remainder among them.
    v_room := null;
    v_binding := 0;
    for v_s in 1..c_series_count loop
      continue when c_series_rates[v_s] <> 0 and c_series_rates[v_s] <> v_rule;
      if v_now >= v_window_end[v_s] then
        v_first := c_series[v_s];
        v_window := private.window_at(c_cap_types[v_first], c_cap_spans[v_first], c_starts[v_first], c_ends[v_first],
          c_entry, c_exit, v_now, v_day, p_time_zone, c_steady);
        v_cap := 0;
        if v_window.starts is null then
          null;
        elsif c_series_plain[v_s] then
          if v_window.is_first or c_cap_repeats[v_first] then v_cap := v_first; end if;
        else
          v_cap := private.cap_of_window(p_tariff, v_first, v_window.is_first, p_holidays, p_overridden,
            greatest(v_window.starts, c_entry)
              + coalesce(c_steady, private.clock_offset(p_time_zone, greatest(v_window.starts, c_entry))));
        end if;
        if p_detail then
          if v_window_cap[v_s] <> 0 then
            v_windows := v_windows || row (
              v_window_cap[v_s], v_window_start[v_s], v_window_end[v_s], v_window_room[v_s], v_window_saved[v_s],
              v_window_reached[v_s]
            )::private.fee_window;
          end if;
          v_window_start[v_s] := v_window.starts;
          v_window_cap[v_s] := v_cap;
          v_window_saved[v_s] := 0;
          v_window_reached[v_s] := case when c_cap_prices[v_cap] = 0 then v_now end;
        end if;
        v_window_end[v_s] := v_window.ends;
        v_window_room[v_s] := c_cap_prices[v_cap]; -- null without a row
      end if;
      if v_window_end[v_s] < v_until then v_until := v_window_end[v_s]; end if;
      if v_window_room[v_s] < v_room or (v_room is null and v_window_room[v_s] is not null) then
        v_room := v_window_room[v_s];
        v_binding := v_s;
      end if;
    end loop;

    -- As many units as begin before the next change.
    v_units := (v_until - v_now + v_length - 1) / v_length;
    if v_left is not null then
      v_units := least(v_units, v_left);
      v_occurrences[v_rule] := v_occurrence;
      v_begun[v_rule] := c_max_units[v_rule] - v_left + v_units;
    end if;
    v_gross := v_units * v_price;
    v_net := v_gross;
    if v_binding <> 0 then
      if v_room < v_gross then v_net := v_room; end if;
      if v_net > 0 then
        for v_s in 1..c_series_count loop
          continue when v_window_room[v_s] is null or (c_series_rates[v_s] <> 0 and c_series_rates[v_s] <> v_rule);
          v_window_room[v_s] := v_window_room[v_s] - v_net;
          if p_detail and v_window_room[v_s] = 0 then
            v_window_reached[v_s] := v_now + ((v_net + v_price - 1) / v_price - 1) * v_length;
          end if;
        end loop;
      end if;
      if p_detail and v_net < v_gross then
        v_window_saved[v_binding] := v_window_saved[v_binding] + v_gross - v_net;
      end if;
    end if;
    v_total := v_total + v_net;
    if p_detail then
      if v_rule <> v_line_rule then
        v_line := v_line + 1;
        v_line_rule := v_rule;
      end if;
      v_segments := v_segments || row (
        v_line, v_kind, v_rule, v_now, v_units, v_length, v_price, v_net, v_room
      )::private.fee_segment;
    end if;
    v_now := v_now + v_units * v_length;
  end loop;

  v_result.total := v_total;
  for v_s in 1..case when p_detail then c_series_count else 0 end loop
    continue when v_window_cap[v_s] = 0;
    v_windows := v_windows || row (
      v_window_cap[v_s], v_window_start[v_s], v_window_end[v_s], v_window_room[v_s], v_window_saved[v_s],
      v_window_reached[v_s]
    )::private.fee_window;
  end loop;
  v_result.segments := v_segments;
  v_result.windows := v_windows;
  return v_result;
end
$$;

-- The fee of the simplest stay: within one day, one metered rate from entry to exit, below every cap. It equals
-- private.walk_fee and takes a third of the time. Null: use private.walk_fee. Times in microseconds since 1970; for a
-- tariff without rows of date overrides.
create or replace function private.plain_fee(p_tariff private.tariff, p_holidays date[], p_entry bigint, p_exit bigint, p_offset bigint)
returns bigint
language plpgsql immutable parallel safe
set search_path = ''
as $$
declare
  c_day constant bigint := 86400000000;
  c_local constant bigint := p_entry + p_offset;
  c_from constant bigint := (c_local % c_day + c_day) % c_day; -- by the wall clock
  c_upto constant bigint := c_from + p_exit - p_entry;
  c_date constant date := date '1970-01-01' + ((c_local - c_from) / c_day)::integer;
  v_plan integer;
  v_rule integer := 0;
  v_fee bigint;
begin
  if c_upto > c_day or p_exit = p_entry or p_tariff.closed_from is not null then
    return null;
  end if;
  if p_tariff.has_entry_rows then
    for v_entry_rule in 1..cardinality(p_tariff.families) loop
      if p_tariff.families[v_entry_rule] in ('initial', 'published_total')
        or (p_tariff.families[v_entry_rule] = 'grace' and p_tariff.units[v_entry_rule] >= p_exit - p_entry)
      then
        return null;
      end if;
    end loop;
  end if;
  v_plan := private.plan_of_day(p_tariff.plan_sets, p_tariff.plan_bits, p_tariff.plan_masks, null,
    private.date_bits(c_date, p_holidays), p_tariff.plan_from, p_tariff.plan_to, c_date);
  if v_plan = 0 then
    return null;
  end if;
  for v_edge in p_tariff.plan_firsts[v_plan]..p_tariff.plan_firsts[v_plan + 1] - 1 loop
    if p_tariff.edges[v_edge] <= c_from then
      v_rule := p_tariff.edge_rules[v_edge];
    elsif p_tariff.edges[v_edge] < c_upto then
      return null;
    end if;
  end loop;
  -- Null without a rate, or with a flat rate.
  v_fee := (p_exit - p_entry + p_tariff.units[v_rule] - 1) / p_tariff.units[v_rule] * p_tariff.prices[v_rule];
  return case when p_tariff.max_units[v_rule] is null and v_fee <= all (array_remove(p_tariff.cap_prices, null)) then v_fee end;
end
$$;

-- A tariff of these rules of another one, each as a row of this date (null: the lot's own rule), with its series and plans.
create or replace function private.picked_tariff(p_tariff private.tariff, p_rules integer[], p_sets date[]) returns private.tariff
language plpgsql immutable
set search_path = ''
as $$
declare
  v_result private.tariff;
begin
  select array_agg(p_tariff.rule_ids[r.rule] order by r.n), array_agg(p_tariff.families[r.rule] order by r.n),
    array_agg(r.set_date order by r.n), array_agg(p_tariff.day_bits[r.rule] order by r.n),
    array_agg(p_tariff.starts[r.rule] order by r.n), array_agg(p_tariff.ends[r.rule] order by r.n),
    array_agg(p_tariff.units[r.rule] order by r.n), array_agg(p_tariff.prices[r.rule] order by r.n),
    array_agg(p_tariff.cap_types[r.rule] order by r.n), array_agg(p_tariff.cap_spans[r.rule] order by r.n),
    array_agg(p_tariff.cap_prices[r.rule] order by r.n), array_agg(p_tariff.cap_repeats[r.rule] order by r.n),
    bool_or(p_tariff.families[r.rule] in ('grace', 'initial', 'published_total')),
    case when p_tariff.from_dates is not null then array_agg(case when r.set_date is null then p_tariff.from_dates[r.rule] end order by r.n) end,
    case when p_tariff.from_dates is not null then array_agg(case when r.set_date is null then p_tariff.to_dates[r.rule] end order by r.n) end,
    case when p_tariff.max_units is not null then array_agg(p_tariff.max_units[r.rule] order by r.n) end
  into v_result.rule_ids, v_result.families, v_result.sets, v_result.day_bits, v_result.starts, v_result.ends,
    v_result.units, v_result.prices, v_result.cap_types, v_result.cap_spans, v_result.cap_prices, v_result.cap_repeats,
    v_result.has_entry_rows, v_result.from_dates, v_result.to_dates, v_result.max_units
  from unnest(p_rules, p_sets) with ordinality as r (rule, set_date, n);
  v_result.free_while_closed := p_tariff.free_while_closed;
  v_result.closed_from := p_tariff.closed_from;
  v_result.closed_to := p_tariff.closed_to;
  return case when v_result.rule_ids is not null then private.with_plans(private.with_series(v_result)) end;
end
$$;

-- The pricing rules of a lot after the sort keys p_after, at most p_limit (null: all), with the sort keys of each. Those
-- of the default group come first, then group by group, in rule_order.
create or replace function private.pricing_rules_after(p_lot_id uuid, p_after jsonb, p_limit integer)
returns table (item jsonb, keys jsonb)
language plpgsql stable
set search_path = ''
as $$
begin
  return query
  select jsonb_build_object(
      'id', r.id, 'parking_lot_id', r.parking_lot_id, 'pricing_group_id', r.pricing_group_id, 'category', r.category,
      'rule_order', r.rule_order, 'time_start', private.clock_text(r.time_start), 'time_end', private.clock_text(r.time_end),
      'day_type', r.day_type, 'per_minutes', r.per_minutes, 'price_minor', r.price_minor, 'cap_type', r.cap_type,
      'cap_duration_hours', r.cap_duration_hours, 'cap_price_minor', r.cap_price_minor, 'cap_repeat', r.cap_repeat,
      'effective_from', r.effective_from, 'effective_to', r.effective_to, 'max_units', r.max_units
    ),
    jsonb_build_array(k.group_place, k.display_order, k.group_id, r.rule_order, r.id)
  from public.pricing_rules r
  left join public.pricing_groups g on g.id = r.pricing_group_id and not g.is_default
  cross join lateral (
    select (g.id is not null)::integer as group_place, coalesce(g.display_order, 0) as display_order,
      coalesce(g.id, '00000000-0000-0000-0000-000000000000') as group_id
  ) k
  where r.parking_lot_id = p_lot_id and (
    p_after is null or (k.group_place, k.display_order, k.group_id, r.rule_order, r.id) > (
      (p_after ->> 0)::integer, (p_after ->> 1)::integer, (p_after ->> 2)::uuid, (p_after ->> 3)::integer, (p_after ->> 4)::uuid
    )
  )
  order by k.group_place, k.display_order, k.group_id, r.rule_order, r.id
  limit p_limit;
end
$$;

create or replace function api.export_parking_lots(
  p_ids uuid[] default null, p_limit integer default 500, p_cursor text default null
) returns jsonb
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_custom_plan -- a page of some lots and a page of all lots need different plans
as $$
declare
  v_filters jsonb := jsonb_build_object('list', 'exported_parking_lots', 'ids', to_jsonb(p_ids));
  v_after jsonb := private.page_start(v_filters, p_cursor, '{uuid}', 'asc');
begin
  perform private.optional_user();
  if p_limit is null or p_limit not between 1 and 500 then
    perform private.raise_error('validation_error', 422, 'limit must be between 1 and 500.', p_param => 'limit');
  elsif cardinality(p_ids) > 100 then
    perform private.raise_error('validation_error', 422, 'ids must have at most 100 values.', p_param => 'ids');
  end if;
  perform private.require_counted_read();
  return private.page(v_filters, (
    select jsonb_agg(to_jsonb(l) order by l.id)
    from (
      select l.id, l.name, l.name_kana, l.address, l.lat, l.lng, l.area, l.total_spaces, l.structure, l.max_height_m,
        l.max_width_m, l.max_length_m, l.max_weight_t, l.min_clearance_cm, l.max_tire_width_mm,
        l.max_parking_duration_min, l.entry_method, l.entry_difficulty, l.phone, l.website, l.time_zone,
        l.holiday_calendar, l.currency, l.operator_code, o.name as operator_name, l.source, l.external_id, l.source_url,
        l.licence, l.attribution, l.updated_at, coalesce(g.free_while_closed, false) as free_while_closed,
        coalesce(t.tags, '{}') as tags, coalesce(w.windows, '[]') as windows, coalesce(r.rules, '[]') as rules
      from (
        select p.id from public.parking_lots p
        where p.status = 'active' and p.id > (v_after ->> 0)::uuid and (p_ids is null or p.id = any (p_ids))
        order by p.id
        limit p_limit + 1
      ) page
      join public.parking_lots l on l.id = page.id
      left join public.operators o on o.id = l.operator_code
      left join public.pricing_groups g on g.parking_lot_id = l.id and g.is_default
      cross join lateral (
        select jsonb_object_agg(tag.slug, lt.state) as tags
        from public.parking_lot_tags lt join public.tags tag on tag.id = lt.tag_id
        where lt.parking_lot_id = l.id and lt.state is not null
      ) t
      cross join lateral (
        select jsonb_agg(jsonb_build_object(
          'day_type', h.day_type, 'day_of_week', h.day_of_week, 'is_24h', h.is_24h, 'is_closed', h.is_closed,
          'open_time', private.clock_text(h.open_time), 'close_time', private.clock_text(h.close_time),
          'effective_from', h.effective_from, 'effective_to', h.effective_to
        ) order by h.day_type, h.day_of_week, h.open_time, h.id) as windows
        from public.parking_lot_windows h where h.parking_lot_id = l.id and h.window_type = 'business'
      ) w
      cross join lateral (
        select jsonb_agg(jsonb_build_object(
          'category', p.category, 'rule_order', p.rule_order, 'time_start', private.clock_text(p.time_start),
          'time_end', private.clock_text(p.time_end), 'day_type', p.day_type, 'per_minutes', p.per_minutes,
          'price_minor', p.price_minor, 'cap_type', p.cap_type, 'cap_duration_hours', p.cap_duration_hours,
          'cap_price_minor', p.cap_price_minor, 'cap_repeat', p.cap_repeat, 'effective_from', p.effective_from,
          'effective_to', p.effective_to, 'max_units', p.max_units
        ) order by p.rule_order, p.id) as rules
        from public.pricing_rules p
        where p.parking_lot_id = l.id and (p.pricing_group_id is null or p.pricing_group_id = g.id)
      ) r
    ) l
  ), '{id}', p_limit);
end
$$;

-- Makes the pricing rules outside of groups exactly those of the stage, for lots whose stage has prices.
create or replace function private.merge_staged_pricing() returns void
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

-- Raises validation_error for pricing rules of one group and kind that are for the same days and hours, both with dates,
-- if their dates overlap. A rule without dates is the usual price, which one with dates may replace by its rule_order.
create or replace function private.check_rule_dates(p_rules jsonb) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_found record;
begin
  with rules as (
    select r.nth, daterange(t.effective_from, t.effective_to, '[]') as dates, jsonb_build_array(
        t.pricing_group_id, case when t.category = 'flat' then 'time_band' else t.category end, coalesce(t.day_type, 'all'),
        t.time_start, nullif(t.time_end, '24:00'), t.cap_type, t.cap_duration_hours
      ) as of_days
    from jsonb_array_elements(p_rules) with ordinality as r (value, nth)
    cross join lateral jsonb_populate_record(null::public.pricing_rules, r.value) as t
    -- Several initial rules follow one another, as rates do after max_units; of several grace rules the longest counts.
    where t.category in ('time_band', 'flat', 'cap') and t.max_units is null
      and num_nonnulls(t.effective_from, t.effective_to) > 0
  )
  select a.nth - 1 as first, b.nth - 1 as nth into v_found
  from rules a join rules b on a.nth < b.nth and a.of_days = b.of_days and a.dates && b.dates
  order by b.nth, a.nth limit 1;
  if found then
    perform private.raise_error('validation_error', 422,
      format('Rules %s and %s are for the same days and hours, and their dates overlap. Change the dates of one of them.', v_found.first, v_found.nth),
      p_param => format('pricing_rules.%s.effective_from', v_found.nth));
  end if;
end
$$;

-- The rates of a lot that never apply, because other rules take precedence at all times of all kinds of days of their dates.
create or replace function private.idle_rules(p_lot_id uuid) returns uuid[]
language plpgsql stable
security definer -- compiled price lists are private; returns only ids of the lot's own rules, to the service
set search_path = ''
as $$
begin
  return array(
    select (t.tariff).rule_ids[r.nth]
    from private.tariffs t
    cross join lateral generate_subscripts((t.tariff).families, 1) as r (nth)
    where t.parking_lot_id = p_lot_id and (t.tariff).families[r.nth] = 'rate'
      and r.nth <> all (coalesce((t.tariff).edge_rules || (t.tariff).next_rates, '{}'))
  );
end
$$;
