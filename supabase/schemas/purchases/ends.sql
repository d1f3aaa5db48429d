-- Announces ends of access without a statement of a store.
--
-- Access ends by the clock: each reader compares access_ends_at with now. The store's statement follows, mostly within
-- the hour. Without one, because a store is down or is not queried, the user is notified an hour after the end.
--
-- Invariants: each end is announced once, by a statement or by this job. Each subscription is its own transaction, with
-- the locks of the other writers (purchases/statements.sql).
-- Interface: the job announce_subscription_ends.

-- Notifies one user of access that ended more than an hour ago without a statement of the store; false when there is
-- none.
create function private.announce_next_end() returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_id uuid;
begin
  select s.id into v_id from public.user_subscriptions s
  where s.status in ('active', 'grace') and s.announced in ('granted', 'failing') and s.user_id is not null
    and s.access_ends_at < now() - interval '1 hour'
  order by s.access_ends_at limit 1;
  if not found then
    return false;
  end if;
  perform private.lock_subscription(v_id);
  perform private.announce_subscription(v_id);
  return true;
end
$$;
