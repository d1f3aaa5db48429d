-- Occupancy: how full a lot is, by recent reports of users, operators and sensors.
--
-- A user (source driver) reports what they see; an operator's feed and a sensor report through the service. A report has a
-- state, free spaces, a ratio, or several of these; a missing state follows from the others. The trust in a report depends on
-- its source and halves with every half-life; below 0.1 it is stale and is ignored:
--
--   source     trust when new   half-life    stale after
--   sensor     0.95             10 minutes   32 minutes
--   operator   0.90             30 minutes   95 minutes
--   driver     0.60             15 minutes   39 minutes
--
-- Only the latest report of each reporter counts. Reports that agree strengthen each other, as independent witnesses do
-- (1 - the product of what is missing from each trust), and the state with the most trust is the state of the lot.
--
-- Reports become a forecast by hour of the week of the lot. A reporter adds at most one sample an hour, so that a sensor that
-- reports often does not count as many witnesses; every figure has its number of samples. The forecast stores sums, so only
-- the latest report of each reporter about a lot is stored. The report of a user is deleted after a day.
--
-- Invariants: a reporter has one report per lot. A user's report within ten minutes of their last one is a correction: it
-- replaces that report in the forecast too and keeps its id, so that effects of a report (activity, points) occur once. No
-- response identifies a reporter.
-- Interface: commands.report_occupancy, feed_occupancy (service), parking_lot_occupancy; for results with lots
-- private.occupancy_of(lots) and private.occupancy_forecast(lot).

-- ---------------------------------------------------------------------------------------------------------------------
-- Effects of a report
-- ---------------------------------------------------------------------------------------------------------------------

-- Adds a report to its hour of the forecast, or subtracts it (p_times = -1).
create function private.count_occupancy(p_report public.occupancy_reports, p_times integer) returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into private.occupancy_hours as h
    (parking_lot_id, hour_of_week, samples, full_count, crowded_count, ratio_count, ratio_sum)
  select l.id, extract(dow from t.local_at) * 24 + extract(hour from t.local_at), p_times,
    p_times * ((p_report).state = 'full')::integer, p_times * ((p_report).state = 'crowded')::integer,
    p_times * ((p_report).occupancy_ratio is not null)::integer, p_times * coalesce((p_report).occupancy_ratio, 0)
  from public.parking_lots l
  cross join lateral (select (p_report).reported_at at time zone l.time_zone as local_at) as t
  where l.id = (p_report).parking_lot_id
  on conflict (parking_lot_id, hour_of_week) do update
  set samples = h.samples + excluded.samples, full_count = h.full_count + excluded.full_count,
    crowded_count = h.crowded_count + excluded.crowded_count, ratio_count = h.ratio_count + excluded.ratio_count,
    ratio_sum = h.ratio_sum + excluded.ratio_sum;
end
$$;

-- The previous report of this reporter about the lot, locked until the transaction ends; null when there is none.
create function private.lock_former_report(p_report public.occupancy_reports) returns public.occupancy_reports
language plpgsql
set search_path = ''
as $$
declare
  v_former public.occupancy_reports;
begin
  for v_try in 1..2 loop
    if (p_report).source = 'driver' then
      select * into v_former from public.occupancy_reports o
      where o.user_id = (p_report).user_id and o.parking_lot_id = (p_report).parking_lot_id for update;
    else
      select * into v_former from public.occupancy_reports o
      where o.parking_lot_id = (p_report).parking_lot_id and o.source = (p_report).source and o.source <> 'driver' for update;
    end if;
    exit when found or v_try = 2;
    -- Two first reports of a reporter at once run one after the other.
    perform pg_advisory_xact_lock(
      hashtextextended(concat_ws(' ', (p_report).parking_lot_id, (p_report).source, (p_report).user_id), 830)
    );
  end loop;
  return v_former;
end
$$;

