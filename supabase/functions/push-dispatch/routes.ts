import { z } from "zod";
import { route, routesOf } from "../_shared/http/route.ts";
import { dispatch } from "./dispatch.ts";

const Dispatched = z.object({
  batches: z.int().min(0),
  delivered: z.int().min(0).meta({ description: "Devices whose push was accepted" }),
  failed: z.int().min(0).meta({ description: "Devices that cannot be reached any more" }),
  later: z.int().min(0).meta({ description: "Devices that are tried again" }),
}).meta({ id: "DispatchedPushes" });

export const dispatchPushes = route({
  method: "POST",
  path: "/push-dispatch",
  access: "service",
  summary: "Send what waits in the queue push-dispatch",
  description:
    "For the service's job, and called when something is put into the queue. It ends when the queue is empty " +
    "or after 45 seconds; several may run at once.",
  reply: [200, Dispatched],
  errors: [],
  handle: ({ db, push }) => dispatch(db, push),
});

export const routes = routesOf({ dispatchPushes });
