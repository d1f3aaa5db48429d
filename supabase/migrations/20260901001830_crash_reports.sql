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

-- ---------------------------------------------------------------------------------------------------------------------
-- Bounds
-- ---------------------------------------------------------------------------------------------------------------------

create function private.crash_report_bound(p_name text) returns integer
language sql immutable parallel safe
return case p_name
  when 'stack_bytes' then 8192 -- the part that private.crash_fingerprint reads
  when 'bytes_a_day' then 4194304
  when 'rows_a_network' then 100 -- in a day
  when 'networks_a_row' then 50 -- the number is exact up to this
end;

comment on function private.crash_report_bound(text) is
  'The bounds of what crash reports store: stack_bytes, bytes_a_day, rows_a_network, networks_a_row.';

create function private.crash_report_size(p_stack text, p_device text, p_app_version text, p_networks integer)
returns integer
language sql immutable parallel safe
-- Device and version are in an index as well; the rest of a row and its index entries has about 500 bytes, and a row of
-- crash_report_sources with its index entry about 150.
return octet_length(p_stack) + 2 * (octet_length(p_device) + octet_length(p_app_version)) + 500 + 150 * p_networks;

comment on function private.crash_report_size(text, text, text, integer) is
  'The bytes of a row and of its networks in the sum of its day.';

-- Constraints and generated columns call these as the role that writes the row.
grant execute on function private.crash_report_bound(text), private.crash_report_size(text, text, text, integer) to service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables
-- ---------------------------------------------------------------------------------------------------------------------

create table public.client_crash_reports (
  id uuid primary key default gen_random_uuid(),
  fingerprint text not null constraint client_crash_reports_fingerprint_sha256 check (fingerprint ~ '^[0-9a-f]{64}$'),
  stack text not null constraint client_crash_reports_stack_size
    check (octet_length(stack) between 1 and private.crash_report_bound('stack_bytes')),
  device text not null constraint client_crash_reports_device_length check (char_length(device) between 1 and 200),
  app_version text not null
    constraint client_crash_reports_app_version_length check (char_length(app_version) between 1 and 50),
  reported_on date not null default (now() at time zone 'UTC')::date,
  report_count integer not null default 1 constraint client_crash_reports_count_positive check (report_count > 0),
  created_at timestamptz not null default now(),
  last_reported_at timestamptz not null default now(),
  network text not null default '',
  network_count integer not null default 0 constraint client_crash_reports_network_count_bounds
    check (network_count between 0 and private.crash_report_bound('networks_a_row')),
  size_bytes integer not null generated always as (
    private.crash_report_size(stack, device, app_version, network_count)
  ) stored,
  constraint client_crash_reports_one_a_day unique (reported_on, fingerprint, app_version, device)
);

comment on table public.client_crash_reports is 'Crashes of the app: one row a day, kind, version and device.';
comment on column public.client_crash_reports.fingerprint is 'SHA-256 of the top of the stack without its numbers: the kind.';
comment on column public.client_crash_reports.stack is
  'The first stack of the row: its first 8 KiB, without personal data.';
comment on column public.client_crash_reports.network is
  'The network that added the row, as a keyed hash. Empty from the following night on, and for a row that was written by SQL.';
comment on column public.client_crash_reports.network_count is
  'How many networks reported it, of the first 50. It weighs the row; report_count does not, because one client can raise it.';
comment on column public.client_crash_reports.size_bytes is 'The bytes of the row and of its networks in the sum of its day.';

-- The rows of a network, those that are replaced first in front.
create index client_crash_reports_rarest_idx on public.client_crash_reports (reported_on, network, network_count, created_at);
-- Rows whose network is to be forgotten.
create index client_crash_reports_named_idx on public.client_crash_reports (reported_on) where network <> '';

create table private.crash_report_days (
  reported_on date primary key,
  bytes bigint not null default 0
);

comment on table private.crash_report_days is
  'The sum of size_bytes of the rows of a day, kept by trigger. A transaction that adds a row locks the day''s row, so the bound is exact.';

create table private.crash_report_networks (
  reported_on date,
  network text,
  bytes bigint not null,
  row_count integer not null,
  primary key (reported_on, network)
);

comment on table private.crash_report_networks is
  'What the rows add up to that a network added to a day, kept by trigger, under the lock of the day. Kept until the following night.';

create index crash_report_networks_heaviest_idx on private.crash_report_networks (reported_on, bytes desc);

create table private.crash_report_sources (
  report_id uuid references public.client_crash_reports (id) on delete cascade,
  network text,
  reported_on date not null,
  primary key (report_id, network)
);

comment on table private.crash_report_sources is
  'Which networks reported a row, as keyed hashes, so that each counts once. At most 50 a row. Kept until the following night.';

create index crash_report_sources_day_idx on private.crash_report_sources (reported_on);

-- ---------------------------------------------------------------------------------------------------------------------
-- Row security
-- ---------------------------------------------------------------------------------------------------------------------

alter table public.client_crash_reports enable row level security;

create policy "Active administrators read the crashes" on public.client_crash_reports for select to authenticated
  using ((select true from public.admins a where a.id = (select auth.uid()) and a.status = 'active'));

-- No insert, update or delete: api.report_crash writes rows, and a job deletes old ones.

grant select (id, fingerprint, stack, device, app_version, reported_on, report_count, created_at, last_reported_at, network_count, size_bytes)
  on public.client_crash_reports to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals
-- ---------------------------------------------------------------------------------------------------------------------

