-- Prices have a calendar: pricing rules are in effect on their dates, a lot may fix the prices of a stay at its entry, and a
-- group may charge nothing while the lot is closed.
--
-- The definitions are those of supabase/schemas after this change. The way back is a file of its own.

set lock_timeout = '2s';
-- The columns are new and empty, so that the constraints hold for each row.
alter table public.pricing_rules
  add column effective_from date,
  add column effective_to date,
  add constraint pricing_rules_effective_in_order check (effective_from <= effective_to),
  add constraint pricing_rules_effective_from_is_a_date check (effective_from between '0001-01-01' and '9999-12-31'),
  add constraint pricing_rules_effective_to_is_a_date check (effective_to between '0001-01-01' and '9999-12-31');
comment on constraint pricing_rules_effective_in_order on public.pricing_rules is 'effective_to must not be before effective_from.';
comment on constraint pricing_rules_effective_from_is_a_date on public.pricing_rules is
  'effective_from must be in the years 1 to 9999.';
comment on constraint pricing_rules_effective_to_is_a_date on public.pricing_rules is
  'effective_to must be in the years 1 to 9999.';
comment on column public.pricing_rules.effective_from is 'The first date of the rule, in the time zone of the lot. Null: no first.';
comment on column public.pricing_rules.effective_to is 'Inclusive, like effective_from. Null: no end.';
grant select (effective_from, effective_to) on public.pricing_rules to anon, authenticated;

-- pgls-ignore lint/safety/avoidWideLockWindow: no change of this file reads or writes a row
-- pgls-ignore lint/safety/addingFieldWithDefault: a constant default rewrites no row since Postgres 11
alter table public.pricing_groups add column free_while_closed boolean not null default false;
comment on column public.pricing_groups.free_while_closed is 'No unit of the price begins while the lot is closed by its business hours.';
grant select (free_while_closed) on public.pricing_groups to anon, authenticated;
create index pricing_groups_free_while_closed_idx on public.pricing_groups (parking_lot_id) where free_while_closed;

-- pgls-ignore lint/safety/avoidWideLockWindow: no change of this file reads or writes a row
-- pgls-ignore lint/safety/addingFieldWithDefault: a constant default rewrites no row since Postgres 11
alter table public.parking_lots add column price_fixed_at_entry boolean not null default false;
comment on column public.parking_lots.price_fixed_at_entry is
  'A stay is priced by the pricing rules in effect on the date of its entry. False: by those of each date.';
comment on column public.parking_lots.hour_price is
  'The fee of a standard vehicle for 60 minutes from 12:00 on a Wednesday that is not a holiday, by the rules in effect today, in minor units; null: unknown. Triggers and a job maintain it, for search.';
grant select (price_fixed_at_entry) on public.parking_lots to anon, authenticated;

-- pgls-ignore lint/safety/avoidWideLockWindow: no change of this file reads or writes a row
alter table private.tariffs add column changes_on date;
comment on column private.tariffs.changes_on is
  'The next date on which other rules are in effect than when the hour price was calculated; null: none.';
create index tariffs_changes_idx on private.tariffs (changes_on) where changes_on is not null;

-- Stored values have null in new attributes, which is what lists without dates have.
-- pgls-ignore lint/safety/avoidWideLockWindow: no change of this file reads or writes a row
alter type private.tariff
  add attribute from_dates date[],
  add attribute to_dates date[],
  add attribute plan_from date[],
  add attribute plan_to date[],
  add attribute free_while_closed boolean,
  add attribute closed_from bigint[],
  add attribute closed_to bigint[];
-- pgls-ignore lint/safety/avoidWideLockWindow: no change of this file reads or writes a row
alter type private.stay_days add attribute day date;
comment on type private.stay_days is
  'Calendar days of a stay: the first, the last, each overridden day, and one entry for all other days between them that have the same day types and rules.';

-- These get other parameters.
drop function private.plan_of_day(date[], integer[], integer[], date, integer);
drop function private.days_of_stay(text, date[], date[], timestamptz, timestamptz);
drop function private.usual_tariffs(uuid[], text);

-- The row of a lot, and its source (provenance). main_image is a storage key.
create or replace function private.lot_row_json(p_lot_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select to_jsonb(d)
    from (
      select l.id, l.name, l.name_kana, l.address, l.lat, l.lng, l.area, l.total_spaces, l.status, l.structure,
        l.max_height_m, l.max_width_m, l.max_length_m, l.max_weight_t, l.min_clearance_cm, l.max_tire_width_mm,
        l.max_parking_duration_min, l.entry_method, l.shape_type, l.entry_difficulty, l.operator_code, l.phone,
        l.website, l.time_zone, l.holiday_calendar, l.currency, l.source, l.avg_rating, l.review_count,
        coalesce(r.good_count, 0) as good_count, coalesce(r.bad_count, 0) as bad_count, l.hour_price, l.price_fixed_at_entry,
        l.main_image_key as main_image, l.created_at, l.updated_at,
        jsonb_build_object(
          'source', l.source, 'external_id', l.external_id, 'source_url', l.source_url, 'licence', l.licence,
          'attribution', l.attribution
        ) as provenance
      from public.parking_lots l
      left join public.parking_lot_rating_counts r on r.parking_lot_id = l.id
      where l.id = p_lot_id
    ) d
  );
end
$$;

-- spots, pricing_groups, pricing_rules and date_overrides of a lot. Groups and rules have the same order.
create or replace function private.lot_places_json(p_lot_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_generic_plan -- planning costs more than running
as $$
begin
  return jsonb_build_object(
    'spots', (
      select coalesce(jsonb_agg(
        jsonb_build_object(
          'id', s.id, 'code', s.code, 'vehicle_type_max', s.vehicle_type_max, 'is_ev_charger', s.is_ev_charger,
          'ev_connector_type', s.ev_connector_type, 'accessibility', s.accessibility, 'is_reservable', s.is_reservable
        )
        order by s.code, s.id
      ), '[]')
      from public.parking_lot_spots s where s.parking_lot_id = p_lot_id
    ),
    'pricing_groups', (
      select coalesce(jsonb_agg(
        jsonb_build_object(
          'id', g.id, 'code', g.code, 'name', g.name, 'is_default', g.is_default, 'display_order', g.display_order,
          'vehicle_types', g.vehicle_types, 'free_while_closed', g.free_while_closed
        )
        order by g.is_default desc, g.display_order, g.id
      ), '[]')
      from public.pricing_groups g where g.parking_lot_id = p_lot_id
    ),
    'pricing_rules', private.pricing_rules_json(p_lot_id),
    'date_overrides', private.date_overrides_json(p_lot_id)
  );
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
    r.cap_duration_hours, r.cap_price_minor, r.cap_repeat, r.effective_from, r.effective_to)::text as terms, r.rule_order, r.category, r.time_start, r.time_end, r.day_type,
    r.per_minutes, r.price_minor, r.cap_type, r.cap_duration_hours, r.cap_price_minor, r.cap_repeat, r.effective_from, r.effective_to,
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
      r.cap_duration_hours, r.cap_price_minor, r.cap_repeat, r.effective_from, r.effective_to)::text as terms) t
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
      cap_duration_hours, cap_price_minor, cap_repeat, effective_from, effective_to)
    select i.lot_id, coalesce(i.rule_order, 0), i.category, i.time_start, i.time_end, i.day_type, i.per_minutes, i.price_minor, i.cap_type,
      i.cap_duration_hours, i.cap_price_minor, i.cap_repeat, i.effective_from, i.effective_to
    from pg_temp.import_rules i
    where not exists (select from pg_temp.import_kept k where k.nth = i.nth)
    order by i.nth
    returning parking_lot_id
  )
  insert into pg_temp.import_outcome select distinct 'UPDATE', parking_lot_id from added;
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
      array_agg(o.cap_price_minor::bigint), array_agg(o.cap_repeat), bool_or(o.family in ('grace', 'initial')),
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

