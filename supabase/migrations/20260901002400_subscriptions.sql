-- Subscriptions: the stores' statements about purchases, as one ledger and one row for each subscription.
--
-- public.store_events has every statement of a store: the answer to a receipt, a notification, the answer to
-- reconciliation. The row of a subscription is computed from its events in the order of the store's clock (migration 2405).
-- The result is the same for any order of arrival and for repeated events.
--
-- The service records every statement, regardless of the owner; the user claims the subscription
-- (commands.claim_subscription). Premium follows in the same transaction: app_users.premium_ends_at is the latest end of
-- access of the user's subscriptions, or an administrator's grant if that is later.
--
-- Invariants: one row for each platform, environment and subscription_key; an event is in the ledger once. Purchase tokens
-- are only in private.purchase_tokens. Clients read their own rows and write none.
-- Interface: api.record_store_statement for the service (2407), commands.claim_subscription for users (2410);
-- api.my_subscription, api.list_my_subscription_events (2410); the console (2440).

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables
-- ---------------------------------------------------------------------------------------------------------------------

create table public.user_subscriptions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid references public.app_users (id) on delete set null,
  plan_id uuid not null references public.subscription_plans (id),
  platform text collate "C" not null constraint user_subscriptions_platform_known check (platform in ('ios', 'android')),
  provider text collate "C" not null generated always as (platform || '_store') stored,
  environment text collate "C" not null
    constraint user_subscriptions_environment_known check (environment in ('Production', 'Sandbox')),
  subscription_key text collate "C" not null
    constraint user_subscriptions_subscription_key_length check (char_length(subscription_key) between 1 and 200),
  external_subscription_id text collate "C",
  status text collate "C" not null constraint user_subscriptions_status_known
    check (status in ('active', 'expired', 'revoked', 'grace', 'on_hold', 'paused', 'pending', 'unknown')),
  started_at timestamptz not null,
  ended_at timestamptz,
  expires_at timestamptz generated always as (ended_at) stored,
  auto_renew_status boolean,
  auto_renewing boolean not null,
  next_billing_date timestamptz,
  is_trial_period boolean not null,
  original_purchase_date timestamptz not null,
  access_ends_at timestamptz,
  needs_acknowledgement boolean not null default false,
  acknowledged_at timestamptz,
  account_token text collate "C",
  supersedes text collate "C",
  superseded_at timestamptz,
  announced text collate "C" constraint user_subscriptions_announced_known check (announced in ('granted', 'failing', 'ended')),
  heard_at timestamptz not null default now(),
  ask_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint user_subscriptions_key_unique unique (platform, environment, subscription_key)
);

comment on table public.user_subscriptions is
  'Subscriptions and one-time purchases, each computed from its events. Written by private.fold_subscription.';
comment on column public.user_subscriptions.user_id is 'The owner; null: not claimed, or the owner has withdrawn.';
comment on column public.user_subscriptions.subscription_key is
  'ios: the original transaction''s id; android: SHA-256 of the purchase token, hexadecimal.';
comment on column public.user_subscriptions.status is
  'The store''s last status. An active or grace subscription whose access has ended is returned as expired (private.status_at).';
comment on column public.user_subscriptions.environment is
  'Sandbox: a purchase without a payment, by a tester or a reviewer of the store. It counts in no figure.';
comment on column public.user_subscriptions.ended_at is
  'The end of the paid period, or of an expired or revoked purchase, if that was earlier; null: a one-time purchase that has not ended.';
comment on column public.user_subscriptions.access_ends_at is
  'The end of access to premium; infinity: without an end; null: it gives none.';
comment on column public.user_subscriptions.needs_acknowledgement is
  'android: the store waits for the acknowledgement of the purchase, by its last statement and since acknowledged_at.';
comment on column public.user_subscriptions.acknowledged_at is 'When the service last acknowledged it to the store.';
comment on column public.user_subscriptions.account_token is
  'The account that the app stated at the purchase, by the store''s last statement.';
comment on column public.user_subscriptions.supersedes is
  'android: the subscription_key of the purchase that this one replaced.';
comment on column public.user_subscriptions.superseded_at is 'android: when another purchase replaced it.';
comment on column public.user_subscriptions.announced is 'The last notification to the user; null: none.';
comment on column public.user_subscriptions.heard_at is
  'When its store last made a statement about it, by the service''s clock.';
