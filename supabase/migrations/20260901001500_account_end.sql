-- The end of an account, and what is held about a person.
--
-- Who withdraws is forgotten in one transaction. What was theirs alone goes; what others build on stays without them: their
-- published reviews, their sessions as visits of a lot, which lots they reported and for what (not in their words), and
-- uploads that show a lot. Reviews that are not published go. Each domain does its part by a
-- trigger on the account's status; here stand the parts that are nothing but rows to delete, and the identity provider's.
-- The account's row and the auth user stay, empty, so that the person's tokens are refused by name until they expire.
--
-- Invariants: what would go with the account's row goes at withdrawal (a test compares the catalogue of foreign keys with
-- both); the export has every table that names a person. The last administrator with the area admins does not withdraw (2150).
-- Interface: commands.withdraw_my_account, api.export_my_data; for administrators (2035) private.hold_sign_in, empty_account
-- and data_of.

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: forgetting
-- ---------------------------------------------------------------------------------------------------------------------

create function private.tg_app_users__forget_person() returns trigger
language plpgsql
security definer -- whoever withdraws may delete little of this by hand
set search_path = ''
as $$
begin
  delete from public.user_vehicles where user_id = new.id;
  delete from public.search_presets where user_id = new.id;
  delete from public.search_preferences where user_id = new.id;
  delete from public.saved_parking_lots where user_id = new.id;
  delete from public.parking_lot_ratings where user_id = new.id;
  delete from public.field_value_votes where user_id = new.id;
  delete from public.user_notifications where user_id = new.id;
  delete from public.notification_preferences where user_id = new.id;
  delete from public.notification_quiet_hours where user_id = new.id;
  delete from public.user_push_tokens where user_id = new.id;
  delete from private.push_times where user_id = new.id;
  delete from public.user_activity_logs where user_id = new.id;
  delete from private.archived_activities where user_id = new.id;
  delete from public.user_badges where user_id = new.id;
  delete from public.user_badge_progress where user_id = new.id;
  delete from private.kept_reviews where user_id = new.id;
  delete from public.exp_entries where user_id = new.id;
  delete from public.user_themes where user_id = new.id;
  delete from public.theme_gifts where user_id = new.id;
  delete from public.sponsor_checkins where user_id = new.id;
  update public.occupancy_reports set user_id = null where user_id = new.id;
  return null;
end
$$;

comment on function private.tg_app_users__forget_person() is
  'What a person who withdraws kept for themselves goes, with their votes; what they saw of a lot stays without them.';

-- After the other domains' triggers: sessions have let go of their vehicles by then.
create trigger _400_forget_person after update of status on public.app_users
  for each row when (new.status = 'withdrawn' and old.status <> 'withdrawn')
  execute function private.tg_app_users__forget_person();

create function private.tg_reviews__drop_unpublished() returns trigger
language plpgsql
security definer -- neither the auth server, which deletes accounts, nor a user who withdraws may delete reviews
set search_path = ''
as $$
declare
  v_review_ids uuid[] := array(
    -- No join: as in 1158.
    select b.id from rows_before b where b.user_id is not null
    intersect select c.id from rows_changed c where c.user_id is null and c.status <> 'approved'
  );
begin
  if v_review_ids <> '{}' then
    delete from public.reviews where id = any (v_review_ids);
  end if;
  return null;
end
$$;

comment on function private.tg_reviews__drop_unpublished() is
  'Reviews that are not published (pending, rejected, hidden) go with their author.';

create trigger _900_drop_unpublished after update on public.reviews
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_reviews__drop_unpublished();

create function private.tg_error_reports__forget_words() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.description := null;
  return new;
end
$$;

comment on function private.tg_error_reports__forget_words() is
  'What a person wrote in a report goes with them; which lot it was about and what was wrong stays.';

create trigger _200_forget_words before update of user_id on public.error_reports
  for each row when (new.user_id is null and old.user_id is not null)
  execute function private.tg_error_reports__forget_words();

