-- Field values: the values of the fields of a lot, their sources, and the votes of users on them.
--
-- The row of a lot has its fields; a field value is one of them, which users can confirm or deny. Its id is derived from
-- lot, field and value (private.field_value_id), so that every value has an id without a row. A million lots need no rows
-- until users vote, and reading never writes. The first vote stores the row.
--
-- The state of a value follows from its votes.
--
--   confirmed   at least three confirm it, and they are two thirds of the votes or more
--   disputed    at least three deny it, and they are more than a third of the votes
--   unverified  otherwise
--
-- A value is retired, with any votes, when the row of the lot has another value. A value that returns has its votes
-- again. A value that an administrator confirmed (community/console_reports.sql) is confirmed until the votes since then
-- make it disputed.
--
-- Accounts cost nothing, so a vote counts only when the voter's e-mail address or telephone number has been confirmed for
-- a day (private.vote_delay). An earlier vote is stored, waits in private.waiting_votes, and counts from then on.
--
-- Invariants: one vote per user and value, which can be changed. Counts, state and last_verified_at equal a recount of
-- the votes that do not wait, also under concurrent votes. A field has at most one primary value: the value in the row of
-- the lot (or the value that the service stored, for a field that is not in the row).
-- Interface: commands.vote_on_field_value; for the lot's detail private.field_value_ids(lot).

-- ---------------------------------------------------------------------------------------------------------------------
-- Values of the row of a lot
-- ---------------------------------------------------------------------------------------------------------------------

-- The id of this value of this field of this lot.
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

-- The known fields of a lot on which users can vote.
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

-- The state by votes: confirmed from three confirmations that are two thirds or more, disputed from three denials that
-- are more than a third, otherwise unverified.
create function private.field_value_state(p_confirm_count bigint, p_deny_count bigint) returns text
language sql immutable parallel safe
return case
  when p_confirm_count >= 3 and p_confirm_count >= 2 * p_deny_count then 'confirmed'
  when p_deny_count >= 3 and 2 * p_deny_count > p_confirm_count then 'disputed'
  else 'unverified'
end;

-- The current value of every known field of an active lot, stored or not, with its votes.
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

-- Retires a value that the row of the lot no longer has; makes a value current again, with its votes, when the row has it
-- again.
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

-- ---------------------------------------------------------------------------------------------------------------------
-- Votes
-- ---------------------------------------------------------------------------------------------------------------------

-- Stores the value of the row of a lot with this id, unless it is stored; does nothing when the row has no such value.
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

-- Setting: how long a voter must have been confirmed before their votes count.
create function private.vote_delay() returns interval
language sql immutable
return interval '24 hours';

-- The users among these whose votes count now.
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

-- Stores a vote as waiting when its voter has not been confirmed for long enough. It runs before the values are counted.
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

-- Writes counts, state and last_verified_at of these values, from a count of the votes that do not wait.
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

-- Counts the votes that have waited long enough, of at most p_values values. Returns the number of values.
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

-- Whether the caller's vote on a value counts.
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

-- Counts the votes of those field values again whose votes a statement changed.
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

-- ---------------------------------------------------------------------------------------------------------------------
-- For the detail of a lot
-- ---------------------------------------------------------------------------------------------------------------------

-- ParkingLotFieldValueIds: the id of the current value of every known field of an active lot.
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

grant execute on function
  private.current_field_values(uuid), private.field_value_ids(uuid)
to anon, authenticated;
grant execute on function private.store_field_value(uuid, uuid), private.my_vote_counts(uuid) to authenticated;
