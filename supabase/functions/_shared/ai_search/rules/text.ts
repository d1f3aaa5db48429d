/** Normalises the notation: width, spaces, dashes, thousands separators, numbers in words. */
import { englishNumbers } from "./english_numbers.ts";
import { japaneseNumbers } from "./japanese_numbers.ts";

/** Invisible characters, characters that control the text direction, and the scanner's own marks. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\uFE0F]/gu;
const WHITE = /[\p{Z}\t\n\r\v\f]/gu;

const REPLACED: readonly (readonly [RegExp, string])[] = [
  [/[‐‑‒–—―−﹣]/gu, "-"],
  [/(?<=\d ?|時|分)[ー一](?= ?\d)/gu, "-"],
  [/[〜∼˜⁓]/gu, "~"],
  [/[’‘′`´]/gu, "'"],
  [/[”“″]/gu, '"'],
  [/[、，､]/gu, "、"],
  [/[。｡]/gu, "。"],
  [/(?<=\d|noon|midnight) ?-?ish(?![a-z])/giu, ""],
  [/#(?=[^\d])/gu, " "],
  [/ ?@ ?/gu, " at "],
  [/:{2,3}/gu, ":"],
  [/(?<=\d),(?=\d{3}(?!\d))/gu, ""],
  [/(?<=\d)\.(?=000(?!\d))(?=000 ?(?:円|yen))/giu, ""],
];

/** The text in one width, without invisible characters, with single spaces, and with digits for numbers that count. */
export function normalise(raw: string): string {
  let text = raw.normalize("NFKC").replace(WHITE, " ").replace(UNSEEN, "");
  for (const [pattern, replacement] of REPLACED) text = text.replace(pattern, replacement);
  text = text.split(" ").filter((word) => word !== "").join(" ");
  return englishNumbers(japaneseNumbers(text));
}
