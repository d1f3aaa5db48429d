/** An act that cannot be taken back asks once more. */
import { useState } from "preact/hooks";
import { consoleTexts } from "../../texts/console.ts";
import { ActionButton } from "../../ui/load.tsx";

const text = consoleTexts(({ kit }) => kit.resource);

export interface ConfirmProps {
  readonly name: string;
  /** What it means. */
  readonly ask: string;
  /** The button that does it. */
  readonly really: string;
  readonly perform: () => Promise<unknown>;
}

export function Confirm({ name, ask, really, perform }: ConfirmProps) {
  const [isAsked, setAsked] = useState(false);
  if (!isAsked) {
    return (
      <p>
        <button type="button" class="danger" onClick={() => setAsked(true)}>{name}</button>
      </p>
    );
  }
  return (
    <div class="notice">
      <p>{ask}</p>
      <div class="row">
        <ActionButton class="danger" perform={perform}>{really}</ActionButton>
        <button type="button" onClick={() => setAsked(false)}>{text.value.keep}</button>
      </div>
    </div>
  );
}
