-- Checks an idempotency key before its command runs.
--
-- A command claims its key (private.claim_key). A request that first reaches a provider or the service would be judged there
-- before that: a bad receipt would be an error of the receipt, although its key was used for another request. So the router
-- checks the key first. It claims nothing: of two concurrent requests the command of the first decides.
--
-- Interface: api.check_idempotency_key, for the router.

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

comment on function private.check_key(text, text) is 'As api.check_idempotency_key.';

create function api.check_idempotency_key(p_key text, p_fingerprint text) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_key(p_key, p_fingerprint);
end
$$;

comment on function api.check_idempotency_key(text, text) is
  'Raises conflict (key_reused_with_different_body) when the caller used the key for another request in the last 24 hours. Reads only. Errors: unauthorized, conflict.';

grant execute on function private.check_key(text, text), api.check_idempotency_key(text, text) to authenticated;
