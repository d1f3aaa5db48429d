-- The receipt of a session notes prices that were written during it: private.tariffs.compiled_at, note prices_changed. The
-- job of dated prices writes hour prices and no longer compiles lists.
--
-- The definitions are those of supabase/schemas after this change. The way back: the functions as they were, then drop
-- private.refresh_hour_prices, the column and the code.

set lock_timeout = '2s';

-- Lists of before this change count as old: no running session had a note.
-- pgls-ignore lint/safety/addingFieldWithDefault: a constant default, which Postgres stores in the catalogue
alter table private.tariffs
  add column compiled_at timestamptz not null default '-infinity',
  alter column compiled_at set default now();

comment on column private.tariffs.compiled_at is
  'When the list was compiled, which is when rules or groups of the lot were written. A session that began earlier has the note prices_changed.';

-- Writes the hour_price of these lots, and the date on which their lists change next where that date has come. Returns the
-- lots whose hour_price changed.
create function private.refresh_hour_prices(p_lot_ids uuid[]) returns uuid[]
language plpgsql
security definer -- no role may write compiled price lists or hour prices
set search_path = ''
as $$
declare
  v_changed uuid[];
begin
  update private.tariffs t
  set changes_on = private.next_price_date(t.tariff, (now() at time zone l.time_zone)::date)
  from public.parking_lots l
  where t.parking_lot_id = any (p_lot_ids) and l.id = t.parking_lot_id
    and t.changes_on <= (now() at time zone l.time_zone)::date;
  with changed as (
    update public.parking_lots l
    set hour_price = p.hour_price
    from private.hour_prices(p_lot_ids) p
    where l.id = p.parking_lot_id and l.hour_price is distinct from p.hour_price
    returning l.id
  )
  select array_agg(c.id) into v_changed from changed c;
  return coalesce(v_changed, '{}');
end
$$;

-- Compiles the price lists of these lots again, and writes their hour_price. Errors: validation_error (pricing_rules).
create or replace function private.refresh_tariffs(p_lot_ids uuid[]) returns uuid[]
language plpgsql
security definer -- no role may write compiled price lists; a role that may write rules may have them compiled
set search_path = ''
as $$
declare
  v_lot_ids uuid[];
begin
  -- Locked in one order first: the statements below then see what a concurrent writer of the same lot committed.
  select array_agg(l.id) into v_lot_ids
  from (select id from public.parking_lots where id = any (p_lot_ids) order by id for no key update) l;
  if v_lot_ids is null then
    return '{}';
  end if;
  perform private.check_published_totals(v_lot_ids);
  delete from private.tariffs where parking_lot_id = any (v_lot_ids);
  insert into private.tariffs (
    parking_lot_id, place, is_default, vehicle_types, longest_grace, initial_time, least_rate, least_price, least_pace, tariff,
    changes_on
  )
  select c.parking_lot_id, c.place, c.is_default, c.vehicle_types, b.longest_grace, b.initial_time, b.least_rate,
    b.least_price, private.least_pace(c.tariff), c.tariff,
    private.next_price_date(c.tariff, (now() at time zone l.time_zone)::date)
  from private.compiled_tariffs(v_lot_ids) c
  join public.parking_lots l on l.id = c.parking_lot_id
  cross join lateral private.tariff_bounds(c.tariff) b
  -- A default list without rules has the same meaning as no list.
  where not (c.is_default and c.vehicle_types is null and (c.tariff).rule_ids is null);
  return private.refresh_hour_prices(v_lot_ids);
end
$$;

-- Refreshes up to p_count lots on whose calendar other rules came into effect: hour_price, their search entries and the
-- queue of changed lots. Their lists stay as compiled: no rule changed. Returns whether there may be more.
create or replace function private.next_price_change_batch(p_count integer default 500) returns boolean
language plpgsql
security definer -- the job reads and writes compiled price lists
set search_path = ''
as $$
declare
  v_lot_ids uuid[];
  v_written uuid[];
