-- Lots by distance: the nearest lots, and pages of lots in the order of distance, exactly.
--
-- There are three methods for a page. Each has the result of sorting all lots by distance, and the work of each is
-- bounded. The walk reads entries in the order of the Mercator plane, and is complete up to the bound of
-- search/mercator.sql. It also reads the lots before the page, and needs a circle that has one image on the plane. The
-- ring is for lots far away, at the antimeridian, at a pole, or deep in the list. It divides the plane into boxes, omits
-- those that are wholly before or after the page, and divides those with many lots again. The indexes find the lots of a
-- condition that few lots meet, at any distance; the result is sorted.
--
-- Invariants: keys are distances in whole micrometres, so that lots tie that differ by rounding only; ties are in the
-- order of id.
-- Interface: private.nearest_lots and private.nearest_passing_lots for nearby, private.distance_page for search.

-- ---------------------------------------------------------------------------------------------------------------------
-- The ring
-- ---------------------------------------------------------------------------------------------------------------------

-- The bounds of the distance in metres from a place to the points of a box of the Mercator plane: none is nearer than
-- least_m or farther than most_m.
create function private.box_distances(
  p_lat double precision, p_lng double precision, p_area box, out least_m double precision, out most_m double precision
)
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
declare
  -- Half a metre: the arc cosine of a short distance is not more exact.
  c_slack constant double precision := 1e-7;
  c_turn constant double precision := 2 * pi();
  -- Points beyond 89.9 degrees have their image there.
  c_south constant double precision := case when (p_area[1])[1] <= private.mercator_y(-90) then -pi() / 2
    else 2 * atan(exp((p_area[1])[1])) - pi() / 2 end;
  c_north constant double precision := case when (p_area[0])[1] >= private.mercator_y(90) then pi() / 2
    else 2 * atan(exp((p_area[0])[1])) - pi() / 2 end;
  -- From the meridian of the point, in turns.
  c_west constant double precision := ((p_area[1])[0] - radians(p_lng)) / c_turn;
  c_east constant double precision := ((p_area[0])[0] - radians(p_lng)) / c_turn;
  c_west_turn constant double precision := abs(c_west - round(c_west));
  c_east_turn constant double precision := abs(c_east - round(c_east));
  c_sine constant double precision := sin(radians(p_lat));
  v_cosine double precision;
  v_lat double precision;
begin
  -- On a parallel the distance grows with the angle between the meridians. On a meridian its cosine, c_sine * sin(latitude)
  -- + v_cosine * cos(latitude), is a sine curve: its extremes are at an end or at its turning point.
  v_cosine := cos(radians(p_lat)) * cos(c_turn * case when floor(c_east) >= ceil(c_west) then 0
    else least(c_west_turn, c_east_turn) end);
  v_lat := atan2(c_sine, v_cosine);
  least_m := 6371008.8 * (acos(least(1, case when v_lat between c_south and c_north then sqrt(c_sine ^ 2 + v_cosine ^ 2)
    else greatest(c_sine * sin(c_south) + v_cosine * cos(c_south), c_sine * sin(c_north) + v_cosine * cos(c_north)) end))
    - c_slack);
  v_cosine := cos(radians(p_lat)) * cos(c_turn * case when floor(c_east - 0.5) >= ceil(c_west - 0.5) then 0.5
    else greatest(c_west_turn, c_east_turn) end);
  v_lat := atan2(-c_sine, -v_cosine);
  most_m := 6371008.8 * (acos(greatest(-1, case when v_lat between c_south and c_north then -sqrt(c_sine ^ 2 + v_cosine ^ 2)
    else least(c_sine * sin(c_south) + v_cosine * cos(c_south), c_sine * sin(c_north) + v_cosine * cos(c_north)) end))
    + c_slack);
end
$$;

-- Boxes of the Mercator plane that contain every search entry from p_from_m to reach_m metres away: about p_count
-- entries, or all up to p_max_m (null: any distance). Entries on a side of two boxes count twice.
create function private.ring_boxes(
  p_lat double precision, p_lng double precision, p_from_m double precision, p_max_m double precision, p_count integer,
  out boxes box[], out reach_m double precision
)
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
declare
  c_few constant integer := 200;
  v_counts integer[] := array[c_few];