-- Whether a rule with these dates is in effect on a date. A null date is no bound.
create function private.is_in_effect(p_from date, p_to date, p_date date) returns boolean
language sql immutable parallel safe
return coalesce(p_from <= p_date, true) and coalesce(p_to >= p_date, true);

-- The tariff with its series of caps: cap rows of one kind that share their windows, and each cap of a single rate.
create or replace function private.with_series(p_tariff private.tariff) returns private.tariff
language plpgsql immutable
set search_path = ''
as $$
declare
  v_result private.tariff := p_tariff;
  v_types constant text[] := p_tariff.cap_types;
  v_series integer[] := '{}';
  v_rates integer[] := '{}';
  v_plain boolean[] := '{}';
  v_is_own boolean;
  v_same integer;
  v_first integer;
begin
  for v_rule in 1..cardinality(v_types) loop
    continue when v_types[v_rule] is null;
    v_is_own := p_tariff.families[v_rule] <> 'cap';
    v_same := 0;
    for v_other in 1..case when v_is_own then 0 else cardinality(v_series) end loop
      v_first := v_series[v_other];
      if v_rates[v_other] = 0 and v_types[v_first] = v_types[v_rule]
        and p_tariff.cap_spans[v_first] is not distinct from p_tariff.cap_spans[v_rule]
        and (
          v_types[v_rule] <> 'band'
          or (p_tariff.starts[v_first] = p_tariff.starts[v_rule] and p_tariff.ends[v_first] = p_tariff.ends[v_rule])
        )
      then
        v_same := v_other;
      end if;
    end loop;
    if v_same > 0 then
      v_plain[v_same] := false;
      continue;
    end if;
    v_series := v_series || v_rule;
    v_rates := v_rates || case when v_is_own then 0 + v_rule else 0 end;
    v_plain := v_plain || (
      v_is_own or (
        p_tariff.day_bits[v_rule] = 1 and (v_types[v_rule] = 'band' or p_tariff.starts[v_rule] is null)
        and array_remove(p_tariff.sets, null) = '{}'
        and p_tariff.from_dates[v_rule] is null and p_tariff.to_dates[v_rule] is null
      )
    );
  end loop;
  v_result.series := v_series;
  v_result.series_rates := v_rates;
  v_result.series_plain := v_plain;
  return v_result;
end
$$;

-- The tariff with a plan for each kind of day, and for each period in which the same rates are in effect: which rate is in
-- force from which time of day. The best row comes first, so the first match is taken.
create or replace function private.with_plans(p_tariff private.tariff) returns private.tariff
language plpgsql immutable
set search_path = ''
as $$
declare
  v_result private.tariff := p_tariff;
  v_bits constant integer[] := p_tariff.day_bits;
  v_starts constant bigint[] := p_tariff.starts;
  v_ends constant bigint[] := p_tariff.ends;
  v_set record;
  v_mask integer;
  v_mark bigint;
  v_rule integer;
  v_last integer;
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
        foreach v_rule in array v_set.rates || 0 loop
          exit when v_rule = 0 or (
            v_bits[v_rule] & v_mask <> 0 and private.band_holds(v_starts[v_rule], v_ends[v_rule], v_mark)
          );
        end loop;
        continue when v_rule = v_last;
        v_edges := v_edges || v_mark;
        v_edge_rules := v_edge_rules || v_rule;
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
  return v_result;
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
    elsif c_families[v_rule] = 'rate' and c_units[v_rule] is null then
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
        when p_tariff.free_while_closed or bool_or(s.family = 'rate' and s.unit is null) or bool_or(s.cap_price is not null and s.cap_span is null) then 0
        else coalesce(least(
          min(s.price::double precision / s.unit) filter (where s.family = 'rate'),
          min(s.cap_price::double precision / (s.cap_span + l.longest)) / case when cardinality(p_tariff.series) > 1 then 2 else 1 end
        ), 0) end
    from spans s
    cross join (select max(u.unit) as longest from spans u where u.family = 'rate') l
  );
end
$$;

-- The tariff of the rules that are in effect on any date from p_from to p_to, with their dates. Rules that are in effect on
-- all of them have none. For one date it is a tariff without dates.
create function private.tariff_between(p_tariff private.tariff, p_from date, p_to date) returns private.tariff
language plpgsql immutable
set search_path = ''
as $$
declare
  v_rules integer[];
  v_sets date[];
  v_result private.tariff;
begin
  if p_tariff.from_dates is null then
    return p_tariff;
  end if;
  select array_agg(r.rule::integer order by r.rule), array_agg(r.set_date order by r.rule) into v_rules, v_sets
  from unnest(p_tariff.sets, p_tariff.from_dates, p_tariff.to_dates) with ordinality as r (set_date, from_date, to_date, rule)
  where coalesce(r.from_date <= p_to, true) and coalesce(r.to_date >= p_from, true);
  v_result := private.picked_tariff(p_tariff, v_rules, v_sets);
  if v_result.rule_ids is null then
    return v_result;
  end if;
  select array_agg(case when r.from_date > p_from then r.from_date end order by r.rule),
    array_agg(case when r.to_date < p_to then r.to_date end order by r.rule)
  into v_result.from_dates, v_result.to_dates
  from unnest(v_result.from_dates, v_result.to_dates) with ordinality as r (from_date, to_date, rule);
  if array_remove(v_result.from_dates || v_result.to_dates, null) = '{}' then
    v_result.from_dates := null;
    v_result.to_dates := null;
  end if;
  return private.with_plans(private.with_series(v_result));
end
$$;

-- The next date after p_date on which other rules are in effect; null: none.
create function private.next_price_date(p_tariff private.tariff, p_date date) returns date
language plpgsql immutable
set search_path = ''
as $$
begin
  if p_tariff.from_dates is null then
    return null;
  end if;
  return (
    select min(d.at)
    from unnest(p_tariff.from_dates, p_tariff.to_dates) as r (from_date, to_date)
    cross join lateral (values (r.from_date), (r.to_date + 1)) as d (at)
    where d.at > p_date
  );
end
$$;

-- The grace or initial rows in force at entry (p_local) that have the most specific day type, in rule_order.
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

