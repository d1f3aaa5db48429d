-- Errors and request ids: how a rule rejects a request, and how the log knows the request.
--
-- private.raise_error(code, status, message, ...) is how every rule in this database rejects a request. The Data API runs
-- private.tag_request before each request, so that the log has the request id.

-- Rejects the request: raises SQLSTATE PGRST with code, message and, as JSON text in details, {"param", "details"}. The
-- transaction rolls back.
create function private.raise_error(
  p_code text,
  p_status integer,
  p_message text,
  p_param text default null,
  p_details jsonb default null
) returns void
language plpgsql
set search_path = ''
as $$
begin
  raise sqlstate 'PGRST' using
    message = jsonb_build_object(
      'code', p_code,
      'message', p_message,
      'details', jsonb_strip_nulls(jsonb_build_object('param', p_param, 'details', p_details))::text
    )::text,
    detail = jsonb_build_object('status', p_status, 'headers', '{}'::jsonb)::text;
end
$$;

grant execute on function private.raise_error(text, integer, text, text, jsonb) to anon, authenticated;

-- Returns the row of a request that names it by p_param. Errors: not_found, when p_row is null.
create function private.require_row(p_row jsonb, p_message text, p_param text default 'id') returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  if p_row is null then
    perform private.raise_error('not_found', 404, p_message, p_param => p_param);
  end if;
  return p_row;
end
$$;

-- Sets application_name of the transaction to the request id (X-Request-Id), which the log of the database and
-- pg_stat_activity show. The Data API runs it before the function of each request.
create function private.tag_request() returns void
language plpgsql
set search_path = ''
as $$
declare
  v_id text := nullif(current_setting('request.headers', true), '')::jsonb ->> 'x-request-id';
begin
  if v_id ~ '^[A-Za-z0-9_-]{8,63}$' then
    perform set_config('application_name', v_id, true);
  end if;
end
$$;

grant execute on function private.tag_request() to anon, authenticated;

alter role authenticator set pgrst.db_pre_request = 'private.tag_request';
notify pgrst, 'reload config';
