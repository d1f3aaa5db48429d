-- Places are found with words around their names, and in more spellings: near Shibuya, 渋谷駅南口, JR新宿駅, 〒100-0005.
--
-- An address is its town and no station of its name. A municipality is found in its city or prefecture. A wrong kanji is corrected.
-- The keys of names that begin with お change: the next `deno task places` writes the places again.
-- The definitions are those of supabase/schemas after this change. The way back: the functions as they were, then
-- drop private.name_in_question; the indexes may keep their fillfactor.

set lock_timeout = '2s';

-- Only whole versions of the data are written: the pages of these indexes are full too, from the next load on.
alter index private.place_names_pkey set (fillfactor = 100);
-- pgls-ignore lint/safety/avoidWideLockWindow: a setting of an index of the same table, which reads no row
alter index private.place_names_first_idx set (fillfactor = 100);
-- pgls-ignore lint/safety/avoidWideLockWindow: a setting of an index of the same table, which reads no row
alter index private.place_names_second_idx set (fillfactor = 100);
-- pgls-ignore lint/safety/avoidWideLockWindow: a setting of an index of the same table, which reads no row
alter index private.place_names_cell_idx set (fillfactor = 100);

-- The key of a name that private.place_key does not read at once.
create or replace function private.folded_name(p_text text) returns text
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
declare
  v_jo integer;
  v_key text := translate(
    private.plain_text(p_text),
    '-.,''’‘`´/()「」『』【】[]{}_&!:;"“”~#*+?、。〈〉《》ー',
    ''
  );
begin
  if strpos(v_key, '丁目') > 0 then
    v_key := private.chome_digits(v_key);
  end if;
  if v_key ~ '[0-9]条' then
    -- The streets of Sapporo are 北五条西 in the data, and 北5条西 in addresses.
    v_jo := substring(v_key from '([0-9]{1,2})条');
    v_key := regexp_replace(v_key, '[0-9]{1,2}条', concat(substr('二三四五六七八九', v_jo / 10 - 1, (v_jo >= 20)::integer),
      case when v_jo >= 10 then '十' end, substr('一二三四五六七八九', v_jo % 10, (v_jo % 10 > 0)::integer), '条'));
  end if;
  if v_key ~ '[ァ-ヴ之乃]' then
    v_key := regexp_replace(regexp_replace(v_key, '^オ(?=[一-龠])', '御'), '([一-龠々])[ケガ]([一-龠])', '\1ガ\2', 'g');
    v_key := private.kana_romaji(regexp_replace(v_key, '([一-龠々])[之乃]([一-龠])', '\1ノ\2', 'g'));
  end if;
  if left(v_key, 1) in ('大', '字') then
    v_key := regexp_replace(v_key, '^(大?字)(.)', '\2');
  end if;
  if v_key ~ 'o[ouh]|m[bmp]|uu|aa|ii|ee|kk|ss|tt|pp|nn|ll|tch|jy|[1-9]chome' then
    v_key := replace(replace(replace(replace(replace(v_key, 'mb', 'nb'), 'mm', 'nm'), 'mp', 'np'), 'tch', 'ch'), 'jy', 'j');
    v_key := replace(replace(replace(replace(replace(replace(v_key, 'oo', 'o'), 'ou', 'o'), 'uu', 'u'), 'aa', 'a'), 'ii', 'i'), 'ee', 'e');
    v_key := replace(replace(replace(replace(replace(replace(v_key, 'kk', 'k'), 'ss', 's'), 'tt', 't'), 'pp', 'p'), 'nn', 'n'), 'll', 'l');
    if strpos(v_key, 'oh') > 0 then
      v_key := regexp_replace(v_key, 'oh([^aeiouy]|$)', 'o\1', 'g');
    end if;
    if v_key ~ '[1-9]chome' then
      v_key := replace(replace(replace(replace(replace(replace(replace(replace(replace(v_key,
        '1chome', 'ichome'), '2chome', 'nichome'), '3chome', 'sanchome'), '4chome', 'yonchome'), '5chome', 'gochome'),
        '6chome', 'rokuchome'), '7chome', 'nanachome'), '8chome', 'hachome'), '9chome', 'kyuchome');
    end if;
  end if;
  return v_key;
