-- The interface of requests: rate limits, idempotency keys, and the call of a command.
--
-- Clients and the service call these functions. The rules are in commands.sql, idempotency.sql,
-- rate_limits.sql and request_counts.sql.

-- ---------------------------------------------------------------------------------------------------------------------
-- Rate limits
-- ---------------------------------------------------------------------------------------------------------------------

create function api.take_request(p_policy text, p_next text default null) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_subject text := private.caller()::text;
  -- A quota that is used up: this request is counted under it, and is over it.
  v_count jsonb := private.count_request(case when private.is_quota_used_up(p_next, v_subject) then p_next else p_policy end, v_subject);
begin
  if not (v_count -> 'allowed')::boolean then
    return private.reply_over_quota(v_count);
  end if;
  return v_count;
end
$$;

comment on function api.take_request(text, text) is
  'Counts a request of the caller under a policy, for a request that runs no command: {allowed, policy, quota, window_seconds, remaining, reset_seconds}; null when there is no such policy. p_next: the policy under which the request is counted later; when its quota is used up, the request is counted under it now, and rejected. Over the quota the reply is the error rate_limited. Errors: unauthorized, rate_limited.';

create function api.take_anonymous_request(p_policy text, p_address text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_count jsonb := private.count_request(p_policy, private.network_hash(p_address));
begin
  if not (v_count -> 'allowed')::boolean then
    return private.reply_over_quota(v_count);
  end if;
  return v_count;
end
$$;

comment on function api.take_anonymous_request(text, text) is
  'api.take_request for an anonymous client, by the network of its address, which only the service knows. Errors: rate_limited.';

create function api.take_request_instead(p_policy text, p_instead text, p_user_id uuid default null, p_address text default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_subject constant text := coalesce(p_user_id::text, private.network_hash(p_address));
  v_count jsonb := private.count_request(p_policy, v_subject);
begin
  if (v_count -> 'allowed')::boolean then
    perform private.uncount_request(p_instead, v_subject);
  end if;
  return v_count;
end
$$;

comment on function api.take_request_instead(text, text, uuid, text) is
  'For the service: counts a request under p_policy that is counted under p_instead, and takes that count back: of an account, or of the network of an address. Over the quota of p_policy it stays counted. Returns what api.take_request returns. It raises no errors.';

grant execute on function api.take_request(text, text) to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Counts of requests
-- ---------------------------------------------------------------------------------------------------------------------

create function api.add_request_counts(p_counts jsonb) returns void
language plpgsql
set search_path = ''
as $$
begin
  if jsonb_typeof(p_counts) is distinct from 'array' or jsonb_array_length(p_counts) > 5000 then
    perform private.raise_error('validation_error', 422, 'counts must be a list of up to 5,000 counts.', p_param => 'counts');
  end if;
  perform private.write_request_counts(p_counts);
exception when check_violation or not_null_violation or cardinality_violation or data_exception then
  perform private.raise_error('validation_error', 422,
    'counts must have method, route, status, access, buckets and seconds, and each route and status once.', p_param => 'counts');
end
$$;

comment on function api.add_request_counts(jsonb) is
  'Adds requests to the counts for metrics: [{method, route, status, access, buckets, seconds}], each method, route and status once. buckets has 11 counts by duration, seconds is their sum. Not idempotent. For the service only. Errors: validation_error.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Idempotency keys
-- ---------------------------------------------------------------------------------------------------------------------

-- A request that first reaches a provider or the service would be judged there before its command claims the key. A bad
-- receipt would then be an error of the receipt, although its key was used for another request. So the router checks the
-- key first. That claims nothing: of two concurrent requests the command of the first decides.

create function api.check_idempotency_key(p_key text, p_fingerprint text) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_key(p_key, p_fingerprint);
end
$$;

comment on function api.check_idempotency_key(text, text) is
  'Raises conflict (key_reused_with_different_body) when the caller used the key for another request in the last 24 hours. Reads only. Errors: unauthorized, conflict.';

grant execute on function api.check_idempotency_key(text, text) to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Commands
-- ---------------------------------------------------------------------------------------------------------------------

create function api.run_command(
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
  v_count jsonb := private.count_command(p_command);
  v_reply jsonb;
begin
  if (v_count -> 'allowed')::boolean then
    v_reply := private.call_returning_errors(p_command, p_arguments, p_key, p_fingerprint, p_nth);
  end if;
  return private.counted_reply(v_count, v_reply);
end
$$;

comment on function api.run_command(text, jsonb, text, text, integer) is
  'Counts a request of the caller under the policy of the command and runs the command, once per key if there is one: {replayed, reply, rate_limit: {allowed, policy, quota, window_seconds, remaining, reset_seconds}}. An error of the command has its status and the body {code, message, details, hint, rate_limit}. It rolls back what the command did, but not the count. p_fingerprint: the SHA-256 of the request that uses the key. p_nth: the number of the call among calls of one command in one request, 1 to 10. Errors: unauthorized, forbidden, validation_error, not_found, conflict, rate_limited. The errors of the command are returned too.';

create function api.read_counted(p_function text, p_arguments jsonb default '{}', p_address text default null) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_subject text;
  v_reply jsonb;
begin
  if private.is_command(p_function) then
    perform private.raise_error('not_found', 404, 'There is no read-only function with this name.', p_param => 'function');
  end if;
  if current_user = 'service_role' then
    perform set_config('request.jwt.claims', '{"role": "anon"}', true), set_config('role', 'anon', true);
  elsif p_address is not null then
    perform private.raise_error('forbidden', 403, 'Only the service role may send address. Leave it out.', p_param => 'address');
  end if;
  v_subject := coalesce(auth.uid()::text, private.network_hash(coalesce(p_address, private.client_address())));
  -- Counted at the end: a count locks its row until the transaction ends, and reads of one network need not wait for each
  -- other. Concurrent reads over the quota run, but their results are not returned.
  if not private.is_quota_used_up('expensive_read', v_subject) then
    perform set_config('request.is_counted_read', 'yes', true);
    v_reply := private.call_returning_errors(p_function, p_arguments);
  end if;
  return private.counted_reply(private.count_request('expensive_read', v_subject), v_reply);
end
$$;

comment on function api.read_counted(text, jsonb, text) is
  'Counts a read that costs more than a page and calls its function of the interface: {replayed, reply, rate_limit} and errors as in api.run_command. The policy is expensive_read: by account, or by network for an anonymous client. For the service, p_address is the network address of the anonymous client; the rest of the transaction runs as that client. Errors: unauthorized, forbidden, validation_error, not_found, conflict, rate_limited. The errors of the function are returned too.';

grant execute on function api.run_command(text, jsonb, text, text, integer) to authenticated;
grant execute on function api.read_counted(text, jsonb, text) to anon, authenticated;
