// The moderation of reviews: the queue, single decisions and many at once, and what is left of each on record.
import assert from "node:assert/strict";
import { AdminReview, AdminReviews, ReviewDecisionOutcomes } from "../../supabase/functions/admin/reviews.schema.ts";
import { decideReview, decideReviews, listReviewQueue, readReview } from "../../supabase/functions/admin/reviews.ts";
import { type Person, signUp } from "../support/people.ts";
import { stack } from "../support/stack.ts";
import {
  actsOn,
  type Administrator,
  anAdministratingUser,
  anAdministrator,
  assertErrorDetails,
  sending,
} from "./administrators.ts";
import { ask, bearer, jsonBody, replyOf } from "./client.ts";
import { aLot, inDatabase } from "./lots.ts";
import { uploaded } from "./uploaded.ts";

const PATH = "/admin/reviews";
const moderator = await anAdministrator("reviews");
/** An app user who was made an administrator. */
const both = await anAdministratingUser("reviews");

interface Posted {
  readonly id: string;
  readonly updated_at: string;
}

async function posted(author: Person, lot: string, body: Record<string, unknown> = {}): Promise<Posted> {
  const review = { rating: 4, comment: "Narrow", ...body };
  const reply = await ask(`/parking-lots/${lot}/reviews`, {
    method: "POST",
    ...jsonBody(review, bearer(author.token)),
  });
  assert.equal(reply.status, 201);
  return await reply.json();
}

const decide = (administrator: Administrator, { id, updated_at }: Posted, status: string, more = {}, headers = {}) =>
  administrator.ask(`${PATH}/${id}`, sending("PATCH", { status, seen_updated_at: updated_at, ...more }, headers));

const decideAll = (decisions: unknown[], headers = {}, administrator: Administrator = moderator) =>
  administrator.ask(`${PATH}/decisions`, sending("POST", { decisions }, headers));

const decision = ({ id, updated_at }: Posted, status = "approved") => ({ id, status, seen_updated_at: updated_at });

const notifications = (user: Person) =>
  inDatabase((sql) =>
    sql<{ title: string; body: string; is_in_app: boolean }[]>`
      select title, body, is_in_app from public.user_notifications
      where user_id = ${user.id} and type = 'review_result' order by created_at`
  );

Deno.test("GET /admin/reviews: the queue of a lot is its pending reviews, oldest first, with author, lot and photos", async () => {
  const lot = await aLot({ name: "Queue" });
  const authors = [await signUp({ displayName: "Hanako" }), await signUp(), await signUp()];
  const photo = await uploaded(authors[0]!, "review");
  const first = await posted(authors[0]!, lot, { photo_asset_ids: [photo] });
  const others = [await posted(authors[1]!, lot), await posted(authors[2]!, lot)];
  const page = (query: string) => moderator.ask(`${PATH}?parking_lot_id=${lot}${query}`);
  const one = await replyOf(listReviewQueue, await page("&limit=2&include=total"), AdminReviews);
  assert.deepEqual(one.items.map(({ id }) => id), [first.id, others[0]!.id]);
  assert.equal(one.total, 3);
  const { user_id, user_name, parking_lot_name, comment, photo_urls } = one.items[0]!;
  assert.deepEqual([user_id, user_name, parking_lot_name, comment], [authors[0]!.id, "Hanako", "Queue", "Narrow"]);
  assert.equal(photo_urls.length, 1);
  const picture = await fetch(photo_urls[0]!);
  assert.equal(picture.status, 200, "the photo of a pending review is readable at its address");
  await picture.body?.cancel();
  const two = await replyOf(listReviewQueue, await page(`&limit=2&cursor=${one.next_cursor}`), AdminReviews);
  assert.deepEqual(two.items.map(({ id }) => id), [others[1]!.id]);
  assert.equal(two.next_cursor, null);
  assert.deepEqual(
    (await replyOf(listReviewQueue, await page(`&user_id=${authors[1]!.id}`), AdminReviews)).items.map(({ id }) => id),
    [others[0]!.id],
  );
  const approved = await replyOf(decideReview, await decide(moderator, first, "approved"), AdminReview);
  assert.deepEqual([approved.status, approved.photo_urls.length], ["approved", 1]);
  assert.deepEqual(
    (await replyOf(listReviewQueue, await page("&status=approved"), AdminReviews)).items.map(({ id }) => id),
    [first.id],
  );
  assert.deepEqual(
    await replyOf(readReview, await moderator.ask(`${PATH}/${first.id}`), AdminReview).then(({ id }) => id),
    first.id,
  );
  await assertErrorDetails(await page("&status=gone"), "validation_error", "status");
  await assertErrorDetails(await page(`&status=hidden&cursor=${one.next_cursor}`), "validation_error", "cursor");
  await assertErrorDetails(await moderator.ask(`${PATH}/${crypto.randomUUID()}`), "not_found", "id");
});