comment on column public.user_subscriptions.ask_at is 'When its store is queried next; null: not automatically.';

-- The user's own, and premium; the next rows of reconciliation; the segment by plan; the console's search.
create index user_subscriptions_user_id_idx on public.user_subscriptions (user_id, access_ends_at);
create index user_subscriptions_ask_at_idx on public.user_subscriptions (platform, ask_at) where ask_at is not null;
create index user_subscriptions_plan_id_idx on public.user_subscriptions (plan_id, user_id) include (access_ends_at);
create index user_subscriptions_external_id_idx on public.user_subscriptions (external_subscription_id);
create index user_subscriptions_created_at_idx on public.user_subscriptions (created_at desc, id desc);
create index user_subscriptions_plan_list_idx on public.user_subscriptions (plan_id, created_at desc, id desc);
create index user_subscriptions_provider_list_idx on public.user_subscriptions (provider, created_at desc, id desc);
create index user_subscriptions_status_list_idx on public.user_subscriptions (status, created_at desc, id desc);
-- The figures, which leave out the sandbox.
create index user_subscriptions_sandbox_idx on public.user_subscriptions (user_id, access_ends_at) where environment = 'Sandbox';
-- The purchase that replaced one.
create index user_subscriptions_supersedes_idx on public.user_subscriptions (supersedes) where supersedes is not null;
-- Rows whose access ends or ended without a statement of the store; of these, rows whose users are not notified yet.
create index user_subscriptions_lapse_idx on public.user_subscriptions (access_ends_at) where status in ('active', 'grace');
create index user_subscriptions_unannounced_end_idx on public.user_subscriptions (access_ends_at)
  where status in ('active', 'grace') and announced in ('granted', 'failing') and user_id is not null;

-- A statement without new facts makes no new version of the row.
create trigger _100_touch_updated_at before update on public.user_subscriptions
  for each row when (
    (old.user_id, old.plan_id, old.external_subscription_id, old.status, old.started_at, old.ended_at, old.auto_renew_status,
      old.auto_renewing, old.next_billing_date, old.is_trial_period, old.original_purchase_date, old.access_ends_at,
      old.superseded_at)
    is distinct from
    (new.user_id, new.plan_id, new.external_subscription_id, new.status, new.started_at, new.ended_at, new.auto_renew_status,
      new.auto_renewing, new.next_billing_date, new.is_trial_period, new.original_purchase_date, new.access_ends_at,
      new.superseded_at)
  )
  execute function private.tg_touch_updated_at();

create table public.store_events (
  id uuid primary key default gen_random_uuid(),
  store text collate "C" not null constraint store_events_store_known check (store in ('ios_store', 'android_store')),
  event_id text collate "C" not null constraint store_events_event_id_length check (char_length(event_id) between 1 and 255),
  subscription_id uuid not null references public.user_subscriptions (id) on delete cascade,
  source text collate "C" not null constraint store_events_source_known
    check (source in ('verify', 'refresh', 'notification', 'reconciliation', 'admin')),
  type text collate "C",
  subtype text collate "C",
  occurred_at timestamptz not null,
  confirmed_at timestamptz not null,
  facts jsonb,
  status text collate "C" generated always as (facts ->> 'status') stored,
  needs_acknowledgement boolean not null default false,
  payload jsonb not null default '{}',
  receipt_hash text collate "C",
  received_at timestamptz not null default now(),
  constraint store_events_event_unique unique (store, event_id),
  constraint store_events_confirmed_after check (confirmed_at >= occurred_at),
  constraint store_events_facts_of_stores check ((facts is null) = (source = 'admin'))
);

comment on table public.store_events is 'The ledger of the stores'' statements about subscriptions, each statement once.';
comment on column public.store_events.event_id is 'The store''s id of the statement, or one computed from its content.';
comment on column public.store_events.type is 'The store''s name of the event; null: an answer to a query.';
comment on column public.store_events.occurred_at is 'The time of the statement, by the store''s clock.';
comment on column public.store_events.confirmed_at is
  'When the store last repeated it: an answer with the facts of the last answer extends that event.';
comment on column public.store_events.facts is
  'The content, as SubscriptionFacts of the functions; null: an act of an administrator.';
