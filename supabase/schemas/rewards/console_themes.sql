-- Themes in the console, and gifts of themes.
--
-- Area: rewards. A theme that users own or were given cannot be deleted, only deactivated, and its owners keep it. A gift
-- is the theme, a notification to the recipient, and a record, in one transaction. Every function that gives one calls
-- api.admin_gift_theme.
--
-- Interface: api.admin_list_themes, admin_read_theme, admin_create_theme, admin_update_theme, admin_delete_theme,
-- admin_gift_theme, gift_theme_to_user.

-- The fields of a theme that administrators write.
create function private.theme_field_rules() returns jsonb
language sql immutable
return '{
  "name": {"type": "text", "max": 100}, "description": {"type": "text", "max": 1000, "null": true},
  "is_free": {"type": "boolean"}, "price_yen_minor": {"type": "integer", "min": 1, "max": 1000000, "null": true},
  "unlock_level": {"type": "integer", "min": 2, "max": 10000, "null": true},
  "unlock_badge_id": {"type": "uuid", "null": true}, "preview_asset_id": {"type": "uuid", "null": true},
  "is_active": {"type": "boolean"}, "sort_order": {"type": "integer", "min": -1000000, "max": 1000000}
}'::jsonb;

-- Raises validation_error for a free theme with a price, and for one whose level or badge does not exist.
create function private.check_theme(p_theme public.themes) returns void
language plpgsql
set search_path = ''
as $$
begin
  if (p_theme).is_free and (p_theme).price_yen_minor is not null then
    perform private.raise_error('validation_error', 422, 'price_yen_minor must be null for a free theme.', p_param => 'price_yen_minor');
  end if;
  -- Locked, so that the level or badge that earns the theme is not deleted meanwhile.
  perform from public.levels l where l.level = (p_theme).unlock_level for key share;
  if not found and (p_theme).unlock_level is not null then
    perform private.raise_error('validation_error', 422, 'There is no such level.', p_param => 'unlock_level');
  end if;
  perform from public.badges b where b.id = (p_theme).unlock_badge_id for key share;
  if not found and (p_theme).unlock_badge_id is not null then
    perform private.raise_error('validation_error', 422, 'There is no such badge.', p_param => 'unlock_badge_id');
  end if;
end
$$;

