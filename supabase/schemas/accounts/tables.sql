-- Tables of accounts: users and administrators, withdrawal, the export of data.
--
-- Each table has its comments, indexes, row security, policies and grants below it. The rules are in accounts.sql,
-- active_users.sql, data_export.sql and withdrawal.sql.

-- ---------------------------------------------------------------------------------------------------------------------
-- Accounts
-- ---------------------------------------------------------------------------------------------------------------------

create table public.app_users (
  id uuid primary key references auth.users (id) on delete cascade,
  display_name text constraint app_users_display_name_length check (char_length(display_name) between 1 and 100),
  status text not null default 'active' constraint app_users_status_known check (status in ('active', 'suspended', 'withdrawn')),
  premium_ends_at timestamptz,
  granted_premium_ends_at timestamptz,
  lang text collate "C" not null default 'ja' constraint app_users_lang_known check (lang in ('ja', 'en')),
  total_exp integer not null default 0,
  level integer not null default 1,
  highest_level integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_active_on date,
  constraint app_users_highest_level_reached check (highest_level >= level)
);

comment on table public.app_users is 'Users of the app: one row for each auth user that was not created as an administrator.';
comment on column public.app_users.display_name is 'The name that other users see; null until the user sets one.';
comment on column public.app_users.status is 'active, suspended (by an administrator) or withdrawn (by the user). Only active users may act.';
comment on column public.app_users.premium_ends_at is
  'When premium membership ends; infinity: never; null: the user never was a member. Only private.is_premium reads it.';
comment on column public.app_users.granted_premium_ends_at is
  'When the premium membership that an administrator granted ends; premium_ends_at is not earlier.';
comment on column public.app_users.lang is 'The language in which the service writes to the user.';
comment on column public.app_users.total_exp is 'The sum of the user''s exp_entries; the triggers of exp_entries maintain it.';
comment on column public.app_users.last_active_on is
  'The day (UTC) of the user''s last activity; null without one. A trigger of the activities maintains it: the audience of a notification is counted by it, because a look-up of each account in the archive takes seconds.';
comment on column public.app_users.level is 'The highest level that total_exp reaches; the triggers of exp_entries maintain it.';
comment on column public.app_users.highest_level is
  'The highest level that the user ever had; a trigger maintains it. Only a higher one is notified.';

alter table public.app_users enable row level security;
create policy "A user reads their own account" on public.app_users
for select to authenticated using ((select auth.uid()) = id);
create policy "An active user edits their own account" on public.app_users
for update to authenticated
using ((select auth.uid()) = id and status = 'active')
with check ((select auth.uid()) = id and status = 'active');

-- No insert, update or delete: the rows are copies of the app metadata of auth.users, which the console changes
-- (accounts/console_admins.sql).

grant select (id, display_name, lang, status, created_at, updated_at), update (display_name, lang) on public.app_users to authenticated;
grant select (total_exp, level) on public.app_users to authenticated;

