-- Tables of fees: what a stay costs.
--
-- Each table has its comments, indexes, row security, policies and grants below it. The rules are in answers.sql,
-- stays.sql, tariffs.sql and walk.sql.

-- ---------------------------------------------------------------------------------------------------------------------
-- Price lists
-- ---------------------------------------------------------------------------------------------------------------------

-- Fees: what a stay costs.
--
-- pricing_rules are the rows of a lot's price list; pricing_groups divide them by vehicle type. The pricing of a date override
-- has the same rows, as JSON, under the same constraints: those of the domain private.pricing_rule.
--
-- Invariants: a row without a field that its category needs cannot be stored; the group of a rule belongs to the lot of the
-- rule; a lot has at most one default group. Money is in integer minor units of the lot's currency.
-- Interface: none of its own; the evaluator of fees reads these rows.

create table public.pricing_groups (
  id uuid primary key default gen_random_uuid(),
  parking_lot_id uuid not null references public.parking_lots (id) on delete cascade,
  code text not null check (char_length(code) between 1 and 50),
  name text not null check (char_length(name) between 1 and 100),
  is_default boolean not null default false,
  display_order integer not null default 0,
  vehicle_types text[] check (cardinality(vehicle_types) > 0 and array_position(vehicle_types, null) is null),
  free_while_closed boolean not null default false,
  constraint pricing_groups_code_key unique (parking_lot_id, code),
  -- The key that a rule refers to, so that a rule cannot refer to a group of another lot.
  constraint pricing_groups_of_lot_key unique (id, parking_lot_id)
);

comment on constraint pricing_groups_vehicle_types_check on public.pricing_groups is
  'vehicle_types must have one or more codes of the category vehicle_type.';
comment on table public.pricing_groups is 'Price lists of one lot for different vehicles.';
comment on column public.pricing_groups.vehicle_types is 'Codes of the category vehicle_type. Null: all of them.';
comment on column public.pricing_groups.free_while_closed is 'No unit of the price begins while the lot is closed by its business hours.';

-- At most one default group per lot.
create unique index pricing_groups_one_default on public.pricing_groups (parking_lot_id) where is_default;
-- The evaluator looks up the few lots whose closed hours it must know.
create index pricing_groups_free_while_closed_idx on public.pricing_groups (parking_lot_id) where free_while_closed;

-- No insert, update or delete for clients: importers, accepted corrections and administrators write prices.

alter table public.pricing_groups enable row level security;

-- Row security of parking_lots applies inside these: rows of a lot that the caller cannot see are hidden.
create policy "Everyone reads the pricing groups of active lots" on public.pricing_groups
  for select to anon, authenticated
  using ((select true from public.parking_lots l where l.id = parking_lot_id));

grant select (id, parking_lot_id, code, name, is_default, display_order, vehicle_types, free_while_closed)
  on public.pricing_groups to anon, authenticated;

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
  effective_from date,
  effective_to date,
  max_units integer,
  constraint pricing_rules_group_is_of_lot foreign key (pricing_group_id, parking_lot_id)
    references public.pricing_groups (id, parking_lot_id) on delete cascade,
  -- The cast raises check_violation with the name of the violated constraint.
  constraint pricing_rules_is_a_rule check (
    (
      row (
        category, rule_order, time_start, time_end, day_type, per_minutes, price_minor, cap_type, cap_duration_hours,
        cap_price_minor, cap_repeat, max_units
      )::private.pricing_rule
    ) is distinct from null
  ),
  constraint pricing_rules_effective_in_order check (effective_from <= effective_to),
  -- Dates that clients can read; no end is null, not infinity.
  constraint pricing_rules_effective_from_is_a_date check (effective_from between '0001-01-01' and '9999-12-31'),
  constraint pricing_rules_effective_to_is_a_date check (effective_to between '0001-01-01' and '9999-12-31')
);

-- What each constraint requires, for the errors of requests (foundation/fields.sql).
comment on constraint pricing_rules_effective_in_order on public.pricing_rules is 'effective_to must not be before effective_from.';
comment on constraint pricing_rules_effective_from_is_a_date on public.pricing_rules is
  'effective_from must be in the years 1 to 9999.';
comment on constraint pricing_rules_effective_to_is_a_date on public.pricing_rules is
  'effective_to must be in the years 1 to 9999.';

