-- Events: the effects of an activity, a withdrawal, a report or a ticket are called where it begins, in order, and no longer
-- by triggers on tables that one function writes. Reviews have many writers: one trigger function does what six did.
--
-- The definitions are those of supabase/schemas after this change. Each function that triggers called has the same work as
-- before. The way back: the triggers and functions as they were, in one transaction.

set lock_timeout = '2s';

-- Activities

drop trigger _100_reward on public.user_activity_logs;
drop trigger _300_append_count on public.user_activity_logs;
drop trigger _310_note_day on public.user_activity_logs;
drop function private.tg_user_activity_logs__reward();
drop function private.tg_user_activity_logs__append_count();
drop function private.tg_user_activity_logs__note_day();
drop function private.log_activity(text, uuid, uuid, jsonb, boolean);
drop function private.count_for_badges(uuid, text, uuid, uuid, jsonb, timestamptz);

-- Appends an activity that counts for its lot to the pending rows, which the job counts.
create function private.append_lot_count(p_lot_id uuid, p_activity_type text, p_at timestamptz) returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into private.pending_lot_counts (parking_lot_id, day, activity_type)
  values (p_lot_id, private.day_of(p_at), p_activity_type);
end
$$;

-- Counts an activity, or a state that begins, for every badge that it meets and the user has not earned, and gives those
-- that are earned by it. A badge with invalid conditions is noted and skipped.
create function private.count_for_badges(
  p_user_id uuid, p_kind text, p_subject_id uuid, p_lot_id uuid, p_metadata jsonb, p_at timestamptz
) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_badge public.badges;
  v_fault text[];
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
    v_fault := private.badge_conditions_fault(v_badge.conditions);
    if v_fault is not null then
      insert into private.badge_faults (badge_id, fault) values (v_badge.id, v_fault[2]) on conflict do nothing;
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

-- Gives the points of an activity, and those of the day's first activity, then counts it for badges: a badge that is
-- earned by it comes after its points in the history. A fact that is checked counts once, confirmed or denied.
create or replace function private.reward_activity(p_activity public.user_activity_logs) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_subject_id constant uuid := coalesce((p_activity).subject_id, (p_activity).id);
  v_reason text;
begin
  -- The account is locked first: a later writer of the same user waits here, and reads the sums after it.
  perform 1 from public.app_users u where u.id = (p_activity).user_id for no key update;
  select r.reason into v_reason from private.exp_rules r
  where r.activity_type = (p_activity).activity_type and r.is_active;
  if found then
    perform private.give_exp((p_activity).user_id, v_reason,
      case v_reason when 'field_value_vote' then 'field_value' else (p_activity).activity_type end,
      v_subject_id, (p_activity).activity_type);
    if not exists (
      select from public.exp_entries e
      where e.user_id = (p_activity).user_id and e.reason = 'first_of_day'
        and e.given_on = (now() at time zone 'Asia/Tokyo')::date
    ) then
      perform private.give_exp((p_activity).user_id, 'first_of_day', 'activity', (p_activity).id);
    end if;
  end if;
  perform private.count_for_badges((p_activity).user_id, (p_activity).activity_type, v_subject_id, (p_activity).parking_lot_id,
    (p_activity).metadata, (p_activity).created_at);
end
$$;

-- Records an activity of a user and does what follows from it. Returns false, and does nothing, when the user has done the
-- same before. For functions of the service only.
create function private.record_activity(
  p_user_id uuid, p_activity_type text, p_parking_lot_id uuid default null, p_subject_id uuid default null,
  p_metadata jsonb default '{}', p_is_rewarded boolean default true, p_created_at timestamptz default now()
) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_activity public.user_activity_logs;
begin
  insert into public.user_activity_logs (user_id, activity_type, parking_lot_id, subject_id, metadata, is_rewarded, created_at)
  values (p_user_id, p_activity_type, p_parking_lot_id, p_subject_id, p_metadata, p_is_rewarded, p_created_at)
  on conflict do nothing
  returning * into v_activity;
  if not found then
    return false;
  end if;
  if v_activity.is_rewarded then
    perform private.reward_activity(v_activity);
  end if;
  if v_activity.parking_lot_id is not null and v_activity.activity_type in ('lot_save', 'session_start') then
    perform private.append_lot_count(v_activity.parking_lot_id, v_activity.activity_type, v_activity.created_at);
  end if;
  -- Only the first activity of a day writes.
  update public.app_users u set last_active_on = private.utc_day(v_activity.created_at)
  where u.id = p_user_id and coalesce(u.last_active_on < private.utc_day(v_activity.created_at), true);
  return true;
