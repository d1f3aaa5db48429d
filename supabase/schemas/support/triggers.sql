-- Triggers of the tables of support, table by table, in the order in which they fire.
--
-- The name of a trigger begins with its number in that order. The file in parentheses has its function.

-- ---------------------------------------------------------------------------------------------------------------------
-- public.support_tickets
-- ---------------------------------------------------------------------------------------------------------------------

-- Sets updated_at on every update of a row (foundation/values.sql).
create trigger _100_touch_updated_at before update on public.support_tickets
  for each row execute function private.tg_touch_updated_at();

-- Sets status_changed_at when the status of a ticket changes (support/tickets.sql).
create trigger _200_note_change before update of status on public.support_tickets
  for each row when (new.status <> old.status) execute function private.tg_support_tickets__note_change();

-- A row begins in a start state, and moves only as private.allowed_moves lists (foundation/states.sql).
create trigger _900_check_start before insert on public.support_tickets
  for each row execute function private.tg_check_state('support_ticket');
create trigger _900_check_move before update on public.support_tickets
  for each row when (new.status <> old.status) execute function private.tg_check_state('support_ticket');

-- ---------------------------------------------------------------------------------------------------------------------
-- public.support_messages
-- ---------------------------------------------------------------------------------------------------------------------

-- Counts the messages of a ticket (support/tickets.sql).
create trigger _100_count after insert on public.support_messages
  for each row execute function private.tg_support_messages__count();
