-- Advertisements in the console. The kit (console/kit.sql, console/rows.sql, console/lists.sql) has what resources share.
--
-- Invariants: an advertisement that was shown is stopped (is_active false) or ended (ends_at), never deleted.
-- Interface: api.admin_list_ads, admin_get_ad, admin_create_ad, admin_update_ad, admin_delete_ad.

-- An advertisement as the console returns it.
create function private.admin_ad_row(p_ad public.ads) returns jsonb
language sql stable
return to_jsonb(p_ad) - 'was_shown'
  || jsonb_build_object('status', private.time_status(p_ad.is_active, p_ad.starts_at, p_ad.ends_at));

create function api.admin_list_ads(
  p_admin_id uuid, p_placement text default null, p_status text default null, p_q text default null,
  p_include text[] default '{}', p_cursor text default null, p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'content');
  perform private.check_choice('placement', p_placement, '{home_top,map,search_results,lot_detail,session_end,article}');
  perform private.check_choice('status', p_status, '{scheduled,shown,ended,withdrawn}');
  return private.list_rows('public.ads', '{created_at timestamptz,id uuid}', 'desc', jsonb_build_object(
    'r.placement = %s', p_placement,
    'private.time_status(r.is_active, r.starts_at, r.ends_at) = %s', p_status,
    'strpos(lower(r.title), lower(%s)) > 0', p_q
  ), p_include, p_cursor, p_limit, 'private.admin_ad_row(r)');
end
$$;

comment on function api.admin_list_ads(uuid, text, text, text, text[], text, integer) is
  'Advertisements of every status, the latest first: {items, next_cursor}, and total when p_include has it. p_q searches the title. For administrators of content. Errors: forbidden, validation_error.';

create function api.admin_get_ad(p_admin_id uuid, p_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'content');
  return private.require_row(
    (select private.admin_ad_row(a) from public.ads a where a.id = p_id), 'There is no such advertisement.'
  );
end
$$;

comment on function api.admin_get_ad(uuid, uuid) is
  'An advertisement of any status, with its status. For administrators of content. Errors: forbidden, not_found.';

create function api.admin_create_ad(p_admin_id uuid, p_ad jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_admin(p_admin_id, 'content');
  perform private.check_columns('public.ads', p_ad, p_is_new => true);
  return private.admin_ad_row(private.save_row(p_admin_id, 'ad', null::public.ads, p_ad));
end
$$;

comment on function api.admin_create_ad(uuid, jsonb) is
  'Creates an advertisement, which is shown from starts_at on (default: now) while it is_active. Returns it as admin_get_ad does. For administrators of content. Errors: forbidden, validation_error.';

create function api.admin_update_ad(p_admin_id uuid, p_id uuid, p_changes jsonb, p_if_match text default null) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_before public.ads;
begin
  perform private.lock_admin(p_admin_id, 'content');
  perform private.check_columns('public.ads', p_changes);
  v_before := private.locked_version(null::public.ads, jsonb_build_object('id', p_id), 'advertisement', p_if_match);
  return private.admin_ad_row(private.save_row(p_admin_id, 'ad', v_before, p_changes));
end
$$;

comment on function api.admin_update_ad(uuid, uuid, jsonb, text) is
  'Changes the fields of an advertisement that p_changes has, in the version p_if_match; is_active stops and resumes it. Returns it as admin_get_ad does. Idempotent. For administrators of content. Errors: forbidden, validation_error, not_found, precondition_failed.';

create function api.admin_delete_ad(p_admin_id uuid, p_id uuid, p_if_match text default null) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_before public.ads;
begin
  perform private.lock_admin(p_admin_id, 'content');
  v_before := private.locked_version(null::public.ads, jsonb_build_object('id', p_id), 'advertisement', p_if_match);
  if v_before.was_shown or (v_before.is_active and v_before.starts_at <= now()) then
    perform private.raise_error('conflict', 409, 'The advertisement was shown and cannot be deleted. Set is_active to false instead.', p_param => 'id',
      p_details => '{"reason": "was_shown"}');
  end if;
  perform private.delete_row(p_admin_id, 'ad', v_before);
end
$$;

comment on function api.admin_delete_ad(uuid, uuid, text) is
  'Deletes an advertisement that was never shown. For administrators of content. Errors: forbidden, not_found, conflict, precondition_failed.';
