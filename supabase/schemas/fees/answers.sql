-- Fee answers: the explanation of a fee. The price line by line, which rules did not apply and why; and the meter.
--
-- Times are written with the offset of the lot's own clock: the functions that write them set the session's time zone to
-- that of the lot, and their own setting of it restores the caller's.
--
-- Invariants: the lines sum to the total exactly. The meter, calc-fee and private.stay_fees use the same tariff.
-- Interface: private.fee_answer (for finalize and the detail of a lot), private.explained_fee, private.fee_meter.

-- ---------------------------------------------------------------------------------------------------------------------
-- The parts of a breakdown
-- ---------------------------------------------------------------------------------------------------------------------

-- The instant this many microseconds after 1970.
create function private.instant_of_us(p_us bigint) returns timestamptz
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return timestamptz 'epoch' + p_us * interval '1 microsecond';
end
$$;

-- For each rule the fields that identify it, as JSON text: rule_id, and for a row of a date override its date.
create function private.fee_rule_names(p_tariff private.tariff) returns text[]
language plpgsql immutable
set search_path = ''
as $$
begin
  return array(
    select '"rule_id":' || coalesce(to_json(t.id)::text, 'null') || ',"override_date":' || coalesce(to_json(t.set_date)::text, 'null')
    from unnest(p_tariff.rule_ids, p_tariff.sets) with ordinality as t (id, set_date, rule)
    order by t.rule
  );
end
$$;

-- Lines of a breakdown, as JSON text. First the units in order of time, with consecutive units of one row together; then
-- the reduction by each window of a cap.
create function private.fee_lines(p_tariff private.tariff, p_walk private.fee_walk) returns text
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

-- Each window of a cap in which a unit began, in order of time, as JSON text.
create function private.fee_caps(p_tariff private.tariff, p_walk private.fee_walk) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  c_names constant text[] := private.fee_rule_names(p_tariff);
  c_cap_types constant text[] := p_tariff.cap_types;
  c_cap_prices constant bigint[] := p_tariff.cap_prices;
begin
  return (
    select coalesce(string_agg(
      '{' || c_names[w.rule] || ',"cap_type":"' || c_cap_types[w.rule] || '"'
        || ',"from":' || to_json(timestamptz 'epoch' + w.starts * interval '1 microsecond')
        || ',"to":' || to_json(timestamptz 'epoch' + w.ends * interval '1 microsecond')
        || ',"cap":' || c_cap_prices[w.rule] || ',"charged":' || c_cap_prices[w.rule] - w.room
        || ',"reached_at":' || coalesce(to_json(timestamptz 'epoch' + w.reached * interval '1 microsecond')::text, 'null') || '}',
      ',' order by w.starts, w.rule
    ), '')
    from unnest(p_walk.windows) w
  );
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- What had no part, and what to know
-- ---------------------------------------------------------------------------------------------------------------------

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

-- The codes of fee_note that apply to this fee. p_longest: what the lot allows; null: any length.
create function private.fee_notes(
  p_lot_id uuid, p_vehicle_type text, p_tariff private.tariff, p_walk private.fee_walk, p_days private.stay_days[],
  p_entry timestamptz, p_exit timestamptz, p_longest interval
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
  if p_exit - p_entry > p_longest then
    v_notes := v_notes || 'exceeds_max_duration'::text;
  end if;
  if exists (
    select from private.lots_without_holidays(array[p_lot_id], p_vehicle_type, p_entry, p_exit) u where u.for_fee
  ) then
    v_notes := v_notes || 'holiday_calendar_unknown'::text;
  end if;
  return v_notes;
end
$$;

-- The lot's own rules that did not apply to the fee, each with a code of fee_rule_reason.
create function private.fee_not_applied(p_lot_id uuid, p_tariff private.tariff, p_walk private.fee_walk, p_days private.stay_days[])
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

-- ---------------------------------------------------------------------------------------------------------------------
-- Answers
-- ---------------------------------------------------------------------------------------------------------------------

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
create function private.explained_fee(
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

-- private.explained_fee as one value: {total_amount, currency, breakdown, surprises} or {refusal}.
create function private.fee_answer(p_lot_id uuid, p_vehicle_type text, p_entry timestamptz, p_exit timestamptz) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select coalesce(f.answer::jsonb, jsonb_build_object('refusal', f.refusal))
    from private.explained_fee(p_lot_id, p_vehicle_type, p_entry, p_exit) f
  );
end
$$;

grant execute on function private.explained_fee(uuid, text, timestamptz, timestamptz) to anon, authenticated;

-- When the amount due rises, and by how much: at the starts of units from p_after on. Increases before p_not_before (the
-- end of grace) become due then.
create function private.fee_increases(
  p_walk private.fee_walk, p_after timestamptz, p_not_before timestamptz
) returns table (at timestamptz, increase bigint)
language plpgsql stable
set search_path = ''
as $$
declare
  c_after constant bigint := extract(epoch from p_after) * 1000000;
begin
  return query
  -- Of a segment: the units that are not free by caps; the last of them perhaps at less than its full price.
  select greatest(u.at, p_not_before), sum(u.increase)::bigint
  from unnest(p_walk.segments) s
  cross join lateral generate_series(
    -- The first unit that begins at p_after or later.
    greatest(0, (c_after - s.starts + s.unit_length - 1) / s.unit_length),
    least(s.units, (s.room + s.unit_price - 1) / nullif(s.unit_price, 0)) - 1
  ) as k
  cross join lateral (
    select private.instant_of_us(s.starts + k * s.unit_length) as at, least(s.unit_price, s.room - k * s.unit_price) as increase
  ) u
  where s.unit_price > 0 and s.starts + s.units * s.unit_length > c_after
  group by 1;
end
$$;

-- Until when a stay that began at p_entry may end free of charge by its grace rows; null without grace rows.
create function private.grace_until(
  p_tariff private.tariff, p_time_zone text, p_holidays date[], p_overridden date[], p_entry timestamptz
) returns timestamptz
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select max(p_entry + p_tariff.units[r] * interval '1 microsecond')
    from unnest(private.rows_at_entry(
      p_tariff, 'grace', p_holidays, p_overridden,
      (extract(epoch from p_entry at time zone p_time_zone) * 1000000)::bigint
    )) as r
  );
end
$$;

-- A running stay: {amount, currency, next_increase_at, next_amount, cap_reached, known_until, curve, notes, surprises}, or
-- {refusal} as in fee_answer. An increase becomes due after its at. The last point of the curve is the fee of an exit at
-- known_until: 24 hours ahead, or where the rate becomes unknown. notes: those of the curve. surprises: those of an exit
-- then that are still ahead, stay_too_long among them.
create function private.fee_meter(p_lot_id uuid, p_vehicle_type text, p_entry timestamptz, p_now timestamptz) returns jsonb
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

grant execute on function private.fee_meter(uuid, text, timestamptz, timestamptz) to anon, authenticated;
