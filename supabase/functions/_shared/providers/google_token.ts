/** Access tokens of a Google service account (OAuth 2.0, JWT bearer grant), kept until they are about to expire. */
import { importPKCS8 } from "jose/key/import";
import { SignJWT } from "jose/jwt/sign";
import type { GoogleServiceAccount } from "../provider_settings.ts";

const TIMEOUT_MS = 10_000;
/** A token is used no longer than until so long before it expires. */
const MARGIN_MS = 60_000;
const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** The token address rejects the service account: nothing gets better by itself. */
export class CredentialsRejected extends Error {
  override readonly name = "CredentialsRejected";
}

/** The token address cannot be reached, or fails. */
export class ProviderDown extends Error {
  override readonly name = "ProviderDown";
}

export class GoogleTokens {
  readonly #account: GoogleServiceAccount;
  readonly #scope: string;
  #token: { readonly value: string; readonly expiresAt: number } | undefined;
  #fetching: Promise<string> | undefined;

  constructor(account: GoogleServiceAccount, scope: string) {
    this.#account = account;
    this.#scope = scope;
  }

  /** The current token; requests that need a new one share one fetch. `rejected` is a token that is not accepted any more. */
  async get(rejected?: string): Promise<string> {
    if (this.#token && this.#token.value !== rejected && this.#token.expiresAt - MARGIN_MS > Date.now()) {
      return this.#token.value;
    }
    return await (this.#fetching ??= this.#fetch().finally(() => this.#fetching = undefined));
  }

  async #fetch(): Promise<string> {
    const response = await this.#request().catch((cause) => {
      throw new ProviderDown("The token address cannot be reached", { cause });
    });
    if (!response.ok) {
      await response.body?.cancel();
      if (response.status === 429 || response.status >= 500) {
        throw new ProviderDown(`The token address answers ${response.status}`);
      }
      throw new CredentialsRejected(`The token address answers ${response.status}`);
    }
    const { access_token, expires_in } = await response.json() as { access_token: string; expires_in: number };
    this.#token = { value: access_token, expiresAt: Date.now() + expires_in * 1000 };
    return access_token;
  }

  async #request(): Promise<Response> {
    const { clientEmail, privateKey, privateKeyId, tokenUri } = this.#account;
    const assertion = await new SignJWT({ scope: this.#scope })
      .setProtectedHeader({ alg: "RS256", typ: "JWT", ...(privateKeyId ? { kid: privateKeyId } : {}) })
      .setIssuer(clientEmail).setSubject(clientEmail).setAudience(tokenUri).setIssuedAt().setExpirationTime("1h")
      .sign(await importPKCS8(privateKey, "RS256"));
    return await fetch(tokenUri, {
      method: "POST",
      body: new URLSearchParams({ grant_type: GRANT_TYPE, assertion }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  }
}
