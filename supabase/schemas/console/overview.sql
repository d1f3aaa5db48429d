-- Overview: the first page of the console, in one read.
--
-- Jobs count the figures that need a scan and store them, one row for each part: a million app users and ten million
-- sessions are not counted when a page is opened. Each part has its time. Dead messages and the last start of a job are
-- read directly; the latter shows whether jobs run at all.
--
-- Every minute: sessions now, work that waits for administrators, queues, failing jobs. Every five minutes: users,
-- sessions by day, slow statements. Of the sessions by day only today and yesterday are counted again. pg_cron's table of
-- runs has no index but its primary key: only the job reads a week of it.
--
-- Waiting pushes and mails are a part as well (messages/delivery_figures.sql). Each part is for an area, and null without
-- it. Queues, jobs and dead messages have an area each; the figures contain those of the administrator's areas.
--
-- Invariants: texts of statements contain no values; counts identify no user.
-- Interface: api.admin_get_overview; the jobs refresh_overview_now and refresh_overview.

-- ---------------------------------------------------------------------------------------------------------------------
-- Slow statements
-- ---------------------------------------------------------------------------------------------------------------------

-- The text of a statement without values and comments, at most 500 characters; null when it cannot be parsed. The
-- statistics replace most values by parameters already, but not all.
create function private.masked_statement(p_text text) returns text
language plpgsql immutable
set search_path = ''
as $$
declare
  v_text text := p_text;
