-- Crash reports of the app, counted by kind.
--
-- The kind of a crash is its fingerprint: a hash of the top of the stack without its numbers, so that addresses and ids do
-- not make another kind. A day's crashes of one kind, version and device are one row with a count and the first stack.
--
-- Anonymous clients write here, so storage is bounded: the part of the stack that the fingerprint reads, the bytes of a
-- day, and the rows that one network adds in a day. A report is never dropped at a bound: it replaces another row. The
-- sender of reports chooses how many there are, but not in how many networks they begin. So the bounds weigh networks and
-- not reports: the row that goes is one of the network that added most bytes, of these the one that fewest networks
-- reported, of these the oldest. A flood replaces its own rows, a new crash is kept, and one that many networks report
-- stays. A network is what one subscriber usually has: the first 24 bits of an IPv4 address, the first 48 of an IPv6 one.
--
-- Invariants: nothing identifies the user: no account, no network address, and personal data in a stack (mail addresses,
-- tokens, names of home directories) are removed before it is stored. Networks are kept as keyed hashes until the following
-- night, and no client reads them. Triggers and constraints hold the bounds for every writer. Rows are deleted after 90
-- days.
-- Interface: api.report_crash, for the service, which counts the requests of a network address.

-- A stack without mail addresses, tokens and the names of home directories.
create function private.without_personal_data(p_text text) returns text
language sql immutable parallel safe
return regexp_replace(regexp_replace(regexp_replace(p_text,
  '[A-Za-z0-9._%+-]{1,64}(@|%40)[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})+', '(mail)', 'g'),
  '\meyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}(\.[A-Za-z0-9_-]*)?', '(token)', 'g'),
  '(/Users/|/home/|\\{1,2}Users\\{1,2})[^/\\\s:]+', '\1(name)', 'gi');

-- The kind of a crash: SHA-256 of the first six lines of the stack that are not empty, without their numbers.
create function private.crash_fingerprint(p_stack text) returns text
language plpgsql immutable parallel safe
set search_path = ''
as $$
begin
  return (
    select encode(sha256(convert_to(string_agg(l.line, e'\n' order by l.place), 'UTF8')), 'hex')
    from (
      select regexp_replace(btrim(s.line), '0x[0-9A-Fa-f]+|[0-9]+', '#', 'g') as line, s.place
      from string_to_table(translate(left(p_stack, 8192), e'\r', e'\n'), e'\n') with ordinality as s (line, place)
      where btrim(s.line) <> ''
      order by s.place
      limit 6
    ) l
  );
end
$$;

-- A keyed hash of what one subscriber usually has: the first 24 bits of an IPv4 address, the first 48 of an IPv6 address.
create function private.crash_network(p_address text) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_address inet;
begin
  if not pg_input_is_valid(coalesce(p_address, ''), 'inet') then
    return private.network_hash(p_address);
  end if;
  v_address := p_address::inet;
  return private.network_hash(host(network(set_masklen(v_address, case
    when family(v_address) = 4 then 24 when v_address <<= '::ffff:0:0/96' then 120 else 48
  end))));
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- The bounds of a day and of a network
-- ---------------------------------------------------------------------------------------------------------------------

-- Adds a row to the sums of its day and network (1), or subtracts it (-1). Locks the day until the transaction ends.
create function private.weigh_crash_report(p_report public.client_crash_reports, p_sign integer) returns void
language plpgsql
set search_path = ''
as $$
begin
  if p_sign > 0 then
    insert into private.crash_report_days as d (reported_on, bytes) values ((p_report).reported_on, (p_report).size_bytes)
    on conflict (reported_on) do update set bytes = d.bytes + excluded.bytes;
    insert into private.crash_report_networks as n (reported_on, network, bytes, row_count)
    values ((p_report).reported_on, (p_report).network, (p_report).size_bytes, 1)
    on conflict (reported_on, network) do update set bytes = n.bytes + excluded.bytes, row_count = n.row_count + 1;
    return;
  end if;
  update private.crash_report_days d set bytes = d.bytes - (p_report).size_bytes where d.reported_on = (p_report).reported_on;
  -- A network without rows has no row, so that there are no more of them than reports.
  delete from private.crash_report_networks n
  where n.reported_on = (p_report).reported_on and n.network = (p_report).network and n.row_count = 1;
  if not found then
    update private.crash_report_networks n set bytes = n.bytes - (p_report).size_bytes, row_count = n.row_count - 1
    where n.reported_on = (p_report).reported_on and n.network = (p_report).network;
  end if;
