-- Fee interface: what clients ask about prices, and the words for what they are told.
--
-- Invariants: a fee that is not known is refused by name, never guessed.
-- Interface: api.calculate_fee, api.list_pricing_rules.

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals
-- ---------------------------------------------------------------------------------------------------------------------

create function private.clock_text(p_time time) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return case when extract(second from p_time) = 0 then left(p_time::text, 5) else p_time::text end;
end
$$;

comment on function private.clock_text(time) is 'A time of day as rules are written: HH:MM, with seconds when there are any.';

create function private.pricing_rules_json(p_lot_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', r.id, 'parking_lot_id', r.parking_lot_id, 'pricing_group_id', r.pricing_group_id, 'category', r.category,
      'rule_order', r.rule_order, 'time_start', private.clock_text(r.time_start), 'time_end', private.clock_text(r.time_end),
      'day_type', r.day_type, 'per_minutes', r.per_minutes, 'price_minor', r.price_minor, 'cap_type', r.cap_type,
      'cap_duration_hours', r.cap_duration_hours, 'cap_price_minor', r.cap_price_minor, 'cap_repeat', r.cap_repeat
    ) order by g.display_order nulls first, g.id nulls first, r.rule_order, r.id), '[]')
    from public.pricing_rules r
    left join public.pricing_groups g on g.id = r.pricing_group_id and not g.is_default
    where r.parking_lot_id = p_lot_id
  );
end
$$;

comment on function private.pricing_rules_json(uuid) is
  'All pricing rules of a lot, an array: those of the default group first, then group by group, in rule_order.';

create function private.check_vehicle_type(p_vehicle_type text) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if not exists (select from public.codes c where c.category_id = 'vehicle_type' and c.code = p_vehicle_type) then
    perform private.refuse('validation_error', 422, 'There is no such vehicle type.', 'vehicle_type');
  end if;
end
$$;

comment on function private.check_vehicle_type(text) is
  'Refuses what is no code of category vehicle_type: validation_error, param vehicle_type.';

grant execute on function
  private.clock_text(time), private.pricing_rules_json(uuid), private.check_vehicle_type(text)
to anon, authenticated, service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface
-- ---------------------------------------------------------------------------------------------------------------------

create function api.calculate_fee(
  p_parking_lot_id uuid, p_entry_at timestamptz, p_exit_at timestamptz, p_vehicle_type text default 'standard'
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_fee record;
begin
  perform private.visitor_or_user();
  perform private.require_public_lot(p_parking_lot_id);
  perform private.check_vehicle_type(p_vehicle_type);
  select f.answer, f.refusal into v_fee
  from private.explained_fee(p_parking_lot_id, p_vehicle_type, p_entry_at, p_exit_at) f;
  if v_fee.refusal is not null then
    perform private.refuse('fee_unknown', 422, 'What this stay costs is not known.', p_details => v_fee.refusal - 'code');
  end if;
  return v_fee.answer;
end
$$;

comment on function api.calculate_fee(uuid, timestamptz, timestamptz, text) is
  'What a stay costs: {total_amount, currency, breakdown} in minor units. The details of fee_unknown are reason (no_rules, no_rate, vehicle_type_not_priced) and, with no_rate, from and until. Reads only. Refuses: validation_error, forbidden, lot_not_found, fee_unknown.';

grant execute on function api.calculate_fee(uuid, timestamptz, timestamptz, text) to anon, authenticated;

create function api.list_pricing_rules(p_parking_lot_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.visitor_or_user();
  perform private.require_public_lot(p_parking_lot_id);
  return jsonb_build_object('items', private.pricing_rules_json(p_parking_lot_id), 'next_cursor', null);
end
$$;

comment on function api.list_pricing_rules(uuid) is
  'All pricing rules of a lot: {items, next_cursor: null}; those of the default group first, then group by group, in rule_order. Reads only. Refuses: forbidden, lot_not_found.';

grant execute on function api.list_pricing_rules(uuid) to anon, authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Reference data
-- ---------------------------------------------------------------------------------------------------------------------

insert into public.code_categories (id, description) values
  ('fee_rule_reason', 'Why a rule had no part in a fee: breakdown.not_applied');

insert into public.codes (category_id, code, lang, display_label, sort_order)
select 'fee_rule_reason', c.code, label.lang, label.display_label, c.sort_order
from (values
  ('day_type', 10, '曜日・祝日が該当しません', 'For other days'),
  ('time', 20, '時間帯が該当しません', 'For other hours'),
  ('order', 30, 'ほかの料金が優先されました', 'Another rule went before it'),
  ('not_reached', 40, '適用されるところまで達しませんでした', 'The stay did not get that far'),
  ('window', 50, 'この最大料金の対象となる期間がありませんでした', 'No window of this maximum fee was its own'),
  ('within_grace', 60, '無料時間内の出庫です', 'The stay ended within a grace period'),
  ('exceeded', 70, '無料時間を超えました', 'The stay is longer than the grace period'),
  ('override', 80, 'この日は特別料金です', 'The date has prices of its own'),
  ('group', 90, 'ほかの車種の料金です', 'For other vehicles')
) as c (code, sort_order, ja, en)
cross join lateral (values ('ja', c.ja), ('en', c.en)) as label (lang, display_label);
