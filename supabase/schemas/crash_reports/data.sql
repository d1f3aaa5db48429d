-- Data of crash reports: how long rows are kept.
-- They are written once, when the tables, rules and triggers exist.

insert into private.retentions (table_name, condition, change) values
  ('public.client_crash_reports', 't.reported_on < (now() at time zone ''UTC'')::date - 90', null),
  ('public.client_crash_reports', 't.network <> '''' and t.reported_on < (now() at time zone ''UTC'')::date', 'network = '''''),
  ('private.crash_report_days', 't.reported_on < (now() at time zone ''UTC'')::date - 90', null),
  ('private.crash_report_networks', 't.reported_on < (now() at time zone ''UTC'')::date', null),
  ('private.crash_report_sources', 't.reported_on < (now() at time zone ''UTC'')::date', null);
