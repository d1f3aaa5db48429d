/** Not too many requests of one caller: counted in the database before the body is read, and told in every answer. */
import type { Caller } from "../auth/token.ts";
import type { Config } from "../config.ts";
import { asCaller, asService, type Timer } from "../db/client.ts";
import { Refusal } from "../errors.ts";

/** What api.take_request replies. */
export interface Taken {
  readonly allowed: boolean;
  readonly policy: string;
  readonly quota: number;
  readonly window_seconds: number;
  readonly remaining: number;
  readonly reset_seconds: number;
}

/** Whom a request is counted for: the caller, or a visitor by network address. */
type Count = (policy: string) => Promise<Taken | null>;

export function counterFor(request: Request, caller: Caller | null, config: Config, timer: Timer): Count {
  if (caller) return (policy) => asCaller(config, caller, timer).rpc("take_request", { policy });
  return async (policy) => {
    const address = await pseudonym(networkOf(request.headers), config.jwtSecret);
    return await asService(config, timer).rpc("take_visitor_request", { policy, address });
  };
}

/** Counts the request; the answer is refused by `refuseBeyond`, so that it can tell the count either way. */
export async function takeRequest(policy: string, count: Count): Promise<Taken> {
  const taken = await count(policy);
  if (taken === null) throw new Refusal("server_error", { cause: new Error(`there is no rate limit ${policy}`) });
  return taken;
}

export function refuseBeyond({ allowed, policy, reset_seconds }: Taken): void {
  if (allowed) return;
  throw new Refusal("rate_limited", {
    details: { policy, retry_after: reset_seconds },
    headers: { "Retry-After": String(reset_seconds) },
  });
}

/** The headers of the IETF draft (draft-ietf-httpapi-ratelimit-headers-10): structured fields, seconds. */
export function limitHeaders(taken: Taken | undefined): [name: string, value: string][] {
  if (!taken) return [];
  const { policy, quota, window_seconds, remaining, reset_seconds } = taken;
  return [
    ["RateLimit-Policy", `"${policy}";q=${quota};w=${window_seconds}`],
    ["RateLimit", `"${policy}";r=${remaining};t=${reset_seconds}`],
  ];
}

/**
 * The network a visitor comes from: an IPv4 address, or the first half of an IPv6 address. The hosted edge overwrites
 * CF-Connecting-IP, and only appends to what a client put into X-Forwarded-For.
 */
export function networkOf(headers: Headers): string {
  const address = (headers.get("cf-connecting-ip") ?? headers.get("x-forwarded-for")?.split(",")[0] ?? "").trim();
  if (!address.includes(":") || !URL.canParse(`http://[${address}]`)) return address;
  const whole = new URL(`http://[${address}]`).hostname.slice(1, -1);
  if (whole.startsWith("::ffff:")) return whole; // an IPv4 address in the clothes of the other kind
  const [head = "", tail = ""] = whole.split("::");
  const groups = (part: string) => part === "" ? [] : part.split(":");
  const missing = 8 - groups(head).length - groups(tail).length;
  return [...groups(head), ...Array(missing).fill("0"), ...groups(tail)].slice(0, 4).join(":");
}

/** Keyed, so that nobody who reads the table can try addresses. */
async function pseudonym(address: string, secret: Uint8Array): Promise<string> {
  const key = await crypto.subtle.importKey("raw", new Uint8Array(secret), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
  ]);
  const mark = new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(`address ${address}`)));
  return [...mark.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
