-- Outages: while the provider of a queue cannot be used, the queue is paused. Administrators are notified once of each
-- outage: at once when credentials are rejected, otherwise when messages have waited for ten minutes.
--
-- Invariants: private.outages has one row for each queue of messages to users.
-- Interface: private.pause_queue, private.end_outage for the workers; private.check_queue_health for the jobs.

-- Pauses a queue for p_seconds, or longer after several failures, and returns the seconds.
create function private.pause_queue(p_queue text, p_reason text, p_seconds integer) returns integer
language plpgsql
set search_path = ''
as $$
declare
  v_outage private.outages;
  v_seconds integer;
begin
  select * into v_outage from private.outages o where o.queue = p_queue for update;
  -- Each failure doubles the pause; failures of several consumers at once count as one.
  if v_outage.paused_until <= now() then
    v_outage.paused_until := now() + make_interval(secs => least(300, 5 * 2 ^ least(v_outage.failures, 6)) * (0.75 + random() / 2));
    v_outage.failures := v_outage.failures + 1;
  end if;
  update private.outages o
  set failures = v_outage.failures, failing_since = coalesce(o.failing_since, now()), tried_until = '-infinity', reason = p_reason,
    paused_until = greatest(v_outage.paused_until, now() + make_interval(secs => coalesce(p_seconds, 0)))
  where o.queue = p_queue
  returning ceil(extract(epoch from o.paused_until - now()))::integer into v_seconds;
  if p_reason = 'credentials' then
    perform private.alert_outage(p_queue, p_reason);
  end if;
  return v_seconds;
end
$$;

-- Records that the provider can be used again.
create function private.end_outage(p_queue text) returns void
language plpgsql
set search_path = ''
as $$
begin
  update private.outages o
  set paused_until = '-infinity', failures = 0, failing_since = null, tried_until = '-infinity', reason = null
  where o.queue = p_queue and o.failures > 0;
end
$$;

-- Notifies administrators that messages are not sent, once for each outage.
create function private.alert_outage(p_queue text, p_reason text) returns void
language plpgsql
security definer -- no role writes notifications to administrators directly
set search_path = ''
as $$
declare
  v_is_mail constant boolean := p_queue = 'mail';
begin
  update private.outages o set alerted_at = now() where o.queue = p_queue and o.alerted_at is null;
  if found then
    perform private.notify_admins('notice', case when v_is_mail then 'メールを送信できません' else 'プッシュ通知を送信できません' end, case
        when p_reason = 'credentials' and v_is_mail then 'メール配信サービスがAPIキーまたは送信元アドレスを拒否しました。'
        when p_reason = 'credentials' then '配信サービスが認証情報を拒否しました。'
        when p_reason = 'not_configured' then '配信サービスの設定がないため、通知が10分以上送信されていません。'
        when p_reason = 'quota' then 'メール配信サービスの送信上限に達しています。'
        when v_is_mail then '送信待ちのメールが10分以上送信されていません。'
        else '配信待ちの通知が10分以上送信されていません。' end,
      p_link => '/overview', p_severity => 'critical', p_area => 'notifications');
  end if;
end
$$;

-- Notifies administrators when messages have waited for ten minutes: no consumer took a message, or each attempt failed.
-- Resets the alert when the outage has ended, so that the next one is notified.
create function private.check_queue_health(p_queue text) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_outage private.outages;
  v_due_at timestamptz;
begin
  select * into v_outage from private.outages o where o.queue = p_queue;
  execute format('select min(q.vt) from pgmq.%I q', pgmq.format_table_name(p_queue, 'q')) into v_due_at;
  -- Null if the queue is empty.
  if v_due_at < now() - interval '10 minutes' or v_due_at is not null and v_outage.failing_since <= now() - interval '10 minutes' then
    perform private.alert_outage(p_queue, coalesce(v_outage.reason, 'waiting'));
  elsif v_outage.failures = 0 then
    update private.outages o set alerted_at = null where o.queue = p_queue and o.alerted_at is not null;
  end if;
end
$$;
