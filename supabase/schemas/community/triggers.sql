-- Triggers of the tables of the community, table by table, in the order in which they fire.
--
-- The name of a trigger begins with its number in that order. The file in parentheses has its function.

-- ---------------------------------------------------------------------------------------------------------------------
-- public.reviews
-- ---------------------------------------------------------------------------------------------------------------------

-- Points and badges of authors, photos, and what an author leaves (community/reviews.sql). First, because authors are
-- locked before lots.
select private.watch('public.reviews', '{insert,update,delete}', '_050_follow', 'private.tg_reviews__follow');

-- Adds what a statement changed to the number and the rating of the approved reviews of its lots (community/reviews.sql).
select private.watch('public.reviews', '{insert,update,delete}', '_100_count', 'private.tg_reviews__count_for_lots');

-- Sets updated_at on every update of a row (foundation/values.sql).
create trigger _100_touch_updated_at before update on public.reviews
  for each row execute function private.tg_touch_updated_at();

-- An edited review is pending again (community/reviews.sql).
create trigger _200_await_approval before update of rating, comment on public.reviews
  for each row when (new.status = old.status) execute function private.tg_reviews__await_approval();

-- A row begins in a start state, and moves only as private.allowed_moves lists (foundation/states.sql).
create trigger _900_check_start before insert on public.reviews
  for each row execute function private.tg_check_state('review');
create trigger _900_check_move before update on public.reviews
  for each row when (new.status <> old.status) execute function private.tg_check_state('review');

-- ---------------------------------------------------------------------------------------------------------------------
-- public.parking_lot_ratings
-- ---------------------------------------------------------------------------------------------------------------------

-- Sets updated_at on every update of a row (foundation/values.sql).
create trigger _100_touch_updated_at before update on public.parking_lot_ratings
  for each row execute function private.tg_touch_updated_at();

-- Adds what a statement changed to the counts of ratings of its lots (community/ratings.sql).
select private.watch('public.parking_lot_ratings', '{insert,update,delete}', '_200_count',
  'private.tg_parking_lot_ratings__count');

-- ---------------------------------------------------------------------------------------------------------------------
-- public.search_preferences
-- ---------------------------------------------------------------------------------------------------------------------

-- Sets updated_at on every update of a row (foundation/values.sql).
create trigger _100_touch_updated_at before update on public.search_preferences
  for each row execute function private.tg_touch_updated_at();

-- ---------------------------------------------------------------------------------------------------------------------
-- public.field_values
-- ---------------------------------------------------------------------------------------------------------------------

-- Sets updated_at on every update of a row (foundation/values.sql).
create trigger _100_touch_updated_at before update on public.field_values
  for each row execute function private.tg_touch_updated_at();

-- Queues the lots of which a statement added, changed or deleted field values (search/changes.sql).
select private.watch('public.field_values', '{insert,update,delete,truncate}', '_900_record_changes',
  'private.tg_field_values__record_changes');

-- ---------------------------------------------------------------------------------------------------------------------
-- public.field_value_votes
-- ---------------------------------------------------------------------------------------------------------------------

-- Sets updated_at on every update of a row (foundation/values.sql).
create trigger _100_touch_updated_at before update on public.field_value_votes
  for each row execute function private.tg_touch_updated_at();

-- Stores a vote as waiting when its voter has not been confirmed for long enough (community/field_values.sql).
create trigger _100_wait after insert on public.field_value_votes
  for each row execute function private.tg_field_value_votes__wait();

-- Counts the votes of those field values again whose votes a statement changed (community/field_values.sql).
select private.watch('public.field_value_votes', '{insert,update,delete}', '_200_refresh',
  'private.tg_field_value_votes__refresh_field_values');

-- ---------------------------------------------------------------------------------------------------------------------
-- public.occupancy_reports
-- ---------------------------------------------------------------------------------------------------------------------

-- Completes a report and counts it (community/occupancy.sql).
create trigger _100_replace_former before insert on public.occupancy_reports
  for each row execute function private.tg_occupancy_reports__replace_former();

-- ---------------------------------------------------------------------------------------------------------------------
-- public.error_reports
-- ---------------------------------------------------------------------------------------------------------------------

-- Sets updated_at on every update of a row (foundation/values.sql).
create trigger _100_touch_updated_at before update on public.error_reports
  for each row execute function private.tg_touch_updated_at();

-- Deletes the texts of a user's reports at withdrawal; the lot and the kind of error stay (accounts/withdrawal.sql).
create trigger _200_erase_texts before update of user_id on public.error_reports
  for each row when (new.user_id is null and old.user_id is not null)
  execute function private.tg_error_reports__erase_texts();

-- A row begins in a start state, and moves only as private.allowed_moves lists (foundation/states.sql).
create trigger _900_check_start before insert on public.error_reports
  for each row execute function private.tg_check_state('error_report');
create trigger _900_check_move before update on public.error_reports
  for each row when (new.status <> old.status) execute function private.tg_check_state('error_report');
