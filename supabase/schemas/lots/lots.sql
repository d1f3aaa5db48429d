-- Lots: position, operator, features and appearance of parking lots.
--
-- parking_lots has one row per lot; tags, images and spots refer to it. Operators and tags are master data, inserted by
-- lots/data.sql. The tags are the attributes of a search query: the slug of a tag is the value of the attribute.
--
-- Invariants: a lot with name, address, lat, lng and status alone is valid. Public means status = 'active'; rows that
-- refer to a lot are readable only when the lot is. (source, external_id) is unique, so that an import can run again. A
-- lot has at most one main image. tag_slugs and main_image_key always equal the rows from which they are derived.
-- Interface: search, detail and the importers read and write these tables; private.require_public_lot rejects other lots.

-- Writes tag_slugs and main_image_key of these lots, which search reads.
create function private.refresh_lot_facts(p_lot_ids uuid[]) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- Locks the lots in one order first: the update below then sees what a concurrent writer of the same lot committed.
  perform 1 from public.parking_lots l where l.id = any (p_lot_ids) order by l.id for no key update;
  update public.parking_lots l
  set tag_slugs = f.tag_slugs, main_image_key = f.main_image_key
  from (
    select
      p.id,
      array(
        select t.slug
        from public.parking_lot_tags lt
        join public.tags t on t.id = lt.tag_id
        where lt.parking_lot_id = p.id and lt.state
        order by t.slug
      ) as tag_slugs,
      (
        select a.storage_key
        from public.parking_lot_images i
        join public.assets a on a.id = i.asset_id
        where i.parking_lot_id = p.id and i.is_main and a.is_public and a.status = 'placed' and a.deleted_at is null
      ) as main_image_key
    from unnest(p_lot_ids) as p (id)
  ) f
  where l.id = f.id
    and (l.tag_slugs, l.main_image_key) is distinct from (f.tag_slugs, f.main_image_key);
end
$$;

-- Writes tag_slugs and main_image_key of the lots whose tags or images a statement changed.
-- For parking_lot_tags and parking_lot_images. Runs per statement, because an import writes many rows in one.
create function private.tg_lot_rows__refresh_lot_facts() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  v_lot_ids uuid[];
begin
  if tg_op = 'TRUNCATE' then
    v_lot_ids := array(select l.id from public.parking_lots l);
  elsif tg_op = 'UPDATE' then
    select array_agg(distinct r.parking_lot_id) into v_lot_ids
    from (select parking_lot_id from rows_before union all select parking_lot_id from rows_changed) r;
  else
    select array_agg(distinct r.parking_lot_id) into v_lot_ids from rows_changed r;
  end if;
  if v_lot_ids is not null then
    perform private.refresh_lot_facts(v_lot_ids);
  end if;
  return null;
end
$$;

-- Rejects another slug, because lots, search entries and clients store it. Errors: validation_error.
create function private.tg_tags__keep_slug() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.raise_error('validation_error', 422, 'A slug never changes. Create another tag.', p_param => 'slug');
  return null;
end
$$;

-- Writes main_image_key of the lots that show a file which changed.
-- Runs per statement, because a withdrawal deletes thousands of files in one. Most files are not pictures of lots.
create function private.tg_assets__refresh_lot_facts() returns trigger
language plpgsql
security definer -- the auth server, which deletes accounts, has no right on pictures of lots
set search_path = ''
as $$
declare
  v_asset_ids uuid[] := array(
    select id from rows_before b full join rows_changed c using (id)
    where (b.storage_key, b.is_public, b.status, b.deleted_at)
      is distinct from (c.storage_key, c.is_public, c.status, c.deleted_at)
  );
  v_lot_ids uuid[] := array(
    select i.parking_lot_id from public.parking_lot_images i where i.asset_id = any (v_asset_ids) and i.is_main
  );
begin
  if v_lot_ids <> '{}' then
    perform private.refresh_lot_facts(v_lot_ids);
  end if;
  return null;
end
$$;

-- Rejects a lot that does not exist or is not public. Errors: lot_not_found; param is p_field.
create function private.require_public_lot(p_lot_id uuid, p_field text default 'id') returns void
language plpgsql stable
set search_path = ''
as $$
begin
  perform from public.parking_lots where id = p_lot_id and status = 'active';
  if not found then
    perform private.raise_error('lot_not_found', 404, 'There is no such parking lot.', p_param => p_field);
  end if;
end
$$;

-- private.require_public_lot for writers: it locks the lot, which cannot be deleted before the transaction ends. Errors:
-- lot_not_found.
create function private.lock_public_lot(p_lot_id uuid, p_field text default 'id') returns void
language plpgsql
security definer -- a user who writes about a lot may not lock it
set search_path = ''
as $$
begin
  perform from public.parking_lots where id = p_lot_id and status = 'active' for key share;
  if not found then
    perform private.raise_error('lot_not_found', 404, 'There is no such parking lot.', p_param => p_field);
  end if;
end
$$;

grant execute on function private.require_public_lot(uuid, text) to anon, authenticated, service_role;
grant execute on function private.lock_public_lot(uuid, text) to authenticated;
grant execute on function private.refresh_lot_facts(uuid[]) to service_role;
