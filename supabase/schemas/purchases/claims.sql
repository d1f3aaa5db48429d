-- A user's subscription: claim a purchase, and read it.
--
-- A user who proved to have a purchase (private.verified_purchases) may claim its subscription. It moves to them when the
-- app stated no account at the purchase, or an account that was withdrawn. Both users are notified, and the former owner
-- loses premium in the same transaction. A subscription whose purchase states another account is rejected.
--
-- A signed transaction can be copied, from a backup or a log. So it takes a subscription from another user only shortly after
-- the App Store signed it: the device of the buyer can get a new signature at any time. The token of Google Play has no date.
-- Only the buyer's device and the service have it.
--
-- Invariants: a subscription has one owner; of two concurrent claims the last one wins. No data that a user can write makes
-- them an owner.
-- Interface: api.check_purchaser for the service; commands.claim_subscription, api.my_subscription,
-- api.list_my_subscription_events.

-- A plan as the interface returns it, also one that is not sold any more; null when there is none.
create function private.plan_of_subscription(p_plan_id uuid, p_lang text) returns jsonb
language plpgsql stable
security definer -- clients read only the plans on sale
set search_path = ''
as $$
begin
  return (select private.plan_row(p, p_lang) from public.subscription_plans p where p.id = p_plan_id);
end
$$;

-- A user's subscription as MySubscription; the plan in p_lang, null: the account's language.
create function private.subscription_of_user(p_user_id uuid, p_lang text) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_lang text := coalesce(p_lang, (select u.lang from public.app_users u where u.id = p_user_id));
  v_row public.user_subscriptions;
begin
  -- The one that gives access longest, else the latest.
  select s.id, s.plan_id, s.status, s.started_at, s.ended_at, s.access_ends_at
  into v_row.id, v_row.plan_id, v_row.status, v_row.started_at, v_row.ended_at, v_row.access_ends_at
  from public.user_subscriptions s where s.user_id = p_user_id
  order by coalesce(s.access_ends_at, '-infinity') desc, s.started_at desc, s.id limit 1;
  return jsonb_build_object(
    'id', v_row.id, 'plan_id', v_row.plan_id,
    -- A plan that is not sold any more is returned to its subscribers.
    'plan', private.plan_of_subscription(v_row.plan_id, v_lang),
    'status', private.status_at(v_row.status, v_row.access_ends_at, now()), 'started_at', v_row.started_at, 'ended_at', v_row.ended_at
  );
end
$$;

-- A subscription as VerifyIapResponse, with its current status.
create function private.iap_subscription(p_row public.user_subscriptions) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_status constant text := private.status_at((p_row).status, (p_row).access_ends_at, now());
  v_is_over constant boolean := v_status in ('revoked', 'expired');
begin
  return jsonb_build_object(
    'id', (p_row).id, 'user_id', (p_row).user_id, 'plan_id', (p_row).plan_id, 'status', v_status,
    'started_at', (p_row).started_at, 'ended_at', (p_row).ended_at, 'auto_renew_status', (p_row).auto_renew_status,
    'expires_at', (p_row).ended_at, 'platform', (p_row).platform,
    -- The contract knows the sandbox of the App Store only. The console shows that of Google Play too.
    'environment', case (p_row).platform when 'android' then 'Production' else (p_row).environment end,
    'external_subscription_id', (p_row).external_subscription_id, 'created_at', (p_row).created_at, 'updated_at', (p_row).updated_at,
    'next_billing_date', case when not v_is_over then (p_row).next_billing_date end, 'is_trial_period', (p_row).is_trial_period,
    'auto_renewing', (p_row).auto_renewing and not ((p_row).platform = 'ios' and v_is_over),
    'original_purchase_date', (p_row).original_purchase_date, 'provider', (p_row).provider
  );
end
$$;

-- Rejects the claim of a subscription that is not the user's when the proof of possession does not allow it: the receipt
-- proves nothing, or the account that the purchase stated has changed. A signature older than 10 minutes, or of the future,
-- takes it from no other user. The caller has locked the subscription. Errors: conflict.
create function private.require_proof(p_row public.user_subscriptions, p_proof private.verified_purchases) returns void
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

-- As commands.claim_subscription.
create function private.claim_purchase(p_subscription_id uuid, p_must_be_own boolean) returns jsonb
language plpgsql
security definer -- no client may write subscriptions; the caller has proved to have the purchase
set search_path = ''
as $$
declare
  v_user_id uuid := private.caller();
  v_proof private.verified_purchases;
  v_row public.user_subscriptions;
begin
  select * into v_proof from private.verified_purchases v
  where v.subscription_id = p_subscription_id and v.user_id = v_user_id and v.verified_at > now() - interval '1 hour';
  -- Users cannot lock subscriptions of others.
  if found or exists (select from public.user_subscriptions s where s.id = p_subscription_id and s.user_id = v_user_id) then
    v_row := private.lock_subscription(p_subscription_id, array[v_user_id]);
  end if;
  perform private.require_active((select u.status from public.app_users u where u.id = v_user_id));
  if v_row.user_id is distinct from v_user_id and (v_proof.proof is null or p_must_be_own) then
    perform private.raise_error('not_found', 404, 'You have no verified purchase with this id. Verify its receipt first.',
      p_param => case when p_must_be_own then 'receipt' else 'subscription_id' end);
  elsif private.named_account(v_row.account_token) <> v_user_id then
    perform private.raise_error('conflict', 409, 'This purchase was made for another account. Sign in to that account.', p_param => 'receipt',
      p_details => '{"reason": "belongs_to_another_account"}');
  end if;
  if v_row.user_id is distinct from v_user_id then
    perform private.require_proof(v_row, v_proof);
    perform private.move_subscription(v_row, v_user_id);
  end if;
  return jsonb_build_object(
    'is_new', v_row.user_id is null,
    'subscription', (select private.iap_subscription(s) from public.user_subscriptions s where s.id = p_subscription_id),
    'my_subscription', private.subscription_of_user(v_user_id, null)
  );
end
$$;

grant execute on function private.claim_purchase(uuid, boolean) to authenticated;

grant execute on function
  private.plan_of_subscription(uuid, text), private.subscription_of_user(uuid, text)
to authenticated;
