-- Tags in the console: list, create, change, withdraw, delete.
--
-- A tag's slug is stored with lots and in searches, and never changes. A withdrawn tag is not in the master list; lots that
-- have it still return it, and searches with it still find them.
--
-- Invariants: a tag that a lot has, or that is an attribute of searches, is never deleted; attributes are always active.
-- Interface: api.admin_list_tags, admin_get_tag, admin_create_tag, admin_update_tag, admin_delete_tag.

-- A tag, locked until the transaction ends, in the version of the If-Match header. Errors: not_found,
-- precondition_failed.
create function private.held_tag(p_id uuid, p_if_match text) returns public.tags
language plpgsql
set search_path = ''
as $$
declare
  v_tag public.tags;
begin
  -- A statement that gives the tag to a lot locks the tag too, by its foreign key.
  select * into v_tag from public.tags t where t.id = p_id for update;
  if not found then
    perform private.raise_error('not_found', 404, 'There is no such tag.', p_param => 'id');
  end if;
  perform private.require_match(p_if_match, v_tag.updated_at);
  return v_tag;
end
$$;

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

-- Writes a new tag, or a version of one that the caller has locked, and records the act; p_before is null for a new one.
-- An equal version changes nothing. Errors: validation_error, conflict.
create function private.write_tag(p_admin_id uuid, p_before public.tags, p_after public.tags) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_changes constant jsonb := private.difference(to_jsonb(p_before), to_jsonb(p_after));
  v_after public.tags;
  v_table text;
  v_constraint text;
begin
  if v_changes = '{}' then
    return to_jsonb(p_before);
  end if;
  insert into public.tags select p_after.*
  on conflict (id) do update set
    name = excluded.name, name_en = excluded.name_en, color = excluded.color, category = excluded.category,
    icon_name = excluded.icon_name, sort_order = excluded.sort_order, is_active = excluded.is_active
  returning * into v_after;
  perform private.record_act(p_admin_id, private.content_action('tag', p_before.is_active, v_after.is_active), 'tag',
    v_after.id::text, null, v_changes);
  return to_jsonb(v_after);
exception
  when check_violation then
    get stacked diagnostics v_table = table_name, v_constraint = constraint_name;
    perform private.reject_violation(v_table, v_constraint);
  when unique_violation then
    perform private.reject_duplicate('slug');
end
$$;

grant execute on function
  private.held_tag(uuid, text), private.reject_search_attribute(text, text), private.write_tag(uuid, public.tags,
  public.tags)
to service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Tags
-- ---------------------------------------------------------------------------------------------------------------------

create function api.admin_list_tags(
  p_admin_id uuid, p_category text default null, p_is_active boolean default null, p_q text default null,
  p_include text[] default '{}', p_cursor text default null, p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters constant jsonb := jsonb_build_array('admin_tags', p_category, p_is_active, p_q);
  v_after jsonb;
  v_items jsonb;
  v_total bigint;
begin
  perform private.check_admin(p_admin_id, 'content');
  v_after := private.page_start(v_filters, p_cursor, '{integer,text}', 'asc');
  with matching as not materialized (
    select t as tag, t.sort_order, t.slug from public.tags t
    where (p_category is null or t.category = p_category)
      and (p_is_active is null or t.is_active = p_is_active)
      and (p_q is null or strpos(lower(concat_ws(' ', t.name, t.name_en, t.slug)), lower(p_q)) > 0)
  ), page as (
    select * from matching m
    where (m.sort_order, m.slug) > ((v_after ->> 0)::integer, v_after ->> 1)
    order by m.sort_order, m.slug limit private.page_limit(p_limit) + 1
  )
  select (select jsonb_agg(to_jsonb(p.tag) order by p.sort_order, p.slug) from page p),
    case when 'total' = any (p_include) then (select count(*) from matching) end
  into v_items, v_total;
  return private.page(v_filters, v_items, '{sort_order,slug}', p_limit, v_total);
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
  perform private.check_fields('public.tags', p_tag, '{slug,name,name_en,color,category,icon_name,sort_order,is_active}',
    '{slug,name}');
  return private.write_tag(p_admin_id, null, jsonb_populate_record(null::public.tags, jsonb_build_object(
    'id', gen_random_uuid(), 'sort_order', 0, 'is_active', true, 'created_at', now(), 'updated_at', now()
  ) || p_tag));
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
  perform private.check_fields('public.tags', p_changes, '{name,name_en,color,category,icon_name,sort_order,is_active}');
  v_before := private.held_tag(p_id, p_if_match);
  if p_changes -> 'is_active' = 'false' then
    perform private.reject_search_attribute(v_before.slug, 'is_active');
  end if;
  return private.write_tag(p_admin_id, v_before, jsonb_populate_record(v_before, p_changes));
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
  v_before := private.held_tag(p_id, p_if_match);
  perform private.reject_search_attribute(v_before.slug, 'id');
  if exists (select from public.parking_lot_tags lt where lt.tag_id = p_id) then
    perform private.raise_error('conflict', 409, 'Lots have this tag, so it cannot be deleted. Set is_active to false instead.', p_param => 'id',
      p_details => '{"reason": "in_use"}');
  end if;
  delete from public.tags t where t.id = p_id;
  perform private.record_act(p_admin_id, 'tag.delete', 'tag', p_id::text, null, private.difference(to_jsonb(v_before), null));
end
$$;

comment on function api.admin_delete_tag(uuid, uuid, text) is
  'Deletes a tag that no lot has and that is not an attribute of searches. For administrators of content. Errors: forbidden, not_found, conflict, precondition_failed.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Holidays
-- ---------------------------------------------------------------------------------------------------------------------

grant execute on function
  api.admin_list_tags(uuid, text, boolean, text, text[], text, integer), api.admin_get_tag(uuid, uuid),
  api.admin_create_tag(uuid, jsonb), api.admin_update_tag(uuid, uuid, jsonb, text), api.admin_delete_tag(uuid, uuid,
  text)
to service_role;