create function private.hold_lots_of(p_user_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform 1 from public.parking_lots l
  where l.id in (
    select r.parking_lot_id from public.reviews r where r.user_id = p_user_id
    union all select r.parking_lot_id from public.parking_lot_ratings r where r.user_id = p_user_id
    union all select s.parking_lot_id from public.saved_parking_lots s where s.user_id = p_user_id
    union all select o.parking_lot_id from public.occupancy_reports o where o.user_id = p_user_id
    union all select e.parking_lot_id from public.error_reports e where e.user_id = p_user_id
    union all select v.parking_lot_id
      from public.field_value_votes o join public.field_values v on v.id = o.field_value_id where o.user_id = p_user_id
  )
  order by l.id for no key update;
end
$$;

comment on function private.hold_lots_of(uuid) is
  'Holds the lots that a person has left something at, in one order, before what they left: as whoever deletes a lot.';

create function private.close_sign_in(p_user_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_email text := (select u.email from auth.users u where u.id = p_user_id);
  v_table regclass;
begin
  -- Neither a password nor a refresh token nor a link that was mailed opens the account again. Newer identity providers
  -- keep what they mailed, second factors and unfinished sign-ins in tables that an older one does not have.
  foreach v_table in array array(
    select to_regclass('auth.' || t.name) from unnest('{sessions,identities,one_time_tokens,mfa_factors,flow_state}'::text[]) as t (name)
  ) loop
    if v_table is not null then
      execute format('delete from %s where user_id = $1', v_table) using p_user_id;
    end if;
  end loop;
  -- The identity provider's own log names whoever signed in. In quotes: an address may be the end of another's.
  delete from auth.audit_log_entries
  where strpos(payload::text, to_json(p_user_id)::text) > 0 or strpos(payload::text, to_json(v_email)::text) > 0;
  -- Not null but empty: the identity provider cannot read a user whose tokens are null. The ban says the same to what it has
  -- in memory.
  update auth.users
  set email = null, phone = null, encrypted_password = null, raw_user_meta_data = '{}',
    raw_app_meta_data = raw_app_meta_data - 'admin', email_change = '', phone_change = '',
    confirmation_token = '', recovery_token = '', reauthentication_token = '', email_change_token_new = '',
    email_change_token_current = '', phone_change_token = '', banned_until = '2999-12-31 00:00:00+00', updated_at = now()
  where id = p_user_id;
end
$$;

comment on function private.close_sign_in(uuid) is
  'Empties what the identity provider keeps of a person, and has it open the account to nobody any more. Who was an administrator as well is none any more: their row follows.';

create function private.hold_sign_in(p_user_id uuid) returns void
language plpgsql
security definer -- the identity provider's tables are nobody's to lock by hand
set search_path = ''
as $$
begin
  perform 1 from auth.users u where u.id = p_user_id and u.phone is not null for update;
end
$$;

comment on function private.hold_sign_in(uuid) is
  'Locks the auth user of an account that is about to end, before the account: its telephone number is a key. A change of it waits for transactions that refer to that row, and they wait for the account.';

create function private.empty_account(p_user_id uuid) returns void
language plpgsql
security definer -- the standing of an account and the identity provider's tables are nobody's to write by hand
set search_path = ''
as $$
begin
  perform private.hold_lots_of(p_user_id);
  update public.app_users set status = 'withdrawn', display_name = null, premium_ends_at = null, granted_premium_ends_at = null where id = p_user_id;
  perform private.close_sign_in(p_user_id);
  update public.admins set name = null where id = p_user_id;
end
$$;

comment on function private.empty_account(uuid) is
  'Withdraws an account that is held: empties it, ends its sessions, and has every domain forget the person.';

create function private.end_account() returns void
language plpgsql
security definer -- private.empty_account is for no client; the account is always the caller's
set search_path = ''
as $$
declare
  v_user_id uuid := private.active_user();
begin
  perform private.hold_leaving_admin(v_user_id);
  perform private.hold_sign_in(v_user_id);
  perform private.hold_account(v_user_id);
  perform private.empty_account(v_user_id);
end
$$;

comment on function private.end_account() is 'Withdraws the calling user. Refuses: unauthorized, forbidden, conflict.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: what is held
-- ---------------------------------------------------------------------------------------------------------------------

-- Text (json), not jsonb, throughout: of thousands of rows it is made in a third of the time, and nothing reads it here.

create function private.session_data_of(p_user_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(r order by r.started_at, r.id), '[]')
    from (
      select s.*, coalesce(f.photos, '[]') as photos
      from public.parking_sessions s
      left join (
        select p.session_id, json_agg(json_build_object(
          'id', p.id, 'phase', p.phase, 'slot', p.slot, 'asset_id', p.asset_id, 'storage_key', p.storage_key,
          'content_type', p.content_type, 'size_bytes', p.size_bytes, 'created_at', p.created_at
        ) order by p.phase, p.slot) as photos
        from public.parking_session_photos p join public.parking_sessions o on o.id = p.session_id
        where o.user_id = p_user_id group by p.session_id
      ) f on f.session_id = s.id
      where s.user_id = p_user_id
    ) r
  );
end
$$;

comment on function private.session_data_of(uuid) is 'A person''s sessions with their photos, oldest first.';

create function private.ticket_data_of(p_user_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(r order by r.created_at, r.id), '[]')
    from (
      select t.*, coalesce(w.messages, '[]') as messages
      from public.support_tickets t
      left join (
        select m.ticket_id, json_agg(json_build_object(
          'id', m.id, 'ticket_id', m.ticket_id, 'author', m.author, 'body', m.body, 'created_at', m.created_at
        ) order by m.created_at, m.id) as messages
        from public.support_messages m join public.support_tickets o on o.id = m.ticket_id
        where o.user_id = p_user_id group by m.ticket_id
      ) w on w.ticket_id = t.id
      where t.user_id = p_user_id
    ) r
  );
