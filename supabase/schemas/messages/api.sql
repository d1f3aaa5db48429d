-- The interface of messages: the inbox, pushes and mails.
--
-- Clients and the service call these functions. The rules are in delivery_figures.sql, fan_out.sql, inbox.sql, mail.sql,
-- preferences.sql, push.sql, push_health.sql, push_worker.sql and templates.sql.

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
  if p_fcm_token is null or p_fcm_token !~ '^[!-~]+$' or char_length(p_fcm_token) > 2000 then
    perform private.raise_error('validation_error', 422, 'fcm_token must be 1 to 2000 visible ASCII characters.',
      p_param => 'fcm_token');
  elsif p_device_type is null or p_device_type not in ('ios', 'android', 'web') then
    perform private.raise_error('validation_error', 422, 'device_type must be ios, android or web.', p_param => 'device_type');
  end if;
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
set search_path = ''
as $$
begin
  return private.read_push_queue(p_limit);
end
$$;

comment on function api.take_push_batches(integer) is
  'Up to p_limit messages of the queue push-dispatch, hidden from other consumers for private.lease_seconds: {found, is_service_up (a device was reached within the last two minutes, and pushing is not paused), batches: [{msg_id, notification_id, batch, type, texts: {ja, en}, data, devices: [{token_id, fcm_token, lang, badge}]}]}. An item without batch is a fan-out, for api.fan_out_notification. Batches without a device to send to are counted in found and settled, but not returned. While pushing is paused or eight batches are being sent only fan-outs are found. For the service only. It raises no errors.';

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
) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.write_push_outcomes(p_msg_id, p_notification_id, p_batch, p_outcomes, p_retry_seconds, p_continues);
end
$$;

comment on function api.record_push_outcomes(bigint, uuid, integer, jsonb, integer, boolean) is
  'Records the outcomes of devices of a batch, each {token_id, fcm_token, outcome}. outcome is delivered, dead_token or wrong_sender (the device is deleted), payload_fault (the notification has failed), or later. later is retried after p_retry_seconds, then after twice as long each time, at most five times. p_continues: the consumer has sent only a part of the batch, and keeps its lease. Each outcome counts once, also when it is recorded again. For the service only. It raises no errors.';

create function api.pause_push(p_reason text, p_seconds integer default null, p_msg_ids bigint[] default '{}') returns integer
language plpgsql
set search_path = ''
as $$
begin
  return private.hold_push_queue(p_reason, p_seconds, p_msg_ids);
end
$$;

comment on function api.pause_push(text, integer, bigint[]) is
  'Pauses pushing when the push service is down (reason outage), rejects the credentials (credentials), or is not configured (not_configured). No batch is taken for p_seconds, or longer after several failures; returns the seconds. No attempt is counted. For the service only. It raises no errors.';

grant execute on function
  api.take_push_batches(integer), api.extend_push_lease(bigint), api.record_push_outcomes(bigint, uuid, integer, jsonb,
  integer, boolean), api.pause_push(text, integer, bigint[])
to service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Fan-out
-- ---------------------------------------------------------------------------------------------------------------------

create function api.fan_out_notification(p_notification_id uuid, p_msg_id bigint) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  return private.fan_out_page(p_notification_id, p_msg_id);
end
$$;

comment on function api.fan_out_notification(uuid, bigint) is
  'Fans a composed notification out to the next 5,000 accounts: {is_done, people, devices} so far. Deletes its message when it is done. For the service only. It raises no errors.';

grant execute on function api.fan_out_notification(uuid, bigint) to service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- The consumer
-- ---------------------------------------------------------------------------------------------------------------------

create function api.take_mails() returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  return private.read_mail_queue();
end
$$;

comment on function api.take_mails() is
  'The next batch of mails, hidden from other consumers for private.lease_seconds: {found, batches: [{msg_id, notification_id, batch, tries, texts: {ja, en}, mails: [{user_id, address, lang}]}]}. A batch without a mail to send is counted in found and settled, but not returned. Nothing is found while mail is paused. For the service only. It raises no errors.';

create function api.record_mail_outcomes(
  p_msg_id bigint, p_notification_id uuid, p_batch integer, p_outcomes jsonb, p_retry_seconds integer default 60
) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.write_mail_outcomes(p_msg_id, p_notification_id, p_batch, p_outcomes, p_retry_seconds);
end
$$;

comment on function api.record_mail_outcomes(bigint, uuid, integer, jsonb, integer) is
  'Records the outcomes of mails of a batch, each {user_id, outcome}: sent, rejected, not_configured. The first outcome of a mail stays. Mails without one are returned again after p_retry_seconds, with their batch. For the service only. It raises no errors.';

create function api.pause_mail(p_reason text, p_seconds integer default null, p_msg_ids bigint[] default '{}') returns integer
language plpgsql
set search_path = ''
as $$
begin
  return private.hold_mail_queue(p_reason, p_seconds, p_msg_ids);
end
$$;

comment on function api.pause_mail(text, integer, bigint[]) is
  'Pauses mail when the mail service is down (reason outage), rejects the credentials (credentials) or its quota is exceeded (quota). Nothing is taken for p_seconds, or longer after several failures; returns the seconds. The messages are returned again then; this attempt does not count. For the service only. It raises no errors.';

grant execute on function
  api.take_mails(), api.record_mail_outcomes(bigint, uuid, integer, jsonb, integer), api.pause_mail(text, integer,
  bigint[])
to service_role;
