// Runs a part of the platform in a process of its own, and starts it again when it ends. The process ends when its
// standard input is closed, so it does not outlive this one. Both sides exchange messages: lines of JSON, which on its
// standard output begin with a marker. Its other lines are its log.
import { join } from "node:path";
import { TextLineStream } from "./functions/lines.ts";
import { ROOT } from "./settings.ts";
import { withTimeout } from "./timeout.ts";

export interface SupervisorOptions {
  /** The word for the process in the log. */
  readonly name: string;
  /** The module that serves. Its first argument is the marker, and its first message is its port. */
  readonly entry: string;
  /** Further arguments, for people who list processes. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The time for the process to end by itself. */
  readonly stopTimeoutMs: number;
  readonly log: (line: string) => void;
  /** Called when a process was started. */
  readonly onStart?: () => void;
  /** Receives the messages that follow the port. */
  readonly onMessage?: (message: unknown) => void;
  /** Called in place of another start when the process has ended again and again soon after its start. */
  readonly onGiveUp?: (reason: string) => void;
}

/** The environment variable by which `deno task dev` passes the settings to the gateway's process, as JSON. */
export const OPTIONS = "PLATFORM_OPTIONS";

const CONFIG = join(ROOT, "deno.json");

/** A process that ran for so long has not failed to start. */
const STARTED_AFTER_MS = 10_000;
const MAX_BACKOFF_MS = 5_000;
/** Starts in a row that fail before it is given up. */
const MAX_FAILURES = 5;
const LAST_LINES = 20;

export class Supervisor {
  #child: Deno.ChildProcess | undefined;
  #input: WritableStreamDefaultWriter<Uint8Array> | undefined;
  #port = Promise.withResolvers<number>();
  /** The port of the process that runs. */
  #upPort: number | undefined;
  #stopping = false;
  #failures = 0;
  #lastLines: string[] = [];
  readonly #done: Promise<void>;

  constructor(readonly options: SupervisorOptions) {
    this.#done = this.#keep();
  }

  /** The port of the running process; undefined when none is up in time. */
  port(timeoutMs: number): Promise<number | undefined> {
    return withTimeout(this.#port.promise, timeoutMs, () => undefined);
  }

  get isUp(): boolean {
    return this.#upPort !== undefined;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  send(message: unknown): void {
    this.#input?.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`)).catch(ignoreBrokenPipe);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    const child = this.#child;
    if (child !== undefined) {
      signal(child, "SIGTERM");
      await withTimeout(child.status, this.options.stopTimeoutMs, () => signal(child, "SIGKILL"));
    }
    await this.#done;
  }

  async #keep(): Promise<void> {
    const { name, log, onGiveUp } = this.options;
    while (!this.#stopping) {
      const started = performance.now();
      const { code, signal } = await this.#run();
      if (this.#stopping) return;
      // A request that waits for a process that was never up waits for the next one.
      if (this.isUp) this.#port = Promise.withResolvers();
      this.#upPort = undefined;
      const how = signal ?? `code ${code}`;
      this.#failures = performance.now() - started > STARTED_AFTER_MS ? 0 : this.#failures + 1;
      if (onGiveUp !== undefined && this.#failures === MAX_FAILURES) {
        const lines = this.#lastLines.map((line) => `\n  ${line}`).join("");
        return onGiveUp(`The ${name} ended ${MAX_FAILURES} times in a row (${how}). Its last lines:${lines}`);
      }
      log(`The ${name} ended (${how}) and is started again`);
      if (this.#failures > 0) {
        const backoff = Math.min(MAX_BACKOFF_MS, 100 * 2 ** (this.#failures - 1));
        await new Promise((resolve) => setTimeout(resolve, backoff));
      }
    }
  }

  async #run(): Promise<Deno.CommandStatus> {
    const marker = `${crypto.randomUUID()}:`;
    const { entry, args = [], env = {}, onStart } = this.options;
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--no-prompt", "--no-check", `--config=${CONFIG}`, "-A", entry, marker, ...args],
      env,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#child = child;
    this.#input = child.stdin.getWriter();
    onLines(child.stderr, (line) => this.#log(line));
    onLines(child.stdout, (line) => {
      if (line.startsWith(marker)) this.#receive(JSON.parse(line.slice(marker.length)));
      else this.#log(line);
    });
    onStart?.();
    const status = await child.status;
    this.#child = undefined;
    await this.#input.close().catch(ignoreBrokenPipe);
    this.#input = undefined;
    return status;
  }

  #receive(message: unknown): void {
    if (this.#upPort !== undefined) return this.options.onMessage?.(message);
    this.#upPort = Number(message);
    this.#port.resolve(this.#upPort);
  }

  #log(line: string): void {
    this.#lastLines = [...this.#lastLines, line].slice(-LAST_LINES);
    this.options.log(line);
  }
}

async function onLines(stream: ReadableStream<Uint8Array>, call: (line: string) => void): Promise<void> {
  for await (const line of stream.pipeThrough(new TextLineStream())) call(line);
}

/** The process has ended. */
function ignoreBrokenPipe(error: unknown): void {
  if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
}

function signal(child: Deno.ChildProcess, name: Deno.Signal): void {
  try {
    child.kill(name);
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof Deno.errors.NotFound)) throw error; // it has ended
  }
}
