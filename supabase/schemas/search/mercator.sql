-- The Mercator plane: positions of lots and sponsors, indexed for searches by distance.
--
-- Every search entry and sponsor has a point on the Mercator plane. The index returns points in order of their distance on
-- the plane. Mercator is conformal, so that this order is nearly the order of true distance, with a known error. The
-- straight line between two images is not longer than the image of the great circle between them. Along that circle the
-- scale is at most 1 / cos of the greatest latitude that it reaches. So a point within a true distance d (in radians) of a
-- place at latitude phi has its image within
--
--     d / cos(|phi| + d)
--
-- of the image of the place. A reader in the order of the index has all points within d once it reads an image farther away
-- than this bound. At the edges of the plane (the antimeridian, the poles) a circle has several boxes.
--
-- Interface: private.mercator_y, private.great_circle_m, private.search_boxes. docs/domains/geography.md has the proof and
-- the figures.

-- The y coordinate of a latitude on the Mercator plane, in radians. The poles are infinitely far: the last tenth of a
-- degree is cut off.
-- Neither strict nor with a search_path, so that Postgres inlines the expressions: a call per row costs ten times as much.
create function private.mercator_y(p_lat double precision) returns double precision
language sql immutable parallel safe
return ln(tan(pi() / 4 + radians(case when p_lat > 89.9 then 89.9 when p_lat < -89.9 then -89.9 else p_lat end) / 2));

-- The great-circle distance on the sphere of mean radius, in metres; null when an argument is null.
create function private.great_circle_m(
  p_lat double precision, p_lng double precision, p_to_lat double precision, p_to_lng double precision
) returns double precision
language sql immutable parallel safe
return case when p_lat + p_lng + p_to_lat + p_to_lng is not null then 2 * 6371008.8 * asin(least(1, sqrt(
  sin(radians(p_to_lat - p_lat) / 2) ^ 2
    + cos(radians(p_lat)) * cos(radians(p_to_lat)) * sin(radians(p_to_lng - p_lng) / 2) ^ 2
))) end;

-- Boxes of the Mercator plane that contain the circle: one; two at the antimeridian; a whole band of latitude near a
-- pole. is_plane: the circle has one image, so that order on the plane is meaningful.
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
  -- Six millimetres wider than the circle, against rounding.
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

grant execute on function
  private.great_circle_m(double precision, double precision, double precision, double precision)
to anon, authenticated;

grant execute on function private.mercator_y(double precision) to anon, authenticated;
