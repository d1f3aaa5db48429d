-- Changes: which public lots changed, or ceased to be public, since a moment.
--
-- A lot changes when anything changes that its detail shows and a client may keep: its row, its hours, date overrides, spots,
-- price list, tags, images, field values, and the words of its operator and tags. What the caller keeps about it, counts of
-- good, bad, confirmations and denials, and occupancy do not count: they change all the time, or by themselves.
--
-- private.lot_changes has a row for every lot that was ever public: the transaction that last changed it, when, and whether
-- it is gone (deleted, or no longer public: a tombstone). Clocks do not tell in what order transactions become visible; one
-- that began first may commit last. So changes are read in order of transaction ids, and only those below the oldest one
-- that still runs: all of them are visible, and none can appear among them later. A cursor that resumes behind the last
-- such change skips nothing.
--
-- private.change_transactions has when each of these transactions ended: the change of one that ended before a moment was
-- visible then, and is not repeated to a client that asks for changes since that moment.
--
-- Invariants: a lot has one row, its newest change; what a page has read never changes without a higher transaction id.
-- Interface: private.changes_page, which api.search_parking_lots answers with when it is given updated_since.

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables
-- ---------------------------------------------------------------------------------------------------------------------

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

create table private.change_transactions (
  id xid8 primary key,
  ended_at timestamptz not null
);

comment on table private.change_transactions is 'The transactions that private.lot_changes names. Kept by triggers; the others are purged.';
comment on column private.change_transactions.ended_at is 'When it was about to commit.';

create index change_transactions_ended_at_idx on private.change_transactions (ended_at, id);

create function private.tg_change_transactions__note_end() returns trigger
language plpgsql
security definer -- nobody writes this table; it runs at the end of whatever transaction changed a lot
set search_path = ''
as $$
begin
  update private.change_transactions set ended_at = clock_timestamp() where id = new.id;
  return null;
end
$$;

create constraint trigger _100_note_end after insert on private.change_transactions
  deferrable initially deferred for each row execute function private.tg_change_transactions__note_end();

create function private.purge_change_transactions() returns void
language plpgsql
set search_path = ''
as $$
begin
  -- What ended a day ago is named by a lot's newest change or never again.
  delete from private.change_transactions t
  where t.ended_at < now() - interval '1 day'
    and not exists (select from private.lot_changes c where c.changed_in = t.id);
end
$$;

comment on function private.purge_change_transactions() is 'Removes transactions of which no change is the newest of its lot.';

select cron.schedule('purge_change_transactions', '41 3 * * *', 'select private.purge_change_transactions()');

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: recording
-- ---------------------------------------------------------------------------------------------------------------------

create function private.record_lot_changes(p_lot_ids uuid[], p_holds_lots boolean default false) returns void
language plpgsql
security definer -- as private.refresh_search_entries
set search_path = ''
as $$
begin
  -- A lot before its change, in one order: a transaction that writes a part of a lot and then the lot waits for none that waits for it.
  if not p_holds_lots then
    perform from public.parking_lots l where l.id = any (p_lot_ids) order by l.id for no key update;
  end if;
  insert into private.change_transactions (id, ended_at) values (pg_current_xact_id(), clock_timestamp())
  on conflict (id) do nothing;
  insert into private.lot_changes as c (parking_lot_id, changed_in, changed_at, is_gone)
  select p.id, pg_current_xact_id(), now(), coalesce(l.status <> 'active', true)
  from (select distinct u.id from unnest(p_lot_ids) as u (id)) as p
  left join public.parking_lots l on l.id = p.id
  -- A lot that never was public leaves nothing behind.
  where l.status = 'active' or exists (select from private.lot_changes o where o.parking_lot_id = p.id and not o.is_gone)
  order by p.id
  on conflict (parking_lot_id) do update
  set changed_in = excluded.changed_in, changed_at = excluded.changed_at, is_gone = excluded.is_gone
  where (c.changed_in, c.is_gone) is distinct from (excluded.changed_in, excluded.is_gone);
end
$$;

comment on function private.record_lot_changes(uuid[], boolean) is
  'Notes that these lots changed now, and locks them, but where the caller holds them or may not wait for them.';

grant execute on function private.record_lot_changes(uuid[], boolean) to service_role;

