/** How the name of a lot is read, for readers without Japanese. */
import { toRomaji } from "wanakana";

/**
 * A reading in kana in Latin letters, as the signs of stations and roads have them: without long vowels, each word with a
 * capital letter: `Chiyodaekimae Chushajo`.
 */
export function reading(kana: string): string {
  return toRomaji(kana.normalize("NFKC"))
    .replace(/([aiue])\1/g, "$1")
    .replace(/o[ou]+/g, "o")
    .replace(/(^|[\s\u30fb])(\p{Ll})/gu, (_, before: string, letter: string) => before + letter.toUpperCase());
}
