-- Steps within a band: max_units.
-- Step 2 of 2: the existing rules are checked. Readers and writers do not wait.

alter table public.pricing_rules validate constraint pricing_rules_is_a_rule;
