-- Notification templates: the texts of notifications that the service itself sends, in both languages, in one table.
--
-- A cause names a template and its values; the notification is written in the language of its user. A value is text, or
-- {"ja", "en"} where the thing has a name in both. Notifications that administrators compose have no template.
--
-- Invariants: each template has both languages, with the same placeholders (a trigger checks at the end of a migration).
-- Interface: private.notify, for the other domains.

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables
-- ---------------------------------------------------------------------------------------------------------------------

create table private.notification_templates (
  name text collate "C" not null,
  lang text collate "C" not null constraint notification_templates_lang_known check (lang in ('ja', 'en')),
  type text collate "C" not null references public.notification_types (code),
  title text not null,
  body text not null,
  primary key (name, lang)
);

comment on table private.notification_templates is 'The texts of notifications; {name} is replaced by a value.';

create index notification_templates_type_idx on private.notification_templates (type);

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals
-- ---------------------------------------------------------------------------------------------------------------------

create function private.template_placeholders(p_text text) returns text[]
language plpgsql immutable
set search_path = ''
as $$
begin
  return array(select distinct m[1] from regexp_matches(p_text, '\{(\w+)\}', 'g') as m order by 1);
end
$$;

comment on function private.template_placeholders(text) is 'The names of the placeholders in a text, in order.';

create function private.tg_notification_templates__check() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  v_name text;
begin
  select coalesce(j.name, e.name) into v_name
  from (select * from private.notification_templates where lang = 'ja') j
  full join (select * from private.notification_templates where lang = 'en') e using (name)
  where j.type is distinct from e.type
    or private.template_placeholders(j.title || j.body) is distinct from private.template_placeholders(e.title || e.body)
  limit 1;
  if v_name is not null then
    raise exception 'Template % must have the same type and placeholders in both languages.', v_name;
  end if;
  return null;
end
$$;

comment on function private.tg_notification_templates__check() is 'Rejects a template that is not in both languages with the same type and placeholders.';

create constraint trigger _100_check after insert or update or delete on private.notification_templates
  deferrable initially deferred for each row execute function private.tg_notification_templates__check();

create function private.fill_template(p_text text, p_values jsonb, p_lang text) returns text
language plpgsql immutable
set search_path = ''
as $$
declare
  v_text text := '';
  v_rest text := p_text;
  v_name text;
begin
  -- From left to right, so that a value that looks like a placeholder is not replaced.
  loop
    v_name := substring(v_rest from '\{(\w+)\}');
    exit when v_name is null;
    if not p_values ? v_name then
      raise exception 'The notification has no value for the placeholder %.', v_name;
    end if;
    v_text := v_text || split_part(v_rest, '{' || v_name || '}', 1)
      || coalesce(p_values -> v_name ->> p_lang, case when jsonb_typeof(p_values -> v_name) <> 'object' then p_values ->> v_name end, '');
    v_rest := substr(v_rest, strpos(v_rest, '{' || v_name || '}') + length(v_name) + 2);
  end loop;
  return v_text || v_rest;
end
$$;

comment on function private.fill_template(text, jsonb, text) is
  'A text in a language with its placeholders replaced. A missing value is an error; null becomes an empty text.';

create function private.reason_text(p_reason text) returns jsonb
language plpgsql immutable
set search_path = ''
as $$
begin
  return jsonb_build_object('ja', coalesce(e'\n理由: ' || p_reason, ''), 'en', coalesce(e'\nReason: ' || p_reason, ''));
end
$$;

comment on function private.reason_text(text) is 'A reason as a line below a text; empty without a reason.';

create function private.notify(p_user_id uuid, p_template text, p_values jsonb default '{}', p_data jsonb default '{}') returns uuid
language plpgsql
security definer -- no role writes notifications directly
set search_path = ''
as $$
declare
  v_template private.notification_templates;
begin
  select t.* into strict v_template
  from private.notification_templates t
  join public.app_users u on u.id = p_user_id and u.lang = t.lang
  where t.name = p_template;
  return private.notify_user(p_user_id, v_template.type, left(private.fill_template(v_template.title, p_values, v_template.lang), 200),
    left(private.fill_template(v_template.body, p_values, v_template.lang), 4000), p_data => p_data);
end
$$;

comment on function private.notify(uuid, text, jsonb, jsonb) is
  'Notifies a user by a template, in their language and in the transaction of the cause, and returns the id of the notification. p_data: what the app opens. For functions of the service only.';

grant execute on function private.reason_text(text), private.notify(uuid, text, jsonb, jsonb) to service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Reference data
-- ---------------------------------------------------------------------------------------------------------------------

insert into private.notification_templates (name, type, lang, title, body)
select t.name, t.type, l.lang, l.title, l.body
from (values
  ('fee_increase', 'fee_increase', 'まもなく料金が上がります', '{time}を過ぎると料金は{amount}になります。',
    'Your parking fee is about to rise', 'After {time} the fee will be {amount}.'),
  ('exit_closing', 'exit_closing', 'まもなく出庫できなくなります', '{time}を過ぎると出庫できません。',
    'The exit is about to close', 'You cannot drive out after {time}.'),
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
