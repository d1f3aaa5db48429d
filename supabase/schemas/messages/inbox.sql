-- Notifications: messages of the service to users, their preferences, and their devices.
--
-- A notification to one user is a row with their id; it is in their inbox once it is sent. A notification to many (target
-- all, free or premium) is a row without a user, in no inbox: sending it writes a row for each user. The preference of a
-- user for a type is read when the row is written: is_in_app then stays as it is.
--
-- Invariants: users see only notifications that are theirs, sent and for the inbox. The token of a device belongs to one
-- user, the one who registered it last, and a user has at most twenty.
-- Interface: api.list_my_notifications, commands.mark_my_notifications_read, put_my_push_token, delete_my_push_token; for
-- the other domains private.notify_user, which writes the row, its pushes (messages/push.sql) and its mail
-- (messages/mail.sql). Preferences are in messages/preferences.sql.

-- Sends a notification to a user, in the transaction of its cause, and returns its id: to the inbox unless the user turned
-- that off for the type, then to the devices, then by mail. Its pushes are of use until p_useful_until. For functions of
-- the service only. An unknown type is an error.
create function private.notify_user(
  p_user_id uuid, p_type text, p_title text, p_body text, p_target text default 'user', p_data jsonb default '{}',
  p_useful_until timestamptz default null
) returns uuid
language plpgsql
security definer -- no role writes notifications directly, least of all to other users
set search_path = ''
as $$
declare
  v_id uuid;
begin
  insert into public.user_notifications (user_id, type, title, body, target, status, sent_at, is_in_app, data)
  select p_user_id, t.code, p_title, p_body, p_target, 'sent', now(), coalesce(p.in_app_enabled, t.in_app_enabled), p_data
  from public.notification_types t
  left join public.notification_preferences p on p.user_id = p_user_id and p.notif_type = t.code
  where t.code = p_type
  returning id into strict v_id;
  perform private.push_notification(v_id, p_user_id, p_type, p_useful_until);
  perform private.write_mails(v_id, p_type, false, array[p_user_id]);
  return v_id;
end
$$;

-- Registers a device for the caller, also if it belonged to another user, and deletes the longest unused ones beyond
-- twenty. Errors: unauthorized, forbidden.
create function private.take_push_token(p_fcm_token text, p_device_type text) returns public.user_push_tokens
language plpgsql
security definer -- the token may belong to another user, whose row the caller can neither see nor change
set search_path = ''
as $$
declare
  v_user_id uuid := private.writing_user();
  v_token public.user_push_tokens;
begin
  -- A token that another user had is a new one for its new owner.
  insert into public.user_push_tokens as t (user_id, fcm_token, device_type)
  values (v_user_id, p_fcm_token, p_device_type)
  on conflict (fcm_token) do update set
    user_id = excluded.user_id, device_type = excluded.device_type,
    id = case when t.user_id = excluded.user_id then t.id else excluded.id end,
    created_at = case when t.user_id = excluded.user_id then t.created_at else excluded.created_at end
  returning * into v_token;
  delete from public.user_push_tokens d using (
    select o.id from public.user_push_tokens o where o.user_id = v_user_id and o.id <> v_token.id
    order by o.updated_at desc, o.id offset 19
  ) as stale where d.id = stale.id;
  return v_token;
end
$$;

-- A notification as the interface shows it.
create function private.notification_row(p_notification public.user_notifications) returns jsonb
language sql stable
return jsonb_build_object(
  'id', (p_notification).id, 'title', (p_notification).title, 'body', (p_notification).body,
  'type', (p_notification).type, 'target', (p_notification).target, 'status', (p_notification).status,
  'scheduled_at', (p_notification).scheduled_at, 'sent_at', (p_notification).sent_at,
  'read_at', (p_notification).read_at, 'created_at', (p_notification).created_at, 'data', (p_notification).data
);

-- The next notifications of an inbox after p_after, latest first; p_unread true or false: only unread or read ones.
create function private.inbox_page(p_user_id uuid, p_unread boolean, p_after jsonb, p_limit integer)
returns setof public.user_notifications
language plpgsql stable rows 20
set search_path = ''
as $$
begin
  return query
    select l.*
    from unnest(case when p_unread is null then '{true,false}' else array[p_unread] end) as u (is_unread)
    cross join lateral (
      select n.* from public.user_notifications n
      where n.user_id = p_user_id and n.status = 'sent' and n.is_in_app and (n.read_at is null) = u.is_unread
        and (n.sent_at, n.id) < ((p_after ->> 0)::timestamptz, (p_after ->> 1)::uuid)
      order by n.sent_at desc, n.id desc limit p_limit
    ) l
    order by l.sent_at desc, l.id desc limit p_limit;
end
$$;

-- A device as the interface shows it to its owner.
create function private.push_token_row(p_token public.user_push_tokens) returns jsonb
language sql stable
return jsonb_build_object(
  'id', (p_token).id, 'user_id', (p_token).user_id, 'fcm_token', (p_token).fcm_token,
  'device_type', (p_token).device_type, 'created_at', (p_token).created_at, 'updated_at', (p_token).updated_at
);

grant execute on function
  private.take_push_token(text, text), private.notification_row(public.user_notifications),
  private.inbox_page(uuid, boolean, jsonb, integer), private.push_token_row(public.user_push_tokens)
to authenticated;
