-- The hours of a lot in the next seven days, for those who draw them.
--
-- Interface: private.week_json for the detail of a lot. It runs as the caller.

-- days: the seven local dates of a lot from today on, with the name of the holiday and the date override of each. spans:
-- the three answers, without gaps. Consecutive spans differ.
create function private.week_json(p_lot_id uuid, p_lang text) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_lot record;
begin
  select l.time_zone, l.holiday_calendar, (now() at time zone l.time_zone)::date as today into v_lot
  from public.parking_lots l where l.id = p_lot_id;
  return (
    with days as materialized (
      select v_lot.today + n as day, (v_lot.today + n)::timestamp at time zone v_lot.time_zone as starts_at,
        (v_lot.today + n + 1)::timestamp at time zone v_lot.time_zone as ends_at
      from generate_series(0, 6) as n
    ),
    week as materialized (
      select min(d.starts_at) as starts_at, max(d.ends_at) as ends_at from days d
    ),
    answers as materialized (
      select a.*, row(a.is_open, a.can_enter, a.can_exit) is distinct from
        lag(row(a.is_open, a.can_enter, a.can_exit)) over (order by a.at) as is_change
      from week w
      cross join lateral private.hours_at_moments(array[p_lot_id], array[w.starts_at], w.ends_at) a
      where a.at < w.ends_at
    ),
    changes as materialized (
      select a.*, lead(a.at) over (order by a.at) as until from answers a where a.is_change
    )
    select jsonb_build_object(
      'days', (
        select jsonb_agg(
          jsonb_build_object(
            'date', d.day, 'starts_at', d.starts_at, 'ends_at', d.ends_at,
            'holiday', case p_lang when 'en' then coalesce(h.name_en, h.name) else h.name end,
            'date_override_id', o.id
          )
          order by d.day
        )
        from days d
        left join lateral (
          -- The name that the part of a country has for it comes first.
          select o.name, o.name_en from public.holidays o
          where o.calendar in (v_lot.holiday_calendar, left(v_lot.holiday_calendar, 2)) and o.holiday_date = d.day
          order by o.calendar = v_lot.holiday_calendar desc limit 1
        ) h on true
        left join public.parking_lot_date_overrides o on o.parking_lot_id = p_lot_id and o.override_date = d.day
      ),
      'spans', (
        select jsonb_agg(
          jsonb_build_object(
            'from', c.at, 'to', coalesce(c.until, w.ends_at), 'is_open', c.is_open, 'can_enter', c.can_enter,
            'can_exit', c.can_exit
          )
          order by c.at
        )
        from changes c cross join week w
      )
    )
  );
end
$$;

grant execute on function private.week_json(uuid, text) to anon, authenticated;
