-- Field values: the values of the fields of a lot, their sources, and the votes of users on them.
--
-- The row of a lot has its fields; a field value is one of them, which users can confirm or deny. Its id is derived from lot,
-- field and value (private.field_value_id), so that every value has an id without a row. A million lots need no rows until
-- users vote, and reading never writes. The first vote stores the row.
--
-- The state of a value follows from its votes.
--
--   confirmed   at least three confirm it, and they are two thirds of the votes or more
--   disputed    at least three deny it, and they are more than a third of the votes
--   unverified  otherwise
--
-- A value is retired, with any votes, when the row of the lot has another value. A value that returns has its votes again.
-- A value that an administrator confirmed (2045) is confirmed until the votes since then make it disputed.
--
-- Accounts cost nothing, so a vote counts only when the voter's e-mail address or telephone number has been confirmed for a
-- day (private.vote_delay). An earlier vote is stored, waits in private.waiting_votes, and counts from then on.
--
-- Invariants: one vote per user and value, which can be changed. Counts, state and last_verified_at equal a recount of the
-- votes that do not wait, also under concurrent votes. A field has at most one primary value: the value in the row of the lot
-- (or the value that the service stored, for a field that is not in the row).
-- Interface: commands.vote_on_field_value; for the lot's detail private.field_value_ids(lot).

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables
-- ---------------------------------------------------------------------------------------------------------------------

create table public.field_values (
  id uuid primary key default gen_random_uuid(),
  parking_lot_id uuid not null references public.parking_lots (id) on delete cascade,
  field_name text not null constraint field_values_field_name_form check (field_name ~ '^[a-z][a-z0-9_]{0,62}$'),
  value jsonb not null,
  state text not null default 'unverified'
    constraint field_values_state_known check (state in ('unverified', 'confirmed', 'disputed', 'retired')),
  is_primary boolean not null default true,
  source text constraint field_values_source_length check (char_length(source) between 1 and 100),
  licence text constraint field_values_licence_length check (char_length(licence) between 1 and 200),
  confirm_count integer not null default 0 check (confirm_count >= 0),
  deny_count integer not null default 0 check (deny_count >= 0),
  last_verified_at timestamptz,
  decided_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint field_values_retired_is_not_primary check (not (is_primary and state = 'retired'))
);

comment on table public.field_values is 'Values of fields of lots that have votes, or that the service stored.';
comment on column public.field_values.is_primary is 'Whether this is the current value of the field.';
comment on column public.field_values.source is 'The first source of the value; licence is the licence for its redistribution.';
comment on column public.field_values.last_verified_at is 'The time of the latest confirmation that counts.';
comment on column public.field_values.decided_at is 'When an administrator confirmed it: earlier votes do not affect its state. Null: no administrator confirmed it.';

-- At most one current value per field; also the current values of a lot.
create unique index field_values_one_primary on public.field_values (parking_lot_id, field_name) where is_primary;
-- Finds all values of a lot that is changed or deleted.
create index field_values_lot_idx on public.field_values (parking_lot_id);

