// The support tickets of the console: the queue, reading, answers and closing, and what is left of each on record.
import assert from "node:assert/strict";
import {
  AdminSupportTicket,
  AdminSupportTicketDetail,
  AdminSupportTickets,
  SupportAnswer,
} from "../../supabase/functions/admin/support_tickets.schema.ts";
import {
  answerTicket,
  closeTicket,
  listTicketQueue,
  readTicketOfUser,
} from "../../supabase/functions/admin/support_tickets.ts";
import { type Person, signUp } from "../support/people.ts";
import { stack } from "../support/stack.ts";
import { actsOn, anAdministratingUser, anAdministrator, assertErrorDetails, sending } from "./administrators.ts";
import { ask, bearer, jsonBody, replyOf } from "./client.ts";
import { inDatabase } from "./lots.ts";
import { uploaded } from "./uploaded.ts";

const PATH = "/admin/support-tickets";
const support = await anAdministrator("support");

interface Ticket {
  readonly id: string;
  readonly updated_at: string;
}

async function write(author: Person, path: string, body: Record<string, unknown>): Promise<Ticket> {
  const reply = await ask(`/support/tickets${path}`, { method: "POST", ...jsonBody(body, bearer(author.token)) });
  assert.equal(reply.status, 201);
  return await reply.json();
}

const opened = (author: Person, more: Record<string, unknown> = {}) =>
  write(author, "", { category: "other", subject: "Question", message: "How?", ...more });

const read = async ({ id }: Ticket, query = "") =>
  await replyOf(readTicketOfUser, await support.ask(`${PATH}/${id}${query}`), AdminSupportTicketDetail);

const answer = ({ id, updated_at }: Ticket, more: Record<string, unknown> = {}, by = support, headers = {}) =>
  by.ask(
    `${PATH}/${id}/messages`,
    sending("POST", { message: "So.", seen_updated_at: updated_at, ...more }, headers),
  );

const answered = async (ticket: Ticket) => await replyOf(answerTicket, await answer(ticket), SupportAnswer);

const close = ({ id, updated_at }: Ticket, more: Record<string, unknown> = {}, by = support) =>
  by.ask(`${PATH}/${id}`, sending("PATCH", { status: "closed", seen_updated_at: updated_at, ...more }));

/** A category that only one test has, so that its queue is known. */
async function queue(
  query: string,
): Promise<{ ids: string[]; next_cursor: string | null; total?: number | undefined }> {
  const reply = await support.ask(`${PATH}?category=subscription${query}`);
  const { items, next_cursor, total } = await replyOf(listTicketQueue, reply, AdminSupportTickets);
  return { ids: items.map(({ id }) => id), next_cursor, total };
}

Deno.test("GET /admin/support-tickets: the ticket that has waited longest comes first and keeps its place, by status and category", async () => {
  const author = await signUp({ displayName: "Jiro" });
  const tickets = [];
  for (let n = 0; n < 3; n++) tickets.push(await opened(author, { category: "subscription", subject: `${n}` }));
  const [first, second, third] = tickets as [Ticket, Ticket, Ticket];
  await write(author, `/${first.id}/messages`, { message: "Hello?" });
  const page = await queue("&limit=2&include=total");
  assert.deepEqual([page.ids, page.total], [[first.id, second.id], 3]);
  assert.deepEqual((await queue(`&limit=2&cursor=${page.next_cursor}`)).ids, [third.id]);
  await answered(second);
  assert.deepEqual((await queue("")).ids, [first.id, third.id]);
  assert.deepEqual((await queue("&status=answered")).ids, [second.id]);
  await write(author, `/${second.id}/messages`, { message: "Still not" });
  assert.deepEqual((await queue("")).ids, [first.id, third.id, second.id]);
  const { user_id, user_name, message_count, last_message_at, messages, status_changed_at, created_at } = await read(
    first,
  );
  assert.deepEqual([user_id, user_name, message_count, status_changed_at], [author.id, "Jiro", 2, created_at]);
  assert.equal(last_message_at, messages[1]!.created_at);
  await assertErrorDetails(await support.ask(`${PATH}?status=gone`), "validation_error", "status");
  await assertErrorDetails(await support.ask(`${PATH}?cursor=${page.next_cursor}`), "validation_error", "cursor");
});

