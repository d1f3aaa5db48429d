// /functions/v1/<name>: one process per function, started on first use, replaced when a file under supabase/functions
// changes. A function sees the path /<name>/... as it does when hosted.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Code } from "../../supabase/functions/_shared/errors.ts";
import { preflight } from "../gateway/cors.ts";
import { BodyError, continued, readStart } from "../gateway/body.ts";
import { withClientAddress } from "../gateway/client_address.ts";
import { type More, refusal } from "../gateway/envelope.ts";
import { functionAuthorization } from "../gateway/keys.ts";
import { verify } from "../gateway/tokens.ts";
import { endOrphans } from "./orphans.ts";
import { BootError, Worker } from "./worker.ts";

export interface RunnerOptions {
  readonly deno: string;
  /** The functions' folder: supabase/functions. */
  readonly source: string;
  /** Where the generated entry modules go. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly verifyJwt: (name: string) => boolean;
  /** The import map that config.toml gives a function. */
  readonly importMap?: (name: string) => string | undefined;
  readonly log: (line: string) => void;
}

const NAME = /^[A-Za-z][A-Za-z0-9_-]*$/;
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
/** How long a function may take to begin its answer, as hosted. */
const ANSWER_PATIENCE = 150_000;
const SMALL = 256 * 1024;
/** What web servers log for a client that has gone before it was answered. */
const CLIENT_LEFT_STATUS = 499;
const OUTCOME_UNKNOWN = { reason: "outcome_unknown" };
/** Of a body: what is received before its function receives the request. A slow client holds no function. */
const RECEIVED_FIRST = 2 * 1024 * 1024;
/** What the service calls the hosted runtime's refusals. */
const CODES: Readonly<Record<number, Code>> = {
  401: "unauthorized",
  404: "not_found",
  405: "method_not_allowed",
  500: "server_error",
  503: "service_unavailable",
  504: "server_error",
};
/** Headers that belong to one connection, not to the message. */
const HOP_BY_HOP = ["connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"];

interface Body {
  readonly content: BodyInit;
  /** Why it ended early. */
  failure?: BodyError;
}

export class FunctionRunner {
  readonly #workers = new Map<string, Promise<Worker>>();
  readonly #entries = new Map<string, string>();
  readonly #client = Deno.createHttpClient({ http2: false, poolMaxIdlePerHost: 64, allowHost: true });
  readonly #watcher: Deno.FsWatcher;

  private constructor(readonly options: RunnerOptions) {
    this.#watcher = Deno.watchFs(options.source, { recursive: true });
    this.#watch();
  }

