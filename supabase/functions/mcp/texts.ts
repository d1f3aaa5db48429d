/** Short texts about results, in the caller's language. Texts of third parties are fenced. */
import type { z } from "zod";
import type { AiSearchAnswer } from "../_shared/schema/ai_search.ts";
import type { Fee } from "../_shared/schema/fees.ts";
import type { Fit } from "../_shared/schema/fit.ts";
import type { CurrentSession, FinalizedSession } from "../_shared/schema/parking_sessions.ts";
import type { Labels } from "./labels.ts";
import { clock, type Lang, money } from "./lang.ts";
import { fenced } from "./third_party.ts";

/** What both kinds of search return about a lot. */
interface ListedLot {
  readonly id: string;
  readonly name: string;
  readonly address: string | null;
  readonly currency: string;
  readonly distance_m: number | null;
  readonly estimated_fee?: number | null | undefined;
  readonly hour_price?: number | null;
  readonly surprises?: readonly unknown[] | null | undefined;
  readonly unusable_reasons?: readonly string[] | undefined;
}

const pick = (lang: Lang, ja: string, en: string) => lang === "ja" ? ja : en;
const lines = (...parts: readonly (string | false | undefined)[]) => parts.filter(Boolean).join("\n");

/** The price, the distance and the id of each lot, then their names. */
function listText(lots: readonly ListedLot[], lang: Lang, notes: readonly string[] = []): string {
  const rows = lots.map((lot, nth) => {
    const { currency, distance_m, estimated_fee, hour_price, surprises, unusable_reasons } = lot;
    const fee = estimated_fee ?? null;
    const price = fee !== null
      ? money(fee, currency, lang)
      : estimated_fee === undefined && typeof hour_price === "number"
      ? pick(lang, `1時間 ${money(hour_price, currency, lang)}`, `${money(hour_price, currency, lang)} an hour`)
      : pick(lang, "料金不明", "fee unknown");
    const parts = [
      price,
      ...distance_m === null ? [] : [`${Math.round(distance_m)} m`],
      ...(surprises ?? []).length > 0 ? [pick(lang, "料金に注意点あり", "the fee has surprises")] : [],
      ...(unusable_reasons ?? []).length > 0
        ? [pick(lang, "この時間は使えません: ", "not usable for this stay: ") + unusable_reasons!.join(", ")]
        : [],
      `id ${lot.id}`,
    ];
    return `[${nth + 1}] ${parts.join(pick(lang, "、", ", "))}`;
  });
  const names = lots.map(({ name, address }, nth) => ({ lot: nth + 1, name, address }));
  // Notes can contain the name of a place.
  const theirs = { ...notes.length > 0 ? { notes } : {}, lots: names };
  return lines(...rows, (lots.length > 0 || notes.length > 0) && fenced(theirs, lang));
}

export function foundText(
  lots: readonly ListedLot[],
  understood: z.output<typeof AiSearchAnswer> | null,
  lang: Lang,
): string {
  return lines(
    pick(
      lang,
      `駐車場が${lots.length}件見つかりました。`,
      `${lots.length} parking ${lots.length === 1 ? "lot" : "lots"} found.`,
    ),
    listText(
      lots,
      lang,
      [...understood?.unresolved ?? [], ...understood?.assumptions ?? []].map(({ reason }) => reason),
    ),
  );
}

export function comparedText(lots: readonly ListedLot[], asked: number, lang: Lang): string {
  const known = lots.flatMap(({ estimated_fee }, nth) =>
    typeof estimated_fee === "number" ? [{ estimated_fee, nth }] : []
  );
  const least = Math.min(...known.map(({ estimated_fee }) => estimated_fee));
  const cheapest = known.filter(({ estimated_fee }) => estimated_fee === least).map(({ nth }) => `[${nth + 1}]`);
  const missing = asked - lots.length;
  return lines(
    cheapest.length === 0
      ? pick(lang, "料金のわかる駐車場はありません。", "No fee is known.")
      : pick(lang, `いちばん安いのは${cheapest.join("と")}です。`, `The cheapest is ${cheapest.join(" and ")}.`),
    missing > 0 && pick(
      lang,
      `${missing}件は見つかりませんでした。`,
      `${missing} of the lots ${missing === 1 ? "was" : "were"} not found.`,
    ),
    listText(lots, lang),
  );
}

interface Stay {
  readonly entry_at: string;
  readonly exit_at: string;
}

export function priceText(
  { total_amount, currency }: { readonly total_amount: number; readonly currency: string },
  { entry_at, exit_at }: Stay,
  lang: Lang,
): string {
  const amount = money(total_amount, currency, lang);
  return pick(
    lang,
    `${entry_at}から${exit_at}までの料金は${amount}です。`,
    `The stay from ${entry_at} to ${exit_at} costs ${amount}.`,
  );
}

