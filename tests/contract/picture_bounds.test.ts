// Pictures that were made to hurt: of many parts, of many pixels, or of something else than they say.
import assert from "node:assert/strict";
import { deflateSync } from "node:zlib";
import { MAX_PARTS } from "../../supabase/functions/_shared/storage/picture/parts.ts";
import { withoutMetadata } from "../../supabase/functions/_shared/storage/picture.ts";
import {
  bytesOf,
  heicBox,
  heicMeta,
  type ImageType,
  manyParts,
  picture,
  pngChunk,
  pngHeader,
  uint32,
  webpChunk,
} from "../support/files.ts";

type Bytes = Uint8Array<ArrayBuffer>;
type Verdict = "malformed" | "too_many_parts" | "too_many_pixels" | "accepted";

const verdict = async (file: Bytes, type: ImageType): Promise<Verdict> => {
  const answer = await withoutMetadata(file, type);
  return typeof answer === "string" ? answer : "accepted";
};

/** A test for each line of a table. */
function table(type: ImageType, lines: Record<string, [Verdict, () => Bytes]>): void {
  for (const [name, [expected, file]] of Object.entries(lines)) {
    Deno.test(`picture: ${type}, ${name}: ${expected}`, async () =>
      assert.equal(await verdict(file(), type), expected));
  }
}

const TEN_MIB = 10 * 1024 * 1024;

for (const [name, type, file] of manyParts(TEN_MIB)) {
  Deno.test(`picture: ${type} of 10 MiB of ${name} is refused for its parts`, async () => {
    assert.equal(await verdict(file, type), "too_many_parts");
  });
}

for (const [name, type, file] of manyParts(TEN_MIB, MAX_PARTS / 8)) {
  Deno.test(`picture: ${type} with ${MAX_PARTS / 8} ${name} is no fault by itself`, async () => {
    assert.notEqual(await verdict(file, type), "too_many_parts");
  });
}

// ---------------------------------------------------------------------------------------------------------------------
// PNG
// ---------------------------------------------------------------------------------------------------------------------

const png = (header: Bytes, ...chunks: Bytes[]) => bytesOf(header, ...chunks, pngChunk("IEND", ""));
const idat = (bytes: number) => pngChunk("IDAT", deflateSync(new Uint8Array(bytes)));
const changed = (chunk: Bytes, at: number) =>
  chunk.map((byte, n) => n === (at < 0 ? chunk.length + at : at) ? byte ^ 1 : byte);
const frame = (width: number, height: number) =>
  pngChunk("fcTL", bytesOf(uint32(0), uint32(width), uint32(height), uint32(0), uint32(0), [0, 0, 0, 0, 0, 0]));
const PALETTE = pngChunk("PLTE", new Uint8Array(6));

