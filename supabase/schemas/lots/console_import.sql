-- Import of lots by the console: a thousand lots as JSON in one request, each checked and reported separately.
--
-- The function `admin` maps its input with the importer's code (supabase/functions/_shared/import); a back office that
-- calls by rpc sends mapped lots. Both are checked here by the rules of the console, and merged by the functions of the
-- importer (lots/import_stage.sql). A dry run does all of it and rolls back.
--
-- Invariants: those of lots/import_stage.sql. A rejected lot is not written, and unless the request is partial, no other
-- lot is. The changes of one import are one recorded act.
-- Interface: api.admin_import_parking_lots.

-- ---------------------------------------------------------------------------------------------------------------------
-- Checking lots given as JSON
-- ---------------------------------------------------------------------------------------------------------------------

-- A lot of an import with its implied values: windows are business hours, pricing rules have their order.
create function private.normal_import_lot(p_lot jsonb) returns jsonb
language plpgsql immutable
set search_path = ''
as $$
declare
  v_lot jsonb := p_lot;
begin
  if jsonb_typeof(p_lot -> 'windows') = 'array' then
    v_lot := v_lot || jsonb_build_object('windows', (
      select coalesce(jsonb_agg(case when jsonb_typeof(w.value) = 'object' then '{"window_type": "business"}' || w.value else w.value end
        order by w.nth), '[]')
      from jsonb_array_elements(p_lot -> 'windows') with ordinality as w (value, nth)
    ));
  end if;
  if jsonb_typeof(p_lot -> 'pricing_rules') = 'array' then
    v_lot := v_lot || jsonb_build_object('pricing_rules', (
      select coalesce(jsonb_agg(case when jsonb_typeof(r.value) = 'object' then jsonb_build_object('rule_order', r.nth) || r.value else r.value end
        order by r.nth), '[]')
      from jsonb_array_elements(p_lot -> 'pricing_rules') with ordinality as r (value, nth)
    ));
  end if;
  return v_lot;
end
$$;

-- The first error in the windows or pricing rules of a lot whose items have valid fields, as [{param, message}]; [] without one.
create function private.import_set_problem(p_set text, p_items jsonb) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_set_size(p_set, p_items);
  perform private.check_set_relations(p_set, p_items);
  return '[]';
exception when sqlstate 'PGRST' then
  return jsonb_build_array(jsonb_build_object(
    'param', (sqlerrm::jsonb ->> 'details')::jsonb ->> 'param', 'message', sqlerrm::jsonb ->> 'message'
  ));
end
$$;

-- The different windows and pricing rules of the lots of an import, each with its first error as [{param, message}].
create function private.import_sets(p_lots jsonb[]) returns table (name text, items jsonb, problems jsonb)
language plpgsql stable
set search_path = ''
as $$
begin
  return query
  with sets as materialized (
    -- Many lots of a source have the same hours and prices, which are checked once.
    select row_number() over () as id, d.name, d.items
    from (
      select distinct n.name, l -> n.name as items
      from unnest(p_lots) as l cross join (values ('windows'), ('pricing_rules')) as n (name)
      where l -> n.name <> 'null'
    ) d
  ), items as materialized (
    select s.id, s.name, i.value, i.nth, row_number() over (partition by s.name order by s.id, i.nth) as place
    from sets s
    cross join jsonb_array_elements(case jsonb_typeof(s.items) when 'array' then s.items else '[]' end) with ordinality as i (value, nth)
  ), errors as materialized (
    -- One statement for the items of all lots.
    select distinct on (i.id) i.id, jsonb_build_object('param', concat_ws('.', n.name, i.nth - 1, e.field), 'message', e.message) as problem
    from (values ('windows'), ('pricing_rules')) as n (name)
    cross join lateral private.set_item_errors(n.name, array(select i.value from items i where i.name = n.name order by i.place)) as e
    join items i on i.name = n.name and i.place = e.place
    order by i.id, i.nth, e.field
  )
  select s.name, s.items, case
      when exists (select from items i where i.id = s.id and jsonb_typeof(i.value) = 'object' and i.value ?| '{id,pricing_group_id}')
        then jsonb_build_array(jsonb_build_object('param', s.name, 'message', 'An import must have neither id nor pricing_group_id.'))
      when e.problem is not null then jsonb_build_array(e.problem)
      else private.import_set_problem(s.name, s.items)
    end
  from sets s left join errors e on e.id = s.id;
end
$$;

