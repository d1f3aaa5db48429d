import assert from "node:assert/strict";
import { MyParkingLotRating, ParkingLotRating } from "../../supabase/functions/parking-lots/rating.schema.ts";
import { putRating, readRating } from "../../supabase/functions/parking-lots/rating.ts";
import { signUp } from "../support/people.ts";
import { assertError } from "../support/api_errors.ts";
import { ask, bearer, jsonBody, replyOf } from "./client.ts";
import { aLot, hiddenLots, inDatabase } from "./lots.ts";

const path = (lot: string) => `/parking-lots/${lot}/rating`;
const put = (lot: string, token: string, body: unknown) =>
  ask(path(lot), { method: "PUT", ...jsonBody(body, bearer(token)) });
const read = async (lot: string, headers: Record<string, string> = {}) =>
  await replyOf(readRating, await ask(path(lot), { headers }), MyParkingLotRating);
const remove = (lot: string, token: string) => ask(path(lot), { method: "DELETE", headers: bearer(token) });

Deno.test("ratings: a rating is null, set, changed, read by its owner alone, and taken back", async () => {
  const [lot, user, stranger] = [await aLot(), await signUp(), await signUp()];
  assert.equal(await read(lot, bearer(user.token)), null);
  const good = await replyOf(putRating, await put(lot, user.token, { value: "good" }), ParkingLotRating);
  const bad = await replyOf(putRating, await put(lot, user.token, { value: "bad" }), ParkingLotRating);
  assert.deepEqual([bad.id, bad.value, bad.user_id, bad.parking_lot_id], [good.id, "bad", user.id, lot]);
  assert.deepEqual(await read(lot, bearer(user.token)), bad);
  assert.deepEqual([await read(lot, bearer(stranger.token)), await read(lot)], [null, null]);
  for (let time = 0; time < 2; time++) {
    const response = await remove(lot, user.token);
    assert.equal(response.status, 204);
    assert.equal(await response.text(), "");
  }
  assert.equal(await read(lot, bearer(user.token)), null);
});

Deno.test("ratings: the lot counts its good and bad ratings", async () => {
  const lot = await aLot();
  for (const value of ["good", "good", "bad"]) {
    await replyOf(putRating, await put(lot, (await signUp()).token, { value }), ParkingLotRating);
  }
  const [row] = await inDatabase((sql) =>
    sql`select good_count, bad_count from public.parking_lot_rating_counts where parking_lot_id = ${lot}`
  );
  assert.deepEqual({ ...row }, { good_count: 2, bad_count: 1 });
});

Deno.test("ratings: a wrong rating, and one of a lot that is not public, is rejected", async () => {
  const [lot, user] = [await aLot(), await signUp()];
  for (const body of [{ value: "fine" }, { value: null }, { value: 1 }, {}]) {
    await assertError(await put(lot, user.token, body), { code: "validation_error", param: "value" });
  }
  for (const hidden of Object.values(await hiddenLots())) {
    await assertError(await ask(path(hidden)), { code: "lot_not_found" });
    await assertError(await put(hidden, user.token, { value: "good" }), { code: "lot_not_found" });
    await assertError(await remove(hidden, user.token), { code: "lot_not_found" });
  }
});