-- The plan of a tariff (plan_sets, plan_bits, plan_masks, plan_from, plan_to) for a date: which rates are in force; 0:
-- none. p_set: the date, if it has an override.
create function private.plan_of_day(
  p_sets date[], p_bits integer[], p_masks integer[], p_set date, p_date_bits integer, p_from date[], p_to date[], p_date date
) returns integer
language plpgsql immutable parallel safe
set search_path = ''
as $$
begin
  for v_plan in 1..coalesce(cardinality(p_masks), 0) loop
    if p_sets[v_plan] is not distinct from p_set
      and p_masks[v_plan] = p_bits[v_plan] & private.bits_in_force(p_date_bits, p_bits[v_plan])
      and (p_from is null or private.is_in_effect(p_from[v_plan], p_to[v_plan], p_date))
    then
      return v_plan;
    end if;
  end loop;
  return 0;
end
$$;

-- The cap row of the series that counts for a window, by the first moment of the window (p_local); 0: none.
create or replace function private.cap_of_window(
  p_tariff private.tariff, p_first integer, p_is_first boolean, p_holidays date[], p_overridden date[], p_local bigint
) returns integer
language plpgsql immutable parallel safe
set search_path = ''
as $$
declare
  c_day constant bigint := private.day_number(p_local);
  c_date constant date := date '1970-01-01' + c_day::integer;
  c_set constant date := case when c_date = any (p_overridden) then c_date end;
  v_bits integer := private.date_bits(c_date, p_holidays);
begin
  -- Only a holiday needs to know whether a row is for holidays: the query costs more than all the rest.
  if v_bits & 32 <> 0 then
    v_bits := private.bits_in_force(v_bits, (
      select bit_or(t.bit)
      from unnest(p_tariff.families, p_tariff.sets, p_tariff.day_bits, p_tariff.from_dates, p_tariff.to_dates)
        as t (family, set_date, bit, from_date, to_date)
      where t.family = 'cap' and t.set_date is not distinct from c_set
        and private.is_in_effect(t.from_date, t.to_date, c_date)
    ));
  end if;
  for v_rule in p_first..cardinality(p_tariff.rule_ids) loop
    continue when p_tariff.families[v_rule] <> 'cap' or p_tariff.cap_types[v_rule] <> p_tariff.cap_types[p_first]
      or p_tariff.cap_spans[v_rule] is distinct from p_tariff.cap_spans[p_first]
      or p_tariff.day_bits[v_rule] & v_bits = 0 or p_tariff.sets[v_rule] is distinct from c_set
      or not private.is_in_effect(p_tariff.from_dates[v_rule], p_tariff.to_dates[v_rule], c_date)
      or not (p_is_first or coalesce(p_tariff.cap_repeats[v_rule], false));
    if p_tariff.cap_types[v_rule] = 'band' then
      continue when p_tariff.starts[v_rule] <> p_tariff.starts[p_first] or p_tariff.ends[v_rule] <> p_tariff.ends[p_first];
    else
      continue when not private.band_holds(
        p_tariff.starts[v_rule], p_tariff.ends[v_rule], p_local - c_day * 86400000000
      );
    end if;
    return v_rule;
  end loop;
  return 0;
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

-- When the lots among these are closed that may charge nothing then: from the entry of a stay to the fortnight after its
-- exit, by their business hours. The starts and ends in order, in microseconds since 1970. Dates without known hours are
-- not closed.
create function private.free_hours(p_lot_ids uuid[], p_entry timestamptz, p_exit timestamptz)
returns table (parking_lot_id uuid, closed_from bigint[], closed_to bigint[])
language plpgsql stable rows 5
set search_path = ''
as $$
declare
  c_lot_ids constant uuid[] := array(
    select distinct g.parking_lot_id from public.pricing_groups g
    where g.parking_lot_id = any (p_lot_ids) and g.free_while_closed
  );
begin
  if c_lot_ids = '{}' then
    return;
  end if;
  return query
  with closed as (
    select h.parking_lot_id, range_agg(tstzrange(d.day_start, greatest(d.day_start, d.day_end))) filter (where h.is_known)
      - coalesce(range_agg(tstzrange(h.starts_at, h.ends_at)) filter (where h.starts_at < h.ends_at), '{}') as hours
    from private.hours_of_days(c_lot_ids, p_entry, p_exit + interval '15 days') h
    cross join lateral (
      select h.local_date::timestamp at time zone h.time_zone as day_start,
        (h.local_date + 1)::timestamp at time zone h.time_zone as day_end
    ) d
    where h.for_open
    group by h.parking_lot_id
  )
  select c.parking_lot_id, array_agg((extract(epoch from lower(r)) * 1000000)::bigint order by r),
    array_agg((extract(epoch from upper(r)) * 1000000)::bigint order by r)
  from closed c
  cross join lateral unnest(c.hours) as r
  group by c.parking_lot_id;
end
$$;

-- The tariff for a stay that is not priced moment by moment: by the rules of one date (p_priced_on: the date of an entry
-- that fixes the prices), or without these closed hours.
create function private.tariff_of_stay(p_tariff private.tariff, p_priced_on date, p_closed_from bigint[], p_closed_to bigint[])
returns private.tariff
language plpgsql immutable
set search_path = ''
as $$
declare
  v_result private.tariff := case when p_priced_on is null then p_tariff
    else private.tariff_between(p_tariff, p_priced_on, p_priced_on) end;
begin
  if v_result.free_while_closed then
    v_result.closed_from := p_closed_from;
    v_result.closed_to := p_closed_to;
  end if;
  return v_result;
end
$$;

-- The arguments of private.walk_fee for this stay at these lots. A lot without rules has a null tariff.
create or replace function private.stay_tariffs(
  p_lot_ids uuid[], p_vehicle_type text, p_entry timestamptz, p_exit timestamptz
) returns table (
  parking_lot_id uuid, time_zone text, currency text, holidays date[], overridden date[], tariff private.tariff, is_priced boolean
)
language plpgsql stable rows 50
set search_path = ''
as $$
#variable_conflict use_column
declare
  -- In any zone: the dates of the stay, the day before, and the fortnight in which the next rate is looked up.
  c_from constant date := (p_entry at time zone 'UTC')::date - 2;
  c_to constant date := (p_exit at time zone 'UTC')::date + 17;
  v_overridden uuid[];
begin
  select coalesce(array_agg(distinct o.parking_lot_id), '{}') into v_overridden
  from public.parking_lot_date_overrides o
  where o.parking_lot_id = any (p_lot_ids) and o.override_date between c_from and c_to and o.pricing is not null;

  return query
    with calendars as materialized (
      select h.calendar, array_agg(h.holiday_date) as dates
      from public.holidays h
      where h.holiday_date between c_from and c_to
      group by h.calendar
    )
    select l.id, l.time_zone, l.currency, h.dates,
      case when l.id = any (v_overridden) then array(
        select o.override_date from public.parking_lot_date_overrides o
        where o.parking_lot_id = l.id and o.override_date between c_from and c_to and o.pricing is not null
      ) end,
      case when l.price_fixed_at_entry or c.parking_lot_id is not null then private.tariff_of_stay(
        t.tariff, case when l.price_fixed_at_entry then (p_entry at time zone l.time_zone)::date end, c.closed_from, c.closed_to
      ) else t.tariff end,
      coalesce(t.is_priced, true)
    from public.parking_lots l
    left join calendars h on h.calendar = l.holiday_calendar
    left join private.chosen_tariffs(p_lot_ids, p_vehicle_type, v_overridden, c_from, c_to) t on t.parking_lot_id = l.id
    left join private.free_hours(p_lot_ids, p_entry, p_exit) c on c.parking_lot_id = l.id
    where l.id = any (p_lot_ids);
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
      if p_tariff.families[v_entry_rule] = 'initial'
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

