-- Storage: uploaded files, from the first request until the object is deleted. Table: assets (files/tables.sql).
--
-- An upload starts as a row with status pending. The client sends the bytes directly to object storage: always to the
-- private bucket, under an incoming key. Before a file is used, the service checks the object (length, type, that
-- it is a complete picture), copies it to a key that takes no uploads, and marks the row as placed. From then on the bytes
-- do not change. An object that is no picture is refused for good: its row is marked for deletion. Pictures that other
-- users see are copied without their metadata. Then the caller's own transaction attaches the file to one thing. A file
-- that is unattached for a day is deleted. A published file is also copied to the public bucket (files/publication.sql).
--
-- Invariants: only its uploader attaches a file, once, to a thing of its category. A key cannot be guessed and reveals
-- neither the uploader nor the file's name. A key starts with private/ exactly when the file is never public. Only
-- avatars and pictures of reviews and lots may be public. A user has at most 20 unattached uploads of at most 100 MiB
-- together. The files of an account that exist have at most 500 MiB together, and a day adds at most 200 MiB, attached or
-- not (files/totals.sql). A file that is to be deleted is not read any more; its row is deleted after its objects.
-- Interface: commands.create_upload; for the service api.pending_asset, api.place_asset, api.refuse_asset,
-- api.read_object_deletions and api.finish_object_deletions; for the other domains private.attach_asset,
-- private.detach_assets and private.attached_assets. Setting deleted_at causes the deletion of the objects.

-- ---------------------------------------------------------------------------------------------------------------------
-- Beginning
-- ---------------------------------------------------------------------------------------------------------------------

-- The MIME type of a picture by a name that clients have for it; null when the type is not accepted.
create function private.picture_type(p_mime_type text) returns text
language sql immutable
return case lower(p_mime_type)
  when 'image/jpeg' then 'image/jpeg' when 'image/jpg' then 'image/jpeg' when 'image/png' then 'image/png'
  when 'image/webp' then 'image/webp' when 'image/heic' then 'image/heic' when 'image/heif' then 'image/heic'
end;

-- Checks the arguments of an upload. Errors: validation_error.
create function private.check_upload(
  p_file_size bigint, p_mime_type text, p_category text, p_entity_type text, p_entity_id uuid, p_is_public boolean
) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if p_file_size is null or p_file_size not between 1 and 10485760 then
    perform private.raise_error('validation_error', 422, 'file_size must be between 1 byte and 10 MiB.', p_param => 'file_size');
  end if;
  if private.picture_type(p_mime_type) is null then
    perform private.raise_error('validation_error', 422, 'mime_type must be image/jpeg, image/png, image/webp or image/heic.',
      p_param => 'mime_type');
  end if;
  perform private.check_fields('public.assets', jsonb_build_object('category', p_category, 'entity_type', p_entity_type), '{category,entity_type}');
  if p_is_public and p_category not in ('review', 'avatar', 'parking_lot') then
    perform private.raise_error('validation_error', 422, format('A file of the category %s cannot be public. Set is_public to false.', p_category),
      p_param => 'is_public');
  end if;
  if (p_entity_type is null) <> (p_entity_id is null) then
    perform private.raise_error('validation_error', 422, 'entity_type and entity_id must be given together.',
      p_param => case when p_entity_type is null then 'entity_type' else 'entity_id' end);
  end if;
end
$$;

-- The caller, when they may upload files of this category. Locks the account, so that uploads of one user start one after
-- the other. Errors: unauthorized, forbidden.
create function private.uploading_user(p_category text) returns uuid
language plpgsql
security definer -- no role may lock an administrator's row directly
set search_path = ''
as $$
declare
  v_admin_id uuid;
begin
  if p_category is distinct from 'parking_lot' then
    return private.writing_user();
  end if;
  -- Pictures of lots, and of sponsors.
  v_admin_id := private.caller();
  perform private.check_admin(v_admin_id, case when exists (
    select from public.admins a where a.id = v_admin_id and 'content' = any (a.areas)
  ) then 'content' else 'lots' end);
  perform 1 from public.admins a where a.id = v_admin_id for no key update;
  return v_admin_id;
end
$$;

