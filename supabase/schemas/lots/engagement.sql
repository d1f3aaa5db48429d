-- Lot engagement: daily counts of how often each lot was saved, parked at and returned by a search.
--
-- Reports do not read activities but daily counts: one row for each lot and day with a count. Activities at a popular lot
-- must not wait for one row. So the transaction of an activity only appends to private.pending_lot_counts, and a job adds
-- pending rows to the daily counts every minute, in committed batches. The appended row commits with the activity and is
-- deleted by the transaction that counts it. So saves and sessions are exact: no point in time divides counted from
-- uncounted activities. The function `parking-lots` counts searches after its responses, in batches
-- (_shared/http/search_counts.ts): some may be lost, none counts twice.
--
-- Invariants: saves and sessions are the activities lot_save and session_start, each once. A withdrawal leaves the
-- counts. A day is a date in Asia/Tokyo. Daily counts are always written in the order of their key. The sums of the last
-- 30 days are of lots/recent_counts.sql.
-- Interface: api.admin_list_lot_engagement, api.parking_lot_engagement_stats, api.add_search_counts.

-- ---------------------------------------------------------------------------------------------------------------------
-- Counting
-- ---------------------------------------------------------------------------------------------------------------------

-- The day for which an event is counted: the date in Asia/Tokyo.
create function private.day_of(p_at timestamptz) returns date
language sql stable
return (p_at at time zone 'Asia/Tokyo')::date;

-- Appends an activity that counts for its lot to the pending rows, which the job counts.
create function private.append_lot_count(p_lot_id uuid, p_activity_type text, p_at timestamptz) returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into private.pending_lot_counts (parking_lot_id, day, activity_type)
  values (p_lot_id, private.day_of(p_at), p_activity_type);
end
$$;

-- Adds a batch of pending rows to the daily counts; true when there may be more.
create function private.fold_lot_counts(p_count integer default 20000) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_folded integer;
begin
  -- Another worker takes other rows.
  with taken as (
    delete from private.pending_lot_counts where id = any (array(
      select p.id from private.pending_lot_counts p order by p.id limit p_count for update skip locked
    )) returning parking_lot_id, day, activity_type
  ), added as (
    insert into private.parking_lot_daily_counts as c (parking_lot_id, day, saves, sessions)
    select t.parking_lot_id, t.day, count(*) filter (where t.activity_type = 'lot_save'),
      count(*) filter (where t.activity_type = 'session_start')
    from taken t group by t.parking_lot_id, t.day order by t.parking_lot_id, t.day
    on conflict (parking_lot_id, day) do update set saves = c.saves + excluded.saves, sessions = c.sessions + excluded.sessions
  )
  select count(*) into v_folded from taken;
  return v_folded = p_count;
end
$$;

-- Adds searches of lots, {"<id>": count}, to the counts of today.
create function private.count_searches(p_counts jsonb) returns void
language plpgsql
security definer -- only this function and the job write the daily counts
set search_path = ''
as $$
begin
  insert into private.parking_lot_daily_counts as c (parking_lot_id, day, searches)
  select e.key::uuid, private.day_of(now()), sum(e.value::integer)
  from jsonb_each_text(p_counts) e group by e.key::uuid order by e.key::uuid
  on conflict (parking_lot_id, day) do update set searches = c.searches + excluded.searches;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Reports
-- ---------------------------------------------------------------------------------------------------------------------

-- The days of a report, from p_from to the day before p_to. Without one of them 30 days; without both the last 30, today
-- included. Errors: validation_error.
create function private.engagement_period(p_from date, p_to date, p_today date default private.day_of(now())) returns daterange
language plpgsql stable
set search_path = ''
as $$
declare
  v_to constant date := coalesce(p_to, p_from + 30, p_today + 1);
  v_from constant date := coalesce(p_from, v_to - 30);
begin
  if v_to <= v_from then
    perform private.raise_error('validation_error', 422, 'Must be after from.', p_param => 'to');
  elsif v_to - v_from > 366 then
    perform private.raise_error('validation_error', 422, 'The period must have at most 366 days.', p_param => 'to');
  end if;
  return daterange(v_from, v_to);
end
$$;

-- The counts by which a report is sorted, the most important first: one, or all without p_sort.
create function private.engagement_counts(p_sort text) returns text[]
language sql immutable
return case when p_sort is null then '{sessions,saves,searches}' else array[p_sort] end;

-- The part of a statement that selects the lots of a report in the period $1, those with a count by which it is sorted:
-- from the recent sums, or by the days.
create function private.engaged_lots_sql(p_sort text, p_is_recent boolean) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select format(
      case when p_is_recent then 'from private.recent_lot_counts c where (%s)'
        else 'from private.parking_lot_daily_counts c where c.day >= lower($1) and c.day < upper($1) and (%s) group by c.parking_lot_id' end,
      string_agg(format('c.%I > 0', k), ' or '))
    from unnest(private.engagement_counts(p_sort)) k
  );
end
$$;

-- The lots of a period in the order of private.engagement_counts(p_sort), the highest first, after these counts and lot.
create function private.most_engaged_lots(p_period daterange, p_sort text, p_after_counts bigint[], p_after_id uuid, p_limit integer)
returns uuid[]
language plpgsql stable
security definer -- only functions of this file read daily counts
set search_path = ''
set work_mem = '32MB' -- the sums of a month fit
set jit = off
as $$
declare
  v_is_recent constant boolean := private.is_recent_period(p_period);
  v_keys text;
  v_after text;
  v_order text;
  v_ids uuid[];
