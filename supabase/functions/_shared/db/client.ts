import { PostgrestClient } from "@supabase/postgrest-js";
import type { Config } from "../config.ts";
import type { Caller } from "../auth/token.ts";
import type { ApiFunctions } from "./api_types.ts";
import { isTransient, translate } from "./errors.ts";
import { queryOf } from "./query.ts";

/** A function of the schemas api or commands. */
export type ApiFunction = keyof ApiFunctions;

type OptionalKeys<Args> = {
  [Key in keyof Args]-?: Record<never, never> extends Pick<Args, Key> ? Key : never;
}[keyof Args];

/** Postgres accepts null for every argument. JSON omits undefined ones. */
type WithNulls<Args> =
  & { [Key in Exclude<keyof Args, OptionalKeys<Args>>]: Args[Key] | null }
  & { [Key in OptionalKeys<Args>]?: Args[Key] | null | undefined };

/** The arguments of a function, without those in `Given`. */
export type ArgsOf<Name extends ApiFunction, Given extends string = never> = WithNulls<
  Omit<ApiFunctions[Name]["args"], Given>
>;

type Call<Name extends ApiFunction, Given extends string> = Record<never, never> extends ArgsOf<Name, Given>
  ? <Reply extends ApiFunctions[Name]["returns"]>(name: Name, args?: ArgsOf<Name, Given>) => Promise<Reply>
  : <Reply extends ApiFunctions[Name]["returns"]>(name: Name, args: ArgsOf<Name, Given>) => Promise<Reply>;

/** One signature of `rpc` for each function. */
type Calls<Name extends ApiFunction, Given extends string> =
  (Name extends ApiFunction ? (call: Call<Name, Given>) => void : never) extends (call: infer All) => void ? All
    : never;

/**
 * The database for calls of certain functions. Arguments have the names of the API's fields; in the database they have the
 * prefix `p_`. JSON omits undefined values. The type of a jsonb reply is asserted by the caller and verified by the route's
 * reply schema. The client adds the arguments in `Given`.
 */
export interface Database<Name extends ApiFunction, Given extends string = never> {
  readonly rpc: Calls<Name, Given>;
}

/** The database for calls of any function, as the router uses it. */
export interface AnyDatabase {
  rpc<T>(name: string, args?: Record<string, unknown>): Promise<T>;
}

/** Context of the calls of one request. */
export interface CallTrace {
  /** Headers of each call: `X-Request-Id` and the trace context, to find the lines in the database's log. */
  readonly headers: Readonly<Record<string, string>>;
  /** Called after each call, with its duration in milliseconds and whether it succeeded. */
  onCall(name: string, ms: number, isDone: boolean): void;
}

/** The trace of a call that belongs to no request. */
export function ownTrace(): CallTrace {
  return { headers: { "X-Request-Id": crypto.randomUUID() }, onCall: () => {} };
}

/** The primary, or any database: possibly a read replica that lags behind. */
export type Instance = "primary" | "any";

/** The database as an anonymous user (role `anon`). */
export function asAnonymous(config: Config, trace: CallTrace, instance: Instance = "primary"): AnyDatabase {
  return connect(config, apiKeyHeaders(config.anonymousKeys), trace, instance);
}

/** The database as the user. The token is passed on; row-level security decides. */
export function asCaller(
  config: Config,
  caller: Caller,
  trace: CallTrace,
  instance: Instance = "primary",
): AnyDatabase {
  const headers = { ...apiKeyHeaders(config.anonymousKeys), Authorization: `Bearer ${caller.token}` };
  return connect(config, headers, trace, instance);
}

/** The database as the service, which bypasses row-level security. For routes of trusted services. */
export function asService(config: Config, trace: CallTrace, instance: Instance = "primary"): AnyDatabase {
  return connect(config, apiKeyHeaders(config.serviceKeys), trace, instance);
}

/**
 * The database as the service on behalf of an administrator whose token is verified. Each function gets `p_admin_id` and checks
 * the administrator's areas.
 */
export function asAdmin(
  config: Config,
  adminId: string,
  trace: CallTrace,
  instance: Instance = "primary",
): AnyDatabase {
  const service = asService(config, trace, instance);
  return { rpc: (name, args) => service.rpc(name, { ...args, admin_id: adminId }) };
}

/** The gateway maps a key of the new kind to a role. A key of the old kind is itself a token. */
export function apiKeyHeaders([key = ""]: readonly string[]): Record<string, string> {
  return key.startsWith("sb_") ? { apikey: key } : { apikey: key, Authorization: `Bearer ${key}` };
}

function connect(config: Config, headers: Record<string, string>, trace: CallTrace, instance: Instance): AnyDatabase {
  const client = (origin: string) =>
    new PostgrestClient(`${origin}/rest/v1`, {
      schema: "api",
      headers: { ...headers, ...trace.headers },
      retry: false, // retries would add to an overload
    });
  const clients = {
    primary: client(config.gatewayUrl),
    ...instance === "any" ? { anywhere: client(config.readsUrl) } : {},
  };
  return { rpc: <T>(name: string, args = {}) => call(clients, name, args, trace) as Promise<T> };
}

/**
 * Timeout of a call. It is longer than the Data API's own limits: the wait for a connection (10 s hosted, 3.5 s local) and the
 * role's statement timeout (8 s or less). With a shorter timeout the outcome of the call would be unknown.
 */
export const DEADLINE_MS = 20_000;

interface Clients {
  readonly primary: PostgrestClient<never, never, "api">;
  /** Calls by GET, which a load balancer may route to a read replica. Undefined if the call needs the primary. */
  readonly anywhere?: PostgrestClient<never, never, "api">;
}

/**
 * One call, retried once on the primary after SQLSTATE 40xxx: a conflict with another transaction, or with the replay of a
 * replica.
 */
async function call(
  { primary, anywhere }: Clients,
  name: string,
  args: Record<string, unknown>,
  trace: CallTrace,
): Promise<unknown> {
  const named = prefixed(args);
  const attempt = async (query?: Record<string, string>) => {
    const started = performance.now();
    const request = query && anywhere
      ? anywhere.rpc(name as never, query as never, { get: true })
      : primary.rpc(name as never, named as never);
    // AbortSignal.timeout would hold its timer, and the call, until the deadline.
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(new DOMException("Signal timed out.", "TimeoutError")), DEADLINE_MS);
    try {
      const reply = await request.abortSignal(deadline.signal);
      trace.onCall(calledFunction(name, args), performance.now() - started, !reply.error);
      return reply;
    } finally {
      clearTimeout(timer);
    }
  };
  const first = await attempt(anywhere && queryOf(named));
  const result = first.error && isTransient(first.error) ? await attempt() : first;
  if (result.error) throw translate(result.error, result.status);
  return result.data;
}

/** The function that does the work: the command, not the function that counts and runs it. */
function calledFunction(name: string, { command }: Record<string, unknown>): string {
  return typeof command === "string" ? command : name;
}

/** Arguments by their names in the database. */
export function prefixed(args: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [`p_${key}`, value]));
}
