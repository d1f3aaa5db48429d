import { createApp } from "../_shared/http/app.ts";
import { routes } from "./routes.ts";

Deno.serve(createApp(routes).fetch);