end
$$;

-- Records an activity of the caller in its transaction; false when the caller has done the same before. Errors:
-- unauthorized, forbidden.
create function private.log_activity(
  p_activity_type text, p_parking_lot_id uuid, p_subject_id uuid, p_metadata jsonb default '{}',
  p_is_rewarded boolean default true
) returns boolean
language plpgsql
security definer -- no role may write rows directly; the row is always the caller's
set search_path = ''
as $$
begin
  return private.record_activity(private.active_user(), p_activity_type, p_parking_lot_id, p_subject_id, p_metadata, p_is_rewarded);
end
$$;

grant execute on function private.log_activity(text, uuid, uuid, jsonb, boolean) to authenticated;

-- Reviews

drop trigger _200_reward on public.reviews;
drop trigger _200_take_back on public.reviews;
drop trigger _200_publish_photos on public.reviews;
drop trigger _200_delete_photos on public.reviews;
drop trigger _500_notify_admins on public.reviews;
drop trigger _900_drop_unpublished on public.reviews;
drop function private.tg_reviews__reward();
drop function private.tg_reviews__take_back();
drop function private.tg_reviews__publish_photos();
drop function private.tg_reviews__delete_photos();
drop function private.tg_reviews__notify_admins();
drop function private.tg_reviews__drop_unpublished();
drop function private.deleted_with_lot(public.reviews);

-- Gives the author of an approved review its points, and counts it for badges.
create function private.reward_review(p_review public.reviews) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.give_exp((p_review).user_id, 'review_approved', 'review', (p_review).id);
  perform private.count_for_badges((p_review).user_id, 'review_approved', (p_review).id, (p_review).parking_lot_id,
    jsonb_build_object('rating', (p_review).rating), (p_review).created_at);
end
$$;

-- Takes back the points and the count of a review that was approved. One that is deleted with its lot keeps them, because
-- the deletion of a lot does not wait for accounts.
create function private.unreward_review(p_review public.reviews) returns void
language plpgsql
set search_path = ''
as $$
begin
  if exists (select from public.parking_lots l where l.id = (p_review).parking_lot_id) then
    perform private.take_exp_back((p_review).user_id, 'review_approved', 'review', (p_review).id);
    perform private.uncount_review((p_review).user_id, p_review);
  else
    insert into private.kept_reviews (review_id, user_id, parking_lot_id, rating, created_at)
    values ((p_review).id, (p_review).user_id, (p_review).parking_lot_id, (p_review).rating, (p_review).created_at);
  end if;
end
$$;

-- Marks the photos of deleted reviews for deletion.
create function private.delete_review_photos(p_review_ids uuid[]) returns void
language plpgsql
set search_path = ''
as $$
begin
  update public.assets set deleted_at = now()
  where entity_id = any (p_review_ids) and entity_type = 'review' and attached_at is not null and deleted_at is null;
end
$$;

-- The effects of reviews that a statement wrote, in order: points and badges of authors, photos, and what an author
-- leaves. A trigger, because reviews have more writers than functions: decisions, edits of the author, the deletion of a
-- lot, the withdrawal of an author, and the auth server.
create function private.tg_reviews__follow() returns trigger
language plpgsql
security definer -- neither an author, an administrator nor the auth server may write points, files and reviews of others
set search_path = ''
as $$
declare
  v_review record;
  v_shown uuid[];
  v_hidden uuid[];
  v_left uuid[];
