-- Tags in the console: list, create, change, withdraw, delete.
--
-- A tag's slug is stored with lots and in searches, and never changes. A withdrawn tag is not in the master list; lots that
-- have it still return it, and searches with it still find them.
--
-- Invariants: a tag that a lot has, or that is an attribute of searches, is never deleted; attributes are always active.
-- Interface: api.admin_list_tags, admin_get_tag, admin_create_tag, admin_update_tag, admin_delete_tag.

-- Raises conflict (details.reason search_attribute) for a tag that is an attribute of searches.
create function private.reject_search_attribute(p_slug text, p_param text) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if exists (select from public.codes c where c.category_id = 'attribute' and c.code = p_slug) then
    perform private.raise_error('conflict', 409, 'The tag is an attribute of searches and must stay active.', p_param => p_param,
      p_details => '{"reason": "search_attribute"}');
  end if;
end
$$;

create function api.admin_list_tags(
  p_admin_id uuid, p_category text default null, p_is_active boolean default null, p_q text default null,
  p_include text[] default '{}', p_cursor text default null, p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'content');
  return private.list_rows('public.tags', '{sort_order integer,slug text}', 'asc', jsonb_build_object(
    'r.category = %s', p_category,
    'r.is_active = %s::boolean', p_is_active,
    'strpos(lower(concat_ws('' '', r.name, r.name_en, r.slug)), lower(%s)) > 0', p_q
  ), p_include, p_cursor, p_limit);
end
$$;

comment on function api.admin_list_tags(uuid, text, boolean, text, text[], text, integer) is
  'Tags, active or not, with both names, by sort_order and slug: {items, next_cursor}, and total when p_include has it. p_q searches names and slug. For administrators of content. Errors: forbidden, validation_error.';

create function api.admin_get_tag(p_admin_id uuid, p_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'content');
  return private.require_row(
    (select to_jsonb(t) from public.tags t where t.id = p_id), 'There is no such tag.'
  );
end
$$;

comment on function api.admin_get_tag(uuid, uuid) is
  'A tag, active or not, with both names. For administrators of content. Errors: forbidden, not_found.';

create function api.admin_create_tag(p_admin_id uuid, p_tag jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_admin(p_admin_id, 'content');
  perform private.check_columns('public.tags', p_tag, p_is_new => true);
  return to_jsonb(private.save_unique_row(p_admin_id, 'tag', null::public.tags, p_tag, 'slug'));
end
$$;

comment on function api.admin_create_tag(uuid, jsonb) is
  'Creates a tag. Returns it as admin_get_tag does. For administrators of content. Errors: forbidden, validation_error, conflict.';

create function api.admin_update_tag(p_admin_id uuid, p_id uuid, p_changes jsonb, p_if_match text default null) returns jsonb
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

comment on function api.admin_update_tag(uuid, uuid, jsonb, text) is
  'Changes the fields of a tag that p_changes has, in the version p_if_match; is_active removes it from the master list and restores it. Returns it as admin_get_tag does. Idempotent. For administrators of content. Errors: forbidden, validation_error, not_found, conflict, precondition_failed.';

create function api.admin_delete_tag(p_admin_id uuid, p_id uuid, p_if_match text default null) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_before public.tags;
begin
  perform private.lock_admin(p_admin_id, 'content');
  -- A statement that gives the tag to a lot locks the tag too, by its foreign key.
  v_before := private.locked_version(null::public.tags, jsonb_build_object('id', p_id), 'tag', p_if_match);
  perform private.reject_search_attribute(v_before.slug, 'id');
  if exists (select from public.parking_lot_tags lt where lt.tag_id = p_id) then
    perform private.raise_error('conflict', 409, 'Lots have this tag, so it cannot be deleted. Set is_active to false instead.', p_param => 'id',
      p_details => '{"reason": "in_use"}');
  end if;
  perform private.delete_row(p_admin_id, 'tag', v_before);
end
$$;

comment on function api.admin_delete_tag(uuid, uuid, text) is
  'Deletes a tag that no lot has and that is not an attribute of searches. For administrators of content. Errors: forbidden, not_found, conflict, precondition_failed.';
