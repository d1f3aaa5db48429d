-- Administrators need a second factor: a session that is aal2. The rule is where an administrator is looked up, so it holds
-- at the console's routes, at the Data API and for live channels. Another administrator resets a lost factor.
--
-- The definitions are those of supabase/schemas after this change. The way back is a file of its own.

set lock_timeout = '2s';

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

-- For reads of the console: requires an active administrator who has the area, and their second factor; a null area: any
-- active administrator. Errors: forbidden; details.scope is the missing permission scope, or details.reason is
-- mfa_required.
create or replace function private.check_admin(p_admin_id uuid, p_area text) returns void
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

alter policy "Administrators of users read all activity" on public.user_activity_logs
  using ((select private.has_second_factor()) and exists (
    select from public.admins a where a.id = (select auth.uid()) and a.status = 'active' and 'users' = any (a.areas)
  ));
alter policy "Administrators of store sync read the runs" on public.store_sync_runs
  using ((select private.has_second_factor()) and exists (
    select from public.admins a where a.id = (select auth.uid()) and a.status = 'active' and 'store_sync' = any (a.areas)
  ));
alter policy "Administrators of store sync read the reviews" on public.store_reviews
  using ((select private.has_second_factor()) and exists (
    select from public.admins a where a.id = (select auth.uid()) and a.status = 'active' and 'store_sync' = any (a.areas)
  ));
alter policy "Administrators of store sync read the sales" on public.store_daily_sales
  using ((select private.has_second_factor()) and exists (
    select from public.admins a where a.id = (select auth.uid()) and a.status = 'active' and 'store_sync' = any (a.areas)
  ));
alter policy "Administrators of store sync read the metrics" on public.store_metrics
  using ((select private.has_second_factor()) and exists (
    select from public.admins a where a.id = (select auth.uid()) and a.status = 'active' and 'store_sync' = any (a.areas)
  ));
alter policy "Active administrators read the crashes" on public.client_crash_reports
  using (
    (select private.has_second_factor())
    and (select true from public.admins a where a.id = (select auth.uid()) and a.status = 'active')
  );
alter policy "Administrators read their own notifications" on public.admin_notifications
  using (
    (admin_id is null or (select auth.uid()) = admin_id)
    and (select private.has_second_factor())
    and exists (
      select from public.admins a
      where a.id = (select auth.uid()) and a.status = 'active' and (area is null or area = any (a.areas))
    )
  );
alter policy "Administrators read the records of their areas" on public.admin_activity_logs
  using ((select private.has_second_factor()) and exists (
    select from public.admins a
    where a.id = (select auth.uid()) and a.status = 'active' and private.area_of_act(action) = any (a.areas)
  ));
alter policy "Users join their own topics, administrators the console's" on realtime.messages
  using (
    extension = 'broadcast'
    and case
      when (select realtime.topic()) in ('live-user-activity', 'admin-notifications-sidebar') then
        (select private.has_second_factor()) and exists (
          select from public.admins a where a.id = (select auth.uid()) and a.status = 'active'
            -- Where users park, and when.
            and ((select realtime.topic()) <> 'live-user-activity' or 'users' = any (a.areas))
        )
      when (select realtime.topic()) in (
        'user_notifications:user_id=eq.' || (select auth.uid()),
        'parking_sessions:user_id=eq.' || (select auth.uid()),
        'user_badges:user_id=eq.' || (select auth.uid())
      ) then
        exists (select from public.app_users u where u.id = (select auth.uid()) and u.status = 'active')
      else false
    end
  );

drop function private.admin_sign_ins(uuid[]);

-- E-mail address, invitation, last sign-in and second factor of administrators; no row for other users.
create function private.admin_sign_ins(p_ids uuid[])
returns table (id uuid, email text, invited_at timestamptz, last_sign_in_at timestamptz, has_second_factor boolean)
language plpgsql stable
security definer -- auth.users is the identity provider's; returns only the sign-in data of administrators
set search_path = ''
as $$
begin
  return query
  select u.id, u.email::text, u.invited_at, u.last_sign_in_at,
    exists (select from auth.mfa_factors f where f.user_id = u.id and f.status = 'verified')
  from auth.users u join public.admins a on a.id = u.id
  where u.id = any (p_ids);
end
$$;

-- Administrators as the console returns them, newest first; null for an empty list.
create or replace function private.admin_rows(p_ids uuid[]) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select jsonb_agg(jsonb_build_object(
      'id', a.id, 'email', s.email, 'name', a.name, 'status', a.status, 'areas', a.areas, 'invited_at', s.invited_at,
      'last_sign_in_at', s.last_sign_in_at, 'has_second_factor', s.has_second_factor, 'created_at', a.created_at, 'updated_at', a.updated_at
    ) order by a.created_at desc, a.id desc)
    from public.admins a left join private.admin_sign_ins(p_ids) s on s.id = a.id
    where a.id = any (p_ids)
  );
end
$$;

-- Removes the second factors of an administrator and ends their sessions. Their access tokens are valid until they expire.
create function private.remove_second_factors(p_id uuid) returns void
language plpgsql
security definer -- the factors and sessions are the identity provider's; only those of an administrator are deleted
set search_path = ''
as $$
begin
  delete from auth.mfa_factors f using public.admins a where a.id = p_id and f.user_id = a.id;
  delete from auth.sessions s using public.admins a where a.id = p_id and s.user_id = a.id;
end
$$;

create function api.admin_reset_second_factor(p_admin_id uuid, p_id uuid, p_reason text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_reason text;
begin
  perform private.lock_admin(p_admin_id, 'admins');
  v_reason := private.required_reason(p_reason);
  perform private.locked_row(null::public.admins, jsonb_build_object('id', p_id), 'administrator');
  if p_id = p_admin_id then
    perform private.raise_error('forbidden', 403, 'Administrators cannot reset their own second factor. Another administrator must do it.',
      p_details => '{"reason": "own_account"}');
  end if;
  perform private.remove_second_factors(p_id);
  perform private.record_act(p_admin_id, 'admin.reset_second_factor', 'admin', p_id::text, p_id, jsonb_build_object('reason', v_reason));
  return private.console_admin(p_id);
end
$$;

comment on function api.admin_reset_second_factor(uuid, uuid, text) is
  'Removes the second factors of another administrator, ends their sessions, and returns them: at the next sign-in they enroll again. Recorded with the reason. Area admins. Errors: forbidden, validation_error, not_found.';

select private.add_admin_actions('[["admin.reset_second_factor", "管理者の二要素認証のリセット", "Reset the second factor of an administrator"]]');
