-- Texts of lots: licences and attributions of imports are stored as the console stores them.
--
-- The definitions are those of supabase/schemas after this change. Texts that are stored stay as they are until they are
-- written again. The way back: the functions as they were.

set lock_timeout = '2s';

-- The texts of a lot that others see. They are stored as private.shown_name, from the console and from imports.
create function private.shown_lot_columns() returns text[]
language sql immutable
return '{name,name_kana,address,phone,licence,attribution}'::text[];

-- These fields with the texts that others see as they are stored. One of which nothing is left stays: it is refused.
create or replace function private.shown_lot_texts(p_fields jsonb) returns jsonb
language plpgsql immutable
set search_path = ''
as $$
begin
  return case when jsonb_typeof(p_fields) <> 'object' then p_fields else p_fields || coalesce((
    select jsonb_object_agg(f.key, coalesce(private.shown_name(f.value #>> '{}'), f.value #>> '{}'))
    from jsonb_each(p_fields) as f
    where f.key = any (private.shown_lot_columns()) and jsonb_typeof(f.value) = 'string'
  ), '{}') end;
end
$$;

-- Writes the lots of the stage, with p_columns, where they differ. New lots get p_status. The texts that others see are
-- stored as the console stores them.
create or replace function private.merge_staged_lots(p_source text, p_status text, p_columns text[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  -- An absent value of these columns has no meaning: a lot keeps its own.
  c_kept constant text[] := '{licence,attribution,source_url,area}';
  v_shown text;
  v_names text;
  v_stored text;
  v_stated text;
  v_changes text;
  v_staged text;
begin
  select string_agg(c.name, ', '), string_agg('l.' || c.name, ', '), string_agg(c.stated, ', '),
    string_agg(c.name || ' = ' || c.stated, ', '), string_agg('s.' || c.name, ', ')
  into v_names, v_stored, v_stated, v_changes, v_staged
  from (
    select quote_ident(n.name) as name,
      format(case when n.name = any (c_kept) then 'coalesce(s.%1$I, l.%1$I)' else 's.%I' end, n.name) as stated
    from unnest(p_columns) as n (name)
  ) c;
  select string_agg(format('%1$I = coalesce(private.shown_name(%1$I), %1$I)', n.name), ', ') into v_shown
  from unnest(p_columns) as n (name) where n.name = any (private.shown_lot_columns());
  if v_shown is not null then
    execute format('update pg_temp.import_stage set %s', v_shown);
  end if;
  -- Rows that will change are locked first, in one order.
  execute format(
    'select from public.parking_lots l join pg_temp.import_stage s on l.source = $1 and l.external_id = s.external_id
    where (%s) is distinct from (%s) order by l.id for no key update of l', v_stored, v_stated
  ) using p_source;
  execute format(
    'with merged as (
      merge into public.parking_lots l
      using pg_temp.import_stage s on l.source = $1 and l.external_id = s.external_id
      when matched and (%s) is distinct from (%s) then update set %s
      when not matched then insert (source, status, %s) values ($1, $2, %s)
      returning merge_action() as action, l.id
    )
    insert into pg_temp.import_outcome select action, id from merged', v_stored, v_stated, v_changes, v_names, v_staged
  ) using p_source, p_status;
end
$$;
