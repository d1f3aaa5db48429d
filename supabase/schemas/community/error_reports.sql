-- Error reports: corrections that users report for a lot, and their status.
--
-- A report is open until an administrator takes it into review and resolves or rejects it. It has the id of a public lot,
-- or only the name of a lot that is missing. Its evidence are private files, which only its author and administrators can
-- read.
--
-- Invariants: only administrators change the status (community/console_reports.sql). A report stays when its author or
-- its lot is deleted. A user makes at most 100 reports in any 24 hours.
-- Interface: commands.post_error_report, list_my_error_reports; for administrators community/console_reports.sql.

-- The name of the reported lot: the name of the public lot, or the reporter's name of a lot that is missing. Errors:
-- validation_error, lot_not_found.
create function private.reported_lot_name(p_lot_id uuid, p_name text) returns text
language plpgsql
set search_path = ''
as $$
begin
  if p_lot_id is null then
    return private.required_text(p_name, 'public.error_reports', 'parking_lot_name');
  end if;
  if p_name is not null then
    perform private.raise_error('validation_error', 422, 'Give either parking_lot_id or parking_lot_name, not both.',
      p_param => 'parking_lot_name');
  end if;
  perform private.lock_public_lot(p_lot_id, 'parking_lot_id');
  return (select l.name from public.parking_lots l where l.id = p_lot_id);
end
$$;

-- Checks that a user may make another report today. The caller has locked the account. Errors: rate_limited.
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

-- Attaches uploads of the caller to the caller's report. Errors: unauthorized, not_found.
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

-- The effects of the caller's new report: an activity, and a notification to administrators of lots.
create function private.on_error_report_posted(p_report_id uuid) returns void
language plpgsql
security definer -- a user may not write to administrators; the report is the caller's
set search_path = ''
as $$
declare
  v_user_id constant uuid := private.active_user();
  v_report public.error_reports;
begin
  select * into v_report from public.error_reports r where r.id = p_report_id and r.user_id = v_user_id;
  if found and private.record_activity(v_user_id, 'error_report_post', v_report.parking_lot_id, p_report_id) then
    perform private.notify_admins('error_report', '情報修正の報告', p_link => '/error-reports/' || p_report_id,
      p_severity => case when v_report.severity in ('high', 'critical') then 'warning' else 'info' end, p_area => 'lots');
  end if;
end
$$;

-- Reports as the interface returns them, newest first; evidence_keys are storage keys, null without evidence.
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

grant execute on function
  private.check_daily_reports(uuid), private.attach_evidence(uuid, uuid[]), private.on_error_report_posted(uuid),
  private.reported_lot_name(uuid, text),
  private.error_report_rows(uuid[])
to authenticated;
