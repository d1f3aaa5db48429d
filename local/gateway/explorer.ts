// /explore/: the web application (web/).
import { join } from "node:path";
import { build, settingsOf } from "../../web/build.ts";
import { contentSecurityPolicy } from "../../web/security_policy.ts";
import { PUBLISHABLE_KEY, ROOT, STATE } from "../settings.ts";
import { serve } from "./built_folder.ts";

const FOLDER = join(STATE, "explore");
const SETTINGS = settingsOf({ api: "", key: PUBLISHABLE_KEY });

export const explorer = serve({
  path: "/explore",
  folder: FOLDER,
  sources: [join(ROOT, "web"), join(ROOT, "client", "src")],
  build: () => build(FOLDER, SETTINGS),
  policy: () => contentSecurityPolicy(SETTINGS),
});
