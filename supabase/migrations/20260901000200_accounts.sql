-- Accounts: who may act, in which role, and how a user reads their own account.
--
-- The identity provider stores sign-in (schema auth); this domain stores the account status. An app user is a user who signed
-- up. An administrator is made by the back office, which writes {"admin": {"name", "areas", "status"}} into the app metadata
-- of the auth user; only the service key can do that. Triggers on auth.users create and change the rows in its transaction.
--
-- Invariants: the id of a row is the id of the auth user; deleting the auth user deletes the row. Metadata that users write
-- about themselves never makes a sign-up fail. Metadata of an administrator that is not valid is rejected as a whole.
-- Only accounts with status 'active' may act: a suspended or withdrawn caller may only read my_account.
--
-- Interface: api.my_account, commands.update_my_account; for the other domains private.active_user(), private.optional_user(),
-- private.check_admin(admin, area), private.is_premium(user), and for writers private.writing_user() or private.lock_account(user).

-- ---------------------------------------------------------------------------------------------------------------------
-- Types
-- ---------------------------------------------------------------------------------------------------------------------

create function private.admin_areas() returns text[]
language sql immutable
return array[
  'lots', 'notifications', 'reviews', 'search_presets', 'store_sync', 'support', 'users', 'rewards', 'content', 'admins'
];

comment on function private.admin_areas() is 'The areas that an administrator can have; each is the permission scope admin:<area>.';

grant execute on function private.admin_areas() to service_role; -- a constraint calls it as the role that writes the row

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables
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

