-- Rate limits: how many requests a client may make in how many seconds.
--
-- A window opens with the first request of a client under a policy and closes after the policy's seconds. At most quota
-- requests pass in a window, however many arrive at once, and at most daily_quota in 24 hours. The quota of a day bounds
-- what an account can store. Commands are counted by account, under the policy of the command (requests/commands.sql).
-- Reads have no quota, except those that cost more than a page: they are counted by account, or by network for anonymous
-- clients (api.read_counted there).
--
-- Invariants: one row per policy and subject, changed by one statement. No client can reach these tables. A job deletes
-- closed windows.
-- Interface: api.take_request, api.take_anonymous_request and api.take_request_instead, for the router;
-- private.count_request, private.network_hash and private.require_counted_read for the other domains;
-- private.rate_limit_policies, to which they may add rows.

-- No row security and no grants: clients have no right on the tables of this schema, and no view shows them.

-- The quota of the subject in a window of the policy.
create function private.quota_for(p_policy private.rate_limit_policies, p_subject text) returns integer
language plpgsql stable
set search_path = ''
as $$
begin
  if (p_policy).premium_quota is not null and pg_input_is_valid(p_subject, 'uuid') and private.is_premium(p_subject::uuid) then
    return (p_policy).premium_quota;
  end if;
  return (p_policy).quota;
end
$$;

-- Whether a window of so many seconds is open. One that begins in the future was opened before the clock was set back: it
-- is closed.
create function private.is_window_open(p_started_at timestamptz, p_seconds integer) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return p_started_at > now() - make_interval(secs => p_seconds) and p_started_at <= clock_timestamp();
end
$$;

-- Counts one request of the subject under the policy: {allowed, policy, quota, window_seconds, remaining, reset_seconds}.
-- Over the quota of a day these are the values of the day. Null when there is no such policy.
create function private.count_request(p_policy text, p_subject text) returns jsonb
language plpgsql
security definer -- no client may read or write windows; the interface decides for whom a request is counted
set search_path = ''
as $$
declare
  v_policy private.rate_limit_policies;
  v_quota integer;
  v_window private.rate_limit_windows;
begin
  select * into v_policy from private.rate_limit_policies where name = p_policy;
  if not found then
    return null;
  end if;
  v_quota := private.quota_for(v_policy, p_subject);
  -- Requests that the window rejects are not counted for the day.
  insert into private.rate_limit_windows as w (policy, subject)
  values (p_policy, p_subject)
  on conflict (policy, subject) do update set
    started_at = case when private.is_window_open(w.started_at, v_policy.window_seconds) then w.started_at else excluded.started_at end,
    taken = case when private.is_window_open(w.started_at, v_policy.window_seconds) then least(w.taken, v_quota) else 0 end + 1,
    day_started_at = case when private.is_window_open(w.day_started_at, 86400) then w.day_started_at else excluded.day_started_at end,
    day_taken = case when private.is_window_open(w.day_started_at, 86400) then least(w.day_taken, v_policy.daily_quota) else 0 end
      + (not private.is_window_open(w.started_at, v_policy.window_seconds) or w.taken < v_quota)::integer
  returning * into v_window;
  if v_window.day_taken > v_policy.daily_quota then
    return jsonb_build_object(
      'allowed', false,
      'policy', v_policy.name,
      'quota', v_policy.daily_quota,
      'window_seconds', 86400,
      'remaining', 0,
      'reset_seconds', greatest(1, ceil(86400 - extract(epoch from now() - v_window.day_started_at)))::integer
    );
  end if;
  return jsonb_build_object(
    'allowed', v_window.taken <= v_quota,
    'policy', v_policy.name,
    'quota', v_quota,
    'window_seconds', v_policy.window_seconds,
    'remaining', greatest(least(v_quota - v_window.taken, v_policy.daily_quota - v_window.day_taken), 0),
    'reset_seconds', greatest(1, ceil(v_policy.window_seconds - extract(epoch from now() - v_window.started_at)))::integer
  );
end
$$;