create table public.field_value_votes (
  field_value_id uuid not null references public.field_values (id) on delete cascade,
  user_id uuid not null references public.app_users (id) on delete cascade,
  vote text not null constraint field_value_votes_vote_known check (vote in ('confirm', 'deny')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (field_value_id, user_id)
);

comment on table public.field_value_votes is 'Votes of users on field values: one vote per user and value.';

-- Finds the votes of a user who is deleted.
create index field_value_votes_user_id_idx on public.field_value_votes (user_id);

create table private.waiting_votes (
  field_value_id uuid not null,
  user_id uuid not null,
  primary key (field_value_id, user_id),
  foreign key (field_value_id, user_id) references public.field_value_votes (field_value_id, user_id) on delete cascade
);

comment on table private.waiting_votes is 'The votes that do not count yet, because their voters are not confirmed, or not for long enough.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Row security
-- ---------------------------------------------------------------------------------------------------------------------

alter table public.field_values enable row level security;
alter table public.field_value_votes enable row level security;

-- Row security of parking_lots applies inside: values of a lot that the caller cannot see are hidden.
create policy "Everyone reads the field values of active lots" on public.field_values for select to anon, authenticated
  using ((select true from public.parking_lots l where l.id = parking_lot_id));
-- No insert, update or delete: triggers copy values from the row of the lot and maintain the counts of votes.

create policy "Users read their own votes" on public.field_value_votes for select to authenticated
  using ((select auth.uid()) = user_id);
-- Row security of field_values applies inside.
create policy "Users vote as themselves on current values of active lots" on public.field_value_votes
  for insert to authenticated
  with check (
    (select auth.uid()) = user_id
    and (select v.state <> 'retired' from public.field_values v where v.id = field_value_id)
  );
create policy "Users change their own votes" on public.field_value_votes for update to authenticated
  using ((select auth.uid()) = user_id) with check ((select auth.uid()) = user_id);
-- No delete: a vote is changed.

grant select (
  id, parking_lot_id, field_name, value, state, is_primary, source, licence, confirm_count, deny_count, last_verified_at,
  created_at, updated_at
) on public.field_values to anon, authenticated;
grant select (field_value_id, user_id, vote, created_at, updated_at), insert (field_value_id, user_id, vote),
  update (vote) on public.field_value_votes to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: values of the row of a lot
-- ---------------------------------------------------------------------------------------------------------------------

create trigger _100_touch_updated_at before update on public.field_values
  for each row execute function private.tg_touch_updated_at();
create trigger _100_touch_updated_at before update on public.field_value_votes
  for each row execute function private.tg_touch_updated_at();

create function private.field_value_id(p_lot_id uuid, p_field_name text, p_value jsonb) returns uuid
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
begin
  return (
    -- A UUID of version 8, whose bits have no standard meaning. 2.10 and 2.1 are one value.
    select overlay(overlay(md5(concat_ws(' ', p_lot_id, p_field_name,
      case jsonb_typeof(p_value) when 'number' then trim_scale(p_value::numeric)::text else p_value::text end
    )) placing '8' from 13) placing 'a' from 17)::uuid
  );
end
$$;

comment on function private.field_value_id(uuid, text, jsonb) is 'The id of this value of this field of this lot.';

create function private.lot_fields(p_lot public.parking_lots) returns table (field_name text, value jsonb)
language plpgsql stable rows 20
set search_path = ''
as $$
begin
  return query
  select f.key, f.value
  from jsonb_each(jsonb_strip_nulls(jsonb_build_object(
    'name', (p_lot).name, 'address', (p_lot).address, 'lat', (p_lot).lat, 'lng', (p_lot).lng,
    'total_spaces', (p_lot).total_spaces, 'structure', (p_lot).structure, 'max_height_m', (p_lot).max_height_m,
    'max_width_m', (p_lot).max_width_m, 'max_length_m', (p_lot).max_length_m, 'max_weight_t', (p_lot).max_weight_t,
    'min_clearance_cm', (p_lot).min_clearance_cm, 'max_tire_width_mm', (p_lot).max_tire_width_mm,
    'max_parking_duration_min', (p_lot).max_parking_duration_min, 'entry_method', (p_lot).entry_method,
    'shape_type', (p_lot).shape_type, 'entry_difficulty', (p_lot).entry_difficulty,
    'operator_code', (p_lot).operator_code, 'phone', (p_lot).phone, 'website', (p_lot).website
  ))) as f;
end
$$;

comment on function private.lot_fields(public.parking_lots) is 'The known fields of a lot on which users can vote.';

create function private.field_value_state(p_confirm_count bigint, p_deny_count bigint) returns text
language plpgsql immutable parallel safe
set search_path = ''
as $$
begin
  return case
    when p_confirm_count >= 3 and p_confirm_count >= 2 * p_deny_count then 'confirmed'
    when p_deny_count >= 3 and 2 * p_deny_count > p_confirm_count then 'disputed'
    else 'unverified'
  end;
end
$$;

comment on function private.field_value_state(bigint, bigint) is
  'The state by votes: confirmed from three confirmations that are two thirds or more, disputed from three denials that are more than a third, otherwise unverified.';

create function private.current_field_values(p_lot_id uuid)
returns table (
  id uuid, field_name text, value jsonb, state text, source text, licence text, last_verified_at timestamptz,
  confirm_count integer, deny_count integer
)
language plpgsql stable rows 20
security definer -- row security would look up the lot for every value; the query checks its status
set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
  select c.*
  from public.parking_lots l
  cross join lateral (
    select coalesce(v.id, private.field_value_id(l.id, field_name, f.value)), field_name, coalesce(v.value, f.value),
      coalesce(v.state, 'unverified'), case when v.id is null then l.source else v.source end,
      case when v.id is null then l.licence else v.licence end, v.last_verified_at,
      coalesce(v.confirm_count, 0), coalesce(v.deny_count, 0)
    from private.lot_fields(l) as f
    full join (select * from public.field_values o where o.parking_lot_id = l.id and o.is_primary) as v using (field_name)
  ) as c
  where l.id = p_lot_id and l.status = 'active';
end
$$;

comment on function private.current_field_values(uuid) is
  'The current value of every known field of an active lot, stored or not, with its votes.';

create function private.tg_parking_lots__sync_field_values() returns trigger
language plpgsql
security definer -- a role that corrects a lot has no right on values and votes
set search_path = ''
as $$
declare
  v_old jsonb;
  v_new jsonb;
begin
  if not exists (select from public.field_values v where v.parking_lot_id = new.id) then
    return null;
  end if;
  v_old := to_jsonb(old);
  v_new := to_jsonb(new);
  update public.field_values v set is_primary = false, state = 'retired', decided_at = null
  where v.parking_lot_id = new.id and v.is_primary and v_new ? v.field_name
    and v_old -> v.field_name is distinct from v_new -> v.field_name and v_new -> v.field_name <> v.value;
  update public.field_values v
  set is_primary = true, state = private.field_value_state(v.confirm_count, v.deny_count)
  from (
    select distinct on (r.field_name) r.id from public.field_values r
    where r.parking_lot_id = new.id and r.state = 'retired' and v_new -> r.field_name = r.value
      and v_old -> r.field_name is distinct from v_new -> r.field_name
    order by r.field_name, r.confirm_count + r.deny_count desc, r.id
  ) as back
  where v.id = back.id
    and not exists (
      select from public.field_values o where o.parking_lot_id = new.id and o.field_name = v.field_name and o.is_primary
    );
  return null;
end
$$;

comment on function private.tg_parking_lots__sync_field_values() is
  'Retires a value that the row of the lot no longer has; makes a value current again, with its votes, when the row has it again.';

create trigger _500_sync_field_values after update of
  name, address, lat, lng, total_spaces, structure, max_height_m, max_width_m, max_length_m, max_weight_t,
  min_clearance_cm, max_tire_width_mm, max_parking_duration_min, entry_method, shape_type, entry_difficulty,
  operator_code, phone, website
on public.parking_lots for each row execute function private.tg_parking_lots__sync_field_values();

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: votes
-- ---------------------------------------------------------------------------------------------------------------------

create function private.store_field_value(p_lot_id uuid, p_field_value_id uuid) returns void
language plpgsql
security definer -- voters have no right on values; this stores only a value of the row of the lot
set search_path = ''
as $$
begin
  if exists (select from public.field_values v where v.id = p_field_value_id) then
    -- Locks the lot before its values, as a delete does.
    perform from public.parking_lots l where l.id = p_lot_id for key share;
    return;
  end if;
  -- The lot cannot change before the row is stored; otherwise its change would not find the row.
  perform from public.parking_lots l where l.id = p_lot_id for share;
  insert into public.field_values (id, parking_lot_id, field_name, value, source, licence)
  select c.id, p_lot_id, c.field_name, c.value, c.source, c.licence
  from private.current_field_values(p_lot_id) as c
  where c.id = p_field_value_id
  on conflict do nothing; -- of two concurrent inserts, the later may first find the other by lot and field
end
$$;

comment on function private.store_field_value(uuid, uuid) is
  'Stores the value of the row of a lot with this id, unless it is stored; does nothing when the row has no such value.';

create function private.vote_delay() returns interval
language sql immutable
return interval '24 hours';

comment on function private.vote_delay() is 'Setting: how long a voter must have been confirmed before their votes count.';

create function private.counted_voters(p_user_ids uuid[]) returns setof uuid
language plpgsql stable
security definer -- auth.users belongs to the identity provider; this returns only which users are confirmed
set search_path = ''
as $$
begin
  -- least() ignores null: one of the two is enough.
  return query
  select u.id from auth.users u
  where u.id = any (p_user_ids) and least(u.email_confirmed_at, u.phone_confirmed_at) <= now() - private.vote_delay();
end
$$;

comment on function private.counted_voters(uuid[]) is 'The users among these whose votes count now.';

create function private.tg_field_value_votes__wait() returns trigger
language plpgsql
security definer -- voters have no right on waiting votes
set search_path = ''
as $$
begin
  insert into private.waiting_votes (field_value_id, user_id)
  select new.field_value_id, new.user_id
  where not exists (select from private.counted_voters(array[new.user_id]));
  return null;
end
$$;

comment on function private.tg_field_value_votes__wait() is
  'Stores a vote as waiting when its voter has not been confirmed for long enough. It runs before the values are counted.';

create trigger _100_wait after insert on public.field_value_votes
  for each row execute function private.tg_field_value_votes__wait();

create function private.refresh_field_values(p_ids uuid[]) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- Locked in one order first: the update below then sees what a concurrent voter committed.
  perform 1 from public.field_values v where v.id = any (p_ids) order by v.id for no key update;
  delete from private.waiting_votes w
  where w.field_value_id = any (p_ids) and w.user_id in (
    select c.* from private.counted_voters(
      array(select o.user_id from private.waiting_votes o where o.field_value_id = any (p_ids))
    ) as c
  );
  update public.field_values v
  set confirm_count = c.confirm_count, deny_count = c.deny_count,
    last_verified_at = greatest(c.last_verified_at, v.decided_at),
    state = case when v.state = 'retired' then 'retired'
      when v.decided_at is null then private.field_value_state(c.confirm_count, c.deny_count)
      when private.field_value_state(c.late_confirms, c.late_denies) = 'disputed' then 'disputed' else 'confirmed' end
  from unnest(p_ids) as p (id)
  cross join lateral (
    select count(*) filter (where o.vote = 'confirm') as confirm_count, count(*) filter (where o.vote = 'deny') as deny_count,
      count(*) filter (where o.vote = 'confirm' and o.updated_at > d.decided_at) as late_confirms,
      count(*) filter (where o.vote = 'deny' and o.updated_at > d.decided_at) as late_denies,
      max(o.updated_at) filter (where o.vote = 'confirm') as last_verified_at
    from public.field_values d join public.field_value_votes o on o.field_value_id = d.id
    where d.id = p.id and not exists (select from private.waiting_votes w where w.field_value_id = d.id and w.user_id = o.user_id)
  ) as c
  where v.id = p.id;
end
$$;

comment on function private.refresh_field_values(uuid[]) is
  'Writes counts, state and last_verified_at of these values, from a count of the votes that do not wait.';

create function private.count_waiting_votes(p_values integer default 1000) returns integer
language plpgsql
set search_path = ''
as $$
declare
  v_ids uuid[];
begin
  v_ids := array(
    select distinct w.field_value_id from private.waiting_votes w
    where w.user_id in (
      select c.* from private.counted_voters(array(select distinct o.user_id from private.waiting_votes o)) as c
    )
    order by w.field_value_id limit p_values
  );
  perform private.refresh_field_values(v_ids);
  return cardinality(v_ids);
end
$$;

comment on function private.count_waiting_votes(integer) is
  'Counts the votes that have waited long enough, of at most p_values values. Returns the number of values.';

select cron.schedule('count_waiting_votes', '*/5 * * * *', 'select private.count_waiting_votes()');

create function private.my_vote_counts(p_field_value_id uuid) returns boolean
language plpgsql stable
security definer -- waiting votes are private; the look-up reads only the caller's
set search_path = ''
as $$
begin
  return not exists (
    select from private.waiting_votes w where w.field_value_id = p_field_value_id and w.user_id = (select auth.uid())
  );
end
$$;

comment on function private.my_vote_counts(uuid) is 'Whether the caller''s vote on a value counts.';

create function private.tg_field_value_votes__refresh_field_values() returns trigger
language plpgsql
security definer -- neither voters nor the auth server, which deletes accounts, have a right on values
set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' then
    perform private.refresh_field_values(
      array(select b.field_value_id from rows_before b union select r.field_value_id from rows_changed r)
    );
  else
    perform private.refresh_field_values(array(select distinct r.field_value_id from rows_changed r));
  end if;
  return null;
end
$$;

create trigger _200_refresh_on_insert after insert on public.field_value_votes
  referencing new table as rows_changed
  for each statement execute function private.tg_field_value_votes__refresh_field_values();
create trigger _200_refresh_on_update after update on public.field_value_votes
  referencing old table as rows_before new table as rows_changed
  for each statement execute function private.tg_field_value_votes__refresh_field_values();
create trigger _200_refresh_on_delete after delete on public.field_value_votes
  referencing old table as rows_changed
  for each statement execute function private.tg_field_value_votes__refresh_field_values();

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: for the detail of a lot
-- ---------------------------------------------------------------------------------------------------------------------

create function private.field_value_ids(p_lot_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_object_agg(c.field_name, c.id), '{}') from private.current_field_values(p_lot_id) as c
  );
