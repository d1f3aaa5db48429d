/**
 * Pictures without metadata: what a picture needs to be shown, and nothing else.
 *
 * Each format is rebuilt from the parts on a list: coded pixels, tables, color profile, animation. Everything else is
 * dropped, known or not: EXIF with its position, XMP, IPTC, comments, thumbnails, and bytes after the end. A part that
 * this file does not know cannot leak. Of EXIF one number is kept, the orientation. The pixels are not decoded.
 *
 * Every loop advances by bytes of the file, so the work is linear in its size.
 */
import type { ImageType } from "./image_type.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** The picture without metadata, never longer than before. Null if it is not a complete picture of this type. */
export function withoutMetadata(bytes: Bytes, type: ImageType): Bytes | null {
  try {
    return REBUILD[type](bytes);
  } catch (error) {
    if (error instanceof Malformed) return null;
    throw error;
  }
}

const REBUILD: Record<ImageType, (bytes: Bytes) => Bytes> = {
  "image/jpeg": rebuildJpeg,
  "image/png": rebuildPng,
  "image/webp": rebuildWebp,
  "image/heic": rebuildHeic,
};

class Malformed extends Error {}

function expect(condition: boolean): asserts condition {
  if (!condition) throw new Malformed();
}

/** Numbers and texts of a file. Reading outside of it is `Malformed`. */
class Reader {
  readonly #view: DataView;
  constructor(readonly bytes: Bytes) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
  get length(): number {
    return this.bytes.length;
  }
  /** An unsigned number of 0, 1, 2, 4 or 8 bytes. */
  number(at: number, size: number, littleEndian = false): number {
    expect(at >= 0 && at + size <= this.length);
    if (size === 0) return 0;
    if (size === 1) return this.#view.getUint8(at);
    if (size === 2) return this.#view.getUint16(at, littleEndian);
    if (size === 4) return this.#view.getUint32(at, littleEndian);
    expect(size === 8);
    const value = this.#view.getBigUint64(at, littleEndian);
    expect(value <= BigInt(Number.MAX_SAFE_INTEGER));
    return Number(value);
  }
  text(at: number, size: number): string {
    return String.fromCharCode(...this.slice(at, at + size));
  }
  slice(from: number, to: number): Bytes {
    expect(from >= 0 && from <= to && to <= this.length);
    return this.bytes.subarray(from, to);
  }
}

