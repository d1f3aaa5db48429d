-- Fields: objects of fields are checked against a table before they are written.
--
-- The table states the rules: the types of its columns, not null, and its check constraints. private.check_fields reads
-- them from the catalogue, also for an object that has no row yet. The sentence of a broken constraint follows from its
-- expression. Where that is unclear, comment on constraint has the sentence, which begins with the field. For a
-- composite type the constraints are those of the domain over it.
--
-- A call adds rules that a constraint cannot have, as {"<field>": rule}. The rule * is for every field.
--   category: the category of its codes. An array has one or more different ones.
--   in: the values that this caller accepts, of those that the column can hold.
--   blank: false for a text that must not consist of spaces.
--   null: false for a nullable column that must not be null.
--   type: the type of a field that is no column, with max_length for a text; object or array for one of the type jsonb.
--
-- Invariants: every error names its field. One function writes the sentence of a broken constraint, before a write and
-- after it. A set of objects is checked by one statement.
-- Interface: private.check_fields, check_items, required_text, field_errors, client_fields, trimmed_texts, visible_texts,
-- write_fields, key_columns and column_bounds; reject_violation and violation_error for errors of a write.

-- ---------------------------------------------------------------------------------------------------------------------
-- What a table requires
-- ---------------------------------------------------------------------------------------------------------------------

-- The check constraints of a table, or of the domain over a composite type: of these columns only, if they are given.
create function private.checks_of(p_table regclass, p_columns text[] default null)
returns table (id oid, name text, columns text[], expression text)
language plpgsql stable
set search_path = ''
as $$
begin
  return query
  select c.oid, c.conname::text, array(
      select a.attname::text from unnest(c.conkey) with ordinality as k (attnum, nth)
      join pg_catalog.pg_attribute a on a.attrelid = p_table and a.attnum = k.attnum
      order by k.nth
    ), pg_get_expr(c.conbin, p_table)
  from pg_catalog.pg_constraint c
  -- Not a constraint on the row as a whole, whose columns are unknown.
  where c.conrelid = p_table and c.contype = 'c' and 0 <> all (c.conkey) and (p_columns is null or c.conkey && array(
    select a.attnum from pg_catalog.pg_attribute a where a.attrelid = p_table and a.attname = any (p_columns)
  ));
  if not found then
    return query
    select c.oid, c.conname::text, array(
        select m.part[1] from regexp_matches(e.expression, '\(VALUE\)\.(\w+)', 'g') with ordinality as m (part, nth)
        group by 1 order by min(m.nth)
      ), replace(e.expression, '(VALUE).', '')
    from pg_catalog.pg_class t
    join pg_catalog.pg_type d on d.typbasetype = t.reltype and d.typtype = 'd'
    join pg_catalog.pg_constraint c on c.contypid = d.oid
    cross join lateral (select pg_get_expr(c.conbin, 0) as expression) e
    where t.oid = p_table and t.relkind = 'c';
  end if;
end
$$;

-- The bounds of a column in the expression of a check constraint: {min, max, above, below} of a number, {min_length,
-- max_length} in characters or elements, in (values), pattern; parts: in how many parts of the expression they are.
create function private.bounds_in(p_expression text, p_column text, p_type text) returns jsonb
language plpgsql immutable
set search_path = ''
as $$
begin
  if p_expression ~ '\m(OR|CASE)\M' then
    return '{}';
  end if;
  return (
    select jsonb_strip_nulls(jsonb_object_agg(b.name, b.value) || jsonb_build_object('parts', count(b.name)))
    from (
      select case
          when m.part[1] is not null then case when m.part[2] like '>%' then 'min_length' else 'max_length' end
          when p_type in ('smallint', 'integer', 'bigint') or m.part[2] like '%=' then case when m.part[2] like '>%' then 'min' else 'max' end
          when m.part[2] = '>' then 'above' else 'below'
        end as name,
        -- Above 0 is 1 or more, of a whole number and of a length.
        to_jsonb(m.part[3]::numeric + case when m.part[1] is null and p_type not in ('smallint', 'integer', 'bigint') then 0
          when m.part[2] = '>' then 1 when m.part[2] = '<' then -1 else 0 end) as value
      from regexp_matches(p_expression,
        format('\m(?:(char_length|length|cardinality)\()?%s\)? (>=|<=|>|<) \(*''?(-?[0-9]+(?:\.[0-9]+)?)(?![-0-9.])', p_column), 'g') as m (part)
      union all
      select 'in', (select jsonb_agg(v.part[1]) from regexp_matches(m.part[1], '''([^'']*)''', 'g') as v (part))
      from regexp_matches(p_expression, format('\m%s = ANY \(ARRAY\[(.*?)\]\)', p_column)) as m (part)
      union all
      select 'pattern', to_jsonb(replace(m.part[1], '''''', ''''))
      from regexp_matches(p_expression, format('\m%s ~ ''((?:[^'']|'''')*)''', p_column)) as m (part)
    ) b
    having count(b.name) > 0
  );
