-- Rate limits: how many requests a client may make in how many seconds.
--
-- A window opens with the first request of a client under a policy and closes after the policy's seconds. At most quota
-- requests pass in a window, however many arrive at once. Commands are counted by account, under the policy of the command
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
  comment text not null,
  commands text[] not null default '{}'
);

comment on table private.rate_limit_policies is 'How many requests a caller may make in how many seconds.';
comment on column private.rate_limit_policies.premium_quota is 'The quota of premium members, where it differs.';
comment on column private.rate_limit_policies.commands is 'The commands that are counted under this policy, and reads that are run as commands. Commands without a policy are counted under `write`.';

-- Unlogged: a count needs no write-ahead log and no wait for the disk. After a crash every window is open again.
create unlogged table private.rate_limit_windows (
  policy text not null references private.rate_limit_policies (name) on delete cascade,
  subject text not null,
  started_at timestamptz not null default now(),
  taken integer not null default 1,
  primary key (policy, subject)
) with (fillfactor = 50); -- counting rewrites the row in its page

comment on table private.rate_limit_windows is 'The open or last window of each caller under each policy.';
comment on column private.rate_limit_windows.subject is 'The id of the caller, or private.network_hash of an anonymous client''s address.';
comment on column private.rate_limit_windows.taken is 'Requests in this window. One more than the quota means that requests were rejected.';

create table private.network_key (
  key bytea primary key default decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex')
);

comment on table private.network_key is 'The secret with which this database hashes network addresses; one row.';

insert into private.network_key default values;

insert into private.rate_limit_policies (name, quota, window_seconds, comment, commands) values
  ('write', 120, 60, 'Commands that no other policy names', '{}'),
  ('upload', 60, 60, 'Addresses to upload to', '{create_upload}'),
  ('attach', 60, 60, 'Uploads that are checked before they are attached', '{}'),
  ('report', 30, 60, 'Error reports and support tickets, with their messages',
    '{post_error_report, create_support_ticket, reply_to_support_ticket}'),
  ('crash_report', 10, 60, 'Crash reports, by network', '{}'),
  ('expensive_read', 120, 60, 'Reads that cost more than a page, by account or network', '{}');

-- No row security and no grants: clients have no right on the tables of this schema, and no view shows them.

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: rate limits
-- ---------------------------------------------------------------------------------------------------------------------

create function private.count_request(p_policy text, p_subject text) returns jsonb
language plpgsql
security definer -- no client may read or write windows; the interface decides for whom a request is counted
set search_path = ''
as $$
declare
  v_policy private.rate_limit_policies;
  v_window private.rate_limit_windows;
begin
  select * into v_policy from private.rate_limit_policies where name = p_policy;
  if not found then
    return null;
  end if;
  if v_policy.premium_quota is not null and pg_input_is_valid(p_subject, 'uuid') and private.is_premium(p_subject::uuid) then
    v_policy.quota := v_policy.premium_quota;
  end if;
  -- A window that begins in the future was opened before the clock was set back: it is closed.
  insert into private.rate_limit_windows as w (policy, subject)
  values (p_policy, p_subject)
  on conflict (policy, subject) do update set
    started_at = case when w.started_at > now() - make_interval(secs => v_policy.window_seconds) and w.started_at <= clock_timestamp()
      then w.started_at else excluded.started_at end,
    taken = case when w.started_at > now() - make_interval(secs => v_policy.window_seconds) and w.started_at <= clock_timestamp()
      then least(w.taken, v_policy.quota) + 1 else 1 end
  returning * into v_window;
  return jsonb_build_object(
    'allowed', v_window.taken <= v_policy.quota,
    'policy', v_policy.name,
    'quota', v_policy.quota,
    'window_seconds', v_policy.window_seconds,
    'remaining', greatest(v_policy.quota - v_window.taken, 0),
    'reset_seconds', greatest(1, ceil(v_policy.window_seconds - extract(epoch from now() - v_window.started_at)))::integer
  );
end
$$;

comment on function private.count_request(text, text) is
  'Counts one request of the subject under the policy: {allowed, policy, quota, window_seconds, remaining, reset_seconds}. Null when there is no such policy.';

create function private.is_quota_used_up(p_policy text, p_subject text) returns boolean
language plpgsql stable
security definer -- no client may read windows
set search_path = ''
as $$
begin
  return exists (
    select from private.rate_limit_windows w
    join private.rate_limit_policies p on p.name = w.policy
    where w.policy = p_policy and w.subject = p_subject and w.taken >= p.quota
      and w.started_at > now() - make_interval(secs => p.window_seconds) and w.started_at <= clock_timestamp()
  );
end
$$;

comment on function private.is_quota_used_up(text, text) is
  'Whether the quota of the subject''s open window is used up. It does not wait for a count in progress.';

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
  )', '5 minutes'
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface
-- ---------------------------------------------------------------------------------------------------------------------

create function api.take_request(p_policy text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_count jsonb := private.count_request(p_policy, private.caller()::text);
begin
  if not (v_count -> 'allowed')::boolean then
    return private.reply_over_quota(v_count);
  end if;
  return v_count;
end
$$;

comment on function api.take_request(text) is
  'Counts a request of the caller under a policy, for a request that runs no command: {allowed, policy, quota, window_seconds, remaining, reset_seconds}; null when there is no such policy. Over the quota the reply is the error rate_limited. Errors: unauthorized, rate_limited.';

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

grant execute on function api.take_request(text) to authenticated;
grant execute on function api.take_anonymous_request(text, text) to service_role;
