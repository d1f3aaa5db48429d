-- Cells: the grid of the map on the Mercator plane.
--
-- The world is a square. At a level it has 2^level cells a side, and each cell is the sum of four cells of the next level.
-- An index of the search entries uses private.map_cell, so this file is before the tables.

-- Column, from the west, of the cell of a level that contains a point of the Mercator plane.
-- The functions of one expression have no search_path, so that they are inlined: a call for each row takes ten times as long.
create function private.cell_x(p_at point, p_level integer) returns integer
language sql immutable parallel safe
return case when p_at[0] * p_level is not null then
  greatest(0, least(2 ^ p_level - 1, floor((p_at[0] + pi()) / (2 * pi()) * 2 ^ p_level)))::integer end;

-- Row, from the south, of the cell of a level that contains a point of the Mercator plane.
create function private.cell_y(p_at point, p_level integer) returns integer
language sql immutable parallel safe
return case when p_at[1] * p_level is not null then
  greatest(0, least(2 ^ p_level - 1, floor((p_at[1] + pi()) / (2 * pi()) * 2 ^ p_level)))::integer end;

-- Number of the cell of level 14 that contains a point of the Mercator plane: 16384 times its column, and its row.
create function private.map_cell(p_at point) returns integer
language sql immutable parallel safe
return 16384 * private.cell_x(p_at, 14) + private.cell_y(p_at, 14);

-- The longitude of the western side of a column of cells.
create function private.cell_lng(p_x integer, p_level integer) returns numeric
language sql immutable parallel safe
return round((p_x * 360 / 2 ^ p_level - 180)::numeric, 6);

-- The latitude of the southern side of a row of cells.
create function private.cell_lat(p_y integer, p_level integer) returns numeric
language sql immutable parallel safe
return round(degrees(2 * atan(exp((2 * p_y / 2 ^ p_level - 1) * pi())) - pi() / 2)::numeric, 6);

-- A cell as a box of the Mercator plane.
create function private.cell_area(p_x integer, p_y integer, p_level integer) returns box
language sql immutable parallel safe
return box(
  point(pi() * (2 * p_x / 2 ^ p_level - 1), pi() * (2 * p_y / 2 ^ p_level - 1)),
  point(pi() * (2 * (p_x + 1) / 2 ^ p_level - 1), pi() * (2 * (p_y + 1) / 2 ^ p_level - 1))
);

grant execute on function
  private.cell_x(point, integer), private.cell_y(point, integer), private.cell_lng(integer, integer),
  private.cell_lat(integer, integer)
to anon, authenticated;