begin
  reach_m := coalesce(p_max_m, 'infinity');
  boxes := array[box(point(-4, -8), point(4, 8))];
  if p_max_m is not null then
    boxes := (private.search_boxes(p_lat, p_lng, p_max_m)).boxes;
    v_counts := array_fill(c_few, array[cardinality(boxes)]);
  end if;
  -- A box of the thirtieth level is some centimetres wide, and is read with any number of lots.
  for v_level in 1..30 loop
    exit when not c_few = any (v_counts);
    with parts as (
      select c.area, d.least_m, d.most_m, k.lots
      from unnest(boxes, v_counts) as b (area, lots)
      cross join lateral unnest(case when b.lots < c_few then array[b.area] else array[
        box(center(b.area), b.area[0]), box(center(b.area), b.area[1]),
        box(center(b.area), point((b.area[0])[0], (b.area[1])[1])), box(center(b.area), point((b.area[1])[0], (b.area[0])[1]))
      ] end) as c (area)
      cross join lateral private.box_distances(p_lat, p_lng, c.area) as d
      cross join lateral (
        select count(*)::integer as lots from (select from private.search_entries e where e.mercator <@ c.area limit c_few) s
      ) as k
      where k.lots > 0 and d.most_m >= p_from_m
    ), reached as (
      -- Boxes after the start of the page that together contain enough lots.
      select least(reach_m, min(s.most_m) filter (where s.so_far >= p_count)) as reach_m
      from (
        select p.most_m, sum(p.lots) over (order by p.most_m) as so_far from parts p where p.least_m > p_from_m
      ) s
    )
    select coalesce(array_agg(p.area), '{}'), coalesce(array_agg(p.lots), '{}'), min(r.reach_m)
    into boxes, v_counts, reach_m
    from reached r left join parts p on p.least_m <= r.reach_m;
  end loop;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Pages by distance
-- ---------------------------------------------------------------------------------------------------------------------

-- private.distance_page from at most 20,000 entries in the order of the plane. is_complete: no lot of the page is
-- missing. passing_share: the share of the entries read that meets the condition.
create function private.walked_page(
  p_condition text, p_share double precision, p_lat double precision, p_lng double precision, p_max_m double precision,
  p_from_m double precision, p_from_id uuid, p_limit integer, out page private.found_page, out is_complete boolean,
  out passing_share double precision
)
language plpgsql stable
set search_path = ''
as $$
declare
  c_max_read constant integer := 20000;
  c_centre constant point := point(radians(p_lng), private.mercator_y(p_lat));
  -- The expected number for the share that passes, and eight for lots that the plane has in another order. All at once where
  -- a second walk would hardly read more.
  v_fetch integer := case when (p_limit + 8) / p_share * 4 > c_max_read then c_max_read else ceil((p_limit + 8) / p_share) end;
  v_fetched integer;
  v_last double precision;
  v_far double precision;
begin
  loop
    execute format(
      'select count(*), max(w.far), count(*) filter (where w.meets) / greatest(count(*), 1)::double precision, (array_agg(w.id order by w.key, w.id) filter (where w.passes))[:$3],
        (array_agg(w.key order by w.key, w.id) filter (where w.passes))[:$3]
      from (
        select e.id, e.key, e.far, e.meets, e.meets and (e.key, e.id) > ($4, $5) and e.key <= $6 as passes
        from (
          select e.parking_lot_id as id, e.key, e.far, (%s) is true as meets
          from (
            select *, mercator <-> $7 as far, round(private.great_circle_m($1, $2, lat, lng) * 1e6) / 1e6 as key
            from private.search_entries order by mercator <-> $7 limit $8
          ) e
        ) e
        offset 0 -- keeps the subquery from being evaluated twice
      ) w', p_condition
    ) into v_fetched, v_last, passing_share, page.lot_ids, page.keys
      using p_lat, p_lng, p_limit, p_from_m, p_from_id, coalesce(p_max_m, 'infinity'), c_centre, v_fetch;
    v_far := coalesce(page.keys[p_limit], p_max_m);
    is_complete := v_fetched < v_fetch;
    exit when is_complete;
    if v_far is not null then
      exit when not (private.search_boxes(p_lat, p_lng, v_far)).is_plane;
      v_far := v_far / 6371008.8;
      is_complete := v_last > v_far / cos(radians(abs(p_lat)) + v_far) * (1 + 1e-9) + 1e-12;
    end if;
    -- At the share that has met the condition so far, no longer walk contains a page.
    exit when is_complete or v_fetch = c_max_read or passing_share * c_max_read < p_limit;
    v_fetch := least(c_max_read, 4 * v_fetch);
  end loop;
