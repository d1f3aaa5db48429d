/** The words of signs, in Japanese, English, German and French. */
import type { NamedDay, Reason } from "./types.ts";

export type WordKind =
  | "add" // "+": nothing is added up, so it stays unread
  | "after_entry"
  | "all_day"
  | "all_days"
  | "before_noon"
  | "after_noon"
  | "bullet"
  | "cap"
  | "cap_heading"
  | "close"
  | "colon"
  | "comma"
  | "day_band"
  | "day_cap"
  | "day_unit"
  | "each"
  | "entry"
  | "eve"
  | "except"
  | "filler"
  | "first"
  | "flat"
  | "free"
  | "from"
  | "hour_unit"
  | "hours_of_lot"
  | "midnight"
  | "minute_unit"
  | "negation"
  | "next"
  | "next_day"
  | "no_cap"
  | "night_band"
  | "noon"
  | "once"
  | "only"
  | "open"
  | "overnight"
  | "payment"
  | "rate_heading"
  | "repeat"
  | "same"
  | "same_day"
  | "slash"
  | "stay"
  | "stay_limit"
  | "stop"
  | "thereafter"
  | "thereafter_each"
  | "to"
  | "until"
  | "until_midnight"
  | "usable"
  | "within";

export type Meaning =
  | { readonly [K in Exclude<WordKind, "to">]: { readonly kind: K } }[Exclude<WordKind, "to">]
  | { readonly kind: "to"; readonly isDash?: true }
  | { readonly kind: "days"; readonly days: readonly NamedDay[]; readonly strict?: true }
  | { readonly kind: "weekday_name"; readonly day: number }
  | { readonly kind: "condition"; readonly reason: Reason };

const words = (kind: WordKind, list: string) =>
  list.trim().split(/\s*\|\s*/).map((word) => [word, { kind } as Meaning] as const);
const conditions = (reason: Reason, list: string) =>
  list.trim().split(/\s*\|\s*/).map((word) => [word, { kind: "condition" as const, reason }] as const);
const days = (named: readonly NamedDay[], list: string, strict?: true) =>
  list.trim().split(/\s*\|\s*/).map((word) =>
    [word, { kind: "days" as const, days: named, ...(strict ? { strict } : {}) }] as const
  );
/** 0 is Monday. */
const weekdayNames = (lists: readonly string[]) =>
  lists.flatMap((list, day) => list.split("|").map((word) => [word, { kind: "weekday_name" as const, day }] as const));

const SYMBOLS: readonly (readonly [string, Meaning])[] = [
  ...words("open", "( | [ | 〔 | ｢"),
  ...words("close", ") | ] | 〕 | ｣"),
  ...words(
    "bullet",
    "■ | ● | ◆ | ▼ | ◎ | ○ | ※ | * | □ | ◇ | ★ | ☆ | ▶ | 【 | 】 | 『 | 』 | 《 | 》 | 〈 | 〉 | < | > | 「 | 」 | #",
  ),
  ...words("comma", ", | 、 | ・ | • | ·"),
  ...words("stop", "。 | . | ! | ;"),
  ...words("colon", ": | ： | = | …"),
  ["/", { kind: "slash" }],
  ["|", { kind: "bullet" }],
  ["~", { kind: "to" }],
  ["-", { kind: "to", isDash: true }],
  ["&", { kind: "comma" }],
  ["+", { kind: "add" }],
];

