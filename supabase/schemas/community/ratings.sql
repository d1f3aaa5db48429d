-- Ratings, saved lots and search preferences: what users store about lots for themselves.
--
-- A rating is one tap (good or bad), without a text and without moderation; a review (community/reviews.sql) is a
-- considered opinion. Only the counts of ratings are public. They are in a table of their own: a tap does not change the
-- row of the lot, so neither updated_at nor what search and synchronising clients read.
--
-- Invariants: one rating and one saved lot per user and lot; users read only their own. The counts of a lot equal a
-- recount of its ratings, also under concurrent writes. A rating writes only itself and those counts, to which it adds
-- its difference.
-- Interface: api.my_parking_lot_rating, rate_parking_lot, unrate_parking_lot; for results with lots
-- private.my_ratings_and_saves(lots) and private.yen_per_walk_minute().

-- Adds ratings to the counts of their lots, or subtracts them where the sign is -1. Lot, value and sign of a rating have
-- the same position in the arrays.
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

-- Adds what a statement changed to the counts of ratings of its lots.
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

-- Whether the caller saved these lots, and how they rate them (good, bad, null): one row per lot; no rows for an
-- anonymous user.
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

-- The value of a minute of walking for the caller, in yen; 20 by default.
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

grant execute on function private.my_ratings_and_saves(uuid[]), private.yen_per_walk_minute() to anon, authenticated;

-- A rating as the interface shows it.
create function private.rating_row(p_rating public.parking_lot_ratings) returns jsonb
language sql stable
return jsonb_build_object(
  'id', (p_rating).id, 'user_id', (p_rating).user_id, 'parking_lot_id', (p_rating).parking_lot_id,
  'value', (p_rating).value, 'created_at', (p_rating).created_at, 'updated_at', (p_rating).updated_at
);

grant execute on function private.rating_row(public.parking_lot_ratings) to authenticated;