table("image/png", {
  "3 × 2 pixels of gray": ["accepted", () => png(pngHeader(3, 2), idat(8))],
  "3 × 2 pixels of one bit": ["accepted", () => png(pngHeader(3, 2, 1), idat(4))],
  "3 × 2 pixels of 16 bits with alpha": ["accepted", () => png(pngHeader(3, 2, 16, 6), idat(50))],
  "3 × 2 pixels with a palette": ["accepted", () => png(pngHeader(3, 2, 8, 3), PALETTE, idat(8))],
  "a palette that is missing": ["malformed", () => png(pngHeader(3, 2, 8, 3), idat(8))],
  "1 × 1 pixel, interlaced": ["accepted", () => png(pngHeader(1, 1, 8, 0, 1), idat(2))],
  "8 × 8 pixels, interlaced": ["accepted", () => png(pngHeader(8, 8, 8, 0, 1), idat(64 + 15))],
  "8 × 8 pixels, interlaced, without the last": ["malformed", () => png(pngHeader(8, 8, 8, 0, 1), idat(64 + 14))],
  "pixels in several chunks": [
    "accepted",
    () => {
      const packed = deflateSync(new Uint8Array(8));
      return png(pngHeader(3, 2), pngChunk("IDAT", packed.subarray(0, 3)), pngChunk("IDAT", packed.subarray(3)));
    },
  ],
  "more rows than it says": ["accepted", () => png(pngHeader(3, 2), idat(80))],
  "a row less than it says": ["malformed", () => png(pngHeader(3, 2), idat(7))],
  "no pixels": ["malformed", () => png(pngHeader(3, 2))],
  "pixels that are no zlib stream": ["malformed", () => png(pngHeader(3, 2), pngChunk("IDAT", "these are no pixels"))],
  "a zlib stream that breaks off": [
    "malformed",
    () =>
      png(
        pngHeader(300, 200),
        pngChunk("IDAT", deflateSync(crypto.getRandomValues(new Uint8Array(60_200))).subarray(0, 900)),
      ),
  ],
  "a wrong checksum of the pixels": ["malformed", () => png(pngHeader(3, 2), changed(idat(8), -1))],
  "a changed byte of the header": ["malformed", () => png(changed(pngHeader(3, 2), 19), idat(8))],
  "0 × 0 pixels": ["malformed", () => png(pngHeader(0, 0), idat(1))],
  "0 × 5 pixels": ["malformed", () => png(pngHeader(0, 5), idat(5))],
  "30,000 × 30,000 pixels": ["too_many_pixels", () => png(pngHeader(30_000, 30_000, 1), idat(100_000))],
  "2³¹−1 pixels each way": ["too_many_pixels", () => png(pngHeader(2 ** 31 - 1, 2 ** 31 - 1), idat(1))],
  "10,000 × 10,000 pixels of one bit": ["accepted", () => png(pngHeader(10_000, 10_000, 1), idat(10_000 * 1_251))],
  "10,001 × 10,000 pixels": ["too_many_pixels", () => png(pngHeader(10_001, 10_000, 1), idat(10_000 * 1_252))],
  "frames of 100 megapixels together": [
    "too_many_pixels",
    () => png(pngHeader(5000, 5000, 1), ...Array.from({ length: 4 }, () => frame(5000, 5000)), idat(5000 * 626)),
  ],
  "a header of another length": [
    "malformed",
    () => png(bytesOf(pngHeader(3, 2).subarray(0, 8), pngChunk("IHDR", "")), idat(8)),
  ],
  "colors that no PNG has": ["malformed", () => png(pngHeader(3, 2, 8, 5), idat(8))],
  "a depth that its colors cannot have": ["malformed", () => png(pngHeader(3, 2, 4, 2), idat(8))],
});

// ---------------------------------------------------------------------------------------------------------------------
// JPEG
// ---------------------------------------------------------------------------------------------------------------------

const segment = (marker: number, ...parts: number[][]) => {
  const body = parts.flat();
  return bytesOf([0xff, marker, (body.length + 2) >> 8, (body.length + 2) & 255], body);
};
const sof = (width: number, height: number, components = 1, marker = 0xc0) =>
  segment(
    marker,
    [8, height >> 8, height & 255, width >> 8, width & 255, components],
    ...Array(components).fill([1, 0x11, 0]),
  );
const SCAN = bytesOf(segment(0xda, [1, 1, 0, 0, 63, 0]), [1, 2, 3]);
const jpeg = (...parts: Uint8Array[]) => bytesOf([0xff, 0xd8], ...parts, [0xff, 0xd9]);

table("image/jpeg", {
  "12,000 × 8,000 pixels of three colors": ["accepted", () => jpeg(sof(12_000, 8000, 3), SCAN)],
  "65,535 × 65,535 pixels": ["too_many_pixels", () => jpeg(sof(65_535, 65_535), SCAN)],
  "no width": ["malformed", () => jpeg(sof(0, 8), SCAN)],
  "no height": ["malformed", () => jpeg(sof(8, 0), SCAN)],
  "no colors": ["malformed", () => jpeg(sof(8, 8, 0), SCAN)],
  "five colors": ["malformed", () => jpeg(sof(8, 8, 5), SCAN)],
  "two frames": ["malformed", () => jpeg(sof(8, 8), sof(8, 8), SCAN)],
  "no frame": ["malformed", () => jpeg(SCAN)],
  "no scan": ["malformed", () => jpeg(sof(8, 8))],
  "a scan without pixels": ["malformed", () => jpeg(sof(8, 8), SCAN.subarray(0, SCAN.length - 3))],
  "a hundred scans": ["accepted", () => jpeg(sof(8, 8, 1, 0xc2), ...Array(100).fill(SCAN))],
  "more than a hundred scans": ["malformed", () => jpeg(sof(8, 8, 1, 0xc2), ...Array(101).fill(SCAN))],
});

// ---------------------------------------------------------------------------------------------------------------------
// WebP
// ---------------------------------------------------------------------------------------------------------------------

