/** Presigned URLs for the S3 protocol: AWS Signature Version 4 in the query. */
import { AwsV4Signer } from "aws4fetch";

export interface Signer {
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface ToSign {
  readonly method: string;
  /** Path segments below the endpoint. A segment may contain slashes. */
  readonly path: readonly string[];
  /** Required headers of the request, with their values. Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly seconds: number;
  readonly signedAt?: Date | undefined;
}

/** Signs URLs with one key. The signing key of a day is derived once. */
export function signerOf({ endpoint, ...key }: Signer): (what: ToSign) => Promise<string> {
  const cache = new Map<string, ArrayBuffer>();
  const base = endpoint.replace(/\/+$/, "");

  return async ({ method, path, headers = {}, seconds, signedAt = new Date() }) => {
    const query = new URLSearchParams({ "X-Amz-Content-Sha256": "UNSIGNED-PAYLOAD", "X-Amz-Expires": String(seconds) });
    const { url } = await new AwsV4Signer({
      ...key,
      method,
      url: `${[base, ...path.map(encodePath)].join("/")}?${query}`,
      headers,
      service: "s3",
      signQuery: true,
      allHeaders: true, // otherwise an upload's length and type are not signed
      datetime: `${signedAt.toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`,
      cache,
    }).sign();
    return url.href;
  };
}

/** Slashes are kept. Everything else is encoded according to the signing rules. */
export function encodePath(path: string): string {
  return encodeURIComponent(path).replaceAll("%2F", "/")
    .replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
