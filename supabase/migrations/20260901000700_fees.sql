-- Fees: what a stay costs.
--
-- pricing_rules are the rows of a lot's price list; pricing_groups divide them by vehicle type. The pricing of a date override
-- has the same rows, as JSON, under the same constraints: those of the domain private.pricing_rule.
--
-- Invariants: a row without a field that its category needs cannot be stored; the group of a rule belongs to the lot of the
-- rule; a lot has at most one default group. Money is in integer minor units of the lot's currency.
-- Interface: none of its own; the evaluator of fees reads these rows.

-- ---------------------------------------------------------------------------------------------------------------------
-- Types
-- ---------------------------------------------------------------------------------------------------------------------

create type private.pricing_terms as (
  category text,
  rule_order integer,
  time_start time,
  time_end time,
  day_type text,
  per_minutes integer,
  price_minor integer,
  cap_type text,
  cap_duration_hours numeric,
  cap_price_minor integer,
  cap_repeat boolean
);

-- The longest stay is 366 days: 527,040 minutes, 8,784 hours. Time is in microseconds: the window of a cap has at least one.
create domain private.pricing_rule as private.pricing_terms
  constraint category_is_known
    check (coalesce((value).category in ('time_band', 'flat', 'initial', 'grace', 'cap'), false))
  constraint day_type_is_known
    check ((value).day_type in ('weekday', 'saturday', 'sunday', 'holiday', 'holiday_eve', 'all'))
  constraint band_has_both_ends check (((value).time_start is null) = ((value).time_end is null))
  constraint band_starts_within_the_day check ((value).time_start < '24:00')
  constraint minutes_are_positive check ((value).per_minutes between 1 and 527040)
  constraint price_is_not_negative check ((value).price_minor >= 0)
  constraint metered_rule_has_minutes
    check ((value).category not in ('time_band', 'initial', 'grace') or (value).per_minutes is not null)
  constraint priced_rule_has_price
    check ((value).category not in ('time_band', 'initial', 'flat') or (value).price_minor is not null)
  constraint flat_rule_has_no_minutes check ((value).category <> 'flat' or (value).per_minutes is null)
  constraint grace_has_no_price check ((value).category <> 'grace' or coalesce((value).price_minor, 0) = 0)
  constraint cap_has_no_price_of_its_own
    check ((value).category <> 'cap' or ((value).per_minutes is null and coalesce((value).price_minor, 0) = 0))
  constraint cap_type_is_known check ((value).cap_type in ('duration', 'day', 'band', 'stay'))
  constraint cap_has_type_and_price check (((value).cap_type is null) = ((value).cap_price_minor is null))
  constraint cap_price_is_not_negative check ((value).cap_price_minor >= 0)
  constraint cap_row_has_cap check ((value).category <> 'cap' or (value).cap_type is not null)
  constraint initial_and_grace_have_no_cap
    check ((value).category not in ('initial', 'grace') or (value).cap_type is null)
  constraint duration_cap_has_hours
    check (((value).cap_type is not distinct from 'duration') = ((value).cap_duration_hours is not null))
  constraint cap_hours_are_positive
    check ((value).cap_duration_hours * 3600000000 >= 1 and (value).cap_duration_hours <= 8784)
  constraint band_cap_has_band check ((value).cap_type <> 'band' or (value).time_start is not null)
  constraint only_caps_repeat check ((value).cap_repeat is null or (value).cap_type is not null);

comment on type private.pricing_terms is 'The terms of a pricing rule, of a lot or of a date override.';
comment on domain private.pricing_rule is 'Terms that have what their category needs and nothing that contradicts it.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals that constraints use
-- ---------------------------------------------------------------------------------------------------------------------

create function private.is_override_pricing(p_pricing jsonb) returns boolean
language plpgsql immutable
set search_path = ''
as $$
declare
  v_rule jsonb;
begin
  if jsonb_typeof(p_pricing) <> 'array' then
    return false;
  end if;
  for v_rule in select jsonb_array_elements(p_pricing) loop
    -- id and parking_lot_id are keys of the specification's PricingRule; they are ignored here.
    if jsonb_typeof(v_rule) <> 'object' or v_rule - '{id,parking_lot_id,category,rule_order,time_start,time_end,day_type,
      per_minutes,price_minor,cap_type,cap_duration_hours,cap_price_minor,cap_repeat}'::text[] <> '{}' then
      return false;
    end if;
    -- The constraints of the domain raise check_violation with their names.
    perform jsonb_populate_record(null::private.pricing_terms, v_rule)::private.pricing_rule;
  end loop;
  return true;
end
$$;

comment on function private.is_override_pricing(jsonb) is
  'Whether this is an array of pricing rules. A rule that violates a constraint of private.pricing_rule raises check_violation.';

