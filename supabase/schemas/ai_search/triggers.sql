-- Triggers of the tables of AI search, table by table, in the order in which they fire.
--
-- The name of a trigger begins with its number in that order. The file in parentheses has its function.

-- ---------------------------------------------------------------------------------------------------------------------
-- private.ai_keys
-- ---------------------------------------------------------------------------------------------------------------------

-- Deletes a key from the vault with its row (ai_search/ai_search.sql).
create trigger _300_delete_secret after delete on private.ai_keys
  for each row execute function private.tg_ai_keys__delete_secret();