begin
  if tg_op = 'INSERT' then
    perform private.reward_review(row (r.*)::public.reviews)
    from rows_changed r where r.status = 'approved' and r.user_id is not null order by r.id;
    return null;
  elsif tg_op = 'DELETE' then
    perform private.unreward_review(row (r.*)::public.reviews)
    from rows_changed r where r.status = 'approved' and r.user_id is not null order by r.id;
    perform private.delete_review_photos(array(select r.id from rows_changed r));
    return null;
  end if;
  -- Not for thousands of reviews of an author who withdraws: their points and progress are deleted.
  for v_review in
    select row (b.*)::public.reviews as before, row (c.*)::public.reviews as after,
      b.status = 'approved' and b.user_id is not null as was_approved, c.status = 'approved' as is_approved
    -- By conditions that keep it a full join, which is never a nested loop: one that was planned for a single row would take
    -- minutes for the thousands of a withdrawal.
    from rows_before b full join rows_changed c using (id)
    where case when c.user_id is not null then
      case when b.status = 'approved' then b.user_id end is distinct from case when c.status = 'approved' then c.user_id end
    end
    order by id
  loop
    if v_review.was_approved then
      perform private.unreward_review(v_review.before);
    end if;
    if v_review.is_approved then
      perform private.reward_review(v_review.after);
    end if;
  end loop;
  select array_agg(c.id) filter (where c.status = 'approved'), array_agg(c.id) filter (where c.status <> 'approved')
  into v_shown, v_hidden
  from rows_before b full join rows_changed c using (id)
  where (b.status = 'approved') is distinct from (c.status = 'approved');
  if v_shown is not null then
    perform private.publish_assets('review', v_shown);
  end if;
  if v_hidden is not null then
    perform private.unpublish_assets('review', v_hidden);
  end if;
  -- Reviews that are not published (pending, rejected, hidden) are deleted with their author.
  v_left := array(
    select b.id from rows_before b where b.user_id is not null
    intersect select c.id from rows_changed c where c.user_id is null and c.status <> 'approved'
  );
  if v_left <> '{}' then
    delete from public.reviews where id = any (v_left);
  end if;
  return null;
end
$$;

select private.watch('public.reviews', '{insert,update,delete}', '_050_follow', 'private.tg_reviews__follow');

-- The effects of the caller's new review: an activity, and the first time for this lot a notification to administrators
-- of reviews. The list of pending reviews has the rest.
create function private.on_review_posted(p_review_id uuid) returns void
language plpgsql
security definer -- the author of a review may not write to administrators; the review is the caller's
set search_path = ''
as $$
declare
  v_lot_id uuid;
begin
  select r.parking_lot_id into v_lot_id from public.reviews r where r.id = p_review_id and r.user_id = private.caller();
  if found and private.log_activity('review_post', v_lot_id, p_review_id) then
    perform private.notify_admins('review_pending', 'レビューの審査待ち', p_link => '/reviews/' || p_review_id, p_area => 'reviews');
  end if;
end
$$;

grant execute on function private.on_review_posted(uuid) to authenticated;