-- The hour_price of each lot, calculated from its tariffs by the rules in effect today.
create or replace function private.hour_prices(p_lot_ids uuid[]) returns table (parking_lot_id uuid, hour_price integer)
language plpgsql stable
set search_path = ''
as $$
begin
  return query
  -- Without holidays, overrides and changes of the clock, every zone is like UTC and every Wednesday like this one.
  select lot_id, case when w.total <= 2147483647 then w.total::integer end
  from unnest(p_lot_ids) as lot_id
  left join private.chosen_tariffs(p_lot_ids, 'standard') t on t.parking_lot_id = lot_id and t.is_priced
  left join public.parking_lots l on l.id = lot_id
  cross join lateral (select (now() at time zone l.time_zone)::date as date) today
  cross join lateral private.walk_fee(
    private.tariff_between(t.tariff, today.date, today.date), 'UTC', null, null, timestamptz '2026-06-03 12:00:00+00', timestamptz '2026-06-03 13:00:00+00', false, 0
  ) w;
end
$$;

-- Compiles the price lists of these lots again, and writes their hour_price.
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

-- Refreshes up to p_count lots on whose calendar other rules came into effect: hour_price, their search entries and the
-- queue of changed lots. Returns whether there may be more.
create function private.next_price_change_batch(p_count integer default 500) returns boolean
language plpgsql
security definer -- the job reads and writes compiled price lists
set search_path = ''
as $$
declare
  v_lot_ids uuid[];
  v_written uuid[];
begin
  -- It is tomorrow somewhere before it is in UTC.
  select array_agg(d.id) into v_lot_ids
  from (
    select distinct l.id
    from private.tariffs t
    join public.parking_lots l on l.id = t.parking_lot_id
    where t.changes_on <= (now() at time zone 'UTC')::date + 1 and t.changes_on <= (now() at time zone l.time_zone)::date
    order by l.id limit p_count
  ) d;
  if v_lot_ids is null then
    return false;
  end if;
  v_written := private.refresh_tariffs(v_lot_ids);
  -- The trigger of parking_lots has refreshed and queued the lots whose hour price changed.
  v_lot_ids := array(select unnest(v_lot_ids) except select unnest(v_written));
  perform private.refresh_search_entries(v_lot_ids);
  perform private.queue_lot_changes(v_lot_ids);
  return true;
end
$$;

-- The calendar days that a stay touches.
create function private.days_of_stay(
  p_tariff private.tariff, p_time_zone text, p_holidays date[], p_overridden date[], p_entry timestamptz, p_exit timestamptz
) returns private.stay_days[]
language plpgsql stable
set search_path = ''
as $$
declare
  c_entry constant timestamp := p_entry at time zone p_time_zone;
  c_exit constant timestamp := greatest(p_exit at time zone p_time_zone, c_entry);
  c_first constant date := c_entry::date;
  c_last constant date := greatest(c_exit - interval '1 microsecond', c_entry)::date;
begin
  return array(
    select row (g.is_entry, g.override_date, g.bits, g.from_us, g.to_us, min(g.day))::private.stay_days
    from (
      select d.day, d.day = c_first as is_entry,
        case when d.day = any (p_overridden) then d.day end as override_date,
        private.date_bits(d.day, p_holidays) as bits,
        case when d.day = c_first then (date_part('epoch', c_entry - c_first) * 1000000)::bigint else 0 end as from_us,
        case when d.day = c_last then (date_part('epoch', c_exit - c_last) * 1000000)::bigint else 86400000000 end as to_us,
        -- Days with the same number have the same rules in effect.
        (select count(*) from unnest(p_tariff.from_dates) as f where f <= d.day)
          + (select count(*) from unnest(p_tariff.to_dates) as t where t < d.day) as period
      from (select c_first + n as day from generate_series(0, c_last - c_first) as n) d
    ) g
    group by g.is_entry, g.override_date, g.bits, g.from_us, g.to_us, g.period
  );
end
$$;

-- The codes of fee_note that apply to this fee, by the tariff.
create or replace function private.fee_notes(
  p_tariff private.tariff, p_walk private.fee_walk, p_days private.stay_days[], p_exit timestamptz
) returns text[]
language plpgsql stable
set search_path = ''
as $$
declare
  v_notes text[] := '{}';
begin
  -- Rows of weekdays, Saturdays or Sundays were used for a holiday.
  if exists (
    select from unnest(p_days) d
    join unnest(p_tariff.families, p_tariff.sets, p_tariff.day_bits, p_tariff.from_dates, p_tariff.to_dates)
      as t (family, set_date, bit, from_date, to_date)
      on t.set_date is not distinct from d.override_date and (d.is_entry or t.family in ('rate', 'cap'))
      and private.is_in_effect(t.from_date, t.to_date, d.day)
    where d.bits & 32 <> 0
    group by d.override_date, d.day, t.family
    having bit_or(t.bit) & 32 = 0 and bit_or(t.bit) & 14 <> 0
  ) then
    v_notes := v_notes || 'holiday_rates_not_given'::text;
  end if;
  if exists (
    select from unnest(p_walk.windows) w
    where p_tariff.cap_repeats[w.rule] is null and private.instant_of_us(w.ends) < p_exit
  ) then
    v_notes := v_notes || 'cap_repeat_not_given'::text;
  end if;
  return v_notes;
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
            when r.family in ('grace', 'initial') then private.band_holds(r.band_from, r.band_to, d.from_us)
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

-- The fee of a stay and its explanation: answer, {total_amount, currency, breakdown, surprises}; or refusal, {code:
-- fee_unknown, reason, from, until}. It does not check whether the caller may see the lot. Errors: validation_error,
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
    refusal := private.fee_refusal(v_walk, v_lot.is_priced);
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
      case when v_walk.refusal is null then v_ahead else v_walk end, v_lot.is_priced
    ));
  end if;
  -- Nothing is charged in grace; when it ends, everything since entry is charged.
  v_grace_until := private.grace_until(v_lot.tariff, v_lot.time_zone, v_lot.holidays, v_lot.overridden, p_entry);
  v_is_in_grace := coalesce(p_now <= v_grace_until, false);
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
    bool_or(p_tariff.families[r.rule] in ('grace', 'initial')),
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

