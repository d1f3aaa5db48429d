-- Search of lots: the nearest ones, exactly.
--
-- Every lot has a point on the Mercator plane, under an index that yields points in order of their distance there.
-- Mercator is conformal, so that this order is nearly the order of true distance, and how far it can be off is known. The
-- straight line between two images is not longer than the image of the great circle between them, and along that circle
-- the scale is at most 1 / cos of the greatest latitude that it reaches. So whoever lies within a true distance d (in
-- radians) of a place at latitude phi is imaged within
--
--     d / cos(|phi| + d)
--
-- of the place's image. private.nearest_lots fetches a few more lots than were asked for, in the index's order. It is done
-- when the last of them is imaged farther off than this bound for the farthest one that it would answer; else it fetches
-- more. Where the plane has an edge (the antimeridian, the poles) it reads all lots within the radius instead.
--
-- Invariants: the answer is what sorting all active lots by great-circle distance gives, ties by id; whatever the filters,
-- no lot outside the radius' box is read, and of those inside the nearest 50,000 at most. When more lots than the given
-- ones are or may be within the radius, is_cut says so. docs/geography.md has the proof in words, and the figures.
-- Interface: private.great_circle_m; private.nearest_lots, on which nearby and search stand. It knows nothing of how lots are ranked and shown.

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables: the point and its index
-- ---------------------------------------------------------------------------------------------------------------------

create function private.mercator_y(p_lat double precision) returns double precision
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return ln(tan(pi() / 4 + radians(greatest(least(p_lat, 89.9), -89.9)) / 2));
end
$$;

comment on function private.mercator_y(double precision) is
  'How far north a latitude is on the Mercator plane, in radians. The poles are infinitely far: the last tenth of a degree is cut off.';

-- The column's expression runs as whoever writes the row.
grant execute on function private.mercator_y(double precision) to service_role;

-- pgls-ignore lint/safety/addSerialColumn: the table has no rows yet
-- pgls-ignore lint/safety/addingFieldWithDefault: the table has no rows yet
alter table public.parking_lots
  add column mercator point not null generated always as (point(radians(lng), private.mercator_y(lat))) stored;

comment on column public.parking_lots.mercator is 'Where the lot is on the Mercator plane, in radians. For the index of search.';

-- Search reads nothing but this index: it has what distance and filters need. Not a quadtree (SP-GiST), which is smaller
-- and faster: Postgres takes coordinates within a millionth for equal when it sorts points into quadrants, and in radians
-- that is 6 m. Searches in dense places then miss lots.
create index parking_lots_mercator_idx on public.parking_lots
  using gist (mercator) include (id, lat, lng, max_height_m, tag_slugs)
  where status = 'active';

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals
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

create function private.search_boxes(
  p_lat double precision,
  p_lng double precision,
  p_radius_m double precision,
  out boxes box[],
  out is_plane boolean
)
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
declare
  -- Wider by six millimetres than the circle, against rounding.
  c_slack constant double precision := 1e-9;
  v_reach constant double precision := p_radius_m / 6371008.8;
  v_south constant double precision := private.mercator_y(p_lat - degrees(v_reach)) - c_slack;
  v_north constant double precision := private.mercator_y(p_lat + degrees(v_reach)) + c_slack;
  v_west double precision := -4;
  v_east double precision := 4;
begin
  is_plane := abs(p_lat) + degrees(v_reach) < 85;
  if is_plane then
    v_west := radians(p_lng) - asin(sin(v_reach) / cos(radians(p_lat))) - c_slack;
    v_east := radians(p_lng) + asin(sin(v_reach) / cos(radians(p_lat))) + c_slack;
  end if;
  boxes := array[box(point(v_west, v_south), point(v_east, v_north))];
  if is_plane and (v_west < -pi() or v_east > pi()) then
    is_plane := false;
    boxes := boxes || (boxes[1] - point(2 * pi() * sign(p_lng), 0));
  end if;
end
$$;

comment on function private.search_boxes(double precision, double precision, double precision) is
  'Boxes of the Mercator plane that hold the circle: one, two at the antimeridian, a whole band of latitude near a pole. is_plane: the circle has one image, so that order on the plane means something.';

