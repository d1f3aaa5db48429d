// Work under a lease: it is extended while the work lasts, and never afterwards.
import assert from "node:assert/strict";
import { underLease } from "../../supabase/functions/_shared/consumer.ts";
import { eventually } from "../support/eventually.ts";

const every = { everyMs: 5 };

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
