-- The kit of the console: the functions that its resources share. Helpers of one resource are in its own file.
--
-- A write of the console locks the administrator (private.lock_admin), reads the row with its version
-- (private.require_match), checks the fields, saves, and records the act with its difference (console/acts.sql).
--
-- Fields are checked in one of two ways. private.check_fields takes types and nullable fields from the columns of the
-- table; private.reject_violation and private.reject_duplicate then name the field of a constraint that was broken.
-- private.require_fields takes the rules as JSON, for data that are checked before there is a row.
--
-- Invariants: an absent field stays, null removes the value; every error names its field.

-- ---------------------------------------------------------------------------------------------------------------------
-- The act: its version, its reason, what it changed
-- ---------------------------------------------------------------------------------------------------------------------

-- Raises precondition_failed when the If-Match header of a change does not have the stored version: an entity tag is the
-- quoted updated_at. Null, or *: any version. The caller has locked the row.
create function private.require_match(p_if_match text, p_updated_at timestamptz) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if p_if_match <> '*' and to_jsonb(p_updated_at) #>> '{}' <> all (
    select btrim(btrim(tag), 'W/"') from string_to_table(p_if_match, ',') as tag
  ) then
    perform private.raise_error('precondition_failed', 412, 'This resource was changed after it was read. Read it again, then retry with its new ETag.',
      p_param => 'If-Match', p_details => jsonb_build_object('updated_at', p_updated_at));
  end if;
end
$$;

-- Raises forbidden (own_account) for an act of an administrator on their own account.
create function private.require_another(p_admin_id uuid, p_user_id uuid) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if p_user_id = p_admin_id then
    perform private.raise_error('forbidden', 403, 'Administrators cannot change their own account. Another administrator must do it.',
      p_details => '{"reason": "own_account"}');
  end if;
end
$$;

-- The required reason of an act, without the spaces around it. Errors: validation_error.
create function private.required_reason(p_reason text) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_reason text := private.trimmed(p_reason);
begin
  if coalesce(char_length(v_reason), 0) not between 1 and 500 then
    perform private.raise_error('validation_error', 422, 'reason must have 1 to 500 characters.', p_param => 'reason');
  end if;
  return v_reason;
end
$$;

grant execute on function private.required_reason(text), private.require_another(uuid, uuid) to service_role;

-- The reason of a decision without the spaces around it, null when it is empty. Errors: validation_error.
create function private.decision_reason(p_reason text) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_reason text := private.trimmed(p_reason);
begin
  if char_length(v_reason) > 500 then
    perform private.raise_error('validation_error', 422, 'reason must have at most 500 characters.', p_param => 'reason');
  end if;
  return v_reason;
end
$$;

-- Checks a decision of an administrator on a user's entry, whose row is locked. Raises forbidden for their own entry,
-- validation_error without p_seen_updated_at, and conflict (changed_meanwhile) when the entry was changed since.
create function private.check_decision(
  p_admin_id uuid, p_author_id uuid, p_updated_at timestamptz, p_seen_updated_at timestamptz
) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if p_author_id = p_admin_id then
    perform private.raise_error('forbidden', 403, 'Administrators cannot decide on their own entries. Another administrator must decide.',
      p_details => '{"reason": "own_entry"}');
  elsif p_seen_updated_at is null then
    perform private.raise_error('validation_error', 422, 'seen_updated_at must be the updated_at of the entry that was read.',
      p_param => 'seen_updated_at');
  elsif p_seen_updated_at <> p_updated_at then
    perform private.raise_error('conflict', 409, 'This entry was changed after it was read. Read it again, then retry.', p_param => 'seen_updated_at',
      p_details => jsonb_build_object('reason', 'changed_meanwhile', 'updated_at', p_updated_at));
  end if;
end
$$;

grant execute on function
  private.decision_reason(text), private.check_decision(uuid, uuid, timestamptz, timestamptz)
to service_role;

-- The differences between two versions of a row: {"<field>": {"old", "new"}}, without created_at and updated_at. Null is
-- a row that did not exist, or does not exist any more.
create function private.difference(p_before jsonb, p_after jsonb) returns jsonb
language plpgsql immutable
set search_path = ''
as $$
begin
  return coalesce((
    select jsonb_object_agg(k.field, jsonb_build_object('old', p_before -> k.field, 'new', p_after -> k.field))
    from (
      select jsonb_object_keys(coalesce(p_before, '{}') || coalesce(p_after, '{}')) as field
    ) k
    where k.field not in ('updated_at', 'created_at')
      and coalesce(p_before -> k.field, 'null') <> coalesce(p_after -> k.field, 'null')
  ), '{}');
