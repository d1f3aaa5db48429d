-- Lots that publish only the sums of some stays: a pricing rule of the category published_total. The fee of such a stay is
-- exact. Between two of them it is unknown, and the refusal has its bounds.
--
-- The definitions are those of supabase/schemas after this change. The way back is a file of its own.

set lock_timeout = '2s';

alter domain private.pricing_rule drop constraint category_is_known;
alter domain private.pricing_rule add constraint category_is_known
  check (coalesce((value).category in ('time_band', 'flat', 'initial', 'grace', 'cap', 'published_total'), false));
alter domain private.pricing_rule drop constraint metered_rule_has_minutes;
alter domain private.pricing_rule add constraint metered_rule_has_minutes
  check ((value).category not in ('time_band', 'initial', 'grace', 'published_total') or (value).per_minutes is not null);
alter domain private.pricing_rule drop constraint priced_rule_has_price;
alter domain private.pricing_rule add constraint priced_rule_has_price
  check ((value).category not in ('time_band', 'initial', 'flat', 'published_total') or (value).price_minor is not null);
alter domain private.pricing_rule drop constraint initial_and_grace_have_no_cap;
alter domain private.pricing_rule add constraint initial_and_grace_have_no_cap
  check ((value).category not in ('initial', 'grace', 'published_total') or (value).cap_type is null);
comment on constraint metered_rule_has_minutes on domain private.pricing_rule is
  'per_minutes is required for the categories time_band, initial, grace and published_total.';
comment on constraint priced_rule_has_price on domain private.pricing_rule is
  'price_minor is required for the categories time_band, initial, flat and published_total.';
comment on constraint initial_and_grace_have_no_cap on domain private.pricing_rule is
  'cap_type must be null for the categories initial, grace and published_total.';

alter type private.fee_walk add attribute at_least bigint, add attribute at_most bigint;

comment on column public.pricing_rules.category is
  'time_band: metered; flat: one price to the end of its band or stay; initial: price of the first minutes; grace: free if not longer; cap: maximum price; published_total: price of a stay of per_minutes.';

insert into public.codes (category_id, code, lang, display_label, sort_order) values
  ('fee_line_kind', 'published_total', 'ja', '掲示された合計料金', 60),
  ('fee_line_kind', 'published_total', 'en', 'Published total', 60),
  ('fee_unknown_reason', 'only_totals', 'ja', 'この駐車時間の料金は公表されていません', 25),
  ('fee_unknown_reason', 'only_totals', 'en', 'The total of this length of stay is not published', 25),
  ('pricing_category', 'published_total', 'ja', '掲示された合計料金', 60),
  ('pricing_category', 'published_total', 'en', 'Published total', 60);

