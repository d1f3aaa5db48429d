import { z } from "zod";
import type { StoredFile } from "../_shared/storage/assets.ts";
import { SeenUpdatedAt } from "./reviews.schema.ts";
import { cappedPageOf, NextCursor, PageQuery } from "../_shared/schema/lists.ts";
import { Message, SupportMessage, SupportTicket, TicketStatus } from "../_shared/schema/support.ts";
import { Id, text, Timestamp } from "../_shared/schema/values.ts";

export const AdminSupportTicket = SupportTicket.extend({
  user_id: Id.meta({ description: "The author" }),
  user_name: z.string().nullable().meta({ description: "The author's display name, if set" }),
  status_changed_at: Timestamp.meta({
    description: "Since when the ticket has its status. For an `open` ticket, since when it is waiting.",
  }),
  allowed_statuses: z.array(z.enum(["answered", "closed"])).meta({
    description:
      "The statuses that administrators can give the ticket now: `answered` by an answer, `closed` by a decision. " +
      "Empty: the ticket takes no answer.",
  }),
  message_count: z.int().min(0),
  last_message_at: Timestamp.nullable(),
  updated_at: Timestamp.meta({
    description: "When the ticket was last written to or closed. Send it as `seen_updated_at` with an answer.",
  }),
}).meta({ id: "AdminSupportTicket" });

export const AdminSupportTickets = cappedPageOf(AdminSupportTicket, "AdminSupportTickets");

export const AdminSupportMessage = SupportMessage.extend({
  admin_id: Id.nullable().meta({
    description: "The administrator who answered. Never shown to the author of the ticket.",
  }),
  admin_name: z.string().nullable(),
}).meta({ id: "AdminSupportMessage" });

export const AdminSupportTicketDetail = AdminSupportTicket.extend({
  messages: z.array(AdminSupportMessage).meta({ description: "One page of the messages, oldest first" }),
  next_cursor: NextCursor,
}).meta({ id: "AdminSupportTicketDetail" });

export const SupportAnswer = z.object({ message: AdminSupportMessage, ticket: AdminSupportTicket }).meta({
  id: "SupportAnswer",
});

export const AdminSupportTicketsQuery = z.strictObject({
  status: TicketStatus.default("open").meta({ description: "Only tickets with this status" }),
  category: text(1, 50).optional().meta({ description: "A code of category `ticket_category`" }),
  ...PageQuery.shape,
});

export const NewSupportAnswer = z.strictObject({ message: Message, seen_updated_at: SeenUpdatedAt }).meta({
  id: "NewSupportAnswer",
});

export const SupportTicketDecision = z.strictObject({ status: z.literal("closed"), seen_updated_at: SeenUpdatedAt })
  .meta({ id: "SupportTicketDecision" });

/** A message from the database, with its files. */
export type StoredAdminMessage = Omit<z.input<typeof AdminSupportMessage>, "attachment_urls"> & {
  readonly attachments: readonly StoredFile[];
};

export type StoredAdminTicketDetail = Omit<z.input<typeof AdminSupportTicketDetail>, "messages"> & {
  readonly messages: readonly StoredAdminMessage[];
};

export type StoredSupportAnswer = Omit<z.input<typeof SupportAnswer>, "message"> & {
  readonly message: StoredAdminMessage;
};
