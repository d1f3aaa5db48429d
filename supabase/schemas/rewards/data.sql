-- Data of rewards: rows and jobs.
-- They are written once, when the tables, rules and triggers exist.

-- ---------------------------------------------------------------------------------------------------------------------
-- Experience points and levels
-- ---------------------------------------------------------------------------------------------------------------------

insert into private.exp_rules (reason, activity_type, amount, daily_limit) values
  ('session_end', 'session_end', 10, 5),
  ('field_value_vote', 'field_confirm', 3, 20),
  ('field_value_vote', 'field_deny', 3, 20),
  ('occupancy_report', 'occupancy_report', 3, 10),
  ('sponsor_checkin', 'sponsor_checkin', 15, 5),
  ('review_approved', null, 30, null),
  ('error_report_resolved', null, 40, null),
  ('badge_earned', null, 50, null),
  ('first_of_day', null, 5, null);

insert into public.levels (level, required_exp, name, name_en) values
  (1, 0, 'ルーキー', 'Rookie'), (2, 50, 'ビギナー', 'Beginner'), (3, 150, 'ドライバー', 'Driver'),
  (4, 300, 'ナビゲーター', 'Navigator'), (5, 600, 'ベテラン', 'Veteran'), (6, 1000, 'エキスパート', 'Expert'),
  (7, 1600, 'マイスター', 'Meister'), (8, 2500, 'マスター', 'Master'), (9, 4000, 'グランドマスター', 'Grand Master'),
  (10, 6000, 'レジェンド', 'Legend');

-- ---------------------------------------------------------------------------------------------------------------------
-- Recalculation of levels
-- ---------------------------------------------------------------------------------------------------------------------

select cron.schedule('recalculate_levels', '47 seconds', 'do $work$ begin while private.next_level_batch() loop commit; end loop; end $work$');

-- ---------------------------------------------------------------------------------------------------------------------
-- Badges
-- ---------------------------------------------------------------------------------------------------------------------

insert into public.badges (id, name, name_en, description, description_en, icon, category, conditions, threshold, sort_order) values
  ('6b000000-0000-4000-8000-000000000001', 'はじめての駐車', 'First parking', 'はじめて駐車を完了しました',
    'Finished a session for the first time', 'first_parking', 'parking',
    '{"activity": ["session_end"], "measure": "count"}', 1, 10),
  ('6b000000-0000-4000-8000-000000000002', '街めぐり', 'Around town', '10か所の駐車場に停めました',
    'Parked at 10 lots', 'ten_lots', 'parking',
    '{"activity": ["session_end"], "measure": "distinct_lots"}', 10, 20),
  ('6b000000-0000-4000-8000-000000000003', '夜のドライバー', 'Night driver', '夜間に5回駐車を完了しました',
    'Finished 5 sessions at night', 'night_driver', 'parking',
    '{"activity": ["session_end"], "measure": "count", "where": {"hours": {"from": 22, "to": 5}}}', 5, 30),
  ('6b000000-0000-4000-8000-000000000004', 'ロングステイ', 'Long stay', '3時間以上の駐車を5回完了しました',
    'Finished 5 sessions of 3 hours or more', 'long_stay', 'parking',
    '{"activity": ["session_end"], "measure": "count", "where": {"min": {"field": "minutes", "value": 180}}}', 5, 40),
  ('6b000000-0000-4000-8000-000000000005', 'レビュアー', 'Reviewer', 'レビューが5件公開されました',
    '5 reviews published', 'reviewer', 'community',
    '{"activity": ["review_approved"], "measure": "count"}', 5, 50),
  ('6b000000-0000-4000-8000-000000000006', '情報の番人', 'Fact checker', '駐車場の情報を20件確認しました',
    'Checked 20 facts about lots', 'fact_checker', 'community',
    '{"activity": ["field_confirm", "field_deny"], "measure": "count"}', 20, 60),
  ('6b000000-0000-4000-8000-000000000007', '一週間つづけて', 'Seven days running', '7日つづけて活動しました',
    'Active on 7 days in a row', 'seven_days', 'streak',
    '{"activity": ["session_end", "occupancy_report", "field_confirm", "field_deny", "sponsor_checkin"], "measure": "streak_days"}', 7, 70);

-- Their trigger has started backfills. There are no users yet, so there is nothing to count.
delete from private.badge_backfills where total_users = 0;

-- ---------------------------------------------------------------------------------------------------------------------
-- Backfill of badges
-- ---------------------------------------------------------------------------------------------------------------------

-- With many users and activities, a rebuild of one badge is some tens of batches.
select cron.schedule('backfill_badges', '46 seconds', 'do $work$ begin while private.next_badge_batch() loop commit; end loop; end $work$');

-- ---------------------------------------------------------------------------------------------------------------------
-- Themes that are earned
-- ---------------------------------------------------------------------------------------------------------------------

select cron.schedule('grant_earned_themes', '49 seconds', 'do $work$ begin while private.next_theme_batch() loop commit; end loop; end $work$');
