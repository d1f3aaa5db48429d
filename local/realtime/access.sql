-- The functions that the realtime server calls: whether a table may be subscribed to, whether a private topic may be
-- joined, and who may read a change. Run as the superuser at every start; clients may call none of them.
--
-- Values are text and are cast to the type of their column, or to its base type. A type may come with functions of the
-- database's owner, for example the checks of a domain in an array. So values are handled with the owner's rights and not
-- with the superuser's, and the search path is empty.

drop schema if exists _realtime cascade;
create schema _realtime;

-- A type, or the base type of a domain, as an expression can name it. The modifier -1 keeps character from being character(1).
create function _realtime.type_name(p_type oid) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_type oid := p_type;
  v_base oid;
begin
  loop
    select t.typbasetype into v_base from pg_catalog.pg_type as t where t.oid = v_type and t.typtype = 'd';
    if not found then
      return format_type(v_type, -1);
    end if;
    v_type := v_base;
  end loop;
end
$$;

-- Waits until a transaction is committed for everybody, and returns its number: the log has a commit a little before other
-- transactions see it. Of the number the log has the lower half.
create function _realtime.await_commit(p_xid bigint) returns xid8
language plpgsql volatile
set search_path = ''
as $$
declare
  v_next bigint;
  v_xid xid8;
begin
  loop
    v_next := pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
    v_xid := (v_next + (p_xid - v_next % 4294967296 + 3 * 2147483648) % 4294967296 - 2147483648)::text::xid8;
    if pg_visible_in_snapshot(v_xid, pg_current_snapshot()) then
      return v_xid;
    end if;
    perform pg_sleep(0.0005);
  end loop;
end
$$;

-- Evaluates a list of expressions with names, with the rights of the database's owner.
create function _realtime.evaluate(p_expressions text) returns jsonb
language plpgsql volatile
set search_path = ''
as $$
declare
  v_result jsonb;
begin
  perform set_config('role', 'postgres', true);
  execute format('select to_jsonb(r) from (select %s) as r', p_expressions) into v_result;
  perform set_config('role', 'none', true);
  return v_result;
end
$$;

-- The expression by which a text passes a filter. The operators are those of pg_catalog.
create function _realtime.comparison(p_filter jsonb, p_text text) returns text
language sql stable
set search_path = ''
as $$
  select format(
    case p_filter ->> 'operator' when 'in' then '%1$L::%2$s = any (%3$L::%2$s[])' else '%1$L::%2$s %4$s %3$L::%2$s' end,
    p_text, p_filter ->> 'type', p_filter ->> 'value',
    '{"eq": "=", "neq": "<>", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}'::jsonb ->> (p_filter ->> 'operator')
  )
$$;

-- For each subscription of a change whether its filters pass. A null, or a column that the log does not have, never passes.
create function _realtime.passes(p_change jsonb) returns jsonb
language plpgsql volatile
set search_path = ''
as $$
begin
  return _realtime.evaluate((
    select format('array[%s]::boolean[] as passes', string_agg(f.expression, ', ' order by f.position))
    from (
      select s.position, (
        select coalesce(string_agg(format('coalesce(%s, false)', _realtime.comparison(f.value, v.value ->> 2)), ' and '), 'true')
        from jsonb_array_elements(s.value -> 'filters') as f
        left join jsonb_array_elements(coalesce(p_change -> 'row', p_change -> 'old')) as v
          on v.value ->> 0 = f.value ->> 'column'
      ) as expression
      from jsonb_array_elements(p_change -> 'subscriptions') with ordinality as s (value, position)
    ) as f
  )) -> 'passes';
end
$$;

