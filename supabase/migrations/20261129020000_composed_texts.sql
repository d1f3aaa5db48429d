-- Texts of commands are in NFC, by every door: their lengths count composed letters, of Hangul too.
--
-- The definitions are those of supabase/schemas after this change. The way back: the functions as they were, then
-- drop private.composed.

set lock_timeout = '2s';

-- A text in NFC, except for compatibility ideographs, each of which it would replace by another kanji: names have them.
create function private.composed(p_text text) returns text
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return case when p_text is nfc normalized then p_text else (
    select string_agg(case when m.part[1] ~ '[\uf900-\ufaff\U0002f800-\U0002fa1f]' then m.part[1] else normalize(m.part[1], nfc) end, '' order by m.nth)
    from regexp_matches(p_text, '[\uf900-\ufaff\U0002f800-\U0002fa1f]+|[^\uf900-\ufaff\U0002f800-\U0002fa1f]+', 'g') with ordinality as m (part, nth)
  ) end;
end
$$;

grant execute on function private.composed(text) to anon, authenticated;

-- A text without its invisible characters: control characters but tabs and line breaks, marks of direction, fillers, and
-- joiners and selectors that have nothing to join or to select. Emoji, flags, and scripts that need them keep them.
create or replace function private.visible_text(p_text text) returns text
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
declare
  c_joined constant text := '\u0600-\u0dff\u2600-\u27bf\ufe0f\U0001f000-\U0001faff';
  v_text text := regexp_replace(private.composed(p_text), '[\u2028\u2029]|\r\n?', e'\n', 'g');
begin
  v_text := regexp_replace(v_text,
    '[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]',
    '', 'g');
  v_text := regexp_replace(v_text, format('(?<![%1$s])[\u200c\u200d]|[\u200c\u200d](?![%1$s])', c_joined), '', 'g');
  v_text := regexp_replace(v_text, '(?<![\U0001f3f4\U000e0020-\U000e007e])[\U000e0000-\U000e007f]+', '', 'g');
  v_text := regexp_replace(v_text, '(?<![^[:space:]])[\ufe00-\ufe0f\U000e0100-\U000e01ef]+', '', 'g');
  return case when v_text ~ '[^[:space:]\u00a0\u2800\u0300-\u036f]' then v_text else '' end;
end
$$;

