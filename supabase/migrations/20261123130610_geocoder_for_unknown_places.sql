-- Search by natural language: the geocoder is queried only for places that private.places does not have.
--
-- The definition is that of supabase/schemas after this change. The way back is a file with the former definition.

create or replace function api.find_place(
  p_text text, p_geocoder text default null, p_lat double precision default null, p_lng double precision default null
) returns jsonb
language plpgsql
security definer -- no role may read or write the stored answers directly
set search_path = ''
as $$
declare
  v_text constant text := left(private.search_text(p_text), 200);
  v_kept private.geocoded_places;
  v_offline jsonb;
begin
  if v_text = '' then
    return '{"place": null, "wait_ms": null}';
  end if;
  select * into v_kept from private.geocoded_places g
  where g.geocoder = p_geocoder and g.search_text = v_text and g.found_at > now() - interval '30 days';
  if v_kept.name is not null then
    return jsonb_build_object('wait_ms', null, 'place', jsonb_build_object(
      'name', v_kept.name, 'lat', v_kept.lat, 'lng', v_kept.lng, 'source', p_geocoder, 'is_ambiguous', false));
  end if;
  v_offline := coalesce(private.place_by_name(p_text, p_lat, p_lng), private.place_by_lots(v_text, p_lat, p_lng));
  return jsonb_build_object('place', v_offline,
    'wait_ms', case when p_geocoder is not null and v_kept.geocoder is null and v_offline ->> 'source' is distinct from 'places'
      then private.take_geocoder_turn() end);
end
$$;

comment on function api.find_place(text, text, double precision, double precision) is
  'For the service: the position of a place, if known: {place: {name, lat, lng, source, is_ambiguous} or null, wait_ms}. source is the geocoder whose answer is stored, places or lots. With wait_ms the geocoder may be queried after so many milliseconds, for a place that is not in places. It raises no errors.';
