/// <reference lib="dom" />
/** Replies of the service that pages show again without a connection. */
import { signal } from "@preact/signals";
import { learnTime } from "./service_time.ts";
import { storage } from "./storage.ts";
import { ownerOf } from "./token.ts";

/** Since when the pages show what was known then; undefined with a connection. */
export const shownSince = signal<number | undefined>(undefined);

/** What a driver looks at, without what only works with a connection. */
const KEPT = /\/v1\/(codes|tags|parking-lots|me)(\/|$)/;
const NOT_KEPT = /\/v1\/me\/export/;
const KEPT_HEADERS = ["content-type", "x-truncated"];
const MAX_READS = 200;
const MAX_BODY = 1024 * 1024;
/** What is older is not shown any more. */
const MAX_AGE_MS = 30 * 24 * 60 * 60_000;

/** The bounds of the map change with every move: only its last contents are kept. */
function slotOf({ pathname, search, searchParams }: URL): string {
  return searchParams.has("bbox") ? `${pathname}?bbox` : pathname + search;
}

/** How often pages have read again because there is a connection again, or because a change that waited was sent. */
export const rereads = signal(0);

export function readAgain(): void {
  rereads.value++;
}

/**
 * The reply of the service, or without a connection the one that was kept for the same request of the same user.
 * `isHere` says whether a user is still the one of the page: nothing is kept for another.
 */
export async function fetchOrKept(request: Request, isHere: (user: string) => boolean): Promise<Response> {
  const url = new URL(request.url);
  const user = ownerOf(request);
  const isKept = request.method === "GET" && KEPT.test(url.pathname) && !NOT_KEPT.test(url.pathname);
  try {
    const sent = Date.now();
    const response = await fetch(request);
    learnTime(response, sent, Date.now());
    shownSince.value = undefined;
    if (isKept) void keep(user, url, response.clone(), isHere);
    return response;
  } catch (error) {
    const kept = isKept && !request.signal.aborted ? await find(user, url) : undefined;
    if (kept === undefined) throw error;
    shownSince.value = Math.min(kept.at, shownSince.peek() ?? kept.at);
    return new Response(kept.body, { headers: kept.headers.map(([name, value]): [string, string] => [name, value]) });
  }
}

async function keep(user: string, url: URL, response: Response, isHere: (user: string) => boolean): Promise<void> {
  try {
    const [slot, db] = [slotOf(url), await storage()];
    // What is gone is not shown again.
    if ([401, 403, 404, 410].includes(response.status)) return await db.delete("reads", [user, slot]);
    if (response.status !== 200) return;
    const headers = KEPT_HEADERS.flatMap((name): [string, string][] => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, value]];
    });
    const address = url.pathname + url.search;
    const body = await response.text();
    if (body.length > MAX_BODY || !isHere(user)) return;
    await db.put("reads", { user, slot, address, at: Date.now(), body, headers });
    const excess = await db.count("reads") - MAX_READS;
    if (excess <= 0) return;
    for (const key of await db.getAllKeysFromIndex("reads", "at", undefined, excess)) await db.delete("reads", key);
  } catch (error) {
    console.warn("A reply could not be kept for times without a connection.", error);
  }
}

async function find(user: string, url: URL) {
  const kept = await (await storage()).get("reads", [user, slotOf(url)]);
  const isFitting = kept?.address === url.pathname + url.search && kept.at > Date.now() - MAX_AGE_MS;
  return isFitting ? kept : undefined;
}

/** The newest reply that is kept for a path of the API, such as `/v1/parking-lots/<id>`: its query, and its time. */
export async function keptRead(
  user: string,
  path: string,
): Promise<{ readonly query: URLSearchParams; readonly at: number } | undefined> {
  const all = await (await storage()).getAllFromIndex("reads", "user", user);
  const fitting = all.map(({ address, at }) => ({ url: new URL(address, "http://any"), at }))
    .filter(({ url }) => url.pathname.endsWith(path))
    .sort((a, b) => b.at - a.at);
  return fitting[0] && { query: fitting[0].url.searchParams, at: fitting[0].at };
}

/** Removes what was kept for users other than this one, and what is too old. Guests have nothing that others must not see. */
export async function forgetReads(user: string): Promise<void> {
  const db = await storage();
  const old = await db.getAllKeysFromIndex("reads", "at", IDBKeyRange.upperBound(Date.now() - MAX_AGE_MS));
  const others = (await db.getAllKeys("reads")).filter(([owner]) => owner !== "" && owner !== user);
  for (const key of [...old, ...others]) await db.delete("reads", key);
}

// Pages that show what was known read again when the browser says that there is a connection.
addEventListener("online", () => shownSince.peek() !== undefined && readAgain());
