-- What administrators look through, for tests/bench/admin.ts: as many app users, reviews, error reports and tickets as the setting
-- bench.count says, and ten times as many acts and activities, of the last 365 days. Ids rise with their number, so that
-- primary keys grow at their end.
--
-- Each block is run by itself, without the triggers and further indexes of its table: "-- table:" names it.

-- table: auth.users
insert into auth.users (id, email, created_at, updated_at, email_confirmed_at, last_sign_in_at)
select bench_id(1, n), 'user' || n || '@' || (array['example.com', 'example.jp', 'mail.example.com'])[1 + n % 3],
  bench_time(n), bench_time(n), bench_time(n), bench_time(n)
from generate_series(1, current_setting('bench.count')::integer) as n;

-- table: public.app_users
insert into public.app_users (id, display_name, status, premium_ends_at, total_exp, level, highest_level, created_at, updated_at)
select bench_id(1, n),
  case when n % 50 > 0 then
    (array['Sato', 'Suzuki', '佐藤', '鈴木', 'Takahashi', '田中', 'Ito', '渡辺', 'Yamamoto', '中村'])[1 + n / 7 % 10] || ' '
      || (array['Haruto', '陽翔', 'Yui', '結衣', 'Sota', '蓮', 'Mei'])[1 + n / 3 % 7] || case when n % 2 = 0 then ' ' || n else '' end
  end,
  case when n % 50 = 0 then 'withdrawn' when n % 97 = 0 then 'suspended' else 'active' end,
  case when n % 20 = 1 then now() + n % 300 * interval '1 day' end, n % 5000, 1 + n % 30, 1 + n % 30, bench_time(n), bench_time(n)
from generate_series(1, current_setting('bench.count')::integer) as n;

-- table: private.user_search_entries
select count(private.put_user_search_entries(b.ids))
from (
  select array_agg(bench_id(1, n)) as ids from generate_series(1, current_setting('bench.count')::integer) as n
  group by n / 20000
) b;

-- table: public.reviews
insert into public.reviews (id, parking_lot_id, user_id, rating, comment, status, created_at, updated_at)
select bench_id(2, l.n), l.id, bench_id(1, l.n), 1 + l.n % 5, case when l.n % 3 > 0 then 'Wide, easy to enter. ' || l.n end,
  case when l.n % 100 = 0 then 'pending' when l.n % 100 < 4 then 'rejected' when l.n % 100 < 6 then 'hidden' else 'approved' end,
  bench_time(l.n), bench_time(l.n)
from bench_lots l;

-- table: private.review_counts
insert into private.review_counts (parking_lot_id, rating, count)
select r.parking_lot_id, r.rating, count(*) from public.reviews r where r.status = 'approved' group by 1, 2
on conflict (parking_lot_id, rating) do update set count = excluded.count;

-- table: public.error_reports
insert into public.error_reports (id, user_id, parking_lot_id, parking_lot_name, report_type, severity, status, description, created_at, updated_at, assigned_admin_id)
select bench_id(3, l.n), bench_id(1, l.n), l.id, 'Lot ' || l.n, (array['price', 'hours', 'location', 'capacity'])[1 + l.n % 4],
  (array['low', 'medium', 'high', null])[1 + l.n / 4 % 4],
  case when l.n % 50 = 0 then 'open' when l.n % 100 = 1 then 'in_review' when l.n % 5 = 2 then 'rejected' else 'resolved' end,
  'It differs from the sign. ' || l.n, bench_time(l.n), bench_time(l.n), case when l.n % 50 > 0 then bench_id(11, 1 + l.n % 20) end
from bench_lots l;

-- table: public.support_tickets
insert into public.support_tickets (id, user_id, category, subject, status, message_count, created_at, updated_at, status_changed_at)
select bench_id(4, n), bench_id(1, n), (array['account', 'subscription', 'parking_session', 'other'])[1 + n % 4], 'Question ' || n,
  case when n % 50 = 0 then 'open' when n % 20 = 1 then 'answered' else 'closed' end, 2, bench_time(n), bench_time(n), bench_time(n)
from generate_series(1, current_setting('bench.count')::integer) as n;

-- table: public.support_messages
insert into public.support_messages (id, ticket_id, author, body, created_at)
select bench_id(5, n), bench_id(4, (n + 1) / 2), case n % 2 when 1 then 'user' else 'support' end, 'Words of message ' || n,
  bench_time(n / 2)
from generate_series(1, 2 * current_setting('bench.count')::integer) as n;

-- table: public.field_values
insert into public.field_values (id, parking_lot_id, field_name, value, state, source, confirm_count, deny_count, created_at, updated_at)
select bench_id(6, l.n), l.id, 'entry_method', '"gate"', case when l.n % 100 = 0 then 'disputed' else 'unverified' end,
  'bench', l.n % 7, l.n % 3, bench_time(l.n), bench_time(l.n)
from bench_lots l;

