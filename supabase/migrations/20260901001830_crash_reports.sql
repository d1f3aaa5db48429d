-- Crash reports of the app, counted by kind.
--
-- The kind of a crash is its fingerprint: a hash of the top of the stack without its numbers, so that addresses and ids do
-- not make another kind. A day's crashes of one kind, version and device are one row with a count and the first stack.
--
-- Anonymous clients write here, so storage is bounded: the part of the stack that the fingerprint reads, the bytes of a
-- day, and the rows that one network adds in a day. A report is never dropped at a bound. It replaces the row with the
-- lowest count, of these the oldest: so a new crash is kept, and one that many devices report stays.
--
-- Invariants: nothing identifies the user: no account, no network address, and personal data in a stack (mail addresses,
-- tokens, names of home directories) are removed before it is stored. The keyed hash of a network is kept in private until
-- the following night. A trigger bounds the bytes of a day for every writer. Rows are deleted after 90 days.
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
end;

comment on function private.crash_report_bound(text) is
  'The bounds of what crash reports store: stack_bytes, bytes_a_day, rows_a_network.';

create function private.crash_report_size(p_stack text, p_device text, p_app_version text) returns integer
language sql immutable parallel safe
-- Device and version are in an index as well; the rest of a row and its index entries has about 400 bytes.
return octet_length(p_stack) + 2 * (octet_length(p_device) + octet_length(p_app_version)) + 400;

comment on function private.crash_report_size(text, text, text) is 'The bytes of a row in the sum of its day.';

-- Constraints and generated columns call these as the role that writes the row.
grant execute on function private.crash_report_bound(text), private.crash_report_size(text, text, text) to service_role;

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
  size_bytes integer not null generated always as (private.crash_report_size(stack, device, app_version)) stored,
  constraint client_crash_reports_one_a_day unique (reported_on, fingerprint, app_version, device)
);

comment on table public.client_crash_reports is 'Crashes of the app: one row a day, kind, version and device.';
comment on column public.client_crash_reports.fingerprint is 'SHA-256 of the top of the stack without its numbers: the kind.';
comment on column public.client_crash_reports.stack is
  'The first stack of the row: its first 8 KiB, without personal data.';
comment on column public.client_crash_reports.size_bytes is 'The bytes of the row in the sum of its day.';

-- The rows that are replaced first when a day is full.
create index client_crash_reports_rarest_idx on public.client_crash_reports (reported_on, report_count, created_at);

create table private.crash_report_days (
  reported_on date primary key,
  bytes bigint not null default 0
);

comment on table private.crash_report_days is
  'The sum of size_bytes of the rows of a day, kept by trigger. A transaction that adds a row locks the day''s row, so the bound is exact.';

create table private.crash_report_sources (
  report_id uuid primary key references public.client_crash_reports (id) on delete cascade,
  reported_on date not null,
  network text not null
);

comment on table private.crash_report_sources is
  'Which network added a row, as a keyed hash: for the bound of a network. Kept until the following night.';

create index crash_report_sources_network_idx on private.crash_report_sources (reported_on, network);

-- ---------------------------------------------------------------------------------------------------------------------
-- Row security
-- ---------------------------------------------------------------------------------------------------------------------

alter table public.client_crash_reports enable row level security;

create policy "Active administrators read the crashes" on public.client_crash_reports for select to authenticated
  using ((select true from public.admins a where a.id = (select auth.uid()) and a.status = 'active'));

-- No insert, update or delete: api.report_crash writes rows, and a job deletes old ones.

grant select (id, fingerprint, stack, device, app_version, reported_on, report_count, created_at, last_reported_at, size_bytes)
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

insert into private.retentions (table_name, condition) values
  ('public.client_crash_reports', 't.reported_on < (now() at time zone ''UTC'')::date - 90'),
  ('private.crash_report_days', 't.reported_on < (now() at time zone ''UTC'')::date - 90'),
  ('private.crash_report_sources', 't.reported_on < (now() at time zone ''UTC'')::date');

grant execute on function private.without_personal_data(text), private.crash_fingerprint(text) to service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals: the bounds of a day and of a network
-- ---------------------------------------------------------------------------------------------------------------------

create function private.lock_crash_day(p_day date) returns bigint
language plpgsql
set search_path = ''
as $$
declare
  v_bytes bigint;
begin
  insert into private.crash_report_days as d (reported_on) values (p_day)
  on conflict (reported_on) do update set bytes = d.bytes
  returning d.bytes into v_bytes;
  return v_bytes;
end
$$;

