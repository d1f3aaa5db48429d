-- Search: public lots that meet up to sixteen conditions, in one of three orders, page by page.
--
-- A question is a SearchQueryV1 and, beside it, a box, ids and a page. It is read and checked (private.check_search), written
-- as a condition over private.search_entries with its values in place (private.search_condition), and answered by one
-- statement, so that the planner sees how common each term is: rare ones are looked up in the terms' index, with common
-- ones the order is walked until the page is full. Where a circle or box holds few lots the spatial index is used, where
-- it holds many it is a mere filter.
--
-- A page ends with the sort key and id of its last lot, and the next one begins behind them. A lot that keeps its key is
-- neither skipped nor repeated, whatever happens to the others.
--
-- Invariants: a lot of which something asked is not known never passes; orders are total (ties by id).
-- Interface: api.search_parking_lots. What its conditions mean stands in the contract.

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: reading the question
-- ---------------------------------------------------------------------------------------------------------------------

create function private.is_whole_number(p_value jsonb, p_least integer, p_most integer) returns boolean
language plpgsql immutable
set search_path = ''
as $$
begin
  return case when jsonb_typeof(p_value) = 'number'
    then p_value::numeric between p_least and p_most and p_value::numeric = trunc(p_value::numeric) else false end;
end
$$;

comment on function private.is_whole_number(jsonb, integer, integer) is 'Whether this is a whole number within bounds.';