Deno.test("admin reviews: without the area every route is 403 with the missing scope, valid request or not", async () => {
  const other = await anAdministrator("lots", "support");
  const review = await posted(await signUp(), await aLot());
  for (
    const response of [
      await other.ask(PATH),
      await other.ask(`${PATH}?status=gone`),
      await other.ask(`${PATH}/${review.id}`),
      await other.ask(`${PATH}/${crypto.randomUUID()}`),
      await decide(other, review, "approved"),
      await decide(other, { id: crypto.randomUUID(), updated_at: review.updated_at }, "approved"),
      await other.ask(`${PATH}/${review.id}`, sending("PATCH", { status: "gone" })),
      await other.ask(`${PATH}/decisions`, sending("POST", { decisions: [decision(review)] })),
      await other.ask(`${PATH}/decisions`, sending("POST", { decisions: [] })),
    ]
  ) {
    assert.equal(response.status, 403);
    assert.deepEqual((await response.json()).error.details, { scope: "admin:reviews" });
  }
  assert.deepEqual(await actsOn(review.id), []);
});

Deno.test("PATCH /admin/reviews/{id}: decides, notifies the author and records the difference", async () => {
  const [author, lot] = [await signUp(), await aLot({ name: "Decided" })];
  const review = await posted(author, lot);
  const rejected = await replyOf(
    decideReview,
    await decide(moderator, review, "rejected", { reason: " Names a person " }),
    AdminReview,
  );
  assert.equal(rejected.status, "rejected");
  const acts = await actsOn(review.id);
  assert.deepEqual(acts, [{
    admin_id: moderator.id,
    action: "review.reject",
    target_type: "review",
    user_id: author.id,
    changes: { status: { old: "pending", new: "rejected" }, reason: "Names a person" },
  }]);
  assert.deepEqual([...await notifications(author)].map((row) => ({ ...row })), [{
    title: "レビューは公開されませんでした",
    body: "「Decided」へのレビューは、ほかの利用者に表示されません。\n理由: Names a person",
    is_in_app: true,
  }]);
});

Deno.test("PATCH /admin/reviews/{id}: an author who reads English is notified in English", async () => {
  const author = await signUp();
  await inDatabase((sql) => sql`update public.app_users set lang = 'en' where id = ${author.id}`);
  const review = await posted(author, await aLot({ name: "North" }));
  await replyOf(decideReview, await decide(moderator, review, "approved"), AdminReview);
  assert.deepEqual([...await notifications(author)].map(({ title, body }) => [title, body]), [
    ["Your review is published", "Other users can see your review of North now."],
  ]);
});

Deno.test("PATCH /admin/reviews/{id}: the author who turned the inbox off for results has no notification in it", async () => {
  const author = await signUp();
  const review = await posted(author, await aLot());
  const items = [{ notif_type: "review_result", push_enabled: false, in_app_enabled: false, email_enabled: false }];
  const said = await ask("/me/notification-preferences", {
    method: "PUT",
    ...jsonBody({ items }, bearer(author.token)),
  });
  assert.equal(said.status, 200, await said.text());
  await replyOf(decideReview, await decide(moderator, review, "approved"), AdminReview);
  assert.deepEqual([...await notifications(author)].map(({ is_in_app }) => is_in_app), [false]);
});

