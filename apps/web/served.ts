// The web application on the local platform: /explore/.
import { join } from "node:path";
import { PUBLISHABLE_KEY, ROOT, STATE } from "../../local/settings.ts";
import { buildInProcess } from "../build_process.ts";
import { serve } from "../built_folder.ts";
import { settingsOf } from "./build.ts";
import { contentSecurityPolicy } from "./security_policy.ts";

const FOLDER = join(STATE, "explore");
/** A file here brings streets to the map; see docs/operations/map.md. */
const STREETS = join(STATE, "streets.pmtiles");
const SETTINGS = settingsOf({ api: "", key: PUBLISHABLE_KEY });

export const served = serve({
  path: "/explore",
  folder: FOLDER,
  sources: [join(ROOT, "apps", "web"), join(ROOT, "client", "src")],
  build: async () => {
    const hasStreets = await Deno.stat(STREETS).then(() => true, () => false);
    await buildInProcess("web", [
      "--key",
      PUBLISHABLE_KEY,
      "--out",
      FOLDER,
      ...hasStreets ? ["--streets", STREETS] : [],
    ]);
  },
  policy: () => contentSecurityPolicy(SETTINGS),
});
