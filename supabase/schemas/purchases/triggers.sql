-- Triggers of the tables of purchases, table by table, in the order in which they fire.
--
-- The name of a trigger begins with its number in that order. The file in parentheses has its function.

-- ---------------------------------------------------------------------------------------------------------------------
-- public.subscription_plans
-- ---------------------------------------------------------------------------------------------------------------------

-- Sets updated_at on every update of a row (foundation/values.sql).
create trigger _100_touch_updated_at before update on public.subscription_plans
  for each row execute function private.tg_touch_updated_at();

-- ---------------------------------------------------------------------------------------------------------------------
-- public.user_subscriptions
-- ---------------------------------------------------------------------------------------------------------------------

-- Sets updated_at on every update of a row (foundation/values.sql).
-- A statement without new facts makes no new version of the row.
create trigger _100_touch_updated_at before update on public.user_subscriptions
  for each row when (
    (old.user_id, old.plan_id, old.external_subscription_id, old.status, old.started_at, old.ended_at, old.auto_renew_status,
      old.auto_renewing, old.next_billing_date, old.is_trial_period, old.original_purchase_date, old.access_ends_at,
      old.superseded_at)
    is distinct from
    (new.user_id, new.plan_id, new.external_subscription_id, new.status, new.started_at, new.ended_at, new.auto_renew_status,
      new.auto_renewing, new.next_billing_date, new.is_trial_period, new.original_purchase_date, new.access_ends_at,
      new.superseded_at)
  )
  execute function private.tg_touch_updated_at();
