-- Tables of messages: the inbox, pushes and mails.
--
-- Each table has its comments, indexes, row security, policies and grants below it. The rules are in
-- delivery_figures.sql, fan_out.sql, inbox.sql, mail.sql, outages.sql, preferences.sql, push.sql, push_worker.sql and
-- templates.sql.

-- ---------------------------------------------------------------------------------------------------------------------
-- The inbox and devices
-- ---------------------------------------------------------------------------------------------------------------------

create table public.notification_types (
  code text collate "C" primary key,
  push_enabled boolean not null,
  in_app_enabled boolean not null,
  email_enabled boolean not null,
  is_urgent boolean not null default false,
  email_allowed boolean not null default false,
  push_ttl interval not null default '7 days'
    constraint notification_types_push_ttl_bounds check (push_ttl between '1 second' and '28 days'),
  constraint notification_types_email_allowed_where_enabled check (email_allowed or not email_enabled)
);

comment on table public.notification_types is
  'Types of notifications, and the channels that are on by default. Labels are in the code master.';

comment on column public.notification_types.is_urgent is 'Pushes of the type do not wait for the end of quiet hours.';
comment on column public.notification_types.email_allowed is 'Whether users can choose mail. False: mail would come too late, or too often.';
comment on column public.notification_types.push_ttl is
  'How long a push of the type is of use; a reminder of a session ends earlier, at the moment that it announces.';

alter table public.notification_types enable row level security;
create policy "Authenticated users read the types" on public.notification_types for select to authenticated using (true);

grant select (code, push_enabled, in_app_enabled, email_enabled, is_urgent, email_allowed, push_ttl) on public.notification_types to authenticated;

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

alter table public.notification_preferences enable row level security;
create policy "Users read their own notification preferences" on public.notification_preferences for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "Users set their own notification preferences" on public.notification_preferences for insert to authenticated
  with check ((select auth.uid()) = user_id);
create policy "Users change their own notification preferences" on public.notification_preferences for update to authenticated
  using ((select auth.uid()) = user_id) with check ((select auth.uid()) = user_id);
-- No delete: a choice is changed, and is deleted with its user.

grant select (user_id, notif_type, push_enabled, in_app_enabled, email_enabled, created_at, updated_at),
  insert (user_id, notif_type, push_enabled, in_app_enabled, email_enabled),
  update (push_enabled, in_app_enabled, email_enabled) on public.notification_preferences to authenticated;

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

comment on constraint user_notifications_scheduled_at_has_four_digit_year on public.user_notifications is
  'scheduled_at must be in the years 1 to 9999.';
comment on constraint user_notifications_target_has_user on public.user_notifications is
  'user_id is required for the target user.';
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

-- The console's list, and due notifications.
create index user_notifications_composed_idx on public.user_notifications (created_at desc, id desc) where is_composed;
-- The read rows of a composed notification: their number up to a bound.
create index user_notifications_opened_idx on public.user_notifications (composed_id) where composed_id is not null and read_at is not null;
create index user_notifications_due_idx on public.user_notifications (scheduled_at) where status = 'scheduled';

alter table public.user_notifications enable row level security;

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

grant select (
    id, user_id, type, title, body, target, status, is_in_app, scheduled_at, sent_at, read_at, title_en, body_en, data, segment,
    is_composed, composed_id, success_count, failure_count, suppressed_count, created_at, updated_at
  ), update (read_at) on public.user_notifications to authenticated;

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

comment on constraint user_push_tokens_fcm_token_form on public.user_push_tokens is
  'fcm_token must be 1 to 2000 visible ASCII characters.';
comment on table public.user_push_tokens is 'The devices of users that receive push messages.';
comment on column public.user_push_tokens.fcm_token is 'The messaging service''s name for the device. It belongs to the user who registered it last.';

-- The devices of a user, the latest used first.
create index user_push_tokens_user_id_idx on public.user_push_tokens (user_id, updated_at desc, id);

alter table public.user_push_tokens enable row level security;
create policy "Users read their own devices" on public.user_push_tokens for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "Users delete their own devices" on public.user_push_tokens for delete to authenticated
  using ((select auth.uid()) = user_id);