end
$$;

-- Keys that a mistyped key may stand for: a letter too many, two letters or kana swapped, and for Latin letters one that is
-- wrong or missing. Also の between kanji, し or ち for じ, and the other system of romanization (sibuya for shibuya).
create or replace function private.misspelt_keys(p_key text) returns table (key text)
language plpgsql immutable strict parallel safe rows 500
set search_path = ''
as $$
begin
  return query
    -- A key may come twice: union without all would clear a table for 50,000 keys at each call.
    select k.key from (
      select regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(p_key,
        '([^sc]|^)hu', '\1fu', 'g'), '([st])y([auo])', '\1h\2', 'g'), 'th([auo])', 'ch\1', 'g'),
        'si', 'shi', 'g'), 'ti', 'chi', 'g'), 'tu', 'tsu', 'g'), 'z(i|y)', 'j\1', 'g') as key
      union all
      select replace(regexp_replace(regexp_replace(p_key, 'z(i|y)', 'j\1', 'g'), 'ty([auo])', 'ch\1', 'g'), 'jy', 'j')
      union all
      select regexp_replace(p_key, '([一-龠])no([一-龠])', '\1\2')
      union all
      select left(p_key, n - 1) || 'j' || substr(p_key, n + 2)
      from generate_series(1, char_length(p_key) - 1) as n where substr(p_key, n, 2) in ('sh', 'ch')
      union all
      select left(p_key, n) || regexp_replace(substr(p_key, n + 1), '^([^aiueo]{1,2}[aiueo])([^aiueo]{1,2}[aiueo])', '\2\1')
      from generate_series(0, char_length(p_key) - 4) as n
      union all
      -- A letter too many. Without the last one a key is only shorter.
      select left(p_key, n - 1) || substr(p_key, n + 1) from generate_series(1, char_length(p_key) - 1) as n
      union all
      select left(p_key, n - 1) || substr(p_key, n + 1, 1) || substr(p_key, n, 1) || substr(p_key, n + 2)
      from generate_series(1, char_length(p_key) - 1) as n
      union all
      select left(p_key, n - 1) || a.letter || substr(p_key, n + w.width)
      from generate_series(1, char_length(p_key)) as n
      cross join (values (0), (1)) as w (width)
      cross join string_to_table('a,i,u,e,o,k,s,t,n,h,m,y,r,w,g,z,d,b,p,j,f,c,l,v', ',') as a (letter)
      where p_key ~ '^[a-z0-9]+$' or w.width = 1 and p_key ~ '[a-z]{3}'
    ) k
    where k.key <> p_key;
end
$$;

-- Places that a mistyped key may stand for, by their whole names; a longer key also by the beginning of a name. Of a name in
-- kanji each but the first may be another: 新塾 is 新宿.
create or replace function private.places_by_misspelling(p_key text) returns table (id bigint, is_whole boolean)
language plpgsql stable rows 20
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_keys constant text[] := array(select m.key from private.misspelt_keys(p_key) m);
begin
  return query
    select k.id, k.is_whole from private.places_by_key(v_keys) k
    union
    select n.id, false
    from unnest(v_keys) as k (key)
    cross join lateral (
      select n.place_id as id from private.place_names n
      where n.key > k.key and n.key <= k.key || chr(1114111)
      order by n.key limit 20
    ) n
    where char_length(p_key) >= 5
    union
    select n.id, true
    from generate_series(1, char_length(p_key) - 1) as g (n_before)
    cross join lateral (
      select n.place_id as id from private.place_names n
      where n.key >= left(p_key, n_before) and n.key <= left(p_key, n_before) || chr(1114111)
        and char_length(n.key) = char_length(p_key) and substr(n.key, n_before + 2) = substr(p_key, n_before + 2)
      limit 20
    ) n
    where p_key ~ '^[一-龠]{2,8}$';
