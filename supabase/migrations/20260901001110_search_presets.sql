-- Search presets: searches that a user stores by name.
--
-- A preset has a SearchQueryV1; a client runs the default preset when it starts. A query is checked like a search (0910),
-- except that radius_m and the order distance do not need a center yet.
-- A short list with a default, by the triggers of 1100. A deleted preset stays as an empty row for 30 days, and all but the
-- latest twenty of a user are deleted at once.
--
-- Invariants: at most twenty presets per user, exactly one of them the default if there are any. Readers see a change of the
-- default as one step. Users read only their own. A stored query is valid.
-- Interface: api.list_my_search_presets, create_my_search_preset, update_my_search_preset, delete_my_search_preset,
-- set_default_search_preset. They call private.preset_page, create_preset, update_preset, delete_preset and
-- set_default_preset, which act for a given user with the rights of their caller. Row security limits a user to their own
-- presets; the functions of administrators (2020) call them as the service, for any app user.

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables
-- ---------------------------------------------------------------------------------------------------------------------

create table public.search_presets (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.app_users (id) on delete cascade,
  name text not null
    constraint search_presets_name_length check (char_length(name) between (deleted_at is null)::integer and 100),
  query_json jsonb not null constraint search_presets_query_json_object check (jsonb_typeof(query_json) = 'object'),
  is_default boolean not null default false,
  sort_order integer not null default 0
    constraint search_presets_sort_order_bounds check (sort_order between 0 and 1000000),
  slot smallint not null constraint search_presets_at_most_twenty check (slot between 1 and 20),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  constraint search_presets_deleted_is_bare
    check (deleted_at is null or (not is_default and name = '' and query_json = '{}'))
);

comment on table public.search_presets is 'Searches that users store by name.';
comment on column public.search_presets.query_json is 'A SearchQueryV1.';
comment on column public.search_presets.is_default is 'The preset that a client runs when it starts.';
comment on column public.search_presets.sort_order is 'Its position in the list of the user; ties by age.';
comment on column public.search_presets.slot is 'Its position among the twenty that a user can have. A trigger sets it; it is free again when the preset is deleted.';
comment on column public.search_presets.deleted_at is 'When the preset was deleted; name and query are then empty. Null: it is not deleted.';

create unique index search_presets_slot_idx on public.search_presets (user_id, slot) where deleted_at is null;
create unique index search_presets_one_default_idx on public.search_presets (user_id) where is_default;
-- The presets of a user in order; and those of a user who leaves.
create index search_presets_user_id_idx on public.search_presets (user_id, sort_order, created_at, id);
-- The rows of the purge.
create index search_presets_deleted_idx on public.search_presets (deleted_at) where deleted_at is not null;

-- ---------------------------------------------------------------------------------------------------------------------
-- Row security
-- ---------------------------------------------------------------------------------------------------------------------

alter table public.search_presets enable row level security;

-- Deleted rows too: a row that the policy hides could not be marked as deleted.
create policy "Users read their own presets" on public.search_presets for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "Users create presets as themselves" on public.search_presets for insert to authenticated
  with check ((select auth.uid()) = user_id);
create policy "Users change their own presets" on public.search_presets for update to authenticated
  using ((select auth.uid()) = user_id) with check ((select auth.uid()) = user_id);
-- No delete: a preset is marked as deleted.

grant select (id, user_id, name, query_json, is_default, sort_order, slot, created_at, updated_at, deleted_at),
  insert (user_id, name, query_json, is_default, sort_order),
  update (name, query_json, is_default, sort_order, deleted_at)
on public.search_presets to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: validation of presets
-- ---------------------------------------------------------------------------------------------------------------------

create function private.tg_search_presets__empty() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.is_default := false;
  new.name := '';
  new.query_json := '{}';
  return new;
end
$$;

comment on function private.tg_search_presets__empty() is
  'Removes name and query of a deleted preset: they often show where a user lives or works.';

