-- Active lots, clustered as cities: the same places every time. The setting bench.lots is their number.
--
-- Forty cities whose sizes fall off as 1/rank, somewhere between Kyushu and Hokkaido. In a city half of the lots stand in
-- the centre (a bell of 2.5 km), four in ten in the town around it (9 km), the rest in the country (33 km).
-- Tags are written as tag_slugs alone; lot_facts.sql adds the rows that they stand for where it adds facts.

select setseed(0.42);

create temporary table drawn_city as
select rank, 31.5 + 12 * random() as lat, 130 + 12 * random() as lng from generate_series(1, 40) as rank;

create temporary table drawn_lot as
select n, random() as city, random() as spread, 1 - random() as radius, 2 * pi() * random() as direction,
  random() as tall, random() as tags
from generate_series(1, current_setting('bench.lots')::integer) as n;

with city_shares as (
  -- The upper end of each city's share, in order of rank.
  select array_agg(upto order by rank) as upto
  from (select rank, (sum(1.0 / rank) over (order by rank) / sum(1.0 / rank) over ())::float8 as upto from drawn_city) s
),
placed as (
  select d.*, least(1 + width_bucket(d.city, s.upto), 40) as rank,
    case when spread < 0.5 then 0.0225 when spread < 0.9 then 0.08 else 0.3 end * sqrt(-2 * ln(radius)) as far
  from drawn_lot d cross join city_shares s
)
insert into public.parking_lots (name, address, lat, lng, status, max_height_m, tag_slugs)
select 'Lot ' || p.n, 'Block ' || p.n || ', City ' || p.rank, c.lat + p.far * cos(p.direction),
  c.lng + p.far * sin(p.direction) / cos(radians(c.lat)), 'active',
  case when p.tall > 0.4 then round((1.5 + 2 * p.tall)::numeric, 1) end,
  case
    when p.tags < 0.5 then '{covered,open_24h}'
    when p.tags < 0.8 then '{ev_charging,near_station,security_camera}'
    when p.tags < 0.801 then '{reservable}'
    else '{}'
  end::text[]
from placed p
join drawn_city c using (rank);

drop table drawn_city, drawn_lot;