-- The errors in the fields of the lots of an import: the position of the lot from 1, and [{param, message}].
create function private.import_field_problems(p_lots jsonb[]) returns table (place bigint, problems jsonb)
language plpgsql stable
set search_path = ''
as $$
declare
  c_others constant text[] := '{operator_code,operator_name,tags,windows,pricing_rules,mapping_errors,mapping_warnings}';
  c_fields constant text[] := array(
    select f from unnest(private.lot_fields()) as f where f not in ('operator_code', 'status', 'source', 'source_url', 'licence', 'attribution')
  );
begin
  -- One statement for all lots. The operator is a row of its own.
  return query
  select e.place, jsonb_agg(jsonb_build_object('param', e.field, 'message', e.message))
  from (
    select * from private.field_errors(
      'public.parking_lots', array(select case jsonb_typeof(l) when 'object' then l - c_others else l end from unnest(p_lots) as l), c_fields,
      p_rules => private.lot_rules() || '{"external_id": {"null": false}}'
    )
    union all
    select o.place, 'operator_' || case o.field when 'id' then 'code' else o.field end, 'operator_' || replace(o.message, 'id must', 'code must')
    from private.field_errors('public.operators', array(
      select jsonb_strip_nulls(jsonb_build_object('id', l -> 'operator_code', 'name', l -> 'operator_name')) from unnest(p_lots) as l
    ), '{id,name}', p_rules => '{"*": {"blank": false}}') as o
  ) e
  group by e.place;
end
$$;

-- The errors in the tags of a lot of an import, and its absent fields: [{param, message}], with paths in the lot.
create function private.import_lot_problems(p_lot jsonb) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  if jsonb_typeof(p_lot) is distinct from 'object' then
    return '[]';
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object('param', f.name, 'message', f.message)), '[]')
    from (
      select r.name, r.name || ' is required.' as message from unnest('{external_id,name,lat,lng}'::text[]) as r (name)
      -- Values that could not be mapped are not among the fields: they are not reported as missing.
      where not p_lot ? r.name and case when jsonb_typeof(p_lot -> 'mapping_errors') = 'array' then p_lot -> 'mapping_errors' = '[]' else true end
      union all
      select 'tags', 'tags must be an object of slugs with true or false.'
      where p_lot ? 'tags' and jsonb_typeof(p_lot -> 'tags') not in ('object', 'null')
      union all
      select 'tags.' || t.key, case when jsonb_typeof(t.value) <> 'boolean' then 'Must be true or false.' else 'There is no such tag.' end
      from jsonb_each(case when jsonb_typeof(p_lot -> 'tags') = 'object' then p_lot -> 'tags' else '{}' end) t
      where jsonb_typeof(t.value) <> 'boolean' or not exists (select from public.tags g where g.slug = t.key)
    ) f
  );
end
$$;

-- The lots of an import, each with its position in the array and its errors. Of lots with one external_id the first
-- counts.
create function private.checked_import_lots(p_lots jsonb)
returns table (index integer, external_id text, lot jsonb, problems jsonb, warnings jsonb)
language plpgsql stable
set search_path = ''
as $$
begin
  return query
  with given as materialized (
    select (g.nth - 1)::integer as nth, private.normal_import_lot(g.value) as lot
    from jsonb_array_elements(p_lots) with ordinality as g (value, nth)
  ), sets as materialized (
    select * from private.import_sets(array(select g.lot from given g))
  ), fields as materialized (
    select * from private.import_field_problems(array(select g.lot from given g order by g.nth))
  ), checked as materialized (
    select g.nth, g.lot, case when jsonb_typeof(g.lot -> 'mapping_errors') = 'array' then g.lot -> 'mapping_errors' else '[]' end
        || coalesce(f.problems, '[]') || private.import_lot_problems(g.lot) || coalesce(w.problems, '[]') || coalesce(r.problems, '[]') as problems,
      case when jsonb_typeof(g.lot -> 'external_id') = 'string' then g.lot ->> 'external_id' end as external_id
    from given g
    left join fields f on f.place = g.nth + 1
    left join sets w on w.name = 'windows' and w.items = g.lot -> 'windows'
    left join sets r on r.name = 'pricing_rules' and r.items = g.lot -> 'pricing_rules'
  )
  select c.nth, c.external_id, c.lot, c.problems || case when c.first < c.nth
      then jsonb_build_array(jsonb_build_object('param', 'external_id', 'message', format('The lot lots.%s has the same external_id. Each must be different.', c.first)))
      else '[]' end,
    case when jsonb_typeof(c.lot -> 'mapping_warnings') = 'array' then c.lot -> 'mapping_warnings' else '[]' end
  from (
    select k.*, case when k.external_id is not null then min(k.nth) over (partition by k.external_id) end as first from checked k
  ) c
  order by c.nth;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Writing