begin
  select string_agg(s.key, ', ' order by n), string_agg(format('$2[%s]', n), ', ' order by n), string_agg(s.key || ' desc', ', ' order by n)
  into v_keys, v_after, v_order
  from unnest(private.engagement_counts(p_sort)) with ordinality as o (k, n)
  cross join lateral (select format(case when v_is_recent then 'c.%I' else 'sum(c.%I)' end, o.k) as key) s;
  execute format(
    'select array(select c.parking_lot_id %s %s ($2 is null or (%s, c.parking_lot_id) < (%s, $3)) order by %s, c.parking_lot_id desc limit $4)',
    private.engaged_lots_sql(p_sort, v_is_recent), case when v_is_recent then 'and' else 'having' end, v_keys, v_after, v_order
  ) into v_ids using p_period, p_after_counts, p_after_id, p_limit;
  return v_ids;
end
$$;

-- The number of lots of a report in the order of p_sort.
create function private.count_engaged_lots(p_period daterange, p_sort text) returns bigint
language plpgsql stable
security definer -- only functions of this file read daily counts
set search_path = ''
set work_mem = '32MB' -- the lots of a month fit
set jit = off
as $$
declare
  v_total bigint;
begin
  if p_sort = 'name' then
    return (select count(*) from public.parking_lots);
  end if;
  execute format('select count(*) from (select %s) l', private.engaged_lots_sql(p_sort, private.is_recent_period(p_period)))
  into v_total using p_period;
  return v_total;
end
$$;

-- Whether a period has more than p_most daily counts by which a report in the order of p_sort is sorted.
create function private.has_more_daily_counts(p_period daterange, p_sort text, p_most integer) returns boolean
language plpgsql stable
set search_path = ''
as $$
declare
  v_count integer;
begin
  -- Read from the index of the report, and no more rows than needed.
  execute format(
    'select count(*) from (
      select from private.parking_lot_daily_counts c where c.day >= lower($1) and c.day < upper($1) and (%s) limit $2
    ) s', (select string_agg(format('c.%I > 0', k), ' or ') from unnest(private.engagement_counts(p_sort)) as k)
  ) into v_count using p_period, p_most + 1;
  return v_count > p_most;
end
$$;

-- Rejects the report of a period other than the last 30 days that would read more than p_most daily counts. Errors:
-- validation_error; details.reason is period_too_large.
create function private.check_engagement_size(
  p_period daterange, p_sort text, p_limit integer, p_most integer default 200000
) returns void
language plpgsql stable
security definer -- only functions of this file read daily counts
set search_path = ''
as $$
begin
  if not private.is_recent_period(p_period) and (
    -- The counts of the page, which are of every day.
    p_limit * (upper(p_period) - lower(p_period)) > p_most and private.has_more_daily_counts(p_period, null, p_most)
    -- The counts that are summed for the order. The order of names needs none.
    or (p_sort is null or p_sort in ('saves', 'sessions', 'searches'))
      and private.has_more_daily_counts(p_period, p_sort, p_most)
  ) then
    perform private.raise_error('validation_error', 422,
      format('The period has more than %s daily counts of lots. Use a shorter period, or none for the last 30 days.', p_most),
      p_param => 'to', p_details => '{"reason": "period_too_large"}');
  end if;
end
$$;

-- All counts of these lots in a period, 0 without one.
create function private.lot_engagement(p_period daterange, p_lot_ids uuid[])
returns table (parking_lot_id uuid, saves bigint, sessions bigint, searches bigint)
language plpgsql stable
security definer -- only functions of this file read daily counts
set search_path = ''
as $$
begin
  if private.is_recent_period(p_period) then
    return query
    select o.lot_id, coalesce(r.saves, 0), coalesce(r.sessions, 0), coalesce(r.searches, 0)
    from unnest(p_lot_ids) as o (lot_id) left join private.recent_lot_counts r on r.parking_lot_id = o.lot_id;
    return;
  end if;
  return query
  select o.lot_id, coalesce(s.saves, 0), coalesce(s.sessions, 0), coalesce(s.searches, 0)
  from unnest(p_lot_ids) as o (lot_id)
  cross join lateral (
    select sum(c.saves) as saves, sum(c.sessions) as sessions, sum(c.searches) as searches
    from private.parking_lot_daily_counts c
    where c.parking_lot_id = o.lot_id and c.day >= lower(p_period) and c.day < upper(p_period)
  ) s;
end
$$;

-- Lots with their counts in a period, in the order of p_sort (null: by sessions, then saves, then searches), after the
-- keys of a row in this order. A deleted lot has no name. Errors: validation_error.
create function private.engagement_items(
  p_period daterange, p_sort text, p_after_counts bigint[], p_after_name text, p_after_id uuid, p_limit integer
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_ids uuid[];
begin
  if p_sort = 'name' then
    v_ids := array(
      select l.id from public.parking_lots l
      where (l.name collate "C", l.id) > (coalesce(p_after_name, ''), coalesce(p_after_id, '00000000-0000-0000-0000-000000000000'))
      order by l.name collate "C", l.id limit p_limit
    );
  elsif p_sort is null or p_sort in ('saves', 'sessions', 'searches') then
    v_ids := private.most_engaged_lots(p_period, p_sort, p_after_counts, p_after_id, p_limit);
  else
    perform private.raise_error('validation_error', 422, 'Must be one of saves, sessions, searches, name.', p_param => 'sort');
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'parking_lot_id', o.id, 'name', l.name, 'saves', e.saves, 'sessions', e.sessions, 'searches', e.searches
    ) order by o.place), '[]')
    from unnest(v_ids) with ordinality as o (id, place)
    join private.lot_engagement(p_period, v_ids) e on e.parking_lot_id = o.id
    left join public.parking_lots l on l.id = o.id
  );
end
$$;
