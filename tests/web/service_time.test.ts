// The time of the service as its responses tell it, on devices whose clock is right, slow or fast.
import assert from "node:assert/strict";
import { learnTime, serviceNow } from "../../apps/web/src/service_time.ts";

const MINUTE_MS = 60_000;

/** Learns from a response made at `made` by the service's clock, on a device that is so many milliseconds ahead. */
function learn(made: number, deviceAhead: number, { way = 400, control = "no-store" } = {}): void {
  const headers = { date: new Date(made).toUTCString(), "cache-control": control };
  const received = made + way / 2 + deviceAhead;
  learnTime(new Response(null, { headers }), received - way, received);
}

/** How many milliseconds the page adds to the clock of the device. */
const added = () => serviceNow() - Date.now();

Deno.test("service time: a clock that fits is believed, for any way and part of the second", () => {
  for (const part of [0, 300, 999]) {
    for (const way of [0, 400, 3_000]) {
      learn(Date.UTC(2026, 10, 28, 12) + part, 0, { way });
      assert.ok(Math.abs(added()) <= 1, `${part} ${way}`);
    }
  }
});

Deno.test("service time: a slow and a fast clock are corrected to within a second and the way, and forgotten when they are set", () => {
  for (const minutes of [-300, -3, 3, 6, 1440]) {
    learn(Date.UTC(2026, 10, 28, 12) + 700, minutes * MINUTE_MS);
    assert.ok(Math.abs(added() + minutes * MINUTE_MS) <= 1_201, `${minutes} minutes: ${added()}`);
  }
  learn(Date.UTC(2026, 10, 28, 12), 0);
  assert.ok(Math.abs(added()) <= 1);
});

Deno.test("service time: a response that a cache may have kept, and one without a date, teach nothing", () => {
  learn(Date.UTC(2026, 10, 28, 12), 0);
  learn(Date.UTC(2026, 10, 28, 12), 10 * MINUTE_MS, { control: "public, max-age=300" });
  learnTime(new Response(null, { headers: { "cache-control": "no-store" } }), 0, 1);
  learnTime(new Response(null, { headers: { "cache-control": "no-store", date: "soon" } }), 0, 1);
  assert.ok(Math.abs(added()) <= 1);
});
