-- The interface of the community: reviews, ratings, saved lots, votes on fields, occupancy and error reports of users.
--
-- Clients and the service call these functions. The rules are in error_reports.sql, field_provenance.sql,
-- field_values.sql, occupancy.sql, ratings.sql, reviews.sql and saved_lots.sql.

-- ---------------------------------------------------------------------------------------------------------------------
-- Reviews
-- ---------------------------------------------------------------------------------------------------------------------

create function api.list_parking_lot_reviews(
  p_parking_lot_id uuid,
  p_limit integer default 20,
  p_cursor text default null,
  p_include text[] default '{}'
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters jsonb := jsonb_build_object('list', 'parking_lot_reviews', 'parking_lot_id', p_parking_lot_id);
  v_keys jsonb := private.page_start(v_filters, p_cursor, '{timestamptz,uuid}', 'desc');
  v_rows public.reviews[];
  v_histogram jsonb;
begin
  perform private.optional_user();
  perform private.page_limit(p_limit);
  perform private.require_public_lot(p_parking_lot_id);

  select array_agg(p.review order by (p.review).created_at desc, (p.review).id desc) into v_rows
  from (
    select r as review from public.reviews r
    where r.parking_lot_id = p_parking_lot_id and r.status = 'approved'
      and (r.created_at, r.id) < ((v_keys ->> 0)::timestamptz, (v_keys ->> 1)::uuid)
    order by r.created_at desc, r.id desc
    limit p_limit + 1
  ) p;
  v_histogram := private.rating_histogram(p_parking_lot_id);

  return jsonb_build_object(
    'items', (
      select coalesce(jsonb_agg(private.review_row(r) || jsonb_build_object(
        'user_id', a.user_id, 'user_name', a.user_name, 'photos', coalesce(f.photos, '[]')
      ) order by r.created_at desc, r.id desc), '[]')
      from unnest(v_rows[:p_limit]) as r
      join private.review_authors(array(select o.id from unnest(v_rows[:p_limit]) as o)) as a on a.review_id = r.id
      left join private.review_photos(array(select o.id from unnest(v_rows[:p_limit]) as o)) as f on f.review_id = r.id
    ),
    'next_cursor', case when cardinality(v_rows) > p_limit then private.cursor_encode(v_filters,
      jsonb_build_array(v_rows[p_limit].created_at, v_rows[p_limit].id)) end,
    'rating_histogram', v_histogram
  ) || case when 'total' = any (p_include)
    then jsonb_build_object('total', (select sum(n.value::integer) from jsonb_each_text(v_histogram) as n))
    else '{}' end;
end
$$;

comment on function api.list_parking_lot_reviews(uuid, integer, text, text[]) is
  'A lot''s approved reviews, newest first: {items, next_cursor, rating_histogram} and total when p_include has it. user_id is null and user_name a neutral word for an author without a public name; photos are storage keys. Reads only. Errors: forbidden, validation_error, lot_not_found.';

create function commands.post_review(
  p_parking_lot_id uuid, p_rating integer, p_comment text default null, p_photo_asset_ids uuid[] default '{}'
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_user_id uuid := private.writing_user();
  v_review public.reviews;
begin
  perform private.lock_public_lot(p_parking_lot_id);
  insert into public.reviews (parking_lot_id, user_id, rating, comment)
  values (p_parking_lot_id, v_user_id, p_rating, private.trimmed(p_comment))
  on conflict (parking_lot_id, user_id) do nothing
  returning * into v_review;
  if not found then
    perform private.raise_error('conflict', 409, 'You have already reviewed this lot. Edit that review.',
      p_details => '{"reason": "already_reviewed"}');
  end if;
  perform private.put_review_photos(v_review.id, p_photo_asset_ids);
  perform private.on_review_posted(v_review.id);
  return private.review_with_photos(v_review);
end
$$;

comment on function commands.post_review(uuid, integer, text, uuid[]) is
  'Posts the caller''s review of a lot, pending, with up to four photos, and returns it. A user has one review per lot. Errors: unauthorized, forbidden, validation_error, lot_not_found, not_found, conflict.';

create function api.list_my_reviews(
  p_limit integer default 20, p_cursor text default null, p_include text[] default '{}'
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_user_id uuid := private.active_user();
  v_filters jsonb := jsonb_build_object('list', 'my_reviews', 'user_id', v_user_id);
  v_keys jsonb := private.page_start(v_filters, p_cursor, '{timestamptz,uuid}', 'desc');
begin
  perform private.page_limit(p_limit);
  return private.page(v_filters, (
    with page as (
      select r as review from public.reviews r
      where r.user_id = v_user_id
        and (r.created_at, r.id) < ((v_keys ->> 0)::timestamptz, (v_keys ->> 1)::uuid)
      order by r.created_at desc, r.id desc
      limit p_limit + 1
    )
    select jsonb_agg(private.review_row(p.review) || jsonb_build_object('photos', coalesce(f.photos, '[]'))
      order by (p.review).created_at desc, (p.review).id desc)
    from page p
    left join private.review_photos(array(select (o.review).id from page o)) as f on f.review_id = (p.review).id
  ), '{created_at,id}', p_limit, case when 'total' = any (p_include) then (
    select count(*) from public.reviews r where r.user_id = v_user_id
  ) end);
end
$$;

comment on function api.list_my_reviews(integer, text, text[]) is
  'The caller''s reviews with any status, newest first: {items, next_cursor}, and total when p_include has it. Reads only. Errors: unauthorized, forbidden, validation_error.';

create function commands.update_my_review(
  p_id uuid, p_rating integer default null, p_comment text default null, p_photo_asset_ids uuid[] default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_user_id uuid := private.writing_user();
  v_review public.reviews;
begin
  if p_rating is null and p_comment is null and p_photo_asset_ids is null then
    select * into v_review from public.reviews where id = p_id and user_id = v_user_id;
  else
    perform private.lock_reviews(array[p_id]) from public.reviews where id = p_id and user_id = v_user_id;
    update public.reviews
    set rating = coalesce(p_rating, rating),
      comment = case when p_comment is null then comment else private.trimmed(p_comment) end
    where id = p_id and user_id = v_user_id
    returning * into v_review;
  end if;
  if not found then
    perform private.raise_error('not_found', 404, 'You have no review with this id.', p_param => 'id');
  end if;
  if p_photo_asset_ids is not null then
    perform private.put_review_photos(p_id, p_photo_asset_ids);
  end if;
  return private.review_with_photos(v_review);
end
$$;

comment on function commands.update_my_review(uuid, integer, text, uuid[]) is
  'Edits the caller''s review, which is then pending, and returns it. Null keeps a field; if all are null nothing changes. An empty comment removes the comment; photos replace all photos. Idempotent. Errors: unauthorized, forbidden, validation_error, not_found.';

create function commands.delete_my_review(p_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_user_id uuid := private.writing_user();
begin
  perform private.lock_reviews(array[p_id]) from public.reviews where id = p_id and user_id = v_user_id;
  delete from public.reviews where id = p_id and user_id = v_user_id;
  if not found then
    perform private.raise_error('not_found', 404, 'You have no review with this id.', p_param => 'id');
  end if;
end
$$;

comment on function commands.delete_my_review(uuid) is
  'Deletes the caller''s review. Errors: unauthorized, forbidden, not_found.';

grant execute on function api.list_parking_lot_reviews(uuid, integer, text, text[]) to anon, authenticated;
grant execute on function
  commands.post_review(uuid, integer, text, uuid[]), api.list_my_reviews(integer, text, text[]),
  commands.update_my_review(uuid, integer, text, uuid[]), commands.delete_my_review(uuid)
to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Ratings, saved lots and preferences
-- ---------------------------------------------------------------------------------------------------------------------

create function api.my_parking_lot_rating(p_parking_lot_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_user_id uuid := private.optional_user();
begin
  perform private.require_public_lot(p_parking_lot_id);
  if v_user_id is null then
    return null;
  end if;
  return (
    select private.rating_row(r) from public.parking_lot_ratings r
    where r.user_id = v_user_id and r.parking_lot_id = p_parking_lot_id
  );
end
$$;

comment on function api.my_parking_lot_rating(uuid) is
  'The caller''s rating of a lot; null when there is none, and for every anonymous user. Reads only. Errors: forbidden, lot_not_found.';

create function commands.rate_parking_lot(p_parking_lot_id uuid, p_value text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_user_id uuid := private.writing_user();
  v_rating public.parking_lot_ratings;
begin
  perform private.lock_public_lot(p_parking_lot_id);
  insert into public.parking_lot_ratings as r (user_id, parking_lot_id, value)
  values (v_user_id, p_parking_lot_id, p_value)
  on conflict (user_id, parking_lot_id) do update set value = excluded.value
  returning * into v_rating;
  return private.rating_row(v_rating);
end
$$;

comment on function commands.rate_parking_lot(uuid, text) is
  'Sets the caller''s rating of a lot and returns it. Idempotent. Errors: unauthorized, forbidden, lot_not_found.';

create function commands.unrate_parking_lot(p_parking_lot_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_user_id uuid := private.writing_user();
begin
  perform private.lock_public_lot(p_parking_lot_id);
  delete from public.parking_lot_ratings where user_id = v_user_id and parking_lot_id = p_parking_lot_id;
end
$$;

comment on function commands.unrate_parking_lot(uuid) is
  'Removes the caller''s rating of a lot. Idempotent. Errors: unauthorized, forbidden, lot_not_found.';

grant execute on function api.my_parking_lot_rating(uuid) to anon, authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Field values
-- ---------------------------------------------------------------------------------------------------------------------

create function commands.vote_on_field_value(p_parking_lot_id uuid, p_field_value_id uuid, p_vote text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_user_id uuid := private.writing_user();
  v_state text;
begin
  perform private.lock_public_lot(p_parking_lot_id);
  perform private.store_field_value(p_parking_lot_id, p_field_value_id);
  select v.state into v_state from public.field_values v
  where v.id = p_field_value_id and v.parking_lot_id = p_parking_lot_id;
  if not found then
    perform private.raise_error('not_found', 404, 'This lot has no field value with this id.', p_param => 'fieldValueId');
  elsif v_state = 'retired' then
    perform private.raise_error('conflict', 409, 'The lot has another value now. Read the lot again.', p_details => '{"reason": "retired"}');
  end if;

  perform private.log_activity('field_' || p_vote, p_parking_lot_id, p_field_value_id);
  -- Last, because it locks the value: other voters wait until this transaction ends.
  insert into public.field_value_votes (field_value_id, user_id, vote) values (p_field_value_id, v_user_id, p_vote)
  on conflict (field_value_id, user_id) do update set vote = excluded.vote;
  return (
    select jsonb_build_object(
      'id', v.id, 'parking_lot_id', v.parking_lot_id, 'field_name', v.field_name, 'value', v.value, 'state', v.state,
      'source', v.source, 'licence', v.licence, 'confirm_count', v.confirm_count, 'deny_count', v.deny_count,
      'last_verified_at', v.last_verified_at, 'my_vote', p_vote, 'my_vote_counts', private.my_vote_counts(v.id)
    )
    from public.field_values v where v.id = p_field_value_id
  );
end
$$;

comment on function commands.vote_on_field_value(uuid, uuid, text) is
  'Confirms or denies a value of a field of a lot; a second vote replaces the first. It counts once the caller has been confirmed for a day (my_vote_counts). Returns the value with its counts. Idempotent. Errors: unauthorized, forbidden, lot_not_found, not_found, conflict.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Occupancy
-- ---------------------------------------------------------------------------------------------------------------------

create function api.parking_lot_occupancy(p_parking_lot_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.optional_user();
  perform private.require_public_lot(p_parking_lot_id);
  return jsonb_build_object(
    'current', (
      select to_jsonb(o) - 'parking_lot_id' from private.occupancy_of(array[p_parking_lot_id]) as o
    ),
    'forecast', private.occupancy_forecast(p_parking_lot_id)
  );
end
$$;

comment on function api.parking_lot_occupancy(uuid) is
  'The current and usual occupancy of a lot: {current, forecast}; current is null when unknown. Reads only. Errors: forbidden, lot_not_found.';

create function commands.report_occupancy(
  p_parking_lot_id uuid, p_state text default null, p_free_spaces integer default null, p_occupancy_ratio numeric default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_report public.occupancy_reports;
begin
  perform private.writing_user();
  perform private.lock_public_lot(p_parking_lot_id);
  perform private.check_occupancy(p_state, p_free_spaces, p_occupancy_ratio);
  v_report := private.report_as_driver(p_parking_lot_id, p_state, p_free_spaces, p_occupancy_ratio);
  perform private.log_activity('occupancy_report', p_parking_lot_id, v_report.id);
  return jsonb_build_object(
    'id', v_report.id, 'parking_lot_id', v_report.parking_lot_id, 'source', v_report.source, 'state', v_report.state,
    'free_spaces', v_report.free_spaces, 'occupancy_ratio', v_report.occupancy_ratio, 'reported_at', v_report.reported_at
  );
end
$$;

comment on function commands.report_occupancy(uuid, text, integer, numeric) is
  'Reports the current occupancy of a lot as a user (source driver), and returns the report. Within ten minutes it replaces the caller''s last report and keeps its id. Errors: unauthorized, forbidden, validation_error, lot_not_found.';

create function api.feed_occupancy(p_source text, p_reports jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_report record;
  v_unknown uuid[] := '{}';
begin
  if p_source is null or p_source not in ('operator', 'sensor') then
    perform private.raise_error('validation_error', 422, 'source must be operator or sensor.', p_param => 'source');
  elsif jsonb_typeof(p_reports) is distinct from 'array' or jsonb_array_length(p_reports) not between 1 and 500 then
    perform private.raise_error('validation_error', 422, 'reports must be an array of 1 to 500 reports.', p_param => 'reports');
  end if;
  -- Lot by lot in one order, so that two concurrent feeds do not wait for each other.
  for v_report in
    select r.*, format('reports.%s.', r.place - 1) as place_name
    from rows from (
      jsonb_to_recordset(p_reports) as (
        parking_lot_id uuid, state text, free_spaces integer, occupancy_ratio numeric, reported_at timestamptz
      )
    ) with ordinality as r (parking_lot_id, state, free_spaces, occupancy_ratio, reported_at, place)
    order by r.parking_lot_id, r.reported_at nulls last, r.place
  loop
    perform private.check_occupancy(v_report.state, v_report.free_spaces, v_report.occupancy_ratio, v_report.place_name);
    if v_report.reported_at > now() + interval '1 minute' then
      perform private.raise_error('validation_error', 422, 'reported_at must not be in the future.',
        p_param => v_report.place_name || 'reported_at');
    end if;
    if not exists (select from public.parking_lots l where l.id = v_report.parking_lot_id) then
      v_unknown := v_unknown || v_report.parking_lot_id;
      continue;
    end if;
    insert into public.occupancy_reports (parking_lot_id, source, state, free_spaces, occupancy_ratio, reported_at)
    values (v_report.parking_lot_id, p_source, v_report.state, v_report.free_spaces, v_report.occupancy_ratio,
      coalesce(v_report.reported_at, now()));
  end loop;
  return jsonb_build_object('accepted', jsonb_array_length(p_reports) - cardinality(v_unknown), 'unknown', to_jsonb(v_unknown));
end
$$;

comment on function api.feed_occupancy(text, jsonb) is
  'Stores reports of an operator or a sensor, at most 500, and returns how many were accepted and which lots are unknown. A late report is accepted and dropped. Errors: validation_error.';

grant execute on function api.parking_lot_occupancy(uuid) to anon, authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Saved lots
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
-- Preferences
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
  end if;
  perform private.check_fields('public.search_preferences', jsonb_build_object('yen_per_walk_minute', p_yen_per_walk_minute), '{yen_per_walk_minute}');
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

-- ---------------------------------------------------------------------------------------------------------------------
-- Error reports
-- ---------------------------------------------------------------------------------------------------------------------

create function commands.post_error_report(
  p_report_type text,
  p_description text,
  p_parking_lot_id uuid default null,
  p_parking_lot_name text default null,
  p_severity text default null,
  p_evidence_asset_ids uuid[] default '{}'
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_user_id uuid := private.writing_user();
  v_report_id uuid;
begin
  perform private.check_daily_reports(v_user_id);
  if cardinality(p_evidence_asset_ids) > 5 then
    perform private.raise_error('validation_error', 422, 'evidence_asset_ids must have at most 5 items.', p_param => 'evidence_asset_ids');
  end if;
  if not exists (
    select from public.codes c where c.category_id = 'error_report_type' and c.code = p_report_type
  ) then
    perform private.raise_error('validation_error', 422, 'report_type must be a code of the list error_report_type.', p_param => 'report_type');
  end if;
  if p_severity not in ('low', 'medium', 'high', 'critical') then
    perform private.raise_error('validation_error', 422, 'severity must be low, medium, high or critical.', p_param => 'severity');
  end if;
  insert into public.error_reports (user_id, parking_lot_id, parking_lot_name, report_type, severity, description)
  values (v_user_id, p_parking_lot_id, private.reported_lot_name(p_parking_lot_id, p_parking_lot_name), p_report_type,
    p_severity, private.required_text(p_description, 'public.error_reports', 'description'))
  returning id into v_report_id;
  perform private.attach_evidence(v_report_id, p_evidence_asset_ids);
  perform private.on_error_report_posted(v_report_id);
  return private.error_report_rows(array[v_report_id]) -> 0;
end
$$;

comment on function commands.post_error_report(text, text, uuid, text, text, uuid[]) is
  'Reports that the data of a public lot are wrong, or that a lot is missing, by its name; up to five files as evidence. Returns the open report. At most 100 in any 24 hours. Errors: unauthorized, forbidden, validation_error, lot_not_found, not_found, rate_limited.';

create function api.list_my_error_reports(
  p_limit integer default 20, p_cursor text default null, p_include text[] default '{}'
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_user_id uuid := private.active_user();
  v_filters jsonb := jsonb_build_object('list', 'my_error_reports', 'user_id', v_user_id);
  v_keys jsonb := private.page_start(v_filters, p_cursor, '{timestamptz,uuid}', 'desc');
begin
  perform private.page_limit(p_limit);
  return private.page(v_filters, private.error_report_rows(array(
    select r.id from public.error_reports r
    where r.user_id = v_user_id
      and (r.created_at, r.id) < ((v_keys ->> 0)::timestamptz, (v_keys ->> 1)::uuid)
    order by r.created_at desc, r.id desc
    limit p_limit + 1
  )), '{created_at,id}', p_limit, case when 'total' = any (p_include) then (
    select count(*) from public.error_reports r where r.user_id = v_user_id
  ) end);
end
$$;

comment on function api.list_my_error_reports(integer, text, text[]) is
  'The caller''s reports of every status, newest first: {items, next_cursor}, and total when p_include has it. Reads only. Errors: unauthorized, forbidden, validation_error.';

grant execute on function
  commands.post_error_report(text, text, uuid, text, text, uuid[]), api.list_my_error_reports(integer, text, text[])
to authenticated;
