-- Triggers of the tables of files, table by table, in the order in which they fire.
--
-- The name of a trigger begins with its number in that order. The file in parentheses has its function.

-- ---------------------------------------------------------------------------------------------------------------------
-- public.assets
-- ---------------------------------------------------------------------------------------------------------------------

-- Writes main_image_key of the lots that show a file which changed, and queues the lots with a picture of it
-- (lots/lots.sql).
create trigger _100_refresh_lots after update on public.assets
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_assets__refresh_lots();

-- Adds files that a statement added, changed or deleted to the totals of their uploaders (files/totals.sql).
select private.watch('public.assets', '{insert,update,delete}', '_150_count_bytes', 'private.tg_assets__count_bytes');

-- Marks a file for deletion when its uploader is removed, unless it shows a lot: at a withdrawal, and when the auth
-- server deletes the account (files/uploads.sql).
create trigger _200_delete_with_uploader before update of created_by on public.assets
  for each row when (old.created_by is not null and new.created_by is null)
  execute function private.tg_assets__delete_with_uploader();

-- Queues the objects of files that are marked for deletion (files/uploads.sql).
create trigger _300_delete_objects after update on public.assets
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_assets__delete_objects();

-- Queues the deletion of the incoming object of a file that was checked and copied, for when its upload address has
-- expired (files/uploads.sql).
create trigger _310_delete_incoming after update of status on public.assets
  for each row when (old.status = 'pending' and new.status = 'placed')
  execute function private.tg_assets__delete_incoming();

-- Queues a message for a file whose published_at was set or cleared (files/publication.sql).
create trigger _310_request_publication after update on public.assets
  for each row when (
    (old.published_at is null) <> (new.published_at is null) or (old.is_public and not new.is_public)
  )
  execute function private.tg_assets__request_publication();
