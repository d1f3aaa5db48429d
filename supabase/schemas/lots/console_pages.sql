-- Reads of lots in the console: the list of all lots, one lot with all its data, and its history of acts.
--
-- The console lists lots of every status, and searches them by their search entries (search/entries.sql). The list is in
-- order of the last change, for every search. A search reads the next 500 lots of that order, and up to 5,000 when the
-- matches among the 500 let expect a full page. For a text that many lots have, by the statistics of terms, it reads up
-- to 50,000: an import may have changed so many others last. It does not when none of a sample of lots has the text,
-- although many have its terms. Otherwise the term indexes find all matches, and they are sorted. The slow case is a text
-- that more than 20,000 lots have, none of them among the last 50,000 changes.
--
-- Invariants: each filter has an index in the order of the list.
-- Interface: api.admin_list_parking_lots, api.admin_get_parking_lot, api.admin_list_parking_lot_history;
-- private.console_lot_json for the functions that change a lot.

-- ---------------------------------------------------------------------------------------------------------------------
-- The list
-- ---------------------------------------------------------------------------------------------------------------------

-- The words of a search of the console as private.search_text returns them; null for null. Errors: validation_error.
create function private.keywords_of(p_text text) returns text[]
language plpgsql stable
set search_path = ''
as $$
declare
  v_words constant text[] := array(
    select private.search_text(w) from regexp_split_to_table(normalize(p_text, nfkc), '[[:space:]]+') as w
    where private.search_text(w) <> ''
  );
begin
  if p_text is not null and (v_words = '{}' or char_length(p_text) > 100) then
    perform private.raise_error('validation_error', 422, 'Must be 1 to 100 characters, not all of them spaces.', p_param => 'q');
  end if;
  return case when p_text is not null then v_words end;
end
$$;

-- The filter of these conditions; p_words as private.keywords_of returns them.
create function private.read_lot_filter(p_status text, p_operator_code text, p_source text, p_words text[])
returns private.lot_filter
language plpgsql immutable
set search_path = ''
as $$
begin
  return row(p_status, p_operator_code, p_source,
    case when p_words is not null then array(select private.like_pattern(w) from unnest(p_words) as w) end,
    case when p_words is not null then array(
      select distinct t from unnest(p_words) as w, unnest(private.keyword_terms(w)) as t
    ) end);
end
$$;

-- The condition of a filter without its text, over public.parking_lots l; $1 is status, $2 operator_code, $3 source.
create function private.lot_condition(p_filter private.lot_filter) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  -- The statement contains only the conditions that are given: so each filter uses its index.
  return concat_ws(' and ', 'true',
    case when p_filter.status is not null then 'l.status = $1' end,
    case when p_filter.operator_code is not null then 'l.operator_code = $2' end,
    case when p_filter.source is not null then 'l.source = $3' end
  );
end
$$;

-- The statement that finds all lots of a text among the entries of lots of the status; $4 is patterns, $5 terms.
create function private.lot_match_text(p_filter private.lot_filter) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return concat_ws(' union all ',
    case when coalesce(p_filter.status = 'active', true) then
      'select e.parking_lot_id from private.search_entries e where e.terms @> $5 and e.document like all ($4)' end,
    case when coalesce(p_filter.status <> 'active', true) then
      'select e.parking_lot_id from private.unlisted_search_entries e where e.terms @> $5 and e.document like all ($4)' end
  );
end
$$;

-- The first lots that meet the filter among the next p_window of the list with its status, operator and source, after a
-- position in it; p_window null: among all.
create function private.listed_lots(
  p_filter private.lot_filter, p_window integer, p_after_at timestamptz, p_after_id uuid, p_limit integer
) returns uuid[]
language plpgsql stable
set search_path = ''
-- The order is always read from its index and each entry by its key, even when another plan seems cheaper.
set enable_sort = off
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  v_ids uuid[];
begin
  execute format(
    'select array(
      select o.id from (
        select l.id, l.updated_at from public.parking_lots l where %s and (l.updated_at, l.id) < ($5, $6)
        order by l.updated_at desc, l.id desc limit $8
      ) o %s
      order by o.updated_at desc, o.id desc limit $7
    )', private.lot_condition(p_filter), case when p_filter.patterns is not null then
      'where coalesce(
        (select e.document from private.search_entries e where e.parking_lot_id = o.id),
        (select e.document from private.unlisted_search_entries e where e.parking_lot_id = o.id)
      ) like all ($4)' end
  ) into v_ids using p_filter.status, p_filter.operator_code, p_filter.source, p_filter.patterns,
    p_after_at, p_after_id, p_limit, p_window;
  return v_ids;
end
$$;

