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

-- Writes the search entries of lots that a statement added, or of which it changed a column that search reads
-- (search/entries.sql).
-- No trigger on delete: the entry is deleted with the lot.
create trigger _800_refresh_search_on_insert after insert on public.parking_lots
  referencing new table as rows_changed
  for each statement execute function private.tg_parking_lots__refresh_search();
create trigger _800_refresh_search_on_update after update on public.parking_lots
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_parking_lots__refresh_search();

-- A row begins in a start state, and moves only as private.allowed_moves lists (foundation/states.sql).
create trigger _900_check_start before insert on public.parking_lots
  for each row execute function private.tg_check_state('parking_lot');
create trigger _900_check_move before update on public.parking_lots
  for each row when (new.status <> old.status) execute function private.tg_check_state('parking_lot');

-- Queues the lots whose rows a statement added, changed or deleted (search/changes.sql).
create trigger _900_record_changes_on_insert after insert on public.parking_lots
  referencing new table as rows_changed
  for each statement execute function private.tg_parking_lots__record_changes();
create trigger _900_record_changes_on_update after update on public.parking_lots
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_parking_lots__record_changes();
create trigger _900_record_changes_on_delete after delete on public.parking_lots
  referencing old table as rows_changed
  for each statement execute function private.tg_parking_lots__record_changes();
create trigger _900_record_changes_on_truncate after truncate on public.parking_lots
  for each statement execute function private.tg_parking_lots__record_changes();

-- Sets updated_at on every update of a row (foundation/values.sql).
create trigger _900_touch_updated_at before update on public.parking_lots
  for each row execute function private.tg_touch_updated_at();

-- ---------------------------------------------------------------------------------------------------------------------
-- public.parking_lot_tags
-- ---------------------------------------------------------------------------------------------------------------------

-- Writes tag_slugs and main_image_key of the lots whose tags or images a statement changed (lots/lots.sql).
create trigger _100_refresh_on_insert after insert on public.parking_lot_tags
  referencing new table as rows_changed
  for each statement execute function private.tg_lot_rows__refresh_lot_facts();
create trigger _100_refresh_on_update after update on public.parking_lot_tags
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_lot_rows__refresh_lot_facts();
create trigger _100_refresh_on_delete after delete on public.parking_lot_tags
  referencing old table as rows_changed
  for each statement execute function private.tg_lot_rows__refresh_lot_facts();
create trigger _100_refresh_on_truncate after truncate on public.parking_lot_tags
  for each statement execute function private.tg_lot_rows__refresh_lot_facts();

-- Writes the search entries of the lots of which a statement changed a part that search reads (search/entries.sql).
create trigger _800_refresh_search_on_insert after insert on public.parking_lot_tags
  referencing new table as rows_changed
  for each statement execute function private.tg_lot_rows__refresh_search();
create trigger _800_refresh_search_on_update after update on public.parking_lot_tags
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_lot_rows__refresh_search();
create trigger _800_refresh_search_on_delete after delete on public.parking_lot_tags
  referencing old table as rows_changed
  for each statement execute function private.tg_lot_rows__refresh_search();
create trigger _800_refresh_search_on_truncate after truncate on public.parking_lot_tags
  for each statement execute function private.tg_lot_rows__refresh_search();

-- Queues the lots of which a statement changed a part (search/changes.sql).
create trigger _900_record_changes_on_insert after insert on public.parking_lot_tags
  referencing new table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_update after update on public.parking_lot_tags
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_delete after delete on public.parking_lot_tags
  referencing old table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_truncate after truncate on public.parking_lot_tags
  for each statement execute function private.tg_lot_rows__record_changes();

-- ---------------------------------------------------------------------------------------------------------------------
-- public.parking_lot_images
-- ---------------------------------------------------------------------------------------------------------------------

-- Writes tag_slugs and main_image_key of the lots whose tags or images a statement changed (lots/lots.sql).
create trigger _100_refresh_on_insert after insert on public.parking_lot_images
  referencing new table as rows_changed
  for each statement execute function private.tg_lot_rows__refresh_lot_facts();
create trigger _100_refresh_on_update after update on public.parking_lot_images
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_lot_rows__refresh_lot_facts();
create trigger _100_refresh_on_delete after delete on public.parking_lot_images
  referencing old table as rows_changed
  for each statement execute function private.tg_lot_rows__refresh_lot_facts();
create trigger _100_refresh_on_truncate after truncate on public.parking_lot_images
  for each statement execute function private.tg_lot_rows__refresh_lot_facts();

-- Queues the lots of which a statement changed a part (search/changes.sql).
create trigger _900_record_changes_on_insert after insert on public.parking_lot_images
  referencing new table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_update after update on public.parking_lot_images
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_delete after delete on public.parking_lot_images
  referencing old table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_truncate after truncate on public.parking_lot_images
  for each statement execute function private.tg_lot_rows__record_changes();

-- ---------------------------------------------------------------------------------------------------------------------
-- public.parking_lot_spots
-- ---------------------------------------------------------------------------------------------------------------------

-- Writes the search entries of the lots of which a statement changed a part that search reads (search/entries.sql).
create trigger _800_refresh_search_on_insert after insert on public.parking_lot_spots
  referencing new table as rows_changed
  for each statement execute function private.tg_lot_rows__refresh_search();
create trigger _800_refresh_search_on_update after update on public.parking_lot_spots
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_lot_rows__refresh_search();
create trigger _800_refresh_search_on_delete after delete on public.parking_lot_spots
  referencing old table as rows_changed
  for each statement execute function private.tg_lot_rows__refresh_search();
create trigger _800_refresh_search_on_truncate after truncate on public.parking_lot_spots
  for each statement execute function private.tg_lot_rows__refresh_search();

-- Queues the lots of which a statement changed a part (search/changes.sql).
create trigger _900_record_changes_on_insert after insert on public.parking_lot_spots
  referencing new table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_update after update on public.parking_lot_spots
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_delete after delete on public.parking_lot_spots
  referencing old table as rows_changed
  for each statement execute function private.tg_lot_rows__record_changes();
create trigger _900_record_changes_on_truncate after truncate on public.parking_lot_spots
  for each statement execute function private.tg_lot_rows__record_changes();

-- ---------------------------------------------------------------------------------------------------------------------
-- private.parking_lot_daily_counts
-- ---------------------------------------------------------------------------------------------------------------------

-- Adds what a statement changes in the daily counts to the sums of the last 30 days (lots/recent_counts.sql).
create trigger _300_add_recent_insert after insert on private.parking_lot_daily_counts
  referencing new table as rows_changed
  for each statement execute function private.tg_parking_lot_daily_counts__add_recent();
create trigger _300_add_recent_update after update on private.parking_lot_daily_counts
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_parking_lot_daily_counts__add_recent();
create trigger _300_add_recent_delete after delete on private.parking_lot_daily_counts
  referencing old table as rows_before
  for each statement execute function private.tg_parking_lot_daily_counts__add_recent();
create trigger _300_add_recent_truncate after truncate on private.parking_lot_daily_counts
  for each statement execute function private.tg_parking_lot_daily_counts__add_recent();
