-- Data of activity: jobs.
-- They are written once, when the tables, rules and triggers exist.

select cron.schedule('archive_activities', '14 * * * *', 'do $work$ begin while private.next_archive_batch() loop commit; end loop; end $work$');