-- ---------------------------------------------------------------------------------------------------------------------

-- Fills the stage from the temporary table import_rows, without the rejected lots. p_provenance: source, licence,
-- attribution, source_url.
create function private.stage_import_rows(p_provenance jsonb, p_columns text[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  c_new constant jsonb := '{"time_zone": "Asia/Tokyo", "holiday_calendar": "JP", "currency": "JPY", "price_fixed_at_entry": false}';
begin
  perform private.open_import_stage(p_columns);
  -- Fields that a lot does not contain keep the stored value: the row is locked, so that it does not change meanwhile.
  perform from public.parking_lots l
  where l.source = p_provenance ->> 'source' and l.external_id in (select r.external_id from pg_temp.import_rows r)
  order by l.id for no key update;
  execute format(
    'insert into pg_temp.import_stage
    select r.index, %s, r.lot ->> %L, coalesce(nullif(r.lot -> %L, %L), %L),
      nullif(nullif(r.lot -> %L, %L), %L), nullif(nullif(r.lot -> %L, %L), %L)
    from pg_temp.import_rows r
    left join public.parking_lots l on l.source = $1 ->> %L and l.external_id = r.external_id
    cross join lateral jsonb_populate_record(
      case when l.id is null then jsonb_populate_record(null::public.parking_lots, $2) else l end, jsonb_strip_nulls($1) || r.lot
    ) as x
    where r.problems = %L',
    (select string_agg(format('x.%I', c.name), ', ' order by c.nth) from unnest(p_columns) with ordinality as c (name, nth)),
    'operator_name', 'tags', 'null', '{}', 'windows', 'null', '[]', 'pricing_rules', 'null', '[]', 'source', '[]'
  ) using p_provenance, c_new;
end
$$;

-- Writes the lots of import_rows that are not rejected, and the outcome of each.
create function private.merge_import_rows(p_provenance jsonb, p_status text) returns void
language plpgsql
set search_path = ''
as $$
declare
  c_columns constant text[] := array(
    select f from unnest(private.lot_fields()) as f where f not in ('status', 'source') order by f
  );
  v_source constant text := p_provenance ->> 'source';
begin
  -- Of two imports of one source the second waits: for a request, or for a batch of the importer.
  perform pg_advisory_xact_lock(hashtextextended('import ' || v_source, 0));
  perform private.stage_import_rows(p_provenance, c_columns);
  perform private.merge_staged_operators();
  perform private.merge_staged_lots(v_source, p_status, c_columns);
  perform private.place_staged_lots(v_source);
  perform private.merge_staged_tags();
  perform private.merge_staged_windows();
  perform private.merge_staged_pricing();
  update pg_temp.import_rows r set lot_id = l.id, outcome = case
    when exists (select from pg_temp.import_outcome o where o.id = l.id and o.action = 'INSERT') then 'created'
    when exists (select from pg_temp.import_outcome o where o.id = l.id) then 'updated'
    else 'unchanged' end
  from public.parking_lots l
  where r.problems = '[]' and l.source = v_source and l.external_id = r.external_id;
end
$$;

-- The first ten errors or warnings of a lot, with their paths in the request.
create function private.import_notes(p_index integer, p_notes jsonb) returns jsonb
language plpgsql immutable
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'param', concat_ws('.', 'lots', p_index, n.value ->> 'param'), 'message', n.value ->> 'message') order by n.nth), '[]')
    from jsonb_array_elements(p_notes) with ordinality as n (value, nth)
    where n.nth <= 10
  );
end
$$;

-- The outcome of each lot of import_rows, and the counts.
create function private.import_report(p_dry_run boolean) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  return (
    select jsonb_build_object(
      'dry_run', p_dry_run,
      'counts', jsonb_build_object(
        'read', count(*), 'created', count(*) filter (where r.outcome = 'created'), 'updated', count(*) filter (where r.outcome = 'updated'),
        'unchanged', count(*) filter (where r.outcome = 'unchanged'), 'rejected', count(*) filter (where r.outcome = 'rejected'),
        'warnings', count(*) filter (where r.warnings <> '[]')
      ),
      'rows', jsonb_agg(jsonb_build_object(
        'index', r.index, 'external_id', r.external_id, 'outcome', r.outcome,
        'parking_lot_id', case when not (p_dry_run and r.outcome = 'created') then r.lot_id end,
        'errors', private.import_notes(r.index, r.problems), 'warnings', private.import_notes(r.index, r.warnings)
      ) order by r.index)
    )
    from pg_temp.import_rows r
  );
