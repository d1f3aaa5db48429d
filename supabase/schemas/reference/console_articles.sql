-- Articles in the console: drafts, publication and withdrawal.
--
-- A change is the object that the client sends: an absent field stays, null removes the value. The columns of the table
-- define the types of the fields and which may be null; its constraints define the accepted values (console/kit.sql).
--
-- Invariants: a published article is never deleted, and its published_at does not change.
-- Interface: api.admin_list_articles, admin_get_article, admin_create_article, admin_update_article, admin_delete_article.

-- The current status: draft, scheduled, published or withdrawn.
create function private.article_status(p_article public.articles) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return case
    when p_article.published_at is null then 'draft'
    when p_article.withdrawn_at <= now() then 'withdrawn'
    when p_article.published_at > now() then 'scheduled'
    else 'published'
  end;
end
$$;

-- An article as the console returns it.
create function private.managed_article(p_article public.articles) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return to_jsonb(p_article) || jsonb_build_object('status', private.article_status(p_article));
end
$$;

-- An article, locked until the transaction ends, in the version of the If-Match header. Errors: not_found,
-- precondition_failed.
create function private.held_article(p_id uuid, p_if_match text) returns public.articles
language plpgsql
set search_path = ''
as $$
declare
  v_article public.articles;
begin
  select * into v_article from public.articles a where a.id = p_id for update;
  if not found then
    perform private.raise_error('not_found', 404, 'There is no such article.', p_param => 'id');
  end if;
  perform private.require_match(p_if_match, v_article.updated_at);
  return v_article;
end
$$;

-- The differences between two versions of an article, with the MD5 of the body instead of the body.
create function private.article_difference(p_before public.articles, p_after public.articles) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return private.difference(
    to_jsonb(p_before) || jsonb_build_object('body', md5(p_before.body)), to_jsonb(p_after) || jsonb_build_object('body', md5(p_after.body))
  );
end
$$;

-- Writes a new article, or a version of one that the caller has locked, and records the act; p_before is null for a new
-- one. An equal version changes nothing. Errors: validation_error, conflict.
create function private.write_article(p_admin_id uuid, p_before public.articles, p_after public.articles) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_changes constant jsonb := private.article_difference(p_before, p_after);
  v_after public.articles;
  v_table text;
  v_constraint text;
begin
  if v_changes = '{}' then
    return private.managed_article(p_before);
  end if;
  insert into public.articles select p_after.*
  on conflict (id) do update set
    slug = excluded.slug, locale = excluded.locale, title = excluded.title, summary = excluded.summary, body = excluded.body,
    cover_image_url = excluded.cover_image_url, tags = excluded.tags, published_at = excluded.published_at,
    withdrawn_at = excluded.withdrawn_at
  returning * into v_after;
  perform private.record_act(p_admin_id, case
      when p_before.id is null then 'article.create'
      when private.article_status(v_after) = private.article_status(p_before) then 'article.update'
      when private.article_status(v_after) = 'withdrawn' then 'article.withdraw'
      when private.article_status(v_after) in ('scheduled', 'published') then 'article.publish'
      else 'article.update'
    end, 'article', v_after.id::text, null, v_changes);
  return private.managed_article(v_after);
exception
  when check_violation then
    get stacked diagnostics v_table = table_name, v_constraint = constraint_name;
    perform private.reject_violation(v_table, v_constraint);
  when unique_violation then
    perform private.reject_duplicate('slug');
end
$$;

grant execute on function
  private.article_status(public.articles), private.managed_article(public.articles), private.held_article(uuid, text),
  private.article_difference(public.articles, public.articles),
  private.write_article(uuid, public.articles, public.articles)
to service_role;

