// /functions/v1/<name>: one process per function, started on first use, replaced when a file in supabase/functions changes.
// A function receives the path /<name>/... as it does when hosted.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { preflight } from "../gateway/cors.ts";
import { BodyError, continued, readStart } from "../gateway/body.ts";
import { withClientAddress } from "../gateway/client_address.ts";
import { type ErrorExtras, errorResponse } from "../gateway/envelope.ts";
import { catalogue, type Code } from "../../supabase/functions/_shared/errors.ts";
import { MAX_IN_FLIGHT, OVERLOAD_RETRY_AFTER } from "../../supabase/functions/_shared/http/overload.ts";
import { RateLimiter } from "../realtime/limits.ts";
import { fileExists } from "../files.ts";
import { processes } from "../process.ts";
import { BootError, Worker } from "./worker.ts";

export interface RunnerOptions {
  readonly deno: string;
  /** The functions' folder: supabase/functions. */
  readonly source: string;
  /** Where the generated entry modules go. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The import map of each function. */
  readonly importMaps: Readonly<Record<string, string>>;
  /** The requests of one function at once; further ones get 503. That of the router by default. */
  readonly maxInProgress?: number;
  readonly log: (line: string) => void;
}

const NAME = /^[A-Za-z][A-Za-z0-9_-]*$/;
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
/** The time until a function begins its response, as hosted. */
const RESPONSE_TIMEOUT_MS = 150_000;
/** Smaller responses are read whole: a stream costs more than the bytes. */
const SMALL_RESPONSE_BYTES = 256 * 1024;
/** The status that web servers log for a client that closed the connection before the response. */
const CLIENT_CLOSED_REQUEST = 499;
/** Shorter bodies are received before the function receives the request, so that a slow client does not hold a function. */
const BUFFERED_BODY_BYTES = 2 * 1024 * 1024;
/** Rejections a second that are sent at once. Each further one is sent after the pause, because clients may ignore Retry-After. */
const PROMPT_REJECTIONS = 100;
const REJECTION_PAUSE_MS = 2_000;
/** The service's error code for each status that the hosted runtime responds with. */
const CODES: Readonly<Record<number, Code>> = {
  404: "not_found",
  405: "method_not_allowed",
  500: "server_error",
  503: "service_unavailable",
  504: "server_error",
};
/** Headers that belong to one connection, not to the message. */
const HOP_BY_HOP = ["connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"];
/** The gateway sets the first. The hosted one writes a token into the second for the runtime; no function here reads it. */
const OWN_HEADERS = ["accept-encoding", "sb-api-key"];

type Header = [name: string, value: string];

interface Body {
  readonly content: BodyInit;
  /** The reason why it ended early. */
  failure?: BodyError;
}

export class FunctionRunner {
  readonly #workers = new Map<string, Promise<Worker>>();
  readonly #client = Deno.createHttpClient({ http2: false, poolMaxIdlePerHost: 64, allowHost: true });
  readonly #watcher: Deno.FsWatcher;
  /** The number of requests of each function. */
  readonly #inProgress = new Map<string, number>();
  readonly #promptRejections = new RateLimiter(PROMPT_REJECTIONS, PROMPT_REJECTIONS);

  private constructor(readonly options: RunnerOptions) {
    this.#watcher = Deno.watchFs(options.source, { recursive: true });
    this.#watch();
  }

