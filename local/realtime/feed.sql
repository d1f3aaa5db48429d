-- What the realtime server asks of Postgres: may this be subscribed to, and who may see what has changed. Run as the
-- superuser at every start; clients may call none of it. Functions are in plpgsql, which keeps the plans of its queries.
--
-- Values travel as text and are cast to the type of their column, or to its base type. A type may come with functions of
-- the database's owner, the checks of a domain in an array for one. So values are handled with the owner's rights and not
-- with the superuser's, and no search path leads to anybody's operators.

create schema if not exists _realtime;

create or replace function _realtime.base_type(p_type oid) returns oid
language plpgsql stable
set search_path = ''
as $$
declare
  v_type oid := p_type;
  v_found record;
begin
  loop
    select t.typtype, t.typbasetype into v_found from pg_catalog.pg_type as t where t.oid = v_type;
    if v_found.typtype is distinct from 'd' then
      return v_type;
    end if;
    v_type := v_found.typbasetype;
  end loop;
end
$$;

-- A type as an expression can name it. The modifier -1 keeps character from being character(1).
create or replace function _realtime.type_name(p_type oid) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return format_type(_realtime.base_type(p_type), -1);
end
$$;

-- Tables as they are now: row security, key, columns, and what each role may select; null for a role that may not use
-- the table's schema.
create or replace function _realtime.describe(p_tables oid[], p_roles text[]) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_object_agg(
      c.oid::text,
      jsonb_build_object(
        'schema', n.nspname,
        'table', c.relname,
        'secured', c.relrowsecurity,
        'key', (
          select coalesce(jsonb_agg(a.attname order by k.position), '[]')
          from pg_catalog.pg_index as i
          cross join lateral unnest(i.indkey::smallint[]) with ordinality as k (attnum, position)
          join pg_catalog.pg_attribute as a on a.attrelid = c.oid and a.attnum = k.attnum
          where i.indrelid = c.oid and i.indisprimary
        ),
        'columns', (
          select coalesce(jsonb_agg(jsonb_build_array(
            a.attname, t.typname, t.oid::bigint,
            case when t.typtype = 'd' then _realtime.base_type(t.oid) else t.oid end::bigint
          ) order by a.attnum), '[]')
          from pg_catalog.pg_attribute as a
          join pg_catalog.pg_type as t on t.oid = a.atttypid
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        ),
        'readable', (
          select coalesce(jsonb_object_agg(r.rolname, case when has_schema_privilege(r.oid, n.oid, 'usage') then (
            select coalesce(jsonb_agg(a.attname), '[]')
            from pg_catalog.pg_attribute as a
            where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
              and has_column_privilege(r.oid, c.oid, a.attnum, 'select')
          ) end), '{}')
          from pg_catalog.pg_roles as r
          where r.rolname = any (p_roles)
        )
      )
    ), '{}')
    from pg_catalog.pg_class as c
    join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
    where c.oid = any (p_tables)
  );
end
$$;

-- Whether each text passes: true, false or null. The operators are those of pg_catalog, as the column's type has them.
create or replace function _realtime.compare(p_type oid, p_operator text, p_value text, p_texts text[]) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_type constant text := _realtime.type_name(p_type);
  v_infix constant text := case p_operator
    when 'eq' then '=' when 'neq' then '<>' when 'lt' then '<' when 'lte' then '<=' when 'gt' then '>' when 'gte' then '>='
    when 'like' then 'like' when 'ilike' then 'ilike' when 'match' then '~' when 'imatch' then '~*'
    when 'isdistinct' then 'is distinct from'
  end;
  v_result jsonb;
begin
  execute format(
    'select jsonb_agg(u.text::%1$s %2$s order by u.position) from unnest($1) with ordinality as u (text, position)',
    v_type,
    case p_operator when 'in' then format('= any ($2::%s[])', v_type) else format('%s $2::%s', v_infix, v_type) end
  ) into v_result using p_texts, p_value;
  return v_result;
end
$$;

-- The texts as JSON has values of this type, each as text: whoever reads numbers may have no room for all their digits.
create or replace function _realtime.convert(p_type oid, p_texts text[]) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_result jsonb;
begin
  execute format(
    'select jsonb_agg(to_jsonb(u.text::%s)::text order by u.position) from unnest($1) with ordinality as u (text, position)',
    _realtime.type_name(p_type)
  ) into v_result using p_texts;
  return v_result;
end
$$;

-- The name of a prepared statement that answers, for lists of key values, which rows are seen. Each role has its own, for
-- with the role the policies change, and with them the plan. A scalar subquery is never turned into a hash of the table.
create or replace function _realtime.statement(p_table oid, p_role text, p_key text[]) returns text
language plpgsql volatile
set search_path = ''
as $$
declare
  v_query text;
  v_name text;
