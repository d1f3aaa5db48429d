-- Ends of access that no statement of a store brought are announced.
--
-- Access ends by the clock: each reader compares access_ends_at with now. The store's word follows, mostly within the hour.
-- Where it does not, because a store is down or is not asked, the user is notified of the end all the same, an hour after it.
--
-- Invariants: each end is announced once, whether a statement brings it or this job. Each subscription is a transaction of its
-- own, with the locks of the other writers (migration 2407).
-- Interface: the job announce_subscription_ends.

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
  perform private.hold_subscription(v_id);
  perform private.announce_subscription(v_id);
  return true;
end
$$;

comment on function private.announce_next_end() is
  'Notifies one user of access that ended more than an hour ago without a word of the store; false when there is none.';

-- A thousand at most each time: after an outage of a store the others follow with the next.
select cron.schedule('announce_subscription_ends', '*/10 * * * *',
  'do $work$ begin for nth in 1 .. 1000 loop exit when not private.announce_next_end(); commit; end loop; end $work$');
