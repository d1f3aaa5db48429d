-- Map: how many lots are where, for a map that shows too many to draw.
--
-- The world is a square of the Mercator plane, parted at zoom z into cells of 1/8 of a map tile's side (32 of its 256
-- pixels): level z + 3 has 2^(z + 3) cells a side. private.map_cells keeps what search entries of one cell of level 14
-- (2 km at the latitude of Tokyo) amount to, private.map_areas what the 64 cells of one of level 11 do, so that coarser
-- cells are sums of few rows; finer cells, what lies at the sides of a box, and searches with conditions, are counted from
-- the entries.
--
-- An area is counted behind the writers' backs, because they would wait for each other in it. Who changes a cell says so
-- in private.map_stale; until a job has counted the area anew and taken that back, its cells are read instead.
--
-- Invariants: a cell is what a recount of its entries gives, whoever writes at the same time; a cell without lots has no
-- row; an area that nobody calls stale is what its cells amount to.
-- Interface: private.map_page, which api.search_parking_lots answers with when it is given a zoom.

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: cells
-- ---------------------------------------------------------------------------------------------------------------------

create function private.cell_at(p_at point, p_level integer) returns point
language sql immutable strict parallel safe
set search_path = ''
return point(
  greatest(0, least(2 ^ p_level - 1, floor((p_at[0] + pi()) / (2 * pi()) * 2 ^ p_level))),
  greatest(0, least(2 ^ p_level - 1, floor((p_at[1] + pi()) / (2 * pi()) * 2 ^ p_level)))
);

comment on function private.cell_at(point, integer) is 'Column and row, from the south-west, of the cell of a level in which a point of the Mercator plane is.';

-- private.cell_at in one expression: it is worked out for every entry written, and a call within a call costs thirty times as much.
create function private.map_cell(p_at point) returns integer
language sql immutable strict parallel safe
set search_path = ''
return 16384 * greatest(0, least(16383, floor((p_at[0] + pi()) / (2 * pi()) * 16384)))::integer
  + greatest(0, least(16383, floor((p_at[1] + pi()) / (2 * pi()) * 16384)))::integer;

comment on function private.map_cell(point) is 'The cell of level 14, as one number.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables
-- ---------------------------------------------------------------------------------------------------------------------

create type private.map_sums as (
  lot_count integer, lat_sum double precision, lng_sum double precision, price_min integer, price_max integer,
  currency_min text, currency_max text, rank_key integer, representative_id uuid
);

comment on type private.map_sums is 'What lots amount to: how many, their middle as sums, the range of prices and currencies, and the best with its rank.';

create table private.map_cells (
  cell integer primary key,
  area integer not null generated always as (((cell / 16384) >> 3) * 2048 + ((cell % 16384) >> 3)) stored,
  like private.map_sums,
  constraint map_cells_whole check (num_nulls(lot_count, lat_sum, lng_sum) = 0)
);

comment on table private.map_cells is 'What the search entries of a cell of level 14 amount to. Kept by triggers.';

create index map_cells_area_idx on private.map_cells (area);

create table private.map_areas (
  area integer primary key,
  like private.map_sums,
  constraint map_areas_whole check (num_nulls(lot_count, lat_sum, lng_sum) = 0)
);

comment on table private.map_areas is 'What the map cells of an area, a cell of level 11, amount to. Kept by private.refresh_map_areas.';
comment on column private.map_areas.area is '2048 times the column, and the row.';

create table private.map_stale (
  id bigint generated always as identity primary key,
  area integer not null
);

comment on table private.map_stale is 'Areas some of whose cells changed since they were counted: a row a change, so that nobody waits to say it.';

create index map_stale_area_idx on private.map_stale (area);

-- A recount reads a cell's entries from the index alone.
create index search_entries_cell_idx on private.search_entries (private.map_cell(mercator))
  include (mercator, rank_key, parking_lot_id, lat, lng, hour_price, currency);

