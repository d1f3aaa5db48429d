/** One save for what is edited of a lot. What another administrator saved meanwhile is shown, and nothing is lost. */
import { useState } from "preact/hooks";
import { consoleTexts } from "../../../texts/console.ts";
import { ErrorNote } from "../../../ui/error_note.tsx";
import { type Action, useAction } from "../../../ui/load.tsx";
import { announcement } from "../../kit/announcement.ts";
import { ChangedNote, type FieldOf } from "../../kit/details.tsx";
import type { Entry, Seen } from "../../kit/entry.ts";
import { rereadLists } from "../../kit/table.tsx";
import type { Lot } from "./prices/tariff.ts";

const text = consoleTexts(({ kit }) => kit.resource);

export interface Saved {
  /** The lot whose values the editor began with. */
  readonly base: Lot;
  readonly action: Action;
  /** Takes the newest version, and forgets what was entered. */
  reset(): void;
}

export function useSaved(entry: Entry<Lot>, { isSame, onReset, save }: {
  /** Whether the edited part of two versions is the same. */
  isSame: (a: Lot, b: Lot) => boolean;
  /** Forgets what was entered. */
  onReset: () => void;
  save: (seen: Seen<Lot>) => Promise<{ data: Lot }>;
}): Saved {
  const { data: lot } = entry.data!;
  const [base, setBase] = useState(lot);
  const action = useAction(async () => {
    let after: Lot | undefined;
    const outcome = await entry.change(async (seen) => after = (await save(seen)).data);
    if (outcome !== "done" || after === undefined) return;
    onReset();
    setBase(after);
    announcement.value = text.value.saved;
    rereadLists();
    entry.reload();
  });
  // Another part of the lot was saved: what the editor has is still the newest.
  if (base !== lot && base.updated_at !== lot.updated_at && isSame(base, lot)) setBase(lot);
  const reset = () => {
    onReset();
    setBase(lot);
    entry.accept();
  };
  return { base, action, reset };
}

export function SaveBar({ entry, saved, isChanged, fields }: {
  entry: Entry<Lot>;
  saved: Saved;
  isChanged: boolean;
  /** What a newer version shows of the edited part. */
  fields: readonly FieldOf<Lot>[];
}) {
  const t = text.value;
  const { action, reset } = saved;
  return (
    <>
      {entry.before && (
        <ChangedNote before={entry.before} now={entry.data!.data} fields={fields}>
          <div class="row">
            <button type="button" onClick={() => void action.run()}>{t.mine}</button>
            <button type="button" onClick={reset}>{t.newer}</button>
          </div>
        </ChangedNote>
      )}
      <div class="lot-save">
        <button
          type="button"
          class="primary"
          disabled={!isChanged}
          aria-busy={action.isRunning}
          onClick={() => void action.run()}
        >
          {t.save}
        </button>
        {isChanged && <button type="button" onClick={reset}>{t.discard}</button>}
        {action.error !== undefined && <ErrorNote error={action.error} />}
      </div>
    </>
  );
}
