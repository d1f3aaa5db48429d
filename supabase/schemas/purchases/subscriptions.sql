-- Subscriptions: the stores' statements about purchases, as one ledger and one row for each subscription.
--
-- public.store_events has every statement of a store: the answer to a receipt, a notification, the answer to
-- reconciliation. The row of a subscription is computed from its events in the order of the store's clock
-- (purchases/ledger.sql). The result is the same for any order of arrival and for repeated events.
--
-- The service records every statement, regardless of the owner; the user claims the subscription
-- (commands.claim_subscription). Premium follows in the same transaction: app_users.premium_ends_at is the latest end of
-- access of the user's subscriptions, or an administrator's grant if that is later.
--
-- Invariants: one row for each platform, environment and subscription_key; an event is in the ledger once. Purchase
-- tokens are only in private.purchase_tokens. Clients read their own rows and write none.
-- Interface: api.record_store_statement for the service (purchases/statements.sql), commands.claim_subscription for users
-- (purchases/claims.sql); api.my_subscription, api.list_my_subscription_events (purchases/claims.sql); the console
-- (purchases/console_subscriptions.sql).

-- Removes the owner of the subscriptions of a user who withdraws; the user's next account can claim them.
create function private.leave_subscriptions(p_user_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  delete from private.verified_purchases where user_id = p_user_id;
  -- The administrator's text about the user is deleted; the revocation of the subscription stays.
  update public.store_events e set payload = e.payload - 'reason'
  where e.source = 'admin' and e.subscription_id in (select s.id from public.user_subscriptions s where s.user_id = p_user_id);
  update public.user_subscriptions set user_id = null, announced = null where user_id = p_user_id;
end
$$;