end
$$;

comment on function private.ticket_data_of(uuid) is 'A person''s tickets with all messages, oldest first.';

create function private.sign_in_data_of(p_user_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'auth.users', (
      select jsonb_agg(jsonb_build_object(
        'email', u.email, 'email_change', nullif(u.email_change, ''), 'phone', u.phone, 'phone_change', nullif(u.phone_change, ''),
        'raw_user_meta_data', u.raw_user_meta_data, 'created_at', u.created_at, 'last_sign_in_at', u.last_sign_in_at
      )) from auth.users u where u.id = p_user_id
    ),
    'auth.identities', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'provider', i.provider, 'identity_data', i.identity_data, 'created_at', i.created_at,
        'last_sign_in_at', i.last_sign_in_at
      ) order by i.created_at, i.provider), '[]') from auth.identities i where i.user_id = p_user_id
    ),
    'auth.sessions', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'ip', s.ip, 'user_agent', s.user_agent, 'created_at', s.created_at, 'refreshed_at', s.refreshed_at
      ) order by s.created_at, s.id), '[]') from auth.sessions s where s.user_id = p_user_id
    )
  );
end
$$;

comment on function private.sign_in_data_of(uuid) is
  'What the identity provider keeps of a person, but for what opens the account: passwords and tokens.';