begin
  select format(
    'select array(select coalesce((select true from %s as t where %s limit 1), false)'
      || ' from unnest(%s) with ordinality as k (%s, position) order by k.position)',
    p_table::regclass,
    string_agg(format('t.%I = k.k%s::%s', a.attname, p.position, _realtime.type_name(a.atttypid)), ' and '),
    string_agg(format('$%s::text[]', p.position), ', ' order by p.position),
    string_agg(format('k%s', p.position), ', ' order by p.position)
  ) into strict v_query
  from unnest(p_key) with ordinality as p (name, position)
  join pg_catalog.pg_attribute as a on a.attrelid = p_table and a.attname = p.name and not a.attisdropped;
  v_name := 'look_' || md5(p_role || ' ' || v_query);
  if not exists (select from pg_catalog.pg_prepared_statements as s where s.name = v_name) then
    execute format('prepare %I as %s', v_name, v_query);
  end if;
  return v_name;
end
$$;

-- Waits until these transactions are committed for everybody: the log has a commit a little before others see it, and a row
-- that is looked for in between is not there yet. Of a transaction's number the log has the lower half.
create or replace function _realtime.await_commits(p_xids bigint[]) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_next bigint;
begin
  loop
    v_next := pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
    exit when (
      select coalesce(bool_and(pg_visible_in_snapshot(
        (v_next + (x.xid - v_next % 4294967296 + 3 * 2147483648) % 4294967296 - 2147483648)::text::xid8, pg_current_snapshot()
      )), true)
      from unnest(p_xids) as x (xid)
    );
    perform pg_sleep(0.0005);
  end loop;
end
$$;

-- Looks at one batch of changes, of the transactions `xids`. `checks`: for a table, a role and the key that the caller believes it has, one group for
-- each identity, with its claims and its keys, a list for each column of the key; a group is answered by what it sees, or
-- by nothing when there is no row security to ask or the key is another by now. Claims change between groups and not
-- within a statement, since a policy reads them once in each.
create or replace function _realtime.look(p_work jsonb) returns jsonb
language plpgsql volatile
set search_path = ''
as $$
declare
  v_tables jsonb;
  v_seen jsonb := '[]';
  v_passed jsonb;
  v_converted jsonb;
  v_check jsonb;
  v_found jsonb;
begin
  perform _realtime.await_commits(array(select jsonb_array_elements_text(p_work -> 'xids')::bigint));
  v_tables := _realtime.describe(
    array(select jsonb_array_elements_text(p_work -> 'tables')::oid),
    array(select jsonb_array_elements_text(p_work -> 'roles'))
  );
  for v_check in select value from jsonb_array_elements(p_work -> 'checks') loop
    v_found := v_tables -> (v_check ->> 'table');
    if (v_found ->> 'secured')::boolean and v_found -> 'key' = v_check -> 'key'
      and v_found #> array['readable', v_check ->> 'role'] @> (v_check -> 'key')
    then
      v_seen := v_seen || jsonb_build_array(_realtime.look_as(v_check));
    else
      v_seen := v_seen || 'null';
    end if;
  end loop;
  perform set_config('role', 'postgres', true);
  select coalesce(jsonb_agg(_realtime.compare(
    (t.value ->> 'type')::oid, t.value ->> 'operator', t.value ->> 'value', (t.value ->> 'texts')::text[]
  ) order by t.position), '[]')
  into v_passed
  from jsonb_array_elements(p_work -> 'comparisons') with ordinality as t (value, position);
  select coalesce(jsonb_agg(_realtime.convert((t.value ->> 'type')::oid, (t.value ->> 'texts')::text[]) order by t.position), '[]')
  into v_converted
  from jsonb_array_elements(p_work -> 'conversions') with ordinality as t (value, position);
  perform set_config('role', 'none', true);
  return jsonb_build_object('tables', v_tables, 'seen', v_seen, 'passed', v_passed, 'converted', v_converted);
end
$$;

-- One check of a batch, with the role's rights and no more, and the search path that its requests have.
create or replace function _realtime.look_as(p_check jsonb) returns jsonb
language plpgsql volatile
set search_path = ''
as $$
declare
  v_statement constant text := _realtime.statement(
    (p_check ->> 'table')::oid,
    p_check ->> 'role',
    array(select jsonb_array_elements_text(p_check -> 'key'))
  );
  v_groups constant jsonb[] := array(select jsonb_array_elements(p_check -> 'groups'));
  v_group jsonb;
  v_answer boolean[];
  v_answers jsonb[] := '{}';
begin
  -- The path leads to what others have made, and so is set only while the role is.
  perform set_config('role', p_check ->> 'role', true), set_config('search_path', '"$user", public, extensions', true);
  foreach v_group in array v_groups loop
    perform set_config('request.jwt.claims', v_group ->> 'claims', true);
    execute 'execute ' || v_statement || '('
      || (select string_agg(quote_literal(value), ', ') from jsonb_array_elements_text(v_group -> 'keys')) || ')'
      into v_answer;
    v_answers := v_answers || to_jsonb(v_answer);
  end loop;
  perform set_config('search_path', '', true), set_config('request.jwt.claims', '', true), set_config('role', 'none', true);
  return to_jsonb(v_answers);
end
$$;

