/// <reference lib="dom" />
/**
 * Changes that wait for a connection. Each is sent once, in the order in which they were made, with its idempotency key.
 *
 *     const reply = await deliver("session_end", (keyed) => client.POST("/v1/…", { params, body, ...keyed }));
 *     if (reply === undefined) …  // it waits; the frame shows it, and `waiting` has it
 */
import { effect, signal } from "@preact/signals";
import { NetworkError } from "parking-lot-client";
import { type Captured, capturing } from "./captured.ts";
import { newKey } from "./keys.ts";
import { readAgain } from "./reads.ts";
import { send, supabase, user, whenUserLeaves } from "./service.ts";
import { forgetValues, type Refusal, storage, type Waiting, type WaitingKind } from "./storage.ts";

/** The changes of the signed-in user that wait, or that the service refused, oldest first. */
export const waiting = signal<readonly Waiting[]>([]);
const MAX_WAITING = 50;
const MAX_BODY = 64 * 1024;
/** The service knows a key for 24 hours: later a change could be made twice. */
const MAX_AGE_MS = 23 * 60 * 60_000;
/** A change that its user has not sent or discarded until then is removed. */
const MAX_KEPT_MS = 30 * 24 * 60 * 60_000;
/** The code of its refusal then. */
export const TOO_OLD = "too_old";
const FIRST_RETRY_MS = 5_000;
const LAST_RETRY_MS = 5 * 60_000;

/** Sends a change. Without a connection it waits, and the result is undefined. */
export async function deliver<Reply>(
  kind: WaitingKind,
  send: (keyed: { readonly headers: { readonly "Idempotency-Key": string } }) => Promise<Reply>,
): Promise<Reply | undefined> {
  const id = newKey();
  // A change does not overtake the ones before it.
  if (isWaiting()) await flush();
  const result = await capturing(id, isWaiting(), () => send({ headers: { "Idempotency-Key": id } }));
  if ("reply" in result) return result.reply;
  const { error, captured } = result;
  if (!(error instanceof NetworkError) || captured === undefined || !await keep(id, kind, captured)) throw error;
  return undefined;
}

const isWaiting = () => waiting.peek().some(({ refusal }) => refusal === undefined);

async function keep(id: string, kind: WaitingKind, { user: owner, method, address, body }: Captured): Promise<boolean> {
  const db = await storage();
  // Its user may have left meanwhile.
  if (owner !== user.peek()?.id || waiting.peek().length >= MAX_WAITING || (body?.length ?? 0) > MAX_BODY) return false;
  await db.put("waiting", { id, user: owner, kind, at: Date.now(), method, address, body });
  await read();
  later();
  return true;
}

/** Reads what waits for the user, also what another tab has added or sent. */
async function read(): Promise<void> {
  const owner = user.peek()?.id;
  const all = owner === undefined ? [] : await (await storage()).getAllFromIndex("waiting", "user", owner);
  if (owner === user.peek()?.id) waiting.value = all.sort((a, b) => a.at - b.at);
}

let running: Promise<void> | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let delay = FIRST_RETRY_MS;

function later(seconds = 0): void {
  clearTimeout(timer);
  timer = setTimeout(() => void flush(), Math.max(delay, seconds * 1_000));
  delay = Math.min(2 * delay, LAST_RETRY_MS);
}

/** Sends what waits, until a change cannot be sent. Tabs take turns. */
export function flush(): Promise<void> {
  return running ??= (async () => {
    try {
      if (navigator.locks) await navigator.locks.request("outbox", sendAll);
      else await sendAll();
    } catch (error) {
      console.warn("Changes that wait could not be sent.", error);
      later();
    } finally {
      running = undefined;
    }
  })();
}

async function sendAll(): Promise<void> {
  await read();
  for (const item of waiting.peek().filter(({ refusal }) => refusal === undefined)) {
    if (item.user !== user.peek()?.id) return;
    // Discarded meanwhile.
    if (!waiting.peek().some(({ id }) => id === item.id)) continue;
    if (Date.now() > item.at + MAX_AGE_MS) {
      await replace({ ...item, refusal: { code: TOO_OLD, reason: undefined } });
      continue;
    }
    const outcome = await sendOne(item);
    if (outcome === "sent") {
      await (await storage()).delete("waiting", item.id);
      delay = FIRST_RETRY_MS;
      await read();
      readAgain();
    } else if ("wait" in outcome) return later(outcome.wait);
    else await replace({ ...item, refusal: outcome });
  }
}

async function sendOne(
  { id, user: owner, method, address, body }: Waiting,
): Promise<"sent" | { wait: number } | Refusal> {
  const { data } = await supabase.getSession();
  // Nobody sends what another user did.
  if (data.session?.user.id !== owner) return { wait: 0 };
  const headers = { "Authorization": `Bearer ${data.session.access_token}`, "Idempotency-Key": id };
  const json = body === null ? {} : { "Content-Type": "application/json" };
  const request = new Request(address, { method, headers: { ...headers, ...json }, body });
  const response = await send(request).catch(() => undefined);
  if (response === undefined) return { wait: 0 };
  if (response.ok) return "sent";
  const { status } = response;
  const { error } = await response.json().catch(() => ({}));
  // A repeated removal finds nothing to remove.
  if (method === "DELETE" && status === 404) return "sent";
  if ([401, 408, 425, 429].includes(status) || status >= 500 || error?.details?.reason === "key_in_use") {
    return { wait: Number(response.headers.get("Retry-After")) || 0 };
  }
  return { code: error?.code ?? "unexpected_response", reason: error?.details?.reason };
}

async function replace(item: Waiting): Promise<void> {
  const db = await storage();
  if (item.user === user.peek()?.id) await db.put("waiting", item);
  await read();
}

/** Gives up a change. */
export async function discard(id: string): Promise<void> {
  await (await storage()).delete("waiting", id);
  await read();
}

/** Sends a refused change once more, as a new one. */
export async function sendAgain({ refusal: _, ...item }: Waiting): Promise<void> {
  await replace({ ...item, id: newKey(), at: Date.now() });
  await discard(item.id);
  await flush();
}

/** Signs out. What waits is lost. Without a connection nobody is signed out, and nothing is lost. */
export async function signOut(scope: "global" | "local" = "global"): Promise<void> {
  const owner = user.peek()?.id;
  const { error } = await supabase.auth.signOut({ scope });
  if (error !== null) throw error;
  await forget((item) => item.user === owner);
}

async function forget(isForgotten: (item: Waiting) => boolean): Promise<void> {
  const db = await storage();
  for (const item of await db.getAll("waiting")) if (isForgotten(item)) await db.delete("waiting", item.id);
}

/** Shows and sends what waits for a user. Another one has left for good: only whose sign-in has ended finds what waits. */
async function resume(owner: string): Promise<void> {
  await forget((item) => item.user !== owner || item.at < Date.now() - MAX_KEPT_MS);
  await read();
  await flush();
}

effect(() => {
  const owner = user.value?.id;
  waiting.value = [];
  if (owner === undefined) return;
  resume(owner).catch((error: unknown) => console.warn("What waits for a connection could not be read.", error));
});
whenUserLeaves(forgetValues);
addEventListener("online", () => void flush());
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && void flush());
