-- Delivery in the overview: waiting pushes and mails, outcomes by hour, and whether the services can be used.
--
-- A job counts them each minute and stores them as parts of the overview (console/overview.sql). Outcomes are counted
-- by the hour: only the current hour each time, and the one before until five minutes after its end, to include long
-- transactions. Earlier hours keep their counts. Read directly: whether the services can be used.
--
-- Interface: private.delivery_figures for api.admin_get_overview; the job refresh_delivery_figures.

-- ---------------------------------------------------------------------------------------------------------------------
-- Counting
-- ---------------------------------------------------------------------------------------------------------------------

-- The outcomes of a table of deliveries by hour, of the last 24 hours with the current one: [{hour, counts}], oldest
-- first, without hours that have none. Hours that the stored part has counted to their end are not counted again.
create function private.outcomes_by_hour(p_part text, p_table text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_oldest constant timestamptz := date_trunc('hour', now(), 'UTC') - interval '23 hours';
  v_from timestamptz := v_oldest;
  v_kept jsonb;
  v_counted jsonb;
begin
  select greatest(v_oldest, date_trunc('hour', o.at - interval '5 minutes', 'UTC')), o.value -> 'outcomes' into v_from, v_kept
  from private.overview_parts o where o.part = p_part;
  execute format(
    'select jsonb_agg(jsonb_build_object(''hour'', h.hour, ''counts'', h.counts) order by h.hour)
    from (
      select c.hour, jsonb_object_agg(c.outcome, c.times) as counts
      from (
        select date_trunc(''hour'', d.recorded_at, ''UTC'') as hour, d.outcome, count(*) as times
        from private.%I d where d.recorded_at >= $1
        group by 1, 2
      ) c
      group by c.hour
    ) h', p_table
  ) into v_counted using coalesce(v_from, v_oldest);
  return coalesce((
    select jsonb_agg(k.value order by k.nth) from jsonb_array_elements(v_kept) with ordinality as k (value, nth)
    where (k.value ->> 'hour')::timestamptz >= v_oldest and (k.value ->> 'hour')::timestamptz < v_from
  ), '[]') || coalesce(v_counted, '[]');
end
$$;

-- Counts waiting pushes and mails, and outcomes.
create function private.refresh_delivery_figures() returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.keep_overview_part('push', (
    select jsonb_build_object(
      'messages', (select count(*) from pgmq."q_push-dispatch"), 'waiting', count(*), 'retrying', count(*) filter (where d.attempts > 0),
      'oldest_at', (select q.enqueued_at from pgmq."q_push-dispatch" q order by q.msg_id limit 1),
      'outcomes', private.outcomes_by_hour('push', 'push_deliveries')
    )
    from private.push_deliveries d where d.outcome is null
  ));
  perform private.keep_overview_part('mail', (
    select jsonb_build_object(
      'messages', count(*), 'waiting', (select count(*) from private.mail_deliveries d where d.outcome is null),
      'retrying', count(*) filter (where q.read_ct > 0),
      'oldest_at', (select o.enqueued_at from pgmq.q_mail o order by o.msg_id limit 1),
      'outcomes', private.outcomes_by_hour('mail', 'mail_deliveries')
    )
    from pgmq.q_mail q
  ));
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Reading
-- ---------------------------------------------------------------------------------------------------------------------

-- The figures of push or mail: {at, messages, waiting, retrying, oldest_at, oldest_age_seconds, outcomes: [{hour,
-- counts}]} as stored, and {trouble: {reason, since, paused_until}} as of now, null while there is none.
create function private.delivery_figures(p_part text) returns jsonb
language plpgsql stable
security definer -- stored figures are private
set search_path = ''
as $$
begin
  return (
    select jsonb_build_object('at', o.at) || private.with_oldest_age(o.value)
    from private.overview_parts o where o.part = p_part
  ) || jsonb_build_object('trouble', (
    select jsonb_build_object('reason', o.reason, 'since', o.failing_since, 'paused_until', o.paused_until)
    from private.outages o
    where o.queue = case p_part when 'push' then 'push-dispatch' else p_part end and o.failures > 0
  ));
end
$$;
