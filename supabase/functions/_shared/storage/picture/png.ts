/** PNG: chunks, each with its length, type and checksum. The pixels are one zlib stream in the chunks IDAT. */
import { orientationOnly } from "./exif.ts";
import { ascii, type Bytes, expect, Reader, Refused, Writer } from "./parts.ts";

const SIGNATURE_BYTES = 8;
const HEADER_BYTES = 13;
const KEPT = new Set(
  ("IHDR PLTE IDAT IEND tRNS cHRM gAMA iCCP sRGB sBIT bKGD hIST pHYs cICP mDCV cLLI acTL fcTL fdAT").split(" "),
);
/** Chunks without which nothing is shown: a reader refuses the picture when their checksum is wrong. */
const CRITICAL = new Set(["IHDR", "PLTE", "IDAT", "IEND"]);
/** Samples of a pixel and the bits that one may have, by the type of the colors. */
const COLORS: Record<number, { readonly samples: number; readonly bits: readonly number[] }> = {
  0: { samples: 1, bits: [1, 2, 4, 8, 16] },
  2: { samples: 3, bits: [8, 16] },
  3: { samples: 1, bits: [1, 2, 4, 8] },
  4: { samples: 2, bits: [8, 16] },
  6: { samples: 4, bits: [8, 16] },
};
const PALETTE = 3;

/** So much of the pixels is unpacked to see whether they are any: all of the screen of a phone. */
const CHECKED_BYTES = 16 * 1024 * 1024;
/** A slice of packed pixels, which are at most a thousand times as long unpacked. */
const SLICE_BYTES = 2048;

export async function rebuildPng(bytes: Bytes): Promise<Bytes> {
  const reader = new Reader(bytes);
  const out = new Writer(bytes.length);
  out.push(reader.slice(0, SIGNATURE_BYTES));
  const pixels: Bytes[] = [];
  let [unpacked, colors, hasPalette, hasExif] = [0, 0, false, false];
  for (let at = SIGNATURE_BYTES, isAtEnd = false; !isAtEnd;) {
    reader.countPart();
    const size = reader.number(at, 4);
    const type = reader.text(at + 4, 4);
    const chunk = reader.slice(at, at + 12 + size);
    const data = chunk.subarray(8, 8 + size);
    expect((type === "IHDR") === (at === SIGNATURE_BYTES));
    if (CRITICAL.has(type)) expect(reader.number(at + 8 + size, 4) === crc32(chunk.subarray(4, 8 + size)));
    if (type === "IHDR") {
      expect(size === HEADER_BYTES);
      colors = reader.number(at + 17, 1);
      unpacked = unpackedBytes(reader, at + 8);
    } else if (type === "PLTE") {
      hasPalette = size > 0 && size <= 768 && size % 3 === 0;
    } else if (type === "IDAT") {
      pixels.push(data);
    } else if (type === "fcTL") { // a frame of an animation
      expect(size === 26);
      reader.countPixels(reader.number(at + 12, 4), reader.number(at + 16, 4));
    }
    if (KEPT.has(type)) {
      out.push(chunk);
    } else if (type === "eXIf" && !hasExif) {
      hasExif = true;
      const exif = orientationOnly(data);
      if (exif !== null) pushChunk(out, type, exif);
    }
    isAtEnd = type === "IEND";
    at += chunk.length;
  }
  expect(colors !== PALETTE || hasPalette);
  await checkPixels(pixels, unpacked);
  return out.finish();
}

/** The length of the pixels when they are unpacked: by rows, each with one byte before it. */
function unpackedBytes(reader: Reader, at: number): number {
  const [width, height] = [reader.number(at, 4), reader.number(at + 4, 4)];
  reader.countPixels(width, height);
  const [bits, colors, packing, filter, interlace] = [8, 9, 10, 11, 12].map((place) =>
    reader.number(at + place, 1)
  ) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const kind = COLORS[colors];
  expect(kind !== undefined && kind.bits.includes(bits) && packing === 0 && filter === 0 && interlace <= 1);
  const area = (columns: number, rows: number) =>
    columns === 0 ? 0 : rows * (1 + Math.ceil(columns * kind.samples * bits / 8));
  if (interlace === 0) return area(width, height);
  // The seven passes of Adam7: where each begins, and its steps.
  const passes = [[0, 0, 8, 8], [4, 0, 8, 8], [0, 4, 4, 8], [2, 0, 4, 4], [0, 2, 2, 4], [1, 0, 2, 2], [
    0,
    1,
    1,
    2,
  ]] as const;
  return passes.reduce(
    (sum, [x, y, across, down]) =>
      sum + area(Math.ceil(Math.max(0, width - x) / across), Math.ceil(Math.max(0, height - y) / down)),
    0,
  );
}

/** Unpacks the pixels, slice by slice, and keeps none. Refused if they end early or cannot be unpacked. */
async function checkPixels(pixels: readonly Bytes[], unpacked: number): Promise<void> {
  const wanted = Math.min(unpacked, CHECKED_BYTES);
  let [found, isOver] = [0, false];
  const slices = function* () {
    for (const part of pixels) {
      for (let at = 0; at < part.length && !isOver; at += SLICE_BYTES) yield part.subarray(at, at + SLICE_BYTES);
    }
  };
  const stream = ReadableStream.from(slices()).pipeThrough(new DecompressionStream("deflate"));
  try {
    for await (const part of stream) {
      found += part.length;
      if (found >= wanted) break;
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  } finally {
    isOver = true;
  }
  // What follows the last row does no harm: readers leave it out.
  if (found < wanted) throw new Refused("malformed");
}

function pushChunk(out: Writer, type: string, data: Bytes): void {
  const body = new Uint8Array([...ascii(type), ...data]);
  const numbers = new DataView(new ArrayBuffer(8));
  numbers.setUint32(0, data.length);
  numbers.setUint32(4, crc32(body));
  out.push(new Uint8Array(numbers.buffer, 0, 4));
  out.push(body);
  out.push(new Uint8Array(numbers.buffer, 4, 4));
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  return crc;
});

function crc32(bytes: Uint8Array): number {
  let crc = ~0;
  for (let at = 0; at < bytes.length; at++) crc = (crc >>> 8) ^ CRC_TABLE[(crc ^ bytes[at]!) & 255]!;
  return ~crc >>> 0;
}
