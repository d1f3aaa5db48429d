// A time limit for work that may take too long.

export class TimeoutError extends Error {
  constructor(readonly milliseconds: number) {
    super(`The work took longer than ${milliseconds} ms.`);
  }
}

/** The result of the work, or that of `onTimeout` if it takes longer, which throws by default. The work itself continues. */
export async function withTimeout<Value, Late = never>(
  work: Promise<Value>,
  milliseconds: number,
  onTimeout: () => Late = () => {
    throw new TimeoutError(milliseconds);
  },
): Promise<Value | Late> {
  const { promise: timeout, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  try {
    return await Promise.race([work, timeout.then(onTimeout)]);
  } finally {
    clearTimeout(timer);
  }
}
