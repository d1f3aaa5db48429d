import { JWKSNoMatchingKey } from "jose/errors";
import { createLocalJWKSet } from "jose/jwks/local";
import type { JWTVerifyGetKey } from "jose/jwt/verify";
import { ApiError } from "../errors.ts";

type GetKey = ReturnType<typeof createLocalJWKSet>;

/** Milliseconds. */
export interface KeySetTimes {
  /** Older keys are read again before use. The project's auth server allows caching for this time. */
  readonly maxAge: number;
  /** Maximum age of keys that cannot be read again, so that tokens remain valid during an outage of the auth server. */
  readonly maxStale: number;
  /** Minimum time between two reads: a thousand tokens with unknown `kid` cause one read, the same as one token. */
  readonly cooldown: number;
  /** Minimum time between a failed read and the next one. */
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
 * The public keys of the project (JWKS). They are read when a token first needs them, and cached. They are read again
 * when they are old, or when a token has an unknown `kid`, because keys are rotated. Concurrent requests share one
 * read.
 */
export class KeySet {
  readonly #times: KeySetTimes;
  #keys: { readonly get: GetKey; readonly readAt: number } | undefined;
  #reading: Promise<void> | undefined;
  #nextRead = -Infinity;
  /** Error of the last read. */
  #failure: ApiError | undefined;

  constructor(readonly url: string, times: Partial<KeySetTimes> = {}, readonly now = () => performance.now()) {
    this.#times = { ...TIMES, ...times };
  }

  /** The key of the token's header. Throws JWKSNoMatchingKey, or `service_unavailable` if the keys cannot be read. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const keys = await this.#usable();
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof JWKSNoMatchingKey)) throw error;
      // After a failed read it is unknown whether the key is invalid or new.
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
