// Google's token address (OAuth 2.0, JWT bearer grant) with one service account, whose key is made at the first start and
// kept: that takes a second of a processor.
import { createPublicKey, type KeyObject } from "node:crypto";
import { join } from "node:path";
import { exportPKCS8 } from "jose/key/export";
import { generateKeyPair } from "jose/key/generate/keypair";
import { jwtVerify } from "jose/jwt/verify";
import { readOr, writeRecord } from "../files.ts";
import { STATE } from "../settings.ts";

const EMAIL = "parking@stand-in.iam.gserviceaccount.example";
const KEY_ID = "stand-in";
const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const LIFETIME_SECONDS = 3600;

export class GoogleAccounts {
  readonly #tokens = new Map<string, { readonly scopes: readonly string[]; readonly expiresAt: number }>();

  private constructor(
    readonly tokenUri: string,
    readonly publicKey: KeyObject,
    /** As Google's console gives it. */
    readonly keyFile: string,
  ) {}

  static async make(tokenUri: string): Promise<GoogleAccounts> {
    const privateKey = await keptKey();
    const keyFile = JSON.stringify({
      type: "service_account",
      project_id: "stand-in",
      private_key_id: KEY_ID,
      private_key: privateKey,
      client_email: EMAIL,
      token_uri: tokenUri,
    });
    return new GoogleAccounts(tokenUri, createPublicKey(privateKey), keyFile);
  }

  async token(request: Request): Promise<Response> {
    const form = await request.formData().catch(() => null);
    if (request.method !== "POST" || form?.get("grant_type") !== GRANT_TYPE) {
      return Response.json({ error: "unsupported_grant_type" }, { status: 400 });
    }
    try {
      const { payload, protectedHeader } = await jwtVerify(String(form.get("assertion")), this.publicKey, {
        algorithms: ["RS256"],
        issuer: EMAIL,
        audience: this.tokenUri,
        maxTokenAge: LIFETIME_SECONDS,
      });
      if (protectedHeader.kid !== KEY_ID || typeof payload["scope"] !== "string" || payload.exp === undefined) {
        return Response.json({ error: "invalid_grant", error_description: "Invalid JWT" }, { status: 400 });
      }
      const token = `ya29.${crypto.randomUUID()}`;
      const expiresAt = Date.now() + LIFETIME_SECONDS * 1000;
      this.#tokens.set(token, { scopes: payload["scope"].split(" "), expiresAt });
      return Response.json({ access_token: token, expires_in: LIFETIME_SECONDS, token_type: "Bearer" });
    } catch {
      return Response.json({ error: "invalid_grant", error_description: "Invalid JWT Signature." }, { status: 400 });
    }
  }

  /** Whether the request carries a token that is valid and has one of these scopes. */
  accepts(request: Request, scopes: readonly string[]): "accepted" | "unauthenticated" | "forbidden" {
    const token = /^Bearer (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1];
    const issued = token === undefined ? undefined : this.#tokens.get(token);
    if (issued === undefined || issued.expiresAt < Date.now()) return "unauthenticated";
    return scopes.some((scope) => issued.scopes.includes(scope)) ? "accepted" : "forbidden";
  }

  /** Tokens that were issued are accepted no more. */
  revoke(): void {
    this.#tokens.clear();
  }
}

/** The private key of the service account, as PEM. It opens nothing but this stand-in. */
async function keptKey(): Promise<string> {
  const path = join(STATE, "google_stand_in.pem");
  const kept = await readOr(path, "");
  if (kept !== "") return kept;
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const text = await exportPKCS8(privateKey);
  await Deno.mkdir(STATE, { recursive: true });
  await writeRecord(path, text);
  return text;
}
