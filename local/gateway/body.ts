// Bodies of requests, with a limit and a deadline.
import { TimeoutError, withTimeout } from "../timeout.ts";

export const BODY_TIMEOUT_MS = 30_000;

/** The body is too large (413), did not arrive in time (408), or broke off (400). */
export class BodyError extends Error {
  constructor(readonly status: 400 | 408 | 413, message: string, options?: ErrorOptions) {
    super(message, options);
  }
}

/** The whole body, at most `limit` bytes. */
export async function readBody(request: Request, limit: number, timeoutMs = BODY_TIMEOUT_MS): Promise<Uint8Array> {
  if (Number(request.headers.get("content-length") ?? 0) > limit) throw tooLarge(limit);
  const { bytes, rest } = await readStart(request.body, limit, timeoutMs);
  if (rest === undefined) return bytes;
  rest.cancel().catch(() => {}); // the client gets the error
  throw tooLarge(limit);
}

/** The whole body, or, if it has more than `limit` bytes, its start and a reader of the rest. */
export async function readStart(
  body: ReadableStream<Uint8Array> | null,
  limit: number,
  timeoutMs = BODY_TIMEOUT_MS,
): Promise<{ bytes: Uint8Array; rest: ReadableStreamDefaultReader<Uint8Array> | undefined }> {
  if (body === null) return { bytes: new Uint8Array(0), rest: undefined };
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const deadline = performance.now() + timeoutMs;
  while (size <= limit) {
    const chunk = await next(reader, deadline);
    if (chunk === undefined) return { bytes: joined(chunks, size), rest: undefined };
    chunks.push(chunk);
    size += chunk.length;
  }
  return { bytes: joined(chunks, size), rest: reader };
}

/** The body that `readStart` began to read. Each further chunk has its own timeout. `onError` is called when it breaks off. */
export function continued(
  { bytes, rest }: { bytes: Uint8Array; rest: ReadableStreamDefaultReader<Uint8Array> | undefined },
  onError: (error: BodyError) => void,
): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
  if (rest === undefined) return bytes as Uint8Array<ArrayBuffer>;
  return new ReadableStream({
    start: (controller) => bytes.length > 0 ? controller.enqueue(bytes) : undefined,
    pull: async (controller) => {
      try {
        const chunk = await next(rest, performance.now() + BODY_TIMEOUT_MS);
        if (chunk === undefined) controller.close();
        else controller.enqueue(chunk);
      } catch (error) {
        if (error instanceof BodyError) onError(error);
        throw error;
      }
    },
    cancel: (reason) => rest.cancel(reason),
  }, { highWaterMark: 0 }); // nothing is read before it is needed
}

async function next(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  deadline: number,
): Promise<Uint8Array | undefined> {
  try {
    const { value, done } = await withTimeout(reader.read(), deadline - performance.now());
    return done ? undefined : value;
  } catch (cause) {
    if (cause instanceof TimeoutError) {
      reader.cancel().catch(() => {}); // the rest is not read
      throw new BodyError(408, "The body did not arrive in time.");
    }
    throw new BodyError(400, "The body ended early.", { cause });
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
