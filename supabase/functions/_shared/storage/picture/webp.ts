/** WebP: chunks of a RIFF file, each with its type and length; a frame of an animation has chunks of its own. */
import { orientationOnly } from "./exif.ts";
import { ascii, type Bytes, checkArea, expect, Reader, Writer } from "./parts.ts";

const HEADER_BYTES = 12;
const FRAME_HEADER_BYTES = 16;
const CHUNKS = new Set(["VP8X", "VP8 ", "VP8L", "ALPH", "ANIM", "ANMF", "ICCP", "EXIF"]);
const FRAME_CHUNKS = new Set(["VP8 ", "VP8L", "ALPH"]);
const [EXIF_FLAG, XMP_FLAG] = [0x08, 0x04];

interface Area {
  readonly width: number;
  readonly height: number;
}

export function rebuildWebp(bytes: Bytes): Bytes {
  const reader = new Reader(bytes);
  const out = new Writer(bytes.length);
  out.push(reader.slice(0, HEADER_BYTES));
  const end = 8 + reader.number(4, 4, true);
  const seen = copyChunks(reader, HEADER_BYTES, end, CHUNKS, out);
  expect(seen.has("VP8 ") || seen.has("VP8L") || seen.has("ANMF"));
  out.setUint32(4, out.length - 8, true);
  const flags = seen.get("VP8X");
  if (flags !== undefined) {
    out.changeByte(flags, (value) => value & ~(EXIF_FLAG | XMP_FLAG) | (seen.has("EXIF") ? EXIF_FLAG : 0));
  }
  return out.finish();
}

/**
 * Copies the chunks on the list, and returns where the data of each type begin in the copy. `area` is that of the frame
 * to which the chunks belong.
 */
function copyChunks(
  reader: Reader,
  from: number,
  end: number,
  types: ReadonlySet<string>,
  out: Writer,
  area: Area | null = null,
): Map<string, number> {
  const written = new Map<string, number>();
  let canvas = area;
  expect(end <= reader.length);
  for (let at = from; at < end;) {
    reader.countPart();
    const type = reader.text(at, 4);
    const size = reader.number(at + 4, 4, true);
    const [body, next] = [at + 8, at + 8 + size + size % 2];
    const data = reader.slice(body, body + size);
    expect(next <= end);
    const begin = out.length + 8;
    const begun = () => {
      out.push(ascii(type));
      out.push([0, 0, 0, 0]);
      written.set(type, begin);
    };
    if (type === "ANMF" && types.has(type)) {
      begun();
      expect(size >= FRAME_HEADER_BYTES && canvas !== null);
      const frame = areaAt(reader, body + 6);
      expect(2 * reader.number(body, 3, true) + frame.width <= canvas.width);
      expect(2 * reader.number(body + 3, 3, true) + frame.height <= canvas.height);
      out.push(data.subarray(0, FRAME_HEADER_BYTES));
      const parts = copyChunks(reader, body + FRAME_HEADER_BYTES, body + size, FRAME_CHUNKS, out, frame);
      expect(parts.has("VP8 ") || parts.has("VP8L"));
    } else if (type === "EXIF" && types.has(type)) {
      const exif = written.has("VP8X") && !written.has(type) ? orientationOnly(data) : null;
      if (exif !== null) {
        begun();
        out.push(exif);
      }
    } else if (types.has(type)) {
      if (type === "VP8X") {
        expect(written.size === 0 && size >= 10);
        canvas = areaAt(reader, body + 4);
        checkArea(canvas.width, canvas.height);
      } else if (type === "VP8 " || type === "VP8L") {
        expect(!written.has("VP8 ") && !written.has("VP8L"));
        const { width, height } = type === "VP8 " ? lossyArea(reader, body, size) : losslessArea(reader, body, size);
        expect(canvas === null || width === canvas.width && height === canvas.height);
        reader.countPixels(width, height);
      }
      begun();
      out.push(data);
    }
    if (out.length >= begin) {
      out.setUint32(begin - 4, out.length - begin, true);
      if ((out.length - begin) % 2 === 1) out.push([0]);
    }
    at = next;
  }
  return written;
}

/** Width and height, each less one in three bytes. */
function areaAt(reader: Reader, at: number): Area {
  return { width: 1 + reader.number(at, 3, true), height: 1 + reader.number(at + 3, 3, true) };
}

/** Of a key frame of VP8: three bytes of flags, a start code, and 14 bits each. */
function lossyArea(reader: Reader, at: number, size: number): Area {
  expect(size >= 10 && (reader.number(at, 1) & 1) === 0 && reader.number(at + 3, 3) === 0x9d012a);
  return { width: reader.number(at + 6, 2, true) & 0x3fff, height: reader.number(at + 8, 2, true) & 0x3fff };
}

/** Of VP8L: a signature, 14 bits each, less one, and the version, which is 0. */
function losslessArea(reader: Reader, at: number, size: number): Area {
  expect(size >= 5 && reader.number(at, 1) === 0x2f);
  const bits = reader.number(at + 1, 4, true);
  expect(bits >>> 29 === 0);
  return { width: 1 + (bits & 0x3fff), height: 1 + (bits >>> 14 & 0x3fff) };
}