create table public.admins (
  id uuid primary key references auth.users (id) on delete cascade,
  name text constraint admins_name_length check (char_length(name) between 1 and 100),
  status text not null default 'active' constraint admins_status_known check (status in ('active', 'suspended')),
  areas text[] not null default '{}' constraint admins_areas_known
    check (areas <@ private.admin_areas() and array_position(areas, null) is null),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on constraint admins_areas_known on public.admins is 'areas must be areas of the console.';
comment on table public.admins is 'Administrators of the service, as the app metadata of their auth user describes them.';
comment on column public.admins.areas is 'The areas of the administrator; each is the permission scope admin:<area>.';
comment on column public.admins.status is
  'suspended: by an administrator or the back office, or because the app metadata has no admin object any more.';

alter table public.admins enable row level security;

-- No insert, no delete: triggers on auth.users create and delete accounts.

create policy "An administrator reads their own record" on public.admins
for select to authenticated using ((select auth.uid()) = id);

grant select (id, name, status, areas, created_at, updated_at) on public.admins to authenticated;

create table private.console_settings (
  is_only_row boolean primary key default true constraint console_settings_one_row check (is_only_row),
  requires_second_factor boolean not null default true
);

comment on table private.console_settings is 'What an operator sets for the console; one row, or none for the defaults.';
comment on column private.console_settings.requires_second_factor is
  'Whether administrators need a session with a second factor (aal2). False in development only.';

-- Whether the request was made with a second factor, or needs none. A user's token has the claim aal. The service passes
-- the claim of the administrator's token on in the header X-Admin-Aal. Without a request it is the operator's own SQL.
create function private.has_second_factor() returns boolean
language plpgsql stable
security definer -- no client may read the setting
set search_path = ''
as $$
declare
  v_claims constant jsonb := nullif(current_setting('request.jwt.claims', true), '');
begin
  return v_claims is null
    or coalesce(case v_claims ->> 'role'
      when 'service_role' then nullif(current_setting('request.headers', true), '')::jsonb ->> 'x-admin-aal'
      else v_claims ->> 'aal'
    end, '') = 'aal2'
    or exists (select from private.console_settings s where not s.requires_second_factor);
end
$$;

grant execute on function private.has_second_factor() to authenticated; -- policies call it

-- ---------------------------------------------------------------------------------------------------------------------
-- Withdrawal
-- ---------------------------------------------------------------------------------------------------------------------

create table private.account_ends (
  user_id uuid primary key,
  log_texts text[] not null,
  step integer not null default 1,
  log_block bigint not null default 0,
  done_rows bigint not null default 0,
  started_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on table private.account_ends is
  'Withdrawn accounts of which some rows are left; the row is deleted at the end. No foreign key: when an auth user is deleted directly, the job still deletes the rest.';
comment on column private.account_ends.log_texts is
  'Texts of the identity provider''s log entries about the user, as JSON: their id and e-mail address.';
comment on column private.account_ends.step is
  'The current step in private.erasure_steps; beyond the last one: the log.';
comment on column private.account_ends.log_block is 'Blocks of the log before this one are finished.';

grant select (user_id) on private.account_ends to service_role; -- the console's readers leave out these accounts

-- ---------------------------------------------------------------------------------------------------------------------
-- Users in the console
-- ---------------------------------------------------------------------------------------------------------------------

create table private.user_search_entries (
  user_id uuid primary key,
  created_at timestamptz not null,
  status text collate "C" not null,
  premium_ends_at timestamptz,
  email text not null,
  name text not null,
  name_terms text[] collate "C" not null
);

comment on table private.user_search_entries is
  'The search data of the list of app users. Kept by triggers. No foreign key: a trigger deletes a row with its account.';
comment on column private.user_search_entries.email is 'As private.search_text returns it; empty without an address.';
comment on column private.user_search_entries.name is
  'The display name, as private.search_text returns it; empty without a name.';
comment on column private.user_search_entries.name_terms is
  'The letters and pairs of adjacent letters of the name: most searches for Japanese names have two.';

-- The list, and the list of a status.
create index user_search_entries_created_idx on private.user_search_entries (created_at desc, user_id desc);
create index user_search_entries_status_idx on private.user_search_entries (status, created_at desc, user_id desc);
create index user_search_entries_email_idx on private.user_search_entries using gin (email extensions.gin_trgm_ops);
create index user_search_entries_name_idx on private.user_search_entries using gin (name_terms);
create index user_search_entries_premium_idx on private.user_search_entries (premium_ends_at) where premium_ends_at is not null;

-- ---------------------------------------------------------------------------------------------------------------------
-- Invitations
-- ---------------------------------------------------------------------------------------------------------------------

create table private.admin_invitations (
  id uuid primary key default gen_random_uuid(),
  email text not null unique,
  name text,
  areas text[] not null,
  invited_by uuid not null,
  request_id text,
  claimed_until timestamptz,
  user_id uuid,
  created_at timestamptz not null default now()
);

comment on table private.admin_invitations is
  'Administrators who are being invited, and those who were invited in the last two days.';
comment on column private.admin_invitations.request_id is 'The X-Request-Id of the request, for the record of the act.';
comment on column private.admin_invitations.claimed_until is
  'The end of the current claim to send it; null: not claimed yet.';
comment on column private.admin_invitations.user_id is 'The administrator; null until the identity provider has created them.';
