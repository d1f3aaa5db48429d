-- Triggers of the tables of sessions, table by table, in the order in which they fire.
--
-- The name of a trigger begins with its number in that order. The file in parentheses has its function.

-- ---------------------------------------------------------------------------------------------------------------------
-- public.parking_sessions
-- ---------------------------------------------------------------------------------------------------------------------

-- Removes the user's data from a session whose user leaves; a running session is cancelled (sessions/sessions.sql).
create trigger _100_remove_user_data before update of user_id on public.parking_sessions
  for each row when (new.user_id is null and old.user_id is not null)
  execute function private.tg_parking_sessions__remove_user_data();

-- Deletes the pictures of sessions whose user has left (sessions/photos.sql).
create trigger _200_drop_photos after update on public.parking_sessions
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_parking_sessions__drop_photos();

-- Makes a session due when it starts or when data changes on which its price depends; removes one that ends
-- (sessions/reminders.sql).
create trigger _300_remind_on_insert after insert on public.parking_sessions
  for each row when (new.status = 'parking') execute function private.tg_parking_sessions__remind();
create trigger _300_remind_on_update after update of status, started_at, vehicle_type, parking_lot_id, user_id on public.parking_sessions
  for each row when (
    'parking' in (new.status, old.status) and
    (new.status, new.started_at, new.vehicle_type, new.parking_lot_id, new.user_id)
      is distinct from (old.status, old.started_at, old.vehicle_type, old.parking_lot_id, old.user_id)
  )
  execute function private.tg_parking_sessions__remind();

-- A row begins in a start state, and moves only as private.allowed_moves lists (foundation/states.sql).
create trigger _900_check_start before insert on public.parking_sessions
  for each row execute function private.tg_check_state('parking_session');
create trigger _900_check_move before update on public.parking_sessions
  for each row when (new.status <> old.status) execute function private.tg_check_state('parking_session');

-- ---------------------------------------------------------------------------------------------------------------------
-- public.parking_session_photos
-- ---------------------------------------------------------------------------------------------------------------------

-- Detaches the uploads of pictures that have left their slots; their objects are deleted (sessions/photos.sql).
create trigger _100_detach after delete on public.parking_session_photos
  referencing old table as rows_deleted
  for each statement execute function private.tg_parking_session_photos__detach();
