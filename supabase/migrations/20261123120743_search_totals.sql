-- Search: the index of terms answers several common attributes together, terms that it does not answer are compared with a
-- lot's names only, and a total is counted in the area of the search. Pages and totals are the same; more totals are exact.
--
-- The definitions are those of supabase/schemas after this change. The way back is a file with the former definitions.

set lock_timeout = '2s';

-- The terms by which an index finds at most a fifth of all entries at little cost: the rarest, by statistics, assuming
-- independence. Empty if all of them leave more: almost every page of the table has such an entry.
create or replace function private.narrowing_terms(p_terms text[]) returns text[]
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select case when exp(sum(ln(r.frequency))) < 0.2 then array_agg(r.term order by r.place) else '{}' end
    from (
      select f.term, f.frequency, row_number() over w as place,
        exp(sum(ln(f.frequency)) over (w rows between unbounded preceding and 1 preceding)) as left_so_far
      from private.term_frequencies(p_terms) as f
      window w as (order by f.frequency, f.term)
    ) as r
    -- Decoding an entry of the index takes a 150th of the time of reading its lot: a term must save more than it costs.
    -- Common terms often go together, so they do not count as rare together: a few are enough.
    where r.place = 1
      or r.frequency < 150 * r.left_so_far * (1 - r.frequency) and (r.frequency < 0.2 or r.left_so_far > 0.05)
  );
end
$$;

drop function private.area_condition(box[], integer);
drop function private.search_areas(jsonb, double precision[], integer);
drop function private.search_condition(jsonb, double precision[], uuid[]);

-- The condition that an entry is within one of the boxes. indexed: the same, by the spatial index; condition uses it only
-- if the boxes contain fewer than p_few entries. expected: how many they contain, by statistics.
create function private.area_condition(
  p_boxes box[], p_few integer, out condition text, out indexed text, out expected double precision
)
language plpgsql stable
set search_path = ''
as $$
begin
  expected := private.expected_in_boxes(p_boxes);
  indexed := '(' || (select string_agg(format('e.mercator <@ %L::box', b.area), ' or ') from unnest(p_boxes) as b (area)) || ')';
  -- coalesce keeps the condition from any index. A list of boxes is one comparison to the planner, which evaluates
  -- conditions with more comparisons later, in any order of the text.
  condition := case when expected < p_few then indexed
    else format('coalesce(e.mercator <@ any (%L::box[]), false)', p_boxes) end;
end
$$;

