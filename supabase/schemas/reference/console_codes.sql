-- The code master in the console. A code appears once, with its label in every language; its rows are written together.
--
-- Labels, sort_order and metadata of every code may be changed. Most lists are fixed, because constraints and functions of
-- this database contain their codes. Codes are added to, and withdrawn from, only the lists with code_categories.is_open,
-- whose codes appear only in rows of clients and importers.
--
-- Invariants: a code is never deleted or renamed, because rows may contain it. The rows of both languages differ only in
-- the label.
-- Interface: api.admin_list_codes, admin_get_code, admin_create_code, admin_update_code.

-- A code as the console returns it: both languages in one object; null when there is none.
create function private.admin_code_row(p_category_id text, p_code text) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select jsonb_build_object(
      'category_id', k.id, 'code', p_code, 'labels', jsonb_object_agg(c.lang, c.display_label),
      'metadata', '{"color": null, "logo_url": null, "url": null}'::jsonb || (array_agg(c.metadata order by c.lang))[1],
      'sort_order', min(c.sort_order), 'is_active', bool_and(c.is_active), 'is_open', k.is_open,
      'created_at', min(c.created_at), 'updated_at', max(c.updated_at)
    )
    from public.codes c
    join public.code_categories k on k.id = c.category_id
    where c.category_id = p_category_id and c.code = p_code
    group by k.id
  );
end
$$;

-- Raises validation_error unless the value is {ja, en}, each a label.
create function private.check_labels(p_labels jsonb) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_lang text;
begin
  if jsonb_typeof(p_labels) is distinct from 'object' or not p_labels ?& '{ja,en}' or p_labels - '{ja,en}'::text[] <> '{}' then
    perform private.raise_error('validation_error', 422, 'Must be an object with the labels in ja and en.', p_param => 'labels');
  end if;
  foreach v_lang in array '{ja,en}'::text[] loop
    if jsonb_typeof(p_labels -> v_lang) <> 'string' or char_length(p_labels ->> v_lang) not between 1 and 100 then
      perform private.raise_error('validation_error', 422, 'Must be a text of 1 to 100 characters.', p_param => 'labels.' || v_lang);
    end if;
  end loop;
end
$$;

-- Raises validation_error for metadata other than null or an object of color, logo_url and url.
create function private.check_code_metadata(p_metadata jsonb) returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_wrong text;
begin
  if coalesce(p_metadata, 'null') = 'null' then
    return;
  elsif jsonb_typeof(p_metadata) <> 'object' then
    perform private.raise_error('validation_error', 422, 'Must be null or an object.', p_param => 'metadata');
  end if;
  select e.key into v_wrong from jsonb_each(p_metadata) as e
  where case
    when e.key not in ('color', 'logo_url', 'url') then true
    when e.value = 'null' then false
    when jsonb_typeof(e.value) <> 'string' then true
    when e.key = 'color' then e.value #>> '{}' !~ '^#[0-9a-f]{6}$'
    else e.value #>> '{}' !~ '^https?://[!-~]+$' or length(e.value #>> '{}') > 2000
  end
  order by e.key limit 1;
  if found then
    perform private.raise_error('validation_error', 422, 'Must have only color (#rrggbb), logo_url and url (web addresses). Each may be null.',
      p_param => 'metadata.' || v_wrong);
  end if;
end
$$;

-- private.check_fields for a code, whose labels are two rows. Errors: validation_error.
create function private.check_code_fields(p_values jsonb, p_fields text[], p_required text[] default '{}') returns void
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_fields('public.codes', case when jsonb_typeof(p_values) = 'object' then p_values - 'labels' else p_values end,
    p_fields, p_required);
  if p_values ? 'labels' then
    perform private.check_labels(p_values -> 'labels');
  end if;
  perform private.check_code_metadata(p_values -> 'metadata');
end
$$;

-- Raises conflict (details.reason fixed_list) for a list whose codes are fixed.
create function private.require_open_list(p_category_id text, p_param text) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if not exists (select from public.code_categories k where k.id = p_category_id and k.is_open) then
    perform private.raise_error('conflict', 409, 'The codes of this list are fixed and cannot be changed.', p_param => p_param,
      p_details => '{"reason": "fixed_list"}');
  end if;
end
$$;

