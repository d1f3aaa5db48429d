-- Pages: every list is read page by page, and a cursor continues it.
--
-- Interface: private.page_limit, private.page_start and private.page, which every list calls; private.capped_total for
-- lists that may have millions of items.

-- Pages. A cursor is base64url of nine bytes of checksum and the sort keys of the last row of a page, a JSON array. The
-- checksum covers the keys and the request of the list (name, filters, order). So a cursor that was cut, changed or made by
-- another request is rejected before its content is read. It is not a secret: a client can forge a cursor. So each list
-- names the types of its keys, a cursor with other keys is rejected, and keys are never written into a statement's text.

-- Returns the limit of a list, 1 to p_max. Errors: validation_error.
create function private.page_limit(p_limit integer, p_max integer default 100) returns integer
language plpgsql stable
set search_path = ''
as $$
begin
  if (p_limit between 1 and p_max) is not true then
    perform private.raise_error('validation_error', 422, format('limit must be between 1 and %s.', p_max), p_param => 'limit');
  end if;
  return p_limit;
end
$$;

-- The first nine bytes of a cursor: the checksum of its keys and of the request of the list.
create function private.cursor_checksum(p_filters jsonb, p_keys bytea) returns bytea
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return substr(sha256(convert_to(p_filters::text, 'UTF8') || p_keys), 1, 9);
end
$$;

-- The cursor after the row with these sort keys (an array); null without keys. p_filters has the name, filters and order
-- of the list: everything that must be the same on the next page.
create function private.cursor_encode(p_filters jsonb, p_keys jsonb) returns text
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return (
    select rtrim(translate(encode(private.cursor_checksum(p_filters, keys) || keys, 'base64'), e'+/\n', '-_'), '=')
    from convert_to(p_keys::text, 'UTF8') as keys
  );
end
$$;

-- Whether a key of a cursor is a value of the type. integer, bigint and double precision are JSON numbers; text, uuid,
-- date and timestamptz are JSON strings.
create function private.is_cursor_key(p_key jsonb, p_type text) returns boolean
language plpgsql stable
set search_path = ''
as $$
declare
  v_text constant text := p_key #>> '{}';
begin
  -- One literal per type: pg_input_is_valid keeps the type that a variable named first. Types read more than they write
  -- (now, infinity, -1), and cursors never contain such values.
  return case p_type
    when 'integer' then jsonb_typeof(p_key) = 'number' and pg_input_is_valid(v_text, 'integer')
    when 'bigint' then jsonb_typeof(p_key) = 'number' and pg_input_is_valid(v_text, 'bigint')
    when 'double precision' then jsonb_typeof(p_key) = 'number' and pg_input_is_valid(v_text, 'double precision')
    when 'text' then jsonb_typeof(p_key) = 'string'
    when 'uuid' then jsonb_typeof(p_key) = 'string' and pg_input_is_valid(v_text, 'uuid')
    when 'date' then jsonb_typeof(p_key) = 'string' and pg_input_is_valid(v_text, 'date') and v_text ~ '^\d{4}-\d\d-\d\d$'
    when 'timestamptz' then jsonb_typeof(p_key) = 'string' and pg_input_is_valid(v_text, 'timestamptz')
      and v_text ~ '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?[+-]\d\d:\d\d(:\d\d)?$'
    else false
  end;
end
$$;

-- The JSON array in these bytes, if it has one key of each type in this order; otherwise null.
create function private.cursor_keys(p_bytes bytea, p_types text[]) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_text text;
  v_keys jsonb;
begin
  v_text := convert_from(p_bytes, 'UTF8');
  v_keys := case when pg_input_is_valid(v_text, 'jsonb') then v_text::jsonb end;
  return case when jsonb_typeof(v_keys) = 'array' then case
    when jsonb_array_length(v_keys) = cardinality(p_types) and (
      select bool_and(private.is_cursor_key(v_keys -> (t.place - 1)::integer, t.name))
      from unnest(p_types) with ordinality as t (name, place)
    ) then v_keys end end;
exception when character_not_in_repertoire then
  return null;
end
$$;

