-- The kit of the console: the functions that its resources share. Helpers of one resource are in its own file.
--
-- Rows are locked, saved and deleted by console/rows.sql, and listed by console/lists.sql.
--
-- A write of the console locks the administrator (private.lock_admin), checks the fields (private.check_columns), locks the
-- row in its version (private.locked_version), saves it, and records the act with its difference (private.save_row).
--
-- Invariants: an absent field stays, null removes the value; every error names its field.

-- ---------------------------------------------------------------------------------------------------------------------
-- The act: its version, its reason, what it changed
-- ---------------------------------------------------------------------------------------------------------------------

-- Raises precondition_failed when the If-Match header of a change does not have the stored version: an entity tag is the
-- quoted updated_at. Null, or *: any version. The caller has locked the row.
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

-- Raises forbidden (own_account) for an act of an administrator on their own account.
create function private.require_another(p_admin_id uuid, p_user_id uuid) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if p_user_id = p_admin_id then
    perform private.raise_error('forbidden', 403, 'Administrators cannot change their own account. Another administrator must do it.',
      p_details => '{"reason": "own_account"}');
  end if;
end
$$;

-- The required reason of an act, without the spaces around it. Errors: validation_error.
create function private.required_reason(p_reason text) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_reason text := private.trimmed(p_reason);
begin
  if coalesce(char_length(v_reason), 0) not between 1 and 500 then
    perform private.raise_error('validation_error', 422, 'reason must have 1 to 500 characters.', p_param => 'reason');
  end if;
  return v_reason;
end
$$;

-- The reason of a decision without the spaces around it, null when it is empty. Errors: validation_error.
create function private.decision_reason(p_reason text) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_reason text := private.trimmed(p_reason);
begin
  if char_length(v_reason) > 500 then
    perform private.raise_error('validation_error', 422, 'reason must have at most 500 characters.', p_param => 'reason');
  end if;
  return v_reason;
end
$$;

-- Checks a decision of an administrator on a user's entry, whose row is locked. Raises forbidden for their own entry,
-- validation_error without p_seen_updated_at, and conflict (changed_meanwhile) when the entry was changed since.
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

-- The differences between two versions of a row: {"<field>": {"old", "new"}}, without columns that no administrator writes
-- (created_at, updated_at, was_shown). Null is a row that did not exist, or does not exist any more.
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
    where k.field not in ('updated_at', 'created_at', 'was_shown')
      and coalesce(p_before -> k.field, 'null') <> coalesce(p_after -> k.field, 'null')
  ), '{}');
end
$$;

-- The current status of a row with is_active, starts_at and ends_at: withdrawn, ended, scheduled or shown.
create function private.time_status(p_is_active boolean, p_starts_at timestamptz, p_ends_at timestamptz) returns text
language sql stable
return case
  when not p_is_active then 'withdrawn'
  when p_ends_at <= now() then 'ended'
  when p_starts_at > now() then 'scheduled'
  else 'shown'
end;

-- ---------------------------------------------------------------------------------------------------------------------
-- Values that are rejected
-- ---------------------------------------------------------------------------------------------------------------------

-- Raises conflict (details.reason already_exists) for a key that another row has.
create function private.reject_duplicate(p_param text) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.raise_error('conflict', 409, format('Another one has this %s already. Use another value.', p_param), p_param => p_param,
    p_details => '{"reason": "already_exists"}');
end
$$;

-- Raises validation_error for a filter that is not one of the choices. Null: no filter.
create function private.check_choice(p_param text, p_value text, p_choices text[]) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if p_value <> all (p_choices) then
    perform private.raise_error('validation_error', 422, format('Must be one of %s.', array_to_string(p_choices, ', ')), p_param => p_param);
  end if;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Lists, files, and several acts at once
-- ---------------------------------------------------------------------------------------------------------------------

-- The like pattern for texts that contain this one, its % and _ escaped.
create function private.like_pattern(p_text text) returns text
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return '%' || regexp_replace(p_text, '([\\%_])', '\\\1', 'g') || '%';
end
$$;

-- The files of these things in the order in which they were attached, [{storage_key, is_public}], also those that are not
-- public: for functions of the console. No row for a thing without files.
create function private.files_of(p_entity_type text, p_entity_ids uuid[]) returns table (entity_id uuid, files jsonb)
language plpgsql stable rows 20
set search_path = ''
as $$
begin
  return query
  select a.entity_id, jsonb_agg(jsonb_build_object('storage_key', a.storage_key, 'is_public', a.is_public)
    order by a.attached_at, a.id)
  from public.assets a
  where a.entity_id = any (p_entity_ids) and a.entity_type = p_entity_type
    and a.attached_at is not null and a.status = 'placed' and a.deleted_at is null
  group by a.entity_id;
end
$$;

-- Parses the message of an error that private.raise_error raised: {code, message, param, details}, with null where it has
-- none.
create function private.raised_error(p_message text) returns jsonb
language plpgsql immutable
set search_path = ''
as $$
declare
  v_error jsonb := p_message;
  v_more jsonb := v_error ->> 'details';
begin
  return jsonb_build_object('code', v_error -> 'code', 'message', v_error -> 'message', 'param', v_more -> 'param',
    'details', v_more -> 'details');
end
$$;