end
$$;

drop function private.places_in_areas(text, bigint[], boolean);

-- The places of these municipalities with a key, or those whose names begin with it: all where fewer than 200 names of the
-- country begin so, otherwise the 60 most important. The municipalities themselves too, with a key. None when there are no
-- municipalities.
create function private.places_in_areas(p_key text, p_areas bigint[], p_is_prefix boolean)
returns table (id bigint, is_whole boolean)
language plpgsql stable rows 5
set search_path = ''
set plan_cache_mode = force_generic_plan -- each part is a look-up in an index
as $$
declare
  c_end constant text := p_key || chr(1114111); -- after every text that begins with the key
  v_whole bigint[];
  v_ids bigint[];
begin
  if p_areas is null or coalesce(p_key, '') = '' then
    return;
  end if;
  v_whole := array(select k.id from private.places_by_key(array[p_key]) k);
  return query
    select p.id, true from private.places p where p.id = any (v_whole) and (p.parent_id = any (p_areas) or p.id = any (p_areas));
  if p_is_prefix then
    v_ids := array(
      (select n.place_id from private.place_names n where n.key >= p_key and n.key <= c_end order by n.key limit 200)
      union all
      (select p.id from private.places p where p.key_ja >= p_key and p.key_ja <= c_end order by p.key_ja limit 200)
      union all
      (select p.id from private.places p where p.key_en >= p_key and p.key_en <= c_end order by p.key_en limit 200)
    );
  end if;
  if cardinality(v_ids) < 200 then
    return query select p.id, false from private.places p where p.id = any (v_ids) and p.parent_id = any (p_areas);
  elsif p_is_prefix then
    return query
      select p.id, false from private.places p
      where p.parent_id = any (p_areas) and case
        when p.key_ja is not null then p.key_ja ^@ p_key or p.key_en ^@ p_key
        -- The names that begin so in the cell of the place. The limit keeps this a look-up.
        else (
          select true from private.place_names n
          where n.cell = private.place_cell(p.lat, p.lng) and left(n.key, 1) = left(p_key, 1) and n.key ^@ p_key and n.place_id = p.id
          limit 1
        )
      end
      order by p.importance desc, p.id
      limit 60;
  end if;
end
$$;

-- The name in a question that has words around it: a postcode, an exit, how near it is to be, what is looked for. Without such
-- words after it, also without those before it, as a line or its company: 京王八王子 駐車場 is 京王八王子. Null when there are none.
create function private.name_in_question(p_text text) returns text
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
declare
  c_before constant text[] := '{"日本、","日本 ",jr,jr東日本,jr東海,jr西日本,jr九州,jr北海道,jr四国,"shinkansen ",地下鉄,東京メトロ,大阪メトロ,メトロ,都営,市営,'
    '東急,京急,京王,京成,小田急,西武,東武,相鉄,近鉄,阪急,阪神,京阪,南海,名鉄,西鉄,つくばエクスプレス,駐車場,コインパーキング,パーキング,安い,月極,'
    '"cheap ","where to park ","near ","around ","close to ","next to ","in ","at ","to ","the ","station ","parking ","parking lot ","car park "}';
  c_after constant text[] := '{の,に,で,へ,を,から,まで,周辺,付近,近辺,近く,近い,近所,そば,辺り,あたり,らへん,界隈,方面,エリア,行き,行きたい,駐,駐車,駐車場,'
    'コインパーキング,パーキング,時間貸し,最大料金,安い,月極,バイク," parki"," parkin"," parking"," parking lot"," car park"," nearby"," area",'
    '" japan"," exit"," gate"," north"," south"," east"," west"," central"}';
  c_around constant text := ' ,、。';
  v_text constant text := lower(normalize(p_text, nfkc));
  v_name text := regexp_replace(regexp_replace(v_text, '〒?\s*(?<![0-9])[0-9]{3}-?[0-9]{4}(?![0-9])', ' '),
    '[@\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]', ' ', 'g');
  v_last text;