-- Writes the rows of a code, whose versions are as private.admin_code_row returns them, and records the act; p_before is
-- null for a new one. An equal version changes nothing.
create function private.write_code(p_admin_id uuid, p_before jsonb, p_after jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_changes constant jsonb := private.difference(p_before, p_after);
begin
  if v_changes <> '{}' then
    insert into public.codes (category_id, code, lang, display_label, sort_order, metadata, is_active)
    select p_after ->> 'category_id', p_after ->> 'code', l.key, l.value, (p_after -> 'sort_order')::integer,
      nullif(p_after -> 'metadata', 'null'), (p_after -> 'is_active')::boolean
    from jsonb_each_text(p_after -> 'labels') as l
    on conflict (category_id, code, lang) do update set
      display_label = excluded.display_label, sort_order = excluded.sort_order, metadata = excluded.metadata,
      is_active = excluded.is_active;
    perform private.record_act(p_admin_id,
      private.content_action('code', p_before, p_after),
      'code', concat_ws('/', p_after ->> 'category_id', p_after ->> 'code'), null, v_changes);
  end if;
  return private.admin_code_row(p_after ->> 'category_id', p_after ->> 'code');
end
$$;

create function api.admin_list_codes(
  p_admin_id uuid, p_category_id text default null, p_is_active boolean default null, p_q text default null,
  p_include text[] default '{}', p_cursor text default null, p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'content');
  return private.list_rows('public.codes', '{category_id text,sort_order integer,code text}', 'asc', jsonb_build_object(
    -- One row of each code: that of its first language.
    'r.lang = (select min(o.lang) from public.codes o where (o.category_id, o.code) = (r.category_id, r.code))', true,
    'r.category_id = %s', p_category_id,
    'r.is_active = %s::boolean', p_is_active,
    'strpos(lower(r.code), lower(%1$s)) > 0 or exists (
      select from public.codes o
      where (o.category_id, o.code) = (r.category_id, r.code) and strpos(lower(o.display_label), lower(%1$s)) > 0
    )', p_q
  ), p_include, p_cursor, p_limit, 'private.admin_code_row((r).category_id, (r).code)');
end
$$;

comment on function api.admin_list_codes(uuid, text, boolean, text, text[], text, integer) is
  'Codes, active or not, with the labels of both languages, by category, sort_order and code: {items, next_cursor}, and total when p_include has it. p_q searches codes and labels. For administrators of content. Errors: forbidden, validation_error.';

create function api.admin_get_code(p_admin_id uuid, p_category_id text, p_code text) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'content');
  return private.require_row(private.admin_code_row(p_category_id, p_code), 'There is no such code.', 'code');
end
$$;

comment on function api.admin_get_code(uuid, text, text) is
  'A code with the labels of both languages; is_open: whether its list takes further codes. For administrators of content. Errors: forbidden, not_found.';

create function api.admin_create_code(p_admin_id uuid, p_code jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_code constant text := p_code ->> 'code';
begin
  perform private.lock_admin(p_admin_id, 'content');
  perform private.check_code_fields(p_code, '{category_id,code,sort_order,metadata,is_active}', '{category_id,code}');
  if not p_code ? 'labels' then
    perform private.check_labels(null);
  elsif v_code !~ '^[A-Za-z0-9][A-Za-z0-9_.]{0,99}$' then
    perform private.raise_error('validation_error', 422, 'Must be 1 to 100 letters, digits, _ and . in ASCII.', p_param => 'code');
  end if;
  perform from public.code_categories k where k.id = p_code ->> 'category_id' for update;
  if not found then
    perform private.raise_error('validation_error', 422, 'There is no such list.', p_param => 'category_id');
  end if;
  perform private.require_open_list(p_code ->> 'category_id', 'category_id');
  if exists (select from public.codes c where c.category_id = p_code ->> 'category_id' and c.code = v_code) then
    perform private.reject_duplicate('code');
  end if;
  return private.write_code(p_admin_id, null, jsonb_build_object('metadata', null, 'is_active', true, 'sort_order', (
    select coalesce(max(c.sort_order), 0) + 10 from public.codes c where c.category_id = p_code ->> 'category_id'
  )) || p_code);
end
$$;

comment on function api.admin_create_code(uuid, jsonb) is
  'Adds a code with its labels {ja, en} to an open list, at its end unless p_code has sort_order. Returns it as admin_get_code does. For administrators of content. Errors: forbidden, validation_error, conflict.';

create function api.admin_update_code(
  p_admin_id uuid, p_category_id text, p_code text, p_changes jsonb, p_if_match text default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_before jsonb;
begin
  perform private.lock_admin(p_admin_id, 'content');
  perform private.check_code_fields(p_changes, '{sort_order,metadata,is_active}');
  perform from public.codes c where c.category_id = p_category_id and c.code = p_code order by c.lang for update;
  v_before := private.require_row(private.admin_code_row(p_category_id, p_code), 'There is no such code.', 'code');
  perform private.require_match(p_if_match, (v_before ->> 'updated_at')::timestamptz);
  if p_changes -> 'is_active' <> v_before -> 'is_active' then
    perform private.require_open_list(p_category_id, 'is_active');
  end if;
  return private.write_code(p_admin_id, v_before, v_before || p_changes || case
    when jsonb_typeof(p_changes -> 'metadata') = 'object'
      then jsonb_build_object('metadata', '{"color": null, "logo_url": null, "url": null}'::jsonb || (p_changes -> 'metadata'))
    else '{}' end);
end
$$;

comment on function api.admin_update_code(uuid, text, text, jsonb, text) is
  'Changes labels, sort_order, metadata and, in an open list, is_active of a code, in the version p_if_match; labels and metadata are replaced completely. Returns it as admin_get_code does. Idempotent. For administrators of content. Errors: forbidden, validation_error, not_found, conflict, precondition_failed.';
