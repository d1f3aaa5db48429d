-- Requests: what is true of any request that writes, whatever it is about. It may be sent again, and there are not too many.
--
-- A POST that carries a key has one effect and one answer for a day, however often and from however many places at once it
-- is sent. The router runs what the handler calls through api.once: the key is claimed, the function is run as the caller
-- and its reply is kept, in one transaction, so that no crash and no race leaves an effect without its answer. A refusal
-- rolls the claim back with everything else: sent again, the request is tried again.
--
-- A caller may do only so much in a time. A window opens with the caller's first request and closes after the policy's
-- seconds; in it the policy's quota passes, not one more, however many come at once. A request is counted in the transaction
-- of its first call, whose refusal takes back what the call did and leaves the count.
--
-- Invariants: one row a caller and key, and all who bring that key wait for each other on it. One row a policy and subject,
-- changed by one statement. Neither table can be reached by a client, and nothing in them outlives its purpose.
-- Interface: api.once, api.counted, api.take_request, api.take_visitor_request, for the router alone; private.rate_limit_policies, which
-- the other domains may add to.

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables
-- ---------------------------------------------------------------------------------------------------------------------

create table private.idempotency_keys (
  user_id uuid not null references auth.users (id) on delete cascade,
  key text not null constraint idempotency_keys_key_visible check (key ~ '^[!-~]{1,255}$'),
  fingerprint text not null constraint idempotency_keys_fingerprint_sha256 check (fingerprint ~ '^[0-9a-f]{64}$'),
  replies jsonb not null default '{}',
  created_at timestamptz not null default now(),
  primary key (user_id, key)
);

comment on table private.idempotency_keys is 'Keys that callers gave their requests, with what was answered: for a day.';
comment on column private.idempotency_keys.fingerprint is 'SHA-256 of method, path and body, as hexadecimal digits: the request the key was first used for.';
comment on column private.idempotency_keys.replies is 'What the functions replied that the request called, each under "<function> <nth call of it>".';

create index idempotency_keys_created_at_idx on private.idempotency_keys (created_at); -- the purge

create table private.rate_limit_policies (
  name text primary key constraint rate_limit_policies_name_token check (name ~ '^[a-z][a-z_]{0,39}$'),
  quota integer not null constraint rate_limit_policies_quota_positive check (quota > 0),
  window_seconds integer not null constraint rate_limit_policies_window_bounds check (window_seconds between 1 and 86400),
  comment text not null
);

comment on table private.rate_limit_policies is 'How many requests a caller may make in how many seconds. Routes name a policy.';

-- Unlogged: a count costs no write-ahead log and no wait for the disk, and after a crash every window is open again.
create unlogged table private.rate_limit_windows (
  policy text not null references private.rate_limit_policies (name) on delete cascade,
  subject text not null,
  started_at timestamptz not null default now(),
  taken integer not null default 1,
  primary key (policy, subject)
) with (fillfactor = 50); -- counting rewrites the row in its page

comment on table private.rate_limit_windows is 'The window that is open, or was last, of each caller under each policy.';
comment on column private.rate_limit_windows.subject is 'The caller''s id, or "address " and a keyed hash of a visitor''s network address.';
comment on column private.rate_limit_windows.taken is 'Requests in this window; one more than the quota stands for all beyond it.';

insert into private.rate_limit_policies (name, quota, window_seconds, comment) values
  ('write', 120, 60, 'Whatever a signed-in caller writes, unless the route names another policy'),
  ('upload', 60, 60, 'Addresses to upload to'),
  ('report', 30, 60, 'Error reports and support tickets, with their messages'),
  ('crash_report', 10, 60, 'Crash reports, by network address');

-- No row security and no grants: no client has a right on the schema's tables, and no view shows them.

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: one answer a key
-- ---------------------------------------------------------------------------------------------------------------------

create function private.claim_key(p_key text, p_fingerprint text) returns jsonb
language plpgsql
security definer -- no client may read or write keys, not even their own; the key claimed is always the caller's
set search_path = ''
set lock_timeout = '5s'
as $$
declare
  v_user_id uuid := private.caller();
  v_claimed private.idempotency_keys;
begin
  -- Who brings a key that another request holds waits here until that one is done, and then finds its replies.
  insert into private.idempotency_keys as k (user_id, key, fingerprint)
  values (v_user_id, p_key, p_fingerprint)
  on conflict (user_id, key) do update set
    fingerprint = case when k.created_at < now() - interval '24 hours' then excluded.fingerprint else k.fingerprint end,
    replies = case when k.created_at < now() - interval '24 hours' then '{}' else k.replies end,
    created_at = case when k.created_at < now() - interval '24 hours' then excluded.created_at else k.created_at end
  returning * into v_claimed;
  if v_claimed.fingerprint <> p_fingerprint then
    perform private.refuse('conflict', 409, 'This key was used for another request; give each request a key of its own',
      p_param => 'Idempotency-Key', p_details => '{"reason": "key_reused_with_different_body"}');
  end if;
  return v_claimed.replies;
