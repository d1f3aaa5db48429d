-- Data of messages: rows, queues, how long rows are kept and jobs.
-- They are written once, when the tables, rules and triggers exist.

-- ---------------------------------------------------------------------------------------------------------------------
-- The inbox and devices
-- ---------------------------------------------------------------------------------------------------------------------

insert into private.retentions (table_name, condition) values
  ('public.user_notifications', 'not t.is_composed and t.created_at < now() - interval ''1 year''');

-- Mail is for types that a user waits for. Advertising is pushed only if the user chooses it. A reminder is sent so long
-- before the moment that it announces.
insert into public.notification_types (code, push_enabled, in_app_enabled, email_enabled, is_urgent, email_allowed, push_ttl) values
  ('announcement', true, true, false, false, true, '1 day'),
  ('campaign', false, true, false, false, true, '1 day'),
  ('fee_increase', true, true, false, true, false, '5 minutes'),
  ('exit_closing', true, true, false, true, false, '30 minutes'),
  ('fee_surprise', true, true, false, false, false, '15 minutes'),
  ('session_reminder', true, true, false, false, false, '1 hour'),
  ('saved_lot_update', true, true, false, false, true, '1 day'),
  ('review_result', true, true, false, false, true, '7 days'),
  ('error_report_result', true, true, false, false, true, '7 days'),
  ('support_reply', true, true, true, false, true, '7 days'),
  ('badge_earned', true, true, false, false, false, '7 days'),
  ('level_up', true, true, false, false, false, '7 days'),
  ('theme_gift', true, true, false, false, true, '7 days'),
  ('subscription', true, true, true, false, true, '7 days');

-- ---------------------------------------------------------------------------------------------------------------------
-- Templates
-- ---------------------------------------------------------------------------------------------------------------------

insert into private.notification_templates (name, type, lang, title, body)
select t.name, t.type, l.lang, l.title, l.body
from (values
  ('fee_increase', 'fee_increase', 'まもなく料金が上がります', '{time}を過ぎると料金は{amount}になります。',
    'Your parking fee is about to rise', 'After {time} the fee will be {amount}.'),
  ('exit_closing', 'exit_closing', 'まもなく出庫できなくなります', '{time}を過ぎると出庫できません。',
    'The exit is about to close', 'You cannot drive out after {time}.'),
  ('fee_surprise', 'fee_surprise', '{time}から料金が大きく上がります', '{time}に{before}の料金が、{until}には{amount}になります。{message}',
    'Your parking fee rises sharply after {time}', '{before} at {time} becomes {amount} by {until}. {message}'),
  ('review_approved', 'review_result', 'レビューが公開されました', '「{lot}」へのレビューを、ほかの利用者も見られるようになりました。{reason}',
    'Your review is published', 'Other users can see your review of {lot} now.{reason}'),
  ('review_hidden', 'review_result', 'レビューが非公開になりました', '「{lot}」へのレビューは、ほかの利用者に表示されなくなりました。{reason}',
    'Your review is hidden', 'Other users cannot see your review of {lot} any more.{reason}'),
  ('review_rejected', 'review_result', 'レビューは公開されませんでした', '「{lot}」へのレビューは、ほかの利用者に表示されません。{reason}',
    'Your review was not published', 'Other users cannot see your review of {lot}.{reason}'),
  ('error_report_resolved', 'error_report_result', 'ご報告いただいた箇所を修正しました', '「{lot}」についてのご報告、ありがとうございました。{reason}',
    'What you reported has been corrected', 'Thank you for your report on {lot}.{reason}'),
  ('error_report_rejected', 'error_report_result', 'ご報告の確認が終わりました', '「{lot}」の情報は変更しませんでした。ご報告ありがとうございました。{reason}',
    'Your report has been reviewed', 'The information on {lot} was not changed. Thank you for your report.{reason}'),
  ('support_reply', 'support_reply', 'サポートから返信がありました', 'お問い合わせ「{subject}」への返信です。アプリでご確認ください。',
    'Support has replied', 'Open the app to read the reply to “{subject}”.'),
  ('badge_earned', 'badge_earned', 'バッジ「{badge}」を獲得しました', '{description}', 'You earned the badge “{badge}”', '{description}'),
  ('level_up', 'level_up', 'レベル{level}になりました', '現在の経験値は{exp}です。', 'You reached level {level}', 'You have {exp} EXP now.'),
  ('subscription_granted', 'subscription', '「{plan}」をご利用いただけます', 'ご購入ありがとうございます。',
    '“{plan}” is active', 'Thank you for your purchase.'),
  ('subscription_failing', 'subscription', '「{plan}」のお支払いを確認できませんでした', 'ストアの支払い方法をご確認ください。',
    'The payment for “{plan}” has failed', 'Please check your payment method in the store.'),
  ('subscription_recovered', 'subscription', 'お支払いを確認しました', '「{plan}」を引き続きご利用いただけます。',
    'Your payment was received', '“{plan}” goes on.'),
  ('subscription_ended', 'subscription', '「{plan}」が終了しました', 'いつでも再開できます。',
    '“{plan}” has ended', 'You can start it again at any time.'),
  ('subscription_moved_here', 'subscription', '「{plan}」をこのアカウントに移しました', '以前のアカウントでは利用できなくなりました。',
    '“{plan}” was moved to this account', 'The previous account does not have it any more.'),
  ('subscription_moved_away', 'subscription', '「{plan}」が別のアカウントに移されました', 'このアカウントでは利用できなくなりました。',
    '“{plan}” was moved to another account', 'This account does not have it any more.'),
  ('theme_gift', 'theme_gift', 'テーマが届きました', '「{theme}」を使えるようになりました。{message}',
    'You received a theme', 'You can use “{theme}” now.{message}')
) as t (name, type, title_ja, body_ja, title_en, body_en)
cross join lateral (values ('ja', t.title_ja, t.body_ja), ('en', t.title_en, t.body_en)) as l (lang, title, body);

