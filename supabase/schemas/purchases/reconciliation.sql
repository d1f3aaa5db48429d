-- Reconciliation: queries the stores about subscriptions whose notifications may be lost.
--
-- user_subscriptions.ask_at has the time of the next query (private.next_query_at): about the end of a period, in grace, on
-- hold, while facts are unknown or not acknowledged, and after a week without a statement. The job calls the consumer
-- (function store-notifications/reconcile), which takes due subscriptions, oldest first and store by store, queries the
-- store, and records the answer.
-- A subscription that was taken is not taken again for three minutes (private.leased_subscriptions), unless an answer made
-- it due at another time. Only a subscription whose query failed is due an hour later. So a killed consumer delays the
-- others by minutes, and a failing row blocks no others. Taking does not write to user_subscriptions, to spare its many
-- indexes.
--
-- Interface, all for the service: api.take_due_subscriptions, api.postpone_question.

-- As api.take_due_subscriptions.
create function private.lease_due_subscriptions(p_platform text, p_limit integer) returns jsonb
language plpgsql
security definer -- no role may read purchase tokens directly
set search_path = ''
as $$
declare
  -- A batch of 50 takes seconds, and a minute where each request times out.
  c_lease constant interval := '180 seconds';
  v_due jsonb;
begin
  -- Consumers take one after another, so that none takes the same rows.
  perform pg_advisory_xact_lock(hashtext('lease_due_subscriptions ' || p_platform));
  with due as (
    select s.id, s.ask_at, s.subscription_key, s.environment, s.plan_id from public.user_subscriptions s
    where s.platform = p_platform and s.ask_at <= now()
      -- Read row by row, so that the index returns due rows in its order.
      and coalesce((
        select a.leased_until <= now() from private.leased_subscriptions a where a.subscription_id = s.id and a.ask_at = s.ask_at
      ), true)
    order by s.ask_at limit p_limit
  ), leased as (
    insert into private.leased_subscriptions (subscription_id, ask_at, leased_until)
    select d.id, d.ask_at, now() + c_lease from due d
    on conflict (subscription_id) do update set ask_at = excluded.ask_at, leased_until = excluded.leased_until
  )
  select coalesce(jsonb_agg(jsonb_build_object(
    'subscription_id', d.id, 'provider', p_platform || '_store', 'subscription_key', d.subscription_key,
    'product_id', p.code, 'environment', d.environment, 'purchase_token', t.token, 'facts', e.facts
  ) order by d.ask_at), '[]') into v_due
  from due d
  join public.subscription_plans p on p.id = d.plan_id
  left join private.purchase_tokens t on t.subscription_id = d.id
  left join lateral (
    select l.facts from public.store_events l where l.subscription_id = d.id and l.facts is not null
    order by l.confirmed_at desc limit 1
  ) e on true;
  return v_due;
end
$$;

-- As api.postpone_question.
create function private.delay_query(p_subscription_id uuid, p_seconds integer) returns void
language plpgsql
security definer -- no client may write subscriptions
set search_path = ''
as $$
begin
  update public.user_subscriptions s set ask_at = now() + make_interval(secs => p_seconds) where s.id = p_subscription_id;
end
$$;

-- Calls the consumer when subscriptions are due that no consumer has taken, and deletes leases that have ended.
create function private.reconcile_subscriptions() returns void
language plpgsql
set search_path = ''
as $$
begin
  delete from private.leased_subscriptions a where a.leased_until < now();
  if exists (
    select from (values ('ios'), ('android')) as p (platform)
    where exists (
      select from public.user_subscriptions s
      where s.platform = p.platform and s.ask_at <= now()
        and coalesce((select a.ask_at <> s.ask_at from private.leased_subscriptions a where a.subscription_id = s.id), true)
    )
  ) then
    perform private.call_function('store-notifications/reconcile');
  end if;
end
$$;

grant execute on function
  private.lease_due_subscriptions(text, integer), private.delay_query(uuid, integer)
to service_role;
