-- Error reports: corrections that users report for a lot, and their status.
--
-- A report is open until an administrator takes it into review and resolves or rejects it. It has the id of a public lot,
-- or only the name of a lot that is missing. Its evidence are private files, which only its author and administrators can
-- read.
--
-- Invariants: only administrators change the status (2045). A report stays when its author or its lot is deleted. A user
-- makes at most 100 reports in any 24 hours.
-- Interface: commands.post_error_report, list_my_error_reports; for administrators 2045.

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables
-- ---------------------------------------------------------------------------------------------------------------------

create table public.error_reports (
  id uuid primary key default gen_random_uuid(),
  user_id uuid references public.app_users (id) on delete set null,
  parking_lot_id uuid references public.parking_lots (id) on delete set null,
  parking_lot_name text not null constraint error_reports_lot_name_length check (char_length(parking_lot_name) between 1 and 200),
  report_type text not null constraint error_reports_report_type_known check (report_type in (
    'price', 'hours', 'location', 'name_or_address', 'capacity', 'vehicle_limits', 'features', 'image', 'closed',
    'duplicate', 'missing', 'other'
  )),
  severity text constraint error_reports_severity_known check (severity in ('low', 'medium', 'high', 'critical')),
  status text not null default 'open'
    constraint error_reports_status_known check (status in ('open', 'in_review', 'resolved', 'rejected')),
  description text constraint error_reports_description_length check (char_length(description) between 1 and 2000),
  assigned_admin_id uuid references public.admins (id) on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint error_reports_author_has_described check (user_id is null or description is not null)
);

comment on table public.error_reports is
  'Reports of users that the data of a lot are wrong. Evidence is in assets, by entity.';
comment on column public.error_reports.user_id is 'The author; null after the author has withdrawn.';
comment on column public.error_reports.description is 'The text of the author; null after the author has withdrawn.';
comment on column public.error_reports.assigned_admin_id is
  'The administrator who works on it; never returned to the author.';
comment on column public.error_reports.parking_lot_id is
  'The lot; null when it is missing in the service or was deleted since.';
comment on column public.error_reports.parking_lot_name is 'The name of the lot when it was reported.';

-- The reports of a user, newest first; also for the withdrawal.
create index error_reports_user_id_idx on public.error_reports (user_id, created_at desc, id desc) where user_id is not null;
-- The console's queue of each status, oldest first: of all, and one index for each filter. The indexes by lot and by
-- administrator also find the reports of one that is deleted.
create index error_reports_status_idx on public.error_reports (status, created_at, id);
create index error_reports_severity_idx on public.error_reports (severity, status, created_at, id) where severity is not null;
create index error_reports_parking_lot_id_idx on public.error_reports (parking_lot_id, status, created_at, id)
  where parking_lot_id is not null;
create index error_reports_assigned_admin_id_idx on public.error_reports (assigned_admin_id, status, created_at, id)
  where assigned_admin_id is not null;

-- ---------------------------------------------------------------------------------------------------------------------
-- Row security
-- ---------------------------------------------------------------------------------------------------------------------

alter table public.error_reports enable row level security;

create policy "Users read their own reports" on public.error_reports for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "Users report as themselves" on public.error_reports for insert to authenticated
  with check ((select auth.uid()) = user_id and status = 'open');
-- No update, no delete: the content of a report does not change; administrators change its status.

grant select (id, user_id, parking_lot_id, parking_lot_name, report_type, severity, status, description, created_at, updated_at),
  insert (user_id, parking_lot_id, parking_lot_name, report_type, severity, description)
  on public.error_reports to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals
-- ---------------------------------------------------------------------------------------------------------------------

create trigger _100_touch_updated_at before update on public.error_reports
  for each row execute function private.tg_touch_updated_at();
create trigger _900_check_start before insert on public.error_reports
  for each row execute function private.tg_check_state('error_report');
create trigger _900_check_move before update on public.error_reports
  for each row when (new.status <> old.status) execute function private.tg_check_state('error_report');

create function private.required_text(p_text text, p_max integer, p_param text) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_text text := private.trimmed(p_text);
begin
  if v_text is null or char_length(v_text) > p_max then
    perform private.raise_error('validation_error', 422, format('%s must have 1 to %s characters.', p_param, p_max),
      p_param => p_param);
  end if;
  return v_text;
end
$$;

comment on function private.required_text(text, integer, text) is
  'A required text without the spaces around it. Errors: validation_error, with the field as param.';

create function private.reported_lot_name(p_lot_id uuid, p_name text) returns text
language plpgsql
set search_path = ''
as $$
begin
  if p_lot_id is null then
    return private.required_text(p_name, 200, 'parking_lot_name');
  end if;
  if p_name is not null then
    perform private.raise_error('validation_error', 422, 'Give either parking_lot_id or parking_lot_name, not both.',
      p_param => 'parking_lot_name');
  end if;
  perform private.lock_public_lot(p_lot_id, 'parking_lot_id');
  return (select l.name from public.parking_lots l where l.id = p_lot_id);
end
$$;

comment on function private.reported_lot_name(uuid, text) is
  'The name of the reported lot: the name of the public lot, or the reporter''s name of a lot that is missing. Errors: validation_error, lot_not_found.';

