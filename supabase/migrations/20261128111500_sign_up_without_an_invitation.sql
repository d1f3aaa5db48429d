-- A sign-up whose metadata have an invitation of null is one without an invitation; it failed.
--
-- The definition is that of supabase/schemas after this change. The way back: the function as it was.

set lock_timeout = '2s';

-- Makes a new auth user whose metadata have the id of an invitation an administrator, and records the act. Fails when the
-- administrator who invited has no longer the area.
create or replace function private.tg_users__accept_invitation() returns trigger
language plpgsql
security definer -- the auth server's role inserts the user and has no right on invitations, administrators and records
set search_path = ''
as $$
declare
  v_invitation private.admin_invitations;
begin
  select * into v_invitation from private.admin_invitations i where i.email = lower(new.email);
  -- Compared as text: metadata that users write need not be an id.
  if v_invitation.id is null or v_invitation.id::text is distinct from new.raw_user_meta_data ->> 'invitation' then
    return new;
  end if;
  -- Locked in the order of the functions of the interface, which lock the administrator first.
  perform private.lock_admin(v_invitation.invited_by, 'admins');
  update private.admin_invitations i set user_id = new.id
  where i.id = v_invitation.id and i.user_id is null and i.claimed_until > now();
  if not found then
    return new;
  end if;
  new.raw_user_meta_data := new.raw_user_meta_data - 'invitation';
  new.raw_app_meta_data := coalesce(new.raw_app_meta_data, '{}') || jsonb_build_object('admin', jsonb_build_object(
    'name', v_invitation.name, 'areas', v_invitation.areas, 'status', 'active'
  ));
  -- The administrator's request is not the current request of the database.
  perform set_config('request.headers', jsonb_build_object('x-request-id', v_invitation.request_id)::text, true);
  perform private.record_act(v_invitation.invited_by, 'admin.invite', 'admin', new.id::text, new.id,
    private.difference(null, jsonb_build_object('name', v_invitation.name, 'areas', v_invitation.areas, 'status', 'active')));
  return new;
end
$$;
