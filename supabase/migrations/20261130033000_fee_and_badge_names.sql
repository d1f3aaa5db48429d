-- Names: private.compute_fee is the fee of a stay, and private.badge_errors has what is wrong with the conditions of badges.
--
-- The definitions are those of supabase/schemas after this change. The way back: the former names, walk_fee and
-- badge_faults (fault), and the callers as they were.

set lock_timeout = '2s';

alter function private.walk_fee(
  private.tariff, text, date[], date[], timestamptz, timestamptz, boolean, bigint
) rename to compute_fee;
alter table private.badge_faults rename to badge_errors;
alter table private.badge_errors rename column fault to error;
alter table private.badge_errors rename constraint badge_faults_pkey to badge_errors_pkey;
alter table private.badge_errors rename constraint badge_faults_badge_id_fkey to badge_errors_badge_id_fkey;

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
  p_exit := private.priced_exit(p_entry, p_exit);
  p_entry := date_trunc('second', p_entry);
  select s.*, u.tariff as usual into v_lot
  from private.stay_tariffs(array[p_lot_id], p_vehicle_type, p_entry, p_exit) s
  left join private.usual_tariffs(array[p_lot_id], p_vehicle_type, p_entry, p_exit) u on u.parking_lot_id = s.parking_lot_id;
  if not found then
    perform private.raise_error('lot_not_found', 404, 'There is no such parking lot.');
  end if;
  perform set_config('timezone', v_lot.time_zone, true);
  v_walk := private.compute_fee(
    case when v_lot.is_priced then v_lot.tariff end, v_lot.time_zone, v_lot.holidays, v_lot.overridden, p_entry, p_exit, true
  );
  if v_walk.refusal is not null then
    refusal := private.fee_refusal(v_walk, v_lot.is_priced, v_lot.currency);
    return;
  end if;
  if p_entry < p_exit then
    v_days := private.days_of_stay(v_lot.tariff, v_lot.time_zone, v_lot.holidays, v_lot.overridden, p_entry, p_exit);
    v_not_applied := private.fee_not_applied(p_lot_id, v_lot.tariff, v_walk, v_days);
    v_notes := private.fee_notes(p_lot_id, p_vehicle_type, v_lot.tariff, v_walk, v_days, p_entry, p_exit, v_lot.longest);
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

