import { addressOf } from "../_shared/storage/assets.ts";
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

const readable = async (reader: Reader, { attachments, ...message }: StoredAdminMessage) => ({
  ...message,
  attachment_urls: await Promise.all(attachments.map((file) => addressOf(reader, file))),
});

export const listTicketQueue = route({
  method: "GET",
  path: "/admin/support-tickets",
  access: "admin",
  area: "support",
  summary: "List support tickets to answer",
  description:
    "Of one status, those first that have it longest: without `status` the queue of those that are `open`. A " +
    "ticket keeps its place when its author writes again.",
  query: AdminSupportTicketsQuery,
  reply: [200, AdminSupportTickets],
  errors: [],
  handle: ({ db, query }) => db.rpc("admin_list_support_tickets", query),
});

export const readTicketOfUser = route({
  method: "GET",
  path: "/admin/support-tickets/{id}",
  access: "admin",
  area: "support",
  summary: "Read a support ticket with its messages",
  description: "`messages` is a page, oldest first; `next_cursor` continues it.",
  params: TicketParams,
  query: TicketQuery,
  reply: [200, AdminSupportTicketDetail],
  errors: ["not_found"],
  handle: async ({ db, params, query, links, storage }) => {
    const args = { id: params.id, ...query };
    const ticket = await db.rpc<StoredAdminTicketDetail>("admin_get_support_ticket", args);
    const messages = ticket.messages.map((message) => readable({ links, storage }, message));
    return { ...ticket, messages: await Promise.all(messages) };
  },
});

export const answerTicket = route({
  method: "POST",
  path: "/admin/support-tickets/{id}/messages",
  access: "admin",
  area: "support",
  summary: "Answer a support ticket",
  description: "The ticket is then `answered`, and its author is notified. A ticket that was written to since " +
    "`seen_updated_at` is `conflict` with `details.reason` `changed_meanwhile`; a closed one has the states that may " +
    "follow in `details.allowed`; one with 200 messages is `too_many_messages`. Nobody answers their own ticket: " +
    "`forbidden` with `details.reason` `own_entry`.",
  params: TicketParams,
  body: NewSupportAnswer,
  reply: [201, SupportAnswer],
  errors: ["not_found", "conflict"],
  handle: async ({ db, params, body, links, storage }) => {
    const { message, ticket } = await db.rpc<StoredSupportAnswer>("admin_answer_support_ticket", {
      id: params.id,
      ...body,
    });
    return { message: await readable({ links, storage }, message), ticket };
  },
});

export const closeTicket = route({
  method: "PATCH",
  path: "/admin/support-tickets/{id}",
  access: "admin",
  area: "support",
  summary: "Close a support ticket",
  description:
    "One that is `answered`; any other is `conflict` with the allowed moves in `details.allowed`. A message " +
    "of its author opens it again.",
  params: TicketParams,
  body: SupportTicketDecision,
  reply: [200, AdminSupportTicket],
  errors: ["not_found", "conflict"],
  handle: ({ db, params, body }) => db.rpc("admin_update_support_ticket", { id: params.id, ...body }),
});
