/** Candidates for a place in a piece of text, with a score. */
import type { Scanner } from "./scanner.ts";
import { hasKnownName } from "./well_known.ts";

const NEAR =
  "(?:すぐ)?(?:近く|ちかく|近辺|近郊|周辺|付近|辺り|あたり|界隈|そば|傍|周り|まわり|エリア|方面|隣|となり|向かい|(?:東|西|南|北|裏)側|裏手|目の前|駅近|寄り|至近|直結|(?:に|から)(?:一番)?近い|に(?:なるべく|できるだけ)?近(?:く|め)|から(?:すぐ|近く)|まで(?:すぐ)?)";

/** Endings of place names. */
export const SUFFIX =
  /(?:駅|口|空港|病院|医院|大学|高校|公園|庭園|タワー|ツリー|ビル|神社|大社|神宮|寺|城|跡|市|区|町|村|県|府|都|通り?|橋|港|球場|ドーム|ホール|館|園|温泉|ホテル|役所|モール|スタジアム|競技場|アリーナ|坂|交差点|丁目|ランド|シー|センター|プラザ|パーク|ヒルズ|シティ|市場|高原|湖|山|島|海岸|ビーチ|店|広場|劇場|キャンパス|ターミナル|庁|場|前|ic|sa|pa|station|airport|park|tower|square|museum|hall|stadium|center|centre|hospital|university|temple|shrine|castle|bridge|building|hotel|mall|market|street|beach|zoo|plaza)$/iu;

