// Conversations with support, through HTTP.
import assert from "node:assert/strict";
import {
  SupportMessage,
  SupportTicketDetail,
  SupportTickets,
} from "../../supabase/functions/_shared/schema/support.ts";
import { createTicket, listTickets, readTicket, replyToTicket } from "../../supabase/functions/support/routes.ts";
import { picture } from "../support/files.ts";
import { type Person, signUp } from "../support/people.ts";
import { assertError } from "../support/api_errors.ts";
import { ask, bearer, jsonBody, query, replyOf } from "./client.ts";
import { inDatabase } from "./lots.ts";
import { uploaded } from "./uploaded.ts";

const question = { category: "app_problem", subject: "It stopped", message: "On the map, twice." };

const post = ({ token }: Person, path: string, body: unknown) =>
  ask(`/support/tickets${path}`, { method: "POST", ...jsonBody(body, bearer(token)) });
const opened = async (user: Person, body: unknown = question) =>
  await replyOf(createTicket, await post(user, "", body), SupportTicketDetail);
const get = ({ token }: Person, path: string) => ask(`/support/tickets${path}`, { headers: bearer(token) });
const read = async (user: Person, id: string) =>
  await replyOf(readTicket, await get(user, `/${id}`), SupportTicketDetail);

/** What an administrator of support does, about the ticket as it is. */
async function answer(admin: Person, ticket: string, act: "answer" | "close"): Promise<Response> {
  const [row] = await inDatabase((sql) =>
    sql<{ seen_updated_at: string }[]>`
      select to_jsonb(updated_at) #>> '{}' as seen_updated_at from public.support_tickets where id = ${ticket}`
  );
  const [method, path, body] = act === "answer"
    ? ["POST", "/messages", { message: "Try the new version." }]
    : ["PATCH", "", { status: "closed" }];
  return await ask(`/admin/support-tickets/${ticket}${path}`, {
    method,
    ...jsonBody({ ...body, ...row }, bearer(admin.token)),
  });
}

Deno.test("support: a ticket opens, gets a response, is reopened by its author, and is closed", async () => {
  const user = await signUp();
  const support = await signUp({ appMetadata: { admin: { name: "Support", areas: ["support"] } } });
  const ticket = await opened(user);
  assert.equal(ticket.status, "open");
  assert.equal(ticket.updated_at, ticket.created_at);
  assert.deepEqual(ticket.messages.map(({ author, body }) => [author, body]), [["user", "On the map, twice."]]);

  assert.equal((await answer(support, ticket.id, "answer")).status, 201);
  assert.equal((await read(user, ticket.id)).status, "answered");
  const notifications = await inDatabase((sql) =>
    sql`select type, body from public.user_notifications where user_id = ${user.id}`
  );
  assert.deepEqual({ ...notifications[0] }, {
    type: "support_reply",
    body: "お問い合わせ「It stopped」への返信です。アプリでご確認ください。",
  });

  const message = { message: "Still the same." };
  const reply = await replyOf(replyToTicket, await post(user, `/${ticket.id}/messages`, message), SupportMessage);
  assert.deepEqual([reply.author, reply.body, reply.attachment_urls], ["user", "Still the same.", []]);
  const reopened = await read(user, ticket.id);
  assert.equal(reopened.status, "open");
  assert.deepEqual(reopened.messages.map(({ author }) => author), ["user", "support", "user"]);
  assert.deepEqual(reopened.messages.at(-1), reply);

  await assertError(await answer(support, ticket.id, "close"), { code: "conflict", param: "status" });
  assert.equal((await answer(support, ticket.id, "answer")).status, 201);
  assert.equal((await answer(support, ticket.id, "close")).status, 200);
  assert.equal((await read(user, ticket.id)).status, "closed");
  await post(user, `/${ticket.id}/messages`, message);
  assert.equal((await read(user, ticket.id)).status, "open");
});

Deno.test("support: only an administrator of support answers or closes", async () => {
  const user = await signUp();
  const { id } = await opened(user);
  const lots = await signUp({ appMetadata: { admin: { name: "Lots", areas: ["lots"] } } });
  for (const who of [user, lots]) {
    for (const act of ["answer", "close"] as const) {
      await assertError(await answer(who, id, act), { code: "forbidden" });
    }
  }
});

Deno.test("support: another user's ticket is 404, for reads and writes", async () => {
  const [user, stranger] = [await signUp(), await signUp()];
  const { id } = await opened(user);
  for (const ticket of [id, crypto.randomUUID()]) {
    await assertError(await get(stranger, `/${ticket}`), { code: "not_found", param: "id" });
    await assertError(await post(stranger, `/${ticket}/messages`, { message: "Hello" }), { code: "not_found" });
  }
  assert.equal((await read(user, id)).messages.length, 1);
});

Deno.test("support: the sixth ticket in 24 hours is rejected with the time to wait; a day later it is accepted", async () => {
  const user = await signUp();
  for (let n = 0; n < 5; n++) await opened(user);
  const rejection = await post(user, "", question);
  const wait = Number(rejection.headers.get("retry-after"));
  assert.ok(wait > 86_000 && wait <= 86_400, `retry after ${wait}`);
  await assertError(rejection, { code: "rate_limited" });
  await inDatabase((sql) =>
    sql`
      update public.support_tickets set created_at = created_at - interval '24 hours'
      where id = (select id from public.support_tickets where user_id = ${user.id} order by created_at limit 1)`
  );
  await opened(user);
  await assertError(await post(user, "", question), { code: "rate_limited" });
});

