-- Notification templates: the texts of notifications that the service itself sends, in both languages, in one table.
--
-- A cause names a template and its values; the notification is written in the language of its user. A value is text, or
-- {"ja", "en"} where the thing has a name in both. Notifications that administrators compose have no template.
--
-- Invariants: each template has both languages, with the same placeholders (a trigger checks at the end of a
-- transaction).
-- Interface: private.notify, for the other domains.

-- The names of the placeholders in a text, in order.
create function private.template_placeholders(p_text text) returns text[]
language plpgsql immutable
set search_path = ''
as $$
begin
  return array(select distinct m[1] from regexp_matches(p_text, '\{(\w+)\}', 'g') as m order by 1);
end
$$;

-- Rejects a template that is not in both languages with the same type and placeholders.
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

-- A text in a language with its placeholders replaced. A missing value is an error; null becomes an empty text.
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

-- A reason as a line below a text; empty without a reason.
create function private.reason_text(p_reason text) returns jsonb
language plpgsql immutable
set search_path = ''
as $$
begin
  return jsonb_build_object('ja', coalesce(e'\n理由: ' || p_reason, ''), 'en', coalesce(e'\nReason: ' || p_reason, ''));
end
$$;

-- Notifies a user by a template, in their language and in the transaction of the cause, and returns the id of the
-- notification. p_data: what the app opens. p_useful_until: the end of its use, if that comes before the push_ttl of its
-- type. For functions of the service only.
create function private.notify(
  p_user_id uuid, p_template text, p_values jsonb default '{}', p_data jsonb default '{}', p_useful_until timestamptz default null
) returns uuid
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
    left(private.fill_template(v_template.body, p_values, v_template.lang), 4000), p_data => p_data,
    p_useful_until => p_useful_until);
end
$$;
