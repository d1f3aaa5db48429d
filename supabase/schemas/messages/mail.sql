-- Mail: notifications to users by e-mail, each user once.
--
-- private.mail_deliveries has a row for each user to mail, in batches of at most 50; the queue mail has one message for
-- each batch. A consumer (the function mail-dispatch) reads a message, sends, extends its lease meanwhile, and records the
-- outcome of each mail. Each mail has an idempotency key, which is the same in every attempt: a mail that a consumer sent and did not record is not
-- delivered again, as long as the mail service keeps keys. A message that was read five times and has mails left is dead,
-- and can be requeued.
--
-- Recipients: active users with a confirmed address, for types that allow mail. For notifications with a cause in the
-- service the user's preference decides, or else the type's default. Notifications that an administrator composes go only
-- to users who enabled mail for the type themselves. All of it is checked again when the batch is sent, and the address is
-- read then.
--
-- The database does not know whether mail is configured. Without settings the consumer records not_configured.
--
-- Invariants: one row for each notification and user; an outcome does not change.
-- Interface: private.write_mails for notifications and their fan-out; api.take_mails, api.record_mail_outcomes,
-- api.pause_mail for the consumer.

-- The recipients of a type among these users, with the address and the language of each. For composed notifications only
-- users who enabled mail themselves.
create function private.mail_recipients(p_type text, p_is_composed boolean, p_user_ids uuid[])
returns table (user_id uuid, address text, lang text)
language plpgsql stable rows 50
security definer -- addresses are the auth server's
set search_path = ''
as $$
begin
  if not exists (select from public.notification_types y where y.code = p_type and y.email_allowed) then
    return;
  end if;
  return query
    select u.id, a.email::text, u.lang
    from unnest(p_user_ids) as i (id)
    join public.app_users u on u.id = i.id and u.status = 'active'
    join auth.users a on a.id = u.id and a.email <> '' and a.email_confirmed_at is not null and a.deleted_at is null
    left join public.notification_preferences p on p.user_id = u.id and p.notif_type = p_type
    where coalesce(p.email_enabled, not p_is_composed and (select y.email_enabled from public.notification_types y where y.code = p_type));
end
$$;

-- Queues the mails of a notification to the recipients of its type among these users, when the transaction commits.
-- Returns the number of batches, numbered from p_first_batch.
create function private.write_mails(
  p_notification_id uuid, p_type text, p_is_composed boolean, p_user_ids uuid[], p_first_batch integer default 0
) returns integer
language plpgsql
security definer -- no role may read or write queues and deliveries directly
set search_path = ''
as $$
declare
  v_batches jsonb[];
begin
  with written as (
    insert into private.mail_deliveries (notification_id, user_id, batch)
    select p_notification_id, r.user_id, p_first_batch + (row_number() over (order by r.user_id) - 1) / 50
    from private.mail_recipients(p_type, p_is_composed, p_user_ids) r
    returning batch
  )
  select array_agg(distinct jsonb_build_object('notification_id', p_notification_id, 'batch', w.batch)) into v_batches from written w;
  if v_batches is null then
    return 0;
  end if;
  perform private.enqueue_all('mail', v_batches);
  perform private.wake_consumer('mail-dispatch');
  return cardinality(v_batches);
end
$$;

-- A batch for its consumer; null when it has no mail to send. Users who do not want mail any more get their outcome.
create function private.mail_batch(p_msg_id bigint, p_notification_id uuid, p_batch integer, p_read_count integer) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_notification public.user_notifications;
  v_open uuid[] := array(
    select d.user_id from private.mail_deliveries d
    where d.notification_id = p_notification_id and d.batch = p_batch and d.outcome is null
  );
  v_wanted uuid[];
  v_mails jsonb;
begin
  select * into v_notification from public.user_notifications where id = p_notification_id;
  select array_agg(r.user_id), jsonb_agg(jsonb_build_object('user_id', r.user_id, 'address', r.address, 'lang', r.lang) order by r.user_id)
  into v_wanted, v_mails
  from private.mail_recipients(v_notification.type, v_notification.is_composed, v_open) r;
  update private.mail_deliveries d set outcome = 'gone', recorded_at = now()
  where d.notification_id = p_notification_id and d.user_id = any (v_open) and d.outcome is null
    and d.user_id <> all (coalesce(v_wanted, '{}'));
  if v_mails is null then
    perform private.finish_messages('mail', array[p_msg_id]);
    return null;
  end if;
  return jsonb_build_object(
    'msg_id', p_msg_id, 'notification_id', p_notification_id, 'batch', p_batch, 'tries', p_read_count,
    'texts', jsonb_build_object(
      'ja', jsonb_build_object('title', v_notification.title, 'body', v_notification.body),
      'en', jsonb_build_object('title', coalesce(v_notification.title_en, v_notification.title),
        'body', coalesce(v_notification.body_en, v_notification.body))
    ),
    'mails', v_mails
  );
end
$$;
