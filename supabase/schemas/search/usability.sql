-- Usability: whether a lot can be used for a stay, by what is known about it.
--
-- A lot is unusable for a stay for five reasons, codes of the category unusable_reason. closed_at_entry: it is known that no
-- car may enter at the entry. closed_at_exit: none may leave at the exit. vehicle_does_not_fit: a known limit is exceeded.
-- full: the stay begins within an hour before or after now, and the lot is full now. stay_too_long: the stay is longer than
-- max_parking_duration_min. An unknown value is no reason.
--
-- Invariants: usable_for_stay is false exactly when there is a reason. It is true when the hours at both ends and all limits
-- for the vehicle are known, and null otherwise. A lot without a current occupancy or a longest stay has no reason there.
-- Interface: private.usability for a lot whose answers are known, private.unusable_lots, private.check_usable.

-- Checks usable of a request, which may be null. Errors: validation_error.
create function private.check_usable(p_usable text) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if p_usable not in ('first', 'only') then
    perform private.raise_error('validation_error', 422, 'usable must be first or only.', p_param => 'usable');
  end if;
end
$$;

-- Whether a lot can be used for the stay, and the reasons against it. p_fit: of private.vehicle_fit, null without a vehicle;
-- p_state: the current occupancy. Without a search_path (every name has its schema), so that Postgres inlines the query.
create function private.usability(
  p_can_enter boolean, p_can_exit boolean, p_fit jsonb, p_state text, p_longest_min integer, p_entry timestamptz,
  p_exit timestamptz
) returns table (usable_for_stay boolean, unusable_reasons text[])
language sql stable rows 1
as $$
  select case when r.reasons <> '{}' then false when p_can_enter and p_can_exit and r.fits then true end, r.reasons
  from (
    select f.fits, array_remove(array[
      case when not p_can_enter then 'closed_at_entry' end,
      case when not p_can_exit then 'closed_at_exit' end,
      case when not f.fits then 'vehicle_does_not_fit' end,
      case when p_state = 'full' and p_entry between now() - interval '1 hour' and now() + interval '1 hour' then 'full' end,
      case when p_exit - p_entry > p_longest_min * interval '1 minute' then 'stay_too_long' end
    ], null) as reasons
    from (select case when p_fit is null then true else (p_fit ->> 'fits')::boolean end as fits) as f
    offset 0 -- keeps the reasons from being evaluated twice
  ) as r
$$;

-- Those of these lots that are unusable for the stay. The caller has chosen lots that the user may see.
create function private.unusable_lots(
  p_lot_ids uuid[], p_vehicle private.vehicle, p_entry timestamptz, p_exit timestamptz
) returns uuid[]
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_nestloop = off
as $$
begin
  return array(
    select l.id
    from public.parking_lots l
    left join private.hours_at_ends(p_lot_ids, p_entry, p_exit) as h on h.parking_lot_id = l.id
    left join private.occupancy_of(p_lot_ids) as o on o.parking_lot_id = l.id
    cross join lateral (
      select case when not p_vehicle is null then private.vehicle_fit(p_vehicle, row(
        l.max_height_m, l.max_width_m, l.max_length_m, l.max_weight_t, l.min_clearance_cm, l.max_tire_width_mm
      )::private.vehicle) end as fit
      offset 0 -- keeps the fit from being evaluated twice
    ) as f
    cross join lateral private.usability(
      h.can_enter, h.can_exit, f.fit, o.state, l.max_parking_duration_min, p_entry, p_exit
    ) as u
    where l.id = any (p_lot_ids) and u.usable_for_stay is false
  );
end
$$;

grant execute on function
  private.check_usable(text),
  private.usability(boolean, boolean, jsonb, text, integer, timestamptz, timestamptz),
  private.unusable_lots(uuid[], private.vehicle, timestamptz, timestamptz)
to anon, authenticated;
