-- Composed notifications: administrators write to users, as a draft, for a later time, or at once.
--
-- A composed notification is a row of user_notifications that is in no inbox (is_composed); its fan-out writes the rows of
-- the inboxes. A draft and a scheduled one can be changed and cancelled; a draft can be deleted. Sending locks the row and
-- sets its status to sending, so that of two administrators who send at once one gets 409.
--
-- The funnel of a sent one is read from the counts of its fan-out and its outcomes. Devices by reason
-- and opened rows have no count: they are counted in an index, up to a bound.
--
-- Interface: api.admin_*_user_notification(s), api.admin_read_notification_funnel and api.admin_list_undelivered_devices,
-- with the area notifications.

-- A composed notification as the console returns it.
create function private.composed_row(p_notification public.user_notifications) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'id', (p_notification).id, 'type', (p_notification).type, 'title', (p_notification).title, 'body', (p_notification).body,
    'title_en', (p_notification).title_en, 'body_en', (p_notification).body_en, 'data', (p_notification).data,
    'target', (p_notification).target, 'user_id', (p_notification).user_id, 'segment', (p_notification).segment,
    'status', (p_notification).status,
    -- The service records the end. A draft that is sent is scheduled for now first.
    'allowed_statuses', array_remove(array_remove(private.allowed_states('notification', (p_notification).status), 'sent'), 'failed')
      || case when (p_notification).status = 'draft' then '{sending}' else '{}' end::text[],
    'scheduled_at', (p_notification).scheduled_at, 'sent_at', (p_notification).sent_at,
    'success_count', (p_notification).success_count, 'failure_count', (p_notification).failure_count,
    'suppressed_count', (p_notification).suppressed_count, 'deferred_count', private.deferred_devices((p_notification).id),
    'created_at', (p_notification).created_at, 'updated_at', (p_notification).updated_at
  );
end
$$;

-- Checks a segment. Errors: validation_error.
create function private.check_segment(p_segment jsonb) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_box constant jsonb := p_segment -> 'box';
  v_param text;
begin
  v_param := case
    when jsonb_typeof(p_segment) <> 'object' or p_segment - '{box,min_level,last_active_since,plan}'::text[] <> '{}' then 'segment'
    when p_segment ? 'min_level' and (jsonb_typeof(p_segment -> 'min_level') <> 'number'
      or (p_segment ->> 'min_level') !~ '^\d{1,9}$') then 'segment.min_level'
    when p_segment ? 'last_active_since' and not private.is_moment(p_segment -> 'last_active_since')
      then 'segment.last_active_since'
    when p_segment ? 'plan' and (jsonb_typeof(p_segment -> 'plan') <> 'string'
      or not exists (select from public.subscription_plans p where p.code = p_segment ->> 'plan')) then 'segment.plan'
    when p_segment ? 'box' and (jsonb_typeof(v_box) <> 'object' or exists (
      select from unnest('{west,south,east,north}'::text[]) as side where jsonb_typeof(v_box -> side) is distinct from 'number'
    )) then 'segment.box' end;
  if v_param is null and p_segment ? 'box' and (
    (v_box ->> 'south')::numeric not between -90 and 90 or (v_box ->> 'north')::numeric not between -90 and 90
    or (v_box ->> 'west')::numeric not between -180 and 180 or (v_box ->> 'east')::numeric not between -180 and 180
    or (v_box ->> 'south')::numeric > (v_box ->> 'north')::numeric or (v_box ->> 'west')::numeric > (v_box ->> 'east')::numeric
  ) then
    v_param := 'segment.box';
  end if;
  if v_param is not null then
    perform private.raise_error('validation_error', 422,
      'A segment may have box {west, south, east, north}, min_level, last_active_since and plan (the code of a plan).',
      p_param => v_param);
  end if;
end
$$;

-- Checks that a composed notification can be sent. Errors: validation_error, with the field as param.
create function private.check_composed(p_notification public.user_notifications) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_param text := case
    when char_length(coalesce((p_notification).title, '')) not between 1 and 200 then 'title'
    when char_length(coalesce((p_notification).body, '')) not between 1 and 4000 then 'body'
    when char_length((p_notification).title_en) not between 1 and 200 then 'title_en'
    when char_length((p_notification).body_en) not between 1 and 4000 then 'body_en'
    when (p_notification).target is null or (p_notification).target not in ('all', 'free', 'premium', 'user') then 'target'
    when ((p_notification).target = 'user') <> ((p_notification).user_id is not null) then 'user_id'
    when (p_notification).target = 'user' and (p_notification).segment is not null then 'segment'
    when jsonb_typeof((p_notification).data) is distinct from 'object'
      or exists (select from jsonb_each((p_notification).data) as d where jsonb_typeof(d.value) <> 'string'
        or d.key ~ '^(from|message_type|google\.|gcm\.)') or octet_length((p_notification).data::text) > 2048 then 'data'
    when not exists (select from public.notification_types y where y.code = (p_notification).type) then 'type'
    when (p_notification).user_id is not null
      and not exists (select from public.app_users u where u.id = (p_notification).user_id) then 'user_id'
    when (p_notification).scheduled_at <= now() then 'scheduled_at' end;
