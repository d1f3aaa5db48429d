-- The interface of files: uploads, their totals, publication and pictures.
--
-- Clients and the service call these functions. The rules are in pictures.sql, publication.sql, totals.sql and
-- uploads.sql.

-- ---------------------------------------------------------------------------------------------------------------------
-- Uploads
-- ---------------------------------------------------------------------------------------------------------------------

create function commands.create_upload(
  p_file_size bigint,
  p_mime_type text,
  p_category text,
  p_entity_type text default null,
  p_entity_id uuid default null,
  p_is_public boolean default false
) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  return (
    select jsonb_build_object(
      'asset_id', a.id, 'storage_key', a.storage_key, 'content_type', a.content_type, 'size_bytes', a.size_bytes,
      'may_be_public', a.storage_key not like 'private/%', 'created_at', a.created_at
    )
    from private.open_upload(
      p_file_size, p_mime_type, p_category, p_entity_type, p_entity_id, coalesce(p_is_public, false)
    ) as a
  );
end
$$;

comment on function commands.create_upload(bigint, text, text, text, uuid, boolean) is
  'Creates the pending row of an upload of a picture, with the key that the bytes are sent to. The category parking_lot is for administrators of lots. At most 20 uploads of 100 MiB together may be unattached. The files of an app user have at most 500 MiB together, and a day (UTC) adds at most 200 of them with 200 MiB. A deleted file frees its bytes, but not those of the day. Errors: unauthorized, forbidden, validation_error, conflict, rate_limited.';

create function api.pending_asset(p_asset_id uuid, p_user_id uuid, p_category text) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select jsonb_build_object('storage_key', a.storage_key, 'content_type', a.content_type, 'size_bytes', a.size_bytes)
    from public.assets a
    where a.id = p_asset_id and a.created_by = p_user_id and a.category = p_category
      and a.status = 'pending' and a.deleted_at is null
  );
end
$$;

comment on function api.pending_asset(uuid, uuid, text) is
  'For the service: the declared properties of a user''s upload whose object is not yet checked; null when there is none. It raises no errors.';

create function api.place_asset(p_asset_id uuid, p_etag text default null, p_size_bytes integer default null) returns void
language plpgsql
set search_path = ''
as $$
begin
  update public.assets set status = 'placed', etag = p_etag, size_bytes = coalesce(p_size_bytes, size_bytes)
  where id = p_asset_id and status = 'pending' and deleted_at is null;
end
$$;

comment on function api.place_asset(uuid, text, integer) is
  'For the service: marks a file as placed, after the object was checked and copied to its final key with this ETag and size. A picture without its metadata is smaller than declared. It raises no errors.';

create function api.refuse_asset(p_asset_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  update public.assets set deleted_at = now() where id = p_asset_id and status = 'pending' and deleted_at is null;
end
$$;

comment on function api.refuse_asset(uuid) is
  'For the service: marks an upload whose bytes are no picture for deletion. It can no longer be attached. The uploads of the day still count it. It raises no errors.';

create function api.read_object_deletions(p_limit integer default 100) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  return private.read_messages('object_deletion', private.lease_seconds(), p_limit);
end
$$;

comment on function api.read_object_deletions(integer) is
  'For the service: objects to delete, [{msg_id, message: {storage_key}}], hidden from other readers for private.lease_seconds. It raises no errors.';

create function api.finish_object_deletions(p_msg_ids bigint[], p_storage_keys text[]) returns integer
language plpgsql
set search_path = ''
as $$
begin
  delete from public.assets a where a.storage_key = any (p_storage_keys) and a.deleted_at is not null;
  return private.finish_messages('object_deletion', p_msg_ids);
end
$$;

comment on function api.finish_object_deletions(bigint[], text[]) is
  'For the service: records that these objects are deleted, and deletes their rows and messages. Returns the number of messages. It raises no errors.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Publication
-- ---------------------------------------------------------------------------------------------------------------------

create function api.read_object_publications(p_limit integer default 100) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(
      jsonb_build_object('msg_id', m.value -> 'msg_id', 'storage_key', m.value #> '{message,storage_key}')
        || private.publication_of(a) order by m.place
    ), '[]')
    from jsonb_array_elements(private.read_messages('object_publication', private.lease_seconds(), p_limit)) with ordinality as m (value, place)
    left join public.assets a on a.storage_key = m.value #>> '{message,storage_key}'
  );
end
$$;

comment on function api.read_object_publications(integer) is
  'For the service: files whose copy in the public bucket has to be made (is_wanted) or deleted: [{msg_id, storage_key, is_wanted, is_public, content_type, size_bytes, etag}], hidden from other readers for private.lease_seconds. It raises no errors.';

create function api.object_publication(p_asset_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select jsonb_build_object('msg_id', null, 'storage_key', a.storage_key) || private.publication_of(a)
    from public.assets a where a.id = p_asset_id
  );
end
$$;

comment on function api.object_publication(uuid) is
  'For the service: the same for one file, without a message; null when there is no such file. It raises no errors.';

create function api.finish_object_publication(p_msg_id bigint, p_storage_key text, p_is_copied boolean) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_is_wanted boolean;
begin
  select a.published_at is not null and a.deleted_at is null into v_is_wanted
  from public.assets a where a.storage_key = p_storage_key for no key update;
  v_is_wanted := coalesce(v_is_wanted, false);
  update public.assets set is_public = p_is_copied
  where storage_key = p_storage_key and v_is_wanted and is_public <> p_is_copied;
  if v_is_wanted = p_is_copied and p_msg_id is not null then
    perform private.finish_messages('object_publication', array[p_msg_id]);
  end if;
  return v_is_wanted = p_is_copied;
end
$$;

comment on function api.finish_object_publication(bigint, text, boolean) is
  'For the service: records that a file has a copy, or has none any more. True when the file should be so now; otherwise the message stays and is read again. It raises no errors.';

create function api.reject_published_object(p_storage_key text) returns void
language plpgsql
set search_path = ''
as $$
begin
  update public.assets set deleted_at = now(), published_at = null
  where storage_key = p_storage_key and published_at is not null and deleted_at is null;
end
$$;

comment on function api.reject_published_object(text) is
  'For the service: the original of a published file is missing or is not the object that was checked. Marks the file for deletion. It raises no errors.';
