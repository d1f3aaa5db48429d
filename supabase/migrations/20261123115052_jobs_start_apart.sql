-- Jobs: they start at different times. Eleven started at the first second of each minute, sixteen at that of some.
-- Each run has a connection, and a small instance has sixty.
--
-- Jobs of each minute run every 43 to 59 seconds, no interval a multiple of another one. The rarer ones have minutes of
-- their own. The way back is a file that schedules them as before.

select cron.schedule(j.jobname, s.schedule, j.command)
from cron.job j
join (values
  ('erase_withdrawn_accounts', '8 seconds'),
  ('note_lot_changes', '9 seconds'),
  ('tell_renames', '28 seconds'),
  ('refresh_map', '29 seconds'),
  ('start_scheduled_notifications', '43 seconds'),
  ('fold_lot_counts', '44 seconds'),
  ('backfill_badges', '46 seconds'),
  ('recalculate_levels', '47 seconds'),
  ('grant_earned_themes', '49 seconds'),
  ('check_push_health', '51 seconds'),
  ('check_mail_health', '52 seconds'),
  ('refresh_delivery_figures', '53 seconds'),
  ('refresh_overview_now', '57 seconds'),
  ('reconcile_subscriptions', '59 seconds'),
  ('refresh_overview', '1-59/5 * * * *'),
  ('count_waiting_votes', '2-59/5 * * * *'),
  ('announce_subscription_ends', '3-59/10 * * * *'),
  ('archive_activities', '14 * * * *'),
  ('sweep_assets', '44 2 * * *'),
  ('requeue_publications', '49 2 * * *'),
  ('sync_stores', '44 13 * * *')
) as s (jobname, schedule) using (jobname);
