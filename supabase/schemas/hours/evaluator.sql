-- The evaluator of hours: whether a lot is open, may be entered and may be left, at any moment, for many lots at once.
--
-- private.hours_of_days evaluates the dates of lots: which rows apply to a date, which of the three answers each row serves,
-- and its first and last instant. Of the rows that match, those of the best rank apply. The spans of a date override have the
-- best rank. Everything else reads that: the answers at a moment, when they change, a planned stay.
--
-- Invariants: an answer is true, false, or null where unknown. A window belongs to the date on which it begins, and counts
-- on that date and the next. Postgres resolves local times (of two instants the second; a skipped time is as much later).
-- So a window may be longer, shorter or empty when clocks change.
-- Interface: private.hours_at, private.next_changes and private.planned_stays for the functions of api; hours_json and
-- date_overrides_json return those parts of the detail. All run as the caller: a lot that the caller cannot see is absent.

-- These force a generic plan, made once per connection, because planning takes longer than running. The planner cannot
-- know whether there are one lot or thousands; a hash join is never much slower. They announce few rows, because memory
-- for many would be allocated in advance.

-- The local dates of lots from the day before p_from to that of p_to, with day_of_week (0 is Sunday) and the bits of the
-- days. for_overnight: the day before, when only windows past midnight can matter. (Others can when clocks reach a
-- midnight twice.)
-- Bit 64 extends the bits of day types (hours/days_and_clocks.sql): rows that name only a day of the week.
create function private.lot_days(p_lot_ids uuid[], p_from timestamptz, p_to timestamptz)
returns table (
  parking_lot_id uuid, time_zone text, local_date date, day_of_week integer, days integer, for_overnight boolean
)
language plpgsql stable rows 50
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_nestloop = off
set jit = off
as $$
begin
  return query
  with lots as materialized (
    select l.id, l.time_zone, l.holiday_calendar as calendar, (p_from at time zone l.time_zone)::date as first_date,
      (p_to at time zone l.time_zone)::date as last_date
    from public.parking_lots l
    where l.id = any (p_lot_ids)
  ),
  dates as materialized (
    select c.calendar, d.local_date, extract(dow from d.local_date)::integer as day_of_week,
      64 | private.date_bits(d.local_date, c.holidays) as days
    from (select min(l.first_date) - 1 as first_date, max(l.last_date) as last_date from lots l) s
    cross join lateral (
      select k.calendar, private.holidays_between(k.calendar, s.first_date, s.last_date + 1) as holidays
      from (select distinct l.calendar from lots l) k
    ) c
    cross join lateral (select s.first_date + n from generate_series(0, s.last_date - s.first_date) n) as d (local_date)
  )
  select l.id, l.time_zone, d.local_date, d.day_of_week, d.days,
    d.local_date < l.first_date and l.first_date::timestamp at time zone l.time_zone <= p_from
  from lots l
  join dates d on d.calendar = l.calendar and d.local_date between l.first_date - 1 and l.last_date;
end
$$;

