-- Fan-out: writes the rows of inboxes and the deliveries to devices of a composed notification, page by page.
--
-- Sending puts one message into the queue push-dispatch. Its consumer calls api.fan_out_notification until is_done. Each
-- call takes the next 5,000 accounts in order of their ids, writes their rows and the full batches, and records the
-- progress, in one transaction. When a consumer dies, another one continues; two at once wait for each other and then
-- take different pages. So an inbox never waits for the push service.
--
-- The audience and its preferences are read with each page. Devices are numbered in the order of the pages, 500 to a
-- batch. A batch is queued when it is full, the last one when the fan-out ends. Mails are queued page by page
-- (messages/mail.sql).
--
-- Invariants: each account of the audience gets one row and each of its devices one delivery, also when the fan-out is
-- interrupted.
-- Interface: private.start_fan_out, private.audience_sql for the console; api.fan_out_notification for the consumer.

-- The SQL condition, on app_users u and the notification $1, for the audience of a composed notification. It is built
-- from literals and a quoted time only.
create function private.audience_sql(p_notification public.user_notifications) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_since timestamptz := p_notification.segment ->> 'last_active_since';
begin
  return concat('u.status = ''active''',
    case p_notification.target
      when 'user' then ' and u.id = ($1).user_id'
      when 'premium' then ' and u.premium_ends_at > now()'
      when 'free' then ' and (u.premium_ends_at is null or u.premium_ends_at <= now())' end,
    case when p_notification.segment ? 'min_level' then ' and u.level >= (($1).segment ->> ''min_level'')::integer' end,
    case when p_notification.segment ? 'plan' then ' and exists (select from public.user_subscriptions s
      where s.user_id = u.id and s.access_ends_at > now()
        and s.plan_id = (select p.id from public.subscription_plans p where p.code = ($1).segment ->> ''plan''))' end,
    -- Activities are only read of accounts whose last day is the day of that time: limit 1 keeps them from being read at once.
    case when p_notification.segment ? 'last_active_since' then format(' and u.last_active_on >= %1$L and (u.last_active_on > %1$L
      or (select true from private.activities a where a.user_id = u.id and a.created_at >= %2$L and a.created_at < %3$L limit 1))',
      private.utc_day(v_since), v_since, (private.utc_day(v_since) + 1)::timestamp at time zone 'UTC') end,
    case when p_notification.segment ? 'box' then ' and exists (select from public.parking_sessions s
      join public.parking_lots l on l.id = s.parking_lot_id where s.user_id = u.id
        and l.lat between (($1).segment #>> ''{box,south}'')::double precision and (($1).segment #>> ''{box,north}'')::double precision
        and l.lng between (($1).segment #>> ''{box,west}'')::double precision and (($1).segment #>> ''{box,east}'')::double precision)' end
  );
end
$$;

-- The number of accounts that a composed notification would reach now, and of their devices that accept pushes of its
-- type. Not exact: of more than 200,000 accounts a sample of 20,000 was counted, because counting a million takes
-- seconds.
create function private.audience_size(
  p_notification public.user_notifications, out people bigint, out devices bigint, out is_exact boolean
)
language plpgsql stable
set search_path = ''
set enable_hashjoin = on
set enable_mergejoin = on
as $$
declare
  -- Of more accounts a sample is counted, unless it has few of the audience.
  c_max_exact constant integer := 200000;
  c_sample constant integer := 20000;
  c_few constant integer := 200;
  c_accounts constant double precision := (
    select c.reltuples from pg_catalog.pg_class c where c.oid = 'public.app_users'::regclass
  );
  c_of_sample constant text := format('tablesample system (%s) repeatable (1)', 100 * c_sample / greatest(c_accounts, c_sample));
  c_count constant text :=
    'select count(*), coalesce(sum(d.devices) filter (where coalesce(p.push_enabled, y.push_enabled)), 0)
    from public.app_users u %s
    join public.notification_types y on y.code = ($1).type
    left join public.notification_preferences p on p.user_id = u.id and p.notif_type = y.code
    cross join lateral (select count(*) as devices from public.user_push_tokens t where t.user_id = u.id) d
    where %s';
  v_sampled bigint;
begin
  is_exact := p_notification.target = 'user' or c_accounts <= c_max_exact;
  if not is_exact then
    -- Each account of the sample by itself: a join would read the sessions of all accounts. The settings end with this function.
    perform set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true);
    execute format(c_count, c_of_sample, private.audience_sql(p_notification)) into people, devices using p_notification;
    execute format('select count(*) from public.app_users u %s', c_of_sample) into v_sampled;
    perform set_config('enable_hashjoin', 'on', true), set_config('enable_mergejoin', 'on', true);
    is_exact := people < c_few;
    people := round(people * c_accounts / greatest(v_sampled, 1));
    devices := round(devices * c_accounts / greatest(v_sampled, 1));
  end if;
  if is_exact then
    execute format(c_count, '', private.audience_sql(p_notification)) into people, devices using p_notification;
  end if;