end
$$;

-- The row that makes room for this one; null while its day and its network are within the bounds. It is a row of this
-- network when that has too many rows, otherwise one of the network with most bytes: the row that fewest networks
-- reported, of these the oldest.
create function private.crash_report_to_replace(p_kept public.client_crash_reports) returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  v_is_network_full constant boolean := (p_kept).network <> '' and exists (
    select from private.crash_report_networks n
    where n.reported_on = (p_kept).reported_on and n.network = (p_kept).network
      and n.row_count > private.crash_report_bound('rows_a_network')
  );
begin
  if not v_is_network_full and (
    select d.bytes <= private.crash_report_bound('bytes_a_day') from private.crash_report_days d
    where d.reported_on = (p_kept).reported_on
  ) then
    return null;
  end if;
  return (
    select c.id from private.crash_report_networks n
    cross join lateral (
      select r.id from public.client_crash_reports r
      where r.reported_on = n.reported_on and r.network = n.network and r.id <> (p_kept).id
      order by r.network_count, r.created_at limit 1
    ) c
    where n.reported_on = (p_kept).reported_on and (not v_is_network_full or n.network = (p_kept).network)
    order by n.bytes desc limit 1
  );
end
$$;

-- Adds a row to the sums of its day and network, and deletes rows until both are within their bounds.
create function private.tg_client_crash_reports__make_room() returns trigger
language plpgsql
security definer -- no role may write the sums directly
set search_path = ''
as $$
declare
  v_report_id uuid;
begin
  if tg_op = 'UPDATE' then
    perform private.weigh_crash_report(old, -1);
  end if;
  perform private.weigh_crash_report(new, 1);
  loop
    v_report_id := private.crash_report_to_replace(new);
    exit when v_report_id is null;
    delete from public.client_crash_reports c where c.id = v_report_id;
  end loop;
  return null;
end
$$;

-- Subtracts a deleted row from the sums of its day and network.
create function private.tg_client_crash_reports__subtract() returns trigger
language plpgsql
security definer -- as above
set search_path = ''
as $$
begin
  perform private.weigh_crash_report(old, -1);
  return null;
end
$$;

-- Clears the sums when the table is truncated.
create function private.tg_client_crash_reports__clear() returns trigger
language plpgsql
security definer -- as above
set search_path = ''
as $$
begin
  delete from private.crash_report_networks where true;
  update private.crash_report_days set bytes = 0 where bytes > 0;
  return null;
end
$$;

-- Counts a network of a row. One beyond the bound violates a constraint of the row.
create function private.tg_crash_report_sources__count() returns trigger
language plpgsql
security definer -- the number is the table's
set search_path = ''
as $$
begin
  update public.client_crash_reports set network_count = network_count + 1 where id = new.report_id;
  return null;
end
$$;

-- Counts a crash and its network, and adds its row when there is none. A row beyond a bound replaces another one.
create function private.keep_crash_report(
  p_fingerprint text, p_stack text, p_device text, p_app_version text, p_network text
) returns void
language plpgsql
security definer -- only this domain may read which network reported a row
set search_path = ''
as $$
declare
  c_max_networks constant integer := private.crash_report_bound('networks_a_row');
  v_today constant date := (now() at time zone 'UTC')::date;
  v_report public.client_crash_reports;
begin
  -- Reports of a row that change no sum are counted without waiting for transactions that hold the day.
  update public.client_crash_reports c set report_count = c.report_count + 1, last_reported_at = now()
  where c.reported_on = v_today and c.fingerprint = p_fingerprint and c.app_version = p_app_version and c.device = p_device
    and (c.network_count = c_max_networks
      or exists (select from private.crash_report_sources s where s.report_id = c.id and s.network = p_network));
  if found then
    return;
  end if;
  -- The day first, then the row: a transaction that holds the day may delete the row.
  insert into private.crash_report_days as d (reported_on) values (v_today)
  on conflict (reported_on) do update set bytes = d.bytes;
  insert into public.client_crash_reports as c (fingerprint, stack, device, app_version, reported_on, network)
  values (p_fingerprint, p_stack, p_device, p_app_version, v_today, p_network)
  on conflict (reported_on, fingerprint, app_version, device) do update
  set report_count = c.report_count + 1, last_reported_at = now()
  returning * into v_report;
  if v_report.network_count < c_max_networks then
    insert into private.crash_report_sources (report_id, network, reported_on) values (v_report.id, p_network, v_today)
    on conflict do nothing;
  end if;
end
$$;