-- The sort keys in a cursor that private.cursor_encode made for the same p_filters; null without a cursor. There is one
-- key of each type of p_types, so that they can be cast. Errors: validation_error.
create function private.cursor_decode(p_filters jsonb, p_cursor text, p_types text[]) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_bytes bytea;
  v_keys jsonb;
begin
  if p_cursor is null then
    return null;
  end if;
  if p_cursor ~ '^[A-Za-z0-9_-]+$' and length(p_cursor) between 12 and 4096 and length(p_cursor) % 4 <> 1 then
    v_bytes := decode(translate(p_cursor, '-_', '+/') || repeat('=', -length(p_cursor) & 3), 'base64');
    if substr(v_bytes, 1, 9) = private.cursor_checksum(p_filters, substr(v_bytes, 10)) then
      v_keys := private.cursor_keys(substr(v_bytes, 10), p_types);
    end if;
  end if;
  -- Each cursor has one spelling: spare bits of its last letter are not ignored.
  if v_keys is null or private.cursor_encode(p_filters, v_keys) <> p_cursor then
    perform private.raise_error('validation_error', 422, 'This cursor belongs to another list or to other filters. Start again without a cursor.',
      p_param => 'cursor');
  end if;
  return v_keys;
end
$$;

-- The sort keys after which a page begins, never null. With a cursor: its keys, as private.cursor_decode reads them.
-- Without: keys before every row in the order, asc or desc. So `(created_at, id) < (…)` is an index condition of every
-- page, for any plan. Errors: validation_error.
create function private.page_start(p_filters jsonb, p_cursor text, p_types text[], p_order text) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  -- There is no last text, so a list in descending order of a text would be empty.
  c_before_all constant jsonb := case p_order
    when 'asc' then '{"integer": -2147483648, "text": "", "uuid": "00000000-0000-0000-0000-000000000000", "date": "-infinity", "timestamptz": "-infinity"}'
    when 'desc' then '{"integer": 2147483647, "uuid": "ffffffff-ffff-ffff-ffff-ffffffffffff", "date": "infinity", "timestamptz": "infinity"}'
  end;
begin
  return coalesce(private.cursor_decode(p_filters, p_cursor, p_types), (
    select jsonb_agg(c_before_all -> t.name order by t.place) from unnest(p_types) with ordinality as t (name, place)
  ));
end
$$;

-- A page: {items, next_cursor}, and total when it is given. p_items: the rows in order, one more than p_limit when there
-- are more, null for none. p_keys: the fields of an item that are its sort keys, from which the next page continues.
create function private.page(p_filters jsonb, p_items jsonb, p_keys text[], p_limit integer, p_total bigint default null)
returns jsonb
language plpgsql immutable parallel safe
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'items', coalesce(p_items - p_limit, '[]'),
    'next_cursor', case when jsonb_array_length(p_items) > p_limit then private.cursor_encode(p_filters, (
      select jsonb_agg(p_items -> (p_limit - 1) -> k.name order by k.place)
      from unnest(p_keys) with ordinality as k (name, place)
    )) end
  ) || case when p_total is null then '{}' else jsonb_build_object('total', p_total) end;
end
$$;

-- Up to this number the items of a list that may have millions are counted: no one pages that far. Such a list counts one
-- more.
create function private.max_total() returns integer
language sql immutable parallel safe
return 10000;

-- The number of items of a list that counts up to private.max_total() + 1 of them: {total, total_is_exact}. Not exact: at
-- least total. p_is_all false: only a part of the list was counted.
create function private.capped_total(p_count bigint, p_is_all boolean default true) returns jsonb
language plpgsql immutable parallel safe
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'total', least(p_count, private.max_total()), 'total_is_exact', p_is_all and p_count <= private.max_total()
  );
end
$$;

grant execute on function private.max_total(), private.capped_total(bigint, boolean) to anon, authenticated;
grant execute on function
  private.page_limit(integer, integer), private.cursor_checksum(jsonb, bytea), private.cursor_encode(jsonb, jsonb),
  private.is_cursor_key(jsonb, text), private.cursor_keys(bytea, text[]), private.cursor_decode(jsonb, text, text[]),
  private.page_start(jsonb, text, text[], text),
  private.page(jsonb, jsonb, text[], integer, bigint)
to anon, authenticated;