begin
  if v_param is not null then
    perform private.raise_error('validation_error', 422, case v_param
      when 'title' then 'title must have 1 to 200 characters.'
      when 'body' then 'body must have 1 to 4,000 characters.'
      when 'title_en' then 'title_en must have 1 to 200 characters.'
      when 'body_en' then 'body_en must have 1 to 4,000 characters.'
      when 'target' then 'target must be all, free, premium or user.'
      when 'user_id' then 'user_id must be the id of a user when target is user, and null otherwise.'
      when 'segment' then 'segment must be null when target is user.'
      when 'data' then 'data must be an object of text values of at most 2 KiB, without names that the push service reserves.'
      when 'type' then 'type must be a code of the list notification_type.'
      else 'scheduled_at must be in the future.' end, p_param => v_param);
  end if;
  if (p_notification).segment is not null then
    perform private.check_segment((p_notification).segment);
  end if;
end
$$;

-- A composed notification with changes: given fields are set, the others stay. Errors: validation_error.
create function private.composed_with(p_before public.user_notifications, p_changes jsonb) returns public.user_notifications
language plpgsql stable
set search_path = ''
as $$
declare
  c_fields constant text[] := '{type,title,body,title_en,body_en,data,target,user_id,segment,scheduled_at}';
  v_unknown text;
  v_invalid text;
  v_after public.user_notifications;
begin
  if jsonb_typeof(p_changes) is distinct from 'object' then
    perform private.raise_error('validation_error', 422, 'notification must be an object.', p_param => 'notification');
  end if;
  select min(k) into v_unknown from jsonb_object_keys(p_changes) as k where k <> all (c_fields);
  v_invalid := case
    when v_unknown is not null then v_unknown
    when jsonb_typeof(p_changes -> 'user_id') not in ('string', 'null') or not pg_input_is_valid(p_changes ->> 'user_id', 'uuid') then 'user_id'
    when jsonb_typeof(p_changes -> 'scheduled_at') <> 'null' and not private.is_moment(p_changes -> 'scheduled_at')
      then 'scheduled_at' end;
  if v_invalid is not null then
    perform private.raise_error('validation_error', 422, case when v_unknown is not null then 'This field does not exist.'
      when v_invalid = 'user_id' then 'user_id must be a UUID.'
      else 'scheduled_at must be an RFC 3339 timestamp with an offset, for example 2026-09-01T09:30:00+09:00.' end, p_param => v_invalid);
  end if;
  v_after := jsonb_populate_record(p_before, p_changes);
  if jsonb_typeof(v_after.segment) = 'null' then
    v_after.segment := null;
  end if;
  perform private.check_composed(v_after);
  return v_after;
end
$$;

-- Locks a composed notification until the transaction ends. Errors: not_found.
create function private.lock_composed(p_id uuid) returns public.user_notifications
language plpgsql
set search_path = ''
as $$
declare
  v_notification public.user_notifications;
begin
  select * into v_notification from public.user_notifications where id = p_id and is_composed for update;
  if not found then
    perform private.raise_error('not_found', 404, 'There is no such notification.', p_param => 'id');
  end if;
  return v_notification;
end
$$;

-- Raises conflict for a notification that is neither a draft nor scheduled.
create function private.require_draft(p_notification public.user_notifications) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if (p_notification).status not in ('draft', 'scheduled') then
    perform private.raise_error('conflict', 409, 'Only a draft or a scheduled notification can be changed.', p_param => 'status',
      p_details => jsonb_build_object('reason', 'status_not_reachable', 'status', (p_notification).status,
        'allowed', to_jsonb(private.allowed_states('notification', (p_notification).status))));
  end if;
end
$$;

create function api.admin_list_user_notifications(
  p_admin_id uuid, p_status text default null, p_include text[] default '{}', p_cursor text default null, p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'notifications');
  return private.list_rows('public.user_notifications', '{created_at timestamptz,id uuid}', 'desc',
    jsonb_build_object('r.is_composed', true, 'r.status = %s', p_status), p_include, p_cursor, p_limit, 'private.composed_row(r)');
end
$$;

comment on function api.admin_list_user_notifications(uuid, text, text[], text, integer) is
  'Composed notifications, newest first: {items, next_cursor}, and total when p_include has it. Errors: forbidden, validation_error.';

