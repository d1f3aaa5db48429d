-- Articles in the console: drafts, publication and withdrawal.
--
-- A change is the object that the client sends: an absent field stays, null removes the value. The columns of the table
-- define the types of the fields and which may be null; its constraints define the accepted values.
--
-- Invariants: a published article is never deleted, and its published_at does not change.
-- Interface: api.admin_list_articles, admin_get_article, admin_create_article, admin_update_article, admin_delete_article.

-- The current status: draft, scheduled, published or withdrawn.
create function private.article_status(p_article public.articles) returns text
language sql stable
return case
  when p_article.published_at is null then 'draft'
  when p_article.withdrawn_at <= now() then 'withdrawn'
  when p_article.published_at > now() then 'scheduled'
  else 'published'
end;

-- An article as the console returns it.
create function private.admin_article_row(p_article public.articles) returns jsonb
language sql stable
return to_jsonb(p_article) || jsonb_build_object('status', private.article_status(p_article));

create function api.admin_list_articles(
  p_admin_id uuid, p_lang text default null, p_status text default null, p_q text default null, p_include text[] default '{}',
  p_cursor text default null, p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'content');
  perform private.check_choice('lang', p_lang, '{ja,en}');
  perform private.check_choice('status', p_status, '{draft,scheduled,published,withdrawn}');
  return private.list_rows('public.articles', '{created_at timestamptz,id uuid}', 'desc', jsonb_build_object(
    'r.locale = %s', p_lang,
    'private.article_status(r) = %s', p_status,
    'strpos(lower(r.title), lower(%1$s)) > 0 or strpos(r.slug, lower(%1$s)) > 0', p_q
  ), p_include, p_cursor, p_limit, 'private.admin_article_row(r) - ''body''');
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
    (select private.admin_article_row(a) from public.articles a where a.id = p_id), 'There is no such article.'
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
  perform private.check_columns('public.articles', p_article, p_is_new => true, p_without => '{withdrawn_at}');
  return private.admin_article_row(
    private.save_unique_row(p_admin_id, 'article', null::public.articles, p_article, 'slug', p_hashed => '{body}')
  );
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
  perform private.check_columns('public.articles', p_changes);
  v_before := private.locked_version(null::public.articles, jsonb_build_object('id', p_id), 'article', p_if_match);
  v_after := jsonb_populate_record(v_before, p_changes);
  if v_before.published_at <= now() and v_after.published_at is distinct from v_before.published_at then
    perform private.raise_error('conflict', 409, 'The published_at of a published article cannot be changed. Set withdrawn_at to withdraw it.',
      p_param => 'published_at', p_details => '{"reason": "was_published"}');
  end if;
  return private.admin_article_row(private.save_unique_row(p_admin_id, 'article', v_before, p_changes, 'slug', case
    when private.article_status(v_after) = private.article_status(v_before) then 'article.update'
    when private.article_status(v_after) = 'withdrawn' then 'article.withdraw'
    when private.article_status(v_after) in ('scheduled', 'published') then 'article.publish'
  end, '{body}'));
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
  v_before := private.locked_version(null::public.articles, jsonb_build_object('id', p_id), 'article', p_if_match);
  if v_before.published_at <= now() then
    perform private.raise_error('conflict', 409, 'The article was published and cannot be deleted. Withdraw it instead.', p_param => 'id',
      p_details => '{"reason": "was_published"}');
  end if;
  perform private.delete_row(p_admin_id, 'article', v_before, '{body}');
end
$$;

comment on function api.admin_delete_article(uuid, uuid, text) is
  'Deletes an article that was never published. For administrators of content. Errors: forbidden, not_found, conflict, precondition_failed.';
