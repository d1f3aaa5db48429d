-- The fees of eight standard stays, by a lot's rules or by rules that are not stored: a sign is compared with today's prices.
--
-- The definitions are those of supabase/schemas after this change. The way back is a file of its own.

set lock_timeout = '2s';

-- The eight stays by which tariffs are compared, at a lot's own clock. Their days are the next Wednesday that is neither a
-- holiday nor an eve, and the next Saturday and Sunday that are no holidays. The last one is the next holiday from Monday to
-- Friday; without one, Sunday.
create function private.standard_stays(p_time_zone text, p_holiday_calendar text)
returns table (place integer, name text, entry_at timestamptz, exit_at timestamptz)
language plpgsql stable
set search_path = ''
as $$
begin
  return query
  with days as (
    select d::date as day, extract(isodow from d)::integer as dow,
      exists (select from public.holidays h where h.calendar = p_holiday_calendar and h.holiday_date = d::date) as is_holiday,
      exists (select from public.holidays h where h.calendar = p_holiday_calendar and h.holiday_date = d::date + 1) as is_eve
    from generate_series(1, 400) n
    cross join lateral (select (now() at time zone p_time_zone)::date + n as d) s
  ), kinds as (
    select min(day) filter (where dow = 3 and not is_holiday and not is_eve) as weekday,
      min(day) filter (where dow = 6 and not is_holiday) as saturday,
      min(day) filter (where dow = 7 and not is_holiday) as sunday,
      min(day) filter (where dow < 6 and is_holiday) as holiday
    from days
  )
  select s.place, s.name, s.entry, s.entry + s.length
  from kinds k
  cross join lateral (values
    (1, 'hour', k.weekday + time '10:00', interval '1 hour'),
    (2, 'three_hours', k.weekday + time '10:00', interval '3 hours'),
    (3, 'day', k.weekday + time '08:00', interval '12 hours'),
    (4, 'night', k.weekday + time '20:00', interval '12 hours'),
    (5, 'day_and_night', k.weekday + time '10:00', interval '25 hours 30 minutes'),
    (6, 'saturday', k.saturday + time '10:00', interval '8 hours'),
    (7, 'sunday_night', k.sunday + time '21:00', interval '21 hours 30 minutes'),
    (8, 'holiday', coalesce(k.holiday, k.sunday) + time '10:00', interval '6 hours')
  ) v (place, name, wall, length)
  cross join lateral (select v.place, v.name, v.wall at time zone p_time_zone as entry, v.length) s;
end
$$;

create function api.admin_preview_standard_stays(
  p_admin_id uuid, p_parking_lot_id uuid, p_pricing_rules jsonb default null, p_vehicle_type text default 'standard'
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_lot record;
  v_stays jsonb;
begin
  perform private.lock_admin(p_admin_id, 'lots');
  perform private.check_vehicle_type(p_vehicle_type);
  if p_parking_lot_id is null then
    return '{"currency": null, "stays": null}';
  end if;
  -- As in admin_preview_parking_lot_fee: the rules are stored, the stays are priced, and all of it is rolled back.
  begin
    select l.time_zone, l.holiday_calendar, l.currency into v_lot
    from public.parking_lots l where l.id = p_parking_lot_id for no key update;
    if not found then
      perform private.reject_missing_lot();
    end if;
    if p_pricing_rules is not null then
      perform private.store_set(p_admin_id, p_parking_lot_id, 'pricing_rules', p_pricing_rules);
    end if;
    select jsonb_agg(jsonb_build_object(
        'name', s.name, 'entry_at', s.entry_at, 'exit_at', s.exit_at,
        'total_amount', f.answer -> 'total_amount', 'reason', f.refusal -> 'reason'
      ) order by s.place) into v_stays
    from private.standard_stays(v_lot.time_zone, v_lot.holiday_calendar) s
    cross join lateral private.explained_fee(p_parking_lot_id, p_vehicle_type, s.entry_at, s.exit_at) f;
    raise exception using errcode = 'UNDO0';
  exception when sqlstate 'UNDO0' then
    null;
  end;
  return jsonb_build_object('currency', v_lot.currency, 'stays', v_stays);
end
$$;

comment on function api.admin_preview_standard_stays(uuid, uuid, jsonb, text) is
  'The fees of eight stays at a lot of any status, by its rules or by p_pricing_rules in their place: {currency, stays: [{name, entry_at, exit_at, total_amount, reason}]}, the amount in minor units, or null with the reason of fee_unknown. Without a lot both are null. Stores and records nothing. For administrators with the area lots. Errors: forbidden, lot_not_found, validation_error, conflict.';
