-- Notifications to administrators.
--
-- A row is for one administrator, for all with an area, or for all. The console counts unread rows in its sidebar, and
-- receives every change by Realtime (migration realtime). A row has no app user and no quotation: its link leads to the
-- resource, which checks access.
--
-- Invariants: only an active administrator reads rows, and rows of an area only with that area. No role writes rows
-- directly. Rows older than 90 days are deleted.
-- Interface: private.notify_admins(type, title, ...), for the other domains and for the service.

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables
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

-- ---------------------------------------------------------------------------------------------------------------------
-- Row security
-- ---------------------------------------------------------------------------------------------------------------------

alter table public.admin_notifications enable row level security;

create policy "Administrators read their own notifications" on public.admin_notifications for select to authenticated
  using (
    (admin_id is null or (select auth.uid()) = admin_id)
    and exists (
      select from public.admins a
      where a.id = (select auth.uid()) and a.status = 'active' and (area is null or area = any (a.areas))
    )
  );
-- No insert, update or delete: the service writes notifications.

grant select (id, type, severity, title, body, link, area, admin_id, read_by, created_at, updated_at)
  on public.admin_notifications to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals
-- ---------------------------------------------------------------------------------------------------------------------

create trigger _100_touch_updated_at before update on public.admin_notifications
  for each row execute function private.tg_touch_updated_at();

create function private.notify_admins(
  p_type text, p_title text, p_body text default '', p_link text default null, p_severity text default 'info',
  p_area text default null, p_admin_id uuid default null
) returns uuid
language plpgsql
security definer -- no role writes notifications to administrators directly
set search_path = ''
as $$
declare
  v_id uuid;
begin
  insert into public.admin_notifications (type, title, body, link, severity, area, admin_id)
  values (p_type, p_title, p_body, p_link, p_severity, p_area, p_admin_id)
  returning id into v_id;
  return v_id;
end
$$;

comment on function private.notify_admins(text, text, text, text, text, text, uuid) is
  'Writes a notification to administrators, in the transaction of its cause, and returns its id: to those of p_area, to p_admin_id alone, or to all. For functions of the service only.';

create function private.tg_reviews__notify_admins() returns trigger
language plpgsql
security definer -- the author of a review may not write to administrators
set search_path = ''
as $$
begin
  -- Posting, deleting and posting again is notified once: the list of pending reviews has the rest.
  if not exists (
    select from public.user_activity_logs l
    where l.user_id = new.user_id and l.activity_type = 'review_post' and l.parking_lot_id = new.parking_lot_id
  ) then
    perform private.notify_admins('review_pending', 'レビューの審査待ち', p_link => '/reviews/' || new.id, p_area => 'reviews');
  end if;
  return null;
end
$$;

comment on function private.tg_reviews__notify_admins() is
  'Notifies administrators of reviews of a user''s first review of a lot. It runs before the activity is recorded.';

create trigger _500_notify_admins after insert on public.reviews
  for each row when (new.status = 'pending') execute function private.tg_reviews__notify_admins();

create function private.tg_error_reports__notify_admins() returns trigger
language plpgsql
security definer -- as for reviews
set search_path = ''
as $$
begin
  perform private.notify_admins('error_report', '情報修正の報告', p_link => '/error-reports/' || new.id,
    p_severity => case when new.severity in ('high', 'critical') then 'warning' else 'info' end, p_area => 'lots');
  return null;
end
$$;

comment on function private.tg_error_reports__notify_admins() is 'Notifies administrators of lots of a report about a lot.';

create trigger _500_notify_admins after insert on public.error_reports
  for each row execute function private.tg_error_reports__notify_admins();

create function private.tg_support_tickets__notify_admins() returns trigger
language plpgsql
security definer -- as for reviews
set search_path = ''
as $$
begin
  perform private.notify_admins('support_ticket', 'サポートへの問い合わせ', p_link => '/support-tickets/' || new.id,
    p_area => 'support');
  return null;
end
$$;

comment on function private.tg_support_tickets__notify_admins() is 'Notifies administrators of support of a new ticket.';

create trigger _500_notify_admins after insert on public.support_tickets
  for each row execute function private.tg_support_tickets__notify_admins();

insert into private.retentions (table_name, condition) values
  ('public.admin_notifications', 't.created_at < now() - interval ''90 days''');