const JAPANESE: readonly (readonly [string, Meaning])[] = [
  ...days(["weekday"], "平日 | ウィークデー", true),
  ...days(
    ["weekday"],
    "月~金 | 月-金 | 月から金 | 月曜~金曜 | 月曜から金曜 | 月曜日~金曜日 | 月曜日から金曜日 | 月・火・水・木・金 | 月火水木金",
  ),
  ...days(["weekday", "saturday"], "月~土 | 月-土 | 月曜~土曜 | 月曜日~土曜日 | 月曜から土曜 | 月曜日から土曜日"),
  ...days(["saturday"], "土曜日 | 土曜 | 土"),
  ...days(["sunday"], "日曜日 | 日曜"),
  ...days(["holiday"], "祝日 | 祭日 | 祝祭日 | 祝"),
  ...days(["saturday", "sunday"], "土日 | 土・日 | 土、日 | 土曜・日曜 | 土曜日・日曜日 | 週末"),
  ...days(
    ["sunday", "holiday"],
    "日祝 | 日・祝 | 日、祝 | 日祝日 | 日・祝日 | 日、祝日 | 日曜祝日 | 日曜・祝日 | 日曜日・祝日 | 日祭日 | 休日",
  ),
  ...days(
    ["saturday", "sunday", "holiday"],
    "土日祝 | 土・日・祝 | 土、日、祝 | 土日祝日 | 土日・祝日 | 土・日・祝日 | 土・日祝 | 土日・祝 | 土、日、祝日 | 土曜・日曜・祝日 | 土曜日・日曜日・祝日 | 土曜日曜祝日 | 土日祝祭日",
  ),
  ...days(["holiday_eve"], "祝前日 | 祝日前日 | 祝日の前日 | 祭前日"),
  ...words(
    "all_days",
    "全日 | 毎日 | 平日・土日祝 | 平日・土日祝日 | 平日・土・日・祝 | 平日土日祝 | 平日休日とも | 曜日問わず | 月~日 | 月曜~日曜 | 全曜日 | 平日/土日祝とも",
  ),
  ...weekdayNames(["月曜日|月曜", "火曜日|火曜|火", "水曜日|水曜|水", "木曜日|木曜|木", "金曜日|金曜|金"]),
  ...words(
    "except",
    "を除く | は除く | 除く | 除外 | を除きます | は除きます | 以外 | は対象外 | 対象外 | は適用外 | 適用外 | は適用されません | には適用されません | を除いた",
  ),
  ...words("same", "土日祝も同料金 | 土日祝も同じ | 土日祝とも同料金 | 全日同料金"),
  ...words("only", "のみ適用 | のみ | に限る | 限定 | 限り | だけ"),
  ...words(
    "repeat",
    "繰り返し適用されます | 繰り返し適用します | 繰り返し適用いたします | 繰り返し適用になります | 繰り返し適用となります | 繰り返し適用可能 | 繰り返し適用可 | 繰り返し適用あり | 繰り返し適用有 | 繰り返し適用 | 繰り返し可能 | 繰り返し可 | 繰り返しあり | 繰り返し有り | 繰り返し有 | 繰り返しok | 繰り返します | 繰り返し○ | 繰り返し | 以降繰り返し | 以後繰り返し | 以降も繰り返し | 以降同様に繰り返し | 何度でも適用 | 何度でも | 何回でも適用 | 何回でも | 連続適用 | くり返し適用されます | くり返し適用 | くり返し可 | くり返し | 全て繰り返し | すべて繰り返し | 全て繰返し | すべて繰返し | 繰返し適用されます | 繰返し適用可 | 繰返し適用 | 繰返し可能 | 繰返し可 | 繰返しあり | 繰返し有 | 繰返し | 繰返 | 毎日適用 | リピート可 | リピート適用 | 2日目以降も同様 | 翌日以降も同様 | 毎に同料金 | ごとに同料金 | 毎に同額 | ごとに同額",
  ),
  ...words(
    "once",
    "1回限り有効 | 1回限り適用 | 1回限り | 一回限り | 1回のみ適用 | 1回のみ | 一回のみ | 1度限り | 一度限り | 1度のみ | 1回だけ | 初回限り | 初回のみ | 繰り返しなし | 繰り返し無し | 繰り返し無 | 繰り返し不可 | 繰り返し適用なし | 繰り返し適用不可 | 繰り返し適用はありません | 繰り返し適用されません | 繰り返しはありません | 繰り返しません | 繰返しなし | 繰返し無し | 繰返し不可 | 繰返し適用なし | 繰返し適用されません | 繰返し適用はありません | くり返しなし | くり返し不可 | 最初の1回のみ | 最初の1回限り",
  ),
  ...words(
    "cap_heading",
    "最大料金 | 上限料金 | 打ち切り料金 | 打切料金 | 打切り料金 | 最大駐車料金 | 最大設定 | 最大料金設定 | 上限額 | 最大額 | 最高料金 | 駐車最大料金 | 打ち止め料金 | [最大料金] | [上限料金] | [打切料金]",
  ),
  ...words("cap", "最大 | 上限 | 打ち切り | 打切り | 打切 | 打ち止め | 最高 | max | 最大でも | で打ち切り | を上限"),
  ...words("night_band", "夜間 | 夜間帯 | 深夜帯 | 夜間料金 | ナイト | 夜 | 深夜 | 夜間時間帯 | よる | ナイトタイム"),
  ...words("day_band", "お昼 | 昼間 | 日中 | 昼間帯 | 昼間料金 | デイ | 昼 | 昼間時間帯 | ひる | デイタイム"),
  ...words("before_noon", "午前 | 朝 | am"),
  ...words("after_noon", "午後 | 夕方 | pm"),
  ...words("noon", "正午"),
  ...words(
    "all_day",
    "終日 | オールタイム | 全時間帯 | 24時間いつでも | 24h営業中いつでも | オールデイ | 終日料金 | 24時間均一 | 時間帯を問わず | 時間問わず | 0-24時 | 昼夜問わず | 24時間同一料金",
  ),
  ...words("free", "無料 | 無料です | は無料 | タダ | サービス | 料金無料"),
  ...words("same_day", "当日 | 入庫当日 | 入庫日当日 | 駐車当日 | 入庫日 | 入庫した日 | 駐車日当日 | 当日中 | 暦日"),
  ...words("midnight", "深夜0時 | 深夜24時 | 午前0時 | 夜中の0時 | 夜12時 | 日付が変わる"),
  ...words(
    "after_entry",
    "入庫後 | 駐車後 | 入庫から | 駐車から | 入庫より | 入庫してから | 入場後 | 入車後 | 入庫時より | 入庫時から | 駐車開始から | 駐車開始後 | 入庫時刻から | 入庫後から | 利用開始から | 入庫時間より | 入庫時間から | ご入庫から | 入場から | 入場時から | 入場時より | ご入庫後 | 駐車開始より",
  ),
  ...words(
    "each",
    "経過ごとに | 経過ごと | 経過毎に | 経過毎 | 毎に | ごとに | 毎 | ごと | につき | 当たり | あたり | 単位 | 単位で | 刻み",
  ),
  ...words(
    "first",
    "最初の | 最初 | 初めの | はじめの | 始めの | 当初 | 最初は | 初回 | 基本料金は最初の | 入庫から最初の",
  ),
  ...words("next", "次の | 次 | その次の"),
  ...words(
    "thereafter",
    "以降 | 以後 | 追加 | その後 | それ以降 | それ以後 | 以降は | 以後は | その後は | 超過後 | 超過分 | 超過 | を超えると | を超えた場合 | を超えたら | 超過料金 | 超える場合 | を超える場合 | を超える | 経過後 | を過ぎると | からは | 超",
  ),
  ...words("thereafter_each", "増すごとに | 増すごと | 増す毎に | 増す毎 | 増えるごとに | 増える毎に"),
  ...words(
    "within",
    "以内 | 以内の出庫は | 以内の出庫 | 以内に出庫 | 以内出庫 | 以内の駐車は | 以内の駐車 | 以内なら | 以内の駐車であれば | 以内のご利用は | 以内の場合 | 未満 | 未満の出庫は | 以内であれば | 以内に出庫の場合は",
  ),
  ...words("until", "まで | 迄 | までは | 迄は | までの"),
  ...words(
    "until_midnight",
    "24時まで | 24時迄 | 24:00まで | 24:00迄 | 当日24時まで | 当日の24時まで | 当日24時迄 | 当日24:00まで | 当日の24:00まで | 当日24:00迄 | 深夜0時まで | 日付が変わるまで | 夜12時まで | 深夜24時まで | 午前0時まで | 0時まで | 24時締め | 24時切替 | 24時で切替",
  ),
  ...words("from", "から | より"),
  ...words("next_day", "翌日の | 翌日 | 翌朝 | 翌"),
  ...words(
    "flat",
    "均一 | 一律 | 定額 | 1回 | 1回につき | 1回あたり | 1駐車 | 1入庫 | 1台1回 | 一回 | 1回ごと | 入庫1回 | 1入場 | 均一料金",
  ),
  ...words("overnight", "1泊 | 一泊 | 宿泊 | 泊まり | お泊まり | 泊"),
  ...words(
    "stay",
    "1駐車につき | 1回の駐車につき | 1回の駐車で | 1回の駐車 | 1回の入庫につき | 何時間でも | 何時間停めても | 何時間駐車しても | 時間無制限 | 何日停めても | 何日でも",
  ),
  ...words("day_unit", "1日 | 一日 | 1日につき | 1日あたり | 一日あたり | 一日につき | デイリー"),
  ...words(
    "rate_heading",
    "通常料金 | 通常 | 時間料金 | 基本料金 | 駐車料金 | ご利用料金 | 利用料金 | 料金案内 | 料金表 | 料金のご案内 | 時間貸料金 | 時間貸し料金 | 時間貸 | 時間貸し | 一般料金 | 料金体系 | 時間帯料金 | 時間制料金 | 普通料金 | 時間毎料金 | 時間単価 | 基本 | 駐車料 | 料金",
  ),
  ...words(
    "negation",
    "なし | 無し | 無 | ありません | ございません | 設定なし | 設定はありません | 設定はございません | の設定はありません | ohne",
  ),
  ...words(
    "hours_of_lot",
    "営業時間 | 入出庫可能時間 | 入出庫時間 | 利用時間 | 入庫可能時間 | 出庫可能時間 | 入場時間 | 開場時間 | ご利用時間 | 利用可能時間 | 営業",
  ),
  ...words(
    "stay_limit",
    "連続駐車は | 連続駐車 | 駐車可能時間 | 最長駐車時間 | 最長 | 最大駐車時間 | 駐車時間は最大 | 連続利用は | 連続利用 | 連続駐車時間 | 連続駐車可能時間 | 長時間駐車は | 連続駐車は最大 | 最大連続駐車時間",
  ),
  ...words(
    "filler",
    "なお | 昼夜 | の間 | の | は | に | が | を | で | と | も | へ | です | ます | となります | になります | とする | とします | 駐車 | 時間帯 | カーシェアリング | カーシェア車両あり | カーシェア車両 | カーシェア併設 | カーシェアあり | カーシェア | 併設 | あり | 24時間営業 | 24h営業 | 24時間入出庫可能 | 24時間入出庫可 | 24時間入出庫 | 24時間利用可能 | 24時間利用可 | 24時間オープン | 年中無休 | 税込み | 税込 | 消費税込み | 消費税込 | 消費税等込み | 内税 | 領収書発行可能 | 領収書発行可 | 領収書発行 | 現金のみ | 現金払いのみ | 領収証発行可 | 新500円硬貨対応 | 千円札使用可 | 千円札利用可 | 1000円札使用可 | 1,000円札使用可 | 千円札のみ使用可 | 1,000円札のみ使用可 | 1000円札のみ使用可 | 高額紙幣使用不可 | 高額紙幣は使用できません | お釣りは出ません | コインパーキング | パーキング | 駐車場 | 適用 | 適用されます | 適用します | 有効 | ご利用 | について | 下記 | 出庫は | 出庫 | ただし | 但し | または | 及び | および | かつ | ご案内 | 均等 | 当駐車場 | 当駐車場は | 機械式 | 平面 | 自走式 | ロック式 | ロックレス | フラップ式 | ゲート式 | 精算機 | 精算 | 事前精算可 | 精算後 | ください | お客様 | 課金 | 課金されます | いただきます | 加算 | 加算されます | かかります",
  ),
  ...words("entry", "入庫"),
  ...words(
    "payment",
    "現金 | 電子マネー | クレジットカード | クレジット | 交通系icカード | 交通系ic | qrコード決済 | qr決済 | paypay | キャッシュレス決済 | キャッシュレス",
  ),
  ...words("usable", "可 | 可能 | 利用可 | 利用可能 | 使用可 | 使用可能 | 対応"),
  ...conditions(
    "special_days",
    "特定日 | 特別日 | 特別料金 | 年末年始 | お盆 | 盆 | gw | ゴールデンウィーク | イベント開催日 | イベント開催時 | イベント日 | イベント時 | イベント | 花火大会 | 大会 | 試合開催日 | 試合日 | 開催日 | 繁忙期 | 季節料金 | 特定期間 | 期間限定 | 夏季 | 夏期 | 冬季 | 冬期 | 初詣 | 祭り | 5月連休 | 連休 | シーズン | 海水浴 | 特定の日 | 指定日 | 除外日 | 変動 | 変更",
  ),
  ...conditions(
    "vehicle",
    "車種 | 普通車 | 軽自動車 | 軽 | 大型車 | 大型 | 中型車 | 小型車 | 中型 | 小型 | バイク | 二輪車 | 二輪 | 自動二輪 | 原付 | 自転車 | マイクロバス | バス | トラック | 3ナンバー | ハイルーフ | ハイルーフ車 | rv | 外車 | ev | 電気自動車 | 一般車 | 乗用車 | 1ナンバー | 車室 | 番車室 | 番",
  ),
  ...conditions(
    "discount",
    "割引 | 優待 | 提携 | サービス券 | 駐車券 | お買い上げ | お買上げ | 利用者 | ご利用の方 | ご利用で | 来店 | 会員 | 会員様 | 回数券 | プリペイド | お客様専用 | 施設利用 | 提示 | クーポン | 前払い | 前払 | 予約 | 障害者 | 障がい者 | 減免 | 診察 | 映画 | 購入",
  ),
  ...conditions("monthly", "月極 | 定期 | 月額 | 月ぎめ | 定期券 | 1ヶ月 | 1か月 | 1ヵ月 | 1カ月 | 一ヶ月"),
  ...conditions("tax", "税別 | 税抜 | 税抜き | 消費税別 | 別途消費税 | 外税 | +税"),
];