end
$$;

-- The columns of a table with what each accepts: {type, null} and the bounds of its constraints (private.bounds_in).
create function private.column_bounds(p_table regclass) returns table (column_name text, bounds jsonb)
language plpgsql stable
set search_path = ''
as $$
begin
  return query
  select a.attname::text, jsonb_build_object('type', t.name, 'null', not a.attnotnull) || coalesce((
      select jsonb_object_agg(b.key, b.value)
      from private.checks_of(p_table) c
      cross join lateral jsonb_each(private.bounds_in(c.expression, a.attname, t.name)) as b
      where c.columns = array[a.attname::text] and b.key <> 'parts'
    ), '{}')
  from pg_catalog.pg_attribute a
  cross join lateral (select format_type(a.atttypid, null) as name) t
  where a.attrelid = p_table and a.attnum > 0 and not a.attisdropped
  order by a.attnum;
end
$$;

-- The field of a broken check constraint and the sentence that states what the constraint requires. The field is the one
-- with which the comment of the constraint begins; otherwise one without a value, one that was given, or the first.
create function private.broken_check(
  p_table regclass, p_constraint text, p_values jsonb default '{}', p_given text[] default '{}', out field text, out message text
)
language plpgsql stable
set search_path = ''
as $$
declare
  v_check record;
  v_bounds jsonb;
begin
  select c.*, obj_description(c.id, 'pg_constraint') as note into v_check from private.checks_of(p_table) c where c.name = p_constraint;
  field := coalesce(
    (select c from unnest(v_check.columns) as c where c = substring(v_check.note from '^\w+')),
    (select c from unnest(v_check.columns) with ordinality as c (c, nth) where p_values -> c = 'null' order by nth limit 1),
    (select c from unnest(v_check.columns) with ordinality as c (c, nth) where c = any (p_given) order by nth limit 1),
    v_check.columns[1]
  );
  message := v_check.note;
  if message is null then
    v_bounds := private.bounds_in(v_check.expression, field, (
      select format_type(a.atttypid, null) from pg_catalog.pg_attribute a where a.attrelid = p_table and a.attname = field
    ));
    -- Bounds that are only a part of the expression do not explain why it was broken.
    if cardinality(v_check.columns) > 1 or (v_bounds -> 'parts')::integer <> regexp_count(v_check.expression, '\mAND\M') + 1 then
      v_bounds := '{}';
    end if;
    message := field || case
      when v_bounds ?& '{min_length,max_length}' then format(' must have %s to %s characters.', v_bounds -> 'min_length', v_bounds -> 'max_length')
      when v_bounds ? 'max_length' then format(' must have at most %s characters.', v_bounds -> 'max_length')
      when v_bounds ? 'min_length' then format(' must have at least %s elements.', v_bounds -> 'min_length')
      when v_bounds ?& '{min,max}' then format(' must be between %s and %s.', v_bounds -> 'min', v_bounds -> 'max')
      when v_bounds ?& '{above,max}' then format(' must be above %s and at most %s.', v_bounds -> 'above', v_bounds -> 'max')
      when v_bounds ? 'min' then format(' must be at least %s.', v_bounds -> 'min')
      when v_bounds ? 'max' then format(' must be at most %s.', v_bounds -> 'max')
      when v_bounds ? 'above' then format(' must be above %s.', v_bounds -> 'above')
      when v_bounds ? 'in' then ' must be one of ' || private.listed(v_bounds -> 'in') || '.'
      when v_check.expression ~ '^\(?jsonb_typeof\(\w+\) = ''(object|array)''::text\)?$'
        then format(' must be an %s.', substring(v_check.expression from '''(\w+)'''))
      else ' has a value that is not allowed.'
    end;
  end if;
