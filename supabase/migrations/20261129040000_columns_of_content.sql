-- The fields that administrators write are the columns of the table: no list of them, no list of the required ones.
--
-- The definitions are those of supabase/schemas after this change. The way back: the functions as they were.

set lock_timeout = '2s';

-- The columns that administrators write in a row of a table: all but those that the database sets. These are generated
-- columns, the times, was_shown, and a key with a default. A key without one is written in a new row only. is_required: a
-- new row needs it.
create function private.written_columns(p_table regclass, p_is_new boolean) returns table (name text, is_required boolean)
language plpgsql stable
set search_path = ''
as $$
begin
  return query
  select a.attname::text, p_is_new and a.attnotnull and not a.atthasdef
  from pg_catalog.pg_attribute a
  join pg_catalog.pg_index i on i.indrelid = a.attrelid and i.indisprimary
  where a.attrelid = p_table and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and a.attidentity = ''
    and a.attname <> all ('{created_at,updated_at,was_shown}') and (p_is_new and not a.atthasdef or a.attnum <> all (i.indkey));
end
$$;

-- private.check_fields for a new row of a table, or for a change. Its fields are private.written_columns, without
-- p_without. Errors: validation_error.
create function private.check_columns(
  p_table regclass, p_values jsonb, p_is_new boolean default false, p_without text[] default '{}', p_rules jsonb default '{}',
  p_before jsonb default '{}'
) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_fields text[];
  v_required text[];
begin
  select array_agg(c.name), array_agg(c.name) filter (where c.is_required) into v_fields, v_required
  from private.written_columns(p_table, p_is_new) as c where c.name <> all (p_without);
  perform private.check_fields(p_table, p_values, v_fields, v_required, p_rules, null, p_before);
end
$$;

