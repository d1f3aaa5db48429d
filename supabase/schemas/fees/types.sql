-- Types of fees: what a stay costs.
-- Functions are here if a constraint, an index or a policy of a table calls them.

-- ---------------------------------------------------------------------------------------------------------------------
-- Price lists
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
  cap_repeat boolean,
  max_units integer
);

-- The longest stay is 366 days: 527,040 minutes, 8,784 hours. Time is in microseconds: the window of a cap has at least one.
create domain private.pricing_rule as private.pricing_terms
  constraint category_is_known
    check (coalesce((value).category in ('time_band', 'flat', 'initial', 'grace', 'cap', 'published_total'), false))
  constraint day_type_is_known
    check ((value).day_type in ('weekday', 'saturday', 'sunday', 'holiday', 'holiday_eve', 'all'))
  constraint band_has_both_ends check (((value).time_start is null) = ((value).time_end is null))
  constraint band_starts_within_the_day check ((value).time_start < '24:00')
  constraint minutes_are_positive check ((value).per_minutes between 1 and 527040)
  constraint price_is_not_negative check ((value).price_minor >= 0)
  constraint metered_rule_has_minutes
    check ((value).category not in ('time_band', 'initial', 'grace', 'published_total') or (value).per_minutes is not null)
  constraint priced_rule_has_price
    check ((value).category not in ('time_band', 'initial', 'flat', 'published_total') or (value).price_minor is not null)
  constraint flat_rule_has_no_minutes check ((value).category <> 'flat' or (value).per_minutes is null)
  constraint grace_has_no_price check ((value).category <> 'grace' or coalesce((value).price_minor, 0) = 0)
  constraint cap_has_no_minutes check ((value).category <> 'cap' or (value).per_minutes is null)
  constraint cap_has_no_price_of_its_own check ((value).category <> 'cap' or coalesce((value).price_minor, 0) = 0)
  constraint cap_type_is_known check ((value).cap_type in ('duration', 'day', 'band', 'stay'))
  constraint cap_has_type_and_price check (((value).cap_type is null) = ((value).cap_price_minor is null))
  constraint cap_price_is_not_negative check ((value).cap_price_minor >= 0)
  constraint cap_row_has_cap check ((value).category <> 'cap' or (value).cap_type is not null)
  constraint initial_and_grace_have_no_cap
    check ((value).category not in ('initial', 'grace', 'published_total') or (value).cap_type is null)
  constraint duration_cap_has_hours check ((value).cap_type <> 'duration' or (value).cap_duration_hours is not null)
  constraint only_duration_caps_have_hours
    check ((value).cap_duration_hours is null or (value).cap_type is not distinct from 'duration')
  constraint cap_hours_are_positive
    check ((value).cap_duration_hours * 3600000000 >= 1 and (value).cap_duration_hours <= 8784)
  constraint band_cap_has_band check ((value).cap_type <> 'band' or (value).time_start is not null)
  constraint only_caps_repeat check ((value).cap_repeat is null or (value).cap_type is not null)
  constraint max_units_are_few check ((value).max_units between 1 and 1000)
  constraint only_rates_of_bands_have_max_units
    check ((value).max_units is null or ((value).category = 'time_band' and (value).time_start is not null));

comment on type private.pricing_terms is 'The terms of a pricing rule, of a lot or of a date override.';
comment on domain private.pricing_rule is 'Terms that have what their category needs and nothing that contradicts it.';

-- What each constraint requires, for the errors of requests (foundation/fields.sql).
comment on constraint band_has_both_ends on domain private.pricing_rule is 'Give time_start and time_end together.';
comment on constraint band_starts_within_the_day on domain private.pricing_rule is 'time_start must be before 24:00.';
comment on constraint metered_rule_has_minutes on domain private.pricing_rule is
  'per_minutes is required for the categories time_band, initial, grace and published_total.';
comment on constraint priced_rule_has_price on domain private.pricing_rule is
  'price_minor is required for the categories time_band, initial, flat and published_total.';
