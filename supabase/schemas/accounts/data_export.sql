-- Data export: all stored data about a user, table by table, in pages.
--
-- A page has up to a thousand rows or about a megabyte, of one or more tables, and a cursor to the next page. The order
-- is that of private.exported_tables, and in each table that of its keys. So no statement reads more than a page, and the
-- service streams the document in constant memory. Pages are not a snapshot: a row that is written meanwhile may be
-- missing.
--
-- Invariants: the export has every table that refers to a user (a test compares it with the catalogue of foreign keys),
-- with the columns that clients may read. For a withdrawn account it has only the account's own row and the auth user's.
-- Interface: api.export_my_data; for administrators (accounts/console_user_acts.sql) private.data_page.

-- The tables of the export that have their own query.
create function private.exported_queries() returns setof private.exported_table
language plpgsql immutable
set search_path = ''
as $$
declare
  c_times constant text[] := '{timestamptz,uuid}';
begin
  return query
  select t.name, null, t.keys, case when t.keys is not null then c_times end, null, null::text[], t.source from (values
    ('auth.users', null::text[], 'select u.email, nullif(u.email_change, '''') as email_change, u.phone,
        nullif(u.phone_change, '''') as phone_change, u.raw_user_meta_data, u.created_at, u.last_sign_in_at
      from auth.users u where u.id = $1'),
    ('auth.identities', null, 'select i.provider, i.identity_data, i.created_at, i.last_sign_in_at
      from auth.identities i where i.user_id = $1 order by i.created_at, i.provider'),
    ('auth.sessions', null, 'select s.ip, s.user_agent, s.created_at, s.refreshed_at
      from auth.sessions s where s.user_id = $1 order by s.created_at, s.id'),
    ('parking_sessions', '{started_at,id}', 'select s.*, (
        select l.rules from private.price_lists l where l.id = s.price_list_id
      ) as rules, (
        select coalesce(json_agg(json_build_object(
          ''id'', p.id, ''phase'', p.phase, ''slot'', p.slot, ''asset_id'', p.asset_id, ''storage_key'', p.storage_key,
          ''content_type'', p.content_type, ''size_bytes'', p.size_bytes, ''created_at'', p.created_at
        ) order by p.phase, p.slot), ''[]'') from public.parking_session_photos p where p.session_id = s.id
      ) as photos from public.parking_sessions s where s.user_id = $1'),
    ('support_tickets', '{created_at,id}', 'select t.*, (
        select coalesce(json_agg(json_build_object(
          ''id'', m.id, ''ticket_id'', m.ticket_id, ''author'', m.author, ''body'', m.body, ''created_at'', m.created_at
        ) order by m.created_at, m.id), ''[]'') from public.support_messages m where m.ticket_id = t.id
      ) as messages from public.support_tickets t where t.user_id = $1'),
    ('store_events', '{occurred_at,id}', 'select e.id, e.store, e.subscription_id, e.source, e.type, e.subtype, e.occurred_at,
        e.status
      from public.user_subscriptions s join public.store_events e on e.subscription_id = s.id where s.user_id = $1'),
    ('user_activity_logs', '{created_at,id}', 'select * from private.activities a where a.user_id = $1'),
    ('kept_reviews', '{created_at,review_id}', 'select * from private.kept_reviews k where k.user_id = $1'),
    ('ai_keys', null, 'select k.provider_id, k.created_at, k.updated_at
      from private.ai_keys k where k.user_id = $1 order by k.provider_id'),
    ('ai_requests', '{created_at,id}', 'select r.id, r.form, r.text, r.outcome, r.parser, r.model, r.created_at
      from private.ai_requests r where r.user_id = $1')
  ) as t (name, keys, source);
end
$$;

-- The tables of the export. Cursors contain their names.
create function private.exported_tables() returns setof private.exported_table
language plpgsql immutable
set search_path = ''
as $$
declare
  c_keys constant text[] := '{created_at,id}';
  c_times constant text[] := '{timestamptz,uuid}';
begin
  return query
  select t.name, t.user_column, t.keys, t.types, t.condition, t.also::text[], null from (values
    ('app_users', 'id', null::text[], null::text[], null, '{premium_ends_at}'),
    ('assets', 'created_by', c_keys, c_times, 't.deleted_at is null', '{entity_type,entity_id,attached_at,created_at}'),
    ('user_badges', 'user_id', '{earned_at,id}', c_times, null, '{}'),
    -- Drafts and scheduled notifications are not published yet.
    ('user_notifications', 'user_id', c_keys, c_times, 't.status = ''sent''', '{}'),
    ('search_preferences', 'user_id', null, null, null, '{}'),
    ('notification_preferences', 'user_id', null, null, null, '{}'),
    ('notification_quiet_hours', 'user_id', null, null, null, '{}'),
    ('parking_lot_ratings', 'user_id', '{parking_lot_id}', '{uuid}', null, '{}'),
    ('field_value_votes', 'user_id', '{created_at,field_value_id}', c_times, null, '{}'),
    ('occupancy_reports', 'user_id', '{parking_lot_id}', '{uuid}', null, '{}'),
    ('user_badge_progress', 'user_id', '{created_at,badge_id}', c_times, null, '{}')
  ) as t (name, user_column, keys, types, condition, also)
  union all
  select n.name, 'user_id', c_keys, c_times, null, '{}', null
  from unnest(array[
    'user_vehicles', 'search_presets', 'saved_parking_lots', 'reviews', 'user_push_tokens', 'exp_entries', 'error_reports',
    'user_themes', 'theme_gifts', 'sponsor_checkins', 'user_subscriptions'
  ]) as n (name)
  union all
  select * from private.exported_queries();
end
$$;

-- The query of a table of public whose rows refer to the user $1, with the columns that clients may read, and also.
create function private.own_query(p_table private.exported_table) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_table regclass := format('public.%I', (p_table).name);
begin
  return (
    select format('select %s from %s t where t.%I = $1 and %s', string_agg(quote_ident(a.attname), ', ' order by a.attnum),
      v_table, (p_table).user_column, coalesce((p_table).condition, 'true'))
    from pg_catalog.pg_attribute a
    where a.attrelid = v_table and a.attnum > 0 and not a.attisdropped
      and (a.attname = any ((p_table).also) or has_column_privilege('authenticated', v_table, a.attnum, 'select'))
  );
end
$$;

-- The rows of a table of the export after these keys, at most p_rows and about a megabyte, the keys of the last one, and
-- whether there may be more.
create function private.exported_rows(
  p_table private.exported_table, p_user_id uuid, p_after jsonb, p_rows integer,
  out rows json, out row_count integer, out last jsonb, out has_more boolean
)
language plpgsql stable
set search_path = ''
as $$
declare
  c_bytes constant integer := 1048576;
  v_keys constant text := array_to_string((p_table).keys, ', ');
begin
  -- Text (json), not jsonb: it takes a third of the time, and nothing reads it here.
  execute format(
    'with page as (
      select row_number() over (order by %2$s) as n, row_to_json(t)::text as row, json_build_array(%2$s) as keys
      from (select * from (%1$s) q where %3$s order by %2$s limit $3) t
    ), sized as (
      select p.*, sum(octet_length(p.row)) over (order by p.n) - octet_length(p.row) < $4 as fits from page p
    )
    select coalesce(json_agg(s.row::json order by s.n) filter (where s.fits), ''[]''), count(*) filter (where s.fits),
      (array_agg(s.keys order by s.n desc) filter (where s.fits))[1], count(*) = $3 or not coalesce(bool_and(s.fits), true)
    from sized s',
    coalesce((p_table).source, private.own_query(p_table)), coalesce(v_keys, '1'),
    case when p_after is null then 'true' else format('(%s) > (%s)', v_keys, (
      select string_agg(format('($2 ->> %s)::%s', t.place - 1, t.name), ', ' order by t.place)
      from unnest((p_table).types) with ordinality as t (name, place)
    )) end
  ) into rows, row_count, last, has_more
  using p_user_id, p_after, case when v_keys is not null then p_rows end,
    case when v_keys is not null then c_bytes else 2147483647 end;
  has_more := coalesce(has_more, false);
end
$$;

-- A page of all rows that refer to a user, by table, and of the identity provider's data without passwords and tokens.
-- data is [{table, rows}], every table at least once; a table that is split continues on the next page. Errors:
-- validation_error.
create function private.data_page(p_user_id uuid, p_cursor text, out data json, out next_cursor text)
language plpgsql stable
security definer -- some data about a user have no policy; clients read only their own, by private.my_data_page
set search_path = ''
as $$
declare
  v_name constant text := split_part(p_cursor, '.', 1);
  v_is_withdrawn constant boolean := exists (select from public.app_users u where u.id = p_user_id and u.status = 'withdrawn');
  v_table private.exported_table;
  v_after jsonb;
  v_rows record;
  v_left integer := 1000;
  v_parts json[] := '{}';
begin
  if p_cursor is not null then
    v_after := private.cursor_decode(jsonb_build_array('user_data', p_user_id, v_name), substr(p_cursor, char_length(v_name) + 2),
      (select t.types from private.exported_tables() t where t.name = v_name));
  end if;
  for v_table in
    select * from private.exported_tables() t where p_cursor is null or t.name >= v_name collate "C" order by t.name collate "C"
  loop
    -- The rest of a withdrawn account is about to be deleted.
    select * into v_rows from private.exported_rows(v_table,
      case when not v_is_withdrawn or v_table.name in ('auth.users', 'app_users') then p_user_id end, v_after, v_left);
    v_parts := v_parts || json_build_object('table', v_table.name, 'rows', v_rows.rows);
    if v_rows.has_more then
      next_cursor := v_table.name || '.' || private.cursor_encode(jsonb_build_array('user_data', p_user_id, v_table.name), v_rows.last);
      exit;
    end if;
    v_left := v_left - case when v_table.keys is null then 0 else v_rows.row_count end;
    v_after := null;
  end loop;
  data := array_to_json(v_parts);
end
$$;

-- private.data_page for the caller. Errors: unauthorized, forbidden, validation_error.
create function private.my_data_page(p_cursor text, out data json, out next_cursor text)
language plpgsql stable
security definer -- no client may call private.data_page; the user is always the caller
set search_path = ''
as $$
begin
  select p.data, p.next_cursor into data, next_cursor from private.data_page(private.active_user(), p_cursor) p;
end
$$;

grant execute on function private.my_data_page(text) to authenticated;
