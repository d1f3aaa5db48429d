// /explore/: the web application (web/), built when it is first requested and again after a change.
import { join } from "node:path";
import { build, files, settingsOf } from "../../web/build.ts";
import { contentSecurityPolicy } from "../../web/security_policy.ts";
import { PUBLISHABLE_KEY, ROOT, STATE } from "../settings.ts";

const FOLDER = join(STATE, "explore");
const SOURCES = [join(ROOT, "web"), join(ROOT, "client", "src")];
const SETTINGS = settingsOf({ api: "", key: PUBLISHABLE_KEY });
const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  json: "application/json",
  svg: "image/svg+xml",
};

interface Built {
  /** The newest change of a source that the build contains. */
  readonly changedAt: number;
  readonly done: Promise<void>;
}

let built: Built | undefined;

/** The newest build. Requests that come during a build wait for it. */
async function current(): Promise<void> {
  const changedAt = await newestChange();
  if (built === undefined || changedAt > built.changedAt) {
    built = { changedAt, done: (built?.done ?? Promise.resolve()).catch(() => {}).then(() => build(FOLDER, SETTINGS)) };
  }
  await built.done;
}

async function newestChange(): Promise<number> {
  const paths = (await Promise.all(SOURCES.map(files))).flat();
  const times = await Promise.all(paths.map(async (path) => (await Deno.stat(path)).mtime?.getTime() ?? 0));
  return Math.max(...times);
}

/** The response for a path below /explore, undefined if it has no file. */
export async function explorer(pathname: string): Promise<Response | undefined> {
  if (pathname === "/explore") return new Response(null, { status: 308, headers: { location: "/explore/" } });
  const [, name = "index.html", extension = "html"] = pathname.match(/^\/explore\/([\w-]+\.(\w+))?$/) ?? [];
  const type = TYPES[extension];
  if (!pathname.startsWith("/explore/") || type === undefined) return undefined;
  if (name === "index.html" || built === undefined) await current();
  const content = await Deno.readFile(join(FOLDER, name)).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  });
  if (content === undefined) return undefined;
  return new Response(content, {
    headers: {
      "content-type": type,
      "content-security-policy": `${contentSecurityPolicy(SETTINGS)}; frame-ancestors 'none'`,
      "cache-control": "no-cache",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    },
  });
}
