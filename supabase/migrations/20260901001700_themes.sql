-- Themes: the looks of the app, who owns them, and which one a user has applied.
--
-- An owner of a theme has a row with its origin: purchase, gift, reward, subscription. Every user owns active free themes
-- without a row, so a new free theme causes no writes; applying one writes the row, with the id that lists returned before.
-- Owned themes stay owned when they are not offered any more.
--
-- Invariants: a user owns a theme once, and has at most one applied, which they own. A gift never exists without its theme.
-- Interface: api.list_my_themes, apply_my_theme, list_my_theme_gifts; for the other domains private.grant_theme.
-- Administrators give gifts (migration admin_themes).

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables
-- ---------------------------------------------------------------------------------------------------------------------

create table public.themes (
  id uuid primary key default gen_random_uuid(),
  name text not null constraint themes_name_length check (char_length(name) between 1 and 100),
  description text constraint themes_description_length check (char_length(description) between 1 and 1000),
  is_free boolean not null default false,
  price_yen_minor integer constraint themes_price_positive check (price_yen_minor > 0),
  unlock_level integer constraint themes_unlock_level_earned check (unlock_level > 1),
  unlock_badge_id uuid,
  preview_asset_id uuid references public.assets (id) on delete set null,
  sort_order integer not null default 0,
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint themes_free_has_no_price check (not is_free or price_yen_minor is null)
);

comment on table public.themes is 'Themes of the app.';
comment on column public.themes.price_yen_minor is 'Its price; null: it is not sold.';
comment on column public.themes.unlock_level is
  'The level that earns it; null: none. Not the first level, which every user has.';
comment on column public.themes.unlock_badge_id is 'The badge that earns it; null: none.';
comment on column public.themes.is_active is 'Whether it is offered. Lists return an inactive theme only to its owners.';

create index themes_preview_asset_id_idx on public.themes (preview_asset_id) where preview_asset_id is not null;

create table public.user_themes (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.app_users (id) on delete cascade,
  theme_id uuid not null references public.themes (id),
  acquisition_type text not null constraint user_themes_acquisition_type_known
    check (acquisition_type in ('free', 'purchase', 'gift', 'reward', 'subscription')),
  is_applied boolean not null default false,
  acquired_at timestamptz not null default now() constraint user_themes_acquired_at_has_four_digit_year
    check (acquired_at >= timestamptz '0001-01-01 00:00:00+00' and acquired_at < timestamptz '10000-01-01 00:00:00+00'),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint user_themes_owned_once unique (user_id, theme_id)
);

comment on table public.user_themes is 'Which user owns which theme, and its origin.';

create unique index user_themes_one_applied on public.user_themes (user_id) where is_applied;
create index user_themes_theme_id_idx on public.user_themes (theme_id);

create table public.theme_gifts (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.app_users (id) on delete cascade,
  theme_id uuid not null references public.themes (id),
  admin_id uuid references public.admins (id) on delete set null,
  message text constraint theme_gifts_message_length check (char_length(message) between 1 and 500),
  created_at timestamptz not null default now()
);

comment on table public.theme_gifts is 'Themes that administrators gave to users.';
comment on column public.theme_gifts.admin_id is 'The administrator who gave it.';

create index theme_gifts_user_id_idx on public.theme_gifts (user_id, created_at desc, id desc);
create index theme_gifts_theme_id_idx on public.theme_gifts (theme_id);
create index theme_gifts_admin_id_idx on public.theme_gifts (admin_id) where admin_id is not null;

-- ---------------------------------------------------------------------------------------------------------------------
-- Row security
-- ---------------------------------------------------------------------------------------------------------------------

alter table public.themes enable row level security;
alter table public.user_themes enable row level security;
alter table public.theme_gifts enable row level security;

create policy "Users read active themes and their own" on public.themes for select to authenticated using (
  is_active or (select true from public.user_themes o where o.theme_id = themes.id and o.user_id = (select auth.uid()))
);
create policy "Users read their own themes" on public.user_themes for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "Users read their own gifts" on public.theme_gifts for select to authenticated
  using ((select auth.uid()) = user_id);
-- No insert, update or delete: functions of the service write ownership, and one function applies a theme.

grant select (
  id, name, description, is_free, price_yen_minor, unlock_level, unlock_badge_id, preview_asset_id, sort_order, is_active,
  created_at, updated_at
) on public.themes to authenticated;
grant select (id, user_id, theme_id, acquisition_type, is_applied, acquired_at, created_at, updated_at)
  on public.user_themes to authenticated;
-- Clients cannot read which administrator gave it.
grant select (id, user_id, theme_id, message, created_at) on public.theme_gifts to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals
-- ---------------------------------------------------------------------------------------------------------------------

create trigger _100_touch_updated_at before update on public.themes
  for each row execute function private.tg_touch_updated_at();
create trigger _100_touch_updated_at before update on public.user_themes
  for each row execute function private.tg_touch_updated_at();

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

comment on function private.grant_theme(uuid, uuid, text) is
  'Makes a user the owner of a theme. False when they own it already (its origin stays) or when there is no such theme. For functions of the service only.';