/** Collects the parts of a picture. */
class Writer {
  readonly #bytes: Bytes;
  #length = 0;
  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity);
  }
  get length(): number {
    return this.#length;
  }
  push(part: Uint8Array | readonly number[]): void {
    expect(this.#length + part.length <= this.#bytes.length);
    this.#bytes.set(part, this.#length);
    this.#length += part.length;
  }
  setUint32(at: number, value: number, littleEndian = false): void {
    new DataView(this.#bytes.buffer).setUint32(at, value, littleEndian);
  }
  changeByte(at: number, change: (value: number) => number): void {
    this.#bytes[at] = change(this.#bytes[at]!);
  }
  finish(): Bytes {
    return this.#bytes.subarray(0, this.#length);
  }
}

const ascii = (text: string) => [...text].map((letter) => letter.charCodeAt(0));

// ---------------------------------------------------------------------------------------------------------------------
// EXIF
// ---------------------------------------------------------------------------------------------------------------------

const ORIENTATION_TAG = 0x0112;
const SHORT = 3;

/** EXIF with the orientation alone. Null if the EXIF has none or the usual one, or is too short to be replaced. */
function orientationOnly(exif: Bytes): Bytes | null {
  try {
    const value = orientationOf(new Reader(exif));
    // deno-fmt-ignore
    const reduced = new Uint8Array([
      0x4d, 0x4d, 0, 42, 0, 0, 0, 8, // a TIFF header, big endian
      0, 1, ORIENTATION_TAG >> 8, ORIENTATION_TAG & 255, 0, SHORT, 0, 0, 0, 1, 0, value, 0, 0, // one entry
      0, 0, 0, 0,
    ]);
    return value >= 2 && value <= 8 && reduced.length <= exif.length ? reduced : null;
  } catch (error) {
    if (error instanceof Malformed) return null; // the picture is complete without its EXIF
    throw error;
  }
}

function orientationOf(exif: Reader): number {
  const order = exif.text(0, 2);
  expect(order === "II" || order === "MM");
  const little = order === "II";
  const directory = exif.number(4, 4, little);
  const entries = exif.number(directory, 2, little);
  for (let n = 0; n < entries; n++) {
    const entry = directory + 2 + 12 * n;
    if (exif.number(entry, 2, little) !== ORIENTATION_TAG) continue;
    return exif.number(entry + 2, 2, little) === SHORT ? exif.number(entry + 8, 2, little) : 1;
  }
  return 1;
}

/** EXIF may begin with a marker, which is not part of it. */
const EXIF_MARKER = "Exif\0\0";
function withoutMarker(exif: Bytes): Bytes {
  return ascii(EXIF_MARKER).every((byte, n) => exif[n] === byte) ? exif.subarray(EXIF_MARKER.length) : exif;
}

// ---------------------------------------------------------------------------------------------------------------------
// JPEG
// ---------------------------------------------------------------------------------------------------------------------

const JPEG_END = 0xd9;
const JPEG_SCAN = 0xda;
/** Start of frame (but those of lossless hierarchies), tables, restart interval, number of lines. */
const JPEG_FRAMES = [0xc0, 0xc1, 0xc2, 0xc3, 0xc9, 0xca, 0xcb];
const JPEG_TABLES = [0xc4, 0xcc, 0xdb, 0xdc, 0xdd];
const JFIF_BYTES = 14;
const ADOBE_BYTES = 12;

function rebuildJpeg(bytes: Bytes): Bytes {
  const reader = new Reader(bytes);
  const out = new Writer(bytes.length);
  const kept = new Set<number>();
  /** Writes a segment that may be in the file once. */
  const once = (marker: number, payload: Uint8Array | readonly number[]) => {
    if (kept.has(marker)) return;
    kept.add(marker);
    out.push([0xff, marker, (payload.length + 2) >> 8, (payload.length + 2) & 255]);
    out.push(payload);
  };
  expect(reader.number(0, 2) === 0xffd8);
  out.push([0xff, 0xd8]);
  let [at, hasFrame, hasScan] = [2, false, false];
  for (;;) {
    expect(reader.number(at, 1) === 0xff);
    const marker = reader.number(at + 1, 1);
    if (marker === 0xff) { // a fill byte
      at++;
      continue;
    }
    if (marker === JPEG_END) break;
    expect(marker >= 0xc0 && (marker < 0xd0 || marker > 0xd8));
    const [from, to] = [at + 4, at + 2 + reader.number(at + 2, 2)];
    const payload = reader.slice(from, to);
    const begins = (text: string) => payload.length >= text.length && reader.text(from, text.length) === text;
    let next = to;
    if (marker === JPEG_SCAN) {
      expect(hasFrame);
      hasScan = true;
      next = endOfScan(reader, to);
      out.push(reader.slice(at, next));
    } else if (JPEG_FRAMES.includes(marker) || JPEG_TABLES.includes(marker)) {
      hasFrame ||= JPEG_FRAMES.includes(marker);
      out.push(reader.slice(at, to));
    } else if (marker === 0xe0 && begins("JFIF\0") && payload.length >= JFIF_BYTES) {
      once(marker, [...payload.subarray(0, JFIF_BYTES - 2), 0, 0]); // without its thumbnail
    } else if (marker === 0xe1 && begins(EXIF_MARKER)) {
      const exif = orientationOnly(withoutMarker(payload));
      if (exif !== null) once(marker, [...ascii(EXIF_MARKER), ...exif]);
    } else if (marker === 0xe2 && begins("ICC_PROFILE\0")) {
      out.push(reader.slice(at, to)); // a large profile has several segments
    } else if (marker === 0xee && begins("Adobe") && payload.length >= ADOBE_BYTES) {
      once(marker, payload.subarray(0, ADOBE_BYTES)); // how the colors are coded
    } else {
      // A hierarchy of frames, which no app shows, is not supported. Every other segment is metadata.
      expect(marker >= 0xe0);
    }
    at = next;
  }
  expect(hasScan);
  out.push([0xff, JPEG_END]);
  return out.finish();
}

/** Position of the next marker after coded pixels. In them 0xff is followed by 0 or a restart marker. */
function endOfScan({ bytes }: Reader, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at >= 0 && at + 1 < bytes.length; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1]!;
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at;
  }
  throw new Malformed();
}