create function private.own_rows(
  p_table text, p_user_id uuid, p_column text default 'user_id', p_order text default 'created_at',
  p_condition text default 'true', p_also text[] default '{}'
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_table regclass := format('public.%I', p_table);
  v_columns text;
  v_rows json;
begin
  select string_agg(quote_ident(a.attname), ', ' order by a.attnum) into v_columns
  from pg_catalog.pg_attribute a
  where a.attrelid = v_table and a.attnum > 0 and not a.attisdropped
    and (a.attname = any (p_also) or has_column_privilege('authenticated', v_table, a.attnum, 'select'));
  execute format(
    'select coalesce(json_agg(r order by r.%I), ''[]'') from (select %s from %s t where t.%I = $1 and (%s)) r',
    p_order, v_columns, v_table, p_column, p_condition
  ) into v_rows using p_user_id;
  return v_rows;
end
$$;

comment on function private.own_rows(text, uuid, text, text, text, text[]) is
  'The rows of a table of public that name a person in p_column, with the columns that clients may read, and p_also. The arguments are those of functions, never of a request.';

create function private.data_of(p_user_id uuid) returns json
language plpgsql stable
security definer -- some of what is held about a person has no policy; clients reach their own only, by private.my_data
set search_path = ''
as $$
begin
  return (
    select json_object_agg(d.name, d.rows)
    from (
      select s.key as name, s.value::json as rows from jsonb_each(private.sign_in_data_of(p_user_id)) as s
      union all
      select 'app_users', private.own_rows('app_users', p_user_id, 'id', p_also => '{premium_ends_at}')
      union all select 'parking_sessions', private.session_data_of(p_user_id)
      union all select 'support_tickets', private.ticket_data_of(p_user_id)
      union all select 'store_events', private.store_event_data_of(p_user_id)
      union all
      select 'assets', private.own_rows('assets', p_user_id, 'created_by', p_condition => 't.deleted_at is null',
        p_also => '{entity_type,entity_id,attached_at,created_at}')
      union all
      select 'user_activity_logs', (
        select coalesce(json_agg(a order by a.created_at, a.id), '[]') from private.activities a where a.user_id = p_user_id
      )
      union all select 'user_badges', private.own_rows('user_badges', p_user_id, p_order => 'earned_at')
      -- A draft, and what is scheduled, is not out yet.
      union all
      select 'user_notifications', private.own_rows('user_notifications', p_user_id, p_condition => 't.status = ''sent''')
      union all
      select 'kept_reviews', (
        select coalesce(json_agg(k order by k.created_at, k.review_id), '[]') from private.kept_reviews k
        where k.user_id = p_user_id
      )
      union all select 'ai_keys', private.ai_keys_of(p_user_id)::json
      union all
      select 'ai_requests', (
        select coalesce(json_agg(json_build_object(
          'id', r.id, 'form', r.form, 'text', r.text, 'outcome', r.outcome, 'parser', r.parser, 'model', r.model, 'created_at', r.created_at
        ) order by r.created_at, r.id), '[]') from private.ai_requests r where r.user_id = p_user_id
      )
      union all
      select n.name, private.own_rows(n.name, p_user_id)
      from unnest(array[
        'user_vehicles', 'search_presets', 'search_preferences', 'saved_parking_lots', 'parking_lot_ratings', 'reviews',
        'field_value_votes', 'occupancy_reports', 'notification_preferences', 'notification_quiet_hours', 'user_push_tokens', 'exp_entries',
        'user_badge_progress', 'error_reports', 'user_themes', 'theme_gifts', 'sponsor_checkins',
        'user_subscriptions'
      ]) as n (name)
    ) d
  );
end
$$;

comment on function private.data_of(uuid) is
  'Every row that names an app user, by table, with the columns that clients may read, and what the identity provider keeps of them. Of notifications what was sent.';

create function private.my_data() returns json
language plpgsql stable
security definer -- private.data_of is for no client; what is read is always the caller's own
set search_path = ''
as $$
begin
  return private.data_of(private.active_user());
end
$$;

comment on function private.my_data() is 'private.data_of for the calling user. Refuses: unauthorized, forbidden.';

grant execute on function private.end_account(), private.my_data() to authenticated;
grant execute on function private.hold_sign_in(uuid), private.empty_account(uuid), private.data_of(uuid) to service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface
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
  'Ends the caller''s account for good, in one transaction: name, e-mail, vehicles, memos, devices and files go, reviews and visits stay without the person, and nobody signs in or refreshes any more. Not for the only active administrator with the area admins (conflict, last_administrator). Refuses: unauthorized, forbidden, conflict.';

create function api.export_my_data() returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return json_build_object('account', api.my_account(), 'data', private.my_data());
end
$$;

comment on function api.export_my_data() is
  'All that is held about the caller: {account, data}; data has rows by table. Reads only. Refuses: unauthorized, forbidden.';

grant execute on function commands.withdraw_my_account(), api.export_my_data() to authenticated;
