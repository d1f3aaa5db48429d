/** The committed files that are generated, or have a generated part. A test compares them with what stands in the repository. */
import { catalogue, type CatalogueEntry, codes } from "../_shared/errors.ts";
import type { Route } from "../_shared/http/route.ts";
import { contract, groups } from "./contract.ts";

export function generatedFiles(): { file: URL; text: string }[] {
  return [
    {
      file: new URL("../../../openapi.json", import.meta.url),
      text: `${JSON.stringify(contract(), null, 2)}\n`,
    },
    {
      file: new URL("../../../docs/clients/errors.md", import.meta.url),
      text: errorsPage(),
    },
    {
      file: adminPage,
      text: withRoutes(Deno.readTextFileSync(adminPage), groups.find(({ name }) => name === "admin")!.routes),
    },
  ];
}

const adminPage = new URL("../../../docs/clients/console.md", import.meta.url);

/** The page with the table of routes and areas, which stands between two comments. */
function withRoutes(page: string, routes: readonly Route[]): string {
  const [begin, end] = ["<!-- routes: printed by `deno task openapi` -->", "<!-- end of routes -->"];
  const [before, after] = [page.split(begin)[0], page.split(end)[1]];
  if (after === undefined) throw new Error(`docs/clients/console.md has no ${begin} … ${end}`);
  const rows = routes.toSorted((a, b) => a.path < b.path ? -1 : a.path > b.path ? 1 : 0)
    .map(({ method, path, area, summary }) => [`\`${method} /v1${path}\``, area ? `\`${area}\`` : "any", summary]);
  return `${before}${begin}\n\n${table([["Route", "Area", "Does"], ...rows])}\n\n${end}${after}`;
}

/** As the formatter writes it: every column as wide as its widest cell. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |`);
  return [lines[0]!, `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...lines.slice(1)].join("\n");
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
  "`outcome_unknown` (for a GET `service_unavailable`), anything else `server_error`. A field of the request that a " +
  "constraint of its column does not allow (23502, 23514) is a `validation_error` that names it. Rules of the service " +
  "refuse in their own words, with one of the codes below.",
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