-- A running stay: {amount, currency, next_increase_at, next_amount, cap_reached, known_until, curve, notes, surprises}, or
-- {refusal} as in fee_answer. An increase becomes due after its at. The last point of the curve is the fee of an exit at
-- known_until: 24 hours ahead, or where the rate becomes unknown. notes: those of the curve. surprises: those of an exit
-- then that are still ahead, stay_too_long among them.
create or replace function private.fee_meter(p_lot_id uuid, p_vehicle_type text, p_entry timestamptz, p_now timestamptz) returns jsonb
language plpgsql stable
security definer -- row security would cost a look-up per rule; the caller has chosen a lot that the user may see
set search_path = ''
set timezone = 'UTC'
set plan_cache_mode = force_generic_plan -- the arguments do not matter to the plans, and planning costs more than running
as $$
declare
  v_horizon timestamptz;
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
  p_now := private.priced_exit(p_entry, p_now);
  p_entry := date_trunc('second', p_entry);
  v_horizon := least(p_now + interval '24 hours', p_entry + interval '8784 hours');
  select s.*, u.tariff as usual into v_lot
  from private.stay_tariffs(array[p_lot_id], p_vehicle_type, p_entry, v_horizon) s
  left join private.usual_tariffs(array[p_lot_id], p_vehicle_type, p_entry, v_horizon) u on u.parking_lot_id = s.parking_lot_id;
  if not found then
    perform private.raise_error('lot_not_found', 404, 'There is no such parking lot.');
  end if;
  perform set_config('timezone', v_lot.time_zone, true);
  if not v_lot.is_priced then
    v_lot.tariff := null;
  end if;
  v_walk := private.compute_fee(v_lot.tariff, v_lot.time_zone, v_lot.holidays, v_lot.overridden, p_entry, p_now, true);
  v_ahead := private.compute_fee(v_lot.tariff, v_lot.time_zone, v_lot.holidays, v_lot.overridden, p_entry, v_horizon, true);
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
    if (private.compute_fee(
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
    'notes', to_jsonb(private.fee_notes(
      p_lot_id, p_vehicle_type, v_lot.tariff, v_ahead,
      private.days_of_stay(v_lot.tariff, v_lot.time_zone, v_lot.holidays, v_lot.overridden, p_entry, v_horizon),
      p_entry, v_horizon, null
    )),
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

-- The fee of the stay at each of these lots, in minor units; or null and a refusal: no_rules, no_rate, only_totals,
-- vehicle_type_not_priced. With only_totals the fee is at_least and, if known, at_most so much. bill: for private.stay_surprises.
-- Errors: validation_error (exit_at).
create or replace function private.stay_fees(
  p_lot_ids uuid[], p_vehicle_type text, p_entry timestamptz, p_exit timestamptz
) returns table (
  parking_lot_id uuid, amount bigint, currency text, refusal text, at_least bigint, at_most bigint, bill private.stay_bill
)
language plpgsql stable rows 50
security definer -- row security would cost a look-up per rule; the caller has chosen lots that the user may see
set search_path = ''
set plan_cache_mode = force_generic_plan -- the arguments do not matter to the plans, and planning costs more than running
as $$
#variable_conflict use_column
declare
  c_entry_at constant timestamptz := date_trunc('second', p_entry);
  c_exit_at constant timestamptz := private.priced_exit(p_entry, p_exit);
  c_entry constant bigint := extract(epoch from c_entry_at) * 1000000;
  c_exit constant bigint := extract(epoch from c_exit_at) * 1000000;
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
      (f.walk).at_least, (f.walk).at_most, row (
        f.parking_lot_id, coalesce(f.plain, (f.walk).total), f.currency, f.time_zone, f.longest, f.holidays, f.overridden,
        f.tariff, f.is_special
      )::private.stay_bill
    from (
      select s.*, p.plain,
        case when p.plain is null then private.compute_fee(
          case when s.is_priced then s.tariff end, s.time_zone, s.holidays, s.overridden, c_entry_at, c_exit_at, false,
          case when s.time_zone = v_time_zone then v_offset end
        ) end as walk
      from private.stay_tariffs(p_lot_ids, p_vehicle_type, c_entry_at, c_exit_at) s
      cross join lateral (
        select case when s.is_priced and s.time_zone = v_time_zone and v_offset is not null and s.overridden is null
          then private.plain_fee(s.tariff, s.holidays, c_entry, c_exit, v_offset) end as plain
        offset 0 -- keeps the subquery from being evaluated twice
      ) p
      offset 0
    ) f;
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
  cross join lateral private.compute_fee(
    private.tariff_between(t.tariff, today.date, today.date), 'UTC', null, null, timestamptz '2026-06-03 12:00:00+00', timestamptz '2026-06-03 13:00:00+00', false, 0
  ) w;
end
$$;

-- The bill (p_total) minus the naive bill, by the kinds that make it, in the order in which they are restored; amounts
-- may be negative, and then their time does not matter. Empty when the naive bill is not lower, or unknown. p_usual:
-- the lot's default list, if the vehicle has another one. p_offset: private.steady_offset of the stay.
create or replace function private.fee_differences(
  p_tariff private.tariff, p_usual private.tariff, p_time_zone text, p_holidays date[], p_overridden date[],
  p_entry timestamptz, p_exit timestamptz, p_total bigint, p_offset bigint
) returns private.fee_surprise[]
language plpgsql stable
set search_path = ''
as $$
declare
  c_entry constant bigint := extract(epoch from p_entry) * 1000000;
  c_exit constant bigint := extract(epoch from p_exit) * 1000000;
  c_first constant date := (p_entry at time zone p_time_zone)::date;
  c_last constant date := ((p_exit - interval '1 microsecond') at time zone p_time_zone)::date;
  v_date date := c_first;
  v_every_day integer := 63;
  v_dates date[] := '{}';
  v_kinds text[];
  v_whole private.tariff; -- with the rows of overrides, which p_tariff is without
  v_read private.tariff;
  v_tariff private.tariff;
  v_restored private.tariff; -- with all restored kinds of windows; null: there is none
  v_naive private.fee_walk;
  v_usual private.fee_walk;
  v_bill bigint;
  v_bills bigint[];
  v_at bigint;
  v_amount bigint;
  v_found private.fee_surprise[] := '{}';
begin
  if p_overridden is not null then
    v_whole := p_tariff;
    p_tariff := private.own_tariff(p_tariff);
    v_dates := array(
      select d from unnest(p_overridden) as d
      where d between c_first and c_last
      order by d
    );
  end if;
  if p_tariff.rule_ids is null then
    return v_found;
  end if;
  while v_date <= c_last and v_every_day > 1 loop
    v_every_day := v_every_day & private.date_bits(v_date, p_holidays);
    v_date := v_date + 1;
  end loop;
  v_kinds := private.cap_traps(p_tariff, v_every_day);
  -- Below every cap both readings are the same.
  if v_dates = '{}' and (p_usual).rule_ids is null
    and (v_kinds = '{}' or p_total <= all (array_remove(p_tariff.cap_prices, null)))
  then
    return v_found;
  end if;
  v_read := private.naive_tariff(p_tariff, '{}');
  v_naive := private.compute_fee(v_read, p_time_zone, p_holidays, null, p_entry, p_exit, false, p_offset);
  if (p_usual).rule_ids is not null then
    v_usual := private.compute_fee(
      private.naive_tariff(private.own_tariff(p_usual), '{}'), p_time_zone, p_holidays, null, p_entry, p_exit, false, p_offset
    );
  end if;
  if v_naive.refusal is not null or p_total <= coalesce(v_usual.total, v_naive.total) then
    return v_found;
  end if;
  -- The bill after each kind is restored; after the last one it is the bill.
  for v_place in 1..cardinality(v_kinds) loop
    if v_place = cardinality(v_kinds) and v_dates = '{}' then
      v_bills[v_place] := p_total;
    else
      v_tariff := private.naive_tariff(p_tariff, v_kinds[:v_place]);
      v_bills[v_place] := (private.compute_fee(v_tariff, p_time_zone, p_holidays, null, p_entry, p_exit, false, p_offset)).total;
      if v_kinds[v_place] <> 'cap_not_on_day' then
        v_restored := v_tariff;
      end if;
    end if;
  end loop;
  if v_dates <> '{}' then
    -- A special day whose rates are the usual ones only lacks the caps.
    v_bill := (private.compute_fee(
      private.tariff_with_own_rates(v_whole), p_time_zone, p_holidays, p_overridden, p_entry, p_exit, false, p_offset
    )).total;
    if v_bill <> p_total then
      v_kinds := v_kinds || 'special_day_price'::text;
    elsif v_kinds[cardinality(v_kinds)] is distinct from 'cap_not_on_day' then
      v_kinds := v_kinds || 'cap_not_on_day'::text;
    end if;
    v_bills[cardinality(v_kinds)] := p_total;
  end if;
  if v_usual.total is not null then
    v_found := array[row ('other_vehicle_price', p_entry, v_naive.total - v_usual.total, null, null)::private.fee_surprise];
  end if;
  for v_place in 1..cardinality(v_kinds) loop
    v_amount := v_bills[v_place] - coalesce(v_bills[v_place - 1], v_naive.total);
    v_at := case when v_amount > 0 then case v_kinds[v_place]
      when 'special_day_price' then private.clock_instant(p_time_zone, (v_dates[1] - date '1970-01-01') * 86400000000, p_offset)
      when 'cap_not_on_day' then private.first_uncapped(
        case when v_restored.rule_ids is null then v_read else v_restored end, cardinality(p_tariff.rule_ids) + 1, p_time_zone, p_holidays,
        case when v_place = cardinality(v_kinds) then nullif(v_dates, '{}') end, c_entry, c_exit, p_offset
      )
      else private.first_cap_end(p_tariff, v_read, v_kinds[v_place], p_time_zone, c_entry, c_exit, p_offset)
    end end;
    v_found := v_found || row (
      v_kinds[v_place], case when v_at > c_entry and v_at < c_exit then private.instant_of_us(v_at) else p_entry end,
      v_amount, null, null
    )::private.fee_surprise;
  end loop;
  return v_found;
end
$$;

-- What costs more near the entry or the exit, or because of the lot, with an amount of its own. p_may_step: private.may_step;
-- p_edge: private.edge_after_entry, if it is before the exit. p_walk: to 15 minutes after the exit, with detail; it is not read
-- unless the stay is too long or p_may_step. p_longest: the longest stay that the lot allows. p_next_exit: when the car can
-- leave, if not at the exit.
create or replace function private.near_surprises(
  p_tariff private.tariff, p_time_zone text, p_holidays date[], p_overridden date[], p_entry timestamptz,
  p_exit timestamptz, p_total bigint, p_may_step boolean, p_edge timestamptz, p_walk private.fee_walk, p_longest interval,
  p_next_exit timestamptz
) returns private.fee_surprise[]
language plpgsql stable
set search_path = ''
as $$
declare
  c_near constant interval := '15 minutes';
  c_grace_until constant timestamptz := case when p_tariff.has_entry_rows
    then private.grace_until(p_tariff, p_time_zone, p_holidays, p_overridden, p_entry) end;
  v_metered bigint := 0;
  v_step record;
  v_amount bigint;
  v_found private.fee_surprise[] := '{}';
begin
  for v_rule in 1..cardinality(p_tariff.families) loop
    if p_tariff.families[v_rule] = 'rate' and p_tariff.units[v_rule] is not null then
      v_metered := greatest(v_metered, p_tariff.prices[v_rule]);
    end if;
  end loop;
  if p_may_step then
    for v_step in
      select i.at, i.increase, i.at >= p_exit as is_ahead
      from private.fee_increases(
        p_walk, case when p_exit - c_near <= coalesce(c_grace_until, '-infinity') then p_entry else p_exit - c_near end,
        c_grace_until
      ) i
      where i.increase > v_metered and i.at > p_entry and i.at >= p_exit - c_near and i.at < p_exit + c_near
        and (i.at is distinct from c_grace_until or i.at >= p_exit)
      order by i.at
    loop
      if v_step.is_ahead then
        v_found := v_found || row ('next_step_soon', v_step.at, v_step.increase, v_step.at, v_step.increase)::private.fee_surprise;
        exit;
      end if;
      v_amount := p_total - private.fee_until(p_walk, v_step.at);
      v_found := array[row ('cheaper_if_earlier', v_step.at, v_amount, v_step.at, v_amount)::private.fee_surprise];
    end loop;
  end if;
  if c_grace_until < p_exit and c_grace_until >= p_exit - c_near then
    v_found := v_found || row ('grace_exceeded', c_grace_until, p_total, c_grace_until, p_total)::private.fee_surprise;
  end if;
  if p_edge is not null then
    v_amount := p_total - (private.compute_fee(
      p_tariff, p_time_zone, p_holidays, p_overridden, p_edge, p_exit, false
    )).total;
    if v_amount > v_metered then
      v_found := v_found || row ('cheaper_if_later', p_edge, v_amount, null, v_amount)::private.fee_surprise;
    end if;
  end if;
  if p_exit - p_entry > p_longest and p_entry + p_longest > coalesce(c_grace_until, '-infinity') then
    v_amount := p_total - private.fee_until(p_walk, p_entry + p_longest);
    v_found := v_found || row ('stay_too_long', p_entry + p_longest, v_amount, p_entry + p_longest, v_amount)::private.fee_surprise;
  end if;
  if p_next_exit > p_exit then
    v_amount := (private.compute_fee(
      p_tariff, p_time_zone, p_holidays, p_overridden, p_entry, p_next_exit, false
    )).total - p_total;
    v_found := v_found || row ('closed_at_exit', p_exit, v_amount, null, null)::private.fee_surprise;
  end if;
  return v_found;
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
  c_may_step constant boolean := private.may_step(p_tariff, (extract(epoch from p_exit - p_entry) * 1000000)::bigint);
  c_edge constant timestamptz := private.edge_after_entry(p_tariff, p_time_zone, p_entry);
  c_has_walk constant boolean := c_may_step or coalesce(p_exit - p_entry > p_longest, false);
  v_first date;
  v_last date;
  v_walk private.fee_walk;
  v_one private.fee_surprise;
  v_saves bigint;
  v_found private.fee_surprise[] := '{}';
begin
  -- The price of an earlier or later exit is not published.
  if 'published_total' = any (p_tariff.families) then
    return v_found;
  end if;
  if c_has_walk then
    v_walk := private.compute_fee(
      p_tariff, p_time_zone, p_holidays, p_overridden, p_entry, p_exit + interval '15 minutes', true, p_offset
    );
  end if;
  -- Below every cap both readings are the same. A usual list of no rules does not matter.
  if p_overridden is not null or p_usual.rule_ids is not null or not p_total <= all (array_remove(p_tariff.cap_prices, null)) then
    v_first := (p_entry at time zone p_time_zone)::date;
    v_last := (p_exit at time zone p_time_zone)::date;
    -- A reader of the sign sees the rules of the stay's dates. Most tariffs have no dates, and a call costs more than a look.
    foreach v_one in array private.fee_differences(
      case when p_tariff.from_dates is null then p_tariff else private.tariff_between(p_tariff, v_first, v_last) end,
      case when p_usual.from_dates is null then p_usual else private.tariff_between(p_usual, v_first, v_last) end,
      p_time_zone, p_holidays, p_overridden, p_entry, p_exit, p_total,
      coalesce(p_offset, private.steady_offset(
        p_time_zone, (extract(epoch from p_entry) * 1000000)::bigint, (extract(epoch from p_exit) * 1000000)::bigint
      ))
    ) loop
      continue when not private.is_worth_naming(v_one.amount, p_total);
      if v_one.at > p_entry then
        if not c_has_walk then
          v_saves := (private.compute_fee(
            p_tariff, p_time_zone, p_holidays, p_overridden, p_entry, v_one.at, false, p_offset
          )).total;
          -- An exit then may be free of charge by grace, which is not a price until then.
          if v_saves = 0 and p_tariff.has_entry_rows and v_walk.segments is null then
            v_walk := private.compute_fee(p_tariff, p_time_zone, p_holidays, p_overridden, p_entry, p_exit, true, p_offset);
          end if;
        end if;
        v_saves := p_total - case when v_walk.segments is not null then private.fee_until(v_walk, v_one.at) else v_saves end;
        if v_saves > 0 then
          v_one.leave_by := v_one.at;
          v_one.saves := v_saves;
        end if;
      end if;
      v_found := v_found || v_one;
    end loop;
  end if;
  if c_has_walk or p_next_exit > p_exit or c_edge < p_exit then
    foreach v_one in array private.near_surprises(
      p_tariff, p_time_zone, p_holidays, p_overridden, p_entry, p_exit, p_total, c_may_step,
      case when c_edge < p_exit then c_edge end, v_walk, p_longest, p_next_exit
    ) loop
      if private.is_worth_naming(v_one.amount, p_total) then
        v_found := v_found || v_one;
      end if;
    end loop;
  end if;
  return v_found;
end
$$;

-- Processes the next batch of users of a running rebuild; false when there is none. Commit after each call.
create or replace function private.next_badge_batch(p_users integer default 1000) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_job private.badge_backfills;
  v_badge public.badges;
  v_error text[];
  v_user_ids uuid[] := '{}';
begin
  -- One worker at a time on a badge; another takes the next badge, or none. A transaction that changes the badge waits for
  -- the job when it commits, and nothing here waits for it: the change restarts the rebuild.
  select f.* into v_job
  from private.badge_backfills f join public.badges b on b.id = f.badge_id
  where f.finished_at is null order by f.badge_id limit 1
  for no key update of f skip locked for key share of b skip locked;
  if not found then
    return false;
  end if;
  select * into v_badge from public.badges b where b.id = v_job.badge_id;
  v_error := private.badge_conditions_error(v_badge.conditions);
  if v_error is not null then
    insert into private.badge_errors (badge_id, error) values (v_badge.id, v_error[2]) on conflict do nothing;
  else
    v_user_ids := private.next_users(v_job.last_user_id, p_users);
    perform private.rebuild_badge(v_badge, v_user_ids);
  end if;
  update private.badge_backfills f
  set last_user_id = coalesce(v_user_ids[cardinality(v_user_ids)], f.last_user_id),
    done_users = f.done_users + cardinality(v_user_ids), updated_at = clock_timestamp(),
    total_users = case when cardinality(v_user_ids) < p_users then f.done_users + cardinality(v_user_ids) else f.total_users end,
    finished_at = case when cardinality(v_user_ids) < p_users then clock_timestamp() end
  where f.badge_id = v_job.badge_id;
  return true;
end
$$;

-- Counts an activity, or a state that begins, for every badge that it meets and the user has not earned, and gives those
-- that are earned by it. A badge with invalid conditions is noted and skipped.
create or replace function private.count_for_badges(
  p_user_id uuid, p_kind text, p_subject_id uuid, p_lot_id uuid, p_metadata jsonb, p_at timestamptz
) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_badge public.badges;
  v_error text[];
  v_mark text;
  v_badge_ids uuid[] := '{}';
  v_marks text[] := '{}';
  v_metadata jsonb := private.badge_metadata(p_kind, p_metadata, p_at);
begin
  -- One transaction a user at a time, and none during a rebuild of their progress.
  perform 1 from public.app_users u where u.id = p_user_id and u.status <> 'withdrawn' for no key update;
  if not found then
    return;
  end if;
  -- Badges that clearly count other kinds are left out first. Badges without readable kinds are evaluated, and noted.
  for v_badge in
    select * from public.badges b
    where b.is_active
      and not exists (select from public.user_badges u where u.user_id = p_user_id and u.badge_id = b.id)
      and (b.conditions -> 'activity' ? p_kind or coalesce(jsonb_typeof(b.conditions -> 'activity'), '') <> 'array')
    order by b.id
  loop
    v_error := private.badge_conditions_error(v_badge.conditions);
    if v_error is not null then
      insert into private.badge_errors (badge_id, error) values (v_badge.id, v_error[2]) on conflict do nothing;
    elsif private.meets_badge_conditions(v_metadata, v_badge.conditions) then
      v_mark := private.badge_mark(v_badge.conditions ->> 'measure', p_kind, p_subject_id, p_lot_id, p_at);
      if v_mark is not null then
        v_badge_ids := v_badge_ids || v_badge.id;
        v_marks := v_marks || v_mark;
      end if;
    end if;
  end loop;
  perform private.earn_badge(p_user_id, b.id) from unnest(private.mark_badges(p_user_id, v_badge_ids, v_marks)) as b (id);
end
$$;
