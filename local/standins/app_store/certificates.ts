// Chains of certificates like those of the App Store, and data signed with them. Each part can be made wrong, for tests.
import { type Bytes, concatenated } from "../../../supabase/functions/_shared/providers/app_store/bytes.ts";
import { encode, encodeOid, Tag } from "../../../supabase/functions/_shared/providers/app_store/der.ts";

export const LEAF_OID = "1.2.840.113635.100.6.11.1";
export const INTERMEDIATE_OID = "1.2.840.113635.100.6.2.1";

const COMMON_NAME = "2.5.4.3";
const BASIC_CONSTRAINTS = "2.5.29.19";
const EXTENDED_KEY_USAGE = "2.5.29.37";
const AUTHORITY_INFORMATION = "1.3.6.1.5.5.7.1.1";
const OCSP = "1.3.6.1.5.5.7.48.1";
const ECDSA_SHA_384 = "1.2.840.10045.4.3.3";
const YEAR_MS = 365 * 24 * 3600_000;

export type Curve = "P-256" | "P-384";

export interface Identity {
  readonly name: string;
  readonly keys: CryptoKeyPair;
  readonly certificate: Bytes;
}

export interface CertificateOptions {
  readonly name: string;
  readonly curve: Curve;
  /** Itself, without one. */
  readonly issuer?: Identity | undefined;
  readonly isAuthority?: boolean;
  /** Extensions that are only there or not. */
  readonly oids?: readonly string[];
  readonly extendedKeyUsages?: readonly string[];
  readonly notBefore?: number;
  readonly notAfter?: number;
  readonly ocspUri?: string;
  /** The issuer's name as the certificate has it, where it is not the issuer's. */
  readonly issuerName?: string;
}

/** A certificate with a key of its own. Its issuer signs it with SHA-384, as Apple's do. */
export async function issue(options: CertificateOptions): Promise<Identity> {
  const { name, curve, issuer, notBefore = Date.now() - 5 * YEAR_MS, notAfter = Date.now() + 20 * YEAR_MS } = options;
  const algorithm = { name: "ECDSA", namedCurve: curve };
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]) as CryptoKeyPair;
  const signatureAlgorithm = encode(Tag.sequence, encodeOid(ECDSA_SHA_384));
  const contents = encode(
    Tag.sequence,
    encode(Tag.context(0), integer(2)),
    encode(Tag.integer, positive(crypto.getRandomValues(new Uint8Array(8)))),
    signatureAlgorithm,
    nameOf(options.issuerName ?? issuer?.name ?? name),
    encode(Tag.sequence, time(notBefore), time(notAfter)),
    nameOf(name),
    new Uint8Array(await crypto.subtle.exportKey("spki", keys.publicKey)),
    encode(Tag.context(3), encode(Tag.sequence, ...extensionsOf(options))),
  );
  const signature = await ecdsaSignature((issuer?.keys ?? keys).privateKey, "SHA-384", contents);
  return { name, keys, certificate: encode(Tag.sequence, contents, signatureAlgorithm, bitString(signature)) };
}

function extensionsOf(
  { isAuthority = false, oids = [], extendedKeyUsages = [], ocspUri }: CertificateOptions,
): Bytes[] {
  const flag = isAuthority ? [encode(Tag.boolean, Uint8Array.of(0xff))] : [];
  const extensions = [extension(BASIC_CONSTRAINTS, encode(Tag.sequence, ...flag), true)];
  for (const oid of oids) extensions.push(extension(oid, encode(Tag.null)));
  if (extendedKeyUsages.length > 0) {
    extensions.push(extension(EXTENDED_KEY_USAGE, encode(Tag.sequence, ...extendedKeyUsages.map(encodeOid))));
  }
  if (ocspUri !== undefined) {
    const location = encode(Tag.contextPrimitive(6), new TextEncoder().encode(ocspUri));
    extensions.push(
      extension(AUTHORITY_INFORMATION, encode(Tag.sequence, encode(Tag.sequence, encodeOid(OCSP), location))),
    );
  }
  return extensions;
}

