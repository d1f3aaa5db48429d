// A request that is sent again, through the real gateway and the real database.
import assert from "node:assert/strict";
import { MyReview } from "../../supabase/functions/_shared/schema/reviews.ts";
import { postReview } from "../../supabase/functions/parking-lots/reviews.ts";
import { signUp } from "../support/people.ts";
import { assertError } from "../support/api_errors.ts";
import { ask, bearer, jsonBody, replyOf } from "./client.ts";
import { aLot, inDatabase } from "./lots.ts";

const post = (path: string, token: string, key: string, body: unknown) =>
  ask(path, { method: "POST", ...jsonBody(body, { ...bearer(token), "idempotency-key": key }) });
const reviews = (lot: string) => `/parking-lots/${lot}/reviews`;

Deno.test("idempotency: a review sent twice with a key is one review with the same reply twice, the second marked as a replay", async () => {
  const [lot, { token }] = [await aLot(), await signUp()];
  const first = await post(reviews(lot), token, "key-1", { rating: 4, comment: "広い" });
  const second = await post(reviews(lot), token, "key-1", { comment: "広い", rating: 4 });
  assert.deepEqual([first, second].map((answer) => answer.headers.get("idempotent-replayed")), [null, "true"]);
  assert.match(second.headers.get("access-control-expose-headers") ?? "", /idempotent-replayed/);
  const posted = await replyOf(postReview, first, MyReview);
  assert.deepEqual(await replyOf(postReview, second, MyReview), posted);
  await assertError(await post(reviews(lot), token, "key-2", { rating: 4 }), { code: "conflict" });
});

Deno.test("idempotency: the key with another body, another path or another function is rejected with 409", async () => {
  const [lot, other, { token }] = [await aLot(), await aLot(), await signUp()];
  await replyOf(postReview, await post(reviews(lot), token, "key-1", { rating: 4 }), MyReview);
  const stay = { entry_at: "2026-09-01T10:00:00Z", exit_at: "2026-09-01T11:00:00Z" };
  const strange: [path: string, body: unknown][] = [
    [reviews(lot), { rating: 5 }],
    [reviews(other), { rating: 4 }],
    [`/parking-lots/${lot}/calc-fee`, stay],
  ];
  for (const [path, body] of strange) {
    const answer = await post(path, token, "key-1", body);
    const { error } = await answer.clone().json();
    assert.deepEqual(error.details, { reason: "key_reused_with_different_body" }, path);
    await assertError(answer, { code: "conflict", param: "Idempotency-Key" });
  }
});

Deno.test("idempotency keys: a retry in another region is the same request", async () => {
  const [lot, { token }] = [await aLot(), await signUp()];
  const first = await replyOf(postReview, await post(reviews(lot), token, "key-1", { rating: 4 }), MyReview);
  for (const query of ["?forceFunctionRegion=any", "?forceFunctionRegion=ap-northeast-1"]) {
    const second = await post(reviews(lot) + query, token, "key-1", { rating: 4 });
    assert.equal(second.headers.get("idempotent-replayed"), "true", query);
    assert.deepEqual(await replyOf(postReview, second, MyReview), first);
  }
});

Deno.test("idempotency: a rejected request with a key is executed again when repeated", async () => {
  const [lot, { token }] = [await aLot({ status: "draft" }), await signUp()];
  await assertError(await post(reviews(lot), token, "key-1", { rating: 4 }), { code: "lot_not_found" });
  await inDatabase((sql) => sql`update public.parking_lots set status = 'active' where id = ${lot}`);
  const answer = await post(reviews(lot), token, "key-1", { rating: 4 });
  assert.equal(answer.headers.get("idempotent-replayed"), null);
  await replyOf(postReview, answer, MyReview);
});

Deno.test("idempotency: users do not share keys", async () => {
  const lot = await aLot();
  const ids = new Set<string>();
  for (const { token } of [await signUp(), await signUp()]) {
    ids.add((await replyOf(postReview, await post(reviews(lot), token, "key-1", { rating: 4 }), MyReview)).id);
  }
  assert.equal(ids.size, 2);
});

Deno.test("idempotency: the key of an anonymous user is ignored", async () => {
  const [lot, { token }] = [await aLot(), await signUp()];
  const stay = { entry_at: "2026-09-01T10:00:00Z", exit_at: "2026-09-01T11:00:00Z" };
  const path = `/parking-lots/${lot}/calc-fee`;
  const anonymous = await ask(path, { method: "POST", ...jsonBody(stay, { "idempotency-key": "not a key" }) });
  await assertError(anonymous, { code: "fee_unknown" });
  const expected = { code: "validation_error", param: "Idempotency-Key", field: "invalid_format" } as const;
  await assertError(await post(path, token, "not a key", stay), expected);
});

Deno.test("idempotency: a suspended user's retry is rejected, also when a reply is stored", async () => {
  const [lot, user] = [await aLot(), await signUp()];
  await replyOf(postReview, await post(reviews(lot), user.token, "key-1", { rating: 4 }), MyReview);
  await inDatabase((sql) => sql`update public.app_users set status = 'suspended' where id = ${user.id}`);
  await assertError(await post(reviews(lot), user.token, "key-1", { rating: 4 }), { code: "forbidden" });
});
