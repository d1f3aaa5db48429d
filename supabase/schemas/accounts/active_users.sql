-- Active users: suspended and withdrawn users write to no table, through any function.
--
-- Every function that writes checks the status itself, so that its error has the reason. This file is for the tables:
-- each policy by which clients write gets a restrictive one. So a table that is exposed by mistake, or written through a
-- new function that does not check, is still closed to users who are not active.
--
-- Invariants: every table of public that clients may insert into, update or delete from has a restrictive policy for that
-- command (a test compares). After the first release, the migration of a new table calls private.restrict_to_active.
-- Interface: private.restrict_to_active(table).

-- Whether the caller is an active app user.
create function private.is_active_user() returns boolean
language plpgsql stable
security definer -- policies call it, where the row security of accounts would be evaluated for each statement
set search_path = ''
as $$
begin
  return exists (select from public.app_users u where u.id = auth.uid() and u.status = 'active');
end
$$;

grant execute on function private.is_active_user() to authenticated;

-- Gives a table a restrictive policy for each command by which clients write to it: only active users.
create function private.restrict_to_active(p_table regclass) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_command text;
begin
  for v_command in
    select distinct case p.polcmd when 'a' then 'insert' when 'w' then 'update' when 'd' then 'delete' end
    from pg_catalog.pg_policy p where p.polrelid = p_table and p.polpermissive and p.polcmd in ('a', 'w', 'd')
  loop
    execute format(
      'create policy %I on %s as restrictive for %s to authenticated %s ((select private.is_active_user()))',
      format('Only active users %s', v_command), p_table, v_command,
      case v_command when 'insert' then 'with check' else 'using' end
    );
  end loop;
end
$$;
