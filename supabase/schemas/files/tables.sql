-- Tables of files: uploads, their totals, publication and pictures.
--
-- Each table has its comments, indexes, row security, policies and grants below it. The rules are in pictures.sql,
-- publication.sql, totals.sql and uploads.sql.

-- ---------------------------------------------------------------------------------------------------------------------
-- Lots
-- ---------------------------------------------------------------------------------------------------------------------

create table public.assets (
  id uuid primary key default gen_random_uuid(),
  storage_key text not null unique check (char_length(storage_key) between 1 and 1024),
  content_type text check (content_type ~ '^[a-z0-9.+-]+/[a-z0-9.+-]+$'),
  size_bytes integer check (size_bytes between 0 and 10485760),
  category text not null default 'parking_lot'
    check (category in ('review', 'session_photo', 'error_report', 'support', 'avatar', 'parking_lot')),
  is_public boolean not null default true,
  published_at timestamptz,
  status text not null default 'placed' check (status in ('pending', 'placed')),
  etag text check (char_length(etag) between 1 and 100),
  entity_type text check (entity_type ~ '^[a-z][a-z_]{0,49}$'),
  entity_id uuid,
  attached_at timestamptz default now(),
  created_by uuid references auth.users (id) on delete set null,
  created_at timestamptz not null default now(),
  deleted_at timestamptz,
  constraint assets_published_key check (published_at is null or storage_key not like 'private/%'),
  constraint assets_entity_whole check ((entity_type is null) = (entity_id is null))
);

comment on constraint assets_entity_type_check on public.assets is 'entity_type must be a lower-case name, for example parking_lot.';
comment on constraint assets_entity_whole on public.assets is 'Give entity_type and entity_id together.';
comment on table public.assets is 'Files in object storage, by key. The bytes are not stored here.';
comment on column public.assets.entity_id is
  'The row to which the file belongs, of the kind in entity_type. Until the file is attached: what the uploader announced.';
comment on column public.assets.attached_at is
  'When the file was first used; now for a row written by hand; null: an upload that is not used yet.';
comment on column public.assets.is_public is
  'Whether everyone can read the object: it is in the public bucket, under storage_key. An upload is copied there when it is published.';
comment on column public.assets.published_at is
  'When the file was published; null for a row written by hand, whose is_public states where the object is.';
comment on column public.assets.etag is 'The ETag of the object that was checked and copied before the upload was marked placed.';
comment on column public.assets.deleted_at is 'When the file was marked for deletion. The row is deleted after the object.';
comment on column public.assets.status is
  'pending: an upload address was issued; placed: the bytes are in storage, as for a row written by hand.';

-- The files of a thing, in the order in which they were attached.
create index assets_entity_idx on public.assets (entity_id, entity_type, attached_at) where entity_id is not null;
-- All uploads of a user.
create index assets_uploader_idx on public.assets (created_by) where created_by is not null;
-- Unattached uploads, oldest first: of all users and of one.
create index assets_unused_idx on public.assets (created_at) where attached_at is null and deleted_at is null;
create index assets_unused_of_idx on public.assets (created_by) include (size_bytes)
  where attached_at is null and deleted_at is null;
-- Files that are to be deleted, oldest first.
create index assets_deleted_idx on public.assets (deleted_at) where deleted_at is not null;

alter table public.assets enable row level security;
create policy "Everyone reads public assets" on public.assets for select to anon, authenticated
  using (is_public and status = 'placed' and deleted_at is null);

-- The uploader of a file is not public.
grant select (id, storage_key, content_type, size_bytes, category, is_public, status, deleted_at)
  on public.assets to anon, authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Totals of files
-- ---------------------------------------------------------------------------------------------------------------------

create table private.file_totals (
  user_id uuid primary key references auth.users (id) on delete cascade,
  bytes bigint not null constraint file_totals_bytes_bounds check (bytes between 0 and private.file_bound('bytes')),
  day date not null,
  day_bytes bigint not null
    constraint file_totals_day_bytes_bounds check (day_bytes between 0 and private.file_bound('bytes_a_day')),
  day_files integer not null
    constraint file_totals_day_files_bounds check (day_files between 0 and private.file_bound('files_a_day'))
);

comment on table private.file_totals is
  'What the files of an account add up to, kept by trigger. A transaction that adds a file locks the row, so the bounds are exact.';
comment on column private.file_totals.bytes is 'The sum of size_bytes of the files that exist, without pictures of lots.';
comment on column private.file_totals.day is 'The day (UTC) of day_bytes and day_files: when a file was added last.';
comment on column private.file_totals.day_bytes is 'The bytes that the day added. A deletion does not reduce them.';
comment on column private.file_totals.day_files is 'The files that the day added. A deletion does not reduce them.';
