/** How the fee is computed, what other exits cost, and all rules of the lot. */
import { label } from "../../codes.ts";
import { dateTime, duration, money, timeOfDay } from "../../format.ts";
import { pageTexts } from "../../texts/pages.ts";
import { FeeLines, partsOf } from "../../ui/fee_lines.tsx";
import type { LotProps } from "./lot.ts";
import { FeeCurve } from "./fee_curve.tsx";
import { PriceChange, PriceList, ruleTexts } from "./price_list.tsx";

const text = pageTexts(({ lot }) => lot.feeSection);

/** The lines that the page shows without being asked. */
const LINES = 3;

export function FeeSection(props: LotProps) {
  const { lot } = props;
  const t = text.value;
  const fee = lot.planned_stay?.locked_in === true ? undefined : lot.planned_stay?.fee;
  return (
    <section aria-labelledby="lot-fee">
      <h2 id="lot-fee">{fee ? t.title : t.prices}</h2>
      {fee && (
        <ul class="lot-lines">
          {fee.breakdown.lines.slice(0, LINES).map((line, index) => (
            <li key={index}>
              <span>{timesOf(line.from, line.to, fee.breakdown.time_zone)}</span>
              <span>{partsOf(line, fee.currency)}</span>
              <strong>{money(line.amount, fee.currency)}</strong>
            </li>
          ))}
          {fee.breakdown.lines.length === 0 && <li>{t.free}</li>}
        </ul>
      )}
      {fee && fee.breakdown.lines.length > LINES && (
        <p class="lot-quiet">{t.more(fee.breakdown.lines.length - LINES)}</p>
      )}
      {fee?.breakdown.notes.map((note) => <p key={note} class="lot-quiet">{label("fee_note", note)}</p>)}
      <FeeCurve {...props} />
      <PriceChange lot={lot} />
      <details>
        <summary>{t.all}</summary>
        {fee && <FeeLines breakdown={fee.breakdown} currency={fee.currency} ruleText={ruleTexts(lot)} />}
        <PriceList lot={lot} />
      </details>
    </section>
  );
}

/** `22:30–00:00`; over days with the length instead of a second date. */
function timesOf(from: string, to: string, timeZone: string): string {
  const length = Date.parse(to) - Date.parse(from);
  return length <= 24 * 3_600_000
    ? `${timeOfDay(from, timeZone)}–${timeOfDay(to, timeZone)}`
    : `${dateTime(from, timeZone)} (${duration(length / 60_000)})`;
}
