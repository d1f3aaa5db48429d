-- Sets of a lot are replaced with a reason, which the record of the act keeps.
--
-- The definitions are those of supabase/schemas after this change. The way back is a file of its own.

set lock_timeout = '2s';
drop function api.admin_put_parking_lot_set(uuid, uuid, text, jsonb, text);

create function api.admin_put_parking_lot_set(
  p_admin_id uuid, p_parking_lot_id uuid, p_set text, p_items jsonb, p_if_match text default null, p_reason text default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_reason text;
  v_old jsonb;
  v_new jsonb;
begin
  perform private.lock_admin(p_admin_id, 'lots');
  if (private.lot_set_bounds(p_set)).table_name is null then
    perform private.raise_error('validation_error', 422, 'Must be the name of a set of a lot, for example windows.', p_param => 'set');
  end if;
  if p_set = 'images' then
    perform private.check_set_items(p_set, p_items);
    perform private.lock_lot_assets(p_parking_lot_id, array(select (i ->> 'asset_id')::uuid from jsonb_array_elements(p_items) as i));
  end if;
  perform private.held_lot(p_parking_lot_id, p_if_match);
  v_reason := private.decision_reason(p_reason);
  v_old := private.lot_set_json(p_parking_lot_id, p_set);
  perform private.store_set(p_admin_id, p_parking_lot_id, p_set, p_items);
  v_new := private.lot_set_json(p_parking_lot_id, p_set);
  if v_new <> v_old then
    update public.parking_lots set updated_at = now() where id = p_parking_lot_id;
    perform private.record_act(p_admin_id, 'parking_lot.update', 'parking_lot', p_parking_lot_id::text, null,
      jsonb_build_object(p_set, jsonb_build_object('old', v_old, 'new', v_new))
        || case when v_reason is null then '{}' else jsonb_build_object('reason', v_reason) end);
  end if;
  return private.console_lot_json(p_parking_lot_id);
end
$$;

comment on function api.admin_put_parking_lot_set(uuid, uuid, text, jsonb, text, text) is
  'Replaces a set of a lot (spots, pricing_groups, pricing_rules, windows, date_overrides, tags, images) by p_items: private.console_lot_json, with its new updated_at. Idempotent. Recorded with the old and the new set and p_reason (up to 500 characters), unless nothing changes. For administrators with the area lots. Errors: forbidden, lot_not_found, precondition_failed, validation_error, conflict.';
