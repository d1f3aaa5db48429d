// web/: the sentences of errors: every code and every reason that a driver can meet has one in both languages.
import assert from "node:assert/strict";
import { files } from "../../apps/web/build.ts";
import { errors as english } from "../../apps/web/src/texts/en/errors.ts";
import { errors as japanese } from "../../apps/web/src/texts/ja/errors.ts";
import { catalogue } from "../../supabase/functions/_shared/errors.ts";
import { reasons } from "../../supabase/functions/openapi/reasons.ts";

/** Reasons of operations for administrators, machines and the Data API: the explorer never receives them. */
const NOT_FOR_DRIVERS = [
  "already_revoked",
  "being_invited",
  "export_not_recorded",
  "external_id_taken",
  "fixed_list",
  "invitation_replaced",
  "last_administrator",
  "mfa_required",
  "not_counted",
  "not_revoked",
  "own_account",
  "own_area",
  "own_entry",
  "period_too_large",
  "pricing_group_in_use",
  "queue_gone",
  "search_attribute",
  "was_published",
  "was_shown",
];

Deno.test("errors: every code of the service has a sentence in both languages, and no other has", () => {
  const codes = [...Object.keys(catalogue), "unexpected_response"].sort();
  assert.deepEqual(Object.keys(english.codes).sort(), codes);
  assert.deepEqual(Object.keys(japanese.codes).sort(), codes);
});

Deno.test("errors: every reason that a driver can meet has a sentence in both languages, and no other has", () => {
  const met = Object.keys(reasons).filter((reason) => !NOT_FOR_DRIVERS.includes(reason)).sort();
  assert.deepEqual(Object.keys(english.reasons).sort(), met);
  assert.deepEqual(Object.keys(japanese.reasons).sort(), met);
  assert.deepEqual(NOT_FOR_DRIVERS.filter((reason) => !(reason in reasons)), [], "a reason that is no more");
});

Deno.test("errors: a sentence of a page is thrown as such, so that it is not shown as a mistake of the page", async () => {
  const paths = (await files(new URL("../../apps/web/src", import.meta.url).pathname)).filter((path) =>
    /\.tsx?$/.test(path)
  );
  const wrong: string[] = [];
  for (const path of paths) {
    if (/new Error\((t|text)\./.test(await Deno.readTextFile(path))) wrong.push(path);
  }
  assert.deepEqual(wrong, []);
});
