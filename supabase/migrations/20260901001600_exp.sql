-- Experience points (EXP): a ledger of the points that users were given, and the resulting level.
--
-- An entry refers to its source: the row that was the cause. A source counts at most once. When it is undone (a review is
-- hidden), a further entry takes the points back; when it is redone, a further entry gives them again. So entries of a
-- source are numbered from 1: odd ones give, even ones take. private.exp_rules has the reasons. A day is one in Japan.
--
-- Invariants: entries do not change. app_users.total_exp is the sum of a user's entries and level the highest that it
-- reaches, with any number of concurrent writers. Only the ledger's triggers write these two columns.
-- Interface: api.my_exp, list_my_exp_entries; for other domains private.give_exp, private.take_exp_back. After an edit of
-- levels, users keep theirs until recalculated (migration level_recalculation).

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables
-- ---------------------------------------------------------------------------------------------------------------------

create table private.exp_rules (
  id integer generated always as identity primary key,
  reason text collate "C" not null,
  activity_type text collate "C" constraint exp_rules_one_an_activity unique,
  amount integer not null constraint exp_rules_amount_bounds check (amount between 1 and 10000),
  daily_limit integer constraint exp_rules_daily_limit_bounds check (daily_limit between 1 and 1000),
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint exp_rules_one_a_cause unique nulls not distinct (reason, activity_type)
);

comment on table private.exp_rules is
  'For what points are given, and how many. An edit counts from then on; entries stay as they are.';
comment on column private.exp_rules.activity_type is
  'The activity that is the cause; null: not an activity, the domain calls private.give_exp.';
comment on column private.exp_rules.daily_limit is 'The number of sources that count for a user in a day; null: no limit.';

create table public.levels (
  level integer primary key constraint levels_level_positive check (level >= 1),
  required_exp integer not null,
  name text constraint levels_name_length check (char_length(name) between 1 and 50),
  name_en text constraint levels_name_en_length check (char_length(name_en) between 1 and 50),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint levels_first_is_free check ((level = 1) = (required_exp = 0) and required_exp >= 0)
);

comment on table public.levels is 'The points at which a user reaches a level; they increase with the level (triggers).';
comment on column public.levels.name is 'In Japanese; name_en is the English name.';

create table public.exp_entries (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.app_users (id) on delete cascade,
  reason text collate "C" not null,
  source_type text not null,
  source_id uuid not null,
  turn integer not null default 1 constraint exp_entries_turn_positive check (turn >= 1),
  -- A mistyped adjustment cannot fill the sum and make later activities fail.
  amount integer not null constraint exp_entries_amount_bounds check (amount between -1000000 and 1000000),
  given_on date not null default (now() at time zone 'Asia/Tokyo')::date,
  created_at timestamptz not null default clock_timestamp(),
  constraint exp_entries_one_a_source_and_turn unique (user_id, reason, source_type, source_id, turn),
  constraint exp_entries_turn_has_sign check (reason = 'adjustment' or (turn % 2 = 1) = (amount > 0))
);

comment on table public.exp_entries is 'Points that users were given and points that were taken back.';
comment on column public.exp_entries.reason is 'A code of exp_reason.';
comment on column public.exp_entries.source_type is 'What source_id refers to: the activity type, or the cause.';
comment on column public.exp_entries.source_id is
  'The row that was the cause. Not a foreign key: the entry outlives the row.';
comment on column public.exp_entries.turn is
  'The number of the entry of its source: odd ones give, even ones take it back.';
comment on column public.exp_entries.given_on is 'The day in Japan.';

-- The first activity of a day counts once, for any activity.
create unique index exp_entries_first_of_day_idx on public.exp_entries (user_id, given_on) where reason = 'first_of_day';
-- The entries of a user, newest first.
create index exp_entries_user_idx on public.exp_entries (user_id, created_at desc, id desc);
-- The entries of a user today.
create index exp_entries_day_idx on public.exp_entries (user_id, given_on, reason);

-- ---------------------------------------------------------------------------------------------------------------------
-- Row security
-- ---------------------------------------------------------------------------------------------------------------------

