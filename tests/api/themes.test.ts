// Themes through HTTP.
import assert from "node:assert/strict";
import { MyTheme, MyThemes, ThemeGifts } from "../../supabase/functions/_shared/schema/themes.ts";
import { applyTheme, listThemeGifts, listThemes } from "../../supabase/functions/me/themes.ts";
import { type Person, signUp } from "../support/people.ts";
import { assertError } from "../support/api_errors.ts";
import { stack } from "../support/stack.ts";
import { ask, bearer, query, replyOf } from "./client.ts";
import { inDatabase } from "./lots.ts";

const list = async ({ token }: Person, args = "") =>
  await replyOf(listThemes, await ask(`/me/themes${args}`, { headers: bearer(token) }), MyThemes);
const apply = ({ token }: Person, id: string) =>
  ask(`/me/themes/${id}/apply`, { method: "POST", headers: bearer(token) });
const gifts = async ({ token }: Person, args = "") =>
  await replyOf(listThemeGifts, await ask(`/me/theme-gifts${args}`, { headers: bearer(token) }), ThemeGifts);

async function aTheme(columns: Record<string, string | number | boolean> = {}): Promise<string> {
  return await inDatabase(async (sql) => {
    const [row] = await sql<{ id: string }[]>`
      insert into public.themes ${sql({ name: "Theme", ...columns })} returning id`;
    return row!.id;
  });
}

const grant = (user: Person, theme: string, type = "purchase") =>
  inDatabase((sql) => sql`select private.grant_theme(${user.id}, ${theme}, ${type})`);

/** The service gives a theme, as the Data API runs it. */
function give(body: Record<string, unknown>, key = stack().serviceRoleKey): Promise<Response> {
  return fetch(`${stack().apiUrl}/rest/v1/rpc/gift_theme_to_user`, {
    method: "POST",
    headers: { apikey: key, ...bearer(key), "content-type": "application/json", "content-profile": "api" },
    body: JSON.stringify(body),
  });
}

Deno.test("themes: a new user owns the free themes, applies one and then another, and has one applied", async () => {
  const user = await signUp();
  const [first, second] = [await aTheme({ is_free: true }), await aTheme({ is_free: true })];
  const owned = (await list(user, query({ limit: 100 }))).items;
  for (const theme of [first, second]) {
    const mine = owned.find(({ theme_id }) => theme_id === theme);
    assert.deepEqual([mine?.acquisition_type, mine?.is_applied], ["free", false]);
    assert.equal((await replyOf(applyTheme, await apply(user, theme), MyTheme)).id, mine?.id);
  }
  const applied = (await list(user, query({ limit: 100 }))).items.filter(({ is_applied }) => is_applied);
  assert.deepEqual(applied.map(({ theme_id }) => theme_id), [second]);
});

Deno.test("themes: applying a theme that is not owned is 404, also when it exists", async () => {
  const [user, other] = [await signUp(), await signUp()];
  const theme = await aTheme({ price_yen_minor: 300 });
  await grant(other, theme);
  for (const id of [theme, crypto.randomUUID()]) {
    await assertError(await apply(user, id), { code: "not_found", param: "id" });
  }
  await grant(user, theme);
  assert.equal((await apply(user, theme)).status, 200);
});

Deno.test("themes: the catalogue is returned on request and marks owned themes", async () => {
  const user = await signUp();
  const [bought, offered] = [await aTheme({ price_yen_minor: 300 }), await aTheme({ unlock_level: 5 })];
  await grant(user, bought);
  const { catalogue = [] } = await list(user, "?include=catalogue");
  const standing = (theme: string) => catalogue.find(({ id }) => id === theme);
  assert.deepEqual([standing(bought)?.is_owned, standing(bought)?.price_yen_minor], [true, 300]);
  assert.deepEqual([standing(offered)?.is_owned, standing(offered)?.unlock_level], [false, 5]);
  assert.equal((await list(user)).catalogue, undefined);
});

Deno.test("themes: the picture of a theme has a URL", async () => {
  const user = await signUp();
  const theme = await aTheme({ is_free: true });
  await inDatabase((sql) =>
    sql`
    with picture as (insert into public.assets (storage_key) values (${`themes/${theme}.png`}) returning id)
    update public.themes set preview_asset_id = picture.id from picture where themes.id = ${theme}`
  );
  const mine = (await list(user, query({ limit: 100 }))).items.find(({ theme_id }) => theme_id === theme);
  assert.ok(mine?.theme.preview_url?.endsWith(`/themes/${theme}.png`), String(mine?.theme.preview_url));
});

Deno.test("themes: a gift is listed with its message and owned; the second of the same theme is rejected", async () => {
  const user = await signUp();
  const admin = await signUp({ appMetadata: { admin: { name: "Gifts", areas: ["rewards"] } } });
  const theme = await aTheme({ is_active: false });
  const body = { p_theme_id: theme, p_admin_id: admin.id, p_user_id: user.id, p_message: "Thank you" };
  const answer = await give(body);
  assert.equal(answer.status, 200, await answer.text());
  const [gift] = (await gifts(user)).items;
  assert.deepEqual([gift?.theme_id, gift?.message, gift?.theme.name], [theme, "Thank you", "Theme"]);
  const mine = (await list(user, query({ limit: 100 }))).items.find(({ theme_id }) => theme_id === theme);
  assert.equal(mine?.acquisition_type, "gift");
  const again = await give(body);
  assert.equal(again.status, 409, await again.text());
  const byHand = await give({ ...body, p_theme_id: await aTheme() }, user.token);
  assert.ok([401, 403].includes(byHand.status), `${byHand.status} ${await byHand.text()}`);
});

Deno.test("themes: gifts are the caller's own, the latest first, page by page", async () => {
  const [user, other] = [await signUp(), await signUp()];
  const admin = await signUp({ appMetadata: { admin: { name: "Gifts", areas: ["rewards"] } } });
  const given: string[] = [];
  for (let n = 0; n < 3; n++) {
    given.unshift(await aTheme());
    const answer = await give({ p_theme_id: given[0], p_admin_id: admin.id, p_user_id: user.id });
    assert.equal(answer.status, 200, await answer.text());
  }
  const first = await gifts(user, "?limit=2");
  const second = await gifts(user, query({ limit: 2, cursor: first.next_cursor }));
  assert.deepEqual([...first.items, ...second.items].map(({ theme_id }) => theme_id), given);
  assert.equal(second.next_cursor, null);
  assert.deepEqual((await gifts(other)).items, []);
});
