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
-- Tables
-- ---------------------------------------------------------------------------------------------------------------------

create table public.occupancy_reports (
  id uuid primary key default gen_random_uuid(),
  parking_lot_id uuid not null references public.parking_lots (id) on delete cascade,
  source text not null constraint occupancy_reports_source_known check (source in ('driver', 'operator', 'sensor')),
  user_id uuid references public.app_users (id) on delete set null,
  state text not null constraint occupancy_reports_state_known check (state in ('available', 'crowded', 'full')),
  free_spaces integer constraint occupancy_reports_free_spaces_bounds check (free_spaces between 0 and 1000000),
  occupancy_ratio numeric constraint occupancy_reports_occupancy_ratio_bounds check (occupancy_ratio between 0 and 1),
  reported_at timestamptz not null default now(),
  is_sample boolean not null default true,
  created_at timestamptz not null default now(),
  constraint occupancy_reports_only_drivers_are_people check (source = 'driver' or user_id is null),
  constraint occupancy_reports_full_has_no_space check ((state = 'full') = (free_spaces = 0))
) with (fillfactor = 80); -- a feed's report is updated in place: no index has a column that changes

comment on table public.occupancy_reports is 'The occupancy of lots: the latest report of each reporter.';
comment on column public.occupancy_reports.state is 'Derived from the other two when it is not given: full without free spaces, crowded from 90 % on.';
comment on column public.occupancy_reports.occupancy_ratio is '1 is full. Derived from free_spaces where the total of the lot is known.';
comment on column public.occupancy_reports.is_sample is 'Counted in the forecast: the first report of its reporter in an hour.';

-- One report per user and lot; one per feed and lot. Users who have left are not reporters any more.
create unique index occupancy_reports_one_a_driver on public.occupancy_reports (user_id, parking_lot_id) where user_id is not null;
create unique index occupancy_reports_one_a_feed on public.occupancy_reports (parking_lot_id, source) where source <> 'driver';
-- The reports of a lot.
create index occupancy_reports_lot_idx on public.occupancy_reports (parking_lot_id);

insert into private.retentions (table_name, condition, every) values
  ('public.occupancy_reports', 't.source = ''driver'' and t.reported_at < now() - interval ''1 day''', '1 hour');

create table private.occupancy_hours (
  parking_lot_id uuid not null references public.parking_lots (id) on delete cascade,
  hour_of_week smallint not null check (hour_of_week between 0 and 167),
  samples integer not null,
  full_count integer not null,
  crowded_count integer not null,
  ratio_count integer not null,
  ratio_sum numeric not null,
  primary key (parking_lot_id, hour_of_week)
);

comment on table private.occupancy_hours is 'Sums of the samples of a lot by hour of its week; hour 0 begins on Sunday at midnight.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Row security
-- ---------------------------------------------------------------------------------------------------------------------

alter table public.occupancy_reports enable row level security;

create policy "Users read their own reports" on public.occupancy_reports for select to authenticated
  using ((select auth.uid()) = user_id);
-- No insert, update or delete: private.report_as_driver makes a report, and the next one corrects it.

grant select (id, parking_lot_id, source, user_id, state, free_spaces, occupancy_ratio, reported_at, created_at)
  on public.occupancy_reports to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: effects of a report
-- ---------------------------------------------------------------------------------------------------------------------

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

comment on function private.count_occupancy(public.occupancy_reports, integer) is
  'Adds a report to its hour of the forecast, or subtracts it (p_times = -1).';

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

comment on function private.lock_former_report(public.occupancy_reports) is
  'The previous report of this reporter about the lot, locked until the transaction ends; null when there is none.';

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

comment on function private.tg_occupancy_reports__replace_former() is
  'Completes a report and counts it. If its reporter has a report of the lot, that row is updated instead of an insert. A new report of a user gets a new id; a correction and a feed keep the id. A late report is dropped.';

create trigger _100_replace_former before insert on public.occupancy_reports
  for each row execute function private.tg_occupancy_reports__replace_former();

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

comment on function private.report_as_driver(uuid, text, integer, numeric) is
  'Reports on a lot as the caller, and returns the report. Errors: unauthorized, forbidden.';

grant execute on function private.report_as_driver(uuid, text, integer, numeric) to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: results of reports
-- ---------------------------------------------------------------------------------------------------------------------

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

comment on function private.occupancy_of(uuid[]) is
  'The occupancy of these lots: one row for each lot with a report that is not stale. free_spaces (may be null), observed_at, age_seconds (whole seconds) and source are those of the most trusted report of the state. trust is 0.1 to 1.';

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

comment on function private.occupancy_forecast(uuid) is
  'The usual occupancy of the lot: an array, in order, of {day_of_week, hour, sample_size, full_share, crowded_share, occupancy_ratio} for the hours of its week that have samples. day_of_week 0 is Sunday; occupancy_ratio is null where no sample has it.';

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