create function private.check_daily_reports(p_user_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  c_max constant integer := 100;
  v_reported timestamptz[];
begin
  select array_agg(r.created_at order by r.created_at desc) into v_reported
  from public.error_reports r where r.user_id = p_user_id and r.created_at > clock_timestamp() - interval '24 hours';
  if cardinality(v_reported) >= c_max then
    perform private.raise_error('rate_limited', 429, format('At most %s error reports are allowed in 24 hours. Retry after details.retry_after seconds.', c_max),
      p_details => jsonb_build_object(
        'policy', 'daily_error_reports',
        'retry_after', ceil(extract(epoch from v_reported[c_max] + interval '24 hours' - clock_timestamp()))::integer
      ));
  end if;
end
$$;

comment on function private.check_daily_reports(uuid) is
  'Checks that a user may make another report today. The caller has locked the account. Errors: rate_limited.';

create function private.attach_evidence(p_report_id uuid, p_asset_ids uuid[]) returns void
language plpgsql
security definer -- no client may attach files directly; the function checks that the report is the caller's
set search_path = ''
as $$
begin
  perform from public.error_reports r where r.id = p_report_id and r.user_id = private.caller();
  if not found then
    perform private.raise_error('not_found', 404, 'You have no such report.', p_param => 'id');
  end if;
  perform private.attach_asset(a.id, 'error_report', 'error_report', p_report_id, 'evidence_asset_ids')
  from unnest(p_asset_ids) with ordinality as a (id, place) order by a.place;
end
$$;

comment on function private.attach_evidence(uuid, uuid[]) is
  'Attaches uploads of the caller to the caller''s report. Errors: unauthorized, not_found.';

create function private.error_report_rows(p_report_ids uuid[]) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', r.id, 'parking_lot_id', r.parking_lot_id, 'parking_lot_name', r.parking_lot_name, 'report_type', r.report_type,
      'severity', r.severity, 'status', r.status, 'description', r.description, 'evidence_keys', e.keys,
      'created_at', r.created_at
    ) order by r.created_at desc, r.id desc), '[]')
    from public.error_reports r
    left join (
      select a.entity_id, jsonb_agg(a.storage_key order by a.place) as keys
      from private.attached_assets('error_report', p_report_ids) a
      group by a.entity_id
    ) e on e.entity_id = r.id
    where r.id = any (p_report_ids)
  );
end
$$;

comment on function private.error_report_rows(uuid[]) is
  'Reports as the interface returns them, newest first; evidence_keys are storage keys, null without evidence.';

grant execute on function
  private.check_daily_reports(uuid), private.attach_evidence(uuid, uuid[]), private.required_text(text, integer, text),
  private.reported_lot_name(uuid, text), private.error_report_rows(uuid[])
to authenticated;
grant execute on function private.required_text(text, integer, text) to service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface
-- ---------------------------------------------------------------------------------------------------------------------

create function commands.post_error_report(
  p_report_type text,
  p_description text,
  p_parking_lot_id uuid default null,
  p_parking_lot_name text default null,
  p_severity text default null,
  p_evidence_asset_ids uuid[] default '{}'
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_user_id uuid := private.writing_user();
  v_report_id uuid;
begin
  perform private.check_daily_reports(v_user_id);
  if cardinality(p_evidence_asset_ids) > 5 then
    perform private.raise_error('validation_error', 422, 'evidence_asset_ids must have at most 5 items.', p_param => 'evidence_asset_ids');
  end if;
  if not exists (
    select from public.codes c where c.category_id = 'error_report_type' and c.code = p_report_type
  ) then
    perform private.raise_error('validation_error', 422, 'report_type must be a code of the list error_report_type.', p_param => 'report_type');
  end if;
  if p_severity not in ('low', 'medium', 'high', 'critical') then
    perform private.raise_error('validation_error', 422, 'severity must be low, medium, high or critical.', p_param => 'severity');
  end if;
  insert into public.error_reports (user_id, parking_lot_id, parking_lot_name, report_type, severity, description)
  values (v_user_id, p_parking_lot_id, private.reported_lot_name(p_parking_lot_id, p_parking_lot_name), p_report_type,
    p_severity, private.required_text(p_description, 2000, 'description'))
  returning id into v_report_id;
  perform private.attach_evidence(v_report_id, p_evidence_asset_ids);
  perform private.log_activity('error_report_post', p_parking_lot_id, v_report_id);
  return private.error_report_rows(array[v_report_id]) -> 0;
end
$$;

comment on function commands.post_error_report(text, text, uuid, text, text, uuid[]) is
  'Reports that the data of a public lot are wrong, or that a lot is missing, by its name; up to five files as evidence. Returns the open report. At most 100 in any 24 hours. Errors: unauthorized, forbidden, validation_error, lot_not_found, not_found, rate_limited.';

create function api.list_my_error_reports(
  p_limit integer default 20, p_cursor text default null, p_include text[] default '{}'
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_user_id uuid := private.active_user();
  v_filters jsonb := jsonb_build_object('list', 'my_error_reports', 'user_id', v_user_id);
  v_keys jsonb := private.page_start(v_filters, p_cursor, '{timestamptz,uuid}', 'desc');
begin
  perform private.page_limit(p_limit);
  return private.page(v_filters, private.error_report_rows(array(
    select r.id from public.error_reports r
    where r.user_id = v_user_id
      and (r.created_at, r.id) < ((v_keys ->> 0)::timestamptz, (v_keys ->> 1)::uuid)
    order by r.created_at desc, r.id desc
    limit p_limit + 1
  )), '{created_at,id}', p_limit, case when 'total' = any (p_include) then (
    select count(*) from public.error_reports r where r.user_id = v_user_id
  ) end);
end
$$;

comment on function api.list_my_error_reports(integer, text, text[]) is
  'The caller''s reports of every status, newest first: {items, next_cursor}, and total when p_include has it. Reads only. Errors: unauthorized, forbidden, validation_error.';

grant execute on function
  commands.post_error_report(text, text, uuid, text, text, uuid[]), api.list_my_error_reports(integer, text, text[])
to authenticated;