const ENGLISH: readonly (readonly [string, Meaning])[] = [
  ...days(["weekday"], "weekdays | weekday", true),
  ...days(
    ["weekday"],
    "mon-fri | mon - fri | monday-friday | monday - friday | monday to friday | mon to fri | mon. - fri. | mon.-fri. | mondays to fridays | monday through friday | mon thru fri | mon~fri | monday~friday | mon through fri",
  ),
  ...days(
    ["weekday", "saturday"],
    "mon-sat | mon - sat | monday-saturday | monday - saturday | monday to saturday | mon to sat | monday through saturday | mon~sat",
  ),
  ...days(["saturday"], "saturdays | saturday | sat | sat."),
  ...days(["sunday"], "sundays | sunday | sun | sun."),
  ...days(
    ["saturday", "sunday"],
    "weekends | weekend | sat-sun | sat - sun | sat & sun | sat and sun | saturday and sunday | saturdays and sundays | saturday & sunday | sat~sun | saturday-sunday | sat/sun",
  ),
  ...days(
    ["holiday"],
    "public holidays | public holiday | bank holidays | bank holiday | national holidays | holidays | holiday | ph",
  ),
  ...days(
    ["holiday_eve"],
    "eve of public holidays | days before public holidays | day before a holiday | eves of holidays | days before holidays",
  ),
  ...words(
    "all_days",
    "every day | daily | all days | any day | 7 days a week | monday to sunday | mon-sun | monday-sunday | mon - sun | all week",
  ),
  ...weekdayNames([
    "mondays|monday|mon",
    "tuesdays|tuesday|tue|tues",
    "wednesdays|wednesday|wed",
    "thursdays|thursday|thu|thurs",
    "fridays|friday|fri",
  ]),
  ...words(
    "except",
    "except | excluding | not on | excl. | not valid on | not applicable on | does not apply on | other than",
  ),
  ...words("only", "only"),
  ...words(
    "repeat",
    "repeats | repeating | repeated | repeat | applies repeatedly | can be repeated | renews every period | applies again | for each further period | repeatable",
  ),
  ...words(
    "once",
    "once only | one time only | only once | once | does not repeat | not repeated | first period only | non-repeating | no repeat | not repeating | applies once",
  ),
  ...words(
    "cap_heading",
    "maximum charge | maximum fee | maximum charges | maximum rate | max charge | max fee | maximum price | maximum rates | maximum fees | max. charge | max rate",
  ),
  ...words("cap", "maximum | max. | max | capped at | up to a maximum of | not more than | at most | cap"),
  ...words("night_band", "night | nights | nighttime | night rate | overnight rate | evening | night time | evenings"),
  ...words("day_band", "day time | daytime | day rate | daytime rate"),
  ...words("before_noon", "a.m. | a.m"),
  ...words("after_noon", "p.m. | p.m"),
  ...words("noon", "noon | midday | 12 noon"),
  ...words("midnight", "midnight | 12 midnight"),
  ...words(
    "until_midnight",
    "until midnight | till midnight | to midnight | up to midnight | ending at midnight | same day until midnight | calendar day | until 24:00 | by midnight | until midnight of the same day",
  ),
  ...words(
    "all_day",
    "all day | at all times | any time | anytime | at any time | round the clock | day and night | 24/7",
  ),
  ...words("free", "free | free of charge | no charge | free parking | for free | is free | are free"),
  ...words("same_day", "same day | on the day of entry | day of entry | on the day of arrival"),
  ...words(
    "after_entry",
    "after entry | from entry | after arrival | from arrival | since entry | after entering | from time of entry | of parking | after parking | from the time of entry | of entry",
  ),
  ...words(
    "each",
    "per | each | every | for every | for each | or part thereof | or part of | or any part thereof | part thereof | a",
  ),
  ...words("first", "the first | first | initial"),
  ...words("next", "the next | next"),
  ...words(
    "thereafter",
    "thereafter | each additional | every additional | additional | after that | then | afterwards | subsequent | each subsequent | every subsequent | per additional | for each additional | each further | every further | further | for every additional | subsequently | then every | then each | each extra",
  ),
  ...words(
    "within",
    "within | for stays up to | stays up to | stay up to | if you leave within | for stays under | stays under | stays of up to | stays of | or less",
  ),
  ...words(
    "no_cap",
    "no maximum charge | no maximum fee | no maximum rate | no maximum price | no maximum | no max charge | no max | no daily maximum | no daily max | no upper limit | no cap",
  ),
  ...words("until", "up to | until"),
  ...words("from", "from | between"),
  ...words("to", "to | till | until | and"),
  ...words("next_day", "next day | the next day | the following day | following day | next morning"),
  ...words(
    "flat",
    "flat rate | flat fee | per entry | flat | per visit | single rate | fixed price | one price | per exit",
  ),
  ...words("stay", "per stay | any length of stay | for the whole stay"),
  ...words("overnight", "overnight"),
  ...words("day_unit", "day | day ticket"),
  ...words(
    "day_cap",
    "daily maximum | daily max | maximum daily | day maximum | daily cap | max. daily | maximum day rate",
  ),
  ...words("hour_unit", "h | hourly | hour | hr | hours | hrs"),
  ...words("minute_unit", "minute | minutes | min | mins"),
  ...words(
    "rate_heading",
    "parking fee | parking fees | parking charges | parking rates | rates | rate | fees | fee | tariff | tariffs | charges | parking | price | prices",
  ),
  ...words("hours_of_lot", "opening hours | open | hours of operation | operating hours"),
  ...words("stay_limit", "maximum stay | max stay | max. stay | maximum parking time | parking limit | longest stay"),
  ...words(
    "filler",
    "the | of | for | in | on | at | is | are | applies | apply | tax included | incl. tax | incl. vat | including vat | vat included | including tax | period | periods | time | times | open 24 hours | 24 hours open | or | any | with | car sharing | parking lot | car park | charge | thereof | costs | cost",
  ),
  ...conditions(
    "special_days",
    "events | event days | event day | event | special days | christmas | new year | game days | game day | seasonal | season | special event | summer | winter",
  ),
  ...conditions(
    "vehicle",
    "motorcycles | motorcycle | trucks | truck | buses | bus | vans | van | motorhomes | campers | electric vehicles | cars | large vehicles | ev",
  ),
  ...conditions(
    "discount",
    "customers | members | member | discount | validation | validated | guests | residents | permit | permits | early bird | online | voucher | receipt | with purchase",
  ),
  ...conditions("monthly", "monthly | per month | a month | month | per week | weekly | week"),
  ...conditions("tax", "plus tax | plus vat | excl. tax | excl. vat | excluding vat | excluding tax"),
];