/** Characters of source code and markup, which are never in a place name. */
const CODE = /[{}<>=;*|\\$^_@#%`~]|--|\/\//u;
export const HIRAGANA = /[ぁ-ん]/gu;
export const LETTER = /\p{L}/u;
export const CJK = /[ぁ-んァ-ヶ一-龠々ー]/u;
const MAX_LENGTH = 60;

export interface Candidate {
  readonly name: string;
  readonly score: number;
  readonly start: number;
  readonly marked: boolean;
  /** The word before the name: "in" can add a town to the previous place. */
  readonly preposition: string;
}

/** Boundaries of a Japanese phrase: particles between a name and the next word. が丘 and が関 are inside names. */
const PARTICLE =
  /(?<=近く|ちかく|そば|あたり|まわり|となり)(?:に|で|へ|を|が|は)(?=[一-龠々ァ-ヶーa-zA-Z0-9])|(?<=[一-龠々ァ-ヶーa-zA-Z0-9])(?:(?:ではなく|じゃなく)て?|(?:から|まで|より|では|には|って|とか)|[をはで]|に(?!ゃ)|へ|が(?![ん丘関原浜崎池谷峰岡淵森島浦])|(?<![ぁ-ん]ー)[ともや](?![ぁ-ん]))(?=[一-龠々ァ-ヶーa-zA-Z0-9ぁ-ん \uE000\uE001、。]|$)/u;
const LEADING_LONG =
  /^(?:から|まで|より|では|には|にて|ごろ|くらい|だけ|とか|など|という|場所は|あと|または|かつ|なら|ならば|での|の中で|[、,.。・:'"!?()\[\]/&+-]| )/u;
const LEADING = /^[のでにへをはがもとやねよな]/u;
const TRAILING =
  /(?:での|への|からの|までの|にある|にて|あたりの?|とか|など|だけ|なら|ならば|という|って|[のでにへをはがもとやねよな]|から|まで|より|[、,.。・:'"!?()\[\]/&+-]| )$/u;

const EN_SPLIT =
  /(?:^| )(near(?:by)?(?: to)?|nr|around|at|in|inside|by|close to|next to|beside|opposite|across from|outside|towards?|from|to|for|with|without|on|of|off|within|into|vicinity of)(?= |$)/giu;
const STRONG = /^(?:near|nr|close|next|beside|opposite|across|outside|vicinity)/iu;
const WEAK = /^(?:at|in|inside|by|around)/iu;

export function japaneseCandidates(scanner: Scanner, chunk: string, at: number): Candidate[] {
  const found: Candidate[] = [];
  const isAfterTaken = /[\uE000\uE001]$/u.test(scanner.rest.slice(0, at));
  let rest = chunk, start = at;
  for (let step = 0; step < 12 && rest !== ""; step++) {
    const particle = PARTICLE.exec(rest);
    const end = particle === null ? rest.length : particle.index + particle[0].length;
    const piece = rest.slice(0, end);
    const after = rest.slice(end) + scanner.rest.slice(start + rest.length, start + rest.length + 2);
    found.push(...japaneseName(piece, start, particle?.[0] ?? "", after, step === 0 && isAfterTaken));
    rest = rest.slice(end);
    start += end;
  }
  return found;
}

/** Remaining hiragana words that are not a place. */
const GRAMMAR =
  /^(?:ある|いる|する|なる|ない|どう|どこ|どれ|こと|もの|とき|ため|さん|ほう|ください|近い|近く|遠い|それ|これ|あれ|そう|もう|まだ|また|ほか|など|くる|いく|みる|やる|だけ|しか|です|ます|した|して|から|まで|ので)$/u;
const NEAR_END = new RegExp(`(?:の|、| )?${NEAR}(?:の|で|に|から|は|へ|を|が)?$`, "u");
const NEAR_ONLY = new RegExp(`^(?:の)?${NEAR}(?:の|で|に|から|は|へ|を|が)?$`, "u");

function japaneseName(piece: string, start: number, particle: string, after: string, afterTaken: boolean): Candidate[] {
  let name = strip(piece, afterTaken);
  if (name === "" || !LETTER.test(name)) return [];
  // X(に|から)近い: the particle was removed with the name.
  const isNear = NEAR_END.test(piece.trim()) || /^(?:に|から)(?:一番)?近/u.test(particle + after);
  if (NEAR_ONLY.test(name) || NEAR_ONLY.test(piece.trim())) {
    return [{ name: "", score: 0, start, marked: false, preposition: "" }];
  }
  name = strip(name.replace(NEAR_END, ""), false).replace(/(?<=[一-龠ァ-ヶー])(?:到?着|(?<!開)発)$/u, "")
    .replace(/(?<=駅)前$|(?<=[一-龠ァ-ヶー])の(?:方|ほう)$/u, "");
  if (!LETTER.test(name) || CODE.test(name) || name.length > MAX_LENGTH || GRAMMAR.test(name)) return [];
  const hiragana = (name.match(HIRAGANA) ?? []).length;
  let score = 0;
  if (isNear) score += 6;
  if (SUFFIX.test(name)) score += 3;
  if (hasKnownName(name)) score += 3;
  if (/なく/u.test(particle)) score -= 9;
  else if (/^(?:で|へ|まで|から|には|では)/u.test(particle)) score += 3;
  else if (/^に/u.test(particle)) score += 2;
  else if (/^[をがと]/u.test(particle)) score -= 2;
  if (hiragana === 0) score += 2;
  else if (hiragana > name.length / 2 && hiragana > 5 && !isNear) score -= 1.5;
  if (name.length === 1) score -= 3;
  // どこで見られる, キャンセルしたい
  if (/^どこ|したい$/u.test(name)) score -= 9;
  return [{ name, score, start, marked: isNear || score >= 5, preposition: "" }];
}

function strip(text: string, afterTaken: boolean): string {
  let name = text;
  for (let step = 0; step < 6; step++) {
    const before = name;
    name = name.replace(LEADING_LONG, "");
    // に or と can begin a name. After a consumed word or before kanji, it is a particle.
    if (LEADING.test(name) && ((step === 0 && afterTaken) || !/^.[ぁ-ん]/u.test(name))) name = name.slice(1);
    name = name.replace(TRAILING_NAME, "$1").replace(TRAILING_CODE, "");
    if (name === before) break;
  }
  return name.trim();
}

/** Particles at the end of a name in kanji or katakana. A name in hiragana keeps its last letter, except で and に. */
const TRAILING_NAME = new RegExp(`([^ぁ-ん])(?:${TRAILING.source.slice(0, -1)})$`, "u");
const TRAILING_CODE = /(?:にて|での|への|(?<=[ぁ-ん]{2})[でにへを]|[、,.。・:'"!?()\[\]/&+ -])$/u;

export function englishCandidates(chunk: string, at: number, afterDistance: boolean): Candidate[] {
  const found: Candidate[] = [];
  const marks = [...chunk.matchAll(EN_SPLIT)];
  let from = 0, preposition = "", isExcluded = false;
  const add = (piece: string, start: number) => {
    let name = piece.trim();
    const wasExcluded = isExcluded;
    isExcluded = /(?:^| )(?:not|never|except|avoid)$/iu.test(name);
    // "Not in Shibuya"
    if (wasExcluded || /^(?:not|never|avoid)$/iu.test(name)) return;
    for (let step = 0; step < 6; step++) {
      const before = name;
      name = name.replace(
        /^(?:the|a|an|my|and|or|of|to|is|until|till|from|by|at|for|before|after|since|between|:|-|\+|&|\.|')(?= |$)/iu,
        "",
      ).replace(
        / (?:the|a|an|and|or|of|to|is|that|until|till|from|by|at|in|for|before|after|since|between|on|with|-|\+|&|area|max|min|please)$/iu,
        "",
      ).replace(/^[ '".,:/&+-]{1,4}|[ '".,:/&+-]{1,4}$/gu, "").trim();
      if (name === before) break;
    }
    if (name === "" || !LETTER.test(name) || CODE.test(name) || name.length > MAX_LENGTH) return;
    if (/^(?:not|except|outside of|avoid|anything but) /iu.test(name)) return;
    const words = name.split(" ");
    let score = STRONG.test(preposition) ? 6 : WEAK.test(preposition) ? 4 : preposition === "" ? 0 : 1;
    // "500 m from": the words after it are the origin of the distance.
    const isOrigin = afterDistance && start < at + 8 && /^(?:of|from|to)$/iu.test(preposition);
    if (isOrigin) score += 6;
    if (/(?:^| )\p{Lu}/u.test(name)) score += 2;
    if (SUFFIX.test(name)) score += 2;
    if (hasKnownName(name)) score += 2;
    if (words.length > 6) score -= 3;
    if (name.length < 3) score -= 2;
    const marked = score >= 5 || isOrigin || (WEAK.test(preposition) || STRONG.test(preposition));
    found.push({ name, score, start, marked, preposition: preposition.toLowerCase() });
  };
  for (const mark of marks) {
    const word = mark[1]!.toLowerCase();
    // "Museum of Art", "Bank of Japan": after a capitalised word, "of" is inside a name.
    if (
      word === "of" && /\p{Lu}[\p{L}']{1,20}$/u.test(chunk.slice(from, mark.index)) &&
      /^ \p{Lu}/u.test(chunk.slice(mark.index + mark[0].length))
    ) continue;
    add(chunk.slice(from, mark.index), at + from);
    from = mark.index + mark[0].length;
    preposition = word;
  }
  add(chunk.slice(from), at + from);
  return found;
}
