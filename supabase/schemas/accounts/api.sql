-- The interface of accounts: users and administrators, withdrawal, the export of data.
--
-- Clients and the service call these functions. The rules are in accounts.sql, active_users.sql, data_export.sql and
-- withdrawal.sql.

-- ---------------------------------------------------------------------------------------------------------------------
-- Accounts
-- ---------------------------------------------------------------------------------------------------------------------

create function api.my_account() returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_user_id uuid := private.caller();
  v_email text;
begin
  select email into v_email from private.my_auth_user();
  if not found then
    perform private.raise_error('unauthorized', 401, 'This account no longer exists. Sign in again.');
  end if;

  return private.account_row(v_user_id, v_email, private.my_avatar());
end
$$;

comment on function api.my_account() is
  'The caller''s account and permission scopes. Reads only; also for suspended and withdrawn callers. Errors: unauthorized.';

create function commands.update_my_account(
  p_display_name text default null, p_avatar_asset_id uuid default null, p_remove_avatar boolean default false,
  p_lang text default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_user_id uuid := private.writing_user();
begin
  update public.app_users set display_name = coalesce(p_display_name, display_name), lang = coalesce(p_lang, lang)
  where id = v_user_id;
  if not found then
    -- The account status changed after active_user() read it.
    perform private.raise_error('forbidden', 403, 'This account is suspended.');
  end if;
  if p_avatar_asset_id is not null or p_remove_avatar then
    perform private.put_avatar(p_avatar_asset_id);
  end if;

  return api.my_account();
end
$$;

comment on function commands.update_my_account(text, uuid, boolean, text) is
  'Changes the given fields of the caller''s account and returns it as my_account does. An avatar is an upload of the caller; p_remove_avatar removes it; the previous one is deleted. Idempotent. Errors: unauthorized, forbidden, not_found.';

grant execute on function api.my_account(), commands.update_my_account(text, uuid, boolean, text) to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Withdrawal
-- ---------------------------------------------------------------------------------------------------------------------

create function commands.withdraw_my_account() returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.end_account();
end
$$;

comment on function commands.withdraw_my_account() is
  'Ends the caller''s account permanently. When it returns, name, e-mail address, devices and sign-in are deleted, and no one can read the rest. A job deletes vehicles, memos, files and everything else of the user, mostly within a minute. Reviews and visits stay without the user. Not for the only active administrator with the area admins (conflict, last_administrator). Errors: unauthorized, forbidden, conflict.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Data export
-- ---------------------------------------------------------------------------------------------------------------------

create function api.export_my_data(p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select json_build_object('account', api.my_account(), 'data', p.data, 'next_cursor', p.next_cursor)
    from private.my_data_page(p_cursor) p
  );
end
$$;

comment on function api.export_my_data(text) is
  'The next page of all data about the caller: {account, data, next_cursor}. data is [{table, rows}], every table at least once; a table that is split continues on the next page. A page has up to 1,000 rows or about a megabyte. Reads only. Errors: unauthorized, forbidden, validation_error.';

grant execute on function api.export_my_data(text) to authenticated;
