-- Activity log of administrators: every act of an administrator through the interface is recorded.
--
-- The functions of the console are api.admin_*. Only the service may execute them: the function `admin` verifies the
-- administrator's token and passes their id as p_admin_id, and so does a back office with the service key. Each function
-- starts with private.check_admin (reads) or private.lock_admin (writes). After a change it ends with private.record_act,
-- in the same transaction. An error rolls back the act and its record together.
--
-- Invariants: only the owner of the table changes or deletes a record, and only at the withdrawal of a user: the user's
-- values are removed from the record, the act stays. No foreign keys: a record stays when its target is deleted. Each
-- action is a code of the category admin_action.
-- Interface: private.record_act, private.difference, private.require_match, private.check_decision,
-- private.add_admin_actions for the other domains; api.run_admin_command and api.check_administrator for the function
-- `admin`; api.admin_list_activity_logs.

-- For migrations: adds codes of the category admin_action, each ["<code>", "<Japanese label>", "<English label>"].
create function private.add_admin_actions(p_actions jsonb) returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into public.codes (category_id, code, lang, display_label, sort_order)
  select 'admin_action', a.action ->> 0, l.lang, a.action ->> l.place, h.highest + 10 * a.nth
  from jsonb_array_elements(p_actions) with ordinality as a (action, nth)
  cross join (values ('ja', 1), ('en', 2)) as l (lang, place)
  cross join (select coalesce(max(sort_order), 0) as highest from public.codes where category_id = 'admin_action') h;
end
$$;

-- Locked before the row of any administrator by a transaction that may remove the area admins: such transactions run one
-- after another.
create function private.lock_area_admins() returns void
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtext('private.lock_area_admins'));
end
$$;

-- private.check_admin for functions that write: locks the administrator's row until the transaction ends, so that they
-- are not suspended and lose no area meanwhile. Writers of the area admins run one after another.
create function private.lock_admin(p_admin_id uuid, p_area text) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- Two administrators who change each other would wait for each other's row.
  if p_area = 'admins' then
    perform private.lock_area_admins();
  end if;
  perform from public.admins where id = p_admin_id for share;
  perform private.check_admin(p_admin_id, p_area);
end
$$;

-- Records an act of an administrator, in the transaction of the act. p_user_id is the app user whom it concerns: personal
-- data in p_changes must be theirs.
create function private.record_act(
  p_admin_id uuid, p_action text, p_target_type text, p_target_id text,
  p_user_id uuid default null, p_changes jsonb default '{}'
) returns void
language plpgsql
security definer -- no other function writes to the table
set search_path = ''
as $$
begin
  if not exists (select from public.codes where category_id = 'admin_action' and code = p_action) then
    raise exception 'There is no code % in the category admin_action', p_action;
  end if;
  insert into public.admin_activity_logs (admin_id, action, target_type, target_id, user_id, changes, request_id)
  values (
    p_admin_id, p_action, p_target_type, p_target_id, p_user_id, coalesce(p_changes, '{}'),
    nullif(current_setting('request.headers', true), '')::jsonb ->> 'x-request-id'
  );
end
$$;

-- Removes the personal data of a user who withdraws from the records of acts: the names of changed fields stay, their
-- values are removed.
create function private.clear_act_values(p_user_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  update public.admin_activity_logs l
  set changes = (select coalesce(jsonb_object_agg(k.field, null), '{}') from jsonb_object_keys(l.changes) as k (field))
  where l.user_id = p_user_id and l.changes <> '{}';
end
$$;

create function api.run_admin_command(
  p_admin_id uuid,
  p_command text,
  p_arguments jsonb default '{}',
  p_key text default null,
  p_fingerprint text default null,
  p_nth integer default 1
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_taken jsonb;
  v_reply jsonb;
begin
  -- From here on the administrator is the caller: their keys, their quota.
  perform set_config('request.jwt.claims', jsonb_build_object('role', 'service_role', 'sub', p_admin_id)::text, true);
  v_taken := private.count_request('admin_write', private.caller()::text);
  if (v_taken -> 'allowed')::boolean then
    v_reply := private.call_returning_errors(p_command, p_arguments || jsonb_build_object('p_admin_id', p_admin_id), p_key, p_fingerprint, p_nth);
  end if;
  return private.counted_reply(v_taken, v_reply);
end
$$;

comment on function api.run_admin_command(uuid, text, jsonb, text, text, integer) is
  'api.run_command for an administrator: counts the request under the policy admin_write and runs a function api.admin_* with p_admin_id, once for each key if there is one. For the service only. Errors: unauthorized, forbidden, validation_error, not_found, conflict, rate_limited. The errors of the function come on top.';

create function api.check_administrator(p_admin_id uuid, p_area text default null) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, p_area);
end
$$;

comment on function api.check_administrator(uuid, text) is
  'Raises forbidden unless p_admin_id is an active administrator with the area; without an area: any active administrator. The function `admin` calls it before it rejects a request for its form. Errors: forbidden.';

create function api.admin_list_activity_logs(
  p_admin_id uuid,
  p_by_admin_id uuid default null,
  p_user_id uuid default null,
  p_action text default null,
  p_target_id text default null,
  p_from timestamptz default null,
  p_to timestamptz default null,
  p_include text[] default '{}',
  p_cursor text default null,
  p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_areas constant text[] := private.areas_of(p_admin_id);
begin
  perform private.check_admin(p_admin_id, null);
  return private.list_rows('public.admin_activity_logs', '{created_at timestamptz,id uuid}', 'desc', jsonb_build_object(
    'r.admin_id = %s::uuid', p_by_admin_id,
    'r.user_id = %s::uuid', p_user_id,
    'r.action = %s', p_action,
    'r.target_id = %s', p_target_id,
    'r.created_at >= %s::timestamptz', p_from,
    'r.created_at < %s::timestamptz', p_to,
    'private.area_of_act(r.action) = any (string_to_array(%s, '',''))',
    case when not v_areas @> private.admin_areas() then array_to_string(v_areas, ',') end
  ), p_include, p_cursor, p_limit, p_is_capped => true, p_max_limit => 1000);
end
$$;

comment on function api.admin_list_activity_logs(uuid, uuid, uuid, text, text, timestamptz, timestamptz, text[], text, integer) is
  'Acts of administrators, newest first: {items, next_cursor}, and total (counted up to 10,000) with total_is_exact when p_include has it; p_from is included, p_to is not. Up to 1,000 a page. Only acts of the administrator''s areas. Errors: forbidden, validation_error.';
