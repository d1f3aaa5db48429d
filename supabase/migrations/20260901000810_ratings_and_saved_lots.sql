-- Ratings, saved lots and search preferences: what users store about lots for themselves.
--
-- A rating is one tap (good or bad), without a text and without moderation; a review (0800) is a considered opinion. Only
-- the counts of ratings are public. They are in a table of their own: a tap does not change the row of the lot, so neither
-- updated_at nor what search and synchronising clients read.
--
-- Invariants: one rating and one saved lot per user and lot; users read only their own. The counts of a lot equal a recount of
-- its ratings, also under concurrent writes. A rating writes only itself and those counts, to which it adds its difference.
-- Interface: api.my_parking_lot_rating, rate_parking_lot, unrate_parking_lot; for results with lots
-- private.my_ratings_and_saves(lots) and private.yen_per_walk_minute().

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables
-- ---------------------------------------------------------------------------------------------------------------------

create table public.parking_lot_ratings (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.app_users (id) on delete cascade,
  parking_lot_id uuid not null references public.parking_lots (id) on delete cascade,
  value text not null constraint parking_lot_ratings_value_known check (value in ('good', 'bad')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint parking_lot_ratings_one_a_user_and_lot unique (user_id, parking_lot_id)
);

comment on table public.parking_lot_ratings is 'Good or bad: the quick rating of a lot by a user.';

-- Counting the ratings of a lot reads nothing else.
create index parking_lot_ratings_lot_idx on public.parking_lot_ratings (parking_lot_id, value);

create table public.saved_parking_lots (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.app_users (id) on delete cascade,
  parking_lot_id uuid not null references public.parking_lots (id) on delete cascade,
  created_at timestamptz not null default now(),
  constraint saved_parking_lots_one_a_user_and_lot unique (user_id, parking_lot_id)
);

comment on table public.saved_parking_lots is 'Lots that users saved.';

-- Finds the users who saved a lot that is deleted.
create index saved_parking_lots_lot_idx on public.saved_parking_lots (parking_lot_id);
-- The saved lots of a user, newest first.
create index saved_parking_lots_user_idx on public.saved_parking_lots (user_id, created_at desc, id desc);

create table public.search_preferences (
  user_id uuid primary key references public.app_users (id) on delete cascade,
  yen_per_walk_minute integer not null
    constraint search_preferences_yen_per_walk_minute_bounds check (yen_per_walk_minute between 0 and 500),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on table public.search_preferences is 'The weights of a user for search results. Without a row: the default weights.';
comment on column public.search_preferences.yen_per_walk_minute is 'The value of one minute of walking for the user, in yen.';

create table public.parking_lot_rating_counts (
  parking_lot_id uuid primary key references public.parking_lots (id) on delete cascade,
  good_count integer not null constraint parking_lot_rating_counts_good_count_sign check (good_count >= 0),
  bad_count integer not null constraint parking_lot_rating_counts_bad_count_sign check (bad_count >= 0)
);

comment on table public.parking_lot_rating_counts is
  'The numbers of good and bad ratings of a lot. Triggers maintain it; without a row: the lot has no ratings.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Row security
-- ---------------------------------------------------------------------------------------------------------------------

alter table public.parking_lot_ratings enable row level security;
alter table public.saved_parking_lots enable row level security;
alter table public.search_preferences enable row level security;
alter table public.parking_lot_rating_counts enable row level security;

-- Row security of parking_lots applies inside: counts of a lot that the caller cannot see are hidden.
create policy "Everyone reads the rating counts of active lots" on public.parking_lot_rating_counts
  for select to anon, authenticated using ((select true from public.parking_lots l where l.id = parking_lot_id));
-- No insert, update or delete: triggers maintain the counts.

create policy "Users read their own ratings" on public.parking_lot_ratings for select to authenticated
  using ((select auth.uid()) = user_id);
-- Row security of parking_lots applies inside: only lots that the caller can see can be rated or saved.
create policy "Users rate active lots as themselves" on public.parking_lot_ratings for insert to authenticated
  with check (
    (select auth.uid()) = user_id and (select true from public.parking_lots l where l.id = parking_lot_id)
  );
create policy "Users change their own ratings" on public.parking_lot_ratings for update to authenticated
  using ((select auth.uid()) = user_id) with check ((select auth.uid()) = user_id);
create policy "Users delete their own ratings" on public.parking_lot_ratings for delete to authenticated
  using ((select auth.uid()) = user_id);

create policy "Users read the lots that they saved" on public.saved_parking_lots for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "Users save active lots for themselves" on public.saved_parking_lots for insert to authenticated
  with check (
    (select auth.uid()) = user_id and (select true from public.parking_lots l where l.id = parking_lot_id)
  );
create policy "Users delete their own saved lots" on public.saved_parking_lots for delete to authenticated
  using ((select auth.uid()) = user_id);
-- No update: a lot is saved or it is not.

create policy "Users read their own preferences" on public.search_preferences for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "Users set their own preferences" on public.search_preferences for insert to authenticated
  with check ((select auth.uid()) = user_id);
create policy "Users change their own preferences" on public.search_preferences for update to authenticated
  using ((select auth.uid()) = user_id) with check ((select auth.uid()) = user_id);
-- No delete: a preference is changed, and is deleted with its user.

grant select (parking_lot_id, good_count, bad_count) on public.parking_lot_rating_counts to anon, authenticated;
grant select (id, user_id, parking_lot_id, value, created_at, updated_at), insert (user_id, parking_lot_id, value),
  update (value), delete on public.parking_lot_ratings to authenticated;
grant select (id, user_id, parking_lot_id, created_at), insert (user_id, parking_lot_id), delete
  on public.saved_parking_lots to authenticated;
grant select (user_id, yen_per_walk_minute, created_at, updated_at), insert (user_id, yen_per_walk_minute),
  update (yen_per_walk_minute) on public.search_preferences to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals
-- ---------------------------------------------------------------------------------------------------------------------

create trigger _100_touch_updated_at before update on public.parking_lot_ratings
  for each row execute function private.tg_touch_updated_at();
create trigger _100_touch_updated_at before update on public.search_preferences
  for each row execute function private.tg_touch_updated_at();

create function private.add_ratings(p_lot_ids uuid[], p_values text[], p_signs integer[]) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- Creates the missing rows and locks the others in one order: a `where` that is false locks and writes nothing. The counts
  -- of a lot that is being deleted are deleted with it.
  insert into public.parking_lot_rating_counts as o (parking_lot_id, good_count, bad_count)
  select l.id, 0, 0 from public.parking_lots l where l.id = any (p_lot_ids) order by l.id
  on conflict (parking_lot_id) do update set good_count = o.good_count where false;
  update public.parking_lot_rating_counts o
  set good_count = o.good_count + d.goods, bad_count = o.bad_count + d.bads
  from (
    select r.lot_id, sum(r.sign * (r.value = 'good')::integer) as goods, sum(r.sign * (r.value = 'bad')::integer) as bads
    from unnest(p_lot_ids, p_values, p_signs) as r (lot_id, value, sign) group by r.lot_id
  ) d
  where o.parking_lot_id = d.lot_id and (d.goods, d.bads) <> (0, 0);
end
$$;

comment on function private.add_ratings(uuid[], text[], integer[]) is
  'Adds ratings to the counts of their lots, or subtracts them where the sign is -1. Lot, value and sign of a rating have the same position in the arrays.';

create function private.tg_parking_lot_ratings__count() returns trigger
language plpgsql
security definer -- neither a user who rates nor the auth server, which deletes accounts, has a right on counts
set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' then
    perform private.add_ratings(array_agg(r.parking_lot_id), array_agg(r.value), array_agg(r.sign))
    from (
      select b.parking_lot_id, b.value, -1 as sign from rows_before b
      union all select c.parking_lot_id, c.value, 1 from rows_changed c
    ) r;
  else
    perform private.add_ratings(array_agg(r.parking_lot_id), array_agg(r.value),
      array_agg(case tg_op when 'INSERT' then 1 else -1 end))
    from rows_changed r;
  end if;
  return null;
end
$$;

create trigger _200_count_on_insert after insert on public.parking_lot_ratings
  referencing new table as rows_changed
  for each statement execute function private.tg_parking_lot_ratings__count();
create trigger _200_count_on_update after update on public.parking_lot_ratings
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_parking_lot_ratings__count();
create trigger _200_count_on_delete after delete on public.parking_lot_ratings
  referencing old table as rows_changed
  for each statement execute function private.tg_parking_lot_ratings__count();

create function private.my_ratings_and_saves(p_lot_ids uuid[])
returns table (parking_lot_id uuid, is_saved boolean, my_rating text)
language plpgsql stable rows 50
security definer -- an anonymous user has no right on the tables, and no rows; both look-ups read only the caller's rows
set search_path = ''
set plan_cache_mode = force_generic_plan -- planning costs more than running
as $$
#variable_conflict use_column
declare
  v_user_id uuid := auth.uid();
begin
  if v_user_id is null then
    return;
  end if;
  return query
    select p.id, s.id is not null, r.value
    from unnest(p_lot_ids) as p (id)
    left join public.saved_parking_lots s on s.parking_lot_id = p.id and s.user_id = v_user_id
    left join public.parking_lot_ratings r on r.parking_lot_id = p.id and r.user_id = v_user_id;
end
$$;

comment on function private.my_ratings_and_saves(uuid[]) is
  'Whether the caller saved these lots, and how they rate them (good, bad, null): one row per lot; no rows for an anonymous user.';

create function private.yen_per_walk_minute() returns integer
language plpgsql stable
security definer -- an anonymous user has no right on the table; the look-up reads only the caller's row
set search_path = ''
as $$
declare
  v_user_id uuid := auth.uid();
begin
  if v_user_id is null then
    return 20;
  end if;
  return coalesce((select p.yen_per_walk_minute from public.search_preferences p where p.user_id = v_user_id), 20);
end
$$;

comment on function private.yen_per_walk_minute() is
  'The value of a minute of walking for the caller, in yen; 20 by default.';

grant execute on function private.my_ratings_and_saves(uuid[]), private.yen_per_walk_minute() to anon, authenticated;

create function private.rating_row(p_rating public.parking_lot_ratings) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'id', (p_rating).id, 'user_id', (p_rating).user_id, 'parking_lot_id', (p_rating).parking_lot_id,
    'value', (p_rating).value, 'created_at', (p_rating).created_at, 'updated_at', (p_rating).updated_at
  );
end
$$;

comment on function private.rating_row(public.parking_lot_ratings) is 'A rating as the interface shows it.';

grant execute on function private.rating_row(public.parking_lot_ratings) to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface
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
grant execute on function commands.rate_parking_lot(uuid, text), commands.unrate_parking_lot(uuid) to authenticated;
