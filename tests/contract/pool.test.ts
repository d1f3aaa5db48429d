// Operations that run a few at the same time.
import assert from "node:assert/strict";
import { limited } from "../../supabase/functions/_shared/queue/pool.ts";

Deno.test("limited: no more operations than the limit run at once, also after failures, and each one runs", async () => {
  const run = limited(3);
  let [running, most, done] = [0, 0, 0];
  const results = await Promise.allSettled(Array.from({ length: 50 }, (_, n) =>
    run(async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, n % 4));
      running--;
      done++;
      if (n % 5 === 0) throw new Error("failed");
      return n;
    })));
  assert.deepEqual([most, done, running], [3, 50, 0]);
  assert.equal(results.filter(({ status }) => status === "rejected").length, 10);
});
