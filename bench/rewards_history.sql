-- People with a history, as :people and :activities say: some have done much, most little, over a year, at 2,000 lots.
-- Written with the reward triggers off; what follows from it is what the backfill makes.
insert into auth.users (id, email)
select md5('person ' || n)::uuid, 'person' || n || '@example.test'
from generate_series(1, current_setting('bench.people')::integer) as n;

insert into public.parking_lots (id, name, address, lat, lng, status)
select md5('lot ' || n)::uuid, 'Lot ' || n, '1-1', 35.6 + n * 0.0001, 139.7, 'active'
from generate_series(1, 2000) as n;

insert into public.pricing_rules (parking_lot_id, category, rule_order, per_minutes, price_minor)
select md5('lot ' || n)::uuid, 'time_band', 1, 30, 200 from generate_series(1, 2000) as n;

alter table public.user_activity_logs disable trigger user;
insert into public.user_activity_logs (user_id, activity_type, parking_lot_id, subject_id, metadata, created_at)
select md5('person ' || 1 + floor(current_setting('bench.people')::integer * random() ^ 1.5))::uuid, t.activity_type,
  case when t.activity_type <> 'sponsor_checkin' then md5('lot ' || 1 + floor(2000 * random() ^ 2))::uuid end,
  gen_random_uuid(),
  case when t.activity_type = 'session_end'
    then jsonb_build_object('minutes', floor(600 * random() ^ 2), 'currency', 'JPY', 'total_amount', 400) else '{}' end,
  now() - random() * interval '365 days'
from (
  select (array[
    'session_start', 'session_end', 'session_start', 'session_end', 'session_end', 'field_confirm', 'field_deny', 'lot_save',
    'occupancy_report', 'sponsor_checkin'
  ])[1 + floor(10 * random())] as activity_type
  from generate_series(1, current_setting('bench.activities')::integer)
) t;
alter table public.user_activity_logs enable trigger user;

insert into public.sponsors (id, name, lat, lng)
select md5('sponsor ' || n)::uuid, 'Sponsor ' || n, 35.7, 139.7 from generate_series(1, 20) as n;
