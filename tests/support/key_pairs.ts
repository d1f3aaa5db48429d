// Key pairs that sign access tokens, and an auth server that publishes their public halves.
import { createSign, generateKeyPairSync, type KeyObject } from "node:crypto";

export interface KeyPair {
  readonly kid: string;
  readonly algorithm: "ES256" | "RS256";
  readonly privateKey: KeyObject;
  /** As a JWKS has it. */
  readonly jwk: Record<string, unknown>;
  /** As PEM: what an attacker has who reads the JWKS. */
  readonly publicPem: string;
}

export function keyPair(algorithm: "ES256" | "RS256", kid: string = crypto.randomUUID()): KeyPair {
  const { privateKey, publicKey } = algorithm === "ES256"
    ? generateKeyPairSync("ec", { namedCurve: "P-256" })
    : generateKeyPairSync("rsa", { modulusLength: 2048 });
  const jwk = { ...publicKey.export({ format: "jwk" }), kid, alg: algorithm, use: "sig", key_ops: ["verify"] };
  return { kid, algorithm, privateKey, jwk, publicPem: String(publicKey.export({ format: "pem", type: "spki" })) };
}

/** A token with these claims, as the identity provider makes it except for the given differences. */
export function signedToken(
  { privateKey, algorithm, kid }: KeyPair,
  sub: string,
  { header = {}, claims = {} }: { header?: Record<string, unknown>; claims?: Record<string, unknown> } = {},
): string {
  const now = Math.floor(Date.now() / 1000);
  const payload = { sub, aud: "authenticated", role: "authenticated", iat: now, exp: now + 3600, ...claims };
  const content = [{ alg: algorithm, typ: "JWT", kid, ...header }, payload].map(encoded).join(".");
  const key = { key: privateKey, dsaEncoding: "ieee-p1363" as const };
  return `${content}.${createSign("sha256").update(content).sign(key).toString("base64url")}`;
}

function encoded(value: unknown): string {
  return new TextEncoder().encode(JSON.stringify(value)).toBase64({ alphabet: "base64url", omitPadding: true });
}

export interface KeyServer extends AsyncDisposable {
  readonly url: string;
  /** What it publishes now. */
  keys: Record<string, unknown>[];
  /** How many requests it received. */
  reads: number;
  /** What it answers in place of its keys. */
  answer: (() => Response | Promise<Response>) | undefined;
}

export function keyServer(...pairs: readonly KeyPair[]): KeyServer {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async () => {
    keyServer.reads++;
    // A moment, so that requests that come together find the read under way.
    await new Promise((resolve) => setTimeout(resolve, 20));
    return await keyServer.answer?.() ?? Response.json({ keys: keyServer.keys });
  });
  const keyServer: KeyServer = {
    url: `http://127.0.0.1:${server.addr.port}/auth/v1/.well-known/jwks.json`,
    keys: pairs.map(({ jwk }) => jwk),
    reads: 0,
    answer: undefined,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
  return keyServer;
}
