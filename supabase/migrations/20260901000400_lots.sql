-- Lots: position, operator, features and appearance of parking lots.
--
-- parking_lots has one row per lot; tags, images and spots refer to it. Operators and tags are master data, inserted here. The
-- tags are the attributes of a search query: the slug of a tag is the value of the attribute.
--
-- Invariants: a lot with name, address, lat, lng and status alone is valid. Public means status = 'active'; rows that refer
-- to a lot are readable only when the lot is. (source, external_id) is unique, so that an import can run again. A lot has at
-- most one main image. tag_slugs and main_image_key always equal the rows from which they are derived.
-- Interface: search, detail and the importers read and write these tables; private.require_public_lot rejects other lots.

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables
-- ---------------------------------------------------------------------------------------------------------------------

create table public.operators (
  id text primary key check (id ~ '^[a-z0-9][a-z0-9_-]{0,49}$'),
  name text not null check (char_length(name) between 1 and 200),
  name_en text check (char_length(name_en) between 1 and 200),
  slug text not null unique check (slug ~ '^[a-z0-9][a-z0-9_-]{0,99}$'),
  color text check (color ~ '^#[0-9a-f]{6}$'),
  created_at timestamptz not null default now()
);

comment on table public.operators is 'Operators of lots. Master data.';
comment on column public.operators.id is 'The code of the operator; parking_lots.operator_code refers to it.';
comment on column public.operators.name is 'The Japanese name; name_en is the English name.';

