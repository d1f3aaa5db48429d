-- Triggers of the tables of messages, table by table, in the order in which they fire.
--
-- The name of a trigger begins with its number in that order. The file in parentheses has its function.

-- ---------------------------------------------------------------------------------------------------------------------
-- public.notification_preferences
-- ---------------------------------------------------------------------------------------------------------------------

-- Sets updated_at on every update of a row (foundation/values.sql).
create trigger _100_touch_updated_at before update on public.notification_preferences
  for each row execute function private.tg_touch_updated_at();

-- ---------------------------------------------------------------------------------------------------------------------
-- public.user_notifications
-- ---------------------------------------------------------------------------------------------------------------------

-- Sets updated_at on every update of a row (foundation/values.sql).
create trigger _100_touch_updated_at before update on public.user_notifications
  for each row execute function private.tg_touch_updated_at();

-- A row begins in a start state, and moves only as private.allowed_moves lists (foundation/states.sql).
create trigger _900_check_start before insert on public.user_notifications
  for each row execute function private.tg_check_state('notification');
create trigger _900_check_move before update on public.user_notifications
  for each row when (new.status <> old.status) execute function private.tg_check_state('notification');

-- ---------------------------------------------------------------------------------------------------------------------
-- public.user_push_tokens
-- ---------------------------------------------------------------------------------------------------------------------

-- Sets updated_at on every update of a row (foundation/values.sql).
create trigger _100_touch_updated_at before update on public.user_push_tokens
  for each row execute function private.tg_touch_updated_at();

-- ---------------------------------------------------------------------------------------------------------------------
-- public.notification_quiet_hours
-- ---------------------------------------------------------------------------------------------------------------------

-- Sets updated_at on every update of a row (foundation/values.sql).
create trigger _100_touch_updated_at before update on public.notification_quiet_hours
  for each row execute function private.tg_touch_updated_at();

-- ---------------------------------------------------------------------------------------------------------------------
-- private.notification_templates
-- ---------------------------------------------------------------------------------------------------------------------

-- Rejects a template that is not in both languages with the same type and placeholders (messages/templates.sql).
create constraint trigger _100_check after insert or update or delete on private.notification_templates
  deferrable initially deferred for each row execute function private.tg_notification_templates__check();

-- ---------------------------------------------------------------------------------------------------------------------
-- private.push_deliveries
-- ---------------------------------------------------------------------------------------------------------------------

-- Counts the deliveries of a composed notification that wait for the end of quiet hours (messages/fan_out.sql).
create trigger _300_count_deferred after update on private.push_deliveries
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.tg_push_deliveries__count_deferred();