create function api.admin_read_user_notification(p_admin_id uuid, p_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'notifications');
  return private.require_row(
    (select private.composed_row(n) from public.user_notifications n where n.id = p_id and n.is_composed), 'There is no such notification.'
  );
end
$$;

comment on function api.admin_read_user_notification(uuid, uuid) is 'A composed notification. Errors: forbidden, not_found.';

create function api.admin_create_user_notification(p_admin_id uuid, p_notification jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_new public.user_notifications;
begin
  perform private.lock_admin(p_admin_id, 'notifications');
  v_new.target := 'all';
  v_new.data := '{}';
  v_new := private.composed_with(v_new, p_notification);
  insert into public.user_notifications (
    user_id, type, title, body, title_en, body_en, data, target, segment, scheduled_at, status, is_composed, is_in_app
  ) values (
    v_new.user_id, v_new.type, v_new.title, v_new.body, v_new.title_en, v_new.body_en, v_new.data, v_new.target, v_new.segment,
    v_new.scheduled_at, case when v_new.scheduled_at is null then 'draft' else 'scheduled' end, true, false
  ) returning * into v_new;
  perform private.record_act(p_admin_id, 'user_notification.create', 'user_notification', v_new.id::text, v_new.user_id,
    private.difference(null, private.composed_row(v_new)));
  return private.composed_row(v_new);
end
$$;

comment on function api.admin_create_user_notification(uuid, jsonb) is
  'Creates a notification {type, title, body, title_en, body_en, data, target, user_id, segment, scheduled_at}: a draft, or scheduled with scheduled_at. Recorded. Errors: forbidden, validation_error.';

create function api.admin_update_user_notification(p_admin_id uuid, p_id uuid, p_changes jsonb, p_if_match text default null) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_before public.user_notifications;
  v_after public.user_notifications;
begin
  perform private.lock_admin(p_admin_id, 'notifications');
  v_before := private.lock_composed(p_id);
  perform private.require_match(p_if_match, v_before.updated_at);
  perform private.require_draft(v_before);
  v_after := private.composed_with(v_before, p_changes);
  if v_before.status = 'scheduled' and v_after.scheduled_at is null then
    perform private.raise_error('validation_error', 422, 'scheduled_at must not be null while the notification is scheduled. Cancel the notification instead.', p_param => 'scheduled_at');
  end if;
  update public.user_notifications n set
    user_id = v_after.user_id, type = v_after.type, title = v_after.title, body = v_after.body, title_en = v_after.title_en,
    body_en = v_after.body_en, data = v_after.data, target = v_after.target, segment = v_after.segment,
    scheduled_at = v_after.scheduled_at, status = case when v_after.scheduled_at is null then 'draft' else 'scheduled' end
  where n.id = p_id returning * into v_after;
  if private.difference(private.composed_row(v_before), private.composed_row(v_after)) <> '{}' then
    perform private.record_act(p_admin_id, 'user_notification.update', 'user_notification', p_id::text, v_after.user_id,
      private.difference(private.composed_row(v_before), private.composed_row(v_after)));
  end if;
  return private.composed_row(v_after);
end
$$;

comment on function api.admin_update_user_notification(uuid, uuid, jsonb, text) is
  'Changes a draft or a scheduled notification; a draft that gets a scheduled_at is scheduled. Recorded. Errors: forbidden, not_found, conflict, precondition_failed, validation_error.';

create function api.admin_delete_user_notification(p_admin_id uuid, p_id uuid, p_if_match text default null) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_notification public.user_notifications;
begin
  perform private.lock_admin(p_admin_id, 'notifications');
  v_notification := private.lock_composed(p_id);
  perform private.require_match(p_if_match, v_notification.updated_at);
  perform private.require_draft(v_notification);
  delete from public.user_notifications where id = p_id;
  perform private.record_act(p_admin_id, 'user_notification.delete', 'user_notification', p_id::text, v_notification.user_id,
    private.difference(private.composed_row(v_notification), null));
end
$$;

comment on function api.admin_delete_user_notification(uuid, uuid, text) is
  'Deletes a draft or a scheduled notification. Recorded. Errors: forbidden, not_found, conflict, precondition_failed.';

create function api.admin_send_user_notification(p_admin_id uuid, p_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_notification public.user_notifications;
  v_size record;
begin
  perform private.lock_admin(p_admin_id, 'notifications');
  v_notification := private.lock_composed(p_id);
  if v_notification.status = 'draft' then
    update public.user_notifications set status = 'scheduled', scheduled_at = now() where id = p_id;
  else
    perform private.check_move('notification', v_notification.status, 'sending');
  end if;
  update public.user_notifications set status = 'sending' where id = p_id;
  v_size := private.audience_size(v_notification);
  perform private.start_fan_out(p_id);
  perform private.record_act(p_admin_id, 'user_notification.send', 'user_notification', p_id::text, v_notification.user_id,
    jsonb_build_object('devices', v_size.devices));
  return jsonb_build_object('notification_id', p_id, 'enqueued', v_size.devices, 'batches', (v_size.devices + 499) / 500);
end
$$;

comment on function api.admin_send_user_notification(uuid, uuid) is
  'Sends a draft or a scheduled notification now: {notification_id, enqueued (the current number of devices, of more than 200,000 accounts about), batches (of 500)}. Recorded. Errors: forbidden, not_found, conflict.';

create function api.admin_cancel_user_notification(p_admin_id uuid, p_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_notification public.user_notifications;
begin
  perform private.lock_admin(p_admin_id, 'notifications');
  v_notification := private.lock_composed(p_id);
  perform private.check_move('notification', v_notification.status, 'cancelled');
  update public.user_notifications set status = 'cancelled' where id = p_id returning * into v_notification;
  perform private.record_act(p_admin_id, 'user_notification.cancel', 'user_notification', p_id::text, v_notification.user_id);
  return private.composed_row(v_notification);
end
$$;

comment on function api.admin_cancel_user_notification(uuid, uuid) is
  'Cancels a draft or a scheduled notification. Recorded. Errors: forbidden, not_found, conflict.';

create function api.admin_preview_user_notification(p_admin_id uuid, p_notification jsonb) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_notification public.user_notifications;
  v_size record;
begin
  perform private.check_admin(p_admin_id, 'notifications');
  v_notification.target := 'all';
  v_notification.data := '{}';
  v_size := private.audience_size(private.composed_with(v_notification, p_notification));
  return jsonb_build_object('people', v_size.people, 'devices', v_size.devices, 'batches', (v_size.devices + 499) / 500,
    'is_exact', v_size.is_exact);
end
$$;

comment on function api.admin_preview_user_notification(uuid, jsonb) is
  'The number of users and devices that a notification would reach now: {people, devices, batches, is_exact}. Not exact: scaled from a sample, of more than 200,000 accounts. Stores nothing. Errors: forbidden, validation_error.';

create function api.admin_test_user_notification(p_admin_id uuid, p_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_notification public.user_notifications;
  v_id uuid;
begin
  perform private.lock_admin(p_admin_id, 'notifications');
  v_notification := private.lock_composed(p_id);
  if exists (select from public.app_users u where u.id = p_admin_id and u.status = 'active') then
    v_id := private.notify_user(p_admin_id, v_notification.type, v_notification.title, v_notification.body,
      p_data => v_notification.data);
  end if;
  perform private.record_act(p_admin_id, 'user_notification.test', 'user_notification', p_id::text);
  return jsonb_build_object('devices', private.count_deliveries(v_id));
end
$$;

comment on function api.admin_test_user_notification(uuid, uuid) is
  'Sends a composed notification of any status to the administrator''s own inbox and devices: {devices}, 0 for an administrator without an app account. Recorded. Errors: forbidden, not_found.';

-- The number of devices of a notification without an outcome.
create function private.count_deliveries(p_notification_id uuid) returns integer
language plpgsql stable
security definer -- deliveries are private
set search_path = ''
as $$
begin
  return (select count(*)::integer from private.push_deliveries d where d.notification_id = p_notification_id and d.outcome is null);
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- What became of it
-- ---------------------------------------------------------------------------------------------------------------------

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
      'suppressed', n.suppressed_count, 'expired', coalesce(f.expired, 0), 'deferred', coalesce(f.deferred, 0),
      'waiting', greatest(0, coalesce(f.devices - f.expired, 0) - n.success_count - n.failure_count),
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
  'What became of a composed notification: {people, inboxes (null: from before they were counted), devices, delivered, failed, suppressed, expired, deferred, waiting, failures: [{outcome, devices, is_exact}], opened, opened_is_exact}. Opened inboxes and devices of a reason are counted up to 10,000, reasons for 30 days. Errors: forbidden, not_found.';

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
  perform private.check_choice('outcome', p_outcome, '{dead_token,wrong_sender,payload_fault,undeliverable,gone,suppressed,expired}');
  perform private.require_row(
    (select to_jsonb(n.id) from public.user_notifications n where n.id = p_id and n.is_composed), 'There is no such notification.'
  );
  return private.undelivered_page(p_id, p_outcome, p_include, p_cursor, p_limit);
end
$$;

comment on function api.admin_list_undelivered_devices(uuid, uuid, text, text[], text, integer) is
  'The devices of a composed notification that did not get its push, by outcome, for 30 days: {items, next_cursor}, and total (counted up to 10,000) with total_is_exact when p_include has it. device_type is null for a device that is not registered any more. Errors: forbidden, validation_error, not_found.';
