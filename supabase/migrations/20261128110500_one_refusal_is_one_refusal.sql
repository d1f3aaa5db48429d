-- A push that one device refuses fails for that device. The notification fails when devices of several users refuse it, and
-- none was reached.
--
-- The definitions are those of supabase/schemas after this change. The way back: api.record_push_outcomes as it was, which
-- returns nothing; then drop private.is_content_rejected.

set lock_timeout = '2s';

-- Whether the push service rejects the content of a composed notification, by the outcomes of devices that it answered at
-- once. It refuses each of them that it knows, these are of several users, and no device was reached before. One refusal
-- proves nothing: some tokens that are broken get the same response.
create function private.is_content_rejected(p_notification_id uuid, p_outcomes jsonb) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select count(distinct d.user_id) filter (where o.outcome = 'payload_fault') >= 2
      and bool_and(o.outcome in ('payload_fault', 'dead_token', 'wrong_sender'))
    from jsonb_to_recordset(p_outcomes) as o (token_id uuid, outcome text)
    join private.push_deliveries d on d.notification_id = p_notification_id and d.token_id = o.token_id
  ) and exists (select from public.user_notifications n where n.id = p_notification_id and n.is_composed and n.success_count = 0);
end
$$;

drop function api.record_push_outcomes(bigint, uuid, integer, jsonb, integer, boolean);

create function api.record_push_outcomes(
  p_msg_id bigint, p_notification_id uuid, p_batch integer, p_outcomes jsonb, p_retry_seconds integer default null,
  p_continues boolean default false
) returns boolean
language plpgsql
security definer -- as api.take_push_batches
set search_path = ''
as $$
declare
  v_later constant uuid[] := array(select (o ->> 'token_id')::uuid from jsonb_array_elements(p_outcomes) o where o ->> 'outcome' = 'later');
  v_tries integer;
  v_is_rejected boolean;
begin
  perform private.record_outcomes(p_notification_id, array_agg((o ->> 'token_id')::uuid), array_agg(o ->> 'outcome'))
  from jsonb_array_elements(p_outcomes) o where o ->> 'outcome' <> 'later';
  -- Only if unchanged: the token may be another user's by now.
  delete from public.user_push_tokens t
  using jsonb_to_recordset(p_outcomes) as o (token_id uuid, fcm_token text, outcome text)
  where t.id = o.token_id and t.fcm_token = o.fcm_token and o.outcome in ('dead_token', 'wrong_sender');
  update private.push_deliveries d set attempts = d.attempts + 1
  where d.notification_id = p_notification_id and d.token_id = any (v_later) and d.outcome is null;
  perform private.mark_undeliverable(p_notification_id, p_batch);
  v_is_rejected := private.is_content_rejected(p_notification_id, p_outcomes);
  if v_is_rejected then
    perform private.fail_notification(p_notification_id);
  end if;
  perform private.end_outage('push-dispatch');
  update private.outages o set reached_at = now()
  where o.queue = 'push-dispatch' and o.reached_at < now() - interval '30 seconds'
    and exists (select from jsonb_array_elements(p_outcomes) o where o ->> 'outcome' <> 'later');
  if p_continues and not v_is_rejected then
    perform private.hold_push_batch(p_msg_id);
    return false;
  end if;
  delete from private.push_leases where msg_id = p_msg_id;
  select max(d.attempts) into v_tries from private.push_deliveries d
  where d.notification_id = p_notification_id and d.batch = p_batch and d.outcome is null;
  perform private.settle_batch(p_msg_id, p_notification_id, p_batch, p_retry_seconds * (2 ^ greatest(v_tries - 1, 0))::integer);
  return v_is_rejected;
end
$$;

comment on function api.record_push_outcomes(bigint, uuid, integer, jsonb, integer, boolean) is
  'Records the outcomes of devices of a batch, each {token_id, fcm_token, outcome}. outcome is delivered, dead_token or wrong_sender (the device is deleted), payload_fault (the device refuses this message), or later. later is retried after p_retry_seconds, then after twice as long each time, at most five times. p_continues: the consumer has sent only a part of the batch, and keeps its lease. Each outcome counts once, also when it is recorded again. Returns true when the push service rejects the content: every device that it knows refused it, these are of several users, and none was reached before. The notification has then failed, and its other devices get no push. For the service only. It raises no errors.';
