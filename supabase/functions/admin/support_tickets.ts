import { fileUrl } from "../_shared/storage/assets.ts";
import type { Links } from "../_shared/http/links.ts";
import { route } from "../_shared/http/route.ts";
import type { ObjectStorage } from "../_shared/storage/object_storage.ts";
import {
  AdminSupportTicket,
  AdminSupportTicketDetail,
  AdminSupportTickets,
  AdminSupportTicketsQuery,
  NewSupportAnswer,
  type StoredAdminMessage,
  type StoredAdminTicketDetail,
  type StoredSupportAnswer,
  SupportAnswer,
  SupportTicketDecision,
} from "./support_tickets.schema.ts";
import { TicketParams, TicketQuery } from "../_shared/schema/support.ts";

interface Reader {
  readonly links: Links;
  readonly storage: ObjectStorage;
}

const withSignedUrls = async (reader: Reader, { attachments, ...message }: StoredAdminMessage) => ({
  ...message,
  attachment_urls: await Promise.all(attachments.map((file) => fileUrl(reader, file))),
});

export const listTicketQueue = route({
  method: "GET",
  path: "/admin/support-tickets",
  access: "admin",
  area: "support",
  summary: "List support tickets to answer",
  description:
    "Tickets of one status, longest waiting first. The default is `open`, the queue. A ticket keeps its position " +
    "when its author writes again.",
  query: AdminSupportTicketsQuery,
  reply: [200, AdminSupportTickets],
  errors: [],
  calls: "admin_list_support_tickets",
});

export const readTicketOfUser = route({
  method: "GET",
  path: "/admin/support-tickets/{id}",
  access: "admin",
  area: "support",
  summary: "Get a support ticket with its messages",
  description: "`messages` is one page, oldest first. `next_cursor` is the cursor of the next page.",
  params: TicketParams,
  query: TicketQuery,
  reply: [200, AdminSupportTicketDetail],
  errors: ["not_found"],
  calls: "admin_get_support_ticket",
  uses: ["storage"],
  handle: async ({ db, params, query, links, storage }) => {
    const args = { id: params.id, ...query };
    const ticket = await db.rpc<StoredAdminTicketDetail>("admin_get_support_ticket", args);
    const messages = ticket.messages.map((message) => withSignedUrls({ links, storage }, message));
    return { ...ticket, messages: await Promise.all(messages) };
  },
});

export const answerTicket = route({
  method: "POST",
  path: "/admin/support-tickets/{id}/messages",
  access: "admin",
  area: "support",
  summary: "Answer a support ticket",
  description:
    "The ticket becomes `answered`, and its author is notified. Returns 409 `conflict` with `details.reason` " +
    "`changed_meanwhile` if the ticket was written to after `seen_updated_at`. Returns 409 with `too_many_messages` " +
    "if the ticket has 200 messages. A closed ticket returns 409 with the allowed states in `details.allowed`. An " +
    "administrator cannot answer their own ticket: 403 `forbidden` with `details.reason` `own_entry`.",
  params: TicketParams,
  body: NewSupportAnswer,
  reply: [201, SupportAnswer],
  errors: ["not_found", "conflict"],
  calls: "admin_answer_support_ticket",
  uses: ["storage"],
  handle: async ({ db, params, body, links, storage }) => {
    const { message, ticket } = await db.rpc<StoredSupportAnswer>("admin_answer_support_ticket", {
      id: params.id,
      ...body,
    });
    return { message: await withSignedUrls({ links, storage }, message), ticket };
  },
});

export const closeTicket = route({
  method: "PATCH",
  path: "/admin/support-tickets/{id}",
  access: "admin",
  area: "support",
  summary: "Close a support ticket",
  description:
    "Only `answered` tickets can be closed. Any other returns 409 `conflict` with the allowed transitions in " +
    "`details.allowed`. A new message from the author reopens the ticket.",
  params: TicketParams,
  body: SupportTicketDecision,
  reply: [200, AdminSupportTicket],
  errors: ["not_found", "conflict"],
  calls: "admin_update_support_ticket",
});
