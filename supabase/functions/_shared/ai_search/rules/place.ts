/** The place: what remains when everything else was taken. */
import { FILLERS, isInKatakana, isInName } from "./fillers.ts";
import type { Finding } from "./notes.ts";
import { hasKnownName } from "./well_known.ts";
import { FILLER, type Scanner, type Span } from "./scanner.ts";

export interface PlaceReading {
  readonly place: string | null;
  readonly ownPosition: boolean;
  readonly assumptions: readonly Finding[];
  readonly unresolved: readonly Finding[];
}

const NEAR =
  "(?:すぐ)?(?:近く|ちかく|近辺|近郊|周辺|付近|辺り|あたり|界隈|そば|傍|周り|まわり|エリア|方面|隣|となり|向かい|目の前|駅近|寄り|至近|(?:に|から)(?:一番)?近い|に(?:なるべく|できるだけ)?近(?:く|め)|から(?:すぐ|近く)|まで(?:すぐ)?)";

const OWN_JA =
  /(?:今(?:いる|居る)(?:場所|ところ|所|とこ)|いま(?:いる|居る)(?:場所|ところ|とこ)|現在(?:地|位置|の場所)|(?:私|自分|僕|俺)(?:の)?(?:いる|居る)?(?:場所|ところ|近く|周り|周辺)|この(?:場所|近く|近辺|付近|周辺|辺り?|あたり|へん|近所)|ここ(?:ら(?:辺|へん))?|こちら|そこら(?:辺|へん)|近所)(?:の|から|で|に|は)?(?:一番|最も)?(?:近く|近い|近場|周辺|付近|辺り|あたり|すぐ)?(?:の|で|に|から)?|最寄り(?:の|で)?/gu;