comment on constraint flat_rule_has_no_minutes on domain private.pricing_rule is 'per_minutes must be null for the category flat.';
comment on constraint grace_has_no_price on domain private.pricing_rule is 'price_minor must be null for the category grace.';
comment on constraint cap_has_no_minutes on domain private.pricing_rule is 'per_minutes must be null for the category cap.';
comment on constraint cap_has_no_price_of_its_own on domain private.pricing_rule is
  'price_minor must be null for the category cap, which has cap_price_minor.';
comment on constraint cap_has_type_and_price on domain private.pricing_rule is 'Give cap_type and cap_price_minor together.';
comment on constraint cap_row_has_cap on domain private.pricing_rule is 'cap_type is required for the category cap.';
comment on constraint initial_and_grace_have_no_cap on domain private.pricing_rule is
  'cap_type must be null for the categories initial, grace and published_total.';
comment on constraint duration_cap_has_hours on domain private.pricing_rule is 'cap_duration_hours is required for the cap_type duration.';
comment on constraint only_duration_caps_have_hours on domain private.pricing_rule is
  'cap_duration_hours must be null unless cap_type is duration.';
comment on constraint cap_hours_are_positive on domain private.pricing_rule is
  'cap_duration_hours must be at least a microsecond and at most 8784.';
comment on constraint band_cap_has_band on domain private.pricing_rule is 'time_start is required for the cap_type band.';
comment on constraint only_caps_repeat on domain private.pricing_rule is 'cap_repeat must be null without a cap_type.';
comment on constraint only_rates_of_bands_have_max_units on domain private.pricing_rule is
  'max_units must be null unless the category is time_band and the rule has time_start and time_end.';

-- Whether this is an array of pricing rules, without published totals that fall with time. A rule that violates a constraint
-- of private.pricing_rule raises check_violation.
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
      per_minutes,price_minor,cap_type,cap_duration_hours,cap_price_minor,cap_repeat,max_units}'::text[] <> '{}' then
      return false;
    end if;
    -- The constraints of the domain raise check_violation with their names.
    perform jsonb_populate_record(null::private.pricing_terms, v_rule)::private.pricing_rule;
  end loop;
  -- A longer stay does not cost less.
  return not exists (
    select from (
      select t.price_minor, max(t.price_minor) over (
          partition by coalesce(t.day_type, 'all'), t.time_start, t.time_end order by t.per_minutes
        ) as most
      from jsonb_populate_recordset(null::private.pricing_terms, p_pricing) as t
      where t.category = 'published_total'
    ) s
    where s.price_minor < s.most
  );
end
$$;

-- A constraint runs as the role that writes the row.

-- ---------------------------------------------------------------------------------------------------------------------
-- Tariffs
-- ---------------------------------------------------------------------------------------------------------------------

create type private.tariff as (
  -- one element per rule; times are in microseconds
  rule_ids uuid[], -- null: a row of a date override
  families text[], -- rate (time_band, flat), initial, grace, cap, published_total
  sets date[], -- the date of the override that has this row; null: the lot's own rule
  day_bits integer[], -- private.day_bit
  starts bigint[], -- of the band, since midnight; null: no band
  ends bigint[],
  units bigint[], -- length of a unit; null: flat
  prices bigint[],
  cap_types text[],
  cap_spans bigint[],
  cap_prices bigint[],
  cap_repeats boolean[],
  has_entry_rows boolean, -- any grace, initial or published_total row
  -- one element per series of caps
  series integer[], -- its first rule
  series_rates integer[], -- the rate that has this cap of its own; 0: caps of the lot
  series_plain boolean[], -- one row for every day and hour, so that only cap_repeat matters
  -- one element per plan: the rates of a kind of day
  plan_sets date[],
  plan_bits integer[], -- the day types that the set's rates name
  plan_masks integer[], -- those of them that the kind of day has
  plan_firsts integer[], -- the first edge of the plan; one more element than plans
  edges bigint[], -- with max_units: each start and end of a band
  edge_rules integer[], -- the rate in force from this edge; 0: none
  -- one element per rule; null arrays: no rule has dates
  from_dates date[], -- its first date; null: no first
  to_dates date[], -- its last date; null: no last
  -- one element per plan; null arrays: no rule has dates
  plan_from date[],
  plan_to date[],
  -- of the group
  free_while_closed boolean, -- true or null
  -- of one stay; null: nothing is free because the lot is closed
  closed_from bigint[], -- when the lot is closed, in order
  closed_to bigint[],
  -- null arrays: no rule has max_units
  max_units integer[], -- one element per rule: how many units begin in one occurrence of the band; null: any number
  next_firsts integer[], -- one element per edge, and one more: the first of its next_rates
  next_rates integer[] -- the rates that follow edge_rules in turn, where the max_units of the one before are used up
);

