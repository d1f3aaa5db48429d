-- Subscription plans. A store's product has the plan's code as its id.
--
-- Invariants: a code always refers to the same plan. A plan that is not sold any more stays as a row, because subscriptions
-- refer to it. features are a list of texts or an object.
-- Interface: api.list_subscription_plans. Administrators write the rows (api.admin_create_subscription_plan and related
-- functions).

-- A plan as the interface returns it, in the language; in Japanese without English texts.
create function private.plan_row(p_plan public.subscription_plans, p_lang text) returns jsonb
language sql stable
return jsonb_build_object(
  'id', (p_plan).id, 'code', (p_plan).code,
  'name', case p_lang when 'en' then coalesce((p_plan).name_en, (p_plan).name) else (p_plan).name end,
  'description',
    case p_lang when 'en' then coalesce((p_plan).description_en, (p_plan).description) else (p_plan).description end,
  'price_minor', (p_plan).price_minor, 'currency', (p_plan).currency, 'billing_period', (p_plan).billing_period,
  'accent_color', (p_plan).accent_color,
  'features', case p_lang when 'en' then coalesce((p_plan).features_en, (p_plan).features) else (p_plan).features end,
  'sort_order', (p_plan).sort_order
);

grant execute on function private.plan_row(public.subscription_plans, text) to anon, authenticated;