end
$$;

-- Writes for each open delivery of a batch whether it waits for the end of quiet hours.
create function private.note_deferred(p_notification_id uuid, p_batch integer, p_type text) returns void
language plpgsql
set search_path = ''
as $$
begin
  update private.push_deliveries d set is_deferred = not d.is_deferred
  from private.push_recipients(p_notification_id, p_batch, p_type) r
  where d.notification_id = p_notification_id and d.token_id = r.token_id and d.is_deferred <> (r.waits_until is not null);
end
$$;

-- Counts the deliveries of a composed notification that wait for the end of quiet hours.
create function private.tg_push_deliveries__count_deferred() returns trigger
language plpgsql
security definer -- only functions of this file write fan-outs
set search_path = ''
as $$
begin
  update private.fan_outs f set deferred = f.deferred + c.change
  from (
    select d.notification_id, sum(d.sign) as change from (
      select n.notification_id, 1 as sign from new_rows n where n.is_deferred and n.outcome is null
      union all
      select o.notification_id, -1 from old_rows o where o.is_deferred and o.outcome is null
    ) d group by d.notification_id
  ) c
  where f.notification_id = c.notification_id and c.change <> 0;
  return null;
end
$$;

-- The number of devices of a composed notification whose push waits for the end of quiet hours.
create function private.deferred_devices(p_notification_id uuid) returns integer
language plpgsql stable
security definer -- fan-outs are private
set search_path = ''
as $$
begin
  return coalesce((select f.deferred from private.fan_outs f where f.notification_id = p_notification_id), 0);
end
$$;

-- Starts the fan-out of a composed notification when the transaction commits. The caller has set its status to sending.
create function private.start_fan_out(p_notification_id uuid) returns void
language plpgsql
security definer -- no role may read or write queues directly
set search_path = ''
as $$
begin
  insert into private.fan_outs (notification_id) values (p_notification_id);
  perform private.enqueue('push-dispatch', jsonb_build_object('notification_id', p_notification_id, 'fan_out', true));
  perform private.wake_consumer('push-dispatch');
end
$$;

-- Writes the rows of these users' inboxes, each in the language of its user; none for users who turned the type off in
-- the inbox. Returns their number.
create function private.fill_inboxes(p_notification public.user_notifications, p_user_ids uuid[]) returns integer
language plpgsql
set search_path = ''
as $$
declare
  v_written integer;
begin
  insert into public.user_notifications (user_id, type, title, body, data, target, status, sent_at, composed_id)
  select u.id, (p_notification).type,
    case u.lang when 'en' then coalesce((p_notification).title_en, (p_notification).title) else (p_notification).title end,
    case u.lang when 'en' then coalesce((p_notification).body_en, (p_notification).body) else (p_notification).body end,
    (p_notification).data, (p_notification).target, 'sent', now(), (p_notification).id
  from unnest(p_user_ids) as i (id)
  join public.app_users u on u.id = i.id
  join public.notification_types y on y.code = (p_notification).type
  left join public.notification_preferences p on p.user_id = u.id and p.notif_type = y.code
  where coalesce(p.in_app_enabled, y.in_app_enabled);
  get diagnostics v_written = row_count;
  return v_written;
