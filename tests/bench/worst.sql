-- One person who has parked three times a day for years, and one lot that everybody knows. The settings bench.person and
-- bench.lot are their ids, bench.rows is how much the person has of everything; the lot has four times as much. Run by a superuser without triggers: what triggers would
-- count and derive is not what is measured.

set session_replication_role = replica;

create temporary table some_lot as
select id, row_number() over () as n from public.parking_lots where hour_price is not null limit current_setting('bench.rows')::integer;

insert into public.reviews (parking_lot_id, user_id, rating, comment, status)
select current_setting('bench.lot')::uuid, gen_random_uuid(), 1 + n % 5, repeat('Narrow entry, but cheap. ', 20), 'approved'
from generate_series(1, 4 * current_setting('bench.rows')::integer) as n;
insert into public.reviews (parking_lot_id, user_id, rating, comment, status)
select id, current_setting('bench.person')::uuid, 1 + n % 5, repeat('Narrow entry, but cheap. ', 20),
  case n % 2 when 0 then 'approved' else 'pending' end
from some_lot;
insert into private.review_counts (parking_lot_id, rating, count)
select r.parking_lot_id, r.rating, count(*) from public.reviews r where r.status = 'approved' group by 1, 2
on conflict (parking_lot_id, rating) do update set count = excluded.count;

insert into public.parking_sessions (
  user_id, parking_lot_id, status, started_at, ended_at, total_amount_minor, currency, breakdown, price_list_id
)
select current_setting('bench.person')::uuid, id, 'ended', now() - n * interval '3 hours', now() - n * interval '3 hours' + interval '1 hour',
  400, 'JPY', '{"lines": []}', gen_random_uuid()
from some_lot;
insert into public.parking_sessions (user_id, parking_lot_id, status, started_at)
values (current_setting('bench.person')::uuid, current_setting('bench.lot')::uuid, 'parking', now() - interval '300 days');
-- One of the photos that a stay may have.
insert into public.assets (storage_key, content_type, size_bytes, category, is_public, entity_type, entity_id, attached_at, created_by, created_at)
select 'private/session_photo/' || s.id, 'image/jpeg', 100000, 'session_photo', false, 'parking_session', s.id, s.started_at, s.user_id, s.started_at
from public.parking_sessions s where s.user_id = current_setting('bench.person')::uuid and s.status = 'ended';
insert into public.parking_session_photos (session_id, phase, slot, asset_id, storage_key, content_type, size_bytes)
select a.entity_id, 'during', 1, a.id, a.storage_key, a.content_type, a.size_bytes
from public.assets a where a.created_by = current_setting('bench.person')::uuid and a.entity_type = 'parking_session';
insert into public.user_notifications (user_id, type, title, body, target, status, sent_at)
select current_setting('bench.person')::uuid, (select id from public.notification_types limit 1), 'Title', repeat('Body ', 50), 'user',
  'sent', now() - n * interval '1 hour'
from some_lot;
insert into public.saved_parking_lots (user_id, parking_lot_id, created_at)
select current_setting('bench.person')::uuid, id, now() - n * interval '1 hour' from some_lot;
insert into public.parking_lot_ratings (user_id, parking_lot_id, value)
select current_setting('bench.person')::uuid, id, 'good' from some_lot;
insert into public.parking_lot_rating_counts (parking_lot_id, good_count, bad_count)
select id, 1, 0 from some_lot on conflict (parking_lot_id) do update set good_count = parking_lot_rating_counts.good_count + 1;
insert into public.exp_entries (user_id, reason, source_type, source_id, amount, created_at)
select current_setting('bench.person')::uuid, 'review_approved', 'review', gen_random_uuid(), 50, now() - n * interval '1 hour' from some_lot;
insert into public.user_activity_logs (user_id, activity_type, parking_lot_id, created_at)
select current_setting('bench.person')::uuid, 'session_end', id, now() - n * interval '1 hour' from some_lot;
insert into public.error_reports (user_id, parking_lot_id, parking_lot_name, report_type, description, created_at)
select current_setting('bench.person')::uuid, id, 'Lot', 'price', repeat('Wrong. ', 100), now() - n * interval '1 hour' from some_lot;
insert into public.support_tickets (user_id, category, subject, message_count, created_at)
select current_setting('bench.person')::uuid, 'other', 'Question ' || n, 200, now() - n * interval '1 hour' from some_lot where n <= 1000;
insert into public.support_messages (ticket_id, author, body)
select t.id, 'user', repeat('Long ', 700) from (select id from public.support_tickets limit 1) t, generate_series(1, 200);
insert into public.support_messages (ticket_id, author, body)
select t.id, 'user', repeat('Long ', 100) from public.support_tickets t, generate_series(1, 5)
where t.user_id = current_setting('bench.person')::uuid;

-- Those of a day: older ones are deleted.
insert into public.occupancy_reports (parking_lot_id, source, user_id, state, reported_at)
select current_setting('bench.lot')::uuid, 'driver', gen_random_uuid(), 'crowded', now() - random() * interval '1 day'
from generate_series(1, current_setting('bench.rows')::integer / 10) as n;
insert into public.occupancy_reports (parking_lot_id, source, user_id, state, reported_at)
select id, 'driver', current_setting('bench.person')::uuid, 'crowded', now() - random() * interval '1 day' from some_lot
on conflict do nothing;
insert into private.occupancy_hours (parking_lot_id, hour_of_week, samples, full_count, crowded_count, ratio_count, ratio_sum)
select current_setting('bench.lot')::uuid, h, 100, 20, 30, 50, 25 from generate_series(0, 167) as h
on conflict do nothing;
insert into public.field_values (parking_lot_id, field_name, value, confirm_count)
select current_setting('bench.lot')::uuid, 'field_' || n, to_jsonb(n), 100 from generate_series(1, 500) as n
on conflict do nothing;
insert into public.field_value_votes (field_value_id, user_id, vote)
select f.id, gen_random_uuid(), 'confirm'
from public.field_values f cross join generate_series(1, 100) where f.parking_lot_id = current_setting('bench.lot')::uuid;
insert into public.field_values (parking_lot_id, field_name, value, confirm_count)
select id, 'voted_field', to_jsonb(n), 1 from some_lot on conflict do nothing;
insert into public.field_value_votes (field_value_id, user_id, vote)
select f.id, current_setting('bench.person')::uuid, 'confirm' from public.field_values f where f.field_name = 'voted_field';
insert into public.sponsors (name, lat, lng)
select 'Shop ' || n, l.lat, l.lng from some_lot join public.parking_lots l using (id);
insert into public.sponsor_checkins (user_id, sponsor_id, local_date, distance_m, accuracy_m)
select current_setting('bench.person')::uuid, s.id, current_date, 1, 1 from public.sponsors s where s.name like 'Shop %';
insert into public.ads (placement, title) select 'map', 'Ad ' || n from some_lot where n <= 2000;
insert into public.articles (slug, locale, title, body, published_at)
select 'article-' || n , 'ja', 'Article', repeat('Text ', 2000), now() - n * interval '1 hour' from some_lot where n <= 2000
on conflict do nothing;