alter table public.levels enable row level security;
alter table public.exp_entries enable row level security;

create policy "Authenticated users read the levels" on public.levels for select to authenticated using (true);
create policy "Users read their own points" on public.exp_entries for select to authenticated
  using ((select auth.uid()) = user_id);
-- No insert, update or delete: entries come from private.give_exp and stay.

grant select (level, required_exp, name, name_en, created_at, updated_at) on public.levels to authenticated;
grant select (id, user_id, reason, source_type, source_id, turn, amount, given_on, created_at)
  on public.exp_entries to authenticated;
grant select (total_exp, level) on public.app_users to authenticated;
grant select, insert, update, delete on private.exp_rules to service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: rules
-- ---------------------------------------------------------------------------------------------------------------------

create function private.tg_exp_rules__check_codes() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if new.reason = 'adjustment'
    or not exists (select from public.codes c where c.category_id = 'exp_reason' and c.code = new.reason) then
    perform private.raise_error('validation_error', 422, 'reason must be a code of the list exp_reason, and not an adjustment.', p_param => 'reason');
  elsif not exists (
    select from public.codes c
    where c.category_id = 'user_activity' and c.code = coalesce(new.activity_type, c.code)
  ) then
    perform private.raise_error('validation_error', 422, 'activity_type must be a code of the list user_activity.', p_param => 'activity_type');
  end if;
  return new;
end
$$;

comment on function private.tg_exp_rules__check_codes() is
  'Rejects a rule whose reason has no label, or whose activity does not exist.';

create trigger _100_check_codes before insert or update of reason, activity_type on private.exp_rules
  for each row execute function private.tg_exp_rules__check_codes();
create trigger _200_touch_updated_at before update on private.exp_rules
  for each row execute function private.tg_touch_updated_at();

create function private.tg_levels__hold() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('public.levels', 0));
  return null;
end
$$;

comment on function private.tg_levels__hold() is
  'One writer of levels at a time: the check that follows then reads the levels of all others.';

create function private.tg_levels__check_rise() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  v_level integer := (
    select o.level from (select l.*, lag(l.required_exp) over (order by l.level) as below from public.levels l) o
    where o.required_exp <= o.below order by o.level limit 1
  );
begin
  if v_level is not null then
    perform private.raise_error('validation_error', 422, 'required_exp must increase with the level.', p_param => 'required_exp',
      p_details => jsonb_build_object('level', v_level));
  end if;
  return null;
end
$$;

comment on function private.tg_levels__check_rise() is
  'Rejects levels whose required_exp does not increase; details.level is the first of them.';

create trigger _100_hold before insert or update on public.levels
  for each statement execute function private.tg_levels__hold();
create trigger _200_touch_updated_at before update on public.levels
  for each row execute function private.tg_touch_updated_at();
create trigger _300_check_rise after insert or update on public.levels
  for each statement execute function private.tg_levels__check_rise();

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: sums and levels
-- ---------------------------------------------------------------------------------------------------------------------

-- Queries of an activity are in plpgsql, even a single statement: it is planned once a connection, SQL at every call.

create function private.level_at(p_exp integer) returns integer
language plpgsql stable strict
set search_path = ''
as $$
begin
  return coalesce((select max(l.level) from public.levels l where l.required_exp <= p_exp), 1);
end
$$;

comment on function private.level_at(integer) is 'The highest level that these points reach.';

create function private.tg_exp_entries__keep_sums() returns trigger
language plpgsql
security definer -- no role may write the sums directly
set search_path = ''
as $$
begin
  -- The sum is added to the row's value under its lock, so no concurrent writer's points are lost.
  update public.app_users u
  set total_exp = u.total_exp + d.amount, level = private.level_at(u.total_exp + d.amount)
  from (
    select r.user_id, (sum(r.amount) * case tg_op when 'DELETE' then -1 else 1 end)::integer as amount
    from rows_changed r group by r.user_id
  ) d
  where u.id = d.user_id;
  return null;
end
$$;

