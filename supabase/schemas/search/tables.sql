-- Tables of search: entries, conditions, pages, nearby, map and changes.
--
-- Each table has its comments, indexes, row security, policies and grants below it. The rules are in by_distance.sql,
-- cells.sql, changes.sql, conditions.sql, entries.sql, map.sql, mercator.sql, nearby.sql, pages.sql, renames.sql and
-- stay_costs.sql.

-- ---------------------------------------------------------------------------------------------------------------------
-- Search entries
-- ---------------------------------------------------------------------------------------------------------------------

create table private.search_entries (
  parking_lot_id uuid primary key references public.parking_lots (id) on delete cascade,
  mercator point not null,
  lat double precision not null,
  lng double precision not null,
  -- Both ascending, so that an index yields each order.
  rank_key integer not null,
  price_key integer not null,
  hour_price integer,
  currency text not null,
  is_on_street boolean not null,
  max_height_m numeric,
  max_width_m numeric,
  max_length_m numeric,
  max_weight_t numeric,
  min_clearance_cm integer,
  max_tire_width_mm integer,
  document text not null,
  terms text[] collate "C" not null,
  name_count integer not null,
  operator_code text collate "C"
);

comment on table private.search_entries is 'The data of a public lot that search reads. Triggers maintain it.';
comment on column private.search_entries.rank_key is 'The position in the recommended order: 10000 minus the score (private.lot_score).';
comment on column private.search_entries.price_key is 'hour_price; greater than all prices when it is unknown.';
comment on column private.search_entries.document is 'Name, kana, address and operator in the form of private.search_text, one line each.';
comment on column private.search_entries.name_count is 'How many terms, from the first on, are names (#, !, = and @); the others are of the document.';

-- A sample of one in three hundred rows shows how common a term is. The planner needs that: it looks up a rare term, and for
-- a common term it reads the order until a page is full.
alter table private.search_entries alter column terms set statistics 300;

create index search_entries_terms_idx on private.search_entries using gin (terms);
-- With the columns of a search by distance, so that the nearest lots come from the index alone. Not a quadtree (SP-GiST),
-- although it is smaller and faster: Postgres treats coordinates within a millionth as equal when it sorts points into
-- quadrants. In radians that is 6 m, and searches in dense places then miss lots.
create index search_entries_mercator_idx on private.search_entries using gist (mercator) include (parking_lot_id, lat, lng);
create index search_entries_rank_idx on private.search_entries (rank_key, parking_lot_id);
create index search_entries_price_idx on private.search_entries (price_key, parking_lot_id);
-- Finds the few lots that accept a tall vehicle.
create index search_entries_height_idx on private.search_entries (max_height_m) where max_height_m is not null;
create index search_entries_width_idx on private.search_entries (max_width_m) where max_width_m is not null;
create index search_entries_length_idx on private.search_entries (max_length_m) where max_length_m is not null;
create index search_entries_weight_idx on private.search_entries (max_weight_t) where max_weight_t is not null;
create index search_entries_clearance_idx on private.search_entries (min_clearance_cm) where min_clearance_cm is not null;
create index search_entries_tire_idx on private.search_entries (max_tire_width_mm) where max_tire_width_mm is not null;
-- Finds the lots of a list of operators. Their terms would compare each entry with every code of the list.
create index search_entries_operator_idx on private.search_entries (operator_code) where operator_code is not null;

-- Suggestions of lots by the beginning of their names: the name is the first line of the document.
create index search_entries_name_idx on private.search_entries (left(document, 64) collate "C");

create index search_entries_cell_idx on private.search_entries (private.map_cell(mercator));

create table private.unlisted_search_entries (
  parking_lot_id uuid primary key references public.parking_lots (id) on delete cascade,
  document text not null,
  terms text[] collate "C" not null
);

comment on table private.unlisted_search_entries is 'The search data of lots that are not public, for administrators. Triggers maintain it.';
comment on column private.unlisted_search_entries.document is 'Name, kana and address in the form of private.search_text, one line each.';

create index unlisted_search_entries_terms_idx on private.unlisted_search_entries using gin (terms);

-- ---------------------------------------------------------------------------------------------------------------------
-- Map
-- ---------------------------------------------------------------------------------------------------------------------

create table private.map_cells (
  level smallint not null constraint map_cells_level check (level between 3 and 14),
  cell integer not null,
  term text collate "C" not null,
  lot_count integer not null,
  lat_sum double precision not null,
  lng_sum double precision not null,
  price_min integer,
  price_max integer,
  currency_min text,
  currency_max text,
  best text collate "C" not null,
  primary key (level, cell, term)
);

comment on table private.map_cells is 'Sums of the search entries of a cell. Written by private.refresh_map_cells.';
comment on column private.map_cells.cell is '16384 times the column, and the row.';
comment on column private.map_cells.term is 'The name that these lots have (see private.search_entries.terms); empty: all lots of the cell.';
comment on column private.map_cells.best is '100000 and the rank key of the best lot, and its id: the smallest text is the best lot.';

create table private.map_marks (
  cell integer not null,
  id bigint generated always as identity,
  primary key (cell, id)
);

comment on table private.map_marks is
  'Cells of level 14 to recalculate: a row for each change, because a row that two writers share would make one wait for the other.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Changes of lots
-- ---------------------------------------------------------------------------------------------------------------------

create table private.lot_change_queue (
  parking_lot_id uuid not null,
  id bigint not null generated always as identity,
  was_public boolean not null default false,
  primary key (parking_lot_id, id)
);

comment on table private.lot_change_queue is
  'Lots whose changes have no revision yet. A row for each change, so that writers do not wait for each other.';
comment on column private.lot_change_queue.was_public is
  'Whether the change wrote the row of a lot that was public before or after it.';

create table private.lot_changes (
  parking_lot_id uuid primary key,
  revision bigint not null unique,
  noted_at timestamptz not null,
  is_gone boolean not null
);

comment on table private.lot_changes is 'The newest change of each lot that is or was public. Only private.note_lot_changes writes it.';
comment on column private.lot_changes.revision is 'The number of the change, higher than those of all changes noted before.';
comment on column private.lot_changes.noted_at is 'When the job noted the change, after its commit. It never decreases while the revision grows.';
comment on column private.lot_changes.is_gone is 'Whether the lot was deleted or is no longer public: a tombstone.';

-- Finds the first revision since a moment.
create index lot_changes_noted_at_idx on private.lot_changes (noted_at, revision);

create index lot_changes_gone_idx on private.lot_changes (noted_at) where is_gone;

-- ---------------------------------------------------------------------------------------------------------------------
-- Renames
-- ---------------------------------------------------------------------------------------------------------------------

create table private.renames (
  kind text collate "C" not null constraint renames_kind_known check (kind in ('tag', 'operator')),
  id text collate "C" not null,
  last_lot_id uuid not null default '00000000-0000-0000-0000-000000000000',
  done_lots integer not null default 0,
  started_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (kind, id)
);

comment on table private.renames is 'Tags and operators that changed, and whose lots are not all recorded as changed; the row is deleted at the end.';
comment on column private.renames.last_lot_id is 'The lots up to this one are processed.';
comment on column private.renames.done_lots is 'How many of them have the tag or the operator.';
