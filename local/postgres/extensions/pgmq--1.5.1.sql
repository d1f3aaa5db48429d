-- The names, signatures and behaviour of pgmq as hosted projects have it, for development and tests.

create type pgmq.message_record as (
  msg_id bigint, read_ct integer, enqueued_at timestamptz, vt timestamptz, message jsonb, headers jsonb
);
create type pgmq.queue_record as (
  queue_name varchar, is_partitioned boolean, is_unlogged boolean, created_at timestamptz
);
create type pgmq.metrics_result as (
  queue_name text, queue_length bigint, newest_msg_age_sec integer, oldest_msg_age_sec integer, total_messages bigint,
  scrape_time timestamptz, queue_visible_length bigint
);

create table pgmq.meta (
  queue_name varchar primary key,
  is_partitioned boolean not null,
  is_unlogged boolean not null,
  created_at timestamptz not null default now()
);
select pg_catalog.pg_extension_config_dump('pgmq.meta', '');

create function pgmq.format_table_name(queue_name text, prefix text) returns text
language plpgsql immutable
as $$
begin
  if queue_name ~ '\$|;|--|''' then
    raise exception 'queue name contains invalid characters: $, ;, --, or \''';
  elsif length(queue_name) > 47 then
    raise exception 'queue name is too long, maximum length is 47 characters';
  end if;
  return lower(prefix || '_' || queue_name);
end
$$;

create function pgmq.create(queue_name text) returns void
language plpgsql
as $$
declare
  v_queue text := pgmq.format_table_name(queue_name, 'q');
  v_archive text := pgmq.format_table_name(queue_name, 'a');
begin
  execute format(
    'create table if not exists pgmq.%I (
      msg_id bigint generated always as identity primary key,
      read_ct integer not null default 0,
      enqueued_at timestamptz not null default now(),
      vt timestamptz not null,
      message jsonb,
      headers jsonb
    )', v_queue);
  execute format(
    'create table if not exists pgmq.%I (
      msg_id bigint primary key,
      read_ct integer not null default 0,
      enqueued_at timestamptz not null default now(),
      archived_at timestamptz not null default now(),
      vt timestamptz not null,
      message jsonb,
      headers jsonb
    )', v_archive);
  execute format('create index if not exists %I on pgmq.%I (vt)', v_queue || '_vt_idx', v_queue);
  execute format('create index if not exists %I on pgmq.%I (archived_at)', 'archived_at_idx_' || lower(queue_name), v_archive);
  insert into pgmq.meta (queue_name, is_partitioned, is_unlogged) values (queue_name, false, false) on conflict do nothing;
end
$$;

create function pgmq.drop_queue(queue_name text) returns boolean
language plpgsql
as $$
begin
  delete from pgmq.meta m where m.queue_name = drop_queue.queue_name;
  if not found then
    raise notice 'pgmq queue `%` does not exist', queue_name;
    return false;
  end if;
  execute format('drop table if exists pgmq.%I', pgmq.format_table_name(queue_name, 'q'));
  execute format('drop table if exists pgmq.%I', pgmq.format_table_name(queue_name, 'a'));
  return true;
end
$$;

create function pgmq.send_batch(queue_name text, msgs jsonb[], headers jsonb[], delay timestamptz) returns setof bigint
language plpgsql
as $$
begin
  return query execute format(
    'insert into pgmq.%I (vt, message, headers) select $1, m.message, m.headers from unnest($2, $3) as m (message, headers)
      returning msg_id',
    pgmq.format_table_name(queue_name, 'q')
  ) using delay, msgs, coalesce(headers, array_fill(null::jsonb, array[cardinality(msgs)]));
end
$$;

create function pgmq.send_batch(queue_name text, msgs jsonb[]) returns setof bigint
language sql as 'select pgmq.send_batch(queue_name, msgs, null, clock_timestamp())';
create function pgmq.send_batch(queue_name text, msgs jsonb[], headers jsonb[]) returns setof bigint
language sql as 'select pgmq.send_batch(queue_name, msgs, headers, clock_timestamp())';
create function pgmq.send_batch(queue_name text, msgs jsonb[], delay integer) returns setof bigint
language sql as 'select pgmq.send_batch(queue_name, msgs, null, clock_timestamp() + make_interval(secs => delay))';
create function pgmq.send_batch(queue_name text, msgs jsonb[], delay timestamptz) returns setof bigint
language sql as 'select pgmq.send_batch(queue_name, msgs, null, delay)';
create function pgmq.send_batch(queue_name text, msgs jsonb[], headers jsonb[], delay integer) returns setof bigint
language sql as 'select pgmq.send_batch(queue_name, msgs, headers, clock_timestamp() + make_interval(secs => delay))';

create function pgmq.send(queue_name text, msg jsonb, headers jsonb, delay timestamptz) returns setof bigint
language sql as 'select pgmq.send_batch(queue_name, array[msg], array[headers], delay)';
create function pgmq.send(queue_name text, msg jsonb) returns setof bigint
language sql as 'select pgmq.send(queue_name, msg, null, clock_timestamp())';
create function pgmq.send(queue_name text, msg jsonb, headers jsonb) returns setof bigint
language sql as 'select pgmq.send(queue_name, msg, headers, clock_timestamp())';
create function pgmq.send(queue_name text, msg jsonb, delay integer) returns setof bigint
language sql as 'select pgmq.send(queue_name, msg, null, clock_timestamp() + make_interval(secs => delay))';
create function pgmq.send(queue_name text, msg jsonb, delay timestamptz) returns setof bigint
language sql as 'select pgmq.send(queue_name, msg, null, delay)';
create function pgmq.send(queue_name text, msg jsonb, headers jsonb, delay integer) returns setof bigint
language sql as 'select pgmq.send(queue_name, msg, headers, clock_timestamp() + make_interval(secs => delay))';