Deno.test("GET /admin/support-tickets/{id}: all messages, page by page, with the administrator who answered and readable attachments", async () => {
  const author = await signUp();
  const ticket = await opened(author, { attachment_asset_ids: [await uploaded(author, "support")] });
  await answered(ticket);
  await write(author, `/${ticket.id}/messages`, { message: "Thanks" });
  const one = await read(ticket, "?limit=2");
  assert.deepEqual(one.messages.map(({ author, body, admin_id, admin_name }) => [author, body, admin_id, admin_name]), [
    ["user", "How?", null, null],
    ["support", "So.", support.id, "Administrator"],
  ]);
  const file = await fetch(one.messages[0]!.attachment_urls[0]!);
  assert.equal(file.status, 200);
  await file.body?.cancel();
  const two = await read(ticket, `?limit=2&cursor=${one.next_cursor}`);
  assert.deepEqual([two.messages.map(({ body }) => body), two.next_cursor], [["Thanks"], null]);
  await assertErrorDetails(await support.ask(`${PATH}/${crypto.randomUUID()}`), "not_found", "id");
});

Deno.test("admin support tickets: without the area every route is 403 with the missing scope, valid request or not", async () => {
  const other = await anAdministrator("reviews", "lots");
  const ticket = await opened(await signUp());
  for (
    const response of [
      await other.ask(PATH),
      await other.ask(`${PATH}?status=gone`),
      await other.ask(`${PATH}/${ticket.id}`),
      await answer(ticket, {}, other),
      await answer(ticket, { message: "" }, other),
      await close(ticket, {}, other),
      await close({ ...ticket, id: crypto.randomUUID() }, {}, other),
    ]
  ) {
    assert.equal(response.status, 403);
    assert.deepEqual((await response.json()).error.details, { scope: "admin:support" });
  }
  assert.deepEqual(await actsOn(ticket.id), []);
});

Deno.test("POST /admin/support-tickets/{id}/messages: answers, notifies and records once per key, without the text", async () => {
  const author = await signUp();
  const ticket = await opened(author, { subject: "About the map" });
  const key = { "Idempotency-Key": crypto.randomUUID() };
  const { message, ticket: after } = await replyOf(answerTicket, await answer(ticket, {}, support, key), SupportAnswer);
  assert.deepEqual([message.author, message.body, after.status, after.message_count], [
    "support",
    "So.",
    "answered",
    2,
  ]);
  const again = await answer(ticket, {}, support, key);
  assert.equal(again.headers.get("idempotent-replayed"), "true");
  assert.equal((await replyOf(answerTicket, again, SupportAnswer)).message.id, message.id);
  assert.deepEqual(await actsOn(ticket.id), [{
    admin_id: support.id,
    action: "support_ticket.answer",
    target_type: "support_ticket",
    user_id: author.id,
    changes: { status: { old: "open", new: "answered" }, message_count: { old: 1, new: 2 } },
  }]);
  const rows = await inDatabase((sql) =>
    sql<{ title: string; body: string }[]>`
      select title, body from public.user_notifications where user_id = ${author.id} and type = 'support_reply'`
  );
  assert.deepEqual(rows.map((row) => ({ ...row })), [{
    title: "サポートから返信がありました",
    body: "お問い合わせ「About the map」への返信です。アプリでご確認ください。",
  }]);
  const more = await answered(after);
  assert.deepEqual([more.ticket.status, more.ticket.message_count], ["answered", 3]);
  assert.equal((await read(ticket)).messages.length, 3);
});

