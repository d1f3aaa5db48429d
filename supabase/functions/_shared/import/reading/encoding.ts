import { ImportFailure } from "../failure.ts";

export const ENCODINGS = [
  "utf-8",
  "shift_jis",
  "euc-jp",
  "iso-2022-jp",
  "utf-16le",
  "utf-16be",
  "windows-1252",
] as const;
export type Encoding = typeof ENCODINGS[number];

/** Reads the bytes of a file from its start, in pieces, as often as it is called. */
export type Chunks = () => AsyncIterable<Uint8Array<ArrayBuffer>>;

/** Enough of the last chunk to find the place where a decoder stood. */
const BYTES_TO_RESUME = 64;

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
    super(`The byte at offset ${offset} is not ${encoding}: the file is broken there, or has another encoding.`);
  }
}

/** A person has to choose between the candidates, the likely ones first. */
export class UnsureEncoding extends ImportFailure {
  constructor(readonly candidates: readonly Encoding[]) {
    super(
      candidates.length === 0
        ? "The file is in none of the known encodings."
        : `The file is not UTF-8: it may be ${
          candidates.slice(0, 2).join(" or ")
        }. Name its encoding with --encoding or in the mapping.`,
    );
  }
}

/** The text of a file, decoded strictly and without its byte order mark: a replacement character would be invented data. */
export async function* textOf(chunks: Chunks, encoding: Encoding): AsyncGenerator<string> {
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
  for await (const bytes of chunks()) {
    yield decode(bytes, true);
    before = bytes.slice(-BYTES_TO_RESUME);
    offset += bytes.length;
  }
  yield decode(new Uint8Array(0), false);
}

async function decodes(chunks: Chunks, encoding: Encoding): Promise<boolean> {
  try {
    for await (const _ of textOf(chunks, encoding));
    return true;
  } catch (error) {
    if (error instanceof BadBytes) return false;
    throw error;
  }
}

/** Byte order marks, the longest first; that of UTF-32 begins with another one. */
const MARKS: readonly (readonly [readonly number[], Encoding | undefined])[] = [
  [[0xff, 0xfe, 0, 0], undefined],
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
export async function detectEncoding(chunks: Chunks): Promise<Encoding> {
  const start = await firstBytes(chunks, LOOKED_AT);
  for (const [mark, encoding] of MARKS) {
    if (!mark.every((byte, n) => start[n] === byte)) continue;
    if (encoding === undefined) throw new UnsureEncoding([]);
    return encoding;
  }
  const halves = emptyHalves(start);
  if (halves.length > 0) throw new UnsureEncoding(halves);
  if (await decodes(chunks, "utf-8")) {
    const text = await beginning(chunks, "utf-8");
    return JIS_ESCAPES.some((escape) => text.includes(escape)) ? "iso-2022-jp" : "utf-8";
  }
  const likely: Encoding[] = [], possible: Encoding[] = [];
  for (const [encoding, isText] of OTHERS) {
    if (!await decodes(chunks, encoding)) continue;
    const text = await beginning(chunks, encoding);
    if (isText(text)) likely.push(encoding);
    else if (encoding !== "windows-1252" || !CONTROL.test(text)) possible.push(encoding); // it decodes any bytes
  }
  if (likely[0] === "shift_jis" && likely.length === 1) return "shift_jis";
  throw new UnsureEncoding([...likely, ...possible]);
}

/** One byte of ten is empty, on one side: UTF-16 without a mark, in which each half of ASCII is. */
function emptyHalves(bytes: Uint8Array): readonly Encoding[] {
  const empty = [0, 0];
  bytes.forEach((byte, n) => byte === 0 && empty[n % 2]!++);
  const [even, odd] = empty as [number, number];
  if (even + odd < bytes.length / 10) return [];
  return even < odd / 10 ? ["utf-16le", "utf-16be"] : odd < even / 10 ? ["utf-16be", "utf-16le"] : [];
}

async function beginning(chunks: Chunks, encoding: Encoding): Promise<string> {
  let text = "";
  for await (const chunk of textOf(chunks, encoding)) if ((text += chunk).length >= LOOKED_AT) break;
  return text.slice(0, LOOKED_AT);
}

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;
const CONTROL = /[\x80-\x9f]/;
/** Never with the flag i, with which \P{ASCII} matches k and s: capitals of theirs are beyond ASCII. */
const BEYOND_ASCII = /\P{ASCII}/gu;
/** No text has these, or has them there: a lone letter in a Latin word, lone katakana of half width beside an ideograph. */
const NOT_JAPANESE = [
  /[\p{Co}\x80-\x9f]/gu,
  /(?<=[A-Za-z])\P{ASCII}(?!\P{ASCII})|(?<!\P{ASCII})\P{ASCII}(?=[A-Za-z])/gu,
  /(?<=\p{sc=Han})[\uff61-\uff9f](?![\uff61-\uff9f\u3040-\u30ff])|(?<![\uff61-\uff9f\u3040-\u30ff])[\uff61-\uff9f](?=\p{sc=Han})/gu,
];
/** One or two letters with accents, beside a letter without. */
const LATIN = /(?<=[A-Za-z])[À-ÖØ-öø-ÿŒœŠšŽž]{1,2}(?!\P{ASCII})|(?<!\P{ASCII})[À-ÖØ-öø-ÿŒœŠšŽž]{1,2}(?=[A-Za-z])/gu;

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

export async function firstBytes(chunks: Chunks, count: number): Promise<Uint8Array> {
  for await (const bytes of chunks()) return bytes.subarray(0, count);
  return new Uint8Array(0);
}