  static async start(options: RunnerOptions): Promise<FunctionRunner> {
    await endOrphans(options.folder);
    try {
      await Deno.mkdir(options.folder, { recursive: true });
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists || error instanceof Deno.errors.NotADirectory)) throw error;
      throw new Error(`${options.folder} is not a folder. Delete it: the next start makes one.`);
    }
    return new FunctionRunner(options);
  }

  /** Answers a request to the function `name`; `path` is what follows the name. */
  async handle(request: Request, name: string, path: string, client: string): Promise<Response> {
    if (!METHODS.includes(request.method)) {
      return plain(request, 405, "METHOD_NOT_ALLOWED", "Method not allowed", {
        headers: { allow: METHODS.join(", ") },
      });
    }
    const entry = NAME.test(name) ? await this.#entry(name) : undefined;
    // A page that misspells a function shall read so, and not that its preflight failed.
    if (entry === undefined && request.method === "OPTIONS") return preflight(request);
    if (entry === undefined) return plain(request, 404, "NOT_FOUND", "Requested function was not found");
    const authorization = functionAuthorization(request);
    if (request.method !== "OPTIONS" && this.options.verifyJwt(name)) {
      const refused = unverified(request, authorization);
      if (refused !== undefined) return refused;
    }
    const forwarded = forward(request, authorization, client);
    const url = new URL(request.url);
    const target = `/${name}${path}${url.search}`;
    try {
      const body = await received(request);
      const { worker, leave } = await this.#take(name, entry);
      return await this.#exchange(worker, leave, target, request, body, forwarded);
    } catch (error) {
      if (error instanceof BootError) {
        return plain(request, 503, "BOOT_ERROR", "Worker failed to boot (please check logs)");
      }
      if (error instanceof BodyError && error.status === 400) return new Response(null, { status: CLIENT_LEFT_STATUS });
      throw error;
    }
  }

  async stop(): Promise<void> {
    this.#watcher.close();
    const workers = await Promise.allSettled(this.#workers.values());
    await Promise.all(workers.map((worker) => worker.status === "fulfilled" ? worker.value.stop() : undefined));
    this.#client.close();
  }

  /** The function's file; a function that runs is not looked for again. */
  async #entry(name: string): Promise<string | undefined> {
    const known = this.#entries.get(name);
    if (known !== undefined && this.#workers.has(name)) return known;
    const found = await entryPoint(this.options.source, name);
    if (found !== undefined) this.#entries.set(name, found);
    return found;
  }

  /** The function's process, taken for one exchange; requests that come while it starts wait for the same start. */
  async #take(name: string, entry: string): Promise<{ worker: Worker; leave: () => void }> {
    for (;;) {
      const starting = this.#workers.get(name) ?? this.#start(name, entry);
      const worker = await starting;
      const leave = worker.enter();
      if (leave !== undefined) return { worker, leave };
      if (this.#workers.get(name) === starting) this.#workers.delete(name);
    }
  }

  #start(name: string, entry: string): Promise<Worker> {
    const starting = this.#boot(name, entry);
    this.#workers.set(name, starting);
    // A function that did not start is tried again by the next request.
    starting.catch(() => this.#workers.get(name) === starting && this.#workers.delete(name));
    return starting;
  }

  async #boot(name: string, entry: string): Promise<Worker> {
    const { deno, source, folder, environment, log } = this.options;
    const module = join(folder, `${name}.js`);
    await Deno.writeTextFile(
      module,
      `import { serveExport } from "${new URL("boot.ts", import.meta.url)}";\n` +
        `import * as module from "${pathToFileURL(entry)}";\nserveExport(module);\n`,
    );
    return await Worker.boot({
      name,
      deno,
      entry: module,
      importMap: await importMapOf(source, name, this.options.importMap?.(name)),
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
    headers: Headers,
  ): Promise<Response> {
    const impatience = new AbortController();
    const timer = setTimeout(() => impatience.abort(), ANSWER_PATIENCE);
    // The function learns that its client has gone, as it would without this gateway between them.
    request.signal.addEventListener("abort", () => impatience.abort());
    try {
      const answer = await fetch(`http://127.0.0.1:${worker.port}${target}`, {
        method: request.method,
        headers,
        body: body?.content ?? null,
        redirect: "manual",
        client: this.#client,
        signal: impatience.signal,
      });
      const { status, statusText } = answer;
      const init = { status, statusText, headers: endToEnd(answer.headers) };
      if (isSmall(answer)) {
        const body = await answer.arrayBuffer();
        leave();
        return new Response(body, init);
      }
      return new Response(whenDone(answer.body, leave), init);
    } catch (error) {
      leave();
      if (body?.failure !== undefined) throw body.failure;
      if (request.signal.aborted) return new Response(null, { status: CLIENT_LEFT_STATUS });
      const details = OUTCOME_UNKNOWN;
      if (impatience.signal.aborted) {
        return plain(request, 504, "IDLE_TIMEOUT", "The function did not answer in time", { details });
      }
      const ended = await worker.hasEnded();
      this.options.log(`[${worker.name}] ${ended ? "its process ended in a request" : error}`);
      if (wasNeverSent(error)) return plain(request, 503, "BOOT_ERROR", "Worker failed to boot (please check logs)");
      return plain(request, 500, "WORKER_ERROR", "Function exited due to an error (please check logs)", { details });
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

/** The process had ended and took no connection. */
function wasNeverSent(error: unknown): boolean {
  return causeOf(error).includes("client error (Connect)");
}

function causeOf(error: unknown): string {
  return error instanceof Error && error.cause instanceof Error ? error.cause.message : "";
}

async function entryPoint(source: string, name: string): Promise<string | undefined> {
  for (const extension of ["ts", "js", "mjs", "tsx", "jsx"]) {
    const path = join(source, name, `index.${extension}`);
    if (await isFile(path)) return path;
  }
  return undefined;
}

/** Where the CLI looks for a function's import map: config.toml, then the function's own folder. */
export async function importMapOf(source: string, name: string, configured?: string): Promise<string | undefined> {
  if (configured !== undefined) return configured;
  for (const file of ["deno.json", "deno.jsonc", "import_map.json"]) {
    const path = join(source, name, file);
    if (await isFile(path)) return path;
  }
  return undefined;
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** A body of a known, small length is received first; a longer one, or one without a length, flows. */
async function received({ body, headers }: Request): Promise<Body | undefined> {
  if (body === null) return undefined;
  const isShort = Number(headers.get("content-length") ?? Infinity) <= RECEIVED_FIRST;
  const start = isShort ? await readStart(body, RECEIVED_FIRST) : { bytes: new Uint8Array(0), rest: body.getReader() };
  const found: Body = { content: continued(start, (error) => found.failure = error) };
  return found;
}

function forward(request: Request, authorization: string | undefined, client: string): Headers {
  const headers = withClientAddress(endToEnd(request.headers), client);
  const { hostname, port } = new URL(request.url);
  if (authorization === undefined) headers.delete("authorization");
  else headers.set("authorization", authorization);
  // Deno 2.1 would compress, and fetch here would undo it but keep the headers that say so.
  headers.set("accept-encoding", "identity");
  headers.set("x-forwarded-proto", "http");
  headers.set("x-forwarded-host", hostname);
  headers.set("x-forwarded-port", port);
  return headers;
}

function endToEnd(received: Headers): Headers {
  const headers = new Headers(received);
  for (const name of HOP_BY_HOP) headers.delete(name);
  return headers;
}

/** Worth taking whole: a stream costs more than the bytes. */
function isSmall({ body, headers }: Response): boolean {
  return body !== null && Number(headers.get("content-length") ?? Infinity) <= SMALL;
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

function unverified(request: Request, authorization: string | undefined): Response | undefined {
  if (authorization === undefined) {
    return plain(request, 401, "UNAUTHORIZED_NO_AUTH_HEADER", "Missing authorization header", {
      details: { reason: "token_missing" },
    });
  }
  const token = authorization.match(/^Bearer\s+(\S+)$/i)?.[1];
  if (token !== undefined && "claims" in verify(token)) return undefined;
  return plain(request, 401, "UNAUTHORIZED_INVALID_JWT_FORMAT", "Invalid JWT", {
    details: { reason: "token_invalid" },
  });
}

/** The answers that the hosted gateway gives in a function's place. */
function plain(request: Request, status: number, code: string, message: string, more: More = {}): Response {
  const headers = { ...more.headers, "sb-error-code": code };
  return refusal(request, status, CODES[status]!, message, { ...more, headers, beside: { code, message } });
}
