// The tokens of sockets and channels: HS256 by the secret or ES256 by the signing key, always with an expiry and a role.
import { JWSInvalid, JWTExpired, JWTInvalid } from "jose/errors";
import { jwtVerify } from "jose/jwt/verify";
import { ALGORITHMS, verificationKey } from "../gateway/tokens.ts";
import type { Identity } from "./types.ts";

export interface TokenIdentity extends Identity {
  /** When the token expires, in seconds since 1970. */
  readonly expires: number;
}

/** `code` precedes the message in the reply to a join. */
export class TokenRejected extends Error {
  constructor(
    readonly code: string,
    message: string,
    /** The message of the handshake. */ readonly short = message,
  ) {
    super(message);
  }
}

/** A client may send its key in place of a token: the connection's own token counts then. */
export function isApiKey(token: unknown): boolean {
  return typeof token === "string" && token.startsWith("sb_");
}

export async function verifyToken(token: string): Promise<TokenIdentity> {
  const claims = await claimsOf(token);
  const { role, exp } = claims;
  if (typeof role !== "string" || role === "" || typeof exp !== "number") {
    throw new TokenRejected("InvalidJWTToken", "Fields `role` and `exp` are required in JWT");
  }
  return { role, claims, expires: exp };
}

async function claimsOf(token: string): Promise<Record<string, unknown>> {
  try {
    return (await jwtVerify(token, verificationKey, { algorithms: ALGORITHMS })).payload;
  } catch (error) {
    if (error instanceof JWTExpired) throw expired(Number(error.payload.exp));
    if (error instanceof JWSInvalid || error instanceof JWTInvalid) {
      throw new TokenRejected("MalformedJWT", "The token provided is not a valid JWT");
    }
    if (error instanceof Error && "code" in error) {
      throw new TokenRejected("JwtSignatureError", "Failed to validate JWT signature");
    }
    throw error;
  }
}

export function expired(expires: number): TokenRejected {
  const ago = Math.max(0, Math.floor(Date.now() / 1000 - expires));
  return new TokenRejected("InvalidJWTToken", `Token has expired ${ago} seconds ago`, "Token has expired");
}
