-- Tables of the console: acts of administrators, their notifications, the overview and jobs.
--
-- Each table has its comments, indexes, row security, policies and grants below it. The rules are in acts.sql,
-- first_counts.sql, jobs.sql, kit.sql, notifications.sql and overview.sql.

-- ---------------------------------------------------------------------------------------------------------------------
-- Notifications of administrators
-- ---------------------------------------------------------------------------------------------------------------------

create table public.admin_notifications (
  id uuid primary key default gen_random_uuid(),
  type text collate "C" not null default 'notice' constraint admin_notifications_type_known
    check (type in ('notice', 'review_pending', 'error_report', 'support_ticket')),
  severity text collate "C" not null default 'info' constraint admin_notifications_severity_known
    check (severity in ('info', 'warning', 'critical')),
  title text not null constraint admin_notifications_title_length check (char_length(title) between 1 and 200),
  body text not null default '' constraint admin_notifications_body_length check (char_length(body) <= 4000),
  link text constraint admin_notifications_link_path check (link ~ '^/[!-~]*$' and char_length(link) <= 500),
  area text constraint admin_notifications_area_known check (area = any (private.admin_areas())),
  admin_id uuid references public.admins (id) on delete cascade,
  read_by uuid[] not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on table public.admin_notifications is 'Notifications of the service to administrators.';
comment on column public.admin_notifications.link is 'The path of the resource in the console.';
comment on column public.admin_notifications.area is 'Only for administrators with this area; null: for all areas.';
comment on column public.admin_notifications.admin_id is 'Only for this administrator; null: for all of the area.';
comment on column public.admin_notifications.read_by is 'The administrators who have read it.';

-- The latest first; also finds the old ones.
create index admin_notifications_created_idx on public.admin_notifications (created_at desc, id desc);
-- An administrator's rows are deleted with the administrator.
create index admin_notifications_admin_id_idx on public.admin_notifications (admin_id) where admin_id is not null;

alter table public.admin_notifications enable row level security;
create policy "Administrators read their own notifications" on public.admin_notifications for select to authenticated
  using (
    (admin_id is null or (select auth.uid()) = admin_id)
    and (select private.has_second_factor())
    and exists (
      select from public.admins a
      where a.id = (select auth.uid()) and a.status = 'active' and (area is null or area = any (a.areas))
    )
  );
-- No insert, update or delete: the service writes notifications.

grant select (id, type, severity, title, body, link, area, admin_id, read_by, created_at, updated_at)
  on public.admin_notifications to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Acts of administrators
-- ---------------------------------------------------------------------------------------------------------------------

create table public.admin_activity_logs (
  id uuid primary key default gen_random_uuid(),
  admin_id uuid not null,
  action text collate "C" not null,
  target_type text collate "C" not null constraint admin_activity_logs_target_type_form check (target_type ~ '^[a-z][a-z_]{0,39}$'),
  target_id text collate "C" constraint admin_activity_logs_target_id_length check (char_length(target_id) between 1 and 200),
  user_id uuid,
  changes jsonb not null default '{}' constraint admin_activity_logs_changes_object check (jsonb_typeof(changes) = 'object'),
  request_id text,
  created_at timestamptz not null default now()
);

comment on table public.admin_activity_logs is 'Acts of administrators: one row for each.';
comment on column public.admin_activity_logs.action is 'A code of the category admin_action.';
comment on column public.admin_activity_logs.target_id is
  'The id of the target; composed of several parts where the target has no id of its own. Null: the whole list.';
comment on column public.admin_activity_logs.user_id is 'The app user whom the act concerns; null: none.';
comment on column public.admin_activity_logs.changes is
  'The changed fields: {"<field>": {"old", "new"}}, and further arguments of the act, for example "reason". After the user has withdrawn: the fields, with null values.';
comment on column public.admin_activity_logs.request_id is 'The X-Request-Id of the request; null for an act outside of a request.';

-- One index for each filter, each in the order of the list.
create index admin_activity_logs_area_idx on public.admin_activity_logs (private.area_of_act(action), created_at desc, id desc);
create index admin_activity_logs_created_idx on public.admin_activity_logs (created_at desc, id desc);
create index admin_activity_logs_admin_idx on public.admin_activity_logs (admin_id, created_at desc, id desc);
create index admin_activity_logs_user_idx on public.admin_activity_logs (user_id, created_at desc, id desc) where user_id is not null;
create index admin_activity_logs_action_idx on public.admin_activity_logs (action, created_at desc, id desc);
create index admin_activity_logs_target_idx on public.admin_activity_logs (target_id, created_at desc, id desc) where target_id is not null;

alter table public.admin_activity_logs enable row level security;
create policy "Administrators read the records of their areas" on public.admin_activity_logs for select to authenticated
  using ((select private.has_second_factor()) and exists (
    select from public.admins a
    where a.id = (select auth.uid()) and a.status = 'active' and private.area_of_act(action) = any (a.areas)
  ));

-- No insert, update or delete, not even for the service: private.record_act writes, and records stay.
revoke insert, update, delete, truncate, references, trigger on public.admin_activity_logs from service_role;

grant select (id, admin_id, action, target_type, target_id, user_id, changes, request_id, created_at)
  on public.admin_activity_logs to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Overview
-- ---------------------------------------------------------------------------------------------------------------------

create table private.overview_parts (
  part text collate "C" primary key,
  value jsonb not null,
  at timestamptz not null default now()
);

comment on table private.overview_parts is 'Stored figures of the overview.';

create table private.session_days (
  day date primary key,
  started integer not null
);

comment on table private.session_days is
  'Sessions that were started on a day (Asia/Tokyo), for the overview: of the last 30 days and some more.';