-- No insert, no update: a token may belong to another user before (private.take_push_token).

grant select (id, user_id, fcm_token, device_type, created_at, updated_at), delete
  on public.user_push_tokens to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Preferences
-- ---------------------------------------------------------------------------------------------------------------------

create table public.notification_quiet_hours (
  user_id uuid primary key references public.app_users (id) on delete cascade,
  from_time time not null,
  to_time time not null,
  time_zone text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint notification_quiet_hours_not_empty check (from_time <> to_time)
);

comment on table public.notification_quiet_hours is 'The quiet hours of a user''s devices: from from_time until to_time of each day, by the clock of time_zone; past midnight where to_time is earlier.';

alter table public.notification_quiet_hours enable row level security;
create policy "Users read their own quiet hours" on public.notification_quiet_hours for select to authenticated
  using ((select auth.uid()) = user_id);
-- No insert, update or delete: private.put_quiet_hours writes.

grant select (user_id, from_time, to_time, time_zone, created_at, updated_at)
  on public.notification_quiet_hours to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Templates
-- ---------------------------------------------------------------------------------------------------------------------

create table private.notification_templates (
  name text collate "C" not null,
  lang text collate "C" not null constraint notification_templates_lang_known check (lang in ('ja', 'en')),
  type text collate "C" not null references public.notification_types (code),
  title text not null,
  body text not null,
  primary key (name, lang)
);

comment on table private.notification_templates is 'The texts of notifications; {name} is replaced by a value.';

create index notification_templates_type_idx on private.notification_templates (type);

-- ---------------------------------------------------------------------------------------------------------------------
-- Push
-- ---------------------------------------------------------------------------------------------------------------------

create table private.push_deliveries (
  notification_id uuid not null,
  token_id uuid not null,
  user_id uuid not null,
  batch integer not null,
  outcome text collate "C" constraint push_deliveries_outcome_known
    check (outcome in ('delivered', 'dead_token', 'wrong_sender', 'payload_fault', 'undeliverable', 'gone', 'suppressed', 'expired')),
  attempts smallint not null default 0,
  is_deferred boolean not null default false,
  created_at timestamptz not null default now(),
  recorded_at timestamptz,
  expires_at timestamptz not null default now() + interval '28 days',
  primary key (notification_id, token_id)
);

comment on table private.push_deliveries is
  'The devices of a notification, and the outcome of each. No foreign keys: an outcome outlives its device.';
comment on column private.push_deliveries.outcome is
  'Null: not yet known. `undeliverable`: five attempts failed. `gone`: the device is not the user''s any more, or the user does not want pushes. `expired`: it was not sent while it was of use.';
comment on column private.push_deliveries.is_deferred is
  'Whether it waited for the end of its user''s quiet hours when its batch was last read. private.fan_outs counts those without an outcome.';
comment on column private.push_deliveries.expires_at is
  'From then on the push has no use and is not sent. The default is as long as the messaging service keeps a push.';

-- The deliveries of a message of the queue; also whether a notification has all its outcomes.
create index push_deliveries_open_idx on private.push_deliveries (notification_id, batch) where outcome is null;
-- The devices of a notification without its push, by reason: their list, and their number up to a bound.
create index push_deliveries_undelivered_idx on private.push_deliveries (notification_id, outcome, token_id)
  where outcome <> 'delivered';
-- The purge.
create index push_deliveries_recorded_at_idx on private.push_deliveries (recorded_at) where recorded_at is not null;

create table private.push_times (
  user_id uuid not null,
  type text collate "C" not null,
  sent_at timestamptz[] not null,
  primary key (user_id, type)
);

comment on table private.push_times is
  'The times of the last five pushes of a type to a user, the last one first: kept for a day.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Outages
-- ---------------------------------------------------------------------------------------------------------------------