-- table: public.saved_parking_lots
insert into public.saved_parking_lots (id, user_id, parking_lot_id, created_at)
select bench_id(7, l.n), bench_id(1, l.n), l.id, bench_time(l.n) from bench_lots l;

-- table: public.parking_sessions
-- In the order of their start; one in five hundred, the last ones, is running.
insert into public.parking_sessions (id, user_id, parking_lot_id, status, started_at, ended_at, total_amount_minor, currency, breakdown, price_list_id, created_at)
select bench_id(8, l.n), bench_id(1, l.n), l.id, case when r.is_running then 'parking' else 'ended' end, t.at,
  case when not r.is_running then t.at + interval '90 minutes' end, case when not r.is_running then 600 end,
  case when not r.is_running then 'JPY' end, case when not r.is_running then '{"lines": []}'::jsonb end,
  case when not r.is_running then gen_random_uuid() end, t.at
from bench_lots l
cross join lateral (select l.n > current_setting('bench.count')::integer / 500 * 499 as is_running) r
cross join lateral (select case when r.is_running then now() - interval '1 hour' else bench_time(l.n) end as at) t
order by l.n;

-- table: public.user_activity_logs
insert into public.user_activity_logs (id, user_id, activity_type, parking_lot_id, subject_id, is_rewarded, created_at)
select bench_id(9, a.n), bench_id(1, (a.n + 9) / 10),
  (array['session_start', 'session_end', 'session_start', 'session_end', 'lot_save'])[1 + a.n % 5], l.id, bench_id(9, a.n), false,
  bench_time(a.n / 10)
from generate_series(1, 10 * current_setting('bench.count')::integer) as a (n)
join bench_lots l on l.n = 1 + (a.n / 5 * 7919::bigint) % current_setting('bench.count')::integer
-- A lot is saved once by a user.
on conflict do nothing;

-- table: private.parking_lot_daily_counts
-- Half a million searches a day at a million lots, and what the activities come to.
insert into private.parking_lot_daily_counts (parking_lot_id, day, saves, sessions, searches)
select coalesce(a.parking_lot_id, s.id), coalesce(a.day, s.day), coalesce(a.saves, 0), coalesce(a.sessions, 0), coalesce(s.searches, 0)
from (
  select parking_lot_id, (created_at at time zone 'Asia/Tokyo')::date as day, count(*) filter (where activity_type = 'lot_save') as saves,
    count(*) filter (where activity_type = 'session_start') as sessions
  from public.user_activity_logs where activity_type in ('lot_save', 'session_start') and created_at > now() - interval '60 days'
  group by 1, 2
) a
full join (
  select l.id, current_date - d as day, 1 + (l.n + d) % 9 as searches
  from bench_lots l cross join generate_series(0, 45) as d where (l.n + d) % 10 = 0
) s on s.id = a.parking_lot_id and s.day = a.day;

-- table: private.recent_lot_counts
insert into private.recent_lot_counts (parking_lot_id, saves, sessions, searches)
select c.parking_lot_id, sum(c.saves), sum(c.sessions), sum(c.searches)
from private.parking_lot_daily_counts c join private.recent_lot_counts_start s on (c.day, c.parking_lot_id) > (s.day, s.parking_lot_id)
group by 1;

-- table: public.admin_activity_logs
insert into public.admin_activity_logs (id, admin_id, action, target_type, target_id, user_id, changes, request_id, created_at)
select bench_id(10, k.n), bench_id(11, 1 + k.n % 20),
  (array['review.approve', 'review.approve', 'review.reject', 'user.view_search_presets', 'parking_lot.update'])[k.kind],
  (array['review', 'review', 'review', 'app_user', 'parking_lot'])[k.kind],
  coalesce(l.id, bench_id(case when k.kind < 4 then 2 else 1 end, k.nth))::text,
  case when k.kind < 5 then bench_id(1, k.nth) end,
  '{"status": {"old": "pending", "new": "approved"}}', 'request-' || k.n, bench_time(k.n / 10)
from (
  select n, 1 + n / 20 % 5 as kind, 1 + n % current_setting('bench.count')::integer as nth
  from generate_series(1, 10 * current_setting('bench.count')::integer) as n
) k
left join bench_lots l on l.n = k.nth and k.kind = 5;

-- table: public.admin_notifications
insert into public.admin_notifications (id, type, severity, title, body, area, created_at, updated_at)
select bench_id(12, n), 'notice', 'info', 'Notice ' || n, 'Words', (array['reviews', 'support', 'lots', null])[1 + n % 4],
  now() - n * interval '1 minute', now() - n * interval '1 minute'
from generate_series(1, 100000) as n;

-- table: public.user_notifications
insert into public.user_notifications (id, user_id, type, title, body, status, sent_at, created_at, updated_at)
select bench_id(13, n), bench_id(1, n), 'review_result', 'Title', 'Body', 'sent', bench_time(n), bench_time(n), bench_time(n)
from generate_series(1, current_setting('bench.count')::integer) as n;
