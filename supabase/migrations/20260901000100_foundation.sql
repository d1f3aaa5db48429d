-- Foundation: the schemas everything else stands in, who may use them, and the one way to refuse.
--
-- public   tables, domains and indexes. Not exposed by the Data API. Row security on every table; clients read and write
--          only through column grants, as themselves, inside the functions of api.
-- api      functions only; the one schema the Data API exposes. Execute is granted function by function, role by role.
-- private  trigger functions, policy predicates, evaluators, settings. Execute on named helpers only.
-- extensions  extensions, kept apart from our names.
--
-- Invariants: nothing is executable by public unless granted; a new table is readable by no client until a migration says so.
-- Interface: private.refuse(code, status, message, ...), which every rule in this database uses to say no;
-- api.service_readiness, which says that the database answers and how far it is migrated.

create schema if not exists api;
create schema if not exists private;
create schema if not exists extensions;

comment on schema api is 'The functions that the Data API exposes. No tables.';
comment on schema private is 'Rules, predicates and settings that no client may name.';

create extension if not exists pg_trgm with schema extensions;

-- ---------------------------------------------------------------------------------------------------------------------
-- Grants
-- ---------------------------------------------------------------------------------------------------------------------

grant usage on schema public, api, private, extensions to anon, authenticated, service_role;

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

create function private.refuse(
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

comment on function private.refuse(text, integer, text, text, jsonb) is
  'Refuses the request: raises SQLSTATE PGRST with code, message and, as JSON text in details, {"param", "details"}. The transaction rolls back.';

grant execute on function private.refuse(text, integer, text, text, jsonb) to anon, authenticated, service_role;

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
language sql stable
set search_path = ''
as $$
  select jsonb_build_object('database', 'ok', 'migration', private.latest_migration())
$$;

comment on function api.service_readiness() is 'That the database answers, and its newest migration. Reads only; refuses nothing.';

grant execute on function api.service_readiness() to anon, authenticated, service_role;
