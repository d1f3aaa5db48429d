// A folder of files that is built when it is first requested, and again after a change of its sources.
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { etagMatches } from "../supabase/functions/_shared/http/caching.ts";
import { isHashed } from "./hashed_names.ts";
import type { Serve } from "../local/gateway/applications.ts";
import { errorResponse } from "../local/gateway/envelope.ts";

/** Files that are sent compressed. */
const TEXTS: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  md: "text/markdown; charset=utf-8",
  txt: "text/plain; charset=utf-8",
  json: "application/json",
  geojson: "application/geo+json",
  webmanifest: "application/manifest+json",
  svg: "image/svg+xml",
  pbf: "application/x-protobuf",
};

/** Files that people and programs open, not those that a page loads: a request for one waits for the newest build. */
const BUILDS: readonly (string | undefined)[] = ["html", "md", "txt"];

/** Files that are compressed by themselves. A client can ask for a part of one. */
const COMPRESSED: Readonly<Record<string, string>> = {
  png: "image/png",
  webp: "image/webp",
  woff2: "font/woff2",
  pmtiles: "application/vnd.pmtiles",
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
    const text = TEXTS[extension ?? ""];
    const type = text ?? COMPRESSED[extension ?? ""];
    if (type === undefined) return notFound(request);
    if (BUILDS.includes(extension) || last === undefined) await current();
    const file = join(built.folder, name);
    const found = await Deno.stat(file).catch((error) => {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw error;
    });
    if (found === undefined) return notFound(request);
    const etag = `"${found.mtime?.getTime()}-${found.size}"`;
    const headers = {
      "content-type": type,
      "content-security-policy": `${built.policy(name)}; frame-ancestors 'none'`,
      "cache-control": isHashed(name) ? "public, max-age=31536000, immutable" : "no-cache",
      // The bytes of a text depend on the encoding.
      ...(text ? { vary: "accept-encoding", etag: `W/${etag}` } : { etag, "accept-ranges": "bytes" }),
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    };
    if (etagMatches(request.headers.get("if-none-match"), etag)) return new Response(null, { status: 304, headers });
    if (text === undefined) return partOf(request, file, found.size, headers);
    const encoding = encodingOf(request.headers.get("accept-encoding"));
    if (encoding === undefined) return new Response(await Deno.readFile(file), { headers });
    return new Response(await encoded(file, encoding, etag), {
      headers: { ...headers, "content-encoding": encoding },
    });
  }

  return (request, pathname) => {
    if (request.method !== "GET" && request.method !== "HEAD") return undefined;
    if (pathname === built.path) {
      return Promise.resolve(new Response(null, { status: 308, headers: { location: `${built.path}/` } }));
    }
    return pathname.startsWith(`${built.path}/`) ? respond(request, pathname.slice(built.path.length + 1)) : undefined;
  };
}

/** The file, or the part of it that the request asks for (RFC 9110, section 14). */
function partOf(request: Request, file: string, size: number, headers: Record<string, string>): Response {
  const isSame = [null, headers["etag"]].includes(request.headers.get("if-range"));
  const range = isSame ? rangeOf(request.headers.get("range"), size) : undefined;
  if (range === "none") {
    return new Response(null, { status: 416, headers: { ...headers, "content-range": `bytes */${size}` } });
  }
  const { start, end } = range ?? { start: 0, end: size - 1 };
  const isEmpty = request.method === "HEAD" || size === 0;
  const body = isEmpty ? null : Readable.toWeb(createReadStream(file, { start, end })) as ReadableStream<Uint8Array>;
  return new Response(body, {
    status: range ? 206 : 200,
    headers: {
      ...headers,
      "content-length": `${end - start + 1}`,
      ...(range ? { "content-range": `bytes ${start}-${end}/${size}` } : {}),
    },
  });
}

/** The bytes of a Range header; undefined for the whole file, `none` for a range that the file does not have. */
function rangeOf(header: string | null, size: number): { start: number; end: number } | "none" | undefined {
  // Several ranges, and what is no range, get the whole file.
  const [, first = "", last = ""] = header?.match(/^bytes=(\d*)-(\d*)$/) ?? [];
  if (first === "" && last === "") return undefined;
  if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  return start > end ? "none" : { start, end };
}

type Encoding = keyof typeof ENCODERS;

const ENCODERS = {
  br: (bytes: Uint8Array) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (bytes: Uint8Array) => promisify(gzip)(bytes),
};

/** The best encoding that the client accepts; undefined for none. */
function encodingOf(accepted: string | null): Encoding | undefined {
  const names = (accepted ?? "").split(",").filter((part) => !/;\s*q=0(\.0*)?\s*$/.test(part))
    .map((part) => part.split(";")[0]!.trim());
  return (["br", "gzip"] as const).find((name) => names.includes(name));
}

const kept = new Map<string, { readonly etag: string; readonly bytes: Promise<Uint8Array<ArrayBuffer>> }>();
/** More than the files of a build: those of earlier builds go first. */
const MAX_KEPT = 400;

/** The file in this encoding. It is encoded once for each content. */
function encoded(file: string, encoding: Encoding, etag: string): Promise<Uint8Array<ArrayBuffer>> {
  const key = `${encoding} ${file}`;
  const known = kept.get(key);
  if (known?.etag === etag) return known.bytes;
  const bytes = Deno.readFile(file).then(ENCODERS[encoding]).then((result) => new Uint8Array(result));
  kept.delete(key);
  kept.set(key, { etag, bytes });
  if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!);
  bytes.catch(() => kept.delete(key));
  return bytes;
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
