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

/** Postgres takes null for every argument; JSON leaves out undefined ones. */
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
 * The database, for calls of certain functions. `rpc` calls `api.<name>`. Its arguments are named after the fields of the
 * interface; the database's names have the prefix `p_`. JSON leaves out undefined values. The type of a jsonb reply is
 * asserted by the caller and verified by the reply schema of the route. Arguments in `Given` are added by the database client.
 */
export interface Database<Name extends ApiFunction, Given extends string = never> {
  readonly rpc: Calls<Name, Given>;
}

/** The database for calls of any name: what the router wraps. */
export interface AnyDatabase {
  rpc<T>(name: string, args?: Record<string, unknown>): Promise<T>;
}

/** What the calls of the database know of the request that they serve, and report to it. */
export interface CallTrace {
  /** Sent with each call: `X-Request-Id` and the trace context, by which lines of the database's log are found. */
  readonly headers: Readonly<Record<string, string>>;
  /** After each call: how long it took in milliseconds, and whether it was carried out. */
  onCall(name: string, ms: number, isDone: boolean): void;
}

/** Which database answers: the primary, or any, which may be a read replica that is somewhat behind. */
export type Instance = "primary" | "any";

/** Nobody in particular: role `anon`. */
export function asAnonymous(config: Config, trace: CallTrace, instance: Instance = "primary"): AnyDatabase {
  return connect(config, apiKeyHeaders(config.anonymousKeys), trace, instance);
}

/** The caller: the token goes to the database, whose policies decide. */
export function asCaller(
  config: Config,
  caller: Caller,
  trace: CallTrace,
  instance: Instance = "primary",
): AnyDatabase {
  const headers = { ...apiKeyHeaders(config.anonymousKeys), Authorization: `Bearer ${caller.token}` };
  return connect(config, headers, trace, instance);
}

/** The service itself, past row security: for routes that only a trusted service may call. */
export function asService(config: Config, trace: CallTrace, instance: Instance = "primary"): AnyDatabase {
  return connect(config, apiKeyHeaders(config.serviceKeys), trace, instance);
}

/**
 * The service on behalf of an administrator: each function gets `p_admin_id` and checks that administrator's areas itself.
 * For routes of administrators, whose token has been verified.
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

/** A key of the new kind is exchanged for a role by the gateway; one of the old kind is itself a token. */
export function apiKeyHeaders([key = ""]: readonly string[]): Record<string, string> {
  return key.startsWith("sb_") ? { apikey: key } : { apikey: key, Authorization: `Bearer ${key}` };
}

function connect(config: Config, headers: Record<string, string>, trace: CallTrace, instance: Instance): AnyDatabase {
  const client = (origin: string) =>
    new PostgrestClient(`${origin}/rest/v1`, {
      schema: "api",
      headers: { ...headers, ...trace.headers },
      retry: false, // who is overloaded is not asked three times more
    });
  const clients = {
    primary: client(config.gatewayUrl),
    ...instance === "any" ? { anywhere: client(config.readsUrl) } : {},
  };
  return { rpc: <T>(name: string, args = {}) => call(clients, name, args, trace) as Promise<T> };
}

/**
 * Longer than a call may take at the Data API, which then answers itself what has become of it: it waits for a connection
 * (10 s on a hosted project, 3.5 s on the local platform), and the statement timeout of the role ends what runs (8 s or less).
 * A caller that gives up sooner does not know whether the call has its effect.
 */
export const DEADLINE_MS = 20_000;

interface Clients {
  readonly primary: PostgrestClient<never, never, "api">;
  /** Sends calls by GET, which a load balancer may give to a read replica; undefined where the call is for the primary. */
  readonly anywhere?: PostgrestClient<never, never, "api">;
}

/**
 * One call, and a second one when the first lost a race: against another transaction, or on a replica against what it was
 * about to replay (SQLSTATE 40xxx). The second one is for the primary.
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
    const reply = await request.abortSignal(AbortSignal.timeout(DEADLINE_MS));
    trace.onCall(calledFunction(name, args), performance.now() - started, !reply.error);
    return reply;
  };
  const first = await attempt(anywhere && queryOf(named));
  const result = first.error && isTransient(first.error) ? await attempt() : first;
  if (result.error) throw translate(result.error, result.status);
  return result.data;
}

/** The function that does the work: for a command not the one that counts and calls it. */
function calledFunction(name: string, { command }: Record<string, unknown>): string {
  return typeof command === "string" ? command : name;
}

/** Arguments by the names they have in the database. */
export function prefixed(args: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [`p_${key}`, value]));
}
