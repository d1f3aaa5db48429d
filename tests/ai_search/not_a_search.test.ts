// Texts that are no search: they are unparseable when no one knows a place of their words. tests/db/ai_search.test.ts asks
// the places.
import assert from "node:assert/strict";
import { parseText, settlePlace } from "../../supabase/functions/_shared/ai_search/rules/index.ts";

const texts: Record<"ja" | "en", readonly string[]> = JSON.parse(
  Deno.readTextFileSync(new URL("../cases/not_a_search.json", import.meta.url)),
);

for (const locale of ["ja", "en"] as const) {
  Deno.test(`rules parser: ${texts[locale].length} texts that are no search are unparseable (${locale})`, () => {
    const options = { locale, now: new Date("2026-11-18T09:00:00+09:00"), timeZone: "Asia/Tokyo" };
    const parsed = texts[locale].filter((text) =>
      settlePlace(parseText(text, options), null, options).status === "parsed"
    );
    assert.deepEqual(parsed, []);
  });
}