const OWN_EN =
  /(?:(?:near|around|close to|next to|by|closest to|nearest to|from) (?:me|us|my (?:current )?(?:location|position)|here|where i(?:'m| am)(?: now)?|my place right now|this (?:place|area|location))|near-?by|close ?by|around here|right here|in (?:the|this) (?:area|vicinity|neighbou?rhood)|within reach|my (?:current )?(?:location|position)|(?<=(?:^|\uE000|\uE001|,) ?)here(?=[\uE000\uE001,.?! ]|$))(?![a-z])/giu;

/** Places that only the asker knows; alone they are no place. */
const GENERIC =
  /^(?:(?:私|うち|自分|僕|俺|わたし|彼女|彼|友達|友人|実家|両親|妻|夫|子ども|子供)の)?(?:駅|会社|職場|家|自宅|うち|実家|ホテル|宿|病院|学校|会場|お?店|レストラン|オフィス|事務所|コンビニ|スーパー|銀行|郵便局|公園|空港|現場|大学|市役所|役所|マンション|アパート|ビル|海|山|街|町|都心|市内|駅前|目的地|そこ|あそこ|どこか|どこでも)$|^(?:the |my |our |a |an |his |her )?(?:home|house|apartment|flat|office|work|workplace|company|hotel|hospital|school|station|airport|venue|restaurant|shop|store|mall|beach|gym|clinic|downtown|city|town|area|center|centre|destination|friend'?s(?: (?:house|place))?|girlfriend|boyfriend|parents'?(?: house)?)$/iu;

const SUFFIX =
  /(?:駅|口|空港|病院|医院|大学|高校|公園|庭園|タワー|ツリー|ビル|神社|大社|神宮|寺|城|跡|市|区|町|村|県|府|都|通り?|橋|港|球場|ドーム|ホール|館|園|温泉|ホテル|役所|モール|スタジアム|競技場|アリーナ|坂|交差点|丁目|ランド|シー|センター|プラザ|パーク|ヒルズ|シティ|市場|高原|湖|山|島|海岸|ビーチ|店|広場|劇場|キャンパス|ターミナル|庁|場|前|ic|sa|pa|station|airport|park|tower|square|museum|hall|stadium|center|centre|hospital|university|temple|shrine|castle|bridge|building|hotel|mall|market|street|beach|zoo|plaza)$/iu;

/** Characters of programs and markup: no place has them. */
const CODE = /[{}<>=;*|\\$^_@#%`~]|--|\/\//u;
/** A text that has them is a program or markup: only what "near" stands before is a place in it. */
const CODE_TEXT = /[{}<>=*|\\$_]|--/u;
const HIRAGANA = /[ぁ-ん]/gu;
const LETTER = /\p{L}/u;
const CJK = /[ぁ-んァ-ヶ一-龠々ー]/u;
const LONGEST = 60;

interface Candidate {
  readonly name: string;
  readonly score: number;
  readonly start: number;
  readonly marked: boolean;
  /** How the words before it name it: "in" may add a town to a place before. */
  readonly preposition: string;
}

/** Where a Japanese phrase ends: particles between a name and what follows; が丘 and が関 are inside names. */
const PARTICLE =
  /(?<=[一-龠々ァ-ヶーa-zA-Z0-9])(?:(?:ではなく|じゃなく)て?|(?:から|まで|より|では|には|って|とか)|[をはで]|に(?!ゃ)|へ|が(?![ん丘関原浜崎池谷峰岡淵森島浦])|(?<![ぁ-ん]ー)[ともや](?![ぁ-ん]))(?=[一-龠々ァ-ヶーa-zA-Z0-9ぁ-ん \uE000\uE001、。]|$)/u;
const LEADING_LONG =
  /^(?:から|まで|より|では|には|にて|ごろ|くらい|だけ|とか|など|という|場所は|あと|または|かつ|なら|ならば|での|の中で|[、,.。・:'"!?()\[\]/&+-]| )/u;
const LEADING = /^[のでにへをはがもとやねよな]/u;
const TRAILING =
  /(?:での|への|からの|までの|にある|にて|あたりの?|とか|など|だけ|なら|ならば|という|って|[のでにへをはがもとやねよな]|から|まで|より|[、,.。・:'"!?()\[\]/&+-]| )$/u;

const EN_SPLIT =
  /(?:^| )(near(?:by)?(?: to)?|nr|around|at|in|inside|by|close to|next to|beside|opposite|across from|outside|towards?|from|to|for|with|without|on|of|off|within|into|vicinity of)(?= |$)/giu;
const STRONG = /^(?:near|nr|close|next|beside|opposite|across|outside|vicinity)/iu;
const WEAK = /^(?:at|in|inside|by|around)/iu;

export interface Known {
  /** Something else of the text was understood. */
  readonly hasMore: boolean;
  readonly distances: readonly Span[];
  /** "the nearest": to the asker, where no place is named. */
  readonly wantsNearest: boolean;
  /** The text refines an earlier search. */
  readonly hasContext: boolean;
}

/** What stands directly after a time and says whether it is a start or an end. */
const ROLE_WORDS =
  /(?<=\uE000)(?:ごろ|頃|くらい|ぐらい|過ぎ|すぎ)?(?: ?(?:から|まで|より|には?|で|の)?(?:到着|着(?:き)?|発|集合|出発|スタート|開始|以降|入庫|出庫|イン|アウト)(?![一-龠ァ-ヶ])(?:で|です|に|して)?|から(?!の駅)|まで|より)(?:に|の(?!駅)|で|は)?/gu;

export function readPlace(scanner: Scanner, known: Known): PlaceReading {
  const isOwn = takeFillers(scanner);
  const { candidates, generic, isNear } = collect(scanner, known.distances);
  const best = candidates.toSorted((a, b) => b.score - a.score || a.start - b.start)[0];
  if (best === undefined || !isAcceptable(best, candidates.length, known, CODE_TEXT.test(scanner.text))) {
    const unresolved: Finding[] = candidates.filter(({ name }) => isWorthANote(name)).map(notUnderstood);
    if (generic !== null) unresolved.push({ text: generic, field: "place", value: null, reason: "whose_place" });
    const ownPosition = generic === null && (isOwn || isNear || known.wantsNearest);
    return { place: null, ownPosition, assumptions: [], unresolved };
  }
  return chosen(best, candidates);
}

/** Whether the text says "near me" in some way. */
function takeFillers(scanner: Scanner): boolean {
  const own = [OWN_JA, OWN_EN].flatMap((pattern) => scanner.take(pattern, () => ({ kind: "own" as const })));
  scanner.take(ROLE_WORDS, () => ({ kind: "filler" as const }), FILLER);
  for (const pattern of FILLERS) {
    scanner.take(
      pattern,
      (_, { start, end }) =>
        isInName(scanner.text, start) || isInKatakana(scanner.text, start, end)
          ? undefined
          : { kind: "filler" as const },
      FILLER,
    );
  }
  return own.length > 0;
}

function collect(scanner: Scanner, distances: readonly Span[]) {
  const candidates: Candidate[] = [];
  let generic: string | null = null, isNear = false;
  for (const { text, start } of chunks(scanner.rest).flatMap(words)) {
    const found = CJK.test(text)
      ? japanese(scanner, text, start)
      : english(text, start, distances.some(({ end }) => end === start || end === start - 1));
    for (const candidate of found) {
      if (candidate.name === "") isNear = true;
      else if (GENERIC.test(candidate.name)) generic ??= candidate.name;
      else candidates.push(candidate);
    }
  }
  return { candidates, generic, isNear };
}

/** A word that is left over after "cheaper" is no new place, nor is one of a program. */
function isAcceptable(best: Candidate, count: number, known: Known, isCode: boolean): boolean {
  const { name, score, marked } = best;
  if (score <= -2) return false;
  if (isCode) return marked;
  if (known.hasContext) return marked || isName(name) || hasKnownName(name) || SUFFIX.test(name);
  return known.hasMore || marked || isName(name) || isLoneWord(name, count);
}

function notUnderstood({ name }: Candidate): Finding {
  return { text: name, field: "text", value: null, reason: "not_understood" };
}

function chosen(best: Candidate, candidates: readonly Candidate[]): PlaceReading {
  const assumptions: Finding[] = [], unresolved: Finding[] = [];
  let place = best.name;
  const town = candidates.find((other) => other !== best && other.preposition === "in" && other.start > best.start);
  if (town !== undefined && best.preposition !== "in" && best.marked) place = `${best.name}, ${town.name}`;
  // "新宿西口 500": a number beside a name may be anything.
  const number = /^(.{2,50}) (\d{3,6})$/u.exec(place);
  if (number !== null && Number(number[2]) % 50 === 0) {
    place = number[1]!;
    unresolved.push({ text: number[2]!, field: "text", value: Number(number[2]), reason: "not_understood" });
  }
  const two = place.split(/(?<=[一-龠ァ-ヶー])(?:か|または|もしくは)(?=[一-龠ァ-ヶ])| or /iu);
  if (two.length > 1) {
    unresolved.push({ text: place, field: "place", value: place, reason: "two_places" });
    place = two[0]!;
  }
  if (!best.marked && !SUFFIX.test(place) && !isName(place) && !hasKnownName(place)) {
    assumptions.push({ text: place, field: "place", value: place, reason: "place_unsure" });
  }
  for (const other of candidates) {
    if (other === best || other === town || !isWorthANote(other.name)) continue;
    const isPlace = other.marked && best.marked && other.score >= best.score - 1;
    unresolved.push(isPlace ? { ...notUnderstood(other), field: "place", reason: "two_places" } : notUnderstood(other));
  }
  return { place, ownPosition: false, assumptions, unresolved };
}

/** Kanji, katakana, or a word that begins with a capital: as names are written. */
function isName(text: string): boolean {
  const hiragana = (text.match(HIRAGANA) ?? []).length;
  return /^[一-龠々ァ-ヶーA-Z0-9]/u.test(text) && hiragana <= text.length / 2 && text.length <= 30;
}

/**
 * Japanese writes no spaces inside a name, but people do between its parts: 横浜駅 東口. Words in kanji and katakana stay
 * together; a word with hiragana is one by itself: 岡崎城 桜まつり.
 */
function words(chunk: { text: string; start: number }): { text: string; start: number }[] {
  if (!CJK.test(chunk.text)) return [chunk];
  const found: { text: string; start: number }[] = [];
  let start = chunk.start;
  for (const word of chunk.text.split(/( )/u)) {
    const last = found.at(-1);
    const isBare = (text: string) => !/[ぁ-ん]/u.test(text) && !/^\d{1,4}[台人名]/u.test(text);
    if (word !== " " && word !== "") {
      const isJoined = last !== undefined && last.start + last.text.length === start - 1 && isBare(last.text) &&
        isBare(word);
      if (isJoined) last.text += ` ${word}`;
      else found.push({ text: word, start });
    }
    start += word.length;
  }
  return found;
}

/** A text of one thing in small letters: "shinjuku", なんば. */
function isLoneWord(name: string, count: number): boolean {
  return count === 1 && (/^[ぁ-んー]{2,10}$/u.test(name) || /^[\p{L}' -]{3,30}$/u.test(name)) &&
    name.split(" ").length <= 3;
}

/** Words whose being left over says something: not a particle, not a letter. */
function isWorthANote(name: string): boolean {
  return name.length > 1 && (!/^[ぁ-んー]{1,3}$/u.test(name)) && !/^(?:place|places|free|park)$/iu.test(name);
}

function chunks(rest: string): { text: string; start: number }[] {
  const found: { text: string; start: number }[] = [];
  let start = 0;
  for (
    const piece of rest.split(
      /([\uE000\uE001]{1,600}|[、。!?;:()\[\]「」『』【】"\n…・~→]| ?, | \/ |(?<!(?:^|[^\p{L}])(?:St|Mt|Dr|Ft|No|Mr|Mrs|st|mt))\.(?= |$))/u,
    )
  ) {
    if (!/^[\uE000\uE001、。!?;:,.]/u.test(piece) && LETTER.test(piece)) found.push({ text: piece, start });
    start += piece.length;
  }
  return found;
}

function japanese(scanner: Scanner, chunk: string, at: number): Candidate[] {
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

/** Words in hiragana that remain of a sentence and are no place. */
const GRAMMAR =
  /^(?:ある|いる|する|なる|ない|どう|どこ|どれ|こと|もの|とき|ため|さん|ほう|ください|近い|近く|遠い|それ|これ|あれ|そう|もう|まだ|また|ほか|など|くる|いく|みる|やる|だけ|しか|です|ます|した|して|から|まで|ので)$/u;
const NEAR_END = new RegExp(`(?:の|、| )?${NEAR}(?:の|で|に|から|は|へ|を|が)?$`, "u");
const NEAR_ONLY = new RegExp(`^(?:の)?${NEAR}(?:の|で|に|から|は|へ|を|が)?$`, "u");

function japaneseName(piece: string, start: number, particle: string, after: string, afterTaken: boolean): Candidate[] {
  let name = strip(piece, afterTaken);
  if (name === "" || !LETTER.test(name)) return [];
  // X(に|から)近い: the particle was cut off with the name.
  const isNear = NEAR_END.test(piece.trim()) || /^(?:に|から)(?:一番)?近/u.test(particle + after);
  if (NEAR_ONLY.test(name) || NEAR_ONLY.test(piece.trim())) {
    return [{ name: "", score: 0, start, marked: false, preposition: "" }];
  }
  name = strip(name.replace(NEAR_END, ""), false).replace(/(?<=駅)前$/u, "");
  if (!LETTER.test(name) || CODE.test(name) || name.length > LONGEST || GRAMMAR.test(name)) return [];
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
  return [{ name, score, start, marked: isNear || score >= 5, preposition: "" }];
}

function strip(text: string, afterTaken: boolean): string {
  let name = text;
  for (let step = 0; step < 6; step++) {
    const before = name;
    name = name.replace(LEADING_LONG, "");
    // A name may begin with に or と; after a word that was taken, or before kanji, it is a particle.
    if (LEADING.test(name) && ((step === 0 && afterTaken) || !/^.[ぁ-ん]/u.test(name))) name = name.slice(1);
    name = name.replace(TRAILING_NAME, "$1").replace(TRAILING_CODE, "");
    if (name === before) break;
  }
  return name.trim();
}

/** Particles at the end of a name in kanji or katakana; a name in hiragana keeps its last letter unless で or に. */
const TRAILING_NAME = new RegExp(`([^ぁ-ん])(?:${TRAILING.source.slice(0, -1)})$`, "u");
const TRAILING_CODE = /(?:にて|での|への|(?<=[ぁ-ん]{2})[でにへを]|[、,.。・:'"!?()\[\]/&+ -])$/u;

function english(chunk: string, at: number, afterDistance: boolean): Candidate[] {
  const found: Candidate[] = [];
  const marks = [...chunk.matchAll(EN_SPLIT)];
  let from = 0, preposition = "";
  const add = (piece: string, start: number) => {
    let name = piece.trim();
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
    if (name === "" || !LETTER.test(name) || CODE.test(name) || name.length > LONGEST) return;
    if (/^(?:not|except|outside of|avoid|anything but) /iu.test(name)) return;
    const words = name.split(" ");
    let score = STRONG.test(preposition) ? 6 : WEAK.test(preposition) ? 4 : preposition === "" ? 0 : 1;
    // "500 m from": the words after a distance name where it is measured from.
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
    // "Museum of Art", "Bank of Japan": of is inside a name after a capital.
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