-- The values of one row as JSON, of the columns that the table still has. `p_values`: name, type and text of each.
create function _realtime.converted(p_table oid, p_values jsonb, p_is_large boolean) returns jsonb
language plpgsql volatile strict
set search_path = ''
as $$
begin
  return _realtime.evaluate((
    select coalesce(string_agg(
      format(
        -- Bytes without their \x, as hosted.
        case t.name when 'bytea' then 'substr(%1$L, 3) as %3$I' else '%1$L::%2$s as %3$I' end,
        v.value ->> 2, t.name, a.attname
      ),
      ', '
    ), '')
    from jsonb_array_elements(p_values) as v
    join pg_catalog.pg_attribute as a on a.attrelid = p_table and a.attname = v.value ->> 0
      and a.atttypid = (v.value ->> 1)::oid and not a.attisdropped
    cross join lateral (select _realtime.type_name(a.atttypid)) as t (name)
    -- Of a larger change only the small values are sent, as hosted.
    where not p_is_large or coalesce(octet_length(to_json(v.value ->> 2)::text), 0) <= 64
  ));
end
$$;

-- These columns of a row, as a part of a change.
create function _realtime.part(p_name text, p_row jsonb, p_columns name[]) returns jsonb
language plpgsql immutable
set search_path = ''
as $$
begin
  return case when p_row is null then '{}' else jsonb_build_object(p_name, (
    select coalesce(jsonb_object_agg(v.key, v.value), '{}') from jsonb_each(p_row) as v where v.key = any (p_columns)
  )) end;
end
$$;

-- The columns of the primary key.
create function _realtime.key_of(p_table oid) returns name[]
language plpgsql stable
set search_path = ''
as $$
begin
  return array(
    select a.attname
    from pg_catalog.pg_index as i
    join pg_catalog.pg_attribute as a on a.attrelid = i.indrelid and a.attnum = any (i.indkey::smallint[])
    where i.indrelid = p_table and i.indisprimary
  );
end
$$;

-- The columns of a table that a role may select: none if it may not use the schema.
create function _realtime.readable(p_table oid, p_role text) returns name[]
language plpgsql stable
set search_path = ''
as $$
begin
  return array(
    select a.attname
    from pg_catalog.pg_roles as r, pg_catalog.pg_class as c
    join pg_catalog.pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where r.rolname = p_role and c.oid = p_table and has_schema_privilege(r.oid, c.relnamespace, 'usage')
      and has_column_privilege(r.oid, c.oid, a.attnum, 'select')
  );
end
$$;

-- A change with these columns of its table, or with an error and without columns. Of a table with row-level security a
-- delete has only the key, because deletes are not checked, as hosted.
create function _realtime.change_with(p_columns name[], p_error text, p_change jsonb) returns jsonb
language plpgsql volatile
set search_path = ''
as $$
declare
  v_table constant oid := p_change ->> 'table';
  v_is_large constant boolean := p_change -> 'is_large';
begin
  return (
    select jsonb_build_object(
      'schema', n.nspname, 'table', c.relname, 'type', p_change -> 'type',
      'commit_timestamp', case when p_error is null then p_change -> 'time' end,
      'columns', (
        select coalesce(jsonb_agg(jsonb_build_object('name', a.attname, 'type', t.typname) order by a.attnum), '[]')
        from pg_catalog.pg_attribute as a
        join pg_catalog.pg_type as t on t.oid = a.atttypid
        where a.attrelid = c.oid and a.attname = any (p_columns)
      ),
      'errors', case when p_error is not null then jsonb_build_array(p_error)
        when v_is_large then '["Error 413: Payload Too Large"]' end
    )
      || _realtime.part('record', _realtime.converted(v_table, p_change -> 'row', v_is_large), p_columns)
      || _realtime.part('old_record', _realtime.converted(v_table, p_change -> 'old', v_is_large), array(
        select p.name from unnest(p_columns) as p (name)
        where not (c.relrowsecurity and p_change ->> 'type' = 'DELETE') or p.name = any (_realtime.key_of(c.oid))
      ))
    from pg_catalog.pg_class as c
    join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
    where c.oid = v_table
  );
end
$$;

-- Whether the policies show an identity the row with this key, with the role's rights and the search path of its requests.
-- Each role has a prepared statement of its own, because its policies decide the plan.
create function _realtime.is_visible(p_role text, p_claims text, p_query text, p_key text[]) returns boolean
language plpgsql volatile
set search_path = ''
as $$
declare
  v_statement constant text := 'visible_' || md5(p_role || p_query);
  v_result boolean;