end
$$;

grant execute on function private.difference(jsonb, jsonb), private.require_match(text, timestamptz) to service_role;

-- The action code of a write of a row with is_active; p_was_active is null for a new row.
create function private.content_action(p_target_type text, p_was_active boolean, p_is_active boolean) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return p_target_type || case
    when p_was_active is null then '.create'
    when p_was_active = p_is_active then '.update'
    when p_is_active then '.restore'
    else '.withdraw'
  end;
end
$$;

grant execute on function private.content_action(text, boolean, boolean) to service_role;

-- The current status of a row with is_active, starts_at and ends_at: withdrawn, ended, scheduled or shown.
create function private.time_status(p_is_active boolean, p_starts_at timestamptz, p_ends_at timestamptz) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return case
    when not p_is_active then 'withdrawn'
    when p_ends_at <= now() then 'ended'
    when p_starts_at > now() then 'scheduled'
    else 'shown'
  end;
end
$$;

grant execute on function private.time_status(boolean, timestamptz, timestamptz) to service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Fields by the columns of a table
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
    when 'jsonb' then true
    when 'text[]' then jsonb_typeof(p_value) = 'array' and not jsonb_path_exists(p_value, 'strict $[*] ? (@.type() != "string")')
    when 'date' then jsonb_typeof(p_value) = 'string' and v_text ~ '^\d{4}-\d\d-\d\d$' and pg_input_is_valid(v_text, 'date')
    when 'timestamp with time zone' then private.is_moment(p_value)
    else private.is_cursor_key(p_value, p_type)
  end;
end
$$;

-- Raises validation_error (param: the field) for an object with a field that is not in p_fields, with a value that the
-- column cannot hold, or without one of p_required.
create function private.check_fields(p_table regclass, p_values jsonb, p_fields text[], p_required text[] default '{}')
returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_wrong record;
begin
  if jsonb_typeof(p_values) is distinct from 'object' then
    perform private.raise_error('validation_error', 422, 'Must be an object of fields.');
  end if;
  select w.field, w.message into v_wrong
  from (
    select f.field, case
        when f.field <> all (p_fields) then 'This field does not exist, or it cannot be changed.'
        when f.value is null then 'This field is required.'
        when f.value = 'null' then case when a.attnotnull then 'Must not be null.' end
        when not private.is_field_value(f.value, format_type(a.atttypid, null))
          then format('Must be a value of the type %s.', format_type(a.atttypid, null))
      end as message
    from (
      select e.key as field, e.value from jsonb_each(p_values) as e
      union all
      select r.field, null from unnest(p_required) as r (field) where not p_values ? r.field
    ) f
    left join pg_catalog.pg_attribute a on a.attrelid = p_table and a.attname = f.field
  ) w
  where w.message is not null
  order by w.field limit 1;
  if found then
    perform private.raise_error('validation_error', 422, v_wrong.message, p_param => v_wrong.field);
  end if;
end
$$;

-- Raises validation_error for a value that a check constraint rejected; param is the first column of the constraint.
create function private.reject_violation(p_table text, p_constraint text) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.raise_error('validation_error', 422, format('This value violates the constraint %s. Change it.', p_constraint),
    p_param => (
      select a.attname::text
      from pg_catalog.pg_constraint c
      join pg_catalog.pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
      where c.conrelid = format('public.%I', p_table)::regclass and c.conname = p_constraint
    ));
end
$$;

-- Raises conflict (details.reason already_exists) for a key that another row has.
create function private.reject_duplicate(p_param text) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.raise_error('conflict', 409, format('Another one has this %s already. Use another value.', p_param), p_param => p_param,
    p_details => '{"reason": "already_exists"}');
end
$$;

-- Raises validation_error for a filter that is not one of the choices. Null: no filter.
create function private.check_choice(p_param text, p_value text, p_choices text[]) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if p_value <> all (p_choices) then
    perform private.raise_error('validation_error', 422, format('Must be one of %s.', array_to_string(p_choices, ', ')), p_param => p_param);
  end if;
end
$$;

grant execute on function
  private.is_field_value(jsonb, text), private.check_fields(regclass, jsonb, text[], text[]),
  private.reject_violation(text, text), private.reject_duplicate(text), private.check_choice(text, text, text[])
to service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Fields by rules in JSON
-- ---------------------------------------------------------------------------------------------------------------------

-- Whether a value is the name of an IANA time zone that a lot may have.
create function private.is_time_zone(p_name text) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  -- As parking_lots_time_zone_is_iana.
  return p_name ~ '^(UTC|Etc/GMT[+-]1?[0-9]|[A-Z][A-Za-z]*(/[A-Z][A-Za-z_-]+){1,2})$'
    and (timestamptz '2000-01-01 00:00:00+00' at time zone p_name) is not null;