// ---------------------------------------------------------------------------------------------------------------------
// PNG
// ---------------------------------------------------------------------------------------------------------------------

const PNG_SIGNATURE_BYTES = 8;
const PNG_CHUNKS = new Set(
  ("IHDR PLTE IDAT IEND tRNS cHRM gAMA iCCP sRGB sBIT bKGD hIST pHYs cICP mDCV cLLI acTL fcTL fdAT").split(" "),
);

function rebuildPng(bytes: Bytes): Bytes {
  const reader = new Reader(bytes);
  const out = new Writer(bytes.length);
  out.push(reader.slice(0, PNG_SIGNATURE_BYTES));
  const seen = new Set<string>();
  for (let at = PNG_SIGNATURE_BYTES; !seen.has("IEND");) {
    const size = reader.number(at, 4);
    const type = reader.text(at + 4, 4);
    const chunk = reader.slice(at, at + 12 + size);
    expect((type === "IHDR") === (seen.size === 0));
    if (PNG_CHUNKS.has(type)) {
      out.push(chunk);
    } else if (type === "eXIf" && !seen.has(type)) {
      const exif = orientationOnly(withoutMarker(chunk.subarray(8, 8 + size)));
      if (exif !== null) pushPngChunk(out, type, exif);
    }
    seen.add(type);
    at += chunk.length;
  }
  expect(seen.has("IDAT"));
  return out.finish();
}

function pushPngChunk(out: Writer, type: string, data: Bytes): void {
  const body = new Uint8Array([...ascii(type), ...data]);
  const numbers = new DataView(new ArrayBuffer(8));
  numbers.setUint32(0, data.length);
  numbers.setUint32(4, crc32(body));
  out.push(new Uint8Array(numbers.buffer, 0, 4));
  out.push(body);
  out.push(new Uint8Array(numbers.buffer, 4, 4));
}

function crc32(bytes: Uint8Array): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// WebP
// ---------------------------------------------------------------------------------------------------------------------

const WEBP_HEADER_BYTES = 12;
const FRAME_HEADER_BYTES = 16;
const WEBP_CHUNKS = new Set(["VP8X", "VP8 ", "VP8L", "ALPH", "ANIM", "ANMF", "ICCP", "EXIF"]);
const FRAME_CHUNKS = new Set(["VP8 ", "VP8L", "ALPH"]);
const [EXIF_FLAG, XMP_FLAG] = [0x08, 0x04];

function rebuildWebp(bytes: Bytes): Bytes {
  const reader = new Reader(bytes);
  const out = new Writer(bytes.length);
  out.push(reader.slice(0, WEBP_HEADER_BYTES));
  const end = 8 + reader.number(4, 4, true);
  const seen = copyWebpChunks(reader, WEBP_HEADER_BYTES, end, WEBP_CHUNKS, out);
  expect(seen.has("VP8 ") || seen.has("VP8L") || seen.has("ANMF"));
  out.setUint32(4, out.length - 8, true);
  const flags = seen.get("VP8X");
  if (flags !== undefined) {
    out.changeByte(flags, (value) => value & ~(EXIF_FLAG | XMP_FLAG) | (seen.has("EXIF") ? EXIF_FLAG : 0));
  }
  return out.finish();
}

