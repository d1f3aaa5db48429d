-- Tables of requests: rate limits, counts of requests, idempotency keys, and the call of a command.
--
-- Each table has its comments, indexes, row security, policies and grants below it. The rules are in commands.sql,
-- idempotency.sql, rate_limits.sql and request_counts.sql.

-- ---------------------------------------------------------------------------------------------------------------------
-- Rate limits
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

-- ---------------------------------------------------------------------------------------------------------------------
-- Counts of requests
-- ---------------------------------------------------------------------------------------------------------------------

-- Unlogged: counts need no write-ahead log. A crash sets them to zero, which a monitoring system reads as a restart. The
-- functions write the templates of their routes, never the path of a request. So a row for each route and status is the bound.
create unlogged table private.request_counts (
  method text collate "C" not null constraint request_counts_method_known
    check (method in ('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'OTHER')),
  route text collate "C" not null constraint request_counts_route_form
    check (route ~ '^(unmatched|(/[a-z0-9._-]+|/\{[A-Za-z_]+\})+)$' and char_length(route) <= 200),
  status smallint not null constraint request_counts_status_bounds check (status between 100 and 599),
  access text collate "C" not null constraint request_counts_access_known
    check (access in ('public', 'optional', 'user', 'admin', 'service', 'monitor')),
  buckets bigint[] not null constraint request_counts_buckets_form
    check (cardinality(buckets) = 11 and array_position(buckets, null) is null and 0 <= all (buckets)),
  seconds double precision not null constraint request_counts_seconds_finite check (seconds >= 0 and seconds < 'infinity'),
  counted_at timestamptz not null default now(),
  primary key (method, route, status)
) with (fillfactor = 50); -- counting rewrites the row in its page

comment on table private.request_counts is 'Requests since the start of counting, by route and status: for metrics.';
comment on column private.request_counts.route is 'The template of the route; unmatched: no route has the path.';
comment on column private.request_counts.access is 'The access of the route, for example public.';
comment on column private.request_counts.buckets is
  'Requests by duration: up to 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10 and 30 seconds, and longer ones.';
comment on column private.request_counts.seconds is 'The sum of the durations.';
comment on column private.request_counts.counted_at is 'When a request was last counted.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Idempotency keys
-- ---------------------------------------------------------------------------------------------------------------------

create table private.idempotency_replies (
  user_id uuid not null references auth.users (id) on delete cascade,
  key text not null constraint idempotency_replies_key_visible check (key ~ '^[!-~]{1,255}$'),
  call text not null constraint idempotency_replies_call_form check (call ~ '^[a-z0-9_]{1,63} ([1-9]|10)$'),
  fingerprint text not null constraint idempotency_replies_fingerprint_sha256 check (fingerprint ~ '^[0-9a-f]{64}$'),
  reply jsonb not null,
  created_at timestamptz not null default now(),
  primary key (user_id, key, call)
);

comment on table private.idempotency_replies is
  'The replies to requests with an idempotency key, one row each, for 24 hours. A trigger bounds the replies of a key and the size of a reply.';
comment on column private.idempotency_replies.call is 'The function that the request called, and which call of it: "<function> <1 to 10>".';
comment on column private.idempotency_replies.fingerprint is 'SHA-256 of method, path and body, as hexadecimal digits: the request for which the key was first used.';
comment on column private.idempotency_replies.reply is 'The reply of a command. Null of JSON for a read, which runs again.';

create index idempotency_replies_created_at_idx on private.idempotency_replies (created_at); -- the purge

create table private.idempotency_days (
  user_id uuid primary key references auth.users (id) on delete cascade,
  started_at timestamptz not null default now(),
  keys integer not null,
  bytes bigint not null
) with (fillfactor = 50); -- counting rewrites the row in its page

comment on table private.idempotency_days is
  'The keys and bytes of replies that a user has stored since started_at, for 24 hours. The table is logged, so a crash resets no count. It has at most one row a user, of fixed length, and only a trigger of private.idempotency_replies writes it.';
comment on column private.idempotency_days.bytes is 'The size of the stored rows. Rows that are deleted meanwhile still count.';