export function explainedText(fee: z.output<typeof Fee>, stay: Stay, labels: Labels, lang: Lang): string {
  const { breakdown, currency, surprises } = fee;
  return lines(
    priceText(fee, stay, lang),
    ...breakdown.lines.map((line) => {
      const units = line.kind === "cap" ? "" : ` ${line.units} × ${money(line.unit_price, currency, lang)}`;
      const kind = labels.get(line.kind) ?? line.kind;
      return `- ${clock(line.from)} – ${clock(line.to)} ${kind}${units} = ${money(line.amount, currency, lang)}`;
    }),
    ...surprises.map(({ message }) => `! ${message[lang]}`),
  );
}

export function fitText(fit: z.output<typeof Fit>, name: string | null, lang: Lang): string {
  const measures = (names: readonly (keyof typeof fit.limits)[]) =>
    names.map((key) => `${key} (${pick(lang, "制限", "limit")} ${fit.limits[key] ?? "?"})`).join(", ");
  const verdict = fit.fits === true
    ? pick(lang, "この車は入ります。", "The vehicle fits.")
    : fit.fits === false
    ? pick(lang, `この車は入りません: ${measures(fit.failing)}`, `The vehicle does not fit: ${measures(fit.failing)}`)
    : pick(
      lang,
      `入るかどうかわかりません。制限が不明: ${fit.unknown.join(", ")}`,
      `Unknown whether it fits. The lot's limit is unknown for: ${fit.unknown.join(", ")}`,
    );
  return lines(verdict, fenced({ name }, lang));
}

interface LotWithHours {
  readonly name: string | null;
  readonly is_open_now: boolean | null;
  readonly next_change_at: { readonly is_open_now: string | null };
  readonly week?: { readonly spans: readonly { from: string; to: string; is_open: boolean | null }[] } | undefined;
  readonly date_overrides: readonly { override_date: string; label: string; note: string | null }[];
}

export function hoursText({ name, is_open_now, next_change_at, week, date_overrides }: LotWithHours, lang: Lang) {
  const spans = joined(week?.spans ?? []);
  const change = next_change_at.is_open_now;
  const isUnknown = spans.every(({ is_open }) => is_open === null);
  const isAlways = spans.length === 1 && spans[0]!.is_open === true;
  return lines(
    is_open_now === null
      ? pick(lang, "いま営業中かどうかはわかりません。", "Unknown whether it is open now.")
      : is_open_now
      ? pick(lang, "いま営業中です。", "Open now.")
      : pick(lang, "いまは閉まっています。", "Closed now."),
    change !== null && pick(lang, `次に変わるのは${clock(change)}です。`, `The next change is at ${clock(change)}.`),
    isAlways
      ? pick(lang, "7日間ずっと営業します。", "Open around the clock for the next seven days.")
      : isUnknown && pick(lang, "営業時間は不明です。", "The hours are unknown."),
    ...isAlways
      ? []
      : spans.filter(({ is_open }) => is_open === true).map(({ from, to }) => `- ${clock(from)} – ${clock(to)}`),
    fenced({
      name,
      date_overrides: date_overrides.map(({ override_date, label, note }) => ({ override_date, label, note })),
    }, lang),
  );
}

/** Spans between which only entry or exit changes are one. */
function joined<T extends { from: string; to: string; is_open: boolean | null }>(spans: readonly T[]) {
  const found: { from: string; to: string; is_open: boolean | null }[] = [];
  for (const { from, to, is_open } of spans) {
    const last = found.at(-1);
    if (last?.is_open === is_open) last.to = to;
    else found.push({ from, to, is_open });
  }
  return found;
}

export function startedText(sessionId: string, lang: Lang): string {
  return pick(lang, `駐車を開始しました (session ${sessionId})。`, `The session has started (${sessionId}).`);
}

export function meterText(session: z.output<typeof CurrentSession>, lang: Lang): string {
  const { meter, parking_lot_name: name } = session;
  const text = "refusal" in meter
    ? pick(lang, `料金は不明です (${meter.refusal.reason})。`, `The fee is unknown (${meter.refusal.reason}).`)
    : lines(
      pick(
        lang,
        `いま出ると${money(meter.amount, meter.currency, lang)}です。`,
        `Leaving now costs ${money(meter.amount, meter.currency, lang)}.`,
      ),
      meter.next_increase_at !== null && meter.next_amount !== null && pick(
        lang,
        `${clock(meter.next_increase_at)}を過ぎると${money(meter.next_amount, meter.currency, lang)}です。`,
        `After ${clock(meter.next_increase_at)} it costs ${money(meter.next_amount, meter.currency, lang)}.`,
      ),
      ...meter.surprises.map(({ message }) => `! ${message[lang]}`),
    );
  return lines(text, fenced({ name }, lang));
}

export function finishedText({ total_amount, currency }: z.output<typeof FinalizedSession>, lang: Lang): string {
  const amount = total_amount === null ? null : money(total_amount, currency, lang);
  return amount === null
    ? pick(lang, "駐車を終了しました。料金は不明です。", "The session has ended. The fee is unknown.")
    : pick(lang, `駐車を終了しました。料金は${amount}です。`, `The session has ended. The fee is ${amount}.`);
}

export function savedText(lang: Lang): string {
  return pick(lang, "駐車場を保存しました。", "The lot is saved.");
}