-- Whether a token's role is one that a client may have: those that the Data API takes, too.
create or replace function _realtime.require_role(p_role text) returns void
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

-- A value as the server compares it: as its type writes it.
create or replace function _realtime.canonical(p_type oid, p_value text) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_text text;
begin
  execute format('select format(''%%s'', $1::%s)', _realtime.type_name(p_type)) into v_text using p_value;
  return v_text;
end
$$;

-- One filter of a subscription, checked against the column it names: its type, and its value as the type writes it.
create or replace function _realtime.admit_filter(p_table oid, p_role text, p_filter jsonb) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_operator constant text := p_filter ->> 'operator';
  v_value constant text := p_filter ->> 'value';
  v_type oid;
  v_values jsonb;
begin
  select _realtime.base_type(a.atttypid) into v_type
  from pg_catalog.pg_attribute as a
  where a.attrelid = p_table and a.attname = p_filter ->> 'column' and a.attnum > 0 and not a.attisdropped
    and has_column_privilege(p_role, p_table, a.attnum, 'select');
  if not found then
    raise exception 'invalid column for filter %', p_filter ->> 'column';
  end if;

  if v_operator = 'is' then
    if v_value not in ('null', 'true', 'false', 'unknown') then
      raise exception 'invalid value for is filter: must be null, true, false, or unknown';
    elsif v_value <> 'null' and _realtime.type_name(v_type) <> 'boolean' then
      raise exception 'is % filter requires a boolean column, got %', v_value, v_type::regtype;
    end if;
    return p_filter || jsonb_build_object('type', v_type::bigint);
  end if;
  if v_operator in ('like', 'ilike', 'match', 'imatch') and not exists (
    select from pg_catalog.pg_operator as o
    where o.oprname = case v_operator when 'match' then '~' when 'imatch' then '~*' else '~~' end
      and o.oprleft = _realtime.type_name(v_type)::regtype
  ) and _realtime.type_name(v_type) <> 'character varying' then
    raise exception 'operator % requires a text-compatible column type, got %', v_operator, v_type::regtype;
  end if;
  if v_operator = 'in' then
    execute format(
      'select to_jsonb(array(select case when v is not null then format(''%%s'', v) end from unnest($1::%s[]) as v))',
      _realtime.type_name(v_type)
    ) into v_values using v_value;
    if jsonb_array_length(v_values) > 100 then
      raise exception 'too many values for `in` filter. Maximum 100';
    end if;
  elsif v_operator not in ('like', 'ilike', 'match', 'imatch') then
    v_values := jsonb_build_array(_realtime.canonical(v_type, v_value));
  end if;
  -- What its type cannot compare is refused now and not when the first row comes.
  perform _realtime.compare(v_type, v_operator, v_value, array['']) where v_operator in ('match', 'imatch');
  perform _realtime.compare(v_type, v_operator, v_value, array[null]);
  return p_filter || jsonb_build_object('type', v_type::bigint, 'values', v_values);
exception
  when invalid_regular_expression then
    raise exception 'invalid regular expression for % filter: %', v_operator, sqlerrm;
end
$$;

-- Checks what a client asks for, as its role. Answers the tables, with the filters as they apply to each, and what is
-- committed by now: the subscription is for the rest.
create or replace function _realtime.admit(p_schema text, p_table text, p_role text, p_filters jsonb, p_select text[])
returns jsonb
language plpgsql volatile
set search_path = ''
as $$
declare
  v_table oid;
  v_column text;
  v_tables jsonb := '[]';
begin
  perform _realtime.require_role(p_role), set_config('role', 'postgres', true);
  for v_table in
    select c.oid
    from pg_catalog.pg_publication_tables as p
    join pg_catalog.pg_namespace as n on n.nspname = p.schemaname
    join pg_catalog.pg_class as c on c.relnamespace = n.oid and c.relname = p.tablename
    where p.pubname = 'supabase_realtime' and p_schema in ('*', p.schemaname) and p_table in ('*', p.tablename)
  loop
    foreach v_column in array coalesce(p_select, '{}') loop
      if not exists (
        select from pg_catalog.pg_attribute as a
        where a.attrelid = v_table and a.attname = v_column and a.attnum > 0 and not a.attisdropped
          and has_column_privilege(p_role, v_table, a.attnum, 'select')
      ) then
        raise exception 'invalid column for select %', v_column;
      end if;
    end loop;
    v_tables := v_tables || jsonb_build_object(
      'table', v_table::bigint,
      'filters', (
        select coalesce(jsonb_agg(_realtime.admit_filter(v_table, p_role, f.value) order by f.position), '[]')
        from jsonb_array_elements(p_filters) with ordinality as f (value, position)
      )
    );
  end loop;
  return jsonb_build_object('tables', v_tables, 'snapshot', pg_current_snapshot());
end
$$;

revoke all on all functions in schema _realtime from public;
grant usage on schema _realtime to postgres;
grant execute on function _realtime.base_type, _realtime.type_name, _realtime.compare, _realtime.convert,
  _realtime.canonical, _realtime.admit_filter to postgres;
