-- Triggers of the tables of lots, table by table, in the order in which they fire.
--
-- The name of a trigger begins with its number in that order. The file in parentheses has its function.

-- ---------------------------------------------------------------------------------------------------------------------
-- public.operators
-- ---------------------------------------------------------------------------------------------------------------------

-- A rename marks the lots that show the name as changed, by a job (search/renames.sql).
create trigger _900_note_rename after update on public.operators
  for each row when ((old.name, old.name_en, old.slug, old.color) is distinct from (new.name, new.name_en, new.slug, new.color))
  execute function private.tg_names__note_rename('operator');

-- ---------------------------------------------------------------------------------------------------------------------
-- public.tags
-- ---------------------------------------------------------------------------------------------------------------------

-- Sets updated_at on every update of a row (foundation/values.sql).
create trigger _100_touch_updated_at before update on public.tags
  for each row execute function private.tg_touch_updated_at();

-- Rejects another slug, because lots, search entries and clients store it (lots/lots.sql).
create trigger _200_keep_slug before update of slug on public.tags
  for each row when (old.slug <> new.slug) execute function private.tg_tags__keep_slug();

-- A rename marks the lots that show the name as changed, by a job (search/renames.sql).
-- The columns of tags that lots show. Deactivating a tag changes no lot.
create trigger _900_note_rename after update on public.tags
  for each row when (
    (old.name, old.name_en, old.color, old.category, old.icon_name, old.sort_order)
      is distinct from (new.name, new.name_en, new.color, new.category, new.icon_name, new.sort_order)
  )
  execute function private.tg_names__note_rename('tag');

-- ---------------------------------------------------------------------------------------------------------------------
-- public.parking_lots
-- ---------------------------------------------------------------------------------------------------------------------

-- Retires a value that the row of the lot no longer has; makes a value current again, with its votes, when the row has it
-- again (community/field_values.sql).
create trigger _500_sync_field_values after update of
  name, address, lat, lng, total_spaces, structure, max_height_m, max_width_m, max_length_m, max_weight_t,
  min_clearance_cm, max_tire_width_mm, max_parking_duration_min, entry_method, shape_type, entry_difficulty,
  operator_code, phone, website
on public.parking_lots for each row execute function private.tg_parking_lots__sync_field_values();

-- Writes the search entries of lots that a statement added or changed, and queues those that it added, changed or deleted
-- (lots/lots.sql).
select private.watch('public.parking_lots', '{insert,update,delete,truncate}', '_800_refresh',
  'private.tg_parking_lots__refresh');

-- A row begins in a start state, and moves only as private.allowed_moves lists (foundation/states.sql).
create trigger _900_check_start before insert on public.parking_lots
  for each row execute function private.tg_check_state('parking_lot');
create trigger _900_check_move before update on public.parking_lots
  for each row when (new.status <> old.status) execute function private.tg_check_state('parking_lot');

-- Sets updated_at on every update of a row (foundation/values.sql).
create trigger _900_touch_updated_at before update on public.parking_lots
  for each row execute function private.tg_touch_updated_at();

-- ---------------------------------------------------------------------------------------------------------------------
-- public.parking_lot_tags
-- ---------------------------------------------------------------------------------------------------------------------

-- Writes the tags and search entries of the lots whose tags a statement changed, and queues these lots (lots/lots.sql).
select private.watch('public.parking_lot_tags', '{insert,update,delete,truncate}', '_900_refresh_lots',
  'private.tg_lot_rows__refresh_lots', 'facts', 'search');

-- ---------------------------------------------------------------------------------------------------------------------
-- public.parking_lot_images
-- ---------------------------------------------------------------------------------------------------------------------

-- Writes the main image of the lots whose images a statement changed, and queues these lots (lots/lots.sql).
select private.watch('public.parking_lot_images', '{insert,update,delete,truncate}', '_900_refresh_lots',
  'private.tg_lot_rows__refresh_lots', 'facts');

-- ---------------------------------------------------------------------------------------------------------------------
-- public.parking_lot_spots
-- ---------------------------------------------------------------------------------------------------------------------

-- Writes the search entries of the lots whose spots a statement changed, and queues these lots (lots/lots.sql).
select private.watch('public.parking_lot_spots', '{insert,update,delete,truncate}', '_900_refresh_lots',
  'private.tg_lot_rows__refresh_lots', 'search');

-- ---------------------------------------------------------------------------------------------------------------------
-- private.parking_lot_daily_counts
-- ---------------------------------------------------------------------------------------------------------------------

-- Adds what a statement changes in the daily counts to the sums of the last 30 days (lots/recent_counts.sql).
select private.watch('private.parking_lot_daily_counts', '{insert,update,delete,truncate}', '_300_add_recent',
  'private.tg_parking_lot_daily_counts__add_recent');
