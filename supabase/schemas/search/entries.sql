-- Search entries: the data of a lot that search reads, in one narrow row.
--
-- A lot that is not public has a row in private.unlisted_search_entries instead, with its text only, for administrators.
--
-- private.search_entries has a row for every public lot: its position, price, limits, position in the recommended order, and
-- its terms. Terms are all conditions that a search can name, in one array under one index. Attributes are #covered, and
-- also !covered where the lot has no such tag but its hours, prices or spots imply it. The difficulty is =easy, the operator
-- @@code. The other terms are the letters and pairs of neighbouring letters of name, kana, address and operator. Pairs make
-- two-letter words (most Japanese ones) a look-up. A longer word is looked up by its pairs, and then compared with the text.
-- Terms that are names have three letters at least, so that they differ from letters and pairs.
--
-- Text is compared in the form of private.search_text: one width, one case, katakana for hiragana, ケ for ヶ, no spaces, one
-- dash, no accents, one notation of addresses.
--
-- Invariants: an entry always equals the data of the lot and of the rows that refer to it; a lot has an entry in one of the
-- two tables.
-- Interface: private.search_entries, private.unlisted_search_entries, private.plain_text, private.search_text, private.search_terms;
-- private.refresh_search_entries(lots).

-- ---------------------------------------------------------------------------------------------------------------------
-- Text and terms
-- ---------------------------------------------------------------------------------------------------------------------

-- Text in the form in which names are compared: NFKC, lower case, no accents, katakana for hiragana, カ and ケ for ヵ and ヶ,
-- new forms of kanji, Arabic digits. It has no white space, no middle dots, no vowel points and no invisible characters, and
-- one dash, one wave, one quotation mark and one apostrophe. ー before a digit is a dash, but after kana; a dash after
-- katakana is ー, but before a digit or a letter.
create function private.plain_text(p_text text) returns text
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
declare
  -- Decomposed, so that accents are characters, and a voiced mark that was alone joins its kana. A mark that repeats a
  -- kana becomes it: いすゞ is いすず.
  v_text text := case when p_text ~ '^[[:ascii:]]*$' then regexp_replace(lower(p_text), '[[:space:]]+', '', 'g')
    else normalize(regexp_replace(regexp_replace(normalize(lower(normalize(p_text, nfkc)), nfkd),
      '[[:space:]\u0300-\u036f\u00ad\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u061c\u0640\u064b-\u065f\u0670\u06d6-\u06ed\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff・·‧•∙⋅]+',
      '', 'g'), '(([ぁ-ゖァ-ヺ])[\u3099\u309a]?)[ゝヽ]', '\1\2', 'g'), nfc) end;
