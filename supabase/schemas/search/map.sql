-- Map: how many lots are where, for a map that shows too many to draw.
--
-- The world is a square of the Mercator plane. At zoom z a cell is 1/8 of the side of a map tile (32 of its 256 pixels): level
-- z + 3 has 2^(z + 3) cells a side. private.map_cells has the sums of every cell with public lots, of the levels 3 to 14 (2 km
-- at the latitude of Tokyo). A cell has one row for all of its lots, and one row for each name (attribute, difficulty,
-- operator) of its lots. A cell is the sum of the four cells of the next level in it.
--
-- A job calculates these sums. A writer only appends the cells that it changed to private.map_marks, so that no writer waits
-- for another writer in a cell. The sums are therefore up to a minute old. Entries are written by
-- private.refresh_search_entries, and deleted with their lots: both append the marks.
--
-- A box with few lots, a search with several conditions, and the zooms 12 to 14 are counted from the search entries, exactly.
--
-- Invariants: once the job has processed the marks, a cell has the sums of its search entries; a cell without lots has no row.
-- Interface: private.map_page, which api.search_parking_lots returns when it is given a zoom; private.refresh_map_cells.

-- ---------------------------------------------------------------------------------------------------------------------
-- Keeping cells
-- ---------------------------------------------------------------------------------------------------------------------