-- The first of these lots that meet the filter without its text, after a position in the list.
create function private.lots_by_key(
  p_filter private.lot_filter, p_ids uuid[], p_after_at timestamptz, p_after_id uuid, p_limit integer
) returns uuid[]
language plpgsql stable
set search_path = ''
-- Each lot by its key: a plan that reads the order may read a million lots.
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  v_ids uuid[];
begin
  execute format(
    'select array(
      select l.id from unnest($4) as m (id) join public.parking_lots l on l.id = m.id
      where %s and (l.updated_at, l.id) < ($5, $6)
      order by l.updated_at desc, l.id desc limit $7
    )', private.lot_condition(p_filter)
  ) into v_ids using p_filter.status, p_filter.operator_code, p_filter.source, p_ids, p_after_at, p_after_id, p_limit;
  return v_ids;
end
$$;

-- The first lots that meet the filter, after a position in the list: all matches of the term indexes, sorted.
create function private.indexed_lots(p_filter private.lot_filter, p_after_at timestamptz, p_after_id uuid, p_limit integer)
returns uuid[]
language plpgsql stable
set search_path = ''
set work_mem = '64MB' -- the ids of a million matches fit
as $$
declare
  c_few constant integer := 20000;
  -- Decoding the terms that almost every lot has takes longer than comparing the texts that the rarer ones find.
  v_terms constant text[] := coalesce(nullif(private.narrowing_terms(p_filter.terms), '{}'), p_filter.terms);
  v_ids uuid[];
begin
  execute format('select array(select m.parking_lot_id from (%s) m limit $6)', private.lot_match_text(p_filter))
    into v_ids using p_filter.status, p_filter.operator_code, p_filter.source, p_filter.patterns, v_terms, c_few + 1;
  if cardinality(v_ids) <= c_few then
    return private.lots_by_key(p_filter, v_ids, p_after_at, p_after_id, p_limit);
  end if;
  execute format(
    'with matches as materialized (%s)
    select array(
      select l.id from public.parking_lots l
      where %s and (l.updated_at, l.id) < ($6, $7) and l.id in (select m.parking_lot_id from matches m)
      order by l.updated_at desc, l.id desc limit $8
    )', private.lot_match_text(p_filter), private.lot_condition(p_filter)
  ) into v_ids using p_filter.status, p_filter.operator_code, p_filter.source, p_filter.patterns, v_terms,
    p_after_at, p_after_id, p_limit;
  return v_ids;
end
$$;

-- Whether more than one lot in fifty is expected to have the text of the filter, by the statistics of terms.
create function private.is_common_text(p_filter private.lot_filter) returns boolean
language sql stable
return private.term_share(p_filter.terms) > 0.02;

-- Whether none of about 20,000 public lots has the text of the filter, although many may have its terms. False for fewer
-- lots, and for other lots than public ones.
create function private.is_rare_text(p_filter private.lot_filter) returns boolean
language plpgsql stable
set search_path = ''
as $$
declare
  c_sample constant integer := 20000;
  c_lots constant double precision := (
    select c.reltuples from pg_catalog.pg_class c where c.oid = 'private.search_entries'::regclass
  );
begin
  return coalesce(p_filter.status = 'active', true) and c_lots > c_sample and not exists (
    select from private.search_entries e tablesample system (100 * c_sample / c_lots) repeatable (1)
    where e.document like all (p_filter.patterns)
  );
end
$$;

-- The lots of a page of the console, the latest change first.
create function private.console_lots(p_filter private.lot_filter, p_after jsonb, p_limit integer) returns uuid[]
language plpgsql stable
security definer -- search entries are private; returns only the ids of lots, to the service
set search_path = ''
as $$
declare
  c_window constant integer := 5000;
  c_common_window constant integer := 50000;
  v_after_at constant timestamptz := (p_after ->> 0)::timestamptz;
  v_after_id constant uuid := (p_after ->> 1)::uuid;
  v_without_text private.lot_filter := p_filter;
  v_is_end boolean; -- of the list, in the window
  v_ids uuid[];
begin
  if p_filter.patterns is null then
    return private.listed_lots(p_filter, null, v_after_at, v_after_id, p_limit);
  end if;
  v_ids := private.listed_lots(p_filter, c_window / 10, v_after_at, v_after_id, p_limit);
  if cardinality(v_ids) >= p_limit then
    return v_ids;
  end if;
  v_without_text.patterns := null;
  v_is_end := cardinality(private.listed_lots(v_without_text, c_window, v_after_at, v_after_id, c_window)) < c_window;
  -- A tenth of the window has a tenth of the page.
  if v_is_end or cardinality(v_ids) * 10 >= p_limit then
    v_ids := private.listed_lots(p_filter, c_window, v_after_at, v_after_id, p_limit);
    if v_is_end or cardinality(v_ids) >= p_limit then
      return v_ids;
    end if;
  end if;
  if private.is_common_text(p_filter) and not private.is_rare_text(p_filter) then
    v_ids := private.listed_lots(p_filter, c_common_window, v_after_at, v_after_id, p_limit);
    if cardinality(v_ids) >= p_limit or c_common_window > cardinality(
      private.listed_lots(v_without_text, c_common_window, v_after_at, v_after_id, c_common_window)
    ) then
      return v_ids;
    end if;
  end if;
  return private.indexed_lots(p_filter, v_after_at, v_after_id, p_limit);