comment on function private.check_occupancy(text, integer, numeric, text) is
  'Rejects a report that is empty, out of range or contradictory. Errors: validation_error.';

grant execute on function private.occupancy_of(uuid[]), private.occupancy_forecast(uuid)
to anon, authenticated, service_role;
grant execute on function private.check_occupancy(text, integer, numeric, text) to authenticated, service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface
-- ---------------------------------------------------------------------------------------------------------------------

create function api.parking_lot_occupancy(p_parking_lot_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.optional_user();
  perform private.require_public_lot(p_parking_lot_id);
  return jsonb_build_object(
    'current', (
      select to_jsonb(o) - 'parking_lot_id' from private.occupancy_of(array[p_parking_lot_id]) as o
    ),
    'forecast', private.occupancy_forecast(p_parking_lot_id)
  );
end
$$;

comment on function api.parking_lot_occupancy(uuid) is
  'The current and usual occupancy of a lot: {current, forecast}; current is null when unknown. Reads only. Errors: forbidden, lot_not_found.';

create function commands.report_occupancy(
  p_parking_lot_id uuid, p_state text default null, p_free_spaces integer default null, p_occupancy_ratio numeric default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_report public.occupancy_reports;
begin
  perform private.writing_user();
  perform private.lock_public_lot(p_parking_lot_id);
  perform private.check_occupancy(p_state, p_free_spaces, p_occupancy_ratio);
  v_report := private.report_as_driver(p_parking_lot_id, p_state, p_free_spaces, p_occupancy_ratio);
  perform private.log_activity('occupancy_report', p_parking_lot_id, v_report.id);
  return jsonb_build_object(
    'id', v_report.id, 'parking_lot_id', v_report.parking_lot_id, 'source', v_report.source, 'state', v_report.state,
    'free_spaces', v_report.free_spaces, 'occupancy_ratio', v_report.occupancy_ratio, 'reported_at', v_report.reported_at
  );
end
$$;

comment on function commands.report_occupancy(uuid, text, integer, numeric) is
  'Reports the current occupancy of a lot as a user (source driver), and returns the report. Within ten minutes it replaces the caller''s last report and keeps its id. Errors: unauthorized, forbidden, validation_error, lot_not_found.';

create function api.feed_occupancy(p_source text, p_reports jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_report record;
  v_unknown uuid[] := '{}';
begin
  if p_source is null or p_source not in ('operator', 'sensor') then
    perform private.raise_error('validation_error', 422, 'source must be operator or sensor.', p_param => 'source');
  elsif jsonb_typeof(p_reports) is distinct from 'array' or jsonb_array_length(p_reports) not between 1 and 500 then
    perform private.raise_error('validation_error', 422, 'reports must be an array of 1 to 500 reports.', p_param => 'reports');
  end if;
  -- Lot by lot in one order, so that two concurrent feeds do not wait for each other.
  for v_report in
    select r.*, format('reports.%s.', r.place - 1) as place_name
    from rows from (
      jsonb_to_recordset(p_reports) as (
        parking_lot_id uuid, state text, free_spaces integer, occupancy_ratio numeric, reported_at timestamptz
      )
    ) with ordinality as r (parking_lot_id, state, free_spaces, occupancy_ratio, reported_at, place)
    order by r.parking_lot_id, r.reported_at nulls last, r.place
  loop
    perform private.check_occupancy(v_report.state, v_report.free_spaces, v_report.occupancy_ratio, v_report.place_name);
    if v_report.reported_at > now() + interval '1 minute' then
      perform private.raise_error('validation_error', 422, 'reported_at must not be in the future.',
        p_param => v_report.place_name || 'reported_at');
    end if;
    if not exists (select from public.parking_lots l where l.id = v_report.parking_lot_id) then
      v_unknown := v_unknown || v_report.parking_lot_id;
      continue;
    end if;
    insert into public.occupancy_reports (parking_lot_id, source, state, free_spaces, occupancy_ratio, reported_at)
    values (v_report.parking_lot_id, p_source, v_report.state, v_report.free_spaces, v_report.occupancy_ratio,
      coalesce(v_report.reported_at, now()));
  end loop;
  return jsonb_build_object('accepted', jsonb_array_length(p_reports) - cardinality(v_unknown), 'unknown', to_jsonb(v_unknown));
end
$$;

comment on function api.feed_occupancy(text, jsonb) is
  'Stores reports of an operator or a sensor, at most 500, and returns how many were accepted and which lots are unknown. A late report is accepted and dropped. Errors: validation_error.';

grant execute on function api.parking_lot_occupancy(uuid) to anon, authenticated;
grant execute on function commands.report_occupancy(uuid, text, integer, numeric) to authenticated;
grant execute on function api.feed_occupancy(text, jsonb) to service_role;
