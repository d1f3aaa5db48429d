-- Acts of administrators on the account of an app user (area users): suspend and reactivate, grant premium, export,
-- withdraw.
--
-- Each act is recorded, and all but the export have a reason. Administrators cannot change their own account. A suspended
-- app user may still sign in and read GET /v1/me, which has the status. Every other function rejects them, so no session
-- has to be ended.
--
-- An export is two functions: admin_export_user records it, and admin_read_user_export returns the data for a day, to the
-- administrator of the record. So a repeated request is one act, and the data are not stored for it.
--
-- Invariants: a change of the status is one of private.allowed_moves. An active administrator cannot be withdrawn: that
-- would remove an administrator, which only the area admins may.
-- Interface: api.admin_suspend_user, admin_reactivate_user, admin_set_user_premium, admin_withdraw_user, admin_export_user,
-- admin_read_user_export, admin_list_user_activity_logs; for the other domains private.required_reason.

-- The account of an app user for an administrator's act, of any status, locked until the transaction ends. An
-- administrator without an app account has none. p_param is the field of the user's id. Errors: not_found.
create function private.lock_app_user(p_user_id uuid, p_param text) returns public.app_users
language plpgsql
set search_path = ''
as $$
declare
  v_user public.app_users;
begin
  select * into v_user from public.app_users u where u.id = p_user_id for no key update;
  if not found then
    perform private.raise_error('not_found', 404, 'There is no such app user.', p_param => p_param);
  end if;
  return v_user;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Acts on users
-- ---------------------------------------------------------------------------------------------------------------------

