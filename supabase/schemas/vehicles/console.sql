-- Search presets of an app user, managed by administrators (area search_presets).
--
-- The rules of a preset are those of vehicles/presets.sql, whose functions are called here for the owner. Each act is
-- recorded, reading too. Presets of a suspended app user can be read and not changed: their owner may not change them
-- either. A withdrawn app user has none.
--
-- Invariants: those of presets that their owner writes; an act and its record are one transaction.
-- Interface: api.admin_list_search_presets, admin_create_search_preset, admin_update_search_preset,
-- admin_delete_search_preset, admin_set_default_search_preset; for the other domains private.lock_app_user.

-- Locks the account of the owner of presets that an administrator changes. Errors: not_found; conflict when it is not
-- active.
create function private.lock_preset_owner(p_user_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_status text := (private.lock_app_user(p_user_id, 'user_id')).status;
begin
  if v_status <> 'active' then
    perform private.raise_error('conflict', 409, format('The presets of a %s account cannot be changed.', v_status),
      p_param => 'user_id', p_details => jsonb_build_object('reason', 'account_not_active', 'status', v_status));
  end if;
end
$$;

-- The preset that an administrator changes. Its owner's account is locked, so that no one else changes their presets.
-- Errors: forbidden, not_found, conflict.
create function private.preset_for_admin(p_id uuid) returns public.search_presets
language plpgsql
set search_path = ''
as $$
declare
  v_owner_id uuid;
begin
  select s.user_id into v_owner_id from public.search_presets s where s.id = p_id and s.deleted_at is null;
  if not found then
    perform private.raise_error('not_found', 404, 'There is no such preset.', p_param => 'id');
  end if;
  perform private.lock_preset_owner(v_owner_id);
  return private.locked_preset(v_owner_id, p_id);
end
$$;

-- private.record_act for an act on a preset.
create function private.record_preset_act(
  p_admin_id uuid, p_action text, p_preset public.search_presets, p_changes jsonb
) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.record_act(p_admin_id, p_action, 'search_preset', p_preset.id::text, p_preset.user_id, p_changes);
end
$$;

create function api.admin_list_search_presets(p_admin_id uuid, p_user_id uuid, p_page integer default 1, p_limit integer default 20)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_presets jsonb;
begin
  perform private.lock_admin(p_admin_id, 'search_presets');
  perform private.page_limit(p_limit);
  if p_page is null or p_page not between 1 and 1000000 then
    perform private.raise_error('validation_error', 422, 'page must be between 1 and 1000000.', p_param => 'page');
  elsif not exists (select from public.app_users u where u.id = p_user_id) then
    perform private.raise_error('not_found', 404, 'There is no such app user.', p_param => 'user_id');
  end if;
  -- An app user has at most twenty.
  select coalesce(jsonb_agg(private.preset_row(s) order by s.sort_order, s.created_at, s.id), '[]') into v_presets
  from public.search_presets s where s.user_id = p_user_id and s.deleted_at is null;
  perform private.record_act(p_admin_id, 'user.view_search_presets', 'app_user', p_user_id::text, p_user_id);
  return jsonb_build_object('total', jsonb_array_length(v_presets), 'items', coalesce((
    select jsonb_agg(p.preset order by p.place) from jsonb_array_elements(v_presets) with ordinality as p (preset, place)
    where p.place > (p_page - 1)::bigint * p_limit and p.place <= p_page::bigint * p_limit
  ), '[]'));
end
$$;

comment on function api.admin_list_search_presets(uuid, uuid, integer, integer) is
  'Presets of an app user by sort_order, then age: {items, total}, page p_page of p_limit each. Also of a suspended app user; a withdrawn one has none. Records the act user.view_search_presets, each time. Errors: forbidden, validation_error, not_found.';

create function api.admin_create_search_preset(
  p_admin_id uuid, p_user_id uuid, p_name text, p_query_json jsonb, p_is_default boolean default false,
  p_sort_order integer default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_preset public.search_presets;
begin
  perform private.lock_admin(p_admin_id, 'search_presets');
  perform private.lock_preset_owner(p_user_id);
  v_preset := private.create_preset(p_user_id, p_name, p_query_json, p_is_default, p_sort_order);
  perform private.record_preset_act(p_admin_id, 'user.create_search_preset', v_preset,
    private.difference(null, private.preset_row(v_preset) - '{id,user_id}'::text[]));
  return private.preset_row(v_preset);
end
$$;

comment on function api.admin_create_search_preset(uuid, uuid, text, jsonb, boolean, integer) is
  'Creates a preset of an active app user and returns it; without p_sort_order it is the last. The first preset is always the default. At most twenty. Records the act user.create_search_preset. Errors: forbidden, validation_error, not_found, conflict.';

create function api.admin_update_search_preset(
  p_admin_id uuid, p_id uuid, p_name text default null, p_query_json jsonb default null, p_sort_order integer default null,
  p_if_match text default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_before public.search_presets;
  v_after public.search_presets;
  v_changes jsonb;
begin
  perform private.lock_admin(p_admin_id, 'search_presets');
  v_before := private.preset_for_admin(p_id);
  perform private.require_match(p_if_match, v_before.updated_at);
  v_after := private.update_preset(v_before.user_id, p_id, p_name, p_query_json, p_sort_order);
  v_changes := private.difference(private.preset_row(v_before), private.preset_row(v_after));
  if v_changes <> '{}' then
    perform private.record_preset_act(p_admin_id, 'user.update_search_preset', v_after, v_changes);
  end if;
  return private.preset_row(v_after);
end
$$;

comment on function api.admin_update_search_preset(uuid, uuid, text, jsonb, integer, text) is
  'Changes the arguments that are not null of a preset of an active app user and returns it; a query is replaced completely. Idempotent. Records the difference as user.update_search_preset. Errors: forbidden, validation_error, not_found, conflict, precondition_failed.';

create function api.admin_delete_search_preset(p_admin_id uuid, p_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_preset public.search_presets;
begin
  perform private.lock_admin(p_admin_id, 'search_presets');
  v_preset := private.preset_for_admin(p_id);
  perform private.delete_preset(v_preset.user_id, p_id);
  -- Neither name nor query: they are deleted with the preset.
  perform private.record_preset_act(p_admin_id, 'user.delete_search_preset', v_preset, '{}');
end
$$;

comment on function api.admin_delete_search_preset(uuid, uuid) is
  'Deletes a preset of an active app user, with its name and query; its row stays, empty. If it was the default, the first of the others becomes the default. Records the act user.delete_search_preset, without the content of the preset. Errors: forbidden, not_found, conflict.';

create function api.admin_set_default_search_preset(p_admin_id uuid, p_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_before public.search_presets;
  v_after public.search_presets;
begin
  perform private.lock_admin(p_admin_id, 'search_presets');
  v_before := private.preset_for_admin(p_id);
  v_after := private.set_default_preset(v_before.user_id, p_id);
  perform private.record_preset_act(p_admin_id, 'user.set_default_search_preset', v_after,
    private.difference(private.preset_row(v_before), private.preset_row(v_after)));
  return private.preset_row(v_after);
end
$$;

comment on function api.admin_set_default_search_preset(uuid, uuid) is
  'Makes a preset of an active app user the default, instead of the other, and returns it. Idempotent. Records the act user.set_default_search_preset, also when it was the default already. Errors: forbidden, not_found, conflict.';
