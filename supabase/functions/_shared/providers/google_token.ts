/** Access tokens of a Google service account (OAuth 2.0, JWT bearer grant), cached until shortly before they expire. */
import { importPKCS8 } from "jose/key/import";
import { SignJWT } from "jose/jwt/sign";
import type { GoogleServiceAccount } from "../provider_settings.ts";

const TIMEOUT_MS = 10_000;
/** A token is renewed this long before it expires. */
const MARGIN_MS = 60_000;
const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** The token endpoint rejects the service account. A retry cannot help. */
export class CredentialsRejected extends Error {
  override readonly name = "CredentialsRejected";
}

/** The token endpoint cannot be reached or fails. */
export class ProviderDown extends Error {
  override readonly name = "ProviderDown";
}

export class GoogleTokens {
  readonly #account: GoogleServiceAccount;
  readonly #scope: string;
  readonly #timeoutMs: number;
  #token: { readonly value: string; readonly expiresAt: number } | undefined;
  #fetching: Promise<string> | undefined;

  constructor(account: GoogleServiceAccount, scope: string, timeoutMs = TIMEOUT_MS) {
    this.#account = account;
    this.#scope = scope;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * The current token. Concurrent requests for a new one share one fetch. `rejected` is a token that is no longer
   * accepted.
   */
  async get(rejected?: string): Promise<string> {
    if (this.#token && this.#token.value !== rejected && this.#token.expiresAt - MARGIN_MS > Date.now()) {
      return this.#token.value;
    }
    return await (this.#fetching ??= this.#fetch().finally(() => this.#fetching = undefined));
  }

  async #fetch(): Promise<string> {
    const assertion = await this.#assertion().catch((cause) => {
      throw new CredentialsRejected("The private key of the service account cannot be used", { cause });
    });
    const { status, text } = await this.#request(assertion).catch((cause) => {
      throw new ProviderDown("The token endpoint does not respond", { cause });
    });
    if (status === 429 || status >= 500) throw new ProviderDown(`The token endpoint responded with ${status}`);
    if (status !== 200) throw new CredentialsRejected(`The token endpoint responded with ${status}`);
    const token = readToken(text);
    this.#token = { value: token.access_token, expiresAt: Date.now() + token.expires_in * 1000 };
    return token.access_token;
  }

  async #assertion(): Promise<string> {
    const { clientEmail, privateKey, privateKeyId, tokenUri } = this.#account;
    return await new SignJWT({ scope: this.#scope })
      .setProtectedHeader({ alg: "RS256", typ: "JWT", ...(privateKeyId ? { kid: privateKeyId } : {}) })
      .setIssuer(clientEmail).setSubject(clientEmail).setAudience(tokenUri).setIssuedAt().setExpirationTime("1h")
      .sign(await importPKCS8(privateKey, "RS256"));
  }

  async #request(assertion: string): Promise<{ status: number; text: string }> {
    const response = await fetch(this.#account.tokenUri, {
      method: "POST",
      body: new URLSearchParams({ grant_type: GRANT_TYPE, assertion }),
      signal: AbortSignal.timeout(this.#timeoutMs),
    });
    return { status: response.status, text: await response.text() };
  }
}

/** A proxy's response instead of a token is an outage. */
function readToken(text: string): { access_token: string; expires_in: number } {
  try {
    const { access_token, expires_in } = JSON.parse(text);
    if (typeof access_token === "string" && Number.isFinite(expires_in)) return { access_token, expires_in };
  } catch (cause) {
    throw new ProviderDown("The token endpoint responded without a token", { cause });
  }
  throw new ProviderDown("The token endpoint responded without a token");
}
