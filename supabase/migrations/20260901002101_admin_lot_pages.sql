-- Lots of the console, read: the list of all lots, one lot with all that hangs on it, and what administrators did to it.
--
-- The console sees lots of every status. Public lots are searched by their search entries (0905); the others have none, and
-- are searched by an index of their own, which holds no public lot and so costs an import nothing.
--
-- Invariants: the list is in order of the last change; each filter has an index in that order.
-- Interface: api.admin_list_parking_lots, api.admin_get_parking_lot, api.admin_list_parking_lot_history;
-- private.console_lot_json for the functions that change a lot.

-- ---------------------------------------------------------------------------------------------------------------------
-- Indexes
-- ---------------------------------------------------------------------------------------------------------------------

-- A lot of the console in words, as private.search_text writes them. The index holds what it gives: it is immutable.
create function private.console_document(p_name text, p_name_kana text, p_address text) returns text
language plpgsql immutable parallel safe
set search_path = ''
as $$
begin
  return private.search_text(p_name) || e'\n' || private.search_text(coalesce(p_name_kana, '')) || e'\n'
    || private.search_text(coalesce(p_address, ''));
end
$$;

comment on function private.console_document(text, text, text) is
  'Name, kana and address of a lot as private.search_text writes them, a line each: where the console looks for keywords in lots that are not public.';

-- An index runs its expression as whoever writes the row.
grant execute on function
  private.search_text(text), private.search_terms(text), private.console_document(text, text, text)
to service_role;

create index parking_lots_console_terms_idx on public.parking_lots
  using gin (private.search_terms(private.console_document(name, name_kana, address))) where status <> 'active';

-- The list without a filter, and by each of them. Deleting or renaming an operator looks for its lots, too.
create index parking_lots_updated_idx on public.parking_lots (updated_at desc, id desc);
create index parking_lots_status_updated_idx on public.parking_lots (status, updated_at desc, id desc);
create index parking_lots_operator_updated_idx on public.parking_lots (operator_code, updated_at desc, id desc)
  where operator_code is not null;
create index parking_lots_source_updated_idx on public.parking_lots (source, updated_at desc, id desc)
  where source is not null;

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: the list
-- ---------------------------------------------------------------------------------------------------------------------

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
    perform private.refuse('validation_error', 422, 'Must be 1 to 100 characters, not all of them spaces.', p_param => 'q');
  end if;
  return case when p_text is not null then v_words end;
end
$$;

comment on function private.keywords_of(text) is
  'The words of a search of the console as private.search_text writes them; null for null. Refuses: validation_error.';

create function private.console_lots_text(p_status text, p_operator_code text, p_source text, p_words text[], p_page text default '')
returns text
language plpgsql stable
set search_path = ''
as $$
declare
  -- Only the conditions that are given stand in the statement: so each filter has its index.
  v_conditions constant text := concat(
    case when p_status is not null then ' and l.status = $1' end,
    case when p_operator_code is not null then ' and l.operator_code = $2' end,
    case when p_source is not null then ' and l.source = $3' end,
    p_page
  );
begin
  if p_words is null then
    return 'select l.id, l.updated_at from public.parking_lots l where true' || v_conditions;
  end if;
  -- No `not exists`, which would be planned as a join that few rows pass: of common words the order is walked.
  return '(select l.id, l.updated_at from public.parking_lots l join private.search_entries e on e.parking_lot_id = l.id
    where e.terms @> $4 and (select bool_and(strpos(e.document, w) > 0) from unnest($5) as w)' || v_conditions
    || ') union all (select l.id, l.updated_at from public.parking_lots l where l.status <> ''active''
    and private.search_terms(private.console_document(l.name, l.name_kana, l.address)) @> $4
    and (select bool_and(strpos(private.console_document(l.name, l.name_kana, l.address), w) > 0) from unnest($5) as w)'
    || v_conditions || ')';
end
$$;

comment on function private.console_lots_text(text, text, text, text[], text) is
  'The statement that finds lots for the console: $1 status, $2 operator_code, $3 source, $4 the terms of the words, $5 the words; p_page is put behind the conditions, of each part where there are two.';

create function private.console_lots(
  p_status text, p_operator_code text, p_source text, p_words text[], p_after jsonb, p_limit integer
) returns uuid[]
language plpgsql stable
security definer -- search entries are private; only the ids of lots leave this, for the service
set search_path = ''
as $$
declare
  v_terms constant text[] := array(select distinct t from unnest(p_words) as w, unnest(private.keyword_terms(w)) as t);
  v_ids uuid[];
begin
  execute 'select array_agg(f.id order by f.updated_at desc, f.id desc) from (select * from ('
    || private.console_lots_text(p_status, p_operator_code, p_source, p_words, concat(
      case when p_after is not null then ' and (l.updated_at, l.id) < ($6, $7)' end,
      ' order by l.updated_at desc, l.id desc limit $8'
    )) || ') f order by f.updated_at desc, f.id desc limit $8) f'
  into v_ids using p_status, p_operator_code, p_source, v_terms, p_words,
    (p_after ->> 0)::timestamptz, (p_after ->> 1)::uuid, p_limit;
  return coalesce(v_ids, '{}');
end
$$;

comment on function private.console_lots(text, text, text, text[], jsonb, integer) is
  'The lots of a page of the console, the newest change first.';

create function private.console_lots_count(p_status text, p_operator_code text, p_source text, p_words text[]) returns bigint
language plpgsql stable
security definer -- as private.console_lots
set search_path = ''
as $$
declare
  v_terms constant text[] := array(select distinct t from unnest(p_words) as w, unnest(private.keyword_terms(w)) as t);
  v_count bigint;
