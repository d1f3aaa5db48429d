/** EXIF: of everything that it says about the camera and its place, the orientation is kept. */
import { ascii, type Bytes, expect, Reader, Refused } from "./parts.ts";

const ORIENTATION_TAG = 0x0112;
const SHORT = 3;

/** Entries of the first directory. Cameras write fewer than twenty. */
const MAX_ENTRIES = 1000;

/** EXIF may begin with a marker, which is not part of it. */
export const EXIF_MARKER = "Exif\0\0";

/** EXIF with the orientation alone. Null if the EXIF has none or the usual one, or is too short to be replaced. */
export function orientationOnly(payload: Bytes): Bytes | null {
  const exif = withoutMarker(payload);
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
    if (error instanceof Refused) return null; // the picture is complete without its EXIF
    throw error;
  }
}

function orientationOf(exif: Reader): number {
  const order = exif.text(0, 2);
  expect(order === "II" || order === "MM");
  const little = order === "II";
  const directory = exif.number(4, 4, little);
  const entries = exif.number(directory, 2, little);
  expect(entries <= MAX_ENTRIES);
  for (let n = 0; n < entries; n++) {
    const entry = directory + 2 + 12 * n;
    if (exif.number(entry, 2, little) !== ORIENTATION_TAG) continue;
    return exif.number(entry + 2, 2, little) === SHORT ? exif.number(entry + 8, 2, little) : 1;
  }
  return 1;
}

function withoutMarker(exif: Bytes): Bytes {
  return ascii(EXIF_MARKER).every((byte, n) => exif[n] === byte) ? exif.subarray(EXIF_MARKER.length) : exif;
}
