-- Schema realtime and the publication as a hosted project has them before its first migration. Run as the superuser at
-- every start; it may run any number of times.

do $$
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'supabase_realtime_admin') then
    create role supabase_realtime_admin nologin noinherit;
  end if;
  if not exists (select from pg_catalog.pg_publication where pubname = 'supabase_realtime') then
    create publication supabase_realtime;
  end if;
end
$$;

grant supabase_realtime_admin to postgres;
alter publication supabase_realtime owner to postgres;

create schema if not exists realtime;
grant usage on schema realtime to postgres, anon, authenticated, service_role, supabase_realtime_admin;

-- Its policies say who may join a private channel; nothing is kept in it here.
create table if not exists realtime.messages (
  topic text not null,
  extension text not null,
  payload jsonb,
  event text,
  private boolean default false,
  updated_at timestamp not null default now(),
  inserted_at timestamp not null default now(),
  id uuid not null default gen_random_uuid(),
  primary key (id, inserted_at)
);
alter table realtime.messages owner to supabase_realtime_admin;
alter table realtime.messages enable row level security;
grant select, insert, update on realtime.messages to postgres, anon, authenticated, service_role;

create or replace function realtime.topic() returns text
language sql stable
as $$
  select nullif(current_setting('realtime.topic', true), '')
$$;

alter function realtime.topic() owner to supabase_realtime_admin;
