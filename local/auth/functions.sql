-- Schema auth as a hosted project has it, once its tables exist: owned by supabase_auth_admin, read by the migrations'
-- owner, and with the functions by which policies identify the user. Run as the superuser, once.

do $$
declare
  v_object record;
begin
  alter schema auth owner to supabase_auth_admin;
  for v_object in
    select c.relname as name
    from pg_catalog.pg_class c
    where c.relnamespace = 'auth'::regnamespace and c.relkind in ('r', 'v')
  loop
    execute format('alter table auth.%I owner to supabase_auth_admin', v_object.name);
    execute format('alter table auth.%I enable row level security', v_object.name);
  end loop;
end
$$;

create or replace function auth.uid() returns uuid
language sql stable
as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.sub', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'
  )::uuid
$$;

create or replace function auth.role() returns text
language sql stable
as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.role', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role'
  )
$$;

create or replace function auth.email() returns text
language sql stable
as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.email', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email'
  )
$$;

create or replace function auth.jwt() returns jsonb
language sql stable
as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')
  )::jsonb
$$;

alter function auth.uid() owner to supabase_auth_admin;
alter function auth.role() owner to supabase_auth_admin;
alter function auth.email() owner to supabase_auth_admin;
alter function auth.jwt() owner to supabase_auth_admin;

grant usage on schema auth to anon, authenticated, service_role, postgres;
grant all on all tables in schema auth to postgres with grant option;
grant execute on all functions in schema auth to postgres with grant option;
