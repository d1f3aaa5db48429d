-- Reference: the code master, the one place in which a code of this service has a display name.
--
-- A category is a list (vehicle_type, review_status, ...); a code is one of its values. Each code has one row per
-- language. Clients show display_label and send code. Domains that store a code have a constraint of their own, and a
-- test keeps the two lists equal. reference/data.sql and the data of other domains insert the rows; administrators change
-- labels.
--
-- Invariants: a code has at most one row per language; codes are ASCII identifiers and never change their meaning. A code
-- that is no longer offered is kept with is_active false, because old rows still use it.
--
-- Interface: api.list_codes(lang).

-- Returns a language of the service, ja or en. Errors: validation_error.
create function private.require_lang(p_lang text) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  if p_lang is null or p_lang not in ('ja', 'en') then
    perform private.raise_error('validation_error', 422, 'lang must be ja or en.', p_param => 'lang');
  end if;
  return p_lang;
end
$$;

-- A text in the language; a text without English is returned in Japanese.
create function private.in_lang(p_lang text, p_text text, p_text_en text) returns text
language sql immutable parallel safe
return case p_lang when 'en' then coalesce(p_text_en, p_text) else p_text end;

grant execute on function private.require_lang(text), private.in_lang(text, text, text) to anon, authenticated;
