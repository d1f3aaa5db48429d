// A request that got 503 has no effect: a table is locked, most requests get no connection in time, and none of them is
// carried out later.
// Runs alone: it locks a table of the shared platform, and takes all connections of its Data API.
import assert from "node:assert/strict";
import postgres from "postgres";
import { eventually } from "../support/eventually.ts";
import { assertError } from "../support/api_errors.ts";
import { newLot, newUser } from "../support/rows.ts";
import { stack } from "../support/stack.ts";
import { token } from "../support/tokens.ts";

const REQUESTS = 60;
/** Longer than the Data API's wait for a connection, shorter than the statement timeout. */
const LOCKED_MS = 6_000;

Deno.test("parking-sessions: under overload, a start that got 503 with Retry-After created no session", async () => {
  const { dbUrl, functionsUrl, jwtSecret } = stack();
  const sql = postgres(dbUrl, { max: 2, onnotice: () => {} });
  try {
    const lot = await newLot(sql);
    const users: string[] = [];
    for (let n = 0; n < REQUESTS; n++) users.push(await newUser(sql));
    const start = (user: string) =>
      fetch(`${functionsUrl}/parking-sessions`, {
        method: "POST",
        headers: { authorization: `Bearer ${token(user, { secret: jwtSecret })}`, "content-type": "application/json" },
        body: JSON.stringify({ parking_lot_id: lot }),
      });
    const { promise: locked, resolve: onLocked } = Promise.withResolvers<void>();
    const locking = sql.begin(async (sql) => {
      await sql`lock table public.parking_sessions in access exclusive mode`;
      onLocked();
      await new Promise((resolve) => setTimeout(resolve, LOCKED_MS));
    });
    await locked;
    const told = await Promise.all(users.map(async (user) => {
      const response = await start(user);
      if (response.status === 503) await assertError(response, { code: "service_unavailable" });
      else await response.body?.cancel();
      return { user, status: response.status };
    }));
    await locking;
    const refused = told.filter(({ status }) => status === 503).map(({ user }) => user);
    const started = told.filter(({ status }) => status === 201).map(({ user }) => user);
    assert.equal(refused.length + started.length, REQUESTS, JSON.stringify(told));
    assert.ok(refused.length > REQUESTS / 2, `${refused.length} of ${REQUESTS} were refused`);
    // Whatever still ran in the database has ended.
    await eventually(async () => {
      const running = await sql`
        select from pg_stat_activity where usename = 'authenticator' and state <> 'idle' and query not like 'listen%'`;
      return running.length === 0 ? true : undefined;
    });
    const existing = await sql<{ user_id: string }[]>`
      select user_id from public.parking_sessions where parking_lot_id = ${lot}`;
    assert.deepEqual(existing.map(({ user_id }) => user_id).sort(), started.sort());
  } finally {
    await sql.end();
  }
});
