/**
 * Attributes that a lot must have, by the words for them. To add words, edit the row of the attribute. Japanese words
 * match anywhere, English words match as whole words.
 */
import { type Polarity, polarityOf } from "./negation.ts";
import type { Scanner, Span } from "./scanner.ts";
import type { AttributeName } from "./types.ts";

export interface Attribute extends Span {
  readonly kind: "attribute";
  readonly name: AttributeName;
  readonly polarity: Polarity;
  /** The words usually imply the attribute but do not name it: 地下 usually means covered. */
  readonly assumed: boolean;
}

interface Row {
  readonly name: AttributeName;
  readonly ja: string;
  readonly en: string;
  readonly assumed?: true;
}

/** Runs before durations, because 24時間 is also a duration. */
const AROUND_THE_CLOCK: readonly Row[] = [
  {
    name: "24h",
    ja:
      "24(?:時間|h)(?:いつでも)?(?:で|、|の|は)? ?(?:入出庫|入出場|出入庫|出し入れ|出入り|出入|入出)(?:が|も)?(?:自由|可能?|ok|できる|でき)?",
    en:
      "(?:24[ -]?h(?:ou)?rs?|24h|24/7|round[- ]the[- ]clock)[ -](?:access|in[ -]and[ -]out|in/out|entry and exit)|(?:enter and exit|in and out|entry and exit)(?: at)? (?:any ?time|24/7|24 hours|24h)",
  },
  {
    name: "entry_24h",
    ja:
      "24(?:時間|h)(?:で|、|の|いつでも)? ?(?:入庫|入場|入れる)(?:が|も)?(?:可能?|ok|できる)?|いつでも入庫(?:可能?|できる)?|深夜(?:でも|も)?入庫(?:可能?|できる|ok)?",
    en: "(?:24[ -]?h(?:ou)?r?s?|24/7)[ -]entry|entry (?:24 hours|24h|24/7|(?:at )?any ?time|at any hour)",
  },
  {
    name: "open_24h",
    ja:
      "24(?:時間|h)(?:いつでも)? ?(?:営業|オープン|開いて|空いて|あいて|やって|利用|使え|対応|ok|可)(?:して)?(?:い?る|いる|可能?|でき(?:る)?)?|年中無休|24(?:時間|h)(?:の|で)?(?=(?:の)?(?:駐車場|パーキング|コインパ|ところ|とこ)|[、。・\\uE000]|$| )",
    en:
      "(?:open |available |is )?(?:24/7|24[ -]?h(?:ou)?rs?(?: a day)?|24h|round[- ]the[- ]clock|around the clock|all hours)(?: open| parking| lot)?|open (?:all night|at all hours)|never closes?|always open",
  },
];

