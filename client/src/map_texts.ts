/** The words of `<parking-map>` in Japanese and English, with amounts and times. */

export type MapLanguage = "ja" | "en";

export interface MapTexts {
  readonly region: string;
  readonly map: string;
  readonly pins: string;
  readonly list: string;
  readonly skip: string;
  readonly zoomIn: string;
  readonly zoomOut: string;
  readonly withKey: string;
  readonly withMacKey: string;
  readonly withFingers: string;
  readonly stay: (stay: string) => string;
  readonly loading: string;
  readonly found: (count: number, usable: number) => string;
  readonly moreByZoom: string;
  readonly onlyNearest: string;
  readonly none: string;
  readonly again: string;
  readonly failed: string;
  readonly offline: string;
  readonly wait: (seconds: number) => string;
  readonly noPlace: (place: string) => string;
  readonly attribute: (name: string) => string;
  readonly noMap: string;
  readonly noPrice: string;
  readonly between: (least: string, most: string) => string;
  readonly atLeast: (least: string) => string;
  readonly atMost: (most: string) => string;
  readonly best: string;
  readonly hoursUnknown: string;
  readonly surprise: string;
  readonly unusable: string;
  readonly reasons: Readonly<Record<string, string>>;
  readonly comma: string;
  readonly walk: (minutes: number) => string;
  readonly km: (km: string) => string;
  readonly details: string;
  readonly more: (count: number) => string;
  readonly open: string;
  readonly close: string;
}

const JA: MapTexts = {
  region: "駐車場の料金",
  map: "駐車場の地図",
  pins: "地図の駐車場",
  list: "駐車場の一覧",
  skip: "一覧へ移動",
  zoomIn: "拡大",
  zoomOut: "縮小",
  withKey: "Ctrlキーを押しながらスクロールすると拡大・縮小します",
  withMacKey: "⌘キーを押しながらスクロールすると拡大・縮小します",
  withFingers: "2本の指で地図を動かします",
  stay: (stay) => `${stay} の料金`,
  loading: "駐車場を探しています…",
  found: (count, usable) => `駐車場${count}件、この時間に使えるもの${usable}件`,
  moreByZoom: "拡大すると、ほかの駐車場も表示します。",
  onlyNearest: "近い駐車場だけを表示しています。",
  none: "この範囲に駐車場がありません。",
  again: "もう一度探す",
  failed: "駐車場を読み込めませんでした。",
  offline: "接続できませんでした。",
  wait: (seconds) => `リクエストが多すぎます。${seconds}秒後にもう一度お試しください。`,
  noPlace: (place) => `「${place}」が見つかりませんでした。`,
  attribute: (name) => `属性 ${name} がないか、値が正しくありません。`,
  noMap: "地図を表示できません。一覧は使えます。",
  noPrice: "料金不明",
  between: (least, most) => `${least}〜${most}`,
  atLeast: (least) => `${least}〜`,
  atMost: (most) => `${most}以下`,
  best: "最安",
  hoursUnknown: "営業時間不明",
  surprise: "看板から思うより高くなることがあります",
  unusable: "この時間は使えません",
  reasons: {
    closed_at_entry: "入庫時刻は入れません",
    closed_at_exit: "出庫時刻は出られません",
    vehicle_does_not_fit: "車が入りません",
    full: "満車",
    stay_too_long: "駐車時間の上限を超えます",
  },
  comma: "、",
  walk: (minutes) => `徒歩${minutes}分`,
  km: (km) => `${km} km`,
  details: "詳細",
  more: (count) => `${count}件すべてを表示`,
  open: "大きな地図で探す",
  close: "閉じる",
};

const EN: MapTexts = {
  region: "Parking prices",
  map: "Map of parking lots",
  pins: "Parking lots on the map",
  list: "List of parking lots",
  skip: "Skip to the list",
  zoomIn: "Zoom in",
  zoomOut: "Zoom out",
  withKey: "Hold Ctrl and scroll to zoom the map",
  withMacKey: "Hold ⌘ and scroll to zoom the map",
  withFingers: "Move the map with two fingers",
  stay: (stay) => `Prices for ${stay}`,
  loading: "Searching for parking lots…",
  found: (count, usable) => `${count} parking ${count === 1 ? "lot" : "lots"}, ${usable} usable for this stay`,
  moreByZoom: "Zoom in to see more of them.",
  onlyNearest: "Only the nearest ones are shown.",
  none: "No parking lot here.",
  again: "Search again",
  failed: "The parking lots could not be loaded.",
  offline: "No connection to the service.",
  wait: (seconds) => `Too many requests. Try again in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`,
  noPlace: (place) => `“${place}” was not found.`,
  attribute: (name) => `The attribute ${name} is missing or has a wrong value.`,
  noMap: "The map cannot be shown. The list can be used.",
  noPrice: "Price unknown",
  between: (least, most) => `${least} – ${most}`,
  atLeast: (least) => `from ${least}`,
  atMost: (most) => `at most ${most}`,
  best: "Cheapest",
  hoursUnknown: "Hours unknown",
  surprise: "Can be higher than the sign suggests",
  unusable: "Not usable for this stay",
  reasons: {
    closed_at_entry: "Closed at entry",
    closed_at_exit: "No exit at that time",
    vehicle_does_not_fit: "Vehicle does not fit",
    full: "Full",
    stay_too_long: "Stay is too long",
  },
  comma: ", ",
  walk: (minutes) => `${minutes} min walk`,
  km: (km) => `${km} km away`,
  details: "Details",
  more: (count) => `Show all ${count}`,
  open: "Search on the large map",
  close: "Close",
};

export const mapTexts: Readonly<Record<MapLanguage, MapTexts>> = { ja: JA, en: EN };

/** Japanese for `ja` and its regions, otherwise English. */
export function mapLanguage(tag: string): MapLanguage {
  return /^ja\b/i.test(tag) ? "ja" : "en";
}

const LOCALES: Readonly<Record<MapLanguage, string>> = { ja: "ja-JP", en: "en-GB" };

/** An amount in minor units: `¥1,200`. */
export function money(amount: number, currency: string, language: MapLanguage): string {
  const format = new Intl.NumberFormat(LOCALES[language], {
    style: "currency",
    currency,
    currencyDisplay: "narrowSymbol",
  });
  const text = format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 0));
  // The sign of Japanese formats is as wide as a kanji.
  return text.replace("￥", "¥");
}

/** `Wed 2 Dec 10:00 – 12:00`, by the clocks of Japan. */
export function stayText(entry: string, exit: string, language: MapLanguage): string {
  const timeZone = "Asia/Tokyo";
  const day = new Intl.DateTimeFormat(LOCALES[language], {
    weekday: "short",
    month: "short",
    day: "numeric",
    timeZone,
  });
  const time = new Intl.DateTimeFormat(LOCALES[language], { hour: "2-digit", minute: "2-digit", timeZone });
  const [start, end] = [new Date(entry), new Date(exit)];
  const isOneDay = day.format(start) === day.format(end);
  const until = isOneDay ? time.format(end) : `${day.format(end)} ${time.format(end)}`;
  return `${day.format(start)} ${time.format(start)} – ${until}`;
}

export function kilometres(metres: number, language: MapLanguage): string {
  return new Intl.NumberFormat(LOCALES[language], { maximumFractionDigits: 1 }).format(metres / 1000);
}