-- Completes a report and counts it. If its reporter has a report of the lot, that row is updated instead of an insert. A
-- new report of a user gets a new id; a correction and a feed keep the id. A late report is dropped.
create function private.tg_occupancy_reports__replace_former() returns trigger
language plpgsql
security definer -- reporters have no right on the forecast
set search_path = ''
as $$
declare
  v_lot public.parking_lots;
  v_former public.occupancy_reports;
begin
  -- Locks the lot before its reports, as a delete does.
  select * into v_lot from public.parking_lots l where l.id = new.parking_lot_id for key share;
  new.occupancy_ratio := coalesce(new.occupancy_ratio, case
    when new.state = 'full' then 1
    when v_lot.total_spaces > 0 and new.free_spaces is not null
      then round(greatest(0, 1 - new.free_spaces::numeric / v_lot.total_spaces), 4)
  end);
  new.state := coalesce(new.state, case
    when new.free_spaces = 0 or new.occupancy_ratio = 1 then 'full'
    when new.occupancy_ratio >= 0.9 then 'crowded'
    when num_nonnulls(new.free_spaces, new.occupancy_ratio) > 0 then 'available'
  end);
  new.free_spaces := coalesce(new.free_spaces, case new.state when 'full' then 0 end);

  v_former := private.lock_former_report(new);
  if new.source = 'driver' and new.reported_at = now() then
    new.reported_at := clock_timestamp(); -- it may have waited for the previous report and must be later
  end if;
  if v_former.id is null then
    perform private.count_occupancy(new, 1);
    return new;
  end if;
  -- A late report. But a report of the future was made before the clock was set back, and is replaced like any other.
  if v_former.reported_at > new.reported_at and v_former.reported_at <= clock_timestamp() + interval '1 minute' then
    return null;
  end if;
  new.is_sample := date_trunc('hour', v_former.reported_at at time zone v_lot.time_zone)
    < date_trunc('hour', new.reported_at at time zone v_lot.time_zone);
  if new.source <> 'driver' then
    new.id := v_former.id;
  elsif new.reported_at < v_former.reported_at + interval '10 minutes' then
    new.id := v_former.id;
    if v_former.is_sample then
      perform private.count_occupancy(v_former, -1);
      new.is_sample := true;
    end if;
  end if;
  if new.is_sample then
    perform private.count_occupancy(new, 1);
  end if;
  update public.occupancy_reports o
  set (id, state, free_spaces, occupancy_ratio, reported_at, is_sample, created_at)
    = (new.id, new.state, new.free_spaces, new.occupancy_ratio, new.reported_at, new.is_sample, new.created_at)
  where o.id = v_former.id;
  return null;
end
$$;

-- Reports on a lot as the caller, and returns the report. Errors: unauthorized, forbidden.
create function private.report_as_driver(p_parking_lot_id uuid, p_state text, p_free_spaces integer, p_occupancy_ratio numeric)
returns public.occupancy_reports
language plpgsql
security definer -- clients have no right to insert: the trigger would change a row that their policies have not checked
set search_path = ''
as $$
declare
  v_user_id uuid := private.active_user();
  v_report public.occupancy_reports;
begin
  insert into public.occupancy_reports (parking_lot_id, source, user_id, state, free_spaces, occupancy_ratio)
  values (p_parking_lot_id, 'driver', v_user_id, p_state, p_free_spaces, p_occupancy_ratio);
  select * into v_report from public.occupancy_reports o
  where o.user_id = v_user_id and o.parking_lot_id = p_parking_lot_id;
  return v_report;
end
$$;

grant execute on function private.report_as_driver(uuid, text, integer, numeric) to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Results of reports
-- ---------------------------------------------------------------------------------------------------------------------

