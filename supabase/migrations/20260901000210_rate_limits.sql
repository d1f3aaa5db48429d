-- Rate limits: how many requests a client may make in how many seconds.
--
-- A window opens with the first request of a client under a policy and closes after the policy's seconds. At most quota
-- requests pass in a window, however many arrive at once, and at most daily_quota in 24 hours. The quota of a day bounds what
-- an account can store. Commands are counted by account, under the policy of the command
-- (20260901000220_commands.sql). Reads have no quota, except those that cost more than a page: they are counted by account,
-- or by network for anonymous clients (api.read_counted there).
--
-- Invariants: one row per policy and subject, changed by one statement. No client can reach these tables. A job deletes
-- closed windows.
-- Interface: api.take_request and api.take_anonymous_request, for the router; private.count_request, private.network_hash and
-- private.require_counted_read for the other domains; private.rate_limit_policies, to which they may add rows.

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables
-- ---------------------------------------------------------------------------------------------------------------------

create table private.rate_limit_policies (
  name text primary key constraint rate_limit_policies_name_token check (name ~ '^[a-z][a-z_]{0,39}$'),
  quota integer not null constraint rate_limit_policies_quota_positive check (quota > 0),
  window_seconds integer not null constraint rate_limit_policies_window_bounds check (window_seconds between 1 and 86400),
  premium_quota integer constraint rate_limit_policies_premium_quota_positive check (premium_quota > 0),
  daily_quota integer constraint rate_limit_policies_daily_quota_holds_a_window check (daily_quota >= greatest(quota, premium_quota)),
  comment text not null,
  commands text[] not null default '{}'
);

comment on table private.rate_limit_policies is 'How many requests a caller may make in how many seconds.';
comment on column private.rate_limit_policies.premium_quota is 'The quota of premium members, where it differs.';
comment on column private.rate_limit_policies.daily_quota is
  'How many requests a caller may make in 24 hours; null: no limit of a day. With the largest row of a command it bounds what an account stores in a day.';
comment on column private.rate_limit_policies.commands is 'The commands that are counted under this policy, and reads that are run as commands. Commands without a policy are counted under `write`.';

-- Unlogged: a count needs no write-ahead log and no wait for the disk. After a crash every window is open again, so a crash
-- gives each caller at most one more quota. The table has at most one row of fixed length a policy and caller. An account
-- has as many rows as there are policies. The networks of anonymous clients are bounded by the purge, which deletes a row when
-- its window and its day are over.
create unlogged table private.rate_limit_windows (
  policy text not null references private.rate_limit_policies (name) on delete cascade,
  subject text not null,
  started_at timestamptz not null default now(),
  taken integer not null default 1,
  day_started_at timestamptz not null default now(),
  day_taken integer not null default 1,
  primary key (policy, subject)
) with (fillfactor = 50); -- counting rewrites the row in its page

comment on table private.rate_limit_windows is 'The open or last window of each caller under each policy.';
comment on column private.rate_limit_windows.day_taken is 'Requests since day_started_at that the windows allowed, for the quota of a day.';
comment on column private.rate_limit_windows.subject is 'The id of the caller, or private.network_hash of an anonymous client''s address.';
comment on column private.rate_limit_windows.taken is 'Requests in this window. One more than the quota means that requests were rejected.';

create table private.network_key (
  key bytea primary key default decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex')
);

comment on table private.network_key is 'The secret with which this database hashes network addresses; one row.';

insert into private.network_key default values;

insert into private.rate_limit_policies (name, quota, window_seconds, daily_quota, comment, commands) values
  ('write', 120, 60, 5000, 'Commands that no other policy names', '{}'),
  ('upload', 60, 60, null, 'Addresses to upload to', '{create_upload}'),
  ('attach', 60, 60, null, 'Uploads that are checked before they are attached', '{}'),
  ('report', 30, 60, 2000, 'Error reports and support tickets, with their messages',
    '{post_error_report, create_support_ticket, reply_to_support_ticket}'),
  ('crash_report', 10, 60, null, 'Crash reports, by network', '{}'),
  ('expensive_read', 120, 60, null, 'Reads that cost more than a page, by account or network', '{}');

