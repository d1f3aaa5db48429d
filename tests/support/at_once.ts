// Tests that mostly wait, and do no harm to each other.
const bodies: (() => Promise<void>)[] = [];
let outcomes: readonly Promise<PromiseSettledResult<void>>[] | undefined;

/** The body of such a test. The first test of a file that has one starts all of the file. */
export function atOnce(body: () => Promise<void>): () => Promise<void> {
  if (bodies.length === 0) Deno.test.afterAll(async () => void await Promise.all(outcomes ?? []));
  const number = bodies.push(body) - 1;
  return async () => {
    outcomes ??= bodies.map(async (each) => (await Promise.allSettled([each()]))[0]);
    const outcome = await outcomes[number]!;
    if (outcome.status === "rejected") throw outcome.reason;
  };
}
