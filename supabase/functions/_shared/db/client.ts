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

/** Nobody in particular: role `anon`. */
export function asVisitor(config: Config, trace: CallTrace): Database {
  return connect(config, keyed(config.visitorKeys), trace);
}

/** The caller: the token goes to the database, whose policies decide. */
export function asCaller(config: Config, caller: Caller, trace: CallTrace): Database {
  return connect(config, { ...keyed(config.visitorKeys), Authorization: `Bearer ${caller.token}` }, trace);
}

/** The service itself, past row security: for routes that only a trusted service may call. */
export function asService(config: Config, trace: CallTrace): Database {
  return connect(config, keyed(config.serviceKeys), trace);
}

/**
 * The service on behalf of an administrator: each function gets `p_admin_id` and checks that administrator's areas itself.
 * For routes of administrators, whose token has been verified.
 */
export function asAdmin(config: Config, adminId: string, trace: CallTrace): Database {
  const service = asService(config, trace);
  return { rpc: (name, args) => service.rpc(name, { ...args, admin_id: adminId }) };
}

/** A key of the new kind is exchanged for a role by the gateway; one of the old kind is itself a token. */
export function keyed([key = ""]: readonly string[]): Record<string, string> {
  return key.startsWith("sb_") ? { apikey: key } : { apikey: key, Authorization: `Bearer ${key}` };
}

function connect(config: Config, headers: Record<string, string>, trace: CallTrace): Database {
  const client = new PostgrestClient(`${config.gatewayUrl}/rest/v1`, {
    schema: "api",
    headers: { ...headers, "X-Request-Id": trace.requestId },
  });
  return { rpc: <T>(name: string, args = {}) => call(client, name, args, trace) as Promise<T> };
}
