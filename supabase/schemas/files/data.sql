-- Data of files: queues, how long rows are kept and jobs.
-- They are written once, when the tables, rules and triggers exist.

-- ---------------------------------------------------------------------------------------------------------------------
-- Totals of files
-- ---------------------------------------------------------------------------------------------------------------------

insert into private.retentions (table_name, condition) values
  ('private.file_totals', 't.bytes = 0 and t.day < (now() at time zone ''UTC'')::date');

-- ---------------------------------------------------------------------------------------------------------------------
-- Uploads
-- ---------------------------------------------------------------------------------------------------------------------

-- Objects that are to be deleted: {"storage_key"}.
select private.add_queue('object_deletion', 'storage/sweep');

select cron.schedule('sweep_assets', '44 2 * * *', 'select private.sweep_assets()');

-- ---------------------------------------------------------------------------------------------------------------------
-- Publication
-- ---------------------------------------------------------------------------------------------------------------------

-- Files whose copy has to be made or deleted: {"storage_key"}.
select private.add_queue('object_publication', 'storage/sweep');

select cron.schedule('requeue_publications', '49 2 * * *', 'select private.requeue_publications()');
