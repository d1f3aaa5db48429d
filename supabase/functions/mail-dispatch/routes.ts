import { z } from "zod";
import { route, routesOf } from "../_shared/http/route.ts";
import { dispatch } from "./dispatch.ts";

const Dispatched = z.object({
  batches: z.int().min(0),
  sent: z.int().min(0).meta({ description: "Mails that the mail service accepted" }),
  rejected: z.int().min(0).meta({ description: "Mails that it does not accept" }),
  later: z.int().min(0).meta({ description: "Mails that are tried again" }),
  not_configured: z.int().min(0).meta({
    description: "Mails that were not sent, because no mail service is configured",
  }),
}).meta({ id: "DispatchedMails" });

export const dispatchMails = route({
  method: "POST",
  path: "/mail-dispatch",
  access: "service",
  summary: "Send what waits in the queue mail",
  description:
    "For the service's job, and called when something is put into the queue. It ends when the queue is empty " +
    "or after 45 seconds; several may run at once.",
  reply: [200, Dispatched],
  errors: [],
  handle: ({ db, mail }) => dispatch(db, mail),
});

export const routes = routesOf({ dispatchMails });