-- The tariff whose dates with an override have the override's caps, and the lot's own rates.
create or replace function private.tariff_with_own_rates(p_tariff private.tariff) returns private.tariff
language plpgsql immutable
set search_path = ''
as $$
begin
  return private.picked_tariff(p_tariff, array_agg(r.rule order by r.rule), array_agg(r.set_date order by r.rule))
  from (
    select t.rule::integer as rule, t.set_date
    from unnest(p_tariff.sets, p_tariff.families) with ordinality as t (set_date, family, rule)
    where t.set_date is null or t.family = 'cap'
    union all
    select t.rule::integer, d.set_date
    from unnest(p_tariff.sets, p_tariff.families) with ordinality as t (set_date, family, rule)
    cross join (select distinct s.set_date from unnest(p_tariff.sets) as s (set_date) where s.set_date is not null) as d
    where t.set_date is null and t.family <> 'cap'
      and private.is_in_effect(p_tariff.from_dates[t.rule], p_tariff.to_dates[t.rule], d.set_date)
  ) as r;
end
$$;

-- The tariff as a naive reader reads it: every cap repeats, applies every day, and runs 24 hours from entry where it names
-- no band. p_restored: the kinds of surprise whose rules are read as they are. For a tariff without overrides. Caps for days
-- that the list does not name come last, as additional rows.
create or replace function private.naive_tariff(p_tariff private.tariff, p_restored text[]) returns private.tariff
language plpgsql immutable
set search_path = ''
as $$
declare
  c_day constant bigint := 86400000000;
  c_count constant integer := coalesce(cardinality(p_tariff.rule_ids), 0);
  c_families constant text[] := p_tariff.families;
  c_starts constant bigint[] := p_tariff.starts;
  c_ends constant bigint[] := p_tariff.ends;
  c_bits constant integer[] := p_tariff.day_bits;
  c_prices constant bigint[] := p_tariff.cap_prices;
  v_result private.tariff := p_tariff;
  v_types text[] := p_tariff.cap_types;
  v_spans bigint[] := p_tariff.cap_spans;
  v_repeats boolean[] := p_tariff.cap_repeats;
  v_longest bigint := 0;
  v_covered integer;
  v_dearest integer;
  v_is_first boolean;
begin
  for v_rule in 1..c_count loop
    if c_families[v_rule] = 'cap' and c_starts[v_rule] is null then
      v_longest := greatest(v_longest, coalesce(v_spans[v_rule], c_day));
    end if;
  end loop;
  for v_rule in 1..c_count loop
    continue when v_types[v_rule] is null;
    if 'cap_once' <> all (p_restored) then
      v_repeats[v_rule] := true;
    end if;
    continue when c_starts[v_rule] is not null;
    if v_types[v_rule] = 'day' and 'cap_ends_at_midnight' <> all (p_restored) then
      v_types[v_rule] := 'duration';
      v_spans[v_rule] := c_day;
    elsif v_spans[v_rule] < c_day and 'cap_ends_before_exit' <> all (p_restored)
      and (c_families[v_rule] <> 'cap' or v_spans[v_rule] = v_longest)
    then
      v_spans[v_rule] := c_day;
    end if;
  end loop;
  for v_rule in 1..case when 'cap_not_on_day' = any (p_restored) then 0 else c_count end loop
    continue when c_families[v_rule] <> 'cap';
    -- Caps of one band, or those without a band, together.
    v_covered := 0;
    v_dearest := v_rule;
    v_is_first := true;
    for v_other in 1..c_count loop
      continue when c_families[v_other] <> 'cap' or c_starts[v_other] is distinct from c_starts[v_rule]
        or c_ends[v_other] is distinct from c_ends[v_rule];
      v_is_first := v_is_first and v_other >= v_rule;
      v_covered := v_covered | c_bits[v_other];
      if c_prices[v_other] > c_prices[v_dearest] then
        v_dearest := v_other;
      end if;
    end loop;
    continue when not v_is_first or v_covered & 1 = 1 or v_covered & 14 = 14;
    v_result.rule_ids := v_result.rule_ids || v_result.rule_ids[v_dearest];
    v_result.families := v_result.families || 'cap'::text;
    v_result.sets := v_result.sets || null::date;
    v_result.day_bits := v_result.day_bits || (14 - (v_covered & 14));
    v_result.starts := v_result.starts || v_result.starts[v_dearest];
    v_result.ends := v_result.ends || v_result.ends[v_dearest];
    v_result.units := v_result.units || null::bigint;
    v_result.prices := v_result.prices || null::bigint;
    v_result.cap_prices := v_result.cap_prices || v_result.cap_prices[v_dearest];
    v_types := v_types || v_types[v_dearest];
    v_spans := v_spans || v_spans[v_dearest];
    v_repeats := v_repeats || v_repeats[v_dearest];
    if p_tariff.from_dates is not null then
      v_result.from_dates := v_result.from_dates || v_result.from_dates[v_dearest];
      v_result.to_dates := v_result.to_dates || v_result.to_dates[v_dearest];
    end if;
  end loop;
  v_result.cap_types := v_types;
  v_result.cap_spans := v_spans;
  v_result.cap_repeats := v_repeats;
  return private.with_series(v_result);
end
$$;

-- The first moment at which a window of a cap begins on a day without this cap; null without one. Such a day has an
-- override, or the cap is one of the rows from p_added on, which a naive reader adds.
create or replace function private.first_uncapped(
  p_tariff private.tariff, p_added integer, p_time_zone text, p_holidays date[], p_overridden date[], p_entry bigint,
  p_exit bigint, p_offset bigint
) returns bigint
language plpgsql immutable
set search_path = ''
as $$
declare
  v_first bigint;
  v_now bigint;
  v_from bigint;
  v_date date;
  v_all_bits integer := 0;
  v_window record;
begin
  for v_rule in 1..cardinality(p_tariff.cap_types) loop
    if p_tariff.families[v_rule] = 'cap' then
      v_all_bits := v_all_bits | p_tariff.day_bits[v_rule];
    end if;
  end loop;
  for v_rule in case when p_overridden is null then p_added else 1 end..cardinality(p_tariff.cap_types) loop
    continue when p_tariff.families[v_rule] <> 'cap';
    v_now := p_entry;
    while v_now < coalesce(v_first, p_exit) loop
      v_window := private.window_at(
        p_tariff.cap_types[v_rule], p_tariff.cap_spans[v_rule], p_tariff.starts[v_rule], p_tariff.ends[v_rule], p_entry,
        p_exit, v_now, private.day_number(v_now + coalesce(p_offset, private.clock_offset(p_time_zone, v_now))),
        p_time_zone, p_offset
      );
      v_now := v_window.ends;
      continue when v_window.starts is null;
      v_from := greatest(v_window.starts, p_entry);
      v_date := date '1970-01-01' + private.day_number(
        v_from + coalesce(p_offset, private.clock_offset(p_time_zone, v_from))
      )::integer;
      if v_date = any (p_overridden) or (v_rule >= p_added
        and private.is_in_effect(p_tariff.from_dates[v_rule], p_tariff.to_dates[v_rule], v_date) and p_tariff.day_bits[v_rule]
        & private.bits_in_force(private.date_bits(v_date, p_holidays), v_all_bits) <> 0)
      then
        v_first := least(v_first, v_from);
      end if;
      exit when p_tariff.cap_repeats[v_rule] is not true;
    end loop;
  end loop;
  return v_first;