comment on table public.pricing_rules is 'Rows of the price list of a lot, read by the evaluator of fees.';
comment on column public.pricing_rules.pricing_group_id is 'Null: the default group.';
comment on column public.pricing_rules.category is
  'time_band: metered; flat: one price to the end of its band or stay; initial: price of the first minutes; grace: free if not longer; cap: maximum price; published_total: price of a stay of per_minutes.';
comment on column public.pricing_rules.rule_order is 'Smaller first.';
comment on column public.pricing_rules.time_end is 'When not after time_start: on the next day. 24:00 is the end of the day.';
comment on column public.pricing_rules.day_type is 'Null means all.';
comment on column public.pricing_rules.price_minor is 'In minor units of the currency of the lot; zero is a price.';
comment on column public.pricing_rules.cap_type is
  'The period that cap_price_minor bounds: duration (hours from entry), day (calendar day), band (each of the rule''s bands), stay.';
comment on column public.pricing_rules.cap_repeat is 'True: every window of the series; false or null: only the first.';
comment on column public.pricing_rules.effective_from is 'The first date of the rule, in the time zone of the lot. Null: no first.';
comment on column public.pricing_rules.effective_to is 'Inclusive, like effective_from. Null: no end.';
comment on column public.pricing_rules.max_units is
  'How many units of a time_band begin in one occurrence of its band, before the next rate applies. Null: any number.';

-- The evaluator reads the rules of a lot in their order.
create index pricing_rules_lot_idx on public.pricing_rules (parking_lot_id, rule_order);
-- Deleting a group finds its rules.
create index pricing_rules_group_idx on public.pricing_rules (pricing_group_id, parking_lot_id)
  where pricing_group_id is not null;

alter table public.pricing_rules enable row level security;
create policy "Everyone reads the pricing rules of active lots" on public.pricing_rules
  for select to anon, authenticated
  using ((select true from public.parking_lots l where l.id = parking_lot_id));

grant select (
  id, parking_lot_id, pricing_group_id, category, rule_order, time_start, time_end, day_type, per_minutes, price_minor,
  cap_type, cap_duration_hours, cap_price_minor, cap_repeat, effective_from, effective_to, max_units
) on public.pricing_rules to anon, authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Tariffs
-- ---------------------------------------------------------------------------------------------------------------------

create table private.tariffs (
  parking_lot_id uuid not null references public.parking_lots (id) on delete cascade,
  place integer not null,
  is_default boolean not null,
  vehicle_types text[],
  longest_grace bigint not null default 0,
  initial_time bigint not null default 0,
  least_rate double precision,
  least_price bigint,
  least_pace double precision not null default 0,
  tariff private.tariff,
  changes_on date,
  compiled_at timestamptz not null default now(),
  primary key (parking_lot_id, place)
);

-- The job that follows the calendar reads the lots whose prices change next.
create index tariffs_changes_idx on private.tariffs (changes_on) where changes_on is not null;

comment on table private.tariffs is 'The compiled price lists of lots. Triggers on pricing_rules and pricing_groups maintain them.';
comment on column private.tariffs.place is 'The position of the group in the lot, by display_order and id.';
comment on column private.tariffs.is_default is 'The rules of the default group and those without a group.';
comment on column private.tariffs.vehicle_types is 'The vehicle types of the group; null: all of them.';
comment on column private.tariffs.longest_grace is 'The longest grace period, in microseconds. This and the next four columns bound a fee from below: private.lots_within_amount.';
comment on column private.tariffs.initial_time is 'The length of all initial rows together, in microseconds.';
comment on column private.tariffs.least_rate is 'The lowest price per microsecond of any metered rate; null: no rate is metered.';
comment on column private.tariffs.least_price is 'The lowest price of a flat rate or a cap; null: there is neither.';
comment on column private.tariffs.changes_on is
  'The next date on which other rules are in effect than when the hour price was calculated; null: none.';
comment on column private.tariffs.least_pace is
  'The lowest average price per microsecond of a stay after its initial rows, caps included; 0: unknown.';
comment on column private.tariffs.compiled_at is
  'When the list was compiled, which is when rules or groups of the lot were written. A session that began earlier has the note prices_changed.';
