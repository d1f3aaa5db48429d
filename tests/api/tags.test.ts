import assert from "node:assert/strict";
import { Tags } from "../../supabase/functions/_shared/schema/tags.ts";
import { listTags } from "../../supabase/functions/tags/routes.ts";
import { stack } from "../support/stack.ts";
import { ask, bearer, replyOf, tagOf } from "./client.ts";
import { inDatabase } from "./lots.ts";
import { undisturbed } from "./undisturbed.ts";

const page = async (path: string) => await replyOf(listTags, await ask(path), Tags);
const tags = async (query: string) => (await page(`/tags?limit=100${query}`)).items;

Deno.test("tags: every tag is listed in its order, in Japanese unless English is requested", () =>
  undisturbed("tags", async () => {
    const rows = await inDatabase((sql) =>
      sql`select slug, name, name_en from public.tags where is_active order by sort_order, slug`
    );
    const [standard, japanese, english] = [await tags(""), await tags("&lang=ja"), await tags("&lang=en")];
    assert.deepEqual(standard, japanese);
    assert.deepEqual(japanese.map(({ slug, name }) => [slug, name]), rows.map(({ slug, name }) => [slug, name]));
    assert.deepEqual(english.map(({ name }) => name), rows.map(({ name, name_en }) => name_en ?? name));
    assert.deepEqual(english.map(({ id }) => id), japanese.map(({ id }) => id));
    const covered = english.find(({ slug }) => slug === "covered");
    assert.deepEqual({ ...covered, id: "" }, {
      id: "",
      name: "Covered",
      color: "#4f4f4f",
      slug: "covered",
      category: "facility",
      icon_name: "roof",
      sort_order: 10,
    });
  }));

Deno.test("tags: pages add up to the master, and total counts it", () =>
  undisturbed("tags", async () => {
    const whole = await tags("");
    const paged = [];
    for (let cursor = "";;) {
      const { items, next_cursor, total } = await page(`/tags?limit=7&include=total${cursor}`);
      assert.equal(total, whole.length);
      paged.push(...items);
      if (next_cursor === null) break;
      cursor = `&cursor=${next_cursor}`;
    }
    assert.deepEqual(paged, whole);
    assert.equal((await page("/tags")).items.length, Math.min(20, whole.length));
  }));

Deno.test("tags: the tags are public, are cached, and are sent again only when they changed", () =>
  undisturbed("tags", async () => {
    const first = await ask("/tags", { headers: bearer(stack().publishableKey) });
    await first.body?.cancel();
    assert.equal(first.status, 200);
    assert.match(first.headers.get("cache-control") ?? "", /^public, max-age=\d+, stale-while-revalidate=\d+$/);
    const again = await ask("/tags", { headers: { "if-none-match": first.headers.get("etag") ?? "" } });
    assert.deepEqual([again.status, await again.text(), tagOf(again)], [304, "", tagOf(first)]);
  }));
