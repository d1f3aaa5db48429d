-- Data of the console: rate limits, how long rows are kept and jobs.
-- They are written once, when the tables, rules and triggers exist.

-- ---------------------------------------------------------------------------------------------------------------------
-- Notifications of administrators
-- ---------------------------------------------------------------------------------------------------------------------

insert into private.retentions (table_name, condition) values
  ('public.admin_notifications', 't.created_at < now() - interval ''90 days''');

-- ---------------------------------------------------------------------------------------------------------------------
-- Acts of administrators
-- ---------------------------------------------------------------------------------------------------------------------

insert into private.rate_limit_policies (name, quota, window_seconds, daily_quota, comment) values
  ('admin_write', 600, 60, 20000, 'What administrators write');

-- ---------------------------------------------------------------------------------------------------------------------
-- Overview
-- ---------------------------------------------------------------------------------------------------------------------

select cron.schedule('refresh_overview_now', '57 seconds', 'select private.refresh_overview_now()');
select cron.schedule('refresh_overview', '1-59/5 * * * *', 'select private.refresh_overview()');
