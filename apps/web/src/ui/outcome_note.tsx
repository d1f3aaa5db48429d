/** What became of a change: the service has it, or it waits for a connection. */
import { pageTexts } from "../texts/pages.ts";

export type Outcome = "sent" | "waits";

/** The outcome of `deliver`. */
export const outcomeOf = (reply: unknown): Outcome => reply === undefined ? "waits" : "sent";

const text = pageTexts(({ ui }) => ui.outcomeNote);

export function OutcomeNote({ outcome, sent }: { outcome: Outcome | undefined; sent: string }) {
  return <p role="status">{outcome === "waits" ? text.value.waits : outcome && sent}</p>;
}