exception when invalid_parameter_value then
  return false;
end
$$;

-- Whether a value is a GeoJSON geometry.
create function private.is_geometry(p_value jsonb) returns boolean
language plpgsql immutable
set search_path = ''
as $$
begin
  -- As parking_lots_area_is_geometry.
  return jsonb_typeof(p_value) = 'object'
    and coalesce(jsonb_typeof(p_value -> 'coordinates'), 'array') = 'array'
    and coalesce(jsonb_typeof(p_value -> 'geometries'), 'array') = 'array'
    and coalesce(case
      when p_value ->> 'type' = 'GeometryCollection' then p_value ? 'geometries'
      when p_value ->> 'type' in ('Point', 'LineString', 'Polygon', 'MultiPoint', 'MultiLineString', 'MultiPolygon')
        then p_value ? 'coordinates'
    end, false);
end
$$;

-- Whether a value is an array of one or more different codes of a category.
create function private.is_code_list(p_value jsonb, p_category text) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return jsonb_typeof(p_value) = 'array' and (
    select count(*) > 0 and count(*) = count(distinct e.value) and bool_and(jsonb_typeof(e.value) = 'string' and exists (
      select from public.codes c where c.category_id = p_category and c.code = e.value #>> '{}'
    ))
    from jsonb_array_elements(case jsonb_typeof(p_value) when 'array' then p_value else '[]' end) as e
  );
end
$$;

-- private.field_problem for the type text.
create function private.text_problem(p_value jsonb, p_rule jsonb) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_text constant text := p_value #>> '{}';
begin
  if jsonb_typeof(p_value) <> 'string' then
    return 'Must be a string.';
  elsif private.trimmed(v_text) is null or char_length(v_text) > (p_rule -> 'max')::integer then
    return format('Must be a text of 1 to %s characters.', coalesce(p_rule ->> 'max', '50'));
  elsif p_rule ? 'pattern' and v_text !~ (p_rule ->> 'pattern') then
    return p_rule ->> 'must';
  elsif p_rule ? 'in' and not p_rule -> 'in' @> p_value then
    return format('Must be one of %s.', (select string_agg(o.name, ', ' order by o.nth)
      from jsonb_array_elements_text(p_rule -> 'in') with ordinality as o (name, nth)));
  elsif p_rule ? 'category'
    and not exists (select from public.codes c where c.category_id = p_rule ->> 'category' and c.code = v_text) then
    return format('Must be a code of the category %s.', p_rule ->> 'category');
  end if;
  return null;
end
$$;

-- The message when a value breaks its rule; null when it does not. A rule: {type, null: whether null is allowed,
-- required: whether a whole object must have it}. A text has max (characters), pattern and must (the message), in (the
-- values), category (of codes). Codes have category, an integer min and max, a number min or above, and max.
create function private.field_problem(p_value jsonb, p_rule jsonb) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  c_number constant boolean := jsonb_typeof(p_value) = 'number';
  v_text constant text := p_value #>> '{}';
begin
  if p_value = 'null' then
    return case when coalesce((p_rule -> 'null')::boolean, false) then null else 'Must not be null.' end;
  end if;
  case p_rule ->> 'type'
    when 'text' then
      return private.text_problem(p_value, p_rule);
    when 'integer' then
      return case when c_number and scale(v_text::numeric) = 0
          and v_text::numeric between (p_rule -> 'min')::numeric and (p_rule -> 'max')::numeric then null
        else format('Must be an integer from %s to %s.', p_rule ->> 'min', p_rule ->> 'max') end;
    when 'number' then
      return case when c_number and v_text::numeric <= (p_rule -> 'max')::numeric
          and (v_text::numeric >= (p_rule -> 'min')::numeric or v_text::numeric > (p_rule -> 'above')::numeric) then null
        when p_rule ? 'min' then format('Must be a number from %s to %s.', p_rule ->> 'min', p_rule ->> 'max')
        else format('Must be a number above %s, at most %s.', p_rule ->> 'above', p_rule ->> 'max') end;
    when 'boolean' then
      return case when jsonb_typeof(p_value) = 'boolean' then null else 'Must be true or false.' end;
    when 'uuid' then
      return case when jsonb_typeof(p_value) = 'string' and pg_input_is_valid(v_text, 'uuid') then null
        else 'Must be a UUID.' end;
    when 'time' then
      return case when jsonb_typeof(p_value) = 'string' and v_text ~ '^(([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?|24:00(:00)?)$' then null
        else 'Must be a time of day from 00:00 to 24:00, for example 08:30.' end;
    when 'date' then
      return case when jsonb_typeof(p_value) = 'string' and v_text ~ '^\d{4}-\d\d-\d\d$' and pg_input_is_valid(v_text, 'date') then null
        else 'Must be a date, for example 2026-09-01.' end;
    when 'time_zone' then
      return case when jsonb_typeof(p_value) = 'string' and private.is_time_zone(v_text) then null
        else 'Must be the name of an IANA time zone, for example Asia/Tokyo.' end;
    when 'geometry' then
      return case when private.is_geometry(p_value) then null else 'Must be a GeoJSON geometry.' end;
    when 'codes' then
      return case when private.is_code_list(p_value, p_rule ->> 'category') then null
        else format('Must be a list of one or more different codes of the category %s.', p_rule ->> 'category') end;
    when 'object', 'array' then
      return case when jsonb_typeof(p_value) = p_rule ->> 'type' then null else format('Must be an %s.', p_rule ->> 'type') end;
    when 'any' then
      return null; -- the caller checks it
  end case;
