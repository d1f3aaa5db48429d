-- The rules of a lot that never apply, and the areas of an administrator, are computed once a call and not once a row.
--
-- The definitions are those of supabase/schemas after this change. The way back is a file of its own.

-- Checks a set of a lot that the caller has locked, and stores it. Errors: validation_error (param: place and field),
-- conflict.
create or replace function private.store_set(p_admin_id uuid, p_lot_id uuid, p_set text, p_items jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_placed jsonb;
  v_nth bigint;
begin
  perform private.check_set_items(p_set, p_items);
  if p_set = 'tags' then
    perform private.store_tags(p_lot_id, p_items);
    return;
  elsif p_set = 'images' then
    perform private.claim_images(p_admin_id, p_lot_id, p_items);
  end if;
  v_placed := private.placed_items(p_lot_id, p_set, p_items);
  perform private.check_placed_items(p_lot_id, p_set, v_placed);
  perform private.store_rows(p_lot_id, p_set, v_placed);
  if p_set = 'images' then
    update public.assets set deleted_at = now()
    where entity_id = p_lot_id and entity_type = 'parking_lot' and attached_at is not null and deleted_at is null
      and id not in (select i.asset_id from public.parking_lot_images i where i.parking_lot_id = p_lot_id);
  elsif p_set = 'pricing_rules' then
    select min(i.nth) - 1 into v_nth from jsonb_array_elements(v_placed) with ordinality as i (item, nth)
    where (i.item #>> '{row,id}')::uuid = any (array(select unnest(private.idle_rules(p_lot_id))));
    if v_nth is not null then
      perform private.raise_error('validation_error', 422, 'This rule never applies: other rules of its group take precedence at all times. Change or remove it.',
        p_param => format('pricing_rules.%s.category', v_nth));
    end if;
  end if;
end
$$;

create or replace function api.admin_list_jobs(p_admin_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, null);
  return (
    select jsonb_build_object('at', now(), 'items', coalesce(jsonb_agg(jsonb_build_object(
      'name', r.name, 'schedule', r.schedule, 'is_active', r.is_active,
      'last_run', case when r.started_at is not null then jsonb_build_object(
        'status', r.status, 'started_at', r.started_at, 'ended_at', r.ended_at,
        'duration_ms', round(extract(epoch from r.ended_at - r.started_at) * 1000),
        'error', case when r.status = 'failed' then left(r.message, 500) end
      ) end,
      'failed_24h', r.failed,
      'next_run_at', case when r.is_active then private.next_run(r.schedule, coalesce(r.started_at, now()), now()) end
    ) order by r.name), '[]'))
    from private.job_runs() r where private.area_of_job(r.name) = any (array(select unnest(private.areas_of(p_admin_id))))
  );
end
$$;