create function private.boxes_hold_more(p_boxes box[], p_count integer) returns boolean
language plpgsql stable
security definer -- as private.nearest_lots
set search_path = ''
as $$
begin
  return exists (
    select from unnest(p_boxes) as b (area)
    cross join lateral (
      select from public.parking_lots l where l.status = 'active' and l.mercator <@ b.area offset p_count limit 1
    ) m
  );
end
$$;

comment on function private.boxes_hold_more(box[], integer) is 'Whether one of the boxes holds more active lots than so many.';

create function private.nearest_lots(
  p_lat double precision, p_lng double precision, p_radius_m double precision, p_limit integer,
  p_max_height_m numeric default null, p_tags text[] default '{}',
  out lot_ids uuid[], out distances double precision[], out is_cut boolean
)
language plpgsql stable
security definer -- row security would keep <@ from the index, because it is not leakproof; status stands in the query
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_bitmapscan = off -- it would read the whole box to sort it; how many lots a box holds is not known to the planner
as $$
declare
  c_earth_m constant double precision := 6371008.8;
  -- Bounds the time of a filter that few lots pass: 0.2 s on two slow cores.
  c_most_read constant integer := 50000;
  v_centre constant point := point(radians(p_lng), private.mercator_y(p_lat));
  v_around record;
  v_fetch integer;
  v_fetched integer;
  v_last double precision;
  v_far double precision;
begin
  select * into v_around from private.search_boxes(p_lat, p_lng, p_radius_m);
  v_fetch := case when v_around.is_plane then p_limit + 9 end;
  loop
    -- Micrometres make lots tie that only rounding tells apart.
    select count(*), max(c.mercator_distance),
      array_agg(c.id order by round(c.distance_m * 1e6), c.id),
      array_agg(c.distance_m order by round(c.distance_m * 1e6), c.id)
    into v_fetched, v_last, lot_ids, distances
    from (
      select f.id, f.mercator_distance, private.great_circle_m(p_lat, p_lng, f.lat, f.lng) as distance_m
      from unnest(v_around.boxes) as b (area)
      cross join lateral (
        select r.*
        from (
          select l.id, l.lat, l.lng, l.max_height_m, l.tag_slugs, l.mercator <-> v_centre as mercator_distance
          from public.parking_lots l
          where l.status = 'active' and l.mercator <@ b.area
          order by l.mercator <-> v_centre
          limit c_most_read
        ) r
        where (p_max_height_m is null or r.max_height_m >= p_max_height_m) and r.tag_slugs @> p_tags
        limit v_fetch -- null: all
      ) f
    ) c;
    exit when v_fetch is null or v_fetched < v_fetch;
    v_far := least(distances[p_limit + 1], p_radius_m) / c_earth_m;
    exit when v_last > v_far / cos(radians(abs(p_lat)) + v_far) * (1 + 1e-9) + 1e-12;
    v_fetch := v_fetch * 4;
  end loop;
  is_cut := coalesce(distances[p_limit + 1] <= p_radius_m, false)
    or (coalesce(v_fetched < v_fetch, true) and private.boxes_hold_more(v_around.boxes, c_most_read));
  select coalesce(array_agg(n.id), '{}'), coalesce(array_agg(n.distance_m), '{}') into lot_ids, distances
  from unnest(lot_ids[:p_limit], distances[:p_limit]) as n (id, distance_m)
  where n.distance_m <= p_radius_m;
end
$$;

comment on function private.nearest_lots(double precision, double precision, double precision, integer, numeric, text[]) is
  'The active lots nearest to a point, at most p_limit of them within p_radius_m (at most 50 km), by great-circle distance on the sphere of mean radius and then id: those that take a vehicle of p_max_height_m for certain and have all of p_tags. is_cut: more are within the radius, or the 50,000 nearest lots were read and others not.';

grant execute on function
  private.great_circle_m(double precision, double precision, double precision, double precision),
  private.nearest_lots(double precision, double precision, double precision, integer, numeric, text[])
to anon, authenticated;
