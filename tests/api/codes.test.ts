import assert from "node:assert/strict";
import { Codes } from "../../supabase/functions/_shared/schema/codes.ts";
import { listCodes } from "../../supabase/functions/codes/routes.ts";
import { stack } from "../support/stack.ts";
import { token } from "../support/tokens.ts";
import { ask, bearer, replyOf, tagOf } from "./client.ts";
import { inDatabase } from "./lots.ts";
import { undisturbed } from "./undisturbed.ts";

const codes = async (path: string) => await replyOf(listCodes, await ask(path), Codes);

Deno.test("codes: the code master comes in Japanese unless English is requested, with the same codes", () =>
  undisturbed("codes", async () => {
    const [standard, japanese, english] = [
      await codes("/codes"),
      await codes("/codes?lang=ja"),
      await codes("/codes?lang=en"),
    ];
    assert.deepEqual(standard, japanese);
    assert.equal(english.lang, "en");
    const keys = ({ items }: typeof english) => items.map(({ category_id, code }) => `${category_id}/${code}`);
    assert.deepEqual(keys(english), keys(japanese));
    assert.ok(keys(english).includes("vehicle_type/standard"));
    for (const list of [english, japanese]) assert.ok(list.items.every((item) => item.lang === list.lang));
  }));

Deno.test("codes: metadata is null or has color, logo_url and url, for any metadata in the row", async () => {
  const rows: [code: string, metadata: object | null][] = [
    ["none", null],
    ["empty", {}],
    ["one", { color: "#000000" }],
    ["more", { url: "https://example.com", width: 3 }],
  ];
  const category = "metadata_test";
  await inDatabase(async (sql) => {
    await sql`insert into public.code_categories (id, description) values (${category}, 'Test')`;
    for (const [code, metadata] of rows) {
      await sql`
        insert into public.codes (category_id, code, lang, display_label, sort_order, metadata)
        values (${category}, ${code}, 'ja', 'x', 1, ${metadata && sql.json(metadata as never)})`;
    }
  });
  try {
    const items: { category_id: string; code: string; metadata: object | null }[] = (await codes("/codes")).items;
    for (const { code, metadata } of items) {
      if (metadata) { for (const key of ["color", "logo_url", "url"]) assert.ok(key in metadata, `${code}: ${key}`); }
    }
    const none = { color: null, logo_url: null, url: null };
    assert.deepEqual(
      Object.fromEntries(
        items.filter((item) => item.category_id === category).map((item) => [item.code, item.metadata]),
      ),
      Object.fromEntries(rows.map(([code, metadata]) => [code, metadata && { ...none, ...metadata }])),
    );
  } finally {
    await inDatabase((sql) => sql`delete from public.codes where category_id = ${category}`);
    await inDatabase((sql) => sql`delete from public.code_categories where id = ${category}`);
  }
});

Deno.test("codes: codes are ordered by category, place and code", async () => {
  const { items } = await codes("/codes");
  const byBytes = (a: string, b: string) => a < b ? -1 : a > b ? 1 : 0;
  const ordered = items.toSorted((a, b) =>
    byBytes(a.category_id, b.category_id) || a.sort_order - b.sort_order || byBytes(a.code, b.code)
  );
  assert.deepEqual(items, ordered);
});

Deno.test("codes: a matching ETag gets 304 until the codes change; each language has its own ETag", () =>
  undisturbed("codes", async () => {
    const first = await ask("/codes");
    await first.body?.cancel();
    assert.match(first.headers.get("cache-control") ?? "", /^public, max-age=\d+, stale-while-revalidate=\d+$/);
    const etag = first.headers.get("etag") ?? "";
    const again = await ask("/codes", { headers: { "if-none-match": etag } });
    assert.equal(again.status, 304);
    assert.equal(await again.text(), "");
    assert.equal(tagOf(again), tagOf(first));
    const english = await ask("/codes?lang=en", { headers: { "if-none-match": etag } });
    assert.equal(english.status, 200);
    await english.body?.cancel();
  }));

Deno.test("codes: HEAD returns the headers without the body", () =>
  undisturbed("codes", async () => {
    const [head, get] = [await ask("/codes", { method: "HEAD" }), await ask("/codes")];
    assert.equal(head.status, 200);
    assert.equal(await head.text(), "");
    assert.match(tagOf(get) ?? "", /^"[0-9a-f]{32}"$/);
    assert.equal(tagOf(head), tagOf(get));
    await get.body?.cancel();
  }));

Deno.test("codes: the codes are public with any token", async () => {
  for (
    const access of ["nonsense", token("nobody", { secret: "x".repeat(32) }), stack().publishableKey, stack().anonKey]
  ) {
    const response = await ask("/codes", { headers: bearer(access) });
    assert.equal(response.status, 200);
    await response.body?.cancel();
  }
});
