-- Types of foundation: predicates of values that constraints of several domains call.
-- They come before the tables.

-- Whether a value is the name of an IANA time zone. The pattern excludes what else Postgres accepts: POSIX rules (Tokyo-9,
-- Etc/GMT+13), other capitals (ASIA/TOKYO) and abbreviations (JST), also those that IANA has as names (EST, CET), because
-- Postgres reads them without summer time.
create function private.is_time_zone(p_name text) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return p_name ~ ('^(CST6CDT|Cuba|EST5EDT|Egypt|Eire|GB|GB-Eire|GMT[+-]?0|Greenwich|Hongkong|Iceland|Iran|Israel|Jamaica|'
      'Japan|Kwajalein|Libya|MST7MDT|NZ|NZ-CHAT|Navajo|PRC|PST8PDT|Poland|Portugal|ROC|ROK|Singapore|Turkey|UTC|'
      'Universal|W-SU|Etc/GMT([+-]?[0-9]|[+]1[0-2]|-1[0-4])|(US|[A-Z][a-z]+)(/(ACT|LHI|NSW|GMT|UCT|UTC|[A-Z][a-z][A-Za-z_-]*)){1,2})$')
    and (timestamptz '2000-01-01 00:00:00+00' at time zone p_name) is not null;
exception when invalid_parameter_value then
  return false;
end
$$;

-- Whether a value is a list of positions of GeoJSON, each a longitude and a latitude in degrees. p_kind: points; a line,
-- whose edges do not cross the date line; or a ring, a line that ends where it begins and has three different corners.
create function private.is_path(p_path jsonb, p_kind text) returns boolean
language plpgsql immutable
set search_path = ''
as $$
begin
  return case
    when jsonb_typeof(p_path) is distinct from 'array' then false
    when jsonb_array_length(p_path) < case p_kind when 'points' then 1 when 'line' then 2 else 4 end then false
    when jsonb_array_length(p_path) <> jsonb_array_length(jsonb_path_query_array(p_path, 'strict $[*] ? (@.size() >= 2
      && @[0] >= -180 && @[0] <= 180 && @[1] >= -90 && @[1] <= 90 && !exists(@[*] ? (@.type() != "number")))')) then false
    when p_kind = 'points' then true
    when p_kind = 'ring' and (p_path -> 0 <> p_path -> -1
      or 3 > (select count(distinct (p.value -> 0, p.value -> 1)) from jsonb_array_elements(p_path) as p)) then false
    else not exists (
      select from (
        select abs((p.value ->> 0)::double precision - lag((p.value ->> 0)::double precision) over (order by p.nth)) as width
        from jsonb_array_elements(p_path) with ordinality as p (value, nth)
      ) edge
      where edge.width > 180
    )
  end;
end
$$;

-- Whether a value is a list of such lists.
create function private.are_paths(p_paths jsonb, p_kind text) returns boolean
language plpgsql immutable
set search_path = ''
as $$
begin
  return case when jsonb_typeof(p_paths) is distinct from 'array' then false
    else jsonb_array_length(p_paths) > 0
      and not exists (select from jsonb_array_elements(p_paths) as p where not private.is_path(p.value, p_kind))
  end;
end
$$;

-- Whether a value is a GeoJSON geometry, but no collection.
create function private.is_simple_geometry(p_value jsonb) returns boolean
language plpgsql immutable
set search_path = ''
as $$
begin
  return coalesce(case p_value ->> 'type'
    when 'Point' then private.is_path(jsonb_build_array(p_value -> 'coordinates'), 'points')
    when 'MultiPoint' then private.is_path(p_value -> 'coordinates', 'points')
    when 'LineString' then private.is_path(p_value -> 'coordinates', 'line')
    when 'MultiLineString' then private.are_paths(p_value -> 'coordinates', 'line')
    when 'Polygon' then private.are_paths(p_value -> 'coordinates', 'ring')
    when 'MultiPolygon' then p_value @? 'strict $.coordinates[0]' and not exists (
      select from jsonb_path_query(p_value, 'strict $.coordinates[*]', silent => true) as p where not private.are_paths(p, 'ring'))
  end, false);
end
$$;

-- Whether a value is a GeoJSON geometry as RFC 7946 defines one, with at least one position: degrees in their ranges,
-- closed rings, parts where it would cross the date line. Holes and the direction of rings are not checked.
create function private.is_geometry(p_value jsonb) returns boolean
language plpgsql immutable
set search_path = ''
as $$
begin
  return jsonb_typeof(p_value) = 'object'
    and coalesce(jsonb_typeof(p_value -> 'coordinates'), 'array') = 'array'
    and coalesce(jsonb_typeof(p_value -> 'geometries'), 'array') = 'array'
    and coalesce(case p_value ->> 'type'
      when 'GeometryCollection' then p_value @? 'strict $.geometries[0]' and not exists (
        select from jsonb_path_query(p_value, 'strict $.geometries[*]', silent => true) as g where not private.is_simple_geometry(g))
      else private.is_simple_geometry(p_value)
    end, false);
end
$$;

-- A constraint runs as the role that writes the row.
