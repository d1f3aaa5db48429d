-- Saved lots and search preferences: their interface (tables in 0810).
--
-- Saving a lot twice has one effect. Only public lots can be saved; a saved lot that is no longer public stays in the list
-- without its data. Every user reads the value of a minute of walking; premium members set it.
--
-- Invariants: those of 0810; saving a lot writes one row of activity, even if it is saved again.
-- Interface: api.list_my_saved_parking_lots, save_parking_lot, unsave_parking_lot, my_search_preferences,
-- set_my_search_preferences.

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals
-- ---------------------------------------------------------------------------------------------------------------------

create function private.saved_row(p_saved public.saved_parking_lots) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'id', (p_saved).id, 'user_id', (p_saved).user_id, 'parking_lot_id', (p_saved).parking_lot_id,
    'created_at', (p_saved).created_at
  );
end
$$;

comment on function private.saved_row(public.saved_parking_lots) is 'A saved lot as the interface shows it.';

create function private.search_preferences_of(p_user_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'is_premium', private.is_premium(p_user_id),
    'yen_per_walk_minute', private.yen_per_walk_minute(),
    'is_default', not exists (select from public.search_preferences p where p.user_id = p_user_id)
  );
end
$$;

comment on function private.search_preferences_of(uuid) is 'The search preferences of a user as the interface shows them.';

grant execute on function
  private.saved_row(public.saved_parking_lots), private.search_preferences_of(uuid)
to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface: saved lots
-- ---------------------------------------------------------------------------------------------------------------------

create function api.list_my_saved_parking_lots(
  p_limit integer default 20, p_cursor text default null, p_include text[] default '{}'
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_user_id uuid := private.active_user();
  v_filters jsonb := jsonb_build_object('list', 'my_saved_parking_lots', 'user_id', v_user_id);
  v_keys jsonb := private.page_start(v_filters, p_cursor, '{timestamptz,uuid}', 'desc');
  v_rows public.saved_parking_lots[];
begin
  perform private.page_limit(p_limit);
  select array_agg(p.saved order by (p.saved).created_at desc, (p.saved).id desc) into v_rows
  from (
    select s as saved from public.saved_parking_lots s
    where s.user_id = v_user_id
      and (s.created_at, s.id) < ((v_keys ->> 0)::timestamptz, (v_keys ->> 1)::uuid)
    order by s.created_at desc, s.id desc
    limit p_limit + 1
  ) p;
  return jsonb_build_object(
    'items', (
      select coalesce(jsonb_agg(private.saved_row(s) || jsonb_build_object('parking_lot', l.item)
        order by s.created_at desc, s.id desc), '[]')
      from unnest(v_rows[:p_limit]) as s
      left join jsonb_array_elements(
        private.search_items(array(select o.parking_lot_id from unnest(v_rows[:p_limit]) as o), null)
      ) as l (item) on (l.item ->> 'id')::uuid = s.parking_lot_id
    ),
    'next_cursor', case when cardinality(v_rows) > p_limit then private.cursor_encode(v_filters,
      jsonb_build_array(v_rows[p_limit].created_at, v_rows[p_limit].id)) end
  ) || case when 'total' = any (p_include)
    then jsonb_build_object('total', (select count(*) from public.saved_parking_lots s where s.user_id = v_user_id))
    else '{}' end;
end
$$;

comment on function api.list_my_saved_parking_lots(integer, text, text[]) is
  'The lots that the caller saved, latest first: {items, next_cursor} and total when p_include has it. Each item has its lot as parking_lot, null when it is no longer public; main_image is a storage key. Reads only. Errors: unauthorized, forbidden, validation_error.';

create function commands.save_parking_lot(p_parking_lot_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_user_id uuid := private.writing_user();
  v_saved public.saved_parking_lots;
  v_is_new boolean;
begin
  perform private.lock_public_lot(p_parking_lot_id, 'parking_lot_id');
  -- A second attempt, when the existing row was deleted in the meantime.
  loop
    insert into public.saved_parking_lots (user_id, parking_lot_id) values (v_user_id, p_parking_lot_id)
    on conflict (user_id, parking_lot_id) do nothing
    returning * into v_saved;
    v_is_new := found;
    exit when found;
    select * into v_saved from public.saved_parking_lots s
    where s.user_id = v_user_id and s.parking_lot_id = p_parking_lot_id;
    exit when found;
  end loop;
  if v_is_new then
    perform private.log_activity('lot_save', p_parking_lot_id, v_saved.id);
  end if;
  return private.saved_row(v_saved) || jsonb_build_object('is_new', v_is_new);
end
$$;

comment on function commands.save_parking_lot(uuid) is
  'Saves a public lot for the caller and returns the row, with is_new: false when it was already saved. Idempotent. Errors: unauthorized, forbidden, lot_not_found.';

create function commands.unsave_parking_lot(p_parking_lot_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_user_id uuid := private.writing_user();
begin
  -- A lot that is no longer public can still be removed from the list.
  delete from public.saved_parking_lots where user_id = v_user_id and parking_lot_id = p_parking_lot_id;
end
$$;

comment on function commands.unsave_parking_lot(uuid) is
  'Removes a lot from the caller''s saved lots. Idempotent. Errors: unauthorized, forbidden.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface: preferences
-- ---------------------------------------------------------------------------------------------------------------------

create function api.my_search_preferences() returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return private.search_preferences_of(private.active_user());
end
$$;

comment on function api.my_search_preferences() is
  'The caller''s search preferences: {is_premium, yen_per_walk_minute, is_default}; is_default: the caller has never set any. Reads only. Errors: unauthorized, forbidden.';

create function commands.set_my_search_preferences(p_yen_per_walk_minute integer) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_user_id uuid := private.writing_user();
begin
  if not private.is_premium(v_user_id) then
    perform private.raise_error('forbidden', 403, 'This requires a premium membership.', p_details => '{"reason": "premium_required"}');
  elsif p_yen_per_walk_minute is null or p_yen_per_walk_minute not between 0 and 500 then
    perform private.raise_error('validation_error', 422, 'yen_per_walk_minute must be between 0 and 500.',
      p_param => 'yen_per_walk_minute');
  end if;
  insert into public.search_preferences as p (user_id, yen_per_walk_minute) values (v_user_id, p_yen_per_walk_minute)
  on conflict (user_id) do update set yen_per_walk_minute = excluded.yen_per_walk_minute;
  return private.search_preferences_of(v_user_id);
end
$$;

comment on function commands.set_my_search_preferences(integer) is
  'Sets the value of a minute of walking, in yen, for the caller, who must be a premium member, and returns the preferences. Idempotent. Errors: unauthorized, forbidden, validation_error.';

grant execute on function
  api.list_my_saved_parking_lots(integer, text, text[]), commands.save_parking_lot(uuid), commands.unsave_parking_lot(uuid),
  api.my_search_preferences(), commands.set_my_search_preferences(integer)
to authenticated;
