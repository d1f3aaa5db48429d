/**
 * Checks whether a certificate is revoked, with the responder in the certificate (OCSP, RFC 6960). Results are cached
 * for 15 minutes.
 */
import { areEqual, type Bytes, hexOf, sha256 } from "./bytes.ts";
import { type Certificate, isSignedBy, readCertificate } from "./certificates.ts";
import {
  bitsOf,
  childAt,
  childrenOf,
  DerError,
  type Element,
  encode,
  encodeOid,
  integerOf,
  oidOf,
  readElement,
  Tag,
  timeOf,
} from "./der.ts";
import { DEADLINES } from "../calls/deadlines.ts";
import { ProviderDown } from "../calls/errors.ts";
import { request } from "../calls/request.ts";

/** Whether the certificate is good according to its issuer's responder. Throws ProviderDown. */
export type CertificateStatus = (certificate: Certificate, issuer: Certificate) => Promise<boolean>;

const CACHE_MS = 15 * 60_000;
const MAX_CACHED = 32;
const CLOCK_SKEW_MS = 60_000;

const SHA_256 = "2.16.840.1.101.3.4.2.1";
const BASIC_RESPONSE = "1.3.6.1.5.5.7.48.1.1";
const OCSP_SIGNING = "1.3.6.1.5.5.7.3.9";
const SUCCESSFUL = 0;
const GOOD = Tag.contextPrimitive(0);

/** The address comes from the certificate: only call it for certificates with a verified signature. */
export function certificateStatus(): CertificateStatus {
  const answers = new Map<string, { readonly isGood: boolean; readonly until: number }>();
  return async (certificate, issuer) => {
    const id = await certificateId(certificate, issuer);
    const key = hexOf(id);
    const known = answers.get(key);
    if (known && known.until > Date.now()) return known.isGood;
    const isGood = await ask(certificate, issuer, id);
    answers.delete(key);
    if (answers.size >= MAX_CACHED) answers.delete(answers.keys().next().value!);
    answers.set(key, { isGood, until: Date.now() + CACHE_MS });
    return isGood;
  };
}

/** CertID: identifies the certificate by its issuer's name and key, and its serial number. */
async function certificateId(certificate: Certificate, issuer: Certificate): Promise<Bytes> {
  return encode(
    Tag.sequence,
    encode(Tag.sequence, encodeOid(SHA_256), encode(Tag.null)),
    encode(Tag.octetString, await sha256(issuer.subject)),
    encode(Tag.octetString, await sha256(issuer.publicKey.bits)),
    encode(Tag.integer, certificate.serialNumber),
  );
}

async function ask(certificate: Certificate, issuer: Certificate, id: Bytes): Promise<boolean> {
  const uri = certificate.ocspUri;
  if (uri === null || !/^https?:/.test(uri)) throw new ProviderDown("a certificate does not name its OCSP responder");
  const nested = (depth: number, contents: Bytes): Bytes =>
    depth === 0 ? contents : nested(depth - 1, encode(Tag.sequence, contents));
  const response = await send(uri, nested(4, id));
  try {
    return await isGoodBy(response, issuer, id);
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    throw new ProviderDown("the OCSP response is malformed", { cause: error });
  }
}

async function send(uri: string, body: Bytes): Promise<Bytes> {
  const { ok, status, bytes } = await request("the OCSP responder", uri, {
    method: "POST",
    headers: { "content-type": "application/ocsp-request" },
    body,
    deadline: DEADLINES.ocsp,
  });
  if (!ok) throw new ProviderDown(`the OCSP responder responded with ${status}`);
  return bytes;
}

