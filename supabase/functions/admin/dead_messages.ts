import { route } from "../_shared/http/route.ts";
import { DeadMessageParams, DeadMessages, DeadMessagesQuery, RequeuedMessage } from "./jobs.schema.ts";
import { Nothing } from "../_shared/schema/values.ts";

export const listDeadMessages = route({
  method: "GET",
  path: "/admin/dead-messages",
  access: "admin",
  area: null,
  summary: "List messages that consumers could not process",
  description: "Newest first. Dead messages are kept for 90 days.",
  query: DeadMessagesQuery,
  reply: [200, DeadMessages],
  errors: [],
  calls: "admin_list_dead_messages",
});

export const requeueDeadMessage = route({
  method: "POST",
  path: "/admin/dead-messages/{id}/requeue",
  access: "admin",
  area: "admins",
  summary: "Requeue a dead message",
  description:
    "The consumer reads it again as a new message. Returns 409 `conflict` with `details.reason` `queue_gone` if " +
    "the queue no longer exists.",
  params: DeadMessageParams,
  reply: [202, RequeuedMessage],
  errors: ["not_found"],
  calls: "admin_requeue_dead_message",
});

export const discardDeadMessage = route({
  method: "DELETE",
  path: "/admin/dead-messages/{id}",
  access: "admin",
  area: "admins",
  summary: "Discard a dead message",
  params: DeadMessageParams,
  reply: [204, Nothing],
  errors: ["not_found"],
  calls: "admin_discard_dead_message",
});
