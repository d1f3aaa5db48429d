-- What became of a notification to many: inboxes, devices, reasons of failures, opened rows, and the devices without its push.
--
-- The definitions are those of supabase/schemas after this change. The way back is a file of its own.

set lock_timeout = '2s';
-- Without a default first: the fan-outs that are there were not counted.
alter table private.fan_outs add column inboxes integer;
-- pgls-ignore lint/safety/multipleAlterTable: setting the default does not scan the table
alter table private.fan_outs alter column inboxes set default 0;
comment on column private.fan_outs.inboxes is 'The number of inboxes that it wrote to; null: from before it was counted.';

drop function private.fill_inboxes(public.user_notifications, uuid[]);
drop function private.record_fan_out_page(private.fan_outs, uuid, integer, integer, integer);

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

create or replace function api.fan_out_notification(p_notification_id uuid, p_msg_id bigint) returns jsonb
language plpgsql
security definer -- no role may read or write queues directly
set search_path = ''
as $$
declare
  c_accounts constant integer := 5000;
  v_fan_out private.fan_outs;
  v_notification public.user_notifications;
  v_last uuid;
  v_user_ids uuid[];
  v_inboxes integer := 0;
  v_devices integer := 0;
  v_mail_batches integer := 0;
begin
  select * into v_fan_out from private.fan_outs where notification_id = p_notification_id for update;
  select * into v_notification from public.user_notifications where id = p_notification_id;
  if v_fan_out.finished_at is not null or v_notification.status is distinct from 'sending' then
    update private.fan_outs set finished_at = now() where notification_id = p_notification_id and finished_at is null;
    perform private.finish_messages('push-dispatch', array[p_msg_id]);
    return jsonb_build_object('is_done', true, 'people', v_fan_out.people, 'devices', v_fan_out.devices);
  end if;
  execute concat(
    'select (array_agg(u.id order by u.id desc))[1], array_agg(u.id) filter (where ', private.audience_sql(v_notification), ')
    from (select * from public.app_users a where a.id > $2 ', case v_notification.target when 'user' then 'and a.id = ($1).user_id ' end,
    'order by a.id limit $3) u'
  ) into v_last, v_user_ids using v_notification, v_fan_out.after_user_id, c_accounts;
  if v_user_ids is not null then
    v_inboxes := private.fill_inboxes(v_notification, v_user_ids);
    v_devices := private.write_deliveries(v_notification, v_user_ids, v_fan_out.devices);
    v_mail_batches := private.write_mails(p_notification_id, v_notification.type, true, v_user_ids, v_fan_out.mail_batches);
  end if;
  if v_last is null then
    perform private.finish_messages('push-dispatch', array[p_msg_id]);
  end if;
  return private.record_fan_out_page(v_fan_out, v_last, coalesce(cardinality(v_user_ids), 0), v_inboxes, v_devices, v_mail_batches);
end
$$;

comment on function api.fan_out_notification(uuid, bigint) is
  'Fans a composed notification out to the next 5,000 accounts: {is_done, people, devices} so far. Deletes its message when it is done. For the service only. It raises no errors.';

-- The funnel of a composed notification: its audience, the inboxes, the devices and their outcomes, the opened rows. Null:
-- there is no such notification.
create function private.notification_funnel(p_id uuid) returns jsonb
language plpgsql stable
security definer -- fan-outs and deliveries are private; returns numbers
set search_path = ''
as $$
begin
  return (
    select jsonb_build_object(
      'people', coalesce(f.people, 0), 'inboxes', case when f.notification_id is null then 0 else f.inboxes end,
      'devices', coalesce(f.devices, 0) + n.suppressed_count, 'delivered', n.success_count, 'failed', n.failure_count,
      'suppressed', n.suppressed_count, 'deferred', coalesce(f.deferred, 0),
      'waiting', greatest(0, coalesce(f.devices, 0) - n.success_count - n.failure_count),
      'failures', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'outcome', c.outcome, 'devices', least(c.devices, private.max_total()), 'is_exact', c.devices <= private.max_total()
        ) order by c.devices desc, c.outcome), '[]')
        from (
          select o.outcome, (
            select count(*) from (
              select from private.push_deliveries d where d.notification_id = n.id and d.outcome = o.outcome
                and d.outcome <> 'delivered' limit private.max_total() + 1
            ) d
          ) as devices
          from unnest('{dead_token,wrong_sender,payload_fault,undeliverable,gone}'::text[]) as o (outcome)
        ) c
        where c.devices > 0
      ),
      'opened', least(r.opened, private.max_total()), 'opened_is_exact', r.opened <= private.max_total()
    )
    from public.user_notifications n
    left join private.fan_outs f on f.notification_id = n.id
    cross join lateral (
      select count(*) as opened from (
        select from public.user_notifications i where i.composed_id = n.id and i.read_at is not null limit private.max_total() + 1
      ) i
    ) r
    where n.id = p_id and n.is_composed
  );
