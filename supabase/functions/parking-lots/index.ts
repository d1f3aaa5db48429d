import { createApp } from "../_shared/http/app.ts";
import { searchCounts } from "../_shared/http/search_counts.ts";
import { objectStorage } from "../_shared/storage/object_storage.ts";
import { routes } from "./routes.ts";

Deno.serve(createApp(routes, { storage: objectStorage, searches: searchCounts }).fetch);
