-- App users as administrators find and read them (area users).
--
-- private.user_search_entries has a narrow row for each app user: sign-up time, status, premium, and the e-mail address
-- and display name as search text. Triggers on app_users and on the identity provider's auth.users keep it, because the
-- service can create indexes only on its own tables.
--
-- The list is newest first, for every search. A search reads the next 2,000 rows of that order, which fill a page when
-- matches are common. When a sample of all rows has them too, it reads up to 50,000: the newest may be without. Otherwise
-- the text index finds all matches, to be sorted.
--
-- Invariants: an entry always equals its account; for a withdrawn app user it has no text.
-- Interface: api.admin_list_users, api.admin_read_user; private.admin_user for the acts (accounts/console_user_acts.sql).

-- ---------------------------------------------------------------------------------------------------------------------
-- Entries
-- ---------------------------------------------------------------------------------------------------------------------

-- Writes the search entries of app users from their accounts.
create function private.put_user_search_entries(p_user_ids uuid[]) returns void
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan -- planned for each account, a change took 40 % longer
as $$
begin
  insert into private.user_search_entries as e (user_id, created_at, status, premium_ends_at, email, name, name_terms)
  select a.id, a.created_at, a.status, a.premium_ends_at, t.email, t.name, (select s.terms from private.search_terms(t.name) as s)
  from public.app_users a
  join auth.users u on u.id = a.id
  cross join lateral (
    select case when a.status = 'withdrawn' then '' else coalesce(private.search_text(u.email), '') end as email,
      case when a.status = 'withdrawn' then '' else coalesce(private.search_text(a.display_name), '') end as name
    offset 0 -- keeps the name from being calculated for each of its letters
  ) t
  where a.id = any (p_user_ids)
  on conflict (user_id) do update set created_at = excluded.created_at, status = excluded.status,
    premium_ends_at = excluded.premium_ends_at, email = excluded.email, name = excluded.name, name_terms = excluded.name_terms;
end
$$;

-- Keeps the search entry of an app user, whose id is also that of the auth user.
create function private.tg_app_users__put_search_entry() returns trigger
language plpgsql
security definer -- neither the auth server nor a user who changes their name has a right on entries
set search_path = ''
as $$
begin
  perform private.put_user_search_entries(array[new.id]);
  return null;
end
$$;

-- Deletes the search entry of an account with it.
create function private.tg_app_users__drop_search_entry() returns trigger
language plpgsql
security definer -- the auth server, which deletes accounts, has no right on entries
set search_path = ''
as $$
begin
  delete from private.user_search_entries where user_id = old.id;
  return null;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Search
-- ---------------------------------------------------------------------------------------------------------------------

-- Reads the filter of a search for app users. Errors: validation_error.
create function private.read_user_filter(p_email text, p_display_name text, p_status text, p_premium boolean)
returns private.user_filter
language plpgsql stable
set search_path = ''
as $$
declare
  v_email text := private.search_text(p_email);
  v_name text := private.search_text(p_display_name);
begin
  -- Two adjacent letters or digits and one character more: that is at least one trigram, which the index needs.
  if char_length(v_email) not between 3 and 255 or v_email !~ '[a-z0-9]{2}' then
    perform private.raise_error('validation_error', 422,
      'email must have 3 to 255 characters, with two adjacent letters or digits.', p_param => 'email');
  elsif char_length(v_name) not between 2 and 100 then
    perform private.raise_error('validation_error', 422, 'display_name must have 2 to 100 characters, not counting spaces.',
      p_param => 'display_name');
  elsif p_status not in ('active', 'suspended', 'withdrawn') then
    perform private.raise_error('validation_error', 422, 'status must be active, suspended or withdrawn.', p_param => 'status');
  end if;
  return row(p_status, p_premium, private.like_pattern(v_email), private.like_pattern(v_name), private.keyword_terms(v_name));
end
$$;

-- The condition of a search for app users, over private.user_search_entries e; $1 is email_pattern, $2 name_terms, $3
-- name_pattern, $4 status.
create function private.user_condition(p_filter private.user_filter) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return concat_ws(' and ', 'true',
    case when p_filter.email_pattern is not null then 'e.email like $1' end,
    case when p_filter.name_pattern is not null then 'e.name_terms @> $2 and e.name like $3' end,
    case when p_filter.is_premium then 'e.premium_ends_at > now()'
      when not p_filter.is_premium then 'coalesce(e.premium_ends_at <= now(), true)' end,
    case when p_filter.status is not null then 'e.status = $4' end,
    -- They have no text.
    case when p_filter.status = 'withdrawn' and coalesce(p_filter.email_pattern, p_filter.name_pattern) is not null then 'false' end
  );
end
$$;

