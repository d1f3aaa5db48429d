import { jwtVerify } from "jose/jwt/verify";
import { JOSEError, JWTExpired } from "jose/errors";
import { Refusal } from "../errors.ts";

/** Whom a verified token stands for. The token itself goes on to the database. */
export interface Caller {
  readonly id: string;
  readonly token: string;
}

const LEEWAY_SECONDS = 60;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The token of an Authorization header: one scheme, one space, one token, nothing else. */
export function bearerOf(authorization: string): string {
  const token = /^bearer ([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization)?.[1];
  if (token === undefined) throw invalidToken();
  return token;
}

export async function verifyToken(token: string, secret: Uint8Array): Promise<Caller> {
  try {
    const { payload } = await jwtVerify(token, secret, {
      algorithms: ["HS256"],
      audience: "authenticated",
      requiredClaims: ["sub", "exp"],
      clockTolerance: LEEWAY_SECONDS,
    });
    if (payload["role"] !== "authenticated" || !UUID.test(payload.sub ?? "")) throw invalidToken();
    return { id: payload.sub!.toLowerCase(), token };
  } catch (error) {
    if (error instanceof JWTExpired) throw expiredToken();
    if (error instanceof JOSEError) throw invalidToken();
    throw error;
  }
}

export function missingToken(): Refusal {
  return new Refusal("unauthorized", {
    message: "An access token is required.",
    details: { reason: "token_missing" },
  });
}

/** Also what the database's own refusal of a token becomes. */
export function invalidToken(): Refusal {
  return new Refusal("unauthorized", {
    message: "The access token is not valid.",
    details: { reason: "token_invalid" },
    headers: { "WWW-Authenticate": 'Bearer error="invalid_token"' },
  });
}

export function expiredToken(): Refusal {
  return new Refusal("unauthorized", {
    message: "The access token has expired.",
    details: { reason: "token_expired" },
    headers: { "WWW-Authenticate": 'Bearer error="invalid_token", error_description="expired"' },
  });
}
