-- Tables of crash reports: reports of the apps, within a bound of each day.
--
-- Each table has its comments, indexes, row security, policies and grants below it. The rules are in crash_reports.sql.

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

comment on constraint client_crash_reports_stack_size on public.client_crash_reports is 'stack must not be empty.';
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

alter table public.client_crash_reports enable row level security;
create policy "Active administrators read the crashes" on public.client_crash_reports for select to authenticated
  using (
    (select private.has_second_factor())
    and (select true from public.admins a where a.id = (select auth.uid()) and a.status = 'active')
  );

-- No insert, update or delete: api.report_crash writes rows, and a job deletes old ones.

grant select (id, fingerprint, stack, device, app_version, reported_on, report_count, created_at, last_reported_at, network_count, size_bytes)
  on public.client_crash_reports to authenticated;

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
