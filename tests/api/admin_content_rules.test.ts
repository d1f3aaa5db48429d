// What holds for one resource of the area content: its states, what everyone then reads, and what may be deleted.
import assert from "node:assert/strict";
import { picture, put } from "../support/files.ts";
import { anAdministrator, sending } from "./administrators.ts";
import { ask } from "./client.ts";
import { ads, anEditor, articles, type Row, sponsors, tomorrow, yesterday } from "./content.ts";
import { inDatabase } from "./lots.ts";

const { editor, replied, create, change, remove, actions } = await anEditor();
const now = () => new Date().toISOString();

Deno.test("admin articles: a draft is not public; a published article is public until it is withdrawn", async () => {
  const article = await create(articles);
  const [at, page] = [`${articles.path}/${article.id}`, `/articles/${article.slug}?lang=en`];
  assert.deepEqual([article.status, article.published_at], ["draft", null]);
  await replied(ask(page), 404);
  assert.equal((await change(at, { published_at: tomorrow() })).status, "scheduled");
  await replied(ask(page), 404);
  assert.equal((await change(at, { published_at: now() })).status, "published");
  assert.equal((await replied(ask(page))).body, article.body);
  assert.equal((await change(at, { body: "# Corrected" })).status, "published");
  assert.equal((await replied(ask(page))).body, "# Corrected");
  assert.equal((await change(at, { withdrawn_at: now() })).status, "withdrawn");
  await replied(ask(page), 404);
  assert.equal((await change(at, { withdrawn_at: null })).status, "published");
  await replied(ask(page));
  assert.deepEqual(await actions(article.id), ["publish", "publish", "update", "withdraw", "publish"]);
});

