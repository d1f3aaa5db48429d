import type { Config } from "../config.ts";
import { ApiError } from "../errors.ts";
import { bearerOf, type Caller, invalidToken, missingToken, TokenVerifier } from "./token.ts";

/**
 * Access to a route.
 * - `public`: every client, always as an anonymous user. Tokens are ignored.
 * - `optional`: every client. If a token is sent, it must be valid and identifies the caller.
 * - `user`: an authenticated user.
 * - `admin`: an active administrator with the area of the route. The database checks it.
 * - `service`: a trusted service with the secret key.
 * - `monitor`: a monitoring system with the bearer token METRICS_TOKEN. It may read metrics, and nothing else.
 */
export type Access = "public" | "optional" | "user" | "admin" | "service" | "monitor";

export type CallerOf<A extends Access> = A extends "user" | "admin" ? Caller
  : A extends "optional" ? Caller | null
  : null;

/**
 * Returns the caller, or null for an anonymous user or a service. Throws if the route does not allow the access. The
 * `apikey` header identifies a service, and never a user. A bearer token of a user counts more, as in the Data API.
 */
export async function authenticate(access: Access, headers: Headers, config: () => Config): Promise<Caller | null> {
  if (access === "public") return null;
  if (access === "monitor" && config().metricsToken === null) {
    throw new ApiError("service_unavailable", { details: { reason: "not_configured" } });
  }
  const authorization = headers.get("authorization");
  const token = authorization === null ? null : bearerOf(authorization);
  if (access === "monitor") {
    if (token === null) throw missingToken();
    if (!isOneOf(token, [config().metricsToken!])) throw invalidToken();
    return null;
  }
  const isService = (key: string | null) => access === "service" && key !== null && isOneOf(key, config().serviceKeys);

  if (isService(token)) return null;
  // Client libraries send the project's public key as bearer token without a session.
  if (token === null || isOneOf(token, config().anonymousKeys)) {
    if (isService(headers.get("apikey")) || access === "optional") return null;
    throw missingToken();
  }
  const caller = await verifierOf(config()).verify(token);
  if (access === "service") {
    throw new ApiError("forbidden", {
      message: "Only the service may call this endpoint. Send the secret key in the apikey header.",
    });
  }
  return caller;
}

const verifiers = new WeakMap<Config, TokenVerifier>();

/** One per configuration, because it caches the public keys. */
function verifierOf(config: Config): TokenVerifier {
  const verifier = verifiers.get(config) ?? new TokenVerifier(config.tokens);
  verifiers.set(config, verifier);
  return verifier;
}

/** Compares in a time that depends only on the lengths, so that a key cannot be guessed byte by byte. */
function isOneOf(candidate: string, keys: readonly string[]): boolean {
  const given = new TextEncoder().encode(candidate);
  let found = false;
  for (const key of keys) {
    const expected = new TextEncoder().encode(key);
    let difference = given.length ^ expected.length;
    for (let i = 0; i < expected.length; i++) {
      difference |= (given[i] ?? 0) ^ expected[i]!;
    }
    found = difference === 0 || found;
  }
  return found;
}
