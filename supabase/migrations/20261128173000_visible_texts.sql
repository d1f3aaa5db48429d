-- Texts lose invisible characters: control characters, marks of direction, fillers. A name is on one line and can be seen.
--
-- The definitions are those of supabase/schemas after this change. Stored names are changed; other texts when they are next
-- written. The way back: private.trimmed and private.tg_users__open_account as they were; then drop the trigger, its
-- function, private.shown_name and private.visible_text.

set lock_timeout = '2s';

-- A text without its invisible characters: control characters but tabs and line breaks, marks of direction, fillers, and
-- joiners and selectors that have nothing to join or to select. Emoji, flags, and scripts that need them keep them.
create function private.visible_text(p_text text) returns text
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
declare
  c_joined constant text := '\u0600-\u0dff\u2600-\u27bf\ufe0f\U0001f000-\U0001faff';
  -- Composed where a mark follows its letter. All of NFC would replace kanji of names by others.
  v_text text := regexp_replace(case when p_text ~ '[\u0300-\u036f\u3099\u309a]' then normalize(p_text, nfc) else p_text end,
    '[\u2028\u2029]|\r\n?', e'\n', 'g');
begin
  v_text := regexp_replace(v_text,
    '[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]',
    '', 'g');
  v_text := regexp_replace(v_text, format('(?<![%1$s])[\u200c\u200d]|[\u200c\u200d](?![%1$s])', c_joined), '', 'g');
  v_text := regexp_replace(v_text, '(?<![\U0001f3f4\U000e0020-\U000e007e])[\U000e0000-\U000e007f]+', '', 'g');
  v_text := regexp_replace(v_text, '(?<![^[:space:]])[\ufe00-\ufe0f\U000e0100-\U000e01ef]+', '', 'g');
  return case when v_text ~ '[^[:space:]\u00a0\u2800\u0300-\u036f]' then v_text else '' end;
end
$$;

-- A text as it is stored: private.visible_text without surrounding white space; null when nothing is left.
create or replace function private.trimmed(p_text text) returns text
language sql immutable parallel safe
-- Includes the wide space of Japanese keyboards and the non-breaking space. Most texts have nothing to take away.
return nullif(btrim(case when p_text ~ '[^\n\t -~\u00a1-\u00ac\u00ae-\u02ff\u3000-\u3096\u30a0-\u30ff\u4e00-\u9fff\uff01-\uff9f]'
  then private.visible_text(p_text) else p_text end, e' \t\r\n\u00a0\u3000'), '');

grant execute on function private.trimmed(text), private.visible_text(text) to anon, authenticated;

-- A name as other users see it, on one line. Null when nothing visible is left.
create function private.shown_name(p_name text) returns text
language sql immutable
return regexp_replace(private.trimmed(p_name), '\s+', ' ', 'g');

grant execute on function private.shown_name(text) to authenticated;

-- Stores the name of a user as others see it. One that cannot be seen is empty, which the table refuses.
create function private.tg_app_users__show_name() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.display_name := coalesce(private.shown_name(new.display_name), '');
  return new;
end
$$;

-- Opens the app account of a new auth user. A display_name that is not a string of 1 to 100 characters, of which one can be
-- seen, is left out and never rejected.
create or replace function private.tg_users__open_account() returns trigger
language plpgsql
security definer -- the role of the auth server inserts the user and has no right on these tables
set search_path = ''
as $$
declare
  v_given constant jsonb := new.raw_user_meta_data -> 'display_name';
  v_name constant text := case when jsonb_typeof(v_given) = 'string' then private.shown_name(left(v_given #>> '{}', 1000)) end;
begin
  insert into public.app_users (id, display_name)
  values (new.id, case when char_length(v_name) <= 100 then v_name end)
  on conflict (id) do nothing;
  return null;
end
$$;

-- Names that cannot be seen are removed.
update public.app_users u set display_name = private.shown_name(u.display_name)
where u.display_name is distinct from private.shown_name(u.display_name);

-- Stores a name as other users see it (accounts/accounts.sql).
create trigger _200_show_name before insert or update of display_name on public.app_users
  for each row when (new.display_name is not null) execute function private.tg_app_users__show_name();