create function private.refresh_map_cells(p_cells integer[]) returns void
language plpgsql
security definer -- as private.refresh_search_entries
set search_path = ''
as $$
begin
  -- Locked in one order first: what follows then sees what a concurrent writer in the same cell committed.
  insert into private.map_cells (cell, lot_count, lat_sum, lng_sum)
  select distinct c, 0, 0, 0 from unnest(p_cells) as c order by c
  on conflict (cell) do update set lot_count = excluded.lot_count;
  update private.map_cells m
  set (lot_count, lat_sum, lng_sum, price_min, price_max, currency_min, currency_max, rank_key, representative_id) = (
    select count(*), coalesce(sum(e.lat), 0), coalesce(sum(e.lng), 0), min(e.hour_price), max(e.hour_price),
      min(e.currency) filter (where e.hour_price is not null), max(e.currency) filter (where e.hour_price is not null),
      min(e.rank_key), (array_agg(e.parking_lot_id order by e.rank_key, e.parking_lot_id))[1]
    from private.search_entries e where private.map_cell(e.mercator) = m.cell
  )
  where m.cell = any (p_cells);
  insert into private.map_stale (area) select distinct m.area from private.map_cells m where m.cell = any (p_cells);
  delete from private.map_cells m where m.cell = any (p_cells) and m.lot_count = 0;
end
$$;

comment on function private.refresh_map_cells(integer[]) is 'Counts these cells anew.';

create function private.refresh_map_areas() returns void
language plpgsql
set search_path = ''
as $$
declare
  v_areas integer[];
begin
  perform pg_advisory_xact_lock(hashtext('private.refresh_map_areas'));
  -- What a writer commits from here on is counted or not; its row in map_stale stays in any case.
  with said as (delete from private.map_stale returning area)
  select array_agg(distinct s.area) into v_areas from said s;
  delete from private.map_areas a where a.area = any (v_areas);
  insert into private.map_areas
  select m.area, sum(m.lot_count), sum(m.lat_sum), sum(m.lng_sum), min(m.price_min), max(m.price_max), min(m.currency_min),
    max(m.currency_max), min(m.rank_key), (array_agg(m.representative_id order by m.rank_key, m.representative_id))[1]
  from private.map_cells m where m.area = any (v_areas) group by m.area;
end
$$;

comment on function private.refresh_map_areas() is 'Counts the areas anew that are stale.';

select cron.schedule('refresh_map_areas', '30 seconds', 'select private.refresh_map_areas()');

create function private.tg_search_entries__refresh_map() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  v_cells integer[];
begin
  if tg_op = 'TRUNCATE' then
    select array_agg(m.cell) into v_cells from private.map_cells m;
  elsif tg_op = 'UPDATE' then
    select array_agg(distinct p.cell) filter (where p.cell is not null) into v_cells
    from rows_before b full join rows_changed c using (parking_lot_id)
    cross join lateral (values (private.map_cell(b.mercator)), (private.map_cell(c.mercator))) as p (cell)
    where (b.lat, b.lng, b.rank_key, b.hour_price, b.currency)
      is distinct from (c.lat, c.lng, c.rank_key, c.hour_price, c.currency);
  else
    select array_agg(distinct private.map_cell(c.mercator)) into v_cells from rows_changed c;
  end if;
  if v_cells is not null then
    perform private.refresh_map_cells(v_cells);
  end if;
  return null;
end
$$;

create trigger _100_refresh_map_on_insert after insert on private.search_entries
  referencing new table as rows_changed
  for each statement execute function private.tg_search_entries__refresh_map();
create trigger _100_refresh_map_on_update after update on private.search_entries
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_search_entries__refresh_map();
create trigger _100_refresh_map_on_delete after delete on private.search_entries
  referencing old table as rows_changed
  for each statement execute function private.tg_search_entries__refresh_map();
create trigger _100_refresh_map_on_truncate after truncate on private.search_entries
  for each statement execute function private.tg_search_entries__refresh_map();

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: clusters
-- ---------------------------------------------------------------------------------------------------------------------

create type private.cluster as (
  cell_x integer, cell_y integer, lot_count bigint, lat double precision, lng double precision, price_min integer,
  price_max integer, currency text, representative_id uuid
);

comment on type private.cluster is 'What the lots of a cell amount to. Prices and currency are null when none is known or currencies differ.';

create function private.map_boxes(p_bbox double precision[], p_level integer)
returns table (west integer, south integer, east integer, north integer)
language plpgsql immutable rows 2
set search_path = ''
as $$
begin
  return query
  select w[0]::integer, w[1]::integer, e[0]::integer, e[1]::integer
  from unnest(private.bbox_boxes(p_bbox)) as b (area)
  cross join lateral private.cell_at(b.area[1], p_level) as w
  cross join lateral private.cell_at(b.area[0], p_level) as e;
end
$$;

comment on function private.map_boxes(double precision[], integer) is
  'The columns and rows of the cells of a level that a box touches: one range, or two where it crosses the antimeridian.';

