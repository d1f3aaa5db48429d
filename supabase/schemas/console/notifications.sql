-- Notifications to administrators.
--
-- A row is for one administrator, for all with an area, or for all. The console counts unread rows in its sidebar, and
-- receives every change by Realtime (realtime/publication.sql). A row has no app user and no quotation: its link leads to
-- the resource, which checks access.
--
-- Invariants: only an active administrator reads rows, and rows of an area only with that area. No role writes rows
-- directly. Rows older than 90 days are deleted.
-- Interface: private.notify_admins(type, title, ...), for the other domains and for the service.

-- Writes a notification to administrators, in the transaction of its cause, and returns its id: to those of p_area, to
-- p_admin_id alone, or to all. For functions of the service only.
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

-- ---------------------------------------------------------------------------------------------------------------------
-- Notifications of administrators
-- ---------------------------------------------------------------------------------------------------------------------

-- The sidebar of the console: the notifications of an administrator, and which of them they have read.
--
-- Realtime sends each change of a row (topic admin-notifications-sidebar); after a reconnect the console reads the list.
-- The row keeps which administrators have read it.
--
-- Invariants: an administrator reads, and marks, only notifications for themselves, for one of their areas, or for all.
-- Interface: api.admin_list_notifications, api.admin_mark_notifications_read.

create function api.admin_list_notifications(
  p_admin_id uuid, p_unread boolean default null, p_include text[] default '{}', p_cursor text default null,
  p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_own constant jsonb := jsonb_build_object(
    'r.area is null or r.area = any (string_to_array(%s, '',''))', array_to_string(private.areas_of(p_admin_id), ','),
    'r.admin_id is null or r.admin_id = %s::uuid', p_admin_id
  );
  v_unread constant jsonb := jsonb_build_object('%s::uuid <> all (r.read_by)', p_admin_id);
  v_read constant jsonb := jsonb_build_object('%s::uuid = any (r.read_by)', p_admin_id);
  v_page jsonb;
begin
  perform private.check_admin(p_admin_id, null);
  v_page := private.list_rows('public.admin_notifications', '{created_at timestamptz,id uuid}', 'desc',
    v_own || case when p_unread then v_unread when not p_unread then v_read else '{}' end, p_include, p_cursor, p_limit,
    'to_jsonb(r) - ''admin_id''', p_is_capped => true);
  return v_page || jsonb_build_object('items', (
    select coalesce(jsonb_agg(i.item - 'read_by' || jsonb_build_object('is_read', i.item -> 'read_by' ? p_admin_id::text) order by i.nth), '[]')
    from jsonb_array_elements(v_page -> 'items') with ordinality as i (item, nth)
  )) || case when 'unread_count' = any (p_include) then jsonb_build_object('unread_count',
    private.list_rows('public.admin_notifications', '{created_at timestamptz,id uuid}', 'desc', v_own || v_unread, '{total}', null, 1,
      p_is_capped => true) -> 'total'
  ) else '{}' end;
end
$$;

comment on function api.admin_list_notifications(uuid, boolean, text[], text, integer) is
  'The notifications of an administrator, newest first: {items, next_cursor}, each with is_read; with total and unread_count where p_include names them, both counted up to 10,000; total with total_is_exact. For any active administrator. Errors: forbidden, validation_error.';

create function api.admin_mark_notifications_read(p_admin_id uuid, p_ids uuid[] default null, p_before timestamptz default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  c_max constant integer := 20000;
  v_areas text[];
  v_updated integer;
begin
  perform private.lock_admin(p_admin_id, null);
  if (p_ids is null) = (p_before is null) then
    perform private.raise_error('validation_error', 422, 'Give either ids or before, not both.', p_param => 'ids');
  end if;
  select areas into v_areas from public.admins where id = p_admin_id;
  -- Locked in one order, so that administrators who mark the same rows cause no deadlock. Arrays, because a join of thousands
  -- of rows may become a nested loop: the planner expects one.
  update public.admin_notifications n set read_by = n.read_by || p_admin_id where n.id = any (array(
    select u.id from public.admin_notifications u where u.id = any (array(
      select o.id from public.admin_notifications o
      where (o.id = any (p_ids) or o.created_at < p_before)
        and (o.area is null or o.area = any (v_areas)) and (o.admin_id is null or o.admin_id = p_admin_id)
        and p_admin_id <> all (o.read_by)
      order by o.created_at desc limit c_max
    )) order by u.id for no key update
  )) and p_admin_id <> all (n.read_by);
  get diagnostics v_updated = row_count;
  return jsonb_build_object('updated', v_updated, 'has_more', v_updated >= c_max);
end
$$;

comment on function api.admin_mark_notifications_read(uuid, uuid[], timestamptz) is
  'Marks notifications as read by the administrator, those of p_ids or all before p_before, the latest first and at most 20,000 of them: {updated, has_more}. Idempotent. The act is not recorded. For any active administrator. Errors: forbidden, validation_error.';
