-- The schemas of the service, its extensions, and who may use them.
--
-- public      tables, domains and indexes. The Data API does not expose it. Every table has row security. Clients read and
--             write through column grants only, as themselves, inside the functions of api.
-- api         functions only. It is the one schema that the Data API exposes. Anonymous and authenticated clients execute
--             what is granted to them by name; the service executes all.
-- commands    functions that write for an authenticated user. api.run_command calls them.
-- private     trigger functions, policy predicates, evaluators, settings. Clients execute named helpers only; the service
--             executes all.
-- extensions  extensions, separate from the names of the service.
--
-- Invariants: public executes nothing without a grant; clients cannot read a new table until a column is granted to them.

create schema if not exists api;
create schema if not exists commands;
create schema if not exists private;
create schema if not exists extensions;

comment on schema api is 'The functions that the Data API exposes. No tables.';
comment on schema commands is 'Functions that write for an authenticated user. api.run_command calls them; the Data API does not expose them.';
comment on schema private is 'Rules, predicates and settings that clients cannot name.';

create extension if not exists pg_trgm with schema extensions;

grant usage on schema public, api, private, extensions to anon, authenticated, service_role;
grant usage on schema commands to authenticated;

-- Revoke what a platform grants by default. From here on every grant is next to the object that it opens.
alter default privileges in schema public revoke all on tables from anon, authenticated;
alter default privileges in schema public revoke all on sequences from anon, authenticated;
alter default privileges in schema public revoke all on functions from anon, authenticated;
alter default privileges revoke execute on functions from public;
alter default privileges in schema public grant all on tables to service_role;
alter default privileges in schema public grant usage, select on sequences to service_role;
alter default privileges in schema api grant execute on functions to service_role;
alter default privileges in schema private grant execute on functions to service_role;
alter default privileges in schema commands grant execute on functions to authenticated;

create extension if not exists pgmq;
create extension if not exists pg_cron with schema pg_catalog;
create extension if not exists pg_net with schema extensions;
create extension if not exists supabase_vault;
