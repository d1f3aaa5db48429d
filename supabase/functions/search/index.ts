import { createApp } from "../_shared/http/app.ts";
import { aiGateway } from "../_shared/providers/ai_gateway.ts";
import { geocoder } from "../_shared/providers/geocoder.ts";
import { routes } from "./routes.ts";

Deno.serve(createApp(routes, { ai: aiGateway, geocoder }).fetch);
