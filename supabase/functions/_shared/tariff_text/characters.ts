/** The text in one width, with the place in the original of every character. */
import { INVISIBLE, WHITE_SPACE } from "../ai_search/rules/text.ts";

export interface Characters {
  readonly text: string;
  /** For each position of `text`, and for its end, the position in the original. */
  readonly origin: readonly number[];
}

/** A circled or bracketed digit is a bullet: in "①30分" it is not the first digit of 130. */
const BULLETS = /^[\u2460-\u249B\u24EA-\u24FF\u2776-\u2793\u3251-\u325F\u32B1-\u32BF]$/u;
/** Superscripts and fractions keep their own form, so that no number is made of them. */
const ODD_NUMBERS = /^[\u00B2\u00B3\u00B9\u00BC-\u00BE\u2070-\u208E\u2150-\u218B]/u;
const SAME: Readonly<Record<string, string>> = {
  "‐": "-",
  "‑": "-",
  "‒": "-",
  "–": "-",
  "—": "-",
  "―": "-",
  "−": "-",
  "─": "-",
  "ー": "ー",
  "〜": "~",
  "∼": "~",
  "˜": "~",
  "⁓": "~",
  "〰": "~",
  "→": "~",
  "‥": "~",
  "’": "'",
  "‘": "'",
  "`": "'",
  "´": "'",
  "¥": "¥",
  "\\": "¥",
  "｡": "。",
  "､": "、",
};

/** What no form of Unicode changes: ASCII, kana and kanji. */
const PLAIN = /^[ -~ぁ-ゖァ-ヶー一-鿿、。]$/;

/** One step for each character: a letter with its marks is one. */
const CLUSTER = /[\s\S][\uFF9E\uFF9F\u0300-\u036F\u3099\u309A]{0,3}/gu;

export function characters(raw: string): Characters {
  let text = "";
  const origin: number[] = [];
  for (const { 0: cluster, index } of raw.matchAll(CLUSTER)) {
    const written = writtenAs(cluster);
    text += written;
    for (let unit = 0; unit < written.length; unit++) origin.push(index);
  }
  origin.push(raw.length);
  return { text, origin };
}

function writtenAs(cluster: string): string {
  if (cluster === "\n" || cluster === "\r" || cluster === "\u2028" || cluster === "\u2029") return "\n";
  if (PLAIN.test(cluster)) return SAME[cluster] ?? cluster.toLowerCase();
  if (BULLETS.test(cluster)) return "■";
  if (ODD_NUMBERS.test(cluster)) return cluster;
  const whole = cluster.normalize("NFKC").replace(WHITE_SPACE, " ").replace(INVISIBLE, "").toLowerCase();
  return [...whole].map((character) => SAME[character] ?? character).join("");
}
