-- Commands: functions that write for an authenticated user.
--
-- Commands are in the schema `commands`, which the Data API does not expose. Clients reach them through api.run_command
-- only. It counts the request under the rate limit policy of the command, runs the command as the caller and, if the
-- request has an idempotency key, stores the reply (requests/idempotency.sql). All of it is one transaction and one round
-- trip. An error that a command raises rolls back what the command did, but not the count.
--
-- Interface: api.run_command for clients and the router, api.read_counted for reads that cost more than a page.

-- Whether the function of this name writes for a client: a function of the schema commands, or an administrator's
-- (api.admin_*).
create function private.is_command(p_function text) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return exists (
    select from pg_catalog.pg_proc
    where proname = p_function and (
      pronamespace = 'commands'::regnamespace
      or pronamespace = 'api'::regnamespace and provolatile = 'v' and proname like 'admin\_%'
    )
  );
end
$$;

-- The area that a function of the console requires; null: none, or no such function.
create function private.area_of(p_function text) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  -- Every function of the console begins with this check (a rule of the catalogue).
  return (
    select substring(p.prosrc from 'perform private\.(?:lock|check)_admin\(p_admin_id, ''([a-z_]+)''\);')
    from pg_catalog.pg_proc p
    where p.pronamespace = 'api'::regnamespace and p.proname = p_function and p.proname like 'admin\_%'
  );
end
$$;

