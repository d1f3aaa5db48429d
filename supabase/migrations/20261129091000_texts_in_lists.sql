-- Texts in lists: those of the console's content, such as the features of a plan, are stored without what cannot be seen.
--
-- The definitions are those of supabase/schemas after this change. Stored texts stay as they are until they are written
-- again. The way back: the function with one parameter, as it was.

set lock_timeout = '2s';

drop function private.visible_texts(jsonb);

-- JSON with its texts as private.visible_text, also in lists and objects, to p_depth levels. A field of which nothing is
-- left stays, and in a list it is an empty text: the rules refuse both.
create function private.visible_texts(p_value jsonb, p_depth integer default 4) returns jsonb
language plpgsql immutable
set search_path = ''
as $$
begin
  -- Most values have nothing to take away.
  if p_depth < 0 or p_value::text !~ '[^ -~\u00a1-\u00ac\u00ae-\u02ff\u3000-\u3096\u30a0-\u30ff\u4e00-\u9fff\uff01-\uff9f]|\\[ur]' then
    return p_value;
  end if;
  return case jsonb_typeof(p_value)
    when 'string' then to_jsonb(private.visible_text(p_value #>> '{}'))
    when 'array' then (
      select jsonb_agg(private.visible_texts(e.value, p_depth - 1) order by e.nth)
      from jsonb_array_elements(p_value) with ordinality as e (value, nth)
    )
    when 'object' then (
      select jsonb_object_agg(f.key, case f.visible when '""' then f.value else f.visible end)
      from (select e.key, e.value, private.visible_texts(e.value, p_depth - 1) as visible from jsonb_each(p_value) as e) f
    )
    else p_value
  end;
end
$$;
