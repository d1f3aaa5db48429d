/// <reference no-default-lib="true" />
/// <reference lib="esnext" />
/// <reference lib="webworker" />
/**
 * The service worker: it keeps the files of one build, so that the application starts and moves without a connection.
 * It sees no request to the service.
 */
declare const self: ServiceWorkerGlobalScope;
/** What the build writes before this code. */
declare const BUILD: { readonly version: string; readonly files: readonly string[] };

const { scope } = self.registration;
const PREFIX = `files of ${scope} `;
const CACHE = `${PREFIX}${BUILD.version}`;
/** A page from the host is preferred, as it may be newer, but not for longer than this. */
const WAIT_MS = 2_000;
/** Parts of the map's files: the newest are kept. */
const MAX_PARTS = 300;
/** A name with a hash of the content: the file never changes. Below a folder are files of others, for example photos. */
const HASHED = /^[^/]+-[0-9a-zA-Z]{8}\.\w+$/;

self.addEventListener("install", (event) => {
  event.waitUntil((async () => {
    const cache = await caches.open(CACHE);
    await cache.addAll(
      BUILD.files.map((name) => new Request(name, { cache: HASHED.test(name) ? "default" : "no-cache" })),
    );
  })());
});

self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) {
      if (name.startsWith(PREFIX) && name !== CACHE) await caches.delete(name);
    }
    await self.clients.claim();
  })());
});

/** A new version waits until a page says that it may take over. */
self.addEventListener("message", ({ data, ports }) => {
  if (data === "take over") void self.skipWaiting();
  if (data === "version") ports[0]?.postMessage(BUILD.version);
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const [address] = request.url.split(/[?#]/);
  if (request.method !== "GET" || !address!.startsWith(scope) || request.headers.has("Authorization")) return;
  const name = address!.slice(scope.length);
  const range = request.headers.get("range");
  if (range !== null) {
    if (HASHED.test(name)) event.respondWith(keptPart(request, `${name}?${range}`));
  } else if (request.mode === "navigate") event.respondWith(newest(request, "./"));
  else if (HASHED.test(name)) event.respondWith(kept(request, name));
  else if (BUILD.files.includes(name)) event.respondWith(newest(request, name));
});

/** The file of the host; the kept one if the host does not have it or does not answer in time. */
async function newest(request: Request, name: string): Promise<Response> {
  const fetched = fetch(request);
  const keptFile = await (await caches.open(CACHE)).match(name);
  if (keptFile === undefined) return await fetched;
  const waited = new Promise<undefined>((resolve) => setTimeout(resolve, WAIT_MS));
  const first = await Promise.race([fetched, waited]).catch(() => undefined);
  return first?.ok ? first : keptFile;
}

/**
 * The kept part of a large file, as the map reads them; else that of the host, which is kept from then on. The name has the
 * hash of the content, so that parts of two days fit: the tag of a host says less.
 */
async function keptPart(request: Request, part: string): Promise<Response> {
  const cache = await caches.open(CACHE);
  const keptReply = await cache.match(part);
  if (keptReply) return new Response(keptReply.body, { status: 206, headers: keptReply.headers });
  const response = await fetch(request);
  if (response.status !== 206) return response;
  const headers = new Headers(response.headers);
  headers.delete("etag");
  const bytes = await response.arrayBuffer();
  // The storage takes no reply with the status 206.
  await cache.put(part, new Response(bytes, { headers }));
  const parts = (await cache.keys()).filter(({ url }) => url.includes("?bytes="));
  for (const old of parts.slice(0, Math.max(0, parts.length - MAX_PARTS))) await cache.delete(old);
  return new Response(bytes, { status: 206, headers });
}

/** The kept file; else that of the host, which is kept from then on. */
async function kept(request: Request, name: string): Promise<Response> {
  const cache = await caches.open(CACHE);
  const keptFile = await cache.match(name);
  if (keptFile) return keptFile;
  const response = await fetch(request);
  if (response.status === 200) await cache.put(name, response.clone());
  return response;
}