/** Copies the chunks on the list, and returns where the data of each type begin in the copy. */
function copyWebpChunks(
  reader: Reader,
  from: number,
  end: number,
  types: ReadonlySet<string>,
  out: Writer,
): Map<string, number> {
  const written = new Map<string, number>();
  expect(end <= reader.length);
  for (let at = from; at < end;) {
    const type = reader.text(at, 4);
    const size = reader.number(at + 4, 4, true);
    const data = reader.slice(at + 8, at + 8 + size);
    const isEmptyHeader = type === "VP8X" && (size < 10 || written.size > 0);
    expect(at + 8 + size + size % 2 <= end && !isEmptyHeader);
    const begin = out.length + 8;
    const begun = () => {
      out.push(ascii(type));
      out.push([0, 0, 0, 0]);
      written.set(type, begin);
    };
    if (type === "ANMF" && types.has(type)) {
      begun();
      out.push(data.subarray(0, FRAME_HEADER_BYTES));
      const frame = copyWebpChunks(reader, at + 8 + FRAME_HEADER_BYTES, at + 8 + size, FRAME_CHUNKS, out);
      expect(frame.has("VP8 ") || frame.has("VP8L"));
    } else if (type === "EXIF" && types.has(type)) {
      const exif = orientationOnly(withoutMarker(data));
      if (exif !== null && written.has("VP8X") && !written.has(type)) {
        begun();
        out.push(exif);
      }
    } else if (types.has(type)) {
      begun();
      out.push(data);
    }
    if (out.length >= begin) {
      out.setUint32(begin - 4, out.length - begin, true);
      if ((out.length - begin) % 2 === 1) out.push([0]);
    }
    at += 8 + size + size % 2;
  }
  return written;
}

// ---------------------------------------------------------------------------------------------------------------------
// HEIC
// ---------------------------------------------------------------------------------------------------------------------

/** Items with pixels, or made of other items. An EXIF, XMP or unknown item is none. */
const PIXEL_ITEMS = ["hvc1", "grid", "iden", "iovl", "tmap"];
/** Properties that a decoder needs. */
const HEIC_PROPERTIES = new Set(
  ("hvcC lhvC ispe pixi colr pasp clap irot imir auxC clli mdcv cclv rloc lsel").split(" "),
);
const HANDLER_BYTES = 24;

interface Box {
  readonly type: string;
  readonly start: number;
  readonly body: number;
  readonly end: number;
}

function* boxes(reader: Reader, from: number, to: number): Generator<Box> {
  for (let start = from; start < to;) {
    const short = reader.number(start, 4);
    const type = reader.text(start + 4, 4);
    const body = start + (short === 1 ? 16 : 8);
    const end = short === 0 ? to : start + (short === 1 ? reader.number(start + 8, 8) : short);
    expect(end >= body && end <= to);
    yield { type, start, body, end };
    start = end;
  }
}

/**
 * The file refers to its pixels by their offsets. So the copy has the length of the original up to the last box that is
 * needed, everything in it is zero at first, and the parts that are needed are copied to their places. Other boxes
 * become `free`.
 */
function rebuildHeic(bytes: Bytes): Bytes {
  const reader = new Reader(bytes);
  const out = new Uint8Array(bytes.length);
  const keep = (from: number, to: number) => out.set(reader.slice(from, to), from);
  const clear = ({ start, body }: Box) => {
    keep(start, body);
    out.set(ascii("free"), start + 4);
  };
  const top = topBoxes(reader);
  const meta = top.filter(({ type }) => type === "meta");
  const data = top.filter(({ type }) => type === "mdat");
  expect(top[0]?.type === "ftyp" && meta.length === 1);
  let end = 0;
  for (const box of top) {
    if (box.type === "ftyp") keep(box.start, box.end);
    else if (box.type === "mdat") keep(box.start, box.body);
    else if (box.type !== "meta") clear(box);
    if (["ftyp", "mdat", "meta"].includes(box.type)) end = box.end;
  }
  const [{ start, body, end: metaEnd }] = meta as [Box];
  keep(start, body + 4);
  const parts = new Map<string, Box>();
  for (const box of boxes(reader, body + 4, metaEnd)) {
    if (box.type !== "free") expect(!parts.has(box.type));
    parts.set(box.type, box);
    if (box.type === "pitm" || box.type === "iloc" || box.type === "iref") keep(box.start, box.end);
    else if (box.type === "hdlr") keep(box.start, Math.min(box.end, box.body + HANDLER_BYTES));
    else if (box.type === "idat" || box.type === "iinf") keep(box.start, box.body);
    else if (box.type === "iprp") keepProperties(reader, box, keep, clear);
    else clear(box);
  }
  const part = (type: string): Box => {
    const found = parts.get(type);
    expect(found !== undefined);
    return found;
  };
  expect(reader.text(part("hdlr").body + 8, 4) === "pict");
  const types = keepItems(reader, part("iinf"), keep);
  const primary = part("pitm");
  const primaryId = reader.number(primary.body + 4, reader.number(primary.body, 1) === 0 ? 2 : 4);
  const idat = parts.get("idat");
  let copied = 0;
  const located = new Set<number>();
  for (const { id, method, from, length } of extents(reader, part("iloc"))) {
    if (!PIXEL_ITEMS.includes(types.get(id) ?? "")) continue;
    const within = method === 0 ? data : method === 1 && idat !== undefined ? [idat] : [];
    const at = method === 1 && idat !== undefined ? idat.body + from : from;
    expect(length > 0 && within.some((box) => at >= box.body && at + length <= box.end));
    copied += length;
    expect(copied <= bytes.length); // no byte is needed twice
    keep(at, at + length);
    located.add(id);
  }
  expect(located.has(primaryId));
  return out.subarray(0, end);
}

