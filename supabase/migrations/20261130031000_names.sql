-- Names: functions that return what is wrong with a value are named error, those that return a locked row locked, and those
-- that return a row as the console has it admin and row. private.project_subscription computes the row of a subscription from
-- its events.
--
-- The definitions are those of supabase/schemas after this change. The way back: the former names, and the callers as they
-- were.

set lock_timeout = '2s';

alter function private.search_query_fault(text, jsonb) rename to search_query_error;
alter function private.nearby_filter_fault(text, jsonb) rename to nearby_filter_error;
alter function private.badge_field_fault(text, jsonb) rename to badge_field_error;
alter function private.badge_span_fault(text, jsonb) rename to badge_span_error;
alter function private.badge_predicate_fault(jsonb, integer) rename to badge_predicate_error;
alter function private.badge_conditions_fault(jsonb) rename to badge_conditions_error;
alter function private.value_fault(jsonb, text, boolean, jsonb) rename to value_error;
alter function private.field_fault(jsonb, regclass, text, text) rename to violation_error;
alter function private.fold_subscription(uuid) rename to project_subscription;
alter function private.held_error_report(uuid, boolean) rename to locked_error_report;
alter function private.held_field_value(uuid) rename to locked_field_value;
alter function private.held_admin_subscription(uuid, uuid) rename to locked_admin_subscription;
alter function private.held_lot(uuid, text) rename to locked_lot;
alter function private.held_support_ticket(uuid, uuid, timestamptz) rename to locked_support_ticket;
alter function private.held_store_sync_run(uuid, uuid) rename to locked_store_sync_run;
alter function private.managed_sponsor(public.sponsors) rename to admin_sponsor_row;
alter function private.managed_store_event(public.store_events) rename to admin_store_event_row;
alter function private.managed_code(text, text) rename to admin_code_row;
alter function private.managed_article(public.articles) rename to admin_article_row;
alter function private.managed_ad(public.ads) rename to admin_ad_row;
drop function private.fault_within(text, text[]);

-- An error inside a part, with its place in the whole; null: none.
create function private.error_within(p_place text, p_error text[]) returns text[]
language plpgsql immutable
set search_path = ''
as $$
begin
  return case when p_error is not null then array[concat_ws('.', p_place, nullif(p_error[1], '')), p_error[2]] end;
end
$$;

-- The first error of a predicate; null: none.
create or replace function private.badge_predicate_error(p_predicate jsonb, p_depth integer default 1) returns text[]
language plpgsql immutable
set search_path = ''
as $$
declare
  v_operator text;
  v_value jsonb;
begin
  if p_depth > 8 then
    return array['', 'Predicates must not be nested more than 8 deep.'];
  elsif coalesce(jsonb_typeof(p_predicate), '') <> 'object' then
    return array['', 'A predicate must be an object with one operator.'];
  end if;
  v_operator := jsonb_path_query_first(p_predicate, '$.keyvalue().key') #>> '{}';
  if v_operator is null or p_predicate - v_operator <> '{}' then
    return array['', 'A predicate must be an object with one operator.'];
  end if;
  v_value := p_predicate -> v_operator;
  if v_operator in ('all', 'any') then
    if jsonb_typeof(v_value) <> 'array' or jsonb_array_length(v_value) not between 1 and 20 then
      return array[v_operator, format('%s must be a list of 1 to 20 predicates.', v_operator)];
    end if;
    return (
      select private.error_within(format('%s.%s', v_operator, f.place - 1), f.error)
      from (
        select e.place, private.badge_predicate_error(e.value, p_depth + 1) as error
        from jsonb_array_elements(v_value) with ordinality as e (value, place) offset 0
      ) f
      where f.error is not null order by f.place limit 1
    );
  elsif v_operator = 'not' then
    return private.error_within('not', private.badge_predicate_error(v_value, p_depth + 1));
  elsif v_operator in ('min', 'max', 'equals') then
    return private.badge_field_error(v_operator, v_value);
  elsif v_operator in ('hours', 'weekdays', 'dates') then
    return private.badge_span_error(v_operator, v_value);
  end if;
  return array[v_operator, format('%s is not an operator. Use all, any, not, min, max, equals, hours, weekdays or dates.', v_operator)];
end
$$;

-- The first error of a badge's conditions: [place, message]. Null: private.meets_badge_conditions can evaluate them.
create or replace function private.badge_conditions_error(p_conditions jsonb) returns text[]
language plpgsql immutable
set search_path = ''
as $$
declare
  v_unknown text;
begin
  if coalesce(jsonb_typeof(p_conditions), '') <> 'object' then
    return array['', 'conditions must be an object.'];
  elsif p_conditions - array['activity', 'measure', 'where'] <> '{}' then
    v_unknown := (select min(k.key) from jsonb_object_keys(p_conditions - array['activity', 'measure', 'where']) as k (key));
    return array[v_unknown, format('%s is not a field of conditions. Use activity, measure and where.', v_unknown)];
  elsif coalesce(jsonb_typeof(p_conditions -> 'activity'), '') <> 'array'
    or jsonb_array_length(p_conditions -> 'activity') = 0
    or not p_conditions -> 'activity' <@ to_jsonb(private.badge_kinds()) then
    return array['activity', 'activity must be a list of kinds of activity, with one at least.'];
  elsif coalesce(p_conditions ->> 'measure', '') not in ('count', 'distinct_lots', 'distinct_days', 'streak_days') then
    return array['measure', 'measure must be count, distinct_lots, distinct_days or streak_days.'];
  elsif p_conditions ->> 'measure' in ('distinct_days', 'streak_days')
    and p_conditions -> 'activity' ?| array['review_approved', 'error_report_resolved'] then
    return array['measure', 'measure must not count days when activity has review_approved or error_report_resolved.'];
  elsif p_conditions ->> 'measure' = 'distinct_lots' and p_conditions -> 'activity' ? 'review_approved'
    and jsonb_array_length(p_conditions -> 'activity') > 1 then
    return array['activity', 'activity must be review_approved alone when measure is distinct_lots.'];
  elsif p_conditions ->> 'measure' = 'distinct_lots' and p_conditions -> 'activity' ? 'error_report_resolved' then
    return array['measure', 'measure must be count when activity has error_report_resolved.'];
  elsif p_conditions ? 'where' then
    return private.error_within('where', private.badge_predicate_error(p_conditions -> 'where'));
  end if;
  return null;
