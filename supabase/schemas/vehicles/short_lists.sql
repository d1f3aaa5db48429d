-- Short lists with a default: the trigger functions of the vehicles and of the search presets of a user.
--
-- A row takes the lowest free slot; slots are bounded and unique. The first row becomes the default. A row that becomes the
-- default replaces the other. When the default is deleted, the first of the remaining rows in the order of the list becomes
-- it. A user keeps as many deleted rows as they may have others.
--
-- Invariants: at most one default in a list, and exactly one if there are rows.

-- Gives a row of a list of at most tg_argv[0] rows the lowest free slot; one row too many gets a slot that its constraint
-- rejects. The first row becomes the default, and a new default replaces the other.
create function private.tg_take_slot() returns trigger
language plpgsql
security definer -- it locks the account, which a role that adds a row for the owner may not write
set search_path = ''
as $$
declare
  v_is_first boolean;
begin
  -- A second insert for this user waits here.
  perform from public.app_users u where u.id = new.user_id for no key update;
  execute format(
    'select coalesce(min(s.slot) filter (where t.id is null), $2 + 1), coalesce(not bool_or(t.is_default), true)
    from generate_series(1, $2) as s (slot)
    left join %s t on t.user_id = $1 and t.deleted_at is null and t.slot = s.slot', tg_relid::regclass
  ) into new.slot, v_is_first using new.user_id, tg_argv[0]::integer;
  if v_is_first then
    new.is_default := true;
  elsif new.is_default then
    execute format('update %s set is_default = false where user_id = $1 and is_default', tg_relid::regclass)
      using new.user_id;
  end if;
  return new;
end
$$;

-- A row that becomes the default replaces the other.
create function private.tg_become_default() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  execute format('update %s set is_default = false where user_id = $1 and is_default', tg_relid::regclass)
    using new.user_id;
  return new;
end
$$;

-- When the default is deleted, the first of the user's other rows, in the order tg_argv[0], becomes it.
create function private.tg_choose_next_default() returns trigger
language plpgsql
security definer -- the auth server, which deletes accounts, has no right on rows of users
set search_path = ''
as $$
begin
  execute format(
    'update %1$s set is_default = true
    where id = (select id from %1$s where user_id = $1 and deleted_at is null order by %2$s limit 1)',
    tg_relid::regclass, tg_argv[0]
  ) using old.user_id;
  return null;
end
$$;

-- Deletes all but the latest tg_argv[0] of a user's deleted rows that meet the condition tg_argv[1], so that creating and
-- deleting in a loop does not fill the table.
create function private.tg_drop_oldest_deleted() returns trigger
language plpgsql
security definer -- clients mark rows as deleted but cannot delete them
set search_path = ''
as $$
begin
  execute format(
    'delete from %1$s where id in (
      select t.id from %1$s t where t.user_id = $1 and t.deleted_at is not null and (%2$s)
      order by t.deleted_at desc, t.id offset $2
    )', tg_relid::regclass, tg_argv[1]
  ) using new.user_id, tg_argv[0]::integer;
  return null;
end
$$;
