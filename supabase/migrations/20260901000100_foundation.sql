-- Foundation: the schemas of the service, who may use them, and how an error is raised.
--
-- public      tables, domains and indexes. The Data API does not expose it. Every table has row security. Clients read and
--             write through column grants only, as themselves, inside the functions of api.
-- api         functions only. It is the one schema that the Data API exposes. Execute is granted per function and role.
-- private     trigger functions, policy predicates, evaluators, settings. Execute is granted on named helpers only.
-- extensions  extensions, separate from the names of the service.
--
-- Invariants: public executes nothing without a grant; clients cannot read a new table until a migration grants it.
-- Interface: private.raise_error(code, status, message, ...) is how every rule in this database rejects a request.
-- private.page_limit, private.page_start and private.page page every list. The Data API runs private.tag_request before each
-- request, so that the log has the request id. api.service_readiness returns the newest migration.

create schema if not exists api;
create schema if not exists commands;
create schema if not exists private;
create schema if not exists extensions;

comment on schema api is 'The functions that the Data API exposes. No tables.';
comment on schema commands is 'Functions that write for an authenticated user. api.run_command calls them; the Data API does not expose them.';
comment on schema private is 'Rules, predicates and settings that clients cannot name.';

create extension if not exists pg_trgm with schema extensions;

-- ---------------------------------------------------------------------------------------------------------------------
-- Grants
-- ---------------------------------------------------------------------------------------------------------------------

grant usage on schema public, api, private, extensions to anon, authenticated, service_role;
grant usage on schema commands to authenticated;

-- Revoke what a platform grants by default. From here on every grant is next to the object that it opens.
alter default privileges in schema public revoke all on tables from anon, authenticated;
alter default privileges in schema public revoke all on sequences from anon, authenticated;
alter default privileges in schema public revoke all on functions from anon, authenticated;
alter default privileges revoke execute on functions from public;
alter default privileges in schema public grant all on tables to service_role;
alter default privileges in schema public grant usage, select on sequences to service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals
-- ---------------------------------------------------------------------------------------------------------------------

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

comment on function private.raise_error(text, integer, text, text, jsonb) is
  'Rejects the request: raises SQLSTATE PGRST with code, message and, as JSON text in details, {"param", "details"}. The transaction rolls back.';

grant execute on function private.raise_error(text, integer, text, text, jsonb) to anon, authenticated, service_role;

create function private.require_row(p_row jsonb, p_message text) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  if p_row is null then
    perform private.raise_error('not_found', 404, p_message, p_param => 'id');
  end if;
  return p_row;
end
$$;

comment on function private.require_row(jsonb, text) is 'Returns the row of a request that names it by id. Errors: not_found, when p_row is null.';

grant execute on function private.require_row(jsonb, text) to service_role;

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

comment on function private.tag_request() is
  'Sets application_name of the transaction to the request id (X-Request-Id), which the log of the database and pg_stat_activity show. The Data API runs it before the function of each request.';

grant execute on function private.tag_request() to anon, authenticated, service_role;

alter role authenticator set pgrst.db_pre_request = 'private.tag_request';
notify pgrst, 'reload config';

create function private.tg_touch_updated_at() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.updated_at := now();
  return new;
end
$$;

comment on function private.tg_touch_updated_at() is 'Sets updated_at on every update of a row.';

create function private.trimmed(p_text text) returns text
language sql immutable parallel safe
-- Includes the wide space of Japanese keyboards and the non-breaking space.
return nullif(btrim(p_text, e' \t\r\n\u00a0\u3000'), '');

comment on function private.trimmed(text) is 'A text without surrounding white space; null when nothing is left.';

grant execute on function private.trimmed(text) to authenticated, service_role;

-- Pages. A cursor is base64url of nine bytes of checksum and the sort keys of the last row of a page, a JSON array. The
-- checksum covers the keys and the request of the list (name, filters, order). So a cursor that was cut, changed or made by
-- another request is rejected before its content is read. It is not a secret: a client can forge a cursor. So each list
-- names the types of its keys, a cursor with other keys is rejected, and keys are never written into a statement's text.

create function private.page_limit(p_limit integer) returns integer
language plpgsql stable
set search_path = ''
as $$
begin
  if p_limit is null or p_limit not between 1 and 100 then
    perform private.raise_error('validation_error', 422, 'limit must be between 1 and 100.', p_param => 'limit');
  end if;
  return p_limit;
end
$$;

comment on function private.page_limit(integer) is 'Returns the limit of a list, 1 to 100. Errors: validation_error.';

