-- Search presets: searches that a user stores by name.
--
-- A preset has a SearchQueryV1; a client runs the default preset when it starts. A query is checked like a search
-- (search/conditions.sql), except that radius_m and the order distance do not need a center yet. A short list with a
-- default, by the triggers of vehicles/short_lists.sql. A deleted preset stays as an empty row for 30 days, and all but
-- the latest twenty of a user are deleted at once.
--
-- Invariants: at most twenty presets per user, exactly one of them the default if there are any. Readers see a change of
-- the default as one step. Users read only their own. A stored query is valid.
-- Interface: api.list_my_search_presets, create_my_search_preset, update_my_search_preset, delete_my_search_preset,
-- set_default_search_preset. They call private.preset_page, create_preset, update_preset, delete_preset and
-- set_default_preset, which act for a given user with the rights of their caller. Row security limits a user to their own
-- presets; the functions of administrators (vehicles/console.sql) call them as the service, for any app user.

-- ---------------------------------------------------------------------------------------------------------------------
-- Validation of presets
-- ---------------------------------------------------------------------------------------------------------------------

-- Removes name and query of a deleted preset: they often show where a user lives or works.
create function private.tg_search_presets__empty() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.is_default := false;
  new.name := '';
  new.query_json := '{}';
  return new;
end
$$;

-- Checks the fields of a preset; its query must be a SearchQueryV1. Errors: validation_error.
create function private.check_preset(p_name text, p_query_json jsonb, p_sort_order integer) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_key text;
  v_error text;
begin
  perform private.check_fields('public.search_presets', jsonb_build_object('name', coalesce(private.trimmed(p_name), ''), 'query_json', p_query_json)
    || jsonb_strip_nulls(jsonb_build_object('sort_order', p_sort_order)), '{name,query_json,sort_order}',
    p_rules => '{"query_json": {"type": "object"}}', p_before => '{"deleted_at": null}');
  for v_key, v_error in select q.key, private.search_query_error(q.key, q.value) from jsonb_each(p_query_json) as q loop
    if v_error is not null then
      perform private.raise_error('validation_error', 422, v_error, p_param => 'query_json.' || v_key);
    end if;
  end loop;
  if p_query_json ? 'vehicle' then
    perform private.check_measures(p_query_json -> 'vehicle', 'query_json.vehicle');
  end if;
  if (p_query_json ->> 'price_min')::numeric > (p_query_json ->> 'price_max')::numeric then
    perform private.raise_error('validation_error', 422, 'price_min must not be greater than price_max.', p_param => 'query_json.price_min');
  end if;
end
$$;

-- A preset as the interface shows it.
create function private.preset_row(p_preset public.search_presets) returns jsonb
language sql stable
return jsonb_build_object(
  'id', (p_preset).id, 'user_id', (p_preset).user_id, 'name', (p_preset).name, 'query_json', (p_preset).query_json,
  'is_default', (p_preset).is_default, 'sort_order', (p_preset).sort_order, 'created_at', (p_preset).created_at,
  'updated_at', (p_preset).updated_at
);

-- ---------------------------------------------------------------------------------------------------------------------
-- The presets of a user, for users and administrators
-- ---------------------------------------------------------------------------------------------------------------------

-- A user's preset; the user's presets are locked until the transaction ends. Errors: forbidden, not_found.
create function private.locked_preset(p_user_id uuid, p_id uuid) returns public.search_presets
language plpgsql
set search_path = ''
as $$
declare
  v_preset public.search_presets;
begin
  perform private.lock_account(p_user_id);
  select * into v_preset from public.search_presets s
  where s.id = p_id and s.user_id = p_user_id and s.deleted_at is null;
  if not found then
    perform private.raise_error('not_found', 404, 'There is no preset with this id.', p_param => 'id');
  end if;
  return v_preset;
end
$$;

-- A user's presets by sort_order, then age: {items, next_cursor}, and total when p_include has it. Errors:
-- validation_error.
create function private.preset_page(p_user_id uuid, p_limit integer, p_cursor text, p_include text[]) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters jsonb := jsonb_build_object('list', 'search_presets', 'user_id', p_user_id);
  v_keys jsonb := private.page_start(v_filters, p_cursor, '{integer,timestamptz,uuid}', 'asc');
