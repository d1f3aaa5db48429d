-- Reviews: ratings and comments of users about a lot, and what other users may read of them.
--
-- A review is pending until an administrator approves or rejects it. An approved review can be hidden and shown again. An
-- edit by the author makes it pending again. Everyone reads approved reviews of public lots; authors read all of their
-- own.
--
-- Invariants: one review per user and lot. Only a decision of an administrator (community/console_reviews.sql) and an
-- edit of the author set a status. parking_lots.avg_rating and review_count equal a recount of the approved reviews, also
-- under concurrent writes. A review is kept without a name when its author leaves. Its photos are in files/pictures.sql.
-- Interface: api.list_parking_lot_reviews, post_review, list_my_reviews, update_my_review, delete_my_review; for
-- administrators community/console_reviews.sql.

-- ---------------------------------------------------------------------------------------------------------------------
-- States
-- ---------------------------------------------------------------------------------------------------------------------

-- An edited review is pending again.
create function private.tg_reviews__await_approval() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.status := 'pending';
  return new;
end
$$;

-- Locks those of these reviews that exist until the transaction ends: first their authors, then their lots, then the
-- reviews, each in the order of their ids. Every function that locks more than one uses this order. For functions that
-- change reviews.
create function private.lock_reviews(p_review_ids uuid[]) returns void
language plpgsql
security definer -- neither an author nor an administrator may lock a lot, or the account of another user
set search_path = ''
as $$
declare
  v_user_ids uuid[];
  v_lot_ids uuid[];
begin
  select array_agg(r.user_id), array_agg(r.parking_lot_id) into v_user_ids, v_lot_ids
  from public.reviews r where r.id = any (p_review_ids);
  perform 1 from public.app_users u where u.id = any (v_user_ids) order by u.id for no key update;
  perform 1 from public.parking_lots l where l.id = any (v_lot_ids) order by l.id for no key update;
  perform 1 from public.reviews r where r.id = any (p_review_ids) order by r.id for no key update;
end
$$;

grant execute on function private.lock_reviews(uuid[]) to authenticated;

-- The effects of the caller's new review: an activity, and the first time for this lot a notification to administrators
-- of reviews. The list of pending reviews has the rest.
create function private.on_review_posted(p_review_id uuid) returns void
language plpgsql
security definer -- the author of a review may not write to administrators; the review is the caller's
set search_path = ''
as $$
declare
  v_user_id constant uuid := private.active_user();
  v_lot_id uuid;
begin
  select r.parking_lot_id into v_lot_id from public.reviews r where r.id = p_review_id and r.user_id = v_user_id;
  if found and private.record_activity(v_user_id, 'review_post', v_lot_id, p_review_id) then
    perform private.notify_admins('review_pending', 'レビューの審査待ち', p_link => '/reviews/' || p_review_id, p_area => 'reviews');
  end if;
end
$$;

grant execute on function private.on_review_posted(uuid) to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- What follows from a review
-- ---------------------------------------------------------------------------------------------------------------------

-- The effects of reviews that a statement wrote, in order: points and badges of authors, photos, and what an author
-- leaves. A trigger, because reviews have more writers than functions: decisions, edits of the author, the deletion of a
-- lot, the withdrawal of an author, and the auth server.
create function private.tg_reviews__follow() returns trigger
language plpgsql
security definer -- neither an author, an administrator nor the auth server may write points, files and reviews of others
set search_path = ''
as $$
declare
  v_review public.reviews;
  v_earning public.reviews[];
  v_losing public.reviews[];
  v_shown uuid[];
  v_hidden uuid[];
  v_deleted uuid[];
  v_left uuid[];
begin
  if tg_op = 'INSERT' then
    v_earning := array(select row (r.*)::public.reviews from rows_changed r
      where r.status = 'approved' and r.user_id is not null order by r.id);
  elsif tg_op = 'DELETE' then
    v_losing := array(select row (r.*)::public.reviews from rows_changed r
      where r.status = 'approved' and r.user_id is not null order by r.id);
    v_deleted := array(select r.id from rows_changed r);
  else
    -- Points do not change for thousands of reviews of an author who withdraws: points and progress are deleted then.
    -- A full join is never a nested loop: one that was planned for a single row would take minutes for these thousands.
    select
      array_agg(row (c.*)::public.reviews order by id) filter (where c.status = 'approved' and c.user_id is not null
        and (b.status <> 'approved' or b.user_id is distinct from c.user_id)),
      array_agg(row (b.*)::public.reviews order by id) filter (where b.status = 'approved' and b.user_id is not null
        and c.user_id is not null and (c.status <> 'approved' or b.user_id <> c.user_id)),
      array_agg(id) filter (where b.status <> 'approved' and c.status = 'approved'),
      array_agg(id) filter (where b.status = 'approved' and c.status <> 'approved'),
      array_agg(id) filter (where b.user_id is not null and c.user_id is null and c.status <> 'approved')
    into v_earning, v_losing, v_shown, v_hidden, v_left
    from rows_before b full join rows_changed c using (id);
  end if;
  for v_review in
    select r.* from unnest(v_losing) as r join public.parking_lots l on l.id = r.parking_lot_id order by r.id
  loop
    perform private.take_exp_back(v_review.user_id, 'review_approved', 'review', v_review.id);
    perform private.unmark_badges(v_review.user_id, 'review_approved:' || v_review.id);
  end loop;
  -- Reviews that were deleted with their lot keep their points, because the deletion of a lot does not wait for accounts.
  insert into private.kept_reviews (review_id, user_id, parking_lot_id, rating, created_at)
  select r.id, r.user_id, r.parking_lot_id, r.rating, r.created_at from unnest(v_losing) as r
  where not exists (select from public.parking_lots l where l.id = r.parking_lot_id);
  for v_review in select r.* from unnest(v_earning) as r loop
    perform private.give_exp(v_review.user_id, 'review_approved', 'review', v_review.id);
    perform private.earn_badge(v_review.user_id, b.id), private.give_exp(v_review.user_id, 'badge_earned', 'badge', b.id)
    from private.count_for_badges(v_review.user_id, 'review_approved', v_review.id, v_review.parking_lot_id,
      jsonb_build_object('rating', v_review.rating), v_review.created_at) as b (id);
  end loop;
  if v_shown is not null then
    perform private.publish_assets('review', v_shown);
  end if;
  if v_hidden is not null then
    perform private.unpublish_assets('review', v_hidden);
  end if;
  if v_deleted is not null then
    perform private.delete_review_photos(v_deleted);
  end if;
  -- Reviews that are not published (pending, rejected, hidden) are deleted with their author.
  if v_left is not null then
    delete from public.reviews where id = any (v_left);
  end if;
  return null;