-- Suspends an app user, or reactivates them, as an act of an administrator. Errors: forbidden, validation_error,
-- not_found, conflict, precondition_failed.
create function private.set_user_status(p_admin_id uuid, p_id uuid, p_status text, p_reason text, p_if_match text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_reason text;
  v_before public.app_users;
  v_after public.app_users;
begin
  perform private.require_another(p_admin_id, p_id);
  v_reason := private.required_reason(p_reason);
  v_before := private.lock_app_user(p_id, 'id');
  perform private.require_match(p_if_match, v_before.updated_at);
  perform private.check_move('account', v_before.status, p_status);
  update public.app_users set status = p_status where id = p_id returning * into v_after;
  perform private.record_act(
    p_admin_id, case p_status when 'suspended' then 'user.suspend' else 'user.reactivate' end, 'app_user', p_id::text, p_id,
    private.difference(to_jsonb(v_before), to_jsonb(v_after)) || jsonb_build_object('reason', v_reason)
  );
  return private.admin_user(p_id);
end
$$;

-- Deletes the stored replies to administrators about an app user who withdraws. A retry runs again, and finds the account
-- withdrawn.
create function private.delete_admin_replies(p_user_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  delete from private.idempotency_replies r using public.admins a
  -- No reply about a user is larger; those of imports are, and are not read.
  where r.user_id = a.id and pg_column_size(r.reply) <= 131072 and strpos(r.reply::text, p_user_id::text) > 0;
end
$$;

create function api.admin_suspend_user(p_admin_id uuid, p_id uuid, p_reason text, p_if_match text default null) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_admin(p_admin_id, 'users');
  return private.set_user_status(p_admin_id, p_id, 'suspended', p_reason, p_if_match);
end
$$;

comment on function api.admin_suspend_user(uuid, uuid, text, text) is
  'Suspends an active app user and returns them as admin_read_user does. They may only sign in and read their account. Records the act user.suspend with the reason. Errors: forbidden, validation_error, not_found, conflict, precondition_failed.';

create function api.admin_reactivate_user(p_admin_id uuid, p_id uuid, p_reason text, p_if_match text default null) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_admin(p_admin_id, 'users');
  return private.set_user_status(p_admin_id, p_id, 'active', p_reason, p_if_match);
end
$$;

comment on function api.admin_reactivate_user(uuid, uuid, text, text) is
  'Reactivates a suspended app user and returns them as admin_read_user does. Records the act user.reactivate with the reason. Errors: forbidden, validation_error, not_found, conflict, precondition_failed.';

create function api.admin_set_user_premium(
  p_admin_id uuid, p_id uuid, p_until timestamptz, p_reason text, p_if_match text default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_reason text;
  v_before public.app_users;
  v_after public.app_users;
begin
  perform private.lock_admin(p_admin_id, 'users');
  perform private.require_another(p_admin_id, p_id);
  v_reason := private.required_reason(p_reason);
  if p_until <= now() or p_until >= '2100-01-01 00:00:00+00' then
    perform private.raise_error('validation_error', 422, 'until must be in the future and before 2100.', p_param => 'until');
  end if;
  v_before := private.lock_app_user(p_id, 'id');
  perform private.require_match(p_if_match, v_before.updated_at);
  if v_before.status = 'withdrawn' then
    perform private.raise_error('conflict', 409, 'A withdrawn account cannot have premium.', p_param => 'id',
      p_details => '{"reason": "account_not_active", "status": "withdrawn"}');
  end if;
  v_after := v_before;
  if v_before.granted_premium_ends_at is distinct from p_until then
    update public.app_users set granted_premium_ends_at = p_until where id = p_id returning * into v_after;
    perform private.refresh_premium(p_id);
  end if;
  perform private.record_act(p_admin_id, 'user.set_premium', 'app_user', p_id::text, p_id,
    private.difference(to_jsonb(v_before), to_jsonb(v_after)) || jsonb_build_object('reason', v_reason));
  return private.admin_user(p_id);
end
$$;

comment on function api.admin_set_user_premium(uuid, uuid, timestamptz, text, text) is
  'Grants an app user premium until a time, in place of an earlier grant, or removes the grant (p_until null), and returns them as admin_read_user does. Premium by subscriptions stays. Also for a suspended user. Idempotent. Records the difference as user.set_premium with the reason, also when nothing changes. Errors: forbidden, validation_error, not_found, conflict, precondition_failed.';

create function api.admin_withdraw_user(p_admin_id uuid, p_id uuid, p_reason text) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_reason text;
  v_user public.app_users;
begin
  perform private.lock_admin(p_admin_id, 'users');
  perform private.require_another(p_admin_id, p_id);
  v_reason := private.required_reason(p_reason);
  -- The administrator's row first, as the functions that change administrators lock them.
  perform from public.admins a where a.id = p_id for no key update;
  perform private.lock_sign_in(p_id);
  v_user := private.lock_app_user(p_id, 'id');
  if exists (select from public.admins a where a.id = p_id and a.status = 'active') then
    perform private.raise_error('conflict', 409, 'This app user is an administrator. Suspend the administrator first.',
      p_param => 'id', p_details => '{"reason": "is_administrator"}');
  end if;
  perform private.check_move('account', v_user.status, 'withdrawn');
  -- Recorded first: the withdrawal removes the values, also the reason, from the record.
  perform private.record_act(p_admin_id, 'user.withdraw', 'app_user', p_id::text, p_id,
    private.difference(jsonb_build_object('status', v_user.status), '{"status": "withdrawn"}')
      || jsonb_build_object('reason', v_reason));
  perform private.empty_account(p_id);
end
$$;

comment on function api.admin_withdraw_user(uuid, uuid, text) is
  'Ends the account of an app user permanently, as withdraw_my_account does for its caller. Records the act user.withdraw; the withdrawal removes its reason with the other values. Not for an active administrator (conflict, is_administrator). Errors: forbidden, validation_error, not_found, conflict.';

create function api.admin_export_user(p_admin_id uuid, p_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_admin(p_admin_id, 'users');
  perform private.lock_app_user(p_id, 'id');
  perform private.record_act(p_admin_id, 'user.export', 'app_user', p_id::text, p_id);
  return jsonb_build_object('id', p_id);
end
$$;

comment on function api.admin_export_user(uuid, uuid) is
  'Records the act user.export: for a day the administrator may read the data about the app user, by admin_read_user_export. Returns {id}. Errors: forbidden, not_found.';

create function api.admin_read_user_export(p_admin_id uuid, p_id uuid, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'users');
  -- An hour longer than an idempotency key is valid: the request that recorded the act may be repeated with its key.
  if not exists (
    select from public.admin_activity_logs l
    where l.user_id = p_id and l.created_at > now() - interval '25 hours'
      and l.admin_id = p_admin_id and l.action = 'user.export'
  ) then
    perform private.raise_error('conflict', 409, 'No export of this app user is recorded. Record one first.', p_param => 'id',
      p_details => '{"reason": "export_not_recorded"}');
  end if;
  return (
    select json_build_object('account', private.account_row(s.user_id, s.email, private.avatar_of(s.user_id)),
      'data', p.data, 'next_cursor', p.next_cursor)
    from private.data_page(p_id, p_cursor) p cross join private.sign_ins_of(array[p_id]) s
  );
end
$$;

comment on function api.admin_read_user_export(uuid, uuid, text) is
  'The next page of the data about an app user, as export_my_data returns it to them: {account, data, next_cursor}. For a day after admin_export_user. Reads only. Errors: forbidden, validation_error, conflict.';

create function api.admin_list_user_activity_logs(
  p_admin_id uuid, p_id uuid, p_include text[] default '{}', p_cursor text default null, p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'users');
  if not exists (select from public.app_users u where u.id = p_id) then
    perform private.raise_error('not_found', 404, 'There is no such app user.', p_param => 'id');
  end if;
  return api.admin_list_activity_logs(
    p_admin_id, p_user_id => p_id, p_include => p_include, p_cursor => p_cursor, p_limit => private.page_limit(p_limit)
  );
end
$$;

comment on function api.admin_list_user_activity_logs(uuid, uuid, text[], text, integer) is
  'Acts of administrators that concern an app user, newest first: {items, next_cursor}, and total when p_include has it. Reads only. Errors: forbidden, validation_error, not_found.';