create function private.cursor_checksum(p_filters jsonb, p_keys bytea) returns bytea
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return substr(sha256(convert_to(p_filters::text, 'UTF8') || p_keys), 1, 9);
end
$$;

comment on function private.cursor_checksum(jsonb, bytea) is 'The first nine bytes of a cursor: the checksum of its keys and of the request of the list.';

create function private.cursor_encode(p_filters jsonb, p_keys jsonb) returns text
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return (
    select rtrim(translate(encode(private.cursor_checksum(p_filters, keys) || keys, 'base64'), e'+/\n', '-_'), '=')
    from convert_to(p_keys::text, 'UTF8') as keys
  );
end
$$;

comment on function private.cursor_encode(jsonb, jsonb) is
  'The cursor after the row with these sort keys (an array); null without keys. p_filters has the name, filters and order of the list: everything that must be the same on the next page.';

create function private.is_cursor_key(p_key jsonb, p_type text) returns boolean
language plpgsql stable
set search_path = ''
as $$
declare
  v_text constant text := p_key #>> '{}';
begin
  -- One literal per type: pg_input_is_valid keeps the type that a variable named first. Types read more than they write
  -- (now, infinity, -1), and cursors never contain such values.
  return case p_type
    when 'integer' then jsonb_typeof(p_key) = 'number' and pg_input_is_valid(v_text, 'integer')
    when 'bigint' then jsonb_typeof(p_key) = 'number' and pg_input_is_valid(v_text, 'bigint')
    when 'double precision' then jsonb_typeof(p_key) = 'number' and pg_input_is_valid(v_text, 'double precision')
    when 'text' then jsonb_typeof(p_key) = 'string'
    when 'uuid' then jsonb_typeof(p_key) = 'string' and pg_input_is_valid(v_text, 'uuid')
    when 'date' then jsonb_typeof(p_key) = 'string' and pg_input_is_valid(v_text, 'date') and v_text ~ '^\d{4}-\d\d-\d\d$'
    when 'timestamptz' then jsonb_typeof(p_key) = 'string' and pg_input_is_valid(v_text, 'timestamptz')
      and v_text ~ '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?[+-]\d\d:\d\d(:\d\d)?$'
    else false
  end;
end
$$;

comment on function private.is_cursor_key(jsonb, text) is
  'Whether a key of a cursor is a value of the type. integer, bigint and double precision are JSON numbers; text, uuid, date and timestamptz are JSON strings.';

create function private.cursor_keys(p_bytes bytea, p_types text[]) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_text text;
  v_keys jsonb;
begin
  v_text := convert_from(p_bytes, 'UTF8');
  v_keys := case when pg_input_is_valid(v_text, 'jsonb') then v_text::jsonb end;
  return case when jsonb_typeof(v_keys) = 'array' then case
    when jsonb_array_length(v_keys) = cardinality(p_types) and (
      select bool_and(private.is_cursor_key(v_keys -> (t.place - 1)::integer, t.name))
      from unnest(p_types) with ordinality as t (name, place)
    ) then v_keys end end;
exception when character_not_in_repertoire then
  return null;
end
$$;

comment on function private.cursor_keys(bytea, text[]) is
  'The JSON array in these bytes, if it has one key of each type in this order; otherwise null.';

create function private.cursor_decode(p_filters jsonb, p_cursor text, p_types text[]) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_bytes bytea;
  v_keys jsonb;
begin
  if p_cursor is null then
    return null;
  end if;
  if p_cursor ~ '^[A-Za-z0-9_-]+$' and length(p_cursor) between 12 and 4096 and length(p_cursor) % 4 <> 1 then
    v_bytes := decode(translate(p_cursor, '-_', '+/') || repeat('=', -length(p_cursor) & 3), 'base64');
    if substr(v_bytes, 1, 9) = private.cursor_checksum(p_filters, substr(v_bytes, 10)) then
      v_keys := private.cursor_keys(substr(v_bytes, 10), p_types);
    end if;
  end if;
  -- Each cursor has one spelling: spare bits of its last letter are not ignored.
  if v_keys is null or private.cursor_encode(p_filters, v_keys) <> p_cursor then
    perform private.raise_error('validation_error', 422, 'This cursor belongs to another list or to other filters. Start again without a cursor.',
      p_param => 'cursor');
  end if;
  return v_keys;
end
$$;

comment on function private.cursor_decode(jsonb, text, text[]) is
  'The sort keys in a cursor that private.cursor_encode made for the same p_filters; null without a cursor. There is one key of each type of p_types, so that they can be cast. Errors: validation_error.';

