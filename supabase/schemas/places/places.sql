-- Places: where a driver wants to go, found by name without a network.
--
-- private.places has prefectures, municipalities, towns, stations, interchanges and landmarks. A migration brings the
-- prefectures and municipalities; `deno task places` brings all others, and better municipalities (tools/places).
--
-- Names are compared by their keys (private.place_key), the same for stored names and for questions. A key is in the kanji of
-- the name or in Latin letters: kana becomes Latin letters, and spellings that mean the same name become one. The keys of
-- towns are two columns of the place, because towns are nine of ten places. The keys of all others are rows of
-- private.place_names, as many as a place has names.
--
-- A question is first the beginning of a name. When a name has a suffix (駅, Station, 丁目, a municipality before it), the
-- rest is looked up too. When nothing is found, words around the name are left out (private.name_in_question). When few places
-- are found, typing errors are corrected. The order is the score: the importance of the place, a bonus for its whole name, and
-- a bonus for nearness to the middle of the map.
--
-- Invariants: every key equals private.place_key of a name; only `deno task places` and migrations write the tables.
-- Interface: private.find_places, private.place_key; api.list_places, api.read_place.

-- ---------------------------------------------------------------------------------------------------------------------
-- Keys
-- ---------------------------------------------------------------------------------------------------------------------

-- The number of a 丁目 in Arabic digits, wherever a text has it in kanji: 六本木六丁目 becomes 六本木6丁目. Up to 99.
create function private.chome_digits(p_text text) returns text
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
declare
  v_found constant text := substring(p_text from '([一二三四五六七八九]?十?[一二三四五六七八九]?)丁目');
begin
  if v_found is null or v_found = '' then
    return p_text;
  end if;
  return replace(p_text, v_found || '丁目',
    private.number_of_kanji(case when strpos(v_found, '十') = 0 then right(v_found, 1) else v_found end) || '丁目');
end
$$;

-- Katakana in Latin letters (Hepburn); other characters stay.
create function private.kana_romaji(p_text text) returns text
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
declare
  v_syllables constant jsonb := '{
      "ア": "a", "イ": "i", "ウ": "u", "エ": "e", "オ": "o", "カ": "ka", "キ": "ki", "ク": "ku", "ケ": "ke",
      "コ": "ko", "サ": "sa", "シ": "shi", "ス": "su", "セ": "se", "ソ": "so", "タ": "ta", "チ": "chi", "ツ": "tsu",
      "テ": "te", "ト": "to", "ナ": "na", "ニ": "ni", "ヌ": "nu", "ネ": "ne", "ノ": "no", "ハ": "ha", "ヒ": "hi",
      "フ": "fu", "ヘ": "he", "ホ": "ho", "マ": "ma", "ミ": "mi", "ム": "mu", "メ": "me", "モ": "mo", "ヤ": "ya",
      "ユ": "yu", "ヨ": "yo", "ラ": "ra", "リ": "ri", "ル": "ru", "レ": "re", "ロ": "ro", "ワ": "wa", "ヰ": "i",
      "ヱ": "e", "ヲ": "o", "ガ": "ga", "ギ": "gi", "グ": "gu", "ゲ": "ge", "ゴ": "go", "ザ": "za", "ジ": "ji",
      "ズ": "zu", "ゼ": "ze", "ゾ": "zo", "ダ": "da", "ヂ": "ji", "ヅ": "zu", "デ": "de", "ド": "do", "バ": "ba",
      "ビ": "bi", "ブ": "bu", "ベ": "be", "ボ": "bo", "パ": "pa", "ピ": "pi", "プ": "pu", "ペ": "pe", "ポ": "po",
      "ン": "n", "ヴ": "vu", "ッ": "", "ャ": "Ya", "ュ": "Yu", "ョ": "Yo", "ァ": "A", "ィ": "I", "ゥ": "U",
      "ェ": "E", "ォ": "O", "ヮ": "wa"
    }';
  v_text text := (
    select string_agg(coalesce(v_syllables ->> c.letter, c.letter), '' order by c.place)
    from string_to_table(p_text, null) with ordinality as c (letter, place)
  );
