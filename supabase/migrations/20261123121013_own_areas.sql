-- Administrators cannot give themselves an area: another administrator does. They may give up areas of their own.
--
-- The definitions are those of supabase/schemas after this change. The way back is a file of its own.

create or replace function api.admin_update_admin(p_admin_id uuid, p_id uuid, p_changes jsonb, p_if_match text default null) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_before public.admins;
  v_after public.admins;
  v_difference jsonb;
begin
  perform private.lock_admin(p_admin_id, 'admins');
  if jsonb_typeof(p_changes) is distinct from 'object' then
    perform private.raise_error('validation_error', 422, 'changes must be an object.', p_param => 'changes');
  elsif p_changes - '{name,areas}'::text[] <> '{}' then
    perform private.raise_error('validation_error', 422, 'This field does not exist, or it cannot be changed.',
      p_param => (select min(k) from jsonb_object_keys(p_changes - '{name,areas}'::text[]) as k));
  end if;
  perform private.check_admin_fields(p_changes);
  v_before := private.locked_version(null::public.admins, jsonb_build_object('id', p_id), 'administrator', p_if_match);
  v_after := v_before;
  if p_changes ? 'name' then
    v_after.name := p_changes ->> 'name';
  end if;
  if p_changes ? 'areas' then
    v_after.areas := private.sorted_areas(p_changes -> 'areas');
  end if;
  if p_id = p_admin_id and 'admins' <> all (v_after.areas) then
    perform private.raise_error('forbidden', 403, 'Administrators cannot remove the area admins from themselves. Another administrator must do it.', p_param => 'areas',
      p_details => '{"reason": "own_area"}');
  elsif p_id = p_admin_id and not v_after.areas <@ v_before.areas then
    perform private.raise_error('forbidden', 403, 'Administrators cannot give themselves an area. Another administrator must do it.', p_param => 'areas',
      p_details => '{"reason": "own_area"}');
  end if;
  v_difference := private.difference(to_jsonb(v_before), to_jsonb(v_after));
  if v_difference <> '{}' then
    update public.admins set name = v_after.name, areas = v_after.areas where id = p_id;
    perform private.record_act(p_admin_id, 'admin.update', 'admin', p_id::text, p_id, v_difference);
  end if;
  return private.console_admin(p_id);
end
$$;
