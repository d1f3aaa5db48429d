/** Responses: the reply of a handler, or an error. */
import { ConfigError } from "../environment.ts";
import { ApiError } from "../errors.ts";
import { cacheControl, entityTag, etagMatches } from "./caching.ts";
import { envelope } from "./envelope.ts";
import { Prepared } from "./prepared.ts";
import { type Route, Streamed } from "./route.ts";

const JSON_TYPE = "application/json; charset=utf-8";
const TEXT_TYPE = "text/plain; charset=utf-8";
const GEOJSON_TYPE = "application/geo+json";
export const LINES_TYPE = "application/x-ndjson";
export const TRUNCATED_HEADER = "X-Truncated";
const NO_CONTENT = 204;
/** Overloads and restarts usually end within this time. */
const RETRY_AFTER_SECONDS = "2";

/** Whether the Accept header names this type, with a weight that is neither 0 nor below that of JSON. */
export function accepts(request: Request, type: string): boolean {
  const weights = new Map(
    (request.headers.get("accept") ?? "").toLowerCase().split(",").map((part) => {
      const [name, ...parameters] = part.split(";").map((text) => text.trim());
      return [name, Number(parameters.find((text) => text.startsWith("q="))?.slice(2) ?? 1)];
    }),
  );
  const weight = weights.get(type) ?? 0;
  return weight > 0 &&
    weight >= (weights.get("application/json") ?? weights.get("application/*") ?? weights.get("*/*") ?? 0);
}

/** One JSON value per line. */
export async function streamLines(route: Route, values: AsyncIterable<unknown>): Promise<Response> {
  return await stream(route, linesOf(values), LINES_TYPE);
}

async function* linesOf(values: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const value of values) yield `${JSON.stringify(value)}\n`;
}

/**
 * Waits for the first part, so that its error is a normal error response. If a later part fails the connection is aborted, so
 * that clients notice the missing part.
 */
async function stream(route: Route, parts: AsyncIterable<string>, type: string): Promise<Response> {
  const iterator = parts[Symbol.asyncIterator]();
  let next = await iterator.next();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const texts: string[] = [];
      let size = 0;
      for (; !next.done && size < 65_536; next = await iterator.next()) {
        size += next.value.length;
        texts.push(next.value);
      }
      if (texts.length > 0) controller.enqueue(encoder.encode(texts.join("")));
      if (next.done) controller.close();
    },
    async cancel() {
      await iterator.return?.();
    },
  });
  return new Response(body, {
    status: route.reply[0],
    headers: { "Content-Type": type, "Cache-Control": "no-store", Vary: "Accept" },
  });
}

/** The response contains only the fields in the reply schema. */
export async function replyWith(route: Route, request: Request, data: unknown): Promise<Response> {
  if (data instanceof Streamed) {
    return accepts(request, LINES_TYPE)
      ? await streamLines(route, data.values())
      : await stream(route, data.text(), data.mediaType ?? JSON_TYPE);
  }
  if (data instanceof Prepared) return answerWith(route, request, data, JSON_TYPE);
  const [, schema, asText] = route.reply;
  const parsed = schema.safeParse(data);
  if (parsed.error) {
    const places = parsed.error.issues.map((issue) => `${issue.path.join(".") || "(root)"} ${issue.code}`).join(", ");
    throw new ApiError("server_error", { cause: new Error(`reply differs from its schema: ${places}`) });
  }
  const status = statusOf(route, data);
  if (status === NO_CONTENT) {
    return new Response(null, { status, headers: { "Cache-Control": cacheControl(route.cache) } });
  }
  const inText = asText !== undefined && !/application\/json/i.test(request.headers.get("accept") ?? "");
  const inGeoJson = route.representations?.geojson !== undefined && accepts(request, GEOJSON_TYPE);
  const text = inText
    ? asText(parsed.data as never)
    : JSON.stringify(inGeoJson ? route.representations?.geojson?.(parsed.data as never) : parsed.data);
  const headers = new Headers({ "Cache-Control": cacheControl(route.cache) });
  if (route.isTruncated?.(data as never)) headers.set(TRUNCATED_HEADER, "true");
  if (asText || route.representations) headers.append("Vary", "Accept");
  if (route.isVersioned) headers.set("ETag", `"${(parsed.data as { updated_at: string }).updated_at}"`);
  const type = inText ? TEXT_TYPE : inGeoJson ? GEOJSON_TYPE : JSON_TYPE;
  return answerWith(route, request, text, type, status, headers);
}

/** A text, or prepared bytes, with the headers of a cached route; 304 if the client has them already. */
function answerWith(
  route: Route,
  request: Request,
  content: string | Prepared,
  type: string,
  status = route.reply[0],
  headers = new Headers({ "Cache-Control": cacheControl(route.cache) }),
): Response {
  if (route.cache) {
    const tag = content instanceof Prepared ? content.etag : entityTag(content);
    headers.set("ETag", tag);
    if (route.access !== "public") headers.append("Vary", "Authorization");
    if (etagMatches(request.headers.get("if-none-match"), tag)) return new Response(null, { status: 304, headers });
  }
  headers.set("Content-Type", type);
  const body = content instanceof Prepared ? content.bytes : content;
  // The runtime removes the body of a HEAD response and its length.
  if (request.method === "HEAD") {
    headers.set(
      "Content-Length",
      String(typeof body === "string" ? new TextEncoder().encode(body).length : body.length),
    );
  }
  return new Response(body, { status, headers });
}

function statusOf({ reply: [usual], alternateStatus, replyStatus }: Route, data: unknown): number {
  if (!replyStatus) return usual;
  const status = replyStatus(data as never);
  if (status === usual || status === alternateStatus) return status;
  throw new ApiError("server_error", { cause: new Error(`the contract does not announce status ${status}`) });
}

export function errorResponse(error: ApiError, requestId: string, docUrl: string | null): Response {
  return new Response(JSON.stringify(envelope(error, requestId, docUrl)), {
    status: error.status,
    headers: {
      "Content-Type": JSON_TYPE,
      "Cache-Control": "no-store",
      ...(error.status === 401 ? { "WWW-Authenticate": "Bearer" } : {}),
      ...(error.status === 503 ? { "Retry-After": RETRY_AFTER_SECONDS } : {}),
      ...error.headers,
    },
  });
}

/** Any thrown value as an ApiError. */
export function asApiError(failure: unknown): ApiError {
  if (failure instanceof ApiError) return failure;
  return new ApiError(failure instanceof ConfigError ? "service_unavailable" : "server_error", { cause: failure });
}
