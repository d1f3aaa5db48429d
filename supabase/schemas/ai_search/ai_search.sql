-- AI search: the stored data of the function `search`. Places of geocoders, the log of requests, users' own keys.
--
-- Places. An answer of a geocoder is kept for 30 days by its text (private.search_text), also the answer that there is no
-- such place. The whole service sends a public geocoder one request a second: private.geocoder_turns assigns the seconds, and
-- no search waits for one. A place is searched by name (private.find_places) and then in the names of lots.
--
-- Log. private.ai_requests has a row for each search: the parser that answered, the outcome of each model, tokens, cost,
-- time. No text unless the setting AI_LOG_TEXT is on; then for 30 days.
--
-- Keys. A user may have their own key for each AI provider, in the vault. No client reads it, and only the user's own
-- requests are sent with it. It is deleted with its row: when it is replaced or deleted, or with the account.
--
-- Interface, for the service: api.find_place, api.keep_place, api.log_ai_request, api.read_ai_keys. For users:
-- commands.register_ai_key, commands.delete_ai_key, api.list_my_ai_keys.

-- ---------------------------------------------------------------------------------------------------------------------
-- Keys
-- ---------------------------------------------------------------------------------------------------------------------

-- Deletes a key from the vault with its row.
create function private.tg_ai_keys__delete_secret() returns trigger
language plpgsql
security definer -- no role may write the vault directly
set search_path = ''
as $$
begin
  delete from vault.secrets where id = old.secret_id;
  return null;
end
$$;

-- Writes a user's key into the vault, in place of an earlier one. The caller has locked the account. Errors: conflict.
create function private.put_ai_key(p_user_id uuid, p_provider_id text, p_api_key text) returns void
language plpgsql
security definer -- as above
set search_path = ''
as $$
declare
  v_secret_id uuid;
begin
  select k.secret_id into v_secret_id from private.ai_keys k where k.user_id = p_user_id and k.provider_id = p_provider_id;
  if found then
    perform vault.update_secret(v_secret_id, p_api_key);
    update private.ai_keys k set updated_at = now() where k.user_id = p_user_id and k.provider_id = p_provider_id;
  elsif (select count(*) from private.ai_keys k where k.user_id = p_user_id) >= 10 then
    perform private.raise_error('conflict', 409, 'At most 10 keys are allowed. Delete one first.', p_param => 'provider_id',
      p_details => '{"reason": "too_many_keys", "limit": 10}');
  else
    insert into private.ai_keys (user_id, provider_id, secret_id)
    values (p_user_id, p_provider_id, vault.create_secret(p_api_key, format('ai_key:%s:%s', p_user_id, p_provider_id)));
  end if;
end
$$;

-- Removes a user's key; false when there is none.
create function private.drop_ai_key(p_user_id uuid, p_provider_id text) returns boolean
language plpgsql
security definer -- as above
set search_path = ''
as $$
begin
  delete from private.ai_keys k where k.user_id = p_user_id and k.provider_id = p_provider_id;
  return found;
end
$$;

-- The providers for which a user has keys, without the keys.
create function private.ai_keys_of(p_user_id uuid) returns jsonb
language plpgsql stable
security definer -- as above
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'provider_id', k.provider_id, 'created_at', k.created_at, 'updated_at', k.updated_at
    ) order by k.provider_id), '[]')
    from private.ai_keys k where k.user_id = p_user_id
  );
end
$$;

grant execute on function
  private.put_ai_key(uuid, text, text), private.drop_ai_key(uuid, text), private.ai_keys_of(uuid)
to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Places
-- ---------------------------------------------------------------------------------------------------------------------

-- The place of a name, whole and not only its beginning; null when there is none. The nearest to the device is preferred.
-- is_ambiguous: another place has the name too, is as important, and is more than about 5 km away.
create function private.place_by_name(p_text text, p_lat double precision, p_lng double precision) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    with found as materialized (
      select * from private.find_places(p_text, p_lat, p_lng, 20, false) with ordinality as n (
        id, kind, name, name_en, area, area_en, lat, lng, radius_m, score, importance, match, place)
    )
    select jsonb_build_object('name', case when b.kind in ('municipality', 'town') then b.area || b.name else b.name end,
      'area', split_part(b.area, ' · ', 1), 'lat', b.lat, 'lng', b.lng, 'source', 'places', 'is_ambiguous', exists (
        select from found o where o.importance >= b.importance - 15
          and power(o.lat - b.lat, 2) + power((o.lng - b.lng) * cos(radians(b.lat)), 2) > power(0.05, 2)))
    from found b where b.place = 1
  );
end
$$;

-- The middle of nearby lots whose name or address contains a text, near the device if its position is known; null when
-- there are none.
create function private.place_by_lots(p_text text, p_lat double precision, p_lng double precision) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_lots record;
begin
  -- At most 200 lots of the name: the middle of those that are near the nearest one. As literals, so that the planner knows
  -- how common the terms are.
  execute format(
    'select array_agg(e.lat) as lats, array_agg(e.lng) as lngs from (
      select s.lat, s.lng from private.search_entries s where s.terms @> %L::text[] and strpos(s.document, %L) > 0 limit 200
    ) e', private.keyword_terms(p_text), p_text
  ) into v_lots;
  if v_lots.lats is null then
    return null;
  end if;
  return (
    with lot as (
      select a.lat, a.lng, power(a.lat - coalesce(p_lat, m.lat), 2) + power(a.lng - coalesce(p_lng, m.lng), 2) as away
      from unnest(v_lots.lats, v_lots.lngs) as a (lat, lng)
      cross join (
        select percentile_cont(0.5) within group (order by b.lat) as lat, percentile_cont(0.5) within group (order by b.lng) as lng
        from unnest(v_lots.lats, v_lots.lngs) as b (lat, lng)
      ) m
    ), first as (
      select f.lat, f.lng from lot f order by f.away, f.lat limit 1
    )
    select jsonb_build_object('name', p_text, 'lat', avg(n.lat), 'lng', avg(n.lng), 'source', 'lots',
      'is_ambiguous', count(*) < cardinality(v_lots.lats))
    -- 0.02 degrees are about 2 km.
    from first f join lot n on abs(n.lat - f.lat) < 0.02 and abs(n.lng - f.lng) < 0.02
  );
end
$$;

-- Whether a request may be sent to the geocoder now. No search waits for its turn.
create function private.take_geocoder_turn() returns boolean
language plpgsql
set search_path = ''
as $$
begin
  update private.geocoder_turns t set next_at = clock_timestamp() + interval '1 second'
  where t.next_at <= clock_timestamp();
  return found;
end
$$;
