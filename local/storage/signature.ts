// AWS Signature Version 4, verified: in the Authorization header, or in the query of a presigned address.
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { S3Error } from "./errors.ts";

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** What the signature says of the body: its SHA-256 in hexadecimal digits, or nothing. */
export interface Signed {
  readonly headers: ReadonlySet<string>;
  readonly bodySha256: string | null;
}

const ALGORITHM = "AWS4-HMAC-SHA256";
const UNSIGNED = "UNSIGNED-PAYLOAD";
const SKEW_MS = 15 * 60_000;
const LONGEST_SECONDS = 604_800;

interface Claim {
  readonly credential: string;
  readonly signedHeaders: string;
  readonly signature: string;
  readonly date: string;
  /** Seconds a presigned address is good for; null in a header. */
  readonly expires: number | null;
  readonly bodyHash: string;
}

/** Throws unless the request was signed with the credentials, as it came. */
export function verifySignature(request: Request, url: URL, credentials: Credentials, now = Date.now()): Signed {
  const claim = claimOf(request, url);
  const [accessKeyId, day, region, service, end, ...rest] = claim.credential.split("/");
  if (rest.length > 0 || end !== "aws4_request" || service !== "s3" || !region || day !== claim.date.slice(0, 8)) {
    throw malformed("The credential is not <key>/<day>/<region>/s3/aws4_request");
  }
  if (accessKeyId !== credentials.accessKeyId) throw new S3Error(403, "InvalidAccessKeyId", "There is no such key");

  const names = claim.signedHeaders.split(";");
  if (!names.includes("host")) throw malformed("The header host is not signed");
  if (names.some((name, index) => name !== name.toLowerCase() || (index > 0 && name <= names[index - 1]!))) {
    throw malformed("SignedHeaders is not a sorted list of lower-case names");
  }
  const canonical = [
    request.method,
    canonicalPath(url.pathname),
    canonicalQuery(url.searchParams),
    ...names.map((name) => `${name}:${headerOf(request, name)}`),
    "",
    claim.signedHeaders,
    claim.bodyHash,
  ].join("\n");
  const scope = [day, region, service, end].join("/");
  const toSign = [ALGORITHM, claim.date, scope, createHash("sha256").update(canonical).digest("hex")].join("\n");
  let key: string | Uint8Array = `AWS4${credentials.secretAccessKey}`;
  for (const part of [day, region, service, end]) key = createHmac("sha256", key).update(part).digest();
  const expected = createHmac("sha256", key).update(toSign).digest();
  const given = new Uint8Array(claim.signature.match(/../g)?.map((byte) => parseInt(byte, 16)) ?? []);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw new S3Error(
      403,
      "SignatureDoesNotMatch",
      "The request is not what was signed, or was signed with another key",
    );
  }
  checkTime(claim, now); // last: whoever cannot sign learns nothing of the clock
  return { headers: new Set(names), bodySha256: claim.bodyHash === UNSIGNED ? null : claim.bodyHash };
}

function claimOf(request: Request, url: URL): Claim {
  const header = request.headers.get("authorization");
  const query = url.searchParams;
  const presigned = [...query.keys()].some((name) => /^x-amz-(signature|algorithm|credential)$/i.test(name));
  if (header !== null && presigned) {
    throw new S3Error(400, "InvalidArgument", "Signed both in the Authorization header and in the address");
  }
  if (presigned) return ofQuery(request, query);
  if (header === null) throw new S3Error(403, "AccessDenied", "The request is not signed");
  return ofHeader(request, header);
}

function ofQuery(request: Request, query: URLSearchParams): Claim {
  const one = (name: string) => {
    const values = query.getAll(name);
    if (values.length !== 1) throw new S3Error(400, "AuthorizationQueryParametersError", `${name} is not there once`);
    return values[0]!;
  };
  if (one("X-Amz-Algorithm") !== ALGORITHM) {
    throw new S3Error(400, "AuthorizationQueryParametersError", `X-Amz-Algorithm is not ${ALGORITHM}`);
  }
  const expires = one("X-Amz-Expires");
  if (!/^\d{1,7}$/.test(expires) || Number(expires) < 1 || Number(expires) > LONGEST_SECONDS) {
    throw new S3Error(400, "AuthorizationQueryParametersError", `X-Amz-Expires is not 1 to ${LONGEST_SECONDS}`);
  }
  const hash = query.get("X-Amz-Content-Sha256") ?? request.headers.get("x-amz-content-sha256") ?? UNSIGNED;
  return {
    credential: one("X-Amz-Credential"),
    signedHeaders: one("X-Amz-SignedHeaders"),
    signature: hex(one("X-Amz-Signature")),
    date: dateOf(one("X-Amz-Date")),
    expires: Number(expires),
    bodyHash: bodyHash(hash),
  };
}

function ofHeader(request: Request, header: string): Claim {
  const [, credential, signedHeaders, signature] = header.match(
    /^AWS4-HMAC-SHA256\s+Credential=([^,\s]+),\s*SignedHeaders=([^,\s]+),\s*Signature=([^,\s]+)$/,
  ) ?? [];
  if (!credential || !signedHeaders || !signature) throw malformed("The Authorization header is not understood");
  return {
    credential,
    signedHeaders,
    signature: hex(signature),
    date: dateOf(request.headers.get("x-amz-date") ?? ""),
    expires: null,
    bodyHash: bodyHash(request.headers.get("x-amz-content-sha256") ?? ""),
  };
}

function hex(signature: string): string {
  if (!/^[0-9a-f]{64}$/.test(signature)) throw malformed("The signature is not 64 hexadecimal digits");
  return signature;
}

function dateOf(text: string): string {
  if (!/^\d{8}T\d{6}Z$/.test(text) || Number.isNaN(momentOf(text))) {
    throw malformed("X-Amz-Date is not YYYYMMDDTHHMMSSZ");
  }
  return text;
}

function momentOf(date: string): number {
  return Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
}

function bodyHash(text: string): string {
  if (text.startsWith("STREAMING-")) throw new S3Error(501, "NotImplemented", "Bodies in signed chunks are not taken");
  if (text !== UNSIGNED && !/^[0-9a-f]{64}$/.test(text)) throw malformed("X-Amz-Content-Sha256 is no SHA-256");
  return text;
}

function checkTime({ date, expires }: Claim, now: number): void {
  const age = now - momentOf(date);
  if (expires === null) {
    if (Math.abs(age) > SKEW_MS) {
      throw new S3Error(403, "RequestTimeTooSkewed", "The request was signed at another time");
    }
  } else if (age < -SKEW_MS) {
    throw new S3Error(403, "AccessDenied", "The address is not valid yet");
  } else if (age > expires * 1000) {
    throw new S3Error(403, "AccessDenied", "Request has expired");
  }
}

function headerOf(request: Request, name: string): string {
  return (request.headers.get(name) ?? "").trim().replaceAll(/ +/g, " ");
}

/** The path as it was sent, each segment encoded as the rules of signing say. */
function canonicalPath(path: string): string {
  return path.split("/").map((segment) => encode(decode(segment))).join("/");
}

function canonicalQuery(query: URLSearchParams): string {
  return [...query]
    .filter(([name]) => name !== "X-Amz-Signature")
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([a, x], [b, y]) => a < b ? -1 : a > b ? 1 : x < y ? -1 : 1)
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
}

export function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    if (error instanceof URIError) throw new S3Error(400, "InvalidURI", "The path is not UTF-8");
    throw error;
  }
}

function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

function malformed(message: string): S3Error {
  return new S3Error(400, "AuthorizationHeaderMalformed", message);
}
