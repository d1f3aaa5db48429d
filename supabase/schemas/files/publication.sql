-- Public files: how an upload is copied to the public bucket, and removed from it.
--
-- The private bucket keeps the original of an upload as long as the upload exists. A published file has a copy in the
-- public bucket, under storage_key. published_at means that there should be a copy; is_public means that there is one.
-- The domain that uses a file sets and clears published_at in its own transaction, which also queues a message. The
-- function storage copies exactly the object that was checked and then sets is_public, or it deletes the copy. is_public is
-- cleared at once, before the copy is deleted. Readers of a file without a copy get a signed address.
--
-- A message has the key of the file and not the work: the row decides when the message is read. So a message can be read
-- twice or late, and after a crash it is read again.
--
-- Invariants: is_public is set only while published_at is set and the file is not to be deleted. A file whose key starts
-- with private/ is never published.
-- Interface: for the other domains private.publish_assets and private.unpublish_assets; for the service
-- api.read_object_publications, api.object_publication, api.finish_object_publication and api.reject_published_object.

-- Queues a message for a file whose published_at was set or cleared.
create function private.tg_assets__request_publication() returns trigger
language plpgsql
security definer -- a role that may change a row has no right on queues
set search_path = ''
as $$
begin
  perform private.enqueue('object_publication', jsonb_build_object('storage_key', new.storage_key));
  return null;
end
$$;

-- Publishes the files of these things, except those that were uploaded as private.
create function private.publish_assets(p_entity_type text, p_entity_ids uuid[]) returns void
language plpgsql
security definer -- no client may write assets; the caller decides whether these things are public
set search_path = ''
as $$
begin
  update public.assets set published_at = now()
  where entity_id = any (p_entity_ids) and entity_type = p_entity_type and attached_at is not null and status = 'placed'
    and deleted_at is null and published_at is null and not is_public and storage_key not like 'private/%';
end
$$;

-- Ends the publication of the files of these things.
create function private.unpublish_assets(p_entity_type text, p_entity_ids uuid[]) returns void
language plpgsql
security definer -- as private.publish_assets
set search_path = ''
as $$
begin
  update public.assets set published_at = null, is_public = false
  where entity_id = any (p_entity_ids) and entity_type = p_entity_type and attached_at is not null
    and deleted_at is null and (published_at is not null or is_public);
end
$$;

-- Whether a file should have a copy, whether it has one, and which object is its original. A deleted file should have
-- none.
create function private.publication_of(p_asset public.assets) returns jsonb
language sql stable
return jsonb_build_object(
  'is_wanted', coalesce((p_asset).published_at is not null and (p_asset).deleted_at is null, false),
  'is_public', coalesce((p_asset).is_public, false), 'content_type', (p_asset).content_type,
  'size_bytes', (p_asset).size_bytes, 'etag', (p_asset).etag
);

-- Queues copies again that could not be made or deleted.
create function private.requeue_publications() returns void
language plpgsql
set search_path = ''
as $$
declare
  v_message jsonb;
begin
  -- A message that storage rejected too often has left the queue. It is queued again, because doing the work twice does no
  -- harm.
  for v_message in
    delete from private.dead_messages d
    where d.queue = 'object_publication' and jsonb_typeof(d.message -> 'storage_key') = 'string'
    returning d.message
  loop
    perform private.enqueue('object_publication', v_message);
  end loop;
end
$$;
