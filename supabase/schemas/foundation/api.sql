-- The interface of the foundation: errors, values, pages, states, queues and retention, which every domain uses.
--
-- Clients and the service call these functions. The rules are in errors.sql, pages.sql, queues.sql, retention.sql,
-- states.sql and values.sql.

-- ---------------------------------------------------------------------------------------------------------------------
-- Requests and errors
-- ---------------------------------------------------------------------------------------------------------------------

-- The version of the newest applied migration, as the migration tool recorded it.
create function private.latest_migration() returns text
language plpgsql stable
security definer -- clients cannot read the history of the migration tool; this returns the newest version only
set search_path = ''
as $$
begin
  return (select max(version) from supabase_migrations.schema_migrations);
end
$$;

grant execute on function private.latest_migration() to anon, authenticated;

-- The applied migrations: the fingerprint of each by its name, for example {"20260901000100_types": "b64a…"}. It is the md5
-- of the statements that the migration tool stored, without spaces, line ends and semicolons: the tool drops some of them
-- when it splits a file. tools/release/fingerprints.ts computes the same from the files. Two megabytes take about 20 ms.
create function private.applied_migrations() returns jsonb
language plpgsql stable
security definer -- clients cannot read the history of the migration tool; this returns names and fingerprints only
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_object_agg(concat_ws('_', m.version, m.name), md5(
      replace(replace(replace(replace(replace(
        array_to_string(m.statements, ''), E'\n', ''), ' ', ''), ';', ''), E'\r', ''), E'\t', '')
    )), '{}')
    from supabase_migrations.schema_migrations m
  );
end
$$;

grant execute on function private.applied_migrations() to anon, authenticated;

create function api.service_readiness() returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'database', 'ok',
    'migration', private.latest_migration(),
    'migrations', private.applied_migrations()
  );
end
$$;

comment on function api.service_readiness() is
  'Returns {database, migration, migrations}: that the database responds, its newest migration, and the fingerprint of each by its name. Reads only; raises no errors.';

grant execute on function api.service_readiness() to anon, authenticated;

create function api.service_metrics() returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  return private.service_figures();
end
$$;

comment on function api.service_metrics() is
  'Figures of the service for a monitoring system: {at, requests, queues, jobs, statements, outages, store_sync, withdrawals, last_job_started_at, database}. Reads only, without a scan of a table that grows. For the service only; raises no errors.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Queues, jobs and secrets
-- ---------------------------------------------------------------------------------------------------------------------

create function api.extend_lease(p_queue text, p_msg_ids bigint[], p_seconds integer default private.lease_seconds()) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.hide_messages(p_queue, p_msg_ids, p_seconds);
end
$$;

comment on function api.extend_lease(text, bigint[], integer) is
  'For consumers: messages that were taken stay hidden from other consumers for p_seconds from now, or longer where they were hidden for longer. It raises no errors.';

create function api.call_next_consumer(p_function text) returns void
language plpgsql
security definer -- the vault and the network are closed to callers
set search_path = ''
as $$
begin
  if not exists (select from private.queues q where q.function = p_function) then
    perform private.raise_error('validation_error', 422, format('No queue has the function %s.', p_function), p_param => 'function');
  end if;
  perform private.call_function(p_function);
end
$$;

comment on function api.call_next_consumer(text) is
  'For a consumer that ends before its queue is empty: calls the function that consumes it once more. Errors: validation_error.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Secrets
-- ---------------------------------------------------------------------------------------------------------------------

-- Vault: secrets that the back office keeps in the database, encrypted by the extension supabase_vault.
--
-- Both functions are for the service key only. A secret is only an argument or a result: no error message contains one, and
-- no reply with one is stored. Both functions are volatile, so that api.read_counted and api.run_admin_command, which call
-- functions that only read, do not reach them. The back office calls them with these argument names.
--
-- Interface: api.vault_read_secret, api.vault_insert_secret.

create function api.vault_read_secret(secret_id uuid) returns text
language plpgsql
set search_path = ''
as $$
begin
  return (select s.decrypted_secret from vault.decrypted_secrets s where s.id = secret_id);
end
$$;

comment on function api.vault_read_secret(uuid) is
  'For the service: a decrypted secret of the vault; null when there is none with this id. Reads only; raises no errors.';

create function api.vault_insert_secret(new_secret text, new_name text) returns uuid
language plpgsql
set search_path = ''
as $$
begin
  if coalesce(new_secret, '') = '' then
    perform private.raise_error('validation_error', 422, 'new_secret must not be empty.', p_param => 'new_secret');
  elsif private.trimmed(new_name) is null or char_length(new_name) > 255 then
    perform private.raise_error('validation_error', 422, 'new_name must be a text of 1 to 255 characters.', p_param => 'new_name');
  end if;
  return vault.create_secret(new_secret, new_name);
exception when unique_violation then
  perform private.raise_error('conflict', 409, 'The vault has a secret with this name already. Use another name.', p_param => 'new_name',
    p_details => '{"reason": "exists"}');
  return null;
end
$$;

comment on function api.vault_insert_secret(text, text) is
  'For the service: writes a secret into the vault under a new name, and returns its id. Errors: validation_error, conflict.';
