/**
 * Not too many requests of one caller: counted in the database, and told in every answer. A visitor's request is counted
 * before anything else is done for it, as is one with a long body; a caller's other requests are counted together with their
 * first call of the database, or before they have any other effect.
 */
import { hashAddress } from "../auth/address_hash.ts";
import type { Caller } from "../auth/token.ts";
import type { Config } from "../config.ts";
import { asCaller, asService, type Database, type Timer } from "../db/client.ts";
import { type DatabaseError, translate } from "../db/errors.ts";
import { prefixed } from "../db/rpc.ts";
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
    const address = await networkHash(request, config);
    return await asService(config, timer).rpc("take_visitor_request", { policy, address });
  };
}

/** What api.counted replies. */
interface Counted<T> {
  readonly taken: Taken | null;
  readonly reply?: T;
  readonly refusal?: DatabaseError & { readonly status: number };
}

/** The count of one request. */
export class Limit {
  #settling: Promise<void> | undefined;

  constructor(readonly policy: string, readonly count: Count, readonly tell: (taken: Taken) => void) {}

  /** Counts the request unless it has been counted. */
  settle(): Promise<void> {
    return this.#settling ??= this.count(this.policy).then((taken) => this.#took(taken));
  }

  /** The same database, whose first call counts the request. */
  through(db: Database): Database {
    return {
      rpc: async <T>(name: string, args: Record<string, unknown> = {}) => {
        if (this.#settling !== undefined) {
          await this.#settling;
          return await db.rpc<T>(name, args);
        }
        const call = name === "once" ? args : { function: name, arguments: prefixed(args) };
        const counted = db.rpc<Counted<T>>("counted", { policy: this.policy, ...call });
        this.#settling = counted.then(({ taken }) => this.#took(taken));
        try {
          await this.#settling;
        } catch (failure) {
          // What failed otherwise than by refusing was not counted.
          if (!(failure instanceof Refusal && failure.code === "rate_limited")) this.#settling = undefined;
          throw failure;
        }
        const { reply, refusal } = await counted;
        if (refusal) throw translate(refusal, refusal.status);
        return reply as T;
      },
    };
  }

  /** The same object, each of whose methods waits until the request is counted. */
  before<T extends object>(work: T): T {
    return new Proxy(work, {
      get: (target, name) => {
        const member = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return async (...given: unknown[]) => {
          await this.settle();
          return await member.apply(target, given);
        };
      },
    });
  }

  #took(taken: Taken | null): void {
    if (taken === null) {
      throw new Refusal("server_error", { cause: new Error(`there is no rate limit ${this.policy}`) });
    }
    this.tell(taken);
    const { allowed, policy, reset_seconds } = taken;
    if (allowed) return;
    throw new Refusal("rate_limited", {
      details: { policy, retry_after: reset_seconds },
      headers: { "Retry-After": String(reset_seconds) },
    });
  }
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

/** Stands for the network that a request comes from, in limits and bounds. */
export function networkHash(request: Request, config: Config): Promise<string> {
  return hashAddress(networkOf(request.headers), config.addressHashKey);
}
