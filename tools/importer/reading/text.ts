import { ImportFailure } from "../../../supabase/functions/_shared/import/failure.ts";

export const ENCODINGS = ["utf-8", "shift_jis", "euc-jp", "utf-16le"] as const;
export type Encoding = typeof ENCODINGS[number];

const CHUNK_BYTES = 1 << 18;
/** Enough of the last chunk to find the place where a decoder stood. */
const BYTES_TO_RESUME = 64;

async function* chunksOf(path: string): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  using file = await Deno.open(path, { read: true });
  while (true) {
    const buffer = new Uint8Array(CHUNK_BYTES);
    const length = await file.read(buffer);
    if (length === null) return;
    yield buffer.subarray(0, length);
  }
}

/** Where a strict decoder first stumbles in `bytes`, found by bisection; `before` are the bytes that it had just read. */
function firstBadByte(encoding: Encoding, before: Uint8Array, bytes: Uint8Array): number {
  const reads = (start: Uint8Array, length: number): boolean => {
    const decoder = new TextDecoder(encoding, { fatal: true });
    try {
      decoder.decode(start, { stream: true });
      decoder.decode(bytes.subarray(0, length), { stream: true });
      return true;
    } catch (error) {
      if (error instanceof TypeError) return false;
      throw error;
    }
  };
  // What is left of the earlier bytes may begin inside a character; none is longer than four bytes.
  const start = [0, 1, 2, 3].map((skip) => before.subarray(skip)).find((candidate) => reads(candidate, 0));
  const decodes = (length: number) => reads(start ?? new Uint8Array(0), length);
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (decodes(middle)) good = middle;
    else bad = middle;
  }
  return good;
}

export class BadBytes extends ImportFailure {
  constructor(readonly encoding: Encoding, readonly offset: number) {
    super(
      `The byte at offset ${offset} is not ${encoding}; say what the file is with --encoding (${
        ENCODINGS.join(", ")
      }).`,
    );
  }
}

/** The text of a file, decoded strictly and without its byte order mark: a replacement character would be invented data. */
export async function* textOf(path: string, encoding: Encoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  let before = new Uint8Array(0);
  let offset = 0;
  const decode = (bytes: Uint8Array<ArrayBuffer>, stream: boolean): string => {
    try {
      return decoder.decode(bytes, { stream });
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw new BadBytes(encoding, offset + firstBadByte(encoding, before, bytes));
    }
  };
  for await (const bytes of chunksOf(path)) {
    yield decode(bytes, true);
    before = bytes.slice(-BYTES_TO_RESUME);
    offset += bytes.length;
  }
  yield decode(new Uint8Array(0), false);
}

async function decodes(path: string, encoding: Encoding): Promise<boolean> {
  try {
    for await (const _ of textOf(path, encoding));
    return true;
  } catch (error) {
    if (error instanceof BadBytes) return false;
    throw error;
  }
}

/** UTF-8 unless the bytes forbid it, then Shift_JIS: real Shift_JIS text is practically never valid UTF-8. */
export async function detectEncoding(path: string): Promise<Encoding> {
  const start = await firstBytes(path, 2);
  if (start[0] === 0xff && start[1] === 0xfe) return "utf-16le";
  for (const encoding of ["utf-8", "shift_jis"] as const) {
    if (await decodes(path, encoding)) return encoding;
  }
  throw new ImportFailure("The file is neither UTF-8 nor Shift_JIS; say what it is with --encoding.");
}

export async function firstBytes(path: string, count: number): Promise<Uint8Array> {
  for await (const bytes of chunksOf(path)) return bytes.subarray(0, count);
  return new Uint8Array(0);
}