create function private.is_text_list(p_value jsonb, p_most integer, p_longest integer) returns boolean
language plpgsql immutable
set search_path = ''
as $$
begin
  return case when jsonb_typeof(p_value) = 'array' and jsonb_array_length(p_value) <= p_most then not exists (
    select from jsonb_array_elements(p_value) as e
    where jsonb_typeof(e) <> 'string' or char_length(e #>> '{}') not between 1 and p_longest
  ) else false end;
end
$$;

comment on function private.is_text_list(jsonb, integer, integer) is 'Whether this is an array of at most so many texts of 1 to so many characters.';

create function private.search_query_fault(p_key text, p_value jsonb) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return case
    when p_key = 'v' then case when p_value <> '1' then 'v must be 1' end
    when p_key = 'center' then
      case when jsonb_typeof(p_value) = 'object' and p_value - '{lat,lng,placeName}'::text[] = '{}'
        and jsonb_typeof(p_value -> 'lat') = 'number' and jsonb_typeof(p_value -> 'lng') = 'number'
        and abs((p_value ->> 'lat')::numeric) <= 90 and abs((p_value ->> 'lng')::numeric) <= 180
        and coalesce(jsonb_typeof(p_value -> 'placeName'), 'string') = 'string'
        and char_length(coalesce(p_value ->> 'placeName', '')) <= 200 then null
        else 'center must be {lat, lng, placeName}' end
    when p_key = 'radius_m' then
      case when private.is_whole_number(p_value, 1, 50000) then null else 'radius_m must be between 1 and 50000' end
    when p_key in ('price_min', 'price_max') then
      case when p_value = 'null' or private.is_whole_number(p_value, 0, 100000) then null
        else format('%s must be between 0 and 100000', p_key) end
    when p_key = 'attributes' then
      case when private.is_text_list(p_value, 20, 50)
        and not exists (
          select from jsonb_array_elements_text(p_value) as a
          where not exists (select from public.codes c where c.category_id = 'attribute' and c.code = a)
        ) then null else 'attributes must be at most 20 known attributes' end
    when p_key = 'difficulty' then
      case when private.is_text_list(p_value, 3, 10) and p_value <@ '["easy", "normal", "hard"]' then null
        else 'difficulty must be at most 3 of easy, normal and hard' end
    when p_key = 'operator_codes' then
      case when private.is_text_list(p_value, 50, 50) then null else 'operator_codes must be at most 50 codes' end
    when p_key = 'vehicle' then null
    when p_key = 'keywords' then
      case when not private.is_text_list(p_value, 10, 50) then 'keywords must be at most 10 words of 1 to 50 characters'
        when exists (select from jsonb_array_elements_text(p_value) as k where private.search_text(k) = '')
          then 'A keyword must have something beside space' end
    when p_key = 'meter_ticket_included' then
      case when jsonb_typeof(p_value) <> 'boolean' then 'meter_ticket_included must be true or false' end
    when p_key = 'sort' then
      case when p_value not in ('"distance"', '"price"', '"recommended"')
        then 'sort must be distance, price or recommended' end
    else format('A search has no %s', p_key)
  end;
end
$$;

comment on function private.search_query_fault(text, jsonb) is
  'What is wrong with a condition of SearchQueryV1; null when nothing is. vehicle is read by private.read_vehicle.';

create function private.check_search(p_query jsonb, p_bbox double precision[], p_ids uuid[]) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_key text;
  v_fault text;
begin
  if jsonb_typeof(p_query) is distinct from 'object' then
    perform private.refuse('validation_error', 422, 'query must be an object', p_param => 'query');
  end if;
  for v_key, v_fault in select q.key, private.search_query_fault(q.key, q.value) from jsonb_each(p_query) as q loop
    if v_fault is not null then
      perform private.refuse('validation_error', 422, v_fault, p_param => v_key);
    end if;
  end loop;
  if p_query ->> 'sort' = 'distance' and p_query -> 'center' is null then
    perform private.refuse('validation_error', 422, 'The order distance needs a center', p_param => 'sort');
  elsif p_query ? 'radius_m' and p_query -> 'center' is null then
    perform private.refuse('validation_error', 422, 'radius_m needs a center', p_param => 'radius_m');
  elsif (p_query ->> 'price_min')::numeric > (p_query ->> 'price_max')::numeric then
    perform private.refuse('validation_error', 422, 'price_min is above price_max', p_param => 'price_min');
  elsif cardinality(p_ids) > 100 then
    perform private.refuse('validation_error', 422, 'ids must be at most 100', p_param => 'ids');
  elsif p_bbox is not null and not coalesce(
    cardinality(p_bbox) = 4 and array_position(p_bbox, null) is null
      and p_bbox[1] between -180 and 180 and p_bbox[3] between -180 and 180
      and p_bbox[2] between -90 and 90 and p_bbox[4] between p_bbox[2] and 90, false
  ) then
    perform private.refuse('validation_error', 422, 'bbox must be west,south,east,north in degrees', p_param => 'bbox');
  end if;
end
$$;

comment on function private.check_search(jsonb, double precision[], uuid[]) is
  'Refuses what is no question for search: validation_error, naming the condition.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: the question as a condition
-- ---------------------------------------------------------------------------------------------------------------------

-- Neither strict nor with a search_path, so that Postgres writes the expression into the statement: a call a row costs ten times as much.
create function private.great_circle_m(
  p_lat double precision, p_lng double precision, p_to_lat double precision, p_to_lng double precision
) returns double precision
language sql immutable parallel safe
return case when p_lat + p_lng + p_to_lat + p_to_lng is not null then 2 * 6371008.8 * asin(least(1, sqrt(
  sin(radians(p_to_lat - p_lat) / 2) ^ 2
    + cos(radians(p_lat)) * cos(radians(p_to_lat)) * sin(radians(p_to_lng - p_lng) / 2) ^ 2
))) end;

comment on function private.great_circle_m(double precision, double precision, double precision, double precision) is
  'The great-circle distance on the sphere of mean radius, in metres; null when an argument is null.';

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

comment on function private.bbox_boxes(double precision[]) is
  'A box of west, south, east, north on the Mercator plane, to the bit where parking_lots.mercator has them, so that a lot on a side is in it; two where it crosses the antimeridian.';

create function private.area_condition(p_boxes box[]) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  c_few constant integer := 5000;
  v_count integer;
begin
  select count(*) into v_count from (
    select from unnest(p_boxes) as b (area) join private.search_entries e on e.mercator <@ b.area limit c_few
  ) s;
  -- Of many lots the order or the terms find a page sooner; what is inside coalesce no index serves.
  return (
    select '(' || string_agg(format(
      case when v_count < c_few then 'e.mercator <@ %L::box' else 'coalesce(e.mercator <@ %L::box, false)' end, b.area
    ), ' or ') || ')' from unnest(p_boxes) as b (area)
  );
end
$$;

comment on function private.area_condition(box[]) is 'That an entry is within one of the boxes, for the spatial index when they hold few.';

create function private.narrowing_terms(p_terms text[], out terms text[], out share double precision)
language plpgsql stable
set search_path = ''
as $$
begin
  select coalesce(array_agg(r.term), '{}'), exp(sum(ln(r.frequency))) into terms, share
  from (
    select f.term, f.frequency, row_number() over f as place,
      exp(sum(ln(f.frequency)) over (f rows between unbounded preceding and 1 preceding)) as left_so_far
    from (
      select t.term, max(coalesce(c.frequency, 0.0001)) as frequency
      from unnest(p_terms) as t (term)
      left join (
        select c.term, c.frequency
        from pg_catalog.pg_stats s
        cross join unnest(s.most_common_elems::text::text[], s.most_common_elem_freqs) as c (term, frequency)
        where s.schemaname = 'private' and s.tablename = 'search_entries' and s.attname = 'terms'
      ) as c on c.term = t.term
      group by t.term
    ) as f
    window f as (order by f.frequency, f.term)
  ) as r
  -- To decode an entry of the index takes a 150th of the time to read its lot: a term has to spare more than it costs.
  where r.place = 1 or r.frequency < 150 * r.left_so_far * (1 - r.frequency);
end
$$;

comment on function private.narrowing_terms(text[]) is
  'Those of the terms by which an index finds few entries at little cost: the rarest, as far as statistics tell and if they were strangers to each other. share: the part of all lots that they would leave; null without terms.';

create function private.search_condition(
  p_query jsonb, p_bbox double precision[], p_ids uuid[], out condition text, out share double precision
)
language plpgsql stable
set search_path = ''
as $$
declare
  v_center jsonb := p_query -> 'center';
  v_keywords text[] := array(
    select private.search_text(k) from jsonb_array_elements_text(p_query -> 'keywords') as k
  );
  -- A keyword of one or two characters is its term; a longer one is looked for in the document.
  v_terms text[] := array(select '#' || a from jsonb_array_elements_text(p_query -> 'attributes') as a)
    || array(select t from unnest(v_keywords) as k, unnest(private.keyword_terms(k)) as t where char_length(k) <= 2);
  v_narrowing text[];
  v_difficulty text[] := array(select '=' || d from jsonb_array_elements_text(p_query -> 'difficulty') as d);
  v_operators text[] := array(select '@@' || o from jsonb_array_elements_text(p_query -> 'operator_codes') as o);
  v_vehicle private.vehicle := private.read_vehicle(p_query -> 'vehicle');
begin
  select n.terms, n.share into v_narrowing, share
  from private.narrowing_terms(v_terms || array(select unnest(private.keyword_terms(k)) from unnest(v_keywords) as k)) as n;
  v_terms := array(select t from unnest(v_terms) as t where t <> all (v_narrowing));
  condition := concat_ws(' and ', 'true',
    case when v_narrowing <> '{}' then format('e.terms @> %L', v_narrowing) end,
    case when v_difficulty <> '{}' then format('e.terms && %L', v_difficulty) end,
    case when v_operators <> '{}' then format('e.terms && %L', v_operators) end,
    'e.hour_price >= ' || (p_query ->> 'price_min'),
    'e.hour_price <= ' || (p_query ->> 'price_max'),
    'e.max_height_m >= ' || v_vehicle.height_m,
    'e.max_width_m >= ' || v_vehicle.width_m,
    'e.max_length_m >= ' || v_vehicle.length_m,
    'e.max_weight_t >= ' || v_vehicle.weight_t,
    'e.min_clearance_cm <= ' || v_vehicle.clearance_cm,
    'e.max_tire_width_mm >= ' || v_vehicle.tire_width_mm,
    case when p_query -> 'meter_ticket_included' = 'false' then 'not e.is_on_street' end,
    case when p_bbox is not null then private.area_condition(private.bbox_boxes(p_bbox)) end,
    case when p_query ? 'radius_m' then concat_ws(' and ',
      private.area_condition((
        select a.boxes from private.search_boxes(
          (v_center ->> 'lat')::double precision, (v_center ->> 'lng')::double precision,
          (p_query ->> 'radius_m')::double precision
        ) as a
      )),
      format('private.great_circle_m(%s, %s, e.lat, e.lng) <= %s', v_center ->> 'lat', v_center ->> 'lng', p_query ->> 'radius_m')
    ) end,
    case when p_ids is not null then format('e.parking_lot_id = any (%L::uuid[])', p_ids) end,
    -- Last, for what the cheaper ones leave. What is asked to be true no index serves.
    case when v_terms <> '{}' then format('(e.terms @> %L) is true', v_terms) end,
    (select string_agg(format('strpos(e.document, %L) > 0', k), ' and ') from unnest(v_keywords) as k where char_length(k) > 2)
  );
end
$$;

comment on function private.search_condition(jsonb, double precision[], uuid[]) is
  'A checked question as a condition over private.search_entries e, and the share of all lots that its terms would leave; null without terms.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: pages
-- ---------------------------------------------------------------------------------------------------------------------

create type private.found_page as (lot_ids uuid[], keys double precision[]);

comment on type private.found_page is 'Lots in the order of a search, and the sort key of each.';

create function private.keyed_page(
  p_condition text, p_share double precision, p_column text, p_after jsonb, p_limit integer
) returns private.found_page
language plpgsql stable
set search_path = ''
as $$
declare
  -- The order from the cursor on; p_condition is made by private.search_condition alone, which quotes what a caller wrote.
  c_order constant text := format('order by e.%I, e.parking_lot_id', p_column);
  c_behind constant text := case when p_after is null then 'true'
    else format('(e.%I, e.parking_lot_id) > (%s, %L)', p_column, (p_after ->> 0)::integer, (p_after ->> 1)::uuid) end;
  c_head constant text := format(
    'select array_agg(f.id order by f.key, f.id), array_agg(f.key order by f.key, f.id) from (
      select e.parking_lot_id as id, e.%I as key from ', p_column);
  c_tail constant text := format(' e where %s and %s %s limit %s) f', c_behind, p_condition, c_order, p_limit);
  v_page private.found_page;
begin
  -- What is common fills a page from the next few thousand of the order; the indexes are asked when that does not, and at
  -- once when these would hold one or two. The planner cannot tell: it takes terms that come together for a coincidence.
  if coalesce(p_share, 1) > 0.0005 then
    execute c_head || format('(select e.* from private.search_entries e where %s %s limit 3000)', c_behind, c_order) || c_tail
      into v_page.lot_ids, v_page.keys;
    if cardinality(v_page.lot_ids) >= p_limit then
      return v_page;
    end if;
  end if;
  execute c_head || 'private.search_entries' || c_tail into v_page.lot_ids, v_page.keys;
  return v_page;
end
$$;

comment on function private.keyed_page(text, double precision, text, jsonb, integer) is
  'The first lots behind the key and id p_after that meet the condition, by a column of private.search_entries and id.';

create function private.distance_page(
  p_condition text, p_lat double precision, p_lng double precision, p_most_m double precision, p_after jsonb, p_limit integer
) returns private.found_page
language plpgsql stable
set search_path = ''
as $$
declare
  v_from double precision := coalesce((p_after ->> 0)::double precision, 0);
  v_reach double precision := greatest(400, v_from * 1.25);
  v_page private.found_page;
  v_is_last boolean;
begin
  -- Circles that grow until one holds a page; what lies outside a circle is farther than all inside.
  loop
    v_is_last := v_reach >= least(p_most_m, 3000000);
    v_reach := case when v_is_last then p_most_m else v_reach end;
    execute format(
      'select array_agg(f.id order by f.key, f.id), array_agg(f.key order by f.key, f.id) from (
        select d.id, d.key from (
          select e.parking_lot_id as id, private.great_circle_m(%1$s, %2$s, e.lat, e.lng) as key
          from private.search_entries e where %3$s%4$s
        ) d where %5$s%6$s order by d.key, d.id limit %7$s
      ) f', p_lat, p_lng, p_condition,
      case when v_reach is not null and v_reach <= 3000000 then ' and ' || private.area_condition(
        (select a.boxes from private.search_boxes(p_lat, p_lng, v_reach) as a)) end,
      case when v_reach is not null then format('d.key <= %s', v_reach) else 'true' end,
      case when p_after is not null then format(' and (d.key, d.id) > (%s, %L)', v_from, (p_after ->> 1)::uuid) end,
      p_limit
    ) into v_page.lot_ids, v_page.keys;
    exit when v_is_last or cardinality(v_page.lot_ids) >= p_limit;
    v_reach := v_reach * 4;
  end loop;
  return v_page;
end
$$;

comment on function private.distance_page(text, double precision, double precision, double precision, jsonb, integer) is
  'The first lots behind the distance and id p_after that meet the condition, nearest first, ties by id. p_most_m null: anywhere.';

create function private.found_lots(
  p_query jsonb, p_bbox double precision[], p_ids uuid[], p_sort text, p_after jsonb, p_limit integer
) returns private.found_page
language plpgsql stable
security definer -- entries are private, and row security would keep terms from their index; all are of public lots
set search_path = ''
as $$
declare
  v_asked record := private.search_condition(p_query, p_bbox, p_ids);
begin
  return case p_sort
    when 'price' then private.keyed_page(v_asked.condition, v_asked.share, 'price_key', p_after, p_limit)
    when 'recommended' then private.keyed_page(v_asked.condition, v_asked.share, 'rank_key', p_after, p_limit)
    else private.distance_page(
      v_asked.condition, (p_query -> 'center' ->> 'lat')::double precision, (p_query -> 'center' ->> 'lng')::double precision,
      (p_query ->> 'radius_m')::double precision, p_after, p_limit
    ) end;
end
$$;

comment on function private.found_lots(jsonb, double precision[], uuid[], text, jsonb, integer) is
  'A page of the lots that a checked question asks for, behind the key and id p_after.';

create function private.found_count(p_query jsonb, p_bbox double precision[], p_ids uuid[]) returns bigint
language plpgsql stable
security definer -- as private.found_lots
set search_path = ''
as $$
declare
  v_count bigint;
begin
  execute 'select count(*) from private.search_entries e where ' || (private.search_condition(p_query, p_bbox, p_ids)).condition
    into v_count;
  return v_count;
end
$$;

comment on function private.found_count(jsonb, double precision[], uuid[]) is 'How many lots a checked question asks for, exactly.';

create function private.search_items(p_lot_ids uuid[], p_center jsonb) returns jsonb
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
begin
  return (
    select coalesce(to_jsonb(array_agg(item)), '[]')
    from (
      select l.id, l.name, l.name_kana, l.address, l.lat, l.lng, l.total_spaces, l.status, l.structure, l.created_at,
        l.updated_at, l.max_height_m, l.max_width_m, l.max_length_m, l.max_weight_t, l.min_clearance_cm,
        l.max_tire_width_mm, l.max_parking_duration_min, l.entry_method, l.source, l.licence, l.attribution,
        l.shape_type, l.operator_code, l.entry_difficulty, l.hour_price, l.currency, l.avg_rating, l.review_count,
        l.main_image_key as main_image, l.tag_slugs as tags,
        round(private.great_circle_m(
          (p_center ->> 'lat')::double precision, (p_center ->> 'lng')::double precision, l.lat, l.lng
        )::numeric, 2) as distance_m,
        m.is_saved, m.my_rating
      from unnest(p_lot_ids) with ordinality as p (id, place)
      join public.parking_lots l on l.id = p.id
      left join private.my_marks(p_lot_ids) as m on m.parking_lot_id = l.id
      order by p.place
    ) as item
  );
end
$$;

comment on function private.search_items(uuid[], jsonb) is 'Lots as search shows them, in this order. Without a center distance_m is null.';

create function private.search_page(
  p_query jsonb, p_bbox double precision[], p_ids uuid[], p_limit integer, p_cursor text, p_include text[]
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_sort text := coalesce(p_query ->> 'sort', case when p_query ? 'center' then 'distance' else 'recommended' end);
  v_filters jsonb := jsonb_build_object('list', 'parking_lots', 'query', p_query, 'bbox', p_bbox, 'ids', p_ids);
  v_page private.found_page;
begin
  v_page := private.found_lots(
    p_query, p_bbox, p_ids, v_sort, private.cursor_decode(v_filters, p_cursor), p_limit + 1
  );
  return jsonb_build_object(
    'items', private.search_items(v_page.lot_ids[:p_limit], p_query -> 'center'),
    'next_cursor', case when cardinality(v_page.lot_ids) > p_limit then
      private.cursor_encode(v_filters, jsonb_build_array(v_page.keys[p_limit], v_page.lot_ids[p_limit])) end
  ) || case when 'total' = any (p_include)
    then jsonb_build_object('total', private.found_count(p_query, p_bbox, p_ids)) else '{}' end;
end
$$;

comment on function private.search_page(jsonb, double precision[], uuid[], integer, text, text[]) is
  'A page of a checked question: {items, next_cursor} and total when p_include has it. Refuses: validation_error.';

grant execute on function
  private.search_text(text),
  private.is_whole_number(jsonb, integer, integer), private.is_text_list(jsonb, integer, integer),
  private.search_query_fault(text, jsonb), private.check_search(jsonb, double precision[], uuid[]),
  private.great_circle_m(double precision, double precision, double precision, double precision),
  private.found_lots(jsonb, double precision[], uuid[], text, jsonb, integer),
  private.found_count(jsonb, double precision[], uuid[]), private.search_items(uuid[], jsonb),
  private.search_page(jsonb, double precision[], uuid[], integer, text, text[])
to anon, authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface
-- ---------------------------------------------------------------------------------------------------------------------

create function api.search_parking_lots(
  p_query jsonb default '{}',
  p_bbox double precision[] default null,
  p_ids uuid[] default null,
  p_limit integer default 20,
  p_cursor text default null,
  p_include text[] default '{}',
  p_zoom integer default null,
  p_updated_since timestamptz default null
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.visitor_or_user();
  -- A page of the interface has at most 100; an export reads greater ones.
  if p_limit is null or p_limit not between 1 and 1000 then
    perform private.refuse('validation_error', 422, 'limit must be between 1 and 1000', p_param => 'limit');
  end if;
  perform private.check_search(p_query, p_bbox, p_ids);
  perform private.read_vehicle(p_query -> 'vehicle');
  if p_updated_since is not null then
    if p_query <> '{}' or p_bbox is not null or p_ids is not null or p_zoom is not null or p_include <> '{}' then
      perform private.refuse('validation_error', 422, 'updated_since takes limit and cursor alone',
        p_param => 'updated_since');
    end if;
    return private.changes_page(p_updated_since, p_limit, p_cursor);
  elsif p_zoom is not null then
    return private.map_page(p_query, p_bbox, p_ids, p_zoom, p_cursor, p_include);
  end if;
  return private.search_page(p_query, p_bbox, p_ids, p_limit, p_cursor, p_include);
end
$$;

comment on function api.search_parking_lots(jsonb, double precision[], uuid[], integer, text, text[], integer, timestamptz) is
  'Public lots that meet p_query (SearchQueryV1), p_bbox (west, south, east, north) and p_ids, a page of p_limit (1..1000): {items, next_cursor}, and total when p_include has it. With p_zoom: {items: [], clusters} of p_bbox, and total. With p_updated_since: lots changed since, and tombstones. Reads only. Refuses: validation_error, forbidden.';

grant execute on function
  api.search_parking_lots(jsonb, double precision[], uuid[], integer, text, text[], integer, timestamptz)
to anon, authenticated;
