/**
 * Data signed by the App Store: a compact JWS with the certificate chain in its header. The checks are the same as in
 * Apple's own library, in the same order. Xcode data is rejected, because it is not signed by Apple.
 */
import type { z } from "zod";
import type { AppStoreConfig } from "../../provider_settings.ts";
import { APPLE_ROOT_CA_G3 } from "./apple_root.ts";
import { areEqual, type Bytes, fromBase64, fromBase64Url, fromUtf8 } from "./bytes.ts";
import { type Certificate, importKey, isSignedBy, readCertificate, readPem } from "./certificates.ts";
import { DerError } from "./der.ts";
import type { CertificateStatus } from "./ocsp.ts";
import { NotificationPayload, RenewalPayload, TransactionPayload } from "./payloads.ts";

export type Environment = "Production" | "Sandbox";

/** Why data is rejected. `chain`: a signature, a name, the CA flag or an object identifier of its certificates. */
export type Defect =
  | "malformed"
  | "chain_length"
  | "certificate"
  | "chain"
  | "validity"
  | "revoked"
  | "signature"
  | "app"
  | "environment";

export class SignedDataError extends Error {
  override readonly name = "SignedDataError";
  constructor(readonly defect: Defect, detail: string, options?: ErrorOptions) {
    super(`signed data of the App Store is not accepted (${defect}): ${detail}`, options);
  }
}

const LEAF_OID = "1.2.840.113635.100.6.11.1";
const INTERMEDIATE_OID = "1.2.840.113635.100.6.2.1";
const CLOCK_SKEW_MS = 60_000;
/** Apple signs with very few chains at the same time. */
const MAX_CACHED_CHAINS = 32;

interface Chain {
  readonly leaf: Certificate;
  readonly intermediate: Certificate;
  readonly root: Certificate;
  /** The leaf's key for ES256. Null if the key has another type. */
  readonly key: CryptoKey | null;
}

export interface SignedDataOptions {
  /** Checks whether a certificate is revoked. If missing, revocation is not checked. */
  readonly status?: CertificateStatus;
}

export class SignedData {
  readonly #config: AppStoreConfig;
  readonly #roots: readonly Certificate[];
  readonly #status: CertificateStatus | undefined;
  readonly #chains = new Map<string, Chain>();

  constructor(config: AppStoreConfig, { status }: SignedDataOptions = {}) {
    this.#config = config;
    this.#roots = rootsOf(config);
    this.#status = status;
  }

  async transaction(jws: string, environments = this.#config.environments): Promise<TransactionPayload> {
    const payload = await this.#verified(jws, TransactionPayload);
    if (payload.bundleId !== this.#config.bundleId) throw new SignedDataError("app", "it is for another app");
    requireEnvironment(payload.environment, environments);
    return payload;
  }

  async renewal(jws: string, environments = this.#config.environments): Promise<RenewalPayload> {
    const payload = await this.#verified(jws, RenewalPayload);
    requireEnvironment(payload.environment, environments);
    return payload;
  }

  async notification(jws: string): Promise<NotificationPayload & { readonly environment: Environment }> {
    const payload = await this.#verified(jws, NotificationPayload);
    const { externalPurchaseToken: token } = payload;
    const app = payload.data ?? payload.summary ??
      (token && { ...token, environment: environmentOfToken(token.externalPurchaseId) }) ?? payload.appData;
    const { bundleId, appId, environments } = this.#config;
    const isOtherApp = app?.environment === "Production" && appId !== null && app.appAppleId !== appId;
    if (app?.bundleId !== bundleId || isOtherApp) throw new SignedDataError("app", "it is for another app");
    return { ...payload, environment: requireEnvironment(app.environment, environments) };
  }

  async #verified<Payload extends { signedDate?: number | undefined }>(
    jws: string,
    schema: z.ZodType<Payload>,
  ): Promise<Payload> {
    const { header, payload, signed, signature } = readCompact(jws);
    const parsed = schema.safeParse(payload);
    if (!parsed.success) throw new SignedDataError("malformed", `payload: ${parsed.error.issues[0]?.path.join(".")}`);
    const chain = await this.#chain(header);
    const isOnline = this.#status !== undefined;
    requireValidity(chain, isOnline ? Date.now() : parsed.data.signedDate ?? Date.now());
    if (this.#status) await this.#requireGood(chain, this.#status);
    if (header["alg"] !== "ES256") throw new SignedDataError("signature", "the algorithm is not ES256");
    if (chain.key === null) throw new SignedDataError("signature", "the leaf's key is not for ES256");
    const isSigned = signature !== null &&
      await crypto.subtle.verify({ name: "ECDSA", hash: "SHA-256" }, chain.key, signature, signed);
    if (!isSigned) throw new SignedDataError("signature", "it does not verify");
    return parsed.data;
  }

  /** The certificate chain of a header. For a cached chain, only dates and revocation are checked again. */
  async #chain(header: Readonly<Record<string, unknown>>): Promise<Chain> {
    const x5c = header["x5c"];
    if (!Array.isArray(x5c) || x5c.length !== 3 || !x5c.every((text) => typeof text === "string")) {
      throw new SignedDataError("chain_length", "the header does not have three certificates");
    }
    const [leafText, intermediateText] = x5c as string[];
    const id = `${leafText}.${intermediateText}`;
    const known = this.#chains.get(id);
    if (known) return known;
    const chain = await this.#checkedChain(certificateIn(leafText!), certificateIn(intermediateText!));
    if (this.#chains.size >= MAX_CACHED_CHAINS) this.#chains.delete(this.#chains.keys().next().value!);
    this.#chains.set(id, chain);
    return chain;
  }

  async #checkedChain(leaf: Certificate, intermediate: Certificate): Promise<Chain> {
    const root = await this.#issuerOf(intermediate);
    if (root === undefined) throw new SignedDataError("chain", "no trusted root has issued the intermediate");
    if (!await isIssuedBy(leaf, intermediate)) {
      throw new SignedDataError("chain", "the intermediate has not issued the leaf");
    }
    if (!intermediate.isAuthority) throw new SignedDataError("chain", "the intermediate is not an authority");
    if (!leaf.extensions.has(LEAF_OID)) throw new SignedDataError("chain", "the leaf is not for App Store data");
    if (!intermediate.extensions.has(INTERMEDIATE_OID)) {
      throw new SignedDataError("chain", "the intermediate is not for developer relations");
    }
    return { leaf, intermediate, root, key: await signingKey(leaf) };
  }

