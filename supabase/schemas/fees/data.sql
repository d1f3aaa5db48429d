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
  ('override', 80, 'この日は特別料金です', 'The date has prices of its own'),
  ('group', 90, 'ほかの車種の料金です', 'For other vehicles')
) as c (code, sort_order, ja, en)
cross join lateral (values ('ja', c.ja), ('en', c.en)) as label (lang, display_label);
