-- Subscription plans in the console.
--
-- Invariants: a plan is never deleted and keeps its code, because subscriptions and store products refer to it. A plan that
-- is not sold any more is not active.
-- Interface: api.admin_list_subscription_plans, admin_get_subscription_plan, admin_create_subscription_plan,
-- admin_update_subscription_plan.

create function api.admin_list_subscription_plans(
  p_admin_id uuid, p_is_active boolean default null, p_billing_period text default null, p_include text[] default '{}',
  p_cursor text default null, p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'content');
  perform private.check_choice('billing_period', p_billing_period, '{week,month,year,one_time}');
  return private.list_rows('public.subscription_plans', '{sort_order integer,code text}', 'asc', jsonb_build_object(
    'r.is_active = %s::boolean', p_is_active,
    'r.billing_period = %s', p_billing_period
  ), p_include, p_cursor, p_limit);
end
$$;

comment on function api.admin_list_subscription_plans(uuid, boolean, text, text[], text, integer) is
  'Plans, sold or not, by sort_order and code, in both languages: {items, next_cursor}, and total when p_include has it. For administrators of content. Errors: forbidden, validation_error.';

create function api.admin_get_subscription_plan(p_admin_id uuid, p_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'content');
  return private.require_row(
    (select to_jsonb(p) from public.subscription_plans p where p.id = p_id), 'There is no such plan.'
  );
end
$$;

comment on function api.admin_get_subscription_plan(uuid, uuid) is
  'A plan, sold or not, in both languages. For administrators of content. Errors: forbidden, not_found.';

create function api.admin_create_subscription_plan(p_admin_id uuid, p_plan jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_admin(p_admin_id, 'content');
  perform private.check_columns('public.subscription_plans', p_plan, p_is_new => true);
  return to_jsonb(private.save_unique_row(p_admin_id, 'subscription_plan', null::public.subscription_plans, p_plan, 'code'));
end
$$;

comment on function api.admin_create_subscription_plan(uuid, jsonb) is
  'Creates a plan, which is on sale unless is_active is false. Returns it as admin_get_subscription_plan does. For administrators of content. Errors: forbidden, validation_error, conflict.';

create function api.admin_update_subscription_plan(p_admin_id uuid, p_id uuid, p_changes jsonb, p_if_match text default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_before public.subscription_plans;
begin
  perform private.lock_admin(p_admin_id, 'content');
  perform private.check_columns('public.subscription_plans', p_changes, p_without => '{code}');
  v_before := private.locked_version(null::public.subscription_plans, jsonb_build_object('id', p_id), 'plan', p_if_match);
  return to_jsonb(private.save_unique_row(p_admin_id, 'subscription_plan', v_before, p_changes, 'code'));
end
$$;

comment on function api.admin_update_subscription_plan(uuid, uuid, jsonb, text) is
  'Changes the fields of a plan that p_changes has, in the version p_if_match; is_active false ends the sale. Returns it as admin_get_subscription_plan does. Idempotent. For administrators of content. Errors: forbidden, validation_error, not_found, conflict, precondition_failed.';