  async #issuerOf(intermediate: Certificate): Promise<Certificate | undefined> {
    for (const root of this.#roots) {
      if (await isIssuedBy(intermediate, root)) return root;
    }
    return undefined;
  }

  async #requireGood({ leaf, intermediate, root }: Chain, status: CertificateStatus): Promise<void> {
    const [leafIsGood, intermediateIsGood] = await Promise.all([
      status(leaf, intermediate),
      status(intermediate, root),
    ]);
    if (!leafIsGood || !intermediateIsGood) throw new SignedDataError("revoked", "a certificate has expired");
  }
}

function rootsOf({ rootCertificates }: AppStoreConfig): Certificate[] {
  try {
    return readPem(rootCertificates ?? APPLE_ROOT_CA_G3);
  } catch (cause) {
    throw new Error("APP_STORE_ROOT_CERTIFICATES has a certificate that cannot be read", { cause });
  }
}

interface Compact {
  readonly header: Readonly<Record<string, unknown>>;
  readonly payload: unknown;
  /** The signed bytes. */
  readonly signed: Bytes;
  /** Null if it is not base64url. */
  readonly signature: Bytes | null;
}

function readCompact(jws: string): Compact {
  const parts = jws.split(".");
  const [header, payload] = parts.slice(0, 2).map(jsonIn);
  const signature = fromBase64Url(parts[2] ?? "");
  if (parts.length !== 3 || !isObject(header) || !isObject(payload)) {
    throw new SignedDataError("malformed", "it is not a compact JWS of JSON objects");
  }
  const signed = new TextEncoder().encode(`${parts[0]}.${parts[1]}`);
  return { header, payload, signed, signature };
}

function jsonIn(part: string): unknown {
  const bytes = fromBase64Url(part);
  const text = bytes && fromUtf8(bytes);
  try {
    return text === null ? undefined : JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function certificateIn(text: string): Certificate {
  try {
    const der = fromBase64(text);
    if (der === null) throw new DerError("not base64");
    return readCertificate(der);
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    throw new SignedDataError("certificate", error.message, { cause: error });
  }
}

async function isIssuedBy(certificate: Certificate, issuer: Certificate): Promise<boolean> {
  if (!areEqual(certificate.issuer, issuer.subject)) return false;
  return await isSignedBy(issuer.publicKey, certificate.signed, certificate.signature);
}

async function signingKey({ publicKey }: Certificate): Promise<CryptoKey | null> {
  if (publicKey.type !== "P-256") return null;
  try {
    return await importKey(publicKey, { name: "ECDSA", namedCurve: "P-256" });
  } catch (error) {
    if (error instanceof DOMException) return null;
    throw error;
  }
}

function requireValidity({ leaf, intermediate, root }: Chain, at: number): void {
  for (const { notBefore, notAfter } of [leaf, intermediate, root]) {
    const isValid = notBefore <= at + CLOCK_SKEW_MS && notAfter >= at - CLOCK_SKEW_MS;
    if (!isValid) throw new SignedDataError("validity", "a certificate is not valid at that time");
  }
}

function requireEnvironment(environment: string | undefined, accepted: readonly Environment[]): Environment {
  const found = accepted.find((name) => name === environment);
  if (found === undefined) throw new SignedDataError("environment", "it is for another environment");
  return found;
}

function environmentOfToken(externalPurchaseId: string | undefined): Environment {
  return externalPurchaseId?.startsWith("SANDBOX") ? "Sandbox" : "Production";
}
