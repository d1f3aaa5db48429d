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
-- Rows that follow auth.users
-- ---------------------------------------------------------------------------------------------------------------------

-- A name as other users see it, on one line. Null when nothing visible is left.
create function private.shown_name(p_name text) returns text
language sql immutable
return regexp_replace(private.trimmed(p_name), '\s+', ' ', 'g');

grant execute on function private.shown_name(text) to authenticated;

-- Stores the name of a user as others see it. One that cannot be seen is empty, which the table refuses.
create function private.tg_app_users__show_name() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.display_name := coalesce(private.shown_name(new.display_name), '');
  return new;
end
$$;

-- Opens the app account of a new auth user. A display_name that is not a string of 1 to 100 characters, of which one can be
-- seen, is left out and never rejected.
create function private.tg_users__open_account() returns trigger
language plpgsql
security definer -- the role of the auth server inserts the user and has no right on these tables
set search_path = ''
as $$
declare
  v_given constant jsonb := new.raw_user_meta_data -> 'display_name';
  v_name constant text := case when jsonb_typeof(v_given) = 'string' then private.shown_name(left(v_given #>> '{}', 1000)) end;
begin
  insert into public.app_users (id, display_name)
  values (new.id, case when char_length(v_name) <= 100 then v_name end)
  on conflict (id) do nothing;
  return null;
end
$$;

-- Checks the admin object of the app metadata: {name, areas, status}. Errors: validation_error.
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

-- Copies the admin object of the app metadata to the admins row. Without the object the administrator is suspended and
-- has no areas.
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

-- ---------------------------------------------------------------------------------------------------------------------
-- The caller
-- ---------------------------------------------------------------------------------------------------------------------

-- The id of the authenticated caller, with any account status. Errors: unauthorized.
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

-- Rejects an account status other than active; null: the account is not an app user's. Errors: forbidden.
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

-- The id of the calling app user, whose account is active. Errors: unauthorized, forbidden.
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

-- Locks an account until the transaction ends: other writers of the account wait, and its status cannot change. Errors:
-- forbidden, when it is not active.
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

-- private.active_user for writers: it locks the account, so that the writes of one user run one after the other and never
-- during a withdrawal. Errors: unauthorized, forbidden.
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

-- Whether a user is a premium member now.
create function private.is_premium(p_user_id uuid) returns boolean
language plpgsql stable
security definer -- domains that may not read the account need to know whether the user is a premium member
set search_path = ''
as $$
begin
  return exists (select from public.app_users u where u.id = p_user_id and u.premium_ends_at > now());
end
$$;

-- For public reads: the id of the caller, null for an anonymous user. Errors: forbidden, for an app user who is not
-- active.
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

-- For reads of the console: requires an active administrator who has the area, and their second factor; a null area: any
-- active administrator. Errors: forbidden; details.scope is the missing permission scope, or details.reason is
-- mfa_required.
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
  elsif not private.has_second_factor() then
    perform private.raise_error('forbidden', 403,
      'Administrators need a second factor. Enter a code of the authenticator app, or enroll one first.',
      p_details => '{"reason": "mfa_required"}');
  end if;
end
$$;

-- For reads of the console that any active administrator may call: what they return belongs to these areas.
create function private.areas_of(p_admin_id uuid) returns text[]
language plpgsql stable
set search_path = ''
as $$
begin
  return coalesce((select a.areas from public.admins a where a.id = p_admin_id and a.status = 'active'), '{}');
end
$$;

-- The permission scopes of an account: user, premium, admin, admin:<area>. Empty for an account that is not active or
-- that the caller may not read.
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

-- An account as the interface shows it to its owner. The e-mail and the avatar are arguments, because the caller of this
-- function decides who may read them.
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

-- The auth user of the caller as it is now (a token has the e-mail of its time of issue). No row when it was deleted.
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

grant execute on function
  private.caller(), private.require_active(text), private.active_user(), private.writing_user(), private.lock_account(uuid),
  private.is_premium(uuid), private.scopes_of(uuid),
  private.account_row(uuid, text, jsonb), private.my_auth_user()
to authenticated;

grant execute on function private.optional_user() to anon, authenticated;