Deno.test("PATCH /admin/reviews/{id}: a transition that is not allowed, a stale version and the caller's own review are rejected without effect", async () => {
  const [author, lot] = [await signUp(), await aLot()];
  const review = await posted(author, lot);
  const unreachable = await assertErrorDetails(await decide(moderator, review, "hidden"), "conflict", "status");
  assert.deepEqual(unreachable, {
    reason: "status_not_reachable",
    status: "pending",
    allowed: ["approved", "rejected"],
  });
  const edit = await ask(`/me/reviews/${review.id}`, {
    method: "PATCH",
    ...jsonBody({ comment: "Edited" }, bearer(author.token)),
  });
  const edited: Posted = await edit.json();
  const stale = await assertErrorDetails(await decide(moderator, review, "approved"), "conflict", "seen_updated_at");
  assert.deepEqual(stale, { reason: "changed_meanwhile", updated_at: edited.updated_at });
  const own = await posted(both, lot);
  const rejection = await assertErrorDetails(await decide(both, own, "approved"), "forbidden", null);
  assert.deepEqual(rejection, { reason: "own_entry" });
  for (
    const [param, body] of [
      ["status", { seen_updated_at: edited.updated_at }],
      ["status", { status: "pending", seen_updated_at: edited.updated_at }],
      ["seen_updated_at", { status: "approved" }],
      ["seen_updated_at", { status: "approved", seen_updated_at: "yesterday" }],
      ["reason", { status: "approved", seen_updated_at: edited.updated_at, reason: "x".repeat(501) }],
      ["rating", { status: "approved", seen_updated_at: edited.updated_at, rating: 5 }],
    ] as const
  ) {
    await assertErrorDetails(
      await moderator.ask(`${PATH}/${review.id}`, sending("PATCH", body)),
      "validation_error",
      param,
    );
  }
  await assertErrorDetails(
    await decide(moderator, { ...edited, id: crypto.randomUUID() }, "approved"),
    "not_found",
    "id",
  );
  assert.deepEqual([...await actsOn(review.id), ...await actsOn(own.id), ...await notifications(author)], []);
});

Deno.test("POST /admin/reviews/decisions: each decision has its own outcome, and a repeated request logs once", async () => {
  const [lot, author] = [await aLot(), await signUp()];
  const [one, two] = [await posted(author, lot), await posted(await signUp(), lot)];
  const [moved, own] = [await posted(await signUp(), lot), await posted(both, lot)];
  await replyOf(decideReview, await decide(moderator, moved, "rejected"), AdminReview);
  const missing = { id: crypto.randomUUID(), updated_at: one.updated_at };
  const decisions = [decision(one), decision(moved), decision(own), decision(missing), decision(two, "rejected")];
  const key = { "Idempotency-Key": crypto.randomUUID() };
  const first = await decideAll(decisions, key, both);
  const { items } = await replyOf(decideReviews, first, ReviewDecisionOutcomes);
  assert.deepEqual(items.map(({ id }) => id), decisions.map(({ id }) => id));
  assert.deepEqual(
    items.map(({ outcome, error }) => error ? [outcome, error.code, error.details?.["reason"]] : outcome),
    [
      "decided",
      ["error", "conflict", "changed_meanwhile"],
      ["error", "forbidden", "own_entry"],
      ["error", "not_found", undefined],
      "decided",
    ],
  );
  const again = await decideAll(decisions, key, both);
  assert.equal(again.headers.get("idempotent-replayed"), "true");
  assert.deepEqual(await replyOf(decideReviews, again, ReviewDecisionOutcomes), { items });
  assert.deepEqual((await actsOn(one.id)).map(({ action }) => action), ["review.approve"]);
  assert.deepEqual((await actsOn(two.id)).map(({ action }) => action), ["review.reject"]);
  assert.deepEqual((await actsOn(moved.id)).map(({ action }) => action), ["review.reject"]);
  assert.equal((await notifications(author)).length, 1);
});

