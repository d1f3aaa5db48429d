-- Notifications: messages of the service to users, their preferences, and their devices.
--
-- A notification to one user is a row with their id; it is in their inbox once it is sent. A notification to many (target all,
-- free or premium) is a row without a user, in no inbox: sending it writes a row for each user. The preference of a user for
-- a type is read when the row is written: is_in_app then stays as it is.
--
-- Invariants: users see only notifications that are theirs, sent and for the inbox. The token of a device belongs to one
-- user, the one who registered it last, and a user has at most twenty.
-- Interface: api.list_my_notifications, commands.mark_my_notifications_read, put_my_push_token, delete_my_push_token; for the
-- other domains private.notify_user. Preferences have a migration of their own.

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables
-- ---------------------------------------------------------------------------------------------------------------------

create table public.notification_types (
  code text collate "C" primary key,
  push_enabled boolean not null,
  in_app_enabled boolean not null,
  email_enabled boolean not null,
  is_urgent boolean not null default false,
  email_allowed boolean not null default false,
  constraint notification_types_email_allowed_where_enabled check (email_allowed or not email_enabled)
);

comment on table public.notification_types is
  'Types of notifications, and the channels that are on by default. Labels are in the code master.';

create table public.notification_preferences (
  user_id uuid not null references public.app_users (id) on delete cascade,
  notif_type text collate "C" not null references public.notification_types (code),
  push_enabled boolean not null,
  in_app_enabled boolean not null,
  email_enabled boolean not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (user_id, notif_type)
);

comment on table public.notification_preferences is 'The channels by which users want to be notified of a type. Without a row: the defaults of the type.';

create index notification_preferences_notif_type_idx on public.notification_preferences (notif_type);

comment on column public.notification_types.is_urgent is 'Pushes of the type do not wait for the end of quiet hours.';
comment on column public.notification_types.email_allowed is 'Whether users can choose mail. False: mail would come too late, or too often.';

create table public.user_notifications (
  id uuid not null default gen_random_uuid() constraint user_notifications_one_id unique,
  user_id uuid references public.app_users (id) on delete cascade,
  type text collate "C" not null references public.notification_types (code),
  title text not null constraint user_notifications_title_length check (char_length(title) between 1 and 200),
  body text not null constraint user_notifications_body_length check (char_length(body) between 1 and 4000),
  target text not null default 'user'
    constraint user_notifications_target_known check (target in ('all', 'user', 'free', 'premium')),
  status text not null default 'draft' constraint user_notifications_status_known
    check (status in ('draft', 'scheduled', 'sending', 'sent', 'failed', 'cancelled')),
  is_in_app boolean not null default true,
  scheduled_at timestamptz,
  sent_at timestamptz,
  read_at timestamptz,
  title_en text constraint user_notifications_title_en_length check (char_length(title_en) between 1 and 200),
  body_en text constraint user_notifications_body_en_length check (char_length(body_en) between 1 and 4000),
  data jsonb not null default '{}' constraint user_notifications_data_object check (jsonb_typeof(data) = 'object'),
  segment jsonb constraint user_notifications_segment_object check (jsonb_typeof(segment) = 'object'),
  is_composed boolean not null default false,
  composed_id uuid,
  success_count integer not null default 0,
  failure_count integer not null default 0,
  suppressed_count integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- The status is in the key for Realtime, which looks up a change by its key when it checks access. The row of a draft is not
  -- found once it is sent, so no draft is shown to a user, even if it is sent at once.
  primary key (id, status),
  constraint user_notifications_target_has_user check (target <> 'user' or user_id is not null),
  constraint user_notifications_sent_has_time check (status <> 'sent' or sent_at is not null),
  constraint user_notifications_scheduled_at_has_four_digit_year
    check (scheduled_at >= timestamptz '0001-01-01 00:00:00+00' and scheduled_at < timestamptz '10000-01-01 00:00:00+00'),
  constraint user_notifications_sent_at_has_four_digit_year
    check (sent_at >= timestamptz '0001-01-01 00:00:00+00' and sent_at < timestamptz '10000-01-01 00:00:00+00')
);

comment on table public.user_notifications is 'Notifications of the service to users.';
comment on column public.user_notifications.user_id is 'The user whose inbox has it; null: no inbox, because a row for each of many users is made from it.';
comment on column public.user_notifications.is_in_app is 'False: not in the inbox, because the user turned the inbox off for the type.';
comment on column public.user_notifications.read_at is 'When the user read it; null: unread.';

comment on column public.user_notifications.title_en is 'The title for users who read English; null: as title. Rows of inboxes have the text of their user in title.';
comment on column public.user_notifications.data is 'What the app opens: names and values, both text.';
comment on column public.user_notifications.segment is 'The part of the target that receives it; null: all of it.';
comment on column public.user_notifications.is_composed is 'Composed by an administrator, for one user or for many; in no inbox itself.';
comment on column public.user_notifications.composed_id is 'The composed notification that this row of an inbox was made from.';
comment on column public.user_notifications.success_count is 'For a composed notification: devices whose push the messaging service accepted.';
comment on column public.user_notifications.failure_count is 'For a composed notification: devices that could not be reached, or no longer belong to the user.';
comment on column public.user_notifications.suppressed_count is 'For a composed notification: devices without a push, because their user had five pushes of the type within a minute.';