begin
  if v_text ~ '^[[:ascii:]]*$' then
    return v_text;
  end if;
  v_text := translate(v_text,
    'ぁあぃいぅうぇえぉおかがきぎくぐけげこごさざしじすずせぜそぞただちぢっつづてでとどなにぬねのはばぱひびぴふぶぷへべぺほぼぽまみむめもゃやゅゆょよらりるれろゎわゐゑヰヱをんゔゕゖヵヶ‐‑‒–—―−─━˗⁃﹘〜∼‘’ʻʼłøđðħıŋŧ澁廣澤濱邊邉齋齊斉櫻國縣區臺瀧龍嶋嶌﨑髙條榮壽萬藏藝學圓驛鐵會德惠實與淺燒鹽鷗曾靜豐穗眞禮靈靑橫緣黑彌薗來氣郞峯舘舊倂寶繩戶內谿溪關埜冨嵜槇曉莊晝醫團攝應辨瓣辯檜假數畫當傳單參號爲兒勸步每𠮷之ςيىك⁄“”٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹',
    'ァアィイゥウェエォオカガキギクグケゲコゴサザシジスズセゼソゾタダチヂッツヅテデトドナニヌネノハバパヒビピフブプヘベペホボポマミムメモャヤュユョヨラリルレロヮワイエイエヲンヴカケカケ------------~~''''''''loddhint渋広沢浜辺辺斎斎斎桜国県区台滝竜島島崎高条栄寿万蔵芸学円駅鉄会徳恵実与浅焼塩鴎曽静豊穂真礼霊青横縁黒弥園来気郎峰館旧併宝縄戸内渓渓関野富崎槙暁荘昼医団摂応弁弁弁桧仮数画当伝単参号為児勧歩毎吉ノσییک/""01234567890123456789');
  if v_text ~ '[ßæœþ]' then
    v_text := replace(replace(replace(replace(v_text, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th');
  end if;
  return regexp_replace(regexp_replace(v_text, '(?<![ァ-ヴー])ー(?=[0-9])', '-', 'g'), '(?<=[ァ-ヴ])-(?![0-9a-z-])', 'ー', 'g');
end
$$;

-- A number in kanji digits, up to 9999, in Arabic ones: 百二十 becomes 120, and 二三 becomes 23. Some texts have 壱, 弐 and 参.
create function private.number_of_kanji(p_text text) returns text
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
declare
  v_digits constant text := translate(p_text, '〇一二三四五六七八九壱弐参', '0123456789123');
  v_found constant text[] := regexp_match(v_digits, '^(?:([0-9]?)千)?(?:([0-9]?)百)?(?:([0-9]?)十)?([0-9]?)$');
begin
  return case when v_digits ~ '^[0-9]+$' then v_digits
    when v_found is null then replace(replace(replace(v_digits, '千', '1000'), '百', '100'), '十', '10')
    else (
      select sum(10 ^ (4 - d.nth) * case when d.digit is null then 0 when d.digit = '' then (d.nth < 4)::integer else d.digit::integer end)::integer
      from unnest(v_found) with ordinality as d (digit, nth)
    )::text end;
end
$$;

-- The numbers of an address with dashes between them, which has private.plain_text: 六本木六丁目10番1号, 六本木六丁目十の一 and
-- 六本木6-10-1 become one. Kanji digits count before 丁目 and 番地, after them before 番, 号, ノ and a dash, and on both sides
-- of ノ and a dash; 麻布十番 stays.
create function private.address_text(p_text text) returns text
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
declare
  c_digit constant text := '〇一二三四五六七八九十百千壱弐参';
  v_text text := p_text;
  v_found text[];
begin
  -- Each turn takes one number in kanji away.
  loop
    v_found := coalesce(
      regexp_match(v_text, '^(.*?)([〇一二三四五六七八九十壱弐参]{1,3})(丁目.*)$'),
      regexp_match(v_text, format('^(.*?)([%s]{1,8})(番地.*)$', c_digit)),
      regexp_match(v_text, format('^(.*(?:丁目|[0-9](?:番地?ノ?|[-ノー])))([%s]{1,8})((?:番|号|[-ノー]|$).*)$', c_digit)),
      regexp_match(v_text, format('^(.*?)([%1$s]{1,8})([-ノー][%1$s]{1,8}(?:番|号|[-ノー]|$).*)$', c_digit)),
      regexp_match(v_text, format('^(.*[北南東西])([%s]{1,3})(条[北南東西][0-9].*)$', c_digit)));
    exit when v_found is null;
    v_text := v_found[1] || private.number_of_kanji(v_found[2]) || v_found[3];
  end loop;
  v_text := regexp_replace(v_text, '(?<=[0-9])(丁目-?|(番地?ノ?|[丁ノー])(?=[0-9]))', '-', 'g');
  v_text := regexp_replace(v_text, '([0-9])番地(?![0-9町街館棟室線店])', '\1', 'g');
  return regexp_replace(v_text, '(-[0-9]+)[番号](?![0-9地町街館棟室線店])', '\1', 'g');
end
$$;

-- Text in the form that search compares: private.plain_text, with one notation of addresses and of companies, no 々, and ケ
-- for ガ and カ, ツ for ッ between kanji.
create function private.search_text(p_text text) returns text
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
declare
  v_text text := private.plain_text(p_text);
begin
  if v_text ~ '[0-9](丁|番|号|ノ|[-ー][〇一二三四五六七八九十百千壱弐参])|[〇一二三四五六七八九十百千壱弐参](丁目|番|号|ノ|-|ー|条[北南東西])' then
    v_text := private.address_text(v_text);
  end if;
  if v_text ~ '大字|株式|有限' then
    v_text := replace(replace(regexp_replace(v_text, '大字(?=.)', '', 'g'), '株式会社', '(株)'), '有限会社', '(有)');
  end if;
  if strpos(v_text, '々') > 0 then
    v_text := regexp_replace(v_text, '([一-龠])々', '\1\1', 'g');
  end if;
  return case when v_text ~ '[一-龠][ガカッ][一-龠]'
    then regexp_replace(regexp_replace(v_text, '(?<=[一-龠])[ガカ](?=[一-龠])', 'ケ', 'g'), '(?<=[一-龠])ッ(?=[一-龠])', 'ツ', 'g')
    else v_text end;
end
$$;

-- The letters and pairs of neighbouring letters of a text, line by line: one row.
-- One query without a search_path, so that Postgres inlines it: a function call takes three times as long.
create function private.search_terms(p_text text) returns table (terms text[])
language sql immutable parallel safe
begin atomic
  -- Even numbers are single letters, odd ones pairs.
  select coalesce(array_agg(distinct substr(p_text, n / 2, 1 + n % 2) collate "C")
    filter (where strpos(substr(p_text, n / 2, 1 + n % 2), e'\n') = 0), '{}')
  from generate_series(2, 2 * char_length(p_text) + 1) as n;
end;

-- The terms of every text that contains this keyword; the keyword has the form of private.search_text.
create function private.keyword_terms(p_keyword text) returns text[]
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return case when char_length(p_keyword) = 1 then array[p_keyword]
    else array(select distinct substr(p_keyword, n, 2) from generate_series(1, char_length(p_keyword) - 1) as n) end;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Data derived from a lot
-- ---------------------------------------------------------------------------------------------------------------------

-- The score of a lot in the recommended order, 0 to 10000. 70 parts are the rating, shrunk by the number of reviews. 6
-- parts each are for a known price, hours, height and size, and a main image.
create function private.lot_score(p_lot public.parking_lots, p_has_hours boolean) returns integer
language plpgsql immutable
set search_path = ''
as $$
begin
  return (
    -- Stars from 1 to 5 become 0 to 70. Ten reviews of 3.5 are added to those of the lot, so that a single review cannot make
    -- the best lot.
    select round(100 * (
      70 * (((p_lot).avg_rating * (p_lot).review_count + 35) / ((p_lot).review_count + 10) - 1) / 4
      + 6 * (((p_lot).hour_price is not null)::integer + p_has_hours::integer + ((p_lot).main_image_key is not null)::integer
        + ((p_lot).max_height_m is not null)::integer + ((p_lot).total_spaces is not null)::integer)
    ))::integer
  );
end
$$;

-- Attributes by the weekly hours of these lots: open_24h, entry_24h, 24h. Entry and exit use the business hours where
-- they have no hours of their own.
create function private.hours_attributes(p_lot_ids uuid[]) returns table (parking_lot_id uuid, slug text)
language plpgsql stable
set search_path = ''
set enable_nestloop = off
as $$
#variable_conflict use_column
begin
  return query
  -- Around the clock: a window of every day is 24 hours, and no window of the kind closes a day.
  with kinds as (
    select w.parking_lot_id, w.window_type as kind,
      coalesce(bool_or(w.is_24h and coalesce(w.day_type, 'all') = 'all' and w.day_of_week is null
        and w.effective_from is null and w.effective_to is null), false)
        and not coalesce(bool_or(w.is_closed or w.open_time is not null), false) as is_24h
    from public.parking_lot_windows w where w.parking_lot_id = any (p_lot_ids) group by w.parking_lot_id, w.window_type
  ), known as (
    select k.parking_lot_id, k.business, coalesce(k.entry, k.business) as entry, coalesce(k.exit, k.business) as exit
    from (
      select k.parking_lot_id, bool_or(k.is_24h) filter (where k.kind = 'business') as business,
        bool_or(k.is_24h) filter (where k.kind = 'entry') as entry, bool_or(k.is_24h) filter (where k.kind = 'exit') as exit
      from kinds k group by k.parking_lot_id
    ) k
  )
  select k.parking_lot_id, a.slug from known k
  cross join lateral (values ('open_24h', k.business), ('entry_24h', k.entry), ('24h', k.entry and k.exit)) as a (slug, holds)
  where a.holds;
end
$$;

-- Attributes by hours, spots and the prices of today of these lots, independent of their tags. An attribute may occur more than once.
create function private.derived_attributes(p_lot_ids uuid[]) returns table (parking_lot_id uuid, slug text)
language plpgsql stable
set search_path = ''
set enable_nestloop = off
as $$
#variable_conflict use_column
begin
  return query
  select h.parking_lot_id, h.slug from private.hours_attributes(p_lot_ids) h
  union all
  select r.parking_lot_id, a.slug
  from (
    select r.parking_lot_id, bool_or(r.cap_type is not null) as has_cap,
      bool_or(r.cap_price_minor <= 500 and (r.cap_type in ('day', 'stay') or r.cap_duration_hours >= 12)) as has_coin_cap
    from public.pricing_rules r
    join public.parking_lots l on l.id = r.parking_lot_id
    where r.parking_lot_id = any (p_lot_ids)
      and private.is_in_effect(r.effective_from, r.effective_to, (now() at time zone l.time_zone)::date)
    group by r.parking_lot_id
  ) r
  join public.parking_lots l on l.id = r.parking_lot_id and l.id = any (p_lot_ids)
  cross join lateral (values
    ('has_max_fee', r.has_cap), ('max_fee', r.has_cap), ('coin_500_or_less', r.has_coin_cap and l.currency = 'JPY')
  ) as a (slug, holds)
  where a.holds
  union all
  select l.id, 'low_price' from public.parking_lots l
  where l.id = any (p_lot_ids) and l.hour_price <= 300 and l.currency = 'JPY'
  union all
  select s.parking_lot_id, a.slug from public.parking_lot_spots s
  cross join lateral (values
    ('ev_charging', s.is_ev_charger), ('wheelchair_accessible', s.accessibility = 'wheelchair'), ('reservable', s.is_reservable)
  ) as a (slug, holds)
  where s.parking_lot_id = any (p_lot_ids) and a.holds;
end
$$;

-- Attributes by which these lots are found: their tags and the derived ones, without the tags that they are known not to
-- have. A lot without attributes has no row.
create function private.search_attributes(p_lot_ids uuid[]) returns table (parking_lot_id uuid, slugs text[])
language plpgsql stable
set search_path = ''
set enable_nestloop = off -- statistics do not have rows that the same transaction wrote; every table is narrowed by the ids
as $$
begin
  return query
    select a.parking_lot_id, array_agg(distinct a.slug)
    from (
      select d.parking_lot_id, d.slug from private.derived_attributes(p_lot_ids) d
      union all
      select l.id, t.slug from public.parking_lots l cross join lateral unnest(l.tag_slugs) as t (slug)
      where l.id = any (p_lot_ids)
    ) a
    left join (
      select lt.parking_lot_id, t.slug from public.parking_lot_tags lt join public.tags t on t.id = lt.tag_id
      where lt.parking_lot_id = any (p_lot_ids) and lt.state = false
    ) denied on denied.parking_lot_id = a.parking_lot_id and denied.slug = a.slug
    where denied.slug is null
    group by a.parking_lot_id;
end
$$;

-- The text of each lot in which keywords are searched, one line per field; the operator for public lots only.
create function private.search_documents(p_lot_ids uuid[]) returns table (parking_lot_id uuid, document text)
language plpgsql stable
set search_path = ''
set enable_nestloop = off
as $$
begin
  return query
  select l.id, concat_ws(e'\n', private.search_text(l.name), private.search_text(l.name_kana),
    private.search_text(l.address), private.search_text(o.name), private.search_text(o.name_en))
  from public.parking_lots l left join public.operators o on o.id = l.operator_code and l.status = 'active'
  where l.id = any (p_lot_ids);
end
$$;

-- The entries of these lots, calculated. Terms of an unchanged text are copied: they are most of the work.
create function private.written_entries(p_lot_ids uuid[]) returns setof private.search_entries
language plpgsql stable
set search_path = ''
set enable_nestloop = off -- statistics do not have rows that the same transaction wrote; every table is narrowed by the ids
as $$
begin
  return query
    select l.id, point(radians(l.lng), private.mercator_y(l.lat)), l.lat, l.lng, 10000 - private.lot_score(l, w.parking_lot_id is not null),
      coalesce(l.hour_price, 2147483647), l.hour_price, l.currency, coalesce(l.structure = 'on_street', false), l.max_height_m,
      l.max_width_m, l.max_length_m, l.max_weight_t, l.min_clearance_cm, l.max_tire_width_mm, d.document,
      n.names || case when e.document = d.document then e.terms[e.name_count + 1:]
        else (select t.terms from private.search_terms(d.document) as t) end,
      cardinality(n.names), l.operator_code
    from public.parking_lots l
    join private.search_documents(p_lot_ids) d on d.parking_lot_id = l.id
    left join private.search_attributes(p_lot_ids) a on a.parking_lot_id = l.id
    left join (
      select distinct w.parking_lot_id from public.parking_lot_windows w where w.parking_lot_id = any (p_lot_ids)
    ) w on w.parking_lot_id = l.id
    left join private.search_entries e on e.parking_lot_id = l.id and e.parking_lot_id = any (p_lot_ids)
    cross join lateral (
      select array(select '#' || s from unnest(a.slugs) as s)
        || array(select '!' || s from unnest(a.slugs) as s where s <> all (l.tag_slugs))
        || array_remove(array['=' || l.entry_difficulty, '@@' || l.operator_code], null) as names
    ) n
    where l.id = any (p_lot_ids) and l.status = 'active';
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Maintaining entries
-- ---------------------------------------------------------------------------------------------------------------------

-- Writes the entries of these lots, each into the table of its status, and marks the cells of the map that change.
create function private.refresh_search_entries(p_lot_ids uuid[]) returns void
language plpgsql
security definer -- no role may write entries; a role that may write a lot or its rows may have the entry written
set search_path = ''
as $$
declare
  v_public uuid[];
  v_unlisted uuid[];
begin
  -- Locked in one order first: the statements below then see what a concurrent writer of the same lot committed.
  select array_agg(l.id) filter (where l.status = 'active'), array_agg(l.id) filter (where l.status <> 'active')
  into v_public, v_unlisted
  from (
    select l.id, l.status from public.parking_lots l where l.id = any (p_lot_ids) order by l.id for no key update
  ) l;
  if v_unlisted is not null then
    with gone as (
      delete from private.search_entries e where e.parking_lot_id = any (v_unlisted) returning e.mercator
    )
    insert into private.map_marks (cell) select distinct private.map_cell(g.mercator) from gone g;
    insert into private.unlisted_search_entries as e (parking_lot_id, document, terms)
    select d.parking_lot_id, d.document, (select t.terms from private.search_terms(d.document) as t)
    from private.search_documents(v_unlisted) d
    left join private.unlisted_search_entries u on u.parking_lot_id = d.parking_lot_id and u.parking_lot_id = any (v_unlisted)
    where u.document is distinct from d.document
    on conflict (parking_lot_id) do update set document = excluded.document, terms = excluded.terms;
  end if;
  if v_public is null then
    return;
  end if;
  delete from private.unlisted_search_entries e where e.parking_lot_id = any (v_public);
  with before as materialized (
    select e.parking_lot_id, e.mercator, row (e.lat, e.lng, e.rank_key, e.hour_price, e.currency, e.terms[:e.name_count]) as shown
    from private.search_entries e where e.parking_lot_id = any (v_public)
  ), written as (
    insert into private.search_entries as e
    select w.* from private.written_entries(v_public) w
    on conflict (parking_lot_id) do update set (
      mercator, lat, lng, rank_key, price_key, hour_price, currency, is_on_street, max_height_m, max_width_m, max_length_m,
      max_weight_t, min_clearance_cm, max_tire_width_mm, document, terms, name_count, operator_code
    ) = row (
      excluded.mercator, excluded.lat, excluded.lng, excluded.rank_key, excluded.price_key, excluded.hour_price,
      excluded.currency, excluded.is_on_street, excluded.max_height_m, excluded.max_width_m, excluded.max_length_m,
      excluded.max_weight_t, excluded.min_clearance_cm, excluded.max_tire_width_mm, excluded.document,
      excluded.terms, excluded.name_count, excluded.operator_code
    )
    where (e.lat, e.lng, e.rank_key, e.hour_price, e.currency, e.is_on_street, e.max_height_m, e.max_width_m,
        e.max_length_m, e.max_weight_t, e.min_clearance_cm, e.max_tire_width_mm, e.document, e.terms)
      is distinct from (excluded.lat, excluded.lng, excluded.rank_key, excluded.hour_price, excluded.currency,
        excluded.is_on_street, excluded.max_height_m, excluded.max_width_m, excluded.max_length_m, excluded.max_weight_t,
        excluded.min_clearance_cm, excluded.max_tire_width_mm, excluded.document, excluded.terms)
    returning e.parking_lot_id, e.mercator,
      row (e.lat, e.lng, e.rank_key, e.hour_price, e.currency, e.terms[:e.name_count]) as shown
  )
  insert into private.map_marks (cell)
  select distinct private.map_cell(p.place)
  from written w left join before b using (parking_lot_id)
  cross join lateral unnest(case when b.mercator is null or b.mercator ~= w.mercator then array[w.mercator]
    else array[b.mercator, w.mercator] end) as p (place)
  where b.shown is distinct from w.shown;
end
$$;

grant execute on function private.search_text(text), private.plain_text(text), private.address_text(text),
  private.number_of_kanji(text) to anon, authenticated;
