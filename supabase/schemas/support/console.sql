-- Support for administrators: the queue of tickets, answers and closing.
--
-- An answer has the version that was read (seen_updated_at): a message of the author since then is a conflict. It sets the
-- status to answered, notifies the author and is recorded, in one transaction. Administrators close answered tickets; a
-- message of the author reopens them. Only administrators can read which administrator answered.
--
-- Invariants: an administrator neither answers nor closes their own ticket. Of two administrators who answer the same
-- version one succeeds. The record contains the fact of a message, never its text.
-- Interface: api.admin_list_support_tickets, admin_get_support_ticket, admin_answer_support_ticket,
-- admin_update_support_ticket.

-- Tickets as the console lists them, those with the oldest status_changed_at first, without those of withdrawn users;
-- null for an empty list.
create function private.admin_support_ticket_rows(p_ticket_ids uuid[]) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select jsonb_agg(jsonb_build_object(
      'id', t.id, 'user_id', t.user_id, 'user_name', u.display_name, 'category', t.category, 'subject', t.subject,
      'status', t.status, 'status_changed_at', t.status_changed_at, 'message_count', t.message_count,
      -- Only a message of the author opens a ticket.
      'allowed_statuses', array_remove(private.allowed_states('support_ticket', t.status), 'open'),
      'last_message_at', m.created_at, 'created_at', t.created_at, 'updated_at', t.updated_at
    ) order by t.status_changed_at, t.id)
    from public.support_tickets t
    join public.app_users u on u.id = t.user_id
    left join lateral (
      select o.created_at from public.support_messages o
      where o.ticket_id = t.id order by o.created_at desc, o.id desc limit 1
    ) m on true
    where t.id = any (p_ticket_ids) and not exists (select from private.account_ends e where e.user_id = t.user_id)
  );
end
$$;

-- Messages as the console lists them, oldest first, with the administrator who answered; null for an empty list.
create function private.admin_support_message_rows(p_message_ids uuid[]) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select jsonb_agg(jsonb_build_object(
      'id', m.id, 'author', m.author, 'admin_id', m.admin_id, 'admin_name', a.name, 'body', m.body,
      'attachments', coalesce(f.files, '[]'), 'created_at', m.created_at
    ) order by m.created_at, m.id)
    from public.support_messages m
    left join public.admins a on a.id = m.admin_id
    left join private.files_of('support_message', p_message_ids) f on f.entity_id = m.id
    where m.id = any (p_message_ids)
  );
end
$$;

-- A ticket in the version that an administrator read, locked until the transaction ends, after its author. Errors:
-- forbidden, validation_error, not_found, conflict.
create function private.locked_support_ticket(p_admin_id uuid, p_id uuid, p_seen_updated_at timestamptz)
returns public.support_tickets
language plpgsql
set search_path = ''
as $$
declare
  v_ticket public.support_tickets;
begin
  -- The author before the ticket: in the order in which every function locks them.
  perform 1 from public.app_users u
  where u.id = (select t.user_id from public.support_tickets t where t.id = p_id) for no key update;
  select * into v_ticket from public.support_tickets t
  where t.id = p_id and not exists (select from private.account_ends e where e.user_id = t.user_id) for no key update;
  if not found then
    perform private.raise_error('not_found', 404, 'There is no such ticket.', p_param => 'id');
  end if;
  perform private.check_decision(p_admin_id, v_ticket.user_id, v_ticket.updated_at, p_seen_updated_at);
  return v_ticket;
end
$$;

-- Records an act on a ticket: its status and number of messages, before and after.
create function private.record_ticket_act(p_admin_id uuid, p_action text, p_before public.support_tickets) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.record_act(p_admin_id, p_action, 'support_ticket', t.id::text, t.user_id,
    private.difference(to_jsonb(p_before), to_jsonb(t)) - 'status_changed_at')
  from public.support_tickets t where t.id = (p_before).id;
end
$$;

