-- Triggers of the tables of activity, table by table, in the order in which they fire.
--
-- The name of a trigger begins with its number in that order. The file in parentheses has its function.

-- ---------------------------------------------------------------------------------------------------------------------
-- public.user_activity_logs
-- ---------------------------------------------------------------------------------------------------------------------

-- Gives the points of an activity and counts it for badges, in its transaction (rewards/exp.sql).
create trigger _100_reward after insert on public.user_activity_logs
  for each row when (new.is_rewarded) execute function private.tg_user_activity_logs__reward();

-- Appends an activity that counts for its lot to the pending rows, which the job counts (lots/engagement.sql).
create trigger _300_append_count after insert on public.user_activity_logs
  for each row when (new.parking_lot_id is not null and new.activity_type in ('lot_save', 'session_start'))
  execute function private.tg_user_activity_logs__append_count();

-- Keeps the day of the last activity of a user (activity/activity.sql).
create trigger _310_note_day after insert on public.user_activity_logs
  for each row execute function private.tg_user_activity_logs__note_day();