create function private.page_start(p_filters jsonb, p_cursor text, p_types text[], p_order text) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  -- There is no last text, so a list in descending order of a text would be empty.
  c_before_all constant jsonb := case p_order
    when 'asc' then '{"integer": -2147483648, "text": "", "uuid": "00000000-0000-0000-0000-000000000000", "date": "-infinity", "timestamptz": "-infinity"}'
    when 'desc' then '{"integer": 2147483647, "uuid": "ffffffff-ffff-ffff-ffff-ffffffffffff", "date": "infinity", "timestamptz": "infinity"}'
  end;
begin
  return coalesce(private.cursor_decode(p_filters, p_cursor, p_types), (
    select jsonb_agg(c_before_all -> t.name order by t.place) from unnest(p_types) with ordinality as t (name, place)
  ));
end
$$;

comment on function private.page_start(jsonb, text, text[], text) is
  'The sort keys after which a page begins, never null. With a cursor: its keys, as private.cursor_decode reads them. Without: keys before every row in the order, asc or desc. So `(created_at, id) < (…)` is an index condition of every page, for any plan. Errors: validation_error.';

create function private.page(p_filters jsonb, p_items jsonb, p_keys text[], p_limit integer, p_total bigint default null)
returns jsonb
language plpgsql immutable parallel safe
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'items', coalesce(p_items - p_limit, '[]'),
    'next_cursor', case when jsonb_array_length(p_items) > p_limit then private.cursor_encode(p_filters, (
      select jsonb_agg(p_items -> (p_limit - 1) -> k.name order by k.place)
      from unnest(p_keys) with ordinality as k (name, place)
    )) end
  ) || case when p_total is null then '{}' else jsonb_build_object('total', p_total) end;
end
$$;

comment on function private.page(jsonb, jsonb, text[], integer, bigint) is
  'A page: {items, next_cursor}, and total when it is given. p_items: the rows in order, one more than p_limit when there are more, null for none. p_keys: the fields of an item that are its sort keys, from which the next page continues.';

create function private.max_total() returns integer
language plpgsql immutable parallel safe
set search_path = ''
as $$
begin
  return 10000;
end
$$;

comment on function private.max_total() is
  'Up to this number the items of a list that may have millions are counted: no one pages that far. Such a list counts one more.';

create function private.capped_total(p_count bigint, p_is_all boolean default true) returns jsonb
language plpgsql immutable parallel safe
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'total', least(p_count, private.max_total()), 'total_is_exact', p_is_all and p_count <= private.max_total()
  );
end
$$;

comment on function private.capped_total(bigint, boolean) is
  'The number of items of a list that counts up to private.max_total() + 1 of them: {total, total_is_exact}. Not exact: at least total. p_is_all false: only a part of the list was counted.';

grant execute on function private.max_total(), private.capped_total(bigint, boolean) to service_role;
grant execute on function
  private.page_limit(integer), private.cursor_checksum(jsonb, bytea), private.cursor_encode(jsonb, jsonb),
  private.is_cursor_key(jsonb, text), private.cursor_keys(bytea, text[]), private.cursor_decode(jsonb, text, text[]),
  private.page_start(jsonb, text, text[], text),
  private.page(jsonb, jsonb, text[], integer, bigint)
to anon, authenticated, service_role;

create function private.is_moment(p_value jsonb) returns boolean
language plpgsql stable
set search_path = ''
as $$
declare
  v_text constant text := p_value #>> '{}';
begin
  return coalesce(
    jsonb_typeof(p_value) = 'string' and v_text ~* '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$'
      and pg_input_is_valid(v_text, 'timestamptz'), false
  );
end
$$;

comment on function private.is_moment(jsonb) is
  'Whether a JSON value is an RFC 3339 timestamp with an offset. As in the router, t and z may be in lower case, and the second 60 is the next second. Postgres reads no fraction of it.';

grant execute on function private.is_moment(jsonb) to anon, authenticated, service_role;

create function private.latest_migration() returns text
language plpgsql stable
security definer -- clients cannot read the history of the migration tool; this returns the newest version only
set search_path = ''
as $$
begin
  return (select max(version) from supabase_migrations.schema_migrations);
end
$$;

comment on function private.latest_migration() is 'The version of the newest applied migration, as the migration tool recorded it.';

grant execute on function private.latest_migration() to anon, authenticated, service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface
-- ---------------------------------------------------------------------------------------------------------------------

create function api.service_readiness() returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return jsonb_build_object('database', 'ok', 'migration', private.latest_migration());
end
$$;

comment on function api.service_readiness() is 'Returns {database, migration}: that the database responds, and its newest migration. Reads only; raises no errors.';

grant execute on function api.service_readiness() to anon, authenticated, service_role;
