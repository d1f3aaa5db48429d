/** What a sentence became: the place that it lacks, what was assumed, and what was not clear. */
import { readPosition } from "../../position.ts";
import { pageTexts } from "../../texts/pages.ts";
import { Icon } from "../../ui/icon.tsx";
import { ActionButton } from "../../ui/load.tsx";
import type { ChosenPlace } from "./search_line.tsx";
import type { Sentence } from "./sentence_values.ts";

const text = pageTexts(({ map }) => map.sentenceNote);

export interface SentenceNoteProps {
  readonly sentence: Sentence;
  readonly onPlace: (place: ChosenPlace) => void;
  readonly onClose: () => void;
}

export function SentenceNote({ sentence, onPlace, onClose }: SentenceNoteProps) {
  const t = text.value;
  const { hasPlace, assumptions, unresolved } = sentence;
  // Words that were not used are said openly: the search does not obey them.
  const unused = unresolved.flatMap(({ text }) => text ? [t.quoted(text)] : []);
  const notes = [...unresolved, ...assumptions];
  if (hasPlace && notes.length === 0) return null;
  return (
    <section class="sentence" role="status" aria-label={t.label}>
      <div class="sentence-head">
        {hasPlace
          ? (
            <details>
              <summary>{unused.length > 0 ? t.unused(unused.join(t.comma)) : t.assumed(assumptions.length)}</summary>
              <NoteList notes={notes} />
            </details>
          )
          : <p>{t.where}</p>}
        <button type="button" class="icon-button" aria-label={t.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      {!hasPlace && (
        <>
          <p class="small">{t.whereHint}</p>
          <ActionButton class="primary" perform={async () => onPlace({ ...await readPosition(), name: t.here })}>
            <Icon name="locate" />
            {t.near}
          </ActionButton>
          {unused.length > 0 && <p class="small">{t.unused(unused.join(t.comma))}</p>}
        </>
      )}
    </section>
  );
}

function NoteList({ notes }: { notes: Sentence["assumptions"] }) {
  return (
    <ul class="small">
      {notes.map(({ text: words, reason }, index) => (
        <li key={index}>{words && `${text.value.quoted(words)}: `}{reason}</li>
      ))}
    </ul>
  );
}
