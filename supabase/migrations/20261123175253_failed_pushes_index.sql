-- Devices of a notification without its push, by reason: the index of their list.
-- Alone in its file, because neither statement runs in a transaction.

drop index concurrently if exists private.push_deliveries_undelivered_idx;
-- pgls-ignore lint/safety/banConcurrentIndexCreationInTransaction: the file runs outside of a transaction
create index concurrently push_deliveries_undelivered_idx on private.push_deliveries (notification_id, outcome, token_id)
  where outcome <> 'delivered';