create function api.admin_list_articles(
  p_admin_id uuid, p_lang text default null, p_status text default null, p_q text default null, p_include text[] default '{}',
  p_cursor text default null, p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters constant jsonb := jsonb_build_array('admin_articles', p_lang, p_status, p_q);
  v_after jsonb;
  v_items jsonb;
  v_total bigint;
begin
  perform private.check_admin(p_admin_id, 'content');
  v_after := private.page_start(v_filters, p_cursor, '{timestamptz,uuid}', 'desc');
  perform private.check_choice('lang', p_lang, '{ja,en}');
  perform private.check_choice('status', p_status, '{draft,scheduled,published,withdrawn}');
  with matching as not materialized (
    select a as article, a.created_at, a.id from public.articles a
    where (p_lang is null or a.locale = p_lang)
      and (p_status is null or private.article_status(a) = p_status)
      and (p_q is null or strpos(lower(a.title), lower(p_q)) > 0 or strpos(a.slug, lower(p_q)) > 0)
  ), page as (
    select * from matching m
    where (m.created_at, m.id) < ((v_after ->> 0)::timestamptz, (v_after ->> 1)::uuid)
    order by m.created_at desc, m.id desc limit private.page_limit(p_limit) + 1
  )
  select (select jsonb_agg(private.managed_article(p.article) - 'body' order by p.created_at desc, p.id desc) from page p),
    case when 'total' = any (p_include) then (select count(*) from matching) end
  into v_items, v_total;
  return private.page(v_filters, v_items, '{created_at,id}', p_limit, v_total);
end
$$;

comment on function api.admin_list_articles(uuid, text, text, text, text[], text, integer) is
  'Articles of every status, the latest first, without their bodies: {items, next_cursor}, and total when p_include has it. p_q searches title and slug. For administrators of content. Errors: forbidden, validation_error.';

create function api.admin_get_article(p_admin_id uuid, p_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'content');
  return private.require_row(
    (select private.managed_article(a) from public.articles a where a.id = p_id), 'There is no such article.'
  );
end
$$;

comment on function api.admin_get_article(uuid, uuid) is
  'An article of any status, with its body and status. For administrators of content. Errors: forbidden, not_found.';

create function api.admin_create_article(p_admin_id uuid, p_article jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_admin(p_admin_id, 'content');
  perform private.check_fields('public.articles', p_article,
    '{slug,locale,title,summary,body,cover_image_url,tags,published_at}', '{slug,locale,title,body}');
  return private.write_article(p_admin_id, null, jsonb_populate_record(null::public.articles,
    jsonb_build_object('id', gen_random_uuid(), 'tags', '[]'::jsonb, 'created_at', now(), 'updated_at', now()) || p_article));
end
$$;

comment on function api.admin_create_article(uuid, jsonb) is
  'Creates an article, as a draft unless p_article has published_at. Returns it as admin_get_article does. For administrators of content. Errors: forbidden, validation_error, conflict.';

create function api.admin_update_article(p_admin_id uuid, p_id uuid, p_changes jsonb, p_if_match text default null) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_before public.articles;
  v_after public.articles;
begin
  perform private.lock_admin(p_admin_id, 'content');
  perform private.check_fields('public.articles', p_changes,
    '{slug,locale,title,summary,body,cover_image_url,tags,published_at,withdrawn_at}');
  v_before := private.held_article(p_id, p_if_match);
  v_after := jsonb_populate_record(v_before, p_changes);
  if v_before.published_at <= now() and v_after.published_at is distinct from v_before.published_at then
    perform private.raise_error('conflict', 409, 'The published_at of a published article cannot be changed. Set withdrawn_at to withdraw it.',
      p_param => 'published_at', p_details => '{"reason": "was_published"}');
  end if;
  return private.write_article(p_admin_id, v_before, v_after);
end
$$;

comment on function api.admin_update_article(uuid, uuid, jsonb, text) is
  'Changes the fields of an article that p_changes has, in the version p_if_match. published_at publishes, withdrawn_at withdraws, both also at a later time; withdrawn_at null publishes again. Returns the article as admin_get_article does. Idempotent. For administrators of content. Errors: forbidden, validation_error, not_found, conflict, precondition_failed.';

create function api.admin_delete_article(p_admin_id uuid, p_id uuid, p_if_match text default null) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_before public.articles;
begin
  perform private.lock_admin(p_admin_id, 'content');
  v_before := private.held_article(p_id, p_if_match);
  if v_before.published_at <= now() then
    perform private.raise_error('conflict', 409, 'The article was published and cannot be deleted. Withdraw it instead.', p_param => 'id',
      p_details => '{"reason": "was_published"}');
  end if;
  delete from public.articles a where a.id = p_id;
  perform private.record_act(p_admin_id, 'article.delete', 'article', p_id::text, null, private.article_difference(v_before, null));
end
$$;

comment on function api.admin_delete_article(uuid, uuid, text) is
  'Deletes an article that was never published. For administrators of content. Errors: forbidden, not_found, conflict, precondition_failed.';

grant execute on function
  api.admin_list_articles(uuid, text, text, text, text[], text, integer), api.admin_get_article(uuid, uuid),
  api.admin_create_article(uuid, jsonb), api.admin_update_article(uuid, uuid, jsonb, text),
  api.admin_delete_article(uuid, uuid, text)
to service_role;
