-- Data of store sync: allowed moves, queues, how long rows are kept and jobs.
-- They are written once, when the tables, rules and triggers exist.

select private.add_queue('store-sync', 'store-sync');

insert into private.allowed_moves (entity, from_state, to_state) values
  ('store_sync_run', 'new', 'queued'), ('store_sync_run', 'queued', 'running'),
  ('store_sync_run', 'running', 'succeeded'), ('store_sync_run', 'running', 'failed');

insert into private.retentions (table_name, condition) values
  ('public.store_sync_runs', 't.finished_at < now() - interval ''90 days'''),
  ('private.store_synced_parts', 't.synced_at < now() - interval ''400 days''');

select cron.schedule('sync_stores', '44 13 * * *', 'select private.sync_stores()'); -- after 5 a.m. Pacific time, when the App Store's day is ready
