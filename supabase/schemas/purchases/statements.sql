-- Records store statements, and sets the owner of a subscription.
--
-- A statement is an event of the ledger once, by the store's id. If it states an account, the subscription becomes that
-- account's. If not, the owner stays. A subscription without an owner gets the owner of the purchase that it replaced, as
-- soon as both are known, in any order.
--
-- Locks, in this order: the keys of the statement (its own and that of the replaced purchase), the accounts concerned by
-- their ids, the subscriptions concerned by their ids. Each set is locked in one statement, so that there is no deadlock.
--
-- Invariants: as purchases/subscriptions.sql and purchases/ledger.sql. An unknown product creates no subscription; a
-- statement about a known subscription always counts.
-- Interface: api.record_store_statement, api.record_acknowledgement for the service; private.lock_subscription and
-- private.move_subscription for the other writers.

-- ---------------------------------------------------------------------------------------------------------------------
-- Locks
-- ---------------------------------------------------------------------------------------------------------------------

-- The account that an app stated at a purchase; null when it stated none, or one that does not exist or was withdrawn.
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

-- The subscriptions that change with one: itself, the one that it replaced (p_supersedes before that is stored), and the
-- chain of those that replaced it, as long as they have no owner. By their ids.
create function private.related_subscriptions(p_id uuid, p_supersedes text default null) returns uuid[]
language plpgsql stable
set search_path = ''
as $$
begin
  return array(
    with recursive later as (
      select s.id, s.platform, s.environment, s.subscription_key from public.user_subscriptions s where s.id = p_id
      union
      select n.id, n.platform, n.environment, n.subscription_key
      from later l join public.user_subscriptions n
        on n.supersedes = l.subscription_key and n.platform = l.platform and n.environment = l.environment
      where n.user_id is null
    )
    select l.id from later l
    union
    select o.id from public.user_subscriptions s join public.user_subscriptions o
      on o.platform = s.platform and o.environment = s.environment and o.subscription_key = coalesce(s.supersedes, p_supersedes)
    where s.id = p_id
    order by 1
  );
end
$$;

-- The users of subscriptions, the accounts that their purchases state, and these, by their ids.
create function private.users_of_subscriptions(p_ids uuid[], p_user_ids uuid[]) returns uuid[]
language plpgsql stable
set search_path = ''
as $$
begin
  return array(
    select s.user_id from public.user_subscriptions s where s.id = any (p_ids) and s.user_id is not null
    union
    select private.named_account(s.account_token) from public.user_subscriptions s
    where s.id = any (p_ids) and private.named_account(s.account_token) is not null
    union
    select u.id from unnest(p_user_ids) as u (id) where u.id is not null
    order by 1
  );
end
$$;

-- Locks a subscription with those that change with it (private.related_subscriptions), after the accounts of their users
-- and these accounts; null when there is none. Errors: conflict.
create function private.lock_subscription(p_id uuid, p_user_ids uuid[] default '{}', p_supersedes text default null)
returns public.user_subscriptions
language plpgsql
set search_path = ''
as $$
declare
  v_ids uuid[];
  v_account_ids uuid[];
  v_row public.user_subscriptions;
begin
  for nth in 1 .. 20 loop
    v_ids := private.related_subscriptions(p_id, p_supersedes);
    v_account_ids := private.users_of_subscriptions(v_ids, p_user_ids);
    begin
      perform from public.app_users u where u.id = any (v_account_ids) order by u.id for no key update;
      perform from public.user_subscriptions s where s.id = any (v_ids) order by s.id for update;
      if private.related_subscriptions(p_id, p_supersedes) = v_ids and private.users_of_subscriptions(v_ids, p_user_ids) <@ v_account_ids then
        select * into v_row from public.user_subscriptions s where s.id = p_id;
        return v_row;
      end if;
      -- The owners changed meanwhile: all locks are released, so that there is no deadlock.
      raise exception using errcode = 'PSUB1';
    exception when sqlstate 'PSUB1' then
      null;
    end;
  end loop;
  perform private.raise_error('conflict', 409, 'The subscription is being changed by another request. Retry in a few seconds.',
    p_details => '{"reason": "changed_meanwhile"}');
  return null;
