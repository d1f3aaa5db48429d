-- Subscription plans. A store's product has the plan's code as its id.
--
-- Invariants: a code always refers to the same plan. A plan that is not sold any more stays as a row, because subscriptions
-- refer to it. features are a list of texts or an object.
-- Interface: api.list_subscription_plans. Administrators write the rows (api.admin_create_subscription_plan and related
-- functions).

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables
-- ---------------------------------------------------------------------------------------------------------------------

create table public.subscription_plans (
  id uuid primary key default gen_random_uuid(),
  code text collate "C" not null constraint subscription_plans_code_unique unique
    constraint subscription_plans_code_form check (code ~ '^[A-Za-z0-9][A-Za-z0-9_.-]{0,149}$'),
  name text not null constraint subscription_plans_name_length check (char_length(name) between 1 and 100),
  name_en text constraint subscription_plans_name_en_length check (char_length(name_en) between 1 and 100),
  description text constraint subscription_plans_description_length check (char_length(description) <= 1000),
  description_en text constraint subscription_plans_description_en_length check (char_length(description_en) <= 1000),
  price_minor integer not null constraint subscription_plans_price_not_negative check (price_minor >= 0),
  currency text not null default 'JPY' constraint subscription_plans_currency_form check (currency ~ '^[A-Z]{3}$'),
  billing_period text not null
    constraint subscription_plans_billing_period_known check (billing_period in ('week', 'month', 'year', 'one_time')),
  accent_color text constraint subscription_plans_accent_color_form check (accent_color ~ '^#[0-9a-f]{6}$'),
  features jsonb not null default '[]' constraint subscription_plans_features_form check (
    jsonb_typeof(features) = 'object'
    or (jsonb_typeof(features) = 'array' and jsonb_array_length(features) <= 50
      and not jsonb_path_exists(features, 'strict $[*] ? (@.type() != "string" || !(@ like_regex "^.{1,200}$" flag "s"))'))
  ),
  features_en jsonb constraint subscription_plans_features_en_form check (
    jsonb_typeof(features_en) = 'object'
    or (jsonb_typeof(features_en) = 'array' and jsonb_array_length(features_en) <= 50
      and not jsonb_path_exists(features_en, 'strict $[*] ? (@.type() != "string" || !(@ like_regex "^.{1,200}$" flag "s"))'))
  ),
  sort_order integer not null default 0,
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on table public.subscription_plans is 'Subscription plans and one-time products.';
comment on column public.subscription_plans.code is 'The product id in the stores; never changed.';
comment on column public.subscription_plans.features is
  'The features of the plan: texts to show one by one, or an object that the clients know.';
comment on column public.subscription_plans.features_en is 'The same in English; null without English texts.';
comment on column public.subscription_plans.is_active is 'False for a plan that is not sold any more.';

create trigger _100_touch_updated_at before update on public.subscription_plans
  for each row execute function private.tg_touch_updated_at();

-- No further index: there are few plans.

-- ---------------------------------------------------------------------------------------------------------------------
-- Row security
-- ---------------------------------------------------------------------------------------------------------------------

alter table public.subscription_plans enable row level security;

create policy "Everyone reads the plans on sale" on public.subscription_plans
  for select to anon, authenticated using (is_active);

-- No insert, update or delete for clients: administrators write plans.

grant select (
  id, code, name, name_en, description, description_en, price_minor, currency, billing_period, accent_color, features,
  features_en, sort_order, is_active, created_at, updated_at
) on public.subscription_plans to anon, authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals
-- ---------------------------------------------------------------------------------------------------------------------

create function private.plan_row(p_plan public.subscription_plans, p_lang text) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
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
end
$$;

comment on function private.plan_row(public.subscription_plans, text) is
  'A plan as the interface returns it, in the language; in Japanese without English texts.';

grant execute on function private.plan_row(public.subscription_plans, text) to anon, authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface
-- ---------------------------------------------------------------------------------------------------------------------

create function api.list_subscription_plans(
  p_lang text default 'ja', p_limit integer default 20, p_cursor text default null, p_include text[] default '{}'
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters jsonb := jsonb_build_object('list', 'subscription_plans', 'lang', private.require_lang(p_lang));
  v_after jsonb := private.page_start(v_filters, p_cursor, '{integer,text}', 'asc');
begin
  perform private.page_limit(p_limit);
  return private.page(v_filters, (
    select jsonb_agg(private.plan_row(r.plan, p_lang) order by (r.plan).sort_order, (r.plan).code)
    from (
      select p as plan
      from public.subscription_plans p
      where p.is_active
        and (p.sort_order, p.code) > ((v_after ->> 0)::integer, v_after ->> 1)
      order by p.sort_order, p.code
      limit p_limit + 1
    ) r
  ), '{sort_order,code}', p_limit, case when 'total' = any (p_include) then (
    select count(*) from public.subscription_plans p where p.is_active
  ) end);
end
$$;

comment on function api.list_subscription_plans(text, integer, text, text[]) is
  'The plans on sale, by sort_order and code, in the language (Japanese without English texts): {items, next_cursor}, and total when p_include has it. Reads only. Errors: validation_error.';

grant execute on function api.list_subscription_plans(text, integer, text, text[]) to anon, authenticated;