begin
  v_name := regexp_replace(v_name, '^(.*[^の]駅|.+\y(station|sta|stn|eki)\y)[^駅]+$', '\1');
  loop
    v_last := v_name;
    v_name := btrim(v_name, c_around);
    v_name := left(v_name, char_length(v_name)
      - coalesce((select max(char_length(w)) from unnest(c_after) as w where right(v_name, char_length(w)) = w), 0));
    v_name := regexp_replace(v_name, '([東西南北中央]{1,3}口|[a-z]?[0-9]*[a-z]?番?(出口|改札)|徒歩[0-9]*分?)$', '');
    exit when v_name = v_last;
  end loop;
  if v_name = btrim(v_text, c_around) then
    loop
      v_last := v_name;
      v_name := btrim(v_name, c_around);
      v_name := substr(v_name, 1 + coalesce((select max(char_length(w)) from unnest(c_before) as w where v_name ^@ w), 0));
      v_name := regexp_replace(v_name, '^[^\s駅]{2,9}線(?=.)', '');
      exit when v_name = v_last;
    end loop;
  end if;
  return nullif(nullif(v_name, v_text), '');
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
declare
  c_whole constant real := 25;
  c_in_area constant real := 5;
  c_corrected constant real := -45;
  v_text constant text := private.chome_digits(private.plain_text(left(p_text, 200)));
  v_key constant text := left(private.place_key(left(p_text, 200)), 100);
  v_words text[];
  v_ids bigint[];
  v_bonus real[];
  v_more_ids bigint[];
  v_found text[];
  v_name text;
  v_base text;
  v_chome integer;
  v_has_whole boolean;
