-- The tables and functions of pg_cron as hosted projects have it; the platform runs the jobs (local/jobs/cron.ts).

create schema cron;

create sequence cron.jobid_seq;
create sequence cron.runid_seq;

create table cron.job (
  jobid bigint primary key default nextval('cron.jobid_seq'),
  schedule text not null,
  command text not null,
  nodename text not null default 'localhost',
  nodeport integer not null default inet_server_port(),
  database text not null default current_database(),
  username text not null default current_user,
  active boolean not null default true,
  jobname text,
  constraint jobname_username_uniq unique (jobname, username)
);
select pg_catalog.pg_extension_config_dump('cron.job', '');

create table cron.job_run_details (
  jobid bigint,
  runid bigint primary key default nextval('cron.runid_seq'),
  job_pid integer,
  database text,
  username text,
  command text,
  status text,
  return_message text,
  start_time timestamptz,
  end_time timestamptz
);

alter table cron.job enable row level security;
create policy cron_job_policy on cron.job using (username = current_user);
alter table cron.job_run_details enable row level security;
create policy cron_job_run_details_policy on cron.job_run_details using (username = current_user);

-- A field of a schedule: numbers within its bounds or names for them, in lists, ranges and steps of ranges.
create function cron.is_field(field text, low integer, high integer, names text[] default '{}') returns boolean
language plpgsql immutable
set search_path = ''
as $$
declare
  v_part text[];
  v_from integer;
  v_to integer;
begin
  for v_part in
    select regexp_match(p.part, '^(\*|[0-9]{1,2}|[a-z]{3})(?:-([0-9]{1,2}|[a-z]{3}))?(?:/([0-9]{1,2}))?$')
    from string_to_table(field, ',') as p (part)
  loop
    if v_part is null
      or v_part[1] = '*' and v_part[2] is not null
      or v_part[1] <> '*' and v_part[2] is null and v_part[3] is not null
      or v_part[3]::integer = 0 then
      return false;
    elsif v_part[1] <> '*' then
      v_from := case when v_part[1] ~ '^[0-9]' then v_part[1]::integer else array_position(names, v_part[1]) - 1 + low end;
      v_to := case when v_part[2] ~ '^[0-9]' then v_part[2]::integer else array_position(names, v_part[2]) - 1 + low end;
      if v_from is null or v_part[2] is not null and v_to is null
        or not (v_from between low and high and coalesce(v_to, v_from) between v_from and high) then
        return false;
      end if;
    end if;
  end loop;
  return true;
end
$$;

-- Five fields, of which the day of the month may be $ for the last, or a number of seconds.
create function cron.check_schedule(schedule text) returns void
language plpgsql immutable
set search_path = ''
as $$
declare
  v_fields text[] := regexp_split_to_array(btrim(lower(schedule), e' \t'), '[ \t]+');
begin
  if lower(schedule) ~ '^([1-9]|[1-5][0-9]) seconds?$' then
    return;
  elsif (
    cardinality(v_fields) = 5
    and cron.is_field(v_fields[1], 0, 59)
    and cron.is_field(v_fields[2], 0, 23)
    and (v_fields[3] = '$' or cron.is_field(v_fields[3], 1, 31))
    and cron.is_field(v_fields[4], 1, 12, '{jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec}')
    and cron.is_field(v_fields[5], 0, 7, '{sun,mon,tue,wed,thu,fri,sat}')
  ) is not true then
    raise exception 'invalid schedule: %', schedule using errcode = '22023';
  end if;
end
$$;

-- cron.job is for reading: the extension writes it in C, as its owner. These three do so here, for the role that calls the
-- functions below, which they are told by name.

create function cron.write_job(
  p_user text, p_name text, p_schedule text, p_command text, p_database text, p_username text, p_active boolean
) returns bigint
language plpgsql
security definer -- the only writers of cron.job
set search_path = ''
as $$
declare
  v_job_id bigint;
begin
  perform cron.check_schedule(p_schedule);
  insert into cron.job as j (jobname, schedule, command, database, username, active)
  values (p_name, p_schedule, p_command, p_database, coalesce(p_username, p_user), p_active)
  on conflict on constraint jobname_username_uniq do update
  set schedule = excluded.schedule, command = excluded.command, database = excluded.database, active = excluded.active
  returning j.jobid into v_job_id;
  return v_job_id;
end
$$;

create function cron.delete_job(p_user text, p_id bigint, p_name text) returns boolean
language plpgsql
security definer
set search_path = ''
as $$
begin
  delete from cron.job j where (j.jobid = p_id or j.jobname = p_name) and j.username = p_user;
  if not found then
    raise exception 'could not find valid entry for job ''%''', coalesce(p_name, p_id::text);
  end if;
  return true;
end
$$;

create function cron.change_job(
  p_user text, p_id bigint, p_schedule text, p_command text, p_database text, p_username text, p_active boolean
) returns void
language plpgsql
security definer
set search_path = ''
as $$
begin
  if p_schedule is not null then
    perform cron.check_schedule(p_schedule);
  end if;
  update cron.job j
  set schedule = coalesce(p_schedule, j.schedule), command = coalesce(p_command, j.command),
    database = coalesce(p_database, j.database), username = coalesce(p_username, j.username), active = coalesce(p_active, j.active)
  where j.jobid = p_id and j.username = p_user;
  if not found then
    raise exception 'Job % does not exist or you don''t own it', p_id;
  end if;
end
$$;

create function cron.schedule_in_database(
  job_name text, schedule text, command text, database text, username text default null, active boolean default true
) returns bigint
language sql set search_path = ''
as 'select cron.write_job(current_user, job_name, schedule, command, database, username, active)';

create function cron.schedule(job_name text, schedule text, command text) returns bigint
language sql set search_path = ''
as 'select cron.schedule_in_database(job_name, schedule, command, current_database())';

create function cron.schedule(schedule text, command text) returns bigint
language sql set search_path = ''
as 'select cron.schedule_in_database(null, schedule, command, current_database())';

create function cron.unschedule(job_id bigint) returns boolean
language sql set search_path = ''
as 'select cron.delete_job(current_user, job_id, null)';

create function cron.unschedule(job_name text) returns boolean
language sql set search_path = ''
as 'select cron.delete_job(current_user, null, job_name)';

create function cron.alter_job(
  job_id bigint, schedule text default null, command text default null, database text default null,
  username text default null, active boolean default null
) returns void
language sql set search_path = ''
as 'select cron.change_job(current_user, job_id, schedule, command, database, username, active)';

revoke all on all functions in schema cron from public;
grant usage on schema cron to postgres with grant option;
grant select on cron.job to postgres with grant option;
grant all on cron.job_run_details to postgres with grant option;
grant execute on all functions in schema cron to postgres with grant option;
