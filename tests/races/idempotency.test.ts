// Many requests with one key at once, through HTTP.
import assert from "node:assert/strict";
import { type Person, signUp } from "../support/people.ts";
import { ask, bearer, jsonBody } from "../api/client.ts";
import { aLot, inDatabase } from "../api/lots.ts";

const MANY = 40;

interface Reply {
  readonly status: number;
  readonly replayed: boolean;
  readonly body: string;
}

async function post({ token }: Person, lot: string, key: string, rating: number): Promise<Reply> {
  const answer = await ask(`/parking-lots/${lot}/reviews`, {
    method: "POST",
    ...jsonBody({ rating }, { ...bearer(token), "idempotency-key": key }),
  });
  return {
    status: answer.status,
    replayed: answer.headers.get("idempotent-replayed") === "true",
    body: await answer.text(),
  };
}

const many = (send: (n: number) => Promise<Reply>) => Promise.all(Array.from({ length: MANY }, (_, n) => send(n)));
const reviewsOf = (user: Person) =>
  inDatabase((sql) => sql<{ rating: number }[]>`select rating from public.reviews where user_id = ${user.id}`);

Deno.test(`idempotency: ${MANY} requests with one key at once are one resource and one reply, ${MANY - 1} of them replays`, async () => {
  const [user, lot] = [await signUp(), await aLot()];
  const replies = await many(() => post(user, lot, "one", 4));
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([201]), `${replies.at(-1)?.body}`);
  assert.equal(new Set(replies.map(({ body }) => body)).size, 1);
  assert.equal(replies.filter(({ replayed }) => replayed).length, MANY - 1);
  assert.equal((await reviewsOf(user)).length, 1);
});

Deno.test(`idempotency: of ${MANY} requests at once with one key and two bodies one body succeeds and the other gets 409`, async () => {
  const [user, lot] = [await signUp(), await aLot()];
  const replies = await many((n) => post(user, lot, "one", 4 + n % 2));
  const [row, ...more] = await reviewsOf(user);
  assert.equal(more.length, 0);
  replies.forEach(({ status, body }, n) => {
    const won = 4 + n % 2 === row!.rating;
    assert.equal(status, won ? 201 : 409, body);
    const reason = JSON.parse(body).error?.details.reason;
    assert.equal(reason, won ? undefined : "key_reused_with_different_body");
  });
  assert.equal(replies.filter(({ status, replayed }) => status === 201 && !replayed).length, 1);
});

Deno.test(`idempotency: one key for ${MANY} different lots at once is one review`, async () => {
  const user = await signUp();
  const lots = await Promise.all(Array.from({ length: MANY }, () => aLot()));
  const replies = await many((n) => post(user, lots[n]!, "one", 4));
  assert.equal(replies.filter(({ status }) => status === 201).length, 1);
  assert.equal(replies.filter(({ status }) => status === 409).length, MANY - 1);
  assert.equal((await reviewsOf(user)).length, 1);
});

Deno.test(`idempotency: ${MANY} keys at once for what can be done once: one succeeds, and its retry gets the same reply`, async () => {
  const [user, lot] = [await signUp(), await aLot()];
  const replies = await many((n) => post(user, lot, `key-${n}`, 4));
  assert.equal(replies.filter(({ status }) => status === 201).length, 1);
  const winner = replies.findIndex(({ status }) => status === 201);
  assert.deepEqual(await post(user, lot, `key-${winner}`, 4), { ...replies[winner], replayed: true });
  const loser = (winner + 1) % MANY;
  assert.equal((await post(user, lot, `key-${loser}`, 4)).status, 409);
});