const GERMAN: readonly (readonly [string, Meaning])[] = [
  ...days(
    ["weekday"],
    "werktags außer samstag | montag bis freitag | mo-fr | mo - fr | mo. - fr. | mo.-fr. | mo bis fr | montag - freitag | montag-freitag | montags bis freitags | mo~fr",
  ),
  ...days(
    ["weekday", "saturday"],
    "mo-sa | mo - sa | montag bis samstag | montag - samstag | mo bis sa | mo.-sa. | mo~sa",
  ),
  ...days(["saturday"], "samstags | samstag | sa | sa."),
  ...days(["sunday"], "sonntags | sonntag | so | so."),
  ...days(
    ["saturday", "sunday"],
    "am wochenende | wochenende | sa-so | sa und so | sa + so | samstag und sonntag | sa u. so | sa/so | sa - so",
  ),
  ...days(["holiday"], "feiertags | feiertage | feiertagen | feiertag | an feiertagen | gesetzliche feiertage"),
  ...days(
    ["sunday", "holiday"],
    "sonn- und feiertags | sonn- und feiertage | sonn- und feiertagen | sonn- u. feiertags | so+feiertag | an sonn- und feiertagen | so/feiertag",
  ),
  ...words("all_days", "täglich | jeden tag | alle tage | mo-so | montag bis sonntag | mo - so | mo bis so"),
  ...weekdayNames([
    "montags|montag|mo",
    "dienstags|dienstag|di",
    "mittwochs|mittwoch|mi",
    "donnerstags|donnerstag",
    "freitags|freitag|fr",
  ]),
  ...words("except", "außer | ausgenommen | nicht an"),
  ...words("only", "nur"),
  ...words("repeat", "wiederholt | wiederholend | für jeden weiteren zeitraum"),
  ...words("once", "einmalig | nur einmal | einmal"),
  ...words("cap_heading", "höchstsatz | maximalbetrag | höchstpreis | höchsttarif | höchstgebühr | maximalgebühr"),
  ...words("cap", "maximal | höchstens"),
  ...words("night_band", "nachttarif | nachts | nacht | abendtarif | abends"),
  ...words("day_band", "tagtarif | tagsüber"),
  ...words("until_midnight", "bis mitternacht | bis 24 uhr | kalendertag"),
  ...words("all_day", "rund um die uhr | ganztägig | durchgehend"),
  ...words("free", "frei | kostenlos | gratis | gebührenfrei | kostenfrei"),
  ...words("after_entry", "ab einfahrt | nach einfahrt | seit einfahrt"),
  ...words(
    "each",
    "je angefangene | je angefangener | je angefangenen | pro angefangene | jede angefangene | je | pro | jede | jeder | jeden | für jede | alle",
  ),
  ...words("first", "die ersten | erste | ersten | die erste | der ersten | in den ersten"),
  ...words(
    "thereafter",
    "danach | jede weitere | je weitere | weitere | jede weitere angefangene | je weitere angefangene | jede folgende | für jede weitere | anschließend | dann | alle weiteren | jeweils weitere | ab dann",
  ),
  ...words("within", "innerhalb von | bei ausfahrt innerhalb von | parken bis zu"),
  ...words("until", "bis zu"),
  ...words("from", "von"),
  ...words("to", "bis"),
  ...words("next_day", "des folgetages | folgetag | des nächsten tages"),
  ...words("flat", "pauschal | pauschale | je einfahrt | pro einfahrt | einheitspreis"),
  ...words("overnight", "übernachtung"),
  ...words("day_unit", "tagesticket | tageskarte | tag | tagessatz | am tag | tagespauschale"),
  ...words("day_cap", "tageshöchstsatz | tagesmaximum | tageshöchstpreis | tageshöchstbetrag | maximal pro tag"),
  ...words("hour_unit", "stündlich | stunde | stunden | std. | std"),
  ...words("minute_unit", "minute | minuten | min."),
  ...words(
    "rate_heading",
    "parkgebühren | parkgebühr | parktarif | parktarife | tarife | tarif | preise | preis | gebühren | kurzparker | kurzzeittarif",
  ),
  ...words("hours_of_lot", "öffnungszeiten | geöffnet"),
  ...words("stay_limit", "höchstparkdauer | maximale parkdauer | parkdauer maximal"),
  ...words(
    "filler",
    "uhr | und | u. | inkl. mwst. | inkl. mwst | inkl. ust | mwst. inklusive | an | am | die | der | das | den | angefangene | angefangenen | angefangener | ab | parken | parkhaus | kostet | für | zeitraum | gilt | beträgt | im | ist | sind | einer",
  ),
  ...conditions("vehicle", "motorräder | motorrad | lkw | busse | wohnmobile | wohnmobil | pkw"),
  ...conditions("discount", "kunden | kunde | anwohner | mitglieder | hotelgäste | rabatt | ermäßigt | mit parkschein"),
  ...conditions("monthly", "dauerparker | monatlich | monat | woche | wochenticket | monatskarte | pro woche"),
  ...conditions("special_days", "veranstaltungen | veranstaltung | messe | advent | saison | sommer | winter | events"),
  ...conditions("tax", "zzgl. mwst. | zzgl. mwst"),
];

