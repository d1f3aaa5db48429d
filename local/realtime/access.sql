-- The functions that the realtime server calls: whether a table may be subscribed to, whether a private topic may be
-- joined, and who may read a change. Run as the superuser at every start; clients may call none of them.
--
-- Values are text and are cast to the type of their column, or to its base type. A type may come with functions of the
-- database's owner, for example the checks of a domain in an array. So values are handled with the owner's rights and not
-- with the superuser's, and the search path is empty.

drop schema if exists _realtime cascade;
create schema _realtime;

create function _realtime.base_type(p_type oid) returns oid
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
create function _realtime.type_name(p_type oid) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return format_type(_realtime.base_type(p_type), -1);
end
$$;

-- Waits until these transactions are committed for everybody: the log has a commit a little before other transactions see
-- it. Of the number of a transaction the log has the lower half.
create function _realtime.await_commits(p_xids jsonb) returns void
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
        (v_next + (x.xid::bigint - v_next % 4294967296 + 3 * 2147483648) % 4294967296 - 2147483648)::text::xid8,
        pg_current_snapshot()
      )), true)
      from jsonb_array_elements_text(p_xids) as x (xid)
    );
    perform pg_sleep(0.0005);
  end loop;
end
$$;

-- Tables as they are now, by oid: row-level security, key, columns, and the columns that each role may select; null for a
-- role that may not use the schema. `p_work`: xids, tables, roles.
create function _realtime.describe(p_work jsonb) returns jsonb
language plpgsql volatile
set search_path = ''
as $$
begin
  perform _realtime.await_commits(p_work -> 'xids');
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
          where r.rolname in (select jsonb_array_elements_text(p_work -> 'roles'))
        )
      )
    ), '{}')
    from pg_catalog.pg_class as c
    join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
    where c.oid in (select jsonb_array_elements_text(p_work -> 'tables')::oid)
  );
end
$$;

-- Runs an expression over texts, with the rights of the database's owner; the results in their order. In the expression
-- `u.text` is the text and $2 is `p_value`.
create function _realtime.evaluate(p_expression text, p_texts jsonb, p_value text default null) returns jsonb
language plpgsql volatile
set search_path = ''
as $$
declare
  v_result jsonb;
begin
  perform set_config('role', 'postgres', true);
  execute format(
    'select jsonb_agg(%s order by u.position) from jsonb_array_elements_text($1) with ordinality as u (text, position)',
    p_expression
  ) into v_result using p_texts, p_value;
  perform set_config('role', 'none', true);
  return v_result;
end
$$;

-- Whether each text passes: true, false or null. The operators are those of pg_catalog.
create function _realtime.compare(p_type oid, p_operator text, p_value text, p_texts jsonb) returns jsonb
language plpgsql volatile
set search_path = ''
as $$
declare
  v_type constant text := _realtime.type_name(p_type);
  v_infix constant text := case p_operator
    when 'eq' then '=' when 'neq' then '<>' when 'lt' then '<' when 'lte' then '<=' when 'gt' then '>' when 'gte' then '>='
  end;
begin
  return _realtime.evaluate(
    case p_operator
      when 'in' then format('u.text::%1$s = any ($2::%1$s[])', v_type)
      else format('u.text::%1$s %2$s $2::%1$s', v_type, v_infix)
    end,
    p_texts, p_value
  );
end
$$;

-- Which of these keys are rows that an identity may read, with the role's rights and the search path of its requests.
-- Each role has a prepared statement of its own, because its policies decide the plan. A scalar subquery is never turned
-- into a hash of the table.
create function _realtime.visible(p_part jsonb) returns jsonb
language plpgsql volatile
set search_path = ''
as $$
declare
  v_statement constant text := 'visible_' || md5((p_part - array['claims', 'items'])::text);
  v_result boolean[];
begin
  if not exists (select from pg_catalog.pg_prepared_statements as s where s.name = v_statement) then
    execute (
      select format(
        'prepare %I (jsonb) as select array(select coalesce((select true from %I.%I as t where %s limit 1), false)'
          || ' from jsonb_array_elements($1) with ordinality as k (value, position) order by k.position)',
        v_statement, p_part ->> 'schema', p_part ->> 'table',
        string_agg(
          format('t.%I = (k.value ->> %s)::%s', c.value ->> 0, c.position - 1, _realtime.type_name((c.value ->> 1)::oid)), ' and '
        )
      )
      from jsonb_array_elements(p_part -> 'key') with ordinality as c (value, position)
    );
  end if;
  perform set_config('role', p_part ->> 'role', true), set_config('request.jwt.claims', p_part ->> 'claims', true),
    set_config('search_path', '"$user", public, extensions', true);
  execute format('execute %I (%L)', v_statement, p_part -> 'items') into v_result;
  perform set_config('search_path', '', true), set_config('request.jwt.claims', '', true), set_config('role', 'none', true);
  return to_jsonb(v_result);
end
$$;

-- Answers the parts of an access query, each with a list for its items, or with an error: a policy that fails for one
-- identity does not concern the others. Locks are the exception: the whole query is tried again.
create function _realtime.answer(p_parts jsonb) returns jsonb
language plpgsql volatile
set search_path = ''
as $$
declare
  v_part jsonb;
  v_answer jsonb;
  v_answers jsonb[] := '{}';
begin
  for v_part in select value from jsonb_array_elements(p_parts) loop
    begin
      v_answer := case v_part ->> 'kind'
        when 'visible' then _realtime.visible(v_part)
        when 'compare' then _realtime.compare(
          (v_part ->> 'type')::oid, v_part ->> 'operator', v_part ->> 'value', v_part -> 'items'
        )
        when 'convert' then _realtime.evaluate(
          format('to_jsonb(u.text::%s)::text', _realtime.type_name((v_part ->> 'type')::oid)), v_part -> 'items'
        )
      end;
    exception
      when lock_not_available then
        raise;
      when others then
        v_answer := jsonb_build_object('error', sqlerrm);
    end;
    v_answers := v_answers || v_answer;
  end loop;
  return to_jsonb(v_answers);
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

-- A filter of a subscription, checked against its column: with the type, and the value, or those of `in`, as the type
-- writes them.
create function _realtime.check_filter(p_table oid, p_role text, p_filter jsonb) returns jsonb
language plpgsql volatile
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
  v_values := _realtime.evaluate(
    format(
      case v_operator
        when 'in' then 'array(select case when v is not null then format(''%%s'', v) end from unnest(u.text::%s[]) as v)'
        else 'array[format(''%%s'', u.text::%s)]'
      end,
      _realtime.type_name(v_type)
    ),
    jsonb_build_array(v_value)
  ) -> 0;
  if jsonb_array_length(v_values) > 100 then
    raise exception 'too many values for `in` filter. Maximum 100';
  end if;
  -- An operator that the type does not have is an error now and not with the first row.
  perform _realtime.compare(v_type, v_operator, v_value, '[null]');
  return p_filter || jsonb_build_object('type', v_type::bigint, 'values', v_values);
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
  perform _realtime.require_role(v_role), _realtime.await_commits(p_work -> 'xids');
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
