-- Idempotency keys. A POST with a key has one effect and one reply for 24 hours.
--
-- The key is claimed, the command runs and its reply is stored in one transaction, so that neither a crash nor a race
-- leaves an effect without its reply. An error rolls back the claim too: a retry runs the command again.
--
-- Invariants: one row a reply, which never changes; requests with one key run one after another. The tables bound what is
-- kept, for every writer: 10 replies a key, 1,000 keys and 16 MiB a user and day, 64 KiB a reply. No client can reach
-- these tables. Rows are deleted after 24 hours.
-- Interface: private.claim_key and private.store_reply, for commands (requests/commands.sql), and
-- api.check_idempotency_key for the router.

-- No row security and no grants: clients have no right on the tables of this schema, and no view shows them.

-- Bounds what is stored: 64 KiB a reply (1 MiB of an import of lots), 10 replies a key, 1,000 keys and 16 MiB a user in
-- 24 hours. Errors: conflict, rate_limited.
create function private.tg_idempotency_replies__bound() returns trigger
language plpgsql
security definer -- no role may write the counts directly
set search_path = ''
as $$
declare
  v_is_new_key boolean := not exists (
    select from private.idempotency_replies r
    where r.user_id = new.user_id and r.key = new.key and r.created_at >= now() - interval '24 hours'
  );
  v_day private.idempotency_days;
begin
  -- The report on a thousand lots that an administrator imports is stored too.
  if octet_length(new.reply::text) > (case when new.call like 'admin\_import\_parking\_lots %' then 1048576 else 65536 end) then
    perform private.raise_error('conflict', 409, 'The reply is too large to be stored. Send the request without a key.',
      p_param => 'Idempotency-Key', p_details => '{"reason": "reply_too_large"}');
  end if;
  -- Locks the user's row: from here to the end of the transaction no other request stores a reply of this user. A day is a
  -- window of 24 hours.
  insert into private.idempotency_days as d (user_id, keys, bytes)
  values (new.user_id, v_is_new_key::integer, pg_column_size(new))
  on conflict (user_id) do update set
    started_at = case when private.is_window_open(d.started_at, 86400) then d.started_at else excluded.started_at end,
    keys = case when private.is_window_open(d.started_at, 86400) then d.keys else 0 end + excluded.keys,
    bytes = case when private.is_window_open(d.started_at, 86400) then d.bytes else 0 end + excluded.bytes
  returning * into v_day;
  if v_day.keys > 1000 or v_day.bytes > 16777216 then
    perform private.raise_error('rate_limited', 429, case when v_day.keys > 1000
        then 'Too many idempotency keys were used in 24 hours.' else 'Too much was stored under idempotency keys in 24 hours.'
      end || ' Retry after details.retry_after seconds.',
      p_param => 'Idempotency-Key',
      p_details => jsonb_build_object('policy', 'idempotency_keys',
        'retry_after', greatest(1, ceil(extract(epoch from v_day.started_at + interval '24 hours' - now())))));
  end if;
  if (select count(*) from private.idempotency_replies r where r.user_id = new.user_id and r.key = new.key) >= 10 then
    perform private.raise_error('conflict', 409, 'This key has 10 replies already. Use a new key for each request.',
      p_param => 'Idempotency-Key', p_details => '{"reason": "too_many_replies"}');
  end if;
  return new;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Idempotency keys
-- ---------------------------------------------------------------------------------------------------------------------

-- As api.check_idempotency_key.
create function private.check_key(p_key text, p_fingerprint text) returns void
language plpgsql stable
security definer -- no client may read keys, not even its own; the key is always the caller's
set search_path = ''
as $$
begin
  if exists (
    select from private.idempotency_replies r
    where r.user_id = private.caller() and r.key = p_key and r.fingerprint <> p_fingerprint
      and r.created_at >= now() - interval '24 hours'
  ) then
    perform private.raise_error('conflict', 409, 'This key was used for another request. Use a new key for each request.',
      p_param => 'Idempotency-Key', p_details => '{"reason": "key_reused_with_different_body"}');
  end if;
end
$$;

-- Claims the caller's key until the end of the transaction. Returns {reply}, stored for this call in the last 24 hours;
-- otherwise null. Errors: unauthorized, conflict.
create function private.claim_key(p_key text, p_fingerprint text, p_call text) returns jsonb
language plpgsql
security definer -- no client may read or write keys, not even its own; the claimed key is always the caller's
set search_path = ''
set lock_timeout = '5s'
as $$
declare
  v_user_id uuid := private.caller();
begin
  -- Before the command locks anything, as a withdrawal does: it changes the account first.
  perform from auth.users u where u.id = v_user_id for key share;
  if not found then
    perform private.raise_error('unauthorized', 401, 'This account no longer exists. Sign in again.');
  end if;
  -- A second request with the key waits here until the first one ends, and then reads its replies. Keys that share a hash only
  -- wait for each other.
  perform pg_advisory_xact_lock(hashtextextended(v_user_id || p_key, 0));
  perform private.check_key(p_key, p_fingerprint);
  return (
    select jsonb_build_object('reply', r.reply) from private.idempotency_replies r
    where r.user_id = v_user_id and r.key = p_key and r.call = p_call and r.created_at >= now() - interval '24 hours'
  );
exception
  when lock_not_available then
    perform private.raise_error('conflict', 409, 'A request with this key is still running. Retry in a few seconds.',
      p_param => 'Idempotency-Key', p_details => '{"reason": "key_in_use"}');
    return null;
end
$$;

-- Stores the reply of a call under the caller's key, which is claimed. Errors: conflict, rate_limited.
create function private.store_reply(p_key text, p_fingerprint text, p_call text, p_reply jsonb) returns void
language plpgsql
security definer -- no client may write replies; the key is the caller's, claimed by run_once
set search_path = ''
as $$
begin
  delete from private.idempotency_replies r
  where r.user_id = auth.uid() and r.key = p_key and r.created_at < now() - interval '24 hours';
  -- The reply of a withdrawal is stored too, as long as the account exists.
  insert into private.idempotency_replies (user_id, key, call, fingerprint, reply)
  select u.id, p_key, p_call, p_fingerprint, p_reply from auth.users u where u.id = auth.uid();
end
$$;

grant execute on function
  private.claim_key(text, text, text), private.check_key(text, text), private.store_reply(text, text, text, jsonb)
to authenticated;

-- Deletes the stored replies of a user who withdraws: they may contain what the user wrote.
create function private.delete_replies(p_user_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- Not their count of the day: a request of the user may hold that row and wait for the account.
  delete from private.idempotency_replies where user_id = p_user_id;
end
$$;
