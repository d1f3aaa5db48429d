-- Sponsors in the console. Shared functions are in admin_articles; the statuses are those of advertisements
-- (private.time_status).
--
-- The picture of a sponsor is an upload of the category parking_lot, which is the category of administrators. The
-- transaction that refers to it attaches it; the former picture is deleted.
--
-- Invariants: a sponsor that was shown is withdrawn (is_active false) or ended (ends_at), never deleted, so that check-ins
-- stay.
-- Interface: api.admin_list_sponsors, admin_get_sponsor, admin_create_sponsor, admin_update_sponsor, admin_delete_sponsor.

-- A sponsor as the console returns it; image is the storage key of its picture, null until it is in the public bucket.
create function private.managed_sponsor(p_sponsor public.sponsors) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return to_jsonb(p_sponsor) - '{mercator,was_shown}'::text[] || jsonb_build_object(
    'status', private.time_status(p_sponsor.is_active, p_sponsor.starts_at, p_sponsor.ends_at),
    'image', (select a.storage_key from public.assets a where a.id = p_sponsor.image_asset_id and a.is_public)
  );
end
$$;

-- A sponsor, locked until the transaction ends, in the version of the If-Match header. Errors: not_found,
-- precondition_failed.
create function private.held_sponsor(p_id uuid, p_if_match text) returns public.sponsors
language plpgsql
set search_path = ''
as $$
declare
  v_sponsor public.sponsors;
begin
  -- A check-in locks the sponsor too (private.count_checkin).
  select * into v_sponsor from public.sponsors s where s.id = p_id for update;
  if not found then
    perform private.raise_error('not_found', 404, 'There is no such sponsor.', p_param => 'id');
  end if;
  perform private.require_match(p_if_match, v_sponsor.updated_at);
  return v_sponsor;
end
$$;

