-- Jobs: tell_renames has the name propagate_renames. Its schedule and its command are the same.
--
-- Invariants: the runs of the old job are in the log of pg_cron under its number. The way back is the same file with the
-- two names exchanged.

select cron.unschedule('tell_renames');
select cron.schedule('propagate_renames', '28 seconds', 'do $work$ begin while private.next_rename_batch() loop commit; end loop; end $work$');

-- The area of a job: who reads its runs and errors. Any other job: admins.
create or replace function private.area_of_job(p_job text) returns text
language sql immutable parallel safe
return case
  when p_job in ('announce_subscription_ends', 'erase_withdrawn_accounts', 'reconcile_subscriptions') then 'users'
  when p_job in ('count_waiting_votes', 'fold_lot_counts', 'note_lot_changes', 'propagate_renames', 'refresh_map') then 'lots'
  when p_job in (
    'check_mail_health', 'check_push_health', 'refresh_delivery_figures', 'send_session_reminders', 'start_scheduled_notifications'
  ) then 'notifications'
  when p_job in ('backfill_badges', 'grant_earned_themes', 'recalculate_levels') then 'rewards'
  when p_job = 'sync_stores' then 'store_sync'
  else 'admins'
end;