create function private.tg_parking_lots__record_changes() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  v_lot_ids uuid[];
begin
  if tg_op = 'TRUNCATE' then
    v_lot_ids := array(select c.parking_lot_id from private.lot_changes c);
  elsif tg_op = 'UPDATE' then
    -- A full join, because it is never a nested loop: of the rows of a statement there are no statistics.
    select array_agg(id) into v_lot_ids from rows_before b full join rows_changed c using (id)
    where (to_jsonb(b) - 'updated_at') is distinct from (to_jsonb(c) - 'updated_at');
  else
    v_lot_ids := array(select r.id from rows_changed r);
  end if;
  if v_lot_ids <> '{}' then
    perform private.record_lot_changes(v_lot_ids, p_holds_lots => true);
  end if;
  return null;
end
$$;

create trigger _900_record_changes_on_insert after insert on public.parking_lots
  referencing new table as rows_changed
  for each statement execute function private.tg_parking_lots__record_changes();
create trigger _900_record_changes_on_update after update on public.parking_lots
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_parking_lots__record_changes();
create trigger _900_record_changes_on_delete after delete on public.parking_lots
  referencing old table as rows_changed
  for each statement execute function private.tg_parking_lots__record_changes();
create trigger _900_record_changes_on_truncate after truncate on public.parking_lots
  for each statement execute function private.tg_parking_lots__record_changes();

-- Serves every table whose rows are parts of a lot's detail.
create function private.tg_lot_rows__record_changes() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  v_lot_ids uuid[];
begin
  if tg_op = 'TRUNCATE' then
    v_lot_ids := array(select c.parking_lot_id from private.lot_changes c where not c.is_gone);
  elsif tg_op = 'UPDATE' then
    -- A row that only one of the two has: what it was, and what it is.
    v_lot_ids := array(
      select r.parking_lot_id
      from (
        select b.parking_lot_id, to_jsonb(b) - 'updated_at' as content, 1 as times from rows_before b
        union all
        select c.parking_lot_id, to_jsonb(c) - 'updated_at', -1 from rows_changed c
      ) r
      group by r.parking_lot_id, r.content having sum(r.times) <> 0
    );
  else
    v_lot_ids := array(select r.parking_lot_id from rows_changed r);
  end if;
  if v_lot_ids <> '{}' then
    -- Who writes a lot goes on to its field values (0820): a vote, which begins with one, may not wait for the lot.
    perform private.record_lot_changes(v_lot_ids, p_holds_lots => tg_table_name = 'field_values');
  end if;
  return null;
end
$$;

-- By column, not as jsonb: a withdrawal recounts thousands of values, and what a count changes is no change of a lot.
create function private.tg_field_values__record_changes() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  v_lot_ids uuid[] := array(
    select p.lot_id from rows_before b full join rows_changed c using (id)
    cross join lateral unnest(array[b.parking_lot_id, c.parking_lot_id]) as p (lot_id)
    where (b.parking_lot_id, b.field_name, b.value, b.state, b.is_primary, b.source, b.licence)
      is distinct from (c.parking_lot_id, c.field_name, c.value, c.state, c.is_primary, c.source, c.licence)
  );
begin
  if v_lot_ids <> '{}' then
    perform private.record_lot_changes(v_lot_ids, p_holds_lots => true);
  end if;
  return null;
end
$$;

create trigger _900_record_changes_on_insert after insert on public.parking_lot_windows
  referencing new table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_update after update on public.parking_lot_windows
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_delete after delete on public.parking_lot_windows
  referencing old table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_truncate after truncate on public.parking_lot_windows
  for each statement execute function private.tg_lot_rows__record_changes();

create trigger _900_record_changes_on_insert after insert on public.parking_lot_date_overrides
  referencing new table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_update after update on public.parking_lot_date_overrides
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_delete after delete on public.parking_lot_date_overrides
  referencing old table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_truncate after truncate on public.parking_lot_date_overrides
  for each statement execute function private.tg_lot_rows__record_changes();

create trigger _900_record_changes_on_insert after insert on public.parking_lot_spots
  referencing new table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_update after update on public.parking_lot_spots
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_delete after delete on public.parking_lot_spots
  referencing old table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_truncate after truncate on public.parking_lot_spots
  for each statement execute function private.tg_lot_rows__record_changes();

create trigger _900_record_changes_on_insert after insert on public.pricing_groups
  referencing new table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_update after update on public.pricing_groups
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_delete after delete on public.pricing_groups
  referencing old table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_truncate after truncate on public.pricing_groups
  for each statement execute function private.tg_lot_rows__record_changes();

