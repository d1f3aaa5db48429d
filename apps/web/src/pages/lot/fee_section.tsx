/** What the stay costs, why, and what other stays cost. */
import { dateTime, money } from "../../format.ts";
import { pageTexts } from "../../texts/pages.ts";
import { FeeLines, RefusalNote } from "../../ui/fee_lines.tsx";
import { lazy } from "../../ui/lazy.tsx";
import type { LotProps } from "./lot.ts";
import { PriceList, ruleTexts } from "./price_list.tsx";
import { StayForm } from "./stay_form.tsx";

const text = pageTexts(({ lot }) => lot.feeSection);

const FeeCurve = lazy(() => import("./fee_curve.tsx").then(({ FeeCurve }) => FeeCurve));

export function FeeSection(props: LotProps) {
  const { lot } = props;
  const t = text.value;
  return (
    <section aria-labelledby="lot-fee">
      <h2 id="lot-fee">{t.title}</h2>
      <StayForm {...props} />
      <div aria-live="polite">
        <StayFee {...props} />
      </div>
      {lot.fee_curve && lot.fee_curve.length > 1 && (
        <>
          <h3>{t.curve}</h3>
          <FeeCurve points={lot.fee_curve} {...props} />
        </>
      )}
      <h3>{t.prices}</h3>
      <PriceList lot={lot} />
    </section>
  );
}

function StayFee({ lot }: LotProps) {
  const t = text.value;
  const ruleText = ruleTexts(lot);
  const planned = lot.planned_stay;
  if (planned === null) return null;
  const at = (time: string) => dateTime(time, lot.time_zone);
  return (
    <>
      <p class="lot-price">
        {at(planned.entry_at)} – {at(planned.exit_at)}
        {planned.fee && <strong>{money(planned.fee.total_amount, planned.fee.currency)}</strong>}
      </p>
      {planned.can_enter_at === false && <p class="notice lot-warning">{t.noEntry(at(planned.entry_at))}</p>}
      {planned.locked_in === true && (
        <p class="notice lot-warning">
          {t.lockedIn(at(planned.exit_at))} {planned.next_exit_at && t.nextExit(at(planned.next_exit_at))}
        </p>
      )}
      {planned.fee && (
        <FeeLines
          breakdown={planned.fee.breakdown}
          currency={planned.fee.currency}
          ruleText={ruleText}
        />
      )}
      {planned.fee_refusal && (
        <div class="lot-unknown-fee">
          <p>
            <strong>{t.unknown}</strong>
          </p>
          <RefusalNote refusal={planned.fee_refusal} timeZone={lot.time_zone} />
        </div>
      )}
    </>
  );
}
