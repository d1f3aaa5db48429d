-- Tables of purchases: plans and subscriptions, by the statements of the stores.
--
-- Each table has its comments, indexes, row security, policies and grants below it. The rules are in claims.sql,
-- ends.sql, figures.sql, ledger.sql, plans.sql, reconciliation.sql, statements.sql and subscriptions.sql.

-- ---------------------------------------------------------------------------------------------------------------------
-- Plans
-- ---------------------------------------------------------------------------------------------------------------------

create table public.subscription_plans (
  id uuid primary key default gen_random_uuid(),
  code text collate "C" not null constraint subscription_plans_code_unique unique
    constraint subscription_plans_code_form check (code ~ '^[A-Za-z0-9][A-Za-z0-9_.-]{0,149}$'),
  name text not null constraint subscription_plans_name_length check (char_length(name) between 1 and 100),
  name_en text constraint subscription_plans_name_en_length check (char_length(name_en) between 1 and 100),
  description text constraint subscription_plans_description_length check (char_length(description) <= 1000),
  description_en text constraint subscription_plans_description_en_length check (char_length(description_en) <= 1000),
  price_minor integer not null constraint subscription_plans_price_not_negative check (price_minor >= 0),
  currency text not null default 'JPY' constraint subscription_plans_currency_form check (currency ~ '^[A-Z]{3}$'),
  billing_period text not null
    constraint subscription_plans_billing_period_known check (billing_period in ('week', 'month', 'year', 'one_time')),
  accent_color text constraint subscription_plans_accent_color_form check (accent_color ~ '^#[0-9a-f]{6}$'),
  features jsonb not null default '[]' constraint subscription_plans_features_form check (
    jsonb_typeof(features) = 'object'
    or (jsonb_typeof(features) = 'array' and jsonb_array_length(features) <= 50
      and not jsonb_path_exists(features, 'strict $[*] ? (@.type() != "string" || !(@ like_regex "^.{1,200}$" flag "s"))'))
  ),
  features_en jsonb constraint subscription_plans_features_en_form check (
    jsonb_typeof(features_en) = 'object'
    or (jsonb_typeof(features_en) = 'array' and jsonb_array_length(features_en) <= 50
      and not jsonb_path_exists(features_en, 'strict $[*] ? (@.type() != "string" || !(@ like_regex "^.{1,200}$" flag "s"))'))
  ),
  sort_order integer not null default 0,
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on constraint subscription_plans_code_form on public.subscription_plans is
  'code must be 1 to 150 letters, digits, _, full stops and -, and begin with a letter or digit.';
comment on constraint subscription_plans_currency_form on public.subscription_plans is
  'currency must be an ISO 4217 code, for example JPY.';
comment on constraint subscription_plans_accent_color_form on public.subscription_plans is
  'accent_color must be #rrggbb in lower case, for example #1565c0.';
comment on constraint subscription_plans_features_form on public.subscription_plans is
  'features must be an object, or at most 50 texts of 1 to 200 characters.';
comment on constraint subscription_plans_features_en_form on public.subscription_plans is
  'features_en must be an object, or at most 50 texts of 1 to 200 characters.';
comment on table public.subscription_plans is 'Subscription plans and one-time products.';
comment on column public.subscription_plans.code is 'The product id in the stores; never changed.';
comment on column public.subscription_plans.features is
  'The features of the plan: texts to show one by one, or an object that the clients know.';
comment on column public.subscription_plans.features_en is 'The same in English; null without English texts.';
comment on column public.subscription_plans.is_active is 'False for a plan that is not sold any more.';

-- No further index: there are few plans.

alter table public.subscription_plans enable row level security;
create policy "Everyone reads the plans on sale" on public.subscription_plans
  for select to anon, authenticated using (is_active);

-- No insert, update or delete for clients: administrators write plans.

grant select (
  id, code, name, name_en, description, description_en, price_minor, currency, billing_period, accent_color, features,
  features_en, sort_order, is_active, created_at, updated_at
) on public.subscription_plans to anon, authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Subscriptions
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
  'Subscriptions and one-time purchases, each computed from its events. Written by private.project_subscription.';
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

alter table public.user_subscriptions enable row level security;
create policy "Users read their own subscriptions" on public.user_subscriptions
  for select to authenticated using (user_id = (select auth.uid()));

-- No insert, update or delete for clients: the service records the stores' statements.

grant select (
  id, user_id, plan_id, platform, provider, environment, external_subscription_id, status, started_at, ended_at, expires_at,
  auto_renew_status, auto_renewing, next_billing_date, is_trial_period, original_purchase_date, access_ends_at, created_at,
  updated_at
) on public.user_subscriptions to authenticated;

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

alter table public.store_events enable row level security;
create policy "Users read the events of their own subscriptions" on public.store_events
  for select to authenticated using (
    exists (select from public.user_subscriptions s where s.id = subscription_id and s.user_id = (select auth.uid()))
  );

grant select (id, store, subscription_id, source, type, subtype, occurred_at, status) on public.store_events to authenticated;

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
-- Store notifications
-- ---------------------------------------------------------------------------------------------------------------------

create table private.store_notifications (
  id uuid primary key default gen_random_uuid(),
  store text collate "C" not null constraint store_notifications_store_known check (store in ('ios_store', 'android_store')),
  event_id text collate "C" not null constraint store_notifications_event_id_length check (char_length(event_id) between 1 and 255),
  body jsonb,
  received_at timestamptz not null default now(),
  processed_at timestamptz,
  problem text,
  constraint store_notifications_event_unique unique (store, event_id)
);

comment on table private.store_notifications is 'Notifications of the stores, each once; kept for 35 days.';
comment on column private.store_notifications.event_id is 'The id of its entry in the ledger.';
comment on column private.store_notifications.body is
  'ios: the statement of the store; android: the purchase to query, with its token; null once it is recorded.';
comment on column private.store_notifications.processed_at is 'When it was recorded, or discarded; null: it waits.';
comment on column private.store_notifications.problem is 'Why it was discarded; null: it was not.';

-- The purge.
create index store_notifications_received_at_idx on private.store_notifications (received_at);

-- ---------------------------------------------------------------------------------------------------------------------
-- Reconciliation
-- ---------------------------------------------------------------------------------------------------------------------

-- Unlogged: after a crash the taken subscriptions are queried once more.
create unlogged table private.leased_subscriptions (
  subscription_id uuid primary key,
  ask_at timestamptz not null,
  leased_until timestamptz not null
);

comment on table private.leased_subscriptions is
  'Subscriptions that a consumer took, and until when no other takes them. No foreign key: rows are kept until then.';
comment on column private.leased_subscriptions.ask_at is
  'When it was due; when it becomes due at another time it may be taken at once.';

-- The purge.
create index leased_subscriptions_leased_until_idx on private.leased_subscriptions (leased_until);
