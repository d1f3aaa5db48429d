/// <reference lib="dom" />
/** The acts on the chosen entries of a table, with their progress and what came of them. */
import { useRef, useState } from "preact/hooks";
import { ReviewDecision } from "../../bounds.ts";
import { number } from "../../format.ts";
import { consoleTexts } from "../../texts/console.ts";
import { ErrorNote } from "../../ui/error_note.tsx";
import { limited } from "../../ui/validity.ts";
import { announcement } from "./announcement.ts";
import { actOnEach, type BulkOutcome } from "./bulk.ts";

const text = consoleTexts(({ kit }) => kit.bulk);

export interface BulkAct<Entry> {
  readonly name: string;
  readonly kind?: "primary" | "danger";
  /** The entries that it is for; the others are left out and counted. */
  readonly isFor?: (entry: Entry) => boolean;
  readonly needsReason?: boolean;
  readonly perform: (entry: Entry, reason: string) => Promise<unknown>;
}

export interface BulkActsProps<Entry> {
  readonly entries: readonly Entry[];
  readonly nameOf: (entry: Entry) => string;
  readonly acts: readonly BulkAct<Entry>[];
  /** The entries on which it was done. */
  readonly onDone: (done: readonly Entry[]) => void;
  readonly onClear: () => void;
}

export function BulkActs<Entry>({ entries, nameOf, acts, onDone, onClear }: BulkActsProps<Entry>) {
  const t = text.value;
  const [asked, setAsked] = useState<BulkAct<Entry>>();
  const [progress, setProgress] = useState<{ done: number; all: number }>();
  const [outcome, setOutcome] = useState<BulkOutcome<Entry>>();
  const stop = useRef<AbortController>(undefined);
  const run = async (act: BulkAct<Entry>, chosen: readonly Entry[], reason: string) => {
    stop.current = new AbortController();
    setAsked(undefined);
    setOutcome(undefined);
    setProgress({ done: 0, all: chosen.length });
    const result = await actOnEach(chosen, (entry) => act.perform(entry, reason), {
      signal: stop.current.signal,
      onProgress: (done) => setProgress({ done, all: chosen.length }),
    });
    setProgress(undefined);
    setOutcome(result);
    announcement.value = t.done(number(result.done.length), number(chosen.length));
    if (result.done.length > 0) onDone(result.done);
  };
  if (entries.length === 0 && outcome === undefined) return null;
  return (
    <div class="console-bulk" role="region" aria-label={t.chosen(number(entries.length))}>
      {progress !== undefined
        ? (
          <div class="row">
            <progress max={progress.all} value={progress.done} aria-label={t.progress} />
            {t.done(number(progress.done), number(progress.all))}
            <button type="button" onClick={() => stop.current?.abort()}>{t.stop}</button>
          </div>
        )
        : entries.length > 0 && (
          <div class="row">
            <strong>{t.chosen(number(entries.length))}</strong>
            {acts.map((act) => {
              const fitting = entries.filter((entry) => act.isFor?.(entry) ?? true);
              return (
                <button
                  key={act.name}
                  type="button"
                  class={act.kind}
                  disabled={fitting.length === 0}
                  onClick={() => setAsked(act)}
                >
                  {act.name} ({number(fitting.length)})
                </button>
              );
            })}
            <button type="button" class="quiet" onClick={onClear}>{t.clear}</button>
          </div>
        )}
      {asked !== undefined && (
        <BulkQuestion
          act={asked}
          entries={entries.filter((entry) => asked.isFor?.(entry) ?? true)}
          nameOf={nameOf}
          onYes={(chosen, reason) => void run(asked, chosen, reason)}
          onNo={() => setAsked(undefined)}
        />
      )}
      {outcome !== undefined && <BulkResult outcome={outcome} nameOf={nameOf} onClose={() => setOutcome(undefined)} />}
    </div>
  );
}

const SHOWN_NAMES = 5;

function BulkQuestion<Entry>({ act, entries, nameOf, onYes, onNo }: {
  act: BulkAct<Entry>;
  entries: readonly Entry[];
  nameOf: (entry: Entry) => string;
  onYes: (entries: readonly Entry[], reason: string) => void;
  onNo: () => void;
}) {
  const t = text.value;
  const more = entries.length - SHOWN_NAMES;
  return (
    <form
      class="notice"
      onSubmit={(event) => {
        event.preventDefault();
        onYes(entries, String(new FormData(event.currentTarget).get("reason") ?? "").trim());
      }}
    >
      <p>
        {t.ask(act.name, number(entries.length))} {entries.slice(0, SHOWN_NAMES).map(nameOf).join(", ")}
        {more > 0 && ` ${t.more(number(more))}`}
      </p>
      {act.needsReason && (
        <label class="field">
          <span>{t.reason}</span>
          <input name="reason" required {...limited(ReviewDecision.reason)} />
        </label>
      )}
      <div class="row">
        <button type="submit" class={act.kind}>{act.name} ({number(entries.length)})</button>
        <button type="button" onClick={onNo}>{t.no}</button>
      </div>
    </form>
  );
}

function BulkResult<Entry>({ outcome: { done, failed, left }, nameOf, onClose }: {
  outcome: BulkOutcome<Entry>;
  nameOf: (entry: Entry) => string;
  onClose: () => void;
}) {
  const t = text.value;
  return (
    <div class={`notice${failed === undefined ? "" : " error"}`}>
      {done.length > 0 && <p>{t.doneFor(number(done.length))} {done.map(nameOf).join(", ")}</p>}
      {failed !== undefined && (
        <>
          <p>{t.failedAt(nameOf(failed.entry))}</p>
          <ErrorNote error={failed.error} />
        </>
      )}
      {left.length > 0 && <p>{t.left(number(left.length))} {left.map(nameOf).join(", ")}</p>}
      <button type="button" onClick={onClose}>{t.close}</button>
    </div>
  );
}
