-- Names: functions that return what is wrong with a value are named error, and private.project_subscription computes the row
-- of a subscription from its events.
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