comment on function private.lock_crash_day(date) is
  'Locks a day of crash reports until the transaction ends, and returns its bytes. The counts of rows are updated without this lock.';

create function private.tg_client_crash_reports__make_room() returns trigger
language plpgsql
security definer -- no role may write the totals of days directly
set search_path = ''
as $$
begin
  perform private.lock_crash_day(new.reported_on);
  update private.crash_report_days set bytes = bytes + new.size_bytes where reported_on = new.reported_on;
  while private.lock_crash_day(new.reported_on) > private.crash_report_bound('bytes_a_day') loop
    delete from public.client_crash_reports
    where id = (
      select c.id from public.client_crash_reports c
      where c.reported_on = new.reported_on and c.id <> new.id order by c.report_count, c.created_at limit 1
    );
    if not found then -- the table was truncated, without a trigger: this row is all there is
      update private.crash_report_days set bytes = new.size_bytes where reported_on = new.reported_on;
    end if;
  end loop;
  return null;
end
$$;

comment on function private.tg_client_crash_reports__make_room() is
  'Adds a row to the bytes of its day. When the bound is exceeded, deletes rows with the lowest counts, of these the oldest.';

create trigger _100_make_room after insert on public.client_crash_reports
  for each row execute function private.tg_client_crash_reports__make_room();

create function private.tg_client_crash_reports__subtract_bytes() returns trigger
language plpgsql
security definer -- as above
set search_path = ''
as $$
begin
  update private.crash_report_days d set bytes = d.bytes - c.bytes
  from (select r.reported_on, sum(r.size_bytes) as bytes from rows_deleted r group by r.reported_on) c
  where d.reported_on = c.reported_on;
  return null;
end
$$;

comment on function private.tg_client_crash_reports__subtract_bytes() is
  'Subtracts deleted rows from the bytes of their days.';

create trigger _100_subtract_bytes after delete on public.client_crash_reports
  referencing old table as rows_deleted
  for each statement execute function private.tg_client_crash_reports__subtract_bytes();

create function private.keep_crash_report(
  p_fingerprint text, p_stack text, p_device text, p_app_version text, p_network text
) returns void
language plpgsql
security definer -- only this domain may read which network added a row
set search_path = ''
as $$
declare
  v_today date := (now() at time zone 'UTC')::date;
  v_report_id uuid;
begin
  perform private.lock_crash_day(v_today);
  -- Another transaction may have added it meanwhile.
  update public.client_crash_reports set report_count = report_count + 1, last_reported_at = now()
  where reported_on = v_today and fingerprint = p_fingerprint and app_version = p_app_version and device = p_device;
  if found then
    return;
  end if;
  if (select count(*) from private.crash_report_sources s where s.reported_on = v_today and s.network = p_network)
    >= private.crash_report_bound('rows_a_network') then
    delete from public.client_crash_reports
    where id = (
      select c.id from private.crash_report_sources s join public.client_crash_reports c on c.id = s.report_id
      where s.reported_on = v_today and s.network = p_network order by c.report_count, c.created_at limit 1
    );
  end if;
  insert into public.client_crash_reports (fingerprint, stack, device, app_version, reported_on)
  values (p_fingerprint, p_stack, p_device, p_app_version, v_today)
  returning id into v_report_id;
  insert into private.crash_report_sources (report_id, reported_on, network) values (v_report_id, v_today, p_network);
end
$$;

comment on function private.keep_crash_report(text, text, text, text, text) is
  'Counts a crash that has no row yet, and adds the row. A network at its bound replaces its own row with the lowest count, of these the oldest.';

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
  v_fingerprint text;
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
  v_fingerprint := private.crash_fingerprint(v_stack);

  -- Crashes with an existing row are counted without waiting for transactions that add rows.
  update public.client_crash_reports set report_count = report_count + 1, last_reported_at = now()
  where reported_on = (now() at time zone 'UTC')::date
    and fingerprint = v_fingerprint and app_version = v_version and device = v_device;
  if not found then
    perform private.keep_crash_report(v_fingerprint, v_stack, v_device, v_version, private.network_hash(p_address));
  end if;
  return '{"ok": true}';
end
$$;

comment on function api.report_crash(text, text, text, text) is
  'Counts a crash of the app, and keeps the first 8 KiB of the stack of the first one of its kind, version, device and day. p_address: the client''s network address, kept as a keyed hash of its network. At most 4 MiB a day and 100 rows a network and day: beyond them it replaces the row with the lowest count. For the service. Errors: validation_error.';

grant execute on function api.report_crash(text, text, text, text) to service_role;
