/** The place: the part of the text that no other recogniser consumed. */
import { FILLERS, isInKatakana, isInName } from "./fillers.ts";
import type { Finding } from "./notes.ts";
import { type Candidate, CJK, englishCandidates, HIRAGANA, japaneseCandidates, LETTER, SUFFIX } from "./place_names.ts";
import { FILLER, type Scanner, type Span } from "./scanner.ts";
import { hasKnownName } from "./well_known.ts";

export interface PlaceReading {
  readonly place: string | null;
  /** Other words that can name the place: words inside it, and the other candidates. */
  readonly others: readonly string[];
  /** 渋谷のラーメン屋: words that are only a place in a text about parking. */
  readonly parts: readonly string[];
  readonly isLeftOver: boolean;
  readonly ownPosition: boolean;
  readonly assumptions: readonly Finding[];
  readonly unresolved: readonly Finding[];
}

const OWN_JA =
  /(?:今(?:いる|居る)(?:場所|ところ|所|とこ)|いま(?:いる|居る)(?:場所|ところ|とこ)|現在(?:地|位置|の場所)|(?:私|自分|僕|俺)(?:の)?(?:いる|居る)?(?:場所|ところ|近く|周り|周辺)|この(?:場所|近く|近辺|付近|周辺|辺り?|あたり|へん|近所)|ここ(?:ら(?:辺|へん))?|こちら|そこら(?:辺|へん)|近所|(?<=^|[、。 ])近場(?=[、。 で]|$))(?:の|から|で|に|は)?(?:一番|最も)?(?:近く|近い|近場|周辺|付近|辺り|あたり|すぐ)?(?:の|で|に|から)?|最寄り(?:の|で)?/gu;
