-- The interface of lots: parking lots with their operators, tags, images and spots; import and engagement.
--
-- Clients and the service call these functions. The rules are in detail.sql, engagement.sql, import_stage.sql, lots.sql
-- and recent_counts.sql.

-- ---------------------------------------------------------------------------------------------------------------------
-- Tags
-- ---------------------------------------------------------------------------------------------------------------------

-- Tags, as clients read them: the master of the features of lots, for filters and labels.
--
-- Invariants: every active tag is in the list, even if no lot has it.
-- Interface: api.list_tags.

create function api.list_tags(
  p_lang text default 'ja', p_limit integer default 20, p_cursor text default null, p_include text[] default '{}'
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters jsonb := jsonb_build_object('list', 'tags', 'lang', private.require_lang(p_lang));
  v_after jsonb := private.page_start(v_filters, p_cursor, '{integer,text}', 'asc');
begin
  perform private.page_limit(p_limit);
  return private.page(v_filters, (
    select jsonb_agg(jsonb_build_object(
      'id', t.id, 'name', private.in_lang(p_lang, t.name, t.name_en), 'slug', t.slug, 'color', t.color,
      'category', t.category, 'icon_name', t.icon_name, 'sort_order', t.sort_order
    ) order by t.sort_order, t.slug)
    from (
      select t.id, t.name, t.name_en, t.slug, t.color, t.category, t.icon_name, t.sort_order from public.tags t
      where t.is_active and (t.sort_order, t.slug) > ((v_after ->> 0)::integer, v_after ->> 1)
      order by t.sort_order, t.slug
      limit p_limit + 1
    ) t
  ), '{sort_order,slug}', p_limit, case when 'total' = any (p_include) then (
    select count(*) from public.tags t where t.is_active
  ) end);
end
$$;

comment on function api.list_tags(text, integer, text, text[]) is
  'The active tags by sort_order and slug, with their names in the language (Japanese where there is no English name): {items, next_cursor}, and total when p_include has it. Reads only. Errors: validation_error.';

grant execute on function api.list_tags(text, integer, text, text[]) to anon, authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Lot detail
-- ---------------------------------------------------------------------------------------------------------------------

create function api.get_parking_lot(
  p_parking_lot_id uuid,
  p_include text[] default '{}',
  p_entry_at timestamptz default null,
  p_exit_at timestamptz default null,
  p_vehicle_type text default 'standard',
  p_vehicle jsonb default null,
  p_lang text default 'ja'
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_vehicle private.vehicle;
  v_lot jsonb;
begin
  perform private.optional_user();
  perform private.require_public_lot(p_parking_lot_id);
  if p_include is null or not p_include <@ '{field_value_ids,hours,week,fee_curve,field_provenance,occupancy_forecast}' then
    perform private.raise_error('validation_error', 422, 'include must have only field_value_ids, hours, week, fee_curve, field_provenance and occupancy_forecast.', p_param => 'include');
  elsif p_lang is null or p_lang not in ('ja', 'en') then
    perform private.raise_error('validation_error', 422, 'lang must be ja or en.', p_param => 'lang');
  end if;
  perform private.check_vehicle_type(p_vehicle_type);
  v_vehicle := private.read_vehicle(p_vehicle);
  v_lot := private.lot_row_json(p_parking_lot_id);
  -- The largest part comes last, because each || copies both sides.
  return private.lot_now_json(p_parking_lot_id)
    || private.lot_for_caller_json(p_parking_lot_id, v_vehicle)
    || private.lot_included_json(p_parking_lot_id, p_include, p_entry_at, p_vehicle_type, p_lang)
    || jsonb_build_object(
      'planned_stay', private.planned_stay_json(p_parking_lot_id, p_entry_at, p_exit_at, p_vehicle_type)
    )
    || private.lot_parts_json(p_parking_lot_id, v_lot ->> 'operator_code', p_lang)
    || private.lot_places_json(p_parking_lot_id)
    || v_lot;
end
$$;

comment on function api.get_parking_lot(uuid, text[], timestamptz, timestamptz, text, jsonb, text) is
  'All data of a public lot. p_include adds field_value_ids, hours, week, fee_curve (from p_entry_at, now by default), field_provenance, occupancy_forecast. p_entry_at with p_exit_at (both or neither; they may be equal) adds planned_stay, with the fee for p_vehicle_type. p_vehicle (measures) adds fit. Image fields are storage keys. Reads only. Errors: validation_error, forbidden, lot_not_found.';

grant execute on function api.get_parking_lot(uuid, text[], timestamptz, timestamptz, text, jsonb, text)
to anon, authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Export
-- ---------------------------------------------------------------------------------------------------------------------

create function api.export_parking_lots(
  p_ids uuid[] default null, p_limit integer default 500, p_cursor text default null
) returns jsonb
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_custom_plan -- a page of some lots and a page of all lots need different plans
as $$
declare
  v_filters jsonb := jsonb_build_object('list', 'exported_parking_lots', 'ids', to_jsonb(p_ids));
  v_after jsonb := private.page_start(v_filters, p_cursor, '{uuid}', 'asc');
begin
  perform private.optional_user();
  if p_limit is null or p_limit not between 1 and 500 then
    perform private.raise_error('validation_error', 422, 'limit must be between 1 and 500.', p_param => 'limit');
  elsif cardinality(p_ids) > 100 then
    perform private.raise_error('validation_error', 422, 'ids must have at most 100 values.', p_param => 'ids');
  end if;
  perform private.require_counted_read();
  return private.page(v_filters, (
    select jsonb_agg(to_jsonb(l) order by l.id)
    from (
      select l.id, l.name, l.name_kana, l.address, l.lat, l.lng, l.area, l.total_spaces, l.structure, l.max_height_m,
        l.max_width_m, l.max_length_m, l.max_weight_t, l.min_clearance_cm, l.max_tire_width_mm,
        l.max_parking_duration_min, l.entry_method, l.entry_difficulty, l.phone, l.website, l.time_zone,
        l.holiday_calendar, l.currency, l.operator_code, o.name as operator_name, l.source, l.external_id, l.source_url,
        l.licence, l.attribution, l.updated_at, coalesce(g.free_while_closed, false) as free_while_closed,
        coalesce(t.tags, '{}') as tags, coalesce(w.windows, '[]') as windows, coalesce(r.rules, '[]') as rules
      from (
        select p.id from public.parking_lots p
        where p.status = 'active' and p.id > (v_after ->> 0)::uuid and (p_ids is null or p.id = any (p_ids))
        order by p.id
        limit p_limit + 1
      ) page
      join public.parking_lots l on l.id = page.id
      left join public.operators o on o.id = l.operator_code
      left join public.pricing_groups g on g.parking_lot_id = l.id and g.is_default
      cross join lateral (
        select jsonb_object_agg(tag.slug, lt.state) as tags
        from public.parking_lot_tags lt join public.tags tag on tag.id = lt.tag_id
        where lt.parking_lot_id = l.id and lt.state is not null
      ) t
      cross join lateral (
        select jsonb_agg(jsonb_build_object(
          'day_type', h.day_type, 'day_of_week', h.day_of_week, 'is_24h', h.is_24h, 'is_closed', h.is_closed,
          'open_time', private.clock_text(h.open_time), 'close_time', private.clock_text(h.close_time),
          'effective_from', h.effective_from, 'effective_to', h.effective_to
        ) order by h.day_type, h.day_of_week, h.open_time, h.id) as windows
        from public.parking_lot_windows h where h.parking_lot_id = l.id and h.window_type = 'business'
      ) w
      cross join lateral (
        select jsonb_agg(jsonb_build_object(
          'category', p.category, 'rule_order', p.rule_order, 'time_start', private.clock_text(p.time_start),
          'time_end', private.clock_text(p.time_end), 'day_type', p.day_type, 'per_minutes', p.per_minutes,
          'price_minor', p.price_minor, 'cap_type', p.cap_type, 'cap_duration_hours', p.cap_duration_hours,
          'cap_price_minor', p.cap_price_minor, 'cap_repeat', p.cap_repeat, 'effective_from', p.effective_from,
          'effective_to', p.effective_to, 'max_units', p.max_units
        ) order by p.rule_order, p.id) as rules
        from public.pricing_rules p
        where p.parking_lot_id = l.id and (p.pricing_group_id is null or p.pricing_group_id = g.id)
      ) r
    ) l
  ), '{id}', p_limit);
end
$$;

comment on function api.export_parking_lots(uuid[], integer, text) is
  'Public lots by id, up to 500 a page, for exports in other formats: {items, next_cursor}. An item has the fields of the lot, its operator, source and licence, tags {slug: state}, business hours, and the rules of the default price list. With p_ids only these lots. Counted as an expensive read. Reads only. Errors: validation_error, forbidden.';

grant execute on function api.export_parking_lots(uuid[], integer, text) to anon, authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Engagement
-- ---------------------------------------------------------------------------------------------------------------------

create function api.parking_lot_engagement_stats(
  p_from date default null, p_to date default null, p_sort text default null, p_limit integer default 1000
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_period daterange;
begin
  if p_limit is null or p_limit not between 1 and 10000 then
    perform private.raise_error('validation_error', 422, 'limit must be between 1 and 10000.', p_param => 'limit');
  end if;
  v_period := private.engagement_period(p_from, p_to);
  if p_from is not null or p_to is not null then
    perform private.check_engagement_size(v_period, p_sort, p_limit);
  end if;
  return private.engagement_items(v_period, p_sort, null, null, null, p_limit);
end
$$;

comment on function api.parking_lot_engagement_stats(date, date, text, integer) is
  'Saves, sessions and searches of lots from p_from to the day before p_to (default: the last 30 days, today included), the first p_limit: [{parking_lot_id, name, saves, sessions, searches}]. Without p_sort every lot with any count, by sessions, then saves, then searches, the highest first. By saves, sessions or searches: lots with that count. By name: all lots. A period with more than 200,000 daily counts is rejected with details.reason period_too_large. For the service only. Errors: validation_error.';

create function api.add_search_counts(p_counts jsonb) returns void
language plpgsql
set search_path = ''
as $$
begin
  if p_counts is null or jsonb_typeof(p_counts) <> 'object' or (select count(*) from jsonb_object_keys(p_counts)) > 10000
    or exists (
      select from jsonb_each(p_counts) e
      where not pg_input_is_valid(e.key, 'uuid') or e.value::text !~ '^[1-9]\d{0,5}$'
    ) then
    perform private.raise_error('validation_error', 422, 'Must be an object of up to 10,000 ids of lots with counts of 1 to 999999.',
      p_param => 'counts');
  end if;
  perform private.count_searches(p_counts);
end
$$;

comment on function api.add_search_counts(jsonb) is
  'Adds searches of lots, {"<id>": count}, to the counts of today. Not idempotent: do not retry a call with an unknown outcome. For the service only. Errors: validation_error.';