-- The windows of lots and the spans of their date overrides near the two moments, in one form. is_named: the override
-- names this kind, and the row is not its short form.
-- The standing of a row is its rank, smaller first, and in the last two bits its effect: 0 closes, 1 opens, 2 has no effect.
create function private.hours_rows(p_lot_ids uuid[], p_from timestamptz, p_to timestamptz)
returns table (
  parking_lot_id uuid, kind text, days integer, day_of_week integer, first_date date, last_date date,
  standing integer, opens interval, closes interval, is_override boolean, is_named boolean
)
language plpgsql stable rows 50
security definer -- row security would look up the lot of every row; private.lot_days leaves out lots that the caller cannot see
set search_path = ''
set plan_cache_mode = force_generic_plan
set jit = off
as $$
begin
  return query
  select r.parking_lot_id, r.kind, r.days, r.day_of_week, r.first_date, r.last_date,
    r.rank + case when r.is_closed then 0 when r.is_24h or r.open_time is not null then 1 else 2 end,
    case when r.is_24h then interval '0' else r.open_time::interval end,
    case when r.is_24h then interval '24 hours' else r.close_time::interval end
      + case when r.is_24h or r.close_time > r.open_time then interval '0' else interval '24 hours' end,
    r.is_override, r.is_named
  from (
    select w.parking_lot_id, w.window_type,
      case when w.day_type is null and w.day_of_week is not null then 64 else private.day_bit(w.day_type) end,
      w.day_of_week, coalesce(w.effective_from, '-infinity'), coalesce(w.effective_to, 'infinity'),
      case when w.day_type = 'holiday' then 4 when w.day_type = 'holiday_eve' then 8
        when w.day_of_week is not null then 12 when w.day_type <> 'all' then 16 else 20 end,
      w.is_closed, w.is_24h, w.open_time, w.close_time, false, false
    from public.parking_lot_windows w
    where w.parking_lot_id = any (p_lot_ids)
    union all
    select o.parking_lot_id, k.kind, 1, null, o.override_date, o.override_date, 0, s.is_closed, s.is_24h, s.open_time,
      s.close_time, true, o.hours ? k.kind
    from public.parking_lot_date_overrides o
    cross join (
      values ('business', true, true), ('entry', true, true), ('exit', false, true), ('after_hours_exit', false, false)
    ) as k (kind, by_is_closed, by_is_24h)
    cross join lateral jsonb_to_recordset(
      case
        when o.hours -> k.kind <> '[]' then o.hours -> k.kind
        when o.hours ? k.kind or (k.by_is_closed and o.hours @> '{"is_closed": true}') then '[{"is_closed": true}]'
        when k.by_is_24h and o.hours @> '{"is_24h": true}' then '[{"is_24h": true}]'
        else '[]'
      end
    ) as s (is_closed boolean, is_24h boolean, open_time time, close_time time)
    where o.parking_lot_id = any (p_lot_ids)
      and o.override_date between (p_from at time zone 'UTC')::date - 2 and (p_to at time zone 'UTC')::date + 1
  ) as r (
    parking_lot_id, kind, days, day_of_week, first_date, last_date, rank, is_closed, is_24h, open_time, close_time,
    is_override, is_named
  );
end
$$;

-- The hours of the local dates of lots from the day before p_from (its windows may still be open) to that of p_to. One
-- row per window, with the answers it serves and its instants. Rows without instants for dates and kinds without a
-- window, known or unknown.
create function private.hours_of_days(p_lot_ids uuid[], p_from timestamptz, p_to timestamptz)
returns table (
  parking_lot_id uuid, time_zone text, local_date date, for_open boolean, for_entry boolean, for_exit boolean,
  is_known boolean, starts_at timestamptz, ends_at timestamptz
)
language plpgsql stable rows 50
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_nestloop = off
set jit = off
as $$
begin
  return query
  with hours as materialized (select r.* from private.hours_rows(p_lot_ids, p_from, p_to) r),
  days as materialized (
    select row_number() over () as n, d.*, o.has_entry, o.has_exit
    from private.lot_days(p_lot_ids, p_from, p_to) d
    left join (
      select h.parking_lot_id, bool_or(h.closes > interval '24 hours') as is_overnight,
        bool_or(h.kind = 'entry' and not h.is_override) as has_entry,
        bool_or(h.kind = 'exit' and not h.is_override) as has_exit
      from hours h
      group by h.parking_lot_id
    ) o on o.parking_lot_id = d.parking_lot_id
    where o.is_overnight or not d.for_overnight
  ),
  holiday_kinds as materialized (
    select d.n, h.kind
    from days d
    join hours h on h.parking_lot_id = d.parking_lot_id and d.local_date between h.first_date and h.last_date
    where d.days & 32 <> 0 and h.days = 32
  ),
  ranked as (
    select e.*, min(e.standing) over (partition by e.n, e.kind collate "C") as best
    from (
      select d.*, h.kind, h.is_named, h.opens, h.closes,
        -- Rows that do not match come after all ranks, and close: hours for other dates mean closed on this date.
        case
          when d.days & h.days <> 0 and (h.day_of_week is null or h.day_of_week = d.day_of_week)
            and not (d.days & 32 <> 0 and h.days & 33 = 0 and (d.n, h.kind) in (select k.* from holiday_kinds k))
            then h.standing
          else 24
        end as standing
      from days d
      left join hours h on h.parking_lot_id = d.parking_lot_id and d.local_date between h.first_date and h.last_date
      offset 0 -- keeps the planner from evaluating the standing twice
    ) e
  )
  select r.parking_lot_id, r.time_zone, r.local_date, r.kind = 'business',
    r.kind = case when r.has_entry or bool_or(r.is_named and r.kind = 'entry') over d then 'entry' else 'business' end,
    r.kind = case when r.has_exit or bool_or(r.is_named and r.kind = 'exit') over d then 'exit' else 'business' end
      or r.kind = 'after_hours_exit',
    r.kind <> 'after_hours_exit' and r.best & 3 <> 2,
    case when r.best & 3 = 1 then (r.local_date + r.opens) at time zone r.time_zone end,
    case when r.best & 3 = 1 then (r.local_date + r.closes) at time zone r.time_zone end
  from ranked r
  where r.standing = r.best
  window d as (partition by r.n);
