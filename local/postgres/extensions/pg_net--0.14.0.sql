-- The tables and functions of pg_net as hosted projects have it; the platform sends the requests (local/jobs/net.ts).

create schema net;

create unlogged table net.http_request_queue (
  id bigserial primary key,
  method text not null check (method in ('GET', 'POST', 'DELETE')),
  url text not null,
  headers jsonb,
  body bytea,
  timeout_milliseconds integer not null
);

create unlogged table net._http_response (
  id bigint,
  status_code integer,
  content_type text,
  headers jsonb,
  content text,
  timed_out boolean,
  error_msg text,
  created timestamptz not null default now()
);
create index on net._http_response (created);

create function net.enqueue(method text, url text, params jsonb, headers jsonb, body bytea, timeout_milliseconds integer)
returns bigint
language plpgsql
security definer -- the queue is the extension's own
set search_path = ''
as $$
declare
  v_query text := (
    select string_agg(p.key || '=' || replace(replace(replace(p.value, '%', '%25'), '&', '%26'), ' ', '%20'), '&')
    from jsonb_each_text(params) as p
  );
  v_id bigint;
begin
  insert into net.http_request_queue (method, url, headers, body, timeout_milliseconds)
  values (
    method, url || coalesce(case when url like '%?%' then '&' else '?' end || v_query, ''), headers, body,
    timeout_milliseconds
  )
  returning id into v_id;
  perform pg_notify('pg_net', ''); -- heard after commit
  return v_id;
end
$$;

create function net.http_get(
  url text, params jsonb default '{}', headers jsonb default '{}', timeout_milliseconds integer default 5000
) returns bigint
language sql set search_path = ''
as 'select net.enqueue(''GET'', url, params, headers, null, timeout_milliseconds)';

create function net.http_post(
  url text, body jsonb default '{}', params jsonb default '{}',
  headers jsonb default '{"Content-Type": "application/json"}', timeout_milliseconds integer default 5000
) returns bigint
language plpgsql
set search_path = ''
as $$
declare
  v_type text := (select h.value from jsonb_each_text(headers) as h where lower(h.key) = 'content-type');
begin
  if v_type is distinct from 'application/json' and v_type is not null then
    raise exception 'Content-Type header must be "application/json"';
  end if;
  return net.enqueue(
    'POST', url, params, '{"Content-Type": "application/json"}' || headers, convert_to(body::text, 'UTF8'), timeout_milliseconds
  );
end
$$;

create function net.http_delete(
  url text, params jsonb default '{}', headers jsonb default '{}', timeout_milliseconds integer default 5000,
  body jsonb default null
) returns bigint
language sql set search_path = ''
as 'select net.enqueue(''DELETE'', url, params, headers, convert_to(body::text, ''UTF8''), timeout_milliseconds)';

revoke all on all functions in schema net from public;
grant usage on schema net to postgres, service_role;
grant select, delete on all tables in schema net to postgres;
grant execute on all functions in schema net to postgres with grant option;
grant execute on all functions in schema net to service_role;