-- The first app users who meet the filter among the next p_window of the list, after a position in it; p_window null:
-- among all.
create function private.listed_users(
  p_filter private.user_filter, p_window integer, p_after_at timestamptz, p_after_id uuid, p_limit integer
) returns uuid[]
language plpgsql stable
set search_path = ''
-- The order is always read from its index, even when another plan seems cheaper.
set enable_sort = off
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  v_ids uuid[];
begin
  execute format(
    'select array(
      select e.user_id from (
        select * from private.user_search_entries e where (e.created_at, e.user_id) < ($5, $6) %s
        order by e.created_at desc, e.user_id desc limit $8
      ) e
      where %s order by e.created_at desc, e.user_id desc limit $7
    )', case when p_filter.status is not null then 'and e.status = $4' end, private.user_condition(p_filter)
  ) into v_ids using p_filter.email_pattern, p_filter.name_terms, p_filter.name_pattern, p_filter.status,
    p_after_at, p_after_id, p_limit, p_window;
  return v_ids;
end
$$;

-- The first app users who meet the filter, after a position in the list: all matches of the indexes, sorted.
create function private.indexed_users(p_filter private.user_filter, p_after_at timestamptz, p_after_id uuid, p_limit integer)
returns uuid[]
language plpgsql stable
set search_path = ''
-- Only bitmaps of the indexes: a plan that reads the order until it has found enough may read a million rows.
set enable_seqscan = off
set enable_indexscan = off
set enable_indexonlyscan = off
as $$
declare
  v_ids uuid[];
begin
  execute format(
    'select array(
      select e.user_id from private.user_search_entries e where %s and (e.created_at, e.user_id) < ($5, $6)
      order by e.created_at desc, e.user_id desc limit $7
    )', private.user_condition(p_filter)
  ) into v_ids using p_filter.email_pattern, p_filter.name_terms, p_filter.name_pattern, p_filter.status,
    p_after_at, p_after_id, p_limit;
  return v_ids;
end
$$;

-- Whether more than one app user in fifty meets the filter, by a sample of 2,000.
create function private.is_common_user(p_filter private.user_filter) returns boolean
language plpgsql stable
set search_path = ''
as $$
declare
  c_sample constant integer := 2000;
  v_share double precision;
begin
  -- Whole pages at random. Of a small table all of them, and its matches are few.
  execute format(
    'select count(*) / %s from private.user_search_entries e tablesample system (%s) repeatable (1) where %s', c_sample::float8,
    least(100, 100 * c_sample / (
      select greatest(c.reltuples, 1) from pg_catalog.pg_class c where c.oid = 'private.user_search_entries'::regclass
    )), private.user_condition(p_filter)
  ) into v_share using p_filter.email_pattern, p_filter.name_terms, p_filter.name_pattern, p_filter.status;
  return v_share > 0.02;
end
$$;

-- The first app users of the list, newest first, who meet the filter, after a position in it.
create function private.found_users(p_filter private.user_filter, p_after_at timestamptz, p_after_id uuid, p_limit integer)
returns uuid[]
language plpgsql stable
security definer -- no role may read entries; only administrators reach this, and it returns only ids
set search_path = ''
as $$
declare
  v_ids uuid[];
begin
  -- Without a text, and unless premium is given, most of the list meets the filter.
  if coalesce(p_filter.email_pattern, p_filter.name_pattern, case when p_filter.is_premium then '' end) is null then
    return private.listed_users(p_filter, null, p_after_at, p_after_id, p_limit);
  end if;
  v_ids := private.listed_users(p_filter, 2000, p_after_at, p_after_id, p_limit);
  if cardinality(v_ids) >= p_limit then
    return v_ids;
  end if;
  if private.is_common_user(p_filter) then
    v_ids := private.listed_users(p_filter, 50000, p_after_at, p_after_id, p_limit);
    if cardinality(v_ids) >= p_limit then
      return v_ids;
    end if;
  end if;
  return private.indexed_users(p_filter, p_after_at, p_after_id, p_limit);
end
$$;

-- The number of app users who meet the filter: {total, total_is_exact}. Counted up to 10,000, and among 200,000 when many
-- meet it.
create function private.user_total(p_filter private.user_filter) returns jsonb
language plpgsql stable
security definer -- as private.found_users
set search_path = ''
set enable_seqscan = on
set enable_indexscan = on
set enable_indexonlyscan = on
as $$
declare
  -- So many are compared with a filter that many meet.
  c_max_read constant integer := 200000;
  v_is_common constant boolean := private.is_common_user(p_filter);
  v_is_all boolean := true;
  v_count integer;
begin
  -- Only bitmaps of the indexes where few meet it, as private.indexed_users. The settings end with this function.
  perform set_config(s.name, 'off', true)
  from unnest('{enable_seqscan,enable_indexscan,enable_indexonlyscan}'::text[]) as s (name) where not v_is_common;
  execute format('select count(*) from (select from %s e where %s limit $5) f',
    case when v_is_common then format('(select * from private.user_search_entries limit %s)', c_max_read)
      else 'private.user_search_entries' end,
    private.user_condition(p_filter)
  ) into v_count using p_filter.email_pattern, p_filter.name_terms, p_filter.name_pattern, p_filter.status, private.max_total() + 1;
  if v_is_common and v_count <= private.max_total() then
    v_is_all := not exists (select from private.user_search_entries offset c_max_read limit 1);
  end if;
  return private.capped_total(v_count, v_is_all);
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- App users as administrators see them
-- ---------------------------------------------------------------------------------------------------------------------

