/** JPEG: segments, each with a marker and its length, and scans of coded pixels. */
import { EXIF_MARKER, orientationOnly } from "./exif.ts";
import { ascii, type Bytes, expect, Reader, Refused, Writer } from "./parts.ts";

const END = 0xd9;
const SCAN = 0xda;
/** Start of frame, but those of lossless hierarchies. */
const FRAMES = [0xc0, 0xc1, 0xc2, 0xc3, 0xc9, 0xca, 0xcb];
/** Tables, restart interval, number of lines. */
const TABLES = [0xc4, 0xcc, 0xdb, 0xdc, 0xdd];
const JFIF_BYTES = 14;
const ADOBE_BYTES = 12;

/** Each scan of a progressive picture is drawn over all of it. Encoders write about ten. */
const MAX_SCANS = 100;

export function rebuildJpeg(bytes: Bytes): Bytes {
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
  let [at, hasFrame, scans] = [2, false, 0];
  for (;;) {
    reader.countPart();
    expect(reader.number(at, 1) === 0xff);
    while (bytes[at + 1] === 0xff) at++; // fill bytes
    const marker = reader.number(at + 1, 1);
    if (marker === END) break;
    expect(marker >= 0xc0 && (marker < 0xd0 || marker > 0xd8));
    const [from, to] = [at + 4, at + 2 + reader.number(at + 2, 2)];
    const payload = reader.slice(from, to);
    const begins = (text: string) => payload.length >= text.length && reader.text(from, text.length) === text;
    let next = to;
    if (marker === SCAN) {
      expect(hasFrame && ++scans <= MAX_SCANS);
      next = endOfScan(reader, to);
      out.push(reader.slice(at, next));
    } else if (FRAMES.includes(marker)) {
      expect(!hasFrame);
      hasFrame = true;
      checkFrame(reader, from, payload.length);
      out.push(reader.slice(at, to));
    } else if (TABLES.includes(marker)) {
      out.push(reader.slice(at, to));
    } else if (marker === 0xe0 && begins("JFIF\0") && payload.length >= JFIF_BYTES) {
      once(marker, [...payload.subarray(0, JFIF_BYTES - 2), 0, 0]); // without its thumbnail
    } else if (marker === 0xe1 && begins(EXIF_MARKER)) {
      const exif = kept.has(marker) ? null : orientationOnly(payload);
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
  expect(scans > 0);
  out.push([0xff, END]);
  return out.finish();
}

/** The header of a frame: bits of a sample, height, width, and three bytes for each of 1 to 4 components. */
function checkFrame(reader: Reader, at: number, length: number): void {
  expect(length >= 6);
  const components = reader.number(at + 5, 1);
  expect(components >= 1 && components <= 4 && length === 6 + 3 * components);
  reader.countPixels(reader.number(at + 3, 2), reader.number(at + 1, 2));
}

/** Position of the next marker after coded pixels. In them 0xff is followed by 0 or a restart marker. */
function endOfScan({ bytes }: Reader, from: number): number {
  for (let at = from; at + 1 < bytes.length; at++) {
    if (bytes[at] !== 0xff) continue;
    const next = bytes[at + 1]!;
    if (next === 0 || next === 0xff || next >= 0xd0 && next <= 0xd7) continue;
    expect(at > from);
    return at;
  }
  throw new Refused("malformed");
}
