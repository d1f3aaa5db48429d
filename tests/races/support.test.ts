// Many tickets of one user at once, through HTTP.
import assert from "node:assert/strict";
import { ask, bearer, jsonBody } from "../api/client.ts";
import { inDatabase } from "../api/lots.ts";
import { signUp } from "../support/people.ts";

const MANY = 40;

Deno.test(`support: of ${MANY} tickets at once five are opened, each with its message`, async () => {
  const user = await signUp();
  await inDatabase((sql) =>
    sql`
    insert into private.rate_limit_policies (name, quota, window_seconds, comment)
    values ('report', ${MANY * 10}, 60, '') on conflict (name) do update set quota = excluded.quota`
  );
  const statuses = await Promise.all(Array.from({ length: MANY }, async (_, n) => {
    const body = { category: "other", subject: `Ticket ${n}`, message: "Hello" };
    const answer = await ask("/support/tickets", { method: "POST", ...jsonBody(body, bearer(user.token)) });
    await answer.body?.cancel();
    return answer.status;
  }));
  assert.deepEqual([...new Set(statuses)].sort(), [201, 429]);
  assert.equal(statuses.filter((status) => status === 201).length, 5);
  const [stored] = await inDatabase((sql) =>
    sql`
    select count(*)::integer as tickets, (
      select count(*)::integer from public.support_messages m join public.support_tickets t on t.id = m.ticket_id
      where t.user_id = ${user.id}
    ) as messages
    from public.support_tickets where user_id = ${user.id}`
  );
  assert.deepEqual({ ...stored }, { tickets: 5, messages: 5 });
});

Deno.test(`POST /support/tickets/{id}/messages: of ${MANY} messages at once into a ticket with 190, ten are kept`, async () => {
  const user = await signUp();
  const send = async (path: string, body: Record<string, unknown>) => {
    const answer = await ask(`/support/tickets${path}`, { method: "POST", ...jsonBody(body, bearer(user.token)) });
    return { status: answer.status, body: await answer.json() };
  };
  const { body: { id } } = await send("", { category: "other", subject: "Long", message: "Hello" });
  await inDatabase((sql) =>
    sql`
      insert into public.support_messages (ticket_id, author, body)
      select ${id}, 'support', 'x' from generate_series(1, 189)`
  );
  const sent = await Promise.all(
    Array.from({ length: MANY }, (_, n) => send(`/${id}/messages`, { message: `Message ${n}` })),
  );
  assert.deepEqual([...new Set(sent.map(({ status }) => status))].sort(), [201, 409]);
  assert.equal(sent.filter(({ status }) => status === 201).length, 10);
  const [stored] = await inDatabase((sql) =>
    sql`
      select count(*)::integer as messages, max(t.message_count) as counted
      from public.support_messages m join public.support_tickets t on t.id = m.ticket_id where t.id = ${id}`
  );
  assert.deepEqual({ ...stored }, { messages: 200, counted: 200 });
});