exception
  when lock_not_available then
    perform private.refuse('conflict', 409, 'A request with this key is still running; send it again in a moment',
      p_param => 'Idempotency-Key', p_details => '{"reason": "key_in_use"}');
    return null;
  when foreign_key_violation then
    perform private.refuse('unauthorized', 401, 'This account no longer exists');
    return null;
end
$$;

comment on function private.claim_key(text, text) is
  'Claims the caller''s key until the end of the transaction, for 24 hours when that commits, and gives the replies kept under it. Refuses: unauthorized, conflict.';

create function private.keep_reply(p_key text, p_fingerprint text, p_call text, p_reply jsonb) returns void
language plpgsql
security definer -- no client may write replies; the key is the caller's, whom once has claimed it for
set search_path = ''
as $$
begin
  -- Inserted when the call took the caller's keys away, as a withdrawal does: its own answer is kept all the same, as
  -- long as there is an account to keep it for.
  insert into private.idempotency_keys as k (user_id, key, fingerprint, replies)
  select u.id, p_key, p_fingerprint, jsonb_build_object(p_call, p_reply) from auth.users u where u.id = auth.uid()
  on conflict (user_id, key) do update set replies = k.replies || excluded.replies;
end
$$;

comment on function private.keep_reply(text, text, text, jsonb) is 'Keeps what a call replied under the caller''s key.';

