/** Sentences of the reply to an AI search, in the user's language. */
import type { AttributeName, Note, ParsedSearch } from "./rules/types.ts";

export type Lang = "ja" | "en";

/** The language of a BCP 47 tag: Japanese, and English for all others. */
export function langOf(locale: string): Lang {
  return /^(?:ja|jpn)(?:[-_]|$)/iu.test(locale) ? "ja" : "en";
}

interface ReplyContext {
  readonly place: string | null;
  readonly parsed: ParsedSearch;
  readonly lang: Lang;
  readonly timeZone: string;
  readonly notes: readonly Pick<Note, "reason">[];
}

/** Labels of the tags, in lower case for use inside an English sentence. */
export const ATTRIBUTES: Record<AttributeName, readonly [ja: string, en: string]> = {
  covered: ["屋根あり", "covered"],
  open_24h: ["24時間営業", "open 24 hours"],
  entry_24h: ["24時間入庫可", "entry at any hour"],
  "24h": ["24時間入出庫可", "entry and exit at any hour"],
  ev_charging: ["EV充電あり", "EV charging"],
  oversized_ok: ["大型車可", "oversized vehicles"],
  motorcycle_ok: ["バイク可", "motorcycles"],
  wheelchair_accessible: ["車いす対応", "wheelchair accessible"],
  barrier_free: ["バリアフリー", "step-free"],
  reservable: ["予約可", "reservable"],
  security_camera: ["防犯カメラあり", "security cameras"],
  has_max_fee: ["最大料金あり", "capped price"],
  max_fee: ["最大料金設定", "maximum fee"],
  monthly_available: ["月極あり", "monthly contracts"],
  coin_500_or_less: ["ワンコイン(500円以下)", "one coin (500 yen or less)"],
  near_station: ["駅近", "near a station"],
  low_price: ["低価格", "low price"],
  partner_facility: ["提携施設あり", "partner facility"],
};

const MISSING: Record<Lang, Record<ParsedSearch["missing"][number], string>> = {
  ja: { place: "場所", stay: "日時", conditions: "条件" },
  en: { place: "where", stay: "when", conditions: "what the lot should be like" },
};

/** The information that is missing for a search. */
export function missingMessage(missing: ParsedSearch["missing"], lang: Lang): string {
  const names = (missing.length > 0 ? missing : ["place" as const]).map((name) => MISSING[lang][name]);
  return lang === "ja" ? `${names.join("・")}を教えてください。` : `Please say ${joinNames(names)}.`;
}

export function unparseableMessage(lang: Lang): string {
  return lang === "ja"
    ? "駐車場の検索として理解できませんでした。場所や日時、条件を書いてください。"
    : "This is not a search for parking. Please name a place, a time and conditions.";
}

/** One sentence about the search, then the open questions. */
export function replyText({ place, parsed, lang, timeZone, notes }: ReplyContext): string {
  const parts = [
    ...place === null ? [] : [lang === "ja" ? `${place}の近く` : `near ${place}`],
    ...stayOf(parsed, lang, timeZone),
    ...parsed.max_price === null ? [] : [
      lang === "ja"
        ? `${parsed.max_price.toLocaleString("ja")}円以内`
        : `up to ¥${parsed.max_price.toLocaleString("en")}`,
    ],
    ...parsed.filters.map((name) => ATTRIBUTES[name][lang === "ja" ? 0 : 1]),
  ];
  const what = lang === "ja"
    ? `${parts.length > 0 ? `${parts.join("、")}で` : ""}駐車場を探します。`
    : `Looking for parking${parts.length > 0 ? ` ${parts.join(", ")}` : ""}.`;
  return [what, ...notes.map(({ reason }) => reason)].join(lang === "ja" ? "" : " ");
}

function stayOf({ entry_at, exit_at }: ParsedSearch, lang: Lang, timeZone: string): string[] {
  if (entry_at === null || exit_at === null) return [];
  const format = new Intl.DateTimeFormat(lang, {
    timeZone,
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  return [format.formatRange(new Date(entry_at), new Date(exit_at))];
}

function joinNames(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
