-- Data of the foundation: allowed moves, how long rows are kept and jobs.
-- They are written once, when the tables, rules and triggers exist.

-- ---------------------------------------------------------------------------------------------------------------------
-- States
-- ---------------------------------------------------------------------------------------------------------------------

insert into private.allowed_moves (entity, from_state, to_state) values
  -- Importers create lots that are public at once. A closed lot may open again.
  ('parking_lot', 'new', 'draft'), ('parking_lot', 'new', 'active'),
  ('parking_lot', 'draft', 'active'), ('parking_lot', 'draft', 'closed'),
  ('parking_lot', 'active', 'suspended'), ('parking_lot', 'active', 'closed'),
  ('parking_lot', 'suspended', 'active'), ('parking_lot', 'suspended', 'closed'),
  ('parking_lot', 'closed', 'active'),
  -- An edit by the author sets a review of any status to pending.
  ('review', 'new', 'pending'),
  ('review', 'pending', 'approved'), ('review', 'pending', 'rejected'),
  ('review', 'approved', 'hidden'), ('review', 'hidden', 'approved'),
  ('review', 'approved', 'pending'), ('review', 'rejected', 'pending'), ('review', 'hidden', 'pending'),
  ('notification', 'new', 'draft'), ('notification', 'new', 'scheduled'),
  ('notification', 'draft', 'scheduled'), ('notification', 'draft', 'cancelled'),
  ('notification', 'scheduled', 'sending'), ('notification', 'scheduled', 'cancelled'),
  ('notification', 'sending', 'sent'), ('notification', 'sending', 'failed'),
  ('error_report', 'new', 'open'),
  ('error_report', 'open', 'in_review'), ('error_report', 'in_review', 'resolved'), ('error_report', 'in_review', 'rejected'),
  -- Any message of the author opens the ticket again.
  ('support_ticket', 'new', 'open'),
  ('support_ticket', 'open', 'answered'), ('support_ticket', 'answered', 'closed'),
  ('support_ticket', 'answered', 'open'), ('support_ticket', 'closed', 'open'),
  ('parking_session', 'new', 'parking'),
  ('parking_session', 'parking', 'ended'), ('parking_session', 'parking', 'cancelled'),
  -- A withdrawn account is empty and stays withdrawn.
  ('account', 'new', 'active'),
  ('account', 'active', 'suspended'), ('account', 'suspended', 'active'),
  ('account', 'active', 'withdrawn'), ('account', 'suspended', 'withdrawn');

-- ---------------------------------------------------------------------------------------------------------------------
-- Queues, jobs and secrets
-- ---------------------------------------------------------------------------------------------------------------------

select cron.schedule('call_consumers', '5 seconds', 'select private.call_consumers()');

-- ---------------------------------------------------------------------------------------------------------------------
-- Retention
-- ---------------------------------------------------------------------------------------------------------------------

select cron.schedule('purge', '*/5 * * * *', 'do $work$ begin while private.next_purge_batch() loop commit; end loop; end $work$');

insert into private.retentions (table_name, condition) values
  -- A run that was interrupted has no end.
  ('cron.job_run_details', 'coalesce(t.end_time, t.start_time) < now() - interval ''7 days'''),
  ('private.dead_messages', 't.died_at < now() - interval ''90 days''');