create trigger _100_touch_updated_at before update on public.search_presets
  for each row execute function private.tg_touch_updated_at();
create trigger _200_take_slot before insert on public.search_presets
  for each row execute function private.tg_take_slot('20');
create trigger _200_become_default before update of is_default on public.search_presets
  for each row when (new.is_default and not old.is_default) execute function private.tg_become_default();
create trigger _300_choose_next_default_update after update of deleted_at on public.search_presets
  for each row when (old.is_default and new.deleted_at is not null)
  execute function private.tg_choose_next_default('sort_order, created_at, id');
create trigger _300_choose_next_default_delete after delete on public.search_presets
  for each row when (old.is_default) execute function private.tg_choose_next_default('sort_order, created_at, id');
create trigger _250_empty before update of deleted_at on public.search_presets
  for each row when (new.deleted_at is not null) execute function private.tg_search_presets__empty();
create trigger _400_drop_oldest_deleted after update of deleted_at on public.search_presets
  for each row when (new.deleted_at is not null and old.deleted_at is null)
  execute function private.tg_drop_oldest_deleted('20', 'true');

insert into private.retentions (table_name, condition) values
  ('public.search_presets', 't.deleted_at < now() - interval ''30 days''');

create function private.check_preset(p_name text, p_query_json jsonb, p_sort_order integer) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_key text;
  v_fault text;
begin
  if coalesce(char_length(private.trimmed(p_name)), 0) not between 1 and 100 then
    perform private.raise_error('validation_error', 422, 'name must have 1 to 100 characters.', p_param => 'name');
  elsif jsonb_typeof(p_query_json) is distinct from 'object' then
    perform private.raise_error('validation_error', 422, 'query_json must be an object.', p_param => 'query_json');
  elsif p_sort_order not between 0 and 1000000 then
    perform private.raise_error('validation_error', 422, 'sort_order must be between 0 and 1000000.', p_param => 'sort_order');
  end if;
  for v_key, v_fault in
    select q.key, private.search_query_fault(q.key, q.value) from jsonb_each(p_query_json) as q
    union all
    select 'vehicle.' || m.key, private.measure_fault(m.key, m.value)
    from jsonb_each(case when jsonb_typeof(p_query_json -> 'vehicle') = 'object' then p_query_json -> 'vehicle' end) as m
    union all
    select 'vehicle', 'vehicle must be an object.' where jsonb_typeof(p_query_json -> 'vehicle') <> 'object'
  loop
    if v_fault is not null then
      perform private.raise_error('validation_error', 422, v_fault, p_param => 'query_json.' || v_key);
    end if;
  end loop;
  if (p_query_json ->> 'price_min')::numeric > (p_query_json ->> 'price_max')::numeric then
    perform private.raise_error('validation_error', 422, 'price_min must not be greater than price_max.', p_param => 'query_json.price_min');
  end if;
end
$$;

comment on function private.check_preset(text, jsonb, integer) is
  'Checks the fields of a preset; its query must be a SearchQueryV1. Errors: validation_error.';

create function private.preset_row(p_preset public.search_presets) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'id', (p_preset).id, 'user_id', (p_preset).user_id, 'name', (p_preset).name, 'query_json', (p_preset).query_json,
    'is_default', (p_preset).is_default, 'sort_order', (p_preset).sort_order, 'created_at', (p_preset).created_at,
    'updated_at', (p_preset).updated_at
  );
end
$$;

comment on function private.preset_row(public.search_presets) is 'A preset as the interface shows it.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: the presets of a user, for users and administrators
-- ---------------------------------------------------------------------------------------------------------------------

create function private.locked_preset(p_user_id uuid, p_id uuid) returns public.search_presets
language plpgsql
set search_path = ''
as $$
declare
  v_preset public.search_presets;
