/** Where a bill is higher than a reader of the sign expects, the dearest first, with the exit that avoids it as a button. */
import type { components } from "parking-lot-client";
import { money } from "../format.ts";
import { language } from "../language.ts";
import { pageTexts } from "../texts/pages.ts";
import { Icon } from "./icon.tsx";

const text = pageTexts(({ ui }) => ui.surprises);

export type Surprise = components["schemas"]["FeeSurprise"];

export const surpriseText = ({ message }: Surprise): string => message[language.value];

export interface SurprisesProps {
  readonly surprises: readonly Surprise[];
  /** How an earlier exit avoids a surprise; nothing without an exit that can be changed. */
  readonly earlier?: Earlier | undefined;
}

export interface Earlier {
  /** The exit that is planned. */
  readonly exitAt: string;
  readonly currency: string;
  readonly time: (time: string) => string;
  /** What an exit then saves; by default what the surprise has. */
  readonly saved?: (leaveBy: string) => number;
  readonly leave: (leaveBy: string) => void;
}

export function Surprises({ surprises, earlier }: SurprisesProps) {
  if (surprises.length === 0) return null;
  return (
    <ul class="surprises" aria-label={text.value.label}>
      {surprises.map((surprise) => (
        <li key={`${surprise.kind} ${surprise.at}`}>
          <Icon name="warning" size={16} />
          <div>
            {surpriseText(surprise)}
            {earlier && <LeaveButton surprise={surprise} earlier={earlier} />}
          </div>
        </li>
      ))}
    </ul>
  );
}

function LeaveButton({ surprise: { leave_by, saves }, earlier }: { surprise: Surprise; earlier: Earlier }) {
  const { exitAt, currency, time, saved, leave } = earlier;
  if (leave_by === null || saves === null || Date.parse(leave_by) >= Date.parse(exitAt)) return null;
  const amount = saved === undefined ? saves : saved(leave_by);
  if (amount <= 0) return null;
  return (
    <button type="button" class="surprises-leave" onClick={() => leave(leave_by)}>
      {text.value.leave(time(leave_by), money(amount, currency))}
    </button>
  );
}

/** The points of a curve at which surprises begin. */
export function surprisePoints(surprises: readonly Surprise[]): { at: number; label: string }[] {
  return surprises.map((surprise) => ({ at: Date.parse(surprise.at), label: surpriseText(surprise) }));
}
