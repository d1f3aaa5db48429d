-- Pictures of users: the photos of a review and the avatar of an account.
--
-- Both are uploads (files/uploads.sql) that are attached to one thing. A review has up to four ordered photos, which
-- everyone who may read the review may read. Photos that were uploaded as public are published when the review is
-- approved (files/publication.sql) and unpublished when it is not any more. An account has one avatar.
--
-- Invariants: a photo of a review that is not approved is not public. A file that its review or account no longer uses is
-- deleted: photos that an edit leaves out, photos of a deleted review, the former avatar.
-- Interface: for reviews (community/reviews.sql) private.put_review_photos, private.delete_review_photos,
-- private.review_photos and private.review_with_photos; for accounts (accounts/accounts.sql) private.put_avatar and private.my_avatar, and
-- private.avatar_of for administrators.

-- ---------------------------------------------------------------------------------------------------------------------
-- Photos of reviews
-- ---------------------------------------------------------------------------------------------------------------------

-- Replaces the photos of the caller's review by these, in this order. Errors: unauthorized, validation_error, not_found.
create function private.put_review_photos(p_review_id uuid, p_asset_ids uuid[]) returns void
language plpgsql
security definer -- no client may write assets; the function checks that the review is the caller's
set search_path = ''
as $$
begin
  if cardinality(p_asset_ids) > 4 then
    perform private.raise_error('validation_error', 422, 'photo_asset_ids must have at most 4 items.', p_param => 'photo_asset_ids');
  end if;
  perform from public.reviews r where r.id = p_review_id and r.user_id = private.caller() for no key update;
  if not found then
    perform private.raise_error('not_found', 404, 'You have no such review.', p_param => 'id');
  end if;
  perform private.attach_asset(a.id, 'review', 'review', p_review_id, 'photo_asset_ids')
  from unnest(p_asset_ids) with ordinality as a (id, place) order by a.place;
  perform private.detach_assets(array(
    select a.id from public.assets a
    where a.entity_id = p_review_id and a.entity_type = 'review' and a.attached_at is not null and a.id <> all (p_asset_ids)
  ));
end
$$;

-- The ordered photos of these reviews: [{storage_key, is_public}]. No row for a review that has no photos or that the
-- caller may not read. Administrators read photos by private.files_of.
create function private.review_photos(p_review_ids uuid[]) returns table (review_id uuid, photos jsonb)
language plpgsql stable rows 20
security definer -- uploads without publication have no policy; returns only photos of reviews that the caller may read
set search_path = ''
as $$
begin
  return query
  select a.entity_id, jsonb_agg(jsonb_build_object('storage_key', a.storage_key, 'is_public', a.is_public)
    order by a.attached_at, a.id)
  from public.assets a
  join public.reviews r on r.id = a.entity_id and r.user_id = a.created_by
  where a.entity_id = any (p_review_ids) and a.entity_type = 'review'
    and a.attached_at is not null and a.status = 'placed' and a.deleted_at is null
    and (
      r.user_id = (select auth.uid())
      or (r.status = 'approved'
        and exists (select from public.parking_lots l where l.id = r.parking_lot_id and l.status = 'active'))
    )
  group by a.entity_id;
end
$$;

-- One review as the interface returns it, with its photos.
create function private.review_with_photos(p_review public.reviews) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return private.review_row(p_review) || jsonb_build_object('photos', coalesce(
    (select f.photos from private.review_photos(array[(p_review).id]) as f), '[]'
  ));
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

grant execute on function private.review_photos(uuid[]) to anon, authenticated;
grant execute on function private.review_with_photos(public.reviews) to authenticated;
grant execute on function private.put_review_photos(uuid, uuid[]) to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Avatars
-- ---------------------------------------------------------------------------------------------------------------------

-- Makes an upload the caller's avatar, in place of the former one; null: no avatar. The caller has locked the account.
-- Errors: unauthorized, not_found.
create function private.put_avatar(p_asset_id uuid) returns void
language plpgsql
security definer -- no client may write assets; only the caller's own avatar is touched
set search_path = ''
as $$
declare
  v_user_id uuid := private.caller();
begin
  if p_asset_id is not null then
    perform private.attach_asset(p_asset_id, 'avatar', 'app_user', v_user_id, 'avatar_asset_id');
  end if;
  perform private.detach_assets(array(
    select a.id from public.assets a
    where a.entity_id = v_user_id and a.entity_type = 'app_user' and a.category = 'avatar' and a.attached_at is not null
      and a.id is distinct from p_asset_id
  ));
end
$$;

-- The avatar of an app user: {asset_id, storage_key, is_public}; null without one.
create function private.avatar_of(p_user_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select jsonb_build_object('asset_id', a.id, 'storage_key', a.storage_key, 'is_public', a.is_public)
    from public.assets a
    where a.entity_id = p_user_id and a.entity_type = 'app_user' and a.category = 'avatar'
      and a.attached_at is not null and a.status = 'placed' and a.deleted_at is null
    order by a.attached_at desc, a.id limit 1
  );
end
$$;

-- The caller's avatar: {asset_id, storage_key, is_public}; null without one.
create function private.my_avatar() returns jsonb
language plpgsql stable
security definer -- uploads without publication have no policy; returns only the caller's own avatar
set search_path = ''
as $$
begin
  return private.avatar_of((select auth.uid()));
end
$$;

grant execute on function private.put_avatar(uuid), private.my_avatar() to authenticated;
