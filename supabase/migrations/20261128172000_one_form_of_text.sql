-- Texts are compared in one form: without accents, dots and invisible characters, with one notation of addresses, new forms
-- of kanji, and ケ for ガ between kanji.
--
-- The definitions are those of supabase/schemas after this change. The way back: the functions as they were, then the entries
-- are written again as below; then drop private.address_text, private.number_of_kanji and private.plain_text.

set lock_timeout = '2s';

-- Text in the form in which names are compared: NFKC, lower case, no accents, katakana for hiragana, カ and ケ for ヵ and ヶ,
-- new forms of kanji. It has no white space, no middle dots and no invisible characters, and one dash and one wave; ー
-- between digits is a dash.
create function private.plain_text(p_text text) returns text
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
declare
  -- Decomposed, so that accents are characters, and a voiced mark that was alone joins its kana.
  v_text text := case when p_text ~ '^[[:ascii:]]*$' then regexp_replace(lower(p_text), '[[:space:]]+', '', 'g')
    else normalize(regexp_replace(normalize(lower(normalize(p_text, nfkc)), nfkd),
      '[[:space:]\u0300-\u036f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff・·‧•∙⋅]+',
      '', 'g'), nfc) end;
begin
  if v_text ~ '^[[:ascii:]]*$' then
    return v_text;
  end if;
  v_text := translate(v_text,
    'ぁあぃいぅうぇえぉおかがきぎくぐけげこごさざしじすずせぜそぞただちぢっつづてでとどなにぬねのはばぱひびぴふぶぷへべぺほぼぽまみむめもゃやゅゆょよらりるれろゎわゐゑをんゔゕゖヵヶ‐‑‒–—―−─━˗⁃﹘〜∼łøđðħıŋŧ澁廣澤濱邊邉齋齊斉櫻國縣區臺瀧龍嶋嶌﨑髙條榮壽萬藏藝學圓驛鐵會德惠實與淺燒鹽鷗曾靜豐穗眞禮靈靑橫緣黑彌薗來氣郞峯舘舊倂寶繩戶內谿溪關埜冨嵜槇曉莊晝醫團攝應辨瓣辯檜假數畫當傳單參號爲兒勸步每',
    'ァアィイゥウェエォオカガキギクグケゲコゴサザシジスズセゼソゾタダチヂッツヅテデトドナニヌネノハバパヒビピフブプヘベペホボポマミムメモャヤュユョヨラリルレロヮワヰヱヲンヴカケカケ------------~~loddhint渋広沢浜辺辺斎斎斎桜国県区台滝竜島島崎高条栄寿万蔵芸学円駅鉄会徳恵実与浅焼塩鴎曽静豊穂真礼霊青横縁黒弥園来気郎峰館旧併宝縄戸内渓渓関野富崎槙暁荘昼医団摂応弁弁弁桧仮数画当伝単参号為児勧歩毎');
  if v_text ~ '[ßæœþ]' then
    v_text := replace(replace(replace(replace(v_text, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th');
  end if;
  return regexp_replace(v_text, '(?<=[0-9])ー(?=[0-9])', '-', 'g');
end
$$;

-- A number in kanji digits, up to 99, in Arabic ones: 十二 becomes 12.
create function private.number_of_kanji(p_text text) returns text
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
declare
  v_tens constant integer := strpos(p_text, '十');
  v_digits constant text := translate(p_text, '一二三四五六七八九', '123456789');
begin
  return case when v_tens = 0 then v_digits
    else coalesce(nullif(left(v_digits, v_tens - 1), ''), '1') || coalesce(nullif(substr(v_digits, v_tens + 1), ''), '0') end;
end
$$;

-- The numbers of an address with dashes between them, which has private.plain_text: 六本木六丁目10番1号 and 六本木6-10-1 become
-- one. Kanji digits count before 丁目, and after it before 番 and 号; 麻布十番 stays.
create function private.address_text(p_text text) returns text
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
declare
  c_kanji constant text := '[一二三四五六七八九十]{1,3}';
  v_text text := p_text;
  v_found text[];
begin
  -- Each turn takes one number in kanji away.
  loop
    v_found := coalesce(
      regexp_match(v_text, format('^(.*?)(%s)(丁目.*)$', c_kanji)),
      regexp_match(v_text, format('^(.*(?:丁目|[0-9]番地?))(%s)((?:番|号|$).*)$', c_kanji)));
    exit when v_found is null;
    v_text := v_found[1] || private.number_of_kanji(v_found[2]) || v_found[3];
  end loop;
  v_text := regexp_replace(v_text, '(?<=[0-9])(丁目-?|(番地?ノ?|ノ)(?=[0-9]))', '-', 'g');
  return regexp_replace(v_text, '(-[0-9]+)(番地|番|号)(?![0-9町街館棟室線店])', '\1', 'g');
end
$$;

-- Text in the form that search compares: private.plain_text, with one notation of addresses, and ケ for ガ and カ between kanji.
create or replace function private.search_text(p_text text) returns text
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
declare
  v_text text := private.plain_text(p_text);
begin
  if v_text ~ '[0-9一二三四五六七八九十](丁目|番|号|ノ)' then
    v_text := private.address_text(v_text);
  end if;
  return case when v_text ~ '[一-龠々][ガカ][一-龠々]'
    then regexp_replace(v_text, '(?<=[一-龠々])[ガカ](?=[一-龠々])', 'ケ', 'g') else v_text end;
end
$$;

grant execute on function private.search_text(text), private.plain_text(text), private.address_text(text),
  private.number_of_kanji(text) to anon, authenticated;

-- The number of a 丁目 in Arabic digits, wherever a text has it in kanji: 六本木六丁目 becomes 六本木6丁目. Up to 99.
create or replace function private.chome_digits(p_text text) returns text
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

-- The key of a name that private.place_key does not read at once.
create or replace function private.folded_name(p_text text) returns text
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
declare
  v_key text := translate(
    private.plain_text(p_text),
    '-.,''’‘`´/()「」『』【】[]{}_&!:;"“”~#*+?、。〈〉《》ー',
    ''
  );
begin
  if strpos(v_key, '丁目') > 0 then
    v_key := private.chome_digits(v_key);
  end if;
  if v_key ~ '[ァ-ヴ之乃]' then
    v_key := regexp_replace(v_key, '([一-龠々])[ケガ]([一-龠])', '\1ガ\2', 'g');
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
  c_corrected constant real := -45;
  v_text constant text := private.chome_digits(private.plain_text(left(p_text, 200)));
  v_key constant text := left(private.place_key(left(p_text, 200)), 100);
  v_words constant text[] := array_remove(regexp_split_to_array(left(p_text, 200), '[,、，[:space:]　]+'), '');
  v_ids bigint[];
  v_bonus real[];
  v_more_ids bigint[];
  v_found text[];
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
  v_found := regexp_match(v_key, '^(.+?)(駅|station|sta|stn|eki|city|ward|town|village|ic|inta|intachenji|interchange)$');
  if v_found is null and p_is_prefix and v_ids = '{}' then
    v_found := regexp_match(v_key, '^(.{3,}?)(st?|stat|stati|statio|ek?|ci|cit|wa|war|inter.*)$');
  end if;
  if v_found is not null then
    v_more_ids := array(
      select h.id from private.places_by_key(array[v_found[1]]) h join private.places p on p.id = h.id
      where p.kind = case when v_found[2] ~ '^(駅|s|e)' then 'station' when v_found[2] ~ '^i' then 'interchange' else 'municipality' end);
    v_ids := v_ids || v_more_ids;
    v_bonus := v_bonus || array_fill(c_whole + 10, array[cardinality(v_more_ids)]);
  end if;

  -- An address: the name of a town, then 丁目 and numbers; in Latin letters the numbers come first.
  if v_text ~ '[0-9]' then
    v_found := coalesce(
      regexp_match(v_text, '^(.*?[^0-9-])-?([0-9]{1,2})(?:丁目|-?chome|-[0-9]|番|$)'),
      regexp_match(regexp_replace(v_text, '^([0-9]{1,2})[-0-9]*(-?chome)?[-0-9]*,?([^0-9].*)$', '\3#\1'), '^(.*)#(.*)$'));
    v_base := private.place_key(v_found[1]);
    v_chome := v_found[2];
    v_more_ids := array(
      select h.id from private.places_by_key(array[v_base]) h join private.places p on p.id = h.id and p.kind = 'town');
    v_ids := v_ids || v_more_ids;
    v_bonus := v_bonus || array_fill(c_whole, array[cardinality(v_more_ids)]);
  end if;

  -- In a municipality or prefecture: 東京都港区六本木, Fuchu, Hiroshima.
  if c_whole > all (v_bonus) then
    v_more_ids := array(
      select h.id from private.areas_of_key(coalesce(v_base, v_key)) a
      cross join lateral private.places_in_areas(a.rest, a.area_ids, p_is_prefix) as h (id));
    if cardinality(v_words) > 1 then
      v_more_ids := v_more_ids || array(
        select h.id from (values
          (v_words[1], v_words[2:]),
          (case when v_words[1] ~ '^[0-9]' then v_words[2] end, v_words[3:]),
          (v_words[cardinality(v_words)], v_words[:cardinality(v_words) - 1])
        ) as w (name, others)
        cross join lateral private.places_in_areas(private.place_key(w.name), private.areas_of_words(w.others), p_is_prefix) as h (id));
    end if;
    v_ids := v_ids || v_more_ids;
    v_bonus := v_bonus || array_fill(c_whole, array[cardinality(v_more_ids)]);
  end if;

  -- Typing errors, when little was found. A key has fifty misspellings for each of its letters.
  if p_is_prefix and c_whole > all (v_bonus) and cardinality(v_ids) < p_limit and char_length(v_key) between 3 and 24 then
    select v_ids || coalesce(array_agg(h.id), '{}'),
      v_bonus || coalesce(array_agg(case when h.is_whole then c_corrected + 15 else c_corrected end), '{}')
    into v_ids, v_bonus
    from private.places_by_misspelling(v_key) h where h.id <> all (v_ids);
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

-- The entries in the new form.
select private.refresh_search_entries(array(select l.id from public.parking_lots l));
select private.put_user_search_entries(array(select u.user_id from private.user_search_entries u));
delete from private.geocoded_places g where g.search_text <> private.search_text(g.search_text);