begin
  v_text := regexp_replace(v_text, '\$([A-Za-z_]\w*|)\$.*?\$\1\$', '?', 'g');
  v_text := regexp_replace(v_text, '''(?:[^''\\]|''''|\\.)*''', '?', 'g');
  v_text := regexp_replace(v_text, '/\*.*?\*/', ' ', 'g');
  v_text := regexp_replace(v_text, '--[^\n]*', ' ', 'g');
  -- A number, but not a part of a name or of a parameter ($1).
  v_text := regexp_replace(v_text, '(?<![\w$])\d[\d.]*(e[+-]?\d+)?', '?', 'gi');
  -- A remaining quote starts or ends a text that was not parsed.
  return case when v_text !~ '''' then left(btrim(regexp_replace(v_text, '\s+', ' ', 'g')), 500) end;
end
$$;

-- The ten statements with the longest mean time, {items, reason}; without the statistics no items and the reason.
create function private.slow_statements() returns jsonb
language plpgsql
security definer -- the statistics of statements show each role only its own; this returns texts without values
set search_path = ''
as $$
declare
  v_schema name := (
    select n.nspname from pg_catalog.pg_extension e join pg_catalog.pg_namespace n on n.oid = e.extnamespace
    where e.extname = 'pg_stat_statements'
  );
  v_items jsonb;
begin
  if v_schema is null then
    return '{"items": [], "reason": "not_installed"}';
  end if;
  -- Only statements of clients and jobs: those that change schemas or roles contain their values.
  execute format(
    'select jsonb_agg(jsonb_build_object(''query'', s.text, ''calls'', s.calls, ''mean_ms'', round(s.mean::numeric, 2),
      ''max_ms'', round(s.max::numeric, 2), ''total_ms'', round(s.total::numeric)) order by s.mean desc)
    from (
      select m.text, c.calls, c.mean, c.max, c.total
      from (
        select s.query, s.calls, s.mean_exec_time as mean, s.max_exec_time as max, s.total_exec_time as total
        from %I.pg_stat_statements s
        where s.dbid = (select d.oid from pg_catalog.pg_database d where d.datname = pg_catalog.current_database())
          and s.query ~* ''^\s*(select|insert|update|delete|with|merge)\M''
        order by s.mean_exec_time desc limit 50
      ) c
      cross join lateral (select private.masked_statement(c.query) as text) m
      where m.text is not null
      order by c.mean desc limit 10
    ) s', v_schema
  ) into v_items;
  return jsonb_build_object('items', coalesce(v_items, '[]'), 'reason', null);
exception
  when object_not_in_prerequisite_state then
    return '{"items": [], "reason": "not_loaded"}';
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Counting
-- ---------------------------------------------------------------------------------------------------------------------

-- Stores a part of the overview with the current time.
create function private.keep_overview_part(p_part text, p_value jsonb) returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into private.overview_parts as o (part, value) values (p_part, p_value)
  on conflict (part) do update set value = excluded.value, at = excluded.at;
end
$$;

-- The area of a queue: who reads its length and its dead messages. Any other queue: admins.
create function private.area_of_queue(p_queue text) returns text
language sql immutable parallel safe
return case
  when p_queue in ('mail', 'push-dispatch') then 'notifications'
  when p_queue = 'store-notifications' then 'users'
  when p_queue = 'store-sync' then 'store_sync'
  else 'admins'
end;

-- The area of a job: who reads its runs and errors. Any other job: admins.
create function private.area_of_job(p_job text) returns text
language sql immutable parallel safe
return case
  when p_job in ('announce_subscription_ends', 'erase_withdrawn_accounts', 'reconcile_subscriptions') then 'users'
  when p_job in ('count_waiting_votes', 'fold_lot_counts', 'note_lot_changes', 'propagate_renames', 'refresh_map') then 'lots'
  when p_job in (
    'check_mail_health', 'check_push_health', 'refresh_delivery_figures', 'send_session_reminders', 'start_scheduled_notifications'
  ) then 'notifications'
  when p_job in ('backfill_badges', 'grant_earned_themes', 'recalculate_levels') then 'rewards'
  when p_job = 'sync_stores' then 'store_sync'
  else 'admins'
end;

-- For each queue: the number of messages, the number that a consumer could read, the time since when the oldest of these
-- waits, and the number of its dead messages.
create function private.queue_figures() returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_queue text;
  v_figures jsonb;
  v_queues jsonb := '[]';
begin
  for v_queue in select m.queue_name from pgmq.meta m order by m.queue_name loop
    -- A message with a delay is not late: its age counts from the time when it is due.
    execute format(
      'select jsonb_build_object(''queue'', $1, ''length'', count(*), ''due'', count(*) filter (where q.vt <= clock_timestamp()),
        ''oldest_due_at'', min(q.vt) filter (where q.vt <= clock_timestamp()),
        ''dead'', (select count(*) from private.dead_messages d where d.queue = $1))
      from pgmq.%I q', 'q_' || lower(v_queue)
    ) into v_figures using v_queue;
    v_queues := v_queues || v_figures;
  end loop;
  return v_queues;
end
$$;

-- For each job: its name, whether it is active, the number of failed runs in the last 24 hours, whether its last finished
-- run failed, and the end of its last run that succeeded.
create function private.job_figures() returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  -- Other jobs of the minute run while this one counts: the last finished run decides whether a job fails.
  return (
    select jsonb_agg(jsonb_build_object(
      'name', coalesce(j.jobname, 'job ' || j.jobid), 'is_active', j.active, 'failed_24h', coalesce(r.failed_24h, 0),
      'is_failing', coalesce(r.failed > coalesce(r.succeeded, 0), false), 'succeeded_at', r.succeeded_at
    ) order by j.jobname, j.jobid)
    from cron.job j
    left join (
      select d.jobid, max(d.runid) filter (where d.status = 'failed') as failed,
        max(d.runid) filter (where d.status = 'succeeded') as succeeded,
        max(d.end_time) filter (where d.status = 'succeeded') as succeeded_at,
        count(*) filter (where d.status = 'failed' and d.start_time > now() - interval '24 hours') as failed_24h
      from cron.job_run_details d
      group by d.jobid
    ) r on r.jobid = j.jobid
  );
end
$$;

-- Sessions of the last 30 days by the day they were started: [{date, started}]. Counts today, yesterday and days that
-- were never counted.
create function private.count_sessions_by_day() returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_today constant date := (now() at time zone 'Asia/Tokyo')::date;
  v_from constant date := least(v_today - 1, coalesce(
    (select min(d.day)::date from generate_series(v_today - 29, v_today, interval '1 day') as d (day)
    where not exists (select from private.session_days s where s.day = d.day::date)),
    v_today
  ));
begin
  insert into private.session_days as d (day, started)
  select c.day::date, coalesce(s.started, 0)
  from generate_series(v_from, v_today, interval '1 day') as c (day)
  left join (
    select (p.started_at at time zone 'Asia/Tokyo')::date as day, count(*)::integer as started
    from public.parking_sessions p
    where p.started_at >= v_from::timestamp at time zone 'Asia/Tokyo'
    group by 1
  ) s on s.day = c.day::date
  on conflict (day) do update set started = excluded.started where d.started <> excluded.started;
  delete from private.session_days where day < v_today - 60;
  return (
    select jsonb_agg(jsonb_build_object('date', d.day, 'started', d.started) order by d.day)
    from private.session_days d where d.day > v_today - 30 and d.day <= v_today
  );
end
$$;

-- Counts the parts of the overview that show the current state.
create function private.refresh_overview_now() returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.keep_overview_part('sessions', (
    select jsonb_build_object('parking', count(*)) from public.parking_sessions where status = 'parking'
  ));
  perform private.keep_overview_part('open_work', jsonb_build_object(
    'pending_reviews', (
      select jsonb_build_object('count', count(*), 'oldest_at', min(created_at)) from public.reviews where status = 'pending'
    ),
    'open_error_reports', (
      select jsonb_build_object('count', count(*), 'oldest_at', min(created_at)) from public.error_reports where status = 'open'
    ),
    'waiting_tickets', (
      select jsonb_build_object('count', count(*), 'oldest_at', min(status_changed_at)) from public.support_tickets where status = 'open'
    )
  ));
  perform private.keep_overview_part('message_queues', private.queue_figures());
  perform private.keep_overview_part('jobs', private.job_figures());
end
$$;

-- Counts the parts of the overview that need a scan or change slowly.
create function private.refresh_overview() returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.keep_overview_part('people', (
    select jsonb_build_object(
      'all', count(*), 'active', count(*) filter (where u.status = 'active'),
      'new_7d', count(*) filter (where u.created_at > now() - interval '7 days'),
      'premium', count(*) filter (
        where u.status = 'active' and u.premium_ends_at > now() and u.id not in (select private.sandbox_members())
      )
    )
    from public.app_users u where u.status <> 'withdrawn'
  ));
  perform private.keep_overview_part('sessions_by_day', private.count_sessions_by_day());
  perform private.keep_overview_part('slow_queries', private.slow_statements());
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Reading
-- ---------------------------------------------------------------------------------------------------------------------

-- Every stored part, {at, value} each, with the current number of dead messages of these areas and the time when a job
-- was last started (last_started_at).
create function private.overview_values(p_areas text[]) returns jsonb
language plpgsql stable
security definer -- stored figures are private, and pg_cron shows each role only its own runs; neither identifies a user
set search_path = ''
as $$
begin
  return (
    select jsonb_object_agg(o.part, jsonb_build_object('at', o.at, 'value', o.value)) from private.overview_parts o
  ) || jsonb_build_object('dead_messages', (
    select jsonb_build_object('at', now(), 'count', count(*), 'newest_at', max(d.died_at)) from private.dead_messages d
    where private.area_of_queue(d.queue) = any (p_areas)
  ), 'last_started_at', (
    -- A run gets its number before its start: so by number, with some more than can wait at a time.
    select max(r.start_time) from (select d.start_time from cron.job_run_details d order by d.runid desc limit 100) r
  ));
end
$$;

-- Waiting work {oldest_at, …} with the current age of its oldest.
create function private.with_oldest_age(p_counted jsonb) returns jsonb
language sql stable
return p_counted || jsonb_build_object(
  'oldest_age_seconds', case when p_counted ->> 'oldest_at' is not null then
    floor(extract(epoch from greatest(now() - (p_counted ->> 'oldest_at')::timestamptz, interval '0')))
  end
);

-- The figures of the jobs of these areas: {active, failed_24h, failing}, with the names of those whose last finished run
-- failed.
create function private.job_sums(p_jobs jsonb, p_areas text[]) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select jsonb_build_object(
      'active', count(*) filter (where (j.value -> 'is_active')::boolean),
      'failed_24h', coalesce(sum((j.value -> 'failed_24h')::bigint), 0),
      'failing', coalesce(jsonb_agg(j.value -> 'name' order by j.nth) filter (where (j.value -> 'is_failing')::boolean), '[]')
    )
    from jsonb_array_elements(p_jobs) with ordinality as j (value, nth)
    where private.area_of_job(j.value ->> 'name') = any (p_areas)
  );
end
$$;

create function api.admin_get_overview(p_admin_id uuid, p_days integer default 14) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_areas constant text[] := private.areas_of(p_admin_id);
  v_sees_users constant boolean := 'users' = any (v_areas);
  v_sees_delivery constant boolean := 'notifications' = any (v_areas);
  v_values jsonb;
begin
  perform private.check_admin(p_admin_id, null);
  if p_days is null or p_days not between 1 and 30 then
    perform private.raise_error('validation_error', 422, 'days must be between 1 and 30.', p_param => 'days');
  end if;
  v_values := private.overview_values(v_areas);
  return jsonb_build_object(
    'at', now(),
    'people', case when v_sees_users then
      jsonb_build_object('at', v_values #> '{people,at}') || (v_values #> '{people,value}')
    end,
    'sessions', case when v_sees_users then
      jsonb_build_object('at', v_values #> '{sessions,at}') || (v_values #> '{sessions,value}')
    end,
    'sessions_by_day', case when v_sees_users then jsonb_build_object('at', v_values #> '{sessions_by_day,at}', 'time_zone', 'Asia/Tokyo', 'days', (
      select jsonb_agg(d.value order by d.nth)
      from jsonb_array_elements(v_values #> '{sessions_by_day,value}') with ordinality as d (value, nth)
      where d.nth > jsonb_array_length(v_values #> '{sessions_by_day,value}') - p_days
    )) end,
    'open_work', (
      select jsonb_build_object('at', v_values #> '{open_work,at}') || jsonb_object_agg(w.key, case
        when case w.key when 'pending_reviews' then 'reviews' when 'open_error_reports' then 'lots' else 'support' end = any (v_areas)
        then private.with_oldest_age(w.value)
      end)
      from jsonb_each(v_values #> '{open_work,value}') as w
    ),
    'message_queues', jsonb_build_object('at', v_values #> '{message_queues,at}', 'items', (
      select coalesce(jsonb_agg(q.value order by q.nth), '[]')
      from jsonb_array_elements(v_values #> '{message_queues,value}') with ordinality as q (value, nth)
      where private.area_of_queue(q.value ->> 'queue') = any (v_areas)
    )),
    'jobs', jsonb_build_object('at', v_values #> '{jobs,at}', 'last_started_at', v_values -> 'last_started_at')
      || private.job_sums(v_values #> '{jobs,value}', v_areas),
    'dead_messages', v_values -> 'dead_messages',
    'slow_queries', case when 'admins' = any (v_areas) then
      jsonb_build_object('at', v_values #> '{slow_queries,at}') || (v_values #> '{slow_queries,value}')
    end,
    'push', case when v_sees_delivery then private.delivery_figures('push') end,
    'mail', case when v_sees_delivery then private.delivery_figures('mail') end
  );
end
$$;

comment on function api.admin_get_overview(uuid, integer) is
  'The first page of the console: users, sessions, waiting work, queues, jobs, dead messages and slow statements, each with its time, and the time when a job was last started. p_days: the number of days of sessions by day. Each part is for an area and null without it: people, sessions and sessions_by_day for users, slow_queries for admins, push and mail for notifications, each kind of open_work for its own. Queues, jobs and dead messages are those of the administrator''s areas. Errors: forbidden, validation_error.';