end
$$;

create function api.admin_read_notification_funnel(p_admin_id uuid, p_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'notifications');
  return private.require_row(private.notification_funnel(p_id), 'There is no such notification.');
end
$$;

comment on function api.admin_read_notification_funnel(uuid, uuid) is
  'What became of a composed notification: {people, inboxes (null: from before they were counted), devices, delivered, failed, suppressed, deferred, waiting, failures: [{outcome, devices, is_exact}], opened, opened_is_exact}. Opened inboxes and devices of a reason are counted up to 10,000, reasons for 30 days. Errors: forbidden, not_found.';

-- Devices of a notification that did not get its push, as the console lists them; null for none.
create function private.undelivered_rows(p_notification_id uuid, p_token_ids uuid[]) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select jsonb_agg(jsonb_build_object(
      'token_id', d.token_id, 'user_id', d.user_id, 'device_type', t.device_type, 'outcome', d.outcome, 'attempts', d.attempts,
      'recorded_at', d.recorded_at
    ) order by d.outcome, d.token_id)
    from private.push_deliveries d
    left join public.user_push_tokens t on t.id = d.token_id and t.user_id = d.user_id
    where d.notification_id = p_notification_id and d.token_id = any (p_token_ids)
  );
end
$$;

-- A page of the devices of a notification that did not get its push, by outcome.
create function private.undelivered_page(p_id uuid, p_outcome text, p_include text[], p_cursor text, p_limit integer) returns jsonb
language plpgsql stable
security definer -- deliveries are private; returns those of one notification, without the names of devices
set search_path = ''
as $$
begin
  return private.list_rows('private.push_deliveries', '{outcome text,token_id uuid}', 'asc',
    jsonb_build_object('r.outcome <> ''delivered'' and r.notification_id = %s::uuid', p_id, 'r.outcome = %s', p_outcome),
    p_include, p_cursor, p_limit, p_rows => 'private.undelivered_rows((array_agg((r).notification_id))[1], array_agg((r).token_id))',
    p_is_capped => true);
end
$$;

create function api.admin_list_undelivered_devices(
  p_admin_id uuid, p_id uuid, p_outcome text default null, p_include text[] default '{}', p_cursor text default null,
  p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'notifications');
  perform private.check_choice('outcome', p_outcome, '{dead_token,wrong_sender,payload_fault,undeliverable,gone,suppressed}');
  perform private.require_row(
    (select to_jsonb(n.id) from public.user_notifications n where n.id = p_id and n.is_composed), 'There is no such notification.'
  );
  return private.undelivered_page(p_id, p_outcome, p_include, p_cursor, p_limit);
end
$$;

comment on function api.admin_list_undelivered_devices(uuid, uuid, text, text[], text, integer) is
  'The devices of a composed notification that did not get its push, by outcome, for 30 days: {items, next_cursor}, and total (counted up to 10,000) with total_is_exact when p_include has it. device_type is null for a device that is not registered any more. Errors: forbidden, validation_error, not_found.';
