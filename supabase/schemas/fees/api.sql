-- The interface of fees: what a stay costs.
--
-- Clients and the service call these functions. The rules are in answers.sql, stays.sql, tariffs.sql and walk.sql.

-- ---------------------------------------------------------------------------------------------------------------------
-- Fees
-- ---------------------------------------------------------------------------------------------------------------------

-- Fee interface: prices of stays and pricing rules for clients, and the display names of their codes.
--
-- Invariants: an unknown fee is an error with its reason, never an estimate.
-- Interface: api.calculate_fee, api.list_pricing_rules.

-- The pricing rules of a lot after the sort keys p_after, at most p_limit (null: all), with the sort keys of each. Those
-- of the default group come first, then group by group, in rule_order.
create function private.pricing_rules_after(p_lot_id uuid, p_after jsonb, p_limit integer)
returns table (item jsonb, keys jsonb)
language plpgsql stable
set search_path = ''
as $$
begin
  return query
  select jsonb_build_object(
      'id', r.id, 'parking_lot_id', r.parking_lot_id, 'pricing_group_id', r.pricing_group_id, 'category', r.category,
      'rule_order', r.rule_order, 'time_start', private.clock_text(r.time_start), 'time_end', private.clock_text(r.time_end),
      'day_type', r.day_type, 'per_minutes', r.per_minutes, 'price_minor', r.price_minor, 'cap_type', r.cap_type,
      'cap_duration_hours', r.cap_duration_hours, 'cap_price_minor', r.cap_price_minor, 'cap_repeat', r.cap_repeat,
      'effective_from', r.effective_from, 'effective_to', r.effective_to, 'max_units', r.max_units
    ),
    jsonb_build_array(k.group_place, k.display_order, k.group_id, r.rule_order, r.id)
  from public.pricing_rules r
  left join public.pricing_groups g on g.id = r.pricing_group_id and not g.is_default
  cross join lateral (
    select (g.id is not null)::integer as group_place, coalesce(g.display_order, 0) as display_order,
      coalesce(g.id, '00000000-0000-0000-0000-000000000000') as group_id
  ) k
  where r.parking_lot_id = p_lot_id and (
    p_after is null or (k.group_place, k.display_order, k.group_id, r.rule_order, r.id) > (
      (p_after ->> 0)::integer, (p_after ->> 1)::integer, (p_after ->> 2)::uuid, (p_after ->> 3)::integer, (p_after ->> 4)::uuid
    )
  )
  order by k.group_place, k.display_order, k.group_id, r.rule_order, r.id
  limit p_limit;
end
$$;

-- All pricing rules of a lot, an array. Those of the default group come first, then group by group, in rule_order.
create function private.pricing_rules_json(p_lot_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(r.item order by r.place), '[]')
    from private.pricing_rules_after(p_lot_id, null, null) with ordinality as r (item, keys, place)
  );
end
$$;

-- Rejects a text that is not a code of the category vehicle_type. Errors: validation_error, with the param vehicle_type.
create function private.check_vehicle_type(p_vehicle_type text) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if not exists (select from public.codes c where c.category_id = 'vehicle_type' and c.code = p_vehicle_type) then
    perform private.raise_error('validation_error', 422, 'vehicle_type must be a code of the category vehicle_type.', 'vehicle_type');
  end if;
end
$$;

grant execute on function
  private.pricing_rules_after(uuid, jsonb, integer), private.pricing_rules_json(uuid), private.check_vehicle_type(text)
to anon, authenticated;

create function api.calculate_fee(
  p_parking_lot_id uuid, p_entry_at timestamptz, p_exit_at timestamptz, p_vehicle_type text default 'standard'
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_fee record;
begin
  perform private.optional_user();
  perform private.require_public_lot(p_parking_lot_id);
  perform private.check_vehicle_type(p_vehicle_type);
  select f.answer, f.refusal into v_fee
  from private.explained_fee(p_parking_lot_id, p_vehicle_type, p_entry_at, p_exit_at) f;
  if v_fee.refusal is not null then
    perform private.raise_error('fee_unknown', 422, 'The fee for this stay is not known. See details.reason.', p_details => v_fee.refusal - 'code');
  end if;
  return v_fee.answer;
end
$$;

comment on function api.calculate_fee(uuid, timestamptz, timestamptz, text) is
  'The fee of a stay: {total_amount, currency, breakdown, surprises} in minor units. details of fee_unknown: reason (no_rules, no_rate, only_totals, vehicle_type_not_priced); with no_rate from and until; with only_totals at_least, currency and, if known, at_most. Reads only. Errors: validation_error, forbidden, lot_not_found, fee_unknown.';

grant execute on function api.calculate_fee(uuid, timestamptz, timestamptz, text) to anon, authenticated;

create function api.list_pricing_rules(
  p_parking_lot_id uuid, p_limit integer default 20, p_cursor text default null, p_include text[] default '{}'
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters jsonb := jsonb_build_object('list', 'pricing_rules', 'parking_lot_id', p_parking_lot_id);
  v_after jsonb := private.cursor_decode(v_filters, p_cursor, '{integer,integer,uuid,integer,uuid}');
  v_items jsonb[];
  v_keys jsonb[];
begin
  perform private.optional_user();
  perform private.page_limit(p_limit);
  perform private.require_public_lot(p_parking_lot_id);
  select array_agg(r.item order by r.place), array_agg(r.keys order by r.place) into v_items, v_keys
  from private.pricing_rules_after(p_parking_lot_id, v_after, p_limit + 1) with ordinality as r (item, keys, place);
  return jsonb_build_object(
    'items', coalesce(to_jsonb(v_items[:p_limit]), '[]'),
    'next_cursor', case when cardinality(v_items) > p_limit then private.cursor_encode(v_filters, v_keys[p_limit]) end
  ) || case when 'total' = any (p_include) then jsonb_build_object('total', (
      select count(*) from public.pricing_rules r where r.parking_lot_id = p_parking_lot_id
    )) else '{}' end;
end
$$;

comment on function api.list_pricing_rules(uuid, integer, text, text[]) is
  'The pricing rules of a lot: {items, next_cursor}, and total when p_include has it. Those of the default group come first, then group by group, in rule_order. Reads only. Errors: forbidden, validation_error, lot_not_found.';

grant execute on function api.list_pricing_rules(uuid, integer, text, text[]) to anon, authenticated;
