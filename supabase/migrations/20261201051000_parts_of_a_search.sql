-- Parts of a search of places: each step of a question is a function of its own, and the last one orders what they found.
--
-- The definitions are those of supabase/schemas after this change. Every question has the same answer. The way back: the
-- functions as they were, in one transaction.

set lock_timeout = '2s';

-- The places whose names are a key; with p_is_prefix also those whose names begin with it.
create function private.places_by_question(p_key text, p_lat double precision, p_lng double precision, p_is_prefix boolean)
returns table (id bigint, is_whole boolean)
language plpgsql stable rows 100
set search_path = ''
as $$
begin
  if p_is_prefix and char_length(p_key) <= 2 then
    return query select * from private.places_by_first_characters(p_key, p_lat, p_lng);
  elsif p_is_prefix and p_key ~ '[a-z]m$' then
    -- Shimbashi is written with n in keys: a question that ends with m may go on with a b.
    return query select * from private.places_by_beginning(
      array[p_key, left(p_key, -1) || 'nb', left(p_key, -1) || 'nm', left(p_key, -1) || 'np'], p_lat, p_lng);
  elsif p_is_prefix then
    return query select * from private.places_by_beginning(array[p_key], p_lat, p_lng);
  else
    return query select * from private.places_by_key(array[p_key]);
  end if;
end
$$;

-- The places with a key that are of the kind of a word, whole or unfinished: 駅, station, city, ic.
create function private.places_of_kind(p_key text, p_word text) returns setof bigint
language plpgsql stable rows 5
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
begin
  return query
    select h.id
    from private.places_by_key(array[p_key || case when left(p_word, 1) = 'j' then 'jct' else '' end]) h
    join private.places p on p.id = h.id
    where p.kind = case
      when p_word ~ '^(駅|s$|st|e)' then 'station' when p_word ~ '^[ctvw]' then 'municipality' else 'interchange'
    end;
end
$$;

-- The town of an address and its 丁目, {town, chome}. The numbers come after the name, in Latin letters also before it:
-- 六本木6丁目, 6-chome Roppongi. Null when a text is no address.
create function private.town_and_chome(p_text text) returns text[]
language sql immutable
return coalesce(
  regexp_match(p_text, '^(?![0-9]+-?chome)(.*?[^0-9-])-?([0-9]{1,2})(?:丁目|-?chome|-[0-9]|番|$)'),
  regexp_match(regexp_replace(p_text, '^([0-9]{1,2})[-0-9]*(-?chome)?[-0-9]*,?([^0-9].*)$', '\3#\1'), '^(.*)#(.*)$')
);

-- The places that a question names with their municipality or prefecture: 東京都港区六本木; Fuchu, Hiroshima. p_key is that of
-- the question. With p_town, the key of an address, only the towns of that key.
create function private.places_with_area(p_text text, p_key text, p_town text, p_is_prefix boolean)
returns table (id bigint, is_whole boolean)
language plpgsql stable rows 5
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
declare
  v_words constant text[] := array(
    select w.word from regexp_split_to_table(left(p_text, 200), '[,、，()（）[:space:]　]+') as w (word)
    where w.word !~* '^([0-9０-９][-0-9０-９]*)?(-?chome[-0-9]*)?$');
begin
  return query
    select h.id, h.is_whole
    from (
      select a.rest as key, a.area_ids from private.areas_of_key(coalesce(p_town, p_key)) a
      union all
      select regexp_replace(private.place_key(w.name), '駅$', ''), private.areas_of_words(w.others) from (values
        (v_words[1], v_words[2:]),
        (v_words[cardinality(v_words)], v_words[:cardinality(v_words) - 1])
      ) as w (name, others)
      where cardinality(v_words) > 1
    ) a
    cross join lateral private.places_in_areas(a.key, a.area_ids, p_is_prefix and p_town is null) as h
    join private.places p on p.id = h.id and (p_town is null or p.kind = 'town');
end
$$;

-- The prefecture and the municipality of a place, and the lines of a station.
create function private.place_area(p_prefecture text, p_municipality text, p_lines text) returns text
language sql stable
return concat(p_prefecture, p_municipality, ' · ' || p_lines);

-- The same in English.
create function private.place_area_en(p_prefecture text, p_municipality text, p_lines text) returns text
language sql stable
return concat(concat_ws(', ', p_municipality, p_prefecture), ' · ' || p_lines);

-- The places that a question may mean, each with its bonus and match (private.find_places), and with the 丁目 of an address. Of
-- few places, fewer than p_limit, typing errors are corrected.
create function private.place_matches(
  p_text text, p_lat double precision, p_lng double precision, p_limit integer, p_is_prefix boolean
) returns table (id bigint, bonus real, match text, chome integer)
language plpgsql stable rows 100
set search_path = ''
as $$
#variable_conflict use_column
declare
  c_whole constant real := 25;
  c_in_area constant real := 5;
  c_corrected constant real := -45;
  v_text constant text := private.chome_digits(private.plain_text(left(p_text, 200)));
  v_key constant text := left(private.place_key(left(p_text, 200)), 100);
  v_ids bigint[];
  v_bonus real[];
  v_more_ids bigint[];
  v_found text[];
  v_name text;
  v_town text;
  v_chome integer;