end
$$;

-- The three answers of every lot at one or two moments, and at each later moment until p_until at which an answer may
-- change. The moments should be days apart, not years: every date between them is evaluated.
create function private.hours_at_moments(p_lot_ids uuid[], p_moments timestamptz[], p_until timestamptz default null)
returns table (parking_lot_id uuid, at timestamptz, is_open boolean, can_enter boolean, can_exit boolean)
language plpgsql stable rows 50
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_nestloop = off
set jit = off
as $$
declare
  c_first constant timestamptz := least(p_moments[1], p_moments[2]);
  c_last constant timestamptz := greatest(p_moments[1], p_moments[2]);
  -- For many lots, or with p_until, this look-up costs as much as it saves.
  v_always uuid[] := case when cardinality(p_lot_ids) between 1 and 3 and p_until is null
    then private.always_open(p_lot_ids, c_first, c_last) else '{}' end;
  v_lot_ids uuid[] := p_lot_ids;
begin
  if v_always <> '{}' then
    v_lot_ids := array(select unnest(p_lot_ids) except select unnest(v_always));
    return query select a.id, m.at, true, true, true
    from unnest(v_always) as a (id) cross join (select distinct t from unnest(p_moments) as t) as m (at);
  end if;
  if v_lot_ids = '{}' then
    return;
  end if;
  return query
  with hours as materialized (
    select h.* from private.hours_of_days(v_lot_ids, c_first, greatest(c_last, p_until)) h
  ),
  moments as (
    select m.at from unnest(p_moments) as m (at)
    union
    -- An answer changes only where a window begins or ends, or with the date: at a midnight, or the first of two.
    select c.at
    from hours h
    cross join lateral (
      values (h.starts_at), (h.ends_at), (h.local_date::timestamp at time zone h.time_zone),
        ((h.local_date - interval '3 hours') at time zone h.time_zone + interval '3 hours')
    ) as c (at)
    where p_until is not null and c.at > c_last and c.at <= p_until
  ),
  -- A moment reads its own date and the day before.
  checked_dates as materialized (
    select z.time_zone, m.at, d.local_date - y.n as local_date, y.n = 0 as is_today
    from (select distinct h.time_zone from hours h) z
    cross join moments m
    cross join lateral (select (m.at at time zone z.time_zone)::date as local_date) d
    cross join (values (0), (1)) as y (n)
  )
  select h.parking_lot_id, l.at,
    case when bool_or(h.for_open and s.holds) then true when bool_or(h.for_open and s.is_known) then false end,
    case when bool_or(h.for_entry and s.holds) then true when bool_or(h.for_entry and s.is_known) then false end,
    case when bool_or(h.for_exit and s.holds) then true when bool_or(h.for_exit and s.is_known) then false end
  from checked_dates l
  join hours h on h.time_zone = l.time_zone and h.local_date = l.local_date
  cross join lateral (
    select l.at >= h.starts_at and l.at < h.ends_at as holds, h.is_known and l.is_today as is_known
  ) s
  group by h.parking_lot_id, l.at;
end
$$;

