/** Prices in the text. */
import type { Scanner, Span } from "./scanner.ts";

/** The thing that an amount pays for. */
export type PriceUnit =
  /** A period is a week, a month or a year. */
  | { readonly of: "stay" | "day" | "period" }
  /** Price per this many minutes. */
  | { readonly of: "rate"; readonly minutes: number };

export interface Price extends Span {
  readonly kind: "price";
  readonly least: number | null;
  readonly most: number | null;
  readonly unit: PriceUnit;
  /** The text does not state whether it is a bound ("about", or no word). */
  readonly vague: boolean;
  /** One coin: also the name of an attribute. */
  readonly coin: boolean;
  /** The words name a maximum fee: 最大料金, daily max. */
  readonly cap: boolean;
}

/** An amount that cannot become a condition. */
export interface OtherMoney extends Span {
  readonly kind: "other_money";
  readonly why: "currency" | "free_part";
}

const AMOUNT =
  /(?<![\d.])(?:¥? ?(?<range>\d{1,6}) ?(?:円|yen)? ?(?:~|-|から|to|and) ?)?(?:¥ ?(?<sign>\d{1,7}(?:\.\d)?)(?<signk>k)?(?: ?円)?|(?<plain>\d{1,7}(?:\.\d)?) ?(?<k>k|千|万)? ?(?:円(?![札玉硬]|ずつ)|(?:yens?|jpy)(?![a-z])))/giu;

const FOREIGN =
  /[$€£₩] ?\d{1,7}(?:\.\d{1,2})?|\d{1,7}(?:\.\d{1,2})? ?(?:dollars?|bucks|usd|eur|euros?|pounds|ドル|ユーロ|ポンド|ウォン|元(?!町))(?![a-z])/giu;

const FREE_PART =
  /(?:最初の?|初回|はじめの|first|初め)? ?(?:\d{1,3} ?)?(?:時間|分|hours?|minutes?|mins?)(?:間|以内|まで)?(?:は|が|なら|だけ|であれば)? ?(?:無料|タダ|(?:is |are |for )?free)|(?<![a-z-])free (?:for )?(?:the )?(?:first )?(?:\d{1,3} ?)?(?:hours?|minutes?|mins?)/giu;

