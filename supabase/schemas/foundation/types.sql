-- Types of foundation: predicates of values that constraints of several domains call.
-- They come before the tables.

-- Whether a value is the name of an IANA time zone. The pattern excludes what else Postgres accepts: POSIX rules (Tokyo-9)
-- and abbreviations (JST), also those that IANA has as names (EST, CET), because Postgres reads them without summer time.
create function private.is_time_zone(p_name text) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return p_name ~ ('^(CST6CDT|Cuba|EST5EDT|Egypt|Eire|GB|GB-Eire|GMT[+-]?0|Greenwich|Hongkong|Iceland|Iran|Israel|Jamaica|'
      'Japan|Kwajalein|Libya|MST7MDT|NZ|NZ-CHAT|Navajo|PRC|PST8PDT|Poland|Portugal|ROC|ROK|Singapore|Turkey|UTC|'
      'Universal|W-SU|Etc/GMT[+-]?0|Etc/GMT[+-]1?[0-9]|[A-Z][A-Za-z]*(/[A-Z][A-Za-z_-]+){1,2})$')
    and (timestamptz '2000-01-01 00:00:00+00' at time zone p_name) is not null;
exception when invalid_parameter_value then
  return false;
end
$$;

-- Whether a value is a GeoJSON geometry.
create function private.is_geometry(p_value jsonb) returns boolean
language sql immutable
return jsonb_typeof(p_value) = 'object'
  and coalesce(jsonb_typeof(p_value -> 'coordinates'), 'array') = 'array'
  and coalesce(jsonb_typeof(p_value -> 'geometries'), 'array') = 'array'
  and coalesce(case
    when p_value ->> 'type' = 'GeometryCollection' then p_value ? 'geometries'
    when p_value ->> 'type' in ('Point', 'LineString', 'Polygon', 'MultiPoint', 'MultiLineString', 'MultiPolygon')
      then p_value ? 'coordinates'
  end, false);

-- A constraint runs as the role that writes the row.
