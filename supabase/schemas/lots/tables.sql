-- Tables of lots: parking lots with their operators, tags, images and spots; import and engagement.
--
-- Each table has its comments, indexes, row security, policies and grants below it. The rules are in detail.sql,
-- engagement.sql, import_stage.sql, lots.sql and recent_counts.sql.

-- ---------------------------------------------------------------------------------------------------------------------
-- Lots
-- ---------------------------------------------------------------------------------------------------------------------

create table public.operators (
  id text primary key check (id ~ '^[a-z0-9][a-z0-9_-]{0,49}$'),
  name text not null check (char_length(name) between 1 and 200),
  name_en text check (char_length(name_en) between 1 and 200),
  slug text not null unique check (slug ~ '^[a-z0-9][a-z0-9_-]{0,99}$'),
  color text check (color ~ '^#[0-9a-f]{6}$'),
  created_at timestamptz not null default now()
);

comment on constraint operators_id_check on public.operators is 'id must be 1 to 50 lower case letters, digits, - and _.';
comment on table public.operators is 'Operators of lots. Master data.';
comment on column public.operators.id is 'The code of the operator; parking_lots.operator_code refers to it.';
comment on column public.operators.name is 'The Japanese name; name_en is the English name.';

-- No insert, update or delete for clients: importers, accepted corrections and administrators write lots.

alter table public.operators enable row level security;
create policy "Everyone reads operators" on public.operators for select to anon, authenticated using (true);

grant select (id, name, name_en, slug, color) on public.operators to anon, authenticated;

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

comment on constraint tags_slug_check on public.tags is
  'slug must be 1 to 50 lower case letters, digits and _, and begin with a letter or digit.';
comment on constraint tags_color_check on public.tags is 'color must be #rrggbb in lower case, for example #1565c0.';
comment on table public.tags is 'Features that a lot can have. Master data.';
comment on column public.tags.is_active is 'False for a tag that is no longer offered; lots that have it still show it.';
comment on column public.tags.slug is 'The value that a search uses; every attribute of SearchQueryV1 is a slug.';

alter table public.tags enable row level security;
create policy "Everyone reads tags" on public.tags for select to anon, authenticated using (true);

grant select (id, name, name_en, slug, color, category, icon_name, sort_order, is_active) on public.tags to anon, authenticated;

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
  hour_price integer check (hour_price >= 0),
  price_fixed_at_entry boolean not null default false,
  constraint parking_lots_source_external_id_key unique (source, external_id),
  constraint parking_lots_external_id_has_source check (external_id is null or source is not null),
  constraint parking_lots_area_is_geometry check (area is null or private.is_geometry(area)),
  constraint parking_lots_time_zone_is_iana check (private.is_time_zone(time_zone))
);

-- The sentences of constraints whose expressions are no clear errors of a request (foundation/fields.sql).
comment on constraint parking_lots_area_is_geometry on public.parking_lots is
  'area must be a GeoJSON geometry (RFC 7946) of longitudes and latitudes, with closed rings, in parts at the date line.';
comment on constraint parking_lots_website_check on public.parking_lots is
  'website must be a URL that begins with https:// or http://, of at most 2000 characters.';
comment on constraint parking_lots_source_url_check on public.parking_lots is
  'source_url must be a URL that begins with https:// or http://, of at most 2000 characters.';
comment on constraint parking_lots_holiday_calendar_check on public.parking_lots is
  'holiday_calendar must be an ISO 3166 code, for example JP.';
comment on constraint parking_lots_currency_check on public.parking_lots is 'currency must be an ISO 4217 code, for example JPY.';
comment on constraint parking_lots_time_zone_is_iana on public.parking_lots is
  'time_zone must be the name of an IANA time zone, for example Asia/Tokyo.';
comment on constraint parking_lots_external_id_has_source on public.parking_lots is 'source is required with an external_id.';

comment on table public.parking_lots is 'Parking lots. Public when active.';
comment on column public.parking_lots.area is 'The outline, a GeoJSON geometry.';
comment on column public.parking_lots.max_height_m is 'The height of the highest vehicle that fits, in metres; null: unknown.';
comment on column public.parking_lots.external_id is 'The identifier of the lot at its source; unique there.';
comment on column public.parking_lots.avg_rating is 'Mean of the ratings of approved reviews, 1 to 5; 0 without reviews.';
comment on column public.parking_lots.tag_slugs is
  'Slugs of the tags whose state is true, in order. Triggers maintain it, so that search needs no join.';
comment on column public.parking_lots.main_image_key is
  'Storage key of the main image, if it may be shown. Triggers maintain it, so that search needs no join.';

comment on column public.parking_lots.hour_price is
  'The fee of a standard vehicle for 60 minutes from 12:00 on a Wednesday that is not a holiday, by the rules in effect today, in minor units; null: unknown. Triggers and a job maintain it, for search.';
comment on column public.parking_lots.price_fixed_at_entry is
  'A stay is priced by the pricing rules in effect on the date of its entry. False: by those of each date.';