const ROWS: readonly Row[] = [
  {
    name: "covered",
    ja:
      "屋根(?:付き?|つき|あり|有り?|下|のある|がある|の下|アリ)?|屋内|室内|雨(?:の日)?(?:でも|に|が)?(?:濡れ|ぬれ|当たら|かから|を?しのげ)(?:ない|ず|る)?(?:で済む)?|雨よけ|雨除け|カーポート|車庫(?!証明)",
    en:
      "covered|(?<!high[ -]|tall )roof(?:ed)?|indoors?|under ?cover|sheltered?|out of the (?:rain|sun|weather)|inside parking",
  },
  {
    name: "covered",
    ja: "地下(?=の|駐|に停|が|で|、|。|$| |パーキング)(?:駐車場)?",
    en: "under ?ground(?! (?:station|line))|basement",
    assumed: true,
  },
  {
    name: "ev_charging",
    ja:
      "(?:ev|電気自動車|電気|電動車|phev|phv|ev車)?の? ?(?:急速|普通|ev)?充電(?:器|スタンド|設備|スポット|ステーション|ポート)?(?:付き?|つき|あり|有り?|可能?|対応|(?:の|が)ある|できる|でき(?=て|、|ま)|したい|しながら)?|充電でき(?:る|て)|ev(?:対応|スタンド|設備|付き?|ok|可)|チャデモ|テスラ(?:の)?(?:スーパーチャージャー|充電)|ev(?=[、。・\\uE000]|$|も|と|が| (?!charg))",
    en:
      "(?:an? )?(?:ev|electric(?: car| vehicle)?|tesla)[ -]?(?:rapid |fast )?charg(?:ing|ers?|e)(?: (?:station|point|spot|port)s?)?|(?:fast |rapid )?charg(?:ers?|ing)(?: (?:station|point|spot|port)s?)?|charge (?:my|our|the) (?:tesla|ev|electric car|car|leaf)|superchargers?|plug in my (?:car|ev)|ev",
  },
  {
    name: "oversized_ok",
    ja: "大型車?(?:両)?(?:も|でも|が)?(?:可能?|ok|対応|停められ|駐車可)(?:る)?",
    en: "oversized?(?: vehicles?)?(?: ok| allowed)?|large vehicles?(?: ok| allowed| welcome)?",
  },
  {
    name: "wheelchair_accessible",
    ja:
      "車(?:椅子|いす|イス)(?:の人|の方|用|専用|対応|でも|利用者?|使用者|スペース)?(?:の)?(?:使え|利用でき|停められ|入れ)?(?:る)?(?:ok|可)?|身障者(?:用|スペース|向け)?|障(?:害|がい|碍)者(?!割引|手帳)(?:用|対応|向け)?|思いやり(?:駐車場|スペース|区画)|ハンディキャップ",
    en:
      "wheel-?chairs?(?:[ -](?:accessible|users?|friendly|access|space|spot|bay))?|disabled(?: (?:parking|space|spot|bay|access|person|badge))?|handicap(?:ped)?(?:[ -]accessible)?(?: (?:parking|space|spot))?|blue badge|accessible (?:parking|spot|space|bay)",
  },
  {
    name: "barrier_free",
    ja: "バリアフリー(?:対応)?|段差(?:が|の)?(?:ない|なし|無し|無い|少ない)|スロープ(?:付き?|あり)?",
    en: "barrier[ -]free|step[ -]free|no steps|without steps|no stairs",
  },
  {
    name: "reservable",
    ja:
      "(?:事前)?予約(?!(?:を|の)?(?:キャンセル|取り?消|変更|確認)|した|して[いあるま]|が入|済|の(?:時間|店|レストラン)|があ|なの|だから)(?:が|は|も)?(?:可能?|できる|でき(?=て|、|ま)|ok|制|対応|したい|取れる|とれる|して(?:おき|停め)たい)?",
    en:
      "(?<!cancel (?:my |the |a )?)reserv(?:able|ations?|e|ed)(?: (?:a |the )?(?:space|spot|in advance|ahead))?|book(?:able|ing)?(?: (?:a |the )?(?:space|spot|in advance|ahead))?|pre-?book(?:able|ing)?",
  },
  {
    name: "security_camera",
    ja: "(?:防犯|監視|セキュリティ)カメラ(?:付き?|つき|あり|有り?|設置|(?:の|が)ある)?|カメラ(?:付き?|あり|設置)",
    en: "(?:security|surveillance) cam(?:era)?s?|cctv|cameras",
  },
  {
    name: "security_camera",
    ja: "防犯(?:対策|設備)?|セキュリティ(?:が)?(?:しっかり|万全)?",
    en: "(?:well[- ])?secured?(?= parking| lot| garage|,|\\.|$)|security",
    assumed: true,
  },
  {
    name: "coin_500_or_less",
    ja: "500円以下で?1日",
    en: "one[- ]coin parking",
  },
  {
    name: "has_max_fee",
    ja:
      "(?:1日|24時間|当日|夜間)?最大料金(?:が|の|も)?(?:あり|有り?|ある|設定|付き?|つき)?|上限(?:料金|金額|額)?(?:が|の|も)?(?:あり|有り?|ある|設定|付き?)?|打ち?止め(?:料金)?(?:が)?(?:あり|ある)?|料金(?:の)?上限(?:が)?(?:あり|ある)?",
    en:
      "(?:daily|day|max(?:imum)?|price|fee|rate)[ -](?:cap|max(?:imum)?|fee cap|limit)(?: rate| fee)?|(?:capped|max(?:imum)?) (?:rate|fee|price|daily)|capped|(?:has |have )?a cap",
  },
  {
    name: "monthly_available",
    ja:
      "月極(?:め)?(?:の)?(?:契約|駐車場)?|(?<![\\d一-龠])月々?(?=\\uE000)|月ぎめ|マンスリー|月額|定期(?:契約|利用|駐車)",
    en: "monthly(?: (?:contract|parking|rental|lease|pass))?|(?:a |per |\\/ ?)month|month[- ]to[- ]month|by the month",
  },
  {
    name: "near_station",
    ja:
      "(?<![一-龠ァ-ヶーa-z0-9])駅(?:から)?(?:近|チカ|ちか)(?:い|く)?|駅に近い|(?<![一-龠ァ-ヶーa-z0-9])駅(?:直結|直通)|(?<![一-龠ァ-ヶーa-z0-9\\uE000])(?:駅前|駅(?:の)?(?:近く|そば|すぐ)|駅から(?:近い|すぐ))",
    en:
      "(?:near|close to|next to|by|at|around) (?:a|the|any) (?:train |subway |metro |railway )?station(?! in| of|[ -][a-z])|station[- ](?:front|side)",
  },
  { name: "low_price", ja: "低(?:価格|料金)", en: "low[ -](?:priced?|cost|fees?|rates?)" },
  {
    name: "partner_facility",
    ja: "(?:と|に)?提携(?:して(?:い)?る|駐車場|パーキング|店|施設|割引|先)?(?:が)?(?:あり|ある)?(?:の)?",
    en:
      "partner(?:ed)?(?: (?:lot|parking|facility|facilities|shop|store))?|affiliated|validated parking|parking validation",
  },
];

