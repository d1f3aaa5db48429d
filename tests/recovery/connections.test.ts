// Lost connections to the database: what clients get meanwhile, and that the Data API and the auth server
// come back by themselves.
import assert from "node:assert/strict";
import { type CrashPlatform, sharedCrashPlatform } from "../support/crash_platform.ts";
import { eventually } from "../support/eventually.ts";

const CLIENTS = 60;
const LOSSES = 6;
/** The deadline of one request: it has a response by then, with any lost connection. */
const DEADLINE_MS = 5_000;
/** How soon a client is served again once the database accepts connections. */
const RECOVERY_MS = 2_000;

const started = sharedCrashPlatform();

interface Received {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly at: number;
}

/** Clients that send requests until `over`, and the responses that they received. */
function ask(
  send: (deadline: AbortSignal) => Promise<Response>,
  over: AbortSignal,
): { received: Received[]; done: Promise<unknown> } {
  const received: Received[] = [];
  const client = async () => {
    while (!over.aborted) {
      const answer = await send(AbortSignal.timeout(DEADLINE_MS));
      await answer.body?.cancel();
      const at = performance.now();
      received.push({ status: answer.status, retryAfter: answer.headers.get("retry-after"), at });
      if (answer.status !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  return { received, done: Promise.all(Array.from({ length: CLIENTS }, client)) };
}

function tags({ status }: CrashPlatform, signal: AbortSignal): Promise<Response> {
  return fetch(`${status.REST_URL}/rpc/list_tags`, {
    method: "POST",
    signal,
    headers: { apikey: status.PUBLISHABLE_KEY, "content-type": "application/json" },
    body: '{"p_lang": "en"}',
  });
}

function users({ status }: CrashPlatform, signal: AbortSignal): Promise<Response> {
  return fetch(`${status.API_URL}/auth/v1/admin/users?per_page=1`, { signal, headers: { apikey: status.SECRET_KEY } });
}

function checkReceived(received: readonly Received[], errorStatuses: readonly number[]): void {
  const statuses = new Set(received.map(({ status }) => status));
  for (const status of errorStatuses) statuses.delete(status);
  assert.deepEqual([...statuses], [200]);
  for (const { status, retryAfter } of received) if (status !== 200) assert.match(retryAfter ?? "", /^[1-9]$/);
}

/** The successes received after this time. */
function successesSince(received: readonly Received[], moment: number): number {
  return received.filter(({ status, at }) => status === 200 && at > moment).length;
}

const SERVICES = [
  ["the Data API", "authenticator", tags],
  ["the auth server", "supabase_auth_admin", users],
] as const;

for (const [what, role, send] of SERVICES) {
  Deno.test(`connections: ${what} serves ${CLIENTS} clients through ${LOSSES} lost connections`, async () => {
    const platform = await started();
    const over = new AbortController();
    const { received, done } = ask((deadline) => send(platform, deadline), over.signal);
    try {
      for (let loss = 0; loss < LOSSES; loss++) {
        const before = performance.now();
        await eventually(() => successesSince(received, before) > CLIENTS ? true : undefined);
        // All connections are replaced after a loss, so for a moment there may be none.
        await eventually(async () => {
          const lost = await platform.sql`
            select pg_terminate_backend(pid) from pg_stat_activity
            where usename = ${role} and query not like 'listen%' limit 1`;
          return lost.length === 1 ? true : undefined;
        });
        const moment = performance.now();
        await eventually(() => successesSince(received, moment) > 0 ? true : undefined, RECOVERY_MS);
      }
      const last = performance.now();
      await eventually(() => successesSince(received, last) > CLIENTS ? true : undefined);
    } finally {
      over.abort();
      await done;
    }
    checkReceived(received, [503]);
  });
}

Deno.test("connections: a locked table blocks only requests that need it, and they get an error in time", async () => {
  const platform = await started();
  const { sql, status } = platform;
  await sql.unsafe(`
    create table private.locked (i integer);
    create function api.needs_locked() returns bigint language sql security definer set search_path = ''
      as $$ select count(*) from private.locked $$;
    grant execute on function api.needs_locked() to anon;
    notify pgrst, 'reload schema'`);
  const needs = () =>
    fetch(`${status.REST_URL}/rpc/needs_locked`, { method: "POST", headers: { apikey: status.PUBLISHABLE_KEY } });
  await eventually(async () => {
    const answer = await needs();
    await answer.body?.cancel();
    return answer.status === 200 ? true : undefined;
  });
  await sql.begin(async (holder) => {
    await holder`lock table private.locked`;
    const blocked = Array.from({ length: 20 }, async () => {
      const answer = await needs();
      await answer.body?.cancel();
      assert.ok([500, 504].includes(answer.status), String(answer.status)); // anon's statement timeout, or no connection
    });
    await eventually(async () => {
      const [row] = await holder`select count(*)::integer as waiting from pg_locks where not granted`;
      return row!["waiting"] > 0 ? true : undefined;
    });
    for (let round = 0; round < 5; round++) {
      const answer = await tags(platform, AbortSignal.timeout(DEADLINE_MS));
      await answer.body?.cancel();
      assert.equal(answer.status, 200);
    }
    await Promise.all(blocked); // while the table is still locked
  });
});

Deno.test("connections: of eight sign-ups at once with one address one is 200 and the others are 422", async () => {
  const platform = await started();
  const { status } = platform;
  const signUp = async () => {
    const answer = await fetch(`${status.API_URL}/auth/v1/signup`, {
      method: "POST",
      headers: { apikey: status.PUBLISHABLE_KEY, "content-type": "application/json" },
      body: '{"email": "Same@example.com", "password": "password1"}',
    });
    await answer.body?.cancel();
    return answer.status;
  };
  const received = await Promise.all(Array.from({ length: 8 }, signUp));
  assert.deepEqual(received.sort(), [200, ...Array(7).fill(422)]);
});

// Last: the others need all connections.
for (const [what, , send] of SERVICES) {
  Deno.test(`connections: after kill -9 of Postgres ${what} serves the requests that wait, within ${RECOVERY_MS} ms`, async () => {
    const platform = await started();
    const over = new AbortController();
    const { received, done } = ask((deadline) => send(platform, deadline), over.signal);
    try {
      await eventually(() => successesSince(received, 0) > CLIENTS ? true : undefined);
      await platform.killDatabase();
      await eventually(async () => {
        const back = await platform.sql`select`.catch(() => undefined); // not yet
        return back === undefined ? undefined : true;
      });
      const back = performance.now();
      await eventually(() => successesSince(received, back) > 0 ? true : undefined, RECOVERY_MS);
    } finally {
      over.abort();
      await done;
    }
    checkReceived(received, [503, 504]);
  });
}
