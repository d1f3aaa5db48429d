-- Data of sessions: how long rows are kept and jobs.
-- They are written once, when the tables, rules and triggers exist.

-- ---------------------------------------------------------------------------------------------------------------------
-- Sessions
-- ---------------------------------------------------------------------------------------------------------------------

insert into private.retentions (table_name, condition) values (
  'public.user_vehicles', 't.deleted_at < now() - interval ''30 days''
    and not exists (select from public.parking_sessions s where s.vehicle_id = t.id)'
);

-- ---------------------------------------------------------------------------------------------------------------------
-- The job of reminders
-- ---------------------------------------------------------------------------------------------------------------------

select cron.schedule('send_session_reminders', '* * * * *',
  'do $work$ begin while private.next_reminder_batch() loop commit; end loop; end $work$');