create function private.without_personal_data(p_text text) returns text
language sql immutable parallel safe
return regexp_replace(regexp_replace(regexp_replace(p_text,
  '[A-Za-z0-9._%+-]{1,64}(@|%40)[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})+', '(mail)', 'g'),
  '\meyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}(\.[A-Za-z0-9_-]*)?', '(token)', 'g'),
  '(/Users/|/home/|\\{1,2}Users\\{1,2})[^/\\\s:]+', '\1(name)', 'gi');

comment on function private.without_personal_data(text) is
  'A stack without mail addresses, tokens and the names of home directories.';

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

comment on function private.crash_fingerprint(text) is
  'The kind of a crash: SHA-256 of the first six lines of the stack that are not empty, without their numbers.';

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

comment on function private.crash_network(text) is
  'A keyed hash of what one subscriber usually has: the first 24 bits of an IPv4 address, the first 48 of an IPv6 address.';

insert into private.retentions (table_name, condition, change) values
  ('public.client_crash_reports', 't.reported_on < (now() at time zone ''UTC'')::date - 90', null),
  ('public.client_crash_reports', 't.network <> '''' and t.reported_on < (now() at time zone ''UTC'')::date', 'network = '''''),
  ('private.crash_report_days', 't.reported_on < (now() at time zone ''UTC'')::date - 90', null),
  ('private.crash_report_networks', 't.reported_on < (now() at time zone ''UTC'')::date', null),
  ('private.crash_report_sources', 't.reported_on < (now() at time zone ''UTC'')::date', null);

grant execute on function private.without_personal_data(text), private.crash_fingerprint(text), private.crash_network(text)
to service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: the bounds of a day and of a network
-- ---------------------------------------------------------------------------------------------------------------------

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

comment on function private.weigh_crash_report(public.client_crash_reports, integer) is
  'Adds a row to the sums of its day and network (1), or subtracts it (-1). Locks the day until the transaction ends.';

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

comment on function private.crash_report_to_replace(public.client_crash_reports) is
  'The row that makes room for this one; null while its day and its network are within the bounds. It is a row of this network when that has too many rows, otherwise one of the network with most bytes: the row that fewest networks reported, of these the oldest.';

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

comment on function private.tg_client_crash_reports__make_room() is
  'Adds a row to the sums of its day and network, and deletes rows until both are within their bounds.';

create trigger _100_make_room after insert on public.client_crash_reports
  for each row execute function private.tg_client_crash_reports__make_room();
create trigger _100_make_room_again after update on public.client_crash_reports
  for each row when (
    (old.reported_on, old.network, old.size_bytes) is distinct from (new.reported_on, new.network, new.size_bytes)
  )
  execute function private.tg_client_crash_reports__make_room();

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

comment on function private.tg_client_crash_reports__subtract() is
  'Subtracts a deleted row from the sums of its day and network.';

create trigger _100_subtract after delete on public.client_crash_reports
  for each row execute function private.tg_client_crash_reports__subtract();

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

comment on function private.tg_client_crash_reports__clear() is 'Clears the sums when the table is truncated.';

create trigger _100_clear after truncate on public.client_crash_reports
  for each statement execute function private.tg_client_crash_reports__clear();

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

comment on function private.tg_crash_report_sources__count() is
  'Counts a network of a row. One beyond the bound violates a constraint of the row.';

create trigger _100_count after insert on private.crash_report_sources
  for each row execute function private.tg_crash_report_sources__count();

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

comment on function private.keep_crash_report(text, text, text, text, text) is
  'Counts a crash and its network, and adds its row when there is none. A row beyond a bound replaces another one.';

grant execute on function private.keep_crash_report(text, text, text, text, text) to service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface
-- ---------------------------------------------------------------------------------------------------------------------

create function api.report_crash(p_stack text, p_device text, p_app_version text, p_address text default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  c_max constant integer := private.crash_report_bound('stack_bytes');
  v_stack text := private.without_personal_data(private.trimmed(p_stack));
  v_device text := private.trimmed(p_device);
  v_version text := private.trimmed(p_app_version);
begin
  if v_stack is null or octet_length(p_stack) > 65536 then
    perform private.raise_error('validation_error', 422, 'stack must have 1 to 65536 bytes.', p_param => 'stack');
  elsif v_device is null or char_length(v_device) > 200 then
    perform private.raise_error('validation_error', 422, 'device must have 1 to 200 characters.', p_param => 'device');
  elsif v_version is null or char_length(v_version) > 50 then
    perform private.raise_error('validation_error', 422, 'app_version must have 1 to 50 characters.', p_param => 'app_version');
  end if;
  -- Cut after personal data are removed: half an address would not be recognized.
  v_stack := left(v_stack, c_max);
  while octet_length(v_stack) > c_max loop
    v_stack := left(v_stack, char_length(v_stack) - 1 - (octet_length(v_stack) - c_max) / 4);
  end loop;
  perform private.keep_crash_report(
    private.crash_fingerprint(v_stack), v_stack, v_device, v_version, private.crash_network(p_address)
  );
  return '{"ok": true}';
end
$$;

comment on function api.report_crash(text, text, text, text) is
  'Counts a crash of the app, and keeps the first 8 KiB of the stack of the first one of its kind, version, device and day. p_address: the client''s network address, kept as a keyed hash of its network (IPv4 /24, IPv6 /48). At most 4 MiB a day and 100 rows a network and day: beyond them it replaces a row of the network that added most. For the service. Errors: validation_error.';

grant execute on function api.report_crash(text, text, text, text) to service_role;
