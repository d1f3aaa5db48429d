-- Reviews: ratings and comments of users about a lot, and what other users may read of them.
--
-- A review is pending until an administrator approves or rejects it. An approved review can be hidden and shown again. An edit
-- by the author makes it pending again. Everyone reads approved reviews of public lots; authors read all of their own.
--
-- Invariants: one review per user and lot. Only a decision of an administrator (2040) and an edit of the author set a status.
-- parking_lots.avg_rating and review_count equal a recount of the approved reviews, also under concurrent writes. A review is
-- kept without a name when its author leaves. Its photos are in 1320.
-- Interface: api.list_parking_lot_reviews, post_review, list_my_reviews, update_my_review, delete_my_review; for
-- administrators 2040.

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables
-- ---------------------------------------------------------------------------------------------------------------------

create table public.reviews (
  id uuid primary key default gen_random_uuid(),
  parking_lot_id uuid not null references public.parking_lots (id) on delete cascade,
  user_id uuid references public.app_users (id) on delete set null,
  rating integer not null constraint reviews_rating_in_stars check (rating between 1 and 5),
  comment text constraint reviews_comment_length check (char_length(comment) <= 2000),
  status text not null default 'pending'
    constraint reviews_status_known check (status in ('pending', 'approved', 'rejected', 'hidden')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint reviews_one_a_user_and_lot unique (parking_lot_id, user_id)
);

comment on table public.reviews is 'Reviews of lots by users. Public when approved.';
comment on column public.reviews.user_id is 'The author; null when the author has left.';
comment on column public.reviews.comment is 'Null: stars only.';

-- The approved reviews of a lot, newest first.
create index reviews_approved_idx on public.reviews (parking_lot_id, created_at desc, id desc) where status = 'approved';
-- The reviews of a user, newest first; and those of a user who leaves.
create index reviews_user_id_idx on public.reviews (user_id, created_at desc, id desc) where user_id is not null;
-- The queue of the console for each status, oldest first.
create index reviews_status_idx on public.reviews (status, created_at, id);
-- The same of one lot; its approved reviews have an index above.
create index reviews_lot_status_idx on public.reviews (parking_lot_id, status, created_at, id) where status <> 'approved';

create table private.review_counts (
  parking_lot_id uuid not null references public.parking_lots (id) on delete cascade,
  rating integer not null,
  count integer not null constraint review_counts_count_sign check (count >= 0),
  primary key (parking_lot_id, rating)
);

comment on table private.review_counts is 'The number of approved reviews of a lot with each number of stars. Triggers maintain it; without a row: none.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Row security
-- ---------------------------------------------------------------------------------------------------------------------

alter table public.reviews enable row level security;

-- Row security of parking_lots applies inside these: reviews of a lot that the caller cannot see are hidden.
create policy "Anonymous users read approved reviews of active lots" on public.reviews for select to anon
  using (status = 'approved' and (select true from public.parking_lots l where l.id = parking_lot_id));
create policy "Users read approved reviews of active lots and their own" on public.reviews for select to authenticated
  using (
    (select auth.uid()) = user_id
    or (status = 'approved' and (select true from public.parking_lots l where l.id = parking_lot_id))
  );
create policy "Users review active lots as themselves" on public.reviews for insert to authenticated
  with check (
    (select auth.uid()) = user_id and status = 'pending'
    and (select true from public.parking_lots l where l.id = parking_lot_id)
  );
create policy "Users edit their own reviews" on public.reviews for update to authenticated
  using ((select auth.uid()) = user_id) with check ((select auth.uid()) = user_id and status = 'pending');
create policy "Users delete their own reviews" on public.reviews for delete to authenticated
  using ((select auth.uid()) = user_id);

grant select (id, parking_lot_id, user_id, rating, comment, status, created_at, updated_at)
  on public.reviews to anon, authenticated;
grant insert (parking_lot_id, user_id, rating, comment), update (rating, comment), delete
  on public.reviews to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: states
-- ---------------------------------------------------------------------------------------------------------------------

create trigger _100_touch_updated_at before update on public.reviews
  for each row execute function private.tg_touch_updated_at();

create function private.tg_reviews__await_approval() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.status := 'pending';
  return new;
end
$$;

comment on function private.tg_reviews__await_approval() is 'An edited review is pending again.';

create trigger _200_await_approval before update of rating, comment on public.reviews
  for each row when (new.status = old.status) execute function private.tg_reviews__await_approval();
create trigger _900_check_start before insert on public.reviews
  for each row execute function private.tg_check_state('review');
create trigger _900_check_move before update on public.reviews
  for each row when (new.status <> old.status) execute function private.tg_check_state('review');

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

comment on function private.lock_reviews(uuid[]) is
  'Locks those of these reviews that exist until the transaction ends: first their authors, then their lots, then the reviews, each in the order of their ids. Every function that locks more than one uses this order. For functions that change reviews.';

grant execute on function private.lock_reviews(uuid[]) to authenticated, service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: review counts of lots
-- ---------------------------------------------------------------------------------------------------------------------

create function private.add_reviews(p_lot_ids uuid[], p_ratings integer[], p_differences integer[]) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- Locked in one order first: the sums below then see what a concurrent writer of the same lot committed.
  perform 1 from public.parking_lots l where l.id = any (p_lot_ids) order by l.id for no key update;
  insert into private.review_counts (parking_lot_id, rating, count)
  select l.id, d.rating, 0 from unnest(p_lot_ids, p_ratings) as d (lot_id, rating) join public.parking_lots l on l.id = d.lot_id
  on conflict do nothing;
  update private.review_counts o set count = o.count + d.difference
  from unnest(p_lot_ids, p_ratings, p_differences) as d (lot_id, rating, difference)
  where o.parking_lot_id = d.lot_id and o.rating = d.rating;
  update public.parking_lots l set avg_rating = c.avg_rating, review_count = c.review_count
  from (
    select o.parking_lot_id, sum(o.count)::integer as review_count,
      coalesce(round(sum(o.rating * o.count)::numeric / nullif(sum(o.count), 0), 2), 0) as avg_rating
    from private.review_counts o where o.parking_lot_id = any (p_lot_ids) group by o.parking_lot_id
  ) c
  where l.id = c.parking_lot_id and (l.avg_rating, l.review_count) is distinct from (c.avg_rating, c.review_count);
end
$$;

comment on function private.add_reviews(uuid[], integer[], integer[]) is
  'Adds a difference to the number of approved reviews of a lot with this number of stars, and writes avg_rating and review_count of these lots. Lot, stars and difference have the same position in the arrays; each lot and stars occur once.';

-- Runs per statement, because an import writes many rows in one.
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
  if v_lot_ids is not null then
    perform private.add_reviews(v_lot_ids, v_ratings, v_differences);
  end if;
  return null;
end
$$;

create trigger _100_count_on_insert after insert on public.reviews
  referencing new table as rows_changed
  for each statement execute function private.tg_reviews__count_for_lots();
create trigger _100_count_on_update after update on public.reviews
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_reviews__count_for_lots();
create trigger _100_count_on_delete after delete on public.reviews
  referencing old table as rows_changed
  for each statement execute function private.tg_reviews__count_for_lots();

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: reading and writing
-- ---------------------------------------------------------------------------------------------------------------------

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

comment on function private.review_authors(uuid[]) is
  'The authors of approved reviews with their names. An author without a name, not active or deleted has no id and a neutral name: otherwise the reviews of an author without a name would show where they park.';

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

comment on function private.rating_histogram(uuid) is 'The numbers of approved reviews of a lot with 1, 2, 3, 4 and 5 stars.';

create function private.review_row(p_review public.reviews) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'id', (p_review).id, 'parking_lot_id', (p_review).parking_lot_id, 'user_id', (p_review).user_id,
    'rating', (p_review).rating, 'comment', (p_review).comment, 'status', (p_review).status,
    'created_at', (p_review).created_at, 'updated_at', (p_review).updated_at
  );
