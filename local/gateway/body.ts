// Bodies of requests, with a limit and a deadline.

export const BODY_TIMEOUT_MS = 30_000;

/** The body cannot be read: it is too large (413), did not come in time (408), or its client is gone. */
export class BodyError extends Error {
  constructor(readonly status: 408 | 413, message: string) {
    super(message);
  }
}

/** The whole body, at most `limit` bytes. */
export async function readBody(request: Request, limit: number): Promise<Uint8Array> {
  if (Number(request.headers.get("content-length") ?? 0) > limit) throw tooLarge(limit);
  const { bytes, rest } = await readStart(request.body, limit);
  if (rest === undefined) return bytes;
  rest.cancel().catch(() => {}); // its client hears of the refusal
  throw tooLarge(limit);
}

/** The body's first bytes; all of it unless there are more than `limit`, and then the stream of what follows. */
export async function readStart(
  body: ReadableStream<Uint8Array> | null,
  limit: number,
): Promise<{ bytes: Uint8Array; rest: ReadableStreamDefaultReader<Uint8Array> | undefined }> {
  if (body === null) return { bytes: new Uint8Array(0), rest: undefined };
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new BodyError(408, "The body did not arrive in time."));
    reader.cancel().catch(() => {}); // nothing is read any more
  }, BODY_TIMEOUT_MS);
  try {
    while (size <= limit) {
      const { value, done } = await Promise.race([reader.read(), late]);
      if (done) return { bytes: joined(chunks, size), rest: undefined };
      chunks.push(value);
      size += value.length;
    }
    return { bytes: joined(chunks, size), rest: reader };
  } finally {
    clearTimeout(timer);
  }
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  if (chunks.length === 1) return chunks[0]!;
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

function tooLarge(limit: number): BodyError {
  return new BodyError(413, `The body is larger than ${limit} bytes.`);
}
