-- Search text: addresses wholly in kanji, companies and letters of other scripts have one form each.
--
-- The definitions are those of supabase/schemas after this change. The way back: the functions as they were, then the entries
-- are written again as below.

set lock_timeout = '2s';

-- Text in the form in which names are compared: NFKC, lower case, no accents, katakana for hiragana, カ and ケ for ヵ and ヶ,
-- new forms of kanji, Arabic digits. It has no white space, no middle dots, no vowel points and no invisible characters, and
-- one dash, one wave, one quotation mark and one apostrophe. ー before a digit is a dash, but after kana; a dash after
-- katakana is ー, but before a digit or a letter.
create or replace function private.plain_text(p_text text) returns text
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
declare
  -- Decomposed, so that accents are characters, and a voiced mark that was alone joins its kana.
  v_text text := case when p_text ~ '^[[:ascii:]]*$' then regexp_replace(lower(p_text), '[[:space:]]+', '', 'g')
    else normalize(regexp_replace(normalize(lower(normalize(p_text, nfkc)), nfkd),
      '[[:space:]\u0300-\u036f\u00ad\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u061c\u0640\u064b-\u065f\u0670\u06d6-\u06ed\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff・·‧•∙⋅]+',
      '', 'g'), nfc) end;
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
create or replace function private.number_of_kanji(p_text text) returns text
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
create or replace function private.address_text(p_text text) returns text
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

-- Text in the form that search compares: private.plain_text, with one notation of addresses and of companies, and ケ for ガ and
-- カ, ツ for ッ between kanji.
create or replace function private.search_text(p_text text) returns text
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
  return case when v_text ~ '[一-龠々][ガカッ][一-龠々]'
    then regexp_replace(regexp_replace(v_text, '(?<=[一-龠々])[ガカ](?=[一-龠々])', 'ケ', 'g'), '(?<=[一-龠々])ッ(?=[一-龠々])', 'ツ', 'g')
    else v_text end;
end
$$;

-- The entries in the new form.
select private.refresh_search_entries(array(select l.id from public.parking_lots l));
select private.put_user_search_entries(array(select u.user_id from private.user_search_entries u));
delete from private.geocoded_places g where g.search_text <> private.search_text(g.search_text);
