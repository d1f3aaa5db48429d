-- Opened rows of a composed notification: the index of their number.
-- Alone in its file, because neither statement runs in a transaction.

drop index concurrently if exists public.user_notifications_opened_idx;
-- pgls-ignore lint/safety/banConcurrentIndexCreationInTransaction: the file runs outside of a transaction
create index concurrently user_notifications_opened_idx on public.user_notifications (composed_id) where composed_id is not null and read_at is not null;
