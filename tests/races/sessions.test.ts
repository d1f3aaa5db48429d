// Many requests about one session at once, through HTTP.
import assert from "node:assert/strict";
import { type Person, signUp } from "../support/people.ts";
import { inDatabase } from "../api/lots.ts";
import { age, aPricedLot, inMinutes, post } from "../api/sessions.ts";

const MANY = 40;

interface Reply {
  readonly status: number;
  readonly body: { session_id?: string; total_amount?: number; cancelled?: boolean; error?: { code: string } };
}

async function replyOf(answer: Promise<Response>): Promise<Reply> {
  const { status, ...response } = { status: (await answer).status, text: await (await answer).text() };
  return { status, body: JSON.parse(response.text) };
}

const many = (send: (n: number) => Promise<Response>) =>
  Promise.all(Array.from({ length: MANY }, (_, n) => replyOf(send(n))));

const sessionsOf = ({ id }: Person) =>
  inDatabase((sql) =>
    sql<{ id: string; status: string; total_amount_minor: string | null }[]>`
      select id, status, total_amount_minor from public.parking_sessions where user_id = ${id}`
  );

const activityOf = ({ id }: Person) =>
  inDatabase(async (sql) => {
    const rows = await sql<{ type: string }[]>`
      select activity_type as type from public.user_activity_logs where user_id = ${id} order by created_at`;
    return rows.map(({ type }) => type);
  });

async function aSession(minutes: number): Promise<{ driver: Person; id: string }> {
  const [user, lot] = [await signUp(), await aPricedLot()];
  const { body } = await replyOf(post("", user.token, { parking_lot_id: lot }));
  await age(body.session_id!, minutes);
  return { driver: user, id: body.session_id! };
}

Deno.test(`parking sessions: of ${MANY} starts at once exactly one begins a session, and the others get its id`, async () => {
  const [user, lot] = [await signUp(), await aPricedLot()];
  const answers = await many(() =>
    post("", user.token, { parking_lot_id: lot, client_request_id: crypto.randomUUID() })
  );
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  const error = answers.filter(({ status }) => status !== 201);
  assert.deepEqual(
    new Set(error.map(({ status, body }) => `${status} ${body.error?.code}`)),
    new Set([
      "409 concurrent_session_not_allowed",
    ]),
  );
  assert.equal((await sessionsOf(user)).length, 1);
  assert.deepEqual(await activityOf(user), ["session_start"]);
});

Deno.test(`parking sessions: one client request id ${MANY} times at once is one session and one answer`, async () => {
  const [user, lot, client_request_id] = [await signUp(), await aPricedLot(), crypto.randomUUID()];
  const answers = await many(() => post("", user.token, { parking_lot_id: lot, client_request_id }));
  const [session] = await sessionsOf(user);
  assert.deepEqual(
    new Set(answers.map(({ body }) => JSON.stringify(body))),
    new Set([
      JSON.stringify({ session_id: session!.id, status: "parking" }),
    ]),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [...Array(MANY - 1).fill(200), 201]);
  assert.equal((await sessionsOf(user)).length, 1);
  assert.deepEqual(await activityOf(user), ["session_start"]);
});

Deno.test(`parking sessions: of ${MANY} ends and cancellations at once exactly one kind succeeds, once`, async () => {
  for (let round = 0; round < 4; round++) {
    const { driver: user, id } = await aSession(2);
    const exit_at = inMinutes(0);
    const answers = await many((n) =>
      n % 2 === round % 2
        ? post(`/${id}/finalize`, user.token, { exit_at, client_request_id: crypto.randomUUID() })
        : post(`/${id}/cancel`, user.token)
    );
    const [session] = await sessionsOf(user);
    const ended = answers.filter(({ body }) => body.total_amount !== undefined);
    const cancelled = answers.filter(({ body }) => body.cancelled);
    if (session!.status === "ended") {
      assert.deepEqual([ended.length, cancelled.length, ended[0]!.body.total_amount], [1, 0, 200]);
    } else {
      // A repeated cancellation answers the same.
      assert.deepEqual([session!.status, ended.length, cancelled.length], ["cancelled", 0, MANY / 2]);
    }
    assert.ok(answers.every(({ status }) => status === 200 || status === 409));
    assert.deepEqual(await activityOf(user), [
      "session_start",
      session!.status === "ended" ? "session_end" : "session_cancel",
    ]);
  }
});

Deno.test(`parking sessions: an end sent ${MANY} times at once is one amount and one row of activity`, async () => {
  const { driver: user, id } = await aSession(40);
  const body = { exit_at: inMinutes(0), client_request_id: crypto.randomUUID() };
  const answers = await many(() => post(`/${id}/finalize`, user.token, body));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.equal(new Set(answers.map(({ body }) => JSON.stringify(body))).size, 1);
  assert.equal(answers[0]!.body.total_amount, 400);
  assert.deepEqual(await activityOf(user), ["session_start", "session_end"]);
});

Deno.test(`parking sessions: of ${MANY} different ends at once exactly one is accepted`, async () => {
  const { driver: user, id } = await aSession(200);
  const answers = await many((n) =>
    post(`/${id}/finalize`, user.token, { exit_at: inMinutes(-3 * n), client_request_id: crypto.randomUUID() })
  );
  const taken = answers.filter(({ status }) => status === 200);
  assert.equal(taken.length, 1);
  assert.equal(answers.filter(({ status }) => status === 409).length, MANY - 1);
  const [session] = await sessionsOf(user);
  assert.equal(Number(session!.total_amount_minor), taken[0]!.body.total_amount);
});
