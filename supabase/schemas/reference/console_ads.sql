-- Advertisements in the console. Shared functions are in admin_articles.
--
-- Invariants: an advertisement that was shown is stopped (is_active false) or ended (ends_at), never deleted.
-- Interface: api.admin_list_ads, admin_get_ad, admin_create_ad, admin_update_ad, admin_delete_ad.

-- An advertisement as the console returns it.
create function private.managed_ad(p_ad public.ads) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return to_jsonb(p_ad) - 'was_shown'
    || jsonb_build_object('status', private.time_status(p_ad.is_active, p_ad.starts_at, p_ad.ends_at));
end
$$;

-- An advertisement, locked until the transaction ends, in the version of the If-Match header. Errors: not_found,
-- precondition_failed.
create function private.held_ad(p_id uuid, p_if_match text) returns public.ads
language plpgsql
set search_path = ''
as $$
declare
  v_ad public.ads;
begin
  select * into v_ad from public.ads a where a.id = p_id for update;
  if not found then
    perform private.raise_error('not_found', 404, 'There is no such advertisement.', p_param => 'id');
  end if;
  perform private.require_match(p_if_match, v_ad.updated_at);
  return v_ad;
end
$$;

-- Writes a new advertisement, or a version of one that the caller has locked, and records the act; p_before is null for a
-- new one. An equal version changes nothing. Errors: validation_error.
create function private.write_ad(p_admin_id uuid, p_before public.ads, p_after public.ads) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_changes constant jsonb := private.difference(to_jsonb(p_before), to_jsonb(p_after)) - 'was_shown';
  v_after public.ads;
  v_table text;
  v_constraint text;
begin
  if v_changes = '{}' then
    return private.managed_ad(p_before);
  end if;
  insert into public.ads select p_after.*
  on conflict (id) do update set
    placement = excluded.placement, title = excluded.title, body = excluded.body, image_url = excluded.image_url,
    link_url = excluded.link_url, weight = excluded.weight, starts_at = excluded.starts_at, ends_at = excluded.ends_at,
    is_active = excluded.is_active
  returning * into v_after;
  perform private.record_act(p_admin_id, private.content_action('ad', p_before.is_active, v_after.is_active), 'ad',
    v_after.id::text, null, v_changes);
  return private.managed_ad(v_after);
exception when check_violation then
  get stacked diagnostics v_table = table_name, v_constraint = constraint_name;
  perform private.reject_violation(v_table, v_constraint);
end
$$;

grant execute on function
  private.managed_ad(public.ads), private.held_ad(uuid, text), private.write_ad(uuid, public.ads, public.ads)
to service_role;

create function api.admin_list_ads(
  p_admin_id uuid, p_placement text default null, p_status text default null, p_q text default null,
  p_include text[] default '{}', p_cursor text default null, p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters constant jsonb := jsonb_build_array('admin_ads', p_placement, p_status, p_q);
  v_after jsonb;
  v_items jsonb;
  v_total bigint;
begin
  perform private.check_admin(p_admin_id, 'content');
  v_after := private.page_start(v_filters, p_cursor, '{timestamptz,uuid}', 'desc');
  perform private.check_choice('placement', p_placement, '{home_top,map,search_results,lot_detail,session_end,article}');
  perform private.check_choice('status', p_status, '{scheduled,shown,ended,withdrawn}');
  with matching as not materialized (
    select a as ad, a.created_at, a.id from public.ads a
    where (p_placement is null or a.placement = p_placement)
      and (p_status is null or private.time_status(a.is_active, a.starts_at, a.ends_at) = p_status)
      and (p_q is null or strpos(lower(a.title), lower(p_q)) > 0)
  ), page as (
    select * from matching m
    where (m.created_at, m.id) < ((v_after ->> 0)::timestamptz, (v_after ->> 1)::uuid)
    order by m.created_at desc, m.id desc limit private.page_limit(p_limit) + 1
  )
  select (select jsonb_agg(private.managed_ad(p.ad) order by p.created_at desc, p.id desc) from page p),
    case when 'total' = any (p_include) then (select count(*) from matching) end
  into v_items, v_total;
  return private.page(v_filters, v_items, '{created_at,id}', p_limit, v_total);
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
    (select private.managed_ad(a) from public.ads a where a.id = p_id), 'There is no such advertisement.'
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
  perform private.check_fields('public.ads', p_ad, '{placement,title,body,image_url,link_url,weight,starts_at,ends_at,is_active}',
    '{placement,title}');
  return private.write_ad(p_admin_id, null, jsonb_populate_record(null::public.ads, jsonb_build_object(
    'id', gen_random_uuid(), 'weight', 100, 'starts_at', now(), 'is_active', true, 'was_shown', false, 'created_at', now(),
    'updated_at', now()
  ) || p_ad));
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
  perform private.check_fields('public.ads', p_changes,
    '{placement,title,body,image_url,link_url,weight,starts_at,ends_at,is_active}');
  v_before := private.held_ad(p_id, p_if_match);
  return private.write_ad(p_admin_id, v_before, jsonb_populate_record(v_before, p_changes));
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
  v_before := private.held_ad(p_id, p_if_match);
  if v_before.was_shown or (v_before.is_active and v_before.starts_at <= now()) then
    perform private.raise_error('conflict', 409, 'The advertisement was shown and cannot be deleted. Set is_active to false instead.', p_param => 'id',
      p_details => '{"reason": "was_shown"}');
  end if;
  delete from public.ads a where a.id = p_id;
  perform private.record_act(p_admin_id, 'ad.delete', 'ad', p_id::text, null,
    private.difference(to_jsonb(v_before), null) - 'was_shown');
end
$$;

comment on function api.admin_delete_ad(uuid, uuid, text) is
  'Deletes an advertisement that was never shown. For administrators of content. Errors: forbidden, not_found, conflict, precondition_failed.';

grant execute on function
  api.admin_list_ads(uuid, text, text, text, text[], text, integer), api.admin_get_ad(uuid, uuid),
  api.admin_create_ad(uuid, jsonb), api.admin_update_ad(uuid, uuid, jsonb, text), api.admin_delete_ad(uuid, uuid, text)
to service_role;
