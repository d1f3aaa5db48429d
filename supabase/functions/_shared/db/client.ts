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

/** Told how long each call to the database took, in milliseconds. */
export type Timer = (ms: number) => void;

/** Nobody in particular: role `anon`. */
export function asVisitor(config: Config, timer: Timer): Database {
  return connect(config, keyed(config.visitorKeys), timer);
}

/** The caller: the token goes to the database, whose policies decide. */
export function asCaller(config: Config, caller: Caller, timer: Timer): Database {
  return connect(config, { ...keyed(config.visitorKeys), Authorization: `Bearer ${caller.token}` }, timer);
}

/** The service itself, past row security: for routes that only a trusted service may call. */
export function asService(config: Config, timer: Timer): Database {
  return connect(config, keyed(config.serviceKeys), timer);
}

/** A key of the new kind is exchanged for a role by the gateway; one of the old kind is itself a token. */
function keyed([key = ""]: readonly string[]): Record<string, string> {
  return key.startsWith("sb_") ? { apikey: key } : { apikey: key, Authorization: `Bearer ${key}` };
}

function connect(config: Config, headers: Record<string, string>, timer: Timer): Database {
  const client = new PostgrestClient(`${config.gatewayUrl}/rest/v1`, { schema: "api", headers });
  return { rpc: <T>(name: string, args = {}) => call(client, name, args, timer) as Promise<T> };
}
