-- Changes: which public lots changed, or ceased to be public, since a moment.
--
-- A lot changes when a part of its detail changes that a client may store: its row, hours, date overrides, spots, price list,
-- tags, images, field values, and the names of its operator and tags. The caller's own data about the lot, the counts of
-- ratings and votes, and occupancy are not changes: they change all the time, or by themselves.
--
-- Triggers put the id of each changed lot into private.lot_change_queue, in the transaction of the change. They lock nothing
-- and wait for nothing. A job reads the queue every nine seconds and writes private.lot_changes: one row for every lot that was
-- ever public, with the revision of its newest change. Only the job assigns revisions, one batch after the other, so they
-- become visible in their order: a reader that has seen a revision has seen all lower ones. The cursor of a client is a
-- revision. It depends only on these rows, which a dump carries to another server. A long transaction, here or in another
-- database, delays its own changes and no others.
--
-- Invariants: a lot has one row, its newest change. Revisions only grow, and so do the times at which they were noted. A
-- committed change is in the queue or has a revision. A lot that was never public has no row.
-- Interface: private.changes_page, which api.search_parking_lots calls when updated_since is given.

-- ---------------------------------------------------------------------------------------------------------------------
-- Recording
-- ---------------------------------------------------------------------------------------------------------------------

-- Queues these lots as changed by this transaction. An id may be that of a deleted lot.
create function private.queue_lot_changes(p_lot_ids uuid[]) returns void
language plpgsql
security definer -- the queue belongs to the triggers; the service and administrators write lots
set search_path = ''
as $$
begin
  insert into private.lot_change_queue (parking_lot_id) select distinct u.id from unnest(p_lot_ids) as u (id);
end
$$;

-- Queues the lots of which a statement added, changed or deleted field values.
-- By column, not as jsonb: a withdrawal recounts thousands of values, and changed counts are not changes of a lot.
create function private.tg_field_values__record_changes() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if tg_op = 'TRUNCATE' then
    perform private.queue_lot_changes(array(select c.parking_lot_id from private.lot_changes c where not c.is_gone));
  elsif tg_op = 'UPDATE' then
    perform private.queue_lot_changes(array(
      select p.lot_id from rows_before b full join rows_changed c using (id)
      cross join lateral unnest(array[b.parking_lot_id, c.parking_lot_id]) as p (lot_id)
      where (b.parking_lot_id, b.field_name, b.value, b.state, b.is_primary, b.source, b.licence)
        is distinct from (c.parking_lot_id, c.field_name, c.value, c.state, c.is_primary, c.source, c.licence)
    ));
  else
    perform private.queue_lot_changes(array(select r.parking_lot_id from rows_changed r));
  end if;
  return null;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Revisions
-- ---------------------------------------------------------------------------------------------------------------------

-- Assigns revisions to the changes of the next queued lots, p_lots of them from p_from on, in the order of the queue.
-- Returns the id at which the next batch begins; null when there is none, or when another worker runs. Commit after each
-- batch.
create function private.note_lot_changes(p_from uuid default null, p_lots integer default 1000) returns uuid
language plpgsql
set search_path = ''
as $$
declare
  v_lot_ids uuid[];
  v_were_public boolean[];
  v_last private.lot_changes;
  v_noted_at timestamptz;