create table public.admins (
  id uuid primary key references auth.users (id) on delete cascade,
  name text constraint admins_name_length check (char_length(name) between 1 and 100),
  status text not null default 'active' constraint admins_status_known check (status in ('active', 'suspended')),
  areas text[] not null default '{}' constraint admins_areas_known
    check (areas <@ private.admin_areas() and array_position(areas, null) is null),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on table public.admins is 'Administrators of the service, as the app metadata of their auth user describes them.';
comment on column public.admins.areas is 'The areas of the administrator; each is the permission scope admin:<area>.';
comment on column public.admins.status is
  'suspended: by an administrator or the back office, or because the app metadata has no admin object any more.';

-- No index but the primary keys: every read is by the id of the caller.

-- An activity does not change the account.
create trigger _100_touch_updated_at before update on public.app_users
for each row when (new.last_active_on is not distinct from old.last_active_on) execute function private.tg_touch_updated_at();

create trigger _900_check_start before insert on public.app_users
for each row execute function private.tg_check_state('account');
create trigger _900_check_move before update on public.app_users
for each row when (new.status <> old.status) execute function private.tg_check_state('account');

create trigger _100_touch_updated_at before update on public.admins
for each row execute function private.tg_touch_updated_at();

-- ---------------------------------------------------------------------------------------------------------------------
-- Row security
-- ---------------------------------------------------------------------------------------------------------------------

alter table public.app_users enable row level security;
alter table public.admins enable row level security;

create policy "A user reads their own account" on public.app_users
for select to authenticated using ((select auth.uid()) = id);

create policy "An active user edits their own account" on public.app_users
for update to authenticated
using ((select auth.uid()) = id and status = 'active')
with check ((select auth.uid()) = id and status = 'active');

-- No insert, no delete: triggers on auth.users create and delete accounts.

create policy "An administrator reads their own record" on public.admins
for select to authenticated using ((select auth.uid()) = id);

-- No insert, update or delete: the rows are copies of the app metadata of auth.users, which the console changes (2150).

grant select (id, display_name, lang, status, created_at, updated_at), update (display_name, lang) on public.app_users to authenticated;
grant select (id, name, status, areas, created_at, updated_at) on public.admins to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: rows that follow auth.users
-- ---------------------------------------------------------------------------------------------------------------------

create function private.tg_users__open_account() returns trigger
language plpgsql
security definer -- the role of the auth server inserts the user and has no right on these tables
set search_path = ''
as $$
declare
  v_name jsonb := new.raw_user_meta_data -> 'display_name';
begin
  insert into public.app_users (id, display_name)
  values (
    new.id,
    case when jsonb_typeof(v_name) = 'string' and char_length(v_name #>> '{}') between 1 and 100 then v_name #>> '{}' end
  )
  on conflict (id) do nothing;
  return null;
end
$$;

comment on function private.tg_users__open_account() is
  'Opens the app account of a new auth user. A display_name that is not a string of 1 to 100 characters is left out and never rejected.';

create function private.check_admin_metadata(p_admin jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_param text;
begin
  if jsonb_typeof(p_admin) <> 'object' then
    v_param := 'app_metadata.admin';
  elsif p_admin - array['name', 'areas', 'status'] <> '{}'::jsonb then
    v_param := 'app_metadata.admin.' || (select min(key) from jsonb_object_keys(p_admin - array['name', 'areas', 'status']) as key);
  elsif jsonb_typeof(coalesce(p_admin -> 'name', 'null')) not in ('string', 'null')
    or char_length(p_admin ->> 'name') not between 1 and 100 then
    v_param := 'app_metadata.admin.name';
  elsif jsonb_typeof(coalesce(p_admin -> 'areas', '[]')) <> 'array'
    or not coalesce(p_admin -> 'areas', '[]') <@ to_jsonb(private.admin_areas()) then
    v_param := 'app_metadata.admin.areas';
  elsif coalesce(p_admin -> 'status', '"active"') not in ('"active"', '"suspended"') then
    v_param := 'app_metadata.admin.status';
  end if;

  if v_param is not null then
    perform private.raise_error(
      'validation_error', 422,
      format(
        '%s is not valid. admin must be {"name": string or null, "areas": some of %s, "status": "active" or "suspended"}.',
        v_param, to_jsonb(private.admin_areas())
      ),
      p_param => v_param
    );
  end if;
end
$$;

comment on function private.check_admin_metadata(jsonb) is 'Checks the admin object of the app metadata: {name, areas, status}. Errors: validation_error.';

create function private.tg_users__sync_admin() returns trigger
language plpgsql
security definer -- the role of the auth server writes the metadata and has no right on these tables
set search_path = ''
as $$
declare
  v_admin jsonb := nullif(new.raw_app_meta_data -> 'admin', 'null');
begin
  if v_admin is null then
    update public.admins set status = 'suspended', areas = '{}' where id = new.id;
    return null;
  end if;

  perform private.check_admin_metadata(v_admin);

  insert into public.admins (id, name, status, areas)
  values (
    new.id,
    v_admin ->> 'name',
    coalesce(v_admin ->> 'status', 'active'),
    array(select distinct area from jsonb_array_elements_text(coalesce(v_admin -> 'areas', '[]')) as area order by area)
  )
  on conflict (id) do update set name = excluded.name, status = excluded.status, areas = excluded.areas
  where (admins.name, admins.status, admins.areas) is distinct from (excluded.name, excluded.status, excluded.areas);

  -- The auth server may write the metadata in a second statement of the transaction that creates the user. Then the app
  -- account that the first statement opened is deleted; an older account is kept.
  delete from public.app_users where id = new.id and created_at = transaction_timestamp();
  return null;
end
$$;

comment on function private.tg_users__sync_admin() is
  'Copies the admin object of the app metadata to the admins row. Without the object the administrator is suspended and has no areas.';

create trigger _100_open_account after insert on auth.users
for each row execute function private.tg_users__open_account();

create trigger _200_create_admin after insert on auth.users
for each row when (new.raw_app_meta_data -> 'admin' is not null)
execute function private.tg_users__sync_admin();

create trigger _200_sync_admin after update of raw_app_meta_data on auth.users
for each row when (new.raw_app_meta_data -> 'admin' is distinct from old.raw_app_meta_data -> 'admin')
execute function private.tg_users__sync_admin();

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: the caller
-- ---------------------------------------------------------------------------------------------------------------------

create function private.caller() returns uuid
language plpgsql stable
set search_path = ''
as $$
begin
  if auth.uid() is null then
    perform private.raise_error('unauthorized', 401, 'Sign in first.');
  end if;
  return auth.uid();
end
$$;

comment on function private.caller() is 'The id of the authenticated caller, with any account status. Errors: unauthorized.';

create function private.require_active(p_status text) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if p_status is distinct from 'active' then
    perform private.raise_error('forbidden', 403, case p_status
      when 'suspended' then 'This account is suspended.'
      when 'withdrawn' then 'This account is withdrawn.'
      else 'This account is not an account of an app user. Sign in as an app user.'
    end);
  end if;
end
$$;

comment on function private.require_active(text) is 'Rejects an account status other than active; null: the account is not an app user''s. Errors: forbidden.';

create function private.active_user() returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  v_user_id uuid := private.caller();
begin
  perform private.require_active((select status from public.app_users where id = v_user_id));
  return v_user_id;
end
$$;

comment on function private.active_user() is
  'The id of the calling app user, whose account is active. Errors: unauthorized, forbidden.';

create function private.lock_account(p_user_id uuid) returns void
language plpgsql
security definer -- an administrator who writes for a user may not write that user's account
set search_path = ''
as $$
declare
  v_status text;
begin
  select u.status into v_status from public.app_users u where u.id = p_user_id for no key update;
  perform private.require_active(v_status);
end
$$;

comment on function private.lock_account(uuid) is
  'Locks an account until the transaction ends: other writers of the account wait, and its status cannot change. Errors: forbidden, when it is not active.';

create function private.writing_user() returns uuid
language plpgsql
set search_path = ''
as $$
declare
  v_user_id uuid := private.caller();
begin
  perform private.lock_account(v_user_id);
  return v_user_id;
end
$$;

comment on function private.writing_user() is
  'private.active_user for writers: it locks the account, so that the writes of one user run one after the other and never during a withdrawal. Errors: unauthorized, forbidden.';

create function private.is_premium(p_user_id uuid) returns boolean
language plpgsql stable
security definer -- domains that may not read the account need to know whether the user is a premium member
set search_path = ''
as $$
begin
  return exists (select from public.app_users u where u.id = p_user_id and u.premium_ends_at > now());
end
$$;

comment on function private.is_premium(uuid) is 'Whether a user is a premium member now.';

create function private.optional_user() returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  v_user_id uuid := auth.uid();
  v_status text;
begin
  if v_user_id is not null then
    select status into v_status from public.app_users where id = v_user_id;
    if found then
      perform private.require_active(v_status);
    end if;
  end if;
  return v_user_id;
end
$$;

comment on function private.optional_user() is
  'For public reads: the id of the caller, null for an anonymous user. Errors: forbidden, for an app user who is not active.';

create function private.check_admin(p_admin_id uuid, p_area text) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_areas text[];
  v_missing text;
begin
  select areas into v_areas from public.admins where id = p_admin_id and status = 'active';
  v_missing := case when v_areas is null then 'admin' when p_area <> all (v_areas) then 'admin:' || p_area end;
  if v_missing is not null then
    perform private.raise_error('forbidden', 403, format('This requires the permission scope %s.', v_missing),
      p_details => jsonb_build_object('scope', v_missing));
  end if;
end
$$;

comment on function private.check_admin(uuid, text) is
  'For reads of the console: requires an active administrator who has the area; a null area: any active administrator. Errors: forbidden; details.scope is the missing permission scope.';

create function private.areas_of(p_admin_id uuid) returns text[]
language plpgsql stable
set search_path = ''
as $$
begin
  return coalesce((select a.areas from public.admins a where a.id = p_admin_id and a.status = 'active'), '{}');
end
$$;

comment on function private.areas_of(uuid) is
  'For reads of the console that any active administrator may call: what they return belongs to these areas.';

create function private.scopes_of(p_user_id uuid) returns text[]
language plpgsql stable
set search_path = ''
as $$
begin
  return array(select 'user' from public.app_users where id = p_user_id and status = 'active')
    || array(select 'premium' from public.app_users where id = p_user_id and status = 'active' and private.is_premium(id))
    || array(select 'admin' from public.admins where id = p_user_id and status = 'active')
    || array(
      select 'admin:' || area
      from public.admins cross join unnest(areas) as area
      where id = p_user_id and status = 'active'
      order by area
    );
end
$$;

comment on function private.scopes_of(uuid) is
  'The permission scopes of an account: user, premium, admin, admin:<area>. Empty for an account that is not active or that the caller may not read.';

create function private.account_row(p_user_id uuid, p_email text, p_avatar jsonb) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'user_id', p_user_id,
    'email', p_email,
    'app_user', (
      select jsonb_build_object(
        'id', id, 'display_name', display_name, 'avatar', p_avatar, 'lang', lang, 'status', status, 'created_at', created_at
      )
      from public.app_users where id = p_user_id
    ),
    'admin', (
      select jsonb_build_object('id', id, 'name', name, 'status', status)
      from public.admins where id = p_user_id
    ),
    'permission_scopes', private.scopes_of(p_user_id)
  );
end
$$;

comment on function private.account_row(uuid, text, jsonb) is
  'An account as the interface shows it to its owner. The e-mail and the avatar are arguments, because the caller of this function decides who may read them.';

create function private.my_auth_user() returns table (email text)
language plpgsql stable
security definer -- auth.users belongs to the identity provider; this returns the e-mail of the caller only
set search_path = ''
as $$
begin
  return query
  select u.email::text from auth.users u where u.id = (select auth.uid()) and u.deleted_at is null;
end
$$;

comment on function private.my_auth_user() is
  'The auth user of the caller as it is now (a token has the e-mail of its time of issue). No row when it was deleted.';

grant execute on function
  private.caller(), private.require_active(text), private.active_user(), private.writing_user(), private.lock_account(uuid),
  private.is_premium(uuid), private.scopes_of(uuid),
  private.account_row(uuid, text, jsonb), private.my_auth_user()
to authenticated;

grant execute on function private.optional_user() to anon, authenticated;
grant execute on function
  private.check_admin(uuid, text), private.areas_of(uuid), private.is_premium(uuid), private.scopes_of(uuid), private.account_row(uuid, text, jsonb)
to service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface
-- ---------------------------------------------------------------------------------------------------------------------

create function api.my_account() returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_user_id uuid := private.caller();
  v_email text;
begin
  select email into v_email from private.my_auth_user();
  if not found then
    perform private.raise_error('unauthorized', 401, 'This account no longer exists. Sign in again.');
  end if;

  return private.account_row(v_user_id, v_email, private.my_avatar());
end
$$;

comment on function api.my_account() is
  'The caller''s account and permission scopes. Reads only; also for suspended and withdrawn callers. Errors: unauthorized.';

create function commands.update_my_account(
  p_display_name text default null, p_avatar_asset_id uuid default null, p_remove_avatar boolean default false,
  p_lang text default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_user_id uuid := private.writing_user();
begin
  update public.app_users set display_name = coalesce(p_display_name, display_name), lang = coalesce(p_lang, lang)
  where id = v_user_id;
  if not found then
    -- The account status changed after active_user() read it.
    perform private.raise_error('forbidden', 403, 'This account is suspended.');
  end if;
  if p_avatar_asset_id is not null or p_remove_avatar then
    perform private.put_avatar(p_avatar_asset_id);
  end if;

  return api.my_account();
end
$$;

comment on function commands.update_my_account(text, uuid, boolean, text) is
  'Changes the given fields of the caller''s account and returns it as my_account does. An avatar is an upload of the caller; p_remove_avatar removes it; the previous one is deleted. Idempotent. Errors: unauthorized, forbidden, not_found.';

grant execute on function api.my_account(), commands.update_my_account(text, uuid, boolean, text) to authenticated;