const FRENCH: readonly (readonly [string, Meaning])[] = [
  ...days(
    ["weekday"],
    "du lundi au vendredi | lundi à vendredi | lundi au vendredi | lun-ven | lun - ven | lundi-vendredi | lun. - ven.",
  ),
  ...days(["weekday", "saturday"], "du lundi au samedi | lundi au samedi | lun-sam | lundi-samedi"),
  ...days(["saturday"], "le samedi | samedis | samedi"),
  ...days(["sunday"], "le dimanche | dimanches | dimanche"),
  ...days(["saturday", "sunday"], "le week-end | week-end | samedi et dimanche | sam-dim | samedi-dimanche"),
  ...days(["holiday"], "jours fériés | jour férié | fériés | les jours fériés"),
  ...words("all_days", "tous les jours | 7j/7 | chaque jour | 7 jours sur 7"),
  ...weekdayNames(["lundi", "mardi", "mercredi", "jeudi", "vendredi"]),
  ...words("except", "sauf | hors"),
  ...words("only", "uniquement | seulement"),
  ...words("repeat", "renouvelable | répété"),
  ...words("once", "une seule fois | une fois"),
  ...words("cap_heading", "plafond | tarif maximum | tarif maximal"),
  ...words("cap", "plafonné à | au maximum"),
  ...words("night_band", "tarif nuit | nuit | soirée | la nuit"),
  ...words("day_band", "tarif jour | en journée"),
  ...words("until_midnight", "jusqu'à minuit | jour calendaire"),
  ...words("all_day", "à toute heure | jour et nuit | 24h/24 | 24 h/24 | toute la journée"),
  ...words("free", "gratuit | gratuite | gratuites | gratuits | gratuité"),
  ...words("after_entry", "après l'entrée | dès l'entrée | à compter de l'entrée"),
  ...words("each", "par | la | l' | chaque | par tranche de | toutes les | les | entamée | entamées | entamé"),
  ...words(
    "first",
    "première | premières | les premières | la première | les premiers | de la première | premier | les premières",
  ),
  ...words(
    "thereafter",
    "puis | ensuite | au-delà | supplémentaire | supplémentaires | par tranche supplémentaire de | chaque heure supplémentaire | suivante | suivantes | heure suivante",
  ),
  ...words("within", "moins de | jusqu'à"),
  ...words("from", "de | entre"),
  ...words("to", "à | et"),
  ...words("next_day", "le lendemain | du lendemain | lendemain"),
  ...words("flat", "forfait | tarif unique | forfaitaire"),
  ...words("day_unit", "jour | la journée | journée | forfait journée | forfait jour"),
  ...words("hour_unit", "heure | heures | horaire"),
  ...words("rate_heading", "prix | stationnement | tarif"),
  ...words("hours_of_lot", "horaires d'ouverture | horaires | ouvert"),
  ...words("stay_limit", "durée maximale | durée maximum"),
  ...words("filler", "le | du | au | des | ttc | en | un | une | pour | est | sont"),
  ...conditions("vehicle", "motos | moto | camping-cars | camping-car | bus"),
  ...conditions("discount", "abonnés | abonné | clients | client | résidents | réduit"),
  ...conditions("monthly", "abonnement | mensuel | par mois | mois | semaine | par semaine"),
  ...conditions("special_days", "événement | événements | saison | été | hiver"),
  ...conditions("tax", "ht | hors taxes"),
];

/** The words by their first character, the longest first. */
export const WORDS: ReadonlyMap<string, readonly (readonly [string, Meaning])[]> = index([
  ...SYMBOLS,
  ...JAPANESE,
  ...ENGLISH,
  ...GERMAN,
  ...FRENCH,
]);

function index(all: readonly (readonly [string, Meaning])[]): Map<string, (readonly [string, Meaning])[]> {
  const first = new Map<string, Meaning>();
  for (const [word, meaning] of all) if (!first.has(word)) first.set(word, meaning);
  const found = new Map<string, (readonly [string, Meaning])[]>();
  for (const entry of first) {
    const list = found.get(entry[0].charAt(0)) ?? [];
    found.set(entry[0].charAt(0), [...list, entry]);
  }
  for (const list of found.values()) list.sort(([a], [b]) => b.length - a.length);
  return found;
}
