// The forms in which texts of files are read.

/** Normalised text: trimmed, with each run of white space (including the ideographic space) as one space. */
export function normalizeSpace(text: string): string {
  return text.replace(/[\s\u3000]+/gu, " ").trim();
}

/**
 * Digits, signs and letters in half width, for parsing numbers, times and codes. A raised or circled digit stays: behind a
 * number it is the mark of a note, and 210² is neither 2102 nor a square.
 */
export function narrow(text: string): string {
  return normalizeSpace(text.replace(/\P{No}+/gu, (part) => part.normalize("NFKC")));
}

/** Normalises a header name: width and outer spaces are ignored, so `ＮＯ ` equals `NO`. */
export function headerName(raw: string): string {
  return raw.normalize("NFKC").trim();
}
