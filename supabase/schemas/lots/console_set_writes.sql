-- Writes of the sets of a lot: one request replaces a set as a whole, and a stay can be priced with sets that are not
-- stored.
--
-- An item with the id of a row of the lot is that row. An item without an id is the row with the same code, date or file,
-- or the same row in every field; otherwise it is a new row. Rows without an item are deleted. Rows that do not change are
-- not written, so a repeated request changes nothing. The triggers that keep search entries and price lists run once for
-- all deletions and once for all writes.
--
-- Invariants: a set is stored completely or not at all; a rule never loses its group; the writes of a preview are rolled
-- back before its function ends, with their locks.
-- Interface: api.admin_put_parking_lot_set, api.admin_preview_parking_lot_fee, api.admin_preview_standard_stays.

-- ---------------------------------------------------------------------------------------------------------------------
-- Which row an item is
-- ---------------------------------------------------------------------------------------------------------------------

-- The items of a checked set as rows of its table, in order: {row, is_stored: the lot has the row, is_same: it does not
-- change}.
create function private.placed_items(p_lot_id uuid, p_set text, p_items jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_bounds record := private.lot_set_bounds(p_set);
  v_stored jsonb;
  v_rows jsonb;
begin
  execute format('select coalesce(jsonb_object_agg(t.id, to_jsonb(t)), ''{}'') from public.%I t where t.parking_lot_id = $1', v_bounds.table_name)
  into v_stored using p_lot_id;
  -- A rule without an order takes precedence over those that follow it.
  execute format('select coalesce(jsonb_agg(to_jsonb(jsonb_populate_record(
      null::public.%I, jsonb_build_object(''rule_order'', i.nth) || $2 || i.value || $3)) order by i.nth), ''[]'')
    from jsonb_array_elements($1) with ordinality as i (value, nth)', v_bounds.table_name)
  into v_rows using p_items, v_bounds.defaults, jsonb_build_object('parking_lot_id', p_lot_id);
  return (
    with given as (
      select r.nth, r.value as content, r.value ->> 'id' as id, k.key, row_number() over (partition by r.value ->> 'id', k.key order by r.nth) as copy
      from jsonb_array_elements(v_rows) with ordinality as r (value, nth)
      cross join lateral (select coalesce(r.value -> v_bounds.key_field, r.value - 'id') as key) k
    ), stored as (
      select s.key as id, k.key, row_number() over (partition by k.key order by s.key) as copy
      from jsonb_each(v_stored) as s
      cross join lateral (select coalesce(s.value -> v_bounds.key_field, s.value - 'id') as key) k
      where not exists (select from given g where g.id = s.key)
    ), placed as (
      select g.nth, g.content || jsonb_build_object('id', coalesce(g.id, s.id, gen_random_uuid()::text)) as content
      from given g left join stored s on g.id is null and s.key = g.key and s.copy = g.copy
    )
    select coalesce(jsonb_agg(jsonb_build_object(
      'row', p.content, 'is_stored', v_stored ? (p.content ->> 'id'), 'is_same', coalesce(v_stored -> (p.content ->> 'id') = p.content, false)
    ) order by p.nth), '[]')
    from placed p
  );
end
$$;

