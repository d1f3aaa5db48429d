/**
 * Rate limit and idempotency of one request. Commands with an idempotency key have their effect once. A request is counted
 * at one of five moments:
 *
 * | request                                                | counted                                     | under            |
 * | ------------------------------------------------------ | ------------------------------------------- | ---------------- |
 * | of an anonymous user                                   | before anything else                        | the route's      |
 * | whose handler runs a command                           | with the command, in its transaction        | the command's    |
 * | whose read is expensive                                | with the read, in its transaction           | `expensive_read` |
 * | whose handler first calls a provider or the service    | before that, and again as one of the others | `attach`         |
 * | that ran no command (its body or receipt is not valid) | at the end                                  | the route's      |
 *
 * Which reads are expensive `isExpensive` of the route says, and the database where only it knows how many rows are read.
 *
 * A handler calls no provider when the quota of the route is used up. So a request is counted under the policy of its route,
 * or of its command, also when it fails. Requests that fail with 503 are not. Those that `refusedLimit` of the route refuses
 * with 422 are counted under that policy instead.
 *
 * A key that was used for another request is rejected by the command. A handler that first calls a provider or the service
 * would judge the request before: so the key is checked before that too.
 */
import type { AnyDatabase } from "../db/client.ts";
import { prefixed } from "../db/client.ts";
import { ApiError } from "../errors.ts";
import type { IdempotencyKey } from "./idempotency.ts";
import type { RateLimit } from "./rate_limit.ts";

/** The policy of requests that call storage before they run a command. */
const BEFORE_STORAGE = "attach";

/** The reply of api.run_command, api.run_admin_command and api.read_counted. */
interface Ran<T> {
  readonly replayed: boolean;
  readonly reply: T;
  readonly rate_limit: RateLimit;
}

export interface CommandOptions {
  /** The policy of the route. Undefined: only requests with an idempotency key are counted. */
  readonly policy: string | undefined;
  /** The function of the database that counts and runs a command. */
  readonly entryPoint: "run_command" | "run_admin_command";
  /**
   * Counts one request of the client under a policy; null when there is no such policy. `next` is the policy under which the
   * request is counted later: the request is rejected when that quota is used up.
   */
  readonly take: (policy: string, next?: string) => Promise<RateLimit | null>;
  /** Counts a counted request under another policy instead, unless the quota of that is used up. */
  readonly takeInstead: (policy: string, instead: string) => Promise<RateLimit>;
  /** Throws if the client has used the key for another request. */
  readonly checkKey: (key: IdempotencyKey) => Promise<void>;
  /** Called with each count, for the response's headers. */
  readonly onCount: (rateLimit: RateLimit) => void;
}

export class Commands {
  /** Set once the body is read. */
  key: IdempotencyKey | undefined;
  readonly #runs = new Map<string, number>();
  #fresh = 0;
  /** The count under the policy of the route or of a command. */
  #counting: Promise<void> | undefined;
  /** The count before the first call of a provider or the service. */
  #preparing: Promise<void> | undefined;
  #checking: Promise<void> | undefined;

  constructor(readonly options: CommandOptions) {}

  /** Whether every command returned its stored reply: the response is a replay. */
  get replayed(): boolean {
    return this.#runs.size > 0 && this.#fresh === 0;
  }

  /** The same database. Functions run as commands if the request is rate limited or has an idempotency key. */
  over(db: AnyDatabase): AnyDatabase {
    if (this.options.policy === undefined && this.key === undefined) return db;
    return { rpc: (name, args = {}) => this.#run(db, name, args) };
  }

  /** The same database for expensive reads. The service reads for anonymous users, who are counted by `address`. */
  expensive(db: AnyDatabase, address?: string): AnyDatabase {
    return {
      rpc: async <T>(name: string, args: Record<string, unknown> = {}) =>
        (await this.#call<T>(db, "read_counted", { function: name, arguments: prefixed(args), address })).reply,
    };
  }

  /** The same object. Each of its methods first waits until the request is counted and its key is checked. */
  before<T extends object>(work: T): T {
    if (this.options.policy === undefined) return work;
    return new Proxy(work, {
      get: (target, name) => {
        const member = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return async (...given: unknown[]) => {
          await (this.#counting ?? (this.#preparing ??= this.#take(BEFORE_STORAGE, this.options.policy)));
          await this.#checkKey();
          return await member.apply(target, given);
        };
      },
    });
  }

  /** Counts the request under the policy of its route, unless that or a command has counted it. */
  async count(): Promise<void> {
    const { policy } = this.options;
    if (policy !== undefined) await (this.#counting ??= this.#take(policy));
  }

  /** Counts the request under this policy, and not under that of its route. */
  async countInstead(policy: string): Promise<void> {
    const { policy: own, takeInstead, onCount } = this.options;
    if (own === undefined) return;
    if (this.#counting === undefined) await (this.#counting = this.#take(policy));
    else onCount(await takeInstead(policy, own));
  }

  async #checkKey(): Promise<void> {
    // A command checks it too.
    if (this.key === undefined || this.#runs.size > 0) return;
    await (this.#checking ??= this.options.checkKey(this.key));
  }

  async #run<T>(db: AnyDatabase, name: string, args: Record<string, unknown>): Promise<T> {
    const nth = (this.#runs.get(name) ?? 0) + 1;
    this.#runs.set(name, nth);
    const call = { command: name, arguments: prefixed(args), ...(this.key && { ...this.key, nth }) };
    const { replayed, reply } = await this.#call<T>(db, this.options.entryPoint, call);
    if (!replayed) this.#fresh++;
    return reply;
  }

  async #call<T>(db: AnyDatabase, entryPoint: string, args: Record<string, unknown>): Promise<Ran<T>> {
    try {
      const ran = await db.rpc<Ran<T>>(entryPoint, args);
      this.#counted(ran.rate_limit);
      return ran;
    } catch (failure) {
      if (failure instanceof ApiError && failure.rateLimit) this.#counted(failure.rateLimit);
      throw failure;
    }
  }

  async #take(policy: string, next?: string): Promise<void> {
    try {
      const rateLimit = await this.options.take(policy, next);
      if (rateLimit === null) {
        throw new ApiError("server_error", { cause: new Error(`there is no rate limit policy ${policy}`) });
      }
      this.options.onCount(rateLimit);
    } catch (failure) {
      if (failure instanceof ApiError && failure.rateLimit) this.options.onCount(failure.rateLimit);
      throw failure;
    }
  }

  #counted(rateLimit: RateLimit): void {
    this.#counting = Promise.resolve();
    this.options.onCount(rateLimit);
  }
}

/**
 * The same database, which may reject a read because it is expensive. Only the database knows how many rows a search reads.
 * Then `counted` repeats the read.
 */
export function unlessExpensive(db: AnyDatabase, counted: () => AnyDatabase): AnyDatabase {
  return {
    rpc: async <T>(name: string, args?: Record<string, unknown>) => {
      try {
        return await db.rpc<T>(name, args);
      } catch (failure) {
        if (!(failure instanceof ApiError) || failure.details?.["reason"] !== "not_counted") throw failure;
        return await counted().rpc<T>(name, args);
      }
    },
  };
}