end
$$;

-- The list of prices that a vehicle of this type would have for this stay at each of these lots without a list of its own;
-- only for lots where it has one.
create function private.usual_tariffs(p_lot_ids uuid[], p_vehicle_type text, p_entry timestamptz, p_exit timestamptz)
returns table (parking_lot_id uuid, tariff private.tariff)
language plpgsql stable
set search_path = ''
as $$
begin
  return query
  select k.parking_lot_id, case when l.price_fixed_at_entry or c.parking_lot_id is not null then private.tariff_of_stay(
      k.tariff, case when l.price_fixed_at_entry then (p_entry at time zone l.time_zone)::date end, c.closed_from, c.closed_to
    ) else k.tariff end
  from private.tariffs k
  join public.parking_lots l on l.id = k.parking_lot_id
  left join private.free_hours(p_lot_ids, p_entry, p_exit) c on c.parking_lot_id = l.id
  where k.parking_lot_id = any (p_lot_ids) and k.is_default and not coalesce(p_vehicle_type = any (k.vehicle_types), false)
    and exists (
      select from private.tariffs o
      where o.parking_lot_id = k.parking_lot_id and not o.is_default
        and coalesce(p_vehicle_type = any (o.vehicle_types), false)
    );
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

-- The bills of the stay that have surprises, with the lots of each: lots with the same price list and the same bill are
-- read once. p_amounts: the fees of the lots; p_locked_in: the lots that the car cannot leave at the exit, and
-- p_next_exits: when it can, null for not within 14 days.
create or replace function private.surprising_bills(
  p_lot_ids uuid[], p_amounts bigint[], p_vehicle_type text, p_entry timestamptz, p_exit timestamptz, p_locked_in uuid[],
  p_next_exits timestamptz[]
) returns table (lot_ids uuid[], bill private.surprising_bill)
language plpgsql stable rows 50
set search_path = ''
set plan_cache_mode = force_generic_plan -- the arguments do not matter to the plan, and planning costs more than running
as $$
declare
  -- The lots of a search have one zone, whose offset need not be calculated for each of them.
  c_time_zone constant text := (select l.time_zone from public.parking_lots l where l.id = p_lot_ids[1]);
  c_offset constant bigint := private.steady_offset(
    c_time_zone, (extract(epoch from p_entry) * 1000000)::bigint, (extract(epoch from p_exit) * 1000000)::bigint
  );
begin
  if p_entry = p_exit then
    return;
  end if;
  return query
  select r.lot_ids, row (r.amount, r.currency, r.time_zone, r.found)::private.surprising_bill
  from (
    select k.lot_ids, k.amount, k.currency, k.time_zone, private.found_surprises(
      k.tariff, k.usual, k.time_zone, k.holidays, k.overridden, p_entry, p_exit, k.amount, k.longest, k.next_exit,
      case when k.time_zone = c_time_zone then c_offset end
    ) as found
    from (
      select array_agg(c.parking_lot_id) as lot_ids, c.tariff, c.usual, c.time_zone, c.currency, c.holidays, c.overridden,
        c.amount, c.longest, c.next_exit
      from (
        select s.parking_lot_id, private.unnamed_tariff(s.tariff) as tariff, private.unnamed_tariff(u.tariff) as usual,
          s.time_zone, s.currency, s.holidays, s.overridden, p.amount, e.next_exit,
          -- A bound that the stay keeps is none.
          case when p_exit - p_entry > l.max_parking_duration_min * interval '1 minute'
            then l.max_parking_duration_min * interval '1 minute' end as longest
        from private.stay_tariffs(p_lot_ids, p_vehicle_type, p_entry, p_exit) s
        join unnest(p_lot_ids, p_amounts) as p (id, amount) on p.id = s.parking_lot_id
        join public.parking_lots l on l.id = s.parking_lot_id
        left join private.usual_tariffs(p_lot_ids, p_vehicle_type, p_entry, p_exit) u on u.parking_lot_id = s.parking_lot_id
        left join unnest(p_locked_in, p_next_exits) as e (id, next_exit) on e.id = s.parking_lot_id
        where p.amount is not null and (
          s.overridden is not null or u.parking_lot_id is not null or e.next_exit is not null
          or coalesce(p_exit - p_entry > l.max_parking_duration_min * interval '1 minute', false)
          or private.may_surprise(s.tariff, s.time_zone, p_entry, p_exit, p.amount)
        )
      ) c
      group by c.tariff, c.usual, c.time_zone, c.currency, c.holidays, c.overridden, c.amount, c.longest, c.next_exit
    ) k
    offset 0 -- keeps the readings from being evaluated twice
  ) r
  where r.found <> '{}';
end
$$;

-- Attributes by hours, spots and the prices of today of these lots, independent of their tags. An attribute may occur more than once.
create or replace function private.derived_attributes(p_lot_ids uuid[]) returns table (parking_lot_id uuid, slug text)
language plpgsql stable
set search_path = ''
set enable_nestloop = off
as $$
#variable_conflict use_column
begin
  return query
  select h.parking_lot_id, h.slug from private.hours_attributes(p_lot_ids) h
  union all
  select r.parking_lot_id, a.slug
  from (
    select r.parking_lot_id, bool_or(r.cap_type is not null) as has_cap,
      bool_or(r.cap_price_minor <= 500 and (r.cap_type in ('day', 'stay') or r.cap_duration_hours >= 12)) as has_coin_cap
    from public.pricing_rules r
    join public.parking_lots l on l.id = r.parking_lot_id
    where r.parking_lot_id = any (p_lot_ids)
      and private.is_in_effect(r.effective_from, r.effective_to, (now() at time zone l.time_zone)::date)
    group by r.parking_lot_id
  ) r
  join public.parking_lots l on l.id = r.parking_lot_id and l.id = any (p_lot_ids)
  cross join lateral (values
    ('has_max_fee', r.has_cap), ('max_fee', r.has_cap), ('coin_500_or_less', r.has_coin_cap and l.currency = 'JPY')
  ) as a (slug, holds)
  where a.holds
  union all
  select l.id, 'low_price' from public.parking_lots l
  where l.id = any (p_lot_ids) and l.hour_price <= 300 and l.currency = 'JPY'
  union all
  select s.parking_lot_id, a.slug from public.parking_lot_spots s
  cross join lateral (values
    ('ev_charging', s.is_ev_charger), ('wheelchair_accessible', s.accessibility = 'wheelchair'), ('reservable', s.is_reservable)
  ) as a (slug, holds)
  where s.parking_lot_id = any (p_lot_ids) and a.holds;
end
$$;