-- Makes an upload of the administrator the picture of a sponsor, in place of the former one; null: no picture. Errors:
-- not_found.
create function private.put_sponsor_image(p_admin_id uuid, p_sponsor_id uuid, p_asset_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  if p_asset_id is not null then
    -- As private.attach_asset, for an administrator on whose behalf the service acts.
    update public.assets a
    set entity_type = 'sponsor', entity_id = p_sponsor_id, attached_at = clock_timestamp(),
      published_at = coalesce(a.published_at, clock_timestamp())
    where a.id = p_asset_id and a.created_by = p_admin_id and a.category = 'parking_lot' and a.status = 'placed'
      and a.deleted_at is null and a.attached_at is null and a.storage_key not like 'private/%';
    if not found then
      perform private.raise_error('not_found', 404, 'You have no unused public upload of the category parking_lot with this id.',
        p_param => 'image_asset_id');
    end if;
  end if;
  update public.assets a set deleted_at = now()
  where a.entity_id = p_sponsor_id and a.entity_type = 'sponsor' and a.deleted_at is null and a.attached_at is not null
    and a.id is distinct from p_asset_id;
end
$$;

-- Writes a new sponsor, or a version of one that the caller has locked, and records the act; p_before is null for a new
-- one. An equal version changes nothing. Errors: validation_error, not_found.
create function private.write_sponsor(p_admin_id uuid, p_before public.sponsors, p_after public.sponsors) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_changes constant jsonb := private.difference(to_jsonb(p_before), to_jsonb(p_after)) - '{mercator,was_shown}'::text[];
  v_after public.sponsors;
  v_table text;
  v_constraint text;
begin
  if v_changes = '{}' then
    return private.managed_sponsor(p_before);
  end if;
  if v_changes ? 'image_asset_id' then
    perform private.put_sponsor_image(p_admin_id, p_after.id, p_after.image_asset_id);
  end if;
  insert into public.sponsors (
    id, name, description, category, address, lat, lng, website, image_asset_id, opening_hours, time_zone, checkin_radius_m,
    sort_order, is_active, starts_at, ends_at
  )
  values (
    p_after.id, p_after.name, p_after.description, p_after.category, p_after.address, p_after.lat, p_after.lng, p_after.website,
    p_after.image_asset_id, p_after.opening_hours, p_after.time_zone, p_after.checkin_radius_m, p_after.sort_order,
    p_after.is_active, p_after.starts_at, p_after.ends_at
  )
  on conflict (id) do update set
    name = excluded.name, description = excluded.description, category = excluded.category, address = excluded.address,
    lat = excluded.lat, lng = excluded.lng, website = excluded.website, image_asset_id = excluded.image_asset_id,
    opening_hours = excluded.opening_hours, time_zone = excluded.time_zone, checkin_radius_m = excluded.checkin_radius_m,
    sort_order = excluded.sort_order, is_active = excluded.is_active, starts_at = excluded.starts_at, ends_at = excluded.ends_at
  returning * into v_after;
  perform private.record_act(p_admin_id, private.content_action('sponsor', p_before.is_active, v_after.is_active), 'sponsor',
    v_after.id::text, null, v_changes);
  return private.managed_sponsor(v_after);
exception
  when check_violation then
    get stacked diagnostics v_table = table_name, v_constraint = constraint_name;
    perform private.reject_violation(v_table, v_constraint);
  when invalid_parameter_value then
    -- Only this constraint calls a function that rejects a value itself: an unknown time zone.
    perform private.reject_violation('sponsors', 'sponsors_time_zone_is_iana');
end
$$;

grant execute on function
  private.managed_sponsor(public.sponsors), private.held_sponsor(uuid, text), private.put_sponsor_image(uuid, uuid, uuid),
  private.write_sponsor(uuid, public.sponsors, public.sponsors)
to service_role;

create function api.admin_list_sponsors(
  p_admin_id uuid, p_category text default null, p_status text default null, p_q text default null,
  p_include text[] default '{}', p_cursor text default null, p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters constant jsonb := jsonb_build_array('admin_sponsors', p_category, p_status, p_q);
  v_after jsonb;
  v_items jsonb;
  v_total bigint;
begin
  perform private.check_admin(p_admin_id, 'content');
  v_after := private.page_start(v_filters, p_cursor, '{integer,uuid}', 'asc');
  perform private.check_choice('status', p_status, '{scheduled,shown,ended,withdrawn}');
  with matching as not materialized (
    select s as sponsor, s.sort_order, s.id from public.sponsors s
    where (p_category is null or s.category = p_category)
      and (p_status is null or private.time_status(s.is_active, s.starts_at, s.ends_at) = p_status)
      and (p_q is null or strpos(lower(s.name), lower(p_q)) > 0 or strpos(lower(s.address), lower(p_q)) > 0)
  ), page as (
    select * from matching m
    where (m.sort_order, m.id) > ((v_after ->> 0)::integer, (v_after ->> 1)::uuid)
    order by m.sort_order, m.id limit private.page_limit(p_limit) + 1
  )
  select (select jsonb_agg(private.managed_sponsor(p.sponsor) order by p.sort_order, p.id) from page p),
    case when 'total' = any (p_include) then (select count(*) from matching) end
  into v_items, v_total;
  return private.page(v_filters, v_items, '{sort_order,id}', p_limit, v_total);
end
$$;

comment on function api.admin_list_sponsors(uuid, text, text, text, text[], text, integer) is
  'Sponsors of every status, in sort_order: {items, next_cursor}, and total when p_include has it. p_q searches name and address. For administrators of content. Errors: forbidden, validation_error.';

create function api.admin_get_sponsor(p_admin_id uuid, p_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'content');
  return private.require_row(
    (select private.managed_sponsor(s) from public.sponsors s where s.id = p_id), 'There is no such sponsor.'
  );
end
$$;

comment on function api.admin_get_sponsor(uuid, uuid) is
  'A sponsor of any status, with its status and the key of its picture. For administrators of content. Errors: forbidden, not_found.';

create function api.admin_create_sponsor(p_admin_id uuid, p_sponsor jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_admin(p_admin_id, 'content');
  perform private.check_fields('public.sponsors', p_sponsor,
    '{name,description,category,address,lat,lng,website,image_asset_id,opening_hours,time_zone,checkin_radius_m,sort_order,is_active,starts_at,ends_at}',
    '{name,lat,lng}');
  return private.write_sponsor(p_admin_id, null, jsonb_populate_record(null::public.sponsors, jsonb_build_object(
    'id', gen_random_uuid(), 'time_zone', 'Asia/Tokyo', 'checkin_radius_m', 100, 'sort_order', 0, 'is_active', true,
    'starts_at', now()
  ) || p_sponsor));
end
$$;

comment on function api.admin_create_sponsor(uuid, jsonb) is
  'Creates a sponsor, which is shown from starts_at on (default: now) while it is_active. Returns it as admin_get_sponsor does. For administrators of content. Errors: forbidden, validation_error, not_found.';

create function api.admin_update_sponsor(p_admin_id uuid, p_id uuid, p_changes jsonb, p_if_match text default null) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_before public.sponsors;
begin
  perform private.lock_admin(p_admin_id, 'content');
  perform private.check_fields('public.sponsors', p_changes,
    '{name,description,category,address,lat,lng,website,image_asset_id,opening_hours,time_zone,checkin_radius_m,sort_order,is_active,starts_at,ends_at}');
  v_before := private.held_sponsor(p_id, p_if_match);
  return private.write_sponsor(p_admin_id, v_before, jsonb_populate_record(v_before, p_changes));
end
$$;

comment on function api.admin_update_sponsor(uuid, uuid, jsonb, text) is
  'Changes the fields of a sponsor that p_changes has, in the version p_if_match; is_active withdraws and restores it. Returns it as admin_get_sponsor does. Idempotent. For administrators of content. Errors: forbidden, validation_error, not_found, precondition_failed.';

create function api.admin_delete_sponsor(p_admin_id uuid, p_id uuid, p_if_match text default null) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_before public.sponsors;
begin
  perform private.lock_admin(p_admin_id, 'content');
  v_before := private.held_sponsor(p_id, p_if_match);
  if v_before.was_shown or (v_before.is_active and v_before.starts_at <= now())
    or exists (select from public.sponsor_checkins c where c.sponsor_id = p_id) then
    perform private.raise_error('conflict', 409, 'The sponsor was shown and cannot be deleted. Set is_active to false instead.', p_param => 'id',
      p_details => '{"reason": "was_shown"}');
  end if;
  perform private.put_sponsor_image(p_admin_id, p_id, null);
  delete from public.sponsors s where s.id = p_id;
  perform private.record_act(p_admin_id, 'sponsor.delete', 'sponsor', p_id::text, null,
    private.difference(to_jsonb(v_before), null) - '{mercator,was_shown}'::text[]);
end
$$;

comment on function api.admin_delete_sponsor(uuid, uuid, text) is
  'Deletes a sponsor that was never shown, with its picture. For administrators of content. Errors: forbidden, not_found, conflict, precondition_failed.';

grant execute on function
  api.admin_list_sponsors(uuid, text, text, text, text[], text, integer), api.admin_get_sponsor(uuid, uuid),
  api.admin_create_sponsor(uuid, jsonb), api.admin_update_sponsor(uuid, uuid, jsonb, text),
  api.admin_delete_sponsor(uuid, uuid, text)
to service_role;