begin
  -- Small letters, which the list has in upper case, replace the vowel before them: キャ, シャ, ファ, チェ.
  return lower(replace(replace(replace(
    regexp_replace(regexp_replace(v_text, 'i(Y[auo])', '\1', 'g'), '[aiueo]([AIUEO])', '\1', 'g'),
    'shY', 'sh'), 'chY', 'ch'), 'jY', 'j'));
end
$$;

-- The key of a name that private.place_key does not read at once.
create function private.folded_name(p_text text) returns text
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

-- The key of a name: all spellings of one name have the same key. Width, case, spaces and punctuation do not count, nor do
-- macrons, old forms of kanji, ヶ for が, long vowels, double letters, and m for n before b, m and p. A first お is 御.
-- Most names are kanji or plain letters and are their own key. That is decided here, where Postgres inlines it.
create function private.place_key(p_text text) returns text
language sql immutable parallel safe
return case
  when p_text !~ '[^一-龠]' and p_text !~ '[丁字澁廣澤濱邊邉齋齊斉櫻國縣區臺瀧龍嶋嶌﨑髙條榮壽萬藏藝學圓驛鐵會德惠實與淺燒鹽鷗曾靜豐穗眞禮靈靑橫緣黑彌薗來氣郞峯舘舊倂寶繩戶內谿溪關埜冨嵜槇曉莊晝醫團攝應辨瓣辯檜假數畫當傳單參號爲兒勸步每乃之]' then p_text
  when p_text ~ '^[A-Za-z]+$' and p_text !~* 'o[ouh]|m[bmp]|uu|aa|ii|ee|kk|ss|tt|pp|nn|ll|tch|jy' then lower(p_text)
  else private.folded_name(p_text)
end;

-- Keys that a mistyped key may stand for: a letter too many, two letters or kana swapped, and for Latin letters one that is
-- wrong or missing. Also の between kanji, し or ち for じ, and the other system of romanization (sibuya for shibuya).
create function private.misspelt_keys(p_key text) returns table (key text)
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

-- ---------------------------------------------------------------------------------------------------------------------
-- Search
-- ---------------------------------------------------------------------------------------------------------------------

-- The places with a name that has one of these keys.
create function private.places_by_key(p_keys text[]) returns table (id bigint, is_whole boolean)
language plpgsql stable rows 10
set search_path = ''
set plan_cache_mode = force_generic_plan -- each part is a look-up in an index
as $$
begin
  return query
    select p.id, true from private.places p where p.key_ja = any (p_keys)
    union
    select p.id, true from private.places p where p.key_en = any (p_keys)
    union
    select n.place_id, true from private.place_names n where n.key = any (p_keys);
end
$$;

-- The places around the middle of a map with a name that begins with one of these keys, which have the same first character.
-- Of the towns only the 60 best.
create function private.places_near(p_keys text[], p_lat double precision, p_lng double precision) returns setof bigint
language plpgsql stable rows 100
set search_path = ''
set plan_cache_mode = force_generic_plan -- each part is a look-up in an index
as $$
declare
  v_cells constant integer[] := private.place_cells(p_lat, p_lng);
  v_first constant text := left(p_keys[1], 1);
begin
  return query
    select n.place_id from private.place_names n
    where n.cell = any (v_cells) and left(n.key, 1) = v_first and n.key ^@ any (p_keys)
    union all
    (
      select t.id from (
        select p.id, p.lat, p.lng, p.importance from private.places p
        where private.place_cell(p.lat, p.lng) = any (v_cells) and left(p.key_ja, 1) = v_first and p.key_ja ^@ any (p_keys)
        union all
        select p.id, p.lat, p.lng, p.importance from private.places p
        where private.place_cell(p.lat, p.lng) = any (v_cells) and left(p.key_en, 1) = v_first and p.key_en ^@ any (p_keys)
      ) t
      order by t.importance + private.nearness(t.lat, t.lng, p_lat, p_lng) desc, t.id
      limit 60
    );
end
$$;

