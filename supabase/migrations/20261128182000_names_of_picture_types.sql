-- Uploads take image/jpg for JPEG and image/heif for HEIC, in any case.
--
-- The definitions are those of supabase/schemas after this change. The way back: the functions as they were.

set lock_timeout = '2s';

-- The MIME type of a picture by a name that clients have for it; null when the type is not accepted.
create function private.picture_type(p_mime_type text) returns text
language sql immutable
return case lower(p_mime_type)
  when 'image/jpeg' then 'image/jpeg' when 'image/jpg' then 'image/jpeg' when 'image/png' then 'image/png'
  when 'image/webp' then 'image/webp' when 'image/heic' then 'image/heic' when 'image/heif' then 'image/heic'
end;

-- Checks the arguments of an upload. Errors: validation_error.
create or replace function private.check_upload(
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

-- Inserts the pending row of a file that the caller is about to upload. Errors: unauthorized, forbidden,
-- validation_error, conflict, rate_limited.
create or replace function private.open_upload(
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

drop function private.upload_extension(text);