const compile = (rows: readonly Row[]) =>
  rows.map((row) => ({ row, pattern: new RegExp(`${row.ja}|(?<![a-z-])(?:${row.en})(?![a-z])`, "giu") }));
const CLOCK_PATTERNS = compile(AROUND_THE_CLOCK);
const PATTERNS = compile(ROWS);

/** 24時間停めたい and "for 24 hours" are durations of a stay. */
function isStay(scanner: Scanner, span: Span): boolean {
  return /(?:から|より|for|stay|丸|まる|next) ?$/iu.test(scanner.before(span.start)) ||
    /^ (?:from|starting)(?![a-z])|^(?:以上|ほど|くらい|まで|以内|だけ)?(?:停|止|駐車し|駐め|とめ|置|預|最大)/u.test(
      scanner.after(span.end),
    );
}

/** Starbucks Reserve Roastery: between capitalised words. */
function isOfName(scanner: Scanner, span: Span): boolean {
  return /^\p{Lu}/u.test(scanner.slice(span)) && /\p{Lu}\p{L}{1,20} $/u.test(scanner.before(span.start)) &&
    /^ (?!Parking|Lot|Garage|Space|Spot)\p{Lu}/u.test(scanner.after(span.end));
}

export function takeAroundTheClock(scanner: Scanner): Attribute[] {
  return CLOCK_PATTERNS.flatMap(({ row, pattern }) =>
    scanner.take(
      pattern,
      (match, span) =>
        row.name === "open_24h" && /^24(?:時間|h| h)/i.test(match[0]) && isStay(scanner, span)
          ? undefined
          : { kind: "attribute" as const, name: row.name, assumed: false, ...polarityOf(scanner, span) },
    )
  );
}

export function takeAttributes(scanner: Scanner): Attribute[] {
  return PATTERNS.flatMap(({ row, pattern }) =>
    scanner.take(
      pattern,
      (_, span) =>
        row.name === "reservable" && isOfName(scanner, span)
          ? undefined
          : { kind: "attribute" as const, name: row.name, assumed: row.assumed === true, ...polarityOf(scanner, span) },
    )
  );
}
