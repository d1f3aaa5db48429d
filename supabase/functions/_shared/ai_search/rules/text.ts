/** Normalises the notation: width, spaces, dashes, thousands separators, numbers in words. */
import { englishNumbers } from "./english_numbers.ts";
import { japaneseNumbers } from "./japanese_numbers.ts";

/** Invisible characters, characters that control the text direction, and the scanner's own marks. */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\uFE0F]/gu;
export const WHITE_SPACE = /[\p{Z}\t\n\r\v\f]/gu;

/** Pictures separate words, and mean nothing else. */
const PICTURES = /[\p{Extended_Pictographic}\u{1F3FB}-\u{1F3FF}\u{1F1E6}-\u{1F1FF}\u20E3]/gu;

const REPLACED: readonly (readonly [RegExp, string])[] = [
  [/[‐‑‒–—―−﹣]/gu, "-"],
  [/(?<=\d ?|時|分)[ー一](?= ?\d)/gu, "-"],
  [/[〜∼˜⁓]/gu, "~"],
  [/[’‘′`´]/gu, "'"],
  [/[”“″]/gu, '"'],
  [/[、，､]/gu, "、"],
  [/[。｡]/gu, "。"],
  [/(?<=\d(?: ?[ap]m)?|noon|midnight) ?-?ish(?![a-z])/giu, ""],
  [/(?<![a-z])'?til(?![a-z])/giu, "till"],
  [/(?:さ来|翌々)(?=週|月)/gu, "再来"],
  [/次の?週(?!末)/gu, "翌週"],
  [/(?<=[一-龠々ァ-ヶー])んとこ(?:ろ)?/gu, "の近く"],
  [/(?<![\p{L}\d])(?:u[hm]m?|erm?|hmm)(?![\p{L}\d]),?/giu, " "],
  [
    /(?<=(?<![\p{L}])(?:from|at|until|till|to|by|around|about|for|between|and|under) )(?:like|say|maybe),? (?=\d|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half|noon|midnight|quarter)(?![a-z]))/giu,
    "",
  ],
  [/(?<![\d/])(\d{1,2}) 1\/2(?= ?(?:hours?|hrs?)(?![a-z]))/giu, "$1.5"],
  [/(?<![\d/])1\/2(?: an?)?(?= ?(?:hours?|hrs?)(?![a-z]))/giu, "0.5"],
  [/#(?=[^\d])/gu, " "],
  [/(?<=(?<![a-z])(?:from|at|until|till?) )(\d{1,2})h([0-5]\d)(?![a-z\d])/giu, "$1:$2"],
  [/(?<=(?<![a-z])(?:from|at|until|till?) )(\d{1,2})h(?![a-z\d])/giu, "$1:00"],
  [/ ?@ ?(?=[ぁ-んァ-ヶ一-龠])/gu, " "],
  [/ ?(?<!\/)@ ?/gu, " at "],
  [/ ?[<≤]=? ?(?=¥? ?\d{3,6}(?![\d;]))/gu, " under "],
  [/:{2,3}/gu, ":"],
  [/(?<=\d),(?=\d{3}(?!\d|\.\d{2}))/gu, ""],
  [/(?<=\d)\.(?=000(?!\d))(?=000 ?(?:円|yen))/giu, ""],
];

const FRACTIONS: Readonly<Record<string, string>> = { "¼": ".25", "½": ".5", "¾": ".75" };

/** The text in one width, without invisible characters, with single spaces, and with digits for numbers that count. */
export function normalise(raw: string): string {
  const decimals = (_: string, whole: string | undefined, part: string) => `${whole ?? 0}${FRACTIONS[part]}`;
  let text = raw.replace(/(?:(\d) ?)?([¼½¾])/gu, decimals).normalize("NFKC");
  text = text.replace(WHITE_SPACE, " ").replace(PICTURES, " ").replace(INVISIBLE, "");
  for (const [pattern, replacement] of REPLACED) text = text.replace(pattern, replacement);
  text = text.split(" ").filter((word) => word !== "").join(" ");
  return englishNumbers(japaneseNumbers(text));
}
