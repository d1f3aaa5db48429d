-- Subscription plans in the console. Shared functions are in admin_articles.
--
-- Invariants: a plan is never deleted and keeps its code, because subscriptions and store products refer to it. A plan that
-- is not sold any more is not active.
-- Interface: api.admin_list_subscription_plans, admin_get_subscription_plan, admin_create_subscription_plan,
-- admin_update_subscription_plan.

-- Writes a new plan, or a version of one that the caller has locked, and records the act; p_before is null for a new one.
-- An equal version changes nothing. Errors: validation_error, conflict.
create function private.write_plan(p_admin_id uuid, p_before public.subscription_plans, p_after public.subscription_plans)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_changes constant jsonb := private.difference(to_jsonb(p_before), to_jsonb(p_after));
  v_after public.subscription_plans;
  v_table text;
  v_constraint text;
begin
  if v_changes = '{}' then
    return to_jsonb(p_before);
  end if;
  insert into public.subscription_plans select p_after.*
  on conflict (id) do update set
    name = excluded.name, name_en = excluded.name_en, description = excluded.description, description_en = excluded.description_en,
    price_minor = excluded.price_minor, currency = excluded.currency, billing_period = excluded.billing_period,
    accent_color = excluded.accent_color, features = excluded.features, features_en = excluded.features_en,
    sort_order = excluded.sort_order, is_active = excluded.is_active
  returning * into v_after;
  perform private.record_act(p_admin_id, private.content_action('subscription_plan', p_before.is_active, v_after.is_active),
    'subscription_plan', v_after.id::text, null, v_changes);
  return to_jsonb(v_after);
exception
  when check_violation then
    get stacked diagnostics v_table = table_name, v_constraint = constraint_name;
    perform private.reject_violation(v_table, v_constraint);
  when unique_violation then
    perform private.reject_duplicate('code');
end
$$;

grant execute on function private.write_plan(uuid, public.subscription_plans, public.subscription_plans) to service_role;

create function api.admin_list_subscription_plans(
  p_admin_id uuid, p_is_active boolean default null, p_billing_period text default null, p_include text[] default '{}',
  p_cursor text default null, p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters constant jsonb := jsonb_build_array('admin_subscription_plans', p_is_active, p_billing_period);
  v_after jsonb;
  v_items jsonb;
  v_total bigint;
begin
  perform private.check_admin(p_admin_id, 'content');
  v_after := private.page_start(v_filters, p_cursor, '{integer,text}', 'asc');
  perform private.check_choice('billing_period', p_billing_period, '{week,month,year,one_time}');
  with matching as not materialized (
    select p as plan, p.sort_order, p.code from public.subscription_plans p
    where (p_is_active is null or p.is_active = p_is_active)
      and (p_billing_period is null or p.billing_period = p_billing_period)
  ), page as (
    select * from matching m
    where (m.sort_order, m.code) > ((v_after ->> 0)::integer, v_after ->> 1)
    order by m.sort_order, m.code limit private.page_limit(p_limit) + 1
  )
  select (select jsonb_agg(to_jsonb(p.plan) order by p.sort_order, p.code) from page p),
    case when 'total' = any (p_include) then (select count(*) from matching) end
  into v_items, v_total;
  return private.page(v_filters, v_items, '{sort_order,code}', p_limit, v_total);
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
  perform private.check_fields('public.subscription_plans', p_plan,
    '{code,name,name_en,description,description_en,price_minor,currency,billing_period,accent_color,features,features_en,sort_order,is_active}',
    '{code,name,price_minor,billing_period}');
  return private.write_plan(p_admin_id, null, jsonb_populate_record(null::public.subscription_plans, jsonb_build_object(
    'id', gen_random_uuid(), 'currency', 'JPY', 'features', '[]'::jsonb, 'sort_order', 0, 'is_active', true,
    'created_at', now(), 'updated_at', now()
  ) || p_plan));
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
  perform private.check_fields('public.subscription_plans', p_changes,
    '{name,name_en,description,description_en,price_minor,currency,billing_period,accent_color,features,features_en,sort_order,is_active}');
  select * into v_before from public.subscription_plans p where p.id = p_id for update;
  if not found then
    perform private.raise_error('not_found', 404, 'There is no such plan.', p_param => 'id');
  end if;
  perform private.require_match(p_if_match, v_before.updated_at);
  return private.write_plan(p_admin_id, v_before, jsonb_populate_record(v_before, p_changes));
end
$$;

comment on function api.admin_update_subscription_plan(uuid, uuid, jsonb, text) is
  'Changes the fields of a plan that p_changes has, in the version p_if_match; is_active false ends the sale. Returns it as admin_get_subscription_plan does. Idempotent. For administrators of content. Errors: forbidden, validation_error, not_found, conflict, precondition_failed.';

grant execute on function
  api.admin_list_subscription_plans(uuid, boolean, text, text[], text, integer), api.admin_get_subscription_plan(uuid, uuid),
  api.admin_create_subscription_plan(uuid, jsonb), api.admin_update_subscription_plan(uuid, uuid, jsonb, text)
to service_role;