end
$$;

-- The first lots after the distance and id p_after that meet the condition, nearest first, ties by id. p_share: the
-- share of all lots that meets it. p_max_m null: any distance.
create function private.distance_page(
  p_condition text, p_share double precision, p_lat double precision, p_lng double precision, p_max_m double precision,
  p_after jsonb, p_limit integer
) returns private.found_page
language plpgsql stable
set search_path = ''
as $$
declare
  -- No distance on the sphere is greater than half its circumference; a cursor can be forged.
  c_from constant double precision := least(coalesce((p_after ->> 0)::double precision, -1), 21000000);
  c_from_id constant uuid := coalesce((p_after ->> 1)::uuid, '00000000-0000-0000-0000-000000000000');
  c_max_in_ring constant integer := 5000;
  c_max_walk constant integer := 20000; -- as in private.walked_page
  -- For a small table, or one without statistics, the walk costs little.
  c_lots constant double precision := greatest(100000, (
    select c.reltuples from pg_catalog.pg_class c where c.oid = 'private.search_entries'::regclass
  ));
  c_share constant double precision := greatest(p_share, 1e-6);
  c_from_entries constant text :=
    'select array_agg(f.id order by f.key, f.id), array_agg(f.key order by f.key, f.id) from (
      select %s d.id, d.key from (
        select e.parking_lot_id as id, round(private.great_circle_m($1, $2, e.lat, e.lng) * 1e6) / 1e6 as key from %s where %s offset 0
      ) d where (d.key, d.id) > ($3, $4) and d.key <= $5 order by d.key, d.id limit $6
    ) f';
  v_walk record;
  v_ring record;
  v_page private.found_page;
