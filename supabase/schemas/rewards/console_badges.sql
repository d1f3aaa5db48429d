-- Badges in the console, and the rebuild of their progress.
--
-- Area: rewards. Levels and EXP rules are in rewards/console_levels.sql, themes in rewards/console_themes.sql. A badge
-- that users have, or have progress with, cannot be deleted, only deactivated. Changes are recorded (console/acts.sql),
-- with the difference.
--
-- Interface: api.admin_list_badges, admin_read_badge, admin_create_badge, admin_update_badge, admin_delete_badge,
-- admin_backfill_badge, admin_backfill_badges, admin_read_badge_backfill, admin_read_badge_backfills.

-- The fields of a badge that administrators write. Conditions have their own check, whose errors have the place.
create function private.badge_field_rules() returns jsonb
language sql immutable
return '{
  "name": {"type": "text", "max": 100}, "name_en": {"type": "text", "max": 100, "null": true},
  "description": {"type": "text", "max": 500}, "description_en": {"type": "text", "max": 500, "null": true},
  "icon": {"type": "text", "max": 100}, "conditions": {"type": "any", "null": true},
  "category": {
    "type": "text", "max": 50, "pattern": "^[a-z][a-z_]*$", "must": "Must be lower-case letters and underscores, for example parking."
  },
  "threshold": {"type": "integer", "min": 1, "max": 1000000}, "is_active": {"type": "boolean"},
  "sort_order": {"type": "integer", "min": -1000000, "max": 1000000}
}'::jsonb;

grant execute on function private.badge_field_rules() to service_role;

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
declare
  v_filters jsonb := jsonb_build_array('admin_badges', p_is_active);
  v_after jsonb;
begin
  perform private.check_admin(p_admin_id, 'rewards');
  v_after := private.page_start(v_filters, p_cursor, '{integer,uuid}', 'asc');
  return private.page(v_filters, (
    select jsonb_agg(to_jsonb(b) order by b.sort_order, b.id)
    from (
      select * from public.badges o
      where (p_is_active is null or o.is_active = p_is_active)
        and (o.sort_order, o.id) > ((v_after ->> 0)::integer, (v_after ->> 1)::uuid)
      order by o.sort_order, o.id
      limit private.page_limit(p_limit) + 1
    ) b
  ), '{sort_order,id}', p_limit, case when 'total' = any (p_include) then (
    select count(*) from public.badges o where p_is_active is null or o.is_active = p_is_active
  ) end);
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
declare
  v_badge public.badges;
begin
  perform private.lock_admin(p_admin_id, 'rewards');
  perform private.require_fields('{"name": null, "description": null, "icon": null, "category": null, "conditions": null, "threshold": null}'
    || p_fields, private.badge_field_rules());
  v_badge := jsonb_populate_record(null::public.badges, '{"is_active": true, "sort_order": 0}' || p_fields);
  insert into public.badges (
    name, name_en, description, description_en, icon, category, conditions, threshold, is_active, sort_order
  )
  values (
    v_badge.name, v_badge.name_en, v_badge.description, v_badge.description_en, v_badge.icon, v_badge.category,
    v_badge.conditions, v_badge.threshold, v_badge.is_active, v_badge.sort_order
  )
  returning * into v_badge;
  perform private.record_act(p_admin_id, 'badge.create', 'badge', v_badge.id::text,
    p_changes => private.difference(null, to_jsonb(v_badge)));
  return to_jsonb(v_badge);
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
  v_badge public.badges;
begin
  perform private.lock_admin(p_admin_id, 'rewards');
  select * into v_before from public.badges where id = p_id for no key update;
  if not found then
    perform private.raise_error('not_found', 404, 'There is no such badge.', p_param => 'id');
  end if;
  perform private.require_match(p_if_match, v_before.updated_at);
  perform private.require_fields(p_changes, private.badge_field_rules());
  v_badge := jsonb_populate_record(v_before, p_changes);
  if v_badge is distinct from v_before then
    update public.badges
    set name = v_badge.name, name_en = v_badge.name_en, description = v_badge.description,
      description_en = v_badge.description_en, icon = v_badge.icon, category = v_badge.category,
      conditions = v_badge.conditions, threshold = v_badge.threshold, is_active = v_badge.is_active,
      sort_order = v_badge.sort_order
    where id = p_id returning * into v_badge;
    perform private.record_act(p_admin_id, 'badge.update', 'badge', p_id::text,
      p_changes => private.difference(to_jsonb(v_before), to_jsonb(v_badge)));
  end if;
  return to_jsonb(v_badge);
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
  select * into v_badge from public.badges where id = p_id for update;
  if not found then
    perform private.raise_error('not_found', 404, 'There is no such badge.', p_param => 'id');
  elsif exists (select from public.user_badges u where u.badge_id = p_id)
    or exists (select from public.user_badge_progress p where p.badge_id = p_id)
    or exists (select from public.themes t where t.unlock_badge_id = p_id) then
    perform private.raise_error('conflict', 409, 'Users have this badge or progress with it, or a theme requires it. Deactivate it instead.',
      p_param => 'id', p_details => '{"reason": "in_use"}');
  end if;
  delete from public.badges where id = p_id;
  perform private.record_act(p_admin_id, 'badge.delete', 'badge', p_id::text,
    p_changes => private.difference(to_jsonb(v_badge), null));
end
$$;

comment on function api.admin_delete_badge(uuid, uuid) is
  'Deletes a badge that no user has or has progress with, and that no theme requires. Area: rewards. Errors: forbidden, not_found, conflict.';

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
declare
  v_progress jsonb;
begin
  perform private.check_admin(p_admin_id, 'rewards');
  v_progress := private.badge_backfill_progress(p_id);
  if v_progress is null then
    perform private.raise_error('not_found', 404, 'There is no such badge.', p_param => 'id');
  end if;
  return v_progress;
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

grant execute on function
  api.admin_list_badges(uuid, boolean, text[], text, integer), api.admin_read_badge(uuid, uuid),
  api.admin_create_badge(uuid, jsonb), api.admin_update_badge(uuid, uuid, jsonb, text), api.admin_delete_badge(uuid, uuid),
  api.admin_backfill_badge(uuid, uuid), api.admin_backfill_badges(uuid), api.admin_read_badge_backfill(uuid, uuid),
  api.admin_read_badge_backfills(uuid)
to service_role;
