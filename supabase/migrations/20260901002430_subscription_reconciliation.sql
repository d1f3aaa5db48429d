-- Reconciliation: subscriptions whose store is asked because it may have said something that did not arrive.
--
-- user_subscriptions.ask_at says when (private.next_question): about the end of a period, in grace, on hold, while something is
-- unknown or not acknowledged, and after a week without news. The job calls the consumer
-- (function store-notifications/reconcile), which takes what is due, oldest first and store by store, asks, and records the
-- answer. What it takes is not due for an hour: a store that is down changes nothing else, and a row that fails keeps nobody
-- from the others.
--
-- Interface, all for the service: api.take_due_subscriptions, api.postpone_question.

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals
-- ---------------------------------------------------------------------------------------------------------------------

create function private.lease_due_subscriptions(p_platform text, p_limit integer, p_lease_seconds integer) returns jsonb
language plpgsql
security definer -- purchase tokens are nobody's to read
set search_path = ''
as $$
declare
  v_due jsonb;
begin
  with due as (
    select s.id, s.ask_at from public.user_subscriptions s
    where s.platform = p_platform and s.ask_at <= now()
    order by s.ask_at limit p_limit
    for no key update skip locked
  ), leased as (
    update public.user_subscriptions s set ask_at = now() + make_interval(secs => p_lease_seconds)
    from due where s.id = due.id
    returning s.id, s.subscription_key, s.environment, s.plan_id, due.ask_at as due_at
  )
  select coalesce(jsonb_agg(jsonb_build_object(
    'subscription_id', l.id, 'provider', p_platform || '_store', 'subscription_key', l.subscription_key,
    'product_id', p.code, 'environment', l.environment, 'purchase_token', t.token, 'facts', (private.last_store_event(l.id)).facts
  ) order by l.due_at), '[]') into v_due
  from leased l
  join public.subscription_plans p on p.id = l.plan_id
  left join private.purchase_tokens t on t.subscription_id = l.id;
  return v_due;
end
$$;

comment on function private.lease_due_subscriptions(text, integer, integer) is 'As api.take_due_subscriptions.';

create function private.delay_question(p_subscription_id uuid, p_seconds integer) returns void
language plpgsql
security definer -- no client may write subscriptions
set search_path = ''
as $$
begin
  update public.user_subscriptions s set ask_at = now() + make_interval(secs => p_seconds) where s.id = p_subscription_id;
end
$$;

comment on function private.delay_question(uuid, integer) is 'As api.postpone_question.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface
-- ---------------------------------------------------------------------------------------------------------------------

create function api.take_due_subscriptions(p_platform text, p_limit integer default 50, p_lease_seconds integer default 3600) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  return private.lease_due_subscriptions(p_platform, p_limit, p_lease_seconds);
end
$$;

comment on function api.take_due_subscriptions(text, integer, integer) is
  'For the consumer: subscriptions of a platform whose store is to be asked, those first that are due longest: [{subscription_id, provider, and KnownSubscription of the functions: subscription_key, product_id, environment, purchase_token, facts}]. They are not due again for p_lease_seconds. It refuses nothing.';

create function api.postpone_question(p_subscription_id uuid, p_seconds integer) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.delay_question(p_subscription_id, p_seconds);
end
$$;

comment on function api.postpone_question(uuid, integer) is
  'For the consumer: the store of a subscription is asked again in p_seconds. It refuses nothing.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Job
-- ---------------------------------------------------------------------------------------------------------------------

create function private.reconcile_subscriptions() returns void
language plpgsql
set search_path = ''
as $$
begin
  if exists (
    select from (values ('ios'), ('android')) as p (platform)
    where exists (select from public.user_subscriptions s where s.platform = p.platform and s.ask_at <= now())
  ) then
    perform private.call_function('store-notifications/reconcile');
  end if;
end
$$;

comment on function private.reconcile_subscriptions() is 'Calls the consumer when a store is to be asked.';

select cron.schedule('reconcile_subscriptions', '*/5 * * * *', 'select private.reconcile_subscriptions()');

grant execute on function
  private.lease_due_subscriptions(text, integer, integer), private.delay_question(uuid, integer),
  api.take_due_subscriptions(text, integer, integer), api.postpone_question(uuid, integer)
to service_role;