begin
  if not exists (select from pg_catalog.pg_prepared_statements as s where s.name = v_statement) then
    execute format('prepare %I (text[]) as %s', v_statement, p_query);
  end if;
  perform set_config('role', p_role, true), set_config('request.jwt.claims', p_claims, true),
    set_config('search_path', '"$user", public, extensions', true);
  execute format('execute %I (%L)', v_statement, p_key) into v_result;
  perform set_config('search_path', '', true), set_config('request.jwt.claims', '', true), set_config('role', 'none', true);
  return v_result;
end
$$;

-- Who of the subscriptions of a change receives it: for each role the change as JSON, and the places of its subscriptions
-- in the list. A row without a change has those whose policies failed: they do not concern the others. Locks are the
-- exception: the whole query is tried again.
--
-- A change has xid, table, type, time, is_large, row, old and subscriptions; these have role, claims, snapshot and filters.
create function _realtime.authorize(p_change jsonb) returns table (change text, receivers jsonb)
language plpgsql volatile
set search_path = ''
as $$
declare
  v_xid constant xid8 := _realtime.await_commit((p_change ->> 'xid')::bigint);
  v_table constant oid := p_change ->> 'table';
  v_is_checked boolean;
  v_passes jsonb;
  v_names constant name[] := _realtime.key_of(v_table);
  v_query text;
  v_key text[];
  v_role text;
  v_columns name[];
  v_error text;
  v_one record;
  v_failed jsonb := '[]';
begin
  select c.relrowsecurity and p_change ->> 'type' <> 'DELETE' into v_is_checked
  from pg_catalog.pg_class as c where c.oid = v_table;
  if not found then
    return;
  end if;
  v_passes := _realtime.passes(p_change);
  select
    format('select exists (select from %s as t where %s)', v_table::regclass, string_agg(
      format('t.%I = $1[%s]::%s', a.attname, k.place, _realtime.type_name(a.atttypid)), ' and '
    )),
    array_agg(v.value ->> 2 order by k.place)
  into v_query, v_key
  from unnest(v_names) with ordinality as k (name, place)
  join pg_catalog.pg_attribute as a on a.attrelid = v_table and a.attname = k.name
  left join jsonb_array_elements(p_change -> 'row') as v on v.value ->> 0 = k.name;
  for v_role in select distinct s.value ->> 'role' from jsonb_array_elements(p_change -> 'subscriptions') as s loop
    v_columns := _realtime.readable(v_table, v_role);
    v_error := case
      when p_change ->> 'type' = 'DELETE' then null
      when v_names = '{}' then 'Error 400: Bad Request, no primary key'
      when not v_names <@ v_columns then 'Error 401: Unauthorized'
    end;
    receivers := '[]';
    for v_one in
      select s.place - 1 as place, s.value ->> 'claims' as claims
      from rows from (jsonb_array_elements(p_change -> 'subscriptions'), jsonb_array_elements(v_passes))
        with ordinality as s (value, passes, place)
      where s.value ->> 'role' = v_role and not pg_visible_in_snapshot(v_xid, (s.value ->> 'snapshot')::pg_snapshot)
        and (s.passes::boolean or v_error is not null)
    loop
      begin
        if not v_is_checked or v_error is not null
          or _realtime.is_visible(v_role, v_one.claims, v_query, v_key) then
          receivers := receivers || to_jsonb(v_one.place);
        end if;
      exception
        when lock_not_available then
          raise;
        when others then
          raise warning 'A policy failed: %', sqlerrm;
          v_failed := v_failed || to_jsonb(v_one.place);
      end;
    end loop;
    if receivers <> '[]' then
      change := _realtime.change_with(case when v_error is null then v_columns else '{}' end, v_error, p_change);
      return next;
    end if;
  end loop;
  if v_failed <> '[]' then
    return query select null, v_failed;
  end if;
end
$$;