-- The list without a filter, and with each of them. Deleting or renaming an operator also finds its lots by them.
create index parking_lots_updated_idx on public.parking_lots (updated_at desc, id desc);
create index parking_lots_status_updated_idx on public.parking_lots (status, updated_at desc, id desc);
create index parking_lots_operator_updated_idx on public.parking_lots (operator_code, updated_at desc, id desc)
  where operator_code is not null;
create index parking_lots_source_updated_idx on public.parking_lots (source, updated_at desc, id desc)
  where source is not null;

-- Lots in the order of their names, for the report in that order.
create index parking_lots_name_idx on public.parking_lots (name collate "C", id);

alter table public.parking_lots enable row level security;
create policy "Everyone reads active lots" on public.parking_lots for select to anon, authenticated
  using (status = 'active');

grant select (
  id, name, name_kana, address, lat, lng, area, total_spaces, status, structure, max_height_m, max_width_m,
  max_length_m, max_weight_t, min_clearance_cm, max_tire_width_mm, max_parking_duration_min, entry_method, shape_type,
  entry_difficulty, operator_code, phone, website, time_zone, holiday_calendar, currency, source, external_id,
  source_url, licence, attribution, avg_rating, review_count, tag_slugs, main_image_key, created_at, updated_at
) on public.parking_lots to anon, authenticated;

grant select (hour_price, price_fixed_at_entry) on public.parking_lots to anon, authenticated;

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

alter table public.parking_lot_tags enable row level security;

-- Row security of parking_lots applies inside these: rows of a lot that the caller cannot see are hidden. The subquery makes
-- one look-up per row; with `exists` the planner may hash all lots.
create policy "Everyone reads the tags of active lots" on public.parking_lot_tags for select to anon, authenticated
  using ((select true from public.parking_lots l where l.id = parking_lot_id));

grant select (parking_lot_id, tag_id, state) on public.parking_lot_tags to anon, authenticated;

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

alter table public.parking_lot_images enable row level security;
create policy "Everyone reads the images of active lots" on public.parking_lot_images for select to anon, authenticated
  using ((select true from public.parking_lots l where l.id = parking_lot_id));

grant select (id, parking_lot_id, asset_id, is_main, sort_order) on public.parking_lot_images to anon, authenticated;

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

alter table public.parking_lot_spots enable row level security;
create policy "Everyone reads the spots of active lots" on public.parking_lot_spots for select to anon, authenticated
  using ((select true from public.parking_lots l where l.id = parking_lot_id));

grant select (
  id, parking_lot_id, code, vehicle_type_max, is_ev_charger, ev_connector_type, accessibility, is_reservable
) on public.parking_lot_spots to anon, authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Engagement
-- ---------------------------------------------------------------------------------------------------------------------

create table private.parking_lot_daily_counts (
  parking_lot_id uuid not null,
  day date not null,
  saves integer not null default 0,
  sessions integer not null default 0,
  searches integer not null default 0,
  primary key (parking_lot_id, day)
);

comment on table private.parking_lot_daily_counts is
  'How often a lot was saved, parked at and returned by a search on a day. Not a foreign key: counts stay when the lot is deleted.';

-- A report reads one count of all lots in its period, or every count, from an index alone.
create index parking_lot_daily_counts_saves_idx on private.parking_lot_daily_counts (day, parking_lot_id) include (saves) where saves > 0;
create index parking_lot_daily_counts_sessions_idx on private.parking_lot_daily_counts (day, parking_lot_id) include (sessions) where sessions > 0;
create index parking_lot_daily_counts_counts_idx on private.parking_lot_daily_counts (day, parking_lot_id) include (saves, sessions, searches);

-- Retention. Rows are written in the order of days.
create index parking_lot_daily_counts_day_idx on private.parking_lot_daily_counts using brin (day);

create table private.pending_lot_counts (
  id bigint generated always as identity primary key,
  parking_lot_id uuid not null,
  day date not null,
  activity_type text not null
);

comment on table private.pending_lot_counts is 'Activities that are not yet in the daily counts.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Recent counts
-- ---------------------------------------------------------------------------------------------------------------------

create table private.recent_lot_counts (
  parking_lot_id uuid primary key,
  saves bigint not null,
  sessions bigint not null,
  searches bigint not null
);

comment on table private.recent_lot_counts is
  'Sums of the daily counts of a lot that are after private.recent_lot_counts_start: the last 30 days, as the report without dates lists them.';

-- The orders of the report.
create index recent_lot_counts_all_idx on private.recent_lot_counts (sessions, saves, searches, parking_lot_id);
create index recent_lot_counts_saves_idx on private.recent_lot_counts (saves, parking_lot_id) where saves > 0;
create index recent_lot_counts_sessions_idx on private.recent_lot_counts (sessions, parking_lot_id) where sessions > 0;
create index recent_lot_counts_searches_idx on private.recent_lot_counts (searches, parking_lot_id) where searches > 0;

create table private.recent_lot_counts_start (
  is_only boolean primary key default true check (is_only),
  day date not null,
  parking_lot_id uuid not null
);

comment on table private.recent_lot_counts_start is
  'The position in the order of day and lot after which daily counts are in private.recent_lot_counts. After a whole day the lot is the highest uuid.';
