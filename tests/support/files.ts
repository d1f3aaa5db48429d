// Files to upload: pictures of each type, of any size, that are complete but show noise; and those of a camera.

import { crc32 } from "node:zlib";

export type ImageType = "image/jpeg" | "image/png" | "image/webp" | "image/heic";
type Bytes = Uint8Array<ArrayBuffer>;

export const bytesOf = (...parts: (string | number[] | Uint8Array)[]): Bytes =>
  new Uint8Array(
    parts.flatMap((part) => typeof part === "string" ? [...part].map((letter) => letter.charCodeAt(0)) : [...part]),
  );
export const uint32 = (value: number, littleEndian = false): number[] => {
  const bytes = [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
  return littleEndian ? bytes.reverse() : bytes;
};

/** Random bytes without 0xff, which has a meaning in JPEG. */
function noise(size: number): Bytes {
  const bytes = new Uint8Array(size);
  for (let from = 0; from < size; from += 65_536) crypto.getRandomValues(bytes.subarray(from, from + 65_536));
  return bytes.map((byte) => byte === 255 ? 0 : byte);
}

export const pngChunk = (type: string, data: string | Uint8Array): Bytes => {
  const body = new Uint8Array(4 + data.length);
  body.set(bytesOf(type));
  body.set(typeof data === "string" ? bytesOf(data) : data, 4);
  const chunk = new Uint8Array(body.length + 8);
  chunk.set(uint32(data.length));
  chunk.set(body, 4);
  chunk.set(uint32(crc32(body)), body.length + 4);
  return chunk;
};
/** The header of a PNG. `colors`: 0 gray, 2 RGB, 3 palette, 4 gray with alpha, 6 RGB with alpha. */
export const pngHeader = (width: number, height: number, bits = 8, colors = 0, interlace = 0): Bytes =>
  bytesOf(
    "\x89PNG\r\n\x1a\n",
    pngChunk("IHDR", bytesOf(uint32(width), uint32(height), [bits, colors, 0, 0, interlace])),
  );
export const webpChunk = (type: string, data: string | Uint8Array): Bytes =>
  bytesOf(type, uint32(data.length, true), bytesOf(data), data.length % 2 === 0 ? [] : [0]);
export const heicBox = (type: string, ...parts: (string | number[] | Uint8Array)[]): Bytes => {
  const body = bytesOf(...parts);
  return bytesOf(uint32(body.length + 8), type, body);
};

/** A zlib stream of so many bytes that is not packed: the pixels of one row, of noise. */
function storedRow(size: number): { readonly stream: Bytes; readonly width: number } {
  const [header, checksum, blockHeader, block] = [2, 4, 5, 65_535];
  const blocks = Math.ceil((size - header - checksum) / (block + blockHeader));
  const row = noise(size - header - checksum - blocks * blockHeader);
  row[0] = 0; // no filter
  const stream = new Uint8Array(size);
  stream.set([0x78, 0x01]);
  let [at, from] = [header, 0];
  for (let nth = 1; nth <= blocks; nth++) {
    const part = row.subarray(from, from + block);
    const [low, high] = [part.length & 255, part.length >> 8];
    stream.set([nth === blocks ? 1 : 0, low, high, low ^ 255, high ^ 255], at);
    stream.set(part, at + blockHeader);
    at += blockHeader + part.length;
    from += part.length;
  }
  let [a, b] = [1, 0];
  for (const byte of row) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  stream.set(uint32(b * 65_536 + a), at);
  return { stream, width: row.length - 1 };
}

/** Pixels of this many bytes as a complete picture. */
const PICTURES: Record<ImageType, (size: number) => Bytes> = {
  "image/jpeg": (size) =>
    around(
      size,
      () =>
        bytesOf([0xff, 0xd8], [0xff, 0xc0, 0, 11, 8, 0, 1, 0, 1, 1, 1, 0x11, 0], [0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0]),
      bytesOf([0xff, 0xd9]),
    ),
  "image/png": (size) => {
    const end = pngChunk("IEND", "");
    const { stream, width } = storedRow(size - pngHeader(1, 1).length - pngChunk("IDAT", "").length - end.length);
    const [header, pixels] = [pngHeader(width, 1), pngChunk("IDAT", stream)];
    const file = new Uint8Array(size);
    file.set(header);
    file.set(pixels, header.length);
    file.set(end, size - end.length);
    return file;
  },
  "image/webp": (size) =>
    around(size, (filled) =>
      bytesOf(
        "RIFF",
        uint32(filled + 22, true),
        "WEBPVP8 ",
        uint32(filled + 10, true),
        [0x10, 0, 0, 0x9d, 0x01, 0x2a, 1, 0, 1, 0], // a key frame of one pixel
      )),
  "image/heic": (size) =>
    around(size, (filled) => {
      const file = heicBox("ftyp", "heic", [0, 0, 0, 0], "mif1heic");
      const begin = file.length + heicMeta("hvc1", 1, 1, 0, 0).length + 8;
      return bytesOf(file, heicMeta("hvc1", 1, 1, begin, filled), uint32(filled + 8), "mdat");
    }),
};

/** The description of one item of this type and size whose bytes are at `at`. */
export const heicMeta = (type: string, width: number, height: number, at: number, size: number): Bytes =>
  heicBox(
    "meta",
    [0, 0, 0, 0],
    heicBox("hdlr", [0, 0, 0, 0], [0, 0, 0, 0], "pict", Array(13).fill(0)),
    heicBox("pitm", [0, 0, 0, 0], [0, 1]),
    heicBox("iinf", [0, 0, 0, 0], [0, 1], heicBox("infe", [2, 0, 0, 0], [0, 1], [0, 0], type, [0])),
    heicBox(
      "iprp",
      heicBox("ipco", heicBox("ispe", [0, 0, 0, 0], uint32(width), uint32(height))),
      heicBox("ipma", [0, 0, 0, 0], uint32(1), [0, 1], [1, 1]),
    ),
    heicBox("iloc", [0, 0, 0, 0], [0x44, 0], [0, 1], [0, 1], [0, 0], [0, 1], uint32(at), uint32(size)),
  );

/** So many bytes: what stands before the noise, given its length, the noise, and what stands after it. */
function around(size: number, before: (noise: number) => Bytes, after = bytesOf()): Bytes {
  const filled = size - before(0).length - after.length;
  const file = new Uint8Array(size);
  file.set(before(filled));
  file.set(noise(filled), before(0).length);
  file.set(after, size - after.length);
  return file;
}

export const IMAGE_TYPES = Object.keys(PICTURES) as ImageType[];

/** A complete picture without metadata, of so many bytes, filled with noise. WebP has an even number of bytes. */
export function picture(type: ImageType, size = 400): Bytes {
  return PICTURES[type](size);
}

/** A small picture as a camera makes it, with its position, a maker and a description in its metadata. */
export function cameraPicture(type: ImageType): Bytes {
  const extension = { "image/jpeg": "jpg", "image/png": "png", "image/webp": "webp", "image/heic": "heic" }[type];
  return Deno.readFileSync(new URL(`../cases/pictures/position.${extension}`, import.meta.url));
}

/** Whether a file has this text. */
export function contains(file: Uint8Array, text: string): boolean {
  return new TextDecoder("latin1").decode(file).includes(text);
}

/** Sends bytes to an upload's address as a client does. */
export async function put(url: string, body: Uint8Array<ArrayBuffer>, type: string): Promise<number> {
  const answer = await fetch(url, { method: "PUT", body, headers: { "content-type": type } });
  await answer.body?.cancel();
  return answer.status;
}

/**
 * Files of this size at most, made of the smallest parts that a reader of pictures has to look at one by one: as many as
 * there is room for, or `count`.
 */
export function* manyParts(size: number, count = Infinity): Generator<readonly [name: string, ImageType, Bytes]> {
  /** A beginning, and then the same few bytes again and again, each changed by its number. */
  const repeated = (
    begin: Bytes,
    part: Bytes,
    end = bytesOf(),
    change?: (at: number, nth: number, file: Bytes) => void,
  ) => {
    const parts = Math.min(count, Math.floor((size - begin.length - end.length) / part.length));
    const file = new Uint8Array(begin.length + parts * part.length + end.length);
    file.set(begin);
    for (let nth = 0, at = begin.length; nth < parts; nth++, at += part.length) {
      file.set(part, at);
      change?.(at, nth, file);
    }
    file.set(end, file.length - end.length);
    return file;
  };
  const letters = (at: number, nth: number, file: Bytes) => {
    for (let place = 4, rest = nth; place < 8; place++, rest = Math.floor(rest / 26)) file[at + place] = 97 + rest % 26;
  };
  const sized = (file: Bytes) => {
    new DataView(file.buffer).setUint32(4, file.length - 8, true);
    return file;
  };
  const start = bytesOf([0xff, 0xd8]);
  yield [
    "empty chunks",
    "image/png",
    repeated(pngHeader(1, 1), bytesOf(uint32(0), "abcd", uint32(0)), bytesOf(), letters),
  ];
  yield ["empty chunks of pixels", "image/png", repeated(pngHeader(1, 1), pngChunk("IDAT", ""))];
  yield ["empty segments", "image/jpeg", repeated(start, bytesOf([0xff, 0xe0, 0, 2]))];
  yield ["empty tables", "image/jpeg", repeated(start, bytesOf([0xff, 0xdb, 0, 2]))];
  const riff = bytesOf("RIFF", uint32(0), "WEBP");
  yield ["empty chunks", "image/webp", sized(repeated(riff, bytesOf("abcd", uint32(0))))];
  const canvas = webpChunk("VP8X", bytesOf([2, 0, 0, 0], [0, 0, 0], [0, 0, 0]));
  const pixel = webpChunk("VP8L", bytesOf([0x2f], uint32(0)));
  const frame = webpChunk("ANMF", bytesOf(Array(16).fill(0), pixel));
  yield ["frames", "image/webp", sized(repeated(bytesOf(riff, canvas), frame))];
  const file = heicBox("ftyp", "heic", [0, 0, 0, 0], "mif1heic");
  yield ["empty boxes", "image/heic", repeated(file, heicBox("free"))];
  /** A box that has the rest of the file. */
  const open = (type: string, ...parts: (string | number[] | Uint8Array)[]) => bytesOf(uint32(0), type, ...parts);
  const meta = bytesOf(file, open("meta", [0, 0, 0, 0]));
  yield ["empty boxes of the description", "image/heic", repeated(meta, heicBox("free"))];
  yield ["empty properties", "image/heic", repeated(bytesOf(meta, open("iprp", open("ipco"))), heicBox("free"))];
}
