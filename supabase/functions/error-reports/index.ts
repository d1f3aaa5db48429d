import { createApp } from "../_shared/http/app.ts";
import { objectStorage } from "../_shared/storage/object_storage.ts";
import { routes } from "./routes.ts";

Deno.serve(createApp(routes, { storage: objectStorage }).fetch);
