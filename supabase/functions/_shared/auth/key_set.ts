import { JWKSNoMatchingKey } from "jose/errors";
import { createLocalJWKSet } from "jose/jwks/local";
import type { JWTVerifyGetKey } from "jose/jwt/verify";
import { ApiError } from "../errors.ts";

type GetKey = ReturnType<typeof createLocalJWKSet>;

/** Milliseconds. */
export interface KeySetTimes {
  /** Keys older than this are read again before they are used. The project's auth server allows caching for as long. */
  readonly maxAge: number;
  /** Keys that cannot be read again are used until this age, so that tokens outlive an outage of the auth server. */
  readonly maxStale: number;
  /** The least time between two reads: a token with an unknown `kid` costs one read, a thousand of them too. */
  readonly cooldown: number;
  /** The least time between a read that failed and the next one. */
  readonly retryPause: number;
  readonly timeout: number;
}

const TIMES: KeySetTimes = {
  maxAge: 600_000,
  maxStale: 3_600_000,
  cooldown: 30_000,
  retryPause: 2_000,
  timeout: 3_000,
};

/**
 * The public keys of the project (JWKS). They are read when a token needs them first, kept, and read again when they are
 * old or when a token names a `kid` that is not among them: keys are rotated. Requests that need a read share one.
 */
export class KeySet {
  readonly #times: KeySetTimes;
  #keys: { readonly get: GetKey; readonly readAt: number } | undefined;
  #reading: Promise<void> | undefined;
  #nextRead = -Infinity;
  /** Why the last read failed. */
  #failure: ApiError | undefined;

  constructor(readonly url: string, times: Partial<KeySetTimes> = {}, readonly now = () => performance.now()) {
    this.#times = { ...TIMES, ...times };
  }

  /** The key that the token's header names. Throws JWKSNoMatchingKey, or refuses when the keys cannot be read. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const keys = await this.#usable();
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof JWKSNoMatchingKey)) throw error;
      // After a read that failed nobody knows whether the key is unknown or new.
      if (!this.#mayRead()) throw this.#failure ?? error;
    }
    await this.#read();
    return await this.#keys!.get(header, token);
  };

  async #usable(): Promise<GetKey> {
    const age = this.now() - (this.#keys?.readAt ?? -Infinity);
    if (age > this.#times.maxAge && this.#mayRead()) {
      await this.#read().catch((failure) => {
        if (age > this.#times.maxStale) throw failure;
      });
    } else if (age > this.#times.maxStale) {
      throw this.#failure;
    }
    return this.#keys!.get;
  }

  #mayRead(): boolean {
    return this.#reading !== undefined || this.now() >= this.#nextRead;
  }

  #read(): Promise<void> {
    return this.#reading ??= this.#fetch().finally(() => this.#reading = undefined);
  }

  async #fetch(): Promise<void> {
    const { retryPause, cooldown, timeout } = this.#times;
    try {
      const response = await fetch(this.url, { signal: AbortSignal.timeout(timeout) });
      if (!response.ok) {
        await response.body?.cancel();
        throw new Error(`status ${response.status}`);
      }
      this.#keys = { get: createLocalJWKSet(await response.json()), readAt: this.now() };
      this.#nextRead = this.now() + cooldown;
      this.#failure = undefined;
    } catch (cause) {
      this.#nextRead = this.now() + retryPause;
      const failure = new Error(`the keys at ${this.url} could not be read`, { cause });
      throw this.#failure = new ApiError("service_unavailable", { cause: failure });
    }
  }
}
