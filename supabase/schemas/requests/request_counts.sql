-- Counts of requests: what the functions counted in memory, added up for metrics.
--
-- A process of the functions adds its counts every ten seconds, and only what it counted since. So counts of processes that
-- live for a moment are not lost, and a request costs no write.
--
-- Invariants: a row for each route and status; the functions write templates of routes, never paths.
-- Interface: api.add_request_counts; private.service_figures reads the table.

-- Adds counts, each method, route and status once.
create function private.write_request_counts(p_counts jsonb) returns void
language plpgsql
security definer -- no role writes counts directly
set search_path = ''
as $$
begin
  insert into private.request_counts as c (method, route, status, access, buckets, seconds)
  select r.method, r.route, r.status, r.access, r.buckets, r.seconds
  from jsonb_to_recordset(p_counts)
    as r (method text, route text, status smallint, access text, buckets bigint[], seconds double precision)
  -- All processes lock the rows in the same order.
  order by r.method collate "C", r.route collate "C", r.status
  on conflict (method, route, status) do update set
    access = excluded.access,
    buckets = array(select b.old + b.new from unnest(c.buckets, excluded.buckets) with ordinality as b (old, new, nth) order by b.nth),
    seconds = c.seconds + excluded.seconds,
    counted_at = excluded.counted_at;
end
$$;
