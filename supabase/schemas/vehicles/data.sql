-- Data of vehicles: how long rows are kept.
-- They are written once, when the tables, rules and triggers exist.

insert into private.retentions (table_name, condition) values
  ('public.search_presets', 't.deleted_at < now() - interval ''30 days''');
