-- Triggers of the tables of rewards, table by table, in the order in which they fire.
--
-- The name of a trigger begins with its number in that order. The file in parentheses has its function.

-- ---------------------------------------------------------------------------------------------------------------------
-- private.exp_rules
-- ---------------------------------------------------------------------------------------------------------------------

-- Rejects a rule whose reason has no label, or whose activity does not exist (rewards/exp.sql).
create trigger _100_check_codes before insert or update of reason, activity_type on private.exp_rules
  for each row execute function private.tg_exp_rules__check_codes();

-- Sets updated_at on every update of a row (foundation/values.sql).
create trigger _200_touch_updated_at before update on private.exp_rules
  for each row execute function private.tg_touch_updated_at();

-- ---------------------------------------------------------------------------------------------------------------------
-- public.levels
-- ---------------------------------------------------------------------------------------------------------------------

-- One writer of levels at a time: the check that follows then reads the levels of all others (rewards/exp.sql).
create trigger _100_hold before insert or update on public.levels
  for each statement execute function private.tg_levels__hold();

-- Sets updated_at on every update of a row (foundation/values.sql).
create trigger _200_touch_updated_at before update on public.levels
  for each row execute function private.tg_touch_updated_at();

-- Rejects levels whose required_exp does not increase; details.level is the first of them (rewards/exp.sql).
create trigger _300_check_rise after insert or update on public.levels
  for each statement execute function private.tg_levels__check_rise();

-- ---------------------------------------------------------------------------------------------------------------------
-- public.exp_entries
-- ---------------------------------------------------------------------------------------------------------------------

-- Adds entries to the sums of their users, in one statement; a level that rises is notified and gives its themes
-- (rewards/exp.sql).
select private.watch('public.exp_entries', '{insert,delete}', '_100_keep_sums', 'private.tg_exp_entries__keep_sums');

-- ---------------------------------------------------------------------------------------------------------------------
-- public.badges
-- ---------------------------------------------------------------------------------------------------------------------

-- Sets updated_at on every update of a row (foundation/values.sql).
create trigger _100_touch_updated_at before update on public.badges
  for each row execute function private.tg_touch_updated_at();

-- Rejects invalid conditions, with the place and the message (rewards/badges.sql).
create trigger _200_check_conditions before insert or update of conditions on public.badges
  for each row execute function private.tg_badges__check_conditions();

-- Rebuilds a new badge, or one whose conditions changed: earlier activities count too (rewards/badge_backfill.sql).
create trigger _300_backfill after insert or update of conditions, threshold, is_active on public.badges
  for each row execute function private.tg_badges__backfill();

-- ---------------------------------------------------------------------------------------------------------------------
-- public.user_badge_progress
-- ---------------------------------------------------------------------------------------------------------------------

-- Sets updated_at on every update of a row (foundation/values.sql).
create trigger _100_touch_updated_at before update on public.user_badge_progress
  for each row execute function private.tg_touch_updated_at();

-- ---------------------------------------------------------------------------------------------------------------------
-- public.themes
-- ---------------------------------------------------------------------------------------------------------------------

-- Sets updated_at on every update of a row (foundation/values.sql).
create trigger _100_touch_updated_at before update on public.themes
  for each row execute function private.tg_touch_updated_at();

-- Starts the job that gives a theme, which became active or easier to earn, to users who have earned it already
-- (rewards/theme_rewards.sql).
create trigger _600_give_on_insert after insert on public.themes
  for each row when (new.is_active and not new.is_free and num_nonnulls(new.unlock_level, new.unlock_badge_id) > 0)
  execute function private.tg_themes__give_to_earners();
create trigger _600_give_on_update after update on public.themes
  for each row when (
    new.is_active and not new.is_free and num_nonnulls(new.unlock_level, new.unlock_badge_id) > 0
    and (new.unlock_level, new.unlock_badge_id, new.is_active, new.is_free)
      is distinct from (old.unlock_level, old.unlock_badge_id, old.is_active, old.is_free)
  )
  execute function private.tg_themes__give_to_earners();

-- ---------------------------------------------------------------------------------------------------------------------
-- public.user_themes
-- ---------------------------------------------------------------------------------------------------------------------

-- Sets updated_at on every update of a row (foundation/values.sql).
create trigger _100_touch_updated_at before update on public.user_themes
  for each row execute function private.tg_touch_updated_at();
