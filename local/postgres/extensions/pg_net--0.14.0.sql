-- The part of pg_net that migrations call: net.http_post. The platform sends the requests (local/jobs/net.ts).

create schema net;

create unlogged table net.http_request_queue (
  id bigserial primary key,
  method text not null,
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

create function net.http_post(
  url text, body jsonb default '{}', params jsonb default '{}',
  headers jsonb default '{"Content-Type": "application/json"}', timeout_milliseconds integer default 5000
) returns bigint
language plpgsql
security definer -- the queue is the extension's own
set search_path = ''
as $$
declare
  v_id bigint;
begin
  if params <> '{}' then
    raise exception 'The local pg_net does not support params. Write the query into the URL.' using errcode = '0A000';
  end if;
  insert into net.http_request_queue (method, url, headers, body, timeout_milliseconds)
  values ('POST', url, headers, convert_to(body::text, 'UTF8'), timeout_milliseconds)
  returning id into v_id;
  perform pg_notify('pg_net', ''); -- delivered after commit
  return v_id;
end
$$;

revoke all on all functions in schema net from public;
grant usage on schema net to postgres, service_role;
grant select, delete on all tables in schema net to postgres;
grant execute on all functions in schema net to postgres with grant option;
grant execute on all functions in schema net to service_role;
