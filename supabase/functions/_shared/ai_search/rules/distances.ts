/** Maximum distance of the lot. */
import type { Scanner, Span } from "./scanner.ts";

/** 80 metres per minute: the pace that Japanese real estate advertising must use, and the one of the nearby search. */
export const METRES_PER_WALK_MINUTE = 80;

export interface Distance extends Span {
  readonly kind: "distance";
  /** Null if it cannot be converted to metres. */
  readonly metres: number | null;
  readonly why: "walk" | "length" | "drive";
  /** The text does not mention that the minutes are on foot. */
  readonly assumed: boolean;
}

const NUMBER = "(?<n>\\d{1,6}(?:\\.\\d{1,2})?)";
const ABOUT = "(?:約|だいたい|大体|ほんの|(?<![a-z])(?:about|around|an?) )?";
const TAIL =
  "(?: ?(?:以内|圏内|圏|くらい|ぐらい|程度|ほど|まで|範囲|の距離|の範囲|内|max(?:imum)?|or less|at most|tops|away)){0,3}";

const patterns = (sources: readonly string[]) => sources.map((source) => new RegExp(source, "giu"));

const WALKS = patterns([
  `(?:徒歩|歩いて|歩き(?:で)?|歩|あるいて)(?:で|は|なら)? ?${ABOUT}${NUMBER} ?分${TAIL}`,
  `${ABOUT}${NUMBER} ?分(?:以上(?=歩きたく))?${TAIL}(?:で|に|も)? ?(?:の)? ?(?:徒歩|歩いて|歩け|歩きたく(?:ない|ありません)|歩き)(?:る|ける|圏内|圏|以内)?${TAIL}`,
  `(?:within |up to |under |(?:less|not? (?:more|further|farther)) than |max(?:imum)? )?${ABOUT}${NUMBER}(?: |-)?min(?:ute)?s?'?s?'?(?: |-)?(?:walk(?:ing)?(?: distance)?|on foot|by foot)(?: (?:away|max(?:imum)?|at most|or less|tops))?`,
  `walk(?:ing|able)?(?: distance)?(?: of| is| under| within| in)? ?(?:within |up to |under |(?:less|more) than |over |max )?${NUMBER} ?min(?:ute)?s?(?![a-z])${TAIL}`,
]);
const DRIVES = patterns([
  `(?:車|クルマ|自転車|バス|電車|自動車)で ?${ABOUT}${NUMBER} ?分${TAIL}`,
  `(?:within )?${ABOUT}${NUMBER}(?: |-)?min(?:ute)?s?'?(?: |-)?(?:drive|by car|driving|by train|by bus|bus ride)(?: away)?`,
]);
/** Minutes with a bound, without "on foot": 駅から5分以内. */
const UNSAID = patterns([
  `(?<=[^時分半日今後\\d方夜朝昼晩電](?:から|まで) ?)${NUMBER} ?分(?:以内|圏内|くらい|ぐらい|程度|(?=の|で|、|。| |$))`,
  `${NUMBER}(?: |-)?min(?:ute)?s?(?= (?:from|to) (?!now|[\\dan] |noon|midnight)(?:the )?[a-z])`,
  `within ${NUMBER} ?min(?:ute)?s?(?= (?:of|from)(?![a-z]))`,
]);
const LENGTH_UNIT =
  "(?<u>km|kilomet(?:er|re)s?|キロ(?:メートル)?|m|met(?:er|re)s?|メートル|miles?|mi|yards?|yds?|ft|feet|foot)(?![a-z])";
const LENGTHS = patterns([
  `(?:半径|within|(?:closer|nearer|less|not? (?:more|further|farther)) than|under|up to|radius(?: of)?|max) ?(?:a )?(?:radius of )?${ABOUT}${NUMBER} ?${LENGTH_UNIT}${TAIL}(?: (?:radius|away)){0,2}`,
  `${ABOUT}${NUMBER} ?(?<u>km|キロ(?:メートル)?|m|メートル)(?: ?(?:以内|圏内|圏|くらい|ぐらい|程度|ほど|まで|範囲|四方|の距離|離れ|内(?!幸)))(?:の?(?:範囲|距離|ところ))?`,
  `${NUMBER} ?${LENGTH_UNIT} (?:(?=(?:of|from|around|to)(?![a-z]))|(?:away|radius|or less|max)(?![a-z]))`,
  `(?<frac>half|quarter)(?: of)?(?: a)?[ -]?(?<u>mile|kilomet(?:er|re)|km)(?: (?:away|radius|or less))?(?![a-z])`,
  `(?:a|1) (?<u>mile|kilomet(?:er|re))(?: (?:away|or less))?(?![a-z])`,
]);

/** A length without other words: "make it 1000 m". */
const BARE_LENGTH =
  /(?<![\dh.])(?:(?<n>\d{2,5}) ?(?<u>m|メートル|met(?:er|re)s?)|(?<k>\d{1,2}(?:\.\d)?) ?(?<uk>km|キロ(?:メートル)?))(?![a-zァ-ヶ先道])/giu;

function metresPer(unit: string): number {
  if (/^(?:k|キロ)/iu.test(unit)) return 1000;
  if (/^mi/i.test(unit)) return 1609.344;
  if (/^y/i.test(unit)) return 0.9144;
  if (/^f/i.test(unit)) return 0.3048;
  return 1;
}

export function takeDistances(scanner: Scanner): Distance[] {
  const walk = (assumed: boolean) => (match: RegExpExecArray) => ({
    kind: "distance" as const,
    metres: Math.round(Number(match.groups!["n"]) * METRES_PER_WALK_MINUTE),
    why: "walk" as const,
    assumed,
  });
  return [
    ...DRIVES.flatMap((pattern) =>
      scanner.take(pattern, () => ({ kind: "distance" as const, metres: null, why: "drive" as const, assumed: false }))
    ),
    ...WALKS.flatMap((pattern) => scanner.take(pattern, walk(false))),
    ...UNSAID.flatMap((pattern) => scanner.take(pattern, walk(true))),
    ...LENGTHS.flatMap((pattern) =>
      scanner.take(pattern, (match) => {
        const { n, frac, u } = match.groups!;
        const count = frac === undefined ? Number(n ?? 1) : /^h/i.test(frac) ? 0.5 : 0.25;
        return {
          kind: "distance" as const,
          metres: Math.round(count * metresPer(u!)),
          why: "length" as const,
          assumed: false,
        };
      })
    ),
    ...scanner.take(BARE_LENGTH, ({ groups }) => ({
      kind: "distance" as const,
      metres: Math.round(groups!["n"] === undefined ? Number(groups!["k"]) * 1000 : Number(groups!["n"])),
      why: "length" as const,
      assumed: true,
    })),
  ];
}