begin
  perform private.lock_account(p_user_id);
  select * into v_preset from public.search_presets s
  where s.id = p_id and s.user_id = p_user_id and s.deleted_at is null;
  if not found then
    perform private.raise_error('not_found', 404, 'There is no preset with this id.', p_param => 'id');
  end if;
  return v_preset;
end
$$;

comment on function private.locked_preset(uuid, uuid) is
  'A user''s preset; the user''s presets are locked until the transaction ends. Errors: forbidden, not_found.';

create function private.preset_page(p_user_id uuid, p_limit integer, p_cursor text, p_include text[]) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters jsonb := jsonb_build_object('list', 'search_presets', 'user_id', p_user_id);
  v_keys jsonb := private.page_start(v_filters, p_cursor, '{integer,timestamptz,uuid}', 'asc');
begin
  perform private.page_limit(p_limit);
  return private.page(v_filters, (
    select jsonb_agg(private.preset_row(p.preset) order by (p.preset).sort_order, (p.preset).created_at, (p.preset).id)
    from (
      select s as preset from public.search_presets s
      where s.user_id = p_user_id and s.deleted_at is null
        and (s.sort_order, s.created_at, s.id)
          > ((v_keys ->> 0)::integer, (v_keys ->> 1)::timestamptz, (v_keys ->> 2)::uuid)
      order by s.sort_order, s.created_at, s.id
      limit p_limit + 1
    ) p
  ), '{sort_order,created_at,id}', p_limit, case when 'total' = any (p_include) then (
    select count(*) from public.search_presets s where s.user_id = p_user_id and s.deleted_at is null
  ) end);
end
$$;

comment on function private.preset_page(uuid, integer, text, text[]) is
  'A user''s presets by sort_order, then age: {items, next_cursor}, and total when p_include has it. Errors: validation_error.';

create function private.create_preset(
  p_user_id uuid, p_name text, p_query_json jsonb, p_is_default boolean, p_sort_order integer
) returns public.search_presets
language plpgsql
set search_path = ''
as $$
declare
  v_count integer;
  v_last integer;
  v_preset public.search_presets;
begin
  perform private.check_preset(p_name, p_query_json, p_sort_order);
  perform private.lock_account(p_user_id);
  select count(*), max(s.sort_order) into v_count, v_last
  from public.search_presets s where s.user_id = p_user_id and s.deleted_at is null;
  if v_count >= 20 then
    perform private.raise_error('conflict', 409, 'There are already twenty presets. Delete one first.',
      p_details => '{"reason": "limit_reached", "limit": 20}');
  end if;
  insert into public.search_presets (user_id, name, query_json, is_default, sort_order)
  values (
    p_user_id, private.trimmed(p_name), p_query_json, coalesce(p_is_default, false),
    coalesce(p_sort_order, least(coalesce(v_last + 1, 0), 1000000))
  )
  returning * into v_preset;
  return v_preset;
end
$$;

comment on function private.create_preset(uuid, text, jsonb, boolean, integer) is
  'Creates a preset of a user, by default at the end of the list (p_sort_order); the first is the default. Errors: forbidden, validation_error, conflict.';

create function private.update_preset(p_user_id uuid, p_id uuid, p_name text, p_query_json jsonb, p_sort_order integer)
returns public.search_presets
language plpgsql
set search_path = ''
as $$
declare
  v_preset public.search_presets := private.locked_preset(p_user_id, p_id);
begin
  perform private.check_preset(
    coalesce(p_name, v_preset.name), coalesce(p_query_json, v_preset.query_json), p_sort_order
  );
  update public.search_presets s
  set name = coalesce(private.trimmed(p_name), s.name), query_json = coalesce(p_query_json, s.query_json),
    sort_order = coalesce(p_sort_order, s.sort_order)
  where s.id = p_id and s.user_id = p_user_id
  returning * into v_preset;
  return v_preset;
end
$$;

comment on function private.update_preset(uuid, uuid, text, jsonb, integer) is
  'Changes the fields of a user''s preset that are not null. Errors: forbidden, validation_error, not_found.';