comment on function private.tg_exp_entries__keep_sums() is 'Adds entries to the sums of their users, in one statement.';

create trigger _100_keep_sums_on_insert after insert on public.exp_entries
  referencing new table as rows_changed
  for each statement execute function private.tg_exp_entries__keep_sums();
create trigger _100_keep_sums_on_delete after delete on public.exp_entries
  referencing old table as rows_changed
  for each statement execute function private.tg_exp_entries__keep_sums();

create function private.tg_app_users__notify_level() returns trigger
language plpgsql
security definer -- the role that caused the points may not write notifications
set search_path = ''
as $$
begin
  perform private.notify(new.id, 'level_up', jsonb_build_object('level', new.level, 'exp', to_char(new.total_exp, 'FM999G999G999G990')));
  return null;
end
$$;

comment on function private.tg_app_users__notify_level() is 'Notifies a user that they reached a level for the first time.';

-- Only within the ledger's trigger: a recalculation, after an edit of levels, would notify all users at once.
create trigger _500_notify_level after update of level on public.app_users
  for each row when (new.level > old.highest_level and new.status <> 'withdrawn' and pg_trigger_depth() > 0)
  execute function private.tg_app_users__notify_level();

grant execute on function private.level_at(integer) to service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: giving and taking back
-- ---------------------------------------------------------------------------------------------------------------------

create function private.is_exp_left(p_user_id uuid, p_reason text, p_daily_limit integer) returns boolean
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
begin
  return p_daily_limit is null or p_daily_limit > (
    select count(distinct e.source_id) from public.exp_entries e
    where e.user_id = p_user_id and e.reason = p_reason and e.turn % 2 = 1
      and e.given_on = (now() at time zone 'Asia/Tokyo')::date
  );
end
$$;

comment on function private.is_exp_left(uuid, text, integer) is
  'Whether a user can be given points for one more source today, under a daily limit.';

create function private.give_exp(
  p_user_id uuid, p_reason text, p_source_type text, p_source_id uuid, p_activity_type text default null
) returns void
language plpgsql
security definer -- no role may write entries directly
set search_path = ''
set enable_seqscan = off -- a rebuild of badges plans this once, when the ledger is still empty, and then fills it
as $$
declare
  v_rule private.exp_rules;
  v_turn integer;
begin
  select * into v_rule from private.exp_rules r
  where r.reason = p_reason and r.activity_type is not distinct from p_activity_type and r.is_active;
  if not found or p_source_id is null then
    return;
  end if;
  -- One transaction a user at a time: the count below is then complete.
  perform 1 from public.app_users u where u.id = p_user_id and u.status <> 'withdrawn' for no key update;
  if not found then
    return;
  end if;
  select coalesce(max(e.turn), 0) into v_turn from public.exp_entries e
  where e.user_id = p_user_id and e.reason = p_reason and e.source_type = p_source_type and e.source_id = p_source_id;
  -- Points that were given and taken back are given again, even above the daily limit.
  if v_turn % 2 = 1 or (v_turn = 0 and not private.is_exp_left(p_user_id, p_reason, v_rule.daily_limit)) then
    return;
  end if;
  insert into public.exp_entries (user_id, reason, source_type, source_id, turn, amount)
  values (p_user_id, p_reason, p_source_type, p_source_id, v_turn + 1, v_rule.amount);
end
$$;

comment on function private.give_exp(uuid, text, text, uuid, text) is
  'Gives a user the points of a reason for a source, in the transaction of its cause. Gives nothing when the source has them already, the daily limit is reached, or the rule is off.';

create function private.take_exp_back(p_user_id uuid, p_reason text, p_source_type text, p_source_id uuid) returns void
language plpgsql
security definer -- no role may write entries directly
set search_path = ''
as $$
begin
  perform 1 from public.app_users u where u.id = p_user_id and u.status <> 'withdrawn' for no key update;
  if not found then
    return;
  end if;
  insert into public.exp_entries (user_id, reason, source_type, source_id, turn, amount)
  select e.user_id, e.reason, e.source_type, e.source_id, e.turn + 1, -e.amount
  from (
    select * from public.exp_entries l
    where l.user_id = p_user_id and l.reason = p_reason and l.source_type = p_source_type and l.source_id = p_source_id
    order by l.turn desc limit 1
  ) e
  where e.turn % 2 = 1;