-- A constraint runs as the role that writes the row.
grant execute on function private.is_override_pricing(jsonb) to service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables
-- ---------------------------------------------------------------------------------------------------------------------

create table public.pricing_groups (
  id uuid primary key default gen_random_uuid(),
  parking_lot_id uuid not null references public.parking_lots (id) on delete cascade,
  code text not null check (char_length(code) between 1 and 50),
  name text not null check (char_length(name) between 1 and 100),
  is_default boolean not null default false,
  display_order integer not null default 0,
  vehicle_types text[] check (cardinality(vehicle_types) > 0 and array_position(vehicle_types, null) is null),
  constraint pricing_groups_code_key unique (parking_lot_id, code),
  -- The key that a rule refers to, so that a rule cannot refer to a group of another lot.
  constraint pricing_groups_of_lot_key unique (id, parking_lot_id)
);

comment on table public.pricing_groups is 'Price lists of one lot for different vehicles.';
comment on column public.pricing_groups.vehicle_types is 'Codes of the category vehicle_type. Null: all of them.';

-- At most one default group per lot.
create unique index pricing_groups_one_default on public.pricing_groups (parking_lot_id) where is_default;

create table public.pricing_rules (
  id uuid primary key default gen_random_uuid(),
  parking_lot_id uuid not null references public.parking_lots (id) on delete cascade,
  pricing_group_id uuid,
  category text not null,
  rule_order integer not null default 0,
  time_start time,
  time_end time,
  day_type text,
  per_minutes integer,
  price_minor integer,
  cap_type text,
  cap_duration_hours numeric,
  cap_price_minor integer,
  cap_repeat boolean,
  constraint pricing_rules_group_is_of_lot foreign key (pricing_group_id, parking_lot_id)
    references public.pricing_groups (id, parking_lot_id) on delete cascade,
  -- The cast raises check_violation with the name of the violated constraint.
  constraint pricing_rules_is_a_rule check (
    (
      row (
        category, rule_order, time_start, time_end, day_type, per_minutes, price_minor, cap_type, cap_duration_hours,
        cap_price_minor, cap_repeat
      )::private.pricing_rule
    ) is distinct from null
  )
);

comment on table public.pricing_rules is 'Rows of the price list of a lot, read by the evaluator of fees.';
comment on column public.pricing_rules.pricing_group_id is 'Null: the default group.';
comment on column public.pricing_rules.category is
  'time_band: metered; flat: one price to the end of its band or stay; initial: price of the first minutes; grace: free if not longer; cap: maximum price.';
comment on column public.pricing_rules.rule_order is 'Smaller first.';
comment on column public.pricing_rules.time_end is 'When not after time_start: on the next day. 24:00 is the end of the day.';
comment on column public.pricing_rules.day_type is 'Null means all.';
comment on column public.pricing_rules.price_minor is 'In minor units of the currency of the lot; zero is a price.';
comment on column public.pricing_rules.cap_type is
  'The period that cap_price_minor bounds: duration (hours from entry), day (calendar day), band (each of the rule''s bands), stay.';
comment on column public.pricing_rules.cap_repeat is 'True: every window of the series; false or null: only the first.';

-- The evaluator reads the rules of a lot in their order.
create index pricing_rules_lot_idx on public.pricing_rules (parking_lot_id, rule_order);
-- Deleting a group finds its rules.
create index pricing_rules_group_idx on public.pricing_rules (pricing_group_id, parking_lot_id)
  where pricing_group_id is not null;

-- The pricing of a date override has the same rules.
alter table public.parking_lot_date_overrides
  add constraint parking_lot_date_overrides_pricing_is_rules check (private.is_override_pricing(pricing));

-- ---------------------------------------------------------------------------------------------------------------------
-- Row security
-- ---------------------------------------------------------------------------------------------------------------------
-- No insert, update or delete for clients: importers, accepted corrections and administrators write prices.

alter table public.pricing_groups enable row level security;
alter table public.pricing_rules enable row level security;

-- Row security of parking_lots applies inside these: rows of a lot that the caller cannot see are hidden.
create policy "Everyone reads the pricing groups of active lots" on public.pricing_groups
  for select to anon, authenticated
  using ((select true from public.parking_lots l where l.id = parking_lot_id));
create policy "Everyone reads the pricing rules of active lots" on public.pricing_rules
  for select to anon, authenticated
  using ((select true from public.parking_lots l where l.id = parking_lot_id));

grant select (id, parking_lot_id, code, name, is_default, display_order, vehicle_types)
  on public.pricing_groups to anon, authenticated;
grant select (
  id, parking_lot_id, pricing_group_id, category, rule_order, time_start, time_end, day_type, per_minutes, price_minor,
  cap_type, cap_duration_hours, cap_price_minor, cap_repeat
) on public.pricing_rules to anon, authenticated;