begin
  if not pg_try_advisory_xact_lock(hashtext('private.note_lot_changes')) then
    return null;
  end if;
  v_lot_ids := array(
    select distinct q.parking_lot_id from private.lot_change_queue q
    where q.parking_lot_id >= coalesce(p_from, '00000000-0000-0000-0000-000000000000') order by q.parking_lot_id limit p_lots
  );
  if v_lot_ids = '{}' then
    return null;
  end if;
  p_from := case when cardinality(v_lot_ids) = p_lots then v_lot_ids[p_lots] end;
  with taken as (
    delete from private.lot_change_queue q where q.parking_lot_id = any (v_lot_ids) returning q.*
  ), lots as (
    select t.parking_lot_id, min(t.id) as place, bool_or(t.was_public) as was_public from taken t group by t.parking_lot_id
  )
  select array_agg(l.parking_lot_id order by l.place), array_agg(l.was_public order by l.place)
  into v_lot_ids, v_were_public from lots l;

  -- The clock is read after the queue, so that no change was committed after noted_at. It may have been set back.
  select * into v_last from private.lot_changes c order by c.revision desc limit 1;
  v_noted_at := greatest(clock_timestamp(), v_last.noted_at);
  insert into private.lot_changes as c (parking_lot_id, revision, noted_at, is_gone)
  select p.id, coalesce(v_last.revision, 0) + row_number() over (order by p.place), v_noted_at, coalesce(l.status <> 'active', true)
  from unnest(v_lot_ids, v_were_public) with ordinality as p (id, was_public, place)
  left join public.parking_lots l on l.id = p.id and l.id = any (v_lot_ids)
  where l.status = 'active' or p.was_public
    or exists (select from private.lot_changes o where o.parking_lot_id = p.id and not o.is_gone)
  on conflict (parking_lot_id) do update
  set revision = excluded.revision, noted_at = excluded.noted_at, is_gone = excluded.is_gone;
  return p_from;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Reading
-- ---------------------------------------------------------------------------------------------------------------------

-- The revision after which the changes since a moment begin. Every change that was committed at that moment or later has
-- a greater revision.
create function private.revision_before(p_since timestamptz) returns bigint
language plpgsql stable
security definer -- as private.changes_after
set search_path = ''
as $$
begin
  return case when p_since is not null then coalesce(
    (select c.revision - 1 from private.lot_changes c where c.noted_at >= p_since order by c.noted_at, c.revision limit 1),
    (select max(c.revision) from private.lot_changes c),
    0
  ) end;
end
$$;

-- The next changes after a revision, oldest first.
create function private.changes_after(p_revision bigint, p_limit integer) returns setof private.lot_changes
language plpgsql stable
security definer -- changes are private; of a lot that is no longer public the interface shows only the id
set search_path = ''
as $$
begin
  return query select c.* from private.lot_changes c where c.revision > p_revision order by c.revision limit p_limit;
end
$$;

-- A page of changes: {items, next_cursor, has_more}. next_cursor is always present, also on a last or empty page, and
-- finds later changes. Errors: validation_error.
create function private.changes_page(p_since timestamptz, p_limit integer, p_cursor text) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters jsonb := jsonb_build_object('list', 'lot_changes', 'since', extract(epoch from p_since));
  v_after bigint := coalesce(
    (private.cursor_decode(v_filters, p_cursor, '{bigint}') ->> 0)::bigint, private.revision_before(p_since)
  );
  v_changes private.lot_changes[];
  v_items jsonb;
begin
  select array_agg(c order by c.revision) into v_changes from private.changes_after(v_after, p_limit + 1) as c;
  v_items := private.search_items(
    array(select c.parking_lot_id from unnest(v_changes[:p_limit]) as c where not c.is_gone), null
  );
  return jsonb_build_object(
    'items', (
      select coalesce(jsonb_agg(coalesce(i.item, jsonb_build_object('id', c.parking_lot_id, 'deleted', true, 'at', c.noted_at))
        order by c.revision), '[]')
      from unnest(v_changes[:p_limit]) as c
      left join jsonb_array_elements(v_items) as i (item) on (i.item ->> 'id')::uuid = c.parking_lot_id
    ),
    'next_cursor', private.cursor_encode(v_filters,
      jsonb_build_array(coalesce((v_changes[least(p_limit, cardinality(v_changes))]).revision, v_after))),
    'has_more', coalesce(cardinality(v_changes) > p_limit, false)
  );
end
$$;

grant execute on function
  private.revision_before(timestamptz), private.changes_after(bigint, integer), private.changes_page(timestamptz, integer, text)
to anon, authenticated;
