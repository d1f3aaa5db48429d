/// <reference lib="dom" />
/** The buttons of a decision with its reason. */
import { useId, useRef } from "preact/hooks";
import { ReviewDecision } from "../../bounds.ts";
import { consoleTexts } from "../../texts/console.ts";
import { ErrorNote } from "../../ui/error_note.tsx";
import { useAction } from "../../ui/load.tsx";
import { lengthCheck } from "../../ui/validity.ts";

const text = consoleTexts(({ kit }) => kit.decision);

export interface Choice {
  readonly name: string;
  readonly kind?: "primary" | "danger";
  readonly needsReason?: boolean;
  readonly perform: (reason: string | null) => Promise<unknown>;
}

const tooLong = lengthCheck(ReviewDecision.reason.maxLength);

/** One reason and a button for each decision. One decision runs at a time. */
export function Decision({ reason, hint, choices }: { reason: string; hint?: string; choices: readonly Choice[] }) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const chosen = useRef<Choice>(undefined);
  const action = useAction(async () => {
    await chosen.current?.perform(field.current!.value.trim() || null);
  });
  const choose = (choice: Choice) => {
    const isMissing = choice.needsReason && field.current!.value.trim() === "";
    field.current!.setCustomValidity(isMissing ? text.value.needsReason : tooLong(field.current!.value));
    // Shows the sentence at the field, and focuses it.
    if (!field.current!.reportValidity()) return;
    chosen.current = choice;
    void action.run();
  };
  return (
    <form class="form" onSubmit={(event) => event.preventDefault()}>
      <div class="field">
        <label for={id}>{reason}</label>
        <textarea
          id={id}
          aria-describedby={hint && `${id}-hint`}
          ref={field}
          rows={2}
          onInput={(event) => event.currentTarget.setCustomValidity("")}
        />
        {hint && <p class="small" id={`${id}-hint`}>{hint}</p>}
      </div>
      <div class="row">
        {choices.map((choice) => (
          <button
            key={choice.name}
            type="button"
            class={choice.kind}
            aria-busy={action.isRunning}
            onClick={() => choose(choice)}
          >
            {choice.name}
          </button>
        ))}
      </div>
      {action.error !== undefined && <ErrorNote error={action.error} />}
    </form>
  );
}
