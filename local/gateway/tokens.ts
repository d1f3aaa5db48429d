// Tokens at the gate: HS256 by the secret and ES256 by the signing key, checked as PostgREST checks them.
import { Buffer } from "node:buffer";
import { createHmac, sign as signWith, timingSafeEqual, verify as verifyWith } from "node:crypto";
import { JWT_SECRET, type JwtAlgorithm } from "../settings.ts";
import { KEY_ID, privateKey, publicKey } from "./signing_key.ts";

export type Claims = Record<string, unknown>;

export type Verdict =
  | { readonly claims: Claims }
  | { readonly problem: "malformed" | "signature" | "expired" | "not_yet_valid" };

/** PostgREST's allowance for clocks that differ, in seconds. */
const SKEW = 30;
/** How a JWT has the two halves of the signature. */
const dsaEncoding = "ieee-p1363";

export function verify(token: string): Verdict {
  const parts = token.split(".");
  if (parts.length !== 3) return { problem: "malformed" };
  const [head = "", body = "", signature = ""] = parts;
  const header = parse(head);
  const claims = parse(body);
  if (header === undefined || claims === undefined) return { problem: "malformed" };
  if (!isSigned(header, `${head}.${body}`, signature)) return { problem: "signature" };

  const now = Date.now() / 1000;
  if (typeof claims["exp"] === "number" && claims["exp"] + SKEW < now) return { problem: "expired" };
  if (typeof claims["nbf"] === "number" && claims["nbf"] - SKEW > now) return { problem: "not_yet_valid" };
  if (typeof claims["iat"] === "number" && claims["iat"] - SKEW > now) return { problem: "not_yet_valid" };
  return { claims };
}

export function sign(claims: Claims, algorithm: JwtAlgorithm = "HS256"): string {
  const header = algorithm === "HS256" ? { alg: algorithm, typ: "JWT" } : { alg: algorithm, kid: KEY_ID, typ: "JWT" };
  const content = `${encode(header)}.${encode(claims)}`;
  const signature = algorithm === "HS256"
    ? mac(content)
    : signWith("sha256", Buffer.from(content), { key: privateKey, dsaEncoding }).toString("base64url");
  return `${content}.${signature}`;
}

/** Each algorithm has its own key; a token that names none of the two algorithms is signed by nobody. */
function isSigned({ alg, kid }: Claims, content: string, signature: string): boolean {
  if (alg === "HS256") return sameText(signature, mac(content));
  if (alg !== "ES256" || (kid !== undefined && kid !== KEY_ID)) return false;
  const given = Buffer.from(signature, "base64url");
  return verifyWith("sha256", Buffer.from(content), { key: publicKey, dsaEncoding }, given);
}

function mac(text: string): string {
  return createHmac("sha256", JWT_SECRET).update(text).digest("base64url");
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function parse(part: string): Claims | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString());
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value as Claims : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function sameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
