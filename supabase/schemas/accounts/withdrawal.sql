-- Withdrawal: the end of an account.
--
-- A withdrawal has two parts. The first transaction closes the account: status, name, e-mail address, telephone number,
-- sign-in, devices, and everything that is a few rows. After its commit no one can read the rest: the user's own
-- functions reject them, row security requires an active account, and the console's readers leave out accounts in
-- private.account_ends. A job deletes the large parts (private.next_erasure_batch): a batch of rows a transaction, table
-- by table in the order of private.erasure_steps. private.account_ends has its progress. A job that is killed continues
-- after its last batch.
--
-- Data that only the user used are deleted. Data that others use stay without the user: published reviews, parking
-- sessions as counts of visits, which lots were reported and for what (without the text), and pictures of lots. The
-- account's row and the auth user stay, empty, so that tokens that are still valid are rejected with a specific error
-- until they expire.
--
-- Locks: a batch locks the account, then its lots in the order of their ids, then its rows. Each transaction changes rows
-- of one table only: so no batch locks lots after rows.
--
-- Invariants: rows that would be deleted with the account's row are deleted at withdrawal (a test compares the catalogue
-- of foreign keys with both). The last administrator with the area admins cannot withdraw (accounts/console_admins.sql).
-- Interface: commands.withdraw_my_account; for administrators (accounts/console_user_acts.sql) private.lock_sign_in,
-- empty_account; for the console's readers private.account_ends; private.next_erasure_batch (work).

-- ---------------------------------------------------------------------------------------------------------------------
-- Closing
-- ---------------------------------------------------------------------------------------------------------------------