-- The current prices of a lot that a stay may need: its rules, groups, and the dates of the stay that have prices of
-- their own.
create or replace function private.rules_of_stay(p_lot_id uuid, p_entry timestamptz, p_exit timestamptz) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select jsonb_build_object(
      'time_zone', l.time_zone, 'holiday_calendar', l.holiday_calendar, 'price_fixed_at_entry', l.price_fixed_at_entry,
      'pricing_rules', private.pricing_rules_json(l.id),
      'pricing_groups', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'id', g.id, 'code', g.code, 'name', g.name, 'is_default', g.is_default, 'display_order', g.display_order,
          'vehicle_types', g.vehicle_types, 'free_while_closed', g.free_while_closed
        ) order by g.display_order, g.id), '[]')
        from public.pricing_groups g where g.parking_lot_id = l.id
      ),
      'date_overrides', (
        select coalesce(jsonb_agg(jsonb_build_object('override_date', o.override_date, 'pricing', o.pricing) order by o.override_date), '[]')
        from public.parking_lot_date_overrides o
        where o.parking_lot_id = l.id and o.pricing is not null
          and o.override_date between (p_entry at time zone l.time_zone)::date and (p_exit at time zone l.time_zone)::date
      )
    )
    from public.parking_lots l where l.id = p_lot_id
  );
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
      'effective_from', r.effective_from, 'effective_to', r.effective_to
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

-- The fields of a lot that the console writes. Without columns that triggers keep.
create or replace function private.lot_fields() returns text[]
language sql immutable
return '{name,name_kana,address,lat,lng,area,total_spaces,status,structure,max_height_m,max_width_m,max_length_m,
  max_weight_t,min_clearance_cm,max_tire_width_mm,max_parking_duration_min,entry_method,shape_type,entry_difficulty,
  operator_code,phone,website,time_zone,holiday_calendar,currency,source,external_id,source_url,licence,attribution,
  price_fixed_at_entry}'::text[];

