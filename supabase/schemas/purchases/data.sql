-- Data of purchases: queues, rate limits, how long rows are kept and jobs.
-- They are written once, when the tables, rules and triggers exist.

-- ---------------------------------------------------------------------------------------------------------------------
-- Claims
-- ---------------------------------------------------------------------------------------------------------------------

insert into private.rate_limit_policies (name, quota, window_seconds, daily_quota, comment, commands) values
  ('verify_iap', 30, 60, 500, 'Purchases that are verified', '{claim_subscription}');

insert into private.retentions (table_name, condition, every) values
  ('private.verified_purchases', 't.verified_at < now() - interval ''1 hour''', '1 hour');

-- ---------------------------------------------------------------------------------------------------------------------
-- Store notifications
-- ---------------------------------------------------------------------------------------------------------------------

select private.add_queue('store-notifications', 'store-notifications/process');

insert into private.rate_limit_policies (name, quota, window_seconds, comment) values
  ('store_notification', 30000, 60, 'Notifications of the stores, by network: a store sends from few addresses');

insert into private.retentions (table_name, condition) values (
  -- The stores repeat for up to 31 days; a notification that could not be processed is kept as long as its dead message.
  'private.store_notifications',
  't.received_at < now() - interval ''35 days'' and (t.processed_at is not null or t.received_at < now() - interval ''90 days'')'
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Reconciliation
-- ---------------------------------------------------------------------------------------------------------------------

select cron.schedule('reconcile_subscriptions', '59 seconds', 'select private.reconcile_subscriptions()');

-- ---------------------------------------------------------------------------------------------------------------------
-- Announced ends
-- ---------------------------------------------------------------------------------------------------------------------

-- At most a thousand each time: after an outage of a store the next run has the others.
select cron.schedule('announce_subscription_ends', '3-59/10 * * * *',
  'do $work$ begin for nth in 1 .. 1000 loop exit when not private.announce_next_end(); commit; end loop; end $work$');
