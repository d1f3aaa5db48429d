-- Search text: marks that repeat a letter are that letter, so that いすゞ is found as いすず, and 佐々木 as 佐佐木.
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

-- Text in the form that search compares: private.plain_text, with one notation of addresses and of companies, no 々, and ケ
-- for ガ and カ, ツ for ッ between kanji.
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
  if strpos(v_text, '々') > 0 then
    v_text := regexp_replace(v_text, '([一-龠])々', '\1\1', 'g');
  end if;
  return case when v_text ~ '[一-龠][ガカッ][一-龠]'
    then regexp_replace(regexp_replace(v_text, '(?<=[一-龠])[ガカ](?=[一-龠])', 'ケ', 'g'), '(?<=[一-龠])ッ(?=[一-龠])', 'ツ', 'g')
    else v_text end;
end
$$;

-- The entries in the new form, and the keys of towns.
select private.refresh_search_entries(array(select l.id from public.parking_lots l));
select private.put_user_search_entries(array(select u.user_id from private.user_search_entries u));
delete from private.geocoded_places g where g.search_text <> private.search_text(g.search_text);
update private.places p set key_ja = private.place_key(p.name) where p.key_ja is not null and p.name ~ '[ゝゞヽヾ]';
