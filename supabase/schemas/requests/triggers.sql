-- Triggers of the tables of requests, table by table, in the order in which they fire.
--
-- The name of a trigger begins with its number in that order. The file in parentheses has its function.

-- ---------------------------------------------------------------------------------------------------------------------
-- private.idempotency_replies
-- ---------------------------------------------------------------------------------------------------------------------

-- Bounds what is stored: 64 KiB a reply (1 MiB of an import of lots), 10 replies a key, 1,000 keys and 16 MiB a user in
-- 24 hours (requests/idempotency.sql).
create trigger _100_bound before insert or update of user_id, key, call, reply on private.idempotency_replies
  for each row execute function private.tg_idempotency_replies__bound();
