-- Data of fees: codes.
-- They are written once, when the tables, rules and triggers exist.

insert into public.code_categories (id, description) values
  ('fee_rule_reason', 'Why a rule did not apply to a fee: breakdown.not_applied');

insert into public.codes (category_id, code, lang, display_label, sort_order)
select 'fee_rule_reason', c.code, label.lang, label.display_label, c.sort_order
from (values
  ('day_type', 10, '曜日・祝日が該当しません', 'For other days'),
  ('time', 20, '時間帯が該当しません', 'For other hours'),
  ('order', 30, 'ほかの料金が優先されました', 'Another rule took precedence'),
  ('not_reached', 40, '適用されるところまで達しませんでした', 'The stay ended before it applied'),
  ('window', 50, 'この最大料金の対象となる期間がありませんでした', 'No period counted for this maximum fee'),
  ('within_grace', 60, '無料時間内の出庫です', 'The stay ended within a grace period'),
  ('exceeded', 70, '無料時間を超えました', 'The stay is longer than the grace period'),
  ('date', 75, '適用期間外です', 'Not in effect on these dates'),
  ('override', 80, 'この日は特別料金です', 'The date has prices of its own'),
  ('group', 90, 'ほかの車種の料金です', 'For other vehicles')
) as c (code, sort_order, ja, en)
cross join lateral (values ('ja', c.ja), ('en', c.en)) as label (lang, display_label);

insert into public.code_categories (id, description) values
  ('fee_surprise', 'Where a fee is higher than a reader of the sign expects: surprises');

insert into public.codes (category_id, code, lang, display_label, sort_order)
select 'fee_surprise', c.code, label.lang, label.display_label, c.sort_order
from (values
  ('cap_once', 10, '最大料金は1回限り', 'The maximum applies once only'),
  ('cap_not_on_day', 20, '最大料金のない日', 'No maximum on this day'),
  ('cap_ends_at_midnight', 30, '最大料金は24時まで', 'The maximum ends at midnight'),
  ('cap_ends_before_exit', 40, '最大料金の時間が出庫前に終了', 'The maximum ends before the exit'),
  ('special_day_price', 50, '特別料金の日', 'Special prices on this day'),
  ('other_vehicle_price', 60, 'ほかの車種より高い料金', 'Higher prices for this vehicle type'),
  ('stay_too_long', 70, '駐車できる時間を超過', 'Longer than the lot allows'),
  ('grace_exceeded', 80, '無料時間を少し超過', 'Just longer than the free minutes'),
  ('next_step_soon', 90, '出庫後まもなく加算', 'The fee rises soon after the exit'),
  ('cheaper_if_earlier', 100, '早く出庫すると安い', 'Cheaper with an earlier exit'),
  ('cheaper_if_later', 110, '遅く入庫すると安い', 'Cheaper with a later entry'),
  ('closed_at_exit', 120, '出庫時刻に出庫できない', 'Closed at the exit')
) as c (code, sort_order, ja, en)
cross join lateral (values ('ja', c.ja), ('en', c.en)) as label (lang, display_label);

-- Within a minute after the midnight of a lot whose prices change.
select cron.schedule('follow_price_changes', '41 seconds', 'do $work$ begin while private.next_price_change_batch() loop commit; end loop; end $work$');
