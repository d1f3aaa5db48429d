/** A link to the section of the runbook that says more than one sentence does. */
import { settings } from "../../settings.ts";
import { consoleTexts } from "../../texts/console.ts";

const text = consoleTexts(({ kit }) => kit.runbook);

/** The sections: a page of docs/operations, and its heading. */
const SECTIONS = {
  queues: "monitoring.html#queues",
  jobs: "monitoring.html#jobs",
  dead_messages: "monitoring.html#dead-messages",
  providers: "monitoring.html#provider-outages",
  slow: "monitoring.html#slow-requests",
  stores: "store_sync.html#run-errors",
} as const;

export type Section = keyof typeof SECTIONS;

export function RunbookLink({ section }: { section: Section }) {
  const docs = settings.docs ?? "../docs/";
  return (
    <a href={`${docs}operations/${SECTIONS[section]}`} target="_blank" rel="noopener">
      {text.value.sections[section]}
    </a>
  );
}
