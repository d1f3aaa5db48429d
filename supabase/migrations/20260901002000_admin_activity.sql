-- Activity log of administrators: every act of an administrator through the interface is recorded.
--
-- The functions of the console are api.admin_*. Only the service may execute them: the function `admin` verifies the
-- administrator's token and passes their id as p_admin_id, and so does a back office with the service key. Each function
-- starts with private.check_admin (reads) or private.lock_admin (writes). After a change it ends with private.record_act,
-- in the same transaction. An error rolls back the act and its record together.
--
-- Invariants: only the owner of the table changes or deletes a record, and only at the withdrawal of a user: the user's
-- values are removed from the record, the act stays. No foreign keys: a record stays when its target is deleted. Each
-- action is a code of the category admin_action.
-- Interface: private.record_act, private.difference, private.require_match, private.check_decision,
-- private.add_admin_actions for the other domains; api.run_admin_command and api.check_administrator for the function
-- `admin`; api.admin_list_activity_logs.

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables
-- ---------------------------------------------------------------------------------------------------------------------

create table public.admin_activity_logs (
  id uuid primary key default gen_random_uuid(),
  admin_id uuid not null,
  action text collate "C" not null,
  target_type text collate "C" not null constraint admin_activity_logs_target_type_form check (target_type ~ '^[a-z][a-z_]{0,39}$'),
  target_id text collate "C" constraint admin_activity_logs_target_id_length check (char_length(target_id) between 1 and 200),
  user_id uuid,
  changes jsonb not null default '{}' constraint admin_activity_logs_changes_object check (jsonb_typeof(changes) = 'object'),
  request_id text,
  created_at timestamptz not null default now()
);

comment on table public.admin_activity_logs is 'Acts of administrators: one row for each.';
comment on column public.admin_activity_logs.action is 'A code of the category admin_action.';
comment on column public.admin_activity_logs.target_id is
  'The id of the target; composed of several parts where the target has no id of its own. Null: the whole list.';
comment on column public.admin_activity_logs.user_id is 'The app user whom the act concerns; null: none.';
comment on column public.admin_activity_logs.changes is
  'The changed fields: {"<field>": {"old", "new"}}, and further arguments of the act, for example "reason". After the user has withdrawn: the fields, with null values.';
comment on column public.admin_activity_logs.request_id is 'The X-Request-Id of the request; null for an act outside of a request.';

create function private.area_of_act(p_action text) returns text
language sql immutable parallel safe
return case
  when p_action like 'user.%search_preset%' then 'search_presets'
  when split_part(p_action, '.', 1) in ('user', 'subscription') then 'users'
  when split_part(p_action, '.', 1) in ('parking_lot', 'error_report', 'field_value') then 'lots'
  when split_part(p_action, '.', 1) in ('article', 'ad', 'sponsor', 'subscription_plan', 'code', 'tag', 'holiday') then 'content'
  when split_part(p_action, '.', 1) in ('badge', 'level', 'exp_rule', 'theme') then 'rewards'
  when p_action like 'review.%' then 'reviews'
  when p_action like 'support_ticket.%' then 'support'
  when p_action like 'user_notification.%' then 'notifications'
  when p_action like 'store_sync.%' then 'store_sync'
  else 'admins'
end;

comment on function private.area_of_act(text) is
  'The area of an action: that of the functions which record it. Only administrators with the area read the act. Any other action: admins.';

grant execute on function private.area_of_act(text) to authenticated, service_role; -- a policy calls it

-- One index for each filter, each in the order of the list.
create index admin_activity_logs_area_idx on public.admin_activity_logs (private.area_of_act(action), created_at desc, id desc);
create index admin_activity_logs_created_idx on public.admin_activity_logs (created_at desc, id desc);
create index admin_activity_logs_admin_idx on public.admin_activity_logs (admin_id, created_at desc, id desc);
create index admin_activity_logs_user_idx on public.admin_activity_logs (user_id, created_at desc, id desc) where user_id is not null;
create index admin_activity_logs_action_idx on public.admin_activity_logs (action, created_at desc, id desc);
create index admin_activity_logs_target_idx on public.admin_activity_logs (target_id, created_at desc, id desc) where target_id is not null;

