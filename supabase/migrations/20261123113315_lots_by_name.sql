-- Lots by the beginning of their names: the index of suggestions.
-- Alone in its file, because neither statement runs in a transaction.

drop index concurrently if exists private.search_entries_name_idx;
-- pgls-ignore lint/safety/banConcurrentIndexCreationInTransaction: the file runs outside of a transaction
create index concurrently search_entries_name_idx on private.search_entries (left(document, 64) collate "C");
