-- Support: tickets of users and the answers of administrators.
--
-- A ticket is a conversation: its author opens it with a first message, support answers, the author may write again (which
-- reopens it), and support closes it.
--
-- Invariants: a user opens at most five tickets in any 24 hours. A ticket has 1 to 200 messages. Its status follows its
-- last event: opened or written to by the author (open), answered by support (answered), closed.
-- Interface: commands.create_support_ticket, list_my_support_tickets, get_support_ticket, reply_to_support_ticket; for
-- administrators 2050.

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables
-- ---------------------------------------------------------------------------------------------------------------------

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

-- ---------------------------------------------------------------------------------------------------------------------
-- Row security
-- ---------------------------------------------------------------------------------------------------------------------

alter table public.support_tickets enable row level security;
alter table public.support_messages enable row level security;

create policy "Users read their own tickets" on public.support_tickets for select to authenticated
  using ((select auth.uid()) = user_id);
-- Row security of support_tickets applies inside.
create policy "Users read the messages of their own tickets" on public.support_messages for select to authenticated
  using ((select true from public.support_tickets t where t.id = ticket_id));
-- No insert, update or delete: functions of private count tickets and change their status.

grant select (id, user_id, category, subject, status, message_count, status_changed_at, created_at, updated_at)
  on public.support_tickets to authenticated;
grant select (id, ticket_id, author, body, created_at) on public.support_messages to authenticated;

-- ---------------------------------------------------------------------------------------------------------------------
-- Internals
-- ---------------------------------------------------------------------------------------------------------------------

create trigger _100_touch_updated_at before update on public.support_tickets
  for each row execute function private.tg_touch_updated_at();
create function private.tg_support_tickets__note_change() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.status_changed_at := now();
  return new;
end
$$;

comment on function private.tg_support_tickets__note_change() is
  'Sets status_changed_at when the status of a ticket changes.';

create trigger _200_note_change before update of status on public.support_tickets
  for each row when (new.status <> old.status) execute function private.tg_support_tickets__note_change();
create trigger _900_check_start before insert on public.support_tickets
  for each row execute function private.tg_check_state('support_ticket');
create trigger _900_check_move before update on public.support_tickets
  for each row when (new.status <> old.status) execute function private.tg_check_state('support_ticket');

create function private.tg_support_messages__count() returns trigger
language plpgsql
security definer -- no client may write tickets
set search_path = ''
as $$
begin
  update public.support_tickets set message_count = message_count + 1 where id = new.ticket_id;
  return null;
end
$$;

comment on function private.tg_support_messages__count() is
  'Counts the messages of a ticket. The constraint on the count bounds them for every writer.';

create trigger _100_count after insert on public.support_messages
  for each row execute function private.tg_support_messages__count();

create function private.require_message_room(p_message_count integer) returns void
language plpgsql
set search_path = ''
as $$
declare
  c_max constant integer := 200;
begin
  if p_message_count >= c_max then
    perform private.raise_error('conflict', 409, format('This ticket has %s messages, which is the maximum. Open another ticket.', c_max),
      p_details => jsonb_build_object('reason', 'too_many_messages', 'max_messages', c_max));
  end if;
end
$$;

comment on function private.require_message_room(integer) is
  'Checks that a ticket with so many messages takes another one. The caller has locked the ticket. Errors: conflict.';

create function private.open_support_ticket(p_category text, p_subject text) returns public.support_tickets
language plpgsql
security definer -- clients have no right to insert: they could circumvent the daily limit
set search_path = ''
as $$
declare
  c_max constant integer := 5;
  v_user_id uuid := private.writing_user();
  v_ticket public.support_tickets;
  v_opened timestamptz[];
begin
  select array_agg(t.created_at order by t.created_at desc) into v_opened
  from public.support_tickets t where t.user_id = v_user_id and t.created_at > clock_timestamp() - interval '24 hours';
  if cardinality(v_opened) >= c_max then
    perform private.raise_error('rate_limited', 429, format('At most %s tickets are allowed in 24 hours. Retry after details.retry_after seconds.', c_max), p_details => jsonb_build_object(
      'policy', 'support_tickets',
      'retry_after', ceil(extract(epoch from v_opened[c_max] + interval '24 hours' - clock_timestamp()))::integer
    ));
  end if;
  insert into public.support_tickets (user_id, category, subject) values (v_user_id, p_category, p_subject)
  returning * into v_ticket;
  return v_ticket;
