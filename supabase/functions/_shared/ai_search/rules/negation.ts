/** Whether words are required, optional or excluded: 屋根付き, 屋根なしでもいい, 屋根付き以外. */
import type { Scanner, Span } from "./scanner.ts";

export type Polarity = "wanted" | "indifferent" | "excluded";

const INDIFFERENT_AFTER =
  /^(?:付き|つき|あり)?(?:の?(?:有無|あるなし|ある無し))?(?:は|が|も|を|で|の|じゃ|では)?(?:とくに|特に|別に|べつに|あまり|そんなに)? ?(?:不要|必要(?:ない|なし|ありません|ではな)|いらな|要らな|いりませ|要りませ|なくて(?:も)? ?(?:いい|良い|よい|ok|大丈夫|構|かま)?|無くて(?:も)?|なしで(?:も)?(?:いい|良い|よい|ok|大丈夫|構|かま)|無しで(?:も)|なくても|じゃなくて(?:も)?(?:いい|良い|ok|大丈夫|構)?|でなくて(?:も)?|問わな|問いませ|どちらでも|どっちでも|あってもなくても|あってもなくても|なしで(?=停|止|利用|使|入|すぐ)|気にしな|こだわら|関係な)[^、。 \uE000]{0,6}?(?:です|ます|ません|ので|から|けど|い|ok|いい|大丈夫|ないです)?(?=[、。 \uE000]|$|\p{Script=Han}|\p{Script=Katakana})/iu;
const INDIFFERENT_AFTER_SHORT =
  /^(?:は|が|も)?(?:別に|特に|とくに|あまり)?(?:不要|(?:外|消|はず)して(?:ください)?|やめて|なくて(?:も)?構わない(?:です)?|どちらでも(?:いい|良い|ok|構いません)?(?:です)?|どっちでも(?:いい)?(?:です)?|なしで(?=停|止|利用|使|入|すぐ)|いらない(?:です)?|なくて(?:も)?(?:いい|良い|よい|ok|大丈夫|構わない)(?:です)?|なしで(?:も)(?:いい|良い|ok|大丈夫)(?:です|ので)?)/iu;
const EXCLUDED_AFTER =
  /^(?:の|で|駐車場|パーキング|タイプ|式|車|付き|つき|あり)?(?:は|が|も|を|で|の|だけは)?(?:駐車場)?(?:は|が|を)? ?(?:以外|じゃな(?:い|く)|ではな(?:い|く)|でな(?:い|く)|(?:なし|無し)(?:で(?!も)|(?!で))|ない(?!と)|抜き|除(?:く|い|外|き)|外し|ng|不可|避け|さけ|嫌|いや|イヤ|ダメ|だめ|駄目|無理|やめ|やだ|苦手|入らな|入れな|停められな|困る)(?:て|た|する)?(?:たい|ください|下さい|ほしい|欲しい)?/iu;
const INDIFFERENT_EN_AFTER =
  /^ ?(?:is |are |was )?(?:not |n't |isn't |aren't |un)(?:really )?(?:be )?(?:need(?:ed)?|required|necessary|important|a must)|^ (?:is |are )?(?:optional|doesn't matter|not important|doesnt matter|or not)/iu;
const INDIFFERENT_EN_BEFORE =
  /(?:don'?t (?:really )?(?:need|require|care about|mind)|do not (?:need|require|care about)|no need (?:for|of|to)|doesn'?t (?:need|have) to (?:be|have)|doesn'?t need|needn'?t (?:be|have)|drop|remove|forget(?: about)?|lose|take (?:off|out|away)|get rid of|with or without|not necessarily) (?:a |an |any |the |to be |be |it to be )?$/iu;
const EXCLUDED_EN_BEFORE =
  /(?:(?<![a-z])(?:no|not|neither|nor|non|without|avoid(?:ing)?|except(?: for)?|excluding|exclude|other than|(?:any|every)(?:thing|where|place) but|all but|but not|rather not|never|hate|can'?t use|isn'?t|don'?t want|do not want|don'?t like|instead of|skip)(?: in| on| be| to use)?(?: a| an| any| the)?) ?-?$/iu;
const EXCLUDED_EN_AFTER = /^ (?:excluded|is out|not ok|not okay|not allowed|won'?t do)/iu;

/** The polarity, and the span including the words that express it. */
export function polarityOf(scanner: Scanner, span: Span): Span & { readonly polarity: Polarity } {
  const before = scanner.before(span.start, 32), after = scanner.after(span.end, 32);
  const inside = scanner.slice(span);
  const short = INDIFFERENT_AFTER_SHORT.exec(after) ?? INDIFFERENT_AFTER.exec(after) ??
    INDIFFERENT_EN_AFTER.exec(after);
  if (short !== null) return { polarity: "indifferent", start: span.start, end: span.end + short[0].length };
  const need = INDIFFERENT_EN_BEFORE.exec(before);
  if (need !== null) return { polarity: "indifferent", start: span.start - need[0].length, end: span.end };
  const excluded = EXCLUDED_AFTER.exec(after) ?? EXCLUDED_EN_AFTER.exec(after);
  if (excluded !== null) return { polarity: "excluded", start: span.start, end: span.end + excluded[0].length };
  const without = /^(?:no|without) /i.test(inside) ? null : EXCLUDED_EN_BEFORE.exec(before);
  if (without !== null) return { polarity: "excluded", start: span.start - without[0].length, end: span.end };
  return { polarity: "wanted", start: span.start, end: span.end };
}
