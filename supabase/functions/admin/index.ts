import { createApp } from "../_shared/http/app.ts";
import { appStore } from "../_shared/providers/app_store.ts";
import { googlePlay } from "../_shared/providers/google_play.ts";
import { identityProvider } from "../_shared/providers/identity_provider.ts";
import { objectStorage } from "../_shared/storage/object_storage.ts";
import { routes } from "./routes.ts";

Deno.serve(createApp(routes, { appStore, googlePlay, identity: identityProvider, storage: objectStorage }).fetch);
