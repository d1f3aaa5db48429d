// The documentation on the local platform: /docs/. A browser that opens the `doc_url` of an error is sent to the section of its code.
import { join } from "node:path";
import type { Serve } from "../../local/gateway/applications.ts";
import { ROOT, STATE } from "../../local/settings.ts";
import { isCode } from "../../supabase/functions/_shared/errors.ts";
import { buildInProcess } from "../build_process.ts";
import { serve } from "../built_folder.ts";
import { contentSecurityPolicy } from "./security_policy.ts";

const FOLDER = join(STATE, "docs");
const SOURCES = [
  "docs",
  "apps/site",
  "client/README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "contract",
  "supabase/functions/openapi/examples.json",
];

const files = serve({
  path: "/docs",
  folder: FOLDER,
  sources: SOURCES.map((path) => join(ROOT, path)),
  build: () => buildInProcess("site", ["--sample-people", "--out", FOLDER]),
  policy: contentSecurityPolicy,
});

/** The response to a request for the documentation, or of a browser for the page of an error code; otherwise undefined. */
export const served: Serve = (request, pathname) => {
  const [, code] = pathname.match(/^(?:\/functions)?\/v1\/openapi\/errors\/(\w+)$/) ?? [];
  if (!isCode(code) || !/\btext\/html\b/.test(request.headers.get("accept") ?? "")) return files(request, pathname);
  const headers = { "location": `/docs/clients/errors.html#${code}`, "cache-control": "no-store", "vary": "Accept" };
  return Promise.resolve(new Response(null, { status: 302, headers }));
};
