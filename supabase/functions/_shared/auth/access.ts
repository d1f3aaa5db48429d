import type { Config } from "../config.ts";
import { ApiError } from "../errors.ts";
import { bearerOf, type Caller, missingToken, TokenVerifier } from "./token.ts";

/**
 * Who may call a route.
 * - `public`: anyone, and always as a visitor; a token is not looked at.
 * - `optional`: anyone; a token, when there is one, must be good and makes the request the caller's.
 * - `user`: a signed-in user.
 * - `admin`: an active administrator, who has the area of the route; the database says who is.
 * - `service`: a trusted service with the secret key.
 */
export type Access = "public" | "optional" | "user" | "admin" | "service";

export type CallerOf<A extends Access> = A extends "user" | "admin" ? Caller
  : A extends "optional" ? Caller | null
  : null;

/** The caller, null for a visitor or a service; refuses whoever may not. The `apikey` header identifies nobody. */
export async function authenticate(
  access: Access,
  authorization: string | null,
  config: () => Config,
): Promise<Caller | null> {
  if (access === "public") return null;
  const token = authorization === null ? null : bearerOf(authorization);

  if (access === "service" && token !== null && isOneOf(token, config().serviceKeys)) return null;
  // Client libraries send the project's public key as bearer when nobody is signed in.
  if (token === null || isOneOf(token, config().anonymousKeys)) {
    if (access !== "optional") throw missingToken();
    return null;
  }
  const caller = await verifierOf(config()).verify(token);
  if (access === "service") {
    throw new ApiError("forbidden", {
      message: "Only the service may call this endpoint. Send the secret key as the bearer token.",
    });
  }
  return caller;
}

const verifiers = new WeakMap<Config, TokenVerifier>();

/** One for each configuration: it keeps the public keys that it has read. */
function verifierOf(config: Config): TokenVerifier {
  const verifier = verifiers.get(config) ?? new TokenVerifier(config.tokens);
  verifiers.set(config, verifier);
  return verifier;
}

/** Compares in a time that depends on the lengths alone, so that a key cannot be guessed byte by byte. */
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
