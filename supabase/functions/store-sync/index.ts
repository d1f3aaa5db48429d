import { createApp } from "../_shared/http/app.ts";
import { storeReports } from "../_shared/providers/store_report_sources.ts";
import { routes } from "./routes.ts";

Deno.serve(createApp(routes, { storeReports }).fetch);