create table public.tags (
  id uuid primary key default gen_random_uuid(),
  name text not null check (char_length(name) between 1 and 100),
  name_en text check (char_length(name_en) between 1 and 100),
  slug text not null unique check (slug ~ '^[a-z0-9][a-z0-9_]{0,49}$'),
  color text check (color ~ '^#[0-9a-f]{6}$'),
  category text check (char_length(category) between 1 and 50),
  icon_name text check (char_length(icon_name) between 1 and 50),
  sort_order integer not null default 0,
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on table public.tags is 'Features that a lot can have. Master data.';
comment on column public.tags.is_active is 'False for a tag that is no longer offered; lots that have it still show it.';
comment on column public.tags.slug is 'The value that a search uses; every attribute of SearchQueryV1 is a slug.';

create table public.parking_lots (
  id uuid primary key default gen_random_uuid(),
  name text not null check (char_length(name) between 1 and 200),
  name_kana text check (char_length(name_kana) between 1 and 200),
  address text check (char_length(address) <= 500),
  lat double precision not null check (lat between -90 and 90),
  lng double precision not null check (lng between -180 and 180),
  area jsonb,
  total_spaces integer check (total_spaces between 0 and 1000000),
  status text not null default 'draft' check (status in ('draft', 'active', 'suspended', 'closed')),
  structure text check (char_length(structure) between 1 and 50),
  -- Upper bounds exclude NaN and Infinity: both are greater than zero.
  max_height_m numeric check (max_height_m > 0 and max_height_m <= 50),
  max_width_m numeric check (max_width_m > 0 and max_width_m <= 50),
  max_length_m numeric check (max_length_m > 0 and max_length_m <= 100),
  max_weight_t numeric check (max_weight_t > 0 and max_weight_t <= 200),
  min_clearance_cm integer check (min_clearance_cm between 0 and 200),
  max_tire_width_mm integer check (max_tire_width_mm between 1 and 2000),
  max_parking_duration_min integer check (max_parking_duration_min > 0),
  entry_method text check (char_length(entry_method) between 1 and 50),
  shape_type text check (char_length(shape_type) between 1 and 50),
  entry_difficulty text check (entry_difficulty in ('easy', 'normal', 'hard')),
  operator_code text references public.operators (id) on update cascade,
  phone text check (char_length(phone) between 1 and 50),
  website text check (website ~ '^https?://[^[:space:]]+$' and char_length(website) <= 2000),
  time_zone text not null default 'Asia/Tokyo',
  holiday_calendar text not null default 'JP' check (holiday_calendar ~ '^[A-Z]{2}(-[A-Z0-9]{1,3})?$'),
  currency text not null default 'JPY' check (currency ~ '^[A-Z]{3}$'),
  source text check (char_length(source) between 1 and 100),
  external_id text check (char_length(external_id) between 1 and 200),
  source_url text check (source_url ~ '^https?://[^[:space:]]+$' and char_length(source_url) <= 2000),
  licence text check (char_length(licence) between 1 and 200),
  attribution text check (char_length(attribution) between 1 and 500),
  avg_rating numeric(3, 2) not null default 0 check (avg_rating = 0 or avg_rating between 1 and 5),
  review_count integer not null default 0 check (review_count >= 0),
  tag_slugs text[] not null default '{}',
  main_image_key text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint parking_lots_source_external_id_key unique (source, external_id),
  constraint parking_lots_external_id_has_source check (external_id is null or source is not null),
  constraint parking_lots_area_is_geometry check (
    area is null
    or (
      jsonb_typeof(area) = 'object'
      and coalesce(
        (
          area ->> 'type' in ('Point', 'LineString', 'Polygon', 'MultiPoint', 'MultiLineString', 'MultiPolygon')
          and jsonb_typeof(area -> 'coordinates') = 'array'
        )
        or (area ->> 'type' = 'GeometryCollection' and jsonb_typeof(area -> 'geometries') = 'array'),
        false
      )
      and coalesce(jsonb_typeof(area -> 'coordinates'), 'array') = 'array'
      and coalesce(jsonb_typeof(area -> 'geometries'), 'array') = 'array'
    )
  ),
  -- An unknown zone raises invalid_parameter_value. The pattern excludes names that Postgres accepts but IANA does not have:
  -- abbreviations (EST) and POSIX rules (Tokyo-9).
  constraint parking_lots_time_zone_is_iana check (
    time_zone ~ '^(UTC|Etc/GMT[+-]1?[0-9]|[A-Z][A-Za-z]*(/[A-Z][A-Za-z_-]+){1,2})$'
    and (timestamptz '2000-01-01 00:00:00+00' at time zone time_zone) is not null
  )
);

comment on table public.parking_lots is 'Parking lots. Public when active.';
comment on column public.parking_lots.area is 'The outline, a GeoJSON geometry.';
comment on column public.parking_lots.max_height_m is 'The height of the highest vehicle that fits, in metres; null: unknown.';
comment on column public.parking_lots.external_id is 'The identifier of the lot at its source; unique there.';
comment on column public.parking_lots.avg_rating is 'Mean of the ratings of approved reviews, 1 to 5; 0 without reviews.';
comment on column public.parking_lots.tag_slugs is
  'Slugs of the tags whose state is true, in order. Triggers maintain it, so that search needs no join.';
comment on column public.parking_lots.main_image_key is
  'Storage key of the main image, if it may be shown. Triggers maintain it, so that search needs no join.';

create table public.parking_lot_tags (
  parking_lot_id uuid not null references public.parking_lots (id) on delete cascade,
  tag_id uuid not null references public.tags (id) on delete cascade,
  state boolean default true,
  primary key (parking_lot_id, tag_id)
);

comment on table public.parking_lot_tags is 'The tags of a lot and what is known about them.';
comment on column public.parking_lot_tags.state is 'true: the lot has the tag; false: it does not; null: disputed.';

-- Finds the lots of a tag that is deleted.
create index parking_lot_tags_tag_id_idx on public.parking_lot_tags (tag_id);

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

create table public.parking_lot_images (
  id uuid primary key default gen_random_uuid(),
  parking_lot_id uuid not null references public.parking_lots (id) on delete cascade,
  asset_id uuid not null references public.assets (id) on delete cascade,
  is_main boolean not null default false,
  sort_order integer,
  constraint parking_lot_images_asset_once unique (parking_lot_id, asset_id)
);

comment on table public.parking_lot_images is 'Pictures of a lot; at most one is the main image.';

-- At most one main image per lot.
create unique index parking_lot_images_one_main on public.parking_lot_images (parking_lot_id) where is_main;
-- Finds the lots that show an asset that changes.
create index parking_lot_images_asset_id_idx on public.parking_lot_images (asset_id);

create table public.parking_lot_spots (
  id uuid primary key default gen_random_uuid(),
  parking_lot_id uuid not null references public.parking_lots (id) on delete cascade,
  code text not null check (char_length(code) between 1 and 50),
  vehicle_type_max text check (char_length(vehicle_type_max) between 1 and 50),
  is_ev_charger boolean not null default false,
  ev_connector_type text check (char_length(ev_connector_type) between 1 and 50),
  accessibility text check (char_length(accessibility) between 1 and 50),
  is_reservable boolean not null default false,
  constraint parking_lot_spots_code_key unique (parking_lot_id, code)
);

comment on table public.parking_lot_spots is 'Single spaces of a lot that have properties of their own.';
comment on column public.parking_lot_spots.vehicle_type_max is 'The largest vehicle that fits; a code of category vehicle_type.';
comment on column public.parking_lot_spots.ev_connector_type is 'A code of category ev_connector_type.';
comment on column public.parking_lot_spots.accessibility is 'For whom the space is reserved; a code of category accessibility.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Row security
-- ---------------------------------------------------------------------------------------------------------------------
-- No insert, update or delete for clients: importers, accepted corrections and administrators write lots.

alter table public.operators enable row level security;
alter table public.tags enable row level security;
alter table public.parking_lots enable row level security;
alter table public.parking_lot_tags enable row level security;
alter table public.assets enable row level security;
alter table public.parking_lot_images enable row level security;
alter table public.parking_lot_spots enable row level security;

create policy "Everyone reads operators" on public.operators for select to anon, authenticated using (true);
create policy "Everyone reads tags" on public.tags for select to anon, authenticated using (true);
create policy "Everyone reads active lots" on public.parking_lots for select to anon, authenticated
  using (status = 'active');
-- Row security of parking_lots applies inside these: rows of a lot that the caller cannot see are hidden. The subquery makes
-- one look-up per row; with `exists` the planner may hash all lots.
create policy "Everyone reads the tags of active lots" on public.parking_lot_tags for select to anon, authenticated
  using ((select true from public.parking_lots l where l.id = parking_lot_id));
create policy "Everyone reads the images of active lots" on public.parking_lot_images for select to anon, authenticated
  using ((select true from public.parking_lots l where l.id = parking_lot_id));
create policy "Everyone reads the spots of active lots" on public.parking_lot_spots for select to anon, authenticated
  using ((select true from public.parking_lots l where l.id = parking_lot_id));
create policy "Everyone reads public assets" on public.assets for select to anon, authenticated
  using (is_public and status = 'placed' and deleted_at is null);

grant select (id, name, name_en, slug, color) on public.operators to anon, authenticated;
grant select (id, name, name_en, slug, color, category, icon_name, sort_order, is_active) on public.tags to anon, authenticated;
grant select (
  id, name, name_kana, address, lat, lng, area, total_spaces, status, structure, max_height_m, max_width_m,
  max_length_m, max_weight_t, min_clearance_cm, max_tire_width_mm, max_parking_duration_min, entry_method, shape_type,
  entry_difficulty, operator_code, phone, website, time_zone, holiday_calendar, currency, source, external_id,
  source_url, licence, attribution, avg_rating, review_count, tag_slugs, main_image_key, created_at, updated_at
) on public.parking_lots to anon, authenticated;
grant select (parking_lot_id, tag_id, state) on public.parking_lot_tags to anon, authenticated;
grant select (id, parking_lot_id, asset_id, is_main, sort_order) on public.parking_lot_images to anon, authenticated;
grant select (
  id, parking_lot_id, code, vehicle_type_max, is_ev_charger, ev_connector_type, accessibility, is_reservable
) on public.parking_lot_spots to anon, authenticated;
-- The uploader of a file is not public.
grant select (id, storage_key, content_type, size_bytes, category, is_public, status, deleted_at)
  on public.assets to anon, authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals
-- ---------------------------------------------------------------------------------------------------------------------

create trigger _900_touch_updated_at before update on public.parking_lots
  for each row execute function private.tg_touch_updated_at();
create trigger _900_check_start before insert on public.parking_lots
  for each row execute function private.tg_check_state('parking_lot');
create trigger _900_check_move before update on public.parking_lots
  for each row when (new.status <> old.status) execute function private.tg_check_state('parking_lot');

create function private.refresh_lot_facts(p_lot_ids uuid[]) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- Locks the lots in one order first: the update below then sees what a concurrent writer of the same lot committed.
  perform 1 from public.parking_lots l where l.id = any (p_lot_ids) order by l.id for no key update;
  update public.parking_lots l
  set tag_slugs = f.tag_slugs, main_image_key = f.main_image_key
  from (
    select
      p.id,
      array(
        select t.slug
        from public.parking_lot_tags lt
        join public.tags t on t.id = lt.tag_id
        where lt.parking_lot_id = p.id and lt.state
        order by t.slug
      ) as tag_slugs,
      (
        select a.storage_key
        from public.parking_lot_images i
        join public.assets a on a.id = i.asset_id
        where i.parking_lot_id = p.id and i.is_main and a.is_public and a.status = 'placed' and a.deleted_at is null
      ) as main_image_key
    from unnest(p_lot_ids) as p (id)
  ) f
  where l.id = f.id
    and (l.tag_slugs, l.main_image_key) is distinct from (f.tag_slugs, f.main_image_key);
end
$$;

comment on function private.refresh_lot_facts(uuid[]) is
  'Writes tag_slugs and main_image_key of these lots, which search reads.';

-- For parking_lot_tags and parking_lot_images. Runs per statement, because an import writes many rows in one.
create function private.tg_lot_rows__refresh_lot_facts() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  v_lot_ids uuid[];
begin
  if tg_op = 'TRUNCATE' then
    v_lot_ids := array(select l.id from public.parking_lots l);
  elsif tg_op = 'UPDATE' then
    select array_agg(distinct r.parking_lot_id) into v_lot_ids
    from (select parking_lot_id from rows_before union all select parking_lot_id from rows_changed) r;
  else
    select array_agg(distinct r.parking_lot_id) into v_lot_ids from rows_changed r;
  end if;
  if v_lot_ids is not null then
    perform private.refresh_lot_facts(v_lot_ids);
  end if;
  return null;
end
$$;

create trigger _100_refresh_on_insert after insert on public.parking_lot_tags
  referencing new table as rows_changed
  for each statement execute function private.tg_lot_rows__refresh_lot_facts();
create trigger _100_refresh_on_update after update on public.parking_lot_tags
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_lot_rows__refresh_lot_facts();
create trigger _100_refresh_on_delete after delete on public.parking_lot_tags
  referencing old table as rows_changed
  for each statement execute function private.tg_lot_rows__refresh_lot_facts();
create trigger _100_refresh_on_truncate after truncate on public.parking_lot_tags
  for each statement execute function private.tg_lot_rows__refresh_lot_facts();

create trigger _100_refresh_on_insert after insert on public.parking_lot_images
  referencing new table as rows_changed
  for each statement execute function private.tg_lot_rows__refresh_lot_facts();
create trigger _100_refresh_on_update after update on public.parking_lot_images
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_lot_rows__refresh_lot_facts();
create trigger _100_refresh_on_delete after delete on public.parking_lot_images
  referencing old table as rows_changed
  for each statement execute function private.tg_lot_rows__refresh_lot_facts();
create trigger _100_refresh_on_truncate after truncate on public.parking_lot_images
  for each statement execute function private.tg_lot_rows__refresh_lot_facts();

create trigger _100_touch_updated_at before update on public.tags
  for each row execute function private.tg_touch_updated_at();

create function private.tg_tags__keep_slug() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.raise_error('validation_error', 422, 'A slug never changes. Create another tag.', p_param => 'slug');
  return null;
end
$$;

comment on function private.tg_tags__keep_slug() is
  'Rejects another slug, because lots, search entries and clients store it. Errors: validation_error.';

create trigger _200_keep_slug before update of slug on public.tags
  for each row when (old.slug <> new.slug) execute function private.tg_tags__keep_slug();

-- Runs per statement, because a withdrawal deletes thousands of files in one. Most files are not pictures of lots.
create function private.tg_assets__refresh_lot_facts() returns trigger
language plpgsql
security definer -- the auth server, which deletes accounts, has no right on pictures of lots
set search_path = ''
as $$
declare
  v_asset_ids uuid[] := array(
    select id from rows_before b full join rows_changed c using (id)
    where (b.storage_key, b.is_public, b.status, b.deleted_at)
      is distinct from (c.storage_key, c.is_public, c.status, c.deleted_at)
  );
  v_lot_ids uuid[] := array(
    select i.parking_lot_id from public.parking_lot_images i where i.asset_id = any (v_asset_ids) and i.is_main
  );
begin
  if v_lot_ids <> '{}' then
    perform private.refresh_lot_facts(v_lot_ids);
  end if;
  return null;
end
$$;

create trigger _100_refresh_lot_facts after update on public.assets
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_assets__refresh_lot_facts();

create function private.require_public_lot(p_lot_id uuid, p_field text default 'id') returns void
language plpgsql stable
set search_path = ''
as $$
begin
  perform from public.parking_lots where id = p_lot_id and status = 'active';
  if not found then
    perform private.raise_error('lot_not_found', 404, 'There is no such parking lot.', p_param => p_field);
  end if;
end
$$;

comment on function private.require_public_lot(uuid, text) is
  'Rejects a lot that does not exist or is not public. Errors: lot_not_found; param is p_field.';

create function private.lock_public_lot(p_lot_id uuid, p_field text default 'id') returns void
language plpgsql
security definer -- a user who writes about a lot may not lock it
set search_path = ''
as $$
begin
  perform from public.parking_lots where id = p_lot_id and status = 'active' for key share;
  if not found then
    perform private.raise_error('lot_not_found', 404, 'There is no such parking lot.', p_param => p_field);
  end if;
end
$$;

comment on function private.lock_public_lot(uuid, text) is
  'private.require_public_lot for writers: it locks the lot, which cannot be deleted before the transaction ends. Errors: lot_not_found.';

grant execute on function private.require_public_lot(uuid, text) to anon, authenticated, service_role;
grant execute on function private.lock_public_lot(uuid, text) to authenticated;
grant execute on function private.refresh_lot_facts(uuid[]) to service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Reference data
-- ---------------------------------------------------------------------------------------------------------------------

insert into public.operators (id, name, name_en, slug, color) values
  ('aozora', 'あおぞらパーキング', 'Aozora Parking', 'aozora-parking', '#2f80ed'),
  ('ekichika', '駅ちかパーク', 'Ekichika Park', 'ekichika-park', '#eb5757'),
  ('machikado', 'まちかど駐車場サービス', 'Machikado Parking Service', 'machikado', '#27ae60'),
  ('minato', 'みなとモータープール', 'Minato Motor Pool', 'minato-motor-pool', '#16608a'),
  ('tsukimi', '月見パーク24', 'Tsukimi Park 24', 'tsukimi-park', '#f2c94c'),
  ('municipal', '自治体', 'Municipality', 'municipal', '#4f4f4f');

insert into public.tags (slug, name, name_en, category, color, icon_name, sort_order) values
  ('covered', '屋根あり', 'Covered', 'facility', '#4f4f4f', 'roof', 10),
  ('open_24h', '24時間営業', 'Open 24 hours', 'hours', '#2f80ed', 'clock-24', 20),
  ('entry_24h', '24時間入庫可', 'Entry at any hour', 'hours', '#2f80ed', 'clock-in', 30),
  ('24h', '24時間入出庫可', 'Entry and exit at any hour', 'hours', '#2f80ed', 'clock', 40),
  ('ev_charging', 'EV充電あり', 'EV charging', 'facility', '#27ae60', 'ev-plug', 50),
  ('oversized_ok', '大型車可', 'Oversized vehicles', 'vehicle', '#9b51e0', 'truck', 60),
  ('motorcycle_ok', 'バイク可', 'Motorcycles', 'vehicle', '#9b51e0', 'motorcycle', 70),
  ('wheelchair_accessible', '車いす対応', 'Wheelchair accessible', 'accessibility', '#56ccf2', 'wheelchair', 80),
  ('barrier_free', 'バリアフリー', 'Step-free', 'accessibility', '#56ccf2', 'ramp', 90),
  ('reservable', '予約可', 'Reservable', 'service', '#f2994a', 'calendar', 100),
  ('security_camera', '防犯カメラあり', 'Security cameras', 'facility', '#4f4f4f', 'camera', 110),
  ('has_max_fee', '最大料金あり', 'Capped price', 'price', '#eb5757', 'cap', 120),
  ('max_fee', '最大料金設定', 'Maximum fee', 'price', '#eb5757', 'cap-yen', 130),
  ('monthly_available', '月極あり', 'Monthly contracts', 'service', '#f2994a', 'calendar-month', 140),
  ('coin_500_or_less', 'ワンコイン(500円以下)', 'One coin (500 yen or less)', 'price', '#eb5757', 'coin', 150),
  ('near_station', '駅近', 'Near a station', 'place', '#219653', 'train', 160),
  ('low_price', '低価格', 'Low price', 'price', '#eb5757', 'tag-yen', 170),
  ('partner_facility', '提携施設あり', 'Partner facility', 'service', '#f2994a', 'handshake', 180);
