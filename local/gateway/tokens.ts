// Tokens at the gate: HS256 only, checked as PostgREST checks them.
import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";
import { JWT_SECRET } from "../settings.ts";

export type Claims = Record<string, unknown>;

export type Verdict =
  | { readonly claims: Claims }
  | { readonly problem: "malformed" | "signature" | "expired" | "not_yet_valid" };

/** PostgREST's allowance for clocks that differ, in seconds. */
const SKEW = 30;

export function verify(token: string): Verdict {
  const parts = token.split(".");
  if (parts.length !== 3) return { problem: "malformed" };
  const [head = "", body = "", signature = ""] = parts;
  const header = parse(head);
  const claims = parse(body);
  if (header === undefined || claims === undefined) return { problem: "malformed" };
  if (header["alg"] !== "HS256" || !sameText(signature, mac(`${head}.${body}`))) return { problem: "signature" };

  const now = Date.now() / 1000;
  if (typeof claims["exp"] === "number" && claims["exp"] + SKEW < now) return { problem: "expired" };
  if (typeof claims["nbf"] === "number" && claims["nbf"] - SKEW > now) return { problem: "not_yet_valid" };
  if (typeof claims["iat"] === "number" && claims["iat"] - SKEW > now) return { problem: "not_yet_valid" };
  return { claims };
}

export function sign(claims: Claims): string {
  const body = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
  return `${body}.${mac(body)}`;
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