-- ---------------------------------------------------------------------------------------------------------------------
-- Row security
-- ---------------------------------------------------------------------------------------------------------------------

alter table public.admin_activity_logs enable row level security;

create policy "Administrators read the records of their areas" on public.admin_activity_logs for select to authenticated
  using (exists (
    select from public.admins a
    where a.id = (select auth.uid()) and a.status = 'active' and private.area_of_act(action) = any (a.areas)
  ));

-- No insert, update or delete, not even for the service: private.record_act writes, and records stay.
revoke insert, update, delete, truncate, references, trigger on public.admin_activity_logs from service_role;

grant select (id, admin_id, action, target_type, target_id, user_id, changes, request_id, created_at)
  on public.admin_activity_logs to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals
-- ---------------------------------------------------------------------------------------------------------------------

create function private.add_admin_actions(p_actions jsonb) returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into public.codes (category_id, code, lang, display_label, sort_order)
  select 'admin_action', a.action ->> 0, l.lang, a.action ->> l.place, h.highest + 10 * a.nth
  from jsonb_array_elements(p_actions) with ordinality as a (action, nth)
  cross join (values ('ja', 1), ('en', 2)) as l (lang, place)
  cross join (select coalesce(max(sort_order), 0) as highest from public.codes where category_id = 'admin_action') h;
end
$$;

comment on function private.add_admin_actions(jsonb) is
  'For migrations: adds codes of the category admin_action, each ["<code>", "<Japanese label>", "<English label>"].';

create function private.lock_area_admins() returns void
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtext('private.lock_area_admins'));
end
$$;

comment on function private.lock_area_admins() is
  'Locked before the row of any administrator by a transaction that may remove the area admins: such transactions run one after another.';

create function private.lock_admin(p_admin_id uuid, p_area text) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- Two administrators who change each other would wait for each other's row.
  if p_area = 'admins' then
    perform private.lock_area_admins();
  end if;
  perform from public.admins where id = p_admin_id for share;
  perform private.check_admin(p_admin_id, p_area);
end
$$;

comment on function private.lock_admin(uuid, text) is
  'private.check_admin for functions that write: locks the administrator''s row until the transaction ends, so that they are not suspended and lose no area meanwhile. Writers of the area admins run one after another.';

create function private.difference(p_before jsonb, p_after jsonb) returns jsonb
language plpgsql immutable
set search_path = ''
as $$
begin
  return coalesce((
    select jsonb_object_agg(k.field, jsonb_build_object('old', p_before -> k.field, 'new', p_after -> k.field))
    from (
      select jsonb_object_keys(coalesce(p_before, '{}') || coalesce(p_after, '{}')) as field
    ) k
    where k.field not in ('updated_at', 'created_at')
      and coalesce(p_before -> k.field, 'null') <> coalesce(p_after -> k.field, 'null')
  ), '{}');
end
$$;

comment on function private.difference(jsonb, jsonb) is
  'The differences between two versions of a row: {"<field>": {"old", "new"}}, without created_at and updated_at. Null is a row that did not exist, or does not exist any more.';

create function private.record_act(
  p_admin_id uuid, p_action text, p_target_type text, p_target_id text,
  p_user_id uuid default null, p_changes jsonb default '{}'
) returns void
language plpgsql
security definer -- no other function writes to the table
set search_path = ''
as $$
begin
  if not exists (select from public.codes where category_id = 'admin_action' and code = p_action) then
    raise exception 'There is no code % in the category admin_action', p_action;
  end if;
  insert into public.admin_activity_logs (admin_id, action, target_type, target_id, user_id, changes, request_id)
  values (
    p_admin_id, p_action, p_target_type, p_target_id, p_user_id, coalesce(p_changes, '{}'),
    nullif(current_setting('request.headers', true), '')::jsonb ->> 'x-request-id'
  );
end
$$;

comment on function private.record_act(uuid, text, text, text, uuid, jsonb) is
  'Records an act of an administrator, in the transaction of the act. p_user_id is the app user whom it concerns: personal data in p_changes must be theirs.';