end
$$;

-- The texts of a JSON array with commas between them.
create function private.listed(p_texts jsonb) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return (select string_agg(t.value, ', ' order by t.nth) from jsonb_array_elements_text(p_texts) with ordinality as t (value, nth));
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Values
-- ---------------------------------------------------------------------------------------------------------------------

-- Whether a JSON value other than null is valid for a column of the type. Timestamps must have an offset.
create function private.is_field_value(p_value jsonb, p_type text) returns boolean
language plpgsql stable
set search_path = ''
as $$
declare
  v_text constant text := p_value #>> '{}';
begin
  return case p_type
    when 'boolean' then jsonb_typeof(p_value) = 'boolean'
    when 'numeric' then jsonb_typeof(p_value) = 'number'
    when 'jsonb' then true
    when 'object' then jsonb_typeof(p_value) = 'object'
    when 'array' then jsonb_typeof(p_value) = 'array'
    when 'text[]' then jsonb_typeof(p_value) = 'array' and not jsonb_path_exists(p_value, 'strict $[*] ? (@.type() != "string")')
    when 'date' then jsonb_typeof(p_value) = 'string' and v_text ~ '^\d{4}-\d\d-\d\d$' and pg_input_is_valid(v_text, 'date')
    when 'time without time zone' then
      jsonb_typeof(p_value) = 'string' and v_text ~ '^(([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?|24:00(:00)?)$'
    when 'timestamp with time zone' then private.is_moment(p_value)
    else private.is_cursor_key(p_value, p_type)
  end;
end
$$;

-- What a value of a type must be, as the end of a sentence.
create function private.type_words(p_type text) returns text
language sql stable
return case p_type
  when 'boolean' then 'must be true or false.'
  when 'smallint' then 'must be a whole number, at most 32767.'
  when 'integer' then 'must be a whole number, at most 2147483647.'
  when 'bigint' then 'must be a whole number.'
  when 'numeric' then 'must be a number.'
  when 'double precision' then 'must be a number.'
  when 'text' then 'must be a string.'
  when 'text[]' then 'must be an array of strings.'
  when 'uuid' then 'must be a UUID.'
  when 'date' then 'must be a date, for example 2026-09-01.'
  when 'time without time zone' then 'must be a time of day from 00:00 to 24:00, for example 08:30.'
  when 'timestamp with time zone' then 'must be a timestamp with an offset, for example 2026-09-01T09:30:00+09:00.'
  when 'object' then 'must be an object.'
  when 'array' then 'must be an array.'
  else format('must be a value of the type %s.', p_type)
end;

-- Whether a value is a code of a category, or an array of one or more different ones.
create function private.has_codes_of(p_value jsonb, p_category text) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select count(*) > 0 and count(*) = count(distinct e.value) and bool_and(exists (
      select from public.codes c where c.category_id = p_category and c.code = e.value
    ))
    from jsonb_array_elements_text(case jsonb_typeof(p_value) when 'array' then p_value else jsonb_build_array(p_value) end) as e (value)
  );
end
$$;

