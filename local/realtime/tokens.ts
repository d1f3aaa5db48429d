// The tokens of sockets and channels: HS256 by the secret or ES256 by the signing key, and never without an end and a role.
import { JWSInvalid, JWTExpired, JWTInvalid } from "jose/errors";
import { jwtVerify } from "jose/jwt/verify";
import { publicKey } from "../gateway/signing_key.ts";
import { JWT_SECRET } from "../settings.ts";
import type { Identity } from "./types.ts";

export interface Bearer extends Identity {
  /** When the token ends, in seconds since 1970. */
  readonly expires: number;
}

/** Why a token does not count. `code` goes before the message in the answer to a join. */
export class TokenRejected extends Error {
  constructor(
    readonly code: string,
    message: string,
    /** What the handshake says instead. */ readonly short = message,
  ) {
    super(message);
  }
}

/** What stands for the connection's own token where a client sends a key in its place. */
export function isKey(token: unknown): boolean {
  return typeof token === "string" && token.startsWith("sb_");
}

export class Tokens {
  readonly #secret = new TextEncoder().encode(JWT_SECRET);

  async verify(token: string): Promise<Bearer> {
    const claims = await this.#claims(token);
    const { role, exp } = claims;
    if (typeof role !== "string" || role === "" || typeof exp !== "number") {
      throw new TokenRejected("InvalidJWTToken", "Fields `role` and `exp` are required in JWT");
    }
    return { role, claims, expires: exp };
  }

  async #claims(token: string): Promise<Record<string, unknown>> {
    try {
      const keyOf = ({ alg }: { alg?: string }) => alg === "HS256" ? this.#secret : publicKey;
      return (await jwtVerify(token, keyOf, { algorithms: ["HS256", "ES256"] })).payload;
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
}

/** The refusal of a token that ended then. */
export function expired(expires: number): TokenRejected {
  const ago = Math.max(0, Math.floor(Date.now() / 1000 - expires));
  return new TokenRejected("InvalidJWTToken", `Token has expired ${ago} seconds ago`, "Token has expired");
}