-- The bbox and the circle of a checked search, each as a condition over private.search_entries e (private.area_condition).
create function private.search_areas(p_query jsonb, p_bbox double precision[], p_few integer)
returns table (condition text, indexed text, expected double precision)
language plpgsql stable rows 2
set search_path = ''
as $$
begin
  return query
  select a.condition, a.indexed, a.expected
  from private.area_condition(private.bbox_boxes(p_bbox), p_few) as a
  where p_bbox is not null
  union all
  select concat_ws(' and ', a.condition, format('private.great_circle_m(%s, %s, e.lat, e.lng) <= %s', c.lat, c.lng, c.radius_m)),
    a.indexed, a.expected
  from (
    select (p_query #>> '{center,lat}')::double precision as lat, (p_query #>> '{center,lng}')::double precision as lng,
      (p_query ->> 'radius_m')::double precision as radius_m
  ) as c
  cross join private.search_boxes(c.lat, c.lng, c.radius_m) as s
  cross join private.area_condition(s.boxes, p_few) as a
  where p_query ? 'radius_m';
end
$$;

-- A checked search as a condition over private.search_entries e. Conditions that take longer are later. narrowing:
-- the terms by which the index finds few entries. is_narrow: terms, ids or an area leave at most a fifth of all
-- entries. share, with a center: the expected share of all lots that meet the condition, at any distance. area: the
-- condition of the smaller area by the spatial index, and in_area how many entries it is expected to contain; null
-- without an area.
create function private.search_condition(
  p_query jsonb, p_bbox double precision[], p_ids uuid[],
  out condition text, out narrowing text[], out is_narrow boolean, out share double precision,
  out area text, out in_area double precision
)
language plpgsql stable
set search_path = ''
as $$
declare
  -- Up to the first number the spatial index is faster than a scan of all entries. Up to the second one it saves more than
  -- it costs when the index of terms leaves few entries too: only those that both indexes find are read.
  c_few constant integer := 50000;
  c_few_with_terms constant integer := 250000;
  v_keywords text[] := array(select private.search_text(k) from jsonb_array_elements_text(p_query -> 'keywords') as k);
  v_attributes text[] := array(select '#' || a from jsonb_array_elements_text(p_query -> 'attributes') as a);
  -- A keyword of one or two characters is its term.
  v_terms text[] := v_attributes
    || array(select t from unnest(v_keywords) as k, unnest(private.keyword_terms(k)) as t where char_length(k) <= 2);
  v_difficulty text[] := array(select '=' || d from jsonb_array_elements_text(p_query -> 'difficulty') as d);
  -- Most lots have no operator, so a list of operators is narrow.
  v_operators text[] := array(select jsonb_array_elements_text(p_query -> 'operator_codes'));
  -- The interface has checked it.
  v_vehicle private.vehicle := jsonb_populate_record(null::private.vehicle, nullif(p_query -> 'vehicle', 'null'));
  v_few integer;
  v_areas text;
begin
  narrowing := private.narrowing_terms(
    v_terms || array(select unnest(private.keyword_terms(k)) from unnest(v_keywords) as k)
  );
  condition := concat_ws(' and ', 'true',
    -- A lot without a price has the greatest key.
    case when coalesce(p_query ->> 'price_min', p_query ->> 'price_max') is not null then format('e.price_key between %s and %s',
      coalesce((p_query ->> 'price_min')::numeric::integer, 0), coalesce((p_query ->> 'price_max')::numeric::integer, 2147483646)) end,
    'e.max_height_m >= ' || v_vehicle.height_m,
    'e.max_width_m >= ' || v_vehicle.width_m,
    'e.max_length_m >= ' || v_vehicle.length_m,
    'e.max_weight_t >= ' || v_vehicle.weight_t,
    'e.min_clearance_cm <= ' || v_vehicle.clearance_cm,
    'e.max_tire_width_mm >= ' || v_vehicle.tire_width_mm,
    case when p_query -> 'meter_ticket_included' = 'false' then 'not e.is_on_street' end,
    case when v_operators <> '{}' then format('e.operator_code = any (%L)', v_operators) end,
    case when p_ids is not null then format('e.parking_lot_id = any (%L::uuid[])', p_ids) end
  );
  if p_query ? 'center' then
    share := private.expected_share(condition) * private.term_share(narrowing || v_terms, v_difficulty);
  end if;
  v_few := case when narrowing = '{}' then c_few else c_few_with_terms end;
  select string_agg(a.condition, ' and '), (array_agg(a.indexed order by a.expected))[1], min(a.expected)
  into v_areas, area, in_area
  from private.search_areas(p_query, p_bbox, v_few) as a;
  is_narrow := narrowing <> '{}' or p_ids is not null or coalesce(in_area < v_few, false);
  v_attributes := array(select a from unnest(v_attributes) as a where a <> all (narrowing));
  -- Columns and the area are compared first, and terms and text last: they take the longest. Where the index of terms
  -- does not find the letters, they are searched in the text: terms take five times as long to compare.
  condition := concat_ws(' and ', condition, v_areas,
    case when narrowing <> '{}' then format('e.terms @> %L', narrowing) end,
    -- Where the index of terms does not help, only the names among the terms are compared.
    case when v_difficulty <> '{}' then
      format('e.terms%s && %L', case when private.term_share('{}', v_difficulty) >= 0.2 then '[:e.name_count]' end, v_difficulty) end,
    case when v_attributes <> '{}' then format('e.terms[:e.name_count] @> %L', v_attributes) end,
    (select string_agg(format('strpos(e.document, %L) > 0', k), ' and ') from unnest(v_keywords) as k
    where char_length(k) > 2 or k <> all (narrowing))
  );
end
$$;

-- The number of lots that a checked search finds: {total, total_is_exact}. Counted up to 10,000, and among 300,000 lots
-- of its area when no index leaves few. Otherwise at least total lots are found, and it is not exact.
create or replace function private.found_total(p_query jsonb, p_bbox double precision[], p_ids uuid[]) returns jsonb
language plpgsql stable
security definer -- as private.found_lots
set search_path = ''
as $$
declare
  -- Where no index leaves few entries, so many are compared with the conditions.
  c_max_read constant integer := 300000;
  c_search constant record := private.search_condition(p_query, p_bbox, p_ids);
  c_area constant text := case when c_search.in_area < c_max_read then c_search.area else 'true' end;
  v_count integer;
  v_is_all boolean := true;
begin
  execute format('select count(*) from (select from %s e where %s limit $1) s',
    case when c_search.is_narrow then 'private.search_entries'
      else format('(select e.* from private.search_entries e where %s limit %s)', c_area, c_max_read) end,
    c_search.condition
  ) into v_count using private.max_total() + 1;
  if not c_search.is_narrow and v_count <= private.max_total() then
    execute format('select not exists (select from private.search_entries e where %s offset %s limit 1)', c_area, c_max_read)
      into v_is_all;
  end if;
  return private.capped_total(v_count, v_is_all);
end
$$;
