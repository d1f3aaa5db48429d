-- The ledger of subscriptions: what the service records, what follows from it, and whose it is.
--
-- Statements come in any order, late and twice. An event is inserted once (its id is the store's), and the row of the
-- subscription is worked out again from all its events: the last one by the store's clock says what it is. Three things are
-- remembered beyond that: a revocation stays until the store grants access again, a purchase whose place another one took has
-- ended, and what an administrator revoked stays revoked until an administrator reinstates it.
--
-- Locks: the accounts of everybody concerned in the order of their ids, then the subscription, then their premium.
--
-- Interface: api.record_store_statement for the service; commands.claim_subscription for users; private.fold_subscription and
-- private.hold_subscription for the other writers (migrations 2410 to 2440).

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: what follows from the events
-- ---------------------------------------------------------------------------------------------------------------------

create function private.status_at(p_status text, p_access_ends_at timestamptz, p_at timestamptz) returns text
language sql immutable
set search_path = ''
return case when p_status in ('active', 'grace') and p_access_ends_at <= p_at then 'expired' else p_status end;

comment on function private.status_at(text, timestamptz, timestamptz) is
  'The status of a subscription at a moment: access that has ended without further news has expired.';

create function private.refresh_premium(p_user_id uuid) returns void
language plpgsql
security definer -- premium is nobody's to write by hand
set search_path = ''
as $$
begin
  update public.app_users u set premium_ends_at = p.ends_at
  from (
    select greatest(a.granted_premium_ends_at, max(s.access_ends_at)) as ends_at
    from public.app_users a left join public.user_subscriptions s on s.user_id = a.id
    where a.id = p_user_id group by a.id
  ) p
  where u.id = p_user_id and u.status <> 'withdrawn' and u.premium_ends_at is distinct from p.ends_at;
end
$$;

comment on function private.refresh_premium(uuid) is
  'Sets until when a user has premium: the latest end of access of their subscriptions, or what was granted by hand. The account is held.';

create type private.subscription_facts as (
  status text, product_id text, external_subscription_id text, started_at timestamptz, original_purchase_date timestamptz,
  expires_at timestamptz, access_ends_at timestamptz, auto_renew_status boolean, auto_renewing boolean,
  next_billing_date timestamptz, is_trial_period boolean, account_token text
);

comment on type private.subscription_facts is 'What a store says of a subscription at one moment: store_events.facts.';

create function private.folded_facts(p_subscription_id uuid) returns private.subscription_facts
language plpgsql stable
set search_path = ''
as $$
declare
  v_last public.store_events;
  v_before public.store_events;
  v_facts private.subscription_facts;
  v_ended_at timestamptz;
begin
  select e.* into v_last from public.store_events e
  where e.subscription_id = p_subscription_id and e.facts is not null
  order by e.confirmed_at desc, e.event_id desc limit 1;
  v_facts := jsonb_populate_record(null::private.subscription_facts, v_last.facts);
  if v_facts.status = 'expired' then
    -- A store forgets that it has revoked: from then on it says expired.
    select e.* into v_before from public.store_events e
    where e.subscription_id = p_subscription_id and e.facts is not null and e.status <> 'expired'
    order by e.confirmed_at desc, e.event_id desc limit 1;
    if v_before.status = 'revoked' then
      v_facts.status := 'revoked';
      v_facts.access_ends_at := (v_before.facts ->> 'access_ends_at')::timestamptz;
      v_last.occurred_at := v_before.occurred_at;
    end if;
  end if;
  if v_facts.status not in ('active', 'grace') then
    v_facts.access_ends_at := case when v_facts.access_ends_at is not null then least(v_facts.access_ends_at, v_last.occurred_at) end;
  end if;
  select min(n.original_purchase_date) into v_ended_at
  from public.user_subscriptions s
  join public.user_subscriptions n on n.supersedes = s.subscription_key and n.platform = s.platform and n.environment = s.environment
  where s.id = p_subscription_id;
  if v_ended_at is not null then
    v_facts := private.ended_facts(v_facts, 'expired', v_ended_at);
  end if;
  select e.* into v_before from public.store_events e
  where e.subscription_id = p_subscription_id and e.source = 'admin'
  order by e.occurred_at desc, e.event_id desc limit 1;
  if v_before.type = 'REVOKED' then
    v_facts := private.ended_facts(v_facts, 'revoked', v_before.occurred_at);
  end if;
  return v_facts;
end
$$;

comment on function private.folded_facts(uuid) is
  'What a subscription is, as follows from its events, in whatever order they came.';

create function private.ended_facts(p_facts private.subscription_facts, p_status text, p_at timestamptz)
returns private.subscription_facts
language plpgsql immutable
set search_path = ''
as $$
begin
  p_facts.status := p_status;
  p_facts.access_ends_at := case when (p_facts).access_ends_at is not null then least((p_facts).access_ends_at, p_at) end;
  p_facts.auto_renewing := false;
  p_facts.next_billing_date := null;
  return p_facts;
end
$$;

comment on function private.ended_facts(private.subscription_facts, text, timestamptz) is
  'The facts of a subscription that ended at a moment for a reason of its own.';

create function private.next_question(
  p_status text, p_access_ends_at timestamptz, p_needs_acknowledgement boolean, p_heard_at timestamptz
) returns timestamptz
language sql immutable
set search_path = ''
return case
  when p_needs_acknowledgement then p_heard_at + interval '5 minutes'
  when p_status in ('grace', 'on_hold', 'paused', 'pending', 'unknown') then p_heard_at + interval '6 hours'
  when p_status = 'active' and p_access_ends_at > p_heard_at
    then least(p_access_ends_at + interval '5 minutes', p_heard_at + interval '7 days')
  when p_status = 'active' then p_heard_at + interval '1 hour'
  when p_access_ends_at > p_heard_at - interval '60 days' then p_heard_at + interval '7 days'
end;

comment on function private.next_question(text, timestamptz, boolean, timestamptz) is
  'When the store of a subscription is to be asked again, after it said something at p_heard_at; null: 60 days after the end nothing is expected any more.';

create function private.subscription_news(p_status text, p_access_ends_at timestamptz, p_at timestamptz) returns text
language sql immutable
set search_path = ''
return case private.status_at(p_status, p_access_ends_at, p_at)
  when 'active' then 'granted' when 'grace' then 'failing' when 'on_hold' then 'failing'
  when 'expired' then 'ended' when 'revoked' then 'ended' when 'paused' then 'ended' end;

comment on function private.subscription_news(text, timestamptz, timestamptz) is
  'What a user is to know of a subscription at a moment: granted, failing or ended; null: nothing.';

create function private.plan_names(p_plan_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (select jsonb_build_object('ja', p.name, 'en', coalesce(p.name_en, p.name)) from public.subscription_plans p where p.id = p_plan_id);
end
$$;

comment on function private.plan_names(uuid) is 'The name of a plan in both languages, for private.notify.';

create function private.announce_subscription(p_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_row public.user_subscriptions;
  v_news text;
begin
  select * into v_row from public.user_subscriptions s where s.id = p_id;
  v_news := private.subscription_news(v_row.status, v_row.access_ends_at, now());
  if v_row.user_id is null or v_news is null or v_news = v_row.announced then
    return;
  end if;
  update public.user_subscriptions set announced = v_news where id = p_id;
  -- What was over when it was first heard of is no news.
  if v_news = 'granted' or v_row.announced is not null then
    perform private.notify(v_row.user_id, 'subscription_' || v_news,
      jsonb_build_object('plan', private.plan_names(v_row.plan_id)), jsonb_build_object('subscription_id', p_id));
  end if;
end
$$;

comment on function private.announce_subscription(uuid) is
  'Notifies the user of a subscription when access is granted, when a renewal fails and when access ends, once each.';

create function private.fold_subscription(p_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_facts private.subscription_facts := private.folded_facts(p_id);
  v_user_id uuid;
begin
  update public.user_subscriptions s
  set plan_id = coalesce((select p.id from public.subscription_plans p where p.code = v_facts.product_id), s.plan_id),
    external_subscription_id = coalesce(v_facts.external_subscription_id, s.external_subscription_id),
    status = v_facts.status, started_at = v_facts.started_at, ended_at = v_facts.expires_at,
    auto_renew_status = v_facts.auto_renew_status, auto_renewing = v_facts.auto_renewing,
    next_billing_date = v_facts.next_billing_date, is_trial_period = v_facts.is_trial_period,
    original_purchase_date = v_facts.original_purchase_date, access_ends_at = v_facts.access_ends_at,
    account_token = v_facts.account_token,
    ask_at = private.next_question(v_facts.status, v_facts.access_ends_at, s.needs_acknowledgement, s.heard_at)
  where s.id = p_id returning s.user_id into v_user_id;
  if v_user_id is not null then
    perform private.refresh_premium(v_user_id);
    perform private.announce_subscription(p_id);
  end if;
end
$$;

comment on function private.fold_subscription(uuid) is
  'Works the row of a subscription out from its events, with the premium and the notifications of its user. The subscription and its user are held.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: locks
-- ---------------------------------------------------------------------------------------------------------------------

create function private.hold_subscription(p_id uuid, p_user_ids uuid[] default '{}') returns public.user_subscriptions
language plpgsql
set search_path = ''
as $$
declare
  v_row public.user_subscriptions;
  v_owner uuid;
begin
  for nth in 1 .. 10 loop
    select s.user_id into v_owner from public.user_subscriptions s where s.id = p_id;
    begin
      perform from public.app_users u where u.id = any (p_user_ids || v_owner) order by u.id for no key update;
      select * into v_row from public.user_subscriptions s where s.id = p_id for update;
      if v_row.user_id is not distinct from v_owner or v_row.user_id = any (p_user_ids) then
        return v_row;
      end if;
      -- It changed hands meanwhile: let go of everything, so that nobody waits in a circle.
      raise exception using errcode = 'PSUB1';
    exception when sqlstate 'PSUB1' then
      null;
    end;
  end loop;
  perform private.refuse('conflict', 409, 'The subscription is changing hands; send the request again in a moment',
    p_details => '{"reason": "changed_meanwhile"}');
  return null;
end
$$;

comment on function private.hold_subscription(uuid, uuid[]) is
  'Locks the account of a subscription''s user and these accounts, in the order of their ids, and then the subscription. Refuses: conflict.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface: the service records
-- ---------------------------------------------------------------------------------------------------------------------

create function private.named_account(p_account_token text) returns uuid
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select u.id from public.app_users u
    where u.id = case when p_account_token ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then p_account_token::uuid end
      and u.status <> 'withdrawn'
  );
end
$$;

comment on function private.named_account(text) is
  'The account that an app named at a purchase; null when it named none, or one that is not there or was withdrawn.';

create function private.subscription_of(p_statement jsonb) returns uuid
language plpgsql
set search_path = ''
as $$
declare
  v_facts constant private.subscription_facts := jsonb_populate_record(null::private.subscription_facts, p_statement -> 'facts');
  v_platform constant text := case p_statement ->> 'store' when 'ios_store' then 'ios' else 'android' end;
  v_environment constant text := p_statement #>> '{facts,environment}';
  v_plan_id uuid;
  v_id uuid;
begin
  select s.id into v_id from public.user_subscriptions s
  where s.platform = v_platform and s.environment = v_environment and s.subscription_key = p_statement ->> 'subscription_key';
  if found then
    return v_id;
  end if;
  select p.id into v_plan_id from public.subscription_plans p where p.code = v_facts.product_id;
  if not found then
    perform private.refuse('validation_error', 422, 'There is no subscription plan with this code', p_param => 'product_id');
  end if;
  insert into public.user_subscriptions as s (
    plan_id, platform, environment, subscription_key, status, started_at, ended_at, auto_renewing, is_trial_period, original_purchase_date
  ) values (
    v_plan_id, v_platform, v_environment, p_statement ->> 'subscription_key', v_facts.status, v_facts.started_at, v_facts.expires_at,
    v_facts.auto_renewing, v_facts.is_trial_period, v_facts.original_purchase_date
  )
  -- Somebody else was first: theirs is the row.
  on conflict on constraint user_subscriptions_key_unique do update set subscription_key = s.subscription_key
  returning s.id into v_id;
  return v_id;
end
$$;

comment on function private.subscription_of(jsonb) is
  'The subscription that a statement is about; a row of its own when it is new. Refuses (validation_error) a product that is no plan.';

create function private.add_store_event(p_subscription_id uuid, p_statement jsonb, p_source text) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_occurred_at constant timestamptz := p_statement ->> 'occurred_at';
begin
  -- An answer that says what is known already extends the last event, so that asking often does not make the ledger long.
  if p_source <> 'notification' then
    update public.store_events e set confirmed_at = v_occurred_at
    where e.id = (
        select l.id from public.store_events l where l.subscription_id = p_subscription_id and l.facts is not null
        order by l.confirmed_at desc, l.event_id desc limit 1
      )
      and e.facts = p_statement -> 'facts' and e.confirmed_at <= v_occurred_at;
    if found then
      return;
    end if;
  end if;
  insert into public.store_events (
    store, event_id, subscription_id, source, type, subtype, occurred_at, confirmed_at, facts, payload, receipt_hash
  ) values (
    p_statement ->> 'store', p_statement ->> 'event_id', p_subscription_id, p_source, p_statement ->> 'type',
    p_statement ->> 'subtype', v_occurred_at, v_occurred_at, p_statement -> 'facts', coalesce(p_statement -> 'payload', '{}'),
    p_statement ->> 'receipt_hash'
  ) on conflict (store, event_id) do nothing;
end
$$;

comment on function private.add_store_event(uuid, jsonb, text) is
  'Puts a statement into the ledger, once. The subscription is held.';

create function private.superseded_by(p_statement jsonb) returns public.user_subscriptions
language plpgsql stable
set search_path = ''
as $$
declare
  v_row public.user_subscriptions;
begin
  select * into v_row from public.user_subscriptions s
  where s.platform = 'android' and s.environment = p_statement #>> '{facts,environment}'
    and s.subscription_key = p_statement ->> 'supersedes';
  return v_row;
end
$$;

comment on function private.superseded_by(jsonb) is 'The subscription whose place the one of a statement takes; null when it is not known.';

create function private.write_store_statement(p_statement jsonb, p_source text, p_user_id uuid) returns jsonb
language plpgsql
security definer -- the ledger and purchase tokens are nobody's to write by hand
set search_path = ''
as $$
declare
  v_id uuid := private.subscription_of(p_statement);
  v_former public.user_subscriptions := private.superseded_by(p_statement);
  -- Whose a subscription is that nobody has claimed: who shows a receipt claims it.
  v_heir uuid := case when p_user_id is null
    then coalesce(private.named_account(p_statement #>> '{facts,account_token}'), v_former.user_id) end;
begin
  perform private.hold_subscription(v_id, array_remove(array[v_heir, v_former.user_id], null));
  if v_former.id is not null then
    perform from public.user_subscriptions s where s.id = v_former.id for update;
  end if;
  perform private.add_store_event(v_id, p_statement, p_source);
  update public.user_subscriptions s
  set user_id = coalesce(s.user_id, v_heir), supersedes = coalesce(s.supersedes, p_statement ->> 'supersedes'),
    needs_acknowledgement = coalesce((p_statement ->> 'needs_acknowledgement')::boolean, false), heard_at = now()
  where s.id = v_id;
  insert into private.purchase_tokens (subscription_id, token)
  select v_id, p_statement ->> 'purchase_token' where p_statement ->> 'purchase_token' is not null
  on conflict (subscription_id) do nothing;
  if p_user_id is not null then
    insert into private.verified_purchases (subscription_id, user_id) values (v_id, p_user_id)
    on conflict (subscription_id, user_id) do update set verified_at = now();
  end if;
  perform private.fold_subscription(v_id);
  if v_former.id is not null then
    perform private.fold_subscription(v_former.id);
  end if;
  return jsonb_build_object('subscription_id', v_id);
end
$$;

comment on function private.write_store_statement(jsonb, text, uuid) is 'As api.record_store_statement, which checks the rest.';

create function api.record_store_statement(p_statement jsonb, p_source text, p_user_id uuid default null) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  if p_user_id is not null then
    perform private.require_active((select u.status from public.app_users u where u.id = p_user_id));
  end if;
  return private.write_store_statement(p_statement, p_source, p_user_id);
end
$$;

comment on function api.record_store_statement(jsonb, text, uuid) is
  'For the service: puts what a store said (StoreStatement of the functions) into the ledger and works the subscription out: {subscription_id}. p_source is verify, refresh, notification or reconciliation; p_user_id is who showed the receipt and may claim the subscription within the hour. The same statement again changes nothing. A product that is no plan is a validation_error. Refuses: forbidden, validation_error, conflict.';

create function private.clear_acknowledgement(p_subscription_id uuid) returns void
language plpgsql
security definer -- as private.write_store_statement
set search_path = ''
as $$
begin
  update public.user_subscriptions s set needs_acknowledgement = false,
    ask_at = private.next_question(s.status, s.access_ends_at, false, s.heard_at)
  where s.id = p_subscription_id and s.needs_acknowledgement;
end
$$;

comment on function private.clear_acknowledgement(uuid) is 'As api.record_acknowledgement.';

create function api.record_acknowledgement(p_subscription_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.clear_acknowledgement(p_subscription_id);
end
$$;

comment on function api.record_acknowledgement(uuid) is
  'For the service: the store knows that a purchase is stored. Idempotent. It refuses nothing.';

grant execute on function
  private.refresh_premium(uuid), private.write_store_statement(jsonb, text, uuid), private.clear_acknowledgement(uuid),
  api.record_store_statement(jsonb, text, uuid), api.record_acknowledgement(uuid)
to service_role;