-- Checks that items can be rows of the lot. Errors: validation_error for the id of another lot's row or an unknown
-- pricing group, conflict when a group is removed that rules use.
create function private.check_placed_items(p_lot_id uuid, p_set text, p_placed jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_field text;
  v_nth bigint;
begin
  execute format('select min(i.nth) - 1 from jsonb_array_elements($1) with ordinality as i (item, nth)
    join public.%I t on t.id = (i.item #>> ''{row,id}'')::uuid where t.parking_lot_id <> $2', (private.lot_set_bounds(p_set)).table_name)
  into v_nth using p_placed, p_lot_id;
  v_field := 'id';
  if v_nth is null and p_set = 'pricing_rules' then
    select min(i.nth) - 1, 'pricing_group_id' into v_nth, v_field
    from jsonb_array_elements(p_placed) with ordinality as i (item, nth)
    where i.item #>> '{row,pricing_group_id}' is not null and not exists (
      select from public.pricing_groups g
      where g.id = (i.item #>> '{row,pricing_group_id}')::uuid and g.parking_lot_id = p_lot_id
    );
  end if;
  if v_nth is not null then
    perform private.raise_error('validation_error', 422,
      case v_field when 'id' then 'Another lot has an item with this id. Leave the id out.' else 'The lot has no such pricing group.' end,
      p_param => format('%s.%s.%s', p_set, v_nth, v_field));
  end if;
  if p_set = 'pricing_groups' and exists (
    select from public.pricing_rules r
    where r.parking_lot_id = p_lot_id and r.pricing_group_id is not null
      and not p_placed @> jsonb_build_array(jsonb_build_object('row', jsonb_build_object('id', r.pricing_group_id)))
  ) then
    perform private.raise_error('conflict', 409, 'Pricing rules use a group that would be deleted. Change the pricing rules first.',
      p_param => 'pricing_groups', p_details => '{"reason": "pricing_group_in_use"}');
  end if;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Storing
-- ---------------------------------------------------------------------------------------------------------------------

-- Makes the rows of a set equal to the result of private.placed_items; rows that do not change are not written.
create function private.store_rows(p_lot_id uuid, p_set text, p_placed jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_table constant text := (private.lot_set_bounds(p_set)).table_name;
  -- A group is updated, because rules refer to it. Other rows that change are deleted and written again, so that codes can
  -- be exchanged.
  v_is_updated constant boolean := p_set = 'pricing_groups';
  v_written jsonb;
begin
  execute format('delete from public.%I where parking_lot_id = $1 and id <> all ($2)', v_table) using p_lot_id, array(
    select (i.item #>> '{row,id}')::uuid from jsonb_array_elements(p_placed) as i (item)
    where i.item @> '{"is_same": true}' or (v_is_updated and i.item @> '{"is_stored": true}')
  );
  if v_is_updated then
    select jsonb_agg(i.item -> 'row') into v_written from jsonb_array_elements(p_placed) as i (item)
    where i.item @> '{"is_stored": true, "is_same": false}';
    -- First to temporary values, because codes and the default are unique.
    update public.pricing_groups g set code = '~' || g.id, is_default = false
    from jsonb_populate_recordset(null::public.pricing_groups, v_written) w
    where g.id = w.id and (g.code, g.is_default) <> (w.code, w.is_default);
    update public.pricing_groups g
    set code = w.code, name = w.name, is_default = w.is_default, display_order = w.display_order, vehicle_types = w.vehicle_types,
      free_while_closed = w.free_while_closed
    from jsonb_populate_recordset(null::public.pricing_groups, v_written) w
    where g.id = w.id;
  end if;
  select jsonb_agg(i.item -> 'row') into v_written from jsonb_array_elements(p_placed) as i (item)
  where case when v_is_updated then i.item @> '{"is_stored": false}' else i.item @> '{"is_same": false}' end;
  if v_written is not null then
    execute format('insert into public.%1$I select r.* from jsonb_populate_recordset(null::public.%1$I, $1) r', v_table) using v_written;
  end if;
end
$$;

-- Replaces the tags of a lot by these. Errors: validation_error.
create function private.store_tags(p_lot_id uuid, p_items jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_nth bigint;
begin
  select min(i.nth) - 1 into v_nth from jsonb_array_elements(p_items) with ordinality as i (value, nth)
  where not exists (select from public.tags t where t.id = (i.value ->> 'tag_id')::uuid);
  if v_nth is not null then
    perform private.raise_error('validation_error', 422, 'There is no such tag.', p_param => format('tags.%s.tag_id', v_nth));
  end if;
  delete from public.parking_lot_tags lt
  where lt.parking_lot_id = p_lot_id
    and lt.tag_id <> all (array(select (i ->> 'tag_id')::uuid from jsonb_array_elements(p_items) as i));
  insert into public.parking_lot_tags as lt (parking_lot_id, tag_id, state)
  select p_lot_id, (i ->> 'tag_id')::uuid, case when i ? 'state' then (i ->> 'state')::boolean else true end
  from jsonb_array_elements(p_items) as i
  on conflict (parking_lot_id, tag_id) do update set state = excluded.state where lt.state is distinct from excluded.state;
end
$$;

-- Attaches the files of these images to the lot. Raises validation_error for a file that the administrator did not upload
-- for a lot, that is not checked, or that is used elsewhere.
create function private.claim_images(p_admin_id uuid, p_lot_id uuid, p_items jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_nth bigint;
begin
  -- An unused upload of the administrator becomes a file of the lot, and is published.
  update public.assets a
  set entity_type = 'parking_lot', entity_id = p_lot_id, attached_at = clock_timestamp(),
    published_at = coalesce(a.published_at, clock_timestamp())
  where a.id = any (array(select (i ->> 'asset_id')::uuid from jsonb_array_elements(p_items) as i))
    and a.created_by = p_admin_id and a.category = 'parking_lot' and a.status = 'placed' and a.deleted_at is null
    and a.attached_at is null and a.storage_key not like 'private/%';
  select min(i.nth) - 1 into v_nth
  from jsonb_array_elements(p_items) with ordinality as i (value, nth)
  where not exists (
    select from public.assets a
    where a.id = (i.value ->> 'asset_id')::uuid and a.category = 'parking_lot' and a.status = 'placed' and a.deleted_at is null
      and a.attached_at is not null and a.storage_key not like 'private/%'
      -- Of this lot, or without an entity, as an importer writes it.
      and (a.entity_id is null or (a.entity_type, a.entity_id) = ('parking_lot', p_lot_id))
  ) and not exists (
    select from public.parking_lot_images m where m.parking_lot_id = p_lot_id and m.asset_id = (i.value ->> 'asset_id')::uuid
  );
  if v_nth is not null then
    perform private.raise_error('validation_error', 422,
      'Must be a file of the lot, or your own unused public upload of the category parking_lot.',
      p_param => format('images.%s.asset_id', v_nth));
  end if;
end
$$;

-- The rates of a lot that never apply, because other rules take precedence at all times of all kinds of days of their dates.
create function private.idle_rules(p_lot_id uuid) returns uuid[]
language plpgsql stable
security definer -- compiled price lists are private; returns only ids of the lot's own rules, to the service
set search_path = ''
as $$
begin
  return array(
    select (t.tariff).rule_ids[r.nth]
    from private.tariffs t
    cross join lateral generate_subscripts((t.tariff).families, 1) as r (nth)
    where t.parking_lot_id = p_lot_id and (t.tariff).families[r.nth] = 'rate'
      and r.nth <> all (coalesce((t.tariff).edge_rules || (t.tariff).next_rates, '{}'))
  );
end
$$;

-- Checks a set of a lot that the caller has locked, and stores it. Errors: validation_error (param: place and field),
-- conflict.
create function private.store_set(p_admin_id uuid, p_lot_id uuid, p_set text, p_items jsonb) returns void
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

-- A set of a lot in the form of an activity record.
create function private.lot_set_json(p_lot_id uuid, p_set text) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(i.item - '{storage_key,is_public,name,slug}'::text[]
      || case when p_set = 'pricing_groups' then jsonb_build_object('name', i.item -> 'name') else '{}' end order by i.nth), '[]')
    from jsonb_array_elements(private.console_lot_json(p_lot_id) -> p_set) with ordinality as i (item, nth)
  );
end
$$;

create function api.admin_put_parking_lot_set(
  p_admin_id uuid, p_parking_lot_id uuid, p_set text, p_items jsonb, p_if_match text default null, p_reason text default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_reason text;
  v_old jsonb;
  v_new jsonb;
begin
  perform private.lock_admin(p_admin_id, 'lots');
  if (private.lot_set_bounds(p_set)).table_name is null then
    perform private.raise_error('validation_error', 422, 'Must be the name of a set of a lot, for example windows.', p_param => 'set');
  end if;
  if p_set = 'images' then
    perform private.check_set_items(p_set, p_items);
    perform private.lock_lot_assets(p_parking_lot_id, array(select (i ->> 'asset_id')::uuid from jsonb_array_elements(p_items) as i));
  end if;
  perform private.locked_lot(p_parking_lot_id, p_if_match);
  v_reason := private.decision_reason(p_reason);
  v_old := private.lot_set_json(p_parking_lot_id, p_set);
  perform private.store_set(p_admin_id, p_parking_lot_id, p_set, p_items);
  v_new := private.lot_set_json(p_parking_lot_id, p_set);
  if v_new <> v_old then
    update public.parking_lots set updated_at = now() where id = p_parking_lot_id;
    perform private.record_act(p_admin_id, 'parking_lot.update', 'parking_lot', p_parking_lot_id::text, null,
      jsonb_build_object(p_set, jsonb_build_object('old', v_old, 'new', v_new))
        || case when v_reason is null then '{}' else jsonb_build_object('reason', v_reason) end);
  end if;
  return private.console_lot_json(p_parking_lot_id);
end
$$;

comment on function api.admin_put_parking_lot_set(uuid, uuid, text, jsonb, text, text) is
  'Replaces a set of a lot (spots, pricing_groups, pricing_rules, windows, date_overrides, tags, images) by p_items: private.console_lot_json, with its new updated_at. Idempotent. Recorded with the old and the new set and p_reason (up to 500 characters), unless nothing changes. For administrators with the area lots. Errors: forbidden, lot_not_found, precondition_failed, validation_error, conflict.';

create function api.admin_preview_parking_lot_fee(
  p_admin_id uuid, p_parking_lot_id uuid, p_entry_at timestamptz, p_exit_at timestamptz, p_vehicle_type text default 'standard',
  p_pricing_groups jsonb default null, p_pricing_rules jsonb default null, p_windows jsonb default null, p_date_overrides jsonb default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_answer jsonb;
  v_refusal jsonb;
begin
  perform private.lock_admin(p_admin_id, 'lots');
  perform private.check_vehicle_type(p_vehicle_type);
  -- The sets are stored, the stay is priced by the usual functions, and all of it is rolled back, with its locks.
  begin
    perform from public.parking_lots where id = p_parking_lot_id for no key update;
    if not found then
      perform private.reject_missing_lot();
    end if;
    if p_pricing_groups is not null and p_pricing_rules is not null then
      delete from public.pricing_rules where parking_lot_id = p_parking_lot_id;
    end if;
    perform private.store_set(p_admin_id, p_parking_lot_id, s.name, s.items)
    from (values
      ('pricing_groups', p_pricing_groups), ('pricing_rules', p_pricing_rules), ('windows', p_windows), ('date_overrides', p_date_overrides)
    ) as s (name, items)
    where s.items is not null;
    select f.answer::jsonb, f.refusal into v_answer, v_refusal
    from private.explained_fee(p_parking_lot_id, p_vehicle_type, p_entry_at, p_exit_at) f;
    raise exception using errcode = 'UNDO0';
  exception when sqlstate 'UNDO0' then
    null;
  end;
  if v_refusal is not null then
    perform private.raise_error('fee_unknown', 422, 'The fee for this stay is not known. See details.reason.', p_details => v_refusal - 'code');
  end if;
  return v_answer;
end
$$;

comment on function api.admin_preview_parking_lot_fee(uuid, uuid, timestamptz, timestamptz, text, jsonb, jsonb, jsonb, jsonb) is
  'The fee of a stay at a lot of any status if these sets were stored in place of its own: as api.calculate_fee. Stores and records nothing. For administrators with the area lots. Errors: forbidden, lot_not_found, validation_error, conflict, fee_unknown.';

-- The eight stays by which tariffs are compared, at a lot's own clock. Their days are the next Wednesday that is neither a
-- holiday nor an eve, and the next Saturday and Sunday that are no holidays. The last one is the next holiday from Monday to
-- Friday; without one, Sunday.
create function private.standard_stays(p_time_zone text, p_holiday_calendar text)
returns table (place integer, name text, entry_at timestamptz, exit_at timestamptz)
language plpgsql stable
set search_path = ''
as $$
begin
  return query
  with days as (
    select d as day, extract(isodow from d)::integer as dow,
      d = any (h.dates) as is_holiday, d + 1 = any (h.dates) as is_eve
    from (select (now() at time zone p_time_zone)::date as today) t
    cross join lateral (select private.holidays_between(p_holiday_calendar, t.today, t.today + 401) as dates offset 0) h
    cross join generate_series(1, 400) n
    cross join lateral (select t.today + n as d) s
  ), kinds as (
    select min(day) filter (where dow = 3 and not is_holiday and not is_eve) as weekday,
      min(day) filter (where dow = 6 and not is_holiday) as saturday,
      min(day) filter (where dow = 7 and not is_holiday) as sunday,
      min(day) filter (where dow < 6 and is_holiday) as holiday
    from days
  )
  select s.place, s.name, s.entry, s.entry + s.length
  from kinds k
  cross join lateral (values
    (1, 'hour', k.weekday + time '10:00', interval '1 hour'),
    (2, 'three_hours', k.weekday + time '10:00', interval '3 hours'),
    (3, 'day', k.weekday + time '08:00', interval '12 hours'),
    (4, 'night', k.weekday + time '20:00', interval '12 hours'),
    (5, 'day_and_night', k.weekday + time '10:00', interval '25 hours 30 minutes'),
    (6, 'saturday', k.saturday + time '10:00', interval '8 hours'),
    (7, 'sunday_night', k.sunday + time '21:00', interval '21 hours 30 minutes'),
    (8, 'holiday', coalesce(k.holiday, k.sunday) + time '10:00', interval '6 hours')
  ) v (place, name, wall, length)
  cross join lateral (select v.place, v.name, v.wall at time zone p_time_zone as entry, v.length) s;
end
$$;

create function api.admin_preview_standard_stays(
  p_admin_id uuid, p_parking_lot_id uuid, p_pricing_rules jsonb default null, p_vehicle_type text default 'standard'
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_lot record;
  v_stays jsonb;
begin
  perform private.lock_admin(p_admin_id, 'lots');
  perform private.check_vehicle_type(p_vehicle_type);
  if p_parking_lot_id is null then
    return '{"currency": null, "stays": null}';
  end if;
  -- As in admin_preview_parking_lot_fee: the rules are stored, the stays are priced, and all of it is rolled back.
  begin
    select l.time_zone, l.holiday_calendar, l.currency into v_lot
    from public.parking_lots l where l.id = p_parking_lot_id for no key update;
    if not found then
      perform private.reject_missing_lot();
    end if;
    if p_pricing_rules is not null then
      perform private.store_set(p_admin_id, p_parking_lot_id, 'pricing_rules', p_pricing_rules);
    end if;
    select jsonb_agg(jsonb_build_object(
        'name', s.name, 'entry_at', s.entry_at, 'exit_at', s.exit_at,
        'total_amount', f.answer -> 'total_amount', 'reason', f.refusal -> 'reason'
      ) order by s.place) into v_stays
    from private.standard_stays(v_lot.time_zone, v_lot.holiday_calendar) s
    cross join lateral private.explained_fee(p_parking_lot_id, p_vehicle_type, s.entry_at, s.exit_at) f;
    raise exception using errcode = 'UNDO0';
  exception when sqlstate 'UNDO0' then
    null;
  end;
  return jsonb_build_object('currency', v_lot.currency, 'stays', v_stays);
end
$$;

comment on function api.admin_preview_standard_stays(uuid, uuid, jsonb, text) is
  'The fees of eight stays at a lot of any status, by its rules or by p_pricing_rules in their place: {currency, stays: [{name, entry_at, exit_at, total_amount, reason}]}, the amount in minor units, or null with the reason of fee_unknown. Without a lot both are null. Stores and records nothing. For administrators with the area lots. Errors: forbidden, lot_not_found, validation_error, conflict.';
