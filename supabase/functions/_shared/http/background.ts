/** Work that no response waits for. */
import { logFailure } from "./log.ts";

declare const EdgeRuntime: { waitUntil(promise: Promise<unknown>): void } | undefined;

/** Keeps the hosted runtime from ending the process before the promise settles. */
export function keepAlive(work: Promise<unknown>): void {
  if (typeof EdgeRuntime !== "undefined") EdgeRuntime.waitUntil(work);
}

/** The work goes on after the response. Its failure is logged with this message. */
export function inBackground(work: Promise<unknown>, message: string): void {
  keepAlive(work.catch((failure) => logFailure(message, failure)));
}