end
$$;

comment on function private.take_exp_back(uuid, text, text, uuid) is
  'Takes back the points of a source, by a separate entry. Does nothing when the source gave none or they were taken back already.';

create function private.reward_activity(p_activity public.user_activity_logs) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_reason text;
begin
  select r.reason into v_reason from private.exp_rules r
  where r.activity_type = (p_activity).activity_type and r.is_active;
  if not found then
    return;
  end if;
  perform private.give_exp((p_activity).user_id, v_reason,
    case v_reason when 'field_value_vote' then 'field_value' else (p_activity).activity_type end,
    coalesce((p_activity).subject_id, (p_activity).id), (p_activity).activity_type);
  if not exists (
    select from public.exp_entries e
    where e.user_id = (p_activity).user_id and e.reason = 'first_of_day'
      and e.given_on = (now() at time zone 'Asia/Tokyo')::date
  ) then
    perform private.give_exp((p_activity).user_id, 'first_of_day', 'activity', (p_activity).id);
  end if;
end
$$;

comment on function private.reward_activity(public.user_activity_logs) is
  'Gives the points of an activity, and those of the day''s first activity. A fact that is checked counts once, confirmed or denied.';

create function private.tg_user_activity_logs__give_exp() returns trigger
language plpgsql
security definer -- users may not write points
set search_path = ''
as $$
begin
  -- The account is locked first: a later writer of the same user waits here, and reads the sums after it.
  perform 1 from public.app_users u where u.id = new.user_id for no key update;
  perform private.reward_activity(new);
  return null;
end
$$;

comment on function private.tg_user_activity_logs__give_exp() is 'Gives the points of an activity in its transaction.';

create trigger _100_give_exp after insert on public.user_activity_logs
  for each row when (new.is_rewarded) execute function private.tg_user_activity_logs__give_exp();

create function private.deleted_with_lot(p_review public.reviews) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return not exists (select from public.parking_lots l where l.id = (p_review).parking_lot_id);
end
$$;

comment on function private.deleted_with_lot(public.reviews) is 'Whether a review is deleted because its lot is.';

create function private.tg_reviews__give_exp() returns trigger
language plpgsql
security definer -- neither an administrator nor an author may write points
set search_path = ''
as $$
declare
  v_before uuid := case when tg_op <> 'INSERT' and old.status = 'approved' then old.user_id end;
  v_after uuid := case when tg_op <> 'DELETE' and new.status = 'approved' then new.user_id end;
begin
  if v_before is distinct from v_after then
    if v_before is not null and not (tg_op = 'DELETE' and private.deleted_with_lot(old)) then
      perform private.take_exp_back(v_before, 'review_approved', 'review', old.id);
    end if;
    if v_after is not null then
      perform private.give_exp(v_after, 'review_approved', 'review', new.id);
    end if;
  end if;
  return null;
end
$$;

comment on function private.tg_reviews__give_exp() is
  'Gives points for a review while it is approved, and takes them back when it is hidden, edited or deleted. A review that is deleted with its lot keeps them, because the deletion of a lot does not wait for accounts.';

create trigger _200_give_exp_on_insert after insert on public.reviews
  for each row when (new.status = 'approved') execute function private.tg_reviews__give_exp();
-- On any update: a trigger makes an edited review pending, without status in the statement. But not for thousands of
-- reviews of an author who withdraws: their points are deleted.
create trigger _200_give_exp_on_update after update on public.reviews
  for each row when ('approved' in (old.status, new.status) and new.user_id is not null)
  execute function private.tg_reviews__give_exp();
create trigger _200_give_exp_on_delete after delete on public.reviews
  for each row when (old.status = 'approved') execute function private.tg_reviews__give_exp();