-- Replaces the picture of a theme, and publishes the new one; the former one is deleted. Errors: validation_error.
create function private.put_theme_preview(p_theme_id uuid, p_asset_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- One statement: when two themes attach the file at once, the second finds it attached.
  update public.assets a
  set entity_type = 'theme', entity_id = p_theme_id, attached_at = coalesce(a.attached_at, clock_timestamp()),
    published_at = case when a.is_public then a.published_at else coalesce(a.published_at, clock_timestamp()) end
  where a.id = p_asset_id and a.category = 'parking_lot' and a.status = 'placed' and a.deleted_at is null
    and a.storage_key not like 'private/%'
    and (a.attached_at is null or a.entity_id is null or (a.entity_type, a.entity_id) = ('theme', p_theme_id))
    -- Rows written directly have no entity.
    and not exists (select from public.parking_lot_images i where i.asset_id = a.id)
    and not exists (select from public.themes t where t.preview_asset_id = a.id and t.id <> p_theme_id);
  if not found and p_asset_id is not null then
    perform private.raise_error('validation_error', 422, 'There is no unused public picture of an administrator with this id. Upload one first.',
      p_param => 'preview_asset_id');
  end if;
  update public.assets a set deleted_at = now()
  where a.entity_id = p_theme_id and a.entity_type = 'theme' and a.deleted_at is null and a.id is distinct from p_asset_id;
end
$$;

-- A theme as the console returns it; preview_key is the storage key of its picture.
create function private.admin_theme(p_theme public.themes) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return to_jsonb(p_theme) || jsonb_build_object(
    'preview_key', (select a.storage_key from public.assets a where a.id = (p_theme).preview_asset_id)
  );
end
$$;

-- A theme, locked until the transaction ends. Errors: not_found.
create function private.held_theme(p_id uuid) returns public.themes
language plpgsql
set search_path = ''
as $$
declare
  v_theme public.themes;
begin
  select * into v_theme from public.themes where id = p_id for update;
  if not found then
    perform private.raise_error('not_found', 404, 'There is no such theme.', p_param => 'id');
  end if;
  return v_theme;
end
$$;

grant execute on function
  private.theme_field_rules(), private.check_theme(public.themes), private.put_theme_preview(uuid, uuid),
  private.admin_theme(public.themes), private.held_theme(uuid)
to service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Themes
-- ---------------------------------------------------------------------------------------------------------------------

create function api.admin_list_themes(
  p_admin_id uuid, p_is_active boolean default null, p_include text[] default '{}', p_cursor text default null,
  p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters jsonb := jsonb_build_array('admin_themes', p_is_active);
  v_after jsonb;
begin
  perform private.check_admin(p_admin_id, 'rewards');
  v_after := private.page_start(v_filters, p_cursor, '{integer,uuid}', 'asc');
  return private.page(v_filters, (
    select jsonb_agg(private.admin_theme(t) order by t.sort_order, t.id)
    from (
      select * from public.themes o
      where (p_is_active is null or o.is_active = p_is_active)
        and (o.sort_order, o.id) > ((v_after ->> 0)::integer, (v_after ->> 1)::uuid)
      order by o.sort_order, o.id
      limit private.page_limit(p_limit) + 1
    ) t
  ), '{sort_order,id}', p_limit, case when 'total' = any (p_include) then (
    select count(*) from public.themes o where p_is_active is null or o.is_active = p_is_active
  ) end);
end
$$;

comment on function api.admin_list_themes(uuid, boolean, text[], text, integer) is
  'All themes, in their order: {items, next_cursor}, and total when p_include has it. Area: rewards. Errors: forbidden, validation_error.';

create function api.admin_read_theme(p_admin_id uuid, p_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'rewards');
  return private.require_row(
    (select private.admin_theme(t) from public.themes t where t.id = p_id), 'There is no such theme.'
  );
end
$$;

comment on function api.admin_read_theme(uuid, uuid) is 'A theme. Area: rewards. Errors: forbidden, not_found.';

create function api.admin_create_theme(p_admin_id uuid, p_fields jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_theme public.themes;
begin
  perform private.lock_admin(p_admin_id, 'rewards');
  perform private.require_fields('{"name": null}' || p_fields, private.theme_field_rules());
  v_theme := jsonb_populate_record(null::public.themes, jsonb_build_object('id', gen_random_uuid())
    || '{"is_free": false, "is_active": true, "sort_order": 0}' || p_fields);
  perform private.check_theme(v_theme);
  insert into public.themes (
    id, name, description, is_free, price_yen_minor, unlock_level, unlock_badge_id, preview_asset_id, sort_order, is_active
  )
  values (
    v_theme.id, v_theme.name, v_theme.description, v_theme.is_free, v_theme.price_yen_minor, v_theme.unlock_level,
    v_theme.unlock_badge_id, null, v_theme.sort_order, v_theme.is_active
  );
  perform private.put_theme_preview(v_theme.id, v_theme.preview_asset_id);
  update public.themes set preview_asset_id = v_theme.preview_asset_id where id = v_theme.id returning * into v_theme;
  perform private.record_act(p_admin_id, 'theme.create', 'theme', v_theme.id::text,
    p_changes => private.difference(null, to_jsonb(v_theme)));
  return private.admin_theme(v_theme);
end
$$;

comment on function api.admin_create_theme(uuid, jsonb) is
  'Creates a theme of p_fields and returns it. A job gives it to users who have earned it already. Area: rewards. Errors: forbidden, validation_error.';

create function api.admin_update_theme(p_admin_id uuid, p_id uuid, p_changes jsonb, p_if_match text default null) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_before public.themes;
  v_theme public.themes;
begin
  perform private.lock_admin(p_admin_id, 'rewards');
  v_before := private.held_theme(p_id);
  perform private.require_match(p_if_match, v_before.updated_at);
  perform private.require_fields(p_changes, private.theme_field_rules());
  v_theme := jsonb_populate_record(v_before, p_changes);
  if v_theme is distinct from v_before then
    perform private.check_theme(v_theme);
    if v_theme.preview_asset_id is distinct from v_before.preview_asset_id then
      perform private.put_theme_preview(p_id, v_theme.preview_asset_id);
    end if;
    update public.themes
    set name = v_theme.name, description = v_theme.description, is_free = v_theme.is_free,
      price_yen_minor = v_theme.price_yen_minor, unlock_level = v_theme.unlock_level,
      unlock_badge_id = v_theme.unlock_badge_id, preview_asset_id = v_theme.preview_asset_id,
      sort_order = v_theme.sort_order, is_active = v_theme.is_active
    where id = p_id returning * into v_theme;
    perform private.record_act(p_admin_id, 'theme.update', 'theme', p_id::text,
      p_changes => private.difference(to_jsonb(v_before), to_jsonb(v_theme)));
  end if;
  return private.admin_theme(v_theme);
end
$$;

comment on function api.admin_update_theme(uuid, uuid, jsonb, text) is
  'Changes the fields of a theme that p_changes has (null empties one), and returns it. Owners keep it; a job gives it to users who have earned it by the change. Idempotent. Area: rewards. Errors: forbidden, validation_error, not_found, precondition_failed.';

create function api.admin_delete_theme(p_admin_id uuid, p_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_theme public.themes;
begin
  perform private.lock_admin(p_admin_id, 'rewards');
  v_theme := private.held_theme(p_id);
  if v_theme.is_free and v_theme.is_active or exists (select from public.user_themes o where o.theme_id = p_id)
    or exists (select from public.theme_gifts g where g.theme_id = p_id) then
    perform private.raise_error('conflict', 409, 'Users own this theme: every user owns an active free theme. Deactivate it instead.',
      p_param => 'id', p_details => '{"reason": "in_use"}');
  end if;
  perform private.put_theme_preview(p_id, null);
  delete from public.themes where id = p_id;
  perform private.record_act(p_admin_id, 'theme.delete', 'theme', p_id::text,
    p_changes => private.difference(to_jsonb(v_theme), null));
end
$$;

comment on function api.admin_delete_theme(uuid, uuid) is
  'Deletes a theme that no user owns or was given, and its picture. Area: rewards. Errors: forbidden, validation_error, not_found, conflict.';

grant execute on function
  api.admin_list_themes(uuid, boolean, text[], text, integer), api.admin_read_theme(uuid, uuid),
  api.admin_create_theme(uuid, jsonb), api.admin_update_theme(uuid, uuid, jsonb, text), api.admin_delete_theme(uuid, uuid)
to service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Gifts
-- ---------------------------------------------------------------------------------------------------------------------

create function api.admin_gift_theme(p_admin_id uuid, p_theme_id uuid, p_user_id uuid, p_message text default null) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_name text;
  v_message constant text := private.trimmed(p_message);
  v_gift public.theme_gifts;
begin
  perform private.lock_admin(p_admin_id, 'rewards');
  select t.name into v_name from public.themes t where t.id = p_theme_id for key share;
  if not found then
    perform private.raise_error('not_found', 404, 'There is no such theme.', p_param => 'theme_id');
  elsif char_length(v_message) > 500 then
    perform private.raise_error('validation_error', 422, 'message must have at most 500 characters.', p_param => 'message');
  end if;
  -- Locked, so that the user does not withdraw meanwhile and gifts come one after the other.
  perform from public.app_users u where u.id = p_user_id and u.status <> 'withdrawn' for no key update;
  if not found then
    perform private.raise_error('not_found', 404, 'There is no such user.', p_param => 'user_id');
  elsif exists (select from private.owned_themes(p_user_id) o where o.theme_id = p_theme_id) then
    perform private.raise_error('conflict', 409, 'The user owns this theme already.', p_param => 'theme_id',
      p_details => '{"reason": "already_owned"}');
  end if;
  insert into public.theme_gifts (user_id, theme_id, admin_id, message)
  values (p_user_id, p_theme_id, p_admin_id, v_message) returning * into v_gift;
  perform private.grant_theme(p_user_id, p_theme_id, 'gift');
  perform private.notify(p_user_id, 'theme_gift', jsonb_build_object(
    'theme', v_name, 'message', coalesce(e'\n' || v_message, '')
  ), jsonb_build_object('theme_id', p_theme_id));
  -- The gift has the administrator's text; the record has only the fact of a message.
  perform private.record_act(p_admin_id, 'theme.gift', 'theme', p_theme_id::text, p_user_id, private.difference(null,
    jsonb_build_object('gift_id', v_gift.id, 'has_message', v_message is not null)));
  return to_jsonb(v_gift);
end
$$;

comment on function api.admin_gift_theme(uuid, uuid, uuid, text) is
  'Gives a theme to a user and returns the gift: the gift, the owned theme, a notification and the record, or none of them. An owner cannot be given the theme again. Area: rewards. Errors: forbidden, not_found, validation_error, conflict.';

create function api.gift_theme_to_user(
  p_theme_id uuid, p_admin_id uuid, p_user_id uuid, p_message text default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  return api.admin_gift_theme(p_admin_id, p_theme_id, p_user_id, p_message);
end
$$;

comment on function api.gift_theme_to_user(uuid, uuid, uuid, text) is
  'api.admin_gift_theme with the name and the arguments that the back office calls. Errors: forbidden, not_found, validation_error, conflict.';

grant execute on function api.gift_theme_to_user(uuid, uuid, uuid, text), api.admin_gift_theme(uuid, uuid, uuid, text) to service_role;