end
$$;

-- Writes the deliveries to these users' devices, after the p_before that exist, and returns how many are to be sent.
-- Those of users who had five pushes within a minute are suppressed and counted.
create function private.write_deliveries(p_notification public.user_notifications, p_user_ids uuid[], p_before integer) returns integer
language plpgsql
set search_path = ''
as $$
declare
  v_written integer;
begin
  with wanted as (
    select t.id as token_id, t.user_id, now() + y.push_ttl as expires_at
    from public.user_push_tokens t
    join public.notification_types y on y.code = (p_notification).type
    left join public.notification_preferences p on p.user_id = t.user_id and p.notif_type = y.code
    where t.user_id = any (p_user_ids) and coalesce(p.push_enabled, y.push_enabled)
  ), allowed as (
    select a.id from private.may_push((select array_agg(distinct w.user_id) from wanted w), (p_notification).type) as a (id)
  ), written as (
    insert into private.push_deliveries (notification_id, token_id, user_id, batch, outcome, recorded_at, expires_at)
    select (p_notification).id, w.token_id, w.user_id,
      (p_before + row_number() over (partition by a.id is null order by w.user_id, w.token_id) - 1) / 500,
      case when a.id is null then 'suppressed' end, case when a.id is null then now() end, w.expires_at
    from wanted w left join allowed a on a.id = w.user_id
    returning outcome
  ), counted as (
    select count(*) filter (where outcome is null) as open, count(*) filter (where outcome is not null) as suppressed from written
  ), noted as (
    update public.user_notifications n set suppressed_count = n.suppressed_count + c.suppressed
    from counted c where n.id = (p_notification).id and c.suppressed > 0
  )
  select c.open into v_written from counted c;
  return v_written;
end
$$;

-- Queues the batches that this page filled, at the end also the last one, and records the progress of the fan-out.
create function private.record_fan_out_page(
  p_fan_out private.fan_outs, p_last uuid, p_people integer, p_inboxes integer, p_devices integer, p_mail_batches integer
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_devices constant integer := (p_fan_out).devices + p_devices;
  v_is_done constant boolean := p_last is null;
  v_id constant uuid := (p_fan_out).notification_id;
  v_batches jsonb[] := array(
    select jsonb_build_object('notification_id', v_id, 'batch', b)
    from generate_series((p_fan_out).devices / 500, case when v_is_done then (v_devices + 499) / 500 else v_devices / 500 end - 1) as b
  );
begin
  if cardinality(v_batches) > 0 then
    perform private.enqueue_all('push-dispatch', v_batches);
    perform private.wake_consumer('push-dispatch');
  end if;
  update private.fan_outs
  set after_user_id = coalesce(p_last, after_user_id), people = people + p_people, inboxes = inboxes + p_inboxes, devices = v_devices,
    mail_batches = mail_batches + p_mail_batches, finished_at = case when v_is_done then now() end
  where notification_id = v_id;
  if v_is_done then
    perform private.close_notification(v_id);
  end if;
  return jsonb_build_object('is_done', v_is_done, 'people', (p_fan_out).people + p_people, 'devices', v_devices);
end
$$;

-- Sends notifications that are due, once each; returns their number.
create function private.start_scheduled_notifications() returns integer
language plpgsql
set search_path = ''
as $$
declare
  v_id uuid;
  v_started integer := 0;
begin
  for v_id in
    select n.id from public.user_notifications n where n.status = 'scheduled' and n.scheduled_at <= now()
    order by n.scheduled_at, n.id for update skip locked
  loop
    update public.user_notifications set status = 'sending' where id = v_id;
    perform private.start_fan_out(v_id);
    v_started := v_started + 1;
  end loop;
  return v_started;
end
$$;