end
$$;

comment on function private.open_support_ticket(text, text) is
  'Opens a ticket of the caller, without a message. Errors: unauthorized, forbidden, rate_limited.';

create function private.write_support_message(p_ticket_id uuid, p_body text, p_asset_ids uuid[]) returns uuid
language plpgsql
security definer -- clients have no right to insert or to change a ticket; the function checks that it is the caller's
set search_path = ''
as $$
declare
  v_user_id uuid := private.writing_user();
  v_message_count integer;
  v_message_id uuid;
begin
  if cardinality(p_asset_ids) > 5 then
    perform private.raise_error('validation_error', 422, 'attachment_asset_ids must have at most 5 items.', p_param => 'attachment_asset_ids');
  end if;
  update public.support_tickets set status = 'open'
  where id = p_ticket_id and user_id = v_user_id
  returning message_count into v_message_count;
  if not found then
    perform private.raise_error('not_found', 404, 'You have no such ticket.', p_param => 'id');
  end if;
  perform private.require_message_room(v_message_count);
  insert into public.support_messages (ticket_id, author, body)
  values (p_ticket_id, 'user', private.required_text(p_body, 4000, 'message'))
  returning id into v_message_id;
  perform private.attach_asset(a.id, 'support', 'support_message', v_message_id, 'attachment_asset_ids')
  from unnest(p_asset_ids) with ordinality as a (id, place) order by a.place;
  return v_message_id;
end
$$;

comment on function private.write_support_message(uuid, text, uuid[]) is
  'Writes a message into a ticket of the caller and sets its status to open. Returns the message''s id. Errors: unauthorized, forbidden, validation_error, not_found, conflict.';

create function private.support_ticket_row(p_ticket public.support_tickets) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'id', (p_ticket).id, 'category', (p_ticket).category, 'subject', (p_ticket).subject, 'status', (p_ticket).status,
    'created_at', (p_ticket).created_at, 'updated_at', (p_ticket).updated_at
  );
end
$$;

comment on function private.support_ticket_row(public.support_tickets) is 'A ticket as the interface returns it in lists.';

create function private.support_message_rows(p_message_ids uuid[]) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    with files as (
      select a.entity_id, jsonb_agg(a.storage_key order by a.place) as keys
      from private.attached_assets('support_message', p_message_ids) a group by a.entity_id
    )
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', m.id, 'author', m.author, 'body', m.body, 'attachment_keys', coalesce(f.keys, '[]'), 'created_at', m.created_at
    ) order by m.created_at, m.id), '[]')
    from public.support_messages m left join files f on f.entity_id = m.id
    where m.id = any (p_message_ids)
  );
end
$$;

comment on function private.support_message_rows(uuid[]) is
  'Messages as the interface returns them, oldest first; attachment_keys are storage keys.';

create function private.support_message_page(p_ticket_id uuid, p_limit integer, p_cursor text) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters jsonb := jsonb_build_object('list', 'support_messages', 'ticket_id', p_ticket_id);
  v_keys jsonb := private.page_start(v_filters, p_cursor, '{timestamptz,uuid}', 'asc');
  v_page jsonb;
begin
  perform private.page_limit(p_limit);
  v_page := private.page(v_filters, private.support_message_rows(array(
    select m.id from public.support_messages m
    where m.ticket_id = p_ticket_id
      and (m.created_at, m.id) > ((v_keys ->> 0)::timestamptz, (v_keys ->> 1)::uuid)
    order by m.created_at, m.id
    limit p_limit + 1
  )), '{created_at,id}', p_limit);
  return jsonb_build_object('messages', v_page -> 'items', 'next_cursor', v_page -> 'next_cursor');
end
$$;

comment on function private.support_message_page(uuid, integer, text) is
  'A page of a ticket''s messages, oldest first: {messages, next_cursor}. Errors: validation_error.';

grant execute on function
  private.open_support_ticket(text, text), private.write_support_message(uuid, text, uuid[]),
  private.support_ticket_row(public.support_tickets), private.support_message_rows(uuid[]),
  private.support_message_page(uuid, integer, text)
