-- Types of purchases: plans and subscriptions, by the statements of the stores.
-- They come before the tables, because columns, functions and other types use them.

create type private.subscription_facts as (
  status text, product_id text, external_subscription_id text, started_at timestamptz, original_purchase_date timestamptz,
  expires_at timestamptz, access_ends_at timestamptz, auto_renew_status boolean, auto_renewing boolean,
  next_billing_date timestamptz, is_trial_period boolean, account_token text
);

comment on type private.subscription_facts is
  'The facts of a subscription at one time, as a store stated them: store_events.facts.';