-- Calls a command, or a read-only function of the interface, by name and as the current role. Arguments are read as the
-- Data API reads them, their texts composed; an absent one has its default. Returns the reply as the Data API would, null
-- for none. Errors: validation_error, not_found, and those of the function.
create or replace function private.call_by_name(p_function text, p_arguments jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_function pg_catalog.pg_proc;
  v_names text[];
  v_record text;
  v_call text;
  v_reply jsonb;
begin
  p_arguments := private.composed(p_arguments::text)::jsonb;
  if jsonb_typeof(p_arguments) is distinct from 'object' then
    perform private.raise_error('validation_error', 422, 'arguments must be an object.', p_param => 'arguments');
  end if;
  select * into v_function from pg_catalog.pg_proc
  where proname = p_function
    and (
      pronamespace = 'commands'::regnamespace
      or pronamespace = 'api'::regnamespace
        and (provolatile <> 'v' or current_user = 'service_role' and proname like 'admin\_%')
    );
  select coalesce(array_agg(a.name), '{}'), string_agg(format('%I %s', a.name, format_type(a.type, null)), ', '),
    format('%s(%s)', v_function.oid::regproc, string_agg(format('%1$I => a.%1$I', a.name), ', '))
  into v_names, v_record, v_call
  from unnest(v_function.proargnames[1:v_function.pronargs], v_function.proargtypes::oid[]) as a (name, type)
  where p_arguments ? a.name;
  if v_function.oid is null or exists (select from jsonb_object_keys(p_arguments) as k where k <> all (v_names)) then
    perform private.raise_error('not_found', 404, 'There is no function with this name and these arguments.', p_param => 'function');
  end if;

  v_record := 'from ' || coalesce('jsonb_to_record($1) as a(' || v_record || ')', '(values (1)) as a (none)');
  if v_function.proretset then
    execute format('select coalesce(jsonb_agg(to_jsonb(r)), ''[]'') %s, lateral %s as r', v_record, v_call)
    into v_reply using p_arguments;
  elsif v_function.prorettype = 'void'::regtype then
    execute format('select %s %s', v_call, v_record) using p_arguments;
  else
    execute format('select to_jsonb(%s) %s', v_call, v_record) into v_reply using p_arguments;
  end if;
  return v_reply;
end
$$;

-- Whether this is an array of at most p_max texts of 1 to p_max_length characters.
create or replace function private.is_text_list(p_value jsonb, p_max integer, p_max_length integer) returns boolean
language plpgsql immutable
set search_path = ''
as $$
begin
  return case when jsonb_typeof(p_value) = 'array' and jsonb_array_length(p_value) <= p_max then not exists (
    select from jsonb_array_elements(p_value) as e
    where jsonb_typeof(e) <> 'string' or char_length(private.composed(e #>> '{}')) not between 1 and p_max_length
  ) else false end;
end
$$;

-- The error of a condition of SearchQueryV1; null when it is valid. private.read_vehicle checks vehicle.
create or replace function private.search_query_fault(p_key text, p_value jsonb) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return case
    when p_key = 'v' then case when p_value <> '1' then 'v must be 1.' end
    when p_key = 'center' then
      case when jsonb_typeof(p_value) = 'object' and p_value - '{lat,lng,placeName}'::text[] = '{}'
        and jsonb_typeof(p_value -> 'lat') = 'number' and jsonb_typeof(p_value -> 'lng') = 'number'
        and abs((p_value ->> 'lat')::numeric) <= 90 and abs((p_value ->> 'lng')::numeric) <= 180
        and coalesce(jsonb_typeof(p_value -> 'placeName'), 'string') = 'string'
        and char_length(private.composed(coalesce(p_value ->> 'placeName', ''))) <= 200 then null
        else 'center must be {lat, lng, placeName}.' end
    when p_key = 'radius_m' then
      case when private.is_whole_number(p_value, 1, 50000) then null else 'radius_m must be between 1 and 50000.' end
    when p_key in ('price_min', 'price_max') then
      case when p_value = 'null' or private.is_whole_number(p_value, 0, 100000) then null
        else format('%s must be between 0 and 100000.', p_key) end
    when p_key = 'attributes' then
      case when private.is_text_list(p_value, 20, 50)
        and not exists (
          select from jsonb_array_elements_text(p_value) as a
          where not exists (select from public.codes c where c.category_id = 'attribute' and c.code = a)
        ) then null else 'attributes must be an array of at most 20 codes of the category attribute.' end
    when p_key = 'difficulty' then
      case when private.is_text_list(p_value, 3, 10) and p_value <@ '["easy", "normal", "hard"]' then null
        else 'difficulty must be an array of at most 3 of easy, normal and hard.' end
    when p_key = 'operator_codes' then
      case when private.is_text_list(p_value, 50, 50) then null else 'operator_codes must be an array of at most 50 codes.' end
    when p_key = 'vehicle' then null
    when p_key = 'keywords' then
      case when not private.is_text_list(p_value, 10, 50) then 'keywords must be an array of at most 10 words of 1 to 50 characters.'
        when exists (select from jsonb_array_elements_text(p_value) as k where private.search_text(k) = '')
          then 'A keyword must not be blank.' end
    when p_key = 'meter_ticket_included' then
      case when jsonb_typeof(p_value) <> 'boolean' then 'meter_ticket_included must be true or false.' end
    when p_key = 'sort' then
      case when p_value not in ('"distance"', '"price"', '"recommended"')
        then 'sort must be distance, price or recommended.' end
    else format('A search has no field %s. Remove it.', p_key)
  end;
end
$$;


create or replace function api.list_places(
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