comment on column public.store_events.needs_acknowledgement is 'android: whether the purchase waited to be acknowledged.';
comment on column public.store_events.payload is
  'The decoded content, without receipts, purchase tokens and account tokens; for an act of an administrator {admin_id, reason}.';
comment on column public.store_events.receipt_hash is 'SHA-256 of the receipt, hexadecimal.';

-- In the store's order; the lists of the user and of the console.
create index store_events_subscription_id_idx on public.store_events (subscription_id, confirmed_at desc);
create index store_events_history_idx on public.store_events (subscription_id, occurred_at desc, id desc);
-- Acts of administrators, which are few.
create index store_events_acts_idx on public.store_events (subscription_id, occurred_at desc) where source = 'admin';

create table private.purchase_tokens (
  subscription_id uuid primary key references public.user_subscriptions (id) on delete cascade,
  token text not null
);

comment on table private.purchase_tokens is 'The purchase tokens of Google Play, for reconciliation.';

create table private.verified_purchases (
  subscription_id uuid not null references public.user_subscriptions (id) on delete cascade,
  user_id uuid not null,
  proof text collate "C" not null
    constraint verified_purchases_proof_known check (proof in ('account', 'none', 'purchase_token', 'signature')),
  signed_at timestamptz,
  verified_at timestamptz not null default now(),
  constraint verified_purchases_signature_dated check ((proof = 'signature') = (signed_at is not null)),
  primary key (subscription_id, user_id)
);

comment on table private.verified_purchases is
  'Users who sent a valid receipt, and how it proves that they have the purchase. They may claim its subscription within the hour. Concurrent requests of a user find the same row. No foreign key to the account: rows are kept for an hour.';
comment on column private.verified_purchases.proof is
  'account: the purchase states the user''s account. purchase_token: the user sent the token of Google Play, which only the buyer''s device gets. signature: the user sent a transaction that the App Store signed. none: the receipt proves nothing, so the subscription must be the user''s already.';
comment on column private.verified_purchases.signed_at is
  'When the App Store signed the receipt; the latest of several. Never the time of an answer that the service got itself.';

create index verified_purchases_user_id_idx on private.verified_purchases (user_id);

-- ---------------------------------------------------------------------------------------------------------------------
-- Row security
-- ---------------------------------------------------------------------------------------------------------------------

alter table public.user_subscriptions enable row level security;
alter table public.store_events enable row level security;

create policy "Users read their own subscriptions" on public.user_subscriptions
  for select to authenticated using (user_id = (select auth.uid()));

create policy "Users read the events of their own subscriptions" on public.store_events
  for select to authenticated using (
    exists (select from public.user_subscriptions s where s.id = subscription_id and s.user_id = (select auth.uid()))
  );

-- No insert, update or delete for clients: the service records the stores' statements.

grant select (
  id, user_id, plan_id, platform, provider, environment, external_subscription_id, status, started_at, ended_at, expires_at,
  auto_renew_status, auto_renewing, next_billing_date, is_trial_period, original_purchase_date, access_ends_at, created_at,
  updated_at
) on public.user_subscriptions to authenticated;
grant select (id, store, subscription_id, source, type, subtype, occurred_at, status) on public.store_events to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Withdrawal
-- ---------------------------------------------------------------------------------------------------------------------

create function private.tg_app_users__leave_subscriptions() returns trigger
language plpgsql
security definer -- no client may write subscriptions
set search_path = ''
as $$
begin
  delete from private.verified_purchases where user_id = new.id;
  -- The administrator's text about the user is deleted; the revocation of the subscription stays.
  update public.store_events e set payload = e.payload - 'reason'
  where e.source = 'admin' and e.subscription_id in (select s.id from public.user_subscriptions s where s.user_id = new.id);
  update public.user_subscriptions set user_id = null, announced = null where user_id = new.id;
  return null;
end
$$;

comment on function private.tg_app_users__leave_subscriptions() is
  'Removes the owner of the subscriptions of a user who withdraws; the user''s next account can claim them.';

create trigger _320_leave_subscriptions after update of status on public.app_users
  for each row when (new.status = 'withdrawn' and old.status <> 'withdrawn')
  execute function private.tg_app_users__leave_subscriptions();
