-- Badges in the console, and the rebuild of their progress.
--
-- Area: rewards. Levels and EXP rules are in rewards/console_levels.sql, themes in rewards/console_themes.sql. A badge
-- that users have, or have progress with, cannot be deleted, only deactivated. Changes are recorded (console/acts.sql),
-- with the difference.
--
-- Interface: api.admin_list_badges, admin_read_badge, admin_create_badge, admin_update_badge, admin_delete_badge,
-- admin_preview_badge, admin_backfill_badge, admin_backfill_badges, admin_read_badge_backfill, admin_read_badge_backfills.

-- ---------------------------------------------------------------------------------------------------------------------
-- Badges
-- ---------------------------------------------------------------------------------------------------------------------

create function api.admin_list_badges(
  p_admin_id uuid, p_is_active boolean default null, p_include text[] default '{}', p_cursor text default null,
  p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'rewards');
  return private.list_rows('public.badges', '{sort_order integer,id uuid}', 'asc',
    jsonb_build_object('r.is_active = %s::boolean', p_is_active), p_include, p_cursor, p_limit);
end
$$;

comment on function api.admin_list_badges(uuid, boolean, text[], text, integer) is
  'All badges, in their order: {items, next_cursor}, and total when p_include has it. Area: rewards. Errors: forbidden, validation_error.';

create function api.admin_read_badge(p_admin_id uuid, p_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'rewards');
  return private.require_row(
    (select to_jsonb(b) from public.badges b where b.id = p_id), 'There is no such badge.'
  );
end
$$;

comment on function api.admin_read_badge(uuid, uuid) is 'A badge. Area: rewards. Errors: forbidden, not_found.';

create function api.admin_create_badge(p_admin_id uuid, p_fields jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_admin(p_admin_id, 'rewards');
  perform private.check_columns('public.badges', p_fields, p_is_new => true, p_rules => '{"*": {"blank": false}}');
  return to_jsonb(private.save_row(p_admin_id, 'badge', null::public.badges, p_fields));
end
$$;

comment on function api.admin_create_badge(uuid, jsonb) is
  'Creates a badge of p_fields and returns it. A job rebuilds an active one from history. Area: rewards. Errors: forbidden, validation_error.';

create function api.admin_update_badge(p_admin_id uuid, p_id uuid, p_changes jsonb, p_if_match text default null) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_before public.badges;
begin
  perform private.lock_admin(p_admin_id, 'rewards');
  v_before := private.locked_version(null::public.badges, jsonb_build_object('id', p_id), 'badge', p_if_match);
  perform private.check_columns('public.badges', p_changes, p_rules => '{"*": {"blank": false}}');
  return to_jsonb(private.save_row(p_admin_id, 'badge', v_before, p_changes, 'badge.update'));
end
$$;

comment on function api.admin_update_badge(uuid, uuid, jsonb, text) is
  'Changes the fields of a badge that p_changes has (null empties one), and returns it. With other conditions, another threshold, or when it becomes active, a job rebuilds it from history. Idempotent. Area: rewards. Errors: forbidden, validation_error, not_found, precondition_failed.';

create function api.admin_delete_badge(p_admin_id uuid, p_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_badge public.badges;
begin
  perform private.lock_admin(p_admin_id, 'rewards');
  v_badge := private.locked_row(null::public.badges, jsonb_build_object('id', p_id), 'badge');
  if exists (select from public.user_badges u where u.badge_id = p_id)
    or exists (select from public.user_badge_progress p where p.badge_id = p_id)
    or exists (select from public.themes t where t.unlock_badge_id = p_id) then
    perform private.raise_error('conflict', 409, 'Users have this badge or progress with it, or a theme requires it. Deactivate it instead.',
      p_param => 'id', p_details => '{"reason": "in_use"}');
  end if;
  perform private.delete_row(p_admin_id, 'badge', v_badge);
end
$$;

comment on function api.admin_delete_badge(uuid, uuid) is
  'Deletes a badge that no user has or has progress with, and that no theme requires. Area: rewards. Errors: forbidden, not_found, conflict.';

create function api.admin_preview_badge(p_admin_id uuid, p_conditions jsonb, p_threshold integer) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'rewards');
  perform private.require_badge_conditions(p_conditions);
  if p_threshold is null or p_threshold not between 1 and 1000000 then
    perform private.raise_error('validation_error', 422, 'threshold must be between 1 and 1,000,000.', p_param => 'threshold');
  end if;
  return private.badge_audience(p_conditions, p_threshold);
end
$$;

comment on function api.admin_preview_badge(uuid, jsonb, integer) is
  'The number of users who would have a badge with these conditions and this threshold by their history: {users, is_exact}. Not exact: scaled from a sample, of more than 1,000 users. Stores nothing. Area: rewards. Errors: forbidden, validation_error.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Rebuilds
-- ---------------------------------------------------------------------------------------------------------------------

create function api.admin_backfill_badge(p_admin_id uuid, p_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_before jsonb;
  v_progress jsonb;
begin
  perform private.lock_admin(p_admin_id, 'rewards');
  v_before := private.badge_backfill_progress(p_id);
  v_progress := api.backfill_badge_progress(p_id);
  perform private.record_act(p_admin_id, 'badge.backfill', 'badge', p_id::text,
    p_changes => private.difference(v_before, v_progress));
  return v_progress;
end
$$;

comment on function api.admin_backfill_badge(uuid, uuid) is
  'api.backfill_badge_progress on behalf of an administrator. Area: rewards. Errors: forbidden, not_found.';

create function api.admin_backfill_badges(p_admin_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_before jsonb;
  v_progress jsonb;
begin
  perform private.lock_admin(p_admin_id, 'rewards');
  v_before := private.badge_backfills_progress();
  v_progress := api.backfill_all_badge_progress();
  perform private.record_act(p_admin_id, 'badge.backfill', 'badge', null,
    p_changes => private.difference(v_before, v_progress));
  return v_progress;
end
$$;

comment on function api.admin_backfill_badges(uuid) is
  'api.backfill_all_badge_progress on behalf of an administrator. Area: rewards. Errors: forbidden.';

create function api.admin_read_badge_backfill(p_admin_id uuid, p_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'rewards');
  return private.require_row(private.badge_backfill_progress(p_id), 'There is no such badge.');
end
$$;

comment on function api.admin_read_badge_backfill(uuid, uuid) is
  'The progress of the latest rebuild of a badge: {badge_id, status, done_users, total_users, started_at, updated_at}. Area: rewards. Errors: forbidden, not_found.';

create function api.admin_read_badge_backfills(p_admin_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'rewards');
  return private.badge_backfills_progress();
end
$$;

comment on function api.admin_read_badge_backfills(uuid) is
  'The sum of the latest rebuilds of all badges: {status, done_users, total_users, started_at, updated_at, done_badges, total_badges}. Area: rewards. Errors: forbidden.';