end
$$;

-- The number of lots in the console's list: {total, total_is_exact}. A text that many lots have is counted among 200,000
-- lots, or the last 20,000 of an operator or source.
create function private.console_lots_total(p_filter private.lot_filter) returns jsonb
language plpgsql stable
security definer -- as private.console_lots
set search_path = ''
as $$
declare
  c_after_at constant timestamptz := 'infinity';
  c_after_id constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  -- So many lots are compared with a text that many have: the last ones of an operator or source, otherwise any.
  c_window constant integer := 20000;
  c_max_read constant integer := 200000;
  v_without_text private.lot_filter := p_filter;
  v_most integer := private.max_total() + 1;
  v_is_all boolean := true;
  v_ids uuid[];
begin
  v_without_text.patterns := null;
  if p_filter.patterns is null then
    v_ids := private.listed_lots(p_filter, null, c_after_at, c_after_id, v_most);
  elsif not private.is_common_text(p_filter) then
    v_ids := private.indexed_lots(p_filter, c_after_at, c_after_id, v_most);
  elsif coalesce(p_filter.operator_code, p_filter.source) is not null or p_filter.status <> 'active' then
    v_ids := private.listed_lots(p_filter, c_window, c_after_at, c_after_id, v_most);
    v_is_all := cardinality(private.listed_lots(v_without_text, c_window, c_after_at, c_after_id, c_window)) < c_window;
  else
    v_ids := array(
      select e.parking_lot_id from (
        (select parking_lot_id, document from private.search_entries limit c_max_read) union all
        (select parking_lot_id, document from private.unlisted_search_entries where p_filter.status is null limit c_max_read)
      ) e
      where e.document like all (p_filter.patterns) limit v_most
    );
    v_is_all := not exists (select from private.search_entries offset c_max_read limit 1)
      and not exists (select from private.unlisted_search_entries offset c_max_read limit 1);
  end if;
  return private.capped_total(cardinality(v_ids), v_is_all);
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- One lot
-- ---------------------------------------------------------------------------------------------------------------------

-- date_overrides, tags and images of a lot as the console returns them; the storage_key of an image is null when its file
-- is missing.
create function private.console_lot_parts_json(p_lot_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'date_overrides', (
      select coalesce(jsonb_agg(jsonb_build_object(
          'id', o.id, 'override_date', o.override_date, 'label', o.label, 'hours', private.clock_times(o.hours),
          'pricing', private.clock_times(o.pricing), 'note', o.note
        ) order by o.override_date), '[]')
      from public.parking_lot_date_overrides o where o.parking_lot_id = p_lot_id
    ),
    'tags', (
      select coalesce(jsonb_agg(jsonb_build_object('tag_id', lt.tag_id, 'slug', t.slug, 'name', t.name, 'state', lt.state)
        order by t.sort_order, t.slug), '[]')
      from public.parking_lot_tags lt join public.tags t on t.id = lt.tag_id where lt.parking_lot_id = p_lot_id
    ),
    'images', (
      select coalesce(jsonb_agg(jsonb_build_object(
          'id', i.id, 'asset_id', i.asset_id, 'is_main', i.is_main, 'sort_order', i.sort_order,
          'storage_key', case when a.status = 'placed' and a.deleted_at is null then a.storage_key end,
          'is_public', a.is_public
        ) order by i.is_main desc, i.sort_order nulls last, i.id), '[]')
      from public.parking_lot_images i join public.assets a on a.id = i.asset_id where i.parking_lot_id = p_lot_id
    )
  );
end
$$;

-- A lot as the console returns it: its fields, the statuses that may follow, and its spots, pricing_groups,
-- pricing_rules, windows, date_overrides, tags and images. Null when there is none.
create function private.console_lot_json(p_lot_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select to_jsonb(l) - '{tag_slugs,main_image_key}'::text[]
      || jsonb_build_object(
        'allowed_statuses', private.allowed_states('parking_lot', l.status), 'windows', private.hours_json(l.id) -> 'windows'
      )
      || p.places || private.console_lot_parts_json(l.id)
      -- As an administrator writes it: a rule does not contain its lot.
      || jsonb_build_object('pricing_rules', (
        select coalesce(jsonb_agg(r.item - 'parking_lot_id' order by r.nth), '[]')
        from jsonb_array_elements(p.places -> 'pricing_rules') with ordinality as r (item, nth)
      ))
    from public.parking_lots l cross join lateral private.lot_places_json(l.id) as p (places)
    where l.id = p_lot_id
  );
