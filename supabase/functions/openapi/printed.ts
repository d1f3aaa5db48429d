/** The committed files that are printed, not written by hand. A test compares them with what stands in the repository. */
import { catalogue, type CatalogueEntry, codes } from "../_shared/errors.ts";
import { contract } from "./contract.ts";

export function printed(): { file: URL; text: string }[] {
  return [
    {
      file: new URL("../../../openapi.json", import.meta.url),
      text: `${JSON.stringify(contract(), null, 2)}\n`,
    },
    {
      file: new URL("../../../docs/errors.md", import.meta.url),
      text: errorsPage(),
    },
  ];
}

function errorsPage(): string {
  const entries = codes.map((code) => {
    const { status, message, meaning, remedy }: CatalogueEntry = catalogue[code];
    return [
      `## ${code}`,
      wrapped(`HTTP ${status}. “${message}”`),
      wrapped(meaning),
      wrapped(remedy),
    ];
  });
  return `${[...introduction.map(wrapped), ...entries.flat()].join("\n\n")}\n`;
}

const introduction = [
  "# Errors",
  "Printed by `deno task openapi` from `supabase/functions/_shared/errors.ts`; the same pages are served at " +
  "`/v1/openapi/errors`, where `error.doc_url` of every error response points.",
  'Every error response is `{"error": {...}}` with `code`, `message`, `message_key`, `request_id`, `param`, `doc_url` ' +
  "and, where there is more to say, `details`. From status 500 on the message is general: the cause is in the log, " +
  "under the request id.",
  "What Postgres raises by itself becomes: 42501 `forbidden`, 23505 `conflict`, 23503 `not_found`, 23514 and 22xxx " +
  "`validation_error`, 40xxx `conflict` after one retry, 53xxx, 55P03, 57014, 57P03, no connection and none free in " +
  "time `service_unavailable`, a lost connection and no answer in time `server_error` with `details.reason` " +
  "`outcome_unknown` (for a GET `service_unavailable`), anything else `server_error`. Rules of the service refuse in " +
  "their own words, with one of the codes below.",
  "Every 503 has `Retry-After`, and a request that got 503 has not been carried out, not in part either. Where nobody " +
  "knows whether a request was carried out it gets 500 with `outcome_unknown`.",
];

/** Breaks where the formatter would. */
function wrapped(paragraph: string): string {
  const lines: string[] = [""];
  for (const word of paragraph.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trimStart();
    if (longer.length <= 120) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.join("\n");
}