  static async start(options: RunnerOptions): Promise<FunctionRunner> {
    await killOrphans(options.folder);
    try {
      await Deno.mkdir(options.folder, { recursive: true });
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists || error instanceof Deno.errors.NotADirectory)) throw error;
      throw new Error(`${options.folder} is not a folder. Delete it: the next start makes one.`);
    }
    return new FunctionRunner(options);
  }

  /** Handles a request to the function `name`; `path` is the rest of the path. */
  async handle(request: Request, name: string, path: string, client: string): Promise<Response> {
    if (!METHODS.includes(request.method)) {
      return runtimeError(request, 405, "METHOD_NOT_ALLOWED", "Method not allowed", {
        headers: { allow: METHODS.join(", ") },
      });
    }
    const entry = NAME.test(name) ? await this.#entry(name) : undefined;
    // A page that misspells a function's name must read the 404, not a failed preflight.
    if (entry === undefined && request.method === "OPTIONS") return preflight(request);
    if (entry === undefined) return runtimeError(request, 404, "NOT_FOUND", "Requested function was not found");
    // Before the body is read, and again when it is there: a slow client holds no place.
    if (this.#isFull(name)) return await this.#reject(request);
    const url = new URL(request.url);
    const forwarded = forward(request, url, client);
    const target = `/${name}${path}${url.search}`;
    try {
      const body = await received(request);
      if (this.#isFull(name)) return await this.#reject(request);
      const { worker, leave } = await this.#take(name, entry);
      return await this.#exchange(worker, leave, target, request, body, forwarded);
    } catch (error) {
      if (error instanceof BootError) {
        return runtimeError(request, 503, "BOOT_ERROR", "Worker failed to boot (please check logs)");
      }
      if (error instanceof BodyError && error.status === 400) {
        return new Response(null, { status: CLIENT_CLOSED_REQUEST });
      }
      throw error;
    }
  }

  async stop(): Promise<void> {
    this.#watcher.close();
    const workers = await Promise.allSettled(this.#workers.values());
    await Promise.all(workers.map((worker) => worker.status === "fulfilled" ? worker.value.stop() : undefined));
    this.#client.close();
  }

  /** The function's file. The disk is not read for a function that runs. */
  async #entry(name: string): Promise<string | undefined> {
    const path = join(this.options.source, name, "index.ts");
    return this.#workers.has(name) || await fileExists(path) ? path : undefined;
  }

  #isFull(name: string): boolean {
    return (this.#inProgress.get(name) ?? 0) >= (this.options.maxInProgress ?? MAX_IN_FLIGHT);
  }

  /** The response to a request that exceeds the limit. The function does not receive it. */
  async #reject(request: Request): Promise<Response> {
    if (request.method === "OPTIONS") return preflight(request); // or the page could not read the error
    if (!this.#promptRejections.consume()) await new Promise((resolve) => setTimeout(resolve, REJECTION_PAUSE_MS));
    return errorResponse(request, 503, "service_unavailable", catalogue.service_unavailable.message, {
      headers: { "retry-after": OVERLOAD_RETRY_AFTER },
    });
  }

  /** The function's process, taken for one request. Requests that arrive while it starts wait for the same start. */
  async #take(name: string, entry: string): Promise<{ worker: Worker; leave: () => void }> {
    this.#count(name, 1);
    try {
      for (;;) {
        const starting = this.#workers.get(name) ?? this.#start(name, entry);
        const worker = await starting;
        const leave = worker.enter(() => this.#count(name, -1));
        if (leave !== undefined) return { worker, leave };
        if (this.#workers.get(name) === starting) this.#workers.delete(name);
      }
    } catch (error) {
      this.#count(name, -1);
      throw error;
    }
  }

  #count(name: string, change: 1 | -1): void {
    this.#inProgress.set(name, (this.#inProgress.get(name) ?? 0) + change);
  }

  #start(name: string, entry: string): Promise<Worker> {
    const starting = this.#boot(name, entry);
    this.#workers.set(name, starting);
    // The next request starts a function again that did not start.
    starting.catch(() => this.#workers.get(name) === starting && this.#workers.delete(name));
    return starting;
  }

  async #boot(name: string, entry: string): Promise<Worker> {
    const { deno, folder, environment, importMaps, log } = this.options;
    const module = join(folder, `${name}.js`);
    const imports = [new URL("boot.ts", import.meta.url), pathToFileURL(entry)];
    await Deno.writeTextFile(module, imports.map((url) => `import "${url}";\n`).join(""));
    return await Worker.boot({
      name,
      deno,
      entry: module,
      importMap: importMaps[name],
      environment,
      log: (line) => log(`[${name}] ${line}`),
    });
  }

  async #exchange(
    worker: Worker,
    leave: () => void,
    target: string,
    request: Request,
    body: Body | undefined,
    headers: Header[],
  ): Promise<Response> {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), RESPONSE_TIMEOUT_MS);
    // The function's request is aborted when the client closes its connection.
    request.signal.addEventListener("abort", () => abort.abort());
    try {
      const response = await fetch(`http://127.0.0.1:${worker.port}${target}`, {
        method: request.method,
        headers,
        body: body?.content ?? null,
        redirect: "manual",
        client: this.#client,
        signal: abort.signal,
      });
      const { status, statusText } = response;
      const init = { status, statusText, headers: endToEnd(response.headers) };
      if (isSmall(response)) {
        const body = await response.arrayBuffer();
        leave();
        return new Response(body, init);
      }
      return new Response(whenDone(response.body, leave), init);
    } catch (error) {
      leave();
      if (body?.failure !== undefined) throw body.failure;
      if (request.signal.aborted) return new Response(null, { status: CLIENT_CLOSED_REQUEST });
      const details = { reason: "outcome_unknown" };
      if (abort.signal.aborted) {
        return runtimeError(request, 504, "IDLE_TIMEOUT", "The function did not respond in time", { details });
      }
      const ended = await worker.hasEnded();
      this.options.log(`[${worker.name}] ${ended ? "its process ended in a request" : error}`);
      if (wasNeverSent(error)) {
        return runtimeError(request, 503, "BOOT_ERROR", "Worker failed to boot (please check logs)");
      }
      return runtimeError(request, 500, "WORKER_ERROR", "Function exited due to an error (please check logs)", {
        details,
      });
    } finally {
      clearTimeout(timer);
    }
  }

  async #watch(): Promise<void> {
    for await (const event of this.#watcher) {
      if (event.kind === "access") continue;
      for (const [name, starting] of this.#workers) {
        this.#workers.delete(name);
        starting.then((worker) => worker.retire(), () => {}); // one that never started has nothing to end
      }
    }
  }
}

