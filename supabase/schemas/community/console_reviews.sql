-- Moderation of reviews: the queue of pending reviews, and decisions, one or up to a hundred at once.
--
-- A decision has the version that was read (seen_updated_at): an edit by the author since then is a conflict. It changes
-- the status as private.allowed_moves lists, notifies the author and is recorded, in one transaction. The effects of a
-- status (points, badges, photos) are in private.tg_reviews__follow.
--
-- Invariants: an administrator cannot decide on their own review. Of two administrators who decide on the same version
-- one succeeds. In a list each decision has its own outcome, and an error of one does not undo the others.
-- Interface: api.admin_list_reviews, admin_get_review, admin_decide_review, admin_decide_reviews; for the other queues
-- private.files_of and private.decision_reason.

-- Reviews as the console lists them, oldest first, without those of withdrawn users; null for an empty list.
create function private.admin_review_rows(p_review_ids uuid[]) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select jsonb_agg(jsonb_build_object(
      'id', r.id, 'parking_lot_id', r.parking_lot_id, 'parking_lot_name', l.name, 'user_id', r.user_id,
      'user_name', u.display_name, 'rating', r.rating, 'comment', r.comment, 'status', r.status,
      -- Only the author's edit makes a review pending.
      'allowed_statuses', array_remove(private.allowed_states('review', r.status), 'pending'),
      'photos', coalesce(f.files, '[]'), 'created_at', r.created_at, 'updated_at', r.updated_at
    ) order by r.created_at, r.id)
    from public.reviews r
    join public.parking_lots l on l.id = r.parking_lot_id
    left join public.app_users u on u.id = r.user_id
    left join private.files_of('review', p_review_ids) f on f.entity_id = r.id
    where r.id = any (p_review_ids) and not exists (select from private.account_ends e where e.user_id = r.user_id)
  );
end
$$;

-- A review that the caller has locked (private.lock_reviews) and that may get this status. Errors: forbidden,
-- validation_error, not_found, conflict.
create function private.review_to_decide(p_admin_id uuid, p_id uuid, p_status text, p_seen_updated_at timestamptz)
returns public.reviews
language plpgsql
set search_path = ''
as $$
declare
  v_review public.reviews;
begin
  if p_status is null or p_status not in ('approved', 'rejected', 'hidden') then
    perform private.raise_error('validation_error', 422, 'status must be approved, rejected or hidden.', p_param => 'status');
  end if;
  select * into v_review from public.reviews r
  where r.id = p_id and not exists (select from private.account_ends e where e.user_id = r.user_id);
  if not found then
    perform private.raise_error('not_found', 404, 'There is no such review.', p_param => 'id');
  end if;
  perform private.check_decision(p_admin_id, v_review.user_id, v_review.updated_at, p_seen_updated_at);
  perform private.check_move('review', v_review.status, p_status);
  return v_review;
end
$$;

-- The effects of a decision on a review: a notification of the author, if there is one, with the reason, if there is one,
-- and the record of the act. Those of the new status came before (private.tg_reviews__follow).
create function private.on_review_decided(
  p_admin_id uuid, p_before public.reviews, p_after public.reviews, p_reason text
) returns void
language plpgsql
set search_path = ''
as $$
begin
  if (p_after).user_id is not null then
    perform private.notify((p_after).user_id, 'review_' || (p_after).status, jsonb_build_object(
      'lot', l.name, 'reason', private.reason_text(p_reason)
    ), jsonb_build_object('review_id', (p_after).id))
    from public.parking_lots l where l.id = (p_after).parking_lot_id;
  end if;
  perform private.record_act(p_admin_id,
    case (p_after).status when 'approved' then 'review.approve' when 'rejected' then 'review.reject' else 'review.hide' end,
    'review', (p_after).id::text, (p_after).user_id, private.difference(to_jsonb(p_before), to_jsonb(p_after))
      || jsonb_strip_nulls(jsonb_build_object('reason', p_reason)));
end
$$;

-- The rules of the fields that every decision on an entry has, for private.check_fields.
create function private.decision_rules() returns jsonb
language sql immutable
return '{
  "reason": {"type": "text", "blank": false, "max_length": 500}, "seen_updated_at": {"type": "timestamp with time zone", "null": false}
}'::jsonb;

-- Checks that a value is a list of 1 to 100 decisions, each on another review. Errors: validation_error, with the field
-- as param.
create function private.check_review_decisions(p_decisions jsonb) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_at integer;
begin
  if jsonb_typeof(p_decisions) is distinct from 'array' or jsonb_array_length(p_decisions) not between 1 and 100 then
    perform private.raise_error('validation_error', 422, 'decisions must be a list of 1 to 100 decisions.', p_param => 'decisions');
  end if;
  perform private.check_items('public.reviews', p_decisions, '{id,status,reason,seen_updated_at}', '{id,status,seen_updated_at}',
    private.decision_rules() || '{"status": {"in": ["approved", "rejected", "hidden"]}}', 'decisions');
  select min(d.place) - 1 into v_at from (
    select e.place, row_number() over (partition by (e.value ->> 'id')::uuid order by e.place) as nth
    from jsonb_array_elements(p_decisions) with ordinality as e (value, place)
  ) d where d.nth > 1;
  if v_at is not null then
    perform private.raise_error('validation_error', 422, 'A review must be in the list once only.', p_param => format('decisions.%s.id', v_at));
  end if;