create function private.tg_app_users__clear_act_values() returns trigger
language plpgsql
security definer -- no other function changes records
set search_path = ''
as $$
begin
  update public.admin_activity_logs l
  set changes = (select coalesce(jsonb_object_agg(k.field, null), '{}') from jsonb_object_keys(l.changes) as k (field))
  where l.user_id = new.id and l.changes <> '{}';
  return null;
end
$$;

comment on function private.tg_app_users__clear_act_values() is
  'Removes the personal data of a user who withdraws from the records of acts: the names of changed fields stay, their values are removed.';

create trigger _300_clear_act_values after update of status on public.app_users
  for each row when (new.status = 'withdrawn' and old.status <> 'withdrawn')
  execute function private.tg_app_users__clear_act_values();

create function private.check_decision(
  p_admin_id uuid, p_author_id uuid, p_updated_at timestamptz, p_seen_updated_at timestamptz
) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if p_author_id = p_admin_id then
    perform private.raise_error('forbidden', 403, 'Administrators cannot decide on their own entries. Another administrator must decide.',
      p_details => '{"reason": "own_entry"}');
  elsif p_seen_updated_at is null then
    perform private.raise_error('validation_error', 422, 'seen_updated_at must be the updated_at of the entry that was read.',
      p_param => 'seen_updated_at');
  elsif p_seen_updated_at <> p_updated_at then
    perform private.raise_error('conflict', 409, 'This entry was changed after it was read. Read it again, then retry.', p_param => 'seen_updated_at',
      p_details => jsonb_build_object('reason', 'changed_meanwhile', 'updated_at', p_updated_at));
  end if;
end
$$;

comment on function private.check_decision(uuid, uuid, timestamptz, timestamptz) is
  'Checks a decision of an administrator on a user''s entry, whose row is locked. Raises forbidden for their own entry, validation_error without p_seen_updated_at, and conflict (changed_meanwhile) when the entry was changed since.';

create function private.require_match(p_if_match text, p_updated_at timestamptz) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if p_if_match <> '*' and to_jsonb(p_updated_at) #>> '{}' <> all (
    select btrim(btrim(tag), 'W/"') from string_to_table(p_if_match, ',') as tag
  ) then
    perform private.raise_error('precondition_failed', 412, 'This resource was changed after it was read. Read it again, then retry with its new ETag.',
      p_param => 'If-Match', p_details => jsonb_build_object('updated_at', p_updated_at));
  end if;
end
$$;

comment on function private.require_match(text, timestamptz) is
  'Raises precondition_failed when the If-Match header of a change does not have the stored version: an entity tag is the quoted updated_at. Null, or *: any version. The caller has locked the row.';

grant execute on function
  private.lock_area_admins(), private.lock_admin(uuid, text), private.difference(jsonb, jsonb), private.record_act(uuid, text, text, text, uuid, jsonb), private.require_match(text, timestamptz)
to service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface
-- ---------------------------------------------------------------------------------------------------------------------

insert into private.rate_limit_policies (name, quota, window_seconds, daily_quota, comment) values
  ('admin_write', 600, 60, 20000, 'What administrators write');

create function api.run_admin_command(
  p_admin_id uuid,
  p_command text,
  p_arguments jsonb default '{}',
  p_key text default null,
  p_fingerprint text default null,
  p_nth integer default 1
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_taken jsonb;
  v_reply jsonb;
begin
  -- From here on the administrator is the caller: their keys, their quota.
  perform set_config('request.jwt.claims', jsonb_build_object('role', 'service_role', 'sub', p_admin_id)::text, true);
  v_taken := private.count_request('admin_write', private.caller()::text);
  if (v_taken -> 'allowed')::boolean then
    v_reply := private.call_returning_errors(p_command, p_arguments || jsonb_build_object('p_admin_id', p_admin_id), p_key, p_fingerprint, p_nth);
  end if;
  return private.counted_reply(v_taken, v_reply);
end
$$;

comment on function api.run_admin_command(uuid, text, jsonb, text, text, integer) is
  'api.run_command for an administrator: counts the request under the policy admin_write and runs a function api.admin_* with p_admin_id, once for each key if there is one. For the service only. Errors: unauthorized, forbidden, validation_error, not_found, conflict, rate_limited. The errors of the function come on top.';

create function api.check_administrator(p_admin_id uuid, p_area text default null) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, p_area);
end
$$;

