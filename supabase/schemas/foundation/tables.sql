-- Tables of the foundation: errors, values, pages, states, queues and retention, which every domain uses.
--
-- Each table has its comments, indexes, row security, policies and grants below it. The rules are in errors.sql,
-- pages.sql, queues.sql, retention.sql, states.sql and values.sql.

-- ---------------------------------------------------------------------------------------------------------------------
-- States
-- ---------------------------------------------------------------------------------------------------------------------

create table private.allowed_moves (
  entity text collate "C" not null,
  from_state text collate "C" not null,
  to_state text collate "C" not null constraint allowed_moves_to_state_is_one check (to_state <> 'new'),
  primary key (entity, from_state, to_state),
  constraint allowed_moves_moves check (from_state <> to_state)
);

comment on table private.allowed_moves is 'The moves between states that rows of an entity may make.';
comment on column private.allowed_moves.from_state is 'new: a row may begin in to_state.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Queues, jobs and secrets
-- ---------------------------------------------------------------------------------------------------------------------

create table private.queues (
  name text collate "C" primary key,
  function text collate "C" not null,
  condition text not null
);

comment on table private.queues is 'The queues with their consumers. Only migrations write it.';
comment on column private.queues.function is 'The path of the function that consumes the queue.';
comment on column private.queues.condition is
  'An SQL condition on a message q that is due: whether the consumer may take it now, for example while its service is not paused.';

-- Unlogged: after a crash no consumer works.
create unlogged table private.consumers (
  function text collate "C" primary key,
  seen_at timestamptz not null default '-infinity',
  called_at timestamptz not null default '-infinity'
);

comment on table private.consumers is 'When each consumer was last at work, to a second, and last called by the job.';

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
-- Retention
-- ---------------------------------------------------------------------------------------------------------------------

create table private.retentions (
  table_name text collate "C" not null,
  condition text not null,
  change text,
  every interval not null default '1 day',
  done_at timestamptz not null default '-infinity',
  done_rows bigint not null default 0,
  primary key (table_name, condition)
);

comment on table private.retentions is 'Which rows are deleted by age. Only migrations write it.';
comment on column private.retentions.condition is 'An SQL condition on the row t. Rows that meet it are deleted.';
comment on column private.retentions.change is 'The assignment that is made instead of deleting the row, which makes the condition false; null: the row is deleted.';
comment on column private.retentions.done_at is 'When no row was left to delete.';
comment on column private.retentions.done_rows is 'How many rows were deleted.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Push
-- ---------------------------------------------------------------------------------------------------------------------

-- Unlogged: after a crash no call is recorded, which does no harm.
create unlogged table private.wake_ups (
  function text collate "C" primary key,
  called_at timestamptz not null
);

comment on table private.wake_ups is 'The last call of a consumer by a transaction, by the name of its function.';
