import { createApp } from "../_shared/http/app.ts";
import { identityProvider } from "../_shared/providers/identity_provider.ts";
import { objectStorage } from "../_shared/providers/object_storage.ts";
import { routes } from "./routes.ts";

Deno.serve(createApp(routes, { identity: identityProvider, storage: objectStorage }).fetch);
