-- Support: tickets of users and the answers of administrators.
--
-- A ticket is a conversation: its author opens it with a first message, support answers, the author may write again
-- (which reopens it), and support closes it.
--
-- Invariants: a user opens at most five tickets in any 24 hours. A ticket has 1 to 200 messages. Its status follows its
-- last event: opened or written to by the author (open), answered by support (answered), closed.
-- Interface: commands.create_support_ticket, list_my_support_tickets, get_support_ticket, reply_to_support_ticket; for
-- administrators support/console.sql.

-- Sets status_changed_at when the status of a ticket changes.
create function private.tg_support_tickets__note_change() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.status_changed_at := now();
  return new;
end
$$;

-- Counts the messages of a ticket. The constraint on the count bounds them for every writer.
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

-- Checks that a ticket with so many messages takes another one. The caller has locked the ticket. Errors: conflict.
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

-- Opens a ticket of the caller, without a message. Errors: unauthorized, forbidden, rate_limited.
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
  perform private.notify_admins('support_ticket', 'サポートへの問い合わせ', p_link => '/support-tickets/' || v_ticket.id,
    p_area => 'support');
  perform private.record_activity(v_user_id, 'support_ticket_post', null, v_ticket.id);
  return v_ticket;
end
$$;

-- Writes a message into a ticket of the caller and sets its status to open. Returns the message's id. Errors:
-- unauthorized, forbidden, validation_error, not_found, conflict.
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
  values (p_ticket_id, 'user', private.required_text(p_body, 'public.support_messages', 'body', 'message'))
  returning id into v_message_id;
  perform private.attach_asset(a.id, 'support', 'support_message', v_message_id, 'attachment_asset_ids')
  from unnest(p_asset_ids) with ordinality as a (id, place) order by a.place;
  return v_message_id;
end
$$;

-- A ticket as the interface returns it in lists.
create function private.support_ticket_row(p_ticket public.support_tickets) returns jsonb
language sql stable
return jsonb_build_object(
  'id', (p_ticket).id, 'category', (p_ticket).category, 'subject', (p_ticket).subject, 'status', (p_ticket).status,
  'created_at', (p_ticket).created_at, 'updated_at', (p_ticket).updated_at
);

-- Messages as the interface returns them, oldest first; attachment_keys are storage keys.
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

-- A page of a ticket's messages, oldest first: {messages, next_cursor}. Errors: validation_error.
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

grant execute on function
  private.open_support_ticket(text, text), private.write_support_message(uuid, text, uuid[]),
  private.support_ticket_row(public.support_tickets), private.support_message_rows(uuid[]),
  private.support_message_page(uuid, integer, text)
to authenticated;
