/**
 * Receipts from before signed transactions. Their contents are not trusted: they only yield a transaction id for a
 * request to the App Store Server API. Anyone who knows the id can write one, so they prove no possession.
 */
import { type Bytes, fromBase64, fromUtf8 } from "./bytes.ts";
import { childAt, childrenOf, DerError, type Element, elementsIn, integerOf, readElement, Tag } from "./der.ts";

/**
 * `signed`: a signed transaction. `app`: an app receipt (PKCS #7). `transaction`: the older receipt of one transaction.
 */
export type ReceiptKind = "signed" | "app" | "transaction";

export class ReceiptError extends Error {
  override readonly name = "ReceiptError";
}

/** A purchase in a receipt. */
export interface ListedPurchase {
  /** Null if missing in the receipt. */
  readonly productId: string | null;
  readonly transactionId: string;
}

/** Base64 contains no full stops, a compact JWS contains two. DER begins with a sequence. */
export function kindOf(receipt: string): ReceiptKind {
  if (receipt.includes(".")) return "signed";
  return fromBase64(receipt.slice(0, 4))?.[0] === Tag.sequence ? "app" : "transaction";
}

/** The purchases of an unsigned receipt, in their order. Throws ReceiptError. */
export function purchasesIn(receipt: string): ListedPurchase[] {
  const bytes = fromBase64(receipt);
  if (bytes === null) throw new ReceiptError("the receipt is not base64");
  try {
    return bytes[0] === Tag.sequence ? purchasesInApp(bytes) : purchasesInTransaction(bytes);
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    throw new ReceiptError("the receipt is malformed", { cause: error });
  }
}

/** Attribute types of a receipt and of its purchases. */
const Attribute = { purchase: 17, productId: 1702, transactionId: 1703, originalTransactionId: 1705 } as const;

function purchasesInApp(bytes: Bytes): ListedPurchase[] {
  return attributesIn(contentOf(bytes)).filter(({ type }) => type === Attribute.purchase).flatMap(({ value }) => {
    const attributes = attributesIn(readElement(value, "ber"));
    const transactionId = textOf(attributes, Attribute.transactionId) ??
      textOf(attributes, Attribute.originalTransactionId);
    return transactionId === null ? [] : [{ transactionId, productId: textOf(attributes, Attribute.productId) }];
  });
}

/** The signed content: ContentInfo, SignedData, inner ContentInfo, octets. Xcode splits the octets into pieces. */
function contentOf(bytes: Bytes): Element {
  let element = readElement(bytes, "ber");
  for (const index of [1, 0, 2, 1, 0]) {
    const child = childrenOf(element, "ber")[index];
    if (child === undefined) throw new DerError("the receipt has no content");
    element = child;
  }
  const isInPieces = element.tag !== Tag.octetString;
  const octets = isInPieces ? childAt(childrenOf(element, "ber"), 0, Tag.octetString) : element;
  return readElement(octets.contents, "ber");
}

function attributesIn(set: Element): { readonly type: number; readonly value: Bytes }[] {
  return childrenOf(childAt([set], 0, Tag.set), "ber").map((attribute) => {
    const [type, , value] = childrenOf(attribute, "ber");
    if (type?.tag !== Tag.integer || value?.tag !== Tag.octetString) throw new DerError("not an attribute");
    return { type: integerOf(type), value: value.contents };
  });
}

function textOf(attributes: ReturnType<typeof attributesIn>, wanted: number): string | null {
  const value = attributes.find(({ type }) => type === wanted)?.value;
  const [text] = value === undefined ? [] : elementsIn(value, "ber");
  return text?.tag === Tag.utf8String ? fromUtf8(text.contents) : null;
}

/** A text property list. Its `purchase-info` is another one in base64. */
function purchasesInTransaction(bytes: Bytes): ListedPurchase[] {
  const info = entryOf(fromUtf8(bytes), "purchase-info");
  const decoded = info === null ? null : fromBase64(info);
  const text = decoded && fromUtf8(decoded);
  const transactionId = entryOf(text, "transaction-id");
  return transactionId === null ? [] : [{ transactionId, productId: entryOf(text, "product-id") }];
}

function entryOf(text: string | null, name: string): string | null {
  return text === null ? null : new RegExp(`"${name}"\\s{1,9}=\\s{1,9}"([^"]*)";`).exec(text)?.[1] ?? null;
}