begin
  perform private.page_limit(p_limit);
  return private.page(v_filters, (
    select jsonb_agg(private.preset_row(p.preset) order by (p.preset).sort_order, (p.preset).created_at, (p.preset).id)
    from (
      select s as preset from public.search_presets s
      where s.user_id = p_user_id and s.deleted_at is null
        and (s.sort_order, s.created_at, s.id)
          > ((v_keys ->> 0)::integer, (v_keys ->> 1)::timestamptz, (v_keys ->> 2)::uuid)
      order by s.sort_order, s.created_at, s.id
      limit p_limit + 1
    ) p
  ), '{sort_order,created_at,id}', p_limit, case when 'total' = any (p_include) then (
    select count(*) from public.search_presets s where s.user_id = p_user_id and s.deleted_at is null
  ) end);
end
$$;

-- Creates a preset of a user, by default at the end of the list (p_sort_order); the first is the default. Errors:
-- forbidden, validation_error, conflict.
create function private.create_preset(
  p_user_id uuid, p_name text, p_query_json jsonb, p_is_default boolean, p_sort_order integer
) returns public.search_presets
language plpgsql
set search_path = ''
as $$
declare
  v_count integer;
  v_last integer;
  v_preset public.search_presets;
begin
  perform private.check_preset(p_name, p_query_json, p_sort_order);
  perform private.lock_account(p_user_id);
  select count(*), max(s.sort_order) into v_count, v_last
  from public.search_presets s where s.user_id = p_user_id and s.deleted_at is null;
  if v_count >= 20 then
    perform private.raise_error('conflict', 409, 'There are already twenty presets. Delete one first.',
      p_details => '{"reason": "limit_reached", "limit": 20}');
  end if;
  insert into public.search_presets (user_id, name, query_json, is_default, sort_order)
  values (
    p_user_id, private.trimmed(p_name), p_query_json, coalesce(p_is_default, false),
    coalesce(p_sort_order, least(coalesce(v_last + 1, 0), 1000000))
  )
  returning * into v_preset;
  return v_preset;
end
$$;

-- Changes the fields of a user's preset that are not null. Errors: forbidden, validation_error, not_found.
create function private.update_preset(p_user_id uuid, p_id uuid, p_name text, p_query_json jsonb, p_sort_order integer)
returns public.search_presets
language plpgsql
set search_path = ''
as $$
declare
  v_preset public.search_presets := private.locked_preset(p_user_id, p_id);
begin
  perform private.check_preset(
    coalesce(p_name, v_preset.name), coalesce(p_query_json, v_preset.query_json), p_sort_order
  );
  update public.search_presets s
  set name = coalesce(private.trimmed(p_name), s.name), query_json = coalesce(p_query_json, s.query_json),
    sort_order = coalesce(p_sort_order, s.sort_order)
  where s.id = p_id and s.user_id = p_user_id
  returning * into v_preset;
  return v_preset;
end
$$;

-- Deletes a user's preset; its row stays, empty. If it was the default, the first of the others becomes it. Errors:
-- forbidden, not_found.
create function private.delete_preset(p_user_id uuid, p_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.locked_preset(p_user_id, p_id);
  update public.search_presets set deleted_at = now() where id = p_id and user_id = p_user_id;
end
$$;

-- Makes a user's preset the default, instead of the other. Errors: forbidden, not_found.
create function private.set_default_preset(p_user_id uuid, p_id uuid) returns public.search_presets
language plpgsql
set search_path = ''
as $$
declare
  v_preset public.search_presets := private.locked_preset(p_user_id, p_id);
begin
  if not v_preset.is_default then
    update public.search_presets set is_default = true where id = p_id and user_id = p_user_id returning * into v_preset;
  end if;
  return v_preset;
end
$$;

grant execute on function
  private.check_preset(text, jsonb, integer), private.preset_row(public.search_presets),
  private.locked_preset(uuid, uuid), private.preset_page(uuid, integer, text, text[]),
  private.create_preset(uuid, text, jsonb, boolean, integer),
  private.update_preset(uuid, uuid, text, jsonb, integer), private.delete_preset(uuid, uuid),
  private.set_default_preset(uuid, uuid)
to authenticated;
