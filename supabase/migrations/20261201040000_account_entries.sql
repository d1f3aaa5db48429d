-- Search entries of accounts: the plan is made once in a connection. It was made at each sign-up and each change of a name, and
-- took as long as the write.
--
-- The definitions are those of supabase/schemas after this change. The way back: the function without its setting.

set lock_timeout = '2s';

-- Writes the search entries of app users from their accounts.
create or replace function private.put_user_search_entries(p_user_ids uuid[]) returns void
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan -- planned for each account, a change took 40 % longer
as $$
begin
  insert into private.user_search_entries as e (user_id, created_at, status, premium_ends_at, email, name, name_terms)
  select a.id, a.created_at, a.status, a.premium_ends_at, t.email, t.name, (select s.terms from private.search_terms(t.name) as s)
  from public.app_users a
  join auth.users u on u.id = a.id
  cross join lateral (
    select case when a.status = 'withdrawn' then '' else coalesce(private.search_text(u.email), '') end as email,
      case when a.status = 'withdrawn' then '' else coalesce(private.search_text(a.display_name), '') end as name
    offset 0 -- keeps the name from being calculated for each of its letters
  ) t
  where a.id = any (p_user_ids)
  on conflict (user_id) do update set created_at = excluded.created_at, status = excluded.status,
    premium_ends_at = excluded.premium_ends_at, email = excluded.email, name = excluded.name, name_terms = excluded.name_terms;
end
$$;
