-- The part of subscriptions in the figures of the overview.
--
-- Purchases in the sandbox of a store give premium, so that testers and reviewers of the store see what buyers see. They are
-- not paid for, so that they count in no figure.
--
-- Interface: private.sandbox_members, for private.refresh_overview.

-- Users who have premium only by purchases in the sandbox of a store.
create function private.sandbox_members() returns setof uuid
language plpgsql stable
set search_path = ''
as $$
begin
  return query
  select u.id from public.app_users u
  where u.id in (
      select s.user_id from public.user_subscriptions s where s.environment = 'Sandbox' and s.access_ends_at > now()
    )
    and coalesce(u.granted_premium_ends_at <= now(), true)
    and not exists (
      select from public.user_subscriptions s
      where s.user_id = u.id and s.environment = 'Production' and s.access_ends_at > now()
    );
end
$$;
