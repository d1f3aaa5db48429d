import assert from "node:assert/strict";
import { SearchPreset, SearchPresets } from "../../supabase/functions/_shared/schema/search_presets.ts";
import {
  createSearchPreset,
  listSearchPresets,
  setDefaultSearchPreset,
  updateSearchPreset,
} from "../../supabase/functions/me/search_presets.ts";
import { signUp } from "../support/people.ts";
import { assertError } from "../support/api_errors.ts";
import { ask, bearer, jsonBody, query, replyOf } from "./client.ts";

const send = (method: string, path: string, token: string, body: unknown) =>
  ask(`/me/search-presets${path}`, { method, ...jsonBody(body, bearer(token)) });
const plain = (method: string, path: string, token: string) =>
  ask(`/me/search-presets${path}`, { method, headers: bearer(token) });
const list = async (token: string) =>
  (await replyOf(listSearchPresets, await plain("GET", "", token), SearchPresets)).items;
const create = async (token: string, body: Record<string, unknown> = {}) =>
  await replyOf(
    createSearchPreset,
    await send("POST", "", token, { name: "Preset", query_json: {}, ...body }),
    SearchPreset,
  );

Deno.test("search presets: a preset is created, changed, made the default and deleted, and its query can be searched", async () => {
  const { id, token } = await signUp();
  const query_json = { v: 1, center: { lat: 35.68, lng: 139.76 }, radius_m: 500, attributes: ["covered"] };
  const first = await create(token, { name: "会社", query_json });
  assert.deepEqual([first.user_id, first.query_json, first.is_default, first.sort_order], [id, query_json, true, 0]);
  assert.equal((await ask(`/parking-lots${query({ query: first.query_json })}`)).status, 200);

  const second = await create(token, { sort_order: 5 });
  const chosen = await plain("POST", `/${second.id}/set-default`, token);
  assert.equal((await replyOf(setDefaultSearchPreset, chosen, SearchPreset)).is_default, true);
  const moved = await send("PATCH", `/${first.id}`, token, { name: "自宅", sort_order: 9 });
  assert.equal((await replyOf(updateSearchPreset, moved, SearchPreset)).name, "自宅");
  assert.deepEqual(
    (await list(token)).map(({ id, is_default }) => [id, is_default]),
    [[second.id, true], [first.id, false]],
  );

  const deleted = await plain("DELETE", `/${second.id}`, token);
  assert.equal(deleted.status, 204);
  assert.deepEqual((await list(token)).map(({ id, is_default }) => [id, is_default]), [[first.id, true]]);
  await assertError(await plain("DELETE", `/${second.id}`, token), { code: "not_found" });
});

Deno.test("search presets: the twenty-first is rejected with 409 conflict", async () => {
  const { token } = await signUp();
  for (let n = 0; n < 20; n++) await create(token);
  await assertError(await send("POST", "", token, { name: "x", query_json: {} }), { code: "conflict" });
});

Deno.test("search presets: another user's preset is 404", async () => {
  const [owner, stranger] = [await signUp(), await signUp()];
  const { id } = await create(owner.token);
  assert.deepEqual(await list(stranger.token), []);
  await assertError(await send("PATCH", `/${id}`, stranger.token, { name: "mine" }), { code: "not_found" });
  await assertError(await plain("POST", `/${id}/set-default`, stranger.token), { code: "not_found" });
  await assertError(await plain("DELETE", `/${id}`, stranger.token), { code: "not_found" });
});

Deno.test("search presets: a wrong preset is rejected by its field", async () => {
  const { token } = await signUp();
  const { id } = await create(token);
  const wrong: [Record<string, unknown>, string, string?][] = [
    [{ name: "" }, "name", "too_small"],
    [{ name: "　" }, "name"],
    [{ name: "a".repeat(101) }, "name", "too_big"],
    [{ sort_order: -1 }, "sort_order", "too_small"],
    [{ query_json: [] }, "query_json", "invalid_type"],
    [{ query_json: { v: 2 } }, "query_json.v", "too_big"],
    [{ query_json: { radius_m: 50_001 } }, "query_json.radius_m", "too_big"],
    [{ query_json: { attributes: ["flying"] } }, "query_json.attributes.0", "invalid_value"],
    [{ query_json: { vehicle: { height_m: -1 } } }, "query_json.vehicle.height_m", "too_small"],
    [{ query_json: { center: { lat: 0 } } }, "query_json.center.lng", "required"],
    [{ query_json: { colour: 1 } }, "query_json.colour", "unknown_key"],
    [{ query_json: { price_min: 2, price_max: 1 } }, "query_json.price_min"],
  ];
  for (const [fields, param, field] of wrong) {
    const expected = { code: "validation_error", param, ...(field === undefined ? {} : { field }) } as const;
    await assertError(await send("POST", "", token, { name: "x", query_json: {}, ...fields }), expected);
    await assertError(await send("PATCH", `/${id}`, token, fields), expected);
  }
});
