/** Reading the parts of a picture within bounds, and collecting those that are kept. */

export type Bytes = Uint8Array<ArrayBuffer>;

/** Why a file is no picture that the service takes. */
export type Problem = "malformed" | "too_many_parts" | "too_many_pixels";

export class Refused extends Error {
  constructor(readonly problem: Problem) {
    super(problem);
  }
}

export function expect(condition: boolean, problem: Problem = "malformed"): asserts condition {
  if (!condition) throw new Refused(problem);
}

/**
 * Chunks, segments, boxes, items and references of one file. Cameras write fewer than a thousand, encoders of large PNG
 * files 1,300 in 10 MiB. The bound holds before any work on a part, so that 10 MiB of the smallest parts cost no more
 * than a photo.
 */
export const MAX_PARTS = 8192;

/** Pixels of all frames of a file together, and of the area that they are drawn on. Whoever shows it needs 4 bytes each. */
export const MAX_PIXELS = 100_000_000;

/** Numbers and texts of a file. Reading outside of it is refused. */
export class Reader {
  readonly #view: DataView;
  #parts = 0;
  #pixels = 0;

  constructor(readonly bytes: Bytes) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get length(): number {
    return this.bytes.length;
  }

  /** Counts one more part, before it is read. */
  countPart(): void {
    expect(++this.#parts <= MAX_PARTS, "too_many_parts");
  }

  /** Counts the pixels of one more frame. */
  countPixels(width: number, height: number): void {
    checkArea(width, height);
    this.#pixels += width * height;
    expect(this.#pixels <= MAX_PIXELS, "too_many_pixels");
  }

  /** An unsigned number of 0, 1, 2, 3, 4 or 8 bytes. */
  number(at: number, size: number, littleEndian = false): number {
    expect(at >= 0 && at + size <= this.length);
    if (size === 0) return 0;
    if (size === 1) return this.#view.getUint8(at);
    if (size === 2) return this.#view.getUint16(at, littleEndian);
    if (size === 3) {
      const [low, high] = littleEndian ? [at, at + 2] : [at + 1, at];
      return this.#view.getUint16(low, littleEndian) + 65536 * this.#view.getUint8(high);
    }
    if (size === 4) return this.#view.getUint32(at, littleEndian);
    expect(size === 8);
    const value = this.#view.getBigUint64(at, littleEndian);
    expect(value <= BigInt(Number.MAX_SAFE_INTEGER));
    return Number(value);
  }

  /** A short text: the name of a part. */
  text(at: number, size: number): string {
    return String.fromCharCode(...this.slice(at, at + size));
  }

  slice(from: number, to: number): Bytes {
    expect(from >= 0 && from <= to && to <= this.length);
    return this.bytes.subarray(from, to);
  }
}

/** Checks the size of an area that frames are drawn on. */
export function checkArea(width: number, height: number): void {
  expect(width > 0 && height > 0);
  expect(width * height <= MAX_PIXELS, "too_many_pixels");
}

/** Collects the parts of a picture. */
export class Writer {
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

export const ascii = (text: string): number[] => [...text].map((letter) => letter.charCodeAt(0));