Deno.test("POST /admin/reviews/decisions: a hundred at once are decided, each with one record; any other list is 422", async () => {
  const lot = await aLot();
  const rows = await inDatabase((sql) =>
    sql<Posted[]>`
      with authors as (
        insert into auth.users (id, email) select a.id, a.id || '@example.test'
        from (select gen_random_uuid() as id from generate_series(1, 100)) a returning id
      ), reviews as (
        insert into public.reviews (parking_lot_id, user_id, rating, status)
        select ${lot}, null, 3, 'pending' from authors returning id, updated_at
      ) select id, to_jsonb(updated_at) #>> '{}' as updated_at from reviews`
  );
  const { items } = await replyOf(
    decideReviews,
    await decideAll(rows.map((row) => decision(row))),
    ReviewDecisionOutcomes,
  );
  assert.deepEqual(new Set(items.map(({ outcome }) => outcome)), new Set(["decided"]));
  const [logged] = await inDatabase((sql) =>
    sql`
      select count(*)::integer as rows, count(distinct target_id)::integer as reviews from public.admin_activity_logs
      where target_id = any (${rows.map(({ id }) => id)})`
  );
  assert.deepEqual({ ...logged }, { rows: 100, reviews: 100 });
  const row = rows[0]!;
  const fresh = () => ({ ...decision(row), id: crypto.randomUUID() });
  await assertErrorDetails(await decideAll([]), "validation_error", "decisions");
  await assertErrorDetails(await decideAll(Array.from({ length: 101 }, fresh)), "validation_error", "decisions");
  await assertErrorDetails(await decideAll([decision(row), decision(row)]), "validation_error", "decisions");
  await assertErrorDetails(
    await decideAll([fresh(), { ...fresh(), status: "pending" }]),
    "validation_error",
    "decisions.1.status",
  );
});

Deno.test("api.admin_decide_review, admin_decide_reviews: the back office decides by rpc with the same checks and record", async () => {
  const { apiUrl, secretKey } = stack();
  const rpc = (name: string, body: unknown) =>
    fetch(`${apiUrl}/rest/v1/rpc/${name}`, {
      method: "POST",
      headers: { apikey: secretKey, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const review = await posted(await signUp(), await aLot());
  const args = {
    p_admin_id: moderator.id,
    p_id: review.id,
    p_status: "approved",
    p_seen_updated_at: review.updated_at,
  };
  const rejection = await rpc("admin_decide_review", { ...args, p_admin_id: (await anAdministrator("lots")).id });
  assert.equal(rejection.status, 403, await rejection.text());
  const decided = await rpc("admin_decide_review", args);
  assert.equal(decided.status, 200);
  assert.equal((await decided.json()).status, "approved");
  assert.deepEqual((await actsOn(review.id)).map(({ admin_id }) => admin_id), [moderator.id]);
  const good = { id: review.id, status: "hidden", seen_updated_at: review.updated_at };
  for (
    const [param, decisions] of [
      ["decisions", "all"],
      ["decisions", []],
      ["decisions.0", ["first"]],
      ["decisions.0.id", [{ ...good, id: "first" }]],
      ["decisions.0.id", [{ ...good, id: undefined }]],
      ["decisions.0.status", [{ ...good, status: undefined }]],
      ["decisions.1.seen_updated_at", [good, { ...good, seen_updated_at: "last week" }]],
      ["decisions.0.reason", [{ ...good, reason: 1 }]],
      ["decisions.0.rating", [{ ...good, rating: 1 }]],
      ["decisions.1.id", [good, { ...good, id: good.id.toUpperCase() }]],
    ] as const
  ) {
    const answer = await rpc("admin_decide_reviews", { p_admin_id: moderator.id, p_decisions: decisions });
    const { code, details } = await answer.json();
    assert.deepEqual([answer.status, code, JSON.parse(details ?? "{}").param], [422, "validation_error", param]);
  }
});
