-- Triggers of the tables of accounts, table by table, in the order in which they fire.
--
-- The name of a trigger begins with its number in that order. The file in parentheses has its function.

-- ---------------------------------------------------------------------------------------------------------------------
-- auth.users
-- ---------------------------------------------------------------------------------------------------------------------

-- Makes a new auth user whose metadata have the id of an invitation an administrator, and records the act
-- (accounts/console_invitations.sql).
create trigger _100_accept_invitation before insert on auth.users
  for each row when (new.raw_user_meta_data ? 'invitation')
  execute function private.tg_users__accept_invitation();

-- Opens the app account of a new auth user (accounts/accounts.sql).
create trigger _100_open_account after insert on auth.users
for each row execute function private.tg_users__open_account();

-- Copies the admin object of the app metadata to the admins row (accounts/accounts.sql).
create trigger _200_create_admin after insert on auth.users
for each row when (new.raw_app_meta_data -> 'admin' is not null)
execute function private.tg_users__sync_admin();

create trigger _200_sync_admin after update of raw_app_meta_data on auth.users
for each row when (new.raw_app_meta_data -> 'admin' is distinct from old.raw_app_meta_data -> 'admin')
execute function private.tg_users__sync_admin();

-- Keeps the search entry of an app user, whose id is also that of the auth user (accounts/console_users.sql).
create trigger _600_put_search_entry after update of email on auth.users
  for each row when (new.email is distinct from old.email)
  execute function private.tg_app_users__put_search_entry();

-- ---------------------------------------------------------------------------------------------------------------------
-- public.app_users
-- ---------------------------------------------------------------------------------------------------------------------

-- Sets updated_at on every update of a row (foundation/values.sql).
-- No index but the primary keys: every read is by the id of the caller.

-- An activity does not change the account.
create trigger _100_touch_updated_at before update on public.app_users
for each row when (new.last_active_on is not distinct from old.last_active_on) execute function private.tg_touch_updated_at();

-- Stores a name as other users see it (accounts/accounts.sql).
create trigger _200_show_name before insert or update of display_name on public.app_users
  for each row when (new.display_name is not null) execute function private.tg_app_users__show_name();

-- Raises the highest level of a user to their level (rewards/level_recalculation.sql).
create trigger _300_keep_highest_level before insert or update of level on public.app_users
for each row execute function private.tg_app_users__keep_highest_level();

-- Deletes the archived activities of a deleted account, because the archive has no foreign key (activity/activity.sql).
-- After the foreign keys: rows that the job moves at the same time have left the other table by then.
create trigger _400_delete_archived after delete on public.app_users
  for each row execute function private.tg_app_users__delete_archived();

-- Deletes the search entry of an account with it (accounts/console_users.sql).
create trigger _600_drop_search_entry after delete on public.app_users
  for each row execute function private.tg_app_users__drop_search_entry();

-- Keeps the search entry of an app user, whose id is also that of the auth user (accounts/console_users.sql).
create trigger _600_put_search_entry after insert on public.app_users
  for each row execute function private.tg_app_users__put_search_entry();
create trigger _600_put_search_entry_again after update of display_name, status, premium_ends_at, created_at on public.app_users
  for each row when (
    (new.display_name, new.status, new.premium_ends_at, new.created_at)
      is distinct from (old.display_name, old.status, old.premium_ends_at, old.created_at)
  )
  execute function private.tg_app_users__put_search_entry();

-- A row begins in a start state, and moves only as private.allowed_moves lists (foundation/states.sql).
create trigger _900_check_start before insert on public.app_users
for each row execute function private.tg_check_state('account');
create trigger _900_check_move before update on public.app_users
for each row when (new.status <> old.status) execute function private.tg_check_state('account');

-- ---------------------------------------------------------------------------------------------------------------------
-- public.admins
-- ---------------------------------------------------------------------------------------------------------------------

-- Sets updated_at on every update of a row (foundation/values.sql).
create trigger _100_touch_updated_at before update on public.admins
for each row execute function private.tg_touch_updated_at();

-- Writes a change of an administrator into the app metadata of their auth user, unless it came from there
-- (accounts/console_admins.sql).
create trigger _200_write_metadata after update on public.admins
  for each row when ((new.name, new.status, new.areas) is distinct from (old.name, old.status, old.areas))
  execute function private.tg_admins__write_metadata();