-- It calls private.on_review_posted for the effects.
create or replace function commands.post_review(
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

-- Error reports

drop trigger _200_reward on public.error_reports;
drop trigger _500_notify_admins on public.error_reports;
drop function private.tg_error_reports__reward();
drop function private.tg_error_reports__notify_admins();
drop function private.notify_report_author(public.error_reports, text);

-- The effects of the caller's new report: an activity, and a notification to administrators of lots.
create function private.on_error_report_posted(p_report_id uuid) returns void
language plpgsql
security definer -- a user may not write to administrators; the report is the caller's
set search_path = ''
as $$
declare
  v_report public.error_reports;
begin
  select * into v_report from public.error_reports r where r.id = p_report_id and r.user_id = private.caller();
  if found and private.log_activity('error_report_post', v_report.parking_lot_id, p_report_id) then
    perform private.notify_admins('error_report', '情報修正の報告', p_link => '/error-reports/' || p_report_id,
      p_severity => case when v_report.severity in ('high', 'critical') then 'warning' else 'info' end, p_area => 'lots');
  end if;
end
$$;

grant execute on function private.on_error_report_posted(uuid) to authenticated;

-- It calls private.on_error_report_posted for the effects.
create or replace function commands.post_error_report(
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

-- The effects of a decision on a report whose author still has an account: the points of a correct one, and a notification
-- of the result, with the reason if there is one.
create function private.on_error_report_decided(p_report public.error_reports, p_reason text) returns void
language plpgsql
security definer -- an administrator may write neither points nor progress
set search_path = ''
as $$
begin
  if (p_report).user_id is null then
    return;
  elsif (p_report).status = 'resolved' then
    perform private.give_exp((p_report).user_id, 'error_report_resolved', 'error_report', (p_report).id);
    perform private.count_for_badges((p_report).user_id, 'error_report_resolved', (p_report).id, (p_report).parking_lot_id,
      jsonb_build_object('report_type', (p_report).report_type), (p_report).created_at);
  end if;
  perform private.notify((p_report).user_id, 'error_report_' || (p_report).status, jsonb_build_object(
    'lot', (p_report).parking_lot_name, 'reason', private.reason_text(p_reason)
  ), jsonb_build_object('error_report_id', (p_report).id));
end
$$;

-- It calls private.on_error_report_decided for the effects.
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
  v_before := private.held_error_report(p_id, p_changes ? 'correction');
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

-- Support tickets

drop trigger _500_notify_admins on public.support_tickets;
drop function private.tg_support_tickets__notify_admins();

-- Opens a ticket of the caller, without a message. Errors: unauthorized, forbidden, rate_limited.
create or replace function private.open_support_ticket(p_category text, p_subject text) returns public.support_tickets
language plpgsql
security definer -- clients have no right to insert: they could circumvent the daily limit
set search_path = ''
as $$
declare
  c_max constant integer := 5;
  v_user_id uuid := private.writing_user();
  v_ticket public.support_tickets;
  v_opened timestamptz[];
begin
  select array_agg(t.created_at order by t.created_at desc) into v_opened
  from public.support_tickets t where t.user_id = v_user_id and t.created_at > clock_timestamp() - interval '24 hours';
  if cardinality(v_opened) >= c_max then
    perform private.raise_error('rate_limited', 429, format('At most %s tickets are allowed in 24 hours. Retry after details.retry_after seconds.', c_max), p_details => jsonb_build_object(
      'policy', 'support_tickets',
      'retry_after', ceil(extract(epoch from v_opened[c_max] + interval '24 hours' - clock_timestamp()))::integer
    ));
  end if;
  insert into public.support_tickets (user_id, category, subject) values (v_user_id, p_category, p_subject)
  returning * into v_ticket;
  perform private.notify_admins('support_ticket', 'サポートへの問い合わせ', p_link => '/support-tickets/' || v_ticket.id,
    p_area => 'support');
  perform private.log_activity('support_ticket_post', null, v_ticket.id);
  return v_ticket;
end
$$;

-- private.open_support_ticket has the effects.
create or replace function commands.create_support_ticket(
  p_category text, p_subject text, p_message text, p_attachment_asset_ids uuid[] default '{}'
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_ticket public.support_tickets;
begin
  perform private.active_user();
  if not exists (select from public.codes c where c.category_id = 'ticket_category' and c.code = p_category) then
    perform private.raise_error('validation_error', 422, 'category must be a code of the list ticket_category.', p_param => 'category');
  end if;
  v_ticket := private.open_support_ticket(p_category, private.required_text(p_subject, 'public.support_tickets', 'subject'));
  perform private.write_support_message(v_ticket.id, p_message, p_attachment_asset_ids);
  return api.get_support_ticket(v_ticket.id);
end
$$;

-- Withdrawals

drop trigger _300_clear_act_values on public.app_users;
drop trigger _310_delete_admin_replies on public.app_users;
drop trigger _310_delete_replies on public.app_users;
drop trigger _320_leave_subscriptions on public.app_users;
drop trigger _400_erase_user_data on public.app_users;
drop function private.tg_app_users__clear_act_values();
drop function private.tg_app_users__delete_admin_replies();
drop function private.tg_app_users__delete_replies();
drop function private.tg_app_users__leave_subscriptions();
drop function private.tg_app_users__erase_user_data();

-- Removes the personal data of a user who withdraws from the records of acts: the names of changed fields stay, their
-- values are removed.
create function private.clear_act_values(p_user_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  update public.admin_activity_logs l
  set changes = (select coalesce(jsonb_object_agg(k.field, null), '{}') from jsonb_object_keys(l.changes) as k (field))
  where l.user_id = p_user_id and l.changes <> '{}';
end
$$;

-- Deletes the stored replies to administrators about an app user who withdraws. A retry runs again, and finds the account
-- withdrawn.
create function private.delete_admin_replies(p_user_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  delete from private.idempotency_replies r using public.admins a
  -- No reply about a user is larger; those of imports are, and are not read.
  where r.user_id = a.id and pg_column_size(r.reply) <= 131072 and strpos(r.reply::text, p_user_id::text) > 0;
end
$$;

-- Deletes the stored replies of a user who withdraws: they may contain what the user wrote.
create function private.delete_replies(p_user_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- Not their count of the day: a request of the user may hold that row and wait for the account.
  delete from private.idempotency_replies where user_id = p_user_id;
end
$$;

-- Removes the owner of the subscriptions of a user who withdraws; the user's next account can claim them.
create function private.leave_subscriptions(p_user_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  delete from private.verified_purchases where user_id = p_user_id;
  -- The administrator's text about the user is deleted; the revocation of the subscription stays.
  update public.store_events e set payload = e.payload - 'reason'
  where e.source = 'admin' and e.subscription_id in (select s.id from public.user_subscriptions s where s.user_id = p_user_id);
  update public.user_subscriptions set user_id = null, announced = null where user_id = p_user_id;
end
$$;

-- Deletes the few-row data of a user who withdraws: settings, devices, keys, the avatar. Leaves the rest to the job.
create function private.erase_user_data(p_user_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  delete from public.search_presets where user_id = p_user_id;
  delete from public.search_preferences where user_id = p_user_id;
  delete from public.notification_preferences where user_id = p_user_id;
  delete from public.notification_quiet_hours where user_id = p_user_id;
  delete from public.user_push_tokens where user_id = p_user_id;
  delete from private.push_times where user_id = p_user_id;
  delete from private.ai_keys where user_id = p_user_id;
  update public.assets set created_by = null where created_by = p_user_id and category = 'avatar';
  insert into private.account_ends (user_id, log_texts)
  select u.id, array_remove(array[to_json(u.id)::text, to_json(u.email)::text], null) from auth.users u where u.id = p_user_id;
end
$$;

-- Withdraws an account that the caller has locked, with what follows in each domain, in order: records of acts, stored
-- replies, subscriptions, the account's own settings, the sign-in. The rest of its rows is left to the job.
create or replace function private.empty_account(p_user_id uuid) returns void
language plpgsql
security definer -- no role may write the status of an account and the identity provider's tables directly
set search_path = ''
as $$
begin
  update public.app_users set status = 'withdrawn', display_name = null, premium_ends_at = null, granted_premium_ends_at = null where id = p_user_id;
  perform private.clear_act_values(p_user_id);
  perform private.delete_admin_replies(p_user_id);
  perform private.delete_replies(p_user_id);
  perform private.leave_subscriptions(p_user_id);
  perform private.erase_user_data(p_user_id);
  perform private.close_sign_in(p_user_id);
  update public.admins set name = null where id = p_user_id;
end
$$;

-- Totals of files

drop trigger _150_add_bytes on public.assets;
drop trigger _150_change_bytes on public.assets;
drop trigger _150_subtract_bytes on public.assets;
drop function private.tg_assets__add_bytes();
drop function private.tg_assets__change_bytes();
drop function private.tg_assets__subtract_bytes();

-- Adds files that a statement added, changed or deleted to the totals of their uploaders, in the order of the users, because
-- a sweep deletes files of many. Most updates change neither uploader nor size nor category: for them no user is left.
create function private.tg_assets__count_bytes() returns trigger
language plpgsql
security definer -- no role may write the totals directly
set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' then
    perform private.change_file_totals(c.user_id, c.bytes, c.files) from (
      select f.created_by as user_id, sum(f.sign * coalesce(f.size_bytes, 0)) as bytes, sum(f.sign)::integer as files
      from (
        select 1 as sign, r.created_by, r.size_bytes, r.category from rows_changed r
        union all select -1, b.created_by, b.size_bytes, b.category from rows_before b
      ) f
      where f.created_by is not null and f.category <> 'parking_lot'
      group by f.created_by having sum(f.sign * coalesce(f.size_bytes, 0)) <> 0 or sum(f.sign) <> 0 order by f.created_by
    ) c;
  else
    perform private.change_file_totals(c.user_id, c.sign * c.bytes, c.sign * c.files) from (
      select r.created_by as user_id, coalesce(sum(r.size_bytes), 0) as bytes, count(*)::integer as files,
        case tg_op when 'INSERT' then 1 else -1 end as sign
      from rows_changed r where r.created_by is not null and r.category <> 'parking_lot'
      group by r.created_by order by r.created_by
    ) c;
  end if;
  return null;
end
$$;

select private.watch('public.assets', '{insert,update,delete}', '_150_count_bytes', 'private.tg_assets__count_bytes');
