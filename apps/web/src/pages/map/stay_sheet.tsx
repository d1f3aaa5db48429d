/** The sheet of the stay: entry, exit and the usual lengths. */
import { useState } from "preact/hooks";
import { pageTexts } from "../../texts/pages.ts";
import { Sheet } from "../../ui/sheet.tsx";
import { MomentInput } from "./moment_input.tsx";
import { isPossibleStay, type StayFields, stayFromNow, stayOvernight, withEntry } from "./search.ts";

const text = pageTexts(({ map }) => map.staySheet);

export interface StaySheetProps {
  readonly stay: StayFields;
  readonly onStay: (stay: StayFields) => void;
  readonly onClose: () => void;
}

export function StaySheet({ stay, onStay, onClose }: StaySheetProps) {
  const t = text.value;
  const [draft, setDraft] = useState(stay);
  const isPossible = isPossibleStay(draft);
  const choose = (stay: StayFields) => {
    onStay(stay);
    onClose();
  };
  const presets: [name: string, stay: () => StayFields][] = [
    [t.oneHour, () => stayFromNow(60)],
    [t.threeHours, () => stayFromNow(180)],
    [t.overnight, () => stayOvernight()],
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
        <MomentInput label={t.entry} value={draft.entry} onChange={(entry) => setDraft(withEntry(draft, entry))} />
        <MomentInput label={t.exit} value={draft.exit} onChange={(exit) => setDraft({ ...draft, exit })} />
      </div>
      <p class="small" role="status">{!isPossible && <span class="wrong">{t.wrongOrder}</span>}</p>
    </Sheet>
  );
}