to authenticated;
grant execute on function private.require_message_room(integer) to service_role;

-- ---------------------------------------------------------------------------------------------------------------------
-- Interface
-- ---------------------------------------------------------------------------------------------------------------------

create function api.get_support_ticket(p_id uuid, p_limit integer default 20, p_cursor text default null) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_user_id uuid := private.active_user();
  v_ticket public.support_tickets;
begin
  select t.* into v_ticket from public.support_tickets t where t.id = p_id and t.user_id = v_user_id;
  if not found then
    perform private.raise_error('not_found', 404, 'You have no such ticket.', p_param => 'id');
  end if;
  return private.support_ticket_row(v_ticket) || private.support_message_page(p_id, p_limit, p_cursor);
end
$$;

comment on function api.get_support_ticket(uuid, integer, text) is
  'A ticket of the caller with a page of its messages, oldest first, in messages and next_cursor. Reads only. Errors: unauthorized, forbidden, validation_error, not_found.';

create function commands.create_support_ticket(
  p_category text, p_subject text, p_message text, p_attachment_asset_ids uuid[] default '{}'
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_ticket public.support_tickets;
begin
  perform private.active_user();
  if not exists (select from public.codes c where c.category_id = 'ticket_category' and c.code = p_category) then
    perform private.raise_error('validation_error', 422, 'category must be a code of the list ticket_category.', p_param => 'category');
  end if;
  v_ticket := private.open_support_ticket(p_category, private.required_text(p_subject, 100, 'subject'));
  perform private.write_support_message(v_ticket.id, p_message, p_attachment_asset_ids);
  perform private.log_activity('support_ticket_post', null, v_ticket.id);
  return api.get_support_ticket(v_ticket.id);
end
$$;

comment on function commands.create_support_ticket(text, text, text, uuid[]) is
  'Opens a ticket with its first message and up to five files, and returns it. At most five in any 24 hours. Errors: unauthorized, forbidden, validation_error, not_found, conflict, rate_limited.';

create function commands.reply_to_support_ticket(
  p_id uuid, p_message text, p_attachment_asset_ids uuid[] default '{}'
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_message_id uuid := private.write_support_message(p_id, p_message, p_attachment_asset_ids);
begin
  return private.support_message_rows(array[v_message_id]) -> 0;
end
$$;

comment on function commands.reply_to_support_ticket(uuid, text, uuid[]) is
  'Writes a message into the caller''s ticket, sets its status to open, and returns the message alone. A ticket has at most 200 messages. Errors: unauthorized, forbidden, validation_error, not_found, conflict.';

create function api.list_my_support_tickets(
  p_limit integer default 20, p_cursor text default null, p_include text[] default '{}'
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_user_id uuid := private.active_user();
  v_filters jsonb := jsonb_build_object('list', 'my_support_tickets', 'user_id', v_user_id);
  v_keys jsonb := private.page_start(v_filters, p_cursor, '{timestamptz,uuid}', 'desc');
begin
  perform private.page_limit(p_limit);
  return private.page(v_filters, (
    select jsonb_agg(private.support_ticket_row(p.ticket) order by (p.ticket).created_at desc, (p.ticket).id desc)
    from (
      select t as ticket from public.support_tickets t
      where t.user_id = v_user_id
        and (t.created_at, t.id) < ((v_keys ->> 0)::timestamptz, (v_keys ->> 1)::uuid)
      order by t.created_at desc, t.id desc
      limit p_limit + 1
    ) p
  ), '{created_at,id}', p_limit, case when 'total' = any (p_include) then (
    select count(*) from public.support_tickets t where t.user_id = v_user_id
  ) end);
end
$$;

comment on function api.list_my_support_tickets(integer, text, text[]) is
  'The caller''s tickets, newest first: {items, next_cursor}, and total when p_include has it. Reads only. Errors: unauthorized, forbidden, validation_error.';

grant execute on function
  api.get_support_ticket(uuid, integer, text), commands.create_support_ticket(text, text, text, uuid[]),
  commands.reply_to_support_ticket(uuid, text, uuid[]), api.list_my_support_tickets(integer, text, text[])
to authenticated;
