// Many tickets of one person at once, through HTTP.
import assert from "node:assert/strict";
import { ask, bearer, jsonBody } from "../api/client.ts";
import { inDatabase } from "../api/lots.ts";
import { signUp } from "../support/people.ts";

const MANY = 40;

Deno.test(`of ${MANY} tickets at once five are opened, each with its message`, async () => {
  const person = await signUp();
  await inDatabase((sql) =>
    sql`
    insert into private.rate_limit_policies (name, quota, window_seconds, comment)
    values ('report', ${MANY * 10}, 60, '') on conflict (name) do update set quota = excluded.quota`
  );
  const statuses = await Promise.all(Array.from({ length: MANY }, async (_, n) => {
    const body = { category: "other", subject: `Ticket ${n}`, message: "Hello" };
    const answer = await ask("/support/tickets", { method: "POST", ...jsonBody(body, bearer(person.token)) });
    await answer.body?.cancel();
    return answer.status;
  }));
  assert.deepEqual([...new Set(statuses)].sort(), [201, 429]);
  assert.equal(statuses.filter((status) => status === 201).length, 5);
  const [stored] = await inDatabase((sql) =>
    sql`
    select count(*)::integer as tickets, (
      select count(*)::integer from public.support_messages m join public.support_tickets t on t.id = m.ticket_id
      where t.user_id = ${person.id}
    ) as messages
    from public.support_tickets where user_id = ${person.id}`
  );
  assert.deepEqual({ ...stored }, { tickets: 5, messages: 5 });
});