drop function private.fee_refusal(private.fee_walk, boolean);
drop function private.stay_fees(uuid[], text, timestamptz, timestamptz);
drop function private.nearby_ranking(uuid[], double precision[], bigint[], integer, text, timestamptz, timestamptz);

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
      per_minutes,price_minor,cap_type,cap_duration_hours,cap_price_minor,cap_repeat}'::text[] <> '{}' then
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
      r.cap_duration_hours, r.cap_price_minor, r.cap_repeat, r.effective_from, r.effective_to
    from public.pricing_rules r
    left join public.pricing_groups g on g.id = r.pricing_group_id
    where r.parking_lot_id = any (p_lot_ids)
    union all
    -- The prices of a date apply to every group.
    select l.parking_lot_id, l.group_id, null, o.override_date, n.place::integer,
      t.category, coalesce(t.rule_order, n.place::integer), t.time_start, t.time_end, t.day_type, t.per_minutes,
      t.price_minor, t.cap_type, t.cap_duration_hours, t.cap_price_minor, t.cap_repeat, null, null
    from lists l
    join public.parking_lot_date_overrides o on o.parking_lot_id = l.parking_lot_id
    cross join jsonb_array_elements(o.pricing) with ordinality as n (rule, place)
    cross join jsonb_populate_record(null::private.pricing_terms, n.rule) as t
    where o.override_date between p_from and p_to
  ), ordered as (
    select r.parking_lot_id, r.group_id, r.id, r.set_date, r.per_minutes, r.price_minor, r.cap_type,
      r.cap_duration_hours, r.cap_price_minor, r.cap_repeat, r.effective_from, r.effective_to, l.free_while_closed,
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
      null, null, nullif(bool_or(o.free_while_closed), false), null, null
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

-- The lower bounds of the fees of a tariff of the lot's own rules, without rows of date overrides.
create or replace function private.tariff_bounds(
  p_tariff private.tariff, out longest_grace bigint, out initial_time bigint, out least_rate double precision, out least_price bigint
)
language plpgsql immutable
set search_path = ''
as $$
declare
  c_families constant text[] := p_tariff.families;
  c_units constant bigint[] := p_tariff.units;
  c_prices constant bigint[] := p_tariff.prices;
  c_cap_prices constant bigint[] := p_tariff.cap_prices;
begin
  longest_grace := 0;
  initial_time := 0;
  for v_rule in 1..coalesce(cardinality(c_families), 0) loop
    if c_families[v_rule] = 'grace' then
      longest_grace := greatest(longest_grace, c_units[v_rule]);
    elsif c_families[v_rule] = 'initial' then
      initial_time := initial_time + c_units[v_rule];
    elsif c_families[v_rule] = 'published_total' or (c_families[v_rule] = 'rate' and c_units[v_rule] is null) then
      least_price := least(least_price, c_prices[v_rule]);
    elsif c_families[v_rule] = 'rate' then
      least_rate := least(least_rate, c_prices[v_rule]::double precision / c_units[v_rule]);
    end if;
    least_price := least(least_price, c_cap_prices[v_rule]);
  end loop;
  if p_tariff.free_while_closed then
    least_price := 0;
  end if;
end
$$;

-- The lowest average price per microsecond of a stay after its initial rows; 0 where it depends on the length of the
-- stay. For a compiled tariff of the lot's own rules.
-- Let J be the window of a cap that was reached, extended by the longest unit, because the last unit that it makes free may
-- end after it. All free time is in some J, and a window that was reached costs the price of its cap. With one series of
-- caps no two windows overlap, so that the time in all J costs cap / J or more. With several series, some of the windows
-- that do not overlap cover half of that time or more. All other time is paid at its rate.
create or replace function private.least_pace(p_tariff private.tariff) returns double precision
language plpgsql immutable
set search_path = ''
as $$
declare
  c_hour constant bigint := 3600000000;
begin
  return (
    with terms as (
      select r.family, r.unit, r.price, r.cap_type, r.cap_span, r.cap_price,
        -- The length of a band; the clock may be set back in it.
        case when r.starts < r.ends then r.ends - r.starts else r.ends - r.starts + 24 * c_hour end + c_hour as band
      from unnest(
        p_tariff.families, p_tariff.units, p_tariff.prices, p_tariff.cap_types, p_tariff.cap_spans, p_tariff.cap_prices,
        p_tariff.starts, p_tariff.ends
      ) as r (family, unit, price, cap_type, cap_span, cap_price, starts, ends)
    ), spans as (
      -- Null: as long as the stay.
      select t.price, coalesce(t.unit, t.band) as unit, t.family, t.cap_price,
        case t.cap_type when 'duration' then t.cap_span when 'day' then 25 * c_hour when 'band' then t.band end as cap_span
      from terms t
    )
    select case
        when p_tariff.free_while_closed or bool_or(s.family = 'published_total' or (s.family = 'rate' and s.unit is null)) or bool_or(s.cap_price is not null and s.cap_span is null) then 0
        else coalesce(least(
          min(s.price::double precision / s.unit) filter (where s.family = 'rate'),
          min(s.cap_price::double precision / (s.cap_span + l.longest)) / case when cardinality(p_tariff.series) > 1 then 2 else 1 end
        ), 0) end
    from spans s
    cross join (select max(u.unit) as longest from spans u where u.family = 'rate') l
  );
end
$$;

-- The rows of a family (grace, initial, published_total) in force at entry (p_local) that have the most specific day type, in rule_order.
create or replace function private.rows_at_entry(
  p_tariff private.tariff, p_family text, p_holidays date[], p_overridden date[], p_local bigint
) returns integer[]
language plpgsql immutable parallel safe
set search_path = ''
as $$
declare
  c_day constant bigint := private.day_number(p_local);
  c_date constant date := date '1970-01-01' + c_day::integer;
  c_set constant date := case when c_date = any (p_overridden) then c_date end;
  c_families constant text[] := p_tariff.families;
  c_sets constant date[] := p_tariff.sets;
  c_bits constant integer[] := p_tariff.day_bits;
  c_from_dates constant date[] := p_tariff.from_dates;
  c_to_dates constant date[] := p_tariff.to_dates;
  v_family integer[] := '{}';
  v_date_bits integer := private.date_bits(c_date, p_holidays);
  v_bits integer := 0;
  v_best integer;
  v_rule integer;
  v_rows integer[] := '{}';
begin
  for v_rule in 1..cardinality(c_families) loop
    if c_families[v_rule] = p_family and c_sets[v_rule] is not distinct from c_set
      and private.is_in_effect(c_from_dates[v_rule], c_to_dates[v_rule], c_date)
    then
      v_family := v_family || v_rule;
      v_bits := v_bits | c_bits[v_rule];
    end if;
  end loop;
  v_bits := private.bits_in_force(v_date_bits, v_bits);
  -- The most specific day type comes first.
  foreach v_rule in array v_family loop
    exit when c_bits[v_rule] <> v_best;
    if c_bits[v_rule] & v_bits <> 0
      and private.band_holds(p_tariff.starts[v_rule], p_tariff.ends[v_rule], p_local - c_day * 86400000000)
    then
      v_best := c_bits[v_rule];
      v_rows := v_rows || v_rule;
    end if;
  end loop;
  return v_rows;
end
$$;

-- The fee of a stay by these rows of published totals (p_rules), all in force at entry. A price never falls with time: a
-- stay costs at least what a shorter one does, and at most what a longer one does. Where both are the same, that is the fee.
create function private.walk_of_totals(
  p_tariff private.tariff, p_rules integer[], p_time_zone text, p_overridden date[], p_entry bigint, p_exit bigint, p_offset bigint
) returns private.fee_walk
language plpgsql immutable parallel safe
set search_path = ''
as $$
declare
  c_units constant bigint[] := p_tariff.units;
  c_prices constant bigint[] := p_tariff.prices;
  c_first constant bigint := private.day_number(p_entry + coalesce(p_offset, private.clock_offset(p_time_zone, p_entry)));
  c_last constant bigint := private.day_number(p_exit - 1 + coalesce(p_offset, private.clock_offset(p_time_zone, p_exit - 1)));
  v_result private.fee_walk;
  v_rule integer;
  v_next integer; -- the shortest that is not shorter than the stay
begin
  -- Sums that fall with time contradict one another. A date with special prices has no sums of other dates.
  if exists (
    select from (
      select c_prices[r] as price, max(c_prices[r]) over (order by c_units[r]) as most from unnest(p_rules) as r
    ) s
    where s.price < s.most
  ) or exists (select from unnest(p_overridden) as d where d - date '1970-01-01' > c_first and d - date '1970-01-01' <= c_last) then
    v_result.refusal := 'no_rate';
    v_result.refused_from := p_entry;
    return v_result;
  end if;
  v_result.at_least := 0;
  foreach v_rule in array p_rules loop
    if c_units[v_rule] <= p_exit - p_entry then
      v_result.at_least := greatest(v_result.at_least, c_prices[v_rule]);
    end if;
    if c_units[v_rule] >= p_exit - p_entry and (v_next is null or c_units[v_rule] < c_units[v_next]) then
      v_next := v_rule;
    end if;
  end loop;
  v_result.at_most := c_prices[v_next];
  if v_result.at_least < v_result.at_most or v_next is null then
    v_result.refusal := 'only_totals';
    return v_result;
  end if;
  v_result.total := v_result.at_most;
  v_result.segments := array[
    row (1, 'published_total', v_next, p_entry, 1, c_units[v_next], v_result.total, v_result.total, null)::private.fee_segment
  ];
  v_result.windows := '{}';
  v_result.at_least := null;
  v_result.at_most := null;
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
  return case when v_fee <= all (array_remove(p_tariff.cap_prices, null)) then v_fee end;
end
$$;

-- The fee of the stay at each of these lots, in minor units; or null and a refusal: no_rules, no_rate, only_totals,
-- vehicle_type_not_priced. With only_totals the fee is at_least and, if known, at_most so much. Errors: validation_error
-- (exit_at).
create function private.stay_fees(
  p_lot_ids uuid[], p_vehicle_type text, p_entry timestamptz, p_exit timestamptz
) returns table (
  parking_lot_id uuid, amount bigint, currency text, refusal text, at_least bigint, at_most bigint
)
language plpgsql stable rows 50
security definer -- row security would cost a look-up per rule; the caller has chosen lots that the user may see
set search_path = ''
set plan_cache_mode = force_generic_plan -- the arguments do not matter to the plans, and planning costs more than running
as $$
#variable_conflict use_column
declare
  c_entry constant bigint := extract(epoch from p_entry) * 1000000;
  c_exit constant bigint := extract(epoch from p_exit) * 1000000;
  -- The lots of a search have one zone, whose offset need not be calculated for each of them.
  v_time_zone text;
  v_offset bigint;
begin
  perform private.check_stay(p_entry, p_exit);
  if cardinality(p_lot_ids) > 3 then
    select l.time_zone into v_time_zone from public.parking_lots l where l.id = p_lot_ids[1];
    v_offset := private.steady_offset(v_time_zone, c_entry, c_exit);
  end if;
  return query
    select f.parking_lot_id, coalesce(f.plain, (f.walk).total), f.currency,
      case when f.is_priced or (f.walk).refusal is null then (f.walk).refusal else 'vehicle_type_not_priced' end,
      (f.walk).at_least, (f.walk).at_most
    from (
      select s.parking_lot_id, s.currency, s.is_priced, p.plain,
        case when p.plain is null then private.walk_fee(
          case when s.is_priced then s.tariff end, s.time_zone, s.holidays, s.overridden, p_entry, p_exit, false,
          case when s.time_zone = v_time_zone then v_offset end
        ) end as walk
      from private.stay_tariffs(p_lot_ids, p_vehicle_type, p_entry, p_exit) s
      cross join lateral (
        select case when s.is_priced and s.time_zone = v_time_zone and v_offset is not null and s.overridden is null
          then private.plain_fee(s.tariff, s.holidays, c_entry, c_exit, v_offset) end as plain
        offset 0 -- keeps the subquery from being evaluated twice
      ) p
      offset 0
    ) f;
end
$$;

grant execute on function private.stay_fees(uuid[], text, timestamptz, timestamptz) to anon, authenticated;

-- The lots among these at which the stay may cost p_amount or less. At every other lot the fee, or what it is at most, is
-- greater or unknown.
-- Much cheaper than private.stay_fees.
create or replace function private.lots_within_amount(
  p_lot_ids uuid[], p_vehicle_type text, p_entry timestamptz, p_exit timestamptz, p_amount numeric
) returns uuid[]
language plpgsql stable
security definer -- price lists have no policies; the caller has chosen lots that the user may see
set search_path = ''
set plan_cache_mode = force_generic_plan -- the arguments do not matter to the plan, and planning costs more than running
as $$
declare
  c_stay constant bigint := round(extract(epoch from p_exit - p_entry) * 1000000);
begin
  -- Units cover the stay. If no unit is flat and no cap applies, those after the initial rows cost their least rate or more.
  -- A flat unit and a published total cost their price; where a cap applies, its window costs the price of the cap. A long stay has many windows:
  -- those after the initial rows cost their least pace or more. The factor allows for rounding.
  return array(
    select t.parking_lot_id
    from private.tariffs t
    where t.parking_lot_id = any (p_lot_ids) and (t.is_default or p_vehicle_type = any (t.vehicle_types))
      and (
        c_stay <= t.longest_grace or c_stay <= t.initial_time or (
          (t.least_price <= p_amount or t.least_rate * (c_stay - t.initial_time) * 0.999999 <= p_amount)
          and t.least_pace * (c_stay - t.initial_time) * 0.999999 <= p_amount
        )
      )
    union
    select o.parking_lot_id
    from public.parking_lot_date_overrides o
    where o.parking_lot_id = any (p_lot_ids) and o.pricing is not null
      and o.override_date between (p_entry at time zone 'UTC')::date - 2 and (p_exit at time zone 'UTC')::date + 17
  );
end
$$;

-- Raises validation_error if a published total of one of these lots is lower than that of a shorter stay, for the same
-- vehicles, days, hours and dates.
create function private.check_published_totals(p_lot_ids uuid[]) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_minutes integer;
begin
  select s.per_minutes into v_minutes
  from (
    select r.per_minutes, r.price_minor, max(r.price_minor) over (
        partition by r.parking_lot_id, case when not g.is_default then g.id end, coalesce(r.day_type, 'all'), r.time_start,
          r.time_end, r.effective_from, r.effective_to
        order by r.per_minutes
      ) as most
    from public.pricing_rules r
    left join public.pricing_groups g on g.id = r.pricing_group_id
    where r.parking_lot_id = any (p_lot_ids) and r.category = 'published_total'
  ) s
  where s.price_minor < s.most
  order by s.per_minutes limit 1;
  if found then
    perform private.raise_error('validation_error', 422,
      format('The published total of %s minutes is lower than that of a stay that is not longer. Correct one of them.', v_minutes),
      p_param => 'pricing_rules');
  end if;
end
$$;

-- Compiles the price lists of these lots again, and writes their hour_price. Errors: validation_error (pricing_rules).
create or replace function private.refresh_tariffs(p_lot_ids uuid[]) returns uuid[]
language plpgsql
security definer -- no role may write compiled price lists; a role that may write rules may have them compiled
set search_path = ''
as $$
declare
  v_lot_ids uuid[];
  v_changed uuid[];
begin
  -- Locked in one order first: the statements below then see what a concurrent writer of the same lot committed.
  select array_agg(l.id) into v_lot_ids
  from (select id from public.parking_lots where id = any (p_lot_ids) order by id for no key update) l;
  if v_lot_ids is null then
    return '{}';
  end if;
  perform private.check_published_totals(v_lot_ids);
  delete from private.tariffs where parking_lot_id = any (v_lot_ids);
  insert into private.tariffs (
    parking_lot_id, place, is_default, vehicle_types, longest_grace, initial_time, least_rate, least_price, least_pace, tariff,
    changes_on
  )
  select c.parking_lot_id, c.place, c.is_default, c.vehicle_types, b.longest_grace, b.initial_time, b.least_rate,
    b.least_price, private.least_pace(c.tariff), c.tariff,
    private.next_price_date(c.tariff, (now() at time zone l.time_zone)::date)
  from private.compiled_tariffs(v_lot_ids) c
  join public.parking_lots l on l.id = c.parking_lot_id
  cross join lateral private.tariff_bounds(c.tariff) b
  -- A default list without rules has the same meaning as no list.
  where not (c.is_default and c.vehicle_types is null and (c.tariff).rule_ids is null);
  with changed as (
    update public.parking_lots l
    set hour_price = p.hour_price
    from private.hour_prices(v_lot_ids) p
    where l.id = p.parking_lot_id and l.hour_price is distinct from p.hour_price
    returning l.id
  )
  select array_agg(c.id) into v_changed from changed c;
  return coalesce(v_changed, '{}');
end
$$;

-- Lines of a breakdown, as JSON text. First the units in order of time, with consecutive units of one row together; then
-- the reduction by each window of a cap.
create or replace function private.fee_lines(p_tariff private.tariff, p_walk private.fee_walk) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  c_names constant text[] := private.fee_rule_names(p_tariff);
begin
  return (
    select coalesce(string_agg(l.line_json, ',' order by l.part, l.starts, l.place), '')
    from (
      select 1 as part, min(s.starts) as starts, s.line as place,
        '{"kind":"' || s.kind || '",' || c_names[s.rule]
          || ',"from":' || to_json(timestamptz 'epoch' + min(s.starts) * interval '1 microsecond')
          || ',"to":' || to_json(timestamptz 'epoch' + max(s.starts + s.units * s.unit_length) * interval '1 microsecond')
          || ',"units":' || sum(s.units)
          || ',"unit_minutes":' || case when s.kind in ('rate', 'initial', 'published_total') then (min(s.unit_length) / 60000000)::text else 'null' end
          || ',"unit_price":' || s.unit_price || ',"amount":' || sum(s.units) * s.unit_price || '}' as line_json
      from unnest(p_walk.segments) s
      group by s.line, s.kind, s.rule, s.unit_price
      union all
      select 2, w.starts, w.rule,
        '{"kind":"cap",' || c_names[w.rule]
          || ',"from":' || to_json(timestamptz 'epoch' + w.starts * interval '1 microsecond')
          || ',"to":' || to_json(timestamptz 'epoch' + w.ends * interval '1 microsecond')
          || ',"amount":' || -w.saved || '}'
      from unnest(p_walk.windows) w
      where w.saved > 0
    ) l
  );
end
$$;

-- The lot's own rules that did not apply to the fee, each with a code of fee_rule_reason.
create or replace function private.fee_not_applied(p_lot_id uuid, p_tariff private.tariff, p_walk private.fee_walk, p_days private.stay_days[])
returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  c_is_grace constant boolean := p_walk.segments[1].kind = 'grace';
  c_last_kind constant text := p_walk.segments[cardinality(p_walk.segments)].kind;
  c_applied constant integer[] := array(
    select s.rule from unnest(p_walk.segments) s
    union
    select w.rule from unnest(p_walk.windows) w where w.saved > 0 or w.reached is not null
  );
begin
  return (
    with rules as (
      select r.* from unnest(
        p_tariff.rule_ids, p_tariff.families, p_tariff.sets, p_tariff.day_bits, p_tariff.starts, p_tariff.ends, p_tariff.cap_types,
        p_tariff.from_dates, p_tariff.to_dates
      ) with ordinality as r (id, family, set_date, bit, band_from, band_to, cap_type, from_date, to_date, rule)
      where r.set_date is null
    ), days as (
      select d.*, b.family, b.bits as row_bits
      from unnest(p_days) d
      cross join lateral (
        select r.family, bit_or(r.bit) as bits from rules r where private.is_in_effect(r.from_date, r.to_date, d.day) group by r.family
      ) b
      where d.override_date is null and (d.is_entry or b.family in ('rate', 'cap'))
    ), chances as (
      -- Whether a rule is in effect; the days that it could apply to (for a grace or initial row: that of entry), those of its
      -- day type, those of its hours.
      select r.rule, r.id, r.family, exists (
          select from unnest(p_days) o
          where (o.is_entry or r.family in ('rate', 'cap')) and private.is_in_effect(r.from_date, r.to_date, o.day)
        ) as is_in_effect,
        count(d) as days, count(d) filter (where f.fits) as fitting,
        count(d) filter (where f.fits and (
          r.band_from is null or r.cap_type = 'band'
          or case
            when r.family in ('grace', 'initial', 'published_total') then private.band_holds(r.band_from, r.band_to, d.from_us)
            when r.band_from < r.band_to then d.from_us < r.band_to and d.to_us > r.band_from
            else d.from_us < r.band_to or d.to_us > r.band_from
          end
        )) as holding
      from rules r
      left join days d on d.family = r.family and private.is_in_effect(r.from_date, r.to_date, d.day)
      cross join lateral (
        select r.bit & private.bits_in_force(d.bits, d.row_bits) <> 0 as fits
      ) f
      where r.rule <> all (c_applied)
      group by r.rule, r.id, r.family, r.from_date, r.to_date
    ), reasons as (
      select c.rule as place, c.id, case
        when not c.is_in_effect then 'date'
        when c.days = 0 then 'override'
        when c.fitting = 0 then 'day_type'
        when c.holding = 0 then 'time'
        when c_is_grace then 'within_grace'
        when c.family = 'grace' then 'exceeded'
        when c.family = 'cap' and exists (select from unnest(p_walk.windows) w where w.rule = c.rule) then 'not_reached'
        when c.family = 'cap' then 'window'
        when c_last_kind = 'initial' then 'not_reached'
        else 'order'
      end as reason
      from chances c
      union all
      select 1000000 + row_number() over (order by r.pricing_group_id, r.rule_order, r.id), r.id,
        -- A lot whose prices are fixed at entry has a tariff of that date.
        case when l.price_fixed_at_entry and not exists (
          select from unnest(p_days) d where d.is_entry and private.is_in_effect(r.effective_from, r.effective_to, d.day)
        ) then 'date' else 'group' end
      from public.pricing_rules r
      join public.parking_lots l on l.id = r.parking_lot_id
      where r.parking_lot_id = p_lot_id and r.id <> all (array_remove(p_tariff.rule_ids, null))
    )
    select coalesce(jsonb_agg(jsonb_build_object('rule_id', r.id, 'reason', r.reason) order by r.place), '[]') from reasons r
  );
end
$$;

-- Why a fee is unknown: {code, reason, from, until, at_least, at_most, currency}.
create function private.fee_refusal(p_walk private.fee_walk, p_is_priced boolean, p_currency text) returns jsonb
language sql stable
return jsonb_strip_nulls(jsonb_build_object(
  'code', 'fee_unknown', 'reason', case when p_is_priced then p_walk.refusal else 'vehicle_type_not_priced' end,
  'from', private.instant_of_us(p_walk.refused_from), 'until', private.instant_of_us(p_walk.known_from),
  'at_least', p_walk.at_least, 'at_most', p_walk.at_most, 'currency', case when p_walk.at_least is not null then p_currency end
));

-- The fee of a stay and its explanation: answer, {total_amount, currency, breakdown, surprises}; or refusal, {code:
-- fee_unknown, reason, from, until, at_least, at_most, currency}. It does not check whether the caller may see the lot. Errors: validation_error,
-- lot_not_found.
create or replace function private.explained_fee(
  p_lot_id uuid, p_vehicle_type text, p_entry timestamptz, p_exit timestamptz, out answer json, out refusal jsonb
)
language plpgsql stable
security definer -- row security would cost a look-up per rule; the caller has chosen a lot that the user may see
set search_path = ''
set timezone = 'UTC'
set plan_cache_mode = force_generic_plan -- the arguments do not matter to the plans, and planning costs more than running
as $$
declare
  v_lot record;
  v_walk private.fee_walk;
  v_days private.stay_days[];
  v_not_applied jsonb := '[]';
  v_notes text[] := '{}';
  v_surprises jsonb := '[]';
begin
  perform private.check_stay(p_entry, p_exit);
  select s.*, l.max_parking_duration_min * interval '1 minute' as longest, u.tariff as usual into v_lot
  from private.stay_tariffs(array[p_lot_id], p_vehicle_type, p_entry, p_exit) s
  join public.parking_lots l on l.id = s.parking_lot_id
  left join private.usual_tariffs(array[p_lot_id], p_vehicle_type, p_entry, p_exit) u on u.parking_lot_id = s.parking_lot_id;
  if not found then
    perform private.raise_error('lot_not_found', 404, 'There is no such parking lot.');
  end if;
  perform set_config('timezone', v_lot.time_zone, true);
  v_walk := private.walk_fee(
    case when v_lot.is_priced then v_lot.tariff end, v_lot.time_zone, v_lot.holidays, v_lot.overridden, p_entry, p_exit, true
  );
  if v_walk.refusal is not null then
    refusal := private.fee_refusal(v_walk, v_lot.is_priced, v_lot.currency);
    return;
  end if;
  if p_entry < p_exit then
    v_days := private.days_of_stay(v_lot.tariff, v_lot.time_zone, v_lot.holidays, v_lot.overridden, p_entry, p_exit);
    v_not_applied := private.fee_not_applied(p_lot_id, v_lot.tariff, v_walk, v_days);
    v_notes := private.fee_notes(v_lot.tariff, v_walk, v_days, p_exit);
    if p_exit - p_entry > v_lot.longest then
      v_notes := v_notes || 'exceeds_max_duration'::text;
    end if;
    v_surprises := private.surprises_of_stay(
      v_lot.tariff, v_lot.usual, v_lot.time_zone, v_lot.holidays, v_lot.overridden, p_entry, p_exit, v_walk.total,
      v_lot.currency, v_lot.longest,
      (select s.next_exit_at from private.planned_stays(array[p_lot_id], p_entry, p_exit) as s where s.locked_in)
    );
  end if;
  answer := '{"total_amount":' || v_walk.total || ',"currency":' || to_json(v_lot.currency)
    || ',"breakdown":{"time_zone":' || to_json(v_lot.time_zone) || ',"vehicle_type":' || to_json(p_vehicle_type)
    || ',"lines":[' || private.fee_lines(v_lot.tariff, v_walk)
    || '],"caps":[' || private.fee_caps(v_lot.tariff, v_walk)
    || '],"not_applied":' || v_not_applied || ',"notes":' || to_json(v_notes) || '},"surprises":' || v_surprises || '}';
end
$$;

-- A running stay: {amount, currency, next_increase_at, next_amount, cap_reached, known_until, curve, surprises}, or
-- {refusal} as in fee_answer. An increase becomes due after its at. The last point of the curve is the fee of an exit at
-- known_until: 24 hours ahead, or where the rate becomes unknown. surprises: those of an exit then that are still ahead.
create or replace function private.fee_meter(p_lot_id uuid, p_vehicle_type text, p_entry timestamptz, p_now timestamptz) returns jsonb
language plpgsql stable
security definer -- row security would cost a look-up per rule; the caller has chosen a lot that the user may see
set search_path = ''
set timezone = 'UTC'
set plan_cache_mode = force_generic_plan -- the arguments do not matter to the plans, and planning costs more than running
as $$
declare
  v_horizon timestamptz := least(p_now + interval '24 hours', p_entry + interval '8784 hours');
  v_lot record;
  v_walk private.fee_walk;
  v_ahead private.fee_walk;
  v_until timestamptz;
  v_is_in_grace boolean;
  v_grace_until timestamptz;
  v_curve jsonb;
  v_last_amount bigint;
begin
  perform private.check_stay(p_entry, p_now);
  select s.*, l.max_parking_duration_min * interval '1 minute' as longest, u.tariff as usual into v_lot
  from private.stay_tariffs(array[p_lot_id], p_vehicle_type, p_entry, v_horizon) s
  join public.parking_lots l on l.id = s.parking_lot_id
  left join private.usual_tariffs(array[p_lot_id], p_vehicle_type, p_entry, v_horizon) u on u.parking_lot_id = s.parking_lot_id;
  if not found then
    perform private.raise_error('lot_not_found', 404, 'There is no such parking lot.');
  end if;
  perform set_config('timezone', v_lot.time_zone, true);
  if not v_lot.is_priced then
    v_lot.tariff := null;
  end if;
  v_walk := private.walk_fee(v_lot.tariff, v_lot.time_zone, v_lot.holidays, v_lot.overridden, p_entry, p_now, true);
  v_ahead := private.walk_fee(v_lot.tariff, v_lot.time_zone, v_lot.holidays, v_lot.overridden, p_entry, v_horizon, true);
  if v_walk.refusal is not null or v_ahead.refusal = 'no_rules' then
    return jsonb_build_object('refusal', private.fee_refusal(
      case when v_walk.refusal is null then v_ahead else v_walk end, v_lot.is_priced, v_lot.currency
    ));
  end if;
  -- Nothing is charged in grace; when it ends, everything since entry is charged.
  v_grace_until := private.grace_until(v_lot.tariff, v_lot.time_zone, v_lot.holidays, v_lot.overridden, p_entry);
  v_is_in_grace := coalesce(p_now <= v_grace_until, false);
  if 'published_total' = any ((v_lot.tariff).families) and private.rows_at_entry(
    v_lot.tariff, 'published_total', v_lot.holidays, v_lot.overridden, (extract(epoch from p_entry at time zone v_lot.time_zone) * 1000000)::bigint
  ) <> '{}' then
    -- The amount is known up to the published stay that it is for, and not after it.
    v_until := case when v_walk.segments[1].kind = 'published_total'
      then private.instant_of_us(v_walk.segments[1].starts + v_walk.segments[1].unit_length) end;
    if (private.walk_fee(
      v_lot.tariff, v_lot.time_zone, v_lot.holidays, v_lot.overridden, p_entry, coalesce(v_until, p_now), false
    )).total is null then
      v_until := null;
    end if;
    v_ahead.refusal := 'only_totals';
    v_ahead.refused_from := (extract(epoch from coalesce(v_until, p_now)) * 1000000)::bigint;
    v_ahead.segments := '{}';
  end if;
  v_horizon := least(v_horizon, private.instant_of_us(v_ahead.refused_from));
  if v_is_in_grace and v_horizon <= v_grace_until and v_ahead.refusal is not null then
    -- Nothing is due during grace; the fee after it is unknown.
    v_horizon := v_grace_until;
    v_ahead.segments := '{}';
  end if;
  select jsonb_agg(jsonb_build_object('at', c.at, 'amount', c.amount) order by c.at) into v_curve
  from (
    select i.at, v_walk.total + sum(i.increase) over (order by i.at) as amount
    from private.fee_increases(v_ahead, case when v_is_in_grace then p_entry else p_now end, v_grace_until) i
  ) c;
  v_last_amount := coalesce((v_curve -> -1 ->> 'amount')::bigint, v_walk.total);
  return jsonb_build_object(
    'amount', v_walk.total,
    'currency', v_lot.currency,
    'next_increase_at', v_curve -> 0 -> 'at',
    'next_amount', v_curve -> 0 -> 'amount',
    'cap_reached', exists (
      select from unnest(v_walk.windows) w
      where w.room = 0 and (private.instant_of_us(w.ends) > p_now or (v_lot.tariff).cap_types[w.rule] = 'stay')
    ),
    'known_until', v_horizon,
    'curve', coalesce(v_curve, '[]') || jsonb_build_object('at', v_horizon, 'amount', v_last_amount),
    -- A running stay has no exit, so that only the surprises ahead are known.
    'surprises', (
      select coalesce(jsonb_agg(s.surprise order by s.place), '[]')
      from jsonb_array_elements(private.surprises_of_stay(
        v_lot.tariff, v_lot.usual, v_lot.time_zone, v_lot.holidays, v_lot.overridden, p_entry, v_horizon, v_last_amount,
        v_lot.currency, v_lot.longest, null
      )) with ordinality as s (surprise, place)
      where (s.surprise ->> 'kind' ~ '^cap_' or s.surprise ->> 'kind' in ('special_day_price', 'stay_too_long'))
        and (s.surprise ->> 'at')::timestamptz >= p_now
    )
  );
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
    case when p_tariff.from_dates is not null then array_agg(case when r.set_date is null then p_tariff.to_dates[r.rule] end order by r.n) end
  into v_result.rule_ids, v_result.families, v_result.sets, v_result.day_bits, v_result.starts, v_result.ends,
    v_result.units, v_result.prices, v_result.cap_types, v_result.cap_spans, v_result.cap_prices, v_result.cap_repeats,
    v_result.has_entry_rows, v_result.from_dates, v_result.to_dates
  from unnest(p_rules, p_sets) with ordinality as r (rule, set_date, n);
  v_result.free_while_closed := p_tariff.free_while_closed;
  v_result.closed_from := p_tariff.closed_from;
  v_result.closed_to := p_tariff.closed_to;
  return case when v_result.rule_ids is not null then private.with_plans(private.with_series(v_result)) end;
end
$$;

-- The surprises of a stay whose fee is p_total, those that cost 100 minor units or a tenth of it. p_usual: as in
-- private.fee_differences; p_longest and p_next_exit: as in private.near_surprises. p_offset: private.steady_offset of the
-- stay, if the caller has it.
create or replace function private.found_surprises(
  p_tariff private.tariff, p_usual private.tariff, p_time_zone text, p_holidays date[], p_overridden date[],
  p_entry timestamptz, p_exit timestamptz, p_total bigint, p_longest interval, p_next_exit timestamptz, p_offset bigint default null
) returns private.fee_surprise[]
language plpgsql stable
set search_path = ''
as $$
declare
  c_first constant date := (p_entry at time zone p_time_zone)::date;
  c_last constant date := (p_exit at time zone p_time_zone)::date;
  c_has_steps constant boolean := p_exit - p_entry > p_longest
    or private.may_step(p_tariff, (extract(epoch from p_exit - p_entry) * 1000000)::bigint);
  v_walk private.fee_walk;
  v_one private.fee_surprise;
  v_saves bigint;
  v_found private.fee_surprise[] := '{}';
begin
  -- The price of an earlier or later exit is not published.
  if 'published_total' = any (p_tariff.families) then
    return v_found;
  end if;
  if c_has_steps then
    v_walk := private.walk_fee(
      p_tariff, p_time_zone, p_holidays, p_overridden, p_entry, p_exit + interval '15 minutes', true, p_offset
    );
  end if;
  -- A reader of the sign sees the rules of the stay's dates.
  foreach v_one in array private.fee_differences(
    private.tariff_between(p_tariff, c_first, c_last), private.tariff_between(p_usual, c_first, c_last),
    p_time_zone, p_holidays, p_overridden, p_entry, p_exit, p_total,
    coalesce(p_offset, private.steady_offset(
      p_time_zone, (extract(epoch from p_entry) * 1000000)::bigint, (extract(epoch from p_exit) * 1000000)::bigint
    ))
  ) loop
    continue when not private.is_worth_naming(v_one.amount, p_total);
    if v_one.at > p_entry then
      if v_walk.segments is null and p_tariff.has_entry_rows then
        v_walk := private.walk_fee(p_tariff, p_time_zone, p_holidays, p_overridden, p_entry, p_exit, true, p_offset);
      end if;
      -- Without grace the units until then are the fee of an exit then, which costs less to calculate.
      v_saves := p_total - case when v_walk.segments is not null then private.fee_until(v_walk, v_one.at)
        else (private.walk_fee(p_tariff, p_time_zone, p_holidays, p_overridden, p_entry, v_one.at, false, p_offset)).total end;
      if v_saves > 0 then
        v_one.leave_by := v_one.at;
        v_one.saves := v_saves;
      end if;
    end if;
    v_found := v_found || v_one;
  end loop;
  if c_has_steps or p_next_exit > p_exit or private.edge_after_entry(p_tariff, p_time_zone, p_entry) < p_exit then
    foreach v_one in array private.near_surprises(
      p_tariff, p_time_zone, p_holidays, p_overridden, p_entry, p_exit, p_total, v_walk, p_longest, p_next_exit
    ) loop
      if private.is_worth_naming(v_one.amount, p_total) then
        v_found := v_found || v_one;
      end if;
    end loop;
  end if;
  return v_found;
end
$$;

-- Why private.stay_fees has no fee: {code, reason} and, with only_totals, at_least, at_most and currency. Null for a known
-- fee.
create function private.stay_fee_refusal(p_refusal text, p_at_least bigint, p_at_most bigint, p_currency text) returns json
language sql stable parallel safe
return case
  when p_at_least is not null then json_strip_nulls(json_build_object(
    'code', 'fee_unknown', 'reason', p_refusal, 'at_least', p_at_least, 'at_most', p_at_most, 'currency', p_currency
  ))
  when p_refusal is not null then json_build_object('code', 'fee_unknown', 'reason', p_refusal)
end;

-- The fee, the hours and the usability of a stay at each of these lots, and the walk from p_distances metres away (null:
-- unknown, and so is the walk). The caller has checked the stay and chosen lots that the user may see. A search with a
-- vehicle finds only lots that it fits, so that is no reason here.
create or replace function private.stay_costs(
  p_lot_ids uuid[], p_distances numeric[], p_vehicle_type text, p_entry timestamptz, p_exit timestamptz
) returns table (
  parking_lot_id uuid, estimated_fee bigint, fee_refusal json, walk_minutes integer, effective_cost bigint,
  walk_yen_per_minute integer, planned_stay json, usable_for_stay boolean, unusable_reasons text[], surprises jsonb
)
language plpgsql stable rows 50
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
declare
  c_yen constant integer := private.yen_per_walk_minute();
begin
  return query
  with stays as materialized (
    select p.* from private.planned_stays(p_lot_ids, p_entry, p_exit) as p
  ), fees as materialized (
    select b.* from private.stay_fees(p_lot_ids, p_vehicle_type, p_entry, p_exit) as b
  )
  select f.parking_lot_id, f.amount,
    private.stay_fee_refusal(f.refusal, f.at_least, f.at_most, f.currency),
    private.walk_minutes(d.distance_m),
    case when f.currency = 'JPY' then f.amount + private.walk_minutes(d.distance_m) * c_yen end, c_yen,
    json_build_object(
      'entry_at', s.entry_at, 'exit_at', s.exit_at, 'is_open_at_entry', s.is_open_at_entry,
      'can_enter_at', s.can_enter_at, 'can_exit_at', s.can_exit_at, 'locked_in', s.locked_in,
      'next_exit_at', s.next_exit_at
    ),
    u.usable_for_stay, u.unusable_reasons, n.surprises
  from unnest(p_lot_ids, p_distances) as d (id, distance_m)
  join fees as f on f.parking_lot_id = d.id
  join stays as s on s.parking_lot_id = d.id
  join public.parking_lots l on l.id = d.id
  left join private.occupancy_of(p_lot_ids) as o on o.parking_lot_id = d.id
  left join private.stay_surprises(
    array(select x.parking_lot_id from fees x order by x.parking_lot_id), array(select x.amount from fees x order by x.parking_lot_id),
    p_vehicle_type, p_entry, p_exit,
    array(select x.parking_lot_id from stays x where x.locked_in), array(select x.next_exit_at from stays x where x.locked_in)
  ) as n on n.parking_lot_id = d.id
  cross join lateral private.usability(
    s.can_enter_at, s.can_exit_at, null, o.state, l.max_parking_duration_min, p_entry, p_exit
  ) as u;
end
$$;

-- The lots, given nearest first, that pass the filters open_now, max_price and without_surprises; with p_is_usable only those
-- that are not unusable for the stay. With max_price or without_surprises: amounts has their fees (null: at most max_price), priced is the number of
-- lots priced (the nearest, at most p_max_priced), is_cut: others were not priced.
create or replace function private.passing_lots(
  p_lot_ids uuid[], p_filters private.nearby_filters, p_is_usable boolean, p_vehicle private.vehicle, p_vehicle_type text,
  p_entry timestamptz, p_exit timestamptz, p_max_priced integer, out lot_ids uuid[], out amounts bigint[], out priced integer, out is_cut boolean
)
language plpgsql stable
set search_path = ''
as $$
declare
  v_surprising uuid[];
begin
  -- Cheap conditions come first, and the fee last, for the remaining lots.
  lot_ids := p_lot_ids;
  priced := 0;
  is_cut := false;
  if p_filters.max_price is not null then
    lot_ids := private.lots_within_amount(lot_ids, p_vehicle_type, p_entry, p_exit, p_filters.max_price);
  end if;
  if p_filters.open_now then
    lot_ids := array(select h.parking_lot_id from private.hours_at(lot_ids, now()) as h where h.is_open);
  end if;
  if p_is_usable then
    lot_ids := array(
      select unnest(lot_ids) except select unnest(private.unusable_lots(lot_ids, p_vehicle, p_entry, p_exit))
    );
  end if;
  if p_filters.max_price is null and p_filters.without_surprises is not true then
    return;
  end if;
  lot_ids := array(
    select l.id from unnest(p_lot_ids) with ordinality as l (id, place)
    join unnest(lot_ids) as left_over (id) on left_over.id = l.id
    order by l.place
  );
  is_cut := cardinality(lot_ids) > p_max_priced;
  lot_ids := lot_ids[:p_max_priced];
  priced := cardinality(lot_ids);
  select coalesce(array_agg(f.parking_lot_id), '{}'), coalesce(array_agg(f.amount), '{}') into lot_ids, amounts
  from private.stay_fees(lot_ids, p_vehicle_type, p_entry, p_exit) as f
  where coalesce(f.amount, case when p_filters.without_surprises is not true then f.at_most end) <= coalesce(p_filters.max_price, f.amount);
  if p_filters.without_surprises then
    v_surprising := private.surprising_lots(lot_ids, amounts, p_vehicle_type, p_entry, p_exit);
    select coalesce(array_agg(p.id), '{}'), coalesce(array_agg(p.amount), '{}') into lot_ids, amounts
    from unnest(lot_ids, amounts) as p (id, amount)
    where p.id <> all (v_surprising);
  end if;
end
$$;

-- Lots that are given nearest first, with fee and ranking. p_amounts: their fees, as far as they are known already. Components
-- are 0 to 100; the score is 0.4 price + 0.4 distance + 0.2 rating; in a tie the nearer lot comes first.
-- Without a search_path (every name has its schema), so that Postgres inlines the query into that of private.nearby_items:
-- one plan, and one look-up per lot.
create function private.nearby_ranking(
  p_lot_ids uuid[], p_distances double precision[], p_amounts bigint[], p_radius_m integer, p_vehicle_type text,
  p_entry timestamptz, p_exit timestamptz
) returns table (
  parking_lot_id uuid, place bigint, distance_m numeric, estimated_fee bigint, currency text, fee_refusal json, most_due bigint,
  price numeric, distance numeric, rating numeric, score numeric, rank bigint, name text, address text,
  lat double precision, lng double precision, avg_rating numeric, review_count integer, main_image_key text,
  tag_slugs text[], limits private.vehicle, max_parking_duration_min integer
)
language sql stable rows 50
as $$
  with fees as (
    select f.parking_lot_id, f.amount, f.at_least, f.at_most, f.refusal
    from private.stay_fees(
      case when p_amounts is null then p_lot_ids
        else array(select n.id from unnest(p_lot_ids, p_amounts) as n (id, amount) where n.amount is null) end,
      p_vehicle_type, p_entry, p_exit
    ) as f
    union all
    select k.id, k.amount, null, null, null from unnest(p_lot_ids, p_amounts) as k (id, amount) where k.amount is not null
  ), priced as (
    select l.id, c.place, round(c.distance_m::numeric, 2) as distance_m, f.amount, l.currency, f.refusal, f.at_least,
      f.at_most, coalesce(f.amount, f.at_most) as due, l.name, l.address,
      l.lat, l.lng, l.avg_rating, l.review_count, l.main_image_key, l.tag_slugs, row(
        l.max_height_m, l.max_width_m, l.max_length_m, l.max_weight_t, l.min_clearance_cm, l.max_tire_width_mm
      )::private.vehicle as limits, l.max_parking_duration_min,
      min(coalesce(f.amount, f.at_most)) over () as least, max(coalesce(f.amount, f.at_most)) over () as most
    from unnest(p_lot_ids, p_distances) with ordinality as c (id, distance_m, place)
    join public.parking_lots l on l.id = c.id
    left join fees f on f.parking_lot_id = c.id
  ),
  -- Rounded as they are shown, so that the score can be calculated from shown values.
  compared as materialized (
    select p.*,
      trim_scale(round(
        case when p.due is null then 0 when p.most = p.least then 100
          else 100::numeric * (p.most - p.due) / (p.most - p.least) end, 6
      )) as price,
      trim_scale(round(100 * (1 - p.distance_m / p_radius_m), 6)) as distance,
      trim_scale(round(case when p.review_count > 0 then 25 * (p.avg_rating - 1) else 50 end, 6)) as rating
    from priced p
  )
  select s.id, s.place, s.distance_m, s.amount, s.currency, private.stay_fee_refusal(s.refusal, s.at_least, s.at_most, s.currency),
    s.due, s.price, s.distance, s.rating, s.score,
    row_number() over (order by s.score desc, s.place), s.name, s.address, s.lat, s.lng, s.avg_rating, s.review_count,
    s.main_image_key, s.tag_slugs, s.limits, s.max_parking_duration_min
  from (select c.*, round(0.4 * c.price + 0.4 * c.distance + 0.2 * c.rating, 2) as score from compared c) as s;
$$;

-- The candidates as api.nearby_parking_lots shows them, in the order of p_sort; with planned_stay and surprises if
-- p_is_planned. p_usable first: unusable lots come last. Whether a lot is usable is shown with p_is_planned or p_usable.
create or replace function private.nearby_items(
  p_lot_ids uuid[], p_distances double precision[], p_amounts bigint[], p_radius_m integer, p_vehicle_type text,
  p_entry timestamptz, p_exit timestamptz, p_is_planned boolean, p_sort text, p_vehicle private.vehicle,
  p_usable text
) returns json
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
declare
  c_yen constant integer := private.yen_per_walk_minute();
begin
  -- An array of rows is converted to JSON at once, which an aggregate of JSON objects is not. Text, because nothing here reads it.
  return (
    with stays as materialized (
      select p.* from private.planned_stays(p_lot_ids, p_entry, p_exit) as p where p_is_planned or p_usable is not null
    ), ranked as materialized (
      select k.* from private.nearby_ranking(p_lot_ids, p_distances, p_amounts, p_radius_m, p_vehicle_type, p_entry, p_exit) as k
    )
    select coalesce(to_json(array_agg(item)), '[]')
    from (
      select r.parking_lot_id as id, r.name, r.address, r.lat, r.lng, r.distance_m, r.avg_rating, r.review_count,
        r.main_image_key as main_image, r.tag_slugs as tags, r.score as ranking_score, r.rank as ranking_rank,
        r.rank <= 3 as is_top3,
        json_build_object('price', r.price, 'distance', r.distance, 'rating', r.rating) as ranking_components,
        r.estimated_fee, r.currency, r.fee_refusal,
        private.walk_minutes(r.distance_m) as walk_minutes,
        case when r.currency = 'JPY' then r.estimated_fee + private.walk_minutes(r.distance_m) * c_yen end as effective_cost,
        c_yen as walk_yen_per_minute,
        case when p_is_planned then json_build_object(
          'entry_at', s.entry_at, 'exit_at', s.exit_at, 'is_open_at_entry', s.is_open_at_entry,
          'can_enter_at', s.can_enter_at, 'can_exit_at', s.can_exit_at, 'locked_in', s.locked_in,
          'next_exit_at', s.next_exit_at
        ) end as planned_stay,
        n.surprises,
        f.fit,
        m.is_saved, m.my_rating,
        case when o.parking_lot_id is not null then json_build_object(
          'state', o.state, 'free_spaces', o.free_spaces, 'trust', o.trust, 'observed_at', o.observed_at,
          'age_seconds', o.age_seconds, 'source', o.source
        ) end as availability,
        case when s.parking_lot_id is not null then u.usable_for_stay end as usable_for_stay,
        case when s.parking_lot_id is not null then u.unusable_reasons else '{}' end as unusable_reasons
      from ranked as r
      left join private.my_ratings_and_saves(p_lot_ids) as m on m.parking_lot_id = r.parking_lot_id
      left join private.occupancy_of(p_lot_ids) as o on o.parking_lot_id = r.parking_lot_id
      left join stays as s on s.parking_lot_id = r.parking_lot_id
      left join private.stay_surprises(
        array(select x.parking_lot_id from ranked x where p_is_planned order by x.place),
        array(select x.estimated_fee from ranked x where p_is_planned order by x.place), p_vehicle_type, p_entry, p_exit,
        array(select x.parking_lot_id from stays x where x.locked_in), array(select x.next_exit_at from stays x where x.locked_in)
      ) as n on n.parking_lot_id = r.parking_lot_id
      cross join lateral (
        select case when not p_vehicle is null then private.vehicle_fit(p_vehicle, r.limits) end as fit
        offset 0 -- keeps the fit from being evaluated twice
      ) as f
      cross join lateral private.usability(
        s.can_enter_at, s.can_exit_at, f.fit, o.state, r.max_parking_duration_min, p_entry, p_exit
      ) as u
      order by case p_usable when 'first' then u.unusable_reasons <> '{}' end,
        case p_sort when 'price' then r.most_due when 'recommended' then r.rank end nulls last, r.place
    ) as item
  );
end
$$;

grant execute on function
  private.stay_fee_refusal(text, bigint, bigint, text),
  private.nearby_ranking(uuid[], double precision[], bigint[], integer, text, timestamptz, timestamptz)
to anon, authenticated;

comment on function api.calculate_fee(uuid, timestamptz, timestamptz, text) is
  'The fee of a stay: {total_amount, currency, breakdown, surprises} in minor units. details of fee_unknown: reason (no_rules, no_rate, only_totals, vehicle_type_not_priced); with no_rate from and until; with only_totals at_least, currency and, if known, at_most. Reads only. Errors: validation_error, forbidden, lot_not_found, fee_unknown.';
