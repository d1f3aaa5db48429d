-- Experience points (EXP): a ledger of the points that users were given, and the resulting level.
--
-- An entry refers to its source: the row that was the cause. A source counts at most once. When it is undone (a review is
-- hidden), a further entry takes the points back; when it is redone, a further entry gives them again. So entries of a
-- source are numbered from 1: odd ones give, even ones take. private.exp_rules has the reasons. A day is one in Japan.
--
-- Invariants: entries do not change. app_users.total_exp is the sum of a user's entries and level the highest that it
-- reaches, with any number of concurrent writers. Only the ledger's triggers write these two columns.
--
-- Rewards begin with an activity, an approved review or a resolved error report. The function of each of these events gives
-- the points, counts for badges, then gives those that are complete, with their points (rewards/badges.sql). A level, its
-- notification and its themes follow from the entries, by a trigger, because operators insert adjustments.
--
-- Interface: api.my_exp, list_my_exp_entries; for the functions of events private.exp_of_activity, give_exp and
-- take_exp_back. After an edit of levels, users keep theirs until recalculated (rewards/level_recalculation.sql).

-- ---------------------------------------------------------------------------------------------------------------------
-- Rules
-- ---------------------------------------------------------------------------------------------------------------------

-- Rejects a rule whose reason has no label, or whose activity does not exist.
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

-- One writer of levels at a time: the check that follows then reads the levels of all others.
create function private.tg_levels__hold() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('public.levels', 0));
  return null;
end
$$;

-- Rejects levels whose required_exp does not increase; details.level is the first of them.
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

-- ---------------------------------------------------------------------------------------------------------------------
-- Sums and levels
-- ---------------------------------------------------------------------------------------------------------------------

-- Queries of an activity are in plpgsql, even a single statement: it is planned once a connection, SQL at every call.

-- The highest level that these points reach.
create function private.level_at(p_exp integer) returns integer
language plpgsql stable strict
set search_path = ''
as $$
begin
  return coalesce((select max(l.level) from public.levels l where l.required_exp <= p_exp), 1);
end
$$;

-- Adds entries to the sums of their users. Notifies those who reached a level for the first time, and gives the themes of
-- a level that rose.
create function private.tg_exp_entries__keep_sums() returns trigger
language plpgsql
security definer -- no role may write the sums directly
set search_path = ''
as $$
declare
  v_user record;
  v_risen uuid[] := '{}';
begin
  -- Locked in one order first: the sums below are added to what a concurrent writer committed, and none is lost.
  perform 1 from public.app_users u where u.id = any (array(select r.user_id from rows_changed r))
  order by u.id for no key update;
  for v_user in
    update public.app_users u
    set total_exp = u.total_exp + d.amount, level = private.level_at(u.total_exp + d.amount)
    from (
      select r.user_id, (sum(r.amount) * case tg_op when 'DELETE' then -1 else 1 end)::integer as amount
      from rows_changed r group by r.user_id
    ) d
    join public.app_users b on b.id = d.user_id
    where u.id = b.id
    returning u.id, u.status, u.total_exp, u.level, b.level as level_before, b.highest_level as highest_before
  loop
    if v_user.status <> 'withdrawn' and v_user.level > v_user.highest_before then
      perform private.notify(v_user.id, 'level_up',
        jsonb_build_object('level', v_user.level, 'exp', to_char(v_user.total_exp, 'FM999G999G999G990')));
    end if;
    if v_user.status <> 'withdrawn' and v_user.level > v_user.level_before then
      v_risen := v_risen || v_user.id;
    end if;
  end loop;
  if v_risen <> '{}' then
    perform private.give_earned_themes(v_risen);
  end if;
  return null;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Giving and taking back
-- ---------------------------------------------------------------------------------------------------------------------

-- Whether a user can be given points for one more source today, under a daily limit.
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

-- Gives a user the points of a reason for a source, in the transaction of its cause. Gives nothing when the source has
-- them already, the daily limit is reached, or the rule is off.
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

-- Takes back the points of a source, by a separate entry. Does nothing when the source gave none or they were taken back
-- already.
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

-- The points of an activity, and those of the day's first activity, for private.give_exp; none without a rule. A fact that
-- is checked counts once, confirmed or denied. The caller has locked the account.
create function private.exp_of_activity(p_activity public.user_activity_logs)
returns table (reason text, source_type text, source_id uuid, activity_type text)
language plpgsql stable rows 2
set search_path = ''
as $$
begin
  return query
  select s.* from private.exp_rules r
  cross join lateral (values
    (r.reason, case r.reason when 'field_value_vote' then 'field_value' else r.activity_type end,
      coalesce((p_activity).subject_id, (p_activity).id), r.activity_type),
    ('first_of_day', 'activity', (p_activity).id, null)
  ) as s (reason, source_type, source_id, activity_type)
  where r.activity_type = (p_activity).activity_type and r.is_active and (s.activity_type is not null or not exists (
    select from public.exp_entries e
    where e.user_id = (p_activity).user_id and e.reason = 'first_of_day'
      and e.given_on = (now() at time zone 'Asia/Tokyo')::date
  ));
end
$$;