create function private.call_api(p_function text, p_arguments jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_function pg_catalog.pg_proc;
  v_names text[];
  v_record text;
  v_call text;
  v_reply jsonb;
begin
  select * into v_function from pg_catalog.pg_proc
  where pronamespace = 'api'::regnamespace and proname = p_function and p_function not in ('once', 'counted', 'take_request');
  select coalesce(array_agg(a.name), '{}'), string_agg(format('%I %s', a.name, format_type(a.type, null)), ', '),
    format('api.%I(%s)', p_function, string_agg(format('%1$I => a.%1$I', a.name), ', '))
  into v_names, v_record, v_call
  from unnest(v_function.proargnames[1:v_function.pronargs], v_function.proargtypes::oid[]) as a (name, type)
  where p_arguments ? a.name;
  if v_function.oid is null or exists (select from jsonb_object_keys(p_arguments) as k where k <> all (v_names)) then
    perform private.refuse('not_found', 404, 'There is no such function with these arguments', p_param => 'function');
  end if;

  v_record := 'from ' || coalesce('jsonb_to_record($1) as a(' || v_record || ')', '(values (1)) as a (none)');
  if v_function.proretset then
    execute format('select coalesce(jsonb_agg(to_jsonb(r)), ''[]'') %s, lateral %s as r', v_record, v_call)
    into v_reply using p_arguments;
  elsif v_function.prorettype = 'void'::regtype then
    execute format('select %s %s', v_call, v_record) using p_arguments;
  else
    execute format('select to_jsonb(%s) %s', v_call, v_record) into v_reply using p_arguments;
  end if;
  return v_reply;
end
$$;

comment on function private.call_api(text, jsonb) is
  'Calls a function of the interface by name, as the caller, with arguments that are read as the Data API reads them, and gives what it would reply; null for nothing. An argument that is absent has its default. Refuses: not_found, and what the function refuses.';

grant execute on function
  private.claim_key(text, text), private.keep_reply(text, text, text, jsonb), private.call_api(text, jsonb)
to authenticated;

create function private.tg_app_users__forget_replies() returns trigger
language plpgsql
security definer -- no client has a right on keys
set search_path = ''
as $$
begin
  delete from private.idempotency_keys where user_id = new.id;
  return null;
end
$$;

comment on function private.tg_app_users__forget_replies() is
  'What was answered to a person who withdraws is not kept: it may hold what they wrote.';

create trigger _310_forget_replies after update of status on public.app_users
  for each row when (new.status = 'withdrawn' and old.status <> 'withdrawn')
  execute function private.tg_app_users__forget_replies();

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: not too many
-- ---------------------------------------------------------------------------------------------------------------------

create function private.take(p_policy text, p_subject text) returns jsonb
language plpgsql
security definer -- no client may read or write windows; whom a request is counted for is the interface's to say
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
  insert into private.rate_limit_windows as w (policy, subject)
  values (p_policy, p_subject)
  on conflict (policy, subject) do update set
    started_at = case when w.started_at <= now() - make_interval(secs => v_policy.window_seconds)
      then excluded.started_at else w.started_at end,
    taken = case when w.started_at <= now() - make_interval(secs => v_policy.window_seconds)
      then 1 else least(w.taken, v_policy.quota) + 1 end
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

comment on function private.take(text, text) is
  'Counts one request of the subject and says whether it is within the policy''s quota: {allowed, policy, quota, window_seconds, remaining, reset_seconds}. Null when there is no such policy.';

grant execute on function private.take(text, text) to authenticated, service_role;

create function private.purge_requests() returns void
language plpgsql
set search_path = ''
as $$
begin
  delete from private.idempotency_keys where created_at < now() - interval '24 hours';
  delete from private.rate_limit_windows w using private.rate_limit_policies p
  where p.name = w.policy and w.started_at <= now() - make_interval(secs => p.window_seconds);
end
$$;

comment on function private.purge_requests() is 'Removes keys older than a day, and windows that are closed.';

select cron.schedule('purge_requests', '*/5 * * * *', 'select private.purge_requests()');

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface
-- ---------------------------------------------------------------------------------------------------------------------

create function api.once(
  p_key text,
  p_fingerprint text,
  p_function text,
  p_arguments jsonb default '{}',
  p_nth integer default 1
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_user_id uuid := private.caller();
  v_call text := p_function || ' ' || p_nth;
  v_replies jsonb := private.claim_key(p_key, p_fingerprint);
  v_reply jsonb;
begin
  if v_replies ? v_call then
    -- Whoever withdrew has one answer left, that of the withdrawal; whoever is suspended is refused here as everywhere.
    perform private.require_active(s.status)
    from (
      select status from public.app_users where id = v_user_id
      union all
      select status from public.admins where id = v_user_id
    ) s
    where s.status = 'suspended';
    return jsonb_build_object('replayed', true, 'reply', v_replies -> v_call);
  end if;
  v_reply := coalesce(private.call_api(p_function, p_arguments), 'null');
  perform private.keep_reply(p_key, p_fingerprint, v_call, v_reply);
  return jsonb_build_object('replayed', false, 'reply', v_reply);
end
$$;

comment on function api.once(text, text, text, jsonb, integer) is
  'Calls a function of the interface as the caller, once a key: {replayed, reply}. The same request with the same key gets the first reply for 24 hours; what is refused keeps nothing. p_nth tells calls of the same function in one request apart. Refuses: unauthorized, forbidden, not_found, conflict. What the function refuses with comes on top.';

create function api.counted(
  p_policy text,
  p_function text,
  p_arguments jsonb default '{}',
  p_key text default null,
  p_fingerprint text default null,
  p_nth integer default 1
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_taken jsonb := api.take_request(p_policy);
  v_reply jsonb;
  v_message text;
  v_detail text;
begin
  if v_taken is null or not (v_taken -> 'allowed')::boolean then
    return jsonb_build_object('taken', v_taken);
  end if;
  begin
    if p_key is null then
      v_reply := private.call_api(p_function, p_arguments);
    else
      v_reply := api.once(p_key, p_fingerprint, p_function, p_arguments, p_nth);
    end if;
  exception when sqlstate 'PGRST' then
    get stacked diagnostics v_message = message_text, v_detail = pg_exception_detail;
    return jsonb_build_object(
      'taken', v_taken, 'refusal', v_message::jsonb || jsonb_build_object('status', v_detail::jsonb -> 'status')
    );
  end;
  return jsonb_build_object('taken', v_taken, 'reply', v_reply);
end
$$;

comment on function api.counted(text, text, jsonb, text, text, integer) is
  'Counts a request of the caller and, when it is within the policy''s quota, calls a function of the interface, once a key if there is one: {taken} beyond it, {taken, reply}, or {taken, refusal: {code, message, details, hint, status}}, which leaves nothing but the count. What fails otherwise is not counted. Refuses: unauthorized, forbidden, not_found, conflict. All but the first stand in the reply, with what the function refuses with.';

create function api.take_request(p_policy text) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  return private.take(p_policy, private.caller()::text);
end
$$;

comment on function api.take_request(text) is
  'Counts a request of the caller under a policy: {allowed, policy, quota, window_seconds, remaining, reset_seconds}; null when there is no such policy. Refuses: unauthorized.';

create function api.take_visitor_request(p_policy text, p_address text) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  return private.take(p_policy, 'address ' || p_address);
end
$$;

comment on function api.take_visitor_request(text, text) is
  'The same for a visitor, by a hash of the network address; for the service, which alone knows it. It refuses nothing.';

grant execute on function
  api.once(text, text, text, jsonb, integer), api.counted(text, text, jsonb, text, text, integer), api.take_request(text)
to authenticated;
grant execute on function api.take_visitor_request(text, text) to service_role;