comment on function api.check_administrator(uuid, text) is
  'Raises forbidden unless p_admin_id is an active administrator with the area; without an area: any active administrator. The function `admin` calls it before it rejects a request for its form. Errors: forbidden.';

create function api.admin_list_activity_logs(
  p_admin_id uuid,
  p_by_admin_id uuid default null,
  p_user_id uuid default null,
  p_action text default null,
  p_target_id text default null,
  p_from timestamptz default null,
  p_to timestamptz default null,
  p_include text[] default '{}',
  p_cursor text default null,
  p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters jsonb := jsonb_build_array('admin_activity_logs', p_by_admin_id, p_user_id, p_action, p_target_id, p_from, p_to);
  v_after jsonb;
  -- The statement contains only the conditions that are given: so each filter uses its index with any plan.
  v_matching constant text := concat(
    'from public.admin_activity_logs l where true',
    case when p_by_admin_id is not null then ' and l.admin_id = $1' end,
    case when p_user_id is not null then ' and l.user_id = $2' end,
    case when p_action is not null then ' and l.action = $3' end,
    case when p_target_id is not null then ' and l.target_id = $4' end,
    case when p_from is not null then ' and l.created_at >= $5' end,
    case when p_to is not null then ' and l.created_at < $6' end,
    case when not private.areas_of(p_admin_id) @> private.admin_areas() then ' and private.area_of_act(l.action) = any ($10)' end
  );
  v_items jsonb;
  v_total jsonb := '{}';
begin
  perform private.check_admin(p_admin_id, null);
  v_after := private.page_start(v_filters, p_cursor, '{timestamptz,uuid}', 'desc');
  if p_limit is null or p_limit not between 1 and 1000 then
    perform private.raise_error('validation_error', 422, 'limit must be between 1 and 1000.', p_param => 'limit');
  end if;
  execute concat(
    'select jsonb_agg(to_jsonb(l) order by l.created_at desc, l.id desc) from (select l.* ', v_matching,
    ' and (l.created_at, l.id) < ($7, $8) order by l.created_at desc, l.id desc limit $9) l'
  ) into v_items using p_by_admin_id, p_user_id, p_action, p_target_id, p_from, p_to,
    (v_after ->> 0)::timestamptz, (v_after ->> 1)::uuid, p_limit + 1, private.areas_of(p_admin_id);
  if 'total' = any (p_include) then
    execute concat('select private.capped_total(count(*)) from (select ', v_matching, ' limit $7) f') into v_total
      using p_by_admin_id, p_user_id, p_action, p_target_id, p_from, p_to, private.max_total() + 1, null, null,
        private.areas_of(p_admin_id);
  end if;
  return private.page(v_filters, v_items, '{created_at,id}', p_limit) || v_total;
end
$$;

comment on function api.admin_list_activity_logs(uuid, uuid, uuid, text, text, timestamptz, timestamptz, text[], text, integer) is
  'Acts of administrators, newest first: {items, next_cursor}, and total (counted up to 10,000) with total_is_exact when p_include has it; p_from is included, p_to is not. Up to 1,000 a page. Only acts of the administrator''s areas. Errors: forbidden, validation_error.';

grant execute on function
  api.run_admin_command(uuid, text, jsonb, text, text, integer), api.check_administrator(uuid, text),
  api.admin_list_activity_logs(uuid, uuid, uuid, text, text, timestamptz, timestamptz, text[], text, integer)
to service_role;
grant execute on function
  private.caller(), private.require_active(text), private.claim_key(text, text, text), private.store_reply(text, text, text, jsonb), private.call_by_name(text, jsonb),
  private.require_active_account(), private.run_once(text, text, text, jsonb, integer), private.status_of(text),
  private.field_fault(jsonb, regclass, text, text), private.call_returning_errors(text, jsonb, text, text, integer),
  private.counted_reply(jsonb, jsonb)
to service_role;