end
$$;

comment on function private.field_value_ids(uuid) is
  'ParkingLotFieldValueIds: the id of the current value of every known field of an active lot.';

grant execute on function
  private.current_field_values(uuid), private.field_value_ids(uuid)
to anon, authenticated;
grant execute on function private.store_field_value(uuid, uuid), private.my_vote_counts(uuid) to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface
-- ---------------------------------------------------------------------------------------------------------------------

create function commands.vote_on_field_value(p_parking_lot_id uuid, p_field_value_id uuid, p_vote text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_user_id uuid := private.writing_user();
  v_state text;
begin
  perform private.lock_public_lot(p_parking_lot_id);
  perform private.store_field_value(p_parking_lot_id, p_field_value_id);
  select v.state into v_state from public.field_values v
  where v.id = p_field_value_id and v.parking_lot_id = p_parking_lot_id;
  if not found then
    perform private.raise_error('not_found', 404, 'This lot has no field value with this id.', p_param => 'fieldValueId');
  elsif v_state = 'retired' then
    perform private.raise_error('conflict', 409, 'The lot has another value now. Read the lot again.', p_details => '{"reason": "retired"}');
  end if;

  perform private.log_activity('field_' || p_vote, p_parking_lot_id, p_field_value_id);
  -- Last, because it locks the value: other voters wait until this transaction ends.
  insert into public.field_value_votes (field_value_id, user_id, vote) values (p_field_value_id, v_user_id, p_vote)
  on conflict (field_value_id, user_id) do update set vote = excluded.vote;
  return (
    select jsonb_build_object(
      'id', v.id, 'parking_lot_id', v.parking_lot_id, 'field_name', v.field_name, 'value', v.value, 'state', v.state,
      'source', v.source, 'licence', v.licence, 'confirm_count', v.confirm_count, 'deny_count', v.deny_count,
      'last_verified_at', v.last_verified_at, 'my_vote', p_vote, 'my_vote_counts', private.my_vote_counts(v.id)
    )
    from public.field_values v where v.id = p_field_value_id
  );
end
$$;

comment on function commands.vote_on_field_value(uuid, uuid, text) is
  'Confirms or denies a value of a field of a lot; a second vote replaces the first. It counts once the caller has been confirmed for a day (my_vote_counts). Returns the value with its counts. Idempotent. Errors: unauthorized, forbidden, lot_not_found, not_found, conflict.';

grant execute on function commands.vote_on_field_value(uuid, uuid, text) to authenticated;
