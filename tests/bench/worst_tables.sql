-- What the search for the worst questions needs beyond lots, console and one person: operators, an import whose lots lack the
-- words of all others, archived activities, subscriptions and devices. Run by a superuser without triggers, block by block;
-- bench.lots is the number of lots.

-- step: operators of lots
insert into public.operators (id, name, slug) select 'bench' || n, 'Operator ' || n, 'bench' || n from generate_series(1, 60) as n;
-- Fifty operators of a ten-thousandth of the lots each, and ten of a hundredth.
update public.parking_lots l set operator_code = 'bench' || case when s.n % 200 < 1 then 1 + s.n / 200 % 50 else 51 + s.n / 10 % 10 end
from (select id, row_number() over (order by id) as n from public.parking_lots) s
where s.id = l.id and (s.n % 200 < 1 or s.n % 10 = 3);
update private.search_entries e
set operator_code = l.operator_code, name_count = e.name_count + 1, terms = ('@@' || l.operator_code) || e.terms
from public.parking_lots l where l.id = e.parking_lot_id and l.operator_code is not null;

-- step: an import without the common words
insert into public.parking_lots (name, address, lat, lng, status, source, updated_at)
select '駐車場 ' || n, '東京都千代田区丸ノ内' || n || '番地', 35.6 + 0.2 * random(), 139.6 + 0.3 * random(), 'active', 'import', now()
from generate_series(1, 3 * current_setting('bench.lots')::integer / 100) as n;
select private.refresh_search_entries(array(select id from public.parking_lots where source = 'import'));
select pg_advisory_xact_lock(hashtext('private.next_map_batch'));
select private.refresh_map_cells(array(
  select distinct private.map_cell(e.mercator) from private.search_entries e join public.parking_lots l on l.id = e.parking_lot_id
  where l.source = 'import' or l.operator_code is not null
));

-- step: archived activities
do $$
begin
  for v_month in 4..12 loop
    execute format(
      'create table if not exists private.archived_activities_%1$s partition of private.archived_activities for values from (%2$L) to (%3$L)',
      to_char(now() - v_month * interval '1 month', 'YYYY_MM'),
      date_trunc('month', now() - v_month * interval '1 month', 'UTC'), date_trunc('month', now() - (v_month - 1) * interval '1 month', 'UTC')
    );
  end loop;
end
$$;
insert into private.archived_activities (id, user_id, activity_type, created_at, metadata, is_rewarded)
select gen_random_uuid(), u.id, 'session_end', date_trunc('month', now() - (4 + u.n % 9) * interval '1 month', 'UTC') + u.n % 25 * interval '1 day', '{}', true
from (select id, row_number() over (order by id) as n from public.app_users) u cross join generate_series(1, 2);
update public.app_users u set last_active_on = a.day
from (
  select v.user_id, max(private.utc_day(v.created_at)) as day from private.activities v group by v.user_id
) a
where a.user_id = u.id;

-- step: subscriptions and devices
insert into public.subscription_plans (code, name, price_minor, billing_period) values ('bench.worst', 'Plan', 480, 'month');
insert into public.user_subscriptions (
  user_id, plan_id, platform, environment, subscription_key, external_subscription_id, status, started_at, ended_at,
  auto_renew_status, auto_renewing, is_trial_period, original_purchase_date, access_ends_at, announced, heard_at, ask_at
)
select u.id, p.id, case when u.n % 3 = 0 then 'android' else 'ios' end, 'Production', 'worst-' || u.n, 'worst-' || u.n,
  (array['active', 'grace', 'expired'])[1 + u.n % 3], now() - interval '20 days', now() + interval '10 days', true, true, false,
  now() - interval '20 days', now() + interval '10 days', 'granted', now(), now() + u.n % 7 * interval '1 day'
from (select id, row_number() over (order by id) as n from public.app_users) u cross join public.subscription_plans p
where p.code = 'bench.worst' and u.n % 5 = 0;
insert into public.user_push_tokens (user_id, fcm_token, device_type)
select u.id, 'worst-' || u.n, 'ios' from (select id, row_number() over (order by id) as n from public.app_users) u where u.n % 2 = 0;
