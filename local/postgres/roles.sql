-- The roles, grants and schemas that a hosted Supabase project has before its first migration. Run as the superuser
-- (supabase_admin) at every start; it may run any number of times.

do $$
declare
  v_role record;
begin
  for v_role in
    select *
    from (values
      ('anon', 'nologin noinherit'),
      ('authenticated', 'nologin noinherit'),
      ('service_role', 'nologin noinherit bypassrls'),
      ('authenticator', 'login noinherit password ''postgres'''),
      ('supabase_auth_admin', 'login noinherit createrole password ''postgres'''),
      ('postgres', 'login createdb createrole bypassrls replication password ''postgres''')
    ) as roles (name, options)
  loop
    if not exists (select from pg_catalog.pg_roles where rolname = v_role.name) then
      execute format('create role %I %s', v_role.name, v_role.options);
      -- The default grants of a hosted project on new tables, until migrations revoke them: the tests notice one that does not.
      if v_role.name = 'postgres' then
        alter default privileges for role postgres in schema public grant all on tables to anon, authenticated, service_role;
        alter default privileges for role postgres in schema public grant all on sequences to anon, authenticated, service_role;
        alter default privileges for role postgres in schema public grant all on functions to anon, authenticated, service_role;
      end if;
    end if;
  end loop;
end
$$;

grant anon, authenticated, service_role to authenticator;
-- With admin option: a hosted project's postgres may alter the settings of these roles.
grant anon, authenticated, service_role, authenticator to postgres with admin option;
grant set on parameter pgrst.db_pre_request to postgres;
grant pg_monitor, pg_read_all_data, pg_signal_backend, pg_create_subscription to postgres;

alter role anon set statement_timeout = '3s';
alter role authenticated set statement_timeout = '8s';
alter role authenticator set statement_timeout = '8s';
alter role authenticator set lock_timeout = '8s';
alter role postgres set search_path = "$user", public, extensions;
alter role supabase_auth_admin set search_path = auth;

alter database postgres owner to postgres;

grant usage on schema public to postgres, anon, authenticated, service_role;
grant create on schema public to postgres;

create schema if not exists extensions authorization postgres;
grant usage on schema extensions to anon, authenticated, service_role, supabase_auth_admin;
create extension if not exists "uuid-ossp" with schema extensions;
create extension if not exists pgcrypto with schema extensions;