function extension(oid: string, value: Bytes, isCritical = false): Bytes {
  const critical = isCritical ? [encode(Tag.boolean, Uint8Array.of(0xff))] : [];
  return encode(Tag.sequence, encodeOid(oid), ...critical, encode(Tag.octetString, value));
}

export function nameOf(commonName: string): Bytes {
  const text = encode(Tag.utf8String, new TextEncoder().encode(commonName));
  return encode(Tag.sequence, encode(Tag.set, encode(Tag.sequence, encodeOid(COMMON_NAME), text)));
}

export function time(milliseconds: number): Bytes {
  const digits = new Date(milliseconds).toISOString().replace(/\D/g, "").slice(0, 14);
  const isShort = digits < "2050"; // as certificates have to be
  const text = new TextEncoder().encode(`${isShort ? digits.slice(2) : digits}Z`);
  return encode(isShort ? Tag.utcTime : Tag.generalizedTime, text);
}

export function integer(value: number): Bytes {
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return encode(Tag.integer, positive(Uint8Array.from(bytes)));
}

export function bitString(bytes: Uint8Array): Bytes {
  return encode(Tag.bitString, Uint8Array.of(0), bytes);
}

/** A number's bytes without leading zeros, but one that keeps it positive. */
function positive(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => byte !== 0);
  const digits = start < 0 ? new Uint8Array(1) : bytes.subarray(start);
  return digits[0]! >= 0x80 ? concatenated(Uint8Array.of(0), digits) : digits;
}

/** As certificates have it: the two numbers in DER. */
export async function ecdsaSignature(key: CryptoKey, hash: string, signed: Bytes): Promise<Bytes> {
  const raw = new Uint8Array(await crypto.subtle.sign({ name: "ECDSA", hash }, key, signed));
  const half = raw.length / 2;
  return encode(
    Tag.sequence,
    encode(Tag.integer, positive(raw.subarray(0, half))),
    encode(Tag.integer, positive(raw.subarray(half))),
  );
}

export interface Chain {
  readonly root: Identity;
  readonly intermediate: Identity;
  readonly leaf: Identity;
}

export interface ChainOptions {
  readonly root?: Identity;
  readonly intermediate?: Partial<CertificateOptions>;
  readonly leaf?: Partial<CertificateOptions>;
}

/** A chain like Apple's, but for what is asked to be different. */
export async function makeChain(options: ChainOptions = {}): Promise<Chain> {
  const root = options.root ?? await issue({ name: "Stand-in Root CA", curve: "P-384", isAuthority: true });
  const intermediate = await issue({
    name: "Stand-in Developer Relations CA",
    curve: "P-384",
    issuer: root,
    isAuthority: true,
    oids: [INTERMEDIATE_OID],
    ...options.intermediate,
  });
  const leaf = await issue({
    name: "Stand-in Receipt Signing",
    curve: "P-256",
    issuer: intermediate,
    oids: [LEAF_OID],
    ...options.leaf,
  });
  return { root, intermediate, leaf };
}

export function x5cOf({ leaf, intermediate, root }: Chain): string[] {
  return [leaf, intermediate, root].map(({ certificate }) => certificate.toBase64());
}

export function pemOf({ certificate }: Identity): string {
  const lines = certificate.toBase64().match(/.{1,64}/g)!;
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}

/** A compact JWS with this header, signed by ES256. */
export async function signCompact(
  payload: unknown,
  { leaf, x5c, header = {} }: { leaf: Identity; x5c: readonly string[]; header?: Record<string, unknown> },
): Promise<string> {
  const content = [{ alg: "ES256", x5c, ...header }, payload].map(encodedJson).join(".");
  const bytes = new TextEncoder().encode(content);
  const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, leaf.keys.privateKey, bytes);
  return `${content}.${base64Url(new Uint8Array(signature))}`;
}

export function encodedJson(value: unknown): string {
  return base64Url(new TextEncoder().encode(JSON.stringify(value)));
}

function base64Url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}
