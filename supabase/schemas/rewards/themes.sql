-- Themes: the looks of the app, who owns them, and which one a user has applied.
--
-- An owner of a theme has a row with its origin: purchase, gift, reward, subscription. Every user owns active free themes
-- without a row, so a new free theme causes no writes; applying one writes the row, with the id that lists returned
-- before. Owned themes stay owned when they are not offered any more.
--
-- Invariants: a user owns a theme once, and has at most one applied, which they own. A gift never exists without its
-- theme.
-- Interface: api.list_my_themes, apply_my_theme, list_my_theme_gifts; for the other domains private.grant_theme.
-- Administrators give gifts (rewards/console_themes.sql).

-- Makes a user the owner of a theme. False when they own it already (its origin stays) or when there is no such theme.
-- For functions of the service only.
create function private.grant_theme(p_user_id uuid, p_theme_id uuid, p_acquisition_type text) returns boolean
language plpgsql
security definer -- no role may write ownership directly
set search_path = ''
as $$
begin
  -- Locked as the foreign key locks it: a theme that is deleted meanwhile gets no owner.
  insert into public.user_themes (user_id, theme_id, acquisition_type)
  select p_user_id, t.id, p_acquisition_type from public.themes t where t.id = p_theme_id for key share
  on conflict on constraint user_themes_owned_once do nothing;
  return found;
end
$$;

-- The id of a user's row for a free theme, before and after they apply it: a UUID made of both ids (version 3).
create function private.free_theme_row_id(p_user_id uuid, p_theme_id uuid) returns uuid
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return overlay(overlay(md5(p_user_id::text || p_theme_id::text) placing '3' from 13) placing '8' from 17)::uuid;
end
$$;

-- The themes that a user owns: their rows, and for each active free theme the row that applying it would write.
create function private.owned_themes(p_user_id uuid) returns setof public.user_themes
language plpgsql stable rows 20
set search_path = ''
as $$
begin
  return query
  select o.* from public.user_themes o where o.user_id = p_user_id
  union all
  select private.free_theme_row_id(u.id, t.id), u.id, t.id, 'free', false, since.at, since.at, since.at
  from public.themes t
  join public.app_users u on u.id = p_user_id
  cross join lateral (select greatest(t.created_at, u.created_at) as at) since
  where t.is_free and t.is_active
    and not exists (select from public.user_themes o where o.user_id = u.id and o.theme_id = t.id);
end
$$;

-- Applies a theme of the caller, by its id or the id of the caller's row, in place of any other. Errors: unauthorized,
-- forbidden, not_found.
create function private.apply_theme(p_id uuid) returns public.user_themes
language plpgsql
security definer -- no role may write ownership directly; the owner is always the caller
set search_path = ''
as $$
declare
  v_user_id uuid := private.writing_user();
  v_owned public.user_themes;
begin
  select o.* into v_owned from private.owned_themes(v_user_id) o where p_id in (o.theme_id, o.id);
  if not found then
    perform private.raise_error('not_found', 404, 'You own no such theme.', p_param => 'id');
  end if;
  update public.user_themes set is_applied = false
  where user_id = v_user_id and is_applied and theme_id <> v_owned.theme_id;
  insert into public.user_themes as o (id, user_id, theme_id, acquisition_type, is_applied, acquired_at)
  values (v_owned.id, v_user_id, v_owned.theme_id, v_owned.acquisition_type, true, v_owned.acquired_at)
  on conflict on constraint user_themes_owned_once do update set is_applied = true
  returning * into v_owned;
  return v_owned;
end
$$;

-- A theme as the interface returns it; preview_key is the storage key of its picture, null without a visible one.
create function private.theme_item(p_theme public.themes) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'id', (p_theme).id, 'name', (p_theme).name, 'description', (p_theme).description, 'is_free', (p_theme).is_free,
    'price_yen_minor', (p_theme).price_yen_minor, 'preview_asset_id', (p_theme).preview_asset_id,
    'preview_key', (select a.storage_key from public.assets a where a.id = (p_theme).preview_asset_id),
    'unlock_level', (p_theme).unlock_level, 'unlock_badge_id', (p_theme).unlock_badge_id,
    'sort_order', (p_theme).sort_order
  );
end
$$;

-- An owned theme as the interface returns it.
create function private.my_theme_row(p_owned public.user_themes) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'id', (p_owned).id, 'theme_id', (p_owned).theme_id, 'acquired_at', (p_owned).acquired_at,
    'acquisition_type', (p_owned).acquisition_type, 'is_applied', (p_owned).is_applied,
    'theme', (select private.theme_item(t) from public.themes t where t.id = (p_owned).theme_id)
  );
end
$$;

-- Every theme that is active or owned by the user, in sort_order, and whether they own it.
create function private.theme_catalogue(p_user_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(private.theme_item(t) || jsonb_build_object(
      'is_owned', o.id is not null, 'is_applied', coalesce(o.is_applied, false)
    ) order by t.sort_order, t.id), '[]')
    from public.themes t
    left join private.owned_themes(p_user_id) o on o.theme_id = t.id
    where t.is_active or o.id is not null
  );
end
$$;

grant execute on function
  private.free_theme_row_id(uuid, uuid), private.owned_themes(uuid), private.apply_theme(uuid),
  private.theme_item(public.themes), private.my_theme_row(public.user_themes), private.theme_catalogue(uuid)
to authenticated;