-- Recalculates these cells of level 14, and the coarser cells that contain them. One call at a time: the caller holds the
-- lock that private.next_map_batch takes.
create function private.refresh_map_cells(p_cells integer[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_cells integer[] := p_cells;
begin
  delete from private.map_cells m where m.level = 14 and m.cell = any (v_cells);
  insert into private.map_cells
  select 14, e.cell, t.term, count(*), sum(e.lat), sum(e.lng), min(e.hour_price), max(e.hour_price),
    min(e.currency) filter (where e.hour_price is not null), max(e.currency) filter (where e.hour_price is not null),
    min(((100000 + e.rank_key)::text || e.parking_lot_id) collate "C")
  from (select s.*, private.map_cell(s.mercator) as cell from private.search_entries s) e
  cross join lateral (select '' as term union all select n from unnest(e.terms[:e.name_count]) as n where n not like '!%') t
  where e.cell = any (v_cells)
  group by e.cell, t.term;
  for v_level in reverse 13..3 loop
    v_cells := array(select distinct ((c >> 15) << 14) + ((c & 16383) >> 1) from unnest(v_cells) as c);
    delete from private.map_cells m where m.level = v_level and m.cell = any (v_cells);
    insert into private.map_cells
    select v_level, p.cell, m.term, sum(m.lot_count), sum(m.lat_sum), sum(m.lng_sum), min(m.price_min), max(m.price_max),
      min(m.currency_min), max(m.currency_max), min(m.best)
    from unnest(v_cells) as p (cell)
    cross join unnest('{0,1,16384,16385}'::integer[]) as q (quarter)
    join private.map_cells m on m.level = v_level + 1 and m.cell = ((p.cell >> 14) << 15) + ((p.cell & 16383) << 1) + q.quarter
    group by p.cell, m.term;
  end loop;
end
$$;

-- Recalculates the next marked cells whose numbers are greater than p_after; the last of them, null when there are none.
create function private.next_map_batch(p_after integer, p_cells integer default 500) returns integer
language plpgsql
set search_path = ''
as $$
declare
  v_cells integer[];
begin
  perform pg_advisory_xact_lock(hashtext('private.next_map_batch'));
  v_cells := array(select m.cell from private.map_marks m where m.cell > p_after group by m.cell order by m.cell limit p_cells);
  -- Each statement after this one sees what the writers of these marks committed. A mark that is committed later stays.
  delete from private.map_marks m where m.cell = any (v_cells);
  perform private.refresh_map_cells(v_cells);
  return v_cells[cardinality(v_cells)];
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Clusters
-- ---------------------------------------------------------------------------------------------------------------------

-- The columns and rows of the cells of a level that intersect a bbox: one range, or two where it crosses the
-- antimeridian.
create function private.map_boxes(p_bbox double precision[], p_level integer)
returns table (west integer, south integer, east integer, north integer)
language plpgsql immutable rows 2
set search_path = ''
as $$
begin
  return query
  select private.cell_x(b.area[1], p_level), private.cell_y(b.area[1], p_level), private.cell_x(b.area[0], p_level),
    private.cell_y(b.area[0], p_level)
  from unnest(private.bbox_boxes(p_bbox)) as b (area);
end
$$;

-- About how many search entries boxes of the Mercator plane contain, by the stored sums of the cells.
create function private.expected_in_boxes(p_boxes box[]) returns bigint
language plpgsql stable
set search_path = ''
-- Each cell by its key. The planner expects millions of cells, and would read the sums of all.
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  return (
    select coalesce(round(sum(m.lot_count * c.share)), 0)
    from unnest(p_boxes) as b (area)
    -- The finest level at which a box touches at most about a hundred cells.
    cross join lateral (
      select coalesce(max(l), 3) as level from generate_series(3, 14) as l
      where (((b.area[0])[0] - (b.area[1])[0]) / (2 * pi()) * 2 ^ l + 2) * (((b.area[0])[1] - (b.area[1])[1]) / (2 * pi()) * 2 ^ l + 2) <= 100
    ) v
    cross join lateral (
      select x * 16384 + y as cell, area(b.area # private.cell_area(x, y, v.level)) / area(private.cell_area(x, y, v.level)) as share
      from generate_series(private.cell_x(b.area[1], v.level), private.cell_x(b.area[0], v.level)) as x
      cross join generate_series(private.cell_y(b.area[1], v.level), private.cell_y(b.area[0], v.level)) as y
    ) c
    join private.map_cells m on m.level = v.level and m.cell = c.cell and m.term = ''
  );
end
$$;

-- The term of private.map_cells for a checked search: empty without conditions, a name for a single condition; null when
-- the sums cannot be used.
create function private.stored_term(p_query jsonb, p_ids uuid[], p_level integer) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_conditions constant jsonb := p_query - '{v,sort}'::text[];
begin
  return case
    when p_level > 14 or p_ids is not null then null
    when v_conditions = '{}' then ''
    else (
      select min(n.mark || (v.value ->> 0))
      from jsonb_each(v_conditions) as v
      left join (values ('attributes', '#'), ('difficulty', '='), ('operator_codes', '@@')) as n (key, mark) using (key)
      -- Several conditions, and a list with no or several elements, are not a single name.
      having count(*) = 1 and bool_and(n.mark is not null and v.value -> 0 is not null and v.value -> 1 is null)
    ) end;
end
$$;

-- The cells of a level of at most 14 that intersect a bbox, each with all of its lots that have the term, as of the last
-- run of the job.
create function private.stored_clusters(p_bbox double precision[], p_level integer, p_term text) returns setof private.cluster
language plpgsql stable
set search_path = ''
as $$
begin
  return query
  select m.cell >> 14, m.cell & 16383, m.lot_count::bigint, m.lat_sum / m.lot_count, m.lng_sum / m.lot_count,
    case when m.currency_min = m.currency_max then m.price_min end, case when m.currency_min = m.currency_max then m.price_max end,
    case when m.currency_min = m.currency_max then m.currency_min end, l.id
  from private.map_boxes(p_bbox, p_level) b
  join private.map_cells m on m.level = p_level and m.cell between b.west * 16384 + b.south and b.east * 16384 + b.north
    and m.cell & 16383 between b.south and b.north and m.term = p_term
  -- Until the job has run, the best lot may be deleted: any other lot of the cell replaces it.
  cross join lateral (
    select coalesce(
      (select e.parking_lot_id from private.search_entries e where e.parking_lot_id = substr(m.best, 7)::uuid),
      (select e.parking_lot_id from private.search_entries e
      where e.mercator <@ private.cell_area(m.cell >> 14, m.cell & 16383, p_level) and (p_term = '' or e.terms @> array[p_term]) limit 1)
    ) as id
  ) l
  where l.id is not null;
end
$$;

-- Raises validation_error for clusters of too many lots; details.reason is too_many_lots.
create function private.reject_many_lots(p_max integer) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.raise_error('validation_error', 422,
    format('More than %s lots would have to be counted. Use a smaller bbox or more conditions.', p_max),
    p_param => 'bbox', p_details => '{"reason": "too_many_lots"}');
end
$$;

-- The cells of a level with the lots in a bbox that a checked search finds. Errors: validation_error, for more than
-- 250,000 lots; details.reason is too_many_lots.
create function private.counted_clusters(
  p_query jsonb, p_bbox double precision[], p_ids uuid[], p_level integer
) returns setof private.cluster
language plpgsql stable
set search_path = ''
set work_mem = '32MB' -- otherwise the bitmap of a common term becomes lossy and keeps pages instead of rows
as $$
declare
  c_max constant integer := 250000;
  -- A sample is enough to reject a search that finds far too many lots.
  c_sample constant integer := 20000;
  c_lots constant double precision := (
    select c.reltuples from pg_catalog.pg_class c where c.oid = 'private.search_entries'::regclass
  );
  c_search constant record := private.search_condition(p_query, p_bbox, p_ids);
  v_clusters private.cluster[];
  v_sampled integer;
begin
  if not c_search.is_narrow and c_lots > 1.25 * c_max then
    execute format('select count(*) from (select * from private.search_entries tablesample system (%s) repeatable (1)) e where %s',
      100 * c_sample / c_lots, c_search.condition) into v_sampled;
    if v_sampled * c_lots / c_sample > 1.25 * c_max then
      perform private.reject_many_lots(c_max);
    end if;
  end if;
  execute format(
    'select array_agg(row(
        f.x, f.y, f.lot_count, f.lat, f.lng, case when f.is_comparable then f.price_min end,
        case when f.is_comparable then f.price_max end, case when f.is_comparable then f.currency end, substr(f.best, 7)::uuid
      )::private.cluster)
    from (
      select c.x, c.y, count(*) as lot_count, avg(c.lat) as lat, avg(c.lng) as lng, min(c.hour_price) as price_min,
        max(c.hour_price) as price_max, min(c.currency) as currency, min(c.currency) = max(c.currency) as is_comparable,
        min(c.best collate "C") as best
      from (
        select private.cell_x(e.mercator, %1$s) as x, private.cell_y(e.mercator, %1$s) as y, e.lat, e.lng, e.hour_price,
          case when e.hour_price is not null then e.currency end as currency, (100000 + e.rank_key)::text || e.parking_lot_id as best
        from private.search_entries e where %2$s limit %3$s
      ) c group by c.x, c.y
    ) f', p_level, c_search.condition, c_max + 1) into v_clusters;
  if (select sum(c.lot_count) from unnest(v_clusters) as c) > c_max then
    perform private.reject_many_lots(c_max);
  end if;
  return query select c.* from unnest(v_clusters) as c;
end
$$;

-- The cells of a level that intersect a bbox and have lots that a checked search finds. Exact: the lots in the bbox at
-- this moment. Not exact, for a bbox with 10,000 lots or more and a search that stored sums answer: all lots of these
-- cells as of the last run of the job. Errors: validation_error; details.reason is too_many_clusters (more than 3,000) or
-- too_many_lots.
create function private.clusters(
  p_query jsonb, p_bbox double precision[], p_ids uuid[], p_level integer, out clusters private.cluster[], out is_exact boolean
)
language plpgsql stable
security definer -- as private.found_lots; it counts public lots only, as all entries are
set search_path = ''
as $$
declare
  c_few constant integer := 10000;
  c_max constant integer := 3000;
  v_term constant text := private.stored_term(p_query, p_ids, p_level);
begin
  is_exact := v_term is null or private.expected_in_boxes(private.bbox_boxes(p_bbox)) < c_few;
  clusters := case when is_exact then array(select c from private.counted_clusters(p_query, p_bbox, p_ids, p_level) as c)
    else array(select c from private.stored_clusters(p_bbox, p_level, v_term) as c) end;
  if cardinality(clusters) > c_max then
    perform private.raise_error('validation_error', 422,
      format('The bbox has more than %s clusters at this zoom. Use a smaller bbox or a lower zoom.', c_max),
      p_param => 'zoom', p_details => '{"reason": "too_many_clusters"}');
  end if;
end
$$;

-- Checks the arguments of a map. Errors: validation_error.
create function private.check_map(p_bbox double precision[], p_zoom integer, p_cursor text) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  c_max constant integer := 5000;
begin
  if p_zoom not between 0 and 14 then
    perform private.raise_error('validation_error', 422, 'zoom must be between 0 and 14.', p_param => 'zoom');
  elsif p_bbox is null then
    perform private.raise_error('validation_error', 422, 'zoom requires bbox.', p_param => 'bbox');
  elsif p_cursor is not null then
    perform private.raise_error('validation_error', 422, 'Clusters are returned in one page. Leave out cursor.', p_param => 'cursor');
  elsif (
    select sum((b.east - b.west + 1)::bigint * (b.north - b.south + 1)) > c_max from private.map_boxes(p_bbox, p_zoom + 3) b
  ) then
    perform private.raise_error('validation_error', 422,
      format('The bbox has more than %s cells at this zoom. Use a smaller bbox or a lower zoom.', c_max),
      p_param => 'zoom');
  end if;
end
$$;

-- The cells of a zoom in a bbox as the interface shows them, the greatest lot count first. total, when p_include has it,
-- is the sum of their counts. Errors: validation_error.
create function private.map_page(
  p_query jsonb, p_bbox double precision[], p_ids uuid[], p_zoom integer, p_cursor text, p_include text[]
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_found record;
  v_clusters jsonb;
  v_total bigint;
begin
  perform private.check_map(p_bbox, p_zoom, p_cursor);
  -- Before the join, which would not calculate clusters where there is no lot.
  v_found := private.clusters(p_query, p_bbox, p_ids, p_zoom + 3);
  select coalesce(jsonb_agg(jsonb_build_object(
      'count', c.lot_count, 'lat', round(c.lat::numeric, 6), 'lng', round(c.lng::numeric, 6),
      'price_min', c.price_min, 'price_max', c.price_max, 'currency', c.currency,
      'bbox', jsonb_build_array(
        private.cell_lng(c.cell_x, p_zoom + 3), private.cell_lat(c.cell_y, p_zoom + 3),
        private.cell_lng(c.cell_x + 1, p_zoom + 3), private.cell_lat(c.cell_y + 1, p_zoom + 3)
      ),
      'representative', jsonb_build_object('id', l.id, 'name', l.name, 'lat', l.lat, 'lng', l.lng,
        'time_zone', l.time_zone, 'hour_price', l.hour_price, 'avg_rating', l.avg_rating)
    ) order by c.lot_count desc, c.cell_x, c.cell_y), '[]'), coalesce(sum(c.lot_count), 0)
  into v_clusters, v_total
  from unnest(v_found.clusters) as c join public.parking_lots l on l.id = c.representative_id;
  return jsonb_build_object('items', '[]'::jsonb, 'next_cursor', null, 'clusters', v_clusters)
    || case when 'total' = any (p_include) then jsonb_build_object('total', v_total, 'total_is_exact', v_found.is_exact) else '{}' end;
end
$$;

grant execute on function
  private.map_boxes(double precision[], integer), private.clusters(jsonb, double precision[], uuid[], integer),
  private.check_map(double precision[], integer, text), private.map_page(jsonb, double precision[], uuid[], integer,
  text, text[])
to anon, authenticated;
