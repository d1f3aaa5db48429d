-- Sponsors in the console. Their statuses are those of advertisements (private.time_status).
--
-- The picture of a sponsor is an upload of the category parking_lot, which is the category of administrators. The
-- transaction that refers to it attaches it; the former picture is deleted.
--
-- Invariants: a sponsor that was shown is withdrawn (is_active false) or ended (ends_at), never deleted, so that check-ins
-- stay.
-- Interface: api.admin_list_sponsors, admin_get_sponsor, admin_create_sponsor, admin_update_sponsor, admin_delete_sponsor.

-- A sponsor as the console returns it; image is the storage key of its picture, null until it is in the public bucket.
create function private.admin_sponsor_row(p_sponsor public.sponsors) returns jsonb
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

-- private.save_row for a sponsor, with its picture; p_changes of a new one has its id. Errors: validation_error, not_found.
create function private.save_sponsor(p_admin_id uuid, p_before public.sponsors, p_changes jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_image constant uuid := p_changes ->> 'image_asset_id';
begin
  if p_changes ? 'image_asset_id' and v_image is distinct from p_before.image_asset_id then
    perform private.put_sponsor_image(p_admin_id, coalesce(p_before.id, (p_changes ->> 'id')::uuid), v_image);
  end if;
  return private.admin_sponsor_row(private.save_row(p_admin_id, 'sponsor', p_before, p_changes));
end
$$;

create function api.admin_list_sponsors(
  p_admin_id uuid, p_category text default null, p_status text default null, p_q text default null,
  p_include text[] default '{}', p_cursor text default null, p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'content');
  perform private.check_choice('status', p_status, '{scheduled,shown,ended,withdrawn}');
  return private.list_rows('public.sponsors', '{sort_order integer,id uuid}', 'asc', jsonb_build_object(
    'r.category = %s', p_category,
    'private.time_status(r.is_active, r.starts_at, r.ends_at) = %s', p_status,
    'strpos(lower(r.name), lower(%1$s)) > 0 or strpos(lower(r.address), lower(%1$s)) > 0', p_q
  ), p_include, p_cursor, p_limit, 'private.admin_sponsor_row(r)');
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
    (select private.admin_sponsor_row(s) from public.sponsors s where s.id = p_id), 'There is no such sponsor.'
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
  perform private.check_columns('public.sponsors', p_sponsor, p_is_new => true);
  return private.save_sponsor(p_admin_id, null, p_sponsor || jsonb_build_object('id', gen_random_uuid()));
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
  perform private.check_columns('public.sponsors', p_changes);
  v_before := private.locked_version(null::public.sponsors, jsonb_build_object('id', p_id), 'sponsor', p_if_match);
  return private.save_sponsor(p_admin_id, v_before, p_changes);
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
  -- A check-in locks the sponsor too (private.count_checkin).
  v_before := private.locked_version(null::public.sponsors, jsonb_build_object('id', p_id), 'sponsor', p_if_match);
  if v_before.was_shown or (v_before.is_active and v_before.starts_at <= now())
    or exists (select from public.sponsor_checkins c where c.sponsor_id = p_id) then
    perform private.raise_error('conflict', 409, 'The sponsor was shown and cannot be deleted. Set is_active to false instead.', p_param => 'id',
      p_details => '{"reason": "was_shown"}');
  end if;
  perform private.put_sponsor_image(p_admin_id, p_id, null);
  perform private.delete_row(p_admin_id, 'sponsor', v_before);
end
$$;

comment on function api.admin_delete_sponsor(uuid, uuid, text) is
  'Deletes a sponsor that was never shown, with its picture. For administrators of content. Errors: forbidden, not_found, conflict, precondition_failed.';