end
$$;

-- Serializes statements of a purchase, and of one that replaces it. Called before any row is locked.
create function private.lock_statement_keys(p_statement jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_lock bigint;
begin
  -- Otherwise two new purchases, one replacing the other, would not find each other.
  for v_lock in
    select distinct hashtextextended(concat_ws(' ', 'subscription', p_statement ->> 'store', k.key), 0) as lock
    from unnest(array[p_statement ->> 'subscription_key', p_statement ->> 'supersedes']) as k (key)
    where k.key is not null order by lock
  loop
    perform pg_advisory_xact_lock(v_lock);
  end loop;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- The ledger
-- ---------------------------------------------------------------------------------------------------------------------

-- The subscription of a statement; a new row for a new one. The caller has locked its key. Raises validation_error for a
-- product that is not a plan.
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
    perform private.raise_error('validation_error', 422, 'There is no subscription plan with this code.', p_param => 'product_id');
  end if;
  insert into public.user_subscriptions (
    plan_id, platform, environment, subscription_key, supersedes, status, started_at, ended_at, auto_renewing, is_trial_period,
    original_purchase_date
  ) values (
    v_plan_id, v_platform, v_environment, p_statement ->> 'subscription_key', p_statement ->> 'supersedes', v_facts.status,
    v_facts.started_at, v_facts.expires_at, v_facts.auto_renewing, v_facts.is_trial_period, v_facts.original_purchase_date
  ) returning id into v_id;
  return v_id;
end
$$;

-- Extends the last event of a subscription when it is an equal answer, so that frequent queries do not lengthen the
-- ledger; false when it is not equal.
create function private.confirm_answer(p_subscription_id uuid, p_facts jsonb, p_needs_acknowledgement boolean, p_at timestamptz)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_last constant public.store_events := private.last_store_event(p_subscription_id);
begin
  if v_last.type is not null or v_last.facts <> p_facts or v_last.needs_acknowledgement <> p_needs_acknowledgement
    or v_last.confirmed_at > p_at
  then
    return false;
  end if;
  update public.store_events e set confirmed_at = p_at where e.id = v_last.id;
  return found;
end
$$;

-- Adds a statement to the ledger, once; false when it exists. The caller has locked the subscription.
create function private.add_store_event(p_subscription_id uuid, p_statement jsonb, p_source text) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_occurred_at constant timestamptz := p_statement ->> 'occurred_at';
  v_needs_acknowledgement constant boolean := coalesce((p_statement ->> 'needs_acknowledgement')::boolean, false);
begin
  if p_statement ->> 'type' is null
    and private.confirm_answer(p_subscription_id, p_statement -> 'facts', v_needs_acknowledgement, v_occurred_at)
  then
    return true;
  end if;
  insert into public.store_events as e (
    store, event_id, subscription_id, source, type, subtype, occurred_at, confirmed_at, facts, needs_acknowledgement, payload,
    receipt_hash
  ) values (
    p_statement ->> 'store', p_statement ->> 'event_id', p_subscription_id, p_source, p_statement ->> 'type',
    p_statement ->> 'subtype', v_occurred_at, v_occurred_at, p_statement -> 'facts', v_needs_acknowledgement,
    coalesce(p_statement -> 'payload', '{}'), p_statement ->> 'receipt_hash'
  )
  -- Google Play is queried again for a repeated notification: the last answer counts.
  on conflict (store, event_id) do update
  set occurred_at = excluded.occurred_at, confirmed_at = excluded.confirmed_at, facts = excluded.facts,
    needs_acknowledgement = excluded.needs_acknowledgement, payload = excluded.payload
  where e.subscription_id = excluded.subscription_id
    and (e.confirmed_at, e.facts, e.needs_acknowledgement) < (excluded.confirmed_at, excluded.facts, excluded.needs_acknowledgement);
  return found;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Whose it is
-- ---------------------------------------------------------------------------------------------------------------------

-- Gives a subscription to a user, from its former owner or from none, with the subscriptions that replaced it and have no
-- owner. The caller has locked all (private.lock_subscription).
create function private.move_subscription(p_row public.user_subscriptions, p_user_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_values constant jsonb := jsonb_build_object('plan', private.plan_names((p_row).plan_id));
  v_data constant jsonb := jsonb_build_object('subscription_id', (p_row).id);
begin
  update public.user_subscriptions s
  set user_id = p_user_id,
    -- Both users are notified of the move below, and not of the grant.
    announced = case when (p_row).user_id is not null then private.subscription_announcement(s.status, s.access_ends_at, now()) end
  where s.id = (p_row).id;
  if (p_row).user_id is not null then
    perform private.refresh_premium((p_row).user_id);
    perform private.notify((p_row).user_id, 'subscription_moved_away', v_values);
    perform private.notify(p_user_id, 'subscription_moved_here', v_values, v_data);
  end if;
  perform private.project_subscription((p_row).id);
  perform private.assign_replacements((p_row).id);
end
$$;

-- Gives the subscriptions that replaced one, and have no owner, to its user. The caller has locked all.
create function private.assign_replacements(p_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_next public.user_subscriptions;
begin
  for v_next in
    select n.* from public.user_subscriptions s join public.user_subscriptions n
      on n.supersedes = s.subscription_key and n.platform = s.platform and n.environment = s.environment
    where s.id = p_id and s.user_id is not null and n.user_id is null
  loop
    perform private.move_subscription(v_next, (select s.user_id from public.user_subscriptions s where s.id = p_id));
  end loop;
end
$$;

-- Whether a purchase that is limited to these accounts may belong to a user: ids, or confirmed e-mail addresses in lower
-- case. Null: to any account.
create function private.may_own(p_user_id uuid, p_limited_to jsonb) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return coalesce(p_limited_to, 'null') = 'null' or exists (
    select from auth.users u
    where u.id = p_user_id and (p_limited_to ? u.id::text or u.email_confirmed_at is not null and p_limited_to ? lower(u.email))
  );
end
$$;

-- Rejects a receipt that proves nothing (none), for a purchase that is not the sender's already. Errors: conflict.
create function private.require_signature(p_proof text) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if p_proof = 'none' then
    perform private.raise_error('conflict', 409,
      'This receipt has no signature, so it does not prove that the purchase is yours. Send the signed transaction of StoreKit 2.',
      p_param => 'receipt', p_details => '{"reason": "signature_required"}');
  end if;
end
$$;

-- Notes that a user sent a receipt to be verified, and what it proves. Rejects one that proves nothing, unless the
-- purchase is the user's already, and a user who may not own the purchase. Locks the subscription, as
-- private.write_store_statement does. Errors: forbidden, validation_error, not_found, conflict.
create function private.keep_possession(p_statement jsonb, p_source text, p_user_id uuid) returns void
language plpgsql
security definer -- no role may write the ledger directly
set search_path = ''
as $$
declare
  v_proof constant text := case
    when private.named_account(p_statement #>> '{facts,account_token}') = p_user_id then 'account'
    -- The text of an unsigned receipt is the sender's own.
    else coalesce(p_statement #>> '{proof,kind}', 'none') end;
  v_signed_at constant timestamptz := case v_proof when 'signature' then p_statement #>> '{proof,signed_at}' end;
  v_row public.user_subscriptions;
begin
  perform private.lock_statement_keys(p_statement);
  v_row := private.lock_subscription(private.subscription_of(p_statement),
    array[private.named_account(p_statement #>> '{facts,account_token}')], p_statement ->> 'supersedes');
  if not private.may_own(p_user_id, p_statement -> 'limited_to') then
    perform private.raise_error('forbidden', 403, 'Purchases of the Sandbox are for named testers only. Sign in with the account of a tester.',
      p_param => 'receipt', p_details => '{"reason": "testers_only"}');
  elsif p_source = 'verify' then
    if v_row.user_id is distinct from p_user_id then
      perform private.require_signature(v_proof);
    end if;
    insert into private.verified_purchases as v (subscription_id, user_id, proof, signed_at)
    values (v_row.id, p_user_id, v_proof, v_signed_at)
    on conflict (subscription_id, user_id) do update set proof = excluded.proof, verified_at = excluded.verified_at,
      signed_at = case excluded.proof when 'signature' then greatest(v.signed_at, excluded.signed_at) end;
  elsif v_proof = 'none' and v_row.user_id is distinct from p_user_id then
    perform private.raise_error('not_found', 404, 'You have no verified purchase with this receipt. Verify it first.', p_param => 'receipt');
  end if;
end
$$;

-- Gives a subscription to the account that its purchase states, or to the owner of the one that it replaced, if that
-- account may own it (p_limited_to). p_purchaser_id sent the receipt and claims it. The caller has locked all.
create function private.assign_owner(p_id uuid, p_purchaser_id uuid, p_limited_to jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_row public.user_subscriptions;
  v_user_id uuid;
begin
  select * into v_row from public.user_subscriptions s where s.id = p_id;
  v_user_id := private.named_account(v_row.account_token);
  if v_user_id is null and v_row.user_id is null and p_purchaser_id is null then
    select o.user_id into v_user_id from public.user_subscriptions o
    where o.platform = v_row.platform and o.environment = v_row.environment and o.subscription_key = v_row.supersedes;
  end if;
  -- The user who sent the receipt claims it.
  if v_user_id is not null and v_user_id is distinct from v_row.user_id and v_user_id is distinct from p_purchaser_id
    and private.may_own(v_user_id, p_limited_to)
  then
    perform private.move_subscription(v_row, v_user_id);
  else
    perform private.assign_replacements(p_id);
  end if;
end
$$;

-- As api.record_store_statement, which checks the rest.
create function private.write_store_statement(p_statement jsonb, p_source text, p_user_id uuid) returns jsonb
language plpgsql
security definer -- no role may write the ledger and purchase tokens directly
set search_path = ''
as $$
declare
  v_supersedes constant text := p_statement ->> 'supersedes';
  v_former_id uuid;
  v_is_news boolean;
  v_id uuid;
begin
  perform private.lock_statement_keys(p_statement);
  v_id := private.subscription_of(p_statement);
  perform private.lock_subscription(v_id, array[private.named_account(p_statement #>> '{facts,account_token}')], v_supersedes);
  v_is_news := private.add_store_event(v_id, p_statement, p_source);
  update public.user_subscriptions s
  set supersedes = coalesce(s.supersedes, v_supersedes),
    -- A repeated notification does not delay the next query.
    heard_at = case when v_is_news or p_source <> 'notification' then now() else s.heard_at end
  where s.id = v_id;
  insert into private.purchase_tokens (subscription_id, token)
  select v_id, p_statement ->> 'purchase_token' where p_statement ->> 'purchase_token' is not null
  on conflict (subscription_id) do nothing;
  perform private.project_subscription(v_id);
  select o.id into v_former_id from public.user_subscriptions s join public.user_subscriptions o
    on o.platform = s.platform and o.environment = s.environment and o.subscription_key = s.supersedes
  where s.id = v_id;
  if found then
    perform private.project_subscription(v_former_id);
  end if;
  perform private.assign_owner(v_id, p_user_id, p_statement -> 'limited_to');
  return jsonb_build_object('subscription_id', v_id);
end
$$;
