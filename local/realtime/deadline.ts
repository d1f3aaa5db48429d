// Work that may take so long.

export class Late extends Error {
  constructor(readonly milliseconds: number) {
    super(`It took longer than ${milliseconds} ms`);
  }
}

/** Fails with `Late` when the work is not done in time; the work itself goes on. */
export async function withDeadline<Value>(work: Promise<Value>, milliseconds: number): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Late(milliseconds)), milliseconds);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