end
$$;

-- Raises lot_not_found for a lot that does not exist, of any status.
create function private.reject_missing_lot() returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.raise_error('lot_not_found', 404, 'There is no such parking lot.', p_param => 'id');
end
$$;

create function api.admin_list_parking_lots(
  p_admin_id uuid, p_status text default null, p_operator_code text default null, p_source text default null,
  p_q text default null, p_include text[] default '{}', p_cursor text default null, p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters jsonb := jsonb_build_array('admin_parking_lots', p_status, p_operator_code, p_source, p_q);
  v_after jsonb;
  v_filter private.lot_filter;
  v_ids uuid[];
  v_items jsonb;
begin
  perform private.check_admin(p_admin_id, 'lots');
  v_after := private.page_start(v_filters, p_cursor, '{timestamptz,uuid}', 'desc');
  v_filter := private.read_lot_filter(p_status, p_operator_code, p_source, private.keywords_of(p_q));
  -- A variable: to plan a condition Postgres calls the stable functions in it, which would search twice.
  v_ids := private.console_lots(v_filter, v_after, private.page_limit(p_limit) + 1);
  select jsonb_agg(jsonb_build_object(
      'id', l.id, 'name', l.name, 'address', l.address, 'lat', l.lat, 'lng', l.lng, 'status', l.status,
      'operator_code', l.operator_code, 'source', l.source, 'external_id', l.external_id, 'total_spaces', l.total_spaces,
      'hour_price', l.hour_price, 'currency', l.currency, 'avg_rating', l.avg_rating, 'review_count', l.review_count,
      'created_at', l.created_at, 'updated_at', l.updated_at
    ) order by l.updated_at desc, l.id desc)
  into v_items
  from public.parking_lots l
  where l.id = any (v_ids);
  return private.page(v_filters, v_items, '{updated_at,id}', p_limit)
    || case when 'total' <> all (p_include) then '{}'
      -- The first page has all.
      when p_cursor is null and cardinality(v_ids) <= p_limit then private.capped_total(cardinality(v_ids), true)
      else private.console_lots_total(v_filter) end;
end
$$;

comment on function api.admin_list_parking_lots(uuid, text, text, text, text, text[], text, integer) is
  'Lots of every status, the latest change first: {items, next_cursor}, and total (counted up to 10,000) with total_is_exact when p_include has it. p_q: words of name, kana or address (of a public lot also of its operator''s name); a lot must have all of them. For administrators with the area lots. Errors: forbidden, validation_error.';

create function api.admin_get_parking_lot(p_admin_id uuid, p_parking_lot_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_lot jsonb;
begin
  perform private.check_admin(p_admin_id, 'lots');
  v_lot := private.console_lot_json(p_parking_lot_id);
  if v_lot is null then
    perform private.reject_missing_lot();
  end if;
  return v_lot;
end
$$;

comment on function api.admin_get_parking_lot(uuid, uuid) is
  'A lot of any status with all its data: private.console_lot_json. For administrators with the area lots. Errors: forbidden, lot_not_found.';

create function api.admin_list_parking_lot_history(
  p_admin_id uuid, p_parking_lot_id uuid, p_include text[] default '{}', p_cursor text default null, p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters jsonb := jsonb_build_array('admin_parking_lot_history', p_parking_lot_id);
  v_after jsonb;
  v_items jsonb;
begin
  perform private.check_admin(p_admin_id, 'lots');
  v_after := private.page_start(v_filters, p_cursor, '{timestamptz,uuid}', 'desc');
  select jsonb_agg(to_jsonb(l) order by l.created_at desc, l.id desc) into v_items
  from (
    select l.* from public.admin_activity_logs l
    where l.target_id = p_parking_lot_id::text and l.target_type = 'parking_lot'
      and (l.created_at, l.id) < ((v_after ->> 0)::timestamptz, (v_after ->> 1)::uuid)
    order by l.created_at desc, l.id desc
    limit private.page_limit(p_limit) + 1
  ) l;
  return private.page(v_filters, v_items, '{created_at,id}', p_limit)
    || case when 'total' = any (p_include) then jsonb_build_object('total', (
      select count(*) from public.admin_activity_logs l
      where l.target_id = p_parking_lot_id::text and l.target_type = 'parking_lot'
    )) else '{}' end;
end
$$;

comment on function api.admin_list_parking_lot_history(uuid, uuid, text[], text, integer) is
  'Acts of administrators on a lot, newest first, also of a lot that was deleted: {items, next_cursor}, and total when p_include has it. For administrators with the area lots. Errors: forbidden, validation_error.';
