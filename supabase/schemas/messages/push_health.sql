-- Push health: administrators are notified once of each outage of pushes: when credentials are rejected, and when pushes have
-- waited for ten minutes.
--
-- Interface: private.alert_push_outage for the worker; private.check_push_health for its job.

-- Notifies administrators that pushes are not sent, once for each outage.
create function private.alert_push_outage(p_reason text) returns void
language plpgsql
security definer -- no role writes notifications to administrators directly
set search_path = ''
as $$
begin
  update private.push_state set alerted_at = now() where alerted_at is null;
  if found then
    perform private.notify_admins('notice', 'プッシュ通知を送信できません', case p_reason
        when 'credentials' then '配信サービスが認証情報を拒否しました。'
        when 'not_configured' then '配信サービスの設定がないため、通知が10分以上送信されていません。'
        else '配信待ちの通知が10分以上送信されていません。' end,
      p_link => '/overview', p_severity => 'critical', p_area => 'notifications');
  end if;
end
$$;

-- Notifies administrators when pushes have waited for ten minutes: no consumer took a message, or each attempt failed.
-- Resets the alert when the outage has ended, so that the next one is notified.
create function private.check_push_health() returns void
language plpgsql
set search_path = ''
as $$
declare
  v_state private.push_state;
begin
  select * into v_state from private.push_state;
  delete from private.push_leases where leased_until <= now();
  if exists (select from pgmq."q_push-dispatch" q where q.vt < now() - interval '10 minutes')
    or v_state.failing_since <= now() - interval '10 minutes' and exists (select from pgmq."q_push-dispatch") then
    perform private.alert_push_outage(coalesce(v_state.reason, 'waiting'));
  elsif v_state.failures = 0 then
    update private.push_state set alerted_at = null where alerted_at is not null;
  end if;
end
$$;