begin
  if v_key = '' then
    return;
  end if;

  -- The question as it is.
  select coalesce(array_agg(h.id), '{}'), coalesce(array_agg(case when h.is_whole then c_whole else 0 end), '{}')
  into v_ids, v_bonus
  from private.places_by_question(v_key, p_lat, p_lng, p_is_prefix) h;

  -- With the word for its kind: 新宿駅, Shinjuku Station, Minato City; while typing also a part of that word.
  v_found := regexp_match(v_key, '^(.+?)(駅|station|sta|stn|eki|city|ward|town|village|ic|inta|intachenji|interchange|jankushon|junction|(?<=[一-龠])[sp]a|sabisueria|servicearea|pakingueria|parkingarea)$');
  v_name := coalesce(v_found[1], v_key);
  if v_found is null and p_is_prefix and v_ids = '{}' then
    v_found := regexp_match(v_key, '^(.{3,}?)(st?|stat|stati|statio|ek?|ci|cit|wa|war|inter.*)$');
  end if;
  if v_found is not null then
    v_more_ids := array(select private.places_of_kind(v_found[1], v_found[2]));
    v_ids := v_ids || v_more_ids;
    v_bonus := v_bonus || array_fill(c_whole + 10, array[cardinality(v_more_ids)]);
  end if;

  -- The town of an address.
  if v_text ~ '[0-9]' then
    v_found := private.town_and_chome(v_text);
    v_town := private.place_key(v_found[1]);
    v_chome := v_found[2];
    v_more_ids := array(
      select h.id from private.places_by_key(array[v_town]) h join private.places p on p.id = h.id and p.kind = 'town');
    v_ids := v_ids || v_more_ids;
    v_bonus := v_bonus || array_fill(c_whole, array[cardinality(v_more_ids)]);
  end if;

  -- In a municipality or prefecture. An address with numbers is only a town.
  if c_whole > all (v_bonus) then
    select v_ids || coalesce(array_agg(h.id), '{}'),
      v_bonus || coalesce(array_agg(case when h.is_whole then c_whole else c_in_area end), '{}')
    into v_ids, v_bonus
    from private.places_with_area(p_text, v_key, v_town, p_is_prefix) h;
  end if;

  -- With words around the name: near Shibuya, 渋谷駅南口.
  if p_is_prefix and v_ids = '{}' then
    return query
      select m.* from private.name_in_question(p_text) as n (name)
      cross join lateral private.place_matches(n.name, p_lat, p_lng, p_limit, true) m
      where n.name is not null;
    if found then
      return;
    end if;
  end if;

  -- Typing errors, when little was found. A key has fifty misspellings for each of its letters.
  if p_is_prefix and c_in_area > all (v_bonus) and cardinality(v_ids) < p_limit and char_length(v_key) between 3 and 24 then
    select v_ids || coalesce(array_agg(h.id), '{}'),
      v_bonus || coalesce(array_agg(case when h.is_whole then c_corrected + 15 else c_corrected end), '{}')
    into v_ids, v_bonus
    from private.places_by_misspelling(v_name) h where h.id <> all (v_ids);
  end if;

  return query
    select a.id, max(a.bonus),
      case when max(a.bonus) >= c_whole then 'whole' when max(a.bonus) < 0 then 'corrected' else 'beginning' end,
      case when max(a.bonus) = c_whole then v_chome end
    from unnest(v_ids, v_bonus) as a (id, bonus)
    group by a.id;
end
$$;

-- The places of a question, best first. With p_is_prefix a question may be the beginning of a name, and typing errors are
-- corrected; without it only whole names are found. match is whole, beginning or corrected. lat and lng are the
-- middle of the map, or null.
create or replace function private.find_places(
  p_text text, p_lat double precision default null, p_lng double precision default null, p_limit integer default 10,
  p_is_prefix boolean default true
) returns setof private.found_place
language plpgsql stable rows 10
security definer -- no role may read the tables of places directly
set search_path = ''
as $$
begin
  return query
    with best as materialized (
      select p, m.match, case when m.chome <= p.chome then m.chome end as chome,
        p.importance + m.bonus + coalesce(private.nearness(p.lat, p.lng, p_lat, p_lng), 0) as score
      from private.place_matches(p_text, p_lat, p_lng, p_limit, p_is_prefix) m join private.places p on p.id = m.id
      order by score desc, p.id
      limit p_limit
    )
    select (b.p).id::text, (b.p).kind, concat((b.p).name, b.chome || '丁目'), (b.p).name_en || coalesce(' ' || b.chome || '-chome', ''),
      private.place_area(g.name, a.name, (b.p).lines),
      private.place_area_en(coalesce(g.name_en, g.name), coalesce(a.name_en, a.name), (b.p).lines),
      (b.p).lat, (b.p).lng, case when b.chome is null then (b.p).radius_m else 300 end, b.score::real, (b.p).importance, b.match
    from best b
    left join private.places a on a.id = (b.p).parent_id
    left join private.places g on g.id = a.parent_id
    order by b.score desc, (b.p).id;
end
$$;

-- A place or a public lot by its id; no row when there is none.
create or replace function private.place_by_id(p_id text) returns setof private.found_place
language plpgsql stable rows 1
security definer -- as private.find_places
set search_path = ''
as $$
begin
  if p_id ~ '^[0-9]{1,16}$' then
    return query
      select p.id::text, p.kind, p.name, p.name_en, private.place_area(g.name, a.name, p.lines),
        private.place_area_en(coalesce(g.name_en, g.name), coalesce(a.name_en, a.name), p.lines),
        p.lat, p.lng, p.radius_m, 0::real, p.importance, 'whole'
      from private.places p
      left join private.places a on a.id = p.parent_id
      left join private.places g on g.id = a.parent_id
      where p.id = p_id::bigint;
  else
    return query
      select l.id::text, 'lot'::text, l.name, null::text, l.address, l.address,
        l.lat, l.lng, 100, 0::real, 20::smallint, 'whole'
      from private.search_entries s join public.parking_lots l on l.id = s.parking_lot_id
      where s.parking_lot_id = p_id::uuid;
  end if;
end
$$;
