/** The types of the contract, as `openapi-typescript` generates them. */
import openapiTS, { astToString } from "openapi-typescript";
import { completeContract } from "../../supabase/functions/openapi/contract.ts";
import { reasons } from "../../supabase/functions/openapi/reasons.ts";

const HEAD = "// Generated from openapi.json by `deno task openapi`. Do not edit.\n// deno-fmt-ignore-file\n\n";

/** The committed file. It has no descriptions: it changes only when a type does, and is half as large. */
export const COMMITTED = new URL("../src/api.ts", import.meta.url);

/** The text of `src/api.ts`. The package has it with descriptions, which editors show. */
export async function apiTypes({ descriptions }: { descriptions: boolean }): Promise<string> {
  const document = JSON.parse(JSON.stringify(completeContract()), asTheClientHasIt);
  const types = astToString(await openapiTS(document, { defaultNonNullable: false }));
  const text = descriptions ? types : types.replaceAll(/^ *\/\*\*[\s\S]*?\*\/\n/gm, "");
  const lines = text
    // Methods that a path does not have, and cookies, which no operation reads.
    .replaceAll(/^ +(get|put|post|delete|options|head|patch|trace|cookie)\?: never;\n/gm, "")
    .replaceAll(/^( +)\1/gm, "$1");
  return `${HEAD}${lines.trimEnd()}\n\n${errorReasons()}`;
}

/**
 * A parameter of JSON text is the object that the client serialises. What `Accept` selects is a media type of the
 * response, so that `stream` has the type of its lines.
 */
function asTheClientHasIt(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if ("contentSchema" in value) return value.contentSchema;
  if (!("x-representations" in value)) return value;
  const { "x-representations": others, content, ...response } = value as Record<string, object>;
  return { ...response, content: { ...content, ...others } };
}

/** `details.reason` by code. The contract describes `details` in prose; the table of reasons is in docs/clients/errors.md. */
function errorReasons(): string {
  const byCode = new Map<string, string[]>();
  for (const [reason, { codes }] of Object.entries(reasons)) {
    for (const code of codes) byCode.set(code, [...byCode.get(code) ?? [], reason]);
  }
  const fields = [...byCode].sort(([a], [b]) => a < b ? -1 : 1).map(([code, found]) =>
    `  ${code}: ${found.toSorted().map((reason) => `"${reason}"`).join(" | ")};\n`
  );
  return `export interface ErrorReasons {\n${fields.join("")}}\n`;
}