-- The occupancy of these lots: one row for each lot with a report that is not stale. free_spaces (may be null),
-- observed_at, age_seconds (whole seconds) and source are those of the most trusted report of the state. trust is 0.1 to
-- 1.
create function private.occupancy_of(p_lot_ids uuid[]) returns table (
  parking_lot_id uuid, state text, free_spaces integer, trust numeric, observed_at timestamptz, age_seconds integer, source text
)
language plpgsql stable rows 50
security definer -- reporters are private, so no role reads the reports themselves
set search_path = ''
set plan_cache_mode = force_generic_plan -- planning costs more than running
as $$
#variable_conflict use_column
begin
  return query
    select distinct on (t.parking_lot_id) t.parking_lot_id, t.state, t.free_spaces, round(t.agreed::numeric, 2),
      t.reported_at, greatest(extract(epoch from now() - t.reported_at), 0)::integer, t.source
    from (
      select r.*, 1 - exp(sum(ln(1 - r.trust)) over (partition by r.parking_lot_id, r.state)) as agreed
      from (
        select o.id, o.parking_lot_id, o.state, o.free_spaces, o.reported_at, o.source,
          s.trust * 0.5 ^ (greatest(extract(epoch from now() - o.reported_at), 0)::double precision / 60 / s.half_life_min)
            as trust
        from unnest(p_lot_ids) as p (id)
        join public.occupancy_reports o on o.parking_lot_id = p.id
        join (values ('sensor', 0.95::double precision, 10), ('operator', 0.90, 30), ('driver', 0.60, 15))
          as s (source, trust, half_life_min) on s.source = o.source
        where o.reported_at > now() - interval '100 minutes' -- after that all are stale
      ) as r
      where r.trust >= 0.1
    ) as t
    order by t.parking_lot_id, t.agreed desc, t.trust desc, t.reported_at desc, t.id;
end
$$;

-- The usual occupancy of the lot: an array, in order, of {day_of_week, hour, sample_size, full_share, crowded_share,
-- occupancy_ratio} for the hours of its week that have samples. day_of_week 0 is Sunday; occupancy_ratio is null where no
-- sample has it.
create function private.occupancy_forecast(p_lot_id uuid) returns jsonb
language plpgsql stable
security definer -- the sums are private; this returns shares of a lot that the caller chose
set search_path = ''
as $$
begin
  return (
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'day_of_week', h.hour_of_week / 24, 'hour', h.hour_of_week % 24, 'sample_size', h.samples,
          'full_share', round(h.full_count::numeric / h.samples, 2),
          'crowded_share', round(h.crowded_count::numeric / h.samples, 2),
          'occupancy_ratio', round(h.ratio_sum / nullif(h.ratio_count, 0), 2)
        )
        order by h.hour_of_week
      ),
      '[]'
    )
    from private.occupancy_hours h where h.parking_lot_id = p_lot_id and h.samples > 0
  );
end
$$;

-- Rejects a report that is empty, out of range or contradictory. Errors: validation_error.
create function private.check_occupancy(p_state text, p_free_spaces integer, p_occupancy_ratio numeric, p_place text default '')
returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_param text;
begin
  if num_nonnulls(p_state, p_free_spaces, p_occupancy_ratio) = 0 then
    perform private.raise_error('validation_error', 422, 'Send state, free_spaces or occupancy_ratio.',
      p_param => p_place || 'state');
  end if;
  v_param := case
    when p_state not in ('available', 'crowded', 'full') then 'state'
    when p_free_spaces not between 0 and 1000000 then 'free_spaces'
    when p_occupancy_ratio not between 0 and 1 then 'occupancy_ratio'
    when (p_state = 'full') <> (p_free_spaces = 0) or (p_occupancy_ratio = 1) <> (p_free_spaces = 0) then 'free_spaces'
    when (p_state = 'full') <> (p_occupancy_ratio = 1) then 'occupancy_ratio'
  end;
  if v_param is not null then
    perform private.raise_error('validation_error', 422, format('%s is out of range or contradicts the other fields.', v_param),
      p_param => p_place || v_param);
  end if;
end
$$;

grant execute on function private.occupancy_of(uuid[]), private.occupancy_forecast(uuid)
to anon, authenticated;
grant execute on function private.check_occupancy(text, integer, numeric, text) to authenticated;
