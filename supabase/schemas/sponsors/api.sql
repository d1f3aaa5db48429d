-- The interface of sponsors: sponsors near a lot, and check-ins.
--
-- Clients and the service call these functions. The rules are in sponsors.sql.

create function api.list_sponsors(
  p_category text default null, p_limit integer default 20, p_cursor text default null, p_include text[] default '{}'
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters jsonb := jsonb_build_object('list', 'sponsors', 'category', p_category);
  v_keys jsonb := private.page_start(v_filters, p_cursor, '{integer,uuid}', 'asc');
begin
  perform private.page_limit(p_limit);
  return private.page(v_filters, (
    select jsonb_agg(private.sponsor_row(p.id) order by p.sort_order, p.id)
    from (
      select s.id, s.sort_order from public.sponsors s
      where s.is_active and (p_category is null or s.category = p_category)
        and (s.sort_order, s.id) > ((v_keys ->> 0)::integer, (v_keys ->> 1)::uuid)
      order by s.sort_order, s.id
      limit p_limit + 1
    ) p
  ), '{sort_order,id}', p_limit, case when 'total' = any (p_include) then (
    select count(*) from public.sponsors s where s.is_active and (p_category is null or s.category = p_category)
  ) end);
end
$$;

comment on function api.list_sponsors(text, integer, text, text[]) is
  'The active sponsors, of one category or all, in sort_order: {items, next_cursor}, and total when p_include has it. Reads only. Errors: validation_error.';

create function api.nearby_sponsors(
  p_lat double precision, p_lng double precision, p_radius_m integer default 500, p_limit integer default 50
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_nearby(p_lat, p_lng, p_radius_m, p_limit, 'distance');
  return (
    select coalesce(jsonb_agg(
      private.sponsor_row(n.sponsor_id) || jsonb_build_object('distance_m', round(n.distance_m::numeric, 2)) order by n.place
    ), '[]')
    from private.nearest_sponsors(p_lat, p_lng, p_radius_m, p_limit)
      with ordinality as n (sponsor_id, distance_m, place)
  );
end
$$;

comment on function api.nearby_sponsors(double precision, double precision, integer, integer) is
  'The p_limit (1..100) active sponsors nearest to a point within p_radius_m (1..50000), nearest first, ties by id: an array. distance_m as in nearby_parking_lots. Reads only. Errors: validation_error.';

create function commands.check_in_at_sponsor(
  p_id uuid, p_lat double precision, p_lng double precision, p_accuracy_m double precision
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_taken record;
begin
  perform private.active_user();
  select c.* into v_taken from private.count_checkin(
    p_id, private.checkin_distance(p_id, p_lat, p_lng, p_accuracy_m), p_accuracy_m::numeric
  ) as c;
  return jsonb_build_object(
    'id', (v_taken.checkin).id, 'sponsor_id', p_id, 'local_date', (v_taken.checkin).local_date,
    'distance_m', (v_taken.checkin).distance_m, 'created_at', (v_taken.checkin).created_at, 'counted', v_taken.counted
  );
end
$$;

comment on function commands.check_in_at_sponsor(uuid, double precision, double precision, double precision) is
  'Checks the caller in at a sponsor, within its radius and with an accuracy of 100 m or better. Counts once per local day: later calls return the first check-in with counted false. Errors: unauthorized, forbidden, validation_error, not_found.';

grant execute on function
  api.list_sponsors(text, integer, text, text[]),
  api.nearby_sponsors(double precision, double precision, integer, integer)
to anon, authenticated;
