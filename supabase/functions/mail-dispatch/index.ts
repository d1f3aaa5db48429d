import { createApp } from "../_shared/http/app.ts";
import { mailSender } from "../_shared/providers/mail.ts";
import { routes } from "./routes.ts";

Deno.serve(createApp(routes, { mail: mailSender }).fetch);
