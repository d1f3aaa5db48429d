// An OCSP responder for certificates of the tests, whose answers can be wrong.
import {
  bitString,
  ecdsaSignature,
  type Identity,
  integer,
  nameOf,
} from "../../local/standins/app_store/certificates.ts";
import { type Bytes, sha256 } from "../../supabase/functions/_shared/providers/app_store/bytes.ts";
import { readCertificate } from "../../supabase/functions/_shared/providers/app_store/certificates.ts";
import {
  childrenOf,
  encode,
  encodeOid,
  readElement,
  Tag,
} from "../../supabase/functions/_shared/providers/app_store/der.ts";

const BASIC_RESPONSE = "1.3.6.1.5.5.7.48.1.1";
const ECDSA_SHA_384 = "1.2.840.10045.4.3.3";
const SHA_256 = "2.16.840.1.101.3.4.2.1";
const HOUR_MS = 3_600_000;

export interface OcspAnswer {
  readonly status: "good" | "revoked" | "unknown";
  /** Who signs: the issuer itself, or a certificate that goes with the response. */
  readonly signer: Identity;
  readonly sendsCertificate: boolean;
  /** Whose key makes the signature, where it is not the signer's. */
  readonly keyOf?: Identity;
  readonly namesKey?: boolean;
  readonly thisUpdate?: number;
  readonly nextUpdate?: number;
  /** About another certificate than the requested one. */
  readonly isAboutAnother?: boolean;
}

export interface OcspResponder extends AsyncDisposable {
  readonly url: string;
  requests: number;
  answer: (issuerOf: "leaf" | "intermediate") => OcspAnswer | Response;
}

/** `/leaf` answers for leaves, `/intermediate` for intermediates. */
export function ocspResponder(): OcspResponder {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    responder.requests++;
    const answer = responder.answer(request.url.endsWith("/leaf") ? "leaf" : "intermediate");
    if (answer instanceof Response) return answer;
    const id = certificateIdIn(new Uint8Array(await request.arrayBuffer()));
    return new Response(await responseOf(answer, id), { headers: { "content-type": "application/ocsp-response" } });
  });
  const responder: OcspResponder = {
    url: `http://127.0.0.1:${server.addr.port}`,
    requests: 0,
    answer: () => new Response(null, { status: 500 }),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
  return responder;
}

/** CertID of the first request. */
function certificateIdIn(request: Bytes): Bytes {
  let element = readElement(request);
  for (let depth = 0; depth < 4; depth++) element = childrenOf(element)[0]!;
  return element.raw;
}

async function responseOf(answer: OcspAnswer, requested: Bytes): Promise<Bytes> {
  const { signer, status, thisUpdate = Date.now() - HOUR_MS, nextUpdate = Date.now() + HOUR_MS } = answer;
  const statuses = {
    good: encode(Tag.contextPrimitive(0)),
    revoked: encode(Tag.context(1), generalized(Date.now() - HOUR_MS)),
    unknown: encode(Tag.contextPrimitive(2)),
  };
  const id = answer.isAboutAnother ? await otherId() : requested;
  const single = encode(
    Tag.sequence,
    id,
    statuses[status],
    generalized(thisUpdate),
    encode(Tag.context(0), generalized(nextUpdate)),
  );
  const data = encode(
    Tag.sequence,
    await responderId(answer),
    generalized(Date.now()),
    encode(Tag.sequence, single),
  );
  const basic = encode(
    Tag.sequence,
    data,
    encode(Tag.sequence, encodeOid(ECDSA_SHA_384)),
    bitString(await ecdsaSignature((answer.keyOf ?? signer).keys.privateKey, "SHA-384", data)),
    ...(answer.sendsCertificate ? [encode(Tag.context(0), encode(Tag.sequence, signer.certificate))] : []),
  );
  const body = encode(Tag.sequence, encodeOid(BASIC_RESPONSE), encode(Tag.octetString, basic));
  return encode(Tag.sequence, encode(Tag.enumerated, Uint8Array.of(0)), encode(Tag.context(0), body));
}

async function responderId({ signer, namesKey }: OcspAnswer): Promise<Bytes> {
  if (!namesKey) return encode(Tag.context(1), nameOf(signer.name));
  const { bits } = readCertificate(signer.certificate).publicKey;
  return encode(Tag.context(2), encode(Tag.octetString, new Uint8Array(await crypto.subtle.digest("SHA-1", bits))));
}

async function otherId(): Promise<Bytes> {
  const hash = await sha256(new Uint8Array(1));
  return encode(
    Tag.sequence,
    encode(Tag.sequence, encodeOid(SHA_256)),
    encode(Tag.octetString, hash),
    encode(Tag.octetString, hash),
    integer(7),
  );
}

function generalized(milliseconds: number): Bytes {
  const digits = new Date(milliseconds).toISOString().replace(/\D/g, "").slice(0, 14);
  return encode(Tag.generalizedTime, new TextEncoder().encode(`${digits}Z`));
}
