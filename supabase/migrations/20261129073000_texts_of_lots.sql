-- Texts of lots and of the console's content: no invisible characters by any entry point, as in texts of users.
--
-- The definitions are those of supabase/schemas after this change. Texts that are stored stay as they are until they are
-- written again. The way back: the functions as they were.

set lock_timeout = '2s';

-- An object of fields with its texts as private.visible_text. One of which nothing is left stays: the rules refuse it. Another
-- value is returned as it is.
create function private.visible_texts(p_values jsonb) returns jsonb
language plpgsql immutable
set search_path = ''
as $$
begin
  return case when jsonb_typeof(p_values) <> 'object' then p_values else p_values || coalesce((
    select jsonb_object_agg(f.key, f.visible)
    from (
      select e.key, nullif(private.visible_text(e.value #>> '{}'), '') as visible
      from jsonb_each(p_values) as e where jsonb_typeof(e.value) = 'string'
    ) f
    where f.visible is not null
  ), '{}') end;
end
$$;

-- These fields with the texts that others see as they are stored: private.shown_name. One of which nothing is left stays: it
-- is refused.
create function private.shown_lot_texts(p_fields jsonb) returns jsonb
language plpgsql immutable
set search_path = ''
as $$
begin
  return case when jsonb_typeof(p_fields) <> 'object' then p_fields else p_fields || coalesce((
    select jsonb_object_agg(f.key, coalesce(private.shown_name(f.value #>> '{}'), f.value #>> '{}'))
    from jsonb_each(p_fields) as f
    where f.key in ('name', 'name_kana', 'address', 'phone', 'licence', 'attribution') and jsonb_typeof(f.value) = 'string'
  ), '{}') end;
end
$$;

-- Changes fields of a lot that the caller has locked, each checked (null empties the field). Returns their
-- private.difference; {} when nothing changes. Errors: validation_error (param: the field), conflict (a status that may
-- not follow: details.allowed; the external_id of another lot).
create or replace function private.apply_lot_changes(p_lot_id uuid, p_changes jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_changes constant jsonb := private.shown_lot_texts(p_changes);
  v_before public.parking_lots;
  v_after public.parking_lots;
  v_difference jsonb;
begin
  select * into v_before from public.parking_lots where id = p_lot_id;
  perform private.require_lot_fields(v_changes, v_before);
  v_after := jsonb_populate_record(v_before, v_changes);
  v_difference := private.difference(to_jsonb(v_before), to_jsonb(v_after));
  if v_difference = '{}' then
    return v_difference;
  end if;
  update public.parking_lots set
    name = v_after.name, name_kana = v_after.name_kana, address = v_after.address, lat = v_after.lat, lng = v_after.lng,
    area = v_after.area, total_spaces = v_after.total_spaces, status = v_after.status, structure = v_after.structure,
    max_height_m = v_after.max_height_m, max_width_m = v_after.max_width_m, max_length_m = v_after.max_length_m,
    max_weight_t = v_after.max_weight_t, min_clearance_cm = v_after.min_clearance_cm,
    max_tire_width_mm = v_after.max_tire_width_mm, max_parking_duration_min = v_after.max_parking_duration_min,
    entry_method = v_after.entry_method, shape_type = v_after.shape_type, entry_difficulty = v_after.entry_difficulty,
    operator_code = v_after.operator_code, phone = v_after.phone, website = v_after.website, time_zone = v_after.time_zone,
    holiday_calendar = v_after.holiday_calendar, currency = v_after.currency, source = v_after.source,
    external_id = v_after.external_id, source_url = v_after.source_url, licence = v_after.licence,
    attribution = v_after.attribution, price_fixed_at_entry = v_after.price_fixed_at_entry
  where id = p_lot_id;
  return v_difference;
end
$$;

create or replace function api.admin_create_parking_lot(p_admin_id uuid, p_lot jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_given constant jsonb := private.shown_lot_texts(p_lot);
  v_lot public.parking_lots;
begin
  perform private.lock_admin(p_admin_id, 'lots');
  perform private.check_fields('public.parking_lots', v_given, private.lot_fields(), '{name,lat,lng}', private.lot_rules());
  perform private.check_move('parking_lot', 'new', coalesce(v_given ->> 'status', 'draft'));
  -- As a draft, which search does not have: its entry is written once, with all fields.
  insert into public.parking_lots (name, lat, lng)
  values (v_given ->> 'name', (v_given ->> 'lat')::double precision, (v_given ->> 'lng')::double precision)
  returning * into v_lot;
  perform private.apply_lot_changes(v_lot.id, v_given);
  select * into v_lot from public.parking_lots where id = v_lot.id;
  perform private.record_act(p_admin_id, 'parking_lot.create', 'parking_lot', v_lot.id::text, null,
    private.difference(null, private.lot_fields_json(v_lot)));
  return private.console_lot_json(v_lot.id);
end
$$;

-- Checks a set of a lot that the caller has locked, and stores it. Errors: validation_error (param: place and field),
-- conflict.
create or replace function private.store_set(p_admin_id uuid, p_lot_id uuid, p_set text, p_items jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_placed jsonb;
  v_nth bigint;
begin
  if jsonb_typeof(p_items) = 'array' then
    p_items := (
      select coalesce(jsonb_agg(private.visible_texts(i.item) order by i.nth), '[]')
      from jsonb_array_elements(p_items) with ordinality as i (item, nth)
    );
  end if;
  perform private.check_set_items(p_set, p_items);
  if p_set = 'tags' then
    perform private.store_tags(p_lot_id, p_items);
    return;
  elsif p_set = 'images' then
    perform private.claim_images(p_admin_id, p_lot_id, p_items);
  end if;
  v_placed := private.placed_items(p_lot_id, p_set, p_items);
  perform private.check_placed_items(p_lot_id, p_set, v_placed);
  perform private.store_rows(p_lot_id, p_set, v_placed);
  if p_set = 'images' then
    update public.assets set deleted_at = now()
    where entity_id = p_lot_id and entity_type = 'parking_lot' and attached_at is not null and deleted_at is null
      and id not in (select i.asset_id from public.parking_lot_images i where i.parking_lot_id = p_lot_id);
  elsif p_set = 'pricing_rules' then
    select min(i.nth) - 1 into v_nth from jsonb_array_elements(v_placed) with ordinality as i (item, nth)
    where (i.item #>> '{row,id}')::uuid = any (array(select unnest(private.idle_rules(p_lot_id))));
    if v_nth is not null then
      perform private.raise_error('validation_error', 422, 'This rule never applies: other rules of its group take precedence at all times. Change or remove it.',
        p_param => format('pricing_rules.%s.category', v_nth));
    end if;
  end if;
end
$$;

-- Adds the operators of the stage that do not exist. An operator's slug is its code, unless another operator has this slug.
create or replace function private.merge_staged_operators() returns void
language plpgsql
set search_path = ''
as $$
begin
  -- Existing operators keep their name and colour.
  insert into public.operators (id, name, slug)
  select distinct on (s.operator_code) s.operator_code, coalesce(private.shown_name(s.operator_name), s.operator_code),
    s.operator_code || case
      when exists (select from public.operators o where o.slug = s.operator_code) then '-' || left(md5(s.operator_code), 8)
      else '' end
  from pg_temp.import_stage s
  where s.operator_code is not null
  order by s.operator_code, s.position
  on conflict (id) do nothing;
end
$$;

-- Writes the lots of the stage, with p_columns, where they differ. New lots get p_status. The texts that others see are
-- stored as those that the console writes (private.shown_lot_texts).
create or replace function private.merge_staged_lots(p_source text, p_status text, p_columns text[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  -- An absent value of these columns has no meaning: a lot keeps its own.
  c_kept constant text[] := '{licence,attribution,source_url,area}';
  v_shown text;
  v_names text;
  v_stored text;
  v_stated text;
  v_changes text;
  v_staged text;
begin
  select string_agg(c.name, ', '), string_agg('l.' || c.name, ', '), string_agg(c.stated, ', '),
    string_agg(c.name || ' = ' || c.stated, ', '), string_agg('s.' || c.name, ', ')
  into v_names, v_stored, v_stated, v_changes, v_staged
  from (
    select quote_ident(n.name) as name,
      format(case when n.name = any (c_kept) then 'coalesce(s.%1$I, l.%1$I)' else 's.%I' end, n.name) as stated
    from unnest(p_columns) as n (name)
  ) c;
  select string_agg(format('%1$I = coalesce(private.shown_name(%1$I), %1$I)', n.name), ', ') into v_shown
  from unnest(p_columns) as n (name) where n.name in ('name', 'name_kana', 'address', 'phone');
  if v_shown is not null then
    execute format('update pg_temp.import_stage set %s', v_shown);
  end if;
  -- Rows that will change are locked first, in one order.
  execute format(
    'select from public.parking_lots l join pg_temp.import_stage s on l.source = $1 and l.external_id = s.external_id
    where (%s) is distinct from (%s) order by l.id for no key update of l', v_stored, v_stated
  ) using p_source;
  execute format(
    'with merged as (
      merge into public.parking_lots l
      using pg_temp.import_stage s on l.source = $1 and l.external_id = s.external_id
      when matched and (%s) is distinct from (%s) then update set %s
      when not matched then insert (source, status, %s) values ($1, $2, %s)
      returning merge_action() as action, l.id
    )
    insert into pg_temp.import_outcome select action, id from merged', v_stored, v_stated, v_changes, v_names, v_staged
  ) using p_source, p_status;
end
$$;

-- Writes the fields p_changes into a row that the caller has locked, or into a new one (p_before null::<table>), records
-- the act, and returns the row. Texts are written without what cannot be seen. p_action: another action than that of private.content_action. p_hashed: columns of which
-- the record has the MD5. A write that changes nothing records nothing. Errors: validation_error.
create or replace function private.save_row(
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