-- No row security and no grants: clients have no right on the tables of this schema, and no view shows them.

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: rate limits
-- ---------------------------------------------------------------------------------------------------------------------

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

comment on function private.quota_for(private.rate_limit_policies, text) is 'The quota of the subject in a window of the policy.';

create function private.is_window_open(p_started_at timestamptz, p_seconds integer) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return p_started_at > now() - make_interval(secs => p_seconds) and p_started_at <= clock_timestamp();
end
$$;

comment on function private.is_window_open(timestamptz, integer) is
  'Whether a window of so many seconds is open. One that begins in the future was opened before the clock was set back: it is closed.';

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

comment on function private.count_request(text, text) is
  'Counts one request of the subject under the policy: {allowed, policy, quota, window_seconds, remaining, reset_seconds}. Over the quota of a day these are the values of the day. Null when there is no such policy.';

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

comment on function private.is_quota_used_up(text, text) is
  'Whether the quota of the subject''s open window, or of the day, is used up. It does not wait for a count in progress.';

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

comment on function private.network_hash(text) is
  'A keyed hash of the network of an address, 32 hexadecimal digits: of an IPv4 address or of the first half of an IPv6 address.';

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

comment on function private.client_address() is
  'The network address of the current request of the Data API, as the edge in front of it reports it; empty outside of a request.';

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

comment on function private.reply_over_quota(jsonb) is
  'The reply to a request over its quota, with status 429. It is returned, not raised, so that the count is kept.';

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

comment on function private.set_rate_limit_headers(jsonb) is
  'Sets the response headers RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers-10).';

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

comment on function private.require_counted_read() is
  'For reads that cost more than a page: rejects a request of the Data API that does not go through api.read_counted. Errors: forbidden.';

grant execute on function
  private.count_request(text, text), private.is_quota_used_up(text, text), private.network_hash(text), private.client_address(), private.reply_over_quota(jsonb),
  private.set_rate_limit_headers(jsonb), private.require_counted_read()
to anon, authenticated, service_role;

insert into private.retentions (table_name, condition, every) values (
  'private.rate_limit_windows', 'exists (
    select from private.rate_limit_policies p where p.name = t.policy and t.started_at <= now() - make_interval(secs => p.window_seconds)
      and (p.daily_quota is null or t.day_started_at <= now() - interval ''24 hours'')
  )', '5 minutes'
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface
-- ---------------------------------------------------------------------------------------------------------------------

create function api.take_request(p_policy text, p_next text default null) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_subject text := private.caller()::text;
  -- A quota that is used up: this request is counted under it, and is over it.
  v_count jsonb := private.count_request(case when private.is_quota_used_up(p_next, v_subject) then p_next else p_policy end, v_subject);
begin
  if not (v_count -> 'allowed')::boolean then
    return private.reply_over_quota(v_count);
  end if;
  return v_count;
end
$$;

comment on function api.take_request(text, text) is
  'Counts a request of the caller under a policy, for a request that runs no command: {allowed, policy, quota, window_seconds, remaining, reset_seconds}; null when there is no such policy. p_next: the policy under which the request is counted later; when its quota is used up, the request is counted under it now, and rejected. Over the quota the reply is the error rate_limited. Errors: unauthorized, rate_limited.';

create function api.take_anonymous_request(p_policy text, p_address text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_count jsonb := private.count_request(p_policy, private.network_hash(p_address));
begin
  if not (v_count -> 'allowed')::boolean then
    return private.reply_over_quota(v_count);
  end if;
  return v_count;
end
$$;

comment on function api.take_anonymous_request(text, text) is
  'api.take_request for an anonymous client, by the network of its address, which only the service knows. Errors: rate_limited.';

grant execute on function api.take_request(text, text) to authenticated;
grant execute on function api.take_anonymous_request(text, text) to service_role;
