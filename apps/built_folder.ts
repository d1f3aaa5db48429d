// A folder of files that is built when it is first requested, and again after a change of its sources.
import { join } from "node:path";
import { etagMatches } from "../supabase/functions/_shared/http/caching.ts";
import type { Serve } from "../local/gateway/applications.ts";
import { errorResponse } from "../local/gateway/envelope.ts";

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  json: "application/json",
  svg: "image/svg+xml",
};

export interface BuiltFolder {
  /** The path of the folder, for example `/docs`. */
  readonly path: string;
  readonly folder: string;
  /** Files and folders that the build reads. */
  readonly sources: readonly string[];
  build(): Promise<void>;
  /** The Content-Security-Policy of a file. */
  policy(name: string): string;
}

export function serve(built: BuiltFolder): Serve {
  let last: { readonly changedAt: number; readonly done: Promise<void> } | undefined;

  /** The newest build. Requests that come during a build wait for it. */
  async function current(): Promise<void> {
    const changedAt = Math.max(...await Promise.all(built.sources.map(newestChange)));
    if (last === undefined || changedAt > last.changedAt) {
      const done = (last?.done ?? Promise.resolve()).catch(() => {}).then(() => built.build());
      const next = last = { changedAt, done };
      // The next request tries again.
      done.catch(() => last === next && (last = undefined));
    }
    await last.done;
  }

  async function respond(request: Request, path: string): Promise<Response> {
    const name = path === "" || path.endsWith("/") ? `${path}index.html` : path;
    const [, extension] = name.match(/^(?:[\w-]+\/)*[\w-]+\.(\w+)$/) ?? [];
    const type = TYPES[extension ?? ""];
    if (type === undefined) return notFound(request);
    if (extension === "html" || last === undefined) await current();
    const file = join(built.folder, name);
    const found = await Deno.stat(file).catch((error) => {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw error;
    });
    if (found === undefined) return notFound(request);
    const headers = {
      "content-type": type,
      "content-security-policy": `${built.policy(name)}; frame-ancestors 'none'`,
      "cache-control": "no-cache",
      "etag": `W/"${found.mtime?.getTime()}-${found.size}"`,
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    };
    if (etagMatches(request.headers.get("if-none-match"), headers.etag.slice(2))) {
      return new Response(null, { status: 304, headers });
    }
    return new Response(await Deno.readFile(file), { headers });
  }

  return (request, pathname) => {
    if (request.method !== "GET" && request.method !== "HEAD") return undefined;
    if (pathname === built.path) {
      return Promise.resolve(new Response(null, { status: 308, headers: { location: `${built.path}/` } }));
    }
    return pathname.startsWith(`${built.path}/`) ? respond(request, pathname.slice(built.path.length + 1)) : undefined;
  };
}

function notFound(request: Request): Response {
  return errorResponse(request, 404, "not_found", "No such path.");
}

/** The time of the newest change in a file or a folder, without what was built there. */
async function newestChange(path: string): Promise<number> {
  const { isDirectory, mtime } = await Deno.stat(path);
  const times = [mtime?.getTime() ?? 0];
  if (isDirectory) {
    for await (const { name } of Deno.readDir(path)) {
      if (!name.startsWith("dist")) times.push(await newestChange(join(path, name)));
    }
  }
  return Math.max(...times);
}
