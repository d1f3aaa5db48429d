-- Suggestions of places are faster. Mistyped names are looked up without a table for 50,000 keys, and the wards of a city
-- without a plan for each call. A name in a municipality is looked up among the names of the country where few begin so.
--
-- The definitions are those of supabase/schemas after this change. The way back: the functions as they were.

set lock_timeout = '2s';

-- Keys that a mistyped key may stand for: a letter too many, two letters swapped, and for Latin letters one that is wrong or
-- missing; also the other system of romanization (sibuya for shibuya).
create or replace function private.misspelt_keys(p_key text) returns table (key text)
language plpgsql immutable strict parallel safe rows 500
set search_path = ''
as $$
begin
  return query
    -- A key may come twice: union without all would clear a table for 50,000 keys at each call.
    select k.key from (
      select regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(p_key,
        '([^sc]|^)hu', '\1fu', 'g'), '([st])y([auo])', '\1h\2', 'g'), 'th([auo])', 'ch\1', 'g'),
        'si', 'shi', 'g'), 'ti', 'chi', 'g'), 'tu', 'tsu', 'g'), 'z(i|y)', 'j\1', 'g') as key
      union all
      select replace(regexp_replace(regexp_replace(p_key, 'z(i|y)', 'j\1', 'g'), 'ty([auo])', 'ch\1', 'g'), 'jy', 'j')
      union all
      -- A letter too many. Without the last one a key is only shorter.
      select left(p_key, n - 1) || substr(p_key, n + 1) from generate_series(1, char_length(p_key) - 1) as n
      union all
      select left(p_key, n - 1) || substr(p_key, n + 1, 1) || substr(p_key, n, 1) || substr(p_key, n + 2)
      from generate_series(1, char_length(p_key) - 1) as n
      union all
      select left(p_key, n - 1) || a.letter || substr(p_key, n + w.width)
      from generate_series(1, char_length(p_key)) as n
      cross join (values (0), (1)) as w (width)
      cross join string_to_table('a,i,u,e,o,k,s,t,n,h,m,y,r,w,g,z,d,b,p,j,f,c,l,v', ',') as a (letter)
      where p_key ~ '^[a-z0-9]+$'
    ) k
    where k.key <> p_key;
end
$$;

-- These municipalities, and the wards of those that are cities of wards.
create or replace function private.with_wards(p_ids bigint[]) returns bigint[]
language plpgsql stable -- in SQL its plan would be made for each call
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
begin
  return p_ids || array(
    select w.id from private.places c join private.places w on w.parent_id = c.parent_id
    where c.id = any (p_ids) and right(c.name, 1) = '市' and w.name ^@ c.name and w.id <> c.id and w.kind = 'municipality');
end
$$;

-- The places of these municipalities with a key, or those whose names begin with it: all where fewer than 200 names of the
-- country begin so, otherwise the 60 most important. None when there are no municipalities.
create or replace function private.places_in_areas(p_key text, p_areas bigint[], p_is_prefix boolean) returns setof bigint
language plpgsql stable rows 5
set search_path = ''
set plan_cache_mode = force_generic_plan -- each part is a look-up in an index
as $$
declare
  c_end constant text := p_key || chr(1114111); -- after every text that begins with the key
  v_ids bigint[];
begin
  if p_areas is null or coalesce(p_key, '') = '' then
    return;
  elsif p_is_prefix then
    v_ids := array(
      (select n.place_id from private.place_names n where n.key >= p_key and n.key <= c_end order by n.key limit 200)
      union all
      (select p.id from private.places p where p.key_ja >= p_key and p.key_ja <= c_end order by p.key_ja limit 200)
      union all
      (select p.id from private.places p where p.key_en >= p_key and p.key_en <= c_end order by p.key_en limit 200)
    );
  else
    v_ids := array(select k.id from private.places_by_key(array[p_key]) k);
  end if;
  if not p_is_prefix or cardinality(v_ids) < 200 then
    return query select p.id from private.places p where p.id = any (v_ids) and p.parent_id = any (p_areas);
  else
    return query
      select p.id from private.places p
      where p.parent_id = any (p_areas) and case
        when p.key_ja is not null then p.key_ja ^@ p_key or p.key_en ^@ p_key
        -- The names that begin so in the cell of the place. The limit keeps this a look-up.
        else (
          select true from private.place_names n
          where n.cell = private.place_cell(p.lat, p.lng) and left(n.key, 1) = left(p_key, 1) and n.key ^@ p_key and n.place_id = p.id
          limit 1
        )
      end
      order by p.importance desc, p.id
      limit 60;
  end if;
end
$$;
