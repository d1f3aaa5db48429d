-- Tables of places: where they are, and by what names they are found.
--
-- Each table has its comments and indexes below it. The rules are in places.sql. Clients read no table; functions do.

create table private.places (
  id bigint primary key,
  kind text collate "C" not null constraint places_kind_known check (kind in (
    'prefecture', 'municipality', 'town', 'station', 'interchange', 'airport', 'civic', 'district', 'hall', 'hospital', 'mall', 'mountain',
    'museum', 'park', 'port', 'temple', 'themepark', 'tower'
  )),
  name text not null,
  name_en text,
  lat double precision not null,
  lng double precision not null,
  parent_id bigint,
  radius_m integer not null,
  importance smallint not null,
  chome smallint,
  lines text,
  key_ja text collate "C",
  key_en text collate "C",
  constraint places_keys_of_towns check ((key_ja is not null) = (kind = 'town'))
);

comment on table private.places is 'Places of Japan that searches know by name. Lots are found in private.search_entries.';
comment on column private.places.parent_id is
  'The municipality of the place; the prefecture of a municipality. No foreign key: only whole versions of the data are written.';
comment on column private.places.radius_m is 'How far the place extends, roughly.';
comment on column private.places.importance is 'The position among places that match as well: higher first.';
comment on column private.places.chome is 'How many 丁目 a town has, as far as the data go; 0: none.';
comment on column private.places.lines is 'The lines of a station.';
comment on column private.places.key_ja is 'The key of the name of a town (private.place_key); null for all others.';
comment on column private.places.key_en is 'The key of the name of a town in Latin letters.';

-- Only whole versions of the data are written: the pages of the indexes are full.
create index places_key_ja_idx on private.places (key_ja) with (fillfactor = 100) where key_ja is not null;
create index places_key_en_idx on private.places (key_en) with (fillfactor = 100) where key_en is not null;
-- The towns around the middle of a map whose names begin with a character.
create index places_cell_ja_idx on private.places (private.place_cell(lat, lng), left(key_ja, 1)) with (fillfactor = 100)
  where key_ja is not null;
create index places_cell_en_idx on private.places (private.place_cell(lat, lng), left(key_en, 1)) with (fillfactor = 100)
  where key_en is not null;

-- The municipalities of a prefecture, and the places of a municipality.
create index places_parent_idx on private.places (parent_id) with (fillfactor = 100);

create table private.place_names (
  key text collate "C" not null,
  place_id bigint not null,
  importance smallint not null,
  cell integer not null,
  primary key (key, place_id) include (importance) with (fillfactor = 100)
);

comment on table private.place_names is
  'The names of all places but towns, as keys (private.place_key). No foreign key: only whole versions of the data are written.';
comment on column private.place_names.importance is 'That of the place, for the order of the indexes below.';
comment on column private.place_names.cell is 'The cell of the place (private.place_cell).';

-- The most important places for the first and the second character that a user types.
create index place_names_first_idx on private.place_names (left(key, 1), importance desc) with (fillfactor = 100);
create index place_names_second_idx on private.place_names (left(key, 2), importance desc) with (fillfactor = 100);
-- The names around the middle of a map that begin with a character.
create index place_names_cell_idx on private.place_names (cell, left(key, 1)) with (fillfactor = 100);

create table private.place_data (
  id boolean primary key default true constraint place_data_one_row check (id),
  version text not null,
  place_count integer not null,
  loaded_at timestamptz not null default now()
);

comment on table private.place_data is
  'One row: the version of the data that `deno task places` brought. No row: only prefectures and municipalities are known.';
comment on column private.place_data.version is 'The fingerprint of the files, of the programs that read them, and of the functions that make keys.';
