-- Queues, jobs and secrets: work that runs later, its workers and their keys.
--
-- The transaction that causes a message puts it into a queue; the message exists if that transaction commits. A consumer
-- reads messages, which hides them from other consumers for a while, does the work and finishes them. A message that is
-- not finished is read again. A message that was read too often is a dead message: it moves to a table with its count, so
-- that it does not block the queue and an administrator can inspect it.
--
-- The time that a message is hidden is the consumer's lease. It is short, and a living consumer extends it every three
-- seconds, however long its work lasts (underLease of the functions). So the work of a killed consumer waits for
-- private.lease_seconds and for the next run of the job call_consumers, which is less than 20 seconds.
--
-- A consumer that may not take a message now hides it without a read, until it may be taken. Only work counts as a read.
--
-- Scheduled jobs are rows of cron.job; each is scheduled next to the function that it calls. A job that needs the
-- functions calls one over HTTP with the service key. The vault has both values: project_url and service_role_key.
--
-- Invariants: queues are reached through these functions only, and by the service only. Each queue has a consumer.
-- Interface: private.add_queue for the data of a domain; private.enqueue, private.enqueue_all, private.dequeue; for
-- consumers private.read_messages, private.hide_messages, private.finish_messages, private.note_consumer and
-- api.extend_lease; for jobs private.call_function.

-- Puts a message into a queue, to be read after p_delay_seconds, and returns its id. The message exists only if the
-- transaction commits.
create function private.enqueue(p_queue text, p_message jsonb, p_delay_seconds integer default 0) returns bigint
language plpgsql
security definer -- queues belong to the service: a caller that adds work may not read the work of others
set search_path = ''
as $$
begin
  return pgmq.send(p_queue, p_message, greatest(p_delay_seconds, 0));
end
$$;

-- private.enqueue for many messages in one statement, without delay.
create function private.enqueue_all(p_queue text, p_messages jsonb[]) returns void
language plpgsql
security definer -- as private.enqueue
set search_path = ''
as $$
begin
  perform pgmq.send_batch(p_queue, p_messages);
end
$$;

-- Removes a message from a queue; false when it is not there.
create function private.dequeue(p_queue text, p_msg_id bigint) returns boolean
language plpgsql
security definer -- as private.enqueue
set search_path = ''
as $$
begin
  return pgmq.delete(p_queue, p_msg_id);
end
$$;

-- Creates a queue whose due messages call a function, if they meet the condition. For migrations.
create function private.add_queue(p_queue text, p_function text, p_condition text default 'true') returns void
language plpgsql
set search_path = ''
as $$
begin
  perform pgmq."create"(p_queue);
  insert into private.queues (name, function, condition) values (p_queue, p_function, p_condition);
end
$$;

-- How long a message that a consumer took is hidden from the others. The consumer extends it every three seconds.
create function private.lease_seconds() returns integer
language sql immutable
return 12;

-- Records that a consumer of this function is at work.
create function private.note_consumer(p_function text) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- Once a second is enough, and no consumer waits here for another.
  update private.consumers c set seen_at = clock_timestamp()
  where c.function = (
    select o.function from private.consumers o
    where o.function = p_function and o.seen_at < clock_timestamp() - interval '1 second' for update skip locked
  );
  if not found and not exists (select from private.consumers c where c.function = p_function) then
    insert into private.consumers (function, seen_at) values (p_function, clock_timestamp()) on conflict (function) do nothing;
  end if;
end
$$;

-- Hides messages that a consumer has taken for p_seconds from now, or longer where they were hidden for longer. Finished
-- messages are ignored.
create function private.hide_messages(p_queue text, p_msg_ids bigint[], p_seconds integer) returns void
language plpgsql
security definer -- as private.enqueue
set search_path = ''
as $$
begin
  execute format(
    'update pgmq.%1$I q set vt = greatest(q.vt, clock_timestamp() + make_interval(secs => $2))
    from (select m.msg_id from pgmq.%1$I m where m.msg_id = any ($1) order by m.msg_id for update) l
    where q.msg_id = l.msg_id', pgmq.format_table_name(p_queue, 'q')
  ) using p_msg_ids, p_seconds;
  perform private.note_consumer(c.function) from private.queues c where c.name = p_queue;
end
$$;

-- Gives back messages that were read and cannot be worked on before p_until. The read is not counted.
create function private.skip_messages(p_queue text, p_msg_ids bigint[], p_until timestamptz) returns void
language plpgsql
security definer -- as private.enqueue
set search_path = ''
as $$
begin
  execute format(
    'update pgmq.%I q set vt = $2, read_ct = greatest(q.read_ct - 1, 0) where q.msg_id = any ($1)',
    pgmq.format_table_name(p_queue, 'q')
  ) using p_msg_ids, p_until;
