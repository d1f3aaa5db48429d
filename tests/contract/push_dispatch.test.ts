// The consumer of pushes and the end of their use: it looks at the clock before it sends, and records what it has sent.
import assert from "node:assert/strict";
import type { PushMessage, PushOutcome } from "../../supabase/functions/_shared/providers/fcm.ts";
import { dispatch } from "../../supabase/functions/push-dispatch/dispatch.ts";

const NOW = Date.now();

/** Dispatches one batch of devices that end so many milliseconds from now, two at a time. */
async function dispatched(ends: readonly number[], outcome: PushOutcome = { outcome: "delivered" }, latencyMs = 0) {
  const text = { title: "Title", body: "Body" };
  const devices = ends.map((ms, n) => ({
    token_id: `${n}`,
    fcm_token: `${n}`,
    lang: "ja",
    badge: 1,
    expires_at: new Date(Date.now() + ms).toISOString(),
  }));
  const batch = { msg_id: 1, notification_id: "one", batch: 0, texts: { ja: text, en: text }, data: {}, devices };
  const found = [[batch], []];
  const calls: [string, Record<string, unknown>][] = [];
  const sent: PushMessage[] = [];
  const rpc = (name: string, args: Record<string, unknown> = {}) => {
    if (name !== "take_push_batches") return Promise.resolve((calls.push([name, args]), null));
    const batches = found.shift() ?? [];
    return Promise.resolve({ found: batches.length, batches, is_service_up: false });
  };
  const sender = {
    send: async (message: PushMessage) => {
      sent.push(message);
      await new Promise((resolve) => setTimeout(resolve, latencyMs));
      return outcome;
    },
  };
  await dispatch({ rpc } as never, sender, { concurrency: 2, budgetMs: 60_000, lingerMs: 0 });
  const recorded = calls.filter(([name]) => name === "record_push_outcomes").map(([, { outcomes, continues }]) => [
    (outcomes as { token_id: string; outcome: string }[]).map(({ token_id, outcome }) => `${token_id} ${outcome}`),
    continues,
  ]);
  return { sent, recorded, pauses: calls.filter(([name]) => name === "pause_push").length };
}

Deno.test("push dispatch: a device whose push has ended is not sent to, and has no outcome of the service", async () => {
  const { sent, recorded } = await dispatched([60_000, -1, 60_000]);
  assert.deepEqual(sent.map(({ token }) => token), ["0", "2"]);
  assert.deepEqual(recorded, [[["0 delivered"], true], [["2 delivered"], false]]);
  assert.ok(sent.every(({ expiresAt }) => expiresAt.getTime() > NOW + 59_000));
});

Deno.test("push dispatch: what ends while earlier devices are sent to is not sent, and that is no outage", async () => {
  const { sent, recorded, pauses } = await dispatched([60_000, 60_000, 100, 100], { outcome: "delivered" }, 200);
  assert.deepEqual(sent.map(({ token }) => token), ["0", "1"]);
  assert.deepEqual(recorded, [[["0 delivered", "1 delivered"], true], [[], false]]);
  assert.equal(pauses, 0);
});

Deno.test("push dispatch: devices that have ended do not hide an outage", async () => {
  const { recorded, pauses } = await dispatched([-1, -1, 60_000], { outcome: "later" });
  assert.deepEqual([recorded, pauses], [[[[], true]], 1]);
});
