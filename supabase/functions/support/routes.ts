import { PageQuery } from "../_shared/schema/lists.ts";
import { CONFIRM_ASSET_CALLS, confirmAssets, fileUrls } from "../_shared/storage/assets.ts";
import { route, routesOf } from "../_shared/http/route.ts";
import type { ObjectStorage } from "../_shared/storage/object_storage.ts";
import {
  NewSupportMessage,
  NewSupportTicket,
  type StoredMessage,
  type StoredTicketDetail,
  SupportMessage,
  SupportTicketDetail,
  SupportTickets,
  TicketParams,
  TicketQuery,
} from "../_shared/schema/support.ts";

const messageWithSignedUrls = async (storage: ObjectStorage, { attachment_keys, ...message }: StoredMessage) => ({
  ...message,
  attachment_urls: await fileUrls(storage, attachment_keys),
});

const withSignedUrls = async (storage: ObjectStorage, ticket: StoredTicketDetail) => ({
  ...ticket,
  messages: await Promise.all(ticket.messages.map((message) => messageWithSignedUrls(storage, message))),
});

export const createTicket = route({
  method: "POST",
  path: "/support/tickets",
  access: "user",
  summary: "Support tickets",
  description:
    "At most five new tickets in 24 hours. `details.retry_after` is the number of seconds until the next one is " +
    "possible.",
  body: NewSupportTicket,
  reply: [201, SupportTicketDetail],
  errors: ["not_found", "conflict"],
  limit: "report",
  calls: ["create_support_ticket", ...CONFIRM_ASSET_CALLS],
  uses: ["storage"],
  handle: async (context) => {
    const { db, body, storage } = context;
    await confirmAssets(context, body.attachment_asset_ids, "support", "attachment_asset_ids");
    return await withSignedUrls(storage, await db.rpc<StoredTicketDetail>("create_support_ticket", body));
  },
});

export const listTickets = route({
  method: "GET",
  path: "/support/tickets",
  access: "user",
  summary: "List the caller's tickets",
  description: "Newest first.",
  query: PageQuery,
  reply: [200, SupportTickets],
  errors: [],
  calls: "list_my_support_tickets",
});

export const readTicket = route({
  method: "GET",
  path: "/support/tickets/{id}",
  access: "user",
  summary: "Get a ticket with its messages",
  description: "`messages` is one page, oldest first. `next_cursor` is the cursor of the next page.",
  params: TicketParams,
  query: TicketQuery,
  reply: [200, SupportTicketDetail],
  errors: ["not_found"],
  calls: "get_support_ticket",
  uses: ["storage"],
  handle: async ({ db, params, query, storage }) =>
    await withSignedUrls(storage, await db.rpc<StoredTicketDetail>("get_support_ticket", { id: params.id, ...query })),
});

export const replyToTicket = route({
  method: "POST",
  path: "/support/tickets/{id}/messages",
  access: "user",
  summary: "Add a message to a ticket",
  description:
    "The response contains only the message. The ticket becomes `open`, regardless of its previous status. A ticket " +
    "has at most 200 messages: another one returns 409 `conflict` with `details.reason` `too_many_messages`.",
  params: TicketParams,
  body: NewSupportMessage,
  reply: [201, SupportMessage],
  errors: ["not_found", "conflict"],
  limit: "report",
  calls: ["reply_to_support_ticket", ...CONFIRM_ASSET_CALLS],
  uses: ["storage"],
  handle: async (context) => {
    const { db, params, body, storage } = context;
    await confirmAssets(context, body.attachment_asset_ids, "support", "attachment_asset_ids");
    const message = await db.rpc<StoredMessage>("reply_to_support_ticket", { id: params.id, ...body });
    return await messageWithSignedUrls(storage, message);
  },
});

export const routes = routesOf({ createTicket, listTickets, readTicket, replyToTicket });