-- For lots that cannot be left at p_after: when the next window begins that allows exit. No row when that is not before
-- p_until.
create function private.next_exits(p_lot_ids uuid[], p_after timestamptz, p_until timestamptz)
returns table (parking_lot_id uuid, starts_at timestamptz)
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
begin
  if p_lot_ids = '{}' then
    return;
  end if;
  return query
  select h.parking_lot_id, min(h.starts_at)
  from private.hours_of_days(p_lot_ids, p_after, p_until) h
  where h.for_exit and h.starts_at > p_after and h.starts_at <= p_until and h.starts_at < h.ends_at
  group by h.parking_lot_id;
end
$$;

-- Whether each lot is open, may be entered, may be left at a moment: true, false, or null where unknown.
create function private.hours_at(p_lot_ids uuid[], p_at timestamptz)
returns table (parking_lot_id uuid, is_open boolean, can_enter boolean, can_exit boolean)
language plpgsql stable
set search_path = ''
as $$
begin
  return query
  select m.parking_lot_id, m.is_open, m.can_enter, m.can_exit from private.hours_at_moments(p_lot_ids, array[p_at]) m;
end
$$;

-- The three answers at p_at, and when each of them changes next, within 14 days; null when it does not change.
create function private.next_changes(p_lot_id uuid, p_at timestamptz)
returns table (
  is_open boolean, can_enter boolean, can_exit boolean,
  is_open_changes_at timestamptz, can_enter_changes_at timestamptz, can_exit_changes_at timestamptz
)
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
declare
  v_lasting record := private.lasting_hours(p_lot_id, p_at, p_at + interval '336 hours');
  v_hours integer;
begin
  if v_lasting.open_lasts and v_lasting.entry_lasts and v_lasting.exit_lasts then
    is_open := v_lasting.is_open;
    can_enter := v_lasting.can_enter;
    can_exit := v_lasting.can_exit;
    return next;
    return;
  end if;
  -- Usually all answers that change do so within two days. Otherwise 14 days of 24 hours, even when clocks change.
  foreach v_hours in array array[48, 336] loop
    with answers as materialized (
      select a.* from private.hours_at_moments(array[p_lot_id], array[p_at], p_at + v_hours * interval '1 hour') a
    )
    select n.is_open, n.can_enter, n.can_exit,
      min(a.at) filter (where a.is_open is distinct from n.is_open),
      min(a.at) filter (where a.can_enter is distinct from n.can_enter),
      min(a.at) filter (where a.can_exit is distinct from n.can_exit)
    into is_open, can_enter, can_exit, is_open_changes_at, can_enter_changes_at, can_exit_changes_at
    from answers n
    cross join answers a
    where n.at = p_at
    group by n.is_open, n.can_enter, n.can_exit;
    if not found then
      return;
    end if;
    exit when (v_lasting.open_lasts or is_open_changes_at is not null)
      and (v_lasting.entry_lasts or can_enter_changes_at is not null)
      and (v_lasting.exit_lasts or can_exit_changes_at is not null);
  end loop;
  return next;
end
$$;

-- Whether each lot is open and may be entered at the entry, and may be left at the exit: true, false, or null where
-- unknown.
create function private.hours_at_ends(p_lot_ids uuid[], p_entry timestamptz, p_exit timestamptz)
returns table (parking_lot_id uuid, is_open boolean, can_enter boolean, can_exit boolean)
language plpgsql stable rows 50
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_nestloop = off
as $$
declare
  c_is_short constant boolean := p_exit <= p_entry + interval '72 hours';
begin
  return query
  -- The answers at both ends together, unless the dates between them would cost more.
  with ends as materialized (
    select m.* from private.hours_at_moments(p_lot_ids, case when c_is_short then array[p_entry, p_exit] else array[p_entry] end) m
    union all
    select m.* from private.hours_at_moments(case when c_is_short then '{}' else p_lot_ids end, array[p_exit]) m
  )
  select e.parking_lot_id, e.is_open, e.can_enter, x.can_exit
  from ends e
  join ends x on x.parking_lot_id = e.parking_lot_id and x.at = p_exit
  where e.at = p_entry;
end
$$;

