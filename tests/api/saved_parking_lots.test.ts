// Saved lots and search preferences.
import assert from "node:assert/strict";
import { SavedParkingLot, SavedParkingLots } from "../../supabase/functions/me/saved_parking_lots.schema.ts";
import { SearchPreferences } from "../../supabase/functions/me/search_preferences.schema.ts";
import { listSavedParkingLots, saveParkingLot } from "../../supabase/functions/me/saved_parking_lots.ts";
import { putSearchPreferences, readSearchPreferences } from "../../supabase/functions/me/search_preferences.ts";
import { signUp } from "../support/people.ts";
import { assertError } from "../support/api_errors.ts";
import { ask, bearer, jsonBody, replyOf } from "./client.ts";
import { aLot, hiddenLots, inDatabase } from "./lots.ts";

const save = (lot: string, token: string) =>
  ask("/me/saved-parking-lots", { method: "POST", ...jsonBody({ parking_lot_id: lot }, bearer(token)) });
const unsave = (lot: string, token: string) =>
  ask(`/me/saved-parking-lots/${lot}`, { method: "DELETE", headers: bearer(token) });
const list = async (token: string, query = "") =>
  await replyOf(
    listSavedParkingLots,
    await ask(`/me/saved-parking-lots${query}`, { headers: bearer(token) }),
    SavedParkingLots,
  );

Deno.test("saved lots: a lot is saved with 201, again with 200, listed with its fields, and removed", async () => {
  const [lot, { id, token }] = [await aLot({ name: "駅前" }), await signUp()];
  const saved = await replyOf(saveParkingLot, await save(lot, token), SavedParkingLot);
  assert.deepEqual([saved.user_id, saved.parking_lot_id], [id, lot]);
  const again = await save(lot, token);
  assert.equal(again.status, 200);
  assert.deepEqual(await again.json(), saved);

  const { items, next_cursor, total } = await list(token, "?include=total");
  assert.deepEqual([items.length, next_cursor, total], [1, null, 1]);
  const { parking_lot, ...row } = items[0]!;
  assert.deepEqual(row, saved);
  assert.deepEqual([parking_lot?.id, parking_lot?.name, parking_lot?.is_saved], [lot, "駅前", true]);

  for (let time = 0; time < 2; time++) {
    const deleted = await unsave(lot, token);
    assert.equal(deleted.status, 204);
    assert.equal(await deleted.text(), "");
  }
  assert.deepEqual((await list(token)).items, []);
});

Deno.test("saved lots: pages of saved lots follow one another, latest first; a closed lot can still be removed", async () => {
  const { token } = await signUp();
  const lots = await Array.fromAsync({ length: 5 }, () => aLot());
  for (const lot of lots) await replyOf(saveParkingLot, await save(lot, token), SavedParkingLot);
  await inDatabase((sql) => sql`update public.parking_lots set status = 'closed' where id = ${lots[4]!}`);
  const first = await list(token, "?limit=3");
  const second = await list(token, `?limit=3&cursor=${first.next_cursor}`);
  assert.deepEqual([...first.items, ...second.items].map((item) => item.parking_lot_id), lots.toReversed());
  assert.equal(first.items[0]?.parking_lot, null);
  assert.equal((await unsave(lots[4]!, token)).status, 204);
  assert.equal((await list(token)).items.length, 4);
});

Deno.test("saved lots: a lot that is not public cannot be saved, and users cannot see each other's saved lots", async () => {
  const [owner, stranger] = [await signUp(), await signUp()];
  for (const hidden of Object.values(await hiddenLots())) {
    await assertError(await save(hidden, owner.token), { code: "lot_not_found", param: "parking_lot_id" });
  }
  const lot = await aLot();
  await replyOf(saveParkingLot, await save(lot, owner.token), SavedParkingLot);
  assert.deepEqual((await list(stranger.token)).items, []);
  assert.equal((await unsave(lot, stranger.token)).status, 204);
  assert.equal((await list(owner.token)).items.length, 1);
});

const preferences = async (token: string) =>
  await replyOf(
    readSearchPreferences,
    await ask("/me/search-preferences", { headers: bearer(token) }),
    SearchPreferences,
  );
const prefer = (token: string, body: unknown) =>
  ask("/me/search-preferences", { method: "PUT", ...jsonBody(body, bearer(token)) });

Deno.test("saved lots: every user reads their preferences, premium members set them", async () => {
  const { id, token } = await signUp();
  assert.deepEqual(await preferences(token), { is_premium: false, yen_per_walk_minute: 20, is_default: true });
  await assertError(await prefer(token, { yen_per_walk_minute: 30 }), { code: "forbidden" });
  await inDatabase((sql) => sql`update public.app_users set premium_ends_at = 'infinity' where id = ${id}`);
  const set = { is_premium: true, yen_per_walk_minute: 30, is_default: false };
  const answer = await prefer(token, { yen_per_walk_minute: 30 });
  assert.deepEqual(await replyOf(putSearchPreferences, answer, SearchPreferences), set);
  assert.deepEqual(await preferences(token), set);
  for (const yen of [-1, 501, 1.5, "30", null]) {
    const param = "yen_per_walk_minute";
    await assertError(await prefer(token, { yen_per_walk_minute: yen }), { code: "validation_error", param });
  }
});