-- Calls a command, or a read-only function of the interface, by name and as the current role. Arguments are read as the
-- Data API reads them, their texts composed; an absent one has its default. Returns the reply as the Data API would, null
-- for none. Errors: validation_error, not_found, and those of the function.
create function private.call_by_name(p_function text, p_arguments jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_function pg_catalog.pg_proc;
  v_names text[];
  v_record text;
  v_call text;
  v_reply jsonb;
begin
  p_arguments := private.composed(p_arguments::text)::jsonb;
  if jsonb_typeof(p_arguments) is distinct from 'object' then
    perform private.raise_error('validation_error', 422, 'arguments must be an object.', p_param => 'arguments');
  end if;
  select * into v_function from pg_catalog.pg_proc
  where proname = p_function
    and (
      pronamespace = 'commands'::regnamespace
      or pronamespace = 'api'::regnamespace
        and (provolatile <> 'v' or current_user = 'service_role' and proname like 'admin\_%')
    );
  select coalesce(array_agg(a.name), '{}'), string_agg(format('%I %s', a.name, format_type(a.type, null)), ', '),
    format('%s(%s)', v_function.oid::regproc, string_agg(format('%1$I => a.%1$I', a.name), ', '))
  into v_names, v_record, v_call
  from unnest(v_function.proargnames[1:v_function.pronargs], v_function.proargtypes::oid[]) as a (name, type)
  where p_arguments ? a.name;
  if v_function.oid is null or exists (select from jsonb_object_keys(p_arguments) as k where k <> all (v_names)) then
    perform private.raise_error('not_found', 404, 'There is no function with this name and these arguments.', p_param => 'function');
  end if;

  v_record := 'from ' || coalesce('jsonb_to_record($1) as a(' || v_record || ')', '(values (1)) as a (none)');
  if v_function.proretset then
    execute format('select coalesce(jsonb_agg(to_jsonb(r)), ''[]'') %s, lateral %s as r', v_record, v_call)
    into v_reply using p_arguments;
  elsif v_function.prorettype = 'void'::regtype then
    execute format('select %s %s', v_call, v_record) using p_arguments;
  else
    execute format('select to_jsonb(%s) %s', v_call, v_record) into v_reply using p_arguments;
  end if;
  return v_reply;
end
$$;

-- Rejects a caller who is neither an active app user nor an active administrator. Errors: unauthorized, forbidden.
create function private.require_active_account() returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if not exists (select from public.admins where id = private.caller() and status = 'active') then
    perform private.active_user();
  end if;
end
$$;

-- Calls a function as the caller, once per key: {replayed, reply}. The first reply of a command is stored for 24 hours,
-- 64 KiB at most; a read stores only its key. Errors: unauthorized, forbidden, validation_error, not_found, conflict,
-- rate_limited, and those of the function.
create function private.run_once(p_key text, p_fingerprint text, p_function text, p_arguments jsonb, p_nth integer) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_user_id uuid := private.caller();
  v_call text := p_function || ' ' || p_nth;
  v_stored jsonb;
  v_reply jsonb;
begin
  if current_user = 'service_role' then
    -- Requests of administrators. Without the area they get neither a stored reply nor information about keys.
    perform private.check_admin(v_user_id, private.area_of(p_function));
  end if;
  if p_key !~ '^[!-~]{1,255}$' then
    perform private.raise_error('validation_error', 422, 'The key must be 1 to 255 visible ASCII characters.', p_param => 'key');
  elsif coalesce(p_fingerprint, '') !~ '^[0-9a-f]{64}$' then
    perform private.raise_error('validation_error', 422, 'The fingerprint must be a SHA-256 in 64 lower-case hexadecimal digits.', p_param => 'fingerprint');
  end if;
  v_stored := private.claim_key(p_key, p_fingerprint, v_call);
  if v_stored is not null and private.is_command(p_function) then
    -- A withdrawn user gets one stored reply, that of the withdrawal. A suspended account is rejected, as everywhere.
    perform private.require_active(s.status)
    from (
      select status from public.app_users where id = v_user_id
      union all
      select status from public.admins where id = v_user_id
    ) s
    where s.status = 'suspended';
    return '{"replayed": true}' || v_stored;
  end if;
  perform private.require_active_account();
  v_reply := coalesce(private.call_by_name(p_function, p_arguments), 'null');
  if v_stored is null then
    -- A read changes nothing: its key is stored, its reply is not.
    perform private.store_reply(p_key, p_fingerprint, v_call, case when private.is_command(p_function) then v_reply else 'null' end);
  end if;
  return jsonb_build_object('replayed', v_stored is not null, 'reply', v_reply);
end
$$;

grant execute on function
  private.is_command(text), private.call_by_name(text, jsonb), private.require_active_account(), private.run_once(text, text, text, jsonb, integer)
to authenticated;
grant execute on function private.call_by_name(text, jsonb), private.is_command(text) to anon;

-- Counts a request of the caller under the policy of the command. Returns what private.count_request returns. Errors:
-- unauthorized.
create function private.count_command(p_command text) returns jsonb
language plpgsql
security definer -- no client may read policies or write windows
set search_path = ''
as $$
begin
  return private.count_request(
    coalesce((select name from private.rate_limit_policies where p_command = any (commands)), 'write'), private.caller()::text
  );
end
$$;

-- The status that the Data API returns to the current role for an error of the classes 22, 23 and 42.
create function private.status_of(p_sqlstate text) returns text
language sql stable
return case when p_sqlstate in ('23503', '23505') then '409' when p_sqlstate = '42883' then '404'
  when p_sqlstate = '42501' then case current_user when 'anon' then '401' else '403' end else '400' end;

grant execute on function private.count_command(text) to authenticated;
grant execute on function private.status_of(text) to anon, authenticated;

-- Calls a function, once per key if there is one: {replayed, reply}. p_nth is 1 to 10. An error of the function rolls
-- back what the function did and is returned with its status: {code, message, details, hint}. A field that a constraint
-- does not allow is a validation_error with its param.
create function private.call_returning_errors(
  p_function text,
  p_arguments jsonb,
  p_key text default null,
  p_fingerprint text default null,
  p_nth integer default 1
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_message text;
  v_detail text;
  v_state text;
  v_schema text;
  v_table text;
  v_column text;
  v_constraint text;
  v_error jsonb;
begin
  if p_nth is null or p_nth not between 1 and 10 then
    perform private.raise_error('validation_error', 422, 'nth must be between 1 and 10.', p_param => 'nth');
  elsif p_key is null then
    return jsonb_build_object('replayed', false, 'reply', private.call_by_name(p_function, p_arguments));
  end if;
  return private.run_once(p_key, p_fingerprint, p_function, p_arguments, p_nth);
exception
  when sqlstate 'PGRST' then
    get stacked diagnostics v_message = message_text, v_detail = pg_exception_detail;
    perform set_config('response.status', v_detail::jsonb ->> 'status', true);
    return '{"hint": null}' || v_message::jsonb;
  when data_exception or integrity_constraint_violation or syntax_error_or_access_rule_violation then
    get stacked diagnostics v_message = message_text, v_detail = pg_exception_detail, v_state = returned_sqlstate,
      v_schema = schema_name, v_table = table_name, v_column = column_name, v_constraint = constraint_name;
    v_error := case when v_state in ('23502', '23514')
      then private.violation_error(p_arguments, to_regclass(format('%I.%I', v_schema, v_table)), v_constraint, v_column) end;
    if v_error is not null then
      perform set_config('response.status', '422', true);
      return jsonb_build_object('code', 'validation_error', 'message', v_error ->> 'message', 'hint', null,
        'details', jsonb_build_object('param', v_error -> 'param')::text);
    end if;
    perform set_config('response.status', private.status_of(v_state), true);
    return jsonb_build_object('code', v_state, 'message', v_message, 'details', v_detail, 'hint', null);
end
$$;

-- The reply to a counted request with its rate_limit (p_count: the result of private.count_request); over the quota the
-- error rate_limited.
create function private.counted_reply(p_count jsonb, p_reply jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform private.set_rate_limit_headers(p_count);
  if not (p_count -> 'allowed')::boolean then
    return private.reply_over_quota(p_count);
  end if;
  return p_reply || jsonb_build_object('rate_limit', p_count);
end
$$;

grant execute on function
  private.call_returning_errors(text, jsonb, text, text, integer), private.counted_reply(jsonb, jsonb)
to anon, authenticated;
