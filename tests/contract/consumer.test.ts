// Consumers of queues: when they end, and their leases, which are extended while the work lasts and never afterwards.
import assert from "node:assert/strict";
import { consume, type Queue } from "../../supabase/functions/_shared/queue/consumer.ts";
import { underLease } from "../../supabase/functions/_shared/queue/lease.ts";
import { eventually } from "../support/eventually.ts";

const every = { everyMs: 5 };

/** A queue that returns these numbers of messages, and then none. */
function queueOf(found: readonly number[], outcome: "done" | "paused" = "done") {
  const reads: boolean[] = [];
  const handled: number[] = [];
  const queue: Queue<number> = {
    take: (ends) => {
      const messages = found[reads.length] ?? 0;
      reads.push(ends);
      return Promise.resolve({ found: messages, batches: messages > 1 ? [messages] : [] });
    },
    handle: (batch) => Promise.resolve((handled.push(batch), outcome)),
  };
  return { queue, reads, handled };
}

const briefly = { budgetMs: 60_000, lingerMs: 0, pollMs: 1 };

Deno.test("consumers: an empty queue ends the work, and messages without work do not", async () => {
  const { queue, reads, handled } = queueOf([2, 1, 3]);
  await consume(queue, briefly);
  assert.deepEqual([handled, reads.length], [[2, 3], 4]);
});

Deno.test("consumers: an empty queue is polled for a while", async () => {
  const { queue, reads } = queueOf([0, 2]);
  await consume(queue, { ...briefly, lingerMs: 20 });
  assert.ok(reads.length > 3);
  assert.deepEqual(reads.map((ends, n) => ends && n < reads.length - 1).filter(Boolean), []);
  assert.equal(reads.at(-1), true);
});

Deno.test("consumers: after the last read of a queue that records the end it is read once more, and a message that is found then is processed", async () => {
  const { queue, reads, handled } = queueOf([0, 2]);
  await consume({ ...queue, recordsEnd: true }, briefly);
  assert.deepEqual([handled, reads], [[2], [true, true, true, true]]);
});

Deno.test("consumers: a pause and the end of the time end the work", async () => {
  const paused = queueOf([2, 2], "paused");
  await consume(paused.queue, briefly);
  assert.deepEqual(paused.handled, [2]);
  const late = queueOf([2]);
  await consume(late.queue, { ...briefly, budgetMs: 0 });
  assert.deepEqual(late.reads, []);
});

Deno.test("consumers: after so much work a consumer calls the next one and ends", async () => {
  const { queue, handled } = queueOf([2, 3, 4, 5]);
  const calls: number[] = [];
  await consume({ ...queue, callNext: () => Promise.resolve(calls.push(handled.length)) }, {
    ...briefly,
    maxBatches: 3,
  });
  assert.deepEqual([handled, calls], [[2, 3, 4], [3]]);
  const short = queueOf([2, 3]);
  await consume({ ...short.queue, callNext: () => Promise.reject(new Error("called")) }, { ...briefly, maxBatches: 3 });
  assert.deepEqual(short.handled, [2, 3]);
});

Deno.test("leases: a lease is extended until the work has ended, and the work's result is returned", async () => {
  let extensions = 0;
  const extend = () => Promise.resolve(extensions++);
  const result = await underLease(extend, async () => {
    await eventually(() => extensions >= 3 || undefined);
    return "done";
  }, every);
  assert.equal(result, "done");
  const before = extensions;
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(extensions, before);
});

Deno.test("leases: an extension that is on its way ends before the work is over, so that it cannot hide what was put off", async () => {
  const { promise: isSlow, resolve: finish } = Promise.withResolvers<void>();
  let started = 0;
  let ended = 0;
  const work = underLease(
    async () => {
      started++;
      await isSlow;
      ended++;
    },
    () => eventually(() => started > 0 || undefined),
    every,
  );
  await eventually(() => started > 0 || undefined);
  assert.equal(
    await Promise.race([work.then(() => "over"), new Promise((resolve) => setTimeout(resolve, 50, "waits"))]),
    "waits",
  );
  finish();
  await work;
  assert.deepEqual([started, ended], [1, 1]);
});

Deno.test("leases: a failed extension is logged and repeated, and a failure of the work is thrown", async () => {
  const lines: string[] = [];
  const log = console.error;
  console.error = (line: string) => void lines.push(line);
  try {
    let extensions = 0;
    await assert.rejects(
      underLease(
        () => Promise.reject(new Error(`refused ${++extensions}`)),
        async () => {
          await eventually(() => extensions >= 2 || undefined);
          throw new Error("the work failed");
        },
        every,
      ),
      /the work failed/,
    );
  } finally {
    console.error = log;
  }
  assert.ok(lines.length >= 2);
  assert.match(lines[0]!, /could not extend its lease.*refused 1/);
});

Deno.test("leases: stuck work loses its lease", async () => {
  let extensions = 0;
  let before = -1;
  await underLease(() => Promise.resolve(extensions++), async () => {
    await eventually(() => {
      const isStill = before === extensions && extensions > 0;
      before = extensions;
      return isStill || undefined;
    });
  }, { everyMs: 2, maxMs: 60 });
  assert.ok(extensions > 0);
});
