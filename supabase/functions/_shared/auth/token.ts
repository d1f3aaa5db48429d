import { JOSEError, JWTExpired } from "jose/errors";
import { SignJWT } from "jose/jwt/sign";
import { jwtVerify, type JWTVerifyGetKey } from "jose/jwt/verify";
import type { TokenConfig } from "../config.ts";
import { ApiError } from "../errors.ts";
import { KeySet } from "./key_set.ts";

/** The user of a verified token. */
export interface Caller {
  readonly id: string;
  /** The assurance of the sign-in (claim `aal`): `aal2` with a second factor. */
  readonly assurance: string;
  /** The token for the database: the caller's own token, or a copy of it (see `forDatabase`). */
  readonly token: string;
}

type Claims = Awaited<ReturnType<typeof jwtVerify>>["payload"];

/** Maximum clock difference between the issuer and the verifier of tokens. */
const LEEWAY_SECONDS = 60;
/** Lifetime of a copy: longer than a request waits for the database. */
const COPY_SECONDS = 60;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The token of an Authorization header: exactly one scheme, one space and one token. */
export function bearerOf(authorization: string): string {
  const token = /^bearer ([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization)?.[1];
  if (token === undefined) throw invalidToken();
  return token;
}

/** Verifies access tokens with the shared secret or the project's public keys, depending on the configuration. */
export class TokenVerifier {
  readonly #getKey: JWTVerifyGetKey;

  constructor(readonly config: TokenConfig, keys = new KeySet(config.jwksUrl)) {
    const { secret } = config;
    // Each algorithm has its own kind of key, so that a public key is never used as a shared secret.
    this.#getKey = (header, token) => header.alg === "HS256" && secret ? secret : keys.find(header, token);
  }

  async verify(token: string): Promise<Caller> {
    const { algorithms, issuer, secret } = this.config;
    try {
      const { payload } = await jwtVerify(token, this.#getKey, {
        algorithms: [...algorithms],
        audience: "authenticated",
        requiredClaims: ["sub", "exp"],
        clockTolerance: LEEWAY_SECONDS,
        ...(issuer === null ? {} : { issuer }),
      });
      if (payload["role"] !== "authenticated" || !UUID.test(payload.sub ?? "")) throw invalidToken();
      if ((payload.iat ?? 0) > now() + LEEWAY_SECONDS) throw invalidToken();
      return {
        id: payload.sub!.toLowerCase(),
        assurance: payload["aal"] === "aal2" ? "aal2" : "aal1",
        token: await forDatabase(token, payload, secret),
      };
    } catch (error) {
      if (error instanceof JWTExpired) throw expiredToken();
      if (error instanceof JOSEError) throw invalidToken();
      throw error;
    }
  }
}

/**
 * The Data API allows a clock difference of 30 s, the API 60 s. A token that is only valid because of this leeway is
 * replaced by a copy with current times, signed with the shared secret. Without a shared secret, the Data API decides
 * about the original token.
 */
async function forDatabase(token: string, claims: Claims, secret: Uint8Array | null): Promise<string> {
  const isGoodNow = claims.exp! > now() && (claims.nbf ?? 0) <= now() && (claims.iat ?? 0) <= now();
  if (isGoodNow || secret === null) return token;
  const { nbf: _, ...others } = claims;
  return await new SignJWT({ ...others, iat: now(), exp: now() + COPY_SECONDS })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .sign(secret);
}

function now(): number {
  return Math.floor(Date.now() / 1000);
}

export function missingToken(): ApiError {
  return new ApiError("unauthorized", {
    message: "An access token is required. Send it in the Authorization header.",
    details: { reason: "token_missing" },
  });
}

/** Also used when the database rejects a token. */
export function invalidToken(): ApiError {
  return new ApiError("unauthorized", {
    message: "The access token is not valid. Sign in again.",
    details: { reason: "token_invalid" },
    headers: { "WWW-Authenticate": 'Bearer error="invalid_token"' },
  });
}

export function expiredToken(): ApiError {
  return new ApiError("unauthorized", {
    message: "The access token has expired. Refresh it and retry.",
    details: { reason: "token_expired" },
    headers: { "WWW-Authenticate": 'Bearer error="invalid_token", error_description="expired"' },
  });
}
