-- Types of search: entries, conditions, pages, nearby, map and changes.
-- They come before the tables, because columns, functions and other types use them.

-- ---------------------------------------------------------------------------------------------------------------------
-- Lots by distance
-- ---------------------------------------------------------------------------------------------------------------------

create type private.found_page as (lot_ids uuid[], keys double precision[]);

comment on type private.found_page is 'Lots in the order of a search, and the sort key of each.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Nearby
-- ---------------------------------------------------------------------------------------------------------------------

create type private.nearby_filters as (
  max_height_m numeric,
  tags text[],
  open_now boolean,
  max_price numeric,
  entry_at timestamptz,
  exit_at timestamptz,
  without_surprises boolean
);

comment on type private.nearby_filters is 'The filters of api.nearby_parking_lots, read and checked. tags is never null.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Map
-- ---------------------------------------------------------------------------------------------------------------------

create type private.cluster as (
  cell_x integer, cell_y integer, lot_count bigint, lat double precision, lng double precision, price_min integer,
  price_max integer, currency text, representative_id uuid
);

comment on type private.cluster is 'The sums of the lots of a cell. Prices and currency are null when no price is known or currencies differ.';
