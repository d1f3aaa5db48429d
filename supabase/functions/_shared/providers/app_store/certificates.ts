/**
 * X.509 certificates: parses the fields of DER that are needed to verify the App Store's chains. WebCrypto verifies
 * signatures.
 */
import { type Bytes, fromBase64, fromUtf8 } from "./bytes.ts";
import { bitsOf, childAt, childrenOf, DerError, type Element, oidOf, readElement, Tag, timeOf } from "./der.ts";

const BASIC_CONSTRAINTS = "2.5.29.19";
const EXTENDED_KEY_USAGE = "2.5.29.37";
const AUTHORITY_INFORMATION = "1.3.6.1.5.5.7.1.1";
const OCSP = "1.3.6.1.5.5.7.48.1";
const URI = Tag.contextPrimitive(6);

export interface Certificate {
  readonly raw: Bytes;
  /** The bytes signed by the issuer. */
  readonly signed: Bytes;
  readonly signature: Signature;
  readonly serialNumber: Bytes;
  /** Names as DER: equal names have equal bytes. */
  readonly issuer: Bytes;
  readonly subject: Bytes;
  /** In milliseconds. */
  readonly notBefore: number;
  readonly notAfter: number;
  readonly publicKey: PublicKey;
  readonly isAuthority: boolean;
  /** Object identifiers of all extensions of the certificate. */
  readonly extensions: ReadonlySet<string>;
  readonly extendedKeyUsages: readonly string[];
  readonly ocspUri: string | null;
}

export interface Signature {
  readonly algorithm: string;
  readonly value: Bytes;
}

export interface PublicKey {
  /** SubjectPublicKeyInfo. */
  readonly spki: Bytes;
  /** The key without its algorithm. */
  readonly bits: Bytes;
  readonly type: "P-256" | "P-384" | "P-521" | "RSA" | "other";
}

/** Throws DerError. */
export function readCertificate(der: Bytes): Certificate {
  const [signed, algorithm, signature, ...others] = childrenOf(sequence(readElement(der)));
  if (!signed || !algorithm || !signature || others.length > 0) throw new DerError("not a certificate");
  const [version, serialNumber, innerAlgorithm, issuer, validity, subject, keyInfo, ...rest] = childrenOf(
    sequence(signed),
  );
  if (version?.tag !== Tag.context(0) || !innerAlgorithm || !issuer || !validity || !subject || !keyInfo) {
    throw new DerError("not a certificate of version 3");
  }
  if (oidOf(first(algorithm)) !== oidOf(first(innerAlgorithm))) {
    throw new DerError("the algorithms of the signature differ");
  }
  const dates = childrenOf(sequence(validity));
  if (dates.length !== 2) throw new DerError("not a period of validity");
  const extensions = extensionsIn(rest);
  return {
    raw: der,
    signed: signed.raw,
    signature: { algorithm: oidOf(first(algorithm)), value: bitsOf(signature) },
    serialNumber: childAt([serialNumber!], 0, Tag.integer).contents,
    issuer: sequence(issuer).raw,
    subject: sequence(subject).raw,
    notBefore: timeOf(dates[0]!),
    notAfter: timeOf(dates[1]!),
    publicKey: readPublicKey(keyInfo),
    isAuthority: isAuthority(extensions.get(BASIC_CONSTRAINTS)),
    extensions: new Set(extensions.keys()),
    extendedKeyUsages: extendedKeyUsages(extensions.get(EXTENDED_KEY_USAGE)),
    ocspUri: ocspUri(extensions.get(AUTHORITY_INFORMATION)),
  };
}

function sequence(element: Element): Element {
  return childAt([element], 0, Tag.sequence);
}

function first(element: Element): Element {
  return childAt(childrenOf(sequence(element)), 0, Tag.oid);
}

/** Values of extensions by object identifier. */
function extensionsIn(rest: readonly Element[]): Map<string, Bytes> {
  const values = new Map<string, Bytes>();
  const list = rest.find(({ tag }) => tag === Tag.context(3));
  if (!list) return values;
  for (const extension of childrenOf(childAt(childrenOf(list), 0, Tag.sequence))) {
    const fields = childrenOf(sequence(extension));
    const oid = oidOf(childAt(fields, 0, Tag.oid));
    if (values.has(oid)) throw new DerError("an extension occurs twice");
    values.set(oid, childAt(fields, fields.length - 1, Tag.octetString).contents);
  }
  return values;
}

function isAuthority(value: Bytes | undefined): boolean {
  if (value === undefined) return false;
  const [flag] = childrenOf(sequence(readElement(value)));
  return flag?.tag === Tag.boolean && flag.contents.length === 1 && flag.contents[0] === 0xff;
}

function extendedKeyUsages(value: Bytes | undefined): string[] {
  return value === undefined ? [] : childrenOf(sequence(readElement(value))).map(oidOf);
}