/** What a customer has to buy, with an amount that no parking costs: 2000円以上のお買い上げで, "spend at least 2000 yen". */
const PURCHASE =
  /(?:税込み?)?(?:¥ ?\d{1,6}|\d{1,6} ?円)(?:以上の?(?:[おご]?(?:買|購入|利用|飲食|食事|使)|で(?=[^。、]{0,8}(?:無料|割引|券)))|(?:の|を|分)?(?:お?買い?物|お?買い?上げ|購入|買[うっえ]))(?:い?物|い?上げ)?(?:した|って?|った|う|え)?(?:ら|ば|と|で|すると|の)?|(?<![a-z])(?:(?<!(?:n't|not|cannot|never) (?:[a-z]{1,6} ){0,2})spend(?:ing)? (?:at least|over|more than)|spent|(?:buy(?:ing)?|bought)(?: something)?(?: for| over| at least)?|purchases?(?: of)?(?: over| at least| more than)?) ?(?:¥ ?\d{1,6}|\d{1,6} ?(?:yen|jpy)(?![a-z]))|\d{1,6} ?(?:yen|jpy) (?:or more )?(?:purchase|shopping|receipt)(?![a-z])/giu;

const FREE =
  /無料|(?<![ァ-ヶ])タダ(?![ァ-ヶ])|ただで(?=停|止|駐|と)|(?<![\d,])0円(?!札)|no charge|free of charge|(?<=(?:park for|parking(?: is| for)?) )free(?![ -](?:of|for the first))|(?<!(?:hands|toll|step|barrier|feel|hassle|stress)[ -])(?<![a-z])free(?= (?:parking|lot|car park|garage|of charge|to park)|,|\.|$| (?:near|in|at|around))/giu;

const COIN = /ワンコイン|500円玉(?: ?[1一]枚)?|one[- ]coin/giu;

/** A number that is only a price because of the words around it. */
const BARE =
  /(?:予算は?|budget (?:is |of )?|上限は?|(?:can't|cannot|can not|don't want to|won't|wouldn't|not) (?:pay|spend) (?:more than|over)|under|below|less than|up to|no more than|at most|max(?:imum)?(?: of)?|cheaper than) ?(?:about |around )?(?<a>\d{3,6}|\d{1,2}(?:\.\d)?(?<k>k))(?! ?(?!(?:for|in|at|near|around|by|please|today|tonight|tomorrow|per|an?|each)(?!\p{L}))[\p{L}\d:.])|(?<![\d.:/-])(?<b>\d{3,6}) ?(?:(?:以内|以下|未満)(?! ?の?距離)|(?:or (?:less|under|below|cheaper)|max(?:imum)?|tops|at most)(?![a-z]))|(?<![\d.:/-])(?:[1-9]\d{1,4} ?(?:-|~|to) ?)?(?<c>[1-9]\d{2,4})(?= ?(?:\/ ?|an |per )h(?:ou)?r(?![a-z]))/giu;

const RATE_AFTER =
  /^ ?(?:\/|per|an?|each|every|あたり|毎) ?(?<n>\d{1,3})? ?(?<u>時間?|h(?:ou)?rs?|h|hour|分|min(?:ute)?s?|日|day|d|泊|night|half(?: an)? hour|週間?|weeks?|年|years?)(?![a-z])|^ ?(?<hourly>hourly)|^ ?(?<daily>daily|日額)/iu;
const RATE_BEFORE =
  /(?<!時 ?|\d)(?<n>\d{1,3}) ?(?<u>時間|h|hours?|分|min(?:ute)?s?)(?: ?(?:あたり|当たり|当り|につき|毎に?|ごとに?|の?料金[がは]?))?(?:が|は|:|=|\/)? ?$|(?<hourly>時給|時間単価|hourly(?: rate)?(?: of)?) ?$/iu;
const CAP_BEFORE =
  /(?:(?:1日|24時間|24h|当日|日中|昼間|夜間|平日|土日祝?|12時間)の? ?)?(?:最大(?:料金)?|上限(?:料金)?|打ち?止め|daily (?:max(?:imum)?|cap)(?: of| fee)?|day ?max|capped at|(?:a )?cap(?: of)?)(?:が|は|で|も|:)? ?$/iu;
const DAY_BEFORE = /(?:1日(?:あたり|当たり|につき|で|に)?|日額|日あたり|daily|per day|a day|1泊) ?$/iu;
const WEEK_BEFORE = /(?<![\d今来先翌])週 ?$/u;
const MOST_BEFORE =
  /(?:(?:can't|cannot|can not|don't want to|won't|wouldn't|not) (?:pay|spend) (?:more than|over)|under|below|less than|up to|no more than|not more than|not over|at most|max(?:imum)?(?: of)?|within|cheaper than|not exceed(?:ing)?|(?:my )?budget(?: is| of|'s)?:?|予算(?:は|が)?|上限(?:は|が)?|せいぜい|~)(?: about| around)? ?$/iu;
const ABOUT_BEFORE = /(?:around|about|approximately|approx\.?|roughly|~|約|だいたい|大体) ?$/iu;
const LEAST_BEFORE = /(?:over|more than|at least|from) ?$/iu;
const MOST_AFTER =
  /^ ?(?:(?:以内|以下|未満|まで|より安|を超えな|を超えたくな|で収|で済|でおさ|内で|から出ない|以上(?:は|だと|の|かか|で)?[^。、 ]{0,6}?(?:払|出せ|無理|厳し|きつ|嫌|いや|ダメ|駄目|困|NG|避け))[^。、 ]{0,8}?(?=[。、 ]|$|\p{Script=Han}|で)|(?:以内|以下|未満|まで)|(?:max(?:imum)?|tops|at most|or (?:less|under|below|lower|cheaper)|limit|以内)(?![a-z]))/iu;
const ABOUT_AFTER = /^ ?(?:くらい|ぐらい|程度|前後|ほど|or so|ish)(?:まで|以内)?(?:の|で)?/iu;
const LEAST_AFTER = /^ ?(?:以上|から(?![ぁ-ん])|or more|and up)/iu;
const PER_AFTER_WORDS = /^ ?(?:の予算|の範囲)?/u;

function minutesOf(count: string | undefined, unit: string): number {
  const each = /^(?:分|min)/i.test(unit) ? 1 : /^half/i.test(unit) ? 30 : /^(?:日|泊|d|night)/i.test(unit) ? 1440 : 60;
  return (count === undefined ? 1 : Number(count)) * each;
}

/** The unit in words after an amount. */
function unitOf(rate: RegExpExecArray | null): PriceUnit | undefined {
  if (rate === null) return undefined;
  const { n, u, hourly, daily } = rate.groups!;
  if (/^(?:週|年|week|year)/iu.test(u ?? "")) return { of: "period" };
  const minutes = daily !== undefined ? 1440 : hourly !== undefined ? 60 : minutesOf(n, u!);
  return minutes === 1440 ? { of: "day" } : { of: "rate", minutes };
}

const scale = (mark: string | undefined): number => mark === undefined ? 1 : mark === "万" ? 10_000 : 1000;

/** Extends an amount to the words next to it, which determine what it limits. */
function readAmount(scanner: Scanner, match: RegExpExecArray, span: Span) {
  const groups = match.groups ?? {};
  const amount = Math.round(Number(groups["sign"] ?? groups["plain"]) * scale(groups["signk"] ?? groups["k"]));
  let least = groups["range"] === undefined ? null : Number(groups["range"]);
  let { start, end } = span;
  let unit: PriceUnit = { of: "stay" };
  let cap = false, bounded = false, about = false, atLeast = false;
  const stepBefore = (pattern: RegExp) => {
    const found = pattern.exec(scanner.before(start, 30));
    if (found !== null) start -= found[0].length;
    return found;
  };
  const stepAfter = (pattern: RegExp) => {
    const found = pattern.exec(scanner.after(end, 30));
    if (found !== null) end += found[0].length;
    return found;
  };
  unit = unitOf(stepAfter(RATE_AFTER)) ?? unit;
  stepAfter(PER_AFTER_WORDS);
  if (stepAfter(ABOUT_AFTER) !== null) about = true;
  else if (stepAfter(MOST_AFTER) !== null) bounded = true;
  else if (stepAfter(LEAST_AFTER) !== null) atLeast = true;
  if (unit.of === "stay") {
    const late = unitOf(stepAfter(RATE_AFTER));
    if (late !== undefined) {
      unit = late;
      if (stepAfter(MOST_AFTER) !== null) bounded = true;
    }
  }
  if (groups["range"] !== undefined) stepBefore(/(?:between|from) ?$/iu);
  for (let step = 0; step < 2; step++) {
    if (stepBefore(CAP_BEFORE) !== null) {
      cap = true;
      if (unit.of === "stay") unit = { of: "day" };
    } else if (stepBefore(MOST_BEFORE) !== null) bounded = true;
    else if (stepBefore(ABOUT_BEFORE) !== null) about = true;
    else if (stepBefore(LEAST_BEFORE) !== null) atLeast = true;
  }
  if (unit.of === "stay" && stepBefore(DAY_BEFORE) !== null) unit = { of: "day" };
  else if (unit.of === "stay" && stepBefore(WEEK_BEFORE) !== null) unit = { of: "period" };
  else if (unit.of === "stay" && !cap) unit = rateBefore(scanner, start, (length) => start -= length) ?? unit;
  if (atLeast && !bounded && least === null) least = amount;
  return {
    kind: "price" as const,
    start,
    end,
    least,
    most: least === amount ? null : amount,
    unit,
    vague: about || (!bounded && !atLeast && !cap && groups["range"] === undefined && unit.of !== "rate"),
    coin: false,
    // A maximum per day is a common name for a maximum fee: 1日最大1500円, "max 1500 yen a day".
    cap: cap || (unit.of === "day" && /最大|上限|max|cap/iu.test(scanner.text.slice(start, end))),
  };
}

/** 1時間300円, 30分200円: short durations before an amount are its unit. Longer ones are stays. */
function rateBefore(scanner: Scanner, start: number, widen: (length: number) => void): PriceUnit | undefined {
  const found = RATE_BEFORE.exec(scanner.before(start, 30));
  if (found?.groups === undefined) return undefined;
  const { n, u, hourly } = found.groups;
  const minutes = hourly !== undefined ? 60 : minutesOf(n, u!);
  const said = /あたり|当たり|当り|につき|毎|ごと|料金|\//u.test(found[0]);
  if (!said && minutes > 60) return undefined;
  widen(found[0].length);
  return { of: "rate", minutes };
}

export function takePrices(scanner: Scanner): (Price | OtherMoney)[] {
  const otherMoney = (why: OtherMoney["why"]) => () => ({ kind: "other_money" as const, why });
  const simple = (amount: number, coin: boolean) => ({
    kind: "price" as const,
    least: null,
    most: amount,
    unit: { of: "stay" } as PriceUnit,
    vague: false,
    coin,
    cap: false,
  });
  const purchases = scanner.take(PURCHASE, otherMoney("free_part"));
  return [
    ...purchases,
    ...scanner.take(FREE_PART, otherMoney("free_part")),
    ...scanner.take(FOREIGN, (_, span) => {
      const bound = MOST_BEFORE.exec(scanner.before(span.start));
      const rate = span.end + (RATE_AFTER.exec(scanner.after(span.end))?.[0].length ?? 0);
      const after = MOST_AFTER.exec(scanner.after(rate));
      return {
        ...otherMoney("currency")(),
        start: span.start - (bound?.[0].length ?? 0),
        end: rate + (after?.[0].length ?? 0),
      };
    }),
    ...scanner.take(COIN, (_, span) => {
      const day = DAY_BEFORE.exec(scanner.before(span.start));
      return {
        ...simple(500, true),
        unit: { of: day === null ? "stay" : "day" } as PriceUnit,
        start: span.start - (day?.[0].length ?? 0),
        end: span.end + (/^(?:以内|以下|まで)/u.exec(scanner.after(span.end))?.[0].length ?? 0),
      };
    }),
    ...scanner.take(AMOUNT, (match, span) => readAmount(scanner, match, span)),
    // Free for customers is not free.
    ...(purchases.length === 0
      ? scanner.take(FREE, () => simple(0, false))
      : scanner.take(FREE, otherMoney("free_part"))),
    ...scanner.take(
      BARE,
      ({ groups }, span) => {
        const amount = Number.parseFloat(groups!["a"] ?? groups!["b"] ?? groups!["c"]!) * scale(groups!["k"]);
        const rate = RATE_AFTER.exec(scanner.after(span.end));
        let { start } = span;
        const unit = unitOf(rate) ?? rateBefore(scanner, start, (length) => start -= length);
        return {
          ...simple(amount, false),
          vague: true,
          ...(unit ? { unit } : {}),
          start,
          end: span.end + (rate?.[0].length ?? 0),
        };
      },
    ),
  ];
}
