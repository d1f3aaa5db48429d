-- Rows in the console: what every resource does with a row of its table. Its fields are checked, it is locked in the
-- version that the administrator read, saved or deleted, and the act is recorded with its difference.
--
-- The functions take and return rows of the resource's type. null::public.ads names the table, and is a row that does not
-- exist yet. Columns, defaults and the primary key come from the catalogue.
--
-- Invariants: a write that changes nothing records nothing. Only the changed columns are written.
-- Interface: private.check_columns, locked_row, locked_version, save_row, save_unique_row, delete_row, content_action.

-- The columns that administrators write in a row of a table: all but those that the database sets. These are generated
-- columns, the times, was_shown, and a key with a default. A key without one is written in a new row only. is_required: a
-- new row needs it.
create function private.written_columns(p_table regclass, p_is_new boolean) returns table (name text, is_required boolean)
language plpgsql stable
set search_path = ''
as $$
begin
  return query
  select a.attname::text, p_is_new and a.attnotnull and not a.atthasdef
  from pg_catalog.pg_attribute a
  join pg_catalog.pg_index i on i.indrelid = a.attrelid and i.indisprimary
  where a.attrelid = p_table and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and a.attidentity = ''
    and a.attname <> all ('{created_at,updated_at,was_shown}') and (p_is_new and not a.atthasdef or a.attnum <> all (i.indkey));
end
$$;

-- private.check_fields for a new row of a table, or for a change. Its fields are private.written_columns, without
-- p_without. Errors: validation_error.
create function private.check_columns(
  p_table regclass, p_values jsonb, p_is_new boolean default false, p_without text[] default '{}', p_rules jsonb default '{}',
  p_before jsonb default '{}'
) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_fields text[];
  v_required text[];
begin
  select array_agg(c.name), array_agg(c.name) filter (where c.is_required) into v_fields, v_required
  from private.written_columns(p_table, p_is_new) as c where c.name <> all (p_without);
  perform private.check_fields(p_table, p_values, v_fields, v_required, p_rules, null, p_before);
end
$$;

-- A row of the type of p_of with the primary key p_key ({"id": ...}), locked until the transaction ends. p_noun names it in
-- the message. Errors: not_found.
create function private.locked_row(p_of anyelement, p_key jsonb, p_noun text) returns anyelement
language plpgsql
set search_path = ''
as $$
declare
  v_table constant regclass := pg_typeof(p_of)::text::regclass;
  v_key constant text[] := private.key_columns(v_table);
  v_row p_of%type;
  v_count integer;
begin
  execute format('select r.* from %1$s r join jsonb_populate_record(null::%1$s, $1) k using (%2$s) for update of r', v_table,
    (select string_agg(quote_ident(k), ', ') from unnest(v_key) as k)) into v_row using p_key;
  get diagnostics v_count = row_count;
  if v_count = 0 then
    perform private.raise_error('not_found', 404, format('There is no such %s.', p_noun), p_param => v_key[cardinality(v_key)]);
  end if;
  return v_row;
end
$$;

-- private.locked_row in the version of the If-Match header; null: any. Errors: not_found, precondition_failed.
create function private.locked_version(p_of anyelement, p_key jsonb, p_noun text, p_if_match text) returns anyelement
language plpgsql
set search_path = ''
as $$
declare
  v_row p_of%type;
begin
  v_row := private.locked_row(p_of, p_key, p_noun);
  perform private.require_match(p_if_match, (to_jsonb(v_row) ->> 'updated_at')::timestamptz);
  return v_row;
end
$$;

-- The action code of a write: create without p_before; restore or withdraw when is_active changes; otherwise update.
create function private.content_action(p_type text, p_before jsonb, p_after jsonb) returns text
language sql immutable
return p_type || case
  when p_before is null then '.create'
  when p_before -> 'is_active' is not distinct from p_after -> 'is_active' then '.update'
  when (p_after -> 'is_active')::boolean then '.restore'
  else '.withdraw'
end;