comment on type private.tariff is 'A price list as arrays, compiled from rules. The migration describes each element.';

-- ---------------------------------------------------------------------------------------------------------------------
-- The walk
-- ---------------------------------------------------------------------------------------------------------------------

create type private.fee_segment as (
  line integer, -- consecutive segments of one row have the same line
  kind text, -- grace, initial, rate, flat, published_total
  rule integer, -- its position in the tariff
  starts bigint,
  units bigint,
  unit_length bigint,
  unit_price bigint,
  net bigint, -- its price after caps
  room bigint -- the remainder of the caps when it began; null: no cap
);

create type private.fee_window as (
  rule integer,
  starts bigint,
  ends bigint,
  room bigint, -- the remainder of the cap
  saved bigint, -- the reduction by this cap and no tighter one
  reached bigint -- the start of the unit that filled it; null: it was not filled
);

create type private.fee_walk as (
  total bigint,
  refusal text, -- no_rules, no_rate or only_totals; then the total is null
  refused_from bigint,
  known_from bigint, -- when the next rate is known, at most a fortnight later
  segments private.fee_segment[], -- in order of time; with a refusal, those before refused_from
  windows private.fee_window[], -- windows of caps in which a unit began; null with a refusal
  at_least bigint, -- with only_totals: the fee is not lower
  at_most bigint -- with only_totals: the fee is not higher; null: not known
);

comment on type private.fee_segment is 'Consecutive units of one row that are bounded by the same caps.';
comment on type private.fee_window is 'A window of a cap in which a unit began.';
comment on type private.fee_walk is 'The fee of a stay; segments and windows are set when p_detail is true.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Answers
-- ---------------------------------------------------------------------------------------------------------------------

create type private.stay_days as (
  is_entry boolean,
  override_date date,
  bits integer, -- private.date_bits
  from_us bigint, -- from when to when by the wall clock
  to_us bigint,
  day date -- the first of these days; the same rules are in effect on all of them
);

comment on type private.stay_days is
  'Calendar days of a stay: the first, the last, each overridden day, and one entry for all other days between them that have the same day types and rules.';

create type private.stay_bill as (
  parking_lot_id uuid,
  amount bigint, -- the fee; null: not known
  currency text,
  time_zone text,
  longest interval, -- the longest stay that the lot allows; null: any
  holidays date[],
  overridden date[],
  tariff private.tariff,
  is_special boolean -- the tariff is of a group for the vehicle type that is not the default one
);

comment on type private.stay_bill is 'The fee of a stay at a lot, with the tariff that it is from.';

create type private.fee_surprise as (
  kind text, -- a code of fee_surprise
  at timestamptz, -- from when it costs more
  amount bigint,
  leave_by timestamptz, -- an exit by then saves this much; null: it does not help
  saves bigint
);

comment on type private.fee_surprise is 'Where a bill is higher than a reader of the sign expects.';

create type private.surprising_bill as (
  total bigint,
  currency text,
  time_zone text,
  found private.fee_surprise[]
);

comment on type private.surprising_bill is 'The fee of a stay with its surprises.';