create trigger _900_record_changes_on_insert after insert on public.pricing_rules
  referencing new table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_update after update on public.pricing_rules
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_delete after delete on public.pricing_rules
  referencing old table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_truncate after truncate on public.pricing_rules
  for each statement execute function private.tg_lot_rows__record_changes();

create trigger _900_record_changes_on_insert after insert on public.parking_lot_tags
  referencing new table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_update after update on public.parking_lot_tags
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_delete after delete on public.parking_lot_tags
  referencing old table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_truncate after truncate on public.parking_lot_tags
  for each statement execute function private.tg_lot_rows__record_changes();

create trigger _900_record_changes_on_insert after insert on public.parking_lot_images
  referencing new table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_update after update on public.parking_lot_images
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_delete after delete on public.parking_lot_images
  referencing old table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_truncate after truncate on public.parking_lot_images
  for each statement execute function private.tg_lot_rows__record_changes();

create trigger _900_record_changes_on_insert after insert on public.field_values
  referencing new table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_update after update on public.field_values
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_field_values__record_changes();
create trigger _900_record_changes_on_delete after delete on public.field_values
  referencing old table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_truncate after truncate on public.field_values
  for each statement execute function private.tg_lot_rows__record_changes();

create function private.tg_assets__record_changes() returns trigger
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
    select i.parking_lot_id from public.parking_lot_images i where i.asset_id = any (v_asset_ids)
  );
begin
  if v_lot_ids <> '{}' then
    perform private.record_lot_changes(v_lot_ids);
  end if;
  return null;
end
$$;

create trigger _900_record_changes after update on public.assets
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_assets__record_changes();

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: reading
-- ---------------------------------------------------------------------------------------------------------------------

create function private.changes_after(p_ended_since timestamptz, p_after jsonb, p_limit integer)
returns setof private.lot_changes
language plpgsql stable
security definer -- changes are private: a lot that is no longer public shows its id and nothing else
set search_path = ''
as $$
begin
  return query
    select c.*
    from private.lot_changes c
    join private.change_transactions t on t.id = c.changed_in
    where c.changed_in < pg_snapshot_xmin(pg_current_snapshot()) and t.ended_at >= p_ended_since
      and (c.changed_in, c.parking_lot_id) > (
        coalesce((p_after ->> 0)::xid8, (
          select (min(e.id)::text::numeric - 1)::text::xid8 from private.change_transactions e where e.ended_at >= p_ended_since
        )),
        coalesce((p_after ->> 1)::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
      )
    order by c.changed_in, c.parking_lot_id limit p_limit;
end
$$;

comment on function private.changes_after(timestamptz, jsonb, integer) is
  'The next changes behind p_after, oldest first, of transactions that ended at p_ended_since or later, none of which can be overtaken.';

create function private.changes_page(p_since timestamptz, p_limit integer, p_cursor text) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters jsonb := jsonb_build_object('list', 'lot_changes', 'since', extract(epoch from p_since));
  v_after jsonb := private.cursor_decode(v_filters, p_cursor, '{xid8,uuid,timestamptz}');
  -- A transaction is visible a moment after its end was noted. Later pages keep the bound, but one that is not in the future:
  -- a client's clock may be ahead.
  v_ended_since timestamptz := coalesce(
    (v_after ->> 2)::timestamptz, greatest(p_since - interval '10 seconds', timestamptz '2000-01-01 00:00:00+00')
  );
  v_kept_since constant timestamptz := case
    when v_ended_since < now() then v_ended_since else now() - interval '10 seconds' end;
  v_changes private.lot_changes[];
  v_last private.lot_changes;
  v_items jsonb;
begin
  select array_agg(c order by c.changed_in, c.parking_lot_id) into v_changes
  from private.changes_after(v_ended_since, v_after, p_limit + 1) as c;
  v_items := private.search_items(
    array(select c.parking_lot_id from unnest(v_changes[:p_limit]) as c where not c.is_gone), null
  );
  if v_changes is not null then
    v_last := v_changes[case when cardinality(v_changes) > p_limit then p_limit else cardinality(v_changes) end];
    v_after := jsonb_build_array(v_last.changed_in::text, v_last.parking_lot_id, v_kept_since);
  elsif v_after is null then
    -- Nothing yet: on from the oldest transaction that runs, however long before p_since it may have begun.
    v_after := jsonb_build_array(
      (pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1)::text, 'ffffffff-ffff-ffff-ffff-ffffffffffff', v_kept_since
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