-- The data that administrators read of the auth users of app users.
create function private.sign_ins_of(p_user_ids uuid[]) returns table (user_id uuid, email text, last_sign_in_at timestamptz)
language plpgsql stable
security definer -- auth.users is the identity provider's; administrators read only e-mail address and last sign-in
set search_path = ''
as $$
begin
  return query
  select u.id, u.email::text, u.last_sign_in_at from auth.users u where u.id = any (p_user_ids);
end
$$;

-- App users as the administrators' list returns them, in this order; null for an empty list.
create function private.admin_user_rows(p_user_ids uuid[]) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select jsonb_agg(jsonb_build_object(
      'id', a.id, 'email', s.email, 'display_name', a.display_name, 'status', a.status,
      'is_premium', coalesce(a.premium_ends_at > now(), false),
      -- JSON has no time for infinity.
      'premium_ends_at', case when isfinite(a.premium_ends_at) then a.premium_ends_at end,
      'created_at', a.created_at, 'last_sign_in_at', s.last_sign_in_at, 'updated_at', a.updated_at
    ) order by p.place)
    from unnest(p_user_ids) with ordinality as p (id, place)
    join public.app_users a on a.id = p.id
    join private.sign_ins_of(p_user_ids) s on s.user_id = a.id
  );
end
$$;

-- An app user as administrators read them: the row of the list with avatar, figures and subscription. Errors: not_found.
create function private.admin_user(p_user_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_user constant jsonb := private.require_row(private.admin_user_rows(array[p_user_id]) -> 0, 'There is no such app user.');
  -- The rest of a withdrawn account is about to be deleted.
  v_shown_id constant uuid := case when v_user ->> 'status' <> 'withdrawn' then p_user_id end;
begin
  return v_user || jsonb_build_object(
    'avatar', private.avatar_of(p_user_id), 'allowed_statuses', private.allowed_states('account', v_user ->> 'status'),
    'figures', (
      select jsonb_build_object(
        'total_exp', coalesce(max(a.total_exp), 0), 'level', coalesce(max(a.level), 1),
        'sessions', (select count(*) from public.parking_sessions s where s.user_id = v_shown_id),
        'reviews', (select count(*) from public.reviews r where r.user_id = v_shown_id),
        'error_reports', (select count(*) from public.error_reports r where r.user_id = v_shown_id),
        'badges', (select count(*) from public.user_badges b where b.user_id = v_shown_id),
        'devices', (select count(*) from public.user_push_tokens t where t.user_id = v_shown_id),
        'saved_parking_lots', (select count(*) from public.saved_parking_lots s where s.user_id = v_shown_id)
      )
      from public.app_users a where a.id = v_shown_id
    ),
    'subscription', private.admin_subscription_of_user(p_user_id)
  );
end
$$;

create function api.admin_list_users(
  p_admin_id uuid, p_email text default null, p_display_name text default null, p_status text default null,
  p_premium boolean default null, p_include text[] default '{}', p_cursor text default null, p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters jsonb := jsonb_build_array('admin_users', p_email, p_display_name, p_status, p_premium);
  v_after jsonb;
  v_filter private.user_filter;
begin
  perform private.check_admin(p_admin_id, 'users');
  v_after := private.page_start(v_filters, p_cursor, '{timestamptz,uuid}', 'desc');
  perform private.page_limit(p_limit);
  v_filter := private.read_user_filter(p_email, p_display_name, p_status, p_premium);
  return private.page(v_filters, private.admin_user_rows(
    private.found_users(v_filter, (v_after ->> 0)::timestamptz, (v_after ->> 1)::uuid, p_limit + 1)
  ), '{created_at,id}', p_limit) || case when 'total' = any (p_include) then private.user_total(v_filter) else '{}' end;
end
$$;

comment on function api.admin_list_users(uuid, text, text, text, boolean, text[], text, integer) is
  'App users, newest first: {items, next_cursor}, and total (counted up to 10,000) with total_is_exact when p_include has it. p_email and p_display_name are parts of the text, of at least 3 and 2 characters, regardless of case, width and kana. Administrators without an app account are not included. Reads only. Errors: forbidden, validation_error.';

create function api.admin_read_user(p_admin_id uuid, p_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'users');
  return private.admin_user(p_id);
end
$$;

comment on function api.admin_read_user(uuid, uuid) is
  'An app user: {id, email, display_name, status, is_premium, premium_ends_at, created_at, last_sign_in_at, updated_at, avatar, figures, subscription}. Reads only. Errors: forbidden, not_found.';