-- The places with a name that begins with one of these keys, which have the same first character. Of more than 120 names only
-- the most important 120 are read, and then no towns, which are less important. Of more than 100 towns only the first 100 are
-- read. Where some are left out, those near the middle of the map are added.
create function private.places_by_beginning(p_keys text[], p_lat double precision, p_lng double precision)
returns table (id bigint, is_whole boolean)
language plpgsql stable rows 100
set search_path = ''
set plan_cache_mode = force_generic_plan -- each part reads a range of an index, up to its limit
as $$
#variable_conflict use_column
declare
  c_end constant text := chr(1114111); -- after every text that begins with a key
  v_names constant bigint[] := array(
    select n.id from unnest(p_keys) as k (key) cross join lateral (
      select n.place_id as id from private.place_names n
      where n.key >= k.key and n.key <= k.key || c_end
      order by n.importance desc limit 120
    ) n
  );
  v_towns bigint[] := '{}';
  v_near bigint[];
begin
  if cardinality(v_names) < 120 then
    v_towns := array(
      select t.id from unnest(p_keys) as k (key) cross join lateral (
        select p.id from private.places p where p.key_ja >= k.key and p.key_ja <= k.key || c_end order by p.key_ja limit 100
      ) t
      union all
      select t.id from unnest(p_keys) as k (key) cross join lateral (
        select p.id from private.places p where p.key_en >= k.key and p.key_en <= k.key || c_end order by p.key_en limit 100
      ) t
    );
  end if;
  if p_lat is not null and (cardinality(v_names) >= 120 or cardinality(v_towns) >= 100) then
    v_near := array(select private.places_near(p_keys, p_lat, p_lng));
  end if;
  return query
    select h.id, bool_or(h.is_whole) from (
      select t.id, false as is_whole from unnest(v_names || v_towns || v_near) as t (id)
      union all
      select k.id, true from private.places_by_key(p_keys) as k (id)
    ) h
    group by h.id;
end
$$;

-- The places for one or two typed characters, which begin thousands of names: those that are called so, the 60 most
-- important whose names begin so, and those near the middle of the map.
create function private.places_by_first_characters(p_key text, p_lat double precision, p_lng double precision)
returns table (id bigint, is_whole boolean)
language plpgsql stable rows 100
set search_path = ''
set plan_cache_mode = force_generic_plan -- each part is a look-up in an index
as $$
#variable_conflict use_column
begin
  return query
    select h.id, bool_or(h.is_whole) from (
      select k.id, k.is_whole from private.places_by_key(array[p_key]) k
      union all
      select n.id, false from (
        select n.place_id as id from private.place_names n
        where left(n.key, 1) = p_key order by n.importance desc limit 60
      ) n
      union all
      select n.id, false from (
        select n.place_id as id from private.place_names n
        where left(n.key, 2) = p_key order by n.importance desc limit 60
      ) n
      union all
      select n.id, false from private.places_near(array[p_key], p_lat, p_lng) as n (id)
    ) h
    group by h.id;
end
$$;

-- Places that a mistyped key may stand for, by their whole names; a longer key also by the beginning of a name. Of a name in
-- kanji each but the first may be another: 新塾 is 新宿.
create function private.places_by_misspelling(p_key text) returns table (id bigint, is_whole boolean)
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

-- These municipalities, and the wards of those that are cities of wards.
create function private.with_wards(p_ids bigint[]) returns bigint[]
language plpgsql stable -- in SQL its plan would be made for each call
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
begin
  return p_ids || array(
    select w.id from private.places c join private.places w on w.parent_id = c.parent_id
    where c.id = any (p_ids) and right(c.name, 1) = '市' and w.name ^@ c.name and w.id <> c.id and w.kind = 'municipality');
end
$$;

-- The municipalities with whose name a key begins, and the rest of the key: 東京都渋谷区恵比寿 is 恵比寿 in 渋谷区.
create function private.areas_of_key(p_key text) returns table (area_ids bigint[], rest text)
language plpgsql stable rows 1
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
begin
  return query
    select private.with_wards(array_agg(p.id)), substr(p_key, char_length(m.key) + 1)
    from private.place_names m join private.places p on p.id = m.place_id
    where m.key = any (array(select left(p_key, n) from generate_series(2, char_length(p_key) - 1) as n)) and p.kind = 'municipality'
    group by m.key
    order by char_length(m.key) desc
    limit 1;