end
$$;

-- Adds what a statement changed to the number of approved reviews of its lots with each number of stars, and writes
-- avg_rating and review_count of these lots. Runs per statement, because an import writes many rows in one.
create function private.tg_reviews__count_for_lots() returns trigger
language plpgsql
security definer -- neither an author nor the auth server, which deletes accounts, has a right on lots
set search_path = ''
as $$
declare
  v_lot_ids uuid[];
  v_ratings integer[];
  v_differences integer[];
begin
  if tg_op = 'UPDATE' then
    select array_agg(d.lot_id), array_agg(d.rating), array_agg(d.difference) into v_lot_ids, v_ratings, v_differences
    from (
      select r.lot_id, r.rating, sum(r.sign) as difference
      from (
        select b.parking_lot_id as lot_id, b.rating, -1 as sign from rows_before b where b.status = 'approved'
        union all select c.parking_lot_id, c.rating, 1 from rows_changed c where c.status = 'approved'
      ) r
      group by r.lot_id, r.rating having sum(r.sign) <> 0
    ) d;
  else
    select array_agg(d.lot_id), array_agg(d.rating), array_agg(d.difference) into v_lot_ids, v_ratings, v_differences
    from (
      select r.parking_lot_id as lot_id, r.rating, count(*) * case tg_op when 'INSERT' then 1 else -1 end as difference
      from rows_changed r where r.status = 'approved' group by r.parking_lot_id, r.rating
    ) d;
  end if;
  if v_lot_ids is null then
    return null;
  end if;
  -- Locked in one order first: the sums below then see what a concurrent writer of the same lot committed.
  perform 1 from public.parking_lots l where l.id = any (v_lot_ids) order by l.id for no key update;
  insert into private.review_counts (parking_lot_id, rating, count)
  select l.id, d.rating, 0 from unnest(v_lot_ids, v_ratings) as d (lot_id, rating) join public.parking_lots l on l.id = d.lot_id
  on conflict do nothing;
  update private.review_counts o set count = o.count + d.difference
  from unnest(v_lot_ids, v_ratings, v_differences) as d (lot_id, rating, difference)
  where o.parking_lot_id = d.lot_id and o.rating = d.rating;
  update public.parking_lots l set avg_rating = c.avg_rating, review_count = c.review_count
  from (
    select o.parking_lot_id, sum(o.count)::integer as review_count,
      coalesce(round(sum(o.rating * o.count)::numeric / nullif(sum(o.count), 0), 2), 0) as avg_rating
    from private.review_counts o where o.parking_lot_id = any (v_lot_ids) group by o.parking_lot_id
  ) c
  where l.id = c.parking_lot_id and (l.avg_rating, l.review_count) is distinct from (c.avg_rating, c.review_count);
  return null;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Reading and writing
-- ---------------------------------------------------------------------------------------------------------------------

-- The authors of approved reviews with their names. An author without a name, not active or deleted has no id and a
-- neutral name: otherwise the reviews of an author without a name would show where they park.
create function private.review_authors(p_review_ids uuid[])
returns table (review_id uuid, user_id uuid, user_name text)
language plpgsql stable rows 20
security definer -- names of users are private; this returns only those of authors of approved reviews
set search_path = ''
as $$
begin
  return query
  select r.id, case when u.display_name is not null then r.user_id end, coalesce(u.display_name, '匿名ユーザー')
  from public.reviews r
  left join public.app_users u on u.id = r.user_id and u.status = 'active'
  where r.id = any (p_review_ids) and r.status = 'approved';
end
$$;

-- The numbers of approved reviews of a lot with 1, 2, 3, 4 and 5 stars.
create function private.rating_histogram(p_lot_id uuid) returns jsonb
language plpgsql stable
security definer -- the counts are private; callers check that the lot is public
set search_path = ''
as $$
begin
  return (
    select jsonb_object_agg(s.stars::text, coalesce(c.count, 0))
    from generate_series(1, 5) as s (stars)
    left join private.review_counts c on c.parking_lot_id = p_lot_id and c.rating = s.stars
  );
end
$$;

-- A review as the interface shows it.
create function private.review_row(p_review public.reviews) returns jsonb
language sql stable
return jsonb_build_object(
  'id', (p_review).id, 'parking_lot_id', (p_review).parking_lot_id, 'user_id', (p_review).user_id,
  'rating', (p_review).rating, 'comment', (p_review).comment, 'status', (p_review).status,
  'created_at', (p_review).created_at, 'updated_at', (p_review).updated_at
);

grant execute on function
  private.review_authors(uuid[]), private.rating_histogram(uuid), private.review_row(public.reviews)
to anon, authenticated;