-- Checks that a user may start an upload of this size, given their unattached uploads. The caller has locked the account.
-- Errors: conflict.
create function private.check_unattached_uploads(p_user_id uuid, p_file_size bigint) returns void
language plpgsql
set search_path = ''
as $$
declare
  c_max_uploads constant integer := 20;
  c_max_bytes constant bigint := 100 * 1024 * 1024;
  v_uploads integer;
  v_bytes bigint;
begin
  select count(*), coalesce(sum(a.size_bytes), 0) into v_uploads, v_bytes
  from public.assets a where a.created_by = p_user_id and a.attached_at is null and a.deleted_at is null;
  if v_uploads >= c_max_uploads or v_bytes + p_file_size > c_max_bytes then
    perform private.raise_error('conflict', 409,
      format('At most %s uploads and %s bytes may be unattached. Attach them, or retry after a day.', c_max_uploads, c_max_bytes),
      p_details => jsonb_build_object(
        'reason', 'too_many_unattached_uploads', 'max_uploads', c_max_uploads, 'max_bytes', c_max_bytes,
        'uploads', v_uploads, 'bytes', v_bytes
      ));
  end if;
end
$$;

-- Inserts the pending row of a file that the caller is about to upload. Errors: unauthorized, forbidden,
-- validation_error, conflict, rate_limited.
create function private.open_upload(
  p_file_size bigint, p_mime_type text, p_category text, p_entity_type text, p_entity_id uuid, p_is_public boolean
) returns public.assets
language plpgsql
security definer -- no client may write assets; the row is the caller's, pending, and used by nothing
set search_path = ''
as $$
declare
  v_user_id uuid := private.uploading_user(p_category);
  c_type constant text := private.picture_type(p_mime_type);
  v_asset public.assets;
begin
  perform private.check_upload(p_file_size, p_mime_type, p_category, p_entity_type, p_entity_id, p_is_public);
  perform private.check_unattached_uploads(v_user_id, p_file_size);
  if p_category <> 'parking_lot' then
    perform private.check_file_totals(v_user_id, p_file_size);
  end if;
  insert into public.assets (
    storage_key, content_type, size_bytes, category, is_public, status, entity_type, entity_id, attached_at, created_by
  )
  values (
    format('%s%s/%s.%s', case when not p_is_public then 'private/' end, p_category,
      replace(gen_random_uuid()::text, '-', ''), case c_type when 'image/jpeg' then 'jpg' else substr(c_type, 7) end),
    c_type, p_file_size, p_category, false, 'pending', p_entity_type, p_entity_id, null, v_user_id
  )
  returning * into v_asset;
  return v_asset;
end
$$;

grant execute on function private.open_upload(bigint, text, text, text, uuid, boolean) to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Use
-- ---------------------------------------------------------------------------------------------------------------------

-- Attaches the caller's uploaded file to a thing. Attaching it again to the same thing changes only its position.
-- Publishes a file that may be public, unless it is a review's. Raises unauthorized, or not_found for a file that is not
-- the caller's, not placed, of another category, or attached elsewhere.
create function private.attach_asset(
  p_asset_id uuid, p_category text, p_entity_type text, p_entity_id uuid, p_param text default 'asset_id'
) returns void
language plpgsql
security definer -- no client may write assets; only the caller's own are touched
set search_path = ''
as $$
begin
  -- One statement: when two transactions attach the file at once, the second finds it attached.
  update public.assets a
  set entity_type = p_entity_type, entity_id = p_entity_id, attached_at = clock_timestamp(),
    published_at = case when a.category <> 'review' and a.storage_key not like 'private/%'
      then coalesce(a.published_at, clock_timestamp()) else a.published_at end
  where a.id = p_asset_id and a.created_by = private.caller() and a.category = p_category
    and a.status = 'placed' and a.deleted_at is null
    and (a.attached_at is null or a.entity_id is null or (a.entity_type, a.entity_id) = (p_entity_type, p_entity_id));
  if not found then
    perform private.raise_error('not_found', 404, format('You have no uploaded file of category %s with this id.', p_category),
      p_param => p_param);
  end if;
end
$$;

-- Marks files that are not used any more: their objects are deleted, and then their rows. The caller has checked who owns
-- them.
create function private.detach_assets(p_asset_ids uuid[]) returns void
language plpgsql
security definer -- no client may write assets; the callers have checked who owns the files
set search_path = ''
as $$
begin
  update public.assets set deleted_at = now() where id = any (p_asset_ids) and deleted_at is null;
