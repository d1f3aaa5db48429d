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