end
$$;

create function api.admin_list_reviews(
  p_admin_id uuid,
  p_status text default 'pending',
  p_parking_lot_id uuid default null,
  p_user_id uuid default null,
  p_include text[] default '{}',
  p_cursor text default null,
  p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'reviews');
  perform private.check_choice('status', coalesce(p_status, ''), '{pending,approved,rejected,hidden}');
  return private.list_rows('public.reviews', '{created_at timestamptz,id uuid}', 'asc', jsonb_build_object(
    'r.status = %s', p_status,
    'r.parking_lot_id = %s::uuid', p_parking_lot_id,
    'r.user_id = %s::uuid', p_user_id
  ), p_include, p_cursor, p_limit, p_rows => 'private.admin_review_rows(array_agg((r).id))', p_is_capped => true,
    p_also => private.without_leavers());
end
$$;

comment on function api.admin_list_reviews(uuid, text, uuid, uuid, text[], text, integer) is
  'Reviews of one status (default: pending), oldest first: {items, next_cursor}, and total (counted up to 10,000) with total_is_exact when p_include has it. photos are storage keys, also of reviews that are not public. Reads only. For administrators of reviews. Errors: forbidden, validation_error.';

create function api.admin_get_review(p_admin_id uuid, p_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'reviews');
  return private.require_row(private.admin_review_rows(array[p_id]) -> 0, 'There is no such review.');
end
$$;

comment on function api.admin_get_review(uuid, uuid) is
  'A review as api.admin_list_reviews lists it. Reads only. For administrators of reviews. Errors: forbidden, not_found.';

create function api.admin_decide_review(
  p_admin_id uuid, p_id uuid, p_status text, p_reason text default null, p_seen_updated_at timestamptz default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_reason text;
  v_before public.reviews;
  v_after public.reviews;
begin
  perform private.lock_admin(p_admin_id, 'reviews');
  perform private.lock_reviews(array[p_id]);
  v_reason := private.decision_reason(p_reason);
  v_before := private.review_to_decide(p_admin_id, p_id, p_status, p_seen_updated_at);
  update public.reviews set status = p_status where id = p_id returning * into v_after;
  perform private.on_review_decided(p_admin_id, v_before, v_after, v_reason);
  return private.admin_review_rows(array[p_id]) -> 0;
end
$$;

comment on function api.admin_decide_review(uuid, uuid, text, text, timestamptz) is
  'Approves, rejects or hides the version of a review that the administrator read (p_seen_updated_at, its updated_at), notifies the author and returns the review. Not idempotent: the same decision again is a conflict. For administrators of reviews, not on their own. Errors: forbidden, validation_error, not_found, conflict.';

create function api.admin_decide_reviews(p_admin_id uuid, p_decisions jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_decision jsonb;
  v_reason text;
  v_before public.reviews;
  v_after public.reviews;
  v_message text;
  v_items jsonb := '[]';
begin
  perform private.lock_admin(p_admin_id, 'reviews');
  perform private.check_review_decisions(p_decisions);
  -- All are locked before the first decision, in one order: two lists with the same reviews cause no deadlock.
  perform private.lock_reviews(array(select (d ->> 'id')::uuid from jsonb_array_elements(p_decisions) as d));
  for v_decision in
    select d.value from jsonb_array_elements(p_decisions) with ordinality as d (value, place) order by d.place
  loop
    begin
      v_reason := private.decision_reason(v_decision ->> 'reason');
      v_before := private.review_to_decide(p_admin_id, (v_decision ->> 'id')::uuid, v_decision ->> 'status',
        (v_decision ->> 'seen_updated_at')::timestamptz);
      update public.reviews set status = v_decision ->> 'status' where id = v_before.id returning * into v_after;
      perform private.on_review_decided(p_admin_id, v_before, v_after, v_reason);
      v_items := v_items || jsonb_build_object('id', v_decision -> 'id', 'outcome', 'decided');
    exception when sqlstate 'PGRST' then
      get stacked diagnostics v_message = message_text;
      v_items := v_items || jsonb_build_object('id', v_decision -> 'id', 'outcome', 'error', 'error', private.raised_error(v_message));
    end;
  end loop;
  return jsonb_build_object('items', v_items);
end
$$;

comment on function api.admin_decide_reviews(uuid, jsonb) is
  'Decides on up to 100 reviews, each {id, status, reason, seen_updated_at} as for api.admin_decide_review: {items}, in the order of the request. Each item is {id, outcome}: decided, or error with the error {code, message, param, details}. An error of one does not undo the others; forbidden and validation_error can also be errors of the whole request. Not idempotent. For administrators of reviews. Errors: forbidden, validation_error, not_found, conflict.';
