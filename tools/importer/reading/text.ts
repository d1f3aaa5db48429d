import { ImportFailure } from "../../../supabase/functions/_shared/import/failure.ts";

import { type Encoding, ENCODINGS } from "../../../supabase/functions/_shared/import/definition.ts";

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

/** Byte order marks, the longest first. */
const MARKS: readonly (readonly [readonly number[], Encoding])[] = [
  [[0xef, 0xbb, 0xbf], "utf-8"],
  [[0xff, 0xfe], "utf-16le"],
  [[0xfe, 0xff], "utf-16be"],
];
/** How ISO-2022-JP, whose bytes are all ASCII, begins a run of Japanese. */
const JIS_ESCAPES = ["\x1b$@", "\x1b$B", "\x1b(J", "\x1b(I"];
/** So many characters of a file show what kind of text it is. */
const LOOKED_AT = 1 << 20;

/** What a file that is not UTF-8 may be, and whether a text in it looks like one. */
const OTHERS: readonly (readonly [Encoding, (text: string) => boolean])[] = [
  ["shift_jis", isJapanese],
  ["windows-1252", isLatin],
  ["euc-jp", isJapanese],
];

/**
 * The encoding by a byte order mark, by escapes of ISO-2022-JP, else UTF-8 if the bytes are, else Shift_JIS if they are, make
 * Japanese, and no other encoding makes a text of them. Otherwise a person has to say it.
 */
export async function detectEncoding(path: string): Promise<Encoding> {
  const start = await firstBytes(path, 3);
  for (const [mark, encoding] of MARKS) if (mark.every((byte, n) => start[n] === byte)) return encoding;
  if (await decodes(path, "utf-8")) {
    const text = await beginning(path, "utf-8");
    return JIS_ESCAPES.some((escape) => text.includes(escape)) ? "iso-2022-jp" : "utf-8";
  }
  const likely: Encoding[] = [], possible: Encoding[] = [];
  for (const [encoding, isText] of OTHERS) {
    if (!await decodes(path, encoding)) continue;
    if (isText(await beginning(path, encoding))) likely.push(encoding);
    else if (encoding !== "windows-1252") possible.push(encoding); // in which any bytes are letters
  }
  if (likely[0] === "shift_jis" && likely.length === 1) return "shift_jis";
  const [one, other] = [...likely, ...possible];
  const named = one === undefined ? "in none of the known encodings" : other === undefined ? one : `${one} or ${other}`;
  throw new ImportFailure(
    `The file is not UTF-8: it may be ${named}. Name its encoding with --encoding or in the mapping.`,
  );
}

async function beginning(path: string, encoding: Encoding): Promise<string> {
  let text = "";
  for await (const chunk of textOf(path, encoding)) if ((text += chunk).length >= LOOKED_AT) break;
  return text.slice(0, LOOKED_AT);
}

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;
const BEYOND_ASCII = /\P{ASCII}/gu;
/** No text has these, or has them there: a lone ideograph in a Latin word, lone katakana of half width after an ideograph. */
const NOT_JAPANESE = [
  /[\p{Co}\x80-\x9f]/gu,
  /(?<=[a-z])[\p{sc=Han}\uff61-\uff9f](?!\P{ASCII})|(?<!\P{ASCII})[\p{sc=Han}\uff61-\uff9f](?=[a-z])/gu,
  /(?<=\p{sc=Han})[\uff61-\uff9f](?![\uff61-\uff9f\u3040-\u30ff])/gu,
];
/** One or two letters with accents, beside a letter without. */
const LATIN = /(?<=[a-z])[À-ÖØ-öø-ÿŒœŠšŽž]{1,2}(?!\P{ASCII})|(?<!\P{ASCII})[À-ÖØ-öø-ÿŒœŠšŽž]{1,2}(?=[a-z])/gui;

/** One letter in ten may be odd: a file has abbreviations and errors. */
function isJapanese(text: string): boolean {
  const letters = countOf(text, BEYOND_ASCII);
  const odd = NOT_JAPANESE.reduce((sum, pattern) => sum + countOf(text, pattern), 0);
  return odd <= letters / 10 && countOf(text, /[\uff61-\uff9f]/gu) <= letters / 2;
}

function isLatin(text: string): boolean {
  const letters = text.match(LATIN)?.join("").length ?? 0;
  return letters >= countOf(text, BEYOND_ASCII) * 0.8;
}

export async function firstBytes(path: string, count: number): Promise<Uint8Array> {
  for await (const bytes of chunksOf(path)) return bytes.subarray(0, count);
  return new Uint8Array(0);
}
