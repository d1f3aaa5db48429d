-- Prices, hours, tags and reviews for the lots numbered from bench.from to below bench.upto of two cities, in which
-- then every lot has them, so that a search there finds nothing but priced lots. The cities hold three lots in ten.

create temporary table batch on commit drop as
select id, n, n % 5 as list, 100 * (1 + n % 4) as price, tag_slugs
from lot_with_facts join public.parking_lots using (id)
where n >= current_setting('bench.from')::integer and n < current_setting('bench.upto')::integer;

-- Price lists as they hang at lots: day and night, with a cap for the day or the night, weekends, the first hour, free minutes.
insert into public.pricing_rules (
  parking_lot_id, category, rule_order, time_start, time_end, day_type, per_minutes, price_minor, cap_type,
  cap_duration_hours, cap_price_minor, cap_repeat
)
select b.id, r.category, r.rule_order, r.time_start::time, r.time_end::time, r.day_type, r.per_minutes,
  case when r.category in ('time_band', 'initial', 'flat') then b.price * r.factor end, r.cap_type, r.cap_hours,
  case when r.category = 'cap' then b.price * r.factor end, case when r.category = 'cap' then true end
from batch b
join (
  values
    (0, 'time_band', 1, '08:00', '22:00', 'all', 20, 1, null, null),
    (0, 'time_band', 2, '22:00', '08:00', 'all', 60, 1, null, null),
    (0, 'cap', 3, null, null, 'all', null, 8, 'duration', 24),
    (0, 'cap', 4, '22:00', '08:00', 'all', null, 3, 'band', null),
    (1, 'time_band', 1, '08:00', '20:00', 'weekday', 30, 1, null, null),
    (1, 'time_band', 2, '08:00', '20:00', 'saturday', 20, 1, null, null),
    (1, 'time_band', 3, '08:00', '20:00', 'sunday', 20, 1, null, null),
    (1, 'time_band', 4, '08:00', '20:00', 'holiday', 20, 1, null, null),
    (1, 'time_band', 5, '20:00', '08:00', 'all', 60, 1, null, null),
    (1, 'cap', 6, null, null, 'all', null, 10, 'day', null),
    (2, 'initial', 1, null, null, 'all', 60, 3, null, null),
    (2, 'time_band', 2, null, null, 'all', 30, 1, null, null),
    (2, 'cap', 3, null, null, 'all', null, 9, 'duration', 12),
    (3, 'grace', 1, null, null, 'all', 20, null, null, null),
    (3, 'time_band', 2, null, null, 'all', 60, 3, null, null),
    (3, 'cap', 3, null, null, 'weekday', null, 12, 'day', null),
    (4, 'time_band', 1, '07:00', '19:00', 'all', 15, 1, null, null),
    (4, 'flat', 2, '19:00', '07:00', 'all', null, 5, null, null)
) as r (list, category, rule_order, time_start, time_end, day_type, per_minutes, factor, cap_type, cap_hours)
  on r.list = b.list;

insert into public.parking_lot_windows (parking_lot_id, window_type, day_type, is_24h, open_time, close_time)
select b.id, w.window_type, w.day_type, w.is_24h, w.open_time::time, w.close_time::time
from batch b
join (
  values
    (0, 'business', 'all', true, null, null),
    (1, 'business', 'weekday', null, '07:00', '23:00'),
    (1, 'business', 'saturday', null, '08:00', '22:00'),
    (1, 'business', 'sunday', null, '09:00', '20:00'),
    (2, 'business', 'all', null, '06:00', '01:00'),
    (3, 'entry', 'all', null, '07:00', '21:00'),
    (3, 'exit', 'all', true, null, null),
    (3, 'business', 'all', null, '07:00', '21:00'),
    (4, 'business', 'all', true, null, null)
) as w (kind, window_type, day_type, is_24h, open_time, close_time) on w.kind = (b.n / 5) % 5;

-- Around the turn of the year some have other hours and prices.
insert into public.parking_lot_date_overrides (parking_lot_id, override_date, label, hours, pricing)
select id, date '2026-12-31' + day, 'New Year', '{"is_24h": true}', '[{"category": "flat", "price_minor": 2000}]'
from batch cross join generate_series(0, 3) as day where n % 20 = 0;

insert into public.parking_lot_tags (parking_lot_id, tag_id)
select b.id, t.id from batch b cross join unnest(b.tag_slugs) as s (slug) join public.tags t on t.slug = s.slug;

-- As the triggers would, which are off.
select private.refresh_tariffs(array(select id from batch)), private.refresh_lot_facts(array(select id from batch));

-- Their authors have left.
insert into public.reviews (parking_lot_id, rating, status)
select b.id, 1 + (b.n * 7 + review) % 5, 'approved' from batch b cross join generate_series(1, 1 + b.n % 3) as review;