end
$$;

-- The municipalities that these words name, and those of the prefectures that they name; null when there are none.
create function private.areas_of_words(p_words text[]) returns bigint[]
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
declare
  v_keys constant text[] := array(select private.place_key(w.word) from unnest(p_words) as w (word));
  v_prefectures constant bigint[] := array(
    select n.place_id from private.place_names n join private.places p on p.id = n.place_id
    where n.key = any (v_keys) and p.kind = 'prefecture');
  -- Hiroshima is the prefecture, and its city with it.
  v_named constant bigint[] := private.with_wards(array(
    select n.place_id from private.place_names n join private.places p on p.id = n.place_id
    where n.key = any (v_keys) and p.kind = 'municipality'
      and not exists (select from private.place_names o where o.key = n.key and o.place_id = any (v_prefectures))));
  v_children constant bigint[] := array(
    select p.id from private.places p where p.parent_id = any (v_prefectures) and p.kind = 'municipality');
begin
  -- Minato-ku, Tokyo: a municipality of a prefecture that is named too is only that one.
  return nullif(case
    when v_named && v_children then array(select n.id from unnest(v_named) as n (id) where n.id = any (v_children))
    else v_named || v_children
  end, '{}');
end
$$;

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

-- What a place gains by its nearness to a point: 45 there, half at 15 km; null without a point.
create function private.nearness(p_lat double precision, p_lng double precision, p_to_lat double precision, p_to_lng double precision) returns double precision
language sql immutable parallel safe
return 45 / (1 + 7.4 * sqrt(power(p_lat - p_to_lat, 2) + power((p_lng - p_to_lng) * cos(radians(p_to_lat)), 2)));

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
create function private.find_places(
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

-- Public lots whose names begin with a text, as places. At most 100 are compared.
create function private.lots_by_name(p_text text, p_lat double precision, p_lng double precision, p_limit integer)
returns setof private.found_place
language plpgsql stable rows 10
security definer -- no role may read entries directly
set search_path = ''
set plan_cache_mode = force_generic_plan -- the index of the names
set enable_seqscan = off
as $$
declare
  v_text constant text := left(private.search_text(p_text), 64);
begin
  if char_length(v_text) < 2 then
    return;
  end if;
  return query
    select l.id::text, 'lot'::text, l.name, null::text, l.address, l.address,
      l.lat, l.lng, 100, (e.importance + coalesce(private.nearness(l.lat, l.lng, p_lat, p_lng), 0))::real, e.importance::smallint,
      case when e.is_whole then 'whole' else 'beginning' end
    from (
      select s.parking_lot_id, w.is_whole, 20 + case when w.is_whole then 25 else 0 end as importance
      from private.search_entries s
      cross join lateral (select split_part(s.document, e'\n', 1) = v_text as is_whole) w
      where left(s.document, 64) collate "C" >= v_text and left(s.document, 64) collate "C" <= v_text || chr(1114111)
      limit 100
    ) e
    join public.parking_lots l on l.id = e.parking_lot_id
    order by 10 desc, l.id
    limit p_limit;
end
$$;

-- A place as clients see it.
create function private.place_item(p_place private.found_place, p_lang text) returns jsonb
language sql stable
return jsonb_build_object(
  'id', p_place.id, 'kind', p_place.kind, 'name', p_place.name, 'name_en', p_place.name_en,
  'area', nullif(case when p_lang = 'en' then p_place.area_en else p_place.area end, ''),
  'lat', p_place.lat, 'lng', p_place.lng, 'radius_m', p_place.radius_m
);

-- A place or a public lot by its id; no row when there is none.
create function private.place_by_id(p_id text) returns setof private.found_place
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

grant execute on function
  private.find_places(text, double precision, double precision, integer, boolean),
  private.lots_by_name(text, double precision, double precision, integer),
  private.place_by_id(text),
  private.place_item(private.found_place, text)
to anon, authenticated;