create function private.tg_error_reports__give_exp() returns trigger
language plpgsql
security definer -- an administrator may not write points
set search_path = ''
as $$
begin
  if new.user_id is not null then
    perform private.give_exp(new.user_id, 'error_report_resolved', 'error_report', new.id);
  end if;
  return null;
end
$$;

comment on function private.tg_error_reports__give_exp() is 'Gives points for a correct report.';

create trigger _200_give_exp after update of status on public.error_reports
  for each row when (new.status = 'resolved' and old.status <> 'resolved')
  execute function private.tg_error_reports__give_exp();

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface
-- ---------------------------------------------------------------------------------------------------------------------

create function api.my_exp() returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_user_id uuid := private.active_user();
begin
  return (
    select jsonb_build_object('total_exp', u.total_exp, 'level', u.level, 'next_level_exp', n.required_exp,
      'exp_to_next_level', case when n.required_exp is not null then greatest(n.required_exp - u.total_exp, 0) end)
    from public.app_users u
    left join lateral (
      select l.required_exp from public.levels l where l.level > u.level order by l.level limit 1
    ) n on true
    where u.id = v_user_id
  );
end
$$;

comment on function api.my_exp() is
  'The caller''s points and level, and the points of the next level; null at the highest. Reads only. Errors: unauthorized, forbidden.';

create function api.list_my_exp_entries(
  p_limit integer default 20, p_cursor text default null, p_include text[] default '{}'
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_user_id uuid := private.active_user();
  v_filters jsonb := jsonb_build_object('list', 'my_exp_entries', 'user_id', v_user_id);
  v_keys jsonb := private.page_start(v_filters, p_cursor, '{timestamptz,uuid}', 'desc');
begin
  perform private.page_limit(p_limit);
  return private.page(v_filters, (
    select jsonb_agg(jsonb_build_object('id', p.id, 'reason', p.reason, 'amount', p.amount, 'source_type', p.source_type,
      'source_id', p.source_id, 'created_at', p.created_at) order by p.created_at desc, p.id desc)
    from (
      select * from public.exp_entries e
      where e.user_id = v_user_id
        and (e.created_at, e.id) < ((v_keys ->> 0)::timestamptz, (v_keys ->> 1)::uuid)
      order by e.created_at desc, e.id desc
      limit p_limit + 1
    ) p
  ), '{created_at,id}', p_limit, case when 'total' = any (p_include) then (
    select count(*) from public.exp_entries e where e.user_id = v_user_id
  ) end);
end
$$;

comment on function api.list_my_exp_entries(integer, text, text[]) is
  'The caller''s entries, given and taken back, newest first: {items, next_cursor}, and total when p_include has it. Reads only. Errors: unauthorized, forbidden, validation_error.';

grant execute on function api.my_exp(), api.list_my_exp_entries(integer, text, text[]) to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Reference data
-- ---------------------------------------------------------------------------------------------------------------------

insert into private.exp_rules (reason, activity_type, amount, daily_limit) values
  ('session_end', 'session_end', 10, 5),
  ('field_value_vote', 'field_confirm', 3, 20),
  ('field_value_vote', 'field_deny', 3, 20),
  ('occupancy_report', 'occupancy_report', 3, 10),
  ('sponsor_checkin', 'sponsor_checkin', 15, 5),
  ('review_approved', null, 30, null),
  ('error_report_resolved', null, 40, null),
  ('badge_earned', null, 50, null),
  ('first_of_day', null, 5, null);

insert into public.levels (level, required_exp, name, name_en) values
  (1, 0, 'ルーキー', 'Rookie'), (2, 50, 'ビギナー', 'Beginner'), (3, 150, 'ドライバー', 'Driver'),
  (4, 300, 'ナビゲーター', 'Navigator'), (5, 600, 'ベテラン', 'Veteran'), (6, 1000, 'エキスパート', 'Expert'),
  (7, 1600, 'マイスター', 'Meister'), (8, 2500, 'マスター', 'Master'), (9, 4000, 'グランドマスター', 'Grand Master'),
  (10, 6000, 'レジェンド', 'Legend');