grant execute on function private.grant_theme(uuid, uuid, text) to service_role;

create function private.free_theme_row_id(p_user_id uuid, p_theme_id uuid) returns uuid
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return overlay(overlay(md5(p_user_id::text || p_theme_id::text) placing '3' from 13) placing '8' from 17)::uuid;
end
$$;

comment on function private.free_theme_row_id(uuid, uuid) is
  'The id of a user''s row for a free theme, before and after they apply it: a UUID made of both ids (version 3).';

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

comment on function private.owned_themes(uuid) is
  'The themes that a user owns: their rows, and for each active free theme the row that applying it would write.';

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

comment on function private.apply_theme(uuid) is
  'Applies a theme of the caller, by its id or the id of the caller''s row, in place of any other. Errors: unauthorized, forbidden, not_found.';

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

comment on function private.theme_item(public.themes) is
  'A theme as the interface returns it; preview_key is the storage key of its picture, null without a visible one.';

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

comment on function private.my_theme_row(public.user_themes) is 'An owned theme as the interface returns it.';

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

comment on function private.theme_catalogue(uuid) is
  'Every theme that is active or owned by the user, in sort_order, and whether they own it.';

grant execute on function
  private.free_theme_row_id(uuid, uuid), private.owned_themes(uuid), private.apply_theme(uuid),
  private.theme_item(public.themes), private.my_theme_row(public.user_themes), private.theme_catalogue(uuid)
to authenticated;
grant execute on function private.free_theme_row_id(uuid, uuid), private.owned_themes(uuid) to service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface
-- ---------------------------------------------------------------------------------------------------------------------

create function api.list_my_themes(
  p_limit integer default 20, p_cursor text default null, p_include text[] default '{}'
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_user_id uuid := private.active_user();
  v_filters jsonb := jsonb_build_object('list', 'my_themes', 'user_id', v_user_id);
  v_keys jsonb := private.page_start(v_filters, p_cursor, '{timestamptz,uuid}', 'desc');
begin
  perform private.page_limit(p_limit);
  return private.page(v_filters, (
    select jsonb_agg(private.my_theme_row(p.owned) order by (p.owned).acquired_at desc, (p.owned).id desc)
    from (
      select o as owned from private.owned_themes(v_user_id) o
      where (o.acquired_at, o.id) < ((v_keys ->> 0)::timestamptz, (v_keys ->> 1)::uuid)
      order by o.acquired_at desc, o.id desc
      limit p_limit + 1
    ) p
  ), '{acquired_at,id}', p_limit)
  || case when 'total' = any (p_include)
    then jsonb_build_object('total', (select count(*) from private.owned_themes(v_user_id))) else '{}' end
  || case when 'catalogue' = any (p_include)
    then jsonb_build_object('catalogue', private.theme_catalogue(v_user_id)) else '{}' end;
end
$$;

comment on function api.list_my_themes(integer, text, text[]) is
  'The caller''s themes, the latest first: {items, next_cursor}. p_include adds total, and catalogue: every theme that is active or owned. Reads only. Errors: unauthorized, forbidden, validation_error.';

create function commands.apply_my_theme(p_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  return private.my_theme_row(private.apply_theme(p_id));
end
$$;

comment on function commands.apply_my_theme(uuid) is
  'Applies a theme that the caller owns, in place of the former one, and returns it. Idempotent. Errors: unauthorized, forbidden, not_found.';

create function api.list_my_theme_gifts(
  p_limit integer default 20, p_cursor text default null, p_include text[] default '{}'
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_user_id uuid := private.active_user();
  v_filters jsonb := jsonb_build_object('list', 'my_theme_gifts', 'user_id', v_user_id);
  v_keys jsonb := private.page_start(v_filters, p_cursor, '{timestamptz,uuid}', 'desc');
begin
  perform private.page_limit(p_limit);
  return private.page(v_filters, (
    select jsonb_agg(jsonb_build_object(
      'id', g.id, 'theme_id', g.theme_id, 'message', g.message, 'created_at', g.created_at,
      'theme', (select private.theme_item(t) from public.themes t where t.id = g.theme_id)
    ) order by g.created_at desc, g.id desc)
    from (
      select g.id, g.theme_id, g.message, g.created_at from public.theme_gifts g
      where g.user_id = v_user_id
        and (g.created_at, g.id) < ((v_keys ->> 0)::timestamptz, (v_keys ->> 1)::uuid)
      order by g.created_at desc, g.id desc
      limit p_limit + 1
    ) g
  ), '{created_at,id}', p_limit, case when 'total' = any (p_include) then (
    select count(*) from public.theme_gifts g where g.user_id = v_user_id
  ) end);
end
$$;

comment on function api.list_my_theme_gifts(integer, text, text[]) is
  'The gifts to the caller, the latest first: {items, next_cursor}, and total when p_include has it. Reads only. Errors: unauthorized, forbidden, validation_error.';

grant execute on function
  api.list_my_themes(integer, text, text[]), commands.apply_my_theme(uuid), api.list_my_theme_gifts(integer, text, text[])
to authenticated;
