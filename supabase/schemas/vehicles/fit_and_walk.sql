-- Fit and walk: whether a vehicle fits into a lot, and how long the walk from the lot to the destination takes.
--
-- A vehicle and the limits of a lot are both a private.vehicle, measure by measure. A vehicle fits when every given measure is
-- within the limit of the lot. If a limit of the lot is unknown, the fit is unknown.
--
-- Invariants: fits is true only when the limits for all given measures are known and met, false as soon as one limit is
-- exceeded, null otherwise.
-- Interface: for search, nearby and detail private.read_vehicle(json), private.vehicle_fit(vehicle, limits) and
-- private.walk_minutes(distance).

-- The error of a measure of a vehicle, which must be a number or null; null when it is valid.
create function private.measure_fault(p_measure text, p_value jsonb) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return (
    select case
      when b.most is null then format('A vehicle has no field %s. Remove it.', p_measure)
      when jsonb_typeof(p_value) = 'null' then null
      when case when jsonb_typeof(p_value) = 'number' then p_value::numeric > b.above and p_value::numeric <= b.most
        and (not b.is_whole or p_value::numeric = trunc(p_value::numeric)) else false end then null
      when b.is_whole then format('%s must be a whole number from %s to %s.', p_measure, b.above + 1, b.most)
      else format('%s must be a number above %s and at most %s.', p_measure, b.above, b.most)
    end
    from (values (0)) as one (n)
    left join (
      values ('height_m', 0, 10, false), ('width_m', 0, 5, false), ('length_m', 0, 20, false), ('weight_t', 0, 50, false),
        ('clearance_cm', -1, 100, true), ('tire_width_mm', 0, 500, true)
    ) as b (measure, above, most, is_whole) on b.measure = p_measure
  );
end
$$;

-- Reads the vehicle of a search: an object of measures, each a number or null. Null: there is no vehicle. Errors:
-- validation_error.
create function private.read_vehicle(p_vehicle jsonb) returns private.vehicle
language plpgsql stable
set search_path = ''
as $$
declare
  v_measure text;
  v_fault text;
begin
  if coalesce(jsonb_typeof(p_vehicle), 'null') = 'null' then
    return null;
  elsif jsonb_typeof(p_vehicle) <> 'object' then
    perform private.raise_error('validation_error', 422, 'vehicle must be an object.', p_param => 'vehicle');
  end if;
  for v_measure, v_fault in select g.key, private.measure_fault(g.key, g.value) from jsonb_each(p_vehicle) as g loop
    if v_fault is not null then
      perform private.raise_error('validation_error', 422, v_fault, p_param => 'vehicle.' || v_measure);
    end if;
  end loop;
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
  private.measure_fault(text, jsonb), private.read_vehicle(jsonb),
  private.vehicle_fit(private.vehicle, private.vehicle), private.walk_minutes(numeric)
to anon, authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Search presets in the console
-- ---------------------------------------------------------------------------------------------------------------------

grant execute on function private.measure_fault(text, jsonb) to service_role;