-- The unread and the read notifications of an inbox, latest first.
create index user_notifications_inbox_idx on public.user_notifications (user_id, (read_at is null), sent_at desc, id desc)
  where status = 'sent' and is_in_app;
-- The notifications of a user who leaves.
create index user_notifications_user_id_idx on public.user_notifications (user_id);
create index user_notifications_type_idx on public.user_notifications (type);
-- Retention.
create index user_notifications_age_idx on public.user_notifications (created_at) where not is_composed;

insert into private.retentions (table_name, condition) values
  ('public.user_notifications', 'not t.is_composed and t.created_at < now() - interval ''1 year''');

create table public.user_push_tokens (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.app_users (id) on delete cascade,
  fcm_token text collate "C" not null constraint user_push_tokens_fcm_token_form
    check (fcm_token ~ '^[!-~]+$' and char_length(fcm_token) <= 2000),
  device_type text not null constraint user_push_tokens_device_type_known check (device_type in ('ios', 'android', 'web')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint user_push_tokens_one_owner unique (fcm_token)
);

comment on table public.user_push_tokens is 'The devices of users that receive push messages.';
comment on column public.user_push_tokens.fcm_token is 'The messaging service''s name for the device. It belongs to the user who registered it last.';

-- The devices of a user, the latest used first.
create index user_push_tokens_user_id_idx on public.user_push_tokens (user_id, updated_at desc, id);

-- ---------------------------------------------------------------------------------------------------------------------
-- Row security
-- ---------------------------------------------------------------------------------------------------------------------

alter table public.notification_types enable row level security;
alter table public.notification_preferences enable row level security;
alter table public.user_notifications enable row level security;
alter table public.user_push_tokens enable row level security;

create policy "Authenticated users read the types" on public.notification_types for select to authenticated using (true);

create policy "Users read their own notification preferences" on public.notification_preferences for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "Users set their own notification preferences" on public.notification_preferences for insert to authenticated
  with check ((select auth.uid()) = user_id);
create policy "Users change their own notification preferences" on public.notification_preferences for update to authenticated
  using ((select auth.uid()) = user_id) with check ((select auth.uid()) = user_id);
-- No delete: a choice is changed, and is deleted with its user.

-- Realtime checks only this policy, so it also excludes suspended users.
create policy "Users read what was sent to their inbox" on public.user_notifications for select to authenticated
  using (
    (select auth.uid()) = user_id and status = 'sent' and is_in_app
    and exists (select from public.app_users u where u.id = (select auth.uid()) and u.status = 'active')
  );
create policy "Users mark what was sent to their inbox" on public.user_notifications for update to authenticated
  using ((select auth.uid()) = user_id and status = 'sent' and is_in_app)
  with check ((select auth.uid()) = user_id and status = 'sent' and is_in_app);
-- No insert, no delete: the service writes notifications, and they stay.

create policy "Users read their own devices" on public.user_push_tokens for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "Users delete their own devices" on public.user_push_tokens for delete to authenticated
  using ((select auth.uid()) = user_id);
-- No insert, no update: a token may belong to another user before (private.take_push_token).

grant select (code, push_enabled, in_app_enabled, email_enabled, is_urgent, email_allowed) on public.notification_types to authenticated;
grant select (user_id, notif_type, push_enabled, in_app_enabled, email_enabled, created_at, updated_at),
  insert (user_id, notif_type, push_enabled, in_app_enabled, email_enabled),
  update (push_enabled, in_app_enabled, email_enabled) on public.notification_preferences to authenticated;
grant select (
    id, user_id, type, title, body, target, status, is_in_app, scheduled_at, sent_at, read_at, title_en, body_en, data, segment,
    is_composed, composed_id, success_count, failure_count, suppressed_count, created_at, updated_at
  ), update (read_at) on public.user_notifications to authenticated;
grant select (id, user_id, fcm_token, device_type, created_at, updated_at), delete
  on public.user_push_tokens to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals
-- ---------------------------------------------------------------------------------------------------------------------

create trigger _100_touch_updated_at before update on public.notification_preferences
  for each row execute function private.tg_touch_updated_at();
create trigger _100_touch_updated_at before update on public.user_notifications
  for each row execute function private.tg_touch_updated_at();
create trigger _100_touch_updated_at before update on public.user_push_tokens
  for each row execute function private.tg_touch_updated_at();
create trigger _900_check_start before insert on public.user_notifications
  for each row execute function private.tg_check_state('notification');
create trigger _900_check_move before update on public.user_notifications
  for each row when (new.status <> old.status) execute function private.tg_check_state('notification');

create function private.notify_user(
  p_user_id uuid, p_type text, p_title text, p_body text, p_target text default 'user', p_data jsonb default '{}'
) returns uuid
language plpgsql
security definer -- no role writes notifications directly, least of all to other users
set search_path = ''
as $$
declare
  v_id uuid;
begin
  insert into public.user_notifications (user_id, type, title, body, target, status, sent_at, is_in_app, data)
  select p_user_id, t.code, p_title, p_body, p_target, 'sent', now(), coalesce(p.in_app_enabled, t.in_app_enabled), p_data
  from public.notification_types t
  left join public.notification_preferences p on p.user_id = p_user_id and p.notif_type = t.code
  where t.code = p_type
  returning id into strict v_id;
  return v_id;
end
$$;

comment on function private.notify_user(uuid, text, text, text, text, jsonb) is
  'Sends a notification to a user, in the transaction of its cause, and returns its id. It is in the inbox unless the user turned that off for the type. For functions of the service only. An unknown type is an error.';

create function private.take_push_token(p_fcm_token text, p_device_type text) returns public.user_push_tokens
language plpgsql
security definer -- the token may belong to another user, whose row the caller can neither see nor change
set search_path = ''
as $$
declare
  v_user_id uuid := private.writing_user();
  v_token public.user_push_tokens;
begin
  -- A token that another user had is a new one for its new owner.
  insert into public.user_push_tokens as t (user_id, fcm_token, device_type)
  values (v_user_id, p_fcm_token, p_device_type)
  on conflict (fcm_token) do update set
    user_id = excluded.user_id, device_type = excluded.device_type,
    id = case when t.user_id = excluded.user_id then t.id else excluded.id end,
    created_at = case when t.user_id = excluded.user_id then t.created_at else excluded.created_at end
  returning * into v_token;
  delete from public.user_push_tokens d using (
    select o.id from public.user_push_tokens o where o.user_id = v_user_id and o.id <> v_token.id
    order by o.updated_at desc, o.id offset 19
  ) as stale where d.id = stale.id;
  return v_token;
end
$$;

comment on function private.take_push_token(text, text) is
  'Registers a device for the caller, also if it belonged to another user, and deletes the longest unused ones beyond twenty. Errors: unauthorized, forbidden.';

create function private.notification_row(p_notification public.user_notifications) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'id', (p_notification).id, 'title', (p_notification).title, 'body', (p_notification).body,
    'type', (p_notification).type, 'target', (p_notification).target, 'status', (p_notification).status,
    'scheduled_at', (p_notification).scheduled_at, 'sent_at', (p_notification).sent_at,
    'read_at', (p_notification).read_at, 'created_at', (p_notification).created_at, 'data', (p_notification).data
  );
