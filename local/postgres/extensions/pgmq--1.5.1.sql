-- The part of pgmq that migrations and tests call: queues without archive, send, read, delete and set_vt.

create type pgmq.message_record as (
  msg_id bigint, read_ct integer, enqueued_at timestamptz, vt timestamptz, message jsonb, headers jsonb
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
  if queue_name ~ '\$|;|--|''' or length(queue_name) > 47 then
    raise exception 'queue name is longer than 47 characters or contains $, ;, -- or ''';
  end if;
  return lower(prefix || '_' || queue_name);
end
$$;

create function pgmq.create(queue_name text) returns void
language plpgsql
as $$
declare
  v_queue text := pgmq.format_table_name(queue_name, 'q');
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
  execute format('create index if not exists %I on pgmq.%I (vt)', v_queue || '_vt_idx', v_queue);
  insert into pgmq.meta (queue_name, is_partitioned, is_unlogged) values (queue_name, false, false) on conflict do nothing;
end
$$;

create function pgmq.drop_queue(queue_name text) returns boolean
language plpgsql
as $$
begin
  delete from pgmq.meta m where m.queue_name = drop_queue.queue_name;
  execute format('drop table if exists pgmq.%I', pgmq.format_table_name(queue_name, 'q'));
  return found;
end
$$;

create function pgmq.send_batch(queue_name text, msgs jsonb[], delay integer default 0) returns setof bigint
language plpgsql
as $$
begin
  return query execute format(
    'insert into pgmq.%I (vt, message)
      select clock_timestamp() + make_interval(secs => $1), m.message from unnest($2) as m (message) returning msg_id',
    pgmq.format_table_name(queue_name, 'q')
  ) using delay, msgs;
end
$$;

create function pgmq.send(queue_name text, msg jsonb, delay integer default 0) returns setof bigint
language sql as 'select pgmq.send_batch(queue_name, array[msg], delay)';

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
  v_count bigint;
begin
  execute format('delete from pgmq.%I', pgmq.format_table_name(queue_name, 'q'));
  get diagnostics v_count = row_count;
  return v_count;
end
$$;

revoke all on all functions in schema pgmq from public;
grant usage, create on schema pgmq to postgres with grant option;
grant all on all tables in schema pgmq to postgres with grant option;
grant execute on all functions in schema pgmq to postgres with grant option;
