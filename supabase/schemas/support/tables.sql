-- Tables of support: tickets and their messages.
--
-- Each table has its comments, indexes, row security, policies and grants below it. The rules are in tickets.sql.

create table public.support_tickets (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.app_users (id) on delete cascade,
  category text not null constraint support_tickets_category_known check (category in (
    'account', 'subscription', 'parking_session', 'lot_information', 'review', 'app_problem', 'request', 'other'
  )),
  subject text not null constraint support_tickets_subject_length check (char_length(subject) between 1 and 100),
  status text not null default 'open'
    constraint support_tickets_status_known check (status in ('open', 'answered', 'closed')),
  message_count integer not null default 0
    constraint support_tickets_message_count_bounds check (message_count between 0 and 200),
  status_changed_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on table public.support_tickets is 'Conversations with support.';
comment on column public.support_tickets.user_id is 'The author; the ticket is deleted with the account.';
comment on column public.support_tickets.message_count is 'Number of messages in it, kept by trigger.';
comment on column public.support_tickets.status_changed_at is
  'When it got its status: an open ticket has waited since then, even when its author wrote again.';
comment on column public.support_tickets.updated_at is 'When the last message was written or the ticket was closed.';

-- The tickets of a user, newest first; also for the number opened in 24 hours.
create index support_tickets_user_id_idx on public.support_tickets (user_id, created_at desc, id desc);
-- The console's queue of each status, longest waiting first, and the same of a category.
create index support_tickets_status_idx on public.support_tickets (status, status_changed_at, id);
create index support_tickets_category_idx on public.support_tickets (category, status, status_changed_at, id);

alter table public.support_tickets enable row level security;
create policy "Users read their own tickets" on public.support_tickets for select to authenticated
  using ((select auth.uid()) = user_id);

grant select (id, user_id, category, subject, status, message_count, status_changed_at, created_at, updated_at)
  on public.support_tickets to authenticated;

create table public.support_messages (
  id uuid primary key default gen_random_uuid(),
  ticket_id uuid not null references public.support_tickets (id) on delete cascade,
  author text not null constraint support_messages_author_known check (author in ('user', 'support')),
  admin_id uuid references public.admins (id) on delete set null,
  body text not null constraint support_messages_body_length check (char_length(body) between 1 and 4000),
  created_at timestamptz not null default clock_timestamp(),
  constraint support_messages_admin_answers check (admin_id is null or author = 'support')
);

comment on table public.support_messages is 'Messages of tickets, in order of created_at. Files are in assets, by entity.';
comment on column public.support_messages.admin_id is
  'The administrator who answered; never returned to the ticket''s author.';

create index support_messages_ticket_id_idx on public.support_messages (ticket_id, created_at, id);
create index support_messages_admin_id_idx on public.support_messages (admin_id) where admin_id is not null;

alter table public.support_messages enable row level security;

-- Row security of support_tickets applies inside.
create policy "Users read the messages of their own tickets" on public.support_messages for select to authenticated
  using ((select true from public.support_tickets t where t.id = ticket_id));
-- No insert, update or delete: functions of private count tickets and change their status.

grant select (id, ticket_id, author, body, created_at) on public.support_messages to authenticated;
