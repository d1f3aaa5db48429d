/** The committed files that are generated, or contain a generated part. A test compares them with the repository. */
import { catalogue, type CatalogueEntry, codes } from "../_shared/errors.ts";
import { asyncApiDocument } from "./asyncapi.ts";
import { reasons } from "./reasons.ts";
import type { ContractDocuments } from "../_shared/providers/contract_documents.ts";
import type { Route } from "../_shared/http/route.ts";
import { entityTag } from "../_shared/http/caching.ts";
import { contract, contractOverlay, groups } from "./contract.ts";
import type { DocumentFile } from "./documents.ts";
import { table, wrapped } from "./markdown.ts";

export function generatedFiles(): { file: URL; text: string }[] {
  const [openapi, asyncapi] = [contract(), asyncApiDocument()];
  return [
    served("openapi", openapi),
    served("overlay", contractOverlay()),
    served("asyncapi", asyncapi),
    {
      file: new URL("../../../contract/openapi.json", import.meta.url),
      text: `${JSON.stringify(openapi, null, 2)}\n`,
    },
    {
      file: new URL("../../../contract/asyncapi.json", import.meta.url),
      text: `${JSON.stringify(asyncapi, null, 2)}\n`,
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

/** What the function sends: a text and its entity tag, so that no request and no start of a process prints a document. */
function served(name: keyof ContractDocuments, document: unknown): { file: URL; text: string } {
  const text = JSON.stringify(document);
  const content: DocumentFile = { etag: entityTag(text), text };
  return { file: new URL(`./documents/${name}.json`, import.meta.url), text: `${JSON.stringify(content, null, 2)}\n` };
}

const adminPage = new URL("../../../docs/clients/console.md", import.meta.url);

/** Replaces the table of routes and areas of a page, between two comments. */
function withRoutes(page: string, routes: readonly Route[]): string {
  const [begin, end] = ["<!-- routes: printed by `deno task openapi` -->", "<!-- end of routes -->"];
  const [before, after] = [page.split(begin)[0], page.split(end)[1]];
  if (after === undefined) throw new Error(`docs/clients/console.md has no ${begin} … ${end}`);
  const rows = routes.toSorted((a, b) => a.path < b.path ? -1 : a.path > b.path ? 1 : 0)
    .map(({ method, path, area, summary }) => [`\`${method} /v1${path}\``, area ? `\`${area}\`` : "any", summary]);
  return `${before}${begin}\n\n${table([["Route", "Area", "Does"], ...rows])}\n\n${end}${after}`;
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
  const intro = introduction.map((part) => part.startsWith("|") ? part : wrapped(part));
  return `${[...intro, ...entries.flat()].join("\n\n").replaceAll(/(?<=^- .*)\n\n(?=- )/gm, "\n")}\n`;
}

const introduction = [
  "# Errors",
  "This page is printed by `deno task openapi` from `supabase/functions/_shared/errors.ts`. The service returns the same " +
  "texts at `/v1/openapi/errors`; `error.doc_url` of an error response is the page of its code.",
  "## Error format",
  'Every error response is `{"error": {...}}` with these fields:',
  "- `code`: one of the codes below. Decide by the code, never by the message.",
  "- `message`: one sentence in English. From status 500 on it is general; the cause is in the log under the request id.",
  "- `message_key`: a key for translations, `error.<code>`.",
  "- `request_id`: the value of the `X-Request-Id` response header.",
  "- `param`: the parameter or field that is invalid, or null. `doc_url`: the page of the code.",
  "- `details`: more about the error, where there is more. `details.reason` is a stable word for programs.",
  "## Retries",
  "A request that got 503 was not carried out, not even in part. Every 503 has `Retry-After`.",
  "A request that got 500 with `details.reason` `outcome_unknown` may have been carried out. Send it again only with " +
  "the same `Idempotency-Key` ([requests](requests.md#idempotency)), or read the resource first.",
  "Other errors below 500, except 429, get the same response again until the request or the resource changes.",
  "## Errors of the database",
  "Functions of the service raise the codes below. Errors that Postgres raises by itself are translated:",
  table([
    ["SQLSTATE", "Code"],
    ["42501", "`forbidden`"],
    ["23505", "`conflict`"],
    ["23503", "`not_found`"],
    ["23502, 23514 of a field of the request", "`validation_error` with `param`"],
    ["23514, 22xxx", "`validation_error`"],
    ["40xxx", "`conflict`, after one retry"],
    ["53xxx, 55P03, 57014, 57P03, no connection, no free connection in time", "`service_unavailable`"],
    ["a lost connection, no answer in time", "`server_error` with `outcome_unknown`; for a GET `service_unavailable`"],
    ["any other", "`server_error`"],
  ]),
  "## Reasons",
  "`error.details.reason` is one of these words. Choose texts for users by it, and by the code where there is none.",
  table([
    ["Reason", "Code", "Meaning"],
    ...Object.entries(reasons).map((
      [reason, { codes, meaning }],
    ) => [`\`${reason}\``, codes.map((code) => `\`${code}\``).join(", "), meaning]),
  ]),
];