const webp = (...chunks: Uint8Array[]) => {
  const body = bytesOf("WEBP", ...chunks);
  return bytesOf("RIFF", uint32(body.length, true), body);
};
const uint24 = (value: number) => uint32(value, true).slice(0, 3);
const uint16 = (value: number) => uint32(value, true).slice(0, 2);
const vp8 = (width: number, height: number, flags = 0x10) =>
  webpChunk("VP8 ", bytesOf([flags, 0, 0, 0x9d, 0x01, 0x2a], uint16(width), uint16(height), [1, 2, 3, 4]));
const vp8l = (width: number, height: number) =>
  webpChunk("VP8L", bytesOf([0x2f], uint32((width - 1) | ((height - 1) << 14), true), [1, 2, 3]));
const canvas = (width: number, height: number) =>
  webpChunk("VP8X", bytesOf([2, 0, 0, 0], uint24(width - 1), uint24(height - 1)));
const anmf = (x: number, y: number, width: number, height: number, pixels: Uint8Array) =>
  webpChunk(
    "ANMF",
    bytesOf(uint24(x / 2), uint24(y / 2), uint24(width - 1), uint24(height - 1), [100, 0, 0, 0], pixels),
  );

table("image/webp", {
  "pixels with loss": ["accepted", () => webp(vp8(16, 9))],
  "pixels without loss": ["accepted", () => webp(vp8l(16, 9))],
  "pixels on their canvas": ["accepted", () => webp(canvas(16, 9), vp8(16, 9))],
  "16,383 × 16,383 pixels": ["too_many_pixels", () => webp(vp8(16_383, 16_383))],
  "16,384 × 16,384 pixels without loss": ["too_many_pixels", () => webp(vp8l(16_384, 16_384))],
  "no width": ["malformed", () => webp(vp8(0, 9))],
  "a canvas of 2²⁴ pixels each way": ["too_many_pixels", () => webp(canvas(2 ** 24, 2 ** 24), vp8(16, 9))],
  "a canvas of another size": ["malformed", () => webp(canvas(17, 9), vp8(16, 9))],
  "no key frame": ["malformed", () => webp(vp8(16, 9, 0x11))],
  "pixels that are none": ["malformed", () => webp(webpChunk("VP8 ", "these are no pixels"))],
  "pixels without loss that are none": ["malformed", () => webp(webpChunk("VP8L", "these are no pixels"))],
  "two pictures": ["malformed", () => webp(canvas(16, 9), vp8(16, 9), vp8(16, 9))],
  "an animation": [
    "accepted",
    () => webp(canvas(16, 9), anmf(0, 0, 16, 9, vp8(16, 9)), anmf(2, 2, 14, 7, vp8l(14, 7))),
  ],
  "an animation without a canvas": ["malformed", () => webp(anmf(0, 0, 16, 9, vp8(16, 9)))],
  "a frame beyond its canvas": ["malformed", () => webp(canvas(16, 9), anmf(2, 0, 16, 9, vp8(16, 9)))],
  "a frame of another size": ["malformed", () => webp(canvas(16, 9), anmf(0, 0, 8, 9, vp8(16, 9)))],
  "frames of 100 megapixels together": [
    "too_many_pixels",
    () => webp(canvas(6000, 6000), ...Array.from({ length: 3 }, () => anmf(0, 0, 6000, 6000, vp8(6000, 6000)))),
  ],
});

// ---------------------------------------------------------------------------------------------------------------------
// HEIC
// ---------------------------------------------------------------------------------------------------------------------

const PIXELS = bytesOf(Array(64).fill(1));

/** A file with one item, as `mif1`: the brand that HEIC and AVIF share. */
function heic(type: string, width = 16, height = 9, brand = "mif1"): Bytes {
  const file = heicBox("ftyp", brand, [0, 0, 0, 0], "mif1heic");
  const at = file.length + heicMeta(type, width, height, 0, 0).length + 8;
  return bytesOf(file, heicMeta(type, width, height, at, PIXELS.length), heicBox("mdat", PIXELS));
}

