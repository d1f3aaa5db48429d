-- Crash reports: what the app sends when it has fallen over, counted by where it fell.
--
-- A kind of crash is its fingerprint: a hash of the top of the stack without its numbers, so that addresses and ids do not
-- make another kind of it. A day's crashes of one kind, version and device are one row with a count and the first stack.
--
-- Invariants: nothing tells who it was: no account, no network address, and what looks like a person in a stack (mail
-- addresses, tokens, names of home directories) is taken out before it is stored. At most about 2,000 rows a day: a kind that
-- is new beyond them is answered and not kept. Rows are gone after 90 days.
-- Interface: api.report_crash, for the service, which counts the requests of a network address.

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables
-- ---------------------------------------------------------------------------------------------------------------------

create table public.client_crash_reports (
  id uuid primary key default gen_random_uuid(),
  fingerprint text not null constraint client_crash_reports_fingerprint_sha256 check (fingerprint ~ '^[0-9a-f]{64}$'),
  stack text not null constraint client_crash_reports_stack_size check (octet_length(stack) between 1 and 65536),
  device text not null constraint client_crash_reports_device_length check (char_length(device) between 1 and 200),
  app_version text not null
    constraint client_crash_reports_app_version_length check (char_length(app_version) between 1 and 50),
  reported_on date not null default (now() at time zone 'UTC')::date,
  report_count integer not null default 1 constraint client_crash_reports_count_positive check (report_count > 0),
  created_at timestamptz not null default now(),
  last_reported_at timestamptz not null default now(),
  constraint client_crash_reports_one_a_day unique (reported_on, fingerprint, app_version, device)
);

comment on table public.client_crash_reports is 'Crashes of the app: one row a day, kind, version and device.';
comment on column public.client_crash_reports.fingerprint is 'SHA-256 of the top of the stack without its numbers: the kind.';
comment on column public.client_crash_reports.stack is 'The first stack of the row, without what looks like a person.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Row security
-- ---------------------------------------------------------------------------------------------------------------------

alter table public.client_crash_reports enable row level security;

create policy "Active administrators read the crashes" on public.client_crash_reports for select to authenticated
  using ((select true from public.admins a where a.id = (select auth.uid()) and a.status = 'active'));

-- No insert, update or delete: rows come from api.report_crash and go by age.

grant select (id, fingerprint, stack, device, app_version, reported_on, report_count, created_at, last_reported_at)
  on public.client_crash_reports to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals
-- ---------------------------------------------------------------------------------------------------------------------

create function private.without_people(p_text text) returns text
language sql immutable parallel safe
set search_path = ''
return regexp_replace(regexp_replace(regexp_replace(p_text,
  '[A-Za-z0-9._%+-]{1,64}(@|%40)[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})+', '(mail)', 'g'),
  '\meyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}(\.[A-Za-z0-9_-]*)?', '(token)', 'g'),
  '(/Users/|/home/|\\{1,2}Users\\{1,2})[^/\\\s:]+', '\1(name)', 'gi');

comment on function private.without_people(text) is
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

create function private.purge_crash_reports() returns void
language plpgsql
set search_path = ''
as $$
begin
  delete from public.client_crash_reports where reported_on < (now() at time zone 'UTC')::date - 90;
end
$$;

comment on function private.purge_crash_reports() is 'Removes crash reports older than 90 days.';

select cron.schedule('purge_crash_reports', '23 3 * * *', 'select private.purge_crash_reports()');

grant execute on function private.without_people(text), private.crash_fingerprint(text) to service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface
-- ---------------------------------------------------------------------------------------------------------------------

create function api.report_crash(p_stack text, p_device text, p_app_version text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_stack text := private.without_people(private.trimmed(p_stack));
  v_device text := private.trimmed(p_device);
  v_version text := private.trimmed(p_app_version);
  v_today date := (now() at time zone 'UTC')::date;
  v_fingerprint text;
begin
  if v_stack is null or octet_length(p_stack) > 65536 then
    perform private.refuse('validation_error', 422, 'stack must have 1 to 65536 bytes', p_param => 'stack');
  elsif v_device is null or char_length(v_device) > 200 then
    perform private.refuse('validation_error', 422, 'device must have 1 to 200 characters', p_param => 'device');
  elsif v_version is null or char_length(v_version) > 50 then
    perform private.refuse('validation_error', 422, 'app_version must have 1 to 50 characters', p_param => 'app_version');
  end if;
  -- What is put in for a name may be longer than the name.
  while octet_length(v_stack) > 65536 loop
    v_stack := left(v_stack, char_length(v_stack) - 1 - (octet_length(v_stack) - 65536) / 4);
  end loop;
  v_fingerprint := private.crash_fingerprint(v_stack);

  update public.client_crash_reports set report_count = report_count + 1, last_reported_at = now()
  where reported_on = v_today and fingerprint = v_fingerprint and app_version = v_version and device = v_device;
  if not found and (select count(*) from public.client_crash_reports where reported_on = v_today) < 2000 then
    insert into public.client_crash_reports as c (fingerprint, stack, device, app_version, reported_on)
    values (v_fingerprint, v_stack, v_device, v_version, v_today)
    on conflict on constraint client_crash_reports_one_a_day
    do update set report_count = c.report_count + 1, last_reported_at = now();
  end if;
  return '{"ok": true}';
end
$$;

comment on function api.report_crash(text, text, text) is
  'Counts a crash of the app, and keeps the stack of the first of its kind, version, device and day. For the service. Refuses: validation_error.';

grant execute on function api.report_crash(text, text, text) to service_role;
