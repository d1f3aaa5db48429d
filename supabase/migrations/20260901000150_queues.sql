-- Queues, jobs and secrets: work that runs later, its workers and their keys.
--
-- The transaction that causes a message puts it into a queue; the message exists if that transaction commits. A consumer
-- reads messages, which hides them from other consumers for a while, does the work and finishes them. A message that is not
-- finished is read again. A message that was read too often is a dead message: it moves to a table with its count, so that it
-- does not block the queue and an administrator can inspect it.
--
-- Scheduled jobs are rows of cron.job; each is scheduled next to the function that it calls. A job that needs the functions
-- calls one over HTTP with the service key. The vault has both values: project_url and service_role_key.
--
-- Invariants: queues are reached through these functions only, and by the service only.
-- Interface: private.enqueue, private.enqueue_all, private.dequeue; for consumers private.read_messages and
-- private.finish_messages; for jobs private.call_function.

create extension if not exists pgmq;
create extension if not exists pg_cron with schema pg_catalog;
create extension if not exists pg_net with schema extensions;
create extension if not exists supabase_vault;

-- ---------------------------------------------------------------------------------------------------------------------
-- Queues
-- ---------------------------------------------------------------------------------------------------------------------

create table private.dead_messages (
  id uuid primary key default gen_random_uuid(),
  queue text not null,
  msg_id bigint not null,
  message jsonb not null,
  read_count integer not null,
  enqueued_at timestamptz not null,
  died_at timestamptz not null default now(),
  unique (queue, msg_id)
);

comment on table private.dead_messages is 'Messages that no consumer could finish. Administrators put them back or discard them.';

-- The console's lists of all queues and of one queue; the purge.
create index dead_messages_died_at_idx on private.dead_messages (died_at desc, id desc);
create index dead_messages_queue_idx on private.dead_messages (queue, died_at desc, id desc);

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals
-- ---------------------------------------------------------------------------------------------------------------------

create function private.enqueue(p_queue text, p_message jsonb, p_delay_seconds integer default 0) returns bigint
language plpgsql
security definer -- queues belong to the service: a caller that adds work may not read the work of others
set search_path = ''
as $$
begin
  return pgmq.send(p_queue, p_message, greatest(p_delay_seconds, 0));
end
$$;

comment on function private.enqueue(text, jsonb, integer) is
  'Puts a message into a queue, to be read after p_delay_seconds, and returns its id. The message exists only if the transaction commits.';

create function private.enqueue_all(p_queue text, p_messages jsonb[]) returns void
language plpgsql
security definer -- as private.enqueue
set search_path = ''
as $$
begin
  perform pgmq.send_batch(p_queue, p_messages);
end
$$;

comment on function private.enqueue_all(text, jsonb[]) is
  'private.enqueue for many messages in one statement, without delay.';

create function private.dequeue(p_queue text, p_msg_id bigint) returns boolean
language plpgsql
security definer -- as private.enqueue
set search_path = ''
as $$
begin
  return pgmq.delete(p_queue, p_msg_id);
end
$$;

comment on function private.dequeue(text, bigint) is 'Removes a message from a queue; false when it is not there.';

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

comment on function private.read_messages(text, integer, integer) is
  'Up to p_count messages, oldest first, hidden from other readers for p_seconds: [{msg_id, read_count, enqueued_at, message}]. A message that was read five times moves to private.dead_messages instead.';

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

comment on function private.finish_messages(text, bigint[]) is 'Removes finished messages and returns their number.';

grant execute on function private.read_messages(text, integer, integer), private.finish_messages(text, bigint[]) to service_role;

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
    headers := jsonb_build_object('Content-Type', 'application/json', 'Authorization', 'Bearer ' || v_key),
    timeout_milliseconds := 60000
  );
end
$$;

comment on function private.call_function(text, jsonb) is
  'Calls a function of the service over HTTP, as the service, once the transaction has committed. Returns the id of the request in net._http_response. For jobs: no client may execute it.';
