import { z } from "zod";
import { support_messages, support_tickets } from "../db/columns.ts";
import { column } from "./columns.ts";
import { Cursor, Limit, NextCursor, pageOf } from "./lists.ts";
import { Id, pathId, text, Timestamp } from "./values.ts";

const Category = text(1, 50).meta({
  description: "A code of category `ticket_category`",
  examples: ["app_problem"],
});

export const TicketStatus = z.enum(["open", "answered", "closed"]);

export const SupportTicket = z.object({
  id: Id,
  category: Category,
  subject: z.string(),
  status: TicketStatus.meta({ description: "A new message from the author reopens a ticket" }),
  created_at: Timestamp,
  updated_at: Timestamp.meta({ description: "When the ticket was last written to or closed" }),
}).meta({ id: "SupportTicket" });

export const SupportMessage = z.object({
  id: Id,
  author: z.enum(["user", "support"]),
  body: z.string(),
  attachment_urls: z.array(z.url()).meta({ description: "URLs of the files, valid for ten minutes" }),
  created_at: Timestamp,
}).meta({ id: "SupportMessage" });

export const SupportTicketDetail = SupportTicket.extend({
  messages: z.array(SupportMessage).meta({ description: "One page of the messages, oldest first" }),
  next_cursor: NextCursor,
}).meta({ id: "SupportTicketDetail" });

export const SupportTickets = pageOf(SupportTicket, "SupportTickets");

export const TicketQuery = z.strictObject({ limit: Limit, cursor: Cursor });

export const TicketParams = z.strictObject({ id: pathId("TicketId", "The ticket") });

const Attachments = z.array(Id).max(5).optional().meta({
  description: "Files uploaded with the category `support`. Each file belongs to one message.",
});
export const Message = column(support_messages.body);

export const NewSupportTicket = z.strictObject({
  category: Category,
  subject: column(support_tickets.subject),
  message: Message,
  attachment_asset_ids: Attachments,
}).meta({ id: "NewSupportTicket" });

export const NewSupportMessage = z.strictObject({
  message: Message,
  attachment_asset_ids: Attachments,
}).meta({ id: "NewSupportMessage" });

/** A message from the database, with the keys of its files. */
export type StoredMessage = Omit<z.input<typeof SupportMessage>, "attachment_urls"> & {
  readonly attachment_keys: readonly string[];
};

export type StoredTicketDetail = Omit<z.input<typeof SupportTicketDetail>, "messages"> & {
  readonly messages: readonly StoredMessage[];
};