begin
  execute 'select count(*) from (' || private.console_lots_text(p_status, p_operator_code, p_source, p_words) || ') f'
  into v_count using p_status, p_operator_code, p_source, v_terms, p_words;
  return v_count;
end
$$;

comment on function private.console_lots_count(text, text, text, text[]) is 'How many lots the list of the console has.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: one lot
-- ---------------------------------------------------------------------------------------------------------------------

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

comment on function private.console_lot_parts_json(uuid) is
  'date_overrides, tags and images of a lot as the console shows them; the storage_key of an image is null when its file is not there.';

create function private.console_lot_json(p_lot_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select to_jsonb(l) - '{mercator,tag_slugs,main_image_key}'::text[]
      || jsonb_build_object(
        'allowed_statuses', private.allowed_states('parking_lot', l.status), 'windows', private.hours_json(l.id) -> 'windows'
      )
      || p.places || private.console_lot_parts_json(l.id)
      -- As an administrator writes it: a rule of a lot does not name the lot.
      || jsonb_build_object('pricing_rules', (
        select coalesce(jsonb_agg(r.item - 'parking_lot_id' order by r.nth), '[]')
        from jsonb_array_elements(p.places -> 'pricing_rules') with ordinality as r (item, nth)
      ))
    from public.parking_lots l cross join lateral private.lot_places_json(l.id) as p (places)
    where l.id = p_lot_id
  );
end
$$;

comment on function private.console_lot_json(uuid) is
  'A lot as the console shows it: its fields, the statuses that may follow, and its spots, pricing_groups, pricing_rules, windows, date_overrides, tags and images. Null when there is none.';

create function private.refuse_missing_lot() returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.refuse('lot_not_found', 404, 'There is no such parking lot.', p_param => 'id');
end
$$;

comment on function private.refuse_missing_lot() is 'Rejects (lot_not_found) a request for a lot that does not exist, whatever its status.';

grant execute on function
  private.search_text(text), private.search_terms(text), private.keyword_terms(text), private.keywords_of(text),
  private.console_lots_text(text, text, text, text[], text), private.console_lots(text, text, text, text[], jsonb, integer),
  private.console_lots_count(text, text, text, text[]), private.console_lot_parts_json(uuid), private.console_lot_json(uuid),
  private.lot_places_json(uuid), private.pricing_rules_json(uuid), private.pricing_rules_after(uuid, jsonb, integer),
  private.refuse_missing_lot()
to service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface
-- ---------------------------------------------------------------------------------------------------------------------

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
  v_words text[];
  v_items jsonb;
begin
  perform private.check_admin(p_admin_id, 'lots');
  v_after := private.cursor_decode(v_filters, p_cursor, '{timestamptz,uuid}');
  v_words := private.keywords_of(p_q);
  select jsonb_agg(jsonb_build_object(
      'id', l.id, 'name', l.name, 'address', l.address, 'lat', l.lat, 'lng', l.lng, 'status', l.status,
      'operator_code', l.operator_code, 'source', l.source, 'external_id', l.external_id, 'total_spaces', l.total_spaces,
      'hour_price', l.hour_price, 'currency', l.currency, 'avg_rating', l.avg_rating, 'review_count', l.review_count,
      'created_at', l.created_at, 'updated_at', l.updated_at
    ) order by l.updated_at desc, l.id desc)
  into v_items
  from public.parking_lots l
  where l.id = any (private.console_lots(
    p_status, p_operator_code, p_source, v_words, v_after, private.page_limit(p_limit) + 1
  ));
  return private.page(v_filters, v_items, '{updated_at,id}', p_limit)
    || case when 'total' = any (p_include) then jsonb_build_object('total', private.console_lots_count(
      p_status, p_operator_code, p_source, v_words
    )) else '{}' end;
end
$$;

comment on function api.admin_list_parking_lots(uuid, text, text, text, text, text[], text, integer) is
  'Lots of every status, the newest change first: {items, next_cursor}, and total when p_include has it. p_q: words of name, kana or address (of a public lot also of its operator''s name), all of which a lot has. For administrators with the area lots. Refuses: forbidden, validation_error.';

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
    perform private.refuse_missing_lot();
  end if;
  return v_lot;
end
$$;

comment on function api.admin_get_parking_lot(uuid, uuid) is
  'A lot of any status with all that hangs on it: private.console_lot_json. For administrators with the area lots. Refuses: forbidden, lot_not_found.';

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
  v_after := private.cursor_decode(v_filters, p_cursor, '{timestamptz,uuid}');
  select jsonb_agg(to_jsonb(l) order by l.created_at desc, l.id desc) into v_items
  from (
    select l.* from public.admin_activity_logs l
    where l.target_id = p_parking_lot_id::text and l.target_type = 'parking_lot'
      and (l.created_at, l.id) < (
        coalesce((v_after ->> 0)::timestamptz, 'infinity'),
        coalesce((v_after ->> 1)::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
      )
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
  'Acts of administrators on a lot, newest first, also of a lot that was deleted: {items, next_cursor}, and total when p_include has it. For administrators with the area lots. Refuses: forbidden, validation_error.';

grant execute on function
  api.admin_list_parking_lots(uuid, text, text, text, text, text[], text, integer),
  api.admin_get_parking_lot(uuid, uuid), api.admin_list_parking_lot_history(uuid, uuid, text[], text, integer)
to service_role;
