-- Search by natural language: no search waits for the geocoder, and other words of a text can name its place. Guests have a
-- quota of their own. A refused request does not use up a quota.
--
-- The definitions are those of supabase/schemas after this change. The former functions of search work with them. The way back
-- is a file with the former definitions.

-- The place of a name, whole and not only its beginning; null when there is none. The nearest to the device is preferred.
-- is_ambiguous: another place has the name too, is as important, and is more than about 5 km away.
create or replace function private.place_by_name(p_text text, p_lat double precision, p_lng double precision) returns jsonb
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

drop function private.take_geocoder_turn();

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

drop function api.find_place(text, text, double precision, double precision);

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

-- Takes back one counted request of the subject.
create function private.uncount_request(p_policy text, p_subject text) returns void
language plpgsql
security definer -- as private.count_request
set search_path = ''
as $$
begin
  -- taken is one more than the quota after a rejection.
  update private.rate_limit_windows w
  set taken = greatest(0, least(w.taken, private.quota_for(p, w.subject)) - 1), day_taken = greatest(0, w.day_taken - 1)
  from private.rate_limit_policies p
  where p.name = w.policy and w.policy = p_policy and w.subject = p_subject;
end
$$;

create function api.take_request_instead(p_policy text, p_instead text, p_user_id uuid default null, p_address text default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_subject constant text := coalesce(p_user_id::text, private.network_hash(p_address));
  v_count jsonb := private.count_request(p_policy, v_subject);
begin
  if (v_count -> 'allowed')::boolean then
    perform private.uncount_request(p_instead, v_subject);
  end if;
  return v_count;
end
$$;

comment on function api.take_request_instead(text, text, uuid, text) is
  'For the service: counts a request under p_policy that is counted under p_instead, and takes that count back: of an account, or of the network of an address. Over the quota of p_policy it stays counted. Returns what api.take_request returns. It raises no errors.';

insert into private.rate_limit_policies (name, quota, daily_quota, window_seconds, comment, commands) values
  ('ai_search_guest', 10, 500, 60, 'Searches in words without an account, by network', '{}'),
  ('ai_search_refused', 60, 2000, 60, 'Searches in words that are refused with 422, instead of the policies above', '{}');
