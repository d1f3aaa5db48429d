// Verifies AWS Signature Version 4, in the Authorization header or in the query of a presigned URL.
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { S3Error } from "./errors.ts";

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The signed headers, and the SHA-256 of the body as hexadecimal digits if it is signed. */
export interface Signed {
  readonly headers: ReadonlySet<string>;
  readonly bodySha256: string | null;
}

const ALGORITHM = "AWS4-HMAC-SHA256";
const UNSIGNED = "UNSIGNED-PAYLOAD";
const MAX_SKEW_MS = 15 * 60_000;
const MAX_EXPIRES_SECONDS = 604_800;

interface Claim {
  readonly credential: string;
  readonly signedHeaders: string;
  readonly signature: string;
  readonly date: string;
  /** Seconds until a presigned URL expires; null for the header. */
  readonly expires: number | null;
  readonly bodyHash: string;
}

/** Throws unless the request was signed with these credentials and was not changed afterwards. */
export function verifySignature(request: Request, url: URL, credentials: Credentials, now = Date.now()): Signed {
  const claim = parseClaim(request, url);
  const [accessKeyId, day, region, service, end, ...rest] = claim.credential.split("/");
  if (rest.length > 0 || end !== "aws4_request" || service !== "s3" || !region || day !== claim.date.slice(0, 8)) {
    throw malformed("The credential must be <key>/<day>/<region>/s3/aws4_request.");
  }
  if (accessKeyId !== credentials.accessKeyId) {
    throw new S3Error(403, "InvalidAccessKeyId", "The access key does not exist.");
  }

  const names = claim.signedHeaders.split(";");
  if (!names.includes("host")) throw malformed("The header host must be signed.");
  if (names.some((name, index) => name !== name.toLowerCase() || (index > 0 && name <= names[index - 1]!))) {
    throw malformed("SignedHeaders must be a sorted list of lower-case names.");
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
  const received = new Uint8Array(claim.signature.match(/../g)?.map((byte) => parseInt(byte, 16)) ?? []);
  if (received.length !== expected.length || !timingSafeEqual(received, expected)) {
    throw new S3Error(403, "SignatureDoesNotMatch", "The request was changed, or was signed with another key.");
  }
  checkTime(claim, now); // last, so that a request with a wrong signature reads nothing about the clock
  return { headers: new Set(names), bodySha256: claim.bodyHash === UNSIGNED ? null : claim.bodyHash };
}

function parseClaim(request: Request, url: URL): Claim {
  const header = request.headers.get("authorization");
  const query = url.searchParams;
  const presigned = [...query.keys()].some((name) => /^x-amz-(signature|algorithm|credential)$/i.test(name));
  if (header !== null && presigned) {
    throw new S3Error(
      400,
      "InvalidArgument",
      "Sign the request in the Authorization header or in the query, not in both.",
    );
  }
  if (presigned) return queryClaim(request, query);
  if (header === null) throw new S3Error(403, "AccessDenied", "The request is not signed.");
  return headerClaim(request, header);
}

function queryClaim(request: Request, query: URLSearchParams): Claim {
  const single = (name: string) => {
    const values = query.getAll(name);
    if (values.length !== 1) throw new S3Error(400, "AuthorizationQueryParametersError", `${name} must occur once.`);
    return values[0]!;
  };
  if (single("X-Amz-Algorithm") !== ALGORITHM) {
    throw new S3Error(400, "AuthorizationQueryParametersError", `X-Amz-Algorithm must be ${ALGORITHM}.`);
  }
  const expires = single("X-Amz-Expires");
  if (!/^\d{1,7}$/.test(expires) || Number(expires) < 1 || Number(expires) > MAX_EXPIRES_SECONDS) {
    throw new S3Error(400, "AuthorizationQueryParametersError", `X-Amz-Expires must be 1 to ${MAX_EXPIRES_SECONDS}.`);
  }
  const hash = query.get("X-Amz-Content-Sha256") ?? request.headers.get("x-amz-content-sha256") ?? UNSIGNED;
  return {
    credential: single("X-Amz-Credential"),
    signedHeaders: single("X-Amz-SignedHeaders"),
    signature: checkHex(single("X-Amz-Signature")),
    date: checkDate(single("X-Amz-Date")),
    expires: Number(expires),
    bodyHash: checkBodyHash(hash),
  };
}

function headerClaim(request: Request, header: string): Claim {
  const [, credential, signedHeaders, signature] = header.match(
    /^AWS4-HMAC-SHA256\s+Credential=([^,\s]+),\s*SignedHeaders=([^,\s]+),\s*Signature=([^,\s]+)$/,
  ) ?? [];
  if (!credential || !signedHeaders || !signature) {
    throw malformed("The Authorization header is not a valid AWS4-HMAC-SHA256 header.");
  }
  return {
    credential,
    signedHeaders,
    signature: checkHex(signature),
    date: checkDate(request.headers.get("x-amz-date") ?? ""),
    expires: null,
    bodyHash: checkBodyHash(request.headers.get("x-amz-content-sha256") ?? ""),
  };
}

function checkHex(signature: string): string {
  if (!/^[0-9a-f]{64}$/.test(signature)) throw malformed("The signature must be 64 hexadecimal digits.");
  return signature;
}

function checkDate(text: string): string {
  if (!/^\d{8}T\d{6}Z$/.test(text) || Number.isNaN(parseDate(text))) {
    throw malformed("X-Amz-Date must be YYYYMMDDTHHMMSSZ.");
  }
  return text;
}

function parseDate(date: string): number {
  return Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
}

function checkBodyHash(text: string): string {
  if (text.startsWith("STREAMING-")) {
    throw new S3Error(501, "NotImplemented", "Bodies in signed chunks are not supported.");
  }
  if (text !== UNSIGNED && !/^[0-9a-f]{64}$/.test(text)) throw malformed("X-Amz-Content-Sha256 must be a SHA-256.");
  return text;
}

function checkTime({ date, expires }: Claim, now: number): void {
  const age = now - parseDate(date);
  if (expires === null) {
    if (Math.abs(age) > MAX_SKEW_MS) {
      throw new S3Error(403, "RequestTimeTooSkewed", "The time of the signature differs too much from now.");
    }
  } else if (age < -MAX_SKEW_MS) {
    throw new S3Error(403, "AccessDenied", "The URL is not valid yet.");
  } else if (age > expires * 1000) {
    throw new S3Error(403, "AccessDenied", "The URL has expired.");
  }
}

function headerOf(request: Request, name: string): string {
  return (request.headers.get(name) ?? "").trim().replaceAll(/ +/g, " ");
}

/** The path with each segment encoded by the rules of the signature. */
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
    if (error instanceof URIError) throw new S3Error(400, "InvalidURI", "The path is not UTF-8.");
    throw error;
  }
}

function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

function malformed(message: string): S3Error {
  return new S3Error(400, "AuthorizationHeaderMalformed", message);
}