begin
  if v_key = '' then
    return;
  end if;

  -- The question as it is. Shimbashi is written with n in keys, so a question that ends with m may go on with a b.
  if p_is_prefix and char_length(v_key) <= 2 then
    select array_agg(h.id), array_agg(case when h.is_whole then c_whole else 0 end) into v_ids, v_bonus
    from private.places_by_first_characters(v_key, p_lat, p_lng) h;
  elsif p_is_prefix then
    select array_agg(h.id), array_agg(case when h.is_whole then c_whole else 0 end) into v_ids, v_bonus
    from private.places_by_beginning(case when v_key ~ '[a-z]m$'
      then array[v_key, left(v_key, -1) || 'nb', left(v_key, -1) || 'nm', left(v_key, -1) || 'np'] else array[v_key] end,
      p_lat, p_lng) h;
  else
    select array_agg(h.id), array_agg(c_whole) into v_ids, v_bonus from private.places_by_key(array[v_key]) h;
  end if;
  v_ids := coalesce(v_ids, '{}');
  v_bonus := coalesce(v_bonus, '{}');

  -- With the word for its kind: 新宿駅, Shinjuku Station, Minato City; while typing also a part of that word.
  v_found := regexp_match(v_key, '^(.+?)(駅|station|sta|stn|eki|city|ward|town|village|ic|inta|intachenji|interchange|jankushon|junction|(?<=[一-龠])[sp]a|sabisueria|servicearea|pakingueria|parkingarea)$');
  v_name := coalesce(v_found[1], v_key);
  if v_found is null and p_is_prefix and v_ids = '{}' then
    v_found := regexp_match(v_key, '^(.{3,}?)(st?|stat|stati|statio|ek?|ci|cit|wa|war|inter.*)$');
  end if;
  if v_found is not null then
    v_more_ids := array(
      select h.id from private.places_by_key(array[v_found[1] || case when left(v_found[2], 1) = 'j' then 'jct' else '' end]) h
      join private.places p on p.id = h.id
      where p.kind = case when v_found[2] ~ '^(駅|s$|st|e)' then 'station' when v_found[2] ~ '^[ctvw]' then 'municipality' else 'interchange' end);
    v_ids := v_ids || v_more_ids;
    v_bonus := v_bonus || array_fill(c_whole + 10, array[cardinality(v_more_ids)]);
  end if;

  -- An address: the name of a town, then 丁目 and numbers; in Latin letters the numbers come first.
  if v_text ~ '[0-9]' then
    v_found := coalesce(
      regexp_match(v_text, '^(?![0-9]+-?chome)(.*?[^0-9-])-?([0-9]{1,2})(?:丁目|-?chome|-[0-9]|番|$)'),
      regexp_match(regexp_replace(v_text, '^([0-9]{1,2})[-0-9]*(-?chome)?[-0-9]*,?([^0-9].*)$', '\3#\1'), '^(.*)#(.*)$'));
    v_base := private.place_key(v_found[1]);
    v_chome := v_found[2];
    v_more_ids := array(
      select h.id from private.places_by_key(array[v_base]) h join private.places p on p.id = h.id and p.kind = 'town');
    v_ids := v_ids || v_more_ids;
    v_bonus := v_bonus || array_fill(c_whole, array[cardinality(v_more_ids)]);
  end if;

  -- In a municipality or prefecture: 東京都港区六本木, Fuchu, Hiroshima. An address with numbers is only a town.
  if c_whole > all (v_bonus) then
    v_words := array(
      select w.word from regexp_split_to_table(left(p_text, 200), '[,、，()（）[:space:]　]+') as w (word)
      where w.word !~* '^([0-9０-９][-0-9０-９]*)?(-?chome[-0-9]*)?$');
    select v_ids || coalesce(array_agg(h.id), '{}'),
      v_bonus || coalesce(array_agg(case when h.is_whole then c_whole else c_in_area end), '{}')
    into v_ids, v_bonus
    from (
      select a.rest as key, a.area_ids from private.areas_of_key(coalesce(v_base, v_key)) a
      union all
      select regexp_replace(private.place_key(w.name), '駅$', ''), private.areas_of_words(w.others) from (values
        (v_words[1], v_words[2:]),
        (v_words[cardinality(v_words)], v_words[:cardinality(v_words) - 1])
      ) as w (name, others)
      where cardinality(v_words) > 1
    ) a
    cross join lateral private.places_in_areas(a.key, a.area_ids, p_is_prefix and v_base is null) as h
    join private.places p on p.id = h.id and (v_base is null or p.kind = 'town');
  end if;

  -- With words around the name: near Shibuya, 渋谷駅南口.
  if p_is_prefix and v_ids = '{}' then
    return query
      select f.* from private.name_in_question(p_text) as n (name)
      cross join lateral private.find_places(n.name, p_lat, p_lng, p_limit) f
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
    with best as materialized (
      select p, h.bonus, v_chome <= p.chome and h.bonus = c_whole as has_chome,
        p.importance + h.bonus + coalesce(private.nearness(p.lat, p.lng, p_lat, p_lng), 0) as score
      from (select a.id, max(a.bonus) as bonus from unnest(v_ids, v_bonus) as a (id, bonus) group by a.id) h
      join private.places p on p.id = h.id
      order by score desc, p.id
      limit p_limit
    )
    select (b.p).id::text, (b.p).kind,
      (b.p).name || case when b.has_chome then v_chome || '丁目' else '' end,
      (b.p).name_en || case when b.has_chome then ' ' || v_chome || '-chome' else '' end,
      case when (b.p).lines is null then concat(g.name, a.name) else concat(g.name, a.name, ' · ', (b.p).lines) end,
      concat_ws(', ', coalesce(a.name_en, a.name), coalesce(g.name_en, g.name))
        || case when (b.p).lines is null then '' else ' · ' || (b.p).lines end,
      (b.p).lat, (b.p).lng, case when b.has_chome then 300 else (b.p).radius_m end, b.score::real, (b.p).importance,
      case when b.bonus >= c_whole then 'whole' when b.bonus < 0 then 'corrected' else 'beginning' end
    from best b
    left join private.places a on a.id = (b.p).parent_id
    left join private.places g on g.id = a.parent_id
    order by b.score desc, (b.p).id;
end
$$;
