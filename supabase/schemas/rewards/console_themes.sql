-- Themes in the console, and gifts of themes.
--
-- Area: rewards. A theme that users own or were given cannot be deleted, only deactivated, and its owners keep it. A gift
-- is the theme, a notification to the recipient, and a record, in one transaction. Every function that gives one calls
-- api.admin_gift_theme.
--
-- Interface: api.admin_list_themes, admin_read_theme, admin_create_theme, admin_update_theme, admin_delete_theme,
-- admin_gift_theme, gift_theme_to_user.

-- Raises validation_error for a theme whose level or badge does not exist.
create function private.check_theme(p_theme public.themes) returns void
language plpgsql
set search_path = ''
as $$
begin
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

-- private.save_row for a theme, with its picture; p_changes of a new one has its id. Errors: validation_error.
create function private.save_theme(p_admin_id uuid, p_before public.themes, p_changes jsonb, p_action text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_given constant public.themes := jsonb_populate_record(p_before, p_changes);
begin
  if v_given is distinct from p_before then
    perform private.check_theme(v_given);
    if v_given.preview_asset_id is distinct from p_before.preview_asset_id then
      perform private.put_theme_preview(v_given.id, v_given.preview_asset_id);
    end if;
  end if;
  return private.admin_theme(private.save_row(p_admin_id, 'theme', p_before, p_changes, p_action));
end
$$;

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
begin
  perform private.check_admin(p_admin_id, 'rewards');
  return private.list_rows('public.themes', '{sort_order integer,id uuid}', 'asc',
    jsonb_build_object('r.is_active = %s::boolean', p_is_active), p_include, p_cursor, p_limit, 'private.admin_theme(r)');
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
begin
  perform private.lock_admin(p_admin_id, 'rewards');
  perform private.check_columns('public.themes', p_fields, p_is_new => true, p_rules => '{"*": {"blank": false}}',
    p_before => '{"is_free": false, "price_yen_minor": null}');
  return private.save_theme(p_admin_id, null, p_fields || jsonb_build_object('id', gen_random_uuid()), 'theme.create');
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
begin
  perform private.lock_admin(p_admin_id, 'rewards');
  v_before := private.locked_version(null::public.themes, jsonb_build_object('id', p_id), 'theme', p_if_match);
  perform private.check_columns('public.themes', p_changes, p_rules => '{"*": {"blank": false}}', p_before => to_jsonb(v_before));
  return private.save_theme(p_admin_id, v_before, p_changes, 'theme.update');
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
  v_theme := private.locked_row(null::public.themes, jsonb_build_object('id', p_id), 'theme');
  if v_theme.is_free and v_theme.is_active or exists (select from public.user_themes o where o.theme_id = p_id)
    or exists (select from public.theme_gifts g where g.theme_id = p_id) then
    perform private.raise_error('conflict', 409, 'Users own this theme: every user owns an active free theme. Deactivate it instead.',
      p_param => 'id', p_details => '{"reason": "in_use"}');
  end if;
  perform private.put_theme_preview(p_id, null);
  perform private.delete_row(p_admin_id, 'theme', v_theme);
end
$$;

comment on function api.admin_delete_theme(uuid, uuid) is
  'Deletes a theme that no user owns or was given, and its picture. Area: rewards. Errors: forbidden, validation_error, not_found, conflict.';

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
  end if;
  perform private.check_fields('public.theme_gifts', jsonb_build_object('message', v_message), '{message}');
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
