-- Administrators, managed by administrators (area admins): list, change, suspend.
--
-- An administrator is a row of public.admins and the object `admin` of the app metadata of their auth user. Both are
-- equal after every transaction: writes of the auth server to the metadata go to the row (accounts/accounts.sql), and
-- writes to the row go to the metadata (here). The console writes the row.
--
-- Invariants: administrators cannot suspend themselves, give themselves an area or remove the area admins from themselves. Changes run one after
-- another (private.lock_admin), each by an active administrator with the area. The withdrawal of an administrator with an
-- app account runs in turn with these changes, and not for the last one with the area. So at least one of them is left
-- after each change through the console and after each withdrawal. The service key at the auth server has none of these
-- limits: with it an installation gets its first administrator, and can restore one. The records of acts have
-- administrators' names under user_id: an administrator may have an app account too.
-- Interface: api.admin_list_admins, admin_get_admin, admin_update_admin, admin_suspend_admin, admin_reactivate_admin,
-- admin_reset_second_factor; for withdrawal (accounts/withdrawal.sql) private.lock_leaving_admin.

-- Writes a change of an administrator into the app metadata of their auth user, unless it came from there.
create function private.tg_admins__write_metadata() returns trigger
language plpgsql
security definer -- auth.users is the identity provider's; only the object `admin` of the row's own user is written
set search_path = ''
as $$
begin
  update auth.users u
  set raw_app_meta_data = coalesce(u.raw_app_meta_data, '{}') || jsonb_build_object('admin', v.admin), updated_at = now()
  from (select jsonb_build_object('name', new.name, 'areas', new.areas, 'status', new.status) as admin) v
  where u.id = new.id and case
    -- Without the object the administrator is suspended and has no areas (200): then it is not written again.
    when coalesce(u.raw_app_meta_data -> 'admin', 'null') = 'null' then new.status <> 'suspended' or new.areas <> '{}'
    -- The auth server's value may be equal in another form: areas in another order, no status.
    else v.admin <> jsonb_build_object(
      'name', u.raw_app_meta_data #> '{admin,name}',
      'areas', (
        select coalesce(jsonb_agg(distinct area order by area), '[]')
        from jsonb_array_elements_text(coalesce(u.raw_app_meta_data #> '{admin,areas}', '[]')) as area
      ),
      'status', coalesce(u.raw_app_meta_data #> '{admin,status}', '"active"')
    )
  end;
  return null;
end
$$;

-- E-mail address, invitation, last sign-in and second factor of administrators; no row for other users.
create function private.admin_sign_ins(p_ids uuid[])
returns table (id uuid, email text, invited_at timestamptz, last_sign_in_at timestamptz, has_second_factor boolean)
language plpgsql stable
security definer -- auth.users is the identity provider's; returns only the sign-in data of administrators
set search_path = ''
as $$
begin
  return query
  select u.id, u.email::text, u.invited_at, u.last_sign_in_at,
    exists (select from auth.mfa_factors f where f.user_id = u.id and f.status = 'verified')
  from auth.users u join public.admins a on a.id = u.id
  where u.id = any (p_ids);
end
$$;

-- Administrators as the console returns them, newest first; null for an empty list.
create function private.admin_rows(p_ids uuid[]) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select jsonb_agg(jsonb_build_object(
      'id', a.id, 'email', s.email, 'name', a.name, 'status', a.status, 'areas', a.areas, 'invited_at', s.invited_at,
      'last_sign_in_at', s.last_sign_in_at, 'has_second_factor', s.has_second_factor, 'created_at', a.created_at, 'updated_at', a.updated_at
    ) order by a.created_at desc, a.id desc)
    from public.admins a left join private.admin_sign_ins(p_ids) s on s.id = a.id
    where a.id = any (p_ids)
  );
end
$$;

-- One administrator as the console returns them. Errors: not_found.
create function private.console_admin(p_id uuid) returns jsonb
language sql stable
return private.require_row(private.admin_rows(array[p_id]) -> 0, 'There is no such administrator.');

-- For a user whose account is about to end. If they are an administrator, locks their row until the transaction ends.
-- Raises conflict if they are the only active one with the area admins. Errors: conflict.
create function private.lock_leaving_admin(p_user_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_admin public.admins;
begin
  if not exists (select from public.admins a where a.id = p_user_id) then
    return;
  end if;
  perform private.lock_area_admins();
  -- The row before the auth user: as in every change of an administrator.
  select * into v_admin from public.admins a where a.id = p_user_id for no key update;
  if v_admin.status = 'active' and 'admins' = any (v_admin.areas) and not exists (
    select from public.admins a where a.id <> p_user_id and a.status = 'active' and 'admins' = any (a.areas)
  ) then
    perform private.raise_error('conflict', 409, 'No other administrator has the area admins. Give it to another administrator first.',
      p_details => '{"reason": "last_administrator"}');
  end if;
end
$$;

-- Checks the name and areas of an administrator. Errors: validation_error.
create function private.check_admin_fields(p_fields jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_areas constant jsonb := case when p_fields ? 'areas' then p_fields -> 'areas' else '[]' end;
begin
  perform private.check_fields('public.admins', jsonb_build_object('name', p_fields -> 'name'), '{name}');
  if jsonb_typeof(v_areas) <> 'array' or not v_areas <@ to_jsonb(private.admin_areas()) then
    perform private.raise_error('validation_error', 422, format('areas must be a list of some of %s.', to_jsonb(private.admin_areas())), p_param => 'areas');
  end if;
end
$$;

-- Areas as the rows of administrators have them: unique and sorted.
create function private.sorted_areas(p_areas jsonb) returns text[]
language plpgsql immutable
set search_path = ''
as $$
begin
  return array(select distinct area from jsonb_array_elements_text(p_areas) as area order by area);
end
$$;

-- Suspends or reactivates an administrator, and returns the difference. Errors: forbidden, not_found, conflict.
create function private.set_admin_status(p_admin_id uuid, p_id uuid, p_status text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_before constant public.admins := private.locked_row(null::public.admins, jsonb_build_object('id', p_id), 'administrator');
  v_after public.admins;
begin
  if v_before.id = p_admin_id then
    perform private.raise_error('forbidden', 403, 'Administrators cannot change their own status. Another administrator must do it.',
      p_details => '{"reason": "own_account"}');
  elsif v_before.status = p_status then
    perform private.raise_error('conflict', 409, format('The administrator is %s already.', p_status), p_param => 'status',
      p_details => jsonb_build_object('reason', 'status_not_reachable', 'status', v_before.status,
        'allowed', jsonb_build_array(case p_status when 'active' then 'suspended' else 'active' end)));
  end if;
  update public.admins set status = p_status where id = p_id returning * into v_after;
  return private.difference(to_jsonb(v_before), to_jsonb(v_after));
end
$$;

-- Removes the second factors of an administrator and ends their sessions. Their access tokens are valid until they expire.
create function private.remove_second_factors(p_id uuid) returns void
language plpgsql
security definer -- the factors and sessions are the identity provider's; only those of an administrator are deleted
set search_path = ''
as $$
begin
  delete from auth.mfa_factors f using public.admins a where a.id = p_id and f.user_id = a.id;
  delete from auth.sessions s using public.admins a where a.id = p_id and s.user_id = a.id;
end
$$;

create function api.admin_list_admins(
  p_admin_id uuid, p_status text default null, p_area text default null, p_include text[] default '{}',
  p_cursor text default null, p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'admins');
  perform private.check_choice('status', p_status, '{active,suspended}');
  perform private.check_choice('area', p_area, private.admin_areas());
  return private.list_rows('public.admins', '{created_at timestamptz,id uuid}', 'desc',
    jsonb_build_object('r.status = %s', p_status, '%s = any (r.areas)', p_area), p_include, p_cursor, p_limit,
    p_rows => 'private.admin_rows(array_agg((r).id))');
end
$$;

comment on function api.admin_list_admins(uuid, text, text, text[], text, integer) is
  'Administrators, newest first: {items, next_cursor}, and total when p_include has it. Area admins. Errors: forbidden, validation_error.';

create function api.admin_get_admin(p_admin_id uuid, p_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'admins');
  return private.console_admin(p_id);
end
$$;

comment on function api.admin_get_admin(uuid, uuid) is 'One administrator. Area admins. Errors: forbidden, not_found.';

create function api.admin_update_admin(p_admin_id uuid, p_id uuid, p_changes jsonb, p_if_match text default null) returns jsonb
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

comment on function api.admin_update_admin(uuid, uuid, jsonb, text) is
  'Changes the fields of an administrator that p_changes has (name, which may be null, and areas) and returns them; the app metadata of the auth user changes too. Idempotent. Recorded. Area admins. Errors: forbidden, validation_error, not_found, precondition_failed.';

create function api.admin_suspend_admin(p_admin_id uuid, p_id uuid, p_reason text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_reason text;
  v_difference jsonb;
begin
  perform private.lock_admin(p_admin_id, 'admins');
  v_reason := private.required_reason(p_reason);
  v_difference := private.set_admin_status(p_admin_id, p_id, 'suspended');
  perform private.record_act(p_admin_id, 'admin.suspend', 'admin', p_id::text, p_id,
    v_difference || jsonb_build_object('reason', v_reason));
  return private.console_admin(p_id);
end
$$;

comment on function api.admin_suspend_admin(uuid, uuid, text) is
  'Suspends an administrator and returns them: their next request is rejected, with any token. Recorded with the reason. Area admins. Errors: forbidden, validation_error, not_found, conflict.';

create function api.admin_reactivate_admin(p_admin_id uuid, p_id uuid, p_reason text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_reason text;
  v_difference jsonb;
begin
  perform private.lock_admin(p_admin_id, 'admins');
  v_reason := private.required_reason(p_reason);
  v_difference := private.set_admin_status(p_admin_id, p_id, 'active');
  perform private.record_act(p_admin_id, 'admin.reactivate', 'admin', p_id::text, p_id,
    v_difference || jsonb_build_object('reason', v_reason));
  return private.console_admin(p_id);
end
$$;

comment on function api.admin_reactivate_admin(uuid, uuid, text) is
  'Reactivates a suspended administrator, with their former areas, and returns them. Recorded with the reason. Area admins. Errors: forbidden, validation_error, not_found, conflict.';

create function api.admin_reset_second_factor(p_admin_id uuid, p_id uuid, p_reason text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_reason text;
begin
  perform private.lock_admin(p_admin_id, 'admins');
  v_reason := private.required_reason(p_reason);
  perform private.locked_row(null::public.admins, jsonb_build_object('id', p_id), 'administrator');
  if p_id = p_admin_id then
    perform private.raise_error('forbidden', 403, 'Administrators cannot reset their own second factor. Another administrator must do it.',
      p_details => '{"reason": "own_account"}');
  end if;
  perform private.remove_second_factors(p_id);
  perform private.record_act(p_admin_id, 'admin.reset_second_factor', 'admin', p_id::text, p_id, jsonb_build_object('reason', v_reason));
  return private.console_admin(p_id);
end
$$;

comment on function api.admin_reset_second_factor(uuid, uuid, text) is
  'Removes the second factors of another administrator, ends their sessions, and returns them: at the next sign-in they enroll again. Recorded with the reason. Area admins. Errors: forbidden, validation_error, not_found.';
