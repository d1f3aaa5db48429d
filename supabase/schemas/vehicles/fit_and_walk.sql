-- Fit and walk: whether a vehicle fits into a lot, and how long the walk from the lot to the destination takes.
--
-- A vehicle and the limits of a lot are both a private.vehicle, measure by measure. A vehicle fits when every given measure is
-- within the limit of the lot. If a limit of the lot is unknown, the fit is unknown.
--
-- Invariants: fits is true only when the limits for all given measures are known and met, false as soon as one limit is
-- exceeded, null otherwise.
-- Interface: for search, nearby and detail private.read_vehicle(json), private.vehicle_fit(vehicle, limits) and
-- private.walk_minutes(distance).

-- Checks the measures of a vehicle, each a number or null, by the bounds of public.user_vehicles. Errors: validation_error,
-- below the path p_at.
create function private.check_measures(p_vehicle jsonb, p_at text) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_fields('public.user_vehicles', case jsonb_typeof(p_vehicle) when 'object' then coalesce((
    -- A client may write a whole number with a fraction: 185.0.
    select jsonb_object_agg(m.key, case jsonb_typeof(m.value) when 'number' then to_jsonb(trim_scale(m.value::numeric)) else m.value end)
    from jsonb_each(p_vehicle) as m
  ), '{}') else p_vehicle end, '{height_m,width_m,length_m,weight_t,clearance_cm,tire_width_mm}', p_at => p_at);
end
$$;

-- Reads the vehicle of a search: an object of measures, each a number or null. Null: there is no vehicle. Errors:
-- validation_error.
create function private.read_vehicle(p_vehicle jsonb) returns private.vehicle
language plpgsql stable
set search_path = ''
as $$
begin
  if coalesce(jsonb_typeof(p_vehicle), 'null') = 'null' then
    return null;
  end if;
  perform private.check_measures(p_vehicle, 'vehicle');
  return jsonb_populate_record(null::private.vehicle, p_vehicle);
end
$$;

-- Whether a vehicle fits, and why not: {fits: true|false|null, failing: [measure], unknown: [measure], limits: {measure:
-- limit|null}} over the given measures; null when none was given.
create function private.vehicle_fit(p_vehicle private.vehicle, p_limits private.vehicle) returns jsonb
language plpgsql immutable
set search_path = ''
as $$
begin
  return (
    select case when count(*) > 0 then jsonb_build_object(
      'fits', case when bool_or(not m.fits) then false when bool_and(m.fits is not null) then true end,
      'failing', coalesce(jsonb_agg(m.measure order by m.n) filter (where not m.fits), '[]'),
      'unknown', coalesce(jsonb_agg(m.measure order by m.n) filter (where m.fits is null), '[]'),
      'limits', jsonb_object_agg(m.measure, m.lot_limit)
    ) end
    from (
      values
        (1, 'height_m', p_vehicle.height_m, p_limits.height_m, p_vehicle.height_m <= p_limits.height_m),
        (2, 'width_m', p_vehicle.width_m, p_limits.width_m, p_vehicle.width_m <= p_limits.width_m),
        (3, 'length_m', p_vehicle.length_m, p_limits.length_m, p_vehicle.length_m <= p_limits.length_m),
        (4, 'weight_t', p_vehicle.weight_t, p_limits.weight_t, p_vehicle.weight_t <= p_limits.weight_t),
        (5, 'clearance_cm', p_vehicle.clearance_cm, p_limits.clearance_cm, p_vehicle.clearance_cm >= p_limits.clearance_cm),
        (6, 'tire_width_mm', p_vehicle.tire_width_mm, p_limits.tire_width_mm,
          p_vehicle.tire_width_mm <= p_limits.tire_width_mm)
    ) as m (n, measure, given, lot_limit, fits)
    where m.given is not null
  );
end
$$;

-- The duration of a walk in minutes, by the Japanese convention for property: 80 m a minute, rounded up.
-- Without a search_path, so that Postgres inlines the expression.
create function private.walk_minutes(p_distance_m numeric) returns integer
language sql immutable
return ceil(p_distance_m / 80)::integer;

grant execute on function
  private.check_measures(jsonb, text), private.read_vehicle(jsonb),
  private.vehicle_fit(private.vehicle, private.vehicle), private.walk_minutes(numeric)
to anon, authenticated;
