/**
 * ASN.1 DER, as needed for certificates, OCSP and receipts. Every read is checked against the bounds of its container.
 * The only error is DerError. There is no recursion: a caller opens one level at a time.
 */
import { type Bytes, concatenated, fromUtf8 } from "./bytes.ts";

export class DerError extends Error {
  override readonly name = "DerError";
}

/** Identifier octet including the constructed bit. */
export const Tag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  enumerated: 0x0a,
  utf8String: 0x0c,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  /** `[n]`, constructed. */
  context: (number: number): number => 0xa0 | number,
  /** `[n]`, primitive. */
  contextPrimitive: (number: number): number => 0x80 | number,
} as const;

const CONSTRUCTED = 0x20;
const LONG_TAG = 0x1f;
const INDEFINITE = 0x80;
/** Four bytes of length exceed any request. */
const MAX_LENGTH_BYTES = 4;
/** More elements on one level than in any certificate, response or receipt. */
const MAX_CHILDREN = 10_000;

export interface Element {
  readonly tag: number;
  readonly contents: Bytes;
  /** Including identifier and length. */
  readonly raw: Bytes;
}

/**
 * `der`: lengths are definite and minimal. `ber`: other lengths are allowed too. An element of indefinite length
 * extends to the end, because the rest is not needed.
 */
export type Rules = "der" | "ber";

/** Parses bytes that consist of one element. */
export function readElement(bytes: Bytes, rules: Rules = "der"): Element {
  const element = elementAt(bytes, 0, rules);
  if (rules === "der" && element.raw.length !== bytes.length) throw new DerError("bytes follow the element");
  return element;
}

/** Children of a constructed element. */
export function childrenOf(element: Element, rules: Rules = "der"): Element[] {
  if ((element.tag & CONSTRUCTED) === 0) throw new DerError("a primitive element has no children");
  return elementsIn(element.contents, rules);
}

/** Parses bytes that are a sequence of elements. */
export function elementsIn(bytes: Bytes, rules: Rules = "der"): Element[] {
  const elements: Element[] = [];
  for (let offset = 0; offset < bytes.length;) {
    if (rules === "ber" && bytes[offset] === 0 && bytes[offset + 1] === 0) break; // end of indefinite contents
    if (elements.length === MAX_CHILDREN) throw new DerError("too many elements");
    const element = elementAt(bytes, offset, rules);
    elements.push(element);
    offset += element.raw.length;
  }
  return elements;
}

function elementAt(bytes: Bytes, start: number, rules: Rules): Element {
  const [tag, first] = [bytes[start], bytes[start + 1]];
  if (tag === undefined || first === undefined) throw new DerError("the element is truncated");
  if ((tag & LONG_TAG) === LONG_TAG) throw new DerError("tags of several bytes are not expected");
  const { length, header } = lengthAt(bytes, start, first, rules, (tag & CONSTRUCTED) !== 0);
  const from = start + header;
  if (length > bytes.length - from) throw new DerError("the element is longer than what contains it");
  return { tag, contents: bytes.subarray(from, from + length), raw: bytes.subarray(start, from + length) };
}

function lengthAt(bytes: Bytes, start: number, first: number, rules: Rules, isConstructed: boolean) {
  if (first < INDEFINITE) return { length: first, header: 2 };
  if (first === INDEFINITE) {
    if (rules !== "ber" || !isConstructed) throw new DerError("the length is indefinite");
    return { length: bytes.length - start - 2, header: 2 };
  }
  const count = first - INDEFINITE;
  if (count > MAX_LENGTH_BYTES) throw new DerError("the length has too many bytes");
  let length = 0;
  for (let index = 0; index < count; index++) {
    const byte = bytes[start + 2 + index];
    if (byte === undefined) throw new DerError("the length is truncated");
    length = length * 256 + byte;
  }
  const isShortest = length >= INDEFINITE && bytes[start + 2] !== 0;
  if (rules === "der" && !isShortest) throw new DerError("the length is not the shortest");
  return { length, header: 2 + count };
}

/** The child at this index. Throws if its tag is different. */
export function childAt(children: readonly Element[], index: number, tag: number): Element {
  const child = children[index];
  if (child?.tag !== tag) throw new DerError(`element ${index} is not of type ${tag.toString(16)}`);
  return child;
}

/** A non-negative number within JavaScript's safe integers. */
export function integerOf({ contents }: Element): number {
  if (contents.length === 0 || contents.length > 6 || contents[0]! >= 0x80) throw new DerError("not a small number");
  return contents.reduce((value, byte) => value * 256 + byte, 0);
}

export function oidOf({ tag, contents }: Element): string {
  if (tag !== Tag.oid || contents.length === 0 || contents.length > 64) throw new DerError("not an object identifier");
  const arcs: number[] = [];
  let arc = 0;
  for (const [index, byte] of contents.entries()) {
    if (arc >= 2 ** 46) throw new DerError("an arc of the object identifier is too large");
    arc = arc * 128 + (byte & 0x7f);
    if (byte >= 0x80) {
      if (index === contents.length - 1) throw new DerError("the object identifier is truncated");
      continue;
    }
    if (arcs.length === 0) arcs.push(Math.min(2, Math.floor(arc / 40)), arc - 40 * Math.min(2, Math.floor(arc / 40)));
    else arcs.push(arc);
    arc = 0;
  }
  return arcs.join(".");
}

/** Bytes of a bit string without unused bits. */
export function bitsOf({ tag, contents }: Element): Bytes {
  if (tag !== Tag.bitString || contents[0] !== 0) throw new DerError("not a bit string of whole bytes");
  return contents.subarray(1);
}

/** A time in milliseconds: UTCTime or GeneralizedTime, in UTC and with seconds. */
export function timeOf({ tag, contents }: Element): number {
  const text = fromUtf8(contents) ?? "";
  const [, year, month, day, hour, minute, second] =
    (tag === Tag.utcTime
      ? /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/
      : tag === Tag.generalizedTime
      ? /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/
      : /$^/).exec(text) ?? [];
  if (year === undefined) throw new DerError("not a time");
  const century = tag === Tag.utcTime ? Number(year) < 50 ? 2000 : 1900 : 0;
  const time = Date.parse(
    `${String(century + Number(year)).padStart(4, "0")}-${month}-${day}T${hour}:${minute}:${second}Z`,
  );
  if (Number.isNaN(time)) throw new DerError("not a time");
  return time;
}

/** Encodes an element with these contents. */
export function encode(tag: number, ...contents: readonly Uint8Array[]): Bytes {
  const body = concatenated(...contents);
  if (body.length < INDEFINITE) return concatenated(Uint8Array.of(tag, body.length), body);
  const length: number[] = [];
  for (let rest = body.length; rest > 0; rest = Math.floor(rest / 256)) length.unshift(rest % 256);
  return concatenated(Uint8Array.of(tag, INDEFINITE | length.length, ...length), body);
}

export function encodeOid(oid: string): Bytes {
  const [first = 0, second = 0, ...others] = oid.split(".").map(Number);
  return encode(Tag.oid, Uint8Array.from([first * 40 + second, ...others].flatMap(inBase128)));
}

function inBase128(arc: number): number[] {
  const bytes = [arc % 128];
  for (let rest = Math.floor(arc / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift(0x80 | (rest % 128));
  return bytes;
}
