// Receipts as StoreKit made them before signed transactions. They are not signed: the service believes nothing in them.
import type { Bytes } from "../../../supabase/functions/_shared/providers/app_store/bytes.ts";
import { concatenated } from "../../../supabase/functions/_shared/providers/app_store/bytes.ts";
import { encode, encodeOid, Tag } from "../../../supabase/functions/_shared/providers/app_store/der.ts";
import { integer } from "./certificates.ts";

const SIGNED_DATA = "1.2.840.113549.1.7.2";
const SHA_256 = "2.16.840.1.101.3.4.2.1";
const DATA = "1.2.840.113549.1.7.1";

export interface ReceiptEntry {
  readonly productId: string;
  readonly transactionId: string;
  readonly originalTransactionId: string;
}

function utf8(text: string): Bytes {
  return encode(Tag.utf8String, new TextEncoder().encode(text));
}

function attribute(type: number, value: Bytes): Bytes {
  return encode(Tag.sequence, integer(type), integer(1), encode(Tag.octetString, value));
}

function content(bundleId: string, entries: readonly ReceiptEntry[]): Bytes {
  const purchases = entries.map(({ productId, transactionId, originalTransactionId }) =>
    attribute(
      17,
      encode(
        Tag.set,
        attribute(1701, integer(1)),
        attribute(1702, utf8(productId)),
        attribute(1703, utf8(transactionId)),
        attribute(1705, utf8(originalTransactionId)),
      ),
    )
  );
  return encode(Tag.set, attribute(2, utf8(bundleId)), attribute(3, utf8("1.0")), ...purchases);
}

/** An element of indefinite length. */
function open(tag: number, ...contents: readonly Uint8Array[]): Bytes {
  return concatenated(Uint8Array.of(tag, 0x80), ...contents, Uint8Array.of(0, 0));
}

/** The receipt of an app: PKCS #7 in DER, or as Xcode writes it, with indefinite lengths and the octets in pieces. */
export function appReceipt(bundleId: string, entries: readonly ReceiptEntry[], style: "app" | "xcode"): string {
  const octets = encode(Tag.octetString, content(bundleId, entries));
  const wrap = style === "app" ? encode : open;
  const pieces = style === "app" ? octets : open(0x24, octets);
  return wrap(
    Tag.sequence,
    encodeOid(SIGNED_DATA),
    wrap(
      Tag.context(0),
      wrap(
        Tag.sequence,
        integer(1),
        encode(Tag.set, encode(Tag.sequence, encodeOid(SHA_256), encode(Tag.null))),
        wrap(Tag.sequence, encodeOid(DATA), wrap(Tag.context(0), pieces)),
        encode(Tag.set, encode(Tag.sequence, integer(1))), // the signer
      ),
    ),
  ).toBase64();
}

/** The receipt of one transaction, of the kind before that. */
export function transactionReceipt(bundleId: string, entry: ReceiptEntry): string {
  const info = propertyList({
    "original-transaction-id": entry.originalTransactionId,
    "transaction-id": entry.transactionId,
    "product-id": entry.productId,
    "bid": bundleId,
  });
  return base64(propertyList({ "signature": base64("-"), "purchase-info": base64(info), "pod": "100" }));
}

function propertyList(entries: Readonly<Record<string, string>>): string {
  return `{\n${Object.entries(entries).map(([name, value]) => `\t"${name}" = "${value}";\n`).join("")}}`;
}

function base64(text: string): string {
  return new TextEncoder().encode(text).toBase64();
}
