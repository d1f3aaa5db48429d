-- An import adds an operator whose code is the slug of another operator: it gets a slug of its own. Before, the unique slug
-- ended the whole import.
--
-- The definition is that of supabase/schemas after this change. The way back: the definition of before.

set lock_timeout = '2s';

-- Adds the operators of the stage that do not exist. An operator's slug is its code, unless another operator has this slug.
create or replace function private.merge_staged_operators() returns void
language plpgsql
set search_path = ''
as $$
begin
  -- Existing operators keep their name and colour.
  insert into public.operators (id, name, slug)
  select distinct on (s.operator_code) s.operator_code, coalesce(s.operator_name, s.operator_code),
    s.operator_code || case
      when exists (select from public.operators o where o.slug = s.operator_code) then '-' || left(md5(s.operator_code), 8)
      else '' end
  from pg_temp.import_stage s
  where s.operator_code is not null
  order by s.operator_code, s.position
  on conflict (id) do nothing;
end
$$;