create or replace function api.admin_create_ad(p_admin_id uuid, p_ad jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_admin(p_admin_id, 'content');
  perform private.check_columns('public.ads', p_ad, p_is_new => true);
  return private.managed_ad(private.save_row(p_admin_id, 'ad', null::public.ads, p_ad));
end
$$;

create or replace function api.admin_update_ad(p_admin_id uuid, p_id uuid, p_changes jsonb, p_if_match text default null) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_before public.ads;
begin
  perform private.lock_admin(p_admin_id, 'content');
  perform private.check_columns('public.ads', p_changes);
  v_before := private.locked_version(null::public.ads, jsonb_build_object('id', p_id), 'advertisement', p_if_match);
  return private.managed_ad(private.save_row(p_admin_id, 'ad', v_before, p_changes));
end
$$;

create or replace function api.admin_create_sponsor(p_admin_id uuid, p_sponsor jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_admin(p_admin_id, 'content');
  perform private.check_columns('public.sponsors', p_sponsor, p_is_new => true);
  return private.save_sponsor(p_admin_id, null, p_sponsor || jsonb_build_object('id', gen_random_uuid()));
end
$$;

create or replace function api.admin_update_sponsor(p_admin_id uuid, p_id uuid, p_changes jsonb, p_if_match text default null) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_before public.sponsors;
begin
  perform private.lock_admin(p_admin_id, 'content');
  perform private.check_columns('public.sponsors', p_changes);
  v_before := private.locked_version(null::public.sponsors, jsonb_build_object('id', p_id), 'sponsor', p_if_match);
  return private.save_sponsor(p_admin_id, v_before, p_changes);
end
$$;

create or replace function api.admin_create_tag(p_admin_id uuid, p_tag jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_admin(p_admin_id, 'content');
  perform private.check_columns('public.tags', p_tag, p_is_new => true);
  return to_jsonb(private.save_unique_row(p_admin_id, 'tag', null::public.tags, p_tag, 'slug'));
end
$$;

create or replace function api.admin_update_tag(p_admin_id uuid, p_id uuid, p_changes jsonb, p_if_match text default null) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_before public.tags;
begin
  perform private.lock_admin(p_admin_id, 'content');
  perform private.check_columns('public.tags', p_changes, p_without => '{slug}');
  v_before := private.locked_version(null::public.tags, jsonb_build_object('id', p_id), 'tag', p_if_match);
  if p_changes -> 'is_active' = 'false' then
    perform private.reject_search_attribute(v_before.slug, 'is_active');
  end if;
  return to_jsonb(private.save_unique_row(p_admin_id, 'tag', v_before, p_changes, 'slug'));
end
$$;

create or replace function api.admin_create_article(p_admin_id uuid, p_article jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_admin(p_admin_id, 'content');
  perform private.check_columns('public.articles', p_article, p_is_new => true, p_without => '{withdrawn_at}');
  return private.managed_article(
    private.save_unique_row(p_admin_id, 'article', null::public.articles, p_article, 'slug', p_hashed => '{body}')
  );
end
$$;

create or replace function api.admin_update_article(p_admin_id uuid, p_id uuid, p_changes jsonb, p_if_match text default null) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_before public.articles;
  v_after public.articles;
begin
  perform private.lock_admin(p_admin_id, 'content');
  perform private.check_columns('public.articles', p_changes);
  v_before := private.locked_version(null::public.articles, jsonb_build_object('id', p_id), 'article', p_if_match);
  v_after := jsonb_populate_record(v_before, p_changes);
  if v_before.published_at <= now() and v_after.published_at is distinct from v_before.published_at then
    perform private.raise_error('conflict', 409, 'The published_at of a published article cannot be changed. Set withdrawn_at to withdraw it.',
      p_param => 'published_at', p_details => '{"reason": "was_published"}');
  end if;
  return private.managed_article(private.save_unique_row(p_admin_id, 'article', v_before, p_changes, 'slug', case
    when private.article_status(v_after) = private.article_status(v_before) then 'article.update'
    when private.article_status(v_after) = 'withdrawn' then 'article.withdraw'
    when private.article_status(v_after) in ('scheduled', 'published') then 'article.publish'
  end, '{body}'));
end
$$;

create or replace function api.admin_create_holiday(p_admin_id uuid, p_holiday jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_admin(p_admin_id, 'content');
  perform private.check_columns('public.holidays', p_holiday, p_is_new => true);
  return to_jsonb(private.save_unique_row(p_admin_id, 'holiday', null::public.holidays, p_holiday, 'holiday_date'));
end
$$;

create or replace function api.admin_update_holiday(
  p_admin_id uuid, p_calendar text, p_holiday_date date, p_changes jsonb, p_if_match text default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_before public.holidays;
begin
  perform private.lock_admin(p_admin_id, 'content');
  perform private.check_columns('public.holidays', p_changes);
  v_before := private.locked_version(null::public.holidays, jsonb_build_object('calendar', p_calendar, 'holiday_date', p_holiday_date),
    'holiday', p_if_match);
  return to_jsonb(private.save_unique_row(p_admin_id, 'holiday', v_before, p_changes, 'holiday_date'));
end
$$;

create or replace function api.admin_create_subscription_plan(p_admin_id uuid, p_plan jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_admin(p_admin_id, 'content');
  perform private.check_columns('public.subscription_plans', p_plan, p_is_new => true);
  return to_jsonb(private.save_unique_row(p_admin_id, 'subscription_plan', null::public.subscription_plans, p_plan, 'code'));
end
$$;

create or replace function api.admin_update_subscription_plan(p_admin_id uuid, p_id uuid, p_changes jsonb, p_if_match text default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_before public.subscription_plans;
begin
  perform private.lock_admin(p_admin_id, 'content');
  perform private.check_columns('public.subscription_plans', p_changes, p_without => '{code}');
  v_before := private.locked_version(null::public.subscription_plans, jsonb_build_object('id', p_id), 'plan', p_if_match);
  return to_jsonb(private.save_unique_row(p_admin_id, 'subscription_plan', v_before, p_changes, 'code'));
end
$$;
