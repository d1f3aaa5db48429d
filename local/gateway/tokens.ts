// Access tokens: HS256 with the shared secret, ES256 with the signing key. A hosted project keeps the private key itself and
// publishes the public one. Here both follow from the secret, so that every process of the platform has the same.
import { Buffer } from "node:buffer";
import { createECDH, createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { JOSEAlgNotAllowed, JWSSignatureVerificationFailed, JWTClaimValidationFailed, JWTExpired } from "jose/errors";
import { SignJWT } from "jose/jwt/sign";
import { jwtVerify } from "jose/jwt/verify";
import { ANON_KEY, JWT_SECRET, type JwtAlgorithm, SERVICE_ROLE_KEY } from "../settings.ts";

export type Claims = Record<string, unknown>;

export type TokenResult =
  | { readonly claims: Claims }
  | { readonly problem: "malformed" | "signature" | "expired" | "not_yet_valid" };

export const ALGORITHMS: JwtAlgorithm[] = ["HS256", "ES256"];
/** PostgREST's tolerance for clocks that differ. */
const CLOCK_TOLERANCE_SECONDS = 30;

const secret = new TextEncoder().encode(JWT_SECRET);
const curve = createECDH("prime256v1");
curve.setPrivateKey(createHash("sha256").update(`ES256 ${JWT_SECRET}`).digest());
/** 0x04, x, y. */
const point = Buffer.from(curve.getPublicKey());
const coordinates = {
  kty: "EC",
  crv: "P-256",
  x: point.subarray(1, 33).toString("base64url"),
  y: point.subarray(33).toString("base64url"),
};
const d = Buffer.from(curve.getPrivateKey()).toString("base64url");

export const KEY_ID = createHash("sha256").update(point).digest("hex").slice(0, 32);
export const PUBLIC_JWK = { ...coordinates, kid: KEY_ID, alg: "ES256", use: "sig", key_ops: ["verify"] };
export const privateKey = createPrivateKey({ key: { ...coordinates, d }, format: "jwk" });
const publicKey = createPublicKey({ key: coordinates, format: "jwk" });

/** The key for the header of a token. Each algorithm has its own. */
export function verificationKey({ alg, kid }: { alg?: string; kid?: string }): Uint8Array | KeyObject {
  if (alg === "HS256") return secret;
  if (kid === undefined || kid === KEY_ID) return publicKey;
  throw new JWSSignatureVerificationFailed();
}

/** The claims of the platform's own keys, which it has signed itself. Most requests of functions have one of them. */
const OWN = new Map([ANON_KEY, SERVICE_ROLE_KEY].map((key) => [key, JSON.parse(atob(key.split(".")[1]!)) as Claims]));

/** Checks a token as PostgREST does. */
export async function verify(token: string): Promise<TokenResult> {
  if (OWN.has(token)) return { claims: OWN.get(token)! };
  try {
    const options = { algorithms: ALGORITHMS, clockTolerance: CLOCK_TOLERANCE_SECONDS };
    const { payload } = await jwtVerify(token, verificationKey, options);
    const isIssued = payload.iat === undefined || payload.iat - CLOCK_TOLERANCE_SECONDS <= Date.now() / 1000;
    return isIssued ? { claims: payload } : { problem: "not_yet_valid" };
  } catch (error) {
    if (error instanceof JWTExpired) return { problem: "expired" };
    if (error instanceof JWTClaimValidationFailed && error.claim === "nbf") return { problem: "not_yet_valid" };
    if (error instanceof JWSSignatureVerificationFailed || error instanceof JOSEAlgNotAllowed) {
      return { problem: "signature" };
    }
    if (error instanceof Error && "code" in error) return { problem: "malformed" };
    throw error;
  }
}

export function sign(claims: Claims, algorithm: JwtAlgorithm = "ES256"): Promise<string> {
  const kid = algorithm === "ES256" ? { kid: KEY_ID } : {};
  return new SignJWT(claims).setProtectedHeader({ alg: algorithm, ...kid, typ: "JWT" })
    .sign(algorithm === "HS256" ? secret : privateKey);
}
