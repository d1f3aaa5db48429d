// `details.reason`: docs/clients/errors.md has every reason of an error, and no other.
import assert from "node:assert/strict";
import { reasons } from "../../supabase/functions/openapi/reasons.ts";
import { schema } from "../../tools/lint_sql/rules.ts";

const functions = new URL("../../supabase/functions/", import.meta.url);

function sources(folder: URL): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    if (isDirectory) return name === "openapi" ? [] : sources(new URL(`${name}/`, folder));
    return name.endsWith(".ts") ? [Deno.readTextFileSync(new URL(name, folder))] : [];
  });
}

const sql = schema().map(({ text }) => text).join("\n");
const code = sources(functions).join("\n");

Deno.test("errors.md: every reason that SQL or the functions give an error is in the list", () => {
  const raised = [
    ...sql.matchAll(/p_details => '\{"reason": "(\w+)"/g),
    ...sql.matchAll(/p_details => jsonb_build_object\('reason', '(\w+[a-z])'/g),
    ...code.matchAll(/(?:details: |, )\{ reason: "(\w+)" \}/g),
  ].map(([, reason]) => reason!);
  assert.ok(raised.length > 50, `${raised.length} found`);
  assert.deepEqual([...new Set(raised)].filter((reason) => !(reason in reasons)), []);
});

Deno.test("errors.md: every reason of the list is raised", () => {
  // Made of a prefix and a status.
  const made = ["session_ended", "session_cancelled"];
  const unknown = Object.keys(reasons).filter((reason) =>
    !made.includes(reason) && !new RegExp(`['"]${reason}['"]`).test(sql + code)
  );
  assert.deepEqual(unknown, []);
});

Deno.test("errors.md: the reasons are in the order of the alphabet", () => {
  assert.deepEqual(Object.keys(reasons), Object.keys(reasons).toSorted());
});