/** A file whose picture is a grid of one row, drawn on so many pixels, of items of these types. */
function grid(
  tiles: readonly string[],
  { width = 32, height = 9, located = tiles.length, of = [] as number[], type = "grid" } = {},
): Bytes {
  const ids = tiles.map((_, n) => n + 2);
  const sources = of.length > 0 ? of : ids;
  const infe = (id: number, type: string) => heicBox("infe", [2, 0, 0, 0], [0, id], [0, 0], type, [0]);
  const layout = bytesOf([0, 1, 0, tiles.length - 1], uint32(width), uint32(height));
  const item = (id: number, method: number, at: number, size: number) =>
    bytesOf([0, id], [0, method], [0, 0], [0, 1], uint32(at), uint32(size));
  const meta = (at: number) =>
    heicBox(
      "meta",
      [0, 0, 0, 0],
      heicBox("hdlr", [0, 0, 0, 0], [0, 0, 0, 0], "pict", Array(13).fill(0)),
      heicBox("pitm", [0, 0, 0, 0], [0, 1]),
      heicBox("iinf", [0, 0, 0, 0], [0, 1 + tiles.length], infe(1, type), ...ids.map((id, n) => infe(id, tiles[n]!))),
      heicBox("iref", [0, 0, 0, 0], heicBox("dimg", [0, 1], [0, sources.length], sources.flatMap((id) => [0, id]))),
      heicBox(
        "iprp",
        heicBox("ipco", heicBox("ispe", [0, 0, 0, 0], uint32(16), uint32(9))),
        heicBox("ipma", [0, 0, 0, 0], uint32(tiles.length), ids.flatMap((id) => [0, id, 1, 1])),
      ),
      heicBox("idat", layout),
      heicBox(
        "iloc",
        [1, 0, 0, 0],
        [0x44, 0],
        [0, 1 + located],
        item(1, 1, 0, layout.length),
        ...ids.slice(0, located).map((id) => item(id, 0, at, PIXELS.length)),
      ),
    );
  const file = heicBox("ftyp", "heic", [0, 0, 0, 0], "mif1heic");
  return bytesOf(file, meta(file.length + meta(0).length + 8), heicBox("mdat", PIXELS));
}

table("image/heic", {
  "HEVC, by the brand heic": ["accepted", () => heic("hvc1", 16, 9, "heic")],
  "HEVC, by the brand mif1": ["accepted", () => heic("hvc1")],
  "AVIF that calls itself mif1": ["malformed", () => heic("av01")],
  "AVC that calls itself mif1": ["malformed", () => heic("avc1")],
  "a JPEG in boxes": ["malformed", () => heic("jpeg")],
  "a video that calls itself mif1": [
    "malformed",
    () => bytesOf(heicBox("ftyp", "mif1", [0, 0, 0, 0], "isom"), heicBox("moov", PIXELS), heicBox("mdat", PIXELS)),
  ],
  "0 × 0 pixels": ["malformed", () => heic("hvc1", 0, 0)],
  "65,536 × 65,536 pixels": ["too_many_pixels", () => heic("hvc1", 65_536, 65_536)],
  "2³²−1 pixels each way": ["too_many_pixels", () => heic("hvc1", 2 ** 32 - 1, 2 ** 32 - 1)],
  "a grid of HEVC": ["accepted", () => grid(["hvc1", "hvc1"])],
  "a grid of AVIF": ["malformed", () => grid(["av01", "av01"])],
  "a grid that has one tile of AVIF": ["malformed", () => grid(["hvc1", "av01"])],
  "a grid whose last tile is missing": ["malformed", () => grid(["hvc1", "hvc1"], { located: 1 })],
  "a grid of nothing": ["malformed", () => grid([])],
  "an identity of HEVC": ["accepted", () => grid(["hvc1"], { type: "iden" })],
  "an item of no known type that is made of HEVC": ["malformed", () => grid(["hvc1"], { type: "abcd" })],
  "a grid of itself": ["malformed", () => grid(["hvc1"], { of: [1] })],
  "a grid of a number that no item has": ["malformed", () => grid(["hvc1"], { of: [2, 7] })],
  "a grid that is drawn on too many pixels": [
    "too_many_pixels",
    () => grid(["hvc1"], { width: 65_536, height: 65_536 }),
  ],
  "a grid that is drawn on nothing": ["malformed", () => grid(["hvc1"], { width: 0 })],
  "the same pixels a hundred times": [
    "malformed",
    () => grid(Array(100).fill("hvc1")), // 6,400 bytes of pixels from 64
  ],
});

Deno.test("picture: a complete picture of each type has fewer parts than the bound", async () => {
  for (const type of ["image/jpeg", "image/png", "image/webp", "image/heic"] as const) {
    assert.equal(await verdict(picture(type, TEN_MIB), type), "accepted", type);
  }
});
