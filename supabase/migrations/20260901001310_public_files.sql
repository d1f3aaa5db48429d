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

-- ---------------------------------------------------------------------------------------------------------------------
-- Queue
-- ---------------------------------------------------------------------------------------------------------------------

-- Files whose copy has to be made or deleted: {"storage_key"}.
select private.add_queue('object_publication', 'storage/sweep');

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals
-- ---------------------------------------------------------------------------------------------------------------------

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

comment on function private.tg_assets__request_publication() is
  'Queues a message for a file whose published_at was set or cleared.';

create trigger _310_request_publication after update on public.assets
  for each row when (
    (old.published_at is null) <> (new.published_at is null) or (old.is_public and not new.is_public)
  )
  execute function private.tg_assets__request_publication();

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

comment on function private.publish_assets(text, uuid[]) is
  'Publishes the files of these things, except those that were uploaded as private.';

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

comment on function private.unpublish_assets(text, uuid[]) is 'Ends the publication of the files of these things.';

create function private.publication_of(p_asset public.assets) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'is_wanted', coalesce((p_asset).published_at is not null and (p_asset).deleted_at is null, false),
    'is_public', coalesce((p_asset).is_public, false), 'content_type', (p_asset).content_type,
    'size_bytes', (p_asset).size_bytes, 'etag', (p_asset).etag
  );
end
$$;

comment on function private.publication_of(public.assets) is
  'Whether a file should have a copy, whether it has one, and which object is its original. A deleted file should have none.';

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

comment on function private.requeue_publications() is 'Queues copies again that could not be made or deleted.';

select cron.schedule('requeue_publications', '45 2 * * *', 'select private.requeue_publications()');

grant execute on function private.publication_of(public.assets) to service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface
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

grant execute on function
  api.read_object_publications(integer), api.object_publication(uuid),
  api.finish_object_publication(bigint, text, boolean), api.reject_published_object(text)
to service_role;
