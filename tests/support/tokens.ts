// Valid and invalid access tokens, made without the library that verifies them.
import { createHmac, generateKeyPairSync, sign } from "node:crypto";

export interface TokenParts {
  readonly header?: Record<string, unknown>;
  readonly claims?: Record<string, unknown>;
  /** Claims that must not be there. */
  readonly without?: readonly string[];
  readonly secret: string;
}

const now = () => Math.floor(Date.now() / 1000);

/** A token as the identity provider makes it, except for the given differences. */
export function token(sub: string, { header, claims, without = [], secret }: TokenParts): string {
  const payload: Record<string, unknown> = {
    sub,
    aud: "authenticated",
    role: "authenticated",
    iat: now(),
    exp: now() + 3600,
    ...claims,
  };
  for (const name of without) delete payload[name];
  return signed({ alg: "HS256", typ: "JWT", ...header }, payload, secret);
}

function signed(header: Record<string, unknown>, payload: unknown, secret: string): string {
  const content = `${encoded(header)}.${encoded(payload)}`;
  return `${content}.${signature(String(header["alg"]), content, secret)}`;
}

function signature(algorithm: string, content: string, secret: string): string {
  if (algorithm === "none") return "";
  if (algorithm === "HS512") return createHmac("sha512", secret).update(content).digest("base64url");
  if (algorithm === "RS256") {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    return sign("sha256", new TextEncoder().encode(content), privateKey).toString("base64url");
  }
  return createHmac("sha256", secret).update(content).digest("base64url");
}

function encoded(value: unknown): string {
  return new TextEncoder().encode(JSON.stringify(value)).toBase64({ alphabet: "base64url", omitPadding: true });
}

/** Authorization headers that must always be rejected, each by the reason why. */
export function badAuthorizations(sub: string, secret: string): Record<string, string> {
  const make = (parts: Omit<TokenParts, "secret">) => `Bearer ${token(sub, { ...parts, secret })}`;
  const good = token(sub, { secret });
  const [head, body, tail] = good.split(".") as [string, string, string];
  return {
    "an unsigned token (alg none)": make({ header: { alg: "none" } }),
    "a token signed with another secret": `Bearer ${
      token(sub, { secret: "another-secret-of-at-least-32-characters" })
    }`,
    "a token signed with HS512": make({ header: { alg: "HS512" } }),
    "a token signed with RS256": make({ header: { alg: "RS256" } }),
    "an expired token": make({ claims: { exp: now() - 120 } }),
    "a token that is not yet valid": make({ claims: { nbf: now() + 3600 } }),
    "a token without exp": make({ without: ["exp"] }),
    "a token without sub": make({ without: ["sub"] }),
    "a token whose sub is no uuid": make({ claims: { sub: "admin" } }),
    "a token for another audience": make({ claims: { aud: "anon" } }),
    "a token without audience": make({ without: ["aud"] }),
    "a token of the role service_role": make({ claims: { role: "service_role" } }),
    "a token without role": make({ without: ["role"] }),
    "a token whose exp is text": make({ claims: { exp: "tomorrow" } }),
    "a token with an unknown critical header": make({ header: { crit: ["b64"], b64: false } }),
    "a token whose payload was changed": `Bearer ${head}.${encoded({ sub, aud: "authenticated" })}.${tail}`,
    "a token without its signature": `Bearer ${head}.${body}.`,
    "a token cut in half": `Bearer ${good.slice(0, good.length / 2)}`,
    "a token that is not one": "Bearer abc",
    "a token in the scheme Basic": `Basic ${good}`,
    "a token without a scheme": good,
    "a scheme without a token": "Bearer",
    "two tokens": `Bearer ${good}, Bearer ${good}`,
    "a token with something behind it": `Bearer ${good} x`,
  };
}