create table private.outages (
  queue text collate "C" primary key references private.queues (name),
  paused_until timestamptz not null default '-infinity',
  failures integer not null default 0,
  failing_since timestamptz,
  reason text collate "C" constraint outages_reason_known check (reason in ('outage', 'credentials', 'not_configured', 'quota')),
  tried_until timestamptz not null default '-infinity',
  reached_at timestamptz not null default '-infinity',
  alerted_at timestamptz
);

comment on table private.outages is 'Whether the provider of a queue can be used: one row for each queue that can be paused.';
comment on column private.outages.failures is 'Consecutive attempts that failed because of the provider.';
comment on column private.outages.failing_since is
  'The time of the first of these failures; null: the last attempt succeeded.';
comment on column private.outages.reason is
  'Why the queue is paused: no answer, rejected credentials, no settings, or an exceeded quota; null: it is not.';
comment on column private.outages.tried_until is
  'Pushes: after a pause, the end of the time in which one consumer tries the service and the others wait.';
comment on column private.outages.reached_at is 'Pushes: when a device was last reached, to half a minute.';
comment on column private.outages.alerted_at is
  'When administrators were notified of the current outage; null: there is none, or they were not.';

-- ---------------------------------------------------------------------------------------------------------------------
-- The consumer of pushes
-- ---------------------------------------------------------------------------------------------------------------------

-- Unlogged: a crash ends the consumers' calls as well.
create unlogged table private.push_leases (
  msg_id bigint primary key,
  leased_until timestamptz not null
);

comment on table private.push_leases is 'The batches that are being sent: messages of the queue that consumers have taken.';

create sequence private.undeliverable_pushes increment by -1; -- ids that the queue's own messages never have

-- ---------------------------------------------------------------------------------------------------------------------
-- Fan-out
-- ---------------------------------------------------------------------------------------------------------------------

create table private.fan_outs (
  notification_id uuid primary key references public.user_notifications (id) on delete cascade,
  after_user_id uuid not null default '00000000-0000-0000-0000-000000000000',
  people integer not null default 0,
  devices integer not null default 0,
  mail_batches integer not null default 0,
  deferred integer not null default 0,
  started_at timestamptz not null default now(),
  finished_at timestamptz,
  inboxes integer default 0,
  expired integer not null default 0
);

comment on table private.fan_outs is 'The progress of the fan-out of a composed notification.';

comment on column private.fan_outs.after_user_id is 'The last account that was processed.';
comment on column private.fan_outs.devices is
  'The number of deliveries that it wrote, without suppressed ones; batches are numbered by it.';
comment on column private.fan_outs.mail_batches is 'The number of batches of mails that it wrote.';
comment on column private.fan_outs.deferred is 'The number of its deliveries that wait for the end of quiet hours.';
comment on column private.fan_outs.inboxes is 'The number of inboxes that it wrote to; null: from before it was counted.';
comment on column private.fan_outs.expired is 'The number of its deliveries with the outcome `expired`.';

-- The consumer's first query.
create index fan_outs_open_idx on private.fan_outs (started_at) where finished_at is null;

-- ---------------------------------------------------------------------------------------------------------------------
-- Mail
-- ---------------------------------------------------------------------------------------------------------------------

create table private.mail_deliveries (
  notification_id uuid not null,
  user_id uuid not null,
  batch integer not null,
  outcome text collate "C" constraint mail_deliveries_outcome_known check (outcome in ('sent', 'rejected', 'gone', 'not_configured')),
  created_at timestamptz not null default now(),
  recorded_at timestamptz,
  primary key (notification_id, user_id)
);

comment on table private.mail_deliveries is
  'The mails of a notification, and the outcome of each. No foreign keys and no addresses: an outcome outlives its user.';
comment on column private.mail_deliveries.outcome is
  'Null: not yet known. `sent`: accepted by the mail service. `rejected`: the service does not accept this mail. `gone`: the user has no address, is not active or does not want mail any more.';

-- The mails of a message of the queue, and the purge of mails that were never sent.
create index mail_deliveries_open_idx on private.mail_deliveries (notification_id, batch) where outcome is null;
-- The figures of the overview, and the purge.
create index mail_deliveries_recorded_at_idx on private.mail_deliveries (recorded_at) include (outcome) where recorded_at is not null;