end
$$;

comment on function private.review_row(public.reviews) is 'A review as the interface shows it.';

grant execute on function
  private.review_authors(uuid[]), private.rating_histogram(uuid), private.review_row(public.reviews)
to anon, authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface
-- ---------------------------------------------------------------------------------------------------------------------

create function api.list_parking_lot_reviews(
  p_parking_lot_id uuid,
  p_limit integer default 20,
  p_cursor text default null,
  p_include text[] default '{}'
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters jsonb := jsonb_build_object('list', 'parking_lot_reviews', 'parking_lot_id', p_parking_lot_id);
  v_keys jsonb := private.page_start(v_filters, p_cursor, '{timestamptz,uuid}', 'desc');
  v_rows public.reviews[];
  v_histogram jsonb;
begin
  perform private.optional_user();
  perform private.page_limit(p_limit);
  perform private.require_public_lot(p_parking_lot_id);

  select array_agg(p.review order by (p.review).created_at desc, (p.review).id desc) into v_rows
  from (
    select r as review from public.reviews r
    where r.parking_lot_id = p_parking_lot_id and r.status = 'approved'
      and (r.created_at, r.id) < ((v_keys ->> 0)::timestamptz, (v_keys ->> 1)::uuid)
    order by r.created_at desc, r.id desc
    limit p_limit + 1
  ) p;
  v_histogram := private.rating_histogram(p_parking_lot_id);

  return jsonb_build_object(
    'items', (
      select coalesce(jsonb_agg(private.review_row(r) || jsonb_build_object(
        'user_id', a.user_id, 'user_name', a.user_name, 'photos', coalesce(f.photos, '[]')
      ) order by r.created_at desc, r.id desc), '[]')
      from unnest(v_rows[:p_limit]) as r
      join private.review_authors(array(select o.id from unnest(v_rows[:p_limit]) as o)) as a on a.review_id = r.id
      left join private.review_photos(array(select o.id from unnest(v_rows[:p_limit]) as o)) as f on f.review_id = r.id
    ),
    'next_cursor', case when cardinality(v_rows) > p_limit then private.cursor_encode(v_filters,
      jsonb_build_array(v_rows[p_limit].created_at, v_rows[p_limit].id)) end,
    'rating_histogram', v_histogram
  ) || case when 'total' = any (p_include)
    then jsonb_build_object('total', (select sum(n.value::integer) from jsonb_each_text(v_histogram) as n))
    else '{}' end;
end
$$;

comment on function api.list_parking_lot_reviews(uuid, integer, text, text[]) is
  'A lot''s approved reviews, newest first: {items, next_cursor, rating_histogram} and total when p_include has it. user_id is null and user_name a neutral word for an author without a public name; photos are storage keys. Reads only. Errors: forbidden, validation_error, lot_not_found.';

create function commands.post_review(
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
  perform private.log_activity('review_post', p_parking_lot_id, v_review.id);
  return private.review_with_photos(v_review);
end
$$;

comment on function commands.post_review(uuid, integer, text, uuid[]) is
  'Posts the caller''s review of a lot, pending, with up to four photos, and returns it. A user has one review per lot. Errors: unauthorized, forbidden, validation_error, lot_not_found, not_found, conflict.';

create function api.list_my_reviews(
  p_limit integer default 20, p_cursor text default null, p_include text[] default '{}'
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_user_id uuid := private.active_user();
  v_filters jsonb := jsonb_build_object('list', 'my_reviews', 'user_id', v_user_id);
  v_keys jsonb := private.page_start(v_filters, p_cursor, '{timestamptz,uuid}', 'desc');
begin
  perform private.page_limit(p_limit);
  return private.page(v_filters, (
    with page as (
      select r as review from public.reviews r
      where r.user_id = v_user_id
        and (r.created_at, r.id) < ((v_keys ->> 0)::timestamptz, (v_keys ->> 1)::uuid)
      order by r.created_at desc, r.id desc
      limit p_limit + 1
    )
    select jsonb_agg(private.review_row(p.review) || jsonb_build_object('photos', coalesce(f.photos, '[]'))
      order by (p.review).created_at desc, (p.review).id desc)
    from page p
    left join private.review_photos(array(select (o.review).id from page o)) as f on f.review_id = (p.review).id
  ), '{created_at,id}', p_limit, case when 'total' = any (p_include) then (
    select count(*) from public.reviews r where r.user_id = v_user_id
  ) end);
end
$$;

comment on function api.list_my_reviews(integer, text, text[]) is
  'The caller''s reviews with any status, newest first: {items, next_cursor}, and total when p_include has it. Reads only. Errors: unauthorized, forbidden, validation_error.';

create function commands.update_my_review(
  p_id uuid, p_rating integer default null, p_comment text default null, p_photo_asset_ids uuid[] default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_user_id uuid := private.writing_user();
  v_review public.reviews;
begin
  if p_rating is null and p_comment is null and p_photo_asset_ids is null then
    select * into v_review from public.reviews where id = p_id and user_id = v_user_id;
  else
    perform private.lock_reviews(array[p_id]) from public.reviews where id = p_id and user_id = v_user_id;
    update public.reviews
    set rating = coalesce(p_rating, rating),
      comment = case when p_comment is null then comment else private.trimmed(p_comment) end
    where id = p_id and user_id = v_user_id
    returning * into v_review;
  end if;
  if not found then
    perform private.raise_error('not_found', 404, 'You have no review with this id.', p_param => 'id');
  end if;
  if p_photo_asset_ids is not null then
    perform private.put_review_photos(p_id, p_photo_asset_ids);
  end if;
  return private.review_with_photos(v_review);
end
$$;

comment on function commands.update_my_review(uuid, integer, text, uuid[]) is
  'Edits the caller''s review, which is then pending, and returns it. Null keeps a field; if all are null nothing changes. An empty comment removes the comment; photos replace all photos. Idempotent. Errors: unauthorized, forbidden, validation_error, not_found.';

create function commands.delete_my_review(p_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_user_id uuid := private.writing_user();
begin
  perform private.lock_reviews(array[p_id]) from public.reviews where id = p_id and user_id = v_user_id;
  delete from public.reviews where id = p_id and user_id = v_user_id;
  if not found then
    perform private.raise_error('not_found', 404, 'You have no review with this id.', p_param => 'id');
  end if;
end
$$;

comment on function commands.delete_my_review(uuid) is
  'Deletes the caller''s review. Errors: unauthorized, forbidden, not_found.';

grant execute on function api.list_parking_lot_reviews(uuid, integer, text, text[]) to anon, authenticated;
grant execute on function
  commands.post_review(uuid, integer, text, uuid[]), api.list_my_reviews(integer, text, text[]),
  commands.update_my_review(uuid, integer, text, uuid[]), commands.delete_my_review(uuid)
to authenticated;
