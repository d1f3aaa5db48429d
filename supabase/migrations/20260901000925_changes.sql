-- Changes: which public lots changed, or ceased to be public, since a moment.
--
-- private.lot_changes has a row for every lot that was ever public: the transaction that last changed it, when, and whether
-- it is gone (deleted, or no longer public: a tombstone). Clocks do not tell in what order transactions become visible; one
-- that began first may commit last. So changes are read in order of transaction ids, and only those below the oldest one
-- that still runs: all of them are visible, and none can appear among them later. A cursor that resumes behind the last
-- such change skips nothing.
--
-- Invariants: a lot has one row, its newest change; what a page has read never changes without a higher transaction id.
-- Interface: private.changes_page, which api.search_parking_lots answers with when it is given updated_since.

create table private.lot_changes (
  parking_lot_id uuid primary key,
  changed_in xid8 not null,
  changed_at timestamptz not null,
  is_gone boolean not null
);

comment on table private.lot_changes is 'The newest change of each lot that is or was public. Kept by triggers.';
comment on column private.lot_changes.changed_in is 'The transaction that made the change.';
comment on column private.lot_changes.changed_at is 'When that transaction began.';

create index lot_changes_order_idx on private.lot_changes (changed_in, parking_lot_id) include (changed_at, is_gone);
create index lot_changes_changed_at_idx on private.lot_changes (changed_at);

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals
-- ---------------------------------------------------------------------------------------------------------------------

create function private.record_lot_changes(p_lot_ids uuid[]) returns void
language plpgsql
security definer -- as private.refresh_search_entries
set search_path = ''
as $$
begin
  insert into private.lot_changes as c (parking_lot_id, changed_in, changed_at, is_gone)
  select p.id, pg_current_xact_id(), now(), coalesce(l.status <> 'active', true)
  from unnest(p_lot_ids) as p (id)
  left join public.parking_lots l on l.id = p.id
  -- A lot that never was public leaves nothing behind.
  where l.status = 'active' or exists (select from private.lot_changes o where o.parking_lot_id = p.id and not o.is_gone)
  order by p.id
  on conflict (parking_lot_id) do update
  set changed_in = excluded.changed_in, changed_at = excluded.changed_at, is_gone = excluded.is_gone;
end
$$;

comment on function private.record_lot_changes(uuid[]) is 'Notes that these lots changed now.';

grant execute on function private.record_lot_changes(uuid[]) to service_role;

create function private.tg_parking_lots__record_changes() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if tg_op = 'TRUNCATE' then
    perform private.record_lot_changes(array(select c.parking_lot_id from private.lot_changes c));
  else
    perform private.record_lot_changes(array(select r.id from rows_changed r));
  end if;
  return null;
end
$$;

create trigger _900_record_changes_on_insert after insert on public.parking_lots
  referencing new table as rows_changed
  for each statement execute function private.tg_parking_lots__record_changes();
create trigger _900_record_changes_on_update after update on public.parking_lots
  referencing new table as rows_changed
  for each statement execute function private.tg_parking_lots__record_changes();
create trigger _900_record_changes_on_delete after delete on public.parking_lots
  referencing old table as rows_changed
  for each statement execute function private.tg_parking_lots__record_changes();
create trigger _900_record_changes_on_truncate after truncate on public.parking_lots
  for each statement execute function private.tg_parking_lots__record_changes();

create function private.changes_after(p_since timestamptz, p_after jsonb, p_limit integer)
returns setof private.lot_changes
language plpgsql stable
security definer -- changes are private: a lot that is no longer public shows its id and nothing else
set search_path = ''
as $$
begin
  if p_after is null then
    -- A transaction may have begun, and so be dated, this long before it became visible to who asked at p_since.
    return query
      select c.* from private.lot_changes c
      where c.changed_in < pg_snapshot_xmin(pg_current_snapshot())
        and c.changed_in >= (
          select min(m.changed_in) from private.lot_changes m where m.changed_at >= p_since - interval '10 minutes'
        )
      order by c.changed_in, c.parking_lot_id limit p_limit;
  else
    return query
      select c.* from private.lot_changes c
      where c.changed_in < pg_snapshot_xmin(pg_current_snapshot())
        and (c.changed_in, c.parking_lot_id) > ((p_after ->> 0)::xid8, (p_after ->> 1)::uuid)
      order by c.changed_in, c.parking_lot_id limit p_limit;
  end if;
end
$$;

comment on function private.changes_after(timestamptz, jsonb, integer) is
  'The next changes behind p_after, else those from ten minutes before p_since on, oldest first, none of which can be overtaken.';

create function private.changes_page(p_since timestamptz, p_limit integer, p_cursor text) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters jsonb := jsonb_build_object('list', 'lot_changes', 'since', extract(epoch from p_since));
  v_after jsonb := private.cursor_decode(v_filters, p_cursor, '{xid8,uuid}');
  v_changes private.lot_changes[];
  v_items jsonb;
begin
  select array_agg(c order by c.changed_in, c.parking_lot_id) into v_changes
  from private.changes_after(p_since, v_after, p_limit + 1) as c;
  v_items := private.search_items(
    array(select c.parking_lot_id from unnest(v_changes[:p_limit]) as c where not c.is_gone), null
  );
  if v_changes is not null then
    v_after := jsonb_build_array(
      v_changes[least(p_limit, cardinality(v_changes))].changed_in::text,
      v_changes[least(p_limit, cardinality(v_changes))].parking_lot_id
    );
  elsif v_after is null then
    -- Nothing yet: on from the oldest transaction that runs, however long before p_since it may have begun.
    v_after := jsonb_build_array(
      (pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1)::text, 'ffffffff-ffff-ffff-ffff-ffffffffffff'
    );
  end if;
  return jsonb_build_object(
    'items', (
      select coalesce(jsonb_agg(coalesce(i.item, jsonb_build_object('id', c.parking_lot_id, 'deleted', true, 'at', c.changed_at))
        order by c.changed_in, c.parking_lot_id), '[]')
      from unnest(v_changes[:p_limit]) as c
      left join jsonb_array_elements(v_items) as i (item) on (i.item ->> 'id')::uuid = c.parking_lot_id
    ),
    'next_cursor', private.cursor_encode(v_filters, v_after),
    'has_more', coalesce(cardinality(v_changes) > p_limit, false)
  );
end
$$;

comment on function private.changes_page(timestamptz, integer, text) is
  'A page of changes: {items, next_cursor, has_more}. next_cursor is always there, also on a last or empty page, to ask later for what changed after it. Refuses: validation_error.';

grant execute on function
  private.changes_after(timestamptz, jsonb, integer), private.changes_page(timestamptz, integer, text)
to anon, authenticated;
