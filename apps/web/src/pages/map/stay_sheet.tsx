/** The sheet of the stay: entry, exit and the usual lengths. */
import { useState } from "preact/hooks";
import { zoneParts } from "../../format.ts";
import { pageTexts } from "../../texts/pages.ts";
import { Sheet } from "../../ui/sheet.tsx";
import { MomentInput } from "./moment_input.tsx";
import {
  fieldsOf,
  hasOtherClocks,
  isPossibleStay,
  type StayFields,
  stayFromNow,
  stayOvernight,
  type Times,
  timesOf,
  withEntry,
} from "./search.ts";

const text = pageTexts(({ map }) => map.staySheet);

export interface StaySheetProps {
  readonly stay: Times;
  /** By whose clocks the fields are. */
  readonly timeZone: string;
  readonly onStay: (stay: StayFields) => void;
  readonly onClose: () => void;
}

export function StaySheet({ stay, timeZone, onStay, onClose }: StaySheetProps) {
  const t = text.value;
  const [draft, setDraft] = useState(() => fieldsOf(stay, timeZone));
  const isPossible = isPossibleStay(draft, timeZone);
  const times = timesOf(draft, timeZone);
  const choose = (stay: StayFields) => {
    onStay(stay);
    onClose();
  };
  const presets: [name: string, stay: () => StayFields][] = [
    [t.oneHour, () => stayFromNow(60, timeZone)],
    [t.threeHours, () => stayFromNow(180, timeZone)],
    [t.overnight, () => stayOvernight(timeZone)],
  ];
  return (
    <Sheet
      title={t.title}
      onClose={onClose}
      actions={
        <button type="button" class="primary" disabled={!isPossible} onClick={() => choose(draft)}>{t.search}</button>
      }
    >
      <div class="row">
        {presets.map(([name, stay]) => (
          <button key={name} type="button" class="pill" onClick={() => choose(stay())}>{name}</button>
        ))}
      </div>
      <div class="find-stay">
        <MomentInput
          label={t.entry}
          value={draft.entry}
          timeZone={timeZone}
          onChange={(entry) => setDraft(withEntry(draft, entry, timeZone))}
        />
        <MomentInput
          label={t.exit}
          value={draft.exit}
          timeZone={timeZone}
          onChange={(exit) => setDraft({ ...draft, exit })}
        />
      </div>
      {times && hasOtherClocks(times, timeZone) && <p class="small">{t.clocks(zoneParts(timeZone, times.entry_at))}</p>}
      <p class="small" role="status">{!isPossible && <span class="wrong">{t.wrongOrder}</span>}</p>
    </Sheet>
  );
}
