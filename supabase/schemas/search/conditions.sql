-- Search: the conditions of a search, read, checked and written as SQL. Pages of their results are in search/pages.sql.
--
-- A search is a SearchQueryV1 with a bbox, ids and a page. It is read and checked (private.check_search), written as a
-- condition over private.search_entries with its values in place (private.search_condition), and run as one statement.
-- Rare terms are looked up in the index of terms; common ones are only a filter. So is the area of a circle or bbox with
-- many lots; with fewer the spatial index is used.
--
-- Invariants: a lot never passes a condition on a value that is unknown.
-- Interface: private.check_search, private.search_condition, private.bbox_boxes. The contract defines the meaning of the
-- conditions.

-- ---------------------------------------------------------------------------------------------------------------------
-- Reading the search
-- ---------------------------------------------------------------------------------------------------------------------

-- Whether this is a whole number from p_least to p_max.
create function private.is_whole_number(p_value jsonb, p_least integer, p_max integer) returns boolean
language sql immutable
return case when jsonb_typeof(p_value) = 'number'
  then p_value::numeric between p_least and p_max and p_value::numeric = trunc(p_value::numeric) else false end;

-- Whether this is an array of at most p_max texts of 1 to p_max_length characters.
create function private.is_text_list(p_value jsonb, p_max integer, p_max_length integer) returns boolean
language plpgsql immutable
set search_path = ''
as $$
begin
  return case when jsonb_typeof(p_value) = 'array' and jsonb_array_length(p_value) <= p_max then not exists (
    select from jsonb_array_elements(p_value) as e
    where jsonb_typeof(e) <> 'string' or char_length(private.composed(e #>> '{}')) not between 1 and p_max_length
  ) else false end;
end
$$;

-- The error of a condition of SearchQueryV1; null when it is valid. private.read_vehicle checks vehicle.
create function private.search_query_error(p_key text, p_value jsonb) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return case
    when p_key = 'v' then case when p_value <> '1' then 'v must be 1.' end
    when p_key = 'center' then
      case when jsonb_typeof(p_value) = 'object' and p_value - '{lat,lng,placeName}'::text[] = '{}'
        and jsonb_typeof(p_value -> 'lat') = 'number' and jsonb_typeof(p_value -> 'lng') = 'number'
        and abs((p_value ->> 'lat')::numeric) <= 90 and abs((p_value ->> 'lng')::numeric) <= 180
        and coalesce(jsonb_typeof(p_value -> 'placeName'), 'string') = 'string'
        and char_length(private.composed(coalesce(p_value ->> 'placeName', ''))) <= 200 then null
        else 'center must be {lat, lng, placeName}.' end
    when p_key = 'radius_m' then
      case when private.is_whole_number(p_value, 1, 50000) then null else 'radius_m must be between 1 and 50000.' end
    when p_key in ('price_min', 'price_max') then
      case when p_value = 'null' or private.is_whole_number(p_value, 0, 100000) then null
        else format('%s must be between 0 and 100000.', p_key) end
    when p_key = 'attributes' then
      case when private.is_text_list(p_value, 20, 50)
        and not exists (
          select from jsonb_array_elements_text(p_value) as a
          where not exists (select from public.codes c where c.category_id = 'attribute' and c.code = a)
        ) then null else 'attributes must be an array of at most 20 codes of the category attribute.' end
    when p_key = 'difficulty' then
      case when private.is_text_list(p_value, 3, 10) and p_value <@ '["easy", "normal", "hard"]' then null
        else 'difficulty must be an array of at most 3 of easy, normal and hard.' end
    when p_key = 'operator_codes' then
      case when private.is_text_list(p_value, 50, 50) then null else 'operator_codes must be an array of at most 50 codes.' end
    when p_key = 'vehicle' then null
    when p_key = 'keywords' then
      case when not private.is_text_list(p_value, 10, 50) then 'keywords must be an array of at most 10 words of 1 to 50 characters.'
        when exists (select from jsonb_array_elements_text(p_value) as k where private.search_text(k) = '')
          then 'A keyword must not be blank.' end
    when p_key = 'meter_ticket_included' then
      case when jsonb_typeof(p_value) <> 'boolean' then 'meter_ticket_included must be true or false.' end
    when p_key = 'sort' then
      case when p_value not in ('"distance"', '"price"', '"recommended"')
        then 'sort must be distance, price or recommended.' end
    else format('A search has no field %s. Remove it.', p_key)
  end;
end
$$;

-- Checks the conditions of a search. Errors: validation_error, with the condition as param.
create function private.check_search(p_query jsonb, p_bbox double precision[], p_ids uuid[]) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_key text;
  v_error text;
begin
  if jsonb_typeof(p_query) is distinct from 'object' then
    perform private.raise_error('validation_error', 422, 'query must be an object.', p_param => 'query');
  end if;
  for v_key, v_error in select q.key, private.search_query_error(q.key, q.value) from jsonb_each(p_query) as q loop
    if v_error is not null then
      perform private.raise_error('validation_error', 422, v_error, p_param => v_key);
    end if;
  end loop;
  if p_query ->> 'sort' = 'distance' and p_query -> 'center' is null then
    perform private.raise_error('validation_error', 422, 'sort distance requires center.', p_param => 'sort');
  elsif p_query ? 'radius_m' and p_query -> 'center' is null then
    perform private.raise_error('validation_error', 422, 'radius_m requires center.', p_param => 'radius_m');
  elsif (p_query ->> 'price_min')::numeric > (p_query ->> 'price_max')::numeric then
    perform private.raise_error('validation_error', 422, 'price_min must not be greater than price_max.', p_param => 'price_min');
  elsif cardinality(p_ids) > 100 then
    perform private.raise_error('validation_error', 422, 'ids must have at most 100 values.', p_param => 'ids');
  elsif p_bbox is not null and not coalesce(
    cardinality(p_bbox) = 4 and array_position(p_bbox, null) is null
      and p_bbox[1] between -180 and 180 and p_bbox[3] between -180 and 180
      and p_bbox[2] between -90 and 90 and p_bbox[4] between p_bbox[2] and 90, false
  ) then
    perform private.raise_error('validation_error', 422, 'bbox must be west,south,east,north in degrees.', p_param => 'bbox');
  end if;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- The search as a condition
-- ---------------------------------------------------------------------------------------------------------------------

-- A bbox (west, south, east, north) on the Mercator plane, with exactly the coordinates of search_entries.mercator, so
-- that a lot on a side is inside. Two boxes where it crosses the antimeridian.
create function private.bbox_boxes(p_bbox double precision[]) returns box[]
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return (
    select case when p_bbox[1] <= p_bbox[3] then array[box(point(radians(p_bbox[1]), s), point(radians(p_bbox[3]), n))]
      else array[box(point(radians(p_bbox[1]), s), point(pi(), n)), box(point(-pi(), s), point(radians(p_bbox[3]), n))]
    end
    from private.mercator_y(p_bbox[2]) as s, private.mercator_y(p_bbox[4]) as n
  );
end
$$;

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

-- Each of the terms, once, and the share of all search entries that has it, 0 to 1, by statistics.
-- The planner does not find these frequencies: it looks for them in the default collation, and they are stored in "C".
create function private.term_frequencies(p_terms text[]) returns table (term text, frequency double precision)
language plpgsql stable rows 10
set search_path = ''
as $$
begin
  return query
  select t.term, coalesce(max(c.frequency), 0.0001)::double precision
  from unnest(p_terms) as t (term)
  left join (
    select c.term, c.frequency
    from pg_catalog.pg_stats s
    cross join unnest(s.most_common_elems::text::text[], s.most_common_elem_freqs) as c (term, frequency)
    where s.schemaname = 'private' and s.tablename = 'search_entries' and s.attname = 'terms' and p_terms <> '{}'
  ) as c on c.term = t.term
  group by t.term;
end
$$;

-- The terms by which an index finds at most a fifth of all entries at little cost: the rarest, by statistics, assuming
-- independence. Empty if all of them leave more: almost every page of the table has such an entry.
create function private.narrowing_terms(p_terms text[]) returns text[]
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

-- The share of all search entries that has all of p_all and one of p_any, 0 to 1, by statistics, assuming independence.
create function private.term_share(p_all text[], p_any text[] default '{}') returns double precision
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select coalesce(exp(sum(ln(f.frequency)) filter (where f.term = any (p_all))), 1)
      * least(1, coalesce(sum(f.frequency) filter (where f.term = any (p_any)), 1))
    from private.term_frequencies(p_all || p_any) as f
  );
end
$$;

-- What the planner expects of reading the search entries e that meet a condition. Reads statistics only.
create function private.plan_of_entries(p_condition text) returns json
language plpgsql volatile -- only a volatile function may use EXPLAIN; it changes nothing
set search_path = ''
as $$
declare
  v_plan json;
begin
  execute 'explain (format json) select from private.search_entries e where ' || p_condition into v_plan;
  return v_plan #> '{0,Plan}';
end
$$;

-- Rejects the read of all entries that meet a condition if it is expensive and not counted. Errors: forbidden.
create function private.require_counted_scan(p_condition text) returns void
language plpgsql volatile -- as private.plan_of_entries
set search_path = ''
as $$
declare
  c_max_cost constant double precision := 20000; -- comparing 280,000 entries one by one
begin
  if (private.plan_of_entries(p_condition) ->> 'Total Cost')::double precision > c_max_cost then
    perform private.require_counted_read();
  end if;
end
$$;

-- The share of all search entries e that the planner expects to meet a condition, 0 to 1. Reads statistics only.
create function private.expected_share(p_condition text) returns double precision
language plpgsql volatile -- as private.plan_of_entries
set search_path = ''
as $$
begin
  if p_condition = 'true' then
    return 1;
  end if;
  return least(1, (private.plan_of_entries(p_condition) ->> 'Plan Rows')::double precision / greatest(1, (
    select c.reltuples from pg_catalog.pg_class c where c.oid = 'private.search_entries'::regclass
  )));
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

grant execute on function
  private.is_whole_number(jsonb, integer, integer), private.is_text_list(jsonb, integer, integer),
  private.search_query_error(text, jsonb), private.check_search(jsonb, double precision[], uuid[])
to anon, authenticated;

grant execute on function private.bbox_boxes(double precision[]) to anon, authenticated;