begin
  -- It is tomorrow somewhere before it is in UTC.
  select array_agg(d.id) into v_lot_ids
  from (
    select distinct l.id
    from private.tariffs t
    join public.parking_lots l on l.id = t.parking_lot_id
    where t.changes_on <= (now() at time zone 'UTC')::date + 1 and t.changes_on <= (now() at time zone l.time_zone)::date
    order by l.id limit p_count
  ) d;
  if v_lot_ids is null then
    return false;
  end if;
  -- In the order of all writers of lots.
  perform l.id from public.parking_lots l where l.id = any (v_lot_ids) order by l.id for no key update;
  v_written := private.refresh_hour_prices(v_lot_ids);
  -- The trigger of parking_lots has refreshed and queued the lots whose hour price changed.
  v_lot_ids := array(select unnest(v_lot_ids) except select unnest(v_written));
  perform private.refresh_search_entries(v_lot_ids);
  perform private.queue_lot_changes(v_lot_ids);
  return true;
end
$$;

-- Ends a running session of the caller and stores its fee; a second request with the same client request id returns the
-- same session. Errors: unauthorized, forbidden, not_found, validation_error, lot_not_found, conflict.
create or replace function private.end_session(p_id uuid, p_exit_at timestamptz, p_client_request_id uuid)
returns public.parking_sessions
language plpgsql
security definer -- no client may write the fee of a session
set search_path = ''
as $$
declare
  v_session public.parking_sessions := private.my_session_for_change(p_id);
  -- By the clock of a device that is slow the car left before it came: it ends then at the start.
  v_exit_at constant timestamptz := greatest(v_session.started_at, p_exit_at);
  v_priced_until timestamptz;
  v_fee jsonb;
begin
  if v_session.status = 'ended' and v_session.finalize_request_id = p_client_request_id then
    return v_session;
  elsif v_session.status <> 'parking' then
    perform private.raise_error('conflict', 409, format('The session already has the status %s.', v_session.status),
      p_details => jsonb_build_object('reason', 'session_' || v_session.status));
  end if;
  perform private.check_exit(v_session, p_exit_at);
  -- A session that was never ended costs its first 366 days, which the breakdown states. One that ends before its start
  -- costs a second: the first unit.
  v_priced_until := case when p_exit_at < v_session.started_at then v_exit_at + interval '1 second'
    else least(v_exit_at, v_session.started_at + interval '8784 hours') end;
  v_fee := private.fee_answer(v_session.parking_lot_id, v_session.vehicle_type, v_session.started_at, v_priced_until);
  if v_priced_until < v_exit_at and v_fee ? 'breakdown' then
    v_fee := jsonb_insert(v_fee, '{breakdown,notes,0}', '"only_366_days_priced"');
  end if;
  if v_fee ? 'breakdown' and exists (
    select from private.tariffs t
    where t.parking_lot_id = v_session.parking_lot_id and t.compiled_at > v_session.started_at
  ) then
    v_fee := jsonb_insert(v_fee, '{breakdown,notes,0}', '"prices_changed"');
  end if;
  update public.parking_sessions s
  set status = 'ended', ended_at = v_exit_at, finalize_request_id = p_client_request_id,
    total_amount_minor = (v_fee ->> 'total_amount')::bigint,
    currency = coalesce(v_fee ->> 'currency', (select l.currency from public.parking_lots l where l.id = s.parking_lot_id)),
    breakdown = coalesce(v_fee -> 'breakdown' || jsonb_build_object('surprises', v_fee -> 'surprises'), v_fee),
    price_list_id = private.store_price_list(private.rules_of_stay(s.parking_lot_id, s.started_at, v_exit_at))
  where s.id = p_id
  returning * into v_session;
  perform private.log_activity('session_end', v_session.parking_lot_id, p_id, jsonb_build_object(
    'total_amount', v_session.total_amount_minor, 'currency', v_session.currency,
    'minutes', floor(extract(epoch from v_session.ended_at - v_session.started_at) / 60)
  ), private.is_rewarded_stay(v_session));
  return v_session;
end
$$;

insert into public.codes (category_id, code, lang, display_label, sort_order) values
  ('fee_note', 'prices_changed', 'ja', '駐車中に料金が変更されました。今の料金で計算しています', 60),
  ('fee_note', 'prices_changed', 'en', 'Prices of the lot were changed during the stay; those of its end were used', 60);
