import { PostgrestClient } from "@supabase/postgrest-js";
import type { Config } from "../config.ts";
import type { Caller } from "../auth/token.ts";
import { call } from "./rpc.ts";

export interface Database {
  /**
   * Calls the function `api.<name>`. Arguments are named after the fields of the interface; the database's names carry
   * the prefix `p_`. JSON leaves out what is undefined. `T` is what the reply schema of the route will verify.
   */
  rpc<T>(name: string, args?: Record<string, unknown>): Promise<T>;
}

/** What the calls of the database know of the request that they serve, and report to it. */
export interface CallTrace {
  /** Sent along as X-Request-Id, so that the lines of the database's log can be joined to those of the requests. */
  readonly requestId: string;
  /** After each call: how long it took in milliseconds, and whether it was carried out. */
  onCall(name: string, ms: number, isDone: boolean): void;
}

/** Which database answers: the primary, or any, which may be a read replica that is somewhat behind. */
export type Instance = "primary" | "any";

/** Nobody in particular: role `anon`. */
export function asAnonymous(config: Config, trace: CallTrace, instance: Instance = "primary"): Database {
  return connect(config, apiKeyHeaders(config.anonymousKeys), trace, instance);
}

/** The caller: the token goes to the database, whose policies decide. */
export function asCaller(
  config: Config,
  caller: Caller,
  trace: CallTrace,
  instance: Instance = "primary",
): Database {
  const headers = { ...apiKeyHeaders(config.anonymousKeys), Authorization: `Bearer ${caller.token}` };
  return connect(config, headers, trace, instance);
}

/** The service itself, past row security: for routes that only a trusted service may call. */
export function asService(config: Config, trace: CallTrace, instance: Instance = "primary"): Database {
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
): Database {
  const service = asService(config, trace, instance);
  return { rpc: (name, args) => service.rpc(name, { ...args, admin_id: adminId }) };
}

/** A key of the new kind is exchanged for a role by the gateway; one of the old kind is itself a token. */
export function apiKeyHeaders([key = ""]: readonly string[]): Record<string, string> {
  return key.startsWith("sb_") ? { apikey: key } : { apikey: key, Authorization: `Bearer ${key}` };
}

function connect(config: Config, headers: Record<string, string>, trace: CallTrace, instance: Instance): Database {
  const client = (origin: string) =>
    new PostgrestClient(`${origin}/rest/v1`, {
      schema: "api",
      headers: { ...headers, "X-Request-Id": trace.requestId },
      retry: false, // who is overloaded is not asked three times more
    });
  const clients = {
    primary: client(config.gatewayUrl),
    ...instance === "any" ? { anywhere: client(config.readsUrl) } : {},
  };
  return { rpc: <T>(name: string, args = {}) => call(clients, name, args, trace) as Promise<T> };
}