Deno.test("admin articles: the activity log has no body, only that the body changed", async () => {
  const article = await create(articles);
  await change(`${articles.path}/${article.id}`, { body: "A secret plan" });
  const acts = await inDatabase((sql) =>
    sql<{ changes: Row }[]>`
      select changes from public.admin_activity_logs where target_id = ${article.id} order by created_at`
  );
  assert.deepEqual(Object.keys(acts[1]!.changes), ["body"]);
  assert.match(acts[1]!.changes["body"].new, /^[0-9a-f]{32}$/);
  assert.doesNotMatch(JSON.stringify(acts), /secret|# Body/);
});

Deno.test("admin articles: one that was published keeps its published_at and is never deleted", async () => {
  const article = await create(articles, { published_at: yesterday() });
  const at = `${articles.path}/${article.id}`;
  for (const published_at of [null, tomorrow()]) {
    const { error } = await change(at, { published_at }, 409);
    assert.deepEqual([error.param, error.details], ["published_at", { reason: "was_published" }]);
  }
  await change(at, { published_at: article.published_at });
  const early = await change(at, { withdrawn_at: "2020-01-01T00:00:00Z" }, 422);
  assert.equal(early.error.param, "withdrawn_at");
  await change(at, { withdrawn_at: now() });
  assert.deepEqual((await remove(at, 409)).error.details, { reason: "was_published" });
  assert.equal((await replied(editor.ask(at))).status, "withdrawn");
  const scheduled = await create(articles, { published_at: tomorrow() });
  await remove(`${articles.path}/${scheduled.id}`);
});

Deno.test("admin articles: a slug is used once in each language", async () => {
  const { slug } = await create(articles);
  await create(articles, { slug, locale: "ja" });
  const again = await replied(editor.ask(articles.path, sending("POST", { ...articles.body(), slug })), 409);
  assert.deepEqual([again.error.param, again.error.details], ["slug", { reason: "already_exists" }]);
  const other = await create(articles);
  assert.equal((await change(`${articles.path}/${other.id}`, { slug }, 409)).error.code, "conflict");
  assert.deepEqual(await actions(other.id), []);
});

Deno.test("admin articles: the list is filtered by language, status and words", async () => {
  const word = crypto.randomUUID().slice(0, 8);
  const made = {
    draft: await create(articles, { title: `The ${word}` }),
    scheduled: await create(articles, { slug: `a-${word}`, published_at: tomorrow() }),
    published: await create(articles, { title: word.toUpperCase(), published_at: yesterday(), locale: "ja" }),
  };
  const list = (query: string) => replied(editor.ask(`${articles.path}?q=${word}&include=total${query}`));
  const all = await list("");
  assert.deepEqual(all.items.map((row: Row) => row.id), [made.published.id, made.scheduled.id, made.draft.id]);
  assert.ok(all.items.every((row: Row) => !("body" in row)));
  for (const [status, { id }] of Object.entries(made)) {
    const { items, total } = await list(`&status=${status}`);
    assert.deepEqual([items.map((row: Row) => row.id), total], [[id], 1], status);
  }
  assert.equal((await list("&lang=en")).total, 2);
  const first = await list("&limit=2");
  const second = await list(`&limit=2&cursor=${first.next_cursor}`);
  assert.deepEqual([...first.items, ...second.items], all.items);
  assert.equal((await replied(editor.ask(`${articles.path}?cursor=${first.next_cursor}`), 422)).error.param, "cursor");
});

Deno.test("admin ads: is_active and the time decide what is public, and a shown ad is not deleted", async () => {
  const ad = await create(ads);
  const at = `${ads.path}/${ad.id}`;
  const isListed = async () => {
    const { items } = await replied(ask("/ads?placement=map&limit=100&seed=console"));
    return items.some(({ id }: Row) => id === ad.id);
  };
  assert.deepEqual([ad.status, ad.weight, await isListed()], ["scheduled", 100, false]);
  assert.equal((await change(at, { starts_at: yesterday() })).status, "shown");
  assert.equal(await isListed(), true);
  assert.equal((await change(at, { is_active: false })).status, "withdrawn");
  assert.equal(await isListed(), false);
  assert.equal((await change(at, { is_active: true, ends_at: now() })).status, "ended");
  assert.equal((await change(at, { ends_at: null })).status, "shown");
  assert.deepEqual((await remove(at, 409)).error.details, { reason: "was_shown" });
  // Also when it looks as if it never had been.
  await change(at, { is_active: false, starts_at: tomorrow() });
  assert.deepEqual((await remove(at, 409)).error.details, { reason: "was_shown" });
  assert.deepEqual(await actions(ad.id), ["update", "withdraw", "restore", "update", "withdraw"]);
  const stopped = await create(ads, { is_active: false, starts_at: yesterday() });
  await remove(`${ads.path}/${stopped.id}`);
});

Deno.test("admin ads: the list is filtered by placement, status and words", async () => {
  const word = crypto.randomUUID().slice(0, 8);
  const made = {
    scheduled: await create(ads, { title: word, placement: "article" }),
    shown: await create(ads, { title: word, starts_at: yesterday() }),
    ended: await create(ads, { title: word, starts_at: "2020-01-01T00:00:00Z", ends_at: yesterday() }),
    withdrawn: await create(ads, { title: word, is_active: false }),
  };
  const list = (query: string) => replied(editor.ask(`${ads.path}?q=${word.toUpperCase()}&include=total${query}`));
  assert.equal((await list("")).total, 4);
  for (const [status, { id }] of Object.entries(made)) {
    assert.deepEqual((await list(`&status=${status}`)).items.map((row: Row) => row.id), [id], status);
  }
  assert.deepEqual((await list("&placement=article")).items.map((row: Row) => row.id), [made.scheduled.id]);
});

Deno.test("admin sponsors: is_active and the time decide what is public, and a shown sponsor is not deleted", async () => {
  const sponsor = await create(sponsors, { sort_order: -9 });
  const at = `${sponsors.path}/${sponsor.id}`;
  const isListed = async () => {
    const { items } = await replied(ask("/sponsors?limit=100"));
    return items.some(({ id }: Row) => id === sponsor.id);
  };
  assert.deepEqual([sponsor.status, sponsor.time_zone, await isListed()], ["scheduled", "Asia/Tokyo", false]);
  assert.equal((await change(at, { starts_at: yesterday() })).status, "shown");
  assert.equal(await isListed(), true);
  const hours = [{ weekday: 7, opens: "09:00", closes: "24:00" }];
  assert.deepEqual((await change(at, { opening_hours: hours })).opening_hours, hours);
  assert.equal((await change(at, { opening_hours: null })).opening_hours, null);
  assert.equal((await change(at, { is_active: false })).status, "withdrawn");
  assert.equal(await isListed(), false);
  await change(at, { starts_at: tomorrow() });
  assert.deepEqual((await remove(at, 409)).error.details, { reason: "was_shown" });
  assert.deepEqual(await actions(sponsor.id), ["update", "update", "update", "withdraw", "update"]);
});

/** A public upload of the editor that nothing uses yet. */
async function upload(isPublic = true): Promise<string> {
  const bytes = picture("image/jpeg");
  const { upload_url, asset_id } = await replied(
    editor.ask(
      "/storage/upload-url",
      sending("POST", {
        file_name: "shop.jpg",
        file_size: bytes.length,
        mime_type: "image/jpeg",
        category: "parking_lot",
        is_public: isPublic,
      }),
    ),
    201,
  );
  assert.equal(await put(upload_url, bytes, "image/jpeg"), 200);
  return asset_id;
}

Deno.test("admin sponsors: the picture is an upload of the administrator, checked, attached, and deleted when replaced", async () => {
  const [first, second] = [await upload(), await upload()];
  const sponsor = await create(sponsors, { image_asset_id: first });
  const at = `${sponsors.path}/${sponsor.id}`;
  const asset = async (id: string) =>
    (await inDatabase((sql) =>
      sql`
        select entity_type, entity_id, published_at is not null as is_published, deleted_at is not null as is_deleted
        from public.assets where id = ${id}`
    ))[0];
  const attached = { entity_type: "sponsor", entity_id: sponsor.id, is_published: true };
  assert.deepEqual({ ...await asset(first) }, { ...attached, is_deleted: false });
  await inDatabase((sql) => sql`update public.assets set is_public = true where id = ${first}`);
  assert.match((await replied(editor.ask(at))).image_url, /parking_lot\/[0-9a-f]{32}\.jpg$/);
  assert.equal((await change(at, { image_asset_id: second })).image_asset_id, second);
  assert.deepEqual({ ...await asset(second) }, { ...attached, is_deleted: false });
  assert.equal((await asset(first))?.["is_deleted"] ?? true, true);
  for (const id of [first, await upload(false), crypto.randomUUID()]) {
    const { error } = await change(at, { image_asset_id: id }, 404);
    assert.equal(error.param, "image_asset_id");
  }
  // Another area does not get as far as the check of the file.
  const { ask: ofAnother } = await anAdministrator("lots");
  const rejected = await replied(ofAnother(at, sending("PATCH", { image_asset_id: await upload() })), 403);
  assert.deepEqual(rejected.error.details, { scope: "admin:content" });
  assert.equal((await change(at, { image_asset_id: null })).image_url, null);
  assert.equal((await asset(second))?.["is_deleted"] ?? true, true);
});

Deno.test("admin sponsors: the list is filtered by category, status and words", async () => {
  const word = crypto.randomUUID().slice(0, 8);
  const cafe = await create(sponsors, { name: word, category: "cafe" });
  const shop = await create(sponsors, { address: `1-1 ${word}`, category: "shop", is_active: false });
  const list = async (query: string) => {
    const { items } = await replied(editor.ask(`${sponsors.path}?q=${word.toUpperCase()}${query}`));
    return items.map(({ id }: Row) => id);
  };
  assert.deepEqual((await list("")).toSorted(), [cafe.id, shop.id].toSorted());
  assert.deepEqual(await list("&category=cafe"), [cafe.id]);
  assert.deepEqual(await list("&status=withdrawn"), [shop.id]);
});