/** The boxes of the file until the first bytes that are no box. */
function topBoxes(reader: Reader): Box[] {
  const found: Box[] = [];
  try {
    for (const box of boxes(reader, 0, reader.length)) found.push(box);
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
  }
  return found;
}

type Keep = (from: number, to: number) => void;

function keepProperties(reader: Reader, { start, body, end }: Box, keep: Keep, clear: (box: Box) => void): void {
  keep(start, body);
  for (const box of boxes(reader, body, end)) {
    if (box.type === "ipma") keep(box.start, box.end);
    else if (box.type === "ipco") {
      keep(box.start, box.body);
      // A cleared property keeps its place: items refer to properties by their number.
      for (const property of boxes(reader, box.body, box.end)) {
        if (HEIC_PROPERTIES.has(property.type)) keep(property.start, property.end);
        else clear(property);
      }
    } else clear(box);
  }
}

/** Keeps numbers and types of items, without their names. Returns the types. */
function keepItems(reader: Reader, { body, end }: Box, keep: Keep): Map<number, string> {
  const first = body + (reader.number(body, 1) === 0 ? 6 : 8);
  keep(body, first);
  const types = new Map<number, string>();
  for (const box of boxes(reader, first, end)) {
    const version = reader.number(box.body, 1);
    expect(box.type === "infe" && (version === 2 || version === 3));
    const idBytes = version === 2 ? 2 : 4;
    const type = box.body + 4 + idBytes + 2;
    expect(type + 4 <= box.end);
    keep(box.start, type + 4);
    types.set(reader.number(box.body + 4, idBytes), reader.text(type, 4));
  }
  return types;
}

interface Extent {
  readonly id: number;
  /** 0: an offset in the file, 1: an offset in `idat`. */
  readonly method: number;
  readonly from: number;
  readonly length: number;
}

function* extents(reader: Reader, { body, end }: Box): Generator<Extent> {
  const version = reader.number(body, 1);
  expect(version <= 2);
  let at = body + 4;
  const next = (size: number) => {
    expect(at + size <= end);
    const value = reader.number(at, size);
    at += size;
    return value;
  };
  const sizes = next(2);
  const [offsetBytes, lengthBytes, baseBytes] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15];
  const indexBytes = version === 0 ? 0 : sizes & 15;
  expect(lengthBytes > 0); // otherwise an extent is the whole file
  const items = next(version < 2 ? 2 : 4);
  for (let n = 0; n < items; n++) {
    const id = next(version < 2 ? 2 : 4);
    const method = version === 0 ? 0 : next(2) & 15;
    expect(next(2) === 0); // another file
    const base = next(baseBytes);
    const count = next(2);
    for (let nth = 0; nth < count; nth++) {
      next(indexBytes);
      const from = base + next(offsetBytes);
      yield { id, method, from, length: next(lengthBytes) };
    }
  }
}