end
$$;

-- The files of these things that the caller may see, for each thing in the order in which they were attached.
create function private.attached_assets(p_entity_type text, p_entity_ids uuid[])
returns table (
  entity_id uuid, asset_id uuid, storage_key text, is_public boolean, content_type text, size_bytes integer, place bigint
)
language plpgsql stable
security definer -- private files have no policy: only their uploader gets them
set search_path = ''
as $$
begin
  return query
  select a.entity_id, a.id, a.storage_key, a.is_public, a.content_type, a.size_bytes,
    row_number() over (partition by a.entity_id order by a.attached_at, a.id)
  from public.assets a
  where a.entity_id = any (p_entity_ids) and a.entity_type = p_entity_type
    and a.attached_at is not null and a.status = 'placed' and a.deleted_at is null
    and (a.is_public or a.created_by = (select auth.uid()));
end
$$;

-- Functions that have checked the owner of the thing attach and detach files: they are security definer, and no client may
-- call these.
grant execute on function private.attached_assets(text, uuid[]) to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- The end
-- ---------------------------------------------------------------------------------------------------------------------

-- Marks a file for deletion when its uploader is removed, unless it shows a lot: at a withdrawal, and when the auth
-- server deletes the account.
create function private.tg_assets__delete_with_uploader() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if new.attached_at is null or new.category <> 'parking_lot' then
    new.deleted_at := coalesce(new.deleted_at, now());
  end if;
  return new;
end
$$;

-- Queues the deletion of the incoming object of a file that was checked and copied, for when its upload address has
-- expired.
create function private.tg_assets__delete_incoming() returns trigger
language plpgsql
security definer -- the service has no right on queues
set search_path = ''
as $$
begin
  perform private.enqueue('object_deletion',
    jsonb_build_object('storage_key', 'private/incoming/' || regexp_replace(new.storage_key, '^private/', '')),
    ceil(extract(epoch from new.created_at + interval '15 minutes' - now()))::integer);
  return null;
end
$$;

-- Queues the objects of files that are marked for deletion. Objects of recent uploads are queued twice: the second time
-- for when the upload address has expired.
-- Once a statement, because a withdrawal deletes thousands of files with one. Not "of deleted_at", because a trigger may
-- set it while another column is updated.
create function private.tg_assets__delete_objects() returns trigger
language plpgsql
security definer -- a role that may mark a row, for example the service, has no right on queues
set search_path = ''
as $$
declare
  -- No join: as in sessions/photos.sql.
  v_messages jsonb[] := array(
    select jsonb_build_object('storage_key', c.storage_key) from rows_changed c where c.deleted_at is not null
    except select jsonb_build_object('storage_key', b.storage_key) from rows_before b where b.deleted_at is not null
  );
begin
  if v_messages = '{}' then
    return null;
  end if;
  perform private.enqueue_all('object_deletion', v_messages);
  -- Until its upload address expires, the object can be written again. It is then deleted a second time.
  perform private.enqueue('object_deletion', jsonb_build_object('storage_key', y.storage_key),
    ceil(extract(epoch from y.created_at + interval '15 minutes' - now()))::integer)
  from (
    select c.storage_key, c.created_at from rows_changed c
    where c.deleted_at is not null and c.created_at > now() - interval '10 minutes'
    except select b.storage_key, b.created_at from rows_before b where b.deleted_at is not null
  ) y;
  return null;
end
$$;

-- Marks uploads that were unattached for a day for deletion, and queues deletions again that should have been done a day
-- ago.
create function private.sweep_assets() returns void
language plpgsql
set search_path = ''
as $$
begin
  update public.assets a set deleted_at = now()
  where a.attached_at is null and a.deleted_at is null and a.created_at < now() - interval '1 day'
    and not exists (select from public.parking_lot_images i where i.asset_id = a.id);

  -- An object that could not be deleted for a day has left the queue. It is queued again, because deleting twice does no
  -- harm.
  perform private.enqueue('object_deletion', jsonb_build_object('storage_key', a.storage_key))
  from public.assets a where a.deleted_at < now() - interval '1 day';
end
$$;
