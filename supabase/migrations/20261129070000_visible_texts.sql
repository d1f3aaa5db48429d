-- Texts that others see: no pile of marks, no tags or selectors that show nothing. Joiners that change a letter stay.
--
-- The definition is that of supabase/schemas after this change. Texts that are stored stay as they are until they are
-- written again. The way back: the function as it was.

-- A text without its invisible characters: control characters but tabs and line breaks, marks of direction, fillers, tags,
-- and joiners and selectors that have nothing to join or to select. Emoji, flags, and scripts that need them keep them, one
-- at each place. A letter keeps four marks: a pile of them covers the lines around it.
create or replace function private.visible_text(p_text text) returns text
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
