-- Recent counts of lots: the sums of the last 30 days, so that the report without dates reads an index.
--
-- Invariants: private.recent_lot_counts has the sums of all daily counts after the position (day, parking_lot_id) of
-- private.recent_lot_counts_start, and is as fresh as the daily counts. A trigger adds what a statement changes. The job
-- fold_lot_counts moves the position on when a day is over, in committed batches, and takes out what it passes.
-- A lock keeps the position where it is until a change commits: a change is in the sums, or the batch has not read it.

-- Adds changes of daily counts to private.recent_lot_counts, where they are of its days.
create function private.add_recent_lot_counts(p_changes private.parking_lot_daily_counts[]) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- The position stays where it is until this transaction ends.
  perform pg_advisory_xact_lock_shared(hashtext('private.recent_lot_counts_start'));
  insert into private.recent_lot_counts as r (parking_lot_id, saves, sessions, searches)
  select c.parking_lot_id, sum(c.saves), sum(c.sessions), sum(c.searches)
  from unnest(p_changes) c join private.recent_lot_counts_start s on (c.day, c.parking_lot_id) > (s.day, s.parking_lot_id)
  group by c.parking_lot_id order by c.parking_lot_id
  on conflict (parking_lot_id) do update
  set saves = r.saves + excluded.saves, sessions = r.sessions + excluded.sessions, searches = r.searches + excluded.searches;
end
$$;

-- Adds what a statement changes in the daily counts to the sums of the last 30 days.
create function private.tg_parking_lot_daily_counts__add_recent() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  v_changes private.parking_lot_daily_counts[] := '{}';
begin
  if tg_op = 'TRUNCATE' then
    truncate private.recent_lot_counts;
    return null;
  end if;
  if tg_op = 'UPDATE' then
    v_changes := array(select row(b.parking_lot_id, b.day, -b.saves, -b.sessions, -b.searches)::private.parking_lot_daily_counts from rows_before b);
  end if;
  v_changes := v_changes || array(
    select row(c.parking_lot_id, c.day, s.sign * c.saves, s.sign * c.sessions, s.sign * c.searches)::private.parking_lot_daily_counts
    from rows_changed c cross join (select case tg_op when 'DELETE' then -1 else 1 end as sign) s
  );
  perform private.add_recent_lot_counts(v_changes);
  return null;
end
$$;

-- Takes a batch of the daily counts before the last 30 days out of the recent sums; true when there may be more.
create function private.next_past_counts_batch(p_count integer default 5000) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  c_last_lot constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  v_first constant date := private.day_of(now()) - 29;
  v_from private.recent_lot_counts_start;
  v_counts private.parking_lot_daily_counts[];
  v_to private.parking_lot_daily_counts;
begin
  perform pg_advisory_xact_lock(hashtext('private.recent_lot_counts_start'));
  select s.* into v_from from private.recent_lot_counts_start s;
  if (v_from.day, v_from.parking_lot_id) >= (v_first - 1, c_last_lot) then
    return false;
  end if;
  v_counts := array(
    select c from private.parking_lot_daily_counts c
    where (c.day, c.parking_lot_id) > (v_from.day, v_from.parking_lot_id) and c.day < v_first
    order by c.day, c.parking_lot_id limit p_count
  );
  update private.recent_lot_counts r
  set saves = r.saves - c.saves, sessions = r.sessions - c.sessions, searches = r.searches - c.searches
  from (
    select p.parking_lot_id, sum(p.saves) as saves, sum(p.sessions) as sessions, sum(p.searches) as searches
    from unnest(v_counts) p group by p.parking_lot_id
  ) c
  where r.parking_lot_id = c.parking_lot_id;
  delete from private.recent_lot_counts r
  where r.parking_lot_id = any (array(select c.parking_lot_id from unnest(v_counts) c))
    and r.saves = 0 and r.sessions = 0 and r.searches = 0;
  v_to := v_counts[p_count];
  update private.recent_lot_counts_start
  set day = coalesce(v_to.day, v_first - 1), parking_lot_id = coalesce(v_to.parking_lot_id, c_last_lot)
  where is_only;
  return v_to.day is not null;
end
$$;

-- Whether private.recent_lot_counts has the sums of exactly this period. Not from midnight until the job has taken the
-- past day out.
create function private.is_recent_period(p_period daterange) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return exists (
    select from private.recent_lot_counts_start s
    where s.day = lower(p_period) - 1 and s.parking_lot_id = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
  ) and coalesce((select max(c.day) from private.parking_lot_daily_counts c) < upper(p_period), true);
end
$$;