async function isGoodBy(bytes: Bytes, issuer: Certificate, id: Bytes): Promise<boolean> {
  const [status, body] = childrenOf(readElement(bytes));
  if (!status || status.tag !== Tag.enumerated || integerOf(status) !== SUCCESSFUL || body?.tag !== Tag.context(0)) {
    throw new ProviderDown("the OCSP responder does not respond to the request");
  }
  const [type, basic] = childrenOf(childAt(childrenOf(body), 0, Tag.sequence));
  if (!type || oidOf(type) !== BASIC_RESPONSE || basic?.tag !== Tag.octetString) throw new DerError("not a response");
  const [data, algorithm, signature, certificates] = childrenOf(readElement(basic.contents));
  if (!data || !algorithm || !signature) throw new DerError("not a basic response");
  const fields = childrenOf(data).filter(({ tag }) => tag !== Tag.context(0)); // without the version
  const [responder, , responses] = fields;
  if (!responder || !responses) throw new DerError("not the data of a response");
  const signer = await signerOf(responder, certificates, issuer);
  const signatureValue = { algorithm: oidOf(childAt(childrenOf(algorithm), 0, Tag.oid)), value: bitsOf(signature) };
  if (signer === undefined || !await isSignedBy(signer.publicKey, data.raw, signatureValue)) {
    throw new ProviderDown("the OCSP response is not signed by the issuer, nor for it");
  }
  return isGood(responses, id);
}

/** The issuer itself, or a responder certified by it: the one named in the response. */
async function signerOf(
  responder: Element,
  certificates: Element | undefined,
  issuer: Certificate,
): Promise<Certificate | undefined> {
  const candidates = certificates ? childrenOf(childAt(childrenOf(certificates), 0, Tag.sequence)) : [];
  for (const candidate of [issuer, ...candidates.map(({ raw }) => readCertificate(raw))]) {
    if (!await isNamedBy(responder, candidate)) continue;
    if (candidate === issuer) return issuer;
    const isDelegated = candidate.extendedKeyUsages.includes(OCSP_SIGNING) && isValidNow(candidate) &&
      areEqual(candidate.issuer, issuer.subject) &&
      await isSignedBy(issuer.publicKey, candidate.signed, candidate.signature);
    if (isDelegated) return candidate;
  }
  return undefined;
}

async function isNamedBy(responder: Element, { subject, publicKey }: Certificate): Promise<boolean> {
  const name = childrenOf(responder)[0];
  if (name === undefined) throw new DerError("no responder is named");
  if (responder.tag === Tag.context(1)) return areEqual(name.raw, subject);
  if (responder.tag !== Tag.context(2)) throw new DerError("not a responder's name");
  return areEqual(name.contents, new Uint8Array(await crypto.subtle.digest("SHA-1", publicKey.bits)));
}

function isValidNow({ notBefore, notAfter }: Certificate): boolean {
  return notBefore <= Date.now() + CLOCK_SKEW_MS && notAfter >= Date.now() - CLOCK_SKEW_MS;
}

function isGood(responses: Element, id: Bytes): boolean {
  for (const response of childrenOf(responses)) {
    const [certificate, status, thisUpdate, nextUpdate] = childrenOf(response);
    if (!certificate || !status || !thisUpdate) throw new DerError("not a single response");
    if (!isSameId(certificate, id)) continue;
    const until = nextUpdate?.tag === Tag.context(0) ? timeOf(childrenOf(nextUpdate)[0]!) : undefined;
    const isCurrent = timeOf(thisUpdate) <= Date.now() + CLOCK_SKEW_MS &&
      (until === undefined || until >= Date.now() - CLOCK_SKEW_MS);
    if (!isCurrent) throw new ProviderDown("the OCSP response is out of date");
    return status.tag === GOOD;
  }
  throw new ProviderDown("the OCSP response is about other certificates");
}

/** Same hashes and serial number. The algorithm's parameters are optional. */
function isSameId(certificate: Element, id: Bytes): boolean {
  const [mine, theirs] = [childrenOf(readElement(id)), childrenOf(certificate)];
  const isSameHash = theirs[0] !== undefined && oidOf(childAt(childrenOf(theirs[0]), 0, Tag.oid)) === SHA_256;
  return isSameHash &&
    [1, 2, 3].every((index) => theirs[index] !== undefined && areEqual(theirs[index].contents, mine[index]!.contents));
}