-- Takes back one counted request of the subject.
create function private.uncount_request(p_policy text, p_subject text) returns void
language plpgsql
security definer -- as private.count_request
set search_path = ''
as $$
begin
  -- taken is one more than the quota after a rejection.
  update private.rate_limit_windows w
  set taken = greatest(0, least(w.taken, private.quota_for(p, w.subject)) - 1), day_taken = greatest(0, w.day_taken - 1)
  from private.rate_limit_policies p
  where p.name = w.policy and w.policy = p_policy and w.subject = p_subject;
end
$$;

-- Whether the quota of the subject's open window, or of the day, is used up. It does not wait for a count in progress.
create function private.is_quota_used_up(p_policy text, p_subject text) returns boolean
language plpgsql stable
security definer -- no client may read windows
set search_path = ''
as $$
begin
  return exists (
    select from private.rate_limit_windows w
    join private.rate_limit_policies p on p.name = w.policy
    where w.policy = p_policy and w.subject = p_subject and (
      w.taken >= private.quota_for(p, w.subject) and private.is_window_open(w.started_at, p.window_seconds)
      or w.day_taken >= p.daily_quota and private.is_window_open(w.day_started_at, 86400)
    )
  );
end
$$;

-- A keyed hash of the network of an address, 32 hexadecimal digits: of an IPv4 address or of the first half of an IPv6
-- address.
create function private.network_hash(p_address text) returns text
language plpgsql stable
security definer -- no client may read the key
set search_path = ''
as $$
declare
  v_network text := coalesce(p_address, '');
begin
  if pg_input_is_valid(v_network, 'inet') then
    v_network := host(case
      when family(v_network::inet) = 6 and not v_network::inet <<= '::ffff:0:0/96' then network(set_masklen(v_network::inet, 64))
      else v_network::inet
    end);
  end if;
  return left(encode(sha256((select key from private.network_key) || convert_to(v_network, 'UTF8')), 'hex'), 32);
end
$$;

-- The network address of the current request of the Data API, as the edge in front of it reports it; empty outside of a
-- request.
create function private.client_address() returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_headers jsonb := coalesce(nullif(current_setting('request.headers', true), ''), '{}');
begin
  return coalesce(v_headers ->> 'cf-connecting-ip', split_part(v_headers ->> 'x-forwarded-for', ',', 1), '');
end
$$;

-- The reply to a request over its quota, with status 429. It is returned, not raised, so that the count is kept.
create function private.reply_over_quota(p_rate_limit jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform set_config('response.status', '429', true);
  return jsonb_build_object(
    'code', 'rate_limited',
    'message', 'Too many requests. Retry after details.retry_after seconds.',
    'details', jsonb_build_object('details', jsonb_build_object(
      'policy', p_rate_limit -> 'policy', 'retry_after', p_rate_limit -> 'reset_seconds'
    ))::text,
    'hint', null,
    'rate_limit', p_rate_limit
  );
end
$$;

-- Sets the response headers RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers-10).
create function private.set_rate_limit_headers(p_rate_limit jsonb) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform set_config('response.headers', jsonb_build_array(
    jsonb_build_object('RateLimit-Policy', format('"%s";q=%s;w=%s',
      p_rate_limit ->> 'policy', p_rate_limit ->> 'quota', p_rate_limit ->> 'window_seconds')),
    jsonb_build_object('RateLimit', format('"%s";r=%s;t=%s',
      p_rate_limit ->> 'policy', p_rate_limit ->> 'remaining', p_rate_limit ->> 'reset_seconds'))
  )::text, true);
end
$$;

-- For reads that cost more than a page: rejects a request of the Data API that does not go through api.read_counted.
-- Errors: forbidden.
create function private.require_counted_read() returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if coalesce(current_setting('request.headers', true), '') <> '' and coalesce(current_setting('request.is_counted_read', true), '') = ''
  then
    perform private.raise_error('forbidden', 403, 'This read costs more than a page. Call it through api.read_counted.',
      p_details => '{"reason": "not_counted"}');
  end if;
end
$$;

grant execute on function
  private.count_request(text, text), private.is_quota_used_up(text, text), private.network_hash(text), private.client_address(), private.reply_over_quota(jsonb),
  private.set_rate_limit_headers(jsonb), private.require_counted_read()
to anon, authenticated;
