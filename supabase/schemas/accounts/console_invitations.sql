-- Invitations of administrators (area admins): a new administrator gets a mail, whose link opens the account.
--
-- The identity provider owns accounts: it creates the auth user and sends the mail, in its own transaction. An invitation
-- is written before, checked and without any effect. The request to the identity provider has its id in the metadata of
-- the new user, where a trigger finds it. In the transaction that creates the user, the user becomes an administrator and
-- the act is recorded. When the mail cannot be sent, all of it is rolled back.
--
-- api.admin_invite_admin        writes the invitation; with an Idempotency-Key a repeated request gets the same one
-- api.admin_claim_invitation    returns whether the mail is not yet sent, and keeps others from sending it for 15 seconds
-- POST /auth/v1/invite          {email, data: {invitation: <id>}} api.admin_get_invited_admin   the administrator
--
-- The sender of these requests may stop after each of them: a later repetition continues from there.
--
-- Invariants: one administrator, one mail and one act for each invitation. The id of an invitation is valid for 15
-- seconds after it was claimed, for its address only, and while the administrator who invited has the area. Metadata that
-- users write at sign-up have no effect unless they contain the id of an invitation.
-- Interface: the three functions of api in this file, in this order.

-- Makes a new auth user whose metadata have the id of an invitation an administrator, and records the act. Fails when the
-- administrator who invited has no longer the area.
create function private.tg_users__accept_invitation() returns trigger
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

-- Writes an invitation, and returns its id. Errors: conflict.
create function private.write_invitation(p_admin_id uuid, p_email text, p_name text, p_areas text[]) returns uuid
language plpgsql
security definer -- auth.users is the identity provider's and invitations are private; returns only whether an address is taken
set search_path = ''
as $$
declare
  v_id uuid;
begin
  if exists (select from auth.users u where u.email = p_email and not u.is_sso_user) then
    perform private.raise_error('conflict', 409, 'An account with this e-mail address exists already. Use another address.', p_param => 'email',
      p_details => '{"reason": "email_exists"}');
  end if;
  -- One row an address. Its account may be deleted by now, or the invitation may be unused.
  delete from private.admin_invitations i
  where i.email = p_email and (i.claimed_until is null or i.claimed_until <= now() or i.user_id is not null);
  insert into private.admin_invitations (email, name, areas, invited_by, request_id)
  values (p_email, p_name, p_areas, p_admin_id, nullif(current_setting('request.headers', true), '')::jsonb ->> 'x-request-id')
  on conflict (email) do nothing
  returning id into v_id;
  if v_id is null then
    perform private.raise_error('conflict', 409, 'This invitation is being sent. Retry in a few seconds.', p_param => 'email',
      p_details => '{"reason": "being_invited"}');
  end if;
  return v_id;
end
$$;

-- The address of an administrator's own invitation, and whether it was sent; if not, it is claimed for 15 seconds.
-- Errors: conflict.
create function private.claim_invitation(p_admin_id uuid, p_id uuid) returns jsonb
language plpgsql
security definer -- invitations are private
set search_path = ''
as $$
declare
  v_invitation private.admin_invitations;
begin
  select * into v_invitation from private.admin_invitations i where i.id = p_id and i.invited_by = p_admin_id for update;
  if not found then
    perform private.raise_error('conflict', 409, 'Another request has invited this address since. Send the invitation again.', p_param => 'email',
      p_details => '{"reason": "invitation_replaced"}');
  elsif v_invitation.user_id is null and v_invitation.claimed_until > now() then
    perform private.raise_error('conflict', 409, 'This invitation is being sent. Retry in a few seconds.', p_param => 'email',
      p_details => '{"reason": "being_invited"}');
  elsif v_invitation.user_id is null then
    update private.admin_invitations set claimed_until = now() + interval '15 seconds' where id = p_id;
  end if;
  return jsonb_build_object('email', v_invitation.email, 'is_sent', v_invitation.user_id is not null);
end
$$;

-- The auth user of an invitation; null before there is one.
create function private.invited_user(p_id uuid) returns uuid
language plpgsql stable
security definer -- invitations are private
set search_path = ''
as $$
begin
  return (select i.user_id from private.admin_invitations i where i.id = p_id);
end
$$;

create function api.admin_invite_admin(p_admin_id uuid, p_email text, p_areas text[], p_name text default null) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_email constant text := lower(p_email);
begin
  perform private.lock_admin(p_admin_id, 'admins');
  if v_email is null or char_length(v_email) > 255 or v_email !~ '^[^\s@]+@[^\s@]+\.[^\s@]+$' then
    perform private.raise_error('validation_error', 422, 'email must be an e-mail address, for example name@example.com.', p_param => 'email');
  end if;
  perform private.check_admin_fields(jsonb_build_object('name', p_name, 'areas', p_areas));
  return jsonb_build_object(
    'invitation_id', private.write_invitation(p_admin_id, v_email, p_name, private.sorted_areas(to_jsonb(p_areas)))
  );
end
$$;

comment on function api.admin_invite_admin(uuid, text, text[], text) is
  'Writes the invitation of an administrator: {invitation_id}. It has no effect before POST /auth/v1/invite with {"email", "data": {"invitation": <id>}}, which is recorded. Area admins. Errors: forbidden, validation_error, conflict.';

create function api.admin_claim_invitation(p_admin_id uuid, p_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_admin(p_admin_id, 'admins');
  return private.claim_invitation(p_admin_id, p_id);
end
$$;

comment on function api.admin_claim_invitation(uuid, uuid) is
  'Before an invitation of the administrator is sent: {email, is_sent}. Unless it was sent, only the caller may send it for 15 seconds. Area admins. Errors: forbidden, conflict.';

create function api.admin_get_invited_admin(p_admin_id uuid, p_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_user_id uuid;
begin
  perform private.check_admin(p_admin_id, 'admins');
  v_user_id := private.invited_user(p_id);
  if v_user_id is null then
    perform private.raise_error('conflict', 409, 'An account with this e-mail address exists already. Use another address.', p_param => 'email',
      p_details => '{"reason": "email_exists"}');
  end if;
  return private.console_admin(v_user_id);
end
$$;

comment on function api.admin_get_invited_admin(uuid, uuid) is
  'The administrator of an invitation that was sent. Area admins. Errors: forbidden, not_found, conflict.';
