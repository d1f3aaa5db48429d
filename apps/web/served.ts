// The web application on the local platform: /explore/.
import { join } from "node:path";
import { PUBLISHABLE_KEY, ROOT, STATE } from "../../local/settings.ts";
import { serve } from "../built_folder.ts";
import { build, settingsOf } from "./build.ts";
import { contentSecurityPolicy } from "./security_policy.ts";

const FOLDER = join(STATE, "explore");
const SETTINGS = settingsOf({ api: "", key: PUBLISHABLE_KEY });

export const served = serve({
  path: "/explore",
  folder: FOLDER,
  sources: [join(ROOT, "apps", "web"), join(ROOT, "client", "src")],
  build: () => build(FOLDER, SETTINGS),
  policy: () => contentSecurityPolicy(SETTINGS),
});
