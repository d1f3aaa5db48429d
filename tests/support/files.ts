// Files to upload: pictures of each type, of any size, that are complete but show noise; and those of a camera.

export type ImageType = "image/jpeg" | "image/png" | "image/webp" | "image/heic";
type Bytes = Uint8Array<ArrayBuffer>;

const bytesOf = (...parts: (string | number[] | Uint8Array)[]): Bytes =>
  new Uint8Array(
    parts.flatMap((part) => typeof part === "string" ? [...part].map((letter) => letter.charCodeAt(0)) : [...part]),
  );
const uint32 = (value: number, littleEndian = false): number[] => {
  const bytes = [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
  return littleEndian ? bytes.reverse() : bytes;
};

/** Random bytes without 0xff, which has a meaning in JPEG. */
function noise(size: number): Bytes {
  const bytes = new Uint8Array(size);
  for (let from = 0; from < size; from += 65_536) crypto.getRandomValues(bytes.subarray(from, from + 65_536));
  return bytes.map((byte) => byte === 255 ? 0 : byte);
}

export const pngChunk = (type: string, data: string | Uint8Array): Bytes =>
  bytesOf(uint32(data.length), type, bytesOf(data), [0, 0, 0, 0]);
export const webpChunk = (type: string, data: string | Uint8Array): Bytes =>
  bytesOf(type, uint32(data.length, true), bytesOf(data), data.length % 2 === 0 ? [] : [0]);
export const heicBox = (type: string, ...parts: (string | number[] | Uint8Array)[]): Bytes => {
  const body = bytesOf(...parts);
  return bytesOf(uint32(body.length + 8), type, body);
};

/** What stands before the noise, given its length, and what stands after it. */
const FRAMES: Record<ImageType, { before: (noise: number) => Bytes; after: Bytes }> = {
  "image/jpeg": {
    before: () =>
      bytesOf([0xff, 0xd8], [0xff, 0xc0, 0, 11, 8, 0, 1, 0, 1, 1, 1, 0x11, 0], [0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0]),
    after: bytesOf([0xff, 0xd9]),
  },
  "image/png": {
    before: (size) =>
      bytesOf(
        "\x89PNG\r\n\x1a\n",
        pngChunk("IHDR", bytesOf(uint32(1), uint32(1), [8, 0, 0, 0, 0])),
        uint32(size),
        "IDAT",
      ),
    after: bytesOf([0, 0, 0, 0], pngChunk("IEND", "")),
  },
  "image/webp": {
    before: (size) => bytesOf("RIFF", uint32(size + 12, true), "WEBPVP8 ", uint32(size, true)),
    after: bytesOf(),
  },
  "image/heic": {
    before: (size) => {
      const file = heicBox("ftyp", "heic", [0, 0, 0, 0], "mif1heic");
      const meta = (at: number) =>
        heicBox(
          "meta",
          [0, 0, 0, 0],
          heicBox("hdlr", [0, 0, 0, 0], [0, 0, 0, 0], "pict", Array(13).fill(0)),
          heicBox("pitm", [0, 0, 0, 0], [0, 1]),
          heicBox("iinf", [0, 0, 0, 0], [0, 1], heicBox("infe", [2, 0, 0, 0], [0, 1], [0, 0], "hvc1", [0])),
          heicBox("iloc", [0, 0, 0, 0], [0x44, 0], [0, 1], [0, 1], [0, 0], [0, 1], uint32(at), uint32(size)),
        );
      const begin = file.length + meta(0).length + 8;
      return bytesOf(file, meta(begin), uint32(size + 8), "mdat");
    },
    after: bytesOf(),
  },
};

export const IMAGE_TYPES = Object.keys(FRAMES) as ImageType[];

/** A complete picture without metadata, of so many bytes, filled with noise. WebP has an even number of bytes. */
export function picture(type: ImageType, size = 200): Bytes {
  const { before, after } = FRAMES[type];
  const filled = size - before(0).length - after.length;
  const file = new Uint8Array(size);
  file.set(before(filled));
  file.set(noise(filled), before(0).length);
  file.set(after, size - after.length);
  return file;
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
