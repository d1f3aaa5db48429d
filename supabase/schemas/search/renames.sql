-- Renames: marking lots as changed when a tag or an operator that they show is renamed.
--
-- The detail of a lot reads the names of its tags and operator from their rows: a rename is visible at once. A job
-- records the lots as changed (search/changes.sql) and writes the search terms of an operator's lots
-- (search/entries.sql), 5,000 lots per transaction in the order of their ids; private.renames has its progress. A further
-- rename of the same tag or operator restarts its job.
--
-- Invariants: every lot that has the tag or the operator when the rename commits is recorded as changed after it.
-- Interface: none. It is called by triggers on tags and operators, and by a job (private.next_rename_batch).

-- Starts the job for a tag or an operator (tg_argv[0]) that changed.
create function private.tg_names__note_rename() returns trigger
language plpgsql
security definer -- a role that edits a tag or an operator has no right on the job table
set search_path = ''
as $$
begin
  insert into private.renames (kind, id) values (tg_argv[0], new.id::text)
  on conflict (kind, id) do update set last_lot_id = excluded.last_lot_id, done_lots = 0, started_at = now(), updated_at = now();
  return null;
end
$$;

-- Processes the next p_lots lots for the oldest rename: records those that have the tag or the operator as changed, and
-- writes the search entries for an operator. False when there is nothing to do. Commit after each batch.
create function private.next_rename_batch(p_lots integer default 5000) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_rename private.renames;
  v_last_id uuid;
  v_processed integer;
  v_lot_ids uuid[];
begin
  select * into v_rename from private.renames r order by r.started_at, r.kind, r.id limit 1 for no key update skip locked;
  if not found then
    return false;
  end if;
  -- A window of all lots, because no index has the lots of a tag or of an operator in this order.
  select (array_agg(w.id order by w.id desc))[1], count(*), coalesce(array_agg(w.id order by w.id) filter (where case v_rename.kind
    when 'operator' then w.operator_code = v_rename.id
    else exists (select from public.parking_lot_tags t where t.parking_lot_id = w.id and t.tag_id = v_rename.id::uuid) end), '{}')
  into v_last_id, v_processed, v_lot_ids
  from (
    select l.id, l.operator_code from public.parking_lots l where l.id > v_rename.last_lot_id order by l.id limit p_lots
  ) w;
  if v_rename.kind = 'operator' then
    perform private.refresh_search_entries(v_lot_ids);
  end if;
  perform private.queue_lot_changes(v_lot_ids);
  if v_processed < p_lots then
    delete from private.renames r where (r.kind, r.id) = (v_rename.kind, v_rename.id);
  else
    update private.renames r
    set last_lot_id = v_last_id, done_lots = r.done_lots + cardinality(v_lot_ids), updated_at = clock_timestamp()
    where (r.kind, r.id) = (v_rename.kind, v_rename.id);
  end if;
  return true;
end
$$;
