/** Tokens for providers: signed with our key, and used until shortly before they expire. */
import { importPKCS8 } from "jose/key/import";
import { SignJWT } from "jose/jwt/sign";
import type { GoogleServiceAccount } from "../../provider_settings.ts";
import { DEADLINES } from "./deadlines.ts";
import { CredentialsRejected, ProviderDown } from "./errors.ts";
import { request } from "./request.ts";

/** A token is renewed this long before it expires. */
const MARGIN_MS = 60_000;
/** Apple accepts tokens with a lifetime of up to 20 minutes. */
const APPLE_SECONDS = 20 * 60;
const GOOGLE_SECONDS = 3_600;
const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:jwt-bearer";

interface SigningKey {
  readonly owner: string;
  readonly alg: "ES256" | "RS256";
  readonly privateKey: string;
  readonly keyId: string | null;
}

interface Token {
  readonly value: string;
  readonly seconds: number;
}

export class Tokens {
  readonly #make: () => Promise<Token>;
  #token: { readonly value: string; readonly renewAt: number } | undefined;
  #making: Promise<string> | undefined;

  constructor(make: () => Promise<Token>) {
    this.#make = make;
  }

  /**
   * The current token. Concurrent requests for a new one share it. `rejected` is a token that is no longer accepted.
   * Throws ProviderDown and CredentialsRejected.
   */
  async get(rejected?: string): Promise<string> {
    if (this.#token && this.#token.value !== rejected && this.#token.renewAt > Date.now()) return this.#token.value;
    return await (this.#making ??= this.#renewed().finally(() => this.#making = undefined));
  }

  /** Sends with the current token, and once more with a new one if the provider no longer accepts it. */
  async use<Result>(send: (token: string) => Promise<Result>, isRejected: (result: Result) => boolean) {
    const token = await this.get();
    const first = await send(token);
    return isRejected(first) ? await send(await this.get(token)) : first;
  }

  async #renewed(): Promise<string> {
    const { value, seconds } = await this.#make();
    this.#token = { value, renewAt: Date.now() + seconds * 1000 - MARGIN_MS };
    return value;
  }
}

/** The key of an API of Apple. */
interface AppleKey {
  readonly issuerId: string;
  readonly keyId: string;
  readonly privateKey: string;
}

export function appleTokens({ issuerId, keyId, privateKey }: AppleKey, claims: Record<string, string> = {}): Tokens {
  const key = { owner: "App Store Connect", alg: "ES256", privateKey, keyId } as const;
  const signed = { iss: issuerId, aud: "appstoreconnect-v1", ...claims };
  return new Tokens(async () => ({ value: await signedToken(key, signed, APPLE_SECONDS), seconds: APPLE_SECONDS }));
}

/** Access tokens of a service account (OAuth 2.0, JWT bearer grant). */
export function googleTokens(
  { clientEmail, privateKey, privateKeyId, tokenUri }: GoogleServiceAccount,
  scope: string,
  deadline: number = DEADLINES.googleToken,
): Tokens {
  const key = { owner: "the service account", alg: "RS256", privateKey, keyId: privateKeyId } as const;
  const claims = { iss: clientEmail, sub: clientEmail, aud: tokenUri, scope };
  return new Tokens(async () => {
    const assertion = await signedToken(key, claims, GOOGLE_SECONDS);
    const { status, text } = await request("The token endpoint", tokenUri, {
      method: "POST",
      body: new URLSearchParams({ grant_type: GRANT_TYPE, assertion }),
      deadline,
    });
    if (status === 429 || status >= 500) throw new ProviderDown(`The token endpoint responded with ${status}`);
    if (status !== 200) throw new CredentialsRejected(`The token endpoint responded with ${status}`);
    return tokenIn(text);
  });
}

/** A proxy's response instead of a token is an outage. */
function tokenIn(text: string): Token {
  try {
    const { access_token, expires_in } = JSON.parse(text);
    if (typeof access_token === "string" && Number.isFinite(expires_in)) {
      return { value: access_token, seconds: expires_in };
    }
  } catch (cause) {
    throw new ProviderDown("The token endpoint responded without a token", { cause });
  }
  throw new ProviderDown("The token endpoint responded without a token");
}

async function signedToken(
  { owner, alg, privateKey, keyId }: SigningKey,
  claims: Record<string, string>,
  seconds: number,
): Promise<string> {
  try {
    const now = Math.floor(Date.now() / 1000);
    return await new SignJWT({ ...claims, iat: now, exp: now + seconds })
      .setProtectedHeader({ alg, typ: "JWT", ...(keyId ? { kid: keyId } : {}) })
      .sign(await importPKCS8(privateKey, alg));
  } catch (cause) {
    throw new CredentialsRejected(`the key of ${owner} is unusable`, { cause });
  }
}