Deno.test("support: files belong to one message, and are readable by its author", async () => {
  const user = await signUp();
  const file = picture("image/jpeg", 500);
  const asset = await uploaded(user, "support", file);
  const ticket = await opened(user, { ...question, attachment_asset_ids: [asset] });
  const [url] = ticket.messages[0]!.attachment_urls;
  assert.deepEqual(new Uint8Array(await (await fetch(url!)).arrayBuffer()), file);
  const again = await post(user, `/${ticket.id}/messages`, { message: "Again", attachment_asset_ids: [asset] });
  await assertError(again, { code: "not_found", param: "attachment_asset_ids" });
  assert.equal((await read(user, ticket.id)).messages.length, 1);
});

Deno.test("support: every field that is wrong is named, and nothing is stored", async () => {
  const user = await signUp();
  for (
    const [param, wrong] of [
      ["category", "gossip"],
      ["subject", ""],
      ["subject", "x".repeat(101)],
      ["message", "　"],
      ["message", "x".repeat(4001)],
      ["attachment_asset_ids", Array.from({ length: 6 }, () => crypto.randomUUID())],
    ] as const
  ) {
    await assertError(await post(user, "", { ...question, [param]: wrong }), { code: "validation_error", param });
  }
  const page = await replyOf(listTickets, await get(user, ""), SupportTickets);
  assert.deepEqual(page.items, []);
});

Deno.test("support: the list has the caller's own, newest first, page by page", async () => {
  const [user, other] = [await signUp(), await signUp()];
  await opened(other);
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.unshift((await opened(user)).id);
  const seen: string[] = [];
  let cursor: string | null | undefined;
  do {
    const pageQuery = query({ limit: 2, ...(cursor === undefined ? {} : { cursor }) });
    const page = await replyOf(listTickets, await get(user, pageQuery), SupportTickets);
    seen.push(...page.items.map(({ id }) => id));
    cursor = page.next_cursor;
  } while (cursor !== null);
  assert.deepEqual(seen, ids);
});

Deno.test("POST /support/tickets/{id}/messages: the 201st message is rejected with 409 conflict, and the reply stays small", async () => {
  const user = await signUp();
  const support = await signUp({ appMetadata: { admin: { name: "Support", areas: ["support"] } } });
  const { id } = await opened(user);
  await inDatabase((sql) =>
    sql`
      insert into public.support_messages (ticket_id, author, body)
      select ${id}, 'user', repeat('x', 4000) from generate_series(1, 198)`
  );
  const last = await post(user, `/${id}/messages`, { message: "The last one" });
  const text = await last.clone().text();
  assert.ok(text.length < 1000, `${text.length} characters`);
  await replyOf(replyToTicket, last, SupportMessage);
  const asset = await uploaded(user, "support");
  const beyond = await post(user, `/${id}/messages`, { message: "One more", attachment_asset_ids: [asset] });
  const { error } = await beyond.clone().json();
  assert.deepEqual(error.details, { reason: "too_many_messages", max_messages: 200 });
  await assertError(beyond, { code: "conflict" });
  const rejected = await answer(support, id, "answer");
  assert.equal((await rejected.json()).error.details.reason, "too_many_messages");
  await assert.rejects(
    inDatabase((sql) => sql`insert into public.support_messages (ticket_id, author, body) values (${id}, 'user', 'x')`),
    /support_tickets_message_count_bounds/,
  );
  await opened(user, { ...question, attachment_asset_ids: [asset] });
});

Deno.test("GET /support/tickets/{id}: messages are paged, oldest first, each once", async () => {
  const user = await signUp();
  const { id } = await opened(user);
  await inDatabase((sql) =>
    sql`
      insert into public.support_messages (ticket_id, author, body, created_at)
      select ${id}, 'user', n::text, now() + n * interval '1 second' from generate_series(1, 44) as n`
  );
  const page = async (pageQuery: Record<string, string | number>) =>
    await replyOf(readTicket, await get(user, `/${id}${query(pageQuery)}`), SupportTicketDetail);
  const first = await page({});
  assert.equal(first.messages.length, 20);
  const seen = first.messages.map(({ body }) => body);
  for (let cursor = first.next_cursor; cursor !== null;) {
    const next = await page({ cursor, limit: 15 });
    seen.push(...next.messages.map(({ body }) => body));
    cursor = next.next_cursor;
  }
  assert.deepEqual(seen, [question.message, ...Array.from({ length: 44 }, (_, n) => String(n + 1))]);
  const other = await opened(user);
  const cursor = first.next_cursor ?? assert.fail("there is a second page");
  await assertError(await get(user, `/${other.id}${query({ cursor })}`), {
    code: "validation_error",
    param: "cursor",
  });
  await assertError(await get(user, `/${id}?limit=101`), { code: "validation_error", param: "limit" });
});