-- Changes fields of a lot that the caller has locked, each checked (null empties the field). Returns their
-- private.difference; {} when nothing changes. Errors: validation_error (param: the field), conflict (a status that may
-- not follow: details.allowed; the external_id of another lot).
create or replace function private.apply_lot_changes(p_lot_id uuid, p_changes jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_before public.parking_lots;
  v_after public.parking_lots;
  v_difference jsonb;
begin
  select * into v_before from public.parking_lots where id = p_lot_id;
  perform private.require_lot_fields(p_changes, v_before);
  v_after := jsonb_populate_record(v_before, p_changes);
  v_difference := private.difference(to_jsonb(v_before), to_jsonb(v_after));
  if v_difference = '{}' then
    return v_difference;
  end if;
  update public.parking_lots set
    name = v_after.name, name_kana = v_after.name_kana, address = v_after.address, lat = v_after.lat, lng = v_after.lng,
    area = v_after.area, total_spaces = v_after.total_spaces, status = v_after.status, structure = v_after.structure,
    max_height_m = v_after.max_height_m, max_width_m = v_after.max_width_m, max_length_m = v_after.max_length_m,
    max_weight_t = v_after.max_weight_t, min_clearance_cm = v_after.min_clearance_cm,
    max_tire_width_mm = v_after.max_tire_width_mm, max_parking_duration_min = v_after.max_parking_duration_min,
    entry_method = v_after.entry_method, shape_type = v_after.shape_type, entry_difficulty = v_after.entry_difficulty,
    operator_code = v_after.operator_code, phone = v_after.phone, website = v_after.website, time_zone = v_after.time_zone,
    holiday_calendar = v_after.holiday_calendar, currency = v_after.currency, source = v_after.source,
    external_id = v_after.external_id, source_url = v_after.source_url, licence = v_after.licence,
    attribution = v_after.attribution, price_fixed_at_entry = v_after.price_fixed_at_entry
  where id = p_lot_id;
  return v_difference;
end
$$;

-- Fills the stage from the temporary table import_rows, without the rejected lots. p_provenance: source, licence,
-- attribution, source_url.
create or replace function private.stage_import_rows(p_provenance jsonb, p_columns text[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  c_new constant jsonb := '{"time_zone": "Asia/Tokyo", "holiday_calendar": "JP", "currency": "JPY", "price_fixed_at_entry": false}';
begin
  perform private.open_import_stage(p_columns);
  -- Fields that a lot does not contain keep the stored value: the row is locked, so that it does not change meanwhile.
  perform from public.parking_lots l
  where l.source = p_provenance ->> 'source' and l.external_id in (select r.external_id from pg_temp.import_rows r)
  order by l.id for no key update;
  execute format(
    'insert into pg_temp.import_stage
    select r.index, %s, r.lot ->> %L, coalesce(nullif(r.lot -> %L, %L), %L),
      nullif(nullif(r.lot -> %L, %L), %L), nullif(nullif(r.lot -> %L, %L), %L)
    from pg_temp.import_rows r
    left join public.parking_lots l on l.source = $1 ->> %L and l.external_id = r.external_id
    cross join lateral jsonb_populate_record(
      case when l.id is null then jsonb_populate_record(null::public.parking_lots, $2) else l end, jsonb_strip_nulls($1) || r.lot
    ) as x
    where r.problems = %L',
    (select string_agg(format('x.%I', c.name), ', ' order by c.nth) from unnest(p_columns) with ordinality as c (name, nth)),
    'operator_name', 'tags', 'null', '{}', 'windows', 'null', '[]', 'pricing_rules', 'null', '[]', 'source', '[]'
  ) using p_provenance, c_new;
end
$$;

-- Makes the rows of a set equal to the result of private.placed_items; rows that do not change are not written.
create or replace function private.store_rows(p_lot_id uuid, p_set text, p_placed jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_table constant text := (private.lot_set_bounds(p_set)).table_name;
  -- A group is updated, because rules refer to it. Other rows that change are deleted and written again, so that codes can
  -- be exchanged.
  v_is_updated constant boolean := p_set = 'pricing_groups';
  v_written jsonb;
begin
  execute format('delete from public.%I where parking_lot_id = $1 and id <> all ($2)', v_table) using p_lot_id, array(
    select (i.item #>> '{row,id}')::uuid from jsonb_array_elements(p_placed) as i (item)
    where i.item @> '{"is_same": true}' or (v_is_updated and i.item @> '{"is_stored": true}')
  );
  if v_is_updated then
    select jsonb_agg(i.item -> 'row') into v_written from jsonb_array_elements(p_placed) as i (item)
    where i.item @> '{"is_stored": true, "is_same": false}';
    -- First to temporary values, because codes and the default are unique.
    update public.pricing_groups g set code = '~' || g.id, is_default = false
    from jsonb_populate_recordset(null::public.pricing_groups, v_written) w
    where g.id = w.id and (g.code, g.is_default) <> (w.code, w.is_default);
    update public.pricing_groups g
    set code = w.code, name = w.name, is_default = w.is_default, display_order = w.display_order, vehicle_types = w.vehicle_types,
      free_while_closed = w.free_while_closed
    from jsonb_populate_recordset(null::public.pricing_groups, v_written) w
    where g.id = w.id;
  end if;
  select jsonb_agg(i.item -> 'row') into v_written from jsonb_array_elements(p_placed) as i (item)
  where case when v_is_updated then i.item @> '{"is_stored": false}' else i.item @> '{"is_same": false}' end;
  if v_written is not null then
    execute format('insert into public.%1$I select r.* from jsonb_populate_recordset(null::public.%1$I, $1) r', v_table) using v_written;
  end if;
end
$$;

-- Properties of a set of a lot: its table, the maximum number of items, the field that must be unique among items (null:
-- none), and the default values of an item. Its fields, those it must have, and their rules are for private.check_fields.
-- All null: there is no such set.
create or replace function private.lot_set_bounds(
  p_set text, out table_name text, out max_items integer, out key_field text, out defaults jsonb, out fields text[], out required text[],
  out rules jsonb
)
language plpgsql immutable
set search_path = ''
as $$
begin
  select b.table_name, b.max_items, b.key_field, b.defaults::jsonb, b.fields::text[], b.required::text[], '{"*": {"blank": false}}' || b.rules::jsonb
  into table_name, max_items, key_field, defaults, fields, required, rules
  from (values
    ('spots', 'parking_lot_spots', 1000, 'code', '{"is_ev_charger": false, "is_reservable": false}',
      '{id,code,vehicle_type_max,is_ev_charger,ev_connector_type,accessibility,is_reservable}', '{code}',
      '{"vehicle_type_max": {"category": "vehicle_type"}, "ev_connector_type": {"category": "ev_connector_type"},
        "accessibility": {"category": "accessibility"}}'),
    ('pricing_groups', 'pricing_groups', 20, 'code', '{"is_default": false, "display_order": 0, "free_while_closed": false}',
      '{id,code,name,is_default,display_order,vehicle_types,free_while_closed}', '{code,name}', '{"vehicle_types": {"category": "vehicle_type"}}'),
    ('pricing_rules', 'pricing_rules', 200, null, '{}', '{id,pricing_group_id,effective_from,effective_to}', '{}', '{}'),
    ('windows', 'parking_lot_windows', 200, null, '{}',
      '{id,window_type,day_type,day_of_week,is_24h,is_closed,open_time,close_time,effective_from,effective_to}', '{window_type}', '{}'),
    ('date_overrides', 'parking_lot_date_overrides', 400, 'override_date', '{}', '{id,override_date,label,hours,pricing,note}',
      '{override_date}', '{"hours": {"type": "object"}, "pricing": {"type": "array"}}'),
    ('tags', 'parking_lot_tags', 100, 'tag_id', '{"state": true}', '{tag_id,state}', '{tag_id}', '{}'),
    ('images', 'parking_lot_images', 20, 'asset_id', '{"is_main": false}', '{id,asset_id,is_main,sort_order}', '{asset_id}', '{}')
  ) as b (set_name, table_name, max_items, key_field, defaults, fields, required, rules)
  where b.set_name = p_set;
end
$$;

-- private.field_errors of pricing rules. p_keys are the ids that a rule may have in addition to its terms.
create or replace function private.pricing_rule_errors(p_rules jsonb[], p_keys text[]) returns table (place bigint, field text, message text)
language plpgsql stable
set search_path = ''
as $$
declare
  -- A term that is absent is null.
  c_none constant jsonb := to_jsonb(jsonb_populate_record(null::private.pricing_terms, '{}'));
begin
  return query select * from private.field_errors(
    'private.pricing_terms', p_rules, p_keys || array(select jsonb_object_keys(c_none)), '{category}',
    '{"rule_order": {"null": false}, "id": {"type": "uuid", "null": false}, "parking_lot_id": {"type": "uuid", "null": false},
      "pricing_group_id": {"type": "uuid"}, "effective_from": {"type": "date"}, "effective_to": {"type": "date"}}', c_none
  );
end
$$;

-- Raises validation_error for pricing rules of one group and kind that are for the same days and hours, both with dates,
-- if their dates overlap. A rule without dates is the usual price, which one with dates may replace by its rule_order.
create function private.check_rule_dates(p_rules jsonb) returns void
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
    -- Several initial rules follow one another, and of several grace rules the longest counts.
    where t.category in ('time_band', 'flat', 'cap') and num_nonnulls(t.effective_from, t.effective_to) > 0
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

-- private.field_errors of items of a set of a lot, also of several lots.
create or replace function private.set_item_errors(p_set text, p_items jsonb[]) returns table (place bigint, field text, message text)
language plpgsql stable
set search_path = ''
as $$
declare
  v_bounds record := private.lot_set_bounds(p_set);
begin
  if p_set = 'pricing_rules' then
    -- The terms have a type of their own; the dates belong to the table.
    return query
    select distinct on (e.place, e.field) e.* from (
      select * from private.pricing_rule_errors(p_items, v_bounds.fields)
      union all
      select * from private.broken_checks('public.pricing_rules', array(
        select jsonb_build_object('effective_from', d.first, 'effective_to', d.last)
        from unnest(p_items) with ordinality as i (value, place)
        cross join lateral (select
          case when private.is_field_value(i.value -> 'effective_from', 'date') then i.value -> 'effective_from' end as first,
          case when private.is_field_value(i.value -> 'effective_to', 'date') then i.value -> 'effective_to' end as last
        ) d
        order by i.place
      ), '{}')
    ) e
    order by e.place, e.field;
  else
    return query select * from private.field_errors(
      ('public.' || v_bounds.table_name)::regclass, p_items, v_bounds.fields, v_bounds.required, v_bounds.rules,
      (select jsonb_object_agg(f, null) from unnest(v_bounds.fields) as f) || v_bounds.defaults
    );
  end if;
end
$$;

-- Raises validation_error (param: place and field) for items whose fields are valid, and that contradict each other.
create or replace function private.check_set_relations(p_set text, p_items jsonb) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_field text;
  v_nth bigint;
begin
  foreach v_field in array array_remove(array['id', (private.lot_set_bounds(p_set)).key_field], null) loop
    v_nth := private.repeated_item(p_items, v_field);
    if v_nth is not null then
      perform private.raise_error('validation_error', 422, format('Another item has the same %s. Each must be different.', v_field), p_param => format('%s.%s.%s', p_set, v_nth, v_field));
    end if;
  end loop;
  v_field := case p_set when 'pricing_groups' then 'is_default' when 'images' then 'is_main' end;
  select max(i.nth) - 1 into v_nth from jsonb_array_elements(p_items) with ordinality as i (value, nth)
  where i.value -> v_field = 'true' having count(*) > 1;
  if v_nth is not null then
    perform private.raise_error('validation_error', 422, format('At most one item may have %s.', v_field), p_param => format('%s.%s.%s', p_set, v_nth, v_field));
  end if;
  if p_set = 'windows' then
    perform private.check_windows(p_items);
  elsif p_set = 'pricing_rules' then
    perform private.check_rule_dates(p_items);
  end if;
end
$$;

insert into public.codes (category_id, code, lang, display_label, sort_order) values
  ('fee_rule_reason', 'date', 'ja', '適用期間外です', 75),
  ('fee_rule_reason', 'date', 'en', 'Not in effect on these dates', 75);

select cron.schedule('follow_price_changes', '41 seconds', 'do $work$ begin while private.next_price_change_batch() loop commit; end loop; end $work$');
