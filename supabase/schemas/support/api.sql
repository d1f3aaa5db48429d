-- The interface of support: tickets and their messages.
--
-- Clients and the service call these functions. The rules are in tickets.sql.

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
  v_ticket := private.open_support_ticket(p_category, private.required_text(p_subject, 'public.support_tickets', 'subject'));
  perform private.write_support_message(v_ticket.id, p_message, p_attachment_asset_ids);
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
