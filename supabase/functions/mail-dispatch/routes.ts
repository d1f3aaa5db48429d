import { z } from "zod";
import { route, routesOf } from "../_shared/http/route.ts";
import { dispatch, DISPATCH_CALLS } from "./dispatch.ts";

const Dispatched = z.object({
  batches: z.int().min(0),
  sent: z.int().min(0).meta({ description: "Number of mails accepted by the mail service" }),
  rejected: z.int().min(0).meta({ description: "Number of mails rejected by the mail service" }),
  later: z.int().min(0).meta({ description: "Number of mails that will be retried" }),
  not_configured: z.int().min(0).meta({
    description: "Number of mails not sent because no mail service is configured",
  }),
}).meta({ id: "DispatchedMails" });

export const dispatchMails = route({
  method: "POST",
  path: "/mail-dispatch",
  access: "service",
  isConsumer: true,
  summary: "Process the queue mail",
  description:
    "For internal jobs, and called when a message is enqueued. Ends when the queue is empty or after 45 seconds. After forty batches it " +
    "calls the next consumer and ends. " +
    "Several calls can run at the same time.",
  reply: [200, Dispatched],
  errors: [],
  calls: DISPATCH_CALLS,
  uses: ["mail"],
  handle: ({ db, mail }) => dispatch(db, mail),
});

export const routes = routesOf({ dispatchMails });