end
$$;

-- Rejects an import with rejected lots. Errors: validation_error, with details.counts and up to 100 details.errors.
create function private.reject_import(p_report jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_errors jsonb;
begin
  select jsonb_agg(e.error || '{"code": "refused"}' order by e.index) into v_errors
  from (
    select r.value -> 'index' as index, e.value as error
    from jsonb_array_elements(p_report -> 'rows') as r
    cross join jsonb_array_elements(r.value -> 'errors') as e
    limit 100
  ) e;
  perform private.raise_error('validation_error', 422, v_errors #>> '{0,message}', p_param => v_errors #>> '{0,param}',
    p_details => jsonb_build_object('counts', p_report -> 'counts', 'errors', v_errors));
end
$$;

-- Checks and writes lots, and reports on each. A dry run rolls back. Raises validation_error when a lot is rejected,
-- unless it is a dry run or partial.
create function private.import_lots(p_lots jsonb, p_provenance jsonb, p_status text, p_dry_run boolean, p_partial boolean) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_report jsonb;
begin
  create temporary table import_rows on commit drop as
  select c.*, null::uuid as lot_id, case when c.problems <> '[]' then 'rejected' end as outcome from private.checked_import_lots(p_lots) c;
  analyze pg_temp.import_rows;
  if not p_dry_run and not p_partial and exists (select from pg_temp.import_rows r where r.problems <> '[]') then
    perform private.reject_import(private.import_report(false));
  end if;
  perform private.merge_import_rows(p_provenance, p_status);
  v_report := private.import_report(p_dry_run);
  if p_dry_run then
    raise sqlstate 'DRYRN';
  end if;
  drop table pg_temp.import_rows, pg_temp.import_stage, pg_temp.import_outcome, pg_temp.import_tags, pg_temp.import_windows, pg_temp.import_other_hours,
    pg_temp.import_rules, pg_temp.import_kept;
  return v_report;
exception when sqlstate 'DRYRN' then
  return v_report;
end
$$;

create function api.admin_import_parking_lots(
  p_admin_id uuid, p_source text, p_lots jsonb, p_licence text default null, p_attribution text default null,
  p_source_url text default null, p_status text default 'active', p_dry_run boolean default false, p_partial boolean default false
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  c_provenance constant jsonb := jsonb_build_object(
    'source', p_source, 'licence', p_licence, 'attribution', p_attribution, 'source_url', p_source_url
  );
  v_report jsonb;
begin
  perform private.lock_admin(p_admin_id, 'lots');
  perform private.check_fields('public.parking_lots', c_provenance, '{source,licence,attribution,source_url}',
    p_rules => '{"*": {"blank": false}, "source": {"null": false}}');
  if p_status is null or p_status not in ('draft', 'active') then
    perform private.raise_error('validation_error', 422, 'Must be draft or active.', p_param => 'status');
  elsif jsonb_typeof(p_lots) is distinct from 'array' or jsonb_array_length(p_lots) not between 1 and 1000 then
    perform private.raise_error('validation_error', 422, 'Must be an array of 1 to 1,000 lots.', p_param => 'lots');
  end if;
  v_report := private.import_lots(p_lots, c_provenance, p_status, coalesce(p_dry_run, false), coalesce(p_partial, false));
  if not coalesce(p_dry_run, false) and (v_report #> '{counts,created}')::integer + (v_report #> '{counts,updated}')::integer > 0 then
    perform private.record_act(p_admin_id, 'parking_lot.import', 'parking_lot', null, null,
      jsonb_build_object('source', p_source) || (v_report -> 'counts'));
  end if;
  return v_report;
end
$$;

comment on function api.admin_import_parking_lots(uuid, text, jsonb, text, text, text, text, boolean, boolean) is
  'Creates and changes up to 1,000 lots of a source by their external_id: {dry_run, counts, rows}, a row for each lot with its outcome (created, updated, unchanged, rejected), errors and warnings. Idempotent. When a lot is rejected no lot is written and details.errors has the reasons, unless the import is partial. A dry run reports and writes nothing. Recorded as one act, with the counts. For administrators with the area lots. Errors: forbidden, validation_error.';
