-- Types of places, and functions that their indexes call.
-- They come before the tables.

-- The id of a place, from its kind and its full name: the same in every database and every version of the data.
create function private.place_id(p_kind text, p_full_name text) returns bigint
language sql immutable strict parallel safe
return ('x' || left(md5(p_kind || '|' || p_full_name), 13))::bit(52)::bigint;

-- The cell of a position: squares of a twentieth of a degree, about 5 km.
create function private.place_cell(p_lat double precision, p_lng double precision) returns integer
language sql immutable strict parallel safe
return floor(p_lat * 20)::integer * 10000 + floor(p_lng * 20)::integer;

-- The cell of a position and the eight around it.
create function private.place_cells(p_lat double precision, p_lng double precision) returns integer[]
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return (
    select array_agg(private.place_cell(p_lat, p_lng) + 10000 * x + y)
    from generate_series(-1, 1) as x cross join generate_series(-1, 1) as y
  );
end
$$;

create type private.found_place as (
  id text, kind text, name text, name_en text, area text, area_en text, lat double precision, lng double precision,
  radius_m integer, score real, importance smallint, match text
);

comment on type private.found_place is
  'A place of a search. area: its prefecture and municipality, and lines of a station. match: whole, beginning or corrected.';
