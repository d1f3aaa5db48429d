import { createApp } from "../_shared/http/app.ts";
import { pushSender } from "../_shared/providers/fcm.ts";
import { routes } from "./routes.ts";

Deno.serve(createApp(routes, { push: pushSender }).fetch);
