-- Values: texts and times of requests, and the columns that every table keeps in the same way.
--
-- private.trimmed reads a text, private.is_moment a time. The trigger functions keep updated_at,
-- and whether a row with a period was returned to clients.

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

-- A text without its invisible characters: control characters but tabs and line breaks, marks of direction, fillers, tags,
-- and joiners and selectors that have nothing to join or to select. Emoji, flags, and scripts that need them keep them, one
-- at each place. A letter keeps four marks: a pile of them covers the lines around it.
create function private.visible_text(p_text text) returns text
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
declare
  c_marks constant text := '\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f';
  c_selectors constant text := '\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef';
  c_joined constant text := '\u0600-\u0dff\u1000-\u109f\u1780-\u18af\u2190-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff';
  -- A joiner after one of these changes the letter before it, also at the end of a word.
  c_virama constant text := '\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca';
  v_text text := regexp_replace(private.composed(p_text), '[\u2028\u2029]|\r\n?', e'\n', 'g');
begin
  v_text := regexp_replace(v_text,
    '[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a]|(?<![\u1820-\u18aa])\u180e|\u180e(?![\u1820-\u18aa])',
    '', 'g');
  -- The flag of a part of a country is a black flag with letters and an end.
  v_text := regexp_replace(v_text,
    '(\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f)|[\U000e0000-\U000e007f]+', '\1', 'g');
  v_text := regexp_replace(v_text, '([\u200c\u200d])[\u200c\u200d]+', '\1', 'g');
  v_text := regexp_replace(v_text,
    format('(?<![%1$s\ufe0f])[\u200c\u200d]|(?<![%2$s])[\u200c\u200d](?![%1$s])', c_joined, c_virama), '', 'g');
  v_text := regexp_replace(v_text,
    format('(?<![^[:space:]A-Za-z\u00c0-\u0fff\u3041-\u30ff\uac00-\ud7a3])[%s]+', c_selectors), '', 'g');
  v_text := regexp_replace(v_text, format('([%1$s])[%1$s]+', c_selectors), '\1', 'g');
  v_text := regexp_replace(v_text, format('([%1$s]{4})[%1$s]+', c_marks), '\1', 'g');
  return case when v_text ~ format('[^[:space:]\u00a0\u2800\U00013430-\U00013440%s%s]', c_marks, c_selectors) then v_text else '' end;
end
$$;

-- A text as it is stored: private.visible_text without surrounding white space; null when nothing is left.
create function private.trimmed(p_text text) returns text
language sql immutable parallel safe
-- Includes the wide space of Japanese keyboards and the non-breaking space. Most texts have nothing to take away.
return nullif(btrim(case when p_text ~ '[^\n\t -~\u00a1-\u00ac\u00ae-\u02ff\u3000-\u3096\u30a0-\u30ff\u4e00-\u9fff\uff01-\uff9f]'
  then private.visible_text(p_text) else p_text end, e' \t\r\n\u00a0\u3000'), '');

grant execute on function private.trimmed(text), private.visible_text(text), private.composed(text) to anon, authenticated;

-- Whether a JSON value is an RFC 3339 timestamp with an offset. As in the router, t and z may be in lower case, and the
-- second 60 is the next second. Postgres reads no fraction of it.
create function private.is_moment(p_value jsonb) returns boolean
language plpgsql stable
set search_path = ''
as $$
declare
  v_text constant text := p_value #>> '{}';
begin
  return coalesce(
    jsonb_typeof(p_value) = 'string' and v_text ~* '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$'
      and pg_input_is_valid(v_text, 'timestamptz'), false
  );
end
$$;

grant execute on function private.is_moment(jsonb) to anon, authenticated;

-- Sets updated_at on every update of a row.
create function private.tg_touch_updated_at() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.updated_at := now();
  return new;
end
$$;

-- Records at each update whether the row was returned to clients before: such a row can be deactivated, not deleted.
-- For every table with is_active, starts_at and was_shown.
create function private.tg_timed_rows__note_shown() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.was_shown := old.was_shown or (old.is_active and old.starts_at <= now());
  return new;
end
$$;