Deno.test("PATCH /admin/support-tickets/{id}: closes an answered ticket; the author reopens it", async () => {
  const author = await signUp();
  const ticket = await opened(author);
  const unreachable = await assertErrorDetails(await close(ticket), "conflict", "status");
  assert.deepEqual(unreachable, { reason: "status_not_reachable", status: "open", allowed: ["answered"] });
  const { ticket: current } = await answered(ticket);
  const closed = await replyOf(closeTicket, await close(current), AdminSupportTicket);
  assert.equal(closed.status, "closed");
  await assertErrorDetails(await answer(closed), "conflict", "status");
  await assertErrorDetails(await close(closed), "conflict", "status");
  await write(author, `/${ticket.id}/messages`, { message: "Again" });
  assert.equal((await read(ticket)).status, "open");
  assert.deepEqual((await actsOn(ticket.id)).map(({ action, changes }) => [action, changes]), [
    ["support_ticket.answer", { status: { old: "open", new: "answered" }, message_count: { old: 1, new: 2 } }],
    ["support_ticket.close", { status: { old: "answered", new: "closed" } }],
  ]);
});

Deno.test("admin support tickets: wrong fields, an unseen message and the caller's own ticket are rejected without effect", async () => {
  const author = await signUp();
  const ticket = await opened(author);
  await write(author, `/${ticket.id}/messages`, { message: "More" });
  const { updated_at } = await read(ticket);
  const stale = await assertErrorDetails(await answer(ticket), "conflict", "seen_updated_at");
  assert.deepEqual(stale, { reason: "changed_meanwhile", updated_at });
  await assertErrorDetails(await close(ticket), "conflict", "seen_updated_at");
  const current = { id: ticket.id, updated_at };
  await assertErrorDetails(await answer(current, { message: "" }), "validation_error", "message");
  await assertErrorDetails(await answer(current, { message: "　" }), "validation_error", "message");
  await assertErrorDetails(await answer(current, { message: "x".repeat(4001) }), "validation_error", "message");
  await assertErrorDetails(
    await answer(current, { seen_updated_at: undefined }),
    "validation_error",
    "seen_updated_at",
  );
  await assertErrorDetails(await close(current, { status: "open" }), "validation_error", "status");
  await assertErrorDetails(await close(current, { seen_updated_at: "now" }), "validation_error", "seen_updated_at");
  await assertErrorDetails(await answer({ ...current, id: crypto.randomUUID() }), "not_found", "id");
  await assertErrorDetails(await close({ ...current, id: crypto.randomUUID() }), "not_found", "id");
  const both = await anAdministratingUser("support");
  const own = await opened(both);
  assert.deepEqual(await assertErrorDetails(await answer(own, {}, both), "forbidden"), { reason: "own_entry" });
  assert.deepEqual(await assertErrorDetails(await close(own, {}, both), "forbidden"), { reason: "own_entry" });
  assert.equal((await read(ticket)).messages.length, 2);
  assert.deepEqual([...await actsOn(ticket.id), ...await actsOn(own.id)], []);
});

Deno.test("api.admin_answer_support_ticket: the back office answers by rpc with the same checks and record", async () => {
  const { apiUrl, secretKey } = stack();
  const ticket = await opened(await signUp());
  const rpc = (adminId: string, more: Record<string, unknown> = {}) =>
    fetch(`${apiUrl}/rest/v1/rpc/admin_answer_support_ticket`, {
      method: "POST",
      headers: { apikey: secretKey, "content-type": "application/json" },
      body: JSON.stringify({
        p_admin_id: adminId,
        p_id: ticket.id,
        p_message: "So.",
        p_seen_updated_at: ticket.updated_at,
        ...more,
      }),
    });
  const error = await rpc((await anAdministrator("lots")).id);
  assert.equal(error.status, 403, await error.text());
  for (
    const [param, more] of [["message", { p_message: " " }], ["seen_updated_at", { p_seen_updated_at: null }]] as const
  ) {
    const answer = await rpc(support.id, more);
    assert.deepEqual([answer.status, JSON.parse((await answer.json()).details).param], [422, param]);
  }
  assert.equal((await (await rpc(support.id)).json()).ticket.status, "answered");
  assert.deepEqual((await actsOn(ticket.id)).map(({ admin_id }) => admin_id), [support.id]);
});
