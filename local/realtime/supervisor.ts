// Runs the realtime server in a process of its own, and starts it again when it ends.
import { join } from "node:path";
import { TextLineStream } from "../functions/lines.ts";
import { ROOT } from "../settings.ts";
import { withTimeout } from "../timeout.ts";

export interface SupervisorOptions {
  /** The module that serves. */
  readonly entry: string;
  /** Connects as the superuser. */
  readonly databaseUrl: string;
  /** Whether only private channels can be joined. */
  readonly privateOnly?: boolean;
  readonly log: (line: string) => void;
}

/** Environment variables of the process. */
export const DATABASE_URL = "REALTIME_DATABASE_URL";
export const PRIVATE_ONLY = "REALTIME_PRIVATE_ONLY";

const CONFIG = join(ROOT, "deno.json");

const STOP_TIMEOUT_MS = 600;
/** A process that ran for so long has not failed to start. */
const STARTED_AFTER_MS = 10_000;
const MAX_BACKOFF_MS = 5_000;

export class Supervisor {
  #child: Deno.ChildProcess | undefined;
  #port = Promise.withResolvers<number>();
  #isUp = false;
  #stopping = false;
  #backoff = 0;
  readonly #done: Promise<void>;

  constructor(readonly options: SupervisorOptions) {
    this.#done = this.#keep();
  }

  /** The port of the running process; undefined when none is up in time. */
  port(timeoutMs: number): Promise<number | undefined> {
    return withTimeout(this.#port.promise, timeoutMs, () => undefined);
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** The running process, for tests that kill it. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    const child = this.#child;
    if (child !== undefined) {
      send(child, "SIGTERM");
      await withTimeout(child.status, STOP_TIMEOUT_MS, () => send(child, "SIGKILL"));
    }
    await this.#done;
  }

  async #keep(): Promise<void> {
    while (!this.#stopping) {
      const started = performance.now();
      const { code, signal } = await this.#run();
      if (this.#stopping) return;
      // A request that waits for a server that was never up waits for the next one.
      if (this.#isUp) this.#port = Promise.withResolvers();
      this.#isUp = false;
      this.options.log(`The server ended (${signal ?? `code ${code}`}) and is started again`);
      this.#backoff = performance.now() - started > STARTED_AFTER_MS
        ? 0
        : Math.min(MAX_BACKOFF_MS, this.#backoff * 2 || 100);
      await new Promise((resolve) => setTimeout(resolve, this.#backoff));
    }
  }

  async #run(): Promise<Deno.CommandStatus> {
    const marker = `listening:${crypto.randomUUID()}:`;
    const { entry, databaseUrl, privateOnly = false, log } = this.options;
    // The process does not read the host: it is for people who list processes.
    const { host } = new URL(databaseUrl);
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--no-prompt", "--no-check", `--config=${CONFIG}`, "-A", entry, marker, host],
      env: { [DATABASE_URL]: databaseUrl, [PRIVATE_ONLY]: String(privateOnly) },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#child = child;
    onLines(child.stderr, log);
    onLines(child.stdout, (line) => {
      if (!line.startsWith(marker)) return log(line);
      this.#isUp = true;
      this.#port.resolve(Number(line.slice(marker.length)));
    });
    const status = await child.status;
    this.#child = undefined;
    // The process ends when this is closed. It has ended already.
    await child.stdin.close().catch((error) => {
      if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
    });
    return status;
  }
}

async function onLines(stream: ReadableStream<Uint8Array>, call: (line: string) => void): Promise<void> {
  for await (const line of stream.pipeThrough(new TextLineStream())) call(line);
}

function send(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch (error) {
    // The process has ended already.
    if (!(error instanceof TypeError || error instanceof Deno.errors.NotFound)) throw error;
  }
}
