// Which names the platform has. A website whose name resolves to 127.0.0.1 would be of the platform's own origin for browsers.
import { isOfThisMachine } from "../settings.ts";

/** Whether the request was sent to this machine, or to the host name by which clients reach it. */
export function isOwnHost({ hostname }: URL, host: string): boolean {
  return isOfThisMachine(hostname) || hostname === host.toLowerCase();
}

/** Whether a page of another origin sent the request. Browsers name the origin; other clients name none. */
export function isFromOtherOrigin({ headers }: Request, { host }: URL): boolean {
  const origin = headers.get("origin");
  return origin !== null && !(URL.canParse(origin) && new URL(origin).host === host);
}