begin
  -- When few lots meet the condition, reading all of them is faster than reading entries until a page is full. A walk that is
  -- not expected to contain a page is in vain.
  if c_share * c_share * c_lots > p_limit / 2 and p_limit / c_share <= c_max_walk then
    v_walk := private.walked_page(p_condition, c_share, p_lat, p_lng, p_max_m, c_from, c_from_id, p_limit);
    if v_walk.is_complete then
      return v_walk.page;
    end if;
    -- A ring contains four times the expected number. It is in vain where far fewer meet the condition than expected.
    if p_limit / c_share * 4 <= c_max_in_ring and v_walk.passing_share * 4 >= c_share then
      v_ring := private.ring_boxes(p_lat, p_lng, c_from, p_max_m, (p_limit / c_share * 4)::integer);
      -- An entry on a side of two boxes is in both.
      execute format(c_from_entries, 'distinct', 'unnest($7) as b (area)
        cross join lateral (select * from private.search_entries where mercator <@ b.area offset 0) e', p_condition)
        into v_page.lot_ids, v_page.keys using p_lat, p_lng, c_from, c_from_id, v_ring.reach_m, p_limit, v_ring.boxes;
      if cardinality(v_page.lot_ids) >= p_limit or v_ring.reach_m = coalesce(p_max_m, 'infinity') then
        return v_page;
      end if;
    end if;
  end if;
  perform private.require_counted_scan(p_condition);
  execute format(c_from_entries, '', 'private.search_entries e', p_condition)
    into v_page.lot_ids, v_page.keys using p_lat, p_lng, c_from, c_from_id, coalesce(p_max_m, 'infinity'), p_limit;
  return v_page;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- The nearest lots
-- ---------------------------------------------------------------------------------------------------------------------

-- The public lots nearest to a point, at most p_limit of them within p_radius_m (at most 50 km), by great-circle distance
-- on the sphere of mean radius and then id. is_cut: more are within the radius.
create function private.nearest_lots(
  p_lat double precision, p_lng double precision, p_radius_m double precision, p_limit integer,
  out lot_ids uuid[], out distances double precision[], out is_cut boolean
)
language plpgsql stable
security definer -- entries are private, and row security would prevent the index for <@; all are of public lots
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_bitmapscan = off -- it would read and sort the whole box; the planner does not know how many lots a box contains
as $$
declare
  c_centre constant point := point(radians(p_lng), private.mercator_y(p_lat));
  c_circle constant record := private.search_boxes(p_lat, p_lng, p_radius_m);
  c_box constant box := c_circle.boxes[1];
  v_fetch integer := p_limit + 9;
  v_fetched integer;
  v_last double precision;
  v_far double precision;
  v_page private.found_page;
begin
  if c_circle.is_plane then
    loop
      select count(*), max(f.far), array_agg(f.id order by f.key, f.id) filter (where f.key <= p_radius_m),
        array_agg(f.key order by f.key, f.id) filter (where f.key <= p_radius_m)
      into v_fetched, v_last, lot_ids, distances
      from (
        select e.parking_lot_id as id, e.mercator <-> c_centre as far,
          round(private.great_circle_m(p_lat, p_lng, e.lat, e.lng) * 1e6) / 1e6 as key
        from private.search_entries e
        where e.mercator <@ c_box
        order by e.mercator <-> c_centre
        limit v_fetch
      ) f;
      v_far := coalesce(distances[p_limit + 1], p_radius_m) / 6371008.8;
      exit when v_fetched < v_fetch or v_last > v_far / cos(radians(abs(p_lat)) + v_far) * (1 + 1e-9) + 1e-12;
      v_fetch := v_fetch * 4;
    end loop;
  else
    v_page := private.distance_page('true', 1, p_lat, p_lng, p_radius_m, null, p_limit + 1);
    lot_ids := v_page.lot_ids;
    distances := v_page.keys;
  end if;
  is_cut := coalesce(cardinality(lot_ids) > p_limit, false);
  lot_ids := coalesce(lot_ids[:p_limit], '{}');
  distances := coalesce(distances[:p_limit], '{}');
end
$$;

-- private.nearest_lots of the lots that are known to accept a vehicle of p_max_height_m metres (null: any) and have
-- all of p_tags.
create function private.nearest_passing_lots(
  p_lat double precision, p_lng double precision, p_radius_m double precision, p_limit integer,
  p_max_height_m numeric, p_tags text[],
  out lot_ids uuid[], out distances double precision[], out is_cut boolean
)
language plpgsql stable
security definer -- entries are private, and row security would prevent the index of terms; all are of public lots
set search_path = ''
as $$
declare
  c_few constant integer := 250000; -- up to this number the spatial index saves time next to the indexes of height and terms
  c_terms constant text[] := array(select '#' || t from unnest(p_tags) as t);
  c_height constant text := concat_ws(' and ', 'true', 'e.max_height_m >= ' || p_max_height_m);
  -- The circle and all tags are conditions of indexes, also tags that many lots have. Where a walk does not find a page, few
  -- lots in the circle have all tags, and only those that every index finds are read.
  c_condition constant text := concat_ws(' and ', c_height,
    (private.area_condition((private.search_boxes(p_lat, p_lng, p_radius_m)).boxes, c_few)).condition,
    case when p_tags <> '{}' then format('e.terms @> %L and (e.terms && %L) is false',
      c_terms, array(select '!' || t from unnest(p_tags) as t)) end);
  v_page private.found_page;
begin
  v_page := private.distance_page(
    c_condition, private.term_share(c_terms) * private.expected_share(c_height), p_lat, p_lng, p_radius_m, null, p_limit + 1
  );
  is_cut := coalesce(cardinality(v_page.lot_ids) > p_limit, false);
  lot_ids := coalesce(v_page.lot_ids[:p_limit], '{}');
  distances := coalesce(v_page.keys[:p_limit], '{}');
end
$$;

grant execute on function
  private.nearest_lots(double precision, double precision, double precision, integer),
  private.nearest_passing_lots(double precision, double precision, double precision, integer, numeric, text[])
to anon, authenticated;