-- ---------------------------------------------------------------------------------------------------------------------
-- Push
-- ---------------------------------------------------------------------------------------------------------------------

select private.add_queue('push-dispatch', 'push-dispatch',
  'q.message ? ''fan_out'' or exists (select from private.outages o where o.queue = ''push-dispatch'' and o.paused_until <= now())');

insert into private.retentions (table_name, condition) values
  ('private.push_deliveries', 't.recorded_at < now() - interval ''30 days'''),
  ('private.push_times', 't.sent_at[1] < now() - interval ''1 day''');

-- ---------------------------------------------------------------------------------------------------------------------
-- The consumer of pushes
-- ---------------------------------------------------------------------------------------------------------------------

insert into private.outages (queue) values ('push-dispatch');

-- ---------------------------------------------------------------------------------------------------------------------
-- Health of push
-- ---------------------------------------------------------------------------------------------------------------------

select cron.schedule('check_push_health', '51 seconds', $$
  select private.check_queue_health('push-dispatch');
  delete from private.push_leases where leased_until <= now();
$$);

-- ---------------------------------------------------------------------------------------------------------------------
-- Fan-out
-- ---------------------------------------------------------------------------------------------------------------------

select cron.schedule('start_scheduled_notifications', '43 seconds', 'select private.start_scheduled_notifications()');

-- ---------------------------------------------------------------------------------------------------------------------
-- Mail
-- ---------------------------------------------------------------------------------------------------------------------

select private.add_queue('mail', 'mail-dispatch',
  'exists (select from private.outages o where o.queue = ''mail'' and o.paused_until <= now())');

insert into private.outages (queue) values ('mail');

insert into private.retentions (table_name, condition) values
  ('private.mail_deliveries', 't.recorded_at < now() - interval ''30 days'''),
  -- Mails of dead messages, which are kept for 90 days.
  ('private.mail_deliveries', 't.outcome is null and t.created_at < now() - interval ''100 days''');

select cron.schedule('check_mail_health', '52 seconds', $$select private.check_queue_health('mail')$$);

-- ---------------------------------------------------------------------------------------------------------------------
-- Figures of delivery
-- ---------------------------------------------------------------------------------------------------------------------

select cron.schedule('refresh_delivery_figures', '53 seconds', 'select private.refresh_delivery_figures()');
