-- Data of lots: rows, how long rows are kept and jobs.
-- They are written once, when the tables, rules and triggers exist.

-- ---------------------------------------------------------------------------------------------------------------------
-- Lots
-- ---------------------------------------------------------------------------------------------------------------------

insert into public.operators (id, name, name_en, slug, color) values
  ('aozora', 'あおぞらパーキング', 'Aozora Parking', 'aozora-parking', '#2f80ed'),
  ('ekichika', '駅ちかパーク', 'Ekichika Park', 'ekichika-park', '#eb5757'),
  ('machikado', 'まちかど駐車場サービス', 'Machikado Parking Service', 'machikado', '#27ae60'),
  ('minato', 'みなとモータープール', 'Minato Motor Pool', 'minato-motor-pool', '#16608a'),
  ('tsukimi', '月見パーク24', 'Tsukimi Park 24', 'tsukimi-park', '#f2c94c'),
  ('municipal', '自治体', 'Municipality', 'municipal', '#4f4f4f');

insert into public.tags (slug, name, name_en, category, color, icon_name, sort_order) values
  ('covered', '屋根あり', 'Covered', 'facility', '#4f4f4f', 'roof', 10),
  ('open_24h', '24時間営業', 'Open 24 hours', 'hours', '#2f80ed', 'clock-24', 20),
  ('entry_24h', '24時間入庫可', 'Entry at any hour', 'hours', '#2f80ed', 'clock-in', 30),
  ('24h', '24時間入出庫可', 'Entry and exit at any hour', 'hours', '#2f80ed', 'clock', 40),
  ('ev_charging', 'EV充電あり', 'EV charging', 'facility', '#27ae60', 'ev-plug', 50),
  ('oversized_ok', '大型車可', 'Oversized vehicles', 'vehicle', '#9b51e0', 'truck', 60),
  ('motorcycle_ok', 'バイク可', 'Motorcycles', 'vehicle', '#9b51e0', 'motorcycle', 70),
  ('wheelchair_accessible', '車いす対応', 'Wheelchair accessible', 'accessibility', '#56ccf2', 'wheelchair', 80),
  ('barrier_free', 'バリアフリー', 'Step-free', 'accessibility', '#56ccf2', 'ramp', 90),
  ('reservable', '予約可', 'Reservable', 'service', '#f2994a', 'calendar', 100),
  ('security_camera', '防犯カメラあり', 'Security cameras', 'facility', '#4f4f4f', 'camera', 110),
  ('has_max_fee', '最大料金あり', 'Capped price', 'price', '#eb5757', 'cap', 120),
  ('max_fee', '最大料金設定', 'Maximum fee', 'price', '#eb5757', 'cap-yen', 130),
  ('monthly_available', '月極あり', 'Monthly contracts', 'service', '#f2994a', 'calendar-month', 140),
  ('coin_500_or_less', 'ワンコイン(500円以下)', 'One coin (500 yen or less)', 'price', '#eb5757', 'coin', 150),
  ('near_station', '駅近', 'Near a station', 'place', '#219653', 'train', 160),
  ('low_price', '低価格', 'Low price', 'price', '#eb5757', 'tag-yen', 170),
  ('partner_facility', '提携施設あり', 'Partner facility', 'service', '#f2994a', 'handshake', 180);

-- ---------------------------------------------------------------------------------------------------------------------
-- Engagement
-- ---------------------------------------------------------------------------------------------------------------------

insert into private.retentions (table_name, condition) values
  ('private.parking_lot_daily_counts', 't.day < private.day_of(now()) - interval ''3 years''');

-- Activities from before the counts existed.
insert into private.parking_lot_daily_counts (parking_lot_id, day, saves, sessions)
select l.parking_lot_id, (l.created_at at time zone 'Asia/Tokyo')::date,
  count(*) filter (where l.activity_type = 'lot_save'), count(*) filter (where l.activity_type = 'session_start')
from public.user_activity_logs l
where l.parking_lot_id is not null and l.activity_type in ('lot_save', 'session_start')
group by 1, 2;

select cron.schedule('fold_lot_counts', '44 seconds',
  'do $work$ begin while private.fold_lot_counts() loop commit; end loop; commit; while private.next_past_counts_batch() loop commit; end loop; end $work$');

-- ---------------------------------------------------------------------------------------------------------------------
-- Recent counts
-- ---------------------------------------------------------------------------------------------------------------------

insert into private.recent_lot_counts_start (day, parking_lot_id)
values (private.day_of(now()) - 30, 'ffffffff-ffff-ffff-ffff-ffffffffffff');

insert into private.recent_lot_counts (parking_lot_id, saves, sessions, searches)
select c.parking_lot_id, sum(c.saves), sum(c.sessions), sum(c.searches)
from private.parking_lot_daily_counts c where c.day >= private.day_of(now()) - 29 group by c.parking_lot_id;