-- Whether a token's role is one that a client may have: the roles that the Data API accepts.
create function _realtime.require_role(p_role text) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if not exists (
    select from pg_catalog.pg_roles as r
    where r.rolname = p_role and r.rolname <> 'authenticator' and not r.rolsuper
      and pg_has_role('authenticator', r.oid, 'member')
  ) then
    raise exception 'role "%" does not exist', p_role using errcode = 'undefined_object';
  end if;
end
$$;

-- A filter of a subscription, checked against its column: with the column's type.
create function _realtime.check_filter(p_table oid, p_role text, p_filter jsonb) returns jsonb
language plpgsql volatile
set search_path = ''
as $$
declare
  v_filter jsonb;
begin
  select p_filter || jsonb_build_object('type', _realtime.type_name(a.atttypid)) into v_filter
  from pg_catalog.pg_attribute as a
  where a.attrelid = p_table and a.attname = p_filter ->> 'column' and a.attnum > 0 and not a.attisdropped
    and has_column_privilege(p_role, p_table, a.attnum, 'select');
  if not found then
    raise exception 'invalid column for filter %', p_filter ->> 'column';
  end if;
  -- An operator that the type does not have is an error now and not with the first row.
  perform _realtime.evaluate(_realtime.comparison(v_filter, null));
  if v_filter ->> 'operator' = 'in' and cardinality((v_filter ->> 'value')::text[]) > 100 then
    raise exception 'too many values for `in` filter. Maximum 100';
  end if;
  return v_filter;
end
$$;

-- Checks one binding of a subscription for a role. Returns the tables with the filters as they apply to each, and a
-- snapshot that contains the transactions `xids`: the subscription receives the others.
create function _realtime.subscribe(p_work jsonb) returns jsonb
language plpgsql volatile
set search_path = ''
as $$
declare
  v_role constant text := p_work ->> 'role';
  v_table oid;
  v_tables jsonb := '[]';
begin
  perform _realtime.require_role(v_role);
  perform _realtime.await_commit(x.value::bigint) from jsonb_array_elements_text(p_work -> 'xids') as x;
  for v_table in
    select c.oid
    from pg_catalog.pg_publication_tables as p
    join pg_catalog.pg_namespace as n on n.nspname = p.schemaname
    join pg_catalog.pg_class as c on c.relnamespace = n.oid and c.relname = p.tablename
    where p.pubname = 'supabase_realtime' and p_work ->> 'schema' in ('*', p.schemaname)
      and p_work ->> 'table' in ('*', p.tablename)
  loop
    v_tables := v_tables || jsonb_build_object('table', v_table::bigint, 'filters', (
      select coalesce(jsonb_agg(_realtime.check_filter(v_table, v_role, f.value) order by f.position), '[]')
      from jsonb_array_elements(p_work -> 'filters') with ordinality as f (value, position)
    ));
  end loop;
  return jsonb_build_object('tables', v_tables, 'snapshot', pg_current_snapshot());
end
$$;

-- Whether the policies of realtime.messages show an identity the messages of a topic. The message is rolled back.
create function _realtime.may_join(p_topic text, p_role text, p_claims text) returns boolean
language plpgsql volatile
set search_path = ''
as $$
declare
  v_id constant uuid := gen_random_uuid();
  v_is_visible boolean;
begin
  perform _realtime.require_role(p_role);
  insert into realtime.messages (id, topic, extension) values (v_id, p_topic, 'broadcast');
  perform set_config('role', p_role, true), set_config('realtime.topic', p_topic, true),
    set_config('request.jwt.claims', p_claims, true), set_config('search_path', '"$user", public, extensions', true),
    set_config('request.jwt.claim.sub', coalesce(p_claims::jsonb ->> 'sub', ''), true),
    set_config('request.jwt.claim.role', p_role, true);
  v_is_visible := exists (select from realtime.messages as m where m.id = v_id);
  raise exception using errcode = 'RT000';
exception
  when sqlstate 'RT000' then
    return v_is_visible;
end
$$;

revoke all on all functions in schema _realtime from public;
