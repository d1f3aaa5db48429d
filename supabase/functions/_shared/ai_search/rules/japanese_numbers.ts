/** Converts Japanese number words to digits before a counter: 二千円 becomes 2000円, but 三宮 stays a place. */

const DIGITS = "〇一二三四五六七八九";
const UNITS: Readonly<Record<string, number>> = { 十: 10, 百: 100, 千: 1000, 万: 10_000 };

/** A counter, and the characters after it that would make it a place name: 四日市, 十日町, 三分坂. */
const COUNTER = "(?=円|yen|時間|時(?![的計代])|分(?![寺倍坂])|日(?![市町月村場本向野田出光立比暮吉進高南和])|" +
  "月(?![島山見寺形])|年|泊|晩|週間|[かヶヵカケ]月|メートル|m(?![a-z])|キロ|km|センチ|cm|ミリ|トン|ドル|枚|台|以内|以下)";

const NUMBER = new RegExp(`[〇零一二三四五六七八九十百千万\\d.]{1,12}${COUNTER}`, "giu");
const KANJI = /[〇零一二三四五六七八九十百千万]/u;

/** Parses 二〇〇〇, 千五百, 2千, 1万5千, 1.5万. Returns undefined if it is not a number. */
export function kanjiNumber(text: string): number | undefined {
  let total = 0, section = 0, digits = "";
  for (const character of text.replaceAll("零", "〇")) {
    const digit = DIGITS.indexOf(character);
    if (digit >= 0) digits += digit;
    else if (/[\d.]/.test(character)) digits += character;
    else {
      const unit = UNITS[character]!;
      if (unit === 10_000) {
        total += (section + (digits === "" && section === 0 ? 1 : Number(digits))) * unit;
        section = 0;
      } else section += (digits === "" ? 1 : Number(digits)) * unit;
      digits = "";
    }
  }
  const value = total + section + (digits === "" ? 0 : Number(digits));
  return Number.isFinite(value) ? Math.round(value * 100) / 100 : undefined;
}

const SPOKEN: Readonly<Record<string, number>> = {
  いち: 1,
  に: 2,
  さん: 3,
  よ: 4,
  ご: 5,
  ろく: 6,
  しち: 7,
  なな: 7,
  はち: 8,
  く: 9,
  じゅう: 10,
  じゅういち: 11,
  じゅうに: 12,
  じゅうさん: 13,
  じゅうよ: 14,
  じゅうご: 15,
  じゅうろく: 16,
  じゅうしち: 17,
  じゅうはち: 18,
  じゅうく: 19,
  にじゅう: 20,
};
const SPOKEN_HOUR = new RegExp(
  `(?<![ぁ-んァ-ヶ一-龠])(${
    Object.keys(SPOKEN).toSorted((a, b) => b.length - a.length).join("|")
  })じ(?=かん|はん|半|から|まで|に|ごろ|頃|くらい|[~-])`,
  "gu",
);

export function japaneseNumbers(text: string): string {
  return text
    .replace(SPOKEN_HOUR, (_, word: string) => `${SPOKEN[word]}じ`)
    .replace(
      /(?<=\d ?)じ(かん)?(はん)?/gu,
      (_, span?: string, half?: string) => (span ? "時間" : "時") + (half ? "半" : ""),
    )
    .replace(/(?<=\d ?)(?:ふん|ぷん)/gu, "分")
    .replace(/いちにち(?!ち)/gu, "1日")
    // 二、三時間 and 二三時間 mean two or three hours.
    .replace(
      /([一二三四五六七八九])[、,]?(?=[一二三四五六七八九](?:時間|分|泊|日間))/gu,
      (_, digit: string) => `${DIGITS.indexOf(digit)}、`,
    )
    .replace(/(?<=\d ?)えん/gu, "円")
    .replace(NUMBER, (run, at: number) => {
      if (!KANJI.test(run)) return run;
      if (run === "千" && text.startsWith("日前", at + 1)) return run; // 千日前 is a quarter of Osaka
      const value = kanjiNumber(run);
      return value === undefined ? run : String(value);
    });
}