-- A row as the record of an act has it: without generated columns, with the MD5 of the columns p_hashed. Null: no row.
create function private.recorded_row(p_table regclass, p_row jsonb, p_hashed text[]) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return p_row
    - array(select a.attname::text from pg_catalog.pg_attribute a where a.attrelid = p_table and a.attgenerated <> '')
    || coalesce((select jsonb_object_agg(h.name, md5(p_row ->> h.name)) from unnest(p_hashed) as h (name)), '{}');
end
$$;

-- Records that an administrator changed p_before into p_after, rows of the table as JSON; null: no row.
create function private.record_row(
  p_admin_id uuid, p_action text, p_type text, p_table regclass, p_before jsonb, p_after jsonb, p_hashed text[]
) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.record_act(p_admin_id, p_action, p_type, (
    select string_agg(coalesce(p_after, p_before) ->> k.name, '/' order by k.nth)
    from unnest(private.key_columns(p_table)) with ordinality as k (name, nth)
  ), null, private.difference(private.recorded_row(p_table, p_before, p_hashed), private.recorded_row(p_table, p_after, p_hashed)));
end
$$;

-- Writes the fields p_changes into a row that the caller has locked, or into a new one (p_before null::<table>), records
-- the act, and returns the row. Texts are written without what cannot be seen. p_action: another action than that of
-- private.content_action. p_hashed: columns of which the record has the MD5. A write that changes nothing records nothing.
-- Errors: validation_error.
create function private.save_row(
  p_admin_id uuid, p_type text, p_before anyelement, p_changes jsonb, p_action text default null, p_hashed text[] default '{}'
) returns anyelement
language plpgsql
set search_path = ''
as $$
declare
  v_table constant regclass := pg_typeof(p_before)::text::regclass;
  v_before constant jsonb := case when p_before is null then null else to_jsonb(p_before) end;
  v_given constant jsonb := to_jsonb(jsonb_populate_record(p_before, private.visible_texts(p_changes)));
  v_changed constant jsonb := (
    select jsonb_object_agg(c, v_given -> c) from jsonb_object_keys(p_changes) as c
    where v_before is null or v_given -> c is distinct from v_before -> c
  );
  v_after p_before%type;
  v_schema text;
  v_name text;
  v_constraint text;
begin
  if v_changed is null then
    return p_before;
  end if;
  v_after := private.write_fields(p_before, v_changed);
  perform private.record_row(p_admin_id, coalesce(p_action, private.content_action(p_type, v_before, to_jsonb(v_after))), p_type,
    v_table, v_before, to_jsonb(v_after), p_hashed);
  return v_after;
exception when check_violation then
  -- Also of another table, which a trigger writes.
  get stacked diagnostics v_schema = schema_name, v_name = table_name, v_constraint = constraint_name;
  perform private.reject_violation(format('%I.%I', v_schema, v_name)::regclass, v_constraint);
end
$$;

-- private.save_row for a table in which p_unique is the field that two rows may not share. Errors: validation_error, conflict.
create function private.save_unique_row(
  p_admin_id uuid, p_type text, p_before anyelement, p_changes jsonb, p_unique text, p_action text default null,
  p_hashed text[] default '{}'
) returns anyelement
language plpgsql
set search_path = ''
as $$
begin
  return private.save_row(p_admin_id, p_type, p_before, p_changes, p_action, p_hashed);
exception when unique_violation then
  perform private.reject_duplicate(p_unique);
end
$$;

-- Deletes a row that the caller has locked, and records the act. p_hashed: as in private.save_row.
create function private.delete_row(p_admin_id uuid, p_type text, p_before anyelement, p_hashed text[] default '{}') returns void
language plpgsql
set search_path = ''
as $$
declare
  v_table constant regclass := pg_typeof(p_before)::text::regclass;
begin
  execute format('delete from %s r where %s', v_table, (
    select string_agg(format('r.%1$I = ($1).%1$I', k), ' and ') from unnest(private.key_columns(v_table)) as k
  )) using p_before;
  perform private.record_row(p_admin_id, p_type || '.delete', p_type, v_table, to_jsonb(p_before), null, p_hashed);
end
$$;
