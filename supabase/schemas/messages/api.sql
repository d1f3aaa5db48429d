-- The interface of messages: the inbox, pushes and mails.
--
-- Clients and the service call these functions. The rules are in delivery_figures.sql, fan_out.sql, inbox.sql, mail.sql,
-- outages.sql, preferences.sql, push.sql, push_worker.sql and templates.sql.

-- ---------------------------------------------------------------------------------------------------------------------
-- The inbox
-- ---------------------------------------------------------------------------------------------------------------------

create function api.list_my_notifications(
  p_unread boolean default null, p_limit integer default 20, p_cursor text default null, p_include text[] default '{}'
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_user_id uuid := private.active_user();
  v_filters jsonb := jsonb_build_object('list', 'my_notifications', 'user_id', v_user_id, 'unread', p_unread);
  v_after jsonb := private.page_start(v_filters, p_cursor, '{timestamptz,uuid}', 'desc');
begin
  perform private.page_limit(p_limit);
  return private.page(v_filters, (
    select jsonb_agg(private.notification_row(n) order by n.sent_at desc, n.id desc)
    from private.inbox_page(v_user_id, p_unread, v_after, p_limit + 1) as n
  ), '{sent_at,id}', p_limit)
  || case when 'unread_count' = any (p_include) then jsonb_build_object('unread_count', (
      select count(*) from public.user_notifications n
      where n.user_id = v_user_id and n.status = 'sent' and n.is_in_app and n.read_at is null
    )) else '{}' end
  || case when 'total' = any (p_include) then jsonb_build_object('total', (
      select count(*) from public.user_notifications n
      where n.user_id = v_user_id and n.status = 'sent' and n.is_in_app
        and (p_unread is null or (n.read_at is null) = p_unread)
    )) else '{}' end;
end
$$;

comment on function api.list_my_notifications(boolean, integer, text, text[]) is
  'The caller''s inbox, latest sent first: {items, next_cursor}, and unread_count (of the whole inbox) and total (of the list) when p_include has them. p_unread true: only unread ones; false: only read ones. Reads only. Errors: unauthorized, forbidden, validation_error.';

create function commands.mark_my_notifications_read(p_ids uuid[] default null, p_before timestamptz default null) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_user_id uuid := private.writing_user();
  v_updated integer;
begin
  if (p_ids is null) = (p_before is null) then
    perform private.raise_error('validation_error', 422, 'Send either ids or before.', p_param => 'ids');
  elsif cardinality(p_ids) > 100 then
    perform private.raise_error('validation_error', 422, 'ids must have at most 100 values.', p_param => 'ids');
  end if;
  -- Locked in one order, so that two devices that mark the same notifications never wait for each other. An array, because
  -- a join of thousands of rows may become a nested loop: the planner expects one.
  update public.user_notifications n set read_at = now() where n.id = any (array(
    select u.id from public.user_notifications u
    where u.user_id = v_user_id and u.status = 'sent' and u.is_in_app and u.read_at is null
      and (u.id = any (p_ids) or u.sent_at < p_before)
    order by u.id for no key update
  ));
  get diagnostics v_updated = row_count;
  return jsonb_build_object('updated', v_updated);
end
$$;

comment on function commands.mark_my_notifications_read(uuid[], timestamptz) is
  'Marks unread notifications in the caller''s inbox as read: {updated}. Either those with the given ids (ids of other notifications are ignored), or all that were sent before a time. Idempotent. Errors: unauthorized, forbidden, validation_error.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Devices
-- ---------------------------------------------------------------------------------------------------------------------

create function commands.put_my_push_token(p_fcm_token text, p_device_type text) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform private.active_user();
  perform private.check_fields('public.user_push_tokens', jsonb_build_object('fcm_token', p_fcm_token, 'device_type', p_device_type),
    '{fcm_token,device_type}');
  return private.push_token_row(private.take_push_token(p_fcm_token, p_device_type));
end
$$;

comment on function commands.put_my_push_token(text, text) is
  'Registers a device for the caller and returns it; it no longer belongs to another user. Idempotent. Errors: unauthorized, forbidden, validation_error.';

create function commands.delete_my_push_token(p_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_user_id uuid := private.writing_user();
begin
  delete from public.user_push_tokens where id = p_id and user_id = v_user_id;
  if not found then
    perform private.raise_error('not_found', 404, 'You have no device with this id.', p_param => 'id');
  end if;
end
$$;

comment on function commands.delete_my_push_token(uuid) is
  'Deletes the caller''s device, which receives no more push messages. Errors: unauthorized, forbidden, not_found.';

grant execute on function
  api.list_my_notifications(boolean, integer, text, text[]), commands.mark_my_notifications_read(uuid[], timestamptz),
  commands.put_my_push_token(text, text), commands.delete_my_push_token(uuid)
to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Preferences
-- ---------------------------------------------------------------------------------------------------------------------

create function api.my_notification_preferences(p_lang text default 'ja') returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_user_id uuid := private.active_user();
begin
  if p_lang is null or p_lang not in ('ja', 'en') then
    perform private.raise_error('validation_error', 422, 'lang must be ja or en.', p_param => 'lang');
  end if;
  return private.notification_preferences_of(v_user_id, p_lang);
end
$$;

comment on function api.my_notification_preferences(text) is
  'The caller''s channels for each type, the labels of the types, and the quiet hours: {items, types, quiet_hours}. Reads only. Errors: unauthorized, forbidden, validation_error.';

create function commands.set_my_notification_preferences(
  p_items jsonb, p_lang text default 'ja', p_quiet_hours jsonb default null, p_remove_quiet_hours boolean default false
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_user_id uuid := private.writing_user();
begin
  perform private.check_notification_preferences(p_items);
  insert into public.notification_preferences as p (user_id, notif_type, push_enabled, in_app_enabled, email_enabled)
  select v_user_id, i.notif_type, i.push_enabled, i.in_app_enabled, i.email_enabled
  from jsonb_to_recordset(p_items)
    as i (notif_type text, push_enabled boolean, in_app_enabled boolean, email_enabled boolean)
  order by i.notif_type
  on conflict (user_id, notif_type) do update set push_enabled = excluded.push_enabled,
    in_app_enabled = excluded.in_app_enabled, email_enabled = excluded.email_enabled;
  if p_remove_quiet_hours or p_quiet_hours is not null then
    perform private.put_quiet_hours(case when not p_remove_quiet_hours then p_quiet_hours end);
  end if;
  return api.my_notification_preferences(p_lang);
end
$$;

comment on function commands.set_my_notification_preferences(jsonb, text, jsonb, boolean) is
  'Sets the caller''s channels for the types in p_items, all or none; others are kept. p_quiet_hours {from, to, time_zone} sets quiet hours, p_remove_quiet_hours removes them; otherwise they are kept. Returns all as my_notification_preferences does. Idempotent. Errors: unauthorized, forbidden, validation_error.';

grant execute on function
  api.my_notification_preferences(text), commands.set_my_notification_preferences(jsonb, text, jsonb, boolean)
to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- The consumer
-- ---------------------------------------------------------------------------------------------------------------------

create function api.take_push_batches(p_limit integer default 1) returns jsonb
language plpgsql
security definer -- no role may read or write queues directly
set search_path = ''
as $$
declare
  v_read record;
  v_batch jsonb;
  v_batches jsonb := '[]';
  v_found integer := 0;
begin
  perform pg_advisory_xact_lock(hashtext('push-dispatch slots')); -- one consumer at a time, so that they count each other's batches
  perform private.note_consumer('push-dispatch');
  -- Fan-outs come first: inboxes wait neither for pushes nor for the end of a pause.
  if exists (select from private.fan_outs f where f.finished_at is null) then
    for v_read in select m.msg_id, m.message from pgmq.read('push-dispatch', private.lease_seconds(), 1, '{"fan_out": true}') as m loop
      return jsonb_build_object('found', 1, 'is_service_up', false, 'batches', jsonb_build_array(jsonb_build_object(
        'msg_id', v_read.msg_id, 'notification_id', v_read.message -> 'notification_id')));
    end loop;
  end if;
  for v_read in
    select m.msg_id, m.message from private.take_push_messages(p_limit) as m order by m.msg_id
  loop
    v_found := v_found + 1;
    perform private.reopen_deliveries(v_read.message);
    v_batch := private.push_batch(v_read.msg_id, (v_read.message ->> 'notification_id')::uuid, (v_read.message ->> 'batch')::integer);
    if v_batch is not null then
      v_batches := v_batches || v_batch;
      perform private.lease_push_batch(v_read.msg_id);
    end if;
  end loop;
  return jsonb_build_object('batches', v_batches, 'found', v_found, 'is_service_up', (
    select o.failures = 0 and o.reached_at > now() - interval '2 minutes' from private.outages o where o.queue = 'push-dispatch'
  ));
end
$$;

comment on function api.take_push_batches(integer) is
  'Up to p_limit messages of the queue push-dispatch, hidden from other consumers for private.lease_seconds: {found, is_service_up (a device was reached within the last two minutes, and pushing is not paused), batches: [{msg_id, notification_id, batch, type, texts: {ja, en}, data, devices: [{token_id, fcm_token, lang, badge, expires_at}]}]}. An item without batch is a fan-out, for api.fan_out_notification. Batches without a device to send to are counted in found and settled, but not returned. While pushing is paused or eight batches are being sent only fan-outs are found. For the service only. It raises no errors.';

create function api.extend_push_lease(p_msg_id bigint) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.hold_push_batch(p_msg_id);
end
$$;

comment on function api.extend_push_lease(bigint) is
  'Extends the lease of a batch or of a fan-out that a consumer works on, so that no other takes it. For the service only. It raises no errors.';

create function api.record_push_outcomes(
  p_msg_id bigint, p_notification_id uuid, p_batch integer, p_outcomes jsonb, p_retry_seconds integer default null,
  p_continues boolean default false
) returns boolean
language plpgsql
security definer -- as api.take_push_batches
set search_path = ''
as $$
declare
  v_later constant uuid[] := array(select (o ->> 'token_id')::uuid from jsonb_array_elements(p_outcomes) o where o ->> 'outcome' = 'later');
  v_tries integer;
  v_is_rejected boolean;
begin
  perform private.record_outcomes(p_notification_id, array_agg((o ->> 'token_id')::uuid), array_agg(o ->> 'outcome'))
  from jsonb_array_elements(p_outcomes) o where o ->> 'outcome' <> 'later';
  -- Only if unchanged: the token may be another user's by now.
  delete from public.user_push_tokens t
  using jsonb_to_recordset(p_outcomes) as o (token_id uuid, fcm_token text, outcome text)
  where t.id = o.token_id and t.fcm_token = o.fcm_token and o.outcome in ('dead_token', 'wrong_sender');
  update private.push_deliveries d set attempts = d.attempts + 1
  where d.notification_id = p_notification_id and d.token_id = any (v_later) and d.outcome is null;
  perform private.mark_undeliverable(p_notification_id, p_batch);
  v_is_rejected := private.is_content_rejected(p_notification_id, p_outcomes);
  if v_is_rejected then
    perform private.fail_notification(p_notification_id);
  end if;
  if p_outcomes <> '[]' then
    perform private.end_outage('push-dispatch');
  end if;
  update private.outages o set reached_at = now()
  where o.queue = 'push-dispatch' and o.reached_at < now() - interval '30 seconds'
    and exists (select from jsonb_array_elements(p_outcomes) o where o ->> 'outcome' <> 'later');
  if p_continues and not v_is_rejected then
    perform private.hold_push_batch(p_msg_id);
    return false;
  end if;
  delete from private.push_leases where msg_id = p_msg_id;
  select max(d.attempts) into v_tries from private.push_deliveries d
  where d.notification_id = p_notification_id and d.batch = p_batch and d.outcome is null;
  perform private.settle_batch(p_msg_id, p_notification_id, p_batch, p_retry_seconds * (2 ^ greatest(v_tries - 1, 0))::integer);
  return v_is_rejected;
end
$$;

comment on function api.record_push_outcomes(bigint, uuid, integer, jsonb, integer, boolean) is
  'Records the outcomes of devices of a batch, each {token_id, fcm_token, outcome}. outcome is delivered, dead_token or wrong_sender (the device is deleted), payload_fault (the device refuses this message), or later. later is retried after p_retry_seconds, then after twice as long each time, at most five times. A device whose push expires_at passed meanwhile is not sent to and has no outcome here: its outcome is expired when the batch is settled. p_continues: the consumer has sent only a part of the batch, and keeps its lease. Each outcome counts once, also when it is recorded again. Returns true when the push service rejects the content: every device that it knows refused it, these are of several users, and none was reached before. The notification has then failed, and its other devices get no push. For the service only. It raises no errors.';

create function api.pause_push(p_reason text, p_seconds integer default null, p_msg_ids bigint[] default '{}') returns integer
language plpgsql
security definer -- as api.take_push_batches
set search_path = ''
as $$
declare
  v_seconds constant integer := private.pause_queue('push-dispatch', p_reason, p_seconds);
begin
  -- The random part keeps batches from returning all at once.
  perform pgmq.set_vt('push-dispatch', m.id, v_seconds + (random() * 5)::integer) from unnest(p_msg_ids) as m (id);
  delete from private.push_leases where msg_id = any (p_msg_ids);
  return v_seconds;
end
$$;

comment on function api.pause_push(text, integer, bigint[]) is
  'Pauses pushing when the push service is down (reason outage), rejects the credentials (credentials), or is not configured (not_configured). No batch is taken for p_seconds, or longer after several failures; returns the seconds. No attempt is counted. For the service only. It raises no errors.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Fan-out
-- ---------------------------------------------------------------------------------------------------------------------

create function api.fan_out_notification(p_notification_id uuid, p_msg_id bigint) returns jsonb
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

-- ---------------------------------------------------------------------------------------------------------------------
-- The consumer
-- ---------------------------------------------------------------------------------------------------------------------

create function api.take_mails() returns jsonb
language plpgsql
security definer -- no role may read or write queues and deliveries directly
set search_path = ''
as $$
declare
  v_read jsonb;
  v_batch jsonb;
begin
  if not exists (select from private.outages o where o.queue = 'mail' and o.paused_until > now()) then
    v_read := private.read_messages('mail', private.lease_seconds(), 1) -> 0;
  end if;
  if v_read is null then
    return '{"found": 0, "batches": []}';
  end if;
  v_batch := private.mail_batch((v_read ->> 'msg_id')::bigint, (v_read #>> '{message,notification_id}')::uuid,
    (v_read #>> '{message,batch}')::integer, (v_read ->> 'read_count')::integer);
  return jsonb_build_object('found', 1, 'batches', case when v_batch is null then '[]' else jsonb_build_array(v_batch) end);
end
$$;

comment on function api.take_mails() is
  'The next batch of mails, hidden from other consumers for private.lease_seconds: {found, batches: [{msg_id, notification_id, batch, tries, texts: {ja, en}, mails: [{user_id, address, lang}]}]}. A batch without a mail to send is counted in found and settled, but not returned. Nothing is found while mail is paused. For the service only. It raises no errors.';

create function api.record_mail_outcomes(
  p_msg_id bigint, p_notification_id uuid, p_batch integer, p_outcomes jsonb, p_retry_seconds integer default 60
) returns void
language plpgsql
security definer -- no role may read or write queues and deliveries directly
set search_path = ''
as $$
begin
  update private.mail_deliveries d set outcome = o.outcome, recorded_at = now()
  from jsonb_to_recordset(p_outcomes) as o (user_id uuid, outcome text)
  where d.notification_id = p_notification_id and d.user_id = o.user_id and d.outcome is null;
  if exists (
    select from private.mail_deliveries d where d.notification_id = p_notification_id and d.batch = p_batch and d.outcome is null
  ) then
    perform pgmq.set_vt('mail', p_msg_id, greatest(p_retry_seconds, 1));
  else
    perform private.finish_messages('mail', array[p_msg_id]);
  end if;
  if p_outcomes <> '[]' then
    perform private.end_outage('mail');
  end if;
end
$$;

comment on function api.record_mail_outcomes(bigint, uuid, integer, jsonb, integer) is
  'Records the outcomes of mails of a batch, each {user_id, outcome}: sent, rejected, not_configured. The first outcome of a mail stays. Mails without one are returned again after p_retry_seconds, with their batch. For the service only. It raises no errors.';

create function api.pause_mail(p_reason text, p_seconds integer default null, p_msg_ids bigint[] default '{}') returns integer
language plpgsql
security definer -- no role may read or write queues directly
set search_path = ''
as $$
declare
  v_seconds constant integer := private.pause_queue('mail', p_reason, p_seconds);
begin
  perform pgmq.set_vt('mail', m.id, v_seconds) from unnest(p_msg_ids) as m (id);
  update pgmq.q_mail set read_ct = read_ct - 1 where msg_id = any (p_msg_ids);
  return v_seconds;
end
$$;

comment on function api.pause_mail(text, integer, bigint[]) is
  'Pauses mail when the mail service is down (reason outage), rejects the credentials (credentials) or its quota is exceeded (quota). Nothing is taken for p_seconds, or longer after several failures; returns the seconds. The messages are returned again then; this attempt does not count. For the service only. It raises no errors.';
