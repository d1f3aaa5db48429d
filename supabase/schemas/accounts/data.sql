-- Data of accounts: how long rows are kept and jobs.
-- They are written once, when the tables, rules and triggers exist.

-- ---------------------------------------------------------------------------------------------------------------------
-- Withdrawal
-- ---------------------------------------------------------------------------------------------------------------------

select cron.schedule('erase_withdrawn_accounts', '8 seconds',
  'do $work$ begin while private.next_erasure_batch() loop commit; end loop; end $work$');

-- ---------------------------------------------------------------------------------------------------------------------
-- Active users
-- ---------------------------------------------------------------------------------------------------------------------

-- Not the accounts: their policy for updates checks the status of the row itself, which is the caller's.
select private.restrict_to_active(t.oid)
from (
  select distinct c.oid, c.relname
  from pg_policy p join pg_class c on c.oid = p.polrelid
  where c.relnamespace = 'public'::regnamespace and p.polcmd in ('a', 'w', 'd') and c.relname <> 'app_users'
  order by c.relname
) t;

-- ---------------------------------------------------------------------------------------------------------------------
-- Users in the console
-- ---------------------------------------------------------------------------------------------------------------------

select private.put_user_search_entries(array(select u.id from public.app_users u));

-- ---------------------------------------------------------------------------------------------------------------------
-- Invitations
-- ---------------------------------------------------------------------------------------------------------------------

-- By then the idempotency keys of repeatable requests have expired.
insert into private.retentions (table_name, condition) values
  ('private.admin_invitations', 't.created_at < now() - interval ''2 days''');