create function private.delete_preset(p_user_id uuid, p_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.locked_preset(p_user_id, p_id);
  update public.search_presets set deleted_at = now() where id = p_id and user_id = p_user_id;
end
$$;

comment on function private.delete_preset(uuid, uuid) is
  'Deletes a user''s preset; its row stays, empty. If it was the default, the first of the others becomes it. Errors: forbidden, not_found.';

create function private.set_default_preset(p_user_id uuid, p_id uuid) returns public.search_presets
language plpgsql
set search_path = ''
as $$
declare
  v_preset public.search_presets := private.locked_preset(p_user_id, p_id);
begin
  if not v_preset.is_default then
    update public.search_presets set is_default = true where id = p_id and user_id = p_user_id returning * into v_preset;
  end if;
  return v_preset;
end
$$;

comment on function private.set_default_preset(uuid, uuid) is
  'Makes a user''s preset the default, instead of the other. Errors: forbidden, not_found.';

grant execute on function
  private.check_preset(text, jsonb, integer), private.preset_row(public.search_presets),
  private.locked_preset(uuid, uuid), private.preset_page(uuid, integer, text, text[]),
  private.create_preset(uuid, text, jsonb, boolean, integer),
  private.update_preset(uuid, uuid, text, jsonb, integer), private.delete_preset(uuid, uuid),
  private.set_default_preset(uuid, uuid)
to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface
-- ---------------------------------------------------------------------------------------------------------------------

create function api.list_my_search_presets(
  p_limit integer default 20, p_cursor text default null, p_include text[] default '{}'
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return private.preset_page(private.active_user(), p_limit, p_cursor, p_include);
end
$$;

comment on function api.list_my_search_presets(integer, text, text[]) is
  'The caller''s presets by sort_order, then age: {items, next_cursor}, and total when p_include has it. Reads only. Errors: unauthorized, forbidden, validation_error.';

create function commands.create_my_search_preset(
  p_name text, p_query_json jsonb, p_is_default boolean default false, p_sort_order integer default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  return private.preset_row(
    private.create_preset(private.active_user(), p_name, p_query_json, p_is_default, p_sort_order)
  );
end
$$;

comment on function commands.create_my_search_preset(text, jsonb, boolean, integer) is
  'Creates a preset of the caller and returns it; without p_sort_order at the end of the list. The first is always the default. At most twenty. Errors: unauthorized, forbidden, validation_error, conflict.';

create function commands.update_my_search_preset(
  p_id uuid, p_name text default null, p_query_json jsonb default null, p_sort_order integer default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  return private.preset_row(private.update_preset(private.active_user(), p_id, p_name, p_query_json, p_sort_order));
end
$$;

comment on function commands.update_my_search_preset(uuid, text, jsonb, integer) is
  'Changes the fields of the caller''s preset that are not null and returns it; a query is replaced as a whole. Idempotent. Errors: unauthorized, forbidden, validation_error, not_found.';

create function commands.delete_my_search_preset(p_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.delete_preset(private.active_user(), p_id);
end
$$;

comment on function commands.delete_my_search_preset(uuid) is
  'Deletes the caller''s preset, with its name and query. If it was the default, the first of the others becomes it. Errors: unauthorized, forbidden, not_found.';

create function commands.set_default_search_preset(p_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  return private.preset_row(private.set_default_preset(private.active_user(), p_id));
end
$$;

comment on function commands.set_default_search_preset(uuid) is
  'Makes the caller''s preset the default, instead of the other, and returns it. Idempotent. Errors: unauthorized, forbidden, not_found.';

grant execute on function
  api.list_my_search_presets(integer, text, text[]), commands.create_my_search_preset(text, jsonb, boolean, integer),
  commands.update_my_search_preset(uuid, text, jsonb, integer), commands.delete_my_search_preset(uuid),
  commands.set_default_search_preset(uuid)
to authenticated;
