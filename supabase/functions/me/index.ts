import { createApp } from "../_shared/http/app.ts";
import { appStore } from "../_shared/providers/app_store.ts";
import { googlePlay } from "../_shared/providers/google_play.ts";
import { mailSender } from "../_shared/providers/mail.ts";
import { objectStorage } from "../_shared/storage/object_storage.ts";
import { routes } from "./routes.ts";

Deno.serve(createApp(routes, { appStore, googlePlay, mail: mailSender, storage: objectStorage }).fetch);