-- Deletes the few-row data of a user who withdraws: settings, devices, keys, the avatar. Leaves the rest to the job.
create function private.erase_user_data(p_user_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  delete from public.search_presets where user_id = p_user_id;
  delete from public.search_preferences where user_id = p_user_id;
  delete from public.notification_preferences where user_id = p_user_id;
  delete from public.notification_quiet_hours where user_id = p_user_id;
  delete from public.user_push_tokens where user_id = p_user_id;
  delete from private.push_times where user_id = p_user_id;
  delete from private.ai_keys where user_id = p_user_id;
  update public.assets set created_by = null where created_by = p_user_id and category = 'avatar';
  insert into private.account_ends (user_id, log_texts)
  select u.id, array_remove(array[to_json(u.id)::text, to_json(u.email)::text], null) from auth.users u where u.id = p_user_id;
end
$$;

-- Deletes the texts of a user's reports at withdrawal; the lot and the kind of error stay.
create function private.tg_error_reports__erase_texts() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.description := null;
  return new;
end
$$;

-- Empties the identity provider's data of a user and blocks the sign-in. An administrator loses that role: their row
-- follows.
create function private.close_sign_in(p_user_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_table regclass;
begin
  -- Neither a password, a refresh token nor a mailed link opens the account again. Newer identity providers keep mailed
  -- links, second factors and unfinished sign-ins in tables that an older one does not have.
  foreach v_table in array array(
    select to_regclass('auth.' || t.name) from unnest('{sessions,identities,one_time_tokens,mfa_factors,flow_state}'::text[]) as t (name)
  ) loop
    if v_table is not null then
      execute format('delete from %s where user_id = $1', v_table) using p_user_id;
    end if;
  end loop;
  -- Not null but empty: the identity provider cannot read a user whose tokens are null. The ban has the same effect for
  -- users that it has in memory.
  update auth.users
  set email = null, phone = null, encrypted_password = null, raw_user_meta_data = '{}',
    raw_app_meta_data = raw_app_meta_data - 'admin', email_change = '', phone_change = '',
    confirmation_token = '', recovery_token = '', reauthentication_token = '', email_change_token_new = '',
    email_change_token_current = '', phone_change_token = '', banned_until = '2999-12-31 00:00:00+00', updated_at = now()
  where id = p_user_id;
end
$$;

-- Locks the auth user of an account that is about to end, before the account: its telephone number is a key. A change of
-- it waits for transactions that refer to that row, and they wait for the account.
create function private.lock_sign_in(p_user_id uuid) returns void
language plpgsql
security definer -- no role may lock the identity provider's tables directly
set search_path = ''
as $$
begin
  perform 1 from auth.users u where u.id = p_user_id and u.phone is not null for update;
end
$$;

-- Withdraws an account that the caller has locked, with what follows in each domain, in order: records of acts, stored
-- replies, subscriptions, the account's own settings, the sign-in. The rest of its rows is left to the job.
create function private.empty_account(p_user_id uuid) returns void
language plpgsql
security definer -- no role may write the status of an account and the identity provider's tables directly
set search_path = ''
as $$
begin
  update public.app_users set status = 'withdrawn', display_name = null, premium_ends_at = null, granted_premium_ends_at = null where id = p_user_id;
  perform private.clear_act_values(p_user_id);
  perform private.delete_admin_replies(p_user_id);
  perform private.delete_replies(p_user_id);
  perform private.leave_subscriptions(p_user_id);
  perform private.erase_user_data(p_user_id);
  perform private.close_sign_in(p_user_id);
  update public.admins set name = null where id = p_user_id;
end
$$;

-- Withdraws the calling user. Errors: unauthorized, forbidden, conflict.
create function private.end_account() returns void
language plpgsql
security definer -- no client may call private.empty_account; the account is always the caller's
set search_path = ''
as $$
declare
  v_user_id uuid := private.active_user();
begin
  perform private.lock_leaving_admin(v_user_id);
  perform private.lock_sign_in(v_user_id);
  perform private.lock_account(v_user_id);
  perform private.empty_account(v_user_id);
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Erasure
-- ---------------------------------------------------------------------------------------------------------------------

-- The steps of the job: the tables whose rows of a withdrawn user are changed (changes; null: deleted), the column of the
-- user, and the lot of a row t.
create function private.erasure_steps()
returns table (step bigint, name text, user_column text, changes text, lot text)
language plpgsql immutable
set search_path = ''
as $$
begin
  return query
  select row_number() over (), f.* from (values
    -- Files first: later steps that detach them find them marked. Vehicles after the sessions that refer to them.
    ('public.assets', 'created_by', 'created_by = null', null),
    ('private.file_totals', 'user_id', null, null),
    ('public.reviews', 'user_id', 'user_id = null', 't.parking_lot_id'),
    ('public.parking_sessions', 'user_id', 'user_id = null', null),
    ('public.error_reports', 'user_id', 'user_id = null', 't.parking_lot_id'),
    ('public.occupancy_reports', 'user_id', 'user_id = null', 't.parking_lot_id'),
    ('private.ai_requests', 'user_id', 'user_id = null, text = null', null),
    ('public.support_tickets', 'user_id', null, null),
    ('public.parking_lot_ratings', 'user_id', null, 't.parking_lot_id'),
    ('public.saved_parking_lots', 'user_id', null, 't.parking_lot_id'),
    ('public.field_value_votes', 'user_id', null,
      '(select v.parking_lot_id from public.field_values v where v.id = t.field_value_id)'),
    ('public.user_vehicles', 'user_id', null, null),
    ('public.user_notifications', 'user_id', null, null),
    ('public.user_activity_logs', 'user_id', null, null),
    ('private.archived_activities', 'user_id', null, null),
    ('public.exp_entries', 'user_id', null, null),
    ('private.badge_marks', 'user_id', null, null),
    ('public.user_badge_progress', 'user_id', null, null),
    ('public.user_badges', 'user_id', null, null),
    ('private.kept_reviews', 'user_id', null, null),
    ('public.user_themes', 'user_id', null, null),
    ('public.theme_gifts', 'user_id', null, null),
    ('public.sponsor_checkins', 'user_id', null, null)
  ) as f;
end
$$;

-- Deletes or changes up to p_rows rows of a table that refer to a user, after locking their lots. Returns their number.
-- The arguments are those of private.erasure_steps.
create function private.erase_rows(
  p_user_id uuid, p_table text, p_user_column text, p_changes text, p_lot text, p_rows integer
) returns integer
language plpgsql
set search_path = ''
as $$
declare
  v_places tid[];
begin
  execute format('select array(select t.ctid from %s t where t.%I = $1 limit $2)', p_table, p_user_column)
  into v_places using p_user_id, p_rows;
  if v_places = '{}' then
    return 0;
  elsif p_lot is not null then
    -- Before the rows, in one order: as in the deletion of lots.
    execute format('select from public.parking_lots l where l.id in (select %s from %s t where t.ctid = any ($1))
      order by l.id for no key update', p_lot, p_table) using v_places;
  end if;
  -- A row that another transaction changed meanwhile has a new place: a later batch has it.
  execute format(case when p_changes is null then 'delete from %1$s t where t.ctid = any ($1) and t.%2$I = $2'
    else 'update %1$s t set %3$s where t.ctid = any ($1) and t.%2$I = $2' end, p_table, p_user_column, p_changes)
  using v_places, p_user_id;
  return cardinality(v_places);
end
$$;

-- Deletes the entries about a user from the next p_blocks blocks of the identity provider's log. True when those were the
-- last.
create function private.erase_log_entries(p_end private.account_ends, p_blocks integer) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_blocks constant bigint := pg_relation_size('auth.audit_log_entries') / current_setting('block_size')::integer;
begin
  -- By place: the table is the identity provider's and has no index for this. In quotes, as in JSON: an address may be the
  -- end of another one.
  delete from auth.audit_log_entries e
  where e.ctid >= format('(%s,0)', (p_end).log_block)::tid and e.ctid < format('(%s,0)', (p_end).log_block + p_blocks)::tid
    and exists (select from unnest((p_end).log_texts) as t (text) where strpos(e.payload::text, t.text) > 0);
  return (p_end).log_block + p_blocks >= v_blocks;
end
$$;

-- Deletes the next batch of the account that has waited longest: up to p_rows rows of one table, or p_blocks blocks of
-- the identity provider's log. False when nothing is left. Commit after each call.
create function private.next_erasure_batch(p_rows integer default 500, p_blocks integer default 4000) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_end private.account_ends;
  v_table record;
  v_rows integer;
begin
  select * into v_end from private.account_ends e order by e.started_at, e.user_id limit 1 for no key update skip locked;
  if not found then
    return false;
  end if;
  perform from public.app_users u where u.id = v_end.user_id for no key update;
  loop
    select * into v_table from private.erasure_steps() f where f.step = v_end.step;
    exit when not found;
    v_rows := private.erase_rows(v_end.user_id, v_table.name, v_table.user_column, v_table.changes, v_table.lot, p_rows);
    exit when v_rows > 0;
    v_end.step := v_end.step + 1;
  end loop;
  if v_table.step is null and private.erase_log_entries(v_end, p_blocks) then
    delete from private.account_ends e where e.user_id = v_end.user_id;
  else
    update private.account_ends e
    set step = v_end.step, done_rows = e.done_rows + coalesce(v_rows, 0), updated_at = clock_timestamp(),
      log_block = e.log_block + case when v_table.step is null then p_blocks else 0 end
    where e.user_id = v_end.user_id;
  end if;
  return true;
end
$$;

grant execute on function private.end_account() to authenticated;