end
$$;

-- Checks an object against the rules of its fields: {"<field>": <rule of private.field_problem>}. Raises validation_error
-- (param: the field, after p_at) for a field without a rule or one that breaks its rule. Fields may be absent; of a whole
-- object (p_is_whole) not those whose rule has required.
create function private.require_fields(p_value jsonb, p_rules jsonb, p_at text default null, p_is_whole boolean default false)
returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_field text;
  v_problem text;
begin
  if jsonb_typeof(p_value) is distinct from 'object' then
    perform private.raise_error('validation_error', 422, 'Must be an object.', p_param => coalesce(p_at, 'changes'));
  end if;
  select f.name, case when p_rules ? f.name then private.field_problem(p_value -> f.name, p_rules -> f.name)
    else 'This field does not exist.' end
  into v_field, v_problem
  from jsonb_object_keys(p_value) with ordinality as f (name, nth)
  where not p_rules ? f.name or private.field_problem(p_value -> f.name, p_rules -> f.name) is not null
  order by f.nth limit 1;
  if v_problem is null and p_is_whole then
    select r.name, 'This field is required.' into v_field, v_problem
    from jsonb_each(p_rules) as r (name, rule) where r.rule @> '{"required": true}' and not p_value ? r.name
    order by r.name limit 1;
  end if;
  if v_problem is not null then
    perform private.raise_error('validation_error', 422, v_problem, p_param => concat_ws('.', p_at, v_field));
  end if;
end
$$;

grant execute on function
  private.is_time_zone(text), private.is_geometry(jsonb), private.is_code_list(jsonb, text), private.text_problem(jsonb,
  jsonb), private.field_problem(jsonb, jsonb), private.require_fields(jsonb, jsonb, text, boolean)
to service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Lists, files, and several acts at once
-- ---------------------------------------------------------------------------------------------------------------------

-- The like pattern for texts that contain this one, its % and _ escaped.
create function private.like_pattern(p_text text) returns text
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return '%' || regexp_replace(p_text, '([\\%_])', '\\\1', 'g') || '%';
end
$$;

grant execute on function private.like_pattern(text) to service_role;

grant execute on function private.like_pattern(text) to service_role;

-- The files of these things in the order in which they were attached, [{storage_key, is_public}], also those that are not
-- public: for functions of the console. No row for a thing without files.
create function private.files_of(p_entity_type text, p_entity_ids uuid[]) returns table (entity_id uuid, files jsonb)
language plpgsql stable rows 20
set search_path = ''
as $$
begin
  return query
  select a.entity_id, jsonb_agg(jsonb_build_object('storage_key', a.storage_key, 'is_public', a.is_public)
    order by a.attached_at, a.id)
  from public.assets a
  where a.entity_id = any (p_entity_ids) and a.entity_type = p_entity_type
    and a.attached_at is not null and a.status = 'placed' and a.deleted_at is null
  group by a.entity_id;
end
$$;

-- Parses the message of an error that private.raise_error raised: {code, message, param, details}, with null where it has
-- none.
create function private.raised_error(p_message text) returns jsonb
language plpgsql immutable
set search_path = ''
as $$
declare
  v_error jsonb := p_message;
  v_more jsonb := v_error ->> 'details';
begin
  return jsonb_build_object('code', v_error -> 'code', 'message', v_error -> 'message', 'param', v_more -> 'param',
    'details', v_more -> 'details');
end
$$;

grant execute on function private.raised_error(text), private.files_of(text, uuid[]) to service_role;
