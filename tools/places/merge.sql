-- Brings the rows of pg_temp.new_places into the tables of places: new and changed rows are written, others are deleted.
-- Prefectures come from a migration and stay.

-- The first data are most of the tables. Their indexes are then built once, which is faster, and leaves them smaller.
create temp table rebuilt_indexes on commit drop as
select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
from pg_index i
where i.indrelid in ('private.places'::regclass, 'private.place_names'::regclass) and not i.indisprimary
  and not exists (select from private.place_data);

do $$
declare
  v_index record;
begin
  for v_index in select r.name from rebuilt_indexes r loop
    execute format('drop index %s', v_index.name);
  end loop;
end
$$;

create temp table keyed_places on commit drop as
select private.place_id(n.kind, n.full_name) as id, n.kind, n.name, n.name_en, n.lat, n.lng,
  private.place_id(case when n.kind = 'municipality' then 'prefecture' else 'municipality' end, n.parent) as parent_id,
  n.radius_m, n.importance, n.chome, n.lines,
  case when n.kind = 'town' then private.place_key(n.names[1]) end as key_ja,
  case when n.kind = 'town' then nullif(private.place_key(n.names[2]), '') end as key_en
from pg_temp.new_places n;

create temp table keyed_names on commit drop as
select distinct private.place_key(a.name) collate "C" as key, private.place_id(n.kind, n.full_name) as place_id, n.importance,
  private.place_cell(n.lat, n.lng) as cell
from pg_temp.new_places n cross join lateral unnest(n.names) as a (name)
where n.kind <> 'town' and private.place_key(a.name) <> '';

delete from private.places p
where p.kind <> 'prefecture' and not exists (select from keyed_places k where k.id = p.id);

-- Neighbours stand together: a question with a map reads few pages.
insert into private.places as p (id, kind, name, name_en, lat, lng, parent_id, radius_m, importance, chome, lines, key_ja, key_en)
select k.* from keyed_places k
order by private.place_cell(k.lat, k.lng), k.id
on conflict (id) do update
set kind = excluded.kind, name = excluded.name, name_en = excluded.name_en, lat = excluded.lat, lng = excluded.lng,
  parent_id = excluded.parent_id, radius_m = excluded.radius_m, importance = excluded.importance, chome = excluded.chome,
  lines = excluded.lines, key_ja = excluded.key_ja, key_en = excluded.key_en
where (p.*) is distinct from (excluded.*);

delete from private.place_names n
where not exists (select from keyed_names k where k.key = n.key and k.place_id = n.place_id)
  and not exists (select from private.places p where p.id = n.place_id and p.kind = 'prefecture');

insert into private.place_names as n (key, place_id, importance, cell)
select k.key, k.place_id, k.importance, k.cell from keyed_names k
order by k.key, k.place_id
on conflict (key, place_id) do update
set importance = excluded.importance, cell = excluded.cell
where (n.importance, n.cell) <> (excluded.importance, excluded.cell);

do $$
declare
  v_index record;
begin
  for v_index in select r.definition from rebuilt_indexes r loop
    execute v_index.definition;
  end loop;
  -- Names came between those that the database had.
  if found then
    reindex index private.place_names_pkey;
  end if;
end
$$;

analyze private.places, private.place_names;
