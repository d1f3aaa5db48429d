-- The interface of places: suggestions while typing, and a place by its id.
--
-- Clients and the service call these functions. The rules are in places.sql.

create function api.list_places(
  p_q text, p_lat double precision default null, p_lng double precision default null, p_limit integer default 8, p_lang text default 'ja'
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  if p_q is null or char_length(private.composed(p_q)) not between 1 and 100 or btrim(p_q, E' \t\n\r　') = '' then
    perform private.raise_error('validation_error', 422, 'q must be 1 to 100 characters, not only blanks.', p_param => 'q');
  elsif (p_lat is null) <> (p_lng is null) then
    perform private.raise_error('validation_error', 422, 'lat and lng must be given together.',
      p_param => case when p_lat is null then 'lat' else 'lng' end);
  elsif not coalesce(p_lat between -90 and 90, true) then
    perform private.raise_error('validation_error', 422, 'lat must be from -90 to 90.', p_param => 'lat');
  elsif not coalesce(p_lng between -180 and 180, true) then
    perform private.raise_error('validation_error', 422, 'lng must be from -180 to 180.', p_param => 'lng');
  elsif not coalesce(p_limit between 1 and 20, false) then
    perform private.raise_error('validation_error', 422, 'limit must be from 1 to 20.', p_param => 'limit');
  elsif not coalesce(p_lang in ('ja', 'en'), false) then
    perform private.raise_error('validation_error', 422, 'lang must be ja or en.', p_param => 'lang');
  end if;
  return jsonb_build_object('items', (
    select coalesce(jsonb_agg(private.place_item(f.place, p_lang) order by (f.place).score desc, (f.place).id), '[]')
    from (
      select n.place from (
        select p as place from private.find_places(p_q, p_lat, p_lng, p_limit) p
        union all
        select l as place from private.lots_by_name(p_q, p_lat, p_lng, p_limit) l
      ) n
      order by (n.place).score desc, (n.place).id
      limit p_limit
    ) f
  ));
end
$$;

comment on function api.list_places(text, double precision, double precision, integer, text) is
  'The p_limit (1..20) best places for the text that a user has typed so far, best first: {items: [{id, kind, name, name_en, area, lat, lng, radius_m}]}. p_lat, p_lng: the middle of the map, where places are preferred. p_lang: ja or en, the language of area. Reads only. Errors: validation_error.';

create function api.read_place(p_id text, p_lang text default 'ja') returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_item jsonb;
begin
  if coalesce(p_id, '') !~ '^([0-9]{1,16}|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$' then
    perform private.raise_error('validation_error', 422, 'id must be the id of a place: up to 16 digits, or the UUID of a lot.', p_param => 'id');
  elsif not coalesce(p_lang in ('ja', 'en'), false) then
    perform private.raise_error('validation_error', 422, 'lang must be ja or en.', p_param => 'lang');
  end if;
  select private.place_item(p, p_lang) into v_item from private.place_by_id(p_id) p;
  if v_item is null then
    perform private.raise_error('not_found', 404, 'There is no place with this id.', p_param => 'id');
  end if;
  return v_item;
end
$$;

comment on function api.read_place(text, text) is
  'A place by its id, as api.list_places returns it. p_lang: ja or en, the language of area. Reads only. Errors: validation_error, not_found.';

grant execute on function
  api.list_places(text, double precision, double precision, integer, text), api.read_place(text, text)
to anon, authenticated;