create type private.map_box as (area box, west integer, south integer, east integer, north integer);

comment on type private.map_box is
  'A box of the Mercator plane, and the columns and rows of the cells of level 14 that lie wholly in it; none where west is greater than east, or south than north.';

create function private.map_boxes_within(p_bbox double precision[]) returns setof private.map_box
language plpgsql immutable rows 2
set search_path = ''
as $$
begin
  -- The outermost cells that a box touches are taken for parted by its sides, also where one ends just there.
  return query
  select b.area, w[0]::integer + 1, w[1]::integer + 1, e[0]::integer - 1, e[1]::integer - 1
  from unnest(private.bbox_boxes(p_bbox)) as b (area)
  cross join lateral private.cell_at(b.area[1], 14) as w
  cross join lateral private.cell_at(b.area[0], 14) as e;
end
$$;

comment on function private.map_boxes_within(double precision[]) is 'A box, parted where it crosses the antimeridian, and the cells that lie in it.';

create function private.map_margin(p_bbox double precision[], p_level integer) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  -- The four strips between the sides of a box and the cells in it, a hair wider than they are; what is in those cells is
  -- told by the same expression as private.map_cell.
  return (
    select format('select m.x >> %1$s, m.y >> %1$s, 1, m.lat, m.lng, m.hour_price, m.hour_price, m.currency, m.currency,
        m.rank_key, m.parking_lot_id
      from (
        select greatest(0, least(16383, floor((e.mercator[0] + pi()) / (2 * pi()) * 16384)))::integer as x,
          greatest(0, least(16383, floor((e.mercator[1] + pi()) / (2 * pi()) * 16384)))::integer as y,
          e.lat, e.lng, e.hour_price, case when e.hour_price is not null then e.currency end as currency, e.rank_key,
          e.parking_lot_id
        from private.search_entries e where %2$s
      ) m where not (%3$s)', 14 - p_level, string_agg(s.strips, ' or '), string_agg(s.inner_cells, ' or '))
    from (
      select string_agg(format('e.mercator <@ %L::box', b.area # s.strip), ' or ') as strips,
        format('m.x between %s and %s and m.y between %s and %s', b.west, b.east, b.south, b.north) as inner_cells
      from private.map_boxes_within(p_bbox) b
      cross join lateral (
        select box(point(-9, -99), point(pi() * (b.west / 8192.0 - 1) + 1e-9, 99))
        union all select box(point(pi() * ((b.east + 1) / 8192.0 - 1) - 1e-9, -99), point(9, 99))
        union all select box(point(-9, -99), point(9, pi() * (b.south / 8192.0 - 1) + 1e-9))
        union all select box(point(-9, pi() * ((b.north + 1) / 8192.0 - 1) - 1e-9), point(9, 99))
      ) as s (strip)
      where b.area && s.strip
      group by b.west, b.east, b.south, b.north
    ) s
  );
end
$$;

comment on function private.map_margin(double precision[], integer) is
  'The lots of a box that are in no cell which lies wholly in it, as a query for rows like those of private.map_cells_in.';

create function private.map_cells_in(p_bbox double precision[], p_level integer) returns text
language plpgsql stable
security definer -- as private.found_lots
set search_path = ''
as $$
declare
  c_columns constant text := 'n.lot_count as n, n.lat_sum, n.lng_sum, n.price_min, n.price_max, n.currency_min, n.currency_max,
    n.rank_key, n.representative_id as id';
  v_cells text;
  v_whole text;
  v_parts integer[];
begin
  -- The cells that lie in the box, the columns as a range of the primary key, and the areas that do.
  select string_agg(format('(n.cell between %s and %s and n.cell %% 16384 between %s and %s)',
      b.west * 16384, b.east * 16384 + 16383, b.south, b.north), ' or '),
    string_agg(format('(n.area between %s and %s and n.area %% 2048 between %s and %s)',
      (b.west + 7) / 8 * 2048, (b.east + 1) / 8 * 2048 - 1, (b.south + 7) / 8, (b.north + 1) / 8 - 1), ' or ')
  into v_cells, v_whole
  from private.map_boxes_within(p_bbox) b;
  if p_level > 11 then
    return format('select (n.cell / 16384) >> %1$s as x, (n.cell %% 16384) >> %1$s as y, %2$s from private.map_cells n
      where %3$s union all %4$s', 14 - p_level, c_columns, v_cells, private.map_margin(p_bbox, p_level));
  end if;
  v_parts := array(
    select x * 2048 + y from private.map_boxes_within(p_bbox) b
    cross join lateral (
      select x, y from unnest(array[b.west / 8, b.east / 8]) x cross join generate_series(b.south / 8, b.north / 8) y
      union
      select x, y from generate_series(b.west / 8, b.east / 8) x cross join unnest(array[b.south / 8, b.north / 8]) y
    ) as edge
    where not (x * 8 >= b.west and x * 8 + 7 <= b.east and y * 8 >= b.south and y * 8 + 7 <= b.north)
    union
    select s.area from private.map_stale s
  );
  return format('select (n.area / 2048) >> %1$s as x, (n.area %% 2048) >> %1$s as y, %2$s from private.map_areas n
      where (%3$s) and not exists (select from private.map_stale s where s.area = n.area)
    union all
    select (n.cell / 16384) >> %4$s, (n.cell %% 16384) >> %4$s, %2$s from private.map_cells n
      where n.area = any (%5$L) and (%6$s)
    union all %7$s', 11 - p_level, c_columns, v_whole, 14 - p_level, v_parts, v_cells, private.map_margin(p_bbox, p_level));
end
$$;

comment on function private.map_cells_in(double precision[], integer) is
  'The rows that the cells of a level are sums of, for the lots of a box, as a query: areas that lie in it whole and are not stale, cells of the others that do, and what is left at its sides.';

create function private.clusters_of(p_source text) returns setof private.cluster
language plpgsql stable
set search_path = ''
as $$
begin
  return query execute format(
    'select x, y, sum(n)::bigint, sum(lat_sum) / sum(n), sum(lng_sum) / sum(n),
      case when min(currency_min) = max(currency_max) then min(price_min) end,
      case when min(currency_min) = max(currency_max) then max(price_max) end,
      case when min(currency_min) = max(currency_max) then min(currency_min) end,
      -- The best rank, then the smallest id: as one text of as many letters each, a minimum instead of a sort.
      substr(min(((100000 + rank_key)::text || id) collate "C"), 7)::uuid
    from (%s) s group by x, y order by x, y', p_source);
end
$$;

comment on function private.clusters_of(text) is
  'The cells of a query for rows like those of private.map_cells_in.';

create function private.summed_clusters(p_bbox double precision[], p_level integer) returns setof private.cluster
language plpgsql stable
set search_path = ''
set max_parallel_workers_per_gather = 0 -- to start them takes longer than the sums
as $$
begin
  return query select c.* from private.clusters_of(private.map_cells_in(p_bbox, p_level)) as c;
end
$$;

comment on function private.summed_clusters(double precision[], integer) is
  'The cells of a level of at most 14 in a box, with all its lots.';

create function private.clusters(
  p_query jsonb, p_bbox double precision[], p_ids uuid[], p_level integer
) returns setof private.cluster
language plpgsql stable
security definer -- as private.found_lots; a count is of public lots, as all entries are
set search_path = ''
set work_mem = '32MB' -- else the bitmap of a common term forgets which rows of a page it has
as $$
declare
  c_most constant integer := 250000;
  v_clusters private.cluster[];
begin
  if p_query - '{v,sort}'::text[] = '{}' and p_ids is null and p_level <= 14 then
    return query select c.* from private.summed_clusters(p_bbox, p_level) as c;
  else
    -- private.cell_at in place: it is worked out for every lot that is found.
    v_clusters := array(select c from private.clusters_of(format(
      'select greatest(0, least(%1$s - 1, floor((e.mercator[0] + pi()) / (2 * pi()) * %1$s)))::integer as x,
        greatest(0, least(%1$s - 1, floor((e.mercator[1] + pi()) / (2 * pi()) * %1$s)))::integer as y,
        1 as n, e.lat as lat_sum, e.lng as lng_sum, e.hour_price as price_min, e.hour_price as price_max,
        case when e.hour_price is not null then e.currency end as currency_min,
        case when e.hour_price is not null then e.currency end as currency_max, e.rank_key, e.parking_lot_id as id
      from private.search_entries e where %2$s limit %3$s',
      2 ^ p_level, (private.search_condition(p_query, p_bbox, p_ids)).condition, c_most + 1)) as c);
    if (select sum(c.lot_count) from unnest(v_clusters) as c) > c_most then
      perform private.refuse('validation_error', 422,
        format('More than %s lots would have to be counted; ask for a smaller box or more conditions', c_most),
        p_param => 'bbox', p_details => '{"reason": "too_many_lots"}');
    end if;
    return query select c.* from unnest(v_clusters) as c;
  end if;
end
$$;

comment on function private.clusters(jsonb, double precision[], uuid[], integer) is
  'The cells of a level that lie in a box and have lots which the checked question asks for. Refuses to count more than 250,000 lots one by one: validation_error, details.reason too_many_lots.';

create function private.check_map(p_bbox double precision[], p_zoom integer, p_cursor text) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  c_most constant integer := 5000;
begin
  if p_zoom not between 0 and 14 then
    perform private.refuse('validation_error', 422, 'zoom must be between 0 and 14', p_param => 'zoom');
  elsif p_bbox is null then
    perform private.refuse('validation_error', 422, 'zoom needs a bbox', p_param => 'bbox');
  elsif p_cursor is not null then
    perform private.refuse('validation_error', 422, 'Clusters come in one page', p_param => 'cursor');
  elsif (
    select sum((b.east - b.west + 1)::bigint * (b.north - b.south + 1)) > c_most from private.map_boxes(p_bbox, p_zoom + 3) b
  ) then
    perform private.refuse('validation_error', 422,
      format('The box has more than %s cells at this zoom; ask for a smaller box or a lower zoom', c_most),
      p_param => 'zoom');
  end if;
end
$$;

comment on function private.check_map(double precision[], integer, text) is 'Refuses what is no question for a map: validation_error.';

create function private.map_page(
  p_query jsonb, p_bbox double precision[], p_ids uuid[], p_zoom integer, p_cursor text, p_include text[]
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_found private.cluster[];
  v_clusters jsonb;
  v_total bigint;
begin
  perform private.check_map(p_bbox, p_zoom, p_cursor);
  -- Before the join, which would not look for clusters at all where there is no lot.
  v_found := array(select c from private.clusters(p_query, p_bbox, p_ids, p_zoom + 3) as c);
  select coalesce(jsonb_agg(jsonb_build_object(
      'count', c.lot_count, 'lat', round(c.lat::numeric, 6), 'lng', round(c.lng::numeric, 6),
      'price_min', c.price_min, 'price_max', c.price_max, 'currency', c.currency,
      'bbox', jsonb_build_array(
        private.cell_lng(c.cell_x, p_zoom + 3), private.cell_lat(c.cell_y, p_zoom + 3),
        private.cell_lng(c.cell_x + 1, p_zoom + 3), private.cell_lat(c.cell_y + 1, p_zoom + 3)
      ),
      'representative', jsonb_build_object('id', l.id, 'name', l.name, 'lat', l.lat, 'lng', l.lng,
        'hour_price', l.hour_price, 'avg_rating', l.avg_rating)
    ) order by c.lot_count desc, c.cell_x, c.cell_y), '[]'), coalesce(sum(c.lot_count), 0)
  into v_clusters, v_total
  from unnest(v_found) as c join public.parking_lots l on l.id = c.representative_id;
  return jsonb_build_object('items', '[]'::jsonb, 'next_cursor', null, 'clusters', v_clusters)
    || case when 'total' = any (p_include) then jsonb_build_object('total', v_total, 'total_is_exact', true) else '{}' end;
end
$$;

comment on function private.map_page(jsonb, double precision[], uuid[], integer, text, text[]) is
  'The cells of a zoom in a box as the interface shows them, the fullest first; total, when p_include has it, is the sum of their counts. Refuses: validation_error.';

create function private.cell_lng(p_x integer, p_level integer) returns numeric
language sql immutable
set search_path = ''
return round((p_x * 360.0 / 2 ^ p_level - 180)::numeric, 6);

comment on function private.cell_lng(integer, integer) is 'The longitude of the western side of a column of cells.';

create function private.cell_lat(p_y integer, p_level integer) returns numeric
language sql immutable
set search_path = ''
return round(degrees(2 * atan(exp((p_y / 2.0 ^ p_level * 2 - 1) * pi())) - pi() / 2)::numeric, 6);

comment on function private.cell_lat(integer, integer) is 'The latitude of the southern side of a row of cells.';

grant execute on function
  private.mercator_y(double precision), private.cell_at(point, integer), private.cell_lng(integer, integer), private.cell_lat(integer, integer),
  private.bbox_boxes(double precision[]), private.map_boxes(double precision[], integer), private.clusters(jsonb, double precision[], uuid[], integer),
  private.check_map(double precision[], integer, text),
  private.map_page(jsonb, double precision[], uuid[], integer, text, text[])
to anon, authenticated;
