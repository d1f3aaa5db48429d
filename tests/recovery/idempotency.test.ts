// After a crash a request with a key has both its effect and its reply, or neither. A client that repeats every request
// without a response gets each effect once.
import assert from "node:assert/strict";
import { type CrashPlatform, sharedCrashPlatform } from "../support/crash_platform.ts";
import { eventually } from "../support/eventually.ts";
import { newLot, newUser } from "../support/rows.ts";
import { token } from "../support/tokens.ts";

const USERS = 25;
const LOTS = 20;
const AT_ONCE = 40;

const startedPlatform = sharedCrashPlatform();

interface Request {
  readonly user: string;
  readonly lot: string;
}

interface Reply {
  readonly status: number;
  readonly replayed: boolean;
  readonly body: string;
}

async function post({ status }: CrashPlatform, { user, lot }: Request): Promise<Reply | undefined> {
  try {
    const answer = await fetch(`${status.API_URL}/v1/parking-lots/${lot}/reviews`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token(user, { secret: status.JWT_SECRET })}`,
        "content-type": "application/json",
        "idempotency-key": `review-of-${lot}`,
      },
      body: '{"rating":4}',
    });
    const replayed = answer.headers.get("idempotent-replayed") === "true";
    return { status: answer.status, replayed, body: await answer.text() };
  } catch (error) {
    if (error instanceof TypeError) return undefined; // the connection broke: no response
    throw error;
  }
}

/** Does it for all requests, so many at a time. */
async function each(requests: readonly Request[], run: (request: Request) => Promise<void>): Promise<void> {
  const pending = [...requests];
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (let request = pending.shift(); request !== undefined; request = pending.shift()) await run(request);
  }));
}

/** Sends all of it, and kills when a third is acknowledged. */
async function sendAll(platform: CrashPlatform, requests: readonly Request[], kill: () => Promise<void>) {
  const received = new Map<Request, Reply>();
  let crash: Promise<void> | undefined;
  await each(requests, async (request) => {
    const answer = await post(platform, request);
    if (answer?.status === 201) received.set(request, answer);
    if (received.size > requests.length / 3) crash ??= kill();
  });
  await crash;
  return received;
}

async function survives(kill: (platform: CrashPlatform) => Promise<void>): Promise<void> {
  const platform = await startedPlatform();
  const { sql } = platform;
  const users = await Promise.all(Array.from({ length: USERS }, () => newUser(sql)));
  const lots = await Promise.all(Array.from({ length: LOTS }, () => newLot(sql)));
  const requests = lots.flatMap((lot) => users.map((user) => ({ user, lot })));

  const received = await sendAll(platform, requests, () => kill(platform));
  assert.ok(
    received.size > 0 && received.size < requests.length,
    `${received.size} of ${requests.length} were acknowledged`,
  );

  await each(requests, async (request) => {
    const retried = await eventually(async () => {
      const answer = await post(platform, request);
      return answer && answer.status < 500 ? answer : undefined;
    });
    assert.equal(retried.status, 201, retried.body);
    const before = received.get(request);
    if (before) assert.deepEqual(retried, { ...before, replayed: true });
  });
  const [counted] = await sql`
    select count(*)::int as reviews, count(distinct (user_id, parking_lot_id))::int as pairs from public.reviews
    where user_id in ${sql(users)}`;
  assert.deepEqual({ ...counted }, { reviews: requests.length, pairs: requests.length });
  const [kept] = await sql`
    select count(*)::int as answers from private.idempotency_replies k
    join public.reviews r on r.id = (k.reply ->> 'id')::uuid and r.user_id = k.user_id
    where k.user_id in ${sql(users)}`;
  assert.deepEqual({ ...kept }, { answers: requests.length });
}

Deno.test("idempotency: after kill -9 of the database no acknowledged response is lost, and every retry has one effect", async () => {
  await survives((platform) => platform.killDatabase());
});

Deno.test("idempotency: after kill -9 of the function no acknowledged response is lost, and every retry has one effect", async () => {
  await survives((platform) => platform.killFunction("parking-lots"));
});
