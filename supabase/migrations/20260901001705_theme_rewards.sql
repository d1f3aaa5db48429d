-- Themes that are earned: who reaches a theme's level or earns its badge owns it, in the transaction that did so.
--
-- Invariants: only what is offered is earned; what was earned stays when a level falls.
-- Interface: none. It hangs on app_users.level, on user_badges and on the themes themselves.

-- pgls-ignore lint/safety/addingForeignKeyConstraint: the table has no rows yet
alter table public.themes
  add constraint themes_unlock_badge_id_fkey foreign key (unlock_badge_id) references public.badges (id) on delete set null;

create index themes_unlock_badge_id_idx on public.themes (unlock_badge_id) where unlock_badge_id is not null;

create function private.tg_app_users__earn_themes() returns trigger
language plpgsql
security definer -- whoever caused the points may not write what is owned
set search_path = ''
as $$
begin
  perform private.grant_theme(new.id, t.id, 'reward')
  from public.themes t
  where t.is_active and not t.is_free and t.unlock_level <= new.level
    and not exists (select from public.user_themes o where o.user_id = new.id and o.theme_id = t.id);
  return null;
end
$$;

comment on function private.tg_app_users__earn_themes() is
  'Gives a person whose level rose the themes that it earns, those of lower levels that they lack too.';

create trigger _600_earn_themes after update of level on public.app_users
  for each row when (new.level > old.level and new.status <> 'withdrawn')
  execute function private.tg_app_users__earn_themes();

create function private.tg_user_badges__earn_themes() returns trigger
language plpgsql
security definer -- whoever caused the badge may not write what is owned
set search_path = ''
as $$
begin
  perform private.grant_theme(new.user_id, t.id, 'reward')
  from public.themes t
  where t.is_active and not t.is_free and t.unlock_badge_id = new.badge_id;
  return null;
end
$$;

comment on function private.tg_user_badges__earn_themes() is 'Gives a person who earned a badge the themes that it earns.';

create trigger _600_earn_themes after insert on public.user_badges
  for each row execute function private.tg_user_badges__earn_themes();

create function private.tg_themes__give_to_earners() returns trigger
language plpgsql
security definer -- whoever edits themes may not write what is owned
set search_path = ''
as $$
begin
  perform private.grant_theme(u.id, new.id, 'reward')
  from public.app_users u
  where u.status <> 'withdrawn'
    and (u.level >= new.unlock_level or exists (
      select from public.user_badges b where b.user_id = u.id and b.badge_id = new.unlock_badge_id
    ))
    and not exists (select from public.user_themes o where o.user_id = u.id and o.theme_id = new.id);
  return null;
end
$$;

comment on function private.tg_themes__give_to_earners() is
  'A theme that is offered from now on, or for less, is given to those who have earned it already.';

create trigger _600_give_on_insert after insert on public.themes
  for each row when (new.is_active and not new.is_free and num_nonnulls(new.unlock_level, new.unlock_badge_id) > 0)
  execute function private.tg_themes__give_to_earners();
create trigger _600_give_on_update after update of unlock_level, unlock_badge_id, is_active, is_free on public.themes
  for each row when (new.is_active and not new.is_free and num_nonnulls(new.unlock_level, new.unlock_badge_id) > 0)
  execute function private.tg_themes__give_to_earners();
