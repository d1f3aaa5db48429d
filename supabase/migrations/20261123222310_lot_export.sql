-- Public lots page by page, with all data that other formats of parking data can carry.
--
-- The definition is that of supabase/schemas after this change. The way back: drop the function, after the functions of
-- before are deployed.

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
          'effective_to', p.effective_to
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
