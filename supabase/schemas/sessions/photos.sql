-- Session photos: pictures that a user adds to a session, of the parked car and of the lot afterwards.
--
-- A slot has one picture. The picture is a private upload (files/uploads.sql) that is attached to the row of the photo.
-- Its key, type and length are copied here, because a placed upload never changes. A picture that leaves its slot in any
-- way is detached, and its object is deleted.
--
-- Invariants: one picture per session, phase and slot; slots 1 to 4; no picture without its session.
-- Interface: api.my_parking_session, put_my_session_photo, delete_my_session_photo.

-- Detaches the uploads of pictures that have left their slots; their objects are deleted.
create function private.tg_parking_session_photos__detach() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.detach_assets(array(select r.asset_id from rows_deleted r));
  return null;
end
$$;

-- Deletes the pictures of sessions whose user has left.
create function private.tg_parking_sessions__drop_photos() returns trigger
language plpgsql
security definer -- no client may delete photos by hand
set search_path = ''
as $$
declare
  v_session_ids uuid[] := array(
    -- No join: one that was planned for a single row would be a nested loop for the thousands of a withdrawal.
    select b.id from rows_before b where b.user_id is not null
    intersect select c.id from rows_changed c where c.user_id is null
  );
begin
  if v_session_ids <> '{}' then
    delete from public.parking_session_photos p where p.session_id = any (v_session_ids);
  end if;
  return null;
end
$$;

-- Checks phase and slot of a photo. Errors: validation_error.
create function private.check_slot(p_phase text, p_slot integer) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if p_phase is null or p_phase not in ('during', 'after') then
    perform private.raise_error('validation_error', 422, 'phase must be during or after.', p_param => 'phase');
  elsif p_slot is null or p_slot not between 1 and 4 then
    perform private.raise_error('validation_error', 422, 'slot must be 1 to 4.', p_param => 'slot');
  end if;
end
$$;

-- Puts an upload into a slot of the caller's session; the previous picture is deleted. Errors: unauthorized, forbidden,
-- not_found.
create function private.put_session_photo(p_session_id uuid, p_phase text, p_slot integer, p_asset_id uuid)
returns public.parking_session_photos
language plpgsql
security definer -- no client may write photos by hand
set search_path = ''
as $$
declare
  v_id uuid := gen_random_uuid();
  v_photo public.parking_session_photos;
begin
  perform private.my_session_for_change(p_session_id); -- photos of a session are written one after the other
  select * into v_photo from public.parking_session_photos p
  where p.session_id = p_session_id and p.phase = p_phase and p.slot = p_slot;
  if found and v_photo.asset_id = p_asset_id then
    return v_photo;
  end if;
  perform private.attach_asset(p_asset_id, 'session_photo', 'session_photo', v_id);
  delete from public.parking_session_photos p where p.id = v_photo.id;
  insert into public.parking_session_photos (id, session_id, phase, slot, asset_id, storage_key, content_type, size_bytes)
  select v_id, p_session_id, p_phase, p_slot, a.id, a.storage_key, a.content_type, a.size_bytes
  from public.assets a where a.id = p_asset_id
  returning * into v_photo;
  return v_photo;
end
$$;

-- Removes the photo from a slot of the caller's session. Errors: unauthorized, forbidden, not_found.
create function private.drop_session_photo(p_session_id uuid, p_phase text, p_slot integer) returns void
language plpgsql
security definer -- no client may delete photos by hand
set search_path = ''
as $$
begin
  perform private.my_session_for_change(p_session_id);
  delete from public.parking_session_photos p
  where p.session_id = p_session_id and p.phase = p_phase and p.slot = p_slot;
  if not found then
    perform private.raise_error('not_found', 404, 'There is no photo in this slot.', p_param => 'slot');
  end if;
end
$$;

-- A photo as the interface shows it.
create function private.photo_row(p_photo public.parking_session_photos) returns jsonb
language sql stable
return jsonb_build_object(
  'id', (p_photo).id, 'phase', (p_photo).phase, 'slot', (p_photo).slot, 'asset_id', (p_photo).asset_id,
  'storage_key', (p_photo).storage_key, 'content_type', (p_photo).content_type, 'size_bytes', (p_photo).size_bytes,
  'created_at', (p_photo).created_at
);

grant execute on function
  private.check_slot(text, integer), private.put_session_photo(uuid, text, integer, uuid),
  private.drop_session_photo(uuid, text, integer), private.photo_row(public.parking_session_photos)
to authenticated;
