/** A speaker corrects himself: "3時から、いや4時から", "under 1500, no wait, 1200 yen". The later words count. */
import { FILLER, type Scanner, type Span } from "./scanner.ts";

const CORRECTION =
  /^(?:から|まで|に|で|は|以内|以下|くらい|ぐらい|頃|ごろ){0,2}[、。,.…!? -]{0,5}(?:(?:いや|いえ|違う|ちがう|じゃ?なくて|ではなく(?:て)?|もとい|訂正|間違え(?:た|ました)?|ごめん(?:なさい)?|すみません)[、。.…! ]{0,4}|(?:と(?:言|い)う(?:か|より))[、 ]?|(?:(?:oh |um,? |uh,? )?(?:no,? )?(?:wait|sorry|scratch that|I mean|I meant|make that|or rather|correction)|actually|no),? ?(?:make (?:it|that) |(?:from|at|to|until|under|it'?s) )?|やっぱり?(?!り)[、 ]?|やはり[、 ]?)[、。 ]?$/iu;

/** The tokens of one kind, in the order of the text, without those that the next one corrects. Consumes the words between. */
export function withoutCorrected<T extends Span>(scanner: Scanner, tokens: readonly T[]): T[] {
  const sorted = tokens.toSorted((a, b) => a.start - b.start);
  return sorted.filter((token, index) => {
    const next = sorted[index + 1];
    if (next === undefined || !CORRECTION.test(scanner.text.slice(token.end, next.start))) return true;
    scanner.blank([{ start: token.end, end: next.start }], FILLER);
    return false;
  });
}