const OWN_EN =
  /(?:(?:near|around|close to|next to|by|closest to|nearest to|from) (?:me|us|my (?:current )?(?:location|position)|here|where i(?:'m| am)(?: now)?|my place right now|this (?:place|area|location))|near-?by|close ?by|around here|right here|in (?:the|this) (?:area|vicinity|neighbou?rhood)|within reach|my (?:current )?(?:location|position)|(?<=(?:^|\uE000|\uE001|,) ?)here(?=[\uE000\uE001,.?! ]|$))(?![a-z])/giu;

/** Places that only the user knows. Without other words they are not a place. */
const GENERIC =
  /^(?:(?:私|うち|自分|僕|俺|わたし|彼女|彼|友達|友人|実家|両親|妻|夫|子ども|子供)の)?(?:駅|会社|職場|家|自宅|うち|実家|ホテル|宿|病院|学校|保育園|幼稚園|塾|スキー場|会場|お?店|レストラン|オフィス|事務所|コンビニ|スーパー|銀行|郵便局|公園|空港|現場|大学|市役所|役所|ショッピング(?:モール|センター)|商業施設|デパート|百貨店|映画館|マンション|アパート|ビル|海|山|街|町|都心|市内|駅前|(?:\d{1,2}番?)?[東西南北]?出口|目的地|そこ|あそこ|どこか|どこでも)$|^(?:the |my |our |a |an |his |her )?(?:home|house|apartment|flat|office|work|workplace|company|hotel|hospital|school|station|airport|venue|restaurant|shop|store|mall|beach|gym|clinic|downtown|city|town|area|center|centre|destination|friend'?s(?: (?:house|place))?|girlfriend|boyfriend|parents'?(?: house)?)$/iu;

/** Such a text is source code or markup: only the words after "near" can be a place. */
const CODE_TEXT = /[{}<>=*|\\$_]|--/u;

const NUMBER_LEFT = /\d[\d.:/-]{0,12}/gu;

export interface Known {
  /** Another recogniser consumed a part of the text. */
  readonly hasMore: boolean;
  readonly distances: readonly Span[];
  /** "the nearest": nearest to the user, if no place is named. */
  readonly wantsNearest: boolean;
  /** The text refines a previous search. */
  readonly hasContext: boolean;
}

/** Words directly after a time that mark it as a start or an end. */
const ROLE_WORDS =
  /(?<=\uE000)(?:ごろ|頃|くらい|ぐらい|過ぎ|すぎ)?(?: ?(?:から|まで|より|には?|で|の)?(?:到着|着(?:き)?|発|集合|出発|スタート|開始|以降|入庫|出庫|イン|アウト)(?![一-龠ァ-ヶ])(?:で|です|に|して)?|から(?!の駅)|まで|より)(?:に|の(?!駅)|で|は)?/gu;

export function readPlace(scanner: Scanner, known: Known): PlaceReading {
  const isOwn = takeFillers(scanner);
  const { candidates, generic, isNear } = collect(scanner, known.distances);
  const best = candidates.toSorted((a, b) => b.score - a.score || a.start - b.start)[0];
  if (best === undefined || !isAcceptable(best, candidates.length, known, scanner.text)) {
    const unresolved: Finding[] = candidates.filter(({ name }) => isWorthANote(name)).map(notUnderstood);
    if (generic !== null) unresolved.push({ text: generic, field: "place", value: null, reason: "whose_place" });
    const ownPosition = generic === null && (isOwn || isNear || known.wantsNearest);
    unresolved.push(...numbersLeft(scanner, candidates));
    return { place: null, others: [], parts: [], isLeftOver: false, ownPosition, assumptions: [], unresolved };
  }
  const reading = chosen(best, candidates);
  return { ...reading, unresolved: [...reading.unresolved, ...numbersLeft(scanner, candidates)] };
}

/** Numbers that are neither recognised nor part of a name, as a price can be: "Ginza for 5000". */
function numbersLeft(scanner: Scanner, candidates: readonly Candidate[]): Finding[] {
  return [...scanner.rest.matchAll(NUMBER_LEFT)].map(([text]) => text)
    .filter((text) => !candidates.some(({ name }) => name.includes(text)))
    .map((text) => ({ text, field: "text", value: Number(text) || null, reason: "not_understood" }));
}

/** Whether the text contains a form of "near me". */
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
      ? japaneseCandidates(scanner, text, start)
      : englishCandidates(text, start, distances.some(({ end }) => end === start || end === start - 1));
    for (const candidate of found) {
      if (candidate.name === "") isNear = true;
      else if (GENERIC.test(candidate.name)) generic ??= candidate.name;
      else candidates.push(candidate);
    }
  }
  return { candidates, generic, isNear };
}

/** A remaining word after "cheaper" is not a new place, and neither is a word of source code. */
function isAcceptable(best: Candidate, count: number, known: Known, text: string): boolean {
  const { name, score, marked } = best;
  if (score <= -2) return false;
  // One character of 歌って is no name. 津 alone is one.
  if (name.length === 1 && !marked && !hasKnownName(name) && text !== name) return false;
  if (CODE_TEXT.test(text.replace(/\$(?= ?\d)/gu, ""))) return marked;
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
  // "新宿西口 500": a number next to a name is ambiguous.
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
  const others = [...wordsInside(place), ...candidates.map(({ name }) => name)]
    .filter((name, index, all) => name !== place && isWorthANote(name) && all.indexOf(name) === index);
  return {
    place,
    others,
    parts: CJK.test(place) ? place.split("の").filter((part) => part !== place && part.length > 1) : [],
    isLeftOver: !best.marked,
    ownPosition: false,
    assumptions,
    unresolved,
  };
}

/** 水族館 葛西臨海公園, "Fuji Rock, Naeba": each word can be the place. */
function wordsInside(place: string): string[] {
  const parts = place.split(CJK.test(place) ? / |、|・/u : /, /u);
  return parts.length > 1 ? parts : [];
}

const CAPITALISED = /^\p{Lu}[\p{L}'-]{1,20}(?: (?:[\p{Lu}\d][\p{L}\d'-]{0,20}|of|the|and|de)){1,7}$/u;

/** Kanji, katakana, or a capitalised word, like most names. */
function isName(text: string): boolean {
  if (CAPITALISED.test(text)) return true;
  const hiragana = (text.match(HIRAGANA) ?? []).length;
  return /^[一-龠々ァ-ヶーA-Z0-9]/u.test(text) && hiragana <= text.length / 2 && text.length <= 30;
}

/**
 * Japanese names contain no spaces, but users type spaces between their parts: 横浜駅 東口. Words in kanji and katakana are
 * joined. A word with hiragana is separate: 岡崎城 桜まつり.
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

/** A text that is a single lower case word: "shinjuku", なんば. */
function isLoneWord(name: string, count: number): boolean {
  return count === 1 && (/^[ぁ-んー]{2,10}$/u.test(name) || /^[\p{L}' -]{3,30}$/u.test(name)) &&
    name.split(" ").length <= 3;
}

/** Remaining words that matter: not a particle, not a single letter. */
function isWorthANote(name: string): boolean {
  return name.length > 1 && !/^(?:place|places|free|park)$/iu.test(name);
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
