-- Lots: position, operator, features and appearance of parking lots.
--
-- parking_lots has one row per lot; tags, images and spots refer to it. Operators and tags are master data, inserted by
-- lots/data.sql. The tags are the attributes of a search query: the slug of a tag is the value of the attribute.
--
-- Invariants: a lot with name, address, lat, lng and status alone is valid. Public means status = 'active'; rows that
-- refer to a lot are readable only when the lot is. (source, external_id) is unique, so that an import can run again. A
-- lot has at most one main image. tag_slugs and main_image_key always equal the rows from which they are derived.
--
-- Two trigger functions have the effects of a write. That of parking_lots writes the search entries of the lots and queues
-- them as changed (search/changes.sql). That of the tables with parts of a lot does so for the lots of these parts, after
-- it has written the columns that are derived from them. So a statement refreshes each lot once.
--
-- Interface: search, detail and the importers read and write these tables; private.require_public_lot rejects other lots.

-- Writes tag_slugs and main_image_key of these lots, which search reads. Returns those that it changed.
create function private.refresh_lot_facts(p_lot_ids uuid[]) returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  v_changed uuid[];
begin
  -- Locks the lots in one order first: the update below then sees what a concurrent writer of the same lot committed.
  perform 1 from public.parking_lots l where l.id = any (p_lot_ids) order by l.id for no key update;
  with changed as (
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
      and (l.tag_slugs, l.main_image_key) is distinct from (f.tag_slugs, f.main_image_key)
    returning l.id
  )
  select array_agg(c.id) into v_changed from changed c;
  return coalesce(v_changed, '{}');
end
$$;

-- Refreshes what is derived from the rows of lots, for the lots whose rows a statement changed, and queues these lots as
-- changed. The arguments are what is derived from the table: facts (tags and main image), prices, search (the entry).
-- For every table whose rows are parts of a lot. Runs per statement, because an import writes many rows in one.
create function private.tg_lot_rows__refresh_lots() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  v_lot_ids uuid[];
  v_written uuid[] := '{}';
begin
  if tg_op = 'TRUNCATE' then
    v_lot_ids := array(select l.id from public.parking_lots l);
  elsif tg_op = 'UPDATE' then
    -- A row that only one of the two tables has: the old row and the new row.
    v_lot_ids := array(
      select distinct d.parking_lot_id
      from (
        select r.parking_lot_id
        from (
          select b.parking_lot_id, to_jsonb(b) - 'updated_at' as content, 1 as times from rows_before b
          union all
          select c.parking_lot_id, to_jsonb(c) - 'updated_at', -1 from rows_changed c
        ) r
        group by r.parking_lot_id, r.content having sum(r.times) <> 0
      ) d
    );
  else
    v_lot_ids := array(select distinct r.parking_lot_id from rows_changed r);
  end if;
  if v_lot_ids = '{}' then
    return null;
  elsif 'facts' = any (tg_argv) then
    v_written := private.refresh_lot_facts(v_lot_ids);
  elsif 'prices' = any (tg_argv) then
    v_written := private.refresh_tariffs(v_lot_ids);
  end if;
  -- The trigger of parking_lots has refreshed and queued the lots whose own rows were written.
  v_lot_ids := array(select l.id from unnest(v_lot_ids) as l (id) except select w.id from unnest(v_written) as w (id));
  if 'search' = any (tg_argv) then
    perform private.refresh_search_entries(v_lot_ids);
  end if;
  perform private.queue_lot_changes(v_lot_ids);
  return null;
end
$$;

-- Writes the search entries of lots that a statement added, or of which it changed a column that search reads. Queues the
-- lots that it added, changed or deleted. The entry of a deleted lot is deleted with it: its cell of the map is marked.
create function private.tg_parking_lots__refresh() returns trigger
language plpgsql
security definer -- the queue of changes belongs to the triggers; the service and administrators write lots
set search_path = ''
as $$
declare
  v_lot_ids uuid[];
begin
  if tg_op = 'TRUNCATE' then
    insert into private.lot_change_queue (parking_lot_id) select c.parking_lot_id from private.lot_changes c where not c.is_gone;
    insert into private.map_marks (cell) select distinct m.cell from private.map_cells m where m.level = 14;
  elsif tg_op = 'UPDATE' then
    -- The columns of an entry. A full join, because it is never a nested loop: there are no statistics about the rows of a statement.
    select array_agg(id) into v_lot_ids from rows_before b full join rows_changed c using (id)
    where (b.status, b.name, b.name_kana, b.address, b.operator_code, b.lat, b.lng, b.avg_rating, b.review_count, b.hour_price,
        b.main_image_key, b.total_spaces, b.currency, b.structure, b.max_height_m, b.max_width_m, b.max_length_m, b.max_weight_t,
        b.min_clearance_cm, b.max_tire_width_mm, b.entry_difficulty, b.tag_slugs)
      is distinct from (c.status, c.name, c.name_kana, c.address, c.operator_code, c.lat, c.lng, c.avg_rating, c.review_count,
        c.hour_price, c.main_image_key, c.total_spaces, c.currency, c.structure, c.max_height_m, c.max_width_m, c.max_length_m,
        c.max_weight_t, c.min_clearance_cm, c.max_tire_width_mm, c.entry_difficulty, c.tag_slugs);
    insert into private.lot_change_queue (parking_lot_id, was_public)
    select id, 'active' in (b.status, c.status) from rows_before b full join rows_changed c using (id)
    where (to_jsonb(b) - 'updated_at') is distinct from (to_jsonb(c) - 'updated_at');
  else
    v_lot_ids := array(select r.id from rows_changed r where tg_op = 'INSERT');
    insert into private.lot_change_queue (parking_lot_id, was_public) select r.id, r.status = 'active' from rows_changed r;
    insert into private.map_marks (cell)
    select distinct private.map_cell(point(radians(r.lng), private.mercator_y(r.lat)))
    from rows_changed r where tg_op = 'DELETE' and r.status = 'active';
  end if;
  if v_lot_ids <> '{}' then
    perform private.refresh_search_entries(v_lot_ids);
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

-- Writes main_image_key of the lots that show a file which changed, and queues the lots with a picture of it.
-- Runs per statement, because a withdrawal deletes thousands of files in one. Most files are not pictures of lots.
create function private.tg_assets__refresh_lots() returns trigger
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
  v_lot_ids uuid[] := array(select i.parking_lot_id from public.parking_lot_images i where i.asset_id = any (v_asset_ids));
begin
  if v_lot_ids <> '{}' then
    perform private.refresh_lot_facts(array(
      select i.parking_lot_id from public.parking_lot_images i where i.asset_id = any (v_asset_ids) and i.is_main
    ));
    perform private.queue_lot_changes(v_lot_ids);
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

grant execute on function private.require_public_lot(uuid, text) to anon, authenticated;
grant execute on function private.lock_public_lot(uuid, text) to authenticated;
