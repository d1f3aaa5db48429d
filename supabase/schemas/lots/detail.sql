-- Lot detail: all data of one lot, in one response.
--
-- The row of the lot and its parts, its hours now and when they change, the caller's own data about it, its occupancy
-- and, on request, the hours and fee of one stay. Every part is read from its domain: hours (hours/evaluator.sql), fees
-- (fees/answers.sql, fees/api.sql), ratings and saved lots (community/ratings.sql), field values
-- (community/field_values.sql), occupancy (community/occupancy.sql), vehicle fit (vehicles/fit_and_walk.sql).
--
-- Invariants: a lot that is not public is not found; unknown values are null; planned_stay.fee equals the result of
-- calc-fee, and is_open_now equals derived.
-- Interface: api.get_parking_lot.

-- The row of a lot, and its source (provenance). main_image is a storage key.
create function private.lot_row_json(p_lot_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select to_jsonb(d)
    from (
      select l.id, l.name, l.name_kana, l.address, l.lat, l.lng, l.area, l.total_spaces, l.status, l.structure,
        l.max_height_m, l.max_width_m, l.max_length_m, l.max_weight_t, l.min_clearance_cm, l.max_tire_width_mm,
        l.max_parking_duration_min, l.entry_method, l.shape_type, l.entry_difficulty, l.operator_code, l.phone,
        l.website, l.time_zone, l.holiday_calendar, l.currency, l.source, l.avg_rating, l.review_count,
        coalesce(r.good_count, 0) as good_count, coalesce(r.bad_count, 0) as bad_count, l.hour_price, l.price_fixed_at_entry,
        l.main_image_key as main_image, l.created_at, l.updated_at,
        jsonb_build_object(
          'source', l.source, 'external_id', l.external_id, 'source_url', l.source_url, 'licence', l.licence,
          'attribution', l.attribution
        ) as provenance
      from public.parking_lots l
      left join public.parking_lot_rating_counts r on r.parking_lot_id = l.id
      where l.id = p_lot_id
    ) d
  );
end
$$;

-- operator, tags and images of a lot, with names in the language; storage_key is null for an image that may not be shown.
create function private.lot_parts_json(p_lot_id uuid, p_operator_code text, p_lang text) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'operator', (
      select jsonb_build_object(
        'id', o.id, 'name', case p_lang when 'en' then coalesce(o.name_en, o.name) else o.name end, 'slug', o.slug,
        'color', o.color
      )
      from public.operators o where o.id = p_operator_code
    ),
    'tags', (
      select coalesce(jsonb_agg(
        jsonb_build_object(
          'tag_id', lt.tag_id, 'state', lt.state, 'tag', jsonb_build_object(
            'id', t.id, 'name', case p_lang when 'en' then coalesce(t.name_en, t.name) else t.name end, 'color', t.color,
            'slug', t.slug, 'category', t.category, 'icon_name', t.icon_name
          )
        )
        order by t.sort_order, t.slug
      ), '[]')
      from public.parking_lot_tags lt join public.tags t on t.id = lt.tag_id where lt.parking_lot_id = p_lot_id
    ),
    -- An asset that may not be shown is not visible either: its image is listed without a key.
    'images', (
      select coalesce(jsonb_agg(
        jsonb_build_object(
          'id', i.id, 'parking_lot_id', i.parking_lot_id, 'asset_id', i.asset_id, 'is_main', i.is_main,
          'sort_order', i.sort_order, 'storage_key', a.storage_key
        )
        order by i.is_main desc, i.sort_order nulls last, i.id
      ), '[]')
      from public.parking_lot_images i
      left join public.assets a on a.id = i.asset_id and a.is_public and a.status = 'placed' and a.deleted_at is null
      where i.parking_lot_id = p_lot_id
    )
  );
end
$$;

