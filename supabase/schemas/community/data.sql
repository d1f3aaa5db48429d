-- Data of the community: how long rows are kept and jobs.
-- They are written once, when the tables, rules and triggers exist.

-- ---------------------------------------------------------------------------------------------------------------------
-- Field values
-- ---------------------------------------------------------------------------------------------------------------------

select cron.schedule('count_waiting_votes', '2-59/5 * * * *', 'select private.count_waiting_votes()');

-- ---------------------------------------------------------------------------------------------------------------------
-- Occupancy
-- ---------------------------------------------------------------------------------------------------------------------

insert into private.retentions (table_name, condition, every) values
  ('public.occupancy_reports', 't.source = ''driver'' and t.reported_at < now() - interval ''1 day''', '1 hour');