function ocspUri(value: Bytes | undefined): string | null {
  if (value === undefined) return null;
  for (const description of childrenOf(sequence(readElement(value)))) {
    const [method, location] = childrenOf(sequence(description));
    if (method && location?.tag === URI && oidOf(method) === OCSP) return fromUtf8(location.contents);
  }
  return null;
}

const EC_KEY = "1.2.840.10045.2.1";
const RSA_KEY = "1.2.840.113549.1.1.1";
const CURVES: Readonly<Record<string, PublicKey["type"]>> = {
  "1.2.840.10045.3.1.7": "P-256",
  "1.3.132.0.34": "P-384",
  "1.3.132.0.35": "P-521",
};

function readPublicKey(keyInfo: Element): PublicKey {
  const [algorithm, bits] = childrenOf(sequence(keyInfo));
  if (!algorithm || !bits) throw new DerError("not a public key");
  const [name, parameters] = childrenOf(sequence(algorithm));
  const oid = name && oidOf(name);
  const curve = oid === EC_KEY && parameters?.tag === Tag.oid ? CURVES[oidOf(parameters)] : undefined;
  return { spki: keyInfo.raw, bits: bitsOf(bits), type: curve ?? (oid === RSA_KEY ? "RSA" : "other") };
}

const HASHES: Readonly<Record<string, { readonly type: "EC" | "RSA"; readonly hash: string }>> = {
  "1.2.840.10045.4.3.2": { type: "EC", hash: "SHA-256" },
  "1.2.840.10045.4.3.3": { type: "EC", hash: "SHA-384" },
  "1.2.840.10045.4.3.4": { type: "EC", hash: "SHA-512" },
  "1.2.840.113549.1.1.11": { type: "RSA", hash: "SHA-256" },
  "1.2.840.113549.1.1.12": { type: "RSA", hash: "SHA-384" },
  "1.2.840.113549.1.1.13": { type: "RSA", hash: "SHA-512" },
};
/** Length of each of the two numbers of a signature in bytes. */
const COORDINATE_BYTES = { "P-256": 32, "P-384": 48, "P-521": 66 } as const;

/** Whether this key made this signature. False also for algorithms and curves that the runtime does not support. */
export async function isSignedBy(key: PublicKey, signed: Bytes, { algorithm, value }: Signature): Promise<boolean> {
  const scheme = HASHES[algorithm];
  if (scheme === undefined || key.type === "other" || (key.type === "RSA") !== (scheme.type === "RSA")) return false;
  try {
    if (key.type === "RSA") {
      const imported = await importKey(key, { name: "RSASSA-PKCS1-v1_5", hash: scheme.hash });
      return await crypto.subtle.verify("RSASSA-PKCS1-v1_5", imported, value, signed);
    }
    const raw = rawSignature(value, COORDINATE_BYTES[key.type]);
    const imported = await importKey(key, { name: "ECDSA", namedCurve: key.type });
    return await crypto.subtle.verify({ name: "ECDSA", hash: scheme.hash }, imported, raw, signed);
  } catch (error) {
    if (error instanceof DOMException || error instanceof DerError || error instanceof TypeError) return false;
    throw error;
  }
}

/** Imports the key into WebCrypto. Throws a DOMException for a point that is not on its curve. */
export async function importKey(
  { spki }: PublicKey,
  algorithm: EcKeyImportParams | RsaHashedImportParams,
): Promise<CryptoKey> {
  return await crypto.subtle.importKey("spki", spki, algorithm, false, ["verify"]);
}

/** Converts the two numbers of an ECDSA signature from DER to the fixed length of WebCrypto. */
function rawSignature(der: Bytes, size: number): Bytes {
  const numbers = childrenOf(sequence(readElement(der)));
  if (numbers.length !== 2) throw new DerError("not a signature");
  const raw = new Uint8Array(2 * size);
  for (const [index, number] of numbers.entries()) {
    const { contents } = childAt([number], 0, Tag.integer);
    const digits = contents[0] === 0 ? contents.subarray(1) : contents;
    const isNegative = contents.length === 0 || contents[0]! >= 0x80;
    const isPadded = contents[0] === 0 && contents.length > 1 && contents[1]! < 0x80;
    if (isNegative || isPadded || digits.length > size) throw new DerError("not a number of a signature");
    raw.set(digits, (index + 1) * size - digits.length);
  }
  return raw;
}

const PEM = /-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----/g;

/** Parses PEM certificates. Throws DerError. */
export function readPem(pem: string): Certificate[] {
  return [...pem.matchAll(PEM)].map(([, text = ""]) => {
    const der = fromBase64(text);
    if (der === null) throw new DerError("not base64");
    return readCertificate(der);
  });
}