-- spots, pricing_groups, pricing_rules and date_overrides of a lot. Groups and rules have the same order.
create function private.lot_places_json(p_lot_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_generic_plan -- planning costs more than running
as $$
begin
  return jsonb_build_object(
    'spots', (
      select coalesce(jsonb_agg(
        jsonb_build_object(
          'id', s.id, 'code', s.code, 'vehicle_type_max', s.vehicle_type_max, 'is_ev_charger', s.is_ev_charger,
          'ev_connector_type', s.ev_connector_type, 'accessibility', s.accessibility, 'is_reservable', s.is_reservable
        )
        order by s.code, s.id
      ), '[]')
      from public.parking_lot_spots s where s.parking_lot_id = p_lot_id
    ),
    'pricing_groups', (
      select coalesce(jsonb_agg(
        jsonb_build_object(
          'id', g.id, 'code', g.code, 'name', g.name, 'is_default', g.is_default, 'display_order', g.display_order,
          'vehicle_types', g.vehicle_types, 'free_while_closed', g.free_while_closed
        )
        order by g.is_default desc, g.display_order, g.id
      ), '[]')
      from public.pricing_groups g where g.parking_lot_id = p_lot_id
    ),
    'pricing_rules', private.pricing_rules_json(p_lot_id),
    'date_overrides', private.date_overrides_json(p_lot_id)
  );
end
$$;

-- is_open_now, derived and next_change_at of a lot: the answers now, and when they change next.
create function private.lot_now_json(p_lot_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_now record;
begin
  select n.* into v_now from private.next_changes(p_lot_id, now()) as n;
  return jsonb_build_object(
    'is_open_now', v_now.is_open,
    'derived', jsonb_build_object(
      'is_open_now', v_now.is_open, 'can_enter_now', v_now.can_enter, 'can_exit_now', v_now.can_exit
    ),
    'next_change_at', jsonb_build_object(
      'is_open_now', v_now.is_open_changes_at, 'can_enter_now', v_now.can_enter_changes_at,
      'can_exit_now', v_now.can_exit_changes_at
    )
  );
end
$$;

-- is_saved and my_rating (null for an anonymous user), availability (null when unknown) and fit (null without a vehicle).
create function private.lot_for_caller_json(p_lot_id uuid, p_vehicle private.vehicle) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select jsonb_build_object(
      'is_saved', m.is_saved, 'my_rating', m.my_rating,
      'availability', case when o.parking_lot_id is not null then to_jsonb(o) - 'parking_lot_id' end,
      'fit', case when not p_vehicle is null then private.vehicle_fit(p_vehicle, row(
        l.max_height_m, l.max_width_m, l.max_length_m, l.max_weight_t, l.min_clearance_cm, l.max_tire_width_mm
      )::private.vehicle) end
    )
    from public.parking_lots l
    left join private.my_ratings_and_saves(array[p_lot_id]) as m on true
    left join private.occupancy_of(array[p_lot_id]) as o on true
    where l.id = p_lot_id
  );
end
$$;

-- The hours and the fee of a stay at a lot; null without a stay. Errors: validation_error.
create function private.planned_stay_json(p_lot_id uuid, p_entry timestamptz, p_exit timestamptz, p_vehicle_type text)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_fee record;
begin
  if p_entry is null and p_exit is null then
    return null;
  end if;
  select f.answer, f.refusal into v_fee from private.explained_fee(p_lot_id, p_vehicle_type, p_entry, p_exit) as f;
  return (
    select to_jsonb(s) - 'parking_lot_id' || jsonb_build_object(
        'holiday_calendar_unknown', exists (
          select from private.lots_without_holidays(array[p_lot_id], p_vehicle_type, p_entry, p_exit)
        ),
        'vehicle_type', p_vehicle_type, 'fee', v_fee.answer, 'fee_refusal', v_fee.refusal
      )
    from private.planned_stays(array[p_lot_id], p_entry, p_exit) as s
  );
end
$$;

-- The parts of the detail of a lot that are returned only when p_include has them.
create function private.lot_included_json(
  p_lot_id uuid, p_include text[], p_entry timestamptz, p_vehicle_type text, p_lang text
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_included jsonb := '{}';
begin
  if 'field_value_ids' = any (p_include) then
    v_included := v_included || jsonb_build_object('field_value_ids', private.field_value_ids(p_lot_id));
  end if;
  if 'hours' = any (p_include) then
    v_included := v_included || jsonb_build_object('hours', private.hours_json(p_lot_id));
  end if;
  if 'field_provenance' = any (p_include) then
    v_included := v_included || jsonb_build_object('field_provenance', private.field_provenance(p_lot_id));
  end if;
  if 'occupancy_forecast' = any (p_include) then
    v_included := v_included || jsonb_build_object('occupancy_forecast', private.occupancy_forecast(p_lot_id));
  end if;
  if 'week' = any (p_include) then
    v_included := v_included || jsonb_build_object('week', private.week_json(p_lot_id, p_lang));
  end if;
  if 'fee_curve' = any (p_include) then
    v_included := v_included || jsonb_build_object(
      'fee_curve', private.fee_meter(p_lot_id, p_vehicle_type, coalesce(p_entry, now()), coalesce(p_entry, now())) -> 'curve'
    );
  end if;
  return v_included;
end
$$;

grant execute on function
  private.lot_row_json(uuid),
  private.lot_parts_json(uuid, text, text),
  private.lot_places_json(uuid),
  private.lot_now_json(uuid),
  private.lot_for_caller_json(uuid, private.vehicle),
  private.planned_stay_json(uuid, timestamptz, timestamptz, text),
  private.lot_included_json(uuid, text[], timestamptz, text, text)
to anon, authenticated;