create function pgmq.read(queue_name text, vt integer, qty integer, conditional jsonb default '{}')
returns setof pgmq.message_record
language plpgsql
as $$
begin
  return query execute format(
    'with chosen as (
      select msg_id from pgmq.%1$I
      where vt <= clock_timestamp() and case when $3 = ''{}'' then true else message @> $3 end
      order by msg_id limit $2 for update skip locked
    )
    update pgmq.%1$I m
    set vt = clock_timestamp() + make_interval(secs => $1), read_ct = m.read_ct + 1
    from chosen where chosen.msg_id = m.msg_id
    returning m.msg_id, m.read_ct, m.enqueued_at, m.vt, m.message, m.headers',
    pgmq.format_table_name(queue_name, 'q')
  ) using vt, qty, conditional;
end
$$;

create function pgmq.read_with_poll(
  queue_name text, vt integer, qty integer, max_poll_seconds integer default 5, poll_interval_ms integer default 100,
  conditional jsonb default '{}'
) returns setof pgmq.message_record
language plpgsql
as $$
declare
  v_until timestamptz := clock_timestamp() + make_interval(secs => max_poll_seconds);
begin
  loop
    return query select * from pgmq.read(queue_name, vt, qty, conditional);
    exit when found or clock_timestamp() >= v_until;
    perform pg_sleep(poll_interval_ms / 1000.0);
  end loop;
end
$$;

create function pgmq.pop(queue_name text) returns setof pgmq.message_record
language plpgsql
as $$
begin
  return query execute format(
    'delete from pgmq.%1$I where msg_id = (
      select msg_id from pgmq.%1$I where vt <= clock_timestamp() order by msg_id limit 1 for update skip locked
    ) returning msg_id, read_ct, enqueued_at, vt, message, headers',
    pgmq.format_table_name(queue_name, 'q'));
end
$$;

create function pgmq.delete(queue_name text, msg_ids bigint[]) returns setof bigint
language plpgsql
as $$
begin
  return query execute format('delete from pgmq.%I where msg_id = any ($1) returning msg_id',
    pgmq.format_table_name(queue_name, 'q')) using msg_ids;
end
$$;

create function pgmq.delete(queue_name text, msg_id bigint) returns boolean
language sql as 'select exists (select from pgmq.delete(queue_name, array[msg_id]))';

create function pgmq.archive(queue_name text, msg_ids bigint[]) returns setof bigint
language plpgsql
as $$
begin
  return query execute format(
    'with gone as (
      delete from pgmq.%I where msg_id = any ($1) returning msg_id, vt, read_ct, enqueued_at, message, headers
    )
    insert into pgmq.%I (msg_id, vt, read_ct, enqueued_at, message, headers)
    select msg_id, vt, read_ct, enqueued_at, message, headers from gone returning msg_id',
    pgmq.format_table_name(queue_name, 'q'), pgmq.format_table_name(queue_name, 'a')
  ) using msg_ids;
end
$$;

create function pgmq.archive(queue_name text, msg_id bigint) returns boolean
language sql as 'select exists (select from pgmq.archive(queue_name, array[msg_id]))';

create function pgmq.set_vt(queue_name text, msg_id bigint, vt integer) returns setof pgmq.message_record
language plpgsql
as $$
begin
  return query execute format(
    'update pgmq.%I set vt = clock_timestamp() + make_interval(secs => $2) where msg_id = $1
      returning msg_id, read_ct, enqueued_at, vt, message, headers',
    pgmq.format_table_name(queue_name, 'q')
  ) using msg_id, vt;
end
$$;

create function pgmq.purge_queue(queue_name text) returns bigint
language plpgsql
as $$
declare
  v_queue text := pgmq.format_table_name(queue_name, 'q');
  v_count bigint;
begin
  execute format('select count(*) from pgmq.%I', v_queue) into v_count;
  execute format('truncate pgmq.%I', v_queue);
  return v_count;
end
$$;

create function pgmq.metrics(queue_name text) returns pgmq.metrics_result
language plpgsql
as $$
declare
  v_queue text := pgmq.format_table_name(queue_name, 'q');
  v_result pgmq.metrics_result;
begin
  execute format(
    'select $1, count(*), extract(epoch from now() - max(enqueued_at))::integer,
      extract(epoch from now() - min(enqueued_at))::integer,
      coalesce((select last_value from %s where is_called), 0), now(), count(*) filter (where vt <= clock_timestamp())
    from pgmq.%I',
    pg_get_serial_sequence('pgmq.' || quote_ident(v_queue), 'msg_id'), v_queue
  ) into v_result using queue_name;
  return v_result;
end
$$;

create function pgmq.metrics_all() returns setof pgmq.metrics_result
language sql as 'select (pgmq.metrics(m.queue_name)).* from pgmq.meta m';

create function pgmq.list_queues() returns setof pgmq.queue_record
language sql as 'select m.queue_name, m.is_partitioned, m.is_unlogged, m.created_at from pgmq.meta m';

revoke all on all functions in schema pgmq from public;
grant usage, create on schema pgmq to postgres with grant option;
grant all on all tables in schema pgmq to postgres with grant option;
grant execute on all functions in schema pgmq to postgres with grant option;
