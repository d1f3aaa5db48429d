-- Writes of lots in the console: create a lot, change its fields, close or delete it.
--
-- Each function locks the administrator, then the lot, then checks the version of the request (If-Match), and then its
-- arguments.
--
-- Invariants: the console never deletes a lot with parking sessions, it closes it. Every change is recorded with its
-- difference.
-- Interface: api.admin_create_parking_lot, api.admin_update_parking_lot, api.admin_delete_parking_lot; private.locked_lot and
-- private.lock_lot_assets for the sets of a lot.

-- A lot of any status, locked until the transaction ends, in the version of the request. Errors: lot_not_found,
-- precondition_failed.
create function private.locked_lot(p_lot_id uuid, p_if_match text default null) returns public.parking_lots
language plpgsql
set search_path = ''
as $$
declare
  v_lot public.parking_lots;
begin
  select * into v_lot from public.parking_lots where id = p_lot_id for no key update;
  if not found then
    perform private.reject_missing_lot();
  end if;
  perform private.require_match(p_if_match, v_lot.updated_at);
  return v_lot;
end
$$;

-- Locks the files of a lot's images, and others, before the lot: transactions that publish or delete a file lock it
-- before the lot.
create function private.lock_lot_assets(p_lot_id uuid, p_asset_ids uuid[] default '{}') returns void
language plpgsql
set search_path = ''
as $$
begin
  perform from public.assets a
  where a.id = any (p_asset_ids || array(select i.asset_id from public.parking_lot_images i where i.parking_lot_id = p_lot_id))
  order by a.id for no key update;
end
$$;

-- The fields of a lot that the console writes.
create function private.lot_fields_json(p_lot public.parking_lots) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select jsonb_object_agg(f.key, f.value) from jsonb_each(to_jsonb(p_lot)) as f where f.key = any (private.lot_fields())
  );
end
$$;

-- Deletes a lot with all its data, also the files of its images. The caller has locked the lot and these files.
create function private.delete_lot(p_lot_id uuid) returns void
language plpgsql
security definer -- triggers of the lot's rows write private tables; the caller has checked that the lot may be deleted
set search_path = ''
as $$
begin
  update public.assets set deleted_at = now()
  where entity_id = p_lot_id and entity_type = 'parking_lot' and attached_at is not null and deleted_at is null;
  delete from public.parking_lots where id = p_lot_id;
end
$$;

create function api.admin_create_parking_lot(p_admin_id uuid, p_lot jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_given constant jsonb := private.shown_lot_texts(p_lot);
  v_lot public.parking_lots;
begin
  perform private.lock_admin(p_admin_id, 'lots');
  perform private.check_fields('public.parking_lots', v_given, private.lot_fields(), '{name,lat,lng}', private.lot_rules());
  perform private.check_move('parking_lot', 'new', coalesce(v_given ->> 'status', 'draft'));
  -- As a draft, which search does not have: its entry is written once, with all fields.
  insert into public.parking_lots (name, lat, lng)
  values (v_given ->> 'name', (v_given ->> 'lat')::double precision, (v_given ->> 'lng')::double precision)
  returning * into v_lot;
  perform private.apply_lot_changes(v_lot.id, v_given);
  select * into v_lot from public.parking_lots where id = v_lot.id;
  perform private.record_act(p_admin_id, 'parking_lot.create', 'parking_lot', v_lot.id::text, null,
    private.difference(null, private.lot_fields_json(v_lot)));
  return private.console_lot_json(v_lot.id);
end
$$;

comment on function api.admin_create_parking_lot(uuid, jsonb) is
  'Creates a lot with these fields, as a draft unless status is active: private.console_lot_json. Not idempotent without an idempotency key. Recorded. For administrators with the area lots. Errors: forbidden, validation_error, conflict.';

create function api.admin_update_parking_lot(p_admin_id uuid, p_parking_lot_id uuid, p_changes jsonb, p_if_match text default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_difference jsonb;
begin
  perform private.lock_admin(p_admin_id, 'lots');
  perform private.locked_lot(p_parking_lot_id, p_if_match);
  v_difference := private.apply_lot_changes(p_parking_lot_id, p_changes);
  if v_difference <> '{}' then
    perform private.record_act(p_admin_id, 'parking_lot.update', 'parking_lot', p_parking_lot_id::text, null, v_difference);
  end if;
  return private.console_lot_json(p_parking_lot_id);
end
$$;

comment on function api.admin_update_parking_lot(uuid, uuid, jsonb, text) is
  'Changes the fields of a lot that p_changes has (null empties one), also its status: private.console_lot_json. Idempotent. Recorded unless nothing changes. For administrators with the area lots. Errors: forbidden, lot_not_found, precondition_failed, validation_error, conflict.';

create function api.admin_delete_parking_lot(p_admin_id uuid, p_parking_lot_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_lot public.parking_lots;
begin
  perform private.lock_admin(p_admin_id, 'lots');
  perform private.lock_lot_assets(p_parking_lot_id);
  -- A user who starts a session waits, and finds the lot closed or deleted.
  select * into v_lot from public.parking_lots where id = p_parking_lot_id for update;
  if not found then
    perform private.reject_missing_lot();
  end if;
  if exists (select from public.parking_sessions s where s.parking_lot_id = p_parking_lot_id) then
    if v_lot.status <> 'closed' then
      update public.parking_lots set status = 'closed' where id = p_parking_lot_id;
      perform private.record_act(p_admin_id, 'parking_lot.close', 'parking_lot', p_parking_lot_id::text, null,
        jsonb_build_object('status', jsonb_build_object('old', v_lot.status, 'new', 'closed')));
    end if;
    return jsonb_build_object('id', p_parking_lot_id, 'deleted', false, 'status', 'closed');
  end if;
  perform private.delete_lot(p_parking_lot_id);
  perform private.record_act(p_admin_id, 'parking_lot.delete', 'parking_lot', p_parking_lot_id::text, null,
    private.difference(private.lot_fields_json(v_lot), null));
  return jsonb_build_object('id', p_parking_lot_id, 'deleted', true, 'status', null);
end
$$;

comment on function api.admin_delete_parking_lot(uuid, uuid) is
  'Deletes a lot with all its data, or closes it when it has parking sessions: {id, deleted, status}. Closing again changes nothing; a deleted lot is lot_not_found. Recorded. For administrators with the area lots. Errors: forbidden, lot_not_found.';