end
$$;

-- Up to p_count messages, oldest first, hidden from other readers for p_seconds: [{msg_id, read_count, enqueued_at,
-- message}]. A message that was read five times moves to private.dead_messages instead.
create function private.read_messages(p_queue text, p_seconds integer, p_count integer) returns jsonb
language plpgsql
security definer -- as private.enqueue
set search_path = ''
as $$
declare
  c_max_reads constant integer := 5;
  v_read record;
  v_messages jsonb := '[]';
begin
  perform private.note_consumer(c.function) from private.queues c where c.name = p_queue;
  for v_read in
    select m.msg_id, m.read_ct, m.enqueued_at, m.message from pgmq.read(p_queue, p_seconds, p_count) as m order by m.msg_id
  loop
    if v_read.read_ct > c_max_reads then
      insert into private.dead_messages (queue, msg_id, message, read_count, enqueued_at)
      values (p_queue, v_read.msg_id, v_read.message, v_read.read_ct - 1, v_read.enqueued_at);
      perform pgmq.delete(p_queue, v_read.msg_id);
    else
      v_messages := v_messages || jsonb_build_object(
        'msg_id', v_read.msg_id, 'read_count', v_read.read_ct, 'enqueued_at', v_read.enqueued_at, 'message', v_read.message
      );
    end if;
  end loop;
  return v_messages;
end
$$;

-- Removes finished messages and returns their number.
create function private.finish_messages(p_queue text, p_msg_ids bigint[]) returns integer
language plpgsql
security definer -- as private.enqueue
set search_path = ''
as $$
begin
  return (
    select count(*)::integer from pgmq.delete(p_queue, p_msg_ids)
  );
end
$$;

-- Calls a function of the service over HTTP, as the service, once the transaction has committed. Returns the id of the
-- request in net._http_response. For jobs: no client may execute it. The key of the vault is a secret key (sb_secret_…) or
-- a legacy service role key. Gateways read either from apikey; a legacy key is also a token.
create function private.call_function(p_path text, p_body jsonb default '{}') returns bigint
language plpgsql
set search_path = ''
as $$
declare
  v_url text;
  v_key text;
begin
  select s.decrypted_secret into v_url from vault.decrypted_secrets s where s.name = 'project_url';
  select s.decrypted_secret into v_key from vault.decrypted_secrets s where s.name = 'service_role_key';
  if v_url is null or v_key is null then
    raise warning 'The vault has no project_url or no service_role_key. The request to % was not sent.', p_path;
    return null;
  end if;
  return net.http_post(
    url := v_url || '/functions/v1/' || p_path, body := p_body,
    headers := jsonb_build_object(
      'Content-Type', 'application/json', 'apikey', v_key, 'Authorization', 'Bearer ' || v_key
    ),
    timeout_milliseconds := 60000
  );
end
$$;

-- Calls the functions whose queues have messages that they may take, each if none of its consumers was at work within the
-- last five seconds, and otherwise once a minute.
create function private.call_consumers() returns void
language plpgsql
set search_path = ''
as $$
declare
  v_queue private.queues;
  v_is_due boolean;
  v_called text[] := '{}';
begin
  for v_queue in select * from private.queues order by name loop
    execute format('select exists (select from pgmq.%I q where q.vt <= clock_timestamp() and (%s))',
      pgmq.format_table_name(v_queue.name, 'q'), v_queue.condition) into v_is_due;
    if v_is_due and v_queue.function <> all (v_called) then
      v_called := v_called || v_queue.function;
      -- A consumer at work gets help once a minute.
      insert into private.consumers as c (function, called_at) values (v_queue.function, clock_timestamp())
      on conflict (function) do update set called_at = excluded.called_at
      where c.seen_at < excluded.called_at - interval '5 seconds' or c.called_at < excluded.called_at - interval '55 seconds';
      if found then
        perform private.call_function(v_queue.function);
      end if;
    end if;
  end loop;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Push
-- ---------------------------------------------------------------------------------------------------------------------

-- Calls the function that consumes a queue when this transaction commits, at most once a second.
create function private.wake_consumer(p_function text) returns void
language plpgsql
security definer -- no client may call functions as the service
set search_path = ''
as $$
begin
  -- One call a second is enough, because a consumer continues until the queue is empty. No transaction waits for the call
  -- of another.
  if pg_try_advisory_xact_lock(hashtext(p_function)) and not exists (
    select from private.wake_ups w where w.function = p_function and w.called_at > clock_timestamp() - interval '1 second'
  ) then
    insert into private.wake_ups (function, called_at) values (p_function, clock_timestamp())
    on conflict (function) do update set called_at = excluded.called_at;
    perform private.call_function(p_function);
  end if;
end
$$;
