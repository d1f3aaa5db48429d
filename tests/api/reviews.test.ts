import assert from "node:assert/strict";
import { MyReview, MyReviews, PublicReviews } from "../../supabase/functions/_shared/schema/reviews.ts";
import { deleteMyReview, listMyReviews, updateMyReview } from "../../supabase/functions/me/reviews.ts";
import { listReviews, postReview } from "../../supabase/functions/parking-lots/reviews.ts";
import { signUp } from "../support/people.ts";
import { assertError } from "../support/api_errors.ts";
import { ask, bearer, jsonBody, replyOf } from "./client.ts";
import { aLot, hiddenLots, inDatabase } from "./lots.ts";

const post = (lot: string, token: string, body: unknown) =>
  ask(`/parking-lots/${lot}/reviews`, { method: "POST", ...jsonBody(body, bearer(token)) });
const patch = (id: string, token: string, body: unknown) =>
  ask(`/me/reviews/${id}`, { method: "PATCH", ...jsonBody(body, bearer(token)) });
const reviewsOf = async (lot: string, query = "") =>
  await replyOf(listReviews, await ask(`/parking-lots/${lot}/reviews${query}`), PublicReviews);
const approve = (id: string) =>
  inDatabase((sql) => sql`update public.reviews set status = 'approved' where id = ${id}`);

Deno.test("reviews: a review is posted, approved, public, hidden again by an edit, and deleted", async () => {
  const [lot, author] = [await aLot(), await signUp({ displayName: "駐車 太郎" })];
  const posted = await replyOf(postReview, await post(lot, author.token, { rating: 4, comment: " 広い " }), MyReview);
  assert.deepEqual([posted.status, posted.comment, posted.user_id], ["pending", "広い", author.id]);
  assert.deepEqual((await reviewsOf(lot)).items, []);

  await approve(posted.id);
  const { items, rating_histogram, next_cursor, total } = await reviewsOf(lot, "?include=total");
  assert.deepEqual(items.map(({ id, user_name, rating }) => [id, user_name, rating]), [[posted.id, "駐車 太郎", 4]]);
  assert.deepEqual(rating_histogram, { "1": 0, "2": 0, "3": 0, "4": 1, "5": 0 });
  assert.deepEqual([next_cursor, total], [null, 1]);

  const edited = await replyOf(updateMyReview, await patch(posted.id, author.token, { comment: null }), MyReview);
  assert.deepEqual([edited.status, edited.comment, edited.rating], ["pending", null, 4]);
  assert.deepEqual((await reviewsOf(lot)).items, []);
  const mine = await replyOf(listMyReviews, await ask("/me/reviews", { headers: bearer(author.token) }), MyReviews);
  assert.deepEqual(mine.items, [edited]);

  const deleted = await ask(`/me/reviews/${posted.id}`, { method: "DELETE", headers: bearer(author.token) });
  assert.equal(deleted.status, deleteMyReview.reply[0]);
  assert.equal(await deleted.text(), "");
  const again = await ask(`/me/reviews/${posted.id}`, { method: "DELETE", headers: bearer(author.token) });
  await assertError(again, { code: "not_found", param: "id" });
});

Deno.test("reviews: a second review of a lot is a conflict", async () => {
  const [lot, author] = [await aLot(), await signUp()];
  await replyOf(postReview, await post(lot, author.token, { rating: 1 }), MyReview);
  await assertError(await post(lot, author.token, { rating: 5 }), { code: "conflict" });
});

Deno.test("reviews: pages of reviews follow one another, newest first, and a cursor belongs to its lot", async () => {
  const [lot, other] = [await aLot(), await aLot()];
  await inDatabase((sql) =>
    sql`
      insert into public.reviews (parking_lot_id, rating, status, created_at)
      select ${lot}, 1 + n % 5, 'approved', now() - n * interval '1 hour' from generate_series(1, 7) as n`
  );
  const first = await reviewsOf(lot, "?limit=4");
  const second = await reviewsOf(lot, `?limit=4&cursor=${first.next_cursor}`);
  assert.equal(second.next_cursor, null);
  assert.deepEqual([first.items.length, second.items.length], [4, 3]);
  const times = [...first.items, ...second.items].map(({ created_at }) => Date.parse(created_at));
  assert.deepEqual(times, times.toSorted((a, b) => b - a));
  const cursor = first.next_cursor ?? assert.fail("there is a second page");
  const tampered = cursor.slice(0, -1) + (cursor.endsWith("A") ? "B" : "A");
  for (const [path, value] of [[other, cursor], [lot, tampered], [lot, "x"]] as const) {
    const response = await ask(`/parking-lots/${path}/reviews?cursor=${value}`);
    await assertError(response, { code: "validation_error", param: "cursor" });
  }
});

Deno.test("reviews: a lot that is not public has no reviews and takes none", async () => {
  const author = await signUp();
  for (const lot of Object.values(await hiddenLots())) {
    await assertError(await ask(`/parking-lots/${lot}/reviews`), { code: "lot_not_found", param: "id" });
    await assertError(await post(lot, author.token, { rating: 3 }), { code: "lot_not_found", param: "id" });
  }
});

Deno.test("reviews: another user's review is 404", async () => {
  const [lot, author, stranger] = [await aLot(), await signUp(), await signUp()];
  const { id } = await replyOf(postReview, await post(lot, author.token, { rating: 2 }), MyReview);
  await assertError(await patch(id, stranger.token, { rating: 5 }), { code: "not_found" });
  const response = await ask(`/me/reviews/${id}`, { method: "DELETE", headers: bearer(stranger.token) });
  await assertError(response, { code: "not_found" });
});

Deno.test("reviews: wrong reviews and wrong lists are rejected by their field", async () => {
  const [lot, author] = [await aLot(), await signUp()];
  const wrong: [unknown, string, string][] = [
    [{}, "rating", "required"],
    [{ rating: 0 }, "rating", "too_small"],
    [{ rating: 6 }, "rating", "too_big"],
    [{ rating: 2.5 }, "rating", "invalid_type"],
    [{ rating: "5" }, "rating", "invalid_type"],
    [{ rating: 5, comment: "a".repeat(2001) }, "comment", "too_big"],
    [{ rating: 5, comment: 7 }, "comment", "invalid_type"],
    [{ rating: 5, status: "approved" }, "status", "unknown_key"],
  ];
  for (const [body, param, field] of wrong) {
    await assertError(await post(lot, author.token, body), { code: "validation_error", param, field });
  }
  for (const [query, param] of [["limit=0", "limit"], ["limit=101", "limit"], ["include=all", "include.0"]] as const) {
    await assertError(await ask(`/parking-lots/${lot}/reviews?${query}`), { code: "validation_error", param });
  }
  await assertError(await ask("/parking-lots/7/reviews"), { code: "validation_error", param: "id" });
});
