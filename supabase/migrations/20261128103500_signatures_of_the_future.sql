-- A receipt whose signature states a time in the future is no proof that it was signed just now.
--
-- The definition is that of supabase/schemas after this change. The way back: the function as it was.

set lock_timeout = '2s';

-- Rejects the claim of a subscription that is not the user's when the proof of possession does not allow it: the receipt
-- proves nothing, or the account that the purchase stated has changed. A signature older than 10 minutes, or of the future,
-- takes it from no other user. The caller has locked the subscription. Errors: conflict.
create or replace function private.require_proof(p_row public.user_subscriptions, p_proof private.verified_purchases) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  -- Long enough to restore purchases and to retry; short for a copy to be of use.
  c_max_signature_age constant interval := '10 minutes';
  -- The store's clock may be ahead by so much.
  c_max_clock_skew constant interval := '1 minute';
begin
  perform private.require_signature((p_proof).proof);
  if (p_proof).proof = 'account' and private.named_account((p_row).account_token) is distinct from (p_proof).user_id then
    perform private.raise_error('conflict', 409, 'The account of this purchase has changed. Verify its receipt again.', p_param => 'receipt',
      p_details => '{"reason": "changed_meanwhile"}');
  elsif (p_row).user_id is not null and (p_proof).proof = 'signature'
    and (p_proof).signed_at not between now() - c_max_signature_age and now() + c_max_clock_skew
    and private.named_account((p_row).account_token) is distinct from (p_proof).user_id
  then
    perform private.raise_error('conflict', 409,
      'Another account uses this purchase, and the receipt was not signed in the last 10 minutes. Restore purchases in the store, then send the new signed transaction.',
      p_param => 'receipt', p_details => '{"reason": "signature_too_old"}');
  end if;
end
$$;
