import { createApp } from "../_shared/http/app.ts";
import { contractDocuments } from "./documents.ts";
import { routes } from "./routes.ts";

Deno.serve(createApp(routes, { contract: contractDocuments }).fetch);