-- The answers of each lot for a stay from p_entry to p_exit. next_exit_at: when a car that is locked in can next leave,
-- within 14 days from p_exit.
create function private.planned_stays(p_lot_ids uuid[], p_entry timestamptz, p_exit timestamptz)
returns table (
  parking_lot_id uuid, entry_at timestamptz, exit_at timestamptz, is_open_at_entry boolean, can_enter_at boolean,
  can_exit_at boolean, locked_in boolean, next_exit_at timestamptz
)
language plpgsql stable rows 50
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_nestloop = off
as $$
begin
  return query
  with ends as materialized (
    select h.* from private.hours_at_ends(p_lot_ids, p_entry, p_exit) h
  ),
  -- Nearly all cars can leave within a day, and a day is much cheaper to evaluate than a fortnight.
  soon as materialized (
    select n.*
    from private.next_exits(
      array(select e.parking_lot_id from ends e where not e.can_exit), p_exit, p_exit + interval '24 hours'
    ) n
  ),
  later as (
    select n.*
    from private.next_exits(
      array(
        select e.parking_lot_id from ends e where not e.can_exit
        except
        select s.parking_lot_id from soon s
      ),
      p_exit, p_exit + interval '336 hours'
    ) n
  )
  select e.parking_lot_id, p_entry, p_exit, e.is_open, e.can_enter, e.can_exit, not e.can_exit, n.starts_at
  from ends e
  left join (select * from soon union all select * from later) n on n.parking_lot_id = e.parking_lot_id;
end
$$;

-- hours of the detail of a lot: all windows, and the business windows in the older flat form as legacy_business.
create function private.hours_json(p_lot_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select jsonb_build_object(
      'windows', coalesce(jsonb_agg(w.window_json order by w.n), '[]'),
      'legacy_business', coalesce(jsonb_agg(w.legacy_json order by w.n) filter (where w.window_type = 'business'), '[]')
    )
    from (
      select w.window_type,
        row_number() over (
          order by array_position('{business,entry,exit,after_hours_exit}', w.window_type), w.effective_from nulls first,
            w.day_of_week nulls first,
            array_position('{all,weekday,saturday,sunday,holiday_eve,holiday}', w.day_type) nulls first, w.open_time, w.id
        ) as n,
        jsonb_build_object(
          'id', w.id, 'window_type', w.window_type, 'day_type', w.day_type, 'day_of_week', w.day_of_week,
          'is_24h', w.is_24h, 'is_closed', w.is_closed, 'open_time', private.clock_text(w.open_time),
          'close_time', private.clock_text(w.close_time), 'effective_from', w.effective_from, 'effective_to', w.effective_to
        ) as window_json,
        jsonb_build_object(
          'day_type', w.day_type, 'open_time', private.clock_text(w.open_time),
          'close_time', private.clock_text(w.close_time), 'is_24h', w.is_24h
        ) as legacy_json
      from public.parking_lot_windows w
      where w.parking_lot_id = p_lot_id
    ) w
  );
end
$$;

-- date_overrides of the detail of a lot, by date. label is a string in the specification: a missing label is empty.
create function private.date_overrides_json(p_lot_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'id', o.id, 'override_date', o.override_date, 'label', coalesce(o.label, ''),
          'hours', private.clock_times(o.hours), 'pricing', private.clock_times(o.pricing), 'note', o.note
        )
        order by o.override_date
      ),
      '[]'
    )
    from public.parking_lot_date_overrides o
    where o.parking_lot_id = p_lot_id
  );
end
$$;

-- The functions of api run as the caller, and so do all functions that they call.
grant execute on function
  private.lot_days(uuid[], timestamptz, timestamptz),
  private.hours_rows(uuid[], timestamptz, timestamptz),
  private.hours_of_days(uuid[], timestamptz, timestamptz),
  private.hours_at_moments(uuid[], timestamptz[], timestamptz),
  private.next_exits(uuid[], timestamptz, timestamptz),
  private.hours_at(uuid[], timestamptz),
  private.next_changes(uuid, timestamptz),
  private.hours_at_ends(uuid[], timestamptz, timestamptz),
  private.planned_stays(uuid[], timestamptz, timestamptz),
  private.hours_json(uuid),
  private.date_overrides_json(uuid)
to anon, authenticated;
