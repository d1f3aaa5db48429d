-- Foundation: the schemas everything else stands in, who may use them, and the one way to refuse.
--
-- public   tables, domains and indexes. Not exposed by the Data API. Row security on every table; clients read and write
--          only through column grants, as themselves, inside the functions of api.
-- api      functions only; the one schema the Data API exposes. Execute is granted function by function, role by role.
-- private  trigger functions, policy predicates, evaluators, settings. Execute on named helpers only.
-- extensions  extensions, kept apart from our names.
--
-- Invariants: nothing is executable by public unless granted; a new table is readable by no client until a migration says so.
-- Interface: private.raise_error(code, status, message, ...), which every rule in this database uses to say no;
-- private.page_limit, private.page_start and private.page, with which every list is paged;
-- private.tag_request, which the Data API runs before each request, so that the log names the request;
-- api.service_readiness, which says that the database answers and how far it is migrated.

create schema if not exists api;
create schema if not exists commands;
create schema if not exists private;
create schema if not exists extensions;

comment on schema api is 'The functions that the Data API exposes. No tables.';
comment on schema commands is 'Functions that write for a signed-in client; reached by api.run_command, never exposed by themselves.';
comment on schema private is 'Rules, predicates and settings that no client may name.';

create extension if not exists pg_trgm with schema extensions;

-- ---------------------------------------------------------------------------------------------------------------------
-- Grants
-- ---------------------------------------------------------------------------------------------------------------------

grant usage on schema public, api, private, extensions to anon, authenticated, service_role;
grant usage on schema commands to authenticated;

-- What a platform grants by default is taken back; from here on every grant stands next to the thing it opens.
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
  'Refuses the request: raises SQLSTATE PGRST with code, message and, as JSON text in details, {"param", "details"}. The transaction rolls back.';

grant execute on function private.raise_error(text, integer, text, text, jsonb) to anon, authenticated, service_role;

create function private.found(p_row jsonb, p_message text) returns jsonb
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

comment on function private.found(jsonb, text) is 'The row that a request names by its id. Errors: not_found, when there is none.';

grant execute on function private.found(jsonb, text) to service_role;

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
  'Gives the transaction the id of its request (X-Request-Id) as application_name: the database''s log and pg_stat_activity show it. The Data API runs it before the function of each request.';

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
-- Also the wide space of Japanese keyboards and the one that does not break.
return nullif(btrim(p_text, e' \t\r\n\u00a0\u3000'), '');

comment on function private.trimmed(text) is 'What somebody wrote, without the space around it; null when nothing is left.';

grant execute on function private.trimmed(text) to authenticated, service_role;

-- Pages. A cursor is base64url of nine bytes of checksum and the keys of the last row of a page, a JSON array. The checksum
-- covers the keys and what the list was asked for, so that a cursor that was cut, changed or made by another question is
-- told from a good one before anything in it is read. It is no secret: a client can forge a cursor. So each list names the
-- types of its keys, a cursor with any other keys is rejected, and keys are never written into the text of a statement.

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

comment on function private.page_limit(integer) is 'The limit of a list, 1 to 100. Errors: validation_error.';

create function private.cursor_checksum(p_filters jsonb, p_keys bytea) returns bytea
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return substr(sha256(convert_to(p_filters::text, 'UTF8') || p_keys), 1, 9);
end
$$;

comment on function private.cursor_checksum(jsonb, bytea) is 'The first nine bytes of a cursor: the checksum of its keys and of what the list was asked for.';

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
  'The cursor after the row with these sort keys (an array), in the list that p_filters describes: name, filters and order of the list, whatever must be the same on the next page. Null without keys.';

create function private.is_cursor_key(p_key jsonb, p_type text) returns boolean
language plpgsql stable
set search_path = ''
as $$
declare
  v_text constant text := p_key #>> '{}';
begin
  -- A literal each: pg_input_is_valid keeps the type that a variable named first. Types read more than they write (now,
  -- infinity, -1), and no cursor was made of that.
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
  'Whether a key of a cursor is a value of the type: integer, bigint and double precision are JSON numbers; text, uuid, date and timestamptz JSON strings.';

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
  'The JSON array in these bytes when it has one key of each type, in this order; otherwise null.';

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
  -- A text has one cursor: spare bits of its last letter are not ignored.
  if v_keys is null or private.cursor_encode(p_filters, v_keys) <> p_cursor then
    perform private.raise_error('validation_error', 422, 'This cursor belongs to another list or to other filters. Start again without a cursor.',
      p_param => 'cursor');
  end if;
  return v_keys;
end
$$;

comment on function private.cursor_decode(jsonb, text, text[]) is
  'The sort keys in a cursor that private.cursor_encode made for the same p_filters, one of each type of p_types, so that they can be cast; null without a cursor. Errors: validation_error.';

create function private.page_start(p_filters jsonb, p_cursor text, p_types text[], p_order text) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  -- There is no last text: a list in descending order of one would be empty.
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
  'The sort keys behind which a page begins, never null: those of the cursor, as private.cursor_decode reads them; without a cursor keys before every row in the order, asc or desc. So `(created_at, id) < (…)` is the condition of every page, and an index condition whatever plan is kept. Errors: validation_error.';

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
  'A page: {items, next_cursor}, and total when it is given. p_items are the rows as shown, in order, one more than p_limit when there are more, null for none; p_keys the fields of an item that are its sort keys, in which the next page begins.';

grant execute on function
  private.page_limit(integer), private.cursor_checksum(jsonb, bytea), private.cursor_encode(jsonb, jsonb),
  private.is_cursor_key(jsonb, text), private.cursor_keys(bytea, text[]), private.cursor_decode(jsonb, text, text[]),
  private.page_start(jsonb, text, text[], text),
  private.page(jsonb, jsonb, text[], integer, bigint)
to anon, authenticated, service_role;

create function private.latest_migration() returns text
language plpgsql stable
security definer -- the migration tool's history is its own; only the newest version leaves it
set search_path = ''
as $$
begin
  return (select max(version) from supabase_migrations.schema_migrations);
end
$$;

comment on function private.latest_migration() is 'The version of the newest migration applied, as the migration tool recorded it.';

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

comment on function api.service_readiness() is 'That the database answers, and its newest migration. Reads only; raises no errors.';

grant execute on function api.service_readiness() to anon, authenticated, service_role;