end
$$;

comment on function private.notification_row(public.user_notifications) is 'A notification as the interface shows it.';

create function private.inbox_page(p_user_id uuid, p_unread boolean, p_after jsonb, p_limit integer)
returns setof public.user_notifications
language plpgsql stable rows 20
set search_path = ''
as $$
begin
  return query
    select l.*
    from unnest(case when p_unread is null then '{true,false}' else array[p_unread] end) as u (is_unread)
    cross join lateral (
      select n.* from public.user_notifications n
      where n.user_id = p_user_id and n.status = 'sent' and n.is_in_app and (n.read_at is null) = u.is_unread
        and (n.sent_at, n.id) < ((p_after ->> 0)::timestamptz, (p_after ->> 1)::uuid)
      order by n.sent_at desc, n.id desc limit p_limit
    ) l
    order by l.sent_at desc, l.id desc limit p_limit;
end
$$;

comment on function private.inbox_page(uuid, boolean, jsonb, integer) is
  'The next notifications of an inbox after p_after, latest first; p_unread true or false: only unread or read ones.';

create function private.push_token_row(p_token public.user_push_tokens) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'id', (p_token).id, 'user_id', (p_token).user_id, 'fcm_token', (p_token).fcm_token,
    'device_type', (p_token).device_type, 'created_at', (p_token).created_at, 'updated_at', (p_token).updated_at
  );
end
$$;

comment on function private.push_token_row(public.user_push_tokens) is 'A device as the interface shows it to its owner.';

grant execute on function
  private.take_push_token(text, text), private.notification_row(public.user_notifications),
  private.inbox_page(uuid, boolean, jsonb, integer), private.push_token_row(public.user_push_tokens)
to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface: the inbox
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
-- Interface: devices
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
-- Reference data
-- ---------------------------------------------------------------------------------------------------------------------

-- Mail is for types that a user waits for. Advertising is pushed only if the user chooses it.
insert into public.notification_types (code, push_enabled, in_app_enabled, email_enabled, is_urgent, email_allowed) values
  ('announcement', true, true, false, false, true),
  ('campaign', false, true, false, false, true),
  ('fee_increase', true, true, false, true, false),
  ('exit_closing', true, true, false, true, false),
  ('session_reminder', true, true, false, false, false),
  ('saved_lot_update', true, true, false, false, true),
  ('review_result', true, true, false, false, true),
  ('error_report_result', true, true, false, false, true),
  ('support_reply', true, true, true, false, true),
  ('badge_earned', true, true, false, false, false),
  ('level_up', true, true, false, false, false),
  ('theme_gift', true, true, false, false, true),
  ('subscription', true, true, true, false, true);
