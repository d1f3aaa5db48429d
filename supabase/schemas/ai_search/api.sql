-- The interface of AI search: places, keys of users, and the log.
--
-- Clients and the service call these functions. The rules are in ai_search.sql.

create function api.find_place(
  p_text text, p_geocoder text default null, p_lat double precision default null, p_lng double precision default null,
  p_others text[] default null, p_is_left_over boolean default false
) returns jsonb
language plpgsql
security definer -- no role may read or write the stored answers directly
set search_path = ''
as $$
declare
  v_text constant text := left(private.search_text(p_text), 200);
  -- One character that remained of a text is in names of lots and in answers of geocoders by chance.
  v_is_name constant boolean := not p_is_left_over or char_length(v_text) > 1;
  v_kept private.geocoded_places;
  v_place jsonb;
  v_words text := p_text;
  v_may_ask boolean;
begin
  if v_text = '' then
    return '{"place": null, "words": null, "wait_ms": null, "is_busy": false}';
  end if;
  select * into v_kept from private.geocoded_places g
  where g.geocoder = p_geocoder and g.search_text = v_text and g.found_at > now() - interval '30 days';
  if v_kept.name is not null then
    return jsonb_build_object('words', p_text, 'wait_ms', null, 'is_busy', false, 'place', jsonb_build_object(
      'name', v_kept.name, 'lat', v_kept.lat, 'lng', v_kept.lng, 'source', p_geocoder, 'is_ambiguous', false));
  end if;
  v_place := private.place_by_name(p_text, p_lat, p_lng);
  if v_place is null and v_is_name then
    v_place := private.place_by_lots(v_text, p_lat, p_lng);
  end if;
  if v_place is null then
    foreach v_words in array coalesce(p_others[:5], '{}') loop
      v_place := private.place_by_name(v_words, p_lat, p_lng);
      exit when v_place is not null;
    end loop;
  end if;
  if v_place is null then
    v_words := null;
  end if;
  v_may_ask := p_geocoder is not null and v_kept.geocoder is null and v_is_name and v_place ->> 'source' is distinct from 'places';
  if v_may_ask and private.take_geocoder_turn() then
    return jsonb_build_object('place', v_place, 'words', v_words, 'wait_ms', 0, 'is_busy', false);
  end if;
  return jsonb_build_object('place', v_place, 'words', v_words, 'wait_ms', null, 'is_busy', v_may_ask);
end
$$;

comment on function api.find_place(text, text, double precision, double precision, text[], boolean) is
  'For the service: the position of a place, if known: {place: {name, lat, lng, source, is_ambiguous, area} or null, words, wait_ms, is_busy}. source is the geocoder whose answer is stored, places or lots. words: p_text, or the one of p_others that is a place. p_is_left_over: p_text is what remained of a text. With wait_ms 0 the geocoder may be queried now, for a place that is not in places; is_busy: it would be, but others query it. It raises no errors.';

create function api.keep_place(
  p_text text, p_geocoder text, p_name text default null, p_lat double precision default null, p_lng double precision default null
) returns void
language plpgsql
security definer -- as api.find_place
set search_path = ''
as $$
begin
  insert into private.geocoded_places as g (geocoder, search_text, name, lat, lng)
  select p_geocoder, left(private.search_text(p_text), 200), left(p_name, 200), p_lat, p_lng
  where private.search_text(p_text) <> ''
  on conflict (geocoder, search_text) do update
  set name = excluded.name, lat = excluded.lat, lng = excluded.lng, found_at = excluded.found_at;
end
$$;

comment on function api.keep_place(text, text, text, double precision, double precision) is
  'For the service: stores an answer of a geocoder; without p_name the answer that there is no such place. It raises no errors.';

create function api.log_ai_request(p_user_id uuid, p_request jsonb) returns void
language plpgsql
security definer -- no role may write the log directly
set search_path = ''
as $$
begin
  insert into private.ai_requests (
    user_id, form, lang, text_length, text, outcome, parser, model, prompt_version, confidence, attempts, prompt_tokens,
    completion_tokens, cost, currency, latency_ms
  )
  select (select u.id from public.app_users u where u.id = p_user_id and u.status <> 'withdrawn'), r.form, r.lang, r.text_length, r.text,
    r.outcome, r.parser, r.model, r.prompt_version, r.confidence, coalesce(r.attempts, '[]'), coalesce(r.prompt_tokens, 0),
    coalesce(r.completion_tokens, 0), r.cost, r.currency, r.latency_ms
  from jsonb_populate_record(null::private.ai_requests, p_request) as r;
end
$$;

comment on function api.log_ai_request(uuid, jsonb) is
  'For the service: logs a search in words, with the columns of private.ai_requests. It raises no errors.';

create function api.read_ai_keys(p_user_id uuid) returns jsonb
language plpgsql stable
security definer -- as private.put_ai_key
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_object_agg(k.provider_id, s.decrypted_secret), '{}')
    from private.ai_keys k
    join public.app_users u on u.id = k.user_id and u.status = 'active'
    join vault.decrypted_secrets s on s.id = k.secret_id
    where k.user_id = p_user_id
  );
end
$$;

comment on function api.read_ai_keys(uuid) is
  'For the service: the decrypted keys of an active user by provider, for requests of this user only. It raises no errors.';

create function commands.register_ai_key(p_provider_id text, p_api_key text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_user_id uuid := private.writing_user();
begin
  if coalesce(p_provider_id, '') !~ '^[a-z0-9][a-z0-9_-]{0,39}$' then
    perform private.raise_error('validation_error', 422, 'provider_id must be 1 to 40 lower-case letters, digits, - and _.', p_param => 'provider_id');
  elsif coalesce(p_api_key, '') !~ '^[!-~]+$' or char_length(p_api_key) not between 8 and 500 then
    perform private.raise_error('validation_error', 422, 'api_key must be 8 to 500 visible ASCII characters.', p_param => 'api_key');
  end if;
  perform private.put_ai_key(v_user_id, p_provider_id, p_api_key);
  return jsonb_build_object('status', 'registered', 'provider_id', p_provider_id);
end
$$;

comment on function commands.register_ai_key(text, text) is
  'Writes the caller''s own key of an AI provider into the vault, in place of an earlier one: {status: registered, provider_id}. At most 10 keys. Errors: unauthorized, forbidden, validation_error, conflict.';

create function commands.delete_ai_key(p_provider_id text) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_user_id uuid := private.writing_user();
begin
  if not private.drop_ai_key(v_user_id, p_provider_id) then
    perform private.raise_error('not_found', 404, 'You have no key of this provider.', p_param => 'provider_id');
  end if;
end
$$;

comment on function commands.delete_ai_key(text) is
  'Deletes the caller''s key of an AI provider, also from the vault. Errors: unauthorized, forbidden, not_found.';

create function api.list_my_ai_keys() returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return jsonb_build_object('keys', private.ai_keys_of(private.active_user()));
end
$$;

comment on function api.list_my_ai_keys() is
  'The AI providers for which the caller has keys: {keys: [{provider_id, created_at, updated_at}]}; never a key. Reads only. Errors: unauthorized, forbidden.';

grant execute on function commands.register_ai_key(text, text), commands.delete_ai_key(text), api.list_my_ai_keys() to authenticated;