/**
 * Ends the functions of a platform that was killed: the processes whose entry module is in this folder. They end when their
 * standard input does, unless they are busy.
 */
async function killOrphans(folder: string): Promise<void> {
  for (const { pid, args } of await processes()) {
    if (!args.includes(` ${folder}/`) || pid === Deno.pid) continue;
    try {
      Deno.kill(pid, "SIGKILL");
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error; // it has ended
    }
  }
}

/** The process had ended and did not accept the connection. */
function wasNeverSent(error: unknown): boolean {
  return causeOf(error).includes("client error (Connect)");
}

function causeOf(error: unknown): string {
  return error instanceof Error && error.cause instanceof Error ? error.cause.message : "";
}

/** A body of a known, small length is received first; others are streamed. */
async function received({ body, headers }: Request): Promise<Body | undefined> {
  if (body === null) return undefined;
  const isShort = Number(headers.get("content-length") ?? Infinity) <= BUFFERED_BODY_BYTES;
  const start = isShort
    ? await readStart(body, BUFFERED_BODY_BYTES)
    : { bytes: new Uint8Array(0), rest: body.getReader() };
  const found: Body = { content: continued(start, (error) => found.failure = error) };
  return found;
}

/** The client's headers, `authorization` and `apikey` among them, and those of the gateway. */
function forward({ headers }: Request, { hostname, port }: URL, client: string): Header[] {
  return [
    ...endToEnd(withClientAddress(headers, client)).filter(([name]) => !OWN_HEADERS.includes(name)),
    // Deno 2.1 would compress, and fetch here would undo it but keep the headers that say so.
    ["accept-encoding", "identity"],
    ["x-forwarded-proto", "http"],
    ["x-forwarded-host", hostname],
    ["x-forwarded-port", port],
  ];
}

function endToEnd(headers: Iterable<Header>): Header[] {
  return [...headers].filter(([name]) => !HOP_BY_HOP.includes(name));
}

function isSmall({ body, headers }: Response): boolean {
  return body !== null && Number(headers.get("content-length") ?? Infinity) <= SMALL_RESPONSE_BYTES;
}

function whenDone(body: ReadableStream<Uint8Array> | null, done: () => void): ReadableStream<Uint8Array> | null {
  if (body === null) {
    done();
    return null;
  }
  const reader = body.getReader();
  return new ReadableStream({
    type: "bytes",
    async pull(controller) {
      try {
        const { value, done: over } = await reader.read();
        if (!over) return controller.enqueue(value);
        done();
        controller.close();
      } catch (error) {
        done();
        throw error;
      }
    },
    async cancel(reason) {
      done();
      await reader.cancel(reason);
    },
  });
}

/** An error that the hosted runtime responds with in place of the function. */
function runtimeError(
  request: Request,
  status: number,
  code: string,
  message: string,
  extras: ErrorExtras = {},
): Response {
  const headers = { ...extras.headers, "sb-error-code": code };
  return errorResponse(request, status, CODES[status]!, message, { ...extras, headers, fields: { code, message } });
}
