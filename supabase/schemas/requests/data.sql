-- Data of requests: rows, rate limits and how long rows are kept.
-- They are written once, when the tables, rules and triggers exist.

-- ---------------------------------------------------------------------------------------------------------------------
-- Rate limits
-- ---------------------------------------------------------------------------------------------------------------------

insert into private.network_key default values;

insert into private.rate_limit_policies (name, quota, window_seconds, daily_quota, comment, commands) values
  ('write', 120, 60, 5000, 'Commands that no other policy names', '{}'),
  ('upload', 60, 60, null, 'Addresses to upload to', '{create_upload}'),
  ('attach', 60, 60, null, 'Uploads that are checked before they are attached', '{}'),
  ('report', 30, 60, 2000, 'Error reports and support tickets, with their messages',
    '{post_error_report, create_support_ticket, reply_to_support_ticket}'),
  ('crash_report', 10, 60, null, 'Crash reports, by network', '{}'),
  ('expensive_read', 120, 60, null, 'Reads that cost more than a page, by account or network', '{}');

insert into private.retentions (table_name, condition, every) values (
  'private.rate_limit_windows', 'exists (
    select from private.rate_limit_policies p where p.name = t.policy and t.started_at <= now() - make_interval(secs => p.window_seconds)
      and (p.daily_quota is null or t.day_started_at <= now() - interval ''24 hours'')
  )', '5 minutes'
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Counts of requests
-- ---------------------------------------------------------------------------------------------------------------------

-- Routes that no release has any more, and rare statuses.
insert into private.retentions (table_name, condition) values
  ('private.request_counts', 't.counted_at < now() - interval ''90 days''');

-- ---------------------------------------------------------------------------------------------------------------------
-- Idempotency keys
-- ---------------------------------------------------------------------------------------------------------------------

insert into private.retentions (table_name, condition, every) values
  ('private.idempotency_replies', 't.created_at < now() - interval ''24 hours''', '5 minutes'),
  ('private.idempotency_days', 't.started_at < now() - interval ''24 hours''', '1 hour');
