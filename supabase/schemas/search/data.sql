-- Data of search: how long rows are kept and jobs.
-- They are written once, when the tables, rules and triggers exist.

-- ---------------------------------------------------------------------------------------------------------------------
-- Map
-- ---------------------------------------------------------------------------------------------------------------------

select cron.schedule('refresh_map', '29 seconds', 'do $work$ declare v_cell integer := -1; begin while v_cell is not null loop v_cell := private.next_map_batch(v_cell); commit; end loop; end $work$');

-- ---------------------------------------------------------------------------------------------------------------------
-- Changes of lots
-- ---------------------------------------------------------------------------------------------------------------------

insert into private.retentions (table_name, condition) values (
  'private.lot_changes', 't.is_gone and t.noted_at < now() - interval ''1 year''
    -- The next revision is the greatest one and 1.
    and t.revision < (select max(c.revision) from private.lot_changes c)'
);

select cron.schedule('note_lot_changes', '9 seconds',
  'do $work$ declare v_from uuid; begin loop v_from := private.note_lot_changes(v_from); commit; exit when v_from is null; end loop; end $work$');

-- ---------------------------------------------------------------------------------------------------------------------
-- Renames
-- ---------------------------------------------------------------------------------------------------------------------

select cron.schedule('propagate_renames', '28 seconds', 'do $work$ begin while private.next_rename_batch() loop commit; end loop; end $work$');
