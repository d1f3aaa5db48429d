/** How a fee was calculated: the lines that sum to the total, or why there is no fee. */
import type { components } from "parking-lot-client";
import { label } from "../codes.ts";
import { dateTime, duration, money, timeOfDay } from "../format.ts";
import { pageTexts } from "../texts/pages.ts";

type Schemas = components["schemas"];
type FeeBreakdown = Schemas["FeeBreakdown"];
export type FeeRefusal = Schemas["FeeRefusal"];
type Line = FeeBreakdown["lines"][number];

const text = pageTexts(({ ui }) => ui.feeLines);

export interface FeeLinesProps {
  readonly breakdown: FeeBreakdown;
  readonly currency: string;
  /** A rule in words, where the rules of the lot are known: then each rule that does not apply is listed. */
  readonly ruleText?: (id: string) => string | undefined;
}

export function FeeLines({ breakdown, currency, ruleText }: FeeLinesProps) {
  const t = text.value;
  const total = breakdown.lines.reduce((sum, line) => sum + line.amount, 0);
  const zone = breakdown.time_zone;
  return (
    <div class="scroll">
      <table class="fee-lines">
        <caption class="visually-hidden">{t.caption}</caption>
        <thead>
          <tr>
            <th scope="col">{t.time}</th>
            <th scope="col">{t.what}</th>
            <th scope="col" class="number">{t.amount}</th>
          </tr>
        </thead>
        <tbody>
          {breakdown.lines.length === 0 && (
            <tr>
              <td colSpan={3}>{t.free}</td>
            </tr>
          )}
          {breakdown.lines.map((line, index) => (
            <tr key={index}>
              <td>{dateTime(line.from, zone)} – {timeOfDay(line.to, zone)}</td>
              <td>{label("fee_line_kind", line.kind)} {detailOf(line, currency)}</td>
              <td class="number">{money(line.amount, currency)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={2}>{t.total}</th>
            <td class="number">
              <strong>{money(total, currency)}</strong>
            </td>
          </tr>
        </tfoot>
      </table>
      {breakdown.notes.map((note) => <p key={note} class="small">{label("fee_note", note)}</p>)}
      {breakdown.not_applied.length > 0 && (
        <details>
          <summary>{t.notApplied(breakdown.not_applied.length)}</summary>
          <ul>
            {[...Map.groupBy(breakdown.not_applied, ({ reason }) => reason)].map(([reason, rules]) => (
              <li key={reason}>
                {label("fee_rule_reason", reason)}: {ruleText === undefined
                  ? rules.length
                  : <ul>{rules.map(({ rule_id }) => <li key={rule_id}>{ruleText(rule_id) ?? rule_id}</li>)}</ul>}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

/** What a line is, in words: `3 × 30 min × ¥200`, or the name of its kind. */
export function partsOf(line: Line, currency: string): string {
  return detailOf(line, currency) || label("fee_line_kind", line.kind);
}

/** `3 × 30 min × ¥200` */
function detailOf(line: Line, currency: string): string {
  if (line.kind === "cap" || line.kind === "grace") return "";
  const minutes = line.unit_minutes === null ? [] : [duration(line.unit_minutes)];
  return [String(line.units), ...minutes, money(line.unit_price, currency)].join(" × ");
}

/** What the fee is at least and at most, where only that is known. */
export function boundsText({ at_least, at_most, currency }: FeeRefusal): string | undefined {
  const t = text.value;
  if (at_least === undefined) return undefined;
  const most = at_most === undefined ? undefined : money(at_most, currency);
  if (at_least === 0 && most !== undefined) return t.atMost(most);
  const least = money(at_least, currency);
  return most === undefined ? t.atLeast(least) : t.between(least, most);
}

/** Why the fee is unknown, as a sentence. */
export function RefusalNote({ refusal, timeZone }: { refusal: FeeRefusal; timeZone?: string }) {
  return (
    <p class="notice">
      {label("fee_unknown_reason", refusal.reason)}
      {refusal.from && ` ${text.value.unknownFrom(dateTime(refusal.from, timeZone))}`}
    </p>
  );
}