-- The error of a value for a column of a type, as the end of a sentence; null when there is none. p_rule is its rule (see
-- above). Null: the field is absent, and required.
create function private.value_error(p_value jsonb, p_type text, p_is_required boolean, p_rule jsonb) returns text
language sql stable
return case
  when p_value is null then 'is required.'
  when p_value = 'null' then case when p_is_required or p_rule -> 'null' = 'false' then 'must not be null.' end
  when not private.is_field_value(p_value, p_type) then private.type_words(p_type)
  when p_rule = '{}' then null
  when p_type = 'text' and p_rule -> 'blank' = 'false' and private.trimmed(p_value #>> '{}') is null then 'must not be blank.'
  when p_type = 'text' and char_length(p_value #>> '{}') > (p_rule -> 'max_length')::integer then
    format('must have at most %s characters.', p_rule -> 'max_length')
  when p_rule ? 'in' and not p_rule -> 'in' @> p_value then 'must be one of ' || private.listed(p_rule -> 'in') || '.'
  when p_rule ? 'category' and not private.has_codes_of(p_value, p_rule ->> 'category') then
    case p_type when 'text' then 'must be a code of the category ' else 'must have one or more different codes of the category ' end
    || (p_rule ->> 'category') || '.'
end;

-- ---------------------------------------------------------------------------------------------------------------------
-- Objects of fields
-- ---------------------------------------------------------------------------------------------------------------------

-- The constraints that these objects break: the position of the object from 1, the field, and the sentence. A constraint
-- is evaluated when the object has one of its columns, and has or p_before has the others.
create function private.broken_checks(p_table regclass, p_objects jsonb[], p_before jsonb)
returns table (place bigint, field text, message text)
language plpgsql stable
set search_path = ''
as $$
declare
  v_given constant text[] := array(select distinct k from unnest(p_objects) as o cross join jsonb_object_keys(o) as k);
  v_known constant text[] := v_given || array(select jsonb_object_keys(p_before));
  v_checks text;
begin
  -- The names of the columns are those of the expressions: nothing else here has such a name.
  select string_agg(format('(%L, %L::text[], %s)', c.name, c.columns, c.expression), ', ' order by cardinality(c.columns), c.name)
  into v_checks
  from private.checks_of(p_table, v_given) c
  where c.columns && v_given and c.columns <@ v_known;
  if v_checks is null then
    return;
  end if;
  return query execute format(
    'select "~place", b.field, b.message
    from unnest($1) with ordinality as "~o" ("~object", "~place")
    cross join lateral jsonb_populate_record(null::%s, $2 || "~object") as "~row"
    cross join lateral (values %s) as "~c" ("~name", "~columns", "~holds")
    cross join lateral private.broken_check($3, "~name", $2 || "~object", array(select jsonb_object_keys("~object"))) as b
    where not "~holds" and "~object" ?| "~columns" and $2 || "~object" ?& "~columns"', p_table, v_checks
  ) using p_objects, p_before, p_table;
end
$$;

-- The errors of objects of fields: the position of the object from 1, the field (null: it is no object), and the
-- sentence; in order, one for each field. p_before has the fields of the row that an object changes, or the defaults of
-- a new one.
create function private.field_errors(
  p_table regclass, p_objects jsonb[], p_fields text[], p_required text[] default '{}', p_rules jsonb default '{}',
  p_before jsonb default '{}'
) returns table (place bigint, field text, message text)
language plpgsql stable
set search_path = ''
as $$
declare
  v_errors jsonb;
  v_objects jsonb[];
begin
  select coalesce(jsonb_agg(jsonb_build_array(w.place, w.field, w.message)), '[]') into v_errors
  from (
    select o.place, f.field, f.field || ' ' || case
        when f.field <> all (p_fields) then 'does not exist, or it cannot be changed. Remove it.'
        else private.value_error(f.value, coalesce(p_rules -> f.field ->> 'type', a.type), a.is_required,
          coalesce(p_rules -> '*', '{}') || coalesce(p_rules -> f.field, '{}'))
      end as message
    from unnest(p_objects) with ordinality as o (value, place)
    cross join lateral (
      select e.key as field, e.value from jsonb_each(o.value) as e
      union all
      select q.field, null from unnest(p_required) as q (field) where not o.value ? q.field
    ) f
    left join (
      select attname::text as field, format_type(atttypid, null) as type, attnotnull as is_required
      from pg_catalog.pg_attribute where attrelid = p_table and attnum > 0
    ) a on a.field = f.field
    where jsonb_typeof(o.value) = 'object'
    union all
    select o.place, null, 'Must be an object.'
    from unnest(p_objects) with ordinality as o (value, place) where jsonb_typeof(o.value) is distinct from 'object'
  ) w
  where w.message is not null;
  -- Without the values that their columns cannot hold.
  v_objects := case when v_errors = '[]' then p_objects else array(
    select case when jsonb_typeof(o.value) = 'object' then o.value - array(
      select f.value ->> 1 from jsonb_array_elements(v_errors) as f where (f.value -> 0)::bigint = o.place
    ) else '{}' end
    from unnest(p_objects) with ordinality as o (value, place) order by o.place
  ) end;
  return query
  select distinct on (e.place, e.field) e.place, e.field, e.message
  from (
    select (f.value -> 0)::bigint as place, f.value ->> 1 as field, f.value ->> 2 as message from jsonb_array_elements(v_errors) as f
    union all
    select b.place, b.field, b.message from private.broken_checks(p_table, v_objects, p_before) as b
  ) e
  order by e.place, e.field;
end
$$;

-- Raises validation_error for the error of an item of an array (param: the path p_at, the position from 0, the field).
create function private.raise_item_error(p_at text, p_place bigint, p_field text, p_message text) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.raise_error('validation_error', 422, p_message, p_param => concat_ws('.', p_at, p_place - 1, p_field));
end
$$;

-- Checks the objects of an array, as private.check_fields checks one; p_at is the path of the array. Errors:
-- validation_error (param: path, position from 0 and field).
create function private.check_items(
  p_table regclass, p_items jsonb, p_fields text[], p_required text[], p_rules jsonb, p_at text
) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.raise_item_error(p_at, e.place, e.field, e.message)
  from private.field_errors(p_table, array(select jsonb_array_elements(p_items)), p_fields, p_required, p_rules) as e;
end
$$;

-- Checks an object of fields before it is written: fields that are not in p_fields, values that their columns cannot
-- hold, constraints, and p_rules (see above). p_required must be there. p_at is the path of the object. p_before has the
-- fields of the row that it changes. Errors: validation_error (param: path and field).
create function private.check_fields(
  p_table regclass, p_values jsonb, p_fields text[], p_required text[] default '{}', p_rules jsonb default '{}', p_at text default null,
  p_before jsonb default '{}'
) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_error record;
begin
  select e.* into v_error from private.field_errors(p_table, array[p_values], p_fields, p_required, p_rules, p_before) as e limit 1;
  if found then
    perform private.raise_error('validation_error', 422, v_error.message, p_param => nullif(concat_ws('.', p_at, v_error.field), ''));
  end if;
end
$$;

-- A required text for a column, without the spaces around it. Errors: validation_error (param: p_param, or the column).
create function private.required_text(p_text text, p_table regclass, p_column text, p_param text default null) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_text constant text := coalesce(private.trimmed(p_text), '');
  v_message text;
begin
  select regexp_replace(e.message, '^\w+', coalesce(p_param, p_column)) into v_message
  from private.field_errors(p_table, array[jsonb_build_object(p_column, v_text)], array[p_column]) as e;
  if found then
    perform private.raise_error('validation_error', 422, v_message, p_param => coalesce(p_param, p_column));
  end if;
  return v_text;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Writes
-- ---------------------------------------------------------------------------------------------------------------------

-- The columns of a table that clients write: those that authenticated users may both insert and update.
create function private.client_fields(p_table regclass) returns text[]
language plpgsql stable
set search_path = ''
as $$
begin
  return array(
    select a.attname::text from pg_catalog.pg_attribute a
    where a.attrelid = p_table and a.attnum > 0 and not a.attisdropped
      and has_column_privilege('authenticated', p_table, a.attnum, 'INSERT')
      and has_column_privilege('authenticated', p_table, a.attnum, 'UPDATE')
  );
end
$$;

-- An object of fields with its texts trimmed; null where nothing is left. Another value is returned as it is.
create function private.trimmed_texts(p_values jsonb) returns jsonb
language plpgsql immutable
set search_path = ''
as $$
begin
  return case when jsonb_typeof(p_values) <> 'object' then p_values else coalesce((
    select jsonb_object_agg(f.key, case jsonb_typeof(f.value) when 'string' then to_jsonb(private.trimmed(f.value #>> '{}')) else f.value end)
    from jsonb_each(p_values) as f
  ), '{}') end;
end
$$;

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

-- The columns of the primary key of a table, in their order.
create function private.key_columns(p_table regclass) returns text[]
language plpgsql stable
set search_path = ''
as $$
begin
  return array(
    select a.attname::text
    from pg_catalog.pg_index i
    cross join unnest(i.indkey) with ordinality as k (attnum, nth)
    join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
    where i.indrelid = p_table and i.indisprimary
    order by k.nth
  );
end
$$;

-- Writes these fields into a row with this primary key, or inserts them (p_before null::<table>), and returns the row. The
-- caller has checked the fields.
create function private.write_fields(p_before anyelement, p_fields jsonb) returns anyelement
language plpgsql
set search_path = ''
as $$
declare
  v_table constant regclass := pg_typeof(p_before)::text::regclass;
  v_columns constant text := (select string_agg(quote_ident(f), ', ') from jsonb_object_keys(p_fields) as f);
  v_after p_before%type := p_before;
begin
  if v_columns is null then
    return p_before;
  elsif p_before is null then
    execute format('insert into %1$s (%2$s) select %2$s from jsonb_populate_record(null::%1$s, $1) returning *', v_table, v_columns)
    into v_after using p_fields;
  else
    execute format('update %1$s r set (%2$s) = (select %2$s from jsonb_populate_record(null::%1$s, $1)) where %3$s returning r.*',
      v_table, v_columns, (
        select string_agg(format('r.%1$I = ($2).%1$I', k), ' and ') from unnest(private.key_columns(v_table)) as k
      )) into v_after using p_fields, p_before;
  end if;
  return v_after;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Errors of a write
-- ---------------------------------------------------------------------------------------------------------------------

-- Raises validation_error for values that a check constraint rejected (param: the field).
create function private.reject_violation(p_table regclass, p_constraint text) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_broken record := private.broken_check(p_table, p_constraint);
begin
  perform private.raise_error('validation_error', 422, v_broken.message, p_param => v_broken.field);
end
$$;

-- The error of a field that a call sent and that a constraint of one column (or not null: p_column) does not allow:
-- {param, message}; otherwise null.
create function private.violation_error(p_arguments jsonb, p_table regclass, p_constraint text, p_column text) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_field text := nullif(p_column, '');
  v_message text := v_field || ' is required.';
begin
  if v_field is null then
    select b.field, b.message into v_field, v_message
    from private.checks_of(p_table) c cross join lateral private.broken_check(p_table, c.name) as b
    where c.name = p_constraint and cardinality(c.columns) = 1;
  end if;
  -- A field that the client did not send is not the client's mistake.
  if not p_arguments ? ('p_' || v_field) and not exists (
    select from jsonb_each(p_arguments) a where jsonb_typeof(a.value) = 'object' and a.value ? v_field
  ) then
    return null;
  end if;
  return jsonb_build_object('param', v_field, 'message', v_message);
end
$$;

-- Searches and commands check fields with the rights of the client that calls them.
grant execute on function
  private.checks_of(regclass, text[]), private.bounds_in(text, text, text), private.broken_check(regclass, text, jsonb, text[]),
  private.listed(jsonb), private.is_field_value(jsonb, text), private.type_words(text), private.has_codes_of(jsonb, text),
  private.value_error(jsonb, text, boolean, jsonb), private.broken_checks(regclass, jsonb[], jsonb),
  private.field_errors(regclass, jsonb[], text[], text[], jsonb, jsonb),
  private.check_fields(regclass, jsonb, text[], text[], jsonb, text, jsonb), private.violation_error(jsonb, regclass, text, text)
to anon, authenticated;
grant execute on function
  private.required_text(text, regclass, text, text), private.client_fields(regclass), private.trimmed_texts(jsonb),
  private.key_columns(regclass), private.write_fields(anyelement, jsonb)
to authenticated;
