-- A receipt of an earlier period that was refunded does not end the period that runs.
--
-- The definition is that of supabase/schemas after this change. The way back: the function as it was.

set lock_timeout = '2s';

-- The last event of a subscription by the store's clock; with statuses: the last with one of these. A receipt of a period that
-- was refunded does not count when a later period is known: it has no information about that one, whenever it was signed.
create or replace function private.last_store_event(p_subscription_id uuid, p_statuses text[] default null) returns public.store_events
language plpgsql stable
set search_path = ''
as $$
declare
  v_event public.store_events;
begin
  select e.* into v_event from public.store_events e
  where e.subscription_id = p_subscription_id and e.facts is not null and (p_statuses is null or e.status = any (p_statuses))
    and not (e.status = 'revoked' and e.event_id like 'transaction:%' and exists (
      select from public.store_events n
      where n.subscription_id = e.subscription_id
        and (n.facts ->> 'started_at')::timestamptz > (e.facts ->> 'started_at')::timestamptz
    ))
  order by e.confirmed_at desc, e.status = 'revoked' desc, (e.facts ->> 'access_ends_at')::timestamptz desc nulls last,
    e.facts desc, e.needs_acknowledgement desc, e.event_id
  limit 1;
  return v_event;
end
$$;
