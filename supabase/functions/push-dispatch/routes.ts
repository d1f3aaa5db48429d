import { z } from "zod";
import { route, routesOf } from "../_shared/http/route.ts";
import { dispatch, DISPATCH_CALLS } from "./dispatch.ts";

const Dispatched = z.object({
  batches: z.int().min(0),
  delivered: z.int().min(0).meta({ description: "Number of devices whose push was accepted" }),
  failed: z.int().min(0).meta({ description: "Number of devices that can no longer be reached" }),
  later: z.int().min(0).meta({ description: "Number of devices that will be retried" }),
}).meta({ id: "DispatchedPushes" });

export const dispatchPushes = route({
  method: "POST",
  path: "/push-dispatch",
  access: "service",
  isConsumer: true,
  summary: "Process the queue push-dispatch",
  description:
    "For internal jobs, and called when a message is enqueued. Ends when the queue is empty or after 45 seconds. After eight batches it " +
    "calls the next consumer and ends. " +
    "Several calls can run at the same time.",
  reply: [200, Dispatched],
  errors: [],
  calls: DISPATCH_CALLS,
  uses: ["push"],
  handle: ({ db, push }) => dispatch(db, push),
});

export const routes = routesOf({ dispatchPushes });