end
$$;

-- It calls functions by their names of now.
create or replace function api.admin_update_error_report(p_admin_id uuid, p_id uuid, p_changes jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_reason text;
  v_before public.error_reports;
  v_after public.error_reports;
begin
  perform private.lock_admin(p_admin_id, 'lots');
  perform private.check_report_changes(p_changes);
  v_reason := private.decision_reason(p_changes ->> 'reason');
  v_before := private.locked_error_report(p_id, p_changes ? 'correction');
  perform private.check_decision(p_admin_id, v_before.user_id, v_before.updated_at, (p_changes ->> 'seen_updated_at')::timestamptz);
  v_after := private.moved_error_report(v_before, p_changes);
  if v_after is distinct from v_before then
    perform private.record_act(p_admin_id,
      case when v_after.status = v_before.status or not p_changes ? 'status' then 'error_report.assign'
        when v_after.status = 'resolved' then 'error_report.resolve' when v_after.status = 'rejected' then 'error_report.reject'
        else 'error_report.review' end,
      'error_report', p_id::text, v_after.user_id, private.difference(to_jsonb(v_before), to_jsonb(v_after))
        || jsonb_strip_nulls(jsonb_build_object('reason', v_reason)));
  end if;
  if p_changes ? 'correction' then
    perform private.correct_reported_lot(p_admin_id, v_after, p_changes -> 'correction');
  end if;
  if v_after.status <> v_before.status and v_after.status <> 'in_review' then
    perform private.on_error_report_decided(v_after, v_reason);
  end if;
  return private.admin_error_report_rows(array[p_id]) -> 0;
end
$$;

-- It calls functions by their names of now.
create or replace function api.admin_decide_field_value(
  p_admin_id uuid, p_id uuid, p_state text, p_reason text default null, p_if_match text default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_reason text;
  v_before public.field_values;
  v_now timestamptz;
begin
  perform private.lock_admin(p_admin_id, 'lots');
  v_reason := private.decision_reason(p_reason);
  if p_state is null or p_state not in ('confirmed', 'retired') then
    perform private.raise_error('validation_error', 422, 'state must be confirmed or retired.', p_param => 'state');
  end if;
  v_before := private.locked_field_value(p_id);
  perform private.require_match(p_if_match, v_before.updated_at);
  if v_before.state = 'retired' then
    perform private.raise_error('conflict', 409, 'The lot has another value now. Read it again, then retry.', p_param => 'state',
      p_details => '{"reason": "retired"}');
  elsif p_state = 'retired' then
    perform private.retire_field_value(p_admin_id, v_before);
  else
    v_now := clock_timestamp(); -- after the lock on the value: later than every vote that is counted
    update public.field_values set state = 'confirmed', decided_at = v_now, last_verified_at = v_now where id = p_id;
  end if;
  perform private.record_act(p_admin_id, case p_state when 'retired' then 'field_value.retire' else 'field_value.confirm' end,
    'field_value', p_id::text, null, private.difference(to_jsonb(v_before), to_jsonb(v))
      || jsonb_strip_nulls(jsonb_build_object('reason', v_reason)))
  from public.field_values v where v.id = p_id;
  return private.admin_field_value_rows(array[p_id]) -> 0;
end
$$;

-- private.save_row for a sponsor, with its picture; p_changes of a new one has its id. Errors: validation_error, not_found.
create or replace function private.save_sponsor(p_admin_id uuid, p_before public.sponsors, p_changes jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_image constant uuid := p_changes ->> 'image_asset_id';
begin
  if p_changes ? 'image_asset_id' and v_image is distinct from p_before.image_asset_id then
    perform private.put_sponsor_image(p_admin_id, coalesce(p_before.id, (p_changes ->> 'id')::uuid), v_image);
  end if;
  return private.admin_sponsor_row(private.save_row(p_admin_id, 'sponsor', p_before, p_changes));
end
$$;

-- It calls functions by their names of now.
create or replace function api.admin_list_sponsors(
  p_admin_id uuid, p_category text default null, p_status text default null, p_q text default null,
  p_include text[] default '{}', p_cursor text default null, p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'content');
  perform private.check_choice('status', p_status, '{scheduled,shown,ended,withdrawn}');
  return private.list_rows('public.sponsors', '{sort_order integer,id uuid}', 'asc', jsonb_build_object(
    'r.category = %s', p_category,
    'private.time_status(r.is_active, r.starts_at, r.ends_at) = %s', p_status,
    'strpos(lower(r.name), lower(%1$s)) > 0 or strpos(lower(r.address), lower(%1$s)) > 0', p_q
  ), p_include, p_cursor, p_limit, 'private.admin_sponsor_row(r)');
end
$$;

-- It calls functions by their names of now.
create or replace function api.admin_get_sponsor(p_admin_id uuid, p_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'content');
  return private.require_row(
    (select private.admin_sponsor_row(s) from public.sponsors s where s.id = p_id), 'There is no such sponsor.'
  );
end
$$;

-- Gives a subscription to a user, from its former owner or from none, with the subscriptions that replaced it and have no
-- owner. The caller has locked all (private.lock_subscription).
create or replace function private.move_subscription(p_row public.user_subscriptions, p_user_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_values constant jsonb := jsonb_build_object('plan', private.plan_names((p_row).plan_id));
  v_data constant jsonb := jsonb_build_object('subscription_id', (p_row).id);
begin
  update public.user_subscriptions s
  set user_id = p_user_id,
    -- Both users are notified of the move below, and not of the grant.
    announced = case when (p_row).user_id is not null then private.subscription_announcement(s.status, s.access_ends_at, now()) end
  where s.id = (p_row).id;
  if (p_row).user_id is not null then
    perform private.refresh_premium((p_row).user_id);
    perform private.notify((p_row).user_id, 'subscription_moved_away', v_values);
    perform private.notify(p_user_id, 'subscription_moved_here', v_values, v_data);
  end if;
  perform private.project_subscription((p_row).id);
  perform private.assign_replacements((p_row).id);
end
$$;

-- As api.record_store_statement, which checks the rest.
create or replace function private.write_store_statement(p_statement jsonb, p_source text, p_user_id uuid) returns jsonb
language plpgsql
security definer -- no role may write the ledger and purchase tokens directly
set search_path = ''
as $$
declare
  v_supersedes constant text := p_statement ->> 'supersedes';
  v_former_id uuid;
  v_is_news boolean;
  v_id uuid;
begin
  perform private.lock_statement_keys(p_statement);
  v_id := private.subscription_of(p_statement);
  perform private.lock_subscription(v_id, array[private.named_account(p_statement #>> '{facts,account_token}')], v_supersedes);
  v_is_news := private.add_store_event(v_id, p_statement, p_source);
  update public.user_subscriptions s
  set supersedes = coalesce(s.supersedes, v_supersedes),
    -- A repeated notification does not delay the next query.
    heard_at = case when v_is_news or p_source <> 'notification' then now() else s.heard_at end
  where s.id = v_id;
  insert into private.purchase_tokens (subscription_id, token)
  select v_id, p_statement ->> 'purchase_token' where p_statement ->> 'purchase_token' is not null
  on conflict (subscription_id) do nothing;
  perform private.project_subscription(v_id);
  select o.id into v_former_id from public.user_subscriptions s join public.user_subscriptions o
    on o.platform = s.platform and o.environment = s.environment and o.subscription_key = s.supersedes
  where s.id = v_id;
  if found then
    perform private.project_subscription(v_former_id);
  end if;
  perform private.assign_owner(v_id, p_user_id, p_statement -> 'limited_to');
  return jsonb_build_object('subscription_id', v_id);
end
$$;

-- Adds an act of an administrator to the ledger of a subscription, which the caller has locked, and computes the
-- subscription.
create or replace function private.write_subscription_act(p_row public.user_subscriptions, p_admin_id uuid, p_type text, p_reason text)
returns void
language plpgsql
security definer -- no role may write the ledger directly
set search_path = ''
as $$
declare
  -- Acts have the order in which they are made: a transaction that waited for another started before it.
  v_now constant timestamptz := greatest(now(), (
    select max(e.occurred_at) + interval '1 microsecond' from public.store_events e
    where e.subscription_id = (p_row).id and e.source = 'admin'
  ));
begin
  insert into public.store_events (store, event_id, subscription_id, source, type, occurred_at, confirmed_at, payload)
  values ((p_row).provider, 'act:' || gen_random_uuid(), (p_row).id, 'admin', p_type, v_now, v_now,
    jsonb_build_object('admin_id', p_admin_id, 'reason', p_reason));
  perform private.project_subscription((p_row).id);
end
$$;

-- Revokes (REVOKED) or reinstates (REINSTATED) a subscription, as an act of an administrator. Errors: forbidden,
-- validation_error, not_found, conflict, precondition_failed.
create or replace function private.act_on_subscription(p_admin_id uuid, p_id uuid, p_type text, p_reason text, p_if_match text)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_reason constant text := private.required_reason(p_reason);
  v_before constant public.user_subscriptions := private.locked_admin_subscription(p_admin_id, p_id);
  v_after public.user_subscriptions;
begin
  perform private.require_match(p_if_match, v_before.updated_at);
  if private.is_revoked_by_hand(p_id) = (p_type = 'REVOKED') then
    perform private.raise_error('conflict', 409, case p_type when 'REVOKED' then 'The subscription is revoked already.'
      else 'The subscription is not revoked by an administrator.' end, p_param => 'id',
      p_details => jsonb_build_object('reason', case p_type when 'REVOKED' then 'already_revoked' else 'not_revoked' end));
  end if;
  perform private.write_subscription_act(v_before, p_admin_id, p_type, v_reason);
  select * into v_after from public.user_subscriptions s where s.id = p_id;
  perform private.record_act(p_admin_id, case p_type when 'REVOKED' then 'subscription.revoke' else 'subscription.reinstate' end,
    'user_subscription', p_id::text, v_before.user_id,
    private.difference(jsonb_build_object('status', v_before.status, 'access_ends_at', v_before.access_ends_at),
      jsonb_build_object('status', v_after.status, 'access_ends_at', v_after.access_ends_at))
      || jsonb_build_object('reason', v_reason));
  return private.admin_subscription(p_id);
end
$$;

-- It calls functions by their names of now.
create or replace function api.admin_list_subscription_events(
  p_admin_id uuid, p_id uuid, p_include text[] default '{}', p_cursor text default null, p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'users');
  perform private.require_row(
    (select to_jsonb(s.id) from public.user_subscriptions s where s.id = p_id), 'There is no such subscription.'
  );
  return private.list_rows('public.store_events', '{occurred_at timestamptz,id uuid}', 'desc',
    jsonb_build_object('r.subscription_id = %s::uuid', p_id), p_include, p_cursor, p_limit, 'private.admin_store_event_row(r)');
end
$$;

-- Checks the conditions of a search. Errors: validation_error, with the condition as param.
create or replace function private.check_search(p_query jsonb, p_bbox double precision[], p_ids uuid[]) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_key text;
  v_error text;
begin
  if jsonb_typeof(p_query) is distinct from 'object' then
    perform private.raise_error('validation_error', 422, 'query must be an object.', p_param => 'query');
  end if;
  for v_key, v_error in select q.key, private.search_query_error(q.key, q.value) from jsonb_each(p_query) as q loop
    if v_error is not null then
      perform private.raise_error('validation_error', 422, v_error, p_param => v_key);
    end if;
  end loop;
  if p_query ->> 'sort' = 'distance' and p_query -> 'center' is null then
    perform private.raise_error('validation_error', 422, 'sort distance requires center.', p_param => 'sort');
  elsif p_query ? 'radius_m' and p_query -> 'center' is null then
    perform private.raise_error('validation_error', 422, 'radius_m requires center.', p_param => 'radius_m');
  elsif (p_query ->> 'price_min')::numeric > (p_query ->> 'price_max')::numeric then
    perform private.raise_error('validation_error', 422, 'price_min must not be greater than price_max.', p_param => 'price_min');
  elsif cardinality(p_ids) > 100 then
    perform private.raise_error('validation_error', 422, 'ids must have at most 100 values.', p_param => 'ids');
  elsif p_bbox is not null and not coalesce(
    cardinality(p_bbox) = 4 and array_position(p_bbox, null) is null
      and p_bbox[1] between -180 and 180 and p_bbox[3] between -180 and 180
      and p_bbox[2] between -90 and 90 and p_bbox[4] between p_bbox[2] and 90, false
  ) then
    perform private.raise_error('validation_error', 422, 'bbox must be west,south,east,north in degrees.', p_param => 'bbox');
  end if;
end
$$;

-- Reads the filters of api.nearby_parking_lots. Errors: validation_error, with the param filters or filters.<key>.
create or replace function private.read_nearby_filters(p_filters jsonb) returns private.nearby_filters
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters private.nearby_filters;
  v_key text;
  v_error text;
begin
  if jsonb_typeof(p_filters) is distinct from 'object' then
    perform private.raise_error('validation_error', 422, 'filters must be an object.', p_param => 'filters');
  end if;
  for v_key, v_error in
    select f.key, private.nearby_filter_error(f.key, f.value) from jsonb_each(p_filters) as f
  loop
    if v_error is not null then
      perform private.raise_error('validation_error', 422, v_error, p_param => 'filters.' || v_key);
    end if;
  end loop;
  v_filters := jsonb_populate_record(null::private.nearby_filters, p_filters);
  v_filters.tags := coalesce(v_filters.tags, '{}');
  v_error := case
    when v_filters.exit_at is null and v_filters.entry_at is not null then 'entry_at requires exit_at.'
    when v_filters.exit_at < v_filters.entry_at then 'The exit must not be before the entry.'
  end;
  if v_error is not null then
    perform private.raise_error('validation_error', 422, v_error, p_param => 'filters.exit_at');
  elsif v_filters.entry_at is null and v_filters.exit_at is not null then
    perform private.raise_error('validation_error', 422, 'exit_at requires entry_at.', p_param => 'filters.entry_at');
  end if;
  perform private.check_compared_stay(v_filters.entry_at, v_filters.exit_at, 'filters.exit_at');
  return v_filters;
end
$$;

-- Checks conditions. Errors: validation_error, with the place as param.
create or replace function private.require_badge_conditions(p_conditions jsonb) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_error text[] := private.badge_conditions_error(p_conditions);
begin
  if v_error is not null then
    perform private.raise_error('validation_error', 422, v_error[2], p_param => concat_ws('.', 'conditions', nullif(v_error[1], '')));
  end if;
end
$$;

-- Counts an activity, or a state that begins, for every badge that it meets and the user has not earned, and gives those
-- that are earned by it. A badge with invalid conditions is noted and skipped.
create or replace function private.count_for_badges(
  p_user_id uuid, p_kind text, p_subject_id uuid, p_lot_id uuid, p_metadata jsonb, p_at timestamptz
) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_badge public.badges;
  v_error text[];
  v_mark text;
  v_badge_ids uuid[] := '{}';
  v_marks text[] := '{}';
  v_metadata jsonb := private.badge_metadata(p_kind, p_metadata, p_at);
begin
  -- One transaction a user at a time, and none during a rebuild of their progress.
  perform 1 from public.app_users u where u.id = p_user_id and u.status <> 'withdrawn' for no key update;
  if not found then
    return;
  end if;
  -- Badges that clearly count other kinds are left out first. Badges without readable kinds are evaluated, and noted.
  for v_badge in
    select * from public.badges b
    where b.is_active
      and not exists (select from public.user_badges u where u.user_id = p_user_id and u.badge_id = b.id)
      and (b.conditions -> 'activity' ? p_kind or coalesce(jsonb_typeof(b.conditions -> 'activity'), '') <> 'array')
    order by b.id
  loop
    v_error := private.badge_conditions_error(v_badge.conditions);
    if v_error is not null then
      insert into private.badge_faults (badge_id, fault) values (v_badge.id, v_error[2]) on conflict do nothing;
    elsif private.meets_badge_conditions(v_metadata, v_badge.conditions) then
      v_mark := private.badge_mark(v_badge.conditions ->> 'measure', p_kind, p_subject_id, p_lot_id, p_at);
      if v_mark is not null then
        v_badge_ids := v_badge_ids || v_badge.id;
        v_marks := v_marks || v_mark;
      end if;
    end if;
  end loop;
  perform private.earn_badge(p_user_id, b.id) from unnest(private.mark_badges(p_user_id, v_badge_ids, v_marks)) as b (id);
end
$$;

-- Processes the next batch of users of a running rebuild; false when there is none. Commit after each call.
create or replace function private.next_badge_batch(p_users integer default 1000) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_job private.badge_backfills;
  v_badge public.badges;
  v_error text[];
  v_user_ids uuid[] := '{}';
begin
  -- One worker at a time on a badge; another takes the next badge, or none. A transaction that changes the badge waits for
  -- the job when it commits, and nothing here waits for it: the change restarts the rebuild.
  select f.* into v_job
  from private.badge_backfills f join public.badges b on b.id = f.badge_id
  where f.finished_at is null order by f.badge_id limit 1
  for no key update of f skip locked for key share of b skip locked;
  if not found then
    return false;
  end if;
  select * into v_badge from public.badges b where b.id = v_job.badge_id;
  v_error := private.badge_conditions_error(v_badge.conditions);
  if v_error is not null then
    insert into private.badge_faults (badge_id, fault) values (v_badge.id, v_error[2]) on conflict do nothing;
  else
    v_user_ids := private.next_users(v_job.last_user_id, p_users);
    perform private.rebuild_badge(v_badge, v_user_ids);
  end if;
  update private.badge_backfills f
  set last_user_id = coalesce(v_user_ids[cardinality(v_user_ids)], f.last_user_id),
    done_users = f.done_users + cardinality(v_user_ids), updated_at = clock_timestamp(),
    total_users = case when cardinality(v_user_ids) < p_users then f.done_users + cardinality(v_user_ids) else f.total_users end,
    finished_at = case when cardinality(v_user_ids) < p_users then clock_timestamp() end
  where f.badge_id = v_job.badge_id;
  return true;
end
$$;

-- It calls functions by their names of now.
create or replace function api.admin_update_parking_lot(p_admin_id uuid, p_parking_lot_id uuid, p_changes jsonb, p_if_match text default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_difference jsonb;
begin
  perform private.lock_admin(p_admin_id, 'lots');
  perform private.locked_lot(p_parking_lot_id, p_if_match);
  v_difference := private.apply_lot_changes(p_parking_lot_id, p_changes);
  if v_difference <> '{}' then
    perform private.record_act(p_admin_id, 'parking_lot.update', 'parking_lot', p_parking_lot_id::text, null, v_difference);
  end if;
  return private.console_lot_json(p_parking_lot_id);
end
$$;

-- It calls functions by their names of now.
create or replace function api.admin_put_parking_lot_set(
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

-- Writes the rows of a code, whose versions are as private.admin_code_row returns them, and records the act; p_before is
-- null for a new one. An equal version changes nothing.
create or replace function private.write_code(p_admin_id uuid, p_before jsonb, p_after jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_changes constant jsonb := private.difference(p_before, p_after);
begin
  if v_changes <> '{}' then
    insert into public.codes (category_id, code, lang, display_label, sort_order, metadata, is_active)
    select p_after ->> 'category_id', p_after ->> 'code', l.key, l.value, (p_after -> 'sort_order')::integer,
      nullif(p_after -> 'metadata', 'null'), (p_after -> 'is_active')::boolean
    from jsonb_each_text(p_after -> 'labels') as l
    on conflict (category_id, code, lang) do update set
      display_label = excluded.display_label, sort_order = excluded.sort_order, metadata = excluded.metadata,
      is_active = excluded.is_active;
    perform private.record_act(p_admin_id,
      private.content_action('code', p_before, p_after),
      'code', concat_ws('/', p_after ->> 'category_id', p_after ->> 'code'), null, v_changes);
  end if;
  return private.admin_code_row(p_after ->> 'category_id', p_after ->> 'code');
end
$$;

-- It calls functions by their names of now.
create or replace function api.admin_list_codes(
  p_admin_id uuid, p_category_id text default null, p_is_active boolean default null, p_q text default null,
  p_include text[] default '{}', p_cursor text default null, p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'content');
  return private.list_rows('public.codes', '{category_id text,sort_order integer,code text}', 'asc', jsonb_build_object(
    -- One row of each code: that of its first language.
    'r.lang = (select min(o.lang) from public.codes o where (o.category_id, o.code) = (r.category_id, r.code))', true,
    'r.category_id = %s', p_category_id,
    'r.is_active = %s::boolean', p_is_active,
    'strpos(lower(r.code), lower(%1$s)) > 0 or exists (
      select from public.codes o
      where (o.category_id, o.code) = (r.category_id, r.code) and strpos(lower(o.display_label), lower(%1$s)) > 0
    )', p_q
  ), p_include, p_cursor, p_limit, 'private.admin_code_row((r).category_id, (r).code)');
end
$$;

-- It calls functions by their names of now.
create or replace function api.admin_get_code(p_admin_id uuid, p_category_id text, p_code text) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'content');
  return private.require_row(private.admin_code_row(p_category_id, p_code), 'There is no such code.', 'code');
end
$$;

-- It calls functions by their names of now.
create or replace function api.admin_update_code(
  p_admin_id uuid, p_category_id text, p_code text, p_changes jsonb, p_if_match text default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_before jsonb;
begin
  perform private.lock_admin(p_admin_id, 'content');
  perform private.check_code_fields(p_changes, '{sort_order,metadata,is_active}');
  perform from public.codes c where c.category_id = p_category_id and c.code = p_code order by c.lang for update;
  v_before := private.require_row(private.admin_code_row(p_category_id, p_code), 'There is no such code.', 'code');
  perform private.require_match(p_if_match, (v_before ->> 'updated_at')::timestamptz);
  if p_changes -> 'is_active' <> v_before -> 'is_active' then
    perform private.require_open_list(p_category_id, 'is_active');
  end if;
  return private.write_code(p_admin_id, v_before, v_before || p_changes || case
    when jsonb_typeof(p_changes -> 'metadata') = 'object'
      then jsonb_build_object('metadata', '{"color": null, "logo_url": null, "url": null}'::jsonb || (p_changes -> 'metadata'))
    else '{}' end);
end
$$;

-- It calls functions by their names of now.
create or replace function api.admin_list_articles(
  p_admin_id uuid, p_lang text default null, p_status text default null, p_q text default null, p_include text[] default '{}',
  p_cursor text default null, p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'content');
  perform private.check_choice('lang', p_lang, '{ja,en}');
  perform private.check_choice('status', p_status, '{draft,scheduled,published,withdrawn}');
  return private.list_rows('public.articles', '{created_at timestamptz,id uuid}', 'desc', jsonb_build_object(
    'r.locale = %s', p_lang,
    'private.article_status(r) = %s', p_status,
    'strpos(lower(r.title), lower(%1$s)) > 0 or strpos(r.slug, lower(%1$s)) > 0', p_q
  ), p_include, p_cursor, p_limit, 'private.admin_article_row(r) - ''body''');
end
$$;

-- It calls functions by their names of now.
create or replace function api.admin_get_article(p_admin_id uuid, p_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'content');
  return private.require_row(
    (select private.admin_article_row(a) from public.articles a where a.id = p_id), 'There is no such article.'
  );
end
$$;

-- It calls functions by their names of now.
create or replace function api.admin_create_article(p_admin_id uuid, p_article jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_admin(p_admin_id, 'content');
  perform private.check_columns('public.articles', p_article, p_is_new => true, p_without => '{withdrawn_at}');
  return private.admin_article_row(
    private.save_unique_row(p_admin_id, 'article', null::public.articles, p_article, 'slug', p_hashed => '{body}')
  );
end
$$;

-- It calls functions by their names of now.
create or replace function api.admin_update_article(p_admin_id uuid, p_id uuid, p_changes jsonb, p_if_match text default null) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_before public.articles;
  v_after public.articles;
begin
  perform private.lock_admin(p_admin_id, 'content');
  perform private.check_columns('public.articles', p_changes);
  v_before := private.locked_version(null::public.articles, jsonb_build_object('id', p_id), 'article', p_if_match);
  v_after := jsonb_populate_record(v_before, p_changes);
  if v_before.published_at <= now() and v_after.published_at is distinct from v_before.published_at then
    perform private.raise_error('conflict', 409, 'The published_at of a published article cannot be changed. Set withdrawn_at to withdraw it.',
      p_param => 'published_at', p_details => '{"reason": "was_published"}');
  end if;
  return private.admin_article_row(private.save_unique_row(p_admin_id, 'article', v_before, p_changes, 'slug', case
    when private.article_status(v_after) = private.article_status(v_before) then 'article.update'
    when private.article_status(v_after) = 'withdrawn' then 'article.withdraw'
    when private.article_status(v_after) in ('scheduled', 'published') then 'article.publish'
  end, '{body}'));
end
$$;

-- It calls functions by their names of now.
create or replace function api.admin_list_ads(
  p_admin_id uuid, p_placement text default null, p_status text default null, p_q text default null,
  p_include text[] default '{}', p_cursor text default null, p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'content');
  perform private.check_choice('placement', p_placement, '{home_top,map,search_results,lot_detail,session_end,article}');
  perform private.check_choice('status', p_status, '{scheduled,shown,ended,withdrawn}');
  return private.list_rows('public.ads', '{created_at timestamptz,id uuid}', 'desc', jsonb_build_object(
    'r.placement = %s', p_placement,
    'private.time_status(r.is_active, r.starts_at, r.ends_at) = %s', p_status,
    'strpos(lower(r.title), lower(%s)) > 0', p_q
  ), p_include, p_cursor, p_limit, 'private.admin_ad_row(r)');
end
$$;

-- It calls functions by their names of now.
create or replace function api.admin_get_ad(p_admin_id uuid, p_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'content');
  return private.require_row(
    (select private.admin_ad_row(a) from public.ads a where a.id = p_id), 'There is no such advertisement.'
  );
end
$$;

-- It calls functions by their names of now.
create or replace function api.admin_create_ad(p_admin_id uuid, p_ad jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_admin(p_admin_id, 'content');
  perform private.check_columns('public.ads', p_ad, p_is_new => true);
  return private.admin_ad_row(private.save_row(p_admin_id, 'ad', null::public.ads, p_ad));
end
$$;

-- It calls functions by their names of now.
create or replace function api.admin_update_ad(p_admin_id uuid, p_id uuid, p_changes jsonb, p_if_match text default null) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_before public.ads;
begin
  perform private.lock_admin(p_admin_id, 'content');
  perform private.check_columns('public.ads', p_changes);
  v_before := private.locked_version(null::public.ads, jsonb_build_object('id', p_id), 'advertisement', p_if_match);
  return private.admin_ad_row(private.save_row(p_admin_id, 'ad', v_before, p_changes));
end
$$;

-- Calls a function, once per key if there is one: {replayed, reply}. p_nth is 1 to 10. An error of the function rolls
-- back what the function did and is returned with its status: {code, message, details, hint}. A field that a constraint
-- does not allow is a validation_error with its param.
create or replace function private.call_returning_errors(
  p_function text,
  p_arguments jsonb,
  p_key text default null,
  p_fingerprint text default null,
  p_nth integer default 1
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_message text;
  v_detail text;
  v_state text;
  v_schema text;
  v_table text;
  v_column text;
  v_constraint text;
  v_error jsonb;
begin
  if p_nth is null or p_nth not between 1 and 10 then
    perform private.raise_error('validation_error', 422, 'nth must be between 1 and 10.', p_param => 'nth');
  elsif p_key is null then
    return jsonb_build_object('replayed', false, 'reply', private.call_by_name(p_function, p_arguments));
  end if;
  return private.run_once(p_key, p_fingerprint, p_function, p_arguments, p_nth);
exception
  when sqlstate 'PGRST' then
    get stacked diagnostics v_message = message_text, v_detail = pg_exception_detail;
    perform set_config('response.status', v_detail::jsonb ->> 'status', true);
    return '{"hint": null}' || v_message::jsonb;
  when data_exception or integrity_constraint_violation or syntax_error_or_access_rule_violation then
    get stacked diagnostics v_message = message_text, v_detail = pg_exception_detail, v_state = returned_sqlstate,
      v_schema = schema_name, v_table = table_name, v_column = column_name, v_constraint = constraint_name;
    v_error := case when v_state in ('23502', '23514')
      then private.violation_error(p_arguments, to_regclass(format('%I.%I', v_schema, v_table)), v_constraint, v_column) end;
    if v_error is not null then
      perform set_config('response.status', '422', true);
      return jsonb_build_object('code', 'validation_error', 'message', v_error ->> 'message', 'hint', null,
        'details', jsonb_build_object('param', v_error -> 'param')::text);
    end if;
    perform set_config('response.status', private.status_of(v_state), true);
    return jsonb_build_object('code', v_state, 'message', v_message, 'details', v_detail, 'hint', null);
end
$$;

-- It calls functions by their names of now.
create or replace function api.admin_answer_support_ticket(
  p_admin_id uuid, p_id uuid, p_message text, p_seen_updated_at timestamptz default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_message text;
  v_ticket public.support_tickets;
  v_message_id uuid;
begin
  perform private.lock_admin(p_admin_id, 'support');
  v_message := private.required_text(p_message, 'public.support_messages', 'body', 'message');
  v_ticket := private.locked_support_ticket(p_admin_id, p_id, p_seen_updated_at);
  perform private.require_message_room(v_ticket.message_count);
  if v_ticket.status <> 'answered' then
    perform private.check_move('support_ticket', v_ticket.status, 'answered');
    update public.support_tickets set status = 'answered' where id = p_id;
  end if;
  insert into public.support_messages (ticket_id, author, admin_id, body) values (p_id, 'support', p_admin_id, v_message)
  returning id into v_message_id;
  if v_ticket.user_id is not null then
    perform private.notify(v_ticket.user_id, 'support_reply', jsonb_build_object('subject', v_ticket.subject),
      jsonb_build_object('ticket_id', p_id));
  end if;
  perform private.record_ticket_act(p_admin_id, 'support_ticket.answer', v_ticket);
  return jsonb_build_object(
    'message', private.admin_support_message_rows(array[v_message_id]) -> 0,
    'ticket', private.admin_support_ticket_rows(array[p_id]) -> 0
  );
end
$$;

-- It calls functions by their names of now.
create or replace function api.admin_update_support_ticket(
  p_admin_id uuid, p_id uuid, p_status text, p_seen_updated_at timestamptz default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_ticket public.support_tickets;
begin
  perform private.lock_admin(p_admin_id, 'support');
  if p_status is distinct from 'closed' then
    perform private.raise_error('validation_error', 422, 'status must be closed.', p_param => 'status');
  end if;
  v_ticket := private.locked_support_ticket(p_admin_id, p_id, p_seen_updated_at);
  perform private.check_move('support_ticket', v_ticket.status, p_status);
  update public.support_tickets set status = p_status where id = p_id;
  perform private.record_ticket_act(p_admin_id, 'support_ticket.close', v_ticket);
  return private.admin_support_ticket_rows(array[p_id]) -> 0;
end
$$;

-- The errors of objects of fields: the position of the object from 1, the field (null: it is no object), and the
-- sentence; in order, one for each field. p_before has the fields of the row that an object changes, or the defaults of
-- a new one.
create or replace function private.field_errors(
  p_table regclass, p_objects jsonb[], p_fields text[], p_required text[] default '{}', p_rules jsonb default '{}',
  p_before jsonb default '{}'
) returns table (place bigint, field text, message text)
language plpgsql stable
set search_path = ''
as $$
declare
  v_errors jsonb;
  v_objects jsonb[];
begin
  select coalesce(jsonb_agg(jsonb_build_array(w.place, w.field, w.message)), '[]') into v_errors
  from (
    select o.place, f.field, f.field || ' ' || case
        when f.field <> all (p_fields) then 'does not exist, or it cannot be changed. Remove it.'
        else private.value_error(f.value, coalesce(p_rules -> f.field ->> 'type', a.type), a.is_required,
          coalesce(p_rules -> '*', '{}') || coalesce(p_rules -> f.field, '{}'))
      end as message
    from unnest(p_objects) with ordinality as o (value, place)
    cross join lateral (
      select e.key as field, e.value from jsonb_each(o.value) as e
      union all
      select q.field, null from unnest(p_required) as q (field) where not o.value ? q.field
    ) f
    left join (
      select attname::text as field, format_type(atttypid, null) as type, attnotnull as is_required
      from pg_catalog.pg_attribute where attrelid = p_table and attnum > 0
    ) a on a.field = f.field
    where jsonb_typeof(o.value) = 'object'
    union all
    select o.place, null, 'Must be an object.'
    from unnest(p_objects) with ordinality as o (value, place) where jsonb_typeof(o.value) is distinct from 'object'
  ) w
  where w.message is not null;
  -- Without the values that their columns cannot hold.
  v_objects := case when v_errors = '[]' then p_objects else array(
    select case when jsonb_typeof(o.value) = 'object' then o.value - array(
      select f.value ->> 1 from jsonb_array_elements(v_errors) as f where (f.value -> 0)::bigint = o.place
    ) else '{}' end
    from unnest(p_objects) with ordinality as o (value, place) order by o.place
  ) end;
  return query
  select distinct on (e.place, e.field) e.place, e.field, e.message
  from (
    select (f.value -> 0)::bigint as place, f.value ->> 1 as field, f.value ->> 2 as message from jsonb_array_elements(v_errors) as f
    union all
    select b.place, b.field, b.message from private.broken_checks(p_table, v_objects, p_before) as b
  ) e
  order by e.place, e.field;
end
$$;

-- It calls functions by their names of now.
create or replace function api.extend_store_sync_lease(p_run_id uuid, p_lease_id uuid) returns boolean
language plpgsql
security definer -- no role may read or write queues directly
set search_path = ''
as $$
declare
  v_run public.store_sync_runs;
begin
  perform private.lock_store_sync();
  v_run := private.locked_store_sync_run(p_run_id, p_lease_id);
  if v_run.id is not null then
    update public.store_sync_runs r set lease_ends_at = clock_timestamp() + make_interval(secs => private.lease_seconds())
    where r.id = p_run_id;
    perform private.hide_messages('store-sync', array[v_run.msg_id], private.lease_seconds());
  end if;
  return v_run.id is not null;
end
$$;

-- It calls functions by their names of now.
create or replace function api.finish_store_sync_run(p_run_id uuid, p_lease_id uuid) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_run public.store_sync_runs;
begin
  perform private.lock_store_sync();
  v_run := private.locked_store_sync_run(p_run_id, p_lease_id);
  if v_run.id is not null then
    perform private.end_store_sync_run(v_run, null);
  end if;
  return v_run.id is not null;
end
$$;

-- It calls functions by their names of now.
create or replace function api.fail_store_sync_run(p_run_id uuid, p_lease_id uuid, p_code text, p_message text) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_run public.store_sync_runs;
begin
  perform private.lock_store_sync();
  v_run := private.locked_store_sync_run(p_run_id, p_lease_id);
  if v_run.id is not null then
    perform private.end_store_sync_run(v_run, jsonb_build_object('code', p_code, 'message', left(p_message, 500)));
  end if;
  return v_run.id is not null;
end
$$;

-- It calls functions by their names of now.
create or replace function api.postpone_store_sync_run(
  p_run_id uuid, p_lease_id uuid, p_seconds integer default 0, p_code text default null, p_message text default null
) returns integer
language plpgsql
set search_path = ''
as $$
declare
  v_run public.store_sync_runs;
begin
  perform private.lock_store_sync();
  v_run := private.locked_store_sync_run(p_run_id, p_lease_id);
  if v_run.id is null then
    return null;
  end if;
  return private.delay_store_sync_run(v_run, p_seconds,
    case when p_code is not null then jsonb_build_object('code', p_code, 'message', left(p_message, 500)) end);
end
$$;

-- It calls functions by their names of now.
create or replace function api.write_store_sales(p_run_id uuid, p_lease_id uuid, p_day date, p_rows jsonb, p_rows_read integer) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_run public.store_sync_runs;
begin
  v_run := private.locked_store_sync_run(p_run_id, p_lease_id);
  if v_run.id is not null then
    perform private.record_store_rows(p_run_id, p_rows_read, private.replace_store_day(v_run.store, p_day, p_rows));
    perform private.record_store_part(v_run.store, v_run.task, p_day::text);
  end if;
  return v_run.id is not null;
end
$$;

-- It calls functions by their names of now.
create or replace function api.write_store_reviews(p_run_id uuid, p_lease_id uuid, p_rows jsonb, p_next_page text default null) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_run public.store_sync_runs;
begin
  v_run := private.locked_store_sync_run(p_run_id, p_lease_id);
  if v_run.id is not null then
    perform private.record_store_rows(p_run_id, jsonb_array_length(p_rows), private.put_store_reviews(v_run.store, p_rows));
    update public.store_sync_runs r set next_page = p_next_page where r.id = p_run_id;
  end if;
  return v_run.id is not null;
end
$$;

-- It calls functions by their names of now.
create or replace function api.write_store_metrics(
  p_run_id uuid, p_lease_id uuid, p_part text, p_reported_on date, p_rows jsonb, p_rows_read integer
) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_run public.store_sync_runs;
begin
  v_run := private.locked_store_sync_run(p_run_id, p_lease_id);
  if v_run.id is not null then
    perform private.record_store_rows(p_run_id, p_rows_read, private.put_store_metrics(v_run.store, p_reported_on, p_rows));
    perform private.record_store_part(v_run.store, v_run.task, p_part);
  end if;
  return v_run.id is not null;
end
$$;

-- Checks the fields of a preset; its query must be a SearchQueryV1. Errors: validation_error.
create or replace function private.check_preset(p_name text, p_query_json jsonb, p_sort_order integer) returns void
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

comment on table public.user_subscriptions is
  'Subscriptions and one-time purchases, each computed from its events. Written by private.project_subscription.';