create function api.admin_list_support_tickets(
  p_admin_id uuid, p_status text default 'open', p_category text default null, p_include text[] default '{}',
  p_cursor text default null, p_limit integer default 20
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.check_admin(p_admin_id, 'support');
  perform private.check_choice('status', coalesce(p_status, ''), '{open,answered,closed}');
  return private.list_rows('public.support_tickets', '{status_changed_at timestamptz,id uuid}', 'asc',
    jsonb_build_object('r.status = %s', p_status, 'r.category = %s', p_category), p_include, p_cursor, p_limit,
    p_rows => 'private.admin_support_ticket_rows(array_agg((r).id))', p_is_capped => true, p_also => private.without_leavers());
end
$$;

comment on function api.admin_list_support_tickets(uuid, text, text, text[], text, integer) is
  'Tickets of one status (default: open), those with the oldest status_changed_at first: {items, next_cursor}, and total (counted up to 10,000) with total_is_exact when p_include has it. Reads only. For administrators of support. Errors: forbidden, validation_error.';

create function api.admin_get_support_ticket(
  p_admin_id uuid, p_id uuid, p_limit integer default 20, p_cursor text default null
) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_ticket jsonb;
  v_page jsonb;
begin
  perform private.check_admin(p_admin_id, 'support');
  v_ticket := private.require_row(private.admin_support_ticket_rows(array[p_id]) -> 0, 'There is no such ticket.');
  v_page := private.list_rows('public.support_messages', '{created_at timestamptz,id uuid}', 'asc',
    jsonb_build_object('r.ticket_id = %s::uuid', p_id), '{}', p_cursor, p_limit,
    p_rows => 'private.admin_support_message_rows(array_agg((r).id))');
  return v_ticket || jsonb_build_object('messages', v_page -> 'items', 'next_cursor', v_page -> 'next_cursor');
end
$$;

comment on function api.admin_get_support_ticket(uuid, uuid, integer, text) is
  'A ticket as api.admin_list_support_tickets lists it, with a page of its messages, oldest first, in messages and next_cursor; attachments are storage keys. Reads only. For administrators of support. Errors: forbidden, validation_error, not_found.';

create function api.admin_answer_support_ticket(
  p_admin_id uuid, p_id uuid, p_message text, p_seen_updated_at timestamptz default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_message text;
  v_ticket public.support_tickets;
  v_message_id uuid;
begin
  perform private.lock_admin(p_admin_id, 'support');
  v_message := private.required_text(p_message, 'public.support_messages', 'body', 'message');
  v_ticket := private.locked_support_ticket(p_admin_id, p_id, p_seen_updated_at);
  perform private.require_message_room(v_ticket.message_count);
  if v_ticket.status <> 'answered' then
    perform private.check_move('support_ticket', v_ticket.status, 'answered');
    update public.support_tickets set status = 'answered' where id = p_id;
  end if;
  insert into public.support_messages (ticket_id, author, admin_id, body) values (p_id, 'support', p_admin_id, v_message)
  returning id into v_message_id;
  if v_ticket.user_id is not null then
    perform private.notify(v_ticket.user_id, 'support_reply', jsonb_build_object('subject', v_ticket.subject),
      jsonb_build_object('ticket_id', p_id));
  end if;
  perform private.record_ticket_act(p_admin_id, 'support_ticket.answer', v_ticket);
  return jsonb_build_object(
    'message', private.admin_support_message_rows(array[v_message_id]) -> 0,
    'ticket', private.admin_support_ticket_rows(array[p_id]) -> 0
  );
end
$$;

comment on function api.admin_answer_support_ticket(uuid, uuid, text, timestamptz) is
  'Answers the version of a ticket that the administrator read (p_seen_updated_at, its updated_at), sets its status to answered, and notifies its author: {message, ticket}. A closed ticket takes no answer, an answered one takes another. Not idempotent. For administrators of support, not in their own tickets. Errors: forbidden, validation_error, not_found, conflict.';

create function api.admin_update_support_ticket(
  p_admin_id uuid, p_id uuid, p_status text, p_seen_updated_at timestamptz default null
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_ticket public.support_tickets;
begin
  perform private.lock_admin(p_admin_id, 'support');
  if p_status is distinct from 'closed' then
    perform private.raise_error('validation_error', 422, 'status must be closed.', p_param => 'status');
  end if;
  v_ticket := private.locked_support_ticket(p_admin_id, p_id, p_seen_updated_at);
  perform private.check_move('support_ticket', v_ticket.status, p_status);
  update public.support_tickets set status = p_status where id = p_id;
  perform private.record_ticket_act(p_admin_id, 'support_ticket.close', v_ticket);
  return private.admin_support_ticket_rows(array[p_id]) -> 0;
end
$$;

comment on function api.admin_update_support_ticket(uuid, uuid, text, timestamptz) is
  'Closes an answered ticket in the version that the administrator read (p_seen_updated_at, its updated_at), and returns it. Not idempotent: a closed ticket is a conflict. For administrators of support, not on their own tickets. Errors: forbidden, validation_error, not_found, conflict.';
