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

create function cron.schedule_in_database(
  job_name text, schedule text, command text, database text, username text default null, active boolean default true
) returns bigint
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  v_job_id bigint;
begin
  perform cron.check_schedule(schedule_in_database.schedule);
  insert into cron.job as j (jobname, schedule, command, database, username, active)
  values (
    schedule_in_database.job_name, schedule_in_database.schedule, schedule_in_database.command,
    schedule_in_database.database, coalesce(schedule_in_database.username, current_user), schedule_in_database.active
  )
  on conflict on constraint jobname_username_uniq do update
  set schedule = excluded.schedule, command = excluded.command, database = excluded.database, active = excluded.active
  returning j.jobid into v_job_id;
  return v_job_id;
end
$$;

create function cron.schedule(job_name text, schedule text, command text) returns bigint
language sql set search_path = ''
as 'select cron.schedule_in_database(job_name, schedule, command, current_database())';

create function cron.schedule(schedule text, command text) returns bigint
language sql set search_path = ''
as 'select cron.schedule_in_database(null, schedule, command, current_database())';

create function cron.unschedule(job_id bigint) returns boolean
language plpgsql
set search_path = ''
as $$
begin
  delete from cron.job where jobid = job_id and username = current_user;
  if not found then
    raise exception 'could not find valid entry for job ''%''', job_id;
  end if;
  return true;
end
$$;

create function cron.unschedule(job_name text) returns boolean
language plpgsql
set search_path = ''
as $$
begin
  delete from cron.job where jobname = job_name and username = current_user;
  if not found then
    raise exception 'could not find valid entry for job ''%''', job_name;
  end if;
  return true;
end
$$;

create function cron.alter_job(
  job_id bigint, schedule text default null, command text default null, database text default null,
  username text default null, active boolean default null
) returns void
language plpgsql
set search_path = ''
as $$
begin
  if alter_job.schedule is not null then
    perform cron.check_schedule(alter_job.schedule);
  end if;
  update cron.job j
  set schedule = coalesce(alter_job.schedule, j.schedule), command = coalesce(alter_job.command, j.command),
    database = coalesce(alter_job.database, j.database), username = coalesce(alter_job.username, j.username),
    active = coalesce(alter_job.active, j.active)
  where j.jobid = job_id;
  if not found then
    raise exception 'Job % does not exist or you don''t own it', job_id;
  end if;
end
$$;

revoke all on all functions in schema cron from public;
grant usage on schema cron to postgres with grant option;
grant all on all tables in schema cron to postgres with grant option;
grant usage on all sequences in schema cron to postgres;
grant execute on all functions in schema cron to postgres with grant option;
